//! Random walks: states of a network that a search might meet, to try something on before it begins.

use crate::api::Options;
use crate::heuristic::OwnedZone;
use crate::prepare::{Prepared, prepare};
use crate::successors::space::{Space, State};
use crate::time::TimePart;
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
