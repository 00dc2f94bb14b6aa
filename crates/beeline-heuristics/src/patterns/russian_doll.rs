//! The Russian doll: a smaller instance of the same problem, with what is far from the error left out. The pattern is
//! what a relaxed trace from the initial state asks about: the automata, integers and clocks that its labels and the
//! target read.
//!
//! Kupferschmid, Hoffmann, Larsen, "Fast directed model checking via Russian doll abstraction", TACAS 2008. The details
//! are not in the abstract; if the pattern is too large, what is asked about farthest from the error is left out first.

use super::{Board, Element};
use beeline_ir::ClockId;
use beeline_ir::limits::StopReason;
use std::collections::{BTreeMap, BTreeSet};

/// The elements of the pattern, those nearest to the error first, and its clocks.
pub fn doll(board: &mut Board<'_>) -> Result<(Vec<Element>, BTreeSet<ClockId>), StopReason> {
    let all: BTreeSet<Element> = board.elements.iter().copied().collect();
    let mut distance: BTreeMap<Element, u32> = board.goal().into_iter().map(|element| (element, 0)).collect();
    let mut clocks = board.clocks_of(&BTreeSet::new());
    if board.relaxed(&all)?.is_some() {
        let labels = board.trace().labels.clone();
        let last = labels.iter().map(|(_, layer)| layer + 1).max().unwrap_or(0);
        let factored = board.factored();
        for (label, layer) in labels {
            let actions = factored.actions.iter().filter(|action| action.label == label);
            let slots = actions.flat_map(|action| action.needs.iter().map(|cond| factored.cond(*cond).slot));
            for element in slots.filter_map(|slot| board.element(slot)) {
                let nearest = distance.entry(element).or_insert(u32::MAX);
                *nearest = (*nearest).min(last - layer);
            }
            for (process, edge) in &factored.label(label).edges {
                let guard = &board.network.processes[*process].edges[*edge].clock_guard;
                clocks.extend(guard.iter().flat_map(|atom| std::iter::once(atom.left).chain(atom.right)));
            }
        }
    }
    let mut elements: Vec<(u32, Element)> = distance.into_iter().map(|(e, d)| (d, e)).collect();
    elements.sort_unstable();
    let elements: Vec<Element> = elements.into_iter().map(|(_, element)| element).collect();
    clocks.extend(board.clocks_of(&elements.iter().copied().collect()));
    Ok((elements, clocks))
}
