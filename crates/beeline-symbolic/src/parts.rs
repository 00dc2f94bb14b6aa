//! Targets in parts, each about few of the variables that a property asks about: "no two of n users" is a part for each
//! pair. A database for a part sees few variables, where one for all of them would see every way to every part at once.
//!
//! The parts are the cubes of an irredundant sum of products (Minato and Morreale: S. Minato, *Fast generation of
//! prime-irredundant covers from binary decision diagrams*, IEICE Trans. 1993), cubes about the same instances together.
//! Combinations of values that are known to be impossible may be in a cube or not, so that it has few literals.

use crate::bdd::{Bdd, Bdds, Bit, Made};
use crate::invariants::{self, Known};
use crate::system::System;
use beeline_ir::VarId;
use beeline_ir::relation::Relation;
use std::collections::{BTreeMap, BTreeSet};

/// Cubes beyond which a target stays whole.
const MOST_CUBES: usize = 1_024;

/// Some of the targets.
pub(crate) struct Part {
    pub target: Bdd,
    /// What tells it from other states, as far as the property says.
    pub asked: Vec<VarId>,
}

/// Parts that hold all targets that are not known to be out of reach; there is one at least.
pub(crate) fn parts(system: &System, relation: &Relation, known: &Known) -> Made<Vec<Part>> {
    let whole = || vec![Part { target: system.target.clone(), asked: system.asked.clone() }];
    let b = &system.b;
    let mut owners: BTreeMap<Bit, VarId> = BTreeMap::new();
    for var in &system.asked {
        owners.extend(system.encoding.places[var.index()].current.iter().map(|bit| (*bit, *var)));
    }
    let stored = system.encoding.stored().flat_map(|place| place.current.iter().copied());
    let others: Vec<Bit> = stored.filter(|bit| !owners.contains_key(bit)).collect();
    let others = b.cube(&others)?;
    let asked = |set: &Bdd| b.and_exists(set, &known.together, &others);
    let (targets, possible) = (asked(&system.target)?, asked(&system.space)?);
    let mut cover = Cover { b, cubes: Vec::new(), literals: Vec::new() };
    let either = b.or(&targets, &b.not(&possible)?)?;
    if cover.between(&targets, &either)?.is_none() || cover.cubes.len() < 2 {
        return Ok(whole());
    }
    let mut parts: BTreeMap<BTreeSet<&str>, (BTreeSet<VarId>, Bdd)> = BTreeMap::new();
    for cube in &cover.cubes {
        let vars = || cube.iter().filter_map(|(bit, _)| owners.get(bit).copied());
        let instances =
            vars().map(|var| relation.vars[var].name.as_str()).map(invariants::instance).collect();
        let (asked, cubes) = parts.entry(instances).or_insert_with(|| (BTreeSet::new(), b.no()));
        asked.extend(vars());
        *cubes = b.or(cubes, &b.literals(cube)?)?;
    }
    let parts = parts.into_values();
    let part = |(asked, cubes): (BTreeSet<VarId>, Bdd)| {
        Ok(Part { target: b.and(&system.target, &cubes)?, asked: asked.into_iter().collect() })
    };
    parts.map(part).collect()
}

/// A sum of products that is being made.
struct Cover<'b> {
    b: &'b Bdds,
    cubes: Vec<Vec<(Bit, bool)>>,
    /// Those of the cubes that are being made.
    literals: Vec<(Bit, bool)>,
}

impl Cover<'_> {
    /// Adds cubes that hold all of the first set and nothing but the second. What they hold, if they are not too many.
    fn between(&mut self, least: &Bdd, most: &Bdd) -> Made<Option<Bdd>> {
        let b = self.b;
        if b.is_no(least) {
            return Ok(Some(b.no()));
        }
        let tops = [least, most].into_iter().filter_map(|set| b.top(set));
        let Some(bit) = tops.min_by_key(|bit| b.level(*bit)).filter(|_| !b.is_yes(most)) else {
            self.cubes.push(self.literals.clone());
            return Ok((self.cubes.len() <= MOST_CUBES).then(|| b.yes()));
        };
        let [(least1, least0), (most1, most0)] = [least, most].map(|set| match b.children(set) {
            Some(children) if b.top(set) == Some(bit) => children,
            _ => (set.clone(), set.clone()),
        });
        // What cannot do without the literal, one way or the other; then what is left.
        let Some(without) = self.with((bit, false), &b.minus(&least0, &most1)?, &most0)? else {
            return Ok(None);
        };
        let Some(with) = self.with((bit, true), &b.minus(&least1, &most0)?, &most1)? else {
            return Ok(None);
        };
        let left = b.or(&b.minus(&least0, &without)?, &b.minus(&least1, &with)?)?;
        let Some(either) = self.between(&left, &b.and(&most0, &most1)?)? else { return Ok(None) };
        Ok(Some(b.or(&either, &b.ite(&b.bit(bit)?, &with, &without)?)?))
    }
    /// The same, with one more literal.
    fn with(&mut self, literal: (Bit, bool), least: &Bdd, most: &Bdd) -> Made<Option<Bdd>> {
        self.literals.push(literal);
        let made = self.between(least, most);
        self.literals.pop();
        made
    }
}
