//! Where a discrete state is not deadlocked: the clock values from which, now or after a delay, some label has a
//! successor.
//!
//! The answer does not depend on how the state was reached; it is a union of zones, computed backwards: the target's
//! invariant is pulled back through the clock updates, met with where the label may fire, and closed under "time can
//! pass into it". Deadlocked is what remains.

use super::pace::Pace;
use super::space::Space;
use crate::time::TimePart;
use crate::time::zones::becomes;
use beeline_ir::expr::RuntimeError;
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::{ClockEffect, ConcreteAtom, Machine};

/// Why there is no answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unanswered {
    /// The invariant of the state itself has a run-time error.
    Fails(RuntimeError),
    /// A limit was reached.
    Stopped(StopReason),
}

impl From<RuntimeError> for Unanswered {
    fn from(error: RuntimeError) -> Self {
        Self::Fails(error)
    }
}

impl From<StopReason> for Unanswered {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// The clock values that are not deadlocked, as a union of zones within the invariant.
pub fn alive<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    slots: &[i64],
    limits: &Limits,
) -> Result<Vec<T::Zone>, Unanswered> {
    let time = &space.time;
    let mut universe = time.universal(slots);
    let Some(mut invariant) = space.invariant(machine, slots)? else { return Ok(Vec::new()) };
    if !space.differences.decide(slots, &mut invariant) || !time.constrain(&mut universe, &invariant) {
        return Ok(Vec::new());
    }
    let may_delay = space.may_delay_within(machine, slots, limits)?;
    let enabled = space.enabled(machine, slots, limits)?;
    let mut pace = Pace::new(machine, limits);
    let mut result = Vec::new();
    let bytes = size_of_val(time.entries(&universe)) as u64;
    let weight = 8 + (slots.len() + time.entries(&universe).len()) as u64 / 8;
    for candidate in &*enabled.allowed {
        pace.check(machine, weight)?;
        let regions = candidate.fires_in(time, &universe, &enabled);
        if regions.is_empty() {
            continue;
        }
        // A failing label has no successor.
        let Ok((after, effects)) = space.fire(machine, candidate, &enabled.instances, slots) else {
            continue;
        };
        let Ok(Some(target)) = space.invariant(machine, &after) else { continue };
        for region in regions {
            let pieces = space.differences.split(
                time,
                region,
                slots,
                &effects.clock_ops,
                space.program.clocks,
                limits,
            )?;
            for (piece, cells) in pieces {
                let mut next = after.clone();
                next.extend(cells);
                let mut target = target.clone();
                let mut zone = piece;
                if space.differences.decide(&next, &mut target)
                    && pull_back(&mut target, &effects.clock_ops)
                    && time.constrain(&mut zone, &target)
                {
                    if may_delay {
                        time.down(&mut zone);
                        let alive = time.intersect(&mut zone, &universe);
                        debug_assert!(alive, "the region lies within the invariant");
                    }
                    if T::includes(time.entries(&zone), time.entries(&universe)) {
                        // There is nothing left to find.
                        return Ok(vec![zone]);
                    }
                    result.push(zone);
                    limits.check(0, result.len() as u64 * bytes)?;
                }
            }
        }
    }
    Ok(result)
}

/// Turns atoms about the clocks after the effects into atoms about the clocks before; false if they cannot hold.
fn pull_back(atoms: &mut Vec<ConcreteAtom>, effects: &[ClockEffect]) -> bool {
    let mut possible = true;
    atoms.retain_mut(|atom| {
        debug_assert_eq!(atom.right, None, "differences have been decided");
        match becomes(effects, atom.left) {
            Ok(value) => {
                possible &= atom.op.holds(&value, &atom.bound);
                false
            }
            Err(old) => {
                atom.left = old;
                true
            }
        }
    });
    possible
}
