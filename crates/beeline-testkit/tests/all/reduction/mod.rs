//! Leaving out what can never happen changes no answer: on random models with edges that can hardly ever be taken and
//! variables that hardly ever change, model and reduction have the same verdict and the same shortest length, every run
//! of the reduction is one that the kernel replays on the model, and every proof becomes one that it accepts.

use crate::cone::beside;
mod never;

use beeline_abstraction::{Cone, Exact, Reduction, Unfit};
use beeline_ir::certificate::Certificate;
use beeline_ir::network::Network;
use beeline_ir::trace::Trace;
use beeline_testkit::feature::Feature;
use beeline_testkit::generate::{Profile, generate};
use beeline_testkit::harness::abstraction::{Tally, compare, on_models, shape};
use beeline_testkit::random::Random;
use beeline_zones::fault::{Fault, inject};

#[derive(Default, Debug)]
struct Reduced {
    tally: Tally,
    edges: usize,
    narrowed: usize,
    constant: usize,
}

/// Random models, with everything that reductions may have to do with.
fn model(profile: Profile) -> impl Fn(u64) -> Network {
    let shape = shape(profile, &[]).with(Feature::Committed, 40).with(Feature::RuntimeError, 25);
    move |seed| {
        let mut network = generate(&shape, seed);
        never::put(&mut network, &mut Random::new(!seed));
        network
    }
}

fn reduce(network: &Network, reduced: &mut Reduced) -> Result<(), String> {
    let Some(reduction) = Reduction::of(network, &network.properties[0]) else { return Ok(()) };
    reduced.edges += reduction.edges.len();
    reduced.narrowed += reduction.narrowed.len();
    let constant = |id: &&beeline_ir::VarId| reduction.network.vars[**id].range.size() == 1;
    reduced.constant += reduction.narrowed.iter().filter(constant).count();
    compare(network, &reduction, &mut reduced.tally)
}

#[test]
fn answers_and_lengths_are_kept() {
    for profile in [Profile::Timed, Profile::Discrete] {
        let reduced = on_models(4_000, model(profile), reduce);
        println!("{}: {reduced:?}", profile.name());
        let Reduced { tally, edges, narrowed, constant } = reduced;
        assert!(edges >= 2_000 && narrowed >= 2_000 && constant >= 500);
        assert!(tally.compared >= 1_000 && tally.stored.1 <= tally.stored.0);
        assert!(tally.steps >= 200 && tally.proofs >= 200 && tally.lengths >= 200);
    }
}

/// The cone of influence of what a reduction leaves.
struct Both(Reduction, Cone);

impl Exact for Both {
    fn network(&self) -> &Network {
        self.1.network()
    }
    fn trace(&self, trace: &Trace) -> Result<Trace, Unfit> {
        self.0.trace(&self.1.trace(trace)?)
    }
    fn lift(&self, certificate: &Certificate) -> Result<Certificate, Unfit> {
        self.0.lift(&self.1.lift(certificate)?)
    }
}

#[test]
fn the_cone_of_what_is_left_keeps_them_too() {
    let shape = shape(Profile::Timed, &[]);
    let model = |seed: u64| {
        let (mut network, mut random) = (generate(&shape, seed), Random::new(!seed));
        beside::put(&mut network, &mut random);
        never::put(&mut network, &mut random);
        network
    };
    let tally = on_models(4_000, model, |network: &Network, tally: &mut Tally| {
        let property = &network.properties[0];
        let Some(reduction) = Reduction::of(network, property) else { return Ok(()) };
        let Some(cone) = Cone::of(&reduction.network, property) else { return Ok(()) };
        compare(network, &Both(reduction, cone), tally)
    });
    println!("{tally:?}");
    assert!(tally.compared >= 500 && tally.proofs >= 100 && tally.lengths >= 100);
}

#[test]
fn an_edge_too_many_is_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    inject(Some(Fault::FirstLookOnly));
    let model = model(Profile::Timed);
    let noticed = (0..2_000).find(|seed| reduce(&model(*seed), &mut Reduced::default()).is_err());
    inject(None);
    println!("noticed at seed {noticed:?}");
    assert!(noticed.is_some());
}
