//! Exact label reduction: labels of the same cost that every factor but one cannot tell apart become one, which has the
//! transitions of all of them in that factor. No product of all factors changes by that; but bisimulations become
//! coarser, for they need not tell those labels apart either.
//!
//! Sievers, Wehrle and Helmert, "Generalized label reduction for merge-and-shrink heuristics", AAAI 2014.

use crate::factors::{Factor, Labels, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// What the group of a label in a factor adds to the label's number.
fn share(factor: usize, group: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_usize(factor);
    hasher.write_u32(group);
    hasher.finish() | 1
}

/// Combines labels until none are left that can be.
pub(super) fn reduce(
    factors: &mut [Option<Factor>],
    labels: &mut Labels,
    meter: &Meter<'_>,
) -> Result<(), StopReason> {
    let mut unchanged = 0;
    let mut at = 0;
    let there = factors.iter().flatten().count();
    while unchanged < there {
        if factors[at].is_some() {
            unchanged = if combine(factors, at, labels, meter)? { 0 } else { unchanged + 1 };
        }
        at = (at + 1) % factors.len();
    }
    Ok(())
}

/// Combines the labels that only one factor can tell apart; false if there are none.
fn combine(
    factors: &mut [Option<Factor>],
    only: usize,
    labels: &mut Labels,
    meter: &Meter<'_>,
) -> Result<bool, StopReason> {
    let others = || factors.iter().enumerate().filter(|(at, _)| *at != only);
    let others = || others().filter_map(|(at, factor)| Some((at, factor.as_ref()?)));
    let mut numbered: Vec<(u64, bool, usize)> = Vec::new();
    for (label, costs) in live(labels) {
        let shares = others().map(|(at, factor)| share(at, factor.group_of[label]));
        numbered.push((shares.fold(0, u64::wrapping_add), costs, label));
        meter.work(factors.len() as u64)?;
    }
    numbered.sort_unstable();
    let mut combined: Vec<(usize, usize)> = Vec::new();
    for same in numbered.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (_, _, first) = same[0];
        let alike =
            |label: usize| others().all(|(_, factor)| factor.group_of[first] == factor.group_of[label]);
        combined.extend(same[1..].iter().filter(|(_, _, l)| alike(*l)).map(|(_, _, l)| (first, *l)));
    }
    if !combined.is_empty() {
        factors[only] = factors[only].take().map(|factor| unite(factor, &combined, labels));
    }
    Ok(!combined.is_empty())
}

/// Gives the first of each pair of labels what the second can do, which is then gone.
fn unite(mut factor: Factor, pairs: &[(usize, usize)], labels: &mut Labels) -> Factor {
    for pairs in pairs.chunk_by(|a, b| a.0 == b.0) {
        let first = pairs[0].0;
        pairs.iter().for_each(|(_, gone)| labels[*gone] = None);
        let mut groups: Vec<u32> = pairs.iter().map(|(_, gone)| factor.group_of[*gone]).collect();
        groups.push(factor.group_of[first]);
        groups.sort_unstable();
        groups.dedup();
        if groups.len() > 1 {
            let all = groups.iter().flat_map(|group| factor.groups[*group as usize].iter().copied());
            let all: Vec<Transition> = all.collect();
            factor.group_of[first] = factor.groups.len() as u32;
            factor.groups.push(all);
        }
    }
    factor.tidy(labels)
}
