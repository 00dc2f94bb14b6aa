//! All parts of a label have moved before the first of their updates runs. The sender of a broadcast may read where the
//! receivers are, and several of them may have come together: estimates once saw them come one by one.

use beeline_engine::heuristic::Estimate;
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::text::{self, ReadOptions};

/// The target is one step away, and cannot be reached in any other way.
const MODEL: &str = "
network shout
broadcast chan c
var x in 0..1
process S {
  init a location a location b
  edge a -> b { guard R1.a && R2.a send c do { x := R1.b && R2.b ? 1 : 0; } }
}
process R1 { init a location a location b edge a -> b { receive c } }
process R2 { init a location a location b edge a -> b { receive c REST } }
property now : E<> GOAL == 1
";

#[test]
fn receivers_come_together() {
    // What the sender has seen, a receiver may read.
    for (rest, goal) in [("", "x"), ("do { y := x; }", "y")] {
        let text = MODEL.replace("REST", rest).replace("GOAL", goal).replace("var x", "var y in 0..1\nvar x");
        let Ok(Model::Network(network)) =
            text::read(&text, ReadOptions { file: "shout", record_places: false })
        else {
            panic!("a network")
        };
        let limits = Limits::default();
        let making = Making::new(&network, &network.properties[0], &limits);
        let slots = beeline_ir::layout::Layout::of_network(&network).initial(&network);
        for name in ["dl", "hl"] {
            let spec = Spec::parse(name).expect("a heuristic");
            let h = make(&making, &spec).expect("a heuristic").estimate(&slots);
            assert!(h <= Estimate::Steps(1), "{name} of {goal}: {h:?}");
        }
    }
}
