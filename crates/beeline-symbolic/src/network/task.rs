//! A network and a question as variables: the slots of a state, a counter for each clock, and the inputs of a step.
//! What a process contributes to a label is an edge with select values, so each process has inputs of its own: the
//! select values, and which of several receiving edges it takes.

use super::clocks::Clocks;
use super::mentions_deadlock;
use crate::encoding::Encoding;
use crate::order;
use crate::translate::NotMade;
use beeline_ir::expr::Range;
use beeline_ir::layout::{Slot, SlotKind};
use beeline_ir::network::{ChannelKind, Network, Role};
use beeline_ir::property::{Property, Target};
use beeline_ir::relation::RelationRole;
use beeline_ir::{IdVec, ProcessId, VarId};
use beeline_program::schema::{Parts, schemas};
use beeline_program::{CompiledEdge, Op, Predicate, Program, RoutineId};
use std::collections::BTreeSet;

/// Values of a slot that the kernel may have to try one by one.
const MOST_TRIED: u128 = 64;

/// What to search for where.
pub(crate) struct Task<'n> {
    pub network: &'n Network,
    pub program: Program,
    pub target: Predicate,
    pub clocks: Clocks,
    /// The ranges of the inputs of each process.
    pub inputs: IdVec<ProcessId, Inputs>,
}

/// What a process may choose in a step.
pub(crate) struct Inputs {
    /// The position of its first input among all variables.
    pub first: usize,
    /// Which of its edges receives: 0 for none.
    pub receiver: Range,
    /// By position: a range that holds those of all its edges.
    pub selects: Vec<Range>,
}

impl<'n> Task<'n> {
    pub fn new(network: &'n Network, property: &Property) -> Result<Self, NotMade> {
        let Target::State(predicate) = property.target() else {
            return Err(NotMade::Unsupported("properties about failing steps and assertions"));
        };
        if property.observer().is_some() {
            return Err(NotMade::Unsupported("observers (never claims)"));
        }
        let mut program = Program::compile(network);
        let too_large = NotMade::Unsupported("properties that large");
        let target =
            program.compile_predicate(network, &property.frame, &predicate).map_err(|_| too_large)?;
        let clocks = Clocks::of(network, &program, &target)?;
        let mut first = program.layout.slots.len() + program.clocks;
        let mut inputs = IdVec::new();
        for process in &program.processes {
            let mut receiving = 0;
            let mut selects: Vec<Range> = Vec::new();
            for edge in &process.edges {
                receiving += i64::from(process.role == Role::System && hears(&program, edge));
                for (at, range) in edge.selects.iter().enumerate() {
                    match selects.get_mut(at) {
                        Some(hull) => *hull = hull.hull(*range),
                        None => selects.push(*range),
                    }
                }
            }
            let of_process = Inputs { first, receiver: Range::new(0, receiving), selects };
            first += 1 + of_process.selects.len();
            inputs.push(of_process);
        }
        Ok(Self { network, program, target, clocks, inputs })
    }
    /// Role and range of every variable: slots, clocks, inputs.
    fn vars(&self) -> Vec<(RelationRole, Range)> {
        let slots = self.program.layout.slots.iter().map(|slot| slot.range);
        let counters = self.clocks.caps.iter().map(|cap| Range::new(0, *cap));
        let states = slots.chain(counters).map(|range| (RelationRole::State, range));
        let inputs = self.inputs.iter().flat_map(|inputs| [&[inputs.receiver], &inputs.selects[..]].concat());
        // A select over nothing has no value at all; a bit does no harm.
        let inputs = inputs.map(|range| if range.size() == 0 { Range::BOOL } else { range });
        states.chain(inputs.map(|range| (RelationRole::Input, range))).collect()
    }
    /// The slots whose values the kernel must know to say exactly what may happen: all of them where labels keep others
    /// from happening, where processes come and go, and where deadlocks are asked for; else the locations, which may be
    /// committed, what invariants are about, and whatever has too many values to try them all.
    pub fn apart(&self) -> Vec<bool> {
        let program = &self.program;
        let priorities = program.elements.iter().any(|element| element.priority != 0)
            || program.processes.iter().any(|process| process.priority != 0);
        let asks = |op: &Op| matches!(op, Op::Enabled { .. } | Op::Timeout { .. });
        let asks = program.routines.iter().flat_map(|routine| &routine.code).any(asks);
        let mortal = program.processes.ids().any(|process| program.layout.mortal(process));
        let deadlock = mentions_deadlock(&self.target);
        let all = priorities || asks || mortal || deadlock || program.layout.holder.is_some();
        let locations = program.processes.iter().flat_map(|process| &process.locations);
        let invariants: Vec<RoutineId> = locations.filter_map(|location| location.condition).collect();
        let apart = |(at, slot): (usize, &Slot)| {
            all || matches!(slot.kind, SlotKind::Location(_))
                || slot.range.size() > MOST_TRIED
                || invariants.iter().any(|routine| program.routines[*routine].reads.contains(at))
        };
        program.layout.slots.iter().enumerate().map(apart).collect()
    }
    /// The name of every variable, after that of the process it belongs to.
    pub fn names(&self) -> Vec<String> {
        let network = self.network;
        let process = |id: ProcessId| &network.processes[id].name;
        let indexed = |name: String, at: usize, len: Option<u32>| match len {
            Some(_) => format!("{name}[{at}]"),
            None => name,
        };
        let element = |at: usize| {
            let element = &self.program.elements[at];
            indexed(
                network.channel_name(element.channel),
                element.index,
                network.channels[element.channel].len,
            )
        };
        let slot = |slot: &Slot| match slot.kind {
            SlotKind::Location(id) => format!("{}.location", process(id)),
            SlotKind::Pid(id) => format!("{}._pid", process(id)),
            SlotKind::Cell(id, cell) => indexed(network.var_name(id), cell, network.vars[id].len),
            SlotKind::QueueLength(at) => format!("{}.length", element(at)),
            SlotKind::QueueCell(at, message, field) => format!("{}.{message}_{field}", element(at)),
            SlotKind::Holder => "exclusive".to_string(),
        };
        let slots = self.program.layout.slots.iter().map(slot);
        let clocks = network.clocks.ids().map(|id| network.clock_name(id));
        let inputs = network.processes.iter().zip(&self.inputs).flat_map(|(process, inputs)| {
            (0..=inputs.selects.len()).map(|at| format!("{}.choice{at}", process.name))
        });
        slots.chain(clocks).chain(inputs).collect()
    }
    /// Where everything is kept.
    pub fn encoding(&self, order: Vec<VarId>) -> Option<Encoding> {
        Encoding::of(self.vars().into_iter(), order)
    }
    /// A good order: what a label is about comes together.
    pub fn order(&self) -> Vec<VarId> {
        let mut groups = BTreeSet::new();
        for schema in schemas(&self.program) {
            let mut group = BTreeSet::new();
            match &schema.parts {
                Parts::Internal(one) => self.add_slots(*one, &mut group),
                Parts::Pair(one, other) => {
                    self.add_slots(*one, &mut group);
                    self.add_slots(*other, &mut group);
                }
                // Listeners have little to do with each other.
                Parts::Broadcast(one, _) => self.add_slots(*one, &mut group),
            }
            groups.insert(group.into_iter().collect::<Vec<usize>>());
        }
        for (process, compiled) in self.program.processes.enumerate() {
            for edge in compiled.edges.ids() {
                let mut group = BTreeSet::new();
                self.add_slots((process, edge), &mut group);
                groups.insert(group.into_iter().collect());
            }
        }
        let groups: Vec<Vec<usize>> = groups.into_iter().filter(|group| group.len() > 1).collect();
        order::arrange(self.vars().len(), &groups)
    }
    fn add_slots(&self, (process, edge): beeline_program::schema::EdgeRef, group: &mut BTreeSet<usize>) {
        let program = &self.program;
        let compiled = &program.processes[process].edges[edge];
        group.insert(program.layout.location[process]);
        let clock = |at: usize| program.layout.slots.len() + at;
        let mut routines: Vec<RoutineId> = compiled.guard.into_iter().chain(compiled.update).collect();
        if let beeline_program::CompiledSync::Send { routine, .. }
        | beeline_program::CompiledSync::Receive { routine, .. } = &compiled.sync
        {
            routines.extend(routine);
        }
        for atom in &compiled.clock_guard {
            group.insert(clock(atom.left.index()));
        }
        for routine in routines {
            let routine = &program.routines[routine];
            group.extend(routine.reads.iter().chain(routine.writes.iter()));
            group.extend(routine.clocks_written.iter().map(|id| clock(id.index())));
        }
        let inputs = &self.inputs[process];
        group.extend((0..compiled.selects.len()).map(|at| inputs.first + 1 + at));
        if hears(program, compiled) {
            group.insert(inputs.first);
        }
    }
}

/// Whether an edge may receive a broadcast.
fn hears(program: &Program, edge: &CompiledEdge) -> bool {
    let broadcast = |at: usize| program.elements[at].kind == ChannelKind::Broadcast;
    let named = |at: &usize| edge.sync.channel().is_some_and(|channel| channel.may_name(program, *at));
    edge.sync.receives() && (0..program.elements.len()).filter(named).any(broadcast)
}
