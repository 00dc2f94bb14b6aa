//! What labels do, in all states at once; and time, which passes unit by unit.

use super::labels::{Label, Offers};
use super::machine::{Values, least};
use super::offer::Coded;
use super::queue;
use crate::bdd::{Bdd, Bit, Made};
use crate::encoding::Place;
use crate::number::Number;
use crate::split::Share;
use crate::transition::Part;
use crate::translate::NotMade;
use beeline_ir::expr::BinaryOp;
use beeline_program::CompiledSync;
use beeline_program::schema::EdgeRef;
use std::borrow::Cow;

/// Nodes of a cluster of conjuncts.
const CLUSTER: usize = 1_000;

impl Coded<'_> {
    /// The steps of a label.
    pub fn fire(&self, label: &Label, offers: &Offers) -> Result<Part, NotMade> {
        let (b, program) = (self.b, &self.task.program);
        let everybody = b.yes();
        let parts = label.fixed.iter().map(|part| (*part, &everybody));
        let parts: Vec<(EdgeRef, &Bdd)> =
            parts.chain(label.joining.iter().map(|(part, joins)| (*part, joins))).collect();
        let mut values = Cow::Borrowed(&self.current);
        for ((process, edge), there) in &parts {
            let target = program.processes[*process].edges[*edge].target.index() as i64;
            let slot = &mut values.to_mut().slots[program.layout.location[*process]];
            *slot = Number::select(there, &Number::constant(target, b), slot, b)?;
        }
        let mut enabled = label.enabled.clone();
        let message = match label.fixed.len() + label.joining.len() {
            1 => self.exchange(label.fixed[0], offers, &mut values)?,
            _ => offers[label.fixed[0].0][label.fixed[0].1].message.clone(),
        };
        for ((process, edge), there) in &parts {
            let Some(update) = program.processes[*process].edges[*edge].update else { continue };
            let selects = &offers[*process][*edge].selects;
            let done = self.machine.run(update, selects, &message, &mut values, there)?;
            enabled = b.minus(&enabled, &done.failed)?;
        }
        self.pass_token(label, values.to_mut())?;
        self.part(enabled, &values)
    }
    /// What an edge by itself does to the buffer of its channel, if that has one; the message it takes.
    fn exchange(
        &self,
        (process, edge): EdgeRef,
        offers: &Offers,
        values: &mut Cow<'_, Values>,
    ) -> Made<Vec<Number>> {
        let (b, program) = (self.b, &self.task.program);
        let offer = &offers[process][edge];
        let Some(channel) = &offer.channel else { return Ok(Vec::new()) };
        let mut message = vec![Number::constant(0, b); offer.patterns.len()];
        for (at, queue) in program.layout.queues.iter().enumerate() {
            let here = self.machine.is_element(channel, at)?;
            let Some(queue) = queue.filter(|_| !b.is_no(&here)) else { continue };
            match &program.processes[process].edges[edge].sync {
                CompiledSync::Internal => {}
                CompiledSync::Send { sorted, .. } => {
                    let there = b.and(&here, &queue::has_room(queue, values, b)?)?;
                    queue::insert(queue, values.to_mut(), &offer.message, *sorted, &there, b)?;
                }
                CompiledSync::Receive { any, keep, .. } => {
                    let mut taken = queue::matches(queue, values, &offer.patterns, *any, b)?;
                    for there in &mut taken {
                        *there = b.and(there, &here)?;
                    }
                    let fields = queue::message(queue, values, &taken, b)?;
                    for (value, field) in message.iter_mut().zip(fields) {
                        *value = Number::select(&here, &field, value, b)?;
                    }
                    if !keep {
                        queue::remove(queue, values.to_mut(), &taken, b)?;
                    }
                }
            }
        }
        Ok(message)
    }
    /// The token belongs to the receiver of a pair, or else the initiator, if its new location is atomic.
    fn pass_token(&self, label: &Label, values: &mut Values) -> Made<()> {
        let (b, program) = (self.b, &self.task.program);
        let Some(holder) = program.layout.holder else { return Ok(()) };
        let heir = if label.pair { label.fixed[1].0 } else { label.fixed[0].0 };
        let location = &values.slots[program.layout.location[heir]];
        let mut atomic = b.no();
        for (id, _) in program.processes[heir].locations.enumerate().filter(|(_, l)| l.atomic) {
            atomic = b.or(&atomic, &location.equal(&Number::constant(id.index() as i64, b), b)?)?;
        }
        let (heir, nobody) = (Number::constant(heir.index() as i64 + 1, b), Number::constant(0, b));
        values.slots[holder] = Number::select(&atomic, &heir, &nobody, b)?;
        Ok(())
    }
    /// A unit of time passes, where it may.
    pub fn tick(&self, labels: &[Label]) -> Result<Part, NotMade> {
        let b = self.b;
        let still =
            b.or(&self.somebody(|location| location.committed || location.urgent)?, &self.urged(labels)?)?;
        let mut waits = b.not(&still)?;
        if let Some(holder) = self.task.program.layout.holder {
            waits = b.and(&waits, &self.slot_is(holder, 0)?)?;
        }
        let mut values = self.current.clone();
        for (counter, cap) in values.clocks.iter_mut().zip(&self.task.clocks.caps) {
            *counter = least(&counter.binary(BinaryOp::Add, &Number::constant(1, b), b)?, *cap, b)?;
        }
        self.part(waits, &values)
    }
    /// Steps to these values, where enabled.
    fn part(&self, enabled: Bdd, values: &Values) -> Result<Part, NotMade> {
        let b = self.b;
        let before = self.current.slots.iter().chain(&self.current.clocks);
        let after = values.slots.iter().chain(&values.clocks);
        let (mut moving, mut kept): (Vec<&Place>, Vec<(Bit, Bit)>) = (Vec::new(), Vec::new());
        let mut conjuncts = vec![enabled];
        for ((before, after), place) in before.zip(after).zip(&self.encoding.places) {
            if before.bits == after.bits {
                kept.extend(place.pairs());
                continue;
            }
            moving.push(place);
            let next = place.number(&place.next, b)?;
            conjuncts.push(next.equal(after, b)?);
        }
        let mut inputs: Vec<Bit> = self.encoding.inputs().flat_map(|place| place.current.clone()).collect();
        inputs.sort_unstable();
        let mut used: Vec<Bit> = conjuncts.iter().flat_map(|conjunct| b.support(conjunct)).collect();
        used.sort_unstable();
        used.dedup();
        used.retain(|bit| inputs.binary_search(bit).is_ok());
        let share = Share { conjuncts, chosen: Vec::new(), moving, kept };
        Ok(Part::new(share, &used, CLUSTER, b)?)
    }
}
