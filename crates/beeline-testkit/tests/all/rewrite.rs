//! Rewrites preserve meaning: the oracle gives the same answers for a model and its twins.

use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::oracle::{self, Answer};
use beeline_testkit::random::Random;
use beeline_testkit::rewrite::Rewrite;

/// Least length, and number of states at each cost.
fn summary(answer: &Answer) -> (Option<u32>, Vec<usize>) {
    let mut levels = Vec::new();
    for (_, cost) in &answer.reachable {
        levels.resize(levels.len().max(*cost as usize + 1), 0);
        levels[*cost as usize] += 1;
    }
    (answer.length, levels)
}

#[test]
fn twins_have_the_same_answers() {
    let mut compared = vec![0; Rewrite::ALL.len()];
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = Shape::new(profile);
        for seed in 0..600 {
            let network = generate(&shape, seed);
            let Ok(answer) = oracle::solve(&network, &network.properties[0], true, 2_000) else { continue };
            for (i, rewrite) in Rewrite::ALL.iter().enumerate() {
                let Some(twin) = rewrite.apply(&network, &mut Random::new(seed)) else { continue };
                // Scaled constants make more regions.
                let Ok(other) = oracle::solve(&twin, &twin.properties[0], true, 20_000) else { continue };
                assert_eq!(summary(&other), summary(&answer), "{profile:?} {seed} {rewrite:?}");
                compared[i] += 1;
            }
        }
    }
    assert!(compared.iter().all(|n| *n >= 30), "rewrites hardly apply: {compared:?}");
}
