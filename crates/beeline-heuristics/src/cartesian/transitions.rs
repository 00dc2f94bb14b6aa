//! The abstract transitions: which label may lead from which leaf to which other one. When a leaf is split, only its own
//! transitions are looked at, and of each of them only what it says of the part that was split: it goes on to one half or
//! to both. Labels that lead back to where they came from are kept apart; they become transitions when their leaf is
//! split.
//!
//! Seipp and Helmert, "Counterexample-guided Cartesian abstraction refinement for classical planning", Journal of
//! Artificial Intelligence Research 62, 2018.

use super::Leaf;
use beeline_zones::fault::{self, Fault};

/// A transition, seen from one of its ends.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Arc {
    pub(super) other: Leaf,
    pub(super) operator: u32,
}

/// All transitions, by leaf.
#[derive(Debug)]
pub(super) struct Transitions {
    pub(super) out: Vec<Vec<Arc>>,
    pub(super) into: Vec<Vec<Arc>>,
    loops: Vec<Vec<u32>>,
    /// Transitions and loops.
    pub(super) count: usize,
    /// Transitions looked at so far.
    pub(super) asked: u64,
    ends: Vec<Leaf>,
}

impl Transitions {
    /// Of one leaf, to which all labels lead back.
    pub(super) fn new(operators: usize) -> Self {
        Self {
            out: vec![Vec::new()],
            into: vec![Vec::new()],
            loops: vec![(0..operators as u32).collect()],
            count: operators,
            asked: 0,
            ends: Vec::new(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.out.len() * 3 * size_of::<Vec<Arc>>();
        lists + self.count * 2 * size_of::<Arc>()
    }

    /// A leaf became two, the old one and the last. Says of each question whether a label leads from a leaf to another as
    /// far as the part is concerned that was split.
    pub(super) fn split(&mut self, old: Leaf, new: Leaf, mut leads: impl FnMut(u32, Leaf, Leaf) -> bool) {
        self.out.push(Vec::new());
        self.into.push(Vec::new());
        self.loops.push(Vec::new());
        self.split_arriving(old, new, &mut leads);
        self.split_leaving(old, new, &mut leads);
        for operator in std::mem::take(&mut self.loops[old.index()]) {
            self.asked += 4;
            self.count -= 1;
            for leaf in [old, new] {
                if leads(operator, leaf, leaf) {
                    self.loops[leaf.index()].push(operator);
                    self.count += 1;
                }
            }
            for (from, to) in [(old, new), (new, old)] {
                // The last of them is what one would forget.
                let forgotten = fault::active(Fault::CartesianLoopForgotten) && from == new;
                if !forgotten && leads(operator, from, to) {
                    self.out[from.index()].push(Arc { other: to, operator });
                    self.into[to.index()].push(Arc { other: from, operator });
                    self.count += 1;
                }
            }
        }
    }

    /// Transitions that led to the old leaf from others.
    fn split_arriving(&mut self, old: Leaf, new: Leaf, leads: &mut impl FnMut(u32, Leaf, Leaf) -> bool) {
        let Self { out, into, count, asked, ends, .. } = self;
        let before = std::mem::take(&mut into[old.index()]);
        neighbours(&before, ends);
        for from in &*ends {
            let arcs = &mut out[from.index()];
            *asked += arcs.len() as u64;
            for at in (0..arcs.len()).rev() {
                let Arc { other, operator } = arcs[at];
                if other != old {
                    continue;
                }
                *asked += 2;
                let (first, second) = (leads(operator, *from, old), leads(operator, *from, new));
                if first {
                    into[old.index()].push(Arc { other: *from, operator });
                }
                if second {
                    into[new.index()].push(Arc { other: *from, operator });
                }
                match (first, second) {
                    (true, true) => {
                        arcs.push(Arc { other: new, operator });
                        *count += 1;
                    }
                    (true, false) => {}
                    (false, true) => arcs[at].other = new,
                    (false, false) => {
                        arcs.swap_remove(at);
                        *count -= 1;
                    }
                }
            }
        }
    }

    /// Transitions that led from the old leaf to others.
    fn split_leaving(&mut self, old: Leaf, new: Leaf, leads: &mut impl FnMut(u32, Leaf, Leaf) -> bool) {
        let Self { out, into, count, asked, ends, .. } = self;
        let before = std::mem::take(&mut out[old.index()]);
        neighbours(&before, ends);
        for to in &*ends {
            let arcs = &mut into[to.index()];
            *asked += arcs.len() as u64;
            for at in (0..arcs.len()).rev() {
                let Arc { other, operator } = arcs[at];
                if other != old {
                    continue;
                }
                *asked += 2;
                let (first, second) = (leads(operator, old, *to), leads(operator, new, *to));
                if first {
                    out[old.index()].push(Arc { other: *to, operator });
                }
                if second {
                    out[new.index()].push(Arc { other: *to, operator });
                }
                match (first, second) {
                    (true, true) => {
                        arcs.push(Arc { other: new, operator });
                        *count += 1;
                    }
                    (true, false) => {}
                    (false, true) => arcs[at].other = new,
                    (false, false) => {
                        arcs.swap_remove(at);
                        *count -= 1;
                    }
                }
            }
        }
    }

    /// Leaves out a transition.
    pub(super) fn remove(&mut self, from: Leaf, arc: Arc) {
        let back = Arc { other: from, operator: arc.operator };
        self.out[from.index()].retain(|other| *other != arc);
        self.into[arc.other.index()].retain(|other| *other != back);
        self.count -= 1;
    }

    /// Leaves out all transitions of a leaf from which the goal is out of reach for ever.
    pub(super) fn bury(&mut self, dead: Leaf) {
        let Self { out, into, loops, count, ends, .. } = self;
        *count -= loops[dead.index()].len();
        loops[dead.index()] = Vec::new();
        let before = std::mem::take(&mut into[dead.index()]);
        neighbours(&before, ends);
        for from in &*ends {
            out[from.index()].retain(|arc| arc.other != dead);
        }
        *count -= before.len();
        let before = std::mem::take(&mut out[dead.index()]);
        neighbours(&before, ends);
        for to in &*ends {
            into[to.index()].retain(|arc| arc.other != dead);
        }
        *count -= before.len();
    }
}

/// The other ends of transitions, each once.
fn neighbours(arcs: &[Arc], into: &mut Vec<Leaf>) {
    into.clear();
    into.extend(arcs.iter().map(|arc| arc.other));
    into.sort_unstable();
    into.dedup();
}
