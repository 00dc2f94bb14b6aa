//! Expanding a state: each label that its discrete part enables is fired where the zone allows it, and time passes.

use super::candidate::{Candidate, EdgeInstance};
use super::decisions::Decisions;
use super::labels::{Enabled, FailingLabel};
use super::pace::Pace;
use super::recall::{Outcome, Recall, Step};
use super::space::{Space, State};
use crate::partial_order::{Here, Working};
use crate::state::zone_store::ZoneId;
use crate::time::TimePart;
use beeline_ir::EdgeId;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::schema::EdgeRef;
use beeline_program::{ClockEffect, ConcreteAtom, Effects, Machine};
use beeline_zones::fault::{self, Fault};

/// A state that a label leads to; it lives as long as the visit.
#[derive(Debug)]
pub struct Successor<'a, Z> {
    /// The label.
    pub label: LabelRef<'a>,
    /// Whether an assertion failed on the way.
    pub assertion_failed: bool,
    /// Where it leads.
    pub state: &'a State<Z>,
    /// The id of its zone in the passed list, if that is known.
    pub stored: Option<ZoneId>,
    /// The slots in which it may differ from the state it comes from, if that is known.
    pub changed: Option<&'a [u32]>,
}

/// A label that has not been written down yet: most never are.
#[derive(Copy, Clone, Debug)]
pub struct LabelRef<'a> {
    candidate: &'a Candidate,
    instances: &'a [EdgeInstance],
    observer: Option<EdgeId>,
}

impl LabelRef<'_> {
    /// The label.
    pub fn label(self) -> Label {
        Label { observer: self.observer, ..self.candidate.label(self.instances) }
    }
    /// Whether it counts as a step.
    pub fn costs(self) -> bool {
        self.candidate.costs
    }
    /// Its edges, initiator first.
    pub fn edges(&self) -> impl Iterator<Item = EdgeRef> + '_ {
        let edge = |part: &usize| (self.instances[*part].process, self.instances[*part].edge);
        self.candidate.parts.iter().map(edge)
    }
}

/// What an expansion found besides successors.
#[derive(Clone, Debug, Default)]
pub struct Leftover {
    /// Labels that fail.
    pub failing: Vec<FailingLabel>,
    /// An edge of the observer fails at run time.
    pub observer_fails: bool,
    /// Labels that were not looked at.
    pub left_out: u32,
}

impl Leftover {
    /// What two expansions of the same state found, all labels taken together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        // Labels that fail by their evaluation are found by both.
        let known = |failing: &FailingLabel| self.failing.iter().any(|known| known.label == failing.label);
        let more: Vec<FailingLabel> = other.failing.into_iter().filter(|failing| !known(failing)).collect();
        self.failing.extend(more);
        self.observer_fails |= other.observer_fails;
        self.left_out = 0;
        self
    }
}

/// Which labels of a state are looked at.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    /// All of them.
    #[default]
    All,
    /// Those that partial-order reduction chooses.
    Chosen,
    /// The others.
    Others,
}

/// Buffers of an expansion, kept from one to the next.
#[derive(Debug)]
pub struct Scratch<Z> {
    /// The state being made. Its slots, without cells, are those of the state to expand but for what `effects` says.
    next: State<Z>,
    effects: Effects,
    invariant: Vec<ConcreteAtom>,
    decided: Vec<ConcreteAtom>,
    /// What the state enables.
    enabled: Option<Box<Enabled>>,
    /// What states enable, as far as it is remembered.
    decisions: Option<Box<Decisions>>,
    /// What it enables over urgent channels.
    urgent: Enabled,
    /// Where labels have led, if that depends on the zone and the label alone.
    recall: Option<Recall<Z>>,
    /// The id, in the passed list, of the zone of the state to expand.
    stored: Option<ZoneId>,
    /// Which labels of the state to expand are looked at.
    extent: Extent,
    /// Memory for choosing them.
    working: Option<Box<Working>>,
}

impl<Z> Scratch<Z> {
    /// Says that the state to expand next has a zone of the passed list; it is quicker to find then.
    pub fn begin_in(&mut self, zone: Option<ZoneId>) {
        self.stored = zone;
    }
    /// Says which labels of the state to expand next are looked at.
    pub fn look_at(&mut self, extent: Extent) {
        self.extent = extent;
    }
}

impl<T: TimePart> Space<T> {
    /// Buffers for expanding states.
    pub fn scratch(&self, initial: &[i64]) -> Scratch<T::Zone> {
        let zone = self.time.universal(initial);
        Scratch {
            next: State { slots: Vec::new(), zone },
            effects: Effects::default(),
            invariant: Vec::new(),
            decided: Vec::new(),
            enabled: None,
            decisions: self.differences.pairs().is_empty().then(Box::default),
            urgent: Enabled::default(),
            recall: self.steps_recur().then(Recall::default),
            stored: None,
            extent: Extent::All,
            working: None,
        }
    }

    /// Whether the zone that a label leads to depends on nothing but the zone it starts from, what the locations there
    /// say about clocks, and what the label does to clocks.
    fn steps_recur(&self) -> bool {
        let layout = &self.program.layout;
        let fixed = self.table.conditional.is_empty() && self.differences.pairs().is_empty();
        // Processes that come and go change what locations say; urgent channels and tokens, whether time passes.
        let mortal = self.program.processes.ids().any(|process| layout.mortal(process));
        let stopped = self.has_urgent_channels || layout.holder.is_some();
        let seeded = fault::active(Fault::ActiveClockWrong);
        self.program.clocks > 0 && fixed && self.observer.is_none() && !mortal && !stopped && !seeded
    }

    /// Shows everything a state can do to a visitor, in the order of labels; an error if finding out is given up. Where
    /// there is symmetry, states are represented by others.
    pub fn expand(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        state: &State<T::Zone>,
        limits: &Limits,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<Leftover, StopReason> {
        let Some(symmetry) = &self.symmetry else {
            return self.expand_itself(machine, scratch, state, limits, visit);
        };
        let mut place = None;
        self.expand_itself(machine, scratch, state, limits, &mut |successor| {
            if symmetry.is_representative(&self.time, successor.state) {
                return visit(successor);
            }
            let place: &mut State<T::Zone> = place.get_or_insert_with(|| successor.state.clone());
            place.slots.clone_from(&successor.state.slots);
            place.zone.clone_from(&successor.state.zone);
            symmetry.represent(self, place);
            visit(Successor { state: place, stored: None, changed: None, ..successor });
        })
    }

    /// The same without regard to symmetry.
    pub fn expand_itself(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        state: &State<T::Zone>,
        limits: &Limits,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<Leftover, StopReason> {
        let mut decisions = scratch.decisions.take();
        if let Some(known) = decisions.as_mut().and_then(|decisions| decisions.find(&state.slots)) {
            debug_assert!(self.enables(machine, state, limits, known));
            let done = self.expand_enabled(machine, scratch, state, limits, known, visit);
            scratch.decisions = decisions;
            return done;
        }
        let mut enabled = scratch.enabled.take().unwrap_or_default();
        let noting = decisions.as_ref().is_some_and(|decisions| decisions.wants());
        let done = self.enabled_at(machine, state, limits, noting, &mut enabled).and_then(|()| {
            if let Some(decisions) = &mut decisions {
                decisions.learn(&self.program.layout, &state.slots, &enabled);
            }
            let mut left = self.expand_enabled(machine, scratch, state, limits, &enabled, visit)?;
            // Labels that fail by their evaluation come before those that fail when they fire.
            enabled.failing.append(&mut left.failing);
            left.failing = std::mem::take(&mut enabled.failing);
            Ok(left)
        });
        (scratch.enabled, scratch.decisions) = (Some(enabled), decisions);
        done
    }

    /// Whether a state enables these labels. For assertions.
    fn enables(
        &self,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
        expected: &Enabled,
    ) -> bool {
        let mut enabled = Enabled::default();
        let all = |enabled: &Enabled| -> Vec<_> {
            let label = |c: &Candidate| (c.label(&enabled.instances), c.required.clone(), c.excluded.clone());
            enabled.allowed.iter().map(label).collect()
        };
        self.enabled_at(machine, state, limits, false, &mut enabled).is_err()
            || enabled.failing.is_empty() && all(&enabled) == all(expected)
    }

    fn expand_enabled(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        state: &State<T::Zone>,
        limits: &Limits,
        enabled: &Enabled,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<Leftover, StopReason> {
        let mut left = Leftover::default();
        let mut pace = Pace::new(machine, limits);
        // What it takes to copy a state.
        let weight = 8 + (state.slots.len() + self.time.entries(&state.zone).len()) as u64 / 8;
        let stored = scratch.stored.take();
        scratch.effects.clear();
        scratch.next.slots.clear();
        scratch.next.slots.extend_from_slice(self.plain(&state.slots));
        let start = scratch.recall.as_mut().and_then(|recall| recall.number(&self.time, &state.zone, stored));
        let extent = std::mem::take(&mut scratch.extent);
        let chosen = match extent {
            Extent::All => false,
            Extent::Chosen => self.choose(machine, scratch, state, enabled),
            // Those outside of the set of the look before at this state: choosing again may give another one.
            Extent::Others => true,
        };
        for candidate in &*enabled.allowed {
            if chosen && !self.looks_at(scratch, candidate, enabled, extent) {
                left.left_out += 1;
                continue;
            }
            pace.check(machine, weight)?;
            let mut from = From { candidate, enabled, state, left: &mut left, limits };
            // Without priorities and receivers that stay behind, where a label may fire is one zone.
            if candidate.excluded.is_empty() && !enabled.prioritised {
                let step = start.zip(candidate.timing).map(|(from, timing)| Step { from, timing });
                let recall = scratch.recall.as_mut();
                if let Some(outcome) = recall.zip(step).and_then(|(recall, step)| recall.outcome(&step)) {
                    if outcome != Outcome::Disabled && self.leave(machine, scratch, &mut from) {
                        self.enter_recalled(scratch, &from, outcome, visit);
                    }
                    continue;
                }
                let mut constrained = || {
                    scratch.next.zone.clone_from(&state.zone);
                    self.time.constrain(&mut scratch.next.zone, &candidate.required)
                };
                if !self.time.possible(&state.zone, &candidate.required) || !constrained() {
                    self.remember(scratch, step, Err(Outcome::Disabled));
                    continue;
                }
                if !self.leave(machine, scratch, &mut from) {
                    continue;
                }
                if self.differences.pairs().is_empty() && self.observer.is_none() {
                    self.enter(machine, scratch, &from, step, visit)?;
                    continue;
                }
                let region = scratch.next.zone.clone();
                self.enter_pieces(machine, scratch, &mut from, region, visit)?;
                continue;
            }
            let regions = candidate.fires_in(&self.time, &state.zone, enabled);
            if regions.is_empty() || !self.leave(machine, scratch, &mut from) {
                continue;
            }
            for region in regions {
                self.enter_pieces(machine, scratch, &mut from, region, visit)?;
            }
        }
        Ok(left)
    }

    /// Whether labels may be left out only if another leads to a state that is still to be expanded.
    pub fn must_progress(&self) -> bool {
        self.partial_order.as_ref().is_ok_and(|reduction| reduction.must_progress())
    }

    /// Whether labels may stay left out, given how many successors the others have led to, and whether some is still to be
    /// expanded.
    pub fn goes_on(&self, made: u64, to_come: impl FnOnce() -> bool) -> bool {
        self.partial_order.as_ref().is_ok_and(|reduction| {
            (made > 0 || !reduction.must_lead_somewhere()) && (!reduction.must_progress() || to_come())
        })
    }

    /// Whether some labels of a state need not be looked at.
    #[cold]
    fn choose(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        state: &State<T::Zone>,
        enabled: &Enabled,
    ) -> bool {
        let Ok(reduction) = &self.partial_order else { return false };
        let working = scratch.working.get_or_insert_with(|| Box::new(Working::new(reduction, &self.program)));
        let here = Here { program: &self.program, slots: self.plain(&state.slots), enabled };
        reduction.choose(here, machine, working)
    }

    /// Whether a label is of those that are asked for.
    fn looks_at(
        &self,
        scratch: &Scratch<T::Zone>,
        candidate: &Candidate,
        enabled: &Enabled,
        extent: Extent,
    ) -> bool {
        let Some(working) = &scratch.working else { return true };
        let chosen = candidate.parts.iter().any(|part| working.chosen(enabled.instances[*part].process));
        chosen == (extent == Extent::Chosen)
    }

    /// Fires a candidate and evaluates the invariant there; false if there is no successor.
    fn leave(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        from: &mut From<'_, T::Zone>,
    ) -> bool {
        let Scratch { next, effects, invariant, .. } = scratch;
        let From { candidate, enabled, state, .. } = *from;
        let conditional = self.table.conditional.iter().copied();
        effects.undo(&mut next.slots, &state.slots);
        debug_assert!(next.slots == self.plain(&state.slots), "only what is said to have changed has");
        let done = self
            .fire_over(machine, candidate, &enabled.instances, &mut next.slots, effects)
            .and_then(|()| self.collect_invariant(machine, &next.slots, conditional, invariant));
        done.unwrap_or_else(|error| {
            let label = candidate.label(&enabled.instances);
            from.left.failing.push(FailingLabel { label, error, costs: candidate.costs });
            false
        })
    }

    /// Enters the new discrete state with the whole zone, where no differences are tracked and nobody observes.
    fn enter(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        from: &From<'_, T::Zone>,
        step: Option<Step>,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<(), StopReason> {
        let Scratch { next, effects, invariant, urgent, .. } = scratch;
        if !self.time.enter(&mut next.zone, &effects.clock_ops, &next.slots)
            || !self.time.constrain(&mut next.zone, invariant)
        {
            self.remember(scratch, step, Err(Outcome::Blocked));
            return Ok(());
        }
        self.forget_after(&from.state.slots, &mut next.slots, effects);
        self.settle(machine, &next.slots, invariant, &mut next.zone, from.limits, urgent)?;
        self.remember(scratch, step, Ok(()));
        let Effects { assertion_failed, changed, .. } = &scratch.effects;
        visit(Successor {
            label: from.label(None),
            assertion_failed: *assertion_failed,
            state: &scratch.next,
            stored: None,
            changed: Some(changed),
        });
        Ok(())
    }

    /// Remembers what has come of a step: nothing, or the zone of the state just made.
    fn remember(&self, scratch: &mut Scratch<T::Zone>, step: Option<Step>, outcome: Result<(), Outcome>) {
        if let Some((recall, step)) = scratch.recall.as_mut().zip(step) {
            recall.remember(&self.time, step, outcome.map(|()| &scratch.next.zone));
        }
    }

    /// Enters the new discrete state with the zone that the same step has led to before.
    fn enter_recalled(
        &self,
        scratch: &mut Scratch<T::Zone>,
        from: &From<'_, T::Zone>,
        outcome: Outcome,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) {
        let Scratch { next, effects, recall, .. } = scratch;
        let (Outcome::Leads(number), Some(recall)) = (outcome, recall) else { return };
        debug_assert!(self.leads_to(from, &effects.clock_ops, &next.slots, recall.zone_mut(number)));
        self.forget_after(&from.state.slots, &mut next.slots, effects);
        std::mem::swap(&mut next.zone, recall.zone_mut(number));
        let (assertion_failed, stored) = (effects.assertion_failed, recall.stored(number));
        let changed = Some(&*effects.changed);
        visit(Successor { label: from.label(None), assertion_failed, state: next, stored, changed });
        std::mem::swap(&mut next.zone, recall.zone_mut(number));
    }

    /// Whether working out the zone that a label leads to, where no label stops time, gives this one. For assertions.
    fn leads_to(
        &self,
        from: &From<'_, T::Zone>,
        effects: &[ClockEffect],
        slots: &[i64],
        zone: &T::Zone,
    ) -> bool {
        let mut next = from.state.zone.clone();
        let entered = self.time.constrain(&mut next, &from.candidate.required)
            && self.time.enter(&mut next, effects, slots);
        if entered && !self.time.stands_still(&next) && !fault::active(Fault::NoDelayAfterJump) {
            self.let_time_pass(&mut next, &[]);
        }
        self.time.normalise(&mut next);
        entered && self.time.same(&next, zone)
    }

    /// Enters the new discrete state from one region of the old one, by cells and by what the observer does.
    fn enter_pieces(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        from: &mut From<'_, T::Zone>,
        region: T::Zone,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<(), StopReason> {
        let Scratch { next, effects, invariant, decided, urgent, .. } = scratch;
        let (clocks, old) = (self.program.clocks, &from.state.slots);
        let pieces =
            self.differences.split(&self.time, region, old, &effects.clock_ops, clocks, from.limits)?;
        for (mut zone, cells) in pieces {
            let mut slots = next.slots.clone();
            slots.extend(cells);
            decided.clone_from(invariant);
            if !self.differences.decide(&slots, decided)
                || !self.time.enter(&mut zone, &effects.clock_ops, &slots)
                || !self.time.constrain(&mut zone, decided)
            {
                continue;
            }
            let fails = &mut from.left.observer_fails;
            for (mut slots, observer) in self.observed(machine, slots, fails, from.limits)? {
                let mut zone = zone.clone();
                self.forget(&mut slots);
                self.settle(machine, &slots, decided, &mut zone, from.limits, urgent)?;
                let (label, assertion_failed) = (from.label(observer), effects.assertion_failed);
                let (state, stored, changed) = (&State { slots, zone }, None, None);
                visit(Successor { label, assertion_failed, state, stored, changed });
            }
        }
        Ok(())
    }
}

/// The label being taken, and where from.
struct From<'a, Z> {
    candidate: &'a Candidate,
    enabled: &'a Enabled,
    state: &'a State<Z>,
    left: &'a mut Leftover,
    limits: &'a Limits,
}

impl<Z> From<'_, Z> {
    fn label(&self, observer: Option<EdgeId>) -> LabelRef<'_> {
        LabelRef { candidate: self.candidate, instances: &self.enabled.instances, observer }
    }
}
