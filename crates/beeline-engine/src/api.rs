//! What callers see: options in, an [`Outcome`] out.

use crate::certificate::{self, Levels};
use crate::passed::{Covering, Passed};
use crate::prepare::{Prepared, prepare};
use crate::search::bfs;
use crate::search::dfs::Stack;
use crate::search::random_dfs::ShuffledStack;
use crate::search::{self, End, OpenList, Searched};
use crate::state::packing::Packer;
use crate::successors::space::Space;
use crate::time::TimePart;
use crate::trace::path;
use beeline_ir::Model;
use beeline_ir::certificate::Certificate;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::Property;
use beeline_ir::trace::{NetworkStep, Run, Trace};
use std::collections::BTreeMap;
use std::time::Instant;

/// The order in which states are expanded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SearchKind {
    /// Breadth first by cost (0-1 BFS): the trace found is a shortest one.
    Bfs,
    /// Depth first, in the order successors are made.
    Dfs,
    /// Depth first, successors shuffled by the seed.
    RandomDfs,
}

/// The zone abstraction that makes exploration finite.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extrapolation {
    /// The coarsest that is right for the model and property.
    Auto,
    /// Classical maximal bounds.
    M,
    /// Maximal bounds, also across clocks.
    MPlus,
    /// Lower and upper bounds; falls back to `M` where lower and upper bounds would be wrong.
    Lu,
    /// Lower and upper bounds, also across clocks; falls back to `MPlus` likewise.
    LuPlus,
}

/// What to do with labels that fail at run time when they are not what is looked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum RuntimeErrors {
    /// Report the first one as a warning.
    Report,
    /// Say nothing.
    Disable,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Order of expansion.
    pub search: SearchKind,
    /// Seed of `RandomDfs`.
    pub seed: u64,
    /// Zone abstraction.
    pub extrapolation: Extrapolation,
    /// Forget clocks that no longer matter.
    pub active_clocks: bool,
    /// Forget the values of variables that no longer matter.
    pub dead_variables: bool,
    /// Failing labels: reported or not.
    pub runtime_errors: RuntimeErrors,
    /// Whether to write a certificate.
    pub certificate: bool,
    /// Number of threads, for breadth-first search.
    pub threads: usize,
    /// Only whether the target can be reached matters, not in how many steps.
    pub any_length: bool,
    /// When to give up.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            search: SearchKind::Bfs,
            seed: 1,
            extrapolation: Extrapolation::Auto,
            active_clocks: true,
            dead_variables: true,
            runtime_errors: RuntimeErrors::Report,
            certificate: true,
            threads: 1,
            any_length: false,
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// Whether what is found is a shortest trace.
    pub fn shortest(&self) -> bool {
        self.search == SearchKind::Bfs && !self.any_length
    }
}

/// How far a search has come.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// States expanded.
    pub expanded: u64,
    /// States stored.
    pub stored: u64,
    /// States waiting.
    pub open: u64,
    /// No trace is shorter than this.
    pub lower_bound: u32,
    /// Bytes in use.
    pub bytes: u64,
}

/// The discrete states a full exploration reaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reachable {
    /// Slots of each state and the least cost to reach it; ascending.
    pub states: Vec<(Vec<i64>, u32)>,
    /// Symbolic states stored.
    pub stored: u64,
}

/// Looks for the property's target. `progress` is called every few thousand expansions. Fails with diagnostics if the
/// model uses something this engine does not handle.
pub fn explore(
    network: &Network,
    property: &Property,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Vec<Diagnostic>> {
    let start = Instant::now();
    // Compiling takes time, too; there may be none left.
    if let Err(reason) = options.limits.check(0, 0) {
        return Ok(Outcome::unknown(reason));
    }
    match prepare(network, Some(property), options)? {
        Prepared::Untimed(space) => conclude(&space, network, property, options, start, progress),
        Prepared::Timed(space) => conclude(&space, network, property, options, start, progress),
    }
}

/// Explores everything (breadth first) and lists the discrete states reached; `None` if a limit is reached first.
pub fn reachable(network: &Network, options: &Options) -> Result<Option<Reachable>, Vec<Diagnostic>> {
    Ok(match prepare(network, None, options)? {
        Prepared::Untimed(space) => collect(&space, network, options),
        Prepared::Timed(space) => collect(&space, network, options),
    })
}

fn collect<T: TimePart>(space: &Space<T>, network: &Network, options: &Options) -> Option<Reachable> {
    let options = Options { search: SearchKind::Bfs, any_length: false, ..options.clone() };
    let searched = search(space, network, &options, &mut |_| {});
    let End::Exhausted = searched.end else { return None };
    let mut least = BTreeMap::new();
    for id in searched.passed.kept() {
        let slots = space.plain(&searched.passed.state(space, id).slots).to_vec();
        let g = searched.passed.g(id);
        least.entry(slots).and_modify(|least: &mut u32| *least = (*least).min(g)).or_insert(g);
    }
    Some(Reachable { states: least.into_iter().collect(), stored: searched.stats.stored })
}

fn search<T: TimePart>(
    space: &Space<T>,
    network: &Network,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Searched {
    let exact = options.shortest();
    let covering = if exact { Covering::ByCost } else { Covering::Any };
    let passed = Passed::new(Packer::new(space.ranges()), covering);
    let initial = space.program.layout.initial(network);
    let limits = &options.limits;
    let mut open: Box<dyn OpenList> = match options.search {
        SearchKind::Bfs => {
            let plan = bfs::Plan { threads: options.threads.max(1), covering, limits };
            return bfs::run(space, initial, passed, plan, progress);
        }
        SearchKind::Dfs => Box::new(Stack::default()),
        SearchKind::RandomDfs => Box::new(ShuffledStack::new(options.seed)),
    };
    search::run(space, initial, passed, open.as_mut(), limits, progress)
}

fn conclude<T: TimePart>(
    space: &Space<T>,
    network: &Network,
    property: &Property,
    options: &Options,
    start: Instant,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Vec<Diagnostic>> {
    let preprocess_seconds = start.elapsed().as_secs_f64();
    let searched = search(space, network, options, progress);
    let search_seconds = start.elapsed().as_secs_f64() - preprocess_seconds;
    let shortest = options.shortest();
    // A copy of the model and its hash, for what refers to it.
    let identify = || {
        let model = Model::Network(network.clone());
        (beeline_ir::text::print_property(&model, property), model.hash())
    };
    let mut certificate = None;
    let mut no_certificate = None;
    let mut certify = |length, levels| {
        let bytes = certificate::bytes(space, &searched.passed);
        if options.certificate && options.limits.check(0, bytes).is_err() {
            no_certificate = Some("no time or memory is left for writing it down".to_string());
        } else if options.certificate {
            let rows = certificate::rows(space, &searched.passed, levels);
            let (property, model) = identify();
            certificate = Some(Certificate { model, property, length, rows });
        } else {
            no_certificate = Some("not asked for".to_string());
        }
    };
    let mut lower_bound = searched.lower_bound;
    let finding = match &searched.end {
        End::Found(hit) => {
            let run = path::run(space, &searched, hit).map_err(|defect| {
                let message = format!("internal error: no concrete run for the path found ({defect:?})");
                vec![Diagnostic::error("E0599", message, None)]
            })?;
            let costs = |step: &NetworkStep| {
                step.label.parts.iter().any(|p| network.processes[p.process].edges[p.edge].costs)
            };
            let length = run.steps.iter().filter(|s| costs(s)).count() as u32;
            if shortest && searched.notes.property_fails {
                lower_bound = length;
                no_certificate = Some("the property fails at run time in some states".to_string());
            } else if shortest {
                lower_bound = length;
                certify(Some(length), Levels::Below(Some(length)));
            } else {
                no_certificate = Some("this search does not prove lengths".to_string());
            }
            let (property, model) = identify();
            let trace = Trace { model, property, run: Run::Network(run) };
            Finding::Reachable { trace, shortest }
        }
        End::Exhausted => {
            certify(None, if shortest { Levels::Below(None) } else { Levels::None });
            Finding::Unreachable
        }
        End::Stopped(reason) => {
            no_certificate = Some(reason.message().to_string());
            Finding::Unknown(*reason)
        }
    };
    let warning = if options.runtime_errors == RuntimeErrors::Report { searched.notes.warning } else { None };
    let stats = Stats { preprocess_seconds, search_seconds, ..searched.stats };
    let vacuous = searched.notes.roots.is_empty() && searched.stats.expanded == 0;
    Ok(Outcome { vacuous, finding, lower_bound, certificate, no_certificate, warning, stats })
}
