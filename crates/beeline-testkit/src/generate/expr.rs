//! Random expressions. They stay shallow, and free of run-time errors unless the model is meant to have some.

use super::{Draft, Profile};
use crate::feature::Feature;
use crate::interval;
use beeline_ir::expr::{BinaryOp, ChannelRef, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::stmt::{Local, Pattern, Receive};
use beeline_ir::{ChannelId, FunctionId, LocalId, LocationId, ProcessId, VarId};

/// What an expression may speak of, and the frame its own locals go to.
#[derive(Default)]
pub(super) struct Scope {
    pub frame: Vec<Local>,
    /// Locals that have a value here: select variables, parameters, and quantified variables further out.
    pub readable: Vec<LocalId>,
    /// An array of the frame that may be read and written.
    pub array: Option<LocalId>,
    /// How many of the functions may be called (pure ones come first).
    pub callable: usize,
    /// Variables and locals only: inside functions.
    pub plain: bool,
    /// Not a word about where processes are: UPPAAL's models do not see that, only its queries do.
    pub blind: bool,
}

impl Scope {
    pub(super) fn function(frame: Vec<Local>, params: usize, callable: usize) -> Self {
        let readable = (0..params).map(LocalId::new).collect();
        Self { frame, readable, array: None, callable, plain: true, blind: true }
    }
    pub(super) fn local(&mut self, range: Range) -> LocalId {
        let id = LocalId::new(self.frame.len());
        self.frame.push(Local { name: format!("t{}", self.frame.len()), range, len: None });
        id
    }
}

impl Draft<'_> {
    pub(super) fn scope(&self) -> Scope {
        let blind = self.shape.profile == Profile::Uppaal;
        Scope { callable: self.network.functions.len(), blind, ..Scope::default() }
    }

    /// Some integer.
    pub(super) fn int(&mut self, scope: &mut Scope, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(45) {
            return self.leaf(scope);
        }
        if self.uses(Feature::Quantifier, 15) {
            let (local, range) = self.quantified(scope);
            let body = self.inside(scope, local, |draft, scope| draft.int(scope, depth - 1));
            return Expr::Quantified(Quantifier::Sum, local, range, Box::new(body));
        }
        if let Some(f) = self.pure_function(scope)
            && self.random.chance(30)
        {
            let argument = self.int(scope, depth - 1);
            return Expr::Call(f, vec![self.fitted(scope, argument, Range::new(0, 3))]);
        }
        if self.uses(Feature::Shift, 20) {
            return self.shift(scope, depth);
        }
        if self.uses(Feature::Complement, 20) {
            return Expr::Unary(UnaryOp::BitNot, Box::new(self.int(scope, depth - 1)));
        }
        match self.random.below(10) {
            0..=2 => self.int(scope, depth - 1).binary(BinaryOp::Add, self.leaf(scope)),
            3 => self.int(scope, depth - 1).binary(BinaryOp::Sub, self.leaf(scope)),
            4 => {
                let op = *self.random.pick(&[BinaryOp::Min, BinaryOp::Max]).unwrap_or(&BinaryOp::Min);
                self.int(scope, depth - 1).binary(op, self.leaf(scope))
            }
            5 => {
                let all = [BinaryOp::Mul, BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor];
                let op = *self.random.pick(&all).unwrap_or(&BinaryOp::Mul);
                self.int(scope, depth - 1).binary(op, self.leaf(scope))
            }
            6 => {
                let op = *self.random.pick(&[BinaryOp::Div, BinaryOp::Rem]).unwrap_or(&BinaryOp::Div);
                let divisor = if self.uses(Feature::RuntimeError, 50) {
                    self.leaf(scope)
                } else {
                    Expr::Const(self.random.between(1, 2))
                };
                self.int(scope, depth - 1).binary(op, divisor)
            }
            7 => Expr::If(
                Box::new(self.truth(scope, depth - 1)),
                Box::new(self.leaf(scope)),
                Box::new(self.leaf(scope)),
            ),
            8 => Expr::Unary(UnaryOp::Neg, Box::new(self.leaf(scope))),
            _ => self.truth(scope, depth - 1),
        }
    }

    fn shift(&mut self, scope: &mut Scope, depth: usize) -> Expr {
        let op = if self.random.chance(50) { BinaryOp::Shl } else { BinaryOp::Shr };
        let value = self.int(scope, depth - 1);
        let amount = match self.random.below(3) {
            0 if self.uses(Feature::RuntimeError, 70) => self.leaf(scope),
            0 => {
                let amount = self.leaf(scope);
                self.fitted(scope, amount, Range::new(0, 3))
            }
            _ => Expr::Const(self.random.between(0, 2)),
        };
        value.binary(op, amount)
    }

    fn leaf(&mut self, scope: &mut Scope) -> Expr {
        if !scope.readable.is_empty() && self.random.chance(40) {
            return Expr::Local(scope.readable[self.random.below(scope.readable.len())]);
        }
        if let Some(array) = scope.array
            && self.random.chance(30)
        {
            let len = scope.frame[array.index()].len.unwrap_or(1);
            return Expr::LocalElem(array, Box::new(self.index(scope, i64::from(len))));
        }
        if let Some(wide) = self.wide.filter(|_| self.random.chance(20)) {
            return self.narrowed(wide);
        }
        if !self.narrow_vars().is_empty() && self.random.chance(65) {
            return self.read(scope);
        }
        if !scope.plain
            && self.uses(Feature::QueueExpression, 25)
            && let Some(c) = self.some_channel(|k| matches!(k, ChannelKind::Buffered { .. }))
        {
            let c = self.channel_ref(scope, c);
            return if self.random.chance(70) { Expr::Length(c) } else { Expr::Capacity(c) };
        }
        if !scope.plain && self.has(Feature::Family) && self.random.chance(20) {
            return match self.random.below(3) {
                0 => Expr::ProcessCount,
                1 => Expr::Pid(self.system_process()),
                _ => Expr::Alive(self.system_process()),
            };
        }
        Expr::Const(self.random.between(0, 2))
    }

    /// The value of some variable.
    fn read(&mut self, scope: &mut Scope) -> Expr {
        let all = self.narrow_vars();
        let id = all[self.random.below(all.len())];
        match self.network.vars[id].len {
            None => Expr::Var(id),
            Some(len) => Expr::Elem(id, Box::new(self.index(scope, i64::from(len)))),
        }
    }

    /// An index below `len`, mostly.
    pub(super) fn index(&mut self, scope: &mut Scope, len: i64) -> Expr {
        if self.uses(Feature::RuntimeError, 25) {
            return self.leaf(scope);
        }
        if self.random.chance(50) {
            return Expr::Const(self.random.between(0, len - 1));
        }
        let scalars: Vec<VarId> =
            self.narrow_vars().into_iter().filter(|v| self.network.vars[*v].len.is_none()).collect();
        let index = match self.random.pick(&scope.readable).copied() {
            Some(local) if self.random.chance(70) => Expr::Local(local),
            _ => self.random.pick(&scalars).map_or(Expr::Const(0), |v| Expr::Var(*v)),
        };
        self.fitted(scope, index, Range::new(0, len - 1))
    }

    /// The expression, changed where needed so that its value is certainly in the range; but a model with run-time
    /// errors may be left to run into one.
    pub(super) fn fitted(&mut self, scope: &Scope, expr: Expr, range: Range) -> Expr {
        let known = interval::of(&self.network, &scope.frame, &expr);
        if known.is_some_and(|k| range.lo <= k.lo && k.hi <= range.hi) || self.uses(Feature::RuntimeError, 60)
        {
            return expr;
        }
        let above = expr.binary(BinaryOp::Max, Expr::Const(range.lo));
        above.binary(BinaryOp::Min, Expr::Const(range.hi))
    }

    /// Some condition.
    pub(super) fn truth(&mut self, scope: &mut Scope, depth: usize) -> Expr {
        if depth > 0 && self.uses(Feature::Quantifier, 35) {
            let (local, range) = self.quantified(scope);
            let body = self.inside(scope, local, |draft, scope| draft.truth(scope, depth - 1));
            let q = if self.random.chance(50) { Quantifier::Forall } else { Quantifier::Exists };
            return Expr::Quantified(q, local, range, Box::new(body));
        }
        match self.random.below(if depth == 0 { 6 } else { 10 }) {
            0..=3 => self.comparison(scope, depth),
            4 | 5 if !scope.blind => self.at(),
            6 => Expr::And(vec![self.truth(scope, depth - 1), self.truth(scope, depth - 1)]),
            7 => Expr::Or(vec![self.truth(scope, depth - 1), self.truth(scope, depth - 1)]),
            8 => self.truth(scope, depth - 1).negated(),
            9 if self.random.chance(10) => Expr::And(Vec::new()),
            9 if !scope.plain && self.has(Feature::QueueExpression) => self.poll(scope),
            _ => self.comparison(scope, depth),
        }
    }

    fn comparison(&mut self, scope: &mut Scope, depth: usize) -> Expr {
        if let Some(wide) = self.wide.filter(|_| self.random.chance(15)) {
            return self.wide_comparison(wide);
        }
        let ops = [
            (30, BinaryOp::Eq),
            (15, BinaryOp::Ne),
            (15, BinaryOp::Lt),
            (15, BinaryOp::Le),
            (10, BinaryOp::Gt),
            (15, BinaryOp::Ge),
        ];
        let left = self.int(scope, depth.min(1));
        let right =
            if self.random.chance(70) { Expr::Const(self.random.between(0, 2)) } else { self.leaf(scope) };
        left.binary(self.random.weighted(&ops), right)
    }

    /// Some process being at some location.
    pub(super) fn at(&mut self) -> Expr {
        let process = self.system_process();
        Expr::At(process, LocationId::new(self.random.below(self.network.processes[process].locations.len())))
    }

    fn poll(&mut self, scope: &mut Scope) -> Expr {
        let Some(c) = self.some_channel(|k| matches!(k, ChannelKind::Buffered { .. })) else {
            return Expr::TRUE;
        };
        let fields = self.network.channels[c].fields.len();
        let pattern = (0..fields)
            .map(|_| if self.random.chance(50) { Pattern::Match(self.leaf(scope)) } else { Pattern::Ignore })
            .collect();
        let channel = self.channel_ref(scope, c);
        let any = self.uses(Feature::AnyReceive, 50);
        Expr::Poll(Box::new(Receive { channel, pattern, any, keep: false }))
    }

    /// A fresh local to quantify over.
    pub(super) fn quantified(&mut self, scope: &mut Scope) -> (LocalId, Range) {
        let range = Range::new(0, 1 + self.random.below(2) as i64);
        (scope.local(range), range)
    }

    /// Makes an expression in which the local has a value.
    pub(super) fn inside(
        &mut self,
        scope: &mut Scope,
        local: LocalId,
        make: impl FnOnce(&mut Self, &mut Scope) -> Expr,
    ) -> Expr {
        scope.readable.push(local);
        let body = make(self, scope);
        scope.readable.pop();
        body
    }

    fn pure_function(&self, scope: &Scope) -> Option<FunctionId> {
        let pure = |f: &FunctionId| !self.composable.contains(f);
        self.network.functions.ids().take(scope.callable).find(pure)
    }

    /// The variables of few values.
    pub(super) fn narrow_vars(&self) -> Vec<VarId> {
        self.network.vars.ids().filter(|id| Some(*id) != self.wide).collect()
    }

    pub(super) fn system_process(&mut self) -> ProcessId {
        let system = self.network.processes.iter().filter(|p| p.role == Role::System).count();
        ProcessId::new(self.random.below(system)) // observers come last
    }

    /// Some channel of a kind.
    pub(super) fn some_channel(&mut self, wanted: impl Fn(ChannelKind) -> bool) -> Option<ChannelId> {
        let all: Vec<ChannelId> =
            self.network.channels.enumerate().filter(|(_, c)| wanted(c.kind)).map(|(id, _)| id).collect();
        self.random.pick(&all).copied()
    }

    /// A way to name some element of the channel.
    pub(super) fn channel_ref(&mut self, scope: &mut Scope, channel: ChannelId) -> ChannelRef {
        let len = self.network.channels[channel].len;
        ChannelRef::Element(channel, len.map(|n| Box::new(self.index(scope, i64::from(n)))))
    }
}
