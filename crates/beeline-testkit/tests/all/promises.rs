//! Every heuristic keeps what it promises on all states of many small models, and a heuristic that promises too much is
//! noticed.

use beeline_engine::Options;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::text::{self, ReadOptions};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::harness::{Plan, Subject, promises, run_promela, run_smv};
use beeline_testkit::oracle::graph::Graph;
use beeline_zones::fault::Fault;

#[test]
fn heuristics_keep_their_promises_in_timed_models() {
    no_promise_is_broken(Profile::Timed, 120);
}

#[test]
fn heuristics_keep_their_promises_in_discrete_models() {
    no_promise_is_broken(Profile::Discrete, 80);
}

#[test]
fn heuristics_keep_their_promises_in_uppaal_models() {
    no_promise_is_broken(Profile::Uppaal, 120);
}

fn no_promise_is_broken(profile: Profile, models: u64) {
    let plan = Plan { subject: Subject::Heuristics, budget: 600, ..Plan::new(profile, models) };
    let trouble = plan.first_trouble();
    assert!(trouble.is_none(), "{profile:?}: {trouble:?}");
}

/// The same for models that were written in Promela and SMV; of the heuristics, the cheap ones, those of
/// HSF-SPIN, and for SMV those that give proofs.
#[test]
fn heuristics_keep_their_promises_in_all_languages() {
    let only = ["dl", "hl", "hu", "formula", "active", "user", "fsm", "hamming", "adb"];
    let only: Vec<String> = only.map(str::to_string).to_vec();
    let plan = Plan { subject: Subject::Heuristics, budget: 400, only, ..Plan::new(Profile::Discrete, 60) };
    let proving = Plan { only: vec!["pa".to_string(), "cartesian".to_string()], ..plan.clone() };
    let of_promela = run_promela(&Plan { models: 24, ..plan.clone() }, &|_| {});
    for report in [of_promela, run_smv(&plan, &|_| {}), run_smv(&proving, &|_| {})] {
        let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert!(2 * report.skipped < report.models, "{report}");
    }
}

/// A property that fails is the target in a projection that sees why, and need not be in one that does not.
#[test]
fn properties_that_fail_are_not_compared() {
    let text = "network n
        var v in 0..0
        process P { init a location a }
        observer process O { init a location a location b edge a -> b { guard v / 0 } edge a -> a }
        property : never O at {b}";
    let read = text::read(text, ReadOptions { file: "n", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("{read:?}") };
    for seed in 0..32 {
        assert!(promises::check(&network, seed, 600).is_ok(), "{seed}");
    }
}

/// Where the holder of a token keeps others back, estimates by zones may fall by more than a step costs.
#[test]
fn with_tokens_and_clocks_estimates_are_not_called_consistent() {
    let seed = 50_057_477;
    let kept = promises::check(&generate(&Shape::new(Profile::Timed), seed), seed, 3_000);
    assert!(kept.is_ok(), "{kept:?}");
}

/// Where it takes a state to say which channel a label is about, its edges do not say what it is, and cost partitioning with
/// clocks could count it twice.
#[test]
fn labels_over_channels_that_are_values_count_once() {
    for seed in [700_000_223, 700_000_439] {
        let network = generate(&Shape::new(Profile::Timed), seed);
        let kept = promises::check_some(&network, seed, 3_000, &["scp".to_string()]);
        assert!(kept.is_ok(), "{kept:?}");
    }
}

/// Without simulation, some states are not found in zone pattern databases; and what a removed automaton does to clocks
/// is missed.
#[test]
fn seeded_bugs_of_pattern_databases_are_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    for fault in [Fault::LookUpByInclusion, Fault::ResetsOfRemovedDropped] {
        let plan = Plan { subject: Subject::Heuristics, budget: 600, ..Plan::new(Profile::Timed, 3_000) };
        let noticed = Plan { fault: Some(fault), ..plan }.first_trouble();
        assert!(noticed.is_some(), "{}", fault.name());
    }
}

/// Where a transition is forgotten when an abstract state is split, or that a clock is set, estimates are too large.
#[test]
fn seeded_bugs_of_cartesian_abstractions_are_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let only = vec!["cartesian".to_string()];
    let plan =
        Plan { subject: Subject::Heuristics, budget: 600, only, ..Plan::new(Profile::Discrete, 1_000) };
    assert!(Plan { fault: Some(Fault::CartesianLoopForgotten), ..plan.clone() }.first_trouble().is_some());
    assert!(Plan { models: 200, ..plan.clone() }.first_trouble().is_none());
    let shape = Shape::new(Profile::Timed);
    let plan = Plan { fault: Some(Fault::CartesianResetForgotten), models: 10_000, shape, ..plan };
    assert!(plan.first_trouble().is_some());
}

/// Where no time passes between labels, or a label counts in two parts, estimates are too large.
#[test]
fn seeded_bugs_of_predicate_abstraction_are_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let only = vec!["pa".to_string()];
    let plan = Plan { subject: Subject::Heuristics, budget: 600, only, ..Plan::new(Profile::Timed, 1_000) };
    for fault in [Fault::RegressionWithoutTime, Fault::SplitCountsTwice] {
        let noticed = Plan { fault: Some(fault), ..plan.clone() }.first_trouble();
        assert!(noticed.is_some(), "{}", fault.name());
    }
    assert!(Plan { models: 200, ..plan }.first_trouble().is_none());
}

/// A Cartesian abstraction that is split further knows no less of any state.
#[test]
fn further_splits_never_lower_an_estimate() {
    let options = Options { dead_variables: false, ..Options::default() };
    let mut rises = 0;
    for seed in 1..150 {
        let network = generate(&Shape::new(Profile::Timed), seed);
        let property = &network.properties[0];
        let Some(graph) = Graph::new(&network, property, &options, 600) else { continue };
        let mut before = vec![Estimate::ZERO; graph.slots.len()];
        for states in [2, 3, 5, 9, 17, 1000] {
            let spec = Spec::parse(&format!("cartesian:states={states}")).expect("a heuristic");
            let mut made =
                make(&Making::new(&network, property, &options.limits), &spec).expect("a heuristic");
            for (at, known) in before.iter_mut().enumerate() {
                let estimate = made.estimate_in(&graph.slots[at], &graph.zones[at].view());
                assert!(estimate >= *known, "seed {seed}, {spec}: {estimate:?}, {known:?} before");
                rises += usize::from(estimate > *known);
                *known = estimate;
            }
        }
    }
    assert!(rises > 1000, "{rises}");
}

/// A heuristic that promises everything.
#[derive(Debug)]
struct Boast(Box<dyn Heuristic>);

impl Heuristic for Boast {
    fn properties(&self) -> Properties {
        Properties::LOWER_BOUND
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.0.estimate(slots)
    }
}

#[test]
fn promising_too_much_is_noticed() {
    let shape = Shape::new(Profile::Timed);
    let options = Options { dead_variables: false, ..Options::default() };
    for name in ["du", "hu", "cg", "novelty"] {
        let spec = Spec::parse(name).expect("a heuristic");
        let noticed = (1..2_000).any(|seed| {
            let network = generate(&shape, seed);
            let property = &network.properties[0];
            let Some(graph) = Graph::new(&network, property, &options, 600) else { return false };
            let heuristic =
                make(&Making::new(&network, property, &options.limits), &spec).expect("a heuristic");
            promises::keeps(&mut Boast(heuristic), &graph).is_err()
        });
        assert!(noticed, "{name}");
    }
}

/// A predicate of which all values of a factor are alike, such as where an automaton with one location is, goes without saying.
#[test]
fn predicate_abstractions_prove_with_automata_that_stay_where_they_are() {
    let text = "network n
        var x in 0..3
        process P { init a location a edge a -> a { guard x < 3 do { x := x + 1; } } }
        property : E<> x == 3";
    let read = text::read(text, ReadOptions { file: "n", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("{read:?}") };
    let (property, options) = (&network.properties[0], Options::default());
    let graph = Graph::new(&network, property, &options, 600).expect("four states");
    let spec = Spec::parse("pa:split=all,predicates=refine,iterations=9").expect("a heuristic");
    let mut made = make(&Making::new(&network, property, &options.limits), &spec).expect("a heuristic");
    assert_eq!(made.estimate(&graph.slots[graph.initial[0]]), Estimate::Steps(3));
    assert_eq!(promises::proves(made.as_mut(), &network, property, &graph), Ok(true));
}

/// Time stands still at the start, and a search knows; the rows of an abstract state that says nothing of P1 do not.
#[test]
fn rows_of_predicate_abstractions_say_no_less_than_is_said_of_them() {
    let text = "network n
        clock x
        process P0 { init a location a location b { condition 0 } edge a -> b { when x > 0 } }
        process P1 { init a committed location a location b { condition 0 } }
        property : E<> P0.b";
    let read = text::read(text, ReadOptions { file: "n", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("{read:?}") };
    let (property, options) = (&network.properties[0], Options::default());
    let graph = Graph::new(&network, property, &options, 600).expect("few states");
    let spec = Spec::parse("pa").expect("a heuristic");
    let mut made = make(&Making::new(&network, property, &options.limits), &spec).expect("a heuristic");
    let (at, view) = (graph.initial[0], graph.zones[graph.initial[0]].view());
    assert_eq!(made.estimate_in(&graph.slots[at], &view), Estimate::Infinite);
    assert_ne!(made.estimate_by_rows(&graph.slots[at], &view), Estimate::Infinite);
    assert!(promises::proves(made.as_mut(), &network, property, &graph).is_ok());
}

/// Merge-and-shrink, its ancestor, cost partitioning and Cartesian abstractions have rows that prove how far the target is,
/// or that it is out of reach, and most of the time they do.
#[test]
fn factors_give_proofs() {
    let options = Options { dead_variables: false, ..Options::default() };
    for name in ["ms", "ms:size=5", "aa:N=3", "scp", "scp:size=30", "cartesian", "cartesian:states=9"] {
        let spec = Spec::parse(name).expect("a heuristic");
        let (mut far, mut dead, mut unproven) = (0, 0, 0);
        for seed in 1..600 {
            let network = generate(&Shape::new(Profile::Discrete), seed);
            let property = &network.properties[0];
            let Some(graph) = Graph::new(&network, property, &options, 600) else { continue };
            let mut made =
                make(&Making::new(&network, property, &options.limits), &spec).expect("a heuristic");
            let start = graph.initial.iter().map(|at| made.estimate(&graph.slots[*at])).min();
            let proven = promises::proves(made.as_mut(), &network, property, &graph).expect("rows that hold");
            match start {
                None | Some(Estimate::Steps(0)) => {}
                Some(_) if !proven => unproven += 1,
                Some(Estimate::Steps(_)) => far += 1,
                Some(Estimate::Infinite) => dead += 1,
            }
        }
        assert!(far > 50 && dead > 50 && unproven < (far + dead) / 4, "{name}: {far}, {dead}, {unproven}");
    }
}
