//! Rows of a proof: of each combination of values that the predicates of a part tell apart, the clock values from
//! which, as far as the part knows, time leads into no abstract state. No label leads from there to where it does.
//!
//! The same with abstract states below a layer tells which states are at least so many steps away from the target: on a
//! run of a given length they can be met that much before its end at the latest, so these rows have levels.

use super::part::Part;
use super::predicates::Predicate;
use super::regression::Abstract;
use beeline_ir::certificate::{Cell, Row, ZoneConstraint};
use beeline_zones::{Dbm, Federation, minimal};
use std::collections::BTreeSet;

/// Abstract states that are compared with combinations of values.
const MOST_COMPARISONS: usize = 20_000_000;

/// The distances from the target that rows are asked for.
#[derive(Copy, Clone, Debug)]
enum Distances {
    Infinite,
    /// For a run of some length: up to so many steps.
    UpTo(u32, u32),
}

/// Values of a factor that no predicate tells apart.
type Class = Vec<usize>;

impl Part {
    /// Adds the rows of what is out of reach, or of what is far enough from the target for a shortest run of some length;
    /// states have so many slots. `None` if they are too many.
    pub(super) fn rows(
        &self,
        length: Option<u32>,
        most: usize,
        width: usize,
        rows: &mut Vec<Row>,
    ) -> Option<()> {
        let layers = self.abstraction.layers;
        let least_distances = match length {
            None if !self.abstraction.closed => return Some(()),
            None => Distances::Infinite,
            Some(length) if self.abstraction.closed => Distances::UpTo(length, length),
            Some(length) => Distances::UpTo(length, length.min(layers)),
        };
        let classes = self.classes();
        let combinations = classes.iter().try_fold(1usize, |all, (_, its)| all.checked_mul(its.len()))?;
        if combinations.checked_mul(self.abstraction.states.len().max(1))? > MOST_COMPARISONS {
            return None;
        }
        // As regression has it, so that nothing leads into one of these zones from outside but what is an abstract
        // state, too.
        let zone = |state: &Abstract| {
            let region = self.predicates.region(&self.system, &state.literals)?;
            self.system.waiting(region).map(|region| region.zone)
        };
        let zones: Vec<Option<Dbm>> = self.abstraction.states.iter().map(zone).collect();
        let mut at = vec![0; classes.len()];
        for _ in 0..combinations {
            let chosen: Vec<(usize, &Class)> =
                classes.iter().zip(&at).map(|((factor, its), at)| (*factor, &its[*at])).collect();
            self.rows_of(&chosen, &zones, width, least_distances, rows);
            if rows.len() > most {
                return None;
            }
            for (at, (_, its)) in at.iter_mut().zip(&classes) {
                *at += 1;
                if *at < its.len() {
                    break;
                }
                *at = 0;
            }
        }
        Some(())
    }

    /// The factors of the network, and their values in classes: one where no predicate tells any apart.
    fn classes(&self) -> Vec<(usize, Vec<Class>)> {
        let mut related: BTreeSet<usize> = BTreeSet::new();
        for predicate in self.predicates.iter() {
            if let Predicate::Relation { factors, .. } = predicate {
                related.extend(factors);
            }
        }
        let by_fact = self.predicates.by_fact(&self.system);
        let of = |factor: usize| {
            let facts = self.system.range(factor);
            let mut classes: Vec<Class> = Vec::new();
            for value in 0..facts.len() {
                let alike = |class: &&mut Class| {
                    !related.contains(&factor)
                        && by_fact[facts.start + class[0]] == by_fact[facts.start + value]
                };
                match classes.iter_mut().find(alike) {
                    Some(class) => class.push(value),
                    None => classes.push(vec![value]),
                }
            }
            (factor, classes)
        };
        let factors = (0..self.system.factors()).filter(|factor| self.system.slots[*factor].is_some());
        factors.map(of).collect()
    }

    /// The rows of a combination.
    fn rows_of(
        &self,
        chosen: &[(usize, &Class)],
        zones: &[Option<Dbm>],
        width: usize,
        distances: Distances,
        rows: &mut Vec<Row>,
    ) {
        let system = &self.system;
        let mut values = vec![0; system.factors()];
        chosen.iter().for_each(|(factor, class)| values[*factor] = class[0]);
        let mut literals = vec![0; self.predicates.words()];
        for (factor, class) in chosen {
            self.predicates.add_value(*factor, class[0], &mut literals);
        }
        self.predicates.add_relations(system, &values, &mut literals);
        let mut cells = vec![Cell::Any; width];
        for (factor, class) in chosen {
            let Some((slot, least)) = system.slots[*factor] else { continue };
            if class.len() == system.range(*factor).len() {
                continue;
            }
            let value = |value: &usize| least + *value as i64;
            cells[slot] = match &***class {
                [one] => Cell::Value(value(one)),
                several => Cell::Set(several.iter().map(value).collect()),
            };
        }
        let mut add = |left: &Federation, level: u32| {
            for zone in left.zones() {
                rows.push(Row { level, cells: cells.clone(), zone: self.constraints(zone) });
            }
        };
        let clocks = self.predicates.clock_literals();
        let mut left = Federation::from_zone(Dbm::universal(system.clocks.len() + 1));
        // The last distance of which there are rows; nothing is nearer than the target.
        let mut told = 0;
        for (state, zone) in self.abstraction.states.iter().zip(zones) {
            if left.is_empty() {
                return;
            }
            let discrete = state.literals.iter().zip(&clocks).map(|(its, clocks)| its & !clocks);
            let elsewhere = { discrete }.zip(&literals).any(|(its, all)| its & !all != 0);
            let (false, Some(zone)) = (elsewhere, zone) else { continue };
            if left.intersect(zone).is_empty() {
                continue;
            }
            if let Distances::UpTo(length, greatest) = distances
                && state.layer > told
            {
                // What is left is no nearer than this state. Beyond the greatest distance nothing is asked.
                told = state.layer.min(greatest);
                add(&left, length - told);
                if told == greatest {
                    return;
                }
            }
            left = left.subtract(zone);
        }
        match distances {
            Distances::Infinite => add(&left, 0),
            Distances::UpTo(length, greatest) => add(&left, length - greatest),
        }
    }

    fn constraints(&self, zone: &Dbm) -> Vec<ZoneConstraint> {
        let clock = |row: usize| row.checked_sub(1).map(|row| self.system.clocks[row]);
        let named = minimal(zone).into_iter().filter_map(|c| {
            let (left, right) = (clock(c.left), clock(c.right));
            let bound = c.bound.constant()?.into();
            Some(ZoneConstraint { left, right, bound, strict: c.bound.is_strict() })
        });
        named.collect()
    }
}
