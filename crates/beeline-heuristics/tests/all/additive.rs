//! Sums of pattern databases: independent parts add up, and what happens at several places at once counts once.

use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};

fn read(text: &str) -> Network {
    match text::read(text, ReadOptions { file: "model", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn made(network: &Network, heuristic: &str) -> Box<dyn Heuristic> {
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits);
    make(&making, &Spec::parse(heuristic).expect("a heuristic")).expect("a heuristic")
}

/// The steps from the initial state.
fn steps(network: &Network, heuristic: &str) -> Option<u32> {
    made(network, heuristic).estimate(&Layout::of_network(network).initial(network)).steps()
}

#[test]
fn independent_counters_add_up() {
    let network = read(
        "network counters
         var a in 0..10
         var b in 0..10
         process A { init l location l edge l -> l { guard a < 10 do { a := a + 1; } } edge l -> l { do { a := 0; } } }
         process B { init l location l edge l -> l { guard b < 10 do { b := b + 1; } } }
         property goal : E<> a == 7 && b == 5",
    );
    assert_eq!((steps(&network, "pdb:vars=a"), steps(&network, "pdb:vars=b")), (Some(7), Some(5)));
    assert_eq!(steps(&network, "sum:vars=a/b"), Some(12));
    assert_eq!(steps(&network, "sum"), Some(12));
    // What two patterns look at counts in the first of them.
    assert_eq!(steps(&network, "sum:vars=a+b/b"), Some(12));
    assert_eq!(steps(&network, "sum:vars=a/a+b"), Some(12));
}

#[test]
fn out_of_reach_of_one_is_out_of_reach() {
    let network = read(
        "network stuck
         var a in 0..3
         var b in 0..3
         process A { init l location l edge l -> l { guard a < 3 do { a := a + 1; } } }
         process B { init l location l edge l -> l { guard b < 2 do { b := b + 1; } } }
         property goal : E<> a == 2 && b == 3",
    );
    assert_eq!(steps(&network, "sum:vars=a/b"), None);
    let mut sum = made(&network, "sum:vars=a/b");
    let Layout { slots, .. } = Layout::of_network(&network);
    assert_eq!(sum.estimate(&vec![0; slots.len()]), Estimate::Infinite);
    // One for each value that b gets, whatever a has; and one for 3 in a.
    assert_eq!(sum.rows(None, 1000).map(|rows| rows.len()), Some(4));
}

#[test]
fn a_synchronisation_counts_once() {
    let network = read(
        "network pair
         chan c
         process A { init l location l location m edge l -> m { send c } }
         process B { init l location l location m edge l -> m { receive c } }
         property goal : E<> A.m && B.m",
    );
    // One step, though each of the two is one step away: their plain sum is too much.
    assert_eq!((steps(&network, "pdb:vars=A"), steps(&network, "pdb:vars=B")), (Some(1), Some(1)));
    for heuristic in ["sum:vars=A/B", "sum:vars=B/A", "sum"] {
        assert_eq!(steps(&network, heuristic), Some(1), "{heuristic}");
    }
}

#[test]
fn a_broadcast_counts_once_for_its_receivers() {
    let network = read(
        "network all
         broadcast chan c
         process S { init l location l edge l -> l { send c } }
         process A { init l location l location m edge l -> m { receive c } }
         process B { init l location l location m edge l -> m { receive c } }
         property goal : E<> A.m && B.m",
    );
    assert_eq!((steps(&network, "pdb:vars=A"), steps(&network, "pdb:vars=B")), (Some(1), Some(1)));
    for heuristic in ["sum:vars=A/B", "sum:vars=B/A", "sum:vars=A/S/B", "sum"] {
        assert_eq!(steps(&network, heuristic), Some(1), "{heuristic}");
    }
}

#[test]
fn wrong_names_are_refused() {
    let network = read(
        "network one
         process A { init l location l }
         property goal : E<> A.l",
    );
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    for wrong in ["sum:vars=A/", "sum:vars=/A", "sum:vars=A/C"] {
        assert!(make(&making, &Spec::parse(wrong).expect("a heuristic")).is_err(), "{wrong}");
    }
}
