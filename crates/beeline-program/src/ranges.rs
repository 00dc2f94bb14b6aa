//! Ranges that variables never leave, where these are narrower than what they are declared with: states take fewer bits.
//! In `if (i < 4) i++`, a byte takes three.
//!
//! All edges run on sets of values ([`ValueMachine`]) until nothing more is found (Cousot and Cousot 1977). Of the variables
//! that only one process writes, the values are known for each of its locations; of the others, for all of them together.
//! What an edge writes counts as soon as its own guard allows it, whoever else has to take part. Clocks, invariants,
//! commitment and priorities only ever forbid.
//!
//! Anything may be in queues, and in variables of processes that come and go.

use crate::bytecode::RoutineId;
use crate::program::{CompiledEdge, Program};
use crate::schema::EdgeRef;
use crate::slots::SlotSet;
use crate::values::{ValueMachine, ValueSet, Values};
use beeline_ir::expr::Range;
use beeline_ir::layout::SlotKind;
use beeline_ir::network::{Network, Role};
use beeline_ir::{IdVec, LocationId, ProcessId};
use std::collections::VecDeque;

/// Steps of the interpreter, and entries of tables, that it may take.
const EFFORT: u64 = 1 << 20;
/// Steps that one piece of code may take; beyond, it may do anything.
const AT_ONCE: u64 = 1 << 12;

/// Gives the slots of variables the ranges that they never leave; as they are if it takes too long to find out. States
/// that are packed so have to be unpacked so.
pub fn narrow(network: &Network, program: &mut Program) {
    for (slot, range) in found(network, program).unwrap_or_default() {
        program.layout.slots[slot].range = range;
    }
}

/// The ranges of the cells of variables; `None` if it takes too long.
fn found(network: &Network, program: &Program) -> Option<Vec<(usize, Range)>> {
    let mut explorer = Explorer::new(network, program)?;
    while let Some(number) = explorer.open.pop_front() {
        explorer.queued[number] = false;
        explorer.look(number)?;
    }
    let cells = (0..program.layout.slots.len()).filter(|slot| explorer.followed[*slot]);
    Some(cells.map(|slot| (slot, explorer.values.slots()[slot].hull())).collect())
}

/// What a process may know of its own slots at a location; `None` if it never comes there.
type Here = Option<Vec<ValueSet>>;

/// What an edge leaves in the slots of its process, and what it writes into others.
type Written = (Vec<ValueSet>, Vec<(usize, ValueSet)>);

struct Explorer<'p> {
    program: &'p Program,
    machine: ValueMachine,
    /// By slot, the values it may have anywhere.
    values: Values,
    /// By slot, whether it is a cell of a variable whose values are followed.
    followed: Vec<bool>,
    /// The followed slots that only this process writes; none of observers, and of processes that come and go.
    own: IdVec<ProcessId, Vec<usize>>,
    at: IdVec<ProcessId, IdVec<LocationId, Here>>,
    edges: Vec<EdgeRef>,
    /// The number of the first edge of each process.
    first: IdVec<ProcessId, usize>,
    /// The edges that read a slot, but not as their own.
    readers: Vec<Vec<usize>>,
    /// Edges to look at, those that have waited longest first.
    open: VecDeque<usize>,
    queued: Vec<bool>,
    /// Sets that are put aside.
    aside: Vec<(usize, ValueSet)>,
    left: u64,
}

impl<'p> Explorer<'p> {
    fn new(network: &Network, program: &'p Program) -> Option<Self> {
        let (layout, initial) = (&program.layout, program.layout.initial(network));
        let mut left = EFFORT.checked_sub(initial.len() as u64)?;
        let lasting =
            |process: ProcessId| program.processes[process].role == Role::System && !layout.mortal(process);
        let follow = |kind| match kind {
            SlotKind::Cell(var, _) => network.vars[var].owner.is_none_or(lasting),
            _ => false,
        };
        let followed: Vec<bool> = layout.slots.iter().map(|slot| follow(slot.kind)).collect();
        let mut values = Values::everything(layout);
        for slot in (0..initial.len()).filter(|slot| followed[*slot]) {
            values.slots_mut()[slot] = ValueSet::singleton(initial[slot]);
        }
        let (mut edges, mut first) = (Vec::new(), IdVec::new());
        let mut writer = vec![None; initial.len()];
        let mut shared = vec![false; initial.len()];
        for (process, compiled) in program.processes.enumerate() {
            first.push(edges.len());
            edges.extend(compiled.edges.ids().map(|edge| (process, edge)));
            for update in compiled.edges.iter().filter_map(|edge| edge.update) {
                let writes = &program.routines[update].writes;
                left = left.checked_sub(1 + writes.len() as u64)?;
                for slot in writes.iter() {
                    shared[slot] |= *writer[slot].get_or_insert(process) != process;
                }
            }
        }
        let mut own: IdVec<ProcessId, Vec<usize>> = program.processes.ids().map(|_| Vec::new()).collect();
        for slot in (0..initial.len()).filter(|slot| followed[*slot] && !shared[*slot]) {
            if let Some(process) = writer[slot].filter(|process| lasting(*process)) {
                own[process].push(slot);
            }
        }
        let at = program.processes.enumerate().map(|(process, compiled)| {
            let start = |location| match lasting(process) {
                true if location == compiled.initial => {
                    Some(own[process].iter().map(|slot| values.slots()[*slot]).collect())
                }
                true => None,
                false => Some(Vec::new()),
            };
            compiled.locations.ids().map(start).collect()
        });
        let at = at.collect();
        let mut explorer = Self {
            program,
            machine: ValueMachine::with_budget(program, AT_ONCE),
            values,
            followed,
            own,
            at,
            first,
            readers: vec![Vec::new(); initial.len()],
            open: (0..edges.len()).collect(),
            queued: vec![true; edges.len()],
            edges,
            aside: Vec::new(),
            left,
        };
        explorer.note_readers()?;
        Some(explorer)
    }

    fn note_readers(&mut self) -> Option<()> {
        for number in 0..self.edges.len() {
            let mut reads = SlotSet::default();
            let edge = self.edge(number);
            for routine in edge.guard.into_iter().chain(edge.update) {
                reads.extend(&self.program.routines[routine].reads);
            }
            self.spend(reads.len() as u64)?;
            let own = &self.own[self.edges[number].0];
            for slot in reads.iter().filter(|slot| self.followed[*slot] && own.binary_search(slot).is_err()) {
                self.readers[slot].push(number);
            }
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

    /// A slot has these values for now.
    fn put(&mut self, slot: usize, values: ValueSet) {
        let before = std::mem::replace(&mut self.values.slots_mut()[slot], values);
        self.aside.push((slot, before));
    }

    /// Looks at an edge, which may be enabled or not, from where its process may be.
    fn look(&mut self, number: usize) -> Option<()> {
        let (edge, (process, _)) = (self.edge(number), self.edges[number]);
        let Some(here) = self.at[process][edge.source].clone() else { return Some(()) };
        self.spend(here.len() as u64)?;
        for (place, values) in here.into_iter().enumerate() {
            self.put(self.own[process][place], values);
        }
        let written = self.written(number);
        while let Some((slot, before)) = self.aside.pop() {
            self.values.slots_mut()[slot] = before;
        }
        let Some((there, others)) = written? else { return Some(()) };
        others.into_iter().for_each(|(slot, values)| self.grow(slot, values));
        self.arrive(process, edge.target, there);
        Some(())
    }

    /// What comes of taking the edge; nothing if it cannot be taken.
    fn written(&mut self, number: usize) -> Option<Option<Written>> {
        let (edge, (process, _)) = (self.edge(number), self.edges[number]);
        let (program, home) = (self.program, self.program.layout.location[process]);
        let selects: Vec<ValueSet> = edge.selects.iter().map(|range| ValueSet::range(*range)).collect();
        self.put(home, ValueSet::singleton(edge.source.index() as i64));
        if let Some(guard) = edge.guard
            && !self.assume(guard, process, &selects)?
        {
            return Some(None);
        }
        self.put(home, ValueSet::singleton(edge.target.index() as i64));
        let mut others = Vec::new();
        if let Some(update) = edge.update {
            let writes = &program.routines[update].writes;
            self.spend(writes.len() as u64)?;
            for slot in writes.iter() {
                self.put(slot, self.values.slots()[slot]);
            }
            let message = edge.sync.message(program);
            let applied = self.machine.apply(program, update, &mut self.values, &selects, &message);
            self.spend(self.machine.steps())?;
            if !applied.may_succeed {
                return Some(None);
            }
            let own = &self.own[process];
            let foreign = |slot: &usize| self.followed[*slot] && own.binary_search(slot).is_err();
            others.extend(writes.iter().filter(foreign).map(|slot| (slot, self.values.slots()[slot])));
        }
        let there = self.own[process].iter().map(|slot| self.values.slots()[*slot]).collect();
        Some(Some((there, others)))
    }

    /// Leaves, of each slot of the process that its guard reads, the values at which that may hold; whether it may hold.
    fn assume(&mut self, guard: RoutineId, process: ProcessId, selects: &[ValueSet]) -> Option<bool> {
        let program = self.program;
        let holds = |explorer: &mut Self| {
            let found = explorer.machine.eval(program, guard, &explorer.values, selects);
            explorer.spend(explorer.machine.steps())?;
            Some(found.values.may_be_true())
        };
        if !holds(self)? {
            return Some(false);
        }
        for slot in program.routines[guard].reads.iter() {
            let values = self.values.slots()[slot];
            let own = self.own[process].binary_search(&slot).is_ok();
            let Some(each) = values.iter().filter(|_| own && values.value().is_none()) else { continue };
            self.put(slot, values);
            let mut kept = ValueSet::EMPTY;
            for value in each {
                self.values.slots_mut()[slot] = ValueSet::singleton(value);
                if holds(self)? {
                    kept.insert(value);
                }
            }
            self.values.slots_mut()[slot] = kept;
            if kept.is_empty() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// A slot may have these values, too.
    fn grow(&mut self, slot: usize, more: ValueSet) {
        if union(&mut self.values.slots_mut()[slot], &more, self.program.layout.slots[slot].range) {
            for at in 0..self.readers[slot].len() {
                self.wake(self.readers[slot][at]);
            }
        }
    }

    /// A process may come to a location, with these values in its slots.
    fn arrive(&mut self, process: ProcessId, location: LocationId, values: Vec<ValueSet>) {
        for (place, more) in values.iter().enumerate() {
            self.grow(self.own[process][place], *more);
        }
        let layout = &self.program.layout;
        let more = match &mut self.at[process][location] {
            Some(here) => {
                let cells = here.iter_mut().zip(&values).zip(&self.own[process]);
                cells.fold(false, |grew, ((mine, more), slot)| {
                    union(mine, more, layout.slots[*slot].range) | grew
                })
            }
            nowhere => {
                *nowhere = Some(values);
                true
            }
        };
        if more {
            for edge in &self.program.processes[process].outgoing[location] {
                self.wake(self.first[process] + edge.index());
            }
        }
    }
}

/// Adds values; beyond those that a set can tell apart it becomes all of the range, so that it grows a few times at most.
fn union(values: &mut ValueSet, more: &ValueSet, range: Range) -> bool {
    let grew = values.union(more);
    if grew && values.iter().is_none() {
        *values = ValueSet::range(range);
    }
    grew
}
