//! Numbers as in C: `int`s of 32 bits that wrap around. Ours have 64. Sums, products and the like have the right last
//! 32 bits anyway, so they are cut only where that can be noticed, before a comparison, a division or an index, say,
//! and only if the types of the variables do not tell that they are small enough.

use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};

use super::Lower;
use super::constant::fold;

/// A range of values.
type Interval = (i64, i64);

const INT: Interval = (i32::MIN as i64, i32::MAX as i64);

/// Beyond this, computations with 64 bits could overflow.
const SAFE: i64 = 1 << 61;

impl Lower<'_, '_> {
    /// An expression cut to 32 bits, if it may have more.
    pub(super) fn narrow(&self, expr: Expr) -> Expr {
        let (lo, hi) = self.interval(&expr);
        // A variable has the values that it has, an `unsigned` one of 32 bits, too.
        if (INT.0 <= lo && hi <= INT.1) || matches!(expr, Expr::Var(_) | Expr::Elem(..)) {
            return expr;
        }
        let half = Expr::Const(1 << 31);
        let cut = expr.binary(BinaryOp::Add, half.clone()).binary(BinaryOp::BitAnd, Expr::Const(0xffff_ffff));
        cut.binary(BinaryOp::Sub, half)
    }

    /// `left op right`, where only the last 32 bits matter, within 64.
    pub(super) fn limited(&self, op: &str, left: Expr, right: Expr) -> Expr {
        let whole = binary(op, left.clone(), right.clone());
        let (lo, hi) = self.interval(&whole);
        match -SAFE <= lo && hi <= SAFE {
            true => whole,
            false => binary(op, self.narrow(left), self.narrow(right)),
        }
    }

    /// By how much is shifted: of the amount, five bits count, as on the processors that run Spin's verifiers.
    pub(super) fn shift(&self, amount: Expr) -> Expr {
        match self.interval(&amount) {
            (0.., ..=31) => amount,
            _ => binary("&", amount, Expr::Const(31)),
        }
    }

    /// The values that an expression may have, by the types of its variables.
    fn interval(&self, expr: &Expr) -> Interval {
        match expr {
            Expr::Const(value) => (*value, *value),
            Expr::Var(var) | Expr::Elem(var, _) => {
                let range = self.network.vars[*var].range;
                (range.lo, range.hi)
            }
            Expr::Unary(UnaryOp::Neg, e) => {
                let (lo, hi) = self.interval(e);
                (hi.saturating_neg(), lo.saturating_neg())
            }
            Expr::Unary(UnaryOp::BitNot, e) => {
                let (lo, hi) = self.interval(e);
                (!hi, !lo)
            }
            Expr::If(_, a, b) => {
                let (a, b) = (self.interval(a), self.interval(b));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Expr::Binary(op, left, right) => combined(*op, self.interval(left), self.interval(right)),
            // Truth values, lengths and numbers of processes and channels.
            _ => (-1, 1 << 16),
        }
    }
}

fn combined(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    let hull = |f: fn(i64, i64) -> i64| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        all.into_iter().fold((i64::MAX, i64::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)))
    };
    let size = |(lo, hi): Interval| lo.saturating_abs().max(hi.saturating_abs());
    match op {
        BinaryOp::Add => hull(i64::saturating_add),
        BinaryOp::Sub => hull(i64::saturating_sub),
        BinaryOp::Mul => hull(i64::saturating_mul),
        BinaryOp::Shl => {
            let factor = |shift: i64| 1_i64 << shift.clamp(0, 31);
            let (low, high) = (factor(b.0), factor(b.1));
            combined(BinaryOp::Mul, a, (low, high))
        }
        BinaryOp::Div | BinaryOp::Shr => (-size(a), size(a)),
        BinaryOp::Rem => {
            let most = size(a).min(size(b));
            (if a.0 >= 0 { 0 } else { -most }, most)
        }
        BinaryOp::BitAnd if a.0 >= 0 || b.0 >= 0 => {
            let most = |(lo, hi): Interval| if lo >= 0 { hi } else { i64::MAX };
            (0, most(a).min(most(b)))
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            // As many bits as the larger one has.
            let bits = 64 - size(a).max(size(b)).leading_zeros();
            let most = if bits >= 63 { i64::MAX } else { (1 << bits) - 1 };
            (if a.0 >= 0 && b.0 >= 0 { 0 } else { -most - 1 }, most)
        }
        _ => (0, 1),
    }
}

/// `left op right`, computed if both are known.
pub(super) fn binary(op: &str, left: Expr, right: Expr) -> Expr {
    if let (Expr::Const(a), Expr::Const(b)) = (&left, &right)
        && let Some(value) = fold(op, *a, *b)
    {
        return Expr::Const(value);
    }
    let op = match op {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        ">" => BinaryOp::Gt,
        "<=" => BinaryOp::Le,
        ">=" => BinaryOp::Ge,
        "->" => return Expr::Or(vec![left.negated(), right]),
        // Truth, not numbers, is compared.
        _ => return left.negated().binary(BinaryOp::Eq, right.negated()),
    };
    left.binary(op, right)
}
