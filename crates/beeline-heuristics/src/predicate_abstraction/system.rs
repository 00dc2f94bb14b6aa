//! The network that an abstraction is made of, as regression sees it: factors with their values, labels that treat the
//! factors independently of each other ([atomic factors](crate::factors)), and what labels and locations say about
//! clocks.
//!
//! Everything is an over-approximation: what leads into a region by a label does so from within the region that
//! [`System::before`] gives.

use crate::factors::{Atomic, Facts, bits};
use beeline_ir::ClockId;
use beeline_zones::fault::{self, Fault};
use beeline_zones::{Bound, Constraint, Dbm};
use std::ops::Range;

/// Values for each factor, one bit for each fact, and a zone that is not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Region {
    pub(super) cube: Vec<u64>,
    pub(super) zone: Dbm,
}

/// A label.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Operator {
    /// The factors that it has to do with, and the group of each; ascending.
    pub(super) parts: Vec<(usize, u32)>,
    /// The automata that take part, and the values of theirs that it leads away from; ascending. (To the groups, a label
    /// that changes nothing else does nothing elsewhere.)
    pub(super) leaves: Vec<(usize, usize)>,
    /// What it asks of clocks.
    pub(super) guard: Vec<Constraint>,
    /// The clocks it sets, ascending, and to what if that is known.
    pub(super) sets: Vec<(usize, Option<i32>)>,
    /// Whether a part of it may leave a committed location.
    pub(super) committed: bool,
}

/// What a location says.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) invariant: Vec<Constraint>,
    /// Time stands still.
    pub(super) still: bool,
    pub(super) committed: bool,
}

/// The network.
#[derive(Debug)]
pub(super) struct System {
    pub(super) atomic: Atomic,
    pub(super) facts: Facts,
    /// The labels that there are, each once, and whether they cost a step.
    pub(super) operators: Vec<(Operator, bool)>,
    /// By factor that is an automaton which is kept, its locations.
    pub(super) places: Vec<Option<Vec<Place>>>,
    /// By factor, the slot of the original state that its value is from, and its least value.
    pub(super) slots: Vec<Option<(usize, i64)>>,
    /// The clocks of the zone's rows, from the second on; ascending.
    pub(super) clocks: Vec<ClockId>,
    /// What is looked for.
    pub(super) goals: Vec<Region>,
    /// The initial values of factors, and the zone there.
    pub(super) initial: (Vec<usize>, Dbm),
}

impl System {
    /// How many factors there are.
    pub(super) fn factors(&self) -> usize {
        self.facts.factors()
    }

    /// The facts of a factor.
    #[inline]
    pub(super) fn range(&self, factor: usize) -> Range<usize> {
        self.facts.of(factor)
    }

    /// Whether a factor is an automaton that is kept.
    pub(super) fn is_location(&self, factor: usize) -> bool {
        self.places[factor].is_some()
    }

    /// All states.
    pub(super) fn everything(&self) -> Region {
        let mut cube = vec![0; bits::words(self.facts.len())];
        (0..self.facts.len()).for_each(|fact| bits::put(&mut cube, fact));
        Region { cube, zone: Dbm::universal(self.clocks.len() + 1) }
    }

    /// The values of a factor in a cube.
    pub(super) fn held<'c>(&self, cube: &'c [u64], factor: usize) -> impl Iterator<Item = usize> + use<'c> {
        let facts = self.range(factor);
        let first = facts.start;
        facts.filter(|fact| bits::has(cube, *fact)).map(move |fact| fact - first)
    }

    /// The place of some values in the table of a relation.
    pub(super) fn place(&self, factors: &[usize], value: impl Fn(usize) -> usize) -> usize {
        factors.iter().fold(0, |place, factor| place * self.range(*factor).len() + value(*factor))
    }

    /// Shows the places in the table of a relation that a cube holds, with the values there, until it is told to stop.
    fn places(&self, cube: &[u64], factors: &[usize], show: &mut dyn FnMut(usize, &[usize]) -> bool) {
        let held: Vec<Vec<usize>> = factors.iter().map(|factor| self.held(cube, *factor).collect()).collect();
        if held.iter().any(Vec::is_empty) {
            return;
        }
        let mut at = vec![0; factors.len()];
        let mut values = vec![0; factors.len()];
        loop {
            let mut place = 0;
            for (nth, factor) in factors.iter().enumerate() {
                values[nth] = held[nth][at[nth]];
                place = place * self.range(*factor).len() + values[nth];
            }
            if !show(place, &values) {
                return;
            }
            let Some(last) = (0..at.len()).rev().find(|nth| at[*nth] + 1 < held[*nth].len()) else { return };
            at[last] += 1;
            at[last + 1..].fill(0);
        }
    }

    /// Whether a relation has a truth value everywhere in a cube.
    pub(super) fn everywhere(
        &self,
        cube: &[u64],
        factors: &[usize],
        truth: &[Option<bool>],
        wanted: bool,
    ) -> bool {
        let mut all = true;
        self.places(cube, factors, &mut |place, _| {
            all = truth[place] == Some(wanted);
            all
        });
        all
    }

    /// Leaves out of a cube the values with which a relation does not have a truth value; false if nothing is left.
    pub(super) fn narrow(
        &self,
        cube: &mut [u64],
        factors: &[usize],
        truth: &[Option<bool>],
        wanted: bool,
    ) -> bool {
        let mut seen = vec![Vec::new(); factors.len()];
        self.places(cube, factors, &mut |place, values| {
            if truth[place] == Some(wanted) {
                seen.iter_mut().zip(values).for_each(|(seen, value)| seen.push(*value));
            }
            true
        });
        for (factor, seen) in factors.iter().zip(&seen) {
            let facts = self.range(*factor);
            facts.clone().for_each(|fact| bits::take(cube, fact));
            seen.iter().for_each(|value| bits::put(cube, facts.start + value));
        }
        !seen[0].is_empty()
    }

    /// The location of an automaton, where a cube leaves no choice.
    fn only_place(&self, cube: &[u64], factor: usize) -> Option<&Place> {
        let places = self.places[factor].as_ref()?;
        let mut held = self.held(cube, factor);
        let only = held.next()?;
        held.next().is_none().then(|| places.get(only)).flatten()
    }

    /// Adds what locations ask of clocks; false if nothing is left.
    fn invariants(&self, Region { cube, zone }: &mut Region) -> bool {
        let automata = (0..self.factors()).filter_map(|factor| self.only_place(cube, factor));
        automata.flat_map(|place| &place.invariant).all(|c| zone.constrain(c.left, c.right, c.bound))
    }

    /// The states from which time may lead into a region.
    pub(super) fn waiting(&self, mut region: Region) -> Option<Region> {
        if !self.invariants(&mut region) {
            return None;
        }
        let still = |factor: usize| self.only_place(&region.cube, factor).is_some_and(|place| place.still);
        if self.clocks.is_empty() || (0..self.factors()).any(still) {
            return Some(region);
        }
        if !fault::active(Fault::RegressionWithoutTime) {
            region.zone.down();
        }
        self.invariants(&mut region).then_some(region)
    }

    /// The states from which a label leads into a region, if there are any.
    pub(super) fn before(&self, region: &Region, operator: &Operator) -> Option<Region> {
        let mut cube = region.cube.clone();
        for (factor, group) in &operator.parts {
            let facts = self.range(*factor);
            facts.clone().for_each(|fact| bits::take(&mut cube, fact));
            let mut any = false;
            for (from, to) in &self.atomic.factors[*factor].1.groups[*group as usize] {
                if bits::has(&region.cube, facts.start + to.index()) {
                    any = true;
                    bits::put(&mut cube, facts.start + from.index());
                }
            }
            if !any {
                return None;
            }
        }
        for (factor, at) in &operator.leaves {
            let facts = self.range(*factor);
            let source = facts.start + at;
            if !bits::has(&cube, source) {
                return None;
            }
            facts.filter(|fact| *fact != source).for_each(|fact| bits::take(&mut cube, fact));
        }
        let committed = |factor: usize| {
            self.places[factor].as_ref().is_some_and(|places| {
                self.held(&cube, factor).all(|at| places.get(at).is_some_and(|place| place.committed))
            })
        };
        if !operator.committed && (0..self.factors()).any(committed) {
            return None;
        }
        let mut zone = region.zone.clone();
        for (row, value) in &operator.sets {
            if let Some(value) = value {
                let (at_most, at_least) = (Bound::le(*value), Bound::le(-*value));
                if !zone.constrain(*row, 0, at_most) || !zone.constrain(0, *row, at_least) {
                    return None;
                }
            }
            zone.free(*row);
        }
        let mut before = Region { cube, zone };
        let possible = operator.guard.iter().all(|c| before.zone.constrain(c.left, c.right, c.bound));
        (possible && self.invariants(&mut before)).then_some(before)
    }

    /// About how much work it is to look back from a region.
    pub(super) fn effort(&self, operator: &Operator) -> u64 {
        let moves = |(factor, group): &(usize, u32)| {
            self.atomic.factors[*factor].1.groups[*group as usize].len() + self.range(*factor).len()
        };
        let rows = self.clocks.len() + 1;
        (operator.parts.iter().map(moves).sum::<usize>() + rows * rows) as u64
    }
}
