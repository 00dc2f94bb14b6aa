//! Handles: what they hold is not garbage. Each is a slot of a table that counts how many handles share it.

use super::Edge;
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// What handles hold.
#[derive(Default)]
pub(crate) struct Roots {
    slots: RefCell<Slots>,
}

#[derive(Default)]
struct Slots {
    /// Each with the number of handles; a free one has none.
    used: Vec<(Edge, u32)>,
    free: Vec<u32>,
}

/// A set of assignments to bits. Two of the same store are equal if and only if the sets are.
pub(crate) struct Bdd {
    edge: Edge,
    slot: u32,
    roots: Rc<Roots>,
}

impl Roots {
    pub fn hold(this: &Rc<Self>, edge: Edge) -> Bdd {
        let slots = &mut *this.slots.borrow_mut();
        let slot = match slots.free.pop() {
            Some(slot) => {
                slots.used[slot as usize] = (edge, 1);
                slot
            }
            None => {
                slots.used.push((edge, 1));
                (slots.used.len() - 1) as u32
            }
        };
        Bdd { edge, slot, roots: this.clone() }
    }
    /// Adds everything that is held to a list.
    pub fn add_to(&self, held: &mut Vec<Edge>) {
        let slots = self.slots.borrow();
        held.extend(slots.used.iter().filter(|(_, count)| *count > 0).map(|(edge, _)| *edge));
    }
}

impl Bdd {
    pub fn edge(&self) -> Edge {
        self.edge
    }
}

impl Clone for Bdd {
    fn clone(&self) -> Self {
        self.roots.slots.borrow_mut().used[self.slot as usize].1 += 1;
        Self { edge: self.edge, slot: self.slot, roots: self.roots.clone() }
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        let slots = &mut *self.roots.slots.borrow_mut();
        let count = &mut slots.used[self.slot as usize].1;
        *count -= 1;
        if *count == 0 {
            slots.free.push(self.slot);
        }
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Self) -> bool {
        debug_assert!(Rc::ptr_eq(&self.roots, &other.roots), "diagrams of two stores");
        self.edge == other.edge
    }
}

impl Eq for Bdd {}

impl Hash for Bdd {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.edge.hash(state);
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.edge)
    }
}
