//! The cuts of a factor on the way to some of its states. A dominator is a state that every way there passes; between one
//! and the next, a way has to come down step by step from its distance to the next one: the labels that lead from one
//! distance to one less, from states that can be on the way, are a cut. A step of a label makes one transition of the
//! factor, so it crosses no more than one of the cuts.

use crate::factors::{Factor, State};
use std::collections::VecDeque;

/// States times transitions that are worth it.
const MOST_WORK: usize = 1 << 22;

/// The transitions of a factor that lead elsewhere.
#[derive(Debug)]
pub(super) struct Graph {
    /// From, to, group; ascending.
    arcs: Vec<(State, State, u32)>,
    out: Vec<Vec<u32>>,
    into: Vec<Vec<u32>>,
    /// Whether all labels of a group cost a step.
    costs: Vec<bool>,
}

/// The way from a state to the first dominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Leg {
    /// Its cuts, each a list of groups.
    pub(super) cuts: Vec<Vec<u32>>,
    /// The dominator; `None` if it is the target.
    pub(super) next: Option<State>,
}

impl Graph {
    /// The graph of a factor, with groups that no label has left out; `None` if it is too large.
    pub(super) fn new(factor: &Factor, costs: &[Option<bool>]) -> Option<Self> {
        let states = factor.states();
        let mut arcs = Vec::new();
        for (at, group) in factor.groups.iter().enumerate().filter(|(at, _)| costs[*at].is_some()) {
            arcs.extend(group.iter().filter(|(a, b)| a != b).map(|(from, to)| (*from, *to, at as u32)));
            if arcs.len().saturating_mul(states) > MOST_WORK {
                return None;
            }
        }
        arcs.sort_unstable();
        let (mut out, mut into) = (vec![Vec::new(); states], vec![Vec::new(); states]);
        for (at, (from, to, _)) in arcs.iter().enumerate() {
            out[from.index()].push(at as u32);
            into[to.index()].push(at as u32);
        }
        let costs = costs.iter().map(|costs| *costs == Some(true)).collect();
        Some(Self { arcs, out, into, costs })
    }

    /// About how many operations it takes to find the cuts of one target.
    pub(super) fn work(&self) -> u64 {
        2 * (self.out.len() * (self.arcs.len() + self.out.len())) as u64
    }

    fn from(&self, arc: u32) -> usize {
        self.arcs[arc as usize].0.index()
    }

    fn to(&self, arc: u32) -> usize {
        self.arcs[arc as usize].1.index()
    }

    /// The number of transitions to the target, by state, on ways that avoid one.
    fn hops(&self, target: &[bool], avoided: Option<usize>) -> Vec<Option<u32>> {
        let mut hops: Vec<Option<u32>> = target.iter().map(|target| target.then_some(0)).collect();
        let mut open: VecDeque<usize> = (0..target.len()).filter(|state| target[*state]).collect();
        while let Some(state) = open.pop_front() {
            for arc in &self.into[state] {
                let from = self.from(*arc);
                if hops[from].is_none() && avoided != Some(from) {
                    hops[from] = hops[state].map(|hops| hops + 1);
                    open.push_back(from);
                }
            }
        }
        hops
    }

    /// From each state the first that every way to the target passes, which is not in the target; `None` if there is none.
    fn dominators(&self, target: &[bool], hops: &[Option<u32>]) -> Vec<Option<usize>> {
        let mut first: Vec<Option<usize>> = vec![None; target.len()];
        for passed in (0..target.len()).filter(|state| !target[*state] && hops[*state].is_some()) {
            let without = self.hops(target, Some(passed));
            for state in (0..target.len()).filter(|state| *state != passed) {
                // The dominators of a state lie one behind the other: the first is farthest from the target.
                let before = first[state].is_none_or(|known| hops[known] < hops[passed]);
                if hops[state].is_some() && without[state].is_none() && before {
                    first[state] = Some(passed);
                }
            }
        }
        first
    }

    /// The cuts between a state and where ways end.
    fn segment(&self, start: usize, ends: &dyn Fn(usize) -> bool) -> Vec<Vec<u32>> {
        let states = self.out.len();
        let mut inside = vec![false; states];
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut inside[state], true) && !ends(state) {
                open.extend(self.out[state].iter().map(|arc| self.to(*arc)));
            }
        }
        let mut steps: Vec<Option<usize>> = vec![None; states];
        let mut open: VecDeque<(usize, usize)> =
            (0..states).filter(|state| inside[*state] && ends(*state)).map(|state| (state, 0)).collect();
        while let Some((state, distance)) = open.pop_front() {
            if steps[state].is_some() {
                continue;
            }
            steps[state] = Some(distance);
            for arc in &self.into[state] {
                let from = self.from(*arc);
                match self.costs[self.arcs[*arc as usize].2 as usize] {
                    _ if !inside[from] || ends(from) || steps[from].is_some() => {}
                    true => open.push_back((from, distance + 1)),
                    false => open.push_front((from, distance)),
                }
            }
        }
        let mut cuts = vec![Vec::new(); steps[start].unwrap_or(0)];
        for (from, to, group) in &self.arcs {
            if let (Some(before), Some(after)) = (steps[from.index()], steps[to.index()])
                && !ends(from.index())
                && before == after + 1
                && after < cuts.len()
            {
                cuts[after].push(*group);
            }
        }
        for cut in &mut cuts {
            cut.sort_unstable();
            cut.dedup();
        }
        cuts
    }

    /// The first leg of the way from every state to a target; `None` where there is no way.
    pub(super) fn legs(&self, target: &[bool]) -> Vec<Option<Leg>> {
        let hops = self.hops(target, None);
        let dominators = self.dominators(target, &hops);
        let leg = |state: usize| {
            let cuts = match dominators[state] {
                _ if target[state] => Vec::new(),
                None => self.segment(state, &|at| target[at]),
                Some(next) => self.segment(state, &|at| at == next),
            };
            Leg { cuts, next: dominators[state].map(State::new) }
        };
        (0..target.len()).map(|state| hops[state].map(|_| leg(state))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(states: usize, arcs: &[(u32, u32)]) -> Factor {
        let groups = arcs.iter().map(|(from, to)| vec![(State(*from), State(*to))]).collect();
        let group_of = (0..arcs.len() as u32).collect();
        Factor { initial: State(0), goal: vec![true; states], groups, group_of }
    }

    /// All cuts from every state to one, the last first.
    fn cuts(graph: &Graph, states: usize, target: usize) -> Vec<Option<Vec<Vec<u32>>>> {
        let target: Vec<bool> = (0..states).map(|state| state == target).collect();
        let legs = graph.legs(&target);
        let all = |leg: &Leg| {
            let legs = std::iter::successors(Some(leg), |leg| legs[leg.next?.index()].as_ref());
            let mut cuts: Vec<Vec<Vec<u32>>> = legs.map(|leg| leg.cuts.clone()).collect();
            cuts.reverse();
            cuts.concat()
        };
        legs.iter().map(|leg| leg.as_ref().map(all)).collect()
    }

    #[test]
    fn between_dominators_all_ways_are_cut() {
        // A diamond from 0 to 3, then a step to 4, and from there back to 1.
        let arcs = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 1)];
        let graph = Graph::new(&factor(5, &arcs), &[Some(true); 6]).expect("small");
        let found = cuts(&graph, 5, 4);
        assert_eq!(found[0], Some(vec![vec![4], vec![2, 3], vec![0, 1]]));
        assert_eq!(found[1], Some(vec![vec![4], vec![2]]));
        assert_eq!(found[4], Some(vec![]));
        // Nothing leads to 0.
        assert_eq!(cuts(&graph, 5, 0)[1..], [None, None, None, None]);
    }

    #[test]
    fn what_lies_behind_a_dominator_is_in_no_cut_before_it() {
        // All ways from 0 to 4 pass 1; beyond it there are two, and a way back to 5, which leads to 1 as well.
        let arcs = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (2, 5), (5, 1)];
        let graph = Graph::new(&factor(6, &arcs), &[Some(true); 7]).expect("small");
        let found = cuts(&graph, 6, 4);
        assert_eq!(found[0], Some(vec![vec![3, 4], vec![1, 2], vec![0]]));
        assert_eq!(found[5], Some(vec![vec![3, 4], vec![1, 2], vec![6]]));
    }

    #[test]
    fn what_costs_nothing_is_in_no_cut() {
        let arcs = [(0, 1), (1, 2)];
        let graph = Graph::new(&factor(3, &arcs), &[Some(true), Some(false)]).expect("small");
        assert_eq!(cuts(&graph, 3, 2), [Some(vec![vec![0]]), Some(vec![]), Some(vec![])]);
        // A label that is gone leads nowhere.
        let graph = Graph::new(&factor(3, &arcs), &[Some(true), None]).expect("small");
        assert_eq!(cuts(&graph, 3, 2), [None, None, Some(vec![])]);
    }
}
