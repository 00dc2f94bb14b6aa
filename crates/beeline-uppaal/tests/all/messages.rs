//! What users are told about mistakes in models and queries: once, and what to do about it.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::property::PropertyKind;
use beeline_uppaal::{Format, read, write_xta};

/// A model with one process with one loop.
fn looped(declarations: &str, edge: &str) -> String {
    format!("{declarations} process P() {{ state A; init A; trans A -> A {{ {edge} }}; }} system P;")
}
/// Code, place and help of everything that is said.
fn said(text: &str) -> Vec<(&'static str, &str, String)> {
    let all = read(text, "test.xta", Format::Xta).map_or_else(|wrong| wrong, |reading| reading.notes);
    let part = |d: &Diagnostic| d.span.map_or("", |s| &text[s.start as usize..s.end as usize]);
    all.iter().map(|d| (d.code, part(d), d.help.clone().unwrap_or_default())).collect()
}
fn message(text: &str) -> String {
    read(text, "test.xta", Format::Xta).expect_err(text)[0].message.clone()
}
/// Why the queries are refused.
fn reasons(model: &str, queries: &str) -> Vec<String> {
    let reading = read(model, "test.xta", Format::Xta).unwrap_or_else(|d| panic!("{d:#?}"));
    let refused = reading.symbols.queries(&reading.network, queries);
    let reason = |kind: &PropertyKind| match kind {
        PropertyKind::Refused(refusal) => refusal.reason.clone(),
        other => format!("{other:?}"),
    };
    refused.iter().map(|p| reason(&p.kind)).collect()
}

#[test]
fn a_wrong_declaration_is_the_only_error() {
    let uses = "guard a > 0 && a < 3; assign a = a + 1;";
    for (declaration, place) in [
        ("flor_t a;", "flor_t"),
        ("int[0,2] a = 5;", "5"),
        ("const int a;", "a"),
        ("int a[N];", "N"),
        ("typedef int[3,1] t; t a;", "int[3,1]"),
        ("boolean f() { return a; } int b = f(); int a;", "boolean"),
    ] {
        let text = looped(declaration, uses);
        let places: Vec<&str> = said(&text).iter().map(|s| s.1).collect();
        assert_eq!(places, [place], "{text}");
    }
    let template = "process P(int i) { state A; init A; }";
    for (instance, place) in [("Q = R(1);", "R"), ("Q = P();", "Q = P();"), ("Q = P(1); S = Z(Q);", "Z")] {
        let text = format!("{template} {instance} system Q;");
        let places: Vec<&str> = said(&text).iter().map(|s| s.1).collect();
        assert_eq!(places, [place], "{text}");
    }
}

#[test]
fn what_has_no_effect_is_pointed_out() {
    let idle = |update: &str| {
        said(&looped("int a; bool b; int f() { return 1; }", &format!("assign {update};"))).len()
    };
    let text = looped("int a; bool b;", "assign b == false, a = 1;");
    assert_eq!(said(&text), [("W0536", "b == false", "did you mean `=`?".into())]);
    let text = looped("int a; void g() { a = 2; a == 3; for (a; a < 3; a++) ; }", "assign g();");
    assert_eq!(said(&text), [("W0536", "a == 3", "did you mean `=`?".into()), ("W0536", "a", String::new())]);
    for fine in ["a = 1", "a++", "f()", "b ? a = 1 : 0", "1", "a += 2, b = a == 3", "b && (a = 1)"] {
        assert_eq!(idle(fine), 0, "{fine}");
    }
    assert_eq!(idle("b ? a = 1 : a == 2"), 1);
}

#[test]
fn functions_that_can_end_without_return() {
    let warned = |body: &str| {
        let text = looped(&format!("int a; int f(int i) {{ {body} }}"), "assign a = f(1);");
        let found = said(&text);
        assert!(found.iter().all(|s| s.0 == "W0537" && s.1 == "f"), "{found:?}");
        found.len() == 1
    };
    for body in [
        "",
        "if (i > 0) return 1;",
        "while (i > 0) return 1;",
        "for (i = 0; i < 3; i++) return i;",
        "if (i > 0) return 1; else i = 3;",
    ] {
        assert!(warned(body), "{body}");
    }
    for body in [
        "return 1;",
        "if (i > 0) return 1; else return 2;",
        "if (i > 0) { return 1; } return 2;",
        "while (true) { i++; if (i > 3) return 1; }",
        "for (;;) { return 1; }",
        "do { return 1; } while (i > 0);",
        "for (k : int[0,3]) return k;",
        "assert(false);",
    ] {
        assert!(!warned(body), "{body}");
    }
    assert_eq!(said(&looped("void f() { }", "assign f();")).len(), 0);
}

#[test]
fn help_for_common_slips() {
    let help = |text: &str| said(text)[0].2.clone();
    assert_eq!(help(&looped("int n;", "guard n = 0;")), "did you mean `==`?");
    assert_eq!(help(&looped("clock x;", "guard x = 0;")), "did you mean `==`?");
    assert_eq!(help(&looped("int n;", "guard n++ > 0;")), "move it to an update");
    let text = "int n; process P() { state A { n = 3 }; init A; } system P;";
    assert_eq!(help(text), "did you mean `==`?");
    assert_eq!(help("int S; process P() { state A; init A; } system A;"), "declare it before this place");
    assert_eq!(
        message(&looped("int a[2]; int b[3];", "guard a == b;")),
        "an array of 2 cannot be compared with an array of 3"
    );
    assert_eq!(
        message(&looped("struct { int f; } a; int b;", "guard a != b;")),
        "a record of 1 field cannot be compared with a number"
    );
    assert_eq!(
        message(&looped("int a[2]; int b;", "guard b == a;")),
        "a number cannot be compared with an array of 2"
    );
    assert_eq!(
        message(&looped("int f(int i) { return i; }", "guard f() == 1;")),
        "`f` takes 1 argument, not 0"
    );
    assert_eq!(
        message(&looped("int f(int i, int j) { return i; }", "guard f() == 1;")),
        "`f` takes 2 arguments, not 0"
    );
}

#[test]
fn a_stop_watch_is_refused_once_however_many_processes_have_it() {
    let text = "process P(int i) { clock x; state A { x' == 0 && x <= i }; init A; }
        Q = P(4); R = P(5); system Q, R;";
    let found = said(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0, found[0].1), ("U0533", "x' == 0"));
    assert!(found[0].2.contains("time stands still"), "{found:?}");
}

const LIFT: &str = "int n; int a[2]; process Lift() { int own; clock x; state Moving, Open; init Moving; }
    process Train(int[0,1] i) { state Cross; init Cross; } system Lift, Train;";

#[test]
fn a_mistake_in_a_query_has_a_place_and_advice() {
    let queries = "E<> Moving\nE<> Lift.Open and\\\n  own > 3\nA[] not deadlok\n\nA[] n = 3\nE<> Cross\n\
        A[] (n == 1\nA[] Lift.Movin\n";
    assert_eq!(
        reasons(LIFT, queries),
        [
            "`Moving` is not declared; did you mean `Lift.Moving`? (line 1, column 5)",
            "`own` is not declared; did you mean `Lift.own`? (line 3, column 3)",
            "`deadlok` is not declared; did you mean `deadlock`? (line 4, column 9)",
            "an assignment inside an expression that must have no effect; did you mean `==`? (line 6, column 5)",
            "`Cross` is not declared; did you mean `Train(0).Cross`? (line 7, column 5)",
            "expected `)` at the end of the parenthesis, found the end of the text (line 8, column 12)",
            "`Movin` is not declared; did you mean `Moving`? (line 9, column 10)",
        ]
    );
    // In the model's own file the place is known too.
    let text = format!("{LIFT} query {{ A[] n = 3 }} query {{ A[] n == 3 }}");
    let reading = read(&text, "test.xta", Format::Xta).unwrap();
    let part = |i: usize| {
        let span = reading.network.properties[i].origin.as_ref().unwrap().span;
        &text[span.start as usize..span.end as usize]
    };
    assert_eq!([part(0), part(1)], ["n = 3", "A[] n == 3"]);
}

#[test]
fn other_kinds_of_queries_say_what_they_ask() {
    assert_eq!(
        reasons(
            LIFT,
            "Lift.Open --> Lift.Moving\nA<> n == 1\nsup: n\nPr[<=10](<> n == 1)\nE<> (E<> n == 1)\n"
        ),
        [
            "`p --> q` asks about whole runs; only `A[]` and `E<>` can be checked",
            "`A<>` asks about whole runs; only `A[]` and `E<>` can be checked",
            "`sup` asks for the bounds of values; only `A[]` and `E<>` can be checked",
            "`Pr` asks for statistics of random runs; only `A[]` and `E<>` can be checked",
            "path quantifiers inside of a query ask about whole runs; only `A[]` and `E<>` can be checked",
        ]
    );
}

#[test]
fn refused_queries_are_written_as_comments() {
    let text = format!(
        "{LIFT} query {{ Lift.Open --> Lift.Moving }} query {{ A[] nn == 3 }} query {{ A[] n == 3 }}"
    );
    let reading = read(&text, "test.xta", Format::Xta).unwrap();
    assert_eq!(
        write_xta(&reading.network).unwrap().queries,
        "// not supported by Beeline: Lift.Open --> Lift.Moving\n\
         // not understood by Beeline: A[] nn == 3\n\
         A[] n == 3\n"
    );
}

#[test]
fn letters_that_mean_something_in_queries_stay_names() {
    let text = "int A, R, sup, E;
        process U() { state M; init M; trans M -> M { guard A > R && sup > E; }; } system U;";
    let reading = read(text, "test.xta", Format::Xta).unwrap();
    let written = write_xta(&reading.network).unwrap().model;
    assert!(!written.contains("is called"), "{written}");
    assert!(read(&written, "again.xta", Format::Xta).is_ok(), "{written}");
}

#[test]
fn lines_that_end_with_a_carriage_return() {
    let text = "int a;\r\nint b = \"x\r\n;\r\nint c = ;\r\nprocess P() { state A; init A; }\r\nsystem P;\r\n";
    let wrong = read(text, "test.xta", Format::Xta).unwrap_err();
    assert!(wrong.iter().any(|d| d.severity == Severity::Error && d.code == "E0503"), "{wrong:?}");
    let xml = "<nta><template><name>P</name><location id='a'/><init ref='a'/><transition><source ref='a'/>\
        <target ref='a'/><label kind='guard'>\r\n 1 &lt; 2\r\n</label></transition></template>\
        <system>system P;</system></nta>";
    let reading = read(xml, "test.xml", Format::Xml).unwrap();
    let edge = reading.network.processes.iter().flat_map(|p| &p.edges).next().unwrap();
    let span = edge.origin.as_ref().unwrap().span;
    assert_eq!(&xml[span.start as usize..span.end as usize], "1 &lt; 2");
    for diagnostic in wrong {
        let span = diagnostic.span.unwrap();
        assert!(!text[span.start as usize..span.end as usize].contains('\r'), "{diagnostic:?}");
    }
}
