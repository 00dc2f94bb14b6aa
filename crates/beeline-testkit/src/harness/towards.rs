//! FSM distances to states that are known: where a label counts for one process alone, they are never more than the steps to
//! such a state, and fall by no more than a step costs.

use super::{Trouble, TroubleKind};
use crate::oracle::graph::Graph;
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_heuristics::fsm::{Counting, FsmDistance};
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::network::{Network, Role};

/// States of a model that are led to.
const STATES: usize = 3;

/// Tests the distances to some states of a model; to how many.
pub fn check(network: &Network, graph: &Graph, seed: u64) -> Result<u64, Trouble> {
    let count = graph.slots.len();
    for round in 0..STATES.min(count) {
        let target = (seed as usize).wrapping_mul(31).wrapping_add(round * 7) % count;
        if let Some(detail) = wrong(network, graph, target, Counting::Once) {
            let slots = &graph.slots[target];
            return Err(Trouble::new(TroubleKind::Promise, format!("fsm towards {slots:?}: {detail}")));
        }
    }
    Ok(STATES.min(count) as u64)
}

/// What is wrong with the distances to a state, if something is.
pub fn wrong(network: &Network, graph: &Graph, target: usize, counting: Counting) -> Option<String> {
    let limits = Limits::default();
    let mut fsm = FsmDistance::new(network, &graph.slots[target], counting, &limits).ok()?;
    let h: Vec<Estimate> = graph.slots.iter().map(|slots| fsm.estimate(slots)).collect();
    // Where the processes stand is all that is looked at, and observers are not.
    let layout = Layout::of_network(network);
    let system = || network.processes.enumerate().filter(|(_, process)| process.role == Role::System);
    let there = |at: usize| {
        let same = |slot: usize| graph.slots[at][slot] == graph.slots[target][slot];
        system().all(|(process, _)| same(layout.location[process]))
    };
    for at in 0..graph.slots.len() {
        if there(at) && h[at] != Estimate::ZERO {
            return Some(format!("{:?} at {:?}, which is such a state", h[at], graph.slots[at]));
        }
        for edge in &graph.edges[at] {
            let falls = match (h[at], h[edge.to]) {
                (Estimate::Steps(from), Estimate::Steps(to)) => from > to + edge.cost,
                (Estimate::Infinite, Estimate::Steps(_)) => true,
                (_, Estimate::Infinite) => false,
            };
            if falls {
                let (from, to) = (&graph.slots[at], &graph.slots[edge.to]);
                return Some(format!("{:?} at {from:?}, {:?} at {to:?}", h[at], h[edge.to]));
            }
        }
    }
    None
}
