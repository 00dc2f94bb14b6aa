//! Turns: others work until they have had their share, then wait until breadth-first search has done more. They wait in the
//! midst of what they do, so nothing that was begun is lost on either side.
//!
//! Who waits is a stack frame: when the work of others is counted ([`Pace`]), breadth-first search is let go on in its
//! thread, and the call returns when it waits again.

use super::breadth::Breadth;
use super::share::Shares;
use crate::verify::Failure;
use beeline_ir::limits::Pace;
use beeline_ir::outcome::Outcome;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// States that breadth-first search does not store in a short time.
const FAR: f64 = 5e7;

/// Whose turn it is.
#[derive(Debug)]
pub(super) struct Turns(Mutex<State>);

#[derive(Debug)]
struct State {
    breadth: Breadth,
    shares: Shares,
    /// How much breadth-first search has done.
    turn: u64,
    /// How much others have done.
    others: u64,
    /// A trace is likely to have no fewer steps.
    likely: u32,
    /// The steps of a trace that is known.
    known: Option<u32>,
    /// Others had to stop for want of memory.
    squeezed: bool,
}

impl Turns {
    /// Breadth-first search has the first one.
    pub(super) fn start(breadth: Breadth, shares: Shares) -> Self {
        let mut state =
            State { breadth, shares, turn: 0, others: 0, likely: 0, known: None, squeezed: false };
        state.next();
        Self(Mutex::new(state))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Breadth-first search goes on to its end, if it is the only one left, or a trace is known that is as short as can
    /// be: it will find one, too, and soon. Whether it has ended.
    pub(super) fn finish(&self, alone: bool) -> bool {
        let mut state = self.state();
        if alone || state.near() {
            state.breadth.go(u64::MAX);
        }
        state.breadth.answered()
    }

    /// Whether breadth-first search has stopped for want of memory.
    pub(super) fn gave_up(&self) -> bool {
        self.state().breadth.gave_up()
    }

    /// What breadth-first search has come to.
    pub(super) fn outcome(&self) -> Result<Outcome, Failure> {
        self.state().breadth.outcome()
    }

    /// States stored by breadth-first search, and the steps that no trace is shorter than.
    pub(super) fn breadth(&self) -> (u64, u32) {
        let state = self.state();
        (state.breadth.stored(), state.breadth.bound())
    }

    /// Traces are likely to have no fewer steps than that.
    pub(super) fn expect(&self, steps: u32) {
        let mut state = self.state();
        state.likely = state.likely.max(steps);
    }

    /// Whether breadth-first search is likely to have a long way to go.
    pub(super) fn far(&self) -> bool {
        self.state().far()
    }

    /// There is a trace of so many steps, which is the answer at this time if there is no other by then.
    pub(super) fn know(&self, steps: u32, until: Option<Instant>) {
        let mut state = self.state();
        state.known = Some(steps);
        state.breadth.stop_at(until);
    }

    /// Others begin with something, or have done with it; how much memory they have.
    pub(super) fn reserve(&self, for_others: bool) -> Option<u64> {
        self.state().breadth.reserve(for_others)
    }

    /// Whether others had to stop for want of memory.
    pub(super) fn squeezed(&self) -> bool {
        self.state().squeezed
    }
}

impl State {
    /// Whether breadth-first search is about to find a trace.
    fn near(&self) -> bool {
        self.known.is_some_and(|known| known <= self.breadth.bound())
    }

    /// How much others may have done by now.
    fn allowed(&self) -> u64 {
        if self.breadth.gave_up() {
            return u64::MAX;
        }
        self.shares.others(self.turn, self.far())
    }

    fn far(&self) -> bool {
        self.breadth.expected(self.likely) > FAR
    }

    /// A turn of breadth-first search.
    fn next(&mut self) {
        self.turn = self.shares.next(self.turn);
        self.breadth.go(self.turn);
    }
}

impl Pace for Turns {
    fn spent(&self, units: u64) -> bool {
        let mut state = self.state();
        state.others = state.others.saturating_add(units);
        while state.others > state.allowed() {
            state.next();
            state.squeezed |= state.breadth.squeezed();
            if state.breadth.answered() || state.near() || state.squeezed {
                return false;
            }
        }
        true
    }
}
