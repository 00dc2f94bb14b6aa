//! The main job: an engine searches, the kernel judges. Nothing else in Beeline makes a verdict.

use crate::auto::{self, Chosen};
use crate::settings::{Engine, Mode, Settings};
use crate::spdb::Variables;
use crate::symmetry;
use beeline_abstraction::{Cone, Exact, Functional, Reduction, SafeAbstraction, Unfit};
use beeline_check::{AUTO_BUDGET, Certify, Checked, InternalError};
use beeline_engine::heuristic::{Estimate, Heuristic, TableSize};
use beeline_engine::{Options, Progress, Reduction as PartialOrder, RuntimeErrors, SearchKind, Storage};
use beeline_heuristics::registry::{Making, NotMade};
use beeline_ir::certificate::Certificate;
use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::layout::Layout;
use beeline_ir::limits::{CancelToken, Limits};
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::{Property, PropertyKind, Refusal};
use beeline_symbolic::{DatabaseReport, Direction, Explored};
use std::time::{Duration, Instant};

/// Rows beyond which the check of a certificate would take more steps than it may unasked.
const AUTO_ROWS: u64 = AUTO_BUDGET / 64;

/// Rows that the certificate of a symbolic search may have unasked: the kernel solves constraints for each of them. What
/// has more is checked by a second pass instead.
const SYMBOLIC_ROWS: usize = 2_000;

/// Rows that it may have when it is asked for.
const ALL_SYMBOLIC_ROWS: usize = 1_000_000;

/// Time for the replay of a trace when there is none left.
const GRACE: Duration = Duration::from_secs(5);

/// What the kernel made of an engine's claim.
#[derive(Debug)]
pub struct Verified {
    /// The claim, checked.
    pub checked: Checked<Outcome>,
    /// What it took, the kernel's part included.
    pub stats: Stats,
    /// The estimate for the initial state, the greatest of several; `None` if there is none, or it is infinite.
    pub h_initial: Option<u32>,
    /// What the heuristics have to say of themselves.
    pub remarks: Vec<String>,
    /// The tables of the heuristics that were asked for.
    pub tables: Vec<TableSize>,
    /// What was chosen, if that was left to us.
    pub choice: Option<Choice>,
    /// What safe abstraction did, if it was asked for.
    pub removed: Option<Removed>,
    /// What lay outside of the cone of influence and was left out, if that was asked for.
    pub outside: Option<Vec<String>>,
    /// What can never happen and was left out, if that was asked for.
    pub reduced: Option<Reduced>,
    /// How the symbolic engine has searched, if it was that one.
    pub symbolic: Option<Symbolic>,
}

/// How the symbolic engine has searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbolic {
    /// From where.
    pub direction: Direction,
    /// What has guided it.
    pub databases: Vec<DatabaseReport>,
    /// It came upon states of a relation that lead nowhere.
    pub deadlocks: bool,
}

/// What was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The search that gave the answer.
    pub search: SearchKind,
    /// The heuristics that directed it.
    pub heuristics: Vec<String>,
    /// What was tried, and why.
    pub story: Vec<String>,
}

/// What can never happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reduced {
    /// How many edges can never be taken.
    pub edges: usize,
    /// The names of the variables that cannot have all the values they are declared with.
    pub narrowed: Vec<String>,
}

impl Reduced {
    /// What a reduction leaves out of a network.
    pub fn of(network: &Network, reduction: Option<&Reduction>) -> Self {
        let narrowed = reduction.iter().flat_map(|reduction| &reduction.narrowed);
        Self {
            edges: reduction.map_or(0, |reduction| reduction.edges.len()),
            narrowed: narrowed.map(|var| network.var_name(*var)).collect(),
        }
    }
}

/// What safe abstraction did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Removed {
    /// The names of the automata and variables removed.
    pub factors: Vec<String>,
    /// Steps put into the trace afterwards.
    pub inserted: usize,
}

/// Why there is no verdict at all.
#[derive(Debug)]
pub enum Failure {
    /// The question itself was refused when it was read.
    Refused(Refusal),
    /// The model or property uses something no engine handles.
    Unsupported(Vec<Diagnostic>),
    /// The kernel refused the engine's claim: a bug of ours.
    Internal {
        /// What contradicts what.
        error: InternalError,
        /// The claim, made once more for the record.
        claim: Option<Box<Outcome>>,
    },
}

/// Limits as the settings say, counting from now.
pub fn limits(settings: &Settings, cancel: CancelToken) -> Limits {
    Limits {
        deadline: settings.time_limit.and_then(|time| Instant::now().checked_add(time)),
        memory: settings.memory_limit,
        states: settings.state_limit,
        work: None,
        cancel,
    }
}

/// Checks a property: searches for its target, then has the kernel replay the trace or check the proof.
pub fn verify(
    model: &Model,
    property: &Property,
    settings: &Settings,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Verified, Failure> {
    verify_among(model, (property, &[]), settings, limits, progress)
}

/// The same; a search that has to explore everything watches for others besides, and its outcome tells which of them
/// hold, too: [`verify_explored`] has the kernel check it.
pub fn verify_among(
    model: &Model,
    (property, others): (&Property, &[Property]),
    settings: &Settings,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Verified, Failure> {
    if let PropertyKind::Refused(refusal) = &property.kind {
        return Err(Failure::Refused(refusal.clone()));
    }
    let start = Instant::now();
    let mut claim = || claim(model, (property, others), settings, limits, progress);
    judge(model, property, settings, limits, start, &mut claim)
}

/// Checks that a property holds which the search for another one has watched for and not seen. The kernel does so anew.
pub fn verify_explored(
    model: &Model,
    property: &Property,
    explored: &Outcome,
    settings: &Settings,
    limits: &Limits,
) -> Result<Verified, Failure> {
    let certificate = explored.certificate.as_ref().map(|certificate| {
        let property = beeline_ir::text::print_property(model, property);
        Certificate { property, ..certificate.clone() }
    });
    let mut claim = || {
        let outcome = Outcome {
            certificate: certificate.clone(),
            also: Vec::new(),
            warning: None,
            stats: Stats::default(),
            ..explored.clone()
        };
        let (tables, removed, outside, reduced, symbolic) = (Vec::new(), None, None, None, None);
        let remarks = vec!["the states explored for another property have shown it".to_string()];
        let choice = settings.auto.then(|| Choice {
            search: SearchKind::Bfs,
            heuristics: Vec::new(),
            story: vec!["bfs: everything had been explored for another property".to_string()],
        });
        Ok(Claim { outcome, h_initial: None, remarks, tables, choice, removed, outside, reduced, symbolic })
    };
    judge(model, property, settings, limits, Instant::now(), &mut claim)
}

/// Has the kernel judge what is claimed.
fn judge(
    model: &Model,
    property: &Property,
    settings: &Settings,
    limits: &Limits,
    start: Instant,
    claim: &mut dyn FnMut() -> Result<Claim, Failure>,
) -> Result<Verified, Failure> {
    let Claim { outcome, h_initial, remarks, tables, choice, removed, outside, reduced, symbolic } = claim()?;
    let remarks = outcome.remarks.iter().cloned().chain(remarks).collect();
    let mut stats = outcome.stats;
    let searched = start.elapsed();
    let grace = grace(limits, &outcome);
    let checked =
        beeline_check::check(model, property, outcome, settings.certify, &grace).map_err(|error| {
            // The same search gives the same claim; keeping a copy of every claim would cost every run instead.
            Failure::Internal { error, claim: claim().ok().map(|claim| Box::new(claim.outcome)) }
        })?;
    let total = start.elapsed();
    stats.check_seconds = seconds(total.saturating_sub(searched));
    stats.total_seconds = seconds(total);
    Ok(Verified { checked, stats, h_initial, remarks, tables, choice, removed, outside, reduced, symbolic })
}

/// The limits of the kernel: those of the search, but a trace that was found before one of them was reached is replayed
/// all the same, in some time.
fn grace(limits: &Limits, outcome: &Outcome) -> Limits {
    let found = matches!(outcome.finding, Finding::Reachable { .. });
    if found && limits.check(0, 0).is_err() { Limits::within(GRACE) } else { limits.clone() }
}

/// What the engine says, about the model itself.
struct Claim {
    outcome: Outcome,
    h_initial: Option<u32>,
    remarks: Vec<String>,
    tables: Vec<TableSize>,
    choice: Option<Choice>,
    removed: Option<Removed>,
    outside: Option<Vec<String>>,
    reduced: Option<Reduced>,
    symbolic: Option<Symbolic>,
}

/// What the engine for this form of a model says.
fn claim(
    model: &Model,
    (property, others): (&Property, &[Property]),
    settings: &Settings,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Claim, Failure> {
    match model {
        Model::Network(network) => network_claim(network, (property, others), settings, limits, progress),
        Model::Relation(relation) if explicit_relation(settings) => {
            let functional = Functional::of(relation, property).map_err(|what| {
                unsupported(format!("the explicit engine searches relations that are networks, not {what}"))
            })?;
            let (network, property) = (&functional.network, &functional.property);
            let mut claim = network_claim(network, (property, &[]), settings, limits, progress)?;
            functional.put_back(&mut claim.outcome).map_err(unfit)?;
            Ok(claim)
        }
        Model::Relation(relation) => {
            symbolic_only(settings, true)?;
            let options = symbolic_options(&Variables::of_relation(relation), settings, limits)?;
            let explored = beeline_symbolic::explore(relation, property, &options).map_err(no_outcome)?;
            let Explored { outcome, direction, h_initial, databases, deadlocks } = explored;
            let (remarks, tables, removed, outside, reduced) = (Vec::new(), Vec::new(), None, None, None);
            let (choice, symbolic) = (None, Some(Symbolic { direction, databases, deadlocks }));
            Ok(Claim { outcome, h_initial, remarks, tables, choice, removed, outside, reduced, symbolic })
        }
    }
}

fn unsupported(message: impl Into<String>) -> Failure {
    Failure::Unsupported(vec![Diagnostic::unsupported("C0010", message, None)])
}

/// Whether a relation is searched by the explicit engine: it is asked for, or something is that only it has.
pub(crate) fn explicit_relation(settings: &Settings) -> bool {
    match settings.engine {
        Engine::Explicit => true,
        Engine::Symbolic => false,
        Engine::Auto => explicit_option(settings, true).is_some(),
    }
}

/// An option that was given and that the symbolic engine has no use for.
fn explicit_option(settings: &Settings, relation: bool) -> Option<&'static str> {
    let given = [
        (!settings.auto && settings.search != SearchKind::Bfs, "--search"),
        (!settings.heuristics.is_empty(), "--heuristic"),
        (settings.storage.is_some_and(Storage::lossy), "--storage"),
        (!settings.dead_variables, "--dead-variables"),
        (settings.symmetry, "--symmetry"),
        (relation && settings.cone, "--cone"),
        (relation && settings.reduce, "--reduce"),
        (relation && settings.safe_abstraction, "--safe-abstraction"),
        (settings.partial_order != PartialOrder::Off, "--partial-order"),
    ];
    given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
}

/// Refuses what the symbolic engine has no use for.
fn symbolic_only(settings: &Settings, relation: bool) -> Result<(), Failure> {
    match explicit_option(settings, relation) {
        Some(option) => Err(unsupported(format!(
            "{option} is for the explicit engine: the symbolic one has no use for it (see --engine)"
        ))),
        None => Ok(()),
    }
}

fn symbolic_options(
    variables: &Variables,
    settings: &Settings,
    limits: &Limits,
) -> Result<beeline_symbolic::Options, Failure> {
    let patterns = settings.spdb.iter().map(|spdb| spdb.pattern(variables)).collect::<Result<_, String>>();
    let patterns = patterns.map_err(|reason| Failure::Refused(Refusal { malformed: true, reason }))?;
    Ok(beeline_symbolic::Options {
        direction: settings.direction,
        chaining: settings.mode == Mode::Prove,
        reorder: settings.reorder.then_some(beeline_symbolic::REORDER),
        patterns,
        database_nodes: settings.spdb_nodes,
        database_time: settings.spdb_time,
        most_rows: match settings.certify {
            Certify::Never => None,
            Certify::Auto if !settings.keeps_certificates => Some(SYMBOLIC_ROWS),
            Certify::Auto | Certify::Always => Some(ALL_SYMBOLIC_ROWS),
        },
        second_pass: settings.certify != Certify::Never,
        threads: settings.threads,
        limits: limits.clone(),
    })
}

/// Searches, without what can never happen, what has no say, and safe factors, as asked.
fn network_claim(
    network: &Network,
    (property, others): (&Property, &[Property]),
    settings: &Settings,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Claim, Failure> {
    let mut symbolic = None;
    // What is left out is left out for this property.
    let whole = !(settings.reduce || settings.cone || settings.safe_abstraction || settings.symmetry);
    let others = if whole { others } else { &[] };
    if settings.engine == Engine::Symbolic {
        symbolic_only(settings, false)?;
    }
    let reduction = settings.reduce.then(|| Reduction::of(network, property)).flatten();
    let possible = reduction.as_ref().map_or(network, |reduction| &reduction.network);
    let cone = settings.cone.then(|| Cone::of(possible, property)).flatten();
    let inside = cone.as_ref().map_or(possible, |cone| &cone.network);
    let abstraction = settings.safe_abstraction.then(|| SafeAbstraction::of(inside, property)).flatten();
    let searched = abstraction.as_ref().map_or((inside, property), |left| (&left.network, &left.property));
    let Found { mut outcome, h_initial, mut remarks, tables, choice } = match settings.auto {
        _ if settings.engine == Engine::Symbolic => {
            let options = symbolic_options(&Variables::of_network(network), settings, limits)?;
            let explored = beeline_symbolic::explore_network(searched.0, searched.1, &options);
            let explored = explored.map_err(no_outcome)?;
            let Explored { outcome, direction, h_initial, databases, deadlocks } = explored;
            symbolic = Some(Symbolic { direction, databases, deadlocks });
            Found { outcome, h_initial, remarks: Vec::new(), tables: Vec::new(), choice: None }
        }
        true => auto::search(searched, others, settings, limits, progress)?.into(),
        false => find(searched, others, settings, limits, progress)?,
    };
    remarks.extend(settings.symmetry.then(|| symmetry::remark(searched.0, searched.1, limits)));
    let mut inserted = 0;
    if let Some(abstraction) = &abstraction {
        inserted = put_back(abstraction, &mut outcome)?;
    }
    let exact: [Option<&dyn Exact>; 2] = [cone.as_ref().map(|c| c as _), reduction.as_ref().map(|r| r as _)];
    for abstraction in exact.into_iter().flatten() {
        abstraction.put_back(&mut outcome).map_err(unfit)?;
    }
    let factors = abstraction.iter().flat_map(|a| &a.removed).map(|factor| factor.name(network)).collect();
    let removed = settings.safe_abstraction.then_some(Removed { factors, inserted });
    let outside = cone.iter().flat_map(|cone| &cone.removed).map(|factor| factor.name(network)).collect();
    let reduced = settings.reduce.then(|| Reduced::of(network, reduction.as_ref()));
    Ok(Claim {
        outcome,
        h_initial,
        remarks,
        tables,
        choice,
        removed,
        outside: settings.cone.then_some(outside),
        reduced,
        symbolic,
    })
}

/// What a search has found in what was left of the network.
struct Found {
    outcome: Outcome,
    h_initial: Option<u32>,
    remarks: Vec<String>,
    tables: Vec<TableSize>,
    choice: Option<Choice>,
}

impl From<Chosen> for Found {
    fn from(chosen: Chosen) -> Self {
        let Chosen { outcome, search, heuristics, h_initial, remarks, story } = chosen;
        Self {
            outcome,
            h_initial,
            remarks,
            tables: Vec::new(),
            choice: Some(Choice { search, heuristics, story }),
        }
    }
}

/// The search that was asked for.
fn find(
    (network, property): (&Network, &Property),
    others: &[Property],
    settings: &Settings,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Found, Failure> {
    let start = Instant::now();
    let known = settings.improve.as_ref().map(|improving| improving.known.clone());
    let options = Options { watch: others.to_vec(), known, ..engine_options(settings, limits) };
    let (mut heuristics, h_initial, stopped) = match direct(network, property, settings, limits) {
        Ok((heuristics, h_initial)) => (heuristics, h_initial, None),
        Err(NotMade::Stopped(reason)) => (Vec::new(), None, Some(Outcome::unknown(reason))),
        Err(NotMade::Refused(reason)) => {
            return Err(Failure::Refused(Refusal { malformed: true, reason }));
        }
    };
    let made = start.elapsed();
    let mut outcome = match stopped {
        Some(outcome) => outcome,
        None => beeline_engine::explore_with(network, property, &options, &mut heuristics, progress)
            .map_err(no_outcome)?,
    };
    outcome.stats.preprocess_seconds += seconds(made);
    let remarks = heuristics.iter().filter_map(|heuristic| heuristic.remark()).collect();
    let tables = heuristics.iter().flat_map(|heuristic| heuristic.tables()).collect();
    if let (Finding::Unknown(reason), Some(improving)) = (&outcome.finding, &settings.improve) {
        // What was known before is known still.
        outcome.no_certificate = Some(reason.message().to_string());
        outcome.finding = Finding::Reachable { trace: improving.trace(network, property), shortest: false };
    }
    Ok(Found { outcome, h_initial, remarks, tables, choice: None })
}

/// A run may become too long; anything else that goes wrong on the way back is a bug of ours.
fn unfit(error: Unfit) -> Failure {
    match error {
        Unfit::TooLong => Failure::Refused(Refusal { malformed: false, reason: error.to_string() }),
        Unfit::Foreign => {
            Failure::Internal { error: InternalError { message: error.to_string() }, claim: None }
        }
    }
}

/// Makes a claim about what is left of a network one about the network; says how many steps were put into the trace.
fn put_back(abstraction: &SafeAbstraction, outcome: &mut Outcome) -> Result<usize, Failure> {
    if let Some(certificate) = &outcome.certificate {
        outcome.certificate = Some(abstraction.lift(certificate).map_err(unfit)?);
    }
    let Finding::Reachable { trace, shortest } = &mut outcome.finding else { return Ok(0) };
    let concretised = abstraction.concretise(trace).map_err(unfit)?;
    (*trace, *shortest) = (concretised.trace, false);
    outcome.certificate = None;
    outcome.no_certificate = Some("safe abstraction does not keep lengths".to_string());
    Ok(concretised.inserted)
}

/// What directs a search, and its estimate for the initial state.
type Directed = (Vec<Box<dyn Heuristic>>, Option<u32>);

/// What heuristics are made from, as the settings say.
pub(crate) fn making<'a>(
    network: &'a Network,
    property: &'a Property,
    settings: &'a Settings,
    limits: &'a Limits,
) -> Making<'a> {
    let towards = settings.improve.as_ref().map(|improving| &*improving.end);
    let making = Making::new(network, property, limits).keeping(settings.pdb_cache.as_deref());
    making.threads(settings.threads).towards(towards)
}

/// Makes the heuristics for a network and a property, within limits.
fn direct(
    network: &Network,
    property: &Property,
    settings: &Settings,
    limits: &Limits,
) -> Result<Directed, NotMade> {
    let making = making(network, property, settings, limits);
    let made = settings.heuristics.iter().map(|spec| beeline_heuristics::make(&making, spec));
    let mut heuristics = made.collect::<Result<Vec<Box<dyn Heuristic>>, NotMade>>()?;
    let initial = Layout::of_network(network).initial(network);
    let lasting = heuristics.iter_mut().filter(|heuristic| !heuristic.properties().path_dependent);
    let h_initial = lasting.map(|heuristic| heuristic.estimate(&initial)).max().and_then(Estimate::steps);
    Ok((heuristics, h_initial))
}

/// A model that has been read is well-formed: an engine may refuse it as unsupported, and nothing else.
pub(crate) fn no_outcome(diagnostics: Vec<Diagnostic>) -> Failure {
    match diagnostics.iter().find(|d| d.severity == Severity::Error) {
        Some(bug) => Failure::Internal { error: InternalError { message: bug.message.clone() }, claim: None },
        None => Failure::Unsupported(diagnostics),
    }
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

/// How many states a model has.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct StateCount {
    /// Discrete states.
    pub discrete: u64,
    /// Symbolic states: discrete states with their zones, as stored.
    pub symbolic: u64,
}

/// Counts the reachable states; `None` if a limit is reached first.
pub fn count_states(
    model: &Model,
    settings: &Settings,
    limits: &Limits,
) -> Result<Option<StateCount>, Vec<Diagnostic>> {
    let Model::Network(network) = model else { return Ok(None) };
    let options = Options {
        certificate: false,
        runtime_errors: RuntimeErrors::Disable,
        ..engine_options(settings, limits)
    };
    let reachable = beeline_engine::reachable(network, &options)?;
    Ok(reachable.map(|r| StateCount { discrete: r.states.len() as u64, symbolic: r.stored }))
}

pub(crate) fn engine_options(settings: &Settings, limits: &Limits) -> Options {
    Options {
        search: settings.search,
        seed: settings.seed,
        extrapolation: settings.extrapolation,
        runtime_errors: settings.runtime_errors,
        certificate: settings.certify != Certify::Never,
        // One that is to be kept is written down in any case.
        most_rows: (settings.certify == Certify::Auto && !settings.keeps_certificates).then_some(AUTO_ROWS),
        threads: settings.threads,
        any_length: settings.mode != Mode::Shortest && settings.improve.is_none(),
        weight: settings.weight,
        beam_width: settings.beam_width,
        generations: settings.generations,
        deferred: settings.deferred,
        preferred: settings.preferred,
        partial_order: settings.partial_order,
        dead_variables: settings.dead_variables,
        narrow_beyond: Some(u64::BITS),
        symmetry: settings.symmetry,
        storage: settings.storage,
        bitstate: settings.bitstate,
        random_ties: settings.random_ties.then_some(settings.seed),
        limits: limits.clone(),
        ..Options::default()
    }
}
