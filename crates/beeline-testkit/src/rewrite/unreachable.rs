//! One more process, which can never move.

use super::permute::facts;
use beeline_ir::expr::Expr;
use beeline_ir::network::{Edge, Location, Network, Process, Role, Sync};
use beeline_ir::{IdVec, LocationId};

/// Adds a process whose only edge has a guard that is never true.
pub fn add(network: &Network) -> Option<Network> {
    if facts(network).process_count {
        return None;
    }
    let location = |name: &str| Location {
        name: name.to_string(),
        frame: Vec::new(),
        condition: Expr::TRUE,
        invariant: Vec::new(),
        urgent: false,
        committed: false,
        atomic: false,
        origin: None,
    };
    let edge = Edge {
        source: LocationId::new(0),
        target: LocationId::new(1),
        frame: Vec::new(),
        selects: 0,
        guard: Expr::FALSE,
        clock_guard: Vec::new(),
        sync: Sync::Internal,
        update: Vec::new(),
        costs: true,
        origin: None,
    };
    let mut result = network.clone();
    result.processes.push(Process {
        name: "Idle".to_string(),
        role: Role::System,
        family: None,
        params: Vec::new(),
        priority: 9,
        locations: IdVec::from(vec![location("stays"), location("never")]),
        initial: LocationId::new(0),
        edges: IdVec::from(vec![edge]),
        origin: None,
    });
    Some(result)
}
