//! Along a run that a heuristic has met while it was made: each time the state at its end is expanded, the next one on the
//! run is marked, and A\* lets it go first among states that it has no other reason to tell apart. If the run is a
//! shortest one and the estimates along it are exact, nothing else is expanded; if it is not, or leaves what is stored,
//! the search goes on as any other.

use crate::heuristic::Route;
use crate::passed::NodeId;
use crate::successors::expand::LabelRef;
use beeline_ir::EdgeId;

/// How far a search has come on a run.
#[derive(Clone, Debug)]
pub struct Escort {
    route: Route,
    /// Labels that were taken.
    taken: usize,
    /// Where they led.
    at: Option<NodeId>,
}

impl Escort {
    /// At the start of a run.
    pub fn new(route: Route) -> Self {
        Self { route, taken: 0, at: None }
    }

    /// An initial node was stored, which the observer enters by that edge.
    pub fn begin(&mut self, node: NodeId, observer: Option<EdgeId>) {
        if self.at.is_none() && observer == self.route.observer_start {
            self.at = Some(node);
        }
    }

    /// Whether the run is at a node.
    pub fn is_at(&self, node: NodeId) -> bool {
        self.at == Some(node)
    }

    /// Whether the run goes on from a node by a label.
    pub fn takes(&self, from: NodeId, label: LabelRef<'_>) -> bool {
        self.is_at(from) && self.route.labels.get(self.taken).is_some_and(|next| *next == label.label())
    }

    /// The next label was taken, and led there.
    pub fn step(&mut self, to: NodeId) {
        self.taken += 1;
        self.at = Some(to);
    }
}
