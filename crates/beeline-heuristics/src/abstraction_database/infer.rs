//! Maps that nobody wrote. Everything is kept if the model is small enough: then the database is perfect. If it is not, the
//! values of variables go into classes, of one kind for all variables (ranges, if nothing is said); and of what
//! is still too much, as much is kept as there is room for, the elements next to the target first.
//!
//! Ranges end where the model tells values apart: at the constants that it compares a variable with.

use super::maps::Map;
use super::{View, classes, database};
use crate::pattern_database::{NoDatabase, PatternDatabase};
use crate::patterns::making::{self, Frame};
use crate::patterns::{Element, cone};
use crate::registry::{Making, NotMade};
use beeline_abstraction::projection::Pattern;
use beeline_ir::VarId;
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::network::Network;
use beeline_ir::property::{Property, Target};
use beeline_ir::visit::{block_parts, sync_parts, walk};
use beeline_program::factored::causal::CausalGraph;
use std::collections::BTreeSet;

/// How values are put into classes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Everything is kept if there is room, and ranges if there is not.
    Auto,
    /// Not at all: everything is kept, as far as there is room.
    Keep,
    /// Ranges between constants.
    Ranges,
    /// Less than 0, 0, more than 0.
    Sign,
    /// Even or odd.
    Parity,
    /// The remainder.
    Modulo(i64),
    /// One for all.
    Drop,
}

/// Classes below this number say too little to be worth trying others that have fewer.
const FEWEST: u128 = 2;

/// The database of maps of a kind.
pub fn inferred(making: &Making<'_>, kind: Kind, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let order: &[Kind] = match kind {
        Kind::Auto => &[Kind::Keep, Kind::Ranges],
        _ => &[kind],
    };
    for kind in order {
        let view = View { pattern: coarsened(making, Pattern::all(making.network), *kind), joint: None };
        match database(making, &view, frame) {
            Ok(made) => return Ok(made),
            Err(NoDatabase::TooLarge) => {}
            Err(reason) => return Err(reason.into()),
        }
    }
    // Not all of it, then.
    let kind = if kind == Kind::Auto { Kind::Ranges } else { kind };
    let board = making::board(making)?;
    let graph = CausalGraph::new(board.factored(), making.meter())?;
    let goal = board.goal();
    let order = cone::layers(&board, &graph, &goal, &BTreeSet::new()).concat();
    let make = |kept: &BTreeSet<Element>| {
        let pattern = board.pattern(kept, making::clocks(&board, frame, kept, None));
        database(making, &View { pattern: coarsened(making, pattern, kind), joint: None }, frame)
    };
    let best = making::as_many_as_fit(&board, &order, goal.len(), frame, make)?;
    Ok(best.map_or_else(making::no_pattern_fits, |(_, made)| made))
}

/// A pattern with classes in place of values, where they are fewer.
fn coarsened(making: &Making<'_>, mut pattern: Pattern, kind: Kind) -> Pattern {
    let network = making.network;
    for var in pattern.integers.clone() {
        let map = match kind {
            Kind::Keep => continue,
            Kind::Auto | Kind::Ranges => Map::Ranges(cuts(network, making.property, var)),
            Kind::Sign => Map::Sign,
            Kind::Parity => Map::Parity,
            Kind::Modulo(divisor) => Map::Modulo(divisor),
            Kind::Drop => Map::Drop,
        };
        let range = network.vars[var].range;
        if range.size() <= FEWEST {
            continue;
        }
        match classes(network, var, &map) {
            Ok(classes) if classes.numbers().size() < range.size() => {
                pattern.integers.remove(&var);
                pattern.maps.insert(var, classes);
            }
            Ok(_) => {}
            // There are more values than classes can be made of.
            Err(_) => _ = pattern.integers.remove(&var),
        }
    }
    pattern
}

/// Where the model tells values of a variable apart: the least ones that are on the other side of a comparison.
fn cuts(network: &Network, property: &Property, var: VarId) -> Vec<i64> {
    let mut cuts = BTreeSet::new();
    let mut look = |e: &Expr| {
        walk(e, &mut |part| {
            let Expr::Binary(op, left, right) = part else { return };
            let (op, constant) = match (&**left, &**right) {
                (Expr::Var(id) | Expr::Elem(id, _), Expr::Const(constant)) if *id == var => (*op, *constant),
                (Expr::Const(constant), Expr::Var(id) | Expr::Elem(id, _)) if *id == var => {
                    (mirrored(*op), *constant)
                }
                _ => return,
            };
            match op {
                BinaryOp::Lt | BinaryOp::Ge => _ = cuts.insert(constant),
                BinaryOp::Le | BinaryOp::Gt => _ = cuts.insert(constant.saturating_add(1)),
                BinaryOp::Eq | BinaryOp::Ne => cuts.extend([constant, constant.saturating_add(1)]),
                _ => {}
            }
        });
    };
    for process in &network.processes {
        process.locations.iter().for_each(|location| look(&location.condition));
        for edge in &process.edges {
            look(&edge.guard);
            sync_parts(&edge.sync, &mut look);
            block_parts(&edge.update, &mut look);
        }
    }
    if let Target::State(target) = property.target() {
        look(&target);
    }
    cuts.into_iter().collect()
}

/// The operator with its operands exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}
