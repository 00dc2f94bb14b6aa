//! What a routine touches: noted operation by operation while it is built. `Enabled` and `Timeout` depend on routines
//! of other edges; [`Program::resolve_queries`] adds those when all routines are there.

use super::Env;
use crate::bytecode::{Op, Routine, Source};
use crate::program::{Atom, CompiledEdge, CompiledSync, Program};
use crate::slots::SlotSet;
use beeline_ir::network::ChannelKind;
use beeline_ir::{ClockId, EdgeId, ProcessId};

/// Notes the slots and clocks an operation touches, queues and the edges behind `Enabled` excepted.
pub(super) fn note(routine: &mut Routine, env: Env<'_>, op: &Op) {
    let layout = env.layout;
    op.operands(&mut |source| {
        if let Source::Slot(slot) = source {
            routine.reads.insert(slot as usize);
        }
    });
    match op {
        Op::LoadElem { base, len, .. } => routine.reads.insert_run(run(*base, *len)),
        Op::Store { slot, .. } => routine.writes.insert(*slot as usize),
        Op::StoreElem { base, len, .. } => routine.writes.insert_run(run(*base, *len)),
        Op::ClockSet { clock, .. } => add_clock(&mut routine.clocks_written, *clock),
        Op::ClockCopy { clock, from } => {
            add_clock(&mut routine.clocks_written, *clock);
            add_clock(&mut routine.clocks_read, *from);
        }
        Op::Call { routine: callee, .. } => {
            let callee = &env.routines[*callee];
            routine.reads.extend(&callee.reads);
            routine.writes.extend(&callee.writes);
            callee.clocks_read.iter().for_each(|c| add_clock(&mut routine.clocks_read, *c));
            callee.clocks_written.iter().for_each(|c| add_clock(&mut routine.clocks_written, *c));
        }
        Op::ProcessCount { .. } => all_mortal_locations(routine, env),
        Op::Start { family, .. } => {
            all_mortal_locations(routine, env);
            for process in &env.network.families[*family].slots {
                whole_process(routine, env, *process);
            }
        }
        Op::Exit { process } => {
            all_mortal_locations(routine, env);
            for slot in layout.pid.iter().flatten() {
                routine.reads.insert(*slot);
            }
            whole_process(routine, env, *process);
        }
        _ => {}
    }
}

fn run(base: u32, len: u32) -> std::ops::Range<usize> {
    base as usize..base as usize + len as usize
}

fn add_clock(clocks: &mut Vec<ClockId>, clock: ClockId) {
    if let Err(at) = clocks.binary_search(&clock) {
        clocks.insert(at, clock);
    }
}

fn all_mortal_locations(routine: &mut Routine, env: Env<'_>) {
    for process in env.network.processes.ids().filter(|p| env.layout.mortal(*p)) {
        routine.reads.insert(env.layout.location[process]);
    }
}

/// Starting or ending a process writes its location, number and variables.
fn whole_process(routine: &mut Routine, env: Env<'_>, process: ProcessId) {
    routine.writes.insert(env.layout.location[process]);
    if let Some(slot) = env.layout.pid[process] {
        routine.writes.insert(slot);
    }
    for (var, declared) in env.network.vars.enumerate().filter(|(_, v)| v.owner == Some(process)) {
        let base = env.layout.var[var].unwrap_or(0);
        routine.writes.insert_run(base..base + declared.init.len());
    }
}

impl Program {
    /// What the evaluation of an edge reads, buffers excepted.
    pub fn evaluation_reads(&self, process: ProcessId, edge: EdgeId) -> SlotSet {
        let mut reads = SlotSet::default();
        edge_reads(self, &self.processes[process].edges[edge], &mut reads);
        reads
    }

    /// Adds, to every routine that asks whether edges are enabled, what that depends on. Such questions may nest,
    /// so this runs to a fixpoint. The first `resolved` routines have been through it: nothing in them is about later ones.
    pub(crate) fn resolve_queries(&mut self, resolved: usize) {
        let calls = |op: &Op| matches!(op, Op::Enabled { .. } | Op::Timeout { .. } | Op::Call { .. });
        if !self.routines.iter().skip(resolved).any(|r| r.code.iter().any(calls)) {
            return;
        }
        loop {
            let all = self.processes.enumerate().flat_map(|(p, c)| c.edges.ids().map(move |e| (p, e)));
            let timeout = enabled_reads(self, all);
            let mut changed = false;
            for id in self.routines.ids().skip(resolved) {
                let mut extra = SlotSet::default();
                for op in &self.routines[id].code {
                    match op {
                        Op::Enabled { process, edges, .. } => {
                            extra.extend(&enabled_reads(self, edges.iter().map(|e| (*process, *e))));
                        }
                        Op::Timeout { .. } => {
                            extra.extend(&timeout);
                        }
                        Op::Call { routine, .. } => {
                            extra.extend(&self.routines[*routine].reads);
                        }
                        _ => {}
                    }
                }
                changed |= self.routines[id].reads.extend(&extra);
            }
            if !changed {
                return;
            }
        }
    }
}

/// What it depends on whether these edges are enabled.
fn enabled_reads(program: &Program, edges: impl Iterator<Item = (ProcessId, EdgeId)>) -> SlotSet {
    let mut reads = SlotSet::default();
    for (process, edge) in edges {
        reads.insert(program.layout.location[process]);
        let compiled = &program.processes[process].edges[edge];
        edge_reads(program, compiled, &mut reads);
        let Some(channel) = compiled.sync.channel() else { continue };
        for (element, queue) in program.layout.queues.iter().enumerate() {
            if let (Some(queue), true) = (queue, channel.may_name(program, element)) {
                reads.insert_run(queue.length..queue.cell(queue.capacity, 0));
            }
        }
        for (other, partner) in program.processes.enumerate().filter(|(other, _)| *other != process) {
            for partner in &partner.edges {
                if may_meet(program, compiled, partner) {
                    reads.insert(program.layout.location[other]);
                    edge_reads(program, partner, &mut reads);
                }
            }
        }
    }
    reads
}

fn edge_reads(program: &Program, edge: &CompiledEdge, reads: &mut SlotSet) {
    let routine = match edge.sync {
        CompiledSync::Internal => None,
        CompiledSync::Send { routine, .. } | CompiledSync::Receive { routine, .. } => routine,
    };
    let atoms = edge.clock_guard.iter().flat_map(Atom::routines);
    for routine in edge.guard.into_iter().chain(routine).chain(atoms) {
        reads.extend(&program.routines[routine].reads);
    }
}

fn may_meet(program: &Program, edge: &CompiledEdge, partner: &CompiledEdge) -> bool {
    let (Some(mine), Some(theirs)) = (edge.sync.channel(), partner.sync.channel()) else { return false };
    edge.sync.receives() != partner.sync.receives()
        && mine.may_meet(theirs, program, |kind| !matches!(kind, ChannelKind::Buffered { .. }))
}
