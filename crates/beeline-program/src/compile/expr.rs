//! Expressions.

use super::Builder;
use crate::bytecode::{Op, Reg, Source};
use beeline_ir::expr::{BinaryOp, ChannelRef, Expr, Quantifier, Range};
use beeline_ir::network::ChannelKind;
use beeline_ir::stmt::{Pattern, Receive, Store};
use beeline_ir::{FunctionId, LocalId, ProcessId, work};

/// An index that is constant and inside.
pub(super) fn fixed(index: Source, len: u32) -> Option<u32> {
    match index {
        Source::Const(i) => u32::try_from(i).ok().filter(|i| *i < len),
        Source::Reg(_) | Source::Slot(_) => None,
    }
}

impl Builder<'_> {
    /// The value of an expression.
    pub(crate) fn expr(&mut self, e: &Expr) -> Source {
        match e {
            Expr::Const(value) => Source::Const(*value),
            Expr::Var(var) => self.env.layout.var[*var].map_or(Source::Const(0), |s| Source::Slot(s as u32)),
            Expr::Local(local) => Source::Reg(self.local(*local)),
            Expr::Elem(var, index) => {
                let index = self.expr(index);
                let (base, len) = self.array(*var);
                match fixed(index, len) {
                    Some(i) => Source::Slot(base + i),
                    None => self.produce(|dst| Op::LoadElem { dst, base, len, index }),
                }
            }
            Expr::LocalElem(local, index) => {
                let index = self.expr(index);
                let (base, len) = self.local_array(*local);
                match fixed(index, len) {
                    Some(i) => Source::Reg(Reg(base.0 + i)),
                    None => self.produce(|dst| Op::LoadLocal { dst, base, len, index }),
                }
            }
            Expr::At(process, location) => {
                let value = location.index() as i64;
                self.binary(BinaryOp::Eq, self.location_slot(*process), Source::Const(value))
            }
            Expr::Alive(process) => self.alive(*process),
            Expr::Pid(process) => self.pid(*process),
            Expr::ProcessCount => self.produce(|dst| Op::ProcessCount { dst }),
            Expr::Unary(op, inner) => {
                let src = self.expr(inner);
                self.produce(|dst| Op::Unary { op: *op, dst, src })
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(left);
                let right = self.expr(right);
                self.binary(*op, left, right)
            }
            Expr::And(parts) => self.chain(parts, true),
            Expr::Or(parts) => self.chain(parts, false),
            Expr::If(cond, first, second) => {
                let cond = self.expr(cond);
                let dst = self.temp();
                self.branch(cond, |b| b.expr_into(dst, first), |b| b.expr_into(dst, second));
                Source::Reg(dst)
            }
            Expr::Quantified(quantifier, local, range, body) => {
                self.quantified(*quantifier, *local, *range, body)
            }
            Expr::Call(function, args) => self.call(*function, args),
            Expr::Channel(channel) => self.channel(channel),
            Expr::Length(channel) => {
                let value = self.opened(channel, None, false);
                self.queue_access(channel, value, false);
                self.produce(|dst| Op::Length { dst, channel: value })
            }
            Expr::Capacity(channel) => {
                let value = self.opened(channel, None, false);
                self.produce(|dst| Op::Capacity { dst, channel: value })
            }
            Expr::Poll(receive) => {
                let channel = self.opened(&receive.channel, Some(receive.pattern.len()), false);
                let patterns = self.patterns(receive);
                self.queue_access(&receive.channel, channel, false);
                self.produce(|dst| Op::Poll { dst, channel, patterns, any: receive.any })
            }
            Expr::Enabled(process, edges) => {
                let (process, edges) = (*process, edges.clone().into());
                self.produce(|dst| Op::Enabled { dst, process, edges })
            }
            Expr::Timeout => self.produce(|dst| Op::Timeout { dst }),
            // Well-formed networks have these in predicates only, where they are split off.
            Expr::Next(_) | Expr::Clock(_) | Expr::Deadlock => Source::Const(0),
        }
    }

    fn expr_into(&mut self, dst: Reg, e: &Expr) {
        let src = self.expr(e);
        self.emit(Op::Move { dst, src });
    }

    /// Emits an operation with a fresh result register.
    fn produce(&mut self, op: impl FnOnce(Reg) -> Op) -> Source {
        let dst = self.temp();
        self.emit(op(dst));
        Source::Reg(dst)
    }
    fn binary(&mut self, op: BinaryOp, left: Source, right: Source) -> Source {
        self.produce(|dst| Op::Binary { op, dst, left, right })
    }

    pub(super) fn array(&self, var: beeline_ir::VarId) -> (u32, u32) {
        let base = self.env.layout.var[var].unwrap_or(0) as u32;
        (base, self.env.network.vars[var].len.unwrap_or(1))
    }
    pub(super) fn local_array(&self, local: LocalId) -> (Reg, u32) {
        (self.local(local), self.frame[local.index()].len.unwrap_or(1))
    }
    fn location_slot(&self, process: ProcessId) -> Source {
        Source::Slot(self.env.layout.location[process] as u32)
    }

    fn alive(&mut self, process: ProcessId) -> Source {
        let layout = self.env.layout;
        if !layout.mortal(process) {
            return Source::Const(1);
        }
        let absent = Source::Const(layout.absent(process));
        self.binary(BinaryOp::Ne, self.location_slot(process), absent)
    }

    fn pid(&mut self, process: ProcessId) -> Source {
        let layout = self.env.layout;
        if let Some(slot) = layout.pid[process] {
            return Source::Slot(slot as u32);
        }
        // An observer was never started and so has no number.
        let Some(number) = layout.static_pid[process] else { return Source::Const(-1) };
        if !layout.mortal(process) {
            return Source::Const(number);
        }
        let alive = self.alive(process);
        let dst = self.temp();
        let put = |value| move |b: &mut Self| b.emit(Op::Move { dst, src: Source::Const(value) });
        self.branch(alive, put(number), put(-1));
        Source::Reg(dst)
    }

    /// `And` (decided by the first part that is false) or `Or` (by the first that is true). The parts follow each
    /// other instead of nesting, so that long conjunctions make no deep regions.
    fn chain(&mut self, parts: &[Expr], and: bool) -> Source {
        let Some((head, rest)) = parts.split_first() else { return Source::Const(i64::from(and)) };
        let dst = self.temp();
        self.truth_into(dst, head);
        for part in rest {
            self.when(Source::Reg(dst), and, |b| b.truth_into(dst, part));
        }
        Source::Reg(dst)
    }
    fn truth_into(&mut self, dst: Reg, e: &Expr) {
        let left = self.expr(e);
        self.emit(Op::Binary { op: BinaryOp::Ne, dst, left, right: Source::Const(0) });
    }

    fn quantified(&mut self, quantifier: Quantifier, local: LocalId, range: Range, body: &Expr) -> Source {
        let neutral = Source::Const(i64::from(quantifier == Quantifier::Forall));
        if range.lo > range.hi {
            return neutral;
        }
        let variable = self.local(local);
        let current = Source::Reg(variable);
        let dst = self.temp();
        self.emit(Op::Move { dst, src: neutral });
        self.emit(Op::Move { dst: variable, src: Source::Const(range.lo) });
        self.repeat(|b, exits| {
            b.count(work::of_expr(body));
            match quantifier {
                Quantifier::Forall => {
                    b.truth_into(dst, body);
                    b.leave(exits, Source::Reg(dst), false);
                }
                Quantifier::Exists => {
                    b.truth_into(dst, body);
                    b.leave(exits, Source::Reg(dst), true);
                }
                Quantifier::Sum => {
                    let right = b.expr(body);
                    b.emit(Op::Binary { op: BinaryOp::Add, dst, left: Source::Reg(dst), right });
                }
            }
            // Tested before counting on, so that a range may end at the greatest integer.
            let more = b.binary(BinaryOp::Lt, current, Source::Const(range.hi));
            b.leave(exits, more, false);
            b.emit(Op::Binary { op: BinaryOp::Add, dst: variable, left: current, right: Source::Const(1) });
        });
        Source::Reg(dst)
    }

    /// Calls a function. Each argument is checked as soon as it is evaluated.
    pub(super) fn call(&mut self, function: FunctionId, args: &[Expr]) -> Source {
        let callee = &self.env.network.functions[function];
        let mut values = Vec::with_capacity(args.len());
        for (arg, param) in args.iter().zip(&callee.frame) {
            let src = self.expr(arg);
            values.push(self.fitted(src, param.range, Store::Checked));
        }
        self.count(work::of_function(callee));
        let routine = self.env.functions[function];
        self.produce(|dst| Op::Call { routine, args: values.into(), dst })
    }

    /// The value, checked against the range or wrapped into it.
    pub(super) fn fitted(&mut self, src: Source, range: Range, store: Store) -> Source {
        match src {
            Source::Const(value) if range.contains(value) => src,
            _ => self.produce(|dst| Op::Fit { dst, src, range, store }),
        }
    }

    /// The value of a channel.
    pub(super) fn channel(&mut self, channel: &ChannelRef) -> Source {
        match channel {
            ChannelRef::Value(e) => self.expr(e),
            ChannelRef::Element(id, index) => {
                let first = self.env.network.first_element(*id) as i64 + 1;
                let len = self.env.network.channels[*id].elements() as u32;
                let Some(index) = index else { return Source::Const(first) };
                let index = self.expr(index);
                match fixed(index, len) {
                    Some(i) => Source::Const(first + i64::from(i)),
                    None => {
                        self.emit(Op::CheckIndex { index, len });
                        self.binary(BinaryOp::Add, Source::Const(first), index)
                    }
                }
            }
        }
    }

    /// The value of a channel that is known to exist, with that many fields and a buffer if so demanded.
    pub(super) fn opened(&mut self, channel: &ChannelRef, fields: Option<usize>, buffered: bool) -> Source {
        let value = self.channel(channel);
        let sure = match channel {
            ChannelRef::Value(_) => false,
            ChannelRef::Element(id, _) => {
                let declared = &self.env.network.channels[*id];
                fields.is_none_or(|n| n == declared.fields.len())
                    && (!buffered || matches!(declared.kind, ChannelKind::Buffered { .. }))
            }
        };
        if !sure {
            self.emit(Op::Open { channel: value, fields: fields.map(|n| n as u32), buffered });
        }
        value
    }

    /// The required values of a receive.
    pub(super) fn patterns(&mut self, receive: &Receive) -> Box<[Option<Source>]> {
        let required = |b: &mut Self, pattern: &Pattern| match pattern {
            Pattern::Match(e) => Some(b.expr(e)),
            Pattern::Bind(_) | Pattern::Ignore => None,
        };
        receive.pattern.iter().map(|pattern| required(self, pattern)).collect()
    }
}
