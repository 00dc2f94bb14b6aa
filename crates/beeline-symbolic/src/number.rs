//! Numbers as bit vectors: two's complement, as wide as their values need, so that arithmetic is exact. Each comes with
//! the assignments where it has a value at all; elsewhere its evaluation is a run-time error.

use crate::bdd::{Bdd, Bdds, Made};
use beeline_ir::expr::{BinaryOp, Range, UnaryOp};

/// Bits of the integers of the IR.
const WIDTH: usize = 64;

/// What an expression evaluates to, for every assignment.
#[derive(Clone)]
pub(crate) struct Number {
    /// Least significant first; the last is the sign.
    pub bits: Vec<Bdd>,
    /// Where there is a value.
    pub defined: Bdd,
}

impl Number {
    pub fn constant(value: i64, b: &Bdds) -> Self {
        let bits = (0..WIDTH).map(|i| b.constant(value >> i & 1 == 1)).collect();
        Self { bits, defined: b.yes() }.trimmed()
    }
    pub fn truth_value(truth: Bdd, defined: Bdd, b: &Bdds) -> Self {
        Self { bits: vec![truth, b.no()], defined }.trimmed()
    }
    /// Without copies of the sign.
    fn trimmed(mut self) -> Self {
        while self.bits.len() > 1 && self.bits[self.bits.len() - 1] == self.bits[self.bits.len() - 2] {
            self.bits.pop();
        }
        self
    }
    fn sign(&self) -> &Bdd {
        self.bits.last().expect("a number has a sign")
    }
    fn bit(&self, i: usize) -> &Bdd {
        self.bits.get(i).unwrap_or_else(|| self.sign())
    }
    fn width(&self) -> usize {
        self.bits.len()
    }
    /// Where it is not zero.
    pub fn truth(&self, b: &Bdds) -> Made<Bdd> {
        self.bits.iter().try_fold(b.no(), |some, bit| b.or(&some, bit))
    }
    /// Where it has a value, and that is not zero.
    pub fn holds(&self, b: &Bdds) -> Made<Bdd> {
        b.and(&self.defined, &self.truth(b)?)
    }
    /// A conjunction or disjunction, of which an operand counts only where those before it leave the answer open.
    pub fn in_turn<'n>(operands: impl IntoIterator<Item = &'n Self>, and: bool, b: &Bdds) -> Made<Self> {
        let (mut open, mut defined) = (b.yes(), b.yes());
        for operand in operands {
            defined = b.minus(&defined, &b.minus(&open, &operand.defined)?)?;
            let truth = operand.truth(b)?;
            open = if and { b.and(&open, &truth)? } else { b.minus(&open, &truth)? };
        }
        let truth = if and { open } else { b.not(&open)? };
        Ok(Self::truth_value(truth, defined, b))
    }
    /// Undefined where it leaves 64 bits.
    fn exact(mut self, b: &Bdds) -> Made<Self> {
        self = self.trimmed();
        if self.width() > WIDTH {
            let sign = self.bits[WIDTH - 1].clone();
            for bit in &self.bits[WIDTH..] {
                self.defined = b.and(&self.defined, &b.same(&sign, bit)?)?;
            }
            self.bits.truncate(WIDTH);
        }
        Ok(self.trimmed())
    }
    /// Where it is a value of the range.
    pub fn within(&self, range: Range, b: &Bdds) -> Made<Bdd> {
        let (lo, hi) = (Self::constant(range.lo, b), Self::constant(range.hi, b));
        let outside = b.or(&self.less(&lo, b)?, &hi.less(self, b)?)?;
        b.not(&outside)
    }
    /// Reduced modulo the size of the range into the range.
    pub fn wrapped(&self, range: Range, b: &Bdds) -> Made<Self> {
        if b.is_yes(&self.within(range, b)?) {
            return Ok(self.clone());
        }
        let lo = Self::constant(range.lo, b);
        let last = Self::constant(range.hi, b).sum(&lo, true, b)?;
        let size = last.sum(&Self::constant(1, b), false, b)?;
        let rest = self.sum(&lo, true, b)?.divided(&size, b)?.1;
        let rest = Self::select(rest.sign(), &rest.sum(&size, false, b)?, &rest, b)?;
        let mut wrapped = rest.sum(&lo, false, b)?;
        wrapped.defined = self.defined.clone();
        Ok(wrapped)
    }
    /// The first where the condition is true, else the second.
    pub fn select(condition: &Bdd, then: &Self, otherwise: &Self, b: &Bdds) -> Made<Self> {
        let width = then.width().max(otherwise.width());
        let bit = |i| b.ite(condition, then.bit(i), otherwise.bit(i));
        let bits = (0..width).map(bit).collect::<Made<_>>()?;
        let defined = b.ite(condition, &then.defined, &otherwise.defined)?;
        Ok(Self { bits, defined }.trimmed())
    }
    /// The sum; with `minus`, the difference.
    fn sum(&self, other: &Self, minus: bool, b: &Bdds) -> Made<Self> {
        let width = self.width().max(other.width()) + 1;
        let mut carry = b.constant(minus);
        let mut bits = Vec::with_capacity(width);
        for i in 0..width {
            let (x, mut y) = (self.bit(i).clone(), other.bit(i).clone());
            if minus {
                y = b.not(&y)?;
            }
            let half = b.xor(&x, &y)?;
            bits.push(b.xor(&half, &carry)?);
            carry = b.ite(&half, &carry, &x)?;
        }
        Ok(Self { bits, defined: b.and(&self.defined, &other.defined)? }.trimmed())
    }
    /// Moved to the left, zeros following.
    fn shifted(&self, by: usize, b: &Bdds) -> Self {
        let bits = vec![b.no(); by].into_iter().chain(self.bits.iter().cloned()).collect();
        Self { bits, defined: self.defined.clone() }
    }
    /// Zero where the condition does not hold.
    fn masked(&self, condition: &Bdd, b: &Bdds) -> Made<Self> {
        let bits = self.bits.iter().map(|bit| b.and(bit, condition)).collect::<Made<_>>()?;
        Ok(Self { bits, defined: self.defined.clone() }.trimmed())
    }
    fn product(&self, other: &Self, b: &Bdds) -> Made<Self> {
        let mut total = Self::constant(0, b);
        for (i, bit) in other.bits.iter().enumerate() {
            let part = self.masked(bit, b)?.shifted(i, b);
            total = total.sum(&part, i + 1 == other.width(), b)?;
        }
        total.defined = b.and(&self.defined, &other.defined)?;
        Ok(total)
    }
    fn negated(&self, b: &Bdds) -> Made<Self> {
        let mut zero = Self::constant(0, b);
        zero.defined = self.defined.clone();
        zero.sum(self, true, b)
    }
    fn magnitude(&self, b: &Bdds) -> Made<Self> {
        Self::select(self.sign(), &self.negated(b)?, self, b)
    }
    /// Quotient, truncated, and remainder, with the sign of the dividend; defined where the divisor is not zero.
    fn divided(&self, by: &Self, b: &Bdds) -> Made<(Self, Self)> {
        let (dividend, divisor) = (self.magnitude(b)?, by.magnitude(b)?);
        let mut rest = Self::constant(0, b);
        let mut quotient = vec![b.no(); dividend.width() + 1];
        for i in (0..dividend.width()).rev() {
            rest = rest.shifted(1, b);
            rest.bits[0] = dividend.bit(i).clone();
            let less = rest.less(&divisor, b)?;
            quotient[i] = b.not(&less)?;
            rest = Self::select(&less, &rest, &rest.sum(&divisor, true, b)?, b)?;
        }
        let defined = b.and(&b.and(&self.defined, &by.defined)?, &by.truth(b)?)?;
        let quotient = Self { bits: quotient, defined: defined.clone() };
        let negative = b.xor(self.sign(), by.sign())?;
        let mut quotient = Self::select(&negative, &quotient.negated(b)?, &quotient, b)?;
        let mut rest = Self::select(self.sign(), &rest.negated(b)?, &rest, b)?;
        quotient.defined = defined.clone();
        rest.defined = defined;
        Ok((quotient, rest))
    }
    pub fn less(&self, other: &Self, b: &Bdds) -> Made<Bdd> {
        // From the least significant bit; the sign counts the other way round.
        let width = self.width().max(other.width());
        let mut less = b.no();
        for i in 0..width {
            let (x, y) = (self.bit(i), other.bit(i));
            let decided = b.xor(x, y)?;
            less = b.ite(&decided, if i + 1 == width { x } else { y }, &less)?;
        }
        Ok(less)
    }
    pub fn equal(&self, other: &Self, b: &Bdds) -> Made<Bdd> {
        let width = self.width().max(other.width());
        (0..width).try_fold(b.yes(), |equal, i| b.and(&equal, &b.same(self.bit(i), other.bit(i))?))
    }
    fn bitwise(&self, other: &Self, op: impl Fn(&Bdd, &Bdd) -> Made<Bdd>, b: &Bdds) -> Made<Self> {
        let width = self.width().max(other.width());
        let bits = (0..width).map(|i| op(self.bit(i), other.bit(i))).collect::<Made<_>>()?;
        Ok(Self { bits, defined: b.and(&self.defined, &other.defined)? }.trimmed())
    }
    /// Shifted by as much as another says, if that is from 0 to 63.
    fn shift(&self, by: &Self, left: bool, b: &Bdds) -> Made<Self> {
        let mut shifted = self.clone();
        shifted.defined = b.and(&self.defined, &by.defined)?;
        for (i, bit) in by.bits.iter().enumerate() {
            if i >= 6 || i + 1 == by.width() {
                shifted.defined = b.minus(&shifted.defined, bit)?;
                continue;
            }
            let amount = 1 << i;
            let moved = match left {
                true => shifted.shifted(amount, b),
                false => {
                    let kept =
                        (amount.min(shifted.width() - 1)..shifted.width()).map(|i| shifted.bits[i].clone());
                    Self { bits: kept.collect(), defined: shifted.defined.clone() }
                }
            };
            shifted = Self::select(bit, &moved, &shifted, b)?;
        }
        Ok(shifted)
    }
    pub fn unary(&self, op: UnaryOp, b: &Bdds) -> Made<Self> {
        match op {
            UnaryOp::Not => Ok(Self::truth_value(b.not(&self.truth(b)?)?, self.defined.clone(), b)),
            UnaryOp::Neg => self.negated(b)?.exact(b),
            UnaryOp::BitNot => {
                let bits = self.bits.iter().map(|bit| b.not(bit)).collect::<Made<_>>()?;
                Ok(Self { bits, defined: self.defined.clone() })
            }
        }
    }
    pub fn binary(&self, op: BinaryOp, other: &Self, b: &Bdds) -> Made<Self> {
        let truth = |truth: Bdd| -> Made<Self> {
            Ok(Self::truth_value(truth, b.and(&self.defined, &other.defined)?, b))
        };
        match op {
            BinaryOp::Add => self.sum(other, false, b)?.exact(b),
            BinaryOp::Sub => self.sum(other, true, b)?.exact(b),
            BinaryOp::Mul => self.product(other, b)?.exact(b),
            BinaryOp::Div => self.divided(other, b)?.0.exact(b),
            BinaryOp::Rem => self.divided(other, b)?.1.exact(b),
            BinaryOp::BitAnd => self.bitwise(other, |x, y| b.and(x, y), b),
            BinaryOp::BitOr => self.bitwise(other, |x, y| b.or(x, y), b),
            BinaryOp::BitXor => self.bitwise(other, |x, y| b.xor(x, y), b),
            BinaryOp::Shl => self.shift(other, true, b)?.exact(b),
            BinaryOp::Shr => self.shift(other, false, b),
            BinaryOp::Min | BinaryOp::Max => {
                let less = self.less(other, b)?;
                let (then, otherwise) = if op == BinaryOp::Min { (self, other) } else { (other, self) };
                let mut chosen = Self::select(&less, then, otherwise, b)?;
                chosen.defined = b.and(&self.defined, &other.defined)?;
                Ok(chosen)
            }
            BinaryOp::Eq => truth(self.equal(other, b)?),
            BinaryOp::Ne => truth(b.not(&self.equal(other, b)?)?),
            BinaryOp::Lt => truth(self.less(other, b)?),
            BinaryOp::Ge => truth(b.not(&self.less(other, b)?)?),
            BinaryOp::Gt => truth(other.less(self, b)?),
            BinaryOp::Le => truth(b.not(&other.less(self, b)?)?),
        }
    }
}

#[cfg(test)]
#[path = "number_test.rs"]
mod tests;
