//! How much work a successor is, in the units of [`beeline_ir::limits::Work`]: found by making some, so that searches of
//! models whose guards are long are not taken for short ones. It is the same on every machine.

use crate::api::Options;
use crate::prepare::{Prepared, prepare};
use crate::successors::space::Space;
use crate::time::TimePart;
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::Machine;
use std::collections::VecDeque;

/// States that are expanded at most.
const STATES: usize = 128;
/// Successors that are enough.
const SUCCESSORS: u64 = 512;
/// Slots that are many.
const MANY: usize = 64;
/// Units that a step of the interpreter takes.
const STEP: u64 = 4;

/// About how much work a successor is, on average over some of the first ones.
pub fn of_successor(network: &Network, property: &Property, options: &Options) -> Result<u64, StopReason> {
    match prepare(network, Some(property), options) {
        Ok(Prepared::Untimed(space)) => sampled(&*space, network, options),
        Ok(Prepared::Timed(space)) => sampled(&*space, network, options),
        // Whoever searches it will say why not.
        Err(_) => Ok(1),
    }
}

fn sampled<T: TimePart>(space: &Space<T>, network: &Network, options: &Options) -> Result<u64, StopReason> {
    let limits = &options.limits;
    let mut machine = Machine::new(&space.program);
    let start = space.program.layout.initial(network);
    let mut scratch = space.scratch(&start);
    let initial = space.initial(&mut machine, start, &mut false, limits)?;
    let mut open: VecDeque<_> = initial.into_iter().map(|(state, _)| state).collect();
    let (mut expanded, mut made) = (0, 0);
    while let Some(state) = open.pop_front() {
        if expanded == STATES || made >= SUCCESSORS {
            break;
        }
        expanded += 1;
        space.expand(&mut machine, &mut scratch, &state, limits, &mut |successor| {
            made += 1;
            if open.len() < STATES {
                open.push_back(successor.state.clone());
            }
        })?;
    }
    let (slots, rows) = (space.program.layout.slots.len(), space.program.clocks + 1);
    // Of many slots, most stay as they are.
    let slots = 4 * slots.min(MANY) + slots.saturating_sub(MANY);
    Ok((256 + slots + 4 * rows) as u64 + STEP * machine.total_work() / made.max(1))
}
