//! The labels of atomic factors, each with the factors that it has to do with and no others; and the states of all factors,
//! numbered in one go.

use super::atomic::{Atomic, Source};
use super::factor::{State, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a label asks of a factor and does to it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Part {
    pub(crate) factor: u32,
    /// A group of the factor.
    pub(crate) group: u32,
}

/// A label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Operator {
    pub(crate) costs: bool,
    /// By factor, ascending; all others stay as they are.
    pub(crate) parts: Box<[Part]>,
}

impl Operator {
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.parts)
    }

    /// Its part in a factor.
    pub(crate) fn part(&self, factor: u32) -> Option<Part> {
        self.parts.binary_search_by_key(&factor, |part| part.factor).ok().map(|at| self.parts[at])
    }
}

/// Where a group can be taken, and where it leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ways {
    /// States with a transition, ascending.
    pub(crate) sources: Vec<State>,
    /// Whether there are states without any.
    pub(crate) restricts: bool,
    /// Whether some transition leads elsewhere.
    pub(crate) affects: bool,
}

impl Ways {
    pub(crate) fn of(transitions: &[Transition], states: usize) -> Self {
        let mut sources: Vec<State> = transitions.iter().map(|(from, _)| *from).collect();
        sources.sort_unstable();
        sources.dedup();
        let (restricts, affects) = (sources.len() < states, transitions.iter().any(|(from, to)| from != to));
        Self { sources, restricts, affects }
    }
}

impl Atomic {
    /// The labels that there are; those that do the same are one, which costs a step if all of them do.
    pub(crate) fn operators(&self, meter: &Meter<'_>) -> Result<Vec<Operator>, StopReason> {
        let irrelevant: Vec<Vec<bool>> = self.factors.iter().map(|(_, factor)| factor.irrelevant()).collect();
        let mut known: BTreeMap<Box<[Part]>, bool> = BTreeMap::new();
        for (label, costs) in live(&self.labels) {
            let part = |(at, (_, factor)): (usize, &(Source, super::Factor))| {
                let group = factor.group_of[label];
                (!irrelevant[at][group as usize]).then_some(Part { factor: at as u32, group })
            };
            let parts: Box<[Part]> = self.factors.iter().enumerate().filter_map(part).collect();
            meter.work(self.factors.len() as u64)?;
            *known.entry(parts).or_insert(costs) &= costs;
        }
        Ok(known.into_iter().map(|(parts, costs)| Operator { costs, parts }).collect())
    }

    /// The factor that notes that the goal was seen, if there is one.
    pub(crate) fn monitor(&self) -> Option<usize> {
        self.factors.iter().position(|(source, _)| *source == Source::Monitor)
    }

    /// The ways of all groups, by factor.
    pub(crate) fn ways(&self) -> Vec<Vec<Ways>> {
        let of = |(_, factor): &(Source, super::Factor)| {
            factor.groups.iter().map(|group| Ways::of(group, factor.states())).collect()
        };
        self.factors.iter().map(of).collect()
    }
}

/// The states of all factors, numbered in one go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    sources: Vec<Source>,
    /// The first of each factor, and how many there are in all.
    starts: Vec<usize>,
}

impl Facts {
    /// Those of all factors.
    pub(crate) fn new(atomic: &Atomic) -> Self {
        Self::of_some(atomic, |_| true)
    }

    /// None at all.
    pub(crate) fn none() -> Self {
        Self { sources: Vec::new(), starts: vec![0] }
    }

    /// Those of some factors; the others have none.
    pub(crate) fn of_some(atomic: &Atomic, keep: impl Fn(usize) -> bool) -> Self {
        let sources = atomic.factors.iter().map(|(source, _)| *source).collect();
        let mut starts = vec![0];
        for (at, (_, factor)) in atomic.factors.iter().enumerate() {
            starts.push(starts[at] + if keep(at) { factor.states() } else { 0 });
        }
        Self { sources, starts }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.starts[self.factors()]
    }

    pub(crate) fn factors(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub(crate) fn fact(&self, factor: usize, state: State) -> usize {
        self.starts[factor] + state.index()
    }

    /// Those of a factor.
    #[inline]
    pub(crate) fn of(&self, factor: usize) -> Range<usize> {
        self.starts[factor]..self.starts[factor + 1]
    }

    /// Those that hold in a state of the network, one for each factor that has any, into a list; false if a slot has none
    /// of its values, so that it is no state of the network.
    #[inline]
    pub(crate) fn read(&self, slots: &[i64], into: &mut Vec<usize>) -> bool {
        into.clear();
        for (source, ends) in self.sources.iter().zip(self.starts.windows(2)) {
            if ends[0] == ends[1] {
                continue;
            }
            let at = match *source {
                Source::Slot(slot, least, values) => match usize::try_from(slots[slot].wrapping_sub(least)) {
                    Ok(at) if at < values => at,
                    _ => return false,
                },
                // In states of a network, the goal has not been seen.
                Source::Monitor => 0,
            };
            into.push(ends[0] + at);
        }
        true
    }
}

/// A set of facts, one bit each.
pub(crate) mod bits {
    /// Words for so many facts.
    pub(crate) fn words(facts: usize) -> usize {
        facts.div_ceil(64)
    }

    #[inline]
    pub(crate) fn has(set: &[u64], at: usize) -> bool {
        set[at / 64] >> (at % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn put(set: &mut [u64], at: usize) {
        set[at / 64] |= 1 << (at % 64);
    }

    #[inline]
    pub(crate) fn take(set: &mut [u64], at: usize) {
        set[at / 64] &= !(1 << (at % 64));
    }

    /// Its facts, ascending.
    pub(crate) fn each(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
        set.iter().enumerate().flat_map(|(word, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(word * 64 + bit)
            })
        })
    }
}
