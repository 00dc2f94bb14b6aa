//! The LU-simulation test: is every valuation of a zone simulated by some valuation of another?
//!
//! `v ≼ v'` holds if for each clock `x`: `v'(x) < v(x)` implies `v'(x) > L(x)`, and `v'(x) > v(x)` implies
//! `v(x) > U(x)`. Then whatever a diagonal-free automaton with these bounds can do from `v` it can do from
//! `v'`. `a_LU(Z')` is the set of all `v` simulated by some `v'` in `Z'`: the coarsest sound abstraction by
//! bounds. It is not convex, yet inclusion in it can be decided by looking at pairs of clocks (Herbreteau,
//! Srivathsan and Walukiewicz, "Better abstractions for timed automata", LICS 2012), in the same time as
//! plain inclusion.

use crate::bound::Bound;
use crate::clock_bounds::ClockBound;
use crate::ops;

/// Whether `z ⊆ a_LU(other)`.
///
/// It fails iff there are clocks `x != y`, the reference clock included, such that `(0,x) >= (<=, -U(x))`,
/// `(y,x)' < (y,x)` and `(y,x)' + (<, -L(y)) < (0,x)`, the dash marking `other`: `z` has a valuation with `x
/// <= U(x)`, whose `x` may therefore only fall, and whose `y - x` is too large for `other`, so `y` would have
/// to fall by more than `L(y)` permits.
pub fn simulated_by(
    z: &[Bound],
    other: &[Bound],
    dim: usize,
    lower: &[ClockBound],
    upper: &[ClockBound],
) -> bool {
    debug_assert!(!ops::is_empty(z) && !ops::is_empty(other));
    debug_assert!(z.len() == dim * dim && other.len() == dim * dim);
    debug_assert!(lower[0] == ClockBound::ZERO && upper[0] == ClockBound::ZERO);
    for x in 0..dim {
        // Without U(x) every value of x may rise, without L(y) every value of y may fall: nothing to fail on.
        let Some(u) = upper[x].get() else { continue };
        let least = z[x];
        if least < Bound::le(-u) {
            continue;
        }
        for y in 0..dim {
            let theirs = other[y * dim + x];
            if theirs >= z[y * dim + x] || x == y {
                continue;
            }
            let Some(l) = lower[y].get() else { continue };
            if theirs + Bound::lt(-l) < least {
                return false;
            }
        }
    }
    true
}
