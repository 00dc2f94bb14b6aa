//! Every operation against its definition on points. Each function panics at the first difference, so that
//! the tests can run it over many zones, and the fault tests can see whether it notices.

use super::{Bits, Grid, plainly_canonical};
use beeline_zones::ops::ZoneRelation;
use beeline_zones::{Bound, Constraint, Dbm, Federation, from_constraints, minimal, subtract};

fn assert_points(grid: &Grid, what: &str, from: &Dbm, result: &Dbm, expected: &Bits) {
    assert!(
        plainly_canonical(grid.dim, |i, j| result.get(i, j)),
        "{what} of {from}: {result:?} not canonical"
    );
    assert!(&grid.points_of(result) == expected, "{what} of {from} gives {result}");
}

/// Delay, past, reset, free and copy.
pub fn unary(grid: &Grid, zone: &Dbm) {
    let after = |change: &dyn Fn(&mut Dbm)| {
        let mut result = zone.clone();
        change(&mut result);
        result
    };
    let expected = grid.set(|p| grid.for_some_delay(zone, p, -1));
    assert_points(grid, "up", zone, &after(&|z| z.up()), &expected);
    let expected = grid.set(|p| grid.for_some_delay(zone, p, 1));
    assert_points(grid, "down", zone, &after(&|z| z.down()), &expected);
    for x in 1..grid.dim {
        let freed = grid.set(|p| grid.for_some_value(zone, p, x));
        assert_points(grid, "free", zone, &after(&|z| z.free(x)), &freed);
        for value in 0..=2 {
            let expected = freed.and(&grid.set(|p| p[x] == value * grid.unit));
            assert_points(grid, "reset", zone, &after(&|z| z.reset(x, value)), &expected);
        }
        for y in 1..grid.dim {
            let expected = if x == y { grid.points_of(zone) } else { freed.and(&grid.set(|p| p[x] == p[y])) };
            assert_points(grid, "copy", zone, &after(&|z| z.copy(x, y)), &expected);
        }
    }
}

/// Intersection with every single constraint of the list, and the question whether it would be empty.
pub fn constrain(grid: &Grid, zone: &Dbm, bounds: &[Bound]) {
    let points = grid.points_of(zone);
    for i in 0..grid.dim {
        for j in (0..grid.dim).filter(|&j| j != i) {
            for &bound in bounds {
                let expected = points.and(&grid.set(|p| grid.meets(p, i, j, bound)));
                let mut result = zone.clone();
                let nonempty = result.constrain(i, j, bound);
                assert_eq!(nonempty, !expected.is_empty(), "{zone} and x{i}-x{j}{bound}");
                assert_eq!(nonempty, zone.satisfies(i, j, bound), "{zone} and x{i}-x{j}{bound}");
                assert_eq!(nonempty, !result.is_empty());
                if nonempty {
                    assert_points(grid, "constrain", zone, &result, &expected);
                }
            }
        }
    }
}

/// Intersection and comparison of two zones, with their points at hand.
pub fn binary(grid: &Grid, (a, a_points): (&Dbm, &Bits), (b, b_points): (&Dbm, &Bits)) {
    let common = a_points.and(b_points);
    let mut both = a.clone();
    let nonempty = both.intersect(b);
    assert_eq!(nonempty, !common.is_empty(), "{a} and {b}");
    assert_eq!(nonempty, !both.is_empty());
    assert_eq!(nonempty, a.intersects(b), "{a} and {b}");
    if nonempty {
        assert_points(grid, "intersect", a, &both, &common);
    }
    let (sub, sup) = (a_points.within(b_points), b_points.within(a_points));
    assert_eq!(a.includes(b), sup, "{a} includes {b}");
    let expected = match (sub, sup) {
        (true, true) => ZoneRelation::Equal,
        (true, false) => ZoneRelation::Subset,
        (false, true) => ZoneRelation::Superset,
        (false, false) => ZoneRelation::Incomparable,
    };
    assert_eq!(a.relation(b), expected, "{a} and {b}");
    assert_eq!(a == b, sub && sup);
}

/// The difference of two zones: exact, in disjoint pieces.
pub fn difference(grid: &Grid, (a, a_points): (&Dbm, &Bits), (b, b_points): (&Dbm, &Bits)) {
    let pieces = subtract(a, b);
    let mut union = a_points.without(a_points);
    for piece in &pieces {
        assert!(plainly_canonical(grid.dim, |i, j| piece.get(i, j)));
        let points = grid.points_of(piece);
        assert!(!points.is_empty() && !points.meets(&union), "pieces of {a} minus {b} overlap");
        union = union.or(&points);
    }
    assert!(union == a_points.without(b_points), "{a} minus {b} gives {pieces:?}");
    // Inclusion in a union, exactly: the pieces and the common part make the zone again.
    let mut federation = Federation::new(grid.dim);
    pieces.into_iter().for_each(|piece| {
        federation.add(piece);
    });
    assert_eq!(federation.includes(a), !a_points.meets(b_points), "pieces of {a} minus {b}");
    federation.add(b.clone());
    assert!(federation.includes(a), "{a} minus {b} plus {b}");
    assert!(federation.subtract(b).subtract(a).is_empty());
}

/// Minimal form: reads back equal, and no constraint can be left out.
pub fn minimal_form(zone: &Dbm) {
    let constraints = minimal(zone);
    assert_eq!(from_constraints(zone.dim(), &constraints).as_ref(), Some(zone), "{constraints:?}");
    for leave_out in 0..constraints.len() {
        let mut fewer: Vec<Constraint> = constraints.clone();
        fewer.remove(leave_out);
        assert_ne!(
            from_constraints(zone.dim(), &fewer).as_ref(),
            Some(zone),
            "{constraints:?} at {leave_out}"
        );
    }
}

/// Minimal form is of least size: no smaller set of constraints describes the zone. A constraint of such a
/// set could be tightened to the zone's own bound, so the sets of own bounds are all there is to try.
pub fn fewest(zone: &Dbm) {
    let dim = zone.dim();
    let own: Vec<Constraint> = (0..dim * dim)
        .map(|c| Constraint::new(c / dim, c % dim, zone.get(c / dim, c % dim)))
        .filter(|c| c.left != c.right && !c.bound.is_infinite())
        .collect();
    let least = minimal(zone).len();
    for set in (0_u32..1 << own.len()).filter(|set| set.count_ones() as usize + 1 == least) {
        let chosen: Vec<Constraint> =
            own.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, c)| *c).collect();
        assert_ne!(
            from_constraints(dim, &chosen).as_ref(),
            Some(zone),
            "{chosen:?}, not {:?}",
            minimal(zone)
        );
    }
}
