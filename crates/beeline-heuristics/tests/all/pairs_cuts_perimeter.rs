//! Critical paths of pairs, landmarks and perimeter, on models where their values can be told by hand.

use crate::of_initial;

use beeline_engine::Options;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_heuristics::mutexes::Summary;
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::text::{self, ReadOptions};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::harness::promises::keeps;
use beeline_testkit::oracle::graph::Graph;
use of_initial::of_initial;

fn steps(model: &str, spec: &str) -> Option<u32> {
    of_initial(model, spec).0.steps()
}

/// The running example of Wehrle and Helmert (SAS 2009), 11 steps from its goal.
const RUNNING: &str = "
process P1 { location l0 location l1 location l2 location l3
  edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0 }
process P2 { location l0 location l1 location l2 location l3
  edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0 }
process P3 { location l0 location l1 location l2 location l3
  edge l0 -> l1 { guard P1.l2 } edge l1 -> l2 { guard P2.l2 } edge l2 -> l3 { guard P1.l0 && P2.l0 } }
property : E<> P3.l3";

/// The same with counters in place of two of the automata.
const COUNTERS: &str = "
var v1 in 0..3 var v2 in 0..3
process P1 { location l0 edge l0 -> l0 { do { v1 := (v1 + 1) % 4; } } }
process P2 { location l0 edge l0 -> l0 { do { v2 := v2 == 3 ? 0 : v2 + 1; } } }
process P3 { location l0 location l1 location l2 location l3
  edge l0 -> l1 { guard v1 == 2 } edge l1 -> l2 { guard v2 == 2 } edge l2 -> l3 { guard v1 + v2 == 0 } }
property : E<> P3.l3";

/// h^2: P2 is at 2 with P3 at 1 after 5 steps, so with P3 at 2 after 6, back at 0 after 8; the last step is the 9th.
/// Landmarks: 3 steps of P3, and 2 each for P1 and P2 to come to 2; that they have to go on to 0 nobody asks, since they
/// are there. The perimeter goes back to where the run begins, or as far as it may.
#[test]
fn the_running_example() {
    for model in [RUNNING, COUNTERS] {
        assert_eq!(steps(model, "h2"), Some(9));
        for mutexes in ["on", "off"] {
            assert_eq!(steps(model, &format!("landmarks:mutexes={mutexes}")), Some(7));
            assert_eq!(steps(model, &format!("perimeter:mutexes={mutexes}")), Some(11));
            assert_eq!(steps(model, &format!("perimeter:depth=4,mutexes={mutexes}")), Some(5));
        }
        // The layer of the goal and the one before, P3 at 2, are one set each.
        let (estimate, remark) = of_initial(model, "perimeter:size=2,mutexes=off");
        assert_eq!(estimate, Estimate::Steps(2));
        assert_eq!(remark, "2 layers around the target, 2 sets of states");
    }
}

/// One token for two, which is given back.
const TOKEN: &str = "
var free in 0..1 = 1
process P { location idle location has location done
  edge idle -> has { guard free == 1 do { free := 0; } } edge has -> done { do { free := 1; } } }
process Q { location idle location has location done
  edge idle -> has { guard free == 1 do { free := 0; } } edge has -> done { do { free := 1; } } }
property : E<> GOAL";

#[test]
fn what_is_taken_must_be_given_back() {
    for spec in ["h2", "perimeter", "perimeter:mutexes=off", "scp:mutexes=on", "ms:mutexes=on"] {
        let h = |goal: &str| steps(&TOKEN.replace("GOAL", goal), spec);
        assert_eq!(h("P.done && Q.done"), Some(4), "{spec}");
        assert_eq!(h("P.done && Q.has"), Some(3), "{spec}");
        assert_eq!(h("P.has && Q.has"), None, "{spec}");
        assert_eq!(h("P.has && Q.has || P.done && free == 1"), Some(2), "{spec}");
    }
    // Landmarks add up what P and Q have to do, and do not see that it cannot be done.
    let h = |goal: &str| steps(&TOKEN.replace("GOAL", goal), "landmarks");
    assert_eq!(h("P.done && Q.done"), Some(4));
    assert_eq!(h("P.has && Q.has"), Some(2));
    assert_eq!(h("P.done && Q.done || Q.has"), Some(1));
    assert_eq!(
        steps(&TOKEN.replace("free := 1", "free := 0").replace("GOAL", "P.done && free == 1"), "landmarks"),
        Some(2)
    );
}

fn summary(model: &str) -> Option<Summary> {
    let read = text::read(&format!("network n {model}"), ReadOptions { file: "model", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("{read:?}") };
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    let slots = Layout::of_network(&network).initial(&network);
    Summary::of(&making.factored().expect("no limits"), &slots, making.meter()).expect("no limits")
}

/// Who has the token excludes that it is free, and that the other one has it.
#[test]
fn mutex_pairs_rule_labels_out() {
    let model = TOKEN.replace("GOAL", "P.done && Q.done");
    assert_eq!(summary(&model), Some(Summary { values: 8, pairs: 3, labels: 4, never: 0 }));
    // It is never free while P has it.
    let more = model.replace(
        "process Q",
        "process R { location a location b edge a -> b { guard P.has && free == 1 } } process Q",
    );
    let more = more.replace("P.done && Q.done", "P.done && Q.done && R.b");
    let found = summary(&more).expect("a target");
    assert_eq!((found.labels, found.never), (5, 1));
    assert_eq!(summary(&TOKEN.replace("GOAL", "deadlock")), None);
}

/// A waits for B, which waits for a counter.
const CHAIN: &str = "var x in 0..5 chan go
    process A { location a location b edge a -> b { receive go } }
    process B { location a location b edge a -> b { guard x == 5 } edge b -> b { send go } }
    process C { location a edge a -> a { guard x < 5 do { x := x + 1; } } }
    property : E<> A.b";

#[test]
fn what_labels_ask_for_is_a_target_too() {
    for spec in ["landmarks", "landmarks:mutexes=off", "h2", "perimeter"] {
        assert_eq!(steps(CHAIN, spec), Some(7), "{spec}");
        assert_eq!(steps(&CHAIN.replace("x < 5", "x < 4"), spec), None, "{spec}");
    }
}

/// A step that two automata take together counts once; two that each takes count twice.
#[test]
fn a_label_counts_once_for_all_targets() {
    let model = "chan c chan d
        process A { location a location b edge a -> b { send c } }
        process B { location a location b location e edge a -> b { receive c } edge b -> e { send d } }
        process C { location a location b edge a -> b { receive d } edge a -> b }
        property : E<> GOAL";
    let h = |goal: &str| steps(&model.replace("GOAL", goal), "landmarks");
    assert_eq!(h("A.b && B.b"), Some(1));
    assert_eq!(h("A.b && B.b && C.b"), Some(2));
    assert_eq!(h("A.b && B.e && C.b"), Some(2));
}

/// With less work than its pairs take, h^2 leaves variables out, and knows less.
#[test]
fn what_is_too_much_work_is_left_out() {
    let (estimate, remark) = of_initial(CHAIN, "h2:work=300,mutexes=off");
    assert!(estimate < Estimate::Steps(7), "{estimate:?}");
    assert!(remark.ends_with("variables left out"), "{remark}");
    assert_eq!(steps(CHAIN, "h2:work=0"), Some(0));
}

/// A heuristic that promises more.
#[derive(Debug)]
struct Claims(Box<dyn Heuristic>);

impl Heuristic for Claims {
    fn properties(&self) -> Properties {
        Properties::LOWER_BOUND
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.0.estimate(slots)
    }
}

/// The cost of labels is shared out anew in every state: a step may lead to one where it is done worse.
#[test]
fn landmarks_are_lower_bounds_but_not_consistent() {
    let (mut consistent, mut falls) = (0, 0);
    for seed in 0..700 {
        let network = generate(&Shape::new(Profile::Discrete), seed);
        let (limits, property) = (Limits::default(), &network.properties[0]);
        let options = Options { dead_variables: false, ..Options::default() };
        let Some(graph) = Graph::new(&network, property, &options, 2000) else { continue };
        let making = Making::new(&network, property, &limits);
        let made = make(&making, &Spec::parse("landmarks").expect("a heuristic")).expect("a heuristic");
        match keeps(&mut Claims(made), &graph) {
            Ok(()) => consistent += 1,
            Err(reason) => {
                assert!(reason.starts_with("not consistent"), "{seed}: {reason}");
                falls += 1;
            }
        }
    }
    assert!(falls > 0 && consistent > 600, "{falls}, not {consistent}");
}
