//! The public SMV models against the answers of NuSMV 2.5.4 that are on record: verdicts, and states of counterexamples.

use beeline_check::{Certify, check};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::outcome::Grade;
use beeline_symbolic::{Direction, Options, explore};
use std::path::Path;

/// File, position of the specification, whether it holds, and the states of NuSMV's counterexample, if it has one that is
/// a run.
const ANSWERS: [(&str, usize, bool, Option<u32>); 13] = [
    ("hwcbmc/AG1.smv", 0, false, Some(1)),
    ("hwcbmc/AG1.smv", 1, true, None),
    ("hwcbmc/BDD4.smv", 0, false, Some(2)),
    ("hwcbmc/range_type1.smv", 0, true, None),
    ("hwcbmc/smv_ag1.smv", 0, true, None),
    ("nusmv/example_cmu__counter.smv", 1, false, Some(8)),
    ("nusmv/example_cmu__dme1.smv", 0, true, None),
    ("nusmv/example_cmu__gigamax.smv", 2, true, None),
    ("nusmv/example_cmu__mutex.smv", 0, false, None),
    ("nusmv/example_cmu__mutex1.smv", 0, false, None),
    ("nusmv/example_cmu__syncarb5.smv", 0, true, None),
    ("toy/maze.smv", 0, true, None),
    ("toy/river.smv", 0, false, Some(12)),
];

#[test]
fn public_models_have_the_answers_on_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/smv");
    if !root.is_dir() {
        println!("skipped: the public models are not there");
        return;
    }
    for (file, at, holds, states) in ANSWERS {
        let source = std::fs::read_to_string(root.join(file)).expect("a text");
        let model = Model::Relation(beeline_smv::read(&source, file).expect("a model").relation);
        let Model::Relation(relation) = &model else { continue };
        let property = &relation.properties[at];
        let plain = [Direction::Auto, Direction::Forward, Direction::Backward, Direction::Bidirectional];
        for direction in plain.into_iter().chain([Direction::Guided]) {
            let options = Options { direction, most_rows: Some(100), ..Options::default() };
            let explored = explore(relation, property, &options).unwrap_or_else(|e| panic!("{file}: {e:?}"));
            let outcome = explored.outcome;
            let checked = check(&model, property, outcome, Certify::Always, &Limits::default())
                .unwrap_or_else(|error| panic!("{file}: {error}"));
            let length = checked.replayed().map(|replayed| replayed.length);
            assert_eq!(property.holds(length.is_some()), holds, "{file} {direction:?}");
            assert!(states.is_none() || length.map(|length| length + 1) == states, "{file} {direction:?}");
            assert!(length.is_some() || checked.grade() != Grade::None, "{file} {direction:?}");
        }
    }
}
