//! Guards and updates of the commonest shapes, executed without the bytecode: conjunctions of comparisons between a
//! scalar and a constant, and sequences of constants or scalars stored in scalars and of clocks set to constants. The
//! routines stay what everything else looks at; a shortcut does the same, faster.

use beeline_ir::ClockId;
use beeline_ir::expr::{BinaryOp, Expr, Range, RuntimeError};
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;
use beeline_ir::stmt::{Place, Stmt, Store};

use crate::arithmetic;
use crate::edge::{ClockEffect, Effects};

/// `slot op value`
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Test {
    slot: usize,
    op: BinaryOp,
    value: i64,
}

impl Test {
    /// Whether it holds.
    #[inline]
    pub fn holds(&self, state: &[i64]) -> bool {
        // The arithmetic of the bytecode; comparisons do not fail.
        arithmetic::binary(self.op, state[self.slot], self.value).is_ok_and(|truth| truth != 0)
    }
}

/// One statement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A constant within the range of its slot.
    Set(usize, i64),
    /// The value of a slot, which must be within the range.
    Copy(usize, usize, Range),
    /// A clock is set.
    Clock(ClockId, i64),
}

impl Step {
    /// Does it.
    #[inline]
    pub fn run(self, state: &mut [i64], effects: &mut Effects) -> Result<(), RuntimeError> {
        match self {
            Self::Set(slot, value) => state[slot] = value,
            Self::Copy(slot, from, range) => {
                let value = state[from];
                if !range.contains(value) {
                    return Err(RuntimeError::Range);
                }
                state[slot] = value;
            }
            Self::Clock(clock, value) => effects.clock_ops.push(ClockEffect::Set(clock, value)),
        }
        Ok(())
    }
}

/// The tests that a guard consists of, if it is nothing but tests.
pub(crate) fn tests(layout: &Layout, guard: &Expr) -> Option<Box<[Test]>> {
    let conjuncts = match guard {
        Expr::And(conjuncts) => conjuncts.as_slice(),
        other => std::slice::from_ref(other),
    };
    conjuncts.iter().map(|e| test(layout, e)).collect()
}

fn test(layout: &Layout, e: &Expr) -> Option<Test> {
    let Expr::Binary(op, left, right) = e else { return None };
    let mirrored = match op {
        BinaryOp::Eq | BinaryOp::Ne => *op,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    };
    match (&**left, &**right) {
        (Expr::Var(var), Expr::Const(value)) => {
            Some(Test { slot: layout.var[*var]?, op: *op, value: *value })
        }
        (Expr::Const(value), Expr::Var(var)) => {
            Some(Test { slot: layout.var[*var]?, op: mirrored, value: *value })
        }
        _ => None,
    }
}

/// The steps that an update consists of, if it is nothing but steps.
pub(crate) fn steps(network: &Network, layout: &Layout, update: &[Stmt]) -> Option<Box<[Step]>> {
    update.iter().map(|stmt| step(network, layout, stmt)).collect()
}

fn step(network: &Network, layout: &Layout, stmt: &Stmt) -> Option<Step> {
    match stmt {
        Stmt::Assign(target, value) if target.store == Store::Checked => {
            let Place::Var(var) = target.place else { return None };
            let (slot, range) = (layout.var[var]?, network.vars[var].range);
            match value {
                Expr::Const(value) => range.contains(*value).then_some(Step::Set(slot, *value)),
                Expr::Var(from) => Some(Step::Copy(slot, layout.var[*from]?, range)),
                _ => None,
            }
        }
        Stmt::ClockSet(clock, Expr::Const(value)) => {
            (0..=crate::Atom::LIMIT).contains(value).then_some(Step::Clock(*clock, *value))
        }
        _ => None,
    }
}
