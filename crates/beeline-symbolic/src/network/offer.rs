//! Edges by themselves, in all states at once: where each is enabled, where it fails, and what it would say.

use super::machine::{Machine, Values};
use super::queue;
use super::task::Task;
use crate::bdd::{Bdd, Bdds, Bit, Made};
use crate::encoding::{Encoding, Place};
use crate::number::Number;
use crate::translate::NotMade;
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::schema::EdgeRef;
use beeline_program::{ChannelUse, CompiledSync};
use std::borrow::Cow;

/// An edge with its select values left open.
pub(crate) struct Offer {
    /// The values of its select variables.
    pub selects: Vec<Number>,
    /// Where it is enabled: its process is there, the select values are in their ranges, the guard holds.
    pub enabled: Bdd,
    /// The same, whatever the clocks.
    pub passes: Bdd,
    /// Where it fails.
    pub fails: Bdd,
    /// The value of its channel, if it synchronises.
    pub channel: Option<Number>,
    /// The message it sends.
    pub message: Vec<Number>,
    /// For each field that it receives, the value required.
    pub patterns: Vec<Option<Number>>,
}

/// A network over the bits of an encoding.
pub(crate) struct Coded<'a> {
    pub task: &'a Task<'a>,
    pub b: &'a Bdds,
    pub encoding: &'a Encoding,
    pub machine: Machine<'a>,
    /// What slots and clocks are worth in a state.
    pub current: Values,
}

impl<'a> Coded<'a> {
    pub fn new(task: &'a Task<'a>, encoding: &'a Encoding, b: &'a Bdds) -> Made<Self> {
        let machine = Machine::new(&task.program, b, &task.clocks);
        let number = |place: &Place| place.number(&place.current, b);
        let count = task.program.layout.slots.len();
        let mut slots =
            encoding.places[..count + task.program.clocks].iter().map(number).collect::<Made<Vec<_>>>()?;
        let clocks = slots.split_off(count);
        Ok(Self { task, b, encoding, machine, current: Values { slots, clocks } })
    }
    /// The places of a process's inputs: which edge receives, then the select values.
    pub fn inputs(&self, process: ProcessId) -> &'a [Place] {
        let inputs = &self.task.inputs[process];
        &self.encoding.places[inputs.first..=inputs.first + inputs.selects.len()]
    }
    /// The bits of the select values of a process.
    pub fn select_bits(&self, process: ProcessId) -> Vec<Bit> {
        self.inputs(process)[1..].iter().flat_map(|place| place.current.iter().copied()).collect()
    }
    /// Where a slot has a value.
    pub fn slot_is(&self, slot: usize, value: i64) -> Made<Bdd> {
        let place = &self.encoding.places[slot];
        let literals: Vec<_> = Place::literals(&place.current, place.range, value).collect();
        self.b.literals(&literals)
    }
    /// Where a process is at a location.
    pub fn at(&self, process: ProcessId, location: beeline_ir::LocationId) -> Made<Bdd> {
        self.slot_is(self.task.program.layout.location[process], location.index() as i64)
    }
    /// Evaluates an edge, its select values being inputs.
    pub fn offer(&self, process: ProcessId, edge: EdgeId) -> Result<Offer, NotMade> {
        let b = self.b;
        let ranges = &self.task.program.processes[process].edges[edge].selects;
        let mut there = b.yes();
        let mut selects = Vec::new();
        for (range, place) in ranges.iter().zip(&self.inputs(process)[1..]) {
            let value = place.number(&place.current, b)?;
            there = if range.size() == 0 { b.no() } else { b.and(&there, &value.within(*range, b)?)? };
            selects.push(value);
        }
        let mut offer = self.machine.offer((process, edge), selects, &self.current)?;
        for set in [&mut offer.enabled, &mut offer.passes, &mut offer.fails] {
            *set = b.and(set, &there)?;
        }
        Ok(offer)
    }
    /// Where an input has a value.
    pub fn input_is(&self, place: &Place, value: i64) -> Made<Bdd> {
        let literals: Vec<_> = Place::literals(&place.current, place.range, value).collect();
        self.b.literals(&literals)
    }
}

impl Machine<'_> {
    /// Evaluates an edge, with these select values.
    pub fn offer(
        &self,
        (process, edge): EdgeRef,
        selects: Vec<Number>,
        values: &Values,
    ) -> Result<Offer, NotMade> {
        let (b, program) = (self.b, self.program);
        let compiled = &program.processes[process].edges[edge];
        let source = Number::constant(compiled.source.index() as i64, b);
        let there = values.slots[program.layout.location[process]].equal(&source, b)?;
        let guard = match compiled.guard {
            Some(guard) => self.value(guard, &selects, values)?,
            None => Number::constant(1, b),
        };
        let (channel, numbers, lost) = self.sync(&compiled.sync, &selects, values)?;
        let (mut holds, mut fine) = (b.yes(), b.not(&lost)?);
        for atom in &compiled.clock_guard {
            let (atom_holds, atom_fine) = self.atom(atom, &selects, values)?;
            holds = b.and(&holds, &atom_holds)?;
            fine = b.and(&fine, &atom_fine)?;
        }
        let passes = b.and(&there, &guard.holds(b)?)?;
        let unlucky = b.or(&b.not(&guard.defined)?, &b.minus(&passes, &fine)?)?;
        let fails = b.and(&there, &unlucky)?;
        let passes = b.and(&passes, &fine)?;
        let enabled = b.and(&passes, &holds)?;
        let (mut message, mut patterns) = (Vec::new(), Vec::new());
        match &compiled.sync {
            CompiledSync::Internal => {}
            CompiledSync::Send { .. } => message = self.wrapped(channel.as_ref(), numbers)?,
            CompiledSync::Receive { required, .. } => {
                let mut numbers = numbers.into_iter();
                patterns = required.iter().map(|r| if *r { numbers.next() } else { None }).collect();
            }
        }
        Ok(Offer { selects, enabled, passes, fails, channel, message, patterns })
    }
    /// The value of the channel, those of the fields, and where their evaluation fails.
    fn sync(
        &self,
        sync: &CompiledSync,
        selects: &[Number],
        values: &Values,
    ) -> Result<(Option<Number>, Vec<Number>, Bdd), NotMade> {
        let b = self.b;
        let (channel, routine) = match sync {
            CompiledSync::Internal => return Ok((None, Vec::new(), b.no())),
            CompiledSync::Send { channel, routine, .. } | CompiledSync::Receive { channel, routine, .. } => {
                (*channel, *routine)
            }
        };
        if let Some(routine) = routine {
            let yielded = self.run(routine, selects, &[], &mut Cow::Borrowed(values), &b.yes())?;
            let mut results = yielded.results.into_iter();
            return Ok((results.next(), results.collect(), yielded.failed));
        }
        Ok(match channel {
            ChannelUse::Element(element) => {
                (Some(Number::constant(element as i64 + 1, b)), Vec::new(), b.no())
            }
            ChannelUse::Declared(_) | ChannelUse::Value => {
                (Some(Number::constant(0, b)), Vec::new(), b.yes())
            }
        })
    }
    /// A message, each field wrapped into its range.
    fn wrapped(&self, channel: Option<&Number>, values: Vec<Number>) -> Made<Vec<Number>> {
        let b = self.b;
        let Some(channel) = channel else { return Ok(values) };
        let mut message = values.clone();
        for (at, element) in self.program.elements.iter().enumerate() {
            let here = self.is_element(channel, at)?;
            if b.is_no(&here) {
                continue;
            }
            for (field, (value, range)) in values.iter().zip(&element.fields).enumerate() {
                let wrapped = value.wrapped(*range, b)?;
                message[field] = Number::select(&here, &wrapped, &message[field], b)?;
            }
        }
        Ok(message)
    }
    /// Where a channel value is that of an element.
    pub fn is_element(&self, channel: &Number, element: usize) -> Made<Bdd> {
        channel.equal(&Number::constant(element as i64 + 1, self.b), self.b)
    }
    /// Where a channel is one of those elements that are asked for.
    pub fn is_some_element(&self, channel: &Number, ask: impl Fn(usize) -> bool) -> Made<Bdd> {
        let elements = (0..self.program.elements.len()).filter(|at| ask(*at));
        let b = self.b;
        { elements }.try_fold(b.no(), |some, at| b.or(&some, &self.is_element(channel, at)?))
    }
    /// Where the buffer that an offer is about has room, or the message that is asked for.
    pub fn buffer_ready(&self, sync: &CompiledSync, offer: &Offer, values: &Values) -> Made<Bdd> {
        let b = self.b;
        let mut ready = b.no();
        let Some(channel) = &offer.channel else { return Ok(ready) };
        for (at, queue) in self.program.layout.queues.iter().enumerate() {
            let here = self.is_element(channel, at)?;
            let Some(queue) = queue.filter(|_| !b.is_no(&here)) else { continue };
            let fits = match sync {
                CompiledSync::Receive { any, .. } => {
                    let found = queue::matches(queue, values, &offer.patterns, *any, b)?;
                    found.iter().try_fold(b.no(), |some, there| b.or(&some, there))?
                }
                CompiledSync::Send { .. } | CompiledSync::Internal => queue::has_room(queue, values, b)?,
            };
            ready = b.or(&ready, &b.and(&here, &fits)?)?;
        }
        Ok(ready)
    }
}

/// Where one offer, being ready there, receives what the other sends.
pub(crate) fn receives(receiver: &Offer, sender: &Offer, ready: &Bdd, b: &Bdds) -> Made<Bdd> {
    let (Some(here), Some(there)) = (&receiver.channel, &sender.channel) else { return Ok(b.no()) };
    if receiver.patterns.len() != sender.message.len() {
        return Ok(b.no());
    }
    let mut fits = b.and(ready, &here.equal(there, b)?)?;
    for (pattern, field) in receiver.patterns.iter().zip(&sender.message) {
        if let Some(value) = pattern {
            fits = b.and(&fits, &value.equal(field, b)?)?;
        }
    }
    Ok(fits)
}
