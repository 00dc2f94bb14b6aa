//! A\* and weighted A\*: the least steps so far plus the estimate of those to come first. (Hart, Nilsson and
//! Raphael, "A formal basis for the heuristic determination of minimum cost paths", 1968; Pohl, "Heuristic search
//! viewed as path finding in a graph", 1970.)
//!
//! Ties go to the lower estimate, then to what is on a run that a heuristic has met, then to the larger zone, which
//! may cover others before they are expanded (Herbreteau and Tran, "Improving search order for reachability testing
//! in timed automata", 2015), then to the newest. If there are several heuristics, the greatest estimate counts. With
//! a weight w the trace found, if estimates are admissible, is at most w times as long as a shortest one.

use super::buckets::Buckets;
use super::guide::greatest;
use super::{Batch, Entry, OpenList};

/// Nodes by g + w · h, then by h.
#[derive(Debug)]
pub struct ByTotal {
    weight: u32,
    queue: Buckets,
}

impl ByTotal {
    /// An empty list. Weight 1 is A\*; there is no weight 0.
    pub fn new(weight: u32) -> Self {
        Self { weight: weight.max(1), queue: Buckets::default() }
    }
}

impl OpenList for ByTotal {
    fn push(&mut self, successors: &Batch) {
        for (waiting, estimates) in successors.iter() {
            let h = greatest(estimates);
            let f = waiting.g.saturating_add(h.saturating_mul(self.weight));
            let tie = if waiting.met { i64::MAX } else { waiting.size };
            self.queue.push((f, h), tie, waiting.entry);
        }
    }
    fn pop(&mut self) -> Option<Entry> {
        self.queue.pop().map(|(_, entry)| entry)
    }
    fn waiting(&self) -> usize {
        self.queue.len()
    }
    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }
    fn lower_bound(&self) -> u32 {
        // g + w h is at most w (g + h).
        self.queue.first().map_or(0, |(f, _)| f.div_ceil(self.weight))
    }
}
