//! What one pass of a search is told, and what it tells: when to ask heuristics, what to leave out, what came of
//! it.

use super::Searched;
use super::guide::{Ask, Guide, greatest};
use crate::api::Progress;
use crate::heuristic::Estimate;
use crate::successors::space::State;
use crate::time::TimePart;
use beeline_ir::limits::Limits;
use beeline_ir::outcome::Stats;

/// When heuristics are asked.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Evaluation {
    /// All of them, about every state that is stored.
    Eager,
    /// The first one about every state that is stored; the others when its turn comes, and then it waits again.
    Lazy,
    /// When the turn of a state comes. Until then it has the estimates of the state before.
    Deferred,
    /// Before a state is stored; it is not if it takes more steps than these in all.
    Within(u32),
}

impl Evaluation {
    /// Whether so many steps are more than allowed; if so, they may be the least of those.
    pub fn exceeded(self, steps: u32, beyond: &mut Option<u32>) -> bool {
        let exceeded = matches!(self, Self::Within(most) if steps > most);
        if exceeded {
            *beyond = Some(beyond.map_or(steps, |least| least.min(steps)));
        }
        exceeded
    }
}

/// How to go about it.
#[derive(Copy, Clone, Debug)]
pub struct Plan<'a> {
    /// When heuristics are asked.
    pub evaluation: Evaluation,
    /// Whether to ask which labels are preferred, and for what else heuristics have to say about labels.
    pub labels: bool,
    /// Only runs of fewer steps than this are looked for.
    pub bound: Option<u32>,
    /// When to give up.
    pub limits: &'a Limits,
}

impl Plan<'_> {
    /// Whether no run through a state reached in `g` steps is short enough.
    pub fn too_long(&self, guide: &Guide<'_>, g: u32, estimates: &[Estimate]) -> bool {
        self.bound.is_some_and(|bound| g.saturating_add(guide.certain(estimates)) >= bound)
    }

    /// Whether a state reached in `g` steps is to be stored. If there is something to find out for that, its
    /// estimates come to `weight`; if it takes too many steps, that may be the least number `beyond`.
    pub fn admit<T: TimePart>(
        &self,
        time: &T,
        guide: &mut Guide<'_>,
        state: &State<T::Zone>,
        g: u32,
        weight: &mut Vec<Estimate>,
        beyond: &mut Option<u32>,
    ) -> Admission {
        if !matches!(self.evaluation, Evaluation::Within(_)) {
            Admission::Yes
        } else if !guide.evaluate(time, state, Ask::All, weight) {
            Admission::DeadEnd
        } else if self.evaluation.exceeded(g.saturating_add(greatest(weight)), beyond) {
            Admission::TooFar
        } else {
            Admission::Yes
        }
    }
}

/// Whether a state is to be stored.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Admission {
    /// Yes.
    Yes,
    /// Yes, but the target cannot be reached from it.
    DeadEnd,
    /// No: it takes more steps than allowed.
    TooFar,
}

/// What a search reports to, and the counters of those that went before it.
pub struct Report<'a> {
    /// Called now and then.
    pub progress: &'a mut dyn FnMut(&Progress),
    /// What was counted before.
    pub before: Stats,
    /// No run has fewer steps, as is known from before.
    pub lower_bound: u32,
}

/// What a search comes to.
#[derive(Debug)]
pub struct Pass {
    /// What it leaves behind.
    pub searched: Searched,
    /// The steps to the target, if it was found.
    pub steps: Option<u32>,
    /// The least number of steps in all of what was not stored for taking more than allowed.
    pub beyond: Option<u32>,
}
