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
    assert_eq!(first_code(&format!("clock x[3000000]; chan c[3000000]; {END}")), "E0546");
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
    let clocks = "clock x[2000]; int i, j; process P() { state A; init A;
        trans A -> A { guard x[i] - x[j] < 3; }; } system P;";
    assert_eq!(first_code(clocks), "E0546");
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
