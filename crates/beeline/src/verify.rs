//! The main job: an engine searches, the kernel judges. Nothing else in Beeline makes a verdict.

use crate::settings::{Mode, Settings};
use beeline_check::{Certify, Checked, InternalError};
use beeline_engine::{Options, Progress, RuntimeErrors};
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::limits::{CancelToken, Limits};
use beeline_ir::model::Model;
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
    let outcome = beeline_engine::explore(network, property, &options, progress).map_err(no_outcome)?;
    let mut stats = outcome.stats;
    let searched = start.elapsed();
    let checked =
        beeline_check::check(model, property, outcome, settings.certify, limits).map_err(|error| {
            // The same search gives the same claim; keeping a copy of every claim would cost every run instead.
            let again = beeline_engine::explore(network, property, &options, progress);
            Failure::Internal { error, claim: again.ok().map(Box::new) }
        })?;
    let total = start.elapsed();
    stats.check_seconds = seconds(total.saturating_sub(searched));
    stats.total_seconds = seconds(total);
    Ok(Verified { checked, stats })
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
        limits: limits.clone(),
        ..Options::default()
    }
}
