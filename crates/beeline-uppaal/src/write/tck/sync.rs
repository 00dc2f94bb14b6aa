//! Who moves together. TChecker synchronises events of processes by vectors; a channel element has an event for
//! sending and one for receiving.
//!
//! A broadcast is a vector with the sender and every process that may receive. A process whose receiving edges
//! have no guards takes part *weakly*: it joins where it has an edge. With guards it must take part, and stays
//! where it is by a loop where no guard holds. But a loop in a committed location would pretend that a committed
//! process moves. So senders that leave a committed location have events of their own; with any other sender,
//! the loop is only for when another receiver leaves a committed location.

use std::collections::{BTreeMap, BTreeSet};

use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::network::{ChannelKind, Network};
use beeline_ir::{LocationId, ProcessId};

use super::fold::or;
use super::inline::Update;
use super::instance::{Action, Element, Instance, combine, opposite, split};
use super::simplify::Simplifier;
use super::watch::ready;
use crate::write::{Unwritable, edge_place};

/// Events of the network's processes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    Internal,
    /// Sends; `committed` if by a broadcast that leaves a committed location and needs to be told apart.
    Send {
        element: Element,
        committed: bool,
    },
    /// Receives; `committed` if from such a sender.
    Receive {
        element: Element,
        committed: bool,
    },
}

/// A process that takes part in a vector.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub process: ProcessId,
    pub event: Event,
    /// Takes part only where it has an edge.
    pub weak: bool,
}

/// An edge of the text.
pub(super) struct TckEdge<'i> {
    pub process: ProcessId,
    pub source: LocationId,
    pub target: LocationId,
    pub event: Event,
    pub condition: Expr,
    pub atoms: Vec<ClockAtom>,
    /// Nothing for a loop that stays.
    pub update: Option<&'i Update>,
    /// What messages call it.
    pub place: String,
}

impl TckEdge<'_> {
    /// Whether its update may fail.
    pub fn may_fail(&self) -> bool {
        self.update.is_some_and(|update| update.fault.is_some())
    }
}

/// The edges of the text, and who moves together; a process alone is a vector of one.
pub(super) struct Plan<'i> {
    pub edges: Vec<TckEdge<'i>>,
    pub vectors: Vec<Vec<Member>>,
}

pub(super) fn plan<'i>(
    simplifier: &mut Simplifier<'_>,
    instances: &'i [Instance],
) -> Result<Plan<'i>, Unwritable> {
    let network = simplifier.network;
    let mut traffic: BTreeMap<Element, Traffic<'i>> = BTreeMap::new();
    let mut alone: BTreeSet<ProcessId> = BTreeSet::new();
    for instance in instances {
        match instance.action {
            Action::Internal => {
                alone.insert(instance.process);
            }
            Action::Send(element) => traffic.entry(element).or_default().add_sender(instance),
            Action::Receive(element) => traffic.entry(element).or_default().add_receiver(instance),
        }
    }
    let single = |process| vec![Member { process, event: Event::Internal, weak: false }];
    let mut plan = Plan { edges: Vec::new(), vectors: alone.into_iter().map(single).collect() };
    for (element, traffic) in &traffic {
        if network.channels[element.channel].kind == ChannelKind::Broadcast {
            traffic.broadcasts(simplifier, *element, &mut plan)?;
        } else {
            traffic.pairs(simplifier, *element, &mut plan)?;
        }
    }
    let used: BTreeSet<(ProcessId, Event)> =
        plan.vectors.iter().flatten().map(|m| (m.process, m.event)).collect();
    for instance in instances {
        for event in events(instance) {
            if used.contains(&(instance.process, event)) {
                push_cases(simplifier, instance, event, &mut plan.edges)?;
            }
        }
    }
    // Senders that are told apart leave from one kind of location each; an event in no vector would be free.
    let committed = |edge: &TckEdge<'_>| network.processes[edge.process].locations[edge.source].committed;
    let told_apart: BTreeSet<Element> = used.iter().filter_map(|(_, event)| told_apart(*event)).collect();
    plan.edges.retain(|edge| match edge.event {
        Event::Send { element, committed: c } => !told_apart.contains(&element) || c == committed(edge),
        event => used.contains(&(edge.process, event)),
    });
    Ok(plan)
}

fn told_apart(event: Event) -> Option<Element> {
    match event {
        Event::Send { element, committed: true } => Some(element),
        _ => None,
    }
}

/// The events an instance may have.
fn events(instance: &Instance) -> Vec<Event> {
    match instance.action {
        Action::Internal => vec![Event::Internal],
        Action::Send(element) => [false, true].map(|committed| Event::Send { element, committed }).into(),
        Action::Receive(element) => {
            [false, true].map(|committed| Event::Receive { element, committed }).into()
        }
    }
}

/// Writes an instance as edges, one for each case of its conditions.
fn push_cases<'i>(
    simplifier: &mut Simplifier<'_>,
    instance: &'i Instance,
    event: Event,
    edges: &mut Vec<TckEdge<'i>>,
) -> Result<(), Unwritable> {
    let place = edge_place(simplifier.network, instance.process, instance.edge);
    for (condition, atoms) in split(simplifier, &instance.guard, &instance.atoms)? {
        if condition != Expr::FALSE {
            edges.push(TckEdge {
                process: instance.process,
                source: instance.source,
                target: instance.target,
                event,
                condition,
                atoms,
                update: Some(&instance.update),
                place: place.clone(),
            });
        }
    }
    Ok(())
}

/// Who sends and who receives over a channel element.
#[derive(Default)]
struct Traffic<'i> {
    senders: BTreeMap<ProcessId, Vec<&'i Instance>>,
    receivers: BTreeMap<ProcessId, Vec<&'i Instance>>,
}

fn has_committed(network: &Network, process: ProcessId) -> bool {
    network.processes[process].locations.iter().any(|l| l.committed)
}

impl<'i> Traffic<'i> {
    fn add_sender(&mut self, instance: &'i Instance) {
        self.senders.entry(instance.process).or_default().push(instance);
    }
    fn add_receiver(&mut self, instance: &'i Instance) {
        self.receivers.entry(instance.process).or_default().push(instance);
    }

    fn pairs(
        &self,
        simplifier: &mut Simplifier<'_>,
        element: Element,
        plan: &mut Plan<'i>,
    ) -> Result<(), Unwritable> {
        for sender in self.senders.keys() {
            for receiver in self.receivers.keys().filter(|r| *r != sender) {
                simplifier.charge(8)?;
                let member = |process, event| Member { process, event, weak: false };
                plan.vectors.push(vec![
                    member(*sender, Event::Send { element, committed: false }),
                    member(*receiver, Event::Receive { element, committed: false }),
                ]);
            }
        }
        Ok(())
    }

    fn guarded(&self, process: ProcessId) -> bool {
        self.receivers.get(&process).is_some_and(|all| all.iter().any(|r| !r.always()))
    }

    fn broadcasts(
        &self,
        simplifier: &mut Simplifier<'_>,
        element: Element,
        plan: &mut Plan<'i>,
    ) -> Result<(), Unwritable> {
        let network = simplifier.network;
        let delicate = |q: &ProcessId| self.guarded(*q) && has_committed(network, *q);
        let apart = self.receivers.keys().any(&delicate);
        for (sender, sending) in &self.senders {
            let from_committed =
                |i: &&Instance| network.processes[i.process].locations[i.source].committed && apart;
            for committed in [false, true] {
                if !sending.iter().any(|i| from_committed(i) == committed) {
                    continue;
                }
                let event = Event::Send { element, committed };
                let mut vector = vec![Member { process: *sender, event, weak: false }];
                for receiver in self.receivers.keys().filter(|r| *r != sender) {
                    simplifier.charge(4)?;
                    let event = Event::Receive { element, committed: committed && delicate(receiver) };
                    vector.push(Member { process: *receiver, event, weak: !self.guarded(*receiver) });
                }
                plan.vectors.push(vector);
            }
        }
        for (receiver, receiving) in self.receivers.iter().filter(|(q, _)| self.guarded(**q)) {
            for committed in [false, true] {
                let event = Event::Receive { element, committed };
                if committed && delicate(receiver) {
                    push_stays(simplifier, *receiver, receiving, event, &Expr::TRUE, &mut plan.edges)?;
                } else if !committed {
                    let leaves = self.leaves_committed(simplifier, *receiver)?;
                    push_stays(simplifier, *receiver, receiving, event, &leaves, &mut plan.edges)?;
                }
            }
        }
        Ok(())
    }

    /// Whether some other receiver leaves a committed location.
    fn leaves_committed(
        &self,
        simplifier: &mut Simplifier<'_>,
        process: ProcessId,
    ) -> Result<Expr, Unwritable> {
        let network = simplifier.network;
        let mut ways = Vec::new();
        if has_committed(network, process) {
            for instance in self.receivers.iter().filter(|(q, _)| **q != process).flat_map(|(_, all)| all) {
                if network.processes[instance.process].locations[instance.source].committed {
                    let purpose =
                        "that receives a broadcast in a committed location, next to guarded receivers";
                    ways.push(ready(simplifier, instance, purpose)?);
                }
            }
        }
        simplifier.checked(or(ways))
    }
}

/// Loops by which a process stays where none of its receiving edges is enabled; in committed locations only under
/// a condition.
fn push_stays(
    simplifier: &mut Simplifier<'_>,
    process: ProcessId,
    receiving: &[&Instance],
    event: Event,
    in_committed: &Expr,
    edges: &mut Vec<TckEdge<'_>>,
) -> Result<(), Unwritable> {
    let network = simplifier.network;
    for (l, location) in network.processes[process].locations.enumerate() {
        let place = format!("process {}, location {}", network.processes[process].name, location.name);
        simplifier.place = place.clone();
        let mut lists = Vec::new();
        if location.committed {
            lists.push(vec![(simplifier.copy(in_committed)?, Vec::new())]);
        }
        for instance in receiving.iter().filter(|i| i.source == l) {
            lists.push(opposite(simplifier, &instance.guard, &instance.atoms)?);
        }
        for (condition, atoms) in combine(simplifier, lists)? {
            let place = place.clone();
            edges.push(TckEdge {
                process,
                source: l,
                target: l,
                event,
                condition,
                atoms,
                update: None,
                place,
            });
        }
    }
    Ok(())
}
