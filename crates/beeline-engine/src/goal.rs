//! Where in a zone a predicate holds.
//!
//! Evaluation splits a union of zones into the part where the predicate is true and the part where it is false,
//! left to right with short circuits, as for concrete clock values. Where a run-time error strikes, neither is the
//! case: that part is dropped, and the error remembered. Which pieces of the predicate are evaluated depends on the
//! clocks, and so does the work it takes: every part keeps count of its own.

use crate::successors::deadlock::{self, Unanswered};
use crate::successors::space::Space;
use crate::time::TimePart;
use beeline_ir::expr::MAX_ITERATIONS;
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::{Machine, Predicate};

/// A union of zones, each with the units of work that it took to get there.
type Union<Z> = Vec<(Z, u64)>;

/// Where a predicate holds.
#[derive(Debug)]
pub struct Met<Z> {
    /// The parts of the zone where it does.
    pub zones: Vec<Z>,
    /// Whether it has a run-time error in some part.
    pub fails: bool,
    /// Why the evaluation was given up; then nothing else is known.
    pub stopped: Option<StopReason>,
}

/// The parts of a zone where the predicate holds, for one discrete state.
pub fn meet<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    predicate: &Predicate,
    slots: &[i64],
    zone: &T::Zone,
    limits: &Limits,
) -> Met<T::Zone> {
    let (alive, fails, stopped) = (None, false, None);
    let mut evaluation = Evaluation { space, machine, slots, limits, alive, fails, stopped };
    let (zones, _) = evaluation.split(predicate, vec![(zone.clone(), 0)]);
    let Evaluation { fails, stopped, .. } = evaluation;
    Met { zones: zones.into_iter().map(|(zone, _)| zone).collect(), fails, stopped }
}

/// Whether the discrete part alone rules the predicate out, without any run-time error. Most states are dealt with by
/// this; the others need [`meet`].
pub fn excluded<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    predicate: &Predicate,
    slots: &[i64],
) -> bool {
    truth(space, machine, predicate, slots) == Some(false)
}

/// The truth of a predicate, where it takes no clock to tell. As evaluation goes from left to right, what comes after
/// a piece that does is not looked at.
fn truth<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    predicate: &Predicate,
    slots: &[i64],
) -> Option<bool> {
    let mut of = |predicate: &Predicate| truth(space, machine, predicate, slots);
    match predicate {
        Predicate::Const(truth) => Some(*truth),
        Predicate::Discrete(routine) => {
            machine.eval(&space.program, *routine, space.plain(slots), &[]).ok().map(|value| value != 0)
        }
        Predicate::Not(inner) => of(inner).map(|truth| !truth),
        Predicate::And(parts) => {
            parts.iter().map(of).find(|truth| *truth != Some(true)).unwrap_or(Some(true))
        }
        Predicate::Or(parts) => {
            parts.iter().map(of).find(|truth| *truth != Some(false)).unwrap_or(Some(false))
        }
        Predicate::If(parts) => {
            let [condition, first, second] = &**parts;
            of(condition).and_then(|holds| of(if holds { first } else { second }))
        }
        Predicate::Clock(_) | Predicate::Deadlock | Predicate::Counted(..) => None,
    }
}

struct Evaluation<'a, T: TimePart> {
    space: &'a Space<T>,
    machine: &'a mut Machine,
    slots: &'a [i64],
    limits: &'a Limits,
    /// Where the state is not deadlocked, once asked for.
    alive: Option<Result<Vec<T::Zone>, Unanswered>>,
    /// Whether a run-time error has struck.
    fails: bool,
    stopped: Option<StopReason>,
}

impl<T: TimePart> Evaluation<'_, T> {
    fn split(&mut self, predicate: &Predicate, zones: Union<T::Zone>) -> (Union<T::Zone>, Union<T::Zone>) {
        if zones.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let time = &self.space.time;
        let all = |truth: bool, zones| if truth { (zones, Vec::new()) } else { (Vec::new(), zones) };
        match predicate {
            Predicate::Const(truth) => all(*truth, zones),
            Predicate::Discrete(routine) => {
                let state = self.space.plain(self.slots);
                match self.machine.eval(&self.space.program, *routine, state, &[]) {
                    Ok(value) => all(value != 0, self.charged(zones, self.machine.work())),
                    Err(_) => self.fail(),
                }
            }
            Predicate::Clock(atom) => {
                let state = self.space.plain(self.slots);
                let Ok(atom) = self.machine.evaluate_atom(&self.space.program, atom, state) else {
                    return self.fail();
                };
                let zones = self.charged(zones, self.machine.work());
                let mut atoms: Vec<_> = atom.into_iter().collect();
                if !self.space.differences.decide(self.slots, &mut atoms) {
                    return all(false, zones);
                }
                let (mut inside, mut outside) = (Vec::new(), Vec::new());
                for (mut zone, units) in zones {
                    outside.extend(time.exclude(&zone, &atoms).into_iter().map(|zone| (zone, units)));
                    if time.constrain(&mut zone, &atoms) {
                        inside.push((zone, units));
                    }
                }
                (inside, outside)
            }
            Predicate::Deadlock => {
                let (space, slots, limits) = (self.space, self.slots, self.limits);
                let machine = &mut *self.machine;
                let alive = || deadlock::alive(space, machine, slots, limits);
                match self.alive.get_or_insert_with(alive).clone() {
                    Ok(alive) => {
                        let (not_deadlocked, deadlocked) = self.divide(zones, &alive);
                        (deadlocked, not_deadlocked)
                    }
                    Err(Unanswered::Fails(_)) => self.fail(),
                    Err(Unanswered::Stopped(reason)) => {
                        self.stopped = Some(reason);
                        (Vec::new(), Vec::new())
                    }
                }
            }
            Predicate::Counted(units, inner) => {
                let zones = self.charged(zones, u64::from(*units));
                self.split(inner, zones)
            }
            Predicate::Not(inner) => {
                let (yes, no) = self.split(inner, zones);
                (no, yes)
            }
            Predicate::And(conjuncts) => {
                let (mut yes, mut no) = (zones, Vec::new());
                for conjunct in conjuncts {
                    let (holds, fails) = self.split(conjunct, yes);
                    yes = holds;
                    no.extend(fails);
                }
                (yes, no)
            }
            Predicate::If(parts) => {
                let [condition, first, second] = &**parts;
                let (holds, fails) = self.split(condition, zones);
                let (mut yes, mut no) = self.split(first, holds);
                let (more_yes, more_no) = self.split(second, fails);
                yes.extend(more_yes);
                no.extend(more_no);
                (yes, no)
            }
            Predicate::Or(disjuncts) => {
                let (mut yes, mut no) = (Vec::new(), zones);
                for disjunct in disjuncts {
                    let (holds, fails) = self.split(disjunct, no);
                    yes.extend(holds);
                    no = fails;
                }
                (yes, no)
            }
        }
    }

    /// The same after some work; what that is too much for fails.
    fn charged(&mut self, mut zones: Union<T::Zone>, work: u64) -> Union<T::Zone> {
        for (_, before) in &mut zones {
            *before += work;
        }
        let all = zones.len();
        zones.retain(|(_, work)| *work <= u64::from(MAX_ITERATIONS));
        self.fails |= zones.len() < all;
        zones
    }

    fn fail(&mut self) -> (Union<T::Zone>, Union<T::Zone>) {
        self.fails = true;
        (Vec::new(), Vec::new())
    }

    /// What of the zones lies inside of the union, and what outside.
    fn divide(&self, zones: Union<T::Zone>, union: &[T::Zone]) -> (Union<T::Zone>, Union<T::Zone>) {
        let time = &self.space.time;
        let (mut inside, mut outside) = (Vec::new(), zones);
        for member in union {
            let mut rest = Vec::new();
            for (zone, work) in outside {
                let pieces = time.subtract(&zone, member);
                rest.extend(pieces.into_iter().map(|piece| (piece, work)));
                let mut common = zone;
                if time.intersect(&mut common, member) {
                    inside.push((common, work));
                }
            }
            outside = rest;
        }
        (inside, outside)
    }
}
