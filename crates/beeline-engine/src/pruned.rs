//! Rows for what a search has pruned, or has not come to: the heuristics say what can be reached from there.
//!
//! A state that was not expanded is no part of a proof by itself; but where a heuristic knows that no target is
//! within some number of steps, it can give sets of states that hold all that is reachable in one step, two steps
//! and so on, without meeting the target. The set of step i after a state reached in g steps makes a row of level
//! g + i. If the proof is about a length d, sets up to level d - 1 are enough; otherwise the last one must be
//! closed.
//!
//! A heuristic that looks states up in a table has rows for all of it instead. Where those that hold a state say enough,
//! nothing else is needed.

use crate::certificate::Levels;
use crate::heuristic::{Estimate, Heuristic, Layers};
use crate::passed::{NodeId, Passed};
use crate::successors::space::{Space, State};
use crate::time::TimePart;
use beeline_ir::certificate::{Cell, Row};
use beeline_ir::limits::Limits;

/// Rows for single states that are worth writing down.
const MOST_ROWS: usize = 100_000;
/// Rows of a table that are worth writing down.
const MOST_OF_TABLE: usize = 4_000_000;
/// Cells that are worth comparing.
const MOST_COMPARISONS: u64 = 200_000_000;

/// Rows that hold all nodes (which must not be expanded), and what can be reached from them; or why there are
/// none.
pub fn rows<T: TimePart>(
    space: &Space<T>,
    passed: &Passed,
    mut nodes: Vec<NodeId>,
    levels: Levels,
    heuristics: &mut [Box<dyn Heuristic>],
    limits: &Limits,
    most_rows: Option<u64>,
) -> Result<Vec<Row>, String> {
    // A row that is there from the start may hold what comes later, never the other way round.
    nodes.sort_by_key(|node| (passed.g(*node), *node));
    let mut found = Rows { rows: Vec::new(), comparisons: 0 };
    let mut start = Vec::new();
    let length = match levels {
        Levels::Below(length) => length,
        Levels::None => None,
    };
    let mut tables = Tables::new(
        heuristics,
        length,
        most_rows.map_or(MOST_OF_TABLE, |most| most as usize),
        nodes.is_empty(),
    );
    for node in nodes {
        limits
            .check(0, passed.bytes() + found.bytes())
            .map_err(|_| "no time or memory is left for writing it down".to_string())?;
        let state = passed.state(space, node);
        start.clear();
        start.extend(space.plain(&state.slots).iter().map(|value| Some(*value)));
        for slot in space.liveness.iter().flat_map(|liveness| liveness.dead(&state.slots)) {
            start[slot] = None;
        }
        let level = if levels == Levels::None { 0 } else { passed.g(node) };
        if tables.know(space, &state, level, heuristics) {
            continue;
        }
        let cells = start.iter().map(|value| value.map_or(Cell::Any, Cell::Value)).collect();
        if found.include(&Row { level, cells, zone: Vec::new() }) {
            continue;
        }
        let most = match levels {
            Levels::Below(Some(length)) => length - level,
            Levels::Below(None) | Levels::None => u32::MAX,
        };
        let layers = heuristics.iter_mut().find_map(|heuristic| {
            let enough = |layers: &Layers| layers.closed || layers.sets.len() as u64 >= u64::from(most);
            heuristic.layers(&start, most).filter(enough)
        });
        let Some(layers) = layers else {
            return Err(
                "states were left out for a heuristic whose estimates come without a proof".to_string()
            );
        };
        for (i, sets) in layers.sets.into_iter().enumerate().take(most as usize) {
            let level = if levels == Levels::None { 0 } else { level.saturating_add(i as u32) };
            // A set without states needs no row.
            let Some(cells) = sets.into_iter().map(cell).collect() else { continue };
            let row = Row { level, cells, zone: Vec::new() };
            if !found.include(&row) {
                found.rows.push(row);
            }
        }
        if found.rows.len() > MOST_ROWS || found.comparisons > MOST_COMPARISONS {
            return Err(format!("what was left out takes more than {MOST_ROWS} rows to account for"));
        }
    }
    found.rows.extend(tables.rows());
    Ok(found.rows)
}

/// The rows of those heuristics that have them for all that they know.
struct Tables {
    /// For each heuristic its rows, and whether they are needed.
    rows: Vec<Option<(Vec<Row>, bool)>>,
    length: Option<u32>,
}

impl Tables {
    fn new(heuristics: &[Box<dyn Heuristic>], length: Option<u32>, most: usize, unasked: bool) -> Self {
        let rows = |heuristic: &dyn Heuristic| {
            let rows = (!unasked).then(|| heuristic.rows(length, most)).flatten();
            rows.map(|rows| (rows, false))
        };
        Self { rows: heuristics.iter().map(|heuristic| rows(&**heuristic)).collect(), length }
    }

    /// Whether some table knows that the target is too far from a state, or out of reach.
    fn know<T: TimePart>(
        &mut self,
        space: &Space<T>,
        state: &State<T::Zone>,
        level: u32,
        heuristics: &mut [Box<dyn Heuristic>],
    ) -> bool {
        let zone = space.time.view(&state.zone);
        self.rows.iter_mut().zip(heuristics).any(|(rows, heuristic)| {
            let Some((_, needed)) = rows else { return false };
            let enough = match (heuristic.estimate_by_rows(&state.slots, &zone), self.length) {
                (Estimate::Infinite, _) => true,
                (Estimate::Steps(steps), Some(length)) => level.saturating_add(steps) >= length,
                (Estimate::Steps(_), None) => false,
            };
            *needed |= enough;
            enough
        })
    }

    fn rows(self) -> impl Iterator<Item = Row> {
        self.rows.into_iter().flatten().filter(|(_, needed)| *needed).flat_map(|(rows, _)| rows)
    }
}

/// A set of values as a cell; `None` if it is empty.
fn cell(values: Option<Vec<i64>>) -> Option<Cell> {
    Some(match values {
        None => Cell::Any,
        Some(values) if values.len() > 1 => Cell::Set(values),
        Some(values) => Cell::Value(*values.first()?),
    })
}

/// Rows so far.
struct Rows {
    rows: Vec<Row>,
    /// Cells compared.
    comparisons: u64,
}

impl Rows {
    /// Bytes in use, about.
    fn bytes(&self) -> u64 {
        let row = |row: &Row| size_of::<Row>() + row.cells.len() * size_of::<Cell>();
        (self.rows.len() * self.rows.first().map_or(0, row)) as u64
    }

    /// Whether one of the rows holds all of another, no later.
    fn include(&mut self, row: &Row) -> bool {
        let Self { rows, comparisons } = self;
        let mut holds = |(larger, smaller): (&Cell, &Cell)| {
            *comparisons += 1;
            includes(larger, smaller)
        };
        rows.iter()
            .any(|known| known.level <= row.level && known.cells.iter().zip(&row.cells).all(&mut holds))
    }
}

fn includes(larger: &Cell, smaller: &Cell) -> bool {
    match (larger, smaller) {
        (Cell::Any, _) => true,
        (_, Cell::Any) => false,
        (Cell::Value(one), Cell::Value(other)) => one == other,
        (Cell::Value(_), Cell::Set(_)) => false,
        (Cell::Set(values), Cell::Value(value)) => values.binary_search(value).is_ok(),
        (Cell::Set(values), Cell::Set(others)) => {
            others.iter().all(|value| values.binary_search(value).is_ok())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inclusion_of_cells() {
        let set = |values: &[i64]| Cell::Set(values.to_vec());
        let cells = [Cell::Any, set(&[1, 2, 3]), set(&[1, 3]), Cell::Value(3), Cell::Value(2)];
        let expected = ["11111", "01111", "00110", "00010", "00001"];
        for (larger, expected) in cells.iter().zip(expected) {
            let found: String =
                cells.iter().map(|smaller| if includes(larger, smaller) { '1' } else { '0' }).collect();
            assert_eq!(found, expected, "{larger:?}");
        }
    }
}
