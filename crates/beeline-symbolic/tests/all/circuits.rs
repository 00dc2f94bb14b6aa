//! Random circuits, where one gate of one cell changes at a time: the parts of a target have factors, and what these say
//! adds up as long as no step counts twice. Every search gives the answers of the oracle, as in `random`.

use crate::random::compare;
use beeline_testkit::generate::circuit::circuit;
use beeline_testkit::random::Random;

/// `BEELINE_SYMBOLIC_MODELS` says how many circuits, if they are to be more.
#[test]
fn circuits_have_the_answers_of_the_oracle() {
    let models = std::env::var("BEELINE_SYMBOLIC_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let (mut answers, mut traces) = (0, 0);
    for seed in 0..models.max(40) {
        let text = circuit(Random::new(seed));
        let reading = beeline_smv::read(&text, "circuit.smv").unwrap_or_else(|e| panic!("{text}\n{e:#?}"));
        let (a, t) = compare(&reading.relation, &format!("seed {seed}\n{text}"), Random::new(!seed));
        (answers, traces) = (answers + a, traces + t);
    }
    println!("{answers} answers, {traces} traces");
    assert!(answers > 2_000 && traces > 500 && answers - traces > 300, "{answers} answers, {traces} traces");
}
