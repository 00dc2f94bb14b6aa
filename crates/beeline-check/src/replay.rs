//! Replay: does a trace show what it claims? Every step is looked up among what the interpreter can do; nothing is
//! searched for.

use beeline_ir::Model;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::property::{Property, Target};
use beeline_ir::relation::Relation;
use beeline_ir::text;
use beeline_ir::trace::{NetworkRun, RelationRun, Run, Time, Trace};

use crate::concrete::{Firing, Kernel, State};
use crate::relation::RelationKernel;

/// A trace that shows what it claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// Its length: the sum of the costs of its labels.
    pub length: u32,
    /// The states passed, for display.
    pub states: Vec<Passed>,
}

/// A state a trace passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// How many steps came before.
    pub after_steps: usize,
    /// The state; a relation's has no clocks.
    pub state: State,
}

/// A trace that does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The step, counted from 0, at which it goes wrong; `None` if it is not about a step.
    pub step: Option<usize>,
    /// Why.
    pub reason: String,
    /// The limit that was reached before it could go right or wrong.
    pub stopped: Option<StopReason>,
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.step {
            Some(step) => write!(f, "step {}: {}", step + 1, self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for ReplayError {}

fn wrong<R>(step: Option<usize>, reason: impl Into<String>) -> Result<R, ReplayError> {
    Err(ReplayError { step, reason: reason.into(), stopped: None })
}

/// Replays a trace. The states passed are the initial one and, for each step, the one after its delay (if that is not
/// zero) and the one after its label; then the one after the last delay (if that is not zero).
pub fn replay(model: &Model, property: &Property, trace: &Trace) -> Result<Replayed, ReplayError> {
    replay_within(model, property, trace, &Limits::default())
}

/// Replays a trace within limits of time and patience (a run of a network: a relation's is replayed to its end).
pub fn replay_within(
    model: &Model,
    property: &Property,
    trace: &Trace,
    limits: &Limits,
) -> Result<Replayed, ReplayError> {
    if trace.model != model.hash() {
        return wrong(None, "the trace belongs to another model");
    }
    if trace.property != text::print_property(model, property) {
        return wrong(None, "the trace is about another property");
    }
    match (model, &trace.run) {
        (Model::Network(network), Run::Network(run)) => {
            let kernel = Kernel::new(network, property.observer()).within(limits);
            let replayed = replay_network(&kernel, property, run);
            let Some(reason) = kernel.stopped() else { return replayed };
            Err(ReplayError { step: None, reason: reason.message().to_string(), stopped: Some(reason) })
        }
        (Model::Relation(relation), Run::Relation(run)) => replay_relation(relation, property, run),
        _ => wrong(None, "the run is not of the model's kind"),
    }
}

const GOES_ON: &str = "the run goes on after the label that fails";

/// A replay so far.
struct Walk<'k, 'm> {
    kernel: &'k Kernel<'m>,
    state: State,
    target: Target,
    replayed: Replayed,
    /// The target is a failing label, and it has been met.
    failed: bool,
}

fn replay_network(
    kernel: &Kernel<'_>,
    property: &Property,
    run: &NetworkRun,
) -> Result<Replayed, ReplayError> {
    let start = kernel.initial().into_iter().find(|(_, edge)| *edge == run.observer_start);
    let Some((state, _)) = start else { return wrong(None, "there is no such initial state") };
    let states = vec![Passed { after_steps: 0, state: state.clone() }];
    let replayed = Replayed { length: 0, states };
    let mut walk = Walk { kernel, state, target: property.target(), replayed, failed: false };
    for (i, step) in run.steps.iter().enumerate() {
        let taken = walk.wait(&step.delay, i).and_then(|()| walk.take(&step.label, i));
        taken.or_else(|reason| wrong(Some(i), reason))?;
    }
    walk.wait(&run.last_delay, run.steps.len()).or_else(|reason| wrong(None, reason))?;
    let ends = walk.failed || walk.kernel.holds(property, &walk.state);
    if ends { Ok(walk.replayed) } else { wrong(None, "the run does not end at the target") }
}

impl Walk<'_, '_> {
    fn pass(&mut self, after_steps: usize, state: State) {
        self.state = state.clone();
        self.replayed.states.push(Passed { after_steps, state });
    }
    /// Delays, if that is allowed.
    fn wait(&mut self, delay: &Time, after_steps: usize) -> Result<(), String> {
        // Whoever wrote the fraction may not have reduced it, nor known that nothing divides by zero.
        if *delay.denom() <= 0 || *delay.numer() < 0 {
            return Err("the delay is no amount of time".into());
        }
        if *delay.numer() == 0 {
            return Ok(());
        }
        if self.failed {
            return Err(GOES_ON.into());
        }
        let delay = delay.reduced();
        if !self.kernel.may_delay(&self.state, delay) {
            return Err(format!("a delay of {delay} is not allowed"));
        }
        self.pass(after_steps, self.kernel.delayed(&self.state, delay));
        Ok(())
    }
    /// Takes a label, if there is such a one.
    fn take(&mut self, label: &Label, after_steps: usize) -> Result<(), String> {
        if self.failed {
            return Err(GOES_ON.into());
        }
        let mut possible = self.kernel.labels(&self.state).into_iter();
        let Some((_, firing)) = possible.find(|(possible, _)| possible == label) else {
            return Err("no such label may fire here".into());
        };
        // Only a label that the kernel itself has found is asked for its cost.
        let length = self.replayed.length.checked_add(self.kernel.cost(label));
        self.replayed.length = length.ok_or("the run is too long to count")?;
        match firing {
            Firing::Successor { state, assertion_failed } => {
                self.failed = assertion_failed && self.target == Target::AssertionFailure;
                self.pass(after_steps + 1, state);
            }
            Firing::Fails(_) if self.target == Target::RuntimeError => self.failed = true,
            Firing::Fails(error) => return Err(format!("the label fails: {}", error.message())),
            Firing::NoSuccessor => return Err("an invariant, or the observer, forbids the label".into()),
        }
        Ok(())
    }
}

fn replay_relation(
    relation: &Relation,
    property: &Property,
    run: &RelationRun,
) -> Result<Replayed, ReplayError> {
    let kernel = RelationKernel::new(relation);
    if !kernel.is_initial(&run.initial) {
        return wrong(None, "the run does not start in an initial state");
    }
    let passed = |after_steps: usize, slots: &[i64]| {
        let state = State { slots: slots.to_vec(), clocks: Vec::new() };
        Passed { after_steps, state }
    };
    let mut replayed = Replayed { length: 0, states: vec![passed(0, &run.initial)] };
    let mut state = &run.initial;
    for (i, step) in run.steps.iter().enumerate() {
        if !kernel.is_step(state, &step.inputs, &step.state) {
            return wrong(Some(i), "there is no such step");
        }
        state = &step.state;
        replayed.states.push(passed(i + 1, state));
    }
    replayed.length = u32::try_from(run.steps.len()).unwrap_or(u32::MAX);
    let ends = kernel.holds(property, state);
    if ends { Ok(replayed) } else { wrong(None, "the run does not end at the target") }
}
