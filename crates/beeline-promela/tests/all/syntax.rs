//! What may be written in which way, as Spin 6.5.2 takes it, and what it means then.

use crate::semantics::fine;
use crate::support::{errors, reading, violation};

const END: &str = "valid-end-states";

#[test]
fn fields_of_messages_stand_in_brackets_within_brackets() {
    // `q?x,y(z)` was read as `q?x,y` and a condition `(z)`.
    fine(
        "chan q = [2] of { byte, byte, byte }; byte x, y, z; active proctype P() {
           q!1(2, 0); q?x,y(z); assert(x == 1 && y == 2 && z == 0); q!4,5,6; q?x(y(z)); assert(x == 4 && y == 5 && z == 6);
           q!7,8,9; q?<(x,y,z)>; assert(x == 7 && y == 8 && z == 9); x = 0; z = 0;
           assert(q?[_(y,_)] && q?[_,eval(y)(9)] && !q?[_,y(8)]); q?7,(_,z); assert(z == 9 && len(q) == 0) }",
    );
    for wrong in ["q!x,y(z)", "q!x(y(z))", "q!(x,y,z)", "q?x(y),z", "q?(x)(y,z)", "q?x()"] {
        let text =
            format!("chan q = [1] of {{byte, byte, byte}}; byte x, y, z; active proctype P() {{ {wrong} }}");
        assert!(errors(&text).iter().any(|(code, _)| *code == "E0906"), "{wrong}");
    }
}

/// The numbers of the statements of the first process, in order.
fn numbers(text: &str) -> Vec<i64> {
    let reading = reading(text);
    let edges = reading.network.processes.iter().take(1).flat_map(|process| process.edges.iter());
    let mut numbers: Vec<i64> =
        edges.filter_map(|e| e.origin.as_ref()).flat_map(|o| o.native.clone()).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_label_without_a_statement_is_a_step() {
    // It was refused, or the label of what came next. The numbers are those of `pan -d`.
    let all = "byte x; active proctype P() { if :: x == 0 -> M: N: :: else -> O: fi; A: ; B: -> x = 1; atomic { x = 2; C: }; E: }";
    assert_eq!(numbers(all), [0, 1, 2, 3, 6, 7, 8, 9, 10, 12, 13]);
    let one =
        "byte x; active proctype P() { do :: x == 0 -> x++; L: printf(\"a\"); skip; M: :: else -> break od }";
    assert_eq!(numbers(one), [0, 1, 2, 3, 4, 5, 10]);
    fine(
        "byte x; active proctype P() { x = 1; goto L; x = 2; L: } active proctype Q() { d_step { x == 1; L: }; assert(x == 1) }",
    );
    assert_eq!(violation("active proctype P() { skip; end: ; false }", END), Some(2));
    assert_eq!(errors("active proctype P() { L: byte x; x = 1 }")[0].0, "E0906");
}
