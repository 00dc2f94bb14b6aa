//! The whole state graph of a network: every symbolic state, what leads where, and how far the target is from each. It
//! is what a pattern database is made of, when the network is a projection.
//!
//! *Owns* the packed discrete parts, the zones, the nodes in the order they were found, and the arcs in the order of
//! their nodes. Nothing ends at the target: states beyond it are asked about, too.
//!
//! A state that a stored node includes is no node of its own: the arc leads to the node. A node that a later one
//! includes before its turn has come is not expanded: an arc that costs nothing leads to the later one. Both only
//! shorten ways, so that distances are lower bounds for all that a node includes; and whatever is reached from a state
//! that a node includes is included by what is reached from the node, so that they are consistent.

use crate::api::Options;
use crate::prepare::{Prepared, prepare_with};
use crate::search::is_target;
use crate::state::interner::{DiscreteId, Interner};
use crate::state::packing::Packer;
use crate::state::zone_store::{self, ZoneId, ZoneStore};
use crate::successors::expand::Scratch;
use crate::successors::space::{Goal, Space, State};
use crate::time::TimePart;
use beeline_ir::ClockId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::Machine;
use beeline_program::schema::EdgeRef;
use std::collections::BTreeSet;

/// Expansions between two looks at the limits.
const INTERVAL: usize = 256;

/// The number of steps from a node to the target.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Distance(u16);

impl Distance {
    /// The target is out of reach.
    pub const INFINITE: Self = Self(u16::MAX);
    /// The target may be here.
    pub const ZERO: Self = Self(0);

    /// So many steps, or as many as can be told apart.
    pub fn new(steps: u32) -> Self {
        Self(u16::try_from(steps).unwrap_or(u16::MAX).min(u16::MAX - 1))
    }
    /// The number; `None` if the target is out of reach.
    #[inline]
    pub fn steps(self) -> Option<u32> {
        (self != Self::INFINITE).then_some(u32::from(self.0))
    }
}

/// Where an arc leads, and whether that counts as a step.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Arc(u32);

impl Arc {
    fn new(to: usize, costs: bool) -> Self {
        Self((to as u32) << 1 | u32::from(costs))
    }
    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
    fn costs(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Nodes that can be told apart.
const MOST_NODES: usize = 1 << 31;

/// A symbolic state.
#[derive(Copy, Clone, Debug)]
struct Node {
    discrete: DiscreteId,
    zone: ZoneId,
    /// The clocks that its zone is about.
    clocks: u32,
    /// The next node of the same discrete part that no later one includes.
    next: Option<u32>,
    /// A later node that includes it, if that came before its turn.
    covered_by: Option<u32>,
}

/// Why there is no graph.
#[derive(Debug)]
pub enum NoGraph {
    /// The network uses something that this engine does not handle.
    Unsupported(Vec<Diagnostic>),
    /// A limit was reached, or someone asked to stop.
    Stopped(StopReason),
    /// There are more nodes than were asked for.
    TooLarge,
}

impl From<StopReason> for NoGraph {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// The graph.
#[derive(Debug)]
pub struct Graph {
    packer: Packer,
    interner: Interner,
    /// The newest node of each discrete part.
    heads: Vec<u32>,
    nodes: Vec<Node>,
    zones: ZoneStore,
    /// Sets of clocks that zones are about.
    clocks: Vec<Vec<ClockId>>,
    arcs: Vec<Arc>,
    /// Where the arcs of each node begin, and where those of the next one will.
    starts: Vec<u64>,
    /// Nodes that are the target, or that it is a label away from, and whether that counts as a step.
    seeds: Vec<(u32, bool)>,
}

/// A node that was expanded.
#[derive(Copy, Clone, Debug)]
pub struct Known {
    /// Its place in the list of distances.
    pub number: usize,
    /// Its discrete part.
    pub discrete: DiscreteId,
    /// Its zone.
    pub zone: ZoneId,
}

/// The states of a graph.
#[derive(Debug)]
pub struct States {
    /// How discrete parts are packed.
    pub packer: Packer,
    /// The discrete parts.
    pub interner: Interner,
    /// The zones.
    pub zones: ZoneStore,
    /// The nodes.
    pub nodes: Vec<Known>,
    /// By discrete part, the set of clocks that its zones are about.
    clocks: Vec<u32>,
    /// These sets, each ascending: the clocks of row 1, row 2 and so on.
    sets: Vec<Vec<ClockId>>,
}

impl States {
    /// The clocks that zones of a discrete part are about.
    #[inline]
    pub fn clocks(&self, discrete: DiscreteId) -> &[ClockId] {
        &self.sets[self.clocks[discrete.index()] as usize]
    }

    /// Bytes in use, without the nodes.
    pub fn bytes(&self) -> u64 {
        self.interner.bytes() + self.zones.bytes() + size_of_val(&*self.clocks) as u64
    }
}

/// Makes one of discrete parts that are alike.
pub type Forget<'a> = Option<&'a dyn Fn(&mut [i64])>;

/// Explores all of a network. The edges given count as leaving a committed location, wherever they start. Whoever knows
/// of discrete parts that are alike says which stands for them. Gives up when there are more nodes than `most`.
pub fn explore(
    network: &Network,
    property: &Property,
    committed: &BTreeSet<EdgeRef>,
    forget: Forget<'_>,
    limits: &Limits,
    most: usize,
) -> Result<Graph, NoGraph> {
    // Whoever looks a state up knows the values of all variables.
    let options = Options { dead_variables: false, ..Options::default() };
    let initial = |space: &beeline_program::Program| space.layout.initial(network);
    let most = most.min(MOST_NODES);
    match prepare_with(network, Some(property), &options, committed).map_err(NoGraph::Unsupported)? {
        Prepared::Untimed(space) => {
            let start = initial(&space.program);
            Builder::new(&*space, &start, forget, limits, most).run(start)
        }
        Prepared::Timed(space) => {
            let start = initial(&space.program);
            Builder::new(&*space, &start, forget, limits, most).run(start)
        }
    }
}

struct Builder<'a, T: TimePart> {
    space: &'a Space<T>,
    limits: &'a Limits,
    most: usize,
    machine: Machine,
    scratch: Scratch<T::Zone>,
    state: State<T::Zone>,
    store: Store<'a>,
}

impl<'a, T: TimePart> Builder<'a, T> {
    fn new(
        space: &'a Space<T>,
        initial: &[i64],
        forget: Forget<'a>,
        limits: &'a Limits,
        most: usize,
    ) -> Self {
        let packer = Packer::new(space.ranges());
        let graph = Graph {
            interner: Interner::new(packer.words()),
            packer,
            heads: Vec::new(),
            nodes: Vec::new(),
            zones: ZoneStore::default(),
            clocks: Vec::new(),
            arcs: Vec::new(),
            starts: Vec::new(),
            seeds: Vec::new(),
        };
        Self {
            space,
            limits,
            most,
            machine: Machine::new(&space.program),
            scratch: space.scratch(initial),
            state: State { slots: initial.to_vec(), zone: space.time.universal(initial) },
            store: Store { graph, forget, slots: Vec::new(), words: Vec::new(), turn: 0 },
        }
    }

    fn run(mut self, initial: Vec<i64>) -> Result<Graph, NoGraph> {
        let mut fails = false;
        for (state, _) in self.space.initial(&mut self.machine, initial, &mut fails, self.limits)? {
            let node = self.store.arrive(&self.space.time, &state);
            if fails {
                self.store.graph.seeds.push((node as u32, false));
            }
        }
        while self.store.turn < self.store.graph.nodes.len() {
            if self.store.turn.is_multiple_of(INTERVAL) {
                let graph = &self.store.graph;
                self.limits.check(graph.nodes.len() as u64, graph.bytes())?;
                if graph.nodes.len() > self.most {
                    return Err(NoGraph::TooLarge);
                }
            }
            self.expand()?;
        }
        self.store.graph.starts.push(self.store.graph.arcs.len() as u64);
        Ok(self.store.graph)
    }

    /// Makes the arcs of the node whose turn it is.
    fn expand(&mut self) -> Result<(), StopReason> {
        let Self { space, limits, machine, scratch, state, store, .. } = self;
        let node = store.turn;
        store.graph.starts.push(store.graph.arcs.len() as u64);
        if let Some(later) = store.graph.nodes[node].covered_by {
            store.graph.arcs.push(Arc::new(later as usize, false));
            store.turn += 1;
            return Ok(());
        }
        store.graph.load(space, node, state);
        let mut fails = false;
        if is_target(space, machine, state, limits, &mut fails)? || fails {
            store.graph.seeds.push((node as u32, false));
        }
        let first = store.graph.arcs.len();
        let left = space.expand(machine, scratch, state, limits, &mut |successor| {
            let costs = successor.label.costs();
            if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                store.graph.seeds.push((node as u32, costs));
            }
            let to = store.arrive(&space.time, successor.state);
            let arc = Arc::new(to, costs);
            // Labels that differ only in what is not seen here lead to the same node.
            if to != node && !store.graph.arcs[first..].contains(&arc) {
                store.graph.arcs.push(arc);
            }
        })?;
        if left.observer_fails {
            store.graph.seeds.push((node as u32, false));
        }
        if matches!(space.goal, Goal::RuntimeError) {
            store.graph.seeds.extend(left.failing.iter().map(|label| (node as u32, label.costs)));
        }
        store.turn += 1;
        Ok(())
    }
}

/// A graph that grows.
struct Store<'a> {
    graph: Graph,
    forget: Forget<'a>,
    slots: Vec<i64>,
    words: Vec<u64>,
    /// The node that is expanded next.
    turn: usize,
}

impl Store<'_> {
    /// The node of a state: one that includes it, or a new one.
    fn arrive<T: TimePart>(&mut self, time: &T, state: &State<T::Zone>) -> usize {
        let Self { graph, forget, slots, words, turn } = self;
        if let Some(forget) = forget {
            slots.clone_from(&state.slots);
            forget(slots);
            graph.packer.pack(slots, words);
        } else {
            graph.packer.pack(&state.slots, words);
        }
        let (discrete, fresh) = graph.interner.intern(Interner::code(words), words);
        let zone = time.entries(&state.zone);
        let number = graph.nodes.len() as u32;
        let mut next = (!fresh).then(|| graph.heads[discrete.index()]);
        // The chain is rebuilt without what the new node includes.
        let mut at = next;
        while let Some(known) = at {
            let node = graph.nodes[known as usize];
            if T::includes(graph.zones.get(node.zone), zone) {
                return known as usize;
            }
            at = node.next;
        }
        let mut last: Option<u32> = None;
        at = next;
        while let Some(known) = at {
            let node = graph.nodes[known as usize];
            at = node.next;
            if T::includes(zone, graph.zones.get(node.zone)) {
                match last {
                    None => next = node.next,
                    Some(last) => graph.nodes[last as usize].next = node.next,
                }
                if known as usize > *turn {
                    graph.nodes[known as usize].covered_by = Some(number);
                }
            } else {
                last = Some(known);
            }
        }
        let view = time.view(&state.zone);
        let clocks = graph.clocks.iter().position(|clocks| clocks == view.clocks).unwrap_or_else(|| {
            graph.clocks.push(view.clocks.to_vec());
            graph.clocks.len() - 1
        });
        let zone = graph.zones.intern(zone_store::code(zone), zone);
        graph.nodes.push(Node { discrete, zone, clocks: clocks as u32, next, covered_by: None });
        if fresh {
            graph.heads.push(number);
        } else {
            graph.heads[discrete.index()] = number;
        }
        number as usize
    }
}

impl Graph {
    fn load<T: TimePart>(&self, space: &Space<T>, node: usize, state: &mut State<T::Zone>) {
        let Node { discrete, zone, .. } = self.nodes[node];
        self.packer.unpack(self.interner.get(discrete), &mut state.slots);
        space.time.reload(&state.slots, self.zones.get(zone), &mut state.zone);
    }

    /// Slots of a state: those of the layout, and cells for the differences of clocks that are compared.
    pub fn width(&self) -> usize {
        self.packer.slots()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes that were expanded, without what leads where.
    pub fn into_states(self) -> States {
        let expanded = self.nodes.iter().enumerate().filter(|(_, node)| node.covered_by.is_none());
        let nodes = expanded.map(|(number, node)| Known { number, discrete: node.discrete, zone: node.zone });
        let nodes = nodes.collect();
        let mut clocks = vec![0; self.interner.len()];
        // What matters depends on the discrete part alone.
        self.nodes.iter().for_each(|node| clocks[node.discrete.index()] = node.clocks);
        let Self { packer, interner, zones, clocks: sets, .. } = self;
        States { packer, interner, zones, nodes, clocks, sets }
    }

    /// The steps from every node to the target, by backward 0-1 breadth-first search.
    pub fn distances(&self) -> Vec<Distance> {
        let (starts, sources) = self.reversed();
        let mut distances = vec![Distance::INFINITE; self.nodes.len()];
        // Those at the distance at hand, and those one step farther.
        let (mut now, mut next): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (node, costs) in &self.seeds {
            if *costs { next.push(*node) } else { now.push(*node) }
        }
        let mut steps = 0;
        while !now.is_empty() || !next.is_empty() {
            while let Some(node) = now.pop() {
                let node = node as usize;
                if distances[node] != Distance::INFINITE {
                    continue;
                }
                distances[node] = Distance::new(steps);
                for source in &sources[starts[node] as usize..starts[node + 1] as usize] {
                    if distances[source.node()] == Distance::INFINITE {
                        let to = if source.costs() { &mut next } else { &mut now };
                        to.push(source.node() as u32);
                    }
                }
            }
            std::mem::swap(&mut now, &mut next);
            steps += 1;
        }
        distances
    }

    /// The arcs by the node that they lead to, each with the node that it leaves.
    fn reversed(&self) -> (Vec<u64>, Vec<Arc>) {
        let mut starts = vec![0u64; self.nodes.len() + 1];
        for arc in &self.arcs {
            starts[arc.node() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sources = vec![Arc::new(0, false); self.arcs.len()];
        for node in 0..self.nodes.len() {
            for arc in &self.arcs[self.starts[node] as usize..self.starts[node + 1] as usize] {
                let place = &mut next[arc.node()];
                sources[*place as usize] = Arc::new(node, arc.costs());
                *place += 1;
            }
        }
        (starts, sources)
    }

    /// Bytes in use, those that finding distances takes included.
    pub fn bytes(&self) -> u64 {
        let nodes = size_of::<Node>() + size_of::<u32>() + 3 * size_of::<u64>();
        let arcs = 2 * size_of::<Arc>();
        let lists = self.nodes.len() * nodes + self.arcs.len() * arcs;
        self.interner.bytes() + self.zones.bytes() + lists as u64
    }
}
