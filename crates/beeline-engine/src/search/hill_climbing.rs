//! Enforced hill climbing: breadth first from the best state so far until there is a better one, and so on from
//! there. (Hoffmann and Nebel, "The FF planning system", 2001.)
//!
//! Nothing is thrown away: what is left behind waits in reserve, by estimate, and where the climb is stuck the
//! search goes on with that, greedily. So it is complete.

use super::buckets::Buckets;
use super::guide::greatest;
use super::{Batch, Entry, OpenList};
use std::collections::VecDeque;

/// The climb.
#[derive(Debug, Default)]
pub struct Climb {
    /// The least estimate so far.
    best: Option<u32>,
    /// Reached from the best state, in the order of breadth-first search, with their estimates.
    around: VecDeque<(Entry, u32)>,
    /// What was left behind.
    reserve: Buckets,
    /// The climb is over.
    stuck: bool,
}

impl OpenList for Climb {
    fn push(&mut self, successors: &Batch) {
        let least = successors.iter().map(|(_, estimates)| greatest(estimates)).min();
        let mut better = !self.stuck && least.is_some_and(|h| self.best.is_none_or(|best| h < best));
        let behind = self.stuck || better;
        if better {
            self.best = least;
            for (entry, h) in self.around.drain(..) {
                self.reserve.push((h, 0), 0, entry);
            }
        }
        for (waiting, estimates) in successors.iter() {
            let h = greatest(estimates);
            let first_best = better && Some(h) == least;
            better &= !first_best;
            if behind && !first_best {
                self.reserve.push((h, 0), 0, waiting.entry);
            } else {
                self.around.push_back((waiting.entry, h));
            }
        }
    }
    fn pop(&mut self) -> Option<Entry> {
        if let Some((entry, _)) = self.around.pop_front() {
            return Some(entry);
        }
        self.stuck = true;
        self.reserve.pop().map(|(_, entry)| entry)
    }
    fn waiting(&self) -> usize {
        self.around.len() + self.reserve.len()
    }
    fn bytes(&self) -> u64 {
        (self.around.len() * size_of::<(Entry, u32)>()) as u64 + self.reserve.bytes()
    }
}
