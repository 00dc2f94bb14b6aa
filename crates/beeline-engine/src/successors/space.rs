//! The symbolic state space of a network as a property sees it: initial states, and what each state leads to.

use super::candidate::{Candidate, Conjunction, EdgeInstance};
use super::differences::Differences;
use super::labels::{self, Decide, Enabled, Question};
use super::pace::Pace;
use super::table::Table;
use crate::partial_order::{PartialOrder, WhyNot};
use crate::symmetry::Symmetry;
use crate::time::TimePart;
use beeline_ir::expr::RuntimeError;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::liveness::Liveness;
use beeline_program::shortcut::Test;
use beeline_program::{ConcreteAtom, Effects, Evaluated, FirePart, Machine, Predicate, Program};
use beeline_zones::fault::{self, Fault};
use std::sync::Arc;

/// What a search looks for.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Nothing: explore everything.
    Nothing,
    /// A state where the predicate holds. The tests, which cannot fail, are what it begins with.
    State(Predicate, Box<[Test]>),
    /// A state of a network without clocks where the predicate holds, which asks for a deadlock first. Whoever expands a
    /// state knows whether it has successors, and need ask for the rest alone.
    Stuck {
        /// All of it.
        predicate: Predicate,
        /// What it asks for besides.
        rest: Predicate,
    },
    /// A label that fails at run time.
    RuntimeError,
    /// A label in which an assertion fails.
    Assertion,
}

impl Goal {
    /// What a state that is looked for meets.
    pub fn predicate(&self) -> Option<&Predicate> {
        match self {
            Self::State(predicate, _) | Self::Stuck { predicate, .. } => Some(predicate),
            Self::Nothing | Self::RuntimeError | Self::Assertion => None,
        }
    }
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
    /// What else is watched for while everything is explored.
    pub watched: Vec<Goal>,
    /// Who may be exchanged for whom, if states are to be represented by others.
    pub symmetry: Option<Arc<Symmetry>>,
    /// Which channels are urgent.
    pub urgent: Vec<bool>,
    /// Some are.
    pub has_urgent_channels: bool,
    /// Which labels a search may leave out, or why it may not.
    pub partial_order: Result<Box<PartialOrder>, WhyNot>,
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
    pub(super) fn collect_invariant(
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
        Question { program, table, differences, slots, decide, urgent_only: None, noting: false }
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

    /// What a state enables, and if so wished, which slots that depends on.
    pub(super) fn enabled_at(
        &self,
        machine: &mut Machine,
        state: &State<T::Zone>,
        limits: &Limits,
        noting: bool,
        enabled: &mut Enabled,
    ) -> Result<(), StopReason> {
        let decide = |atoms: &Conjunction| {
            if self.time.implies(&state.zone, atoms) {
                return Some(true);
            }
            (!self.time.constrain(&mut state.zone.clone(), atoms)).then_some(false)
        };
        let question = Question { noting, ..self.question(&state.slots, &decide) };
        labels::enabled(question, machine, limits, enabled)
    }

    /// Fires a candidate on the discrete part; the result has no cells yet.
    pub fn fire(
        &self,
        machine: &mut Machine,
        candidate: &Candidate,
        instances: &[EdgeInstance],
        slots: &[i64],
    ) -> Result<(Vec<i64>, Effects), RuntimeError> {
        let (mut next, mut effects) = (self.plain(slots).to_vec(), Effects::default());
        self.fire_over(machine, candidate, instances, &mut next, &mut effects)?;
        Ok((next, effects))
    }

    /// The same in place; `effects` are empty before.
    pub(super) fn fire_over(
        &self,
        machine: &mut Machine,
        candidate: &Candidate,
        instances: &[EdgeInstance],
        slots: &mut [i64],
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
        // Nearly all labels have one or two.
        let (one, two, more);
        let parts: &[FirePart<'_>] = match candidate.parts.as_slice() {
            [only] => {
                one = [part((0, only))];
                &one
            }
            [first, second] => {
                two = [part((0, first)), part((1, second))];
                &two
            }
            many => {
                more = many.iter().enumerate().map(part).collect::<Vec<_>>();
                &more
            }
        };
        let before = fault::active(Fault::ReceiverResetsDropped).then(|| slots.to_vec());
        match machine.fire(&self.program, parts, slots, effects) {
            Err(RuntimeError::Range) if fault::active(Fault::WrapInsteadOfRangeError) => {}
            result => result?,
        }
        if let Some(mut scratch) = before.filter(|_| parts.len() > 1) {
            let mut own = Effects::default();
            machine.fire(&self.program, &parts[..1], &mut scratch, &mut own)?;
            effects.clock_ops.truncate(own.clock_ops.len());
        }
        Ok(())
    }

    /// Forgets the values of dead variables.
    #[inline]
    pub(crate) fn forget(&self, slots: &mut [i64]) {
        if let Some(liveness) = &self.liveness {
            liveness.forget(slots);
        }
    }

    /// The same for what has come of a state in which they have been forgotten.
    #[inline]
    pub(super) fn forget_after(&self, before: &[i64], slots: &mut [i64], effects: &mut Effects) {
        if let Some(liveness) = &self.liveness {
            liveness.forget_after(before, slots, effects);
            debug_assert!(liveness.has_forgotten(slots), "nothing that is dead is left");
        }
    }

    /// Delay and abstraction: what a state that has just been entered becomes.
    pub(super) fn settle(
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
            self.let_time_pass(zone, invariant);
        }
        self.time.normalise(zone);
        Ok(())
    }

    /// Time passes, within what the locations and the rest of the invariant say.
    #[inline]
    pub(super) fn let_time_pass(&self, zone: &mut T::Zone, invariant: &[ConcreteAtom]) {
        if fault::active(Fault::NoInvariantAfterDelay) {
            self.time.up(zone);
        } else {
            self.time.delay(zone, invariant);
        }
    }

    /// The observer's choices in a state: none without an active observer, else one state per enabled edge. An
    /// edge that fails is not enabled, but then the observer has not seen what it should have.
    pub(super) fn observed(
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
}
