//! Expressions of the model, put together. What is known already is computed at once, so that parameters such as
//! `TRUE` leave nothing behind, and long cases become shallow trees.

use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use beeline_ir::relation::Choice;
use beeline_ir::visit;

use super::total::binary_value;

/// Cases up to this length are written one after the other.
const CHAIN: usize = 8;

/// Why there may be no value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Gap {
    /// No case applies.
    Case,
    /// An index is outside of its array.
    Index,
    /// A word is shifted by more than its bits.
    Shift,
    /// A value is none of the type that it should have.
    Type,
}

const GAPS: [Gap; 4] = [Gap::Case, Gap::Index, Gap::Shift, Gap::Type];

/// An expression without value: a number divided by zero. Which number tells why.
pub(crate) fn failure(gap: Gap) -> Expr {
    let number = (1..).zip(GAPS).find(|(_, g)| *g == gap).map_or(1, |(n, _)| n);
    Expr::Binary(BinaryOp::Div, Box::new(Expr::Const(number)), Box::new(Expr::Const(0)))
}

/// Why this has no value, if it is a [`failure`].
pub(crate) fn gap(expr: &Expr) -> Option<Gap> {
    match expr {
        Expr::Binary(BinaryOp::Div, number, zero) if **zero == Expr::Const(0) => match **number {
            Expr::Const(n) => {
                n.checked_sub(1).and_then(|n| usize::try_from(n).ok()).and_then(|n| GAPS.get(n).copied())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether this is a [`failure`].
pub(crate) fn is_failure(expr: &Expr) -> bool {
    gap(expr).is_some()
}

/// Whether an expression may be without value.
pub(crate) fn may_fail(expr: &Expr) -> bool {
    let mut found = false;
    visit::walk(expr, &mut |e| {
        let op = |op: &BinaryOp| matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr);
        found |= matches!(e, Expr::Binary(o, _, by) if op(o) && !matches!(**by, Expr::Const(1..)));
    });
    found
}

/// The number of parts of an expression.
pub(crate) fn size(expr: &Expr) -> usize {
    let mut count = 0;
    visit::walk(expr, &mut |_| count += 1);
    count
}

/// `!e`
pub(crate) fn not(expr: Expr) -> Expr {
    match expr {
        Expr::Const(value) => Expr::Const(i64::from(value == 0)),
        Expr::Unary(UnaryOp::Not, inner) if is_truth(&inner) => *inner,
        expr => expr.negated(),
    }
}

/// Whether an expression is 0 or 1 by its form.
fn is_truth(expr: &Expr) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match expr {
        Expr::And(_) | Expr::Or(_) | Expr::Unary(UnaryOp::Not, _) => true,
        Expr::Binary(op, ..) => matches!(op, Eq | Ne | Lt | Le | Gt | Ge),
        _ => false,
    }
}

/// `a op b`
pub(crate) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    if let (Expr::Const(x), Expr::Const(y)) = (&a, &b)
        && let Some(value) = binary_value(op, *x, *y)
    {
        return Expr::Const(value);
    }
    a.binary(op, b)
}

/// All of these; the parts are 0 or 1.
pub(crate) fn and(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Expr::Const(0) => return Expr::FALSE,
            Expr::Const(_) => {}
            Expr::And(inner) => all.extend(inner),
            part => all.push(part),
        }
    }
    match all.len() {
        0 => Expr::TRUE,
        1 => all.swap_remove(0),
        _ => Expr::And(all),
    }
}

/// One of these; the parts are 0 or 1.
pub(crate) fn or(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Expr::Const(0) => {}
            Expr::Const(_) => return Expr::TRUE,
            Expr::Or(inner) => all.extend(inner),
            part => all.push(part),
        }
    }
    match all.len() {
        0 => Expr::FALSE,
        1 => all.swap_remove(0),
        _ => Expr::Or(all),
    }
}

/// Something chosen by conditions: an expression or a set of values.
pub(crate) trait Chosen: Clone + PartialEq {
    /// `condition ? then : otherwise`
    fn either(condition: Expr, then: Self, otherwise: Self) -> Self;
}

impl Chosen for Expr {
    fn either(condition: Expr, then: Self, otherwise: Self) -> Self {
        match condition {
            Expr::Const(0) => otherwise,
            Expr::Const(_) => then,
            _ if then == otherwise && !is_failure(&then) => then,
            condition => Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
        }
    }
}

impl Chosen for Choice {
    fn either(condition: Expr, then: Self, otherwise: Self) -> Self {
        match condition {
            Expr::Const(0) => otherwise,
            Expr::Const(_) => then,
            condition => Choice::If(condition, Box::new(then), Box::new(otherwise)),
        }
    }
}

/// The value of the first condition that holds, or else the last one. A long list is halved: whether one of the
/// first half holds comes first.
pub(crate) fn cases<T: Chosen>(mut branches: Vec<(Expr, T)>, otherwise: T) -> T {
    if branches.len() > CHAIN {
        let rest = branches.split_off(branches.len() / 2);
        let first = or(branches.iter().map(|(condition, _)| condition.clone()));
        let rest = cases(rest, otherwise);
        return match branches.pop() {
            Some((_, last)) => T::either(first, cases(branches, last), rest),
            None => rest,
        };
    }
    branches.into_iter().rev().fold(otherwise, |rest, (condition, value)| T::either(condition, value, rest))
}

/// The value for the number that an expression has, of values for successive numbers; all others go to the nearest.
pub(crate) fn by_number(number: &Expr, first: i64, values: &[Expr]) -> Expr {
    match values {
        [] => failure(Gap::Index),
        [one] => one.clone(),
        _ => {
            let half = values.len() / 2;
            let bound = Expr::Const(first + half as i64);
            let (low, high) = (by_number(number, first, &values[..half]), &values[half..]);
            let high = by_number(number, first + half as i64, high);
            Expr::either(binary(BinaryOp::Lt, number.clone(), bound), low, high)
        }
    }
}
