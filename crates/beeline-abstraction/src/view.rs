//! A network seen through its labels: which edges can ever take part in one, what each of them reads and changes,
//! and whom it meets. In the words of Wehrle and Helmert (Section 3), a label *affects* a factor if it may change
//! it, and *restricts* it if it is not possible for every value of it.

use crate::target::Target;
use beeline_ir::expr::Expr;
use beeline_ir::network::{Edge, Network, Process, Role, Sync};
use beeline_ir::property::Property;
use beeline_ir::{EdgeId, IdVec, LocationId, ProcessId};
use beeline_program::schema::{EdgeRef, Parts, schemas};
use beeline_program::{Atom, ChannelUse, CompiledEdge, CompiledSync, Program, RoutineId, SlotSet};
use std::collections::BTreeMap;

/// Pairs of edges that may meet; networks with more are left alone.
const MEETINGS: usize = 1 << 20;

/// What an edge touches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// Slots its guard reads, clock constraints excepted.
    pub guard_reads: SlotSet,
    /// Slots that the rest of it reads.
    pub other_reads: SlotSet,
    /// Slots it may change, the location of its process among them if it leads elsewhere.
    pub writes: SlotSet,
    /// Whether it tests or sets a clock.
    pub clocks: bool,
}

impl Footprint {
    /// Whether it reads the slot.
    pub fn reads(&self, slot: usize) -> bool {
        self.guard_reads.contains(slot) || self.other_reads.contains(slot)
    }
}

/// A network and a property, compiled and looked through.
#[derive(Debug)]
pub struct View<'n> {
    /// The network.
    pub network: &'n Network,
    /// The same, compiled.
    pub program: Program,
    /// Its initial discrete state.
    pub initial: Vec<i64>,
    /// The edges that may take part in a label: those of the system that start from a location there is a way to,
    /// and are not [switched off](is_off).
    pub edges: BTreeMap<EdgeRef, Footprint>,
    /// The locations of each process there is a way to, as far as its edges alone say.
    pub locations: IdVec<ProcessId, Vec<LocationId>>,
    /// With whom an edge may make a label.
    pub partners: BTreeMap<EdgeRef, Vec<EdgeRef>>,
    /// Slots that some edge may change; all others are constants.
    pub changing: SlotSet,
    /// Slots that invariants read.
    pub invariant_reads: SlotSet,
    /// What is looked for.
    pub target: Target,
}

impl<'n> View<'n> {
    /// Looks a network through; `None` if it is too large for that, or there is no state to be reached.
    pub fn new(network: &'n Network, property: &Property) -> Option<Self> {
        let mut program = Program::compile(network);
        let target = Target::new(network, &mut program, property)?;
        let initial = program.layout.initial(network);
        let mut view = Self {
            network,
            initial,
            edges: BTreeMap::new(),
            locations: network.processes.iter().map(reached).collect(),
            partners: BTreeMap::new(),
            changing: SlotSet::default(),
            invariant_reads: SlotSet::default(),
            target,
            program,
        };
        view.look_at_processes();
        view.look_at_meetings()?;
        Some(view)
    }

    /// What it takes to look a network through: its slots, its edges, and the pairs of edges that might meet.
    pub fn effort(network: &Network) -> usize {
        let edges = || network.processes.iter().flat_map(|process| &process.edges);
        let sends = edges().filter(|e| matches!(e.sync, Sync::Send(_))).count();
        let receives = edges().filter(|e| matches!(e.sync, Sync::Receive(_))).count();
        let slots: usize = network.vars.iter().map(|var| var.init.len()).sum();
        slots + edges().count() + sends.saturating_mul(receives)
    }

    fn look_at_processes(&mut self) {
        let program = &self.program;
        for (id, process) in self.network.processes.enumerate() {
            if process.role == Role::Observer {
                continue;
            }
            for location in &program.processes[id].locations {
                let invariant = location.invariant.iter().flat_map(Atom::routines);
                for routine in invariant.chain(location.condition) {
                    self.invariant_reads.extend(&program.routines[routine].reads);
                }
            }
            for (edge, plain) in process.edges.enumerate() {
                if !is_off(plain) && self.locations[id].contains(&plain.source) {
                    let footprint = footprint(program, id, edge);
                    self.changing.extend(&footprint.writes);
                    self.edges.insert((id, edge), footprint);
                }
            }
        }
    }

    fn look_at_meetings(&mut self) -> Option<()> {
        let mut left = MEETINGS;
        let mut meet = |a: EdgeRef, b: EdgeRef| {
            left = left.checked_sub(1)?;
            if self.edges.contains_key(&a) && self.edges.contains_key(&b) {
                self.partners.entry(a).or_default().push(b);
                self.partners.entry(b).or_default().push(a);
            }
            Some(())
        };
        for schema in schemas(&self.program) {
            match schema.parts {
                Parts::Internal(_) => {}
                Parts::Pair(send, receive) => meet(send, receive)?,
                Parts::Broadcast(send, listeners) => {
                    for (process, edges) in listeners {
                        edges.into_iter().try_for_each(|edge| meet(send, (process, edge)))?;
                    }
                }
            }
        }
        Some(())
    }

    /// The edge, compiled.
    pub fn edge(&self, (process, edge): EdgeRef) -> &CompiledEdge {
        &self.program.processes[process].edges[edge]
    }
    /// The slot of the location that the edge starts from.
    pub fn home(&self, (process, _): EdgeRef) -> usize {
        self.program.layout.location[process]
    }
    /// Whether a label with this part may be impossible for some value in the slot.
    pub fn restricts(&self, edge: EdgeRef, slot: usize) -> bool {
        self.home(edge) == slot || self.edges.get(&edge).is_some_and(|footprint| footprint.reads(slot))
    }
    /// Whether nothing but this slot, and constants, is in the set.
    pub fn only(&self, reads: &SlotSet, slot: usize) -> bool {
        reads.iter().all(|read| read == slot || !self.changing.contains(read))
    }
    /// Whether anything still depends on the slot or changes it.
    pub fn mentions(&self, slot: usize) -> bool {
        let touches = |f: &Footprint| f.reads(slot) || f.writes.contains(slot);
        self.edges.values().any(touches) || self.invariant_reads.contains(slot) || self.target.reads(slot)
    }
    /// Whether the edge leaves a committed location.
    pub fn leaves_committed(&self, edge: EdgeRef) -> bool {
        self.program.processes[edge.0].locations[self.edge(edge).source].committed
    }
}

/// Makes an edge impossible. What its guard reads stays: proofs about what is left must know as much as the guard
/// needs.
pub fn switch_off(edge: &mut Edge) {
    let guard = std::mem::replace(&mut edge.guard, Expr::TRUE);
    edge.guard = Expr::And(vec![guard, Expr::FALSE]);
}

/// Makes an edge impossible, and nothing depend on what it was.
pub(crate) fn stop(edge: &mut Edge) {
    edge.guard = Expr::FALSE;
    (edge.frame, edge.selects) = (Vec::new(), 0);
    (edge.clock_guard, edge.sync, edge.update) = (Vec::new(), Sync::Internal, Vec::new());
}

/// Whether an edge is plainly impossible. (The evaluation of a guard with more in it than a constant may fail;
/// that matters to a broadcast which the edge would receive.)
pub fn is_off(edge: &Edge) -> bool {
    match &edge.guard {
        Expr::And(parts) => parts.contains(&Expr::FALSE) && !matches!(edge.sync, Sync::Receive(_)),
        guard => *guard == Expr::FALSE,
    }
}

/// Whether the edge may be over an urgent channel.
pub(crate) fn is_urgent(network: &Network, program: &Program, edge: &CompiledEdge) -> bool {
    let urgent = |channel: ChannelUse| match channel.declaration(program) {
        Some(id) => network.channels[id].urgent,
        None => network.channels.iter().any(|channel| channel.urgent),
    };
    edge.sync.channel().is_some_and(urgent)
}

/// The locations of a process that its edges lead to, in order.
fn reached(process: &Process) -> Vec<LocationId> {
    let mut seen: IdVec<LocationId, bool> = process.locations.iter().map(|_| false).collect();
    seen[process.initial] = true;
    let leaving = process.leaving();
    let mut open = vec![process.initial];
    while let Some(location) = open.pop() {
        for edge in &leaving[location] {
            let edge = &process.edges[*edge];
            if !is_off(edge) && !std::mem::replace(&mut seen[edge.target], true) {
                open.push(edge.target);
            }
        }
    }
    seen.enumerate().filter(|(_, seen)| **seen).map(|(id, _)| id).collect()
}

fn footprint(program: &Program, process: ProcessId, edge: EdgeId) -> Footprint {
    let edge = &program.processes[process].edges[edge];
    let mut footprint = Footprint { clocks: !edge.clock_guard.is_empty(), ..Footprint::default() };
    let routine = |id: RoutineId| &program.routines[id];
    for id in edge.clock_guard.iter().flat_map(Atom::routines) {
        footprint.other_reads.extend(&routine(id).reads);
    }
    if let Some(guard) = edge.guard {
        footprint.guard_reads.extend(&routine(guard).reads);
    }
    if let CompiledSync::Send { routine: Some(id), .. } | CompiledSync::Receive { routine: Some(id), .. } =
        edge.sync
    {
        footprint.other_reads.extend(&routine(id).reads);
    }
    if let Some(update) = edge.update {
        let update = routine(update);
        footprint.other_reads.extend(&update.reads);
        footprint.writes.extend(&update.writes);
        footprint.clocks |= !update.clocks_read.is_empty() || !update.clocks_written.is_empty();
    }
    if edge.source != edge.target {
        footprint.writes.insert(program.layout.location[process]);
    }
    footprint
}
