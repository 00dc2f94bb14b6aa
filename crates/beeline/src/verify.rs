//! The main job: an engine searches, the kernel judges. Nothing else in Beeline makes a verdict.

use crate::settings::{Mode, Settings};
use beeline_check::{Certify, Checked, InternalError};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_engine::{Options, Progress, RuntimeErrors};
use beeline_heuristics::Spec;
use beeline_heuristics::registry::Making;
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::layout::Layout;
use beeline_ir::limits::{CancelToken, Limits};
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Outcome, Stats};
use beeline_ir::property::{Property, PropertyKind, Refusal};
use std::time::{Duration, Instant};

/// What the kernel made of an engine's claim.
#[derive(Debug)]
pub struct Verified {
    /// The claim, checked.
    pub checked: Checked<Outcome>,
    /// What it took, the kernel's part included.
    pub stats: Stats,
    /// The estimate for the initial state, the greatest of several; `None` if there is none, or it is infinite.
    pub h_initial: Option<u32>,
}

/// Why there is no verdict at all.
#[derive(Debug)]
pub enum Failure {
    /// The question itself was refused when it was read.
    Refused(Refusal),
    /// The model or property uses something no engine handles.
    Unsupported(Vec<Diagnostic>),
    /// The kernel refused the engine's claim: a bug of ours.
    Internal {
        /// What contradicts what.
        error: InternalError,
        /// The claim, made once more for the record.
        claim: Option<Box<Outcome>>,
    },
}

/// Limits as the settings say, counting from now.
pub fn limits(settings: &Settings, cancel: CancelToken) -> Limits {
    Limits {
        deadline: settings.time_limit.and_then(|time| Instant::now().checked_add(time)),
        memory: settings.memory_limit,
        states: settings.state_limit,
        cancel,
    }
}

/// Checks a property: searches for its target, then has the kernel replay the trace or check the proof.
pub fn verify(
    model: &Model,
    property: &Property,
    settings: &Settings,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Verified, Failure> {
    let start = Instant::now();
    if let PropertyKind::Refused(refusal) = &property.kind {
        return Err(Failure::Refused(refusal.clone()));
    }
    let Model::Network(network) = model else {
        let message = "relations are checked by the symbolic engine, which is not available in this version";
        return Err(Failure::Unsupported(vec![Diagnostic::unsupported("C0010", message, None)]));
    };
    let options = engine_options(settings, limits);
    let (mut heuristics, h_initial) = direct(network, property, &settings.heuristics)?;
    let made = start.elapsed();
    let outcome = beeline_engine::explore_with(network, property, &options, &mut heuristics, progress)
        .map_err(no_outcome)?;
    let mut stats = outcome.stats;
    stats.preprocess_seconds += seconds(made);
    let searched = start.elapsed();
    let checked =
        beeline_check::check(model, property, outcome, settings.certify, limits).map_err(|error| {
            // The same search gives the same claim; keeping a copy of every claim would cost every run instead.
            let again =
                direct(network, property, &settings.heuristics).ok().and_then(|(mut heuristics, _)| {
                    beeline_engine::explore_with(network, property, &options, &mut heuristics, progress).ok()
                });
            Failure::Internal { error, claim: again.map(Box::new) }
        })?;
    let total = start.elapsed();
    stats.check_seconds = seconds(total.saturating_sub(searched));
    stats.total_seconds = seconds(total);
    Ok(Verified { checked, stats, h_initial })
}

/// What directs a search, and its estimate for the initial state.
type Direction = (Vec<Box<dyn Heuristic>>, Option<u32>);

/// Makes the heuristics for a network and a property.
fn direct(network: &Network, property: &Property, specs: &[Spec]) -> Result<Direction, Failure> {
    let making = Making::new(network, property);
    let made = specs.iter().map(|spec| beeline_heuristics::make(&making, spec)).collect();
    let mut heuristics: Vec<Box<dyn Heuristic>> =
        Result::map_err(made, |reason| Failure::Refused(Refusal { malformed: true, reason }))?;
    let initial = Layout::of_network(network).initial(network);
    let lasting = heuristics.iter_mut().filter(|heuristic| !heuristic.properties().path_dependent);
    let h_initial = lasting.map(|heuristic| heuristic.estimate(&initial)).max().and_then(Estimate::steps);
    Ok((heuristics, h_initial))
}

/// A model that has been read is well-formed: an engine may refuse it as unsupported, and nothing else.
fn no_outcome(diagnostics: Vec<Diagnostic>) -> Failure {
    match diagnostics.iter().find(|d| d.severity == Severity::Error) {
        Some(bug) => Failure::Internal { error: InternalError { message: bug.message.clone() }, claim: None },
        None => Failure::Unsupported(diagnostics),
    }
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// How many states a model has.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StateCount {
    /// Discrete states.
    pub discrete: u64,
    /// Symbolic states: discrete states with their zones, as stored.
    pub symbolic: u64,
}

/// Counts the reachable states; `None` if a limit is reached first.
pub fn count_states(
    model: &Model,
    settings: &Settings,
    limits: &Limits,
) -> Result<Option<StateCount>, Vec<Diagnostic>> {
    let Model::Network(network) = model else { return Ok(None) };
    let options = Options {
        certificate: false,
        runtime_errors: RuntimeErrors::Disable,
        ..engine_options(settings, limits)
    };
    let reachable = beeline_engine::reachable(network, &options)?;
    Ok(reachable.map(|r| StateCount { discrete: r.states.len() as u64, symbolic: r.stored }))
}

fn engine_options(settings: &Settings, limits: &Limits) -> Options {
    Options {
        search: settings.search,
        seed: settings.seed,
        extrapolation: settings.extrapolation,
        runtime_errors: settings.runtime_errors,
        certificate: settings.certify != Certify::Never,
        threads: settings.threads,
        any_length: settings.mode != Mode::Shortest,
        weight: settings.weight,
        beam_width: settings.beam_width,
        deferred: settings.deferred,
        preferred: settings.preferred,
        random_ties: settings.random_ties.then_some(settings.seed),
        limits: limits.clone(),
        ..Options::default()
    }
}
