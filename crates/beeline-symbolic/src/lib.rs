//! Symbolic search: sets of states of a relation as binary decision diagrams, after InvarCheck of NuSMV as P4 (Qian and
//! Nymeyer, SOFSEM 2007) describes it.
//!
//! `encoding` and `order` place variables on bits, `number` and `translate` make diagrams of expressions, `schedule` and
//! `transition` of steps, `search` goes from layer to layer, `approximate` bounds
//! what is reachable, `rows` and `second` support what it says. The diagrams
//! themselves are in `diagram`, and `bdd` is what all others see of them.

// Handles of diagrams count each other; what they are equal by does not change.
#![allow(clippy::mutable_key_type)]

mod approximate;
mod bdd;
mod diagram;
mod encoding;
mod number;
mod order;
mod rows;
mod schedule;
mod search;
mod second;
mod system;
mod transition;
mod translate;

use beeline_ir::Model;
use beeline_ir::certificate::Certificate;
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::limits::Limits;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::{Property, Target};
use beeline_ir::relation::Relation;
use beeline_ir::trace::{Run, Trace};
use search::{End, Search};
use std::time::Instant;
use system::System;
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

/// Searches for the target of a property. Of the counters, `expanded` are images and preimages, `stored` nodes of
/// diagrams at most, garbage included.
pub fn explore(
    relation: &Relation,
    property: &Property,
    options: &Options,
) -> Result<Outcome, Vec<Diagnostic>> {
    let thread = std::thread::Builder::new().stack_size(STACK);
    std::thread::scope(|scope| {
        let handle = thread.spawn_scoped(scope, || explore_here(relation, property, options));
        match handle.map(|handle| handle.join()) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Ok(Outcome::unknown(beeline_ir::limits::StopReason::Memory)),
        }
    })
}

fn explore_here(
    relation: &Relation,
    property: &Property,
    options: &Options,
) -> Result<Outcome, Vec<Diagnostic>> {
    let start = Instant::now();
    let partitioning = Partitioning { cluster: CLUSTER, split: true };
    let made = System::new(relation, property, order::force(relation), partitioning, &options.limits);
    let system = match made {
        Ok(system) => system,
        Err(NotMade::Stopped(reason)) => return Ok(Outcome::unknown(reason)),
        Err(NotMade::Unsupported(what)) => {
            let message = format!("the symbolic engine does not support {what}");
            return Err(vec![Diagnostic::unsupported("U0506", message, None)]);
        }
    };
    if let Some(at) = options.reorder {
        system.reorder(at);
    }
    let made = start.elapsed().as_secs_f64();
    let mut search = Search::new(&system, options.chaining);
    let end = search.run(options.direction);
    let model = Model::Relation(relation.clone());
    let property_text = beeline_ir::text::print_property(&model, property);
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
    // The kernel looks for deadlocks in rows of a single state only.
    let by_rows = !matches!(property.target(), Target::State(p) if system::mentions_deadlock(&p));
    let most_rows = options.most_rows.filter(|_| by_rows);
    let supported = match end {
        Err(reason) => {
            outcome.finding = Finding::Unknown(reason);
            Err(reason.message().to_string())
        }
        Ok(End::Found(run)) => {
            let length = run.steps.len() as u32;
            let trace =
                Trace { model: model.hash(), property: property_text.clone(), run: Run::Relation(run) };
            outcome.finding = Finding::Reachable { trace, shortest: true };
            let rows = match search.layers().len() as u32 == length + 1 {
                true => rows_of(&system, &search.layers()[..length as usize], most_rows),
                false => Err("there are certificates of lengths for forward search only".to_string()),
            };
            certificate(Some(length), rows)
        }
        Ok(End::Closed(set)) => {
            let rows = rows_of(&system, std::slice::from_ref(&set), most_rows);
            if rows.is_err() && options.second_pass {
                match second::confirm(&system, &set, relation, property, &options.limits) {
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

/// The rows of layers, level by level.
fn rows_of(
    system: &System,
    layers: &[bdd::Bdd],
    most: Option<usize>,
) -> Result<Vec<beeline_ir::certificate::Row>, String> {
    let most = most.ok_or("not asked for, or about deadlocks")?;
    let mut rows = Vec::new();
    for (level, layer) in layers.iter().enumerate() {
        rows::add_rows(system, layer, level as u32, most, &mut rows)
            .ok_or_else(|| format!("the certificate would have more than {most} rows"))?;
    }
    Ok(rows)
}
