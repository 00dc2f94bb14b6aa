//! Safe abstraction loses no answer (O10): on random models with factors woven in, model and abstraction have the
//! same verdict, every run found without the factors becomes a run that the kernel replays, and every proof one
//! that the kernel accepts.

mod weave;

use beeline_abstraction::{SafeAbstraction, safe_at_once};
use beeline_check::{check_certificate, replay};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use beeline_testkit::feature::Feature;
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::random::Random;
use beeline_zones::fault::{Fault, inject};

/// Kernel steps that the check of a certificate may take.
const BUDGET: u64 = 5_000_000;

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

/// Random models with much of what could make abstraction wrong, and little of what rules it out for the whole
/// model.
fn shape() -> Shape {
    use Feature as F;
    let ruled_out = [
        F::Buffered,
        F::QueueExpression,
        F::Composite,
        F::Atomic,
        F::Family,
        F::SeveralFamilies,
        F::Exit,
        F::Else,
        F::Deadlock,
        F::Observer,
        F::Assert,
        F::ChannelPriority,
        F::ProcessPriority,
        F::RuntimeError,
    ];
    let shape = ruled_out.into_iter().fold(Shape::new(Profile::Timed), |shape, f| shape.with(f, 2));
    let shape = shape.with(F::Committed, 45).with(F::Urgent, 30).with(F::UrgentChannel, 30);
    // A channel by its value may be one of the urgent ones woven in, which go with no clock constraint.
    let mut shape = shape.with(F::Broadcast, 45).with(F::Message, 20).with(F::ChannelValue, 0);
    (shape.processes, shape.locations, shape.clocks) = (2, 5, 2);
    shape
}

fn model(shape: &Shape, seed: u64) -> Network {
    let mut network = generate(shape, seed);
    weave::weave(&mut network, &mut Random::new(!seed));
    network
}

fn solve(network: &Network, property: &Property) -> Option<Outcome> {
    let options =
        Options { limits: Limits { states: Some(4_000), ..Limits::default() }, ..Options::default() };
    explore(network, property, &options, &mut |_| {}).ok()
}

fn reachable(outcome: &Outcome) -> Option<bool> {
    match outcome.finding {
        Finding::Reachable { .. } => Some(true),
        Finding::Unreachable => Some(false),
        Finding::Unknown(_) => None,
    }
}

fn compare(network: &Network, tally: &mut Tally) -> Result<(), String> {
    tally.models += 1;
    let model = Model::Network(network.clone());
    let wrong = beeline_ir::wellformed::check(&model);
    if !wrong.is_empty() {
        return Err(format!("the model is not well-formed: {:?}", wrong[0]));
    }
    let property = &network.properties[0];
    let Some(abstraction) = SafeAbstraction::of(network, property) else { return Ok(()) };
    let at_once = safe_at_once(network, property);
    let solved = (solve(network, property), solve(&abstraction.network, &abstraction.property));
    let (Some(whole), Some(left)) = solved else {
        tally.skipped += 1;
        return Ok(());
    };
    let (Some(expected), Some(found)) = (reachable(&whole), reachable(&left)) else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.safe += 1;
    tally.factors += abstraction.removed.len();
    tally.cascades += usize::from(abstraction.removed.iter().any(|factor| !at_once.contains(factor)));
    if expected != found {
        return Err(format!("reachable: {expected}, without the factors: {found}"));
    }
    if let Finding::Reachable { trace, .. } = &left.finding {
        let concrete = abstraction.concretise(trace).map_err(|e| e.to_string())?;
        let replayed = replay(&model, property, &concrete.trace).map_err(|e| e.to_string())?;
        tally.reachable += 1;
        tally.inserted += usize::from(concrete.inserted > 0);
        if let Finding::Reachable { trace: shortest, .. } = &whole.finding {
            let shortest = replay(&model, property, shortest).map_err(|e| e.to_string())?;
            if replayed.length < shortest.length || left.lower_bound > shortest.length {
                return Err(format!("{} steps are fewer than {}", replayed.length, shortest.length));
            }
        }
    }
    if let Some(certificate) = &left.certificate {
        let lifted = abstraction.lift(certificate).map_err(|e| e.to_string())?;
        match check_certificate(&model, property, &lifted, Some(BUDGET), &Limits::default()) {
            Ok(_) => tally.proofs += 1,
            Err(beeline_check::NotAccepted::BudgetExceeded) => {}
            Err(reason) => return Err(reason.to_string()),
        }
    }
    Ok(())
}

#[test]
fn no_answer_is_lost() {
    let (shape, mut tally) = (shape(), Tally::default());
    for seed in 0..4_000 {
        let network = model(&shape, seed);
        if let Err(trouble) = compare(&network, &mut tally) {
            let small = beeline_testkit::shrink::shrink(&network, 2_000, |candidate| {
                compare(candidate, &mut Tally::default()).as_ref() == Err(&trouble)
            });
            panic!("seed {seed}: {trouble}\n{}", beeline_ir::text::print(&Model::Network(small)));
        }
    }
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
