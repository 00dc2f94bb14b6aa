//! Local variables of one evaluation.

use beeline_ir::LocalId;
use beeline_ir::expr::{Range, RuntimeError};
use beeline_ir::stmt::Local;

/// The value a local, or a function's result, starts from.
pub(crate) fn initial_value(range: Range) -> i64 {
    if range.contains(0) { 0 } else { range.lo }
}

/// The locals of a frame and their values.
#[derive(Clone, Debug)]
pub(crate) struct Frame<'f> {
    locals: &'f [Local],
    values: Vec<Vec<i64>>,
}

impl<'f> Frame<'f> {
    /// A fresh frame whose first locals have the given values.
    pub fn new(locals: &'f [Local], first: &[i64]) -> Self {
        let cells = |local: &Local| vec![initial_value(local.range); local.len.map_or(1, |n| n as usize)];
        let mut values: Vec<Vec<i64>> = locals.iter().map(cells).collect();
        for (cells, value) in values.iter_mut().zip(first) {
            if let Some(cell) = cells.first_mut() {
                *cell = *value;
            }
        }
        Self { locals, values }
    }
    /// The range of a local.
    pub fn range(&self, local: LocalId) -> Range {
        self.locals[local.index()].range
    }
    /// Checks an index into a local array.
    pub fn index(&self, local: LocalId, index: i64) -> Result<usize, RuntimeError> {
        let len = self.values[local.index()].len();
        usize::try_from(index).ok().filter(|i| *i < len).ok_or(RuntimeError::Index)
    }
    /// A cell of a local.
    pub fn get(&self, local: LocalId, index: usize) -> i64 {
        self.values[local.index()][index]
    }
    /// Changes a cell of a local.
    pub fn set(&mut self, local: LocalId, index: usize, value: i64) {
        self.values[local.index()][index] = value;
    }
}

/// Every combination of values of some ranges, the last changing fastest.
pub(crate) struct Combinations {
    ranges: Vec<Range>,
    next: Option<Vec<i64>>,
}

impl Combinations {
    /// The combinations of the ranges of these locals.
    pub fn of(locals: &[Local]) -> Self {
        let ranges: Vec<Range> = locals.iter().map(|l| l.range).collect();
        let possible = ranges.iter().all(|r| r.lo <= r.hi);
        let next = possible.then(|| ranges.iter().map(|r| r.lo).collect());
        Self { ranges, next }
    }
}

impl Iterator for Combinations {
    type Item = Vec<i64>;
    fn next(&mut self) -> Option<Vec<i64>> {
        let current = self.next.clone()?;
        let mut following = current.clone();
        self.next = None;
        for (value, range) in following.iter_mut().zip(&self.ranges).rev() {
            if *value < range.hi {
                *value += 1;
                self.next = Some(following);
                break;
            }
            *value = range.lo;
        }
        Some(current)
    }
}
