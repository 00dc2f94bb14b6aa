//! When to look at the limits. Reading the clock takes longer than a small evaluation, and a large evaluation longer
//! than a thousand small ones, so it is done every so many units of work. (No single evaluation takes long.)

use beeline_ir::limits::{Limits, StopReason};
use beeline_program::Machine;

/// Units of work between two looks at the limits.
const INTERVAL: u64 = 1 << 13;

/// Looks at the limits from time to time.
#[derive(Debug)]
pub struct Pace<'a> {
    limits: &'a Limits,
    /// Steps counted since the beginning.
    steps: u64,
    /// The work, steps and units, at which to look again.
    next: u64,
}

impl<'a> Pace<'a> {
    /// From now on.
    pub fn new(machine: &Machine, limits: &'a Limits) -> Self {
        Self { limits, steps: 0, next: machine.total_work() + INTERVAL }
    }
    /// What is looked at.
    pub fn limits(&self) -> &'a Limits {
        self.limits
    }
    /// Counts some steps besides what the machine has counted; an error if it is time to stop.
    #[inline]
    pub fn check(&mut self, machine: &Machine, steps: u64) -> Result<(), StopReason> {
        self.check_with(machine, steps, || 0)
    }
    /// The same while something takes so many bytes.
    #[inline]
    pub fn check_with(
        &mut self,
        machine: &Machine,
        steps: u64,
        bytes: impl FnOnce() -> usize,
    ) -> Result<(), StopReason> {
        self.steps += steps;
        let done = machine.total_work() + self.steps;
        if done < self.next {
            return Ok(());
        }
        self.next = done + INTERVAL;
        self.limits.check(0, bytes() as u64)
    }
}
