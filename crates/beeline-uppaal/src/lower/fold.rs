//! Building expressions of the IR: constants are folded where that changes nothing, errors included; and what
//! values an expression can have.

use beeline_ir::expr::{BinaryOp, Expr, Quantifier, Range, RuntimeError, UnaryOp};
use beeline_ir::network::Network;
use beeline_ir::stmt::Local;
use beeline_ir::visit;

/// `a op b` on numbers.
pub(super) fn apply(op: BinaryOp, a: i64, b: i64) -> Result<i64, RuntimeError> {
    let shift = || u32::try_from(b).ok().filter(|n| *n < 64).ok_or(RuntimeError::Shift);
    Ok(match op {
        BinaryOp::Add => a.checked_add(b).ok_or(RuntimeError::Overflow)?,
        BinaryOp::Sub => a.checked_sub(b).ok_or(RuntimeError::Overflow)?,
        BinaryOp::Mul => a.checked_mul(b).ok_or(RuntimeError::Overflow)?,
        BinaryOp::Div | BinaryOp::Rem if b == 0 => return Err(RuntimeError::DivisionByZero),
        BinaryOp::Div => a.checked_div(b).ok_or(RuntimeError::Overflow)?,
        BinaryOp::Rem => a.checked_rem(b).ok_or(RuntimeError::Overflow)?,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl => {
            let wide = i128::from(a) << shift()?;
            i64::try_from(wide).map_err(|_| RuntimeError::Overflow)?
        }
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

/// `a op b`
pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    match (op, &a, &b) {
        (_, Expr::Const(x), Expr::Const(y)) => match apply(op, *x, *y) {
            Ok(value) => Expr::Const(value),
            Err(_) => a.binary(op, b),
        },
        (BinaryOp::Add | BinaryOp::Sub, _, Expr::Const(0)) | (BinaryOp::Mul, _, Expr::Const(1)) => a,
        (BinaryOp::Add, Expr::Const(0), _) | (BinaryOp::Mul, Expr::Const(1), _) => b,
        _ => a.binary(op, b),
    }
}

/// `!e`
pub(super) fn not(e: Expr) -> Expr {
    match e {
        Expr::Const(value) => Expr::Const(i64::from(value == 0)),
        Expr::Unary(UnaryOp::Not, inner) if is_truth(&inner) => *inner,
        other => other.negated(),
    }
}

/// `-e`
pub(super) fn neg(e: Expr) -> Expr {
    match e {
        Expr::Const(value) if value != i64::MIN => Expr::Const(-value),
        other => Expr::Unary(UnaryOp::Neg, Box::new(other)),
    }
}

/// All of them, in order.
pub(super) fn and(parts: Vec<Expr>) -> Expr {
    match junction(parts, true) {
        Ok(mut parts) if parts.len() == 1 && is_truth(&parts[0]) => parts.remove(0),
        Ok(parts) => Expr::And(parts),
        Err(value) => value,
    }
}

/// One of them, in order.
pub(super) fn or(parts: Vec<Expr>) -> Expr {
    match junction(parts, false) {
        Ok(mut parts) if parts.len() == 1 && is_truth(&parts[0]) => parts.remove(0),
        Ok(parts) => Expr::Or(parts),
        Err(value) => value,
    }
}

/// The parts of a conjunction (`unit` true) or disjunction that matter, or its constant value.
fn junction(parts: Vec<Expr>, unit: bool) -> Result<Vec<Expr>, Expr> {
    let mut kept = Vec::new();
    for part in parts {
        match part {
            Expr::Const(value) if (value != 0) == unit => {}
            Expr::Const(_) if !kept.iter().any(may_fail) => return Err(Expr::Const(i64::from(!unit))),
            Expr::Const(_) => {
                // Nothing after it is evaluated.
                kept.push(Expr::Const(i64::from(!unit)));
                return Ok(kept);
            }
            Expr::And(inner) if unit => kept.extend(inner),
            Expr::Or(inner) if !unit => kept.extend(inner),
            other => kept.push(other),
        }
    }
    if kept.is_empty() { Err(Expr::Const(i64::from(unit))) } else { Ok(kept) }
}

/// Number of nodes, which is what a copy costs.
pub(super) fn size(e: &Expr) -> u64 {
    let mut nodes = 0;
    visit::walk(e, &mut |_| nodes += 1);
    nodes
}

/// Whether evaluating an expression may be a run-time error, to judge by its form. Sums and differences alone
/// do not leave 64 bits.
pub(super) fn may_fail(e: &Expr) -> bool {
    let mut found = false;
    visit::walk(e, &mut |e| {
        found |= match e {
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Local(_)
            | Expr::At(..)
            | Expr::Clock(_)
            | Expr::Deadlock => false,
            Expr::Unary(..) | Expr::And(_) | Expr::Or(_) | Expr::If(..) => false,
            Expr::Binary(op, ..) => {
                use BinaryOp::{Div, Mul, Rem, Shl, Shr};
                matches!(op, Div | Mul | Rem | Shl | Shr)
            }
            _ => true,
        };
    });
    found
}

/// `c ? a : b`
pub(super) fn cond(c: Expr, a: Expr, b: Expr) -> Expr {
    match c {
        Expr::Const(0) => b,
        Expr::Const(_) => a,
        c => Expr::If(Box::new(c), Box::new(a), Box::new(b)),
    }
}

/// Whether an expression has no value but 0 and 1, to judge by its form.
pub(super) fn is_truth(e: &Expr) -> bool {
    match e {
        Expr::Const(value) => *value == 0 || *value == 1,
        Expr::Unary(UnaryOp::Not, _)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::At(..)
        | Expr::Clock(_)
        | Expr::Deadlock
        | Expr::Quantified(Quantifier::Forall | Quantifier::Exists, ..) => true,
        Expr::Binary(op, ..) => {
            use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
            matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
        }
        _ => false,
    }
}

/// The values an expression can have, from the declared ranges; too wide rather than too narrow.
pub(super) fn range_of(e: &Expr, network: &Network, frame: &[Local]) -> Range {
    const ALL: Range = Range::new(i64::MIN, i64::MAX);
    let of = |e: &Expr| range_of(e, network, frame);
    match e {
        Expr::Const(value) => Range::new(*value, *value),
        Expr::Var(id) | Expr::Elem(id, _) => network.vars[*id].range,
        Expr::Local(id) | Expr::LocalElem(id, _) => frame.get(id.index()).map_or(ALL, |l| l.range),
        Expr::Call(id, _) => network.functions[*id].result.unwrap_or(ALL),
        Expr::If(_, a, b) => of(a).hull(of(b)),
        Expr::Unary(UnaryOp::Neg, a) => {
            let r = of(a);
            Range::new(r.hi.saturating_neg(), r.lo.saturating_neg())
        }
        Expr::Binary(op, a, b) => arithmetic(*op, of(a), of(b)).unwrap_or(ALL),
        other if is_truth(other) => Range::BOOL,
        _ => ALL,
    }
}

fn arithmetic(op: BinaryOp, a: Range, b: Range) -> Option<Range> {
    let corners = |f: &dyn Fn(i64, i64) -> i64| {
        let all = [f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)];
        let (mut lo, mut hi) = (all[0], all[0]);
        for value in all {
            (lo, hi) = (lo.min(value), hi.max(value));
        }
        Range::new(lo, hi)
    };
    Some(match op {
        BinaryOp::Add => Range::new(a.lo.saturating_add(b.lo), a.hi.saturating_add(b.hi)),
        BinaryOp::Sub => Range::new(a.lo.saturating_sub(b.hi), a.hi.saturating_sub(b.lo)),
        BinaryOp::Mul => corners(&i64::saturating_mul),
        BinaryOp::Div if b.lo > 0 => corners(&|x, y| x / y),
        BinaryOp::Rem if b.lo > 0 => {
            let lo = if a.lo >= 0 { 0 } else { (1 - b.hi).max(a.lo) };
            let hi = if a.hi <= 0 { 0 } else { (b.hi - 1).min(a.hi) };
            Range::new(lo, hi)
        }
        BinaryOp::Min => Range::new(a.lo.min(b.lo), a.hi.min(b.hi)),
        BinaryOp::Max => Range::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        BinaryOp::BitAnd if a.lo >= 0 && b.lo >= 0 => Range::new(0, a.hi.min(b.hi)),
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            Range::BOOL
        }
        _ => return None,
    })
}
