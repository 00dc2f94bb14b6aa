//! State predicates split at their clock and deadlock atoms, so that an engine can evaluate them on zones.
//!
//! Quantifiers over clock atoms are unrolled first. What remains is taken apart along `!`, `&&`, `||` and `?:`: in
//! well-formed properties nothing else is computed from the truth of an atom.

use crate::bytecode::RoutineId;
use crate::program::{Atom, Program};
use crate::rewrite::rewrite;
use beeline_ir::LocalId;
use beeline_ir::expr::{Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::Network;
use beeline_ir::stmt::Local;
use beeline_ir::visit::walk;

/// A predicate. Operands are evaluated left to right, as far as needed. Where a piece that is evaluated has a run-time
/// error, the predicate is neither true nor false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Predicate {
    /// A constant.
    Const(bool),
    /// A piece without clocks; true if the result is not 0.
    Discrete(RoutineId),
    /// A clock constraint.
    Clock(Atom),
    /// No label leads to a successor, now or after any delay.
    Deadlock,
    /// Negation.
    Not(Box<Predicate>),
    /// Conjunction.
    And(Vec<Predicate>),
    /// Disjunction.
    Or(Vec<Predicate>),
    /// The second if the first holds, else the third.
    If(Box<[Predicate; 3]>),
}

/// Unrolling the predicate over its clock atoms would make it too large.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PredicateTooLarge;

/// Nodes that unrolling may make.
const NODE_BUDGET: usize = 1 << 18;

impl Program {
    /// Compiles a property's predicate. Its code is added to the program.
    pub fn compile_predicate(
        &mut self,
        network: &Network,
        frame: &[Local],
        e: &Expr,
    ) -> Result<Predicate, PredicateTooLarge> {
        let mut budget = Budget(NODE_BUDGET);
        let unrolled = unroll(e, &mut budget)?;
        let predicate = Splitter { program: self, network, frame }.split(&unrolled);
        self.resolve_queries();
        Ok(predicate)
    }
}

struct Budget(usize);

impl Budget {
    fn spend(&mut self, nodes: usize) -> Result<(), PredicateTooLarge> {
        self.0 = self.0.checked_sub(nodes).ok_or(PredicateTooLarge)?;
        Ok(())
    }
}

struct Splitter<'a> {
    program: &'a mut Program,
    network: &'a Network,
    frame: &'a [Local],
}

impl Splitter<'_> {
    fn split(&mut self, e: &Expr) -> Predicate {
        match e {
            Expr::Const(value) => Predicate::Const(*value != 0),
            Expr::Clock(atom) => {
                Predicate::Clock(self.program.compile_atom(self.network, self.frame, 0, atom))
            }
            Expr::Deadlock => Predicate::Deadlock,
            Expr::Unary(UnaryOp::Not, inner) if timed(inner) => Predicate::Not(Box::new(self.split(inner))),
            Expr::And(parts) if timed(e) => {
                Predicate::And(parts.iter().map(|part| self.split(part)).collect())
            }
            Expr::Or(parts) if timed(e) => Predicate::Or(parts.iter().map(|part| self.split(part)).collect()),
            Expr::If(cond, first, second) if timed(e) => {
                let cond = self.split(cond);
                Predicate::If(Box::new([cond, self.split(first), self.split(second)]))
            }
            _ => Predicate::Discrete(self.program.compile_expr(self.network, self.frame, 0, e)),
        }
    }
}

/// Whether a clock or deadlock atom is inside.
fn timed(e: &Expr) -> bool {
    let mut found = false;
    walk(e, &mut |part| found |= matches!(part, Expr::Clock(_) | Expr::Deadlock));
    found
}

fn size(e: &Expr) -> usize {
    let mut nodes = 0;
    walk(e, &mut |_| nodes += 1);
    nodes
}

/// Replaces every quantifier over clock atoms by its instances.
fn unroll(e: &Expr, budget: &mut Budget) -> Result<Expr, PredicateTooLarge> {
    let mut too_large = false;
    let result = rewrite(e, &mut |part| {
        let Expr::Quantified(quantifier, local, range, body) = part else { return None };
        if !timed(body) {
            return None;
        }
        let parts = instances(*local, *range, body, budget).unwrap_or_else(|PredicateTooLarge| {
            too_large = true;
            Vec::new()
        });
        Some(if *quantifier == Quantifier::Exists { Expr::Or(parts) } else { Expr::And(parts) })
    });
    if too_large { Err(PredicateTooLarge) } else { Ok(result) }
}

fn instances(
    local: LocalId,
    range: Range,
    body: &Expr,
    budget: &mut Budget,
) -> Result<Vec<Expr>, PredicateTooLarge> {
    let nodes = size(body);
    let instance = |value: i64| {
        budget.spend(nodes)?;
        let local_is_value = &mut |part: &Expr| (*part == Expr::Local(local)).then_some(Expr::Const(value));
        unroll(&rewrite(body, local_is_value), budget)
    };
    range.values().map(instance).collect()
}
