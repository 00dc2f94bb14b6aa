//! Novelty: a state is novel if it shows a value, or a pair of values, that no state evaluated before had. A queue
//! ordered by it spreads the search over the values of the model, against plateaus of other estimates.
//!
//! Lipovetzky and Geffner, "Best-first width search", AAAI 2017. Of the clocks nothing is looked at. It says nothing of
//! distances, so it is for alternation with other heuristics.

use crate::registry::share;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::id::Id;
use beeline_program::factored::{FactId, Factored};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Pairs that are remembered.
const MOST_PAIRS: usize = 1 << 22;

/// The heuristic: 0 for a new value, 1 for a new pair of values, 2 otherwise.
#[derive(Debug)]
pub struct Novelty {
    factored: Arc<Factored>,
    pairs: bool,
    seen: Vec<bool>,
    seen_pairs: FxHashSet<(FactId, FactId)>,
    facts: Vec<FactId>,
}

impl Novelty {
    /// For a factored view; with pairs of values, or without.
    pub fn new(factored: Arc<Factored>, pairs: bool) -> Self {
        let seen = vec![false; factored.domains.facts()];
        Self { factored, pairs, seen, seen_pairs: FxHashSet::default(), facts: Vec::new() }
    }
}

impl Heuristic for Novelty {
    fn properties(&self) -> Properties {
        Properties::UNSTEADY
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let Self { factored, pairs, seen, seen_pairs, facts } = self;
        facts.clear();
        facts.extend(factored.domains.facts_in(slots));
        let mut novelty = 2;
        for (at, fact) in facts.iter().enumerate() {
            let new = !std::mem::replace(&mut seen[fact.index()], true);
            if new {
                novelty = 0;
            }
            if *pairs && seen_pairs.len() < MOST_PAIRS {
                for other in &facts[..at] {
                    if seen_pairs.insert((*other, *fact)) {
                        novelty = novelty.min(1);
                    }
                }
            }
        }
        Estimate::Steps(novelty)
    }
    fn bytes(&self) -> u64 {
        let own = self.seen.len() + self.seen_pairs.capacity() * size_of::<(FactId, FactId)>();
        own as u64 + share(&self.factored)
    }
}
