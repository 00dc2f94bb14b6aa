//! Ways through states that were chosen one by one, and the runs that they are.

use crate::bdd::Made;
use crate::system::{State, System};
use beeline_ir::trace::{RelationRun, RelationStep};

/// A way through the states of a system.
pub(crate) struct Path {
    pub states: Vec<State>,
    /// Whether each of its steps counts.
    pub costs: Vec<bool>,
}

impl Path {
    pub fn length(&self) -> u32 {
        self.costs.iter().filter(|costs| **costs).count() as u32
    }
    /// The run of a relation, with the least inputs for each step.
    pub fn run(&self, system: &System) -> Made<RelationRun> {
        let step = |pair: &[State]| -> Made<RelationStep> {
            let inputs = system.least_inputs(&pair[0], &pair[1])?;
            Ok(RelationStep { inputs, state: pair[1].values.clone() })
        };
        let steps = self.states.windows(2).map(step).collect::<Made<_>>()?;
        Ok(RelationRun { initial: self.states[0].values.clone(), steps })
    }
}
