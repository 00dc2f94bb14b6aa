//! In which order projections get the costs. For some states, the projections that tell most of the state for what they
//! take away from others come first; an order stays if it is the best so far for one of the states.
//!
//! Seipp, Keller and Helmert, Journal of Artificial Intelligence Research 67, 2020, sections 5 (greedy orders) and 6
//! (diversification).

use super::saturated::{self, Costs, Saturated, Weighed, full};
use super::zero_one;
use crate::factors::{Factor, Labels, State, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::rc::Rc;

/// Transitions gone through for all orders.
const MOST_WORK: usize = 1 << 26;
/// Orders that may stay.
const MOST_ORDERS: usize = 24;

/// The distances of some projections, which are named by their places, in parts of a step.
pub(super) type Distances = Vec<(usize, Rc<[u32]>)>;

/// How projections share the costs in an order.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum InOrder {
    Saturated,
    ZeroOne,
}

/// Projections that can be put in order.
#[derive(Debug)]
pub(super) struct Orders {
    labels: Labels,
    weighed: Vec<Weighed>,
    /// What each makes of all costs.
    alone: Vec<Saturated>,
    /// How much each, by itself, takes of costs that others want, too.
    stolen: Vec<u64>,
    sharing: InOrder,
}

impl Orders {
    pub(super) fn new(
        labels: &Labels,
        collection: &[&Factor],
        sharing: InOrder,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let (weighed, alone) = weighed(labels, collection, meter)?;
        let stolen = stolen(labels, &weighed, &alone);
        Ok(Self { labels: labels.clone(), weighed, alone, stolen, sharing })
    }

    /// Transitions that each order goes through.
    pub(super) fn size(&self) -> usize {
        2 * self.weighed.iter().map(Weighed::size).sum::<usize>()
    }

    pub(super) fn bytes(&self) -> usize {
        self.weighed.iter().map(Weighed::bytes).sum()
    }

    /// The distances by the order that is good for a state of all projections.
    pub(super) fn good_for(&self, sample: &[State], meter: &Meter<'_>) -> Result<Distances, StopReason> {
        let order = self.order(sample);
        self.shared(&order, Some(sample), meter)
    }

    /// The distances by the same order, but with one projection before all others: so it says all that it knows.
    pub(super) fn led_by(
        &self,
        first: usize,
        sample: &[State],
        meter: &Meter<'_>,
    ) -> Result<Distances, StopReason> {
        let others = self.order(sample).into_iter().filter(|at| *at != first);
        let order: Vec<usize> = [first].into_iter().chain(others).collect();
        self.shared(&order, None, meter)
    }

    /// The projections by what they tell of a state for each part stolen, in decreasing order.
    fn order(&self, sample: &[State]) -> Vec<usize> {
        let told = |at: usize| u64::from(self.alone[at].distances[sample[at].index()]);
        let mut order: Vec<usize> = (0..self.weighed.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(told(*at) * 1000 / self.stolen[*at].max(1)));
        order
    }

    /// The distances by an order, for a state before all others if there is one.
    fn shared(
        &self,
        order: &[usize],
        sample: Option<&[State]>,
        meter: &Meter<'_>,
    ) -> Result<Distances, StopReason> {
        let sums = match self.sharing {
            InOrder::Saturated => saturated::share(&self.labels, &self.weighed, (order, sample), meter)?,
            InOrder::ZeroOne => zero_one::share(&self.labels, &self.weighed, order, meter)?,
        };
        // Those that are 0 everywhere do not count.
        let counts = |(_, sums): &(usize, Vec<u32>)| sums.iter().any(|sum| *sum > 0);
        let counting = sums.into_iter().enumerate().filter(counts);
        Ok(counting.map(|(at, sums)| (at, sums.into())).collect())
    }

    /// The distances by several orders, each of which is the best for one of the samples.
    pub(super) fn diverse(
        &self,
        samples: &[Vec<State>],
        meter: &Meter<'_>,
    ) -> Result<Vec<Distances>, StopReason> {
        let mut best: Vec<Option<u32>> = vec![None; samples.len()];
        let mut kept: Vec<Distances> = Vec::new();
        let mut work = 0;
        for sample in samples {
            let distances = self.good_for(sample, meter)?;
            let mut improves = false;
            for (best, sample) in best.iter_mut().zip(samples) {
                let sum = Some(sum(&distances, sample));
                improves |= sum > *best;
                *best = sum.max(*best);
            }
            if improves {
                meter.allocate(distances.iter().map(|(_, distances)| size_of_val(&**distances)).sum())?;
                kept.push(distances);
            }
            work += self.size();
            if kept.len() >= MOST_ORDERS || work > MOST_WORK {
                break;
            }
        }
        Ok(kept)
    }
}

/// What distances say of a state of all projections.
pub(super) fn sum(distances: &Distances, sample: &[State]) -> u32 {
    distances.iter().map(|(at, distances)| distances[sample[*at].index()]).sum()
}

/// The projections, and what each makes of all costs by itself.
pub(super) fn weighed(
    labels: &Labels,
    collection: &[&Factor],
    meter: &Meter<'_>,
) -> Result<(Vec<Weighed>, Vec<Saturated>), StopReason> {
    let weighed: Vec<Weighed> = collection.iter().map(|factor| Weighed::new(factor)).collect();
    meter.allocate(weighed.iter().map(Weighed::bytes).sum())?;
    let costs = full(labels);
    let mut alone = Vec::new();
    for weighed in &weighed {
        meter.work(8 * weighed.size() as u64)?;
        alone.push(weighed.saturate(labels, &costs, None));
    }
    Ok((weighed, alone))
}

fn stolen(labels: &Labels, weighed: &[Weighed], alone: &[Saturated]) -> Vec<u64> {
    let costs: Costs = full(labels);
    let mut stolen = vec![0; weighed.len()];
    for (label, _) in live(labels) {
        let needed = |at: usize| weighed[at].needed(&alone[at], label).max(0);
        let wanted: i64 = (0..weighed.len()).map(needed).sum();
        let over = wanted - i64::from(costs[label]);
        for (at, stolen) in stolen.iter_mut().enumerate().filter(|_| over > 0) {
            *stolen += needed(at).min(over).unsigned_abs();
        }
    }
    stolen
}
