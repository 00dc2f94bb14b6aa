//! Limits end a guided search with what is known by then: a lower bound that is not 0 and not too large.

use beeline_ir::limits::{CancelToken, Limits, StopReason, Work};
use beeline_ir::outcome::Finding;
use beeline_ir::relation::Relation;
use beeline_symbolic::{Direction, Options, explore};

/// Three counters that take turns; the error is 30 steps away, and it takes all of them to see that.
const COUNTERS: &str = "MODULE main
IVAR turn : 0..2;
VAR a : counter(turn = 0, TRUE); b : counter(turn = 1, a.n >= 5); c : counter(turn = 2, b.n >= 5);
INVARSPEC !(a.n = 10 & b.n = 10 & c.n = 10)
MODULE counter(mine, free)
VAR n : 0..10;
ASSIGN init(n) := 0; next(n) := mine & free & n < 10 ? n + 1 : n;
";

fn counters() -> Relation {
    beeline_smv::read(COUNTERS, "counters.smv").expect("a model").relation
}

fn guided(limits: Limits) -> (Finding, u32) {
    let relation = counters();
    let options = Options { direction: Direction::Guided, limits, ..Options::default() };
    let explored = explore(&relation, &relation.properties[0], &options).expect("supported");
    (explored.outcome.finding, explored.outcome.lower_bound)
}

#[test]
fn without_limits_the_error_is_found() {
    let (finding, bound) = guided(Limits::default());
    assert!(matches!(finding, Finding::Reachable { shortest: true, .. }), "{finding:?}");
    assert_eq!(bound, 30);
}

/// More work, a better bound; some of the runs are stopped on the way.
#[test]
fn work_that_is_used_up_leaves_a_lower_bound() {
    let (mut last, mut stopped) = (0, 0);
    for thousands in [50, 200, 400, 800, 1_600, 3_200, 6_400] {
        let limits = Limits { work: Some(Work::new(thousands * 1_000, 1)), ..Limits::default() };
        let (finding, bound) = guided(limits);
        assert!(bound >= last && bound <= 30, "{bound} after {last}");
        if finding == Finding::Unknown(StopReason::Work) {
            stopped += usize::from(bound > 0);
        } else {
            assert_eq!(bound, 30, "{finding:?}");
        }
        last = bound;
    }
    assert!(stopped > 0 && last > 0, "{stopped} runs were stopped with a bound, the last one is {last}");
}

#[test]
fn who_cancels_gets_no_answer() {
    let cancel = CancelToken::default();
    cancel.cancel(StopReason::Interrupted);
    let (finding, bound) = guided(Limits { cancel, ..Limits::default() });
    assert_eq!(finding, Finding::Unknown(StopReason::Interrupted));
    assert!(bound <= 30);
}
