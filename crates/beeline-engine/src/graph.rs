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

pub mod follow;
pub mod named;
mod side_by_side;

use crate::api::Options;
use crate::prepare::{Prepared, prepare_with};
use crate::state::interner::{DiscreteId, Interner};
use crate::state::packing::Packer;
use crate::state::zone_store::{self, ZoneId, ZoneStore};
use crate::successors::expand::{Scratch, Successor};
use crate::successors::space::{Goal, Space, State};
use crate::time::TimePart;
use beeline_ir::ClockId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::Machine;
use beeline_program::schema::EdgeRef;
use named::Names;
use rustc_hash::FxHashMap;
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
    seeds: Seeds,
}

/// Nodes, and whether the label that leads from them to the target counts as a step.
type Seeds = Vec<(u32, bool)>;

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

    /// By discrete part, which of the [sets](Self::sets) its zones are about.
    pub fn set_of(&self, discrete: DiscreteId) -> u32 {
        self.clocks[discrete.index()]
    }

    /// The sets of clocks that zones are about.
    pub fn sets(&self) -> &[Vec<ClockId>] {
        &self.sets
    }

    /// States whose nodes are known elsewhere, as [`Graph::into_states`] would give them; `clocks` has a number of a set
    /// for every discrete part.
    pub fn new(
        packer: Packer,
        interner: Interner,
        zones: ZoneStore,
        clocks: Vec<u32>,
        sets: Vec<Vec<ClockId>>,
    ) -> Self {
        Self { packer, interner, zones, nodes: Vec::new(), clocks, sets }
    }

    /// Bytes in use, without the nodes.
    pub fn bytes(&self) -> u64 {
        self.interner.bytes() + self.zones.bytes() + size_of_val(&*self.clocks) as u64
    }
}

/// Makes one of discrete parts that are alike.
pub type Forget<'a> = Option<&'a (dyn Fn(&mut [i64]) + Sync)>;

/// Explores all of a network. The edges given count as leaving a committed location, wherever they start. Whoever knows
/// of discrete parts that are alike says which stands for them. Gives up when there are more nodes than `most`. The graph
/// does not depend on the number of threads, which only a network without clocks makes use of.
pub fn explore(
    network: &Network,
    property: &Property,
    committed: &BTreeSet<EdgeRef>,
    forget: Forget<'_>,
    limits: &Limits,
    most: usize,
    threads: usize,
) -> Result<Graph, NoGraph> {
    // Whoever looks a state up knows the values of all variables.
    let options = Options { dead_variables: false, ..Options::default() };
    let initial = |space: &beeline_program::Program| space.layout.initial(network);
    let most = most.min(MOST_NODES);
    match prepare_with(network, Some(property), &options, committed).map_err(NoGraph::Unsupported)? {
        Prepared::Untimed(space) => {
            let start = initial(&space.program);
            let mut builder = Builder::new(&*space, &start, forget, limits, most);
            builder.begin(start.clone())?;
            if threads > 1 {
                builder.expand_side_by_side(&start, threads)?;
            }
            builder.run()
        }
        Prepared::Timed(space) => {
            let start = initial(&space.program);
            let mut builder = Builder::new(&*space, &start, forget, limits, most);
            builder.begin(start)?;
            builder.run()
        }
    }
}

/// What it takes to look at what a state can do.
struct Eyes<T: TimePart> {
    machine: Machine,
    scratch: Scratch<T::Zone>,
    state: State<T::Zone>,
}

impl<T: TimePart> Eyes<T> {
    fn new(space: &Space<T>, initial: &[i64]) -> Self {
        Self {
            machine: Machine::new(&space.program),
            scratch: space.scratch(initial),
            state: State { slots: initial.to_vec(), zone: space.time.universal(initial) },
        }
    }

    /// Shows where the labels of the state, which is that of a node, lead; notes if the target is there or on the way.
    fn look(
        &mut self,
        space: &Space<T>,
        limits: &Limits,
        node: usize,
        seeds: &mut Seeds,
        visit: &mut dyn FnMut(&Successor<'_, T::Zone>),
    ) -> Result<(), StopReason> {
        let Self { machine, scratch, state } = self;
        let node = node as u32;
        let mut fails = false;
        if space.goal.is_met(space, machine, state, limits, &mut fails)? || fails {
            seeds.push((node, false));
        }
        let left = space.expand(machine, scratch, state, limits, &mut |successor| {
            let costs = successor.label.costs();
            if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                seeds.push((node, costs));
            }
            visit(&successor);
        })?;
        if left.observer_fails {
            seeds.push((node, false));
        }
        if matches!(space.goal, Goal::RuntimeError) {
            seeds.extend(left.failing.iter().map(|label| (node, label.costs)));
        }
        Ok(())
    }
}

struct Builder<'a, T: TimePart> {
    space: &'a Space<T>,
    limits: &'a Limits,
    most: usize,
    eyes: Eyes<T>,
    store: Store<'a>,
    /// Successors, and bounds compared, that have been counted as work.
    paid: (u64, u64),
    /// What arcs are called, if that is asked for.
    names: Option<(&'a Network, Names)>,
}

impl<'a, T: TimePart> Builder<'a, T> {
    fn new(
        space: &'a Space<T>,
        initial: &[i64],
        forget: Forget<'a>,
        limits: &'a Limits,
        most: usize,
    ) -> Self {
        let (eyes, store) = (Eyes::new(space, initial), Store::new(space, forget, most));
        Self { space, limits, most, eyes, store, paid: (0, 0), names: None }
    }

    fn begin(&mut self, initial: Vec<i64>) -> Result<(), NoGraph> {
        let mut fails = false;
        for (state, _) in self.space.initial(&mut self.eyes.machine, initial, &mut fails, self.limits)? {
            let node = self.store.arrive(&self.space.time, &state);
            if fails {
                self.store.graph.seeds.push((node as u32, false));
            }
        }
        Ok(())
    }

    /// Expands what has not been expanded.
    fn run(mut self) -> Result<Graph, NoGraph> {
        self.expand_all()?;
        Ok(self.store.graph)
    }

    fn expand_all(&mut self) -> Result<(), NoGraph> {
        while self.store.turn < self.store.graph.nodes.len() {
            if self.store.turn.is_multiple_of(INTERVAL) {
                self.check()?;
            }
            self.expand()?;
        }
        // Whether there is a graph depends on how many nodes it has, not on when that was looked at.
        self.within()?;
        self.store.graph.starts.push(self.store.graph.arcs.len() as u64);
        Ok(())
    }

    fn check(&mut self) -> Result<(), NoGraph> {
        let graph = &self.store.graph;
        let names = self.names.as_ref().map_or(0, |(_, names)| names.bytes());
        self.limits.check(graph.nodes.len() as u64, graph.bytes() + names)?;
        let done = (self.store.made, self.store.compared);
        let before = std::mem::replace(&mut self.paid, done);
        self.limits.spend_on(done.0 - before.0, done.1 - before.1)?;
        self.within()
    }

    fn within(&self) -> Result<(), NoGraph> {
        if self.store.graph.nodes.len() > self.most { Err(NoGraph::TooLarge) } else { Ok(()) }
    }

    /// Makes the arcs of the node whose turn it is.
    fn expand(&mut self) -> Result<(), StopReason> {
        let Self { space, limits, eyes, store, names, .. } = self;
        let (node, first) = (store.turn, store.graph.arcs.len());
        store.graph.starts.push(first as u64);
        if let Some(later) = store.graph.nodes[node].covered_by {
            store.graph.arcs.push(Arc::new(later as usize, false));
            store.turn += 1;
            return Ok(());
        }
        store.graph.load(space, node, &mut eyes.state);
        let mut seeds = std::mem::take(&mut store.graph.seeds);
        eyes.look(space, limits, node, &mut seeds, &mut |successor| {
            store.made += 1;
            let to = store.arrive(&space.time, successor.state);
            store.graph.lead(node, first, Arc::new(to, successor.label.costs()));
            if let Some((network, names)) = names {
                names.note(network, node, to, successor.label.edges());
            }
        })?;
        store.graph.seeds = seeds;
        store.turn += 1;
        Ok(())
    }
}

/// Packs discrete parts, all that are alike as one.
struct Pen<'a> {
    forget: Forget<'a>,
    slots: Vec<i64>,
    /// What was packed last.
    words: Vec<u64>,
}

impl<'a> Pen<'a> {
    fn new(forget: Forget<'a>) -> Self {
        Self { forget, slots: Vec::new(), words: Vec::new() }
    }

    fn pack(&mut self, packer: &Packer, slots: &[i64]) {
        let Some(forget) = self.forget else { return packer.pack(slots, &mut self.words) };
        self.slots.clear();
        self.slots.extend_from_slice(slots);
        forget(&mut self.slots);
        packer.pack(&self.slots, &mut self.words);
    }
}

/// A graph that grows.
struct Store<'a> {
    graph: Graph,
    pen: Pen<'a>,
    /// The node that is expanded next.
    turn: usize,
    /// The sets of clocks of the graph by their number.
    clocks: FxHashMap<Vec<ClockId>, u32>,
    /// Successors made.
    made: u64,
    /// Bounds compared to find nodes that include others.
    compared: u64,
}

impl<'a> Store<'a> {
    /// A graph that will have no more than about so many nodes.
    fn new<T: TimePart>(space: &Space<T>, forget: Forget<'a>, most: usize) -> Self {
        let packer = Packer::new(space.ranges());
        let graph = Graph {
            interner: Interner::within(&packer, most.saturating_mul(2)),
            packer,
            heads: Vec::new(),
            nodes: Vec::new(),
            zones: ZoneStore::default(),
            clocks: Vec::new(),
            arcs: Vec::new(),
            starts: Vec::new(),
            seeds: Vec::new(),
        };
        Self { graph, pen: Pen::new(forget), turn: 0, clocks: FxHashMap::default(), made: 0, compared: 0 }
    }

    /// The node of a state: one that includes it, or a new one.
    fn arrive<T: TimePart>(&mut self, time: &T, state: &State<T::Zone>) -> usize {
        self.pen.pack(&self.graph.packer, &state.slots);
        self.settle(time, &state.zone)
    }

    /// The node of the packed discrete part at hand, with a zone.
    fn settle<T: TimePart>(&mut self, time: &T, zone: &T::Zone) -> usize {
        let Self { graph, pen: Pen { words, .. }, turn, clocks, compared, .. } = self;
        let (discrete, fresh) = graph.interner.intern(Interner::code(words), words);
        let (view, zone) = (time.view(zone), time.entries(zone));
        if zone.is_empty() && !fresh {
            // Without clocks each discrete part is one node, and both are numbered in the order they are found.
            return discrete.index();
        }
        let number = graph.nodes.len() as u32;
        let mut next = (!fresh).then(|| graph.heads[discrete.index()]);
        // The chain is rebuilt without what the new node includes.
        let mut at = next;
        while let Some(known) = at {
            let node = graph.nodes[known as usize];
            *compared += zone.len() as u64;
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
        let clocks = clocks.get(view.clocks).copied().unwrap_or_else(|| {
            graph.clocks.push(view.clocks.to_vec());
            clocks.insert(view.clocks.to_vec(), graph.clocks.len() as u32 - 1);
            graph.clocks.len() as u32 - 1
        });
        let zone = graph.zones.intern(zone_store::code(zone), zone);
        graph.nodes.push(Node { discrete, zone, clocks, next, covered_by: None });
        if fresh {
            graph.heads.push(number);
        } else {
            graph.heads[discrete.index()] = number;
        }
        number as usize
    }
}

impl Graph {
    /// Adds an arc of a node whose arcs begin there.
    fn lead(&mut self, node: usize, first: usize, arc: Arc) {
        // Labels that differ only in what is not seen here lead to the same node.
        if arc.node() != node && !self.arcs[first..].contains(&arc) {
            self.arcs.push(arc);
        }
    }

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
