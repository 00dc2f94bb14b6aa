//! Estimates for the initial state of a model.

use beeline_engine::heuristic::Estimate;
use beeline_heuristics::registry::{HEURISTICS, Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};

/// The network of a text.
pub fn network(text: &str) -> Network {
    match text::read(text, ReadOptions { file: "model", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

/// Asserts that the lower bounds for the first property are no greater than the steps there are.
pub fn at_most(steps: u32, model: &str) {
    let network = network(model);
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    let slots = Layout::of_network(&network).initial(&network);
    let bounds = HEURISTICS.iter().filter(|entry| entry.properties.admissible).map(|entry| entry.name);
    // Patterns that are given are none of ours.
    for name in bounds.filter(|name| *name != "pdb") {
        let spec = Spec::parse(name).expect("a heuristic");
        let h = make(&making, &spec).expect("a heuristic").estimate(&slots);
        assert!(h <= Estimate::Steps(steps), "{name}: {h:?} in {model}");
    }
}
