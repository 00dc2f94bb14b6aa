//! Which factors are safe to remove (Wehrle and Helmert, Section 4.1). There a factor is safe if it is
//! *independent* (a label that affects it neither affects nor restricts any other) and *strongly connected*. Then,
//! before any label of the others, it can go to a value that allows that label; and at the end to one that the
//! property asks for.
//!
//! Real networks can do more than labels, and each of their other means is a way for the others to notice, or for
//! the factor to be held up. So, besides:
//! - it must be able to move just before a label that restricts it, hence at a moment when nobody is at a
//!   committed location: no such label leaves one, and if the property asks something of it, target states are
//!   free of them;
//! - nothing may depend on such a label *not* being possible: it is not over an urgent channel (which would stop
//!   time), nor received from a broadcast (where others join whether or not this one can), nor asked about by
//!   `Enabled` or `deadlock`; all labels have the same priority; and nobody holds a token;
//! - time passes as if it were not there: its own moves have nothing to do with clocks and urgent locations, and
//!   no invariant or clock constraint mentions it;
//! - at most one part of a label restricts it, so that what the label needs can be told from that part;
//! - edges that read it, and the target if that does, are free of loops, quantifiers and calls, so that leaving
//!   out what concerns it does not change how long their evaluation takes, and hence never whether it is cut off.
//!
//! A label that reads the factor's value to compute something is, as in the paper's lockstep semantics, one label
//! for each value: that is what `remove` makes of it.

use crate::factor::Factor;
use crate::graph::Graph;
use crate::target::Conjunct;
use crate::view::{Footprint, View};
use beeline_ir::expr::Expr;
use beeline_ir::network::{ChannelKind, Edge, Network, Role};
use beeline_ir::stmt::{Block, Stmt};
use beeline_ir::visit::{block_parts, edge_parts, walk, walk_block};
use beeline_ir::{LocationId, ProcessId};
use beeline_program::schema::EdgeRef;
use beeline_program::{CompiledSync, Machine};
use beeline_zones::fault::{Fault, active};
use std::collections::{BTreeMap, BTreeSet};

/// A factor that may be removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Safe {
    /// Which.
    pub factor: Factor,
    /// Where its value is.
    pub slot: usize,
    /// Its moves.
    pub graph: Graph,
    /// The edges that make them.
    pub own: Vec<EdgeRef>,
    /// The edges of others, and of itself while it stays, that need it at certain values.
    pub restricting: Vec<EdgeRef>,
    /// The values at which the target may be met.
    pub goal: BTreeSet<i64>,
}

/// Whether the network is made of nothing but processes, integers, clocks and plain channels ([`is_lasting`]), and no
/// label goes before another.
pub fn is_plain(network: &Network) -> bool {
    let mut system = network.processes.iter().filter(|p| p.role == Role::System);
    let first = system.clone().map(|p| p.priority).next();
    let equal = system.all(|p| Some(p.priority) == first)
        && network.channels.iter().all(|c| c.priority.iter().all(|priority| *priority == 0));
    equal && is_lasting(network)
}

/// Whether there are no queues, no token and no processes that come and go, and nobody asks what is enabled.
pub fn is_lasting(network: &Network) -> bool {
    let mut system = network.processes.iter().filter(|p| p.role == Role::System);
    let lasting = network.families.is_empty()
        && system.all(|p| {
            p.locations.iter().all(|l| !l.atomic)
                && p.edges.iter().all(|e| e.update.last() != Some(&Stmt::Exit))
        });
    let buffered = |kind: ChannelKind| matches!(kind, ChannelKind::Buffered { .. });
    lasting && !network.channels.iter().any(|c| buffered(c.kind)) && !asks(network)
}

/// Whether the behaviour depends on what is enabled.
fn asks(network: &Network) -> bool {
    let mut found = false;
    let mut visit = |e: &Expr| walk(e, &mut |e| found |= matches!(e, Expr::Enabled(..) | Expr::Timeout));
    network.functions.iter().for_each(|f| block_parts(&f.body, &mut visit));
    for process in &network.processes {
        process.edges.iter().for_each(|e| edge_parts(e, &mut visit));
        process.locations.iter().for_each(|l| visit(&l.condition));
    }
    found
}

/// The slots that are changed by labels of their own only, each with the edges that change it: the independent
/// factors, as far as labels go.
pub fn independent(view: &View<'_>) -> BTreeMap<usize, Vec<EdgeRef>> {
    let mut found: BTreeMap<usize, Vec<EdgeRef>> = BTreeMap::new();
    let mut shared = beeline_program::SlotSet::default();
    for (edge, footprint) in &view.edges {
        match moves_alone(view, *edge, footprint) {
            Some(slot) => found.entry(slot).or_default().push(*edge),
            None => {
                shared.extend(&footprint.writes);
            }
        }
    }
    found.retain(|slot, _| !shared.contains(*slot));
    found
}

/// The slot the edge changes, if it changes just this one and depends on nothing else.
fn moves_alone(view: &View<'_>, edge: EdgeRef, footprint: &Footprint) -> Option<usize> {
    let compiled = view.edge(edge);
    let slot = footprint.writes.iter().next()?;
    let home = view.home(edge);
    let alone = footprint.writes.len() == 1
        && compiled.sync == CompiledSync::Internal
        && !footprint.clocks
        && compiled.costs
        && (home == slot || !view.changing.contains(home))
        && view.only(&footprint.guard_reads, slot)
        && view.only(&footprint.other_reads, slot);
    alone.then_some(slot)
}

/// Examines an independent factor: everything else that makes it safe.
pub fn examine(view: &View<'_>, slot: usize, own: &[EdgeRef]) -> Option<Safe> {
    let factor = Factor::of(&view.program.layout.slots[slot])?;
    let bare = match factor {
        Factor::Automaton(process) => view.locations[process].iter().all(|l| is_bare(view, process, *l)),
        Factor::Integer(..) => true,
    };
    let restricting: Vec<EdgeRef> = view
        .edges
        .keys()
        .copied()
        .filter(|edge| !own.contains(edge) && view.restricts(*edge, slot))
        .collect();
    if !bare || !restricting.iter().all(|edge| may_restrict(view, *edge, slot)) {
        return None;
    }
    let graph = Graph::explore(view, slot, own)?;
    if graph.values().len() < 2 || !graph.is_strongly_connected() {
        return None;
    }
    let goal = goal(view, slot, &graph)?;
    Some(Safe { factor, slot, graph, own: own.to_vec(), restricting, goal })
}

/// Whether being at the location has no consequences for time or for the others.
pub fn is_bare(view: &View<'_>, process: ProcessId, location: LocationId) -> bool {
    let location = &view.program.processes[process].locations[location];
    location.condition.is_none() && location.invariant.is_empty() && !location.urgent && !location.committed
}

/// Whether the factor can be made ready for every label with this part, and nobody notices that it was not before.
fn may_restrict(view: &View<'_>, edge: EdgeRef, slot: usize) -> bool {
    let Some(footprint) = view.edges.get(&edge) else { return false };
    let program = &view.program;
    let partners = view.partners.get(&edge).map_or(&[][..], Vec::as_slice);
    let sync = &view.edge(edge).sync;
    let negated = sync.channel().is_some_and(|channel| {
        let mut named = program.elements.iter().enumerate().filter(|(e, _)| channel.may_name(program, *e));
        named.any(|(_, e)| e.urgent || sync.receives() && e.kind == ChannelKind::Broadcast)
    });
    let hurried = view.leaves_committed(edge) || partners.iter().any(|p| view.leaves_committed(*p));
    let twice = partners.iter().any(|p| view.restricts(*p, slot));
    let cut_off = footprint.reads(slot) && repeats(&view.network.processes[edge.0].edges[edge.1]);
    !(negated || hurried && !active(Fault::SafeUnderCommitted) || twice || cut_off)
}

/// The values at which the target may be met; `None` if that depends on anything else, or on there being time to
/// get there.
fn goal(view: &View<'_>, slot: usize, graph: &Graph) -> Option<BTreeSet<i64>> {
    let mut goal: BTreeSet<i64> = graph.values().collect();
    let asked: Vec<&Conjunct> = view.target.conjuncts.iter().filter(|c| c.reads.contains(slot)).collect();
    if asked.is_empty() {
        return Some(goal);
    }
    if view.target.conjuncts.iter().any(|c| repeats_in(&c.expr)) {
        return None;
    }
    let mut machine = Machine::new(&view.program);
    let mut state = view.initial.clone();
    for conjunct in asked {
        if !view.only(&conjunct.reads, slot) {
            return None;
        }
        for value in graph.values() {
            state[slot] = value;
            if !conjunct.holds(&view.program, &mut machine, &state)? {
                goal.remove(&value);
            }
        }
    }
    let all = goal.len() == graph.values().len();
    let reachable = !goal.is_empty() && (all || ends_calmly(view) || active(Fault::SafeUnderCommitted));
    reachable.then_some(goal)
}

/// Whether nobody is at a committed location where the target is met.
fn ends_calmly(view: &View<'_>) -> bool {
    let committed = |process: ProcessId, location: LocationId| {
        view.network.processes[process].locations[location].committed
    };
    view.locations.enumerate().all(|(process, locations)| {
        let elsewhere =
            |c: &Conjunct| matches!(&c.expr, Expr::At(p, l) if *p == process && !committed(*p, *l));
        view.network.processes[process].role == Role::Observer
            || !locations.iter().any(|l| committed(process, *l))
            || view.target.conjuncts.iter().any(elsewhere)
    })
}

/// Whether the evaluation of an edge or its update counts work: whether something in it may be repeated.
fn repeats(edge: &Edge) -> bool {
    let mut found = repeats_in_block(&edge.update);
    edge_parts(edge, &mut |e| found |= repeats_in(e));
    found
}

fn repeats_in_block(block: &Block) -> bool {
    let mut found = false;
    walk_block(block, &mut |s, _| found |= matches!(s, Stmt::While(..) | Stmt::Call(..)));
    found
}

fn repeats_in(e: &Expr) -> bool {
    let mut found = false;
    walk(e, &mut |e| found |= matches!(e, Expr::Quantified(..) | Expr::Call(..)));
    found
}
