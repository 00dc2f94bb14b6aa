//! Garbage collection: mark what handles and the operation under way need, and free the rest. Nodes do not move.

use super::Store;
use super::edge::{Edge, Node};

/// Nodes beyond which garbage is collected first; later, twice the nodes that were left come to them.
pub(super) const FIRST: usize = 1 << 18;

impl Store {
    /// Frees all nodes that nothing needs.
    pub(super) fn collect(&mut self) {
        self.note_peak();
        let mut work = self.stack.clone();
        self.roots.add_to(&mut work);
        let mut marks = std::mem::take(&mut self.marks);
        marks.resize(self.nodes.len().div_ceil(64).max(marks.len()), 0);
        while let Some(edge) = work.pop() {
            if mark(&mut marks, edge) {
                let node = &self.nodes[edge.index()];
                work.extend([node.then, node.otherwise]);
            }
        }
        mark(&mut marks, Edge::YES);
        self.computed.retain(|edge| is_marked(&marks, edge));
        self.tables.iter_mut().for_each(|table| table.clear());
        (self.free, self.free_count) = (0, 0);
        // From the end, so that the free ones come in ascending order.
        for index in (1..self.nodes.len()).rev() {
            if is_marked(&marks, Edge::to(index)) {
                let bit = self.nodes[index].bit as usize;
                self.tables[bit].link(index, &mut self.nodes);
            } else {
                self.release(index);
            }
        }
        marks.fill(0);
        self.marks = marks;
        self.collect_at = FIRST + 2 * self.node_count();
    }
    /// Collects garbage between two operations, if nearly as many nodes are there as call for it. The next operation begins
    /// with sifting, if there is need for it.
    pub fn tidy(&mut self) {
        debug_assert!(self.stack.is_empty());
        if self.node_count() > self.collect_at / 8 * 7 {
            self.collect();
            self.sifting.due = self.wants_reordering();
        }
    }
    /// A node is free again.
    pub(super) fn release(&mut self, index: usize) {
        self.nodes[index] = Node { next: self.free, ..Node::constant(0) };
        self.free = index as u32;
        self.free_count += 1;
    }
}

/// Marks a node; false if it was.
#[inline]
pub(super) fn mark(marks: &mut [u64], edge: Edge) -> bool {
    let (word, bit) = (&mut marks[edge.index() / 64], 1 << (edge.index() % 64));
    let new = *word & bit == 0;
    *word |= bit;
    new
}

#[inline]
pub(super) fn is_marked(marks: &[u64], edge: Edge) -> bool {
    marks[edge.index() / 64] >> (edge.index() % 64) & 1 == 1
}
