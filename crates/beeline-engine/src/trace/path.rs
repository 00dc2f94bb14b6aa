//! Rebuilds the run that led to a node: the labels by expanding each ancestor again, the times from what the labels
//! demand.

use super::along::{Along, along};
use super::constraints::Demands;
use crate::goal;
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
    let Along { observer_start, slots, mut labels, failing } =
        along(space, &mut machine, searched, last, failing)?;
    let mut demands = Demands::new(space.program.clocks);
    require_invariant(space, &mut machine, &slots[0], &mut demands);
    require_cells(space, &slots[0], &mut demands);
    for (label, pair) in labels.iter().zip(slots.windows(2)) {
        take(space, &mut machine, &pair[0], label, &mut demands);
        require_cells(space, &pair[1], &mut demands);
    }
    let end = &slots[labels.len()];
    let fails = failing.is_some();
    match failing {
        Some(label) => {
            take(space, &mut machine, end, &label, &mut demands);
            labels.push(label);
        }
        None => arrive(space, &mut machine, end, &mut demands),
    }
    let times = demands.times().ok_or(Defect::NoTimes)?;
    let delay = |i: usize| times[i + 1] - times[i];
    let last_delay = if fails { Time::from(0) } else { delay(labels.len()) };
    let steps = labels.into_iter().enumerate().map(|(i, label)| NetworkStep { delay: delay(i), label });
    Ok(NetworkRun { observer_start, steps: steps.collect(), last_delay })
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
