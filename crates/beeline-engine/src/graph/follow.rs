//! Following an estimate as if it were exact: from the initial states along labels that lower it by what they cost. If
//! that leads to the target, a lower bound was exact at the start, and a shortest trace is known. If not, the states where
//! it ends show what the estimate does not see.
//!
//! This is how a *wildcard* plan is executed (Rovner, Sievers, Helmert, "Counterexample-guided abstraction refinement for
//! pattern selection in optimal classical planning", ICAPS 2019), all optimal abstract plans at a time: where the estimate
//! is a distance in an abstraction, what is followed are the runs of the network whose images are shortest there.
//!
//! States are kept in *layers*, by the steps that are left. Within a layer a state goes unnoticed that another includes;
//! from one layer to the next it does not, for what is left is another thing there.

use super::{Eyes, Store};
use crate::api::Options;
use crate::heuristic::Heuristic;
use crate::prepare::{Prepared, prepare};
use crate::search::is_target;
use crate::successors::space::{Goal, Space, State};
use crate::time::TimePart;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::schema::EdgeRef;

/// How much is looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Width {
    /// States of a layer; further ones are left out.
    pub layer: usize,
    /// States of the last layer that are shown.
    pub shown: usize,
}

/// Where the estimate leads to.
#[derive(Clone, Debug)]
pub enum Followed {
    /// To the target.
    Target,
    /// To states from which no label leads on.
    DeadEnds(Vec<DeadEnd>),
    /// Nowhere: the target is out of reach, there is no initial state, or the network is not supported.
    Nowhere,
}

/// A symbolic state from which no label leads on.
#[derive(Clone, Debug)]
pub struct DeadEnd {
    /// Its discrete part.
    pub slots: Vec<i64>,
    /// Steps that would be left.
    pub left: u32,
    /// What can be done there.
    pub labels: Vec<Taken>,
}

/// A label that a dead end has.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Its edges, initiator first.
    pub edges: Vec<EdgeRef>,
    /// Where it leads.
    pub slots: Vec<i64>,
    /// Whether that is as near as it should be; then it is another state of the layer.
    pub leads_on: bool,
}

/// Follows the estimates of an admissible heuristic.
pub fn follow(
    network: &Network,
    property: &Property,
    heuristic: &mut dyn Heuristic,
    width: Width,
    limits: &Limits,
) -> Result<Followed, StopReason> {
    let options = Options { dead_variables: false, ..Options::default() };
    match prepare(network, Some(property), &options) {
        Ok(Prepared::Untimed(space)) => follow_in(&*space, network, heuristic, width, limits),
        Ok(Prepared::Timed(space)) => follow_in(&*space, network, heuristic, width, limits),
        Err(_) => Ok(Followed::Nowhere),
    }
}

fn follow_in<T: TimePart>(
    space: &Space<T>,
    network: &Network,
    heuristic: &mut dyn Heuristic,
    width: Width,
    limits: &Limits,
) -> Result<Followed, StopReason> {
    let start = space.program.layout.initial(network);
    let mut eyes = Eyes::new(space, &start);
    let initial = space.initial(&mut eyes.machine, start, &mut false, limits)?;
    let mut estimates = initial.iter().map(|(state, _)| steps(space, heuristic, state)).collect::<Vec<_>>();
    let Some(mut left) = estimates.iter().copied().flatten().min() else { return Ok(Followed::Nowhere) };
    let mut layer = Store::new(space, None, width.layer);
    for ((state, _), estimate) in initial.iter().zip(estimates.drain(..)) {
        if estimate == Some(left) {
            layer.arrive(&space.time, state);
        }
    }
    loop {
        let mut next = Store::new(space, None, width.layer);
        if complete(space, heuristic, &mut eyes, (&mut layer, &mut next), left, (width, limits))? {
            return Ok(Followed::Target);
        }
        if next.graph.is_empty() {
            return Ok(Followed::DeadEnds(dead_ends(
                space,
                heuristic,
                &mut eyes,
                &layer,
                left,
                (width, limits),
            )?));
        }
        layer = next;
        left = left.saturating_sub(1);
    }
}

/// The estimate of a state; `None` if the target is out of reach.
fn steps<T: TimePart>(
    space: &Space<T>,
    heuristic: &mut dyn Heuristic,
    state: &State<T::Zone>,
) -> Option<u32> {
    heuristic.estimate_in(&state.slots, &space.time.view(&state.zone)).steps()
}

/// What is left after a label.
fn after(left: u32, costs: bool) -> Option<u32> {
    left.checked_sub(u32::from(costs))
}

/// Adds to a layer what labels that cost nothing lead to, and to the next one what the others lead to; true if the target
/// is met.
fn complete<'s, T: TimePart>(
    space: &Space<T>,
    heuristic: &mut dyn Heuristic,
    eyes: &mut Eyes<T>,
    (layer, next): (&mut Store<'s>, &mut Store<'s>),
    left: u32,
    (width, limits): (Width, &Limits),
) -> Result<bool, StopReason> {
    let Eyes { machine, scratch, state } = eyes;
    let mut met = false;
    while layer.turn < layer.graph.len() && !met {
        limits.check(layer.turn as u64, layer.graph.bytes() + next.graph.bytes())?;
        if layer.graph.nodes[layer.turn].covered_by.is_none() {
            layer.graph.load(space, layer.turn, state);
            met = is_target(space, machine, state, limits, &mut false)?;
            space.expand(machine, scratch, state, limits, &mut |successor| {
                let costs = successor.label.costs();
                let Some(rest) = after(left, costs) else { return };
                met |= successor.assertion_failed && matches!(space.goal, Goal::Assertion);
                let to = if costs { &mut *next } else { &mut *layer };
                if to.graph.len() < width.layer
                    && steps(space, heuristic, successor.state).is_some_and(|steps| steps <= rest)
                {
                    to.arrive(&space.time, successor.state);
                }
            })?;
        }
        layer.turn += 1;
    }
    Ok(met)
}

/// The states of a layer, with what can be done there.
fn dead_ends<T: TimePart>(
    space: &Space<T>,
    heuristic: &mut dyn Heuristic,
    eyes: &mut Eyes<T>,
    layer: &Store<'_>,
    left: u32,
    (width, limits): (Width, &Limits),
) -> Result<Vec<DeadEnd>, StopReason> {
    let Eyes { machine, scratch, state } = eyes;
    let open = (0..layer.graph.len()).filter(|node| layer.graph.nodes[*node].covered_by.is_none());
    let mut ends = Vec::new();
    for node in open.take(width.shown) {
        layer.graph.load(space, node, state);
        let mut labels = Vec::new();
        space.expand(machine, scratch, state, limits, &mut |successor| {
            let rest = after(left, successor.label.costs());
            let steps = steps(space, heuristic, successor.state);
            let leads_on = steps.zip(rest).is_some_and(|(steps, rest)| steps <= rest);
            let (edges, slots) = (successor.label.edges().collect(), successor.state.slots.clone());
            labels.push(Taken { edges, slots, leads_on });
        })?;
        ends.push(DeadEnd { slots: state.slots.clone(), left, labels });
    }
    Ok(ends)
}
