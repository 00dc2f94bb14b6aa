//! The zone abstraction of a search: which extrapolation, with which clock bounds.
//!
//! Lower and upper bounds (Behrmann, Bouyer, Larsen, Pelánek 2006) keep reachability as long as guards are only ever
//! used as they stand. Where a guard is negated (deadlock, priorities, receivers that stay behind) the two
//! directions mix, and classical maximal bounds are used instead; with those the abstraction is a bisimulation.

use crate::api::Extrapolation;
use beeline_program::{ClockBounds, Program};
use beeline_zones::fault::{self, Fault};
use beeline_zones::{Dbm, LuBounds};

/// How zones of a model are made coarser.
#[derive(Clone, Debug)]
pub struct Abstraction {
    bounds: ClockBounds,
    /// Constants each clock is compared with when differences are split, at all times.
    split: Vec<Option<i64>>,
    extrapolation: Extrapolation,
    active_clocks: bool,
}

impl Abstraction {
    /// The abstraction wished for, or the coarsest one below it that is right when guards are negated.
    pub fn new(
        bounds: ClockBounds,
        split: Vec<Option<i64>>,
        wished: Extrapolation,
        guards_negated: bool,
        active_clocks: bool,
    ) -> Self {
        let extrapolation = match (wished, guards_negated) {
            (Extrapolation::Auto | Extrapolation::LuPlus, true) => Extrapolation::MPlus,
            (Extrapolation::Lu, true) => Extrapolation::M,
            (Extrapolation::Auto, false) => Extrapolation::LuPlus,
            (other, _) => other,
        };
        Self { bounds, split, extrapolation, active_clocks }
    }

    /// Applies it to a zone at a discrete state.
    pub fn apply(&self, program: &Program, slots: &[i64], zone: &mut Dbm) {
        let clocks = program.clocks;
        let (mut lower, mut upper) = (vec![None; clocks], vec![None; clocks]);
        self.bounds.at(program, slots, &mut lower, &mut upper);
        let mut lu = LuBounds::none(clocks + 1);
        for clock in 0..clocks {
            let floor = if self.active_clocks { self.split[clock] } else { self.split[clock].max(Some(0)) };
            let (mut low, mut up) = (lower[clock].max(floor), upper[clock].max(floor));
            if fault::active(Fault::BoundsOffByOne) {
                low = low.map(|c| (c - 1).max(0));
                up = up.map(|c| (c - 1).max(0));
            }
            if fault::active(Fault::LowerUpperSwapped) {
                std::mem::swap(&mut low, &mut up);
            }
            if fault::active(Fault::ActiveClockWrong) && clock == 0 && slots[0] == 0 {
                (low, up) = (None, None);
            }
            if let Some(c) = bound(low) {
                lu.raise_lower(clock + 1, c);
            }
            if let Some(c) = bound(up) {
                lu.raise_upper(clock + 1, c);
            }
        }
        match self.extrapolation {
            Extrapolation::M => zone.extra_m(&lu.maximal()),
            Extrapolation::MPlus => zone.extra_m_plus(&lu.maximal()),
            Extrapolation::Lu => zone.extra_lu(&lu),
            Extrapolation::LuPlus | Extrapolation::Auto => zone.extra_lu_plus(&lu),
        }
    }
}

/// A clock is never below 0, so comparing it with something negative decides nothing.
fn bound(constant: Option<i64>) -> Option<i32> {
    let constant = constant?;
    if constant < 0 {
        return None;
    }
    Some(i32::try_from(constant).expect("clock constants are checked before the search"))
}
