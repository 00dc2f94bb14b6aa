//! Every operation on every zone of one or two clocks with small constants, against sets of points.

use crate::common;

use std::collections::HashSet;

use beeline_zones::{Bound, Dbm};
use common::{Bits, Grid, all_zones, bounds, checks};

fn with_points(grid: &Grid, zones: Vec<Dbm>) -> Vec<(Dbm, Bits)> {
    zones.into_iter().map(|zone| (zone.clone(), grid.points_of(&zone))).collect()
}

/// The model itself: zones with different matrices have different points, so the grid tells all zones apart.
#[test]
fn the_grid_tells_zones_apart() {
    for (dim, k, count) in [(2, 3, 36), (3, 1, 421), (3, 2, 2678)] {
        let grid = Grid::new(dim, (dim as i32 - 1) * k + 1);
        let zones = all_zones(dim, k);
        let sets: HashSet<Bits> = zones.iter().map(|zone| grid.points_of(zone)).collect();
        assert_eq!((zones.len(), sets.len()), (count, count));
        assert!(sets.iter().all(|set| !set.is_empty()));
    }
}

#[test]
fn unary_operations_on_all_zones() {
    for (dim, k) in [(2, 3), (3, 2)] {
        let grid = Grid::new(dim, (dim as i32 - 1) * k + 1);
        all_zones(dim, k).iter().for_each(|zone| checks::unary(&grid, zone));
    }
}

#[test]
fn constrain_on_all_zones() {
    for (dim, k) in [(2, 3), (3, 2)] {
        let grid = Grid::new(dim, (dim as i32 - 1) * (k + 1) + 1);
        let mut bounds = bounds(-k - 1, k + 1);
        bounds.push(Bound::INFINITY);
        all_zones(dim, k).iter().for_each(|zone| checks::constrain(&grid, zone, &bounds));
    }
}

#[test]
fn binary_operations_on_all_pairs() {
    for (dim, k) in [(2, 3), (3, 1)] {
        let grid = Grid::new(dim, (dim as i32 - 1) * k + 1);
        let zones = with_points(&grid, all_zones(dim, k));
        for (a, a_points) in &zones {
            for (b, b_points) in &zones {
                checks::binary(&grid, (a, a_points), (b, b_points));
                checks::difference(&grid, (a, a_points), (b, b_points));
            }
        }
    }
}

/// Too many pairs to compute every intersection and difference on points; comparing is cheap, the rest is
/// sampled.
#[test]
fn comparisons_of_all_pairs_with_larger_constants() {
    let grid = Grid::new(3, 5);
    let zones = with_points(&grid, all_zones(3, 2));
    for (at, (a, a_points)) in zones.iter().enumerate() {
        for (other, (b, b_points)) in zones.iter().enumerate() {
            assert_eq!(a.includes(b), b_points.within(a_points), "{a} includes {b}");
            assert_eq!(a.intersects(b), a_points.meets(b_points), "{a} meets {b}");
            if (31 * at + other) % 199 == 0 {
                checks::binary(&grid, (a, a_points), (b, b_points));
                checks::difference(&grid, (a, a_points), (b, b_points));
            }
        }
    }
}

#[test]
fn minimal_form_of_all_zones() {
    for (dim, k) in [(2, 3), (3, 2)] {
        for zone in all_zones(dim, k) {
            checks::minimal_form(&zone);
            checks::fewest(&zone);
        }
    }
}

/// Closing any matrix, canonical or not, gives the zone of its constraints, or finds that there is none.
#[test]
fn closing_all_matrices_of_two_clocks() {
    let dim = 3;
    let grid = Grid::new(dim, 3);
    let choices = [Bound::lt(-1), Bound::le(-1), Bound::lt(0), Bound::le(0), Bound::lt(1), Bound::INFINITY];
    let mut empty = 0;
    for code in 0..choices.len().pow(6) {
        let digit = |at: u32| choices[code / choices.len().pow(at) % choices.len()];
        let (z, d) = (Bound::ZERO_LE, digit);
        let matrix = [z, d(0), d(1), d(2), z, d(3), d(4), d(5), z];
        let expected = grid.set(|p| (0..9).all(|c| grid.meets(p, c / 3, c % 3, matrix[c])));
        match Dbm::from_matrix(dim, &matrix) {
            Some(zone) => assert!(grid.points_of(&zone) == expected, "{matrix:?} gives {zone:?}"),
            None => {
                assert!(expected.is_empty(), "{matrix:?}");
                empty += 1;
            }
        }
    }
    assert!(empty > 1000);
}
