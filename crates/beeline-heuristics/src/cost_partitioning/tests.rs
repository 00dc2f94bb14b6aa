//! Random products of small factors: what is added up is a lower bound, and consistent; and what two unrelated factors
//! need adds up to all of it.

use super::CostPartitioning;
use super::collection::NoCollection;
use crate::factors::testing::{FACTORS, STATES, all, random};
use crate::factors::{Atomic, Factor, Labels, Source, State, live};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_ir::limits::Limits;
use beeline_program::factored::Meter;

/// The heuristic for factors that have a slot each.
fn made(factors: &[Factor], labels: &Labels, most: usize) -> CostPartitioning {
    let limits = Limits::default();
    let source = |(at, factor): (usize, &Factor)| (Source::Slot(at, 0, factor.states()), factor.clone());
    let factors = factors.iter().enumerate().map(source).collect();
    match CostPartitioning::of(Atomic { factors, labels: labels.clone() }, most, &Meter::new(&limits)) {
        Ok(made) => made,
        Err(NoCollection::Hopeless(pattern)) => CostPartitioning::hopeless(pattern),
        Err(NoCollection::Stopped(reason)) => panic!("nobody stops it: {reason:?}"),
    }
}

/// The values of slots for a state of the product of all factors.
fn slots(state: usize) -> [i64; FACTORS] {
    let mut rest = state;
    let mut slots = [0; FACTORS];
    for slot in slots.iter_mut().rev() {
        *slot = (rest % STATES) as i64;
        rest /= STATES;
    }
    slots
}

#[test]
fn sums_are_lower_bounds_and_consistent() {
    let (mut finite, mut exact, mut infinite) = (0, 0, 0);
    for seed in 0..600 {
        let (factors, labels) = random(seed);
        let whole = all(&factors, &labels);
        let (distances, reached) = (whole.distances(&labels), whole.reachable(&labels));
        // Small products leave projections that do not tell everything.
        let mut made = made(&factors, &labels, if seed % 2 == 0 { 20 } else { 1 << 12 });
        let mut estimate = |state: usize| made.estimate(&slots(state));
        for state in (0..whole.states()).filter(|state| reached[*state]) {
            let distance = distances[state].map_or(Estimate::Infinite, Estimate::Steps);
            let estimate = estimate(state);
            assert!(estimate <= distance, "seed {seed}, state {state}: {estimate:?} > {distance:?}");
            finite += usize::from(matches!(distance, Estimate::Steps(1..)));
            exact += usize::from(matches!(distance, Estimate::Steps(1..)) && estimate == distance);
            infinite += usize::from(estimate == Estimate::Infinite);
        }
        for (label, costs) in live(&labels) {
            for (from, to) in whole.transitions(label).iter().filter(|(from, _)| reached[from.index()]) {
                match (estimate(from.index()), estimate(to.index())) {
                    (Estimate::Steps(from), Estimate::Steps(to)) => assert!(from <= to + u32::from(costs)),
                    (from, to) => assert!(from <= to, "seed {seed}: {from:?} before {to:?}"),
                }
            }
        }
    }
    assert!(finite > 500 && exact > finite / 2 && infinite > 500, "{finite}, {exact}, {infinite}");
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
    let mut made = made(&[line(0), line(1)], &labels, 10);
    assert_eq!(made.estimate(&[0, 0]), Estimate::Steps(6));
    assert_eq!(made.estimate(&[1, 2]), Estimate::Steps(3));
    assert_eq!(made.estimate(&[3, 3]), Estimate::Steps(0));
}
