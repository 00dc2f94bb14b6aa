//! `enabled` must be answerable: whether an edge is enabled may depend on whether other edges are, but not in
//! circles, and not through more levels than an interpreter can nest.
//!
//! The graph: being enabled needs the evaluation of the edge itself and of its possible partners; the evaluation
//! of an edge needs to know of every edge named by an `enabled` in its guard, channel, message or patterns, and
//! in the functions they call, whether it is enabled. `timeout` adds nothing: the edges it asks for are evaluated
//! with every `timeout` read as 0, in a second copy of the same graph that never leads back to the first.

use super::{Checker, Site};
use crate::expr::{ChannelRef, Expr, MAX_DEPTH};
use crate::id::{ChannelId, EdgeId, FunctionId, ProcessId};
use crate::network::{ChannelKind, Edge, Network, Sync};
use crate::visit;

/// A question that depends on others.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Node {
    /// Is the edge enabled?
    Enabled(ProcessId, EdgeId),
    /// Do its guard, channel and message allow it?
    Evaluated(ProcessId, EdgeId),
    /// Is there an edge that sends (or receives) over this channel?
    Partner(ChannelId, Direction),
    /// Is there an edge that sends (or receives) over a channel given by its value?
    PartnerByValue(Direction),
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Direction {
    Send,
    Receive,
}

/// The graph, with what it is made from.
struct Graph<'m> {
    network: &'m Network,
    /// The edges that the `enabled`s of each function name, those of the functions it calls included.
    functions: Vec<Vec<Node>>,
    /// Edges by what they synchronise over, as sources of the dependencies of partners.
    partners: std::collections::BTreeMap<Node, Vec<Node>>,
}

impl<'m> Checker<'m> {
    /// Checks that the graph has no circle, and bounds the levels of evaluation. All ids must be right.
    pub(super) fn enabled_order(&mut self, network: &'m Network) {
        let graph = Graph::new(network);
        let mut levels = std::collections::BTreeMap::new();
        let edges = |p: ProcessId| network.processes[p].edges.ids().map(move |e| (p, e));
        for (p, e) in network.processes.ids().flat_map(edges) {
            let edge = &network.processes[p].edges[e];
            match self.level(&graph, Node::Evaluated(p, e), &mut levels) {
                Some(level) if level <= MAX_DEPTH => continue,
                found => {
                    let what = format!("edge #{} of `{}`", e.index(), network.processes[p].name);
                    let site = Site::new(super::Place::Behaviour, what, edge.origin.as_ref(), &edge.frame);
                    if found.is_some() {
                        self.allowed(&site, MAX_DEPTH + 1);
                    } else {
                        self.fault(
                            &site,
                            "E0328",
                            "whether it is enabled depends, by way of `enabled`, on itself",
                        );
                    }
                    return;
                }
            }
        }
    }

    /// Levels of evaluation from a node on; `None` if there is a circle. Depth-first, without recursion: a node in
    /// `levels` without a number is still open.
    fn level(
        &self,
        graph: &Graph<'m>,
        start: Node,
        levels: &mut std::collections::BTreeMap<Node, Option<usize>>,
    ) -> Option<usize> {
        if let Some(known) = levels.get(&start) {
            return *known;
        }
        let mut open = vec![(start, graph.needs(start), 0)];
        levels.insert(start, None);
        while let Some((node, needs, deepest)) = open.last_mut() {
            if let Some(next) = needs.pop() {
                match levels.get(&next) {
                    Some(None) => return None,
                    Some(Some(level)) => *deepest = (*deepest).max(*level),
                    None => {
                        levels.insert(next, None);
                        // Looked at again when it is known.
                        needs.push(next);
                        open.push((next, graph.needs(next), 0));
                    }
                }
                continue;
            }
            let level = *deepest + self.own_levels(graph.network, *node);
            levels.insert(*node, Some(level));
            open.pop();
        }
        levels.get(&start).copied().flatten()
    }
    fn own_levels(&self, network: &Network, node: Node) -> usize {
        let Node::Evaluated(p, e) = node else { return 0 };
        let mut depth = 0;
        evaluated_parts(&network.processes[p].edges[e], &mut |e| depth = depth.max(self.expr_depth(e)));
        depth
    }
}

impl<'m> Graph<'m> {
    fn new(network: &'m Network) -> Self {
        let mut graph = Self { network, functions: Vec::new(), partners: std::collections::BTreeMap::new() };
        for function in &network.functions {
            let mut named = Vec::new();
            visit::block_parts(&function.body, &mut |e| graph.named(e, &mut named));
            visit::walk_block(&function.body, &mut |statement, _| {
                if let crate::stmt::Stmt::Call(callee, ..) = statement {
                    graph.named_in(*callee, &mut named);
                }
            });
            named.sort();
            named.dedup();
            graph.functions.push(named);
        }
        for (p, process) in network.processes.enumerate() {
            for (e, edge) in process.edges.enumerate() {
                if let Some(offer) = offer(edge) {
                    graph.partners.entry(offer).or_default().push(Node::Evaluated(p, e));
                }
            }
        }
        graph
    }
    fn named_in(&self, function: FunctionId, named: &mut Vec<Node>) {
        named.extend(self.functions.get(function.index()).into_iter().flatten());
    }
    /// The edges named by the `enabled`s of an expression.
    fn named(&self, expr: &Expr, named: &mut Vec<Node>) {
        visit::walk(expr, &mut |e| match e {
            Expr::Enabled(process, edges) => named.extend(edges.iter().map(|e| Node::Enabled(*process, *e))),
            Expr::Call(function, _) => self.named_in(*function, named),
            _ => {}
        });
    }
    fn needs(&self, node: Node) -> Vec<Node> {
        let mut needs = Vec::new();
        match node {
            Node::Evaluated(p, e) => {
                evaluated_parts(&self.network.processes[p].edges[e], &mut |e| self.named(e, &mut needs));
            }
            Node::Enabled(p, e) => {
                needs.push(Node::Evaluated(p, e));
                self.partners_of(&self.network.processes[p].edges[e], &mut needs);
            }
            Node::Partner(..) | Node::PartnerByValue(_) => {
                needs.extend(self.partners.get(&node).into_iter().flatten());
            }
        }
        needs
    }
    /// What an edge needs besides itself, by the kind of its channel.
    fn partners_of(&self, edge: &Edge, needs: &mut Vec<Node>) {
        let (channel, other) = match &edge.sync {
            Sync::Internal => return,
            Sync::Send(send) => (&send.channel, Direction::Receive),
            Sync::Receive(receive) => (&receive.channel, Direction::Send),
        };
        needs.push(Node::PartnerByValue(other));
        match channel {
            ChannelRef::Element(id, _) => {
                let alone = match self.network.channels[*id].kind {
                    ChannelKind::Rendezvous => false,
                    ChannelKind::Broadcast => other == Direction::Receive,
                    ChannelKind::Buffered { .. } => true,
                };
                if alone {
                    needs.clear();
                } else {
                    needs.push(Node::Partner(*id, other));
                }
            }
            ChannelRef::Value(_) => {
                needs.extend(self.network.channels.ids().map(|c| Node::Partner(c, other)))
            }
        }
    }
}

/// What an edge is to others: a partner over its channel.
fn offer(edge: &Edge) -> Option<Node> {
    let (channel, direction) = match &edge.sync {
        Sync::Internal => return None,
        Sync::Send(send) => (&send.channel, Direction::Send),
        Sync::Receive(receive) => (&receive.channel, Direction::Receive),
    };
    Some(match channel {
        ChannelRef::Element(id, _) => Node::Partner(*id, direction),
        ChannelRef::Value(_) => Node::PartnerByValue(direction),
    })
}

/// The expressions that say whether an edge is enabled.
fn evaluated_parts<'e>(edge: &'e Edge, visit: &mut impl FnMut(&'e Expr)) {
    visit(&edge.guard);
    visit::sync_parts(&edge.sync, visit);
}
