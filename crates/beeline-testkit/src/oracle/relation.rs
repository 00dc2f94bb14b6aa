//! The oracle for relations: breadth-first over all initial states and successors that the kernel gives, one by one.
//! Every step costs 1, so the layer of a state is its distance.

use super::Skipped;
use beeline_check::RelationKernel;
use beeline_ir::property::Property;
use beeline_ir::relation::Relation;
use beeline_ir::trace::{RelationRun, RelationStep};
use rustc_hash::FxHashMap;

/// All reachable states of a relation.
#[derive(Debug)]
pub struct Reachable<'m> {
    kernel: RelationKernel<'m>,
    /// In the order in which they were found: nearest first.
    pub states: Vec<Vec<i64>>,
    /// Steps from an initial state, by state.
    pub distance: Vec<u32>,
    /// The state before on a shortest way, and the inputs of the step.
    parent: Vec<Option<(usize, Vec<i64>)>>,
    /// Which states have no successor.
    pub deadlocks: Vec<usize>,
}

/// Visits everything, if there are no more states than that.
pub fn reachable(relation: &Relation, budget: usize) -> Result<Reachable<'_>, Skipped> {
    let kernel = RelationKernel::new(relation);
    let states = kernel.initial().ok_or(Skipped::TooLarge)?;
    let mut index: FxHashMap<Vec<i64>, usize> = states.iter().cloned().zip(0..).collect();
    let (distance, parent) = (vec![0; states.len()], vec![None; states.len()]);
    let mut all = Reachable { kernel, states, distance, parent, deadlocks: Vec::new() };
    let mut at = 0;
    while at < all.states.len() {
        if all.states.len() > budget {
            return Err(Skipped::TooLarge);
        }
        let steps = all.kernel.successors(&all.states[at]).ok_or(Skipped::TooLarge)?;
        if steps.is_empty() {
            all.deadlocks.push(at);
        }
        for step in steps {
            let next = all.states.len();
            if *index.entry(step.state.clone()).or_insert(next) == next {
                all.states.push(step.state);
                all.distance.push(all.distance[at] + 1);
                all.parent.push(Some((at, step.inputs)));
            }
        }
        at += 1;
    }
    Ok(all)
}

impl Reachable<'_> {
    /// The nearest target of a property that is a state.
    fn target(&self, property: &Property) -> Option<usize> {
        (0..self.states.len()).find(|at| self.kernel.holds(property, &self.states[*at]))
    }
    /// Steps to the nearest target; `None` if it is out of reach.
    pub fn length(&self, property: &Property) -> Option<u32> {
        self.target(property).map(|at| self.distance[at])
    }
    /// A shortest run to the target.
    pub fn run(&self, property: &Property) -> Option<RelationRun> {
        let mut at = self.target(property)?;
        let mut steps = Vec::new();
        while let Some((before, inputs)) = &self.parent[at] {
            steps.push(RelationStep { inputs: inputs.clone(), state: self.states[at].clone() });
            at = *before;
        }
        steps.reverse();
        Some(RelationRun { initial: self.states[at].clone(), steps })
    }
}
