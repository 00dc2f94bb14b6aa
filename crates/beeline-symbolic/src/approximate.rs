//! Approximate reachability: sets that hold all reachable states, each about few bits (machine by machine: Cho, Hachtel,
//! Macii, Plessier and Somenzi, IEEE Trans. CAD 1996). Backward search stays inside of them: most of what leads to a
//! target is out of reach, and has diagrams without any structure. Abstractions begin where errors are, too, and
//! `invariants` has blocks of instances for these.
//!
//! Bits are taken in blocks that overlap. What values a block can reach is computed with everything else free, but for
//! what is known of the blocks it overlaps; this is repeated while more becomes known. Each set holds what the system
//! can reach, and all of them together hold what their states lead to: what was known when a set was computed is known
//! at the end, or more is. So it does not matter when the work is given up.

use crate::bdd::{Bdd, Bit, Made};
use crate::system::System;
use crate::transition::Steps;
use beeline_ir::relation::RelationRole;
use rustc_hash::FxHashSet;

/// Bits that are looked at together.
pub(crate) type Block = FxHashSet<Bit>;

/// Bits of a block of neighbours, unless a single variable has more: first small ones, then larger ones.
const BLOCKS: [usize; 3] = [12, 48, 192];

/// Nodes that may be made for blocks of one size: few at first, for others may tell more for less.
const NODES: [u64; 2] = [100_000, 900_000];

/// Rounds over all blocks at most.
const ROUNDS: usize = 16;

/// A set that holds all reachable states and what its states lead to, from blocks of neighbours. There is no need for more
/// once it holds no target.
pub(crate) fn invariant(system: &System) -> Made<Bdd> {
    let b = &system.b;
    let bits = system.encoding.stored().map(|place| place.current.len()).sum();
    let small = BLOCKS.iter().filter(|size| **size < bits).count();
    let sizes = BLOCKS.iter().take(small + 1);
    let mut all: Vec<_> = sizes.map(|size| Approximation::new(system, neighbours(system, *size))).collect();
    let mut invariant = system.space.clone();
    for nodes in NODES {
        for approximation in &mut all {
            b.within(nodes, None, || approximation.run())?;
            // What each of them leads to is inside of all.
            for set in approximation.sets() {
                invariant = b.and(&invariant, &set)?;
            }
            if b.is_no(&b.and(&invariant, &system.target)?) {
                return Ok(invariant);
            }
        }
    }
    Ok(invariant)
}

/// What values blocks may have in reachable states, as far as it was worked out.
pub(crate) struct Approximation<'s> {
    system: &'s System,
    blocks: Vec<Block>,
    known: Vec<Known>,
    /// How often it is still the turn of each block.
    rounds: usize,
}

/// What is known of a block.
#[derive(Clone)]
struct Known {
    values: Option<Bdd>,
    /// Something more is known around it.
    due: bool,
}

impl<'s> Approximation<'s> {
    pub fn new(system: &'s System, blocks: Vec<Block>) -> Self {
        let known = vec![Known { values: None, due: true }; blocks.len()];
        Self { system, blocks, known, rounds: ROUNDS }
    }
    /// Works on from where it was stopped, to the end.
    pub fn run(&mut self) -> Made<()> {
        while self.rounds > 0 && self.known.iter().any(|known| known.due) {
            for at in 0..self.blocks.len() {
                if self.known[at].due {
                    self.extend(at)?;
                }
            }
            self.rounds -= 1;
        }
        Ok(())
    }
    /// What is known so far. Together these sets hold what their states lead to.
    pub fn sets(&self) -> Vec<Bdd> {
        self.known.iter().filter_map(|known| known.values.clone()).collect()
    }
    /// Computes what a block can reach, with what is known of those it overlaps.
    fn extend(&mut self, at: usize) -> Made<()> {
        let Self { system, blocks, known, .. } = self;
        let b = &system.b;
        let block = &blocks[at];
        let overlapping: Vec<usize> =
            (0..blocks.len()).filter(|other| !blocks[*other].is_disjoint(block)).collect();
        let around: Vec<Bdd> = overlapping.iter().filter_map(|other| known[*other].values.clone()).collect();
        let stored = system.encoding.stored().flat_map(|place| place.current.iter().copied());
        let mut hidden: Vec<Bit> = stored.filter(|bit| !block.contains(bit)).collect();
        hidden.sort_unstable();
        let steps = system.steps().map(|steps| {
            let (changing, _) = steps.changing(|bit| block.contains(&bit));
            steps.hiding_forward(&changing, &hidden, &around, b)
        });
        let steps = steps.collect::<Made<Vec<Steps>>>()?;
        let cube = b.cube(&hidden)?;
        let (space, mut reached) = (b.exists(&system.space, &cube)?, b.exists(&system.init, &cube)?);
        let mut last = reached.clone();
        while !b.is_no(&last) {
            let image = steps.iter().try_fold(b.no(), |all, steps| b.or(&all, &steps.image(&last, b)?))?;
            last = b.minus(&b.and(&image, &space)?, &reached)?;
            reached = b.or(&reached, &last)?;
        }
        b.tidy();
        known[at].due = false;
        if known[at].values.as_ref() != Some(&reached) {
            known[at].values = Some(reached);
            overlapping.into_iter().filter(|other| *other != at).for_each(|other| known[other].due = true);
        }
        Ok(())
    }
}

/// Blocks of neighbouring bits: each begins in the middle of the one before.
fn neighbours(system: &System, size: usize) -> Vec<Block> {
    let encoding = &system.encoding;
    let places = encoding.order.iter().map(|var| &encoding.places[var.index()]);
    let places: Vec<_> = places.filter(|place| place.role != RelationRole::Input).collect();
    let mut sets: Vec<Block> = Vec::new();
    let (mut at, mut end) = (0, 0);
    while end < places.len() {
        let mut bits = Block::default();
        let mut middle = at + 1;
        end = at;
        while end < places.len() && (end == at || bits.len() + places[end].current.len() <= size) {
            bits.extend(places[end].current.iter().copied());
            end += 1;
            if bits.len() <= size / 2 {
                middle = end;
            }
        }
        sets.push(bits);
        at = middle.max(at + 1);
    }
    sets
}
