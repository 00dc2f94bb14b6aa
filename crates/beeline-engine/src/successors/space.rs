//! The symbolic state space of a network as a property sees it: initial states, and what each state leads to.

use super::candidate::{Candidate, Conjunction, EdgeInstance};
use super::differences::Differences;
use super::labels::{self, Enabled, FailingLabel};
use super::pace::Pace;
use crate::time::TimePart;
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Role;
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::{ConcreteAtom, Effects, Evaluated, FirePart, Machine, Predicate, Program};
use beeline_zones::fault::{self, Fault};
use smallvec::SmallVec;

/// What a search looks for.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Nothing: explore everything.
    Nothing,
    /// A state where the predicate holds.
    State(Predicate),
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
}

/// The symbolic state space.
#[derive(Debug)]
pub struct Space<T: TimePart> {
    /// The compiled network.
    pub program: Program,
    /// The timed part.
    pub time: T,
    /// Differences of clocks kept in the discrete part.
    pub differences: Differences,
    /// The observer that steps, if the property has one.
    pub observer: Option<ProcessId>,
    /// What is looked for.
    pub goal: Goal,
    /// Which channels are urgent.
    pub urgent: Vec<bool>,
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
        Ok(self.collect_invariant(machine, slots, &mut atoms)?.then_some(atoms))
    }

    /// The same into a buffer, which is emptied first; whether it can hold.
    fn collect_invariant(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        atoms: &mut Vec<ConcreteAtom>,
    ) -> Result<bool, RuntimeError> {
        let state = self.plain(slots);
        atoms.clear();
        for (process, compiled) in self.program.processes.enumerate() {
            let Some(location) = self.program.location(process, state) else { continue };
            let location = &compiled.locations[location];
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
        if fault::active(Fault::UrgentIgnored) {
            return Ok(true);
        }
        if self.program.layout.holder.is_some_and(|slot| slots[slot] != 0) {
            return Ok(false);
        }
        let stops = |(process, compiled): (ProcessId, &beeline_program::CompiledProcess)| {
            let location = self.program.location(process, slots).map(|l| &compiled.locations[l]);
            compiled.role == Role::System && location.is_some_and(|l| l.urgent || l.committed)
        };
        if self.program.processes.enumerate().any(stops) {
            return Ok(false);
        }
        if !self.urgent.contains(&true) {
            return Ok(true);
        }
        let decide = |atoms: &Conjunction| atoms.is_empty().then_some(true);
        let urgent = Some(self.urgent.as_slice());
        let (program, differences) = (&self.program, &self.differences);
        Ok(!labels::enabled(program, machine, differences, slots, limits, &decide, urgent)?.urgent)
    }

    /// What a discrete state enables, whatever its clocks.
    pub fn enabled(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        limits: &Limits,
    ) -> Result<Enabled, StopReason> {
        let decide = |atoms: &Conjunction| atoms.is_empty().then_some(true);
        labels::enabled(&self.program, machine, &self.differences, slots, limits, &decide, None)
    }

    /// What a state enables.
    fn enabled_at(
        &self,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
    ) -> Result<Enabled, StopReason> {
        let decide = |atoms: &Conjunction| {
            if self.time.implies(&state.zone, atoms) {
                return Some(true);
            }
            (!self.time.constrain(&mut state.zone.clone(), atoms)).then_some(false)
        };
        labels::enabled(&self.program, machine, &self.differences, &state.slots, limits, &decide, None)
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

    /// Delay and abstraction: what a state that has just been entered becomes.
    fn settle(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        invariant: &[ConcreteAtom],
        zone: &mut T::Zone,
        limits: &Limits,
    ) -> Result<(), StopReason> {
        if self.may_delay_within(machine, slots, limits)? && !fault::active(Fault::NoDelayAfterJump) {
            self.time.up(zone);
            if !fault::active(Fault::NoInvariantAfterDelay) {
                let alive = self.time.constrain(zone, invariant);
                debug_assert!(alive, "a zone that meets the invariant still does after delay");
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
        let mut zone = self.time.zero(&self.program, &slots);
        if !self.differences.decide(&slots, &mut invariant) || !self.time.constrain(&mut zone, &invariant) {
            return Ok(Vec::new());
        }
        let mut states = Vec::new();
        for (slots, edge) in self.observed(machine, slots, observer_fails, limits)? {
            let mut zone = zone.clone();
            self.settle(machine, &slots, &invariant, &mut zone, limits)?;
            states.push((State { slots, zone }, edge));
        }
        Ok(states)
    }

    /// Buffers for expanding states.
    pub fn scratch(&self, initial: &[i64]) -> Scratch<T::Zone> {
        let zone = self.time.universal(&self.program, initial);
        Scratch {
            next: State { slots: Vec::new(), zone },
            fired: Vec::new(),
            effects: Effects::default(),
            invariant: Vec::new(),
            decided: Vec::new(),
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
        let mut enabled = self.enabled_at(machine, state, limits)?;
        let mut left = Leftover { failing: std::mem::take(&mut enabled.failing), observer_fails: false };
        let mut pace = Pace::new(machine, limits);
        for candidate in &enabled.allowed {
            pace.check(machine, 8)?;
            // Without priorities and receivers that stay behind, where a label may fire is one zone.
            if candidate.excluded.is_empty() && !enabled.prioritised {
                scratch.next.zone.clone_from(&state.zone);
                if !self.time.constrain(&mut scratch.next.zone, &candidate.required)
                    || !self.leave(machine, scratch, candidate, &enabled, state, &mut left)
                {
                    continue;
                }
                if self.differences.pairs().is_empty() && self.observer.is_none() {
                    self.enter(machine, scratch, candidate, &enabled, limits, visit)?;
                    continue;
                }
                let region = scratch.next.zone.clone();
                self.enter_pieces(
                    machine, scratch, candidate, &enabled, state, region, &mut left, limits, visit,
                )?;
                continue;
            }
            let regions = candidate.fires_in(&self.time, &state.zone, &enabled);
            if regions.is_empty() || !self.leave(machine, scratch, candidate, &enabled, state, &mut left) {
                continue;
            }
            for region in regions {
                self.enter_pieces(
                    machine, scratch, candidate, &enabled, state, region, &mut left, limits, visit,
                )?;
            }
        }
        Ok(left)
    }

    /// Fires a candidate and evaluates the invariant there; false if there is no successor.
    fn leave(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        candidate: &Candidate,
        enabled: &Enabled,
        state: &State<T::Zone>,
        left: &mut Leftover,
    ) -> bool {
        let Scratch { fired, effects, invariant, .. } = scratch;
        let done = self
            .fire_into(machine, candidate, &enabled.instances, &state.slots, fired, effects)
            .and_then(|()| self.collect_invariant(machine, fired, invariant));
        done.unwrap_or_else(|error| {
            let label = candidate.label(&enabled.instances);
            left.failing.push(FailingLabel { label, error, costs: candidate.costs });
            false
        })
    }

    /// Enters the new discrete state with the whole zone, where no differences are tracked and nobody observes.
    fn enter(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        candidate: &Candidate,
        enabled: &Enabled,
        limits: &Limits,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<(), StopReason> {
        let Scratch { next, fired, effects, invariant, .. } = scratch;
        self.time.enter(&mut next.zone, &effects.clock_ops, &self.program, fired);
        if !self.time.constrain(&mut next.zone, invariant) {
            return Ok(());
        }
        std::mem::swap(&mut next.slots, fired);
        self.settle(machine, &next.slots, invariant, &mut next.zone, limits)?;
        let label = LabelRef { candidate, instances: &enabled.instances, observer: None };
        visit(Successor { label, assertion_failed: effects.assertion_failed, state: next });
        Ok(())
    }

    /// Enters the new discrete state from one region of the old one, by cells and by what the observer does.
    #[expect(clippy::too_many_arguments, reason = "the second half of `expand`")]
    fn enter_pieces(
        &self,
        machine: &mut Machine,
        scratch: &mut Scratch<T::Zone>,
        candidate: &Candidate,
        enabled: &Enabled,
        state: &State<T::Zone>,
        region: T::Zone,
        left: &mut Leftover,
        limits: &Limits,
        visit: &mut dyn FnMut(Successor<'_, T::Zone>),
    ) -> Result<(), StopReason> {
        let Scratch { fired, effects, invariant, decided, .. } = scratch;
        let clocks = self.program.clocks;
        let pieces = self.differences.split(&self.time, region, &state.slots, &effects.clock_ops, clocks);
        for (mut zone, cells) in pieces {
            let mut slots = fired.clone();
            slots.extend(cells);
            decided.clone_from(invariant);
            if !self.differences.decide(&slots, decided) {
                continue;
            }
            self.time.enter(&mut zone, &effects.clock_ops, &self.program, &slots);
            if !self.time.constrain(&mut zone, decided) {
                continue;
            }
            for (slots, observer) in self.observed(machine, slots, &mut left.observer_fails, limits)? {
                let mut zone = zone.clone();
                self.settle(machine, &slots, decided, &mut zone, limits)?;
                let label = LabelRef { candidate, instances: &enabled.instances, observer };
                let assertion_failed = effects.assertion_failed;
                visit(Successor { label, assertion_failed, state: &State { slots, zone } });
            }
        }
        Ok(())
    }
}
