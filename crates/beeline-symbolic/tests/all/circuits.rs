//! Random circuits, where one gate of one cell changes at a time: the parts of a target have factors, and what these say adds
//! up as long as no step counts twice. Every search gives the answers of the oracle, as in `random`, whatever databases
//! it has finished, and the kernel accepts what they say.

use crate::random::compare;
use beeline_testkit::random::Random;
use std::fmt::Write;

const CELLS: usize = 3;
const GATES: [&str; 3] = ["a", "b", "c"];

/// A gate of the own cell, or of one of the others.
fn literal(random: &mut Random) -> String {
    let gate = GATES[random.below(GATES.len())];
    let not = if random.chance(40) { "!" } else { "" };
    let cell = random.pick(&["", "", "left.", "right."]).copied().unwrap_or("");
    format!("{not}{cell}{gate}")
}

fn circuit(random: &mut Random) -> String {
    let mut text =
        format!("MODULE main\nIVAR turn : 0..{};\n  gate : {{to_a, to_b, to_c}};\nVAR\n", CELLS - 1);
    for cell in 0..CELLS {
        let (left, right) = ((cell + CELLS - 1) % CELLS, (cell + 1) % CELLS);
        let _ = writeln!(text, "  c{cell} : cell{cell}(turn = {cell}, gate, c{left}, c{right});");
    }
    text.push_str("INVARSPEC count(c0.a, c1.a, c2.a) <= 1;\n");
    text.push_str("INVARSPEC !(c0.a & c1.b & !c2.c);\nINVARSPEC !(c1.c & c2.b) | c0.b;\n");
    for cell in 0..CELLS {
        let _ = writeln!(text, "MODULE cell{cell}(mine, gate, left, right)");
        for gate in GATES {
            let [one, other] = [literal(random), literal(random)];
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

/// `BEELINE_SYMBOLIC_MODELS` says how many circuits, if they are to be more.
#[test]
fn circuits_have_the_answers_of_the_oracle() {
    let models = std::env::var("BEELINE_SYMBOLIC_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let (mut answers, mut traces) = (0, 0);
    for seed in 0..models.max(40) {
        let text = circuit(&mut Random::new(seed));
        let reading = beeline_smv::read(&text, "circuit.smv").unwrap_or_else(|e| panic!("{text}\n{e:#?}"));
        let (a, t) = compare(&reading.relation, &format!("seed {seed}\n{text}"), Random::new(!seed));
        (answers, traces) = (answers + a, traces + t);
    }
    println!("{answers} answers, {traces} traces");
    assert!(answers > 2_000 && traces > 500 && answers - traces > 300, "{answers} answers, {traces} traces");
}
