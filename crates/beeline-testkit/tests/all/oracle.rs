//! The oracle on its own: it answers most models, and its answers do not depend on which member of a region it keeps.

use beeline_check::{Firing, Kernel, State};
use beeline_ir::trace::Time;
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::oracle::region::Regions;
use beeline_testkit::oracle::{self, Skipped};
use beeline_testkit::random::Random;

#[test]
fn most_models_are_answered_and_about_half_are_reachable() {
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = Shape::new(profile);
        let (mut answered, mut reachable, mut states, mut large) = (0, 0, 0, 0);
        for seed in 0..1_000 {
            let network = generate(&shape, seed);
            match oracle::solve(&network, &network.properties[0], true, 3_000) {
                Ok(answer) => {
                    answered += 1;
                    reachable += usize::from(answer.length.is_some());
                    states += answer.states;
                }
                Err(Skipped::TooLarge) => large += 1,
                Err(Skipped::UnboundedConstant) => {}
            }
        }
        println!(
            "{profile:?}: answered {answered}, too large {large}, reachable {reachable}, states {states}"
        );
        assert!(answered > 900 && reachable * 100 > answered * 30 && reachable * 100 < answered * 85);
    }
}

/// What a state can do, up to regions: labels and where they lead, and whether time can pass to the next region.
fn abilities(kernel: &Kernel<'_>, regions: &Regions, state: &State) -> Vec<String> {
    let class = |s: &State| {
        let mut s = s.clone();
        regions.normalise(&mut s);
        regions.key(&s)
    };
    let mut all: Vec<String> = kernel
        .labels(state)
        .into_iter()
        .map(|(label, firing)| match firing {
            Firing::Successor { state, assertion_failed } => {
                format!("{label:?} {:?} {assertion_failed}", class(&state))
            }
            Firing::NoSuccessor => format!("{label:?} none"),
            Firing::Fails(error) => format!("{label:?} {error:?}"),
        })
        .collect();
    all.push(match regions.to_next(state) {
        Some(delay) if kernel.may_delay(state, delay) => {
            format!("{:?}", class(&kernel.delayed(state, delay)))
        }
        Some(_) => "time stands still".to_string(),
        None => "no further region".to_string(),
    });
    all
}

/// Another member of the same region: fractions spread at random in the same order, and, where nothing but "above the
/// greatest constant" is known, another value above it.
fn other_member(regions: &Regions, state: &State, random: &mut Random) -> Option<State> {
    let key = regions.key(state);
    for _ in 0..20 {
        let mut other = state.clone();
        for value in &mut other.clocks {
            if !value.is_integer() {
                *value = value.floor() + Time::new(random.between(1, 96), 97);
            } else if random.chance(30) {
                *value += Time::new(random.between(0, 30), 7);
            }
        }
        // Not every draw keeps the region.
        if other != *state && regions.key(&other) == key {
            return Some(other);
        }
    }
    None
}

#[test]
fn members_of_a_region_can_do_the_same() {
    let shape = Shape::new(Profile::Timed);
    let mut compared = 0;
    for seed in 0..2_000 {
        let network = generate(&shape, seed);
        let property = &network.properties[0];
        let kernel = Kernel::new(&network, property.observer());
        let Some(regions) = Regions::new(&network, &[property]) else { continue };
        let mut random = Random::new(seed);
        // A random walk, comparing two members at each step.
        let Some((mut state, _)) = kernel.initial().into_iter().next() else { continue };
        for _ in 0..12 {
            regions.normalise(&mut state);
            if let Some(other) = other_member(&regions, &state, &mut random) {
                assert_eq!(
                    abilities(&kernel, &regions, &state),
                    abilities(&kernel, &regions, &other),
                    "seed {seed}: {state:?} and {other:?}"
                );
                assert_eq!(kernel.holds(property, &state), kernel.holds(property, &other), "seed {seed}");
                compared += 1;
            }
            let mut next: Vec<State> = kernel
                .labels(&state)
                .into_iter()
                .filter_map(|(_, firing)| match firing {
                    Firing::Successor { state, .. } => Some(state),
                    _ => None,
                })
                .collect();
            if let Some(delay) = regions.to_next(&state).filter(|d| kernel.may_delay(&state, *d)) {
                let delayed = kernel.delayed(&state, delay);
                next.extend([delayed.clone(), delayed]);
            }
            let Some(chosen) = random.pick(&next) else { break };
            state = chosen.clone();
        }
    }
    assert!(compared > 2_000, "only {compared} pairs compared");
}
