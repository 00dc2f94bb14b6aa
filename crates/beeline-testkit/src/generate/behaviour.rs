//! Invariants and edges.

use super::Draft;
use super::expr::Scope;
use crate::feature::Feature;
use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Range};
use beeline_ir::network::{ChannelKind, Edge, Role, Sync};
use beeline_ir::stmt::{Local, Stmt};
use beeline_ir::{ChannelId, ClockId, EdgeId, FamilyId, LocalId, LocationId, ProcessId, VarId};

/// What an edge does over a channel.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Direction {
    Send,
    Receive,
}

/// Where an atom stands.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// On a path that should be passable: mostly one mild constraint.
    Path,
    Guard,
    Invariant,
    Property,
}

impl Draft<'_> {
    pub(super) fn behave(&mut self) {
        let processes: Vec<ProcessId> = self.network.processes.ids().collect();
        for &id in &processes {
            match self.network.processes[id].role {
                Role::System => self.system(id),
                Role::Observer => self.observer(id),
            }
        }
        for &id in &processes {
            if self.network.processes[id].role == Role::System {
                self.special_edges(id);
            }
        }
        for family in self.network.families.ids() {
            self.starter(family);
        }
    }

    fn system(&mut self, id: ProcessId) {
        let count = self.network.processes[id].locations.len();
        for l in 0..count {
            self.invariant(id, LocationId::new(l), l == 0);
        }
        for l in 1..count {
            self.edge(id, LocationId::new(l - 1), LocationId::new(l), true);
        }
        let more = if self.deep { self.random.below(3) } else { self.random.below(count + 1) };
        for _ in 0..more {
            let source = self.random.below(count);
            // In a deep model nothing leads forward but the path.
            let target = self.random.below(if self.deep { source + 1 } else { count });
            self.edge(id, LocationId::new(source), LocationId::new(target), false);
        }
    }

    fn invariant(&mut self, id: ProcessId, location: LocationId, initial: bool) {
        let mut scope = self.scope();
        if !self.network.clocks.is_empty() && self.uses(Feature::Invariant, 40) {
            let more = if self.uses(Feature::SeveralAtoms, 45) { 1 + self.random.below(2) } else { 0 };
            for _ in 0..=more {
                let atom = self.atom(&mut scope, Place::Invariant, initial);
                self.network.processes[id].locations[location].invariant.push(atom);
            }
        }
        if self.uses(Feature::Condition, if initial { 15 } else { 30 }) {
            self.network.processes[id].locations[location].condition = self.truth(&mut scope, 1);
        }
        self.network.processes[id].locations[location].frame = scope.frame;
    }

    /// A clock constraint.
    pub(super) fn atom(&mut self, scope: &mut Scope, place: Place, mild: bool) -> ClockAtom {
        let clocks: Vec<ClockId> = self.network.clocks.ids().collect();
        let left = clocks[self.random.below(clocks.len())];
        let others: Vec<ClockId> = clocks.iter().copied().filter(|c| *c != left).collect();
        let diagonal = self.uses(Feature::Diagonal, 40) && !mild;
        let right = if diagonal { self.random.pick(&others).copied() } else { None };
        let mut op = match place {
            Place::Invariant if right.is_none() => self.random.weighted(&[
                (50, ClockOp::Le),
                (45, ClockOp::Lt),
                (if mild { 0 } else { 5 }, ClockOp::Ge),
            ]),
            Place::Path => self.random.weighted(&[
                (40, ClockOp::Ge),
                (30, ClockOp::Gt),
                (15, ClockOp::Le),
                (15, ClockOp::Lt),
            ]),
            _ => self.random.weighted(&[
                (25, ClockOp::Ge),
                (20, ClockOp::Gt),
                (20, ClockOp::Le),
                (20, ClockOp::Lt),
                (15, ClockOp::Eq),
            ]),
        };
        if !self.has(Feature::StrictBound) {
            op = match op {
                ClockOp::Lt => ClockOp::Le,
                ClockOp::Gt => ClockOp::Ge,
                closed => closed,
            };
        }
        let low = match (right, op) {
            (Some(_), _) => -self.constant,
            (None, ClockOp::Lt) => 1,
            (None, _) => i64::from(place == Place::Invariant),
        };
        let bound = self.bound(scope, low);
        let when = self.uses(Feature::ConditionalAtom, 40).then(|| self.truth(scope, 0));
        ClockAtom { when, left, right, op, bound }
    }

    fn bound(&mut self, scope: &mut Scope, low: i64) -> Expr {
        if self.uses(Feature::VariableBound, 40)
            && !(self.network.vars.is_empty() && scope.readable.is_empty())
        {
            let value = self.int(scope, 1);
            let range = Range::new(low.min(0), self.constant);
            let known = crate::interval::of(&self.network, &scope.frame, &value);
            if known.is_some_and(|k| range.lo <= k.lo && k.hi <= range.hi) {
                return value;
            }
            return value
                .binary(BinaryOp::Max, Expr::Const(range.lo))
                .binary(BinaryOp::Min, Expr::Const(range.hi));
        }
        Expr::Const(self.random.between(low, self.constant))
    }

    /// Adds an edge. On a path its guards are mild, and what it does over channels finds a partner.
    fn edge(&mut self, id: ProcessId, source: LocationId, target: LocationId, path: bool) -> EdgeId {
        let several = self.network.processes.len() > 1;
        let sync = if !self.network.channels.is_empty() && self.random.chance(45) {
            let all: Vec<ChannelId> = self.network.channels.ids().collect();
            let direction = if self.random.chance(50) { Direction::Send } else { Direction::Receive };
            self.random.pick(&all).map(|c| (*c, direction))
        } else {
            None
        };
        let edge = self.plain_edge(id, source, target, sync, path);
        if let (Some((channel, direction)), true, true) = (sync, path, several)
            && self.random.chance(70)
        {
            self.partner(id, channel, direction);
        }
        edge
    }

    /// An edge of another process that meets one of this process over the channel.
    fn partner(&mut self, id: ProcessId, channel: ChannelId, direction: Direction) {
        let other = self.system_process();
        if other == id {
            return;
        }
        let count = self.network.processes[other].locations.len();
        let (source, target) = (self.random.below(count), self.random.below(count));
        let opposite = if direction == Direction::Send { Direction::Receive } else { Direction::Send };
        self.plain_edge(
            other,
            LocationId::new(source),
            LocationId::new(target),
            Some((channel, opposite)),
            true,
        );
    }

    fn plain_edge(
        &mut self,
        id: ProcessId,
        source: LocationId,
        target: LocationId,
        sync: Option<(ChannelId, Direction)>,
        path: bool,
    ) -> EdgeId {
        let mut scope = self.scope();
        let mut selects = 0;
        if self.uses(Feature::Select, 35) {
            selects = 1 + usize::from(self.random.chance(15));
            for i in 0..selects {
                let range = Range::new(0, 1 + self.random.below(2) as i64);
                scope.frame.push(Local { name: format!("s{i}"), range, len: None });
                scope.readable.push(LocalId::new(i));
            }
        }
        let urgent = sync.is_some_and(|(c, _)| self.network.channels[c].urgent);
        let guard = if self.random.chance(if path { 15 } else { 40 }) {
            self.truth(&mut scope, 2)
        } else {
            Expr::TRUE
        };
        let mut clock_guard = Vec::new();
        if !self.network.clocks.is_empty() && !urgent {
            let (place, count) =
                if path { (Place::Path, self.random.below(2)) } else { (Place::Guard, self.random.below(3)) };
            for _ in 0..count {
                clock_guard.push(self.atom(&mut scope, place, false));
            }
        }
        let sync = self.sync(&mut scope, sync);
        if by_value(&sync) && self.network.channels.iter().any(|c| c.urgent) {
            clock_guard.clear(); // the channel may turn out to be an urgent one
        }
        self.local_array(&mut scope, 40);
        let mut update = Vec::new();
        if !self.network.clocks.is_empty() && self.random.chance(40) {
            update.push(self.clock_statement(&mut scope));
        }
        update.extend(self.statements(&mut scope, 2));
        let costs = !self.uses(Feature::FreeLabel, 30);
        let edge = Edge {
            source,
            target,
            frame: scope.frame,
            selects,
            guard,
            clock_guard,
            sync,
            update,
            costs,
            origin: None,
        };
        self.network.processes[id].edges.push(edge)
    }

    fn sync(&mut self, scope: &mut Scope, sync: Option<(ChannelId, Direction)>) -> Sync {
        let Some((channel, direction)) = sync else { return Sync::Internal };
        let reference = match self.channel_holder() {
            Some(var) if self.random.chance(40) => self.held_channel(scope, var),
            _ => self.channel_ref(scope, channel),
        };
        match direction {
            Direction::Send => Sync::Send(self.send(scope, channel, reference)),
            Direction::Receive => Sync::Receive(self.receive(scope, channel, reference)),
        }
    }

    /// The variable that holds the value of a channel.
    pub(super) fn channel_holder(&self) -> Option<VarId> {
        self.network.vars.enumerate().find(|(_, v)| v.name == "ch").map(|(id, _)| id)
    }

    fn held_channel(&mut self, scope: &mut Scope, holder: VarId) -> ChannelRef {
        let value = match self.random.below(10) {
            0..=6 => Expr::Var(holder),
            7 | 8 => self.channel_value(scope),
            _ => {
                let other = self.channel_value(scope);
                Expr::If(Box::new(self.truth(scope, 0)), Box::new(Expr::Var(holder)), Box::new(other))
            }
        };
        ChannelRef::Value(Box::new(value))
    }

    /// Ends, `else` and `timeout`.
    fn special_edges(&mut self, id: ProcessId) {
        let count = self.network.processes[id].locations.len();
        let family = self.network.processes[id].family.is_some();
        if self.uses(Feature::Exit, if family { 90 } else { 20 }) {
            let source = LocationId::new(count - 1);
            let edge = self.plain_edge(id, source, source, None, true);
            let youngest =
                Expr::Pid(id).binary(BinaryOp::Eq, Expr::ProcessCount.binary(BinaryOp::Sub, Expr::Const(1)));
            let careless = self.uses(Feature::RuntimeError, 50);
            let edge = &mut self.network.processes[id].edges[edge];
            edge.update.push(Stmt::Exit);
            if !careless {
                edge.guard = youngest;
            }
        }
        if self.uses(Feature::Else, 60) {
            let source = LocationId::new(self.random.below(count));
            let mut others = Vec::new();
            for (e, edge) in self.network.processes[id].edges.enumerate() {
                if edge.source == source && edge.clock_guard.is_empty() {
                    others.push(e);
                }
            }
            let target = LocationId::new(self.random.below(count));
            let edge = self.plain_edge(id, source, target, None, true);
            self.network.processes[id].edges[edge].guard = Expr::Enabled(id, others).negated();
        }
        if self.uses(Feature::Timeout, 50) {
            let (source, target) = (self.random.below(count), self.random.below(count));
            let edge = self.plain_edge(id, LocationId::new(source), LocationId::new(target), None, true);
            let edge = &mut self.network.processes[id].edges[edge];
            edge.guard = if edge.guard.is_true() {
                Expr::Timeout
            } else {
                Expr::And(vec![Expr::Timeout, edge.guard.clone()])
            };
        }
    }

    /// An edge that starts an instance of the family.
    fn starter(&mut self, family: FamilyId) {
        let process = ProcessId::new(0);
        let edges = self.network.processes[process].edges.len();
        let edge = EdgeId::new(self.random.below(edges));
        let mut scope = self.scope();
        let stmt = self.start(&mut scope, family);
        let last = self.network.families[family].slots.last().copied();
        let careless = self.uses(Feature::RuntimeError, 50);
        let edge = &mut self.network.processes[process].edges[edge];
        // The statement's own locals go behind those of the edge.
        let shift = edge.frame.len();
        let mut block = vec![stmt];
        crate::rewrite::shift_locals(&mut block, shift);
        for mut local in scope.frame {
            local.name = format!("u{}", edge.frame.len());
            edge.frame.push(local);
        }
        block.append(&mut edge.update);
        edge.update = block;
        if let (Some(last), false) = (last, careless) {
            let free = Expr::Alive(last).negated();
            edge.guard = if edge.guard.is_true() { free } else { Expr::And(vec![free, edge.guard.clone()]) };
        }
    }

    /// A watcher: it may stay where it is, mostly, and moves on by what it sees.
    fn observer(&mut self, id: ProcessId) {
        let count = self.network.processes[id].locations.len();
        for l in 0..count {
            let here = LocationId::new(l);
            let mut scope = self.scope();
            let seen = self.truth(&mut scope, 1);
            let next = LocationId::new((l + 1).min(count - 1));
            let move_on = Edge {
                source: here,
                target: next,
                frame: scope.frame.clone(),
                selects: 0,
                guard: seen.clone(),
                clock_guard: Vec::new(),
                sync: Sync::Internal,
                update: Vec::new(),
                costs: false,
                origin: None,
            };
            let stay = match self.random.below(10) {
                0..=3 => Expr::TRUE,
                4..=8 => seen.negated(),
                _ => self.truth(&mut scope, 1),
            };
            let stay = Edge { target: here, guard: stay, frame: scope.frame, ..move_on.clone() };
            self.network.processes[id].edges.push(move_on);
            self.network.processes[id].edges.push(stay);
        }
    }

    /// Whether the model has a channel with a buffer.
    pub(super) fn buffered(&self) -> bool {
        self.network.channels.iter().any(|c| matches!(c.kind, ChannelKind::Buffered { .. }))
    }
}

/// Whether the channel is given by its value.
fn by_value(sync: &Sync) -> bool {
    let channel = match sync {
        Sync::Internal => return false,
        Sync::Send(send) => &send.channel,
        Sync::Receive(receive) => &receive.channel,
    };
    matches!(channel, ChannelRef::Value(_))
}
