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
use crate::heuristic::{Heuristic, Route};
use crate::prepare::{Prepared, prepare};
use crate::successors::space::{Goal, Space, State};
use crate::time::TimePart;
use beeline_ir::EdgeId;
use beeline_ir::layout::Label;
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
    /// To the target, by that run.
    Target(Route),
    /// To states from which no label leads on.
    DeadEnds(Vec<DeadEnd>),
    /// Nowhere: the target is out of reach.
    Nowhere,
    /// There is no initial state, or the network is not supported.
    NoStart,
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
        Err(_) => Ok(Followed::NoStart),
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
    if estimates.is_empty() {
        return Ok(Followed::NoStart);
    }
    let Some(mut left) = estimates.iter().copied().flatten().min() else { return Ok(Followed::Nowhere) };
    let mut family = Family::default();
    let mut layer = Layer::new(space, width);
    for ((state, observer), estimate) in initial.iter().zip(estimates.drain(..)) {
        if estimate == Some(left) {
            layer.arrive(space, state, &mut family, || Origin::Start(*observer));
        }
    }
    loop {
        let mut next = Layer::new(space, width);
        let layers = (&mut layer, &mut next);
        if let Some(last) = complete(space, heuristic, &mut eyes, layers, &mut family, left, (width, limits))?
        {
            return Ok(Followed::Target(family.route(last)));
        }
        if next.store.graph.is_empty() {
            let ends = dead_ends(space, heuristic, &mut eyes, &layer.store, left, (width, limits))?;
            return Ok(Followed::DeadEnds(ends));
        }
        layer = next;
        left = left.saturating_sub(1);
    }
}

/// How a state was reached.
#[derive(Debug)]
enum Origin {
    /// It is an initial one, which the observer enters by that edge.
    Start(Option<EdgeId>),
    /// From a member by a label.
    Label(usize, Label),
}

/// How all states were reached, of all layers.
#[derive(Debug, Default)]
struct Family {
    members: Vec<Origin>,
}

impl Family {
    fn add(&mut self, origin: Origin) -> usize {
        self.members.push(origin);
        self.members.len() - 1
    }

    /// The run to a member.
    fn route(&self, last: usize) -> Route {
        let (mut labels, mut at) = (Vec::new(), last);
        loop {
            match &self.members[at] {
                Origin::Label(from, label) => {
                    labels.push(label.clone());
                    at = *from;
                }
                Origin::Start(observer) => {
                    labels.reverse();
                    return Route { observer_start: *observer, labels };
                }
            }
        }
    }
}

/// States with the same number of steps left.
struct Layer<'s> {
    store: Store<'s>,
    /// The member of the family that each node is.
    members: Vec<usize>,
}

impl<'s> Layer<'s> {
    fn new<T: TimePart>(space: &Space<T>, width: Width) -> Self {
        Self { store: Store::new(space, None, width.layer), members: Vec::new() }
    }

    fn arrive<T: TimePart>(
        &mut self,
        space: &Space<T>,
        state: &State<T::Zone>,
        family: &mut Family,
        origin: impl FnOnce() -> Origin,
    ) {
        if self.store.arrive(&space.time, state) == self.members.len() {
            self.members.push(family.add(origin()));
        }
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

/// Adds to a layer what labels that cost nothing lead to, and to the next one what the others lead to; gives the last
/// state of a run if the target is met.
fn complete<'s, T: TimePart>(
    space: &Space<T>,
    heuristic: &mut dyn Heuristic,
    eyes: &mut Eyes<T>,
    (layer, next): (&mut Layer<'s>, &mut Layer<'s>),
    family: &mut Family,
    left: u32,
    (width, limits): (Width, &Limits),
) -> Result<Option<usize>, StopReason> {
    let Eyes { machine, scratch, state } = eyes;
    while layer.store.turn < layer.store.graph.len() {
        let turn = layer.store.turn;
        limits.check(turn as u64, layer.store.graph.bytes() + next.store.graph.bytes())?;
        if layer.store.graph.nodes[turn].covered_by.is_none() {
            layer.store.graph.load(space, turn, state);
            let member = layer.members[turn];
            if space.goal.is_met(space, machine, state, limits, &mut false)? {
                return Ok(Some(member));
            }
            let (mut last, mut made) = (None, 0);
            space.expand(machine, scratch, state, limits, &mut |successor| {
                made += 1;
                let costs = successor.label.costs();
                let Some(rest) = after(left, costs) else { return };
                let origin = || Origin::Label(member, successor.label.label());
                if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                    last.get_or_insert_with(|| family.add(origin()));
                    return;
                }
                let to = if costs { &mut *next } else { &mut *layer };
                if to.store.graph.len() < width.layer
                    && steps(space, heuristic, successor.state).is_some_and(|steps| steps <= rest)
                {
                    to.arrive(space, successor.state, family, origin);
                }
            })?;
            limits.spend_on(made, 0)?;
            if last.is_some() {
                return Ok(last);
            }
        }
        layer.store.turn += 1;
    }
    Ok(None)
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
