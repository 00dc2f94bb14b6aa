//! Templates, edges, clocks, priorities and queries, as the network that they become, in the IR's text form.

use beeline_ir::model::Model;
use beeline_ir::property::PropertyKind;
use beeline_uppaal::{Format, Reading, read};

fn reading(text: &str) -> Reading {
    read(text, "test.xta", Format::Xta).unwrap_or_else(|d| panic!("{d:#?}\n{text}"))
}
/// The text form, without origins and line breaks.
fn shown(reading: &Reading) -> String {
    let text = beeline_ir::text::print(&Model::Network(reading.network.clone()));
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(" @(") {
        plain.push_str(&rest[..at]);
        rest = &rest[at..][rest[at..].find(')').map_or(1, |n| n + 1)..];
    }
    plain.push_str(rest);
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
fn codes(text: &str) -> Vec<&'static str> {
    let found = read(text, "test.xta", Format::Xta).err().unwrap_or_default();
    found.iter().map(|d| d.code).filter(|c| !c.starts_with('W')).collect()
}
fn assert_has(shown: &str, parts: &[&str]) {
    for part in parts {
        assert!(shown.contains(part), "no `{part}` in\n{shown}");
    }
}
/// A model with one process with one loop.
fn looped(declarations: &str, edge: &str) -> String {
    format!("{declarations} process P() {{ state A; init A; trans A -> A {{ {edge} }}; }} system P;")
}
fn edge(declarations: &str, text: &str) -> String {
    shown(&reading(&looped(declarations, text)))
}

#[test]
fn clock_constraints() {
    let d = "clock x, y; int i; const int N = 3;";
    assert_has(
        &edge(d, "guard x < 5 && i == 2 && y - x >= N + i;"),
        &["guard i == 2 when x < 5, y - x >= 3 + i"],
    );
    assert_has(&edge(d, "guard 5 >= x && N < y;"), &["when x <= 5, y > 3"]);
    assert_has(&edge(d, "guard x <= y + 2 && x == y;"), &["when x - y <= 2, x - y == 0"]);
    // Integer conditions beside clocks do not split the edge.
    assert_has(&edge(d, "guard i == 1 || x < 5;"), &["when !(i == 1) => x < 5"]);
    assert_has(&edge(d, "guard i == 1 imply x < 5;"), &["when i == 1 => x < 5"]);
    assert_has(&edge(d, "guard i == 1 ? x < 5 : y < 3;"), &["when i == 1 => x < 5, !(i == 1) => y < 3"]);
    assert_has(
        &edge(d, "guard i == 1 || (i == 2 && x < 5);"),
        &["guard i == 1 || i == 2 when !(i == 1) => x < 5"],
    );
    // What always holds is dropped.
    assert!(!edge(d, "guard x >= 0;").contains("when"));
}

#[test]
fn alternatives_of_clock_constraints_split_the_edge() {
    let d = "clock x, y; int i;";
    let edges = |guard: &str| {
        reading(&looped(d, &format!("guard {guard};"))).network.processes.iter().next().unwrap().edges.len()
    };
    assert_eq!(edges("x < 5 || y < 3"), 2);
    assert_eq!(edges("x != 5"), 2);
    assert_eq!(edges("!(x < 5 && y < 3)"), 2);
    assert_eq!(edges("(x < 1 || x > 2) && (y < 1 || y > 2)"), 4);
    assert_eq!(edges("x < 5 || y < 3 || i == 1"), 3);
    assert_eq!(edges("x < 5 && !(y < 3)"), 1);
    let many = ["(x < 1 || x > 2)"; 7].join(" && ");
    assert_eq!(codes(&looped(d, &format!("guard {many};"))), ["U0531"]);
    assert_eq!(codes("clock x, y; process P() { state A { x < 5 || y < 3 }; init A; } system P;"), ["U0531"]);
}

#[test]
fn arrays_of_clocks() {
    let d = "clock x[3]; int[0,2] i; int j;";
    assert_has(
        &edge(d, "guard x[i] < 5; assign x[i] = 0;"),
        &[
            "when i == 0 => 'x[0]' < 5, i == 1 => 'x[1]' < 5, i == 2 => 'x[2]' < 5",
            "if t == 2 { 'x[2]' := 0; }",
        ],
    );
    // An index that may be outside fails as an index does.
    assert_has(&edge(d, "guard x[j] < 5;"), &["local inside[3] in 0..0", "guard inside[j] == 0"]);
    assert_has(
        &edge(d, "guard forall (k : int[0,2]) x[k] < 5;"),
        &["when 'x[0]' < 5, 'x[1]' < 5, 'x[2]' < 5"],
    );
    assert_has(&edge(d, "guard exists (k : int[0,2]) k == i && x[k] < k;"), &["when 'x[1]' < 1"]);
    assert_has(&edge(d, "assign x[1] = x[2], x[0] = 4;"), &["'x[1]' := 'x[2]'; 'x[0]' := 4;"]);
    assert_eq!(codes(&looped(d, "assign x[0] = x[1] + 1;")), ["U0534"]);
    assert_eq!(codes(&looped(d, "assign j = x[0];")), ["E0538"]);
    assert_eq!(codes("clock x = 3; process P() { state A; init A; } system P;"), ["U0539"]);
}

#[test]
fn indices_of_several_dimensions_are_checked_one_by_one() {
    let d = "int a[2][3]; int[0,1] i; int[0,2] j; int k; typedef struct { int f; } S; S s[2];";
    assert_has(&edge(d, "assign a[i][j] = 1;"), &["a[i * 3 + j] := 1;"]);
    assert_has(&edge(d, "assign a[i][k] = 1;"), &["a[k >= 0 && k <= 2 ? i * 3 + k : -1] := 1;"]);
    assert_has(&edge(d, "assign a[k][j] = 1;"), &["a[k * 3 + j] := 1;"]);
    assert_has(&edge(d, "assign s[k].f = a[1][2];"), &["'s.f'[k] := a[5];"]);
}

#[test]
fn constants_are_folded_and_become_variables_only_when_indexed_by_variables() {
    let d = "const int c[3] = {4, 5, 6}; int[0,2] i; int j;";
    let still = edge(d, "assign j = c[1];");
    assert_has(&still, &["j := 5;"]);
    assert!(!still.contains("var c"));
    assert_has(&edge(d, "assign j = c[i];"), &["var c[3] in -32768..32767 = {4, 5, 6}", "j := c[i];"]);
}

#[test]
fn templates_and_instances() {
    let text = "int v[2]; chan c[2]; clock x;
        process T(int &r, const int k, int n, chan &d, clock &y) {
            state A { y <= k }; init A;
            trans A -> A { guard r < k; sync d!; assign r = k, n = n + 1, y = 0; };
        }
        Q(int &r, int[0,1] i) = T(r, i + 3, i, c[i], x);
        One = Q(v[1], 0);
        R(int[0,1] i) = Q(v[0], i);
        system One, R;";
    let reading = reading(text);
    let names: Vec<&str> = reading.network.processes.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["One", "R(0)", "R(1)"]);
    assert_has(
        &shown(&reading),
        &[
            "process One { var n in -32768..32767 init A location A { invariant x <= 3 }",
            "guard v[1] < 3 send c[0] do { v[1] := 3; n := n + 1; x := 0; }",
            "guard v[0] < 4 send c[1] do { v[0] := 4; n := n + 1; x := 0; }",
            "var n in -32768..32767 = 1",
        ],
    );
}

#[test]
fn free_parameters_run_over_all_their_values_in_order() {
    let text = "typedef scalar[2] S; process P(S a, int[3,4] b) { state A; init A; } system P;";
    let names: Vec<String> = reading(text).network.processes.iter().map(|p| p.name.clone()).collect();
    assert_eq!(names, ["P(0,3)", "P(0,4)", "P(1,3)", "P(1,4)"]);
    assert_eq!(codes("process P(int a, bool b) { state A; init A; } system P;"), ["E0546"]);
    assert_eq!(codes("process P(int &a) { state A; init A; } system P;"), ["E0544"]);
}

#[test]
fn priorities() {
    let text = "chan a, b[2], c; chan priority a, b[1] < default < c;
        process P() { state A; init A; trans A -> A { sync a!; }; } Q = P(); R = P(); system P < Q, R;";
    let network = reading(text).network;
    let channels: Vec<Vec<i32>> = network.channels.iter().map(|c| c.priority.clone()).collect();
    assert_eq!(channels, [vec![-1], vec![0, -1], vec![1]]);
    assert_eq!(network.processes.iter().map(|p| p.priority).collect::<Vec<_>>(), [0, 1, 1]);
}

#[test]
fn branchpoints_give_one_edge_for_each_branch() {
    let text = "int i; process P() { state A, B, C; branchpoint D; init A;
        trans A -> D { guard i < 3; assign i = 1; },
              D -> B { assign i = i + 1; probability 2; }, D -> C { probability 0; }; }
        system P;";
    let reading = reading(text);
    assert_has(
        &shown(&reading),
        &[
            "edge A -> B { guard i < 3 do { i := 1; i := i + 1; } }",
            "edge A -> C { guard i < 3 do { i := 1; } }",
        ],
    );
    assert_eq!(reading.notes.iter().map(|d| d.code).collect::<Vec<_>>(), ["W0533"]);
    let origins = reading
        .network
        .processes
        .iter()
        .next()
        .unwrap()
        .edges
        .iter()
        .map(|e| e.origin.clone().unwrap().native);
    assert_eq!(origins.collect::<Vec<_>>(), [vec![0, 1], vec![0, 2]]);
}

#[test]
fn functions_are_specialised_for_what_is_passed_by_reference() {
    let d = "int a[3]; int[0,2] i; clock x; void inc(int &v) { v++; } void reset(clock &c) { c = 0; }";
    assert_has(
        &edge(d, "assign inc(a[1]), inc(a[i]), inc(a[2]), reset(x);"),
        &[
            "fn inc() { a[1] := a[1] + 1; }",
            "'v.index' in -1..",
            "call inc(); call 'inc#2'(i); call 'inc#3'(); call reset();",
        ],
    );
    // A select variable cannot change; a function that changes variables has no place in a guard.
    assert_eq!(codes(&looped(d, "select k : int[0,1]; assign inc(k);")), ["E0537"]);
    assert_eq!(codes(&looped("int v; bool f() { v = 1; return true; }", "guard f();")), ["E0539"]);
    // A guard that needs statements has them in a function of its own.
    let d = "int v; int g(int &p) { p++; return p; } int f() { int l = v; return g(l); } \
             typedef struct { int a; int b; } S; S two() { S s = {1, v}; return s; }";
    assert_has(&edge(d, "guard two().b > f();"), &["guard 'P.expression'()"]);
    // Nothing of them is left at the edge.
    assert!(edge(d, "guard v > 1 && two().b > f();").contains("edge A -> A { guard 'P.expression'() }"));
    let quantified = edge(d, "select k : int[0,1]; guard forall (n : int[0,2]) two().b > n + k;");
    assert_has(&quantified, &["guard forall(n in 0..2 : 'P.expression'(k, n)) }"]);
}

#[test]
fn stop_watches() {
    let model = |guard: &str| {
        format!(
            "clock x, y; process P() {{ state A {{ x' == 0 && y <= 3 }}, B; commit B; init A; \
                 trans A -> B {{ guard {guard}; }}; }} system P;"
        )
    };
    let untested = reading(&model("y > 1"));
    let network = &untested.network;
    let kind = |query: &str| untested.symbols.query(network, query).unwrap().kind;
    assert!(matches!(kind("E<> y > 2"), PropertyKind::Exists(_)));
    assert!(
        matches!(kind("E<> x > 2"), PropertyKind::Refused(r) if !r.malformed && r.reason.contains("`x`"))
    );
    assert_eq!(codes(&model("x > 1")), ["U0533"]);
    // Where time stands still, a rate says nothing; nor does rate 1.
    let text = "clock x; process P() { state A { x' == 1 }, B { x' == 0 }; urgent B; init A; \
                trans A -> B { guard x > 1; }; } system P;";
    reading(text);
}

#[test]
fn urgent_channels_have_no_clock_guards() {
    let d = "urgent chan c; clock x;";
    assert_eq!(codes(&looped(d, "guard x > 1; sync c!;")), ["U0532"]);
    reading(&looped(d, "guard x >= 0; sync c!;"));
}

#[test]
fn queries() {
    let text =
        "const int N = 2; int g; int arr[3]; clock z; typedef int[0,N-1] id; const int cost[id] = {3, 4};
        bool busy(int k) { return g > k; }
        process T(id i) { clock x; int[0,5] n; bool own() { return n > i; } state Idle, Cs; init Idle; }
        process U() { int m; state A; init A; } system T, U;";
    let reading = reading(text);
    let network = &reading.network;
    let shown = |query: &str| {
        let property = reading.symbols.query(network, query).unwrap_or_else(|d| panic!("{query}: {d:#?}"));
        let mut network = network.clone();
        network.properties = vec![property];
        let text = beeline_ir::text::print(&Model::Network(network));
        text.lines().last().unwrap().rsplit_once("\" : ").unwrap().1.to_string()
    };
    assert_eq!(shown("A[] not (T(0).Cs and U.A)"), "A[] !('T(0)'.Cs && U.A)");
    assert_eq!(shown("E<> T(1).x > 3 && z - T(1).x <= N"), "E<> 'T(1)'.x > 3 && z - 'T(1)'.x <= 2");
    assert_eq!(shown("A[] forall (i : id) T(i).Cs imply i == 0"), "A[] !'T(1)'.Cs");
    assert_eq!(
        shown("A[] forall (i : id) forall (j : id) T(i).Cs && T(j).Cs imply i == j"),
        "A[] !('T(0)'.Cs && 'T(1)'.Cs) && !('T(1)'.Cs && 'T(0)'.Cs)"
    );
    assert_eq!(shown("E<> exists (k : int[0,2]) arr[k] > 1"), "E<> exists(k in 0..2 : arr[k] > 1)");
    assert_eq!(shown("E<> (sum (i : id) T(i).Cs) > 1"), "E<> 'T(0)'.Cs + 'T(1)'.Cs > 1");
    assert_eq!(shown("A[] not deadlock"), "A[] !deadlock");
    assert_eq!(shown("E<> busy(T(0).n) && T(1).own()"), "E<> busy('T(0)'.n) && 'T(1).own'()");
    assert_eq!(shown("E<> exists (i : id) cost[i] > 3 && T(i).Cs"), "E<> 'T(1)'.Cs");

    let refused = |query: &str| match reading.symbols.queries(network, query).remove(0).kind {
        PropertyKind::Refused(refusal) => refusal,
        other => panic!("{query}: {other:?}"),
    };
    assert!(!refused("A<> U.A").malformed);
    assert!(!refused("U.A --> T(0).Cs").malformed);
    assert!(!refused("E<> U.location == 1").malformed);
    let near = refused("E<> T(0).Idel");
    assert!(near.malformed && near.reason.contains("did you mean `Idle`?"), "{near:?}");
    assert!(refused("E<> T(7).Cs").malformed);
    assert!(refused("E<> T.Cs").malformed);
    assert!(refused("E<> (g = 1)").malformed);
    assert!(reading.symbols.query(network, "E<> nowhere").is_err());
    assert_eq!(reading.symbols.queries(network, "E<> U.A\n\nA[] g >= 0 // comment\n").len(), 2);
}

#[test]
fn embedded_queries_do_not_change_the_model() {
    let model = "int a[2]; const int c[2] = {1, 2}; process P() { state A; init A; } system P;";
    let with = format!("{model} query {{ E<> c[a[0]] == 2 }} query {{ E<> P.B }} query {{ E<> P.A }}");
    let plain = reading(model).network;
    let asked = reading(&with);
    assert_eq!((asked.recorded.len(), asked.network.properties.len()), (3, 3));
    assert!(matches!(&asked.network.properties[1].kind, PropertyKind::Refused(r) if r.malformed));
    let mut network = asked.network;
    network.properties.clear();
    assert_eq!(network, plain);
}

#[test]
fn everything_wrong_is_reported_with_its_code() {
    let codes_of = |d: &str, e: &str| codes(&looped(d, e));
    assert_eq!(codes_of("int count;", "guard cuont > 1;"), ["E0530"]);
    assert_eq!(codes_of("int a; int a;", ""), ["E0531"]);
    assert_eq!(codes_of("int a;", "guard a[1] > 0;"), ["E0532"]);
    assert_eq!(codes_of("int f(int x) { return x; } int a;", "assign a = f(1, 2);"), ["E0533"]);
    assert_eq!(codes_of("int n; int a[n];", ""), ["E0534"]);
    assert_eq!(codes_of("int[3,1] a;", ""), ["E0535"]);
    assert_eq!(codes_of("const int a;", ""), ["E0536"]);
    assert_eq!(codes_of("const int a = 1;", "assign a = 2;"), ["E0537"]);
    assert_eq!(codes_of("clock x;", "guard x;"), ["E0538"]);
    assert_eq!(codes_of("int a;", "guard a = 1;"), ["E0539"]);
    assert_eq!(codes_of("void f(clock x) { }", ""), ["E0540"]);
    assert_eq!(codes_of("void f() { } int a;", "assign a = f();"), ["E0541"]);
    assert_eq!(codes_of("int a;", "sync a!;"), ["E0542"]);
    assert_eq!(codes_of("clock x;", "guard x' == 0;"), ["E0543"]);
    assert_eq!(codes_of("double d = 1.5;", "guard d > 1;"), ["U0530"]);
    // Several at once.
    assert_eq!(codes_of("int a; int a; int b = c;", "guard d; "), ["E0531", "E0530", "E0530"]);
    let near = read(&looped("int count;", "guard cuont > 1;"), "t", Format::Xta).err().unwrap();
    assert_eq!(near[0].help.as_deref(), Some("did you mean `count`?"));
}

#[test]
fn names_of_the_prelude_can_be_declared_again() {
    reading(&looped("const int INT8_MAX = 5; typedef int[0,1] int8_t; int8_t a = 1;", ""));
    assert_has(&edge("int16_t a; int b = INT16_MAX;", ""), &["var a in -32768..32767", "= 32767"]);
    assert_eq!(codes(&looped("int32_t a[INT8_MAX];", "guard M_PI > 3;")), ["U0530"]);
}

#[test]
fn functions_that_uppaal_calls_itself() {
    let hooked = |name: &str, body: &str| looped(&format!("int v; void {name}() {{ {body} }}"), "");
    for name in ["__ON_BEGIN__", "__ON_CONSTRUCT__"] {
        assert_eq!(codes(&hooked(name, "v = 1;")), ["U0535"]);
        assert_eq!(codes(&hooked(name, "")), [""; 0]);
    }
    for name in ["__ON_END__", "__ON_DESTRUCT__"] {
        let notes: Vec<_> = reading(&hooked(name, "v = 1;")).notes.iter().map(|d| d.code).collect();
        assert_eq!(notes, ["W0533"]);
        assert_eq!(reading(&hooked(name, "")).notes, []);
    }
}

#[test]
fn clocks_set_to_one_value() {
    let d = "clock x, y, z[2]; int i, j;";
    assert_has(&edge(d, "assign x = y = 0;"), &["y := 0; x := 0"]);
    assert_has(&edge(d, "assign x = y = z[1] = i + 1;"), &["'z[1]' := i + 1; y := i + 1; x := i + 1"]);
    assert_has(&edge(d, "assign x = y = z[0];"), &["y := 'z[0]'; x := 'z[0]'"]);
    assert_eq!(codes(&looped(d, "assign x = y = i++;")), ["U0534"]);
    assert_eq!(codes(&looped(d, "assign x = y = i = 3;")), ["U0534"]);
    assert_has(&edge(d, "assign x = i = 3;"), &["i := 3; x := i"]);
    // A choice of clocks.
    assert_has(&edge(d, "assign (i > 0 ? x : y) = 0;"), &["if i > 0 { x := 0; } else { y := 0; }"]);
}

#[test]
fn absolute_values() {
    assert_has(&edge("int i;", "guard abs(i) > 2;"), &["guard max(i, -i) > 2"]);
    assert_has(&edge("const int K = abs(-4) * 10 + abs(3); int v = K;", ""), &["= 43"]);
    assert_has(&edge("int abs(int i) { return 7; } int v = abs(1);", ""), &["var v in -32768..32767 = 7"]);
    assert_eq!(codes(&looped("int v = abs(1, 2);", "")), ["E0533"]);
}

#[test]
fn references_outside_of_an_array() {
    let instance = |declarations: &str, param: &str, argument: &str| {
        let template = format!("process P({param}) {{ state A; init A; }}");
        codes(&format!("{declarations} {template} Q = P({argument}); system Q;"))
    };
    let d = "int a[5], m[2][3]; chan c[5]; clock x[5]; typedef struct { int f; int g[2]; } S; S s[2];
             int four(int i) { return i + 4; }";
    for (param, argument) in [
        ("int &v", "a[4]"),
        ("chan &c", "c[4]"),
        ("clock &c", "x[4]"),
        ("int &v[3]", "m[1]"),
        ("S &v", "s[1]"),
    ] {
        assert_eq!(instance(d, param, argument), [""; 0], "{argument}");
    }
    for (param, argument) in [
        ("int &v", "a[5]"),
        ("int &v", "a[-1]"),
        ("int &v", "a[four(1)]"),
        ("int &v", "m[0][3]"),
        ("int &v[3]", "m[2]"),
        ("chan &c", "c[5]"),
        ("clock &c", "x[5]"),
        ("S &v", "s[2]"),
        ("int &v", "s[2].f"),
        ("int &v", "s[1].g[2]"),
    ] {
        assert_eq!(instance(d, param, argument), ["E0534"], "{argument}");
    }
    // By value it fails where it is used.
    assert_eq!(instance("const int a[5] = {1,2,3,4,5};", "int v", "a[5]"), [""; 0]);
}

#[test]
fn conditions_on_clocks_are_no_numbers() {
    let d = "clock x; int i; bool b;";
    assert_eq!(codes(&looped(d, "guard (x < 5) == 2;")), ["E0532"]);
    assert_eq!(codes(&looped(d, "guard i != (x < 5);")), ["E0532"]);
    for guard in ["(x < 5) == b", "(x < 5) == true", "(x < 5) != (i > 2)", "(x < 5) == 1", "(x < 5) xor i"] {
        assert_eq!(codes(&looped(d, &format!("guard {guard};"))), [""; 0], "{guard}");
    }
}

#[test]
fn a_branchpoint_without_branches() {
    let text = "process P() { state A; branchpoint D; init A; trans A -> D { }; } system P;";
    let found = reading(text);
    assert_eq!(found.notes.iter().map(|d| d.code).collect::<Vec<_>>(), ["W0538"]);
    assert_eq!(found.network.processes.iter().map(|p| p.edges.len()).sum::<usize>(), 0);
}
