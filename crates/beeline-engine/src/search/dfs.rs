//! Depth first: the successors of the node expanded last come first, in the order they were made.
//!
//! Where labels are left out, it notes what is on the path: nodes that have been expanded, while something that follows
//! from them has not. What is put off in a node until one of its successors is not put off for ever if that successor
//! is done before the node is (Holzmann and Peled, "An improvement in formal verification", FORTE 1994).

use super::{Batch, Entry, OpenList};
use crate::passed::NodeId;
use std::collections::HashSet;

/// A stack.
#[derive(Debug, Default)]
pub struct Stack {
    items: Vec<Item>,
    /// Nodes on the path, if anybody asks.
    path: Option<HashSet<NodeId, rustc_hash::FxBuildHasher>>,
}

#[derive(Copy, Clone, Debug)]
enum Item {
    Waiting(Entry),
    /// Everything that follows from the node has been expanded.
    End(NodeId),
}

impl Stack {
    /// A stack that knows what is on the path.
    pub fn with_path() -> Self {
        Self { items: Vec::new(), path: Some(HashSet::default()) }
    }
}

impl OpenList for Stack {
    fn push(&mut self, successors: &Batch) {
        self.items.extend(successors.iter().rev().map(|(waiting, _)| Item::Waiting(waiting.entry)));
    }
    fn pop(&mut self) -> Option<Entry> {
        loop {
            match self.items.pop()? {
                Item::Waiting(entry) => return Some(entry),
                Item::End(node) => {
                    self.path.as_mut().map(|path| path.remove(&node));
                }
            }
        }
    }
    fn waiting(&self) -> usize {
        self.items.len() - self.path.as_ref().map_or(0, HashSet::len)
    }
    fn bytes(&self) -> u64 {
        let path = self.path.as_ref().map_or(0, |path| path.capacity() * size_of::<NodeId>());
        (self.items.len() * size_of::<Item>() + path) as u64
    }
    fn enter(&mut self, node: NodeId) {
        if let Some(path) = &mut self.path {
            path.insert(node);
            self.items.push(Item::End(node));
        }
    }
    fn is_done(&self, node: NodeId) -> bool {
        self.path.as_ref().is_some_and(|path| !path.contains(&node))
    }
    fn goes_down(&self) -> bool {
        self.path.is_some()
    }
}
