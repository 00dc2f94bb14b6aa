//! The operators on sets of values: exact where the operands are few, on intervals otherwise.

use super::set::ValueSet;
use crate::{arithmetic, intervals};
use beeline_ir::expr::{BinaryOp, Range, RuntimeError, UnaryOp};
use beeline_ir::stmt::Store;

/// Combinations of operands that are computed one by one.
const ENUMERATED: u128 = 4096;

/// What an operation on sets yields.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Computed {
    /// The values of all combinations of operands that do not fail.
    pub(super) values: ValueSet,
    /// Whether a combination may fail.
    pub(super) may_fail: bool,
}

impl Computed {
    pub(super) fn sure(values: ValueSet) -> Self {
        Self { values, may_fail: false }
    }
    fn of(results: impl Iterator<Item = Result<i64, RuntimeError>>) -> Self {
        let mut all = Self::sure(ValueSet::EMPTY);
        for result in results {
            match result {
                Ok(value) => _ = all.values.insert(value),
                Err(_) => all.may_fail = true,
            }
        }
        all
    }
}

/// An operator of one operand.
pub(super) fn unary(op: UnaryOp, a: &ValueSet) -> Computed {
    match op {
        UnaryOp::Not => Computed::sure(ValueSet::truths(a.may_be_true(), a.may_be_false())),
        _ if a.size() <= ENUMERATED => Computed::of(a.values().map(|x| arithmetic::unary(op, x))),
        _ => {
            let values = ValueSet::range(intervals::unary(op, a.hull()));
            // The negation of the least integer is the only one that fails.
            Computed { values, may_fail: op == UnaryOp::Neg && a.contains(i64::MIN) }
        }
    }
}

/// An operator of two operands.
pub(super) fn binary(op: BinaryOp, a: &ValueSet, b: &ValueSet) -> Computed {
    if a.is_empty() || b.is_empty() {
        return Computed::sure(ValueSet::EMPTY);
    }
    if let Some(truths) = compared(op, a, b) {
        return Computed::sure(truths);
    }
    if let Some(moved) = translated(op, a, b) {
        return Computed::sure(moved);
    }
    if combinations(a, b) <= ENUMERATED {
        let all = a.values().flat_map(|x| b.values().map(move |y| arithmetic::binary(op, x, y)));
        return Computed::of(all);
    }
    let (a, b) = (a.hull(), b.hull());
    Computed { values: ValueSet::range(intervals::binary(op, a, b)), may_fail: may_fail(op, a, b) }
}

fn combinations(a: &ValueSet, b: &ValueSet) -> u128 {
    a.size().saturating_mul(b.size())
}

/// About how many results of an operator of one operand have to be computed one by one.
pub(super) fn effort_of(a: &ValueSet) -> u64 {
    if a.size() <= ENUMERATED { a.size() as u64 } else { 1 }
}

/// About how many results of an operator of two operands have to be computed one by one.
pub(super) fn effort(op: BinaryOp, a: &ValueSet, b: &ValueSet) -> u64 {
    let moved = matches!(op, BinaryOp::Add | BinaryOp::Sub) && (a.value().is_some() || b.value().is_some());
    match combinations(a, b) {
        few if few <= ENUMERATED && !moved && !comparison(op) => few as u64,
        _ => 1,
    }
}

/// Whether the operator compares.
pub(super) fn comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
}

/// Comparisons need the ends of their operands only, and these are members (or as good as members).
fn compared(op: BinaryOp, a: &ValueSet, b: &ValueSet) -> Option<ValueSet> {
    let (x, y) = (a.hull(), b.hull());
    let truths = |may_be_false, may_be_true| Some(ValueSet::truths(may_be_false, may_be_true));
    let differ = || a.value().is_none() || a.value() != b.value();
    match op {
        BinaryOp::Eq => truths(differ(), a.intersects(b)),
        BinaryOp::Ne => truths(a.intersects(b), differ()),
        BinaryOp::Lt => truths(x.hi >= y.lo, x.lo < y.hi),
        BinaryOp::Le => truths(x.hi > y.lo, x.lo <= y.hi),
        BinaryOp::Gt => truths(x.lo <= y.hi, x.hi > y.lo),
        BinaryOp::Ge => truths(x.lo < y.hi, x.hi >= y.lo),
        _ => None,
    }
}

/// Sums and differences with a constant move a set as it is.
fn translated(op: BinaryOp, a: &ValueSet, b: &ValueSet) -> Option<ValueSet> {
    match (op, a.value(), b.value()) {
        (BinaryOp::Add, _, Some(by)) => a.translated(by),
        (BinaryOp::Add, Some(by), _) => b.translated(by),
        (BinaryOp::Sub, _, Some(by)) => a.translated(by.checked_neg()?),
        _ => None,
    }
}

/// Whether an operator may fail on intervals.
fn may_fail(op: BinaryOp, a: Range, b: Range) -> bool {
    // An operation that is monotone in each operand leaves the integers of 64 bits at a corner if anywhere.
    let corner_fails = |b: Range| {
        let corners = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)];
        corners.into_iter().any(|(x, y)| arithmetic::binary(op, x, y).is_err())
    };
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => corner_fails(b),
        BinaryOp::Div => b.contains(0) || (a.contains(i64::MIN) && b.contains(-1)),
        BinaryOp::Rem => b.contains(0),
        // Amounts outside are at an end, too.
        BinaryOp::Shl | BinaryOp::Shr => corner_fails(b),
        _ => false,
    }
}

/// The values checked against a range or wrapped into it.
pub(super) fn fit(a: &ValueSet, range: Range, store: Store) -> Computed {
    let inside = a.clipped(range);
    if inside == *a {
        return Computed::sure(inside);
    }
    match store {
        Store::Checked => Computed { values: inside, may_fail: true },
        Store::Wrapping => Computed::sure(wrapped(a, range)),
    }
}

/// The values wrapped into a range.
pub(super) fn wrapped(a: &ValueSet, range: Range) -> ValueSet {
    if a.size() <= ENUMERATED {
        a.values().map(|value| range.wrap(value)).collect()
    } else {
        ValueSet::range(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinaryOp::*;

    const OPS: [BinaryOp; 18] =
        [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Min, Max, Eq, Ne, Lt, Le, Gt, Ge];

    /// All sets of some integers.
    fn subsets(places: &[i64]) -> Vec<ValueSet> {
        let of = |mask: usize| places.iter().enumerate().filter(move |(k, _)| mask >> k & 1 == 1);
        (0..1 << places.len()).map(|mask| of(mask).map(|(_, v)| *v).collect()).collect()
    }
    /// What the operator must yield, from the values.
    fn expected(op: BinaryOp, a: &ValueSet, b: &ValueSet) -> Computed {
        Computed::of(a.values().flat_map(|x| b.values().map(move |y| arithmetic::binary(op, x, y))))
    }

    #[test]
    fn every_operator_is_exact_on_small_sets() {
        let sets = subsets(&[-3, -2, -1, 0, 1, 2, 5]);
        let far = subsets(&[i64::MIN, i64::MIN + 1, -1, 0, 63, 64, i64::MAX]);
        for sets in [sets, far] {
            for a in &sets {
                for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot] {
                    if let Some(values) = a.iter() {
                        let expected = Computed::of(values.map(|x| arithmetic::unary(op, x)));
                        assert_eq!(unary(op, a), expected, "{op:?} {a:?}");
                    }
                }
                for b in &sets {
                    if a.iter().is_some() && b.iter().is_some() {
                        for op in OPS {
                            assert_eq!(binary(op, a, b), expected(op, a, b), "{a:?} {op:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn wide_operands_contain_every_result() {
        // Intervals of 200 values are too many to be combined; their ends and some values between are tried.
        let ends = [i64::MIN, -300, -199, -100, -1, 0, 1, 63, 1 << 40, i64::MAX - 199];
        let wide = ends.map(|lo| Range::new(lo, lo + 199));
        for (x, y) in wide.into_iter().flat_map(|x| wide.into_iter().map(move |y| (x, y))) {
            let samples = |r: Range| r.values().step_by(9).chain([r.lo + 1, r.hi, r.hi - 1, 0, -1]);
            let (a, b) = (ValueSet::range(x), ValueSet::range(y));
            for op in OPS {
                let found = binary(op, &a, &b);
                for v in samples(x).filter(|v| x.contains(*v)) {
                    for w in samples(y).filter(|w| y.contains(*w)) {
                        match arithmetic::binary(op, v, w) {
                            Ok(result) => assert!(found.values.contains(result), "{v} {op:?} {w}: {found:?}"),
                            Err(_) => assert!(found.may_fail, "{v} {op:?} {w}"),
                        }
                    }
                }
            }
        }
        for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot] {
            let found = unary(op, &ValueSet::ALL);
            for v in ends {
                match arithmetic::unary(op, v) {
                    Ok(result) => assert!(found.values.contains(result)),
                    Err(_) => assert!(found.may_fail),
                }
            }
        }
    }

    #[test]
    fn intervals_fail_only_where_a_value_does() {
        let r = |lo, hi| ValueSet::range(Range::new(lo, hi));
        for (op, a, b, fails) in [
            (Add, r(0, 999), r(0, 999), false),
            (Add, r(0, i64::MAX), r(1, 999), true),
            (Mul, r(-999, 999), r(-999, 999), false),
            (Div, r(0, 999), r(1, 999), false),
            (Div, r(0, 999), r(-9, 999), true),
            (Div, ValueSet::ALL, r(-1, -1), true),
            (Rem, ValueSet::ALL, r(-1, -1), false),
            (Shl, r(0, 999), r(0, 10), false),
            (Shl, r(0, 999), r(0, 60), true),
            (Shr, r(0, 999), r(0, 64), true),
        ] {
            assert_eq!(binary(op, &a, &b).may_fail, fails, "{a:?} {op:?} {b:?}");
        }
    }

    #[test]
    fn fitting_drops_or_wraps() {
        let (range, all) = (Range::new(-2, 3), |v: &[i64]| v.iter().copied().collect::<ValueSet>());
        for a in subsets(&[-9, -3, -2, 0, 3, 4, 50]) {
            let values = || a.values();
            let checked = fit(&a, range, Store::Checked);
            assert_eq!(checked.values, values().filter(|v| range.contains(*v)).collect());
            assert_eq!(checked.may_fail, values().any(|v| !range.contains(v)));
            let wrapping = fit(&a, range, Store::Wrapping);
            assert_eq!(wrapping, Computed::sure(values().map(|v| range.wrap(v)).collect()));
        }
        assert_eq!(fit(&ValueSet::ALL, range, Store::Wrapping), Computed::sure(ValueSet::range(range)));
        assert_eq!(fit(&all(&[4]), range, Store::Checked).values, ValueSet::EMPTY);
    }
}
