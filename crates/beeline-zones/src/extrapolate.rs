//! Extrapolation: makes the zone graph finite by forgetting differences that no guard can see.
//!
//! The four operators of Behrmann, Bouyer, Larsen and Pelánek, "Lower and upper bounds in zone-based
//! abstractions of timed automata" (STTT 2006). Coarser from left to right and from top to bottom:
//!
//! ```text
//!     Extra_M   ⊆  Extra_M+
//!        ⊆            ⊆
//!     Extra_LU  ⊆  Extra_LU+  ⊆  a_LU
//! ```
//!
//! All preserve reachability of locations in automata whose guards compare single clocks with constants; none
//! is sound with diagonal guards. `Extra_M` and `Extra_LU` are monotone. **The `+` operators are not**: a
//! smaller zone may get an extrapolation that is not included, so covering by plain inclusion can fail where
//! [`simulation`](crate::simulation) succeeds.
//!
//! Bounds are indexed by clock; the entry of the reference clock is 0. A clock without bound loses its
//! constraints in that direction, except that it stays at least 0. New lower bounds are *strict*, `x > M`:
//! with `x >= M` the result would leave `a_LU`.

use crate::bound::{Bound, drop_above, relax};
use crate::clock_bounds::ClockBound;
use crate::fault::{Fault, active};
use crate::ops;

/// Classical extrapolation by the maximal constants: safe for deadlock queries, unlike the LU operators.
pub fn extra_m(d: &mut [Bound], dim: usize, m: &[ClockBound]) {
    extra_lu(d, dim, m, m);
}

/// `Extra_M+`: also drops the differences of a clock whose lower bound is above its maximal constant.
pub fn extra_m_plus(d: &mut [Bound], dim: usize, m: &[ClockBound]) {
    extra_lu_plus(d, dim, m, m);
}

/// `Extra_LU`: an upper bound matters up to `L`, a lower bound up to `U`.
pub fn extra_lu(d: &mut [Bound], dim: usize, lower: &[ClockBound], upper: &[ClockBound]) {
    check_arguments(d, dim, lower, upper);
    let mut changed = false;
    for i in 0..dim {
        for j in 0..dim {
            let Some(c) = d[i * dim + j].constant() else { continue };
            if i == j {
                continue;
            }
            // Entries of row 0 are at most 0 and those of column 0 at least 0, so L(0) = U(0) = 0 spare them
            // the wrong rule.
            if lower[i].is_below(c) {
                changed |= raise(&mut d[i * dim + j], Bound::INFINITY);
            } else if upper[j].is_below(-c) {
                changed |= raise(&mut d[i * dim + j], lowest(upper[j], i));
            }
        }
    }
    reclose(d, dim, changed);
}

/// `Extra_LU+`: also drops the differences of a clock whose lower bound is above `L` or `U`.
///
/// Canonical form is restored on the way. A clock above its `L` has a row without bounds, which no path can leave. A
/// clock above its `U` is reached over the reference clock alone, and adds nothing as a stop on the way to others. What
/// remains to be closed are rows with a single bound above `L`, if there are any. The reference clock is no stop there:
/// what is left of a row is at most `L`, and row 0 at most 0, so that a path over it is no longer than `L`.
pub fn extra_lu_plus(d: &mut [Bound], dim: usize, lower: &[ClockBound], upper: &[ClockBound]) {
    check_arguments(d, dim, lower, upper);
    let closing = !active(Fault::ExtrapolationNotClosed);
    let (first, rows) = d.split_at_mut(dim);
    let above = |bounds: &[ClockBound], i: usize| bounds[i].is_below(least_value(first, i));
    // Rows to close; those from 63 on share a bit.
    let bit = |row: usize| 1u64 << row.min(63);
    let (mut open, mut some_above_upper) = (0u64, false);
    // Row 0 decides about the others, so it comes last.
    for (i, row) in (1..dim).zip(rows.chunks_exact_mut(dim)) {
        some_above_upper |= above(upper, i);
        match lower[i].get() {
            Some(constant) if !above(lower, i) => {
                // The bound of a clock against itself is 0 and stays.
                if drop_above(row, constant) {
                    open |= bit(i);
                }
            }
            _ => {
                row.fill(Bound::INFINITY);
                row[i] = Bound::ZERO_LE;
            }
        }
    }
    if open != 0 && closing {
        for k in 1..dim {
            // No shortest path goes through a clock that is above one of its bounds.
            if above(lower, k) || above(upper, k) {
                continue;
            }
            for i in (1..dim).filter(|i| *i != k && open & bit(*i) != 0) {
                let via = rows[(i - 1) * dim + k];
                if !via.is_infinite() {
                    let (row, through) = ops::two_rows(rows, dim, i - 1, k - 1);
                    relax(row, via, through);
                }
            }
        }
    }
    if some_above_upper {
        for j in (1..dim).filter(|j| above(upper, *j)) {
            let least = lowest(upper[j], 0).max(first[j]);
            for (i, row) in (1..dim).zip(rows.chunks_exact_mut(dim)) {
                if i != j {
                    row[j] = if closing { row[0] + least } else { Bound::INFINITY };
                }
            }
        }
        for j in 1..dim {
            if upper[j].is_below(least_value(first, j)) {
                raise(&mut first[j], lowest(upper[j], 0));
            }
        }
    }
    ops::check(d, dim);
}

/// The infimum of clock `i` in the zone.
#[inline]
fn least_value(d: &[Bound], i: usize) -> i32 {
    // Row 0 has no infinite entry: clocks are at least 0.
    -(d[i].raw() >> 1)
}

/// What remains of a bound in row `i` once the clock subtracted is known to be above `upper`.
#[inline]
fn lowest(upper: ClockBound, i: usize) -> Bound {
    match upper.get() {
        Some(u) if active(Fault::ExtrapolationLowerBoundNonStrict) => Bound::le(-u),
        Some(u) => Bound::lt(-u),
        None if i == 0 => Bound::ZERO_LE,
        None => Bound::INFINITY,
    }
}

/// Loosens an entry; whether that changed it.
#[inline]
fn raise(entry: &mut Bound, bound: Bound) -> bool {
    let changed = *entry < bound;
    *entry = bound.max(*entry);
    changed
}

/// Restores canonical form. Only raised entries can come down again, and a clock above its bounds has an
/// infinite row that closing skips, so this is far from cubic in the usual case; if nothing was raised it is
/// free.
fn reclose(d: &mut [Bound], dim: usize, changed: bool) {
    if changed && !active(Fault::ExtrapolationNotClosed) {
        let nonempty = ops::close(d, dim);
        debug_assert!(nonempty, "extrapolation only adds valuations");
    }
    ops::check(d, dim);
}

fn check_arguments(d: &[Bound], dim: usize, lower: &[ClockBound], upper: &[ClockBound]) {
    debug_assert!(!ops::is_empty(d) && d.len() == dim * dim);
    debug_assert!(lower.len() == dim && upper.len() == dim);
    debug_assert!(lower[0] == ClockBound::ZERO && upper[0] == ClockBound::ZERO);
}
