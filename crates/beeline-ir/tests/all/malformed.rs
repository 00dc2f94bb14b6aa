//! Whatever the text, reading ends with a model or with messages: never a panic, never a hang.

use beeline_ir::Model;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::property::PropertyKind;
use beeline_ir::text::{self, ReadOptions};

const OPTIONS: ReadOptions<'_> = ReadOptions { file: "test", record_places: true };
const EVERYTHING: &str = include_str!("models/everything.beeline");
const RELATION: &str = include_str!("models/relation.beeline");

fn read(text: &str) -> Result<Model, Vec<Diagnostic>> {
    let result = text::read(text, OPTIONS);
    if let Err(diagnostics) = &result {
        assert!((1..=50).contains(&diagnostics.len()), "{} messages", diagnostics.len());
        for d in diagnostics {
            let fits = d.span.is_none_or(|s| s.start <= s.end && s.end as usize <= text.len());
            assert!(fits && !d.message.is_empty(), "{d:?}");
        }
    }
    result
}

/// The codes of what is wrong with a text.
fn codes(text: &str) -> Vec<&'static str> {
    read(text).err().into_iter().flatten().map(|d| d.code).collect()
}

fn process(edges: &str) -> String {
    format!("network n var v in 0..9 clock x chan c process P {{ init l location l {edges} }}")
}

#[test]
fn cut_off_at_every_byte() {
    let mut refused = 0;
    for text in [EVERYTHING, RELATION] {
        for end in (0..text.len()).filter(|n| text.is_char_boundary(*n)) {
            refused += usize::from(read(&text[..end]).is_err());
        }
    }
    // A cut between two items leaves a smaller model, or a name that is gone.
    assert!(refused > 4500, "{refused}");
}

#[test]
fn every_token_left_out_or_doubled() {
    let words: Vec<&str> = EVERYTHING.split_inclusive([' ', '(', ')', '{', '}', ';', ',']).collect();
    for i in 0..words.len() {
        let _ = read(&[&words[..i], &words[i + 1..]].concat().concat());
        let _ = read(&[&words[..=i], &words[i..]].concat().concat());
    }
}

#[test]
fn bytes_changed_at_random() {
    let mut seed = 42_u64;
    let mut random = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    for _ in 0..3000 {
        let mut bytes = if random(4) == 0 { RELATION } else { EVERYTHING }.as_bytes().to_vec();
        for _ in 0..=random(4) {
            let (to, from) = (random(bytes.len()), random(bytes.len()));
            match random(3) {
                0 => bytes[to] = bytes[from],
                1 => bytes[to] = b"(){}[];:,.=<>!&|*-+@#'\"\\0_ \n"[random(28)],
                _ => drop(bytes.splice(to.min(from)..to.max(from).min(to.min(from) + 20), [])),
            }
        }
        if let Ok(model) = read(&String::from_utf8_lossy(&bytes)) {
            let again = text::read(&text::print(&model), ReadOptions { file: "test", record_places: false });
            assert_eq!(again.as_ref(), Ok(&model));
        }
    }
}

#[test]
fn deep_nesting() {
    let deep = 100_000;
    let nests = [
        ("(", "1", ")"),
        ("!", "1", ""),
        ("-", "v", ""),
        ("1 + (", "1", ")"),
        ("1 ? 1 : ", "1", ""),
        ("1 ? ", "1", " : 1"),
        ("and(", "", ")"),
        ("forall(i in 0..1 : ", "1", ")"),
        ("len(*(", "1", "))"),
        ("poll(receive c(=", "1", "))"),
        ("(1 => ", "x < 1", ")"),
    ];
    for (open, inner, close) in nests {
        let guard = format!("{}{inner}{}", open.repeat(deep), close.repeat(deep));
        assert_eq!(codes(&process(&format!("edge l -> l {{ guard {guard} }}")))[..1], ["E0111"], "{open}");
    }
    for block in ["if 1 { ", "while 1 { ", "if 1 { } else { "] {
        let update = format!("{}{}", block.repeat(deep), "} ".repeat(deep));
        assert_eq!(codes(&process(&format!("edge l -> l {{ do {{ {update} }} }}")))[..1], ["E0111"]);
    }
    let chain = "if 1 { } else ".repeat(deep);
    assert_eq!(codes(&process(&format!("edge l -> l {{ do {{ {chain} {{ }} }} }}")))[..1], ["E0111"]);
    for choice in ["{", "if 1 then 1 else ", "if 1 then "] {
        let text = format!("relation r state y in 0..1 next y := {}", choice.repeat(deep));
        assert_eq!(codes(&text)[..1], ["E0111"]);
    }
    assert!(read(&"{".repeat(deep)).is_err());
    assert!(read(&format!("network n {}", "{".repeat(deep))).is_err());
}

#[test]
fn long_chains_are_deep_or_flat() {
    let chain =
        |op: &str| process(&format!("edge l -> l {{ guard v{} }}", format!(" {op} v").repeat(100_000)));
    // A tree of operations leans to the left; conjunctions are flat.
    assert_eq!(codes(&chain("+")), ["E0111"]);
    assert_eq!(codes(&chain("&&")), [""; 0]);
    // The limit itself, on either side.
    let nest = |n: usize| process(&format!("edge l -> l {{ guard {}v }}", "!".repeat(n)));
    assert_eq!(codes(&nest(198)), [""; 0]);
    assert_eq!(codes(&nest(199)), ["E0111"]);
}

#[test]
fn functions_that_call_each_other_count_as_nesting() {
    let mut text = String::from("network n fn f0() -> 0..1 { return 0; }\n");
    for i in 1..300 {
        text += &format!("fn f{i}() -> 0..1 {{ return f{}(); }}\n", i - 1);
    }
    assert!(codes(&text).contains(&"E0111"));
}

#[test]
fn numbers() {
    for bad in
        ["9223372036854775808", "-9223372036854775809", "99999999999999999999999999", "18446744073709551616"]
    {
        assert_eq!(codes(&format!("network n var v in 0..1 = {bad}"))[..1], ["E0104"], "{bad}");
        assert_eq!(codes(&process(&format!("edge l -> l {{ guard {bad} }}")))[..1], ["E0104"], "{bad}");
    }
    for bad in [
        "var v[-1] in 0..1",
        "var v[4294967296] in 0..1",
        "chan c priority 2147483648",
        "buffer b capacity -1",
    ] {
        assert_eq!(codes(&format!("network n {bad}")), ["E0104"], "{bad}");
    }
}

#[test]
fn giant_arrays_take_no_memory() {
    let array = |i: usize| format!("var v{i}[4294967295] in 0..1\n");
    let all: String = (0..40).map(array).collect();
    assert!(codes(&format!("network n {all}")).iter().all(|c| *c == "E0113"));
    let all: String = (0..40).map(|i| format!("chan c{i}[9000000] priority 3\n")).collect();
    assert!(codes(&format!("network n {all}")).contains(&"E0113"));
    let text = "network n buffer b[1000] capacity 4294967295 of (0..1, 0..1)";
    assert_eq!(codes(text), ["E0307"]);
    let local = process("edge l -> l { local a[4294967295] in 0..1 }");
    assert_eq!(codes(&local), ["E0307"]);
}

#[test]
fn odd_characters() {
    assert_eq!(codes("\u{feff}network n\r\nvar v in 0..1\r\n"), [""; 0]);
    assert_eq!(codes("network n\0"), ["E0102"]);
    assert_eq!(codes("network 'n\0'"), [""; 0]);
    assert_eq!(codes("network naïve")[..1], ["E0102"]);
    assert_eq!(codes("network 'naïve' var 'überraschung' in 0..1"), [""; 0]);
    assert_eq!(codes("network 'n"), ["E0103", "E0110"]);
    assert_eq!(codes("network n /* no end"), ["E0103"]);
    assert_eq!(codes("network 'a\\q'"), ["E0105"]);
    assert_eq!(codes("network '\\u{110000}'"), ["E0105"]);
    assert_eq!(codes("network '\\u{}' source \"\\"), ["E0105", "E0103", "E0105", "E0110"]);
    assert_eq!(codes(""), ["E0110"]);
    assert_eq!(codes(&"\u{1f980}".repeat(1000)).len(), 50);
}

#[test]
fn all_errors_at_once() {
    let text = process(
        "edge l -> m
         edge l -> l { guard w > 0 do { v := ; q := 1; v := 1 2; if v { x := ; } v := 2; } }
         edge l -> l { gaurd 1 }
         lokation k
         edge l -> l { send d when v < 3 }",
    );
    let diagnostics = read(&text).unwrap_err();
    let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "unknown location `m`",
            "unknown name `w`",
            "expected an expression, found `;`",
            "unknown name `q`",
            "expected `;`, found `2`",
            "expected an expression, found `;`",
            "unknown word `gaurd`",
            "unknown word `lokation`",
            "unknown name `d`",
            "expected a clock constraint",
        ]
    );
    let help = |message: &str| diagnostics.iter().find(|d| d.message.contains(message)).unwrap().help.clone();
    assert_eq!(help("gaurd").unwrap(), "did you mean `guard`?");
    assert_eq!(help("lokation").unwrap(), "did you mean `location`?");
}

#[test]
fn near_misses_are_suggested() {
    let help = |text: &str| read(text).unwrap_err()[0].help.clone().unwrap_or_default();
    let text = |q: &str| {
        format!("network n var counter in 0..1 process P1 {{ init idle location idle }} property : A[] {q}")
    };
    assert_eq!(help(&text("conter > 0")), "did you mean `counter`?");
    assert_eq!(help(&text("p1.idle")), "did you mean `P1`?");
    assert_eq!(help(&text("P1.idel")), "did you mean `idle`?");
    assert_eq!(help(&text("something > 0")), "");
}

/// Looking for near names once took time in proportion to the square of the text.
#[test]
fn many_unknown_names() {
    let vars: String = (0..20_000).map(|i| format!("var name{i} in 0..1\n")).collect();
    let uses = " || nome1".repeat(50_000);
    assert_eq!(codes(&format!("network n {vars} property : A[] 1 {uses}")).len(), 50);
}

#[test]
fn names_of_the_wrong_kind_and_items_given_twice() {
    let cases = [
        ("guard x > v + x", "E0203"),
        ("guard x", "E0203"),
        ("guard c", "E0202"),
        ("guard P", "E0202"),
        ("guard v(1)", "E0202"),
        ("guard c[0] == 1", "E0202"),
        ("guard v.l", "E0202"),
        ("send v", "E0202"),
        ("do { c := 1; }", "E0202"),
        ("do { wrap x := 1; }", "E0203"),
        ("do { start P(); }", "E0202"),
        ("when v < 1", "E0204"),
        ("when x != 1", "E0203"),
        ("when 1 < x", "E0204"),
        ("guard 1 send c select i in 0..1 send c", "E0116"),
        ("local i in 0..1 select j in 0..1", "E0116"),
        ("guard v == 1 guard v == 2", "E0116"),
        ("when x < 1 guard 1 when x < 2", "E0116"),
        ("do { v := 1; } do { v := 2; }", "E0116"),
        ("send c receive c", "E0116"),
        ("guard min(1)", "E0114"),
    ];
    for (items, code) in cases {
        assert_eq!(codes(&process(&format!("edge l -> l {{ {items} }}")))[..1], [code], "{items}");
    }
    assert_eq!(codes(&process("init l")), ["E0116"]);
    assert_eq!(codes(&process("location k { condition v condition v }")), ["E0116"]);
    assert_eq!(codes(&process("location k { invariant x < 1; invariant x < 2 }")), ["E0116"]);
}

#[test]
fn properties_by_themselves() {
    let model = read(&process("")).unwrap();
    let code = |text: &str| match text::read_property(&model, text) {
        Ok(_) => "",
        Err(d) => d[0].code,
    };
    assert_eq!(code("A[] v < 3 && (x <= 3 || forall(i in 0..2 : i < v))"), "");
    assert_eq!(code("A[] v < 3 extra"), "E0110");
    assert_eq!(code("A<> w < 3"), "E0201");
    assert_eq!(code("A[ v"), "E0110");
    assert_eq!(code("v < 3"), "E0110");
    assert_eq!(code(""), "E0110");
    assert_eq!(code("no-runtime-failure"), "E0110");
    assert_eq!(code("never P at {l}"), "E0335");
    assert_eq!(code("A[] w"), "E0201");
    assert_eq!(code("A[] x + 1 < 3"), "E0203");
}

#[test]
fn questions_about_whole_runs_are_refused_one_by_one() {
    let source = format!("{}\nproperty one: A<> v  < 3\nproperty E<> v < 3\nproperty E[] v < 3", process(""));
    let source = source.replace("property E", "property : E");
    let model = read(&source).unwrap();
    let refused: Vec<_> = model
        .properties()
        .iter()
        .map(|p| match &p.kind {
            PropertyKind::Refused(refusal) => Some((refusal.malformed, p.text.as_deref().unwrap())),
            _ => None,
        })
        .collect();
    assert_eq!(refused, [Some((false, "A<> v  < 3")), None, Some((false, "E[] v < 3"))]);
}
