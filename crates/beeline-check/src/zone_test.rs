//! Zones of two clocks against the points of a grid. Between neighbouring points of the grid nothing changes that
//! integer bounds could see, and steps of half the grid find a point in every open interval between two of them.

use beeline_ir::ClockId;
use beeline_ir::expr::ClockOp;
use beeline_ir::trace::Time;

use crate::clock::{ClockSet, Constraint, Terms};
use crate::line::Line;
use crate::zone::Zone;

const OPS: [ClockOp; 5] = [ClockOp::Lt, ClockOp::Le, ClockOp::Eq, ClockOp::Ge, ClockOp::Gt];

/// A point, in sixths.
type Point = [i64; 2];

fn meets(point: Point, constraint: &Constraint) -> bool {
    let clocks = point.map(|sixths| Time::new(sixths, 6));
    Line::at(&clocks, &Time::from_integer(0)).meet(constraint).is_some()
}
fn holds(zone: Option<&Zone>, point: Point) -> bool {
    zone.is_some_and(|zone| zone.constraints().iter().all(|c| meets(point, c)))
}

/// The points at thirds from 0 to 5.
fn grid() -> impl Iterator<Item = Point> {
    (0..=15).flat_map(|x| (0..=15).map(move |y| [2 * x, 2 * y]))
}

fn constraint(number: usize) -> Constraint {
    let clock = |n: usize| (n > 0).then(|| ClockId::new(n - 1));
    let (left, right) = [(1, 0), (2, 0), (1, 2), (2, 1), (0, 1), (0, 2)][number % 6];
    let bound = (number / 6 % 7) as i64 - 3;
    Constraint { left: clock(left), right: clock(right), op: OPS[number / 42 % 5], bound }
}

#[test]
fn meeting_delay_and_assignment_agree_with_points() {
    let (x, y) = (ClockId::new(0), ClockId::new(1));
    let mut assignments = vec![Terms::unchanged(2); 4];
    assignments[0].set(x, 2);
    assignments[1].copy(x, y);
    assignments[2].copy(y, x);
    assignments[2].set(x, 0);
    assignments[3].set(y, 1);
    let (mut seed, mut empty) = (1_usize, 0);
    for _ in 0..400 {
        let mut zone = Some(Zone::all(2));
        let mut constraints = Vec::new();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let constraint = constraint(seed >> 33);
            zone = zone.and_then(|zone| zone.meet(&constraint));
            constraints.push(constraint);
        }
        for point in grid() {
            let expected = constraints.iter().all(|c| meets(point, c));
            assert_eq!(holds(zone.as_ref(), point), expected, "{constraints:?} {point:?}");
        }
        let Some(zone) = zone else {
            empty += 1;
            continue;
        };
        for [a, b] in grid() {
            let before = (0..=a.min(b)).any(|d| holds(Some(&zone), [a - d, b - d]));
            assert_eq!(holds(Some(&zone.up()), [a, b]), before, "up {constraints:?} {a} {b}");
            let after = (0..=60).any(|d| holds(Some(&zone), [a + d, b + d]));
            assert_eq!(holds(Some(&zone.down()), [a, b]), after, "down {constraints:?} {a} {b}");
            let from = |point: &dyn Fn(i64) -> Point| (0..=60).any(|n| holds(Some(&zone), point(n)));
            let images = [
                a == 12 && from(&|n| [n, b]),
                a == b && from(&|n| [n, b]),
                a == 0 && from(&|n| [b, n]),
                b == 6 && from(&|n| [a, n]),
            ];
            for (terms, image) in assignments.iter().zip(images) {
                assert_eq!(
                    holds(Some(&zone.after(terms)), [a, b]),
                    image,
                    "{terms:?} {constraints:?} {a} {b}"
                );
            }
        }
    }
    assert!((50..350).contains(&empty), "{empty} of the zones are empty");
}
