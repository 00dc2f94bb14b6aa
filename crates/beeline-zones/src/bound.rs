//! One bound `≺ c` on a difference of two clocks, packed into an `i32`.
//!
//! The packing is the usual one (Bengtsson and Yi, "Timed automata: semantics, algorithms and tools", 2004):
//! `2c + 1` for `<= c` and `2c` for `< c`, so that integer order is the order of tightness and addition is
//! one integer addition with a correction of the lowest bit. Infinity is a value of its own that absorbs.

use std::fmt;
use std::ops::Add;

/// The largest absolute value of a constant in a bound.
pub const MAX_CONSTANT: i32 = 1 << 28;

/// The largest constant, reset value or clock bound with which zones of this dimension cannot overflow.
///
/// The contract is for operation sequences with at most `3 * dimension` of `up`, `down`, `reset` and `free`
/// between two extrapolations; the number of `constrain` and `copy` does not matter.
///
/// # Why bounds cannot overflow
///
/// Write a clock as `now - origin`. Then a zone made by the operations of this crate is the projection of a
/// system of difference constraints between time points: the origins, and the present. `up`, `down`, `reset`
/// and `free` each add one time point (a new present, or a new origin), `constrain` adds an edge, and `copy`
/// neither. An entry of the canonical matrix is the weight of a *simple* path in that graph, so it is at most
/// the number of time points times the largest constant. Extrapolation starts afresh: every entry it leaves,
/// before closing, lies within the given clock bounds. Hence, if all constants, reset values and clock bounds
/// are at most `max_constant(dimension)`, and no more than `3 * dimension` operations that add a time
/// point separate two extrapolations, every entry stays within [`MAX_CONSTANT`].
///
/// Without extrapolation entries grow without limit (`x == 1`, reset `x`, repeat: `y` counts the rounds), and
/// then no bound on the constants helps. Therefore every freshly computed entry is checked when it is
/// *stored*, in release builds too: a breach is a panic, never a wrapped bound. Stored entries are within
/// `2^28`, so the sum of three, the most that is ever added up before the check, is far from wrapping.
///
/// ```
/// assert!(beeline_zones::max_constant(20) > 3_000_000);
/// ```
pub const fn max_constant(dimension: usize) -> i32 {
    // `dimension` time points at the start, `3 * dimension` added later.
    let points = 4 * dimension;
    if points >= MAX_CONSTANT as usize {
        0
    } else {
        MAX_CONSTANT / (if points == 0 { 1 } else { points as i32 })
    }
}

/// A bound `<= c`, `< c`, or no bound at all, ordered from tight to loose.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound(i32);

impl Bound {
    /// No bound; by convention strict (`< ∞`).
    pub const INFINITY: Bound = Bound(i32::MAX);
    /// `<= 0`, the bound of a clock against itself.
    pub const ZERO_LE: Bound = Bound(1);
    /// `< 0`, which no clock can meet against itself: the mark of emptiness.
    pub const ZERO_LT: Bound = Bound(0);

    /// The bound `<= constant`.
    ///
    /// # Panics
    /// If `|constant|` exceeds [`MAX_CONSTANT`].
    #[inline]
    pub const fn le(constant: i32) -> Bound {
        assert!(-MAX_CONSTANT <= constant && constant <= MAX_CONSTANT, "clock constant out of range");
        Bound(2 * constant + 1)
    }

    /// The bound `< constant`.
    ///
    /// # Panics
    /// If `|constant|` exceeds [`MAX_CONSTANT`].
    #[inline]
    pub const fn lt(constant: i32) -> Bound {
        assert!(-MAX_CONSTANT <= constant && constant <= MAX_CONSTANT, "clock constant out of range");
        Bound(2 * constant)
    }

    /// The constant, or `None` for infinity.
    #[inline]
    pub const fn constant(self) -> Option<i32> {
        if self.is_infinite() { None } else { Some(self.0 >> 1) }
    }

    /// Whether the bound is `<` rather than `<=`.
    #[inline]
    pub const fn is_strict(self) -> bool {
        self.is_infinite() || self.0 & 1 == 0
    }

    /// Whether there is no bound.
    #[inline]
    pub const fn is_infinite(self) -> bool {
        self.0 == i32::MAX
    }

    /// The bound of the complement with the clocks swapped: `not (x - y <= c)` is `y - x < -c`.
    ///
    /// # Panics
    /// For infinity: the complement of "anything" is not a bound.
    #[inline]
    pub const fn negated(self) -> Bound {
        assert!(!self.is_infinite(), "an infinite bound has no complement");
        Bound(1 - self.0)
    }

    /// The packed integer: `2c + 1` for `<= c`, `2c` for `< c`, `i32::MAX` for infinity.
    #[inline]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The bound packed in `raw`.
    ///
    /// # Panics
    /// If the constant exceeds [`MAX_CONSTANT`]; see [`Bound::try_from_raw`] for data from outside.
    #[inline]
    pub const fn from_raw(raw: i32) -> Bound {
        assert!(Bound(raw).is_storable(), "packed clock bound out of range");
        Bound(raw)
    }

    /// The bound packed in `raw`, or `None` if its constant exceeds [`MAX_CONSTANT`].
    #[inline]
    pub const fn try_from_raw(raw: i32) -> Option<Bound> {
        if Bound(raw).is_storable() { Some(Bound(raw)) } else { None }
    }

    /// Whether the bound may stand in a matrix.
    #[inline]
    pub(crate) const fn is_storable(self) -> bool {
        self.is_infinite() || (2 * -MAX_CONSTANT <= self.0 && self.0 <= 2 * MAX_CONSTANT + 1)
    }

    /// Passes a computed sum on to be stored; the check that replaces overflow by a panic.
    #[inline]
    pub(crate) fn stored(self) -> Bound {
        if !self.is_storable() {
            overflow();
        }
        self
    }
}

#[cold]
fn overflow() -> ! {
    panic!("clock bound exceeds 2^28: constants above max_constant(dimension), or a zone never extrapolated")
}

/// The bound of a path of two edges; infinity absorbs, and one strict bound makes the sum strict.
impl Add for Bound {
    type Output = Bound;

    #[inline]
    fn add(self, other: Bound) -> Bound {
        if self.is_infinite() || other.is_infinite() {
            return Bound::INFINITY;
        }
        debug_assert!(
            self.0.checked_add(other.0).is_some_and(|sum| sum != i32::MAX),
            "bound addition overflows"
        );
        Bound(self.0.wrapping_add(other.0) - ((self.0 | other.0) & 1))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.constant() {
            None => f.write_str("<inf"),
            Some(c) => write!(f, "{}{c}", if self.is_strict() { "<" } else { "<=" }),
        }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Lowers each entry of a row to the path `via` followed by the entry of another row; `via` is finite.
///
/// Without branches, so that it becomes vector code. Entries only go down, and two stored bounds add up to no less
/// than `-2^30`, so it is enough to look at the least entry at the end.
#[inline]
pub(crate) fn relax(row: &mut [Bound], via: Bound, through: &[Bound]) {
    debug_assert!(!via.is_infinite());
    let mut least = 0;
    for (entry, rest) in row.iter_mut().zip(through) {
        let sum = via.0.wrapping_add(rest.0).wrapping_sub((via.0 | rest.0) & 1);
        let path = if rest.0 == i32::MAX { i32::MAX } else { sum };
        let best = if path < entry.0 { path } else { entry.0 };
        *entry = Bound(best);
        least = if best < least { best } else { least };
    }
    if least < 2 * -MAX_CONSTANT {
        overflow();
    }
}

/// Drops the bounds of a row that are above a constant from 0 on; whether there were any.
#[inline]
pub(crate) fn drop_above(row: &mut [Bound], constant: i32) -> bool {
    debug_assert!((0..=MAX_CONSTANT).contains(&constant));
    // The least packed bound with a greater constant.
    let least = 2 * constant + 2;
    let mut dropped = false;
    for entry in row {
        let above = entry.0 >= least;
        dropped |= above & (entry.0 != i32::MAX);
        entry.0 = if above { i32::MAX } else { entry.0 };
    }
    dropped
}

/// The constraint `x_left - x_right ≺ c`; clock 0 is the reference clock.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The clock counted positively; 0 for a lower bound.
    pub left: usize,
    /// The clock subtracted; 0 for an upper bound.
    pub right: usize,
    /// What the difference is bounded by.
    pub bound: Bound,
}

impl Constraint {
    /// The constraint `x_left - x_right ≺ bound`.
    pub const fn new(left: usize, right: usize, bound: Bound) -> Constraint {
        Constraint { left, right, bound }
    }

    /// The constraint satisfied by exactly the other valuations.
    ///
    /// # Panics
    /// If the bound is infinite.
    pub const fn negated(self) -> Constraint {
        Constraint { left: self.right, right: self.left, bound: self.bound.negated() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every bound with constants -4..=4, and infinity.
    fn all() -> Vec<Bound> {
        (-4..=4).flat_map(|c| [Bound::lt(c), Bound::le(c)]).chain([Bound::INFINITY]).collect()
    }

    /// Whether `value / 4` meets the bound.
    fn meets(value: i32, bound: Bound) -> bool {
        match bound.constant() {
            None => true,
            Some(c) if bound.is_strict() => value < 4 * c,
            Some(c) => value <= 4 * c,
        }
    }

    #[test]
    fn order_is_inclusion() {
        for a in all() {
            for b in all() {
                assert_eq!(a <= b, (-40..=40).all(|v| !meets(v, a) || meets(v, b)), "{a} {b}");
            }
        }
    }

    #[test]
    fn addition_adds_constants_and_keeps_strictness() {
        for a in all() {
            assert_eq!(a + Bound::ZERO_LE, a);
            for b in all() {
                match (a.constant(), b.constant()) {
                    (Some(p), Some(q)) => {
                        assert_eq!((a + b).constant(), Some(p + q));
                        assert_eq!((a + b).is_strict(), a.is_strict() || b.is_strict());
                    }
                    _ => assert_eq!(a + b, Bound::INFINITY),
                }
            }
        }
    }

    #[test]
    fn negation_is_complement() {
        for a in all().into_iter().filter(|b| !b.is_infinite()) {
            assert_eq!(a.negated().negated(), a);
            for v in -40..=40 {
                assert_ne!(meets(v, a), meets(-v, a.negated()));
            }
        }
    }

    #[test]
    fn raw_round_trip_and_range() {
        for a in all() {
            assert_eq!(Bound::from_raw(a.raw()), a);
            assert_eq!(Bound::try_from_raw(a.raw()), Some(a));
        }
        assert_eq!(Bound::try_from_raw(2 * MAX_CONSTANT + 2), None);
        assert_eq!(Bound::try_from_raw(i32::MIN), None);
        assert_eq!(Bound::le(MAX_CONSTANT).constant(), Some(MAX_CONSTANT));
        assert_eq!(Bound::lt(-MAX_CONSTANT).constant(), Some(-MAX_CONSTANT));
        assert!(std::panic::catch_unwind(|| Bound::le(MAX_CONSTANT + 1)).is_err());
        assert!(
            (1..100).all(|dim| i64::from(max_constant(dim)) * 4 * (dim as i64) <= i64::from(MAX_CONSTANT))
        );
        assert_eq!(max_constant(usize::MAX / 8), 0);
    }
}
