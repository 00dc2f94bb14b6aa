//! Which labels states enable, remembered.
//!
//! The enumeration of labels looks at few slots of a state: where nobody waits for a process, it does not matter where
//! that process is. What it looks at next depends on what it has seen, and on nothing else; so what it sees can be
//! kept as a decision tree, grown state by state, with the labels at its leaves. A state that answers the questions on
//! some branch like one before it enables the same labels.
//!
//! Nothing else changes: what is remembered is what would be enumerated.

use super::labels::Enabled;
use beeline_ir::layout::Layout;

/// Edges and labels at all leaves, and branches to them, beyond which the tree does not grow.
const MOST: usize = 1 << 14;
const MOST_BRANCHES: usize = 1 << 16;
/// Values of a slot beyond which it is not asked for.
const MOST_VALUES: u128 = 256;
/// States after which it is given up unless a third came where others had come before.
const TRIAL: u32 = 1 << 10;

/// The value of a slot is asked for.
#[derive(Copy, Clone, Debug)]
struct Node {
    slot: usize,
    /// The least value that it can have.
    least: i64,
    /// Where the branches are, one for each value.
    first: usize,
}

#[derive(Copy, Clone, Debug, Default)]
enum Branch {
    /// No state has come here yet.
    #[default]
    Unknown,
    /// One state has: what it enables is kept when there is another.
    Once,
    /// To a node.
    Node(u32),
    /// To a leaf.
    Leaf(u32),
}

/// The tree.
#[derive(Debug, Default)]
pub struct Decisions {
    root: Branch,
    nodes: Vec<Node>,
    branches: Vec<Branch>,
    leaves: Vec<Enabled>,
    /// Edges and labels at all leaves.
    kept: usize,
    /// States asked for since the last look at whether it pays, and those that came where others had.
    asked: u32,
    met: u32,
    /// It does not.
    off: bool,
}

impl Decisions {
    /// Whether states are worth learning.
    pub fn grows(&self) -> bool {
        !self.off && self.kept < MOST && self.branches.len() < MOST_BRANCHES
    }

    /// What a state enables, if that is known.
    #[inline]
    pub fn find(&mut self, slots: &[i64]) -> Option<&Enabled> {
        if self.off {
            return None;
        }
        if self.asked >= TRIAL {
            if self.met < self.asked / 3 {
                *self = Self { off: true, ..Self::default() };
                return None;
            }
            (self.asked, self.met) = (0, 0);
        }
        self.asked += 1;
        let mut branch = self.root;
        while let Branch::Node(node) = branch {
            let node = &self.nodes[node as usize];
            branch = self.branches[node.first + node.place(slots)];
        }
        let Branch::Leaf(leaf) = branch else { return None };
        self.met += 1;
        Some(&self.leaves[leaf as usize])
    }

    /// Learns what a state enables, if the enumeration has noted which slots decide about that.
    pub fn learn(&mut self, layout: &Layout, slots: &[i64], enabled: &Enabled) {
        let Some(seen) = enabled.decided_by() else { return };
        let values = |slot: usize| layout.slots[slot].range.size();
        let large = seen.iter().any(|slot| values(*slot) > MOST_VALUES);
        let size = enabled.instances.len() + enabled.allowed.len();
        if !self.grows() || large || self.kept + size > MOST {
            return;
        }
        // Where the branch is that is followed; the root has no place of its own.
        let mut place = None;
        for (position, slot) in seen.iter().enumerate() {
            if values(*slot) == 1 || seen[..position].contains(slot) {
                continue;
            }
            let node = match *self.branch(place) {
                Branch::Node(node) => self.nodes[node as usize],
                // A leaf is where nothing more is asked.
                Branch::Leaf(_) | Branch::Once => return,
                Branch::Unknown => {
                    let node =
                        Node { slot: *slot, least: layout.slots[*slot].range.lo, first: self.branches.len() };
                    self.branches.resize(node.first + values(*slot) as usize, Branch::Unknown);
                    *self.branch(place) = Branch::Node(self.nodes.len() as u32);
                    self.nodes.push(node);
                    node
                }
            };
            debug_assert_eq!(node.slot, *slot, "the same answers lead to the same questions");
            place = Some(node.first + node.place(slots));
        }
        let leaf = Branch::Leaf(self.leaves.len() as u32);
        let branch = self.branch(place);
        if let Branch::Unknown = branch {
            *branch = Branch::Once;
            return;
        }
        *branch = leaf;
        self.leaves.push(enabled.kept());
        self.kept += size;
        self.met += 1;
    }

    fn branch(&mut self, place: Option<usize>) -> &mut Branch {
        match place {
            None => &mut self.root,
            Some(place) => &mut self.branches[place],
        }
    }
}

impl Node {
    /// Which of its branches a state takes.
    #[inline]
    fn place(&self, slots: &[i64]) -> usize {
        (slots[self.slot] - self.least) as usize
    }
}
