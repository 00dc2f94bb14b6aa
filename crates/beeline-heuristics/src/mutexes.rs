//! Mutexes: pairs of values of locations and integers that are never the case together in a state that can be reached. All
//! pairs that the h^2 layers of the initial state do not come to are, whatever clocks allow.
//!
//! A label that asks for a mutex pair is never taken, and where what it asks of one factor excludes one of the values that
//! it may start from in another, it never starts from there. Atomic factors without such transitions are those of the
//! network as far as states are concerned that can be reached; and of others no search asks. So what is a lower bound
//! for them is one for the network, and where the target is out of reach there, it is.
//!
//! Haslum and Geffner, "Admissible heuristics for optimal planning", AIPS 2000; to leave out what is never taken: Alcazar
//! and Torralba, "A reminder about the importance of computing and exploiting invariants in planning", ICAPS 2015.

use crate::critical_path::pairs::{PairLayers, Together};
use crate::factors::{Atomic, Factor, Facts, Start, State, Transition, bits, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use rustc_hash::FxHashMap;

/// Words looked at, about, before the largest factors are left out.
const MOST_WORK: u64 = 1 << 32;
/// Values for which there are rows of bits.
const MOST_FACTS: usize = 1 << 13;

/// Which values exclude each other.
#[derive(Debug)]
pub(crate) struct Mutexes {
    facts: Facts,
    together: Together,
}

impl Mutexes {
    /// Those of atomic factors.
    pub(crate) fn of(atomic: &Atomic, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let layers = PairLayers::new(atomic, MOST_WORK, meter)?;
        let start = |(at, (_, factor)): (usize, &(_, Factor))| {
            (!layers.facts.of(at).is_empty()).then(|| layers.facts.fact(at, factor.initial))
        };
        let start: Vec<usize> = atomic.factors.iter().enumerate().filter_map(start).collect();
        let (facts, together) = layers.close(&start, meter)?;
        Ok(Self { facts, together })
    }

    /// Whether two states of two factors exclude each other, or whether one of a factor is never the case, if it is the
    /// same. Of factors that were left out nothing is known.
    pub(crate) fn exclude(&self, (a, one): (usize, State), (b, other): (usize, State)) -> bool {
        let known = !self.facts.of(a).is_empty() && !self.facts.of(b).is_empty();
        known && !self.together.has(self.facts.fact(a, one), self.facts.fact(b, other))
    }

    /// By fact, one bit for each that does not exclude it; `None` if that would be too many.
    pub(crate) fn rows(&self, all: &Facts, meter: &Meter<'_>) -> Result<Option<Vec<u64>>, StopReason> {
        if all.len() > MOST_FACTS {
            return Ok(None);
        }
        let words = bits::words(all.len());
        meter.allocate(all.len() * words * size_of::<u64>())?;
        let mut rows = vec![0; all.len() * words];
        for (a, b) in (0..all.factors()).flat_map(|a| (0..all.factors()).map(move |b| (a, b))) {
            for (one, fact) in all.of(a).enumerate() {
                for (other, with) in all.of(b).enumerate() {
                    if !self.exclude((a, State::new(one)), (b, State::new(other))) && (a != b || one == other)
                    {
                        bits::put(&mut rows[fact * words..][..words], with);
                    }
                }
                meter.work(all.of(b).len() as u64)?;
            }
        }
        Ok(Some(rows))
    }

    /// Number of pairs of values of two factors, each of them possible, that exclude each other.
    fn pairs(&self) -> u64 {
        let possible = |factor: usize| self.facts.of(factor).filter(|fact| self.together.has(*fact, *fact));
        let mut excluded = 0;
        for a in 0..self.facts.factors() {
            for one in possible(a) {
                for b in a + 1..self.facts.factors() {
                    excluded += possible(b).filter(|other| !self.together.has(one, *other)).count() as u64;
                }
            }
        }
        excluded
    }

    /// Leaves out labels that are never taken, and transitions that never are; tells how many labels.
    pub(crate) fn prune(&self, atomic: &mut Atomic, meter: &Meter<'_>) -> Result<usize, StopReason> {
        let ways = atomic.ways();
        let irrelevant: Vec<Vec<bool>> =
            atomic.factors.iter().map(|(_, factor)| factor.irrelevant()).collect();
        let mut known: Vec<FxHashMap<Vec<Transition>, u32>> = Vec::new();
        for (_, factor) in &atomic.factors {
            known.push(factor.groups.iter().cloned().zip(0..).collect());
        }
        let mut never = 0;
        let labels: Vec<usize> = live(&atomic.labels).map(|(label, _)| label).collect();
        for label in labels {
            let group = |factor: usize| atomic.factors[factor].1.group_of[label] as usize;
            let parts: Vec<usize> =
                (0..atomic.factors.len()).filter(|factor| !irrelevant[*factor][group(*factor)]).collect();
            meter.work(atomic.factors.len() as u64)?;
            let mut narrowed = Vec::new();
            for a in &parts {
                let of = |factor: usize| &ways[factor][group(factor)];
                let mut starts = Vec::new();
                for one in &of(*a).sources {
                    let mut work = 0;
                    let held = |b: &usize| {
                        work += of(*b).sources.len() as u64;
                        of(*b).sources.iter().any(|other| !self.exclude((*a, *one), (*b, *other)))
                    };
                    let others = parts.iter().filter(|b| **b != *a && of(**b).restricts);
                    if !self.exclude((*a, *one), (*a, *one)) && { others }.all(held) {
                        starts.push(*one);
                    }
                    meter.work(1 + work)?;
                }
                if starts.len() < of(*a).sources.len() {
                    narrowed.push((*a, starts));
                }
            }
            if narrowed.iter().any(|(_, starts)| starts.is_empty()) {
                atomic.labels[label] = None;
                never += 1;
                continue;
            }
            for (factor, starts) in narrowed {
                let Factor { groups, group_of, .. } = &mut atomic.factors[factor].1;
                let old = groups[group_of[label] as usize].iter();
                let stays = |(from, _): &&Transition| starts.binary_search(from).is_ok();
                let transitions: Vec<Transition> = old.filter(stays).copied().collect();
                meter.allocate(size_of_val(&*transitions))?;
                group_of[label] = *known[factor].entry(transitions).or_insert_with_key(|transitions| {
                    groups.push(transitions.clone());
                    groups.len() as u32 - 1
                });
            }
        }
        let Atomic { factors, labels, .. } = atomic;
        for (_, factor) in factors {
            *factor = factor.clone().tidy(labels);
        }
        Ok(never)
    }
}

impl Atomic {
    /// The same without what mutexes rule out.
    pub(crate) fn without_mutexes(mut self, meter: &Meter<'_>) -> Result<Self, StopReason> {
        Mutexes::of(&self, meter)?.prune(&mut self, meter)?;
        Ok(self)
    }
}

/// What there is to say about mutexes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Values of the locations and integers that the target depends on.
    pub values: usize,
    /// Pairs of them that are never the case together, though each is by itself, as far as is known.
    pub pairs: u64,
    /// Cases of labels, split by the values that decide what they do.
    pub labels: usize,
    /// How many of them can never be taken.
    pub never: usize,
}

impl Summary {
    /// For a factored view and an initial state; `None` if the target may be anywhere.
    pub fn of(factored: &Factored, initial: &[i64], meter: &Meter<'_>) -> Result<Option<Self>, StopReason> {
        let Some(mut atomic) = Atomic::new(factored, Start { slots: initial, mutexes: false }, meter)? else {
            return Ok(None);
        };
        let mutexes = Mutexes::of(&atomic, meter)?;
        let labels = live(&atomic.labels).count();
        let never = mutexes.prune(&mut atomic, meter)?;
        Ok(Some(Self { values: mutexes.facts.len(), pairs: mutexes.pairs(), labels, never }))
    }
}
