//! Splitting what is known. An evaluation that stops at an unknown slot is run again once for every value the slot
//! may have; the cost is counted. Side conditions do not split: there, "it depends" is an answer.

use beeline_ir::limits::{Limits, StopReason};

use crate::cells::{Cells, Eval, Known, Stop};
use crate::context::Context;

/// A slot with more possible values than this is never split.
const MAX_PARTS: u128 = 1 << 20;

/// Why a check was given up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Halt {
    /// The budget is spent.
    Budget,
    /// A limit is reached, or the caller wants it to stop.
    Stopped(StopReason),
    /// A slot that matters may have too many values.
    TooWide(usize),
    /// Something is asked that only properties may ask.
    IllFormed,
}

/// Counts the steps of a check.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    pub steps: u64,
    pub budget: Option<u64>,
    pub limits: Limits,
}

impl Meter {
    /// Counts one step.
    pub fn tick(&mut self) -> Result<(), Halt> {
        self.steps += 1;
        if self.steps.is_multiple_of(1024) {
            self.limits.check(0, 0).map_err(Halt::Stopped)?;
        }
        if self.budget.is_some_and(|budget| self.steps > budget) { Err(Halt::Budget) } else { Ok(()) }
    }
}

/// What to do where an evaluation depends on something unknown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum OnUnknown {
    /// Split, and evaluate each part.
    Split,
    /// Leave it open.
    LeaveOpen,
}

/// The results of an evaluation.
pub(crate) struct Forks<R> {
    /// A result for each part of the cells.
    pub results: Vec<(Cells, R)>,
    /// Something was left open.
    pub open: bool,
}

impl Context<'_> {
    /// The parts of the cells, by the values of one slot.
    pub fn split(&self, cells: &Cells, slot: usize) -> Result<Vec<Cells>, Halt> {
        let known = cells.get(slot);
        if known.size(self.ranges[slot]) > MAX_PARTS {
            return Err(Halt::TooWide(slot));
        }
        Ok(known.values(self.ranges[slot]).map(|v| cells.with(slot, Known::Value(v))).collect())
    }
    /// Runs an evaluation, on parts of the cells where need be. An evaluation stops only at slots (whatever else may
    /// stop one, the caller has turned into a result).
    pub fn forked<R>(
        &self,
        cells: &Cells,
        mode: OnUnknown,
        meter: &mut Meter,
        mut evaluate: impl FnMut(&Cells) -> Eval<R>,
    ) -> Result<Forks<R>, Halt> {
        let mut forks = Forks { results: Vec::new(), open: false };
        let mut work = vec![cells.clone()];
        while let Some(cells) = work.pop() {
            meter.tick()?;
            let stop = match evaluate(&cells) {
                Ok(result) => {
                    forks.results.push((cells, result));
                    continue;
                }
                Err(stop) => stop,
            };
            if mode == OnUnknown::LeaveOpen {
                forks.open = true;
                continue;
            }
            match stop {
                Stop::Slot(slot) => work.extend(self.split(&cells, slot)?.into_iter().rev()),
                Stop::Parts(slot, parts) => {
                    work.extend(parts.into_iter().rev().map(|part| cells.with(slot, part)));
                }
                Stop::Error(_) | Stop::Clock(_) | Stop::Deadlock => return Err(Halt::IllFormed),
            }
        }
        Ok(forks)
    }
}

/// Takes the run-time error out of an evaluation's ways to stop.
pub(crate) fn fallible<R>(result: Eval<R>) -> Eval<Result<R, beeline_ir::expr::RuntimeError>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Stop::Error(error)) => Ok(Err(error)),
        Err(stop) => Err(stop),
    }
}
