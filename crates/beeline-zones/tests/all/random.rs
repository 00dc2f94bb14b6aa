//! Random zones of three clocks, against points; the generator is seeded, so a failure repeats.

use crate::common;

use beeline_zones::{Bound, ClockBound, Constraint, Dbm, Federation, LuBounds, from_constraints};
use common::lu::{Extrapolated, below};
use common::{Grid, Random, bounds, checks};

const DIM: usize = 4;

#[test]
fn operations() {
    let grid = Grid::new(DIM, 4);
    let mut random = Random::new(1);
    for _ in 0..60 {
        let zone = random.zone(DIM, 1);
        checks::unary(&grid, &zone);
        checks::constrain(&grid, &zone, &bounds(-1, 1));
    }
}

#[test]
fn pairs() {
    let grid = Grid::new(DIM, 7);
    let mut random = Random::new(2);
    for _ in 0..400 {
        let (a, b) = (random.zone(DIM, 2), random.zone(DIM, 2));
        let (a_points, b_points) = (grid.points_of(&a), grid.points_of(&b));
        checks::binary(&grid, (&a, &a_points), (&b, &b_points));
        checks::difference(&grid, (&a, &a_points), (&b, &b_points));
    }
}

/// No points needed, so more clocks and larger constants.
#[test]
fn minimal_form_in_larger_dimensions() {
    let mut random = Random::new(3);
    for round in 0..6000 {
        let dim = 4 + round % 5;
        let mut zone = random.zone(dim, 6);
        // Resets and copies make clocks with fixed differences, the hard part of minimal form.
        for _ in 0..random.below(4) {
            let (x, y) = (1 + random.below(dim - 1), 1 + random.below(dim - 1));
            match random.below(3) {
                0 => zone.reset(x, random.below(3) as i32),
                1 => zone.copy(x, y),
                _ => zone.up(),
            }
        }
        checks::minimal_form(&zone);
        if dim == 4 && round < 1500 {
            checks::fewest(&zone);
        }
    }
}

/// Long random walks with extrapolation: every step is checked for canonical form by the crate itself, and
/// closing once more must change nothing.
#[test]
fn walks() {
    let mut random = Random::new(4);
    for round in 0..2000 {
        let dim = 2 + round % 8;
        let mut bounds = LuBounds::none(dim);
        for x in 1..dim {
            if random.below(4) > 0 {
                bounds.raise_lower(x, random.below(6) as i32);
            }
            if random.below(4) > 0 {
                bounds.raise_upper(x, random.below(6) as i32);
            }
        }
        let mut zone = Dbm::zero(dim);
        for _ in 0..60 {
            let x = 1 + random.below(dim - 1);
            let c = random.below(6) as i32;
            let mut next = zone.clone();
            next.up();
            let bound = if random.below(2) == 0 { Bound::le(c) } else { Bound::lt(c) };
            let (i, j, bound) = if random.below(2) == 0 { (x, 0, bound) } else { (0, x, bound.negated()) };
            if !next.constrain(i, j, bound) {
                assert!(next.is_empty());
                continue;
            }
            next.reset(x, random.below(2) as i32);
            match random.below(4) {
                0 => next.extra_m(&bounds.maximal()),
                1 => next.extra_m_plus(&bounds.maximal()),
                2 => next.extra_lu(&bounds),
                _ => {
                    let expected = extra_lu_plus_by_definition(&next, &bounds);
                    next.extra_lu_plus(&bounds);
                    assert_eq!(next, expected);
                }
            }
            let mut closed = next.clone();
            assert!(closed.close() && closed == next);
            assert_eq!(Dbm::from_matrix(dim, next.as_slice()), Some(next.clone()));
            zone = next;
        }
    }
}

/// Each entry raised as the paper says, then everything closed.
fn extra_lu_plus_by_definition(zone: &Dbm, bounds: &LuBounds) -> Dbm {
    let dim = zone.dim();
    let least = |i: usize| zone.get(0, i).constant().map_or(0, |c| -c);
    let above = |bound: ClockBound, value: i32| bound.get().is_none_or(|c| value > c);
    let mut matrix = zone.as_slice().to_vec();
    for i in 0..dim {
        for j in (0..dim).filter(|j| *j != i) {
            let (lower, upper) = (bounds.lower()[i], bounds.upper()[j]);
            let beyond = zone.get(i, j).constant().is_none_or(|c| above(lower, c));
            let entry = &mut matrix[i * dim + j];
            if i > 0 && (beyond || above(lower, least(i)) || above(upper, least(j))) {
                *entry = Bound::INFINITY;
            } else if i == 0 && above(upper, least(j)) {
                *entry = upper.get().map_or(Bound::ZERO_LE, |c| Bound::lt(-c));
            }
        }
    }
    Dbm::from_matrix(dim, &matrix).expect("extrapolation only adds valuations")
}

#[test]
fn time_passes_within_limits() {
    let mut random = Random::new(9);
    let mut changed = 0;
    for round in 0..20_000 {
        let dim = 2 + round % 6;
        let mut zone = Dbm::universal(dim);
        for _ in 0..2 * dim {
            let (i, j) = (random.below(dim), random.below(dim));
            let mut next = zone.clone();
            if i != j && next.constrain(i, j, Bound::le(random.below(9) as i32 - 3)) {
                zone = next;
            }
        }
        let choices = [None, Some(Bound::le(4)), Some(Bound::lt(5))];
        let limits: Vec<(usize, Bound)> =
            (1..dim).filter_map(|x| Some((x, choices[random.below(3)]?))).collect();
        if !limits.iter().all(|(x, limit)| zone.constrain(*x, 0, *limit)) {
            continue;
        }
        let mut expected = zone.clone();
        expected.up();
        assert!(limits.iter().all(|(x, limit)| expected.constrain(*x, 0, *limit)));
        changed += usize::from(expected != zone);
        zone.up_within(limits.iter().copied());
        assert_eq!(zone, expected);
    }
    assert!(changed > 5000, "{changed}");
}

/// The box of valuations that simulate `v` (see `common::lu`), as a zone whose constants are in units of the
/// grid.
fn simulators(v: &[i32], unit: i32, bounds: &LuBounds) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for (x, &value) in v.iter().enumerate().skip(1) {
        let above = |bound: ClockBound| bound.get().is_none_or(|c| value > c * unit);
        if !above(bounds.upper()[x]) {
            constraints.push(Constraint::new(x, 0, Bound::le(value)));
        }
        match bounds.lower()[x].get() {
            Some(c) if above(bounds.lower()[x]) => {
                constraints.push(Constraint::new(0, x, Bound::lt(-c * unit)))
            }
            Some(_) => constraints.push(Constraint::new(0, x, Bound::le(-value))),
            None => {}
        }
    }
    constraints
}

fn scaled(zone: &Dbm, unit: i32) -> Dbm {
    let scale = |b: &Bound| match b.constant() {
        None => Bound::INFINITY,
        Some(c) if b.is_strict() => Bound::lt(c * unit),
        Some(c) => Bound::le(c * unit),
    };
    let matrix: Vec<Bound> = zone.as_slice().iter().map(scale).collect();
    Dbm::from_matrix(zone.dim(), &matrix).expect("scaling keeps a zone nonempty")
}

/// With three clocks a grid for the simulating point would be too large; the box it lies in does the same.
#[test]
fn simulation() {
    // A denominator of 4 represents all regions of three clocks; no quantifier is left for the grid.
    let grid = Grid::with_step(DIM, 6, 4, 1);
    let mut random = Random::new(5);
    let (mut simulated, mut not) = (0, 0);
    for _ in 0..250 {
        let (zone, other) = (random.zone(DIM, 2), random.zone(DIM, 2));
        let mut bounds = LuBounds::none(DIM);
        for x in 1..DIM {
            if random.below(4) > 0 {
                bounds.raise_lower(x, random.below(3) as i32);
            }
            if random.below(4) > 0 {
                bounds.raise_upper(x, random.below(3) as i32);
            }
        }
        let large = scaled(&other, grid.unit);
        let is_simulated = |v: &[i32]| large.clone().constrain_all(&simulators(v, grid.unit, &bounds));
        let expected = grid.points.iter().filter(|v| grid.holds(&zone, v)).all(|v| is_simulated(v));
        assert_eq!(zone.simulated_by(&other, &bounds), expected, "{zone} by {other} with {bounds:?}");
        if expected {
            simulated += 1
        } else {
            not += 1
        }

        let extrapolated = Extrapolated::of(&other, &bounds);
        extrapolated.check(&other, &bounds);
        assert!(extrapolated.lu_plus.simulated_by(&other, &bounds));
        let added = grid.points.iter().filter(|v| grid.holds(&extrapolated.lu_plus, v));
        assert!(added.step_by(7).all(|v| is_simulated(v)), "{other} became {}", extrapolated.lu_plus);
    }
    assert!(simulated > 20 && not > 20, "{simulated} simulated, {not} not");
}

/// The box used above is the definition.
#[test]
fn simulating_box_is_the_definition() {
    let grid = Grid::with_step(3, 3, 3, 1);
    let mut random = Random::new(6);
    for _ in 0..20 {
        let mut bounds = LuBounds::none(3);
        for x in 1..3 {
            if random.below(3) > 0 {
                bounds.raise_lower(x, random.below(3) as i32);
            }
            if random.below(3) > 0 {
                bounds.raise_upper(x, random.below(3) as i32);
            }
        }
        for v in &grid.points {
            let zone = from_constraints(3, &simulators(v, grid.unit, &bounds)).unwrap();
            let unscaled = Grid::with_step(3, 9, 1, 1);
            for w in &unscaled.points {
                assert_eq!(
                    unscaled.holds(&zone, w),
                    below(v, w, grid.unit, &bounds),
                    "{v:?} {w:?} {bounds:?}"
                );
            }
        }
    }
}

/// Unions of several zones: the set operations against points.
#[test]
fn federations() {
    let grid = Grid::new(3, 5);
    let mut random = Random::new(7);
    for _ in 0..600 {
        let (mut a, mut b) = (Federation::new(3), Federation::new(3));
        for _ in 0..1 + random.below(4) {
            a.add(random.zone(3, 2));
            b.add(random.zone(3, 2));
        }
        let points = |f: &Federation| grid.set(|p| f.zones().iter().any(|zone| grid.holds(zone, p)));
        let (a_points, b_points) = (points(&a), points(&b));
        assert!(points(&a.intersect_all(&b)) == a_points.and(&b_points));
        let difference = a.subtract_all(&b);
        assert!(points(&difference) == a_points.without(&b_points));
        assert_eq!(difference.is_empty(), a_points.within(&b_points));
        assert_eq!(b.includes_all(&a), a_points.within(&b_points));
        let mut union = a.clone();
        union.union(&b);
        assert!(points(&union) == a_points.or(&b_points));
        assert!(union.includes_all(&a) && union.includes_all(&b) && union.dim() == 3);
        for zone in b.zones() {
            assert_eq!(a.includes(zone), grid.points_of(zone).within(&a_points));
        }
        let (mut up, mut down) = (a.clone(), a.clone());
        up.up();
        down.down();
        assert!(points(&up) == grid.set(|p| a.zones().iter().any(|z| grid.for_some_delay(z, p, -1))));
        assert!(points(&down) == grid.set(|p| a.zones().iter().any(|z| grid.for_some_delay(z, p, 1))));
        assert!(
            union.zones().iter().all(|z| union.zones().iter().filter(|other| other.includes(z)).count() == 1)
        );
    }
}
