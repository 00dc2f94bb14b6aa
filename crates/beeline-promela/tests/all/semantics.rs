//! The meaning of Promela, trap by trap: what Spin 6.5.2 does, found with `spin -o1 -o2 -o3 -a` and
//! `-DSAFETY -DNOREDUCE`, and explored here by the kernel alone.

use crate::support;

use beeline_ir::expr::RuntimeError;
use support::{explore, possible, reading, violation};

const END: &str = "valid-end-states";
const ASSERT: &str = "assertions";

/// All asserts of a model hold in every run, and it ends.
pub fn fine(text: &str) {
    assert_eq!(violation(text, ASSERT), None, "{text}");
    let reading = reading(text);
    if reading.network.properties.iter().any(|p| p.name.as_deref() == Some(END)) {
        assert_eq!(violation(text, END), None, "{text}");
    }
}

fn states(text: &str) -> usize {
    explore(&reading(text).network).states
}

#[test]
fn stores_wrap_around() {
    fine(
        "byte b = 250; bit t; short s = 32767; int i = 2147483647; unsigned u : 3 = 7;
         active proctype P() { b = b + 10; t = 2; s++; i++; u++; assert(b == 4 && t == 0 && s == -32768);
           assert(i == -2147483647 - 1 && u == 0); b = 0; b--; assert(b == 255); i = -7; assert(i / 2 == -3);
           assert(i % 3 == -1) }",
    );
}

#[test]
fn symbols_count_down_and_on() {
    fine(
        "mtype = { ack, nak, err } mtype = { c, d };
         mtype m = nak; byte x;
         active proctype P() { assert(ack == 3 && nak == 2 && err == 1 && c == 5 && d == 4); x = m; assert(x == 2) }",
    );
    fine(
        "mtype : fruit = { apple, pear } mtype : fruit f = pear; mtype = { z };
          active proctype P() { assert(apple == 2 && pear == 1 && z == 1 && f == pear) }",
    );
}

#[test]
fn else_is_about_what_comes_before() {
    // An inner choice is part of the outer one; its `else` looks at what is before it there.
    let inner = "if :: x == 1 -> y = 1 :: else -> y = 2 fi";
    let first = format!("byte x, y; active proctype P() {{ if :: {inner} :: x == 0 -> y = 3 fi }}");
    assert!(possible(&first, "y == 2") && possible(&first, "y == 3"));
    let last = format!("byte x, y; active proctype P() {{ if :: x == 0 -> y = 3 :: {inner} fi }}");
    assert!(!possible(&last, "y == 2") && possible(&last, "y == 3"));
    fine("byte y; active proctype P() { if :: else -> y = 1 :: y == 0 -> y = 2 fi; assert(y == 2) }");
    fine(
        "chan q = [1] of {byte}; byte y; active proctype P() { if :: q?y :: else -> y = 7 fi; assert(y == 7) }",
    );
    fine(
        "chan q = [1] of {byte}; byte y; active proctype P() { q!1; if :: q!2 -> assert(false) :: else fi }",
    );
    fine(
        "byte a[2]; byte i = 1; active proctype P() { if :: a[i] == 1 -> assert(false) :: else -> skip fi }",
    );
}

#[test]
fn timeout_waits_for_everybody() {
    fine("byte x; active proctype P() { timeout; assert(x == 2) } active proctype Q() { x = 1; x = 2 }");
    assert_eq!(violation("active proctype P() { do :: timeout od }", END), None);
    // `-end-` of the younger process comes first.
    fine("byte x; active proctype P() { timeout; assert(_nr_pr == 1) } active proctype Q() { x = 1 }");
}

#[test]
fn separators_are_the_same_and_may_be_missing() {
    fine(
        "byte x\nactive proctype P() { x = 1\n x = 2;; x == 2 -> x = 3 -> assert(x == 3)\n (x == 3)\n goto L\n L: skip }",
    );
}

#[test]
fn late_declarations_are_steps() {
    // Two statements before the assertion, and three declarations that set their variables.
    let text = "active proctype P() { byte a = 3; a++; byte b; b++; byte c = a + b; assert(c == 5); { byte a; assert(a == 0); a = 2 }
                assert(false) }";
    assert_eq!(violation(text, ASSERT), Some(9));
    // A loop sets them again.
    fine(
        "active proctype P() { byte i; do :: i < 3 -> byte k; assert(k == 0); k = 5; i++ :: else -> break od }",
    );
}

#[test]
fn atomic_sequences_are_not_interrupted() {
    fine("byte x; active [2] proctype P() { atomic { x++; x++; assert(x % 2 == 0) } }");
    assert!(violation("byte x; active [2] proctype P() { x++; x++; assert(x % 2 == 0) }", ASSERT).is_some());
    // One that blocks lets others run, and goes on undisturbed.
    fine(
        "byte x, y; active proctype P() { atomic { x = 1; y == 1; x = 2; x = 3 } }
          active proctype Q() { x == 1; y = 1; assert(x != 2) }",
    );
    // Between rounds of a loop, the token is kept; before the first it is not.
    fine(
        "byte x; active proctype P() { atomic { do :: x < 6 -> x++; x++ :: else -> break od } }
          active proctype Q() { assert(x == 0 || x == 6) }",
    );
    // The end of one is no beginning of the next.
    assert!(possible(
        "byte x, y; active proctype P() { atomic { x = 1; if :: x == 1 -> x = 2 fi }; atomic { x = 3; x = 4 } }
         active proctype Q() { x == 2; y = 1 }",
        "y == 1 && x == 2"
    ));
    // A jump from inside of one into another keeps it; one at its end does not.
    fine("byte x; active proctype P() { atomic { x = 1; if :: goto L fi; skip }; atomic { x = 2; L: x = 3; x = 4 } }
          active proctype Q() { assert(x == 0 || x == 4) }");
    // The place before an atomic sequence is not inside of it.
    assert_eq!(
        violation(
            "byte x; active proctype P() { atomic { x = 1; if :: goto L fi; skip }; L: atomic { x = 2; x = 3 } }
             active proctype Q() { assert(x == 0 || x == 3) }",
            ASSERT
        ),
        Some(3)
    );
    assert!(possible(
        "byte x, y; active proctype P() { atomic { x = 1; goto L }; L: atomic { x = 2; x = 3 } }
         active proctype Q() { x == 1; y = 1 }",
        "y == 1 && x == 1"
    ));
}

#[test]
fn a_rendezvous_hands_the_token_over() {
    // The receiver is inside of an atomic sequence: it goes on, and nobody else.
    fine(
        "chan c = [0] of {byte}; byte x; active proctype P() { atomic { c!1; x = 1 } }
          active proctype Q() { byte y; atomic { c?y; assert(x == 0); x = 5; x = 6 } }
          active proctype R() { assert(x != 5) }",
    );
    // It is not: then anybody.
    assert!(possible(
        "chan c = [0] of {byte}; byte x, z; active proctype P() { atomic { c!1; x = 1; x = 2 } }
         active proctype Q() { byte y; c?y; z = x }
         active proctype R() { skip }",
        "z == 2"
    ));
    // The rest of the sender is atomic again.
    fine(
        "chan c = [0] of {byte}; byte x; active proctype P() { atomic { c!1; x = 1; x = 2 } }
          active proctype Q() { byte y; c?y; assert(x != 1) }",
    );
}

#[test]
fn d_steps_are_one_step() {
    assert_eq!(
        violation("byte x; active proctype P() { d_step { x = 1; x = 2; x = 3 }; assert(x != 3) }", ASSERT),
        Some(2)
    );
    fine(
        "byte x, s; active proctype P() { d_step { x = 1; do :: x < 10 -> x++; if :: x == 5 -> break :: else fi; s = s + x
           :: else -> break od; if :: x == 5 -> x = 50 :: x > 0 -> x = 60 fi }; assert(x == 50 && s == 9) }",
    );
    fine(
        "byte x; active proctype P() { d_step { if :: x == 1 -> x = 2 :: x == 0 -> x = 3 :: else -> x = 4 fi }; assert(x == 3) }",
    );
    // Loops inside of loops begin afresh.
    fine("byte i, j, n; active proctype P() { d_step { do :: i < 3 -> j = 0; do :: j < 2 -> j++; n++ :: else -> break od; i++
          :: else -> break od }; assert(n == 6) }");
    // It begins when its first statement is executable.
    fine(
        "byte x; active proctype P() { d_step { x == 1; x = 2 }; assert(x == 2) } active proctype Q() { x = 1 }",
    );
    assert_eq!(violation("byte x; active proctype P() { d_step { x == 1; x = 2 } }", END), Some(0));
    fine(
        "chan q = [2] of {byte}; byte x; active proctype P() { d_step { q!3; q!4; q?x; x = x + 1; q?x }; assert(x == 4 && empty(q)) }",
    );
    fine(
        "chan c = [0] of {byte}; byte x; active proctype P() { d_step { c?x; x++ }; assert(x == 8) } active proctype Q() { c!7 }",
    );
}

#[test]
fn a_d_step_is_escaped_from_at_its_start_only() {
    let text = |first: &str| {
        format!(
            "byte x, y; active proctype P() {{ {{ {first}; d_step {{ x = 1; y = 1; x = 2 }}; x = 3 }} unless {{ y == 1 -> assert(x == 2) }} }}"
        )
    };
    fine(&text("skip"));
    assert!(!possible(&text("skip"), "x == 3"));
    assert_eq!(violation(&text("y = 1"), ASSERT), Some(3));
}

#[test]
fn jumps_stay_inside_of_a_d_step() {
    let leads = |inside: &str, x: i32, n: i32| {
        let text = format!(
            "byte x, n; active proctype P() {{ d_step {{ {inside} }}; assert(x != {x} || n != {n}) }}"
        );
        assert_eq!(violation(&text, ASSERT), Some(2), "{text}");
    };
    leads("x = 1; L: if :: x < 3 -> x++; goto L :: else fi; n = 7", 3, 7);
    leads("x = 1; if :: x == 1 -> goto M :: else fi; x = 5; M: n = 7", 1, 7);
    // Back to where it began, which Spin does not allow, and out of a loop in a loop.
    leads("L: x < 3; x++; if :: x < 3 -> goto L :: else fi; n = x", 3, 3);
    leads(
        "do :: x < 5 -> x++; n = 0; do :: n < 5 -> n++; if :: n == x + 1 -> goto out :: else fi :: else -> break od :: else -> break od; out: skip",
        1,
        2,
    );
    leads(
        "{ x = 1; L: { if :: x < 4 -> x = x + 2; goto L :: x == 5 -> n = 1; goto out :: else -> skip fi } }; out: skip",
        5,
        1,
    );
    // What is jumped to may block.
    let text = "byte x; active proctype P() { d_step { L: x == 0; x = 1; goto L } }";
    assert_eq!(explore(&reading(text).network).failures, [RuntimeError::Blocked]);
}

#[test]
fn blocking_inside_of_a_d_step_is_an_error() {
    let text = "byte x; active proctype P() { d_step { x = 1; x == 2; x = 3 } }";
    assert_eq!(explore(&reading(text).network).failures, [RuntimeError::Blocked]);
    let text = "byte x; active proctype P() { d_step { x = 1; if :: x == 2 -> skip fi } }";
    assert_eq!(explore(&reading(text).network).failures, [RuntimeError::Blocked]);
}

#[test]
fn errors_of_a_model_are_found() {
    let failures = |text: &str| explore(&reading(text).network).failures;
    assert_eq!(failures("byte a[2]; byte i = 2; active proctype P() { a[i] = 1 }"), [RuntimeError::Index]);
    assert_eq!(failures("byte i; active proctype P() { i = 1 / i }"), [RuntimeError::DivisionByZero]);
    assert_eq!(
        failures("typedef R { byte b[2] } R r[2]; byte i = 2; active proctype P() { r[0].b[i] = 1 }"),
        [RuntimeError::Index]
    );
    assert_eq!(failures("chan c; active proctype P() { c!1 }"), [RuntimeError::Channel]);
}

#[test]
fn processes_are_numbered_and_end_in_order() {
    fine(
        "byte x; active proctype A() { assert(_pid == 0) } init { assert(_pid == 1 && _nr_pr >= 2) }
          active proctype B() { assert(_pid == 2) }",
    );
    fine(
        "byte p; proctype A(byte n) { assert(_pid == n || n == 2) } init { p = run A(1); assert(p == 1); p = run A(2); assert(p == 2 || p == 1) }",
    );
    // One that has ended keeps its number while a younger one lives.
    fine("byte go; proctype A() { skip } proctype B() { go == 1 } init { byte p; atomic { run A(); run B() }; assert(_nr_pr == 3);
          p = run A(); assert(p == 3); go = 1; _nr_pr == 1; p = run B(); assert(p == 1) }");
    assert_eq!(states("active proctype A() { skip } active proctype B() { skip }"), 7);
}

#[test]
fn initial_values_may_depend_on_arguments() {
    fine("byte g = 3; proctype A(byte n) { byte m = n + 1, k = g, l = m * 2, me = _pid; assert(m == 6 && k == 4 && l == 12 && me == 1) }
          init { g = 4; run A(5) }");
    fine(
        "active [2] proctype A() { byte me = _pid, other = 1 - _pid; assert(me + other == 1 && me == _pid) }",
    );
    fine("proctype A(byte n) { byte m = n; assert(m == 4) } init { run A(260) }");
}

#[test]
fn channels_travel() {
    fine("chan a = [1] of {chan, byte}; proctype S(chan c; byte n) { c!n } init { chan mine = [1] of {byte}; byte x; chan got;
          a!mine(3); a?got,x; run S(got, x + 1); mine?x; assert(x == 4) }");
    fine(
        "chan q[3] = [1] of {byte}; byte x; active proctype P() { byte i; for (i : 0 .. 2) { q[i]!i } q[2]?x; assert(x == 2 && len(q[0]) == 1) }",
    );
    // Messages left in a channel are gone when its owner is.
    fine(
        "chan back = [1] of {byte}; proctype P() { chan c = [2] of {byte}; assert(empty(c)); c!1 }
          init { run P(); _nr_pr == 1; run P(); _nr_pr == 1 }",
    );
    fine(
        "chan a = [1] of {byte}, b = [1] of {byte}; chan c = a; byte x; active proctype P() { c!1; c = b; c!2; a?x; assert(x == 1); b?x; assert(x == 2) }",
    );
}

#[test]
fn messages_are_matched() {
    // What stands before the brackets may be any expression; a number was taken for the whole message.
    fine(
        "chan q = [5] of { byte, byte }; byte x = 2, y;
         init { q!3(1); q!x(4); q!(x + 1)(5); q!x + 1(6); q!!0(len(q)); q?0(y); assert(y == 4); q?3(y); assert(y == 1);
           q?eval(x)(y); assert(y == 4); q?x(y); assert(x == 3 && y == 5); q?x(_); assert(empty(q)) }",
    );
    fine("mtype = {m, n}; chan q = [4] of {mtype, byte}; byte x = 5;
          active proctype P() { q!m(1); q!n(2); q!m,3;
            if :: q?n(x) -> assert(false) :: else fi; assert(q?[m,x]); assert(!(q?[n,x])); assert(q??[n,x]); assert(x == 5);
            q??n(x); assert(x == 2 && len(q) == 2); q?<m(x)>; assert(x == 1 && len(q) == 2);
            q?m(eval(x)); assert(len(q) == 1); q?_,x; assert(x == 3 && empty(q)) }");
    fine("chan q = [4] of {byte, byte}; byte x, y; active proctype P() { q!!3,1; q!!1,9; q!!2,5; q!!1,4; assert(full(q));
          q?x,y; assert(x == 1 && y == 4); q?x,y; assert(x == 1 && y == 9); q?x,y; assert(x == 2); q?3,y; assert(nfull(q)) }");
    fine(
        "chan q = [2] of {byte}; byte x; active proctype P() { q!300; q?x; assert(x == 44); q!1; assert(nempty(q)) }",
    );
    fine("typedef R { byte a; byte b[2] } chan q = [1] of {R, byte}; R r, s; byte n; active proctype P() { r.a = 1; r.b[0] = 2; r.b[1] = 3;
          q!r,4; q?s,n; assert(s.a == 1 && s.b[0] == 2 && s.b[1] == 3 && n == 4); s.a = 9; r = s; assert(r.a == 9) }");
    // Without a buffer there is nothing to poll.
    fine(
        "chan c = [0] of {byte}; byte x; active proctype P() { assert(len(c) == 0 && !(c?[x])); c?x } active proctype Q() { c!1 }",
    );
}

#[test]
fn loops_are_written_out() {
    fine(
        "byte k, n, a[3]; active proctype P() { for (k : 1 .. 3) { n = n + k } assert(k == 4 && n == 6);
          for (k in a) { a[k] = k } assert(a[2] == 2 && k == 3) }",
    );
    assert!(possible("byte v; active proctype P() { select (v : 2 .. 4) }", "v == 4"));
    assert_eq!(
        violation("byte v; active proctype P() { select (v : 2 .. 4); assert(v != 4) }", ASSERT),
        Some(2)
    );
    // With a bound that is not a number it takes steps to get there.
    assert_eq!(
        violation("byte v, n = 4; active proctype P() { select (v : 2 .. n); assert(v != 4) }", ASSERT),
        Some(7)
    );
    fine("typedef M { byte a; byte b } chan q = [3] of {M}; byte sum; active proctype P() { M m; q!1,2; q!3,4; for (m in q) { sum = sum + m.b }
          assert(sum == 6 && len(q) == 2) }");
    assert_eq!(violation("active proctype P() { do :: break od; assert(false) }", ASSERT), Some(2));
    assert_eq!(violation("active proctype P() { skip; goto L; skip; L: assert(false) }", ASSERT), Some(2));
    assert_eq!(violation("active proctype P() { if :: goto L fi; skip; L: assert(false) }", ASSERT), Some(2));
}

#[test]
fn a_label_in_an_option_is_that_option_alone() {
    assert_eq!(
        violation("byte x; active proctype P() { if :: L: x < 3 -> x++; goto L :: x == 3 -> skip fi }", END),
        Some(6)
    );
}

#[test]
fn escapes_come_first() {
    fine(
        "byte x, y; active proctype P() { { x = 1; x = 2; x = 3 } unless { y == 1 -> assert(x < 3); x = 9 } }
          active proctype Q() { y = 1 }",
    );
    fine(
        "byte x, y = 1; active proctype P() { { x = 1; x = 2 } unless { y == 1 -> x = 9 }; assert(x == 9) }",
    );
    // Of two, the outer one.
    fine(
        "byte x, y = 1; active proctype P() { { { x = 1 } unless { y == 1 -> x = 9 } } unless { y == 1 -> x = 10 }; assert(x == 10) }",
    );
    fine("byte x; active proctype P() { { x = 1 } unless { x == 7 -> assert(false) }; assert(x == 1) }");
    // Spin's verifier takes this `else` whatever there is before it, which is a mistake of Spin's.
    fine(
        "byte x, y = 1; active proctype P() { { x = 1 } unless { if :: y == 1 -> x = 5 :: else -> x = 7 fi }; assert(x == 5) }",
    );
    // An escape from one option pre-empts the others, too: the nested unless that Spin calls a mistake.
    fine("byte x, y = 1; active proctype P() { if :: x = 1 unless y == 1 :: x = 2 fi; assert(x == 0) }");
    // Of options that are escaped from, the later one comes first.
    fine(
        "byte x, y = 1; active proctype P() { if :: x = 1 unless { y == 1 -> x = 3 } :: x = 2 unless { y == 1 -> x = 4 } fi; assert(x == 4) }",
    );
    // Where a choice is escaped from twice, the outer escape does not pre-empt the inner one, though it does elsewhere.
    let twice = "{ { x = 1 } unless { y == 1 -> x = 2; skip } } unless { y == 1 -> x = 3; skip }";
    assert_eq!(states(&format!("byte x, y = 1; active proctype P() {{ {twice} }}")), 5);
    assert_eq!(
        states(&format!("byte x, y = 1; active proctype P() {{ do :: {twice}; break :: false od }}")),
        6
    );
    // What escapes from an escape is no escape from what that escapes from.
    fine(
        "byte x, y = 1, z; active proctype P() { { x = 1; x = 2 } unless { { z == 1 -> x = 5 } unless { y == 1 -> x = 7 } }; assert(x == 2) }",
    );
}

#[test]
fn priorities_and_conditions_of_processes() {
    fine(
        "byte x; active proctype P() priority 5 { x = 1; x = 2 } active proctype Q() priority 1 { assert(x == 2) }",
    );
    // A `run` gives a priority of its own, and 1 without: that of the process type is about `active` alone.
    fine(
        "byte x; proctype A(byte n) priority 7 { assert(_priority == n && get_priority(_pid) == n); x = n; x = n + 1 }
         init { run A(3) priority 3; assert(x == 4); run A(5) priority 5; assert(x == 6 && _priority == 1); run A(1);
           (_nr_pr == 1); assert(x == 2) }",
    );
    // Whoever has the greater priority comes before the rest of an atomic sequence, as soon as it can go at all: also one
    // that the sequence has started, at its end, or in an `else`. Others of the same priority may then come first, too. An
    // atomic sequence was interrupted by nobody.
    let woken = "byte x, y; active proctype L() priority 1 { atomic { x = 1; x = 2; x = 3; x = 4 }; y = 1 }
         active proctype H() priority 5 { x == 2; x = 7; assert(x != 7) }";
    assert_eq!((violation(woken, ASSERT), violation(woken, END)), (Some(5), None));
    let started =
        "byte x; init { atomic { run H() priority 7; x = 1; x = 2 } } proctype H() { assert(x == 2) }";
    assert_eq!(violation(started, ASSERT), Some(2));
    let equal = "byte x; active proctype L() priority 2 { atomic { x = 1; x = 2 } }
         active proctype M() priority 2 { x == 1 -> assert(false) }";
    assert_eq!(violation(equal, ASSERT), None);
    let whole = "byte x; active proctype L() priority 1 { d_step { x = 1; x = 2 } }
         active proctype H() priority 5 { x == 1 -> assert(false) }";
    assert_eq!(violation(whole, ASSERT), None);
    // Of the same priority, anybody may come first. Here Spin's verifier misses the violation: to it, processes that
    // differ in nothing but their priority are the same.
    let three = "byte x; proctype A() { x++ } init { run A(); run A() priority 9; run A() priority 9; assert(x > 2) }";
    assert_eq!(violation(three, ASSERT), Some(6));
    fine(
        "byte x; active proctype P() provided (x != 1) { x = 1; x = 5 } active proctype Q() { x == 1; assert(x == 1); x = 2 }",
    );
    fine(
        "byte last = 9; active proctype P() { skip; last = _last; assert(last < 2) } active proctype Q() { skip }",
    );
}

#[test]
fn ends_are_valid_where_labelled() {
    assert_eq!(
        violation("chan c = [0] of {byte}; active proctype P() { byte x; do :: c?x od }", END),
        Some(0)
    );
    assert_eq!(
        violation("chan c = [0] of {byte}; active proctype P() { byte x; end: do :: c?x od }", END),
        None
    );
    assert_eq!(
        violation("chan c = [0] of {byte}; active proctype P() { byte x; endless: do :: c?x od }", END),
        None
    );
    assert_eq!(violation("active proctype P() { skip; false }", END), Some(1));
    // A full channel, and a rendezvous without a partner.
    assert_eq!(violation("chan q = [1] of {byte}; active proctype P() { q!1; q!2 }", END), Some(1));
    assert_eq!(
        violation(
            "chan c = [0] of {byte}; active proctype P() { atomic { c!1; c!2 } } active proctype Q() { byte y; c?y }",
            END
        ),
        Some(1)
    );
    // A process at its end below one that waits is fine; the one that waits is not.
    assert_eq!(violation("active proctype P() { skip } active proctype Q() { false }", END), Some(1));
}

#[test]
fn numbers_have_32_bits() {
    // As C computes, whatever the width of ours.
    fine(
        "int i = 2147483647; int j; short s = 30000; byte b;
         active proctype P() {
           j = (i + 1) / 2; assert(j == -1073741824); assert(i + 1 < 0); assert((i + 1) / 2 == -1073741824);
           assert(s * s * 10 == 410065408 && s * s * 10 > 0); j = (i * i) / 7; assert(j == 0);
           assert((1 << 31) >> 3 == -268435456); j = 3000000000; assert(j == -1294967296);
           j = (i * 2 -> 5 : 6); assert(j == 5); j = (65536 * s * 65536 -> 5 : 6); assert(j == 6);
           assert(-(i + 1) % 10 == -8); assert(!(65536 * s * 65536)); j = ~i; assert(j + 0 == -2147483647 - 1);
           if :: 65536 * s * 65536 -> assert(false) :: else fi; b = i; assert(b == 255); assert(i * i * i * i == 1) }",
    );
}

#[test]
fn a_d_step_has_no_rendezvous_but_a_first_receive() {
    // A send at its beginning was taken for a handshake; others were called a fault of ours.
    let text = |step: &str| {
        format!(
            "chan c = [0] of {{byte}}; byte x; active proctype P() {{ d_step {{ {step} }} }}
             active proctype Q() {{ byte y; if :: c?y :: c!4 fi }}"
        )
    };
    for step in [
        "c!3; x = 2",
        "x = 1; c!3; x = 2",
        "x = 1; c?x; x = 2",
        "if :: c!3 -> x = 1 :: else -> x = 2 fi",
        "x = 1; if :: c!3 -> x = 1 :: else -> x = 2 fi",
    ] {
        let found = explore(&reading(&text(step)).network);
        assert_eq!(found.failures, [RuntimeError::Blocked], "{step}");
    }
    assert!(possible(&text("c?x; x = 2"), "x == 2"));
    assert!(possible(&text("x = 1; if :: c?x -> x = 3 :: else -> x = 2 fi"), "x == 2"));
    let passed =
        "chan c = [0] of {byte}; chan b = [1] of {byte}; byte x; proctype R(chan d) { d_step { d!3; x = 2 } }
         init { byte y; run R(c); run R(b); c?y }";
    assert_eq!(explore(&reading(passed).network).failures, [RuntimeError::Blocked]);
    assert_eq!(support::errors(&text("if :: c?x -> x = 2 :: x == 5 fi"))[0].0, "U0909");
}

#[test]
fn five_bits_of_a_shift_count() {
    // Shifts by 32 and more, or by less than 0, were run-time errors.
    fine(
        "byte x = 33; int m = -1; int i = 1 << 33; byte b = 255 >> 33; unsigned u : 3 = 6;
         active proctype P() {
           assert(i == 2 && b == 127); i = 1 << x; assert(i == 2); i = 8 >> m; assert(i == 0); i = -8 >> x; assert(i == -4);
           i = 1 << m; assert(i < 0); assert((1 << x) == 2 && (1 << (x - 1)) == 1 && (1 << 33) == 2 && (8 >> -1) == 0);
           assert((-8 >> 32) == -8 && (1 << u) == 64); i = (1 << 34) + (3 << (x + 1)); assert(i == 16) }",
    );
}

#[test]
fn the_last_value_of_a_list_is_that_of_the_rest() {
    // Such a list was refused. The initial 3 of an array of bits was 1.
    fine(
        "byte a[3] = {5, 6}; bit g[4] = {0, 3}; active proctype P() { byte c[3] = {7, 8}; assert(a[0] == 5 && a[1] == 6 && a[2] == 6);
           assert(c[1] == 8 && c[2] == 8 && g[0] == 0 && g[3] == 3) } proctype R() { byte c[3] = {7, 8}; assert(c[0] == 7 && c[2] == 8) }
         init { run R() }",
    );
}

#[test]
fn processes_are_asked_by_their_number() {
    fine(
        "byte x; active proctype P() { x == 1; x = 2 } active proctype Q() {
           assert(!enabled(0)); atomic { x = 1; assert(enabled(0) && !enabled(7)); x = 3; assert(!enabled(0)) }; x = 1 }",
    );
    // Elements count from 1 in each process type: the assignment, the condition, the end.
    fine(
        "byte x, y; active proctype P() { x = 1; x == 2; x = 3 } active proctype Q() {
           x == 1 -> assert(pc_value(0) == 2); x = 2; x == 3 -> y = pc_value(0); assert(y == 4 && pc_value(9) == 0) }",
    );
    fine(
        "byte x; active proctype P() priority 3 { x = 1 } active proctype Q() { assert(get_priority(0) == 3 && get_priority(1) == 1) }",
    );
    assert_eq!(
        violation(
            "byte x; active proctype P() { x = 1; x = 2 } never { do :: enabled(0) :: !enabled(0) -> break od }",
            "never"
        ),
        Some(2)
    );
}

#[test]
fn processes_are_started_in_expressions() {
    fine(
        "byte x, y = 5; proctype C(byte k) { x = k } init { byte p = 7; p = 10 * run C(p) + y; assert(p == 15);
           (x == 7 && _nr_pr == 1) -> if :: run C(1) > 9 -> assert(false) :: run C(2) == 1 && y == 5 -> x == 2 fi; assert(run C(3)) }",
    );
    fine(
        "byte x; proctype C() { x++ } init { d_step { x = 1; run C() + 0 > 0; x = 4 }; x == 5; assert(_nr_pr > 0) }",
    );
}

#[test]
fn inlines_give_values_and_have_labels_of_their_own() {
    fine(
        "inline next(a) { return a + 1 } inline cut(v) { if :: v > 1 -> goto out :: else fi; v++; out: skip } byte y, z;
         active proctype P() { y = next(3); cut(y); cut(z); assert(y == 4 && z == 1); z = next(y); assert(z == 5) }",
    );
}

#[test]
fn an_idle_statement_in_a_row_is_left_out() {
    // Two of four statements are executed before `x` is 1, as in Spin.
    let text = |option: &str| format!("byte x; active proctype P() {{ if :: {option} fi; assert(x != 1) }}");
    assert_eq!(violation(&text("skip; skip; skip; x = 1"), ASSERT), Some(3));
    assert_eq!(violation(&text("printf(\"a\"); skip; x = 1"), ASSERT), Some(3));
    assert_eq!(violation(&text("x = 0; skip; skip"), ASSERT), None);
    assert_eq!(violation(&text("x = 1; skip; skip"), ASSERT), Some(4));
    // A jump with a label that ends is preceded by a step.
    assert_eq!(violation("byte x; active proctype P() { end1: goto L; L: assert(x == 1) }", ASSERT), Some(2));
}

#[test]
fn bits_of_arrays_and_lone_bits_of_messages_are_bytes() {
    fine(
        "typedef T { bit g; bit h[2] }; T t[2]; bool z[3]; chan c = [1] of { bit }; chan d = [1] of { bit, byte }; byte x;
         active proctype P() { bit l[2]; t[1].g = 2; assert(t[1].g == 0); t[1].h[1] = 2; assert(t[1].h[1] == 2); l[1] = 259;
           assert(l[1] == 3); z[1] = 6; assert(z[1] == 6); c!3; c?x; assert(x == 3); d!3,300; d?x,l[0]; assert(x == 1 && l[0] == 44) }",
    );
}
