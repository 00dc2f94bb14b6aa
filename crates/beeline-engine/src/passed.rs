//! The passed list: every symbolic state kept, with what searches need to know of it.
//!
//! *Owns* the packed discrete parts and the zones (equal ones are stored once), and the nodes:
//! `(zone, g, status)` with a parent. The nodes of one discrete part form a linked
//! antichain. A node that a later, larger one covers keeps its place (its descendants need it as a parent) but
//! leaves the antichain.
//!
//! Covering is plain inclusion of abstracted zones, so that the uncovered nodes are the rows of a certificate.

use crate::state::interner::{DiscreteId, Interner};
use crate::state::packing::Packer;
use crate::state::zone_store::{ZoneId, ZoneStore};
use crate::successors::space::{Space, State};
use crate::time::TimePart;
use beeline_zones::Bound;
use beeline_zones::fault::{self, Fault};
use std::num::NonZeroU32;

/// A node of the search.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    fn new(index: usize) -> Self {
        let next = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Self(next.expect("fewer than 2^32 states fit in memory"))
    }
    /// The position of the node.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What has become of a node.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// Waiting to be expanded.
    Open,
    /// Expanded.
    Closed,
    /// A later node includes it; it need not be expanded and is no part of the proof.
    Covered,
}

/// Which stored nodes may cover which.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Covering {
    /// Only a node reached in no more steps covers another: keeps lengths exact.
    ByCost,
    /// Any node: keeps only reachability exact.
    Any,
}

#[derive(Copy, Clone, Debug)]
struct Node {
    discrete: DiscreteId,
    zone: ZoneId,
    g: u32,
    parent: Option<NodeId>,
    status: Status,
    /// The next node of the same antichain.
    next: Option<NodeId>,
}

/// The passed list.
#[derive(Debug)]
pub struct Passed {
    packer: Packer,
    interner: Interner,
    /// First node of each discrete part's antichain.
    heads: Vec<Option<NodeId>>,
    nodes: Vec<Node>,
    zones: ZoneStore,
    covering: Covering,
    covered: u64,
    /// Scratch for packing.
    words: Vec<u64>,
}

impl Passed {
    /// An empty list for states of that packing and zones of that many entries.
    pub fn new(packer: Packer, covering: Covering) -> Self {
        let interner = Interner::new(packer.words());
        let (heads, nodes, words) = (Vec::new(), Vec::new(), Vec::new());
        Self { packer, interner, heads, nodes, zones: ZoneStore::default(), covering, covered: 0, words }
    }

    /// Adds a state unless a stored one covers it.
    pub fn insert<T: TimePart>(
        &mut self,
        time: &T,
        state: &State<T::Zone>,
        g: u32,
        parent: Option<NodeId>,
    ) -> Option<NodeId> {
        if fault::active(Fault::StoreKeyOmitsVariables) && self.covered_by_locations(time, state) {
            return None;
        }
        self.packer.pack(&state.slots, &mut self.words);
        let (discrete, new) = self.interner.intern(&self.words);
        if new {
            self.heads.push(None);
        }
        let zone = time.entries(&state.zone);
        let covers = |older: &Node| self.covering == Covering::Any || older.g <= g;
        let mut cursor = self.heads[discrete.index()];
        while let Some(id) = cursor {
            let node = &self.nodes[id.index()];
            if covers(node) && time.includes(self.zone(id), zone) {
                return None;
            }
            cursor = node.next;
        }
        self.drop_covered(time, discrete, zone, g);
        let id = NodeId::new(self.nodes.len());
        let next = self.heads[discrete.index()].replace(id);
        let zone = self.zones.intern(zone);
        self.nodes.push(Node { discrete, zone, g, parent, status: Status::Open, next });
        Some(id)
    }

    /// Removes from an antichain what the zone covers.
    fn drop_covered<T: TimePart>(&mut self, time: &T, discrete: DiscreteId, zone: &[Bound], g: u32) {
        let mut previous: Option<NodeId> = None;
        let mut cursor = self.heads[discrete.index()];
        while let Some(id) = cursor {
            let node = self.nodes[id.index()];
            let may = self.covering == Covering::Any || g <= node.g;
            if may && time.includes(zone, self.zone(id)) {
                match previous {
                    Some(p) => self.nodes[p.index()].next = node.next,
                    None => self.heads[discrete.index()] = node.next,
                }
                self.nodes[id.index()].status = Status::Covered;
                self.covered += 1;
            } else {
                previous = Some(id);
            }
            cursor = node.next;
        }
    }

    /// The seeded bug: a state counts as seen if one with the same locations and a larger zone was.
    fn covered_by_locations<T: TimePart>(&self, time: &T, state: &State<T::Zone>) -> bool {
        let mut slots = Vec::new();
        self.nodes.iter().enumerate().any(|(i, node)| {
            self.packer.unpack(self.interner.get(node.discrete), &mut slots);
            slots[0] == state.slots[0] && time.includes(self.zone(NodeId::new(i)), time.entries(&state.zone))
        })
    }

    /// The state of a node.
    pub fn state<T: TimePart>(&self, space: &Space<T>, id: NodeId) -> State<T::Zone> {
        let mut slots = Vec::new();
        self.packer.unpack(self.interner.get(self.nodes[id.index()].discrete), &mut slots);
        let zone = space.time.load(&space.program, &slots, self.zone(id));
        State { slots, zone }
    }

    /// The entries of a node's zone.
    pub fn zone(&self, id: NodeId) -> &[Bound] {
        self.zones.get(self.nodes[id.index()].zone)
    }

    /// Steps to a node.
    pub fn g(&self, id: NodeId) -> u32 {
        self.nodes[id.index()].g
    }

    /// The node it was reached from.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes[id.index()].parent
    }

    /// What has become of a node.
    pub fn status(&self, id: NodeId) -> Status {
        self.nodes[id.index()].status
    }

    /// Marks a node as expanded.
    pub fn close(&mut self, id: NodeId) {
        debug_assert_eq!(self.status(id), Status::Open);
        self.nodes[id.index()].status = Status::Closed;
    }

    /// Every node that no other covers, in the order they were stored.
    pub fn kept(&self) -> impl Iterator<Item = NodeId> + '_ {
        let ids = (0..self.nodes.len()).map(NodeId::new);
        ids.filter(|id| self.status(*id) != Status::Covered)
    }

    /// Number of nodes that no other covers.
    pub fn len(&self) -> u64 {
        self.nodes.len() as u64 - self.covered
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let nodes =
            self.nodes.capacity() * size_of::<Node>() + self.heads.capacity() * size_of::<Option<NodeId>>();
        self.interner.bytes() + self.zones.bytes() + nodes as u64
    }

    /// Whether the state's discrete part and zone are those of the node.
    pub fn is<T: TimePart>(&self, time: &T, id: NodeId, state: &State<T::Zone>) -> bool {
        let mut words = Vec::new();
        self.packer.pack(&state.slots, &mut words);
        *self.interner.get(self.nodes[id.index()].discrete) == *words
            && *self.zone(id) == *time.entries(&state.zone)
    }
}
