//! Building expressions with constants computed at once. An operation on constants that would fail is kept.

use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};

use super::simplify::is_comparison;

/// `left op right`
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (&left, &right) {
        (Expr::Const(a), Expr::Const(b)) => {
            compute(op, *a, *b).map_or_else(|| left.clone().binary(op, right.clone()), Expr::Const)
        }
        (_, Expr::Const(0)) if matches!(op, BinaryOp::Add | BinaryOp::Sub) => left,
        (Expr::Const(0), _) if op == BinaryOp::Add => right,
        _ => left.binary(op, right),
    }
}

fn compute(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    let shift = u32::try_from(b).ok().filter(|b| *b < 64);
    Some(match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => a.checked_mul(b)?,
        BinaryOp::Div => a.checked_div(b)?,
        BinaryOp::Rem => a.checked_rem(b)?,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl => a.checked_mul(1i64.checked_shl(shift?).filter(|p| *p > 0)?)?,
        BinaryOp::Shr => a >> shift?,
        BinaryOp::Min => a.min(b),
        BinaryOp::Max => a.max(b),
        BinaryOp::Eq => (a == b).into(),
        BinaryOp::Ne => (a != b).into(),
        BinaryOp::Lt => (a < b).into(),
        BinaryOp::Le => (a <= b).into(),
        BinaryOp::Gt => (a > b).into(),
        BinaryOp::Ge => (a >= b).into(),
    })
}

/// `left == n`
pub(super) fn equals(left: Expr, n: i64) -> Expr {
    binary(BinaryOp::Eq, left, Expr::Const(n))
}

/// `!expr`
pub(super) fn not(expr: Expr) -> Expr {
    match expr {
        Expr::Const(n) => Expr::Const((n == 0).into()),
        Expr::Binary(op, left, right) if is_comparison(op) => Expr::Binary(
            match op {
                BinaryOp::Eq => BinaryOp::Ne,
                BinaryOp::Ne => BinaryOp::Eq,
                BinaryOp::Lt => BinaryOp::Ge,
                BinaryOp::Le => BinaryOp::Gt,
                BinaryOp::Gt => BinaryOp::Le,
                _ => BinaryOp::Lt,
            },
            left,
            right,
        ),
        Expr::And(all) => or(all.into_iter().map(not).collect()),
        Expr::Or(all) => and(all.into_iter().map(not).collect()),
        other => Expr::Unary(UnaryOp::Not, Box::new(other)),
    }
}

/// True if all are.
pub(super) fn and(all: Vec<Expr>) -> Expr {
    junction(all, false)
}

/// True if some is.
pub(super) fn or(all: Vec<Expr>) -> Expr {
    junction(all, true)
}

/// A junction, where an operand of the `decisive` truth value decides. Operands like it are taken apart.
fn junction(all: Vec<Expr>, decisive: bool) -> Expr {
    let mut parts = Vec::new();
    for part in all {
        match part {
            Expr::Const(n) if (n != 0) == decisive => return Expr::Const(decisive.into()),
            Expr::Const(_) => {}
            Expr::And(inner) if !decisive => parts.extend(inner),
            Expr::Or(inner) if decisive => parts.extend(inner),
            part => parts.push(part),
        }
    }
    match parts.as_slice() {
        [] => Expr::Const((!decisive).into()),
        [one] if is_truth(one) => parts.remove(0),
        _ if decisive => Expr::Or(parts),
        _ => Expr::And(parts),
    }
}

/// Whether the value is certainly 0 or 1.
fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::And(_) | Expr::Or(_) | Expr::Unary(UnaryOp::Not, _) | Expr::At(..) | Expr::Clock(_) => true,
        Expr::Binary(op, ..) => is_comparison(*op),
        _ => false,
    }
}

/// `condition ? then : otherwise`
pub(super) fn if_else(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition {
        Expr::Const(0) => otherwise,
        Expr::Const(_) => then,
        _ if then == otherwise => then,
        condition => Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_computed() {
        let n = Expr::Const;
        assert_eq!(binary(BinaryOp::Mul, n(6), n(7)), n(42));
        assert_eq!(binary(BinaryOp::Shl, n(1), n(62)), n(1 << 62));
        assert!(matches!(binary(BinaryOp::Shl, n(1), n(63)), Expr::Binary(..)));
        assert!(matches!(binary(BinaryOp::Div, n(1), n(0)), Expr::Binary(..)));
        assert_eq!(not(and(vec![n(1), n(3)])), n(0));
        assert_eq!(or(vec![]), n(0));
        assert_eq!(if_else(n(2), n(5), n(6)), n(5));
    }
}
