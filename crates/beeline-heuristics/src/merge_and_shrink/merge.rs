//! Which two factors are merged next, and their product.
//!
//! The order is that of Draeger, Finkbeiner and Podelski, "Directed model checking with distance-preserving
//! abstractions", SPIN 2006, in the form of Sievers, Wehrle and Helmert, AAAI 2014: the two that share a label that leads
//! close to the goal in both.

use super::factor::{Factor, Labels, State, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::collections::{BTreeMap, BTreeSet};

/// The two factors to be merged next, those excepted that were refused; `None` if there are none.
pub(super) fn next_pair(
    factors: &[Option<Factor>],
    labels: &Labels,
    refused: &BTreeSet<(usize, usize)>,
    meter: &Meter<'_>,
) -> Result<Option<(usize, usize)>, StopReason> {
    // For each label the factors it matters to, with the least distance it leads to.
    let mut leads: Vec<Vec<(usize, u32)>> = vec![Vec::new(); labels.len()];
    let mut about_goal = vec![false; factors.len()];
    for (at, factor) in factors.iter().enumerate().filter_map(|(at, factor)| Some((at, factor.as_ref()?))) {
        about_goal[at] = factor.goal.contains(&false);
        let (distances, irrelevant) = (factor.distances(labels), factor.irrelevant());
        let nearest =
            |group: &Vec<Transition>| group.iter().filter_map(|(_, to)| distances[to.index()]).min();
        let nearest: Vec<Option<u32>> = factor.groups.iter().map(nearest).collect();
        for (label, _) in live(labels) {
            let group = factor.group_of[label] as usize;
            if let (false, Some(distance)) = (irrelevant[group], nearest[group]) {
                leads[label].push((at, distance));
            }
        }
        meter.work((factor.size() + labels.len()) as u64)?;
    }
    let mut weights: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    for leads in &leads {
        meter.work((leads.len() * leads.len()) as u64)?;
        for (at, (one, near)) in leads.iter().enumerate() {
            for (other, far) in &leads[at + 1..] {
                let weight = weights.entry((*one, *other)).or_insert(u32::MAX);
                *weight = (*weight).min(*near.max(far));
            }
        }
    }
    let there: Vec<usize> = (0..factors.len()).filter(|at| factors[*at].is_some()).collect();
    let pairs = there.iter().flat_map(|a| there.iter().filter(move |b| a < b).map(move |b| (*a, *b)));
    let size = |at: usize| factors[at].as_ref().map_or(0, Factor::states);
    let rank = |(a, b): &(usize, usize)| {
        let weight = weights.get(&(*a, *b));
        // Those about the goal first, then by weight, then the smallest product.
        (!(about_goal[*a] || about_goal[*b]), weight.is_none(), weight.copied(), size(*a) * size(*b), *a, *b)
    };
    Ok(pairs.filter(|pair| !refused.contains(pair)).min_by_key(rank))
}

/// Pairs of groups that have a label in common, with one of these labels; by label their place among them.
fn common(a: &Factor, b: &Factor, labels: &Labels) -> (Vec<usize>, Vec<u32>) {
    let mut known: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let (mut pairs, mut pair_of) = (Vec::new(), vec![0; labels.len()]);
    for (label, _) in live(labels) {
        pair_of[label] = *known.entry((a.group_of[label], b.group_of[label])).or_insert_with(|| {
            pairs.push(label);
            pairs.len() as u32 - 1
        });
    }
    (pairs, pair_of)
}

/// How many transitions the product of two factors has.
pub(super) fn product_size(a: &Factor, b: &Factor, labels: &Labels) -> usize {
    let both = |label: &usize| a.transitions(*label).len().saturating_mul(b.transitions(*label).len());
    common(a, b, labels).0.iter().map(both).fold(0, usize::saturating_add)
}

/// The product of two factors; the state of both is that of the first times the states of the second, plus that of the
/// second.
pub(super) fn product(
    a: &Factor,
    b: &Factor,
    labels: &mut Labels,
    meter: &Meter<'_>,
) -> Result<Factor, StopReason> {
    let width = b.states();
    let pair = |a: State, b: State| State::new(a.index() * width + b.index());
    let (pairs, group_of) = common(a, b, labels);
    let mut groups = Vec::with_capacity(pairs.len());
    for label in pairs {
        let (left, right) = (a.transitions(label), b.transitions(label));
        meter.work((left.len() * right.len()) as u64)?;
        let both = left.iter().flat_map(|(from, to)| {
            right.iter().map(move |(other_from, other_to)| (pair(*from, *other_from), pair(*to, *other_to)))
        });
        groups.push(both.collect::<Vec<Transition>>());
    }
    let goal = a.goal.iter().flat_map(|a| b.goal.iter().map(move |b| *a && *b)).collect();
    Ok(Factor { initial: pair(a.initial, b.initial), goal, groups, group_of }.tidy(labels))
}
