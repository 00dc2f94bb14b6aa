//! Statements: what an edge does to the state, and what functions are made of. Statements run in order, each seeing
//! the effects of those before it.

use crate::expr::{ChannelRef, Expr, Range};
use crate::id::{ClockId, FamilyId, FunctionId, LocalId, VarId};
use crate::origin::Origin;

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// Something that can be assigned.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A scalar variable.
    Var(VarId),
    /// An array element; the index is checked.
    Elem(VarId, Expr),
    /// A scalar of the frame.
    Local(LocalId),
    /// An array element of the frame; the index is checked.
    LocalElem(LocalId, Expr),
}

/// What a store does with a value outside the range of the place.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Store {
    /// Run-time error (UPPAAL).
    Checked,
    /// The value modulo the size of the range (Promela).
    Wrapping,
}

/// A place and how to store into it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// Where.
    pub place: Place,
    /// How.
    pub store: Store,
}

/// Sends a message. On a channel with a buffer: possible iff there is room; appends the message, or, if `sorted`,
/// inserts it before the first message that is greater in lexicographic order. Without a buffer it needs partners.
/// Each field is stored wrapping into the channel's field range.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Send {
    /// Over which channel.
    pub channel: ChannelRef,
    /// One expression per field, evaluated before any update of the label.
    pub message: Vec<Expr>,
    /// Sorted insertion (buffered channels only).
    pub sorted: bool,
}

/// What one field of a received message must be, and where it goes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// Any value; it is stored there when the receive is executed.
    Bind(Target),
    /// Only this value (evaluated before any update of the label).
    Match(Expr),
    /// Any value; dropped.
    Ignore,
}

/// Receives a message. On a channel with a buffer: possible iff the first message matches, or, if `any`, some message
/// does (the first such is taken). The message leaves the buffer unless `keep`; then its fields are bound in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Receive {
    /// Over which channel.
    pub channel: ChannelRef,
    /// One pattern per field.
    pub pattern: Vec<Pattern>,
    /// Look beyond the first message (buffered channels only).
    pub any: bool,
    /// Leave the message in the buffer (buffered channels only).
    pub keep: bool,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Stmt {
    /// `place := value`. An index in the place is evaluated before the value.
    Assign(Target, Expr),
    /// `clock := value`, an integer from 0 to 2^31.
    ClockSet(ClockId, Expr),
    /// `clock := other clock`
    ClockCopy(ClockId, ClockId),
    /// `if cond { then } else { otherwise }`
    If(Expr, Block, Block),
    /// `while cond { body }`
    While(Expr, Block),
    /// Calls a function for its effect; the result, if the function has one, may be stored.
    Call(FunctionId, Vec<Expr>, Option<Target>),
    /// Sends to a buffered channel inside a composite step; blocking is a run-time error.
    Send(Send),
    /// Receives from a buffered channel inside a composite step; blocking is a run-time error.
    Receive(Receive),
    /// Starts the first free slot of the family: its variables take their initial values, its parameters the
    /// arguments (wrapping stores), its location is its initial one, and its number is the count of processes
    /// existing before. That number may be stored.
    Start(FamilyId, Vec<Expr>, Option<Target>),
    /// This process ends: it must be the youngest one existing; its variables take their initial values. Only as the
    /// last statement of an edge's update, outside of any other statement.
    Exit,
    /// Fails the label if the condition is false, where assertions are what is checked; no effect otherwise.
    Assert(Expr, Option<Origin>),
    /// Ends the function with a value (`None` for a function without result).
    Return(Option<Expr>),
}

/// A local variable of a frame. It starts at 0, or at `lo` if 0 is outside of the range.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its values.
    pub range: Range,
    /// Number of elements, for an array.
    pub len: Option<u32>,
}

/// A function. It may call only functions declared before it, so nothing recurs. Arguments are range-checked, and so
/// is the result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Parameters (the first `params`, scalars) and other locals.
    pub frame: Vec<Local>,
    /// How many of the frame are parameters.
    pub params: usize,
    /// Range of the result; a body that ends without `return` returns the range's initial value (0, or `lo`).
    pub result: Option<Range>,
    /// What it does.
    pub body: Block,
    /// Where it came from.
    pub origin: Option<Origin>,
}
