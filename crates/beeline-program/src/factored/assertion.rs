//! Where an assertion may fail: the goal of a search for one that does. A label fails an assertion if its parts may fire
//! and, in the course of one of their updates, the assertion's condition is false; so the goal is that some label may
//! be taken from a state where that can happen. Firing it is the last step, which the goal does not count.

use super::change::{MOST_PARTS, fire_parts};
use super::cube::{Cube, Grid};
use super::formula::Formula;
use super::ground::Grounder;
use super::instance::{Instance, compiled};
use super::meter::metered;
use super::probe::{MOST_PROBES, Ran};
use crate::bytecode::{Op, RoutineId};
use crate::edge::{Effects, Evaluated};
use crate::program::Program;
use beeline_ir::id::IdVec;
use beeline_ir::limits::StopReason;
use rustc_hash::FxHashSet;

/// Places where an assertion may fail; with more of them, it may anywhere.
const MOST_PLACES: usize = 1 << 12;

/// Where assertions may fail, as far as it is known.
#[derive(Debug)]
pub(super) struct Failures {
    /// The routines that assert something, or call one that does.
    asserting: IdVec<RoutineId, bool>,
    places: Vec<Cube>,
    known: FxHashSet<Cube>,
}

impl Failures {
    pub(super) fn new(program: &Program) -> Self {
        let own = |code: &[Op]| code.iter().any(|op| matches!(op, Op::Assert { .. }));
        let mut asserting: IdVec<RoutineId, bool> = program.routines.iter().map(|r| own(&r.code)).collect();
        let mut grown = true;
        while grown {
            grown = false;
            for (routine, compiled) in program.routines.enumerate() {
                let calls = |op: &Op| matches!(op, Op::Call { routine, .. } if asserting[*routine]);
                if !asserting[routine] && compiled.code.iter().any(calls) {
                    asserting[routine] = true;
                    grown = true;
                }
            }
        }
        Self { asserting, places: Vec::new(), known: FxHashSet::default() }
    }

    /// That one of them fails.
    pub(super) fn goal(self) -> Formula<Cube> {
        if self.places.len() > MOST_PLACES {
            return Formula::truth();
        }
        Formula::Any(self.places.into_iter().map(Formula::Holds).collect())
    }

    fn add(&mut self, place: Cube) {
        if self.places.len() <= MOST_PLACES && self.known.insert(place.clone()) {
            self.places.push(place);
        }
    }
}

impl Grounder<'_> {
    /// Notes where some parts of a label that fires may fail an assertion, if that is what is looked for.
    pub(super) fn note_failures(
        &mut self,
        fired: &[&Instance],
        doing: &[&Instance],
        need: &Cube,
    ) -> Result<(), StopReason> {
        let Some(mut failures) = self.failures.take() else { return Ok(()) };
        let linked = self.linked(fired);
        for part in doing {
            let asserts = compiled(&self.program, part.at).update.is_some_and(|r| failures.asserting[r]);
            if !asserts || failures.places.len() > MOST_PLACES {
                continue;
            }
            let alone = [*part];
            let parts = if linked { fired } else { &alone };
            let places = if fired.is_empty() || self.buffered(fired) {
                // What others of the label have written, or is left in a buffer, is not known.
                let anywhere = self.may_fail(&alone, &Cube::default())?;
                if anywhere { vec![need.clone()] } else { Vec::new() }
            } else if let Some(places) = self.failing(parts, need)? {
                places
            } else {
                self.probe_failure(parts, need)?.into_iter().collect()
            };
            places.into_iter().for_each(|place| failures.add(place));
        }
        self.failures = Some(failures);
        Ok(())
    }

    /// Where the parts fail an assertion, by trying all combinations; `None` if there are too many.
    fn failing(&mut self, parts: &[&Instance], need: &Cube) -> Result<Option<Vec<Cube>>, StopReason> {
        let Some((reads, _)) = self.touched(parts) else { return Ok(None) };
        let Some(grid) = Grid::new(&self.domains, reads.iter(), need, self.meter.combinations) else {
            return Ok(None);
        };
        let evaluated = Evaluated::default();
        let fired = fire_parts(parts, &evaluated);
        let Self { program, meter, machine, state, .. } = self;
        let (mut next, mut effects) = (Vec::new(), Effects::default());
        let answers = grid.each(state, |state| {
            next.clear();
            next.extend_from_slice(state);
            effects.clear();
            metered(meter, machine, |machine| {
                machine.fire(program, &fired, &mut next, &mut effects).is_ok() && effects.assertion_failed
            })
        })?;
        let places = grid.cubes(&answers, &|fails| *fails);
        Ok(Some(places.iter().filter_map(|place| need.and(place)).collect()))
    }

    /// Where the parts may fail an assertion, by sets of values; `None` if nowhere.
    fn probe_failure(&mut self, parts: &[&Instance], need: &Cube) -> Result<Option<Cube>, StopReason> {
        if self.parts > MOST_PARTS || self.probe.spent() {
            return Ok(Some(need.clone()));
        }
        if !self.may_fail(parts, need)? {
            return Ok(None);
        }
        let (reads, _) = self.footprint(parts);
        let mut place = need.clone();
        let mut probes = MOST_PROBES;
        for slot in reads.iter().filter(|slot| self.domains.tracks(*slot)).collect::<Vec<usize>>() {
            let held: Vec<i64> = match place.of(slot) {
                Some(values) => values.to_vec(),
                None => self.domains.values(slot).collect(),
            };
            if held.len() < 2 || held.len() > probes {
                continue;
            }
            probes -= held.len();
            let mut fails = Vec::new();
            for value in &held {
                let Some(one) = place.and(&Cube::value(slot, *value)) else { continue };
                if self.may_fail(parts, &one)? {
                    fails.push(*value);
                }
            }
            let Some(narrowed) = place.and(&Cube(vec![(slot, fails)])) else { return Ok(None) };
            place = narrowed;
        }
        Ok(Some(place))
    }

    /// Whether an assertion may fail in some state of a cube.
    fn may_fail(&mut self, parts: &[&Instance], within: &Cube) -> Result<bool, StopReason> {
        if self.probe.spent() {
            return Ok(true);
        }
        let (reads, writes) = self.footprint(parts);
        self.probe.before(&reads, &writes, within);
        Ok(self.run(parts)? == Ran::Violates)
    }
}
