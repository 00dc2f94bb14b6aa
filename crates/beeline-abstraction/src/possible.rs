//! What can happen at all, as far as each value tells by itself: the locations that processes may come to, the values
//! that variables may get, and the edges that may be taken.
//!
//! Values are collected and never lost, as in the monotonicity abstraction (Kupferschmid, Hoffmann, Dierks and Behrmann,
//! SPIN 2006), but without making labels: every edge runs by itself on the sets collected so far ([`ValueMachine`]), and
//! an edge that synchronises goes as soon as somebody else may be on the other side of its channel. So the effort is
//! that of edges, not of pairs of edges, and it is known which edges may *fail*: these must stay.
//!
//! The states that have one of these values in every slot are closed under all labels of the network. Clocks,
//! invariants, urgency, commitment and priorities are left out; they only ever forbid.

use beeline_ir::expr::Range;
use beeline_ir::layout::SlotKind;
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{IdVec, LocationId, ProcessId};
use beeline_program::schema::EdgeRef;
use beeline_program::values::{ValueMachine, ValueSet, Values};
use beeline_program::{Atom, ChannelUse, CompiledEdge, CompiledSync, Operand, Program, RoutineId, SlotSet};
use beeline_zones::fault::{Fault, active};
use std::collections::VecDeque;

/// Steps of the interpreter, and entries of tables, that it may take.
const EFFORT: u64 = 1 << 20;
/// Steps that one piece of code may take; beyond, it may do anything.
const AT_ONCE: u64 = 1 << 13;
/// How often the values of a variable may become more, before they are all that it is declared with.
const GROWTHS: u32 = 64;

/// What may become of an edge.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Chance {
    /// It may be part of a label.
    pub goes: bool,
    /// Its evaluation may have a run-time error.
    pub fails: bool,
    /// Its update may.
    pub update_fails: bool,
}

/// What can happen.
#[derive(Debug)]
pub(crate) struct Possible {
    /// The values of each slot: exact, or all that it is declared with. (Of locations, [`Self::locations`] knows.)
    pub values: Values,
    /// Whether a process may come to a location. Observers may be anywhere.
    pub locations: IdVec<ProcessId, IdVec<LocationId, bool>>,
    /// The edges of the system, process by process.
    pub edges: Vec<(EdgeRef, Chance)>,
}

impl Possible {
    /// What can happen in a network whose processes neither come nor go, and that has no queues or token; `None` if it
    /// takes too long to find out.
    pub fn of(program: &Program, initial: &[i64]) -> Option<Self> {
        let mut explorer = Explorer::new(program, initial)?;
        while let Some(number) = explorer.open.pop_front() {
            explorer.queued[number] = false;
            explorer.look(number)?;
        }
        let Explorer { values, locations, edges, chances, .. } = explorer;
        Some(Self { values, locations, edges: edges.into_iter().zip(chances).collect() })
    }

    /// How many combinations there are of the values that an edge reads before it is enabled.
    pub fn combinations(&self, program: &Program, edge: &CompiledEdge) -> u128 {
        let mut reads = SlotSet::default();
        evaluated(edge).for_each(|routine| _ = reads.extend(&program.routines[routine].reads));
        reads.iter().fold(1, |all: u128, slot| all.saturating_mul(self.values.slots()[slot].size()))
    }
}

/// The edges that may be on one side of a channel element.
type Side = Vec<usize>;

struct Explorer<'p> {
    program: &'p Program,
    machine: ValueMachine,
    values: Values,
    growths: Vec<u32>,
    locations: IdVec<ProcessId, IdVec<LocationId, bool>>,
    edges: Vec<EdgeRef>,
    chances: Vec<Chance>,
    /// The number of the first edge of each process.
    first: IdVec<ProcessId, usize>,
    /// The edges that read a slot.
    readers: Vec<Vec<usize>>,
    senders: Vec<Side>,
    receivers: Vec<Side>,
    /// Edges to look at, those that have waited longest first: what they read may grow meanwhile.
    open: VecDeque<usize>,
    queued: Vec<bool>,
    left: u64,
}

impl<'p> Explorer<'p> {
    fn new(program: &'p Program, initial: &[i64]) -> Option<Self> {
        let system = |process: &ProcessId| program.processes[*process].role == Role::System;
        let (mut edges, mut first) = (Vec::new(), IdVec::new());
        for process in program.processes.ids() {
            first.push(edges.len());
            let own = program.processes[process].edges.ids().filter(|_| system(&process));
            edges.extend(own.map(|edge| (process, edge)));
        }
        let mut values = Values::of_state(initial);
        for process in program.processes.ids().filter(|process| !system(process)) {
            let slot = program.layout.location[process];
            values.slots_mut()[slot] = ValueSet::range(program.layout.slots[slot].range);
        }
        let nowhere = |process: ProcessId| {
            program.processes[process].locations.iter().map(|_| !system(&process)).collect()
        };
        let mut explorer = Self {
            program,
            machine: ValueMachine::with_budget(program, AT_ONCE),
            growths: vec![0; initial.len()],
            values,
            locations: program.processes.ids().map(nowhere).collect(),
            chances: vec![Chance::default(); edges.len()],
            first,
            readers: vec![Vec::new(); initial.len()],
            senders: vec![Side::new(); program.elements.len()],
            receivers: vec![Side::new(); program.elements.len()],
            open: VecDeque::new(),
            queued: vec![false; edges.len()],
            left: EFFORT,
            edges,
        };
        explorer.note_readers()?;
        for process in program.processes.ids().filter(system) {
            explorer.arrive(process, program.processes[process].initial);
        }
        Some(explorer)
    }

    fn note_readers(&mut self) -> Option<()> {
        for number in 0..self.edges.len() {
            let edge = self.edge(number);
            let mut reads = SlotSet::default();
            for routine in evaluated(edge).chain(edge.update) {
                reads.extend(&self.program.routines[routine].reads);
            }
            self.spend(reads.len() as u64)?;
            reads.iter().for_each(|slot| self.readers[slot].push(number));
        }
        Some(())
    }

    fn spend(&mut self, steps: u64) -> Option<()> {
        self.left = self.left.checked_sub(steps + 1)?;
        Some(())
    }

    fn edge(&self, number: usize) -> &'p CompiledEdge {
        let (process, edge) = self.edges[number];
        &self.program.processes[process].edges[edge]
    }

    fn wake(&mut self, number: usize) {
        if !std::mem::replace(&mut self.queued[number], true) {
            self.open.push_back(number);
        }
    }

    /// A process may come to a location.
    fn arrive(&mut self, process: ProcessId, location: LocationId) {
        if std::mem::replace(&mut self.locations[process][location], true) {
            return;
        }
        let slot = self.program.layout.location[process];
        self.grow(slot, ValueSet::singleton(location.index() as i64));
        for edge in &self.program.processes[process].outgoing[location] {
            self.wake(self.first[process] + edge.index());
        }
    }

    /// A slot may have these values, too.
    fn grow(&mut self, slot: usize, more: ValueSet) {
        let values = &mut self.values.slots_mut()[slot];
        if !values.union(&more) {
            return;
        }
        let layout = &self.program.layout.slots[slot];
        if matches!(layout.kind, SlotKind::Cell(..)) {
            self.growths[slot] += 1;
            if values.iter().is_none() || self.growths[slot] > GROWTHS {
                *values = ValueSet::range(layout.range);
            }
        }
        if active(Fault::FirstLookOnly) {
            return;
        }
        for at in 0..self.readers[slot].len() {
            self.wake(self.readers[slot][at]);
        }
    }

    /// Evaluates an edge on what is known so far, and takes it if that may be.
    fn look(&mut self, number: usize) -> Option<()> {
        let (edge, (process, _)) = (self.edge(number), self.edges[number]);
        if !self.locations[process][edge.source] {
            return Some(());
        }
        let selects: Vec<ValueSet> = edge.selects.iter().map(|range| ValueSet::range(*range)).collect();
        let home = self.program.layout.location[process];
        let anywhere = self.values.slots()[home];
        self.values.slots_mut()[home] = ValueSet::singleton(edge.source.index() as i64);
        let named = self.evaluate(number, &selects);
        self.values.slots_mut()[home] = anywhere;
        let Some(elements) = named? else { return Some(()) };
        if self.meet(number, &elements)? {
            self.chances[number].goes = true;
            self.take(number, &selects)?;
        }
        Some(())
    }

    /// The channel elements that the edge may name, none if it is internal; `None` if it is not enabled anywhere.
    fn evaluate(&mut self, number: usize, selects: &[ValueSet]) -> Option<Option<Vec<usize>>> {
        let edge = self.edge(number);
        if let Some(guard) = edge.guard {
            let truth = self.run(number, guard, selects)?;
            if !truth.may_be_true() {
                return Some(None);
            }
        }
        for atom in &edge.clock_guard {
            self.test(number, atom, selects)?;
        }
        let (channel, routine) = match &edge.sync {
            CompiledSync::Internal => return Some(Some(Vec::new())),
            CompiledSync::Send { channel, routine, .. } | CompiledSync::Receive { channel, routine, .. } => {
                (*channel, *routine)
            }
        };
        let mut value = match channel {
            ChannelUse::Element(element) => ValueSet::singleton(element as i64 + 1),
            ChannelUse::Declared(_) | ChannelUse::Value => ValueSet::ALL,
        };
        if let Some(routine) = routine {
            value = self.run(number, routine, selects)?;
            // A message or a required value may have none, too.
            if self.machine.results().iter().any(ValueSet::is_empty) {
                return Some(None);
            }
        }
        let all = Range::new(1, self.program.elements.len() as i64);
        let named = value.clipped(all).values().map(|value| value as usize - 1);
        Some(Some(named.filter(|element| channel.may_name(self.program, *element)).collect()))
    }

    /// The first value of a routine of the edge; notes if it may fail.
    fn run(&mut self, number: usize, routine: RoutineId, selects: &[ValueSet]) -> Option<ValueSet> {
        let found = self.machine.eval(self.program, routine, &self.values, selects);
        self.chances[number].fails |= found.may_fail;
        self.spend(self.machine.steps())?;
        Some(found.values)
    }

    /// Notes if a clock constraint may fail.
    fn test(&mut self, number: usize, atom: &Atom, selects: &[ValueSet]) -> Option<()> {
        if let Some(when) = atom.when {
            self.run(number, when, selects)?;
        }
        let bound = match atom.bound {
            Operand::Const(bound) => ValueSet::singleton(bound),
            Operand::Code(routine) => self.run(number, routine, selects)?,
        };
        let bounds = ValueSet::range(Range::new(-Atom::LIMIT, Atom::LIMIT));
        self.chances[number].fails |= !bound.is_subset(&bounds);
        Some(())
    }

    /// Puts an edge on its side of the elements it may name; whether there is somebody on the other, if one is needed.
    fn meet(&mut self, number: usize, elements: &[usize]) -> Option<bool> {
        let sync = &self.edge(number).sync;
        let mut met = *sync == CompiledSync::Internal;
        for &element in elements {
            let (mine, theirs) = match sync.receives() {
                true => (&mut self.receivers[element], &self.senders[element]),
                false => (&mut self.senders[element], &self.receivers[element]),
            };
            let others = |other: &&usize| self.edges[**other].0 != self.edges[number].0;
            let broadcast = self.program.elements[element].kind == ChannelKind::Broadcast;
            met |= broadcast && !sync.receives() || theirs.iter().any(|other| others(&other));
            if !mine.contains(&number) {
                mine.push(number);
                let waits = |other: &&usize| !self.chances[**other].goes;
                let waiting: Vec<usize> = theirs.iter().filter(others).filter(waits).copied().collect();
                waiting.into_iter().for_each(|other| self.wake(other));
            }
            let sides = self.senders[element].len() + self.receivers[element].len();
            self.spend(sides as u64)?;
        }
        Some(met)
    }

    /// Takes an edge: what its update writes, and where it leads.
    fn take(&mut self, number: usize, selects: &[ValueSet]) -> Option<()> {
        let (edge, (process, _)) = (self.edge(number), self.edges[number]);
        let Some(update) = edge.update else {
            self.arrive(process, edge.target);
            return Some(());
        };
        let (home, writes) = (self.program.layout.location[process], &self.program.routines[update].writes);
        let mut before: Vec<(usize, ValueSet)> = vec![(home, self.values.slots()[home])];
        before.extend(writes.iter().map(|slot| (slot, self.values.slots()[slot])));
        self.spend(before.len() as u64)?;
        // Receivers see what the others of the label have done, which their guards did not.
        if let Some(guard) = edge.guard.filter(|_| !edge.sync.receives()) {
            self.assume(guard, update, selects, &mut before)?;
        }
        let nowhere = before.iter().any(|(slot, _)| self.values.slots()[*slot].is_empty());
        // All parts are at their targets before the first update.
        self.values.slots_mut()[home] = ValueSet::singleton(edge.target.index() as i64);
        let mut after = None;
        if !nowhere {
            let message = edge.sync.message(self.program);
            let applied = self.machine.apply(self.program, update, &mut self.values, selects, &message);
            self.chances[number].update_fails |= applied.may_fail;
            let written = || writes.iter().map(|slot| (slot, self.values.slots()[slot]));
            after = applied.may_succeed.then(|| written().collect::<Vec<(usize, ValueSet)>>());
            self.spend(self.machine.steps())?;
        }
        for (slot, values) in before.into_iter().rev() {
            self.values.slots_mut()[slot] = values;
        }
        if let Some(after) = after {
            after.into_iter().for_each(|(slot, values)| self.grow(slot, values));
            self.arrive(process, edge.target);
        }
        Some(())
    }

    /// Leaves, of each variable that guard and update read, the values at which the guard may hold; puts aside what
    /// there was before.
    fn assume(
        &mut self,
        guard: RoutineId,
        update: RoutineId,
        selects: &[ValueSet],
        before: &mut Vec<(usize, ValueSet)>,
    ) -> Option<()> {
        let program = self.program;
        for slot in program.routines[guard].reads.common(&program.routines[update].reads) {
            let values = self.values.slots()[slot];
            let variable = matches!(program.layout.slots[slot].kind, SlotKind::Cell(..));
            let Some(each) = values.iter().filter(|_| variable && values.value().is_none()) else { continue };
            let mut kept = ValueSet::EMPTY;
            for value in each {
                self.values.slots_mut()[slot] = ValueSet::singleton(value);
                let found = self.machine.eval(program, guard, &self.values, selects);
                self.spend(self.machine.steps())?;
                if found.values.may_be_true() {
                    kept.insert(value);
                }
            }
            before.push((slot, values));
            self.values.slots_mut()[slot] = kept;
        }
        Some(())
    }
}

/// The code that is run before an edge is enabled.
fn evaluated(edge: &CompiledEdge) -> impl Iterator<Item = RoutineId> + '_ {
    let routine = match &edge.sync {
        CompiledSync::Internal => None,
        CompiledSync::Send { routine, .. } | CompiledSync::Receive { routine, .. } => *routine,
    };
    let atoms = edge.clock_guard.iter().flat_map(Atom::routines);
    edge.guard.into_iter().chain(routine).chain(atoms)
}
