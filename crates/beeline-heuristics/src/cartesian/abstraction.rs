//! The abstraction: leaves, each a Cartesian set, which together hold every state once; their transitions, and their
//! distances from the goal. It begins with one leaf, and is refined by splits.
//!
//! Seipp and Helmert, Journal of Artificial Intelligence Research 62, 2018.

use super::Leaf;
use super::distances::Distances;
use super::flaws::{Cut, Flaw};
use super::hierarchy::Hierarchy;
use super::system::{System, meet};
use super::timing::Timing;
use super::transitions::Transitions;
use beeline_zones::{Constraint, Dbm, ops};

/// The abstraction.
#[derive(Debug)]
pub(super) struct Abstraction {
    pub(super) system: System,
    /// The sets of all leaves, one after the other.
    sets: Vec<u64>,
    /// Their clock values; `None` where these may be any.
    zones: Vec<Option<Box<Dbm>>>,
    pub(super) hierarchy: Hierarchy,
    pub(super) transitions: Transitions,
    pub(super) distances: Distances,
    /// The leaf with the initial state.
    pub(super) start: Leaf,
    /// Bytes of zones.
    matrices: usize,
    /// Entries of zones looked at so far, about.
    looks: u64,
}

impl Abstraction {
    /// With one leaf.
    pub(super) fn new(system: System) -> Self {
        let goal = (0..system.factors()).all(|factor| {
            let range = system.range(factor);
            meet(&system.goal[range.clone()], &system.all[range])
        });
        Self {
            sets: system.all.clone(),
            zones: vec![None],
            hierarchy: Hierarchy::new(&system),
            transitions: Transitions::new(system.operators.len()),
            distances: Distances::new(goal),
            start: Leaf::new(0),
            matrices: 0,
            looks: 0,
            system,
        }
    }

    /// Number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.zones.len()
    }

    /// The set of a leaf.
    #[inline]
    pub(super) fn set(&self, leaf: Leaf) -> &[u64] {
        let words = self.system.words();
        &self.sets[leaf.index() * words..][..words]
    }

    /// The clock values of a leaf; `None` if these may be any.
    pub(super) fn zone(&self, leaf: Leaf) -> Option<&Dbm> {
        self.zones[leaf.index()].as_deref()
    }

    /// Whether some leaf says something of clocks.
    pub(super) fn is_timed(&self) -> bool {
        self.hierarchy.is_timed()
    }

    /// Transitions and entries of zones looked at so far, about.
    pub(super) fn work(&self) -> u64 {
        self.transitions.asked + self.distances.looks + self.looks
    }

    pub(super) fn bytes(&self) -> usize {
        let Self { system, sets, zones, hierarchy, transitions, distances, .. } = self;
        let sets = size_of_val(&**sets) + size_of_val(&**zones) + self.matrices;
        system.bytes + sets + hierarchy.bytes() + transitions.bytes() + distances.bytes()
    }

    /// Mends a flaw.
    pub(super) fn mend(&mut self, flaw: &Flaw) {
        match &flaw.cut {
            Cut::Factor(factor, wanted) => {
                let new = self.hierarchy.split(flaw.leaf, *factor, wanted);
                self.split_set(flaw.leaf, new, *factor, wanted);
            }
            Cut::Clocks(constraint) => {
                let new = self.hierarchy.split_clocks(flaw.leaf, *constraint);
                self.split_zone(flaw.leaf, new, *constraint);
            }
            Cut::Transition(arc) => {
                let Self { system, transitions, distances, .. } = self;
                transitions.remove(flaw.leaf, *arc);
                let operators = &system.operators;
                let dead =
                    distances.without(flaw.leaf, transitions, |operator| operators[operator as usize].costs);
                dead.iter().for_each(|leaf| transitions.bury(*leaf));
            }
        }
    }

    /// Splits a leaf by the states of a factor: what is wanted keeps its name.
    fn split_set(&mut self, old: Leaf, new: Leaf, factor: usize, wanted: &[u64]) {
        let (words, range) = (self.system.words(), self.system.range(factor));
        let first = old.index() * words;
        self.sets.extend_from_within(first..first + words);
        self.zones.push(self.zones[old.index()].clone());
        self.matrices += self.zone(old).map_or(0, |zone| size_of_val(zone.as_slice()));
        let last = new.index() * words;
        for (at, wanted) in range.clone().zip(wanted) {
            self.sets[first + at] &= wanted;
            self.sets[last + at] &= !wanted;
        }
        let system = &self.system;
        let part = |leaf: Leaf| &self.sets[leaf.index() * words..][range.clone()];
        debug_assert!(part(old).iter().any(|word| *word != 0) && part(new).iter().any(|word| *word != 0));
        let was = self.distances.is_goal(old);
        let met = |leaf: Leaf| was && meet(part(leaf), &system.goal[range.clone()]);
        let goal = (met(old), met(new));
        let begins = meet(part(new), &system.initial[range.clone()]);
        self.rewire((old, new), goal, Some(factor));
        if self.start == old && begins {
            self.start = new;
        }
    }

    /// Splits a leaf by a constraint on clocks: what meets it keeps its name.
    fn split_zone(&mut self, old: Leaf, new: Leaf, constraint: Constraint) {
        let Some(timing) = &self.system.timing else { return };
        let words = self.system.words();
        let first = old.index() * words;
        self.sets.extend_from_within(first..first + words);
        let whole = self.zones[old.index()].take().map_or_else(|| timing.all(), |zone| *zone);
        let part = |constraint: Constraint| {
            let mut zone = whole.clone();
            let some = zone.constrain(constraint.left, constraint.right, constraint.bound);
            debug_assert!(some, "a split has two sides");
            zone
        };
        let (inside, outside) = (part(constraint), part(constraint.negated()));
        let mut zero = timing.zero();
        let begins = zero.intersect(&outside);
        self.matrices += 2 * size_of_val(inside.as_slice());
        self.zones[old.index()] = Some(Box::new(inside));
        self.zones.push(Some(Box::new(outside)));
        let goal = self.distances.is_goal(old);
        self.rewire((old, new), (goal, goal), None);
        if self.start == old && begins {
            self.start = new;
        }
    }

    /// Brings transitions and distances up to date when a leaf became two, by a factor or by clocks.
    fn rewire(&mut self, (old, new): (Leaf, Leaf), goal: (bool, bool), factor: Option<usize>) {
        let Self { system, sets, zones, transitions, distances, looks, .. } = self;
        let words = system.words();
        let set = |leaf: Leaf| &sets[leaf.index() * words..][..words];
        let range = factor.map_or(0..0, |factor| system.range(factor));
        let mut room = system.timing.as_ref().map(Timing::all);
        transitions.split(old, new, |operator, from, to| {
            if let Some(factor) = factor
                && !system.leads(operator, factor, &set(from)[range.clone()], &set(to)[range.clone()])
            {
                return false;
            }
            let (Some(timing), Some(room)) = (&system.timing, &mut room) else { return true };
            let (before, after) = (&zones[from.index()], &zones[to.index()]);
            let tells = factor.is_none_or(|factor| timing.knows(system, factor, set(from)));
            if before.is_none() && after.is_none() && !tells {
                return true;
            }
            *looks += (timing.dim() * timing.dim()) as u64;
            match before {
                Some(zone) => room.clone_from(zone),
                None => ops::universal(room.as_mut_slice(), timing.dim()),
            }
            timing.step(system, operator, set(from), room)
                && after.as_ref().is_none_or(|after| room.intersects(after))
        });
        let operators = &system.operators;
        let costs = |operator: u32| operators[operator as usize].costs;
        let dead = distances.split((old, new), goal, transitions, costs);
        dead.iter().for_each(|leaf| transitions.bury(*leaf));
    }
}
