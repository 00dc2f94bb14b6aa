//! Choosing, with shares so small that everything is tried.

use super::*;
use beeline_ir::model::Model;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::{Run, Trace};

/// A counter that is asked about, and two that are in the way of breadth-first search alone.
fn counters(most: u32) -> Network {
    let process = |name: &str, most: u32| {
        format!(
            "var {name} in 0..30\nprocess P{name} {{ location l edge l -> l {{ guard {name} < {most} do {{ {name} := \
             {name} + 1; }} }} edge l -> l {{ guard {name} > 0 do {{ {name} := 0; }} }} }}\n"
        )
    };
    let model = format!(
        "network counters\n{}{}{}property p : E<> a == 30\nproperty q : E<> deadlock\n",
        process("a", most),
        process("b", 30),
        process("c", 30)
    );
    let read = text::read(&model, ReadOptions { file: "model", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("a network: {model}: {read:?}") };
    network
}

const SOON: Shares = Shares { first: 1_000_000, start: 4_000_000, long: 50_000_000, probe: 600_000 };

fn chosen_in(mode: Mode, network: &Network, property: usize, limits: &Limits) -> Chosen {
    let property = &network.properties[property];
    let settings = Settings { auto: true, mode, ..Settings::default() };
    let of = |name| Candidate { name, making: 20_000_000, search: 20_000_000 };
    let candidates = &[of("dpr:size=10000"), of("scp")];
    by_turns((SOON, candidates), (network, property), &[], &settings, limits, &mut |_| {})
        .expect("a network that is searched")
}

fn chosen(network: &Network, property: usize, limits: &Limits) -> Chosen {
    chosen_in(Mode::Shortest, network, property, limits)
}

fn steps(chosen: &Chosen) -> Option<usize> {
    match &chosen.outcome.finding {
        Finding::Reachable { trace: Trace { run: Run::Network(run), .. }, shortest: true } => {
            Some(run.steps.len())
        }
        _ => None,
    }
}

#[test]
fn a_heuristic_that_knows_more_gives_the_answer() {
    let network = counters(30);
    let one = chosen(&network, 0, &Limits::default());
    assert_eq!((one.search, steps(&one), one.h_initial), (SearchKind::AStar, Some(30), Some(30)));
    // Downward refinement sees no use in a variable that can take any value at any time.
    assert_eq!(one.heuristics, ["scp"], "{:?}", one.story);
    // The trace that greedy search has found is as short as scp knows that it must be.
    assert_eq!(one.outcome.stats.expanded, 0);
    let story: Vec<&str> = one.story.iter().filter_map(|line| line.split(':').next()).collect();
    let told = ["breadth-first search", "greedy by hu, novelty", "dpr", "scp", "astar by scp"];
    assert_eq!(story, told, "{:?}", one.story);
    let other = chosen(&network, 0, &Limits::default());
    assert_eq!((&one.story, &one.outcome.finding), (&other.story, &other.outcome.finding));
    assert_eq!(one.outcome.stats.generated, other.outcome.stats.generated);
}

#[test]
fn what_is_out_of_reach_is_seen_without_search() {
    let one = chosen(&counters(29), 0, &Limits::default());
    assert_eq!((one.search, &one.outcome.finding), (SearchKind::Greedy, &Finding::Unreachable));
    assert_eq!((one.outcome.stats.expanded, one.h_initial), (0, None));
}

#[test]
fn where_heuristics_know_nothing_breadth_first_search_goes_on() {
    let one = chosen(&counters(30), 1, &Limits::default());
    assert_eq!((one.search, &one.outcome.finding), (SearchKind::Bfs, &Finding::Unreachable));
    assert_eq!(one.outcome.stats.stored, 31 * 31 * 31, "it begins only once");
    assert!(one.heuristics.is_empty() && one.story.len() > 2, "{:?}", one.story);
}

#[test]
fn where_lengths_do_not_matter_the_first_trace_is_the_answer() {
    let one = chosen_in(Mode::Any, &counters(30), 0, &Limits::default());
    assert_eq!(one.search, SearchKind::Greedy, "{:?}", one.story);
    assert!(matches!(one.outcome.finding, Finding::Reachable { shortest: false, .. }));
    let one = chosen_in(Mode::Prove, &counters(29), 0, &Limits::default());
    assert_eq!((&one.outcome.finding, one.outcome.stats.expanded), (&Finding::Unreachable, 0));
}

#[test]
fn a_trace_that_is_known_is_the_answer_when_a_limit_comes() {
    let network = counters(30);
    let settings = Settings { auto: true, ..Settings::default() };
    let limits = Limits { states: Some(3000), ..Limits::default() };
    let (property, shares) = (&network.properties[0], SOON);
    let one =
        by_turns((shares, &[]), (&network, property), &[], &settings, &limits, &mut |_| {}).expect("one");
    let Finding::Reachable { trace, shortest: false } = &one.outcome.finding else {
        panic!("{:?}", one.story)
    };
    let Run::Network(run) = &trace.run else { panic!("a run of a network") };
    assert!(one.outcome.lower_bound > 0 && run.steps.len() >= 30, "{:?}", one.story);
    assert_eq!(one.search, SearchKind::Greedy);
}

#[test]
fn limits_hold() {
    let network = counters(30);
    let few = Limits { states: Some(2000), ..Limits::default() };
    let one = chosen(&network, 1, &few);
    assert_eq!(one.outcome.finding, Finding::Unknown(StopReason::States));
    assert!(one.outcome.lower_bound > 0, "what was shown is not lost");
    let stopped = Limits::default();
    stopped.cancel.cancel(StopReason::Interrupted);
    let one = chosen(&network, 0, &stopped);
    assert_eq!(one.outcome.finding, Finding::Unknown(StopReason::Interrupted));
}

#[test]
fn without_memory_for_either_it_ends() {
    let network = counters(30);
    let mut cramped = 0;
    for memory in (1..60).map(|tens| 10_000 * tens) {
        let one = chosen(&network, 0, &Limits { memory: Some(memory), ..Limits::default() });
        let tried = one.story.iter().any(|line| line.starts_with("astar"));
        match one.outcome.finding {
            Finding::Unknown(StopReason::Memory) => cramped += usize::from(tried),
            _ => assert_eq!(steps(&one), Some(30), "{memory} bytes: {:?}", one.story),
        }
    }
    assert!(cramped > 0, "A* has to have been tried where there was no memory for it");
}
