//! Symmetry: who is interchangeable, and that answers stay the same with fewer states.

use super::threads::network;
use beeline_engine::symmetry::Symmetry;
use beeline_engine::{Options, SearchKind, Storage, explore};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::trace::Run;

/// Fischer's protocol with a question.
fn fischer(processes: usize, delay: u32, question: &str) -> Network {
    let mut text = format!("network fischer\nvar id in 0..{processes} = 0\n");
    for p in 1..=processes {
        text += &format!(
            "process P{p} {{\n  clock x\n  init idle\n  location idle\n  location req {{ invariant x <= 2 }}\n  \
             location wait\n  location cs\n  edge idle -> req {{ guard id == 0 do {{ x := 0; }} }}\n  \
             edge req -> wait {{ do {{ x := 0; id := {p}; }} }}\n  \
             edge wait -> req {{ guard id == 0 do {{ x := 0; }} }}\n  \
             edge wait -> cs {{ guard id == {p} when x >= {delay} }}\n  \
             edge cs -> idle {{ do {{ id := 0; }} }}\n}}\n"
        );
    }
    network(&format!("{text}property asked : {question}\n"))
}

/// No two processes are in their critical sections.
fn no_two(processes: usize) -> String {
    let pairs = (1..=processes).flat_map(|i| (i + 1..=processes).map(move |j| (i, j)));
    let pairs: Vec<String> = pairs.map(|(i, j)| format!("P{i}.cs && P{j}.cs")).collect();
    format!("A[] !({})", pairs.join(" || "))
}

fn orbits(network: &Network) -> Vec<Vec<usize>> {
    let symmetry = Symmetry::of(network, &network.properties[0], &Limits::default()).expect("no limit");
    let indices = |orbit: &Vec<beeline_ir::ProcessId>| orbit.iter().map(|p| p.index()).collect();
    symmetry.iter().flat_map(|symmetry| &symmetry.orbits).map(indices).collect()
}

fn run(network: &Network, options: Options) -> Outcome {
    explore(network, &network.properties[0], &options, &mut |_| {}).expect("supported")
}

fn length(network: &Network, outcome: &Outcome) -> Option<u32> {
    match &outcome.finding {
        Finding::Reachable { trace, .. } => match &trace.run {
            Run::Network(run) => Some(run.length(network)),
            Run::Relation(_) => None,
        },
        _ => None,
    }
}

#[test]
fn the_property_decides_who_is_interchangeable() {
    assert_eq!(orbits(&fischer(4, 3, &no_two(4))), [[0, 1, 2, 3]]);
    assert_eq!(orbits(&fischer(4, 3, "A[] !(P1.cs && P2.cs)")), [[0, 1], [2, 3]]);
    assert_eq!(orbits(&fischer(4, 3, "E<> P2.cs")), [[0, 2, 3]]);
    assert_eq!(orbits(&fischer(4, 3, "E<> P2.cs && id == 2")), [[0, 2, 3]]);
    assert_eq!(orbits(&fischer(3, 3, "E<> P1.cs && P2.wait && P3.idle")), Vec::<Vec<usize>>::new());
    // A number that is compared by its size is no name.
    assert_eq!(orbits(&fischer(3, 3, "A[] id <= 3")), Vec::<Vec<usize>>::new());
    assert_eq!(orbits(&fischer(3, 3, "A[] !deadlock")), [[0, 1, 2]]);
}

#[test]
fn what_tells_processes_apart_is_noticed() {
    let of = |first: &str, second: &str, globals: &str| {
        let process = |name: &str, edge: &str| {
            format!(
                "process {name} {{\n  var k in 0..3\n  init a\n  location a\n  location b\n  edge a -> b {{ {edge} }}\n}}\n"
            )
        };
        let (one, two) = (process("P", first), process("Q", second));
        orbits(&network(&format!("network two\n{globals}\n{one}{two}property asked : E<> P.b && Q.b\n")))
    };
    let none = Vec::<Vec<usize>>::new();
    assert_eq!(of("do { k := 1; }", "do { k := 1; }", ""), [[0, 1]]);
    assert_eq!(of("do { k := 1; }", "do { k := 1; }", "var x in 0..3"), [[0, 1]]);
    // k is only a name: 1 here is 2 there.
    assert_eq!(of("do { k := 1; }", "do { k := 2; }", ""), [[0, 1]]);
    assert_eq!(of("do { k := k + 1; }", "do { k := k + 2; }", ""), none);
    assert_eq!(of("do { x := 1; }", "do { x := 2; }", "var x in 0..3"), [[0, 1]]);
    assert_eq!(of("do { x := 1; }", "do { x := 2; }", "var x in 0..1"), none, "out of range");
    assert_eq!(of("do { x := 1; }", "do { x := 2; }", "var x in 0..3 = 1"), none, "the start tells");
    assert_eq!(of("guard x < 2 do { x := 1; }", "guard x < 2 do { x := 2; }", "var x in 0..3"), none);
    assert_eq!(of("do { x[1] := 1; }", "do { x[2] := 1; }", "var x[4] in 0..3"), [[0, 1]]);
    assert_eq!(of("do { x[1] := x[k]; }", "do { x[2] := x[k]; }", "var x[4] in 0..3"), [[0, 1]]);
    assert_eq!(of("do { x[1] := x[k + 1]; }", "do { x[2] := x[k + 1]; }", "var x[4] in 0..3"), none);
    assert_eq!(of("guard P.a", "guard Q.a", ""), [[0, 1]]);
    assert_eq!(of("guard P.a", "guard P.a", ""), none);
}

#[test]
fn answers_stay_the_same_with_fewer_states() {
    for (delay, question) in [(3, no_two(4)), (2, no_two(4)), (2, "A[] !(P1.cs && P2.cs)".to_string())] {
        let network = fischer(4, delay, &question);
        let plain = run(&network, Options::default());
        for (search, threads) in
            [(SearchKind::Bfs, 1), (SearchKind::Bfs, 2), (SearchKind::Dfs, 1), (SearchKind::RandomDfs, 1)]
        {
            for storage in [Storage::Plain, Storage::Collapse, Storage::HashCompaction] {
                let options =
                    Options { search, threads, symmetry: true, storage: Some(storage), ..Options::default() };
                let found = run(&network, options);
                let what = format!("{delay} {question} {search:?} {storage:?}");
                if storage.lossy() && plain.finding == Finding::Unreachable {
                    assert!(matches!(found.finding, Finding::Unknown(_)), "{what}");
                    continue;
                }
                assert_eq!(
                    plain.finding == Finding::Unreachable,
                    found.finding == Finding::Unreachable,
                    "{what}"
                );
                if search == SearchKind::Bfs {
                    assert_eq!(length(&network, &plain), length(&network, &found), "{what}");
                    assert!(found.stats.stored * 2 < plain.stats.stored, "{what}: {:?}", found.stats);
                }
            }
        }
    }
}

/// Looking for it was deaf to limits: half a minute for 195 processes.
#[test]
fn it_is_not_looked_for_when_time_is_up() {
    let network = fischer(3, 3, &no_two(3));
    let limits = Limits::default();
    limits.cancel.cancel(StopReason::Interrupted);
    let found = Symmetry::of(&network, &network.properties[0], &limits);
    assert!(matches!(found, Err(StopReason::Interrupted)), "{found:?}");
}

/// Arrays that go where their indices go are compared once for each pair, not wherever they are used: one that is used
/// again with another index must still be told apart.
#[test]
fn an_index_is_looked_at_wherever_its_array_is_used() {
    let model = |second: &dyn Fn(usize) -> usize| {
        let process = |me: usize| {
            format!(
                "process P{me} {{\n  init a\n  location a\n  location b\n  \
                 edge a -> b {{ guard k == 0 do {{ k := {me}; c[k] := 1; }} }}\n  \
                 edge b -> a {{ guard c[{}] == 1 do {{ c[{me}] := 0; k := 0; }} }}\n}}\n",
                second(me)
            )
        };
        let vars = "network n\nvar k in 0..2\nvar c[3] in 0..1\n";
        network(&format!("{vars}{}{}property p : E<> P1.b && P2.b\n", process(1), process(2)))
    };
    assert_eq!(orbits(&model(&|me| me)).len(), 1);
    assert_eq!(orbits(&model(&|_| 0)).len(), 1);
    assert_eq!(orbits(&model(&|_| 1)).len(), 0);
}
