//! The critical path heuristic h^2: how many steps it takes until no two parts of the target exclude each other. From a
//! state on, pairs of values of locations and integers become possible, layer by layer; a label adds pairs where
//! what it asks for is possible in pairs. A lower bound, for every run makes true what is in the layers; never below what
//! single values tell. Expensive: a fixpoint over all pairs for every state.
//!
//! Haslum and Geffner, "Admissible heuristics for optimal planning", AIPS 2000.
//!
//! If a step leads from a state to another, all pairs of the second are in the layer after the first: so the estimate falls
//! by no more than the step costs.

mod moves;
pub(crate) mod pairs;

use crate::factors::{Atomic, Start};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use pairs::PairLayers;

/// The heuristic.
#[derive(Debug)]
pub struct CriticalPath {
    /// None if the target may be anywhere.
    layers: Option<PairLayers>,
    mutexes: bool,
    state: Vec<usize>,
}

impl CriticalPath {
    /// For a factored view and an initial state, with about so much work for one state.
    pub fn new(
        factored: &Factored,
        start: Start<'_>,
        work: u64,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let atomic = Atomic::new(factored, start, meter)?;
        let layers = atomic.map(|atomic| PairLayers::new(&atomic, work, meter)).transpose()?;
        let made = Self { layers, mutexes: start.mutexes, state: Vec::new() };
        meter.keep(before + made.bytes());
        Ok(made)
    }
}

impl Heuristic for CriticalPath {
    fn properties(&self) -> Properties {
        Properties::LOWER_BOUND
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let Some(layers) = &mut self.layers else { return Estimate::ZERO };
        if !layers.facts.read(slots, &mut self.state) {
            // No state of the network: no search asks.
            return Estimate::ZERO;
        }
        layers.explore(&self.state).map_or(Estimate::Infinite, Estimate::Steps)
    }

    fn reads_dead_variables(&self) -> bool {
        self.mutexes
    }

    fn remark(&self) -> Option<String> {
        let layers = self.layers.as_ref()?;
        let (facts, left_out) = (layers.facts.len(), layers.left_out);
        let without = if left_out == 0 { String::new() } else { format!(", {left_out} variables left out") };
        Some(format!("pairs of {facts} values{without}"))
    }

    fn bytes(&self) -> u64 {
        self.layers.as_ref().map_or(0, PairLayers::bytes) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::testing::{STATES, atomic, states};
    use beeline_ir::limits::Limits;

    #[test]
    fn pairs_of_random_factors_are_lower_bounds_and_see_more_than_single_values() {
        let limits = Limits::default();
        let (mut exact, mut more) = (0, 0);
        for seed in 0..200 {
            let atomic = atomic(seed);
            let layers = PairLayers::new(&atomic, u64::MAX, &Meter::new(&limits)).expect("nobody stops it");
            let mut heuristic = CriticalPath { layers: Some(layers), mutexes: false, state: Vec::new() };
            for (slots, _, distance) in states(&atomic) {
                let h = heuristic.estimate(&slots).steps();
                let alone = atomic.factors.iter().zip(&slots).map(|((_, factor), value)| {
                    factor.distances(&atomic.labels)[*value as usize].unwrap_or(u32::MAX)
                });
                let (h, distance) = (h.unwrap_or(u32::MAX), distance.unwrap_or(u32::MAX));
                let alone = alone.max().unwrap_or(0);
                assert!(alone <= h && h <= distance, "{seed}: {alone} {h} {distance} at {slots:?}");
                exact += usize::from(h == distance);
                more += usize::from(h > alone);
            }
        }
        assert!(exact > 100 * STATES && more > 100, "{exact} {more}");
    }
}
