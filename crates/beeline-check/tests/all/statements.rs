//! Expressions and statements: values, order, every run-time error.

use crate::common;

use common::{Run, model, outcome_of};

/// The value an expression has at the start, with these declarations.
fn value(declarations: &str, expr: &str) -> String {
    let text = format!(
        "network n var result in -1000000..1000000 {declarations}
         process P {{ init a location a location b edge a -> b {{ local l in 0..9 do {{ result := {expr}; }} }} }}"
    );
    let model = model(&text);
    let mut run = Run::new(&model);
    let labels = run.labels();
    if labels != ["P#0"] {
        return labels.join(" ");
    }
    run.take("P#0").var("result").to_string()
}

#[test]
fn operators() {
    for (expr, expected) in [
        ("7 / 2 * 10 + 7 % 2", "31"),
        ("-7 / 2 * 10 + -7 % 2", "-31"),
        ("7 / -2", "-3"),
        ("!5 + !0", "1"),
        ("~5", "-6"),
        ("6 & 3 | 8 ^ 1", "11"),
        ("1 << 10", "1024"),
        ("-9 >> 1", "-5"),
        ("min(3, -4) * max(3, -4)", "-12"),
        ("(1 < 2) + (2 <= 2) * 2 + (3 > 3) * 4 + (3 >= 3) * 8 + (1 == 1) * 16 + (1 != 1) * 32", "27"),
        ("0 && 1 / 0", "0"),
        ("3 && 4", "1"),
        ("0 || 7", "1"),
        ("1 || 1 / 0", "1"),
        ("1 ? 4 : 1 / 0", "4"),
        ("and() * 2 + or()", "2"),
        ("forall(i in 0..3 : i < 4)", "1"),
        ("forall(i in 0..3 : i < 2 && 1 / (2 - i))", "0"),
        ("exists(i in 0..3 : 1 / (2 - i) == 1)", "1"),
        ("sum(i in 1..4 : i * i)", "30"),
        ("sum(i in 0..2 : sum(j in 0..2 : j <= i))", "6"),
    ] {
        assert_eq!(value("", expr), expected, "{expr}");
    }
}

#[test]
fn errors_of_expressions() {
    let big = "9223372036854775807";
    for (expr, expected) in [
        ("1 / 0", "P#0!division by zero"),
        ("1 % 0", "P#0!division by zero"),
        ("1 << 64", "P#0!shift amount out of range"),
        ("1 >> -1", "P#0!shift amount out of range"),
        ("BIG + 1", "P#0!integer overflow"),
        ("-2 - BIG", "P#0!integer overflow"),
        ("BIG * 2", "P#0!integer overflow"),
        ("1 << 63", "P#0!integer overflow"),
        ("(-BIG - 1) / -1", "P#0!integer overflow"),
        ("-(-BIG - 1)", "P#0!integer overflow"),
        ("sum(i in 1..2 : BIG)", "P#0!integer overflow"),
        ("arr[3]", "P#0!index out of bounds"),
        ("arr[-1]", "P#0!index out of bounds"),
        ("BIG", "P#0!value out of range"),
        ("(-BIG - 1) % -1", "0"),
        ("arr[2]", "6"),
    ] {
        let expr = expr.replace("BIG", big);
        assert_eq!(value("var arr[3] in 0..9 = {4, 5, 6}", &expr), expected, "{expr}");
    }
}

#[test]
fn stores() {
    let declarations = "var x in -2..5 var arr[2] in 0..3 buffer q capacity 1 of (0..3) chan c of (0..1)
        var v0 in 0..3 = 0 var v1 in 0..3 = 1 var v2 in 0..3 = 2 var v3 in 0..3 = 3";
    for (update, expected) in [
        ("x := 5;", "P#0"),
        ("x := 6;", "P#0!value out of range"),
        ("x := -3;", "P#0!value out of range"),
        ("arr[2] := 1;", "P#0!index out of bounds"),
        ("arr[2] := 1 / 0;", "P#0!index out of bounds"),
        ("arr[1 / 0] := 9;", "P#0!division by zero"),
        ("l := 8;", "P#0!value out of range"),
        ("wrap l := 8; assert l == 0;", "P#0"),
        ("wrap x := 6; assert x == -2;", "P#0"),
        ("wrap x := -11; assert x == 5;", "P#0"),
        ("wrap x := 6; assert x == 6;", "P#0?"),
        ("assert l == 0 && k == 2 && m == -3;", "P#0"),
        ("h[2] := 7; assert h[0] == 0 && h[2] == 7;", "P#0"),
        ("h[3] := 7;", "P#0!index out of bounds"),
        ("send q(1); receive q(x); assert x == 1 && len(q) == 0;", "P#0"),
        ("send q(1); send q(2);", "P#0!send or receive blocks inside a composite step"),
        ("receive q(x);", "P#0!send or receive blocks inside a composite step"),
        ("send q(1); receive q(=2);", "P#0!send or receive blocks inside a composite step"),
        ("send *v2(1);", "P#0!not a usable channel"),
        ("send *v0(1);", "P#0!not a usable channel"),
        ("send *v3(1);", "P#0!not a usable channel"),
        ("send *v1(1, 2);", "P#0!not a usable channel"),
        ("receive *v1(_, _);", "P#0!not a usable channel"),
        ("send *v1(7); receive q(x); assert x == 3;", "P#0"),
        ("t := 2147483648;", "P#0"),
        ("t := 2147483649;", "P#0!clock value or bound out of range"),
        ("t := -1;", "P#0!clock value or bound out of range"),
        ("while x < 5 { x := x + 1; } assert x == 5;", "P#0"),
        ("while 1 { }", "P#0!evaluation runs too long"),
        ("while i < 1048576 { i := i + 1; }", "P#0"),
        ("while i < 1048577 { i := i + 1; }", "P#0!evaluation runs too long"),
        ("if x == 0 { x := 1; } else { x := 9; } assert x == 1;", "P#0"),
    ] {
        let edge = format!(
            "local l in 0..7 local k in 2..4 local m in -3..-1 local h[3] in 0..7 local i in 0..2000000
             do {{ {update} }}"
        );
        assert_eq!(outcome_of(&format!("{declarations} clock t"), &edge), expected, "{update}");
    }
}

#[test]
fn functions() {
    let functions = "var g in 0..9 var r in -9..99
        fn inc(a in 0..5) -> 0..4 { local t in 0..9; t := a + 1; return t; }
        fn none() -> 3..5 { }
        fn effect(a in 0..5) { g := a; if a == 5 { return; } g := g + 1; }
        fn loop(a in 0..9) -> 0..9 { while 1 { if a == 7 { return a; } a := a + 1; } }
        fn twice(a in 0..5) -> 0..9 { return inc(inc(a)); }";
    for (update, expected) in [
        ("r := inc(2);", "P#0 3"),
        ("r := inc(4);", "P#0!value out of range"),
        ("r := inc(6);", "P#0!value out of range"),
        ("r := none();", "P#0 3"),
        ("call effect(3); r := g;", "P#0 4"),
        ("call effect(5); r := g;", "P#0 5"),
        ("r := loop(2);", "P#0 7"),
        ("r := call twice(1);", "P#0 3"),
        ("r := call twice(3);", "P#0!value out of range"),
    ] {
        let text = format!(
            "network n {functions} process P {{ init a location a location b edge a -> b {{ do {{ {update} }} }} }}"
        );
        let model = model(&text);
        let mut run = Run::new(&model);
        let mut shown = run.labels().join(" ");
        if shown == "P#0" {
            shown = format!("P#0 {}", run.take("P#0").var("r"));
        }
        assert_eq!(shown, expected, "{update}");
    }
}

#[test]
fn evaluating_an_edge_goes_guard_channel_message_clocks() {
    let declarations = "var z in 0..1 clock t buffer q[2] capacity 1 of (0..3)
        var v0 in 0..3 = 0 var v1 in 0..3 = 1";
    for (edge, expected) in [
        ("guard 0 when t < 1 / z send q[5](1 / 0)", ""),
        ("guard 1 when t < 1 << 70 send q[5](1 / 0)", "P#0!index out of bounds"),
        ("guard 1 when t < 1 << 70 send q[1](1 / 0)", "P#0!division by zero"),
        ("guard 1 when t < 1 << 70 send q[1](1)", "P#0!shift amount out of range"),
        ("when t < 2147483649", "P#0!clock value or bound out of range"),
        ("when t < 2147483648, t > -2147483648", "P#0"),
        ("when z == 1 => t < 1 / z", "P#0"),
        ("receive q[0](=1 / z)", "P#0!division by zero"),
        ("when t > 1, t < 1 / z", "P#0!division by zero"),
        ("send *v0(1)", "P#0!not a usable channel"),
        ("send *v1(1, 1)", "P#0!not a usable channel"),
    ] {
        assert_eq!(outcome_of(declarations, edge), expected, "{edge}");
    }
}

#[test]
fn an_error_in_an_invariant_fails_the_label() {
    let text = |invariant: &str| {
        format!(
            "network n var z in 0..1 clock t
             process P {{ init a location a location b {{ {invariant} }} edge a -> b {{ }} }}"
        )
    };
    for (invariant, expected) in [
        ("condition 1 / z == 0", "P#0!division by zero"),
        ("invariant t < 1 / z", "P#0!division by zero"),
        ("invariant z == 1 => t < 1 / z", "P#0"),
        ("condition z == 1; invariant t < 1 / z", "P#0-"),
        ("invariant t > 1, t < 1 / z", "P#0!division by zero"),
    ] {
        let model = model(&text(invariant));
        assert_eq!(Run::new(&model).labels(), [expected], "{invariant}");
    }
}

#[test]
fn a_long_chain_of_questions_is_no_crash() {
    let mut edges = String::from("edge a -> b { }\n");
    for i in 1..99 {
        edges += &format!("edge a -> b {{ guard !enabled(P : #{}) }}\n", i - 1);
    }
    let text = format!("network n process P {{ init a location a location b {edges} }}");
    let model = model(&text);
    let labels = Run::new(&model).labels();
    assert_eq!(labels[..3], ["P#0", "P#2", "P#4"]);
}
