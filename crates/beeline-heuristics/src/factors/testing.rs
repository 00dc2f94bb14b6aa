//! Random factors, for tests of what is made of them.

use super::{Atomic, Factor, Labels, Source, State, product};
use beeline_ir::limits::Limits;
use beeline_program::factored::Meter;
use oorandom::Rand32;

/// States of a factor.
pub(crate) const STATES: usize = 4;
/// Number of factors.
pub(crate) const FACTORS: usize = 3;

/// Factors with few transitions per label, some labels free of cost, one state in three a goal.
pub(crate) fn random(seed: u64) -> (Vec<Factor>, Labels) {
    let mut rand = Rand32::new(seed);
    let mut below = |n: usize| rand.rand_range(0..n as u32) as usize;
    let mut labels: Labels = (0..10).map(|_| Some(below(3) > 0)).collect();
    let mut factors = Vec::new();
    for _ in 0..FACTORS {
        let mut groups = Vec::new();
        for _ in 0..labels.len() {
            let group = if below(2) == 0 {
                (0..STATES).map(|state| (State::new(state), State::new(state))).collect()
            } else {
                (0..1 + below(4)).map(|_| (State::new(below(STATES)), State::new(below(STATES)))).collect()
            };
            groups.push(group);
        }
        let goal = (0..STATES).map(|_| below(3) == 0).collect();
        let group_of = (0..labels.len() as u32).collect();
        factors.push(Factor { initial: State(0), goal, groups, group_of }.tidy(&mut labels));
    }
    (factors, labels)
}

/// The product of all factors. Labels that it never takes have no transitions in it, so they need not be gone.
pub(crate) fn all(factors: &[Factor], given: &Labels) -> Factor {
    let limits = Limits::default();
    let mut labels = given.clone();
    let mut whole = factors[0].clone();
    for factor in &factors[1..] {
        whole = product(&whole, factor, &mut labels, &Meter::new(&limits)).expect("nobody stops it");
    }
    let nothing = whole.groups.len() as u32;
    whole.groups.push(Vec::new());
    for (group, label) in whole.group_of.iter_mut().zip(&labels) {
        *group = if label.is_some() { *group } else { nothing };
    }
    whole
}

/// The values of slots for a state of the product of all factors.
pub(crate) fn slots(state: usize) -> [i64; FACTORS] {
    let mut rest = state;
    let mut slots = [0; FACTORS];
    for slot in slots.iter_mut().rev() {
        *slot = (rest % STATES) as i64;
        rest /= STATES;
    }
    slots
}

/// The same as atomic factors, each of a slot.
pub(crate) fn atomic(seed: u64) -> Atomic {
    let (factors, labels) = random(seed);
    let slots = factors.into_iter().enumerate();
    let factors = slots.map(|(slot, factor)| (Source::Slot(slot, 0, STATES), factor)).collect();
    let origins = vec![None; labels.len()];
    Atomic { factors, labels, origins, coarse: 0 }
}

/// All states of atomic factors, as values of slots, with whether they can be reached and how far they are from the goal.
pub(crate) fn states(atomic: &Atomic) -> Vec<(Vec<i64>, bool, Option<u32>)> {
    let factors: Vec<Factor> = atomic.factors.iter().map(|(_, factor)| factor.clone()).collect();
    let whole = all(&factors, &atomic.labels);
    let (reached, distances) = (whole.reachable(&atomic.labels), whole.distances(&atomic.labels));
    (0..whole.states()).map(|state| (slots(state).to_vec(), reached[state], distances[state])).collect()
}
