//! Beam search: breadth first, but of each layer only the states with the least estimates, as many as the beam is
//! wide. (Lowerre, "The HARPY speech recognition system", 1976; Bisiani, "Beam search", 1987.)
//!
//! It needs little memory for what waits, and it is incomplete: where something was left out, finding nothing
//! proves nothing, and the search says so.

use super::buckets::Buckets;
use super::guide::greatest;
use super::{Batch, Entry, OpenList};

/// A beam.
#[derive(Debug)]
pub struct Beam {
    width: usize,
    /// The layer at hand.
    layer: Buckets,
    /// How many of it may still be taken.
    left: usize,
    next: Buckets,
    left_out: bool,
}

impl Beam {
    /// A beam of that width, at least 1.
    pub fn new(width: usize) -> Self {
        let (layer, next) = (Buckets::default(), Buckets::default());
        Self { width: width.max(1), layer, left: 0, next, left_out: false }
    }
}

impl OpenList for Beam {
    fn push(&mut self, successors: &Batch) {
        for (waiting, estimates) in successors.iter() {
            self.next.push((greatest(estimates), 0), waiting.size, waiting.entry);
        }
    }
    fn pop(&mut self) -> Option<Entry> {
        if self.left == 0 || self.layer.is_empty() {
            self.left_out |= !self.layer.is_empty();
            self.layer = std::mem::take(&mut self.next);
            self.left = self.width;
        }
        self.left -= 1;
        self.layer.pop().map(|(_, entry)| entry)
    }
    fn waiting(&self) -> usize {
        self.layer.len() + self.next.len()
    }
    fn bytes(&self) -> u64 {
        self.layer.bytes() + self.next.bytes()
    }
    fn left_out(&self) -> bool {
        self.left_out || !self.layer.is_empty()
    }
}
