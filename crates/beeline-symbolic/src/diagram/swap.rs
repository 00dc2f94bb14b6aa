//! Two neighbouring levels change places (Rudell, ICCAD 1993). A node keeps its function and so its edges; only nodes of
//! the upper bit that lead to the lower one are written anew.
//!
//! While bits are moved, references are counted, so that there never is garbage and the number of nodes is that of the
//! order at hand.

use super::edge::{Edge, Level, Node};
use super::{Bit, Store};

/// A store whose bits are being moved.
pub(super) struct Moving<'s> {
    pub store: &'s mut Store,
    /// By node: edges to it from nodes, and handles.
    references: Vec<u32>,
    /// Nodes looked at.
    pub work: u64,
}

impl<'s> Moving<'s> {
    /// Between two operations. What was computed is forgotten, as nodes will come and go.
    pub fn new(store: &'s mut Store) -> Self {
        debug_assert!(store.stack.is_empty());
        store.collect();
        store.computed.clear();
        let mut references = vec![0; store.nodes.len()];
        let mut held = Vec::new();
        store.roots.add_to(&mut held);
        for node in store.nodes.iter().skip(1).filter(|node| !node.is_free()) {
            held.extend([node.then, node.otherwise]);
        }
        held.iter().for_each(|edge| references[edge.index()] += 1);
        Self { store, references, work: 0 }
    }
    /// Exchanges a level with the one below; false, and nothing is changed, if there is no room for new nodes.
    pub fn swap(&mut self, upper: usize) -> bool {
        let store = &mut *self.store;
        let (x, y) = (store.order[upper], store.order[upper + 1]);
        let mut all = store.tables[x as usize].drain(&store.nodes);
        self.work += all.len() as u64 + 1;
        let leads = |edge: Edge, nodes: &[Node]| nodes[edge.index()].bit == y;
        // Those that stay go back at once.
        all.retain(|index| {
            let node = &store.nodes[*index as usize];
            let moves = leads(node.then, &store.nodes) || leads(node.otherwise, &store.nodes);
            if !moves {
                store.tables[x as usize].link(*index as usize, &mut store.nodes);
            }
            moves
        });
        if !store.reserve(2 * all.len()) {
            for index in all {
                store.tables[x as usize].link(index as usize, &mut store.nodes);
            }
            return false;
        }
        self.work += 4 * all.len() as u64;
        store.order.swap(upper, upper + 1);
        store.level[x as usize] = Level(upper as u32 + 1);
        store.level[y as usize] = Level(upper as u32);
        for index in all {
            let node = self.store.nodes[index as usize];
            let (f11, f10) = self.store.cofactors(node.then, y);
            let (f01, f00) = self.store.cofactors(node.otherwise, y);
            let then = self.child(x, f11, f01);
            let otherwise = self.child(x, f10, f00);
            // `then` was no complement, and where its bit is true it is none either.
            debug_assert!(!then.is_complement() && then != otherwise);
            self.release(node.then);
            self.release(node.otherwise);
            self.store.relink(index as usize, Node { bit: y, then, otherwise, next: 0 });
        }
        true
    }
    /// A node with one more reference, made if there is none.
    fn child(&mut self, bit: Bit, then: Edge, otherwise: Edge) -> Edge {
        let flip = then.is_complement();
        let (then, otherwise) = (then.flip_if(flip), otherwise.flip_if(flip));
        let edge = if then == otherwise {
            then
        } else if let Some(edge) = self.store.find(bit, then, otherwise) {
            edge
        } else {
            let edge = self.store.insert(bit, then, otherwise);
            self.references.resize(self.references.len().max(self.store.nodes.len()), 0);
            self.references[edge.index()] = 0;
            self.references[then.index()] += 1;
            self.references[otherwise.index()] += 1;
            edge
        };
        self.references[edge.index()] += 1;
        edge.flip_if(flip)
    }
    /// One reference less. A node that loses its last is one of the bit that goes up; what it led to has got others.
    fn release(&mut self, edge: Edge) {
        let count = &mut self.references[edge.index()];
        *count -= 1;
        if *count > 0 || edge.is_constant() {
            return;
        }
        let node = self.store.nodes[edge.index()];
        for branch in [node.then, node.otherwise] {
            self.references[branch.index()] -= 1;
            debug_assert!(branch.is_constant() || self.references[branch.index()] > 0);
        }
        self.store.unlink(edge.index());
    }
}
