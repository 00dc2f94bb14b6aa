//! Patterns: sets of automata, integers and clocks.

use super::Classes;
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::{ClockId, ProcessId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A set of factors.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pattern {
    /// Processes, by their locations.
    pub automata: BTreeSet<ProcessId>,
    /// Variables, arrays as a whole.
    pub integers: BTreeSet<VarId>,
    /// Clocks.
    pub clocks: BTreeSet<ClockId>,
    /// Variables of which only the class of their value is kept; of arrays, that of each element's.
    pub maps: BTreeMap<VarId, Classes>,
}

impl Pattern {
    /// Everything there is.
    pub fn all(network: &Network) -> Self {
        Self {
            automata: network.processes.ids().collect(),
            integers: network.vars.ids().collect(),
            clocks: network.clocks.ids().collect(),
            maps: BTreeMap::new(),
        }
    }
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.automata.is_empty() && self.integers.is_empty() && self.clocks.is_empty() && self.maps.is_empty()
    }
    /// Adds what is in the other. A variable that is kept is not mapped.
    pub fn add(&mut self, other: &Self) {
        self.automata.extend(&other.automata);
        self.integers.extend(&other.integers);
        self.clocks.extend(&other.clocks);
        let more = other.maps.iter().map(|(var, classes)| (*var, classes.clone()));
        self.maps.extend(more);
        self.maps.retain(|var, _| !self.integers.contains(var));
    }
    /// What is in both.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        let maps = self.maps.iter().filter(|(var, classes)| other.maps.get(var) == Some(classes));
        Self {
            automata: &self.automata & &other.automata,
            integers: &self.integers & &other.integers,
            clocks: &self.clocks & &other.clocks,
            maps: maps.map(|(var, classes)| (*var, classes.clone())).collect(),
        }
    }
    /// What is in this one only.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let maps = self.maps.iter().filter(|(var, classes)| other.maps.get(var) != Some(classes));
        Self {
            maps: maps.map(|(var, classes)| (*var, classes.clone())).collect(),
            automata: &self.automata - &other.automata,
            integers: &self.integers - &other.integers,
            clocks: &self.clocks - &other.clocks,
        }
    }

    /// The same, with whole variables in place of mapped ones.
    pub(super) fn unmapped(&self) -> Self {
        let integers = self.integers.iter().chain(self.maps.keys()).copied().collect();
        Self { integers, maps: BTreeMap::new(), ..self.clone() }
    }

    /// Adds what is never removed: the observer of the property, and all processes that may end or be started,
    /// whose number and order others can tell, with the variables that starting one sets.
    pub(super) fn insist(&mut self, network: &Network, property: &Property) {
        let layout = Layout::of_network(network);
        self.automata.extend(network.processes.ids().filter(|id| layout.mortal(*id)));
        self.automata.extend(property.observer());
        let started = |owner: ProcessId| network.processes[owner].family.is_some();
        let owned = network.vars.enumerate().filter(|(_, var)| var.owner.is_some_and(started));
        self.integers.extend(owned.map(|(id, _)| id));
        let array = |var: VarId| network.vars.get(var).is_some_and(|var| var.len.is_some());
        let unfit = self.maps.iter().filter(|(var, classes)| {
            !classes.fit(network, **var)
                || super::classes::recurs(network, **var)
                || array(**var) && super::elements::quantified(network, property, **var)
        });
        self.integers.extend(unfit.map(|(var, _)| *var).collect::<Vec<_>>());
        self.maps.retain(|var, _| !self.integers.contains(var));
    }
}
