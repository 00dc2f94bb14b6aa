//! What the property asks of each factor: its target taken apart into conjuncts.

use beeline_ir::expr::{Expr, UnaryOp};
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::Local;
use beeline_ir::visit::walk;
use beeline_program::liveness::read_by;
use beeline_program::{Machine, Predicate, Program, SlotSet};

/// One conjunct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conjunct {
    /// As written.
    pub expr: Expr,
    /// Compiled.
    pub predicate: Predicate,
    /// Slots it reads.
    pub reads: SlotSet,
}

/// The target of a property: a state where all conjuncts hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The conjuncts.
    pub conjuncts: Vec<Conjunct>,
}

impl Target {
    /// Takes the target of a property apart. `None` unless it is a state, and one that can be told from the state
    /// alone, without asking what could happen next.
    pub fn new(network: &Network, program: &mut Program, property: &Property) -> Option<Self> {
        let parts = match &property.kind {
            PropertyKind::Exists(e) => conjuncts(e, true),
            PropertyKind::Always(e) => conjuncts(e, false),
            _ => return None,
        };
        let mut target = Self { conjuncts: Vec::new() };
        for expr in parts {
            let mut asks = false;
            walk(&expr, &mut |e| asks |= matches!(e, Expr::Deadlock | Expr::Enabled(..) | Expr::Timeout));
            if asks {
                return None;
            }
            target.conjuncts.push(Conjunct::compile(network, program, &property.frame, expr)?);
        }
        Some(target)
    }

    /// Whether a conjunct reads the slot.
    pub fn reads(&self, slot: usize) -> bool {
        self.conjuncts.iter().any(|c| c.reads.contains(slot))
    }

    /// The property without the conjuncts that read the slot.
    pub fn without(&self, slot: usize, property: &Property) -> Property {
        if !self.reads(slot) {
            return property.clone();
        }
        let rest = self.conjuncts.iter().filter(|c| !c.reads.contains(slot)).map(|c| c.expr.clone());
        let rest = conjunction(rest.collect());
        let kind = match property.kind {
            PropertyKind::Always(_) => PropertyKind::Always(rest.negated()),
            _ => PropertyKind::Exists(rest),
        };
        Property { kind, text: None, ..property.clone() }
    }
}

impl Conjunct {
    /// Compiles a conjunct; `None` if it is too large.
    pub fn compile(network: &Network, program: &mut Program, frame: &[Local], expr: Expr) -> Option<Self> {
        let predicate = program.compile_predicate(network, frame, &expr).ok()?;
        let mut reads = SlotSet::default();
        read_by(program, &predicate, &mut reads);
        Some(Self { expr, predicate, reads })
    }
    /// Whether it holds in a discrete state; `None` if it fails there, or clocks decide.
    pub fn holds(&self, program: &Program, machine: &mut Machine, state: &[i64]) -> Option<bool> {
        match self.predicate {
            Predicate::Const(truth) => Some(truth),
            Predicate::Discrete(routine) => {
                machine.eval(program, routine, state, &[]).ok().map(|value| value != 0)
            }
            _ => None,
        }
    }
}

/// What holds if all of these do.
pub fn conjunction(mut parts: Vec<Expr>) -> Expr {
    match (parts.pop(), parts.is_empty()) {
        (None, _) => Expr::TRUE,
        (Some(only), true) => only,
        (Some(last), false) => {
            parts.push(last);
            Expr::And(parts)
        }
    }
}

/// The conjuncts of an expression or of its negation, in order of evaluation.
pub fn conjuncts(e: &Expr, positive: bool) -> Vec<Expr> {
    match (e, positive) {
        (Expr::Unary(UnaryOp::Not, inner), _) => conjuncts(inner, !positive),
        (Expr::And(parts), true) | (Expr::Or(parts), false) => {
            parts.iter().flat_map(|part| conjuncts(part, positive)).collect()
        }
        (_, true) => vec![e.clone()],
        (_, false) => vec![e.clone().negated()],
    }
}
