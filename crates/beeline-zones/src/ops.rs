//! Operations on zones held in borrowed storage: a slice of `dim * dim` bounds, row by row.
//!
//! These are the algorithms of Bengtsson and Yi, "Timed automata: semantics, algorithms and tools" (2004),
//! Section 4. An engine that keeps its zones in an arena calls them directly; [`Dbm`](crate::Dbm) wraps them
//! for everybody else. Nothing here allocates.
//!
//! Every function expects canonical, nonempty zones and leaves a canonical zone, unless it returns `false`:
//! then the zone is empty, entry `(0, 0)` says so, and the rest of the matrix means nothing. The reference
//! clock 0 is never reset, freed or copied to. Violations are caught by debug assertions.

use std::cell::Cell;

use crate::bound::{Bound, Constraint, relax};
use crate::fault::{Fault, active};

/// How two zones compare, seen from the first.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ZoneRelation {
    /// The same set.
    Equal,
    /// The first is a proper subset of the second.
    Subset,
    /// The first is a proper superset of the second.
    Superset,
    /// Neither includes the other.
    Incomparable,
}

/// Makes the zone in which every clock is 0.
pub fn zero(d: &mut [Bound], dim: usize) {
    debug_assert_eq!(d.len(), dim * dim);
    d.fill(Bound::ZERO_LE);
}

/// Makes the zone of all valuations: every clock is at least 0.
pub fn universal(d: &mut [Bound], dim: usize) {
    debug_assert_eq!(d.len(), dim * dim);
    d.fill(Bound::INFINITY);
    d[..dim].fill(Bound::ZERO_LE);
    for i in 1..dim {
        d[i * dim + i] = Bound::ZERO_LE;
    }
}

/// Whether the last operation emptied the zone. Constant time: emptiness is marked in entry `(0, 0)`.
#[inline]
pub fn is_empty(d: &[Bound]) -> bool {
    d[0] < Bound::ZERO_LE
}

#[inline]
fn mark_empty(d: &mut [Bound]) -> bool {
    d[0] = Bound::ZERO_LT;
    false
}

/// Brings any matrix to canonical form by Floyd and Warshall's algorithm; false iff the zone is empty.
///
/// The only operation that accepts a matrix that is not canonical. Lower bounds `(0, i)` must be at most `<=
/// 0` and diagonal entries `<= 0` already.
pub fn close(d: &mut [Bound], dim: usize) -> bool {
    debug_assert_eq!(d.len(), dim * dim);
    for k in 0..dim {
        for i in 0..dim {
            let via = d[i * dim + k];
            if i == k || via.is_infinite() {
                continue;
            }
            let (row, through) = two_rows(d, dim, i, k);
            relax(row, via, through);
            // Looking at once keeps negative cycles from being walked again and again, which would let
            // entries shrink exponentially.
            if row[i] < Bound::ZERO_LE {
                return mark_empty(d);
            }
        }
    }
    check(d, dim);
    true
}

/// Row `i` to write and row `k` to read, `i != k`.
#[inline]
pub(crate) fn two_rows(d: &mut [Bound], dim: usize, i: usize, k: usize) -> (&mut [Bound], &[Bound]) {
    if i < k {
        let (front, back) = d.split_at_mut(k * dim);
        (&mut front[i * dim..(i + 1) * dim], &back[..dim])
    } else {
        let (front, back) = d.split_at_mut(i * dim);
        (&mut back[..dim], &front[k * dim..(k + 1) * dim])
    }
}

/// Intersects with `x_i - x_j ≺ bound`; false iff nothing is left. Quadratic, constant if nothing changes.
pub fn constrain(d: &mut [Bound], dim: usize, i: usize, j: usize, bound: Bound) -> bool {
    let mut bound = bound;
    if let Some(c) = bound.constant() {
        if active(Fault::LessAsLessEqual) && i > 0 && j == 0 {
            bound = Bound::le(c);
        }
        if active(Fault::GreaterEqualAsGreater) && i == 0 && j > 0 {
            bound = Bound::lt(c);
        }
    }
    tighten(d, dim, i, j, bound)
}

/// [`constrain`] for callers inside the crate, out of reach of the faults seeded there.
pub(crate) fn tighten(d: &mut [Bound], dim: usize, i: usize, j: usize, bound: Bound) -> bool {
    debug_assert_eq!(d.len(), dim * dim);
    debug_assert!(!is_empty(d));
    if bound >= d[i * dim + j] {
        return true;
    }
    if !satisfies(d, dim, i, j, bound) {
        return mark_empty(d);
    }
    // All shortest paths that changed use the new edge once: p -> i -> j -> q. Entries (p, i) and (j, q) do
    // not change themselves, as the cycle over i and j is not negative, so updating in place is safe.
    for p in 0..dim {
        if active(Fault::IncrementalCloseSkipsRow) && p == dim - 1 && p != i {
            continue;
        }
        let via = d[p * dim + i] + bound;
        // If (p, j) does not get better no entry of the row does; in particular row j itself never does.
        if via >= d[p * dim + j] {
            continue;
        }
        let (row, through) = two_rows(d, dim, p, j);
        relax(row, via, through);
    }
    check(d, dim);
    true
}

/// Intersects with all constraints; false iff nothing is left.
pub fn constrain_all(d: &mut [Bound], dim: usize, constraints: &[Constraint]) -> bool {
    constraints.iter().all(|c| constrain(d, dim, c.left, c.right, c.bound))
}

/// Whether some valuation of the zone meets `x_i - x_j ≺ bound`.
#[inline]
pub fn satisfies(d: &[Bound], dim: usize, i: usize, j: usize, bound: Bound) -> bool {
    d[j * dim + i] + bound >= Bound::ZERO_LE
}

/// Lets any amount of time pass: removes the upper bounds.
pub fn up(d: &mut [Bound], dim: usize) {
    debug_assert!(!is_empty(d));
    for i in 1..dim {
        d[i * dim] = Bound::INFINITY;
    }
    check(d, dim);
}

/// Lets time pass as long as each clock of `limits` stays below its bound. The zone must lie within the limits.
///
/// Only column 0 changes: the zone was canonical and within the limits, so no difference of clocks follows from an
/// upper limit and a lower bound that did not follow already.
pub fn up_within(d: &mut [Bound], dim: usize, limits: impl Iterator<Item = (usize, Bound)> + Clone) {
    debug_assert!(!is_empty(d));
    for row in d.chunks_exact_mut(dim).skip(1) {
        let least = |least: Bound, (clock, limit): (usize, Bound)| least.min(row[clock] + limit);
        row[0] = limits.clone().fold(Bound::INFINITY, least).stored();
    }
    check(d, dim);
}

/// All valuations from which letting time pass leads into the zone, clocks staying at least 0.
pub fn down(d: &mut [Bound], dim: usize) {
    debug_assert!(!is_empty(d));
    // Going back is limited by 0 and, through the differences, by the other clocks reaching 0 first.
    for j in 1..dim {
        let mut least = Bound::ZERO_LE;
        for i in 1..dim {
            least = least.min(d[i * dim + j]);
        }
        d[j] = least;
    }
    check(d, dim);
}

/// Sets clock `x` to a value at least 0.
///
/// # Panics
/// If the value is negative: a zone with negative clocks would lose valuations later without notice.
pub fn reset(d: &mut [Bound], dim: usize, x: usize, value: i32) {
    assert!(value >= 0, "clock reset to a negative value");
    debug_assert!(!is_empty(d) && x > 0);
    let (plus, minus) = (Bound::le(value), Bound::le(-value));
    let others = if active(Fault::ResetOnlyReferenceRow) { 1 } else { dim };
    // Row 0 is at most 0 and column 0 at least 0, so these sums cannot leave the range of bounds.
    for j in 0..others {
        d[x * dim + j] = plus + d[j];
        d[j * dim + x] = d[j * dim] + minus;
    }
    d[x * dim + x] = Bound::ZERO_LE;
    check(d, dim);
}

/// Forgets clock `x`: it may have any value at least 0.
pub fn free(d: &mut [Bound], dim: usize, x: usize) {
    debug_assert!(!is_empty(d) && x > 0);
    for j in 0..dim {
        d[x * dim + j] = Bound::INFINITY;
        d[j * dim + x] = d[j * dim];
    }
    d[x * dim + x] = Bound::ZERO_LE;
    check(d, dim);
}

/// Sets clock `x` to the value of clock `y`.
pub fn copy(d: &mut [Bound], dim: usize, x: usize, y: usize) {
    debug_assert!(!is_empty(d) && x > 0 && y > 0);
    if x == y {
        return;
    }
    for j in 0..dim {
        d[x * dim + j] = d[y * dim + j];
        d[j * dim + x] = d[j * dim + y];
    }
    // The loop has put (y, y) into (x, y) and (y, x), and an old difference into (x, x).
    d[x * dim + x] = Bound::ZERO_LE;
    check(d, dim);
}

/// Intersects with another zone; false iff nothing is left.
pub fn intersect(d: &mut [Bound], other: &[Bound], dim: usize) -> bool {
    debug_assert!(!is_empty(d) && !is_empty(other));
    let tighter = d.iter().zip(other).filter(|(mine, theirs)| theirs < mine).count();
    // Closing after each of a few new bounds is cheaper than closing everything once.
    if tighter <= dim {
        return (0..dim * dim).all(|k| k / dim == k % dim || tighten(d, dim, k / dim, k % dim, other[k]));
    }
    for (mine, &theirs) in d.iter_mut().zip(other) {
        *mine = theirs.min(*mine);
    }
    close(d, dim)
}

/// Whether two zones have a valuation in common; `scratch` has the size of a zone and is overwritten.
pub fn intersects(d: &[Bound], other: &[Bound], dim: usize, scratch: &mut [Bound]) -> bool {
    // Two bounds that contradict each other are the common case and need no closing.
    let contradict = |k: usize| d[k] + other[(k % dim) * dim + k / dim] < Bound::ZERO_LE;
    if (0..dim * dim).any(contradict) {
        return false;
    }
    scratch.copy_from_slice(d);
    intersect(scratch, other, dim)
}

/// Whether the first zone includes the second.
pub fn includes(d: &[Bound], other: &[Bound]) -> bool {
    debug_assert!(!is_empty(d) && !is_empty(other) && d.len() == other.len());
    let (d, other) = if active(Fault::InclusionReversed) { (other, d) } else { (d, other) };
    // A few at a time without branches, so that it becomes vector code.
    const LANES: usize = 8;
    let exceeds = |mine: &[Bound], theirs: &[Bound]| {
        mine.iter().zip(theirs).fold(false, |exceeds, (mine, theirs)| exceeds | (theirs > mine))
    };
    let (mine, mine_rest) = d.as_chunks::<LANES>();
    let (theirs, theirs_rest) = other.as_chunks::<LANES>();
    !mine.iter().zip(theirs).any(|(mine, theirs)| exceeds(mine, theirs)) && !exceeds(mine_rest, theirs_rest)
}

/// How the first zone compares with the second.
pub fn relation(d: &[Bound], other: &[Bound]) -> ZoneRelation {
    match (includes(other, d), includes(d, other)) {
        (true, true) => ZoneRelation::Equal,
        (true, false) => ZoneRelation::Subset,
        (false, true) => ZoneRelation::Superset,
        (false, false) => ZoneRelation::Incomparable,
    }
}

/// Whether the matrix is a nonempty zone in canonical form. Cubic: for assertions and for data from outside.
pub fn is_canonical(d: &[Bound], dim: usize) -> bool {
    d.len() == dim * dim
        && d.iter().all(|bound| bound.is_storable())
        && (0..dim).all(|i| d[i * dim + i] == Bound::ZERO_LE && d[i] <= Bound::ZERO_LE)
        && (0..dim).all(|k| {
            (0..dim).all(|i| {
                let via = d[i * dim + k];
                (0..dim).all(|j| via.is_infinite() || d[i * dim + j] <= via + d[k * dim + j])
            })
        })
}

thread_local! {
    static CHECKS: Cell<u32> = const { Cell::new(0) };
}

/// Asserts canonical form, in debug builds. The test costs more than the operation it guards, so beyond a
/// small dimension only one operation in 64 is looked at.
#[inline]
pub(crate) fn check(d: &[Bound], dim: usize) {
    const ALWAYS: usize = 6;
    if !cfg!(debug_assertions) {
        return;
    }
    CHECKS.set(CHECKS.get().wrapping_add(1));
    if dim <= ALWAYS || CHECKS.get().is_multiple_of(64) {
        assert!(is_canonical(d, dim), "zone of dimension {dim} is not canonical: {d:?}");
    }
}
