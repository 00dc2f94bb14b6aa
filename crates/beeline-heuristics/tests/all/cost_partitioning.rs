//! Cost partitioning where clocks take part, on models where its values can be told by hand.

use crate::of_initial;

use beeline_engine::heuristic::Estimate;
use of_initial::of_initial;

/// P has to wait until y is 100, and may stay no longer than 20 units without a step that changes a clock alone: 4 of
/// them, and the last one. Q has to count to 30. R has nothing to do with either.
const APART: &str = "clock x, y var n in 0..30 var m in 0..9
process P { location a { invariant x <= 20 } location b
    edge a -> a { when x >= 20 do { x := 0; } } edge a -> b { when y >= 100 } }
process Q { location l edge l -> l { guard n < 30 do { n := n + 1; } } }
process R { location l edge l -> l { do { m := (m + 1) % 10; } } }
property : E<> P.b && n == 30";

/// Together they have more states than are allowed, so it takes a sum to know of both.
#[test]
fn databases_with_clocks_add_up_with_projections() {
    assert_eq!(of_initial(APART, "scp").0, Estimate::Steps(31), "P takes a step, if clocks do not count");
    assert_eq!(of_initial(APART, "cegar:size=30,collection=multiple").0, Estimate::Steps(5));
    for costs in ["saturated", "zero-one", "canonical"] {
        let (estimate, remark) = of_initial(APART, &format!("scp:timed=30,costs={costs}"));
        assert_eq!(estimate, Estimate::Steps(35), "{costs}: {remark}");
        assert!(remark.contains("1 with clocks"), "{remark}");
    }
    assert_eq!(of_initial(APART, "scp:timed=30,online=1").0, Estimate::Steps(35));
}

/// A label that both count is counted once: here P and Q step together, but for the steps that change a clock alone.
#[test]
fn no_label_counts_twice() {
    let together = APART
        .replace("edge a -> a { when x >= 20 ", "edge a -> a { when x >= 20 send c ")
        .replace("edge l -> l { guard n < 30 ", "edge l -> l { guard n < 30 receive c ")
        .replace("clock x", "chan c clock x");
    // 30 steps together give P all the time that it needs.
    for spec in ["scp", "scp:timed=30", "scp:timed=30,costs=zero-one", "scp:timed=30,costs=canonical"] {
        assert_eq!(of_initial(&together, spec).0, Estimate::Steps(31), "{spec}");
    }
}

/// What clocks rule out is out of reach for the sum.
#[test]
fn dead_ends_by_clocks() {
    let never = APART.replace("when x >= 20 do { x := 0; }", "when x >= 20 do { x := 0; y := 0; }");
    assert_eq!(of_initial(&never, "scp").0, Estimate::Steps(31));
    assert_eq!(of_initial(&never, "scp:timed=30").0, Estimate::Infinite);
}

/// Without clocks there is nothing that could take part.
#[test]
fn without_clocks_nothing_takes_part() {
    let untimed = "var n in 0..9 process Q { location l edge l -> l { guard n < 9 do { n := n + 1; } } }
        property : E<> n == 9";
    let (estimate, remark) = of_initial(untimed, "scp:timed=1000");
    assert_eq!((estimate, remark.contains("with clocks")), (Estimate::Steps(9), false), "{remark}");
}
