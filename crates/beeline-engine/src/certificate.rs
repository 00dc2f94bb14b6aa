//! The uncovered nodes of a search as the rows of a certificate.
//!
//! Zones in the passed list are abstracted and compared by plain inclusion, so the rows are closed under the
//! kernel's exact post without any abstraction: post(Z) ⊆ abstraction(post(Z)) ⊆ Z'. Tracked differences go back
//! to being diagonal constraints of the zone, and dead variables may have any value.

use crate::heuristic::Heuristic;
use crate::passed::{Mark, NodeId, Passed};
use crate::pruned;
use crate::search::Searched;
use crate::successors::space::{Space, State};
use crate::symmetry::Symmetry;
use crate::time::TimePart;
use beeline_ir::certificate::{Cell, Row, ZoneConstraint};
use beeline_ir::expr::ClockOp;
use beeline_ir::limits::Limits;
use beeline_program::ConcreteAtom;
use beeline_zones::fault::{self, Fault};

/// Rows that are written down for states that others stand for by symmetry: unasked, and when they are asked for.
const UNFOLDED: (usize, usize) = (50_000, 1_000_000);

/// What the levels of rows mean.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Levels {
    /// The search went by layers: rows below the length carry the number of steps.
    Below(Option<u32>),
    /// The search did not: every row is at level 0.
    None,
}

/// Bytes that the rows take, besides the passed list.
pub fn bytes<T: TimePart>(space: &Space<T>, passed: &Passed) -> u64 {
    let slots = space.program.layout.slots.len() as u64;
    passed.bytes() + passed.len() * (slots * size_of::<Cell>() as u64 + size_of::<Row>() as u64)
}

/// The rows of a search, or why there are none.
pub fn rows<T: TimePart>(
    space: &Space<T>,
    searched: &Searched,
    levels: Levels,
    heuristics: &mut [Box<dyn Heuristic>],
    limits: &Limits,
    most_rows: Option<u64>,
) -> Result<Vec<Row>, String> {
    let passed = &searched.passed;
    let below = |id: &NodeId| match levels {
        Levels::Below(Some(length)) => passed.g(*id) < length,
        Levels::Below(None) | Levels::None => true,
    };
    let expanded = |id: &NodeId| !searched.marks || passed.mark(*id) == Mark::Expanded;
    let (nodes, others): (Vec<NodeId>, Vec<NodeId>) = passed.kept().filter(below).partition(expanded);
    if let Some(symmetry) = &space.symmetry {
        return unfolded(space, symmetry, passed, (nodes, others), levels, limits, most_rows);
    }
    let mut rows = pruned::rows(space, passed, others, levels, heuristics, limits, most_rows)?;
    rows.extend(nodes.into_iter().map(|id| row(space, passed, id, passed.state(space, id), levels)));
    Ok(rows)
}

/// The rows of a search that has visited representatives: those of all states that they stand for.
fn unfolded<T: TimePart>(
    space: &Space<T>,
    symmetry: &Symmetry,
    passed: &Passed,
    (nodes, others): (Vec<NodeId>, Vec<NodeId>),
    levels: Levels,
    limits: &Limits,
    most_rows: Option<u64>,
) -> Result<Vec<Row>, String> {
    if !others.is_empty() {
        return Err("heuristics have left out states, and these stand for others by symmetry".to_string());
    }
    let most = most_rows.map_or(UNFOLDED.1, |most| UNFOLDED.0.min(most as usize));
    let mut rows = Vec::new();
    for id in nodes {
        limits.check(0, passed.bytes()).map_err(|_| "no time or memory is left for writing it down")?;
        let left = most.saturating_sub(rows.len());
        let orbit = symmetry.orbit(space, passed.state(space, id), left, limits);
        let orbit = orbit.ok_or_else(|| {
            format!("the states that were visited stand for more than {most} others by symmetry")
        })?;
        rows.extend(orbit.into_iter().map(|state| row(space, passed, id, state, levels)));
    }
    Ok(rows)
}

fn row<T: TimePart>(
    space: &Space<T>,
    passed: &Passed,
    id: NodeId,
    state: State<T::Zone>,
    levels: Levels,
) -> Row {
    let mut level = if levels == Levels::None { 0 } else { passed.g(id) };
    if fault::active(Fault::LevelOffByOne) && levels != Levels::None {
        level += 1;
    }
    let mut cells: Vec<Cell> = space.plain(&state.slots).iter().map(|value| Cell::Value(*value)).collect();
    // What cannot matter may be anything.
    for slot in space.liveness.iter().flat_map(|liveness| liveness.dead(&state.slots)) {
        cells[slot] = Cell::Any;
    }
    let mut zone = space.time.constraints(&state.zone);
    zone.extend(space.differences.constraints(&state.slots).map(|atom| constraint(&atom)));
    Row { level, cells, zone }
}

/// A cell's bound; cells never use equality.
fn constraint(atom: &ConcreteAtom) -> ZoneConstraint {
    let strict = matches!(atom.op, ClockOp::Lt | ClockOp::Gt);
    if matches!(atom.op, ClockOp::Lt | ClockOp::Le) {
        ZoneConstraint { left: Some(atom.left), right: atom.right, bound: atom.bound, strict }
    } else {
        ZoneConstraint { left: atom.right, right: Some(atom.left), bound: -atom.bound, strict }
    }
}
