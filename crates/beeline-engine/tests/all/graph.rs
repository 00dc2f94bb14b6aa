//! The whole state graph: the distance of the initial state is what breadth-first search finds, and nodes that larger
//! ones cover lose nothing.

use beeline_engine::graph::{self, Forget, NoGraph};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::Run;
use beeline_testkit::generate::{Profile, Shape, generate};
use std::collections::BTreeSet;

const MOST: usize = 20_000;

/// The distance of the initial state by the graph; `None` if the target is out of reach, and nothing at all if there is
/// no graph.
fn distance(network: &Network) -> Option<Option<u32>> {
    let property = &network.properties[0];
    match graph::explore(network, property, &BTreeSet::new(), None, &Limits::default(), MOST, 1) {
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
    let read = text::read(text, ReadOptions { file: "t", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("a model: {read:?}") };
    let property = &network.properties[0];
    let explore =
        |most| graph::explore(&network, property, &BTreeSet::new(), None, &Limits::default(), most, 1);
    assert!(matches!(explore(1000), Err(NoGraph::TooLarge)));
    assert_eq!(explore(MOST).expect("it fits").distances()[0].steps(), Some(9999));
}

/// The graph is the same for any number of threads, down to the numbers of its nodes.
#[test]
fn threads_make_the_same_graph() {
    let text = "network counters
        var a in 0..1000
        var b in 0..30
        var c in 0..30
        process A { init l location l edge l -> l { guard a < 30 do { a := a + 1; } } edge l -> l { do { a := 0; } } }
        process B { init l location l edge l -> l { guard b < 30 do { b := b + 1; c := 0; } } }
        process C { init l location l edge l -> l { guard c < 30 && a != 7 do { c := c + 1; } } }
        property goal : E<> a == 20 && b == 3 && c == 11";
    let read = text::read(text, ReadOptions { file: "counters", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("{read:?}") };
    let property = &network.properties[0];
    let made = |forget: Forget<'_>, threads, most| {
        let limits = Limits::default();
        let graph =
            graph::explore(&network, property, &BTreeSet::new(), forget, &limits, most, threads).ok()?;
        let distances = graph.distances();
        let states = graph.into_states();
        let packed = |node: &graph::Known| states.interner.get(node.discrete).to_vec();
        Some((distances, states.nodes.iter().map(packed).collect::<Vec<Vec<u64>>>()))
    };
    let whole = made(None, 1, 1_000_000).expect("a graph");
    assert_eq!(whole.0.len(), 31 * 31 * 31);
    for threads in [2, 3, 8] {
        // Once through a table of all states there can be, once by hash.
        for most in [1_000_000, 29_791] {
            assert!(made(None, threads, most).is_some_and(|graph| graph == whole), "{threads} threads");
        }
        assert!(made(None, threads, 29_790).is_none(), "{threads} threads");
    }
    // From 20 on, nobody asks how much a is.
    let a = network.processes.len();
    let forget = |state: &mut [i64]| state[a] = state[a].min(20);
    let alike = made(Some(&forget), 1, 1_000_000).expect("a graph");
    assert_eq!((alike.0.len(), alike.0[0]), (21 * 31 * 31, whole.0[0]));
    for threads in [2, 3, 8] {
        assert!(
            made(Some(&forget), threads, 1_000_000).is_some_and(|graph| graph == alike),
            "{threads} threads"
        );
    }
}
