//! Local variables of one evaluation.

use beeline_ir::LocalId;
use beeline_ir::expr::{Range, RuntimeError};
use beeline_ir::stmt::Local;

use crate::value::checked_index;

/// The locals of a frame and their values.
#[derive(Clone, Debug)]
pub(crate) struct Frame<'f> {
    locals: &'f [Local],
    values: Vec<Vec<i64>>,
}

impl<'f> Frame<'f> {
    /// A fresh frame whose first locals have the given values.
    pub fn new(locals: &'f [Local], first: &[i64]) -> Self {
        let cells = |local: &Local| vec![local.range.start(); local.len.map_or(1, |n| n as usize)];
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
        checked_index(index, self.values[local.index()].len())
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

/// Every combination of values of these locals, the last changing fastest.
pub(crate) fn combinations(locals: &[Local]) -> impl Iterator<Item = Vec<i64>> {
    let count = locals.iter().fold(1, |count: u128, local| count.saturating_mul(local.range.size()));
    (0..count).map(|mut place| {
        let mut values = Vec::with_capacity(locals.len());
        for range in locals.iter().rev().map(|local| local.range) {
            values.push(range.lo + (place % range.size()) as i64);
            place /= range.size();
        }
        values.reverse();
        values
    })
}
