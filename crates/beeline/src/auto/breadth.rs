//! Breadth-first search in a thread of its own, which waits whenever it has done as much as it was allowed. What it has
//! done is never lost.

use crate::verify::{Failure, no_outcome};
use beeline_engine::{Options, Progress};
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::limits::{CancelToken, StopReason};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::Instant;

/// Where progress is shown, of whichever search.
pub(super) type Show<'p> = Mutex<&'p mut (dyn FnMut(&Progress) + Send)>;

/// Shows progress.
pub(super) fn show(place: &Show<'_>, progress: &Progress) {
    let mut show = place.lock().unwrap_or_else(PoisonError::into_inner);
    show(progress);
}

/// What it says of itself.
enum Said {
    Progress(Progress),
    Waits,
    Done(Box<Result<Outcome, Vec<Diagnostic>>>),
}

/// Breadth-first search, as seen from outside. It ends with this.
#[derive(Debug)]
pub(super) struct Breadth {
    allow: Sender<u64>,
    heard: Receiver<Said>,
    last: Option<Progress>,
    /// States that were stored when the last layers were complete, the newest first.
    layers: [u64; 2],
    /// Bytes that it has to leave to others.
    reserved: Arc<AtomicU64>,
    memory: Option<u64>,
    /// When it has to stop, and the flag that makes it.
    until: Option<Instant>,
    stop: CancelToken,
    /// What has become of it, once it has stopped.
    done: Option<Result<Outcome, Failure>>,
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
        place: &'s Show<'_>,
    ) -> Self {
        let (allow, allowed) = channel();
        let (say, heard) = channel();
        let reserved = Arc::new(AtomicU64::new(0));
        let memory = options.limits.memory;
        let others = reserved.clone();
        let (until, stop) = (options.limits.deadline, options.limits.cancel.clone());
        scope.spawn(move || {
            let stop = options.limits.cancel.clone();
            let Ok(mut most) = allowed.recv() else { return };
            // Whoever no longer listens has stopped the search.
            let mut report = |progress: &Progress| {
                show(place, progress);
                _ = say.send(Said::Progress(*progress));
                if let Some(reason) = cancel.cancelled() {
                    stop.cancel(reason);
                }
                let waits = |most| {
                    progress.generated.saturating_mul(unit) >= most || squeezed(memory, progress, &others)
                };
                while waits(most) && stop.cancelled().is_none() {
                    _ = say.send(Said::Waits);
                    match allowed.recv() {
                        Ok(more) => most = more,
                        Err(_) => stop.cancel(StopReason::Interrupted),
                    }
                }
            };
            let outcome = beeline_engine::explore_with(network, property, &options, &mut [], &mut report);
            _ = say.send(Said::Done(Box::new(outcome)));
        });
        Self { allow, heard, last: None, layers: [0; 2], reserved, memory, until, stop, done: None }
    }

    /// Lets it go on until it has done so much work, or there is no memory beside others.
    pub(super) fn go(&mut self, to: u64) {
        if self.done.is_some() {
            return;
        }
        _ = self.allow.send(to);
        for said in self.heard.iter() {
            match said {
                Said::Progress(now) => {
                    if now.lower_bound > self.bound() {
                        self.layers = [now.stored, self.layers[0]];
                    }
                    self.last = Some(now);
                    if self.until.is_some_and(|until| Instant::now() >= until) {
                        self.stop.cancel(StopReason::Time);
                    }
                }
                Said::Waits => return,
                Said::Done(outcome) => {
                    self.done = Some((*outcome).map_err(no_outcome));
                    return;
                }
            }
        }
    }

    /// It has to stop then.
    pub(super) fn stop_at(&mut self, until: Option<Instant>) {
        self.until = until;
    }

    /// Whether it has an answer, or there will be none. Without memory for it, others may still find one.
    pub(super) fn answered(&self) -> bool {
        self.done.as_ref().is_some_and(|done| !is_cramped(done))
    }

    /// Whether it has stopped for want of memory.
    pub(super) fn gave_up(&self) -> bool {
        self.done.as_ref().is_some_and(is_cramped)
    }

    /// What it has come to; nothing, if it still waits.
    pub(super) fn outcome(&mut self) -> Result<Outcome, Failure> {
        let unknown = Outcome { lower_bound: self.bound(), ..Outcome::unknown(StopReason::Interrupted) };
        self.done.take().unwrap_or(Ok(unknown))
    }

    /// Leaves half of the memory that it does not have to others, or all of it to itself; says how much others have.
    pub(super) fn reserve(&self, for_others: bool) -> Option<u64> {
        let memory = self.memory?;
        let half = memory.saturating_sub(self.bytes()) / 2;
        self.reserved.store(if for_others { half } else { 0 }, Ordering::Relaxed);
        Some(half)
    }

    /// Whether it waits for the memory that others have.
    pub(super) fn squeezed(&self) -> bool {
        self.last.is_some_and(|last| squeezed(self.memory, &last, &self.reserved))
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

    fn bytes(&self) -> u64 {
        self.last.map_or(0, |last| last.bytes)
    }
}

fn is_cramped(done: &Result<Outcome, Failure>) -> bool {
    matches!(done, Ok(outcome) if outcome.finding == Finding::Unknown(StopReason::Memory))
}

/// Whether there is no memory for more beside others.
fn squeezed(memory: Option<u64>, progress: &Progress, others: &AtomicU64) -> bool {
    let others = others.load(Ordering::Relaxed);
    others > 0 && memory.is_some_and(|memory| progress.bytes.saturating_add(others) > memory)
}
