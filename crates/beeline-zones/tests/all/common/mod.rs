//! The obvious model that zones are tested against: sets of points on a rational grid.
//!
//! # Which grid is fine enough
//!
//! With `n` clocks and integer constants, which constraints a point meets depends on the integer parts of its
//! coordinates and on the order of their fractional parts (Alur and Dill's regions, without a largest
//! constant). `n` fractional parts need at most `n` distinct nonzero values, so points with denominator `n +
//! 1` represent every region: a nonempty set built by Boolean operations from integer constraints has a point
//! on that grid. Halves are *not* enough for two clocks: `0 < y < x < 1` has no such point.
//!
//! An operation with an existential quantifier over one number (how long the delay, what value before the
//! reset) asks for a number in an interval whose ends are differences of grid points and integers; doubling
//! the denominator puts a point into every open interval of that kind. So outer points are the even multiples
//! of `1 / 2(n + 1)`, and quantified numbers all multiples.
//!
//! # How far the grid must reach
//!
//! The least point of a nonempty set of constraints with constants up to `k` has coordinates below `n * k +
//! 1`.

#![allow(dead_code)] // Each test file uses its own part.

pub mod checks;
pub mod lu;

use beeline_zones::{Bound, Dbm};

/// All points of the grid for a dimension, coordinates in units of `1 / unit`; entry 0 is the reference
/// clock.
pub struct Grid {
    pub dim: usize,
    pub unit: i32,
    pub reach: i32,
    pub points: Vec<Vec<i32>>,
}

impl Grid {
    /// The representative points with coordinates up to `reach`, in units of `1 / 2(n + 1)`.
    pub fn new(dim: usize, reach: i32) -> Grid {
        Grid::with_step(dim, reach, 2 * dim as i32, 2)
    }

    /// All multiples of `step / unit` up to `reach` in each coordinate.
    pub fn with_step(dim: usize, reach: i32, unit: i32, step: usize) -> Grid {
        let mut points = vec![vec![0]];
        for _ in 1..dim {
            let longer = |p: &Vec<i32>| {
                let p = p.clone();
                (0..=reach * unit)
                    .step_by(step)
                    .map(move |c| [p.as_slice(), &[c]].concat())
                    .collect::<Vec<_>>()
            };
            points = points.iter().flat_map(longer).collect();
        }
        Grid { dim, unit, reach, points }
    }

    /// Whether a point meets `x_i - x_j ≺ bound`.
    pub fn meets(&self, point: &[i32], i: usize, j: usize, bound: Bound) -> bool {
        let difference = point[i] - point[j];
        match bound.constant() {
            None => true,
            Some(c) if bound.is_strict() => difference < c * self.unit,
            Some(c) => difference <= c * self.unit,
        }
    }

    /// Whether a point lies in a zone.
    pub fn holds(&self, zone: &Dbm, point: &[i32]) -> bool {
        (0..self.dim).all(|i| (0..self.dim).all(|j| self.meets(point, i, j, zone.get(i, j))))
            && point.iter().all(|&c| c >= 0)
    }

    /// The set of grid points with a property.
    pub fn set(&self, property: impl Fn(&[i32]) -> bool) -> Bits {
        let mut bits = Bits(vec![0; self.points.len().div_ceil(64)]);
        for (at, point) in self.points.iter().enumerate() {
            bits.0[at / 64] |= u64::from(property(point)) << (at % 64);
        }
        bits
    }

    /// The set of grid points of a zone.
    pub fn points_of(&self, zone: &Dbm) -> Bits {
        self.set(|point| self.holds(zone, point))
    }

    /// Whether some value of clock `x` puts the point into the zone.
    pub fn for_some_value(&self, zone: &Dbm, point: &[i32], x: usize) -> bool {
        let mut point = point.to_vec();
        (0..=2 * self.reach * self.unit).any(|value| {
            point[x] = value;
            self.holds(zone, &point)
        })
    }

    /// Whether some delay, forwards (1) or backwards (-1), takes the point into the zone.
    pub fn for_some_delay(&self, zone: &Dbm, point: &[i32], direction: i32) -> bool {
        (0..=self.reach * self.unit).any(|delay| {
            let moved: Vec<i32> = point
                .iter()
                .enumerate()
                .map(|(i, &c)| if i == 0 { 0 } else { c + direction * delay })
                .collect();
            self.holds(zone, &moved)
        })
    }
}

/// A set of grid points.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bits(pub Vec<u64>);

impl Bits {
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub fn within(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    pub fn and(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub fn or(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    pub fn without(&self, other: &Bits) -> Bits {
        Bits(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }
}

/// Every bound with constants from `low` to `high`.
pub fn bounds(low: i32, high: i32) -> Vec<Bound> {
    (low..=high).flat_map(|c| [Bound::lt(c), Bound::le(c)]).collect()
}

/// Canonical form written down once more, as plainly as possible: the triangle inequality, and nonemptiness.
pub fn plainly_canonical(dim: usize, get: impl Fn(usize, usize) -> Bound) -> bool {
    let as_pair = |b: Bound| b.constant().map(|c| (c, !b.is_strict()));
    let no_looser = |a: Bound, b: Bound| match (as_pair(a), as_pair(b)) {
        (_, None) => true,
        (None, _) => false,
        (Some(a), Some(b)) => a <= b,
    };
    let sum = |a: Bound, b: Bound| match (as_pair(a), as_pair(b)) {
        (Some((c, true)), Some((d, true))) => Bound::le(c + d),
        (Some((c, _)), Some((d, _))) => Bound::lt(c + d),
        _ => Bound::INFINITY,
    };
    (0..dim).all(|i| get(i, i) == Bound::ZERO_LE && no_looser(get(0, i), Bound::ZERO_LE))
        && (0..dim)
            .all(|i| (0..dim).all(|j| (0..dim).all(|k| no_looser(get(i, j), sum(get(i, k), get(k, j))))))
}

/// Every zone of the dimension whose canonical matrix has constants from `-k` to `k` only.
pub fn all_zones(dim: usize, k: i32) -> Vec<Dbm> {
    let cells: Vec<(usize, usize)> =
        (0..dim * dim).map(|c| (c / dim, c % dim)).filter(|(i, j)| i != j).collect();
    let mut zones = Vec::new();
    let mut matrix = vec![Bound::ZERO_LE; dim * dim];
    fill(dim, k, &cells, &mut matrix, &mut zones);
    zones
}

fn fill(dim: usize, k: i32, cells: &[(usize, usize)], matrix: &mut [Bound], zones: &mut Vec<Dbm>) {
    let Some((&(i, j), rest)) = cells.split_first() else {
        if plainly_canonical(dim, |i, j| matrix[i * dim + j]) {
            zones.push(Dbm::from_slice(dim, matrix));
        }
        return;
    };
    let mut choices = bounds(-k, k);
    choices.push(Bound::INFINITY);
    choices.retain(|&b| if i == 0 { b <= Bound::ZERO_LE } else { j != 0 || b >= Bound::ZERO_LE });
    for choice in choices {
        matrix[i * dim + j] = choice;
        fill(dim, k, rest, matrix, zones);
    }
}

/// A small seeded generator (Marsaglia's xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % limit as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A nonempty zone from a few random constraints with constants up to `k`.
    pub fn zone(&mut self, dim: usize, k: i32) -> Dbm {
        let choices = bounds(-k, k);
        loop {
            let mut matrix = vec![Bound::INFINITY; dim * dim];
            for _ in 0..self.below(3 * dim) {
                let (i, j) = (self.below(dim), self.below(dim));
                if i != j {
                    matrix[i * dim + j] = *self.pick(&choices);
                }
            }
            if let Some(zone) = Dbm::from_matrix(dim, &matrix) {
                return zone;
            }
        }
    }
}
