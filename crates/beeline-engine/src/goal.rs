//! Where in a zone a predicate holds.
//!
//! Evaluation splits a union of zones into the part where the predicate is true and the part where it is false,
//! left to right with short circuits, as for concrete clock values. Where a run-time error strikes, neither is the
//! case: that part is dropped, and the error remembered.

use crate::successors::candidate::subtract_from;
use crate::successors::deadlock;
use crate::successors::space::Space;
use crate::time::TimePart;
use beeline_ir::expr::RuntimeError;
use beeline_program::{Machine, Predicate};

/// A union of zones.
type Union<Z> = Vec<Z>;

/// Where a predicate holds.
#[derive(Debug)]
pub struct Met<Z> {
    /// The parts of the zone where it does.
    pub zones: Union<Z>,
    /// Whether it has a run-time error in some part.
    pub fails: bool,
}

/// The parts of a zone where the predicate holds, for one discrete state.
pub fn meet<T: TimePart>(
    space: &Space<T>,
    machine: &mut Machine,
    predicate: &Predicate,
    slots: &[i64],
    zone: &T::Zone,
) -> Met<T::Zone> {
    let mut evaluation = Evaluation { space, machine, slots, alive: None, fails: false };
    let (zones, _) = evaluation.split(predicate, vec![zone.clone()]);
    Met { zones, fails: evaluation.fails }
}

struct Evaluation<'a, T: TimePart> {
    space: &'a Space<T>,
    machine: &'a mut Machine,
    slots: &'a [i64],
    /// Where the state is not deadlocked, once asked for.
    alive: Option<Result<Union<T::Zone>, RuntimeError>>,
    /// Whether a run-time error has struck.
    fails: bool,
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
                    Ok(value) => all(value != 0, zones),
                    Err(_) => self.fail(),
                }
            }
            Predicate::Clock(atom) => {
                let state = self.space.plain(self.slots);
                let mut atoms = Vec::new();
                let atom = std::slice::from_ref(atom);
                if self.machine.evaluate_atoms(&self.space.program, atom, &[], state, &mut atoms).is_err() {
                    return self.fail();
                }
                if !self.space.differences.decide(self.slots, &mut atoms) {
                    return all(false, zones);
                }
                let mut inside = time.universal();
                if !time.constrain(&mut inside, &atoms) {
                    return all(false, zones);
                }
                self.divide(zones, &[inside])
            }
            Predicate::Deadlock => {
                let (space, machine, slots) = (self.space, &mut *self.machine, self.slots);
                let alive = self.alive.get_or_insert_with(|| deadlock::alive(space, machine, slots)).clone();
                match alive {
                    Ok(alive) => {
                        let (not_deadlocked, deadlocked) = self.divide(zones, &alive);
                        (deadlocked, not_deadlocked)
                    }
                    Err(_) => self.fail(),
                }
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

    fn fail(&mut self) -> (Union<T::Zone>, Union<T::Zone>) {
        self.fails = true;
        (Vec::new(), Vec::new())
    }

    /// What of the zones lies inside of the union, and what outside.
    fn divide(&self, zones: Union<T::Zone>, union: &[T::Zone]) -> (Union<T::Zone>, Union<T::Zone>) {
        let time = &self.space.time;
        let (mut inside, mut outside) = (Vec::new(), zones);
        for member in union {
            for zone in &outside {
                let mut common = zone.clone();
                if time.intersect(&mut common, member) {
                    inside.push(common);
                }
            }
            outside = subtract_from(time, &outside, member);
        }
        (inside, outside)
    }
}
