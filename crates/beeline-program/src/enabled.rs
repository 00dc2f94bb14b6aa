//! The questions `Enabled` and `Timeout`: could an edge take part in a label now? Guards, buffers and partners count;
//! committed locations, the token, priorities, clocks and target invariants do not.

use crate::edge::{Evaluated, first_selects, next_selects};
use crate::machine::Machine;
use crate::program::{CompiledEdge, CompiledSync, Program};
use beeline_ir::expr::RuntimeError;
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
    /// Whether the edge is enabled in the sense of [`Expr::Enabled`](beeline_ir::expr::Expr::Enabled), as an
    /// evaluation of its own.
    pub fn edge_enabled(
        &mut self,
        program: &Program,
        process: ProcessId,
        edge: EdgeId,
        state: &[i64],
    ) -> Result<bool, RuntimeError> {
        self.begin();
        self.edge_could(program, process, edge, state)
    }

    /// Whether one of the edges is enabled.
    pub(crate) fn some_enabled(
        &mut self,
        program: &Program,
        edges: impl Iterator<Item = (ProcessId, EdgeId)>,
        state: &[i64],
    ) -> Result<bool, RuntimeError> {
        self.nested(|machine| {
            for (process, edge) in edges {
                if machine.edge_could(program, process, edge, state)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Whether no edge of any process is enabled when every `Timeout` is read as 0. Observers are no part of the
    /// system.
    pub(crate) fn timeout(&mut self, program: &Program, state: &[i64]) -> Result<bool, RuntimeError> {
        self.charge(program.search_units)?;
        let system = program.processes.ids().filter(|id| program.processes[*id].role == Role::System);
        let edges = system.flat_map(|id| program.outgoing(id, state).iter().map(move |edge| (id, *edge)));
        self.in_timeout = true;
        let enabled = self.some_enabled(program, edges, state);
        self.in_timeout = false;
        Ok(!enabled?)
    }

    fn edge_could(
        &mut self,
        program: &Program,
        process: ProcessId,
        edge: EdgeId,
        state: &[i64],
    ) -> Result<bool, RuntimeError> {
        let compiled = &program.processes[process].edges[edge];
        if program.location(process, state) != Some(compiled.source) {
            return Ok(false);
        }
        let mut scratch = self.scratch.pop().unwrap_or_default();
        let mut more = first_selects(&compiled.selects, &mut scratch.selects);
        let mut enabled = Ok(false);
        while more && enabled == Ok(false) {
            let Scratch { selects, evaluated, .. } = &mut scratch;
            enabled = match self.inner(program, compiled, selects, state, evaluated) {
                Ok(true) => self.can_proceed(program, process, compiled, state, &mut scratch),
                other => other,
            };
            more = next_selects(&compiled.selects, &mut scratch.selects);
        }
        self.scratch.push(scratch);
        enabled
    }

    /// Evaluates an edge in the middle of another evaluation. A run-time error counts as a guard that does not hold,
    /// unless it is that the whole takes too long.
    fn inner(
        &mut self,
        program: &Program,
        edge: &CompiledEdge,
        selects: &[i64],
        state: &[i64],
        out: &mut Evaluated,
    ) -> Result<bool, RuntimeError> {
        self.charge(edge.units)?;
        match self.evaluate(program, edge, selects, state, out) {
            Err(error) if error != RuntimeError::Diverges => Ok(false),
            other => other,
        }
    }

    /// Whether an edge whose guard holds finds room, a message or a partner.
    fn can_proceed(
        &mut self,
        program: &Program,
        process: ProcessId,
        edge: &CompiledEdge,
        state: &[i64],
        scratch: &mut Scratch,
    ) -> Result<bool, RuntimeError> {
        let Some(element) = scratch.evaluated.element else { return Ok(true) };
        match (program.elements[element].kind, &edge.sync) {
            (_, CompiledSync::Internal) => Ok(true),
            (ChannelKind::Buffered { .. }, sync) => {
                self.charge_buffer(program, element)?;
                Ok(match sync {
                    CompiledSync::Receive { any, .. } => {
                        program.queue_matches(state, element, *any, &scratch.evaluated.patterns).is_some()
                    }
                    _ => program.queue_accepts(state, element),
                })
            }
            (ChannelKind::Broadcast, CompiledSync::Send { .. }) => Ok(true),
            (_, sync) => {
                self.charge(program.search_units)?;
                for other in program.processes.ids().filter(|other| *other != process) {
                    if self.finds_partner(program, sync.receives(), other, state, scratch)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Whether the other process has an edge that communicates with the one evaluated. All edges that name the same
    /// declaration are evaluated, even if their index is known to differ: how much work it is must not depend on
    /// what a compiler finds out.
    fn finds_partner(
        &mut self,
        program: &Program,
        receives: bool,
        other: ProcessId,
        state: &[i64],
        scratch: &mut Scratch,
    ) -> Result<bool, RuntimeError> {
        let Scratch { evaluated, partner_selects: selects, partner, .. } = scratch;
        let Some(element) = evaluated.element else { return Ok(false) };
        let declared = program.elements[element].channel;
        for edge in program.outgoing(other, state) {
            let compiled = &program.processes[other].edges[*edge];
            let Some(channel) = compiled.sync.channel() else { continue };
            if compiled.sync.receives() == receives
                || channel.declaration(program).is_some_and(|channel| channel != declared)
            {
                continue;
            }
            let mut more = first_selects(&compiled.selects, selects);
            while more {
                let holds = self.inner(program, compiled, selects, state, partner)?;
                let (sender, receiver) =
                    if receives { (&*partner, &*evaluated) } else { (&*evaluated, &*partner) };
                if holds && partner.element == Some(element) && receiver.accepts(&sender.message) {
                    return Ok(true);
                }
                more = next_selects(&compiled.selects, selects);
            }
        }
        Ok(false)
    }
}
