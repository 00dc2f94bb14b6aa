//! From a model to a claim: its diagrams are made, searched, and what comes of it is supported by rows for the kernel, or by
//! a second pass.

use crate::bdd::{Bdd, Made};
use crate::guidance::Guidance;
use crate::network::{self, Task};
use crate::search::{End, Search};
use crate::system::{self, System};
use crate::trace::Path;
use crate::transition::Partitioning;
use crate::translate::NotMade;
use crate::{Direction, Explored, Options, order, race, rows, second, turns};
use beeline_ir::certificate::{Certificate, Row};
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::{Property, Target};
use beeline_ir::relation::Relation;
use beeline_ir::trace::{Run, Trace};
use beeline_ir::{Model, VarId};
use std::time::Instant;

/// Nodes of a cluster, as in NuSMV.
pub(crate) const CLUSTER: usize = 1_000;

/// Nodes that may be made for what nobody has asked for.
const LITTLE: u64 = 10_000;

/// Bytes of stack: operations on diagrams recur over their levels.
pub(crate) const STACK: usize = 256 << 20;

/// Searches a relation for the target of a property.
pub fn explore(
    relation: &Relation,
    property: &Property,
    options: &Options,
) -> Result<Explored, Vec<Diagnostic>> {
    if options.threads > 1 && options.direction == Direction::Auto {
        return race::explore(relation, property, options);
    }
    with_stack(options, || explore_here(relation, property, options))
}

/// Searches a network for the target of a property, if it is one that the engine can handle: without clocks, or with
/// closed clock constraints.
pub fn explore_network(
    network: &Network,
    property: &Property,
    options: &Options,
) -> Result<Explored, Vec<Diagnostic>> {
    let model = Model::Network(network.clone());
    with_stack(options, || {
        let start = Instant::now();
        let made = Task::new(network, property)
            .and_then(|task| Ok((network::system(&task, task.order(), &options.limits)?, task)));
        let ((system, steps), task) = match made {
            Ok(made) => made,
            Err(error) => return not_made(error, options),
        };
        let subject = Subject {
            model: &model,
            property,
            may_end: false,
            no_rows: task.clocks.count().then_some("there are no rows of digital clocks"),
            again: &|order| Ok(network::system(&task, order, &options.limits)?.0),
            run: &|system, path| Ok(Run::Network(steps.run(&task, system, path)?)),
        };
        search_in(&system, &subject, options, start)
    })
}

/// A thread with room to recur over all levels.
pub(crate) fn spawn<'s, T: Send + 's>(
    scope: &'s std::thread::Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> std::io::Result<std::thread::ScopedJoinHandle<'s, T>> {
    std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)
}

/// Runs something in a thread of its own that has room for it.
fn with_stack(
    options: &Options,
    explore: impl FnOnce() -> Result<Explored, Vec<Diagnostic>> + Send,
) -> Result<Explored, Vec<Diagnostic>> {
    std::thread::scope(|scope| {
        let handle = spawn(scope, explore);
        match handle.map(|handle| handle.join()) {
            Ok(Ok(explored)) => explored,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Ok(Explored::stopped(StopReason::Memory, options)),
        }
    })
}

/// A limit is an outcome, what is not supported a diagnostic.
fn not_made(error: NotMade, options: &Options) -> Result<Explored, Vec<Diagnostic>> {
    match error {
        NotMade::Stopped(reason) => Ok(Explored::stopped(reason, options)),
        NotMade::Unsupported(what) => {
            let message = format!("the symbolic engine does not support {what}");
            Err(vec![Diagnostic::unsupported("U0506", message, None)])
        }
    }
}

/// Searches a relation, in this thread.
pub(crate) fn explore_here(
    relation: &Relation,
    property: &Property,
    options: &Options,
) -> Result<Explored, Vec<Diagnostic>> {
    let model = Model::Relation(relation.clone());
    let start = Instant::now();
    let make = |order, cluster, split| {
        System::new(relation, property, order, Partitioning { cluster, split }, &options.limits)
    };
    let system = match make(order::force(relation), CLUSTER, true) {
        Ok(system) => system,
        Err(error) => return not_made(error, options),
    };
    // The kernel looks for deadlocks in rows of a single state only.
    let deadlocks = matches!(property.target(), Target::State(p) if system::mentions_deadlock(&p));
    let subject = Subject {
        model: &model,
        property,
        may_end: !(deadlocks || relation.trans.is_empty() && relation.invar.is_empty()),
        no_rows: deadlocks.then_some("rows say nothing about deadlocks"),
        again: &|order| make(order, 0, false),
        run: &|system, path| Ok(Run::Relation(path.run(system)?)),
    };
    search_in(&system, &subject, options, start)
}

/// What is searched, whichever form it has.
struct Subject<'a> {
    model: &'a Model,
    property: &'a Property,
    /// Whether it may be that some states lead nowhere, though nobody has asked.
    may_end: bool,
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
) -> Result<Explored, Vec<Diagnostic>> {
    if let Some(at) = options.reorder {
        system.reorder(at);
    }
    let mut seconds = start.elapsed().as_secs_f64();
    let b = &system.b;
    // A shortest run, an inductive set: neither says where the property has a value. Only all reachable states do.
    let mut direction = if b.is_no(&system.unclear) { options.direction } else { Direction::Forward };
    let mut guidance = Guidance::default();
    let end = match (direction, subject.model) {
        (Direction::Auto, Model::Relation(_)) => {
            let end;
            (end, direction) = turns::search(system, options, &mut guidance);
            end
        }
        (Direction::Guided, _) => {
            let (end, seconds_made);
            (end, direction, seconds_made) = guidance.search(system, options);
            seconds += seconds_made;
            end
        }
        _ => {
            if direction == Direction::Auto {
                direction = Direction::Forward;
            }
            let mut search = Search::new(system, options.chaining);
            let end = search.run(direction);
            (guidance.images, guidance.lower_bound) = (search.images, search.lower_bound());
            end
        }
    };
    let Guidance { h_initial, reports: databases, images, lower_bound } = guidance;
    let mut outcome = Outcome {
        also: Vec::new(),
        finding: Finding::Unreachable,
        lower_bound,
        certificate: None,
        no_certificate: None,
        second_engine: None,
        vacuous: b.is_no(&system.init),
        warning: None,
        remarks: Vec::new(),
        stats: Stats {
            expanded: images,
            total_nodes: b.made(),
            preprocess_seconds: seconds,
            search_seconds: start.elapsed().as_secs_f64() - seconds,
            ..Stats::default()
        },
    };
    let mut deadlocks = false;
    if subject.may_end
        && options.second_pass
        && direction == Direction::Forward
        && let Ok(End::Closed(reached)) = &end
    {
        // A limit that is reached now says nothing about the answer.
        deadlocks = has_deadlocks(system, reached).unwrap_or(false);
    }
    let no_rows = subject.no_rows.or(match (direction, subject.model) {
        // Their steps leave out constraints on next states, of which the kernel knows.
        (Direction::Guided, Model::Network(_)) => Some("databases of networks give no rows"),
        _ => None,
    });
    let subject = &Subject { no_rows, ..*subject };
    if let Some(bug) = support(system, end, subject, options, &mut outcome) {
        return Err(vec![Diagnostic::new(Severity::Error, "E0599", bug, None)]);
    }
    (outcome.stats.stored, outcome.stats.peak_bytes) = (b.peak() as u64, b.peak_bytes());
    Ok(Explored { outcome, direction, h_initial, databases, deadlocks })
}

/// Whether some of all reachable states lead nowhere, if that takes little, or a quarter of the work that was done.
fn has_deadlocks(system: &System, reached: &Bdd) -> Made<bool> {
    let b = &system.b;
    let found = b.within((b.made() / 4).max(LITTLE), None, || {
        let alive = system.transition.preimage(reached, b)?;
        Ok(!b.is_no(&b.minus(reached, &alive)?))
    });
    found.map(|found| found.unwrap_or(false))
}

/// What is said of a second pass that a limit has stopped.
pub const UNFINISHED: &str = "the second pass was not finished";

/// Makes a claim of how a search ended, with a certificate by rows or a second pass; a message if they contradict.
fn support(
    system: &System,
    end: Made<End>,
    subject: &Subject<'_>,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<&'static str> {
    let Subject { model, property, .. } = subject;
    let property = beeline_ir::text::print_property(model, property);
    let most_rows = match (options.most_rows, subject.no_rows) {
        (_, Some(why)) => Err(why),
        (None, None) => Err("not asked for"),
        (Some(most), None) => Ok(most),
    };
    let found = end.and_then(|end| match end {
        End::Found(path, levels) => Ok(Ok(((subject.run)(system, &path)?, path.length(), levels))),
        End::Closed(set) => Ok(Err(set)),
    });
    let (length, rows) = match found {
        Err(reason) => {
            outcome.finding = Finding::Unknown(reason);
            (None, Err(reason.message().to_string()))
        }
        Ok(Ok((run, length, levels))) => {
            let trace = Trace { model: model.hash(), property: property.clone(), run };
            outcome.finding = Finding::Reachable { trace, shortest: true };
            let none = "there are certificates of lengths for forward and guided search only";
            (
                Some(length),
                levels.ok_or(none.to_string()).and_then(|levels| rows_of(system, &levels, most_rows)),
            )
        }
        Ok(Err(set)) => {
            let mut rows = rows_of(system, &[(0, set.clone())], most_rows);
            if let Err(why) = &mut rows
                && options.second_pass
            {
                let order = system.encoding.order.iter().rev().copied().collect();
                let confirmed =
                    (subject.again)(order).and_then(|again| Ok(second::confirm(system, &set, &again)?));
                match confirmed {
                    Ok(true) => {
                        let how = "the set of states was checked again with another order of variables";
                        outcome.second_engine = Some(how.to_string());
                    }
                    Ok(false) => return Some("the second pass contradicts the first"),
                    Err(NotMade::Stopped(limit)) => *why += &format!("; {UNFINISHED}: {}", limit.message()),
                    Err(NotMade::Unsupported(what)) => *why += &format!("; no second pass: {what}"),
                }
            }
            (None, rows)
        }
    };
    match rows {
        Ok(rows) => outcome.certificate = Some(Certificate { model: model.hash(), property, length, rows }),
        Err(why) => outcome.no_certificate = Some(why),
    }
    None
}

/// The rows of sets at their levels.
fn rows_of(
    system: &System,
    levels: &[(u32, Bdd)],
    most: Result<usize, &'static str>,
) -> Result<Vec<Row>, String> {
    let most = most?;
    let mut rows = Vec::new();
    for (level, set) in levels {
        rows::add_rows(system, set, *level, most, &mut rows)
            .ok_or_else(|| format!("the certificate would have more than {most} rows"))?;
    }
    Ok(rows)
}
