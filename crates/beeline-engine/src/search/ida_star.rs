//! IDA\*: depth first within a number of steps in all, which is the least that the pass before has met beyond its
//! own. (Korf, "Depth-first iterative-deepening: an optimal admissible tree search", 1985; with a table of the
//! states of the pass, as in Reinefeld and Marsland, "Enhanced iterative-deepening search", 1994.)
//!
//! States beyond the number of steps are not stored: that is what it saves, at the price of going over the others
//! again. Within a pass only a state reached in no more steps covers another. So every state of a shortest run
//! that is short enough has one stored that covers it, in no more steps; by admissibility that one is not beyond,
//! so it is expanded, and the next state of the run has one, too.

use super::best_first;
use super::dfs::Stack;
use super::guide::Guide;
use super::plan::{Evaluation, Pass, Plan, Report};
use super::{End, Proves, Searched};
use crate::passed::{Covering, Keeping, Passed};
use crate::state::packing::Packer;
use crate::successors::space::Space;
use crate::time::TimePart;
use beeline_ir::limits::{Limits, StopReason};

/// Runs the search to its end.
pub fn run<T: TimePart>(
    space: &Space<T>,
    initial: &[i64],
    keeping: Keeping,
    guide: &mut Guide<'_>,
    limits: &Limits,
    report: &mut Report<'_>,
) -> Searched {
    let exact = keeping.covering == Covering::ByCost && guide.admissible();
    let mut most = 0;
    loop {
        let plan = Plan { evaluation: Evaluation::Within(most), labels: false, bound: None, limits };
        if exact {
            report.lower_bound = most;
        }
        let passed = Passed::new(Packer::new(space.ranges()), keeping);
        let open = &mut Stack::default();
        let Pass { mut searched, beyond, .. } =
            best_first::run(space, initial.to_vec(), passed, open, guide, plan, report);
        let nothing_found = matches!(
            searched.end,
            End::Exhausted | End::Stopped(StopReason::PropertyFails | StopReason::Diverges)
        );
        match beyond {
            Some(next) if nothing_found => {
                most = next;
                report.before = searched.stats;
            }
            _ => {
                if exact {
                    searched.proves = Proves::LengthUnkept;
                }
                return searched;
            }
        }
    }
}
