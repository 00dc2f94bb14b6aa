//! Depth first: the successors of the node expanded last come first, in the order they were made.

use super::{Batch, Entry, OpenList};

/// A stack.
#[derive(Debug, Default)]
pub struct Stack {
    entries: Vec<Entry>,
}

impl OpenList for Stack {
    fn push(&mut self, successors: &Batch) {
        self.entries.extend(successors.iter().rev().map(|(waiting, _)| waiting.entry));
    }
    fn pop(&mut self) -> Option<Entry> {
        self.entries.pop()
    }
    fn waiting(&self) -> usize {
        self.entries.len()
    }
}
