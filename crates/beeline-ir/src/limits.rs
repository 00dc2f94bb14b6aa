//! Limits and cancellation. Every long loop polls one [`CancelToken`]; why a run stopped is a type.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why a run stopped before it had an answer.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum StopReason {
    /// Out of time.
    Time,
    /// Out of memory.
    Memory,
    /// As many states as allowed are stored.
    States,
    /// Ctrl-C, or the caller's wish.
    Interrupted,
    /// One state has more labels than are worth enumerating.
    Labels,
    /// The target was not found, but the property has a run-time error in some reachable state.
    PropertyFails,
    /// The target was not found, but the evaluation of some label was given up as too long.
    Diverges,
    /// The target was not found, but the search has left out states on purpose.
    Incomplete,
    /// As much work was done as it was given.
    Work,
    /// The target was not found, but nothing but hashes was kept of states, and some may have been taken for others.
    Hashed,
}

impl StopReason {
    /// The reason in words, as the JSON field `reason` gives it.
    pub fn message(self) -> &'static str {
        match self {
            Self::Time => "time limit reached",
            Self::Memory => "memory limit reached",
            Self::States => "state limit reached",
            Self::Interrupted => "interrupted",
            Self::Labels => "a state has too many labels",
            Self::PropertyFails => "the property itself fails at run time in a reachable state",
            Self::Diverges => "the evaluation of a label takes too long",
            Self::Incomplete => "states were left out by the search, which found nothing among the others",
            Self::Hashed => {
                "nothing was found, but only hashes of states were kept: some may have been missed"
            }
            Self::Work => "its share of the work was used up",
        }
    }
}

/// A flag others may raise to stop a run; cheap to copy and to read.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicU8>);

impl CancelToken {
    /// Asks for a stop. The first reason given counts.
    pub fn cancel(&self, reason: StopReason) {
        let code = match reason {
            StopReason::Time => 1,
            StopReason::Memory => 2,
            StopReason::States => 3,
            _ => 4,
        };
        let _ = self.0.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }
    /// Why to stop, if asked to.
    #[inline]
    pub fn cancelled(&self) -> Option<StopReason> {
        match self.0.load(Ordering::Relaxed) {
            1 => Some(StopReason::Time),
            2 => Some(StopReason::Memory),
            3 => Some(StopReason::States),
            4 => Some(StopReason::Interrupted),
            _ => None,
        }
    }
}

/// Someone who works by turns with others, and lets work go on when its turn has come.
pub trait Pace: std::fmt::Debug + Send + Sync {
    /// So many units were done. Returns when more may be done; false if nothing more is to be done at all.
    fn spent(&self, units: u64) -> bool;
}

/// Work that is left to do, shared by all who do it. A unit is about an operation of a processor; what counts is that
/// the same run counts the same, everywhere.
#[derive(Clone, Debug)]
pub struct Work {
    left: Arc<AtomicU64>,
    successor: u64,
    pace: Option<Arc<dyn Pace>>,
}

impl Work {
    /// So many units, of which a successor of a state takes so many.
    pub fn new(units: u64, successor: u64) -> Self {
        Self { left: Arc::new(AtomicU64::new(units)), successor, pace: None }
    }
    /// The same, by turns with others.
    pub fn at(self, pace: Arc<dyn Pace>) -> Self {
        Self { pace: Some(pace), ..self }
    }
    /// How much is left.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }
    /// Takes some of it; false if there is not as much, and then nothing is left.
    fn take(&self, units: u64) -> bool {
        let less = |left: u64| Some(left.saturating_sub(units));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        before.is_ok_and(|before| before >= units) && self.pace.as_ref().is_none_or(|pace| pace.spent(units))
    }
}

/// How much a run may use. `None` is "no limit".
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Wall-clock moment to stop at.
    pub deadline: Option<Instant>,
    /// Bytes of states and zones.
    pub memory: Option<u64>,
    /// Stored states.
    pub states: Option<u64>,
    /// What is left to do. Whoever polls the limits says what was done since, by [`Limits::spend`].
    pub work: Option<Work>,
    /// The flag that stops the run.
    pub cancel: CancelToken,
}

impl Limits {
    /// Limits with only a time limit from now.
    pub fn within(time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), ..Self::default() }
    }
    /// Counts work that was done; an error if there was not as much to do.
    pub fn spend(&self, units: u64) -> Result<(), StopReason> {
        if self.work.as_ref().is_none_or(|work| work.take(units)) { Ok(()) } else { Err(StopReason::Work) }
    }
    /// Counts successors that were made, and other work.
    pub fn spend_on(&self, successors: u64, units: u64) -> Result<(), StopReason> {
        let successor = self.work.as_ref().map_or(0, |work| work.successor);
        self.spend(units.saturating_add(successors.saturating_mul(successor)))
    }
    /// Polls the token and compares what is used with what is allowed. Call it every thousand steps or so.
    pub fn check(&self, states: u64, bytes: u64) -> Result<(), StopReason> {
        if let Some(reason) = self.cancel.cancelled() {
            return Err(reason);
        }
        if self.deadline.is_some_and(|t| Instant::now() >= t) {
            return Err(StopReason::Time);
        }
        if self.memory.is_some_and(|m| bytes > m) {
            return Err(StopReason::Memory);
        }
        if self.states.is_some_and(|s| states >= s) {
            return Err(StopReason::States);
        }
        Ok(())
    }
}
