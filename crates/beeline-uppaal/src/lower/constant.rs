//! Constants: expressions are evaluated once they are lowered, so that functions may be called in them. A counted
//! budget ends whatever runs too long.

use std::collections::BTreeSet;

use beeline_ir::expr::{Expr, MAX_ITERATIONS, Quantifier, RuntimeError, UnaryOp};
use beeline_ir::network::Network;
use beeline_ir::stmt::{Block, Local, Place, Stmt, Target};
use beeline_ir::{FunctionId, VarId};

use super::Lower;
use super::body::{Body, Mode};
use super::fault::{Fault, Res};
use super::fold::apply;
use super::types::default_value;
use crate::ast;

/// Levels of nesting of an evaluation.
const MAX_LEVELS: usize = 400;

/// Cells of a frame that are as much work as one step.
const CELLS: u32 = 8;

/// Why an expression has no constant value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum NoValue {
    /// Evaluating it fails.
    Fails(RuntimeError),
    /// It depends on the state.
    NotConstant,
}

impl From<RuntimeError> for NoValue {
    fn from(error: RuntimeError) -> Self {
        Self::Fails(error)
    }
}

impl Lower<'_> {
    /// The value of an expression that must be known before the search.
    pub(super) fn constant(&mut self, b: &mut Body, e: &ast::Expr) -> Res<i64> {
        if let ast::ExprKind::Int(value) = e.kind {
            return Ok(value);
        }
        let mode = std::mem::replace(&mut b.mode, Mode::Pure);
        let lowered = self.leaf(b, e);
        b.mode = mode;
        self.evaluate(&lowered?).map_err(|why| match why {
            NoValue::NotConstant => {
                Fault::error("E0534", "this must be known before the system runs", e.span)
                    .help("use constants, and functions of constants, only")
            }
            NoValue::Fails(error) => {
                let message = format!("this cannot be computed: {}", error.message());
                Fault::error("E0534", message, e.span)
            }
        })
    }
    /// The value of a lowered expression, if it has one in all states.
    pub(super) fn evaluate(&self, e: &Expr) -> Result<i64, NoValue> {
        if let Expr::Const(value) = e {
            return Ok(*value);
        }
        let constants = &self.tables.constant_vars;
        let mut evaluator = Evaluator { network: &self.net, constants, steps: 0, level: 0 };
        let value = evaluator.expr(&mut Vec::new(), e);
        self.evaluated.set(self.evaluated.get().saturating_add(u64::from(evaluator.steps)));
        value
    }
}

struct Evaluator<'n> {
    network: &'n Network,
    constants: &'n BTreeSet<VarId>,
    steps: u32,
    level: usize,
}

/// What a statement did.
enum Flow {
    Next,
    Return(Option<i64>),
}

type Locals = Vec<Vec<i64>>;

impl Evaluator<'_> {
    fn step(&mut self) -> Result<(), NoValue> {
        self.work(1)
    }
    fn work(&mut self, steps: u32) -> Result<(), NoValue> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_ITERATIONS { Err(RuntimeError::Diverges.into()) } else { Ok(()) }
    }
    fn expr(&mut self, locals: &mut Locals, e: &Expr) -> Result<i64, NoValue> {
        self.step()?;
        if self.level >= MAX_LEVELS {
            return Err(RuntimeError::Diverges.into());
        }
        self.level += 1;
        let value = self.value(locals, e);
        self.level -= 1;
        value
    }
    fn value(&mut self, locals: &mut Locals, e: &Expr) -> Result<i64, NoValue> {
        Ok(match e {
            Expr::Const(value) => *value,
            Expr::Var(var) => self.cell(*var, 0)?,
            Expr::Elem(var, index) => {
                let index = self.expr(locals, index)?;
                self.cell(*var, index)?
            }
            Expr::Local(id) => *locals.get(id.index()).and_then(|l| l.first()).ok_or(NoValue::NotConstant)?,
            Expr::LocalElem(id, index) => {
                let index = self.expr(locals, index)?;
                let cells = locals.get(id.index()).ok_or(NoValue::NotConstant)?;
                *usize::try_from(index).ok().and_then(|i| cells.get(i)).ok_or(RuntimeError::Index)?
            }
            Expr::Unary(UnaryOp::Not, a) => i64::from(self.expr(locals, a)? == 0),
            Expr::Unary(UnaryOp::Neg, a) => {
                self.expr(locals, a)?.checked_neg().ok_or(RuntimeError::Overflow)?
            }
            Expr::Unary(UnaryOp::BitNot, a) => !self.expr(locals, a)?,
            Expr::Binary(op, a, b) => {
                let a = self.expr(locals, a)?;
                apply(*op, a, self.expr(locals, b)?)?
            }
            Expr::And(all) => {
                for part in all {
                    if self.expr(locals, part)? == 0 {
                        return Ok(0);
                    }
                }
                1
            }
            Expr::Or(all) => {
                for part in all {
                    if self.expr(locals, part)? != 0 {
                        return Ok(1);
                    }
                }
                0
            }
            Expr::If(c, a, b) => {
                let chosen = if self.expr(locals, c)? != 0 { a } else { b };
                self.expr(locals, chosen)?
            }
            Expr::Quantified(quantifier, id, range, body) => {
                let mut sum = 0_i64;
                for value in range.values() {
                    while locals.len() <= id.index() {
                        locals.push(Vec::new());
                    }
                    locals[id.index()] = vec![value];
                    let value = self.expr(locals, body)?;
                    match quantifier {
                        Quantifier::Forall if value == 0 => return Ok(0),
                        Quantifier::Exists if value != 0 => return Ok(1),
                        Quantifier::Sum => sum = sum.checked_add(value).ok_or(RuntimeError::Overflow)?,
                        _ => {}
                    }
                }
                match quantifier {
                    Quantifier::Forall => 1,
                    Quantifier::Exists => 0,
                    Quantifier::Sum => sum,
                }
            }
            Expr::Call(function, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.expr(locals, argument)?);
                }
                self.call(*function, values)?.unwrap_or(0)
            }
            _ => return Err(NoValue::NotConstant),
        })
    }
    fn cell(&self, var: VarId, index: i64) -> Result<i64, NoValue> {
        if !self.constants.contains(&var) {
            return Err(NoValue::NotConstant);
        }
        let init = &self.network.vars[var].init;
        Ok(*usize::try_from(index).ok().and_then(|i| init.get(i)).ok_or(RuntimeError::Index)?)
    }
    fn call(&mut self, id: FunctionId, arguments: Vec<i64>) -> Result<Option<i64>, NoValue> {
        let function = &self.network.functions[id];
        let cells = |local: &Local| local.len.unwrap_or(1);
        self.work(function.frame.iter().map(cells).fold(0, u32::saturating_add) / CELLS)?;
        let fresh = |local: &Local| vec![default_value(local.range); cells(local) as usize];
        let mut locals: Locals = function.frame.iter().map(fresh).collect();
        for ((cells, argument), local) in locals.iter_mut().zip(arguments).zip(&function.frame) {
            if !local.range.contains(argument) {
                return Err(RuntimeError::Range.into());
            }
            cells[0] = argument;
        }
        let value = match self.block(&function.frame, &mut locals, &function.body)? {
            Flow::Return(value) => value,
            Flow::Next => function.result.map(default_value),
        };
        match (value, function.result) {
            (Some(value), Some(range)) if !range.contains(value) => Err(RuntimeError::Range.into()),
            (value, _) => Ok(value),
        }
    }
    fn block(&mut self, frame: &[Local], locals: &mut Locals, block: &Block) -> Result<Flow, NoValue> {
        for statement in block {
            if let Flow::Return(value) = self.statement(frame, locals, statement)? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }
    fn statement(&mut self, frame: &[Local], locals: &mut Locals, s: &Stmt) -> Result<Flow, NoValue> {
        self.step()?;
        match s {
            Stmt::Assign(target, value) => {
                let slot = self.slot(locals, target)?;
                let value = self.expr(locals, value)?;
                self.store(frame, locals, slot, value)?;
            }
            Stmt::If(c, then, otherwise) => {
                let chosen = if self.expr(locals, c)? != 0 { then } else { otherwise };
                return self.block(frame, locals, chosen);
            }
            Stmt::While(c, body) => {
                while self.expr(locals, c)? != 0 {
                    if let Flow::Return(value) = self.block(frame, locals, body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Stmt::Call(function, arguments, target) => {
                let slot = target.as_ref().map(|t| self.slot(locals, t)).transpose()?;
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.expr(locals, argument)?);
                }
                let value = self.call(*function, values)?;
                if let (Some(slot), Some(value)) = (slot, value) {
                    self.store(frame, locals, slot, value)?;
                }
            }
            Stmt::Return(None) => return Ok(Flow::Return(None)),
            Stmt::Return(Some(value)) => return Ok(Flow::Return(Some(self.expr(locals, value)?))),
            _ => return Err(NoValue::NotConstant),
        }
        Ok(Flow::Next)
    }
    fn slot(&mut self, locals: &mut Locals, target: &Target) -> Result<(usize, usize), NoValue> {
        match &target.place {
            Place::Local(id) => Ok((id.index(), 0)),
            Place::LocalElem(id, index) => {
                let index = self.expr(locals, index)?;
                Ok((id.index(), usize::try_from(index).map_err(|_| RuntimeError::Index)?))
            }
            Place::Var(_) | Place::Elem(..) => Err(NoValue::NotConstant),
        }
    }
    fn store(
        &self,
        frame: &[Local],
        locals: &mut Locals,
        (local, index): (usize, usize),
        value: i64,
    ) -> Result<(), NoValue> {
        if !frame[local].range.contains(value) {
            return Err(RuntimeError::Range.into());
        }
        *locals[local].get_mut(index).ok_or(RuntimeError::Index)? = value;
        Ok(())
    }
}
