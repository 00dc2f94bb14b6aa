//! One part of the passed list: the discrete parts that belong to it, and their nodes.

use super::hashed::Hashed;
use super::node::{Mark, Node, NodeId, Nodes, Place};
use super::{Covering, Keeping, SHARDS, Stores};
use crate::state::discrete_store::DiscreteStore;
use crate::state::interner::DiscreteId;
use crate::state::zone_store::{self, ZoneId};
use crate::time::TimePart;
use beeline_zones::Bound;
use beeline_zones::fault::{self, Fault};

/// Bounds for which a shard keeps room.
const MOST_FRESH: usize = 1 << 16;

/// A state about to be stored.
#[derive(Copy, Clone, Debug)]
pub struct Arrival<'a> {
    /// Its packed discrete part.
    pub words: &'a [u64],
    /// The hash of that.
    pub code: u64,
    /// The id of that, if it is known to have been seen; the words and the hash need not be given then, and the nodes
    /// whose zones are in the common store have been asked whether they cover it.
    pub discrete: Option<DiscreteId>,
    /// Its zone.
    pub zone: &'a [Bound],
    /// The id of that, if it is known to have been seen.
    pub stored: Option<ZoneId>,
    /// Steps to it.
    pub g: u32,
    /// The node it was reached from.
    pub parent: Option<NodeId>,
}

/// One part of the passed list.
#[derive(Debug)]
pub struct Shard {
    number: usize,
    covering: Covering,
    pub(super) discretes: DiscreteStore,
    /// First node of each discrete part's antichain; empty if there is one node for each.
    heads: Vec<Option<NodeId>>,
    pub(super) nodes: Nodes,
    /// The zones of the newest nodes, one after the other.
    fresh: Vec<Bound>,
    /// Whose they are, their hashes, and where they end.
    owners: Vec<(usize, u64, usize)>,
    /// How many nodes have zones in the common store: the first ones.
    settled: usize,
    pub(super) covered: u64,
    /// Expanded nodes that were replaced by ones reached in fewer steps.
    pub(super) reopened: u64,
}

impl Shard {
    pub(super) fn new(number: usize, words: usize, keeping: Keeping) -> Self {
        let Keeping { covering, flat, hashing, .. } = keeping;
        let hashed = |hashing| Nodes::Hashed(Box::new(Hashed::new(hashing, covering, words, SHARDS)));
        let whole = || if flat { Nodes::Flat(Vec::new()) } else { Nodes::Linked(Vec::new()) };
        Self {
            number,
            covering,
            discretes: DiscreteStore::new(words),
            heads: Vec::new(),
            nodes: hashing.map_or_else(whole, hashed),
            fresh: Vec::new(),
            owners: Vec::new(),
            settled: 0,
            covered: 0,
            reopened: 0,
        }
    }

    /// Which one it is.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Which nodes cover which.
    pub(super) fn covering(&self) -> Covering {
        self.covering
    }

    /// The first node of a discrete part's antichain.
    #[inline]
    pub(super) fn head(&self, discrete: DiscreteId) -> Option<NodeId> {
        match self.nodes {
            Nodes::Flat(_) => Some(NodeId::new(self.number, discrete.index())),
            Nodes::Linked(_) => self.heads[discrete.index()],
            Nodes::Hashed(_) => None,
        }
    }

    #[inline]
    pub(super) fn zone<'s>(&'s self, stores: &'s Stores, node: &Node) -> &'s [Bound] {
        match node.zone {
            Place::Nowhere => &[],
            Place::Stored(id) => stores.zones.get(id),
            Place::Fresh(position) => self.fresh_zone(position as usize),
        }
    }

    fn fresh_zone(&self, position: usize) -> &[Bound] {
        let start = position.checked_sub(1).map_or(0, |before| self.owners[before].2);
        &self.fresh[start..self.owners[position].2]
    }

    /// What is kept of states, where that is no more than hashes.
    #[inline]
    pub(super) fn hashed(&self) -> Option<&Hashed> {
        if let Nodes::Hashed(hashed) = &self.nodes { Some(hashed) } else { None }
    }

    pub(super) fn hashed_mut(&mut self) -> Option<&mut Hashed> {
        if let Nodes::Hashed(hashed) = &mut self.nodes { Some(hashed) } else { None }
    }

    /// Whether one of an antichain's nodes, from that one on, covers the state.
    pub(super) fn some_covers<T: TimePart>(
        &self,
        stores: &Stores,
        from: Option<Node>,
        arrival: &Arrival<'_>,
    ) -> bool {
        let mut next = from;
        while let Some(node) = next {
            if self.covers::<T>(stores, &node, arrival) {
                return true;
            }
            next = self.at(node.next);
        }
        false
    }

    /// A node of an antichain that covers the state.
    pub(super) fn coverer<T: TimePart>(
        &self,
        stores: &Stores,
        discrete: DiscreteId,
        arrival: &Arrival<'_>,
    ) -> Option<NodeId> {
        let mut next = self.head(discrete);
        while let Some(id) = next {
            let node = self.nodes.get(id.index());
            if self.covers::<T>(stores, &node, arrival) {
                return Some(id);
            }
            next = node.next;
        }
        None
    }

    /// Whether one of an antichain's nodes that have not been asked yet covers the state: newer ones come first.
    fn unasked_covers<T: TimePart>(
        &self,
        stores: &Stores,
        discrete: DiscreteId,
        arrival: &Arrival<'_>,
    ) -> bool {
        let linked = matches!(self.nodes, Nodes::Linked(_));
        let asked = if linked && arrival.discrete.is_some() { self.settled } else { 0 };
        let mut next = self.head(discrete);
        while let Some(id) = next.filter(|id| id.index() >= asked) {
            let node = self.nodes.get(id.index());
            if self.covers::<T>(stores, &node, arrival) {
                return true;
            }
            next = node.next;
        }
        false
    }

    #[inline]
    pub(super) fn covers<T: TimePart>(&self, stores: &Stores, node: &Node, arrival: &Arrival<'_>) -> bool {
        // Most zones that are included are equal.
        let same = arrival.stored.is_some_and(|id| matches!(node.zone, Place::Stored(known) if known == id));
        let included = || same || T::includes(self.zone(stores, node), arrival.zone);
        (self.covering.allows(node.g, arrival.g) && included())
            || (fault::active(Fault::FirstTimeG) && *self.zone(stores, node) == *arrival.zone)
    }

    #[inline]
    pub(super) fn at(&self, id: Option<NodeId>) -> Option<Node> {
        id.map(|id| self.nodes.get(id.index()))
    }

    /// Adds a state unless a stored one covers it.
    pub fn insert<T: TimePart>(&mut self, stores: &Stores, arrival: &Arrival<'_>) -> Option<NodeId> {
        let Arrival { words, code, g, parent, .. } = *arrival;
        if let Nodes::Hashed(hashed) = &mut self.nodes {
            return hashed.insert(arrival).map(|index| NodeId::new(self.number, index));
        }
        let intern = || self.discretes.intern(&stores.parts, code, words);
        let (discrete, new) = arrival.discrete.map_or_else(intern, |known| (known, false));
        if !new && self.unasked_covers::<T>(stores, discrete, arrival) {
            return None;
        }
        if !new && self.nodes.improve(discrete.index(), g, parent) {
            return self.head(discrete);
        }
        let id = NodeId::new(self.number, self.nodes.len());
        let (mut next, mut zone) = (None, Place::Nowhere);
        if matches!(self.nodes, Nodes::Linked(_)) {
            if new {
                self.heads.push(None);
            } else {
                self.drop_covered::<T>(stores, discrete, arrival);
            }
            next = self.heads[discrete.index()].replace(id);
            zone = arrival.stored.map_or_else(|| self.place(stores, arrival.zone), Place::Stored);
        }
        self.nodes.push(Node { discrete, zone, g, parent, next, covered: false, mark: Mark::Waiting });
        Some(id)
    }

    /// Where the zone of the next node is, or is put.
    fn place(&mut self, stores: &Stores, zone: &[Bound]) -> Place {
        let code = zone_store::code(zone);
        let put = || {
            self.fresh.extend_from_slice(zone);
            self.owners.push((self.nodes.len(), code, self.fresh.len()));
            Place::Fresh(self.owners.len() as u32 - 1)
        };
        stores.zones.find(code, zone).map_or_else(put, Place::Stored)
    }

    /// Removes from an antichain what the arrival covers.
    fn drop_covered<T: TimePart>(&mut self, stores: &Stores, discrete: DiscreteId, arrival: &Arrival<'_>) {
        let mut previous: Option<NodeId> = None;
        let mut cursor = self.heads[discrete.index()];
        while let Some(id) = cursor {
            let node = self.nodes.get(id.index());
            if self.covering.allows(arrival.g, node.g) && T::includes(arrival.zone, self.zone(stores, &node))
            {
                match previous.and_then(|previous| self.nodes.linked_mut(previous.index())) {
                    Some(previous) => previous.next = node.next,
                    None => self.heads[discrete.index()] = node.next,
                }
                if let Some(node) = self.nodes.linked_mut(id.index()) {
                    node.covered = true;
                }
                self.covered += 1;
                self.reopened += u64::from(node.mark == Mark::Expanded && arrival.g < node.g);
            } else {
                previous = Some(id);
            }
            cursor = node.next;
        }
    }

    /// Puts what is new into the common stores.
    pub(super) fn settle(&mut self, stores: &mut Stores) {
        for position in 0..self.owners.len() {
            let (node, code, _) = self.owners[position];
            let zone = Place::Stored(stores.zones.intern(code, self.fresh_zone(position)));
            if let Some(node) = self.nodes.linked_mut(node) {
                node.zone = zone;
            }
        }
        self.settled = self.nodes.len();
        self.owners.clear();
        self.fresh.clear();
        self.fresh.shrink_to(MOST_FRESH);
        self.discretes.settle(&mut stores.parts);
    }

    pub(super) fn bytes(&self) -> u64 {
        let heads = self.heads.capacity() * size_of::<Option<NodeId>>();
        let fresh = self.fresh.capacity() * size_of::<Bound>();
        self.discretes.bytes() + (self.nodes.bytes() + heads + fresh) as u64
    }
}
