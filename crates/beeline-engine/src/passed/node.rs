//! What is kept of a symbolic state besides its discrete part and its zone.

use super::SHARDS;
use super::hashed::Hashed;
use crate::state::interner::DiscreteId;
use crate::state::zone_store::ZoneId;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

/// A node of the search.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(NonZeroU32);

/// A place for a node, which one thread fills while others fill other places.
#[derive(Debug, Default)]
pub struct NodePlace(AtomicU32);

impl NodePlace {
    /// Fills it.
    pub fn fill(&self, NodeId(node): NodeId) {
        self.0.store(node.get(), Ordering::Relaxed);
    }
    /// What is there, if anything.
    pub fn node(&mut self) -> Option<NodeId> {
        NonZeroU32::new(*self.0.get_mut()).map(NodeId)
    }
}

impl NodeId {
    pub(super) fn new(shard: usize, index: usize) -> Self {
        let next = u32::try_from(index * SHARDS + shard + 1).ok().and_then(NonZeroU32::new);
        Self(next.expect("fewer than 2^28 states of a shard fit in memory"))
    }
    pub(super) fn shard(self) -> usize {
        (self.0.get() as usize - 1) % SHARDS
    }
    pub(super) fn index(self) -> usize {
        (self.0.get() as usize - 1) / SHARDS
    }
    /// A place in a table with one row per node.
    pub fn row(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Where the zone of a node is.
#[derive(Copy, Clone, Debug)]
pub(super) enum Place {
    /// There are no clocks.
    Nowhere,
    /// In the common store.
    Stored(ZoneId),
    /// Still with the shard, at that position of its fresh ones.
    Fresh(u32),
}

/// A node.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    pub discrete: DiscreteId,
    pub zone: Place,
    pub g: u32,
    pub parent: Option<NodeId>,
    /// The next node of the same antichain.
    pub next: Option<NodeId>,
    /// A later node includes it; it need not be expanded and is no part of the proof.
    pub covered: bool,
    pub mark: Mark,
}

/// What a search that goes node by node has done with a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// Nothing yet.
    Waiting,
    /// It is expanded.
    Expanded,
    /// It is pruned: no target can be reached from it, or none that is near enough.
    Pruned,
}

/// The nodes of a shard.
#[derive(Debug)]
pub(super) enum Nodes {
    /// One for each discrete part, in the same order, of which nothing but the way to it needs to be kept: where there
    /// are no clocks, and the search goes by layers, so that a state is never reached anew once it is expanded.
    Flat(Vec<Way>),
    /// Antichains.
    Linked(Vec<Node>),
    /// Nothing but hashes is kept of their states.
    Hashed(Box<Hashed>),
}

/// How a node is reached.
#[derive(Copy, Clone, Debug)]
pub(super) struct Way {
    g: u32,
    parent: Option<NodeId>,
}

impl Nodes {
    pub fn len(&self) -> usize {
        match self {
            Self::Flat(ways) => ways.len(),
            Self::Linked(nodes) => nodes.len(),
            Self::Hashed(hashed) => hashed.len(),
        }
    }
    #[inline]
    pub fn get(&self, index: usize) -> Node {
        match self {
            Self::Flat(ways) => {
                let Way { g, parent } = ways[index];
                let (discrete, zone) = (DiscreteId::at(index), Place::Nowhere);
                Node { discrete, zone, g, parent, next: None, covered: false, mark: Mark::Waiting }
            }
            Self::Linked(nodes) => nodes[index],
            Self::Hashed(hashed) => {
                let (node, discrete, zone) = (hashed.node(index), DiscreteId::at(0), Place::Nowhere);
                let mark = if hashed.waits(index) { Mark::Waiting } else { Mark::Expanded };
                let (g, parent) = (node.g, node.parent);
                Node { discrete, zone, g, parent, next: None, covered: false, mark }
            }
        }
    }
    /// Puts a node at the end.
    pub fn push(&mut self, node: Node) {
        match self {
            Self::Flat(ways) => ways.push(Way { g: node.g, parent: node.parent }),
            Self::Linked(nodes) => nodes.push(node),
            Self::Hashed(_) => {}
        }
    }
    /// Notes a better way to a node of which there is one for each discrete part; whether it is such a one.
    pub fn improve(&mut self, index: usize, g: u32, parent: Option<NodeId>) -> bool {
        let Self::Flat(ways) = self else { return false };
        ways[index] = Way { g, parent };
        true
    }
    /// A node of an antichain, to be changed.
    pub fn linked_mut(&mut self, index: usize) -> Option<&mut Node> {
        match self {
            Self::Flat(_) | Self::Hashed(_) => None,
            Self::Linked(nodes) => nodes.get_mut(index),
        }
    }
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Flat(ways) => ways.capacity() * size_of::<Way>(),
            Self::Linked(nodes) => nodes.capacity() * size_of::<Node>(),
            Self::Hashed(hashed) => hashed.bytes(),
        }
    }
}
