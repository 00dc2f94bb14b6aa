//! Intervals of expressions from declared ranges: sound, and saturating at the ends of `i64`.
//!
//! The interval of an expression contains every value it can have in any state without a run-time error. It may be
//! empty (`lo > hi`), when no evaluation can succeed.

use beeline_ir::expr::{BinaryOp, ChannelRef, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::{ChannelKind, Network};
use beeline_ir::stmt::Local;

const NEVER: Range = Range::new(1, 0);

/// The interval of an expression over a frame.
pub fn of(network: &Network, frame: &[Local], e: &Expr) -> Range {
    let mut locals: Vec<Range> = frame.iter().map(|local| local.range).collect();
    Scope { network, locals: &mut locals }.of(e)
}

struct Scope<'a> {
    network: &'a Network,
    /// The range of each local; a quantifier narrows or widens that of its own.
    locals: &'a mut Vec<Range>,
}

impl Scope<'_> {
    fn of(&mut self, e: &Expr) -> Range {
        let processes = self.network.processes.len() as i64;
        match e {
            Expr::Const(value) => Range::new(*value, *value),
            Expr::Var(var) | Expr::Elem(var, _) | Expr::Next(var) => self.network.vars[*var].range,
            Expr::Local(local) | Expr::LocalElem(local, _) => self.locals[local.index()],
            Expr::At(..)
            | Expr::Alive(_)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Poll(_)
            | Expr::Enabled(..)
            | Expr::Timeout
            | Expr::Clock(_)
            | Expr::Deadlock => Range::BOOL,
            Expr::Pid(_) => Range::new(-1, processes - 1),
            Expr::ProcessCount => Range::new(0, processes),
            Expr::Unary(op, inner) => unary(*op, self.of(inner)),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.of(left), self.of(right));
                if left.size() == 0 || right.size() == 0 { NEVER } else { binary(*op, left, right) }
            }
            Expr::If(cond, first, second) => {
                let cond = self.of(cond);
                if cond.size() == 0 {
                    NEVER
                } else if cond == Range::new(0, 0) {
                    self.of(second)
                } else if !cond.contains(0) {
                    self.of(first)
                } else {
                    hull(self.of(first), self.of(second))
                }
            }
            Expr::Quantified(Quantifier::Sum, local, range, body) => self.sum(local.index(), *range, body),
            Expr::Quantified(..) => Range::BOOL,
            Expr::Call(function, _) => self.network.functions[*function].result.unwrap_or(Range::new(0, 0)),
            Expr::Channel(ChannelRef::Value(e)) => self.of(e),
            Expr::Channel(ChannelRef::Element(id, _)) => {
                let first = self.network.first_element(*id) as i64 + 1;
                Range::new(first, first + self.network.channels[*id].elements() as i64 - 1)
            }
            Expr::Length(_) | Expr::Capacity(_) => {
                let capacity = |kind| match kind {
                    ChannelKind::Buffered { capacity } => i64::from(capacity),
                    _ => 0,
                };
                Range::new(0, self.network.channels.iter().map(|c| capacity(c.kind)).max().unwrap_or(0))
            }
        }
    }

    fn sum(&mut self, local: usize, range: Range, body: &Expr) -> Range {
        let count = range.size();
        if count == 0 {
            return Range::new(0, 0);
        }
        let outer = std::mem::replace(&mut self.locals[local], range);
        let body = self.of(body);
        self.locals[local] = outer;
        if body.size() == 0 {
            return NEVER;
        }
        let count = i128::try_from(count).unwrap_or(i128::from(i64::MAX));
        let total = |end: i64| saturated(i128::from(end).saturating_mul(count));
        Range::new(total(body.lo), total(body.hi))
    }
}

fn hull(a: Range, b: Range) -> Range {
    match (a.size(), b.size()) {
        (0, _) => b,
        (_, 0) => a,
        _ => Range::new(a.lo.min(b.lo), a.hi.max(b.hi)),
    }
}

/// A value outside of `i64` is a run-time error, so clamping an end to the type loses no value.
fn saturated(value: i128) -> i64 {
    value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

pub(crate) fn unary(op: UnaryOp, of: Range) -> Range {
    if of.size() == 0 {
        return NEVER;
    }
    match op {
        UnaryOp::Not => Range::BOOL,
        UnaryOp::Neg => Range::new(saturated(-i128::from(of.hi)), saturated(-i128::from(of.lo))),
        UnaryOp::BitNot => Range::new(!of.hi, !of.lo),
    }
}

pub(crate) fn binary(op: BinaryOp, a: Range, b: Range) -> Range {
    match op {
        BinaryOp::Add => corners(a, b, |x, y| x + y),
        BinaryOp::Sub => corners(a, b, |x, y| x - y),
        BinaryOp::Mul => corners(a, b, |x, y| x * y),
        BinaryOp::Min => Range::new(a.lo.min(b.lo), a.hi.min(b.hi)),
        BinaryOp::Max => Range::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        BinaryOp::Div => {
            // Truncating division shrinks toward 0: the extremes are at divisors nearest to 0 and at the ends.
            let near = [Range::new(b.lo, b.hi.min(-1)), Range::new(b.lo.max(1), b.hi)];
            let parts = near.into_iter().filter(|part| part.size() > 0);
            parts.map(|part| corners(a, part, |x, y| x / y)).reduce(hull).unwrap_or(NEVER)
        }
        BinaryOp::Rem => {
            let most = (i128::from(b.lo).abs().max(i128::from(b.hi).abs()) - 1).max(0);
            let lo = if a.lo < 0 { saturated(-most).max(a.lo) } else { 0 };
            let hi = if a.hi > 0 { saturated(most).min(a.hi) } else { 0 };
            if b == Range::new(0, 0) { NEVER } else { Range::new(lo, hi) }
        }
        BinaryOp::BitAnd if a.lo >= 0 && b.lo >= 0 => Range::new(0, a.hi.min(b.hi)),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            // Two numbers that fit into so many bits and a sign have a result that does, too.
            let bits = |n: i64| 64 - (if n < 0 { !n } else { n }).leading_zeros();
            let bits = [a.lo, a.hi, b.lo, b.hi].map(bits).into_iter().max().unwrap_or(63);
            let least = if a.lo >= 0 && b.lo >= 0 { 0 } else { -(1i128 << bits) };
            Range::new(least as i64, ((1i128 << bits) - 1) as i64)
        }
        BinaryOp::Shl => match shift_amounts(b) {
            Some(b) => corners(a, b, |x, y| x << y),
            None => NEVER,
        },
        BinaryOp::Shr => match shift_amounts(b) {
            Some(b) => corners(a, b, |x, y| x >> y),
            None => NEVER,
        },
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            Range::BOOL
        }
    }
}

fn shift_amounts(b: Range) -> Option<Range> {
    let amounts = Range::new(b.lo.max(0), b.hi.min(63));
    (amounts.size() > 0).then_some(amounts)
}

/// The interval of an operation that is monotone in each operand: its extremes are at the corners.
fn corners(a: Range, b: Range, op: impl Fn(i128, i128) -> i128) -> Range {
    let at = |x: i64, y: i64| op(i128::from(x), i128::from(y));
    let values = [at(a.lo, b.lo), at(a.lo, b.hi), at(a.hi, b.lo), at(a.hi, b.hi)];
    let (lo, hi) = values.into_iter().fold((i128::MAX, i128::MIN), |(lo, hi), v| (lo.min(v), hi.max(v)));
    Range::new(saturated(lo), saturated(hi))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Range = Range::new(i64::MIN, i64::MAX);
    use crate::arithmetic;

    /// Every value of every operation on small operands lies in the interval.
    #[test]
    fn contains_every_value_on_small_ranges() {
        use BinaryOp::*;
        let ops =
            [Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Min, Max, Eq, Ne, Lt, Le, Gt, Ge];
        let ranges: Vec<Range> = (-3..=4).flat_map(|lo| (lo..=4).map(move |hi| Range::new(lo, hi))).collect();
        for op in ops {
            for &a in &ranges {
                for &b in &ranges {
                    let interval = binary(op, a, b);
                    for x in a.values() {
                        for y in b.values() {
                            if let Ok(value) = arithmetic::binary(op, x, y) {
                                assert!(interval.contains(value), "{x} {op:?} {y} = {value} in {interval:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn is_tight_where_bounds_need_it() {
        let r = Range::new;
        assert_eq!(binary(BinaryOp::Add, r(0, 3), r(2, 5)), r(2, 8));
        assert_eq!(binary(BinaryOp::Mul, r(-2, 3), r(-1, 4)), r(-8, 12));
        assert_eq!(binary(BinaryOp::Div, r(10, 20), r(-2, 5)), r(-20, 20));
        assert_eq!(binary(BinaryOp::Rem, r(0, 100), r(1, 8)), r(0, 7));
        assert_eq!(binary(BinaryOp::Shl, r(1, 3), r(0, 4)), r(1, 48));
        assert_eq!(binary(BinaryOp::Add, ALL, ALL), ALL);
        assert_eq!(binary(BinaryOp::BitXor, ALL, ALL), ALL);
        assert_eq!(binary(BinaryOp::BitXor, r(-2, -2), r(0, 0)), r(-2, 1));
        assert_eq!(unary(UnaryOp::Neg, r(i64::MIN, 2)), r(-2, i64::MAX));
        assert_eq!(binary(BinaryOp::Div, r(1, 1), r(0, 0)).size(), 0);
    }

    #[test]
    fn sum_counts_its_range_and_if_takes_the_possible_branch() {
        let network = Network::default();
        let frame = [Local { name: "i".into(), range: Range::new(0, 9), len: None }];
        let i = Expr::Local(beeline_ir::LocalId::new(0));
        let sum = Expr::Quantified(
            Quantifier::Sum,
            beeline_ir::LocalId::new(0),
            Range::new(1, 3),
            Box::new(i.clone()),
        );
        assert_eq!(of(&network, &frame, &sum), Range::new(3, 9));
        let choice = |c: Expr| Expr::If(Box::new(c), Box::new(Expr::Const(7)), Box::new(i.clone()));
        assert_eq!(of(&network, &frame, &choice(Expr::TRUE)), Range::new(7, 7));
        assert_eq!(of(&network, &frame, &choice(Expr::Timeout)), Range::new(0, 9));
    }
}
