//! The constants a clock is compared with, per clock, as the extrapolations and the simulation test need
//! them.
//!
//! `L(x)` is the largest constant of a lower-bound guard (`x > c`, `x >= c`), `U(x)` of an upper-bound guard
//! (`x < c`, `x <= c`), `M(x)` the larger of the two. A clock without such a guard has the bound minus
//! infinity, which is *not* the same as 0: with bound 0 the test `x > 0` still matters, with none nothing
//! does.

use crate::bound::MAX_CONSTANT;

/// `L(x)`, `U(x)` or `M(x)` of one clock; [`ClockBound::NONE`] is minus infinity and the least of all.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClockBound(i32);

impl ClockBound {
    /// The clock is never compared in this direction.
    pub const NONE: ClockBound = ClockBound(i32::MIN);
    /// The bound of the reference clock.
    pub const ZERO: ClockBound = ClockBound(0);

    /// The bound `constant`.
    ///
    /// # Panics
    /// If the constant is negative or above [`MAX_CONSTANT`].
    #[inline]
    pub const fn at(constant: i32) -> ClockBound {
        assert!(0 <= constant && constant <= MAX_CONSTANT, "clock bound out of range");
        ClockBound(constant)
    }

    /// The constant, or `None` for minus infinity.
    #[inline]
    pub const fn get(self) -> Option<i32> {
        if self.0 == i32::MIN { None } else { Some(self.0) }
    }

    /// Whether `constant` lies above the bound; always true of [`ClockBound::NONE`].
    #[inline]
    pub(crate) const fn is_below(self, constant: i32) -> bool {
        constant > self.0
    }
}

impl From<Option<i32>> for ClockBound {
    fn from(constant: Option<i32>) -> ClockBound {
        constant.map_or(ClockBound::NONE, ClockBound::at)
    }
}

/// The functions `L` and `U` over all clocks of a dimension. The reference clock has bound 0 in both.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LuBounds {
    lower: Vec<ClockBound>,
    upper: Vec<ClockBound>,
}

impl LuBounds {
    /// No clock is ever compared.
    pub fn none(dim: usize) -> LuBounds {
        let mut lower = vec![ClockBound::NONE; dim];
        lower[0] = ClockBound::ZERO;
        LuBounds { upper: lower.clone(), lower }
    }

    /// The dimension, counting the reference clock.
    pub fn dim(&self) -> usize {
        self.lower.len()
    }

    /// `L`, indexed by clock.
    pub fn lower(&self) -> &[ClockBound] {
        &self.lower
    }

    /// `U`, indexed by clock.
    pub fn upper(&self) -> &[ClockBound] {
        &self.upper
    }

    /// `M`, the larger of `L` and `U`, indexed by clock.
    pub fn maximal(&self) -> Vec<ClockBound> {
        self.lower.iter().zip(&self.upper).map(|(&l, &u)| l.max(u)).collect()
    }

    /// Notes a guard `clock >= constant` or `clock > constant`.
    pub fn raise_lower(&mut self, clock: usize, constant: i32) {
        debug_assert!(clock > 0, "the reference clock has no guards");
        self.lower[clock] = self.lower[clock].max(ClockBound::at(constant));
    }

    /// Notes a guard `clock <= constant` or `clock < constant`.
    pub fn raise_upper(&mut self, clock: usize, constant: i32) {
        debug_assert!(clock > 0, "the reference clock has no guards");
        self.upper[clock] = self.upper[clock].max(ClockBound::at(constant));
    }

    /// Notes guards of both kinds, such as `clock == constant`.
    pub fn raise_both(&mut self, clock: usize, constant: i32) {
        self.raise_lower(clock, constant);
        self.raise_upper(clock, constant);
    }

    /// Takes the larger bound of each clock. Returns whether anything rose, for fixpoint iterations.
    pub fn join(&mut self, other: &LuBounds) -> bool {
        assert_eq!(self.dim(), other.dim(), "bounds of different dimensions");
        let mut rose = false;
        let mine = self.lower.iter_mut().chain(&mut self.upper);
        for (bound, &theirs) in mine.zip(other.lower.iter().chain(&other.upper)) {
            rose |= theirs > *bound;
            *bound = theirs.max(*bound);
        }
        rose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_below_zero() {
        assert!(ClockBound::NONE < ClockBound::at(0));
        assert!(ClockBound::NONE.is_below(-MAX_CONSTANT));
        assert!(!ClockBound::at(0).is_below(0));
        assert_eq!(ClockBound::from(None), ClockBound::NONE);
        assert_eq!(ClockBound::from(Some(3)).get(), Some(3));
    }

    #[test]
    fn join_reports_change_once() {
        let mut a = LuBounds::none(3);
        let mut b = LuBounds::none(3);
        b.raise_lower(1, 4);
        b.raise_upper(2, 0);
        assert!(a.join(&b));
        assert!(!a.join(&b));
        assert_eq!(a, b);
        assert_eq!(a.maximal(), [ClockBound::ZERO, ClockBound::at(4), ClockBound::at(0)]);
    }
}
