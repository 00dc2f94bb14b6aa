//! Approximate reachability: a set that holds all reachable states, made of small pieces (Cho, Hachtel, Macii, Plessier and
//! Somenzi, IEEE Trans. CAD 1996). Backward search stays inside of it: most of what leads to a target is out of reach, and
//! has diagrams without any structure.
//!
//! Variables are taken in blocks of neighbours that overlap. For each block there is a set of values of its bits; a step
//! adds what the conjuncts about the next values of the block allow when every block is in its own set. Where nothing is
//! added any more, the conjunction of all sets holds the initial states and what its states lead to.

use crate::bdd::{Allowance, Bdd, Bdds, Bit, Made, Renaming};
use crate::schedule::{Schedule, schedule};
use crate::system::System;
use crate::transition::Part;
use beeline_ir::limits::StopReason;
use beeline_ir::relation::RelationRole;
use rustc_hash::FxHashSet;

/// Bits of a block, unless a single variable has more: first small ones, then larger ones.
const BLOCKS: [usize; 3] = [12, 48, 192];

/// Nodes that may be made for blocks of one size.
const NODES: u64 = 1_000_000;

/// Nodes that a cluster may have.
const CLUSTER: usize = 1_000;

/// Some variables, and what values they may have.
struct Block {
    steps: Vec<Step>,
    values: Bdd,
    /// Whether values have come that others have not seen.
    fresh: bool,
}

/// What a part of the steps does to a block.
struct Step {
    schedule: Schedule,
    to_current: Renaming,
    /// The blocks that have a say in it, each with the bits that have none.
    from: Vec<(usize, Bdd)>,
}

/// A set that holds all reachable states and what its states lead to; all of the space, if it would take too long to say
/// more.
pub(crate) fn invariant(system: &System) -> Made<Bdd> {
    let b = &system.b;
    let bits: FxHashSet<Bit> = system.encoding.stored().flat_map(|place| place.current.clone()).collect();
    let mut invariant = system.space.clone();
    if system.at_no_cost.is_some() || system.transition.is_bounded() {
        // Of networks, whose steps are more than conjunctions of their parts.
        return Ok(invariant);
    }
    for size in BLOCKS {
        let before = b.allow(Allowance { nodes: Some(b.made() + NODES), until: None });
        let made = approximate(system, &bits, size);
        b.allow(before);
        match made {
            // What each of them leads to is inside of both.
            Ok(set) => invariant = b.and(&invariant, &set)?,
            // Either this was too much, or there is no work left to do.
            Err(StopReason::Work) => b.poll()?,
            Err(reason) => return Err(reason),
        }
        if size >= bits.len() {
            break;
        }
    }
    Ok(invariant)
}

fn approximate(system: &System, all: &FxHashSet<Bit>, size: usize) -> Made<Bdd> {
    let b = &system.b;
    let sets = windows(system, size);
    let mut blocks = Vec::new();
    for bits in &sets {
        let others: Vec<Bit> = all.difference(bits).copied().collect();
        let others = b.cube(&others)?;
        let values = b.exists(&system.init, &others)?;
        let steps = system
            .transition
            .parts()
            .iter()
            .map(|part| Step::new(part, bits, &sets, b))
            .collect::<Made<_>>()?;
        blocks.push(Block { steps, values, fresh: true });
    }
    // Steps that no block has a say in are taken once.
    let mut first = true;
    loop {
        let fresh: Vec<bool> = blocks.iter_mut().map(|block| std::mem::take(&mut block.fresh)).collect();
        if !fresh.contains(&true) {
            break;
        }
        for at in 0..blocks.len() {
            let mut values = blocks[at].values.clone();
            for step in &blocks[at].steps {
                if !first && !step.from.iter().any(|(from, _)| fresh[*from] || blocks[*from].fresh) {
                    continue;
                }
                let mut states = b.yes();
                for (from, cube) in &step.from {
                    states = b.and(&states, &b.exists(&blocks[*from].values, cube)?)?;
                }
                let next = b.rename(&step.schedule.product(&states, b)?, &step.to_current)?;
                values = b.or(&values, &next)?;
            }
            if values != blocks[at].values {
                (blocks[at].values, blocks[at].fresh) = (values, true);
            }
        }
        first = false;
    }
    let inside: Vec<Bdd> = blocks.into_iter().map(|block| block.values).collect();
    b.all(&inside)
}

/// Sets of neighbouring bits: each begins in the middle of the one before.
fn windows(system: &System, size: usize) -> Vec<FxHashSet<Bit>> {
    let encoding = &system.encoding;
    let places = encoding.order.iter().map(|var| &encoding.places[var.index()]);
    let places: Vec<_> = places.filter(|place| place.role != RelationRole::Input).collect();
    let mut sets: Vec<FxHashSet<Bit>> = Vec::new();
    let (mut at, mut end) = (0, 0);
    while end < places.len() {
        let mut bits = FxHashSet::default();
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

impl Step {
    fn new(part: &Part, bits: &FxHashSet<Bit>, sets: &[FxHashSet<Bit>], b: &Bdds) -> Made<Self> {
        let moving: Vec<(Bit, Bit)> =
            part.moving.iter().filter(|(current, _)| bits.contains(current)).copied().collect();
        let inside: FxHashSet<Bit> = moving.iter().map(|(_, next)| *next).collect();
        let next: FxHashSet<Bit> = part.moving.iter().map(|(_, next)| *next).collect();
        let mut conjuncts = Vec::new();
        let mut support = FxHashSet::default();
        for conjunct in &part.conjuncts {
            let read = b.support(conjunct);
            if read.iter().all(|bit| !next.contains(bit) || inside.contains(bit)) {
                support.extend(read);
                conjuncts.push(conjunct.clone());
            }
        }
        // Bits of the block that do not move are those of the next state.
        let current: FxHashSet<Bit> = part.moving.iter().map(|(current, _)| *current).collect();
        let kept = |bit: &Bit| bits.contains(bit) && !current.contains(bit);
        let mut forgotten: Vec<Bit> =
            support.iter().copied().filter(|bit| !inside.contains(bit) && !kept(bit)).collect();
        forgotten.sort_unstable();
        let mut from = Vec::new();
        for (at, set) in sets.iter().enumerate() {
            let (say, none): (Vec<Bit>, Vec<Bit>) =
                set.iter().copied().partition(|bit| support.contains(bit) || kept(bit));
            if !say.is_empty() {
                from.push((at, b.cube(&none)?));
            }
        }
        let back: Vec<(Bit, Bit)> = moving.iter().map(|(current, next)| (*next, *current)).collect();
        let schedule = schedule(&conjuncts, &forgotten, &[], CLUSTER, b)?;
        Ok(Self { schedule, to_current: b.renaming(&back)?, from })
    }
}
