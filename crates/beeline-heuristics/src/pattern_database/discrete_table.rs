//! Distances of discrete states, a byte each. Where the pattern's domains have few enough values in all, a state is found
//! by its rank among all combinations; otherwise by its hash among those that can be reached.

use super::estimate;
use super::file::{Saved, Sink};
use super::mapped::Mapped;
use beeline_engine::graph::{Distance, States};
use beeline_engine::heuristic::Estimate;
use beeline_engine::state::interner::{DiscreteId, Interner};
use beeline_engine::state::packing::Packer;
use beeline_ir::expr::Range;
use std::io;
use std::ops::Deref;

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
    /// By rank.
    Perfect(Factors),
    /// By hash.
    Hashed(Packer, Interner, Vec<u64>),
}

/// By rank: slot, least value, and what a step of it counts for. Slots with one value have no part in it.
type Factors = Vec<(usize, i64, usize)>;

/// Bytes of distances, in memory or in a file.
#[derive(Debug)]
enum Bytes {
    Own(Vec<u8>),
    Mapped(Mapped, std::ops::Range<usize>),
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Mapped(bytes, extent) => &bytes[extent.clone()],
        }
    }
}

/// The mark of a table by rank in a file.
const PERFECT: u8 = 0;
/// The mark of a table by hash.
const HASHED: u8 = 1;

/// The table.
#[derive(Debug)]
pub(super) struct DiscreteTable {
    index: Index,
    bytes: Bytes,
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
        let (factors, combinations) = factors(&ranges);
        if combinations > FEW.max(SPARSE * reached as u64) {
            let mut bytes = vec![Byte::UNSEEN.0; interner.len()];
            for node in &nodes {
                bytes[node.discrete.index()] = Byte::new(distances[node.number]).0;
            }
            let index = Index::Hashed(packer, interner.compact(), Vec::new());
            return Self { index, bytes: Bytes::Own(bytes), reached, ranges, unseen: 0 };
        }
        let mut bytes = vec![Byte::UNSEEN.0; combinations as usize];
        let mut slots = Vec::new();
        for node in &nodes {
            packer.unpack(interner.get(node.discrete), &mut slots);
            bytes[rank(&factors, &slots)] = Byte::new(distances[node.number]).0;
        }
        Self { index: Index::Perfect(factors), bytes: Bytes::Own(bytes), reached, ranges, unseen: 0 }
    }

    /// Writes the table to a file.
    pub(super) fn write(&self, sink: &mut Sink) -> io::Result<()> {
        match &self.index {
            Index::Perfect(_) => sink.put(&[PERFECT])?,
            Index::Hashed(_, interner, _) => {
                sink.put(&[HASHED])?;
                sink.states(interner)?;
            }
        }
        sink.put(&self.bytes)
    }

    /// The table of a file, whose slots have those ranges.
    pub(super) fn read(saved: Saved, ranges: Vec<Range>) -> Result<Self, String> {
        let mut body = saved.body();
        let form = body.byte()?;
        let (index, length) = match form {
            PERFECT => {
                let (factors, combinations) = factors(&ranges);
                (Index::Perfect(factors), usize::try_from(combinations).map_err(|_| WRONG_SIZE)?)
            }
            HASHED => {
                let packer = Packer::new(ranges.iter().copied());
                let interner = body.states(&packer, &ranges, 1)?;
                let length = interner.len();
                (Index::Hashed(packer, interner, Vec::new()), length)
            }
            _ => return Err("it has a table of an unknown form".to_string()),
        };
        let bytes = body.take(length)?;
        body.end()?;
        let reached = bytes.iter().filter(|byte| **byte != Byte::UNSEEN.0).count();
        let bytes = match form {
            PERFECT => {
                let (bytes, extent) = saved.into_last(length);
                Bytes::Mapped(bytes, extent)
            }
            _ => Bytes::Own(bytes.to_vec()),
        };
        Ok(Self { index, bytes, reached, ranges, unseen: 0 })
    }

    pub(super) fn entries(&self) -> usize {
        self.reached
    }

    /// The estimate for a state that can be reached in the projection.
    pub(super) fn known(&mut self, slots: &[i64]) -> Option<Estimate> {
        let at = match &mut self.index {
            Index::Perfect(factors) => Some(rank(factors, slots)),
            Index::Hashed(packer, interner, words) => {
                packer.pack(slots, words);
                interner.find(Interner::code(words), words).map(DiscreteId::index)
            }
        };
        let byte = Byte(self.bytes[at?]);
        (byte != Byte::UNSEEN).then(|| estimate(byte.steps()))
    }

    /// The estimate for a state.
    pub(super) fn look_up(&mut self, slots: &[i64]) -> Estimate {
        self.known(slots).unwrap_or_else(|| {
            // Not reachable in the projection, so not in the network: no search asks.
            self.unseen += 1;
            Estimate::ZERO
        })
    }

    /// Shows all entries, until someone has seen enough; false then.
    pub(super) fn all(&self, mut show: impl FnMut(&[i64], Estimate) -> bool) -> bool {
        let mut slots: Vec<i64> = self.ranges.iter().map(|range| range.lo).collect();
        let bytes = self.bytes.iter().map(|byte| Byte(*byte)).enumerate();
        bytes.filter(|(_, byte)| *byte != Byte::UNSEEN).all(|(at, byte)| {
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

const WRONG_SIZE: &str = "its table has another size";

/// What ranks are made of, and how many there are.
fn factors(ranges: &[Range]) -> (Factors, u64) {
    let mut combinations = 1u64;
    let mut factors = Vec::new();
    for (slot, range) in ranges.iter().enumerate().filter(|(_, range)| range.size() > 1) {
        factors.push((slot, range.lo, combinations as usize));
        combinations = u64::try_from(range.size()).map_or(u64::MAX, |size| combinations.saturating_mul(size));
    }
    (factors, combinations)
}

#[inline]
fn rank(factors: &[(usize, i64, usize)], slots: &[i64]) -> usize {
    factors.iter().map(|(slot, lo, weight)| (slots[*slot] - lo) as usize * weight).sum()
}
