//! Input that is far too large, in the many ways a small text can be: it is refused, not run into.

use beeline_uppaal::{Format, read};

const END: &str = "process P() { state A; init A; } system P;";

fn first_code(text: &str) -> &'static str {
    match read(text, "test.xta", Format::Xta) {
        Ok(_) => "read",
        Err(diagnostics) => diagnostics.first().map_or("nothing", |d| d.code),
    }
}
fn chain(first: &str, next: impl Fn(usize) -> String, count: usize) -> String {
    std::iter::once(first.to_string()).chain((1..count).map(next)).collect::<Vec<_>>().join("\n")
}

#[test]
fn giant_arrays_and_instance_counts() {
    assert_eq!(first_code(&format!("int a[2000000000]; {END}")), "E0546");
    assert_eq!(first_code(&format!("int a[2000][2000][2000]; {END}")), "E0546");
    assert_eq!(first_code(&format!("int a[300000], b[300000]; {END}")), "E0546");
    assert_eq!(first_code(&format!("clock x[3000000]; {END}")), "E0546");
    assert_eq!(first_code(&format!("clock x[600], y[600]; {END}")), "E0546");
    assert_eq!(first_code(&format!("chan c[300][300]; {END}")), "E0546");
    assert_eq!(first_code(&format!("int a[500000]; clock x[1024]; chan c[65536]; {END}")), "read");
    assert_eq!(first_code("process P(int a, int b) { state A; init A; } system P;"), "E0546");
    let records = chain(
        "typedef struct { int a; } T0;",
        |i| format!("typedef struct {{ T{j} a; T{j} b; }} T{i};", j = i - 1),
        60,
    );
    assert_eq!(first_code(&format!("{records} T59 v; {END}")), "E0546");
}

#[test]
fn long_chains() {
    let arrays = chain("typedef int T0;", |i| format!("typedef T{} T{i}[1];", i - 1), 5000);
    assert_eq!(first_code(&format!("{arrays} T4999 v; {END}")), "E0547");
    let calls =
        chain("void f0(int &x) { x++; }", |i| format!("void f{i}(int &x) {{ f{}(x); }}", i - 1), 5000);
    let user = "int v; process P() { state A; init A; trans A -> A { assign f4999(v); }; } system P;";
    assert_eq!(first_code(&format!("{calls} {user}")), "E0547");
    let plain = chain(
        "int f0(int x) { return x; }",
        |i| format!("int f{i}(int x) {{ return f{}(x); }}", i - 1),
        5000,
    );
    assert_eq!(first_code(&format!("{plain} int v = f4999(1); {END}")), "E0534");
    let instances = chain("I0 = P();", |i| format!("I{i} = I{}();", i - 1), 20_000);
    assert_eq!(first_code(&format!("process P() {{ state A; init A; }} {instances} system I19999;")), "read");
}

#[test]
fn doubling() {
    let calls = chain(
        "void f0(int &x) { x++; }",
        |i| format!("void f{i}(int &x) {{ f{j}(x); f{j}(x); }}", j = i - 1),
        60,
    );
    assert_eq!(first_code(&format!("{calls} void g() {{ int l; f59(l); }} {END}")), "E0546");
    let quantifiers: String = (0..60).map(|i| format!("forall (i{i} : int[0,2]) ")).collect();
    let guard = format!(
        "clock x[3]; process P() {{ state A; init A;
         trans A -> A {{ guard {quantifiers} x[i59] < i1; }}; }} system P;"
    );
    assert_eq!(first_code(&guard), "E0546");
    let index = format!("{}0{}", "a[0][".repeat(90), "]".repeat(90));
    let nested = format!(
        "int a[2][70000]; process P() {{ state A; init A; trans A -> A {{ guard {index} > 0; }}; }} system P;"
    );
    assert_eq!(first_code(&nested), "U0540");
    // Each side of the comparison is written down twice.
    let compared = (1..60).fold("(x < 0)".to_string(), |text, i| format!("({text} == (x < {i}))"));
    let guard = format!(
        "clock x; process P() {{ state A; init A; trans A -> A {{ guard {compared}; }}; }} system P;"
    );
    assert_eq!(first_code(&guard), "E0546");
    let index = format!("{}0{}", "(i > 0 ? a : b)[".repeat(60), "]".repeat(60));
    let choices = format!(
        "int i, a[2], b[2]; process P() {{ state A; init A; trans A -> A {{ guard {index} > 0; }}; }} system P;"
    );
    assert_eq!(first_code(&choices), "E0546");
    let absolute = format!("{}i{}", "abs(".repeat(60), ")".repeat(60));
    let absolute = format!(
        "int i; process P() {{ state A; init A; trans A -> A {{ guard {absolute} > 0; }}; }} system P;"
    );
    assert_eq!(first_code(&absolute), "E0546");
}

/// What each process has adds up, and so do names, computed constants and channels with a priority.
#[test]
fn everything_adds_up() {
    let family = |count: usize, inside: &str| {
        format!("process P(int[1,{count}] i) {{ {inside} state A; init A; }} system P;")
    };
    assert_eq!(first_code(&family(4096, "int a;")), "read");
    assert_eq!(first_code(&family(4097, "")), "E0546");
    let many: String = (0..25).map(|i| format!("int v{i};")).collect();
    assert_eq!(first_code(&family(4096, &many)), "E0546");
    assert_eq!(first_code(&family(500, &many)), "read");
    let name = "n".repeat(1000);
    assert_eq!(first_code(&family(4096, &format!("int {name}a;"))), "E0501");
    let long: String = (0..10).map(|i| format!("int {}{i};", &name[1..])).collect();
    assert_eq!(first_code(&family(4096, &long)), "E0546");
    let loops = "int f() { int i; for (i = 0; i < 30000; i++) {} return 1; }";
    let computed = |count: usize| (0..count).map(|i| format!("int v{i} = f();")).collect::<String>();
    assert_eq!(first_code(&format!("{loops} {} {END}", computed(20))), "read");
    assert_eq!(first_code(&format!("{loops} {} {END}", computed(2000))), "E0546");
    let frames = "int f() { int a[500000]; return 1; } int v = sum (k : int[0,9999]) f();";
    assert_eq!(first_code(&format!("{frames} {END}")), "E0534");
    let priorities = vec!["c"; 1000].join("<");
    assert_eq!(first_code(&format!("chan c[65536]; chan priority {priorities}; {END}")), "E0546");
}

/// A comparison of two clocks that are chosen at run time: a constraint for each pair.
#[test]
fn pairs_of_clocks() {
    let guarded = |n: usize, guard: &str| {
        let process = format!("process P() {{ state A; init A; trans A -> A {{ guard {guard}; }}; }}");
        format!("clock x[{n}]; int i, j; {process} system P;")
    };
    let reading = read(&guarded(300, "x[i] < x[j]"), "test.xta", Format::Xta).unwrap();
    let edge = reading.network.processes.iter().flat_map(|p| &p.edges).next().unwrap();
    assert_eq!(edge.clock_guard.len(), 300 * 299);
    assert_eq!(first_code(&guarded(2000, "x[i] - x[j] < 3")), "E0546");
    // What is copied into each of them counts.
    let long = "i + ".repeat(100);
    assert_eq!(first_code(&guarded(300, &format!("x[i] - x[j] < {long} 0"))), "E0546");
    assert_eq!(first_code(&guarded(300, &format!("{long} 0 == 0 || x[i] < x[j]"))), "E0546");
    assert_eq!(first_code(&guarded(300, "!(x[i] < x[j])")), "U0531");
}

/// Messages that are not shown cost nothing; a near name is looked for among all names.
#[test]
fn thousands_of_unknown_names() {
    let known: String = (0..20_000).map(|i| format!("int variable{i};\n")).collect();
    let edges: Vec<String> = (0..20_000).map(|i| format!("A -> A {{ assign variabel{i} = 0; }}")).collect();
    let text =
        format!("{known} process P(int[0,9] k) {{ state A; init A; trans {}; }} system P;", edges.join(", "));
    let wrong = read(&text, "test.xta", Format::Xta).unwrap_err();
    assert_eq!((wrong.len(), wrong[0].code), (50, "E0530"));
    assert_eq!(wrong[0].help.as_deref(), Some("did you mean `variable0`?"));
    let reading = read(&format!("{known} {END}"), "test.xta", Format::Xta).unwrap();
    let queries: String = (0..5000).map(|i| format!("E<> variabel{i} > 0\n")).collect();
    let reason = |p: &beeline_ir::property::Property| match &p.kind {
        beeline_ir::property::PropertyKind::Refused(refusal) => refusal.reason.clone(),
        kind => panic!("{kind:?}"),
    };
    let reasons: Vec<String> =
        reading.symbols.queries(&reading.network, &queries).iter().map(reason).collect();
    assert_eq!(reasons.iter().filter(|r| r.contains("did you mean")).count(), 50);
    assert_eq!(reasons.len(), 5000);
}

#[test]
fn a_query_that_is_too_large_is_refused_by_itself() {
    let text = "process P(int[0,2] i) { state A; init A; } system P;";
    let reading = read(text, "test.xta", Format::Xta).unwrap();
    let quantifiers: String = (0..60).map(|i| format!("forall (i{i} : int[0,2]) ")).collect();
    let body: String = (0..60).map(|i| format!(" && P(i{i}).A")).collect();
    let query = format!("E<> {quantifiers} true{body}");
    let properties = reading.symbols.queries(&reading.network, &query);
    let kind = &properties[0].kind;
    assert!(matches!(kind, beeline_ir::property::PropertyKind::Refused(r) if !r.malformed), "{kind:?}");
}

/// The queries of a file share what they may take.
#[test]
fn many_queries_that_unroll_to_much() {
    let reading = read(&format!("clock x; {END}"), "test.xta", Format::Xta).unwrap();
    let query = "A[] forall (k : int[0,99]) forall (l : int[0,99]) x >= k + l\n";
    let properties = reading.symbols.queries(&reading.network, &query.repeat(200));
    let refused =
        |p: &beeline_ir::property::Property| matches!(p.kind, beeline_ir::property::PropertyKind::Refused(_));
    assert!(!refused(&properties[0]) && refused(&properties[199]));
    let terms = format!("E<> x > 1{}\n", " && x > 1".repeat(100));
    let properties = reading.symbols.queries(&reading.network, &terms.repeat(2000));
    assert!(!refused(&properties[0]) && refused(&properties[1999]));
}
