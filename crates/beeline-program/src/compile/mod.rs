//! The compiler: from syntax trees to routines. One [`Builder`] makes one routine; [`network`] makes them all.
//!
//! Evaluation order is that of the syntax tree, left to right. An operand that is a constant, a scalar variable or a
//! local costs no operation: expressions have no effect, so reading it where it is used gives the same value. The one
//! place where something *can* change in between, the index of a call's or start's target, is copied.

mod expr;
mod footprint;
mod network;
mod stmt;

use crate::bytecode::{Initial, Op, Reg, Routine, RoutineId, Source};
use beeline_ir::expr::{ChannelRef, Range};
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;
use beeline_ir::stmt::Local;
use beeline_ir::{FunctionId, IdVec, LocalId, ProcessId, work};

/// What routines are compiled against.
#[derive(Copy, Clone)]
pub(crate) struct Env<'a> {
    pub(crate) network: &'a Network,
    pub(crate) layout: &'a Layout,
    /// The functions compiled so far.
    pub(crate) functions: &'a IdVec<FunctionId, RoutineId>,
    pub(crate) routines: &'a IdVec<RoutineId, Routine>,
}

/// Makes one routine.
pub(crate) struct Builder<'a> {
    env: Env<'a>,
    frame: &'a [Local],
    /// First register of each local.
    first: Vec<Reg>,
    /// The process whose update this is.
    process: Option<ProcessId>,
    /// The range of a function's result.
    result: Option<Range>,
    /// Registers from here on are free.
    free: u32,
    routine: Routine,
}

impl<'a> Builder<'a> {
    /// A routine over a frame, the first `inputs` locals of which are given from outside.
    pub(crate) fn new(env: Env<'a>, frame: &'a [Local], inputs: usize) -> Self {
        let mut first = Vec::with_capacity(frame.len());
        let mut routine = Routine { inputs: inputs as u32, ..Routine::default() };
        let mut free = 0;
        for (index, local) in frame.iter().enumerate() {
            let len = local.len.unwrap_or(1);
            first.push(Reg(free));
            if index >= inputs {
                let value = local.range.start();
                routine.locals.push(Initial { first: Reg(free), len, value });
            }
            free += len;
        }
        routine.registers = free;
        Self { env, frame, first, process: None, result: None, free, routine }
    }

    /// Finishes a routine that yields these values.
    pub(crate) fn finish(mut self, results: Vec<Source>) -> Routine {
        for source in &results {
            self.reads_source(*source);
        }
        self.routine.results = results;
        self.routine
    }

    fn local(&self, id: LocalId) -> Reg {
        self.first[id.index()]
    }

    /// Takes `count` consecutive registers.
    fn temps(&mut self, count: usize) -> Reg {
        let reg = Reg(self.free);
        self.free += count as u32;
        self.routine.registers = self.routine.registers.max(self.free);
        reg
    }
    fn temp(&mut self) -> Reg {
        self.temps(1)
    }

    /// The value in a register of its own that nobody else writes.
    fn held(&mut self, source: Source) -> Source {
        if let Source::Const(_) = source {
            return source;
        }
        let dst = self.temp();
        self.emit(Op::Move { dst, src: source });
        Source::Reg(dst)
    }

    /// Appends an operation and notes which slots and clocks it touches. Queues are noted by
    /// [`Builder::queue_access`].
    fn emit(&mut self, op: Op) {
        footprint::note(&mut self.routine, self.env, &op);
        self.routine.code.push(op);
    }
    /// Counts something of that many parts that is about to be repeated.
    fn count(&mut self, parts: usize) {
        self.emit(Op::Count { units: work::units(parts) });
    }
    fn reads_source(&mut self, source: Source) {
        if let Source::Slot(slot) = source {
            self.routine.reads.insert(slot as usize);
        }
    }

    fn position(&self) -> u32 {
        self.routine.code.len() as u32
    }

    /// `if (cond is when) { first }`
    fn when(&mut self, cond: Source, when: bool, first: impl FnOnce(&mut Self)) {
        let start = self.routine.code.len();
        self.emit(Op::If { cond, when, otherwise: 0 });
        first(self);
        let end = self.position();
        self.emit(Op::End);
        self.patch(start, end);
    }

    /// `if (cond) { first } else { second }`
    fn branch(&mut self, cond: Source, first: impl FnOnce(&mut Self), second: impl FnOnce(&mut Self)) {
        let start = self.routine.code.len();
        self.emit(Op::If { cond, when: true, otherwise: 0 });
        first(self);
        let middle = self.routine.code.len();
        self.emit(Op::Else { end: 0 });
        self.patch(start, middle as u32 + 1);
        second(self);
        let end = self.position();
        self.emit(Op::End);
        self.patch(middle, end);
    }

    /// `loop { body }`, where the body emits [`Builder::leave`] for every way out.
    fn repeat(&mut self, body: impl FnOnce(&mut Self, &mut Vec<usize>)) {
        let start = self.routine.code.len();
        let mut exits = vec![start];
        self.emit(Op::Loop { end: 0 });
        body(self, &mut exits);
        self.emit(Op::Repeat { start: start as u32 + 1 });
        let end = self.position();
        for exit in exits {
            self.patch(exit, end);
        }
    }
    fn leave(&mut self, exits: &mut Vec<usize>, cond: Source, when: bool) {
        exits.push(self.routine.code.len());
        self.emit(Op::Break { cond, when, end: 0 });
    }

    fn patch(&mut self, at: usize, to: u32) {
        match &mut self.routine.code[at] {
            Op::If { otherwise: target, .. }
            | Op::Else { end: target }
            | Op::Loop { end: target }
            | Op::Break { end: target, .. } => *target = to,
            _ => {}
        }
    }

    /// Notes that the queue of any element the channel can be is read, and perhaps written.
    fn queue_access(&mut self, channel: &ChannelRef, value: Source, writes: bool) {
        let all = &self.env.layout.queues;
        let named = match (channel, value) {
            (_, Source::Const(value)) => {
                let element = usize::try_from(value).ok().and_then(|v| v.checked_sub(1));
                element.and_then(|e| all.get(e..=e)).unwrap_or(&[])
            }
            (ChannelRef::Element(id, _), _) => {
                let first = self.env.network.first_element(*id);
                &all[first..first + self.env.network.channels[*id].elements()]
            }
            (ChannelRef::Value(_), _) => all,
        };
        for queue in named.iter().flatten() {
            let run = queue.length..queue.cell(queue.capacity, 0);
            self.routine.reads.insert_run(run.clone());
            if writes {
                self.routine.writes.insert_run(run);
            }
        }
    }
}
