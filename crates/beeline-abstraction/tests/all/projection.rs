//! One small network for each rule of the projection, with what is left of it; and the public models, to each of
//! their automata.

use beeline_abstraction::{Classes, Pattern, Projection, Unprojectable};
use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::text::{ReadOptions, print, read};
use beeline_uppaal::Format;
use std::path::Path;

fn network(text: &str) -> Network {
    let model = read(&format!("network n {text}"), ReadOptions { file: "case", record_places: false });
    match model {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}: {text}"),
    }
}

/// The pattern of these processes, variables and clocks.
fn pattern(network: &Network, names: &str) -> Pattern {
    let has = |name: &str| names.split_whitespace().any(|word| word == name);
    let found = Pattern {
        automata: network.processes.ids().filter(|id| has(&network.processes[*id].name)).collect(),
        integers: network.vars.ids().filter(|id| has(&network.var_name(*id))).collect(),
        clocks: network.clocks.ids().filter(|id| has(&network.clock_name(*id))).collect(),
        ..Pattern::default()
    };
    let count = found.automata.len() + found.integers.len() + found.clocks.len();
    assert_eq!(count, names.split_whitespace().count(), "all of {names} are there");
    found
}

fn project(network: &Network, names: &str) -> Projection {
    let projection =
        Projection::of(network, &network.properties[0], &pattern(network, names)).expect("projectable");
    let model = Model::Network(projection.network.clone());
    assert_eq!(beeline_ir::wellformed::check(&model), Vec::new(), "{}", print(&model));
    assert_eq!(projection.network.properties, std::slice::from_ref(&projection.property));
    projection
}

/// The projection to the names is the network of the other text.
#[track_caller]
fn becomes(text: &str, names: &str, expected: &str) -> Projection {
    let projection = project(&network(text), names);
    let text = |network: Network| print(&Model::Network(network));
    assert_eq!(text(projection.network.clone()), text(network(expected)));
    projection
}

/// The projection to the names keeps the other names.
#[track_caller]
fn closes(text: &str, names: &str, expected: &str) {
    let network = network(text);
    assert_eq!(project(&network, names).pattern, pattern(&network, expected), "{text}");
}

#[test]
fn everything_is_kept_as_it_is() {
    let text = "var n in 0..3 clock x, y urgent chan c priority 2
           process P priority 1 { atomic location a committed location b edge a -> a
             edge a -> b { guard n < 2 && enabled(Q : #1) send c do { n := n + 1; } }
             edge b -> a { when x - y < 1 } edge b -> a { when x - y < 1 } }
           process Q { location a edge a -> a { receive c } edge a -> a { guard n == 1 } }
           property : E<> P.b && n == 2 property : A[] !deadlock";
    let network = network(text);
    let projection = Projection::of(&network, &network.properties[0], &Pattern::all(&network)).unwrap();
    assert_eq!(projection.network, network);
    assert_eq!(projection.property, network.properties[0]);
    assert_eq!(projection.slots, (0..projection.slots.len()).map(Some).collect::<Vec<_>>());
    assert!(projection.committed.is_empty());
}

#[test]
fn effects_of_removed_automata_stay() {
    let projection = becomes(
        "var n in 0..3 var m in 0..3 clock x, y
         process P { location a location b edge a -> b { when x >= 2, y < 1 } }
         process Q { location a { invariant x <= 1 } urgent location b
           edge a -> b { guard m == 0 do { x := 0; y := 0; m := 1; } }
           edge b -> a { guard n == 1 do { n := 2; } }
           edge b -> b { guard n == 1 do { n := 2; } }
           edge b -> a { guard n == 3 do { m := n; y := 1; } } }
         property : E<> P.b && m == 1 && Q.b && x > 1",
        "P n x",
        "var n in 0..3 var m in 0..0 clock x, y
         process P { location a location b edge a -> b { when x >= 2 } }
         process Q { location a edge a -> a { do { x := 0; } } edge a -> a { guard n == 1 do { n := 2; } } }
         property : E<> P.b && x > 1",
    );
    // The locations of P and Q, and both variables.
    assert_eq!(projection.slots, [Some(0), None, Some(2), None]);
}

#[test]
fn conditions_become_weaker() {
    for (condition, weaker) in [
        ("g == 1 && k == 1", "k == 1"),
        ("g == 1 || k == 1", "1"),
        ("!(g == 1 && k == 1)", "1"),
        ("!(g == 1 || k == 1)", "!(k == 1)"),
        ("!(k == 1 && !(g == 1 && k == 2))", "!(k == 1 && !(k == 2))"),
        ("forall(i in 0..2 : r[i] == 0 && i != g)", "forall(i in 0..2 : r[i] == 0)"),
        ("exists(i in 0..2 : r[i] == i && i != g)", "exists(i in 0..2 : r[i] == i)"),
        ("(k == 1 ? g == 1 : k == 2)", "(k == 1 ? 1 : k == 2)"),
        ("(g == 1 ? k == 1 : k == 2)", "k == 1 || k == 2"),
        ("g + k == 1", "1"),
        ("Q.a && k == 1", "k == 1"),
        ("enabled(P : #1) || k == 1", "1"),
        // Where `g == 1` is false, the index does not matter.
        ("g == 1 && r[k] == 0 && k == 1", "r[k] == 0 && k == 1"),
        ("g == 1 && r[k] == 0 || k == 1", "1"),
        ("g == 1 && r[k % 3] == 0 || k == 1", "r[k % 3] == 0 || k == 1"),
        ("exists(i in 0..2 : g == i && r[k] == i)", "1"),
        ("!((g == 1 || r[k] == 0) && k == 1)", "1"),
    ] {
        let text = |g: &str, b: &str, condition: &str| {
            format!(
                "{g} var k in 0..3 {b} process P {{ location a edge a -> a {{ guard {condition} do {{ k := 1; }} }}
                   edge a -> a {{ do {{ k := 0; }} }} }}
                 process Q {{ location a }} property : E<> k == 1"
            )
        };
        becomes(
            &text("var g in 0..3", "var r[3] in 0..3", condition),
            "P k r",
            &text("var g in 0..0", "var r[3] in 0..3", weaker),
        );
    }
}

#[test]
fn where_a_goal_fails_the_weaker_one_is_not_false() {
    for (goal, weaker) in [
        ("E<> c[g] == 0 && k == 1", "E<> 1"),
        ("E<> k == 1 && c[g] == 0 && k == 2", "E<> k == 1"),
        ("E<> g == 0 && k == 1", "E<> k == 1"),
        ("E<> k == 1 || g == 0 && c[k] == 1", "E<> 1"),
        ("E<> k == 1 || g == 0 && c[k % 2] == 1", "E<> k == 1 || c[k % 2] == 1"),
        ("E<> k == 1 && c[k] == 1 && k == 2", "E<> k == 1"),
        ("E<> even(k) && k == 1", "E<> even(k) && k == 1"),
        ("E<> even(k + 1) && k == 1", "E<> 1"),
        ("E<> cell(k) && k == 1", "E<> 1"),
        ("E<> exists(i in 0..9999 : i == k) && k == 1", "local i in 0..9999; E<> 1"),
        ("A[] c[g] == 0 || k == 1", "A[] 0"),
        ("A[] g == 0 || k == 1", "A[] k == 1"),
        ("A[] deadlock || k == 1", "A[] k == 1"),
        ("E<> x <= 2 && y <= 2", "E<> x <= 2"),
        ("E<> x - z <= 2 && z <= 2", "E<> z <= 2"),
        ("E<> x <= g && z <= 2", "E<> z <= 2"),
    ] {
        let text = |g: &str, goal: &str| {
            format!(
                "{g} var k in 0..3 var c[2] in 0..1 clock x, y, z
                 fn even(p in 0..3) -> 0..1 {{ if p % 2 == 0 {{ return 1; }} }}
                 fn cell(p in 0..3) -> 0..1 {{ return c[p]; }}
                 process P {{ location a }} property : {goal}"
            )
        };
        becomes(&text("var g in 0..3", goal), "P k c x z", &text("var g in 0..0", weaker));
    }
}

#[test]
fn clock_constraints_keep_what_is_certain() {
    let text = |g: &str, invariant: &str, guard: &str| {
        format!(
            "{g} var k in 0..3 clock x, y, z process P {{ location a {{ {invariant} }} location b
               edge a -> b {{ {guard} }} }} property : E<> P.b"
        )
    };
    becomes(
        &text(
            "var g in 1..3 = 1",
            "invariant x <= g, y <= 1, g == 1 => x < 1, k == 1 => x < g",
            "when x == g, x - z < 1, z >= k, z > 3 - g",
        ),
        "P k x z",
        &text("var g in 0..0", "invariant x <= 3, k == 1 => x < 3", "when x >= 1, x <= 3, z >= k, z > 0"),
    );
}

#[test]
fn values_that_are_not_known_are_chosen() {
    for (statement, select, left) in [
        ("k := g;", "select choice0 in 0..2", "k := choice0;"),
        ("k := 2 * g;", "select choice0 in 0..3", "k := choice0;"),
        ("wrap k := 2 * g;", "select choice0 in 0..3", "wrap k := choice0;"),
        ("k := g + 3;", "", "k := 3;"),
        ("r[g] := k;", "select choice0 in 0..1", "r[choice0] := k;"),
        ("t := g; k := t + 1;", "select choice0 in 0..2 local t in 0..3", "t := choice0; k := t + 1;"),
        ("t := g; g := k; g := t;", "", ""),
        (
            "if g == 1 { k := 1; } else { r[0] := 1; }",
            "select choice0 in 0..1",
            "if choice0 { k := 1; } else { r[0] := 1; }",
        ),
        ("if g == 1 { g := 1; } else { g := 2; }", "", ""),
        ("if k == 1 { k := 2; g := 1; } else { g := 2; }", "", "if k == 1 { k := 2; }"),
        ("x := g;", "select choice0 in 0..2", "x := choice0;"),
        ("y := 0; y := x;", "", ""),
        ("while k < 2 { k := k + 1; g := k; }", "", "while k < 2 { k := k + 1; }"),
        ("while g < 2 { g := g + 1; }", "", ""),
        ("t := 0; while t < 2 { t := t + 1; g := t; }", "", ""),
        ("k := call get(1);", "select choice0 in 0..2", "k := choice0;"),
        ("k := call put(g);", "select choice0 in 0..1", "k := call put(choice0);"),
        ("k := call log(g);", "", "k := call log(0);"),
        ("assert k == g;", "", ""),
    ] {
        let locals =
            if statement.contains('t') && (statement.contains("t :=")) { "local t in 0..3" } else { "" };
        let text = |g: &str, get: &str, log: &str, select: &str, statements: &str| {
            format!(
                "{g} var k in 0..3 var r[2] in 0..3 clock x, y
                 fn get(p in 0..1) -> 0..2 {{ {get} }}
                 fn put(p in 0..1) -> 0..1 {{ r[0] := p; return p; }}
                 fn log(p in 0..2) -> 0..1 {{ {log} return k; }}
                 process P {{ location a location b edge a -> b {{ {select} do {{ {statements} }} }} }}
                 property : E<> P.b"
            )
        };
        becomes(
            &text("var g in 0..2", "return g + p;", "g := p;", locals, statement),
            "P k r x",
            &text("var g in 0..0", "", "", select, left),
        );
    }
}

#[test]
fn what_cannot_be_chosen_is_needed() {
    for (statement, needed) in [
        ("while k < 2 { k := k + g; }", "g"),
        ("while g < 2 { k := 1; g := 2; }", "g"),
        ("call add();", "g"),
        ("x := y;", "y"),
        ("k := w;", "w"),
        ("k := w + g;", "g w"),
        ("while k < 2 { k := k + 1; if h == 1 { x := 0; } }", "h"),
        ("t := 0; while t < h { t := t + 1; k := t; }", "h"),
    ] {
        let text = format!(
            "var g in 0..2 var h in 0..2 var w in 0..5000 var k in 0..5000 clock x, y
             fn add() {{ k := k + g; }}
             process P {{ location a location b edge a -> b {{ local t in 0..3 do {{ {statement} }} }} }}
             process Q {{ location a location b edge a -> b {{ guard h == 0 do {{ h := 1; g := 1; w := 1; }} }} }}
             property : E<> P.b"
        );
        // The function is there whether it is called or not.
        closes(&text, "P k x", &format!("P k x g {}", needed.replace('g', "")));
    }
}

#[test]
fn receivers_of_broadcasts_that_have_lost_something_may_stay() {
    becomes(
        "var g in 0..1 var k in 0..3 var r[2] in 0..3 broadcast chan c[2]
         process P { location a location b edge a -> b { send c[0] } }
         process Q { location a location b edge a -> b { guard g == 1 && r[k] == 0 && k < 3 receive c[k] } }
         process R { location a location b edge a -> b { guard r[k] == 0 receive c[1] }
                     edge b -> a { receive c[0] do { g := 1; } } }
         process S { location a location b edge a -> b { guard r[k] == 0 && k > 1 receive c[0] do { k := 1; } }
                     edge b -> a { receive c[0] } }
         property : E<> P.b && Q.b",
        "P Q k r",
        "var g in 0..0 var k in 0..3 var r[2] in 0..3 broadcast chan c[2]
         process P { location a location b edge a -> b { send c[0] } }
         process Q { location a location b
           edge a -> b { select choice0 in 0..1 guard k < 3 receive c[choice0] }
           edge a -> a { select choice0 in 0..1 receive c[choice0] free } }
         process R { location a }
         process S { location a edge a -> a { guard k > 1 receive c[0] do { k := 1; } }
                     edge a -> a { receive c[0] free } }
         property : E<> P.b && Q.b",
    );
}

#[test]
fn committed_locations_of_removed_automata_let_others_move() {
    let text = |kept: &str| {
        format!(
            "broadcast chan c var k in 0..1 process P {{ {kept} location a location b edge a -> b {{ send c }} }}
             process Q {{ committed location a location b edge a -> b {{ do {{ k := 1; }} }}
               edge b -> a {{ receive c }} edge a -> a {{ receive c }} edge a -> b }}
             property : E<> P.b"
        )
    };
    let projection = project(&network(&text("committed")), "P k");
    let flagged: Vec<(usize, usize)> =
        projection.committed.iter().map(|(p, e)| (p.index(), e.index())).collect();
    assert_eq!(flagged, [(1, 0), (1, 1)], "{}", print(&Model::Network(projection.network)));
    // Where nobody else is committed it does not matter.
    assert!(project(&network(&text("")), "P k").committed.is_empty());
}

#[test]
fn urgency_priorities_and_tokens_stay_where_they_are_certain() {
    let text = |g: &str, urgent: &str, priority: &str, guard: &str, channels: [&str; 3]| {
        let [c, d, e] = channels;
        format!(
            "{g} var k in 0..1 {c} chan c {priority} {d} chan d {e} chan e
             process P {{ {urgent} location a location b edge a -> b {{ guard k == 0 send c }}
               edge a -> b {{ {guard} send d }} edge a -> b {{ send e }} }}
             process Q {{ location a location b edge a -> b {{ receive c }} edge a -> b {{ receive d }} }}
             process R {{ location a edge a -> a {{ receive e }} }} property : E<> P.b"
        )
    };
    let before = text("var g in 0..1", "urgent", "priority 1", "guard g == 0", ["urgent"; 3]);
    becomes(&before, "P Q k", &text("var g in 0..0", "urgent", "", "", ["urgent", "", ""]));
    let token = |g: &str, atomic: &str, guard: &str| {
        format!(
            "{g} var k in 0..1 process P {{ location a {atomic} location b
               edge a -> b {{ {guard} do {{ k := 1; }} }} }}
             property : E<> k == 1"
        )
    };
    becomes(&token("var g in 0..1", "atomic", ""), "P k", &token("var g in 0..0", "atomic", ""));
    becomes(&token("var g in 0..1", "atomic", "guard g == 0"), "P k", &token("var g in 0..0", "", ""));
}

#[test]
fn messages_that_are_not_known_are_chosen() {
    becomes(
        "var g in 0..5 var k in 0..3 chan c of (0..2, 0..3) buffer q[2] capacity 1 of (0..3)
         process P { location a location b edge a -> b { send c(g, k) } edge a -> b { send q[g](1) } }
         process Q { location a location b edge a -> b { receive c(k, =g) } edge a -> b { receive c(g, =2) }
           edge a -> b { receive q[0](=g) } edge a -> b { receive any q[0](=g) } }
         property : E<> P.b",
        "P Q k",
        "var g in 0..0 var k in 0..3 chan c of (0..2, 0..3) buffer q[2] capacity 1 of (0..3)
         process P { location a location b edge a -> b { select choice0 in 0..2 send c(choice0, k) }
           edge a -> b { select choice0 in 0..1 send q[choice0](1) } }
         process Q { location a location b edge a -> b { receive c(k, _) } edge a -> b { receive c(_, =2) }
           edge a -> b { receive q[0](_) } edge a -> b { select choice0 in 0..3 receive any q[0](=choice0) } }
         property : E<> P.b",
    );
}

#[test]
fn channels_on_which_nothing_happens_fall_silent() {
    becomes(
        "var g in 0..1 chan c broadcast chan d chan e
         process P { location a location b edge a -> b { send d } }
         process Q { location a location b edge a -> b { send c } edge b -> a { send d do { g := 1; } }
           edge a -> b { receive d } edge a -> b { send e } }
         process R { location a edge a -> a { receive c do { g := 0; } } edge a -> a { receive e } }
         process S { location a location b edge a -> b { receive e } }
         property : E<> P.b",
        "P S",
        "var g in 0..0 chan c broadcast chan d chan e
         process P { location a location b edge a -> b { send d } }
         process Q { location a edge a -> a { send e } }
         process R { location a edge a -> a { receive e } }
         process S { location a location b edge a -> b { receive e } }
         property : E<> P.b",
    );
}

#[test]
fn assertions_may_fail_wherever_they_might() {
    let text = |g: &str, first: &str, second: &str| {
        format!(
            "{g} var k in 0..3 var r[2] in 0..1
             process P {{ location a edge a -> a {{ do {{ assert {first}; assert {second}; }} }} }}
             property : no-assertion-failure"
        )
    };
    becomes(
        &text("var g in 0..3", "k == 1 || g == 2", "k == 1 && (g == 1 || r[k] == 1)"),
        "k r",
        &text("var g in 0..0", "k == 1", "0"),
    );
}

#[test]
fn observers_and_families_are_never_removed() {
    let text = "var g in 0..1 family F
         process P { location a location b edge a -> b { do { start F(g); } } edge a -> a }
         process S in F { param n in 0..1 location a edge a -> a { guard n == 1 do { exit; } } }
         process E { location a edge a -> a { do { exit; } } }
         observer process O { location s location bad edge s -> s edge s -> bad { guard g == 1 } }
         property : never O at {bad}";
    let projection = becomes(
        text,
        "",
        "var g in 0..0 family F
         process P { location a
           edge a -> a { select choice0 in 0..1 do { start F(choice0); } } edge a -> a }
         process S in F { param n in 0..1 location a edge a -> a { guard n == 1 do { exit; } } }
         process E { location a edge a -> a { do { exit; } } }
         observer process O { location s location bad edge s -> s edge s -> bad }
         property : never O at {bad}",
    );
    assert_eq!(projection.pattern, pattern(&network(text), "S E O S.n"));
}

/// The projection where of the variable `v` it is only kept whether it is at least 5.
fn mapped(text: &str, names: &str) -> Projection {
    let network = network(text);
    let mut pattern = pattern(&network, names);
    let (v, var) = network.vars.enumerate().find(|(_, var)| var.name == "v").expect("there is one");
    pattern.maps.insert(v, Classes::new(var.range, |value| value >= 5).expect("few values"));
    let projection = Projection::of(&network, &network.properties[0], &pattern).expect("projectable");
    let model = Model::Network(projection.network.clone());
    assert_eq!(beeline_ir::wellformed::check(&model), Vec::new(), "{}", print(&model));
    projection
}

#[test]
fn several_values_become_one() {
    let class = |value: &str| format!("({value} <= 4 ? 0 : 1)");
    let (value, other, held) = (class("value"), class("other"), class("held"));
    for (before, after) in [
        // Read by the guard alone, which tells 0, 5 and 7 apart.
        (
            "guard v == 7".to_string(),
            "guard exists(value in 0..2 : (value <= 0 ? 0 : 1) == v
                          && (value <= 0 ? 0 : (value <= 1 ? 5 : 7)) == 7)"
                .to_string(),
        ),
        // Written alone.
        ("do { v := k; }".into(), format!("local held in 0..9 do {{ held := k; v := {held}; }}")),
        // What the guard sees is what the update sees.
        (
            "guard v < 9 do { v := v + 1; }".into(),
            format!(
                "select value in 0..3 local held in 0..9
                 guard (value <= 1 ? 0 : 1) == v && (value <= 1 ? (value <= 0 ? 0 : 4) : (value <= 2 ? 5 : 9)) < 9
                 do {{ held := (value <= 1 ? (value <= 0 ? 0 : 4) : (value <= 2 ? 5 : 9)); held := held + 1;
                       v := {held}; }}"
            ),
        ),
        // A sender may have written it before.
        (
            "guard v < 9 receive c(k) do { k := v; }".into(),
            format!(
                "select other in 0..9 local value in 0..2 local held in 0..9
                 guard exists(value in 0..2 : (value <= 0 ? 0 : 1) == v
                              && (value <= 0 ? 0 : (value <= 1 ? 5 : 9)) < 9) receive c(k)
                 do {{ held := ({other} == v ? other : (v <= 0 ? 0 : 5)); k := held; }}"
            ),
        ),
        (
            "when x <= v receive c(k) do { k := v; }".into(),
            format!(
                "select value in 0..9, other in 0..9 local held in 0..9 guard {value} == v when x <= value
                 receive c(k) do {{ held := ({other} == v ? other : (v <= 0 ? 0 : 5)); k := held; }}"
            ),
        ),
        // It holds what is received.
        (
            "receive c(v) do { k := v; }".into(),
            format!("local held in 0..9 receive c(held) do {{ v := {held}; k := held; }}"),
        ),
        // A bound that any value of the class may give.
        ("when x <= v".into(), format!("select value in 0..9 guard {value} == v when x <= value")),
    ] {
        let text = |range: &str, edge: &str, any: &str, goal: &str| {
            format!(
                "var v in {range} var k in 0..9 clock x chan c of (0..9)
                 process P {{ location a location b edge a -> b {{ {edge} }} }}
                 process Q {{ location a edge a -> a {{ send c(k) }} edge a -> a {{ receive c(k) }}
                   edge a -> a {{ select s in 0..9 {any} }} }}
                 property : {goal}"
            )
        };
        let projection = mapped(&text("0..9 = 6", &before, "do { v := s; }", "A[] v != 3"), "P Q k x");
        let goal = "A[] !exists(value in 0..2 : (value <= 1 ? 0 : 1) == v
                                && !((value <= 0 ? 0 : (value <= 1 ? 3 : 5)) != 3))";
        let any = format!("local held in 0..9 do {{ held := s; v := {held}; }}");
        let expected = network(&text("0..1 = 1", &after, &any, goal));
        let left = Model::Network(projection.network.clone());
        assert_eq!(print(&left), print(&Model::Network(expected)));
        assert_eq!(projection.image(&[0, 0, 3, 9]), [0, 0, 0, 9]);
    }
}

/// Each place where an element is read has a value of its own to choose; values that nothing can tell apart are one.
#[test]
fn several_values_of_elements_become_one() {
    let held = "(held <= 4 ? 0 : 1)";
    let text = |range: &str, init: &str, edges: &str, goal: &str| {
        format!(
            "var v[2] in {range} = {init} var k in 0..1
             process P {{ location a {edges} edge a -> a {{ do {{ k := 1 - k; }} }} }} property : {goal}"
        )
    };
    let projection = mapped(
        &text(
            "0..9",
            "{6, 0}",
            "edge a -> a { guard v[k] == 7 do { v[0] := v[1] + 1; } } edge a -> a { select s in 0..9 do { v[k] := s; } }",
            "A[] v[1] != 3",
        ),
        "P k",
    );
    let chosen = "(element_ <= 1 ? (element_ <= 0 ? 0 : 4) : (element_ <= 2 ? 5 : 9))";
    let edges = format!(
        "edge a -> a {{ select element in 0..2, element_ in 0..3 local held in 0..9
           guard ((element <= 0 ? 0 : 1) == v[k] ? (element <= 0 ? 0 : (element <= 1 ? 5 : 7)) : (v[k] <= 0 ? 0 : 5)) == 7
           do {{ held := ((element_ <= 1 ? 0 : 1) == v[1] ? {chosen} : (v[1] <= 0 ? 0 : 5)) + 1; v[0] := {held}; }} }}
         edge a -> a {{ select s in 0..9 local held in 0..9 do {{ held := s; v[k] := {held}; }} }}"
    );
    let goal = "A[] !exists(element in 0..2 : !(((element <= 1 ? 0 : 1) == v[1]
                  ? (element <= 0 ? 0 : (element <= 1 ? 3 : 5)) : (v[1] <= 0 ? 0 : 5)) != 3))";
    let expected = network(&text("0..1", "{1, 0}", &edges, goal));
    let left = Model::Network(projection.network.clone());
    assert_eq!(print(&left), print(&Model::Network(expected)));
    assert_eq!(projection.image(&[0, 3, 9, 1]), [0, 0, 1, 1]);
}

/// A goal that holds for one value of a class and fails for another once failed for the class.
#[test]
fn a_goal_does_not_fail_for_another_value() {
    let text = "var v in 0..9 process P { location a edge a -> a { do { v := 3; } } } property : E<> P.a && 3 / v == 1";
    let expected = network("process P { location a } property : E<> P.a").properties.remove(0);
    assert_eq!(mapped(text, "P").property, expected);
}

#[test]
fn variables_that_loops_and_functions_touch_are_not_mapped() {
    for (functions, update) in
        [("", "while k < v { k := k + 1; }"), ("fn f() -> 0..9 { return v; }", "k := call f();")]
    {
        let text = format!(
            "var v in 0..9 var k in 0..9 {functions}
             process P {{ location a location b edge a -> b {{ do {{ {update} v := 1; }} }} }} property : E<> P.b"
        );
        let projection = mapped(&text, "P k");
        assert_eq!(projection.pattern, Pattern::all(&network(&text)));
    }
}

#[test]
fn not_every_question_can_be_asked_of_a_projection() {
    let network = network("process P { location a } property : no-runtime-error");
    let answer = Projection::of(&network, &network.properties[0], &Pattern::default());
    assert_eq!(answer, Err(Unprojectable::RuntimeErrors));
    assert!(!Unprojectable::RuntimeErrors.to_string().is_empty());
}

/// Every public model of a folder, to each of its automata and all clocks.
#[test]
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn public_models_are_projected_to_single_automata() {
    for folder in ["mcta", "demo", "xtasuite", "ticktac"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uppaal").join(folder);
        let Ok(files) = std::fs::read_dir(&path) else {
            println!("skipped: the models of {folder} are not there");
            continue;
        };
        let mut files: Vec<_> = files.filter_map(|file| file.ok().map(|file| file.path())).collect();
        files.sort();
        for file in files {
            let format = match file.extension().and_then(|extension| extension.to_str()) {
                Some("xml") => Format::Xml,
                Some("xta") => Format::Xta,
                _ => continue,
            };
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&file).expect("a text");
            let Ok(reading) = beeline_uppaal::read(&text, &name, format) else {
                println!("skipped: {name} is not for us");
                continue;
            };
            let mut network = reading.network;
            network.properties = reading.symbols.queries(&network, "E<> true");
            let mut kept = 0;
            for automaton in network.processes.ids() {
                let wanted = Pattern {
                    automata: [automaton].into(),
                    clocks: network.clocks.ids().collect(),
                    ..Pattern::default()
                };
                let projection =
                    Projection::of(&network, &network.properties[0], &wanted).expect("projectable");
                let model = Model::Network(projection.network);
                assert_eq!(beeline_ir::wellformed::check(&model), Vec::new(), "{name}: {}", print(&model));
                kept += projection.pattern.integers.len() + projection.pattern.automata.len();
            }
            println!("{name}: {} automata, {kept} factors kept in all", network.processes.len());
        }
    }
}
