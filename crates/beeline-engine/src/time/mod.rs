//! The timed part of a state: nothing, or a zone.
//!
//! Searches, successors and goals are written once over this trait. [`Untimed`] makes all of it vanish for models
//! without clocks; [`Zones`](zones::Zones) is the usual difference bound matrix.

pub mod abstraction;
pub mod zones;

use crate::successors::candidate::Conjunction;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::expr::ClockOp;
use beeline_program::{ClockEffect, ConcreteAtom, Program};
use beeline_zones::Bound;

/// Operations on sets of clock values. "Empty" is never stored: operations that may make a set empty say so.
pub trait TimePart {
    /// A non-empty convex set of clock values.
    type Zone: Clone;

    /// All clocks 0.
    fn zero(&self) -> Self::Zone;
    /// All clocks anything.
    fn universal(&self) -> Self::Zone;
    /// Intersects with the atoms; false if nothing is left.
    fn constrain(&self, zone: &mut Self::Zone, atoms: &Conjunction) -> bool;
    /// Intersects; false if nothing is left.
    fn intersect(&self, zone: &mut Self::Zone, other: &Self::Zone) -> bool;
    /// What is in the first but not in the second, in disjoint pieces.
    fn subtract(&self, zone: &Self::Zone, other: &Self::Zone) -> Vec<Self::Zone>;
    /// Time passes.
    fn up(&self, zone: &mut Self::Zone);
    /// Where time can pass into the set.
    fn down(&self, zone: &mut Self::Zone);
    /// The clocks are set.
    fn apply(&self, zone: &mut Self::Zone, effects: &[ClockEffect]);
    /// The clock values from which the effects lead into the set; false if there are none.
    fn unapply(&self, zone: &mut Self::Zone, effects: &[ClockEffect]) -> bool;

    /// Makes the zone of a state with this discrete part coarser, so that there are finitely many; the answers to
    /// what is asked do not change.
    fn normalise(&self, program: &Program, slots: &[i64], zone: &mut Self::Zone);
    /// The zone as constraints between clocks, fewest first, for certificates.
    fn constraints(&self, stored: &[Bound]) -> Vec<ZoneConstraint>;

    /// The zone as atoms, all of which hold in it and nowhere else.
    fn atoms(&self, stored: &[Bound]) -> Vec<ConcreteAtom> {
        self.constraints(stored).iter().filter_map(atom).collect()
    }

    /// Entries a stored zone takes.
    fn width(&self) -> usize;
    /// Appends the zone to an arena.
    fn save(&self, zone: &Self::Zone, arena: &mut Vec<Bound>);
    /// Reads a zone back.
    fn load(&self, stored: &[Bound]) -> Self::Zone;
    /// Whether the stored set `larger` includes the stored set `smaller`.
    fn includes(&self, larger: &[Bound], smaller: &[Bound]) -> bool;
    /// The entries of a zone.
    fn entries<'z>(&self, zone: &'z Self::Zone) -> &'z [Bound];
}

/// A constraint of a certificate row as an atom; `None` if it is about no clock.
fn atom(constraint: &ZoneConstraint) -> Option<ConcreteAtom> {
    let ZoneConstraint { left, right, bound, strict } = *constraint;
    Some(match (left, right) {
        (Some(left), _) => {
            let op = if strict { ClockOp::Lt } else { ClockOp::Le };
            ConcreteAtom { left, right, op, bound }
        }
        (None, Some(right)) => {
            let op = if strict { ClockOp::Gt } else { ClockOp::Ge };
            ConcreteAtom { left: right, right: None, op, bound: -bound }
        }
        (None, None) => return None,
    })
}

/// No clocks: the only set is "always".
#[derive(Copy, Clone, Debug)]
pub struct Untimed;

impl TimePart for Untimed {
    type Zone = ();

    fn zero(&self) {}
    fn universal(&self) {}
    fn constrain(&self, (): &mut (), _: &Conjunction) -> bool {
        true
    }
    fn intersect(&self, (): &mut (), (): &()) -> bool {
        true
    }
    fn subtract(&self, (): &(), (): &()) -> Vec<()> {
        Vec::new()
    }
    fn up(&self, (): &mut ()) {}
    fn down(&self, (): &mut ()) {}
    fn apply(&self, (): &mut (), _: &[ClockEffect]) {}
    fn unapply(&self, (): &mut (), _: &[ClockEffect]) -> bool {
        true
    }
    fn normalise(&self, _: &Program, _: &[i64], (): &mut ()) {}
    fn constraints(&self, _: &[Bound]) -> Vec<ZoneConstraint> {
        Vec::new()
    }
    fn width(&self) -> usize {
        0
    }
    fn save(&self, (): &(), _: &mut Vec<Bound>) {}
    fn load(&self, _: &[Bound]) {}
    fn includes(&self, _: &[Bound], _: &[Bound]) -> bool {
        true
    }
    fn entries<'z>(&self, (): &'z ()) -> &'z [Bound] {
        &[]
    }
}
