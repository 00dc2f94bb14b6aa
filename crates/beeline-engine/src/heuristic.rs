//! What a heuristic is to a search: an estimate of the steps from a state to the target, with what it declares of
//! itself. Searches rely on what is declared (may infinity prune? is the sum of both a lower bound?), and tests
//! hold every heuristic to it.

use beeline_ir::certificate::{Row, ZoneConstraint};
use beeline_ir::layout::Label;
use beeline_ir::{ClockId, EdgeId};
use beeline_program::schema::EdgeRef;
use beeline_zones::{Bound, ClockBound, Dbm, minimal};
use std::fmt::Debug;

/// An estimate of the steps to the target.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Estimate {
    /// About so many.
    Steps(u32),
    /// The target seems out of reach.
    Infinite,
}

impl Estimate {
    /// The target may be here.
    pub const ZERO: Self = Self::Steps(0);

    /// The number of steps, unless it is infinite.
    pub fn steps(self) -> Option<u32> {
        match self {
            Self::Steps(steps) => Some(steps),
            Self::Infinite => None,
        }
    }
}

/// What a heuristic is known to be.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Properties {
    /// Never more than the true number of steps.
    pub admissible: bool,
    /// Falls by no more than a label costs, and is 0 at the target.
    pub consistent: bool,
    /// Where it is infinite the target is out of reach, and so is every state where the property fails at run
    /// time.
    pub safe_infinity: bool,
    /// Looks at the zone, not only at the discrete part.
    pub zone_dependent: bool,
    /// Depends on what was evaluated before.
    pub path_dependent: bool,
}

impl Properties {
    /// Admissible, consistent, and safe where it is infinite.
    pub const LOWER_BOUND: Self = Self {
        admissible: true,
        consistent: true,
        safe_infinity: true,
        zone_dependent: false,
        path_dependent: false,
    };
    /// Safe where it is infinite, and nothing else.
    pub const SAFE: Self = Self { admissible: false, consistent: false, ..Self::LOWER_BOUND };
    /// Nothing, but a function of the discrete part.
    pub const NOTHING: Self = Self { safe_infinity: false, ..Self::SAFE };
    /// Nothing, and not even that.
    pub const UNSTEADY: Self = Self { path_dependent: true, ..Self::NOTHING };
}

/// A step of the search, for heuristics that judge labels.
#[derive(Copy, Clone, Debug)]
pub struct Step<'a> {
    /// The state that is left.
    pub from: &'a [i64],
    /// Its estimate.
    pub h_from: Estimate,
    /// The edges of the label by which it was reached; none in an initial state.
    pub reached_by: &'a [EdgeRef],
    /// The edges of the label taken.
    pub label: &'a [EdgeRef],
    /// The state that is reached.
    pub to: &'a [i64],
    /// Its estimate.
    pub h_to: Estimate,
}

/// The zone of a state, as heuristics see it: a matrix over the clocks that matter there.
#[derive(Copy, Clone, Debug)]
pub struct ZoneView<'a> {
    /// The clocks of row 1, row 2 and so on, ascending. What is known of the others is never asked for.
    pub clocks: &'a [ClockId],
    /// The greatest constant that matters from below, by row.
    pub lower: &'a [ClockBound],
    /// The greatest constant that matters from above, by row.
    pub upper: &'a [ClockBound],
    /// The closed matrix, row by row.
    pub matrix: &'a [Bound],
    /// Whether clock values that are simulated under these bounds by others lead to the target no sooner than those. Not
    /// where differences of clocks are compared.
    pub simulates: bool,
}

impl ZoneView<'_> {
    /// The zone of a state without clocks.
    pub const NO_CLOCKS: ZoneView<'static> = ZoneView {
        clocks: &[],
        lower: &[ClockBound::ZERO],
        upper: &[ClockBound::ZERO],
        matrix: &[Bound::ZERO_LE],
        simulates: true,
    };

    /// Rows of the matrix.
    pub fn dim(&self) -> usize {
        self.clocks.len() + 1
    }

    /// The zone as constraints between clocks, as few as possible.
    pub fn constraints(&self) -> Vec<ZoneConstraint> {
        let clock = |row: usize| row.checked_sub(1).map(|row| self.clocks[row]);
        let constraints = minimal(&Dbm::from_slice(self.dim(), self.matrix));
        let named = constraints.iter().filter_map(|c| {
            let (left, right) = (clock(c.left), clock(c.right));
            Some(ZoneConstraint {
                left,
                right,
                bound: c.bound.constant()?.into(),
                strict: c.bound.is_strict(),
            })
        });
        named.collect()
    }
}

/// A zone with all that heuristics see of it.
#[derive(Clone, Debug)]
pub struct OwnedZone {
    clocks: Vec<ClockId>,
    lower: Vec<ClockBound>,
    upper: Vec<ClockBound>,
    matrix: Vec<Bound>,
    simulates: bool,
}

impl OwnedZone {
    /// The same zone.
    pub fn of(zone: &ZoneView<'_>) -> Self {
        let ZoneView { clocks, lower, upper, matrix, simulates } = *zone;
        let (clocks, matrix) = (clocks.to_vec(), matrix.to_vec());
        Self { clocks, lower: lower.to_vec(), upper: upper.to_vec(), matrix, simulates }
    }
    /// What heuristics see.
    pub fn view(&self) -> ZoneView<'_> {
        let Self { clocks, lower, upper, matrix, simulates } = self;
        ZoneView { clocks, lower, upper, matrix, simulates: *simulates }
    }
}

/// A run without its times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// The edge by which an observer starts.
    pub observer_start: Option<EdgeId>,
    /// The labels.
    pub labels: Vec<Label>,
}

/// A heuristic, made for one model and one property.
pub trait Heuristic: Debug {
    /// What it is.
    fn properties(&self) -> Properties;

    /// The estimate for a state. The slots are those of the layout; more may follow.
    fn estimate(&mut self, slots: &[i64]) -> Estimate;

    /// The estimate for a state and its zone; asked for only if zones matter to it.
    fn estimate_in(&mut self, slots: &[i64], _zone: &ZoneView<'_>) -> Estimate {
        self.estimate(slots)
    }

    /// Whether it has to know the values of variables even where they no longer matter.
    fn reads_dead_variables(&self) -> bool {
        false
    }

    /// Whether the plan behind the estimate made last begins with that label.
    fn prefers(&self, _label: &[EdgeRef]) -> bool {
        false
    }

    /// A run to the target that was met while the heuristic was made, of as many steps as its estimate at the start. A
    /// search may rely on it as little as on any other advice.
    fn route(&self) -> Option<&Route> {
        None
    }

    /// Whether [`Heuristic::useless`] and [`Heuristic::distance`] have something to say.
    fn judges_labels(&self) -> bool {
        false
    }

    /// Whether no shortest way from a state seems to begin with that label.
    fn useless(&mut self, _step: &Step<'_>) -> bool {
        false
    }

    /// How far the label taken is from having to do with the one by which the state was reached.
    fn distance(&mut self, _step: &Step<'_>) -> u32 {
        0
    }

    /// For a proof: value sets per slot that hold the start (where a slot may have a value that no longer matters,
    /// and so any), then all that is reachable from it in one step, two steps and so on, none of them meeting the
    /// target, as many as were asked for (fewer if the last one is closed). A state where the property fails at
    /// run time counts as the target. Labels that cost nothing do not lead out of a set. The clocks may have any
    /// values in all of them. `None` if there is no such proof.
    ///
    /// The kernel checks it, and knows no more of a set than its values per slot: what depends on a slot with
    /// several values (an invariant, a priority, urgency) may be either way.
    fn layers(&mut self, _start: &[Option<i64>], _most: u32) -> Option<Layers> {
        None
    }

    /// For a proof: rows that hold every state whose estimate is infinite, or, if it is about a length, from which the
    /// target is at least so many steps away that no run through them is shorter; at most so many rows. They are
    /// closed: what is reachable from a row is in others, or in a row of a level one higher. `None` if there are no
    /// such rows, or too many.
    fn rows(&self, _length: Option<u32>, _most: usize) -> Option<Vec<Row>> {
        None
    }

    /// The estimate for a state and its zone that follows from [`Heuristic::rows`] which include all of it.
    fn estimate_by_rows(&mut self, _slots: &[i64], _zone: &ZoneView<'_>) -> Estimate {
        Estimate::ZERO
    }

    /// The tables that it looks estimates up in.
    fn tables(&self) -> Vec<TableSize> {
        Vec::new()
    }

    /// What there is to say about it after a search, for the report.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Bytes in use.
    fn bytes(&self) -> u64 {
        0
    }

    /// Work that evaluations have been so far, beyond a look-up each.
    fn work(&self) -> u64 {
        0
    }
}

/// How large a table is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TableSize {
    /// Its entries.
    pub entries: usize,
    /// The greatest distance that one of them has, if that is known.
    pub layers: Option<u32>,
}

/// Sets of discrete states, each holding what is reachable from the one before by a label that costs a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layers {
    /// One per step, each with a set of values per slot, ascending; `None` stands for any value.
    pub sets: Vec<Vec<Option<Vec<i64>>>>,
    /// Whether the last one holds what is reachable from itself.
    pub closed: bool,
}
