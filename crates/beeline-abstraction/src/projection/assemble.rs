//! The network put together from what is left of its parts.

use super::approximate::{Failing, Side};
use super::cut::{Cut, Scope};
use super::edge::{self, Projected};
use super::{Pattern, Projection};
use super::{classes, elements, update};
use beeline_ir::expr::{ChannelRef, Expr, Range};
use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::network::{ChannelKind, Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::Receive;
use beeline_ir::{ChannelId, EdgeId, IdVec, LocationId, ProcessId};
use std::collections::{BTreeSet, HashMap};

/// Projects a network to a pattern that is not all of it; or says what the pattern needs.
pub(super) fn assemble(
    network: &Network,
    property: &Property,
    kept: &Pattern,
) -> Result<Projection, Pattern> {
    let mut cut = Cut::new(network, property, kept);
    let mut left = network.clone();
    let mut needs = Pattern::default();
    for (id, function) in network.functions.enumerate() {
        let (function, summary, more) = update::function(&cut, function);
        left.functions[id] = function;
        cut.functions.push(summary);
        needs.add(&more);
    }
    let mut edges: IdVec<ProcessId, Vec<Projected>> = IdVec::new();
    for (id, process) in network.processes.enumerate() {
        let mut projected = project(&cut, property, id, process, &mut needs);
        let observes = process.role == Role::Observer;
        for edge in &mut projected {
            for map in &kept.maps {
                match network.vars[*map.0].len {
                    None => classes::edge(&cut, edge, map, observes, &mut needs),
                    Some(_) => elements::edge(&cut, edge, map, observes, &mut needs),
                }
            }
        }
        edges.push(projected);
    }
    let needs = needs.without(kept);
    if !needs.is_empty() {
        return Err(needs);
    }

    channels(&cut, &edges, &mut left);
    let mut processes = network.processes.enumerate();
    let kept_or_inert = processes.all(|(id, process)| !cut.removes(id) || process.role == Role::Observer);
    // Priorities come before the token, and are dropped: without them the token would keep too many back.
    let levels = network.processes.iter().any(|process| process.priority != 0)
        || network.channels.iter().any(|channel| channel.priority.iter().any(|priority| *priority != 0));
    let whole = kept_or_inert && !levels && edges.iter().flatten().all(|edge| !edge.lost);
    let tokens = network.processes.iter().any(|process| process.locations.iter().any(|l| l.atomic));
    // Where an observer steps or a token is passed, labels that change nothing else count.
    let idle = property.observer().is_some() || whole && tokens;
    thin_out(&cut, &left, idle, &mut edges);
    let (mut committed, mut origins) = (BTreeSet::new(), IdVec::new());
    for (id, edges) in network.processes.ids().zip(edges.into_vec()) {
        let flagged = edges.iter().enumerate().filter(|(_, edge)| edge.committed);
        committed.extend(flagged.map(|(at, _)| (id, EdgeId::new(at))));
        origins.push(edges.iter().map(|edge| edge.from.clone()).collect());
        left.processes[id].edges = edges.into_iter().map(|edge| edge.edge).collect();
        locations(&cut, whole, id, &mut left.processes[id]);
        for location in left.processes[id].locations.iter_mut() {
            for map in &kept.maps {
                match network.vars[*map.0].len {
                    None => classes::location(&cut, location, map),
                    Some(_) => elements::location(location, map),
                }
            }
        }
    }
    for id in network.vars.ids().filter(|id| !kept.integers.contains(id)) {
        let var = &network.vars[id];
        let (range, len, init) = match kept.maps.get(&id) {
            Some(classes) => {
                let init = var.init.iter().map(|value| classes.class(*value)).collect();
                (classes.numbers(), var.len, init)
            }
            None => (Range::new(0, 0), None, vec![0]),
        };
        left.vars[id] = Var { range, len, init, symbols: None, ..var.clone() };
    }
    let mut property = weaken(&cut, property);
    for map in &kept.maps {
        match network.vars[*map.0].len {
            None => classes::property(&cut, &mut property, map),
            Some(_) => elements::property(&cut, &mut property, map),
        }
    }
    left.properties = vec![property.clone()];
    let slots = slots(network, &left, &cut.kept);
    Ok(Projection { network: left, property, pattern: kept.clone(), slots, committed, origins })
}

/// Projects the edges of a process.
fn project(
    cut: &Cut<'_>,
    property: &Property,
    id: ProcessId,
    process: &Process,
    needs: &mut Pattern,
) -> Vec<Projected> {
    let removed = cut.removes(id);
    if process.role == Role::Observer && property.observer() != Some(id) && removed {
        return Vec::new();
    }
    let project = |(from, original): (EdgeId, &Edge)| {
        // Where the observer fails, nobody can say that the property holds: that must not be lost.
        let scope = Scope::new(cut, &original.frame);
        if property.observer() == Some(id) && scope.may_fail(&original.guard) {
            needs.add(&scope.missing(&original.guard));
        }
        let mut projected = edge::edge(cut, id, original, needs);
        projected.from.push(from);
        if removed {
            projected.committed = process.locations[original.source].committed;
            (projected.edge.source, projected.edge.target) = (LocationId::new(0), LocationId::new(0));
        }
        projected
    };
    process.edges.enumerate().map(project).collect()
}

/// A channel is urgent only if all labels over it are as certain as they were; priorities are never certain.
fn channels(cut: &Cut<'_>, edges: &IdVec<ProcessId, Vec<Projected>>, left: &mut Network) {
    let mut uncertain = vec![false; left.channels.len()];
    for (id, edges) in edges.enumerate() {
        edges.iter().filter(|edge| edge.lost || cut.removes(id)).for_each(|e| mark(&e.edge, &mut uncertain));
    }
    for (channel, uncertain) in left.channels.iter_mut().zip(uncertain) {
        channel.urgent &= !uncertain;
        channel.priority.fill(0);
    }
}

/// Leaves out edges without which the others do the same, unless labels count that change nothing (`idle`), and all but
/// one of those that are alike.
fn thin_out(cut: &Cut<'_>, left: &Network, idle: bool, edges: &mut IdVec<ProcessId, Vec<Projected>>) {
    let network = cut.network;
    let may_be_committed = |(id, process): (ProcessId, &Process)| {
        !cut.removes(id) && process.locations.iter().any(|location| location.committed)
    };
    let committed_matters = network.processes.enumerate().any(may_be_committed);
    for id in network.processes.ids().filter(|id| network.processes[*id].role == Role::System) {
        let edges = &mut edges[id];
        edges.iter_mut().for_each(|edge| edge.committed &= committed_matters);
        edges.retain(|edge| idle || edge.effect || edge.edge.sync != Sync::Internal);
        listen(network, cut.removes(id), edges);
    }
    if !idle {
        silence(left, edges);
    }
    for edges in edges.iter_mut() {
        let mut seen: HashMap<(Edge, bool), usize> = HashMap::new();
        let mut apart: Vec<Projected> = Vec::new();
        for edge in edges.drain(..) {
            let alike = (Edge { origin: None, ..edge.edge.clone() }, edge.committed);
            let at = *seen.entry(alike).or_insert(apart.len());
            match apart.get_mut(at) {
                Some(first) => first.from.extend(edge.from),
                None => apart.push(edge),
            }
        }
        *edges = apart;
    }
}

/// The channel of an edge.
fn channel(edge: &Edge) -> Option<&ChannelRef> {
    match &edge.sync {
        Sync::Internal => None,
        Sync::Send(send) => Some(&send.channel),
        Sync::Receive(receive) => Some(&receive.channel),
    }
}

/// Marks the channel of an edge, or all if it may be any.
fn mark(edge: &Edge, channels: &mut [bool]) {
    match channel(edge) {
        None => {}
        Some(ChannelRef::Element(id, _)) => channels[id.index()] = true,
        Some(ChannelRef::Value(_)) => channels.fill(true),
    }
}

/// The broadcast channel that an edge receives from.
fn heard(network: &Network, edge: &Edge) -> Option<ChannelId> {
    match &edge.sync {
        Sync::Receive(Receive { channel: ChannelRef::Element(id, _), .. }) => {
            (network.channels[*id].kind == ChannelKind::Broadcast).then_some(*id)
        }
        _ => None,
    }
}

/// Receivers of broadcasts that may not have been enabled need not join; those that do nothing need not be there.
fn listen(network: &Network, removed: bool, edges: &mut Vec<Projected>) {
    let matters = |edge: &Projected| edge.effect || edge.committed;
    let channels: BTreeSet<ChannelId> =
        edges.iter().filter(|e| matters(e)).filter_map(|e| heard(network, &e.edge)).collect();
    let mut stays = Vec::new();
    for edge in edges.iter() {
        let Some(channel) = heard(network, &edge.edge) else { continue };
        if (removed && channels.contains(&channel)) || (!removed && edge.lost) {
            let stay = edge::stays(network, &edge.edge);
            stays.extend(stay.map(|edge| Projected {
                edge,
                lost: true,
                effect: false,
                committed: false,
                from: Vec::new(),
            }));
        }
    }
    edges.retain(|edge| !removed || heard(network, &edge.edge).is_none() || matters(edge));
    edges.extend(stays);
}

/// Leaves out the edges over channels on which nothing changes anything any more: all of them, or those that
/// broadcast to nobody.
fn silence(network: &Network, edges: &mut IdVec<ProcessId, Vec<Projected>>) {
    let mut loud: Vec<bool> = network.channels.iter().map(|channel| channel.urgent).collect();
    let mut heard = loud.clone();
    for edge in edges.iter().flatten() {
        if edge.effect {
            mark(&edge.edge, &mut loud);
        }
        if matches!(edge.edge.sync, Sync::Receive(_)) {
            mark(&edge.edge, &mut heard);
        }
    }
    let matters = |edge: &Projected| match channel(&edge.edge) {
        Some(ChannelRef::Element(id, _)) => {
            let broadcast = network.channels[*id].kind == ChannelKind::Broadcast;
            edge.effect || loud[id.index()] && (heard[id.index()] || !broadcast)
        }
        Some(ChannelRef::Value(_)) | None => true,
    };
    edges.iter_mut().for_each(|edges| edges.retain(matters));
}

/// What is left of the locations of a process.
fn locations(cut: &Cut<'_>, whole: bool, id: ProcessId, process: &mut Process) {
    process.priority = 0;
    if cut.removes(id) {
        let initial = &process.locations[process.initial];
        let location = Location {
            frame: Vec::new(),
            condition: Expr::TRUE,
            invariant: Vec::new(),
            urgent: false,
            committed: false,
            atomic: false,
            ..initial.clone()
        };
        process.locations = IdVec::from(vec![location]);
        process.initial = LocationId::new(0);
    }
    for location in process.locations.iter_mut() {
        *location = edge::location(cut, location);
        location.atomic &= whole;
    }
}

fn weaken(cut: &Cut<'_>, property: &Property) -> Property {
    let scope = Scope::new(cut, &property.frame);
    let kind = match &property.kind {
        PropertyKind::Always(p) => {
            PropertyKind::Always(scope.approximate(p, Side::Lower, Failing::Goal).expr)
        }
        PropertyKind::Exists(p) => {
            PropertyKind::Exists(scope.approximate(p, Side::Upper, Failing::Goal).expr)
        }
        kind => kind.clone(),
    };
    let text = if kind == property.kind { property.text.clone() } else { None };
    Property { kind, text, ..property.clone() }
}

/// Where the values of the projection are from.
fn slots(network: &Network, left: &Network, kept: &Pattern) -> Vec<Option<usize>> {
    let (from, to) = (Layout::of_network(network), Layout::of_network(left));
    let origin = |kind: SlotKind| match kind {
        SlotKind::Location(process) => kept.automata.contains(&process).then(|| from.location[process]),
        SlotKind::Pid(process) => from.pid[process],
        SlotKind::Cell(var, cell) => {
            from.var[var].filter(|_| kept.integers.contains(&var)).map(|first| first + cell)
        }
        SlotKind::QueueLength(element) => from.queues[element].map(|queue| queue.length),
        SlotKind::QueueCell(element, message, field) => {
            from.queues[element].map(|queue| queue.cell(message, field))
        }
        SlotKind::Holder => from.holder,
    };
    to.slots.iter().map(|slot| origin(slot.kind)).collect()
}
