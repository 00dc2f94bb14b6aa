//! Input that is too deep, too large or not meant to be read: a message, within the stack of a test, and at once.

use crate::support;

use support::errors;

fn codes(text: &str) -> Vec<&'static str> {
    errors(text).into_iter().map(|(code, _)| code).collect()
}

fn condition(expr: &str) -> String {
    format!("byte x; active proctype P() {{ {expr} }}")
}

#[test]
fn nesting_has_a_limit() {
    for (open, inner, close) in [
        ("(", "x", ")"),
        ("! ", "x", ""),
        ("(x -> x : ", "x", ")"),
        ("x & (", "x", ")"),
        ("{ ", "skip", " }"),
        ("if :: ", "skip", " fi"),
        ("do :: ", "skip", " od"),
        ("atomic { ", "skip", " }"),
    ] {
        for times in [250, 20_000] {
            let text = condition(&format!("{}{inner}{}", open.repeat(times), close.repeat(times)));
            assert!(codes(&text).contains(&"E0908"), "{open} {times}");
        }
        let text = condition(&format!("{}{inner}{}", open.repeat(60), close.repeat(60)));
        assert_eq!(codes(&text), [""; 0], "{open}");
    }
    assert!(codes(&condition(&format!("x {}", "+ x ".repeat(100_000)))).contains(&"E0908"));
    assert_eq!(codes(&condition(&format!("x {}", "&& x ".repeat(20_000)))), [""; 0]);
    assert_eq!(codes(&condition(&"x = 1; ".repeat(20_000))), [""; 0]);
    assert!(codes(&condition(&format!("x{}", ".x".repeat(100_000)))).contains(&"E0908"));
}

#[test]
fn sizes_have_limits() {
    let process = "active proctype P() { skip }";
    for text in [
        format!("byte x[2000000]; {process}"),
        format!("byte x[2147483647]; {process}"),
        format!("chan q = [65536] of {{byte}}; {process}"),
        format!("chan q[5000] = [1] of {{byte}}; {process}"),
        format!("chan q[255] = [60000] of {{byte, byte}}; {process}"),
        format!(
            "typedef A {{ byte a[1000] }} typedef B {{ A b[1000] }} typedef C {{ B c[1000] }} C x; {process}"
        ),
        "active [256] proctype P() { skip }".to_string(),
        "active [200] proctype P() { skip } active [100] proctype Q() { skip }".to_string(),
        format!("mtype = {{ {} }} {process}", (0..300).map(|i| format!("m{i} ")).collect::<String>()),
        "active proctype P() { byte x; select (x : 3 .. 2) }".to_string(),
        "unsigned x : 40; active proctype P() { skip }".to_string(),
    ] {
        let found = errors(&text);
        assert!(!found.is_empty(), "{}", text.chars().take(80).collect::<String>());
        assert!(found.iter().all(|(code, _)| code.starts_with("E09")), "{found:?}");
    }
    // A record of itself: its type is not known yet.
    assert_eq!(codes(&format!("typedef A {{ A a }} {process}")), ["E0906"]);
}

#[test]
fn choices_may_be_wide() {
    // Each option looked through all the others for escapes: 100,000 took a minute.
    assert_eq!(codes(&condition(&format!("do {} od", ":: x = 1 ".repeat(60_000)))), [""; 0]);
    // It had no place.
    let text = format!("#define A {}\nbyte x; active proctype P() {{\nA }}", "x ".repeat(1_000_001));
    let none = |_: &str| Err("there is none".to_string());
    let options =
        beeline_promela::ReadOptions { file: "m.pml", include: &none, slots: 4, length: Default::default() };
    let found = beeline_promela::read(&text, options).unwrap_err();
    let span = found[0].span.map(|span| &text[span.start as usize..span.end as usize]);
    assert_eq!((found[0].code, span), ("E0930", Some("A")));
}

#[test]
fn inline_calls_do_not_explode() {
    let mut text = "inline f0() { skip; skip }\n".to_string();
    for i in 1..40 {
        text += &format!("inline f{i}() {{ f{}(); f{}() }}\n", i - 1, i - 1);
    }
    assert!(codes(&format!("{text} active proctype P() {{ f39() }}")).contains(&"E0908"));
    assert_eq!(codes("inline f() { f() } active proctype P() { f() }"), ["E0912"]);
}

#[test]
fn anything_is_read_without_a_panic() {
    let words = [
        "active", "proctype", "P", "(", ")", "{", "}", "if", "fi", "do", "od", "::", "->", ";", "x", "=",
        "1", "[", "]", "chan", "of", "byte", "!", "?", "!!", "??", "<", ">", ":", "..", "for", "select",
        "run", "atomic", "d_step", "unless", "else", "timeout", "goto", "L", "ltl", "[]", "<>", "never",
        "init", "typedef", "mtype", "inline", "\"", "#define", "#if", "\n", "@", "c_code", "é", "'", "eval",
        "_", "assert", "skip", "break", ",", "-", "provided",
    ];
    let mut seed = 7_u64;
    for _ in 0..4_000 {
        let mut text = String::from("byte x; chan q = [1] of {byte}; active proctype P() { ");
        for _ in 0..20 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(words[(seed >> 33) as usize % words.len()]);
            text.push(' ');
        }
        // Places are looked at there.
        errors(&text);
        errors(&text[50..]);
    }
}
