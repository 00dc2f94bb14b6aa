//! What an exchange does to states and labels. An exchange done twice changes nothing.

use super::classes::{Class, Classes, Holder, Scope};
use super::exchange::Exchange;
use beeline_ir::layout::{Label, Layout, SlotKind};
use beeline_ir::network::Network;
use beeline_ir::{ClockId, EdgeId, LocalId, ProcessId};
use beeline_zones::fault::{self, Fault};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A slot that gets the value of another (or keeps its own), exchanged for another value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Move {
    to: usize,
    from: usize,
    values: Option<usize>,
}

/// An exchange of two processes, and of all that goes with them.
#[derive(Clone, PartialEq, Debug)]
pub struct Generator {
    processes: BTreeMap<ProcessId, ProcessId>,
    /// In the order of the slots that change.
    moves: Vec<Move>,
    /// Pairs of clocks.
    pub clocks: Vec<(ClockId, ClockId)>,
    /// Values that are exchanged, sorted.
    tables: Vec<Vec<(i64, i64)>>,
    /// Select variables whose values are.
    selects: BTreeMap<(ProcessId, EdgeId, usize), usize>,
}

fn exchanged(table: &[(i64, i64)], value: i64) -> i64 {
    table.binary_search_by_key(&value, |(from, _)| *from).map_or(value, |place| table[place].1)
}

impl Generator {
    /// The action of an exchange that nobody notices; `None` if it is none that undoes itself.
    pub(super) fn new(
        network: &Network,
        layout: &Layout,
        classes: &Classes,
        exchange: &Exchange,
    ) -> Option<Self> {
        let mut tables: Vec<Vec<(i64, i64)>> = Vec::new();
        let mut of_class: BTreeMap<Class, usize> = BTreeMap::new();
        for (class, values) in &exchange.values {
            let moved: Vec<(i64, i64)> =
                values.iter().filter(|(from, to)| from != to).map(|(from, to)| (*from, *to)).collect();
            if !moved.is_empty() {
                of_class.insert(*class, tables.len());
                tables.push(moved);
            }
        }
        let table = |holder: Holder| classes.class(holder).and_then(|class| of_class.get(&class).copied());
        let process = |id: ProcessId| exchange.processes.get(&id).copied().unwrap_or(id);
        // The first element of each channel, in the order of all.
        let element = |position: usize| -> Option<(usize, (beeline_ir::ChannelId, usize))> {
            let from = network.element(position)?;
            let to = exchange.elements.get(&from).copied().unwrap_or(from);
            Some((network.first_element(to.0) + to.1, from))
        };
        let holders: Vec<(i64, i64)> = (exchange.processes.iter())
            .filter(|(from, to)| from != to)
            .map(|(from, to)| (from.index() as i64 + 1, to.index() as i64 + 1))
            .collect();
        let mut moves = Vec::new();
        for (from, slot) in layout.slots.iter().enumerate() {
            let (to, values) = match slot.kind {
                SlotKind::Location(id) => (layout.location[process(id)], None),
                SlotKind::Pid(_) => (from, None),
                SlotKind::Cell(var, cell) => {
                    let (to, at) = exchange.cells.get(&(var, cell)).copied().unwrap_or((var, cell));
                    (layout.var[to]? + at, table(Holder::Content(var)))
                }
                SlotKind::QueueLength(position) => (layout.queues[element(position)?.0]?.length, None),
                SlotKind::QueueCell(position, message, field) => {
                    let (to, (channel, _)) = element(position)?;
                    (layout.queues[to]?.cell(message, field), table(Holder::Field(channel, field)))
                }
                SlotKind::Holder => {
                    tables.push(holders.clone());
                    (from, Some(tables.len() - 1))
                }
            };
            if to != from || values.is_some() {
                moves.push(Move { to, from, values });
            }
        }
        moves.sort_by_key(|one| one.to);
        let mut selects = BTreeMap::new();
        for (id, process) in network.processes.enumerate() {
            for (edge, of) in process.edges.enumerate() {
                for select in 0..of.selects {
                    let holder = Holder::Local(Scope::Edge(id, edge), LocalId::new(select));
                    if let Some(table) = table(holder) {
                        selects.insert((id, edge, select), table);
                    }
                }
            }
        }
        let clocks = exchange.clocks.iter().filter(|(from, to)| from < to).map(|(a, b)| (*a, *b)).collect();
        let processes = exchange.processes.clone();
        let generator = Self { processes, moves, clocks, tables, selects };
        generator.undoes_itself(exchange).then_some(generator)
    }

    fn undoes_itself(&self, exchange: &Exchange) -> bool {
        let twice = |map: &BTreeMap<ClockId, ClockId>| {
            map.iter().all(|(from, to)| map.get(to).copied().unwrap_or(*to) == *from)
        };
        let processes = &self.processes;
        let back = |one: &Move| {
            let there = self.moves.binary_search_by_key(&one.from, |other| other.to).ok();
            let there = there.map(|place| &self.moves[place]);
            let values = |one: &Move| one.values.map_or(&[][..], |values| &self.tables[values]);
            there.is_some_and(|there| {
                let undone = |(from, to): &(i64, i64)| exchanged(values(there), *to) == *from;
                there.from == one.to
                    && values(one).iter().all(undone)
                    && values(one).len() == values(there).len()
            })
        };
        let selects = self.selects.iter().all(|((process, edge, select), table)| {
            let there = self.selects.get(&(self.process(*process), *edge, *select));
            let values = |table: usize| self.tables[table].iter().copied();
            there.is_some_and(|there| {
                values(*table).all(|(from, to)| exchanged(&self.tables[*there], to) == from)
            })
        });
        self.moves.iter().all(back)
            && twice(&exchange.clocks)
            && processes.iter().all(|(from, to)| processes.get(to) == Some(from))
            && selects
    }

    /// The process that a process is exchanged for.
    pub fn process(&self, id: ProcessId) -> ProcessId {
        self.processes.get(&id).copied().unwrap_or(id)
    }

    fn value(&self, one: &Move, slots: &[i64]) -> i64 {
        let value = slots[one.from];
        match one.values {
            Some(table) if !fault::active(Fault::SymmetryValuesKept) => exchanged(&self.tables[table], value),
            _ => value,
        }
    }

    /// How what a state becomes compares with the state, as far as slots go.
    pub fn compare(&self, slots: &[i64]) -> Ordering {
        let differs = |one: &Move| Some(self.value(one, slots).cmp(&slots[one.to])).filter(|o| o.is_ne());
        self.moves.iter().find_map(differs).unwrap_or(Ordering::Equal)
    }

    /// Exchanges the slots of a state.
    pub fn apply(&self, slots: &mut [i64], scratch: &mut Vec<i64>) {
        scratch.clear();
        scratch.extend(self.moves.iter().map(|one| self.value(one, slots)));
        for (one, value) in self.moves.iter().zip(&*scratch) {
            slots[one.to] = *value;
        }
    }

    /// What a label becomes.
    pub fn label(&self, label: &mut Label) {
        for part in &mut label.parts {
            for (select, value) in part.selects.iter_mut().enumerate() {
                if let Some(table) = self.selects.get(&(part.process, part.edge, select)) {
                    *value = exchanged(&self.tables[*table], *value);
                }
            }
            part.process = self.process(part.process);
        }
        // Receivers are in the order of processes.
        if let Some((_, receivers)) = label.parts.split_first_mut() {
            receivers.sort_by_key(|part| part.process);
        }
    }
}
