//! Updates: stores, control flow, composite communication, processes that come and go.

use crate::common;

use beeline_ir::ClockId;
use beeline_ir::expr::MAX_ITERATIONS;
use beeline_ir::expr::RuntimeError::*;
use beeline_program::ClockEffect;
use common::{Bench, after};

#[test]
fn stores_check_or_wrap() {
    let vars = "var k in -2..3\nvar a[2] in 1..4 = {1, 1}";
    for (body, variable, expected) in [
        ("do { k := 3; }", "k", Ok(3)),
        ("do { k := 4; }", "k", Err(Range)),
        ("do { k := 0 - 3; }", "k", Err(Range)),
        ("do { wrap k := 4; }", "k", Ok(-2)),
        ("do { wrap k := 0 - 3; }", "k", Ok(3)),
        ("do { wrap k := 601; }", "k", Ok(1)),
        ("do { a[1] := 4; k := a[1] - 2; }", "k", Ok(2)),
        ("do { a[1] := 0; }", "k", Err(Range)),
        ("do { wrap a[0] := 0; }", "a", Ok(4)),
        ("do { a[2] := 1; }", "k", Err(Index)),
        ("do { a[2] := 1 / k; }", "k", Err(Index)),
        ("do { a[1 / k] := a[9]; }", "k", Err(DivisionByZero)),
        ("local t in 0..3\ndo { t := 4; }", "k", Err(Range)),
        ("local t in 0..3\ndo { wrap t := 5; k := t; }", "k", Ok(1)),
        ("local t[2] in 2..3\ndo { k := t[0]; }", "k", Ok(2)),
        ("local t[2] in 2..3\ndo { t[1] := 3; k := t[1]; }", "k", Ok(3)),
        ("local t[2] in 2..3\ndo { t[2] := 3; }", "k", Err(Index)),
        ("local t[2] in 2..3\ndo { k := t[0 - 1]; }", "k", Err(Index)),
    ] {
        assert_eq!(after(vars, body, variable), expected, "{body}");
    }
}

#[test]
fn control_flow() {
    let vars = "var k in 0..100\nvar n in 0..100 = 7";
    for (body, expected) in [
        ("if n == 7 { k := 1; } else { k := 2; }", 1),
        ("if n == 8 { k := 1; } else { k := 2; }", 2),
        ("if n { k := 1; } k := k + 1;", 2),
        ("while k < n { k := k + 2; }", 8),
        ("while 0 { k := 2; }", 0),
        ("while n > 0 { n := n - 1; if n % 2 { k := k + 10; } else { k := k + 1; } }", 34),
        (
            "while n > 0 { local_ := 0; while local_ < n { k := k + 1; local_ := local_ + 1; } n := n - 1; }",
            28,
        ),
    ] {
        let body = format!("local local_ in 0..9\ndo {{ {body} }}");
        assert_eq!(after(vars, &body, "k"), Ok(expected), "{body}");
    }
}

#[test]
fn iterations_calls_and_quantified_values_count_together_per_update() {
    let vars = "var k in 0..2000000\nvar n in 0..2000000
        fn spin(n in 0..2000000) -> 0..2000000 { local i in 0..2000000; while i < n { i := i + 1; } return i; }";
    let max = i64::from(MAX_ITERATIONS);
    let run = |body: String| after(vars, &format!("do {{ {body} }}"), "k");
    assert_eq!(run(format!("while k < {max} {{ k := k + 1; }}")), Ok(max));
    assert_eq!(run(format!("while k < {} {{ k := k + 1; }}", max + 1)), Err(Diverges));
    assert_eq!(run("while 1 { }".to_string()), Err(Diverges));
    // The call itself counts, too.
    assert_eq!(run(format!("k := spin({});", max - 1)), Ok(max - 1));
    assert_eq!(run(format!("k := spin({max});")), Err(Diverges));
    assert_eq!(run(format!("k := spin(1000); k := spin({});", max - 1002)), Ok(max - 1002));
    assert_eq!(run(format!("k := spin(1000); k := spin({});", max - 1001)), Err(Diverges));
    assert_eq!(run(format!("k := sum(i in 1..{max} : 1);")), Ok(max));
    assert_eq!(run(format!("k := sum(i in 0..{max} : 1);")), Err(Diverges));
    assert_eq!(run(format!("k := forall(i in 0..{} : i != 5);", i64::MAX)), Ok(0));
    assert_eq!(run(format!("k := forall(i in 0..{} : i != -5);", i64::MAX)), Err(Diverges));
    // The next update, and a guard, start counting afresh.
    let most = max - 1;
    let mut bench = Bench::edge(vars, &format!("guard spin({most}) > 0\ndo {{ k := spin({most}); }}"));
    for _ in 0..3 {
        assert_eq!(bench.fire(&[(0, 0, &[])]), Ok(()));
    }
}

#[test]
fn calls_have_effects_and_results() {
    let declarations = "var k in 0..9\nvar i in 0..9\nvar a[3] in 0..9
        fn put(x in 0..5) { k := x; i := 2; }
        fn both(x in 0..5) -> 0..9 { call put(x); return k + 1; }
        fn early(x in 0..5) { while 1 { k := k + 1; if k > x { return; } } }";
    assert_eq!(after(declarations, "do { call put(4); }", "k"), Ok(4));
    assert_eq!(after(declarations, "do { call put(6); }", "k"), Err(Range));
    assert_eq!(after(declarations, "do { k := call both(5); }", "k"), Ok(6));
    assert_eq!(after(declarations, "do { call early(3); }", "k"), Ok(4));
    // The index of the target is evaluated before the call changes it.
    let mut bench = Bench::edge(declarations, "do { a[i] := call both(3); }");
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert_eq!(bench.array("a", 3), [4, 0, 0]);
}

#[test]
fn clocks_and_assertions_are_effects_in_order() {
    let clocks = "clock x, y\nvar k in -9..9 = 3\nfn tick(n in 0..9) { y := n; x := y; }";
    let mut bench = Bench::edge(clocks, "do { x := k; y := x; call tick(5); assert k == 3; }");
    bench.fire(&[(0, 0, &[])]).unwrap();
    let [x, y] = [0, 1].map(ClockId::new);
    let expected =
        [ClockEffect::Set(x, 3), ClockEffect::Copy(y, x), ClockEffect::Set(y, 5), ClockEffect::Copy(x, y)];
    assert_eq!(bench.effects.clock_ops, expected);
    assert!(!bench.effects.assertion_failed);
    let mut bench = Bench::edge(clocks, "do { assert k == 4; k := 5; assert k == 5; }");
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert!(bench.effects.assertion_failed);
    assert_eq!(bench.get("k"), 5, "a failed assertion has no other effect");
    assert_eq!(after(clocks, "do { x := 0 - 1; }", "k"), Err(ClockValue));
    assert_eq!(after(clocks, "do { x := 2147483648; }", "k"), Ok(3));
    assert_eq!(after(clocks, "do { x := 2147483649; }", "k"), Err(ClockValue));
}

#[test]
fn composite_sends_and_receives() {
    let declarations = "buffer q capacity 2 of (0..3, 0..9)\nchan r of (0..3)\nvar k in 0..9\nvar m in 0..9\nvar a[2] in 0..9";
    let run = |body: &str| {
        let mut bench = Bench::edge(declarations, &format!("do {{ {body} }}"));
        bench.fire(&[(0, 0, &[])]).map(|()| (bench.queue(0), bench.get("k"), bench.get("m")))
    };
    let messages = |list: &[[i64; 2]]| list.iter().map(|m| m.to_vec()).collect::<Vec<_>>();
    assert_eq!(run("send q(5, 11);"), Ok((messages(&[[1, 1]]), 0, 0)), "fields wrap");
    assert_eq!(run("send q(2, 0); sorted send q(1, 9);"), Ok((messages(&[[1, 9], [2, 0]]), 0, 0)));
    assert_eq!(run("send q(1, 1); send q(1, 1); send q(1, 1);"), Err(Blocked));
    assert_eq!(run("send q(1, 4); receive q(k, m);"), Ok((vec![], 1, 4)));
    assert_eq!(run("send q(1, 4); receive keep q(k, m);"), Ok((messages(&[[1, 4]]), 1, 4)));
    assert_eq!(run("send q(1, 4); send q(2, 5); receive any q(=2, m);"), Ok((messages(&[[1, 4]]), 0, 5)));
    assert_eq!(run("send q(1, 4); send q(2, 5); receive q(=2, m);"), Err(Blocked));
    assert_eq!(run("receive q(_, _);"), Err(Blocked));
    assert_eq!(run("send q(1, 1); receive q(k, a[k]);"), Ok((vec![], 1, 0)), "fields are bound in order");
    assert_eq!(run("send q(2, 1); receive q(k, a[k]);"), Err(Index));
    assert_eq!(run("send *(1)(1, 4); receive *(1)(k, _);"), Ok((vec![], 1, 0)));
    for wrong in [
        "send *(2)(1);",
        "receive *(2)(_);",
        "send *(1)(1);",
        "receive *(1)(_);",
        "send *(0)(1);",
        "send *(3)(1);",
    ] {
        assert_eq!(run(wrong), Err(Channel), "{wrong}");
    }
}

#[test]
fn processes_start_and_end_in_reverse_order() {
    let text = "network t
        var n in -9..9
        family f
        process A { init a location a
            edge a -> a { do { n := start f(7, 1); } }
            edge a -> a { do { exit; } } }
        process S0 in f { param x in 0..3 param y in 0..3 var z in 0..5 = 4 init s location s location t
            edge s -> t { do { z := 1; } }
            edge t -> t { do { exit; } } }
        process S1 in f { param x in 0..3 param y in 0..3 var z in 0..5 = 4 init s location s location t
            edge s -> t { do { z := 1; } }
            edge t -> t { do { exit; } } }";
    let mut bench = Bench::new(text);
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert_eq!((bench.get("n"), bench.get("S0.x"), bench.get("S0.y"), bench.get("S0.z")), (1, 3, 1, 4));
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert_eq!((bench.get("n"), bench.get("S1.x")), (2, 3));
    let full = bench.state.clone();
    assert_eq!(bench.fire(&[(0, 0, &[])]), Err(NoFreeSlot));
    bench.state = full;
    for slot in [1, 2] {
        bench.fire(&[(slot, 0, &[])]).unwrap();
    }
    let both = bench.state.clone();
    assert_eq!(bench.fire(&[(1, 1, &[])]), Err(ExitOrder));
    bench.state = both.clone();
    assert_eq!(bench.fire(&[(0, 1, &[])]), Err(ExitOrder));
    bench.state = both;
    for slot in [2, 1] {
        bench.fire(&[(slot, 1, &[])]).unwrap();
    }
    bench.set("n", 0);
    let initial = bench.program.layout.initial(&bench.network);
    assert_eq!(bench.state, initial, "nothing is left of the ended processes");
    assert_eq!(bench.fire(&[(0, 1, &[])]), Ok(()));
    assert_eq!(bench.program.location(common::process(0), &bench.state), None);
}
