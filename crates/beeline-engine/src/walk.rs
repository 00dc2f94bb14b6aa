//! Walks: random ones, to states that a search might meet, to try something on before it begins; and those along a run that
//! somebody else has written down.

use crate::api::Options;
use crate::heuristic::{OwnedZone, Route};
use crate::prepare::{Prepared, prepare};
use crate::successors::space::{Space, State};
use crate::time::TimePart;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::Machine;
use oorandom::Rand64;

/// A symbolic state.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its discrete part.
    pub slots: Vec<i64>,
    /// Its zone.
    pub zone: OwnedZone,
}

/// How to walk.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Walks {
    /// So many times.
    pub count: usize,
    /// At most so many labels each; how many is random.
    pub longest: u32,
    /// Where random numbers come from.
    pub seed: u64,
}

/// The first initial state, and the states where random walks from it end: after so many labels, or where there is no
/// further one. There is none if the network has no initial state, or is not supported.
pub fn walk(
    network: &Network,
    property: &Property,
    walks: Walks,
    limits: &Limits,
) -> Result<Vec<Sample>, StopReason> {
    let options = Options { dead_variables: false, ..Options::default() };
    match prepare(network, Some(property), &options) {
        Ok(Prepared::Untimed(space)) => walk_in(&*space, network, walks, limits),
        Ok(Prepared::Timed(space)) => walk_in(&*space, network, walks, limits),
        Err(_) => Ok(Vec::new()),
    }
}

fn walk_in<T: TimePart>(
    space: &Space<T>,
    network: &Network,
    walks: Walks,
    limits: &Limits,
) -> Result<Vec<Sample>, StopReason> {
    let mut machine = Machine::new(&space.program);
    let start = space.program.layout.initial(network);
    let mut scratch = space.scratch(&start);
    let initial = space.initial(&mut machine, start, &mut false, limits)?;
    let Some((initial, _)) = initial.into_iter().next() else { return Ok(Vec::new()) };
    let sample = |state: &State<T::Zone>| Sample {
        slots: state.slots.clone(),
        zone: OwnedZone::of(&space.time.view(&state.zone)),
    };
    let mut random = Rand64::new(u128::from(walks.seed));
    let mut samples = vec![sample(&initial)];
    for number in 0..walks.count {
        limits.check(number as u64, 0)?;
        let mut state = initial.clone();
        for _ in 0..random.rand_range(0..u64::from(walks.longest) + 1) {
            // Of n successors, the last is taken with a chance of 1 in n.
            let (mut seen, mut next) = (0, None);
            space.expand(&mut machine, &mut scratch, &state, limits, &mut |successor| {
                seen += 1;
                if random.rand_range(0..seen) == 0 {
                    next = Some(successor.state.clone());
                }
            })?;
            match next {
                Some(next) => state = next,
                None => break,
            }
        }
        samples.push(sample(&state));
    }
    Ok(samples)
}

/// How far a label from a state to another leads on from a place in what is written down, if it fits at all.
pub type Advance<'a> = dyn Fn(usize, &Label, &[i64], &[i64]) -> Option<usize> + 'a;

/// A run along something written down: `advance` says how far a label leads on from there, if it fits at all.
/// The first run that leads to the end and is `accepted`; `None` if there is none, or clocks would have a say in it.
pub fn along(
    network: &Network,
    property: &Property,
    end: usize,
    limits: &Limits,
    advance: &Advance<'_>,
    accepted: &mut dyn FnMut(&Route) -> bool,
) -> Result<Option<Route>, StopReason> {
    let options = Options { dead_variables: false, ..Options::default() };
    let Ok(Prepared::Untimed(space)) = prepare(network, Some(property), &options) else { return Ok(None) };
    let mut machine = Machine::new(&space.program);
    let start = space.program.layout.initial(network);
    let mut scratch = space.scratch(&start);
    for (initial, observer_start) in space.initial(&mut machine, start, &mut false, limits)? {
        // Labels that may be next, of each state on the way, and the one that was taken.
        let mut open: Vec<Vec<(Label, State<_>, usize)>> = Vec::new();
        let mut route = Route { observer_start, labels: Vec::new() };
        let mut at = Some((initial, 0));
        loop {
            if let Some((state, position)) = at.take() {
                if position >= end && accepted(&route) {
                    return Ok(Some(route));
                }
                limits.check(0, 0)?;
                let mut next = Vec::new();
                let mut made = 0;
                space.expand(&mut machine, &mut scratch, &state, limits, &mut |successor| {
                    made += 1;
                    let label = successor.label.label();
                    if let Some(position) = advance(position, &label, &state.slots, &successor.state.slots) {
                        next.push((label, successor.state.clone(), position));
                    }
                })?;
                limits.spend_on(made, 0)?;
                open.push(next);
            }
            let Some(depth) = open.len().checked_sub(1) else { break };
            route.labels.truncate(depth);
            match open[depth].pop() {
                Some((label, state, position)) => {
                    route.labels.push(label);
                    at = Some((state, position));
                }
                None => _ = open.pop(),
            }
        }
    }
    Ok(None)
}
