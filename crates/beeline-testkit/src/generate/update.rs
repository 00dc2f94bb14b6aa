//! Random updates.

use super::Draft;
use super::expr::Scope;
use crate::feature::Feature;
use beeline_ir::expr::{BinaryOp, ChannelRef, Expr, Range};
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::stmt::{Block, Pattern, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{ChannelId, FamilyId, LocalId};

impl Draft<'_> {
    /// Up to `most` statements.
    pub(super) fn statements(&mut self, scope: &mut Scope, most: usize) -> Block {
        let count = self.random.below(most + 1);
        let mut block = Vec::new();
        for _ in 0..count {
            self.statement(scope, &mut block, 1);
        }
        block
    }

    fn statement(&mut self, scope: &mut Scope, block: &mut Block, depth: usize) {
        if depth > 0 && self.uses(Feature::ControlFlow, 40) {
            return self.control_flow(scope, block, depth);
        }
        if !scope.plain
            && self.uses(Feature::EffectFunction, 30)
            && let Some(&f) = self.random.pick(&self.composable)
        {
            let result = self.network.functions[f].result;
            let place = result.filter(|_| self.random.chance(60)).and_then(|r| self.place(scope, r));
            return block.push(Stmt::Call(f, Vec::new(), place));
        }
        if !scope.plain && self.uses(Feature::Assert, 40) {
            return block.push(Stmt::Assert(self.truth(scope, 1), None));
        }
        if !scope.plain && self.uses(Feature::Composite, 30) && self.composite(scope, block) {
            return;
        }
        if scope.array.is_some() && self.random.chance(30) {
            return block.extend(self.local_assignment(scope));
        }
        if let Some(wide) = self.wide.filter(|_| self.random.chance(25)) {
            return block.push(self.wide_assignment(scope, wide));
        }
        let no_vars = self.narrow_vars().is_empty();
        if !self.network.clocks.is_empty() && (no_vars || self.random.chance(55)) {
            block.push(self.clock_statement(scope));
        } else if !no_vars {
            block.push(self.assignment(scope));
        }
    }

    /// Sets or copies some clock.
    pub(super) fn clock_statement(&mut self, scope: &mut Scope) -> Stmt {
        let clocks: Vec<_> = self.network.clocks.ids().collect();
        let clock = clocks[self.random.below(clocks.len())];
        if self.uses(Feature::ClockCopy, 35) && clocks.len() > 1 {
            return Stmt::ClockCopy(clock, clocks[self.random.below(clocks.len())]);
        }
        if self.uses(Feature::ClockValue, 40) {
            // Intervals do not see that a conditional keeps a wide variable small; such a model would be refused.
            let value = if self.random.chance(75) || self.wide.is_some() {
                Expr::Const(self.random.between(1, self.constant))
            } else {
                let value = self.int(scope, 1);
                self.fitted(scope, value, Range::new(0, self.constant))
            };
            return Stmt::ClockSet(clock, value);
        }
        Stmt::ClockSet(clock, Expr::Const(0))
    }

    fn assignment(&mut self, scope: &mut Scope) -> Stmt {
        let all = self.narrow_vars();
        let id = all[self.random.below(all.len())];
        let (range, len) = (self.network.vars[id].range, self.network.vars[id].len);
        let place = match len {
            None => Place::Var(id),
            Some(n) => Place::Elem(id, self.index(scope, i64::from(n))),
        };
        let wrapping = self.uses(Feature::WrappingStore, 60);
        let store = if wrapping { Store::Wrapping } else { Store::Checked };
        let holds_channel = self.channel_holder() == Some(id);
        let value = match self.random.below(10) {
            0..=5 if holds_channel => self.channel_value(scope),
            0..=2 => Expr::Const(self.random.between(range.lo, range.hi)),
            3..=6 if len.is_none() => Expr::Var(id).binary(BinaryOp::Add, Expr::Const(1)),
            _ => self.int(scope, 2),
        };
        let value = if wrapping { value } else { self.fitted(scope, value, range) };
        Stmt::Assign(Target { place, store }, value)
    }

    /// Adds a local array to the frame, perhaps.
    pub(super) fn local_array(&mut self, scope: &mut Scope, percent: u32) {
        if self.uses(Feature::LocalArray, percent) {
            let range = Range::new(self.random.between(-1, 1), self.random.between(1, 3));
            scope.array = Some(scope.local(range));
            if let Some(local) = scope.frame.last_mut() {
                local.len = Some(1 + self.random.below(3) as u32);
            }
        }
    }

    /// Sets an element of the local array, if there is one.
    pub(super) fn local_assignment(&mut self, scope: &mut Scope) -> Option<Stmt> {
        let array = scope.array?;
        let local = scope.frame[array.index()].clone();
        let index = self.index(scope, i64::from(local.len.unwrap_or(1)));
        let value = self.int(scope, 2);
        let value = self.fitted(scope, value, local.range);
        let target = Target { place: Place::LocalElem(array, index), store: Store::Checked };
        Some(Stmt::Assign(target, value))
    }

    /// The value of some channel, perhaps chosen by a condition.
    pub(super) fn channel_value(&mut self, scope: &mut Scope) -> Expr {
        let value = |draft: &mut Self, scope: &mut Scope| {
            let channel = draft.some_channel(|_| true)?;
            Some(Expr::Channel(draft.channel_ref(scope, channel)))
        };
        match (value(self, scope), value(self, scope)) {
            (Some(a), Some(b)) if self.random.chance(40) => {
                Expr::If(Box::new(self.truth(scope, 0)), Box::new(a), Box::new(b))
            }
            (Some(a), _) => a,
            (None, _) => Expr::Const(0),
        }
    }

    /// A place that can take every value of the range.
    pub(super) fn place(&mut self, scope: &mut Scope, range: Range) -> Option<Target> {
        let all = self.narrow_vars();
        let id = *self.random.pick(&all)?;
        let var = &self.network.vars[id];
        let covers = var.range.lo <= range.lo && range.hi <= var.range.hi;
        let len = var.len;
        let store = match (self.has(Feature::WrappingStore), covers || self.has(Feature::RuntimeError)) {
            (true, true) if self.random.chance(50) => Store::Wrapping,
            (_, true) => Store::Checked,
            (true, false) => Store::Wrapping,
            (false, false) => return None,
        };
        let place = match len {
            None => Place::Var(id),
            Some(n) => Place::Elem(id, self.index(scope, i64::from(n))),
        };
        Some(Target { place, store })
    }

    fn control_flow(&mut self, scope: &mut Scope, block: &mut Block, depth: usize) {
        let mut inner = Vec::new();
        self.statement(scope, &mut inner, depth - 1);
        if self.random.chance(65) {
            let mut otherwise = Vec::new();
            if self.random.chance(50) {
                self.statement(scope, &mut otherwise, depth - 1);
            }
            block.push(Stmt::If(self.truth(scope, 1), inner, otherwise));
        } else {
            // A loop over a counter of its own: it always ends.
            let counter = scope.local(Range::new(0, 3));
            let times = self.random.between(1, 3);
            inner.push(increment(counter));
            block.push(Stmt::While(Expr::Local(counter).binary(BinaryOp::Lt, Expr::Const(times)), inner));
        }
    }

    /// A send or receive in the middle of a composite step, guarded against blocking, mostly.
    fn composite(&mut self, scope: &mut Scope, block: &mut Block) -> bool {
        let Some(channel) = self.some_channel(|k| matches!(k, ChannelKind::Buffered { .. })) else {
            return false;
        };
        let reference = self.channel_ref(scope, channel);
        let (stmt, ready) = if self.random.chance(50) {
            let room =
                Expr::Length(reference.clone()).binary(BinaryOp::Lt, Expr::Capacity(reference.clone()));
            (Stmt::Send(self.send(scope, channel, reference)), room)
        } else {
            let receive = self.receive(scope, channel, reference);
            (Stmt::Receive(receive.clone()), Expr::Poll(Box::new(receive)))
        };
        // Without an `if` to guard it, the statement fails where it would block.
        let guarded = self.has(Feature::ControlFlow) && self.has(Feature::QueueExpression);
        let stmt = if !guarded || self.uses(Feature::RuntimeError, 60) {
            stmt
        } else {
            Stmt::If(ready, vec![stmt], Vec::new())
        };
        block.push(stmt);
        true
    }

    pub(super) fn send(&mut self, scope: &mut Scope, channel: ChannelId, reference: ChannelRef) -> Send {
        let fields = self.network.channels[channel].fields.len();
        let buffered = matches!(self.network.channels[channel].kind, ChannelKind::Buffered { .. });
        let message = (0..fields).map(|_| self.int(scope, 1)).collect();
        Send { channel: reference, message, sorted: buffered && self.uses(Feature::SortedSend, 60) }
    }

    pub(super) fn receive(
        &mut self,
        scope: &mut Scope,
        channel: ChannelId,
        reference: ChannelRef,
    ) -> Receive {
        let fields = self.network.channels[channel].fields.clone();
        let buffered = matches!(self.network.channels[channel].kind, ChannelKind::Buffered { .. });
        let pattern = fields.into_iter().map(|range| self.pattern(scope, range)).collect();
        Receive {
            channel: reference,
            pattern,
            any: buffered && self.uses(Feature::AnyReceive, 60),
            keep: buffered && self.uses(Feature::KeepReceive, 40),
        }
    }

    fn pattern(&mut self, scope: &mut Scope, range: Range) -> Pattern {
        if self.uses(Feature::Match, 40) {
            let value = if self.random.chance(60) {
                Expr::Const(self.random.between(range.lo, range.hi))
            } else {
                self.int(scope, 1)
            };
            return Pattern::Match(value);
        }
        match self.place(scope, range) {
            Some(target) if self.random.chance(75) => Pattern::Bind(target),
            _ => Pattern::Ignore,
        }
    }

    /// Starts an instance of the family.
    pub(super) fn start(&mut self, scope: &mut Scope, family: FamilyId) -> Stmt {
        let params = self.network.families[family]
            .slots
            .first()
            .map_or(0, |p| self.network.processes[*p].params.len());
        let arguments = (0..params).map(|_| self.int(scope, 1)).collect();
        let processes = self.network.processes.iter().filter(|p| p.role == Role::System).count() as i64;
        let place = if self.random.chance(20) { self.place(scope, Range::new(0, processes)) } else { None };
        Stmt::Start(family, arguments, place)
    }
}

fn increment(counter: LocalId) -> Stmt {
    let target = Target { place: Place::Local(counter), store: Store::Checked };
    Stmt::Assign(target, Expr::Local(counter).binary(BinaryOp::Add, Expr::Const(1)))
}
