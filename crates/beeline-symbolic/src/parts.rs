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
use std::collections::{BTreeMap, BTreeSet};

/// Cubes beyond which a target stays whole.
const MOST_CUBES: usize = 4_096;

/// Some of the targets, or what they are in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub target: Bdd,
    /// What tells it from other states, as far as the property says.
    pub asked: Vec<VarId>,
    /// If it is about several instances: what it says of each of them. It is in all of these.
    pub factors: Vec<Part>,
}

impl Part {
    /// All targets.
    pub fn whole(system: &System) -> Self {
        Self { target: system.target.clone(), asked: system.asked.clone(), factors: Vec::new() }
    }
}

/// Parts that hold all targets that are not known to be out of reach; there is one at least.
pub(crate) fn parts(system: &System, known: &Known) -> Made<Vec<Part>> {
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
    if cover.between(&targets, &either)?.is_none() || cover.cubes.is_empty() {
        return Ok(vec![Part::whole(system)]);
    }
    let mut parts: BTreeMap<BTreeSet<&str>, (BTreeSet<VarId>, Bdd)> = BTreeMap::new();
    for cube in &cover.cubes {
        let vars = || cube.iter().filter_map(|(bit, _)| owners.get(bit).copied());
        let instances = vars().map(|var| instance(&system.names[var.index()])).collect();
        let (asked, cubes) = parts.entry(instances).or_insert_with(|| (BTreeSet::new(), b.no()));
        asked.extend(vars());
        *cubes = b.or(cubes, &b.literals(cube)?)?;
    }
    let part = |(instances, (asked, cubes)): (BTreeSet<&str>, (BTreeSet<VarId>, Bdd))| {
        let mut factors = Vec::new();
        for of in instances.iter().filter(|_| instances.len() > 1) {
            let is_its = |var: &VarId| instance(&system.names[var.index()]) == *of;
            let (own, others): (Vec<VarId>, Vec<VarId>) = asked.iter().partition(|var| is_its(var));
            let others = others.iter().flat_map(|var| system.encoding.places[var.index()].current.clone());
            let target = b.exists(&cubes, &b.cube(&others.collect::<Vec<Bit>>())?)?;
            factors.push(Part { target: b.and(&target, &system.space)?, asked: own, factors: Vec::new() });
        }
        Ok(Part { target: b.and(&system.target, &cubes)?, asked: asked.into_iter().collect(), factors })
    };
    parts.into_iter().map(part).collect()
}

/// The instance that a variable belongs to; one of none is alone.
fn instance(variable: &str) -> &str {
    match invariants::instance(variable) {
        "" => variable,
        instance => instance,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order;
    use crate::transition::Partitioning;
    use beeline_ir::limits::Limits;

    /// The parts of the target of a model, each with the names it is about, and whether together they are the target.
    fn parts_of(text: &str) -> Made<(Vec<String>, bool)> {
        let relation = beeline_smv::read(text, "parts.smv").expect("a model").relation;
        let partitioning = Partitioning { cluster: 1_000, split: true };
        let order = order::force(&relation);
        let system = System::new(&relation, &relation.properties[0], order, partitioning, &Limits::default())
            .expect("a system");
        let parts = parts(&system, &Known::new(Vec::new(), &system)?)?;
        let b = &system.b;
        let all = parts.iter().try_fold(b.no(), |all, part| b.or(&all, &part.target))?;
        let names = |part: &Part| {
            let names = part.asked.iter().map(|var| system.names[var.index()].as_str());
            names.collect::<Vec<_>>().join(" ")
        };
        Ok((parts.iter().map(names).collect(), all == system.target))
    }

    #[test]
    fn no_two_of_four_is_a_part_for_each_pair() -> Made<()> {
        let text = "MODULE main\nVAR a : boolean; b : boolean; c : boolean; d : boolean;\n\
                    INVARSPEC count(a, b, c, d) <= 1\n";
        let (mut names, whole) = parts_of(text)?;
        names.sort();
        assert_eq!(names, ["a b", "a c", "a d", "b c", "b d", "c d"]);
        assert!(whole);
        Ok(())
    }

    /// Numbers stay whole, and what an instance has stays together.
    #[test]
    fn cubes_about_the_same_are_together() -> Made<()> {
        let numbers = "MODULE main\nVAR x : 0..200; y : 0..9;\nINVARSPEC x < 77 & y < 5\n";
        assert_eq!(parts_of(numbers)?, (vec!["x".to_string(), "y".to_string()], true));
        let instances = "MODULE main\nVAR p : cell; q : cell; r : cell;\n\
                         INVARSPEC count(p.a, p.b, q.a, q.b, r.a) <= 1\n\
                         MODULE cell\nVAR a : boolean; b : boolean;\n";
        let (names, whole) = parts_of(instances)?;
        assert_eq!((names.len(), whole), (5, true), "{names:?}");
        Ok(())
    }

    /// An exclusive or of all bits has too many cubes.
    #[test]
    fn what_has_too_many_cubes_stays_whole() -> Made<()> {
        let vars: Vec<String> = (0..12).map(|i| format!("x{i}")).collect();
        let declared: String = vars.iter().map(|x| format!("{x} : boolean; ")).collect();
        let text = format!("MODULE main\nVAR {declared}\nINVARSPEC {}\n", vars.join(" xor "));
        let (names, whole) = parts_of(&text)?;
        assert_eq!((names.len(), whole), (1, true));
        Ok(())
    }
}
