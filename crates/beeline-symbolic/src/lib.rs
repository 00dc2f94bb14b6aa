//! Symbolic search: sets of states of a relation as binary decision diagrams, after InvarCheck of NuSMV as P4 (Qian and
//! Nymeyer, SOFSEM 2007) describes it.
//!
//! `encoding` and `order` place variables on bits, `number` and `translate` make diagrams of expressions, `schedule`,
//! `split` and `transition` of steps. `search` goes from layer to layer, `guided` by the estimates of a `database`, for
//! which `cone` and `refine` choose variables and `invariants` says what is possible; `guidance` puts these together,
//! `auto` takes turns, `race` runs two searches at once. `rows` and `second` support what they say. Only `bdd` sees the
//! library.

// Diagrams count their references inside; what they are equal by does not change.
#![allow(clippy::mutable_key_type)]

mod auto;
mod bdd;
mod cone;
mod count;
mod database;
mod encoding;
mod guidance;
mod guided;
mod invariants;
mod number;
mod order;
mod race;
mod refine;
mod rows;
mod schedule;
mod search;
mod second;
mod split;
mod system;
mod trace;
mod transition;
mod translate;

use bdd::{Bdd, Made};
use beeline_ir::certificate::{Certificate, Row};
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::{Property, Target};
use beeline_ir::relation::Relation;
use beeline_ir::trace::{Run, Trace};
use beeline_ir::{Model, VarId};
use guidance::Guidance;
use search::{End, Search};
use std::time::{Duration, Instant};
use system::System;
use transition::Partitioning;
use translate::NotMade;

/// Nodes of a cluster, as in NuSMV.
const CLUSTER: usize = 1_000;

/// Bytes of stack: operations on diagrams recur over their levels.
const STACK: usize = 256 << 20;

/// Bytes of a node.
const NODE_BYTES: u64 = 32;

/// Nodes for a database, unless asked otherwise.
pub const DATABASE_NODES: u64 = 20_000_000;

/// From where to search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Forward and, by turns, by refinement of an abstraction, whatever answers first.
    Auto,
    /// From the initial states.
    Forward,
    /// From the targets.
    Backward,
    /// From both, the smaller side first.
    Bidirectional,
    /// From the initial states, by the estimates of symbolic pattern databases.
    Guided,
}

/// What a symbolic pattern database sees of a relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The variables of the property, and those that abstract counterexamples ask for.
    Refined,
    /// The variables that are at most so many assignments or constraints away from the property.
    Depth(u32),
    /// All but these.
    Hiding(Vec<VarId>),
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// From where.
    pub direction: Direction,
    /// For guided search, a database each; without any, [`Pattern::Refined`].
    pub patterns: Vec<Pattern>,
    /// Nodes of diagrams that may be made for each of them. What is not finished then is cut off.
    pub database_nodes: u64,
    /// Time for each of them, if it is to have one: then results depend on time.
    pub database_time: Option<Duration>,
    /// Rows that a certificate may have; without, none is made.
    pub most_rows: Option<usize>,
    /// Whether to confirm by a second pass that a target is out of reach, where there is no certificate.
    pub second_pass: bool,
    /// With two threads and no direction given, two searches run side by side, and the first answer counts.
    pub threads: usize,
    /// When to stop.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            direction: Direction::Auto,
            patterns: Vec::new(),
            database_nodes: DATABASE_NODES,
            database_time: None,
            most_rows: None,
            second_pass: true,
            threads: 1,
            limits: Limits::default(),
        }
    }
}

/// What a search claims, and how it was done.
#[derive(Clone, PartialEq, Debug)]
pub struct Explored {
    /// The claim. Of the counters, `expanded` are images and preimages, `stored` nodes of diagrams at most, garbage
    /// included, `total_nodes` nodes made: each node counts when it is made, and again when it is made again after it was
    /// collected as garbage. This is what P4 calls total nodes. The second pass does not count there.
    pub outcome: Outcome,
    /// The search that was done.
    pub direction: Direction,
    /// The estimate for the initial states; `None` if it is infinite.
    pub h_initial: Option<u32>,
    /// The databases that were made.
    pub databases: Vec<DatabaseReport>,
}

pub use guidance::DatabaseReport;

/// Searches for the target of a property.
pub fn explore(
    relation: &Relation,
    property: &Property,
    options: &Options,
) -> Result<Explored, Vec<Diagnostic>> {
    if options.threads > 1 && options.direction == Direction::Auto {
        return race::explore(relation, property, options);
    }
    std::thread::scope(|scope| {
        let handle = spawn(scope, || explore_here(relation, property, options));
        match handle.map(|handle| handle.join()) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Ok(Explored::stopped(StopReason::Memory, options)),
        }
    })
}

/// A thread with room to recur over all levels.
fn spawn<'s, T: Send + 's>(
    scope: &'s std::thread::Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> std::io::Result<std::thread::ScopedJoinHandle<'s, T>> {
    std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)
}

impl Explored {
    /// Nothing was found out, for that reason.
    fn stopped(reason: StopReason, options: &Options) -> Self {
        let (outcome, direction) = (Outcome::unknown(reason), options.direction);
        Self { outcome, direction, h_initial: Some(0), databases: Vec::new() }
    }
}

fn explore_here(
    relation: &Relation,
    property: &Property,
    options: &Options,
) -> Result<Explored, Vec<Diagnostic>> {
    let start = Instant::now();
    let partitioning = Partitioning { cluster: CLUSTER, split: true };
    let made = System::new(relation, property, order::force(relation), partitioning, &options.limits);
    let system = match made {
        Ok(system) => system,
        Err(NotMade::Stopped(reason)) => return Ok(Explored::stopped(reason, options)),
        Err(NotMade::Unsupported(what)) => {
            let message = format!("the symbolic engine does not support {what}");
            return Err(vec![Diagnostic::unsupported("U0506", message, None)]);
        }
    };
    let mut seconds = start.elapsed().as_secs_f64();
    let b = &system.b;
    // A shortest run, an inductive set: neither says where the property has a value. Only all reachable states do.
    let mut direction = if b.is_no(&system.unclear) { options.direction } else { Direction::Forward };
    let mut guidance = Guidance::default();
    let end = match direction {
        Direction::Auto => {
            let end;
            (end, direction) = auto::search(&system, relation, &mut guidance);
            end
        }
        Direction::Guided => {
            let (end, seconds_made) = guidance.search(&system, relation, options);
            seconds += seconds_made;
            end
        }
        Direction::Forward | Direction::Backward | Direction::Bidirectional => {
            let mut search = Search::new(&system);
            let end = search.run(direction);
            (guidance.images, guidance.lower_bound) = (search.images, search.lower_bound());
            end
        }
    };
    let Guidance { h_initial, reports: databases, images, lower_bound } = guidance;
    let mut outcome = Outcome {
        finding: Finding::Unreachable,
        lower_bound,
        certificate: None,
        no_certificate: None,
        second_engine: None,
        vacuous: b.is_no(&system.init),
        warning: None,
        stats: Stats {
            expanded: images,
            total_nodes: b.made(),
            preprocess_seconds: seconds,
            search_seconds: start.elapsed().as_secs_f64() - seconds,
            ..Stats::default()
        },
    };
    let bug = support(&system, end, relation, property, options, &mut outcome);
    if let Some(bug) = bug {
        return Err(vec![Diagnostic::new(Severity::Error, "E0599", bug, None)]);
    }
    let peak = b.peak() as u64;
    (outcome.stats.stored, outcome.stats.peak_bytes) = (peak, peak * NODE_BYTES);
    Ok(Explored { outcome, direction, h_initial, databases })
}

/// Makes a claim of how a search ended, with a certificate by rows or a second pass; a message if they contradict.
fn support(
    system: &System,
    end: Made<End>,
    relation: &Relation,
    property: &Property,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<&'static str> {
    let model = Model::Relation(relation.clone());
    let property_text = beeline_ir::text::print_property(&model, property);
    // The kernel looks for deadlocks in rows of a single state only.
    let by_rows = !matches!(property.target(), Target::State(p) if system::mentions_deadlock(&p));
    let most_rows = options.most_rows.filter(|_| by_rows);
    let (length, rows) = match end {
        Err(reason) => {
            outcome.finding = Finding::Unknown(reason);
            (None, Err(reason.message().to_string()))
        }
        Ok(End::Found(run, levels)) => {
            let length = run.steps.len() as u32;
            let property = property_text.clone();
            let trace = Trace { model: model.hash(), property, run: Run::Relation(run) };
            outcome.finding = Finding::Reachable { trace, shortest: true };
            let rows = match levels {
                Some(levels) => rows_of(system, &levels, most_rows),
                None => {
                    Err("there are certificates of lengths for forward and guided search only".to_string())
                }
            };
            (Some(length), rows)
        }
        Ok(End::Closed(set)) => {
            let rows = rows_of(system, &[(0, set.clone())], most_rows);
            if rows.is_err() && options.second_pass {
                match second::confirm(system, &set, relation, property, &options.limits) {
                    Ok(true) => {
                        let how = "the set of states was checked again with another order of variables";
                        outcome.second_engine = Some(how.to_string());
                    }
                    Ok(false) => return Some("the second pass contradicts the first"),
                    // No grade, then.
                    Err(_) => {}
                }
            }
            (None, rows)
        }
    };
    match rows {
        Ok(rows) => {
            let (model, property) = (model.hash(), property_text);
            outcome.certificate = Some(Certificate { model, property, length, rows });
        }
        Err(why) => outcome.no_certificate = Some(why),
    }
    None
}

/// The rows of sets at their levels.
fn rows_of(system: &System, levels: &[(u32, Bdd)], most: Option<usize>) -> Result<Vec<Row>, String> {
    let most = most.ok_or("not asked for, or about deadlocks")?;
    let mut rows = Vec::new();
    for (level, set) in levels {
        rows::add_rows(system, set, *level, most, &mut rows)
            .ok_or_else(|| format!("the certificate would have more than {most} rows"))?;
    }
    Ok(rows)
}
