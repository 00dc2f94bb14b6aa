//! Every kind of expression against an evaluation that is obvious.

use crate::common;

use beeline_ir::VarId;
use beeline_ir::expr::RuntimeError::{self, *};
use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use common::{Bench, value};

type Obvious = fn(i128, i128) -> Result<i128, RuntimeError>;

/// Operators through compiler and machine, on all pairs of small and of extreme operands.
#[test]
fn operators() {
    fn shift(b: i128, value: impl Fn() -> i128) -> Result<i128, RuntimeError> {
        if (0..64).contains(&b) { Ok(value()) } else { Err(Shift) }
    }
    fn divide(b: i128, value: impl Fn() -> i128) -> Result<i128, RuntimeError> {
        if b == 0 { Err(DivisionByZero) } else { Ok(value()) }
    }
    let table: [(BinaryOp, Obvious); 18] = [
        (BinaryOp::Add, |a, b| Ok(a + b)),
        (BinaryOp::Sub, |a, b| Ok(a - b)),
        (BinaryOp::Mul, |a, b| Ok(a * b)),
        (BinaryOp::Div, |a, b| divide(b, || a / b)),
        (BinaryOp::Rem, |a, b| divide(b, || a % b)),
        (BinaryOp::BitAnd, |a, b| Ok(a & b)),
        (BinaryOp::BitOr, |a, b| Ok(a | b)),
        (BinaryOp::BitXor, |a, b| Ok(a ^ b)),
        (BinaryOp::Shl, |a, b| shift(b, || a << b)),
        (BinaryOp::Shr, |a, b| shift(b, || a >> b)),
        (BinaryOp::Min, |a, b| Ok(if a <= b { a } else { b })),
        (BinaryOp::Max, |a, b| Ok(if a <= b { b } else { a })),
        (BinaryOp::Eq, |a, b| Ok(i128::from(a == b))),
        (BinaryOp::Ne, |a, b| Ok(i128::from(a != b))),
        (BinaryOp::Lt, |a, b| Ok(i128::from(a < b))),
        (BinaryOp::Le, |a, b| Ok(i128::from(a <= b))),
        (BinaryOp::Gt, |a, b| Ok(i128::from(a > b))),
        (BinaryOp::Ge, |a, b| Ok(i128::from(a >= b))),
    ];
    let wide = format!("{}..{}", i64::MIN, i64::MAX);
    let mut network = common::network(&format!(
        "network t\nvar a in {wide}\nvar b in {wide}\nprocess P {{ init l\nlocation l\nedge l -> l {{ guard a == b }}\n}}"
    ));
    let operands: Vec<i64> =
        (-9..=9).chain([63, 64, i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1]).collect();
    let [a, b] = [0, 1].map(|v| Expr::Var(VarId::new(v)));
    let check = |network: &beeline_ir::network::Network,
                 obvious: &dyn Fn(i128, i128) -> Result<i128, RuntimeError>| {
        let mut bench = Bench::of(network.clone());
        let guard = bench.program.processes[common::process(0)].edges[common::edge(0)].guard.unwrap();
        for &x in &operands {
            for &y in &operands {
                bench.set("a", x);
                bench.set("b", y);
                let expected = obvious(i128::from(x), i128::from(y))
                    .and_then(|v| i64::try_from(v).map_err(|_| Overflow));
                let found = bench.machine.eval(&bench.program, guard, &bench.state, &[]);
                assert_eq!(found, expected, "{x}, {y}");
            }
        }
    };
    let mut with_guard = |e: Expr| {
        network.processes.iter_mut().for_each(|p| p.edges.iter_mut().for_each(|edge| edge.guard = e.clone()));
        network.clone()
    };
    for (op, obvious) in table {
        check(&with_guard(a.clone().binary(op, b.clone())), &obvious);
    }
    let unary = |op| Expr::Unary(op, Box::new(a.clone()));
    check(&with_guard(unary(UnaryOp::Not)), &|a, _| Ok(i128::from(a == 0)));
    check(&with_guard(unary(UnaryOp::Neg)), &|a, _| Ok(-a));
    check(&with_guard(unary(UnaryOp::BitNot)), &|a, _| Ok(-1 - a));
}

#[test]
fn connectives_give_truth_values_and_stop_early() {
    let arrays = "var a[3] in 0..9 = {5, 0, 7}\nvar i in 0..9 = 3\nvar z in 0..0";
    for (text, expected) in [
        ("5 && 7", Ok(1)),
        ("5 && 0 && 1 / z", Ok(0)),
        ("5 && 1 / z", Err(DivisionByZero)),
        ("0 || 7", Ok(1)),
        ("0 || 7 || 1 / z", Ok(1)),
        ("0 || 0", Ok(0)),
        ("and()", Ok(1)),
        ("or()", Ok(0)),
        ("and(7)", Ok(1)),
        ("or(7)", Ok(1)),
        ("i < 3 && a[i] == 0", Ok(0)),
        ("i >= 3 || a[i] == 0", Ok(1)),
        ("a[2]", Ok(7)),
        ("a[3]", Err(Index)),
        ("a[0 - 1]", Err(Index)),
        ("a[i]", Err(Index)),
        ("a[i - 4]", Err(Index)),
        ("a[i - 1]", Ok(7)),
        ("i ? 4 : 1 / z", Ok(4)),
        ("z ? 1 / z : 6", Ok(6)),
        ("1 / z + a[9]", Err(DivisionByZero)),
        ("a[9] + 1 / z", Err(Index)),
        ("!i", Ok(0)),
    ] {
        assert_eq!(value(arrays, text), expected, "{text}");
    }
}

#[test]
fn quantifiers() {
    let q = |e: &str| {
        let mut bench = Bench::edge(
            "var a[4] in 0..9 = {2, 4, 6, 8}\nvar r in -99..99",
            &format!("local i in 0..9\nlocal j in 0..9\ndo {{ r := {e}; }}"),
        );
        bench.fire(&[(0, 0, &[])]).map(|()| bench.get("r"))
    };
    for (text, expected) in [
        ("forall(i in 0..3 : a[i] % 2 == 0)", Ok(1)),
        ("forall(i in 0..3 : a[i] < 8)", Ok(0)),
        ("forall(i in 0..9 : a[i] < 4)", Ok(0)),
        ("forall(i in 0..9 : a[i] < 40)", Err(Index)),
        ("exists(i in 0..9 : a[i] == 8)", Ok(1)),
        ("exists(i in 0..3 : a[i] == 5)", Ok(0)),
        ("exists(i in 0..9 : a[i] == 5)", Err(Index)),
        ("sum(i in 0..3 : a[i])", Ok(20)),
        ("sum(i in 1..3 : sum(j in 1..2 : i * j))", Ok(18)),
        ("sum(i in 1..2 : i) + sum(i in 5..6 : i) * 2", Ok(25)),
        ("sum(i in 0..1 : 9223372036854775807)", Err(Overflow)),
    ] {
        assert_eq!(q(text), expected, "{text}");
    }
}

#[test]
fn a_quantifier_may_end_at_the_greatest_integer() {
    let mut bench = Bench::edge(
        "var r in 0..9",
        "local i in 0..9223372036854775807\ndo { r := sum(i in 9223372036854775806..9223372036854775807 : 1); }",
    );
    assert_eq!(bench.fire(&[(0, 0, &[])]), Ok(()));
    assert_eq!(bench.get("r"), 2);
}

#[test]
fn functions() {
    let declarations = "
        fn twice(x in 0..9) -> 0..9 { return x + x; }
        fn first(x in 0..9) -> 0..9 { local a[3] in 0..9; local i in 0..3;
            while i < 3 { a[i] := x + i; i := i + 1; }
            if x > 3 { return a[0]; } else { if x > 1 { return a[2]; } } }
        fn least() -> 3..9 { }
        fn both(x in 0..9) -> -9..9 { return twice(first(x)) - twice(x); }";
    for (text, expected) in [
        ("twice(4)", Ok(8)),
        ("twice(5)", Err(Range)),
        ("twice(10)", Err(Range)),
        ("twice(0 - 1)", Err(Range)),
        ("first(4)", Ok(4)),
        ("first(2)", Ok(4)),
        ("first(1)", Ok(0)),
        ("least()", Ok(3)),
        ("both(2)", Ok(4)),
        ("twice(1) + twice(2) * twice(3)", Ok(26)),
    ] {
        assert_eq!(value(declarations, text), expected, "{text}");
    }
}

#[test]
fn long_chains_of_calls() {
    let mut text = String::from("fn f0(x in 0..9) -> 0..9 { return x; }\n");
    for n in 1..90 {
        text += &format!("fn f{n}(x in 0..9) -> 0..9 {{ return f{}(x); }}\n", n - 1);
    }
    assert_eq!(value(&text, "f89(7) + f40(1)"), Ok(8));
}

#[test]
fn channels() {
    let declarations = "
        chan r[2] of (0..3)
        buffer q[3] capacity 2 of (0..3, 0..3)
        broadcast chan b
        var i in -9..9 = 1";
    for (text, expected) in [
        ("chan(r[0])", Ok(1)),
        ("chan(r[i])", Ok(2)),
        ("chan(q[i])", Ok(4)),
        ("chan(b)", Ok(6)),
        ("chan(q[i + 2])", Err(Index)),
        ("chan(q[i - 2])", Err(Index)),
        ("chan(*i)", Ok(1)),
        ("chan(*(77))", Ok(77)),
        ("len(q[0])", Ok(0)),
        ("cap(q[i])", Ok(2)),
        ("cap(r[0])", Ok(0)),
        ("len(r[1])", Ok(0)),
        ("len(b)", Ok(0)),
        ("cap(*(3))", Ok(2)),
        ("len(*(0))", Err(Channel)),
        ("len(*(7))", Err(Channel)),
        ("cap(*(0 - 1))", Err(Channel)),
        ("poll(receive q[0](_, _))", Ok(0)),
        ("poll(receive r[0](_))", Ok(0)),
        ("poll(receive *(3)(_, _))", Ok(0)),
        ("poll(receive *(3)(_))", Err(Channel)),
    ] {
        assert_eq!(value(declarations, text), expected, "{text}");
    }
}

#[test]
fn poll_looks_at_the_first_message_or_at_any() {
    let ask = |e: &str| {
        let mut bench = Bench::edge(
            "buffer q capacity 3 of (0..3, 0..3)\nvar k in 0..9",
            &format!("do {{ send q(1, 2); send q(3, 0); k := {e}; }}"),
        );
        bench.fire(&[(0, 0, &[])]).map(|()| bench.get("k"))
    };
    assert_eq!(ask("poll(receive q(=1, _))"), Ok(1));
    assert_eq!(ask("poll(receive q(=3, _))"), Ok(0));
    assert_eq!(ask("poll(receive any q(=3, _))"), Ok(1));
    assert_eq!(ask("poll(receive any q(=3, =2))"), Ok(0));
    assert_eq!(ask("len(q) * 3"), Ok(6));
}

#[test]
fn locations_and_processes() {
    let text = "network t
        var r in -9..99
        family f
        process A { init a location a location b
            edge a -> b { do { r := processes * 10 + alive(B) + alive(S) + pid(B); } }
            edge a -> b { do { r := pid(S); } }
            edge a -> b { do { r := A.a + 2 * A.b + 4 * B.y + 8 * S.s; } } }
        process B { init y location x location y edge y -> x { do { exit; } } }
        process S in f { init s location s }
        observer process O { init o location o }";
    let run = |edge| {
        let mut bench = Bench::new(text);
        bench.fire(&[(0, edge, &[])]).map(|()| bench.get("r"))
    };
    // Two processes exist (the observer does not count); B has number 1; the slot is free.
    assert_eq!(run(0), Ok(22));
    assert_eq!(run(1), Ok(-1));
    assert_eq!(run(2), Ok(6), "locations change before the update");
    let mut bench = Bench::new(text);
    bench.fire(&[(1, 0, &[])]).unwrap();
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert_eq!(bench.get("r"), 9, "one process, B dead, its number -1");
}
