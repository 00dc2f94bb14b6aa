//! Which labels the discrete part of a state enables: every edge is evaluated once, then edges are matched into
//! internal steps, pairs and broadcasts. The rules are those of `beeline_ir::network`.

use super::candidate::{Candidate, EdgeInstance, Priority};
use super::differences::Differences;
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::{Label, Part};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::{CompiledEdge, CompiledSync, Evaluated, Machine, Program};
use beeline_zones::fault::{self, Fault};

/// A label that fails by its evaluation alone, whatever the clocks.
#[derive(Clone, Debug)]
pub struct FailingLabel {
    /// The label.
    pub label: Label,
    /// Why.
    pub error: RuntimeError,
    /// Whether it counts as a step.
    pub costs: bool,
}

/// What the discrete part of a state enables.
#[derive(Clone, Debug, Default)]
pub struct Enabled {
    /// All enabled edges.
    pub instances: Vec<EdgeInstance>,
    /// The labels that committed locations allow.
    pub allowed: Vec<Candidate>,
    /// Edges and broadcasts whose evaluation fails.
    pub failing: Vec<FailingLabel>,
    /// A label over an urgent channel is enabled, so time stands still.
    pub urgent: bool,
    /// Some of the allowed labels have different priorities.
    pub prioritised: bool,
    /// Why the enumeration was given up.
    pub stopped: Option<StopReason>,
}

/// Enumerates the labels of a state. `slots` are the layout's slots followed by the cells of the tracked differences.
pub fn enabled(
    program: &Program,
    machine: &mut Machine,
    differences: &Differences,
    slots: &[i64],
    limits: &Limits,
) -> Enabled {
    let (broken, out) = (Vec::new(), Enabled::default());
    let mut result = Enumerator { program, slots, committed: false, broken, out, limits, work: 0 };
    result.committed = result.someone_committed();
    result.evaluate_edges(machine, differences);
    result.match_edges();
    result.out
}

/// Labels of one state beyond which it is not worth going on: every one of them has to be kept in memory.
const MAX_LABELS: usize = 1 << 20;

/// Edges evaluated or labels made between two looks at the limits.
const POLL_INTERVAL: u64 = 4096;

/// A receiving edge that failed: the broadcast channel it names, if it is known by name.
struct BrokenReceiver {
    process: ProcessId,
    edge: EdgeId,
}

struct Enumerator<'a> {
    program: &'a Program,
    slots: &'a [i64],
    committed: bool,
    broken: Vec<BrokenReceiver>,
    out: Enabled,
    limits: &'a Limits,
    work: u64,
}

impl Enumerator<'_> {
    /// Counts work; false if it is time to stop.
    fn go_on(&mut self) -> bool {
        self.work += 1;
        if self.out.stopped.is_none() && self.work.is_multiple_of(POLL_INTERVAL) {
            let instances = self.out.instances.len() * size_of::<EdgeInstance>();
            let labels = self.out.allowed.len() * size_of::<Candidate>();
            self.out.stopped = self.limits.check(0, (instances + labels) as u64).err();
            if self.out.allowed.len().max(self.out.instances.len()) > MAX_LABELS {
                self.out.stopped.get_or_insert(StopReason::Labels);
            }
        }
        self.out.stopped.is_none()
    }

    fn someone_committed(&self) -> bool {
        !fault::active(Fault::CommittedIgnored)
            && self.program.processes.ids().any(|p| self.at_committed(p) && self.is_system(p))
    }

    fn is_system(&self, process: ProcessId) -> bool {
        self.program.processes[process].role == Role::System
    }

    fn at_committed(&self, process: ProcessId) -> bool {
        let layout = &self.program.layout;
        let location = layout.location(process, self.slots[layout.location[process]]);
        location.is_some_and(|l| self.program.processes[process].locations[l].committed)
    }

    fn edge(&self, process: ProcessId, edge: EdgeId) -> &CompiledEdge {
        &self.program.processes[process].edges[edge]
    }

    fn evaluate_edges(&mut self, machine: &mut Machine, differences: &Differences) {
        let program = self.program;
        let layout = &program.layout;
        for (process, compiled) in program.processes.enumerate() {
            if compiled.role != Role::System {
                continue;
            }
            let Some(location) = layout.location(process, self.slots[layout.location[process]]) else {
                continue;
            };
            for &edge in &compiled.outgoing[location] {
                let ranges = &compiled.edges[edge].selects;
                let mut selects = Vec::new();
                let mut more = first_selects(ranges, &mut selects);
                while more && self.go_on() {
                    self.evaluate(machine, differences, process, edge, &selects);
                    more = next_selects(ranges, &mut selects);
                }
            }
        }
    }

    fn evaluate(
        &mut self,
        machine: &mut Machine,
        differences: &Differences,
        process: ProcessId,
        edge: EdgeId,
        selects: &[i64],
    ) {
        let mut evaluated = Evaluated::default();
        let state = &self.slots[..self.program.layout.slots.len()];
        match machine.evaluate_edge(self.program, process, edge, selects, state, &mut evaluated) {
            Ok(false) => {}
            Ok(true) => {
                if differences.decide(self.slots, &mut evaluated.atoms) {
                    let selects = selects.to_vec();
                    self.out.instances.push(EdgeInstance { process, edge, selects, evaluated });
                }
            }
            Err(error) => {
                let compiled = self.edge(process, edge);
                let costs = compiled.costs;
                if compiled.sync.receives() {
                    self.broken.push(BrokenReceiver { process, edge });
                }
                if !self.committed || self.at_committed(process) {
                    let part = Part { process, edge, selects: selects.to_vec() };
                    let label = Label { parts: vec![part], observer: None };
                    self.out.failing.push(FailingLabel { label, error, costs });
                }
            }
        }
    }

    fn match_edges(&mut self) {
        for initiator in 0..self.out.instances.len() {
            if !self.go_on() {
                return;
            }
            let instance = &self.out.instances[initiator];
            let element = instance.evaluated.element;
            let sync = &self.edge(instance.process, instance.edge).sync;
            let kind = element.map(|e| self.program.elements[e].kind);
            let ready = |e: usize| match sync {
                CompiledSync::Receive { any, .. } => {
                    self.program.queue_matches(self.slots, e, *any, &instance.evaluated.patterns).is_some()
                }
                _ => self.program.queue_accepts(self.slots, e),
            };
            match (sync, element, kind) {
                (CompiledSync::Internal, _, _) => self.push(vec![initiator], Vec::new(), None),
                (_, Some(e), Some(ChannelKind::Buffered { .. })) if ready(e) => {
                    self.push(vec![initiator], Vec::new(), element);
                }
                (CompiledSync::Send { .. }, Some(e), Some(ChannelKind::Rendezvous)) => {
                    for receiver in self.receivers(initiator, e) {
                        if !self.go_on() {
                            return;
                        }
                        self.push(vec![initiator, receiver], Vec::new(), element);
                    }
                }
                (CompiledSync::Send { .. }, Some(e), Some(ChannelKind::Broadcast)) => {
                    self.broadcast(initiator, e)
                }
                // A receiver without buffer waits for its sender.
                _ => {}
            }
        }
    }

    /// Instances of other processes that can receive what the sender sends, in order of processes.
    fn receivers(&self, sender: usize, element: usize) -> Vec<usize> {
        let from = &self.out.instances[sender];
        let takes = |instance: &EdgeInstance| {
            instance.process != from.process
                && instance.evaluated.element == Some(element)
                && self.edge(instance.process, instance.edge).sync.receives()
                && instance.evaluated.accepts(&from.evaluated.message)
        };
        (0..self.out.instances.len()).filter(|i| takes(&self.out.instances[*i])).collect()
    }

    fn broadcast(&mut self, sender: usize, element: usize) {
        let process = self.out.instances[sender].process;
        let channel = self.program.elements[element].channel;
        let breaks = |broken: &BrokenReceiver| {
            let named = self.edge(broken.process, broken.edge).sync.channel();
            broken.process != process
                && named.and_then(|named| named.declaration(self.program)).is_none_or(|c| c == channel)
        };
        if self.broken.iter().any(breaks) {
            // The receiver's own failing label reports the error.
            return;
        }
        // One choice per other process: one of its receiving edges, or nothing where none of them is enabled.
        let receivers = self.receivers(sender, element);
        let mut combinations = vec![(vec![sender], Vec::new())];
        let owner: Vec<ProcessId> = self.out.instances.iter().map(|instance| instance.process).collect();
        for group in receivers.chunk_by(|a, b| owner[*a] == owner[*b]) {
            let guards: Vec<_> =
                group.iter().map(|i| self.out.instances[*i].evaluated.atoms.clone()).collect();
            let may_stay =
                guards.iter().all(|g| !g.is_empty()) || fault::active(Fault::BroadcastReceiverOptional);
            let mut longer = Vec::new();
            for (parts, excluded) in combinations {
                if longer.len() > MAX_LABELS || !self.go_on() {
                    self.out.stopped.get_or_insert(StopReason::Labels);
                    return;
                }
                for receiver in group {
                    let mut parts: Vec<usize> = parts.clone();
                    parts.push(*receiver);
                    longer.push((parts, excluded.clone()));
                }
                if may_stay {
                    let mut excluded = excluded;
                    excluded.extend(guards.iter().filter(|g| !g.is_empty()).cloned());
                    longer.push((parts, excluded));
                }
            }
            combinations = longer;
        }
        for (parts, excluded) in combinations {
            self.push(parts, excluded, Some(element));
        }
    }

    fn push(
        &mut self,
        parts: Vec<usize>,
        excluded: Vec<Vec<beeline_program::ConcreteAtom>>,
        element: Option<usize>,
    ) {
        let instances = &self.out.instances;
        if element.is_some_and(|e| self.program.elements[e].urgent) {
            self.out.urgent = true;
        }
        if self.committed && !parts.iter().any(|i| self.at_committed(instances[*i].process)) {
            return;
        }
        let holder = self.program.layout.holder.map_or(0, |slot| self.slots[slot]);
        let priority = if fault::active(Fault::PriorityIgnored) {
            Priority { by_holder: false, channel: 0, process: 0 }
        } else {
            Priority {
                by_holder: holder == instances[parts[0]].process.index() as i64 + 1,
                channel: element.map_or(0, |e| self.program.elements[e].priority),
                process: parts
                    .iter()
                    .map(|i| self.program.processes[instances[*i].process].priority)
                    .max()
                    .unwrap_or(0),
            }
        };
        let required = parts.iter().flat_map(|i| instances[*i].evaluated.atoms.iter().copied()).collect();
        let costs = parts.iter().any(|i| self.edge(instances[*i].process, instances[*i].edge).costs);
        self.out.prioritised |= self.out.allowed.first().is_some_and(|first| first.priority != priority);
        self.out.allowed.push(Candidate { parts, required, excluded, priority, element, costs });
    }
}
