//! Variables that keep their values.

use crate::common::network;
use beeline_ir::model::Model;
use beeline_ir::text::print_plain;
use beeline_program::constants::folded;

/// The lines of the folded network that say what edges and locations do, and its constants.
fn text(source: &str) -> (String, Vec<String>) {
    let network = network(source);
    let (folded, constants) = folded(&network);
    let names = constants.iter().map(|var| network.vars[*var].name.clone()).collect();
    (print_plain(&Model::Network(folded.into_owned())), names)
}

#[test]
fn what_nothing_is_stored_into_is_a_constant() {
    let (text, names) = text(
        "network n
         var a[3] in 0..5
         var kept in 0..9 = 2
         var stored in 0..9 = 1
         var bound in 0..9 = 1
         var got in 0..9 = 1
         var table[3] in 0..9
         buffer c capacity 1 of (0..9)
         fn twice(n in 0..9) -> 0..99 { return n * kept; }
         process p {
           init s
           location s { condition kept > stored }
           edge s -> s { guard a[kept] == table[kept] do { a[kept] := kept; got := twice(kept); } }
           edge s -> s { receive c(bound) do { stored := bound; } }
         }",
    );
    assert_eq!(names, ["kept"]);
    for expected in ["2 > stored", "a[2] == table[2]", "a[2] := 2", "twice(2)", "n * 2"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn what_belongs_to_processes_that_come_and_go_is_not() {
    let (text, names) = text(
        "network n
         var p.mine in 0..9 = 2
         process p {
           init s
           location s
           edge s -> s { guard mine == 2 do { exit; } }
         }",
    );
    assert!(names.is_empty() && text.contains("mine == 2"), "{text}");
}
