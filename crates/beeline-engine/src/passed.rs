//! The passed list: every symbolic state kept, with what searches need to know of it.
//!
//! *Owns* the packed discrete parts and the zones (equal ones are stored once), and the nodes. The nodes of one
//! discrete part form a linked antichain. A node that a later, larger one covers keeps its place (its descendants
//! need it as a parent) but leaves the antichain.
//!
//! It consists of a fixed number of [`Shard`]s, so that several threads may add to it; the discrete part of a state
//! decides to which one it belongs, whatever the number of threads. Zones are shared by all shards: the zones of new
//! nodes stay with the shard until [`Passed::put_together`] puts them into the common store.
//!
//! Covering is plain inclusion of abstracted zones, so that the uncovered nodes are the rows of a certificate.

use crate::state::interner::{DiscreteId, Interner};
use crate::state::packing::Packer;
use crate::state::zone_store::{self, ZoneId, ZoneStore};
use crate::successors::space::{Space, State};
use crate::time::TimePart;
use beeline_zones::Bound;
use beeline_zones::fault::{self, Fault};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bounds for which a shard keeps room.
const MOST_FRESH: usize = 1 << 16;

/// Number of shards.
pub const SHARDS: usize = 16;

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
    fn new(shard: usize, index: usize) -> Self {
        let next = u32::try_from(index * SHARDS + shard + 1).ok().and_then(NonZeroU32::new);
        Self(next.expect("fewer than 2^28 states of a shard fit in memory"))
    }
    fn shard(self) -> usize {
        (self.0.get() as usize - 1) % SHARDS
    }
    fn index(self) -> usize {
        (self.0.get() as usize - 1) / SHARDS
    }
    /// A place in a table with one row per node.
    pub fn row(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Which stored nodes may cover which.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Covering {
    /// Only a node reached in no more steps covers another: keeps lengths exact.
    ByCost,
    /// Any node: keeps only reachability exact.
    Any,
}

impl Covering {
    /// Whether a node reached in so many steps may cover one reached in so many.
    #[inline]
    fn allows(self, steps: u32, covered: u32) -> bool {
        self == Self::Any || steps <= covered || fault::active(Fault::GTestForgotten)
    }
}

/// Where the zone of a node is.
#[derive(Copy, Clone, Debug)]
enum Place {
    /// In the common store.
    Stored(ZoneId),
    /// Still with the shard, at that position of its fresh ones.
    Fresh(u32),
}

#[derive(Copy, Clone, Debug)]
struct Node {
    discrete: DiscreteId,
    zone: Place,
    g: u32,
    parent: Option<NodeId>,
    /// The next node of the same antichain.
    next: Option<NodeId>,
    /// A later node includes it; it need not be expanded and is no part of the proof.
    covered: bool,
    mark: Mark,
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

/// A packed discrete part, and where it belongs.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// The words.
    pub words: Vec<u64>,
    /// Their hash.
    pub code: u64,
    /// The shard.
    pub shard: usize,
}

/// What the passed list knows of a discrete part.
#[derive(Copy, Clone, Debug)]
pub struct Known {
    discrete: Option<DiscreteId>,
    /// The first node of its antichain.
    first: Option<NodeId>,
    /// That node, and the second one.
    nodes: [Option<Node>; 2],
}

impl Known {
    /// Its id, if it has one.
    pub fn discrete(&self) -> Option<DiscreteId> {
        self.discrete
    }
}

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
    interner: Interner,
    /// First node of each discrete part's antichain.
    heads: Vec<Option<NodeId>>,
    nodes: Vec<Node>,
    /// The zones of the newest nodes, one after the other.
    fresh: Vec<Bound>,
    /// Whose they are, their hashes, and where they end.
    owners: Vec<(usize, u64, usize)>,
    /// How many nodes have zones in the common store: the first ones.
    settled: usize,
    covered: u64,
    /// Expanded nodes that were replaced by ones reached in fewer steps.
    reopened: u64,
}

impl Shard {
    /// Which one it is.
    pub fn number(&self) -> usize {
        self.number
    }

    #[inline]
    fn zone<'s>(&'s self, zones: &'s ZoneStore, node: &Node) -> &'s [Bound] {
        match node.zone {
            Place::Stored(id) => zones.get(id),
            Place::Fresh(position) => self.fresh_zone(position as usize),
        }
    }

    fn fresh_zone(&self, position: usize) -> &[Bound] {
        let start = position.checked_sub(1).map_or(0, |before| self.owners[before].2);
        &self.fresh[start..self.owners[position].2]
    }

    /// Whether one of an antichain's nodes, from that one on, covers the state.
    fn some_covers<T: TimePart>(
        &self,
        zones: &ZoneStore,
        from: Option<&Node>,
        arrival: &Arrival<'_>,
    ) -> bool {
        let mut next = from;
        while let Some(node) = next {
            if self.covers::<T>(zones, node, arrival) {
                return true;
            }
            next = self.at(node.next);
        }
        false
    }

    /// Whether one of an antichain's nodes that have not been asked yet covers the state: newer ones come first.
    fn unasked_covers<T: TimePart>(
        &self,
        zones: &ZoneStore,
        discrete: DiscreteId,
        arrival: &Arrival<'_>,
    ) -> bool {
        let asked = if arrival.discrete.is_some() { self.settled } else { 0 };
        let mut next = self.heads[discrete.index()];
        while let Some(id) = next.filter(|id| id.index() >= asked) {
            let node = &self.nodes[id.index()];
            if self.covers::<T>(zones, node, arrival) {
                return true;
            }
            next = node.next;
        }
        false
    }

    #[inline]
    fn covers<T: TimePart>(&self, zones: &ZoneStore, node: &Node, arrival: &Arrival<'_>) -> bool {
        // Most zones that are included are equal.
        let same = arrival.stored.is_some_and(|id| matches!(node.zone, Place::Stored(known) if known == id));
        let included = || same || T::includes(self.zone(zones, node), arrival.zone);
        (self.covering.allows(node.g, arrival.g) && included())
            || (fault::active(Fault::FirstTimeG) && *self.zone(zones, node) == *arrival.zone)
    }

    #[inline]
    fn at(&self, id: Option<NodeId>) -> Option<&Node> {
        id.map(|id| &self.nodes[id.index()])
    }

    /// Adds a state unless a stored one covers it.
    pub fn insert<T: TimePart>(&mut self, zones: &ZoneStore, arrival: &Arrival<'_>) -> Option<NodeId> {
        let intern = || self.interner.intern(arrival.code, arrival.words);
        let (discrete, new) = arrival.discrete.map_or_else(intern, |known| (known, false));
        if new {
            self.heads.push(None);
        } else if self.unasked_covers::<T>(zones, discrete, arrival) {
            return None;
        } else {
            self.drop_covered::<T>(zones, discrete, arrival);
        }
        let id = NodeId::new(self.number, self.nodes.len());
        let next = self.heads[discrete.index()].replace(id);
        let zone = arrival.stored.map_or_else(|| self.place(zones, arrival.zone), Place::Stored);
        let (g, parent) = (arrival.g, arrival.parent);
        self.nodes.push(Node { discrete, zone, g, parent, next, covered: false, mark: Mark::Waiting });
        Some(id)
    }

    /// Where the zone of the next node is, or is put.
    fn place(&mut self, zones: &ZoneStore, zone: &[Bound]) -> Place {
        let code = zone_store::code(zone);
        let put = || {
            self.fresh.extend_from_slice(zone);
            self.owners.push((self.nodes.len(), code, self.fresh.len()));
            Place::Fresh(self.owners.len() as u32 - 1)
        };
        zones.find(code, zone).map_or_else(put, Place::Stored)
    }

    /// Removes from an antichain what the arrival covers.
    fn drop_covered<T: TimePart>(&mut self, zones: &ZoneStore, discrete: DiscreteId, arrival: &Arrival<'_>) {
        let mut previous: Option<NodeId> = None;
        let mut cursor = self.heads[discrete.index()];
        while let Some(id) = cursor {
            let node = self.nodes[id.index()];
            if self.covering.allows(arrival.g, node.g) && T::includes(arrival.zone, self.zone(zones, &node)) {
                match previous {
                    Some(p) => self.nodes[p.index()].next = node.next,
                    None => self.heads[discrete.index()] = node.next,
                }
                self.nodes[id.index()].covered = true;
                self.covered += 1;
                self.reopened += u64::from(node.mark == Mark::Expanded && arrival.g < node.g);
            } else {
                previous = Some(id);
            }
            cursor = node.next;
        }
    }

    /// Puts the zones of the newest nodes into the common store.
    fn settle(&mut self, zones: &mut ZoneStore) {
        for position in 0..self.owners.len() {
            let (node, code, _) = self.owners[position];
            self.nodes[node].zone = Place::Stored(zones.intern(code, self.fresh_zone(position)));
        }
        self.settled = self.nodes.len();
        self.owners.clear();
        self.fresh.clear();
        self.fresh.shrink_to(MOST_FRESH);
    }

    fn bytes(&self) -> u64 {
        let nodes =
            self.nodes.capacity() * size_of::<Node>() + self.heads.capacity() * size_of::<Option<NodeId>>();
        let fresh = self.fresh.capacity() * size_of::<Bound>();
        self.interner.bytes() + (nodes + fresh) as u64
    }
}

/// The passed list.
#[derive(Debug)]
pub struct Passed {
    packer: Packer,
    shards: Vec<Shard>,
    zones: ZoneStore,
}

impl Passed {
    /// An empty list for states of that packing.
    pub fn new(packer: Packer, covering: Covering) -> Self {
        let shard = |number| Shard {
            number,
            covering,
            interner: Interner::new(packer.words()),
            heads: Vec::new(),
            nodes: Vec::new(),
            fresh: Vec::new(),
            owners: Vec::new(),
            settled: 0,
            covered: 0,
            reopened: 0,
        };
        Self { shards: (0..SHARDS).map(shard).collect(), zones: ZoneStore::default(), packer }
    }

    /// Which nodes cover which.
    pub fn covering(&self) -> Covering {
        self.shards.first().map_or(Covering::Any, |shard| shard.covering)
    }

    /// Packs the discrete part of a state.
    pub fn pack(&self, slots: &[i64], key: &mut Key) {
        self.packer.pack(slots, &mut key.words);
        Self::seal(key);
    }

    /// Packs the discrete part of a successor of a node, whose own one is given.
    pub fn pack_successor(&self, node: NodeId, before: &[i64], slots: &[i64], key: &mut Key) {
        let packed = self.shards[node.shard()].interner.get(self.node(node).discrete);
        self.packer.pack_like((before, packed), slots, &mut key.words);
        Self::seal(key);
    }

    fn seal(key: &mut Key) {
        key.code = Interner::code(&key.words);
        // The table of a shard looks at the lowest and the highest bits.
        key.shard = (key.code >> 32) as usize % SHARDS;
    }

    /// What is known of a discrete part, as far as it can be told without looking at nodes.
    #[inline]
    pub fn known(&self, shard: usize, code: u64, words: &[u64]) -> Known {
        let discrete = self.shards[shard].interner.find(code, words);
        Known { discrete, first: None, nodes: [None; 2] }
    }

    /// Finds the first node of its antichain.
    #[inline]
    pub fn first(&self, shard: usize, known: &mut Known) {
        known.first = known.discrete.and_then(|discrete| self.shards[shard].heads[discrete.index()]);
    }

    /// Reads that node.
    #[inline]
    pub fn read_first(&self, shard: usize, known: &mut Known) {
        known.nodes[0] = self.shards[shard].at(known.first).copied();
    }

    /// Reads the one after it.
    #[inline]
    pub fn read_second(&self, shard: usize, known: &mut Known) {
        known.nodes[1] = known.nodes[0].and_then(|node| self.shards[shard].at(node.next).copied());
    }

    /// Whether a stored node covers the state.
    #[inline]
    pub fn covers<T: TimePart>(&self, shard: usize, known: &Known, arrival: &Arrival<'_>) -> bool {
        let (shard, zones) = (&self.shards[shard], &self.zones);
        let [first, second] = &known.nodes;
        first.as_ref().is_some_and(|first| shard.covers::<T>(zones, first, arrival))
            || shard.some_covers::<T>(zones, second.as_ref(), arrival)
    }

    /// The slots of packed words; `slots` is overwritten.
    pub fn unpack(&self, words: &[u64], slots: &mut Vec<i64>) {
        self.packer.unpack(words, slots);
    }

    /// Packs a state and adds it unless a stored one covers it.
    pub fn insert<T: TimePart>(
        &mut self,
        time: &T,
        state: &State<T::Zone>,
        g: u32,
        parent: Option<NodeId>,
        key: &mut Key,
    ) -> Option<NodeId> {
        self.pack(&state.slots, key);
        if self.wrongly_seen(time, state) {
            return None;
        }
        let zone = time.entries(&state.zone);
        let (words, code) = (&*key.words, key.code);
        let arrival = Arrival { words, code, discrete: None, zone, stored: None, g, parent };
        let id = self.shards[key.shard].insert::<T>(&self.zones, &arrival);
        self.shards[key.shard].settle(&mut self.zones);
        id
    }

    /// Hands out the shards, for adding to several at once, and the zones of all nodes so far.
    pub fn take_apart(&mut self) -> (Vec<Shard>, ZoneStore) {
        (std::mem::take(&mut self.shards), std::mem::take(&mut self.zones))
    }

    /// Takes back what was handed out, the shards in the same order; the zones of new nodes go to the others.
    pub fn put_together(&mut self, shards: Vec<Shard>, zones: ZoneStore) {
        debug_assert!(shards.iter().enumerate().all(|(i, shard)| shard.number == i));
        (self.shards, self.zones) = (shards, zones);
        for shard in &mut self.shards {
            shard.settle(&mut self.zones);
        }
    }

    /// The seeded bug: a state counts as seen if one with the same locations and a larger zone was.
    pub fn wrongly_seen<T: TimePart>(&self, time: &T, state: &State<T::Zone>) -> bool {
        if !fault::active(Fault::StoreKeyOmitsVariables) {
            return false;
        }
        let mut slots = Vec::new();
        let mut same = |shard: &Shard, node: &Node| {
            self.packer.unpack(shard.interner.get(node.discrete), &mut slots);
            slots[0] == state.slots[0]
                && T::includes(shard.zone(&self.zones, node), time.entries(&state.zone))
        };
        self.shards.iter().any(|shard| shard.nodes.iter().any(|node| same(shard, node)))
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.shards[id.shard()].nodes[id.index()]
    }

    /// The state of a node.
    pub fn state<T: TimePart>(&self, space: &Space<T>, id: NodeId) -> State<T::Zone> {
        let mut slots = Vec::new();
        self.slots(id, &mut slots);
        let zone = space.time.load(&slots, self.zone(id));
        State { slots, zone }
    }

    /// The same into a state that is overwritten.
    pub fn load<T: TimePart>(&self, space: &Space<T>, id: NodeId, state: &mut State<T::Zone>) {
        self.slots(id, &mut state.slots);
        space.time.reload(&state.slots, self.zone(id), &mut state.zone);
    }

    /// The discrete part of a node; `slots` is overwritten.
    fn slots(&self, id: NodeId, slots: &mut Vec<i64>) {
        self.packer.unpack(self.shards[id.shard()].interner.get(self.node(id).discrete), slots);
    }

    /// The entries of a node's zone.
    pub fn zone(&self, id: NodeId) -> &[Bound] {
        self.shards[id.shard()].zone(&self.zones, self.node(id))
    }

    /// The id of a node's zone, once it is in the common store.
    pub fn zone_id(&self, id: NodeId) -> Option<ZoneId> {
        match self.node(id).zone {
            Place::Stored(zone) => Some(zone),
            Place::Fresh(_) => None,
        }
    }

    /// The zones of all nodes.
    pub fn zones(&self) -> &ZoneStore {
        &self.zones
    }

    /// Steps to a node.
    pub fn g(&self, id: NodeId) -> u32 {
        self.node(id).g
    }

    /// The node it was reached from.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent
    }

    /// Whether a later node includes it.
    pub fn is_covered(&self, id: NodeId) -> bool {
        self.node(id).covered
    }

    /// Notes what is done with a node.
    pub fn set_mark(&mut self, id: NodeId, mark: Mark) {
        self.shards[id.shard()].nodes[id.index()].mark = mark;
    }

    /// What was done with a node.
    pub fn mark(&self, id: NodeId) -> Mark {
        self.node(id).mark
    }

    /// How many expanded nodes were replaced by ones reached in fewer steps.
    pub fn reopened(&self) -> u64 {
        self.shards.iter().map(|shard| shard.reopened).sum()
    }

    /// Every node that no other covers.
    pub fn kept(&self) -> impl Iterator<Item = NodeId> + '_ {
        let of = |shard: &Shard| {
            let number = shard.number;
            (0..shard.nodes.len()).map(move |index| NodeId::new(number, index))
        };
        self.shards.iter().flat_map(of).filter(|id| !self.is_covered(*id))
    }

    /// Number of nodes that no other covers.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.nodes.len() as u64 - shard.covered).sum()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.zones.bytes() + self.shards.iter().map(Shard::bytes).sum::<u64>()
    }

    /// Whether the state's discrete part and zone are those of the node.
    pub fn is<T: TimePart>(&self, time: &T, id: NodeId, state: &State<T::Zone>) -> bool {
        let mut key = Key::default();
        self.pack(&state.slots, &mut key);
        *self.shards[id.shard()].interner.get(self.node(id).discrete) == *key.words
            && *self.zone(id) == *time.entries(&state.zone)
    }
}
