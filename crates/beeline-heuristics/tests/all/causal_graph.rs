//! The causal graph heuristic takes what is nearest and may end in a dead end of its own making: its infinity proves
//! nothing. Here `q` reaches 1 in one step and is stuck there, while 3, which would do as well, is two steps away and
//! leads on to 4.

use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_engine::{Options, SearchKind, explore_with};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_ir::text::{self, ReadOptions};
use beeline_zones::fault::{Fault, inject};

const MODEL: &str = "
network detour
process Q {
  init q0 location q0 location q1 location q2 location q3 location q4
  edge q0 -> q1 edge q0 -> q2 edge q2 -> q3 edge q3 -> q4
}
process P {
  init p0 location p0 location p1 location p2
  edge p0 -> p1 { guard Q.q1 || Q.q3 }
  edge p1 -> p2 { guard Q.q4 }
}
property goal : E<> P.p2
";

fn network() -> Network {
    match text::read(MODEL, ReadOptions { file: "detour", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn causal_graph(network: &Network) -> Box<dyn Heuristic> {
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits);
    make(&making, &Spec::parse("cg").expect("a heuristic")).expect("a heuristic")
}

/// Whether a search by the causal graph heuristic finds the target.
fn found(search: SearchKind) -> bool {
    let network = network();
    let options = Options { search, ..Options::default() };
    let outcome =
        explore_with(&network, &network.properties[0], &options, &mut [causal_graph(&network)], &mut |_| {});
    matches!(outcome.expect("an outcome").finding, Finding::Reachable { .. })
}

#[test]
fn infinity_is_no_reason_to_give_up() {
    let network = network();
    let initial = beeline_ir::layout::Layout::of_network(&network).initial(&network);
    assert_eq!(causal_graph(&network).estimate(&initial), Estimate::Infinite);
    for search in SearchKind::ALL.into_iter().filter(|search| search.directed()) {
        assert!(found(search), "{search:?}");
    }
}

#[test]
fn trusting_infinity_is_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    inject(Some(Fault::InfinityTrusted));
    let still = found(SearchKind::Greedy);
    inject(None);
    assert!(!still);
}
