//! The relation form (SMV): a synchronous system given by constraints on the current and the next state.
//!
//! An *initial state* gives every state and frozen variable a value such that all `init` assignments, `init`
//! constraints and `invar` constraints hold. A *step* chooses the inputs, then the next state: frozen variables keep
//! their values; each variable with a `next` assignment takes one of the values of its choice; the others are free;
//! all `trans` constraints hold between the states, and all `invar` constraints in the next state. Next assignments
//! are kept apart from `trans`, so that successors are a choice per variable, not a search over all states.
//! Every step costs 1. A choice that yields a value outside the variable's range is a run-time error.

use crate::expr::{Expr, Range};
use crate::id::{EnumId, IdVec, VarId};
use crate::network::SymbolTable;
use crate::origin::Origin;
use crate::property::Property;

/// A transition relation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// The source files origins refer to.
    pub sources: Vec<String>,
    /// Symbolic names for values.
    pub enums: IdVec<EnumId, SymbolTable>,
    /// All variables.
    pub vars: IdVec<VarId, RelationVar>,
    /// Initial choices; at most one per variable.
    pub init_assigns: Vec<Assignment>,
    /// Next-state choices; at most one per variable; expressions may use [`Expr::Next`].
    pub next_assigns: Vec<Assignment>,
    /// Constraints on initial states.
    pub init: Vec<Expr>,
    /// Constraints on all states.
    pub invar: Vec<Expr>,
    /// Constraints on steps; may use [`Expr::Next`] and inputs.
    pub trans: Vec<Expr>,
    /// What is asked of it.
    pub properties: Vec<Property>,
}

/// What a variable of a relation is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum RelationRole {
    /// Part of the state.
    State,
    /// Chosen anew for every step; not part of the state.
    Input,
    /// Part of the state, never changing.
    Frozen,
}

/// A variable of a relation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RelationVar {
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: RelationRole,
    /// Its values.
    pub range: Range,
    /// Names for its values.
    pub symbols: Option<EnumId>,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// `var := one of choice`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Assignment {
    /// The variable assigned.
    pub var: VarId,
    /// The values it may take.
    pub choice: Choice,
}

/// A set of values to choose from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// Just this value.
    One(Expr),
    /// Any value from one bound to the other.
    Between(Expr, Expr),
    /// Any value of any of these.
    Union(Vec<Choice>),
    /// The first if the condition holds, else the second.
    If(Expr, Box<Choice>, Box<Choice>),
}
