//! The value of an expression, by recursion over its syntax tree.

use beeline_ir::expr::{
    BinaryOp, ChannelRef, ClockAtom, Expr, MAX_ITERATIONS, Quantifier, RuntimeError, UnaryOp,
};
use beeline_ir::network::Role;
use beeline_ir::property::{Property, Target};
use beeline_ir::stmt::Receive;
use beeline_ir::{FunctionId, ProcessId, work};

use crate::cells::{Cells, Eval, Known, Stop};
use crate::clock::{Constraint, Terms};
use crate::context::Context;
use crate::exec::Effects;
use crate::frame::Frame;

/// Levels of recursion one evaluation may use, through expressions, statements, calls and `Enabled` together.
const MAX_LEVELS: usize = 1_000;

/// Clock bounds lie between minus this and this, values of clocks between 0 and this.
pub(crate) const CLOCK_LIMIT: i64 = 1 << 31;

/// Answers what only a property may ask.
#[derive(Copy, Clone)]
pub(crate) struct Answers<'a> {
    /// Whether a clock constraint holds.
    pub clock: &'a dyn Fn(&Constraint) -> Eval<bool>,
    /// Whether this is a deadlock.
    pub deadlock: &'a dyn Fn() -> Eval<bool>,
}

/// Whether a state is the property's target, as far as that is a state.
pub(crate) fn is_target(
    cx: &Context<'_>,
    property: &Property,
    cells: &Cells,
    answers: Answers<'_>,
) -> Eval<bool> {
    let Target::State(predicate) = property.target() else { return Ok(false) };
    let mut evaluation = Evaluation::new(cx);
    evaluation.frame = Frame::new(&property.frame, &[]);
    evaluation.answers = Some(answers);
    evaluation.truth(&predicate, cells)
}

/// One evaluation: of a guard and what belongs to it, of an update, of a location's invariant, or of a property.
pub(crate) struct Evaluation<'a, 'm> {
    pub cx: &'a Context<'m>,
    /// Read every `Timeout` as 0.
    pub ignore_timeouts: bool,
    /// Read every variable in the next state.
    pub primed: bool,
    answers: Option<Answers<'a>>,
    pub level: usize,
    pub frame: Frame<'a>,
    work: u64,
}

impl<'a, 'm> Evaluation<'a, 'm> {
    /// With an empty frame.
    pub fn new(cx: &'a Context<'m>) -> Self {
        let frame = Frame::new(&[], &[]);
        Self { cx, frame, ignore_timeouts: false, primed: false, answers: None, level: 0, work: 0 }
    }
    /// One recursion deeper.
    pub fn deeper<R>(&mut self, run: impl FnOnce(&mut Self) -> Eval<R>) -> Eval<R> {
        if self.level >= MAX_LEVELS {
            return Err(RuntimeError::Diverges.into());
        }
        self.level += 1;
        let result = run(self);
        self.level -= 1;
        result
    }
    /// Counts something of that many parts that can be repeated (see [`work`]).
    pub fn charge(&mut self, parts: usize) -> Eval<()> {
        self.work += u64::from(work::units(parts));
        if self.work > u64::from(MAX_ITERATIONS) { Err(RuntimeError::Diverges.into()) } else { Ok(()) }
    }
    /// Whether an expression is true.
    pub fn truth(&mut self, expr: &Expr, cells: &Cells) -> Eval<bool> {
        Ok(self.value(expr, cells)? != 0)
    }
    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr, cells: &Cells) -> Eval<i64> {
        self.deeper(|this| this.value_here(expr, cells))
    }
    fn value_here(&mut self, expr: &Expr, cells: &Cells) -> Eval<i64> {
        let cx = self.cx;
        Ok(match expr {
            Expr::Const(value) => *value,
            Expr::Var(var) if self.primed => cells.read(cx.next[var.index()])?,
            Expr::Var(var) => cells.read(cx.var[var.index()])?,
            Expr::Next(var) => cells.read(cx.next[var.index()])?,
            Expr::Elem(var, index) => {
                let index = self.value(index, cells)?;
                let len = cx.network.vars[*var].init.len();
                cells.read(cx.var[var.index()] + checked_index(index, len)?)?
            }
            Expr::Local(local) => self.frame.get(*local, 0),
            Expr::LocalElem(local, index) => {
                let index = self.value(index, cells)?;
                self.frame.get(*local, self.frame.index(*local, index)?)
            }
            Expr::At(process, location) => i64::from(cx.is_at(cells, *process, *location)?),
            Expr::Alive(process) => i64::from(self.alive(*process, cells)?),
            Expr::Pid(process) => self.pid(*process, cells)?,
            Expr::ProcessCount => {
                self.charge(cx.search)?;
                self.process_count(cells)?
            }
            Expr::Unary(op, operand) => {
                let value = self.value(operand, cells)?;
                match op {
                    UnaryOp::Not => i64::from(value == 0),
                    UnaryOp::Neg => value.checked_neg().ok_or(RuntimeError::Overflow)?,
                    UnaryOp::BitNot => !value,
                }
            }
            Expr::Binary(op, left, right) => {
                let left = self.value(left, cells)?;
                let right = self.value(right, cells)?;
                binary(*op, left, right)?
            }
            Expr::And(operands) => {
                for operand in operands {
                    if !self.truth(operand, cells)? {
                        return Ok(0);
                    }
                }
                1
            }
            Expr::Or(operands) => {
                for operand in operands {
                    if self.truth(operand, cells)? {
                        return Ok(1);
                    }
                }
                0
            }
            Expr::If(condition, then, otherwise) => {
                let taken = if self.truth(condition, cells)? { then } else { otherwise };
                self.value(taken, cells)?
            }
            Expr::Quantified(quantifier, local, range, body) => {
                let parts = work::of_expr(body);
                let mut sum: i64 = 0;
                for value in range.values() {
                    self.charge(parts)?;
                    self.frame.set(*local, 0, value);
                    let body = self.value(body, cells)?;
                    match quantifier {
                        Quantifier::Forall if body == 0 => return Ok(0),
                        Quantifier::Exists if body != 0 => return Ok(1),
                        Quantifier::Forall | Quantifier::Exists => {}
                        Quantifier::Sum => sum = sum.checked_add(body).ok_or(RuntimeError::Overflow)?,
                    }
                }
                if *quantifier == Quantifier::Forall { 1 } else { sum }
            }
            Expr::Call(function, arguments) => self.pure_call(*function, arguments, cells)?,
            Expr::Channel(channel) => self.element(channel, cells)? as i64 + 1,
            Expr::Length(channel) => {
                let element = self.element(channel, cells)?;
                cx.layout.queues[element].map_or(Ok(0), |queue| cells.read(queue.length))?
            }
            Expr::Capacity(channel) => {
                let element = self.element(channel, cells)?;
                cx.layout.queues[element].map_or(0, |queue| queue.capacity as i64)
            }
            Expr::Poll(receive) => i64::from(self.poll(receive, cells)?),
            Expr::Enabled(process, edges) => {
                i64::from(self.some_enabled(edges.iter().map(|edge| (*process, *edge)), cells)?)
            }
            Expr::Timeout => i64::from(!self.ignore_timeouts && self.nothing_enabled(cells)?),
            Expr::Clock(atom) => match (self.constraint(atom, cells)?, self.answers) {
                (None, _) => 1,
                (Some(constraint), Some(answers)) => i64::from((answers.clock)(&constraint)?),
                (Some(constraint), None) => return Err(Stop::Clock(constraint)),
            },
            Expr::Deadlock => match self.answers {
                Some(answers) => i64::from((answers.deadlock)()?),
                None => return Err(Stop::Deadlock),
            },
        })
    }
    /// Whether a process exists.
    pub fn alive(&self, process: ProcessId, cells: &Cells) -> Eval<bool> {
        let slot = self.cx.layout.location[process];
        let absent = self.cx.layout.absent(process);
        match cells.get(slot) {
            Known::Value(value) => Ok(*value != absent),
            known if known.allows(absent, self.cx.ranges[slot]) => Err(Stop::Slot(slot)),
            _ => Ok(true),
        }
    }
    /// The number of a process; -1 if it does not exist.
    pub fn pid(&self, process: ProcessId, cells: &Cells) -> Eval<i64> {
        match (self.cx.layout.pid[process], self.cx.layout.static_pid[process]) {
            (Some(slot), _) => cells.read(slot),
            (None, Some(number)) if self.alive(process, cells)? => Ok(number),
            _ => Ok(-1),
        }
    }
    /// How many processes exist.
    pub fn process_count(&self, cells: &Cells) -> Eval<i64> {
        let mut count = 0;
        for (id, process) in self.cx.network.processes.enumerate() {
            count += i64::from(process.role == Role::System && self.alive(id, cells)?);
        }
        Ok(count)
    }
    /// The constraint an atom stands for; `None` if its condition is false.
    pub fn constraint(&mut self, atom: &ClockAtom, cells: &Cells) -> Eval<Option<Constraint>> {
        if let Some(when) = &atom.when
            && !self.truth(when, cells)?
        {
            return Ok(None);
        }
        let bound = self.value(&atom.bound, cells)?;
        if !(-CLOCK_LIMIT..=CLOCK_LIMIT).contains(&bound) {
            return Err(RuntimeError::ClockValue.into());
        }
        Ok(Some(Constraint { left: Some(atom.left), right: atom.right, op: atom.op, bound }))
    }
    /// The position of a channel in the list of all channel elements.
    pub fn element(&mut self, channel: &ChannelRef, cells: &Cells) -> Eval<usize> {
        let cx = self.cx;
        match channel {
            ChannelRef::Element(id, index) => {
                let index = match index {
                    Some(index) => self.value(index, cells)?,
                    None => 0,
                };
                let elements = cx.network.channels[*id].elements();
                Ok(cx.first_element(*id) + checked_index(index, elements)?)
            }
            ChannelRef::Value(value) => {
                let value = self.value(value, cells)?;
                let position = checked_index(value.saturating_sub(1), cx.layout.queues.len());
                Ok(position.map_err(|_| RuntimeError::Channel)?)
            }
        }
    }
    fn poll(&mut self, receive: &Receive, cells: &Cells) -> Eval<bool> {
        let element = self.element(&receive.channel, cells)?;
        let wanted = self.wanted(element, receive, cells)?;
        if self.cx.layout.queues[element].is_none() {
            return Ok(false);
        }
        self.charge_buffer(element)?;
        Ok(self.find_message(element, &wanted, receive.any, cells)?.is_some())
    }
    /// A call in an expression: the function writes nothing but its own locals, so it may run on a copy.
    fn pure_call(&mut self, function: FunctionId, arguments: &[Expr], cells: &Cells) -> Eval<i64> {
        let arguments = self.values(arguments, cells)?;
        let terms = Terms::unchanged(self.cx.network.clocks.len());
        let mut copy = Effects { cells: cells.clone(), terms, assertion_failed: false };
        self.call(function, &arguments, &mut copy)
    }
}

/// An index into something of this length.
pub(crate) fn checked_index(index: i64, len: usize) -> Result<usize, RuntimeError> {
    usize::try_from(index).ok().filter(|i| *i < len).ok_or(RuntimeError::Index)
}

fn binary(op: BinaryOp, a: i64, b: i64) -> Result<i64, RuntimeError> {
    let shift = || u32::try_from(b).ok().filter(|b| *b < 64).ok_or(RuntimeError::Shift);
    let exact = |result: Option<i64>| result.ok_or(RuntimeError::Overflow);
    if matches!(op, BinaryOp::Div | BinaryOp::Rem) && b == 0 {
        return Err(RuntimeError::DivisionByZero);
    }
    Ok(match op {
        BinaryOp::Add => exact(a.checked_add(b))?,
        BinaryOp::Sub => exact(a.checked_sub(b))?,
        BinaryOp::Mul => exact(a.checked_mul(b))?,
        BinaryOp::Div => exact(a.checked_div(b))?,
        BinaryOp::Rem => a.wrapping_rem(b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        // The product is exact in 128 bits, whatever the shift.
        BinaryOp::Shl => exact(i64::try_from(i128::from(a) << shift()?).ok())?,
        BinaryOp::Shr => a >> shift()?,
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Eq => i64::from(a == b),
        BinaryOp::Ne => i64::from(a != b),
        BinaryOp::Lt => i64::from(a < b),
        BinaryOp::Le => i64::from(a <= b),
        BinaryOp::Gt => i64::from(a > b),
        BinaryOp::Ge => i64::from(a >= b),
    })
}
