//! Safe abstraction loses no answer (O10): on random models with factors woven in, model and abstraction have the
//! same verdict, every run found without the factors becomes a run that the kernel replays, and every proof one
//! that the kernel accepts.

mod weave;

use beeline_abstraction::{SafeAbstraction, safe_at_once};
use beeline_check::replay;
use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_testkit::feature::Feature;
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::harness::abstraction::{accepted, length, on_models, solve};
use beeline_testkit::random::Random;
use beeline_zones::fault::{Fault, inject};

#[derive(Default, Debug, PartialEq, Eq)]
struct Tally {
    models: usize,
    safe: usize,
    factors: usize,
    cascades: usize,
    reachable: usize,
    inserted: usize,
    proofs: usize,
    skipped: usize,
}

fn shape() -> Shape {
    use Feature as F;
    let rare = [F::Deadlock, F::Observer, F::Assert, F::ChannelPriority, F::ProcessPriority, F::RuntimeError];
    beeline_testkit::harness::abstraction::shape(Profile::Timed, &rare).with(F::Committed, 45)
}

fn model(shape: &Shape, seed: u64) -> Network {
    let mut network = generate(shape, seed);
    weave::weave(&mut network, &mut Random::new(!seed));
    network
}

fn compare(network: &Network, tally: &mut Tally) -> Result<(), String> {
    tally.models += 1;
    let model = Model::Network(network.clone());
    let property = &network.properties[0];
    let Some(abstraction) = SafeAbstraction::of(network, property) else { return Ok(()) };
    let at_once = safe_at_once(network, property);
    let solved = (solve(network, property), solve(&abstraction.network, &abstraction.property));
    let (Some(whole), Some(left)) = solved else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.safe += 1;
    tally.factors += abstraction.removed.len();
    tally.cascades += usize::from(abstraction.removed.iter().any(|factor| !at_once.contains(factor)));
    let shortest = length(network, property, &whole)?;
    match (&left.finding, shortest) {
        (Finding::Reachable { trace, .. }, Some(shortest)) => {
            let concrete = abstraction.concretise(trace).map_err(|e| e.to_string())?;
            let replayed = replay(&model, property, &concrete.trace).map_err(|e| e.to_string())?;
            tally.reachable += 1;
            tally.inserted += usize::from(concrete.inserted > 0);
            if replayed.length < shortest || left.lower_bound > shortest {
                return Err(format!("{} steps are fewer than {shortest}", replayed.length));
            }
        }
        (Finding::Unreachable, None) => {}
        (found, shortest) => return Err(format!("{shortest:?} steps, without the factors {found:?}")),
    }
    if let Some(certificate) = &left.certificate {
        let lifted = abstraction.lift(certificate).map_err(|e| e.to_string())?;
        tally.proofs += usize::from(accepted(network, property, &lifted)?);
    }
    Ok(())
}

#[test]
fn no_answer_is_lost() {
    let shape = shape();
    let tally = on_models(4_000, |seed| model(&shape, seed), compare);
    println!("{tally:?}");
    assert!(tally.safe >= 1_000 && tally.cascades >= 100 && tally.inserted >= 200 && tally.proofs >= 500);
}

#[test]
fn moving_under_a_committed_location_is_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let shape = shape();
    inject(Some(Fault::SafeUnderCommitted));
    let noticed = (0..2_000).find(|seed| compare(&model(&shape, *seed), &mut Tally::default()).is_err());
    inject(None);
    println!("noticed at seed {noticed:?}");
    assert!(noticed.is_some());
}
