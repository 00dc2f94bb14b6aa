//! The third interpreter of the bytecode: on numbers that are bit vectors of diagrams, so that one run of a routine is
//! its run in all states at once.
//!
//! Control flow is a set: the states in which an operation is executed. Both regions of a branch are run, each in its
//! part of the states; a loop is run until nobody is left in it. A store keeps the old value elsewhere. Where an
//! operation fails is noted; what is computed there afterwards has no meaning, and nobody looks at it.

use super::clocks::Clocks;
use super::{processes, queue};
use crate::bdd::{Bdd, Bdds, Made};
use crate::number::Number;
use crate::translate::NotMade;
use beeline_ir::expr::{BinaryOp, MAX_ITERATIONS, Range};
use beeline_ir::layout::Queue;
use beeline_ir::stmt::Store;
use beeline_program::{Atom, Op, Operand, Program, Reg, Routine, RoutineId, Source};
use std::borrow::Cow;
use std::cell::Cell;

/// Operations that one routine may take.
const MOST_OPERATIONS: u32 = 1 << 16;

const TOO_LONG: NotMade = NotMade::Unsupported("loops that may run very long");

/// What all slots and clocks of a state are worth.
#[derive(Clone)]
pub(crate) struct Values {
    pub slots: Vec<Number>,
    pub clocks: Vec<Number>,
}

/// What a routine yields.
pub(crate) struct Yield {
    pub results: Vec<Number>,
    /// Where it fails, of those states in which it is run.
    pub failed: Bdd,
}

/// Runs routines.
pub(crate) struct Machine<'a> {
    pub program: &'a Program,
    pub b: &'a Bdds,
    pub clocks: &'a Clocks,
    /// Inside `Timeout`, where every `Timeout` is read as 0.
    pub in_timeout: Cell<bool>,
    /// Nesting of `Enabled` and `Timeout`.
    pub nested: Cell<u32>,
}

/// A routine being run.
struct Frame<'m, 'v, 's> {
    machine: &'m Machine<'m>,
    values: &'v mut Cow<'s, Values>,
    registers: Vec<Number>,
    active: Bdd,
    /// Who has left the loops around this, innermost last.
    left: Vec<Bdd>,
    /// What was returned, where something was.
    returned: Number,
    run: &'v mut Run,
}

/// What the frames of one evaluation share.
struct Run {
    failed: Bdd,
    work: u32,
    operations: u32,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Program, b: &'a Bdds, clocks: &'a Clocks) -> Self {
        Self { program, b, clocks, in_timeout: Cell::new(false), nested: Cell::new(0) }
    }
    /// Runs a routine in some states.
    pub fn run(
        &self,
        routine: RoutineId,
        inputs: &[Number],
        message: &[Number],
        values: &mut Cow<'_, Values>,
        active: &Bdd,
    ) -> Result<Yield, NotMade> {
        let b = self.b;
        let routine = &self.program.routines[routine];
        let mut run = Run { failed: b.no(), work: 0, operations: 0 };
        let mut frame = Frame::new(self, routine, values, active, &mut run);
        for (register, input) in frame.registers.iter_mut().zip(inputs).take(routine.inputs as usize) {
            register.clone_from(input);
        }
        if let Some(Reg(first)) = routine.message {
            for (register, field) in frame.registers[first as usize..].iter_mut().zip(message) {
                register.clone_from(field);
            }
        }
        frame.block(&routine.code, 0)?;
        let results = routine.results.iter().map(|source| frame.read(*source)).collect();
        Ok(Yield { results, failed: run.failed })
    }
    /// The value of an expression, with the states in which it has one.
    pub fn value(&self, routine: RoutineId, inputs: &[Number], values: &Values) -> Result<Number, NotMade> {
        let b = self.b;
        let mut values = Cow::Borrowed(values);
        let Yield { mut results, failed, .. } = self.run(routine, inputs, &[], &mut values, &b.yes())?;
        let mut value = results.drain(..).next().unwrap_or_else(|| Number::constant(0, b));
        value.defined = b.not(&failed)?;
        Ok(value)
    }
    /// Where a clock constraint holds, and where its evaluation does not fail.
    pub fn atom(&self, atom: &Atom, inputs: &[Number], values: &Values) -> Result<(Bdd, Bdd), NotMade> {
        let b = self.b;
        let when = match atom.when {
            Some(when) => self.value(when, inputs, values)?,
            None => Number::constant(1, b),
        };
        let bound = match atom.bound {
            Operand::Const(value) => Number::constant(value, b),
            Operand::Code(routine) => self.value(routine, inputs, values)?,
        };
        let bounded = b.and(&bound.defined, &bound.within(Range::new(-Atom::LIMIT, Atom::LIMIT), b)?)?;
        let matters = when.truth(b)?;
        let holds = self.clocks.compare(&values.clocks[atom.left.index()], atom.op, &bound, b)?;
        Ok((b.implies(&matters, &holds)?, b.and(&when.defined, &b.implies(&matters, &bounded)?)?))
    }
}

impl<'m, 'v, 's> Frame<'m, 'v, 's> {
    fn new(
        machine: &'m Machine<'m>,
        routine: &Routine,
        values: &'v mut Cow<'s, Values>,
        active: &Bdd,
        run: &'v mut Run,
    ) -> Self {
        let zero = Number::constant(0, machine.b);
        let mut registers = vec![zero.clone(); routine.registers as usize];
        for local in &routine.locals {
            let first = local.first.0 as usize;
            registers[first..first + local.len as usize].fill(Number::constant(local.value, machine.b));
        }
        Self { machine, values, registers, active: active.clone(), left: Vec::new(), returned: zero, run }
    }
    fn read(&self, source: Source) -> Number {
        match source {
            Source::Const(value) => Number::constant(value, self.machine.b),
            Source::Reg(Reg(register)) => self.registers[register as usize].clone(),
            Source::Slot(slot) => self.values.slots[slot as usize].clone(),
        }
    }
    fn truth(&self, source: Source, when: bool) -> Made<Bdd> {
        let truth = self.read(source).truth(self.machine.b)?;
        if when { Ok(truth) } else { self.machine.b.not(&truth) }
    }
    /// Notes where an operation fails, if it is executed there.
    fn fail_unless(&mut self, fine: &Bdd) -> Made<()> {
        let b = self.machine.b;
        self.run.failed = b.or(&self.run.failed, &b.minus(&self.active, fine)?)?;
        Ok(())
    }
    /// A value that is there wherever it matters.
    fn settled(&mut self, mut number: Number) -> Made<Number> {
        self.fail_unless(&number.defined)?;
        number.defined = self.machine.b.yes();
        Ok(number)
    }
    fn write(&mut self, Reg(register): Reg, value: Number) -> Made<()> {
        let value = self.settled(value)?;
        let old = &mut self.registers[register as usize];
        *old = Number::select(&self.active, &value, old, self.machine.b)?;
        Ok(())
    }
    fn store(&mut self, slot: usize, value: &Number, there: &Bdd) -> Made<()> {
        let old = &mut self.values.to_mut().slots[slot];
        *old = Number::select(there, value, old, self.machine.b)?;
        Ok(())
    }
    /// Where the index is each of those it may have; elsewhere the operation fails.
    fn places(&mut self, index: Source, len: u32) -> Made<Vec<(usize, Bdd)>> {
        let b = self.machine.b;
        let index = self.read(index);
        let inside = index.within(Range::new(0, i64::from(len) - 1), b)?;
        self.fail_unless(&inside)?;
        let mut places = Vec::new();
        for at in 0..len as usize {
            let here = b.and(&self.active, &index.equal(&Number::constant(at as i64, b), b)?)?;
            if !b.is_no(&here) {
                places.push((at, here));
            }
        }
        Ok(places)
    }
    /// One of some values, as the places say.
    fn one_of(&self, places: &[(usize, Bdd)], value: impl Fn(usize) -> Number) -> Made<Number> {
        let b = self.machine.b;
        places.iter().try_fold(Number::constant(0, b), |chosen, (at, here)| {
            Number::select(here, &value(*at), &chosen, b)
        })
    }
    fn charge(&mut self, units: u32) -> Result<(), NotMade> {
        self.run.work = self.run.work.saturating_add(units);
        if self.run.work > MAX_ITERATIONS / 64 { Err(TOO_LONG) } else { Ok(()) }
    }
    /// Runs the operations from a position to the end of their region; that position.
    fn block(&mut self, code: &[Op], mut at: usize) -> Result<usize, NotMade> {
        let b = self.machine.b;
        while let Some(op) = code.get(at) {
            self.run.operations += 1;
            if self.run.operations > MOST_OPERATIONS {
                return Err(TOO_LONG);
            }
            at = match op {
                Op::Else { .. } | Op::End | Op::Repeat { .. } => return Ok(at),
                Op::If { cond, when, otherwise } => {
                    let (before, truth) = (self.active.clone(), self.truth(*cond, *when)?);
                    let otherwise = *otherwise as usize;
                    self.active = b.and(&before, &truth)?;
                    if !b.is_no(&self.active) {
                        self.block(code, at + 1)?;
                    }
                    let first = std::mem::replace(&mut self.active, b.minus(&before, &truth)?);
                    let end = match &code[otherwise - 1] {
                        Op::Else { end } => *end as usize,
                        _ => otherwise,
                    };
                    if otherwise < end && !b.is_no(&self.active) {
                        self.block(code, otherwise)?;
                    }
                    self.active = b.or(&self.active, &first)?;
                    end + 1
                }
                Op::Loop { end } => {
                    self.left.push(b.no());
                    loop {
                        self.active = b.minus(&self.active, &self.run.failed)?;
                        if b.is_no(&self.active) {
                            break;
                        }
                        self.block(code, at + 1)?;
                    }
                    self.active = self.left.pop().unwrap_or_else(|| b.no());
                    *end as usize
                }
                Op::Break { cond, when, .. } => {
                    let truth = self.truth(*cond, *when)?;
                    let leaving = b.and(&self.active, &truth)?;
                    if let Some(left) = self.left.last_mut() {
                        *left = b.or(left, &leaving)?;
                    }
                    self.active = b.minus(&self.active, &truth)?;
                    at + 1
                }
                Op::Return { src } => {
                    let value = self.read(*src);
                    self.returned = Number::select(&self.active, &value, &self.returned, b)?;
                    self.active = b.no();
                    at + 1
                }
                _ => {
                    if !b.is_no(&self.active) {
                        self.step(op)?;
                    }
                    at + 1
                }
            };
        }
        Ok(at)
    }
    /// Runs an operation that is no part of the control flow.
    fn step(&mut self, op: &Op) -> Result<(), NotMade> {
        let b = self.machine.b;
        match op {
            Op::Move { dst, src } => self.write(*dst, self.read(*src))?,
            Op::Unary { op, dst, src } => self.write(*dst, self.read(*src).unary(*op, b)?)?,
            Op::Binary { op, dst, left, right } => {
                self.write(*dst, self.read(*left).binary(*op, &self.read(*right), b)?)?;
            }
            Op::Fit { dst, src, range, store: Store::Wrapping } => {
                self.write(*dst, self.read(*src).wrapped(*range, b)?)?;
            }
            Op::Fit { dst, src, range, store: Store::Checked } => {
                let value = self.read(*src);
                let inside = value.within(*range, b)?;
                self.fail_unless(&inside)?;
                self.write(*dst, value)?;
            }
            Op::CheckIndex { index, len } => {
                let inside = self.read(*index).within(Range::new(0, i64::from(*len) - 1), b)?;
                self.fail_unless(&inside)?;
            }
            Op::LoadElem { dst, base, len, index } => {
                let places = self.places(*index, *len)?;
                let value = self.one_of(&places, |at| self.values.slots[*base as usize + at].clone())?;
                self.write(*dst, value)?;
            }
            Op::LoadLocal { dst, base, len, index } => {
                let places = self.places(*index, *len)?;
                let value = self.one_of(&places, |at| self.registers[base.0 as usize + at].clone())?;
                self.write(*dst, value)?;
            }
            Op::Store { slot, src } => {
                let (value, there) = (self.read(*src), self.active.clone());
                self.store(*slot as usize, &value, &there)?;
            }
            Op::StoreElem { base, len, index, src } => {
                let value = self.read(*src);
                for (at, here) in self.places(*index, *len)? {
                    self.store(*base as usize + at, &value, &here)?;
                }
            }
            Op::StoreLocal { base, len, index, src } => {
                let value = self.read(*src);
                for (at, here) in self.places(*index, *len)? {
                    let old = &mut self.registers[base.0 as usize + at];
                    *old = Number::select(&here, &value, old, b)?;
                }
            }
            Op::ClockSet { clock, src } => {
                let value = self.read(*src);
                let inside = value.within(Range::new(0, Atom::LIMIT), b)?;
                self.fail_unless(&inside)?;
                let units = self.machine.clocks.units(&value, *clock, b)?;
                let old = &mut self.values.to_mut().clocks[clock.index()];
                *old = Number::select(&self.active, &units, old, b)?;
            }
            Op::ClockCopy { clock, from } => {
                let value = self.machine.clocks.capped(&self.values.clocks[from.index()], *clock, b)?;
                let old = &mut self.values.to_mut().clocks[clock.index()];
                *old = Number::select(&self.active, &value, old, b)?;
            }
            Op::Count { units } => self.charge(*units)?,
            Op::Call { routine, args, dst } => {
                let value = self.call(*routine, args)?;
                self.write(*dst, value)?;
            }
            // Assertions matter only where they are what is asked for.
            Op::Assert { .. } => {}
            Op::Open { channel, fields, buffered } => {
                let fine = self.open(*channel, *fields, *buffered)?;
                self.fail_unless(&fine)?;
            }
            Op::Capacity { dst, channel } => {
                let capacity = |element: usize| {
                    let capacity = self.machine.program.layout.queues[element].map_or(0, |q| q.capacity);
                    Number::constant(capacity as i64, b)
                };
                let value = self.by_element(*channel, capacity)?;
                self.write(*dst, value)?;
            }
            Op::Length { dst, channel } => {
                let length = |element: usize| match self.machine.program.layout.queues[element] {
                    Some(queue) => self.values.slots[queue.length].clone(),
                    None => Number::constant(0, b),
                };
                let value = self.by_element(*channel, length)?;
                self.write(*dst, value)?;
            }
            Op::Poll { dst, channel, patterns, any } => {
                let patterns = self.patterns(patterns);
                let mut found = b.no();
                for (queue, here) in self.queues(*channel)? {
                    let at = queue::matches(queue, self.values, &patterns, *any, b)?;
                    for there in at {
                        found = b.or(&found, &b.and(&here, &there)?)?;
                    }
                }
                self.write(*dst, Number::truth_value(found, b.yes(), b))?;
            }
            Op::Send { channel, message, sorted } => {
                let message: Vec<Number> = message.iter().map(|source| self.read(*source)).collect();
                let mut fine = b.no();
                for (queue, here) in self.queues(*channel)? {
                    let there = b.and(&here, &queue::has_room(queue, self.values, b)?)?;
                    fine = b.or(&fine, &there)?;
                    let there = b.and(&there, &self.active)?;
                    let message = self.wrapped(queue, &message)?;
                    queue::insert(queue, self.values.to_mut(), &message, *sorted, &there, b)?;
                }
                self.fail_unless(&fine)?;
            }
            Op::Receive { channel, patterns, any, keep, dst } => {
                let patterns = self.patterns(patterns);
                let mut fine = b.no();
                let mut message = vec![Number::constant(0, b); patterns.len()];
                for (queue, here) in self.queues(*channel)? {
                    let mut taken = queue::matches(queue, self.values, &patterns, *any, b)?;
                    for there in &mut taken {
                        *there = b.all([&*there, &here, &self.active])?;
                        fine = b.or(&fine, there)?;
                    }
                    let fields = queue::message(queue, self.values, &taken, b)?;
                    for (value, field) in message.iter_mut().zip(fields) {
                        *value = Number::select(&here, &field, value, b)?;
                    }
                    if !keep {
                        queue::remove(queue, self.values.to_mut(), &taken, b)?;
                    }
                }
                self.fail_unless(&fine)?;
                for (at, value) in message.into_iter().enumerate() {
                    self.write(Reg(dst.0 + at as u32), value)?;
                }
            }
            Op::Enabled { dst, process, edges } => {
                self.charge(self.machine.program.search_units)?;
                let edges: Vec<_> = edges.iter().map(|edge| (*process, *edge)).collect();
                let enabled = self.machine.some_enabled(&edges, self.values)?;
                self.write(*dst, Number::truth_value(enabled, b.yes(), b))?;
            }
            Op::Timeout { dst } => {
                let timeout = self.machine.timeout(self.values)?;
                self.write(*dst, Number::truth_value(timeout, b.yes(), b))?;
            }
            Op::ProcessCount { dst } => {
                let count = processes::count(self.machine, self.values)?;
                self.write(*dst, count)?;
            }
            Op::Start { family, args, dst } => {
                let arguments: Vec<Number> = args.iter().map(|arg| self.read(*arg)).collect();
                let active = self.active.clone();
                let values = self.values.to_mut();
                let (number, free) = processes::start(self.machine, *family, &arguments, values, &active)?;
                self.fail_unless(&free)?;
                self.write(*dst, number)?;
            }
            Op::Exit { process } => {
                let active = self.active.clone();
                let youngest = processes::exit(self.machine, *process, self.values.to_mut(), &active)?;
                self.fail_unless(&youngest)?;
            }
            // The control flow is the caller's.
            Op::If { .. }
            | Op::Else { .. }
            | Op::End
            | Op::Loop { .. }
            | Op::Break { .. }
            | Op::Repeat { .. }
            | Op::Return { .. } => {}
        }
        Ok(())
    }
    fn call(&mut self, routine: RoutineId, args: &[Source]) -> Result<Number, NotMade> {
        let b = self.machine.b;
        let arguments: Vec<Number> = args.iter().map(|arg| self.read(*arg)).collect();
        let callee = &self.machine.program.routines[routine];
        let mut frame = Frame::new(self.machine, callee, self.values, &self.active, self.run);
        for (register, argument) in frame.registers.iter_mut().zip(arguments) {
            *register = argument;
        }
        frame.block(&callee.code, 0)?;
        let fallen = callee.results.first().map_or_else(|| Number::constant(0, b), |r| frame.read(*r));
        Ok(Number::select(&frame.active, &fallen, &frame.returned, b)?)
    }
    /// Where a value is that of a channel, with that many fields, and a buffer if so demanded.
    fn open(&self, channel: Source, fields: Option<u32>, buffered: bool) -> Made<Bdd> {
        let (b, program, channel) = (self.machine.b, self.machine.program, self.read(channel));
        let mut fine = b.no();
        for (at, element) in program.elements.iter().enumerate() {
            let wrong = fields.is_some_and(|n| n as usize != element.fields.len());
            let unbuffered = buffered && program.layout.queues[at].is_none();
            if !wrong && !unbuffered {
                fine = b.or(&fine, &channel.equal(&Number::constant(at as i64 + 1, b), b)?)?;
            }
        }
        Ok(fine)
    }
    /// The queues that a channel value may stand for, and where it does.
    fn queues(&self, channel: Source) -> Made<Vec<(Queue, Bdd)>> {
        let (b, channel) = (self.machine.b, self.read(channel));
        let mut queues = Vec::new();
        for (at, queue) in self.machine.program.layout.queues.iter().enumerate() {
            let here = channel.equal(&Number::constant(at as i64 + 1, b), b)?;
            if let (Some(queue), false) = (queue, b.is_no(&here)) {
                queues.push((*queue, here));
            }
        }
        Ok(queues)
    }
    fn patterns(&self, patterns: &[Option<Source>]) -> Vec<Option<Number>> {
        patterns.iter().map(|pattern| pattern.map(|source| self.read(source))).collect()
    }
    /// A message, wrapped into the fields of a queue.
    fn wrapped(&self, queue: Queue, message: &[Number]) -> Made<Vec<Number>> {
        let program = self.machine.program;
        let element = program.layout.queues.iter().position(|q| *q == Some(queue));
        let Some(element) = element else { return Ok(message.to_vec()) };
        let fields = message.iter().zip(&program.elements[element].fields);
        fields.map(|(value, range)| value.wrapped(*range, self.machine.b)).collect()
    }
    /// What is asked of the element that a channel value stands for.
    fn by_element(&self, channel: Source, ask: impl Fn(usize) -> Number) -> Made<Number> {
        let (b, channel) = (self.machine.b, self.read(channel));
        (0..self.machine.program.elements.len()).try_fold(Number::constant(0, b), |value, element| {
            let here = channel.equal(&Number::constant(element as i64 + 1, b), b)?;
            if b.is_no(&here) { Ok(value) } else { Number::select(&here, &ask(element), &value, b) }
        })
    }
}

/// The lesser of two numbers.
pub(crate) fn least(a: &Number, other: i64, b: &Bdds) -> Made<Number> {
    a.binary(BinaryOp::Min, &Number::constant(other, b), b)
}
