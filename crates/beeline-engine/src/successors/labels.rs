//! Which labels the discrete part of a state enables: every edge is evaluated once, then edges are matched into
//! internal steps, pairs and broadcasts. The rules are those of `beeline_ir::network`.

use super::candidate::{Candidate, Conjunction, EdgeInstance, Priority};
use super::differences::Differences;
use super::pace::Pace;
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::{Label, Part};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::{CompiledEdge, CompiledSync, Evaluated, Machine, Program};
use beeline_zones::fault::{self, Fault};
use smallvec::{SmallVec, smallvec};

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
}

/// Whether clock constraints hold, all of them, wherever one looks: always, never, or that depends.
pub type Decide<'a> = dyn Fn(&Conjunction) -> Option<bool> + 'a;

/// Enumerates the labels of a state; an error if that is given up. `slots` are the layout's slots followed by the cells
/// of the tracked differences. `decide` rules out broadcasts without trying all combinations of receivers. With
/// `urgent_only`, which says of each channel whether it is urgent, labels over other channels are left out.
pub fn enabled(
    program: &Program,
    machine: &mut Machine,
    differences: &Differences,
    slots: &[i64],
    limits: &Limits,
    decide: &Decide<'_>,
    urgent_only: Option<&[bool]>,
) -> Result<Enabled, StopReason> {
    let pace = Pace::new(machine, limits);
    let (broken, out, committed) = (Vec::new(), Enabled::default(), false);
    let mut result =
        Enumerator { program, machine, slots, committed, broken, out, pace, decide, urgent_only };
    result.committed = result.someone_committed();
    result.evaluate_edges(differences)?;
    result.match_edges()?;
    Ok(result.out)
}

/// The edges of a label, as positions in the list of instances.
type Parts = SmallVec<[usize; 4]>;

/// Labels of one state beyond which it is not worth going on: every one of them has to be kept in memory.
const MAX_LABELS: usize = 1 << 20;

/// A receiving edge that failed: the broadcast channel it names, if it is known by name.
struct BrokenReceiver {
    process: ProcessId,
    edge: EdgeId,
}

struct Enumerator<'a> {
    program: &'a Program,
    machine: &'a mut Machine,
    slots: &'a [i64],
    committed: bool,
    broken: Vec<BrokenReceiver>,
    out: Enabled,
    pace: Pace<'a>,
    decide: &'a Decide<'a>,
    urgent_only: Option<&'a [bool]>,
}

impl Enumerator<'_> {
    /// Counts an edge evaluated or a label made; an error if it is time to stop.
    fn go_on(&mut self) -> Result<(), StopReason> {
        let (instances, labels) = (self.out.instances.len(), self.out.allowed.len());
        let bytes = || instances * size_of::<EdgeInstance>() + labels * size_of::<Candidate>();
        self.pace.check_with(self.machine, 1, bytes)?;
        if labels.max(instances) > MAX_LABELS { Err(StopReason::Labels) } else { Ok(()) }
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

    fn evaluate_edges(&mut self, differences: &Differences) -> Result<(), StopReason> {
        let program = self.program;
        let layout = &program.layout;
        for (process, compiled) in program.processes.enumerate() {
            if compiled.role != Role::System {
                continue;
            }
            let Some(location) = layout.location(process, self.slots[layout.location[process]]) else {
                continue;
            };
            // Where somebody is committed, the others can only join.
            let waits = self.committed && !compiled.locations[location].committed;
            for &edge in &compiled.outgoing[location] {
                let sync = &compiled.edges[edge].sync;
                if (waits && *sync == CompiledSync::Internal) || !self.asked_for(sync) {
                    continue;
                }
                let ranges = &compiled.edges[edge].selects;
                let mut selects = Vec::new();
                let mut more = first_selects(ranges, &mut selects);
                while more {
                    self.go_on()?;
                    self.evaluate(differences, process, edge, &selects);
                    more = next_selects(ranges, &mut selects);
                }
            }
        }
        Ok(())
    }

    /// Whether an edge with that synchronisation can take part in the labels that are asked for.
    fn asked_for(&self, sync: &CompiledSync) -> bool {
        let Some(urgent) = self.urgent_only else { return true };
        let Some(channel) = sync.channel() else { return false };
        channel.declaration(self.program).is_none_or(|declared| urgent[declared.index()])
    }

    fn evaluate(&mut self, differences: &Differences, process: ProcessId, edge: EdgeId, selects: &[i64]) {
        let mut evaluated = Evaluated::default();
        let state = &self.slots[..self.program.layout.slots.len()];
        match self.machine.evaluate_edge(self.program, process, edge, selects, state, &mut evaluated) {
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

    fn match_edges(&mut self) -> Result<(), StopReason> {
        for initiator in 0..self.out.instances.len() {
            self.go_on()?;
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
                (CompiledSync::Internal, _, _) => self.push(smallvec![initiator], Vec::new(), None),
                (_, Some(e), Some(ChannelKind::Buffered { .. })) if ready(e) => {
                    self.push(smallvec![initiator], Vec::new(), element);
                }
                (CompiledSync::Send { .. }, Some(e), Some(ChannelKind::Rendezvous)) => {
                    for receiver in self.receivers(initiator, e) {
                        self.go_on()?;
                        self.push(smallvec![initiator, receiver], Vec::new(), element);
                    }
                }
                (CompiledSync::Send { .. }, Some(e), Some(ChannelKind::Broadcast)) => {
                    self.broadcast(initiator, e)?;
                }
                // A receiver without buffer waits for its sender.
                _ => {}
            }
        }
        Ok(())
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

    fn broadcast(&mut self, sender: usize, element: usize) -> Result<(), StopReason> {
        let process = self.out.instances[sender].process;
        let channel = self.program.elements[element].channel;
        let breaks = |broken: &BrokenReceiver| {
            let named = self.edge(broken.process, broken.edge).sync.channel();
            broken.process != process
                && named.and_then(|named| named.declaration(self.program)).is_none_or(|c| c == channel)
        };
        if self.broken.iter().any(breaks) {
            // The receiver's own failing label reports the error.
            return Ok(());
        }
        // One choice per other process: one of its receiving edges, or nothing where none of them is enabled.
        let receivers = self.receivers(sender, element);
        let mut combinations: Vec<(Parts, Vec<_>)> = vec![(smallvec![sender], Vec::new())];
        let owner: Vec<ProcessId> = self.out.instances.iter().map(|instance| instance.process).collect();
        for group in receivers.chunk_by(|a, b| owner[*a] == owner[*b]) {
            // Those that may join here; whoever certainly can leaves the process no choice to stay.
            let guard = |i: &usize| &self.out.instances[*i].evaluated.atoms;
            let joining: Vec<(usize, Option<bool>)> = group
                .iter()
                .map(|i| (*i, (self.decide)(guard(i))))
                .filter(|(_, d)| *d != Some(false))
                .collect();
            let may_stay = joining.iter().all(|(_, decided)| decided.is_none())
                || fault::active(Fault::BroadcastReceiverOptional);
            let open = joining.iter().filter(|(_, decided)| decided.is_none());
            let guards: Vec<_> = open.map(|(i, _)| guard(i).clone()).collect();
            let mut longer = Vec::new();
            for (parts, excluded) in combinations {
                self.go_on()?;
                if longer.len() > MAX_LABELS {
                    return Err(StopReason::Labels);
                }
                for (receiver, _) in &joining {
                    let mut parts = parts.clone();
                    parts.push(*receiver);
                    longer.push((parts, excluded.clone()));
                }
                if may_stay {
                    let mut excluded = excluded;
                    excluded.extend(guards.iter().cloned());
                    longer.push((parts, excluded));
                }
            }
            combinations = longer;
        }
        for (parts, excluded) in combinations {
            self.push(parts, excluded, Some(element));
        }
        Ok(())
    }

    fn push(
        &mut self,
        parts: Parts,
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
