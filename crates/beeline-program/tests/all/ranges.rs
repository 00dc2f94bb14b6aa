//! Ranges that variables never leave.

use crate::common::network;
use beeline_ir::layout::SlotKind;
use beeline_program::{Program, ranges};

/// The ranges of the cells of all variables, in order.
fn narrowed(source: &str) -> Vec<(String, i64, i64)> {
    let network = network(source);
    let mut program = Program::compile(&network);
    ranges::narrow(&network, &mut program);
    let cell = |slot: &beeline_ir::layout::Slot| match slot.kind {
        SlotKind::Cell(var, index) => {
            Some((format!("{}{index}", network.vars[var].name), slot.range.lo, slot.range.hi))
        }
        _ => None,
    };
    program.layout.slots.iter().filter_map(cell).collect()
}

fn range(all: &[(String, i64, i64)], name: &str) -> (i64, i64) {
    let (_, lo, hi) = all.iter().find(|(other, ..)| other == name).expect("it is there");
    (*lo, *hi)
}

#[test]
fn counters_are_followed_from_location_to_location() {
    let all = narrowed(
        "network n
         var p.i in 0..255
         var p.free in 0..255
         var shared[2] in 0..255
         var never in 0..255 = 7
         process p {
           init s
           location s
           location low
           edge s -> low { guard i < 4 }
           edge low -> s { do { i := i + 1; shared[1] := i; } }
           edge s -> s { guard i >= 4 do { i := 0; free := free + 1; } }
         }
         process q {
           init s
           location s
           edge s -> s { guard shared[0] > 9 do { shared[0] := 200; } }
         }",
    );
    assert_eq!(range(&all, "i0"), (0, 4));
    assert_eq!(range(&all, "free0"), (0, 255), "the guard does not bound it");
    assert_eq!(range(&all, "shared0"), (0, 0), "never enabled");
    assert_eq!(range(&all, "shared1"), (0, 4));
    assert_eq!(range(&all, "never0"), (7, 7));
}

#[test]
fn what_several_write_is_not_known_by_location() {
    let all = narrowed(
        "network n
         var x in 0..255
         process p {
           init s
           location s
           location low
           edge s -> low { guard x < 4 }
           edge low -> s { do { x := x + 1; } }
         }
         process q {
           init s
           location s
           edge s -> s { guard x == 3 do { x := 8; } }
         }",
    );
    // While p is at `low`, q may store 8, and p adds to that.
    assert_eq!(range(&all, "x0"), (0, 255));
}

#[test]
fn messages_and_what_comes_and_goes_may_be_anything() {
    let all = narrowed(
        "network n
         var got in 0..9
         var p.mine in 0..9 = 2
         buffer c capacity 1 of (0..5)
         process p {
           init s
           location s
           edge s -> s { receive c(got) }
           edge s -> s { guard mine == 2 do { exit; } }
         }
         process q {
           init s
           location s
           edge s -> s { send c(1) }
         }",
    );
    assert_eq!(range(&all, "got0"), (0, 5));
    assert_eq!(range(&all, "mine0"), (0, 9));
}
