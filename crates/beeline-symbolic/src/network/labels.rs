//! Labels in all states at once: for each schema the states and inputs where one of its labels is enabled, and where
//! the rules let it happen (`beeline_ir::network` has them).

use super::offer::{Coded, Offer, receives};
use crate::bdd::{Bdd, Made};
use crate::number::Number;
use crate::translate::NotMade;
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{EdgeId, IdVec, ProcessId};
use beeline_program::CompiledLocation;
use beeline_program::schema::{EdgeRef, Parts, schemas};

/// The labels of a schema.
#[derive(Clone)]
pub(crate) struct Label {
    /// The edges that take part in any case, the initiator first.
    pub fixed: Vec<EdgeRef>,
    /// The edges that may join, in order of processes, and where they do.
    pub joining: Vec<(EdgeRef, Bdd)>,
    /// Whether initiator and receiver are a pair.
    pub pair: bool,
    /// States and inputs.
    pub enabled: Bdd,
    /// The value of the channel, if there is one.
    pub channel: Option<Number>,
}

/// The offers of all edges; observers make none.
pub(crate) type Offers = IdVec<ProcessId, IdVec<EdgeId, Offer>>;

impl Coded<'_> {
    /// Evaluates all edges.
    pub fn offers(&self) -> Result<Offers, NotMade> {
        let mut offers = IdVec::new();
        for (process, compiled) in self.task.program.processes.enumerate() {
            let edges = compiled.edges.ids().filter(|_| compiled.role == Role::System);
            let made = edges.map(|edge| self.offer(process, edge)).collect::<Result<Vec<_>, _>>()?;
            offers.push(IdVec::from(made));
        }
        Ok(offers)
    }
    /// All labels by what edges offer alone.
    pub fn labels(&self, offers: &Offers) -> Result<Vec<Label>, NotMade> {
        let b = self.b;
        let mut labels = Vec::new();
        for schema in schemas(&self.task.program) {
            let (fixed, pair) = match &schema.parts {
                Parts::Internal(one) | Parts::Broadcast(one, _) => (vec![*one], false),
                Parts::Pair(send, receive) => (vec![*send, *receive], true),
            };
            let sender = &offers[fixed[0].0][fixed[0].1];
            let mut label = Label {
                enabled: sender.enabled.clone(),
                channel: sender.channel.clone(),
                joining: Vec::new(),
                fixed,
                pair,
            };
            match &schema.parts {
                Parts::Internal(_) => {
                    let (process, edge) = label.fixed[0];
                    let sync = &self.task.program.processes[process].edges[edge].sync;
                    if sender.channel.is_some() {
                        let ready = self.machine.buffer_ready(sync, sender, &self.current)?;
                        label.enabled = b.and(&label.enabled, &ready)?;
                    }
                }
                Parts::Pair(_, (process, edge)) => {
                    let receiver = &offers[*process][*edge];
                    let over = self.over(sender, ChannelKind::Rendezvous)?;
                    label.enabled =
                        b.all([&label.enabled, &over, &receives(receiver, sender, &receiver.enabled, b)?])?;
                }
                Parts::Broadcast(_, listeners) => {
                    let over = self.over(sender, ChannelKind::Broadcast)?;
                    label.enabled = b.and(&label.enabled, &over)?;
                    self.nobody_fails(&mut label, offers)?;
                    for (process, edges) in listeners {
                        self.listen(&mut label, *process, edges, offers)?;
                    }
                }
            }
            if !b.is_no(&label.enabled) {
                labels.push(label);
            }
        }
        Ok(labels)
    }
    fn over(&self, sender: &Offer, kind: ChannelKind) -> Made<Bdd> {
        match &sender.channel {
            Some(channel) => {
                self.machine.is_some_element(channel, |at| self.task.program.elements[at].kind == kind)
            }
            None => Ok(self.b.no()),
        }
    }
    /// There is no broadcast while an edge fails that names the same declaration, or a channel by its value.
    fn nobody_fails(&self, label: &mut Label, offers: &Offers) -> Result<(), NotMade> {
        let (b, program) = (self.b, &self.task.program);
        let Some(channel) = label.channel.clone() else { return Ok(()) };
        for (process, edges) in offers.enumerate().filter(|(process, _)| *process != label.fixed[0].0) {
            let selects = b.cube(&self.select_bits(process))?;
            for (edge, offer) in edges.enumerate().filter(|(_, offer)| !b.is_no(&offer.fails)) {
                let sync = &program.processes[process].edges[edge].sync;
                let Some(named) = sync.channel().filter(|_| sync.receives()) else { continue };
                let same = match named.declaration(program) {
                    None => b.yes(),
                    Some(declared) => self
                        .machine
                        .is_some_element(&channel, |at| program.elements[at].channel == declared)?,
                };
                let fails = b.and(&b.exists(&offer.fails, &selects)?, &same)?;
                label.enabled = b.minus(&label.enabled, &fails)?;
            }
        }
        Ok(())
    }
    /// A process joins a broadcast by one of its edges that receive, and stays only where none does. If several may at
    /// once, an input says which.
    fn listen(
        &self,
        label: &mut Label,
        process: ProcessId,
        edges: &[EdgeId],
        offers: &Offers,
    ) -> Result<(), NotMade> {
        let b = self.b;
        let (initiator, sends) = label.fixed[0];
        let sender = &offers[initiator][sends];
        let selects = b.cube(&self.select_bits(process))?;
        let (mut some, mut several) = (b.no(), false);
        let mut joining = Vec::new();
        for edge in edges {
            let listener = &offers[process][*edge];
            let receives = receives(listener, sender, &listener.enabled, b)?;
            let receives = b.and(&receives, &label.enabled)?;
            let could = b.exists(&receives, &selects)?;
            several |= !b.is_no(&b.and(&some, &could)?) || could != receives;
            some = b.or(&some, &could)?;
            joining.push((*edge, receives));
        }
        if several {
            let mut chosen = b.minus(&self.input_is(&self.inputs(process)[0], 0)?, &some)?;
            for (at, (_, receives)) in joining.iter_mut().enumerate() {
                let this = self.input_is(&self.inputs(process)[0], at as i64 + 1)?;
                *receives = b.and(receives, &this)?;
                chosen = b.or(&chosen, receives)?;
            }
            label.enabled = b.and(&label.enabled, &chosen)?;
        }
        label.joining.extend(joining.into_iter().map(|(edge, receives)| ((process, edge), receives)));
        Ok(())
    }
    /// Leaves of each label what committed locations, priorities and the token allow.
    pub fn obey_rules(&self, labels: &mut [Label]) -> Result<(), NotMade> {
        let b = self.b;
        let committed = self.somebody(|location| location.committed)?;
        for label in labels.iter_mut() {
            let leaves = self.where_some(label, |(process, edge)| {
                let compiled = &self.task.program.processes[process];
                compiled.locations[compiled.edges[edge].source].committed
            })?;
            label.enabled = b.minus(&label.enabled, &b.minus(&committed, &leaves)?)?;
        }
        let inputs: Vec<_> = self.encoding.inputs().flat_map(|place| place.current.clone()).collect();
        let inputs = b.cube(&inputs)?;
        self.obey_priorities(labels, &inputs)?;
        self.obey_token(labels, &inputs)
    }
    fn obey_token(&self, labels: &mut [Label], inputs: &Bdd) -> Result<(), NotMade> {
        let b = self.b;
        let Some(holder) = self.task.program.layout.holder else { return Ok(()) };
        let processes = self.task.program.processes.ids();
        let mut busy = Vec::new();
        for process in processes {
            let mut some = b.no();
            for label in labels.iter().filter(|label| label.fixed[0].0 == process) {
                some = b.or(&some, &b.exists(&label.enabled, inputs)?)?;
            }
            busy.push(b.and(&some, &self.slot_is(holder, process.index() as i64 + 1)?)?);
        }
        for label in labels.iter_mut() {
            for (_, busy) in busy.iter().enumerate().filter(|(at, _)| *at != label.fixed[0].0.index()) {
                label.enabled = b.minus(&label.enabled, busy)?;
            }
        }
        Ok(())
    }
    fn obey_priorities(&self, labels: &mut [Label], inputs: &Bdd) -> Result<(), NotMade> {
        let b = self.b;
        // By label, where it has which priority; then where some label has it at all.
        let mut levels: Vec<Vec<((i32, i32), Bdd)>> = Vec::new();
        let mut all: Vec<((i32, i32), Bdd)> = Vec::new();
        for label in labels.iter() {
            let of_label = self.priorities(label)?;
            for (priority, here) in &of_label {
                let here = b.exists(here, inputs)?;
                match all.iter_mut().find(|(p, _)| p == priority) {
                    Some((_, there)) => *there = b.or(there, &here)?,
                    None => all.push((*priority, here)),
                }
            }
            levels.push(of_label);
        }
        if all.len() < 2 {
            return Ok(());
        }
        for (label, levels) in labels.iter_mut().zip(levels) {
            label.enabled = b.no();
            for (priority, mut here) in levels {
                for (_, higher) in all.iter().filter(|(other, _)| *other > priority) {
                    here = b.minus(&here, higher)?;
                }
                label.enabled = b.or(&label.enabled, &here)?;
            }
        }
        Ok(())
    }
    /// The labels of a schema by their priorities.
    fn priorities(&self, label: &Label) -> Made<Vec<((i32, i32), Bdd)>> {
        let (b, program) = (self.b, &self.task.program);
        let mut channels: Vec<(i32, Bdd)> = match &label.channel {
            None => vec![(0, label.enabled.clone())],
            Some(channel) => {
                let mut priorities: Vec<i32> =
                    program.elements.iter().map(|element| element.priority).collect();
                priorities.sort_unstable();
                priorities.dedup();
                let level = |priority: i32| -> Made<(i32, Bdd)> {
                    let over = self
                        .machine
                        .is_some_element(channel, |at| program.elements[at].priority == priority)?;
                    Ok((priority, b.and(&label.enabled, &over)?))
                };
                priorities.into_iter().map(level).collect::<Made<_>>()?
            }
        };
        channels.retain(|(_, here)| !b.is_no(here));
        let fixed = label.fixed.iter().map(|(process, _)| program.processes[*process].priority).max();
        let fixed = fixed.unwrap_or(0);
        // Who joins may lift it.
        let mut lifts: Vec<(i32, Bdd)> = Vec::new();
        for ((process, _), joins) in &label.joining {
            let priority = program.processes[*process].priority;
            if priority > fixed {
                match lifts.iter_mut().find(|(p, _)| *p == priority) {
                    Some((_, there)) => *there = b.or(there, joins)?,
                    None => lifts.push((priority, joins.clone())),
                }
            }
        }
        lifts.sort_unstable_by_key(|(priority, _)| std::cmp::Reverse(*priority));
        let mut found = Vec::new();
        for (channel, mut here) in channels {
            for (priority, joins) in &lifts {
                found.push(((channel, *priority), b.and(&here, joins)?));
                here = b.minus(&here, joins)?;
            }
            found.push(((channel, fixed), here));
        }
        found.retain(|(_, here)| !b.is_no(here));
        Ok(found)
    }
    /// Where one of the parts of a label is such an edge.
    pub fn where_some(&self, label: &Label, ask: impl Fn(EdgeRef) -> bool) -> Made<Bdd> {
        let b = self.b;
        if label.fixed.iter().any(|part| ask(*part)) {
            return Ok(b.yes());
        }
        let joining = label.joining.iter().filter(|(part, _)| ask(*part));
        { joining }.try_fold(b.no(), |some, (_, joins)| b.or(&some, joins))
    }
    /// Where some process, observers aside, is at such a location.
    pub fn somebody(&self, ask: impl Fn(&CompiledLocation) -> bool) -> Made<Bdd> {
        let b = self.b;
        let mut some = b.no();
        for (process, compiled) in self.task.program.processes.enumerate() {
            for (id, _) in compiled.locations.enumerate().filter(|(_, location)| ask(location)) {
                if compiled.role == Role::System {
                    some = b.or(&some, &self.at(process, id)?)?;
                }
            }
        }
        Ok(some)
    }
    /// Where a label over an urgent channel is enabled, by what edges offer alone.
    pub fn urged(&self, labels: &[Label]) -> Result<Bdd, NotMade> {
        let b = self.b;
        let mut urged = b.no();
        for label in labels {
            if let Some(channel) = &label.channel {
                let over =
                    self.machine.is_some_element(channel, |at| self.task.program.elements[at].urgent)?;
                urged = b.or(&urged, &b.and(&label.enabled, &over)?)?;
            }
        }
        let inputs: Vec<_> = self.encoding.inputs().flat_map(|place| place.current.clone()).collect();
        Ok(b.exists(&urged, &b.cube(&inputs)?)?)
    }
}
