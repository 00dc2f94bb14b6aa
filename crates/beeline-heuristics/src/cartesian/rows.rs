//! Proofs: each leaf is a row of a certificate, with a set of values for each slot and its zone. Whatever a label makes of a
//! leaf is in the leaves that it leads to, so the leaves from which the goal is out of reach are closed, and the level of a
//! row, if a length is to be proven, rises by no more than labels cost.

use super::Leaf;
use super::abstraction::Abstraction;
use super::system::each;
use crate::factors::Source;
use beeline_ir::ClockId;
use beeline_ir::certificate::{Cell, Row, ZoneConstraint};
use beeline_program::factored::Factored;
use beeline_zones::{Dbm, minimal};

/// Values of a slot that is not tracked: whoever checks a proof may have to try all of them.
const MOST_UNKNOWN: u128 = 1 << 8;
/// Values of all cells of all rows.
const MOST_VALUES: usize = 1 << 24;

/// What each slot may be, as far as labels are known; `None` if whoever checks the proof would have to try too many values.
pub(super) fn cells(factored: &Factored) -> Option<Vec<Cell>> {
    if factored.domains.left_out() > MOST_UNKNOWN {
        return None;
    }
    let cell = |slot: usize| match factored.domains.whole(slot) || !factored.domains.tracks(slot) {
        true => Some(Cell::Any),
        false => cell(factored.domains.values(slot).collect()),
    };
    (0..factored.domains.slots()).map(cell).collect()
}

/// A set of values as a cell; `None` if it is empty.
fn cell(values: Vec<i64>) -> Option<Cell> {
    match *values {
        [] => None,
        [value] => Some(Cell::Value(value)),
        _ => Some(Cell::Set(values)),
    }
}

/// The rows of leaves from which the goal is out of reach, or, if a length is given, not here; so many at most.
pub(super) fn rows(
    abstraction: &Abstraction,
    cells: &[Cell],
    length: Option<u32>,
    most: usize,
) -> Option<Vec<Row>> {
    let (mut rows, mut values) = (Vec::new(), 0);
    for leaf in (0..abstraction.leaves()).map(Leaf::new) {
        let level = match (abstraction.distances.steps(leaf), length) {
            (None, _) => 0,
            (Some(steps), Some(length)) if steps > 0 => length.saturating_sub(steps),
            _ => continue,
        };
        let Some(cells) = held(abstraction, leaf, cells) else { continue };
        let size = |cell: &Cell| if let Cell::Set(values) = cell { values.len() } else { 1 };
        values += cells.iter().map(size).sum::<usize>();
        rows.push(Row { level, cells, zone: abstraction.zone(leaf).map_or_else(Vec::new, constraints) });
        if rows.len() > most || values > MOST_VALUES {
            return None;
        }
    }
    Some(rows)
}

/// A zone as constraints between clocks.
fn constraints(zone: &Dbm) -> Vec<ZoneConstraint> {
    let clock = |row: usize| row.checked_sub(1).map(ClockId::new);
    let named = minimal(zone).into_iter().filter_map(|c| {
        let (left, right) = (clock(c.left), clock(c.right));
        let bound = c.bound.constant()?.into();
        Some(ZoneConstraint { left, right, bound, strict: c.bound.is_strict() })
    });
    named.collect()
}

/// The cells of a leaf; `None` if no state of the network is in it.
fn held(abstraction: &Abstraction, leaf: Leaf, cells: &[Cell]) -> Option<Vec<Cell>> {
    let (system, set) = (&abstraction.system, abstraction.set(leaf));
    let mut held = cells.to_vec();
    for (factor, source) in system.sources.iter().enumerate() {
        let range = system.range(factor);
        match *source {
            Source::Slot(slot, least, values) => {
                let part = &set[range];
                let states = each(part).map(|state| least + state.index() as i64);
                let known = |value: &i64| match &cells[slot] {
                    Cell::Any => true,
                    Cell::Value(only) => *only == *value,
                    Cell::Set(all) => all.binary_search(value).is_ok(),
                };
                let left: Vec<i64> = states.filter(known).collect();
                if cells[slot] != Cell::Any || left.len() < values {
                    held[slot] = cell(left)?;
                }
            }
            // In states of a network, the goal has not been seen.
            Source::Monitor if each(&set[range]).next()?.index() != 0 => return None,
            Source::Monitor => {}
        }
    }
    Some(held)
}
