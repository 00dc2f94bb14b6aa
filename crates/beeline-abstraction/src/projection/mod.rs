//! Projection of a network to a pattern: some of its automata, integers and clocks (S. Kupferschmid and M.
//! Wehrle, "Abstractions and Pattern Databases: The Quest for Succinctness and Accuracy", TACAS 2011). What is
//! left over-approximates the network: every label of the network is matched by one of the projection, or leaves
//! the kept part as it is, at no more cost. So distances in the projection are never too large, and what is out
//! of reach there is out of reach.
//!
//! It is labels that are projected, not automata. An automaton that is removed stands at one location where all
//! its edges are loops: what they do to kept integers and clocks, and whom they meet, stays.
//! - A condition over something removed becomes weaker (`approximate`). An evaluation that fails disables an
//!   edge, and a receiver that fails blocks a broadcast; so what is weaker may fail only where the original
//!   fails or is false.
//! - A value that depends on something removed becomes a select variable, over the values it may have (`update`).
//!   Within loops and functions there can be none: what is kept there needs what it depends on, and the pattern is
//!   *closed* by adding it.
//! - A receiver of a broadcast that may have been disabled may stay behind: it has another edge that does nothing.
//! - Of a variable that is mapped to classes of values, the class is kept (`classes`; of arrays, `elements`); values that
//!   nothing can tell apart are tried once (`telling`).
//! - Priorities, urgency and exclusivity hold others back, so they stay only where they are certain.
//!
//! Reading order: `cut` (what is removed, and what depends on it), `fail`, `approximate`, `slice`, `update`,
//! `edge`, `classes`, `assemble`; `joint` makes one variable of several, so that classes can look at all of them.

mod anew;
mod approximate;
mod assemble;
mod classes;
mod cut;
mod edge;
mod elements;
mod fail;
mod joint;
mod pattern;
mod slice;
mod telling;
mod update;

pub use classes::Classes;
pub use joint::Joint;
pub use pattern::Pattern;

use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::{EdgeId, IdVec, ProcessId, VarId};
use beeline_program::schema::EdgeRef;
use std::collections::BTreeSet;
use std::fmt;

/// A network projected to a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Projection {
    /// What is left. Processes, variables, clocks, channels and functions have the ids they had; edges have not.
    /// Removed processes have one location, removed variables are scalars of the range 0..0, mapped ones hold
    /// the number of a class, removed clocks are mentioned nowhere.
    pub network: Network,
    /// The property, with a weaker target. Its evaluation never fails, and is true wherever that of the original is
    /// true or fails; unless nothing was removed.
    pub property: Property,
    /// What was kept, closed.
    pub pattern: Pattern,
    /// For each slot of a state of the projection: the slot of the original that its value, or the class of its
    /// value, is from; `None` where there is none.
    pub slots: Vec<Option<usize>>,
    /// Edges of removed automata that left a committed location: they count as leaving one.
    pub committed: BTreeSet<EdgeRef>,
    /// By process, for each edge of the projection, the edges that it stands for. Those that no edge stands for do nothing
    /// to what was kept.
    pub origins: IdVec<ProcessId, IdVec<EdgeId, Vec<EdgeId>>>,
}

impl Projection {
    /// Projects a well-formed network, to what is in the pattern and what that needs.
    pub fn of(network: &Network, property: &Property, pattern: &Pattern) -> Result<Self, Unprojectable> {
        match property.kind {
            PropertyKind::NoRuntimeError => return Err(Unprojectable::RuntimeErrors),
            PropertyKind::Refused(_) => return Err(Unprojectable::Refused),
            PropertyKind::Always(_)
            | PropertyKind::Exists(_)
            | PropertyKind::NoAssertionFailure
            | PropertyKind::NeverAt(..) => {}
        }
        let all = Pattern::all(network);
        let mut pattern = Pattern { maps: pattern.maps.clone(), ..pattern.within(&all) };
        pattern.maps.retain(|var, _| all.integers.contains(var));
        pattern.insist(network, property);
        // Every round adds something, or is the last.
        while pattern != all {
            match assemble::assemble(network, property, &pattern) {
                Ok(projection) => return Ok(projection),
                Err(needs) if needs.within(&pattern) == needs => break,
                Err(needs) => pattern.add(&needs),
            }
        }
        Ok(Self::identity(network, property))
    }

    /// The state of the projection that stands for a state.
    pub fn image(&self, state: &[i64]) -> Vec<i64> {
        let layout = Layout::of_network(&self.network);
        let class =
            |var: VarId, value: i64| self.pattern.maps.get(&var).map_or(value, |map| map.class(value));
        let slots = self.slots.iter().zip(&layout.slots);
        let value = slots.map(|(from, slot)| match (from, slot.kind) {
            (None, _) => 0,
            (Some(from), SlotKind::Cell(var, _)) => class(var, state[*from]),
            (Some(from), _) => state[*from],
        });
        value.collect()
    }

    fn identity(network: &Network, property: &Property) -> Self {
        let slots = Layout::of_network(network).slots.len();
        Self {
            network: network.clone(),
            property: property.clone(),
            pattern: Pattern::all(network),
            slots: (0..slots).map(Some).collect(),
            committed: BTreeSet::new(),
            origins: network.processes.iter().map(|p| p.edges.ids().map(|id| vec![id]).collect()).collect(),
        }
    }
}

/// Why there is no projection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unprojectable {
    /// The target is a label that fails, and a projection has other failures than the network.
    RuntimeErrors,
    /// The property is refused.
    Refused,
}

impl fmt::Display for Unprojectable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RuntimeErrors => "run-time errors of a projection are not those of the network",
            Self::Refused => "the property is refused",
        })
    }
}

impl std::error::Error for Unprojectable {}
