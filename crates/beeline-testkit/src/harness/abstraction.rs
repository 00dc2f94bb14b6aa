//! Abstractions against the whole. What is found in what an abstraction leaves of a model must be true of the model:
//! the same verdict, runs that the kernel replays, proofs that it accepts; and the same length, if the abstraction
//! promises to keep lengths.

use crate::feature::Feature;
use crate::generate::{Profile, Shape};
use crate::shrink::shrink;
use beeline_abstraction::Exact;
use beeline_check::{NotAccepted, check_certificate, replay};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::certificate::Certificate;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;

/// Kernel steps that the check of a certificate may take.
const BUDGET: u64 = 5_000_000;
/// States that a search may store.
const STATES: u64 = 4_000;

/// Random models with much of what could make abstractions wrong, and little of what rules them out.
pub fn shape(profile: Profile, rare: &[Feature]) -> Shape {
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
    ];
    let rare = ruled_out.iter().chain(rare);
    let shape = rare.fold(Shape::new(profile), |shape, feature| shape.with(*feature, 2));
    let shape = shape.with(F::Urgent, 30).with(F::UrgentChannel, 30);
    // A channel by its value may be an urgent one, which goes with no clock constraint.
    let mut shape = shape.with(F::Broadcast, 45).with(F::Message, 20).with(F::ChannelValue, 0);
    (shape.processes, shape.locations) = (2, 5);
    if profile == Profile::Timed {
        shape.clocks = 2;
    }
    shape
}

/// Whether the model is as models have to be.
pub fn well_formed(network: &Network) -> Result<(), String> {
    match beeline_ir::wellformed::check(&Model::Network(network.clone())).first() {
        Some(wrong) => Err(format!("not well-formed: {wrong:?}")),
        None => Ok(()),
    }
}

/// Breadth-first search with a proof; `None` if it does not come to an end.
pub fn solve(network: &Network, property: &Property) -> Option<Outcome> {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let outcome = explore(network, property, &Options { limits, ..Options::default() }, &mut |_| {}).ok()?;
    (!matches!(outcome.finding, Finding::Unknown(_))).then_some(outcome)
}

/// The length of the run that was found, replayed.
pub fn length(network: &Network, property: &Property, outcome: &Outcome) -> Result<Option<u32>, String> {
    let Finding::Reachable { trace, .. } = &outcome.finding else { return Ok(None) };
    let replayed = replay(&Model::Network(network.clone()), property, trace);
    replayed.map(|run| Some(run.length)).map_err(|error| error.to_string())
}

/// Whether the kernel accepts a proof; `false` if that takes too long.
pub fn accepted(network: &Network, property: &Property, proof: &Certificate) -> Result<bool, String> {
    let model = Model::Network(network.clone());
    match check_certificate(&model, property, proof, Some(BUDGET), &Limits::default()) {
        Ok(_) => Ok(true),
        Err(NotAccepted::BudgetExceeded) => Ok(false),
        Err(reason) => Err(reason.to_string()),
    }
}

/// What was compared, so that a test cannot pass by comparing nothing.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Models from which something was left out, and that both searches came to an end on.
    pub compared: usize,
    /// Models too large for that.
    pub skipped: usize,
    /// Runs of more than one step.
    pub steps: usize,
    /// Proofs of unreachability accepted.
    pub proofs: usize,
    /// Proofs of lengths accepted.
    pub lengths: usize,
    /// Symbolic states stored for the whole models, and for what is left of them.
    pub stored: (u64, u64),
}

/// Compares a model with what an abstraction that keeps lengths leaves of it.
pub fn compare(network: &Network, abstraction: &dyn Exact, tally: &mut Tally) -> Result<(), String> {
    well_formed(abstraction.network())?;
    let property = &network.properties[0];
    let solved = (solve(network, property), solve(abstraction.network(), property));
    let (Some(whole), Some(mut left)) = solved else {
        tally.skipped += 1;
        return Ok(());
    };
    abstraction.put_back(&mut left).map_err(|error| error.to_string())?;
    tally.compared += 1;
    tally.stored.0 += whole.stats.stored;
    tally.stored.1 += left.stats.stored;
    let (expected, found) = (length(network, property, &whole)?, length(network, property, &left)?);
    if expected != found {
        return Err(format!("shortest: {expected:?}, in what is left: {found:?}"));
    }
    if matches!(left.finding, Finding::Reachable { shortest: false, .. }) {
        return Err("shortest no longer".to_string());
    }
    tally.steps += usize::from(found.is_some_and(|length| length > 1));
    if let Some(certificate) = &left.certificate
        && accepted(network, property, certificate)?
    {
        *if found.is_some() { &mut tally.lengths } else { &mut tally.proofs } += 1;
    }
    Ok(())
}

/// Tries a comparison on the models of the seeds 0, 1, ..; one on which something is wrong is shrunk and shown.
pub fn on_models<T: Default>(
    seeds: u64,
    model: impl Fn(u64) -> Network,
    compare: impl Fn(&Network, &mut T) -> Result<(), String>,
) -> T {
    let mut tally = T::default();
    for seed in 0..seeds {
        let network = model(seed);
        if let Err(trouble) = well_formed(&network).and_then(|()| compare(&network, &mut tally)) {
            let wrong = |candidate: &Network| compare(candidate, &mut T::default()).is_err();
            let small =
                shrink(&network, 2_000, |candidate| well_formed(candidate).is_ok() && wrong(candidate));
            panic!("seed {seed}: {trouble}\n{}", beeline_ir::text::print(&Model::Network(small)));
        }
    }
    tally
}
