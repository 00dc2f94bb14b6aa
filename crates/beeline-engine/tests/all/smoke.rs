//! A few models with known answers, through the engine alone.

use beeline_engine::{Options, SearchKind, explore};
use beeline_ir::Model;
use beeline_ir::limits::StopReason;
use beeline_ir::outcome::Finding;
use beeline_ir::text::{ReadOptions, read};
use beeline_ir::trace::Run;

const FISCHER: &str = "
network fischer
var id in 0..2 = 0
process P1 {
  clock x
  init idle
  location idle
  location req { invariant x <= 2 }
  location wait
  location cs
  edge idle -> req { guard id == 0 do { x := 0; } }
  edge req -> wait { when x <= 2 do { id := 1; x := 0; } }
  edge wait -> cs { guard id == 1 when x > 2 }
  edge wait -> req { guard id == 0 do { x := 0; } }
  edge cs -> idle { do { id := 0; } }
}
process P2 {
  clock x
  init idle
  location idle
  location req { invariant x <= 2 }
  location wait
  location cs
  edge idle -> req { guard id == 0 do { x := 0; } }
  edge req -> wait { when x <= 2 do { id := 2; x := 0; } }
  edge wait -> cs { guard id == 2 when x > 2 }
  edge wait -> req { guard id == 0 do { x := 0; } }
  edge cs -> idle { do { id := 0; } }
}
property mutex : A[] !(P1.cs && P2.cs)
property reach : E<> P1.cs
";

fn outcome(text: &str, property: usize, search: SearchKind) -> (Finding, u64) {
    let options = ReadOptions { file: "test", record_places: true };
    let model = read(text, options).unwrap_or_else(|e| panic!("{e:?}"));
    let Model::Network(network) = &model else { panic!("a network") };
    let options = Options { search, ..Options::default() };
    let outcome = explore(network, &network.properties[property], &options, &mut |_| {}).expect("supported");
    (outcome.finding, outcome.stats.stored)
}

#[test]
fn fischer_excludes() {
    for search in [SearchKind::Bfs, SearchKind::Dfs, SearchKind::RandomDfs] {
        assert_eq!(outcome(FISCHER, 0, search).0, Finding::Unreachable);
        // With `>=` instead of `>` the delay no longer protects.
        let faulty = FISCHER.replace("x > 2", "x >= 2");
        let (Finding::Reachable { trace, .. }, _) = outcome(&faulty, 0, search) else { panic!("violated") };
        let Run::Network(run) = trace.run else { panic!("a network run") };
        if search == SearchKind::Bfs {
            assert_eq!(run.steps.len(), 6);
        }
    }
}

#[test]
fn a_property_that_fails_at_run_time_is_not_decided() {
    let text = "network n
var a[2] in 0..1
var i in 0..3
process P { init s location s edge s -> s { guard i < 3 do { i := i + 1; } } }
property : A[] a[i] == 0
property : E<> i == 3 && a[0] == 0
property : E<> a[i] == 1
";
    let fails = Finding::Unknown(StopReason::PropertyFails);
    assert_eq!(outcome(text, 0, SearchKind::Bfs).0, fails);
    assert!(matches!(outcome(text, 1, SearchKind::Bfs).0, Finding::Reachable { shortest: true, .. }));
    assert_eq!(outcome(text, 2, SearchKind::Dfs).0, fails);
}

#[test]
fn too_many_labels_are_a_limit() {
    let receivers: String = (0..24)
        .map(|i| {
            format!("process R{i} {{ location a edge a -> a {{ receive c }} edge a -> a {{ receive c }} }}\n")
        })
        .collect();
    let text = format!(
        "network many broadcast chan c\nprocess S {{ location a edge a -> a {{ send c }} }}\n{receivers}\
         property : A[] !deadlock || 1\nproperty : E<> 0"
    );
    assert_eq!(outcome(&text, 1, SearchKind::Bfs).0, Finding::Unknown(StopReason::Labels));
}
