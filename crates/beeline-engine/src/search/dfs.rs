//! Depth first: the successors of the node expanded last come first, in the order they were made.

use super::{Entry, OpenList};

/// A stack.
#[derive(Debug, Default)]
pub struct Stack {
    entries: Vec<Entry>,
}

impl OpenList for Stack {
    fn push(&mut self, successors: &[(Entry, u32)]) {
        self.entries.extend(successors.iter().rev().map(|(entry, _)| *entry));
    }
    fn pop(&mut self) -> Option<Entry> {
        self.entries.pop()
    }
    fn waiting(&self) -> usize {
        self.entries.len()
    }
    fn lower_bound(&self) -> u32 {
        0
    }
}
