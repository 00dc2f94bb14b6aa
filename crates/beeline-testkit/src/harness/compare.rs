//! One model, all comparisons.

use super::{options, promises, watched};
use crate::oracle::{self, Answer};
use crate::random::Random;
use crate::rewrite::Rewrite;
use beeline_abstraction::{Exact, Reduction};
use beeline_check::{Certify, NotAccepted, check_certificate, replay};
use beeline_engine::heuristic::Heuristic;
use beeline_engine::{Options, Reduction as PartialOrder, SearchKind, Storage, explore_with, reachable};
use beeline_heuristics::Spec;
use beeline_heuristics::registry::{Making, NotMade};
use beeline_ir::Model;
use beeline_ir::diagnostic::Severity;
use beeline_ir::encode::{read_certificate, write_certificate};
use beeline_ir::limits::{Limits, StopReason, Work};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::{Property, Target};
use beeline_ir::text::{self, ReadOptions};
use std::fmt;

/// Kernel steps a certificate of a random model may take.
const CERTIFICATE_BUDGET: u64 = 20_000_000;

/// Bytes that the check of such a certificate may keep, where its steps are limited.
const CERTIFICATE_MEMORY: u64 = 1 << 28;

/// Units of work that a heuristic may take where the steps of certificates are limited, and those of a successor.
const HEURISTIC_WORK: u64 = 1 << 24;
const SUCCESSOR_WORK: u64 = 2_000;

/// Ways to be wrong. Shrinking keeps the kind.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // `Trouble` carries the explanation
pub enum TroubleKind {
    IllFormed,
    RoundTrip,
    Source,
    Refused,
    Verdict,
    Length,
    Unknown,
    Reachable,
    Replay,
    Certificate,
    Encoding,
    Warning,
    Rewrite,
    Nondeterministic,
    Promise,
    Panic,
}

/// Something wrong.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// What kind of thing.
    pub kind: TroubleKind,
    /// Where and what exactly.
    pub detail: String,
}

impl Trouble {
    /// Trouble of a kind.
    pub fn new(kind: TroubleKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.detail)
    }
}

/// What was compared, when nothing was wrong.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// The oracle gave up: nothing was compared.
    pub skipped: bool,
    /// Least length of the target.
    pub length: Option<u32>,
    /// Pairs of discrete state and region.
    pub states: usize,
    /// Discrete states.
    pub discrete: usize,
    /// Whether some label fails.
    pub fails: bool,
    /// Runs of the engine.
    pub searches: u64,
    /// Those without what can never happen.
    pub reduced: u64,
    /// Traces replayed.
    pub traces: u64,
    /// Certificates accepted.
    pub certificates: u64,
    /// Certificates asked for and not given.
    pub uncertified: u64,
    /// Rewritten twins compared.
    pub twins: u64,
    /// What the engine does not support, if that is why nothing was compared.
    pub refused: Option<String>,
}

/// Compares everything with everything on one model with one property. The seed chooses the options.
pub fn check(network: &Network, seed: u64, budget: usize) -> Result<Tally, Trouble> {
    check_within(network, seed, budget, None)
}

/// The same, and certificates that take more steps than allowed are counted as not given.
pub fn check_within(
    network: &Network,
    seed: u64,
    budget: usize,
    certificate_steps: Option<u64>,
) -> Result<Tally, Trouble> {
    let model = Model::Network(network.clone());
    let Some(property) = network.properties.first() else {
        return Err(Trouble::new(TroubleKind::IllFormed, "no property"));
    };
    wellformed(&model)?;
    let mut random = Random::new(!seed);
    if random.chance(25) {
        round_trip(&model)?;
    }
    let Ok(answer) = oracle::solve(network, property, true, budget) else {
        return Ok(Tally { skipped: true, ..Tally::default() });
    };
    let reduction = Reduction::of(network, property);
    let mut subject = Subject {
        model: &model,
        network,
        property,
        answer: &answer,
        reduction: reduction.as_ref(),
        certificate_steps,
        tally: Tally::default(),
    };
    subject.tally.length = answer.length;
    subject.tally.states = answer.states;
    subject.tally.discrete = answer.reachable.len();
    subject.tally.fails = answer.fails;
    for search in options::SEARCHES {
        let options = options::draw(search, &mut random);
        subject.search(&options, &[], &mut random)?;
    }
    for _ in 0..2 {
        subject.directed(&mut random)?;
    }
    subject.reachable_set(&options::draw(SearchKind::Bfs, &mut random), budget)?;
    if random.chance(30) {
        subject.twin(&mut random)?;
    }
    if random.chance(20) {
        // Others are watched for as they are, in all states, and by what is stored as it is.
        let (storage, symmetry, partial_order) = (Some(Storage::Plain), false, PartialOrder::Off);
        let drawn = options::draw(SearchKind::Bfs, &mut random);
        let options = Options { storage, symmetry, partial_order, ..drawn };
        watched::check(network, property, &options, budget)?;
    }
    Ok(subject.tally)
}

pub(super) fn wellformed(model: &Model) -> Result<(), Trouble> {
    let diagnostics = beeline_ir::wellformed::check(model);
    match diagnostics.iter().find(|d| matches!(d.severity, Severity::Error | Severity::Unsupported)) {
        Some(d) => Err(Trouble::new(TroubleKind::IllFormed, format!("{} {}", d.code, d.message))),
        None => Ok(()),
    }
}

/// The text form must read back equal.
pub fn round_trip(model: &Model) -> Result<(), Trouble> {
    let printed = text::print(model);
    let options = ReadOptions { file: "model", record_places: false };
    match text::read(&printed, options) {
        Err(diagnostics) => {
            let messages: Vec<String> = diagnostics.iter().map(|d| d.message.clone()).collect();
            Err(Trouble::new(TroubleKind::RoundTrip, format!("{}\n{printed}", messages.join("; "))))
        }
        Ok(read) if read != *model => {
            Err(Trouble::new(TroubleKind::RoundTrip, format!("reads back different\n{printed}")))
        }
        Ok(read) if read.hash() != model.hash() => Err(Trouble::new(TroubleKind::RoundTrip, "hash differs")),
        Ok(_) => Ok(()),
    }
}

struct Subject<'a> {
    model: &'a Model,
    network: &'a Network,
    property: &'a Property,
    answer: &'a Answer,
    reduction: Option<&'a Reduction>,
    certificate_steps: Option<u64>,
    tally: Tally,
}

impl Subject<'_> {
    /// A directed search with one or two heuristics.
    fn directed(&mut self, random: &mut Random) -> Result<(), Trouble> {
        let specs = promises::specs();
        let mut chosen = vec![specs[random.below(specs.len())].clone()];
        if random.chance(25) {
            chosen.push(specs[random.below(specs.len())].clone());
        }
        // What finds shortest traces is more often given what keeps them shortest.
        if random.chance(50) {
            let spec = Spec::parse(if random.chance(70) { "hl" } else { "dl" });
            chosen = spec.into_iter().collect();
        }
        let kinds = SearchKind::ALL.iter().copied().filter(|kind| kind.directed());
        let kinds: Vec<SearchKind> = kinds.collect();
        let mut options = options::draw(kinds[random.below(kinds.len())], random);
        options.weight = 1 + random.below(6) as u32;
        options.beam_width = 1 + random.below(8);
        options.generations = 1 + random.below(2) as u64;
        options.alternation = random.chance(70);
        options.deferred = random.chance(40);
        options.preferred = random.chance(40);
        options.random_ties = random.chance(50).then_some(options.seed);
        self.search(&options, &chosen, random)
    }

    fn search(&mut self, options: &Options, specs: &[Spec], random: &mut Random) -> Result<(), Trouble> {
        // Each row takes some steps to check.
        let options =
            &Options { most_rows: self.certificate_steps.map(|steps| steps / 20), ..options.clone() };
        let lossy = options.storage.is_some_and(Storage::lossy);
        let (again, reduction) = (random.chance(10), self.reduction.filter(|_| random.chance(50)));
        let named: Vec<String> = specs.iter().map(ToString::to_string).collect();
        let trouble = |kind, detail: String| {
            let Options { search, extrapolation, active_clocks, seed, partial_order, .. } = *options;
            let kept = (partial_order, options.storage, options.symmetry);
            let options = (search, extrapolation, active_clocks, seed, kept);
            let reduced = if reduction.is_some() { ", reduced" } else { "" };
            Trouble::new(kind, format!("{options:?}{reduced} {}: {detail}", named.join(" ")))
        };
        let network = reduction.map_or(self.network, |reduction| &reduction.network);
        let work = self.certificate_steps.map(|_| Work::new(HEURISTIC_WORK, SUCCESSOR_WORK));
        let limits = Limits { work, ..options.limits.clone() };
        let making = Making::new(network, self.property, &limits);
        let direct = || {
            let made = specs.iter().map(|spec| beeline_heuristics::make(&making, spec));
            made.collect::<Result<Vec<_>, NotMade>>()
        };
        let mut heuristics = match direct() {
            Ok(heuristics) => heuristics,
            Err(NotMade::Stopped(StopReason::Work)) => return Ok(()),
            Err(reason) => return Err(trouble(TroubleKind::Refused, reason.to_string())),
        };
        let admissible = heuristics.iter().all(|heuristic| heuristic.properties().admissible);
        let exact = options.shortest() && admissible;
        let run = |heuristics: &mut [Box<dyn Heuristic>]| {
            let mut outcome = run_with(network, self.property, options, heuristics)?;
            let back = reduction.map_or(Ok(()), |reduction| reduction.put_back(&mut outcome));
            back.map(|()| outcome).map_err(|error| trouble(TroubleKind::Verdict, error.to_string()))
        };
        let outcome = run(&mut heuristics)?;
        self.tally.searches += 1;
        self.tally.reduced += u64::from(reduction.is_some());
        if again && let Ok(mut heuristics) = direct() {
            let second = run(&mut heuristics)?;
            if !same(&outcome, &second) {
                return Err(trouble(TroubleKind::Nondeterministic, "two runs differ".to_string()));
            }
            beeline_check::check(self.model, self.property, second, Certify::Auto, &self.limits())
                .map_err(|e| trouble(TroubleKind::Verdict, format!("no verdict is minted: {e:?}")))?;
        }
        match (&outcome.finding, self.answer.length) {
            (Finding::Unknown(StopReason::PropertyFails), None) => return Ok(()),
            (Finding::Unknown(_), _) if matches!(options.search, SearchKind::Beam | SearchKind::Genetic) => {
                return Ok(());
            }
            (Finding::Unknown(StopReason::Hashed), _) if lossy => return Ok(()),
            (Finding::Unreachable, _) if lossy => {
                return Err(trouble(TroubleKind::Verdict, "hashes prove nothing".to_string()));
            }
            (Finding::Unknown(reason), _) => {
                return Err(trouble(TroubleKind::Unknown, reason.message().to_string()));
            }
            (Finding::Reachable { .. }, None) => {
                return Err(trouble(
                    TroubleKind::Verdict,
                    "found, but out of reach for the oracle".to_string(),
                ));
            }
            (Finding::Unreachable, Some(length)) => {
                return Err(trouble(
                    TroubleKind::Verdict,
                    format!("not found, but the oracle reaches it in {length}"),
                ));
            }
            (Finding::Unreachable, None) => {}
            (Finding::Reachable { trace, shortest }, Some(least)) => {
                let replayed = replay(self.model, self.property, trace)
                    .map_err(|e| trouble(TroubleKind::Replay, format!("{e:?} in {:?}", trace.run)))?;
                self.tally.traces += 1;
                let claims_least = *shortest || exact;
                if replayed.length < least || (claims_least && replayed.length != least) {
                    let detail = format!("length {} where the oracle needs {least}", replayed.length);
                    return Err(trouble(TroubleKind::Length, detail));
                }
                if outcome.lower_bound > least {
                    let detail =
                        format!("lower bound {} above the least length {least}", outcome.lower_bound);
                    return Err(trouble(TroubleKind::Length, detail));
                }
            }
        }
        self.certificate(&outcome, options, exact).map_err(|t| trouble(t.kind, t.detail))?;
        self.warning(&outcome, options).map_err(|t| trouble(t.kind, t.detail))
    }

    /// How much the check of a certificate may keep.
    fn limits(&self) -> Limits {
        Limits { memory: self.certificate_steps.map(|_| CERTIFICATE_MEMORY), ..Limits::default() }
    }

    fn certificate(&mut self, outcome: &Outcome, options: &Options, exact: bool) -> Result<(), Trouble> {
        let length = match &outcome.finding {
            Finding::Reachable { .. } => self.answer.length,
            Finding::Unreachable | Finding::Unknown(_) => None,
        };
        let Some(certificate) = &outcome.certificate else {
            self.tally.uncertified += u64::from(options.certificate);
            let due = options.certificate && (length.is_none() || exact);
            if due && outcome.no_certificate.is_none() {
                return Err(Trouble::new(TroubleKind::Certificate, "missing without a reason"));
            }
            return Ok(());
        };
        if certificate.length != length {
            let detail = format!("claims {:?}, should claim {length:?}", certificate.length);
            return Err(Trouble::new(TroubleKind::Certificate, detail));
        }
        let bytes = write_certificate(certificate);
        match read_certificate(&bytes) {
            Ok(read) if read == *certificate => {}
            other => return Err(Trouble::new(TroubleKind::Encoding, format!("{other:?}"))),
        }
        let steps = self.certificate_steps.unwrap_or(CERTIFICATE_BUDGET);
        match check_certificate(self.model, self.property, certificate, Some(steps), &self.limits()) {
            Ok(_) => self.tally.certificates += 1,
            Err(NotAccepted::BudgetExceeded | NotAccepted::Stopped(_))
                if self.certificate_steps.is_some() =>
            {
                self.tally.uncertified += 1
            }
            Err(error) => return Err(Trouble::new(TroubleKind::Certificate, format!("{error:?}"))),
        }
        Ok(())
    }

    /// A search that saw everything must have seen a failing label if there is one, and one that warns must be right.
    fn warning(&self, outcome: &Outcome, options: &Options) -> Result<(), Trouble> {
        if self.property.target() == Target::RuntimeError
            || options.runtime_errors != beeline_engine::RuntimeErrors::Report
        {
            return Ok(());
        }
        let saw_everything = outcome.finding == Finding::Unreachable
            && outcome.stats.dead_ends == 0
            && outcome.stats.left_out == 0;
        match (&outcome.warning, self.answer.fails) {
            (Some((label, error)), false) => Err(Trouble::new(
                TroubleKind::Warning,
                format!("warns of {error:?} in {label:?}, but nothing fails"),
            )),
            (None, true) if saw_everything => {
                Err(Trouble::new(TroubleKind::Warning, "missed a failing label"))
            }
            _ => Ok(()),
        }
    }

    fn reachable_set(&mut self, options: &Options, budget: usize) -> Result<(), Trouble> {
        let unobserved;
        let expected = if self.property.observer().is_some() {
            match oracle::solve(self.network, self.property, false, budget) {
                Ok(answer) => {
                    unobserved = answer.reachable;
                    &unobserved
                }
                Err(_) => return Ok(()),
            }
        } else {
            &self.answer.reachable
        };
        let found = states(self.network, options)?;
        self.tally.searches += 1;
        if found == *expected {
            return Ok(());
        }
        let missing = expected.iter().find(|s| !found.contains(s));
        let extra = found.iter().find(|s| !expected.contains(s));
        let detail = format!(
            "{:?} {:?}: {} states where the oracle has {}; missing {missing:?}, extra {extra:?}",
            options.extrapolation,
            options.active_clocks,
            found.len(),
            expected.len()
        );
        Err(Trouble::new(TroubleKind::Reachable, detail))
    }

    fn twin(&mut self, random: &mut Random) -> Result<(), Trouble> {
        let rewrite = Rewrite::ALL[random.below(Rewrite::ALL.len())];
        let Some(twin) = rewrite.apply(self.network, random) else { return Ok(()) };
        let model = Model::Network(twin.clone());
        let trouble = |detail: String| {
            Trouble::new(TroubleKind::Rewrite, format!("{rewrite:?}: {detail}\n{}", text::print(&model)))
        };
        wellformed(&model).map_err(|t| trouble(t.to_string()))?;
        round_trip(&model).map_err(|t| trouble(t.to_string()))?;
        self.tally.twins += 1;
        let storage = Some(Storage::Collapse);
        let options = Options { any_length: false, storage, ..options::draw(SearchKind::Bfs, random) };
        let outcome = run(&twin, &twin.properties[0], &options)?;
        let length = match &outcome.finding {
            Finding::Reachable { trace, .. } => {
                let replayed =
                    replay(&model, &twin.properties[0], trace).map_err(|e| trouble(format!("{e:?}")))?;
                Some(replayed.length)
            }
            Finding::Unreachable | Finding::Unknown(StopReason::PropertyFails) => None,
            Finding::Unknown(reason) => return Err(trouble(reason.message().to_string())),
        };
        if length != self.answer.length {
            return Err(trouble(format!("length {length:?} instead of {:?}", self.answer.length)));
        }
        if self.property.observer().is_none() {
            let found = levels(&states(&twin, &options)?);
            let expected = levels(&self.answer.reachable);
            if found != expected {
                return Err(trouble(format!("states per level {found:?} instead of {expected:?}")));
            }
        }
        Ok(())
    }
}

pub(super) fn run(network: &Network, property: &Property, options: &Options) -> Result<Outcome, Trouble> {
    run_with(network, property, options, &mut [])
}

pub(super) fn run_with(
    network: &Network,
    property: &Property,
    options: &Options,
    heuristics: &mut [Box<dyn Heuristic>],
) -> Result<Outcome, Trouble> {
    explore_with(network, property, options, heuristics, &mut |_| {}).map_err(|diagnostics| {
        let messages: Vec<String> = diagnostics.into_iter().map(|d| d.message).collect();
        Trouble::new(TroubleKind::Refused, messages.join("; "))
    })
}

fn states(network: &Network, options: &Options) -> Result<Vec<(Vec<i64>, u32)>, Trouble> {
    match reachable(network, options) {
        Ok(Some(found)) => Ok(found.states),
        Ok(None) => Err(Trouble::new(TroubleKind::Unknown, "full exploration stopped early")),
        Err(diagnostics) => {
            let messages: Vec<String> = diagnostics.into_iter().map(|d| d.message).collect();
            Err(Trouble::new(TroubleKind::Refused, messages.join("; ")))
        }
    }
}

/// Number of states first reached at each cost.
pub(super) fn levels(states: &[(Vec<i64>, u32)]) -> Vec<usize> {
    let mut levels = Vec::new();
    for (_, cost) in states {
        let cost = *cost as usize;
        if levels.len() <= cost {
            levels.resize(cost + 1, 0);
        }
        levels[cost] += 1;
    }
    levels
}

/// Whether two outcomes are the same but for times and bytes.
fn same(a: &Outcome, b: &Outcome) -> bool {
    a.finding == b.finding
        && a.lower_bound == b.lower_bound
        && a.certificate == b.certificate
        && a.warning == b.warning
        && (a.stats.expanded, a.stats.generated, a.stats.stored, a.stats.subsumed)
            == (b.stats.expanded, b.stats.generated, b.stats.stored, b.stats.subsumed)
}
