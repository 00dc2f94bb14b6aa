//! Evaluating and firing edges, exactly as `beeline_ir::network` defines it.

use crate::bytecode::{Op, Routine, RoutineId};
use crate::machine::{Machine, Writable};
use crate::program::{Atom, ChannelUse, CompiledEdge, CompiledLocation, CompiledSync, Operand, Program};
use crate::queue;
use crate::shortcut::Step;
use beeline_ir::expr::{ClockOp, Range, RuntimeError};
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{ClockId, EdgeId, ProcessId};

/// What the evaluation of an edge yields besides its guard being true.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evaluated {
    /// The channel element, if the edge synchronises.
    pub element: Option<usize>,
    /// The message it sends, wrapped into the channel's fields.
    pub message: Vec<i64>,
    /// For each field it receives, the value required.
    pub patterns: Vec<Option<i64>>,
    /// Its clock constraints; those whose condition is false are left out.
    pub atoms: Vec<ConcreteAtom>,
}

impl Evaluated {
    /// Empties it.
    pub fn clear(&mut self) {
        self.element = None;
        self.message.clear();
        self.patterns.clear();
        self.atoms.clear();
    }
    /// Whether a message meets the required values.
    pub fn accepts(&self, message: &[i64]) -> bool {
        queue::matches(&self.patterns, message)
    }
}

/// `left - right op bound`
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConcreteAtom {
    /// The clock.
    pub left: ClockId,
    /// The clock subtracted from it.
    pub right: Option<ClockId>,
    /// The comparison.
    pub op: ClockOp,
    /// The number, from -2^31 to 2^31.
    pub bound: i64,
}

/// One part of a label that fires.
#[derive(Copy, Clone, Debug)]
pub struct FirePart<'a> {
    /// Who.
    pub process: ProcessId,
    /// Which edge.
    pub edge: EdgeId,
    /// The values of its select variables.
    pub selects: &'a [i64],
    /// What its evaluation gave in the source state.
    pub evaluated: &'a Evaluated,
    /// For the receiver of a rendezvous or broadcast, the sender's message.
    pub message: Option<&'a [i64]>,
}

/// What firing does to the clocks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ClockEffect {
    /// The clock takes a value from 0 to 2^31.
    Set(ClockId, i64),
    /// The first clock takes the value of the second.
    Copy(ClockId, ClockId),
}

/// What firing does besides changing the discrete state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// Effects on clocks, in order.
    pub clock_ops: Vec<ClockEffect>,
    /// Whether an assertion failed.
    pub assertion_failed: bool,
    /// The slots that were changed, some of them perhaps several times: no others differ from what they were before.
    pub changed: Vec<u32>,
}

impl Effects {
    /// Empties it.
    pub fn clear(&mut self) {
        self.clock_ops.clear();
        self.assertion_failed = false;
        self.changed.clear();
    }

    /// Gives a slot a value.
    #[inline]
    pub fn put(&mut self, state: &mut [i64], slot: usize, value: i64) {
        if state[slot] != value {
            state[slot] = value;
            self.changed.push(slot as u32);
        }
    }

    /// Gives all slots that were changed the values that they have in another state, and is empty then.
    pub fn undo(&mut self, state: &mut [i64], before: &[i64]) {
        for slot in &self.changed {
            state[*slot as usize] = before[*slot as usize];
        }
        self.clear();
    }
}

impl CompiledEdge {
    /// What firing the edge does to clocks, if that is the same in all states.
    pub fn clock_effects(&self, program: &Program) -> Option<Vec<ClockEffect>> {
        let set = |step: &Step| match *step {
            Step::Clock(clock, value) => Some(ClockEffect::Set(clock, value)),
            _ => None,
        };
        match (&self.steps, self.update) {
            (Some(steps), _) => Some(steps.iter().filter_map(set).collect()),
            (None, Some(update)) if !program.routines[update].clocks_written.is_empty() => None,
            (None, _) => Some(Vec::new()),
        }
    }
}

/// The first combination of select values; `false` if there is none.
pub fn first_selects(ranges: &[Range], selects: &mut Vec<i64>) -> bool {
    selects.clear();
    selects.extend(ranges.iter().map(|r| r.lo));
    ranges.iter().all(|r| r.lo <= r.hi)
}

/// The next combination of select values, the last one changing fastest; `false` after the last combination.
pub fn next_selects(ranges: &[Range], selects: &mut [i64]) -> bool {
    for (range, value) in ranges.iter().zip(selects).rev() {
        if *value < range.hi {
            *value += 1;
            return true;
        }
        *value = range.lo;
    }
    false
}

impl Machine {
    /// Evaluates an edge by itself: the guard; if it holds, the channel and the message or the required values;
    /// then the clock constraints. Returns whether the guard holds; if so, the rest is in `out`, which is emptied
    /// first. Does not look at the process's location, nor for partners or room in a buffer.
    pub fn evaluate_edge(
        &mut self,
        program: &Program,
        process: ProcessId,
        edge: EdgeId,
        selects: &[i64],
        state: &[i64],
        out: &mut Evaluated,
    ) -> Result<bool, RuntimeError> {
        self.begin();
        self.evaluate(program, &program.processes[process].edges[edge], selects, state, out)
    }

    /// Evaluates an edge, as a part of a larger evaluation.
    pub(crate) fn evaluate(
        &mut self,
        program: &Program,
        edge: &CompiledEdge,
        selects: &[i64],
        state: &[i64],
        out: &mut Evaluated,
    ) -> Result<bool, RuntimeError> {
        out.clear();
        match (&edge.tests, edge.guard) {
            (Some(tests), _) if !tests.iter().all(|test| test.holds(state)) => return Ok(false),
            (None, Some(guard)) if self.value(program, guard, state, selects)? == 0 => return Ok(false),
            _ => {}
        }
        match &edge.sync {
            CompiledSync::Internal => {}
            CompiledSync::Send { channel, routine, plain, .. } => {
                let element = self.evaluate_sync(program, *channel, *routine, *plain, selects, state)?;
                out.element = Some(element);
                let values = self.results.iter().skip(1);
                out.message.extend(values.zip(&program.elements[element].fields).map(|(v, f)| f.wrap(*v)));
            }
            CompiledSync::Receive { channel, routine, plain, required, .. } => {
                let element = self.evaluate_sync(program, *channel, *routine, *plain, selects, state)?;
                out.element = Some(element);
                let mut values = self.results.iter().skip(1);
                out.patterns.extend(required.iter().map(|r| r.then(|| values.next().copied().unwrap_or(0))));
            }
        }
        self.concrete_atoms(program, &edge.clock_guard, selects, state, &mut out.atoms)?;
        Ok(true)
    }

    /// The channel element; the values are in `results`, from the second on.
    fn evaluate_sync(
        &mut self,
        program: &Program,
        channel: ChannelUse,
        routine: Option<RoutineId>,
        plain: bool,
        selects: &[i64],
        state: &[i64],
    ) -> Result<usize, RuntimeError> {
        self.results.clear();
        if let (Some(routine), true) = (routine, plain) {
            let Routine { code, results, .. } = &program.routines[routine];
            self.results.extend(results.iter().filter_map(|source| source.of_state(state)));
            let element = self.results.first().and_then(|value| usize::try_from(value - 1).ok());
            let opened = element.and_then(|element| Some((element, program.elements.get(element)?)));
            let (element, opened) = opened.ok_or(RuntimeError::Channel)?;
            let arity = match code.first() {
                Some(Op::Open { fields, .. }) => *fields,
                _ => None,
            };
            let fits = arity.is_none_or(|fields| fields as usize == opened.fields.len());
            return if fits { Ok(element) } else { Err(RuntimeError::Channel) };
        }
        if let Some(routine) = routine {
            let value = self.value(program, routine, state, selects)?;
            return usize::try_from(value - 1).map_err(|_| RuntimeError::Channel);
        }
        match channel {
            ChannelUse::Element(element) => Ok(element),
            ChannelUse::Declared(_) | ChannelUse::Value => Err(RuntimeError::Channel),
        }
    }

    /// Evaluates the invariant of a location: the condition; if it holds, the clock constraints, of which those that
    /// matter are appended. Returns whether the condition holds.
    pub fn evaluate_invariant(
        &mut self,
        program: &Program,
        location: &CompiledLocation,
        state: &[i64],
        out: &mut Vec<ConcreteAtom>,
    ) -> Result<bool, RuntimeError> {
        self.begin();
        if let Some(condition) = location.condition
            && self.value(program, condition, state, &[])? == 0
        {
            return Ok(false);
        }
        self.concrete_atoms(program, &location.invariant, &[], state, out)?;
        Ok(true)
    }

    /// Evaluates a clock constraint of a predicate by itself; `None` if its condition is false.
    pub fn evaluate_atom(
        &mut self,
        program: &Program,
        atom: &Atom,
        state: &[i64],
    ) -> Result<Option<ConcreteAtom>, RuntimeError> {
        self.begin();
        let mut out = Vec::new();
        self.concrete_atoms(program, std::slice::from_ref(atom), &[], state, &mut out)?;
        Ok(out.pop())
    }

    fn concrete_atoms(
        &mut self,
        program: &Program,
        atoms: &[Atom],
        selects: &[i64],
        state: &[i64],
        out: &mut Vec<ConcreteAtom>,
    ) -> Result<(), RuntimeError> {
        for atom in atoms {
            if let Some(when) = atom.when
                && self.value(program, when, state, selects)? == 0
            {
                continue;
            }
            let bound = match atom.bound {
                Operand::Const(value) => value,
                Operand::Code(routine) => self.value(program, routine, state, selects)?,
            };
            if !(-Atom::LIMIT..=Atom::LIMIT).contains(&bound) {
                return Err(RuntimeError::ClockValue);
            }
            out.push(ConcreteAtom { left: atom.left, right: atom.right, op: atom.op, bound });
        }
        Ok(())
    }

    /// Fires a label in place: locations, then part by part the buffered send or receive, the binding and the
    /// update; then the token (which an observer's edge leaves alone). Invariants are up to the caller. After an
    /// error the state is of no use. Clock effects are appended.
    pub fn fire(
        &mut self,
        program: &Program,
        parts: &[FirePart<'_>],
        state: &mut [i64],
        effects: &mut Effects,
    ) -> Result<(), RuntimeError> {
        for part in parts {
            let target = program.processes[part.process].edges[part.edge].target;
            effects.put(state, program.layout.location[part.process], target.index() as i64);
        }
        for part in parts {
            self.fire_part(program, part, state, effects)?;
        }
        pass_token(program, parts, state, effects);
        Ok(())
    }

    #[inline]
    fn fire_part(
        &mut self,
        program: &Program,
        part: &FirePart<'_>,
        state: &mut [i64],
        effects: &mut Effects,
    ) -> Result<(), RuntimeError> {
        let edge = &program.processes[part.process].edges[part.edge];
        let buffered = part.evaluated.element.is_some_and(|e| program.layout.queues[e].is_some());
        match (edge.update, &edge.steps) {
            (None, _) if !buffered => Ok(()),
            (Some(_), Some(steps)) if !buffered => {
                self.begin();
                let message = part.message.unwrap_or_default();
                steps.iter().try_for_each(|step| step.run(part.selects, message, state, effects))
            }
            _ => {
                let mut taken = std::mem::take(&mut self.taken);
                taken.clear();
                taken.extend_from_slice(part.message.unwrap_or_default());
                let fired = self.fire_update(program, part, state, effects, &mut taken);
                self.taken = taken;
                fired
            }
        }
    }

    /// The buffered send or receive, and the update that may look at the message.
    fn fire_update(
        &mut self,
        program: &Program,
        part: &FirePart<'_>,
        state: &mut [i64],
        effects: &mut Effects,
        taken: &mut Vec<i64>,
    ) -> Result<(), RuntimeError> {
        let edge = &program.processes[part.process].edges[part.edge];
        let queue = part.evaluated.element.and_then(|e| Some((e, program.layout.queues[e]?)));
        match (&edge.sync, queue) {
            (CompiledSync::Send { sorted, .. }, Some((element, queue))) => {
                if !program.queue_accepts(state, element) {
                    return Err(RuntimeError::Blocked);
                }
                queue::insert(queue, state, &part.evaluated.message, *sorted, effects);
            }
            (CompiledSync::Receive { any, keep, .. }, Some((element, queue))) => {
                let at = program.queue_matches(state, element, *any, &part.evaluated.patterns);
                let at = at.ok_or(RuntimeError::Blocked)?;
                taken.extend_from_slice(queue::message(queue, state, at));
                if !keep {
                    queue::remove(queue, state, at, effects);
                }
            }
            _ => {}
        }
        let Some(update) = edge.update else { return Ok(()) };
        self.begin();
        if let Some(steps) = &edge.steps {
            return steps.iter().try_for_each(|step| step.run(part.selects, taken, state, effects));
        }
        self.run(program, update, part.selects, taken, &mut Writable { state, effects })
    }
}

/// The token belongs to the receiver of a pair, or else the initiator, if its new location is atomic.
fn pass_token(program: &Program, parts: &[FirePart<'_>], state: &mut [i64], effects: &mut Effects) {
    let (Some(holder), Some(initiator)) = (program.layout.holder, parts.first()) else { return };
    if program.processes[initiator.process].role == Role::Observer {
        return;
    }
    let rendezvous =
        initiator.evaluated.element.is_some_and(|e| program.elements[e].kind == ChannelKind::Rendezvous);
    let heir = if rendezvous { parts.last().unwrap_or(initiator) } else { initiator }.process;
    let atomic = program.location(heir, state).is_some_and(|l| program.processes[heir].locations[l].atomic);
    effects.put(state, holder, if atomic { heir.index() as i64 + 1 } else { 0 });
}
