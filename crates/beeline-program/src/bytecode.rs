//! The instruction set: a register machine with structured control flow.
//!
//! A [`Routine`] is flat code in which regions nest as in WebAssembly: `If .. Else .. End`, `Loop .. Repeat`. The
//! offsets in these operations let a concrete interpreter jump without looking for the matching end; an interpreter
//! that must join branches or run loops to a fixpoint walks the same nesting as regions. The only ways out of a
//! region are its end, `Break` (directly inside its `Loop`) and `Return` (out of the function).
//!
//! Registers hold the locals of the frame first (arrays take consecutive registers), then a received message, then
//! temporaries. Expressions have no effect, so operands may name state slots directly.

use crate::slots::SlotSet;
use beeline_ir::expr::{BinaryOp, Range, UnaryOp};
use beeline_ir::id::Id;
use beeline_ir::stmt::Store;
use beeline_ir::{ClockId, EdgeId, FamilyId, ProcessId};

/// A routine of a program.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RoutineId(u32);

impl Id for RoutineId {
    fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 routines"))
    }
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A register of the routine's window.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg(pub u32);

/// Where an operand comes from.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A constant.
    Const(i64),
    /// A register.
    Reg(Reg),
    /// A slot of the state.
    Slot(u32),
}

impl Source {
    /// Its value in a state, unless it is a register.
    #[inline]
    pub fn of_state(self, slots: &[i64]) -> Option<i64> {
        match self {
            Self::Const(value) => Some(value),
            Self::Slot(slot) => Some(slots[slot as usize]),
            Self::Reg(_) => None,
        }
    }
}

/// An operation. Channels are given by their value (1 + position of the element).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// `dst := src`
    Move {
        /// Result.
        dst: Reg,
        /// Operand.
        src: Source,
    },
    /// `dst := op src`
    Unary {
        /// Operator.
        op: UnaryOp,
        /// Result.
        dst: Reg,
        /// Operand.
        src: Source,
    },
    /// `dst := left op right`
    Binary {
        /// Operator.
        op: BinaryOp,
        /// Result.
        dst: Reg,
        /// Left operand.
        left: Source,
        /// Right operand.
        right: Source,
    },
    /// `dst := src`, checked against the range or wrapped into it.
    Fit {
        /// Result.
        dst: Reg,
        /// Operand.
        src: Source,
        /// The range to fit into.
        range: Range,
        /// Whether to check or to wrap.
        store: Store,
    },
    /// Error unless `0 <= index < len`.
    CheckIndex {
        /// The index.
        index: Source,
        /// Number of elements.
        len: u32,
    },
    /// `dst := state[base + index]`, index checked.
    LoadElem {
        /// Result.
        dst: Reg,
        /// First slot of the array.
        base: u32,
        /// Number of elements.
        len: u32,
        /// The index.
        index: Source,
    },
    /// `dst := registers[base + index]`, index checked.
    LoadLocal {
        /// Result.
        dst: Reg,
        /// First register of the array.
        base: Reg,
        /// Number of elements.
        len: u32,
        /// The index.
        index: Source,
    },
    /// `state[slot] := src`
    Store {
        /// The slot.
        slot: u32,
        /// The value, known to fit.
        src: Source,
    },
    /// `state[base + index] := src`, index checked.
    StoreElem {
        /// First slot of the array.
        base: u32,
        /// Number of elements.
        len: u32,
        /// The index.
        index: Source,
        /// The value, known to fit.
        src: Source,
    },
    /// `registers[base + index] := src`, index checked.
    StoreLocal {
        /// First register of the array.
        base: Reg,
        /// Number of elements.
        len: u32,
        /// The index.
        index: Source,
        /// The value, known to fit.
        src: Source,
    },
    /// `clock := src`, checked.
    ClockSet {
        /// The clock.
        clock: ClockId,
        /// The value.
        src: Source,
    },
    /// `clock := from`
    ClockCopy {
        /// The clock written.
        clock: ClockId,
        /// The clock read.
        from: ClockId,
    },
    /// Runs the region up to its `Else` or `End` if the truth of `cond` is `when`, else the region after `Else`.
    If {
        /// The condition.
        cond: Source,
        /// The truth value that selects the first region.
        when: bool,
        /// Position just after the matching `Else`, or of the matching `End` if there is none.
        otherwise: u32,
    },
    /// Ends the first region of an `If`.
    Else {
        /// Position of the matching `End`.
        end: u32,
    },
    /// Ends an `If`.
    End,
    /// Starts a loop.
    Loop {
        /// Position just after the matching `Repeat`.
        end: u32,
    },
    /// Leaves the innermost loop if the truth of `cond` is `when`. Only directly in the loop's region.
    Break {
        /// The condition.
        cond: Source,
        /// The truth value that leaves.
        when: bool,
        /// Position just after the matching `Repeat`.
        end: u32,
    },
    /// Counts an iteration of a loop, a value of a quantifier, or a call against the limit (see `beeline_ir::work`).
    Count {
        /// What it is worth.
        units: u32,
    },
    /// Ends a loop: back to its start.
    Repeat {
        /// Position just after the matching `Loop`.
        start: u32,
    },
    /// Calls a function; the arguments are known to fit.
    Call {
        /// The function's routine.
        routine: RoutineId,
        /// The arguments.
        args: Box<[Source]>,
        /// Where the result goes.
        dst: Reg,
    },
    /// Leaves the function with a value that is known to fit.
    Return {
        /// The value.
        src: Source,
    },
    /// Error unless `channel` is the value of a channel, with that many fields and a buffer if so demanded.
    Open {
        /// The channel.
        channel: Source,
        /// Number of fields it must have.
        fields: Option<u32>,
        /// Whether it must have a buffer.
        buffered: bool,
    },
    /// `dst :=` number of messages of an open channel (0 without buffer).
    Length {
        /// Result.
        dst: Reg,
        /// The channel.
        channel: Source,
    },
    /// `dst :=` capacity of an open channel (0 without buffer).
    Capacity {
        /// Result.
        dst: Reg,
        /// The channel.
        channel: Source,
    },
    /// `dst :=` 1 if an open channel has a buffer with a message to receive.
    Poll {
        /// Result.
        dst: Reg,
        /// The channel.
        channel: Source,
        /// What each field must be.
        patterns: Box<[Option<Source>]>,
        /// Whether to look beyond the first message.
        any: bool,
    },
    /// Sends over an open channel with buffer; error if it is full.
    Send {
        /// The channel.
        channel: Source,
        /// The message; each field is wrapped.
        message: Box<[Source]>,
        /// Sorted insertion.
        sorted: bool,
    },
    /// Takes a message from an open channel with buffer; error if there is none.
    Receive {
        /// The channel.
        channel: Source,
        /// What each field must be.
        patterns: Box<[Option<Source>]>,
        /// Whether to look beyond the first message.
        any: bool,
        /// Whether the message stays.
        keep: bool,
        /// First of the registers that take the message.
        dst: Reg,
    },
    /// `dst :=` 1 if one of the edges is enabled.
    Enabled {
        /// Result.
        dst: Reg,
        /// The process.
        process: ProcessId,
        /// Its edges.
        edges: Box<[EdgeId]>,
    },
    /// `dst :=` 1 if no edge is enabled.
    Timeout {
        /// Result.
        dst: Reg,
    },
    /// `dst :=` number of processes that exist.
    ProcessCount {
        /// Result.
        dst: Reg,
    },
    /// Starts a process; `dst :=` its number.
    Start {
        /// The family.
        family: FamilyId,
        /// The arguments, wrapped into the parameters.
        args: Box<[Source]>,
        /// Where the number goes.
        dst: Reg,
    },
    /// Ends the process.
    Exit {
        /// The process.
        process: ProcessId,
    },
    /// Notes a failed assertion if `cond` is false.
    Assert {
        /// The condition.
        cond: Source,
    },
}

impl Op {
    /// Whether the operation after it is the next one in any case.
    pub(crate) fn goes_on(&self) -> bool {
        let jumps =
            matches!(self, Self::If { .. } | Self::Else { .. } | Self::Loop { .. } | Self::Break { .. });
        !jumps && !matches!(self, Self::Repeat { .. } | Self::Call { .. } | Self::Return { .. })
    }

    /// Shows every operand.
    pub fn operands(&self, visit: &mut impl FnMut(Source)) {
        match self {
            Self::Move { src, .. }
            | Self::Unary { src, .. }
            | Self::Fit { src, .. }
            | Self::Store { src, .. }
            | Self::ClockSet { src, .. }
            | Self::Return { src } => visit(*src),
            Self::Binary { left, right, .. } => [*left, *right].into_iter().for_each(visit),
            Self::CheckIndex { index, .. } | Self::LoadElem { index, .. } | Self::LoadLocal { index, .. } => {
                visit(*index)
            }
            Self::StoreElem { index, src, .. } | Self::StoreLocal { index, src, .. } => {
                [*index, *src].into_iter().for_each(visit);
            }
            Self::If { cond, .. } | Self::Break { cond, .. } | Self::Assert { cond } => visit(*cond),
            Self::Call { args, .. } | Self::Start { args, .. } => args.iter().copied().for_each(visit),
            Self::Open { channel, .. } | Self::Length { channel, .. } | Self::Capacity { channel, .. } => {
                visit(*channel)
            }
            Self::Poll { channel, patterns, .. } | Self::Receive { channel, patterns, .. } => {
                visit(*channel);
                patterns.iter().flatten().copied().for_each(visit);
            }
            Self::Send { channel, message, .. } => {
                visit(*channel);
                message.iter().copied().for_each(visit);
            }
            Self::ClockCopy { .. }
            | Self::Else { .. }
            | Self::End
            | Self::Loop { .. }
            | Self::Count { .. }
            | Self::Repeat { .. }
            | Self::Enabled { .. }
            | Self::Timeout { .. }
            | Self::ProcessCount { .. }
            | Self::Exit { .. } => {}
        }
    }
}

/// Consecutive registers that start at a value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Initial {
    /// First register.
    pub first: Reg,
    /// Number of registers.
    pub len: u32,
    /// Their value.
    pub value: i64,
}

/// Compiled code: an expression, a synchronisation, an update or a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Routine {
    /// The operations.
    pub code: Vec<Op>,
    /// Number of registers of a window.
    pub registers: u32,
    /// Number of inputs (select values or arguments), given in the first registers.
    pub inputs: u32,
    /// The locals, which start afresh with every run.
    pub locals: Vec<Initial>,
    /// First register of the received message, for an update.
    pub message: Option<Reg>,
    /// What it yields when the code has run to its end.
    pub results: Vec<Source>,
    /// Slots it may read.
    pub reads: SlotSet,
    /// Slots it may write.
    pub writes: SlotSet,
    /// Clocks it may read (copy from), ascending.
    pub clocks_read: Vec<ClockId>,
    /// Clocks it may write, ascending.
    pub clocks_written: Vec<ClockId>,
}

impl Routine {
    /// Whether it yields slots and constants, and does nothing but look whether the first of them is a channel.
    pub fn opens_alone(&self) -> bool {
        let first = self.results.first();
        let looks = |op: &Op| match op {
            Op::Open { channel, buffered, .. } => !buffered && first == Some(channel),
            _ => false,
        };
        let plain = |source: &Source| !matches!(source, Source::Reg(_));
        self.code.len() <= 1 && self.code.iter().all(looks) && self.results.iter().all(plain)
    }
}
