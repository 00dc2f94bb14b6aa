//! The moments of one concrete run: delays from given clock values, between two ends. Exact: ends are rationals.

use beeline_ir::expr::ClockOp;
use beeline_ir::trace::Time;
use num_rational::Ratio;

use crate::clock::{ClockSet, Constraint};

/// Differences of times have numerators and denominators below 2^127, so no calculation here overflows.
type Wide = Ratio<i128>;

fn wide(time: &Time) -> Wide {
    Ratio::new_raw(i128::from(*time.numer()), i128::from(*time.denom()))
}

/// A non-empty interval of delays from given clock values.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    clocks: &'a [Time],
    /// The least delay, and whether it is excluded.
    from: (Wide, bool),
    /// The greatest delay, if there is one, and whether it is excluded.
    to: Option<(Wide, bool)>,
}

impl<'a> Line<'a> {
    /// Just after this delay.
    pub fn at(clocks: &'a [Time], delay: &Time) -> Self {
        Self { clocks, from: (wide(delay), false), to: Some((wide(delay), false)) }
    }
    /// Now or after any delay.
    pub fn onwards(clocks: &'a [Time]) -> Self {
        Self { clocks, from: (Wide::from_integer(0), false), to: None }
    }
    fn cut(mut self, op: ClockOp, delay: Wide) -> Option<Self> {
        let strict = matches!(op, ClockOp::Lt | ClockOp::Gt);
        if matches!(op, ClockOp::Ge | ClockOp::Gt | ClockOp::Eq) && (delay, strict) > self.from {
            self.from = (delay, strict);
        }
        if matches!(op, ClockOp::Le | ClockOp::Lt | ClockOp::Eq) {
            let tighter = match &self.to {
                None => true,
                Some((to, excluded)) => delay < *to || (delay == *to && strict && !excluded),
            };
            if tighter {
                self.to = Some((delay, strict));
            }
        }
        let empty = self.to.is_some_and(|(to, excluded)| {
            self.from.0 > to || (self.from.0 == to && (self.from.1 || excluded))
        });
        (!empty).then_some(self)
    }
}

impl ClockSet for Line<'_> {
    fn meet(&self, constraint: &Constraint) -> Option<Self> {
        let clock = |id: beeline_ir::ClockId| wide(&self.clocks[id.index()]);
        let bound = Wide::from_integer(i128::from(constraint.bound));
        match (constraint.left, constraint.right) {
            (Some(x), None) => self.clone().cut(constraint.op, bound - clock(x)),
            (None, Some(y)) => self.clone().cut(constraint.op.mirrored(), -bound - clock(y)),
            // Delay does not change a difference.
            (Some(x), Some(y)) => constraint.op.holds(&(clock(x) - clock(y)), &bound).then(|| self.clone()),
            (None, None) => constraint.op.holds(&0, &constraint.bound).then(|| self.clone()),
        }
    }
}
