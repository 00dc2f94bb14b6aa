//! Channels and their buffers.
//!
//! Where the channel, the length and the position are known, a message goes to its cell and comes from it;
//! otherwise cells may keep what they have. Sorted insertion is never followed to a position.

use super::arithmetic;
use super::machine::{Frame, ValueMachine};
use super::set::ValueSet;
use crate::bytecode::{Reg, Source};
use crate::program::Program;
use beeline_ir::expr::Range;
use beeline_ir::layout::Queue;
use beeline_ir::work;

/// Channel elements, as a set of channel values.
#[derive(Copy, Clone)]
struct Elements(ValueSet);

impl Elements {
    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.values().map(|value| value as usize - 1)
    }
}

/// Which messages a receive may take.
struct Candidates {
    /// The positions; empty if there is nothing to take.
    positions: ValueSet,
    /// Whether there certainly is one.
    sure: bool,
}

impl ValueMachine {
    /// The elements that a channel may be; where it is none, the run fails.
    fn elements(&mut self, frame: Frame<'_>, channel: Source) -> Elements {
        let all = self.read(frame, channel);
        let named = all.clipped(Range::new(1, frame.program.elements.len() as i64));
        self.survive(named != all, !named.is_empty());
        self.spend(named.size() as u64);
        Elements(named)
    }

    /// Counts a look into the buffer of one of the elements.
    fn charge_buffers(&mut self, program: &Program, elements: Elements) {
        let units = |queue: &Option<Queue>| queue.map_or(0, |q| work::units(work::of_queue(&q)));
        let all = elements.iter().map(|element| units(&program.layout.queues[element]));
        let (least, most) = all.fold((u32::MAX, 0), |(least, most), u| (least.min(u), most.max(u)));
        self.charge(least.min(most), most);
    }

    pub(super) fn open(&mut self, frame: Frame<'_>, channel: Source, fields: Option<u32>, buffered: bool) {
        let program = frame.program;
        let (mut opens, mut fails) = (false, false);
        for element in self.elements(frame, channel).iter() {
            let arity = fields.is_some_and(|n| n as usize != program.elements[element].fields.len());
            let refused = arity || (buffered && program.layout.queues[element].is_none());
            opens |= !refused;
            fails |= refused;
        }
        self.survive(fails, opens);
    }

    pub(super) fn length(&mut self, frame: Frame<'_>, dst: Reg, channel: Source) {
        let mut lengths = ValueSet::EMPTY;
        for element in self.elements(frame, channel).iter() {
            let queue = frame.program.layout.queues[element];
            lengths.union(&queue.map_or(ValueSet::singleton(0), |q| self.slots[q.length]));
        }
        self.write(frame, dst, lengths);
    }
    pub(super) fn capacity(&mut self, frame: Frame<'_>, dst: Reg, channel: Source) {
        let capacity = |element: usize| frame.program.layout.queues[element].map_or(0, |q| q.capacity as i64);
        let capacities = self.elements(frame, channel).iter().map(capacity).collect();
        self.write(frame, dst, capacities);
    }

    /// The messages of a queue that a receive may take: the first, or the first that matches.
    fn candidates(
        &mut self,
        frame: Frame<'_>,
        queue: Queue,
        patterns: &[Option<Source>],
        any: bool,
    ) -> Candidates {
        let none = Candidates { positions: ValueSet::EMPTY, sure: false };
        if patterns.len() != queue.fields {
            return none;
        }
        let length = self.slots[queue.length].hull();
        let looked_at = if any { queue.capacity as i64 } else { 1 };
        let mut found = none;
        for at in 0..length.hi.min(looked_at) {
            let (mut may_match, mut matches) = (true, length.lo > at);
            for (field, pattern) in patterns.iter().enumerate() {
                let Some(pattern) = pattern.map(|source| self.read(frame, source)) else { continue };
                let cell = self.slots[queue.cell(at as usize, field)];
                may_match &= pattern.intersects(&cell);
                matches &= pattern.value().is_some() && pattern.value() == cell.value();
            }
            if may_match {
                found.positions.insert(at);
            }
            if matches {
                found.sure = true;
                break;
            }
        }
        self.spend(found.positions.size() as u64 * queue.fields as u64 / 4);
        found
    }

    pub(super) fn poll(
        &mut self,
        frame: Frame<'_>,
        dst: Reg,
        channel: Source,
        patterns: &[Option<Source>],
        any: bool,
    ) {
        let elements = self.elements(frame, channel);
        self.charge_buffers(frame.program, elements);
        let (mut empty, mut found) = (false, false);
        for element in elements.iter() {
            let candidates = match frame.program.layout.queues[element] {
                Some(queue) => self.candidates(frame, queue, patterns, any),
                None => Candidates { positions: ValueSet::EMPTY, sure: false },
            };
            found |= !candidates.positions.is_empty();
            empty |= !candidates.sure;
        }
        self.write(frame, dst, ValueSet::truths(empty, found));
    }

    pub(super) fn send(&mut self, frame: Frame<'_>, channel: Source, message: &[Source], sorted: bool) {
        let program = frame.program;
        let elements = self.elements(frame, channel);
        self.charge_buffers(program, elements);
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        operands.extend(message.iter().map(|source| self.read(frame, *source)));
        let room = |machine: &Self, element: usize| {
            let queue = program.layout.queues[element]?;
            let free = machine.slots[queue.length].clipped(Range::new(0, queue.capacity as i64 - 1));
            let fits = operands.len() == queue.fields && !free.is_empty();
            fits.then_some((queue, free, free == machine.slots[queue.length]))
        };
        let (mut accepting, mut full) = (0, false);
        for element in elements.iter() {
            let room = room(self, element);
            accepting += usize::from(room.is_some());
            full |= room.is_none_or(|(_, _, sure)| !sure);
        }
        self.survive(full, accepting > 0);
        for element in elements.iter() {
            let Some((queue, free, _)) = room(self, element) else { continue };
            let sole = accepting == 1;
            let longer = free.translated(1).unwrap_or(ValueSet::ALL);
            self.put_slot(queue.length, longer, sole);
            for (field, values) in operands.iter().enumerate() {
                let values = arithmetic::wrapped(values, program.elements[element].fields[field]);
                if sorted {
                    for at in (0..=free.hull().hi as usize).rev() {
                        let moved =
                            if at > 0 { self.slots[queue.cell(at - 1, field)] } else { ValueSet::EMPTY };
                        self.put_slot(queue.cell(at, field), moved, false);
                        self.put_slot(queue.cell(at, field), values, false);
                    }
                } else {
                    let known = sole && free.value().is_some();
                    free.values().for_each(|at| self.put_slot(queue.cell(at as usize, field), values, known));
                }
            }
            self.spend((queue.capacity * queue.fields) as u64);
        }
        self.operands = operands;
    }

    pub(super) fn receive(
        &mut self,
        frame: Frame<'_>,
        channel: Source,
        patterns: &[Option<Source>],
        any: bool,
        keep: bool,
        dst: Reg,
    ) {
        let queues = &frame.program.layout.queues;
        let elements = self.elements(frame, channel);
        self.charge_buffers(frame.program, elements);
        let (mut giving, mut blocked) = (0, false);
        for element in elements.iter() {
            let candidates = queues[element].map(|queue| self.candidates(frame, queue, patterns, any));
            giving += usize::from(candidates.as_ref().is_some_and(|c| !c.positions.is_empty()));
            blocked |= candidates.is_none_or(|c| !c.sure);
        }
        self.survive(blocked, giving > 0);
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        operands.resize(patterns.len(), ValueSet::EMPTY);
        for queue in elements.iter().filter_map(|element| queues[element]) {
            let Candidates { positions, .. } = self.candidates(frame, queue, patterns, any);
            if positions.is_empty() {
                continue;
            }
            for (field, (taken, pattern)) in operands.iter_mut().zip(patterns).enumerate() {
                for at in positions.values() {
                    let cell = self.slots[queue.cell(at as usize, field)];
                    let matching =
                        pattern.map_or(cell, |source| cell.intersection(&self.read(frame, source)));
                    taken.union(&matching);
                }
            }
            if !keep {
                self.remove(queue, &positions, giving == 1);
            }
        }
        for (field, values) in operands.iter().enumerate() {
            self.write(frame, Reg(dst.0 + field as u32), *values);
        }
        self.operands = operands;
    }

    /// Removes the message at one of the positions; from no other queue, if this is the sole one.
    fn remove(&mut self, queue: Queue, positions: &ValueSet, sole: bool) {
        let length = self.slots[queue.length].clipped(Range::new(1, queue.capacity as i64));
        let known = sole && positions.value().is_some() && length.value().is_some();
        for at in positions.hull().lo as usize..length.hull().hi.max(0) as usize {
            for field in 0..queue.fields {
                let last = at as i64 + 1 == length.hull().hi;
                let next = if last { ValueSet::singleton(0) } else { self.slots[queue.cell(at + 1, field)] };
                self.put_slot(queue.cell(at, field), next, known);
                if !known {
                    // A shorter queue may have ended here.
                    self.put_slot(queue.cell(at, field), ValueSet::singleton(0), false);
                }
            }
        }
        let shorter = length.translated(-1).unwrap_or(ValueSet::ALL);
        self.put_slot(queue.length, shorter, sole);
        self.spend((queue.capacity * queue.fields) as u64);
    }

    /// Writes to a slot; unless that is known to happen, it may keep what it has.
    pub(super) fn put_slot(&mut self, slot: usize, values: ValueSet, known: bool) {
        if known {
            self.slots[slot] = values;
        } else {
            self.slots[slot].union(&values);
        }
    }
}
