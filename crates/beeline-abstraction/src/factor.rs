//! Factors: the pieces whose values make up a discrete state. Wehrle and Helmert call each of them a
//! process.

use beeline_ir::layout::{Layout, Slot, SlotKind};
use beeline_ir::network::Network;
use beeline_ir::{ProcessId, VarId};

/// An automaton or an integer.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Factor {
    /// The location of a process.
    Automaton(ProcessId),
    /// A variable (its cell is 0) or an element of an array.
    Integer(VarId, usize),
}

impl Factor {
    /// The factor in a slot; `None` for slots that are never removed (queues, the token, numbers of processes).
    pub fn of(slot: &Slot) -> Option<Self> {
        match slot.kind {
            SlotKind::Location(process) => Some(Self::Automaton(process)),
            SlotKind::Cell(var, cell) => Some(Self::Integer(var, cell)),
            SlotKind::Pid(_) | SlotKind::QueueLength(_) | SlotKind::QueueCell(..) | SlotKind::Holder => None,
        }
    }
    /// Where its value is written down.
    pub fn slot(self, layout: &Layout) -> Option<usize> {
        match self {
            Self::Automaton(process) => Some(layout.location[process]),
            Self::Integer(var, cell) => layout.var[var].map(|first| first + cell),
        }
    }
    /// Its name.
    pub fn name(self, network: &Network) -> String {
        match self {
            Self::Automaton(process) => network.processes[process].name.clone(),
            Self::Integer(var, cell) if network.vars[var].len.is_some() => {
                format!("{}[{cell}]", network.var_name(var))
            }
            Self::Integer(var, _) => network.var_name(var),
        }
    }
}
