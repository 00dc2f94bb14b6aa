//! Making heuristics heeds the limits: what takes too long or too much is stopped, and says why. On models of a size at
//! which this once went wrong.

use beeline_engine::heuristic::Heuristic;
use beeline_heuristics::registry::{HEURISTICS, Making, NotMade, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::{CancelToken, Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};
use std::time::Duration;

fn read(text: &str) -> Network {
    match text::read(text, ReadOptions { file: "limits", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

/// A queue that `n` customers join, and that moves up: every cell is read and written at once, by `n` labels.
fn queue(n: usize) -> Network {
    let shift: String = (1..n).map(|i| format!("cells[{}] := cells[{i}]; ", i - 1)).collect();
    let customer = |i: usize| {
        format!(
            "process C{i} {{ init out location out location waiting\n\
             edge out -> waiting {{ guard size < {n} do {{ cells[size] := {i}; size := size + 1; }} }}\n\
             edge waiting -> out {{ guard cells[0] == {i} do {{ {shift}size := size - 1; }} }} }}\n"
        )
    };
    let customers: String = (0..n).map(customer).collect();
    let goal = (0..n).map(|i| format!("C{i}.waiting")).collect::<Vec<_>>().join(" && ");
    read(&format!(
        "network queue\nvar cells[{n}] in 0..{}\nvar size in 0..{n}\n{customers}property all : E<> {goal}",
        n - 1
    ))
}

/// Processes that each send to and receive from any other.
fn crowd(n: usize) -> Network {
    let one = |i: usize| {
        format!(
            "process P{i} {{ init a location a location b edge a -> b {{ send c }} edge b -> a {{ receive c }} }}\n"
        )
    };
    let all: String = (0..n).map(one).collect();
    read(&format!("network crowd\nchan c\n{all}property two : E<> P0.b && P1.b"))
}

fn made(network: &Network, name: &str, limits: &Limits) -> Result<Box<dyn Heuristic>, NotMade> {
    make(&Making::new(network, &network.properties[0], limits), &Spec::parse(name).expect("a heuristic"))
}

fn stopped(network: &Network, name: &str, limits: &Limits) -> Option<StopReason> {
    match made(network, name, limits) {
        Err(NotMade::Stopped(reason)) => Some(reason),
        _ => None,
    }
}

#[test]
fn limits_that_are_up_stop_the_making() {
    let network = queue(4);
    let cancel = CancelToken::default();
    cancel.cancel(StopReason::Interrupted);
    // Some want to be told something.
    let told = ["heur", "pdb", "user", "fsm", "hamming"];
    for entry in HEURISTICS.iter().filter(|entry| !told.contains(&entry.name)) {
        assert!(made(&network, entry.name, &Limits::default()).is_ok(), "{}", entry.name);
        let cancelled = Limits { cancel: cancel.clone(), ..Limits::default() };
        assert_eq!(stopped(&network, entry.name, &cancelled), Some(StopReason::Interrupted));
        let late = Limits::within(Duration::ZERO);
        assert_eq!(stopped(&network, entry.name, &late), Some(StopReason::Time));
    }
}

#[test]
fn memory_is_counted_while_it_is_filled() {
    let network = queue(60);
    for name in ["dl", "hl", "cg", "ut", "contexts"] {
        let little = Limits { memory: Some(10_000), ..Limits::default() };
        assert_eq!(stopped(&network, name, &little), Some(StopReason::Memory), "{name}");
    }
}

/// A change for every pair of values and every label that makes it would take 60 * 60 * 60 * 60 of them.
#[test]
fn the_moves_of_the_causal_graph_are_shared() {
    let network = queue(60);
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let mut heuristic = made(&network, "cg", &limits).expect("64 MiB are enough");
    let initial = beeline_ir::layout::Layout::of_network(&network).initial(&network);
    heuristic.estimate(&initial);
    let bytes = heuristic.bytes();
    assert!(bytes > 100_000 && bytes < 64 << 20, "{bytes} bytes");
}

/// What one heuristic has counted, another that looks at the same view need not count again.
#[test]
fn a_shared_view_is_counted_once() {
    let network = queue(20);
    let limits = Limits::default();
    let alone = made(&network, "dl", &limits).expect("no limits").bytes();
    let making = Making::new(&network, &network.properties[0], &limits);
    let dl = || make(&making, &Spec::parse("dl").expect("a heuristic")).expect("no limits");
    let both = [dl(), dl()];
    drop(making);
    let together: u64 = both.iter().map(|heuristic| heuristic.bytes()).sum();
    assert!(together.abs_diff(alone) <= 1, "{together} and {alone}");
}

/// With more than 65,536 label schemas, contexts are the estimate alone.
#[test]
fn too_many_labels_are_not_judged() {
    assert!(made(&crowd(20), "contexts:h=dl", &Limits::default()).expect("no limits").judges_labels());
    assert!(!made(&crowd(260), "contexts:h=dl", &Limits::default()).expect("no limits").judges_labels());
}
