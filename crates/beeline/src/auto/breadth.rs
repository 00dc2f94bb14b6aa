//! Breadth-first search in a thread of its own, which waits whenever it has done as much as it was allowed. What it has
//! done is never lost.

use crate::verify::{Failure, no_outcome};
use beeline_engine::{Options, Progress};
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::limits::{CancelToken, StopReason};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

/// What it says of itself.
enum Said {
    Progress(Progress),
    Waits,
    Done(Box<Result<Outcome, Vec<Diagnostic>>>),
}

/// Breadth-first search, as seen from outside. It ends with this.
pub(super) struct Breadth {
    allow: Sender<u64>,
    heard: Receiver<Said>,
    last: Option<Progress>,
    /// States that were stored when the last layers were complete, the newest first.
    layers: [u64; 2],
    /// Its answer, once it has stopped.
    done: Option<Outcome>,
}

impl Breadth {
    /// Starts the thread, which waits; a successor counts as so many units of work. It has a token of its own in its
    /// limits, and heeds another one.
    pub(super) fn start<'s>(
        scope: &'s Scope<'s, '_>,
        (network, property): (&'s Network, &'s Property),
        options: Options,
        unit: u64,
        cancel: &'s CancelToken,
    ) -> Self {
        let (allow, allowed) = channel();
        let (say, heard) = channel();
        scope.spawn(move || walk((network, property), &options, unit, cancel, &allowed, &say));
        Self { allow, heard, last: None, layers: [0; 2], done: None }
    }

    /// Lets it go on until it has done so much work; true if it has an answer, or there will be none.
    pub(super) fn go(&mut self, to: u64, progress: &mut dyn FnMut(&Progress)) -> Result<bool, Failure> {
        if self.done.is_some() {
            return Ok(false);
        }
        _ = self.allow.send(to);
        for said in self.heard.iter() {
            match said {
                Said::Progress(now) => {
                    progress(&now);
                    if now.lower_bound > self.bound() {
                        self.layers = [now.stored, self.layers[0]];
                    }
                    self.last = Some(now);
                }
                Said::Waits => return Ok(false),
                Said::Done(outcome) => {
                    let outcome = (*outcome).map_err(no_outcome)?;
                    // Without memory for it, others may still find an answer.
                    let lasting = outcome.finding != Finding::Unknown(StopReason::Memory);
                    self.done = Some(outcome);
                    return Ok(lasting);
                }
            }
        }
        Ok(true)
    }

    /// Whether it has stopped for want of memory.
    pub(super) fn gave_up(&self) -> bool {
        self.done.is_some()
    }

    /// What it has come to; nothing, if it still waits.
    pub(super) fn outcome(&mut self) -> Outcome {
        let unknown = Outcome { lower_bound: self.bound(), ..Outcome::unknown(StopReason::Interrupted) };
        self.done.take().unwrap_or(unknown)
    }

    /// States stored.
    pub(super) fn stored(&self) -> u64 {
        self.last.map_or(0, |last| last.stored)
    }

    /// No trace is shorter.
    pub(super) fn bound(&self) -> u32 {
        self.last.map_or(0, |last| last.lower_bound)
    }

    /// About how many states it will have stored when it has shown that no trace has less than so many steps, if it
    /// goes on as in the last layer.
    pub(super) fn expected(&self, bound: u32) -> f64 {
        let [now, before] = self.layers.map(|stored| stored.max(1) as f64);
        now * (now / before).max(1.0).powf(f64::from(bound.saturating_sub(self.bound())))
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        self.last.map_or(0, |last| last.bytes)
    }
}

/// The search, which waits whenever it has done as much work as it was allowed.
fn walk(
    (network, property): (&Network, &Property),
    options: &Options,
    unit: u64,
    cancel: &CancelToken,
    allowed: &Receiver<u64>,
    say: &Sender<Said>,
) {
    let stop = &options.limits.cancel;
    let Ok(mut most) = allowed.recv() else { return };
    // Whoever no longer listens has stopped the search.
    let mut report = |progress: &Progress| {
        _ = say.send(Said::Progress(*progress));
        if let Some(reason) = cancel.cancelled() {
            stop.cancel(reason);
        }
        while progress.generated.saturating_mul(unit) >= most && stop.cancelled().is_none() {
            _ = say.send(Said::Waits);
            match allowed.recv() {
                Ok(more) => most = more,
                Err(_) => stop.cancel(StopReason::Interrupted),
            }
        }
    };
    let outcome = beeline_engine::explore_with(network, property, options, &mut [], &mut report);
    _ = say.send(Said::Done(Box::new(outcome)));
}
