//! What updates do to single slots: worked out step by step where they are plain assignments, tried out on all
//! combinations of what they read otherwise; where that would be too much, what sets of values tell
//! ([`super::approximate`]), and in the end anything.

use super::Cube;
use super::approximate::Before;
use super::cube::{Grid, MOST_WORK};
use super::ground::Grounder;
use super::instance::{Instance, compiled};
use super::meter::metered;
use crate::edge::{Effects, Evaluated, FirePart};
use crate::machine::Machine;
use crate::schema::EdgeRef;
use crate::shortcut::Step;
use crate::slots::SlotSet;
use beeline_ir::expr::RuntimeError;
use beeline_ir::limits::StopReason;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Needs and effects of all actions, beyond which updates become coarse.
pub(super) const MOST_PARTS: usize = 1 << 22;
/// Needs and effects of all actions, beyond which nothing is known of what updates write.
const MOST_PARTS_AT_ALL: usize = 1 << 24;

/// What an update may do: in the states of a cube, a slot gets one of these values.
#[derive(Clone)]
pub(super) struct Change {
    pub(super) within: Cube,
    pub(super) slot: usize,
    pub(super) values: Vec<i64>,
    /// Whether it cannot keep what it has.
    pub(super) firm: bool,
}

impl Change {
    fn bytes(&self) -> usize {
        self.within.bytes() + size_of_val(&*self.values) + size_of::<Self>()
    }
}

/// What updates do by themselves: edge, select values, and what is known of what they read.
pub(super) type WorkedOut = FxHashMap<(EdgeRef, Option<Vec<i64>>, Cube), Vec<Change>>;

/// What a slot holds after some steps, in terms of what slots held before.
#[derive(Copy, Clone)]
enum Symbol {
    Value(i64),
    Plus(usize, i64),
}

impl Grounder<'_> {
    /// What the parts named do when those that fire do.
    pub(super) fn changes(
        &mut self,
        fired: &[&Instance],
        doing: &[&Instance],
        need: &Cube,
    ) -> Result<Vec<Change>, StopReason> {
        let mut changes = Vec::new();
        for instance in doing {
            let edge = compiled(&self.program, instance.at);
            let slot = self.program.layout.location[instance.at.0];
            if edge.exits {
                let gone = self.program.processes[instance.at.0].locations.len() as i64;
                changes.push(Change { within: Cube::default(), slot, values: vec![gone], firm: true });
            } else if edge.source != edge.target {
                let values = vec![edge.target.index() as i64];
                changes.push(Change { within: Cube::default(), slot, values, firm: true });
            }
        }
        if fired.is_empty() {
            for part in doing {
                if !self.approximate(&[part], need, Before::Unknown, &mut changes)? {
                    self.havoc(&[part], &mut changes);
                }
            }
            return Ok(changes);
        }
        if self.linked(fired) {
            self.update(fired, need, &mut changes)?;
        } else {
            for part in doing {
                self.update(&[part], need, &mut changes)?;
            }
            // What one part makes of a slot, another may undo.
            let (mut written, mut contested) = (SlotSet::default(), SlotSet::default());
            for part in fired {
                let (_, writes) = self.footprint(&[*part]);
                writes.common(&written).for_each(|slot| contested.insert(slot));
                written.extend(&writes);
            }
            changes.iter_mut().for_each(|change| change.firm &= !contested.contains(change.slot));
        }
        Ok(changes)
    }

    /// Whether the update of a part reads what another part has done.
    pub(super) fn linked(&self, fired: &[&Instance]) -> bool {
        // What an earlier part writes, a later one may read; all are at their targets before the first update.
        let mut written = SlotSet::default();
        if fired.len() > 1 {
            fired.iter().for_each(|part| written.insert(self.program.layout.location[part.at.0]));
        }
        let mut linked = false;
        for routine in fired.iter().filter_map(|part| compiled(&self.program, part.at).update) {
            linked |= self.program.routines[routine].reads.meets(&written);
            written.extend(&self.program.routines[routine].writes);
        }
        linked
    }

    /// What the updates of some parts do together. What one part does by itself is worked out once for all its partners.
    fn update(
        &mut self,
        parts: &[&Instance],
        need: &Cube,
        changes: &mut Vec<Change>,
    ) -> Result<(), StopReason> {
        let [part] = parts else { return self.work_out(parts, need, changes) };
        let Some(update) = compiled(&self.program, part.at).update else { return Ok(()) };
        let reads = &self.program.routines[update].reads;
        let within = need.0.iter().filter(|(slot, _)| reads.contains(*slot)).cloned().collect();
        let key = (part.at, part.selects.clone(), Cube(within));
        if let Some(known) = self.worked_out.get(&key) {
            changes.extend_from_slice(known);
            return Ok(());
        }
        let mut found = Vec::new();
        self.work_out(parts, &key.2, &mut found)?;
        changes.extend_from_slice(&found);
        let bytes = found.iter().map(Change::bytes).sum::<usize>() + key.2.bytes() + size_of_val(&key);
        self.meter.allocate(bytes)?;
        self.worked_out.insert(key, found);
        Ok(())
    }

    fn work_out(
        &mut self,
        parts: &[&Instance],
        need: &Cube,
        changes: &mut Vec<Change>,
    ) -> Result<(), StopReason> {
        let exact = self.symbols(parts).is_some_and(|symbols| {
            self.substitute(&symbols, need, changes);
            true
        });
        let exact = exact || self.try_out(parts, need, changes)?;
        let before = if self.buffered(parts) { Before::Unknown } else { Before::Known };
        if !exact && !self.approximate(parts, need, before, changes)? {
            self.havoc(parts, changes);
        }
        Ok(())
    }

    /// Whether a message is taken from a buffer, or put there, before the updates of some parts: what they find in it
    /// is not what was there before.
    pub(super) fn buffered(&self, parts: &[&Instance]) -> bool {
        let queues = &self.program.layout.queues;
        parts.iter().any(|part| part.elements.iter().any(|(element, _)| queues[*element].is_some()))
    }

    /// What slots hold after updates that are nothing but steps.
    fn symbols(&self, parts: &[&Instance]) -> Option<BTreeMap<usize, Symbol>> {
        let mut symbols: BTreeMap<usize, Symbol> = BTreeMap::new();
        for part in parts {
            let edge = compiled(&self.program, part.at);
            if edge.update.is_none() {
                continue;
            }
            let selects = part.selects.as_ref()?;
            for step in edge.steps.as_ref()? {
                match *step {
                    Step::Set(slot, value) => symbols.insert(slot, Symbol::Value(value)),
                    Step::Select(slot, select) => symbols.insert(slot, Symbol::Value(selects[select])),
                    Step::Copy(slot, from, plus, fit) if fit.checks() => {
                        let symbol = match symbols.get(&from) {
                            None => Symbol::Plus(from, plus),
                            Some(Symbol::Value(value)) => Symbol::Value(value.checked_add(plus)?),
                            Some(Symbol::Plus(from, before)) => {
                                Symbol::Plus(*from, before.checked_add(plus)?)
                            }
                        };
                        symbols.insert(slot, symbol)
                    }
                    Step::Clock(..) => None,
                    Step::Copy(..) | Step::Put(..) | Step::Take(..) => return None,
                };
            }
        }
        Some(symbols)
    }

    fn substitute(&mut self, symbols: &BTreeMap<usize, Symbol>, need: &Cube, changes: &mut Vec<Change>) {
        for (&slot, symbol) in symbols {
            match *symbol {
                Symbol::Value(value) => {
                    changes.push(Change { within: Cube::default(), slot, values: vec![value], firm: true });
                }
                Symbol::Plus(from, 0) if from == slot => {}
                Symbol::Plus(from, plus) if self.domains.tracks(from) => {
                    let values: Vec<i64> = match need.of(from) {
                        Some(values) => values.to_vec(),
                        None => self.domains.values(from).collect(),
                    };
                    changes.extend(values.iter().filter_map(|value| {
                        let values = vec![value.checked_add(plus)?];
                        Some(Change { within: Cube::value(from, *value), slot, values, firm: true })
                    }));
                }
                Symbol::Plus(..) => self.anything(slot, changes),
            }
        }
    }

    /// What the updates of some parts read and write together.
    pub(super) fn footprint(&self, parts: &[&Instance]) -> (SlotSet, SlotSet) {
        let (mut reads, mut writes) = (SlotSet::default(), SlotSet::default());
        for routine in parts.iter().filter_map(|part| compiled(&self.program, part.at).update) {
            reads.extend(&self.program.routines[routine].reads);
            writes.extend(&self.program.routines[routine].writes);
        }
        (reads, writes)
    }

    /// The same; `None` if more than variables is involved, or too much has been tried out already.
    pub(super) fn touched(&self, parts: &[&Instance]) -> Option<(SlotSet, SlotSet)> {
        for part in parts {
            let edge = compiled(&self.program, part.at);
            part.selects.as_ref()?;
            let buffered = self.buffered(&[*part]);
            let too_much = self.parts > MOST_PARTS || self.machine.total_work() > MOST_WORK;
            if !edge.sync.is_plain() || buffered || edge.exits || too_much {
                return None;
            }
        }
        let (reads, writes) = self.footprint(parts);
        let places = &self.program.layout.location;
        if writes.iter().any(|slot| places.iter().any(|place| *place == slot)) {
            return None;
        }
        Some((reads, writes))
    }

    /// Runs the updates on all combinations of what they read; false if there are too many, or more than variables is
    /// involved.
    fn try_out(
        &mut self,
        parts: &[&Instance],
        need: &Cube,
        changes: &mut Vec<Change>,
    ) -> Result<bool, StopReason> {
        let Some((reads, writes)) = self.touched(parts) else { return Ok(false) };
        let Some(grid) = Grid::new(&self.domains, reads.iter(), need, self.meter.combinations) else {
            return Ok(false);
        };
        let evaluated = Evaluated::default();
        let fired = fire_parts(parts, &evaluated);
        let written: Vec<usize> = writes.iter().collect();
        // A slot that keeps two different values is not written.
        let ends: Vec<[i64; 2]> = written
            .iter()
            .map(|slot| {
                let range = self.program.layout.slots[*slot].range;
                [range.lo, range.hi]
            })
            .collect();
        let Self { program, meter, machine, state, .. } = self;
        let (mut next, mut effects) = (Vec::new(), Effects::default());
        let mut run = |machine: &mut Machine, state: &[i64], end: usize| -> Result<Vec<i64>, RuntimeError> {
            next.clear();
            next.extend_from_slice(state);
            for (slot, ends) in written.iter().zip(&ends) {
                if !reads.contains(*slot) {
                    next[*slot] = ends[end];
                }
            }
            effects.clear();
            machine.fire(program, &fired, &mut next, &mut effects)?;
            Ok(written.iter().map(|slot| next[*slot]).collect())
        };
        let answers = grid.each(state, |state| {
            let ends_of =
                |machine: &mut Machine| Some((run(machine, state, 0).ok()?, run(machine, state, 1).ok()?));
            let Some((low, high)) = metered(meter, machine, ends_of)? else { return Ok(None) };
            meter.work(written.len() as u64)?;
            let kept = |(at, slot): (usize, &usize)| {
                let before = if reads.contains(*slot) { [state[*slot]; 2] } else { ends[at] };
                ([low[at], high[at]] != before).then_some(low[at])
            };
            Ok(Some(written.iter().enumerate().map(kept).collect::<Vec<Option<i64>>>()))
        })?;
        for (at, slot) in written.iter().enumerate() {
            let mut values: Vec<i64> = answers.iter().flatten().filter_map(|answer| answer[at]).collect();
            values.sort_unstable();
            values.dedup();
            for value in values {
                meter.work(answers.len() as u64)?;
                let gives = |answer: &Option<Vec<Option<i64>>>| {
                    answer.as_ref().is_some_and(|answer| answer[at] == Some(value))
                };
                for within in grid.cubes(&answers, &gives) {
                    changes.push(Change { within, slot: *slot, values: vec![value], firm: true });
                }
            }
        }
        Ok(true)
    }

    /// What the updates write may become anything.
    fn havoc(&mut self, parts: &[&Instance], changes: &mut Vec<Change>) {
        for part in parts {
            if let Some(routine) = compiled(&self.program, part.at).update {
                let writes = self.program.routines[routine].writes.clone();
                writes.iter().for_each(|slot| self.anything(slot, changes));
            }
        }
    }

    fn anything(&mut self, slot: usize, changes: &mut Vec<Change>) {
        if self.domains.tracks(slot) && self.parts <= MOST_PARTS_AT_ALL {
            let values = self.domains.values(slot).collect();
            changes.push(Change { within: Cube::default(), slot, values, firm: false });
        } else {
            self.untracked.insert(slot);
        }
    }
}

/// Parts that synchronise without messages, for firing.
pub(super) fn fire_parts<'p>(parts: &'p [&Instance], evaluated: &'p Evaluated) -> Vec<FirePart<'p>> {
    let part = |part: &&'p Instance| FirePart {
        process: part.at.0,
        edge: part.at.1,
        selects: part.selects.as_deref().unwrap_or(&[]),
        evaluated,
        message: None,
    };
    parts.iter().map(part).collect()
}
