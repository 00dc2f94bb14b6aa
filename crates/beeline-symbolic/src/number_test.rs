//! Every operator on all small numbers, and on large constants, against plain arithmetic.

use super::*;
use beeline_ir::limits::Limits;

const OPS: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
];

fn plain(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    let amount = || u32::try_from(b).ok().filter(|b| *b < 64);
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => (b != 0).then(|| a.wrapping_rem(b)),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => i64::try_from(i128::from(a) << amount()?).ok(),
        BinaryOp::Shr => Some(a >> amount()?),
        BinaryOp::Min => Some(a.min(b)),
        BinaryOp::Max => Some(a.max(b)),
        BinaryOp::Eq => Some(i64::from(a == b)),
        BinaryOp::Ne => Some(i64::from(a != b)),
        BinaryOp::Lt => Some(i64::from(a < b)),
        BinaryOp::Le => Some(i64::from(a <= b)),
        BinaryOp::Gt => Some(i64::from(a > b)),
        BinaryOp::Ge => Some(i64::from(a >= b)),
    }
}

/// The value where the bits are as in the literals.
fn value(number: &Number, at: &Bdd, b: &Bdds) -> Option<i64> {
    let there = |f: &Bdd| b.is_yes(&b.restrict(f, at).expect("no limit"));
    assert!(number.bits.len() <= WIDTH);
    there(&number.defined).then(|| (0..WIDTH).fold(0, |v, i| v | i64::from(there(number.bit(i))) << i))
}

#[test]
fn operators_on_all_small_numbers() {
    let b = Bdds::new(8, &Limits::default());
    let number = |first: u32| Number {
        bits: (first..first + 4).map(|bit| b.bit(bit).expect("no limit")).collect(),
        defined: b.yes(),
    };
    let (x, y) = (number(0), number(4));
    let four = |n: i64, first: u32| (0..4).map(move |i| (first + i, n >> i & 1 == 1));
    for op in OPS {
        let result = x.binary(op, &y, &b).expect("no limit");
        for m in -8..8 {
            for n in -8..8 {
                let at: Vec<_> = four(m, 0).chain(four(n, 4)).collect();
                let at = b.literals(&at).expect("no limit");
                assert_eq!(value(&result, &at, &b), plain(op, m, n), "{op:?} {m} {n}");
            }
        }
    }
    for (op, plain) in [
        (UnaryOp::Not, (|v| i64::from(v == 0)) as fn(i64) -> i64),
        (UnaryOp::Neg, |v: i64| -v),
        (UnaryOp::BitNot, |v: i64| !v),
    ] {
        let result = x.unary(op, &b).expect("no limit");
        for m in -8..8 {
            let at = b.literals(&four(m, 0).collect::<Vec<_>>()).expect("no limit");
            assert_eq!(value(&result, &at, &b), Some(plain(m)), "{op:?} {m}");
        }
    }
}

#[test]
fn operators_on_large_constants() {
    let b = Bdds::new(1, &Limits::default());
    let numbers =
        [i64::MIN, i64::MIN + 1, -(1 << 40), -65, -1, 0, 1, 2, 62, 63, 64, 1 << 40, i64::MAX - 1, i64::MAX];
    for op in OPS {
        for m in numbers {
            for n in numbers {
                let result =
                    Number::constant(m, &b).binary(op, &Number::constant(n, &b), &b).expect("no limit");
                assert_eq!(value(&result, &b.yes(), &b), plain(op, m, n), "{op:?} {m} {n}");
            }
        }
    }
    let least = Number::constant(i64::MIN, &b).unary(UnaryOp::Neg, &b).expect("no limit");
    assert_eq!(value(&least, &b.yes(), &b), None);
}
