//! The values that integers of wide ranges really get: an `int` that counts to five is declared with 65,536 values.
//!
//! Every slot collects the values that updates can write, whatever the order of labels: the bytecode of guard and update
//! runs on all combinations of what is collected so far, until nothing new comes up. Nothing is known of a slot that gets
//! too many values, or is written by something that reads too much.

use super::cube::MOST_WORK;
use super::domain::{MOST_VALUES, variable};
use super::meter::{Meter, metered};
use crate::edge::{Effects, Evaluated, FirePart, first_selects, next_selects};
use crate::machine::Machine;
use crate::program::{CompiledEdge, CompiledSync, Program};
use crate::schema::EdgeRef;
use crate::slots::SlotSet;
use beeline_ir::limits::StopReason;
use std::collections::BTreeSet;

/// Runs of updates.
const MOST_RUNS: u64 = 1 << 22;
/// Combinations that one update is tried on.
const MOST_COMBINATIONS: u128 = 1 << 16;

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

/// For each slot of a wide range the values it can get: the least and the greatest; `None` if there are too many, or its
/// range is not wide.
pub(super) fn discover(
    program: &Program,
    initial: &[i64],
    meter: &Meter<'_>,
) -> Result<Vec<Option<(i64, i64)>>, StopReason> {
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
    let mut discovery = Discovery { program, meter, machine, state: initial.to_vec(), collected, runs: 0 };
    discovery.run()?;
    let ends = |collected: &Collected| match collected {
        Collected::Values(values) => Some((*values.first()?, *values.last()?)),
        Collected::Declared | Collected::Unknown => None,
    };
    let few = |(least, greatest): &(i64, i64)| greatest.abs_diff(*least) < MOST_VALUES as u64;
    Ok(discovery.collected.iter().map(|collected| ends(collected).filter(few)).collect())
}

struct Discovery<'a> {
    program: &'a Program,
    meter: &'a Meter<'a>,
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

    /// The values to try of the slots that are read; `None` if there are too many.
    fn grid(&self, reads: &SlotSet, choices: u128) -> Option<Vec<(usize, Vec<i64>)>> {
        let mut combinations = choices;
        let mut grid = Vec::new();
        for slot in reads.iter() {
            let values: Vec<i64> = match &self.collected[slot] {
                Collected::Unknown => return None,
                Collected::Values(values) => values.iter().copied().collect(),
                Collected::Declared => {
                    let range = self.program.layout.slots[slot].range;
                    if range.size() > MOST_COMBINATIONS {
                        return None;
                    }
                    range.values().collect()
                }
            };
            combinations = combinations.saturating_mul(values.len() as u128);
            if combinations > MOST_COMBINATIONS {
                return None;
            }
            grid.push((slot, values));
        }
        Some(grid)
    }

    /// Runs an edge on all that is known so far, and says which slots have got more values.
    fn try_out(&mut self, at: EdgeRef) -> Result<SlotSet, StopReason> {
        let gains = self.gains(at);
        let edge = self.edge(at);
        let plain = match &edge.sync {
            CompiledSync::Internal => true,
            CompiledSync::Send { fields, .. } => *fields == 0,
            CompiledSync::Receive { required, .. } => required.is_empty(),
        };
        let choices = edge.selects.iter().fold(1u128, |all, range| all.saturating_mul(range.size()));
        let (selects, guard) = (edge.selects.clone(), edge.guard);
        let update = edge.update.map_or_else(SlotSet::default, |r| self.program.routines[r].reads.clone());
        // A guard that reads too much is left out; an update that does gives anything.
        let with_guard = self.grid(&self.reads(at), choices);
        let guard = guard.filter(|_| with_guard.is_some() && !self.sees_others(at));
        let grid = with_guard.or_else(|| self.grid(&update, choices));
        let little = self.runs < MOST_RUNS && self.machine.total_work() < MOST_WORK;
        let Some(grid) = grid.filter(|_| plain && little) else {
            return Ok(self.give_up(&gains));
        };
        let mut grown = SlotSet::default();
        let (mut next, mut effects, evaluated) = (Vec::new(), Effects::default(), Evaluated::default());
        let mut chosen = Vec::new();
        let mut more = first_selects(&selects, &mut chosen);
        while more {
            let mut position = vec![0; grid.len()];
            loop {
                for ((slot, values), at) in grid.iter().zip(&position) {
                    self.state[*slot] = values[*at];
                }
                self.runs += 1;
                let Self { program, meter, machine, state, .. } = self;
                next.clone_from(state);
                let part = FirePart {
                    process: at.0,
                    edge: at.1,
                    selects: &chosen,
                    evaluated: &evaluated,
                    message: None,
                };
                let fires = metered(meter, machine, |machine| {
                    let allowed = guard.is_none_or(|guard| {
                        machine.eval(program, guard, state, &chosen).is_ok_and(|value| value != 0)
                    });
                    allowed && machine.fire(program, &[part], &mut next, &mut effects).is_ok()
                })?;
                if fires {
                    self.collect(&gains, &next, &mut grown);
                }
                effects.clear();
                let mut carry = true;
                for ((_, values), at) in grid.iter().zip(&mut position).rev() {
                    *at += 1;
                    carry = *at == values.len();
                    if !carry {
                        break;
                    }
                    *at = 0;
                }
                if carry {
                    break;
                }
            }
            more = next_selects(&selects, &mut chosen);
        }
        Ok(grown)
    }

    fn collect(&mut self, gains: &[usize], state: &[i64], grown: &mut SlotSet) {
        for slot in gains {
            if let Collected::Values(values) = &mut self.collected[*slot]
                && values.insert(state[*slot])
            {
                grown.insert(*slot);
                if values.len() as u128 > MOST_VALUES {
                    self.collected[*slot] = Collected::Unknown;
                }
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
