//! FSM distance h_m: towards a state that is known to be bad, each process has to get to its location there; the sum of the
//! distances within the automata. For making a trace shorter that leads there.
//!
//! Edelkamp, Lluch-Lafuente and Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001; Edelkamp and
//! Lluch-Lafuente, "Abstraction in directed model checking", 2004, who call the sum a lower bound. It is one only where
//! processes move one at a time: of two that meet, both distances fall in one step. So a label counts for one process
//! alone here, the first it may move ([`Counting::Once`]), which makes the sum a lower bound of the distance to *that
//! state*, and a consistent one; as printed it is [`Counting::Each`]. Of the distance to the target it says nothing, for
//! another bad state may be nearer.

use crate::local_distance::{backward, costs};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::layout::Layout;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{Network, Role};
use beeline_ir::{EdgeId, IdVec, ProcessId};
use beeline_program::Program;
use beeline_program::schema::{EdgeRef, schemas};
use std::collections::BTreeSet;

/// Edges in schemas between two looks at the limits.
const INTERVAL: usize = 1 << 16;

/// How often a label that moves several processes counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Counting {
    /// Once.
    Once,
    /// For each of them.
    Each,
}

/// The heuristic.
#[derive(Debug)]
pub struct FsmDistance {
    /// For each process, the slot of its location, and the distance from every location.
    processes: Vec<(usize, Vec<Option<u32>>)>,
}

impl FsmDistance {
    /// Towards a state of a network.
    pub fn new(
        network: &Network,
        towards: &[i64],
        counting: Counting,
        limits: &Limits,
    ) -> Result<Self, StopReason> {
        let program = Program::compile(network);
        let layout = &program.layout;
        let distances = |process: ProcessId, free: &dyn Fn(EdgeId) -> bool| {
            let target = usize::try_from(towards[layout.location[process]]).ok();
            backward(&program, process, target.into_iter(), |edge| {
                costs(&program, process, edge) && !free(edge)
            })
        };
        let initial = Layout::of_network(network).initial(network);
        let system = network.processes.enumerate().filter(|(_, process)| process.role == Role::System);
        let mut order: Vec<(u32, ProcessId)> = Vec::new();
        for (process, _) in system {
            let at = initial[layout.location[process]] as usize;
            order.push((distances(process, &|_| false)[at].unwrap_or(u32::MAX), process));
        }
        // Who is farthest away takes the labels first.
        order.sort_by_key(|(distance, process)| (std::cmp::Reverse(*distance), *process));
        let order: Vec<ProcessId> = order.into_iter().map(|(_, process)| process).collect();
        let taken = match counting {
            Counting::Once => taken(&program, &order, limits)?,
            Counting::Each => BTreeSet::new(),
        };
        let of = |process: &ProcessId| {
            let free = |edge: EdgeId| taken.contains(&(*process, edge));
            (layout.location[*process], distances(*process, &free))
        };
        Ok(Self { processes: order.iter().map(of).collect() })
    }
}

/// The edges of labels that may move a process which comes earlier in the order.
fn taken(program: &Program, order: &[ProcessId], limits: &Limits) -> Result<BTreeSet<EdgeRef>, StopReason> {
    let rank = |process: ProcessId| order.iter().position(|other| *other == process);
    let rank: IdVec<ProcessId, Option<usize>> = program.processes.ids().map(rank).collect();
    let moves = |edge: &&EdgeRef| {
        let compiled = &program.processes[edge.0].edges[edge.1];
        compiled.exits || compiled.source != compiled.target
    };
    let (mut taken, mut looked) = (BTreeSet::new(), 0);
    for schema in schemas(program) {
        let edges = schema.parts.edges();
        looked += edges.len();
        if looked >= INTERVAL {
            looked = 0;
            limits.check(0, 0)?;
        }
        let Some(first) = edges.iter().filter(moves).filter_map(|edge| rank[edge.0]).min() else { continue };
        taken.extend(edges.into_iter().filter(|edge| rank[edge.0].is_some_and(|rank| rank > first)));
    }
    Ok(taken)
}

impl Heuristic for FsmDistance {
    fn properties(&self) -> Properties {
        Properties::NOTHING
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let mut steps = self.processes.iter().map(|(slot, distances)| {
            let at = usize::try_from(slots[*slot]).ok()?;
            *distances.get(at)?
        });
        let total = steps.try_fold(0u32, |sum, steps| Some(sum.saturating_add(steps?)));
        total.map_or(Estimate::Infinite, Estimate::Steps)
    }
}
