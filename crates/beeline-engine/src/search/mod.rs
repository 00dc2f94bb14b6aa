//! Searches. One loop; what distinguishes a search is its open list ([`OpenList`], one small file each).

pub mod bfs;
pub mod dfs;
pub mod random_dfs;

use crate::api::Progress;
use crate::goal;
use crate::passed::{NodeId, Passed, Status};
use crate::successors::labels::FailingLabel;
use crate::successors::space::{Goal, Space};
use crate::time::TimePart;
use beeline_ir::EdgeId;
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::{Label, Part};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::outcome::Stats;
use beeline_program::Machine;

/// What waits to be looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A stored node.
    Node(NodeId),
    /// A label that is the target itself; the position in the list of those found.
    Found(usize),
}

/// The open list: decides who comes next.
pub trait OpenList {
    /// Adds the successors of one node, each with the steps it takes to get there.
    fn push(&mut self, successors: &[(Entry, u32)]);
    /// The next one.
    fn pop(&mut self) -> Option<Entry>;
    /// How many wait.
    fn waiting(&self) -> usize;
    /// No target that has not been popped yet can be reached in fewer steps.
    fn lower_bound(&self) -> u32;
}

/// Where the search found the target.
#[derive(Clone, Debug)]
pub enum Hit {
    /// In a node.
    Node(NodeId),
    /// In a label that leaves a node.
    Label(NodeId, Label),
}

/// How the search ended.
#[derive(Debug)]
pub enum End {
    /// The target was found.
    Found(Hit),
    /// There is nothing left to expand.
    Exhausted,
    /// A limit was reached.
    Stopped(StopReason),
}

/// All that a search leaves behind.
#[derive(Debug)]
pub struct Searched {
    /// How it ended.
    pub end: End,
    /// What it stored.
    pub passed: Passed,
    /// The observer's first edge, per initial node.
    pub roots: Vec<(NodeId, Option<EdgeId>)>,
    /// The first failing label met, if failing labels were not looked for.
    pub warning: Option<(Label, RuntimeError)>,
    /// Whether the property has a run-time error in some state.
    pub property_fails: bool,
    /// No target is reached in fewer steps.
    pub lower_bound: u32,
    /// Counters.
    pub stats: Stats,
}

/// Expansions between two reports of progress.
const PROGRESS_INTERVAL: u64 = 1024;

/// Bytes in use.
fn bytes(passed: &Passed, open: &dyn OpenList, found: &[(NodeId, Label)]) -> u64 {
    // A label has a part or two, with few select values.
    let labels = found.len() * (size_of::<(NodeId, Label)>() + 2 * size_of::<Part>());
    passed.bytes() + (open.waiting() * size_of::<Entry>() + labels) as u64
}

/// Runs a search to its end.
pub fn run<T: TimePart>(
    space: &Space<T>,
    initial: Vec<i64>,
    mut passed: Passed,
    open: &mut dyn OpenList,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Searched {
    let mut machine = Machine::new(&space.program);
    let mut stats = Stats::default();
    let mut warning = None;
    let mut roots = Vec::new();
    let mut found: Vec<(NodeId, Label)> = Vec::new();
    let (mut property_fails, mut diverges) = (false, false);
    let mut scratch = space.scratch(&initial);
    let initial = space.initial(&mut machine, initial, &mut property_fails, limits);
    let stopped = initial.as_ref().err().copied();
    for (state, edge) in initial.unwrap_or_default() {
        stats.generated += 1;
        match passed.insert(&space.time, &state, 0, None) {
            Some(node) => {
                roots.push((node, edge));
                open.push(&[(Entry::Node(node), 0)]);
            }
            None => stats.subsumed += 1,
        }
    }
    let mut batch = Vec::new();
    let end = loop {
        if let Some(reason) = stopped {
            break End::Stopped(reason);
        }
        let Some(entry) = open.pop() else { break End::Exhausted };
        let node = match entry {
            Entry::Found(index) => {
                let (node, label) = found.swap_remove(index);
                break End::Found(Hit::Label(node, label));
            }
            Entry::Node(node) if passed.status(node) == Status::Covered => continue,
            Entry::Node(node) => node,
        };
        if let Err(reason) = limits.check(passed.len(), bytes(&passed, open, &found)) {
            break End::Stopped(reason);
        }
        stats.expanded += 1;
        let state = passed.state(space, node);
        if let Goal::State(predicate) = &space.goal {
            let met = goal::meet(space, &mut machine, predicate, &state.slots, &state.zone, limits);
            if let Some(reason) = met.stopped {
                break End::Stopped(reason);
            }
            property_fails |= met.fails;
            if !met.zones.is_empty() {
                break End::Found(Hit::Node(node));
            }
        }
        passed.close(node);
        let g = passed.g(node);
        batch.clear();
        let left = space.expand(&mut machine, &mut scratch, &state, limits, &mut |successor| {
            stats.generated += 1;
            let steps = g + u32::from(successor.label.costs());
            if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                // The run ends here; nothing beyond it can be nearer.
                batch.push((Entry::Found(found.len()), steps));
                found.push((node, successor.label.label()));
                return;
            }
            match passed.insert(&space.time, successor.state, steps, Some(node)) {
                Some(child) => batch.push((Entry::Node(child), steps)),
                None => stats.subsumed += 1,
            }
        });
        let left = match left {
            Ok(left) => left,
            Err(reason) => break End::Stopped(reason),
        };
        property_fails |= left.observer_fails;
        for FailingLabel { label, error, costs } in left.failing {
            if matches!(space.goal, Goal::RuntimeError) {
                batch.push((Entry::Found(found.len()), g + u32::from(costs)));
                found.push((node, label));
            } else {
                diverges |= error == RuntimeError::Diverges;
                warning.get_or_insert((label, error));
            }
        }
        open.push(&batch);
        stats.peak_bytes = stats.peak_bytes.max(bytes(&passed, open, &found));
        if stats.expanded.is_multiple_of(PROGRESS_INTERVAL) {
            progress(&Progress {
                expanded: stats.expanded,
                stored: passed.len(),
                open: open.waiting() as u64,
                lower_bound: open.lower_bound(),
                bytes: bytes(&passed, open, &found),
            });
        }
    };
    // What was not evaluated might have led to the target.
    let end = match end {
        End::Exhausted if property_fails => End::Stopped(StopReason::PropertyFails),
        End::Exhausted if diverges => End::Stopped(StopReason::Diverges),
        end => end,
    };
    stats.stored = passed.len();
    let lower_bound = open.lower_bound();
    Searched { end, passed, roots, warning, property_fails, lower_bound, stats }
}
