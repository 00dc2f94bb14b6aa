//! A message leaves its buffer before the update runs, so that what the guard has seen there is gone. Estimates once ran
//! the update on what the guard had seen, and called targets out of reach.

use beeline_engine::heuristic::Estimate;
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::text::{self, ReadOptions};

/// Two steps to the target.
const MODEL: &str = "
network post
var x in 0..2 = 2
buffer c capacity 1 of (0..1)
process P {
  init a location a location b location d
  edge a -> b { send c(0) }
  edge b -> d { guard GUARD receive c(_) do { UPDATE } }
}
property : QUESTION
";

#[test]
fn what_a_guard_sees_of_a_buffer_is_not_what_the_update_finds() {
    for guard in ["len(c) == 1", "poll(receive c(=0))"] {
        for (update, question) in [
            ("assert poll(receive c(_));", "no-assertion-failure"),
            ("assert len(c) > 0;", "no-assertion-failure"),
            ("x := len(c);", "E<> x == 0"),
        ] {
            let text = MODEL.replace("GUARD", guard).replace("UPDATE", update).replace("QUESTION", question);
            let Ok(Model::Network(network)) =
                text::read(&text, ReadOptions { file: "post", record_places: false })
            else {
                panic!("a network: {text}")
            };
            let limits = Limits::default();
            let making = Making::new(&network, &network.properties[0], &limits);
            let slots = beeline_ir::layout::Layout::of_network(&network).initial(&network);
            for name in ["dl", "hl"] {
                let spec = Spec::parse(name).expect("a heuristic");
                let h = make(&making, &spec).expect("a heuristic").estimate(&slots);
                assert!(h <= Estimate::Steps(2), "{name}, {guard}, {update}: {h:?}");
            }
        }
    }
}
