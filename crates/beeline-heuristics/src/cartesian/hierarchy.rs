//! The refinement hierarchy: a tree of the splits that were made, in which a state of the network is looked up from the
//! root to the leaf that it is in.

use super::Leaf;
use super::system::{System, has};
use crate::factors::Source;

/// A node: a leaf, or a split.
#[derive(Copy, Clone, Debug)]
enum Node {
    Leaf(Leaf),
    /// By the value of a factor: its words are from here on in the list of masks.
    Factor {
        factor: u32,
        mask: u32,
        inside: u32,
        outside: u32,
    },
}

/// The tree.
#[derive(Debug)]
pub(super) struct Hierarchy {
    nodes: Vec<Node>,
    masks: Vec<u64>,
    /// The node of each leaf.
    node_of: Vec<u32>,
    sources: Vec<Source>,
}

impl Hierarchy {
    /// Of one leaf.
    pub(super) fn new(system: &System) -> Self {
        let nodes = vec![Node::Leaf(Leaf::new(0))];
        Self { nodes, masks: Vec::new(), node_of: vec![0], sources: system.sources.clone() }
    }

    /// A leaf became two by the states of a factor: those inside of a set keep its name, the others get the next one.
    pub(super) fn split(&mut self, leaf: Leaf, factor: usize, inside: &[u64]) -> Leaf {
        let mask = self.masks.len() as u32;
        self.masks.extend_from_slice(inside);
        self.branch(leaf, |inside, outside| Node::Factor { factor: factor as u32, mask, inside, outside })
    }

    fn branch(&mut self, leaf: Leaf, node: impl FnOnce(u32, u32) -> Node) -> Leaf {
        let (first, new) = (self.nodes.len() as u32, Leaf::new(self.node_of.len()));
        let at = self.node_of[leaf.index()] as usize;
        self.nodes[at] = node(first, first + 1);
        self.nodes.extend([Node::Leaf(leaf), Node::Leaf(new)]);
        self.node_of[leaf.index()] = first;
        self.node_of.push(first + 1);
        new
    }

    /// The leaf of a state; `None` if a slot has none of its values, so that it is no state of the network.
    #[inline]
    pub(super) fn look_up(&self, slots: &[i64]) -> Option<Leaf> {
        let mut at = 0;
        loop {
            match self.nodes[at as usize] {
                Node::Leaf(leaf) => return Some(leaf),
                Node::Factor { factor, mask, inside, outside } => {
                    let state = match self.sources[factor as usize] {
                        Source::Slot(slot, least, values) => usize::try_from(slots[slot].wrapping_sub(least))
                            .ok()
                            .filter(|state| *state < values)?,
                        // In states of a network, the goal has not been seen.
                        Source::Monitor => 0,
                    };
                    at = if has(&self.masks[mask as usize..], state) { inside } else { outside };
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.masks) + size_of_val(&*self.node_of)
    }
}
