//! The passed list: every symbolic state kept, with what searches need to know of it.
//!
//! *Owns* the packed discrete parts and the zones (equal ones are stored once), and the nodes. The nodes of one
//! discrete part form a linked antichain. A node that a later, larger one covers keeps its place (its descendants
//! need it as a parent) but leaves the antichain.
//!
//! It consists of a fixed number of [`Shard`]s, so that several threads may add to it; the discrete part of a state
//! decides to which one it belongs, whatever the number of threads. Zones, and the parts of collapsed states, are shared
//! by all shards: those of new nodes stay with the shard until [`Passed::put_together`] puts them into the common stores.
//!
//! Covering is plain inclusion of abstracted zones, so that the uncovered nodes are the rows of a certificate.

mod hashed;
mod node;
mod shard;

pub use hashed::Hashing;
pub use node::{Mark, NodeId, NodePlace};
pub use shard::{Arrival, Shard};

use crate::state::collapse::Collapse;
use crate::state::discrete_store::Shared;
use crate::state::fingerprint::Fingerprint;
use crate::state::interner::{DiscreteId, Interner};
use crate::state::packing::Packer;
use crate::state::zone_store::{ZoneId, ZoneStore};
use crate::successors::space::{Space, State};
use crate::time::TimePart;
use beeline_ir::limits::Limits;
use beeline_ir::outcome::Coverage;
use beeline_zones::Bound;
use beeline_zones::fault::{self, Fault};
use node::{Node, Place};

/// Number of shards.
pub const SHARDS: usize = 16;

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

/// How nodes are kept.
#[derive(Copy, Clone, Debug)]
pub struct Keeping {
    /// Which of them cover which.
    pub covering: Covering,
    /// There are no clocks, and no state is reached in fewer steps once it is expanded: nothing but the way to it is kept.
    pub flat: bool,
    /// Discrete parts are collapsed.
    pub collapse: bool,
    /// They may be once memory gets scarce.
    pub may_collapse: bool,
    /// Nothing but hashes is kept of states that have been expanded.
    pub hashing: Option<Hashing>,
}

/// What all shards share.
#[derive(Debug, Default)]
pub struct Stores {
    zones: ZoneStore,
    parts: Shared,
}

impl Stores {
    /// A zone.
    #[inline]
    pub fn zone(&self, id: ZoneId) -> &[Bound] {
        self.zones.get(id)
    }
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

/// A state that has been read, and its discrete part packed.
#[derive(Clone, Debug)]
pub struct Loaded<Z> {
    /// The state.
    pub state: State<Z>,
    /// The words of its discrete part.
    pub words: Vec<u64>,
    /// Their hash.
    code: u64,
    /// The words of the state that was read before it.
    before: Vec<u64>,
}

impl<Z> Loaded<Z> {
    /// A place for states, with something of the right form in it.
    pub fn new(state: State<Z>) -> Self {
        Self { state, words: Vec::new(), code: 0, before: Vec::new() }
    }
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

/// The passed list.
#[derive(Debug)]
pub struct Passed {
    packer: Packer,
    shards: Vec<Shard>,
    stores: Stores,
    may_collapse: bool,
}

impl Passed {
    /// An empty list for states of that packing.
    pub fn new(packer: Packer, keeping: Keeping) -> Self {
        let shard = |number| Shard::new(number, packer.words(), keeping);
        let shards = (0..SHARDS).map(shard).collect();
        let parts = if keeping.collapse { Collapse::of(packer.words()) } else { None };
        let may_collapse = keeping.may_collapse && parts.is_none() && keeping.hashing.is_none();
        Self { shards, stores: Stores { zones: ZoneStore::default(), parts }, packer, may_collapse }
    }

    /// Which nodes cover which.
    pub fn covering(&self) -> Covering {
        self.shards.first().map_or(Covering::Any, Shard::covering)
    }

    /// Packs the discrete part of a state.
    pub fn pack(&self, slots: &[i64], key: &mut Key) {
        self.packer.pack(slots, &mut key.words);
        let code = Interner::code(&key.words);
        Self::seal(key, code);
    }

    /// Packs the discrete part of a successor of a node, of which the slots and the words are given.
    pub fn pack_successor<Z>(&self, from: &Loaded<Z>, slots: &[i64], changed: Option<&[u32]>, key: &mut Key) {
        let Loaded { state, words, code, .. } = from;
        let code = match changed {
            Some(changed) => self.packer.pack_changed((words, *code), slots, changed, &mut key.words),
            None => {
                self.packer.pack_like((&state.slots, words), slots, &mut key.words);
                Interner::code(&key.words)
            }
        };
        debug_assert_eq!(code, Interner::code(&key.words));
        Self::seal(key, code);
    }

    fn seal(key: &mut Key, code: u64) {
        key.code = code;
        // The table of a shard looks at the lowest and the highest bits.
        key.shard = (key.code >> 32) as usize % SHARDS;
    }

    /// What is known of a discrete part, as far as it can be told without looking at nodes.
    #[inline]
    pub fn known(&self, shard: usize, code: u64, words: &[u64]) -> Known {
        let discrete = self.shards[shard].discretes.find(&self.stores.parts, code, words);
        Known { discrete, first: None, nodes: [None; 2] }
    }

    /// Finds the first node of its antichain.
    #[inline]
    pub fn first(&self, shard: usize, known: &mut Known) {
        known.first = known.discrete.and_then(|discrete| self.shards[shard].head(discrete));
    }

    /// Reads that node.
    #[inline]
    pub fn read_first(&self, shard: usize, known: &mut Known) {
        known.nodes[0] = self.shards[shard].at(known.first);
    }

    /// Reads the one after it.
    #[inline]
    pub fn read_second(&self, shard: usize, known: &mut Known) {
        known.nodes[1] = known.nodes[0].and_then(|node| self.shards[shard].at(node.next));
    }

    /// Whether a stored node covers the state.
    #[inline]
    pub fn covers<T: TimePart>(&self, shard: usize, known: &Known, arrival: &Arrival<'_>) -> bool {
        let (shard, stores) = (&self.shards[shard], &self.stores);
        let [first, second] = &known.nodes;
        first.as_ref().is_some_and(|first| shard.covers::<T>(stores, first, arrival))
            || shard.some_covers::<T>(stores, *second, arrival)
            || shard.hashed().is_some_and(|hashed| hashed.covers(arrival))
    }

    /// Whether a state is still to be expanded if it is stored now: no stored node covers it, or one that is.
    pub fn is_to_come<T: TimePart>(
        &self,
        shard: usize,
        arrival: &Arrival<'_>,
        is_to_come: impl FnOnce(NodeId) -> bool,
    ) -> bool {
        let (shard, stores) = (&self.shards[shard], &self.stores);
        if let Some(hashed) = shard.hashed() {
            return !hashed.covers(arrival);
        }
        let discrete = shard.discretes.find(&stores.parts, arrival.code, arrival.words);
        let coverer = discrete.and_then(|discrete| shard.coverer::<T>(stores, discrete, arrival));
        coverer.is_none_or(is_to_come)
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
        let id = self.shards[key.shard].insert::<T>(&self.stores, &arrival);
        self.shards[key.shard].settle(&mut self.stores);
        self.count_children();
        id
    }

    /// Hands out the shards, for adding to several at once, and what they share.
    pub fn take_apart(&mut self) -> (Vec<Shard>, Stores) {
        (std::mem::take(&mut self.shards), std::mem::take(&mut self.stores))
    }

    /// Takes back what was handed out, the shards in the same order; what is new goes to what they share.
    pub fn put_together(&mut self, shards: Vec<Shard>, stores: Stores) {
        debug_assert!(shards.iter().enumerate().all(|(i, shard)| shard.number() == i));
        (self.shards, self.stores) = (shards, stores);
        for shard in &mut self.shards {
            shard.settle(&mut self.stores);
        }
        self.count_children();
    }

    /// The seeded bug: a state counts as seen if one with the same locations and a larger zone was.
    pub fn wrongly_seen<T: TimePart>(&self, time: &T, state: &State<T::Zone>) -> bool {
        if !fault::active(Fault::StoreKeyOmitsVariables) {
            return false;
        }
        let (mut words, mut slots) = (Vec::new(), Vec::new());
        let mut same = |shard: &Shard, node: Node| {
            shard.discretes.read(&self.stores.parts, node.discrete, &mut words);
            self.packer.unpack(&words, &mut slots);
            slots[0] == state.slots[0]
                && T::includes(shard.zone(&self.stores, &node), time.entries(&state.zone))
        };
        let some = |shard: &Shard| (0..shard.nodes.len()).any(|index| same(shard, shard.nodes.get(index)));
        self.shards.iter().any(some)
    }

    fn node(&self, id: NodeId) -> Node {
        self.shards[id.shard()].nodes.get(id.index())
    }

    /// The state of a node.
    pub fn state<T: TimePart>(&self, space: &Space<T>, id: NodeId) -> State<T::Zone> {
        let (mut slots, mut words) = (Vec::new(), Vec::new());
        self.words(id, &mut words);
        self.packer.unpack(&words, &mut slots);
        let zone = space.time.load(&slots, self.zone(id));
        State { slots, zone }
    }

    /// The same into a state that is overwritten, into which nothing else is ever put.
    pub fn load<T: TimePart>(&self, space: &Space<T>, id: NodeId, loaded: &mut Loaded<T::Zone>) {
        let Loaded { state, words, code, before } = loaded;
        std::mem::swap(words, before);
        self.words(id, words);
        // Neighbours have much in common.
        if before.len() == words.len() {
            self.packer.unpack_over(before, words, &mut state.slots);
        } else {
            self.packer.unpack(words, &mut state.slots);
        }
        *code = Interner::code(words);
        space.time.reload(&state.slots, self.zone(id), &mut state.zone);
    }

    /// The packed discrete part of a node; `words` are overwritten.
    fn words(&self, id: NodeId, words: &mut Vec<u64>) {
        if let Some(hashed) = self.shards[id.shard()].hashed() {
            words.clear();
            words.extend_from_slice(hashed.waiting(id.index()).0);
            return;
        }
        self.shards[id.shard()].discretes.read(&self.stores.parts, self.node(id).discrete, words);
    }

    /// The entries of a node's zone.
    pub fn zone(&self, id: NodeId) -> &[Bound] {
        if let Some(hashed) = self.shards[id.shard()].hashed() {
            return hashed.waiting(id.index()).1;
        }
        self.shards[id.shard()].zone(&self.stores, &self.node(id))
    }

    /// The id of a node's zone, once it is in the common store.
    pub fn zone_id(&self, id: NodeId) -> Option<ZoneId> {
        match self.node(id).zone {
            Place::Stored(zone) => Some(zone),
            Place::Nowhere | Place::Fresh(_) => None,
        }
    }

    /// What all shards share.
    pub fn stores(&self) -> &Stores {
        &self.stores
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
        if let Some(node) = self.shards[id.shard()].nodes.linked_mut(id.index()) {
            node.mark = mark;
        } else if mark != Mark::Waiting {
            self.retire(std::slice::from_ref(&id));
        }
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
            let number = shard.number();
            (0..shard.nodes.len()).map(move |index| NodeId::new(number, index))
        };
        self.shards.iter().flat_map(of).filter(|id| !self.is_covered(*id))
    }

    /// Number of nodes that no other covers.
    pub fn len(&self) -> u64 {
        let of = |shard: &Shard| match shard.hashed() {
            Some(hashed) => hashed.stored,
            None => shard.nodes.len() as u64 - shard.covered,
        };
        self.shards.iter().map(of).sum()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let Stores { zones, parts } = &self.stores;
        let shared = zones.bytes() + parts.as_ref().map_or(0, Collapse::bytes);
        shared + self.shards.iter().map(Shard::bytes).sum::<u64>()
    }

    /// Whether the state's discrete part and zone are those of the node.
    pub fn is<T: TimePart>(&self, time: &T, id: NodeId, state: &State<T::Zone>) -> bool {
        let (mut key, mut words) = (Key::default(), Vec::new());
        self.pack(&state.slots, &mut key);
        if let Some(hashed) = self.shards[id.shard()].hashed() {
            return hashed.is(id.index(), Fingerprint::of(&key.words, time.entries(&state.zone)));
        }
        self.words(id, &mut words);
        words == key.words && *self.zone(id) == *time.entries(&state.zone)
    }

    /// Whether nothing but hashes is kept of states.
    pub fn is_hashed(&self) -> bool {
        self.shards.first().is_some_and(|shard| shard.hashed().is_some())
    }

    /// How much may have been missed, where nothing but hashes is kept of states.
    pub fn coverage(&self) -> Option<Coverage> {
        let hashed = || self.shards.iter().filter_map(Shard::hashed);
        hashed().next()?;
        let bits = hashed().map(|hashed| hashed.bits()).sum::<Option<u64>>();
        let (states, omitted) = (self.len(), hashed().map(|hashed| hashed.omitted).sum());
        Some(Coverage { states, bits, expected_omissions: omitted })
    }

    /// These nodes have been expanded, or will not be: where nothing but hashes is kept, their states are forgotten, and
    /// with bit-state hashing nodes that nothing descends from, too.
    pub fn retire(&mut self, nodes: &[NodeId]) {
        for node in nodes {
            let mut next = Some(*node).filter(|node| {
                let hashed = self.shards[node.shard()].hashed_mut();
                // Runs begin with what has no parent.
                hashed.is_some_and(|hashed| hashed.is_passing(node.index()) && hashed.retire(node.index()))
            });
            while let Some(node) = next {
                let parent = self.hashed_mut(node).and_then(|hashed| hashed.release(node.index()));
                let alone = |parent: &NodeId| {
                    self.hashed_mut(*parent).is_some_and(|hashed| hashed.loses_child(parent.index()))
                };
                next = parent.filter(alone);
            }
        }
    }

    /// A label that leaves a node waits: the node is not forgotten.
    pub fn hold(&mut self, node: NodeId) {
        if let Some(hashed) = self.hashed_mut(node) {
            hashed.gains_child(node.index());
        }
    }

    fn hashed_mut(&mut self, node: NodeId) -> Option<&mut hashed::Hashed> {
        self.shards[node.shard()].hashed_mut()
    }

    /// Nodes know how many were reached from them.
    fn count_children(&mut self) {
        for shard in 0..self.shards.len() {
            let Some(hashed) = self.shards[shard].hashed_mut() else { return };
            for parent in std::mem::take(&mut hashed.born) {
                if let Some(hashed) = self.hashed_mut(parent) {
                    hashed.gains_child(parent.index());
                }
            }
        }
    }

    /// Collapses discrete parts that are stored whole when memory gets scarce, if that was left to us.
    pub fn relieve(&mut self, bytes: u64, limits: &Limits) {
        let scarce = || limits.memory.is_some_and(|most| bytes > most / 4 * 3);
        if self.may_collapse && scarce() {
            self.may_collapse = false;
            self.stores.parts = Collapse::of(self.packer.words());
            for shard in &mut self.shards {
                shard.settle(&mut self.stores);
            }
        }
    }
}
