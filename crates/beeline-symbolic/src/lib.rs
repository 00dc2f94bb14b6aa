//! Symbolic search: sets of states of a relation or network as binary decision diagrams, after InvarCheck of NuSMV as P4 (Qian and
//! Nymeyer, SOFSEM 2007) describes it.
//!
//! `encoding` and `order` place variables on bits, `number` and `translate` make diagrams of expressions, `schedule` and
//! `transition` of steps; `network` has the same for networks; `search` goes from layer to layer, `approximate` bounds what
//! is reachable, `rows` and `second` support what it says. The diagrams themselves are in `diagram`, and `bdd` is what all
//! others see of them.

// Handles of diagrams count each other; what they are equal by does not change.
#![allow(clippy::mutable_key_type)]

mod approximate;
mod bdd;
mod diagram;
mod encoding;
mod network;
mod number;
mod order;
mod rows;
mod schedule;
mod search;
mod second;
mod system;
mod transition;
mod translate;

use bdd::Made;
use beeline_ir::certificate::Certificate;
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::{Property, Target};
use beeline_ir::relation::Relation;
use beeline_ir::trace::{RelationRun, RelationStep, Run, Trace};
use beeline_ir::{Model, VarId};
use network::Task;
use search::{End, Path, Search};
use std::time::Instant;
use system::{State, System};
use transition::Partitioning;
use translate::NotMade;

/// Nodes of a cluster, as in NuSMV.
const CLUSTER: usize = 1_000;

/// Bytes of stack: operations on diagrams recur over their levels.
const STACK: usize = 256 << 20;

/// Nodes beyond which to bring bits into another order, for those who want that.
pub const REORDER: usize = 1 << 15;

/// From where to search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the initial states.
    Forward,
    /// From the targets.
    Backward,
    /// From both, the smaller side first.
    Bidirectional,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// From where.
    pub direction: Direction,
    /// Whether lengths do not matter if no target is found: then forward search may take steps in any order.
    pub chaining: bool,
    /// Nodes beyond which bits are brought into another order; without, they stay.
    pub reorder: Option<usize>,
    /// Rows that a certificate may have; without, none is made.
    pub most_rows: Option<usize>,
    /// Whether to confirm by a second pass that a target is out of reach, where there is no certificate.
    pub second_pass: bool,
    /// When to stop.
    pub limits: Limits,
}

/// Searches a relation for the target of a property. Of the counters, `expanded` are images and preimages, `stored`
/// nodes of diagrams at most, garbage included.
pub fn explore(
    relation: &Relation,
    property: &Property,
    options: &Options,
) -> Result<Outcome, Vec<Diagnostic>> {
    let model = Model::Relation(relation.clone());
    with_stack(|| {
        let clustered = Partitioning { cluster: CLUSTER, split: true };
        let plain = Partitioning { cluster: 0, split: false };
        let make = |order: Option<Vec<VarId>>| {
            let partitioning = if order.is_none() { clustered } else { plain };
            let order = order.unwrap_or_else(|| order::force(relation));
            System::new(relation, property, order, partitioning, &options.limits)
        };
        let start = Instant::now();
        let system = make(None).map_err(Err)?;
        let subject = Subject {
            model: &model,
            property,
            // The kernel looks for deadlocks in rows of a single state only.
            no_rows: matches!(property.target(), Target::State(p) if system::mentions_deadlock(&p))
                .then_some("rows say nothing about deadlocks"),
            again: &|order| make(Some(order)),
            run: &|system, path| Ok(Run::Relation(relation_run(system, path)?)),
        };
        search_in(&system, &subject, options, start).map_err(Ok)
    })
}

/// Searches a network for the target of a property, if it is one that the engine can handle: without clocks, or with
/// closed clock constraints.
pub fn explore_network(
    network: &Network,
    property: &Property,
    options: &Options,
) -> Result<Outcome, Vec<Diagnostic>> {
    let model = Model::Network(network.clone());
    with_stack(|| {
        let start = Instant::now();
        let task = Task::new(network, property).map_err(Err)?;
        let (system, steps) = network::system(&task, task.order(), &options.limits).map_err(Err)?;
        let subject = Subject {
            model: &model,
            property,
            no_rows: task.clocks.count().then_some("there are no rows of digital clocks"),
            again: &|order| Ok(network::system(&task, order, &options.limits)?.0),
            run: &|system, path| Ok(Run::Network(steps.run(&task, system, path)?)),
        };
        search_in(&system, &subject, options, start).map_err(Ok)
    })
}

/// Runs something on a stack that is deep enough. What cannot be made is told as a diagnostic, a limit as an outcome.
fn with_stack(
    explore: impl FnOnce() -> Result<Outcome, Result<Vec<Diagnostic>, NotMade>> + Send,
) -> Result<Outcome, Vec<Diagnostic>> {
    let thread = std::thread::Builder::new().stack_size(STACK);
    let explored = std::thread::scope(|scope| {
        let handle = thread.spawn_scoped(scope, explore);
        match handle.map(|handle| handle.join()) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Ok(Outcome::unknown(beeline_ir::limits::StopReason::Memory)),
        }
    });
    explored.or_else(|failed| match failed {
        Ok(diagnostics) => Err(diagnostics),
        Err(NotMade::Stopped(reason)) => Ok(Outcome::unknown(reason)),
        Err(NotMade::Unsupported(what)) => {
            let message = format!("the symbolic engine does not support {what}");
            Err(vec![Diagnostic::unsupported("U0506", message, None)])
        }
    })
}

/// What is searched, whichever form it has.
struct Subject<'a> {
    model: &'a Model,
    property: &'a Property,
    /// Why there are no rows of it.
    no_rows: Option<&'static str>,
    /// Makes the system anew, with another order.
    again: &'a dyn Fn(Vec<VarId>) -> Result<System, NotMade>,
    /// Makes a run of a way through its states.
    run: &'a dyn Fn(&System, &Path) -> Made<Run>,
}

fn search_in(
    system: &System,
    subject: &Subject<'_>,
    options: &Options,
    start: Instant,
) -> Result<Outcome, Vec<Diagnostic>> {
    if let Some(at) = options.reorder {
        system.reorder(at);
    }
    let made = start.elapsed().as_secs_f64();
    let mut search = Search::new(system, options.chaining);
    let end = search.run(options.direction);
    let Subject { model, property, .. } = subject;
    let property_text = beeline_ir::text::print_property(model, property);
    let mut outcome = Outcome {
        finding: Finding::Unreachable,
        lower_bound: search.lower_bound(),
        certificate: None,
        no_certificate: None,
        second_engine: None,
        vacuous: system.b.is_no(&system.init),
        warning: None,
        stats: Stats {
            expanded: search.images,
            preprocess_seconds: made,
            search_seconds: start.elapsed().as_secs_f64() - made,
            ..Stats::default()
        },
    };
    let certificate = |length, rows: Result<Vec<_>, String>| {
        rows.map(|rows| Certificate { model: model.hash(), property: property_text.clone(), length, rows })
    };
    let most_rows = match (options.most_rows, subject.no_rows) {
        (_, Some(why)) => Err(why),
        (None, None) => Err("not asked for"),
        (Some(most), None) => Ok(most),
    };
    let run = match end {
        Ok(End::Found(path)) => (subject.run)(system, &path).map(|run| Ok((run, path))),
        Ok(End::Closed(set)) => Ok(Err(set)),
        Err(reason) => Err(reason),
    };
    let supported = match run {
        Err(reason) => {
            outcome.finding = Finding::Unknown(reason);
            Err(reason.message().to_string())
        }
        Ok(Ok((run, path))) => {
            let length = path.costs.iter().filter(|costs| **costs).count() as u32;
            let trace = Trace { model: model.hash(), property: property_text.clone(), run };
            outcome.finding = Finding::Reachable { trace, shortest: true };
            let rows = match search.layers().len() as u32 == length + 1 {
                true => rows_of(system, &search.layers()[..length as usize], most_rows),
                false => Err("there are certificates of lengths for forward search only".to_string()),
            };
            certificate(Some(length), rows)
        }
        Ok(Err(set)) => {
            let rows = rows_of(system, std::slice::from_ref(&set), most_rows);
            if rows.is_err() && options.second_pass {
                let order = system.encoding.order.iter().rev().copied().collect();
                let confirmed =
                    (subject.again)(order).and_then(|again| Ok(second::confirm(system, &set, &again)?));
                match confirmed {
                    Ok(true) => {
                        let how = "the set of states was checked again with another order of variables";
                        outcome.second_engine = Some(how.to_string());
                    }
                    Ok(false) => {
                        let message = "the second pass contradicts the first";
                        return Err(vec![Diagnostic::new(Severity::Error, "E0599", message, None)]);
                    }
                    // No grade, then.
                    Err(_) => {}
                }
            }
            certificate(None, rows)
        }
    };
    match supported {
        Ok(certificate) => outcome.certificate = Some(certificate),
        Err(why) => outcome.no_certificate = Some(why),
    }
    (outcome.stats.stored, outcome.stats.peak_bytes) = (system.b.peak() as u64, system.b.peak_bytes());
    Ok(outcome)
}

/// The run of a relation that a path through its states is.
fn relation_run(system: &System, path: &Path) -> Made<RelationRun> {
    let step = |pair: &[State]| -> Made<RelationStep> {
        let inputs = system.least_inputs(&pair[0], &pair[1])?;
        Ok(RelationStep { inputs, state: pair[1].values.clone() })
    };
    let steps = path.states.windows(2).map(step).collect::<Made<_>>()?;
    Ok(RelationRun { initial: path.states[0].values.clone(), steps })
}

/// The rows of layers, level by level.
fn rows_of(
    system: &System,
    layers: &[bdd::Bdd],
    most: Result<usize, &'static str>,
) -> Result<Vec<beeline_ir::certificate::Row>, String> {
    let most = most?;
    let mut rows = Vec::new();
    for (level, layer) in layers.iter().enumerate() {
        rows::add_rows(system, layer, level as u32, most, &mut rows)
            .ok_or_else(|| format!("the certificate would have more than {most} rows"))?;
    }
    Ok(rows)
}
