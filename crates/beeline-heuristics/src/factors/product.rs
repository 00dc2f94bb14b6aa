//! The product of two factors: both take a label, or neither does.

use super::factor::{Factor, Labels, State, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::collections::BTreeMap;

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
pub(crate) fn product_size(a: &Factor, b: &Factor, labels: &Labels) -> usize {
    let both = |label: &usize| a.transitions(*label).len().saturating_mul(b.transitions(*label).len());
    common(a, b, labels).0.iter().map(both).fold(0, usize::saturating_add)
}

/// The product of two factors; the state of both is that of the first times the states of the second, plus that of the
/// second.
pub(crate) fn product(
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
        // Whoever makes a product goes over it several times.
        meter.work(16 * (left.len() * right.len()) as u64)?;
        let both = left.iter().flat_map(|(from, to)| {
            right.iter().map(move |(other_from, other_to)| (pair(*from, *other_from), pair(*to, *other_to)))
        });
        groups.push(both.collect::<Vec<Transition>>());
    }
    let goal = a.goal.iter().flat_map(|a| b.goal.iter().map(move |b| *a && *b)).collect();
    Ok(Factor { initial: pair(a.initial, b.initial), goal, groups, group_of }.tidy(labels))
}
