//! The cone of influence by layers: what the target is about, then what that depends on, and so on, as far as the size
//! of the database allows.
//!
//! h^coi in Kupferschmid and Wehrle, "Abstractions and pattern databases", TACAS 2011.

use super::{Board, Element};
use beeline_program::factored::causal::CausalGraph;
use std::collections::{BTreeMap, BTreeSet};

/// The elements that these depend on, layer by layer, as far as there is a way to them without some others; within a
/// layer, those with the most labels behind the dependency first.
pub fn layers(
    board: &Board<'_>,
    graph: &CausalGraph,
    first: &BTreeSet<Element>,
    others: &BTreeSet<Element>,
) -> Vec<Vec<Element>> {
    let mut seen = first | others;
    let mut layers = vec![first.iter().copied().collect::<Vec<_>>()];
    loop {
        let mut weights: BTreeMap<Element, u64> = BTreeMap::new();
        for element in layers.iter().rev().take(1).flatten() {
            for (from, weight) in board.slots(*element).flat_map(|slot| &graph.predecessors[slot]) {
                if let Some(from) = board.element(*from).filter(|from| !seen.contains(from)) {
                    *weights.entry(from).or_default() += u64::from(*weight);
                }
            }
        }
        if weights.is_empty() {
            return layers;
        }
        let mut layer: Vec<Element> = weights.keys().copied().collect();
        layer.sort_by_key(|element| (std::cmp::Reverse(weights[element]), *element));
        seen.extend(&layer);
        layers.push(layer);
    }
}
