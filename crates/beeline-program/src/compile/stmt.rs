//! Statements and functions.

use super::expr::fixed;
use super::{Builder, Env};
use crate::bytecode::{Op, Reg, Routine, Source};
use beeline_ir::expr::Range;
use beeline_ir::stmt::{Block, Function, Pattern, Place, Receive, Stmt, Store, Target};
use beeline_ir::{ProcessId, work};

/// A place whose index is evaluated and checked.
enum Resolved {
    Slot(u32),
    Elem { base: u32, len: u32, index: Source },
    Reg(Reg),
    LocalElem { base: Reg, len: u32, index: Source },
}

/// A function's routine. It yields its result, or 0 if it has none.
pub(super) fn function(env: Env<'_>, function: &Function) -> Routine {
    let mut builder = Builder::new(env, &function.frame, function.params);
    builder.result = function.result;
    builder.block(&function.body);
    let default = function.result.map_or(0, Range::start);
    builder.finish(vec![Source::Const(default)])
}

/// The routine of an edge of a process: binds the received message, if there is one, then runs the update.
pub(super) fn update(
    mut builder: Builder<'_>,
    process: ProcessId,
    receive: Option<&Receive>,
    block: &Block,
) -> Routine {
    builder.process = Some(process);
    if let Some(receive) = receive {
        let message = builder.temps(receive.pattern.len());
        builder.routine.message = Some(message);
        builder.bind(receive, message);
    }
    builder.block(block);
    builder.finish(Vec::new())
}

impl Builder<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        for stmt in block {
            let mark = self.free;
            self.stmt(stmt);
            self.free = mark;
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(target, value) => {
                let place = self.place(&target.place);
                let value = self.expr(value);
                self.store(&place, target, value);
            }
            Stmt::ClockSet(clock, value) => {
                let src = self.expr(value);
                self.emit(Op::ClockSet { clock: *clock, src });
            }
            Stmt::ClockCopy(clock, from) => self.emit(Op::ClockCopy { clock: *clock, from: *from }),
            Stmt::If(cond, first, second) => {
                let cond = self.expr(cond);
                self.branch(cond, |b| b.block(first), |b| b.block(second));
            }
            Stmt::While(condition, body) => self.repeat(|b, exits| {
                let cond = b.expr(condition);
                b.leave(exits, cond, false);
                b.count(work::of_expr(condition) + work::of_block(body));
                b.block(body);
            }),
            Stmt::Call(function, args, target) => {
                let place = self.held_place(target.as_ref());
                let value = self.call(*function, args);
                self.store_into(place, target.as_ref(), value);
            }
            Stmt::Send(send) => {
                let channel = self.opened(&send.channel, Some(send.message.len()), true);
                let message = send.message.iter().map(|e| self.expr(e)).collect();
                self.queue_access(&send.channel, channel, true);
                self.emit(Op::Send { channel, message, sorted: send.sorted });
            }
            Stmt::Receive(receive) => {
                let channel = self.opened(&receive.channel, Some(receive.pattern.len()), true);
                let patterns = self.patterns(receive);
                self.queue_access(&receive.channel, channel, !receive.keep);
                let dst = self.temps(receive.pattern.len());
                self.emit(Op::Receive { channel, patterns, any: receive.any, keep: receive.keep, dst });
                self.bind(receive, dst);
            }
            Stmt::Start(family, args, target) => {
                let place = self.held_place(target.as_ref());
                let args = args.iter().map(|e| self.expr(e)).collect();
                let dst = self.temp();
                self.emit(Op::Start { family: *family, args, dst });
                self.store_into(place, target.as_ref(), Source::Reg(dst));
            }
            Stmt::Exit => {
                if let Some(process) = self.process {
                    self.emit(Op::Exit { process });
                }
            }
            Stmt::Assert(cond, _) => {
                let cond = self.expr(cond);
                self.emit(Op::Assert { cond });
            }
            Stmt::Return(value) => {
                let src = match (value, self.result) {
                    (Some(e), Some(range)) => {
                        let src = self.expr(e);
                        self.fitted(src, range, Store::Checked)
                    }
                    (_, range) => Source::Const(range.map_or(0, Range::start)),
                };
                self.emit(Op::Return { src });
            }
        }
    }

    fn place(&mut self, place: &Place) -> Resolved {
        match place {
            Place::Var(var) => Resolved::Slot(self.env.layout.var[*var].unwrap_or(0) as u32),
            Place::Elem(var, index) => {
                let index = self.expr(index);
                let (base, len) = self.array(*var);
                if let Some(i) = fixed(index, len) {
                    return Resolved::Slot(base + i);
                }
                self.emit(Op::CheckIndex { index, len });
                Resolved::Elem { base, len, index }
            }
            Place::Local(local) => Resolved::Reg(self.local(*local)),
            Place::LocalElem(local, index) => {
                let index = self.expr(index);
                let (base, len) = self.local_array(*local);
                if let Some(i) = fixed(index, len) {
                    return Resolved::Reg(Reg(base.0 + i));
                }
                self.emit(Op::CheckIndex { index, len });
                Resolved::LocalElem { base, len, index }
            }
        }
    }

    /// The place of a target, its index safe from what the statement does before it stores.
    fn held_place(&mut self, target: Option<&Target>) -> Option<Resolved> {
        let mut place = self.place(&target?.place);
        if let Resolved::Elem { index, .. } | Resolved::LocalElem { index, .. } = &mut place {
            *index = self.held(*index);
        }
        Some(place)
    }

    fn range(&self, place: &Place) -> Range {
        match place {
            Place::Var(var) | Place::Elem(var, _) => self.env.network.vars[*var].range,
            Place::Local(local) | Place::LocalElem(local, _) => self.frame[local.index()].range,
        }
    }

    fn store(&mut self, place: &Resolved, target: &Target, value: Source) {
        let src = self.fitted(value, self.range(&target.place), target.store);
        match *place {
            Resolved::Slot(slot) => self.emit(Op::Store { slot, src }),
            Resolved::Elem { base, len, index } => self.emit(Op::StoreElem { base, len, index, src }),
            Resolved::Reg(dst) => self.emit(Op::Move { dst, src }),
            Resolved::LocalElem { base, len, index } => self.emit(Op::StoreLocal { base, len, index, src }),
        }
    }
    fn store_into(&mut self, place: Option<Resolved>, target: Option<&Target>, value: Source) {
        if let (Some(place), Some(target)) = (place, target) {
            self.store(&place, target, value);
        }
    }

    /// Binds the fields of a message, in order.
    fn bind(&mut self, receive: &Receive, message: Reg) {
        for (field, pattern) in receive.pattern.iter().enumerate() {
            if let Pattern::Bind(target) = pattern {
                let place = self.place(&target.place);
                self.store(&place, target, Source::Reg(Reg(message.0 + field as u32)));
            }
        }
    }
}
