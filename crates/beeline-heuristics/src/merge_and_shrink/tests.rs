//! Random products of small factors: what is exact keeps all distances, what is not never raises one.

use super::{Frame, MergeAndShrink, Most, Order, Shrinking, System, labels, shrink};
use crate::factors::testing::{FACTORS, STATES, all, random, slots};
use crate::factors::{Atomic, Factor, Labels, Source, State, live, product};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_ir::limits::Limits;
use beeline_program::factored::Meter;

/// The heuristic for factors that have a slot each.
fn made(factors: &[Factor], labels: &Labels, frame: Frame) -> MergeAndShrink {
    let source = |at: usize| Source::Slot(at, 0, STATES);
    let factors = (0..FACTORS).map(source).zip(factors.iter().cloned()).collect();
    let atomic = Atomic { factors, labels: labels.clone(), origins: vec![None; labels.len()], coarse: 0 };
    System::new(atomic, frame).run(None, &Meter::new(&Limits::default())).expect("nobody stops it")
}

fn estimate(distance: Option<u32>) -> Estimate {
    distance.map_or(Estimate::Infinite, Estimate::Steps)
}

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
    let (mut smaller, mut coarse, mut greedier) = (0, 0, 0);
    for seed in 0..500 {
        let (mut factors, mut labels) = random(seed);
        let meter = Meter::new(&limits);
        let two = product(&factors[0], &factors[1], &mut labels, &meter).expect("nobody stops it");
        factors.splice(0..2, [two]);
        let before = all(&factors, &labels).distances(&labels);
        let alone = factors[0].distances(&labels);
        let mut blocks = Vec::new();
        for (shrinking, most) in [
            (Shrinking::Bisimulation, usize::MAX),
            (Shrinking::Greedy, usize::MAX),
            (Shrinking::Bisimulation, 3),
            (Shrinking::Greedy, 3),
            (Shrinking::Bisimulation, 1),
        ] {
            let partition = shrink::partition(&factors[0], &labels, (shrinking, most), &meter);
            let partition = partition.expect("nobody stops it");
            let map: Vec<Option<State>> = partition.block_of.iter().copied().map(Some).collect();
            let shrunk = factors[0].mapped(&map, &mut labels.clone()).expect("all states stay");
            assert!(shrunk.states() <= most);
            blocks.push(shrunk.states());
            let own = shrunk.distances(&labels);
            let same = alone.iter().zip(&partition.block_of).all(|(d, block)| *d == own[block.index()]);
            assert!(same || !partition.faithful, "seed {seed}: distances of the factor itself");
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
            assert!(most < usize::MAX || partition.faithful);
            assert!(most < usize::MAX || partition.exact || shrinking == Shrinking::Greedy);
            smaller += usize::from(partition.exact && states.0 < states.1);
            coarse += usize::from(!partition.faithful);
        }
        assert!(blocks[1] <= blocks[0], "seed {seed}: greedy bisimulations are no finer");
        greedier += usize::from(blocks[1] < blocks[0]);
    }
    assert!(smaller > 100 && coarse > 100 && greedier > 100, "{smaller}, {coarse}, {greedier}");
}

/// The number of what a state can do was once the same for nothing at all as for the first label leading to the first
/// block, so a state that can stay by that label and one that cannot became one, and nothing was said to be lost.
#[test]
fn what_can_stay_is_told_from_what_can_do_nothing() {
    let groups = vec![vec![(State(0), State(0)), (State(2), State(1))]];
    let factor = Factor { initial: State(2), goal: vec![true, true, false], groups, group_of: vec![0] };
    let limits = Limits::default();
    let asked = (Shrinking::Bisimulation, usize::MAX);
    let found = shrink::partition(&factor, &vec![Some(true)], asked, &Meter::new(&limits));
    let found = found.expect("nobody stops it");
    assert!(found.exact && found.block_of[0] != found.block_of[1], "{:?}", found.block_of);
}

/// On all states that can be reached, not only the first; and where something is lost, lower bounds that are consistent.
#[test]
fn merging_all_without_a_limit_gives_the_distances() {
    let (mut exact, mut lost) = (0, 0);
    for seed in 0..300 {
        let (factors, labels) = random(seed);
        let whole = all(&factors, &labels);
        let (distances, reached) = (whole.distances(&labels), whole.reachable(&labels));
        for (order, shrinking, most) in [
            (Order::Nearness, Shrinking::Bisimulation, 64),
            (Order::Components, Shrinking::Bisimulation, 64),
            (Order::Size, Shrinking::Bisimulation, 64),
            (Order::Privacy, Shrinking::Bisimulation, 64),
            (Order::Sharing, Shrinking::Bisimulation, 64),
            (Order::Nearness, Shrinking::Greedy, 64),
            (Order::Nearness, Shrinking::Bisimulation, 6),
            (Order::Components, Shrinking::Greedy, 6),
        ] {
            let mut made = made(&factors, &labels, Frame { most: Most::OfProduct(most), order, shrinking });
            assert!(made.exact || most < 64 || shrinking == Shrinking::Greedy);
            let found: Vec<Estimate> = (0..whole.states()).map(|at| made.estimate(&slots(at))).collect();
            for state in (0..whole.states()).filter(|state| reached[*state]) {
                let (found, distance) = (found[state], estimate(distances[state]));
                let sound = found <= distance && (!made.exact || found == distance);
                assert!(sound, "seed {seed}, {order:?}, {shrinking:?}, {state}: {found:?}, {distance:?}");
                exact += usize::from(made.exact && distance != Estimate::Infinite);
                lost += usize::from(found < distance);
            }
            for (label, costs) in live(&labels) {
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
    }
    assert!(exact > 2_000 && lost > 500, "{exact}, {lost}");
}

#[test]
fn factors_are_made_small_before_they_are_merged() {
    let mut lost = 0;
    for seed in 0..300 {
        let (factors, labels) = random(seed);
        let distance = estimate(all(&factors, &labels).distances(&labels)[0]);
        let (most, order) = (Most::OfFactor(2), Order::Sharing);
        let mut made = made(&factors, &labels, Frame { most, order, shrinking: Shrinking::Bisimulation });
        let found = made.estimate(&[0; FACTORS]);
        assert!(found <= distance, "seed {seed}: {found:?} > {distance:?}");
        assert!(
            made.exact || made.hopeless || made.distances.len() > 1,
            "seed {seed}: what was known before still counts"
        );
        lost += usize::from(!made.exact);
    }
    assert!(lost > 50, "{lost} had to be shrunk");
}

#[test]
fn nothing_lost_is_not_said_where_labels_are_coarse() {
    let (factors, labels) = random(3);
    let frame =
        Frame { most: Most::OfProduct(64), order: Order::Nearness, shrinking: Shrinking::Bisimulation };
    let said = |coarse| MergeAndShrink { coarse, ..made(&factors, &labels, frame) }.remark();
    assert!(said(0).is_some_and(|remark| remark.contains("nothing lost")));
    assert!(said(2).is_some_and(|remark| !remark.contains("nothing lost") && remark.contains("2 labels")));
}
