//! Partial-order reduction, on and off: the same verdict for every property, and the same shortest length where lengths
//! are kept. The reference is the search without reduction, which others hold to the oracle, so that many models can be
//! looked at in little time.

use super::compare::{self, Tally, Trouble, TroubleKind};
use super::promela;
use beeline_abstraction::Functional;
use beeline_check::replay;
use beeline_engine::{Options, Reduction, SearchKind};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::Relation;
use beeline_promela::Length;
use beeline_zones::fault;

/// States of a model at most; larger ones are skipped.
const STATES: u64 = 20_000;

/// How each model is searched: whether lengths matter, and by which reduction.
const GRID: [(SearchKind, bool, Reduction); 5] = [
    (SearchKind::Bfs, false, Reduction::Stubborn),
    (SearchKind::Bfs, true, Reduction::Stubborn),
    (SearchKind::Dfs, true, Reduction::Stubborn),
    (SearchKind::Bfs, true, Reduction::Ample),
    (SearchKind::RandomDfs, true, Reduction::Ample),
];

/// Searches for every property of a network with and without reduction. The seed chooses the rest of the options.
pub fn check(network: &Network, seed: u64) -> Result<Tally, Trouble> {
    let mut tally = Tally { skipped: true, ..Tally::default() };
    for property in &network.properties {
        if !matches!(property.kind, PropertyKind::Refused(_)) {
            check_property(network, property, seed, &mut tally)?;
        }
    }
    Ok(tally)
}

/// The same for a Promela text.
pub fn check_promela(text: &str, seed: u64) -> Result<Tally, Trouble> {
    let length = if seed.is_multiple_of(3) { Length::Spin } else { Length::Statements };
    check(&promela::network(text, length)?, seed)
}

/// The same for a relation, where it is a network.
pub fn check_relation(relation: &Relation, seed: u64) -> Result<Tally, Trouble> {
    let mut tally = Tally { skipped: true, ..Tally::default() };
    for property in &relation.properties {
        if let Ok(functional) = Functional::of(relation, property) {
            check_property(&functional.network, &functional.property, seed, &mut tally)?;
        }
    }
    Ok(tally)
}

fn check_property(
    network: &Network,
    property: &Property,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    let plain = Options { certificate: false, limits, ..Options::default() };
    // What is to be noticed is wrong with the reduction, or it is noticed elsewhere.
    let injected = fault::injected();
    fault::inject(None);
    let reference = compare::run(network, property, &plain);
    fault::inject(injected);
    let reference = reference?;
    let model = Model::Network(network.clone());
    let expected = match &reference.finding {
        Finding::Unknown(_) => return Ok(()),
        _ => length(&model, property, &reference)?,
    };
    tally.skipped = false;
    tally.length = tally.length.or(expected);
    for (search, any_length, partial_order) in GRID {
        let dead_variables = seed.is_multiple_of(2);
        let threads = 1 + (seed % 3 / 2) as usize;
        let options =
            Options { search, any_length, partial_order, seed, dead_variables, threads, ..plain.clone() };
        let outcome = compare::run(network, property, &options)?;
        tally.searches += 1;
        tally.reduced += u64::from(outcome.stats.left_out > 0);
        let named = format!("{search:?} {partial_order:?}, any length {any_length}");
        let found = match &outcome.finding {
            Finding::Unknown(reason) => {
                return Err(Trouble::new(TroubleKind::Unknown, format!("{named}: {}", reason.message())));
            }
            _ => length(&model, property, &outcome)?,
        };
        if found.is_some() != expected.is_some() {
            let detail = format!("{named}: length {found:?} where all labels lead to {expected:?}");
            return Err(Trouble::new(TroubleKind::Verdict, detail));
        }
        if found < expected || !any_length && found != expected {
            let detail = format!("{named}: length {found:?} where all labels lead to {expected:?}");
            return Err(Trouble::new(TroubleKind::Length, detail));
        }
    }
    Ok(())
}

/// The steps of the trace, if there is one; it has to be replayed.
fn length(model: &Model, property: &Property, outcome: &Outcome) -> Result<Option<u32>, Trouble> {
    let Finding::Reachable { trace, .. } = &outcome.finding else { return Ok(None) };
    let replayed = replay(model, property, trace);
    let replayed = replayed.map_err(|error| Trouble::new(TroubleKind::Replay, format!("{error:?}")))?;
    Ok(Some(replayed.length))
}
