//! Random SMV models: every direction gives the verdict and the shortest length of the oracle, which visits state by state;
//! the kernel replays every trace and accepts every certificate; the second pass agrees with the first.

use beeline_check::{Certify, check};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::outcome::{Finding, Grade};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::Relation;
use beeline_smv::read;
use beeline_symbolic::{Direction, Options, explore};
use beeline_testkit::generate::smv::smv;
use beeline_testkit::oracle::relation::reachable;
use beeline_testkit::random::Random;

const DIRECTIONS: [Direction; 3] = [Direction::Forward, Direction::Backward, Direction::Bidirectional];

/// States that are visited at most.
const BUDGET: usize = 3_000;

fn options(direction: Direction, most_rows: Option<usize>, reorder: bool) -> Options {
    Options {
        direction,
        chaining: most_rows.is_none(),
        reorder: reorder.then_some(0),
        most_rows,
        second_pass: true,
        limits: Limits::default(),
    }
}

/// Compares all answers about a model; how many there were, and how many traces.
fn compare(relation: &Relation, context: &str) -> (usize, usize) {
    let Ok(all) = reachable(relation, BUDGET) else { return (0, 0) };
    let model = Model::Relation(relation.clone());
    let (mut answers, mut traces) = (0, 0);
    let answerable = |property: &&Property| !matches!(property.kind, PropertyKind::Refused(_));
    for property in relation.properties.iter().filter(answerable) {
        let expected = all.length(property);
        for direction in DIRECTIONS {
            for (most_rows, reorder) in [(Some(10_000), false), (Some(10_000), true), (None, false)] {
                let context = format!("{direction:?} {:?} of\n{context}", property.text);
                let outcome = explore(relation, property, &options(direction, most_rows, reorder))
                    .unwrap_or_else(|error| panic!("{error:?}\n{context}"));
                let unreachable = outcome.finding == Finding::Unreachable;
                let found = matches!(outcome.finding, Finding::Reachable { .. });
                let certified = outcome.certificate.is_some();
                let checked = check(&model, property, outcome, Certify::Always, &Limits::default())
                    .unwrap_or_else(|error| panic!("{error}\n{context}"));
                assert_eq!(checked.replayed().map(|replayed| replayed.length), expected, "{context}");
                assert_eq!((found, unreachable), (expected.is_some(), expected.is_none()), "{context}");
                let grade = match (certified, unreachable) {
                    (true, _) => Grade::Kernel,
                    (false, true) => Grade::SecondEngine,
                    (false, false) => Grade::None,
                };
                assert_eq!(checked.grade(), grade, "{context}");
                assert!(!certified || most_rows.is_some());
                (answers, traces) = (answers + 1, traces + usize::from(found));
            }
        }
    }
    (answers, traces)
}

fn compare_many(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let one = |seed: u64| {
        let text = smv(Random::new(seed));
        let reading = read(&text, "random.smv").unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}"));
        compare(&reading.relation, &format!("seed {seed}\n{text}"))
    };
    seeds.map(one).fold((0, 0), |(a, t), (answers, traces)| (a + answers, t + traces))
}

/// `BEELINE_SYMBOLIC_MODELS` says how many models; a few thousand take minutes.
#[test]
fn random_models_have_the_answers_of_the_oracle() {
    let models = std::env::var("BEELINE_SYMBOLIC_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let (answers, traces) = compare_many(0..models.max(150));
    println!("{answers} answers, {traces} traces");
    assert!(answers > 600 && traces > 100 && answers - traces > 100, "{answers} answers, {traces} traces");
}

/// The kernel does not look for deadlocks in rows of several states: there must be no such certificates.
#[test]
fn deadlocks_with_variables_that_have_no_say() {
    let text = "MODULE main\nVAR idle : boolean; x : 0..3;\nASSIGN init(x) := 0;\n\
                TRANS x < 3 & next(x) = x + 1;\nSPEC AG EX TRUE\n";
    let reading = read(text, "deadlock.smv").unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert_eq!(compare(&reading.relation, text), (9, 9));
}
