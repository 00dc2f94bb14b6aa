//! Random updates with deeper control flow than random models have: nested branches and loops, functions that
//! return from the middle of them, arrays with computed indices, stores that fail.

use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::text::{ReadOptions, read};
use beeline_testkit::random::Random;

/// What can be read, and what can be written.
struct Scope {
    scalars: &'static [&'static str],
    arrays: &'static [&'static str],
    targets: &'static [&'static str],
    /// How a function is left; `None` where there is none to be left.
    returns: Option<bool>,
}

const PURE: Scope = Scope {
    scalars: &["x", "l", "a", "b", "w"],
    arrays: &["t", "m"],
    targets: &["x", "l", "m[0]", "m[_]"],
    returns: Some(true),
};
const EFFECT: Scope = Scope {
    scalars: &["x", "a", "b"],
    arrays: &["t"],
    targets: &["x", "a", "b", "t[_]"],
    returns: Some(false),
};
const UPDATE: Scope = Scope {
    scalars: &["s", "l", "a", "b", "w", "h"],
    arrays: &["t", "m"],
    targets: &["l", "a", "b", "w", "h", "t[1]", "t[_]", "m[_]"],
    returns: None,
};

/// A network of one edge with a random guard and update.
pub fn network(seed: u64) -> Network {
    let random = &mut Random::new(seed);
    let locals = "local l in -2..9; local m[3] in -1..5; local c1 in 0..150; local c2 in 0..150;";
    let text = format!(
        "network n
        var a in -2..3
        var b in 0..9
        var w in -100..400
        var h in 0..100000
        var t[3] in -1..4
        fn pure(x in -3..9) -> -9..9 {{ {locals} {pure} return {result}; }}
        fn put(x in -3..9) {{ {} {effect} }}
        process P {{ init p location p
          edge p -> p {{ select s in 0..2 {} guard {guard} do {{ {update} }} }} }}",
        &locals[locals.find("local c1").unwrap_or(0)..],
        locals.replace(';', "\n"),
        pure = block(random, &PURE, 2),
        result = expr(random, &PURE, 1),
        effect = block(random, &EFFECT, 2),
        guard = expr(random, &UPDATE, 3),
        update = block(random, &UPDATE, 3),
    );
    match read(&text, ReadOptions { file: "random", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}\n{text}"),
    }
}

fn block(random: &mut Random, scope: &Scope, depth: usize) -> String {
    (0..1 + random.below(3)).map(|_| statement(random, scope, depth)).collect()
}

fn statement(random: &mut Random, scope: &Scope, depth: usize) -> String {
    match random.below(if depth == 0 { 6 } else { 10 }) {
        0 if scope.returns.is_none() => format!("call put({});", expr(random, scope, 1)),
        0 | 1 if random.chance(25) => match scope.returns {
            Some(true) => format!("return {};", expr(random, scope, 1)),
            Some(false) => "return;".to_string(),
            None => format!("assert {};", expr(random, scope, 1)),
        },
        0..=5 => {
            let target = random.pick(scope.targets).expect("some").replace('_', &index(random, scope));
            let store = if random.chance(60) { "wrap " } else { "" };
            format!("{store}{target} := {};", expr(random, scope, 2))
        }
        6 | 7 => {
            let cond = condition(random, scope);
            let (first, second) = (block(random, scope, depth - 1), block(random, scope, depth - 1));
            format!("if {cond} {{ {first} }} else {{ {second} }}")
        }
        _ if depth <= 2 => {
            // Each level counts for itself, so that loops end.
            let limit = expr(random, scope, 1);
            let (cond, body) = (condition(random, scope), block(random, scope, depth - 1));
            let also = if random.chance(30) { format!(" && {cond}") } else { String::new() };
            let (step, most) = (1 + random.below(2), if random.chance(30) { 148 } else { 6 });
            let (reset, count) = (format!("c{depth} := 0;"), format!("c{depth} := c{depth} + {step};"));
            format!("{reset} while c{depth} < min({most}, {limit}){also} {{ {body} {count} }}")
        }
        _ => statement(random, scope, depth - 1),
    }
}

fn index(random: &mut Random, scope: &Scope) -> String {
    match random.below(3) {
        0 => random.between(-1, 3).to_string(),
        1 => format!("({}) & 1", expr(random, scope, 1)),
        _ => random.pick(scope.scalars).expect("some").to_string(),
    }
}

/// Often a comparison of variables, which tells something about them.
fn condition(random: &mut Random, scope: &Scope) -> String {
    let mut simple = || {
        let (left, right) = (expr(random, scope, 0), expr(random, scope, 0));
        let op = random.pick(&["==", "!=", "<", "<=", ">", ">="]).expect("some");
        let not = if random.chance(20) { "!" } else { "" };
        format!("{not}({left} {op} {right})")
    };
    let (one, other) = (simple(), simple());
    match random.below(4) {
        0 => one,
        1 => format!("({one} && {other})"),
        2 => format!("({one} || {other})"),
        _ => expr(random, scope, 2),
    }
}

fn expr(random: &mut Random, scope: &Scope, depth: usize) -> String {
    if depth == 0 {
        return match random.below(3) {
            0 => format!("({})", random.between(-3, 9)),
            _ => random.pick(scope.scalars).expect("some").to_string(),
        };
    }
    let mut sub = || expr(random, scope, depth - 1);
    let (a, b, c) = (sub(), sub(), sub());
    let ops =
        ["+", "-", "*", "/", "%", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "<", "==", "&&", "||"];
    match random.below(12) {
        0..=6 => format!("({a} {} {b})", random.pick(&ops).expect("some")),
        7 => format!("({a} ? {b} : {c})"),
        8 => format!("(!{a})"),
        9 => format!("{}[{}]", random.pick(scope.arrays).expect("some"), index(random, scope)),
        10 if scope.returns != Some(true) => format!("pure({a})"),
        10 => format!("max({a}, {b})"),
        _ => {
            let quantifier = random.pick(&["forall", "exists", "sum"]).expect("some");
            format!(
                "{quantifier}(q{depth} in 0..2 : {a} {} q{depth})",
                random.pick(&["==", "<", "+"]).expect("some")
            )
        }
    }
}
