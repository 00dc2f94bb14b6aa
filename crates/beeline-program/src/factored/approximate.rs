//! What updates may do where they read too much to be tried out: their code runs on sets of values ([`super::probe`]). Of
//! a slot that they also read, what they make of each of its values is worked out by itself: a counter goes up by one,
//! and not to anywhere.

use super::Cube;
use super::change::{Change, MOST_PARTS};
use super::ground::Grounder;
use super::instance::{Instance, compiled};
use super::probe::{MOST_PROBES, Ran};
use crate::slots::SlotSet;
use crate::values::ValueSet;
use beeline_ir::limits::StopReason;
use std::collections::BTreeMap;

/// Whether slots hold, when the updates begin, what they held before the label.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Before {
    /// They do.
    Known,
    /// Others of the same label may have written them.
    Unknown,
}

impl Grounder<'_> {
    /// Runs the updates on all that they may read at once; false if that has been too much already.
    pub(super) fn approximate(
        &mut self,
        parts: &[&Instance],
        need: &Cube,
        before: Before,
        changes: &mut Vec<Change>,
    ) -> Result<bool, StopReason> {
        if self.parts > MOST_PARTS || self.probe.spent() {
            return Ok(false);
        }
        let (reads, writes) = self.footprint(parts);
        let need = if before == Before::Known { need } else { &Cube::default() };
        self.probe.before(&reads, &writes, need);
        if self.run(parts)? == Ran::Fails {
            return Ok(true);
        }
        let written: Vec<usize> = writes.iter().filter(|slot| self.domains.tracks(*slot)).collect();
        let after: Vec<ValueSet> = written.iter().map(|slot| *self.probe.get(*slot)).collect();
        let mut probes = MOST_PROBES;
        for (slot, after) in written.into_iter().zip(after) {
            let held: Vec<i64> = match need.of(slot) {
                Some(values) => values.to_vec(),
                None => self.domains.values(slot).collect(),
            };
            if before == Before::Known && reads.contains(slot) && after.size() > 1 && held.len() <= probes {
                probes -= held.len();
                if self.by_value(parts, &reads, &writes, need, (slot, &held, &after), changes)? {
                    continue;
                }
            }
            let values: Vec<i64> = self.domains.values(slot).filter(|value| after.contains(*value)).collect();
            changes.push(Change { within: Cube::default(), slot, values, firm: false });
        }
        Ok(true)
    }

    /// What the updates make of each of the values that a slot holds, if that says more than what they make of all
    /// together and is not too much.
    fn by_value(
        &mut self,
        parts: &[&Instance],
        reads: &SlotSet,
        writes: &SlotSet,
        need: &Cube,
        (slot, held, together): (usize, &[i64], &ValueSet),
        changes: &mut Vec<Change>,
    ) -> Result<bool, StopReason> {
        let mut found: BTreeMap<Vec<i64>, Vec<i64>> = BTreeMap::new();
        let mut size = 0;
        for value in held {
            self.probe.before(reads, writes, need);
            self.probe.set(slot, ValueSet::singleton(*value));
            if self.run(parts)? == Ran::Fails {
                continue;
            }
            let after = *self.probe.get(slot);
            // To keep a value is no change; but what is the same for all values is noted but once.
            let all = after == *together;
            let becomes =
                self.domains.values(slot).filter(|new| after.contains(*new) && (all || new != value));
            let becomes: Vec<i64> = becomes.collect();
            if !becomes.is_empty() {
                let from = found.entry(becomes);
                size += if let std::collections::btree_map::Entry::Vacant(new) = &from {
                    new.key().len()
                } else {
                    0
                };
                from.or_default().push(*value);
            }
            if size > MOST_PROBES || self.probe.spent() {
                return Ok(false);
            }
        }
        for (values, from) in found {
            let within = if from.len() == held.len() { Cube::default() } else { Cube(vec![(slot, from)]) };
            changes.push(Change { within, slot, values, firm: false });
        }
        Ok(true)
    }

    /// Runs the updates one after the other; all parts are at their targets before the first.
    pub(super) fn run(&mut self, parts: &[&Instance]) -> Result<Ran, StopReason> {
        let Self { program, probe, meter, .. } = self;
        let mut all = Ran::Succeeds;
        for part in parts {
            let target = compiled(program, part.at).target.index() as i64;
            probe.set(program.layout.location[part.at.0], ValueSet::singleton(target));
        }
        for part in parts {
            let edge = compiled(program, part.at);
            let Some(update) = edge.update else { continue };
            match probe.apply(program, update, &part.inputs(edge), meter)? {
                Ran::Fails => return Ok(Ran::Fails),
                Ran::Violates => all = Ran::Violates,
                Ran::Succeeds => {}
            }
        }
        Ok(all)
    }
}
