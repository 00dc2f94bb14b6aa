//! Hill climbing in the space of patterns: begin with what the target is about, and add one element after the other that
//! has a say in the pattern's changes, each time the one that raises the estimates of most sample states, until none
//! does.
//!
//! Haslum, Botea, Helmert, Bonet, Koenig, "Domain-independent construction of pattern database heuristics for
//! cost-optimal planning", AAAI 2007; there, for collections of patterns. Samples are the ends of random walks, twice as
//! long at most as the way to the target seems to be.

use super::{Board, Element};
use crate::pattern_database::{NoDatabase, PatternDatabase};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_engine::walk::Sample;
use beeline_program::factored::causal::CausalGraph;
use std::collections::BTreeSet;

/// Samples whose estimates an element has to raise.
const LEAST: usize = 2;

/// A pattern, its database, and what that says of the samples.
struct Place {
    database: PatternDatabase,
    estimates: Vec<Estimate>,
}

impl Place {
    fn new(mut database: PatternDatabase, samples: &[Sample]) -> Self {
        let estimates = samples.iter().map(|at| database.estimate_in(&at.slots, &at.zone.view())).collect();
        Self { database, estimates }
    }
    /// Samples that are farther from the target than another place says.
    fn raises(&self, other: &Self) -> usize {
        self.estimates.iter().zip(&other.estimates).filter(|(own, other)| own > other).count()
    }
}

/// Climbs from the pattern of `kept`. Databases made on the way, of at most `most` entries each, have no more than about
/// `allowance` entries in all.
pub fn climb(
    (board, graph): (&Board<'_>, &CausalGraph),
    (mut kept, start): (BTreeSet<Element>, PatternDatabase),
    samples: &[Sample],
    (most, allowance): (usize, usize),
    make: impl Fn(&BTreeSet<Element>) -> Result<PatternDatabase, NoDatabase>,
) -> Result<PatternDatabase, NoDatabase> {
    let mut here = Place::new(start, samples);
    let mut spent = 0;
    let mut too_large = BTreeSet::new();
    loop {
        let mut best: Option<(usize, Element, Place)> = None;
        for element in neighbours(board, graph, &kept).difference(&too_large).copied().collect::<Vec<_>>() {
            if spent >= allowance {
                break;
            }
            kept.insert(element);
            match make(&kept) {
                Ok(database) => {
                    spent += database.entries().max(1);
                    let there = Place::new(database, samples);
                    let raised = there.raises(&here);
                    if raised > best.as_ref().map_or(LEAST - 1, |(raised, ..)| *raised) {
                        best = Some((raised, element, there));
                    }
                }
                Err(NoDatabase::TooLarge) => {
                    spent += most;
                    too_large.insert(element);
                }
                Err(reason) => return Err(reason),
            }
            kept.remove(&element);
        }
        let Some((_, element, there)) = best else { return Ok(here.database) };
        kept.insert(element);
        here = there;
    }
}

/// The elements that have a say in the changes of those that are kept.
fn neighbours(board: &Board<'_>, graph: &CausalGraph, kept: &BTreeSet<Element>) -> BTreeSet<Element> {
    let slots = kept.iter().flat_map(|element| board.slots(*element));
    let from = slots.flat_map(|slot| &graph.predecessors[slot]);
    let elements = from.filter_map(|(from, _)| board.element(*from));
    elements.filter(|element| !kept.contains(element)).collect()
}
