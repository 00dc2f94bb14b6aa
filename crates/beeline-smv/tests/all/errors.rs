//! What NuSMV refuses, with the place; all of it at once.

use crate::support;

use support::errors;

/// One error, at a place with this text.
fn one(text: &str, code: &str, place: &str) {
    let found = errors(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    assert_eq!((found[0].0, found[0].1.as_str()), (code, place), "{text}");
}

fn one_in_main(body: &str, code: &str, place: &str) {
    one(&format!("MODULE main {body}"), code, place);
}

#[test]
fn names() {
    one_in_main("VAR x : boolean; ASSIGN next(x) := y;", "E0810", "y");
    one_in_main("VAR x : {red, green}; INIT x = gren;", "E0810", "gren");
    one_in_main("VAR x : boolean; x : 0..1;", "E0811", "x");
    one_in_main("VAR x : boolean; DEFINE x := TRUE;", "E0811", "x");
    one_in_main("VAR x : {a, b}; b : boolean;", "E0811", "b");
    one_in_main("VAR m : none;", "E0810", "none");
    one_in_main("VAR m : n; INIT m.y; MODULE n VAR x : boolean;", "E0810", "m.y");
    one("MODULE other VAR x : boolean;", "E0812", "");
    one("MODULE main VAR a : m(1, 2); MODULE m(x) VAR y : 0..3;", "E0815", "m(1, 2)");
    one("MODULE main VAR a : m; MODULE m VAR b : n; MODULE n VAR c : m;", "E0813", "m");
    one("MODULE main ISA main", "E0813", "main");
    one("MODULE main VAR a : m; MODULE m VAR x : boolean; MODULE m VAR y : boolean;", "E0811", "m");
}

#[test]
fn assignments() {
    one_in_main("VAR x : boolean; ASSIGN init(x) := TRUE; x := TRUE;", "E0819", "x");
    one_in_main("VAR x : boolean; ASSIGN next(x) := TRUE; next(x) := TRUE;", "E0819", "x");
    one_in_main("VAR x : boolean; ASSIGN x := TRUE; next(x) := TRUE;", "E0819", "x");
    one_in_main("IVAR x : boolean; ASSIGN init(x) := TRUE;", "E0828", "x");
    one_in_main("FROZENVAR x : boolean; ASSIGN next(x) := TRUE;", "E0828", "x");
    one_in_main("DEFINE d := TRUE; ASSIGN next(d) := TRUE;", "E0828", "d");
    one_in_main("VAR a : array 0..1 of boolean; ASSIGN next(a) := TRUE;", "E0828", "a");
    one_in_main("VAR a : array 0..1 of boolean; ASSIGN next(a[2]) := TRUE;", "E0825", "2");
}

#[test]
fn circles() {
    one_in_main("VAR x : boolean; y : boolean; ASSIGN x := !y; y := x;", "E0820", "!y");
    one_in_main(
        "VAR x : boolean; y : boolean; ASSIGN next(x) := next(y); next(y) := !next(x);",
        "E0820",
        "next(y)",
    );
    one_in_main("VAR x : boolean; y : boolean; ASSIGN init(x) := y; init(y) := !x;", "E0820", "y");
    one_in_main("DEFINE a := a;", "E0820", "a");
    one_in_main("DEFINE a := b; b := a;", "E0820", "b");
    let found = errors("MODULE main VAR a : m(b.p); b : m(a.p); MODULE m(p) VAR x : boolean; INIT p");
    assert!(found.iter().all(|(code, _)| *code == "E0820") && !found.is_empty(), "{found:?}");
    // Not circles: a value depends on the one before.
    for fine in ["next(x) := y; next(y) := !x;", "init(x) := y; next(x) := y; next(y) := next(x);"] {
        assert_eq!(errors(&format!("MODULE main VAR x : boolean; y : boolean; ASSIGN {fine}")), []);
    }
}

#[test]
fn places_of_next_and_inputs() {
    one_in_main("VAR x : boolean; INIT next(x)", "E0818", "next(x)");
    one_in_main("VAR x : boolean; INVAR next(x)", "E0818", "next(x)");
    one_in_main("VAR x : boolean; ASSIGN x := next(x);", "E0818", "next(x)");
    one_in_main("VAR x : boolean; TRANS next(next(x))", "E0818", "next(x)");
    one_in_main("VAR x : boolean; DEFINE d := next(x); INIT d | x", "E0818", "d | x");
    one_in_main("IVAR i : boolean; INIT i", "E0818", "i");
    one_in_main("IVAR i : boolean; TRANS next(i)", "E0818", "i");
    one_in_main("IVAR i : boolean; VAR x : boolean; ASSIGN x := i;", "E0818", "i");
}

#[test]
fn types() {
    one_in_main("VAR x : boolean; ASSIGN init(x) := 0;", "E0822", "0");
    one_in_main("VAR x : boolean; INIT x = 1", "E0822", "x = 1");
    one_in_main("VAR x : boolean; INIT x + 1 = 2", "E0822", "x + 1");
    one_in_main("VAR x : 0..3; INIT x", "E0822", "x");
    one_in_main("VAR x : 0..3; INIT !x = 1", "E0822", "!x");
    one_in_main("VAR x : {a, b}; INIT x = 3", "E0822", "x = 3");
    one_in_main("VAR x : {a, b}; INIT x < b", "E0822", "x < b");
    one_in_main("VAR x : word[3]; INIT x = 0ud4_3", "E0822", "x = 0ud4_3");
    one_in_main("VAR x : word[3]; y : signed word[3]; INIT x = y", "E0822", "x = y");
    one_in_main("VAR x : 0..3; INIT {1, 2} = x", "E0826", "{1, 2}");
    one_in_main("VAR a : array 0..1 of boolean; INIT a", "E0823", "a");
    one_in_main("VAR x : boolean; INIT x[1]", "E0823", "x");
    one_in_main("VAR x : {TRUE, a};", "E0817", "TRUE");
    one_in_main("VAR x : 3..1;", "E0817", "3..1");
    one_in_main("VAR x : 0..y; y : 0..3;", "E0816", "y");
    one_in_main("VAR m : n; INIT m MODULE n VAR x : boolean;", "E0814", "m");
    one_in_main("VAR x : boolean; INIT AG x", "E0822", "AG x");
    one_in_main("VAR x : integer;", "U0803", "integer");
    one_in_main("VAR x : word[63];", "U0802", "63");
}

/// As NuSMV does when it builds the model: for all values of all variables, reachable or not.
#[test]
fn values_that_are_missing() {
    one_in_main("VAR x : 0..3; ASSIGN init(x) := 7;", "E0824", "7");
    one_in_main("VAR x : 0..3; ASSIGN next(x) := {2, 7};", "E0824", "7");
    one_in_main("VAR x : 0..3; ASSIGN init(x) := 0; next(x) := x + 1;", "E0824", "x + 1");
    one_in_main("VAR x : {a, b}; y : {b, c}; ASSIGN next(x) := y;", "E0824", "y");
    one_in_main(
        "VAR x : 0..3; ASSIGN next(x) := case x < 3 : x + 1; esac;",
        "E0825",
        "case x < 3 : x + 1; esac",
    );
    one_in_main("VAR x : 0..3; INIT 3 / x > 0", "E0825", "3 / x > 0");
    one_in_main("VAR w : word[4]; INIT w mod 0ud4_0 = w", "E0825", "w mod 0ud4_0");
    one_in_main("VAR i : -1..2; a : array 0..1 of boolean; INIT a[i]", "E0825", "a[i]");
    one_in_main("VAR x : word[4]; k : 0..7; INIT x << k = x", "E0825", "x << k = x");
    let said = |text: &str| match beeline_smv::read(text, "test.smv") {
        Err(wrong) => (wrong[0].message.clone(), wrong[0].help.clone().unwrap_or_default()),
        Ok(_) => panic!("{text}"),
    };
    let (message, help) = said("MODULE main VAR x : 0..3; b : boolean; ASSIGN next(x) := b ? x : x + 1;");
    assert_eq!((&*message, &*help), ("`x` cannot be assigned 4", "with b = FALSE, x = 3"));
    let (message, help) = said("MODULE main VAR y : {b, c}; INIT case y = b : TRUE; esac");
    assert_eq!((&*message, &*help), ("no case applies", "with y = c"));
    // All of these have a value everywhere.
    for fine in [
        "VAR x : 0..3; ASSIGN next(x) := case x < 3 : x + 1; x = 3 : 0; esac;",
        "VAR x : 0..3; INIT x != 0 & 3 / x > 0",
        "VAR x : 0..3; INIT 3 / x > 0 & x != 0",
        "VAR x : 0..3; INIT 3 / x > 0 | x = 0",
        "VAR x : 0..3; INIT 3 / x > 0 -> x = 0",
        "VAR i : -1..2; a : array 0..1 of boolean; INIT a[i] & i in {0, 1}",
        "VAR i : -1..2; a : array 0..1 of boolean; INIT i in 0..1 & a[i]",
        "VAR x : {a, b}; y : {b, c}; ASSIGN next(x) := y = b ? y : a;",
    ] {
        assert_eq!(errors(&format!("MODULE main {fine}")), [], "{fine}");
    }
}

#[test]
fn syntax() {
    one_in_main("VAR x boolean;", "E0806", "boolean");
    one_in_main("VAR next : boolean;", "E0807", "next");
    one_in_main("VAR x : boolean; ASSIGN next(x) := ;", "E0806", ";");
    one_in_main("VAR x : boolean; INIT (x", "E0806", "");
    one_in_main("VAR x : boolean; PRED x", "U0801", "PRED");
    one("VAR x : boolean;", "E0806", "VAR");
}

#[test]
fn all_errors_are_told_at_once() {
    let text = "MODULE main
VAR x : 0..3; y : boolean;
ASSIGN init(x) := z; next(x) := y;
INIT x = TRUE
TRANS next(next(x)) = 1
INVAR q";
    let found: Vec<&str> = errors(text).into_iter().map(|(code, _)| code).collect();
    assert_eq!(found, ["E0810", "E0822", "E0822", "E0818", "E0810"]);
    let text = "MODULE main VAR x boolean; y : ; z : boolean; ASSIGN z := ); INIT ]";
    let found: Vec<&str> = errors(text).into_iter().map(|(code, _)| code).collect();
    assert_eq!(found, ["E0806", "E0806", "E0806", "E0806"]);
}
