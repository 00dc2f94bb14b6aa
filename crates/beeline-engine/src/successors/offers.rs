//! What a process can do by itself, remembered.
//!
//! Where a process computes and uses buffers only, which of its edges are enabled depends on few slots: those that the
//! edges read, and, of each buffer, whether it is empty or full and which message is the first. All these together are a
//! number; where the process comes to a place with the same number again, it can do the same, and nothing is evaluated.
//!
//! Nothing else changes: what is remembered is what would be evaluated.

use super::candidate::EdgeInstance;
use super::table::Outgoing;
use beeline_ir::expr::Range;
use beeline_ir::layout::Queue;
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::bytecode::Source;
use beeline_program::slots::SlotSet;
use beeline_program::{ChannelUse, CompiledEdge, CompiledSync, Program};
use beeline_zones::fault::{self, Fault};
use hashbrown::HashTable;

/// Numbers, and edges that they stand for, beyond which no more are remembered.
const MOST: usize = 1 << 14;
/// At a place where so many more new numbers have come than old ones, it is given up.
const PATIENCE: u32 = 1 << 8;

/// What decides about the edges that leave a location.
#[derive(Clone, Debug)]
pub struct Watch {
    /// One number for each location of each process.
    place: u32,
    slots: Box<[Field]>,
    buffers: Box<[Buffer]>,
}

/// A value, and where it is in the number.
#[derive(Copy, Clone, Debug)]
struct Field {
    slot: u32,
    least: i64,
    shift: u32,
}

#[derive(Clone, Debug)]
struct Buffer {
    channel: Named,
    /// Where it says whether it is empty or full.
    shift: u32,
    /// For each field of the first message, the least value and where it is; none if nobody receives.
    head: Box<[(i64, u32)]>,
}

/// How a channel is known.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Named {
    Element(usize),
    /// By the value of a slot.
    Slot(usize),
}

impl Watch {
    /// What decides about these edges, if they are worth it: all of them are internal or use buffers, without clocks, and
    /// some take more than a few comparisons.
    pub fn of(program: &Program, process: ProcessId, place: usize, from: &Outgoing) -> Option<Self> {
        let lengthy =
            |way: &super::table::Way| way.choice.as_ref().is_none_or(|choice| choice.yields.is_none());
        if from.committed || !from.passive.is_empty() || !from.active.iter().any(lengthy) {
            return None;
        }
        let mut reads = SlotSet::default();
        let mut named: Vec<(Named, bool)> = Vec::new();
        for way in &from.active {
            let edge: &CompiledEdge = &program.processes[process].edges[way.edge];
            if way.committed || way.needs.is_some() || !edge.clock_guard.is_empty() {
                return None;
            }
            reads.extend(&program.evaluation_reads(process, way.edge));
            if let Some((channel, receives)) = channel(program, process, way.edge)? {
                match named.iter_mut().find(|(known, _)| *known == channel) {
                    Some((_, received)) => *received |= receives,
                    None => named.push((channel, receives)),
                }
            }
        }
        let mut used = 0;
        let mut room = |range: Range| {
            let shift = used;
            used += u128::BITS - range.size().saturating_sub(1).leading_zeros();
            (used <= u128::BITS).then_some(shift.min(u128::BITS - 1))
        };
        let mut slots = Vec::new();
        for slot in reads.iter() {
            let range = program.layout.slots[slot].range;
            slots.push(Field { slot: u32::try_from(slot).ok()?, least: range.lo, shift: room(range)? });
        }
        let mut buffers = Vec::new();
        for (channel, receives) in named {
            let shift = room(Range::new(0, 2))?;
            let mut head = Vec::new();
            for range in fields(program, channel).iter().filter(|_| receives) {
                head.push((range.lo, room(*range)?));
            }
            buffers.push(Buffer { channel, shift, head: head.into() });
        }
        let place = u32::try_from(place).ok()?;
        Some(Self { place, slots: slots.into(), buffers: buffers.into() })
    }

    /// The number of a state; `None` if a channel is none, or has no buffer.
    #[inline]
    pub fn number(&self, program: &Program, state: &[i64]) -> Option<Number> {
        let part = |value: i64, least: i64, shift: u32| u128::from(value.wrapping_sub(least) as u64) << shift;
        let mut all = 0;
        for Field { slot, least, shift } in &self.slots {
            all |= part(state[*slot as usize], *least, *shift);
        }
        for Buffer { channel, shift, head } in &self.buffers {
            let element = match channel {
                Named::Element(element) => *element,
                Named::Slot(slot) => usize::try_from(state[*slot] - 1).ok()?,
            };
            let queue: &Queue = program.layout.queues.get(element)?.as_ref()?;
            let length = state[queue.length] as usize;
            all |= part(i64::from(length > 0) + i64::from(length == queue.capacity), 0, *shift);
            if length > 0 && !fault::active(Fault::FirstMessageForgotten) {
                for (field, (least, shift)) in head.iter().take(queue.fields).enumerate() {
                    all |= part(state[queue.cell(0, field)], *least, *shift);
                }
            }
        }
        Some(Number { place: self.place, all })
    }
}

/// The channel of an edge, and whether it receives; `None` if it is not known where its state is.
fn channel(program: &Program, process: ProcessId, edge: EdgeId) -> Option<Option<(Named, bool)>> {
    let (channel, routine, plain, receives) = match &program.processes[process].edges[edge].sync {
        CompiledSync::Internal => return Some(None),
        // All of the buffer would have to be looked at.
        CompiledSync::Receive { any: true, .. } => return None,
        CompiledSync::Send { channel, routine, plain, .. } => (channel, routine, plain, false),
        CompiledSync::Receive { channel, routine, plain, .. } => (channel, routine, plain, true),
    };
    let source = || routine.filter(|_| *plain).and_then(|r| program.routines[r].results.first().copied());
    let named = match (channel, source()) {
        (ChannelUse::Element(element), _) => Named::Element(*element),
        (_, Some(Source::Slot(slot))) => Named::Slot(slot as usize),
        (_, Some(Source::Const(value))) => Named::Element(usize::try_from(value - 1).ok()?),
        _ => return None,
    };
    Some(Some((named, receives)))
}

/// For each field of a message, the values it can have.
fn fields(program: &Program, channel: Named) -> Vec<Range> {
    let mut fields: Vec<Range> = Vec::new();
    for (element, queue) in program.layout.queues.iter().enumerate() {
        let Some(queue) =
            queue.filter(|_| channel == Named::Element(element) || matches!(channel, Named::Slot(_)))
        else {
            continue;
        };
        for field in 0..queue.fields {
            let range = program.layout.slots[queue.cell(0, field)].range;
            match fields.get_mut(field) {
                Some(known) => *known = Range::new(known.lo.min(range.lo), known.hi.max(range.hi)),
                None => fields.push(range),
            }
        }
    }
    fields
}

/// Where a process is, and all that decides about what it can do.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Number {
    place: u32,
    all: u128,
}

impl Number {
    #[inline]
    fn code(self) -> u64 {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let halves = (self.all as u64, (self.all >> 64) as u64 ^ u64::from(self.place) << 40);
        let mixed = (halves.0.wrapping_mul(ODD)).rotate_left(29) ^ halves.1;
        mixed.wrapping_mul(ODD)
    }
}

/// What is remembered.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    table: HashTable<(Number, u32, u32)>,
    edges: Vec<EdgeInstance>,
    /// For each place, how many more new numbers than old ones have come there.
    losses: Vec<u32>,
}

impl Offers {
    /// Whether it pays to look for numbers of that place.
    #[inline]
    pub fn wants(&self, watch: &Watch) -> bool {
        self.losses.get(watch.place as usize).is_none_or(|losses| *losses < PATIENCE)
    }

    /// The edges that are enabled, if that is known.
    #[inline]
    pub fn find(&mut self, number: Number) -> Option<&[EdgeInstance]> {
        let place = number.place as usize;
        if self.losses.len() <= place {
            self.losses.resize(place + 1, 0);
        }
        let losses = &mut self.losses[place];
        match self.table.find(number.code(), |(known, ..)| *known == number) {
            Some((_, first, end)) => {
                *losses = losses.saturating_sub(1);
                Some(&self.edges[*first as usize..*end as usize])
            }
            None => {
                *losses += 1;
                None
            }
        }
    }

    /// Remembers the edges that are enabled.
    pub fn keep<'a>(&mut self, number: Number, edges: impl Iterator<Item = &'a EdgeInstance>) {
        if self.table.len() >= MOST || self.edges.len() >= MOST {
            return;
        }
        let first = self.edges.len() as u32;
        self.edges.extend(edges.map(|edge| EdgeInstance { ready: true, ..edge.clone() }));
        let entry = (number, first, self.edges.len() as u32);
        self.table.insert_unique(number.code(), entry, |(known, ..)| known.code());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_given_up_where_nothing_recurs() {
        let mut offers = Offers::default();
        let watch = Watch { place: 3, slots: Box::default(), buffers: Box::default() };
        let number = |all| Number { place: 3, all };
        for all in 0..u128::from(PATIENCE) {
            assert!(offers.wants(&watch) && offers.find(number(all)).is_none());
            offers.keep(number(all), [EdgeInstance::default()].iter());
        }
        assert!(!offers.wants(&watch));
        assert!(offers.find(number(0)).is_some_and(|edges| edges.len() == 1 && edges[0].ready));
        assert!(offers.wants(&watch) && offers.find(Number { place: 2, all: 0 }).is_none());
    }
}
