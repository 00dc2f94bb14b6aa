//! A message leaves its buffer before the update runs, so that what the guard has seen there is gone. Estimates once ran
//! the update on what the guard had seen, and called targets out of reach.

use crate::common;

/// Two steps to the target.
const MODEL: &str = "
network post
var x in 0..2 = 2
buffer c capacity 1 of (0..1)
process P {
  init a location a location b location d
  edge a -> b { send c(0) }
  edge b -> d { guard GUARD receive c(_) do { UPDATE } }
}
property : QUESTION
";

#[test]
fn what_a_guard_sees_of_a_buffer_is_not_what_the_update_finds() {
    for guard in ["len(c) == 1", "poll(receive c(=0))"] {
        for (update, question) in [
            ("assert poll(receive c(_));", "no-assertion-failure"),
            ("assert len(c) > 0;", "no-assertion-failure"),
            ("x := len(c);", "E<> x == 0"),
        ] {
            let text = MODEL.replace("GUARD", guard).replace("UPDATE", update).replace("QUESTION", question);
            common::at_most(2, &text);
        }
    }
}
