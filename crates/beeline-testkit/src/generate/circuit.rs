//! Random circuits as SMV texts: one gate of one cell changes at a time, and gates read those of their own cell and of its
//! neighbours in a ring. The questions are about several cells.

use crate::random::Random;
use std::fmt::Write;

const CELLS: usize = 3;
const GATES: [&str; 3] = ["a", "b", "c"];

/// A circuit with three invariants.
pub fn circuit(mut random: Random) -> String {
    let mut text =
        format!("MODULE main\nIVAR turn : 0..{};\n  gate : {{to_a, to_b, to_c}};\nVAR\n", CELLS - 1);
    for cell in 0..CELLS {
        let (left, right) = ((cell + CELLS - 1) % CELLS, (cell + 1) % CELLS);
        let _ = writeln!(text, "  c{cell} : cell{cell}(turn = {cell}, gate, c{left}, c{right});");
    }
    text.push_str("INVARSPEC NAME p0 := count(c0.a, c1.a, c2.a) <= 1;\n");
    text.push_str("INVARSPEC NAME p1 := !(c0.a & c1.b & !c2.c);\n");
    text.push_str("INVARSPEC NAME p2 := !(c1.c & c2.b) | c0.b;\n");
    for cell in 0..CELLS {
        let _ = writeln!(text, "MODULE cell{cell}(mine, gate, left, right)");
        for gate in GATES {
            let [one, other] = [literal(&mut random), literal(&mut random)];
            let operator = random.pick(&["&", "|", "&", "xor"]).copied().unwrap_or("&");
            let first = if random.chance(15) { "TRUE" } else { "FALSE" };
            let _ = writeln!(
                text,
                "VAR {gate} : boolean;\nASSIGN init({gate}) := {first};\n  \
                 next({gate}) := mine & gate = to_{gate} ? {one} {operator} {other} : {gate};"
            );
        }
    }
    text
}

/// A gate of the own cell, or of one of the others.
fn literal(random: &mut Random) -> String {
    let gate = GATES[random.below(GATES.len())];
    let not = if random.chance(40) { "!" } else { "" };
    let cell = random.pick(&["", "", "left.", "right."]).copied().unwrap_or("");
    format!("{not}{cell}{gate}")
}
