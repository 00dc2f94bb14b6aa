//! What sets of values tell where there are too many combinations to be tried: the bytecode runs once on all values of
//! what it reads ([`crate::values`]), and again with one slot at a time held to each of its values.

use super::cube::Cube;
use super::domain::Domains;
use super::meter::Meter;
use crate::bytecode::RoutineId;
use crate::program::Program;
use crate::slots::SlotSet;
use crate::values::{Applied, ValueMachine, ValueSet, Values};
use beeline_ir::expr::RuntimeError;
use beeline_ir::limits::StopReason;

/// Runs with a slot held to a value, for one question.
pub(super) const MOST_PROBES: usize = 1 << 11;
/// Steps of all runs, beyond which nothing more is asked.
const MOST_STEPS: u64 = 1 << 23;

/// Runs code on sets of values.
#[derive(Debug)]
pub struct Probe {
    machine: ValueMachine,
    /// All that slots may hold.
    all: Values,
    /// What they hold in the question at hand; only slots that it touches count.
    now: Values,
    /// Steps so far.
    steps: u64,
}

/// What an expression is asked.
#[derive(Copy, Clone, Debug)]
pub(super) struct Question<'a> {
    pub(super) routine: RoutineId,
    pub(super) inputs: &'a [ValueSet],
    pub(super) wanted: Wanted,
}

/// What an expression is asked to do.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// To be true.
    True,
    /// To be false.
    False,
    /// To fail at run time.
    Failure,
}

impl Wanted {
    /// Whether that is what it does.
    pub(super) fn is(self, answer: &Result<i64, RuntimeError>) -> bool {
        match self {
            Self::True => answer.as_ref().is_ok_and(|value| *value != 0),
            Self::False => answer.as_ref().is_ok_and(|value| *value == 0),
            Self::Failure => answer.is_err(),
        }
    }
    /// What is wanted of an expression if that is wanted of its negation.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Failure => Self::Failure,
        }
    }
}

/// How the runs of an update end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Ran {
    /// All of them fail at run time.
    Fails,
    /// Some may succeed, and no assertion fails.
    Succeeds,
    /// Some may succeed, and an assertion may fail.
    Violates,
}

impl Probe {
    /// For a program, whose slots hold anything they are declared with.
    pub fn new(program: &Program) -> Self {
        let all = Values::everything(&program.layout);
        Self { machine: ValueMachine::new(program), now: all.clone(), all, steps: 0 }
    }

    /// From now on, tracked slots hold no more than what they were found to get.
    pub(super) fn within(&mut self, domains: &Domains) {
        for (slot, all) in self.all.slots_mut().iter_mut().enumerate() {
            if domains.tracks(slot) {
                *all = domains.values(slot).collect();
            }
        }
    }

    /// Whether so much was asked that nothing more is.
    pub(super) fn spent(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// Lets slots hold all values that a cube allows.
    pub(super) fn allow(&mut self, slots: impl Iterator<Item = usize>, within: &Cube) {
        for slot in slots {
            let all = self.all.slots()[slot];
            let set = within.of(slot).map_or(all, |values| values.iter().copied().collect());
            self.set(slot, set);
        }
    }

    /// Lets a slot hold some values.
    pub(super) fn set(&mut self, slot: usize, values: ValueSet) {
        self.now.slots_mut()[slot] = values;
    }

    /// What a slot holds.
    pub(super) fn get(&self, slot: usize) -> &ValueSet {
        &self.now.slots()[slot]
    }

    /// Counts what was done, and what it took to ask.
    fn count(&mut self, touched: usize, meter: &Meter<'_>) -> Result<(), StopReason> {
        let steps = 16 + self.machine.steps().min(ValueMachine::BUDGET) + touched as u64 / 4;
        self.steps += steps;
        meter.work(steps)
    }

    /// Whether the answer may be the one asked for, given what slots hold.
    fn may_be(
        &mut self,
        program: &Program,
        question: Question<'_>,
        meter: &Meter<'_>,
    ) -> Result<bool, StopReason> {
        if self.spent() {
            return Ok(true);
        }
        let Question { routine, inputs, wanted } = question;
        let found = self.machine.eval(program, routine, &self.now, inputs);
        self.count(program.routines[routine].reads.len(), meter)?;
        Ok(match wanted {
            Wanted::True => found.values.may_be_true(),
            Wanted::False => found.values.may_be_false(),
            Wanted::Failure => found.may_fail,
        })
    }

    /// Where the answer may be the one asked for, among what slots hold; `None` if nowhere. Afterwards slots hold
    /// only that.
    pub(super) fn narrow(
        &mut self,
        program: &Program,
        question: Question<'_>,
        meter: &Meter<'_>,
    ) -> Result<Option<Cube>, StopReason> {
        if !self.may_be(program, question, meter)? {
            return Ok(None);
        }
        let mut cube = Cube::default();
        let mut probes = MOST_PROBES;
        for slot in program.routines[question.routine].reads.iter() {
            let all = *self.get(slot);
            if all.size() < 2 || all.size() > probes as u128 {
                continue;
            }
            probes -= all.size() as usize;
            let mut held = Vec::new();
            for value in all.values() {
                self.set(slot, ValueSet::singleton(value));
                if self.may_be(program, question, meter)? {
                    held.push(value);
                }
            }
            if held.is_empty() {
                return Ok(None);
            }
            self.set(slot, held.iter().copied().collect());
            if (held.len() as u128) < all.size() {
                cube.0.push((slot, held));
            }
        }
        Ok(Some(cube))
    }

    /// The numbers of the channel elements that a synchronisation may name, given what slots hold.
    pub(super) fn names(
        &mut self,
        program: &Program,
        routine: RoutineId,
        inputs: &[ValueSet],
        meter: &Meter<'_>,
    ) -> Result<ValueSet, StopReason> {
        let found = self.machine.eval(program, routine, &self.now, inputs);
        self.count(program.routines[routine].reads.len(), meter)?;
        Ok(found.values)
    }

    /// Runs an update on what slots hold.
    pub(super) fn apply(
        &mut self,
        program: &Program,
        routine: RoutineId,
        inputs: &[ValueSet],
        meter: &Meter<'_>,
    ) -> Result<Ran, StopReason> {
        let applied = self.machine.apply(program, routine, &mut self.now, inputs, &[]);
        let touched = program.routines[routine].reads.len() + program.routines[routine].writes.len();
        self.count(touched, meter)?;
        Ok(match applied {
            Applied { may_succeed: false, .. } => Ran::Fails,
            Applied { may_violate: true, .. } => Ran::Violates,
            Applied { .. } => Ran::Succeeds,
        })
    }

    /// Lets slots hold what they may before some updates: what the cube allows, and of what is written but not read
    /// nothing, so that afterwards there is what was written and nothing else.
    pub(super) fn before(&mut self, reads: &SlotSet, writes: &SlotSet, within: &Cube) {
        self.allow(reads.iter(), within);
        for slot in writes.iter().filter(|slot| !reads.contains(*slot)) {
            self.set(slot, ValueSet::EMPTY);
        }
    }
}
