//! The mint of verdicts. What an engine claims becomes `Checked` here and nowhere else: a trace has been
//! replayed, and a proof is graded by who has checked it.

use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::outcome::{Certify, Finding, Grade, Outcome, Shortest, Verdict};
use beeline_ir::property::Property;

use crate::certificate::{NotAccepted, check_certificate};
use crate::replay::{ReplayError, Replayed, replay_within};

/// Steps a check may take under [`Certify::Auto`].
pub const AUTO_BUDGET: u64 = 20_000_000;

/// An engine contradicts the kernel. Never the model's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InternalError {
    /// What contradicts what.
    pub message: String,
}

impl std::fmt::Display for InternalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

fn contradiction<R>(message: impl Into<String>) -> Result<R, InternalError> {
    Err(InternalError { message: message.into() })
}

/// Something the kernel has checked. Only the kernel makes one.
#[derive(Clone, Debug)]
pub struct Checked<T> {
    value: T,
    verdict: Verdict,
    replayed: Option<Replayed>,
    shortest: Option<Shortest>,
    grade: Grade,
    note: Option<String>,
}

impl<T> Checked<T> {
    /// What was checked.
    pub fn value(&self) -> &T {
        &self.value
    }
    /// The answer.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
    /// The replay, if a trace was found.
    pub fn replayed(&self) -> Option<&Replayed> {
        self.replayed.as_ref()
    }
    /// Whether the trace is a shortest one, if a trace was found.
    pub fn shortest(&self) -> Option<Shortest> {
        self.shortest
    }
    /// Who has checked that the target is out of reach, or that the trace is a shortest one.
    pub fn grade(&self) -> Grade {
        self.grade
    }
    /// Why not the kernel.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

/// Checks what an engine claims. A trace that does not replay, a certificate that is rejected, and claims that
/// contradict each other are internal errors.
pub fn check(
    model: &Model,
    property: &Property,
    mut outcome: Outcome,
    policy: Certify,
    limits: &Limits,
) -> Result<Checked<Outcome>, InternalError> {
    let mut replayed = None;
    if let Finding::Reachable { trace, .. } = &outcome.finding {
        match replay_within(model, property, trace, limits) {
            Ok(good) => replayed = Some(good),
            // Nobody knows whether it would have.
            Err(ReplayError { stopped: Some(reason), .. }) => outcome.finding = Finding::Unknown(reason),
            Err(error) => return contradiction(format!("the trace does not replay: {error}")),
        }
    }
    let (reachable, claims_shortest) = match &outcome.finding {
        Finding::Reachable { shortest, .. } => (Some(true), *shortest),
        Finding::Unreachable => (Some(false), false),
        Finding::Unknown(_) => (None, false),
    };
    let length = replayed.as_ref().map(|r| r.length);
    if length.is_some_and(|length| outcome.lower_bound > length) {
        return contradiction("the length of the trace contradicts the lower bound");
    }
    let (grade, note) = match reachable {
        Some(_) => prove(model, property, &outcome, length, policy, limits)?,
        None => (Grade::None, None),
    };
    let shortest = length.map(|_| match (grade, claims_shortest) {
        (Grade::Kernel, _) => Shortest::Certified,
        (Grade::SecondEngine | Grade::None, true) => Shortest::BySearch,
        (Grade::SecondEngine | Grade::None, false) => Shortest::No,
    });
    let verdict = match reachable.map(|reachable| property.holds(reachable)) {
        Some(true) => Verdict::Holds,
        Some(false) => Verdict::Violated,
        None => Verdict::Unknown,
    };
    Ok(Checked { value: outcome, verdict, replayed, shortest, grade, note })
}

/// Checks the certificate, which must be about unreachability, or this length: the grade, and why it is no better.
fn prove(
    model: &Model,
    property: &Property,
    outcome: &Outcome,
    length: Option<u32>,
    policy: Certify,
    limits: &Limits,
) -> Result<(Grade, Option<String>), InternalError> {
    let open = |note: &str| Ok((Grade::None, Some(note.to_string())));
    let Some(certificate) = &outcome.certificate else {
        let second = outcome.second_engine.clone().filter(|_| length.is_none());
        let open = || open(outcome.no_certificate.as_deref().unwrap_or("there is no certificate"));
        return second.map_or_else(open, |how| Ok((Grade::SecondEngine, Some(how))));
    };
    if certificate.length != length {
        return contradiction("the certificate is about something else than the finding");
    }
    let budget = match policy {
        Certify::Never => return open("the certificate was not checked, as asked"),
        Certify::Auto => Some(AUTO_BUDGET),
        Certify::Always => None,
    };
    match check_certificate(model, property, certificate, budget, limits) {
        Ok(_) => Ok((Grade::Kernel, None)),
        Err(NotAccepted::BudgetExceeded) => {
            open("its check takes more than 20,000,000 steps; `--certify always` does it all the same")
        }
        Err(NotAccepted::Stopped(reason)) => open(&format!("the check was stopped: {}", reason.message())),
        Err(error) => contradiction(format!("the certificate is rejected: {error}")),
    }
}
