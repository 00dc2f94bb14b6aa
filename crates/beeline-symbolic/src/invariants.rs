//! What is known of all reachable states, from a look at pairs of instances of which one has a say in the other: the sets
//! that `approximate` makes of these. Abstractions begin where errors are, not where a system begins, and
//! without this most of what they see is impossible.

use crate::approximate::{Approximation, Block};
use crate::bdd::{Bdd, Made};
use crate::system::System;
use beeline_ir::relation::RelationRole;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that all that is known may have together.
const MOST_NODES: usize = 20_000;

/// Sets that hold all reachable states, and together hold what their states lead to.
pub(crate) struct Known {
    pub sets: Vec<Bdd>,
    /// What is in all of them, or of as many as have a diagram that is not too large.
    pub together: Bdd,
}

impl Known {
    pub fn new(sets: Vec<Bdd>, system: &System) -> Made<Self> {
        let b = &system.b;
        let mut together = b.yes();
        for set in &sets {
            let smaller = b.and(&together, set)?;
            if b.size(&smaller) <= MOST_NODES {
                together = smaller;
            }
        }
        Ok(Self { sets, together })
    }
}

/// Bits of a block at most.
const MOST_BITS: usize = 24;

/// What is known of all reachable states, for so many nodes.
pub(crate) fn find(system: &System, nodes: u64) -> Made<Vec<Bdd>> {
    let mut approximation = begin(system);
    system.b.within(nodes, None, || approximation.run())?;
    Ok(approximation.sets())
}

/// The work of finding that out.
pub(crate) fn begin(system: &System) -> Approximation<'_> {
    Approximation::new(system, blocks(system))
}

/// The instance that a variable belongs to.
pub(crate) fn instance(variable: &str) -> &str {
    variable.rfind('.').map_or("", |dot| &variable[..dot])
}

/// Pairs of instances of which one has a say in the other, and those in no pair, as far as they have few bits.
fn blocks(system: &System) -> Vec<Block> {
    let mut instances: BTreeMap<&str, Block> = BTreeMap::new();
    let mut owners = vec![None; system.encoding.bits as usize];
    let places = system.encoding.places.iter().zip(&system.names);
    for (place, name) in places.filter(|(place, _)| place.role != RelationRole::Input) {
        instances.entry(instance(name)).or_default().extend(&place.current);
        for bit in place.current.iter().chain(&place.next) {
            owners[*bit as usize] = Some(instance(name));
        }
    }
    let mut pairs: BTreeSet<(&str, &str)> = BTreeSet::new();
    for bits in system.steps().flat_map(|steps| steps.supports(&system.b)) {
        let homes: BTreeSet<&str> = bits.into_iter().filter_map(|bit| owners[bit as usize]).collect();
        pairs.extend(homes.iter().flat_map(|a| homes.iter().filter(move |b| a < b).map(move |b| (*a, *b))));
    }
    let paired: BTreeSet<&str> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let alone = instances.keys().filter(|name| !paired.contains(*name)).map(|name| (*name, *name));
    let blocks = pairs.iter().copied().chain(alone);
    let blocks = blocks.map(|(a, b)| instances[a].union(&instances[b]).copied().collect());
    blocks.filter(|block: &Block| block.len() <= MOST_BITS).collect()
}
