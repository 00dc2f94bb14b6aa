//! Choices of next values, two ways: as *leaves*, one edge for each way through their conditions, which is what
//! heuristics like to see; or, where these would be too many, by the number of an alternative that a select variable has.

use super::fold::fold;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::relation::Choice;

/// A value that a choice has under some conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// Just this one.
    Value(Expr),
    /// Any one between these.
    Between(Expr, Expr),
}

/// What is known to hold, and not to hold.
pub(super) type Known = Vec<(Expr, bool)>;

/// Calls `visit` with every leaf, and what must hold for it besides what is known.
pub(super) fn leaves(choice: &Choice, known: &mut Known, visit: &mut dyn FnMut(&mut Known, Leaf)) {
    match choice {
        Choice::One(value) => values(value, known, &mut |known, value| visit(known, Leaf::Value(value))),
        Choice::Between(lo, hi) => visit(known, Leaf::Between(lo.clone(), hi.clone())),
        Choice::Union(parts) => parts.iter().for_each(|part| leaves(part, known, visit)),
        Choice::If(condition, then, otherwise) => {
            branch(condition, known, &mut |known, holds| {
                leaves(if holds { then } else { otherwise }, known, visit);
            });
        }
    }
}

/// The same for an expression that branches.
fn values(value: &Expr, known: &mut Known, visit: &mut dyn FnMut(&mut Known, Expr)) {
    match value {
        Expr::If(condition, then, otherwise) => {
            branch(condition, known, &mut |known, holds| {
                values(if holds { then } else { otherwise }, known, visit);
            });
        }
        _ => visit(known, value.clone()),
    }
}

/// Goes both ways, unless one is known.
fn branch(condition: &Expr, known: &mut Known, go: &mut dyn FnMut(&mut Known, bool)) {
    if let Some(holds) = decided(condition, known) {
        return go(known, holds);
    }
    for holds in [true, false] {
        known.push((condition.clone(), holds));
        go(known, holds);
        known.pop();
    }
}

/// Whether a condition holds, as far as what is known tells.
fn decided(condition: &Expr, known: &Known) -> Option<bool> {
    if let Expr::Const(value) = condition {
        return Some(*value != 0);
    }
    let equals = |e: &Expr| match e {
        Expr::Binary(BinaryOp::Eq, left, right) => match (left.as_ref(), right.as_ref()) {
            (Expr::Var(var), Expr::Const(value)) => Some((*var, *value)),
            _ => None,
        },
        _ => None,
    };
    known.iter().find_map(|(other, holds)| {
        if other == condition {
            return Some(*holds);
        }
        let (here, there) = (equals(condition)?, equals(other)?);
        (*holds && here.0 == there.0 && here.1 != there.1).then_some(false)
    })
}

/// How many alternatives a choice has at most; `None` if that depends on the state.
pub(super) fn alternatives(choice: &Choice) -> Option<i64> {
    match choice {
        Choice::One(_) => Some(1),
        Choice::Between(Expr::Const(lo), Expr::Const(hi)) => i64::try_from(Range::new(*lo, *hi).size()).ok(),
        Choice::Between(..) => None,
        Choice::Union(parts) => {
            parts.iter().try_fold(0_i64, |sum, part| sum.checked_add(alternatives(part)?))
        }
        Choice::If(_, then, otherwise) => Some(alternatives(then)?.max(alternatives(otherwise)?)),
    }
}

/// The value that an alternative has, numbered from `first`.
pub(super) fn numbered(choice: &Choice, number: &Expr, first: i64) -> Option<Expr> {
    Some(match choice {
        Choice::One(value) => value.clone(),
        Choice::Between(lo, _) => {
            number.clone().binary(BinaryOp::Add, lo.clone()).binary(BinaryOp::Sub, Expr::Const(first))
        }
        Choice::Union(parts) => {
            let mut end = first + alternatives(choice)?;
            let mut value: Option<Expr> = None;
            for part in parts.iter().rev() {
                let start = end - alternatives(part)?;
                let here = numbered(part, number, start)?;
                value = Some(match value {
                    None => here,
                    Some(later) => {
                        let earlier = number.clone().binary(BinaryOp::Lt, Expr::Const(end));
                        Expr::If(Box::new(earlier), Box::new(here), Box::new(later))
                    }
                });
                end = start;
            }
            value.unwrap_or(Expr::FALSE)
        }
        Choice::If(condition, then, otherwise) => Expr::If(
            Box::new(condition.clone()),
            Box::new(numbered(then, number, first)?),
            Box::new(numbered(otherwise, number, first)?),
        ),
    })
}

/// Whether there is an alternative of that number.
pub(super) fn has_number(choice: &Choice, number: &Expr, first: i64) -> Option<Expr> {
    Some(match choice {
        Choice::One(_) => number.clone().binary(BinaryOp::Eq, Expr::Const(first)),
        Choice::Between(..) => {
            let (from, to) = (Expr::Const(first), Expr::Const(first + alternatives(choice)?));
            let (least, most) = (number.clone(), number.clone());
            Expr::And(vec![least.binary(BinaryOp::Ge, from), most.binary(BinaryOp::Lt, to)])
        }
        Choice::Union(parts) => {
            let (mut start, mut some) = (first, Vec::new());
            for part in parts {
                some.push(has_number(part, number, start)?);
                start += alternatives(part)?;
            }
            Expr::Or(some)
        }
        Choice::If(condition, then, otherwise) => Expr::If(
            Box::new(condition.clone()),
            Box::new(has_number(then, number, first)?),
            Box::new(has_number(otherwise, number, first)?),
        ),
    })
}

/// A condition that has a value where every part of a choice has one: a choice of which a part fails has none at all.
/// `None` where nothing can fail, or a single value fails by itself.
pub(super) fn sound(choice: &Choice) -> Option<Expr> {
    match choice {
        Choice::One(_) => None,
        Choice::Between(lo, hi) => Some(Expr::And([lo, hi].into_iter().filter_map(evaluated).collect())),
        Choice::Union(parts) => {
            let part = |part: &Choice| match part {
                Choice::One(value) => evaluated(value),
                other => sound(other),
            };
            Some(Expr::And(parts.iter().filter_map(part).collect()))
        }
        Choice::If(condition, then, otherwise) => {
            let (then, otherwise) = (sound(then), sound(otherwise));
            if then.is_none() && otherwise.is_none() {
                return None;
            }
            let or_true = |e: Option<Expr>| Box::new(e.unwrap_or(Expr::TRUE));
            Some(Expr::If(Box::new(condition.clone()), or_true(then), or_true(otherwise)))
        }
    }
    .map(|e| fold(&e))
    .filter(|e| !e.is_true())
}

/// A condition that is true if the expression can be evaluated; `None` if it always can.
fn evaluated(e: &Expr) -> Option<Expr> {
    let mut fails = false;
    beeline_ir::visit::walk(e, &mut |part| {
        fails |= match part {
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => {
                !matches!(by.as_ref(), Expr::Const(value) if *value > 0)
            }
            Expr::Binary(
                BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub,
                ..,
            ) => true,
            Expr::Unary(beeline_ir::expr::UnaryOp::Neg, _) => true,
            _ => false,
        };
    });
    fails.then(|| e.clone().binary(BinaryOp::Eq, e.clone()))
}
