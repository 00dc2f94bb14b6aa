//! Statements that stand for others, and where it matters what Spin 6.5.2 makes of them.

use super::semantics::fine;
use super::support::{errors, possible, reading, violation};

const ASSERT: &str = "assertions";

#[test]
fn a_late_array_is_a_step_with_its_first_value() {
    // The value of an array that is declared after a statement was lost, and so was the step that sets its first element.
    let text = |declared: &str, then: &str| {
        format!("active proctype A() {{ byte x; x = 1; {declared}; {then}; assert(false) }}")
    };
    let steps = |declared: &str, then: &str| violation(&text(declared, then), ASSERT);
    assert_eq!(steps("byte b[3] = 4", "assert(b[0] == 4 && b[1] == 0)"), Some(4));
    assert_eq!(steps("int b[3] = x + 4", "assert(b[0] == 5 && b[2] == 0)"), Some(4));
    fine(
        "active proctype A() { byte x; do :: x < 3 -> byte b[3] = 4; assert(b[0] == 4); b[0] = 7; x++ :: else -> break od }",
    );
}

#[test]
fn a_selection_is_a_choice_where_its_bounds_are_digits() {
    // Any constant was taken for digits: the choice has one step, the loop has as many as it takes.
    let steps = |bounds: &str, last: u8| {
        let text = format!(
            "#define N (3)\n#define M 3\nbyte i; active proctype P() {{ select (i : {bounds}); assert(i < {last}) }}"
        );
        violation(&text, ASSERT)
    };
    assert_eq!(steps("0 .. 3", 3), Some(2));
    assert_eq!(steps("0 .. M", 3), Some(2));
    assert_eq!(steps("0 .. N", 3), Some(9));
    assert_eq!(steps("(0) .. (2)", 2), Some(7));
    assert_eq!(steps("0 .. 1 + 1", 2), Some(7));
    assert_eq!(steps("'a' .. 'c'", 99), Some(7));
    assert_eq!(steps("false .. true", 1), Some(5));
    let none = |bounds: &str| {
        let found = errors(&format!("byte i; active proctype P() {{ select (i : {bounds}) }}"));
        found.iter().map(|(code, _)| *code).collect::<Vec<_>>()
    };
    assert_eq!((none("3 .. 1"), none("(3) .. (1)")), (vec!["E0914"], vec!["E0914"]));
}

#[test]
fn an_else_may_begin_a_d_step() {
    // It was refused.
    let text =
        |options: &str| format!("byte x; active proctype P() {{ {options}; assert(x == 2 || x == 10) }}");
    fine(&text("if :: x == 1 -> x = 5 :: d_step { else -> x = 2 } fi"));
    fine(&text("if :: x == 1 -> x = 5 :: d_step { { else -> x = 2 } } fi"));
    fine(&text("do :: x < 3 -> x++ :: d_step { else -> x = 10 } break od"));
    fine(&text("d_step { else -> x = 2 }"));
    // It is about what comes before it, while an `else` by itself comes last.
    let first = "byte x; active proctype P() { if :: d_step { else -> x = 2 } :: x == 0 -> x = 1 fi }";
    assert!(possible(first, "x == 2") && possible(first, "x == 1"));
    let last = "byte x; active proctype P() { if :: x == 0 -> x = 1 :: d_step { else -> x = 2 } fi }";
    assert!(!possible(last, "x == 2"));
}

#[test]
fn a_lone_bit_of_a_record_in_messages_is_a_byte() {
    // Only one that was written as such in the channel was.
    for fields in ["bit y", "bit y[1]"] {
        fine(&format!(
            "typedef A {{ {fields} }}; chan q = [2] of {{A}}; byte u; active proctype P() {{ q!3; q?u; assert(u == 3) }}"
        ));
    }
}

#[test]
fn what_nobody_keeps() {
    // `_` can be assigned.
    fine(
        "byte x; proctype Q() { x = 1 } active proctype P() { _ = 5; _ = run Q(); x == 1; assert(_nr_pr > 0) }",
    );
    assert_eq!(violation("active proctype P() { _ = 5; assert(false) }", ASSERT), Some(2));
}

#[test]
fn messages_that_are_too_short_stop_spin() {
    let notes = |text: &str| reading(text).notes.iter().map(|n| n.message.clone()).collect::<Vec<_>>();
    let found = notes("chan q = [1] of {byte, byte}; byte x; active proctype P() { q!3; q?x; q!1,2; q?x,x }");
    assert_eq!(found.len(), 2);
    assert!(
        found.iter().all(|m| m.contains("here are 1") && m.contains("Spin's verifier stops")),
        "{found:?}"
    );
}

#[test]
fn an_atomic_sequence_can_be_escaped_from_by_what_begins_with_an_escape() {
    // Spin's verifier does not look at such an escape before the sequence has begun: a mistake of Spin's.
    let text = "byte x = 1, y; active proctype P() { { atomic { y = 5; y = 2 } } unless { { x == 1 -> y = 7 } unless { x == 3; skip } } }";
    assert!(possible(text, "y == 7") && !possible(text, "y == 5 || y == 2"));
}
