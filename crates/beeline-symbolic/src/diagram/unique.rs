//! The unique table: a hash table for each bit, chained through the nodes. No node is there twice, so equal functions are
//! equal edges.

use super::edge::{Edge, MOST_NODES, Node};
use super::{Bit, Halt, Step, Store, computed};
use beeline_ir::limits::StopReason;

/// Room for nodes at first.
const FIRST_NODES: usize = 1 << 10;

/// Buckets of a bit at first.
const FIRST_BUCKETS: usize = 4;

/// The nodes of a bit.
#[derive(Clone, Default)]
pub(super) struct Table {
    /// First node of each; 0 if there is none. A power of two, or none at all.
    buckets: Vec<u32>,
    /// Nodes in it.
    pub count: usize,
}

impl Table {
    pub fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<u32>()
    }
    #[inline]
    fn bucket(&self, then: Edge, otherwise: Edge) -> usize {
        let both = u64::from(then.raw()) << 32 | u64::from(otherwise.raw());
        // The upper bits are the better ones.
        (both.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & self.buckets.len().wrapping_sub(1)
    }
    /// Forgets all nodes.
    pub fn clear(&mut self) {
        self.buckets.fill(0);
        self.count = 0;
    }
    /// Puts a node in front of its bucket.
    pub fn link(&mut self, index: usize, nodes: &mut [Node]) {
        let node = nodes[index];
        let bucket = self.bucket(node.then, node.otherwise);
        nodes[index].next = self.buckets[bucket];
        self.buckets[bucket] = index as u32;
        self.count += 1;
    }
    /// Twice as many buckets, or the first ones.
    fn grow(&mut self, nodes: &mut [Node]) {
        let all = self.drain(nodes);
        self.buckets = vec![0; (2 * self.buckets.len()).max(FIRST_BUCKETS)];
        for index in all {
            self.link(index as usize, nodes);
        }
    }
    /// Takes all nodes out.
    pub fn drain(&mut self, nodes: &[Node]) -> Vec<u32> {
        let mut all = Vec::with_capacity(self.count);
        for first in &self.buckets {
            let mut at = *first;
            while at != 0 {
                all.push(at);
                at = nodes[at as usize].next;
            }
        }
        self.clear();
        all
    }
}

impl Store {
    /// The node for a bit: what the function is where it is true, and where it is not. Both are below that bit.
    #[inline]
    pub(super) fn make(&mut self, bit: Bit, then: Edge, otherwise: Edge) -> Step {
        if then == otherwise {
            return Ok(then);
        }
        debug_assert!(
            self.level[bit as usize] < self.level_of(then)
                && self.level[bit as usize] < self.level_of(otherwise)
        );
        let flip = then.is_complement();
        let (then, otherwise) = (then.flip_if(flip), otherwise.flip_if(flip));
        let edge = match self.find(bit, then, otherwise) {
            Some(edge) => edge,
            None => self.add(bit, then, otherwise)?,
        };
        Ok(edge.flip_if(flip))
    }
    #[inline]
    pub(super) fn find(&self, bit: Bit, then: Edge, otherwise: Edge) -> Option<Edge> {
        let table = &self.tables[bit as usize];
        let mut at = *table.buckets.get(table.bucket(then, otherwise))? as usize;
        while at != 0 {
            let node = &self.nodes[at];
            if node.then == then && node.otherwise == otherwise {
                return Some(Edge::to(at));
            }
            at = node.next as usize;
        }
        None
    }
    /// A new node; this is where garbage is collected.
    #[inline(never)]
    fn add(&mut self, bit: Bit, then: Edge, otherwise: Edge) -> Step {
        #[cfg(test)]
        if self.collects_always {
            self.stack.extend([then, otherwise]);
            self.collect();
            self.stack.truncate(self.stack.len() - 2);
        }
        if self.free == 0 {
            self.stack.extend([then, otherwise]);
            self.make_room()?;
            self.stack.truncate(self.stack.len() - 2);
        }
        Ok(self.insert(bit, then, otherwise))
    }
    /// A new node, for which there is room.
    pub(super) fn insert(&mut self, bit: Bit, then: Edge, otherwise: Edge) -> Edge {
        self.made += 1;
        let node = Node { bit, then, otherwise, next: 0 };
        let index = match self.free {
            0 => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
            free => {
                let free = free as usize;
                self.free = self.nodes[free].next;
                self.free_count -= 1;
                self.nodes[free] = node;
                free
            }
        };
        self.enter(index);
        Edge::to(index)
    }
    /// Puts a node into the table of its bit.
    fn enter(&mut self, index: usize) {
        let table = &mut self.tables[self.nodes[index].bit as usize];
        if table.count >= table.buckets.len() {
            table.grow(&mut self.nodes);
        }
        table.link(index, &mut self.nodes);
    }
    /// Writes a node anew that is in no table.
    pub(super) fn relink(&mut self, index: usize, node: Node) {
        self.nodes[index] = node;
        self.enter(index);
    }
    /// Takes a node out of its table, and frees it.
    pub(super) fn unlink(&mut self, index: usize) {
        let node = self.nodes[index];
        let table = &mut self.tables[node.bit as usize];
        table.count -= 1;
        let bucket = table.bucket(node.then, node.otherwise);
        let first = &mut table.buckets[bucket];
        if *first as usize == index {
            *first = node.next;
        } else {
            let mut at = *first as usize;
            while self.nodes[at].next as usize != index {
                at = self.nodes[at].next as usize;
            }
            self.nodes[at].next = node.next;
        }
        self.release(index);
    }
    /// Room for so many nodes, without a collection; false if there is none.
    pub(super) fn reserve(&mut self, more: usize) -> bool {
        while self.free_count + self.nodes.capacity() - self.nodes.len() < more {
            if !self.grow() {
                return false;
            }
        }
        true
    }
    /// Sees to it that a node can be added: by collecting garbage, by more memory, or not at all.
    fn make_room(&mut self) -> Step<()> {
        if self.nodes.len() < self.collect_at && self.can_grow() {
            return Ok(());
        }
        self.collect();
        if self.wants_reordering() {
            return Err(Halt::Reorder);
        }
        // With less than that, there would be a collection for every few nodes.
        if self.free_count >= self.nodes.len() / 8 || self.can_grow() {
            return Ok(());
        }
        Err(Halt::Stopped(StopReason::Memory))
    }
    /// Whether there is room at the end, or can be made.
    fn can_grow(&mut self) -> bool {
        self.nodes.len() < self.nodes.capacity() || self.grow()
    }
    /// Room for twice as many nodes, or as many as the limit of memory leaves; false if that is hardly any.
    fn grow(&mut self) -> bool {
        let now = self.nodes.capacity().max(FIRST_NODES / 2);
        let left = self.limits.memory.map_or(u64::MAX, |most| most.saturating_sub(self.bytes()));
        // A node comes with a bucket and a mark.
        let each = size_of::<Node>() + size_of::<u32>() + 1;
        let fitting = usize::try_from(left / each as u64).unwrap_or(usize::MAX);
        let more = now.min(fitting).min(MOST_NODES - now);
        if more < now / 8 || self.nodes.try_reserve_exact(more + now - self.nodes.len()).is_err() {
            return false;
        }
        self.marks.resize(self.nodes.capacity().div_ceil(64), 0);
        self.note_peak();
        self.grow_computed();
        true
    }
    /// The computed table follows the table of nodes, where memory allows.
    fn grow_computed(&mut self) {
        while self.computed.len() < self.nodes.capacity() {
            let more = computed::bytes_of(self.computed.len()) as u64;
            if self.limits.memory.is_some_and(|most| self.bytes() + 2 * more > most) {
                break;
            }
            self.computed.double();
        }
    }
}
