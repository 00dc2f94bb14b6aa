//! What is known of a discrete state: one cell per slot. A concrete state knows every value; a row of a certificate
//! may know only a set, or nothing. There is one interpreter for both: reading a cell whose value is not known stops
//! it with [`Stop::Slot`], and whoever asked splits the cell and asks again. Only values are ever written, never
//! sets, so a cell that is unknown after some statements is unknown in the source state, too, at the same slot.

use std::rc::Rc;

use beeline_ir::certificate::Cell;
use beeline_ir::expr::{Range, RuntimeError};

use crate::clock::Constraint;
use crate::fork::Halt;

/// What is known of one slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Known {
    /// Its value.
    Value(i64),
    /// It is one of these; ascending.
    OneOf(Rc<[i64]>),
    /// Nothing but the slot's range.
    Any,
}

impl Known {
    /// Whether the value is possible in a slot of this range.
    pub fn allows(&self, value: i64, range: Range) -> bool {
        match self {
            Self::Value(v) => *v == value,
            Self::OneOf(values) => values.binary_search(&value).is_ok(),
            Self::Any => range.contains(value),
        }
    }
    /// Every possible value in a slot of this range, ascending.
    pub fn values(&self, range: Range) -> Box<dyn Iterator<Item = i64>> {
        match self.clone() {
            Self::Value(v) => Box::new(std::iter::once(v)),
            Self::OneOf(values) => Box::new((0..values.len()).map(move |i| values[i])),
            Self::Any => Box::new(range.values()),
        }
    }
    /// Number of possible values.
    pub fn size(&self, range: Range) -> u128 {
        match self {
            Self::Value(_) => 1,
            Self::OneOf(values) => values.len() as u128,
            Self::Any => range.size(),
        }
    }
    /// The set of these values.
    pub fn of(mut values: Vec<i64>) -> Self {
        values.sort_unstable();
        values.dedup();
        match values[..] {
            [value] => Self::Value(value),
            _ => Self::OneOf(values.into()),
        }
    }
}

impl From<&Cell> for Known {
    fn from(cell: &Cell) -> Self {
        match cell {
            Cell::Value(v) => Self::Value(*v),
            Cell::Set(values) => Self::of(values.clone()),
            Cell::Any => Self::Any,
        }
    }
}

/// Why an evaluation has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// It fails.
    Error(RuntimeError),
    /// It depends on the value of this slot, which is not known.
    Slot(usize),
    /// It depends on this slot, but only on which of these parts of its possible values the value lies in.
    Parts(usize, Vec<Known>),
    /// It depends on whether this clock constraint holds.
    Clock(Constraint),
    /// It depends on whether this is a deadlock.
    Deadlock,
    /// It was given up.
    Halt(Halt),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl From<RuntimeError> for Stop {
    fn from(error: RuntimeError) -> Self {
        Self::Error(error)
    }
}

/// The result of an evaluation.
pub(crate) type Eval<R> = Result<R, Stop>;

/// What is known of each slot. Copies share their cells until one is written to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cells(Rc<Vec<Known>>);

impl Cells {
    /// A state of which everything is known.
    pub fn known(slots: &[i64]) -> Self {
        Self::new(slots.iter().map(|v| Known::Value(*v)).collect())
    }
    /// These cells.
    pub fn new(cells: Vec<Known>) -> Self {
        Self(Rc::new(cells))
    }
    /// What is known of a slot.
    pub fn get(&self, slot: usize) -> &Known {
        &self.0[slot]
    }
    /// The value of a slot.
    pub fn read(&self, slot: usize) -> Eval<i64> {
        match self.0[slot] {
            Known::Value(value) => Ok(value),
            _ => Err(Stop::Slot(slot)),
        }
    }
    /// Gives a slot a value.
    pub fn write(&mut self, slot: usize, value: i64) {
        Rc::make_mut(&mut self.0)[slot] = Known::Value(value);
    }
    /// The same with something else known of one slot.
    pub fn with(&self, slot: usize, known: Known) -> Self {
        let mut cells = self.clone();
        Rc::make_mut(&mut cells.0)[slot] = known;
        cells
    }
    /// All cells.
    pub fn iter(&self) -> std::slice::Iter<'_, Known> {
        self.0.iter()
    }
    /// The values, if all are known.
    pub fn values(&self) -> Option<Vec<i64>> {
        (0..self.0.len()).map(|slot| self.read(slot).ok()).collect()
    }
}

/// Yes, no, or it depends on what is not known.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tri {
    /// Certainly not.
    No,
    /// It depends.
    Maybe,
    /// Certainly.
    Yes,
}

impl Tri {
    /// Certain, if it holds for all possible values; impossible, if it holds for none.
    pub fn of_all(mut answers: impl Iterator<Item = bool>) -> Self {
        let first = answers.next().unwrap_or(false);
        match answers.all(|answer| answer == first) {
            false => Self::Maybe,
            true if first => Self::Yes,
            true => Self::No,
        }
    }
    /// Whether one of two holds.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, Self::No) => Self::No,
            _ => Self::Maybe,
        }
    }
}
