//! The nodes of a shard where nothing but hashes is kept of states that have been expanded.
//!
//! *Hash compaction* keeps 64 bits of every state, and how it was reached. *Bit-state hashing* keeps a few bits in an
//! array, and nodes only as long as a state waits or descends from them: enough to follow a run back. The state itself
//! is kept while it waits. Two states with the same hash are taken for one, so nothing is ever proved; how many may
//! have been missed is estimated. Zones are compared by equality: a hash says nothing of inclusion.
//!
//! Wolper and Leroy, Reliable hashing without collision detection, CAV 1993; Holzmann, An analysis of bitstate hashing,
//! PSTV 1995.

use super::node::NodeId;
use super::{Arrival, Covering};
use crate::state::fingerprint::Fingerprint;
use beeline_zones::Bound;
use hashbrown::HashTable;
use std::num::NonZeroU32;

/// What is kept of states that have been expanded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Hashing {
    /// 64 bits of each.
    Compaction,
    /// Some bits of an array.
    Bits {
        /// Bytes of the array of all shards together.
        bytes: u64,
        /// Bits for each state.
        hashes: u32,
    },
}

/// A node.
#[derive(Copy, Clone, Debug)]
pub(super) struct HashedNode {
    /// The hash of its state.
    code: u64,
    pub g: u32,
    pub parent: Option<NodeId>,
    /// Where its state is, while it waits.
    place: Option<NonZeroU32>,
    /// Nodes that were reached from it and are still there; counted only with bit-state hashing.
    children: u32,
}

/// Who has been seen.
#[derive(Debug)]
enum SeenStates {
    /// Positions of nodes, by their hashes.
    Codes(HashTable<u32>),
    Bits {
        array: Vec<u64>,
        hashes: u32,
        /// How many are set.
        set: u64,
        /// Nodes whose places may be used again.
        free: Vec<u32>,
    },
}

/// All nodes of a shard.
#[derive(Debug)]
pub(super) struct Hashed {
    covering: Covering,
    nodes: Vec<HashedNode>,
    seen: SeenStates,
    /// States that wait, in places of equal size, and their zones.
    words: Vec<u64>,
    zones: Vec<Vec<Bound>>,
    width: usize,
    vacant: Vec<NonZeroU32>,
    /// Parents of nodes that were added since they were counted.
    pub born: Vec<NodeId>,
    /// States that were added.
    pub stored: u64,
    /// How many states were probably taken for others.
    pub omitted: f64,
}

impl Hashed {
    pub fn new(hashing: Hashing, covering: Covering, width: usize, shards: usize) -> Self {
        let seen = match hashing {
            Hashing::Compaction => SeenStates::Codes(HashTable::new()),
            Hashing::Bits { bytes, hashes } => {
                let words = usize::try_from(bytes / 8).unwrap_or(usize::MAX) / shards;
                SeenStates::Bits { array: vec![0; words.max(1)], hashes, set: 0, free: Vec::new() }
            }
        };
        Self {
            covering,
            nodes: Vec::new(),
            seen,
            words: Vec::new(),
            zones: Vec::new(),
            width,
            vacant: Vec::new(),
            born: Vec::new(),
            stored: 0,
            omitted: 0.0,
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, index: usize) -> &HashedNode {
        &self.nodes[index]
    }

    pub fn waits(&self, index: usize) -> bool {
        self.nodes[index].place.is_some()
    }

    /// Whether a node waits that was reached from another.
    pub fn is_passing(&self, index: usize) -> bool {
        self.nodes[index].parent.is_some() && self.waits(index)
    }

    /// Whether a state with that hash is the node's.
    pub fn is(&self, index: usize, print: Fingerprint) -> bool {
        self.nodes[index].code == print.code
    }

    /// Whether a state counts as seen.
    pub fn covers(&self, arrival: &Arrival<'_>) -> bool {
        self.covers_print(Fingerprint::of(arrival.words, arrival.zone), arrival.g)
    }

    fn covers_print(&self, print: Fingerprint, g: u32) -> bool {
        match &self.seen {
            SeenStates::Codes(_) => {
                self.find(print.code).is_some_and(|index| self.covering.allows(self.nodes[index].g, g))
            }
            SeenStates::Bits { array, hashes, .. } => {
                places(print, *hashes, array.len()).all(|(word, bit)| array[word] & bit != 0)
            }
        }
    }

    fn find(&self, code: u64) -> Option<usize> {
        let SeenStates::Codes(table) = &self.seen else { return None };
        table.find(code, |index| self.nodes[*index as usize].code == code).map(|index| *index as usize)
    }

    /// Adds a state unless it counts as seen; its position.
    pub fn insert(&mut self, arrival: &Arrival<'_>) -> Option<usize> {
        let print = Fingerprint::of(arrival.words, arrival.zone);
        if self.covers_print(print, arrival.g) {
            return None;
        }
        if let Some(index) = self.find(print.code) {
            // Reached in fewer steps: it waits again, if it does not wait still.
            let place = self.nodes[index].place.or_else(|| Some(self.put(arrival)));
            let HashedNode { code, children, .. } = self.nodes[index];
            let Arrival { g, parent, .. } = *arrival;
            self.nodes[index] = HashedNode { code, g, parent, place, children };
            return Some(index);
        }
        let (Arrival { g, parent, .. }, place) = (*arrival, Some(self.put(arrival)));
        let node = HashedNode { code: print.code, g, parent, place, children: 0 };
        let nodes = &mut self.nodes;
        let index = match &mut self.seen {
            SeenStates::Codes(table) => {
                self.omitted += self.stored as f64 / 2f64.powi(64);
                let index = nodes.len();
                nodes.push(node);
                table.insert_unique(print.code, index as u32, |index| nodes[*index as usize].code);
                index
            }
            SeenStates::Bits { array, hashes, set, free } => {
                // Of as many new states, so many were probably taken for old ones.
                let taken = (*set as f64 / (array.len() as f64 * 64.0)).powi(*hashes as i32);
                self.omitted += taken / (1.0 - taken);
                for (word, bit) in places(print, *hashes, array.len()) {
                    *set += u64::from(array[word] & bit == 0);
                    array[word] |= bit;
                }
                self.born.extend(parent);
                match free.pop() {
                    Some(index) => {
                        nodes[index as usize] = node;
                        index as usize
                    }
                    None => {
                        nodes.push(node);
                        nodes.len() - 1
                    }
                }
            }
        };
        self.stored += 1;
        Some(index)
    }

    /// Keeps a state while it waits.
    fn put(&mut self, arrival: &Arrival<'_>) -> NonZeroU32 {
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.words.resize(self.words.len() + self.width, 0);
            self.zones.push(Vec::new());
            let next = u32::try_from(self.zones.len()).ok().and_then(NonZeroU32::new);
            next.expect("fewer than 2^32 states wait")
        });
        let index = place.get() as usize - 1;
        self.words[index * self.width..][..self.width].copy_from_slice(arrival.words);
        self.zones[index].clear();
        self.zones[index].extend_from_slice(arrival.zone);
        place
    }

    /// The state of a node that waits.
    pub fn waiting(&self, index: usize) -> (&[u64], &[Bound]) {
        let place = self.nodes[index].place.expect("a node that waits has its state");
        let index = place.get() as usize - 1;
        (&self.words[index * self.width..][..self.width], &self.zones[index])
    }

    /// A node has been expanded: its state is forgotten. Whether the node may go, too.
    pub fn retire(&mut self, index: usize) -> bool {
        self.vacant.extend(self.nodes[index].place.take());
        self.nodes[index].children == 0 && matches!(self.seen, SeenStates::Bits { .. })
    }

    /// A node was reached from this one, which may not go any more.
    pub fn gains_child(&mut self, index: usize) {
        self.nodes[index].children += 1;
    }

    /// A node goes; the one it was reached from.
    pub fn release(&mut self, index: usize) -> Option<NodeId> {
        if let SeenStates::Bits { free, .. } = &mut self.seen {
            free.push(index as u32);
        }
        self.nodes[index].parent.take()
    }

    /// A node that was reached from this one is gone; whether it may go, too.
    pub fn loses_child(&mut self, index: usize) -> bool {
        let HashedNode { children, place, .. } = &mut self.nodes[index];
        *children -= 1;
        *children == 0 && place.is_none()
    }

    /// Bits of the array.
    pub fn bits(&self) -> Option<u64> {
        match &self.seen {
            SeenStates::Codes(_) => None,
            SeenStates::Bits { array, .. } => Some(array.len() as u64 * 64),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let seen = match &self.seen {
            SeenStates::Codes(table) => table.allocation_size(),
            SeenStates::Bits { array, free, .. } => array.capacity() * 8 + free.capacity() * 4,
        };
        // Most zones have as many entries as the first one.
        let zone = self.zones.first().map_or(0, |zone| zone.capacity() * size_of::<Bound>());
        let waiting = self.zones.capacity() * size_of::<Vec<Bound>>() + self.zones.len() * zone;
        seen + waiting + self.words.capacity() * 8 + self.nodes.capacity() * size_of::<HashedNode>()
    }
}

/// The bits that stand for a state.
fn places(print: Fingerprint, hashes: u32, words: usize) -> impl Iterator<Item = (usize, u64)> {
    let bits = words as u64 * 64;
    (0..hashes).map(move |i| {
        let hash = print.code.wrapping_add(print.other.wrapping_mul(u64::from(i)));
        let bit = ((u128::from(hash) * u128::from(bits)) >> u64::BITS) as u64;
        ((bit / 64) as usize, 1 << (bit % 64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(words: &[u64], g: u32, parent: Option<NodeId>) -> Arrival<'_> {
        Arrival { words, code: 0, discrete: None, zone: &[], stored: None, g, parent }
    }

    #[test]
    fn states_wait_and_are_forgotten() {
        let mut hashed = Hashed::new(Hashing::Compaction, Covering::ByCost, 1, 1);
        let first = hashed.insert(&arrival(&[7], 3, None)).unwrap();
        assert_eq!(hashed.waiting(first).0, [7]);
        assert!(hashed.insert(&arrival(&[7], 3, None)).is_none());
        assert!(!hashed.retire(first), "its way is kept");
        assert!(hashed.insert(&arrival(&[7], 4, None)).is_none());
        assert_eq!(hashed.insert(&arrival(&[7], 2, None)), Some(first), "it waits again");
        assert_eq!((hashed.waiting(first).0, hashed.node(first).g, hashed.stored), (&[7][..], 2, 1));
    }

    #[test]
    fn a_full_array_takes_all_states_for_old_ones_and_says_so() {
        let mut hashed = Hashed::new(Hashing::Bits { bytes: 64, hashes: 2 }, Covering::Any, 1, 1);
        let new = (0..10_000).filter(|state| hashed.insert(&arrival(&[*state], 0, None)).is_some()).count();
        assert_eq!((hashed.stored, hashed.bits()), (new as u64, Some(512)));
        assert!((200..600).contains(&new), "{new}");
        // All 512 bits are set in the end; the estimate is about what new states were met with until then.
        assert!(hashed.omitted > 100.0, "{}", hashed.omitted);
    }

    #[test]
    fn nodes_go_when_nothing_descends_from_them() {
        let hashing = Hashing::Bits { bytes: 1 << 16, hashes: 3 };
        let mut hashed = Hashed::new(hashing, Covering::Any, 1, 1);
        let root = hashed.insert(&arrival(&[1], 0, None)).unwrap();
        let id = NodeId::new(0, root);
        let child = hashed.insert(&arrival(&[2], 1, Some(id))).unwrap();
        hashed.gains_child(root);
        assert_eq!(hashed.born, [id]);
        assert!(!hashed.retire(root) && hashed.retire(child));
        assert_eq!(hashed.release(child), Some(id));
        assert!(hashed.loses_child(root));
        assert_eq!(hashed.insert(&arrival(&[3], 1, None)), Some(child), "the place is used again");
        assert!(hashed.insert(&arrival(&[2], 1, None)).is_none(), "and it counts as seen");
    }
}
