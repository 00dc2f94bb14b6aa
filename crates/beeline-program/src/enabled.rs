//! The questions `Enabled` and `Timeout`: could an edge take part in a label now? Guards, buffers and partners count;
//! committed locations, the token, priorities, clocks and target invariants do not.

use crate::edge::{Evaluated, first_selects, next_selects};
use crate::machine::Machine;
use crate::program::{CompiledSync, Program};
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{EdgeId, ProcessId};

/// Memory for evaluating an edge and its partners.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    selects: Vec<i64>,
    evaluated: Evaluated,
    partner_selects: Vec<i64>,
    partner: Evaluated,
}

impl Machine {
    /// Whether the edge is enabled in the sense of [`Expr::Enabled`](beeline_ir::expr::Expr::Enabled). A run-time
    /// error counts as a guard that does not hold.
    pub fn edge_enabled(
        &mut self,
        program: &Program,
        process: ProcessId,
        edge: EdgeId,
        state: &[i64],
    ) -> bool {
        let compiled = &program.processes[process].edges[edge];
        if program.location(process, state) != Some(compiled.source) {
            return false;
        }
        let mut scratch = self.scratch.pop().unwrap_or_default();
        let mut more = first_selects(&compiled.selects, &mut scratch.selects);
        let mut enabled = false;
        while more && !enabled {
            let Scratch { selects, evaluated, .. } = &mut scratch;
            let holds = self.evaluate_edge(program, process, edge, selects, state, evaluated);
            enabled = holds == Ok(true) && self.can_proceed(program, process, edge, state, &mut scratch);
            more = next_selects(&compiled.selects, &mut scratch.selects);
        }
        self.scratch.push(scratch);
        enabled
    }

    /// Whether no edge of any process is enabled when every `Timeout` is read as 0. Observers are no part of the
    /// system.
    pub(crate) fn timeout(&mut self, program: &Program, state: &[i64]) -> bool {
        self.in_timeout = true;
        let system = |id: &ProcessId| program.processes[*id].role == Role::System;
        let enabled = program.processes.ids().filter(system).any(|process| {
            program.outgoing(process, state).iter().any(|e| self.edge_enabled(program, process, *e, state))
        });
        self.in_timeout = false;
        !enabled
    }

    /// Whether an edge whose guard holds finds room, a message or a partner.
    fn can_proceed(
        &mut self,
        program: &Program,
        process: ProcessId,
        edge: EdgeId,
        state: &[i64],
        scratch: &mut Scratch,
    ) -> bool {
        let sync = &program.processes[process].edges[edge].sync;
        let Some(element) = scratch.evaluated.element else { return true };
        match (program.elements[element].kind, sync) {
            (_, CompiledSync::Internal) => true,
            (ChannelKind::Buffered { .. }, CompiledSync::Send { .. }) => {
                program.queue_accepts(state, element)
            }
            (ChannelKind::Buffered { .. }, CompiledSync::Receive { any, .. }) => {
                program.queue_matches(state, element, *any, &scratch.evaluated.patterns).is_some()
            }
            (ChannelKind::Broadcast, CompiledSync::Send { .. }) => true,
            _ => program
                .processes
                .ids()
                .filter(|other| *other != process)
                .any(|other| self.finds_partner(program, sync.receives(), other, state, scratch)),
        }
    }

    /// Whether the other process has an edge that communicates with the one evaluated.
    fn finds_partner(
        &mut self,
        program: &Program,
        receives: bool,
        other: ProcessId,
        state: &[i64],
        scratch: &mut Scratch,
    ) -> bool {
        let Scratch { evaluated, partner_selects: selects, partner, .. } = scratch;
        let Some(element) = evaluated.element else { return false };
        for edge in program.outgoing(other, state) {
            let compiled = &program.processes[other].edges[*edge];
            let channel = compiled.sync.channel();
            if compiled.sync.receives() == receives || !channel.is_some_and(|c| c.may_name(program, element))
            {
                continue;
            }
            let mut more = first_selects(&compiled.selects, selects);
            while more {
                let holds = self.evaluate_edge(program, other, *edge, selects, state, partner);
                let (sender, receiver) =
                    if receives { (&*partner, &*evaluated) } else { (&*evaluated, &*partner) };
                if holds == Ok(true) && partner.element == Some(element) && receiver.accepts(&sender.message)
                {
                    return true;
                }
                more = next_selects(&compiled.selects, selects);
            }
        }
        false
    }
}
