//! Where guards, updates and targets read more combinations of values than are tried, sets of values tell what can be
//! told. The numbers beside the models are what was known before: nothing.

use beeline_engine::heuristic::Estimate;
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};

/// Four digits that count, which have 10,000 combinations.
const DIGITS: &str = "
network digits
var a in 0..9 var b in 0..9 var c in 0..9 var d in 0..9
var x in 0..20
process Count {
  init l location l
  edge l -> l { guard a < 9 do { a := a + 1; } }
  edge l -> l { guard b < 9 do { b := b + 1; } }
  edge l -> l { guard c < 9 do { c := c + 1; } }
  edge l -> l { guard d < 9 do { d := d + 1; } }
}
process P {
  init p0 location p0 location p1 location p2
  edge p0 -> p1 edge p1 -> p2
  edge p0 -> p0 { guard x < 20 do { x := a + b + c + d > 36 ? 20 : x + 1; } }
}
";

fn read(property: &str) -> Network {
    match text::read(
        &format!("{DIGITS}property {property}"),
        ReadOptions { file: "digits", record_places: false },
    ) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn initial(network: &Network, heuristic: &str) -> Estimate {
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits);
    let spec = Spec::parse(heuristic).expect("a heuristic");
    let slots = beeline_ir::layout::Layout::of_network(network).initial(network);
    make(&making, &spec).expect("a heuristic").estimate(&slots)
}

#[test]
fn targets_narrow_each_slot() {
    // Zero: the target may be anywhere.
    let network = read("all : E<> a + b + c + d == 36");
    assert_eq!(initial(&network, "hl"), Estimate::Steps(9));
    assert_eq!(initial(&network, "hu"), Estimate::Steps(36));
    assert_eq!(initial(&network, "cg"), Estimate::Steps(36));
    let network = read("more : E<> a + b + c + d == 37");
    assert_eq!(initial(&network, "hl"), Estimate::Infinite);
    // The location has a say in a number.
    let network = read("end : E<> a + b + c + d + (P.p2 ? 100 : 0) >= 100");
    for name in ["dl", "du", "hl", "hu", "cg"] {
        assert_eq!(initial(&network, name), Estimate::Steps(2), "{name}");
    }
}

#[test]
fn updates_keep_what_they_make_of_each_value() {
    // One: after a step `x` may be anything.
    let network = read("ten : E<> x == 10");
    for name in ["hl", "hu", "cg"] {
        assert_eq!(initial(&network, name), Estimate::Steps(10), "{name}");
    }
}
