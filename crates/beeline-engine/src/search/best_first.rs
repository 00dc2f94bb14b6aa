//! The loop of all searches that take one node at a time: pop, look, expand, evaluate, push.
//!
//! The number of steps to a node is the least so far: where lengths matter, only a node reached in no more steps
//! covers another ([`Covering::ByCost`]), so a state reached again in fewer steps makes a new node that replaces
//! the old one, even if that one has been expanded. Entries of replaced nodes are skipped when their turn comes.
//! Nodes are tested for the target when their turn comes, and are counted as expanded then. A state is pruned
//! where the target is certainly out of reach, or certainly not near enough; it stays stored, so that it covers
//! others and that the proof can account for it.

use super::bfs;
use super::escort::Escort;
use super::guide::{Ask, Guide};
use super::plan::{Admission, Evaluation, Pass, Plan, Report};
use super::reached::Reached;
use super::{Batch, End, Entry, Hit, Notes, OpenList, Proves, Searched, Waiting};
use crate::api::Progress;
use crate::heuristic::{Estimate, Step};
use crate::partial_order::Trial;
use crate::passed::{Arrival, Covering, Key, Loaded, Mark, NodeId, Passed};
use crate::successors::expand::{Extent, Scratch, Successor};
use crate::successors::labels::FailingLabel;
use crate::successors::space::{Goal, Space, State};
use crate::time::TimePart;
use beeline_ir::layout::{Label, Part};
use beeline_ir::limits::StopReason;
use beeline_ir::outcome::Stats;
use beeline_program::Machine;
use beeline_program::schema::EdgeRef;
use std::cell::Cell;
use std::ops::Range;

/// Expansions between two reports of progress.
const PROGRESS_INTERVAL: u64 = 1024;

/// Runs a search to its end.
pub fn run<T: TimePart>(
    space: &Space<T>,
    initial: Vec<i64>,
    passed: Passed,
    open: &mut dyn OpenList,
    guide: &mut Guide<'_>,
    plan: Plan<'_>,
    report: &mut Report<'_>,
) -> Pass {
    let place = Loaded::new(State { slots: initial.clone(), zone: space.time.universal(&initial) });
    let labels = plan.labels && !guide.is_empty();
    let mut search = Search {
        space,
        plan,
        open,
        machine: Machine::new(&space.program),
        scratch: space.scratch(&initial),
        key: Key::default(),
        child: place.clone(),
        loaded: place,
        estimates: Vec::new(),
        weight: Vec::new(),
        made: Vec::new(),
        edges: Vec::new(),
        batch: Batch::default(),
        found: Vec::new(),
        reached: (labels && guide.judges_labels()).then(Reached::default),
        escort: guide.route().cloned().map(Escort::new),
        labels,
        passed,
        guide,
        notes: Notes::default(),
        stats: report.before,
        lower_bound: report.lower_bound,
        steps: None,
        beyond: None,
        paid: (0, 0),
        trial: Trial::new(space),
    };
    search.paid = (search.stats.generated, search.guide.work());
    let evaluated = search.guide.evaluated;
    let end = search.start(initial).and_then(|()| search.go_on(report));
    let end = search.notes.end(end.unwrap_or_else(End::Stopped));
    let Search { passed, mut notes, mut stats, lower_bound, steps, beyond, guide, trial, .. } = search;
    notes.reduction_off = trial.off_after;
    stats.evaluated += guide.evaluated - evaluated;
    stats.reopened += passed.reopened();
    stats.stored = passed.len();
    let (proves, marks) = (Proves::Reachability, true);
    Pass { searched: Searched { end, passed, notes, lower_bound, proves, marks, stats }, steps, beyond }
}

/// A successor that has not been evaluated yet.
#[derive(Clone, Debug)]
struct Made {
    entry: Entry,
    g: u32,
    preferred: bool,
    /// Where the edges of its label are, if someone wants to know.
    edges: Range<usize>,
}

impl Made {
    /// A label that is the target itself, at that position.
    fn found(position: usize, g: u32) -> Self {
        Self { entry: Entry::Found(position as u32), g, preferred: false, edges: 0..0 }
    }
}

struct Search<'a, 'h, T: TimePart> {
    space: &'a Space<T>,
    plan: Plan<'a>,
    open: &'a mut dyn OpenList,
    guide: &'a mut Guide<'h>,
    machine: Machine,
    scratch: Scratch<T::Zone>,
    key: Key,
    /// The state being expanded.
    loaded: Loaded<T::Zone>,
    /// What is known of it.
    estimates: Vec<Estimate>,
    /// A successor.
    child: Loaded<T::Zone>,
    /// What is known of it.
    weight: Vec<Estimate>,
    /// All successors.
    made: Vec<Made>,
    /// The edges of their labels.
    edges: Vec<EdgeRef>,
    /// Those that are to wait.
    batch: Batch,
    /// Labels that are the target themselves, and where they leave from.
    found: Vec<(NodeId, Label)>,
    reached: Option<Reached>,
    escort: Option<Escort>,
    /// Whether heuristics are asked about labels.
    labels: bool,
    passed: Passed,
    notes: Notes,
    stats: Stats,
    lower_bound: u32,
    steps: Option<u32>,
    beyond: Option<u32>,
    /// Successors, and work of heuristics, that have been counted as work.
    paid: (u64, u64),
    /// Whether labels are left out.
    trial: Trial,
}

impl<T: TimePart> Search<'_, '_, T> {
    fn start(&mut self, initial: Vec<i64>) -> Result<(), StopReason> {
        let (space, limits) = (self.space, self.plan.limits);
        self.estimates.resize(self.guide.len(), Estimate::ZERO);
        self.weight.resize(self.guide.len(), Estimate::ZERO);
        for (state, edge) in
            space.initial(&mut self.machine, initial, &mut self.notes.property_fails, limits)?
        {
            self.stats.generated += 1;
            let admission =
                self.plan.admit(&space.time, self.guide, &state, 0, &mut self.weight, &mut self.beyond);
            if admission == Admission::TooFar {
                continue;
            }
            let Some(node) = self.passed.insert(&space.time, &state, 0, None, &mut self.key) else {
                self.stats.subsumed += 1;
                continue;
            };
            self.notes.roots.push((node, edge));
            if let Some(escort) = &mut self.escort {
                escort.begin(node, edge);
            }
            if admission == Admission::DeadEnd {
                self.stats.dead_ends += 1;
                self.passed.set_mark(node, Mark::Pruned);
                continue;
            }
            self.made.push(Made { entry: Entry::Node(node), g: 0, preferred: false, edges: 0..0 });
        }
        self.push(None)
    }

    fn go_on(&mut self, report: &mut Report<'_>) -> Result<End, StopReason> {
        // Where any node covers another, what waits may be too far away, and what is nearer forgotten.
        let exact = self.guide.admissible() && self.passed.covering() == Covering::ByCost;
        loop {
            if exact {
                self.lower_bound = self.lower_bound.max(self.open.lower_bound());
            }
            let (node, weighed) = match self.open.pop() {
                None if self.open.left_out() => return Err(StopReason::Incomplete),
                None => return Ok(End::Exhausted),
                Some(Entry::Found(index)) => {
                    let (node, label) = self.found.swap_remove(index as usize);
                    let costs = label_costs(self.space, &label);
                    self.steps = Some(self.passed.g(node) + u32::from(costs));
                    return Ok(End::Found(Hit::Label(node, label)));
                }
                Some(Entry::Node(node)) => (node, true),
                Some(Entry::Unweighed(node)) => (node, false),
            };
            // Others may have covered it, and where it waits twice its turn may have been.
            if self.passed.is_covered(node) || self.passed.mark(node) != Mark::Waiting {
                continue;
            }
            let bytes = self.bytes();
            self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
            self.passed.relieve(bytes, self.plan.limits);
            self.plan.limits.check(self.passed.len(), bytes)?;
            let done = (self.stats.generated, self.guide.work());
            let before = std::mem::replace(&mut self.paid, done);
            self.plan.limits.spend_on(done.0 - before.0, done.1 - before.1)?;
            self.passed.load(self.space, node, &mut self.loaded);
            if !weighed {
                if !self.weigh(node) {
                    continue;
                }
            } else if self.labels {
                // For the plan behind the estimate.
                let Self { space, guide, loaded, estimates, .. } = self;
                let state = &loaded.state;
                guide.evaluate(&space.time, state, Ask::Again, estimates);
            }
            self.stats.expanded += 1;
            let Self { space, machine, loaded, notes, .. } = self;
            let state = &loaded.state;
            let limits = self.plan.limits;
            let mut target = !matches!(space.goal, Goal::Stuck { .. })
                && space.goal.is_met(space, machine, state, limits, &mut notes.property_fails)?;
            if !target {
                let before = self.stats.generated;
                self.expand(node)?;
                self.open.enter(node);
                let Self { space, machine, loaded, notes, .. } = self;
                let state = &loaded.state;
                target = self.stats.generated == before
                    && space.goal.is_met_if_stuck(
                        space,
                        machine,
                        state,
                        limits,
                        &mut notes.property_fails,
                    )?;
            }
            if target {
                self.steps = Some(self.passed.g(node));
                return Ok(End::Found(Hit::Node(node)));
            }
            self.passed.set_mark(node, Mark::Expanded);
            self.push(Some(node))?;
            if self.stats.expanded.is_multiple_of(PROGRESS_INTERVAL) {
                (report.progress)(&Progress {
                    expanded: self.stats.expanded,
                    stored: self.passed.len(),
                    open: self.open.waiting() as u64,
                    lower_bound: self.lower_bound,
                    bytes: self.bytes(),
                    generated: self.stats.generated,
                });
            }
        }
    }

    /// Asks all heuristics about a node whose turn has come; false if it is not to be expanded now.
    fn weigh(&mut self, node: NodeId) -> bool {
        let Self { space, plan, open, guide, passed, loaded, estimates, batch, stats, escort, .. } = self;
        let state = &loaded.state;
        if !guide.evaluate(&space.time, state, Ask::All, estimates) {
            stats.dead_ends += 1;
            passed.set_mark(node, Mark::Pruned);
            return false;
        }
        let g = passed.g(node);
        if plan.too_long(guide, g, estimates) {
            passed.set_mark(node, Mark::Pruned);
            return false;
        }
        open.evaluated(estimates);
        if plan.evaluation == Evaluation::Deferred {
            return true;
        }
        batch.clear();
        let size = bfs::size(passed.zone(node));
        let met = is_next(escort.as_ref(), node);
        batch.add(Waiting { size, met, ..Waiting::new(Entry::Node(node), g) }, estimates);
        open.push(batch);
        false
    }

    /// Makes and stores the successors of the state at hand.
    fn expand(&mut self, node: NodeId) -> Result<(), StopReason> {
        let Self { space, plan, open, guide, machine, scratch, key, loaded, .. } = self;
        let Self { weight, made, edges, found, .. } = self;
        let state = &loaded.state;
        let Self { reached, escort, labels, passed, notes, stats, beyond, trial, .. } = self;
        let g = passed.g(node);
        let mut next = None;
        // Successors made, and whether some is still to be expanded.
        let (successors, to_come) = (Cell::new(0), Cell::new(false));
        let hurries = trial.on && space.must_progress();
        edges.clear();
        let mut visit = |successor: Successor<'_, T::Zone>| {
            successors.set(successors.get() + 1);
            let g = g + u32::from(successor.label.costs());
            if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                // The run ends here; nothing beyond it can be nearer.
                if !plan.evaluation.exceeded(g, beyond) {
                    made.push(Made::found(found.len(), g));
                    found.push((node, successor.label.label()));
                    to_come.set(true);
                    passed.hold(node);
                }
                return;
            }
            let admission = plan.admit(&space.time, guide, successor.state, g, weight, beyond);
            if admission == Admission::TooFar {
                return;
            }
            let Some(child) = passed.insert(&space.time, successor.state, g, Some(node), key) else {
                stats.subsumed += 1;
                if hurries && !to_come.get() {
                    let zone = space.time.entries(&successor.state.zone);
                    let arrival = Arrival {
                        words: &key.words,
                        code: key.code,
                        discrete: None,
                        zone,
                        stored: None,
                        g,
                        parent: Some(node),
                    };
                    let is_to_come = |other| match passed.mark(other) {
                        Mark::Waiting if other != node => {
                            if open.goes_down() {
                                let entry = Entry::Node(other);
                                made.push(Made { entry, g, preferred: false, edges: 0..0 });
                            }
                            true
                        }
                        Mark::Expanded => open.is_done(other),
                        Mark::Waiting | Mark::Pruned => false,
                    };
                    to_come.set(passed.is_to_come::<T>(key.shard, &arrival, is_to_come));
                }
                return;
            };
            to_come.set(true);
            if admission == Admission::DeadEnd {
                stats.dead_ends += 1;
                passed.set_mark(child, Mark::Pruned);
                return;
            }
            if next.is_none() && escort.as_ref().is_some_and(|escort| escort.takes(node, successor.label)) {
                next = Some(child);
            }
            let first = edges.len();
            if *labels {
                edges.extend(successor.label.edges());
            }
            let label = first..edges.len();
            if let Some(reached) = reached {
                reached.note(child, &edges[label.clone()]);
            }
            // The plan is that of the state at hand until a successor is evaluated.
            let preferred = *labels && guide.prefers(&edges[label.clone()]);
            made.push(Made { entry: Entry::Node(child), g, preferred, edges: label });
        };
        scratch.look_at(if trial.on { Extent::Chosen } else { Extent::All });
        let mut left = space.expand(machine, scratch, state, plan.limits, &mut visit)?;
        if left.left_out > 0 {
            if space.goes_on(successors.get(), || to_come.get()) {
                stats.left_out += u64::from(left.left_out);
            } else {
                scratch.look_at(Extent::Others);
                left = left.and(space.expand(machine, scratch, state, plan.limits, &mut visit)?);
            }
        }
        stats.generated += successors.get();
        trial.go_on(stats);
        if let (Some(escort), Some(next)) = (escort, next) {
            escort.step(next);
        }
        notes.property_fails |= left.observer_fails;
        for FailingLabel { label, error, costs } in left.failing {
            let g = g + u32::from(costs);
            if !matches!(space.goal, Goal::RuntimeError) {
                notes.fails(label, error);
            } else if !plan.evaluation.exceeded(g, beyond) {
                made.push(Made::found(found.len(), g));
                found.push((node, label));
                passed.hold(node);
            }
        }
        Ok(())
    }

    /// Evaluates what was made of a node (or the initial states, if there is none) and lets it wait.
    fn push(&mut self, node: Option<NodeId>) -> Result<(), StopReason> {
        let Self { space, plan, open, guide, passed, loaded, child, estimates, weight, .. } = self;
        let state = &loaded.state;
        let Self { made, edges, batch, reached, escort, stats, .. } = self;
        batch.clear();
        for Made { entry, g, preferred, edges: label } in made.drain(..) {
            let mut waiting = Waiting { preferred, ..Waiting::new(entry, g) };
            let Entry::Node(new) = entry else {
                if plan.bound.is_none_or(|bound| g < bound) {
                    weight.fill(Estimate::ZERO);
                    batch.add(waiting, weight);
                }
                continue;
            };
            // A brother may be larger.
            if passed.is_covered(new) {
                continue;
            }
            waiting.size = bfs::size(passed.zone(new));
            waiting.met = is_next(escort.as_ref(), new);
            if !guide.is_empty() {
                passed.load(space, new, child);
            }
            let ask = match plan.evaluation {
                Evaluation::Eager => Some(Ask::All),
                Evaluation::Lazy if guide.len() > 1 => Some(Ask::First),
                Evaluation::Lazy => Some(Ask::All),
                Evaluation::Deferred | Evaluation::Within(_) => None,
            };
            let alive = match ask {
                Some(_) if guide.is_empty() => true,
                Some(ask) => {
                    // There may be many successors, and heuristics may take their time.
                    plan.limits.check(0, 0)?;
                    guide.evaluate(&space.time, &child.state, ask, weight)
                }
                None => {
                    weight.clone_from(estimates);
                    true
                }
            };
            stats.dead_ends += u64::from(!alive);
            if !alive || plan.too_long(guide, g, if ask.is_some() { weight } else { &[] }) {
                passed.set_mark(new, Mark::Pruned);
                continue;
            }
            if ask == Some(Ask::All) {
                open.evaluated(weight);
            } else if !matches!(plan.evaluation, Evaluation::Within(_)) {
                waiting.entry = Entry::Unweighed(new);
            }
            if let (Some(reached), Some(node)) = (&*reached, node) {
                let (from, to) = (&*state.slots, &*child.state.slots);
                let (reached_by, label) = (reached.by(node), &edges[label]);
                let (h_from, h_to) = (Estimate::ZERO, Estimate::ZERO);
                let step = Step { from, h_from, reached_by, label, to, h_to };
                (waiting.useless, waiting.distance) = guide.judge(step, estimates, weight);
            }
            batch.add(waiting, weight);
        }
        open.push(batch);
        Ok(())
    }

    /// Bytes in use.
    fn bytes(&self) -> u64 {
        // A label has a part or two, with few select values.
        let labels = self.found.len() * (size_of::<(NodeId, Label)>() + 2 * size_of::<Part>());
        let reached = self.reached.as_ref().map_or(0, Reached::bytes);
        self.passed.bytes() + self.open.bytes() + self.guide.bytes() + reached + labels as u64
    }
}

/// Whether a node is the next one on a run that was met.
fn is_next(escort: Option<&Escort>, node: NodeId) -> bool {
    escort.is_some_and(|escort| escort.is_at(node))
}

/// Whether a label counts as a step.
fn label_costs<T: TimePart>(space: &Space<T>, label: &Label) -> bool {
    label.parts.iter().any(|part| space.program.processes[part.process].edges[part.edge].costs)
}
