//! Downward pattern refinement: begin with everything but what is safe to leave out, and take away one element after the
//! other as long as that costs nothing, in the eyes of another, cheap heuristic (h^U) at the initial state. What is left
//! is small, and about as accurate as the whole.
//!
//! Kupferschmid and Wehrle, "Abstractions and pattern databases: the quest for succinctness and accuracy", TACAS 2011,
//! Figure 2. As printed, the search for something to take away starts anew whether or not something was found, and the
//! value to be kept is that of the whole network, which safe elements may have had a part in; here it starts anew only
//! if something was found, and the value is that of what is left without the safe ones, unless the other is asked for.

use super::{Board, Element};
use beeline_ir::limits::StopReason;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The value that must not be lost.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Reference {
    /// That without the safe elements.
    Current,
    /// That of the whole network.
    Original,
}

/// What is tried first when something is to be taken away.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// What has the most values, as in the paper.
    Largest,
    /// Integers, then automata; of each, what has the most values. An automaton that is not looked at may do anything at any
    /// time, so that there are more states of all the others: without it the pattern is smaller, but not its database.
    Integers,
}

/// The elements that are left of a board, without these safe ones from the start.
pub fn refine(
    board: &mut Board<'_>,
    safe: &BTreeSet<Element>,
    reference: Reference,
    first: Order,
) -> Result<BTreeSet<Element>, StopReason> {
    // Where the target is out of reach whatever is looked at, what it is about should show that.
    if board.relaxed(&BTreeSet::new())?.is_none() {
        return Ok(board.named_by_target());
    }
    let all: BTreeSet<Element> = board.elements.iter().copied().collect();
    let mut kept: BTreeSet<Element> = all.difference(safe).copied().collect();
    let reference = board.relaxed(match reference {
        Reference::Current => &kept,
        Reference::Original => &all,
    })?;
    let mut order: Vec<Element> = kept.iter().copied().collect();
    let last = |element: &Element| first == Order::Integers && matches!(element, Element::Automaton(_));
    order.sort_by_key(|element| (last(element), Reverse(board.values(*element)), *element));
    while let Some(at) = removable(board, &mut kept, &order, reference)? {
        order.remove(at);
    }
    Ok(kept)
}

/// The first of the elements that is not missed; it is taken away.
fn removable(
    board: &mut Board<'_>,
    kept: &mut BTreeSet<Element>,
    order: &[Element],
    reference: Option<u32>,
) -> Result<Option<usize>, StopReason> {
    for (at, element) in order.iter().enumerate() {
        kept.remove(element);
        if far(board.relaxed(kept)?) >= far(reference) {
            return Ok(Some(at));
        }
        kept.insert(*element);
    }
    Ok(None)
}

/// What is out of reach is farther than anything.
fn far(value: Option<u32>) -> u64 {
    value.map_or(u64::MAX, u64::from)
}

/// The same elements, the most useful ones first: what the target is about, and last what is taken away first if each
/// time it is what costs least, and of such the one with the most values.
pub fn by_use(board: &mut Board<'_>, mut kept: BTreeSet<Element>) -> Result<Vec<Element>, StopReason> {
    let goal = board.goal();
    let mut gone = Vec::new();
    loop {
        let mut worth = Vec::new();
        for element in kept.difference(&goal).copied().collect::<Vec<_>>() {
            kept.remove(&element);
            worth.push((far(board.relaxed(&kept)?), board.values(element), Reverse(element)));
            kept.insert(element);
        }
        let Some((.., Reverse(least))) = worth.into_iter().max() else { break };
        kept.remove(&least);
        gone.push(least);
    }
    Ok(kept.into_iter().chain(gone.into_iter().rev()).collect())
}
