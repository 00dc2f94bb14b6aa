//! The concrete interpreter: runs routines on states of integers.
//!
//! Calls have a stack of their own and need none of the interpreter's; only `Enabled` and `Timeout`, which evaluate
//! other edges, recur, and no deeper than [`MAX_DEPTH`].

use crate::arithmetic;
use crate::bytecode::{Op, Reg, Routine, RoutineId, Source};
use crate::edge::{ClockEffect, Effects};
use crate::enabled::Scratch;
use crate::program::{Atom, Program};
use crate::{process, queue};
use beeline_ir::expr::{MAX_DEPTH, MAX_ITERATIONS, RuntimeError};
use beeline_ir::stmt::Store;
use beeline_ir::work;

/// Scratch memory for running routines; reusable, and nothing is allocated once it has grown.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The windows of the active routines, one after the other.
    registers: Vec<i64>,
    /// Registers from here on are free.
    top: usize,
    /// Who waits for the active routine to return.
    callers: Vec<Caller>,
    /// Units of work of the current evaluation.
    work: u64,
    /// Units of work of all evaluations.
    total: u64,
    /// What the last routine yielded.
    pub(crate) results: Vec<i64>,
    /// Nesting of `Enabled` and `Timeout`.
    depth: usize,
    /// Inside `Timeout`, where every `Timeout` is read as 0.
    pub(crate) in_timeout: bool,
    /// Memory for evaluating the edges behind `Enabled`, one per level of nesting.
    pub(crate) scratch: Vec<Scratch>,
    /// The message a firing edge receives.
    pub(crate) taken: Vec<i64>,
    message: Vec<i64>,
    patterns: Vec<Option<i64>>,
}

/// Where to go on after a call.
#[derive(Copy, Clone, Debug)]
struct Caller {
    routine: RoutineId,
    position: usize,
    base: usize,
    dst: Reg,
}

/// The state a routine runs on.
pub(crate) trait World {
    fn slots(&self) -> &[i64];
    /// The state and the list of effects, to write; `None` while an expression is evaluated, which writes nothing.
    fn writable(&mut self) -> Option<(&mut [i64], &mut Effects)>;
}

/// For expressions.
pub(crate) struct ReadOnly<'a>(pub(crate) &'a [i64]);

impl World for ReadOnly<'_> {
    fn slots(&self) -> &[i64] {
        self.0
    }
    fn writable(&mut self) -> Option<(&mut [i64], &mut Effects)> {
        debug_assert!(false, "an expression writes");
        None
    }
}

/// For updates.
pub(crate) struct Writable<'a> {
    pub(crate) state: &'a mut [i64],
    pub(crate) effects: &'a mut Effects,
}

impl World for Writable<'_> {
    fn slots(&self) -> &[i64] {
        self.state
    }
    fn writable(&mut self) -> Option<(&mut [i64], &mut Effects)> {
        Some((self.state, self.effects))
    }
}

impl Machine {
    /// A machine for the program.
    pub fn new(program: &Program) -> Self {
        let most = program.routines.iter().map(|r| r.registers as usize).max().unwrap_or(0);
        Self { registers: vec![0; most], ..Self::default() }
    }

    /// Begins another evaluation. (What is evaluated behind `Enabled` belongs to the evaluation that asks.)
    pub(crate) fn begin(&mut self) {
        self.work = 0;
    }
    /// Units of work since the last evaluation began.
    pub fn work(&self) -> u64 {
        self.work
    }
    /// Units of work of all evaluations so far, for callers that look at the clock from time to time.
    pub fn total_work(&self) -> u64 {
        self.total
    }
    /// Counts work.
    #[inline]
    pub(crate) fn charge(&mut self, units: u32) -> Result<(), RuntimeError> {
        self.work += u64::from(units);
        self.total += u64::from(units);
        if self.work > u64::from(MAX_ITERATIONS) { Err(RuntimeError::Diverges) } else { Ok(()) }
    }
    /// Counts a look into the buffer of a channel element, if it has one.
    pub(crate) fn charge_buffer(&mut self, program: &Program, element: usize) -> Result<(), RuntimeError> {
        match &program.layout.queues[element] {
            Some(queue) => self.charge(work::units(work::of_queue(queue))),
            None => Ok(()),
        }
    }

    /// The value of an expression, by itself.
    pub fn eval(
        &mut self,
        program: &Program,
        routine: RoutineId,
        state: &[i64],
        selects: &[i64],
    ) -> Result<i64, RuntimeError> {
        self.begin();
        self.value(program, routine, state, selects)
    }

    /// The value of an expression, as part of a larger evaluation.
    pub(crate) fn value(
        &mut self,
        program: &Program,
        routine: RoutineId,
        state: &[i64],
        selects: &[i64],
    ) -> Result<i64, RuntimeError> {
        self.run(program, routine, selects, &[], &mut ReadOnly(state))?;
        Ok(self.results.first().copied().unwrap_or(0))
    }

    /// Runs a routine; what it yields is then in `results`.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        id: RoutineId,
        inputs: &[i64],
        message: &[i64],
        world: &mut impl World,
    ) -> Result<(), RuntimeError> {
        let (base, callers) = (self.top, self.callers.len());
        let routine = &program.routines[id];
        self.enter(routine, base);
        let given = inputs.len().min(routine.inputs as usize);
        self.registers[base..base + given].copy_from_slice(&inputs[..given]);
        if let Some(Reg(first)) = routine.message {
            let first = base + first as usize;
            self.registers[first..first + message.len()].copy_from_slice(message);
        }
        let done = self.execute(program, id, base, callers, world);
        self.top = base;
        self.callers.truncate(callers);
        done?;
        self.results.clear();
        for source in &routine.results {
            let value = self.read(base, world.slots(), *source);
            self.results.push(value);
        }
        Ok(())
    }

    /// Makes a window, its locals fresh.
    fn enter(&mut self, routine: &Routine, base: usize) {
        self.top = base + routine.registers as usize;
        if self.registers.len() < self.top {
            self.registers.resize(self.top, 0);
        }
        for local in &routine.locals {
            let first = base + local.first.0 as usize;
            self.registers[first..first + local.len as usize].fill(local.value);
        }
    }

    #[inline]
    fn read(&self, base: usize, slots: &[i64], source: Source) -> i64 {
        match source {
            Source::Const(value) => value,
            Source::Reg(Reg(reg)) => self.registers[base + reg as usize],
            Source::Slot(slot) => slots[slot as usize],
        }
    }
    #[inline]
    fn write(&mut self, base: usize, reg: Reg, value: i64) {
        self.registers[base + reg.0 as usize] = value;
    }

    /// The interpreter loop. Returns when the routine it started with does, that is with `floor` callers left.
    fn execute(
        &mut self,
        program: &Program,
        mut id: RoutineId,
        mut base: usize,
        floor: usize,
        world: &mut impl World,
    ) -> Result<(), RuntimeError> {
        let mut code = &program.routines[id].code;
        let mut position = 0;
        loop {
            let returned = match code.get(position) {
                None => program.routines[id].results.first().copied().unwrap_or(Source::Const(0)),
                Some(Op::Return { src }) => *src,
                Some(Op::Call { routine, args, dst }) => {
                    let callee = &program.routines[*routine];
                    let next = self.top;
                    self.enter(callee, next);
                    for (index, arg) in args.iter().enumerate() {
                        self.registers[next + index] = self.read(base, world.slots(), *arg);
                    }
                    self.callers.push(Caller { routine: id, position: position + 1, base, dst: *dst });
                    (id, base, code, position) = (*routine, next, &callee.code, 0);
                    continue;
                }
                Some(op) => {
                    position = self.step(program, op, position, base, world)?;
                    continue;
                }
            };
            if self.callers.len() == floor {
                return Ok(());
            }
            let value = self.read(base, world.slots(), returned);
            let Some(caller) = self.callers.pop() else { return Ok(()) };
            self.top = base;
            (id, base, position) = (caller.routine, caller.base, caller.position);
            code = &program.routines[id].code;
            self.write(base, caller.dst, value);
        }
    }

    /// Executes one operation other than a call or return; the position to go on at.
    #[inline]
    fn step(
        &mut self,
        program: &Program,
        op: &Op,
        position: usize,
        base: usize,
        world: &mut impl World,
    ) -> Result<usize, RuntimeError> {
        let next = position + 1;
        match op {
            Op::Move { dst, src } => {
                let value = self.read(base, world.slots(), *src);
                self.write(base, *dst, value);
            }
            Op::Unary { op, dst, src } => {
                let value = arithmetic::unary(*op, self.read(base, world.slots(), *src))?;
                self.write(base, *dst, value);
            }
            Op::Binary { op, dst, left, right } => {
                let left = self.read(base, world.slots(), *left);
                let right = self.read(base, world.slots(), *right);
                self.write(base, *dst, arithmetic::binary(*op, left, right)?);
            }
            Op::Fit { dst, src, range, store } => {
                let value = self.read(base, world.slots(), *src);
                let value = match store {
                    Store::Wrapping => range.wrap(value),
                    Store::Checked if range.contains(value) => value,
                    Store::Checked => return Err(RuntimeError::Range),
                };
                self.write(base, *dst, value);
            }
            Op::CheckIndex { index, len } => {
                checked(self.read(base, world.slots(), *index), *len)?;
            }
            Op::LoadElem { dst, base: first, len, index } => {
                let index = checked(self.read(base, world.slots(), *index), *len)?;
                let value = world.slots()[*first as usize + index];
                self.write(base, *dst, value);
            }
            Op::LoadLocal { dst, base: first, len, index } => {
                let index = checked(self.read(base, world.slots(), *index), *len)?;
                let value = self.registers[base + first.0 as usize + index];
                self.write(base, *dst, value);
            }
            Op::Store { slot, src } => {
                let value = self.read(base, world.slots(), *src);
                if let Some((state, effects)) = world.writable() {
                    effects.put(state, *slot as usize, value);
                }
            }
            Op::StoreElem { base: first, len, index, src } => {
                let index = checked(self.read(base, world.slots(), *index), *len)?;
                let value = self.read(base, world.slots(), *src);
                if let Some((state, effects)) = world.writable() {
                    effects.put(state, *first as usize + index, value);
                }
            }
            Op::StoreLocal { base: first, len, index, src } => {
                let index = checked(self.read(base, world.slots(), *index), *len)?;
                let value = self.read(base, world.slots(), *src);
                self.registers[base + first.0 as usize + index] = value;
            }
            Op::ClockSet { clock, src } => {
                let value = self.read(base, world.slots(), *src);
                if !(0..=Atom::LIMIT).contains(&value) {
                    return Err(RuntimeError::ClockValue);
                }
                if let Some((_, effects)) = world.writable() {
                    effects.clock_ops.push(ClockEffect::Set(*clock, value));
                }
            }
            Op::ClockCopy { clock, from } => {
                if let Some((_, effects)) = world.writable() {
                    effects.clock_ops.push(ClockEffect::Copy(*clock, *from));
                }
            }
            Op::If { cond, when, otherwise } => {
                if (self.read(base, world.slots(), *cond) != 0) != *when {
                    return Ok(*otherwise as usize);
                }
            }
            Op::Else { end } => return Ok(*end as usize),
            Op::Break { cond, when, end } => {
                if (self.read(base, world.slots(), *cond) != 0) == *when {
                    return Ok(*end as usize);
                }
            }
            Op::Repeat { start } => return Ok(*start as usize),
            Op::Count { units } => self.charge(*units)?,
            Op::End | Op::Loop { .. } => {}
            // Calls and returns belong to the loop around this.
            Op::Call { .. } | Op::Return { .. } => {}
            _ => self.special(program, op, base, world)?,
        }
        Ok(next)
    }

    /// The operations on channels and processes.
    fn special(
        &mut self,
        program: &Program,
        op: &Op,
        base: usize,
        world: &mut impl World,
    ) -> Result<(), RuntimeError> {
        match op {
            Op::Open { channel, fields, buffered } => {
                let element = self.element(program, base, world, *channel)?;
                let arity = fields.is_some_and(|n| n as usize != program.elements[element].fields.len());
                if arity || (*buffered && program.layout.queues[element].is_none()) {
                    return Err(RuntimeError::Channel);
                }
            }
            Op::Length { dst, channel } => {
                let element = self.element(program, base, world, *channel)?;
                let length = program.layout.queues[element].map_or(0, |q| queue::length(q, world.slots()));
                self.write(base, *dst, length as i64);
            }
            Op::Capacity { dst, channel } => {
                let element = self.element(program, base, world, *channel)?;
                let capacity = program.layout.queues[element].map_or(0, |q| q.capacity);
                self.write(base, *dst, capacity as i64);
            }
            Op::Poll { dst, channel, patterns, any } => {
                let element = self.element(program, base, world, *channel)?;
                self.read_patterns(base, world.slots(), patterns);
                self.charge_buffer(program, element)?;
                let found = program.queue_matches(world.slots(), element, *any, &self.patterns).is_some();
                self.write(base, *dst, i64::from(found));
            }
            Op::Send { channel, message, sorted } => {
                let element = self.element(program, base, world, *channel)?;
                self.charge_buffer(program, element)?;
                if !program.queue_accepts(world.slots(), element) {
                    return Err(RuntimeError::Blocked);
                }
                self.message.clear();
                for (source, field) in message.iter().zip(&program.elements[element].fields) {
                    let value = self.read(base, world.slots(), *source);
                    self.message.push(field.wrap(value));
                }
                let queue = program.layout.queues[element];
                if let (Some(queue), Some((state, effects))) = (queue, world.writable()) {
                    queue::insert(queue, state, &self.message, *sorted, effects);
                }
            }
            Op::Receive { channel, patterns, any, keep, dst } => {
                let element = self.element(program, base, world, *channel)?;
                self.read_patterns(base, world.slots(), patterns);
                self.charge_buffer(program, element)?;
                let at = program.queue_matches(world.slots(), element, *any, &self.patterns);
                let (Some(at), Some(queue)) = (at, program.layout.queues[element]) else {
                    return Err(RuntimeError::Blocked);
                };
                let first = base + dst.0 as usize;
                self.registers[first..first + queue.fields].copy_from_slice(queue::message(
                    queue,
                    world.slots(),
                    at,
                ));
                if let (false, Some((state, effects))) = (*keep, world.writable()) {
                    queue::remove(queue, state, at, effects);
                }
            }
            Op::Enabled { dst, process, edges } => {
                let edges = edges.iter().map(|edge| (*process, *edge));
                let enabled = self.some_enabled(program, edges, world.slots())?;
                self.write(base, *dst, i64::from(enabled));
            }
            Op::Timeout { dst } => {
                let timeout = !self.in_timeout && self.timeout(program, world.slots())?;
                self.write(base, *dst, i64::from(timeout));
            }
            Op::ProcessCount { dst } => {
                self.charge(program.search_units)?;
                let count = process::count(program, world.slots());
                self.write(base, *dst, count);
            }
            Op::Start { family, args, dst } => {
                self.message.clear();
                for arg in args {
                    let value = self.read(base, world.slots(), *arg);
                    self.message.push(value);
                }
                if let Some((state, effects)) = world.writable() {
                    let number = process::start(program, *family, &self.message, state, effects)?;
                    self.write(base, *dst, number);
                }
            }
            Op::Exit { process } => {
                if let Some((state, effects)) = world.writable() {
                    process::exit(program, *process, state, effects)?;
                }
            }
            Op::Assert { cond } => {
                let holds = self.read(base, world.slots(), *cond) != 0;
                if let (false, Some((_, effects))) = (holds, world.writable()) {
                    effects.assertion_failed = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The element a channel value stands for.
    fn element(
        &self,
        program: &Program,
        base: usize,
        world: &impl World,
        channel: Source,
    ) -> Result<usize, RuntimeError> {
        let value = self.read(base, world.slots(), channel);
        let element = usize::try_from(value).ok().and_then(|v| v.checked_sub(1));
        element.filter(|e| *e < program.elements.len()).ok_or(RuntimeError::Channel)
    }

    fn read_patterns(&mut self, base: usize, slots: &[i64], patterns: &[Option<Source>]) {
        self.patterns.clear();
        for pattern in patterns {
            let value = pattern.map(|source| self.read(base, slots, source));
            self.patterns.push(value);
        }
    }

    /// Evaluates other edges in the middle of a routine.
    pub(crate) fn nested(
        &mut self,
        ask: impl FnOnce(&mut Self) -> Result<bool, RuntimeError>,
    ) -> Result<bool, RuntimeError> {
        if self.depth == MAX_DEPTH {
            return Err(RuntimeError::Diverges);
        }
        self.depth += 1;
        let answer = ask(self);
        self.depth -= 1;
        answer
    }
}

/// The index, if it is inside.
#[inline]
fn checked(index: i64, len: u32) -> Result<usize, RuntimeError> {
    if 0 <= index && index < i64::from(len) { Ok(index as usize) } else { Err(RuntimeError::Index) }
}
