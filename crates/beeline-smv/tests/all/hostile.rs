//! Input that is too deep, too large or not meant to be read: a message, within the stack of a test, and at once.

use crate::support;

use support::errors;

fn code(text: &str) -> Option<&'static str> {
    errors(text).first().map(|(code, _)| *code)
}

fn init(expr: &str) -> String {
    format!("MODULE main VAR x : boolean; n : 0..3; w : word[4]; INIT {expr}")
}

#[test]
fn nesting_has_a_limit() {
    let nested = |open: &str, inner: &str, close: &str, times: usize| {
        init(&format!("{}{inner}{}", open.repeat(times), close.repeat(times)))
    };
    for (open, inner, close) in [
        ("(", "x", ")"),
        ("!", "x", ""),
        ("x -> ", "x", ""),
        ("case TRUE : ", "x", "; esac"),
        ("x ? x : ", "x", ""),
        ("AG ", "x", ""),
        ("{", "x", "}"),
        ("(x & (x | ", "x", "))"),
    ] {
        for times in [250, 100_000] {
            assert_eq!(code(&nested(open, inner, close, times)), Some("E0808"), "{open}");
        }
    }
    assert_eq!(code(&nested("(", "x", ")", 190)), None);
    assert_eq!(code(&nested("!(x & (x | ", "x", "))", 30)), None);
    // Chains to the left are deep, too; conjunctions are not.
    assert_eq!(code(&init(&format!("n {} = n", "+ n ".repeat(100_000)))), Some("E0808"));
    assert_eq!(code(&init(&format!("x {}", "& x ".repeat(100_000)))), None);
    assert_eq!(code(&init(&format!("x {}", "| x & x ".repeat(100_000)))), None);
    let path = init(&format!("x{}", ".x".repeat(100_000)));
    assert_eq!(code(&path), Some("E0808"));
    let arrays = format!("MODULE main VAR x : {}boolean;", "array 0..0 of ".repeat(100_000));
    assert_eq!(code(&arrays), Some("E0808"));
}

#[test]
fn definitions_do_not_explode() {
    // Each is twice the one before.
    let chain: String = (1..100).map(|i| format!("d{i} := d{} xor d{}; ", i - 1, i - 1)).collect();
    let found = errors(&format!("MODULE main VAR x : boolean; DEFINE d0 := x; {chain} INIT d99"));
    assert!(found.iter().any(|(code, _)| ["E0821", "E0808"].contains(code)), "{found:?}");
    // Each is deeper than the one before.
    let chain: String = (1..5_000).map(|i| format!("d{i} := !(d{} | x); ", i - 1)).collect();
    let found = errors(&format!("MODULE main VAR x : boolean; DEFINE d0 := x; {chain} INIT d4999"));
    assert!(found.iter().all(|(code, _)| ["E0808", "E0809", "E0111"].contains(code)) && !found.is_empty());
    // Sets through names.
    let chain: String = (1..5_000).map(|i| format!("d{i} := d{} union 1; ", i - 1)).collect();
    let text = format!("MODULE main VAR y : 0..3; DEFINE d0 := 0; {chain} ASSIGN init(y) := d4999;");
    assert_eq!(code(&text), Some("E0820"));
    assert_eq!(code("MODULE main VAR y : 0..3; DEFINE d := d union 1; ASSIGN init(y) := d;"), Some("E0820"));
}

#[test]
fn instances_do_not_explode() {
    let modules: String =
        (1..40).map(|i| format!("MODULE m{i} VAR a : m{}; b : m{}; ", i - 1, i - 1)).collect();
    let text = format!("MODULE main VAR a : m39; {modules} MODULE m0 VAR x : boolean;");
    assert_eq!(code(&text), Some("E0821"));
    let modules: String = (1..1_000).map(|i| format!("MODULE m{i} VAR a : m{}; ", i - 1)).collect();
    let text = format!("MODULE main VAR a : m999; {modules} MODULE m0 VAR x : boolean;");
    assert_eq!(code(&text), Some("E0821"));
}

#[test]
fn numbers_and_tables_have_limits() {
    let vars = |of: &str| code(&format!("MODULE main VAR x : {of};"));
    assert_eq!(vars("array 0..4000000000 of boolean"), Some("E0821"));
    assert_eq!(vars("array 0..999 of array 0..999 of boolean"), Some("E0821"));
    assert_eq!(vars("0..4000000000 * 4000000000"), Some("E0827"));
    assert_eq!(vars("0..4000000000 * 4000000"), Some("E0817"));
    assert_eq!(vars("0..99999999999999999999"), Some("E0803"));
    assert_eq!(vars("word[4000000000]"), Some("U0802"));
    assert_eq!(vars("word[0]"), Some("E0817"));
    assert_eq!(vars("0..4000000000"), None);
    let wide = "MODULE main VAR x : 0..4000000000; y : {a, 1}; ASSIGN init(x) := 5; next(y) := x;";
    assert_eq!(code(wide), None, "too wide to try, so it is an error of the step");
    let notes = beeline_smv::read(wide, "test.smv").expect("a model").notes;
    assert_eq!(notes.iter().map(|n| n.code).collect::<Vec<_>>(), ["W0801"]);
    assert_eq!(code("MODULE main VAR x : 0..9000000; INIT (x = 1 ? x : a) = a; CONSTANTS a;"), Some("U0804"));
    assert_eq!(code("MODULE main VAR w : word[40]; INIT w * w = w"), Some("U0802"));
    assert_eq!(code("MODULE main VAR w : word[40]; INIT w :: w = w"), Some("U0802"));
}

#[test]
fn garbage_gets_a_message() {
    for text in
        ["", "\u{0}\u{1}", "MODULE", "MODULE main VAR", "MODULE main VAR x", "(", "MODULE main(", "/--", "--"]
    {
        let _ = code(text);
    }
    assert_eq!(code(""), Some("E0812"));
    assert_eq!(code("<nta></nta>"), Some("E0806"));
    assert_eq!(code("MODULE main VAR \u{e9} : boolean;"), Some("E0804"));
    // Every beginning of a model.
    let text = "MODULE main VAR x : {a, 1}; w : signed word[3]; p : process m(x); IVAR i : boolean; DEFINE d := [1, 2];
        ASSIGN init(x) := case TRUE : {a} union 1; esac; TRANS next(w)[1:0] = 0ud2_1 IN SPEC NAME q := A [x = a U x = 1] IN p;
        MODULE m(x) FAIRNESS running COMPASSION(x = a, TRUE) LTLSPEC G [1, 2] x = 1";
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        let _ = code(&text[..end]);
    }
}
