//! Rebuilds the run that led to a node: the labels by expanding each ancestor again, the times from what the labels
//! demand.

use super::constraints::Demands;
use crate::goal;
use crate::passed::{NodeId, Passed};
use crate::search::{Hit, Searched};
use crate::successors::space::{Goal, Space};
use crate::time::TimePart;
use beeline_ir::layout::Label;
use beeline_ir::limits::Limits;
use beeline_ir::trace::{NetworkRun, NetworkStep, Time};
use beeline_program::{ConcreteAtom, Machine};

/// Why no run could be rebuilt; each is a defect of the engine, not of the model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Defect {
    /// A stored node is not a successor of its parent.
    LostChild,
    /// The path has no solution in real time.
    NoTimes,
}

/// The run of a search that found the target.
pub fn run<T: TimePart>(space: &Space<T>, searched: &Searched, hit: &Hit) -> Result<NetworkRun, Defect> {
    let mut machine = Machine::new(&space.program);
    let (last, failing) = match hit {
        Hit::Node(node) => (*node, None),
        Hit::Label(node, label) => (*node, Some(label)),
        Hit::Run(run) => return Ok((**run).clone()),
    };
    let nodes = ancestors(&searched.passed, last);
    let root = searched.notes.roots.iter().find(|(node, _)| *node == nodes[0]).ok_or(Defect::LostChild)?;
    let mut demands = Demands::new(space.program.clocks);
    let mut labels = Vec::new();
    let start = slots(space, searched, nodes[0]);
    require_invariant(space, &mut machine, &start, &mut demands);
    require_cells(space, &start, &mut demands);
    for pair in nodes.windows(2) {
        let label = label_between(space, &mut machine, &searched.passed, pair[0], pair[1])?;
        let (before, after) = (slots(space, searched, pair[0]), slots(space, searched, pair[1]));
        take(space, &mut machine, &before, &label, &mut demands);
        require_cells(space, &after, &mut demands);
        labels.push(label);
    }
    let end = slots(space, searched, last);
    match failing {
        Some(label) => {
            take(space, &mut machine, &end, label, &mut demands);
            labels.push(label.clone());
        }
        None => arrive(space, &mut machine, &end, &mut demands),
    }
    let times = demands.times().ok_or(Defect::NoTimes)?;
    let delay = |i: usize| times[i + 1] - times[i];
    let last_delay = if failing.is_some() { Time::from(0) } else { delay(labels.len()) };
    let steps = labels.into_iter().enumerate().map(|(i, label)| NetworkStep { delay: delay(i), label });
    Ok(NetworkRun { observer_start: root.1, steps: steps.collect(), last_delay })
}

fn ancestors(passed: &Passed, last: NodeId) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = std::iter::successors(Some(last), |node| passed.parent(*node)).collect();
    nodes.reverse();
    nodes
}

fn slots<T: TimePart>(space: &Space<T>, searched: &Searched, node: NodeId) -> Vec<i64> {
    searched.passed.state(space, node).slots
}

/// The label by which a node was reached from its parent.
fn label_between<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    passed: &Passed,
    parent: NodeId,
    child: NodeId,
) -> Result<Label, Defect> {
    // The search has expanded it within its limits.
    let state = passed.state(space, parent);
    let cost = passed.g(child) - passed.g(parent);
    let mut label = None;
    // Where a failing assertion ends the run, no node was reached through one.
    let ends = |failed: bool| failed && matches!(space.goal, Goal::Assertion);
    let mut scratch = space.scratch(&state.slots);
    let _ = space.expand(machine, &mut scratch, &state, &Limits::default(), &mut |s| {
        let same = !ends(s.assertion_failed) && u32::from(s.label.costs()) == cost;
        if label.is_none() && same && passed.is(&space.time, child, s.state) {
            label = Some(s.label.label());
        }
    });
    label.ok_or(Defect::LostChild)
}

/// The invariant holds.
fn require_invariant<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    slots: &[i64],
    demands: &mut Demands,
) {
    if let Ok(Some(invariant)) = space.invariant(machine, slots) {
        demands.require(&invariant);
    }
}

/// Differences of clocks are where the state says.
fn require_cells<T: TimePart>(space: &Space<T>, slots: &[i64], demands: &mut Demands) {
    let cells: Vec<ConcreteAtom> = space.differences.constraints(slots).collect();
    demands.require(&cells);
}

/// Time passes within the invariant.
fn wait<T: TimePart>(space: &Space<T>, machine: &mut Machine, slots: &[i64], demands: &mut Demands) {
    demands.advance(space.may_delay(machine, slots));
    require_invariant(space, machine, slots, demands);
}

/// The label happens: its guards hold, no other label is in its way, its clocks are set, the new invariant holds.
fn take<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    slots: &[i64],
    label: &Label,
    demands: &mut Demands,
) {
    wait(space, machine, slots, demands);
    let Ok(enabled) = space.enabled(machine, slots, &Limits::default()) else { return };
    let same = |parts: &[usize]| {
        parts.len() == label.parts.len()
            && std::iter::zip(parts, &label.parts).all(|(i, part)| enabled.instances[*i].part() == *part)
    };
    // A label that fails by its evaluation alone is no candidate and demands nothing of the clocks.
    let Some(candidate) = enabled.allowed.iter().find(|c| same(&c.parts)) else { return };
    demands.require(&candidate.required);
    for conjunction in &candidate.excluded {
        demands.exclude(conjunction);
    }
    for other in enabled.allowed.iter().filter(|other| other.priority > candidate.priority) {
        demands.disable(other);
    }
    if let Ok((after, effects)) = space.fire(machine, candidate, &enabled.instances, slots) {
        demands.apply(&effects.clock_ops);
        require_invariant(space, machine, &after, demands);
    }
}

/// Time passes until the target holds.
fn arrive<T: TimePart>(space: &Space<T>, machine: &mut Machine, slots: &[i64], demands: &mut Demands) {
    wait(space, machine, slots, demands);
    let Goal::State(predicate, _) = &space.goal else { return };
    let anywhere = space.time.universal(slots);
    let pieces = goal::meet(space, machine, predicate, slots, &anywhere, &Limits::default()).zones;
    let atoms = |zone: &T::Zone| space.time.atoms(zone);
    let alternatives: Vec<Vec<ConcreteAtom>> = pieces.iter().map(atoms).collect();
    demands.require_one(&alternatives);
}
