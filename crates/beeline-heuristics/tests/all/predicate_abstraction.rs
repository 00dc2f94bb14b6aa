//! Predicate abstraction, on models where its values can be told by hand, and on random ones: more predicates never know less.

use crate::of_initial;

use beeline_engine::Options;
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::oracle::graph::Graph;
use of_initial::of_initial;

fn steps(model: &str, spec: &str) -> Option<u32> {
    of_initial(model, spec).0.steps()
}

/// O15: one step that two automata take together. The sum as printed counts it for both.
#[test]
fn the_sum_as_printed_is_too_large_and_the_repaired_one_is_not() {
    let model = "chan go
        process A { location a location b edge a -> b { send go } }
        process B { location a location b edge a -> b { receive go } }
        property : E<> A.b && B.b";
    assert_eq!(steps(model, "pa:split=1,sum=printed"), Some(2));
    assert_eq!(steps(model, "pa:split=1,sum=repaired"), Some(1));
    assert_eq!(steps(model, "pa:split=all,sum=printed"), Some(1));
}

/// The target waits for B, which waits for a counter, which C counts: 7 steps.
const COUNTER: &str = "var x in 0..5 chan go
    process A { location a location b edge a -> b { receive go } }
    process B { location a location b edge a -> b { guard x == 5 } edge b -> b { send go } }
    process C { location a edge a -> a { guard x < 5 do { x := x + 1; } } }
    property : E<> A.b";

#[test]
fn predicates_from_the_text_and_from_counterexamples() {
    // With locations alone: B, then A.
    assert_eq!(steps(COUNTER, "pa:split=all,predicates=refine,iterations=0"), Some(2));
    // x == 5 and x < 5 tell that C has to count, but not how often.
    assert_eq!(steps(COUNTER, "pa:split=all"), Some(3));
    // Each refinement takes the counter one step further back.
    let (estimate, remark) = of_initial(COUNTER, "pa:split=all,predicates=refine,iterations=20");
    assert_eq!(estimate, Estimate::Steps(7), "{remark}");
    assert!(remark.contains("which is a shortest trace"), "{remark}");
    // It does not grow for ever: the rule of the paper goes on as long as it does.
    let grown = "pa:split=all,predicates=refine,iterations=20,stop=growth";
    assert_eq!(steps(COUNTER, grown), Some(7));
    // B and the counter are in different parts; what others write is left out, or kept.
    assert_eq!(steps(COUNTER, "pa:split=1,predicates=refine,iterations=9,shared=drop"), Some(1));
}

#[test]
fn an_abstraction_without_a_way_is_a_proof() {
    let model = COUNTER.replace("x < 5", "x < 4");
    let (estimate, remark) = of_initial(&model, "pa:split=all,predicates=refine,iterations=20");
    assert_eq!(estimate, Estimate::Infinite, "{remark}");
    assert!(remark.contains("until there was no way"), "{remark}");
}

/// x has to be set back every 20 units of time, and y runs: 5 times, then the last step.
const CYCLE: &str = "clock x, y
    process P { location a { invariant x <= 20 } location b
        edge a -> a { when x >= 20 do { x := 0; } } edge a -> b { when y >= 100 } }
    property : E<> P.b";

/// Each refinement takes y one turn further back. (Once, a label of one automaton was looked back at as if it did nothing
/// where that automaton was elsewhere, and so the invariant of the place it leaves was lost: x had no bound.)
#[test]
fn clock_predicates_come_from_conflicts() {
    assert_eq!(steps(CYCLE, "pa:split=all,predicates=refine,iterations=0"), Some(1));
    assert_eq!(steps(CYCLE, "pa:split=all,predicates=refine,iterations=2"), Some(3));
    let (estimate, remark) = of_initial(CYCLE, "pa:split=all,predicates=refine,iterations=20");
    assert_eq!(estimate, Estimate::Steps(5), "{remark}");
    assert!(remark.contains("refined 4 times") && remark.contains("6 predicates"), "{remark}");
    assert!(remark.contains("which is a shortest trace"), "{remark}");
}

/// Time stands still while Q is where it begins, and P needs time; of Q, the part of P sees nothing. (Once, the zone
/// of the first state was taken to be all that time can make of it.)
#[test]
fn others_may_keep_time_from_passing_for_a_while() {
    let model = "clock x, y
        process P { location a location b edge a -> b { when x >= 5 } }
        process Q { location a { invariant y <= 0 } location b edge a -> b { } }
        property : E<> P.b";
    assert_eq!(steps(model, "pa:split=1"), Some(1));
}

fn estimates(network: &Network, graph: &Graph, spec: &str) -> Vec<Estimate> {
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits);
    let mut made: Box<dyn Heuristic> =
        make(&making, &Spec::parse(spec).expect("a heuristic")).expect("a heuristic");
    let states = graph.slots.iter().zip(&graph.zones);
    states.map(|(slots, zone)| made.estimate_in(slots, &zone.view())).collect()
}

/// O22.
#[test]
fn more_predicates_never_know_less() {
    let (mut more, mut states) = (0, 0);
    for seed in 0..150 {
        let profile = if seed % 2 == 0 { Profile::Discrete } else { Profile::Timed };
        let network = generate(&Shape::new(profile), seed);
        let options = Options { dead_variables: false, ..Options::default() };
        let Some(graph) = Graph::new(&network, &network.properties[0], &options, 500) else { continue };
        let with = |options: &str| estimates(&network, &graph, &format!("pa:split=all,{options}"));
        let mut known = with("predicates=refine,iterations=0");
        let syntax = with("predicates=syntax");
        assert!(known.iter().zip(&syntax).all(|(few, many)| few <= many), "{seed}");
        for iterations in [1, 2, 5] {
            let refined = with(&format!("predicates=refine,iterations={iterations}"));
            assert!(known.iter().zip(&refined).all(|(few, many)| few <= many), "{seed}, {iterations}");
            more += known.iter().zip(&refined).filter(|(few, many)| few < many).count();
            states += known.len();
            known = refined;
        }
    }
    assert!(more > 100 && states > 1000, "{more} of {states}");
}
