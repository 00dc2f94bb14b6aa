//! What making the factored view and what is built on it may take: time, memory, and the patience of whoever asked.
//! All long loops count their work here, and everything large its bytes.

use crate::machine::Machine;
use beeline_ir::limits::{Limits, StopReason};
use std::cell::Cell;

/// Combinations of values that are tried, for one question.
const MOST_COMBINATIONS: u128 = 4096;
/// Units of work between two looks at the limits.
const INTERVAL: u64 = 1 << 13;

/// Looks at the limits from time to time.
#[derive(Debug)]
pub struct Meter<'a> {
    limits: &'a Limits,
    /// Combinations of values that are tried, for one question.
    pub combinations: u128,
    /// Work since the limits were looked at.
    work: Cell<u64>,
    /// Bytes of what was built.
    bytes: Cell<u64>,
}

impl<'a> Meter<'a> {
    /// From now on.
    pub fn new(limits: &'a Limits) -> Self {
        // The first unit of work looks at them: there may be no time left.
        Self { limits, combinations: MOST_COMBINATIONS, work: Cell::new(INTERVAL), bytes: Cell::new(0) }
    }

    /// The limits.
    pub fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Counts some work: about as many operations. An error if it is time to stop.
    #[inline]
    pub fn work(&self, units: u64) -> Result<(), StopReason> {
        let work = self.work.get().saturating_add(units);
        self.work.set(work);
        if work < INTERVAL { Ok(()) } else { self.look() }
    }

    /// Counts bytes that were allocated, or soon will be. An error if that is too many.
    #[inline]
    pub fn allocate(&self, bytes: usize) -> Result<(), StopReason> {
        self.bytes.set(self.bytes.get().saturating_add(bytes as u64));
        self.work(1 + bytes as u64 / 64)
    }

    /// Bytes counted so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// Of what was counted so far, only so much is still there.
    pub fn keep(&self, bytes: u64) {
        self.bytes.set(bytes);
    }

    fn look(&self) -> Result<(), StopReason> {
        let work = self.work.replace(0);
        self.limits.check(0, self.bytes.get())?;
        self.limits.spend(work)
    }
}

/// Runs something on a machine, and counts the work that it was.
pub(super) fn metered<R>(
    meter: &Meter<'_>,
    machine: &mut Machine,
    run: impl FnOnce(&mut Machine) -> R,
) -> Result<R, StopReason> {
    let before = machine.total_work();
    let result = run(machine);
    meter.work(1 + machine.total_work().saturating_sub(before))?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use beeline_ir::limits::CancelToken;

    #[test]
    fn stops_at_once_and_in_the_middle() {
        let cancel = CancelToken::default();
        let limits = Limits { memory: Some(1000), cancel: cancel.clone(), ..Limits::default() };
        let meter = Meter::new(&limits);
        assert_eq!(meter.work(1), Ok(()));
        cancel.cancel(StopReason::Interrupted);
        assert_eq!(meter.work(INTERVAL - 1), Ok(()));
        assert_eq!(meter.work(1), Err(StopReason::Interrupted));
        assert_eq!(Meter::new(&limits).work(1), Err(StopReason::Interrupted));
    }

    #[test]
    fn bytes_count_until_they_are_given_back() {
        let limits = Limits { memory: Some(1000), ..Limits::default() };
        let meter = Meter::new(&limits);
        assert_eq!(meter.allocate(1000), Ok(()));
        meter.keep(10);
        assert_eq!((meter.allocate(990), meter.work(INTERVAL)), (Ok(()), Ok(())));
        assert_eq!((meter.allocate(1), meter.work(INTERVAL)), (Ok(()), Err(StopReason::Memory)));
    }
}
