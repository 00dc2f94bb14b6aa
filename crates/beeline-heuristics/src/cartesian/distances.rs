//! The distances of all leaves from the goal, kept up to date as leaves are split: a tree of shortest ways, in which each
//! leaf knows its next step. A split can only make ways longer, and only those that led through the leaf that was split:
//! these lose their distance, one after the other, unless another transition offers the same; then those without one get
//! a new one from their neighbours (Dijkstra).
//!
//! Labels that cost nothing count as a tiny part of a step, so that no way goes round in circles.
//!
//! Seipp and Helmert, Journal of Artificial Intelligence Research 62, 2018; the incremental search for shortest ways:
//! Seipp, von Allmen and Helmert, "Incremental search for counterexample-guided Cartesian abstraction refinement", ICAPS
//! 2020.

use super::Leaf;
use super::transitions::{Arc, Transitions};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A step, in tiny parts.
const STEP: u64 = 1 << 32;
const NEVER: u64 = u64::MAX;

/// The distances.
#[derive(Debug)]
pub(super) struct Distances {
    parts: Vec<u64>,
    next: Vec<Option<Arc>>,
    goal: Vec<bool>,
    /// Leaves that may have lost their way, and those that have; of the first, each once.
    waiting: BinaryHeap<Reverse<(u64, Leaf)>>,
    doubted: Vec<bool>,
    lost: Vec<Leaf>,
    open: BinaryHeap<Reverse<(u64, Leaf)>>,
    /// Transitions looked at so far.
    pub(super) looks: u64,
}

impl Distances {
    /// Of one leaf, in which the goal is, or is not: then it is nowhere.
    pub(super) fn new(goal: bool) -> Self {
        Self {
            parts: vec![if goal { 0 } else { NEVER }],
            next: vec![None],
            goal: vec![goal],
            waiting: BinaryHeap::new(),
            doubted: vec![false],
            lost: Vec::new(),
            open: BinaryHeap::new(),
            looks: 0,
        }
    }

    /// The steps from a leaf; `None` if the goal is out of reach.
    #[inline]
    pub(super) fn steps(&self, leaf: Leaf) -> Option<u32> {
        let parts = self.parts[leaf.index()];
        (parts != NEVER).then_some((parts / STEP) as u32)
    }

    /// Whether the goal is in a leaf.
    pub(super) fn is_goal(&self, leaf: Leaf) -> bool {
        self.goal[leaf.index()]
    }

    /// The next step from a leaf; `None` where the goal is.
    pub(super) fn next(&self, leaf: Leaf) -> Option<Arc> {
        self.next[leaf.index()]
    }

    pub(super) fn bytes(&self) -> usize {
        self.parts.len() * (size_of::<u64>() + size_of::<Option<Arc>>() + 2)
    }

    /// A leaf became two, the old one and the last; says of each whether the goal is in it. Returns those from which the
    /// goal is out of reach now.
    pub(super) fn split(
        &mut self,
        (old, new): (Leaf, Leaf),
        goal: (bool, bool),
        transitions: &Transitions,
        costs: impl Fn(u32) -> bool,
    ) -> &[Leaf] {
        let before = self.parts[old.index()];
        self.parts.push(before);
        self.next.push(None);
        self.doubted.push(false);
        self.goal.push(goal.1);
        self.goal[old.index()] = goal.0;
        self.next[old.index()] = None;
        let length = |operator: u32| if costs(operator) { STEP } else { 1 };
        self.doubt(old);
        self.doubt(new);
        // Next steps to the old leaf may now lead to the other half, or to both.
        for half in [old, new] {
            let arcs = &transitions.into[half.index()];
            self.looks += arcs.len() as u64;
            for Arc { other, .. } in arcs {
                if self.next[other.index()].is_some_and(|arc| arc.other == old) {
                    self.doubt(*other);
                }
            }
        }
        self.mend(transitions, length)
    }

    /// A transition from a leaf is gone. Returns the leaves from which the goal is out of reach now.
    pub(super) fn without(
        &mut self,
        from: Leaf,
        transitions: &Transitions,
        costs: impl Fn(u32) -> bool,
    ) -> &[Leaf] {
        self.doubt(from);
        self.mend(transitions, |operator| if costs(operator) { STEP } else { 1 })
    }

    /// A leaf may have lost its way.
    fn doubt(&mut self, leaf: Leaf) {
        let at = leaf.index();
        if !self.goal[at] && self.parts[at] != NEVER && !self.doubted[at] {
            self.doubted[at] = true;
            self.waiting.push(Reverse((self.parts[at], leaf)));
        }
    }

    /// The ways from leaves in doubt may have become longer, and no others but through them.
    fn mend(&mut self, transitions: &Transitions, length: impl Fn(u32) -> u64) -> &[Leaf] {
        let Self { parts, next, waiting, doubted, lost, open, looks, .. } = self;
        lost.clear();
        // In order of distance: whatever is nearer has kept its way or lost it by now.
        while let Some(Reverse((distance, leaf))) = waiting.pop() {
            let arcs = &transitions.out[leaf.index()];
            *looks += arcs.len() as u64;
            let same = |arc: &&Arc| {
                let (to, length) = (arc.other.index(), length(arc.operator));
                !doubted[to] && parts[to] != NEVER && parts[to] + length == distance
            };
            if let Some(arc) = arcs.iter().find(same) {
                next[leaf.index()] = Some(*arc);
                doubted[leaf.index()] = false;
                continue;
            }
            lost.push(leaf);
            next[leaf.index()] = None;
            let arcs = &transitions.into[leaf.index()];
            *looks += arcs.len() as u64;
            for Arc { other, .. } in arcs {
                let leads_here = next[other.index()].is_some_and(|arc| arc.other == leaf);
                if leads_here && !doubted[other.index()] {
                    doubted[other.index()] = true;
                    waiting.push(Reverse((parts[other.index()], *other)));
                }
            }
        }
        for leaf in &*lost {
            parts[leaf.index()] = NEVER;
        }
        for leaf in &*lost {
            let arcs = &transitions.out[leaf.index()];
            *looks += arcs.len() as u64;
            let known = arcs.iter().filter(|arc| !doubted[arc.other.index()]);
            let ways = known.filter(|arc| parts[arc.other.index()] != NEVER);
            let best = ways.map(|arc| (parts[arc.other.index()] + length(arc.operator), *arc)).min();
            if let Some((distance, arc)) = best {
                parts[leaf.index()] = distance;
                next[leaf.index()] = Some(arc);
                open.push(Reverse((distance, *leaf)));
            }
        }
        while let Some(Reverse((distance, leaf))) = open.pop() {
            if distance > parts[leaf.index()] {
                continue;
            }
            let arcs = &transitions.into[leaf.index()];
            *looks += arcs.len() as u64;
            for Arc { other, operator } in arcs {
                let farther = distance + length(*operator);
                if doubted[other.index()] && farther < parts[other.index()] {
                    parts[other.index()] = farther;
                    next[other.index()] = Some(Arc { other: leaf, operator: *operator });
                    open.push(Reverse((farther, *other)));
                }
            }
        }
        lost.iter().for_each(|leaf| doubted[leaf.index()] = false);
        lost.retain(|leaf| parts[leaf.index()] == NEVER);
        lost
    }
}
