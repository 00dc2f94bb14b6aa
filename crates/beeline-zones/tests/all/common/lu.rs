//! LU-simulation by its definition on points.
//!
//! For a point `v` the `v'` with `v ≼ v'` form a box, in each coordinate an interval whose ends are integers
//! or `v`'s own coordinates. So `v'` has to be looked for on a finer grid than `v`: between two neighbouring
//! coordinates of `v` there must be room for as many distinct values as there are clocks.

use super::{Bits, Grid};
use beeline_zones::{ClockBound, Dbm, LuBounds};

/// Bounds from one pair `(L, U)` for each clock.
pub fn lu_bounds(pairs: &[(Option<i32>, Option<i32>)]) -> LuBounds {
    let mut bounds = LuBounds::none(pairs.len() + 1);
    for (at, &(lower, upper)) in pairs.iter().enumerate() {
        if let Some(c) = lower {
            bounds.raise_lower(at + 1, c);
        }
        if let Some(c) = upper {
            bounds.raise_upper(at + 1, c);
        }
    }
    bounds
}

/// Whether `v ≼ w`, coordinates in units of `1 / unit`.
pub fn below(v: &[i32], w: &[i32], unit: i32, bounds: &LuBounds) -> bool {
    let above = |value: i32, bound: ClockBound| bound.get().is_none_or(|c| value > c * unit);
    (1..v.len()).all(|x| {
        (w[x] >= v[x] || above(w[x], bounds.lower()[x])) && (w[x] <= v[x] || above(v[x], bounds.upper()[x]))
    })
}

/// Two grids of one unit: the points to be simulated, and those that may simulate them.
pub struct LuGrid {
    pub outer: Grid,
    pub inner: Grid,
}

impl LuGrid {
    pub fn new(dim: usize, reach: i32) -> LuGrid {
        let unit = (dim * dim) as i32;
        LuGrid { outer: Grid::with_step(dim, reach, unit, dim), inner: Grid::with_step(dim, reach, unit, 1) }
    }

    /// For each outer point, the inner points that simulate it.
    pub fn simulators(&self, bounds: &LuBounds) -> Vec<Bits> {
        let of = |v: &Vec<i32>| self.inner.set(|w| below(v, w, self.inner.unit, bounds));
        self.outer.points.iter().map(of).collect()
    }

    /// The outer points of `a_LU(zone)`, given the inner points of the zone.
    pub fn abstraction(&self, zone: &Bits, simulators: &[Bits]) -> Bits {
        let mut bits = Bits(vec![0; self.outer.points.len().div_ceil(64)]);
        for (at, simulators) in simulators.iter().enumerate() {
            bits.0[at / 64] |= u64::from(simulators.meets(zone)) << (at % 64);
        }
        bits
    }
}

/// The four extrapolations of a zone, `M` being the larger of `L` and `U`.
pub struct Extrapolated {
    pub m: Dbm,
    pub m_plus: Dbm,
    pub lu: Dbm,
    pub lu_plus: Dbm,
}

impl Extrapolated {
    pub fn of(zone: &Dbm, bounds: &LuBounds) -> Extrapolated {
        let maximal = bounds.maximal();
        let with = |change: &dyn Fn(&mut Dbm)| {
            let mut result = zone.clone();
            change(&mut result);
            result
        };
        Extrapolated {
            m: with(&|z| z.extra_m(&maximal)),
            m_plus: with(&|z| z.extra_m_plus(&maximal)),
            lu: with(&|z| z.extra_lu(bounds)),
            lu_plus: with(&|z| z.extra_lu_plus(bounds)),
        }
    }

    /// The lattice of the four operators, canonical form and idempotence.
    pub fn check(&self, zone: &Dbm, bounds: &LuBounds) {
        let Extrapolated { m, m_plus, lu, lu_plus } = self;
        for (small, large) in [(zone, m), (m, m_plus), (m, lu), (lu, lu_plus), (m_plus, lu_plus)] {
            assert!(large.includes(small), "{small} not in {large}, from {zone} by {bounds:?}");
        }
        for zone in [m, m_plus, lu, lu_plus] {
            assert!(super::plainly_canonical(zone.dim(), |i, j| zone.get(i, j)));
        }
        assert_eq!(Extrapolated::of(m, bounds).m, *m);
        assert_eq!(Extrapolated::of(m_plus, bounds).m_plus, *m_plus);
        assert_eq!(Extrapolated::of(lu, bounds).lu, *lu);
        assert_eq!(Extrapolated::of(lu_plus, bounds).lu_plus, *lu_plus);
    }

    /// Soundness on points: the coarsest of them lies in `a_LU(zone)`.
    pub fn check_sound(&self, grid: &LuGrid, zone: &Dbm, simulators: &[Bits]) {
        let abstraction = grid.abstraction(&grid.inner.points_of(zone), simulators);
        assert!(grid.outer.points_of(&self.lu_plus).within(&abstraction), "{zone} became {}", self.lu_plus);
    }
}
