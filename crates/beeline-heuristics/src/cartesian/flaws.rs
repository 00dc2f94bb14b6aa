//! Flaws: where a shortest abstract way cannot be followed in the system. What can be reached along it is a Cartesian set
//! at each leaf, at first the initial state. Where a label has no way on from there to the next leaf, it has none for
//! some factors; at each of these, the states of the leaf from which it has one are *wanted*, and those where the way has
//! come to are not among them. A split between the two takes the transition from the half that was reached.
//!
//! Seipp and Helmert, Journal of Artificial Intelligence Research 62, 2018. There the way is followed with one state; here
//! labels may have several outcomes, and all of them are tried at once. Clocks are looked at when nothing else fails
//! (`timed_flaws`).

use super::Leaf;
use super::abstraction::Abstraction;
use super::system::{meet, size};
use super::transitions::Arc;
use beeline_zones::Constraint;

/// How to choose between several factors that a leaf can be split by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Pick {
    /// That of whose states the least share is left in the leaf: it has been split most.
    MaxRefined,
    /// That which has been split least.
    MinRefined,
    /// That with the fewest states which are not wanted.
    MinUnwanted,
    /// That with the most of them.
    MaxUnwanted,
}

/// What takes a shortest way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Flaw {
    pub(super) leaf: Leaf,
    pub(super) cut: Cut,
}

/// How a flaw is mended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Cut {
    /// The leaf is split by states of a factor, some of the leaf's but not all.
    Factor(usize, Vec<u64>),
    /// The leaf is split by a constraint on clocks.
    Clocks(Constraint),
    /// The transition is none, for all clock values.
    Transition(Arc),
}

/// Follows shortest ways.
#[derive(Debug)]
pub(super) struct Follower {
    pick: Pick,
    /// What can be reached, and what comes after it.
    pub(super) here: Vec<u64>,
    pub(super) there: Vec<u64>,
    pub(super) wanted: Vec<u64>,
    /// What following ways has been so far, about.
    pub(super) work: u64,
}

impl Follower {
    pub(super) fn new(pick: Pick, words: usize) -> Self {
        Self { pick, here: vec![0; words], there: vec![0; words], wanted: vec![0; words], work: 0 }
    }

    /// The first flaw on the way from a leaf with the initial state; `None` if there is none.
    pub(super) fn first_flaw(&mut self, abstraction: &Abstraction, start: Leaf) -> Option<Flaw> {
        let system = &abstraction.system;
        self.here.copy_from_slice(&system.initial);
        let mut leaf = start;
        while let Some(arc) = abstraction.distances.next(leaf) {
            let to = abstraction.set(arc.other);
            self.work += system.words() as u64;
            let mut best = None;
            for factor in 0..system.factors() {
                let range = system.range(factor);
                let (here, there) = (&self.here[range.clone()], &mut self.there[range.clone()]);
                system.image(arc.operator, factor, here, there);
                there.iter_mut().zip(&to[range.clone()]).for_each(|(word, to)| *word &= to);
                if there.iter().all(|word| *word == 0) {
                    let wanted = &mut self.wanted[range.clone()];
                    let from = &abstraction.set(leaf)[range.clone()];
                    system.origin(arc.operator, factor, from, &to[range], wanted);
                    self.offer(abstraction, leaf, factor, &mut best);
                }
            }
            if let Some((_, factor)) = best {
                return Some(self.flaw(abstraction, leaf, factor));
            }
            std::mem::swap(&mut self.here, &mut self.there);
            leaf = arc.other;
        }
        let mut best = None;
        for factor in 0..system.factors() {
            let range = system.range(factor);
            if !meet(&self.here[range.clone()], &system.goal[range.clone()]) {
                let set = &abstraction.set(leaf)[range.clone()];
                let pairs = self.wanted[range.clone()].iter_mut().zip(set.iter().zip(&system.goal[range]));
                pairs.for_each(|(wanted, (set, goal))| *wanted = set & goal);
                self.offer(abstraction, leaf, factor, &mut best);
            }
        }
        best.map(|(_, factor)| self.flaw(abstraction, leaf, factor))
    }

    /// Takes a factor of a leaf if it is better than the best one so far, with what is wanted of it.
    fn offer(&self, abstraction: &Abstraction, leaf: Leaf, factor: usize, best: &mut Option<(f64, usize)>) {
        let range = abstraction.system.range(factor);
        let held = size(&abstraction.set(leaf)[range.clone()]) as f64;
        let wanted = size(&self.wanted[range.clone()]) as f64;
        let share = held / size(&abstraction.system.all[range]) as f64;
        let badness = match self.pick {
            Pick::MaxRefined => share,
            Pick::MinRefined => -share,
            Pick::MinUnwanted => held - wanted,
            Pick::MaxUnwanted => wanted - held,
        };
        if best.is_none_or(|(least, _)| badness < least) {
            *best = Some((badness, factor));
        }
    }

    fn flaw(&self, abstraction: &Abstraction, leaf: Leaf, factor: usize) -> Flaw {
        let wanted = self.wanted[abstraction.system.range(factor)].to_vec();
        Flaw { leaf, cut: Cut::Factor(factor, wanted) }
    }
}
