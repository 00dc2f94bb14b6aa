//! Searches. Breadth-first search goes by layers, on several threads if wished ([`bfs`]). The others share one loop;
//! what distinguishes them is their open list ([`OpenList`], one small file each).

pub mod bfs;
mod crew;
pub mod dfs;
mod post;
pub mod random_dfs;
mod worker;

use crate::api::Progress;
use crate::goal;
use crate::passed::{Key, NodeId, Passed};
use crate::successors::labels::FailingLabel;
use crate::successors::space::{Goal, Space, State};
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
    /// What was noticed on the way.
    pub notes: Notes,
    /// No target is reached in fewer steps.
    pub lower_bound: u32,
    /// Counters.
    pub stats: Stats,
}

/// What a search notices on the way.
#[derive(Debug, Default)]
pub struct Notes {
    /// The observer's first edge, per initial node.
    pub roots: Vec<(NodeId, Option<EdgeId>)>,
    /// The first failing label met, if failing labels were not looked for.
    pub warning: Option<(Label, RuntimeError)>,
    /// Whether the property has a run-time error in some state.
    pub property_fails: bool,
    /// Whether the evaluation of some label was given up.
    pub diverges: bool,
}

impl Notes {
    /// Notes a label that fails although failing labels are not looked for.
    fn fails(&mut self, label: Label, error: RuntimeError) {
        self.diverges |= error == RuntimeError::Diverges;
        self.warning.get_or_insert((label, error));
    }

    /// The true end of a search that found nothing: what was not evaluated might have led to the target.
    fn end(&self, end: End) -> End {
        match end {
            End::Exhausted if self.property_fails => End::Stopped(StopReason::PropertyFails),
            End::Exhausted if self.diverges => End::Stopped(StopReason::Diverges),
            end => end,
        }
    }
}

/// Whether a state with that discrete part may be what is looked for, at first glance.
fn may_be_target<T: TimePart>(space: &Space<T>, slots: &[i64]) -> bool {
    matches!(&space.goal, Goal::State(_, tests) if tests.iter().all(|test| test.holds(slots)))
}

/// Whether the state is what is looked for.
fn is_target<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    state: &State<T::Zone>,
    limits: &Limits,
    property_fails: &mut bool,
) -> Result<bool, StopReason> {
    let Goal::State(predicate, _) = &space.goal else { return Ok(false) };
    if !may_be_target(space, &state.slots) || goal::excluded(space, machine, predicate, &state.slots) {
        return Ok(false);
    }
    limits.check(0, 0)?;
    let met = goal::meet(space, machine, predicate, &state.slots, &state.zone, limits);
    *property_fails |= met.fails;
    met.stopped.map_or(Ok(!met.zones.is_empty()), Err)
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
    let mut notes = Notes::default();
    let mut found: Vec<(NodeId, Label)> = Vec::new();
    let mut key = Key::default();
    let mut scratch = space.scratch(&initial);
    let initial = space.initial(&mut machine, initial, &mut notes.property_fails, limits);
    let stopped = initial.as_ref().err().copied();
    for (state, edge) in initial.unwrap_or_default() {
        stats.generated += 1;
        match passed.insert(&space.time, &state, 0, None, &mut key) {
            Some(node) => {
                notes.roots.push((node, edge));
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
            Entry::Node(node) if passed.is_covered(node) => continue,
            Entry::Node(node) => node,
        };
        if let Err(reason) = limits.check(passed.len(), bytes(&passed, open, &found)) {
            break End::Stopped(reason);
        }
        stats.expanded += 1;
        let state = passed.state(space, node);
        match is_target(space, &mut machine, &state, limits, &mut notes.property_fails) {
            Ok(true) => break End::Found(Hit::Node(node)),
            Ok(false) => {}
            Err(reason) => break End::Stopped(reason),
        }
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
            match passed.insert(&space.time, successor.state, steps, Some(node), &mut key) {
                Some(child) => batch.push((Entry::Node(child), steps)),
                None => stats.subsumed += 1,
            }
        });
        let left = match left {
            Ok(left) => left,
            Err(reason) => break End::Stopped(reason),
        };
        notes.property_fails |= left.observer_fails;
        for FailingLabel { label, error, costs } in left.failing {
            if matches!(space.goal, Goal::RuntimeError) {
                batch.push((Entry::Found(found.len()), g + u32::from(costs)));
                found.push((node, label));
            } else {
                notes.fails(label, error);
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
    stats.stored = passed.len();
    let lower_bound = open.lower_bound();
    Searched { end: notes.end(end), passed, notes, lower_bound, stats }
}
