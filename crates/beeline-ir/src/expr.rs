//! Expressions. Every value is an `i64`; truth is "not zero" and comparisons give 0 or 1.
//!
//! Evaluation is left to right; `And`, `Or` and `If` evaluate only what they need, so `i < 3 && a[i] == 0` never
//! fails on the index. Arithmetic that leaves `i64`, a division by zero, a shift by a negative amount or by more
//! than 63, and an index outside its array are run-time errors ([`RuntimeError`]). `/` truncates toward zero and
//! `%` has the sign of the dividend. Expressions have no effect on the state: a function called in an expression
//! writes nothing but its own locals.

use crate::id::{ChannelId, ClockId, EdgeId, FunctionId, LocalId, LocationId, ProcessId, VarId};
use crate::stmt::Receive;

/// Levels of nesting an expression or block may have; deeper input is refused with a diagnostic.
pub const MAX_DEPTH: usize = 200;

/// An inclusive range of integers, `lo..hi` in text.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// Least value.
    pub lo: i64,
    /// Greatest value.
    pub hi: i64,
}

impl Range {
    /// The range of truth values.
    pub const BOOL: Range = Range { lo: 0, hi: 1 };

    /// The range `lo..hi`, both included.
    pub const fn new(lo: i64, hi: i64) -> Self {
        Self { lo, hi }
    }
    /// Whether the value lies inside.
    pub fn contains(self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }
    /// Number of values (0 for an empty range).
    pub fn size(self) -> u128 {
        if self.lo > self.hi { 0 } else { (i128::from(self.hi) - i128::from(self.lo)) as u128 + 1 }
    }
    /// The value reduced modulo the size of the range into the range: what a wrapping store keeps.
    pub fn wrap(self, value: i64) -> i64 {
        let size = i128::from(self.hi) - i128::from(self.lo) + 1;
        let offset = (i128::from(value) - i128::from(self.lo)).rem_euclid(size);
        (i128::from(self.lo) + offset) as i64
    }
    /// The value that something of this range starts with unless told otherwise: 0, or the least if 0 is outside.
    pub fn start(self) -> i64 {
        if self.contains(0) { 0 } else { self.lo }
    }
    /// The smallest range holding both.
    #[must_use]
    pub fn hull(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
    /// Every value, in order.
    pub fn values(self) -> impl Iterator<Item = i64> {
        self.lo..=self.hi
    }
}

/// Operators of one operand.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!e`: 1 if `e` is 0, else 0.
    Not,
    /// `-e`
    Neg,
    /// `~e`
    BitNot,
}

/// Operators of two operands, both always evaluated, left first.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`, truncating
    Div,
    /// `a % b`, sign of `a`
    Rem,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a << b`
    Shl,
    /// `a >> b`, arithmetic
    Shr,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
}

/// What a quantifier does with the values of its body.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// 1 if the body is true for every value; stops at the first that is not.
    Forall,
    /// 1 if the body is true for some value; stops at the first that is.
    Exists,
    /// Sum of the body over all values.
    Sum,
}

/// Names a channel: an element of a declared channel, or whatever channel a value stands for.
///
/// The value of a channel is 1 + its position in the list of all channel elements in order of declaration; 0 is
/// "no channel", and communicating over it, or over a number that is no channel, is a run-time error.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ChannelRef {
    /// `c` or `c[i]`; the index is checked.
    Element(ChannelId, Option<Box<Expr>>),
    /// `*e`: the channel whose value is `e`.
    Value(Box<Expr>),
}

/// How a clock compares to a bound.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ClockOp {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `>=`
    Ge,
    /// `>`
    Gt,
}

impl ClockOp {
    /// `a op b`
    pub fn holds<N: PartialOrd>(self, a: &N, b: &N) -> bool {
        match self {
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Eq => a == b,
            Self::Ge => a >= b,
            Self::Gt => a > b,
        }
    }
    /// The comparison seen from the other side: `a op b` iff `b op.mirrored() a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Eq => Self::Eq,
            Self::Ge => Self::Le,
            Self::Gt => Self::Lt,
        }
    }
    /// The comparisons of which exactly one holds iff this one does not.
    pub fn negations(self) -> &'static [Self] {
        match self {
            Self::Lt => &[Self::Ge],
            Self::Le => &[Self::Gt],
            Self::Eq => &[Self::Lt, Self::Gt],
            Self::Ge => &[Self::Lt],
            Self::Gt => &[Self::Le],
        }
    }
}

/// `when => left - right op bound`: a constraint on one clock or the difference of two. With a condition `when`
/// that is false the atom holds and its bound is not evaluated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ClockAtom {
    /// The atom matters only where this is true.
    pub when: Option<Expr>,
    /// The clock.
    pub left: ClockId,
    /// The clock subtracted from it, for a diagonal constraint.
    pub right: Option<ClockId>,
    /// The comparison.
    pub op: ClockOp,
    /// An integer expression, evaluated in the source state of the edge (or the state itself, for invariants).
    pub bound: Expr,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number.
    Const(i64),
    /// A scalar variable.
    Var(VarId),
    /// An array element, index from 0, checked.
    Elem(VarId, Box<Expr>),
    /// A scalar of the current frame.
    Local(LocalId),
    /// An element of an array of the current frame, checked.
    LocalElem(LocalId, Box<Expr>),
    /// The next-state value of a variable; only in a relation's TRANS and next assignments.
    Next(VarId),
    /// 1 if the process is at the location (0 if it does not exist).
    At(ProcessId, LocationId),
    /// 1 if the process exists (started and not ended).
    Alive(ProcessId),
    /// The number the process got when it was started; -1 if it does not exist.
    Pid(ProcessId),
    /// How many processes exist (observers not counted).
    ProcessCount,
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// True (1) if all are; stops at the first that is not. Empty: 1.
    And(Vec<Expr>),
    /// True (1) if some is; stops at the first that is. Empty: 0.
    Or(Vec<Expr>),
    /// `cond ? then : otherwise`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The body for each value of the local in the range, ascending.
    Quantified(Quantifier, LocalId, Range, Box<Expr>),
    /// The value a function returns.
    Call(FunctionId, Vec<Expr>),
    /// The value of a channel.
    Channel(ChannelRef),
    /// Number of messages in a buffered channel; 0 for a channel without buffer.
    Length(ChannelRef),
    /// Capacity of a channel; 0 for a channel without buffer.
    Capacity(ChannelRef),
    /// 1 if the receive could be executed on this *buffered* channel now (binds nothing); 0 on a channel without
    /// buffer.
    Poll(Box<Receive>),
    /// 1 if one of the process's edges could take part in a label now: the process is at its source, its guard
    /// holds (an error counts as false, except that what diverges does so for all of the evaluation), and, by the
    /// kind of its channel, there is room, a matching message, or a partner in another process. Committed
    /// locations, the exclusivity token, priorities and target invariants do not count. Only for edges without
    /// clock constraints.
    Enabled(ProcessId, Vec<EdgeId>),
    /// 1 if no edge of any process is enabled in the sense of `Enabled` when every `Timeout` is read as 0.
    Timeout,
    /// A clock constraint; only in properties.
    Clock(Box<ClockAtom>),
    /// True if no label leads to a successor, now or after any delay; only in properties.
    Deadlock,
}

impl Expr {
    /// The constant true.
    pub const TRUE: Expr = Expr::Const(1);
    /// The constant false.
    pub const FALSE: Expr = Expr::Const(0);

    /// `!self`
    #[must_use]
    pub fn negated(self) -> Expr {
        Expr::Unary(UnaryOp::Not, Box::new(self))
    }
    /// `self op other`
    #[must_use]
    pub fn binary(self, op: BinaryOp, other: Expr) -> Expr {
        Expr::Binary(op, Box::new(self), Box::new(other))
    }
    /// Whether this is the literal constant 1, the guard of an edge without guard.
    pub fn is_true(&self) -> bool {
        *self == Expr::TRUE
    }
}

/// Why the execution of a label fails.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RuntimeError {
    /// A checked store, argument or returned value outside its range.
    Range,
    /// An array or channel index outside its bounds.
    Index,
    /// Division or remainder by zero.
    DivisionByZero,
    /// A shift by a negative amount or by more than 63.
    Shift,
    /// Arithmetic left the 64-bit integers.
    Overflow,
    /// A clock was set to, or compared with, something outside 0..2^31, or -2^31..2^31 for a comparison.
    ClockValue,
    /// All instance slots of a family are taken.
    NoFreeSlot,
    /// A process ended while a younger one exists.
    ExitOrder,
    /// A send or receive in the middle of a composite step could not be executed.
    Blocked,
    /// Communication over "no channel", over a channel of the wrong kind (a statement needs a buffer), or with the
    /// wrong number of fields.
    Channel,
    /// One evaluation took more than [`MAX_ITERATIONS`] units of work.
    Diverges,
}

/// Units of work that one evaluation (of an edge, of one edge's update, of a location's invariant or of a property) may
/// take before it counts as diverging: loop iterations, quantified values, calls and edges behind `Enabled`, all
/// together, those with large bodies or frames counting more. The exact measure is in [`crate::work`].
pub const MAX_ITERATIONS: u32 = 1 << 20;

impl RuntimeError {
    /// The error in words.
    pub fn message(self) -> &'static str {
        match self {
            Self::Range => "value out of range",
            Self::Index => "index out of bounds",
            Self::DivisionByZero => "division by zero",
            Self::Shift => "shift amount out of range",
            Self::Overflow => "integer overflow",
            Self::ClockValue => "clock value or bound out of range",
            Self::NoFreeSlot => "no free instance slot",
            Self::ExitOrder => "process ends before a younger one",
            Self::Blocked => "send or receive blocks inside a composite step",
            Self::Channel => "not a usable channel",
            Self::Diverges => "evaluation runs too long",
        }
    }
}
