//! A factor: a small transition system over the labels of all of them. Labels with the same transitions share them, so
//! most of what a network does, which leaves most factors as they are, is written down once.
//!
//! Helmert, Haslum, Hoffmann and Nissim, "Merge-and-shrink abstraction: a method for generating lower bounds in factored
//! state spaces", Journal of the ACM 61(3), 2014; groups of locally equivalent labels as in Sievers, Wehrle and Helmert,
//! "Generalized label reduction for merge-and-shrink heuristics", AAAI 2014.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A state of a factor.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct State(pub(crate) u32);

impl State {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("budgets keep factors small"))
    }
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The labels of all factors: whether each costs a step; `None` for one that is gone.
pub(crate) type Labels = Vec<Option<bool>>;

/// The labels that there are.
pub(crate) fn live(labels: &Labels) -> impl Iterator<Item = (usize, bool)> + '_ {
    labels.iter().enumerate().filter_map(|(label, costs)| costs.map(|costs| (label, costs)))
}

/// From one state to another.
pub(crate) type Transition = (State, State);

/// A transition system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Factor {
    pub(crate) initial: State,
    pub(crate) goal: Vec<bool>,
    /// Transitions of the labels of each group, ascending; no two groups have the same.
    pub(crate) groups: Vec<Vec<Transition>>,
    /// The group of each label.
    pub(crate) group_of: Vec<u32>,
}

impl Factor {
    /// Number of states.
    pub(crate) fn states(&self) -> usize {
        self.goal.len()
    }

    /// The transitions of a label.
    pub(crate) fn transitions(&self, label: usize) -> &[Transition] {
        &self.groups[self.group_of[label] as usize]
    }

    /// Where a label leads from a state.
    pub(crate) fn moves(&self, label: usize, state: State) -> impl Iterator<Item = State> + '_ {
        let transitions = self.transitions(label);
        let first = transitions.partition_point(|(from, _)| *from < state);
        transitions[first..].iter().take_while(move |(from, _)| *from == state).map(|(_, to)| *to)
    }

    /// Number of transitions, those of a group once.
    pub(crate) fn size(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// For each group, whether all its labels cost a step; `None` if none is left.
    fn costs(&self, labels: &Labels) -> Vec<Option<bool>> {
        let mut costs: Vec<Option<bool>> = vec![None; self.groups.len()];
        for (label, cost) in live(labels) {
            let group = &mut costs[self.group_of[label] as usize];
            *group = Some(cost && group.unwrap_or(true));
        }
        costs
    }

    /// For each group, whether its labels leave every state as it is.
    pub(crate) fn irrelevant(&self) -> Vec<bool> {
        let same = |group: &Vec<Transition>| {
            group.len() == self.states() && group.iter().all(|(from, to)| from == to)
        };
        self.groups.iter().map(same).collect()
    }

    /// The steps from every state to the goal; `None` where there is no way.
    pub(crate) fn distances(&self, labels: &Labels) -> Vec<Option<u32>> {
        let costs = self.costs(labels);
        let into =
            Neighbours::new(self, |group, t| costs[group].is_some() && t.0 != t.1, |(from, to)| (to, from));
        let mut distances = vec![None; self.states()];
        let goals = (0..self.states()).filter(|state| self.goal[*state]);
        let mut open: VecDeque<(State, u32)> = goals.map(|state| (State::new(state), 0)).collect();
        while let Some((state, distance)) = open.pop_front() {
            if distances[state.index()].is_some() {
                continue;
            }
            distances[state.index()] = Some(distance);
            for (group, from) in into.of(state) {
                match costs[*group as usize] == Some(true) {
                    _ if distances[from.index()].is_some() => {}
                    true => open.push_back((*from, distance + 1)),
                    false => open.push_front((*from, distance)),
                }
            }
        }
        distances
    }

    /// The states that the initial one leads to.
    pub(crate) fn reachable(&self, labels: &Labels) -> Vec<bool> {
        let costs = self.costs(labels);
        let out =
            Neighbours::new(self, |group, t| costs[group].is_some() && t.0 != t.1, |transition| transition);
        let mut reached = vec![false; self.states()];
        let mut open = vec![self.initial];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state.index()], true) {
                open.extend(out.of(state).iter().map(|(_, to)| *to));
            }
        }
        reached
    }

    /// What becomes of the states if those are left out that the initial state does not lead to, or that do not lead to
    /// the goal; `None` if all stay. Where the initial state is left out, nothing leads to the goal.
    pub(crate) fn useful(&self, labels: &Labels) -> Option<Vec<Option<State>>> {
        let (reached, distances) = (self.reachable(labels), self.distances(labels));
        let mut next = 0;
        let mut number = |(reached, distance): (&bool, &Option<u32>)| {
            let stays = *reached && distance.is_some();
            next += usize::from(stays);
            stays.then(|| State::new(next - 1))
        };
        let map: Vec<Option<State>> = reached.iter().zip(&distances).map(&mut number).collect();
        map.contains(&None).then_some(map)
    }

    /// The factor whose states are those that these become; `None` if the initial state becomes none.
    pub(crate) fn mapped(&self, map: &[Option<State>], labels: &mut Labels) -> Option<Self> {
        let states = map.iter().flatten().max().map_or(0, |last| last.index() + 1);
        let mut goal = vec![false; states];
        for (state, becomes) in map.iter().enumerate() {
            if let Some(becomes) = becomes {
                goal[becomes.index()] |= self.goal[state];
            }
        }
        let both = |(from, to): &Transition| Some((map[from.index()]?, map[to.index()]?));
        let groups = self.groups.iter().map(|group| group.iter().filter_map(both).collect()).collect();
        let initial = map[self.initial.index()]?;
        Some(Self { initial, goal, groups, group_of: self.group_of.clone() }.tidy(labels))
    }

    /// Puts transitions in order, and groups with the same transitions together. Labels without any are gone: they are
    /// never taken.
    pub(crate) fn tidy(mut self, labels: &mut Labels) -> Self {
        for (label, cost) in labels.iter_mut().enumerate() {
            if cost.is_some() && self.groups[self.group_of[label] as usize].is_empty() {
                *cost = None;
            }
        }
        let costs = self.costs(labels);
        let mut known: FxHashMap<Vec<Transition>, u32> = FxHashMap::default();
        let mut groups = Vec::new();
        let mut becomes = vec![0; self.groups.len()];
        for (at, mut group) in self.groups.into_iter().enumerate() {
            if costs[at].is_none() {
                continue;
            }
            group.sort_unstable();
            group.dedup();
            becomes[at] = *known.entry(group).or_insert_with_key(|group| {
                groups.push(group.clone());
                groups.len() as u32 - 1
            });
        }
        for (label, group) in self.group_of.iter_mut().enumerate() {
            *group = if labels[label].is_some() { becomes[*group as usize] } else { 0 };
        }
        Self { groups, ..self }
    }
}

/// Some transitions by one of their ends, with their group and the other.
#[derive(Debug)]
pub(crate) struct Neighbours {
    starts: Vec<u32>,
    arcs: Vec<(u32, State)>,
}

impl Neighbours {
    /// Those to keep, by the first of their ends as `ends` puts them in order.
    pub(crate) fn new(
        factor: &Factor,
        keep: impl Fn(usize, Transition) -> bool,
        ends: impl Fn(Transition) -> Transition,
    ) -> Self {
        let kept = || {
            let groups = factor.groups.iter().enumerate();
            let all = groups.flat_map(|(group, all)| all.iter().map(move |transition| (group, *transition)));
            all.filter(|(group, transition)| keep(*group, *transition))
        };
        let mut starts = vec![0u32; factor.states() + 1];
        kept().for_each(|(_, transition)| starts[ends(transition).0.index() + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut arcs = vec![(0, State(0)); starts.last().map_or(0, |n| *n as usize)];
        for (group, transition) in kept() {
            let (at, other) = ends(transition);
            arcs[next[at.index()] as usize] = (group as u32, other);
            next[at.index()] += 1;
        }
        Self { starts, arcs }
    }

    /// The transitions at a state.
    pub(crate) fn of(&self, state: State) -> &[(u32, State)] {
        &self.arcs[self.starts[state.index()] as usize..self.starts[state.index() + 1] as usize]
    }

    /// Number of states.
    pub(crate) fn states(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of transitions.
    pub(crate) fn size(&self) -> usize {
        self.arcs.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.arcs)
    }
}
