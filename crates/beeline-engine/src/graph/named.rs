//! The graph of a network with what its arcs are called: for abstractions that share out the costs of labels, it matters
//! which label leads where, not only that one does.
//!
//! A label goes by its edges, the one that initiates it first; of a broadcast, by that of the sender alone, whoever
//! receives. A node that a later one includes before its turn has no arcs: whatever leads to it leads to the later one.

use super::{Builder, Graph, NoGraph, States};
use crate::api::Options;
use crate::prepare::{Prepared, prepare_with};
use crate::successors::space::Space;
use crate::time::TimePart;
use beeline_ir::expr::ChannelRef;
use beeline_ir::layout::Layout;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{ChannelKind, Network, Sync};
use beeline_ir::property::Property;
use beeline_program::schema::EdgeRef;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A graph with the names of its arcs.
#[derive(Debug)]
pub struct Named {
    /// Its nodes, of which the first is an initial one.
    pub states: States,
    /// By number of a node, whether the target is there or a label away.
    pub goal: Vec<bool>,
    /// From which node to which other one, by which label; ascending.
    pub arcs: Vec<(u32, u32, u32)>,
    /// The edges of each label.
    pub labels: Vec<Box<[EdgeRef]>>,
}

/// Names of arcs while a graph is explored.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: FxHashMap<Box<[EdgeRef]>, u32>,
    labels: Vec<Box<[EdgeRef]>>,
    arcs: Vec<(u32, u32, u32)>,
    edges: Vec<EdgeRef>,
}

impl Names {
    /// An arc from a node to another by a label with these edges.
    pub(super) fn note(
        &mut self,
        network: &Network,
        from: usize,
        to: usize,
        edges: impl Iterator<Item = EdgeRef>,
    ) {
        if from == to {
            return;
        }
        self.edges.clear();
        self.edges.extend(edges);
        if self.edges.first().is_some_and(|edge| broadcasts(network, *edge)) {
            self.edges.truncate(1);
        }
        let label = self.known.get(&*self.edges).copied().unwrap_or_else(|| {
            let edges: Box<[EdgeRef]> = self.edges.as_slice().into();
            self.labels.push(edges.clone());
            self.known.insert(edges, self.labels.len() as u32 - 1);
            self.labels.len() as u32 - 1
        });
        self.arcs.push((from as u32, to as u32, label));
    }

    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.arcs) as u64
    }
}

/// Whether an edge sends to whoever receives.
pub fn broadcasts(network: &Network, (process, edge): EdgeRef) -> bool {
    match &network.processes[process].edges[edge].sync {
        Sync::Send(send) => match &send.channel {
            ChannelRef::Element(id, _) => network.channels[*id].kind == ChannelKind::Broadcast,
            ChannelRef::Value(_) => false,
        },
        Sync::Internal | Sync::Receive(_) => false,
    }
}

/// Explores all of a network, as [`super::explore`] does, and notes which labels lead where.
pub fn explore(
    network: &Network,
    property: &Property,
    committed: &BTreeSet<EdgeRef>,
    limits: &Limits,
    most: usize,
) -> Result<Named, NoGraph> {
    let options = Options { dead_variables: false, ..Options::default() };
    match prepare_with(network, Some(property), &options, committed).map_err(NoGraph::Unsupported)? {
        Prepared::Untimed(space) => explore_in(&*space, network, limits, most),
        Prepared::Timed(space) => explore_in(&*space, network, limits, most),
    }
}

fn explore_in<T: TimePart>(
    space: &Space<T>,
    network: &Network,
    limits: &Limits,
    most: usize,
) -> Result<Named, NoGraph> {
    let start = Layout::of_network(network).initial(network);
    let mut builder = Builder::new(space, &start, None, limits, most);
    builder.names = Some((network, Names::default()));
    builder.begin(start)?;
    builder.expand_all()?;
    let names = builder.names.take().map(|(_, names)| names).unwrap_or_default();
    Ok(name(builder.store.graph, names, limits)?)
}

fn name(graph: Graph, names: Names, limits: &Limits) -> Result<Named, StopReason> {
    let Names { mut arcs, labels, .. } = names;
    limits.spend_on(0, arcs.len() as u64)?;
    let included = |node: u32| {
        let mut node = node;
        while let Some(later) = graph.nodes[node as usize].covered_by {
            node = later;
        }
        node
    };
    arcs.iter_mut().for_each(|(_, to, _)| *to = included(*to));
    arcs.retain(|(from, to, _)| from != to);
    arcs.sort_unstable();
    arcs.dedup();
    let mut goal = vec![false; graph.nodes.len()];
    graph.seeds.iter().for_each(|(node, _)| goal[*node as usize] = true);
    Ok(Named { states: graph.into_states(), goal, arcs, labels })
}
