//! The timed part of a state: nothing, or a zone.
//!
//! Searches, successors and goals are written once over this trait. [`Untimed`] makes all of it vanish for models
//! without clocks; [`Zones`](zones::Zones) is the usual difference bound matrix.

pub mod frame;
pub mod zones;

use crate::heuristic::ZoneView;
use crate::successors::candidate::Conjunction;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::expr::ClockOp;
use beeline_ir::{ClockId, LocationId};
use beeline_program::{ClockEffect, ConcreteAtom};
use beeline_zones::Bound;
use std::cmp::Ordering;

/// Operations on sets of clock values. "Empty" is never stored: operations that may make a set empty say so. A set is
/// about the clocks that matter in one discrete state, and two sets that meet are about the same ones.
pub trait TimePart: Clone + Send {
    /// A non-empty convex set of clock values.
    type Zone: Clone + Send;
    /// Whether there is more than one.
    const TIMED: bool = true;

    /// All clocks 0; about those that matter in the discrete state, as all sets are.
    fn zero(&self, slots: &[i64]) -> Self::Zone;
    /// All clocks anything; about those that matter in the discrete state.
    fn universal(&self, slots: &[i64]) -> Self::Zone;
    /// Whether each atom, taken alone, leaves something.
    fn possible(&self, zone: &Self::Zone, atoms: &Conjunction) -> bool;
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
    /// Whether the locations of the state that the set belongs to let no time pass (or time plays no part).
    fn stands_still(&self, zone: &Self::Zone) -> bool;
    /// Time passes, as long as what the locations say about clocks, and the atoms, hold. They must hold already.
    fn delay(&self, zone: &mut Self::Zone, invariant: &Conjunction);
    /// The clocks are set; from now on the set is about what matters in the new discrete state. Intersects with what
    /// the new locations say about clocks and constants; false if nothing is left.
    fn enter(&self, zone: &mut Self::Zone, effects: &[ClockEffect], slots: &[i64]) -> bool;

    /// Makes the zone of a state coarser, so that there are finitely many; the answers to what is asked do not change.
    fn normalise(&self, zone: &mut Self::Zone);
    /// Whether a run of so many labels can be followed without making zones coarser: no bound gets too large.
    fn exact_along(&self, steps: usize) -> bool;
    /// The zone, as heuristics see it.
    fn view<'z>(&self, zone: &'z Self::Zone) -> ZoneView<'z>;

    /// The zone as constraints between clocks, as few as possible, for certificates.
    fn constraints(&self, zone: &Self::Zone) -> Vec<ZoneConstraint> {
        self.view(zone).constraints()
    }

    /// The zone as atoms, all of which hold in it and nowhere else.
    fn atoms(&self, zone: &Self::Zone) -> Vec<ConcreteAtom> {
        self.constraints(zone).iter().filter_map(atom).collect()
    }

    /// The greatest and the least value of a clock, as numbers to compare; `None` if it does not matter.
    fn bounds_of(&self, zone: &Self::Zone, clock: ClockId) -> Option<(i32, i32)>;
    /// How a zone with these pairs of clocks exchanged compares with the zone, row by row. Instead of each clock, another is
    /// meant, if there is one at its place.
    fn compare_exchanged(
        &self,
        zone: &Self::Zone,
        meant: &[ClockId],
        pairs: &[(ClockId, ClockId)],
    ) -> Ordering;
    /// Clocks take the values of others; from now on the set is about what matters in that discrete state.
    fn permute(&self, zone: &mut Self::Zone, from: &[ClockId], slots: &[i64]);

    /// The entries of a zone, to be stored.
    fn entries<'z>(&self, zone: &'z Self::Zone) -> &'z [Bound];
    /// Reads back the stored zone of a discrete state.
    fn load(&self, slots: &[i64], stored: &[Bound]) -> Self::Zone;
    /// The same into a set that is overwritten.
    fn reload(&self, slots: &[i64], stored: &[Bound], zone: &mut Self::Zone);
    /// What a process with its location in that slot says about clocks by being at a location: the same for locations
    /// that say the same, `None` if all do.
    fn kind(&self, slot: usize, location: LocationId) -> Option<(usize, u64)>;
    /// Whether two sets, and what the locations of their states say about clocks, are the same.
    fn same(&self, zone: &Self::Zone, other: &Self::Zone) -> bool;
    /// Whether the entries of two zones are about the same, as far as later steps are concerned.
    fn same_frame(&self, zone: &Self::Zone, other: &Self::Zone) -> bool;
    /// A hash of what they are about; the upper half is good.
    fn frame_code(&self, zone: &Self::Zone) -> u64;
    /// A hash of what [`TimePart::same`] compares.
    fn code(&self, zone: &Self::Zone) -> u64;
    /// Whether the stored set `larger` includes the stored set `smaller`; both of the same discrete state.
    fn includes(larger: &[Bound], smaller: &[Bound]) -> bool;
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
    const TIMED: bool = false;

    fn zero(&self, _: &[i64]) {}
    fn universal(&self, _: &[i64]) {}
    fn possible(&self, (): &(), _: &Conjunction) -> bool {
        true
    }
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
    fn stands_still(&self, (): &()) -> bool {
        true
    }
    fn delay(&self, (): &mut (), _: &Conjunction) {}
    fn enter(&self, (): &mut (), _: &[ClockEffect], _: &[i64]) -> bool {
        true
    }
    fn normalise(&self, (): &mut ()) {}
    fn exact_along(&self, _: usize) -> bool {
        true
    }
    fn view<'z>(&self, (): &'z ()) -> ZoneView<'z> {
        ZoneView::NO_CLOCKS
    }
    fn bounds_of(&self, (): &(), _: ClockId) -> Option<(i32, i32)> {
        None
    }
    fn compare_exchanged(&self, (): &(), _: &[ClockId], _: &[(ClockId, ClockId)]) -> Ordering {
        Ordering::Equal
    }
    fn permute(&self, (): &mut (), _: &[ClockId], _: &[i64]) {}
    fn entries<'z>(&self, (): &'z ()) -> &'z [Bound] {
        &[]
    }
    fn load(&self, _: &[i64], _: &[Bound]) {}
    fn reload(&self, _: &[i64], _: &[Bound], (): &mut ()) {}
    fn kind(&self, _: usize, _: LocationId) -> Option<(usize, u64)> {
        None
    }
    fn same_frame(&self, (): &(), (): &()) -> bool {
        true
    }
    fn frame_code(&self, (): &()) -> u64 {
        0
    }
    fn same(&self, (): &(), (): &()) -> bool {
        true
    }
    fn code(&self, (): &()) -> u64 {
        0
    }
    fn includes(_: &[Bound], _: &[Bound]) -> bool {
        true
    }
}
