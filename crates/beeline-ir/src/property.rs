//! Properties: what is asked of a model. Each is about the reachability of a *target*: a state, or a failing label.

use crate::expr::{BinaryOp, Expr};
use crate::id::{LocationId, ProcessId};
use crate::origin::Origin;
use crate::stmt::Local;

/// A question.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Property {
    /// A name to choose it by.
    pub name: Option<String>,
    /// How the source language writes it; what reports show. `None`: the IR's own text form.
    pub text: Option<String>,
    /// Locals (quantified variables).
    pub frame: Vec<Local>,
    /// The question itself.
    pub kind: PropertyKind,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// The kinds of questions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// `A[] p`: p holds in every reachable state. The target is a state where it does not.
    Always(Expr),
    /// `E<> p`: p holds in some reachable state. The target is such a state.
    Exists(Expr),
    /// No label fails at run time. The target is a label that does.
    NoRuntimeError,
    /// No assertion fails. The target is a label that has a successor and in which one does.
    NoAssertionFailure,
    /// The observer never arrives at one of these locations. The target is a state where it is.
    NeverAt(ProcessId, Vec<LocationId>),
    /// A question of the source language that nobody here can answer; the others are answered all the same.
    Refused(Refusal),
}

/// Why a question is refused.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Refusal {
    /// Whether the question itself is wrong (an unknown name, say), not merely of a kind that is not supported.
    pub malformed: bool,
    /// What is wrong with it, or not supported.
    pub reason: String,
}

/// What a search looks for: the "state of interest" of a property.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A state where the predicate holds. Where the predicate has a run-time error, nobody can say: such a state is
    /// not the target of a trace, and no certificate may hold one.
    State(Expr),
    /// A label that fails with a run-time error.
    RuntimeError,
    /// A label that has a successor and in which an assertion fails.
    AssertionFailure,
}

impl Property {
    /// What a search for this property looks for.
    pub fn target(&self) -> Target {
        match &self.kind {
            PropertyKind::Always(p) => Target::State(p.clone().negated()),
            PropertyKind::Exists(p) => Target::State(p.clone()),
            PropertyKind::NoRuntimeError => Target::RuntimeError,
            PropertyKind::NoAssertionFailure => Target::AssertionFailure,
            // A predicate that fails everywhere: no trace leads to it, and no certificate excludes it.
            PropertyKind::Refused(_) => Target::State(Expr::Const(1).binary(BinaryOp::Div, Expr::Const(0))),
            PropertyKind::NeverAt(process, locations) => {
                Target::State(Expr::Or(locations.iter().map(|l| Expr::At(*process, *l)).collect()))
            }
        }
    }
    /// The observer that steps while this property is checked.
    pub fn observer(&self) -> Option<ProcessId> {
        match self.kind {
            PropertyKind::NeverAt(process, _) => Some(process),
            _ => None,
        }
    }
    /// Whether the property holds, once it is known whether the target is reachable.
    pub fn holds(&self, reachable: bool) -> bool {
        matches!(self.kind, PropertyKind::Exists(_)) == reachable
    }
}
