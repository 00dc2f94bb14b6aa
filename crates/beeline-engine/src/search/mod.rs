//! Searches. Breadth-first search goes by layers, on several threads if wished ([`bfs`]). The others take one node
//! at a time and share one loop ([`best_first`]); what distinguishes them is their open list ([`OpenList`], one
//! small file each), and whether they go over the states once or several times ([`anytime`], [`ida_star`]). One stores
//! no states at all ([`genetic`]).

pub mod anytime;
pub mod astar;
pub mod beam;
pub mod best_first;
pub mod bfs;
pub mod buckets;
mod crew;
pub mod dfs;
mod escort;
pub mod genetic;
pub mod greedy;
pub mod guide;
pub mod hill_climbing;
pub mod ida_star;
pub mod plan;
mod post;
pub mod random_dfs;
mod reached;
mod worker;

use crate::goal;
use crate::heuristic::Estimate;
use crate::passed::{NodeId, Passed};
use crate::successors::space::{Goal, Space, State};
use crate::time::TimePart;
use beeline_ir::EdgeId;
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::outcome::{Coverage, Stats};
use beeline_ir::trace::NetworkRun;
use beeline_program::Machine;

/// What waits to be looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A stored node.
    Node(NodeId),
    /// A stored node that not all heuristics have been asked about yet.
    Unweighed(NodeId),
    /// A label that is the target itself; the position in the list of those found.
    Found(u32),
}

/// Something that is about to wait.
#[derive(Copy, Clone, Debug)]
pub struct Waiting {
    /// What.
    pub entry: Entry,
    /// Steps to it.
    pub g: u32,
    /// A measure of its zone, larger for larger ones.
    pub size: i64,
    /// The plan of some heuristic begins with the label that leads to it.
    pub preferred: bool,
    /// It is the next one on a run that some heuristic has met.
    pub met: bool,
    /// Some heuristic thinks that label useless.
    pub useless: bool,
    /// How far that label is from having to do with the one before.
    pub distance: u32,
}

impl Waiting {
    /// Something of which nothing but the steps is known.
    pub fn new(entry: Entry, g: u32) -> Self {
        Self { entry, g, size: 0, preferred: false, met: false, useless: false, distance: 0 }
    }
}

/// What is about to wait, with what each heuristic has to say about it.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    waiting: Vec<Waiting>,
    /// One after the other, as many for each as there are heuristics.
    estimates: Vec<Estimate>,
}

impl Batch {
    /// Empties it.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.estimates.clear();
    }
    /// Adds one; all must have the same number of estimates.
    pub fn add(&mut self, waiting: Waiting, estimates: &[Estimate]) {
        self.waiting.push(waiting);
        self.estimates.extend_from_slice(estimates);
    }
    /// In the order they were made.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Waiting, &[Estimate])> + ExactSizeIterator + '_ {
        let each = self.estimates.len() / self.waiting.len().max(1);
        let estimates = move |i: usize| &self.estimates[i * each..][..each];
        self.waiting.iter().enumerate().map(move |(i, waiting)| (waiting, estimates(i)))
    }
}

/// The open list: decides who comes next.
pub trait OpenList {
    /// Adds the successors of one node.
    fn push(&mut self, successors: &Batch);
    /// The next one. Nodes that have been expanded or covered in the meantime are not taken out before their turn.
    fn pop(&mut self) -> Option<Entry>;
    /// How many wait.
    fn waiting(&self) -> usize;
    /// Bytes in use.
    fn bytes(&self) -> u64 {
        (self.waiting() * size_of::<Entry>()) as u64
    }
    /// No target can be reached in fewer steps through what waits, if the heuristics are admissible.
    fn lower_bound(&self) -> u32 {
        0
    }
    /// A state has been evaluated.
    fn evaluated(&mut self, _estimates: &[Estimate]) {}
    /// Whether something was left out that might have led to the target.
    fn left_out(&self) -> bool {
        false
    }
    /// A node has been expanded; its successors are added next.
    fn enter(&mut self, _node: NodeId) {}
    /// Whether everything that follows from an expanded node is known to have been expanded.
    fn is_done(&self, _node: NodeId) -> bool {
        false
    }
    /// Whether that is asked for each node when its successors are known. Then a node that waits already, and on which its
    /// labels are left out, has to be added again.
    fn goes_down(&self) -> bool {
        false
    }
}

/// Where the search found the target.
#[derive(Clone, Debug)]
pub enum Hit {
    /// In a node.
    Node(NodeId),
    /// In a label that leaves a node.
    Label(NodeId, Label),
    /// At the end of a run whose nodes are stored no longer.
    Run(Box<NetworkRun>),
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

impl End {
    /// Whether all was looked at that there is, and the target not found, whatever that proves.
    pub fn nothing_found(&self) -> bool {
        matches!(self, Self::Exhausted | Self::Stopped(StopReason::PropertyFails | StopReason::Diverges))
    }
}

/// What the nodes that a search has stored prove, together with what the heuristics know of those not expanded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Proves {
    /// That no run is shorter than the one found.
    Length,
    /// Nothing about lengths, although no run is shorter: not everything that shows it was kept.
    LengthUnkept,
    /// Nothing about lengths.
    Reachability,
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
    /// What is known about the length of the run found, if there is one.
    pub proves: Proves,
    /// Whether nodes that are not marked as expanded were not: heuristics have kept them from it.
    pub marks: bool,
    /// Counters.
    pub stats: Stats,
}

impl Searched {
    /// What a search may say that keeps nothing but hashes of states: that it found something, no more.
    pub(crate) fn trust_no_hashes(&mut self, coverage: Coverage) {
        self.stats.coverage = Some(coverage);
        (self.lower_bound, self.proves) = (0, Proves::Reachability);
        if matches!(self.end, End::Exhausted) {
            self.end = End::Stopped(StopReason::Hashed);
        }
    }
}

/// Which of the goals that are watched for have been seen, by their numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen(u64);

impl Seen {
    /// Goals that can be watched for.
    pub const MOST: usize = u64::BITS as usize;
    /// Notes a goal.
    pub fn add(&mut self, goal: usize) {
        self.0 |= 1 << goal;
    }
    /// Notes what is watched for of that kind, which takes no more than a label to tell.
    fn add_kind<T: TimePart>(&mut self, space: &Space<T>, kind: &Goal) {
        let same = |goal: &Goal| std::mem::discriminant(goal) == std::mem::discriminant(kind);
        let numbers = space.watched.iter().enumerate().filter(|(_, goal)| same(goal));
        numbers.for_each(|(number, _)| self.add(number));
    }
    /// Notes what others have seen.
    pub fn add_all(&mut self, Self(others): Self) {
        self.0 |= others;
    }
    /// Whether a goal has been seen.
    pub fn contains(self, goal: usize) -> bool {
        self.0 >> goal & 1 == 1
    }
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
    /// What is watched for and may be there, as far as the search looks for it.
    pub seen: Seen,
    /// After how many states partial-order reduction was switched off for doing too little.
    pub reduction_off: Option<u64>,
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

impl Goal {
    /// Whether a state with that discrete part may be what is looked for, at first glance.
    fn may_be(&self, slots: &[i64]) -> bool {
        matches!(self, Self::State(_, tests) if tests.iter().all(|test| test.holds(slots)))
    }

    /// Whether the state is what is looked for.
    pub(crate) fn is_met<T: TimePart>(
        &self,
        space: &Space<T>,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
        property_fails: &mut bool,
    ) -> Result<bool, StopReason> {
        let predicate = match self {
            Self::State(predicate, _) if self.may_be(&state.slots) => predicate,
            Self::Stuck { predicate, .. } => predicate,
            _ => return Ok(false),
        };
        if goal::excluded(space, machine, predicate, &state.slots) {
            return Ok(false);
        }
        limits.check(0, 0)?;
        let met = goal::meet(space, machine, predicate, &state.slots, &state.zone, limits);
        *property_fails |= met.fails;
        met.stopped.map_or(Ok(!met.zones.is_empty()), Err)
    }

    /// Whether a state that has no successor is what is looked for, if that is for want of one.
    fn is_met_if_stuck<T: TimePart>(
        &self,
        space: &Space<T>,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
        property_fails: &mut bool,
    ) -> Result<bool, StopReason> {
        let Self::Stuck { rest, .. } = self else { return Ok(false) };
        let met = goal::meet(space, machine, rest, &state.slots, &state.zone, limits);
        *property_fails |= met.fails;
        met.stopped.map_or(Ok(!met.zones.is_empty()), Err)
    }
}

/// What is asked of each goal that is watched for.
fn watch<T: TimePart>(
    space: &Space<T>,
    seen: &mut Seen,
    mut met: impl FnMut(&Goal, &mut bool) -> Result<bool, StopReason>,
) -> Result<(), StopReason> {
    for (number, goal) in space.watched.iter().enumerate() {
        // Where the property itself fails, somebody else has to find out what that means.
        let mut fails = false;
        if !seen.contains(number) && (met(goal, &mut fails)? || fails) {
            seen.add(number);
        }
    }
    Ok(())
}
