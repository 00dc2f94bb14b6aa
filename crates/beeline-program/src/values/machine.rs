//! The interpreter itself: one operation at a time. What branches and joins is in [`control`](super::control).

use super::Values;
use super::arithmetic::{self, Computed};
use super::control::{Flow, Mark};
use super::set::{Truth, ValueSet};
use crate::bytecode::{Op, Reg, Routine, RoutineId, Source};
use crate::program::{Atom, Program};
use crate::slots::SlotSet;
use beeline_ir::expr::{MAX_ITERATIONS, Range};
use beeline_ir::stmt::Store;

/// Scratch memory for running routines on sets; reusable, and nothing is allocated once it has grown.
///
/// A call may take [`ValueMachine::BUDGET`] steps, or as many as were given; then it gives up, and the answer is
/// "anything". It also gives up where regions and calls nest deeper than [`ValueMachine::DEPTH`].
#[derive(Clone, Debug)]
pub struct ValueMachine {
    budget: u64,
    /// Steps of the current call so far.
    spent: u64,
    /// The slots that the current routine may read or write; the others are left over from earlier.
    pub(super) slots: Vec<ValueSet>,
    /// The windows of the active routines, one after the other.
    pub(super) registers: Vec<ValueSet>,
    /// Registers from here on are free.
    pub(super) top: usize,
    /// How the runs that are being followed stand.
    pub(super) flow: Flow,
    /// States put aside, one after the other, and where each begins.
    pub(super) saved: Vec<ValueSet>,
    pub(super) marks: Vec<Mark>,
    /// Nesting of regions and calls.
    pub(super) depth: usize,
    /// Whether a run may have failed, other than by taking too long.
    pub(super) may_fail: bool,
    /// Whether a run may have taken too long.
    pub(super) may_diverge: bool,
    /// Whether an assertion may have failed.
    may_violate: bool,
    /// Inside `Timeout`, where every `Timeout` is read as 0.
    pub(super) in_timeout: bool,
    results: Vec<ValueSet>,
    /// Operands that are read before anything is written.
    pub(super) operands: Vec<ValueSet>,
}

/// What an expression may yield.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// The values it may have where it does not fail; empty if it always fails.
    pub values: ValueSet,
    /// Whether a run-time error is possible.
    pub may_fail: bool,
}

impl Evaluation {
    /// The truth of the values; `None` if the evaluation always fails.
    pub fn truth(&self) -> Option<Truth> {
        self.values.truth()
    }
}

/// What an update may do besides changing slots.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// Whether a run may succeed.
    pub may_succeed: bool,
    /// Whether a run-time error is possible.
    pub may_fail: bool,
    /// Whether an assertion may fail.
    pub may_violate: bool,
}

/// An active routine.
#[derive(Copy, Clone)]
pub(super) struct Frame<'p> {
    pub(super) program: &'p Program,
    pub(super) routine: &'p Routine,
    /// Its first register. After the registers of the routine there is one for its result.
    pub(super) base: usize,
}

impl Frame<'_> {
    /// Number of registers, that of the result included.
    pub(super) fn window(&self) -> usize {
        self.routine.registers as usize + 1
    }
    /// The register of the result.
    pub(super) fn result(&self) -> Reg {
        Reg(self.routine.registers)
    }
}

impl ValueMachine {
    /// Steps that a call may take unless told otherwise. A step is an operation, or a few values of a set.
    pub const BUDGET: u64 = 1 << 16;
    /// How deeply regions and calls may nest.
    pub const DEPTH: usize = 400;

    /// A machine for the program.
    pub fn new(program: &Program) -> Self {
        Self::with_budget(program, Self::BUDGET)
    }
    /// A machine for the program that gives up after so many steps.
    pub fn with_budget(program: &Program, budget: u64) -> Self {
        Self {
            budget,
            spent: 0,
            slots: vec![ValueSet::EMPTY; program.layout.slots.len()],
            registers: Vec::new(),
            top: 0,
            flow: Flow::START,
            saved: Vec::new(),
            marks: Vec::new(),
            depth: 0,
            may_fail: false,
            may_diverge: false,
            may_violate: false,
            in_timeout: false,
            results: Vec::new(),
            operands: Vec::new(),
        }
    }
    /// Steps that the last call took.
    pub fn steps(&self) -> u64 {
        self.spent
    }
    /// Whether the last call gave up, so that its answer is "anything".
    pub fn gave_up(&self) -> bool {
        self.spent > self.budget
    }

    /// The value of an expression in any of the states, as an evaluation of its own. Inputs are select values or
    /// arguments; one that is not given may be anything.
    pub fn eval(
        &mut self,
        program: &Program,
        routine: RoutineId,
        values: &Values,
        inputs: &[ValueSet],
    ) -> Evaluation {
        self.run(program, routine, values, inputs, &[]);
        Evaluation {
            values: self.results.first().copied().unwrap_or(ValueSet::singleton(0)),
            may_fail: self.may_fail,
        }
    }
    /// Everything the last routine yields: for a synchronisation, the channel and then the message or the
    /// required values.
    pub fn results(&self) -> &[ValueSet] {
        &self.results
    }

    /// Runs an update on all states at once; what it may make of them is then in `values`, which stay as they
    /// are if no run succeeds. A field of the received message that is not given may be anything.
    pub fn apply(
        &mut self,
        program: &Program,
        routine: RoutineId,
        values: &mut Values,
        inputs: &[ValueSet],
        message: &[ValueSet],
    ) -> Applied {
        self.run(program, routine, values, inputs, message);
        let writes = &program.routines[routine].writes;
        if self.gave_up() {
            for slot in writes.iter() {
                values.slots[slot] = ValueSet::range(program.layout.slots[slot].range);
            }
        } else if self.flow.alive {
            copy_runs(writes, &self.slots, &mut values.slots);
        }
        let may_succeed = self.flow.alive || self.gave_up();
        Applied { may_succeed, may_fail: self.may_fail, may_violate: self.may_violate }
    }

    /// Runs a routine; what it yields is then in `results`, what it wrote in `slots`.
    fn run(
        &mut self,
        program: &Program,
        id: RoutineId,
        values: &Values,
        inputs: &[ValueSet],
        message: &[ValueSet],
    ) {
        let routine = &program.routines[id];
        (self.spent, self.top, self.depth, self.flow) = (0, 0, 0, Flow::START);
        (self.may_fail, self.may_diverge, self.may_violate) = (false, false, false);
        self.saved.clear();
        self.marks.clear();
        copy_runs(&routine.reads, &values.slots, &mut self.slots);
        copy_runs(&routine.writes, &values.slots, &mut self.slots);
        let frame = self.enter(program, routine);
        let given = inputs.len().min(routine.inputs as usize);
        self.registers[..given].copy_from_slice(&inputs[..given]);
        if let Some(Reg(first)) = routine.message {
            let taken = &mut self.registers[first as usize..frame.window()];
            taken.iter_mut().zip(message).for_each(|(register, field)| *register = *field);
        }
        self.invoke(frame);
        self.results.clear();
        let gave_up = self.gave_up();
        self.may_fail |= gave_up || self.may_diverge;
        self.may_violate |= gave_up;
        for source in &routine.results {
            let yielded = match (gave_up, self.flow.alive) {
                (true, _) => ValueSet::ALL,
                (_, true) => self.read(frame, *source),
                (_, false) => ValueSet::EMPTY,
            };
            self.results.push(yielded);
        }
    }

    /// Makes a window for a routine: locals fresh, inputs anything until they are put there.
    pub(super) fn enter<'p>(&mut self, program: &'p Program, routine: &'p Routine) -> Frame<'p> {
        let frame = Frame { program, routine, base: self.top };
        self.top += frame.window();
        if self.registers.len() < self.top {
            self.registers.resize(self.top, ValueSet::ALL);
        }
        self.registers[frame.base..self.top].fill(ValueSet::ALL);
        for local in &routine.locals {
            let first = frame.base + local.first.0 as usize;
            self.registers[first..first + local.len as usize].fill(ValueSet::singleton(local.value));
        }
        self.spend(frame.window() as u64 / 16);
        frame
    }

    /// Counts steps.
    pub(super) fn spend(&mut self, steps: u64) {
        self.spent = self.spent.saturating_add(steps);
        self.flow.alive &= !self.gave_up();
    }
    /// Follows no run any further; the answer will be "anything".
    pub(super) fn give_up(&mut self) {
        self.spend(u64::MAX);
    }
    #[inline]
    pub(super) fn read(&self, frame: Frame<'_>, source: Source) -> ValueSet {
        match source {
            Source::Const(value) => ValueSet::singleton(value),
            Source::Reg(Reg(reg)) => self.registers[frame.base + reg as usize],
            Source::Slot(slot) => self.slots[slot as usize],
        }
    }
    #[inline]
    pub(super) fn write(&mut self, frame: Frame<'_>, Reg(reg): Reg, values: ValueSet) {
        self.registers[frame.base + reg as usize] = values;
    }
    /// Writes what was computed; the runs in which that failed end here.
    fn put(&mut self, frame: Frame<'_>, dst: Reg, computed: Computed) {
        self.survive(computed.may_fail, !computed.values.is_empty());
        self.write(frame, dst, computed.values);
    }
    /// Some runs may fail here, and some may go on.
    pub(super) fn survive(&mut self, may_fail: bool, may_go_on: bool) {
        self.may_fail |= may_fail;
        self.flow.alive &= may_go_on;
    }

    /// Counts work of the runs that are followed: something between the two.
    pub(super) fn charge(&mut self, least: u32, most: u32) {
        self.flow.least = self.flow.least.saturating_add(u64::from(least));
        self.flow.most = self.flow.most.saturating_add(u64::from(most));
        let limit = u64::from(MAX_ITERATIONS);
        self.may_diverge |= self.flow.most > limit;
        self.flow.alive &= self.flow.least <= limit;
    }

    /// The values of an index that are inside; the others fail.
    fn index(&mut self, frame: Frame<'_>, index: Source, len: u32) -> ValueSet {
        let all = self.read(frame, index);
        let inside = all.clipped(Range::new(0, i64::from(len) - 1));
        self.survive(inside != all, !inside.is_empty());
        self.spend(inside.size() as u64 / 4);
        inside
    }

    /// Executes one operation that neither branches nor calls.
    pub(super) fn step(&mut self, frame: Frame<'_>, op: &Op) {
        match op {
            Op::Move { dst, src } => {
                let values = self.read(frame, *src);
                self.write(frame, *dst, values);
            }
            Op::Unary { op, dst, src } => {
                let values = self.read(frame, *src);
                self.spend(arithmetic::effort_of(&values) / 8);
                self.put(frame, *dst, arithmetic::unary(*op, &values));
            }
            Op::Binary { op, dst, left, right } => {
                let (left, right) = (self.read(frame, *left), self.read(frame, *right));
                self.spend(arithmetic::effort(*op, &left, &right) / 8);
                self.put(frame, *dst, arithmetic::binary(*op, &left, &right));
            }
            Op::Fit { dst, src, range, store } => {
                let values = self.read(frame, *src);
                if *store == Store::Wrapping {
                    self.spend(arithmetic::effort_of(&values) / 8);
                }
                self.put(frame, *dst, arithmetic::fit(&values, *range, *store));
            }
            Op::CheckIndex { index, len } => _ = self.index(frame, *index, *len),
            Op::LoadElem { dst, base, len, index } => {
                let index = self.index(frame, *index, *len);
                let values = union_of(&self.slots[*base as usize..], &index);
                self.write(frame, *dst, values);
            }
            Op::LoadLocal { dst, base, len, index } => {
                let index = self.index(frame, *index, *len);
                let values = union_of(&self.registers[frame.base + base.0 as usize..], &index);
                self.write(frame, *dst, values);
            }
            Op::Store { slot, src } => self.slots[*slot as usize] = self.read(frame, *src),
            Op::StoreElem { base, len, index, src } => {
                let index = self.index(frame, *index, *len);
                let values = self.read(frame, *src);
                store(&mut self.slots[*base as usize..], &index, &values);
            }
            Op::StoreLocal { base, len, index, src } => {
                let index = self.index(frame, *index, *len);
                let values = self.read(frame, *src);
                store(&mut self.registers[frame.base + base.0 as usize..], &index, &values);
            }
            Op::ClockSet { src, .. } => {
                let values = self.read(frame, *src);
                let inside = values.clipped(Range::new(0, Atom::LIMIT));
                self.survive(inside != values, !inside.is_empty());
            }
            Op::Count { units } => self.charge(*units, *units),
            Op::Assert { cond } => self.may_violate |= self.read(frame, *cond).may_be_false(),
            Op::Open { channel, fields, buffered } => self.open(frame, *channel, *fields, *buffered),
            Op::Length { dst, channel } => self.length(frame, *dst, *channel),
            Op::Capacity { dst, channel } => self.capacity(frame, *dst, *channel),
            Op::Poll { dst, channel, patterns, any } => self.poll(frame, *dst, *channel, patterns, *any),
            Op::Send { channel, message, sorted } => self.send(frame, *channel, message, *sorted),
            Op::Receive { channel, patterns, any, keep, dst } => {
                self.receive(frame, *channel, patterns, *any, *keep, *dst);
            }
            Op::Enabled { dst, process, edges } => {
                let edges = edges.iter().map(|edge| (*process, *edge));
                let enabled = self.some_enabled(frame.program, edges);
                self.write(frame, *dst, enabled);
            }
            Op::Timeout { dst } => {
                let timeout = self.timeout(frame.program);
                self.write(frame, *dst, timeout);
            }
            Op::ProcessCount { dst } => {
                self.charge(frame.program.search_units, frame.program.search_units);
                let count = self.count(frame.program);
                self.write(frame, *dst, count);
            }
            Op::Start { family, args, dst } => self.start(frame, *family, args, *dst),
            Op::Exit { process } => self.exit(frame.program, *process),
            // Clocks are not followed; the rest belongs to the regions around this.
            Op::ClockCopy { .. }
            | Op::If { .. }
            | Op::Else { .. }
            | Op::End
            | Op::Loop { .. }
            | Op::Break { .. }
            | Op::Repeat { .. }
            | Op::Call { .. }
            | Op::Return { .. } => {}
        }
    }
}

/// Copies the slots of a set from one state to another.
fn copy_runs(runs: &SlotSet, from: &[ValueSet], to: &mut [ValueSet]) {
    for run in runs.runs() {
        to[run.clone()].copy_from_slice(&from[run.clone()]);
    }
}

/// What the cells at the positions may hold.
fn union_of(cells: &[ValueSet], positions: &ValueSet) -> ValueSet {
    let mut all = ValueSet::EMPTY;
    for position in positions.values() {
        all.union(&cells[position as usize]);
    }
    all
}

/// Writes to the cell at a position, if that is known; else every cell may keep what it has.
fn store(cells: &mut [ValueSet], positions: &ValueSet, values: &ValueSet) {
    match positions.value() {
        Some(position) => cells[position as usize] = *values,
        None => positions.values().for_each(|position| _ = cells[position as usize].union(values)),
    }
}
