//! Shrinking by bisimulation: states that can do the same, by the same labels, become one. Then nothing is lost: all
//! distances stay, in all products with other factors. The partition starts with the distances and is refined near the
//! goal first; where it would become larger than allowed, blocks far from the goal stay as coarse as they are.
//!
//! Greedy bisimulation tells states apart only by what they can do on a shortest way: the distances in the factor stay,
//! those in products may not.
//!
//! Nissim, Hoffmann and Helmert, "Computing perfect heuristics in polynomial time: on bisimulation and merge-and-shrink
//! abstraction in optimal planning", IJCAI 2011.

use crate::factors::{Factor, Labels, Neighbours, State, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use rustc_hash::FxHasher;
use std::collections::BTreeSet;
use std::hash::Hasher;

/// What transitions tell states apart.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shrinking {
    /// All of them.
    Bisimulation,
    /// Those on shortest ways to the goal.
    Greedy,
}

/// What states become, and whether anything is lost.
pub(super) struct Partition {
    /// The block of each state.
    pub(super) block_of: Vec<State>,
    /// Whether it is a bisimulation.
    pub(super) exact: bool,
    /// Whether all distances in the factor stay.
    pub(super) faithful: bool,
}

/// A partition in so many blocks at most: a bisimulation, greedy or not, if there is one as small as that.
pub(super) fn partition(
    factor: &Factor,
    labels: &Labels,
    (shrinking, most): (Shrinking, usize),
    meter: &Meter<'_>,
) -> Result<Partition, StopReason> {
    let distances = factor.distances(labels);
    let mut refinement = Refinement::new((factor, labels), &distances, (shrinking, most));
    let mut parts: Vec<(u64, State)> = Vec::new();
    let mut signature = Vec::new();
    while let Some((_, block)) = refinement.open.pop_first() {
        parts.clear();
        for state in &refinement.blocks[block.index()] {
            signature.clear();
            signature.extend(
                refinement.out.of(*state).iter().map(|(group, to)| (*group, refinement.block_of[to.index()])),
            );
            signature.sort_unstable();
            signature.dedup();
            // Where two have the same number, states stay together that should not: that is coarser, not wrong. This
            // hash does not notice leading zeros.
            let mut hasher = FxHasher::default();
            hasher.write_usize(1 + signature.len());
            for (group, block) in &signature {
                hasher.write_u32(*group);
                hasher.write_u32(block.0);
            }
            parts.push((hasher.finish(), *state));
            meter.work(8 + 4 * signature.len() as u64)?;
        }
        parts.sort_unstable();
        refinement.split(block, &parts, most);
    }
    let Refinement { block_of, blocks, complete, .. } = refinement;
    let exact = complete && (shrinking == Shrinking::Bisimulation || blocks.len() == factor.states());
    Ok(Partition { block_of, exact, faithful: complete })
}

/// A partition that becomes finer.
struct Refinement {
    block_of: Vec<State>,
    blocks: Vec<Vec<State>>,
    /// Distance of the states of a block: those near the goal come first.
    rank: Vec<usize>,
    /// Blocks that may have to be split.
    open: BTreeSet<(usize, State)>,
    out: Neighbours,
    into: Neighbours,
    /// Whether nothing was left together for want of room.
    complete: bool,
}

impl Refinement {
    fn new(
        (factor, labels): (&Factor, &Labels),
        distances: &[Option<u32>],
        (shrinking, most): (Shrinking, usize),
    ) -> Self {
        let states = factor.states();
        let key = |state: usize| (distances[state], !factor.goal[state]);
        let keys: BTreeSet<(Option<u32>, bool)> = (0..states).map(key).collect();
        let keys: Vec<(Option<u32>, bool)> = keys.into_iter().collect();
        let coarsest = keys.len().min(most.max(1));
        let mut blocks = vec![Vec::new(); coarsest];
        let mut block_of = Vec::with_capacity(states);
        for state in 0..states {
            let block = keys.partition_point(|other| *other < key(state)).min(coarsest - 1);
            blocks[block].push(State::new(state));
            block_of.push(State::new(block));
        }
        let open = (0..coarsest).map(|block| (block, State::new(block))).collect();
        // Labels that leave every state as it is tell no two states apart.
        let irrelevant = factor.irrelevant();
        // Whether there are labels that cost nothing, and such that cost a step.
        let mut costs = vec![[false; 2]; factor.groups.len()];
        live(labels)
            .for_each(|(label, cost)| costs[factor.group_of[label] as usize][usize::from(cost)] = true);
        let shortest = |group: usize, (from, to): Transition| {
            let (Some(from), Some(to)) = (distances[from.index()], distances[to.index()]) else {
                return false;
            };
            (from == to && costs[group][0]) || (from == to + 1 && costs[group][1])
        };
        let counts = |group: usize, transition: Transition| match shrinking {
            Shrinking::Bisimulation => !irrelevant[group],
            Shrinking::Greedy => !irrelevant[group] && shortest(group, transition),
        };
        let out = Neighbours::new(factor, counts, |transition| transition);
        let into = Neighbours::new(factor, counts, |(from, to)| (to, from));
        let complete = coarsest == keys.len();
        Self { block_of, blocks, rank: (0..coarsest).collect(), open, out, into, complete }
    }

    /// Splits a block by numbers; the largest part keeps the name. Those who lead to the others have changed.
    fn split(&mut self, block: State, parts: &[(u64, State)], most: usize) {
        let same = |a: &(u64, State), b: &(u64, State)| a.0 == b.0;
        let number = parts.chunk_by(same).count();
        if number < 2 {
            return;
        }
        if self.blocks.len() + number - 1 > most {
            self.complete = false;
            return;
        }
        let chunks = parts.chunk_by(same).enumerate();
        let largest = chunks.max_by_key(|(at, part)| (part.len(), std::cmp::Reverse(*at))).map(|(at, _)| at);
        let rank = self.rank[block.index()];
        for (at, part) in parts.chunk_by(same).enumerate() {
            let states: Vec<State> = part.iter().map(|(_, state)| *state).collect();
            if Some(at) == largest {
                self.blocks[block.index()] = states;
                continue;
            }
            let new = State::new(self.blocks.len());
            states.iter().for_each(|state| self.block_of[state.index()] = new);
            self.blocks.push(states);
            self.rank.push(rank);
        }
        let moved = parts.iter().map(|(_, state)| *state);
        for state in moved.filter(|state| self.block_of[state.index()] != block) {
            for (_, from) in self.into.of(state) {
                let block = self.block_of[from.index()];
                if self.blocks[block.index()].len() > 1 {
                    self.open.insert((self.rank[block.index()], block));
                }
            }
        }
    }
}
