//! On random products of small factors, nothing leads out of what proofs say: wherever in the box one begins, reachable or
//! not, a step lowers what is proven by no more than it costs, and leads from nothing dead to something that is not.

use super::{Estimate, Grounds};
use crate::factors::testing::{FACTORS, STATES, all, random, slots};
use crate::factors::{Atomic, Source, live};

#[test]
fn what_is_proven_is_closed() {
    let (mut dead, mut far, mut partial, mut hopeless) = (0, 0, 0, 0);
    for seed in 0..1_500 {
        let (factors, labels) = random(seed);
        let whole = all(&factors, &labels);
        let distances = whole.distances(&labels);
        let source = |at: usize| Source::Slot(at, 0, STATES);
        let named = (0..FACTORS).map(source).zip(factors).collect();
        let origins = vec![None; labels.len()];
        let atomic = Atomic { factors: named, labels: labels.clone(), origins, coarse: 0 };
        for patterns in
            [vec![vec![0, 1, 2]], vec![vec![2, 0], vec![1]], vec![vec![0], vec![1, 2]], Vec::new()]
        {
            let complete = !patterns.is_empty();
            let grounds = Grounds::of(&atomic).about(patterns);
            let Some(proof) = grounds.proof() else { panic!("nobody stops it") };
            let boxed = |state: usize| {
                proof.atoms.iter().all(|atom| atom.fate(&slots(state)) != super::Fate::Unreached)
            };
            let found: Vec<Estimate> =
                (0..whole.states()).map(|state| proof.estimate(&slots(state))).collect();
            for (label, costs) in live(&labels) {
                for (from, to) in whole.transitions(label).iter().filter(|(from, _)| boxed(from.index())) {
                    assert!(boxed(to.index()), "seed {seed}: nothing leads out of the box");
                    match (found[from.index()], found[to.index()]) {
                        (Estimate::Steps(from), Estimate::Steps(to)) => {
                            assert!(from <= to + u32::from(costs), "seed {seed}: {from} before {to}");
                        }
                        (from, to) => assert!(from <= to, "seed {seed}: {from:?} before {to:?}"),
                    }
                }
            }
            for state in (0..whole.states()).filter(|state| boxed(*state)) {
                let distance = distances[state].map_or(Estimate::Infinite, Estimate::Steps);
                assert!(found[state] <= distance, "seed {seed}: {:?} > {distance:?}", found[state]);
                dead += usize::from(found[state] == Estimate::Infinite);
                far += usize::from(matches!(found[state], Estimate::Steps(1..)));
                partial += usize::from(!complete && found[state] == Estimate::Infinite);
            }
            // The product of all knows the distance of all that can be reached.
            let initial = distances[0].map_or(Estimate::Infinite, Estimate::Steps);
            assert!(!complete || found[0] == initial, "seed {seed}: {:?}, {initial:?}", found[0]);
            hopeless += usize::from(found[0] == Estimate::Infinite);
        }
    }
    let counts = (dead, far, partial, hopeless);
    assert!(dead > 5_000 && far > 2_000 && partial > 2_000 && hopeless > 500, "{counts:?}");
}
