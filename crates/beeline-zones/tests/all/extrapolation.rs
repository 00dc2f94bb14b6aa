//! Extrapolation and the LU-simulation test, on all zones of one or two clocks, against the definition on
//! points.

use crate::common;

use beeline_zones::{Bound, ClockBound, Constraint, Dbm, LuBounds, from_constraints};
use common::all_zones;
use common::lu::{Extrapolated, LuGrid, lu_bounds};

const FEW: [Option<i32>; 4] = [None, Some(0), Some(1), Some(2)];

/// Every pair `(L, U)` of the given values.
fn pairs(values: &[Option<i32>]) -> Vec<(Option<i32>, Option<i32>)> {
    values.iter().flat_map(|&l| values.iter().map(move |&u| (l, u))).collect()
}

/// All that is claimed of extrapolation and simulation, for all the zones and one choice of bounds.
fn check_all(grid: &LuGrid, zones: &[Dbm], bounds: &LuBounds) {
    let simulators = grid.simulators(bounds);
    let outer: Vec<_> = zones.iter().map(|zone| grid.outer.points_of(zone)).collect();
    for other in zones {
        let abstraction = grid.abstraction(&grid.inner.points_of(other), &simulators);
        for (zone, points) in zones.iter().zip(&outer) {
            assert_eq!(
                zone.simulated_by(other, bounds),
                points.within(&abstraction),
                "{zone} {other} {bounds:?}"
            );
        }
        let extrapolated = Extrapolated::of(other, bounds);
        extrapolated.check(other, bounds);
        let coarsest = &extrapolated.lu_plus;
        assert!(
            grid.outer.points_of(coarsest).within(&abstraction),
            "{other} became {coarsest} by {bounds:?}"
        );
        // The same by the test, which sees points beyond the grid.
        assert!(coarsest.simulated_by(other, bounds), "{other} became {coarsest} by {bounds:?}");
    }
}

#[test]
fn one_clock() {
    let grid = LuGrid::new(2, 9);
    let zones = all_zones(2, 3);
    for pair in pairs(&[None, Some(0), Some(1), Some(2), Some(3), Some(4)]) {
        check_all(&grid, &zones, &lu_bounds(&[pair]));
    }
}

#[test]
fn two_clocks_with_constants_up_to_1() {
    let grid = LuGrid::new(3, 6);
    let zones = all_zones(3, 1);
    for x in pairs(&FEW[..3]) {
        for y in pairs(&FEW[..3]) {
            check_all(&grid, &zones, &lu_bounds(&[x, y]));
        }
    }
}

#[test]
fn two_clocks_with_constants_up_to_2() {
    let grid = LuGrid::new(3, 8);
    let zones = all_zones(3, 2);
    for (x, y) in [
        ((Some(1), Some(1)), (Some(1), Some(1))),
        ((Some(0), Some(2)), (Some(2), Some(1))),
        ((Some(1), None), (Some(0), Some(1))),
    ] {
        check_all(&grid, &zones, &lu_bounds(&[x, y]));
    }
}

/// Larger sets of bounds than points can follow: the relations that need none.
#[test]
fn relations_between_the_operators() {
    let zones = all_zones(3, 2);
    for x in pairs(&FEW) {
        for y in pairs(&FEW) {
            let bounds = lu_bounds(&[x, y]);
            for zone in &zones {
                let extrapolated = Extrapolated::of(zone, &bounds);
                extrapolated.check(zone, &bounds);
                assert!(extrapolated.lu_plus.simulated_by(zone, &bounds));
            }
        }
    }
}

/// The operators as printed in the paper, case by case, with a full closure after.
fn printed(zone: &Dbm, lower: &[ClockBound], upper: &[ClockBound], plus: bool) -> Dbm {
    let dim = zone.dim();
    // A number below all others stands for minus infinity.
    let value = |bound: ClockBound| bound.get().unwrap_or(-1_000_000);
    let constant = |i: usize, j: usize| zone.get(i, j).constant().unwrap_or(1_000_000);
    let lowest = |j: usize| upper[j].get().map_or(Bound::INFINITY, |u| Bound::lt(-u));
    let entry = |i: usize, j: usize| match plus {
        _ if i == j => Bound::ZERO_LE,
        _ if constant(i, j) > value(lower[i]) => Bound::INFINITY,
        true if -constant(0, i) > value(lower[i]) => Bound::INFINITY,
        true if -constant(0, j) > value(upper[j]) && i != 0 => Bound::INFINITY,
        true if -constant(0, j) > value(upper[j]) => lowest(j),
        false if -constant(i, j) > value(upper[j]) => lowest(j),
        _ => zone.get(i, j),
    };
    let matrix: Vec<Bound> = (0..dim * dim).map(|c| entry(c / dim, c % dim)).collect();
    Dbm::from_matrix(dim, &matrix).expect("extrapolation only adds valuations")
}

#[test]
fn the_operators_are_those_of_the_paper() {
    let zones = all_zones(3, 2);
    for x in pairs(&FEW) {
        for y in pairs(&FEW) {
            let bounds = lu_bounds(&[x, y]);
            let (l, u, m) = (bounds.lower(), bounds.upper(), &bounds.maximal());
            for zone in &zones {
                let ours = Extrapolated::of(zone, &bounds);
                assert_eq!(ours.m, printed(zone, m, m, false), "Extra_M of {zone} by {bounds:?}");
                assert_eq!(ours.m_plus, printed(zone, m, m, true), "Extra_M+ of {zone} by {bounds:?}");
                assert_eq!(ours.lu, printed(zone, l, u, false), "Extra_LU of {zone} by {bounds:?}");
                assert_eq!(ours.lu_plus, printed(zone, l, u, true), "Extra_LU+ of {zone} by {bounds:?}");
            }
        }
    }
}

/// `Extra_M` and `Extra_LU` keep inclusion.
#[test]
fn the_plain_operators_are_monotone() {
    let zones = all_zones(3, 1);
    for x in pairs(&FEW[..3]) {
        for y in pairs(&FEW[..3]) {
            let bounds = lu_bounds(&[x, y]);
            let results: Vec<_> = zones.iter().map(|zone| Extrapolated::of(zone, &bounds)).collect();
            for (a, a_result) in zones.iter().zip(&results) {
                for (b, b_result) in zones.iter().zip(&results) {
                    if b.includes(a) {
                        assert!(b_result.m.includes(&a_result.m), "{a} in {b} by {bounds:?}");
                        assert!(b_result.lu.includes(&a_result.lu), "{a} in {b} by {bounds:?}");
                    }
                }
            }
        }
    }
}

fn point(x: i32, y: i32) -> Dbm {
    let mut zone = Dbm::zero(3);
    zone.reset(1, x);
    zone.reset(2, y);
    zone
}

/// `Extra_M+` does not keep inclusion; the simulation test makes up for it.
#[test]
fn the_plus_operators_are_not_monotone() {
    let small = point(10, 7);
    let difference = [Constraint::new(1, 2, Bound::le(3)), Constraint::new(2, 1, Bound::le(-3))];
    let large = from_constraints(3, &difference).unwrap();
    assert!(large.includes(&small));
    let bounds = lu_bounds(&[(Some(5), Some(5)), (Some(8), Some(8))]);
    let (small, large) = (Extrapolated::of(&small, &bounds), Extrapolated::of(&large, &bounds));
    assert!(large.m.includes(&small.m));
    assert!(!large.m_plus.includes(&small.m_plus));
    assert!(small.m_plus.simulated_by(&large.m_plus, &bounds));
}

#[test]
fn lower_bounds_become_strict_and_unbounded_clocks_free() {
    let names = ["x", "y"];
    let by = |x, y| Extrapolated::of(&point(10, 7), &lu_bounds(&[x, y])).lu_plus.text(&names);
    assert_eq!(by((Some(5), Some(5)), (Some(5), Some(5))), "x>5 && y>5");
    assert_eq!(by((Some(9), Some(9)), (Some(8), Some(8))), "y==7 && x>9");
    assert_eq!(by((Some(10), Some(10)), (None, None)), "x==10");
    assert_eq!(by((None, None), (None, None)), "true");
    assert_eq!(by((Some(10), None), (Some(7), None)), "x<=10 && y<=7");
    assert_eq!(by((None, Some(10)), (None, Some(7))), "x>=10 && y>=7");
    // With bound 0 it still matters whether a clock is above 0; without bound it does not.
    assert_eq!(by((Some(0), Some(0)), (None, Some(0))), "x>0 && y>0");
}

/// Bounds as large as they may be do not overflow on the way.
#[test]
fn large_bounds() {
    let c = beeline_zones::max_constant(3);
    let bounds = lu_bounds(&[(Some(c), Some(c)), (Some(c), Some(c))]);
    let zone = point(c, c);
    assert_eq!(Extrapolated::of(&zone, &bounds).lu_plus, zone);
    assert!(zone.simulated_by(&zone, &bounds));
}
