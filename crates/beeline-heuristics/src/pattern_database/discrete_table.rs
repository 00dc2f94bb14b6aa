//! Distances of discrete states, a byte each. Where the pattern's domains have few enough values in all, a state is found
//! by its rank among all combinations; otherwise by its hash among those that can be reached.

use super::estimate;
use beeline_engine::graph::{Distance, States};
use beeline_engine::heuristic::Estimate;
use beeline_engine::state::interner::{DiscreteId, Interner};
use beeline_engine::state::packing::Packer;
use beeline_ir::expr::Range;

/// Combinations that are ranked in any case.
const FEW: u64 = 1 << 16;
/// Combinations that may be ranked for each state that can be reached; a hash table takes about as much.
const SPARSE: u64 = 16;

/// A distance in a byte.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Byte(u8);

impl Byte {
    /// The state cannot be reached in the projection.
    const UNSEEN: Self = Self(u8::MAX);
    /// The target is out of reach.
    const INFINITE: Self = Self(u8::MAX - 1);

    /// A distance; where it is too large, one that is not too large.
    fn new(distance: Distance) -> Self {
        let fits = |steps: u32| Self(steps.min(u32::from(u8::MAX - 2)) as u8);
        distance.steps().map_or(Self::INFINITE, fits)
    }
    fn steps(self) -> Option<u32> {
        (self != Self::INFINITE).then_some(self.0.into())
    }
}

/// How states are found.
#[derive(Debug)]
enum Index {
    /// By rank: slot, least value, and what a step of it counts for. Slots with one value have no part in it.
    Perfect(Vec<(usize, i64, usize)>),
    /// By hash.
    Hashed(Packer, Interner, Vec<u64>),
}

/// The table.
#[derive(Debug)]
pub(super) struct DiscreteTable {
    index: Index,
    bytes: Vec<Byte>,
    reached: usize,
    ranges: Vec<Range>,
    /// Look-ups of states that the projection does not have.
    pub(super) unseen: u64,
}

impl DiscreteTable {
    /// The table of a graph's states, whose slots have those ranges.
    pub(super) fn new(states: States, distances: &[Distance], ranges: Vec<Range>) -> Self {
        let reached = states.nodes.len();
        let States { packer, interner, nodes, .. } = states;
        let mut combinations = 1u64;
        let mut factors = Vec::new();
        for (slot, range) in ranges.iter().enumerate().filter(|(_, range)| range.size() > 1) {
            factors.push((slot, range.lo, combinations as usize));
            combinations =
                u64::try_from(range.size()).map_or(u64::MAX, |size| combinations.saturating_mul(size));
        }
        if combinations > FEW.max(SPARSE * reached as u64) {
            let mut bytes = vec![Byte::UNSEEN; interner.len()];
            for node in &nodes {
                bytes[node.discrete.index()] = Byte::new(distances[node.number]);
            }
            return Self {
                index: Index::Hashed(packer, interner, Vec::new()),
                bytes,
                reached,
                ranges,
                unseen: 0,
            };
        }
        let mut bytes = vec![Byte::UNSEEN; combinations as usize];
        let mut slots = Vec::new();
        for node in &nodes {
            packer.unpack(interner.get(node.discrete), &mut slots);
            bytes[rank(&factors, &slots)] = Byte::new(distances[node.number]);
        }
        Self { index: Index::Perfect(factors), bytes, reached, ranges, unseen: 0 }
    }

    pub(super) fn entries(&self) -> usize {
        self.reached
    }

    /// The estimate for a state.
    pub(super) fn look_up(&mut self, slots: &[i64]) -> Estimate {
        let byte = match &mut self.index {
            Index::Perfect(factors) => self.bytes[rank(factors, slots)],
            Index::Hashed(packer, interner, words) => {
                packer.pack(slots, words);
                interner.find(Interner::code(words), words).map_or(Byte::UNSEEN, |id| self.bytes[id.index()])
            }
        };
        if byte == Byte::UNSEEN {
            // Not reachable in the projection, so not in the network: no search asks.
            self.unseen += 1;
            return Estimate::ZERO;
        }
        estimate(byte.steps())
    }

    /// Shows all entries, until someone has seen enough; false then.
    pub(super) fn all(&self, mut show: impl FnMut(&[i64], Estimate) -> bool) -> bool {
        let mut slots: Vec<i64> = self.ranges.iter().map(|range| range.lo).collect();
        self.bytes.iter().enumerate().filter(|(_, byte)| **byte != Byte::UNSEEN).all(|(at, byte)| {
            match &self.index {
                Index::Perfect(factors) => {
                    let mut rest = at;
                    for (slot, lo, weight) in factors.iter().rev() {
                        slots[*slot] = lo + (rest / weight) as i64;
                        rest %= weight;
                    }
                }
                Index::Hashed(packer, interner, _) => {
                    packer.unpack(interner.get(DiscreteId::at(at)), &mut slots)
                }
            }
            show(&slots, estimate(byte.steps()))
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        let index = match &self.index {
            Index::Perfect(_) => 0,
            Index::Hashed(_, interner, _) => interner.bytes(),
        };
        index + self.bytes.len() as u64
    }
}

#[inline]
fn rank(factors: &[(usize, i64, usize)], slots: &[i64]) -> usize {
    factors.iter().map(|(slot, lo, weight)| (slots[*slot] - lo) as usize * weight).sum()
}
