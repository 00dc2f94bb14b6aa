//! Certificates: a set of *rows* that together hold every reachable state, from which anyone can check, step by step,
//! that the target is out of reach, or not in reach in fewer than `d` steps.
//!
//! A row stands for the discrete states that match its cells, at the clock values of its zone, reachable no earlier
//! than at its level. The check (done by the kernel):
//! 1. every initial state, and what delay makes of it, is in the union of the rows of level 0;
//! 2. whatever a label of cost c makes of a row of level g, and delay of that, is in the union of the rows of
//!    level at most g + c;
//! 3. no row meets the target; where the target is a failing label of cost c, no row of level g allows one, unless
//!    g + c is at least the claimed length.
//!
//! With a claimed length `d`, everything at level `d` and beyond counts as covered: rows have levels below `d`, and
//! (3) says that the target is not reached in fewer than `d` steps. Without it, the target is not reachable at all.

use crate::id::ClockId;
use crate::model::ModelHash;

/// Version of the certificate data; a reader refuses others.
pub const CERTIFICATE_VERSION: u32 = 1;

/// A proof by rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// Hash of the model it belongs to.
    pub model: ModelHash,
    /// The property, in the IR's text form.
    pub property: String,
    /// `None`: the target is unreachable. `Some(d)`: it is not reachable in fewer than `d` steps.
    pub length: Option<u32>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A set of states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Row {
    /// Least number of steps after which its states may be reached.
    pub level: u32,
    /// One cell per slot of the layout.
    pub cells: Vec<Cell>,
    /// The zone: all of these hold, and clocks are not negative.
    pub zone: Vec<ZoneConstraint>,
}

/// What a row says of a slot.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cell {
    /// Just this value.
    Value(i64),
    /// One of these values; ascending, at least two.
    Set(Vec<i64>),
    /// Any value of the slot's range.
    Any,
}

/// `left - right < bound` or `<= bound`; a missing clock is the constant 0.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ZoneConstraint {
    /// The clock.
    pub left: Option<ClockId>,
    /// The clock subtracted.
    pub right: Option<ClockId>,
    /// The bound.
    pub bound: i64,
    /// `<` instead of `<=`.
    pub strict: bool,
}
