//! Abstraction databases of files of maps: what they look at, that several add up, and what is wrong with a file.

use crate::common::network;
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use std::path::Path;

/// Two counters that go up by themselves; the target asks for both.
const COUNTERS: &str = "network n
    var x in 0..9
    var y in 0..9
    process P { init a location a edge a -> a { guard x < 9 do { x := x + 1; } } }
    process Q { init a location a edge a -> a { guard y < 9 do { y := y + 1; } } }
    property : E<> x == 8 && y >= 6";

fn made(network: &Network, name: &str, maps: &str) -> Result<Box<dyn Heuristic>, String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.maps"));
    std::fs::write(&file, maps).expect("a file");
    let limits = Limits::default();
    let making = Making::new(network, &network.properties[0], &limits);
    let spec = Spec::parse(&format!("adb:maps={}", file.display())).expect("a spec");
    make(&making, &spec).map_err(|reason| reason.to_string())
}

#[test]
fn what_is_kept_counts() {
    let network = network(COUNTERS);
    let initial = Layout::of_network(&network).initial(&network);
    for (number, (maps, steps)) in [
        ("", 14),
        ("others: drop\nx: keep", 8),
        ("others: drop\ny: ranges 3 6", 2),
        ("others: drop\nx: parity\n", 0),
        ("x: classes {8} {0..3}\ny: drop", 2),
        ("others: drop\nx: keep\ndatabase\nothers: drop\ny: keep", 14),
        ("others: drop\nx: ranges 4\ndatabase\nothers: drop\ny: modulo 3", 1),
        ("others: drop\npredicate: x < y\npredicate: x == 8 && y >= 6\npredicate: x == 7", 1),
        ("others: drop\npredicate: x + y >= 14\npredicate: x + y >= 7\npredicate: x == 8", 2),
    ]
    .into_iter()
    .enumerate()
    {
        let mut heuristic = made(&network, &format!("kept-{number}"), maps).expect(maps);
        assert_eq!(heuristic.estimate(&initial), Estimate::Steps(steps), "{maps}");
        assert!(heuristic.properties().admissible && heuristic.properties().consistent);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let network = network(COUNTERS);
    for (number, (maps, part)) in [
        ("x: sing", "1:4: there is no map `sing`"),
        ("\nz: keep", "2:1: the model has no automaton, integer or clock `z`"),
        ("P: parity", "1:1: `P` has no values"),
        ("predicate: x <", "1:12: "),
        ("predicate: P.a", "1:12: a predicate is about variables"),
    ]
    .into_iter()
    .enumerate()
    {
        let reason = made(&network, &format!("wrong-{number}"), maps).map(drop).expect_err(maps);
        assert!(reason.contains(part), "{maps}: {reason}");
    }
}

/// A message goes to a variable and to the element that it is the index of then. (Once, predicates over the variable made
/// it the index that it had been before, and states were missing.)
#[test]
fn an_index_may_come_with_its_message() {
    let network = network(
        "network n
         var v in 0..1
         var a[3] in 0..1 = {1, 0, 1}
         chan c of (0..1, 0..2)
         process P { init p location p location q edge p -> q { receive c(v, a[v]) } }
         process Q { init p location p location q location r edge p -> q { send c(1, 0) } edge q -> r }
         property : A[] !Q.r",
    );
    let refused = made(&network, "index", "a: classes {0..1}\npredicate: v == 1").err().unwrap_or_default();
    assert!(refused.contains("`v` is received, and an index in the same message"), "{refused}");
}
