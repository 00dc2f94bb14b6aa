//! The whole state graph: the distance of the initial state is what breadth-first search finds, and nodes that larger
//! ones cover lose nothing.

use beeline_engine::graph::{self, NoGraph};
use beeline_engine::{Options, explore};
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_ir::trace::Run;
use beeline_testkit::generate::{Profile, Shape, generate};
use std::collections::BTreeSet;

const MOST: usize = 20_000;

/// The distance of the initial state by the graph; `None` if the target is out of reach, and nothing at all if there is
/// no graph.
fn distance(network: &Network) -> Option<Option<u32>> {
    let property = &network.properties[0];
    match graph::explore(network, property, &BTreeSet::new(), None, &Limits::default(), MOST) {
        Ok(graph) => Some(graph.distances().iter().take(1).find_map(|d| d.steps())),
        Err(NoGraph::TooLarge | NoGraph::Stopped(_)) => None,
        Err(NoGraph::Unsupported(diagnostics)) => panic!("{diagnostics:?}"),
    }
}

#[test]
fn distances_are_those_of_breadth_first_search() {
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = Shape::new(profile);
        let (mut reachable, mut unreachable) = (0, 0);
        for seed in 0..400 {
            let network = generate(&shape, seed);
            let Some(distance) = distance(&network) else { continue };
            let property = &network.properties[0];
            let outcome = explore(&network, property, &Options::default(), &mut |_| {}).expect("supported");
            match outcome.finding {
                Finding::Reachable { trace, .. } => {
                    let Run::Network(run) = &trace.run else { panic!("a network's run") };
                    let costs = |step: &&beeline_ir::trace::NetworkStep| {
                        let costs = |part: &beeline_ir::layout::Part| {
                            network.processes[part.process].edges[part.edge].costs
                        };
                        step.label.parts.iter().any(costs)
                    };
                    let length = run.steps.iter().filter(costs).count() as u32;
                    // Where the property fails counts as the target here.
                    assert!(distance.is_some_and(|d| d <= length), "seed {seed}: {distance:?}, {length}");
                    reachable += u32::from(distance == Some(length));
                }
                Finding::Unreachable => {
                    assert_eq!(distance, None, "seed {seed}");
                    unreachable += 1;
                }
                Finding::Unknown(_) => {}
            }
        }
        assert!(reachable > 80 && unreachable > 80, "{profile:?}: {reachable} and {unreachable}");
    }
}

#[test]
fn a_graph_that_is_too_large_is_given_up() {
    let text = "network n\nvar a in 0..9999 = 0\nprocess P {\n  init l\n  location l\n  \
                edge l -> l { guard a < 9999 do { a := a + 1; } }\n}\nproperty : E<> a == 9999\n";
    let read =
        beeline_ir::text::read(text, beeline_ir::text::ReadOptions { file: "t", record_places: false });
    let Ok(beeline_ir::Model::Network(network)) = read else { panic!("a model: {read:?}") };
    let property = &network.properties[0];
    let explore = |most| graph::explore(&network, property, &BTreeSet::new(), None, &Limits::default(), most);
    assert!(matches!(explore(1000), Err(NoGraph::TooLarge)));
    assert_eq!(explore(MOST).expect("it fits").distances()[0].steps(), Some(9999));
}
