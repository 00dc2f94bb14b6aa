//! The estimate that the model's author wrote: the value of a variable named `heur`, as in UPPAAL CORA (Behrmann, Larsen and
//! Rasmussen, "Optimal scheduling using priced timed automata", 2005). Nothing is promised of it.

use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;

/// The heuristic.
#[derive(Debug)]
pub struct Cora {
    slot: usize,
}

impl Cora {
    /// For a network with such a variable: a scalar of that name that belongs to no process.
    pub fn new(network: &Network, name: &str) -> Result<Self, String> {
        let layout = Layout::of_network(network);
        let found = network.vars.enumerate().find(|(_, var)| var.name == name && var.len.is_none());
        let slot = found.and_then(|(var, _)| layout.var[var]);
        slot.map(|slot| Self { slot }).ok_or_else(|| {
            format!(
                "the model has no integer variable named `{name}`; declare one, or name another with `var=`"
            )
        })
    }
}

impl Heuristic for Cora {
    fn properties(&self) -> Properties {
        Properties::NOTHING
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        Estimate::Steps(u32::try_from(slots[self.slot].max(0)).unwrap_or(u32::MAX))
    }
}
