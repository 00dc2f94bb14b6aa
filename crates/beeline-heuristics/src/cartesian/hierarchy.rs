//! The refinement hierarchy: a tree of the splits that were made, in which a state of the network is looked up from the
//! root to the leaf that it is in; a zone, to all leaves that it meets.

use super::Leaf;
use super::system::{System, has};
use crate::factors::Source;
use beeline_engine::heuristic::ZoneView;
use beeline_ir::ClockId;
use beeline_zones::{Bound, Constraint};

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
    /// By a constraint on clocks, that of this place in the list.
    Clocks {
        constraint: u32,
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
    constraints: Vec<Constraint>,
    /// Nodes that are still to be looked at.
    open: Vec<u32>,
}

impl Hierarchy {
    /// Of one leaf.
    pub(super) fn new(system: &System) -> Self {
        let nodes = vec![Node::Leaf(Leaf::new(0))];
        Self {
            nodes,
            masks: Vec::new(),
            node_of: vec![0],
            sources: system.sources.clone(),
            constraints: Vec::new(),
            open: Vec::new(),
        }
    }

    /// A leaf became two by the states of a factor: those inside of a set keep its name, the others get the next one.
    pub(super) fn split(&mut self, leaf: Leaf, factor: usize, inside: &[u64]) -> Leaf {
        let mask = self.masks.len() as u32;
        self.masks.extend_from_slice(inside);
        self.branch(leaf, |inside, outside| Node::Factor { factor: factor as u32, mask, inside, outside })
    }

    /// A leaf became two by a constraint on clocks: what meets it keeps its name.
    pub(super) fn split_clocks(&mut self, leaf: Leaf, constraint: Constraint) -> Leaf {
        let at = self.constraints.len() as u32;
        self.constraints.push(constraint);
        self.branch(leaf, |inside, outside| Node::Clocks { constraint: at, inside, outside })
    }

    /// Whether some split is by clocks.
    pub(super) fn is_timed(&self) -> bool {
        !self.constraints.is_empty()
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

    /// Shows the leaves of a state that its zone meets, or all of them if there is none; perhaps some more, since
    /// each constraint is looked at by itself. Nothing is shown if a slot has none of its values, so that it is no state of
    /// the network.
    #[inline]
    pub(super) fn look_up(&mut self, slots: &[i64], zone: Option<&ZoneView<'_>>, mut show: impl FnMut(Leaf)) {
        let mut at = 0;
        self.open.clear();
        loop {
            match self.nodes[at as usize] {
                Node::Leaf(leaf) => {
                    show(leaf);
                    let Some(next) = self.open.pop() else { return };
                    at = next;
                }
                Node::Factor { factor, mask, inside, outside } => {
                    let state = match self.sources[factor as usize] {
                        Source::Slot(slot, least, values) => {
                            match usize::try_from(slots[slot].wrapping_sub(least)) {
                                Ok(state) if state < values => state,
                                _ => return,
                            }
                        }
                        // In states of a network, the goal has not been seen.
                        Source::Monitor => 0,
                    };
                    at = if has(&self.masks[mask as usize..], state) { inside } else { outside };
                }
                Node::Clocks { constraint, inside, outside } => {
                    let constraint = self.constraints[constraint as usize];
                    let meets = |constraint| zone.is_none_or(|zone| may_meet(zone, constraint));
                    match (meets(constraint), meets(constraint.negated())) {
                        (true, true) => {
                            self.open.push(outside);
                            at = inside;
                        }
                        (true, false) => at = inside,
                        (false, _) => at = outside,
                    }
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let splits = size_of_val(&*self.masks) + size_of_val(&*self.constraints);
        size_of_val(&*self.nodes) + size_of_val(&*self.node_of) + splits
    }
}

/// Whether a zone meets a constraint, as far as it says something of the clocks.
fn may_meet(zone: &ZoneView<'_>, constraint: Constraint) -> bool {
    let row = |clock: usize| match clock {
        0 => Some(0),
        _ => zone.clocks.binary_search(&ClockId::new(clock - 1)).ok().map(|at| at + 1),
    };
    let (Some(left), Some(right)) = (row(constraint.left), row(constraint.right)) else { return true };
    zone.matrix[right * zone.dim() + left] + constraint.bound >= Bound::ZERO_LE
}
