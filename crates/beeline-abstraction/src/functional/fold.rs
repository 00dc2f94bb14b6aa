//! Expressions with what is constant worked out. Nothing that might fail is left out before what decides.

use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use beeline_ir::relation::Choice;
use beeline_program::rewrite::rewrite;

/// The expression, shorter.
pub(super) fn fold(e: &Expr) -> Expr {
    let boxed = |e: &Expr| Box::new(fold(e));
    match e {
        Expr::Unary(op, inner) => match (op, fold(inner)) {
            (UnaryOp::Not, Expr::Const(value)) => Expr::Const(i64::from(value == 0)),
            (op, inner) => Expr::Unary(*op, Box::new(inner)),
        },
        Expr::Binary(op, left, right) => match (fold(left), fold(right)) {
            (Expr::Const(a), Expr::Const(b)) if compared(*op, a, b).is_some() => {
                Expr::Const(i64::from(compared(*op, a, b) == Some(true)))
            }
            (left, right) => left.binary(*op, right),
        },
        Expr::And(parts) => in_turn(parts, true),
        Expr::Or(parts) => in_turn(parts, false),
        Expr::If(condition, then, otherwise) => match fold(condition) {
            Expr::Const(0) => fold(otherwise),
            Expr::Const(_) => fold(then),
            condition => Expr::If(Box::new(condition), boxed(then), boxed(otherwise)),
        },
        _ => e.clone(),
    }
}

fn compared(op: BinaryOp, a: i64, b: i64) -> Option<bool> {
    match op {
        BinaryOp::Eq => Some(a == b),
        BinaryOp::Ne => Some(a != b),
        BinaryOp::Lt => Some(a < b),
        BinaryOp::Le => Some(a <= b),
        BinaryOp::Gt => Some(a > b),
        BinaryOp::Ge => Some(a >= b),
        _ => None,
    }
}

/// A conjunction, or else a disjunction: what does not decide goes, and what comes after what does.
fn in_turn(parts: &[Expr], and: bool) -> Expr {
    let mut left = Vec::new();
    for part in parts {
        match fold(part) {
            Expr::Const(value) if (value != 0) == and => {}
            constant @ Expr::Const(_) => {
                left.push(constant);
                break;
            }
            other => left.push(other),
        }
    }
    match (&left[..], and) {
        ([], _) => Expr::Const(i64::from(and)),
        ([Expr::Const(_)], _) => Expr::Const(i64::from(!and)),
        (_, true) => Expr::And(left),
        (_, false) => Expr::Or(left),
    }
}

/// A choice with parts of its expressions replaced, and then folded.
pub(super) fn replaced(choice: &Choice, replace: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Choice {
    let mut folded = |e: &Expr| fold(&rewrite(e, replace));
    match choice {
        Choice::One(value) => Choice::One(folded(value)),
        Choice::Between(lo, hi) => Choice::Between(folded(lo), folded(hi)),
        Choice::Union(parts) => Choice::Union(parts.iter().map(|part| replaced(part, replace)).collect()),
        Choice::If(condition, then, otherwise) => match folded(condition) {
            Expr::Const(0) => replaced(otherwise, replace),
            Expr::Const(_) => replaced(then, replace),
            condition => {
                let then = replaced(then, replace);
                Choice::If(condition, Box::new(then), Box::new(replaced(otherwise, replace)))
            }
        },
    }
}
