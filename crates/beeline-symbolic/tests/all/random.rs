//! Random SMV models: every search gives the verdict and the shortest length of the oracle, which visits state by state;
//! the kernel replays every trace and accepts every certificate; the second pass agrees with the first. Guided searches
//! have databases of all kinds: one or several, refined, by depth, with variables hidden at random, whole or cut off.

use beeline_check::{Certify, check};
use beeline_ir::Model;
use beeline_ir::VarId;
use beeline_ir::limits::Limits;
use beeline_ir::outcome::{Finding, Grade};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::{Relation, RelationRole, RelationVar};
use beeline_smv::read;
use beeline_symbolic::{DATABASE_NODES, Direction, Options, Pattern, explore};
use beeline_testkit::generate::smv::smv;
use beeline_testkit::oracle::relation::reachable;
use beeline_testkit::random::Random;

/// States that are visited at most.
const BUDGET: usize = 3_000;

fn options(direction: Direction, patterns: Vec<Pattern>, nodes: u64) -> Options {
    // Little room, which takes little time to provide.
    let limits = Limits { memory: Some(16 << 20), ..Limits::default() };
    Options { direction, patterns, database_nodes: nodes, limits, ..Options::default() }
}

/// All but some of the variables of states, at random.
fn hiding(relation: &Relation, random: &mut Random) -> Pattern {
    let state = |(_, var): &(VarId, &RelationVar)| var.role != RelationRole::Input;
    let states = relation.vars.enumerate().filter(state);
    Pattern::Hiding(states.map(|(_, var)| var.name.clone()).filter(|_| random.chance(50)).collect())
}

/// The searches to compare.
fn searches(relation: &Relation, random: &mut Random) -> Vec<Options> {
    let plain = [Direction::Auto, Direction::Forward, Direction::Backward, Direction::Bidirectional];
    let mut searches: Vec<Options> = plain.map(|d| options(d, Vec::new(), 0)).into();
    let (one, other) = (hiding(relation, random), hiding(relation, random));
    let patterns = [
        (vec![], DATABASE_NODES),
        (vec![Pattern::Depth(random.below(3) as u32)], DATABASE_NODES),
        (vec![one.clone()], DATABASE_NODES),
        (vec![one.clone(), other.clone(), Pattern::Depth(0)], DATABASE_NODES),
        // Cut off: nothing, or little more.
        (vec![Pattern::Refined], random.below(400) as u64),
        (vec![one, other], random.below(100) as u64),
        // Parts of targets whose databases are left half made.
        (vec![], random.below(4_000) as u64),
    ];
    searches.extend(patterns.map(|(patterns, nodes)| options(Direction::Guided, patterns, nodes)));
    searches
}

/// Compares all answers about a model; how many there were, and how many traces.
pub fn compare(relation: &Relation, context: &str, mut random: Random) -> (usize, usize) {
    let Ok(all) = reachable(relation, BUDGET) else { return (0, 0) };
    let model = Model::Relation(relation.clone());
    let (mut answers, mut traces) = (0, 0);
    let answerable = |property: &&Property| !matches!(property.kind, PropertyKind::Refused(_));
    for property in relation.properties.iter().filter(answerable) {
        let expected = all.length(property);
        for search in searches(relation, &mut random) {
            for (most_rows, reorder) in [(Some(10_000), None), (None, Some(0))] {
                // Where there are no rows, the order of steps and bits may be any.
                let options = Options { most_rows, reorder, chaining: most_rows.is_none(), ..search.clone() };
                let context = format!("{options:?} {:?} of\n{context}", property.text);
                let explored = explore(relation, property, &options)
                    .unwrap_or_else(|error| panic!("{error:?}\n{context}"));
                let bound = explored.h_initial.filter(|_| explored.direction == Direction::Guided);
                assert!(expected.is_none_or(|length| bound.is_none_or(|h| h <= length)), "{context}");
                let outcome = explored.outcome;
                assert!(expected.is_none_or(|length| outcome.lower_bound <= length), "{context}");
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
        compare(&reading.relation, &format!("seed {seed}\n{text}"), Random::new(!seed))
    };
    seeds.map(one).fold((0, 0), |(a, t), (answers, traces)| (a + answers, t + traces))
}

/// `BEELINE_SYMBOLIC_MODELS` says how many models; a few thousand take minutes.
#[test]
fn random_models_have_the_answers_of_the_oracle() {
    let models = std::env::var("BEELINE_SYMBOLIC_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let first = std::env::var("BEELINE_SYMBOLIC_FIRST").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (answers, traces) = compare_many(first..first + models.max(150));
    println!("{answers} answers, {traces} traces");
    assert!(answers > 2_000 && traces > 300 && answers - traces > 300, "{answers} answers, {traces} traces");
}

/// Layers of databases hold what looks like a state and breaks an `INVAR`; in certificates of lengths that met the target.
#[test]
fn what_looks_like_a_state_is_no_part_of_a_certificate() {
    let (answers, traces) = compare_many(10_883..10_884);
    assert!(answers > 0 && traces > 0, "{answers} answers, {traces} traces");
}

/// The kernel does not look for deadlocks in rows of several states: there must be no such certificates.
#[test]
fn deadlocks_with_variables_that_have_no_say() {
    let text = "MODULE main\nVAR idle : boolean; x : 0..3;\nASSIGN init(x) := 0;\n\
                TRANS x < 3 & next(x) = x + 1;\nSPEC AG EX TRUE\n";
    let reading = read(text, "deadlock.smv").unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    assert_eq!(compare(&reading.relation, text, Random::new(1)), (22, 22));
}
