//! Merge-and-shrink on small models without clocks, where without a limit it is the distance; and where updates undo
//! each other, so that a slot may keep what it has.

use beeline_engine::heuristic::Estimate;
use beeline_heuristics::registry::{Making, Spec, make};
use beeline_ir::Model;
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::text::{self, ReadOptions};

fn initial(model: &str, heuristic: &str) -> Estimate {
    let read = text::read(model, ReadOptions { file: "model", record_places: false });
    let Ok(Model::Network(network)) = read else { panic!("a network: {model}: {read:?}") };
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    let slots = Layout::of_network(&network).initial(&network);
    make(&making, &Spec::parse(heuristic).expect("a heuristic")).expect("a heuristic").estimate(&slots)
}

/// One token for two: the first must give it back before the second can have it, and both must have been served.
const TOKEN: &str = "
network token
var free in 0..1 = 1
process P {
  init idle location idle location has location done
  edge idle -> has { guard free == 1 do { free := 0; } }
  edge has -> done { do { free := 1; } }
}
process Q {
  init idle location idle location has location done
  edge idle -> has { guard free == 1 do { free := 0; } }
  edge has -> done { do { free := 1; } }
}
property p : E<> GOAL
";

#[test]
fn what_is_taken_must_be_given_back() {
    for order in ["dfp", "scc", "size", "labels"] {
        let spec = format!("ms:order={order}");
        let h = |goal: &str| initial(&TOKEN.replace("GOAL", goal), &spec);
        assert_eq!(h("P.done && Q.done"), Estimate::Steps(4), "{order}");
        assert_eq!(h("P.done && Q.has"), Estimate::Steps(3), "{order}");
        // Monotonicity abstraction sees two steps here.
        assert_eq!(h("P.has && Q.has"), Estimate::Infinite, "{order}");
        assert_eq!(h("P.has && Q.has || P.done && free == 1"), Estimate::Steps(2), "{order}");
    }
    let both = TOKEN.replace("GOAL", "P.has && Q.has");
    assert_eq!(initial(&both, "hl"), Estimate::Steps(1));
}

#[test]
fn what_a_label_does_to_a_slot_may_depend_on_others() {
    // The second counter follows the first, one step later: 3 steps up, then a copy.
    let model = "
network copies
var x in 0..3
var y in 0..3
process P {
  init l location l
  edge l -> l { guard x < 3 do { x := x + 1; } }
  edge l -> l { do { y := x; x := 0; } }
}
property p : E<> y == 3 && x == 2
";
    assert_eq!(initial(model, "ms"), Estimate::Steps(6));
    assert!(initial(model, "hl") < Estimate::Steps(6));
}

#[test]
fn what_one_part_writes_another_may_undo() {
    // Sender and receiver, or sender and those who join, write the same variable: it stays as it is.
    for (channel, goal) in [("chan", "x == 0"), ("broadcast chan", "x == 0"), ("broadcast chan", "x == 1")] {
        let joins = if goal == "x == 1" { "guard x == 1" } else { "" };
        let model = format!(
            "
network undo
{channel} c
var x in 0..1
process S {{ init a location a location b edge a -> b {{ guard x == 0 send c do {{ x := 1; }} }} }}
process R {{ init a location a location b edge a -> b {{ {joins} receive c do {{ x := 0; }} }} }}
property p : E<> S.b && {goal}
"
        );
        assert_eq!(initial(&model, "ms"), Estimate::Steps(1), "{channel}, {goal}");
        assert_eq!(initial(&model, "ms:size=1"), Estimate::Steps(1), "{channel}, {goal}");
    }
}

#[test]
fn who_may_join_need_not() {
    // Before two units of time have passed, the receiver is left behind.
    let model = "
network shout
clock t
broadcast chan c
process S { init a location a location b edge a -> b { send c } }
process R { init a location a location b edge a -> b { when t >= 2 receive c } }
property p : E<> S.b && R.a
";
    assert_eq!(initial(model, "ms"), Estimate::Steps(1));
}
