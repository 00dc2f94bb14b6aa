//! Cartesian abstractions on models where it is known what matters.

use crate::of_initial;

use beeline_engine::heuristic::Estimate;
use of_initial::of_initial;

const MET: &str = "a shortest trace was met while it was refined";

/// The target waits for B, which waits for a counter, which C counts; D and y have nothing to do with it.
const COUNTER: &str = "var x in 0..5 var y in 0..5 chan go
    process A { location a location b edge a -> b { receive go } }
    process B { location a location b edge a -> b { guard x == 5 } edge b -> b { send go } }
    process C { location a edge a -> a { guard x < 5 do { x := x + 1; } } }
    process D { location a location b edge a -> b { guard y < 5 do { y := y + 1; } } edge b -> a { } }
    property : E<> A.b";

/// One abstract state for each number of steps is enough, and each split makes one.
#[test]
fn states_are_split_until_a_trace_is_met() {
    let (estimate, remark) = of_initial(COUNTER, "cartesian");
    assert_eq!(estimate, Estimate::Steps(7));
    assert!(remark.contains(MET), "{remark}");
    assert!(remark.starts_with("8 abstract states"), "{remark}");
    for states in 1..8 {
        let (estimate, remark) = of_initial(COUNTER, &format!("cartesian:states={states}"));
        assert_eq!(estimate, Estimate::Steps(states - 1), "{remark}");
        assert!(!remark.contains(MET), "{remark}");
    }
}

#[test]
fn without_a_way_there_is_a_proof() {
    let (estimate, remark) = of_initial(&COUNTER.replace("x < 5", "x < 4"), "cartesian");
    assert_eq!(estimate, Estimate::Infinite);
    assert!(remark.contains("the target is out of its reach"), "{remark}");
}

/// A target that is no conjunction, and one that is nowhere.
#[test]
fn targets_of_all_kinds() {
    let either = COUNTER.replace("E<> A.b", "E<> A.b || y == 3");
    assert_eq!(of_initial(&either, "cartesian").0, Estimate::Steps(5));
    assert_eq!(of_initial(&COUNTER.replace("E<> A.b", "E<> 0"), "cartesian").0, Estimate::Infinite);
    assert_eq!(of_initial(&COUNTER.replace("E<> A.b", "E<> 1"), "cartesian").0, Estimate::ZERO);
}

/// x has to be set back every 20 units of time; z is compared, but does not matter.
const CYCLE: &str = "clock x, y, z
    process P { location a { invariant x <= 20 } location b
        edge a -> a { when x >= 20 do { x := 0; } } edge a -> b { when y >= 100 } }
    process Q { location a location b edge a -> b { when z >= 3 } }
    property : E<> P.b";

#[test]
fn clocks_are_split_when_they_stand_in_the_way() {
    let (estimate, remark) = of_initial(CYCLE, "cartesian");
    assert_eq!(estimate, Estimate::Steps(5), "{remark}");
    assert!(remark.contains(MET), "{remark}");
    assert_eq!(of_initial(CYCLE, "cartesian:clocks=none").0, Estimate::Steps(1));
}

/// Q, of which the target knows nothing, sets back the clock that P waits for; and it keeps time from passing.
#[test]
fn automata_that_matter_only_for_clocks_do() {
    let waits = "clock x
        process P { location a location b location c edge a -> b { when x >= 5 } edge b -> c { when x <= 2 } }
        process Q { location a edge a -> a { when x >= 5 do { x := 0; } } }
        property : E<> P.c";
    assert_eq!(of_initial(waits, "cartesian").0, Estimate::Steps(3));
    let never = waits.replace("do { x := 0; }", "");
    assert_eq!(of_initial(&never, "cartesian").0, Estimate::Infinite);
}

/// Somebody at a committed location goes first: Q never sees that v is 1.
#[test]
fn commitment_counts() {
    let text = "clock x var v in 0..1
        process P { location a committed location b location c
            edge a -> b { do { x := 0; v := 1; } } edge b -> c { do { v := 0; } } }
        process Q { location a location b edge a -> b { guard v == 1 } }
        property : E<> Q.b";
    assert_eq!(of_initial(text, "cartesian").0, Estimate::Infinite);
    assert_eq!(of_initial(&text.replace("committed ", ""), "cartesian").0, Estimate::Steps(2));
}
