//! The value-set interpreter: the bytecode run on sets of values instead of values (Cousot and Cousot 1977).
//!
//! [`Values`] stands for all states that have, in every slot, one of its values. A [`ValueMachine`] answers what
//! a routine may yield in any of them, and what its update may make of them.
//!
//! *Sound*: for every state in the set, and inputs in theirs, what the concrete [`Machine`](crate::Machine)
//! yields is among the answers, or its run fails and the answer says that it may.
//!
//! *Exact on single values*: if every slot and input has one value, the answer is the concrete one, unless the
//! budget runs out or regions and calls nest too deeply ([`ValueMachine`] has both limits). These operations are
//! coarse:
//! - `Enabled` and `Timeout` may fail (by taking too long) wherever an edge has to be evaluated. An edge with
//!   computed clock bounds, with a computed channel, with required values or with a partner to be found is never
//!   certainly enabled; nor is one whose guard depends on select values;
//! - a sorted `Send` leaves in each cell its old value, that of the cell before or the message.
//!
//! On larger sets slots and registers are independent of each other, except that an undecided comparison narrows
//! its operands on either side of a branch; a loop still undecided after some rounds is run to a fixpoint with
//! widening.
//!
//! Clock effects are not followed: which clocks may be written is in the routine.

mod arithmetic;
mod assume;
mod control;
mod edges;
mod machine;
mod processes;
mod queues;
mod set;

pub use machine::{Applied, Evaluation, ValueMachine};
pub use set::{Truth, ValueSet};

use beeline_ir::layout::Layout;

/// A set of states: for each slot the values it may have, independently of each other.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Values {
    slots: Vec<ValueSet>,
}

impl Values {
    /// One state.
    pub fn of_state(state: &[i64]) -> Self {
        Self { slots: state.iter().map(|value| ValueSet::singleton(*value)).collect() }
    }
    /// Every state: each slot has its whole range.
    pub fn everything(layout: &Layout) -> Self {
        Self { slots: layout.slots.iter().map(|slot| ValueSet::range(slot.range)).collect() }
    }
    /// Becomes one state, in the memory it has.
    pub fn set_state(&mut self, state: &[i64]) {
        self.slots.clear();
        self.slots.extend(state.iter().map(|value| ValueSet::singleton(*value)));
    }
    /// Becomes a copy of another, in the memory it has.
    pub fn copy_from(&mut self, other: &Values) {
        self.slots.clone_from(&other.slots);
    }

    /// The sets, slot by slot.
    pub fn slots(&self) -> &[ValueSet] {
        &self.slots
    }
    /// The sets, to change them. A slot's set must stay inside the slot's range.
    pub fn slots_mut(&mut self) -> &mut [ValueSet] {
        &mut self.slots
    }
    /// Adds the states of another set, and whatever lies between; tells whether that made this one larger.
    pub fn union(&mut self, other: &Values) -> bool {
        self.slots.iter_mut().zip(&other.slots).fold(false, |grew, (mine, theirs)| mine.union(theirs) | grew)
    }
    /// Whether the state is in the set.
    pub fn contains(&self, state: &[i64]) -> bool {
        self.slots.len() == state.len()
            && self.slots.iter().zip(state).all(|(set, value)| set.contains(*value))
    }
}
