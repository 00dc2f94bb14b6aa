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
/// States that have to come to a place before what they enable is kept.
const VISITS: u32 = 4;
/// It is given up when so many more states have come to new places than to others.
const PATIENCE: u32 = 1 << 8;

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
    /// So many have, too few for what they enable to be kept.
    Few(u32),
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
    /// How many more states have come to new places than to others.
    losses: u32,
    /// The last state asked for is worth learning.
    wanted: bool,
    /// For each slot, the path on which it was asked for last.
    asked: Vec<u32>,
    path: u32,
    /// It does not pay.
    off: bool,
}

impl Decisions {
    /// Whether the state asked for last is worth learning.
    pub fn wants(&self) -> bool {
        self.wanted && self.kept < MOST && self.branches.len() < MOST_BRANCHES
    }

    /// What a state enables, if that is known.
    #[inline]
    pub fn find(&mut self, slots: &[i64]) -> Option<&Enabled> {
        if self.off {
            return None;
        }
        let mut branch = &mut self.root;
        while let Branch::Node(node) = *branch {
            let node = &self.nodes[node as usize];
            branch = &mut self.branches[node.first + node.place(slots)];
        }
        match branch {
            Branch::Leaf(leaf) => {
                self.losses = self.losses.saturating_sub(1);
                Some(&self.leaves[*leaf as usize])
            }
            Branch::Few(visits) => {
                *visits = visits.saturating_add(1);
                self.wanted = *visits == VISITS;
                self.losses = self.losses.saturating_sub(1);
                None
            }
            Branch::Unknown | Branch::Node(_) => {
                self.wanted = true;
                self.losses += 1;
                if self.losses > PATIENCE {
                    *self = Self { off: true, ..Self::default() };
                }
                None
            }
        }
    }

    /// Learns what the state asked for last enables, if the enumeration has noted which slots decide about that.
    pub fn learn(&mut self, layout: &Layout, slots: &[i64], enabled: &Enabled) {
        let Some(seen) = enabled.decided_by() else { return };
        let values = |slot: usize| layout.slots[slot].range.size();
        let large = seen.iter().any(|slot| values(*slot) > MOST_VALUES);
        let size = enabled.instances.len() + enabled.allowed.len();
        if !self.wants() || large || self.kept + size > MOST {
            return;
        }
        self.asked.resize(layout.slots.len(), 0);
        self.path = self.path.wrapping_add(1).max(1);
        // Where the branch is that is followed; the root has no place of its own.
        let mut place = None;
        for slot in seen {
            let again = std::mem::replace(&mut self.asked[*slot], self.path) == self.path;
            if again || values(*slot) == 1 {
                continue;
            }
            let node = match *self.branch(place) {
                Branch::Node(node) => self.nodes[node as usize],
                // A leaf is where nothing more is asked.
                Branch::Leaf(_) | Branch::Few(_) => return,
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
            *branch = Branch::Few(1);
            return;
        }
        *branch = leaf;
        self.leaves.push(enabled.kept());
        self.kept += size;
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

#[cfg(test)]
mod tests {
    use super::*;
    use beeline_ir::expr::Range;
    use beeline_ir::layout::{Slot, SlotKind};

    /// Slots of which all but the last have four values from -1 on.
    fn layout(slots: usize) -> Layout {
        let slot = |number| {
            let range = if number + 1 == slots { Range::new(0, 1 << 20) } else { Range::new(-1, 2) };
            Slot { kind: SlotKind::Holder, range }
        };
        let mut layout = Layout::default();
        layout.slots.extend((0..slots).map(slot));
        layout
    }

    /// A state comes often enough; whether it is known then.
    fn learn(decisions: &mut Decisions, slots: &[i64], seen: &[usize]) -> bool {
        for _ in 0..VISITS {
            if decisions.find(slots).is_none() && decisions.wants() {
                decisions.learn(&layout(slots.len()), slots, &Enabled::noted(seen));
            }
        }
        decisions.find(slots).is_some()
    }

    #[test]
    fn states_that_give_the_same_answers_are_one() {
        let mut decisions = Decisions::default();
        // Where the first slot is 1, the second decides; otherwise the third.
        assert!(learn(&mut decisions, &[1, 2, 0, 7], &[0, 1, 0]));
        assert!(learn(&mut decisions, &[2, 2, 0, 7], &[0, 2]));
        assert!(decisions.find(&[1, 2, -1, 9]).is_some());
        assert!(decisions.find(&[2, 0, 0, 9]).is_some());
        for other in [[1, 1, 0, 7], [2, 2, 1, 7], [0, 2, 0, 7]] {
            assert!(decisions.find(&other).is_none(), "{other:?}");
        }
    }

    #[test]
    fn what_is_rare_is_not_kept() {
        let mut decisions = Decisions::default();
        for visit in 1..=VISITS {
            assert!(decisions.find(&[0, 0]).is_none(), "{visit}");
            assert_eq!(decisions.wants(), visit == 1 || visit == VISITS);
            decisions.learn(&layout(2), &[0, 0], &Enabled::noted(&[0]));
        }
        assert!(decisions.find(&[0, 0]).is_some());
    }

    #[test]
    fn slots_with_many_values_are_not_asked_for() {
        assert!(!learn(&mut Decisions::default(), &[0, 5], &[0, 1]));
    }

    #[test]
    fn it_is_given_up_where_nothing_recurs() {
        let mut decisions = Decisions::default();
        for _ in 0..=PATIENCE {
            assert!(!decisions.off && decisions.find(&[0, 0]).is_none());
        }
        assert!(decisions.off && !learn(&mut decisions, &[0, 0], &[0]));
    }
}
