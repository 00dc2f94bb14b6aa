//! The abstraction: leaves, each a Cartesian set, which together hold every state once; their transitions, and their
//! distances from the goal. It begins with one leaf, and is refined by splits.
//!
//! Seipp and Helmert, Journal of Artificial Intelligence Research 62, 2018.

use super::Leaf;
use super::distances::Distances;
use super::flaws::Flaw;
use super::hierarchy::Hierarchy;
use super::system::{System, meet};
use super::transitions::Transitions;

/// The abstraction.
#[derive(Debug)]
pub(super) struct Abstraction {
    pub(super) system: System,
    /// The sets of all leaves, one after the other.
    sets: Vec<u64>,
    pub(super) hierarchy: Hierarchy,
    pub(super) transitions: Transitions,
    pub(super) distances: Distances,
    /// The leaf with the initial state.
    pub(super) start: Leaf,
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
            hierarchy: Hierarchy::new(&system),
            transitions: Transitions::new(system.operators.len()),
            distances: Distances::new(goal),
            start: Leaf::new(0),
            system,
        }
    }

    /// Number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.sets.len() / self.system.words().max(1)
    }

    /// The set of a leaf.
    #[inline]
    pub(super) fn set(&self, leaf: Leaf) -> &[u64] {
        let words = self.system.words();
        &self.sets[leaf.index() * words..][..words]
    }

    pub(super) fn bytes(&self) -> usize {
        let Self { system, sets, hierarchy, transitions, distances, .. } = self;
        system.bytes + size_of_val(&**sets) + hierarchy.bytes() + transitions.bytes() + distances.bytes()
    }

    /// Splits a leaf: what is wanted keeps its name.
    pub(super) fn split(&mut self, flaw: &Flaw) {
        let Flaw { leaf: old, factor, wanted } = flaw;
        let new = self.hierarchy.split(*old, *factor, wanted);
        let (words, range) = (self.system.words(), self.system.range(*factor));
        let first = old.index() * words;
        self.sets.extend_from_within(first..first + words);
        let last = new.index() * words;
        for (at, wanted) in range.clone().zip(wanted) {
            self.sets[first + at] &= wanted;
            self.sets[last + at] &= !wanted;
        }
        let Self { system, sets, transitions, distances, start, .. } = self;
        let part = |leaf: Leaf| &sets[leaf.index() * words..][range.clone()];
        debug_assert!(part(*old).iter().any(|word| *word != 0) && part(new).iter().any(|word| *word != 0));
        transitions
            .split(*old, new, |operator, from, to| system.leads(operator, *factor, part(from), part(to)));
        let met = |leaf: Leaf| meet(part(leaf), &system.goal[range.clone()]);
        let was = distances.is_goal(*old);
        let goal = (was && met(*old), was && met(new));
        let operators = &system.operators;
        let dead =
            distances.split((*old, new), goal, transitions, |operator| operators[operator as usize].costs);
        dead.iter().for_each(|leaf| transitions.bury(*leaf));
        if *start == *old && meet(part(new), &system.initial[range.clone()]) {
            *start = new;
        }
    }
}
