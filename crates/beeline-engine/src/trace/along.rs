//! The labels and states of a run, found by expanding each of its states again, from the first one on: what is stored of
//! a state need not be more than what tells it from others.

use super::path::Defect;
use crate::passed::{NodeId, Passed};
use crate::search::Searched;
use crate::successors::space::{Goal, Space, State};
use crate::symmetry::Exchanged;
use crate::time::TimePart;
use beeline_ir::EdgeId;
use beeline_ir::layout::Label;
use beeline_ir::limits::Limits;
use beeline_program::Machine;

/// A run without its times.
#[derive(Clone, Debug)]
pub struct Along {
    /// The observer's first edge.
    pub observer_start: Option<EdgeId>,
    /// The discrete part of each state, the first one included.
    pub slots: Vec<Vec<i64>>,
    /// The labels between them.
    pub labels: Vec<Label>,
    /// The label at the end that is the target, if it is one.
    pub failing: Option<Label>,
}

/// The run to what a search has found.
pub fn along<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    searched: &Searched,
    last: NodeId,
    failing: Option<&Label>,
) -> Result<Along, Defect> {
    let passed = &searched.passed;
    let nodes = ancestors(passed, last);
    let root = searched.notes.roots.iter().find(|(node, _)| *node == nodes[0]).ok_or(Defect::LostChild)?;
    let mut state = passed.state(space, nodes[0]);
    // What has been exchanged on the way, in order: undone, it leads from what was visited to what happens.
    let mut done: Vec<Exchanged> = Vec::new();
    let mut run = Along {
        observer_start: root.1,
        slots: vec![state.slots.clone()],
        labels: Vec::new(),
        failing: failing.cloned(),
    };
    let undo_label = |done: &[Exchanged], label: &mut Label| {
        space.symmetry.iter().for_each(|symmetry| symmetry.undo_label(done, label));
    };
    for pair in nodes.windows(2) {
        let (mut label, next, exchanged) = step(space, machine, passed, &state, (pair[0], pair[1]))?;
        undo_label(&done, &mut label);
        done.extend(exchanged);
        state = next;
        let mut slots = state.slots.clone();
        if let Some(symmetry) = &space.symmetry {
            symmetry.undo_slots(&done, &mut slots);
            space.forget(&mut slots);
        }
        run.slots.push(slots);
        run.labels.push(label);
    }
    run.failing.iter_mut().for_each(|label| undo_label(&done, label));
    if passed.is_hashed() && !is_target(space, machine, &state, failing) {
        return Err(Defect::LostChild);
    }
    Ok(run)
}

fn ancestors(passed: &Passed, last: NodeId) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = std::iter::successors(Some(last), |node| passed.parent(*node)).collect();
    nodes.reverse();
    nodes
}

/// A label, the state it leads to, and what was exchanged there.
type Step<Z> = (Label, State<Z>, Vec<Exchanged>);

/// The label by which a node was reached from its parent, and the state there.
fn step<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    passed: &Passed,
    state: &State<T::Zone>,
    (parent, child): (NodeId, NodeId),
) -> Result<Step<T::Zone>, Defect> {
    // Where hashes are kept, a node may have been reached in fewer steps since the next one was reached from it.
    let cost = (!passed.is_hashed()).then(|| passed.g(child) - passed.g(parent));
    let mut found = None;
    // Where a failing assertion ends the run, no node was reached through one.
    let ends = |failed: bool| failed && matches!(space.goal, Goal::Assertion);
    let mut scratch = space.scratch(&state.slots);
    // The search has expanded it within its limits.
    let _ = space.expand_itself(machine, &mut scratch, state, &Limits::default(), &mut |s| {
        let costs = cost.is_none_or(|cost| u32::from(s.label.costs()) == cost);
        let same = !ends(s.assertion_failed) && costs;
        if found.is_some() || !same {
            return;
        }
        let Some(symmetry) = &space.symmetry else {
            if passed.is(&space.time, child, s.state) {
                found = Some((s.label.label(), s.state.clone(), Vec::new()));
            }
            return;
        };
        let mut next = s.state.clone();
        let represented = !symmetry.is_representative(&space.time, s.state);
        let exchanged = if represented { symmetry.represent(space, &mut next) } else { Vec::new() };
        if passed.is(&space.time, child, &next) {
            found = Some((s.label.label(), next, exchanged));
        }
    });
    found.ok_or(Defect::LostChild)
}

/// Whether a state is the target, or the label is that leaves it.
fn is_target<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    state: &State<T::Zone>,
    failing: Option<&Label>,
) -> bool {
    let limits = Limits::default();
    let Some(failing) = failing else {
        return space.goal.is_met(space, machine, state, &limits, &mut false).unwrap_or(false);
    };
    let (mut found, mut scratch) = (false, space.scratch(&state.slots));
    let left = space.expand(machine, &mut scratch, state, &limits, &mut |s| {
        found |= s.assertion_failed && s.label.label() == *failing;
    });
    found && matches!(space.goal, Goal::Assertion)
        || left.is_ok_and(|left| left.failing.iter().any(|label| label.label == *failing))
}
