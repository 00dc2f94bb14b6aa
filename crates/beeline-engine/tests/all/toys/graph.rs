//! The whole symbolic graph of a small model, and the distance of each node from the target.

use beeline_engine::Options;
use beeline_engine::goal;
use beeline_engine::prepare::{Prepared, prepare};
use beeline_engine::successors::space::{Goal, Space, State};
use beeline_engine::time::TimePart;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::Machine;
use std::collections::BTreeMap;

type Key = (Vec<i64>, Vec<ZoneConstraint>);

/// Distances from the target; nodes from which it is out of reach have none.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: BTreeMap<Key, usize>,
    distances: Vec<Option<u32>>,
    least: BTreeMap<Vec<i64>, Option<u32>>,
}

fn key(slots: &[i64], zone: &[ZoneConstraint]) -> Key {
    let mut zone = zone.to_vec();
    zone.sort();
    (slots.to_vec(), zone)
}

impl Graph {
    /// The graph; `None` if it has more nodes than that.
    pub fn new(network: &Network, property: &Property, options: &Options, most: usize) -> Option<Self> {
        match prepare(network, Some(property), options).expect("supported") {
            Prepared::Untimed(space) => Self::explore(&space, network, most),
            Prepared::Timed(space) => Self::explore(&space, network, most),
        }
    }

    fn explore<T: TimePart>(space: &Space<T>, network: &Network, most: usize) -> Option<Self> {
        let (mut machine, limits) = (Machine::new(&space.program), Limits::default());
        let initial = space.program.layout.initial(network);
        let mut scratch = space.scratch(&initial);
        let mut graph = Self::default();
        let mut states: Vec<State<T::Zone>> = Vec::new();
        for (state, _) in space.initial(&mut machine, initial, &mut false, &limits).expect("no limits") {
            graph.number(space, &state, &mut states);
        }
        // Edges backwards, with their costs.
        let mut edges: Vec<(usize, usize, u32)> = Vec::new();
        let mut next = 0;
        let predicate = space.goal.predicate();
        while next < states.len() {
            if states.len() > most {
                return None;
            }
            let state = states[next].clone();
            if let Some(predicate) = predicate
                && !goal::meet(space, &mut machine, predicate, &state.slots, &state.zone, &limits)
                    .zones
                    .is_empty()
            {
                graph.distances[next] = Some(0);
            }
            let mut near = None;
            let left = space
                .expand(&mut machine, &mut scratch, &state, &limits, &mut |successor| {
                    let cost = u32::from(successor.label.costs());
                    if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                        near = Some(near.map_or(cost, |least: u32| least.min(cost)));
                        return;
                    }
                    let to = graph.number(space, successor.state, &mut states);
                    edges.push((next, to, cost));
                })
                .expect("no limits");
            if matches!(space.goal, Goal::RuntimeError) {
                near = left.failing.iter().map(|f| u32::from(f.costs)).chain(near).min();
            }
            if let Some(near) = near {
                graph.distances[next] = Some(near);
            }
            next += 1;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (from, to, cost) in &edges {
                let Some(through) = graph.distances[*to].map(|d| d + cost) else { continue };
                if graph.distances[*from].is_none_or(|d| through < d) {
                    graph.distances[*from] = Some(through);
                    changed = true;
                }
            }
        }
        for ((slots, _), node) in &graph.nodes {
            let d = graph.distances[*node];
            let least = graph.least.entry(slots.clone()).or_insert(d);
            *least = [*least, d].into_iter().flatten().min();
        }
        Some(graph)
    }

    fn number<T: TimePart>(
        &mut self,
        space: &Space<T>,
        state: &State<T::Zone>,
        states: &mut Vec<State<T::Zone>>,
    ) -> usize {
        let key = key(&state.slots, &space.time.constraints(&state.zone));
        *self.nodes.entry(key).or_insert_with(|| {
            states.push(state.clone());
            self.distances.push(None);
            states.len() - 1
        })
    }

    /// The distance of a node; the node must be there.
    pub fn distance(&self, slots: &[i64], zone: &[ZoneConstraint]) -> Option<u32> {
        self.distances[self.nodes[&key(slots, zone)]]
    }

    /// The least distance of all nodes with that discrete part.
    pub fn least(&self, slots: &[i64]) -> Option<u32> {
        self.least[slots]
    }
}
