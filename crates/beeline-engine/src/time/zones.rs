//! Zones as the timed part: a thin layer over `beeline-zones`. Clock `i` of the model is clock `i + 1` of the matrix.

use super::TimePart;
use super::abstraction::Abstraction;
use crate::successors::candidate::Conjunction;
use beeline_ir::ClockId;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::expr::ClockOp;
use beeline_program::{ClockEffect, ConcreteAtom, Program};
use beeline_zones::{Bound, Constraint, Dbm, minimal, ops, subtract};

/// Zones of one dimension.
#[derive(Clone, Debug)]
pub struct Zones {
    dim: usize,
    abstraction: Abstraction,
}

impl Zones {
    /// Zones over that many clocks, made finite by the abstraction.
    pub fn new(clocks: usize, abstraction: Abstraction) -> Self {
        Self { dim: clocks + 1, abstraction }
    }
}

/// The row of a clock in a matrix.
pub fn row(clock: ClockId) -> usize {
    clock.index() + 1
}

/// Constants are checked against `beeline_zones::max_constant` before a search starts.
fn constant(value: i64) -> i32 {
    i32::try_from(value).expect("clock constants are checked before the search")
}

/// The one or two matrix constraints of an atom.
pub fn constraints(atom: &ConcreteAtom) -> impl Iterator<Item = (usize, usize, Bound)> + use<> {
    let (x, y) = (row(atom.left), atom.right.map_or(0, row));
    let c = constant(atom.bound);
    let upper = match atom.op {
        ClockOp::Lt => Some(Bound::lt(c)),
        ClockOp::Le | ClockOp::Eq => Some(Bound::le(c)),
        ClockOp::Ge | ClockOp::Gt => None,
    };
    let lower = match atom.op {
        ClockOp::Gt => Some(Bound::lt(-c)),
        ClockOp::Ge | ClockOp::Eq => Some(Bound::le(-c)),
        ClockOp::Lt | ClockOp::Le => None,
    };
    upper.map(|b| (x, y, b)).into_iter().chain(lower.map(|b| (y, x, b)))
}

impl TimePart for Zones {
    type Zone = Dbm;

    fn zero(&self) -> Dbm {
        Dbm::zero(self.dim)
    }
    fn universal(&self) -> Dbm {
        Dbm::universal(self.dim)
    }
    fn constrain(&self, zone: &mut Dbm, atoms: &Conjunction) -> bool {
        atoms.iter().all(|atom| constraints(atom).all(|(i, j, bound)| zone.constrain(i, j, bound)))
    }
    fn intersect(&self, zone: &mut Dbm, other: &Dbm) -> bool {
        zone.intersect(other)
    }
    fn subtract(&self, zone: &Dbm, other: &Dbm) -> Vec<Dbm> {
        subtract(zone, other)
    }
    fn up(&self, zone: &mut Dbm) {
        zone.up();
    }
    fn down(&self, zone: &mut Dbm) {
        zone.down();
    }
    fn apply(&self, zone: &mut Dbm, effects: &[ClockEffect]) {
        for effect in effects {
            match *effect {
                ClockEffect::Set(clock, value) => zone.reset(row(clock), constant(value)),
                ClockEffect::Copy(clock, from) => zone.copy(row(clock), row(from)),
            }
        }
    }
    fn unapply(&self, zone: &mut Dbm, effects: &[ClockEffect]) -> bool {
        for effect in effects.iter().rev() {
            let (x, alive) = match *effect {
                ClockEffect::Set(clock, value) => {
                    let (x, c) = (row(clock), constant(value));
                    (x, zone.constrain(x, 0, Bound::le(c)) && zone.constrain(0, x, Bound::le(-c)))
                }
                // x := x changes nothing.
                ClockEffect::Copy(clock, from) if clock == from => continue,
                ClockEffect::Copy(clock, from) => {
                    let (x, y) = (row(clock), row(from));
                    let same = Bound::ZERO_LE;
                    (x, zone.constrain(x, y, same) && zone.constrain(y, x, same))
                }
            };
            if !alive {
                return false;
            }
            zone.free(x);
        }
        true
    }
    fn normalise(&self, program: &Program, slots: &[i64], zone: &mut Dbm) {
        self.abstraction.apply(program, slots, zone);
    }
    fn constraints(&self, stored: &[Bound]) -> Vec<ZoneConstraint> {
        let clock = |row: usize| row.checked_sub(1).map(ClockId::new);
        let finite = |c: &Constraint| c.bound.constant().map(i64::from);
        let constraints = minimal(&self.load(stored));
        let named = constraints.iter().filter_map(|c| {
            let (left, right) = (clock(c.left), clock(c.right));
            Some(ZoneConstraint { left, right, bound: finite(c)?, strict: c.bound.is_strict() })
        });
        named.collect()
    }
    fn width(&self) -> usize {
        self.dim * self.dim
    }
    fn save(&self, zone: &Dbm, arena: &mut Vec<Bound>) {
        arena.extend_from_slice(zone.as_slice());
    }
    fn load(&self, stored: &[Bound]) -> Dbm {
        Dbm::from_slice(self.dim, stored)
    }
    fn includes(&self, larger: &[Bound], smaller: &[Bound]) -> bool {
        ops::includes(larger, smaller)
    }
    fn entries<'z>(&self, zone: &'z Dbm) -> &'z [Bound] {
        zone.as_slice()
    }
}
