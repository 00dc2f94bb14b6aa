//! The cone of influence keeps answers and lengths: on random models with processes beside them, model and cone
//! have the same verdict and the same shortest length, every run of the cone is one that the kernel replays, and
//! every proof, also of lengths, becomes one that the kernel accepts.

mod beside;

use beeline_abstraction::Cone;
use beeline_check::{NotAccepted, check_certificate, replay};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use beeline_ir::trace::Trace;
use beeline_testkit::feature::Feature;
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::random::Random;

/// Kernel steps that the check of a certificate may take.
const BUDGET: u64 = 5_000_000;

#[derive(Default, Debug, PartialEq, Eq)]
struct Tally {
    models: usize,
    cones: usize,
    factors: usize,
    reachable: usize,
    steps: usize,
    proofs: usize,
    lengths: usize,
    over_budget: usize,
    skipped: usize,
    /// Symbolic states stored for the whole models, and for their cones.
    stored: (u64, u64),
}

/// Random models with much of what could make processes beside them matter, and little of what rules cones out.
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
    ];
    let shape = ruled_out.into_iter().fold(Shape::new(Profile::Timed), |shape, f| shape.with(f, 2));
    let shape = shape.with(F::Committed, 40).with(F::Urgent, 30).with(F::UrgentChannel, 30);
    // A channel by its value may be one of the urgent ones beside, which go with no clock constraint.
    let mut shape = shape.with(F::Broadcast, 45).with(F::Message, 20).with(F::ChannelValue, 0);
    (shape.processes, shape.locations, shape.clocks) = (2, 5, 2);
    shape
}

fn model(shape: &Shape, seed: u64) -> Network {
    let mut network = generate(shape, seed);
    beside::put(&mut network, &mut Random::new(!seed));
    network
}

fn solve(network: &Network, property: &Property) -> Option<Outcome> {
    let options =
        Options { limits: Limits { states: Some(4_000), ..Limits::default() }, ..Options::default() };
    let outcome = explore(network, property, &options, &mut |_| {}).ok()?;
    (!matches!(outcome.finding, Finding::Unknown(_))).then_some(outcome)
}

fn run(outcome: &Outcome) -> Option<&Trace> {
    match &outcome.finding {
        Finding::Reachable { trace, .. } => Some(trace),
        Finding::Unreachable | Finding::Unknown(_) => None,
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
    let Some(cone) = Cone::of(network, property) else { return Ok(()) };
    let wrong = beeline_ir::wellformed::check(&Model::Network(cone.network.clone()));
    if !wrong.is_empty() {
        return Err(format!("the cone is not well-formed: {:?}", wrong[0]));
    }
    let solved = (solve(network, property), solve(&cone.network, &cone.property));
    let (Some(whole), Some(left)) = solved else {
        tally.skipped += 1;
        return Ok(());
    };
    tally.cones += 1;
    tally.factors += cone.removed.len();
    tally.stored.0 += whole.stats.stored;
    tally.stored.1 += left.stats.stored;
    let length =
        |trace: &Trace| replay(&model, property, trace).map(|run| run.length).map_err(|e| e.to_string());
    let expected = run(&whole).map(length).transpose()?;
    let lifted = run(&left).map(|trace| cone.trace(trace).map_err(|e| e.to_string())).transpose()?;
    let found = lifted.as_ref().map(length).transpose()?;
    if expected != found {
        return Err(format!("shortest: {expected:?}, in the cone: {found:?}"));
    }
    tally.reachable += usize::from(found.is_some());
    tally.steps += usize::from(found.is_some_and(|length| length > 1));
    if let Some(certificate) = &left.certificate {
        let lifted = cone.lift(certificate).map_err(|e| e.to_string())?;
        match check_certificate(&model, property, &lifted, Some(BUDGET), &Limits::default()) {
            Ok(_) if certificate.length.is_none() => tally.proofs += 1,
            Ok(_) => tally.lengths += 1,
            Err(NotAccepted::BudgetExceeded) => tally.over_budget += 1,
            Err(reason) => return Err(reason.to_string()),
        }
    }
    Ok(())
}

#[test]
fn answers_and_lengths_are_kept() {
    let (shape, mut tally) = (shape(), Tally::default());
    for seed in 0..4_000 {
        let network = model(&shape, seed);
        if let Err(trouble) = compare(&network, &mut tally) {
            let small = beeline_testkit::shrink::shrink(&network, 2_000, |candidate| {
                compare(candidate, &mut Tally::default()).is_err()
            });
            panic!("seed {seed}: {trouble}\n{}", beeline_ir::text::print(&Model::Network(small)));
        }
    }
    println!("{tally:?}");
    assert!(tally.stored.1 < tally.stored.0);
    assert!(tally.cones >= 1_000 && tally.steps >= 200 && tally.proofs >= 200 && tally.lengths >= 200);
}
