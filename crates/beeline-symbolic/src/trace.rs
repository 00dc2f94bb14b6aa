//! Runs through states that were chosen one by one.

use crate::bdd::Made;
use crate::system::{State, System};
use beeline_ir::trace::{RelationRun, RelationStep};

/// The run through states, with the least inputs for each step.
pub(crate) fn run(system: &System, states: &[State]) -> Made<RelationRun> {
    let step = |pair: &[State]| -> Made<RelationStep> {
        let inputs = system.least_inputs(&pair[0], &pair[1])?;
        Ok(RelationStep { inputs, state: pair[1].values.clone() })
    };
    let steps = states.windows(2).map(step).collect::<Made<_>>()?;
    Ok(RelationRun { initial: states[0].values.clone(), steps })
}
