//! Splitting what is known. An evaluation that stops at an unknown slot is run again once for every value the slot
//! may have; the cost is counted. Side conditions do not split: there, "it depends" is an answer.

use beeline_ir::limits::{Limits, StopReason};

use crate::cells::{Cells, Eval, Known, Stop};
use crate::clock::ClockSet;
use crate::context::Context;

/// A slot with more possible values than this is never split.
pub(crate) const MAX_PARTS: u128 = 1 << 20;

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
    /// Bytes of the cells kept while one row is checked: its parts, and what comes of them.
    pub kept: u64,
}

impl Meter {
    /// Counts one step, which is at most a few evaluations.
    pub fn tick(&mut self) -> Result<(), Halt> {
        self.charge(1)
    }
    /// Counts meeting so many constraints.
    pub fn meets<T: ClockSet>(&mut self, set: &T, constraints: usize) -> Result<(), Halt> {
        self.charge((constraints as u64).saturating_mul(set.work()))
    }
    fn charge(&mut self, steps: u64) -> Result<(), Halt> {
        self.steps = self.steps.saturating_add(steps);
        self.limits.check(0, self.kept).map_err(Halt::Stopped)?;
        if self.budget.is_some_and(|budget| self.steps > budget) { Err(Halt::Budget) } else { Ok(()) }
    }
}

/// What is still to be done, last come first served, and made only when it is its turn: there may be a million parts
/// of some cells, each as large as the whole.
pub(crate) struct Agenda<'a, T>(Vec<Box<dyn Iterator<Item = T> + 'a>>);

impl<'a, T: 'a> Agenda<'a, T> {
    /// Just this.
    pub fn new(item: T) -> Self {
        Self(vec![Box::new(std::iter::once(item))])
    }
    /// These come next.
    pub fn add(&mut self, items: impl Iterator<Item = T> + 'a) {
        self.0.push(Box::new(items));
    }
}

impl<T> Iterator for Agenda<'_, T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.0.last_mut()?.next() {
                return Some(item);
            }
            self.0.pop();
        }
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

/// A result of an evaluation for each part of some cells.
pub(crate) type Forks<R> = Vec<(Cells, R)>;

impl Context<'_> {
    /// The parts of the cells, by the values of one slot.
    pub fn split(&self, cells: &Cells, slot: usize) -> Result<impl Iterator<Item = Cells> + use<>, Halt> {
        let (cells, range) = (cells.clone(), self.ranges[slot]);
        if cells.get(slot).size(range) > MAX_PARTS {
            return Err(Halt::TooWide(slot));
        }
        Ok(cells.get(slot).values(range).map(move |v| cells.with(slot, Known::Value(v))))
    }
    /// The parts of the cells, one of which an evaluation must know it is about.
    pub fn parts(&self, cells: Cells, stop: Stop) -> Result<Box<dyn Iterator<Item = Cells>>, Halt> {
        match stop {
            Stop::Slot(slot) => Ok(Box::new(self.split(&cells, slot)?)),
            Stop::Parts(slot, parts) => {
                Ok(Box::new(parts.into_iter().map(move |part| cells.with(slot, part))))
            }
            Stop::Halt(halt) => Err(halt),
            Stop::Error(_) | Stop::Clock(_) | Stop::Deadlock => Err(Halt::IllFormed),
        }
    }
    /// Runs an evaluation, on parts of the cells where need be; and whether something was left open. An evaluation
    /// stops only at slots (whatever else may stop one, the caller has turned into a result).
    pub fn forked<R>(
        &self,
        cells: &Cells,
        mode: OnUnknown,
        meter: &mut Meter,
        mut evaluate: impl FnMut(&Cells, &mut Meter) -> Eval<R>,
    ) -> Result<(Forks<R>, bool), Halt> {
        let (mut results, mut open) = (Vec::new(), false);
        let mut work = Agenda::new(cells.clone());
        while let Some(cells) = work.next() {
            meter.tick()?;
            match evaluate(&cells, meter) {
                Ok(result) => {
                    meter.kept += 2 * size_of::<Known>() as u64 * self.ranges.len() as u64;
                    results.push((cells, result));
                }
                Err(Stop::Halt(halt)) => return Err(halt),
                Err(_) if mode == OnUnknown::LeaveOpen => open = true,
                Err(stop) => work.add(self.parts(cells, stop)?),
            }
        }
        Ok((results, open))
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
