//! The shrinker finds small models, and only models that still fail and are well-formed.

use beeline_ir::Model;
use beeline_ir::network::{Network, Role};
use beeline_testkit::feature::{self, Feature};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::oracle;
use beeline_testkit::shrink::shrink;

/// Edges of the system; an observer needs some of its own to get anywhere.
fn edges(network: &Network) -> usize {
    network.processes.iter().filter(|p| p.role == Role::System).map(|p| p.edges.len()).sum()
}

#[test]
fn a_syntactic_failure_shrinks_to_almost_nothing() {
    // "Fails" wherever a construct is used; each needs at most two edges.
    for (profile, wanted) in [
        (Profile::Timed, Feature::Quantifier),
        (Profile::Timed, Feature::Broadcast),
        (Profile::Timed, Feature::ClockCopy),
        (Profile::Discrete, Feature::Family),
        (Profile::Discrete, Feature::Else),
        (Profile::Discrete, Feature::SortedSend),
    ] {
        let shape = Shape::new(profile);
        let uses = |n: &Network| feature::of(n).contains(wanted);
        for seed in (0..300).filter(|seed| uses(&generate(&shape, *seed))).take(5) {
            let small = shrink(&generate(&shape, seed), 5_000, uses);
            assert!(uses(&small), "seed {seed}");
            assert!(beeline_ir::wellformed::check(&Model::Network(small.clone())).is_empty(), "seed {seed}");
            let text = beeline_ir::text::print(&Model::Network(small.clone()));
            assert!(
                edges(&small) <= 2 && small.processes.len() <= 3,
                "{} seed {seed}:\n{text}",
                wanted.name()
            );
        }
    }
}

#[test]
fn a_semantic_failure_keeps_what_it_needs() {
    // "Fails" where the target takes exactly two steps.
    let shape = Shape::new(Profile::Timed);
    let two =
        |n: &Network| oracle::solve(n, &n.properties[0], true, 2_000).is_ok_and(|a| a.length == Some(2));
    let mut tried = 0;
    for seed in (0..400).filter(|seed| two(&generate(&shape, *seed))).take(10) {
        let small = shrink(&generate(&shape, seed), 5_000, two);
        assert!(two(&small), "seed {seed}");
        // Two of them may stand for each other, such that no single edit removes one.
        assert!(edges(&small) <= 4, "seed {seed}:\n{}", beeline_ir::text::print(&Model::Network(small)));
        tried += 1;
    }
    assert_eq!(tried, 10);
}
