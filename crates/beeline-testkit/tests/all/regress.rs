//! Mistakes once made, found by reading the code or by people trying things; each with a word on what was wrong. Those
//! that random models found are in `conformance.rs`.

use beeline_check::{Certify, Shortest, Verdict, check};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::text::{ReadOptions, read};

fn verdict(text: &str) -> (Verdict, Option<Shortest>) {
    let model = read(text, ReadOptions { file: "regress", record_places: false }).expect("well-formed");
    let Model::Network(network) = &model else { panic!("a network") };
    let property = &network.properties[0];
    let outcome = explore(network, property, &Options::default(), &mut |_| {}).expect("supported");
    let checked =
        check(&model, property, outcome, Certify::Always, &Limits::default()).expect("the kernel agrees");
    (checked.verdict(), checked.shortest())
}

/// Closing a contradictory zone of many clocks let the kernel's bounds grow until they overflowed.
#[test]
fn a_contradiction_between_many_clocks_does_not_overflow() {
    let clocks: String = (1..=40).map(|i| format!("clock x{i}\n")).collect();
    let loops: String = (1..=40).map(|i| format!("edge b -> b {{ when x{i} == 1000 }}\n")).collect();
    let text = format!(
        "network many\n{clocks}process P {{ init a location a location b location bad
         edge a -> b {{ when x1 >= 1000 }} edge b -> bad {{ when x1 <= 5 }} {loops} }}
         property : A[] !P.bad"
    );
    assert_eq!(verdict(&text), (Verdict::Holds, None));
}

/// Finding the times of a run tried choices with one alternative last, and so took time exponential in its length.
#[test]
fn choices_without_alternative_come_first() {
    let n = 40;
    let text = format!(
        "network expo
         clock x, y
         broadcast chan c
         broadcast chan e
         var k in 0..{n}
         process A {{ init a location a {{ invariant x <= 3 }} location done
           edge a -> a {{ guard k < {n} send c do {{ k := k + 1; x := 0; }} }}
           edge a -> done {{ guard k == {n} send e }} }}
         process B {{ init a location a location caught
           edge a -> caught {{ when x >= 1, x <= 2 receive c }}
           edge a -> caught {{ when y <= {} receive e }} }}
         property : E<> A.done && B.a",
        3 * n - 1
    );
    assert_eq!(verdict(&text), (Verdict::Holds, Some(Shortest::Certified)));
}

/// Clock bounds did not look beyond the end of a process that may be started again.
#[test]
fn clocks_matter_beyond_the_end_of_a_process() {
    let text = "network restart
        clock x
        var done in 0..1
        family fam
        process Main { init m location m edge m -> m { guard !alive(S) do { start fam(); } } }
        process S in fam { init a location a location b location bad
          edge a -> b { when x >= 3 do { done := 1; } }
          edge b -> b { do { exit; } }
          edge a -> bad { guard done == 1 when x <= 2 } }
        property : A[] !S.bad";
    assert_eq!(verdict(text), (Verdict::Holds, None));
}

/// An observer whose guard fails at run time cut runs short without a word, and the property held.
#[test]
fn an_observer_that_fails_decides_nothing() {
    let text = "network n
        var k in 0..3
        process P { init a location a edge a -> a { guard k < 3 do { k := k + 1; } } }
        observer process O { init w location w location bad
          edge w -> w { guard k < 2 || 1 / (k - 2) > 0 } edge w -> bad { guard k == 3 } }
        property : never O at {bad}";
    assert_eq!(verdict(text).0, Verdict::Unknown);
}

/// A condition over clocks was copied into both branches, so that nested ones grew exponentially.
#[test]
fn nested_conditions_over_clocks_stay_small() {
    let nested =
        (0..60).fold("x <= 3".to_string(), |inner, i| format!("(({inner}) ? x >= 0 : x > {})", i % 5 + 4));
    let text = format!(
        "network n clock x process P {{ init a location a edge a -> a {{ do {{ x := 0; }} }} }}
         property : A[] {nested}"
    );
    // With 3 < x <= 4 the innermost is false, and so is `x > 4` and everything built on it.
    assert_eq!(verdict(&text).0, Verdict::Violated);
}

/// Where a copied clock decided a difference, its bounds were those of the clock copied to. Found by seed 3340978 of
/// the timed profile: the path found had no solution in real time.
#[test]
fn a_copied_clock_is_compared_like_the_one_copied_to() {
    let text = "network copy
        var v in 0..2
        clock x, y
        process P { init a location a { invariant y < 2 } location b { invariant y <= 3 }
          edge a -> b { when y > 1 do { x := 0; v := 1; } } }
        process Q { init a location a location b
          edge a -> b { guard v == 0 } edge b -> a { do { y := 0; } } edge a -> a { guard 0 when y - x > -3 } }
        process R { init a location a location b { invariant y - x < 1 }
          edge a -> b { do { x := y; y := 0; v := v + 1; } } }
        property : A[] !(v == 2)";
    assert_eq!(verdict(text), (Verdict::Violated, Some(Shortest::Certified)));
}
