//! Which labels the discrete part of a state enables: every edge is evaluated once, then edges are matched into
//! internal steps, pairs and broadcasts. The rules are those of `beeline_ir::network`.

mod broadcast;

use super::candidate::{Candidate, Conjunction, EdgeInstance, Priority};
use super::differences::Differences;
use super::elements::Elements;
use super::offers::{Number, Offers};
use super::pace::Pace;
use super::pool::Pool;
use super::table::{Outgoing, Place, Table, Way};
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::{Label, Part};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::ChannelKind;
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::shortcut::Test;
use beeline_program::{CompiledEdge, CompiledSync, ConcreteAtom, Machine, Program};
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

/// What the discrete part of a state enables. Used again and again: what is in it is from the last enumeration.
#[derive(Clone, Debug, Default)]
pub struct Enabled {
    /// Enabled edges: all that may begin a label, and those that somebody calls.
    pub instances: Pool<EdgeInstance>,
    /// The labels that committed locations allow, without those that others outrank at all clock values.
    pub allowed: Pool<Candidate>,
    /// Edges and broadcasts whose evaluation fails.
    pub failing: Vec<FailingLabel>,
    /// A label over an urgent channel is enabled, so time stands still.
    pub urgent: bool,
    /// Some of the allowed labels have different priorities.
    pub prioritised: bool,
    /// Edges that have not been looked at yet wait on these.
    offered: Elements,
    /// For each channel element, whether somebody calls, and who receives, in order of processes.
    calls: Vec<Call>,
    /// The elements in use.
    called: Vec<usize>,
    /// Somebody calls.
    sending: bool,
    /// Parts of broadcasts.
    parts: usize,
    broken: Vec<BrokenReceiver>,
    /// The slots that were looked at, in this order, if that was asked for.
    seen: Vec<usize>,
    /// More was looked at than these slots.
    more_seen: bool,
    /// What processes can do by themselves, as far as it is remembered.
    offers: Offers,
}

#[derive(Clone, Debug, Default)]
struct Call {
    /// Somebody sends.
    sent: bool,
    /// Edges that receive.
    receivers: Vec<usize>,
}

impl Enabled {
    fn clear(&mut self, elements: usize) {
        self.instances.clear();
        self.allowed.clear();
        self.failing.clear();
        self.broken.clear();
        (self.urgent, self.prioritised, self.sending, self.parts) = (false, false, false, 0);
        self.seen.clear();
        self.more_seen = false;
        self.offered.clear();
        for element in self.called.drain(..) {
            let call = &mut self.calls[element];
            call.sent = false;
            call.receivers.clear();
        }
        if self.calls.len() < elements {
            self.calls.resize(elements, Call::default());
        }
    }
    /// Leaves out labels that never happen, for one of a higher priority is enabled at all clock values. What is left may
    /// be held back at some of them ([`Candidate::fires_in`]).
    fn leave_out_outranked(&mut self) {
        if !self.prioritised {
            return;
        }
        let always = |label: &&Candidate| label.required.is_empty() && label.excluded.is_empty();
        let Some(least) = self.allowed.iter().filter(always).map(|label| label.priority).max() else {
            return;
        };
        self.allowed.retain(|label| label.priority >= least);
        self.prioritised = self.allowed.iter().any(|label| label.priority != least);
    }
    /// The slots that decided about it, each of which one those before it have led to; `None` if there was more to it.
    pub fn decided_by(&self) -> Option<&[usize]> {
        (!self.more_seen && !self.seen.is_empty() && self.failing.is_empty()).then_some(&self.seen)
    }
    /// What is worth keeping of it.
    pub fn kept(&self) -> Self {
        let Self { instances, allowed, urgent, prioritised, .. } = self;
        let (instances, allowed) = (instances.trimmed(), allowed.trimmed());
        Self { instances, allowed, urgent: *urgent, prioritised: *prioritised, ..Self::default() }
    }
    /// An enumeration that has come to nothing after looking at these slots.
    #[cfg(test)]
    pub(super) fn noted(seen: &[usize]) -> Self {
        Self { seen: seen.to_vec(), ..Self::default() }
    }
    fn call(&mut self, element: usize) -> &mut Call {
        let call = &mut self.calls[element];
        if !call.sent && call.receivers.is_empty() {
            self.called.push(element);
        }
        call
    }
}

/// Whether clock constraints hold, all of them, wherever one looks: always, never, or that depends.
pub type Decide<'a> = dyn Fn(&Conjunction) -> Option<bool> + 'a;

/// What is asked for.
#[derive(Copy, Clone)]
pub struct Question<'a> {
    /// The compiled network.
    pub program: &'a Program,
    /// Its tables.
    pub table: &'a Table,
    /// The tracked differences, which decide diagonal atoms.
    pub differences: &'a Differences,
    /// The layout's slots followed by the cells of the tracked differences.
    pub slots: &'a [i64],
    /// Rules out broadcasts without trying all combinations of receivers.
    pub decide: &'a Decide<'a>,
    /// Which channels are urgent, if labels over others are to be left out.
    pub urgent_only: Option<&'a [bool]>,
    /// Whether to write down which slots are looked at.
    pub noting: bool,
}

/// Enumerates the labels of a state into `out`; an error if that is given up.
pub fn enabled(
    question: Question<'_>,
    machine: &mut Machine,
    limits: &Limits,
    out: &mut Enabled,
) -> Result<(), StopReason> {
    let pace = Pace::new(machine, limits);
    out.clear(question.program.elements.len());
    let mut enumerator = Enumerator { question, machine, committed: false, pace, out };
    enumerator.survey();
    enumerator.evaluate_active()?;
    enumerator.evaluate_called()?;
    enumerator.match_edges()?;
    out.leave_out_outranked();
    Ok(())
}

/// Labels of one state, and parts of its broadcasts, beyond which it is not worth going on: every one of them has to be
/// kept in memory.
const MAX_LABELS: usize = 1 << 20;

/// A receiving edge that failed: the broadcast channel it names, if it is known by name.
#[derive(Copy, Clone, Debug)]
struct BrokenReceiver {
    process: ProcessId,
    edge: EdgeId,
}

struct Enumerator<'a> {
    question: Question<'a>,
    machine: &'a mut Machine,
    committed: bool,
    pace: Pace<'a>,
    out: &'a mut Enabled,
}

impl<'a> Enumerator<'a> {
    /// Counts an edge evaluated or a label made; an error if it is time to stop.
    #[inline]
    fn go_on(&mut self) -> Result<(), StopReason> {
        let (instances, labels) = (self.out.instances.len(), self.out.allowed.len());
        let parts = self.out.parts;
        let bytes = || {
            instances * size_of::<EdgeInstance>()
                + labels * size_of::<Candidate>()
                + parts * size_of::<ConcreteAtom>()
        };
        self.pace.check_with(self.machine, 1, bytes)?;
        let most = labels.max(instances).max(parts);
        if most > MAX_LABELS { Err(StopReason::Labels) } else { Ok(()) }
    }

    /// Notes that a slot is looked at.
    #[inline]
    fn see(&mut self, slot: usize) {
        if self.question.noting {
            self.out.seen.push(slot);
        }
    }

    /// Notes what is looked at by tests, up to the first that does not hold.
    #[cold]
    fn see_tests(&mut self, tests: &[Test]) {
        let slots = self.question.slots;
        for test in tests {
            self.out.seen.extend(test.reads(slots));
            if !test.holds(slots) {
                return;
            }
        }
    }

    /// What leaves from where a process is.
    #[inline]
    fn leaving(&mut self, place: &'a Place) -> &'a Outgoing {
        self.see(place.slot);
        self.question.table.leaving(place, self.question.slots)
    }

    /// Whether somebody is committed, and who waits for whom.
    fn survey(&mut self) {
        let table = self.question.table;
        for process in &table.surveyed {
            let outgoing = self.leaving(&table.processes[*process]);
            self.committed |= outgoing.committed;
            self.out.offered.add(&outgoing.offered);
        }
        self.committed &= !fault::active(Fault::CommittedIgnored);
    }

    fn edge(&self, process: ProcessId, edge: EdgeId) -> &'a CompiledEdge {
        &self.question.program.processes[process].edges[edge]
    }

    /// The edges that may begin a label, or fail.
    fn evaluate_active(&mut self) -> Result<(), StopReason> {
        let table = self.question.table;
        for (process, place) in table.processes.enumerate() {
            if !place.matters(&self.out.offered, self.committed) {
                continue;
            }
            let outgoing = self.leaving(place);
            let number = self.number(outgoing);
            if let Some(number) = number
                && self.recalled(number)?
            {
                debug_assert!(self.as_recalled(process, outgoing));
                continue;
            }
            let before = (self.out.instances.len(), self.out.failing.len());
            if let Some(switch) = &outgoing.switch {
                self.see(switch.slot());
            }
            for way in outgoing.active(self.question.slots) {
                let in_vain = way.needs.is_some_and(|element| !self.out.offered.contains(element));
                // Where somebody is committed, the others can only join.
                let waits = self.committed && !way.committed && way.internal;
                if !(in_vain || waits) && self.asked_for(process, way) {
                    self.evaluate(process, way)?;
                }
            }
            if let Some(number) = number {
                self.remember(number, before);
            }
        }
        Ok(())
    }

    /// All that decides about what a process can do, if that is worth remembering.
    #[inline]
    fn number(&self, outgoing: &Outgoing) -> Option<Number> {
        let watch = outgoing.watch.as_ref().filter(|watch| self.out.offers.wants(watch))?;
        let plain = !self.committed && self.question.urgent_only.is_none();
        plain.then(|| watch.number(self.question.program, self.question.slots)).flatten()
    }

    /// Adds what is known to be enabled; whether it is known.
    #[inline]
    fn recalled(&mut self, number: Number) -> Result<bool, StopReason> {
        let Enabled { offers, instances, more_seen, .. } = &mut *self.out;
        let Some(known) = offers.find(number) else { return Ok(false) };
        *more_seen = true;
        known.iter().for_each(|edge| instances.add().copy_from(edge));
        self.go_on()?;
        Ok(true)
    }

    /// Remembers what has been found to be enabled, unless something has failed.
    fn remember(&mut self, number: Number, (instances, failing): (usize, usize)) {
        if self.out.failing.len() == failing {
            let mut offers = std::mem::take(&mut self.out.offers);
            let found = &self.out.instances[instances..];
            offers.keep(number, found.iter().filter(|instance| self.ready(instance)));
            self.out.offers = offers;
        }
    }

    /// Whether what was recalled last is what a process can do. For assertions.
    fn as_recalled(&mut self, process: ProcessId, outgoing: &'a Outgoing) -> bool {
        let mut out = Enabled::default();
        out.clear(self.question.program.elements.len());
        let Self { question, committed, .. } = *self;
        let pace = Pace::new(self.machine, self.pace.limits());
        let mut anew = Enumerator { question, machine: self.machine, committed, pace, out: &mut out };
        let done = outgoing.active.iter().all(|way| anew.evaluate(process, way).is_ok());
        let found: Vec<_> = anew
            .out
            .instances
            .iter()
            .filter(|one| anew.ready(one))
            .map(|one| (one.part(), one.evaluated.clone()))
            .collect();
        let known = self.out.instances.iter().filter(|one| one.process == process);
        !done
            || known.map(|one| (one.part(), one.evaluated.clone())).eq(found)
            || fault::active(Fault::FirstMessageForgotten)
    }

    /// The edges that wait for somebody who calls.
    fn evaluate_called(&mut self) -> Result<(), StopReason> {
        if !self.out.sending {
            return Ok(());
        }
        let table = self.question.table;
        for process in table.surveyed.iter().copied() {
            let outgoing = self.leaving(&table.processes[process]);
            for (element, way) in &outgoing.passive {
                if self.out.calls[*element].sent {
                    self.evaluate(process, way)?;
                }
            }
        }
        // Those that had to be looked at in any case came first.
        let Enabled { called, calls, instances, .. } = &mut *self.out;
        for element in called {
            let receivers = &mut calls[*element].receivers;
            if !receivers.is_sorted_by_key(|i| instances[*i].process) {
                receivers.sort_by_key(|i| instances[*i].process);
            }
        }
        Ok(())
    }

    /// Whether an edge can take part in the labels that are asked for.
    fn asked_for(&self, process: ProcessId, way: &Way) -> bool {
        let Some(urgent) = self.question.urgent_only else { return true };
        let Some(channel) = self.edge(process, way.edge).sync.channel() else { return false };
        channel.declaration(self.question.program).is_none_or(|declared| urgent[declared.index()])
    }

    /// Evaluates an edge for every choice of its select variables.
    fn evaluate(&mut self, process: ProcessId, way: &Way) -> Result<(), StopReason> {
        let Question { program, differences, slots, .. } = self.question;
        if let Some(choice) = &way.choice {
            if self.question.noting {
                self.see_tests(&choice.tests);
            }
            if !choice.tests.iter().all(|test| test.holds(slots)) {
                return Ok(());
            }
            self.go_on()?;
            let Some(yields) = &choice.yields else {
                self.evaluate_instance(process, way, &choice.selects);
                return Ok(());
            };
            let evaluated = &mut self.out.instances.add().evaluated;
            evaluated.clear();
            evaluated.element = yields.element;
            if !yields.atoms.is_empty() {
                evaluated.atoms.extend_from_slice(&yields.atoms);
            }
            if differences.decide(slots, &mut evaluated.atoms) {
                self.keep_instance(process, way, &choice.selects);
            } else {
                self.out.instances.give_back();
            }
            return Ok(());
        }
        let ranges = &program.processes[process].edges[way.edge].selects;
        let mut selects = Vec::new();
        let mut more = first_selects(ranges, &mut selects);
        while more {
            self.go_on()?;
            self.evaluate_instance(process, way, &selects);
            more = next_selects(ranges, &mut selects);
        }
        Ok(())
    }

    fn evaluate_instance(&mut self, process: ProcessId, way: &Way, selects: &[i64]) {
        let Question { program, differences, slots, .. } = self.question;
        let edge = way.edge;
        self.out.more_seen = true;
        let state = &slots[..program.layout.slots.len()];
        let evaluated = &mut self.out.instances.add().evaluated;
        match self.machine.evaluate_edge(program, process, edge, selects, state, evaluated) {
            Ok(true) if differences.decide(slots, &mut evaluated.atoms) => {
                self.keep_instance(process, way, selects);
            }
            Ok(_) => self.out.instances.give_back(),
            Err(error) => {
                self.out.instances.give_back();
                if way.receives {
                    self.out.broken.push(BrokenReceiver { process, edge });
                }
                if !self.committed || way.committed {
                    let part = Part { process, edge, selects: selects.to_vec() };
                    let label = Label { parts: vec![part], observer: None };
                    self.out.failing.push(FailingLabel { label, error, costs: way.costs });
                }
            }
        }
    }

    /// Completes the instance added last.
    fn keep_instance(&mut self, process: ProcessId, way: &Way, selects: &[i64]) {
        let position = self.out.instances.len() - 1;
        let instance = &mut self.out.instances[position];
        (instance.process, instance.edge, instance.committed) = (process, way.edge, way.committed);
        (instance.receives, instance.costs, instance.timing) = (way.receives, way.costs, way.timing);
        instance.ready = false;
        instance.selects.clear();
        // The usual case is worth a test: copying nothing is a call, too.
        if !selects.is_empty() {
            instance.selects.extend_from_slice(selects);
        }
        if let Some(element) = instance.evaluated.element {
            let call = self.out.call(element);
            if way.receives {
                call.receivers.push(position)
            } else {
                call.sent = true
            }
            self.out.sending |= !way.receives;
        }
    }

    fn match_edges(&mut self) -> Result<(), StopReason> {
        let program = self.question.program;
        for initiator in 0..self.out.instances.len() {
            self.go_on()?;
            let instance = &self.out.instances[initiator];
            let element = instance.evaluated.element;
            let Some(element) = element.filter(|_| !instance.ready) else {
                self.push(&[initiator], &[], element);
                continue;
            };
            let sync = &self.edge(instance.process, instance.edge).sync;
            match (sync, program.elements[element].kind) {
                (_, ChannelKind::Buffered { .. }) => {
                    let ready = self.ready(instance);
                    self.out.more_seen = true;
                    if ready {
                        self.push(&[initiator], &[], Some(element));
                    }
                }
                (CompiledSync::Send { .. }, ChannelKind::Rendezvous) => {
                    for position in 0..self.out.calls[element].receivers.len() {
                        let receiver = self.out.calls[element].receivers[position];
                        if self.takes(initiator, receiver) {
                            self.go_on()?;
                            self.push(&[initiator, receiver], &[], Some(element));
                        }
                    }
                }
                (CompiledSync::Send { .. }, ChannelKind::Broadcast) => self.broadcast(initiator, element)?,
                // A receiver without buffer waits for its sender.
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether an edge over a channel with a buffer finds room or the message it waits for; others are as they are.
    fn ready(&self, instance: &EdgeInstance) -> bool {
        let Question { program, slots, .. } = self.question;
        let Some(element) = instance.evaluated.element else { return true };
        match &self.edge(instance.process, instance.edge).sync {
            CompiledSync::Receive { any, .. } => {
                program.queue_matches(slots, element, *any, &instance.evaluated.patterns).is_some()
            }
            _ => program.queue_accepts(slots, element),
        }
    }

    /// Whether a receiver on the sender's channel can receive what it sends.
    fn takes(&self, sender: usize, receiver: usize) -> bool {
        let (from, to) = (&self.out.instances[sender], &self.out.instances[receiver]);
        to.process != from.process && to.evaluated.accepts(&from.evaluated.message)
    }

    fn push(&mut self, parts: &[usize], excluded: &[Vec<ConcreteAtom>], element: Option<usize>) {
        let Question { program, table, slots, .. } = self.question;
        let Enabled { instances, allowed, urgent, prioritised, more_seen, .. } = &mut *self.out;
        if element.is_some_and(|e| program.elements[e].urgent) {
            *urgent = true;
        }
        if self.committed && !parts.iter().any(|i| instances[*i].committed) {
            return;
        }
        let mut priority = Priority::default();
        if table.prioritised && !fault::active(Fault::PriorityIgnored) {
            let holder = program.layout.holder.map_or(0, |slot| slots[slot]);
            *more_seen |= program.layout.holder.is_some();
            let of = |i: &usize| program.processes[instances[*i].process].priority;
            priority = Priority {
                by_holder: holder == instances[parts[0]].process.index() as i64 + 1,
                channel: element.map_or(0, |e| program.elements[e].priority),
                process: parts.iter().map(of).max().unwrap_or(0),
            };
            *prioritised |= allowed.first().is_some_and(|first| first.priority != priority);
        }
        let candidate = allowed.add();
        candidate.parts.clear();
        candidate.required.clear();
        let mut costs = false;
        for part in parts {
            // One by one: there are few, and copying some at once is a call.
            candidate.parts.push(*part);
            let instance = &instances[*part];
            if !instance.evaluated.atoms.is_empty() {
                candidate.required.extend_from_slice(&instance.evaluated.atoms);
            }
            costs |= instance.costs;
        }
        candidate.excluded.clear();
        if !excluded.is_empty() {
            candidate.excluded.extend_from_slice(excluded);
        }
        candidate.timing = match *parts {
            [only] => instances[only].timing.map(|timing| timing.with(None)),
            [first, second] => match (instances[first].timing, instances[second].timing) {
                (Some(first), second @ Some(_)) => Some(first.with(second)),
                _ => None,
            },
            _ => None,
        };
        (candidate.priority, candidate.costs) = (priority, costs);
    }
}
