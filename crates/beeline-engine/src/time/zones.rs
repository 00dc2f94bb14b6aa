//! Zones as the timed part: difference bound matrices over the active clocks of a state, on top of `beeline-zones`.
//!
//! A matrix has rows for the clocks of its [`Frame`] alone. A label moves it to the frame of the state it leads to
//! in one pass ([`transfer`]), so that clocks that do not matter cost nothing: neither in closing nor in storage.
//!
//! The extrapolations by lower and upper bounds (Behrmann, Bouyer, Larsen, Pelánek 2006) keep reachability as long as
//! guards are only ever used as they stand. Where a guard is negated (deadlock, priorities, receivers that stay
//! behind) the two directions mix, and classical maximal bounds are used instead; with those the abstraction is a
//! bisimulation.

use super::TimePart;
use super::frame::{Frame, Frames};
use crate::api::Extrapolation;
use crate::heuristic::ZoneView;
use crate::state::zone_store;
use crate::successors::candidate::Conjunction;
use beeline_ir::expr::ClockOp;
use beeline_ir::{ClockId, LocationId};
use beeline_program::{ClockBounds, ClockEffect, ConcreteAtom, Program};
use beeline_zones::extrapolate::{extra_lu, extra_lu_plus};
use beeline_zones::{Bound, Constraint, Dbm, MAX_CONSTANT, Source, ops, subtract};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::Arc;

/// A zone and what its rows stand for.
#[derive(Debug)]
pub struct Zone {
    frame: Arc<Frame>,
    matrix: Dbm,
}

impl Clone for Zone {
    fn clone(&self) -> Zone {
        Zone { frame: Arc::clone(&self.frame), matrix: self.matrix.clone() }
    }
    /// Without allocation where there is room.
    fn clone_from(&mut self, other: &Zone) {
        self.frame.clone_from(&other.frame);
        self.matrix.clone_from(&other.matrix);
    }
}

/// The zones of a model.
#[derive(Clone, Debug)]
pub struct Zones {
    frames: Frames,
    /// Extrapolation across clocks.
    plus: bool,
    /// No differences are tracked, so that clock values stand for others as their bounds say.
    simulates: bool,
    /// The greatest constant a clock is compared with or set to.
    greatest: i64,
    /// Scratch of `enter`.
    sources: RefCell<Vec<Source>>,
    matrix: RefCell<Dbm>,
}

/// Constants are checked against `beeline_zones::max_constant` before a search starts.
fn constant(value: i64) -> i32 {
    i32::try_from(value).expect("clock constants are checked before the search")
}

/// What a clock becomes by the effects: a number, or the old value of a clock.
pub fn becomes(effects: &[ClockEffect], mut clock: ClockId) -> Result<i64, ClockId> {
    for effect in effects.iter().rev() {
        match *effect {
            ClockEffect::Set(set, value) if set == clock => return Ok(value),
            ClockEffect::Copy(to, from) if to == clock => clock = from,
            _ => {}
        }
    }
    Err(clock)
}

impl Zones {
    /// The zones of a model with those bounds, abstracted as wished, or as coarse below it as is right when guards
    /// are negated. `split` has the constants each clock is compared with when differences are split.
    pub fn new(
        program: &Program,
        bounds: &ClockBounds,
        split: &[Option<i64>],
        wished: Extrapolation,
        guards_negated: bool,
        active_clocks: bool,
        greatest: i64,
    ) -> Self {
        let extrapolation = match (wished, guards_negated) {
            (Extrapolation::Auto | Extrapolation::LuPlus, true) => Extrapolation::MPlus,
            (Extrapolation::Lu, true) => Extrapolation::M,
            (Extrapolation::Auto, false) => Extrapolation::LuPlus,
            (other, _) => other,
        };
        Self {
            frames: Frames::new(program, bounds, split, extrapolation, active_clocks),
            plus: matches!(extrapolation, Extrapolation::MPlus | Extrapolation::LuPlus),
            simulates: split.iter().all(Option::is_none),
            greatest,
            sources: RefCell::default(),
            matrix: RefCell::new(Dbm::zero(1)),
        }
    }
}

/// The one or two matrix constraints of an atom. An atom about a clock that does not matter says nothing.
#[inline]
pub fn constraints(frame: &Frame, atom: &ConcreteAtom) -> [Option<Constraint>; 2] {
    let rows = match atom.right {
        None => frame.row(atom.left).map(|x| (x, 0)),
        Some(right) => frame.row(atom.left).zip(frame.row(right)),
    };
    let Some((x, y)) = rows else { return [None, None] };
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
    [upper.map(|bound| Constraint::new(x, y, bound)), lower.map(|bound| Constraint::new(y, x, bound))]
}

impl Zone {
    /// Intersects; false if nothing is left.
    #[inline]
    fn require(&mut self, constraint: &Constraint) -> bool {
        self.matrix.constrain(constraint.left, constraint.right, constraint.bound)
    }
}

impl TimePart for Zones {
    type Zone = Zone;

    fn zero(&self, slots: &[i64]) -> Zone {
        let frame = self.frames.at(slots);
        Zone { matrix: Dbm::zero(frame.dim()), frame }
    }
    fn universal(&self, slots: &[i64]) -> Zone {
        let frame = self.frames.at(slots);
        Zone { matrix: Dbm::universal(frame.dim()), frame }
    }
    fn possible(&self, zone: &Zone, atoms: &Conjunction) -> bool {
        let meets = |c: &Constraint| zone.matrix.satisfies(c.left, c.right, c.bound);
        atoms.iter().all(|atom| constraints(&zone.frame, atom).iter().flatten().all(meets))
    }
    fn constrain(&self, zone: &mut Zone, atoms: &Conjunction) -> bool {
        atoms.iter().all(|atom| constraints(&zone.frame, atom).iter().flatten().all(|c| zone.require(c)))
    }
    fn implies(&self, zone: &Zone, atoms: &Conjunction) -> bool {
        let implied = |c: &Constraint| zone.matrix.get(c.left, c.right) <= c.bound;
        atoms.iter().all(|atom| constraints(&zone.frame, atom).iter().flatten().all(implied))
    }
    fn intersect(&self, zone: &mut Zone, other: &Zone) -> bool {
        debug_assert_eq!(zone.frame, other.frame);
        zone.matrix.intersect(&other.matrix)
    }
    fn subtract(&self, zone: &Zone, other: &Zone) -> Vec<Zone> {
        debug_assert_eq!(zone.frame, other.frame);
        let pieces = subtract(&zone.matrix, &other.matrix).into_iter();
        pieces.map(|matrix| Zone { frame: Arc::clone(&zone.frame), matrix }).collect()
    }
    fn exclude(&self, zone: &Zone, atoms: &Conjunction) -> Vec<Zone> {
        let mut inside = Zone { frame: Arc::clone(&zone.frame), matrix: Dbm::universal(zone.frame.dim()) };
        if self.constrain(&mut inside, atoms) { self.subtract(zone, &inside) } else { vec![zone.clone()] }
    }
    fn up(&self, zone: &mut Zone) {
        zone.matrix.up();
    }
    fn down(&self, zone: &mut Zone) {
        zone.matrix.down();
    }
    fn stands_still(&self, zone: &Zone) -> bool {
        zone.frame.stops
    }
    fn delay(&self, zone: &mut Zone, invariant: &Conjunction) {
        let Zone { frame, matrix } = zone;
        if invariant.is_empty() {
            return matrix.up_within(frame.limits.iter().copied());
        }
        let given = invariant.iter().flat_map(|atom| constraints(frame, atom)).flatten();
        let above = given.filter(|c| c.right == 0).map(|c| (c.left, c.bound));
        matrix.up_within(frame.limits.iter().copied().chain(above));
    }
    fn enter(&self, zone: &mut Zone, effects: &[ClockEffect], slots: &[i64]) -> bool {
        let next = self.frames.other_than(&zone.frame, slots);
        if next.is_some() || !effects.is_empty() {
            let frame = next.as_ref().unwrap_or(&zone.frame);
            let mut sources = self.sources.borrow_mut();
            sources.clear();
            sources.extend(frame.clocks.iter().map(|clock| match becomes(effects, *clock) {
                Ok(value) => Source::Value(constant(value)),
                Err(old) => zone.frame.row(old).map_or(Source::Any, Source::Clock),
            }));
            let mut matrix = self.matrix.borrow_mut();
            matrix.become_transfer(&zone.matrix, &sources);
            std::mem::swap(&mut *matrix, &mut zone.matrix);
            if let Some(next) = next {
                zone.frame = next;
            }
        }
        let Zone { frame, matrix } = zone;
        frame.invariant.iter().all(|c| matrix.constrain(c.left, c.right, c.bound))
    }
    fn normalise(&self, zone: &mut Zone) {
        let (frame, matrix) = (&zone.frame, zone.matrix.as_mut_slice());
        let extrapolate = if self.plus { extra_lu_plus } else { extra_lu };
        extrapolate(matrix, frame.dim(), &frame.lower, &frame.upper);
    }
    fn exact_along(&self, steps: usize) -> bool {
        // Every label adds at most a time point per clock and one for the delay; see `beeline_zones::max_constant`.
        let points = (steps as u64 + 1).saturating_mul(self.frames.clocks() as u64 + 1);
        points.saturating_mul(self.greatest.unsigned_abs()) < u64::from(MAX_CONSTANT.unsigned_abs())
    }
    fn view<'z>(&self, zone: &'z Zone) -> ZoneView<'z> {
        let Frame { clocks, lower, upper, .. } = &*zone.frame;
        ZoneView { clocks, lower, upper, matrix: zone.matrix.as_slice(), simulates: self.simulates }
    }
    fn bounds_of(&self, zone: &Zone, clock: ClockId) -> Option<(i32, i32)> {
        let row = zone.frame.row(clock)?;
        Some((zone.matrix.get(row, 0).raw(), -zone.matrix.get(0, row).raw()))
    }
    fn compare_exchanged(&self, zone: &Zone, meant: &[ClockId], pairs: &[(ClockId, ClockId)]) -> Ordering {
        let row = |clock: ClockId| zone.frame.row(meant.get(clock.index()).copied().unwrap_or(clock));
        // Rows of all clocks, as they are and exchanged.
        let before: Vec<Option<usize>> =
            (0..self.frames.clocks()).map(|clock| row(ClockId::new(clock))).collect();
        let mut after = before.clone();
        pairs.iter().for_each(|(a, b)| after.swap(a.index(), b.index()));
        let entry = |rows: &[Option<usize>], a: usize, b: usize| Some(zone.matrix.get(rows[a]?, rows[b]?));
        let places = || (0..before.len()).filter(|clock| before[*clock].is_some() || after[*clock].is_some());
        let moved = |clock: usize| before[clock] != after[clock];
        let entries =
            places().flat_map(|a| places().map(move |b| (a, b))).filter(|(a, b)| moved(*a) || moved(*b));
        let orders = entries.map(|(a, b)| entry(&after, a, b).cmp(&entry(&before, a, b)));
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
    fn permute(&self, zone: &mut Zone, from: &[ClockId], slots: &[i64]) {
        let next = self.frames.other_than(&zone.frame, slots);
        let frame = next.as_ref().unwrap_or(&zone.frame);
        let mut sources = self.sources.borrow_mut();
        sources.clear();
        let source = |clock: &ClockId| zone.frame.row(from[clock.index()]).map_or(Source::Any, Source::Clock);
        sources.extend(frame.clocks.iter().map(source));
        let mut matrix = self.matrix.borrow_mut();
        matrix.become_transfer(&zone.matrix, &sources);
        std::mem::swap(&mut *matrix, &mut zone.matrix);
        if let Some(next) = next {
            zone.frame = next;
        }
    }
    fn entries<'z>(&self, zone: &'z Zone) -> &'z [Bound] {
        zone.matrix.as_slice()
    }
    fn load(&self, slots: &[i64], stored: &[Bound]) -> Zone {
        let frame = self.frames.at(slots);
        Zone { matrix: Dbm::from_slice(frame.dim(), stored), frame }
    }
    fn reload(&self, slots: &[i64], stored: &[Bound], zone: &mut Zone) {
        if let Some(frame) = self.frames.other_than(&zone.frame, slots) {
            zone.frame = frame;
        }
        zone.matrix.become_copy(zone.frame.dim(), stored);
    }
    fn kind(&self, slot: usize, location: LocationId) -> Option<(usize, u64)> {
        self.frames.kind(slot, location).map(|kind| (slot, kind))
    }
    fn same(&self, zone: &Zone, other: &Zone) -> bool {
        self.same_frame(zone, other) && zone.matrix == other.matrix
    }
    fn same_frame(&self, zone: &Zone, other: &Zone) -> bool {
        zone.frame.same_key(&other.frame)
    }
    fn frame_code(&self, zone: &Zone) -> u64 {
        zone.frame.code()
    }
    fn code(&self, zone: &Zone) -> u64 {
        zone_store::code(zone.matrix.as_slice()) ^ zone.frame.code()
    }
    fn includes(larger: &[Bound], smaller: &[Bound]) -> bool {
        ops::includes(larger, smaller)
    }
}
