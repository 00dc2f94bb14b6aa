//! One process: a location for every place of its type, an edge for every step. Only the youngest process can end, and
//! its end costs nothing. What its channels still hold is lost with it.

use std::collections::HashSet;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, ChannelRef, Expr};
use beeline_ir::network::{ChannelKind, Edge, Location, Sync};
use beeline_ir::stmt::{Block, Local, Pattern, Place, Receive, Stmt, Store, Target};
use beeline_ir::{EdgeId, LocationId, ProcessId};

use super::slots::{runs, runs_in};
use super::{Lower, Res, both};
use crate::Length;
use crate::ast::{self, ExprKind, StmtKind};
use crate::graph::Action;

/// The name of the place of a process that found no slot.
pub(crate) const OVERFLOW: &str = "-overflow-";

/// What an edge is made of.
#[derive(Debug)]
pub(super) struct Parts {
    pub guard: Expr,
    pub sync: Sync,
    pub update: Block,
    pub frame: Vec<Local>,
}

impl Parts {
    fn new(guard: Expr, sync: Sync, update: Block) -> Self {
        Self { guard, sync, update, frame: Vec::new() }
    }
}

impl<'a> Lower<'a, '_> {
    /// Makes the locations and edges of a process.
    pub(super) fn process(&mut self, id: ProcessId) {
        let proto = self.instances[id.index()].proto;
        let proc = self.protos[proto].proc;
        self.locations(id, proto);
        let provided = match &proc.provided {
            Some(condition) => match self.expr(condition, Some(id)) {
                Ok(condition) => condition,
                Err(wrong) => return self.messages.add(wrong),
            },
            None => Expr::TRUE,
        };
        // Edges come in the order of places and steps, so their numbers are known beforehand.
        let mut first = 0;
        for place in 0..self.protos[proto].graph.places.len() {
            let count = self.protos[proto].graph.places[place].steps.len();
            let mut actions = Vec::new();
            for step in 0..count {
                let (action, span) = {
                    let step = &self.protos[proto].graph.places[place].steps[step];
                    (step.action, step.span)
                };
                let parts = self.spend(8, span).and_then(|()| self.action(action, id));
                match parts {
                    Ok(parts) => actions.push(parts),
                    Err(wrong) => {
                        self.messages.add(wrong);
                        actions.push(Parts::new(Expr::TRUE, Sync::Internal, Vec::new()));
                    }
                }
            }
            let guards = self.choice_guards(id, proto, place, first, &actions);
            for (step, (mut parts, choice)) in actions.into_iter().zip(guards).enumerate() {
                // What keeps a step from being considered at all comes first: it cannot fail.
                parts.guard = both(choice, both(provided.clone(), parts.guard));
                self.edge(id, proto, place, step, parts);
            }
            first += count;
        }
        self.overflow_edges(id, proto);
        self.finish_halves(id);
    }

    /// Where a step starts a process of a type whose slots may be too few, another one notices that.
    fn overflow_edges(&mut self, id: ProcessId, proto: usize) {
        let mut found = Vec::new();
        let mut edge = 0;
        for place in &self.protos[proto].graph.places {
            for step in &place.steps {
                if let Action::Stmt(stmt) = step.action {
                    runs(stmt, &mut |run, _| {
                        let open = self.proto(&run.proc).filter(|started| self.open.contains(started));
                        let started = open.and_then(|_| self.started(run));
                        let inside = matches!(stmt.kind, StmtKind::DStep(_));
                        found.extend(started.map(|started| (EdgeId::new(edge), started, inside, stmt.span)));
                    });
                }
                edge += 1;
            }
        }
        if found.is_empty() {
            return;
        }
        let mut name = OVERFLOW.to_string();
        while self.network.processes[id].locations.iter().any(|l| l.name == name) {
            name.push('\'');
        }
        let location = Location {
            name,
            frame: Vec::new(),
            condition: Expr::TRUE,
            invariant: Vec::new(),
            urgent: false,
            // Nothing happens any more.
            committed: true,
            atomic: false,
            origin: None,
        };
        let overflow = self.network.processes[id].locations.push(location);
        self.overflow.push((id, overflow));
        for (edge, started, inside, span) in found {
            if inside {
                let message = "`run` inside of a `d_step` is supported only if it is executed once";
                self.messages.unsupported("U0907", message, span);
            }
            let Some(last) = self.network.families[started].slots.last().copied() else { continue };
            let run = &self.network.processes[id].edges[edge];
            let full = Edge {
                target: overflow,
                guard: both(run.guard.clone(), Expr::Alive(last)),
                update: vec![Stmt::Assert(Expr::FALSE, None)],
                costs: false,
                ..run.clone()
            };
            self.network.processes[id].edges.push(full);
        }
    }

    fn locations(&mut self, id: ProcessId, proto: usize) {
        let mut taken: HashSet<String> =
            self.network.vars.iter().filter(|v| v.owner == Some(id)).map(|v| v.name.clone()).collect();
        taken.extend(self.network.channels.iter().filter(|c| c.owner == Some(id)).map(|c| c.name.clone()));
        for (i, place) in self.protos[proto].graph.places.iter().enumerate() {
            let wish = match (place.labels.first(), place.end) {
                (Some(label), _) => label.to_string(),
                (None, true) => "-end-".to_string(),
                (None, false) => format!("s{i}"),
            };
            let mut name = if place.atomic { format!("{wish}'") } else { wish };
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            let span = place.steps.first().map(|s| s.span);
            let location = Location {
                name,
                frame: Vec::new(),
                condition: Expr::TRUE,
                invariant: Vec::new(),
                urgent: false,
                committed: false,
                atomic: place.atomic,
                origin: span.and_then(|span| self.sources.origin(span, Vec::new())),
            };
            self.network.processes[id].locations.push(location);
        }
    }

    fn edge(&mut self, id: ProcessId, proto: usize, place: usize, step: usize, parts: Parts) {
        let (target, span, numbers, exit, from, atomic) = {
            let graph = &self.protos[proto].graph;
            let step = &graph.places[place].steps[step];
            let exit = matches!(step.action, Action::Exit);
            let (from, atomic) = (graph.places[place].atomic, graph.places[step.target].atomic);
            (step.target, step.span, step.numbers.clone(), exit, from, atomic)
        };
        let (target, atomic) = match self.half(id, target, atomic, &parts.sync, span) {
            Some(middle) => (middle, true),
            None => (LocationId::new(target), atomic),
        };
        let mut update = parts.update;
        let own = if exit { update.pop() } else { None };
        let set = |var, value| Stmt::Assign(Target { place: Place::Var(var), store: Store::Wrapping }, value);
        if let Some(last) = self.last {
            let pid = self.instances[id.index()].pid.map_or(Expr::Pid(id), Expr::Const);
            update.push(set(last, pid));
        }
        update.extend(self.token(id, from, atomic && !exit, &parts.sync));
        update.extend(own);
        let edge = Edge {
            source: LocationId::new(place),
            target,
            frame: parts.frame,
            selects: 0,
            guard: parts.guard,
            clock_guard: Vec::new(),
            sync: parts.sync,
            update,
            costs: !exit || self.length == Length::Spin,
            origin: self.sources.origin(span, numbers),
        };
        self.network.processes[id].edges.push(edge);
    }

    /// What a process does in a step.
    fn action(&mut self, action: Action<'a>, id: ProcessId) -> Res<Parts> {
        let stmt = match action {
            Action::Goto => return Ok(Parts::new(Expr::TRUE, Sync::Internal, Vec::new())),
            Action::Exit => return Ok(self.exit(id)),
            Action::Stmt(stmt) => stmt,
        };
        let internal = |guard, update| Parts::new(guard, Sync::Internal, update);
        Ok(match &stmt.kind {
            StmtKind::Expr(_) | StmtKind::Assign(..) | StmtKind::Assert(_) | StmtKind::Print => {
                let mut update = Vec::new();
                let guard = self.effect(stmt, id, &mut update)?;
                internal(guard, update)
            }
            StmtKind::Else => internal(Expr::TRUE, Vec::new()),
            StmtKind::Send(send) => {
                let send = self.send(send, id, stmt.span)?;
                Parts::new(Expr::TRUE, Sync::Send(send), Vec::new())
            }
            StmtKind::Receive(receive) => {
                let receive = self.receives(receive, id, stmt.span)?;
                Parts::new(Expr::TRUE, Sync::Receive(receive), Vec::new())
            }
            StmtKind::DStep(seq) => self.d_step(seq, id, stmt.span)?,
            _ => return Err(Diagnostic::error("E0990", "this statement was read wrongly", Some(stmt.span))),
        })
    }

    /// What a condition, assignment, assertion or output does, and when it can be done. A process that it starts comes
    /// first; its number is that of all processes before.
    pub(super) fn effect(&mut self, stmt: &'a ast::Stmt, id: ProcessId, update: &mut Block) -> Res<Expr> {
        let (StmtKind::Expr(expr) | StmtKind::Assign(_, expr) | StmtKind::Assert(expr)) = &stmt.kind else {
            return Ok(Expr::TRUE);
        };
        let mut runs = Vec::new();
        runs_in(expr, &mut |run| runs.push(run));
        if runs.len() > 1 {
            let message = "an expression has at most one `run`";
            return Err(Diagnostic::error("E0928", message, Some(expr.span)));
        }
        for run in &runs {
            let arguments = self.start_arguments(run, id, expr.span)?;
            let full = || {
                let message = format!("there is no room for a process `{}`: there are 255 already", run.proc);
                Diagnostic::error("E0930", message, Some(expr.span))
            };
            let family = self.started(run).ok_or_else(full)?;
            update.push(Stmt::Start(family, arguments, None));
        }
        let number = match &stmt.kind {
            StmtKind::Expr(_) => Expr::ProcessCount,
            _ => Expr::ProcessCount.binary(BinaryOp::Sub, Expr::Const(1)),
        };
        let outer = std::mem::replace(&mut self.started_number, runs.first().map(|_| number));
        let guard = self.plain_effect(stmt, id, update);
        self.started_number = outer;
        guard
    }

    fn plain_effect(&mut self, stmt: &'a ast::Stmt, id: ProcessId, update: &mut Block) -> Res<Expr> {
        match &stmt.kind {
            StmtKind::Expr(ast::Expr { kind: ExprKind::Run(_), .. }) => {}
            StmtKind::Expr(condition) => return self.expr(condition, Some(id)),
            StmtKind::Assign(to, value) if to.parts[0].0.as_ref() == "_" => {
                // Nothing is kept of it.
                drop(self.expr(value, Some(id))?);
            }
            StmtKind::Assign(to, value) => {
                let whole = self.whole_records(to, value, id)?;
                if whole.is_empty() {
                    let target = self.target(to, id)?;
                    let value = self.computed(value, Some(id))?;
                    update.push(Stmt::Assign(target, value));
                }
                update.extend(whole);
            }
            StmtKind::Assert(condition) => {
                let origin = self.sources.origin(stmt.span, Vec::new());
                update.push(Stmt::Assert(self.expr(condition, Some(id))?, origin));
            }
            _ => {}
        }
        Ok(Expr::TRUE)
    }

    /// An assignment of a whole record, leaf by leaf; nothing if it is none.
    fn whole_records(&mut self, to: &'a ast::Ref, value: &'a ast::Expr, id: ProcessId) -> Res<Block> {
        let ExprKind::Ref(from) = &value.kind else { return Ok(Vec::new()) };
        let is_record = |lower: &Self, found: &ast::Ref| {
            lower.variable(&found.parts[0].0, Some(id)).is_some_and(|v| {
                let length = found.parts.len() - 1;
                v.leaves.iter().any(|leaf| {
                    leaf.path.len() > length
                        && leaf.path.iter().zip(&found.parts[1..]).all(|(a, (b, _))| a == b)
                })
            })
        };
        if !is_record(self, to) || !is_record(self, from) {
            return Ok(Vec::new());
        }
        let (to_leaves, from_leaves) = (self.leaves_of(to, Some(id))?, self.leaves_of(from, Some(id))?);
        if to_leaves.len() != from_leaves.len() {
            return Err(Diagnostic::error("E0921", "these records are of different types", Some(value.span)));
        }
        let stores = to_leaves.into_iter().zip(from_leaves).filter_map(|((_, place), (value, _))| {
            Some(Stmt::Assign(Target { place: place?, store: Store::Wrapping }, value))
        });
        Ok(stores.collect())
    }

    /// The end of a process: only of the youngest. Its channels are emptied.
    fn exit(&mut self, id: ProcessId) -> Parts {
        let pid = self.instances[id.index()].pid.map_or(Expr::Pid(id), Expr::Const);
        let youngest = Expr::ProcessCount.binary(BinaryOp::Sub, Expr::Const(1));
        let guard = pid.binary(BinaryOp::Eq, youngest);
        let mut update = Vec::new();
        for (channel, declared) in self.network.channels.enumerate() {
            if declared.owner != Some(id) || !matches!(declared.kind, ChannelKind::Buffered { .. }) {
                continue;
            }
            for element in 0..declared.elements() {
                let index = declared.len.map(|_| Box::new(Expr::Const(element as i64)));
                let channel = ChannelRef::Element(channel, index);
                let pattern = vec![Pattern::Ignore; declared.fields.len()];
                let length = Expr::Length(channel.clone()).binary(BinaryOp::Gt, Expr::Const(0));
                let receive = Receive { channel, pattern, any: false, keep: false };
                update.push(Stmt::While(length, vec![Stmt::Receive(receive)]));
            }
        }
        update.push(Stmt::Exit);
        Parts::new(guard, Sync::Internal, update)
    }
}
