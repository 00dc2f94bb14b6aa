//! The symbolic state space of a network as a property sees it: initial states, and what each state leads to.

use super::candidate::{Candidate, Conjunction, EdgeInstance};
use super::differences::Differences;
use super::labels::{self, Decide, Enabled, FailingLabel, Question};
use super::pace::Pace;
use super::table::Table;
use crate::time::TimePart;
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::liveness::Liveness;
use beeline_program::schema::EdgeRef;
use beeline_program::shortcut::Test;
use beeline_program::{ConcreteAtom, Effects, Evaluated, FirePart, Machine, Predicate, Program};
use beeline_zones::fault::{self, Fault};
use smallvec::SmallVec;

/// What a search looks for.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Nothing: explore everything.
    Nothing,
    /// A state where the predicate holds. The tests, which cannot fail, are what it begins with.
    State(Predicate, Box<[Test]>),
    /// A label that fails at run time.
    RuntimeError,
    /// A label in which an assertion fails.
    Assertion,
}

/// A symbolic state: slots (followed by the cells of tracked differences) and a zone closed under delay.
#[derive(Clone, Debug)]
pub struct State<Z> {
    /// Discrete part.
    pub slots: Vec<i64>,
    /// Timed part.
    pub zone: Z,
}

/// Something of which the observer, if there is one, has made this by a step of its own.
pub type Observed<S> = (S, Option<EdgeId>);

/// A state that a label leads to; it lives as long as the visit.
#[derive(Debug)]
pub struct Successor<'a, Z> {
    /// The label.
    pub label: LabelRef<'a>,
    /// Whether an assertion failed on the way.
    pub assertion_failed: bool,
    /// Where it leads.
    pub state: &'a State<Z>,
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
}

/// Buffers of an expansion, kept from one to the next.
#[derive(Debug)]
pub struct Scratch<Z> {
    /// The state being made.
    next: State<Z>,
    /// The slots after firing, before the cells.
    fired: Vec<i64>,
    effects: Effects,
    invariant: Vec<ConcreteAtom>,
    decided: Vec<ConcreteAtom>,
    /// What the state enables.
    enabled: Option<Box<Enabled>>,
    /// What it enables over urgent channels.
    urgent: Enabled,
}

/// The symbolic state space.
#[derive(Clone, Debug)]
pub struct Space<T: TimePart> {
    /// The compiled network.
    pub program: Program,
    /// What is looked up about its edges.
    pub table: Table,
    /// The timed part.
    pub time: T,
    /// Variables whose value is forgotten where it cannot matter.
    pub liveness: Option<Liveness>,
    /// Differences of clocks kept in the discrete part.
    pub differences: Differences,
    /// The observer that steps, if the property has one.
    pub observer: Option<ProcessId>,
    /// What is looked for.
    pub goal: Goal,
    /// Which channels are urgent.
    pub urgent: Vec<bool>,
    /// Some are.
    pub has_urgent_channels: bool,
}

impl<T: TimePart> Space<T> {
    /// The layout's part of an engine state.
    pub fn plain<'s>(&self, slots: &'s [i64]) -> &'s [i64] {
        &slots[..self.program.layout.slots.len()]
    }

    /// The invariant of a discrete state as clock atoms (diagonals not yet decided); `None` where it cannot hold.
    pub fn invariant(
        &self,
        machine: &mut Machine,
        slots: &[i64],
    ) -> Result<Option<Vec<ConcreteAtom>>, RuntimeError> {
        let mut atoms = Vec::new();
        let all = self.program.processes.ids();
        Ok(self.collect_invariant(machine, slots, all, &mut atoms)?.then_some(atoms))
    }

    /// The same into a buffer, which is emptied first, for some of the processes; whether it can hold.
    fn collect_invariant(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        processes: impl Iterator<Item = ProcessId>,
        atoms: &mut Vec<ConcreteAtom>,
    ) -> Result<bool, RuntimeError> {
        let state = self.plain(slots);
        atoms.clear();
        for process in processes {
            let Some(location) = self.program.location(process, state) else { continue };
            let location = &self.program.processes[process].locations[location];
            if !machine.evaluate_invariant(&self.program, location, state, atoms)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether time may pass in this discrete state, however long it takes to find out. For states that a search
    /// has found within its limits.
    pub fn may_delay(&self, machine: &mut Machine, slots: &[i64]) -> bool {
        self.may_delay_within(machine, slots, &Limits::default()).unwrap_or(false)
    }

    /// Whether time may pass in this discrete state.
    pub fn may_delay_within(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        limits: &Limits,
    ) -> Result<bool, StopReason> {
        let stops = |(process, compiled): (ProcessId, &beeline_program::CompiledProcess)| {
            self.program.location(process, slots).is_some_and(|location| compiled.stops_time(location))
        };
        if self.program.processes.enumerate().any(stops) && !fault::active(Fault::UrgentIgnored) {
            return Ok(false);
        }
        self.labels_let_delay(machine, slots, limits, &mut Enabled::default())
    }

    /// Whether time may pass as far as the token and the enabled labels are concerned.
    fn labels_let_delay(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        limits: &Limits,
        buffer: &mut Enabled,
    ) -> Result<bool, StopReason> {
        if fault::active(Fault::UrgentIgnored) {
            return Ok(true);
        }
        if self.program.layout.holder.is_some_and(|slot| slots[slot] != 0) {
            return Ok(false);
        }
        if !self.has_urgent_channels {
            return Ok(true);
        }
        let decide = |atoms: &Conjunction| atoms.is_empty().then_some(true);
        let question = Question { urgent_only: Some(&self.urgent), ..self.question(slots, &decide) };
        labels::enabled(question, machine, limits, buffer)?;
        Ok(!buffer.urgent)
    }

    fn question<'q>(&'q self, slots: &'q [i64], decide: &'q Decide<'q>) -> Question<'q> {
        let Self { program, table, differences, .. } = self;
        Question { program, table, differences, slots, decide, urgent_only: None }
    }

    /// What a discrete state enables, whatever its clocks.
    pub fn enabled(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        limits: &Limits,
    ) -> Result<Enabled, StopReason> {
        let decide = |atoms: &Conjunction| atoms.is_empty().then_some(true);
        let mut enabled = Enabled::default();
        labels::enabled(self.question(slots, &decide), machine, limits, &mut enabled)?;
        Ok(enabled)
    }

    /// What a state enables.
    fn enabled_at(
        &self,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
        enabled: &mut Enabled,
    ) -> Result<(), StopReason> {
        let decide = |atoms: &Conjunction| {
            if self.time.implies(&state.zone, atoms) {
                return Some(true);
            }
            (!self.time.constrain(&mut state.zone.clone(), atoms)).then_some(false)
        };
        labels::enabled(self.question(&state.slots, &decide), machine, limits, enabled)
    }

    /// Fires a candidate on the discrete part; the result has no cells yet.
    pub fn fire(
        &self,
        machine: &mut Machine,
        candidate: &Candidate,
        instances: &[EdgeInstance],
        slots: &[i64],
    ) -> Result<(Vec<i64>, Effects), RuntimeError> {
        let (mut next, mut effects) = (Vec::new(), Effects::default());
        self.fire_into(machine, candidate, instances, slots, &mut next, &mut effects)?;
        Ok((next, effects))
    }

    /// The same into buffers, which are emptied first.
    fn fire_into(
        &self,
        machine: &mut Machine,
        candidate: &Candidate,
        instances: &[EdgeInstance],
        slots: &[i64],
        next: &mut Vec<i64>,
        effects: &mut Effects,
    ) -> Result<(), RuntimeError> {
        let sender = &instances[candidate.parts[0]];
        let part = |(position, index): (usize, &usize)| {
            let instance = &instances[*index];
            FirePart {
                process: instance.process,
                edge: instance.edge,
                selects: &instance.selects,
                evaluated: &instance.evaluated,
                message: (position > 0).then_some(sender.evaluated.message.as_slice()),
            }
        };
        let parts: SmallVec<[FirePart<'_>; 4]> = candidate.parts.iter().enumerate().map(part).collect();
        next.clear();
        next.extend_from_slice(self.plain(slots));
        effects.clear();
        match machine.fire(&self.program, &parts, next, effects) {
            Err(RuntimeError::Range) if fault::active(Fault::WrapInsteadOfRangeError) => {}
            result => result?,
        }
        if fault::active(Fault::ReceiverResetsDropped) && parts.len() > 1 {
            let (mut scratch, mut own) = (self.plain(slots).to_vec(), Effects::default());
            machine.fire(&self.program, &parts[..1], &mut scratch, &mut own)?;
            effects.clock_ops.truncate(own.clock_ops.len());
        }
        Ok(())
    }

    /// Forgets the values of dead variables.
    #[inline]
    fn forget(&self, slots: &mut [i64]) {
        if let Some(liveness) = &self.liveness {
            liveness.forget(slots);
        }
    }

    /// Delay and abstraction: what a state that has just been entered becomes.
    fn settle(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        invariant: &[ConcreteAtom],
        zone: &mut T::Zone,
        limits: &Limits,
        buffer: &mut Enabled,
    ) -> Result<(), StopReason> {
        if !self.time.stands_still(zone)
            && self.labels_let_delay(machine, slots, limits, buffer)?
            && !fault::active(Fault::NoDelayAfterJump)
        {
            if fault::active(Fault::NoInvariantAfterDelay) {
                self.time.up(zone);
            } else {
                self.time.delay(zone, invariant);
            }
        }
        self.time.normalise(zone);
        Ok(())
    }

    /// The observer's choices in a state: none without an active observer, else one state per enabled edge. An
    /// edge that fails is not enabled, but then the observer has not seen what it should have.
    fn observed(
        &self,
        machine: &mut Machine,
        slots: Vec<i64>,
        fails: &mut bool,
        limits: &Limits,
    ) -> Result<Vec<Observed<Vec<i64>>>, StopReason> {
        let Some(observer) = self.observer else { return Ok(vec![(slots, None)]) };
        let mut pace = Pace::new(machine, limits);
        let mut choices = Vec::new();
        let mut evaluated = Evaluated::default();
        for &edge in self.program.outgoing(observer, &slots) {
            let compiled = &self.program.processes[observer].edges[edge];
            let mut selects = Vec::new();
            let mut more = first_selects(&compiled.selects, &mut selects);
            while more {
                pace.check(machine, 1)?;
                evaluated.clear();
                let state = self.plain(&slots);
                let enabled =
                    machine.evaluate_edge(&self.program, observer, edge, &selects, state, &mut evaluated);
                *fails |= enabled.is_err();
                if enabled == Ok(true) {
                    let mut next = slots.clone();
                    next[self.program.layout.location[observer]] = compiled.target.index() as i64;
                    choices.push((next, Some(edge)));
                    break;
                }
                more = next_selects(&compiled.selects, &mut selects);
            }
        }
        Ok(choices)
    }

    /// The initial states (several if an observer has a choice; none if an invariant fails).
    pub fn initial(
        &self,
        machine: &mut Machine,
        initial: Vec<i64>,
        observer_fails: &mut bool,
        limits: &Limits,
    ) -> Result<Vec<Observed<State<T::Zone>>>, StopReason> {
        let mut slots = initial;
        slots.extend(self.differences.initial());
        let Ok(Some(mut invariant)) = self.invariant(machine, &slots) else { return Ok(Vec::new()) };
        let mut zone = self.time.zero(&slots);
        if !self.differences.decide(&slots, &mut invariant) || !self.time.constrain(&mut zone, &invariant) {
            return Ok(Vec::new());
        }
        let mut states = Vec::new();
        for (mut slots, edge) in self.observed(machine, slots, observer_fails, limits)? {
            let mut zone = zone.clone();
            self.forget(&mut slots);
            self.settle(machine, &slots, &invariant, &mut zone, limits, &mut Enabled::default())?;
            states.push((State { slots, zone }, edge));
        }
        Ok(states)
    }

    /// Buffers for expanding states.
    pub fn scratch(&self, initial: &[i64]) -> Scratch<T::Zone> {
        let zone = self.time.universal(initial);
        Scratch {
            next: State { slots: Vec::new(), zone },
            fired: Vec::new(),
            effects: Effects::default(),
            invariant: Vec::new(),
            decided: Vec::new(),
            enabled: None,
            urgent: Enabled::default(),
        }
    }

    /// Shows everything a state can do to a visitor, in the order of labels; an error if finding out is given up.
    pub fn expand(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        state: &State<T::Zone>,
        limits: &Limits,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<Leftover, StopReason> {
        let mut enabled = scratch.enabled.take().unwrap_or_default();
        let done = self.expand_enabled(machine, scratch, state, limits, &mut enabled, visit);
        scratch.enabled = Some(enabled);
        done
    }

    fn expand_enabled(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        state: &State<T::Zone>,
        limits: &Limits,
        enabled: &mut Enabled,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<Leftover, StopReason> {
        self.enabled_at(machine, state, limits, enabled)?;
        let mut left = Leftover { failing: std::mem::take(&mut enabled.failing), observer_fails: false };
        let mut pace = Pace::new(machine, limits);
        // What it takes to copy a state.
        let weight = 8 + (state.slots.len() + self.time.entries(&state.zone).len()) as u64 / 8;
        for candidate in &*enabled.allowed {
            pace.check(machine, weight)?;
            let mut from = From { candidate, enabled, state, left: &mut left, limits };
            // Without priorities and receivers that stay behind, where a label may fire is one zone.
            if candidate.excluded.is_empty() && !enabled.prioritised {
                if !self.time.possible(&state.zone, &candidate.required) {
                    continue;
                }
                scratch.next.zone.clone_from(&state.zone);
                if !self.time.constrain(&mut scratch.next.zone, &candidate.required)
                    || !self.leave(machine, scratch, &mut from)
                {
                    continue;
                }
                if self.differences.pairs().is_empty() && self.observer.is_none() {
                    self.enter(machine, scratch, &from, visit)?;
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

    /// Fires a candidate and evaluates the invariant there; false if there is no successor.
    fn leave(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        from: &mut From<'_, T::Zone>,
    ) -> bool {
        let Scratch { fired, effects, invariant, .. } = scratch;
        let From { candidate, enabled, state, .. } = *from;
        let conditional = self.table.conditional.iter().copied();
        let done = self
            .fire_into(machine, candidate, &enabled.instances, &state.slots, fired, effects)
            .and_then(|()| self.collect_invariant(machine, fired, conditional, invariant));
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
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<(), StopReason> {
        let Scratch { next, fired, effects, invariant, urgent, .. } = scratch;
        if !self.time.enter(&mut next.zone, &effects.clock_ops, fired)
            || !self.time.constrain(&mut next.zone, invariant)
        {
            return Ok(());
        }
        std::mem::swap(&mut next.slots, fired);
        self.forget(&mut next.slots);
        self.settle(machine, &next.slots, invariant, &mut next.zone, from.limits, urgent)?;
        let assertion_failed = effects.assertion_failed;
        visit(Successor { label: from.label(None), assertion_failed, state: next });
        Ok(())
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
        let Scratch { fired, effects, invariant, decided, urgent, .. } = scratch;
        let (clocks, old) = (self.program.clocks, &from.state.slots);
        let pieces =
            self.differences.split(&self.time, region, old, &effects.clock_ops, clocks, from.limits)?;
        for (mut zone, cells) in pieces {
            let mut slots = fired.clone();
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
                visit(Successor { label, assertion_failed, state: &State { slots, zone } });
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
