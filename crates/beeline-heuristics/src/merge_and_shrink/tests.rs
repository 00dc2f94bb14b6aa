//! Random products of small factors: what is exact keeps all distances, what is not never raises one.

use super::{Most, Order, System, labels, shrink};
use crate::factors::testing::{FACTORS, STATES, all, random};
use crate::factors::{Atomic, Factor, Source, State, live, product};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_ir::limits::Limits;
use beeline_program::factored::Meter;

#[test]
fn label_reduction_keeps_distances() {
    let limits = Limits::default();
    let mut fewer = 0;
    for seed in 0..500 {
        let (factors, mut labels) = random(seed);
        let (before, number) = (all(&factors, &labels).distances(&labels), live(&labels).count());
        let mut reduced: Vec<Option<Factor>> = factors.into_iter().map(Some).collect();
        labels::reduce(&mut reduced, &mut labels, &Meter::new(&limits)).expect("nobody stops it");
        let reduced: Vec<Factor> = reduced.into_iter().flatten().collect();
        assert_eq!(reduced.len(), FACTORS, "seed {seed}");
        assert_eq!(all(&reduced, &labels).distances(&labels), before, "seed {seed}");
        fewer += usize::from(live(&labels).count() < number);
    }
    assert!(fewer > 100, "labels were combined in {fewer} of 500");
}

#[test]
fn bisimulation_keeps_distances_and_others_do_not_raise_them() {
    let limits = Limits::default();
    let (mut smaller, mut coarse) = (0, 0);
    for seed in 0..500 {
        let (mut factors, mut labels) = random(seed);
        let meter = Meter::new(&limits);
        let two = product(&factors[0], &factors[1], &mut labels, &meter).expect("nobody stops it");
        factors.splice(0..2, [two]);
        let before = all(&factors, &labels).distances(&labels);
        for most in [usize::MAX, 3, 1] {
            let partition =
                shrink::bisimulation(&factors[0], &labels, most, &meter).expect("nobody stops it");
            let map: Vec<Option<State>> = partition.block_of.iter().copied().map(Some).collect();
            let shrunk = factors[0].mapped(&map, &mut labels.clone()).expect("all states stay");
            assert!(shrunk.states() <= most);
            let states = (shrunk.states(), factors[0].states());
            let after = all(&[shrunk, factors[1].clone()], &labels).distances(&labels);
            for (state, distance) in before.iter().enumerate() {
                let (first, second) = (state / STATES, state % STATES);
                let shrunk = after[partition.block_of[first].index() * STATES + second];
                let sound = match (distance, shrunk) {
                    _ if partition.exact => *distance == shrunk,
                    (Some(distance), shrunk) => shrunk.is_some_and(|shrunk| shrunk <= *distance),
                    (None, _) => true,
                };
                assert!(sound, "seed {seed}, {most} blocks: {distance:?} became {shrunk:?}");
            }
            assert!(most < usize::MAX || partition.exact);
            smaller += usize::from(partition.exact && states.0 < states.1);
            coarse += usize::from(!partition.exact);
        }
    }
    assert!(smaller > 100 && coarse > 100, "{smaller} smaller, {coarse} coarser than bisimulations");
}

#[test]
fn merging_all_without_a_limit_gives_the_distances() {
    let limits = Limits::default();
    let (mut reached, mut lost) = (0, 0);
    for seed in 0..500 {
        let (factors, labels) = random(seed);
        let distances = all(&factors, &labels).distances(&labels);
        let source = |at: usize| Source::Slot(at, 0, STATES);
        let named = || (0..FACTORS).map(source).zip(factors.iter().cloned()).collect();
        for (order, most) in [
            (Order::Nearness, 64),
            (Order::Size, 64),
            (Order::Privacy, 64),
            (Order::Sharing, 64),
            (Order::Nearness, 6),
        ] {
            let atomic = Atomic { factors: named(), labels: labels.clone() };
            let system = System::new(atomic, Most::OfProduct(most), order);
            let mut made = system.run(None, &Meter::new(&limits)).expect("nobody stops it");
            assert!(most < 64 || made.exact);
            let estimate = made.estimate(&[0; FACTORS]);
            let distance = distances[0].map_or(Estimate::Infinite, Estimate::Steps);
            assert!(
                estimate <= distance && (!made.exact || estimate == distance),
                "seed {seed}: {estimate:?}"
            );
            reached += usize::from(distance != Estimate::Infinite);
            lost += usize::from(estimate < distance);
        }
    }
    assert!(reached > 200 && lost > 10, "{reached} reach the goal, {lost} estimates are too low");
}

#[test]
fn factors_are_made_small_before_they_are_merged() {
    let limits = Limits::default();
    let mut lost = 0;
    for seed in 0..300 {
        let (factors, labels) = random(seed);
        let distances = all(&factors, &labels).distances(&labels);
        let source = |at: usize| Source::Slot(at, 0, STATES);
        let atomic = Atomic { factors: (0..FACTORS).map(source).zip(factors).collect(), labels };
        let system = System::new(atomic, Most::OfFactor(2), Order::Sharing);
        let mut made = system.run(None, &Meter::new(&limits)).expect("nobody stops it");
        let distance = distances[0].map_or(Estimate::Infinite, Estimate::Steps);
        let estimate = made.estimate(&[0; FACTORS]);
        assert!(estimate <= distance, "seed {seed}: {estimate:?} > {distance:?}");
        assert!(
            made.exact || made.hopeless || made.distances.len() > 1,
            "seed {seed}: what was known before still counts"
        );
        lost += usize::from(!made.exact);
    }
    assert!(lost > 50, "{lost} had to be shrunk");
}
