//! Zones: convex sets of clock values, as a table of bounds on differences. Written to be checked by eye: after every
//! change the table is closed from scratch (Floyd and Warshall). Bounds are far below 2^63: constraints of a row are
//! limited when it is read, constants of the model to 2^31, and a sum has fewer than 2^20 of them.

use beeline_ir::ClockId;
use beeline_ir::expr::ClockOp;

use crate::clock::{ClockSet, Constraint, Term, Terms};

/// An upper bound on a difference; `None` is no bound. The order is that of tightness: `< 3` before `<= 3`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Bound {
    value: i64,
    inclusive: bool,
}

const ZERO: Bound = Bound { value: 0, inclusive: true };

impl Bound {
    fn plus(self, other: Bound) -> Bound {
        Bound { value: self.value + other.value, inclusive: self.inclusive && other.inclusive }
    }
}

/// A non-empty zone over clocks that are at least 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Zone {
    /// Number of clocks, and one for the constant 0, which comes first.
    size: usize,
    /// Bound on row minus column, closed: every bound is as tight as the others imply.
    bounds: Vec<Option<Bound>>,
}

/// The row and column of a clock.
fn place(clock: Option<ClockId>) -> usize {
    clock.map_or(0, |clock| clock.index() + 1)
}

impl Zone {
    /// All clock values.
    pub fn all(clocks: usize) -> Self {
        let size = clocks + 1;
        let mut zone = Self { size, bounds: vec![None; size * size] };
        for x in 0..size {
            zone.bounds[x] = Some(ZERO);
            zone.bounds[x * size + x] = Some(ZERO);
        }
        zone
    }
    /// Every clock is 0.
    pub fn zero(clocks: usize) -> Self {
        let size = clocks + 1;
        Self { size, bounds: vec![Some(ZERO); size * size] }
    }
    fn bound(&self, x: usize, y: usize) -> Option<Bound> {
        self.bounds[x * self.size + y]
    }
    /// Adds `x - y` within a bound.
    fn tighten(&mut self, x: usize, y: usize, bound: Bound) {
        let here = &mut self.bounds[x * self.size + y];
        if here.is_none_or(|old| bound < old) {
            *here = Some(bound);
        }
    }
    /// Makes every bound as tight as the others imply; `None` if the zone is empty.
    fn closed(mut self) -> Option<Self> {
        for via in 0..self.size {
            for x in 0..self.size {
                for y in 0..self.size {
                    if let (Some(first), Some(second)) = (self.bound(x, via), self.bound(via, y)) {
                        self.tighten(x, y, first.plus(second));
                    }
                }
            }
            // With a contradiction found, going on would only let the bounds grow without end.
            if (0..self.size).any(|x| self.bound(x, x) != Some(ZERO)) {
                return None;
            }
        }
        Some(self)
    }
    /// Whether all of the zone meets a constraint `left - right < bound` or `<= bound`.
    pub fn within(&self, constraint: &Constraint) -> bool {
        bounds_of(constraint).iter().all(|(x, y, limit)| self.bound(*x, *y).is_some_and(|b| b <= *limit))
    }
    /// What delay makes of it.
    pub fn up(&self) -> Self {
        let mut zone = self.clone();
        for x in 1..self.size {
            zone.bounds[x * self.size] = None;
        }
        zone
    }
    /// From where delay leads into it.
    pub fn down(&self) -> Self {
        let mut zone = self.clone();
        for x in 1..self.size {
            zone.bounds[x] = Some(ZERO);
        }
        // Lower bounds were only loosened, so closing cannot find the zone empty.
        zone.closed().unwrap_or_else(|| self.clone())
    }
    /// What assignments make of it: the bounds between the sources of two clocks, moved by the constants.
    pub fn after(&self, terms: &Terms) -> Self {
        let source = |term: &Term| match term {
            Term::Source(clock) => (place(Some(*clock)), 0),
            Term::Const(value) => (0, *value),
        };
        let mut sources = vec![(0, 0)];
        sources.extend(terms.iter().map(source));
        let mut zone = self.clone();
        for (x, (from_x, plus_x)) in sources.iter().enumerate() {
            for (y, (from_y, plus_y)) in sources.iter().enumerate() {
                let shift = Bound { value: plus_x - plus_y, inclusive: true };
                zone.bounds[x * self.size + y] = self.bound(*from_x, *from_y).map(|b| b.plus(shift));
            }
        }
        zone
    }
    /// Constraints that together describe it.
    pub fn constraints(&self) -> Vec<Constraint> {
        let clock = |x: usize| (x > 0).then(|| ClockId::new(x - 1));
        let mut all = Vec::new();
        for x in 0..self.size {
            for y in 0..self.size {
                if let Some(Bound { value, inclusive }) = self.bound(x, y)
                    && x != y
                {
                    let op = if inclusive { ClockOp::Le } else { ClockOp::Lt };
                    all.push(Constraint { left: clock(x), right: clock(y), op, bound: value });
                }
            }
        }
        all
    }
}

/// A constraint as upper bounds on differences.
fn bounds_of(constraint: &Constraint) -> Vec<(usize, usize, Bound)> {
    let (x, y, value) = (place(constraint.left), place(constraint.right), constraint.bound);
    let above = |inclusive| (x, y, Bound { value, inclusive });
    let below = |inclusive| (y, x, Bound { value: -value, inclusive });
    match constraint.op {
        ClockOp::Lt => vec![above(false)],
        ClockOp::Le => vec![above(true)],
        ClockOp::Eq => vec![above(true), below(true)],
        ClockOp::Ge => vec![below(true)],
        ClockOp::Gt => vec![below(false)],
    }
}

impl ClockSet for Zone {
    fn meet(&self, constraint: &Constraint) -> Option<Self> {
        if self.within(constraint) {
            return Some(self.clone());
        }
        let mut zone = self.clone();
        for (x, y, bound) in bounds_of(constraint) {
            zone.tighten(x, y, bound);
        }
        zone.closed()
    }
    /// Closing takes the cube of the clocks; a few hundred additions are as much work as a small evaluation.
    fn work(&self) -> u64 {
        1 + (self.size as u64).pow(3) / 256
    }
}
