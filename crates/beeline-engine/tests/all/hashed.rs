//! Storages that keep nothing but hashes of states: they find what there is to find, prove nothing, and say so.

use super::threads::{fischer, network};
use beeline_engine::{Bitstate, Options, SearchKind, Storage, explore};
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};

const LOSSY: [Storage; 2] = [Storage::HashCompaction, Storage::Bitstate];

fn run(network: &Network, options: Options) -> Outcome {
    explore(network, &network.properties[0], &options, &mut |_| {}).expect("supported")
}

/// Counters that go up and down, one of which must not come to its greatest value.
fn counters(most: u32) -> Network {
    let mut text = "network counters\n".to_string();
    for p in 1..=3 {
        text += &format!("var x{p} in 0..{most}\n");
    }
    for p in 1..=3 {
        text += &format!(
            "process P{p} {{\n  init a\n  location a\n  edge a -> a {{ guard x{p} < {most} do {{ x{p} := x{p} + 1; }} }}\n  \
             edge a -> a {{ guard x{p} > 0 do {{ x{p} := x{p} - 1; }} }}\n}}\n"
        );
    }
    text += &format!("property top : A[] !(x1 == {most} && x2 == {most})\n");
    network(&text)
}

#[test]
fn what_is_there_is_found_and_replayed_by_labels() {
    for network in [fischer(4, 2, 9), fischer(4, 2, 2), counters(6)] {
        let plain = run(&network, Options::default());
        let Finding::Reachable { trace: shortest, .. } = &plain.finding else { panic!("{plain:?}") };
        let length = |run: &beeline_ir::trace::Trace| match &run.run {
            beeline_ir::trace::Run::Network(run) => run.length(&network),
            beeline_ir::trace::Run::Relation(_) => panic!("a network"),
        };
        for storage in LOSSY {
            for (search, threads) in
                [(SearchKind::Bfs, 1), (SearchKind::Bfs, 2), (SearchKind::Dfs, 1), (SearchKind::RandomDfs, 1)]
            {
                let options = Options { storage: Some(storage), search, threads, ..Options::default() };
                let found = run(&network, options);
                let Finding::Reachable { trace, shortest: claimed } = &found.finding else {
                    panic!("{storage:?} {search:?}: {found:?}")
                };
                assert!(!claimed && found.lower_bound == 0 && found.certificate.is_none());
                assert!(length(trace) >= length(shortest), "{storage:?} {search:?}");
                if search == SearchKind::Bfs {
                    assert_eq!(length(trace), length(shortest), "hardly anything is missed here");
                }
            }
        }
    }
}

#[test]
fn nothing_is_proved() {
    for network in [fischer(4, 3, 9), fischer(4, 3, 2)] {
        let plain = run(&network, Options::default());
        assert_eq!(plain.finding, Finding::Unreachable);
        for storage in LOSSY {
            for search in [SearchKind::Bfs, SearchKind::Dfs] {
                let found = run(&network, Options { storage: Some(storage), search, ..Options::default() });
                assert_eq!(found.finding, Finding::Unknown(StopReason::Hashed), "{storage:?} {search:?}");
                let coverage = found.stats.coverage.expect("an estimate");
                assert!(coverage.states >= plain.stats.stored && coverage.expected_omissions < 1e-6);
                assert_eq!(coverage.hash_factor().is_some(), storage == Storage::Bitstate);
            }
        }
    }
}

#[test]
fn a_small_array_misses_states_and_the_estimate_tells() {
    let network = network(
        "network many\nvar x in 0..9999\nprocess P {\n  init a\n  location a\n  edge a -> a { guard x < 9999 do { x := x + 1; } }\n  \
          edge a -> a { guard x < 4999 do { x := x * 2 + 1; } }\n  edge a -> a { guard x < 4999 do { x := x * 2; } }\n}\n\
          property top : A[] x <= 9999\n",
    );
    let bitstate = Bitstate { bytes: Some(2048), hashes: 2 };
    let options = Options { storage: Some(Storage::Bitstate), bitstate, ..Options::default() };
    let found = run(&network, options);
    let coverage = found.stats.coverage.expect("an estimate");
    assert_eq!(found.finding, Finding::Unknown(StopReason::Hashed));
    assert!(coverage.states < 10_000 && coverage.expected_omissions > 10.0, "{coverage:?}");
    assert_eq!(coverage.bits, Some(16_384));
}
