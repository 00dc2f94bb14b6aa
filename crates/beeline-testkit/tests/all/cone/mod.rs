//! The cone of influence keeps answers and lengths: on random models with processes beside them, model and cone
//! have the same verdict and the same shortest length, every run of the cone is one that the kernel replays, and
//! every proof, also of lengths, becomes one that the kernel accepts.

pub mod beside;

use beeline_abstraction::Cone;
use beeline_ir::network::Network;
use beeline_testkit::feature::Feature;
use beeline_testkit::generate::{Profile, generate};
use beeline_testkit::harness::abstraction::{Tally, compare, on_models, shape};
use beeline_testkit::random::Random;

#[test]
fn answers_and_lengths_are_kept() {
    use Feature as F;
    let rare = [F::Deadlock, F::Observer, F::Assert, F::ChannelPriority, F::ProcessPriority];
    let shape = shape(Profile::Timed, &rare).with(F::Committed, 40);
    let model = |seed: u64| {
        let mut network = generate(&shape, seed);
        beside::put(&mut network, &mut Random::new(!seed));
        network
    };
    let tally = on_models(4_000, model, |network: &Network, tally: &mut Tally| {
        let cone = Cone::of(network, &network.properties[0]);
        cone.map_or(Ok(()), |cone| compare(network, &cone, tally))
    });
    println!("{tally:?}");
    assert!(tally.stored.1 < tally.stored.0);
    assert!(tally.compared >= 1_000 && tally.steps >= 200 && tally.proofs >= 200 && tally.lengths >= 200);
}
