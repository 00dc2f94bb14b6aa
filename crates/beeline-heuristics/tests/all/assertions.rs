//! Estimates for a search for a violated assertion: how far it is to where a label may be taken in which one fails.

use beeline_engine::heuristic::Estimate;
use beeline_engine::{Options, SearchKind, explore_with};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_ir::text::{self, ReadOptions};

const MODEL: &str = "
network claims
chan c
var x in 0..9
var y in 0..9
var d[3] in 0..20
fn claim(a in 0..9) -> 0..1 { assert a < 5; return 1; }
process X { init l location l edge l -> l { guard x < 9 do { x := x + 1; } } }
process P {
  init p0 location p0 location p1 location p2
  edge p0 -> p1 edge p1 -> p2
  EDGE
}
process Q { init q0 location q0 location q1 edge q0 -> q1 edge q1 -> q1 { receive c } }
property claim : no-assertion-failure
";

fn read(edge: &str) -> Network {
    match text::read(&MODEL.replace("EDGE", edge), ReadOptions { file: "claims", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn initial(network: &Network, heuristic: &str, combinations: u128) -> Estimate {
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits).trying(combinations);
    let spec = Spec::parse(heuristic).expect("a heuristic");
    let slots = beeline_ir::layout::Layout::of_network(network).initial(network);
    make(&making, &spec).expect("a heuristic").estimate(&slots)
}

/// An edge, and the estimates d^L, d^U, h^L, h^U, h^CG for it, whether combinations are tried or not.
const EXPECTED: [(&str, [u32; 5]); 5] = [
    // The location alone.
    ("edge p2 -> p2 { do { assert y == 1; } }", [2, 2, 2, 2, 2]),
    // The value at which it fails.
    ("edge p0 -> p0 { do { assert x < 7; } }", [0, 0, 7, 7, 7]),
    // In a function, after the value was changed.
    ("edge p0 -> p0 { do { y := x; y := call claim(y); } }", [0, 0, 5, 5, 5]),
    // With a partner, who must be there.
    ("edge p1 -> p1 { guard x > 2 send c do { assert x < 4; } }", [1, 2, 4, 6, 6]),
    // Of what is read there are too many combinations.
    ("edge p0 -> p0 { do { assert 100 * x + d[0] + d[1] + d[2] <= 400; } }", [0, 0, 4, 4, 4]),
];

#[test]
fn a_failing_assertion_is_a_goal() {
    for (edge, expected) in EXPECTED {
        let network = read(edge);
        for combinations in [1, 4096] {
            for (name, steps) in ["dl", "du", "hl", "hu", "cg"].into_iter().zip(expected) {
                let h = initial(&network, name, combinations);
                assert_eq!(h, Estimate::Steps(steps), "{name} with {combinations}, {edge}");
            }
        }
        let (options, limits) =
            (Options { search: SearchKind::AStar, ..Options::default() }, Limits::default());
        let property = &network.properties[0];
        let making = Making::new(&network, property, &limits);
        let heuristic = make(&making, &Spec::parse("hl").expect("a heuristic")).expect("a heuristic");
        let outcome = explore_with(&network, property, &options, &mut [heuristic], &mut |_| {});
        let finding = outcome.expect("an outcome").finding;
        assert!(matches!(finding, Finding::Reachable { shortest: true, .. }), "{edge}: {finding:?}");
    }
}

#[test]
fn an_assertion_that_holds_is_out_of_reach() {
    for edge in [
        "edge p0 -> p0 { do { assert x < 10; } }",
        "edge p0 -> p0 { guard x < 5 do { assert 100 * x + d[0] + d[1] + d[2] <= 460; } }",
        "edge p0 -> p0 { guard x < 5 do { y := call claim(x); } }",
        "",
    ] {
        let network = read(edge);
        for name in ["dl", "hl", "hu"] {
            assert_eq!(initial(&network, name, 4096), Estimate::Infinite, "{name}, {edge}");
        }
    }
}

/// Of run-time errors nothing is known.
#[test]
fn run_time_errors_may_be_anywhere() {
    let mut network = read("edge p2 -> p2 { do { x := 1 / y; } }");
    network.properties[0].kind = beeline_ir::property::PropertyKind::NoRuntimeError;
    for name in ["dl", "du", "hl", "hu", "cg"] {
        assert_eq!(initial(&network, name, 4096), Estimate::ZERO, "{name}");
    }
}
