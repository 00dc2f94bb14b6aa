//! What pattern databases say of the initial state of small models, and of all states of our own ones.

use crate::of_initial;

use beeline_engine::Options;
use beeline_engine::heuristic::Estimate;
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::text::{self, ReadOptions};
use beeline_testkit::harness::promises::keeps;
use beeline_testkit::oracle::graph::Graph;
use of_initial::of_initial;
use std::path::Path;

/// Every 20 units of time x has to be set back; y is not.
const CYCLE: &str = "clock x, y process P { location a { invariant x <= 20 }
    location b edge a -> a { when x >= 20 do { x := 0; } } edge a -> b { when y >= 100 } } property : E<> P.b";

#[test]
fn digital_clocks_tell_how_often_a_cycle_is_taken() {
    for spec in ["dpr:clocks=digital", "coi:clocks=digital", "pdb:vars=P+x+y,clocks=digital"] {
        let (estimate, remark) = of_initial(CYCLE, spec);
        assert_eq!(estimate, Estimate::Steps(5), "{spec}");
        assert!(remark.contains("(clocks in units of 20)"), "{remark}");
    }
    // As zones know, too.
    assert_eq!(of_initial(CYCLE, "dpr").0, Estimate::Steps(5));
    assert_eq!(of_initial(CYCLE, "dpr:clocks=none").0, Estimate::Steps(1));
}

#[test]
fn coarser_units_say_less_but_fit() {
    let finest = of_initial(&CYCLE.replace("100", "101"), "dpr:clocks=digital");
    assert_eq!(finest.0, Estimate::Steps(6));
    let (estimate, remark) = of_initial(&CYCLE.replace("100", "101"), "dpr:clocks=digital,size=30");
    assert!(!remark.contains("(clocks in units of 1)"), "{remark}");
    assert!(estimate <= Estimate::Steps(6), "{estimate:?}");
}

#[test]
fn without_digital_clocks_there_are_none() {
    let differences = CYCLE.replace("when x >= 20", "when x >= 20, x - y <= 0");
    let (estimate, remark) = of_initial(&differences, "pdb:vars=P+x+y,clocks=digital");
    assert_eq!(estimate, Estimate::Steps(1));
    assert!(remark.contains("without clocks that count units"), "{remark}");
}

#[test]
fn hill_climbing_adds_what_raises_estimates() {
    let model = "var n in 0..3 var m in 0..3
        process P { location a location b edge a -> b { guard n == 3 } }
        process Q { location a edge a -> a { guard n < 3 do { n := n + 1; } }
          edge a -> a { guard m < 3 do { m := m + 1; } } edge a -> a { guard n > 0 do { n := n - 1; } } }
        property : E<> P.b";
    let (estimate, remark) = of_initial(model, "ipdb");
    assert_eq!(estimate, Estimate::Steps(4));
    // Q has one location, and m nothing to do with it.
    assert!(remark.starts_with("pattern P+Q+n:"), "{remark}");
}

#[test]
fn what_is_out_of_reach_for_every_pattern_is_shown_by_the_target() {
    let model = "process P { location a location b location c edge a -> b } property : E<> P.c";
    let (estimate, remark) = of_initial(model, "dpr");
    assert_eq!(estimate, Estimate::Infinite, "{remark}");
}

#[test]
fn an_observer_that_fails_is_never_out_of_reach() {
    let model = "var x in 0..3 = 1 process P { location a location b edge a -> b { do { x := 0; } } }
        observer process O { location o location bad
          edge o -> o { guard 6 / x != 2 } edge o -> bad { guard 6 / x == 2 } }
        property : never O at {bad}";
    for spec in ["hl", "dpr", "dpr:clocks=none", "pdb:vars=P", "coi", "ipdb"] {
        let (estimate, remark) = of_initial(model, spec);
        assert_ne!(estimate, Estimate::Infinite, "{spec}: {remark}");
    }
}

/// Symbolic states of a model that is small enough.
const BUDGET: usize = 5_000;

#[test]
fn digital_clocks_and_hill_climbing_keep_their_promises_on_our_models() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files: Vec<_> =
        std::fs::read_dir(directory).expect("models").flatten().map(|e| e.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "beeline"));
    files.sort();
    let (mut tried, mut digital) = (0, 0);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a model of ours");
        let Ok(Model::Network(network)) =
            text::read(&text, ReadOptions { file: "model", record_places: false })
        else {
            continue;
        };
        for property in &network.properties {
            let options = Options { dead_variables: false, ..Options::default() };
            let Some(graph) = Graph::new(&network, property, &options, BUDGET) else { continue };
            for spec in ["dpr:clocks=digital", "coi:clocks=digital", "sum:clocks=digital", "ipdb"] {
                let limits = Limits::default();
                let making = Making::new(&network, property, &limits);
                let made = make(&making, &Spec::parse(spec).expect("a heuristic"));
                let mut heuristic = made.unwrap_or_else(|reason| panic!("{}: {reason}", file.display()));
                let kept = keeps(heuristic.as_mut(), &graph);
                let remark = heuristic.remark().expect("a remark");
                assert_eq!(kept, Ok(()), "{} {spec}: {remark}", file.display());
                assert!(!remark.contains("found no entry"), "{} {spec}: {remark}", file.display());
                digital += usize::from(remark.contains("clocks in units of"));
                tried += 1;
            }
        }
    }
    assert!(tried >= 40 && digital >= 10, "{tried} were tried, {digital} of them with digital clocks");
}
