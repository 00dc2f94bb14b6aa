//! In which order projections get the costs. For some states, those along ways through the network taken by chance, the
//! projections that tell most of the state for what they take away from others come first; an order stays if it is the
//! best so far for one of the states.
//!
//! Seipp, Keller and Helmert, Journal of Artificial Intelligence Research 67, 2020, sections 5 (greedy orders) and 6
//! (diversification).

use super::abstraction::{Abstraction, Atoms};
use super::saturated::{Costs, Saturated, Weighed, full};
use crate::factors::{State, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use oorandom::Rand32;

/// States that orders are made and tried for.
const SAMPLES: usize = 200;
/// Transitions gone through for all orders.
const MOST_WORK: usize = 1 << 26;
/// Labels tried for all samples.
const MOST_TRIES: usize = 1 << 25;
/// Orders that may stay.
const MOST_ORDERS: usize = 24;

/// The distances of some projections, which are named by their places.
pub(super) type Distances = Vec<(usize, Vec<u32>)>;

/// The distances by several orders.
pub(super) fn partitions(
    atoms: &Atoms,
    collection: &[Abstraction],
    meter: &Meter<'_>,
) -> Result<Vec<Distances>, StopReason> {
    let weighed: Vec<Weighed> =
        collection.iter().map(|abstraction| Weighed::new(&abstraction.factor)).collect();
    meter.allocate(weighed.iter().map(Weighed::bytes).sum())?;
    let size: usize = weighed.iter().map(Weighed::size).sum();
    let costs = full(&atoms.labels);
    let mut alone = Vec::new();
    for weighed in &weighed {
        meter.work(2 * weighed.size() as u64)?;
        alone.push(weighed.saturate(&atoms.labels, &costs, None));
    }
    let stolen = stolen(atoms, &weighed, &alone, &costs);
    let samples = samples(atoms, collection, meter)?;
    let mut best: Vec<Option<u32>> = vec![None; samples.len()];
    let mut kept: Vec<Distances> = Vec::new();
    let mut work = 0;
    for sample in &samples {
        let told = |at: usize| u64::from(alone[at].distances[sample[at].index()]);
        let mut order: Vec<usize> = (0..collection.len()).collect();
        // By what is told for each part stolen, in decreasing order.
        order.sort_by_key(|at| std::cmp::Reverse(told(*at) * 1000 / stolen[*at].max(1)));
        let distances = partition(atoms, &weighed, (&order, sample), costs.clone(), meter)?;
        let sum = |sample: &Vec<State>| distances.iter().map(|(at, d)| d[sample[*at].index()]).sum::<u32>();
        let mut improves = false;
        for (best, sample) in best.iter_mut().zip(&samples) {
            let sum = Some(sum(sample));
            improves |= sum > *best;
            *best = sum.max(*best);
        }
        if improves {
            meter.allocate(distances.iter().map(|(_, distances)| size_of_val(&**distances)).sum())?;
            kept.push(distances);
        }
        work += 2 * size;
        if kept.len() >= MOST_ORDERS || work > MOST_WORK {
            break;
        }
    }
    Ok(kept)
}

/// The distances by one order: each projection takes first what the sample needs, then, of what is left, what all states
/// need. Those that are 0 everywhere do not count.
fn partition(
    atoms: &Atoms,
    weighed: &[Weighed],
    (order, sample): (&[usize], &[State]),
    mut costs: Costs,
    meter: &Meter<'_>,
) -> Result<Distances, StopReason> {
    let mut sums: Vec<Vec<u32>> = weighed.iter().map(|weighed| vec![0; weighed.states()]).collect();
    for alone in [true, false] {
        for at in order {
            let weighed = &weighed[*at];
            meter.work(2 * weighed.size() as u64)?;
            let saturated = weighed.saturate(&atoms.labels, &costs, alone.then_some(sample[*at]));
            weighed.take(&saturated, &atoms.labels, &mut costs);
            sums[*at].iter_mut().zip(saturated.distances).for_each(|(sum, distance)| *sum += distance);
        }
    }
    let counts = |(_, sums): &(usize, Vec<u32>)| sums.iter().any(|sum| *sum > 0);
    Ok(sums.into_iter().enumerate().filter(counts).collect())
}

/// How much each projection, by itself, takes of costs that others want, too.
fn stolen(atoms: &Atoms, weighed: &[Weighed], alone: &[Saturated], costs: &Costs) -> Vec<u64> {
    let mut stolen = vec![0; weighed.len()];
    for (label, _) in live(&atoms.labels) {
        let needed = |at: usize| weighed[at].needed(&alone[at], label).max(0);
        let wanted: i64 = (0..weighed.len()).map(needed).sum();
        let over = wanted - i64::from(costs[label]);
        for (at, stolen) in stolen.iter_mut().enumerate().filter(|_| over > 0) {
            *stolen += needed(at).min(over).unsigned_abs();
        }
    }
    stolen
}

/// States on ways that begin with the initial state, in terms of the states of projections; the initial state first.
fn samples(
    atoms: &Atoms,
    collection: &[Abstraction],
    meter: &Meter<'_>,
) -> Result<Vec<Vec<State>>, StopReason> {
    let mut rand = Rand32::new(2);
    let labels: Vec<usize> = live(&atoms.labels).map(|(label, _)| label).collect();
    let irrelevant: Vec<Vec<bool>> = atoms.factors.iter().map(|factor| factor.irrelevant()).collect();
    let concerns = |label: &usize| {
        let factors = atoms.factors.iter().enumerate();
        factors
            .filter(|(at, factor)| !irrelevant[*at][factor.group_of[*label] as usize])
            .map(|(at, _)| at)
            .collect()
    };
    let concerned: Vec<Vec<usize>> = labels.iter().map(concerns).collect();
    let initial: Vec<State> = collection.iter().map(|abstraction| abstraction.factor.initial).collect();
    let longest =
        collection.iter().filter_map(|a| a.factor.distances(&atoms.labels)[a.factor.initial.index()]).max();
    let length = 2 * longest.unwrap_or(0) + 1;
    let mut samples = vec![initial.clone()];
    let mut tries = 0;
    while samples.len() < SAMPLES && tries < MOST_TRIES {
        let mut now: Vec<State> = atoms.factors.iter().map(|factor| factor.initial).collect();
        for _ in 0..rand.rand_range(0..length) {
            let able = |place: &usize| {
                let within = |at: &usize| atoms.factors[*at].moves(labels[*place], now[*at]).next().is_some();
                concerned[*place].iter().all(within)
            };
            let able: Vec<usize> = (0..labels.len()).filter(able).collect();
            tries += labels.len();
            meter.work(labels.len() as u64)?;
            if able.is_empty() {
                break;
            }
            let place = able[rand.rand_range(0..able.len() as u32) as usize];
            for at in &concerned[place] {
                let targets: Vec<State> = atoms.factors[*at].moves(labels[place], now[*at]).collect();
                now[*at] = targets[rand.rand_range(0..targets.len() as u32) as usize];
            }
        }
        tries += 1;
        let found: Option<Vec<State>> = collection.iter().map(|a| a.find(&now)).collect();
        samples.extend(found);
    }
    Ok(samples)
}
