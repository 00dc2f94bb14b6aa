//! The whole network: every expression and update of every process becomes a routine.

use super::{Builder, Env, stmt};
use crate::bytecode::{Routine, RoutineId, Source};
use crate::intervals;
use crate::program::{
    Atom, ChannelUse, CompiledEdge, CompiledLocation, CompiledProcess, CompiledSync, Element, Operand,
    Program,
};
use crate::shortcut;
use beeline_ir::expr::{ChannelRef, ClockAtom, Expr, Range};
use beeline_ir::layout::Layout;
use beeline_ir::network::{Edge, Network, Process, Sync};
use beeline_ir::stmt::{Local, Pattern, Stmt};
use beeline_ir::{IdVec, ProcessId, work};

impl Program {
    /// Compiles a well-formed network.
    pub fn compile(network: &Network) -> Program {
        let mut program = Program {
            layout: Layout::of_network(network),
            clocks: network.clocks.len(),
            channel_kinds: network.channels.iter().map(|c| c.kind).collect(),
            elements: elements(network),
            processes: IdVec::new(),
            families: network.families.iter().map(|f| f.slots.clone()).collect(),
            routines: IdVec::new(),
            functions: IdVec::new(),
            search_units: work::units(work::of_search(network)),
        };
        for function in &network.functions {
            let routine = stmt::function(program.env(network), function);
            let id = program.routines.push(routine);
            program.functions.push(id);
        }
        for (id, process) in network.processes.enumerate() {
            let compiled = program.compile_process(network, id, process);
            program.processes.push(compiled);
        }
        program.resolve_queries(0);
        program
    }

    fn env<'a>(&'a self, network: &'a Network) -> Env<'a> {
        Env { network, layout: &self.layout, functions: &self.functions, routines: &self.routines }
    }

    fn compile_process(&mut self, network: &Network, id: ProcessId, process: &Process) -> CompiledProcess {
        let mut locations = IdVec::new();
        for location in &process.locations {
            let condition = self.compile_condition(network, &location.frame, 0, &location.condition);
            let invariant = self.compile_atoms(network, &location.frame, 0, &location.invariant);
            let (urgent, committed, atomic) = (location.urgent, location.committed, location.atomic);
            locations.push(CompiledLocation { condition, invariant, urgent, committed, atomic });
        }
        let mut edges = IdVec::new();
        for edge in &process.edges {
            edges.push(self.compile_edge(network, id, edge));
        }
        let owned = network.vars.enumerate().filter(|(_, var)| var.owner == Some(id));
        let slot = |var| self.layout.var[var].unwrap_or(0);
        CompiledProcess {
            role: process.role,
            priority: process.priority,
            dynamic: process.family.is_some(),
            initial: process.initial,
            locations,
            edges,
            outgoing: process.leaving(),
            own: owned.map(|(var, declared)| (slot(var), declared.init.clone())).collect(),
            params: process.params.iter().map(|var| (slot(*var), network.vars[*var].range)).collect(),
        }
    }

    fn compile_edge(&mut self, network: &Network, process: ProcessId, edge: &Edge) -> CompiledEdge {
        let guard = self.compile_condition(network, &edge.frame, edge.selects, &edge.guard);
        let sync = self.compile_sync(network, edge);
        let clock_guard = self.compile_atoms(network, &edge.frame, edge.selects, &edge.clock_guard);
        let receive = match &edge.sync {
            Sync::Receive(r) if r.pattern.iter().any(|p| matches!(p, Pattern::Bind(_))) => Some(r),
            _ => None,
        };
        let update = (receive.is_some() || !edge.update.is_empty()).then(|| {
            let builder = Builder::new(self.env(network), &edge.frame, edge.selects);
            let routine = stmt::update(builder, process, receive, &edge.update);
            self.routines.push(routine)
        });
        let tests = match shortcut::tests(network, &self.layout, &edge.guard) {
            Some((tests, true)) if !edge.guard.is_true() => Some(tests.into()),
            _ => None,
        };
        let steps = update.and_then(|_| shortcut::steps(network, &self.layout, edge));
        CompiledEdge {
            source: edge.source,
            target: edge.target,
            selects: edge.frame.iter().take(edge.selects).map(|local| local.range).collect(),
            guard,
            tests,
            clock_guard,
            sync,
            update,
            steps,
            costs: edge.costs,
            exits: edge.update.last() == Some(&Stmt::Exit),
            units: work::units(work::of_edge(edge)),
        }
    }

    fn compile_sync(&mut self, network: &Network, edge: &Edge) -> CompiledSync {
        let mut builder = Builder::new(self.env(network), &edge.frame, edge.selects);
        let (channel, fields) = match &edge.sync {
            Sync::Internal => return CompiledSync::Internal,
            Sync::Send(send) => (&send.channel, send.message.len()),
            Sync::Receive(receive) => (&receive.channel, receive.pattern.len()),
        };
        let value = builder.opened(channel, Some(fields), false);
        let mut results = vec![value];
        match &edge.sync {
            Sync::Internal => {}
            Sync::Send(send) => results.extend(send.message.iter().map(|e| builder.expr(e))),
            Sync::Receive(receive) => results.extend(builder.patterns(receive).iter().flatten()),
        }
        let routine = builder.finish(results);
        let named = match (channel, value) {
            (ChannelRef::Value(_), _) => ChannelUse::Value,
            (ChannelRef::Element(..), Source::Const(value)) => ChannelUse::Element(value as usize - 1),
            (ChannelRef::Element(id, _), _) => ChannelUse::Declared(*id),
        };
        let fixed =
            |element: usize| routine.results.len() == 1 && self.elements[element].fields.len() == fields;
        let plain = routine.opens_alone();
        let routine = match named {
            ChannelUse::Element(element) if fixed(element) => None,
            _ => Some(self.routines.push(routine)),
        };
        match &edge.sync {
            Sync::Receive(receive) => CompiledSync::Receive {
                channel: named,
                routine,
                plain,
                required: receive.pattern.iter().map(|p| matches!(p, Pattern::Match(_))).collect(),
                any: receive.any,
                keep: receive.keep,
            },
            Sync::Send(send) => {
                CompiledSync::Send { channel: named, routine, plain, fields, sorted: send.sorted }
            }
            Sync::Internal => CompiledSync::Internal,
        }
    }

    /// The routine of an expression.
    pub(crate) fn compile_expr(
        &mut self,
        network: &Network,
        frame: &[Local],
        selects: usize,
        e: &Expr,
    ) -> RoutineId {
        let mut builder = Builder::new(self.env(network), frame, selects);
        let value = builder.expr(e);
        let routine: Routine = builder.finish(vec![value]);
        self.routines.push(routine)
    }

    fn compile_condition(
        &mut self,
        network: &Network,
        frame: &[Local],
        selects: usize,
        e: &Expr,
    ) -> Option<RoutineId> {
        (!e.is_true()).then(|| self.compile_expr(network, frame, selects, e))
    }

    fn compile_atoms(
        &mut self,
        network: &Network,
        frame: &[Local],
        selects: usize,
        atoms: &[ClockAtom],
    ) -> Vec<Atom> {
        atoms.iter().map(|atom| self.compile_atom(network, frame, selects, atom)).collect()
    }

    pub(crate) fn compile_atom(
        &mut self,
        network: &Network,
        frame: &[Local],
        selects: usize,
        atom: &ClockAtom,
    ) -> Atom {
        let when = atom.when.as_ref().and_then(|e| self.compile_condition(network, frame, selects, e));
        let bound = match &atom.bound {
            Expr::Const(value) => Operand::Const(*value),
            e => Operand::Code(self.compile_expr(network, frame, selects, e)),
        };
        let all = intervals::of(network, frame, &atom.bound);
        let interval = Range::new(all.lo.max(-Atom::LIMIT), all.hi.min(Atom::LIMIT));
        Atom { when, left: atom.left, right: atom.right, op: atom.op, bound, interval }
    }
}

fn elements(network: &Network) -> Vec<Element> {
    let mut elements = Vec::new();
    for (id, channel) in network.channels.enumerate() {
        elements.extend((0..channel.elements()).map(|index| Element {
            channel: id,
            index,
            kind: channel.kind,
            urgent: channel.urgent,
            priority: channel.priority.get(index).copied().unwrap_or(0),
            fields: channel.fields.clone(),
        }));
    }
    elements
}
