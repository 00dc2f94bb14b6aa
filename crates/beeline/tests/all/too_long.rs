//! Processes that look alike, and an evaluation that takes too long or not depending on which of them it comes to first.

use crate::look_alikes::same_with_symmetry;

/// Models and what is special about them.
const TOO_LONG: &[(&str, &str)] = &[
    (
        "operands one of which takes long, in a guard that may take too long",
        "network e1
         fn f() -> 0..1 { local t in 0..2000000; while t < 1045000 { t := t + 1; } return 0; }
         process P0 {
           location b
           location s
           init s
           edge s -> b { guard P1.s }
         }
         process P1 {
           location b
           location s
           init s
           edge s -> b { guard P0.s }
         }
         process R {
           location x
           location y
           location z
           edge x -> y { guard P0.b || P1.b }
           edge y -> z { guard (P0.s && forall(i in 0..4000 : i >= 0) && P1.s || 1) && f() == 0 }
         }
         property p : no-runtime-error",
    ),
    (
        "operands one of which takes long, in a property that may take too long",
        "network e2
         fn f() -> 0..1 { local t in 0..2000000; while t < 1045000 { t := t + 1; } return 0; }
         process P0 {
           init s
           location s
           location b
           edge s -> b { guard P1.s }
         }
         process P1 {
           init s
           location s
           location b
           edge s -> b { guard P0.s }
         }
         property p : E<> (P0.b || P1.b) && (P0.s && forall(i in 0..4000 : i >= 0) && P1.s || 1) && f() == 0",
    ),
    (
        "operands one of which takes long, in an update that may take too long",
        "network e3
         var a[3] in 0..1
         process P1 {
           location s
           location b
           edge s -> b { guard P2.s do { a[1] := 1; } }
         }
         process P2 {
           location s
           location b
           edge s -> b { guard P1.s do { a[2] := 1; } }
         }
         process R {
           var t in 0..2000000
           location x
           location y
           location z
           edge x -> y { guard P1.b || P2.b }
           edge y -> z { do { if P1.s && forall(i in 0..4000 : i >= 0) && P2.s { a[0] := 1; } while t < 1045000 { t := t + 1; } } }
         }
         property p : no-runtime-error",
    ),
    (
        "a timeout that looks at processes in order, where one guard takes too long",
        "network a2
         fn f() -> 0..1 { local t in 0..1; while t < 1 { t := 0; } return 0; }
         process P0 {
           init s
           location a
           location b
           location s
           edge s -> a { guard !P1.a }
           edge s -> b { guard !P1.b }
           edge a -> a { }
           edge b -> b { guard R.y && f() == 1 }
         }
         process P1 {
           init s
           location a
           location b
           location s
           edge s -> a { guard !P0.a }
           edge s -> b { guard !P0.b }
           edge a -> a { }
           edge b -> b { guard R.y && f() == 1 }
         }
         process R {
           location x
           committed location y
           location z
           edge x -> y { guard P0.a && P1.b || P0.b && P1.a }
           edge y -> z { guard !timeout }
         }
         property p : E<> R.z
         property q : no-runtime-error",
    ),
    (
        "the same the other way round",
        "network a2
         fn f() -> 0..1 { local t in 0..1; while t < 1 { t := 0; } return 0; }
         process P0 {
           init s
           location b
           location a
           location s
           edge s -> a { guard !P1.a }
           edge s -> b { guard !P1.b }
           edge a -> a { }
           edge b -> b { guard R.y && f() == 1 }
         }
         process P1 {
           init s
           location b
           location a
           location s
           edge s -> a { guard !P0.a }
           edge s -> b { guard !P0.b }
           edge a -> a { }
           edge b -> b { guard R.y && f() == 1 }
         }
         process R {
           location x
           committed location y
           location z
           edge x -> y { guard P0.a && P1.b || P0.b && P1.a }
           edge y -> z { guard !timeout }
         }
         property p : E<> R.z
         property q : no-runtime-error",
    ),
    (
        "a partner that is looked for in order, where one guard takes too long",
        "network a4
         chan c
         fn f() -> 0..1 { local t in 0..1; while t < 1 { t := 0; } return 0; }
         process P0 {
           init s
           location a
           location b
           location s
           edge s -> a { guard !P1.a }
           edge s -> b { guard !P1.b }
           edge a -> a { receive c }
           edge b -> b { guard R.y && f() == 1 receive c }
         }
         process P1 {
           init s
           location a
           location b
           location s
           edge s -> a { guard !P0.a }
           edge s -> b { guard !P0.b }
           edge a -> a { receive c }
           edge b -> b { guard R.y && f() == 1 receive c }
         }
         process Q {
           location q
           edge q -> q { guard R.y send c }
         }
         process R {
           location x
           committed location y
           location z
           edge x -> y { guard P0.a && P1.b || P0.b && P1.a }
           edge y -> z { guard enabled(Q : #0) }
         }
         property p : E<> R.z
         property q : no-runtime-error",
    ),
    (
        "the same partner the other way round",
        "network a4
         chan c
         fn f() -> 0..1 { local t in 0..1; while t < 1 { t := 0; } return 0; }
         process P0 {
           init s
           location b
           location a
           location s
           edge s -> a { guard !P1.a }
           edge s -> b { guard !P1.b }
           edge a -> a { receive c }
           edge b -> b { guard R.y && f() == 1 receive c }
         }
         process P1 {
           init s
           location b
           location a
           location s
           edge s -> a { guard !P0.a }
           edge s -> b { guard !P0.b }
           edge a -> a { receive c }
           edge b -> b { guard R.y && f() == 1 receive c }
         }
         process Q {
           location q
           edge q -> q { guard R.y send c }
         }
         process R {
           location x
           committed location y
           location z
           edge x -> y { guard P0.a && P1.b || P0.b && P1.a }
           edge y -> z { guard enabled(Q : #0) }
         }
         property p : E<> R.z
         property q : no-runtime-error",
    ),
    (
        "selected values that are looked at in order by enabled",
        "network a6
         fn f() -> 0..1 { local t in 0..1; while t < 1 { t := 0; } return 0; }
         var a[3] in 0..2
         process P1 {
           location s
           location t
           edge s -> t { guard a[2] != 1 do { a[1] := 1; } }
           edge s -> t { guard a[2] != 2 do { a[1] := 2; } }
         }
         process P2 {
           location s
           location t
           edge s -> t { guard a[1] != 1 do { a[2] := 1; } }
           edge s -> t { guard a[1] != 2 do { a[2] := 2; } }
         }
         process Q {
           location q
           edge q -> q { select s in 1..2 guard R.y && (a[s] == 1 || a[s] == 2 && f() == 1) }
         }
         process R {
           location x
           committed location y
           location z
           edge x -> y { guard P1.t && P2.t }
           edge y -> z { guard enabled(Q : #0) }
         }
         property p : E<> R.z
         property q : no-runtime-error",
    ),
    (
        "the same values the other way round",
        "network a6
         fn f() -> 0..1 { local t in 0..1; while t < 1 { t := 0; } return 0; }
         var a[3] in 0..2
         process P1 {
           location s
           location t
           edge s -> t { guard a[2] != 2 do { a[1] := 2; } }
           edge s -> t { guard a[2] != 1 do { a[1] := 1; } }
         }
         process P2 {
           location s
           location t
           edge s -> t { guard a[1] != 2 do { a[2] := 2; } }
           edge s -> t { guard a[1] != 1 do { a[2] := 1; } }
         }
         process Q {
           location q
           edge q -> q { select s in 1..2 guard R.y && (a[s] == 2 || a[s] == 1 && f() == 1) }
         }
         process R {
           location x
           committed location y
           location z
           edge x -> y { guard P1.t && P2.t }
           edge y -> z { guard enabled(Q : #0) }
         }
         property p : E<> R.z
         property q : no-runtime-error",
    ),
    (
        "a sum over calls of which one fails and one takes too long",
        "network b1
         var n in 0..2
         var a[3] in 0..2
         fn f(n in 1..2) -> 0..1 { local t in 0..1; while a[n] == 2 { t := 0; } if a[n] == 1 { t := 2; } return t; }
         process P1 {
           init s
           location s
           location t
           edge s -> t { guard P2.s || a[2] == 1 do { a[1] := 2; n := n + 1; } }
           edge s -> t { guard P2.s || a[2] == 2 do { a[1] := 1; n := n + 1; } }
         }
         process P2 {
           init s
           location s
           location t
           edge s -> t { guard P1.s || a[1] == 1 do { a[2] := 2; n := n + 1; } }
           edge s -> t { guard P1.s || a[1] == 2 do { a[2] := 1; n := n + 1; } }
         }
         process R {
           location x
           location z
           edge x -> z { guard n == 2 && (sum(i in 1..2 : f(i))) == 0 }
         }
         property p : E<> R.z",
    ),
    (
        "invariants of which one asks for a guard that takes too long",
        "network c1
         var g in 0..1
         fn f() -> 0..1 { local t in 0..1; while t < 1 { t := 0; } return 0; }
         process P0 {
           init s
           location s
           location a { condition g == 0 }
           location b { condition !enabled(X : #0) }
           edge s -> a { guard !P1.a }
           edge s -> b { guard !P1.b }
         }
         process P1 {
           init s
           location s
           location a { condition g == 0 }
           location b { condition !enabled(X : #0) }
           edge s -> a { guard !P0.a }
           edge s -> b { guard !P0.b }
         }
         process X {
           location x
           edge x -> x { guard g == 1 && f() == 1 }
         }
         process R {
           location r
           location t
           edge r -> t { guard (P0.a && P1.b) || (P0.b && P1.a)  do { g := 1; } }
         }
         property p : E<> R.t",
    ),
    (
        "receivers of which one fails and one takes too long",
        "network d1
         broadcast chan c
         process P0 {
           var v in 0..1
           init s
           location a
           location b
           location s
           location t
           edge s -> a { guard !P1.a }
           edge s -> b { guard !P1.b }
           edge a -> t { receive c do { v := 2; } }
           edge b -> t { receive c do { while v < 1 { v := 0; } } }
         }
         process P1 {
           var v in 0..1
           init s
           location a
           location b
           location s
           location t
           edge s -> a { guard !P0.a }
           edge s -> b { guard !P0.b }
           edge a -> t { receive c do { v := 2; } }
           edge b -> t { receive c do { while v < 1 { v := 0; } } }
         }
         process R {
           location x
           location z
           edge x -> z { guard P0.a && P1.b || P0.b && P1.a send c }
         }
         property p : E<> R.z
         property q : no-runtime-error",
    ),
];

#[test]
fn what_takes_too_long_does_so_in_any_order() {
    same_with_symmetry("too-long", TOO_LONG);
}
