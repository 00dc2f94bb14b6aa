//! One test per rule of well-formedness: a model that breaks just this rule, and one that just does not.

use beeline_ir::expr::{Expr, Range};
use beeline_ir::network::{Family, Network};
use beeline_ir::property::PropertyKind;
use beeline_ir::stmt::Stmt;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::*;

const EXACT: ReadOptions<'_> = ReadOptions { file: "test", record_places: false };

/// The codes of what is wrong with a text.
fn codes(text: &str) -> Vec<&'static str> {
    let Err(diagnostics) = text::read(text, EXACT) else { return Vec::new() };
    diagnostics.iter().map(|d| d.code).collect()
}
#[track_caller]
fn good(text: &str) {
    let result = text::read(text, EXACT);
    assert!(result.is_ok(), "{text}\n{:#?}", result.err());
}
#[track_caller]
fn bad(code: &str, text: &str) {
    let found = codes(text);
    assert!(!found.is_empty() && found.iter().all(|c| *c == code), "{text}\nwanted {code}, found {found:?}");
}

/// A network with a bit of everything, and these items in a process, or in an edge of it.
fn items(items: &str) -> String {
    format!(
        "network n var v in 0..9 var a[3] in 0..9 clock x chan c of (0..1) chan cs[2] broadcast chan b urgent chan u
         buffer q capacity 1 of (0..3, 0..3) family F
         fn g(p in 0..9) -> 0..9 {{ return p; }} fn w(p in 0..9) -> 0..9 {{ v := p; }} fn none() {{ }}
         process P {{ var k in 0..9 init l location l location m {items} }}
         process S in F {{ param s in 0..9 init l location l }}
         observer process O {{ init o location o }}"
    )
}
fn edge(parts: &str) -> String {
    items(&format!("edge l -> m {{ {parts} }}"))
}
fn guard(expr: &str) -> String {
    edge(&format!("guard {expr}"))
}
fn property(expr: &str) -> String {
    items("") + &format!(" property : A[] {expr}")
}
/// What is wrong with a network that was well-formed before this change.
fn changed(text: &str, change: impl FnOnce(&mut Network)) -> Vec<&'static str> {
    let Ok(Model::Network(mut network)) = text::read(text, EXACT) else {
        panic!("{text}: {:?}", codes(text))
    };
    change(&mut network);
    wellformed::check(&Model::Network(network)).iter().map(|d| d.code).collect()
}

#[test]
fn e0301_e0302_names() {
    good(
        "network n var x in 0..1 process P { var x in 0..1 init l location l } process Q { var x in 0..1 init l location l }",
    );
    bad("E0301", "network n var x in 0..1 clock x");
    bad("E0301", "network n var x in 0..1 chan x");
    bad("E0301", "network n var x in 0..1 fn x() { }");
    bad("E0301", "network n var x in 0..1 family x");
    bad("E0301", "network n var x in 0..1 enum x { 0 = a }");
    bad("E0301", "network n var x in 0..1 process x { init l location l }");
    bad("E0301", "network n process P { var x in 0..1 init x location x }");
    bad("E0301", "network n process P { init l location l location l }");
    bad("E0301", "network n process P { clock x chan x init l location l }");
    bad("E0301", &edge("select i in 0..1 local i in 0..1"));
    bad("E0301", "network n property p : A[] 1 property p : A[] 1");
    bad("E0301", "relation r state x in 0..1 input x in 0..1");
    bad("E0301", "relation r state x in 0..1 enum x { 0 = a }");
    bad("E0302", "network n var '' in 0..1");
}

#[test]
fn e0303_empty_ranges() {
    bad("E0303", &edge("select i in 1..0"));
    bad("E0303", "network n chan c of (0..1, 1..0)");
    bad("E0303", "network n fn f() -> 1..0 { }");
    bad("E0303", "relation r state x in 1..0");
    assert_eq!(
        changed("network n var x in 0..1", |n| n.vars[VarId::new(0)].range = Range::new(1, 0)),
        ["E0303", "E0305"]
    );
}

#[test]
fn e0304_e0305_initial_values() {
    bad("E0304", "network n var x[3] in 0..1 = {0, 1}");
    bad("E0304", "network n var x in 0..1 = {0, 1}");
    bad("E0304", "network n var x in 0..1 = {}");
    bad("E0305", "network n var x in 0..1 = 2");
    bad("E0305", "network n var x[2] in 0..1 = {0, -1}");
}

#[test]
fn e0306_to_e0310_sizes_and_lists() {
    bad("E0306", "network n var x[0] in 0..1");
    bad("E0306", "network n chan c[0]");
    bad("E0306", &edge("local i[0] in 0..1"));
    good("network n buffer b[999] capacity 5000 of (0..1, 0..1)");
    bad("E0307", "network n buffer b[999] capacity 5010 of (0..1, 0..1)");
    bad("E0307", &edge("local i[10000001] in 0..1"));
    bad("E0308", "network n buffer b capacity 0");
    bad("E0309", "network n chan c[3] priority {1, 2}");
    bad("E0310", "network n enum e { 1 = a, 1 = b }");
    bad("E0310", "relation n enum e { 1 = a, 0 = b }");
}

#[test]
fn e0311_families() {
    bad(
        "E0311",
        "network n family F process P in F { init l location l } process Q in F { param p in 0..1 init l location l }",
    );
    let slots = |n: &mut Network, slots: &[usize]| {
        n.families[FamilyId::new(0)].slots = slots.iter().map(|p| ProcessId::new(*p)).collect();
    };
    assert_eq!(changed(&items(""), |n| slots(n, &[1])), [""; 0]);
    assert_eq!(changed(&items(""), |n| slots(n, &[])), ["E0311"]);
    assert_eq!(changed(&items(""), |n| slots(n, &[0, 1])), ["E0311"]);
    let other = Family { name: "other".into(), slots: vec![ProcessId::new(1)] };
    let add = |n: &mut Network| {
        n.families.push(other);
    };
    assert_eq!(changed(&items(""), add), ["E0311"]);
}

#[test]
fn e0312_parameters() {
    bad("E0312", &items("param p in 0..1"));
    bad("E0312", "network n family F process P in F { param p[2] in 0..1 init l location l }");
    bad("E0312", "network n var g in 0..1 family F process P in F { params g init l location l }");
    bad("E0312", "network n family F process P in F { param p in 0..1 params p init l location l }");
}

#[test]
fn e0313_origins() {
    good("network n source \"f\" var x in 0..1 @(0, 1, 2)");
    bad("E0313", "network n source \"f\" var x in 0..1 @(1, 1, 2)");
    bad("E0313", "network n fn f() { assert 1 @(0, 0, 0); }");
    bad("E0313", "relation n state x in 0..1 @(0, 0, 0)");
    bad("E0313", "network n property @(0, 0, 0) : A[] 1");
}

#[test]
fn e0314_initial_location() {
    bad("E0314", "network n process P { }");
    let far = |n: &mut Network| n.processes[ProcessId::new(0)].initial = LocationId::new(9);
    assert_eq!(changed(&items(""), far), ["E0314"]);
}

#[test]
fn e0315_ids_out_of_range() {
    let exprs = [
        Expr::Var(VarId::new(99)),
        Expr::Elem(VarId::new(99), Box::new(Expr::TRUE)),
        Expr::Local(LocalId::new(99)),
        Expr::LocalElem(LocalId::new(99), Box::new(Expr::TRUE)),
        Expr::Quantified(expr::Quantifier::Sum, LocalId::new(99), Range::BOOL, Box::new(Expr::TRUE)),
        Expr::At(ProcessId::new(99), LocationId::new(0)),
        Expr::At(ProcessId::new(0), LocationId::new(99)),
        Expr::Alive(ProcessId::new(99)),
        Expr::Pid(ProcessId::new(99)),
        Expr::Call(FunctionId::new(99), vec![]),
        Expr::Length(expr::ChannelRef::Element(ChannelId::new(99), None)),
        Expr::Enabled(ProcessId::new(99), vec![]),
        Expr::Enabled(ProcessId::new(0), vec![EdgeId::new(99)]),
    ];
    for expr in exprs {
        let change =
            |n: &mut Network| n.processes[ProcessId::new(0)].edges[EdgeId::new(0)].guard = expr.clone();
        assert_eq!(changed(&edge(""), change), ["E0315"], "{expr:?}");
    }
    let statements = [
        Stmt::ClockSet(ClockId::new(99), Expr::TRUE),
        Stmt::ClockCopy(ClockId::new(0), ClockId::new(99)),
        Stmt::Call(FunctionId::new(99), vec![], None),
        Stmt::Start(FamilyId::new(99), vec![], None),
    ];
    for statement in statements {
        let change = |n: &mut Network| {
            n.processes[ProcessId::new(0)].edges[EdgeId::new(0)].update = vec![statement.clone()];
        };
        assert_eq!(changed(&edge(""), change), ["E0315"], "{statement:?}");
    }
    type Change = fn(&mut Network);
    let changes: [Change; 8] = [
        |n| n.vars[VarId::new(0)].owner = Some(ProcessId::new(99)),
        |n| n.clocks[ClockId::new(0)].owner = Some(ProcessId::new(99)),
        |n| n.channels[ChannelId::new(0)].owner = Some(ProcessId::new(99)),
        |n| n.vars[VarId::new(0)].symbols = Some(EnumId::new(99)),
        |n| n.processes[ProcessId::new(0)].family = Some(FamilyId::new(99)),
        |n| n.processes[ProcessId::new(0)].edges[EdgeId::new(0)].source = LocationId::new(99),
        |n| n.processes[ProcessId::new(0)].edges[EdgeId::new(0)].target = LocationId::new(99),
        |n| n.properties[0].kind = PropertyKind::NeverAt(ProcessId::new(99), vec![]),
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let text = edge("") + " property : A[] 1";
        assert_eq!(changed(&text, change), ["E0315"], "change {i}");
        // A model that is not well-formed can still be printed.
        let Ok(Model::Network(mut network)) = text::read(&text, EXACT) else { panic!() };
        change(&mut network);
        assert!(!text::print(&Model::Network(network)).is_empty());
    }
}

#[test]
fn e0316_scalars_and_arrays() {
    bad("E0316", &guard("a"));
    bad("E0316", &guard("v[0]"));
    bad("E0316", &edge("local i[2] in 0..1 guard i"));
    bad("E0316", &edge("local i in 0..1 guard i[0]"));
    bad("E0316", &edge("do { a := 1; }"));
    bad("E0316", &edge("do { v[1] := 1; }"));
    bad("E0316", &edge("send c[0](1)"));
    bad("E0316", &edge("send cs"));
    bad("E0316", &edge("select i[2] in 0..1"));
    bad("E0316", "relation r state x in 0..1 initially x[0]");
}

#[test]
fn e0317_quantifiers() {
    good(&guard("forall(i in 0..1 : i < v) && exists(i in 2..5 : i == v)"));
    good(&edge("local i in 0..5 guard sum(i in 1..2 : a[i])"));
    bad("E0317", &edge("select i in 0..1 guard forall(i in 0..1 : i)"));
    bad("E0317", &edge("local i[2] in 0..1 guard forall(i in 0..1 : 1)"));
    bad("E0317", &edge("local i in 0..1 guard forall(i in 0..2 : i)"));
    bad("E0317", &guard("forall(i in 0..1 : forall(i in 0..1 : i))"));
    bad("E0317", &guard("forall(i in 0..1 : i) && i"));
    bad("E0317", &edge("local i in 0..1 guard forall(i in 0..1 : i) do { i := 1; }"));
    bad("E0315", "relation r state x in 0..1 invariant forall(i in 0..1 : i < x)");
}

#[test]
fn e0318_to_e0320_calls() {
    good(&edge("guard g(1) do { call w(1); v := call g(2); call none(); }"));
    bad("E0318", &guard("g()"));
    bad("E0318", &guard("g(1, 2)"));
    bad("E0318", &guard("none()"));
    bad("E0318", &edge("do { call w(); }"));
    bad("E0318", &edge("do { v := call none(); }"));
    bad("E0319", "network n fn f() -> 0..1 { return f(); }");
    bad("E0319", "network n fn f() { call g(); } fn g() { }");
    bad("E0320", &guard("w(1)"));
    let pure = |body: &str| {
        let text = "network n var v in 0..1 clock x buffer q capacity 1 family F ";
        format!(
            "{text} fn h() -> 0..1 {{ v := 1; }} fn i() -> 0..1 {{ return 1; }}
                 fn f() -> 0..1 {{ local t in 0..1, a[2] in 0..1; {body} }} property : A[] f()"
        )
    };
    good(&pure("t := v; a[t] := 1; while t { t := call i(); } if t { return 1; } call i();"));
    for body in
        ["v := 1;", "x := 0;", "x := x;", "send q;", "receive q;", "start F();", "assert 1;", "call h();"]
    {
        bad("E0320", &pure(body));
        bad("E0320", &pure(&format!("if v {{ {body} }}")));
    }
    bad("E0320", &pure("v := call i();"));
}

#[test]
fn e0321_e0322_messages() {
    good(&edge("send q(1, 2)"));
    good(&edge("sorted send q(1, 2)"));
    good(&edge("receive any keep q(k, =2)"));
    good(&edge("send *v(1, 2, 3)"));
    bad("E0321", &edge("send q(1)"));
    bad("E0321", &edge("receive q"));
    bad("E0321", &edge("send c"));
    bad("E0321", &edge("do { send q(1); }"));
    bad("E0321", &guard("poll(receive q(_))"));
    bad("E0322", &edge("sorted send c(1)"));
    bad("E0322", &edge("receive any c(_)"));
    bad("E0322", &edge("receive keep c(_)"));
    bad("E0322", &edge("do { send c(1); }"));
    bad("E0322", &edge("do { receive c(_); }"));
}

#[test]
fn e0323_e0324_clocks_and_deadlock() {
    good(&property("!(x < 3) && (v == 1 ? x > 2 : deadlock) || forall(i in 0..1 : x < i)"));
    bad("E0323", &guard("x < 3"));
    bad("E0323", &guard("deadlock"));
    bad("E0323", &items("edge l -> m { when x < 1, deadlock => x < 3 }"));
    bad("E0323", &edge("do { v := deadlock; }"));
    bad("E0323", "relation r state x in 0..1 relation deadlock");
    bad("E0324", &property("(x < 3) + 1 == 2"));
    bad("E0324", &property("deadlock == 1"));
    bad("E0324", &property("sum(i in 0..1 : x < i) > 0"));
    bad("E0324", &property("(x < 1 => x < 2)"));
    bad("E0324", &property("x < (x < 1)"));
}

#[test]
fn e0325_e0326_next_and_inputs() {
    let relation = |item: &str| format!("relation r state x in 0..1 input i in 0..1 frozen f in 0..1 {item}");
    good(&relation("next x := next(f) + i relation next(x) != i"));
    good(&relation("next x := next(x)"));
    bad("E0325", &guard("next(v)"));
    bad("E0325", &relation("relation next(i)"));
    for item in ["init x := i", "initially i", "invariant i", "property : A[] i"] {
        bad("E0325", &relation(item));
    }
    for item in ["init x := next(x)", "initially next(x)", "invariant next(x)", "property : A[] next(x)"] {
        bad("E0325", &relation(item));
    }
    bad("E0326", &relation("invariant processes"));
    bad("E0326", &relation("invariant timeout"));
}

#[test]
fn e0327_e0328_enabled() {
    let network = |p: &str, q: &str| {
        format!(
            "network n clock x chan c chan d[2] broadcast chan b buffer q capacity 1 var v in 0..9
             process P {{ init l location l {p} }} process Q {{ init l location l {q} }}"
        )
    };
    good(&network(
        "edge l -> l { send c } edge l -> l { guard !enabled(P : #0) }",
        "edge l -> l { receive c }",
    ));
    bad("E0327", &network("edge l -> l { when x < 1 } edge l -> l { guard !enabled(P : #0) }", ""));
    // An edge that asks about itself, straight away or by way of another.
    bad("E0328", &network("edge l -> l { guard enabled(P : #0) }", ""));
    bad("E0328", &network("edge l -> l { guard enabled(Q : #0) }", "edge l -> l { guard enabled(P : #0) }"));
    // By way of the partner over a channel, in each direction and kind.
    let partner = |p: &str, q: &str| {
        network(
            &format!("edge l -> l {{ {p} }} edge l -> l {{ guard enabled(P : #0) {q} }}"),
            "edge l -> l { guard 1 }",
        )
    };
    bad("E0328", &partner("send c", "receive c"));
    bad("E0328", &partner("receive c", "send c"));
    bad("E0328", &partner("send *v", "receive c"));
    bad("E0328", &partner("send c", "receive *v"));
    bad("E0328", &partner("receive b", "send b"));
    good(&partner("send b", "receive b"));
    good(&partner("send q", "receive q"));
    good(&partner("send c", "send c"));
    good(&partner("send c", "receive d[0]"));
    // Inside functions, and inside the index of a channel.
    let function =
        "network n chan d[2] fn f() -> 0..1 { return enabled(P : #0); } fn g() -> 0..1 { return f(); }";
    bad("E0328", &format!("{function} process P {{ init l location l edge l -> l {{ guard g() }} }}"));
    bad("E0328", &format!("{function} process P {{ init l location l edge l -> l {{ send d[f()] }} }}"));
    good(&format!("{function} process P {{ init l location l edge l -> l {{ do {{ assert f(); }} }} }}"));
    // `timeout` is no circle.
    good(
        "network n process P { init l location l edge l -> l { guard timeout } edge l -> l { guard timeout && enabled(P : #0) } }",
    );
    // A chain of edges, each asking about the one before.
    let chain = |n: usize| {
        let asks: String =
            (1..n).map(|i| format!("edge l -> l {{ guard enabled(P : #{}) }} ", i - 1)).collect();
        format!("network n process P {{ init l location l edge l -> l {asks} }}")
    };
    good(&chain(200));
    bad("E0111", &chain(201));
}

#[test]
fn e0329_e0330_exit_and_return() {
    good(&edge("do { v := 1; exit; }"));
    bad("E0329", &edge("do { exit; v := 1; }"));
    bad("E0329", &edge("do { exit; exit; }"));
    bad("E0329", &edge("do { if v { exit; } }"));
    bad("E0329", "network n fn f() { exit; }");
    bad("E0330", &edge("do { return; }"));
    bad("E0330", "network n fn f() { return 1; }");
    bad("E0330", "network n fn f() -> 0..1 { return; }");
}

#[test]
fn e0331_observers() {
    let observer = |body: &str| {
        format!(
            "network n var v in 0..1 clock x chan c family F
             observer process O {{ init l {body} }} process P {{ init l location l }}"
        )
    };
    good(&observer("location l edge l -> l { guard v && P.l && O.l } edge l -> l"));
    for part in ["when x < 1", "send c", "do { v := 1; }", "select i in 0..1"] {
        bad("E0331", &observer(&format!("location l edge l -> l {{ {part} }}")));
    }
    for flag in ["urgent", "committed", "atomic"] {
        bad("E0331", &observer(&format!("{flag} location l")));
    }
    bad("E0331", &observer("location l { condition v }"));
    bad("E0331", &observer("location l { invariant x < 1 }"));
    bad("E0331", "network n observer process O priority 1 { init l location l }");
    bad("E0331", "network n family F observer process O in F { init l location l }");
    bad("E0331", &guard("O.o"));
    bad("E0331", &guard("pid(O)"));
    bad("E0331", &guard("enabled(O :)"));
    good(&property("O.o"));
    let text = observer("location l edge l -> l");
    let costs = |n: &mut Network| n.processes[ProcessId::new(0)].edges[EdgeId::new(0)].costs = true;
    assert_eq!(changed(&text, costs), ["E0331"]);
}

#[test]
fn e0332_selects() {
    good(&edge("select i in 0..999, j in 0..999"));
    bad("E0332", &edge("select i in 0..999, j in 0..1000"));
    bad("E0332", &edge("select i in -9223372036854775808..9223372036854775807, j in 0..9223372036854775807"));
    let more = |n: &mut Network| n.processes[ProcessId::new(0)].edges[EdgeId::new(0)].selects = 2;
    assert_eq!(changed(&edge("select i in 0..1"), more), ["E0332"]);
    let params = |n: &mut Network| n.functions[FunctionId::new(2)].params = 1;
    assert_eq!(changed(&edge(""), params), ["E0332"]);
}

#[test]
fn e0333_start() {
    good(&edge("do { start F(1); k := start F(2); }"));
    bad("E0333", &edge("do { start F(); }"));
    bad("E0333", &edge("do { start F(1, 2); }"));
    good("network n family F process P { init l location l edge l -> l { do { start F(1, 2); } } }");
}

#[test]
fn e0334_assignments_of_a_relation() {
    let relation = |item: &str| format!("relation r state x in 0..1 input i in 0..1 frozen f in 0..1 {item}");
    good(&relation("init x := 0 init f := 0 next x := 0"));
    bad("E0334", &relation("init x := 0 init x := 0"));
    bad("E0334", &relation("next x := 0 next x := 0"));
    bad("E0334", &relation("init i := 0"));
    bad("E0334", &relation("next i := 0"));
    bad("E0334", &relation("next f := 0"));
}

#[test]
fn e0335_properties() {
    good(&(items("") + " property : never O at {o} property : no-assertion-failure"));
    bad("E0335", &(items("") + " property : never P at {l}"));
    bad("E0335", "relation r property : no-assertion-failure");
}

#[test]
fn u0402_u0403_unsupported() {
    bad("U0402", &edge("when x < 1 send u"));
    bad("U0402", &edge("when x < 1 receive u"));
    bad("U0402", &edge("when x < 1 send *v"));
    good(&edge("when x < 1 send c(1)"));
    good(&edge("send u"));
    bad("U0403", &edge("when x < 1 guard timeout"));
    good(&items("location kk { invariant x < 1 } edge l -> m { guard timeout }"));
    let severity = text::read(&edge("when x < 1 send u"), EXACT).unwrap_err()[0].severity;
    assert_eq!(severity, diagnostic::Severity::Unsupported);
}

#[test]
fn e0111_depth_of_built_models() {
    // Built without the parser, far deeper than any stack; torn down by hand for the same reason.
    let text = "network n process P { init l location l edge l -> l { } }";
    let Ok(Model::Network(mut network)) = text::read(text, EXACT) else { panic!() };
    let mut deep = Expr::TRUE;
    for _ in 0..100_000 {
        deep = deep.negated();
    }
    network.processes[ProcessId::new(0)].edges[EdgeId::new(0)].guard = deep;
    let mut model = Model::Network(network);
    assert_eq!(wellformed::check(&model).iter().map(|d| d.code).collect::<Vec<_>>(), ["E0111"]);
    let Model::Network(network) = &mut model else { unreachable!() };
    let edge = &mut network.processes[ProcessId::new(0)].edges[EdgeId::new(0)];
    let mut rest = std::mem::replace(&mut edge.guard, Expr::TRUE);
    while let Expr::Unary(_, inner) = rest {
        rest = *inner;
    }
}

#[test]
fn messages_have_places_in_the_text_that_is_read() {
    let text = "network n source \"f\" var x in 0..1 = 2 @(0, 90, 91)";
    for record_places in [false, true] {
        let diagnostics = text::read(text, ReadOptions { file: "test", record_places }).unwrap_err();
        let span = diagnostics[0].span.unwrap();
        assert_eq!(&text[span.start as usize..span.end as usize], "x in 0..1 = 2");
    }
}
