//! The network as it runs: concrete states with rational clock values.

use std::cell::Cell;

use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::{Label, Layout};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::trace::Time;
use beeline_ir::{EdgeId, ProcessId};
use num_traits::{CheckedAdd, Signed, Zero};

use crate::cells::{Cells, Eval, Stop, Tri};
use crate::clock::{ClockSet, Constraint, Cut, Term};
use crate::context::Context;
use crate::fire::{Fired, Successor, UnknownInvariant, cost, fire, invariants, observer_steps};
use crate::fork::{Halt, Meter, OnUnknown};
use crate::labels::{Candidate, Found, find};
use crate::line::Line;
use crate::rules::{Rivals, Sense, may_fire, may_wait, rivals};
use crate::value::{Answers, is_target};

/// A state of a network.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The discrete part, by slot of the layout.
    pub slots: Vec<i64>,
    /// The value of every clock.
    pub clocks: Vec<Time>,
}

/// What firing a label leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Firing {
    /// A state.
    Successor {
        /// The state.
        state: State,
        /// Whether an assertion was false on the way.
        assertion_failed: bool,
    },
    /// Nothing, because an invariant would not hold or an active observer could not step.
    NoSuccessor,
    /// A run-time error.
    Fails(RuntimeError),
}

/// What an observer makes of a state, and by which edge.
type Observed = Vec<(Option<EdgeId>, Cells)>;

/// A network seen through a property's eyes: with the observer, if any, that steps after every label. The network
/// must be well-formed.
#[derive(Debug)]
pub struct Kernel<'m> {
    pub(crate) cx: Context<'m>,
    pub(crate) observer: Option<ProcessId>,
    limits: Limits,
    stopped: Cell<Option<StopReason>>,
}

impl<'m> Kernel<'m> {
    /// The network with this observer active, and no other.
    pub fn new(network: &'m Network, observer: Option<ProcessId>) -> Self {
        let (cx, limits) = (Context::of_network(network), Limits::default());
        Self { cx, observer, limits, stopped: Cell::new(None) }
    }
    /// The same, giving up at these limits.
    #[must_use]
    pub fn within(self, limits: &Limits) -> Self {
        Self { limits: limits.clone(), ..self }
    }
    /// Why it has given up, if it has: then no answer since is to be trusted.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped.get()
    }
    fn meter(&self) -> Meter {
        Meter { limits: self.limits.clone(), ..Meter::default() }
    }
    /// What was found out, unless it was given up. (Where nothing is unknown nothing but a limit stops the kernel.)
    fn unless_stopped<R>(&self, result: Result<R, Halt>) -> Option<R> {
        if let Err(Halt::Stopped(reason)) = result {
            self.stopped.set(Some(reason));
        }
        result.ok()
    }
    /// How its discrete states are written down.
    pub fn layout(&self) -> &Layout {
        &self.cx.layout
    }
    /// Whether the label counts as a step: 1 if one of its parts does, else 0.
    pub fn cost(&self, label: &Label) -> u32 {
        cost(&self.cx, label.parts.iter())
    }
    /// The initial state, once for each first step of the observer; none if an invariant does not hold.
    pub fn initial(&self) -> Vec<(State, Option<EdgeId>)> {
        let clocks = vec![Time::zero(); self.cx.network.clocks.len()];
        let slots = self.cx.layout.initial(&self.cx.network);
        let cells = Cells::known(&slots);
        let here = Line::at(&clocks, &Time::zero());
        match invariants(&self.cx, &cells, UnknownInvariant::Stop) {
            Ok(Some(all)) if Cut::all(here).meet(&all.constraints).is_some() => {}
            _ => return Vec::new(),
        }
        let starts = self.observer_choices(&cells);
        let state = |cells: Cells| cells.values().map(|slots| State { slots, clocks: clocks.clone() });
        starts.into_iter().filter_map(|(edge, cells)| Some((state(cells)?, edge))).collect()
    }
    /// The states an active observer makes of a state, and whether it fails there; the state itself without one.
    pub(crate) fn observed(&self, cells: &Cells, fails: &mut bool, meter: &mut Meter) -> Eval<Observed> {
        let Some(observer) = self.observer else { return Ok(vec![(None, cells.clone())]) };
        let steps = observer_steps((&self.cx, observer), cells, fails, meter)?;
        Ok(steps.into_iter().map(|(edge, cells)| (Some(edge), cells)).collect())
    }
    fn observer_choices(&self, cells: &Cells) -> Observed {
        let halted = |stop| if let Stop::Halt(halt) = stop { halt } else { Halt::IllFormed };
        let steps = self.observed(cells, &mut false, &mut self.meter()).map_err(halted);
        self.unless_stopped(steps).unwrap_or_default()
    }
    /// Every label that may fire at these clock values, and every label that fails here, in a fixed order.
    pub fn labels(&self, state: &State) -> Vec<(Label, Firing)> {
        let mut labels = Vec::new();
        let found = self.found(state, Line::at(&state.clocks, &Time::zero()));
        let rivals = rivals(&self.cx, &found.labels);
        for candidate in &found.labels {
            if !self.may_fire(candidate, &rivals).is_empty() {
                self.fire(state, candidate, &mut labels);
            }
        }
        let failing = |(part, error)| (Label { parts: vec![part], observer: None }, Firing::Fails(error));
        labels.extend(found.failing.into_iter().map(failing));
        labels
    }
    fn found<'s>(&self, state: &State, moments: Line<'s>) -> Found<Line<'s>> {
        let cells = Cells::known(&state.slots);
        let found = find(&self.cx, &cells, &moments, OnUnknown::Split, &mut self.meter());
        self.unless_stopped(found).unwrap_or(Found { labels: Vec::new(), failing: Vec::new() })
    }
    fn may_fire<'s>(
        &self,
        candidate: &Candidate<Line<'s>>,
        rivals: &Rivals<'_, Line<'s>>,
    ) -> Vec<Cut<Line<'s>>> {
        let pieces = may_fire(&self.cx, Sense::May, candidate, rivals, &mut self.meter());
        self.unless_stopped(pieces).unwrap_or_default()
    }
    fn fire(&self, state: &State, candidate: &Candidate<Line<'_>>, labels: &mut Vec<(Label, Firing)>) {
        let parts: Vec<_> = candidate.offers.iter().map(|offer| offer.part.clone()).collect();
        let label = |observer| Label { parts: parts.clone(), observer };
        let successor = match fire(&self.cx, &candidate.cells, &candidate.offers, UnknownInvariant::Stop) {
            Ok(Fired::Successor(successor)) => successor,
            Ok(Fired::Fails(error)) => return labels.push((label(None), Firing::Fails(error))),
            Ok(Fired::NoSuccessor) => return labels.push((label(None), Firing::NoSuccessor)),
            Err(_) => return,
        };
        let lasting = candidate.cut.meet(&successor.invariants.constraints);
        let steps = lasting.map(|_| self.observer_choices(&successor.cells)).unwrap_or_default();
        if steps.is_empty() {
            labels.push((label(None), Firing::NoSuccessor));
        }
        for (edge, cells) in steps {
            if let Some(slots) = cells.values() {
                let state = State { slots, clocks: clocks_after(state, &successor) };
                let assertion_failed = successor.assertion_failed;
                labels.push((label(edge), Firing::Successor { state, assertion_failed }));
            }
        }
    }
    /// Whether a delay of this length is allowed. An invariant at a fixed discrete state is an intersection of
    /// bounds, so it holds throughout if it holds at both ends; and it does hold now.
    pub fn may_delay(&self, state: &State, delay: Time) -> bool {
        if delay.is_zero() {
            return true;
        }
        if !delay.is_positive() || state.clocks.iter().any(|clock| clock.checked_add(&delay).is_none()) {
            return false;
        }
        let cells = Cells::known(&state.slots);
        self.may_wait(&cells) && self.within_invariants(&cells, Line::at(&state.clocks, &delay)).is_some()
    }
    fn may_wait(&self, cells: &Cells) -> bool {
        self.unless_stopped(may_wait(&self.cx, cells, &mut self.meter())) == Some(Tri::Yes)
    }
    fn within_invariants<'s>(&self, cells: &Cells, moments: Line<'s>) -> Option<Line<'s>> {
        let all = invariants(&self.cx, cells, UnknownInvariant::Stop).ok().flatten()?;
        Cut::all(moments).meet(&all.constraints).map(|cut| cut.set)
    }
    /// The state after a delay that is allowed. (A clock beyond all numbers, which `may_delay` does not allow,
    /// stays.)
    pub fn delayed(&self, state: &State, delay: Time) -> State {
        let clocks = state.clocks.iter().map(|c| c.checked_add(&delay).unwrap_or(*c)).collect();
        State { slots: state.slots.clone(), clocks }
    }
    /// Whether the state is the property's target. Always false where the target is a failing label.
    pub fn holds(&self, property: &Property, state: &State) -> bool {
        let now = Line::at(&state.clocks, &Time::zero());
        let clock = |constraint: &Constraint| Ok(now.meet(constraint).is_some());
        let deadlock = || Ok(self.is_deadlock(state));
        let answers = Answers { clock: &clock, deadlock: &deadlock };
        is_target(&self.cx, property, &Cells::known(&state.slots), answers) == Ok(true)
    }
    /// Whether no label leads to a successor, now or after any delay.
    pub fn is_deadlock(&self, state: &State) -> bool {
        let cells = Cells::known(&state.slots);
        let now = Line::at(&state.clocks, &Time::zero());
        let onwards = || self.within_invariants(&cells, Line::onwards(&state.clocks));
        let moments = self.may_wait(&cells).then(onwards).flatten().unwrap_or(now);
        let found = self.found(state, moments);
        let rivals = rivals(&self.cx, &found.labels);
        !found.labels.iter().any(|candidate| {
            let moments = self.may_fire(candidate, &rivals);
            match fire(&self.cx, &candidate.cells, &candidate.offers, UnknownInvariant::Stop) {
                Ok(Fired::Successor(successor)) => {
                    moments.iter().any(|m| m.meet(&successor.invariants.constraints).is_some())
                        && !self.observer_choices(&successor.cells).is_empty()
                }
                _ => false,
            }
        })
    }
}

fn clocks_after(state: &State, successor: &Successor) -> Vec<Time> {
    let value = |term: &Term| match term {
        Term::Source(clock) => state.clocks[clock.index()],
        Term::Const(value) => Time::from_integer(*value),
    };
    successor.terms.iter().map(value).collect()
}
