//! Reductions, on and off and together: partial order, symmetry, compact storage. The same verdict for a property, and
//! the same shortest length where lengths are kept; storage that may miss states finds nothing that is not there and
//! proves nothing. The reference is the search without reduction, which others hold to the oracle, so that many models
//! can be looked at in little time.

use super::compare::{self, Tally, Trouble, TroubleKind};
use super::promela;
use crate::generate::clones;
use crate::random::Random;
use beeline_abstraction::Functional;
use beeline_check::replay;
use beeline_engine::{Bitstate, Options, Reduction, SearchKind, Storage};
use beeline_heuristics::registry::{Making, NotMade, Spec};
use beeline_ir::Model;
use beeline_ir::limits::{Limits, StopReason, Work};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::Relation;
use beeline_promela::Length;
use beeline_zones::fault;

/// States of a model at most; larger ones are skipped. With a reduction it may have more, as zones come in another order.
const STATES: u64 = 4_000;
const STATES_REDUCED: u64 = 10 * STATES;

/// How each model is searched: whether lengths matter, by which reduction, whether interchangeable processes are sorted,
/// and what is kept of states.
type Way = (SearchKind, bool, Reduction, bool, Storage);

const GRID: [Way; 12] = [
    (SearchKind::Bfs, false, Reduction::Stubborn, false, Storage::Plain),
    (SearchKind::Bfs, false, Reduction::Off, true, Storage::Plain),
    (SearchKind::Bfs, false, Reduction::Stubborn, true, Storage::Collapse),
    (SearchKind::AStar, false, Reduction::Stubborn, true, Storage::Plain),
    (SearchKind::Bfs, true, Reduction::Stubborn, false, Storage::Plain),
    (SearchKind::Dfs, true, Reduction::Stubborn, false, Storage::Plain),
    (SearchKind::Dfs, true, Reduction::Off, true, Storage::Collapse),
    (SearchKind::Bfs, true, Reduction::Ample, false, Storage::Plain),
    (SearchKind::RandomDfs, true, Reduction::Ample, false, Storage::Plain),
    (SearchKind::RandomDfs, true, Reduction::Ample, true, Storage::Plain),
    (SearchKind::Bfs, true, Reduction::Stubborn, true, Storage::HashCompaction),
    (SearchKind::Dfs, true, Reduction::Ample, true, Storage::Bitstate),
];

/// The heuristics of the directed search, by turns.
const HEURISTICS: [&str; 3] = ["hl", "dpr", "pa:split=2"];

/// Units of work that a heuristic may take, and those of a successor.
const HEURISTIC_WORK: u64 = 1 << 22;
const SUCCESSOR_WORK: u64 = 2_000;

/// Searches for a property of a network with and without reduction. The seed chooses it, and the rest of the options.
pub fn check(network: &Network, seed: u64) -> Result<Tally, Trouble> {
    let mut tally = Tally { skipped: true, ..Tally::default() };
    if let Some(property) = chosen(&network.properties, seed) {
        check_property(network, property, seed, &mut tally)?;
    }
    Ok(tally)
}

/// One of the properties that can be asked for.
fn chosen(properties: &[Property], seed: u64) -> Option<&Property> {
    let asked = || properties.iter().filter(|property| !matches!(property.kind, PropertyKind::Refused(_)));
    asked().nth((seed / 3) as usize % asked().count().max(1))
}

/// The same for a Promela text, with copies of a process if there is a number for them.
pub fn check_promela(text: &str, seed: u64, clones: Option<u64>) -> Result<Tally, Trouble> {
    let length = if seed.is_multiple_of(3) { Length::Spin } else { Length::Statements };
    let mut network = promela::network(text, length)?;
    if let Some(other) = clones {
        clones::add(&mut network, &mut Random::new(seed ^ other));
    }
    check(&network, seed)
}

/// The same for a relation, where it is a network.
pub fn check_relation(relation: &Relation, seed: u64) -> Result<Tally, Trouble> {
    let mut tally = Tally { skipped: true, ..Tally::default() };
    let functional = chosen(&relation.properties, seed).map(|property| Functional::of(relation, property));
    if let Some(Ok(functional)) = functional {
        check_property(&functional.network, &functional.property, seed, &mut tally)?;
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
    // A model with one process has nothing to reduce but its storage: a third of the ways for each.
    let every = if network.processes.len() > 1 { 1 } else { 3 };
    for way in GRID.into_iter().skip(seed as usize % every).step_by(every) {
        let Some(outcome) = search(network, property, way, seed, &plain)? else { continue };
        let (_, any_length, _, symmetry, storage) = way;
        let lossy = matches!(storage, Storage::HashCompaction | Storage::Bitstate);
        let fewer = symmetry && !any_length && outcome.stats.stored < reference.stats.stored;
        tally.reduced += u64::from(outcome.stats.left_out > 0 || fewer && expected.is_none());
        let trouble = |kind, detail: String| Err(Trouble::new(kind, format!("{way:?}: {detail}")));
        let found = match &outcome.finding {
            Finding::Unknown(StopReason::Hashed) if lossy => continue,
            // Who goes another way may meet many more states before the target, zones in another order, or dead variables.
            Finding::Unknown(StopReason::States) => continue,
            Finding::Unknown(reason) => return trouble(TroubleKind::Unknown, reason.message().to_string()),
            Finding::Unreachable if lossy => {
                return trouble(TroubleKind::Verdict, "hashes prove nothing".to_string());
            }
            _ => length(&model, property, &outcome)?,
        };
        let detail = || format!("length {found:?} where all labels lead to {expected:?}");
        if found.is_some() != expected.is_some() {
            return trouble(TroubleKind::Verdict, detail());
        }
        if found < expected || !any_length && found != expected {
            return trouble(TroubleKind::Length, detail());
        }
        tally.searches += 1;
    }
    Ok(())
}

/// The search of one way; `None` if its heuristic takes too much work.
fn search(
    network: &Network,
    property: &Property,
    (search, any_length, partial_order, symmetry, storage): Way,
    seed: u64,
    plain: &Options,
) -> Result<Option<Outcome>, Trouble> {
    let options = Options {
        search,
        any_length,
        partial_order,
        symmetry,
        storage: Some(storage),
        bitstate: Bitstate { bytes: Some(1 << 14), hashes: 2 },
        seed,
        dead_variables: seed.is_multiple_of(2),
        narrow_beyond: (!seed.is_multiple_of(3)).then_some(0),
        threads: 1 + (seed % 3 / 2) as usize,
        limits: Limits { states: Some(STATES_REDUCED), ..plain.limits.clone() },
        ..plain.clone()
    };
    if search != SearchKind::AStar {
        return compare::run(network, property, &options).map(Some);
    }
    let spec = HEURISTICS[(seed / 2) as usize % HEURISTICS.len()];
    let refused = |message: String| Trouble::new(TroubleKind::Refused, format!("{spec}: {message}"));
    let limits = Limits { work: Some(Work::new(HEURISTIC_WORK, SUCCESSOR_WORK)), ..plain.limits.clone() };
    let making = Making::new(network, property, &limits);
    let made = Spec::parse(spec).map_err(refused).map(|spec| beeline_heuristics::make(&making, &spec))?;
    match made {
        Ok(heuristic) => compare::run_with(network, property, &options, &mut [heuristic]).map(Some),
        Err(NotMade::Stopped(_)) => Ok(None),
        Err(reason) => Err(refused(reason.to_string())),
    }
}

/// The steps of the trace, if there is one; it has to be replayed.
fn length(model: &Model, property: &Property, outcome: &Outcome) -> Result<Option<u32>, Trouble> {
    let Finding::Reachable { trace, .. } = &outcome.finding else { return Ok(None) };
    let replayed = replay(model, property, trace);
    let replayed = replayed.map_err(|error| Trouble::new(TroubleKind::Replay, format!("{error:?}")))?;
    Ok(Some(replayed.length))
}
