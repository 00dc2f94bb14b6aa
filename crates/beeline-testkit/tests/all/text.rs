//! Every random model is well-formed, and reads back equal from its text form; so do its rewritten twins.

use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::random::Random;
use beeline_testkit::rewrite::Rewrite;

fn assert_reads_back(network: Network, what: &str) {
    let model = Model::Network(network);
    let complaints = beeline_ir::wellformed::check(&model);
    let printed = text::print(&model);
    assert!(complaints.is_empty(), "{what}: {complaints:?}\n{printed}");
    match text::read(&printed, ReadOptions { file: "model", record_places: false }) {
        Ok(read) => {
            assert!(read == model, "{what} reads back different:\n{printed}\n{}", text::print(&read));
            assert_eq!(read.hash(), model.hash(), "{what}");
        }
        Err(diagnostics) => panic!("{what}: {diagnostics:?}\n{printed}"),
    }
}

#[test]
fn random_models_are_well_formed_and_read_back() {
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = Shape::new(profile);
        for seed in 0..10_000 {
            assert_reads_back(generate(&shape, seed), &format!("{profile:?} {seed}"));
        }
    }
}

#[test]
fn rewritten_models_are_well_formed_and_read_back() {
    let mut applied = vec![0; Rewrite::ALL.len()];
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = Shape::new(profile);
        for seed in 0..1_000 {
            let network = generate(&shape, seed);
            for (i, rewrite) in Rewrite::ALL.iter().enumerate() {
                if let Some(twin) = rewrite.apply(&network, &mut Random::new(seed)) {
                    assert_reads_back(twin, &format!("{profile:?} {seed} {rewrite:?}"));
                    applied[i] += 1;
                }
            }
        }
    }
    assert!(applied.iter().all(|n| *n >= 50), "rewrites hardly apply: {applied:?}");
}
