//! The heuristics of HSF-SPIN: what they count, and that the FSM distance as it is printed is no lower bound.

use crate::common::network;
use beeline_engine::Options;
use beeline_engine::heuristic::Estimate;
use beeline_heuristics::fsm::Counting;
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_testkit::harness::towards;
use beeline_testkit::oracle::graph::Graph;

/// What a heuristic says of the initial state, and of that with other values.
fn said(network: &Network, spec: &str, towards: Option<&[i64]>, changed: &[(usize, i64)]) -> Estimate {
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits).towards(towards);
    let mut heuristic = make(&making, &Spec::parse(spec).expect("a spec")).expect("a heuristic");
    let mut state = Layout::of_network(network).initial(network);
    changed.iter().for_each(|(slot, value)| state[*slot] = *value);
    heuristic.estimate(&state)
}

const MEETING: &str = "network n
    chan c
    process A { init a location a location b edge a -> b { send c } }
    process B { init a location a location b edge a -> b { receive c } }
    property : E<> A.b && B.b";

/// Two processes meet in one step. As printed, the FSM distance says two, although it is said to be a lower bound; with
/// each label counting for one process it says one.
#[test]
fn the_fsm_distance_as_printed_counts_a_rendezvous_twice() {
    let network = network(MEETING);
    let both = [1, 1];
    assert_eq!(said(&network, "fsm:labels=each", Some(&both), &[]), Estimate::Steps(2));
    assert_eq!(said(&network, "fsm", Some(&both), &[]), Estimate::Steps(1));
    let graph = Graph::new(&network, &network.properties[0], &Options::default(), 100).expect("small");
    let target = graph.slots.iter().position(|slots| slots[..] == both).expect("reachable");
    assert_eq!(graph.distance[graph.initial[0]], Some(1));
    assert!(towards::wrong(&network, &graph, target, Counting::Each).is_some());
    assert!(towards::wrong(&network, &graph, target, Counting::Once).is_none());
}

#[test]
fn a_formula_counts_what_is_missing() {
    let model = |target: &str| {
        network(&format!(
            "network n
             var x in 0..9
             var y in 0..9
             process P {{ init a location a location b location c edge a -> b edge b -> c edge c -> a {{ guard x > 0 }} }}
             property : {target}"
        ))
    };
    let formula = |target: &str| said(&model(target), "formula", None, &[]);
    assert_eq!(formula("E<> x == 1 && y == 1 && P.c"), Estimate::Steps(4));
    assert_eq!(formula("E<> x == 1 || y == 0"), Estimate::Steps(0));
    assert_eq!(formula("A[] !(x == 1 && y == 1)"), Estimate::Steps(2));
    assert_eq!(formula("A[] x == 0 || y == 0"), Estimate::Steps(2));
    assert_eq!(formula("E<> (x == 1 ? P.c : P.b)"), Estimate::Steps(1));
    assert_eq!(formula("E<> deadlock"), Estimate::Steps(1));
    assert_eq!(formula("E<> 0 && x == 1"), Estimate::Infinite);
    assert_eq!(said(&model("E<> x == 1 && y == 1"), "formula", None, &[(1, 1)]), Estimate::Steps(1));
}

#[test]
fn processes_that_can_move_are_counted() {
    let text = "network n
        var free in 0..1 = 1
        process P { init a location a location b edge a -> b { guard free == 1 } }
        process Q { init a location a location b edge a -> b { guard free == 0 } edge a -> a { guard free == 1 } }
        property : E<> deadlock";
    let network = network(text);
    assert_eq!(said(&network, "active", None, &[]), Estimate::Steps(2));
    assert_eq!(said(&network, "active", None, &[(2, 0)]), Estimate::Steps(1));
    assert_eq!(said(&network, "active", None, &[(0, 1), (1, 1)]), Estimate::Steps(0));
}

#[test]
fn users_write_expressions() {
    let network = network(
        "network n var x in 0..9 = 4 process P { init a location a location b edge a -> b } property : E<> x == 9",
    );
    for (expression, value) in [("9 - x", 5), ("x - 9", 0), ("3", 3), ("P.b ? 0 : 7", 7)] {
        let said = said(&network, &format!("user:{expression}"), None, &[]);
        assert_eq!(said, Estimate::Steps(value), "{expression}");
    }
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    for (expression, part) in [("", "needs an expression"), ("z + 1", "`z`"), ("deadlock", "without clocks")]
    {
        let made = make(&making, &Spec::parse(&format!("user:{expression}")).expect("a spec"));
        let reason = made.map(drop).expect_err(expression).to_string();
        assert!(reason.contains(part), "{expression}: {reason}");
    }
    let made = make(&making, &Spec::parse("fsm").expect("a spec")).map(drop);
    assert!(made.expect_err("no state").to_string().contains("--improve"));
}

#[test]
fn places_that_differ_are_counted() {
    let network = network(
        "network n var x in 0..9 = 4 process P { init a location a location b edge a -> b } property : E<> x == 9",
    );
    assert_eq!(said(&network, "hamming", Some(&[1, 9]), &[]), Estimate::Steps(2));
    assert_eq!(said(&network, "hamming", Some(&[1, 4]), &[]), Estimate::Steps(1));
}

/// What a quantifier of an assertion ranges over is a local of its edge. (Once, that was a panic.)
#[test]
fn assertions_may_quantify() {
    let network = network(
        "network n
         process P { init a location a edge a -> a { local t in 0..2, u in 0..2 do { assert sum(u in 0..2 : 0); } } }
         property : no-assertion-failure",
    );
    assert_eq!(said(&network, "formula", None, &[]), Estimate::Steps(0));
}
