//! By which label each node was reached, for heuristics that compare it with the next one. Labels are few, nodes
//! are many: each label is stored once.

use crate::passed::NodeId;
use beeline_program::schema::EdgeRef;
use std::collections::BTreeMap;

/// A stored label.
#[derive(Copy, Clone, Debug)]
struct LabelId(u32);

/// The label of each node.
#[derive(Debug, Default)]
pub struct Reached {
    labels: Vec<Box<[EdgeRef]>>,
    ids: BTreeMap<Box<[EdgeRef]>, LabelId>,
    of: Vec<Option<LabelId>>,
}

impl Reached {
    /// Notes how a node was reached.
    pub fn note(&mut self, node: NodeId, label: &[EdgeRef]) {
        let id = match self.ids.get(label) {
            Some(id) => *id,
            None => {
                let id = LabelId(self.labels.len() as u32);
                self.labels.push(label.into());
                self.ids.insert(label.into(), id);
                id
            }
        };
        if self.of.len() <= node.row() {
            self.of.resize(node.row() + 1, None);
        }
        self.of[node.row()] = Some(id);
    }

    /// The edges of the label by which a node was reached; none for an initial node.
    pub fn by(&self, node: NodeId) -> &[EdgeRef] {
        let id = self.of.get(node.row()).copied().flatten();
        id.map_or(&[], |LabelId(id)| &self.labels[id as usize])
    }

    /// Bytes in use, the few labels left out.
    pub fn bytes(&self) -> u64 {
        (self.of.capacity() * size_of::<Option<LabelId>>()) as u64
    }
}
