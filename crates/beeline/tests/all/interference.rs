//! Ways in which one step may get in the way of another that partial-order reduction has overlooked once: it gave wrong answers about these models.

use crate::common::{beeline, directory, file};
use serde_json::Value;

/// A model, and the lengths of the shortest violations of its properties.
type Case = (&'static str, &'static str, &'static [Option<u64>]);

const CASES: &[Case] = &[
    (
        "an index of an atomic sequence",
        "network n
         var a[3] in 0..1 = {0,0,0}
         var i in 0..3 = 3
         process P { init l0 location l0 atomic location l1 location l2
           edge l0 -> l1
           edge l1 -> l2 { do { a[i] := 1; } } }
         process Q { init q0 location q0 location q1 edge q0 -> q1 }
         property : A[] !Q.q1",
        &[Some(1)],
    ),
    (
        "a message of a channel given by its value",
        "network n
         chan c of (0..1)
         buffer q capacity 1 of (0..1)
         var h in 1..2 = 2
         var x in 0..1 = 0
         process P { init l0 location l0 location l1
           edge l0 -> l0
           edge l0 -> l1 { receive keep *h(_) } }
         process Q { init q0 location q0 location q1 location q2 location q3
           edge q0 -> q1
           edge q1 -> q2 { do { x := 1; } }
           edge q2 -> q3 { receive q(_) } }
         property : A[] x == 0",
        &[Some(2)],
    ),
    (
        "a partner that fails",
        "network n
         chan c
         var v in 0..0 = 0
         process O { init l0 location l0 atomic location l1 location l2
           edge l0 -> l1
           edge l1 -> l2 { send c } }
         process R { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { v := v + 1; } } }
         process P { init p0 location p0 location p1
           edge p0 -> p1  edge p1 -> p0 }
         property : A[] !deadlock",
        &[Some(1)],
    ),
    (
        "a listener that fails",
        "network n
         broadcast chan c
         var v in 0..0 = 0
         process O { init l0 location l0 atomic location l1 location l2
           edge l0 -> l1
           edge l1 -> l2 { send c } }
         process R { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { v := v + 1; } } }
         process P { init p0 location p0 location p1
           edge p0 -> p1  edge p1 -> p0 }
         property : A[] !deadlock",
        &[Some(1)],
    ),
    (
        "a partner whose invariant fails",
        "network n
         chan c
         var v in 0..1 = 0
         process O { init l0 location l0 atomic location l1 location l2
           edge l0 -> l1
           edge l1 -> l2 { send c } }
         process R { init r0 location r0 location r1 { condition v == 1 }
           edge r0 -> r1 { receive c } }
         process P { init p0 location p0 location p1
           edge p0 -> p1  edge p1 -> p0 }
         property : A[] !deadlock",
        &[Some(1)],
    ),
    (
        "an index of whom it starts",
        "network n
         family F
         var a[3] in 0..1 = {0,0,0}
         process M { init p0 location p0 location p1
           edge p0 -> p1 { do { start F(2); a[F0.arg] := 1; } } }
         process O { init o0 location o0 location o1
           edge o0 -> o1 { guard a[2] == 0 } }
         process F0 in F { param arg in 0..2 init f0 location f0 }
         property : A[] !(M.p1 && O.o1)",
        &[Some(2)],
    ),
    (
        "an index of whom it starts and others",
        "network n
         family F
         var a[3] in 0..1 = {0,0,0}
         process M { init p0 location p0 location p1
           edge p0 -> p1 { do { start F(2); a[F0.arg] := 1; } } }
         process O { init o0 location o0 location o1
           edge o0 -> o1 { guard a[2] == 0 } }
         process F0 in F { param arg in 0..2 init f0 location f0 }
         property : A[] !O.o1",
        &[Some(1)],
    ),
    (
        "whoever starts may be committed and stuck",
        "network n
         family F
         process P { init p0 location p0 location p1
           edge p0 -> p1  edge p1 -> p0 }
         process O { init o0 location o0 location o1
           edge o0 -> o1 { do { start F(0); } } }
         process F0 in F { param arg in 0..0 init f0 committed location f0 }
         property : A[] !deadlock",
        &[Some(1)],
    ),
    (
        "whoever starts may be committed",
        "network n
         family F
         var x in 0..1 = 0
         var y in 0..1 = 0
         process M { init p0 location p0 location p1
           edge p0 -> p1 { do { start F(0); } } }
         process O { init o0 location o0 location o1
           edge o0 -> o1 { guard x == 0 } }
         process F0 in F { param arg in 0..0 init f0 committed location f0 location f1
           edge f0 -> f1 { do { x := 1; y := 1; } } }
         property : A[] !(M.p1 && O.o1)
         property : A[] !(y == 1 && O.o1)
         property : A[] !(O.o1 && y == 1)",
        &[Some(2), Some(3), Some(3)],
    ),
    (
        "an index that the sender changes",
        "network n
         chan c
         var i in 0..2 = 0
         var a[3] in 0..1 = {0,0,0}
         process S { init s0 location s0 location s1
           edge s0 -> s1 { send c do { i := 2; } } }
         process R { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { a[i] := 1; } } }
         process Q { init q0 location q0 location q1
           edge q0 -> q1 { guard a[2] == 0 } }
         property : A[] !(R.r1 && Q.q1)
         property : A[] !R.r1 || !Q.q1 || i != 2",
        &[Some(2), Some(2)],
    ),
    (
        "an index that the sender changes and others",
        "network n
         chan c
         var i in 0..2 = 0
         var a[3] in 0..1 = {0,0,0}
         process S { init s0 location s0 location s1
           edge s0 -> s1 { send c do { i := 2; } } }
         process R { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { a[i] := 1; } } }
         process Q { init q0 location q0 location q1
           edge q0 -> q1 { guard a[2] == 0 } }
         property : A[] !Q.q1",
        &[Some(1)],
    ),
    (
        "a channel that the sender changes",
        "network n
         chan c
         buffer q[2] capacity 1 of (0..1)
         var h in 0..3 = 2
         process S { init s0 location s0 location s1
           edge s0 -> s1 { send c do { h := 3; } } }
         process R { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { send *h(1); } } }
         process Q { init q0 location q0 location q1
           edge q0 -> q1 { guard len(q[1]) == 0 } }
         property : A[] !(R.r1 && Q.q1)
         property : A[] !(Q.q1)",
        &[Some(2), Some(1)],
    ),
    (
        "an index that another listener changes",
        "network n
         broadcast chan c
         var i in 0..2 = 0
         var a[3] in 0..1 = {0,0,0}
         process S { init s0 location s0 location s1
           edge s0 -> s1 { send c } }
         process R { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { i := 2; } } }
         process T { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { a[i] := 1; } } }
         process Q { init q0 location q0 location q1
           edge q0 -> q1 { guard a[2] == 0 } }
         property : A[] !(T.r1 && Q.q1)
         property : A[] !(Q.q1)",
        &[Some(2), Some(1)],
    ),
    (
        "an index of a sender that ends",
        "network n
         chan c
         var a[3] in 0..1 = {0,0,0}
         process Q { init q0 location q0 location q1 edge q0 -> q1 { guard a[0] == 0 } }
         process R { init r0 location r0 location r1
           edge r0 -> r1 { receive c do { a[S.z] := 1; } } }
         process S { var z in 0..2 = 0 init sa location sa location s0 location s1
           edge sa -> s0 { do { z := 2; } }
           edge s0 -> s1 { send c do { exit; } } }
         property : A[] !(a[0] == 1 && Q.q1)
         property : A[] !(R.r1 && Q.q1)",
        &[Some(3), Some(3)],
    ),
    (
        "a younger one that ends with it",
        "network n
         chan c
         var x in 0..1 = 0
         process O { init o0 location o0 location o1 edge o0 -> o1 { guard x == 0 } }
         process R { init r0 location r0 location r1 edge r0 -> r1 { receive c do { x := 1; exit; } } }
         process S { init s0 location s0 location s1 edge s0 -> s1 { send c do { exit; } } }
         property : A[] !(x == 1 && O.o1)
         property : A[] !O.o1",
        &[Some(2), Some(1)],
    ),
    (
        "a start in a function",
        "network n
         family F
         var y in 0..1
         fn go() -> 0..1 { start F(0); return 0; }
         process M { init p0 location p0 location p1 edge p0 -> p1 { do { call go(); } } }
         process N { init p0 location p0 location p1 edge p0 -> p1 }
         process F0 in F { param arg in 0..2 init f0 location f0 location f1 edge f0 -> f1 {do { y := 1; } } }
         property : A[] y == 0
         property : A[] !N.p1 || y == 0
         property : A[] !deadlock || y == 0",
        &[Some(2), Some(3), Some(3)],
    ),
    (
        "a start where time stands still",
        "network n
         family F
         clock x
         var k in 0..1 = 0
         fn go() -> 0..1 { start F(0); return 0; }
         process M { init p0 location p0 location p1 edge p0 -> p1 { do { call go(); } } }
         process N { init p0 location p0 location p1 location p2 edge p0 -> p1 { when x >= 2 do { x := 0; } } edge p1 -> p2 { when x >= 2 } }
         process F0 in F { param arg in 0..2 init f0 urgent location f0 }
         property : A[] !(M.p1 && N.p2)",
        &[Some(3)],
    ),
    (
        "an urgent buffer filled by an update",
        "network n
         urgent buffer q capacity 1 of (0..1)
         clock x
         var d in 0..1 = 0
         process A { init a0 location a0 location a1 edge a0 -> a1 { do { send q(1); } } }
         process B { init b0 location b0 location b1 edge b0 -> b1 { receive q(_) do { d := 1; } } }
         process C { init c0 location c0 location c1 location c2
           edge c0 -> c1 { guard d == 0 when x >= 5 do { x := 0; } }
           edge c1 -> c2 { guard d == 0 when x >= 5 } }
         property : A[] !(A.a1 && C.c2)",
        &[Some(3)],
    ),
    (
        "a clock bound of whom it asks about",
        "network n
         clock x
         chan c
         var d in 0..1 = 1
         process P { init p0 location p0 location p1 edge p0 -> p1 { receive c } }
         process S { init s0 location s0 location s1 edge s0 -> s1 { when x >= 4 / d send c } }
         process D { init d0 location d0 location d1 edge d0 -> d1 { do { d := 0; } } }
         process E { init e0 location e0 location e1 edge e0 -> e1 { guard enabled(P : #0) } }
         property : A[] !(E.e1 && D.d1 && P.p0)
         property : A[] !(D.d1 && E.e1 && P.p0)",
        &[Some(2), Some(2)],
    ),
];

/// Verdicts and lengths of traces.
pub fn lengths(path: &str, options: &[&str]) -> Vec<(Value, Option<u64>)> {
    let answer = beeline(["check", path, "--json", "--certify", "never"].iter().chain(options)).json();
    let results = answer["results"].as_array().expect("results");
    results.iter().map(|r| (r["verdict"].clone(), r["trace"]["length"].as_u64())).collect()
}

#[test]
fn nothing_that_interferes_is_overlooked() {
    let dir = directory("interference");
    for (name, text, shortest) in CASES {
        let path = file(&dir, "model.beeline", text);
        let all = lengths(&path, &["--search", "bfs"]);
        assert_eq!(all.iter().map(|(_, length)| *length).collect::<Vec<_>>(), *shortest, "{name}: {all:?}");
        assert_eq!(lengths(&path, &["--search", "bfs", "--partial-order", "stubborn"]), all, "{name}");
        for search in [["--search", "bfs", "--mode", "prove"], ["--search", "dfs", "--mode", "any"]] {
            let some = lengths(&path, &[&search[..], &["--partial-order", "ample"]].concat());
            for ((verdict, _), (with_all, _)) in some.iter().zip(&all) {
                assert_eq!(verdict, with_all, "{name} {search:?}");
            }
        }
    }
}

/// Each function is looked at once, however often it is called: they were gone through once for each way to them.
#[test]
fn functions_that_call_others_twice() {
    let double = |i: u32| format!("fn f{}() -> 0..1 {{ call f{i}(); call f{i}(); return 0; }}\n", i + 1);
    let text = format!(
        "network n var v in 0..1 fn f0() -> 0..1 {{ return 0; }}
         {}
         process P {{ init a location a location b edge a -> b {{ do {{ call f40(); }} }} }}
         process Q {{ init a location a location b edge a -> b {{ do {{ v := 1; }} }} }}
         property : A[] v == 0",
        (0..40).map(double).collect::<String>()
    );
    let path = file(&directory("functions"), "model.beeline", text);
    let found = lengths(&path, &["--search", "bfs", "--partial-order", "stubborn"]);
    assert_eq!(found, [("violated".into(), Some(1))]);
}
