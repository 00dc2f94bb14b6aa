//! The values that integers of wide ranges really get: an `int` that counts to five is declared with 65,536 values.
//!
//! Every slot collects the values that updates can write, whatever the order of labels: the bytecode of guard and update
//! runs on all combinations of what is collected so far, or, where these are too many, on sets of values, until nothing
//! new comes up. Nothing is known of a slot that gets too many values.

use super::cube::{Cube, Grid, MOST_WORK};
use super::domain::{MOST_VALUES, variable};
use super::meter::{Meter, metered};
use super::probe::{Probe, Question, Ran, Wanted};
use crate::bytecode::RoutineId;
use crate::edge::{Effects, Evaluated, FirePart, first_selects, next_selects};
use crate::machine::Machine;
use crate::program::{CompiledEdge, CompiledSync, Program};
use crate::schema::EdgeRef;
use crate::slots::SlotSet;
use crate::values::ValueSet;
use beeline_ir::limits::StopReason;
use std::collections::BTreeSet;

/// Runs of updates.
const MOST_RUNS: u64 = 1 << 22;
/// How many times as many combinations as elsewhere one update is tried on.
const LARGER: u128 = 16;

/// What is collected of a slot.
#[derive(Clone, Debug)]
enum Collected {
    /// Few values by its declaration.
    Declared,
    /// These so far.
    Values(BTreeSet<i64>),
    /// Too many.
    Unknown,
}

/// For each slot of a wide range the values it can get, ascending; `None` if there are too many, or its range is not
/// wide. Together they are closed: what updates make of some of them is among them, whatever the others are.
pub(super) fn discover(
    program: &Program,
    initial: &[i64],
    probe: &mut Probe,
    meter: &Meter<'_>,
) -> Result<Vec<Option<Vec<i64>>>, StopReason> {
    let wide = |slot: usize| {
        let slot = &program.layout.slots[slot];
        variable(slot.kind) && slot.range.size() > MOST_VALUES
    };
    let of = |(slot, value): (usize, &i64)| match wide(slot) {
        true => Collected::Values(BTreeSet::from([*value])),
        false => Collected::Declared,
    };
    let collected: Vec<Collected> = initial.iter().enumerate().map(of).collect();
    if !collected.iter().any(|slot| matches!(slot, Collected::Values(_))) {
        return Ok(vec![None; initial.len()]);
    }
    let machine = Machine::new(program);
    let mut discovery =
        Discovery { program, meter, probe, machine, state: initial.to_vec(), collected, runs: 0 };
    discovery.run()?;
    let values = |collected: &Collected| match collected {
        Collected::Values(values) => {
            let near = values.last()?.abs_diff(*values.first()?) < MOST_VALUES as u64;
            near.then(|| values.iter().copied().collect())
        }
        Collected::Declared | Collected::Unknown => None,
    };
    Ok(discovery.collected.iter().map(values).collect())
}

struct Discovery<'a> {
    program: &'a Program,
    meter: &'a Meter<'a>,
    probe: &'a mut Probe,
    machine: Machine,
    state: Vec<i64>,
    collected: Vec<Collected>,
    runs: u64,
}

impl Discovery<'_> {
    fn run(&mut self) -> Result<(), StopReason> {
        let edges = self
            .program
            .processes
            .enumerate()
            .flat_map(|(process, compiled)| compiled.edges.ids().map(move |edge| (process, edge)));
        let writers: Vec<EdgeRef> = edges.filter(|at| !self.gains(*at).is_empty()).collect();
        let reads: Vec<SlotSet> = writers.iter().map(|at| self.reads(*at)).collect();
        let mut open: Vec<usize> = (0..writers.len()).collect();
        let mut waits = vec![true; writers.len()];
        while let Some(writer) = open.pop() {
            waits[writer] = false;
            let grown = self.try_out(writers[writer])?;
            if grown.is_empty() {
                continue;
            }
            self.meter.work(writers.len() as u64)?;
            for (other, reads) in reads.iter().enumerate() {
                if !waits[other] && reads.meets(&grown) {
                    waits[other] = true;
                    open.push(other);
                }
            }
        }
        Ok(())
    }

    fn edge(&self, (process, edge): EdgeRef) -> &CompiledEdge {
        &self.program.processes[process].edges[edge]
    }

    /// The slots of wide ranges that an edge may write and of which something is known.
    fn gains(&self, at: EdgeRef) -> Vec<usize> {
        let Some(update) = self.edge(at).update else { return Vec::new() };
        let writes = self.program.routines[update].writes.iter();
        writes.filter(|slot| matches!(self.collected[*slot], Collected::Values(_))).collect()
    }

    /// Whether the update may see what others of the same label did, and the guard did not.
    fn sees_others(&self, at: EdgeRef) -> bool {
        let edge = self.edge(at);
        let reads =
            |slot: &usize| edge.update.is_some_and(|r| self.program.routines[r].reads.contains(*slot));
        edge.sync.receives()
            || (edge.sync != CompiledSync::Internal && self.program.layout.location.iter().any(reads))
    }

    fn reads(&self, at: EdgeRef) -> SlotSet {
        let edge = self.edge(at);
        let mut reads = SlotSet::default();
        for routine in edge.guard.into_iter().chain(edge.update) {
            reads.extend(&self.program.routines[routine].reads);
        }
        reads
    }

    /// All combinations of values of some slots, of each those that a set has; `None` if there are too many.
    fn grid(&self, reads: &SlotSet, choices: u128, of: impl Fn(usize) -> Option<ValueSet>) -> Option<Grid> {
        let most = self.meter.combinations.saturating_mul(LARGER);
        let mut combinations = choices;
        let mut slots = Vec::new();
        for slot in reads.iter() {
            let set = of(slot)?;
            let size = match &self.collected[slot] {
                Collected::Values(values) => values.len() as u128,
                Collected::Declared | Collected::Unknown => set.size(),
            };
            combinations = combinations.saturating_mul(size);
            if combinations > most {
                return None;
            }
            let values: Vec<i64> = match &self.collected[slot] {
                Collected::Values(values) => values.iter().copied().filter(|v| set.contains(*v)).collect(),
                Collected::Declared | Collected::Unknown => set.values().collect(),
            };
            slots.push((slot, values));
        }
        Some(Grid::of(slots))
    }

    /// What a slot may hold; `None` if it is not known.
    fn known(&self, slot: usize) -> Option<ValueSet> {
        match &self.collected[slot] {
            Collected::Values(values) => Some(values.iter().copied().collect()),
            Collected::Declared => Some(ValueSet::range(self.program.layout.slots[slot].range)),
            Collected::Unknown => None,
        }
    }

    /// Runs an edge on all that is known so far, and says which slots have got more values.
    fn try_out(&mut self, at: EdgeRef) -> Result<SlotSet, StopReason> {
        let program = self.program;
        let (gains, edge) = (self.gains(at), &program.processes[at.0].edges[at.1]);
        let Some(update) = edge.update else { return Ok(SlotSet::default()) };
        self.runs += 1;
        if self.runs > MOST_RUNS || self.machine.total_work() > MOST_WORK || self.probe.spent() {
            return Ok(self.give_up(&gains));
        }
        let choices = edge.selects.iter().fold(1u128, |all, range| all.saturating_mul(range.size()));
        // What a guard sees of a buffer is not what the update finds there.
        let guard = edge.guard.filter(|_| !self.sees_others(at) && !program.buffered(&edge.sync));
        let (plain, reads) = (edge.sync.is_plain(), self.reads(at));
        if let Some(grid) = self.grid(&reads, choices, |slot| self.known(slot)).filter(|_| plain) {
            return self.enumerate(at, guard, &grid, &gains);
        }
        self.probe.before(&reads, &program.routines[update].writes, &Cube::default());
        for slot in reads.iter() {
            if let Some(values) = self.known(slot) {
                self.probe.set(slot, values);
            }
        }
        // The guard is not tried together with the update, but tells what the update has to be tried on.
        let inputs: Vec<ValueSet> = edge.selects.iter().map(|range| ValueSet::range(*range)).collect();
        if let Some(routine) = guard {
            let question = Question { routine, inputs: &inputs, wanted: Wanted::True };
            if self.probe.narrow(program, question, self.meter)?.is_none() {
                return Ok(SlotSet::default());
            }
        }
        let left = |slot: usize| Some(*self.probe.get(slot));
        if let Some(grid) = self.grid(&program.routines[update].reads, choices, left).filter(|_| plain) {
            return self.enumerate(at, None, &grid, &gains);
        }
        let target = ValueSet::singleton(edge.target.index() as i64);
        self.probe.set(program.layout.location[at.0], target);
        let mut grown = SlotSet::default();
        if self.probe.apply(program, update, &inputs, self.meter)? != Ran::Fails {
            for slot in gains {
                let values = *self.probe.get(slot);
                if values.size() > MOST_VALUES {
                    grown.extend(&self.give_up(&[slot]));
                } else {
                    values.values().for_each(|value| self.add(slot, value, &mut grown));
                }
            }
        }
        Ok(grown)
    }

    /// Runs an edge on all combinations of a grid where its guard holds, if that is to be looked at.
    fn enumerate(
        &mut self,
        at: EdgeRef,
        guard: Option<RoutineId>,
        grid: &Grid,
        gains: &[usize],
    ) -> Result<SlotSet, StopReason> {
        let mut grown = SlotSet::default();
        let selects = &self.program.processes[at.0].edges[at.1].selects;
        let (mut next, mut effects, evaluated) = (Vec::new(), Effects::default(), Evaluated::default());
        let mut chosen = Vec::new();
        let mut more = first_selects(selects, &mut chosen);
        let mut state = std::mem::take(&mut self.state);
        while more {
            grid.each(&mut state, |state| {
                self.runs += 1;
                next.clear();
                next.extend_from_slice(state);
                effects.clear();
                let (process, edge) = at;
                let part = FirePart { process, edge, selects: &chosen, evaluated: &evaluated, message: None };
                let Self { program, meter, machine, .. } = self;
                let fires = metered(meter, machine, |machine| {
                    let allowed = guard.is_none_or(|guard| {
                        machine.eval(program, guard, state, &chosen).is_ok_and(|value| value != 0)
                    });
                    allowed && machine.fire(program, &[part], &mut next, &mut effects).is_ok()
                })?;
                if fires {
                    gains.iter().for_each(|slot| self.add(*slot, next[*slot], &mut grown));
                }
                Ok(())
            })?;
            more = next_selects(selects, &mut chosen);
        }
        self.state = state;
        Ok(grown)
    }

    fn add(&mut self, slot: usize, value: i64, grown: &mut SlotSet) {
        if let Collected::Values(values) = &mut self.collected[slot]
            && values.insert(value)
        {
            grown.insert(slot);
            if values.len() as u128 > MOST_VALUES {
                self.collected[slot] = Collected::Unknown;
            }
        }
    }

    fn give_up(&mut self, gains: &[usize]) -> SlotSet {
        let mut grown = SlotSet::default();
        for slot in gains {
            self.collected[*slot] = Collected::Unknown;
            grown.insert(*slot);
        }
        grown
    }
}
