//! Texts that are wrong: every error is named at its place, and what is hostile is answered at once.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_uppaal::ast::QueryKind;
use beeline_uppaal::{Format, parse, parse_query};

fn errors(text: &str) -> Vec<Diagnostic> {
    parse(text, Format::Xta).err().unwrap_or_default()
}

/// What is said, and of which part of the text.
fn said(text: &str) -> Vec<String> {
    let place = |d: &Diagnostic| d.span.map_or("", |s| &text[s.start as usize..s.end as usize]).to_string();
    errors(text).iter().map(|d| format!("{} at `{}`", d.message, place(d))).collect()
}

/// A process with that body, and a system line.
fn process(body: &str) -> String {
    format!("process P {{ {body} }} system P;")
}

#[test]
fn each_error_is_named_and_the_rest_still_read() {
    let text = "int a int b;\nchan c\nprocess P { int x; state A { x <= }, B { y 5 }; init A;\n\
        trans A -> B { guard x ==; sync c; assign x = 1 }, B -> { }, B -> A { guard ); }, A -> C { };\n}\n\
        int f() { return 1 } \n P1 = P(; system P1, ;";
    assert_eq!(
        said(text),
        [
            "expected `;` after the declaration, found `int` at `int`",
            "expected `;` after the declaration, found `process` at `process`",
            "expected an expression, found `}` at `}`",
            "expected `}` after the invariant, found `5` at `5`",
            "expected an expression, found `;` at `;`",
            "expected `!` or `?` after the channel, found `;` at `;`",
            "expected `;` at the end of `assign`, found `}` at `}`",
            "expected the name of a location, found `{` at `{`",
            "expected an expression, found `)` at `)`",
            "there is no location `C` in this template at `C`",
            "expected `;` after the statement, found `}` at `}`",
            "expected an expression, found `;` at `;`",
            "expected the name of a process, found `;` at `;`",
        ]
    );
}

/// What should have ended is said once: the rest of the file was read as more of it, with an error on each line.
#[test]
fn a_missing_brace_is_one_error() {
    let rest = "void g() { a++; } state A { a < 3 }, B; init A; trans A -> B { guard a > 1; }, B -> A { };";
    for (function, found) in [
        ("void f() { if (a) { a = 1; }", "void"),
        ("int f() { while (a) { a--; return 1; }", "void"),
        ("void f() { a = 1;", "void"),
    ] {
        let text = process(&format!("int a; {function} {rest}"));
        assert_eq!(
            said(&text),
            [format!("expected `}}` at the end of the function, found `{found}` at `{found}`")],
            "{text}"
        );
    }
    let text = process("int a; void f() { if (a) { a = 1; state A, B; init A; trans A -> B { };");
    assert_eq!(said(&text), ["expected `}` at the end of the block, found `state` at `state`"]);
    let text =
        process("state A, B; init A; trans A -> B { guard a; B -> A { }, A -> B { sync c; , A -> A { };");
    assert_eq!(
        said(&text),
        [
            "expected `}` at the end of the edge, found `B` at `B`",
            "expected `!` or `?` after the channel, found `;` at `;`",
            "expected `}` at the end of the edge, found `,` at `,`",
        ]
    );
    // Locations that were not read are not missed.
    let text = process("state A { x <= 5, B; init A; trans A -> B { };");
    assert_eq!(said(&text), ["expected an expression, found `init` at `init`"]);
    let text = process("int x state A; init A; trans A -> A { assign a = 1; b = 2; };");
    let found = errors(&text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[1].help.as_deref(), Some("separate updates with `,`"));
}

#[test]
fn statements_recover_one_by_one() {
    let text =
        "void f() { int i; i = 0; i = ; for (;) ; if i > 0 { i = 1; } int j; while (i) { i = ( ; } i++; }";
    let found = said(text);
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(found[3].starts_with("expected a statement (declarations come first in a block)"), "{found:?}");
}

#[test]
fn names_that_cannot_be() {
    assert_eq!(
        said("int guard;"),
        ["expected the name of the variable, found the keyword `guard` at `guard`"]
    );
    assert_eq!(
        said(&process("state A, init; init A;"))[0],
        "expected the name of a location, found the keyword `init` at `init`"
    );
    assert_eq!(said(&process("state A; init B;")), ["there is no location `B` in this template at `B`"]);
    let text = process("state Start, Stop; branchpoint b; commit b; init Strat;");
    let found = errors(&text);
    assert_eq!(found[0].message, "`b` is a branchpoint; a location is needed here");
    assert_eq!(found[1].help.as_deref(), Some("did you mean `Start`?"));
    assert_eq!(said(&process("state A;")), ["the template `P` has no initial location at `P`"]);
    assert_eq!(said(&process("state A; init A; init A;")), ["the initial location is given twice at `A`"]);
}

#[test]
fn words_reserved_for_the_future_are_not_supported() {
    for text in
        ["void f() { switch (a) { } }", "void f() { break; }", "enum { a, b } c;", "void f() { continue; }"]
    {
        let found = errors(text);
        assert!(
            found.iter().any(|d| d.severity == Severity::Unsupported && d.code == "U0510"),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn old_files_are_told_of_their_own_errors() {
    let found =
        said("const N 5; const M ; process P(int a; const k) { state A { x =< 3 }; init A; } system P;");
    assert_eq!(found, ["expected an expression, found `;` at `;`"]);
}

#[test]
fn many_errors_are_cut() {
    let found = errors(&"int ;\n".repeat(1000));
    assert_eq!(found.len(), 51);
    assert_eq!((found[50].code, found[50].message.as_str()), ("E0529", "950 more errors are left out"));
}

#[test]
fn nothing_follows_the_system_line() {
    assert_eq!(
        said("process P { state A; init A; } system P; process Q { state A; init A; } system P;")[0],
        "expected nothing more after the system line, found `process` at `process`"
    );
    let found = errors("process P { state A; init A; } system P(1);");
    assert!(found[0].help.as_ref().unwrap().contains("instantiate"), "{found:?}");
}

#[test]
fn deep_nesting_is_refused_with_one_message() {
    let n = 20_000;
    let block = |open: &str, close: &str| format!("void f() {{ {} ; {} }}", open.repeat(n), close.repeat(n));
    let value = |open: &str, inner: &str, close: &str| {
        format!("int a = {}{inner}{};", open.repeat(n), close.repeat(n))
    };
    for text in [
        value("(", "1", ")"),
        value("a[", "1", "]"),
        value("f(", "1", ")"),
        value("{", "1", "}"),
        value("- ", "1", ""),
        value("! ", "1", ""),
        value("++", "a", ""),
        value("a", "", "[0]"),
        value("a", "", ".b"),
        value("a", "", "'"),
        value("", "a", "()"),
        value("1 + ", "1", ""),
        value("a ** ", "1", ""),
        value("a imply b or ", "1", ""),
        value("a = ", "1", ""),
        value("a ? b : ", "1", ""),
        value("a ? ", "1", " : b"),
        value("forall (i : t) ", "1", ""),
        value("forall (i : int[0,", "1", "]) 1"),
        value("(exists (i : int[0,1]) ", "1", ") + 1"),
        block("{", "}"),
        block("if (a) ", ""),
        block("if (a) ; else ", ""),
        block("while (a) { ", "}"),
        block("for (i : t) ", ""),
        block("do ", " while (a);"),
        format!("{} int a; {}", "struct { ".repeat(n), "} b; ".repeat(n)),
        format!("int a{};", "[struct { int a".repeat(n)),
        process(&format!("state A {{ {}1 }}; init A;", "(".repeat(n))),
    ] {
        let found = errors(&text);
        let short = &text[..60];
        assert!(found.iter().any(|d| d.code == "E0506"), "{short}: {found:?}");
        assert!(found.len() <= 3, "{short}: {found:?}");
    }
    let query = parse_query(&format!("E<> {}a", "not ".repeat(n)));
    assert!(
        matches!(&query.kind, QueryKind::Malformed(m, _) if m.contains("200 levels")),
        "{:?}",
        query.kind
    );
}

#[test]
fn trees_stay_within_the_limit_however_they_are_built() {
    // Each parenthesis wraps a chain: few rules at once, but a tall tree.
    let mut text = String::from("1");
    for _ in 0..50 {
        text = format!("({text}{})", " + 1".repeat(20));
    }
    assert!(matches!(parse_query(&format!("E<> {text}")).kind, QueryKind::Malformed(..)));
    let shallow = format!("E<> {}1{}", "(".repeat(100), " + 1)".repeat(100));
    assert!(matches!(parse_query(&shallow).kind, QueryKind::Possibly(_)));
}

#[test]
fn large_texts_are_bounded() {
    assert_eq!(errors(&" ".repeat((16 << 20) + 1))[0].code, "E0501");
    let text = format!("int a[1000000] = {{{}1}};", "1,".repeat(1_000_000));
    assert!(errors(&text).iter().any(|d| d.code == "E0501"));
    // Many unknown names among many locations: no suggestion is looked for once enough are shown.
    let states: Vec<String> = (0..50_000).map(|i| format!("location{i}")).collect();
    let edges = "x -> y { },".repeat(50_000);
    let text = process(&format!("state {}; init location0; trans {edges} x -> y {{ }};", states.join(",")));
    assert_eq!(errors(&text).len(), 51);
}

/// Our own model with every construct of XTA.
const MODEL: &str = "const int N = 2; typedef int[0,N-1] id_t; typedef struct { int a[N]; bool b; } s_t;
    clock x, y[id_t]; urgent broadcast chan c[id_t]; chan d; s_t s = { {1, 2}, b: true }; meta int m;
    int f(id_t i, int &r) { int k = -1; for (j : id_t) k += j; for (k = 0; k < 3; k++) { r--; }
      while (k > 0) k = k - 1; do { } while (false); if (k == 0) return 1; else { r = k ? 1 : 2; } return s.a[i]; }
    chan priority d < default;
    process P(const id_t i, int &r) { clock z; state A { z <= 5, x' == 0 }, B, C; branchpoint b; commit C; urgent B;
      init A; trans A -> B { select j : id_t; guard z > 1 && forall (k : id_t) y[k] < 3; sync c[j]!; assign z = 0; },
      -> b { sync d?; }, b -> C { probability 3; }; }
    int v; Q(const id_t i) = P(i, v); R := P(1, v); system Q < R; progress { v; }
    query { A[] not (Q(0).C and deadlock) }";

#[test]
fn truncation_at_any_byte_is_answered() {
    assert_eq!(errors(MODEL), []);
    for at in 0..MODEL.len() {
        let _ = parse(&MODEL[..at], Format::Xta);
        let _ = parse(&MODEL[at..], Format::Xta);
    }
}

#[test]
fn one_changed_byte_is_answered() {
    // Every byte replaced by every symbol in turn: nothing panics, and the places are places of the text.
    for at in (0..MODEL.len()).step_by(3) {
        for symbol in
            [";", "}", "{", "(", ")", "=", "-", "\"", "/*", "'", "\u{e9}", " system ", " process ", "!"]
        {
            let text = format!("{}{symbol}{}", &MODEL[..at], &MODEL[at + 1..]);
            for diagnostic in errors(&text) {
                let span = diagnostic.span.unwrap_or_default();
                assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?}");
            }
        }
    }
}
