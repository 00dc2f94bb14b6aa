//! All parts of a label have moved before the first of their updates runs. The sender of a broadcast may read where the
//! receivers are, and several of them may have come together: estimates once saw them come one by one.

use crate::common;

/// The target is one step away, and cannot be reached in any other way.
const MODEL: &str = "
network shout
broadcast chan c
var x in 0..1
process S {
  init a location a location b
  edge a -> b { guard R1.a && R2.a send c do { x := R1.b && R2.b ? 1 : 0; } }
}
process R1 { init a location a location b edge a -> b { receive c } }
process R2 { init a location a location b edge a -> b { receive c REST } }
property now : E<> GOAL == 1
";

#[test]
fn receivers_come_together() {
    // What the sender has seen, a receiver may read.
    for (rest, goal) in [("", "x"), ("do { y := x; }", "y")] {
        let text = MODEL.replace("REST", rest).replace("GOAL", goal).replace("var x", "var y in 0..1\nvar x");
        common::at_most(1, &text);
    }
}

/// A receiver writes after the sender, and may write what was there before: the slot then keeps what the sender has
/// changed. Factors once took the sender's change for certain, and called the target out of reach.
#[test]
fn a_receiver_may_undo_what_the_sender_does() {
    common::at_most(
        2,
        "
network undo
broadcast chan c[2]
var v in 0..1
process R {
  init a location a location b location d
  edge a -> b { receive c[v] do { v := min(0, v); } }
  edge b -> d { guard v == 0 }
}
process S { init a location a edge a -> a { send c[0] do { v := 1; } } }
property undone : E<> R.d
",
    );
}
