//! Anytime search: a greedy pass finds some run, further passes look for shorter ones with weights 5, 3, 2 and 1,
//! and leave out what is certainly no shorter than the best one so far; the last one proves that there is none.
//! (Hansen and Zhou, "Anytime heuristic search", 2007; Richter, Thayer and Ruml, "The joy of forgetting: faster
//! anytime search via restarting", 2010.)
//!
//! Only admissible estimates leave anything out, so a pass that comes to its end without finding anything proves
//! the length of the best run, whatever the other heuristics are. A limit leaves the best run so far.

use super::astar::ByTotal;
use super::best_first;
use super::greedy::{ByEstimate, Style};
use super::guide::Guide;
use super::plan::{Evaluation, Pass, Plan, Report};
use super::{End, Hit, OpenList, Proves, Searched};
use crate::passed::{Covering, Keeping, Passed};
use crate::state::packing::Packer;
use crate::successors::space::Space;
use crate::time::TimePart;
use crate::trace::path;
use beeline_ir::limits::Limits;
use beeline_ir::trace::NetworkRun;

/// The weights of the passes after the first one.
const WEIGHTS: [u32; 4] = [5, 3, 2, 1];

/// Runs the passes, or only the greedy one if any length will do.
pub fn run<T: TimePart>(
    space: &Space<T>,
    initial: &[i64],
    keeping: Keeping,
    style: Style,
    guide: &mut Guide<'_>,
    limits: &Limits,
    report: &mut Report<'_>,
) -> Searched {
    let labels = style.preferred || guide.judges_labels();
    let plan = Plan { evaluation: Evaluation::Eager, labels, bound: None, limits };
    let mut pass = |covering, open: &mut dyn OpenList, guide: &mut Guide<'_>, plan| {
        let passed = Passed::new(Packer::new(space.ranges()), Keeping { covering, ..keeping });
        let Pass { searched, steps, .. } =
            best_first::run(space, initial.to_vec(), passed, open, guide, plan, report);
        report.before = searched.stats;
        report.lower_bound = searched.lower_bound;
        let run = match &searched.end {
            End::Found(hit) => path::run(space, &searched, hit).ok(),
            _ => None,
        };
        (searched, steps.zip(run))
    };
    let first = pass(Covering::Any, &mut ByEstimate::new(guide.len(), style), guide, plan);
    // Where a run cannot be rebuilt, the caller will find out.
    let (searched, Some(mut best)) = first else { return first.0 };
    if keeping.covering == Covering::Any {
        return searched;
    }
    let warning = searched.notes.warning;
    let mut weights = WEIGHTS.into_iter();
    loop {
        let weight = weights.next().unwrap_or(1);
        let plan = Plan { evaluation: Evaluation::Lazy, labels: false, bound: Some(best.0), limits };
        let (mut searched, shorter) = pass(Covering::ByCost, &mut ByTotal::new(weight), guide, plan);
        let proves = match (&searched.end, shorter) {
            (End::Found(_), Some(shorter)) => {
                best = shorter;
                // The first run that A* finds is a shortest one.
                if weight > 1 || !guide.admissible() {
                    continue;
                }
                Proves::Length
            }
            (End::Found(_), None) => return searched,
            (end, _) if end.nothing_found() => Proves::Length,
            _ => Proves::Reachability,
        };
        let (steps, run): (u32, NetworkRun) = best;
        searched.lower_bound = searched.lower_bound.min(steps);
        searched.notes.warning = searched.notes.warning.or(warning);
        return Searched { end: End::Found(Hit::Run(Box::new(run))), proves, ..searched };
    }
}
