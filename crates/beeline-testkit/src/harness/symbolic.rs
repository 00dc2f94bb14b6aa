//! The symbolic engine against the explicit one and the oracle: the same verdict and the same least length from every
//! direction, traces that the kernel replays, certificates that it accepts, second passes that agree.

use super::compare::{Tally, Trouble, TroubleKind, run, wellformed};
use crate::feature::Feature;
use crate::generate::Shape;
use crate::oracle;
use crate::random::Random;
use beeline_abstraction::Functional;
use beeline_check::{Certify, check as judge};
use beeline_engine::{Options, SearchKind};
use beeline_ir::Model;
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::limits::{Limits, StopReason, Work};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Grade, Outcome};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::Relation;
use beeline_symbolic::{DATABASE_NODES, Direction, Explored, Pattern, UNFINISHED, explore, explore_network};

/// All directions.
pub const DIRECTIONS: [Direction; 3] = [Direction::Forward, Direction::Backward, Direction::Bidirectional];

/// Bytes of diagrams; models that need more are counted as refused.
const MEMORY: u64 = 1 << 25;

/// Units of work for a network; those that need more are counted as refused, too.
const WORK: u64 = 1 << 29;

/// The shape, with clock constraints that digital clocks can do with.
#[must_use]
pub fn closed(shape: Shape) -> Shape {
    shape.with(Feature::StrictBound, 0).with(Feature::Diagonal, 0)
}

/// Compares the engines on one model with one property.
pub fn check(network: &Network, seed: u64, budget: usize) -> Result<Tally, Trouble> {
    let model = Model::Network(network.clone());
    let Some(property) = network.properties.first() else {
        return Err(Trouble::new(TroubleKind::IllFormed, "no property"));
    };
    wellformed(&model)?;
    let Ok(answer) = oracle::solve(network, property, true, budget) else {
        return Ok(Tally { skipped: true, ..Tally::default() });
    };
    let mut tally = Tally { length: answer.length, states: answer.states, ..Tally::default() };
    (tally.discrete, tally.fails) = (answer.reachable.len(), answer.fails);
    let options = Options { search: SearchKind::Bfs, any_length: false, ..Options::default() };
    let explicit = run(network, property, &options)?;
    let least = match (&explicit.finding, answer.length) {
        (Finding::Unknown(StopReason::PropertyFails), None) => None,
        _ => Some(answer.length),
    };
    let mut random = Random::new(!seed);
    let guided = guided(network, &mut random).into_iter().map(|patterns| (Direction::Guided, patterns));
    let searches = DIRECTIONS.into_iter().map(|direction| (direction, Vec::new())).chain(guided);
    for (at, (direction, patterns)) in searches.enumerate() {
        let rows = (seed + at as u64).is_multiple_of(2).then_some(20_000);
        // Whole databases, or little of them.
        let nodes = if random.chance(50) { DATABASE_NODES } else { random.below(4_000) as u64 };
        let said = format!("{direction:?} {patterns:?}, {nodes} nodes, rows {rows:?}");
        let mut options =
            beeline_symbolic::Options { patterns, database_nodes: nodes, ..symbolic(direction, rows) };
        options.limits.work = Some(Work::new(WORK, 0));
        let explored = explore_network(network, property, &options);
        let trouble = |t: Trouble| Trouble::new(t.kind, format!("{said}: {}", t.detail));
        compare(&model, property, claim(explored), least, &mut tally).map_err(trouble)?;
        if tally.refused.is_some() {
            break;
        }
    }
    Ok(tally)
}

/// What databases of networks are made of: what is found by turns, refined variables, those of some depth, and all but
/// some, by themselves or together.
fn guided(network: &Network, random: &mut Random) -> Vec<Vec<Pattern>> {
    let processes = network.processes.iter().map(|process| process.name.clone());
    let integers = network.vars.ids().map(|id| network.var_name(id));
    let clocks = network.clocks.ids().map(|id| network.clock_name(id));
    let names: Vec<String> = processes.chain(integers).chain(clocks).collect();
    let mut hiding = || Pattern::Hiding(names.iter().filter(|_| random.chance(50)).cloned().collect());
    let (one, other) = (hiding(), hiding());
    let depth = Pattern::Depth(random.below(3) as u32);
    vec![vec![], vec![Pattern::Refined], vec![one.clone()], vec![one, other, depth]]
}

/// How the symbolic engine searches random models.
pub fn symbolic(direction: Direction, most_rows: Option<usize>) -> beeline_symbolic::Options {
    // Where there are no rows, the order of steps and bits may be any.
    let (chaining, reorder) = (most_rows.is_none(), most_rows.is_none().then_some(0));
    let limits = Limits { memory: Some(MEMORY), ..Limits::default() };
    beeline_symbolic::Options { direction, chaining, reorder, most_rows, limits, ..Default::default() }
}

/// What the symbolic engine claims, however it came to it.
fn claim(explored: Result<Explored, Vec<Diagnostic>>) -> Result<Outcome, Vec<Diagnostic>> {
    explored.map(|explored| explored.outcome)
}

/// Compares an answer with what is right: the least length, if there is one; `None` if the property has no value
/// somewhere. What is refused, and why, is noted.
pub fn compare(
    model: &Model,
    property: &Property,
    explored: Result<Outcome, Vec<Diagnostic>>,
    least: Option<Option<u32>>,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    let outcome = match explored {
        Ok(outcome) => outcome,
        Err(why) if why.iter().all(|d| d.severity == Severity::Unsupported) => {
            tally.refused = why.first().map(|d| d.message.clone());
            return Ok(());
        }
        Err(why) => return Err(Trouble::new(TroubleKind::Refused, format!("{why:?}"))),
    };
    tally.searches += 1;
    let found = matches!(outcome.finding, Finding::Reachable { .. });
    match (&outcome.finding, least) {
        (Finding::Unknown(stop @ (StopReason::Memory | StopReason::Work)), _) => {
            tally.refused = Some(format!("{stop:?}").to_lowercase());
            return Ok(());
        }
        (Finding::Unknown(StopReason::PropertyFails), None)
        | (Finding::Reachable { .. }, Some(Some(_)))
        | (Finding::Unreachable, Some(None)) => {}
        (finding, _) => {
            let detail = format!("{finding:?} where {least:?} is right");
            return Err(Trouble::new(TroubleKind::Verdict, detail));
        }
    }
    let (unreachable, certified) = (outcome.finding == Finding::Unreachable, outcome.certificate.is_some());
    let bound = outcome.lower_bound;
    // The memory of the harness may do for a proof and not for checking it.
    let unfinished = outcome.no_certificate.as_ref().is_some_and(|why| why.contains(UNFINISHED));
    let checked = judge(model, property, outcome, Certify::Always, &Limits::default())
        .map_err(|error| Trouble::new(TroubleKind::Replay, error.to_string()))?;
    let length = checked.replayed().map(|replayed| replayed.length);
    if least.is_some_and(|least| length != least || least.is_some_and(|least| bound > least)) {
        let detail = format!("length {length:?}, at least {bound}, where {least:?} is right");
        return Err(Trouble::new(TroubleKind::Length, detail));
    }
    let grade = match (certified, unreachable) {
        (true, _) => Grade::Kernel,
        (false, true) if !unfinished => Grade::SecondEngine,
        (false, _) => Grade::None,
    };
    if checked.grade() != grade {
        let detail = format!("{:?} where {grade:?} was due", checked.grade());
        return Err(Trouble::new(TroubleKind::Certificate, detail));
    }
    tally.traces += u64::from(found);
    tally.certificates += u64::from(certified);
    tally.uncertified += u64::from(!certified);
    Ok(())
}

/// Compares the engines on all questions of one random relation: the symbolic one from every direction, and the explicit
/// one on the network that the relation is, if it is one.
pub fn check_relation(relation: &Relation, seed: u64, budget: usize) -> Result<Tally, Trouble> {
    let model = Model::Relation(relation.clone());
    let Ok(all) = oracle::relation::reachable(relation, budget) else {
        return Ok(Tally { skipped: true, ..Tally::default() });
    };
    let mut tally = Tally { states: all.states.len(), discrete: all.states.len(), ..Tally::default() };
    let answerable = |property: &&Property| !matches!(property.kind, PropertyKind::Refused(_));
    for property in relation.properties.iter().filter(answerable) {
        let least = Some(all.length(property));
        tally.length = tally.length.or(all.length(property));
        let directions = DIRECTIONS.into_iter().chain([Direction::Auto, Direction::Guided]);
        for (at, direction) in directions.enumerate() {
            let rows = (seed + at as u64).is_multiple_of(2).then_some(20_000);
            let explored = explore(relation, property, &symbolic(direction, rows));
            let trouble =
                |t: Trouble| Trouble::new(t.kind, format!("{direction:?} {:?}: {}", property.text, t.detail));
            compare(&model, property, claim(explored), least, &mut tally).map_err(trouble)?;
        }
        let functional = match Functional::with_edges(relation, property, [0, 4, 64][seed as usize % 3]) {
            Ok(functional) => functional,
            Err(what) => {
                tally.refused = Some(format!("no network: {what}"));
                continue;
            }
        };
        let trouble = |t: Trouble| {
            let text = beeline_ir::text::print(&Model::Network(functional.network.clone()));
            Trouble::new(t.kind, format!("explicit {:?}: {}\n{text}", property.text, t.detail))
        };
        let options = Options { search: SearchKind::Bfs, any_length: false, ..Options::default() };
        let mut explored = run(&functional.network, &functional.property, &options).map_err(trouble)?;
        let back = functional.put_back(&mut explored);
        back.map_err(|e| trouble(Trouble::new(TroubleKind::Verdict, e.to_string())))?;
        compare(&model, property, Ok(explored), least, &mut tally).map_err(trouble)?;
    }
    Ok(tally)
}
