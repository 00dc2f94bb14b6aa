//! Traces: one concrete run, complete enough to be replayed without any search. Rational delays are exact.

use crate::layout::Label;
use crate::model::ModelHash;
use crate::network::Network;

/// An exact amount of time.
pub type Time = num_rational::Ratio<i64>;

/// Version of the trace data; a reader refuses others.
pub const TRACE_VERSION: u32 = 1;

/// A run that leads to a property's target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Hash of the model it belongs to.
    pub model: ModelHash,
    /// The property, in the IR's text form.
    pub property: String,
    /// The run.
    pub run: Run,
}

/// The run of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// Of a network.
    Network(NetworkRun),
    /// Of a relation.
    Relation(RelationRun),
}

/// From the initial state: delay, label, delay, label, ..., and a last delay. If the target is a failing label, it is
/// the last step's, and the run ends with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkRun {
    /// The edge an active observer takes in the initial state.
    pub observer_start: Option<crate::EdgeId>,
    /// The steps.
    pub steps: Vec<NetworkStep>,
    /// Delay after the last step, until the target holds.
    pub last_delay: Time,
}

impl NetworkRun {
    /// How many steps of the run count.
    pub fn length(&self, network: &Network) -> u32 {
        let costs = |step: &&NetworkStep| {
            step.label.parts.iter().any(|part| network.processes[part.process].edges[part.edge].costs)
        };
        self.steps.iter().filter(costs).count() as u32
    }
}

/// Wait, then do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkStep {
    /// How long to wait first.
    pub delay: Time,
    /// What happens then.
    pub label: Label,
}

/// From an initial state: inputs and next state, again and again. States list the values of state and frozen
/// variables by slot, inputs those of the input variables in order of declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationRun {
    /// The initial state.
    pub initial: Vec<i64>,
    /// The steps.
    pub steps: Vec<RelationStep>,
}

/// One step of a relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationStep {
    /// Inputs chosen.
    pub inputs: Vec<i64>,
    /// The state they lead to.
    pub state: Vec<i64>,
}
