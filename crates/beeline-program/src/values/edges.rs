//! `Enabled` and `Timeout`: could an edge take part in a label in some of the states, or in all?
//!
//! Guards and buffers known beforehand are looked at; partners are not. How much work the question is remains
//! open, so it may fail wherever an edge has to be evaluated.

use super::machine::{Evaluation, ValueMachine};
use super::set::{Truth, ValueSet};
use crate::bytecode::RoutineId;
use crate::program::{Atom, ChannelUse, CompiledEdge, CompiledSync, Operand, Program};
use beeline_ir::expr::Range;
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{EdgeId, ProcessId};

impl ValueMachine {
    /// Whether one of the edges is enabled.
    pub(super) fn some_enabled(
        &mut self,
        program: &Program,
        edges: impl Iterator<Item = (ProcessId, EdgeId)>,
    ) -> ValueSet {
        let mut possible = false;
        for (process, edge) in edges {
            match self.edge_enabled(program, process, edge) {
                Truth::True => return ValueSet::singleton(1),
                Truth::Maybe => possible = true,
                Truth::False => {}
            }
        }
        ValueSet::truths(true, possible)
    }

    /// Whether no edge of any process is enabled when every `Timeout` is read as 0.
    pub(super) fn timeout(&mut self, program: &Program) -> ValueSet {
        if self.in_timeout {
            return ValueSet::singleton(0);
        }
        self.charge(program.search_units, program.search_units);
        let system = program.processes.enumerate().filter(|(_, process)| process.role == Role::System);
        let edges = system.flat_map(|(id, process)| process.edges.ids().map(move |edge| (id, edge)));
        self.in_timeout = true;
        let enabled = self.some_enabled(program, edges);
        self.in_timeout = false;
        ValueSet::truths(enabled.may_be_true(), enabled.may_be_false())
    }

    fn edge_enabled(&mut self, program: &Program, process: ProcessId, edge: EdgeId) -> Truth {
        self.spend(1);
        let edge = &program.processes[process].edges[edge];
        let location = self.slots[program.layout.location[process]];
        let choices = edge.selects.iter().all(|range| range.size() > 0);
        if !location.contains(edge.source.index() as i64) || !choices {
            return Truth::False;
        }
        // The evaluation may take too long.
        self.may_diverge = true;
        self.flow.most = u64::MAX;
        let guard = edge.guard.map(|guard| self.nested(program, guard, &edge.selects));
        if guard.is_some_and(|guard| !guard.values.may_be_true()) {
            return Truth::False;
        }
        let holds = guard.is_none_or(|guard| guard.truth() == Some(Truth::True) && !guard.may_fail);
        let plain = |atom: &Atom| atom.when.is_none() && matches!(atom.bound, Operand::Const(_));
        let certain = location.value().is_some() && holds && edge.clock_guard.iter().all(plain);
        match self.can_proceed(program, edge) {
            Truth::True if !certain => Truth::Maybe,
            other => other,
        }
    }

    /// Whether an edge whose guard holds finds room, a message or a partner.
    fn can_proceed(&mut self, program: &Program, edge: &CompiledEdge) -> Truth {
        let (CompiledSync::Send { channel, routine, .. } | CompiledSync::Receive { channel, routine, .. }) =
            &edge.sync
        else {
            return Truth::True;
        };
        let yields = routine.map(|routine| self.nested(program, routine, &edge.selects));
        if yields.is_some_and(|yields| yields.values.is_empty()) {
            return Truth::False;
        }
        let ChannelUse::Element(element) = *channel else { return Truth::Maybe };
        let certain = yields.is_none_or(|yields| !yields.may_fail);
        let (may_fail, may_succeed) = match (&edge.sync, program.layout.queues[element]) {
            (CompiledSync::Receive { required, .. }, Some(queue)) => {
                let length = self.slots[queue.length].hull();
                (length.lo <= 0 || required.contains(&true), length.hi > 0)
            }
            (CompiledSync::Send { .. }, Some(queue)) => {
                let (length, capacity) = (self.slots[queue.length].hull(), queue.capacity as i64);
                (length.hi >= capacity, length.lo < capacity)
            }
            (CompiledSync::Send { .. }, None) => {
                (program.elements[element].kind != ChannelKind::Broadcast, true)
            }
            _ => (true, true),
        };
        match (may_succeed, may_fail || !certain) {
            (false, _) => Truth::False,
            (true, false) => Truth::True,
            (true, true) => Truth::Maybe,
        }
    }

    /// The value of an expression of another edge, with any of the select values. Its errors count as a guard
    /// that does not hold, unless it takes too long: then so does the whole.
    fn nested(&mut self, program: &Program, id: RoutineId, selects: &[Range]) -> Evaluation {
        let routine = &program.routines[id];
        let (flow, may_fail) = (self.flow, std::mem::take(&mut self.may_fail));
        let frame = self.enter(program, routine);
        for (register, range) in self.registers[frame.base..].iter_mut().zip(selects) {
            *register = ValueSet::range(*range);
        }
        self.invoke(frame);
        let first = routine.results.first().filter(|_| self.flow.alive);
        let values = first.map_or(ValueSet::EMPTY, |source| self.read(frame, *source));
        let evaluation = Evaluation { values, may_fail: self.may_fail };
        (self.flow, self.may_fail) = (flow, may_fail);
        evaluation
    }
}
