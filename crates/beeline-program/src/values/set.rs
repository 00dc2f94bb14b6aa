//! Sets of integers in constant space: up to 64 values exactly, an interval beyond.
//!
//! An exact set is a word of bits over `lo, lo + step, lo + 2 step, ..`: small sets have step 1, sparse ones the
//! greatest common divisor of the differences (as in the congruences of Granger 1989), so that `{0, 1000}` is
//! exact. A set that this cannot hold is its hull. Every set has one representation, so equality is that of
//! sets; and since whatever is part of an exact set is exact too, the order in which values are added does not
//! matter.

use beeline_ir::expr::Range;
use std::num::NonZeroU64;

/// A set of values: exact, or an interval that contains it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ValueSet {
    /// Least and greatest value.
    hull: Range,
    /// Which values of the hull; `None` for all of them, and then there are more than 64.
    members: Option<Members>,
}

/// Bit `k` stands for `lo + k * step`. Bit 0 is set unless the set is empty. The step is 1 if the values span no
/// more than 64 integers, else the greatest common divisor of their differences.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
struct Members {
    step: NonZeroU64,
    bits: u64,
}

/// What the truth of something may be.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Truth {
    /// It is false.
    False,
    /// It is true.
    True,
    /// It may be either.
    Maybe,
}

impl ValueSet {
    /// No value.
    pub const EMPTY: ValueSet = Self::tight(Range::new(1, 0), 0);
    /// Every integer.
    pub const ALL: ValueSet = ValueSet { hull: Range::new(i64::MIN, i64::MAX), members: None };
    /// The truth values.
    pub const BOOL: ValueSet = Self::tight(Range::BOOL, 0b11);

    /// A set of step 1.
    const fn tight(hull: Range, bits: u64) -> Self {
        Self { hull, members: Some(Members { step: NonZeroU64::MIN, bits }) }
    }

    /// One value.
    #[inline]
    pub const fn singleton(value: i64) -> Self {
        Self::tight(Range::new(value, value), 1)
    }
    /// Every value of a range.
    pub const fn range(range: Range) -> Self {
        if range.lo > range.hi {
            return Self::EMPTY;
        }
        let span = range.hi.wrapping_sub(range.lo) as u64;
        if span < 64 {
            Self::tight(range, u64::MAX >> (63 - span))
        } else {
            Self { hull: range, members: None }
        }
    }
    /// The truth values that are possible.
    pub fn truths(may_be_false: bool, may_be_true: bool) -> Self {
        match (may_be_false, may_be_true) {
            (false, false) => Self::EMPTY,
            (true, false) => Self::singleton(0),
            (false, true) => Self::singleton(1),
            (true, true) => Self::BOOL,
        }
    }

    /// The set of `lo + k * step` for the bits `k`, all of which are integers of 64 bits.
    fn exact(lo: i64, step: NonZeroU64, bits: u64) -> Self {
        if bits == 0 {
            return Self::EMPTY;
        }
        let first = bits.trailing_zeros();
        let (lo, bits) = (at(lo, step, first), bits >> first);
        let last = bits.ilog2();
        let hull = Range::new(lo, at(lo, step, last));
        if step == NonZeroU64::MIN {
            return Self::tight(hull, bits);
        }
        let span = hull.hi.wrapping_sub(lo) as u64;
        if span < 64 {
            return Self::tight(
                hull,
                positions(bits).fold(0, |all, k| all | 1 << (u64::from(k) * step.get())),
            );
        }
        // What is left after values were removed may be sparser than before.
        let stride = u64::from(positions(bits).fold(0, gcd32)).max(1);
        let bits = positions(bits).fold(0, |all, k| all | 1 << (u64::from(k) / stride));
        let step = step.saturating_mul(NonZeroU64::MIN.saturating_add(stride - 1));
        Self { hull, members: Some(Members { step, bits }) }
    }

    /// Whether there is no value.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.hull.lo > self.hull.hi
    }
    /// Least and greatest value; empty if there is none.
    #[inline]
    pub fn hull(&self) -> Range {
        self.hull
    }
    /// Number of values.
    pub fn size(&self) -> u128 {
        self.members.map_or_else(|| self.hull.size(), |m| u128::from(m.bits.count_ones()))
    }
    /// The value, if there is exactly one.
    #[inline]
    pub fn value(&self) -> Option<i64> {
        (self.hull.lo == self.hull.hi).then_some(self.hull.lo)
    }
    /// Whether the value is in the set.
    pub fn contains(&self, value: i64) -> bool {
        self.hull.contains(value)
            && self.members.is_none_or(|Members { step, bits }| {
                let offset = value.wrapping_sub(self.hull.lo) as u64;
                let (position, rest) =
                    if step == NonZeroU64::MIN { (offset, 0) } else { (offset / step, offset % step) };
                rest == 0 && bits >> position & 1 == 1
            })
    }
    /// Whether a value that counts as true is in the set.
    pub fn may_be_true(&self) -> bool {
        !self.is_empty() && self.value() != Some(0)
    }
    /// Whether 0 is in the set.
    pub fn may_be_false(&self) -> bool {
        self.contains(0)
    }
    /// The truth of the values; `None` if there is none.
    pub fn truth(&self) -> Option<Truth> {
        match (self.may_be_false(), self.may_be_true()) {
            (false, false) => None,
            (true, false) => Some(Truth::False),
            (false, true) => Some(Truth::True),
            (true, true) => Some(Truth::Maybe),
        }
    }

    /// The values, ascending, unless there are too many and the set is an interval.
    pub fn iter(&self) -> Option<impl Iterator<Item = i64> + use<>> {
        let (lo, members) = (self.hull.lo, self.members?);
        Some(positions(members.bits).map(move |k| at(lo, members.step, k)))
    }
    /// Every value, ascending, however many there are.
    pub fn values(&self) -> impl Iterator<Item = i64> + use<> {
        let whole = if self.members.is_none() { self.hull } else { Self::EMPTY.hull };
        self.iter().into_iter().flatten().chain(whole.values())
    }

    /// Adds a value; tells whether that made the set larger.
    pub fn insert(&mut self, value: i64) -> bool {
        self.union(&Self::singleton(value))
    }
    /// Adds the values of another set; tells whether that made this one larger.
    pub fn union(&mut self, other: &ValueSet) -> bool {
        if other.is_empty() || self == other {
            return false;
        }
        let before = *self;
        *self = if self.is_empty() { *other } else { self.joined(other) };
        *self != before
    }

    /// The union of two sets that are not empty.
    fn joined(&self, other: &ValueSet) -> Self {
        let hull = self.hull.hull(other.hull);
        let span = hull.hi.wrapping_sub(hull.lo) as u64;
        let interval = Self { hull, members: None };
        let (Some(mine), Some(theirs)) = (self.members, other.members) else { return interval };
        let (low, high) =
            (self.hull.lo.wrapping_sub(hull.lo) as u64, other.hull.lo.wrapping_sub(hull.lo) as u64);
        if span < 64 {
            return Self::tight(hull, mine.bits << low | theirs.bits << high);
        }
        let common = gcd(gcd(mine.stride(), theirs.stride()), low.abs_diff(high));
        let Some(step) = NonZeroU64::new(common).filter(|step| span / *step < 64) else { return interval };
        let spread = |first: u64, m: Members| {
            positions(m.bits).fold(0, |all, k| all | 1 << ((first + u64::from(k) * m.step.get()) / step))
        };
        let bits = spread(low, mine) | spread(high, theirs);
        Self { hull, members: Some(Members { step, bits }) }
    }

    /// The members that satisfy a condition.
    fn retained(&self, Members { step, bits }: Members, keep: impl Fn(i64) -> bool) -> Self {
        let lo = self.hull.lo;
        let kept = positions(bits).filter(|k| keep(at(lo, step, *k)));
        Self::exact(lo, step, kept.fold(0, |all, k| all | 1 << k))
    }
    /// The values inside a range.
    #[must_use]
    pub fn clipped(&self, range: Range) -> Self {
        if range.lo <= self.hull.lo && self.hull.hi <= range.hi {
            return *self;
        }
        match self.members {
            None => Self::range(Range::new(self.hull.lo.max(range.lo), self.hull.hi.min(range.hi))),
            Some(members) => self.retained(members, |v| range.contains(v)),
        }
    }
    /// The set without a value. (From an interval it goes only at the ends.)
    #[must_use]
    pub fn without(&self, value: i64) -> Self {
        let Range { lo, hi } = self.hull;
        match self.members {
            Some(members) => self.retained(members, |v| v != value),
            // An interval has more than 64 values, so its ends can move.
            None if value == lo => Self::range(Range::new(lo + 1, hi)),
            None if value == hi => Self::range(Range::new(lo, hi - 1)),
            None => *self,
        }
    }
    /// The values that are also in another set.
    #[must_use]
    pub fn intersection(&self, other: &ValueSet) -> Self {
        match (self.members, other.members) {
            (_, None) => self.clipped(other.hull),
            (None, _) => other.clipped(self.hull),
            (Some(members), _) => self.retained(members, |v| other.contains(v)),
        }
    }
    /// Whether the sets have a value in common.
    pub fn intersects(&self, other: &ValueSet) -> bool {
        match (self.value(), other.value()) {
            (Some(value), _) => other.contains(value),
            (_, Some(value)) => self.contains(value),
            _ => !self.intersection(other).is_empty(),
        }
    }
    /// Whether every value is in the other set.
    pub fn is_subset(&self, other: &ValueSet) -> bool {
        let mut all = *other;
        !all.union(self)
    }
    /// Every value plus a number; `None` if one of them is no integer of 64 bits.
    pub(super) fn translated(&self, by: i64) -> Option<Self> {
        let hull = Range::new(self.hull.lo.checked_add(by)?, self.hull.hi.checked_add(by)?);
        Some(if self.is_empty() { *self } else { Self { hull, members: self.members } })
    }
}

impl Members {
    /// The greatest common divisor of the differences of the values; 0 for a single one.
    fn stride(self) -> u64 {
        u64::from(positions(self.bits).fold(0, gcd32)) * self.step.get()
    }
}

/// The integer that a bit stands for. It is one of 64 bits, so what wraps on the way comes out right.
#[inline]
fn at(lo: i64, step: NonZeroU64, position: u32) -> i64 {
    lo.wrapping_add(step.get().wrapping_mul(u64::from(position)) as i64)
}

/// The positions of the bits, ascending.
#[inline]
fn positions(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let position = (bits != 0).then(|| bits.trailing_zeros());
        bits &= bits.wrapping_sub(1);
        position
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
fn gcd32(a: u32, b: u32) -> u32 {
    gcd(u64::from(a), u64::from(b)) as u32
}

impl FromIterator<i64> for ValueSet {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut set = Self::EMPTY;
        for value in values {
            set.insert(value);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Sets over a few integers near and far, as masks; and what the set of a mask must be.
    const PLACES: [i64; 9] = [-1000, -1, 0, 1, 5, 63, 64, 1000, i64::MAX];

    fn chosen(mask: u32) -> BTreeSet<i64> {
        PLACES.iter().enumerate().filter(|(k, _)| mask >> k & 1 == 1).map(|(_, v)| *v).collect()
    }
    fn set(values: &BTreeSet<i64>) -> ValueSet {
        values.iter().copied().collect()
    }
    /// Whether bits over some step can hold the values, worked out the plain way.
    fn representable(values: &BTreeSet<i64>) -> bool {
        let (Some(lo), Some(hi)) = (values.first(), values.last()) else { return true };
        let apart = |v: &i64| (i128::from(*v) - i128::from(*lo)) as u128;
        let divides = |step: &u128| values.iter().all(|v| apart(v).is_multiple_of(*step));
        // The greatest common divisor is the span divided by something, and only quotients below 64 are of use.
        let steps = (1..64).filter(|n| apart(hi).is_multiple_of(*n)).map(|n| apart(hi) / n);
        apart(hi) < 64 || steps.into_iter().any(|step| divides(&step))
    }

    #[test]
    fn holds_what_it_can_and_else_the_hull() {
        for mask in 0..1 << PLACES.len() {
            let values = chosen(mask);
            let set = set(&values);
            assert_eq!(set, values.iter().rev().copied().collect(), "the order does not matter: {values:?}");
            assert_eq!(set.is_empty(), values.is_empty());
            assert_eq!(set.iter().is_some(), representable(&values), "{values:?} as {set:?}");
            match set.iter() {
                Some(iter) => {
                    assert!(iter.eq(values.iter().copied()), "{values:?} as {set:?}");
                    assert_eq!(set.size(), values.len() as u128);
                    for v in PLACES.into_iter().chain(-70..70) {
                        assert_eq!(set.contains(v), values.contains(&v), "{v} in {set:?}");
                    }
                }
                None => {
                    assert_eq!((Some(&set.hull().lo), Some(&set.hull().hi)), (values.first(), values.last()));
                    assert!(values.iter().all(|v| set.contains(*v)));
                }
            }
        }
    }

    #[test]
    fn operations_are_those_of_sets() {
        for a in 0..1 << PLACES.len() {
            for b in (0..1 << PLACES.len()).step_by(3) {
                let (left, right) = (chosen(a), chosen(b));
                let (x, y) = (set(&left), set(&right));
                let both: BTreeSet<i64> = left.union(&right).copied().collect();
                let mut union = x;
                assert_eq!(union.union(&y), union != x);
                assert_eq!(union, set(&both));
                assert_eq!(y.is_subset(&x), union == x);
                let common = x.intersection(&y);
                assert!(left.intersection(&right).all(|v| common.contains(*v)));
                if let (Some(mut these), Some(_)) = (x.iter(), y.iter()) {
                    assert_eq!(common, set(&left.intersection(&right).copied().collect()));
                    assert_eq!(x.intersects(&y), these.any(|v| right.contains(&v)));
                }
            }
            let (values, x) = (chosen(a), set(&chosen(a)));
            for v in PLACES {
                let rest: BTreeSet<i64> = values.iter().copied().filter(|w| *w != v).collect();
                let below: BTreeSet<i64> = values.iter().copied().filter(|w| *w <= v).collect();
                let (without, clipped) = (x.without(v), x.clipped(Range::new(i64::MIN, v)));
                if x.iter().is_some() {
                    assert_eq!((without, clipped), (set(&rest), set(&below)), "{values:?} without {v}");
                } else {
                    assert!(rest.iter().all(|w| without.contains(*w)));
                    assert!(below.iter().all(|w| clipped.contains(*w)));
                    assert!(clipped.is_empty() || clipped.hull().hi <= v);
                }
            }
        }
    }

    #[test]
    fn ranges_of_up_to_64_values_are_exact() {
        for (lo, hi) in [(0, 63), (-70, -7), (i64::MAX - 63, i64::MAX), (3, 3), (4, 3)] {
            let set = ValueSet::range(Range::new(lo, hi));
            assert!(set.iter().expect("exact").eq(lo..=hi));
            assert_eq!(set, (lo..=hi).collect());
        }
        let wide = ValueSet::range(Range::new(0, 64));
        assert_eq!((wide.iter().is_none(), wide.size()), (true, 65));
        assert_eq!(wide, (0..=64).collect());
        assert_eq!(wide.without(64), ValueSet::range(Range::new(0, 63)));
        assert!(wide.values().eq(0..=64));
        let mut evens: ValueSet = (0..64).map(|v| 2 * v).collect();
        assert_eq!((evens.iter().is_some(), evens.contains(3)), (true, false));
        assert!(evens.insert(128) && evens.iter().is_none() && evens.contains(3));
        assert_eq!(ValueSet::ALL.size(), 1 << 64);
    }

    #[test]
    fn truth_is_that_of_the_members() {
        let truth = |values: &[i64]| values.iter().copied().collect::<ValueSet>().truth();
        assert_eq!(truth(&[]), None);
        assert_eq!(truth(&[0]), Some(Truth::False));
        assert_eq!(truth(&[-1, 1]), Some(Truth::True));
        assert_eq!(truth(&[-1, 0]), Some(Truth::Maybe));
        assert_eq!(ValueSet::ALL.truth(), Some(Truth::Maybe));
    }
}
