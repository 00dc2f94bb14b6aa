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

/// A state that a label leads to.
#[derive(Clone, Debug)]
pub struct Successor<Z> {
    /// The label.
    pub label: Label,
    /// Whether it counts as a step.
    pub costs: bool,
    /// Whether an assertion failed on the way.
    pub assertion_failed: bool,
    /// Where it leads.
    pub state: State<Z>,
}

/// Everything a state can do.
#[derive(Clone, Debug)]
pub struct Expansion<Z> {
    /// Successors, in the order of labels.
    pub successors: Vec<Successor<Z>>,
    /// Labels that fail.
    pub failing: Vec<FailingLabel>,
    /// An edge of the observer fails at run time.
    pub observer_fails: bool,
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
        let state = self.plain(slots);
        let mut atoms = Vec::new();
        for (process, compiled) in self.program.processes.enumerate() {
            let Some(location) = self.program.location(process, state) else { continue };
            let location = &compiled.locations[location];
            if !machine.evaluate_invariant(&self.program, location, state, &mut atoms)? {
                return Ok(None);
            }
        }
        Ok(Some(atoms))
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
        let urgent = self.program.elements.iter().any(|e| e.urgent);
        Ok(!(urgent && self.enabled(machine, slots, limits)?.urgent))
    }

    /// What a discrete state enables, whatever its clocks.
    pub fn enabled(
        &self,
        machine: &mut Machine,
        slots: &[i64],
        limits: &Limits,
    ) -> Result<Enabled, StopReason> {
        labels::enabled(&self.program, machine, &self.differences, slots, limits, &|atoms| {
            atoms.is_empty().then_some(true)
        })
    }

    /// What a state enables.
    fn enabled_at(
        &self,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
    ) -> Result<Enabled, StopReason> {
        let decide = |atoms: &Conjunction| {
            let (mut inside, mut met) = (self.time.universal(), state.zone.clone());
            if atoms.is_empty() {
                Some(true)
            } else if !self.time.constrain(&mut met, atoms) {
                Some(false)
            } else {
                let whole = self.time.constrain(&mut inside, atoms)
                    && self.time.subtract(&state.zone, &inside).is_empty();
                whole.then_some(true)
            }
        };
        labels::enabled(&self.program, machine, &self.differences, &state.slots, limits, &decide)
    }

    /// Fires a candidate on the discrete part; the result has no cells yet.
    pub fn fire(
        &self,
        machine: &mut Machine,
        candidate: &Candidate,
        instances: &[EdgeInstance],
        slots: &[i64],
    ) -> Result<(Vec<i64>, Effects), RuntimeError> {
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
        let parts: Vec<FirePart<'_>> = candidate.parts.iter().enumerate().map(part).collect();
        let mut next = self.plain(slots).to_vec();
        let mut effects = Effects::default();
        match machine.fire(&self.program, &parts, &mut next, &mut effects) {
            Err(RuntimeError::Range) if fault::active(Fault::WrapInsteadOfRangeError) => {}
            result => result?,
        }
        if fault::active(Fault::ReceiverResetsDropped) && parts.len() > 1 {
            let (mut scratch, mut own) = (self.plain(slots).to_vec(), Effects::default());
            machine.fire(&self.program, &parts[..1], &mut scratch, &mut own)?;
            effects.clock_ops.truncate(own.clock_ops.len());
        }
        Ok((next, effects))
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
        self.time.normalise(&self.program, slots, zone);
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
        let mut zone = self.time.zero();
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

    /// Everything a state can do; an error if finding out is given up.
    pub fn expand(
        &self,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
    ) -> Result<Expansion<T::Zone>, StopReason> {
        let mut enabled = self.enabled_at(machine, state, limits)?;
        let failing = std::mem::take(&mut enabled.failing);
        let mut expansion = Expansion { successors: Vec::new(), failing, observer_fails: false };
        let mut pace = Pace::new(machine, limits);
        for candidate in &enabled.allowed {
            let kept = expansion.successors.len();
            pace.check_with(machine, 8, || kept * size_of_val(&*state.slots))?;
            let regions = candidate.fires_in(&self.time, &state.zone, &enabled);
            if regions.is_empty() {
                continue;
            }
            let label = candidate.label(&enabled.instances);
            let fired = self.fire(machine, candidate, &enabled.instances, &state.slots).and_then(
                |(slots, effects)| {
                    let invariant = self.invariant(machine, &slots)?;
                    Ok((slots, effects, invariant))
                },
            );
            match fired {
                Err(error) => {
                    expansion.failing.push(FailingLabel { label, error, costs: candidate.costs });
                }
                Ok((_, _, None)) => {}
                Ok((slots, effects, Some(invariant))) => {
                    for region in regions {
                        self.enter(
                            machine,
                            (&state.slots, &slots),
                            region,
                            &effects,
                            &invariant,
                            (&label, candidate.costs),
                            &mut expansion,
                            limits,
                        )?;
                    }
                }
            }
        }
        Ok(expansion)
    }

    /// Enters a new discrete state from one region of the old one.
    #[expect(clippy::too_many_arguments, reason = "the two halves of one step of `expand`")]
    fn enter(
        &self,
        machine: &mut Machine,
        (before, after): (&[i64], &[i64]),
        region: T::Zone,
        effects: &Effects,
        invariant: &[ConcreteAtom],
        (label, costs): (&Label, bool),
        out: &mut Expansion<T::Zone>,
        limits: &Limits,
    ) -> Result<(), StopReason> {
        let pieces =
            self.differences.split(&self.time, region, before, &effects.clock_ops, self.program.clocks);
        for (mut zone, cells) in pieces {
            let mut slots = after.to_vec();
            slots.extend(cells);
            let mut invariant = invariant.to_vec();
            if !self.differences.decide(&slots, &mut invariant) {
                continue;
            }
            self.time.apply(&mut zone, &effects.clock_ops);
            if !self.time.constrain(&mut zone, &invariant) {
                continue;
            }
            for (slots, observer) in self.observed(machine, slots, &mut out.observer_fails, limits)? {
                let mut zone = zone.clone();
                self.settle(machine, &slots, &invariant, &mut zone, limits)?;
                let label = Label { observer, ..label.clone() };
                let assertion_failed = effects.assertion_failed;
                out.successors.push(Successor {
                    label,
                    costs,
                    assertion_failed,
                    state: State { slots, zone },
                });
            }
        }
        Ok(())
    }
}
