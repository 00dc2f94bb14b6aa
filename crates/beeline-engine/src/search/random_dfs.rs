//! Depth first with the successors of each node in random order. The same seed gives the same search.

use super::{Batch, Entry, OpenList};
use oorandom::Rand64;

/// A stack and a source of random numbers.
#[derive(Debug)]
pub struct ShuffledStack {
    entries: Vec<Entry>,
    random: Rand64,
}

impl ShuffledStack {
    /// An empty stack.
    pub fn new(seed: u64) -> Self {
        Self { entries: Vec::new(), random: Rand64::new(u128::from(seed)) }
    }
}

impl OpenList for ShuffledStack {
    fn push(&mut self, successors: &Batch) {
        let start = self.entries.len();
        self.entries.extend(successors.iter().map(|(waiting, _)| waiting.entry));
        let fresh = &mut self.entries[start..];
        // Fisher and Yates.
        for i in (1..fresh.len()).rev() {
            fresh.swap(i, self.random.rand_range(0..i as u64 + 1) as usize);
        }
    }
    fn pop(&mut self) -> Option<Entry> {
        self.entries.pop()
    }
    fn waiting(&self) -> usize {
        self.entries.len()
    }
}
