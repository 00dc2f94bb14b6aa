//! Integer arithmetic with every way to fail as a value.

use beeline_ir::expr::{BinaryOp, RuntimeError, UnaryOp};

/// The value of an operator of one operand.
#[inline]
pub fn unary(op: UnaryOp, a: i64) -> Result<i64, RuntimeError> {
    match op {
        UnaryOp::Not => Ok(i64::from(a == 0)),
        UnaryOp::Neg => a.checked_neg().ok_or(RuntimeError::Overflow),
        UnaryOp::BitNot => Ok(!a),
    }
}

/// The value of an operator of two operands.
#[inline]
pub fn binary(op: BinaryOp, a: i64, b: i64) -> Result<i64, RuntimeError> {
    let fits = |value: Option<i64>| value.ok_or(RuntimeError::Overflow);
    let truth = |value: bool| Ok(i64::from(value));
    match op {
        BinaryOp::Add => fits(a.checked_add(b)),
        BinaryOp::Sub => fits(a.checked_sub(b)),
        BinaryOp::Mul => fits(a.checked_mul(b)),
        BinaryOp::Div | BinaryOp::Rem if b == 0 => Err(RuntimeError::DivisionByZero),
        BinaryOp::Div => fits(a.checked_div(b)),
        // The remainder itself always fits, even where the quotient does not.
        BinaryOp::Rem => Ok(a.wrapping_rem(b)),
        BinaryOp::BitAnd => Ok(a & b),
        BinaryOp::BitOr => Ok(a | b),
        BinaryOp::BitXor => Ok(a ^ b),
        BinaryOp::Shl | BinaryOp::Shr if !(0..=63).contains(&b) => Err(RuntimeError::Shift),
        BinaryOp::Shl => fits(i64::try_from(i128::from(a) << b).ok()),
        BinaryOp::Shr => Ok(a >> b),
        BinaryOp::Min => Ok(a.min(b)),
        BinaryOp::Max => Ok(a.max(b)),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOp::*;

    #[test]
    fn agrees_with_wide_arithmetic_at_the_ends() {
        let ends = [i64::MIN, i64::MIN + 1, -64, -3, -2, -1, 0, 1, 2, 3, 62, 63, 64, i64::MAX - 1, i64::MAX];
        for a in ends {
            for b in ends {
                let (x, y) = (i128::from(a), i128::from(b));
                let fit = |value: i128| i64::try_from(value).map_err(|_| RuntimeError::Overflow);
                assert_eq!(binary(Add, a, b), fit(x + y));
                assert_eq!(binary(Sub, a, b), fit(x - y));
                assert_eq!(binary(Mul, a, b), fit(x * y));
                let divided = |value: fn(i128, i128) -> i128| {
                    if b == 0 { Err(RuntimeError::DivisionByZero) } else { fit(value(x, y)) }
                };
                assert_eq!(binary(Div, a, b), divided(|x, y| x / y));
                assert_eq!(binary(Rem, a, b), divided(|x, y| x % y));
                let shifted = |value: &dyn Fn() -> i128| {
                    if (0..64).contains(&b) { fit(value()) } else { Err(RuntimeError::Shift) }
                };
                assert_eq!(binary(Shl, a, b), shifted(&|| x << y));
                assert_eq!(binary(Shr, a, b), shifted(&|| x >> y));
                assert_eq!(binary(Min, a, b), Ok(if a < b { a } else { b }));
                assert_eq!(binary(Max, a, b), Ok(if a < b { b } else { a }));
                assert_eq!(binary(BitXor, a, b), Ok((a | b) & !(a & b)));
                assert_eq!(binary(Le, a, b), Ok(1 - binary(Gt, a, b).unwrap()));
                assert_eq!(binary(Ge, a, b), Ok(1 - binary(Lt, a, b).unwrap()));
                assert_eq!(binary(Eq, a, b), Ok(1 - binary(Ne, a, b).unwrap()));
                assert_eq!(binary(Le, a, b), Ok(i64::from(x <= y)));
                assert_eq!(binary(Lt, a, b), Ok(i64::from(x < y)));
                assert_eq!(binary(Eq, a, b), Ok(i64::from(x == y)));
            }
            assert_eq!(unary(UnaryOp::Neg, a).ok(), i64::try_from(-i128::from(a)).ok());
            assert_eq!(unary(UnaryOp::BitNot, a), Ok(-1 - a));
            assert_eq!(unary(UnaryOp::Not, a), Ok(i64::from(a == 0)));
        }
    }

    #[test]
    fn division_truncates_and_the_remainder_has_the_sign_of_the_dividend() {
        assert_eq!((binary(Div, -7, 2), binary(Rem, -7, 2)), (Ok(-3), Ok(-1)));
        assert_eq!((binary(Div, 7, -2), binary(Rem, 7, -2)), (Ok(-3), Ok(1)));
    }
}
