//! Label schemas: which edges can make a label together, whatever the values of variables. Channel indices and select
//! values are left open; of a broadcast, every subset of the possible receivers is one and the same schema.

use crate::program::{ChannelUse, CompiledEdge, CompiledSync, Program};
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{EdgeId, ProcessId};

/// An edge of a process.
pub type EdgeRef = (ProcessId, EdgeId);

/// The edges of a label, without select values and channel indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parts {
    /// One edge by itself, which may use a buffer.
    Internal(EdgeRef),
    /// A send and a receive.
    Pair(EdgeRef, EdgeRef),
    /// A broadcast and, per other process that has some, the edges that may receive it.
    Broadcast(EdgeRef, Vec<(ProcessId, Vec<EdgeId>)>),
}

impl Parts {
    /// All edges that may be part of such a label, the initiator first.
    pub fn edges(&self) -> Vec<EdgeRef> {
        match self {
            Self::Internal(edge) => vec![*edge],
            Self::Pair(send, receive) => vec![*send, *receive],
            Self::Broadcast(send, listeners) => {
                let each = |(process, edges): &(ProcessId, Vec<EdgeId>)| {
                    let process = *process;
                    edges.iter().map(move |edge| (process, *edge)).collect::<Vec<_>>()
                };
                std::iter::once(*send).chain(listeners.iter().flat_map(each)).collect()
            }
        }
    }
}

/// A label schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schema {
    /// The edges.
    pub parts: Parts,
    /// Whether every label of the schema costs a step.
    pub always_costs: bool,
    /// Whether some label of the schema may cost a step.
    pub may_cost: bool,
    /// Number of combinations of select values and receivers: an upper bound on the labels that can be enabled at
    /// once.
    pub labels: u128,
}

/// All schemas of a program, in order of their initiators.
pub fn schemas(program: &Program) -> impl Iterator<Item = Schema> + '_ {
    system_edges(program).flat_map(|initiator| initiated_by(program, initiator))
}

fn system_edges(program: &Program) -> impl Iterator<Item = EdgeRef> + '_ {
    let system = program.processes.enumerate().filter(|(_, process)| process.role == Role::System);
    system.flat_map(|(id, process)| process.edges.ids().map(move |edge| (id, edge)))
}

fn edge(program: &Program, (process, edge): EdgeRef) -> &CompiledEdge {
    &program.processes[process].edges[edge]
}

/// The schemas whose first part is the edge. If the channel is given by a value there may be several kinds.
fn initiated_by(program: &Program, initiator: EdgeRef) -> Vec<Schema> {
    let mut found = Vec::new();
    let sync = &edge(program, initiator).sync;
    let Some(channel) = sync.channel() else {
        return vec![schema(program, Parts::Internal(initiator))];
    };
    let may_be = |kind: fn(ChannelKind) -> bool| channel.may_meet(channel, program, kind);
    if may_be(buffered) {
        found.push(schema(program, Parts::Internal(initiator)));
    }
    if let CompiledSync::Receive { .. } = sync {
        return found;
    }
    let receivers = || {
        system_edges(program)
            .filter(|receiver| receiver.0 != initiator.0 && edge(program, *receiver).sync.receives())
    };
    for receiver in receivers() {
        if may_meet(program, channel, receiver, |kind| kind == ChannelKind::Rendezvous) {
            found.push(schema(program, Parts::Pair(initiator, receiver)));
        }
    }
    if may_be(|kind| kind == ChannelKind::Broadcast) {
        let mut listeners: Vec<(ProcessId, Vec<EdgeId>)> = Vec::new();
        for receiver in receivers() {
            if may_meet(program, channel, receiver, |kind| kind == ChannelKind::Broadcast) {
                match listeners.last_mut() {
                    Some((process, edges)) if *process == receiver.0 => edges.push(receiver.1),
                    _ => listeners.push((receiver.0, vec![receiver.1])),
                }
            }
        }
        found.push(schema(program, Parts::Broadcast(initiator, listeners)));
    }
    found
}

fn buffered(kind: ChannelKind) -> bool {
    matches!(kind, ChannelKind::Buffered { .. })
}

fn may_meet(
    program: &Program,
    channel: ChannelUse,
    other: EdgeRef,
    kind: impl Fn(ChannelKind) -> bool,
) -> bool {
    edge(program, other).sync.channel().is_some_and(|theirs| channel.may_meet(theirs, program, kind))
}

fn schema(program: &Program, parts: Parts) -> Schema {
    let costs = |part: EdgeRef| edge(program, part).costs;
    let selects = |part: EdgeRef| {
        edge(program, part).selects.iter().fold(1, |all: u128, range| all.saturating_mul(range.size()))
    };
    let (always_costs, may_cost, labels) = match &parts {
        Parts::Internal(one) => (costs(*one), costs(*one), selects(*one)),
        Parts::Pair(send, receive) => {
            let cost = costs(*send) || costs(*receive);
            (cost, cost, selects(*send).saturating_mul(selects(*receive)))
        }
        Parts::Broadcast(send, listeners) => {
            let mut labels = selects(*send);
            let mut may_cost = costs(*send);
            for (process, edges) in listeners {
                may_cost |= edges.iter().any(|e| costs((*process, *e)));
                // One of its edges, or staying.
                let choices =
                    edges.iter().fold(1, |all: u128, e| all.saturating_add(selects((*process, *e))));
                labels = labels.saturating_mul(choices);
            }
            (costs(*send), may_cost, labels)
        }
    };
    Schema { parts, always_costs, may_cost, labels }
}
