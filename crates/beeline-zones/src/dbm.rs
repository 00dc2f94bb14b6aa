//! A zone that owns its matrix: the convenient face of [`ops`].

use std::fmt;

use crate::bound::{Bound, Constraint};
use crate::clock_bounds::{ClockBound, LuBounds};
use crate::ops::{self, ZoneRelation};
use crate::transfer::{Source, transfer};
use crate::{extrapolate, simulation, text};

/// A zone, as a difference bound matrix in canonical form.
///
/// Canonical form is unique, so equality and hash of the matrix are those of the set of valuations.
/// Operations that return `false` leave an empty zone, on which only [`is_empty`](Dbm::is_empty) may be
/// called; equality of empty zones means nothing. See the [crate documentation](crate) for the numbering of
/// clocks.
#[derive(PartialEq, Eq, Hash)]
pub struct Dbm {
    dim: usize,
    bounds: Vec<Bound>,
}

impl Clone for Dbm {
    fn clone(&self) -> Dbm {
        Dbm { dim: self.dim, bounds: self.bounds.clone() }
    }
    /// Without allocation where there is room.
    fn clone_from(&mut self, other: &Dbm) {
        self.dim = other.dim;
        self.bounds.clone_from(&other.bounds);
    }
}

impl Dbm {
    /// Makes this the zone that [`transfer`](crate::transfer) makes of another; without allocation where there is
    /// room.
    pub fn become_transfer(&mut self, from: &Dbm, sources: &[Source]) {
        self.dim = sources.len() + 1;
        self.bounds.clear();
        self.bounds.resize(self.dim * self.dim, Bound::ZERO_LE);
        transfer(&from.bounds, from.dim, sources, &mut self.bounds);
    }

    /// Makes this a copy of a zone in borrowed storage, which must be canonical; without allocation where there is
    /// room.
    pub fn become_copy(&mut self, dim: usize, bounds: &[Bound]) {
        debug_assert!(ops::is_canonical(bounds, dim));
        self.dim = dim;
        self.bounds.clear();
        self.bounds.extend_from_slice(bounds);
    }

    /// The zone in which every clock is 0. The dimension counts the reference clock and is at least 1.
    pub fn zero(dim: usize) -> Dbm {
        assert!(dim > 0, "a zone has at least the reference clock");
        Dbm { dim, bounds: vec![Bound::ZERO_LE; dim * dim] }
    }

    /// The zone of all valuations with clocks at least 0.
    pub fn universal(dim: usize) -> Dbm {
        let mut zone = Dbm::zero(dim);
        ops::universal(&mut zone.bounds, dim);
        zone
    }

    /// The zone described by any matrix of `dim * dim` bounds, clocks being at least 0; `None` if it is
    /// empty.
    ///
    /// # Panics
    /// If an implied bound exceeds [`MAX_CONSTANT`](crate::MAX_CONSTANT), which bounds up to
    /// [`max_constant`](crate::max_constant)`(dim)` cannot cause.
    pub fn from_matrix(dim: usize, bounds: &[Bound]) -> Option<Dbm> {
        assert!(dim > 0 && bounds.len() == dim * dim, "a zone of dimension {dim} has {} bounds", dim * dim);
        let mut zone = Dbm::universal(dim);
        for (mine, &given) in zone.bounds.iter_mut().zip(bounds) {
            *mine = given.min(*mine);
        }
        let sound = (0..dim).all(|i| zone.get(i, i) == Bound::ZERO_LE);
        (sound && ops::close(&mut zone.bounds, dim)).then_some(zone)
    }

    /// A copy of a zone in borrowed storage, which must be canonical.
    pub fn from_slice(dim: usize, bounds: &[Bound]) -> Dbm {
        debug_assert!(ops::is_canonical(bounds, dim));
        Dbm { dim, bounds: bounds.to_vec() }
    }

    /// The dimension: the number of clocks and one for the reference clock.
    #[inline]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The bound of `x_i - x_j`.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> Bound {
        self.bounds[i * self.dim + j]
    }

    /// The matrix, row by row.
    #[inline]
    pub fn as_slice(&self) -> &[Bound] {
        &self.bounds
    }

    /// The matrix, for the functions of [`ops`]. Whoever writes to it keeps it canonical.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Bound] {
        &mut self.bounds
    }

    /// Restores canonical form after writing single entries; false iff the zone is empty.
    pub fn close(&mut self) -> bool {
        ops::close(&mut self.bounds, self.dim)
    }

    /// Intersects with `x_i - x_j ≺ bound`; false iff nothing is left.
    #[must_use = "the zone may be empty"]
    pub fn constrain(&mut self, i: usize, j: usize, bound: Bound) -> bool {
        ops::constrain(&mut self.bounds, self.dim, i, j, bound)
    }

    /// Intersects with all constraints; false iff nothing is left.
    #[must_use = "the zone may be empty"]
    pub fn constrain_all(&mut self, constraints: &[Constraint]) -> bool {
        ops::constrain_all(&mut self.bounds, self.dim, constraints)
    }

    /// Whether some valuation of the zone meets `x_i - x_j ≺ bound`.
    pub fn satisfies(&self, i: usize, j: usize, bound: Bound) -> bool {
        ops::satisfies(&self.bounds, self.dim, i, j, bound)
    }

    /// Lets any amount of time pass.
    pub fn up(&mut self) {
        ops::up(&mut self.bounds, self.dim);
    }

    /// Lets time pass as long as each clock of `limits`, within which the zone must lie, stays below its bound.
    pub fn up_within(&mut self, limits: impl Iterator<Item = (usize, Bound)> + Clone) {
        ops::up_within(&mut self.bounds, self.dim, limits);
    }

    /// All valuations from which letting time pass leads into the zone.
    pub fn down(&mut self) {
        ops::down(&mut self.bounds, self.dim);
    }

    /// Sets a clock to a value at least 0.
    pub fn reset(&mut self, clock: usize, value: i32) {
        ops::reset(&mut self.bounds, self.dim, clock, value);
    }

    /// Forgets a clock: it may have any value at least 0.
    pub fn free(&mut self, clock: usize) {
        ops::free(&mut self.bounds, self.dim, clock);
    }

    /// Sets clock `x` to the value of clock `y`.
    pub fn copy(&mut self, x: usize, y: usize) {
        ops::copy(&mut self.bounds, self.dim, x, y);
    }

    /// Intersects with another zone; false iff nothing is left.
    #[must_use = "the zone may be empty"]
    pub fn intersect(&mut self, other: &Dbm) -> bool {
        debug_assert_eq!(self.dim, other.dim);
        ops::intersect(&mut self.bounds, &other.bounds, self.dim)
    }

    /// Whether two zones have a valuation in common.
    pub fn intersects(&self, other: &Dbm) -> bool {
        debug_assert_eq!(self.dim, other.dim);
        ops::intersects(&self.bounds, &other.bounds, self.dim, &mut self.bounds.clone())
    }

    /// Whether this zone includes the other.
    pub fn includes(&self, other: &Dbm) -> bool {
        debug_assert_eq!(self.dim, other.dim);
        ops::includes(&self.bounds, &other.bounds)
    }

    /// How this zone compares with the other.
    pub fn relation(&self, other: &Dbm) -> ZoneRelation {
        debug_assert_eq!(self.dim, other.dim);
        ops::relation(&self.bounds, &other.bounds)
    }

    /// Whether the last operation left nothing.
    pub fn is_empty(&self) -> bool {
        ops::is_empty(&self.bounds)
    }

    /// Whether the matrix is a nonempty zone in canonical form. Cubic; for assertions.
    pub fn is_canonical(&self) -> bool {
        ops::is_canonical(&self.bounds, self.dim)
    }

    /// Applies [`extrapolate::extra_m`].
    pub fn extra_m(&mut self, bounds: &[ClockBound]) {
        extrapolate::extra_m(&mut self.bounds, self.dim, bounds);
    }

    /// Applies [`extrapolate::extra_m_plus`].
    pub fn extra_m_plus(&mut self, bounds: &[ClockBound]) {
        extrapolate::extra_m_plus(&mut self.bounds, self.dim, bounds);
    }

    /// Applies [`extrapolate::extra_lu`].
    pub fn extra_lu(&mut self, bounds: &LuBounds) {
        extrapolate::extra_lu(&mut self.bounds, self.dim, bounds.lower(), bounds.upper());
    }

    /// Applies [`extrapolate::extra_lu_plus`].
    pub fn extra_lu_plus(&mut self, bounds: &LuBounds) {
        extrapolate::extra_lu_plus(&mut self.bounds, self.dim, bounds.lower(), bounds.upper());
    }

    /// Whether every valuation of this zone is LU-simulated by one of the other: see [`simulation`].
    pub fn simulated_by(&self, other: &Dbm, bounds: &LuBounds) -> bool {
        debug_assert_eq!(self.dim, other.dim);
        simulation::simulated_by(&self.bounds, &other.bounds, self.dim, bounds.lower(), bounds.upper())
    }

    /// Readable text such as `x<=5 && y-x>2`; `names[0]` is the name of clock 1.
    pub fn text<S: AsRef<str>>(&self, names: &[S]) -> String {
        text::zone_text(self, names)
    }
}

/// Text with the clocks called `x1`, `x2` and so on.
impl fmt::Display for Dbm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = (1..self.dim).map(|i| format!("x{i}")).collect();
        f.write_str(&self.text(&names))
    }
}

impl fmt::Debug for Dbm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.bounds.chunks(self.dim)).finish()
    }
}
