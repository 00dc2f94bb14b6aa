//! Patterns that counterexamples lead to, on models where it is known what matters.

use crate::of_initial;

use beeline_engine::heuristic::Estimate;
use of_initial::of_initial;

const MET: &str = "(a shortest trace was met while it was chosen)";

/// The target waits for B, which waits for a counter, which C counts; D and y have nothing to do with it.
const COUNTER: &str = "var x in 0..5 var y in 0..5 chan go
    process A { location a location b edge a -> b { receive go } }
    process B { location a location b edge a -> b { guard x == 5 } edge b -> b { send go } }
    process C { location a edge a -> a { guard x < 5 do { x := x + 1; } } }
    process D { location a location b edge a -> b { guard y < 5 do { y := y + 1; } } edge b -> a { } }
    property : E<> A.b";

#[test]
fn what_guards_ask_for_is_added_and_nothing_else() {
    for from in ["cegar", "cegar:start=target", "cegar:collection=multiple"] {
        let (estimate, remark) = of_initial(COUNTER, from);
        assert_eq!(estimate, Estimate::Steps(7));
        assert!(remark.contains(MET), "{remark}");
        // C never moves, and goes without asking.
        assert!(remark.starts_with("pattern A+B+C+x ("), "{remark}");
    }
}

#[test]
fn what_does_not_fit_is_left_out() {
    for from in ["cegar:size=4", "cegar:size=4,start=target"] {
        let (estimate, remark) = of_initial(COUNTER, from);
        assert_eq!(estimate, Estimate::Steps(2));
        assert!(remark.starts_with("pattern A+B+C: "), "{remark}");
    }
}

#[test]
fn a_projection_without_a_way_ends_the_search_for_flaws() {
    let (estimate, remark) = of_initial(&COUNTER.replace("x < 5", "x < 4"), "cegar");
    assert_eq!(estimate, Estimate::Infinite);
    assert!(!remark.contains(MET), "{remark}");
    assert!(remark.contains("(the target is out of its reach)"), "{remark}");
}

/// x has to be set back every 20 units of time; z is compared, but does not matter.
const CYCLE: &str = "clock x, y, z
    process P { location a { invariant x <= 20 } location b
        edge a -> a { when x >= 20 do { x := 0; } } edge a -> b { when y >= 100 } }
    process Q { location a location b edge a -> b { when z >= 3 } }
    property : E<> P.b";

#[test]
fn clocks_are_added_when_they_stand_in_the_way() {
    for from in ["cegar", "cegar:start=target"] {
        let (estimate, remark) = of_initial(CYCLE, from);
        assert_eq!(estimate, Estimate::Steps(5));
        assert!(remark.contains(MET), "{remark}");
        assert!(remark.starts_with("pattern P+x+y ("), "{remark}");
    }
    // Without clocks it is known that it is not a trace, and no more.
    let (estimate, remark) = of_initial(CYCLE, "cegar:clocks=none");
    assert_eq!(estimate, Estimate::Steps(1));
    assert!(!remark.contains(MET), "{remark}");
}

#[test]
fn clocks_of_the_target_are_added() {
    let target = CYCLE.replace("E<> P.b", "E<> P.b && y >= 200");
    let (estimate, remark) =
        of_initial(&target.replace("location b\n", "location b { invariant x <= 20 }\n"), "cegar");
    assert_eq!(estimate, Estimate::Steps(10));
    assert!(remark.contains(MET), "{remark}");
}

#[test]
fn an_automaton_that_holds_others_back_is_added() {
    // P may not go before Q is where it is not committed.
    let (estimate, remark) = of_initial(
        "process P { location a location b edge a -> b { } }
        process Q { committed location a committed location b location c
            edge a -> b { } edge b -> c { } }
        property : E<> P.b",
        "cegar",
    );
    assert_eq!(estimate, Estimate::Steps(3));
    assert!(remark.contains(MET), "{remark}");
}

#[test]
fn a_value_that_comes_from_elsewhere_is_asked_for() {
    // The projection without y sets x to anything.
    let (estimate, remark) = of_initial(
        "var x in 0..3 var y in 0..3
        process P { location a edge a -> a { do { x := y; } } }
        process Q { location a edge a -> a { guard y < 3 do { y := y + 1; } } }
        property : E<> x == 3",
        "cegar:start=target",
    );
    assert_eq!(estimate, Estimate::Steps(4));
    assert!(remark.contains(MET), "{remark}");
}

/// Two of them count to 40 each, in 42 states.
const TWO: &str = "var x in 0..40 var y in 0..40
    process P { location a location b edge a -> a { guard x < 40 do { x := x + 1; } } edge a -> b { guard x == 40 } }
    process Q { location a location b edge a -> a { guard y < 40 do { y := y + 1; } } edge a -> b { guard y == 40 } }
    property : E<> P.b && Q.b";

#[test]
fn where_one_pattern_has_no_room_there_are_several() {
    for (spec, several) in [("cegar:size=1700", false), ("cegar:size=1700,collection=multiple", true)] {
        let (estimate, remark) = of_initial(TWO, spec);
        // Together they have 1,764 states: one counter is left out, and both ways to b are seen.
        assert_eq!(estimate, Estimate::Steps(42));
        assert_eq!(remark.contains(", or pattern "), several, "{remark}");
    }
    // Where there is room, one is enough.
    let (estimate, remark) = of_initial(TWO, "cegar:size=1800,collection=multiple");
    assert_eq!(estimate, Estimate::Steps(82));
    assert!(remark.contains(MET) && !remark.contains(", or pattern "), "{remark}");
}
