//! All symbolic states of a small model with all steps between them, none left out because another includes it, and the
//! true number of steps from each to the target: what a heuristic's promises are tested on.

use beeline_engine::Options;
use beeline_engine::goal;
use beeline_engine::heuristic::OwnedZone;
use beeline_engine::prepare::{Prepared, prepare};
use beeline_engine::successors::space::{Goal, Space, State};
use beeline_engine::time::TimePart;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::Machine;
use beeline_program::schema::EdgeRef;
use beeline_zones::Bound;
use rustc_hash::FxHashMap;

/// A step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it leads.
    pub to: usize,
    /// What it costs.
    pub cost: u32,
    /// The edges of its label.
    pub label: Vec<EdgeRef>,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The discrete part of each state.
    pub slots: Vec<Vec<i64>>,
    /// Its zone.
    pub zones: Vec<OwnedZone>,
    /// The steps from each state.
    pub edges: Vec<Vec<Edge>>,
    /// The initial states.
    pub initial: Vec<usize>,
    /// Whether the property has a run-time error somewhere.
    pub property_fails: bool,
    /// The number of steps from each state to the target.
    pub distance: Vec<Option<u32>>,
    /// The steps to the target by a label that is the target itself, where there is one.
    hits: Vec<Option<u32>>,
}

impl Graph {
    /// The graph of a model; `None` if it has more states than the budget, or the engine refuses it.
    pub fn new(network: &Network, property: &Property, options: &Options, budget: usize) -> Option<Self> {
        let mut graph = match prepare(network, Some(property), options).ok()? {
            Prepared::Untimed(space) => Self::explore(&space, network, budget)?,
            Prepared::Timed(space) => Self::explore(&space, network, budget)?,
        };
        graph.measure();
        Some(graph)
    }

    fn explore<T: TimePart>(space: &Space<T>, network: &Network, budget: usize) -> Option<Self> {
        let mut machine = Machine::new(&space.program);
        let limits = Limits::default();
        let initial = space.program.layout.initial(network);
        let mut scratch = space.scratch(&initial);
        let mut known: FxHashMap<(Vec<i64>, Vec<Bound>), usize> = FxHashMap::default();
        let mut states: Vec<State<T::Zone>> = Vec::new();
        let mut graph = Self::default();
        let mut fails = false;
        let mut number = |state: &State<T::Zone>, states: &mut Vec<State<T::Zone>>| {
            let key = (state.slots.clone(), space.time.entries(&state.zone).to_vec());
            *known.entry(key).or_insert_with(|| {
                states.push(state.clone());
                states.len() - 1
            })
        };
        for (state, _) in space.initial(&mut machine, initial, &mut fails, &limits).ok()? {
            graph.initial.push(number(&state, &mut states));
        }
        graph.property_fails |= fails;
        let predicate = space.goal.predicate();
        let mut at = 0;
        while at < states.len() {
            if states.len() > budget {
                return None;
            }
            let state = states[at].clone();
            let mut hit = None;
            if let Some(predicate) = predicate {
                let met = goal::meet(space, &mut machine, predicate, &state.slots, &state.zone, &limits);
                graph.property_fails |= met.fails;
                hit = (!met.zones.is_empty()).then_some(0);
            }
            let mut edges = Vec::new();
            let left = space.expand(&mut machine, &mut scratch, &state, &limits, &mut |successor| {
                let cost = u32::from(successor.label.costs());
                if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                    hit = Some(hit.map_or(cost, |hit| cost.min(hit)));
                    return;
                }
                let label =
                    successor.label.label().parts.iter().map(|part| (part.process, part.edge)).collect();
                edges.push(Edge { to: number(successor.state, &mut states), cost, label });
            });
            let left = left.ok()?;
            graph.property_fails |= left.observer_fails;
            for failing in left.failing {
                if matches!(space.goal, Goal::RuntimeError) {
                    let cost = u32::from(failing.costs);
                    hit = Some(hit.map_or(cost, |hit| cost.min(hit)));
                }
            }
            graph.zones.push(OwnedZone::of(&space.time.view(&state.zone)));
            graph.slots.push(state.slots);
            graph.edges.push(edges);
            graph.hits.push(hit);
            at += 1;
        }
        Some(graph)
    }

    /// Distances by repeated relaxation: slow, obvious.
    fn measure(&mut self) {
        self.distance = self.hits.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for (at, edges) in self.edges.iter().enumerate() {
                for edge in edges {
                    let through = self.distance[edge.to].map(|d| d + edge.cost);
                    if through.is_some_and(|through| self.distance[at].is_none_or(|d| through < d)) {
                        self.distance[at] = through;
                        changed = true;
                    }
                }
            }
        }
    }
}
