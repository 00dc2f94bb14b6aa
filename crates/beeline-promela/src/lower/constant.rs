//! Constants: sizes, capacities, numbers of processes, and initial values, which may be computed from those of other
//! variables.

use beeline_ir::diagnostic::Diagnostic;

use super::declare::LeafKind;
use super::{Instance, Lower, Res};
use crate::ast::{Expr, ExprKind, Ref};

impl Lower<'_, '_> {
    /// The value of an expression before anything has happened; for a process from the start, its own variables
    /// and number are known.
    pub(super) fn constant(&self, expr: &Expr, instance: Option<&Instance>) -> Res<i64> {
        let wrong = |message: &str| Diagnostic::error("E0925", message, Some(expr.span));
        let truth = |b: bool| i64::from(b);
        Ok(match &expr.kind {
            ExprKind::Int(value) => i64::from(*value as i32),
            ExprKind::Ref(found) => self.initial_value(found, instance)?,
            ExprKind::Unary(op, operand) => {
                let value = self.constant(operand, instance)?;
                match *op {
                    "!" => truth(value == 0),
                    "-" => i64::from((value as i32).wrapping_neg()),
                    _ => !value,
                }
            }
            ExprKind::Many(op, all) => {
                let stop = truth(*op == "||");
                let mut result = 1 - stop;
                for operand in all {
                    if truth(self.constant(operand, instance)? != 0) == stop {
                        result = stop;
                        break;
                    }
                }
                result
            }
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.constant(left, instance)?, self.constant(right, instance)?);
                fold(op, a, b).ok_or_else(|| wrong("this cannot be computed"))?
            }
            ExprKind::If(condition, then, otherwise) => {
                let chosen = if self.constant(condition, instance)? != 0 { then } else { otherwise };
                self.constant(chosen, instance)?
            }
            _ => return Err(wrong("a constant is needed here")),
        })
    }

    fn initial_value(&self, found: &Ref, instance: Option<&Instance>) -> Res<i64> {
        let (name, index) = match found.parts.as_slice() {
            [(name, index)] => (name, index),
            _ => return Err(Diagnostic::error("E0925", "a constant is needed here", Some(found.span))),
        };
        if index.is_none() {
            if let Some(value) = self.mtypes.get(name) {
                return Ok(*value);
            }
            if let ("_pid", Some(pid)) = (&**name, instance.and_then(|i| i.pid)) {
                return Ok(pid);
            }
        }
        let index = match index {
            Some(index) => usize::try_from(self.constant(index, instance)?).unwrap_or(usize::MAX),
            None => 0,
        };
        let known = instance.and_then(|i| i.symbols.get(name)).or_else(|| self.globals.get(name));
        let leaf = known.and_then(|variable| match variable.leaves.as_slice() {
            [leaf] if leaf.path.is_empty() => Some(leaf),
            _ => None,
        });
        let value = leaf.and_then(|leaf| match leaf.kind {
            LeafKind::Var(var) => self.network.vars[var].init.get(index).copied(),
            LeafKind::Channel(id) => {
                let inside = index < self.network.channels[id].elements();
                inside.then(|| (1 + self.network.first_element(id) + index) as i64)
            }
        });
        value.ok_or_else(|| {
            Diagnostic::error("E0925", format!("the value of `{name}` is not known here"), Some(found.span))
        })
    }

    /// A constant that counts something.
    pub(super) fn count(&self, expr: &Expr, least: i64, most: i64, what: &str) -> Res<usize> {
        let value = self.constant(expr, None)?;
        if value < least || value > most {
            let message = format!("{what} is a number from {least} to {most}, not {value}");
            return Err(Diagnostic::error("E0926", message, Some(expr.span)));
        }
        Ok(value as usize)
    }
}

/// `a op b` in 32 bits, if it has a value.
pub(super) fn fold(op: &str, a: i64, b: i64) -> Option<i64> {
    let truth = |b: bool| Some(i64::from(b));
    let value = match op {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<<" => a.checked_mul(1 << (b & 31)),
        ">>" => Some(a >> (b & 31)),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        _ => None,
    };
    value.map(|value| i64::from(value as i32))
}
