//! What callers see: options in, an [`Outcome`] out.

use crate::certificate::{self, Levels};
use crate::heuristic::Heuristic;
use crate::partial_order::Reduction;
use crate::passed::{Covering, Hashing, Keeping, Passed};
use crate::prepare::{Prepared, prepare, watchable};
use crate::search::astar::ByTotal;
use crate::search::beam::Beam;
use crate::search::dfs::Stack;
use crate::search::genetic::Breed;
use crate::search::greedy::{ByEstimate, Style};
use crate::search::guide::Guide;
use crate::search::hill_climbing::Climb;
use crate::search::plan::{Evaluation, Plan, Report};
use crate::search::random_dfs::ShuffledStack;
use crate::search::{End, Hit, OpenList, Proves, Searched, anytime, best_first, bfs, genetic, ida_star};
use crate::state::packing::Packer;
use crate::successors::space::Space;
use crate::time::TimePart;
use crate::trace::path;
use beeline_ir::Model;
use beeline_ir::certificate::Certificate;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::model::ModelHash;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::Property;
use beeline_ir::trace::{NetworkRun, Run, Trace};
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
    /// A\*: steps so far plus the estimate; the trace found is a shortest one if the heuristics are admissible.
    AStar,
    /// The least estimate first.
    Greedy,
    /// A\* with estimates weighted: admissible ones give a trace at most that many times as long as a shortest
    /// one.
    WeightedAStar,
    /// Greedy, then ever shorter traces; the last one is a shortest one.
    Anytime,
    /// A\* by depth-first searches within ever more steps.
    IdaStar,
    /// Breadth first to a better estimate, and on from there; greedy where that is stuck.
    HillClimbing,
    /// Breadth first, but only a number of states of each layer. Incomplete.
    Beam,
    /// Walks that are bred by how near they come to the target. Incomplete.
    Genetic,
}

impl SearchKind {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Bfs,
        Self::Dfs,
        Self::RandomDfs,
        Self::AStar,
        Self::Greedy,
        Self::WeightedAStar,
        Self::Anytime,
        Self::IdaStar,
        Self::HillClimbing,
        Self::Beam,
        Self::Genetic,
    ];

    /// The name used on command lines and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bfs => "bfs",
            Self::Dfs => "dfs",
            Self::RandomDfs => "random-dfs",
            Self::AStar => "astar",
            Self::Greedy => "greedy",
            Self::WeightedAStar => "weighted-astar",
            Self::Anytime => "anytime",
            Self::IdaStar => "idastar",
            Self::HillClimbing => "hill-climbing",
            Self::Beam => "beam",
            Self::Genetic => "genetic",
        }
    }

    /// Whether heuristics direct it.
    pub const fn directed(self) -> bool {
        !matches!(self, Self::Bfs | Self::Dfs | Self::RandomDfs)
    }

    /// Whether the number of steps to each state is kept exact.
    const fn counts_steps(self) -> bool {
        matches!(self, Self::Bfs | Self::AStar | Self::WeightedAStar | Self::Anytime | Self::IdaStar)
    }
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

/// Words of a state from which on it is collapsed unless it is said how to store it: it takes no longer then.
const LARGE: usize = 8;

/// How discrete parts of states are stored.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Packed.
    Plain,
    /// As the numbers of pieces, each of which is stored once.
    Collapse,
    /// As 64 bits of a hash. Nothing is proved then.
    HashCompaction,
    /// As some bits of an array. Nothing is proved then.
    Bitstate,
}

impl Storage {
    /// Whether states may be taken for others.
    pub const fn lossy(self) -> bool {
        matches!(self, Self::HashCompaction | Self::Bitstate)
    }
}

/// The array of bit-state hashing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Bitstate {
    /// Bytes; 64 MiB if it is not said, but no more than half of the memory there may be.
    pub bytes: Option<u64>,
    /// Bits for each state.
    pub hashes: u32,
}

impl Bitstate {
    /// What is usual.
    pub const USUAL: Self = Self { bytes: None, hashes: 3 };
    const BYTES: u64 = 64 << 20;

    fn hashing(self, limits: &Limits) -> Hashing {
        let most = limits.memory.map_or(u64::MAX, |bytes| bytes / 2);
        Hashing::Bits { bytes: self.bytes.unwrap_or(Self::BYTES.min(most)), hashes: self.hashes.max(1) }
    }
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Order of expansion.
    pub search: SearchKind,
    /// Seed of `RandomDfs` and `Genetic`.
    pub seed: u64,
    /// Zone abstraction.
    pub extrapolation: Extrapolation,
    /// Forget clocks that no longer matter.
    pub active_clocks: bool,
    /// Forget the values of variables that no longer matter.
    pub dead_variables: bool,
    /// Where a state would take more bits than that, variables get only as many as they need for the values they may
    /// come to have, as far as that is found out beforehand. (Not with symmetry: that exchanges values.)
    pub narrow_beyond: Option<u32>,
    /// Failing labels: reported or not.
    pub runtime_errors: RuntimeErrors,
    /// Whether to write a certificate.
    pub certificate: bool,
    /// Rows beyond which it is not worth it.
    pub most_rows: Option<u64>,
    /// Number of threads, for breadth-first search.
    pub threads: usize,
    /// Only whether the target can be reached matters, not in how many steps.
    pub any_length: bool,
    /// How much estimates count in weighted A\*, at least 1.
    pub weight: u32,
    /// States of a layer that beam search keeps, at least 1.
    pub beam_width: usize,
    /// Generations after which the genetic search gives up.
    pub generations: u64,
    /// In greedy search, several heuristics take turns; otherwise the greatest estimate counts.
    pub alternation: bool,
    /// In greedy search, states are evaluated when their turn comes, and have the estimate of the state before
    /// until then.
    pub deferred: bool,
    /// In greedy search, labels that heuristics prefer come first.
    pub preferred: bool,
    /// In greedy search, the seed by which ties are broken; without it, the newest state comes first.
    pub random_ties: Option<u64>,
    /// States that differ only in who is who, as far as the property is concerned, are represented by one of them.
    pub symmetry: bool,
    /// How states are stored; by their size if it is not said.
    pub storage: Option<Storage>,
    /// Which labels may be left out.
    pub partial_order: Reduction,
    /// The array, where that is bit-state hashing.
    pub bitstate: Bitstate,
    /// Properties that breadth-first search is to watch for besides, in case it has to explore everything.
    pub watch: Vec<Property>,
    /// A run that is known already. A\* looks for shorter ones only, and where there is none, this is its answer.
    pub known: Option<Known>,
    /// When to give up.
    pub limits: Limits,
}

/// A run to the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its steps.
    pub steps: u32,
    /// The run itself.
    pub run: NetworkRun,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            search: SearchKind::Bfs,
            seed: 1,
            extrapolation: Extrapolation::Auto,
            active_clocks: true,
            dead_variables: true,
            narrow_beyond: None,
            runtime_errors: RuntimeErrors::Report,
            certificate: true,
            most_rows: None,
            threads: 1,
            any_length: false,
            weight: 5,
            beam_width: 1000,
            generations: 200,
            alternation: true,
            deferred: false,
            preferred: false,
            random_ties: None,
            symmetry: false,
            storage: None,
            partial_order: Reduction::Off,
            bitstate: Bitstate::USUAL,
            watch: Vec::new(),
            known: None,
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// Whether what is found is a shortest trace, provided that no estimate is ever too large.
    pub fn shortest(&self) -> bool {
        let any = self.any_length || self.search == SearchKind::WeightedAStar;
        let lossy = self.storage.is_some_and(Storage::lossy);
        self.search.counts_steps() && !any && !lossy
    }

    fn covering(&self) -> Covering {
        if self.search.counts_steps() && !self.any_length { Covering::ByCost } else { Covering::Any }
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
    /// Successors made.
    pub generated: u64,
}

/// The discrete states a full exploration reaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reachable {
    /// Slots of each state and the least cost to reach it; ascending.
    pub states: Vec<(Vec<i64>, u32)>,
    /// Symbolic states stored.
    pub stored: u64,
}

/// Looks for the property's target, without heuristics. `progress` is called every few thousand expansions. Fails
/// with diagnostics if the model uses something this engine does not handle.
pub fn explore(
    network: &Network,
    property: &Property,
    options: &Options,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Vec<Diagnostic>> {
    explore_with(network, property, options, &mut [], progress)
}

/// The same, directed by heuristics made for this network and this property, if the search is a directed one. A\*
/// asks the first of several about every state, the others only when its turn comes: the cheapest should be first.
pub fn explore_with(
    network: &Network,
    property: &Property,
    options: &Options,
    heuristics: &mut [Box<dyn Heuristic>],
    progress: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Vec<Diagnostic>> {
    let start = Instant::now();
    // Compiling takes time, too; there may be none left.
    if let Err(reason) = options.limits.check(0, 0) {
        return Ok(Outcome::unknown(reason));
    }
    let heuristics = if options.search.directed() { heuristics } else { &mut [] };
    let dead_variables = options.dead_variables && !heuristics.iter().any(|h| h.reads_dead_variables());
    // Ample sets do not keep lengths.
    let ample = options.partial_order == Reduction::Ample;
    let partial_order = if ample && options.shortest() { Reduction::Stubborn } else { options.partial_order };
    let options = &Options { dead_variables, partial_order, ..options.clone() };
    let question = Question { network, property, options, start };
    match prepare(network, Some(property), options)? {
        Prepared::Untimed(space) => question.answer(&space, heuristics, progress),
        Prepared::Timed(space) => question.answer(&space, heuristics, progress),
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
    let storage = options.storage.filter(|storage| !storage.lossy());
    let options = Options { search: SearchKind::Bfs, any_length: false, storage, ..options.clone() };
    let searched = search(space, network, &options, &mut Guide::new(&mut []), &mut |_| {});
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
    guide: &mut Guide<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Searched {
    let covering = options.covering();
    let flat = options.search == SearchKind::Bfs && !T::TIMED;
    let packer = Packer::new(space.ranges());
    let large = packer.words() >= LARGE;
    let (collapse, may_collapse) = match options.storage {
        None => (large, true),
        Some(storage) => (storage == Storage::Collapse, false),
    };
    let hashing = match options.storage {
        // It stores next to nothing.
        _ if options.search == SearchKind::Genetic => None,
        Some(Storage::HashCompaction) => Some(Hashing::Compaction),
        Some(Storage::Bitstate) => Some(options.bitstate.hashing(&options.limits)),
        None | Some(Storage::Plain | Storage::Collapse) => None,
    };
    let keeping = Keeping { covering, flat, collapse, may_collapse, hashing };
    let passed = Passed::new(packer, keeping);
    let initial = space.program.layout.initial(network);
    let limits = &options.limits;
    let Options { alternation, preferred, random_ties, .. } = *options;
    let style = Style { alternation, preferred, random_ties };
    let mut report = Report { progress, before: Stats::default(), lower_bound: 0 };
    let (mut evaluation, mut labels) = (Evaluation::Eager, false);
    let mut open: Box<dyn OpenList> = match options.search {
        SearchKind::Bfs => {
            let plan = bfs::Plan { threads: options.threads.max(1), covering, limits };
            return bfs::run(space, initial, passed, plan, report.progress);
        }
        SearchKind::Anytime => {
            return anytime::run(space, &initial, keeping, style, guide, limits, &mut report);
        }
        SearchKind::IdaStar => {
            return ida_star::run(space, &initial, keeping, guide, limits, &mut report);
        }
        SearchKind::Genetic => {
            let breed = Breed { generations: options.generations, seed: options.seed };
            return genetic::run(space, &initial, keeping, breed, guide, limits, &mut report);
        }
        SearchKind::Dfs if space.must_progress() => Box::new(Stack::with_path()),
        SearchKind::Dfs => Box::new(Stack::default()),
        SearchKind::RandomDfs => Box::new(ShuffledStack::new(options.seed)),
        SearchKind::AStar | SearchKind::WeightedAStar => {
            evaluation = Evaluation::Lazy;
            Box::new(ByTotal::new(if options.search == SearchKind::AStar { 1 } else { options.weight }))
        }
        SearchKind::Greedy => {
            labels = preferred || guide.judges_labels();
            if options.deferred {
                evaluation = Evaluation::Deferred;
            }
            Box::new(ByEstimate::new(guide.len(), style))
        }
        SearchKind::HillClimbing => Box::new(Climb::default()),
        SearchKind::Beam => Box::new(Beam::new(options.beam_width)),
    };
    let exact = options.shortest() && guide.admissible();
    let known = options.known.as_ref().filter(|_| options.shortest());
    let plan = Plan { evaluation, labels, bound: known.map(|known| known.steps), limits };
    let mut searched =
        best_first::run(space, initial, passed, open.as_mut(), guide, plan, &mut report).searched;
    if exact {
        searched.proves = Proves::Length;
    }
    if let Some(known) = known.filter(|_| searched.end.nothing_found()) {
        // Whatever the heuristics say, all shorter runs were looked for.
        if !exact && matches!(searched.end, End::Exhausted) {
            searched.proves = Proves::LengthUnkept;
        }
        searched.end = End::Found(Hit::Run(Box::new(known.run.clone())));
        searched.lower_bound = known.steps;
    }
    searched
}

/// What is asked, and how to find out.
#[derive(Copy, Clone)]
struct Question<'a> {
    network: &'a Network,
    property: &'a Property,
    options: &'a Options,
    start: Instant,
}

impl Question<'_> {
    fn answer<T: TimePart>(
        self,
        space: &Space<T>,
        heuristics: &mut [Box<dyn Heuristic>],
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Outcome, Vec<Diagnostic>> {
        let preprocess_seconds = self.start.elapsed().as_secs_f64();
        let mut searched = search(space, self.network, self.options, &mut Guide::new(heuristics), progress);
        if let Some(coverage) = searched.passed.coverage() {
            searched.trust_no_hashes(coverage);
        }
        let search_seconds = self.start.elapsed().as_secs_f64() - preprocess_seconds;
        // The states that ample sets leave may all be further away than those that are left out.
        let lengths_kept = self.options.partial_order != Reduction::Ample || searched.stats.left_out == 0;
        let mut lower_bound = if lengths_kept { searched.lower_bound } else { 0 };
        let mut certify = |length, levels| self.certify(space, &searched, length, levels, heuristics);
        let (finding, proof) = match &searched.end {
            End::Found(hit) => {
                let run = match path::run(space, &searched, hit) {
                    // Another state had the same hash.
                    Err(_) if searched.passed.is_hashed() => {
                        let mut outcome = Outcome::unknown(StopReason::Hashed);
                        outcome.stats = Stats { preprocess_seconds, search_seconds, ..searched.stats };
                        return Ok(outcome);
                    }
                    run => run,
                };
                let run = run.map_err(|defect| {
                    let message = format!("internal error: no concrete run for the path found ({defect:?})");
                    vec![Diagnostic::error("E0599", message, None)]
                })?;
                let length = run.length(self.network);
                let shortest = searched.proves != Proves::Reachability;
                lower_bound = if shortest { length } else { lower_bound.min(length) };
                let proof = match searched.proves {
                    Proves::Reachability => Err("this search does not prove lengths".to_string()),
                    Proves::LengthUnkept => {
                        Err("this search does not keep what proves the length".to_string())
                    }
                    Proves::Length if searched.notes.property_fails => {
                        Err("the property fails at run time in some states".to_string())
                    }
                    Proves::Length => certify(Some(length), Levels::Below(Some(length))),
                };
                let (property, model) = self.identify();
                let trace = Trace { model, property, run: Run::Network(run) };
                (Finding::Reachable { trace, shortest }, proof)
            }
            End::Exhausted => {
                let exact = searched.passed.covering() == Covering::ByCost;
                let levels = if exact { Levels::Below(None) } else { Levels::None };
                (Finding::Unreachable, certify(None, levels))
            }
            End::Stopped(reason) => (Finding::Unknown(*reason), Err(reason.message().to_string())),
        };
        let (certificate, no_certificate) = match proof {
            Ok(certificate) => (Some(certificate), None),
            Err(reason) => (None, Some(reason)),
        };
        let report = self.options.runtime_errors == RuntimeErrors::Report;
        let stats = Stats { preprocess_seconds, search_seconds, ..searched.stats };
        let vacuous = searched.notes.roots.is_empty() && searched.stats.expanded == 0;
        let remarks = self.remarks(space, &searched);
        let warning = searched.notes.warning.filter(|_| report);
        let second_engine = None;
        // Only breadth-first search looks.
        let looked = self.options.search == SearchKind::Bfs
            && matches!(searched.end, End::Exhausted)
            && searched.stats.left_out == 0;
        let watched = watchable(self.network, Some(self.property), self.options).enumerate();
        let unseen = watched.filter(|(number, _)| looked && !searched.notes.seen.contains(*number));
        let also = unseen.map(|(_, property)| property.clone()).collect();
        Ok(Outcome {
            also,
            vacuous,
            finding,
            lower_bound,
            certificate,
            no_certificate,
            second_engine,
            warning,
            remarks,
            stats,
        })
    }

    /// What partial-order reduction has come to.
    fn remarks<T: TimePart>(self, space: &Space<T>, searched: &Searched) -> Vec<String> {
        let (left_out, generated) = (searched.stats.left_out, searched.stats.generated);
        let remark = match (&space.partial_order, searched.notes.reduction_off) {
            _ if self.options.partial_order == Reduction::Off => return Vec::new(),
            (Err(why), _) => format!("partial order: off, for {why}"),
            (Ok(_), Some(states)) => {
                format!("partial order: off after {states} states, for it left out {left_out} labels only")
            }
            (Ok(_), None) => format!("partial order: {left_out} of {} labels left out", left_out + generated),
        };
        vec![remark]
    }

    /// The property and the hash of the model, for what refers to them.
    fn identify(self) -> (String, ModelHash) {
        let model = Model::Network(self.network.clone());
        (beeline_ir::text::print_property(&model, self.property), model.hash())
    }

    /// The certificate of a search, or why there is none.
    fn certify<T: TimePart>(
        self,
        space: &Space<T>,
        searched: &Searched,
        length: Option<u32>,
        levels: Levels,
        heuristics: &mut [Box<dyn Heuristic>],
    ) -> Result<Certificate, String> {
        if !self.options.certificate {
            return Err("not asked for".to_string());
        }
        if searched.stats.left_out > 0 {
            return Err(
                "partial-order reduction has left labels out: the states kept are not all".to_string()
            );
        }
        if self.options.most_rows.is_some_and(|most| searched.passed.len() > most) {
            return Err("it has too many rows to be checked unasked; `--certify always` does it".to_string());
        }
        let limits = &self.options.limits;
        if limits.check(0, certificate::bytes(space, &searched.passed)).is_err() {
            return Err("no time or memory is left for writing it down".to_string());
        }
        let rows = certificate::rows(space, searched, levels, heuristics, limits, self.options.most_rows)?;
        let (property, model) = self.identify();
        Ok(Certificate { model, property, length, rows })
    }
}
