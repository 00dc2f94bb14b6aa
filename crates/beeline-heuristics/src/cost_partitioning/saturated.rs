//! Saturated cost partitioning: in some order, each abstraction gets the costs that are left, and keeps of them only what
//! its distances need; the rest goes to those that follow. The sum of all distances is a lower bound, and consistent.
//! Costs are counted in parts of a step, so that a label need not belong to one abstraction alone.
//!
//! Seipp, Keller and Helmert, "Saturated cost partitioning for optimal classical planning", Journal of Artificial
//! Intelligence Research 67, 2020: the saturated cost of a label may be negative, and then leaves more to others. Costs
//! that only states farther away than a given one need can be left to others, too: Seipp and Helmert, "Subset-saturated
//! cost partitioning for optimal classical planning", ICAPS 2019.

use crate::factors::{Factor, Labels, Neighbours, State, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::collections::BTreeMap;
use std::mem::replace;

/// Parts of a step.
pub(super) const PARTS: u32 = 12;

/// The costs of all labels in parts; those that are gone have any.
pub(super) type Costs = Vec<u32>;

/// All costs, before any is given away.
pub(super) fn full(labels: &Labels) -> Costs {
    labels.iter().map(|costs| if *costs == Some(true) { PARTS } else { 0 }).collect()
}

/// A transition system that can be asked for its distances under different costs.
#[derive(Debug)]
pub(super) struct Weighed {
    goals: Vec<State>,
    /// Transitions by where they lead, but for those of labels that change nothing.
    into: Neighbours,
    group_of: Vec<u32>,
    groups: usize,
    /// The groups whose labels change nothing.
    irrelevant: Vec<bool>,
    /// The groups whose labels lead from some state to another.
    changing: Vec<bool>,
}

/// What an abstraction makes of some costs.
#[derive(Debug)]
pub(super) struct Saturated {
    /// The distance of each state, in parts.
    pub(super) distances: Vec<u32>,
    /// What the distances need, of each group of labels.
    needed: Vec<i64>,
}

impl Weighed {
    pub(super) fn new(factor: &Factor) -> Self {
        let irrelevant = factor.irrelevant();
        let goals = (0..factor.states()).filter(|state| factor.goal[*state]).map(State::new).collect();
        let into = Neighbours::new(factor, |group, _| !irrelevant[group], |(from, to)| (to, from));
        let group_of = factor.group_of.clone();
        let changing = |group: &Vec<Transition>| group.iter().any(|(from, to)| from != to);
        let changing = factor.groups.iter().map(changing).collect();
        Self { goals, into, group_of, groups: factor.groups.len(), irrelevant, changing }
    }

    pub(super) fn states(&self) -> usize {
        self.into.states()
    }

    /// Transitions that each question goes through.
    pub(super) fn size(&self) -> usize {
        self.into.size()
    }

    pub(super) fn bytes(&self) -> usize {
        self.into.bytes() + size_of_val(&*self.group_of) + size_of_val(&*self.goals)
    }

    /// Distances under costs, and how much of the costs they need; no distance is greater than that of one state, if that
    /// is asked for.
    pub(super) fn saturate(&self, labels: &Labels, costs: &Costs, farthest: Option<State>) -> Saturated {
        let mut cheapest: Vec<Option<u32>> = vec![None; self.groups];
        for (label, _) in live(labels) {
            let cheapest = &mut cheapest[self.group_of[label] as usize];
            *cheapest = Some(cheapest.map_or(costs[label], |cost| cost.min(costs[label])));
        }
        let mut distances = self.distances(&cheapest);
        if let Some(most) = farthest.and_then(|state| distances[state.index()]) {
            distances.iter_mut().flatten().for_each(|distance| *distance = most.min(*distance));
        }
        let mut needed: Vec<Option<i64>> = vec![None; self.groups];
        for (at, to) in distances.iter().enumerate() {
            for (group, from) in self.into.of(State::new(at)) {
                if let (Some(to), Some(from)) = (*to, distances[from.index()]) {
                    let most = &mut needed[*group as usize];
                    let drop = i64::from(from) - i64::from(to);
                    *most = Some(most.map_or(drop, |most| most.max(drop)));
                }
            }
        }
        // A group without transitions between useful states needs nothing, and neither does one that changes nothing.
        let needed = needed.into_iter().zip(&self.irrelevant);
        let needed =
            needed.map(|(needed, irrelevant)| if *irrelevant { 0 } else { needed.unwrap_or(0) }).collect();
        Saturated { distances: distances.into_iter().map(|distance| distance.unwrap_or(0)).collect(), needed }
    }

    /// Whether a label leads from some state to another.
    pub(super) fn changed_by(&self, label: usize) -> bool {
        self.changing[self.group_of[label] as usize]
    }

    /// What a label gives to distances.
    pub(super) fn needed(&self, saturated: &Saturated, label: usize) -> i64 {
        saturated.needed[self.group_of[label] as usize]
    }

    /// Takes from the costs what the distances need.
    pub(super) fn take(&self, saturated: &Saturated, labels: &Labels, costs: &mut Costs) {
        for (label, _) in live(labels) {
            let left = i64::from(costs[label]) - self.needed(saturated, label);
            costs[label] = u32::try_from(left.max(0)).unwrap_or(u32::MAX).min(MOST);
        }
    }

    /// Dijkstra's algorithm, backwards from the goal, with a list of states for each distance.
    fn distances(&self, costs: &[Option<u32>]) -> Vec<Option<u32>> {
        let mut distances: Vec<Option<u32>> = vec![None; self.states()];
        let mut settled = vec![false; self.states()];
        self.goals.iter().for_each(|goal| distances[goal.index()] = Some(0));
        let mut open: BTreeMap<u32, Vec<State>> = BTreeMap::from([(0, self.goals.clone())]);
        while let Some((distance, mut states)) = open.pop_first() {
            while let Some(state) = states.pop() {
                if distances[state.index()] != Some(distance) || replace(&mut settled[state.index()], true) {
                    continue;
                }
                for (group, from) in self.into.of(state) {
                    let Some(cost) = costs[*group as usize] else { continue };
                    let (known, sum) = (&mut distances[from.index()], distance.saturating_add(cost));
                    if known.is_none_or(|known| sum < known) {
                        *known = Some(sum);
                        if cost == 0 { &mut states } else { open.entry(sum).or_default() }.push(*from);
                    }
                }
            }
        }
        distances
    }
}

/// The distances by one order: each projection takes first what the sample needs, if there is one, then, of what is left,
/// what all states need.
pub(super) fn share(
    labels: &Labels,
    weighed: &[Weighed],
    (order, sample): (&[usize], Option<&[State]>),
    meter: &Meter<'_>,
) -> Result<Vec<Vec<u32>>, StopReason> {
    let mut costs = full(labels);
    let mut sums: Vec<Vec<u32>> = weighed.iter().map(|weighed| vec![0; weighed.states()]).collect();
    for sample in [sample, None].into_iter().skip(usize::from(sample.is_none())) {
        for at in order {
            let weighed = &weighed[*at];
            meter.work(8 * weighed.size() as u64)?;
            let saturated = weighed.saturate(labels, &costs, sample.map(|sample| sample[*at]));
            weighed.take(&saturated, labels, &mut costs);
            sums[*at].iter_mut().zip(saturated.distances).for_each(|(sum, distance)| *sum += distance);
        }
    }
    Ok(sums)
}

/// Costs beyond this are not told apart.
const MOST: u32 = 1 << 24;
