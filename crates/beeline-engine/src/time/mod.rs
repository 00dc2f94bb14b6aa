//! The timed part of a state: nothing, or a zone.
//!
//! Searches, successors and goals are written once over this trait. [`Untimed`] makes all of it vanish for models
//! without clocks; [`Zones`](zones::Zones) is the usual difference bound matrix.

pub mod frame;
pub mod zones;

use crate::successors::candidate::Conjunction;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::expr::ClockOp;
use beeline_program::{ClockEffect, ConcreteAtom, Program};
use beeline_zones::Bound;

/// Operations on sets of clock values. "Empty" is never stored: operations that may make a set empty say so. A set is
/// about the clocks that matter in one discrete state, and two sets that meet are about the same ones.
pub trait TimePart {
    /// A non-empty convex set of clock values.
    type Zone: Clone;

    /// All clocks 0; about those that matter in the discrete state, as all sets are.
    fn zero(&self, program: &Program, slots: &[i64]) -> Self::Zone;
    /// All clocks anything; about those that matter in the discrete state.
    fn universal(&self, program: &Program, slots: &[i64]) -> Self::Zone;
    /// Intersects with the atoms; false if nothing is left.
    fn constrain(&self, zone: &mut Self::Zone, atoms: &Conjunction) -> bool;
    /// Whether all atoms hold everywhere in the set.
    fn implies(&self, zone: &Self::Zone, atoms: &Conjunction) -> bool;
    /// Intersects; false if nothing is left.
    fn intersect(&self, zone: &mut Self::Zone, other: &Self::Zone) -> bool;
    /// What is in the first but not in the second, in disjoint pieces.
    fn subtract(&self, zone: &Self::Zone, other: &Self::Zone) -> Vec<Self::Zone>;
    /// Where not all of the atoms hold, in disjoint pieces.
    fn exclude(&self, zone: &Self::Zone, atoms: &Conjunction) -> Vec<Self::Zone>;
    /// Time passes.
    fn up(&self, zone: &mut Self::Zone);
    /// Where time can pass into the set.
    fn down(&self, zone: &mut Self::Zone);
    /// The clocks are set; from now on the set is about what matters in the new discrete state.
    fn enter(&self, zone: &mut Self::Zone, effects: &[ClockEffect], program: &Program, slots: &[i64]);

    /// Makes the zone of a state coarser, so that there are finitely many; the answers to what is asked do not change.
    fn normalise(&self, zone: &mut Self::Zone);
    /// Whether a run of so many labels can be followed without making zones coarser: no bound gets too large.
    fn exact_along(&self, steps: usize) -> bool;
    /// The zone as constraints between clocks, as few as possible, for certificates.
    fn constraints(&self, zone: &Self::Zone) -> Vec<ZoneConstraint>;

    /// The zone as atoms, all of which hold in it and nowhere else.
    fn atoms(&self, zone: &Self::Zone) -> Vec<ConcreteAtom> {
        self.constraints(zone).iter().filter_map(atom).collect()
    }

    /// The entries of a zone, to be stored.
    fn entries<'z>(&self, zone: &'z Self::Zone) -> &'z [Bound];
    /// Reads back the stored zone of a discrete state.
    fn load(&self, program: &Program, slots: &[i64], stored: &[Bound]) -> Self::Zone;
    /// Whether the stored set `larger` includes the stored set `smaller`; both of the same discrete state.
    fn includes(&self, larger: &[Bound], smaller: &[Bound]) -> bool;
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

    fn zero(&self, _: &Program, _: &[i64]) {}
    fn universal(&self, _: &Program, _: &[i64]) {}
    fn constrain(&self, (): &mut (), _: &Conjunction) -> bool {
        true
    }
    fn implies(&self, (): &(), _: &Conjunction) -> bool {
        true
    }
    fn intersect(&self, (): &mut (), (): &()) -> bool {
        true
    }
    fn subtract(&self, (): &(), (): &()) -> Vec<()> {
        Vec::new()
    }
    fn exclude(&self, (): &(), _: &Conjunction) -> Vec<()> {
        Vec::new()
    }
    fn up(&self, (): &mut ()) {}
    fn down(&self, (): &mut ()) {}
    fn enter(&self, (): &mut (), _: &[ClockEffect], _: &Program, _: &[i64]) {}
    fn normalise(&self, (): &mut ()) {}
    fn exact_along(&self, _: usize) -> bool {
        true
    }
    fn constraints(&self, (): &()) -> Vec<ZoneConstraint> {
        Vec::new()
    }
    fn entries<'z>(&self, (): &'z ()) -> &'z [Bound] {
        &[]
    }
    fn load(&self, _: &Program, _: &[i64], _: &[Bound]) {}
    fn includes(&self, _: &[Bound], _: &[Bound]) -> bool {
        true
    }
}
