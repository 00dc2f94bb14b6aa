//! Traces in the forms UPPAAL's users know: as `verifyta` prints them ([`verifyta_trace`]) and as the simulator
//! loads them ([`xtr_trace`]).

mod verifyta;
mod xtr;

use beeline_ir::layout::Label;
use beeline_ir::trace::Time;

pub use verifyta::verifyta_trace;
pub use xtr::{XtrState, ZoneBound, xtr_trace};

/// A concrete state of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceState {
    /// The discrete state, as `beeline_ir::layout::Layout` lays it out.
    pub slots: Vec<i64>,
    /// The values of the clocks, in order of declaration.
    pub clocks: Vec<Time>,
}

/// Wait, then do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// How long to wait first.
    pub delay: Time,
    /// What happens then.
    pub label: Label,
    /// The state it leads to; none if the label fails (then the run ends with it).
    pub after: Option<TraceState>,
}

/// A concrete run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceRun {
    /// The initial state.
    pub start: TraceState,
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// Delay after the last step.
    pub last_delay: Time,
}
