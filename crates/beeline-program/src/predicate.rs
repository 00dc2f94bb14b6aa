//! State predicates split at their clock and deadlock atoms, so that an engine can evaluate them on zones.
//!
//! It is taken apart along `!`, `&&`, `||` and `?:`, and quantifiers over clock atoms are unrolled: in well-formed
//! properties nothing else is computed from the truth of an atom.

use crate::bytecode::RoutineId;
use crate::program::{Atom, Program};
use crate::rewrite::{rewrite, size};
use beeline_ir::LocalId;
use beeline_ir::expr::{Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::Network;
use beeline_ir::stmt::Local;
use beeline_ir::visit::walk;
use beeline_ir::work;

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
    /// An instance of a quantifier's body, which counts for so many units of work.
    Counted(u32, Box<Predicate>),
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
        let resolved = self.routines.len();
        let mut splitter = Splitter { program: self, network, frame, nodes: NODE_BUDGET };
        let predicate = splitter.split(e)?;
        self.resolve_queries(resolved);
        Ok(predicate)
    }
}

struct Splitter<'a> {
    program: &'a mut Program,
    network: &'a Network,
    frame: &'a [Local],
    /// Nodes that unrolling may still make.
    nodes: usize,
}

impl Splitter<'_> {
    fn split(&mut self, e: &Expr) -> Result<Predicate, PredicateTooLarge> {
        if !timed(e) {
            return Ok(match e {
                Expr::Const(value) => Predicate::Const(*value != 0),
                _ => Predicate::Discrete(self.program.compile_expr(self.network, self.frame, 0, e)),
            });
        }
        Ok(match e {
            Expr::Clock(atom) => {
                Predicate::Clock(self.program.compile_atom(self.network, self.frame, 0, atom))
            }
            Expr::Unary(UnaryOp::Not, inner) => Predicate::Not(Box::new(self.split(inner)?)),
            Expr::And(parts) => Predicate::And(self.split_all(parts)?),
            Expr::Or(parts) => Predicate::Or(self.split_all(parts)?),
            Expr::If(cond, first, second) => {
                Predicate::If(Box::new([self.split(cond)?, self.split(first)?, self.split(second)?]))
            }
            Expr::Quantified(Quantifier::Exists, local, range, body) => {
                Predicate::Or(self.instances(*local, *range, body)?)
            }
            Expr::Quantified(_, local, range, body) => Predicate::And(self.instances(*local, *range, body)?),
            // In well-formed properties only `Deadlock` is left.
            _ => Predicate::Deadlock,
        })
    }

    fn split_all(&mut self, parts: &[Expr]) -> Result<Vec<Predicate>, PredicateTooLarge> {
        parts.iter().map(|part| self.split(part)).collect()
    }

    /// The instances of a quantifier's body over clock atoms.
    fn instances(
        &mut self,
        local: LocalId,
        range: Range,
        body: &Expr,
    ) -> Result<Vec<Predicate>, PredicateTooLarge> {
        let nodes = size(body);
        let units = work::units(work::of_expr(body));
        let instance = |value: i64| {
            self.nodes = self.nodes.checked_sub(nodes).ok_or(PredicateTooLarge)?;
            let local_is_value =
                &mut |part: &Expr| (*part == Expr::Local(local)).then_some(Expr::Const(value));
            let predicate = self.split(&rewrite(body, local_is_value))?;
            Ok(Predicate::Counted(units, Box::new(predicate)))
        };
        range.values().map(instance).collect()
    }
}

/// Whether a clock or deadlock atom is inside.
fn timed(e: &Expr) -> bool {
    let mut found = false;
    walk(e, &mut |part| found |= matches!(part, Expr::Clock(_) | Expr::Deadlock));
    found
}
