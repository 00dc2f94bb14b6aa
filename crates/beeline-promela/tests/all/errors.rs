//! What is wrong with a model is told with its place, all of it at once; what is legal and not supported, by name.

use crate::support;

use support::{diagnostics, errors, reading};

fn codes(text: &str) -> Vec<&'static str> {
    errors(text).into_iter().map(|(code, _)| code).collect()
}

fn helps(text: &str) -> Vec<String> {
    diagnostics(text).into_iter().filter_map(|diagnostic| diagnostic.help).collect()
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = "byte x
        active proctype P() { x = ; y = 1; if :: fi; goto nowhere }
        proctype Q( { skip }
        active proctype R() { z = 2; x = 1 }";
    let found = errors(text);
    let of = |code: &str| found.iter().filter(|(c, _)| *c == code).count();
    assert!(of("E0906") >= 3, "{found:?}");
    let text = "byte x; active proctype P() { y = 1; x = z; run Q(); x[3] = 1; L: skip; L: skip; if :: goto nowhere :: break fi }";
    assert_eq!(codes(text), ["E0920", "E0920", "E0920", "E0921", "E0922", "E0922", "E0922"]);
}

#[test]
fn names_are_looked_up() {
    let text = "byte count; active proctype P() { coumt = 1 }";
    assert_eq!(errors(text), [("E0920", "there is no variable `coumt`".to_string())]);
    let called = "byte x; proctype Q(byte y) { skip } init { Q(1); x = Q(2) }";
    assert_eq!(helps(called), ["a process is started by `run Q(..)`"; 2]);
    assert_eq!(codes("active proctype P() { run Q() }"), ["E0920"]);
    assert_eq!(codes("proctype Q(byte x) { skip } init { run Q() }"), ["E0928"]);
    assert_eq!(codes("byte x; active proctype P() { x!1 }"), ["E0921"]);
    assert_eq!(codes("chan q = [1] of {byte}; active proctype P() { q!1,2 }"), ["E0929"]);
    assert_eq!(codes("byte x; byte x; active proctype P() { skip }"), ["E0922"]);
    assert_eq!(codes("typedef R { byte a } R r; active proctype P() { r.b = 1; r = 1 }"), ["E0920", "E0921"]);
    assert_eq!(codes("Nothing r; active proctype P() { skip }"), ["E0906"]);
    assert_eq!(codes("byte x;"), ["E0924"]);
    assert_eq!(codes("byte x[n]; active proctype P() { skip }"), ["E0925"]);
    assert_eq!(codes("byte x[0]; active proctype P() { skip }"), ["E0926"]);
    assert_eq!(codes("mtype = {a}; active proctype P() { a = 1 }"), ["E0921"]);
    assert_eq!(codes("ltl p { [] x } active proctype P() { skip }"), ["E0920"]);
    assert_eq!(codes("active proctype P() { P@nowhere }"), ["E0920"]);
    assert_eq!(codes("active proctype P() { d_step { skip; goto L }; L: skip }"), ["E0915"]);
    assert_eq!(codes("active proctype P() { do :: d_step { skip; break } od }"), ["E0915"]);
    assert_eq!(codes("active proctype P() { d_step { skip; L: skip }; goto L }"), ["E0922"]);
}

#[test]
fn strings_end_and_numbers_have_32_bits() {
    for (text, words) in [
        ("active proctype P() { printf(\"a); assert(0) }", "a string that does not end"),
        ("active proctype P() { printf; assert(0) }", "expected `(`"),
        ("int x = 99999999999; active proctype P() { skip }", "no number of at most 32 bits"),
        ("active proctype P() { assert(12ab == 0) }", "`12ab`"),
    ] {
        let found = errors(text);
        assert!(
            found.iter().any(|(code, message)| *code == "E0906" && message.contains(words)),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn what_is_not_supported_is_named() {
    for (text, code, word) in [
        ("c_decl { int x; } active proctype P() { skip }", "U0900", "c_decl"),
        ("active proctype P() { c_code { x = 1; }; skip }", "U0900", "c_code"),
        ("active proctype P() { c_expr { x > 1 } -> skip }", "U0900", "c_expr"),
        ("c_state \"int x\" \"Global\"\nactive proctype P() { skip }", "U0900", "c_state"),
        ("trace { do :: q!1 od } active proctype P() { skip }", "U0901", "trace"),
        ("active proctype P() { set_priority(0, 2) }", "U0903", "set_priority"),
        ("active proctype P() { _priority = 2 }", "U0903", "_priority"),
        ("active proctype P() { np_ -> skip }", "U0905", "np_"),
        ("chan c = [0] of { byte }; active proctype P() { enabled(1) -> c!1 }", "U0905", "enabled"),
        ("chan c = [1] of { byte }; proctype Q() { skip } active proctype P() { c!run Q() }", "U0907", "run"),
        ("byte x; active proctype P() { d_step { skip; x = 1 unless x == 2 } }", "U0909", "unless"),
        ("byte x; active proctype P() { skip } never { x = 1 }", "U0910", "does not change"),
        ("int x; active proctype P() { skip } never { int n; n = x }", "U0910", "8 bits"),
        ("byte x; active proctype P() { skip } never { byte n[2]; n[0] = 1 }", "U0910", "plain"),
    ] {
        let found = errors(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert_eq!(found[0].0, code, "{text}");
        assert!(found[0].1.contains(word), "{text}: {found:?}");
    }
}

#[test]
fn other_formulas_are_refused_by_themselves() {
    let text = "byte x; active proctype P() { x = 1 } ltl a { <> (x == 1) } ltl b { [] (x < 2) } ltl c { [] (x == 0 U x == 1) }";
    let reading = reading(text);
    let shown: Vec<(String, bool)> = reading
        .network
        .properties
        .iter()
        .map(|p| {
            let refused = matches!(p.kind, beeline_ir::property::PropertyKind::Refused(_));
            (p.text.clone().unwrap_or_default(), refused)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("no assertion violated".to_string(), false),
            ("ltl { <> (x == 1) }".to_string(), true),
            ("ltl { [] (x < 2) }".to_string(), false),
            ("ltl { [] (x == 0 U x == 1) }".to_string(), true),
        ]
    );
}

#[test]
fn places_in_included_files_are_told() {
    let include = |_: &str| Ok("byte a;\nbyte b = ;\n".to_string());
    let options = beeline_promela::ReadOptions {
        file: "m.pml",
        include: &include,
        slots: 4,
        length: Default::default(),
    };
    let text = "byte x;\n#include \"other.h\"\nactive proctype P() { skip }";
    let found = beeline_promela::read(text, options).unwrap_err();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.ends_with("(other.h, line 2)"), "{found:?}");
    let span = found[0].span.unwrap();
    assert_eq!(&text[span.start as usize..span.end as usize], "#include \"other.h\"");
}

#[test]
fn notes_do_not_keep_a_model_from_being_read() {
    let found =
        reading("hidden byte x; chan q = [1] of {byte, byte}; active proctype P() { xr q; q!1; x = 1 }");
    let codes: Vec<&str> = found.notes.iter().map(|n| n.code).collect();
    assert_eq!(codes, ["W0901", "W0901", "W0902"]);
}

#[test]
fn somebody_has_to_start() {
    // Without a process at the start, everything held.
    for text in [
        "byte x; proctype P() { assert(false) }",
        "proctype P() { run P() }",
        "active [0] proctype P() { assert(false) }",
        "proctype P() { skip } never { true }",
    ] {
        let found = errors(text);
        assert!(found.len() == 1 && found[0].0 == "E0924" && found[0].1.contains("no process"), "{found:?}");
    }
}

#[test]
fn what_is_asked_of_nobody_is_pointed_out() {
    let notes = |text: &str| reading(text).notes.iter().map(|n| n.message.clone()).collect::<Vec<_>>();
    let model = "proctype W() { byte z; L: z = 1 } active proctype P() { byte z; L: z = 1 } active proctype R() { skip } ";
    // Names that do not exist were not noticed where no process had the number.
    for formula in ["P[9]:nosuch < 3", "W:nosuch < 3", "!P[9]@nosuch", "P[9]:x < 3"] {
        assert_eq!(codes(&format!("byte x; {model} ltl b {{ [] ({formula}) }}")), ["E0920"], "{formula}");
    }
    for (formula, warned) in [("P[0]:z < 3", 0), ("P[1]:z < 3", 1), ("!P[9]@L", 1), ("!W@L", 1), ("!P@L", 0)]
    {
        let found = notes(&format!("{model} ltl b {{ [] ({formula}) }}"));
        assert_eq!(found.len(), warned, "{formula}: {found:?}");
        assert!(found.iter().all(|m| m.contains("there is never a process")), "{found:?}");
    }
    // One that is started may have any number, and a variable is no number.
    let started = model.replace("skip", "run P()");
    assert_eq!(notes(&format!("{started} ltl b {{ [] (P[9]:z < 3) }}")), [] as [String; 0]);
    assert_eq!(notes(&format!("byte n = 9; {model} ltl b {{ [] (P[n]:z < 3) }}")), [] as [String; 0]);
    // On the command line it is an error.
    let symbols = reading(model).symbols;
    assert!(symbols.formula("P[0]:z < 9").is_ok());
    for formula in ["P[3]:z < 9", "E<> P[1]@L", "[] (!W@L)"] {
        let found = symbols.formula(formula).unwrap_err();
        assert_eq!((found.len(), found[0].code), (1, "E0920"), "{formula}: {found:?}");
    }
}

#[test]
fn what_spin_refuses() {
    // A number of bits made an `unsigned` of any type, and of two `else` the second was ignored.
    assert_eq!(codes("byte a : 3; active proctype P() { skip }"), ["E0913"]);
    let twice = "byte x; active proctype P() { IF :: x == 1 :: else -> x = 2 :: else -> x = 3 FI }";
    assert_eq!(codes(&twice.replace("IF", "if").replace("FI", "fi")), ["E0906"]);
    assert_eq!(codes(&twice.replace("IF", "do").replace("FI", "od")), ["E0906"]);
}

#[test]
fn too_many_processes_are_told_where_most_are() {
    let text = "active [3] proctype Q() { skip } active [254] proctype P() { skip }";
    let found = diagnostics(text);
    let span = found[0].span.map(|span| &text[span.start as usize..span.end as usize]);
    assert_eq!((found[0].code, span), ("E0930", Some("active [254] proctype P()")));
}
