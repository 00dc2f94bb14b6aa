//! Patterns: sets of automata, integers and clocks.

use beeline_ir::layout::Layout;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::{ClockId, ProcessId, VarId};
use std::collections::BTreeSet;

/// A set of factors.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pattern {
    /// Processes, by their locations.
    pub automata: BTreeSet<ProcessId>,
    /// Variables, arrays as a whole.
    pub integers: BTreeSet<VarId>,
    /// Clocks.
    pub clocks: BTreeSet<ClockId>,
}

impl Pattern {
    /// Everything there is.
    pub fn all(network: &Network) -> Self {
        Self {
            automata: network.processes.ids().collect(),
            integers: network.vars.ids().collect(),
            clocks: network.clocks.ids().collect(),
        }
    }
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.automata.is_empty() && self.integers.is_empty() && self.clocks.is_empty()
    }
    /// Adds what is in the other.
    pub fn add(&mut self, other: &Self) {
        self.automata.extend(&other.automata);
        self.integers.extend(&other.integers);
        self.clocks.extend(&other.clocks);
    }
    /// What is in both.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        Self {
            automata: &self.automata & &other.automata,
            integers: &self.integers & &other.integers,
            clocks: &self.clocks & &other.clocks,
        }
    }
    /// What is in this one only.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        Self {
            automata: &self.automata - &other.automata,
            integers: &self.integers - &other.integers,
            clocks: &self.clocks - &other.clocks,
        }
    }

    /// Adds what is never removed: the observer of the property, and all processes that may end or be started, whose
    /// number and order others can tell, with the variables that starting one sets.
    pub(super) fn insist(&mut self, network: &Network, property: &Property) {
        let layout = Layout::of_network(network);
        self.automata.extend(network.processes.ids().filter(|id| layout.mortal(*id)));
        self.automata.extend(property.observer());
        let started = |owner: ProcessId| network.processes[owner].family.is_some();
        let owned = network.vars.enumerate().filter(|(_, var)| var.owner.is_some_and(started));
        self.integers.extend(owned.map(|(id, _)| id));
    }
}
