//! Landmarks by dominators: every run to the target brings each automaton and integer that it speaks of to where it should
//! be, and crosses all [`cuts`] of its graph on the way. What all labels of a cut ask of another automaton or integer has
//! to be the case at some time, too: this is a target of its own, with its own cuts, and so on.
//!
//! A step of a label crosses at most one cut on the way to each of these targets. So its cost is shared out among the
//! targets that have it in a cut, evenly, in parts of a step; each cut is worth what its cheapest label is, and the sum is
//! a lower bound. So is the number of cuts if each label counts for the first target alone that it can count for; the
//! greater of the two is taken. It is infinite where some target is out of reach of its graph.
//!
//! Which targets there are depends on the state, so the parts of one state are not those of the next: the estimate may fall
//! by more than a step costs.
//!
//! Karpas and Domshlak, "Cost-optimal planning with landmarks", IJCAI 2009; cuts and what they derive from: Richter and
//! Westphal, "The LAMA planner", Journal of Artificial Intelligence Research 39, 2010.

mod cuts;
mod deriving;

use crate::factors::{Atomic, Facts, Start};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use deriving::Deriving;

/// Parts of a step.
const PARTS: u32 = 5040;

/// States of a factor, one of which a run has to come to.
#[derive(Debug)]
struct Target {
    factor: usize,
    /// The first leg of the way, by state; `None` if there is no way.
    legs: Vec<Option<Leg>>,
}

/// Cuts on the way to a state, or to the target, and then those from there.
#[derive(Debug)]
struct Leg {
    cuts: Box<[u32]>,
    next: Option<u32>,
}

impl Target {
    /// The cuts on the way from a state; `None` if there is no way.
    fn cuts(&self, from: u32) -> Option<impl Iterator<Item = u32>> {
        let first = self.legs[from as usize].as_ref()?;
        let legs = std::iter::successors(Some(first), |leg| self.legs[leg.next? as usize].as_ref());
        Some(legs.flat_map(|leg| leg.cuts.iter().copied()))
    }
}

/// Labels one of which a run has to take.
#[derive(Debug, Default)]
struct Cut {
    labels: Box<[u32]>,
    /// Targets that all of them have in common.
    derived: Vec<u32>,
}

/// The heuristic.
#[derive(Debug)]
pub struct Landmarks {
    facts: Facts,
    targets: Vec<Target>,
    cuts: Vec<Cut>,
    /// Targets of each way to meet the goal.
    goals: Vec<Vec<u32>>,
    mutexes: bool,
    scratch: Scratch,
}

/// For one estimate.
#[derive(Debug, Default)]
struct Scratch {
    state: Vec<usize>,
    seen: Vec<bool>,
    /// Targets with their cuts: which, and from which state.
    open: Vec<(u32, u32)>,
    /// By label, how many targets it counts for, and the one it was counted for last.
    shares: Vec<(u32, u32)>,
    /// By label, the target that has all of it.
    taken: Vec<Option<u32>>,
}

impl Landmarks {
    /// For a factored view and an initial state.
    pub fn new(factored: &Factored, start: Start<'_>, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let made = match Atomic::new(factored, start, meter)? {
            Some(atomic) => Deriving::new(&atomic, meter)?.run(start.mutexes, meter)?,
            None => Self {
                facts: Facts::none(),
                targets: Vec::new(),
                cuts: Vec::new(),
                goals: vec![Vec::new()],
                mutexes: start.mutexes,
                scratch: Scratch::default(),
            },
        };
        meter.keep(before + made.bytes());
        Ok(made)
    }

    /// The estimate for one way to meet the goal, with the facts of a state at hand.
    fn value(&mut self, goal: usize) -> Estimate {
        let Self { facts, targets, cuts, goals, scratch, .. } = self;
        let Scratch { state, seen, open, shares, taken } = scratch;
        seen.fill(false);
        open.clear();
        let mut at = 0;
        let mut add = |target: u32, open: &mut Vec<(u32, u32)>| {
            if !std::mem::replace(&mut seen[target as usize], true) {
                let factor = targets[target as usize].factor;
                open.push((target, (state[factor] - facts.of(factor).start) as u32));
            }
        };
        goals[goal].iter().for_each(|target| add(*target, open));
        while let Some((target, from)) = open.get(at).copied() {
            at += 1;
            let target = &targets[target as usize];
            let Some(crossed) = target.cuts(from) else { return Estimate::Infinite };
            for derived in crossed.flat_map(|cut| &cuts[cut as usize].derived) {
                // That the factor itself has to be where the cut begins is no news.
                if targets[*derived as usize].factor != target.factor {
                    add(*derived, open);
                }
            }
        }
        shares.fill((0, u32::MAX));
        let crossed = |(target, from): (u32, u32)| {
            let crossed = targets[target as usize].cuts(from).into_iter().flatten();
            crossed.map(|cut| &*cuts[cut as usize].labels)
        };
        for (number, of) in open.iter().enumerate() {
            for label in crossed(*of).flatten() {
                let (targets, last) = &mut shares[*label as usize];
                if *last != number as u32 {
                    (*targets, *last) = (*targets + 1, number as u32);
                }
            }
        }
        let worth = |labels: &[u32]| {
            let most = labels.iter().map(|label| shares[*label as usize].0).max();
            most.map_or(0, |targets| u64::from(PARTS / targets))
        };
        let parts: u64 = open.iter().flat_map(|of| crossed(*of)).map(worth).sum();
        let shared = u32::try_from(parts.div_ceil(PARTS.into())).unwrap_or(u32::MAX);
        taken.fill(None);
        let mut whole = 0;
        for (number, of) in open.iter().enumerate() {
            let number = Some(number as u32);
            for labels in crossed(*of) {
                let mut owners = labels.iter().map(|label| taken[*label as usize]);
                if owners.all(|owner| owner.is_none() || owner == number) {
                    labels.iter().for_each(|label| taken[*label as usize] = number);
                    whole += 1;
                }
            }
        }
        Estimate::Steps(shared.max(whole))
    }
}

impl Heuristic for Landmarks {
    fn properties(&self) -> Properties {
        Properties { consistent: false, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        if !self.facts.read(slots, &mut self.scratch.state) {
            // No state of the network: no search asks.
            return Estimate::ZERO;
        }
        let goals = 0..self.goals.len();
        goals.map(|goal| self.value(goal)).min().unwrap_or(Estimate::Infinite)
    }

    fn reads_dead_variables(&self) -> bool {
        self.mutexes
    }

    fn remark(&self) -> Option<String> {
        Some(format!("{} targets, {} cuts", self.targets.len(), self.cuts.len()))
    }

    fn bytes(&self) -> u64 {
        let legs = self.targets.iter().flat_map(|target| &target.legs);
        let legs = legs.map(|leg| size_of_val(leg) + leg.as_ref().map_or(0, |leg| size_of_val(&*leg.cuts)));
        let cuts = self
            .cuts
            .iter()
            .map(|cut| size_of::<Cut>() + size_of_val(&*cut.labels) + size_of_val(&*cut.derived));
        legs.chain(cuts).sum::<usize>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::testing::{atomic, states};
    use beeline_ir::limits::Limits;

    #[test]
    fn cuts_of_random_factors_are_lower_bounds() {
        let limits = Limits::default();
        let meter = Meter::new(&limits);
        let (mut sum, mut infinite) = (0, 0);
        for seed in 0..300 {
            let atomic = atomic(seed);
            let deriving = Deriving::new(&atomic, &meter).expect("nobody stops it");
            let mut heuristic = deriving.run(false, &meter).expect("nobody stops it");
            for (slots, _, distance) in states(&atomic) {
                let h = heuristic.estimate(&slots).steps();
                let below = h.is_none_or(|h| distance.is_none_or(|distance| h <= distance));
                assert!(
                    below && (h.is_some() || distance.is_none()),
                    "{seed}: {h:?} {distance:?} at {slots:?}"
                );
                let alone = atomic
                    .factors
                    .iter()
                    .zip(&slots)
                    .map(|((_, factor), value)| factor.distances(&atomic.labels)[*value as usize]);
                sum += usize::from(h > alone.max().flatten());
                infinite += usize::from(h.is_none());
            }
        }
        assert!(sum > 100 && infinite > 100, "{sum} {infinite}");
    }
}
