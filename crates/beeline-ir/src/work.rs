//! How the work of an evaluation is measured. Only what can be repeated is counted; the rest is no longer than the
//! model itself.
//!
//! *One evaluation* is that of an edge (guard, channel and message or required values, clock constraints); of one
//! edge's update, with the binding of what it receives; of the invariant of one process's location (condition, then
//! clock constraints); of a property's predicate, all of it; of one constraint or choice of a relation. Whether a
//! predicate's `deadlock` holds is a question of its own, of many evaluations.
//!
//! Each of these counts [`units`] of its parts:
//! - an iteration of a loop, a value of a quantifier: what is in its body (and condition);
//! - a call: what is in the function's body, and the cells of its frame;
//! - each evaluation of an edge by `Enabled` or `Timeout`, with each combination of select values: what is in its
//!   guard, synchronisation and clock constraints, and the cells of its frame. What it repeats counts, too: it is a
//!   part of the same evaluation;
//! - a search for an edge's partner, a `Timeout`, a count of processes: [`of_search`];
//! - looking into a buffer or changing it in a statement, in `Poll`, or for `Enabled`: its cells.
//!
//! An evaluation of more than [`MAX_ITERATIONS`] units diverges ([`RuntimeError::Diverges`]), and so does every
//! evaluation it is a part of. So no evaluation takes long, and whoever evaluates need not look at the clock in the
//! middle.
//!
//! [`MAX_ITERATIONS`]: crate::expr::MAX_ITERATIONS
//! [`RuntimeError::Diverges`]: crate::expr::RuntimeError::Diverges

use crate::expr::Expr;
use crate::layout::Queue;
use crate::network::{Edge, Network, Process};
use crate::stmt::{Block, Function, Local, Stmt};
use crate::visit;

/// Parts that are as much work as an iteration with hardly any.
const PARTS_PER_UNIT: usize = 64;

/// Units of work for something with that many parts: one, and one more for every 64 parts.
pub fn units(parts: usize) -> u32 {
    u32::try_from(parts / PARTS_PER_UNIT).unwrap_or(u32::MAX).saturating_add(1)
}

/// Expressions in an expression, itself included.
pub fn of_expr(expr: &Expr) -> usize {
    let mut parts = 0;
    visit::walk(expr, &mut |e| {
        parts += match e {
            Expr::Enabled(_, edges) => 1 + edges.len(),
            Expr::Poll(receive) => 1 + receive.pattern.len(),
            _ => 1,
        }
    });
    parts
}

/// Statements and expressions in a block.
pub fn of_block(block: &Block) -> usize {
    let mut parts = 0;
    visit::walk_block(block, &mut |statement, _| {
        parts += match statement {
            Stmt::Receive(receive) => 1 + receive.pattern.len(),
            _ => 1,
        };
        visit::statement_parts(statement, &mut |e| parts += of_expr(e));
    });
    parts
}

/// Cells of a frame.
pub fn of_frame(frame: &[Local]) -> usize {
    frame.iter().map(|local| local.len.map_or(1, |len| len as usize)).sum()
}

/// What a call repeats.
pub fn of_function(function: &Function) -> usize {
    of_block(&function.body) + of_frame(&function.frame)
}

/// What the evaluation of an edge takes.
pub fn of_edge(edge: &Edge) -> usize {
    let mut parts = of_expr(&edge.guard) + of_frame(&edge.frame);
    visit::sync_parts(&edge.sync, &mut |e| parts += of_expr(e));
    visit::atom_parts(&edge.clock_guard, &mut |e| parts += of_expr(e));
    parts
}

/// What going through all processes and the edges they may be about to take amounts to: for each process one, and the
/// most edges that leave one of its locations.
pub fn of_search(network: &Network) -> usize {
    let most = |process: &Process| process.leaving().iter().map(Vec::len).max().unwrap_or(0);
    network.processes.iter().map(|process| 1 + most(process)).sum()
}

/// Cells of a buffer.
pub fn of_queue(queue: &Queue) -> usize {
    queue.capacity.saturating_mul(queue.fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::text::{ReadOptions, read};

    #[test]
    fn parts_are_counted_once_each() {
        let text = "network n
            chan c
            fn f(a in 0..1) -> 0..9 { local t[70] in 0..1; while t[a] < 1 { t[a] := 1; } return 3; }
            process P {
              location l location m
              edge l -> m { select i in 0..1 guard i == 0 && enabled(P : #1, #2) send c }
              edge l -> m { } edge m -> l { }
            }";
        let model = read(text, ReadOptions { file: "test", record_places: false });
        let Ok(Model::Network(network)) = model else { panic!("{model:?}") };
        // Statements: while, :=, return. Expressions: t[a] < 1 is 4; t[a] := 1 has 2 (index, value); 3 is 1.
        let function = network.functions.iter().next().expect("one");
        assert_eq!((of_block(&function.body), of_function(function)), (3 + 4 + 2 + 1, 10 + 71));
        // Conjunction, comparison and its two sides, `enabled` and its two edges; one select variable.
        let process = network.processes.iter().next().expect("one");
        assert_eq!(of_edge(process.edges.iter().next().expect("first")), 1 + 3 + 3 + 1);
        assert_eq!(of_search(&network), 1 + 2);
        assert_eq!([0, 63, 64, 81, 128].map(units), [1, 1, 2, 2, 3]);
    }
}
