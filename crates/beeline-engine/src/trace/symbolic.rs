//! The zones along a run: all ways to do the same labels at other times. For reports that show symbolic traces.

use crate::api::Options;
use crate::prepare::{Prepared, prepare};
use crate::successors::space::Space;
use crate::time::TimePart;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::layout::Label;
use beeline_ir::network::Network;
use beeline_ir::trace::NetworkRun;
use beeline_program::{Effects, Evaluated, FirePart, Machine};

/// A discrete state and the constraints of its zone.
pub type SymbolicState = (Vec<i64>, Vec<ZoneConstraint>);

/// The states along a run, the initial one first, each with the clock values that the labels before it allow,
/// delays included. What other labels forbid (priorities, receivers that would join) is left out of account. A
/// label that fails ends the list. `None` if this is no run of the network.
pub fn symbolic_run(network: &Network, run: &NetworkRun) -> Option<Vec<SymbolicState>> {
    match prepare(network, None, &Options::default()).ok()? {
        Prepared::Untimed(space) => along(&space, network, run),
        Prepared::Timed(space) => along(&space, network, run),
    }
}

fn along<T: TimePart>(space: &Space<T>, network: &Network, run: &NetworkRun) -> Option<Vec<SymbolicState>> {
    let mut machine = Machine::new(&space.program);
    let mut slots = space.program.layout.initial(network);
    let mut zone = space.time.zero(&slots);
    let exact = space.time.exact_along(run.steps.len());
    if !arrive(space, &mut machine, &slots, &mut zone, exact) {
        return None;
    }
    let mut states = vec![(slots.clone(), constraints(space, &zone))];
    for step in &run.steps {
        let Some(next) = take(space, &mut machine, &slots, &step.label, &mut zone, exact) else { break };
        slots = next;
        states.push((slots.clone(), constraints(space, &zone)));
    }
    Some(states)
}

fn constraints<T: TimePart>(space: &Space<T>, zone: &T::Zone) -> Vec<ZoneConstraint> {
    space.time.constraints(zone)
}

/// The invariant holds, and time may pass within it.
fn arrive<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    slots: &[i64],
    zone: &mut T::Zone,
    exact: bool,
) -> bool {
    let Ok(Some(invariant)) = space.invariant(machine, slots) else { return false };
    if !space.time.constrain(zone, &invariant) {
        return false;
    }
    // Whether time may pass does not depend on differences of clocks, so any cells will do.
    let cells: Vec<i64> = slots.iter().copied().chain(space.differences.initial()).collect();
    if space.may_delay(machine, &cells) {
        space.time.up(zone);
        if !space.time.constrain(zone, &invariant) {
            return false;
        }
    }
    // As in a search: it keeps the bounds small, however long the run.
    if !exact {
        space.time.normalise(zone);
    }
    true
}

/// Does a label; the new discrete state, or `None` if there is none.
fn take<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    slots: &[i64],
    label: &Label,
    zone: &mut T::Zone,
    exact: bool,
) -> Option<Vec<i64>> {
    let mut evaluated = Vec::new();
    for part in &label.parts {
        let mut own = Evaluated::default();
        let (process, edge) = (part.process, part.edge);
        if machine.evaluate_edge(&space.program, process, edge, &part.selects, slots, &mut own) != Ok(true)
            || !space.time.constrain(zone, &own.atoms)
        {
            return None;
        }
        evaluated.push(own);
    }
    let message = evaluated.first().map(|sender| sender.message.clone()).unwrap_or_default();
    let mut parts = Vec::new();
    for (part, evaluated) in label.parts.iter().zip(&evaluated) {
        let (process, edge, selects) = (part.process, part.edge, part.selects.as_slice());
        let message = (!parts.is_empty()).then_some(message.as_slice());
        parts.push(FirePart { process, edge, selects, evaluated, message });
    }
    let mut next = slots.to_vec();
    let mut effects = Effects::default();
    machine.fire(&space.program, &parts, &mut next, &mut effects).ok()?;
    if let (Some(observer), Some(edge)) = (space.observer, label.observer) {
        let target = space.program.processes[observer].edges[edge].target;
        next[space.program.layout.location[observer]] = target.index() as i64;
    }
    let entered = space.time.enter(zone, &effects.clock_ops, &next);
    (entered && arrive(space, machine, &next, zone, exact)).then_some(next)
}
