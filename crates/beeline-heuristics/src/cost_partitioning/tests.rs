//! Random products of small factors: what is added up is a lower bound, and consistent; and what two unrelated factors
//! need adds up to all of it.

use super::collection::NoCollection;
use super::orders::{InOrder, Orders, weighed};
use super::saturated::full;
use super::{CostPartitioning, Frame, Sharing};
use crate::factors::testing::{all, random, slots};
use crate::factors::{Atomic, Factor, Labels, Source, State, live};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_ir::limits::Limits;
use beeline_program::factored::Meter;

/// The heuristic for factors that have a slot each.
fn made(factors: &[Factor], labels: &Labels, frame: Frame) -> CostPartitioning {
    let limits = Limits::default();
    let source = |(at, factor): (usize, &Factor)| (Source::Slot(at, 0, factor.states()), factor.clone());
    let factors = factors.iter().enumerate().map(source).collect();
    let atomic = Atomic { factors, labels: labels.clone(), origins: vec![None; labels.len()], coarse: 0 };
    match CostPartitioning::of(atomic, frame, Vec::new(), &[], &Meter::new(&limits)) {
        Ok(made) => made,
        Err(NoCollection::Hopeless(pattern)) => CostPartitioning::hopeless(pattern),
        Err(NoCollection::Stopped(reason)) => panic!("nobody stops it: {reason:?}"),
    }
}

#[test]
fn sums_are_lower_bounds_and_consistent() {
    for (sharing, online) in [
        (Sharing::Saturated, None),
        (Sharing::ZeroOne, None),
        (Sharing::Canonical, None),
        (Sharing::Saturated, Some(2)),
        (Sharing::ZeroOne, Some(3)),
    ] {
        let (mut finite, mut exact, mut infinite, mut improved) = (0, 0, 0, 0);
        for seed in 0..400 {
            let (factors, labels) = random(seed);
            let whole = all(&factors, &labels);
            let (distances, reached) = (whole.distances(&labels), whole.reachable(&labels));
            // Small products leave projections that do not tell everything.
            let most = if seed % 2 == 0 { 20 } else { 1 << 12 };
            let mut made = made(&factors, &labels, Frame { most, sharing, online });
            let (before, promises) = (made.partitions.len(), made.properties());
            let found: Vec<Estimate> =
                (0..whole.states()).map(|state| made.estimate(&slots(state))).collect();
            improved += made.partitions.len() - before;
            assert!(promises.admissible && promises.path_dependent == (online.is_some() && !made.hopeless));
            for state in (0..whole.states()).filter(|state| reached[*state]) {
                let distance = distances[state].map_or(Estimate::Infinite, Estimate::Steps);
                let (found, again) = (found[state], made.estimate(&slots(state)));
                assert!(found <= again, "seed {seed}, state {state}: {found:?}, then {again:?}");
                assert!(again <= distance, "seed {seed}, state {state}: {again:?} > {distance:?}");
                finite += usize::from(matches!(distance, Estimate::Steps(1..)));
                exact += usize::from(matches!(distance, Estimate::Steps(1..)) && found == distance);
                infinite += usize::from(found == Estimate::Infinite);
            }
            for (label, costs) in live(&labels).filter(|_| promises.consistent) {
                for (from, to) in whole.transitions(label).iter().filter(|(from, _)| reached[from.index()]) {
                    match (found[from.index()], found[to.index()]) {
                        (Estimate::Steps(from), Estimate::Steps(to)) => {
                            assert!(from <= to + u32::from(costs))
                        }
                        (from, to) => assert!(from <= to, "seed {seed}: {from:?} before {to:?}"),
                    }
                }
            }
        }
        let counts = (finite, exact, infinite, improved);
        assert!(finite > 300 && exact > finite / 2 && infinite > 300, "{sharing:?}: {counts:?}");
        assert!((improved > 0) == online.is_some(), "{sharing:?}, {online:?}: {counts:?}");
    }
}

/// All projections together never take more of a label than it costs, and what each takes gives it the distances that it
/// was said to have.
#[test]
fn no_label_gives_more_than_it_costs() {
    let limits = Limits::default();
    let meter = Meter::new(&limits);
    let (mut several, mut negative) = (0, 0);
    for seed in 0..400 {
        let (factors, labels) = random(seed);
        let collection: Vec<&Factor> = factors.iter().collect();
        let (weighed, _) = weighed(&labels, &collection, &meter).expect("nobody stops it");
        let sample: Vec<State> = factors.iter().map(|factor| factor.initial).collect();
        for sharing in [InOrder::Saturated, InOrder::ZeroOne] {
            let orders = Orders::new(&labels, &collection, sharing, &meter).expect("nobody stops it");
            let found = orders.good_for(&sample, &meter).expect("nobody stops it");
            several += usize::from(found.len() > 1);
            let costs = full(&labels);
            for (label, _) in live(&labels) {
                // What the distances need of a label: the most that they fall by where it is taken.
                let drop = |(at, distances): &(usize, std::rc::Rc<[u32]>)| {
                    let alive = factors[*at].distances(&labels);
                    let both = |(from, to): &&(State, State)| {
                        alive[from.index()].is_some() && alive[to.index()].is_some()
                    };
                    let drop = |(from, to): &(State, State)| {
                        i64::from(distances[from.index()]) - i64::from(distances[to.index()])
                    };
                    factors[*at].transitions(label).iter().filter(both).map(drop).max()
                };
                let drops: Option<Vec<i64>> = found.iter().map(drop).collect();
                let Some(drops) = drops else { continue };
                negative += usize::from(drops.iter().any(|drop| *drop < 0));
                let sum: i64 = drops.iter().sum();
                assert!(sum <= i64::from(costs[label]), "seed {seed}, {sharing:?}: {drops:?} of {label}");
            }
        }
        for weighed in &weighed {
            let costs = full(&labels);
            let first = weighed.saturate(&labels, &costs, None);
            let mut left = costs.clone();
            weighed.take(&first, &labels, &mut left);
            let needed =
                |label: usize| u32::try_from(weighed.needed(&first, label).max(0)).expect("no more than all");
            let own = (0..labels.len()).map(needed).collect();
            assert_eq!(weighed.saturate(&labels, &own, None).distances, first.distances, "seed {seed}");
            for (label, _) in live(&labels) {
                assert!(left[label] >= costs[label] - own[label].min(costs[label]));
            }
        }
    }
    assert!(several > 200 && negative > 20, "{several}, {negative}");
}

#[test]
fn what_has_nothing_in_common_adds_up() {
    // Two lines of four states, each with labels of its own.
    let line = |own: usize| {
        let stay: Vec<(State, State)> = (0..4).map(|at| (State(at), State(at))).collect();
        let steps = (0..3).map(|at| vec![(State(at), State(at + 1))]);
        let groups = [stay].into_iter().chain(steps).collect();
        let group_of =
            (0..6).map(|label| if label / 3 == own { (label % 3) as u32 + 1 } else { 0 }).collect();
        Factor { initial: State(0), goal: vec![false, false, false, true], groups, group_of }
    };
    let labels: Labels = vec![Some(true); 6];
    // Their product is too large to be made.
    for sharing in [Sharing::Saturated, Sharing::ZeroOne, Sharing::Canonical] {
        let mut made = made(&[line(0), line(1)], &labels, Frame { most: 10, sharing, online: None });
        assert_eq!(made.estimate(&[0, 0]), Estimate::Steps(6), "{sharing:?}");
        assert_eq!(made.estimate(&[1, 2]), Estimate::Steps(3), "{sharing:?}");
        assert_eq!(made.estimate(&[3, 3]), Estimate::Steps(0), "{sharing:?}");
    }
}
