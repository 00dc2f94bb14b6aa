//! What a heuristic says of the initial state of a model.

use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_engine::walk::{Walks, walk};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::text::{self, ReadOptions};

/// The estimate for the initial state, and what there is to say about the heuristic.
pub fn of_initial(model: &str, spec: &str) -> (Estimate, String) {
    let read = text::read(&format!("network n {model}"), ReadOptions { file: "model", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("{read:?}") };
    let (limits, property) = (Limits::default(), &network.properties[0]);
    let initial =
        walk(&network, property, Walks { count: 0, longest: 0, seed: 0 }, &limits).expect("no limit");
    let making = Making::new(&network, property, &limits);
    let mut heuristic: Box<dyn Heuristic> =
        make(&making, &Spec::parse(spec).expect("a heuristic")).expect("a heuristic");
    let estimate = heuristic.estimate_in(&initial[0].slots, &initial[0].zone.view());
    (estimate, heuristic.remark().unwrap_or_default())
}
