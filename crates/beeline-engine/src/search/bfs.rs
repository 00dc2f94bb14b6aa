//! Breadth first by cost (0-1 BFS): all that is reached in `g` steps comes before anything that takes `g + 1`.
//! Labels that cost nothing lead to the same layer, so a layer grows while it is worked off.

use super::{Entry, OpenList};
use std::collections::VecDeque;

/// Two layers.
#[derive(Debug, Default)]
pub struct Layers {
    steps: u32,
    current: VecDeque<Entry>,
    next: VecDeque<Entry>,
}

impl OpenList for Layers {
    fn push(&mut self, successors: &[(Entry, u32)]) {
        for (entry, steps) in successors {
            debug_assert!(*steps == self.steps || *steps == self.steps + 1);
            if *steps == self.steps { self.current.push_back(*entry) } else { self.next.push_back(*entry) }
        }
    }
    fn pop(&mut self) -> Option<Entry> {
        if self.current.is_empty() && !self.next.is_empty() {
            self.steps += 1;
            std::mem::swap(&mut self.current, &mut self.next);
        }
        self.current.pop_front()
    }
    fn waiting(&self) -> usize {
        self.current.len() + self.next.len()
    }
    fn lower_bound(&self) -> u32 {
        self.steps
    }
}
