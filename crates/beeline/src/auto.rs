//! The search that chooses by itself. Breadth-first search has the first word: most questions are answered before
//! anything better could have been prepared. When it has come so far without an answer, it waits, and others try: a
//! greedy search for some trace, then A\* with heuristics, the cheapest first. They have their share of the work, and
//! wait in turn ([`turns`]); what was begun goes on where it was. Nothing depends on time, so a run can be repeated.
//!
//! Each try has an allowance. One that has used it up without a result is put off, and gets four times as much when all
//! the others have had theirs. When there is nothing left to prepare, A\* with the best heuristics goes on to its end.
//!
//! A trace that greedy search has found is an upper bound: A\* looks for shorter ones only. If a limit comes first, it is
//! the answer. A heuristic that promises no more at the start than is known without it is left out.
//!
//! Portfolios of complementary searches: Helmert, Röger and Karpas, "Fast Downward Stone Soup", ICAPS 2011 workshop on
//! planning and learning. Reading order: `share`, `breadth`, `turns`, then this.

mod breadth;
mod share;
#[cfg(test)]
mod tests;
mod turns;

use crate::settings::{Mode, Settings};
use crate::verify::{Failure, engine_options, making, no_outcome};
use beeline_check::Kernel;
use beeline_engine::effort;
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_engine::{Options, Progress, SearchKind};
use beeline_heuristics::Spec;
use beeline_heuristics::registry::NotMade;
use beeline_ir::layout::Layout;
use beeline_ir::limits::{CancelToken, Limits, StopReason, Work};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use beeline_ir::trace::{Run, Trace};
use beeline_program::factored::Factored;
use breadth::{Breadth, Show, show};
use share::Shares;
use std::sync::Arc;
use std::thread;
use std::time::Instant;
use turns::Turns;

/// A heuristic that may direct A\*.
#[derive(Copy, Clone, Debug)]
struct Candidate {
    name: &'static str,
    /// The allowance to make it.
    making: u64,
    /// The allowance of A\* when it is there.
    search: u64,
}

/// The heuristics that direct A\*, the cheapest first.
const HEURISTICS: [Candidate; 4] = [
    Candidate { name: "dpr:size=200000", making: 120_000_000, search: 500_000_000 },
    Candidate { name: "scp:size=2000", making: 300_000_000, search: 200_000_000 },
    Candidate { name: "cegar", making: 5_000_000_000, search: 5_000_000_000 },
    Candidate { name: "scp", making: 5_000_000_000, search: 30_000_000_000 },
];

/// The same for networks without clocks, of which `scp` knows nothing: there it comes first.
const UNTIMED: [Candidate; 4] = [HEURISTICS[0], HEURISTICS[1], HEURISTICS[3], HEURISTICS[2]];

/// A lower bound that costs next to nothing, to see how far it is.
const BOUND: &str = "hl";
/// The allowance to make it.
const BOUND_WORK: u64 = 50_000_000;

/// What directs greedy searches, the cheapest first.
const GREEDY: &[&[&str]] = &[&["du"], &["hu", "novelty"]];
/// What says about how far it is: two thirds of it are hardly ever too much.
const GUESS: &str = "hu";

/// How many times as much they are allowed when breadth-first search is known to have a long way to go.
const FAR_PROBE: u64 = 128;

/// What was chosen, and what came of it.
#[derive(Debug)]
pub struct Chosen {
    /// The answer.
    pub outcome: Outcome,
    /// The search that gave it.
    pub search: SearchKind,
    /// The heuristics that directed it.
    pub heuristics: Vec<String>,
    /// Their estimate for the initial state.
    pub h_initial: Option<u32>,
    /// What they have to say of themselves.
    pub remarks: Vec<String>,
    /// What was tried, and why; the last line is about what gave the answer.
    pub story: Vec<String>,
}

/// Chooses, and searches.
pub fn search(
    (network, property): (&Network, &Property),
    others: &[Property],
    settings: &Settings,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Chosen, Failure> {
    let heuristics = if network.clocks.is_empty() { UNTIMED } else { HEURISTICS };
    by_turns((share::USUAL, &heuristics), (network, property), others, settings, limits, progress)
}

fn by_turns(
    (shares, candidates): (Shares, &[Candidate]),
    (network, property): (&Network, &Property),
    others: &[Property],
    settings: &Settings,
    limits: &Limits,
    progress: &mut (dyn FnMut(&Progress) + Send),
) -> Result<Chosen, Failure> {
    let place = Show::new(progress);
    thread::scope(|scope| {
        let stop = CancelToken::default();
        let own = Limits { cancel: stop.clone(), ..limits.clone() };
        let watch = others.to_vec();
        let options = Options { search: SearchKind::Bfs, watch, ..engine_options(settings, &own) };
        let unit = match effort::of_successor(network, property, &engine_options(settings, limits)) {
            Ok(unit) => unit,
            Err(reason) => return Ok(nothing(Outcome::unknown(reason))),
        };
        let breadth = Breadth::start(scope, (network, property), options, unit, &limits.cancel, &place);
        let mut trying = Trying {
            network,
            property,
            settings,
            limits,
            place: &place,
            unit,
            shares,
            turns: Arc::new(Turns::start(breadth, shares)),
            factored: None,
            candidates: candidates.to_vec(),
            put_off: Vec::new(),
            made: Vec::new(),
            heuristics: Vec::new(),
            probes: GREEDY.iter().map(|names| Probe { names, guess: None, heuristics: None }).collect(),
            known: None,
            deadline: limits.deadline,
            bound: 0,
            told: None,
            story: Vec::new(),
        };
        let chosen = trying.run();
        stop.cancel(StopReason::Interrupted);
        chosen
    })
}

/// Nothing was tried.
fn nothing(outcome: Outcome) -> Chosen {
    let (search, heuristics, h_initial) = (SearchKind::Bfs, Vec::new(), Some(0));
    Chosen { outcome, search, heuristics, h_initial, remarks: Vec::new(), story: Vec::new() }
}

/// What is being tried.
struct Trying<'a> {
    network: &'a Network,
    property: &'a Property,
    settings: &'a Settings,
    limits: &'a Limits,
    place: &'a Show<'a>,
    /// The work that a successor is.
    unit: u64,
    shares: Shares,
    turns: Arc<Turns>,
    /// What heuristics are made from, once it is there.
    factored: Option<Arc<Factored>>,
    /// What may still be made.
    candidates: Vec<Candidate>,
    /// Those among them that have been tried with too little.
    put_off: Vec<&'static str>,
    /// The names of the heuristics made so far, with their estimates for the initial state.
    made: Vec<(&'static str, Estimate)>,
    heuristics: Vec<Box<dyn Heuristic>>,
    /// The greedy searches that can be directed.
    probes: Vec<Probe>,
    /// What has found a trace by which greedy search, and its steps.
    known: Option<Known>,
    /// When to stop, so that there is time to replay what is known.
    deadline: Option<Instant>,
    /// No trace is shorter, as heuristics have shown.
    bound: u32,
    /// The states of breadth-first search when something was told last.
    told: Option<u64>,
    story: Vec<String>,
}

/// A greedy search.
struct Probe {
    names: &'static [&'static str],
    /// About how far it is, if it says so.
    guess: Option<u32>,
    /// What directs it, once it is there.
    heuristics: Option<Vec<Box<dyn Heuristic>>>,
}

/// A trace that is known.
struct Known {
    outcome: Outcome,
    steps: u32,
    by: &'static [&'static str],
}

/// What came of a try.
enum Tried {
    /// An answer.
    Answer(Box<Chosen>),
    /// Nothing yet.
    Nothing,
    /// A limit was reached.
    Stopped(StopReason),
}

impl Trying<'_> {
    fn run(&mut self) -> Result<Chosen, Failure> {
        let mut tried = if self.turns.finish(false) { Tried::Nothing } else { self.bound() };
        let mut scale = 1_u64;
        loop {
            if let Some(chosen) = self.settled(tried)? {
                return Ok(chosen);
            }
            tried = self.round(scale)?;
            scale = scale.saturating_mul(4);
        }
    }

    /// What a try means for all of them: the answer, if there is one now.
    fn settled(&mut self, tried: Tried) -> Result<Option<Chosen>, Failure> {
        match tried {
            Tried::Answer(chosen) => Ok(Some(*chosen)),
            Tried::Stopped(reason) => Ok(Some(self.stopped(reason))),
            Tried::Nothing if self.turns.finish(false) => self.by_breadth().map(Some),
            Tried::Nothing => Ok(None),
        }
    }

    /// Everything once, with its allowance times so much.
    fn round(&mut self, scale: u64) -> Result<Tried, Failure> {
        let alone = self.candidates.is_empty() && !self.worth_directing();
        if self.turns.squeezed() || alone && (self.turns.gave_up() || !self.worth_probing()) {
            self.turns.finish(true);
            return Ok(if self.turns.gave_up() {
                Tried::Answer(Box::new(self.by_breadth()?))
            } else {
                Tried::Nothing
            });
        }
        if self.worth_probing() {
            let work = self.shares.probe.saturating_mul(scale).saturating_mul(scale);
            let tried = self.probe(if self.turns.far() { work.saturating_mul(FAR_PROBE) } else { work })?;
            if !self.goes_on(&tried) {
                return Ok(tried);
            }
        }
        for candidate in std::mem::take(&mut self.candidates) {
            let more = match self.make(candidate, candidate.making.saturating_mul(scale)) {
                Ok(more) => more,
                Err(tried) => return Ok(tried),
            };
            if more {
                let tried = self.directed(candidate.search.saturating_mul(scale))?;
                if !self.goes_on(&tried) {
                    return Ok(tried);
                }
            }
        }
        if self.candidates.is_empty() { self.directed(u64::MAX) } else { Ok(Tried::Nothing) }
    }

    /// Whether something else is to be tried.
    fn goes_on(&self, tried: &Tried) -> bool {
        matches!(tried, Tried::Nothing) && !self.turns.finish(false) && !self.turns.squeezed()
    }

    /// Does something with at most so much work, by turns with breadth-first search.
    fn within<R>(&mut self, work: u64, run: impl FnOnce(&mut Self, Limits) -> R) -> R {
        let limits = Limits {
            work: Some(Work::new(work, self.unit).at(self.turns.clone())),
            memory: self.turns.reserve(true),
            deadline: self.deadline,
            ..self.limits.clone()
        };
        let result = run(self, limits);
        self.turns.reserve(false);
        result
    }

    /// How far it is, at least and about.
    fn bound(&mut self) -> Tried {
        for name in [BOUND, GUESS] {
            match self.within(BOUND_WORK, |trying, limits| trying.heuristic(name, &limits)) {
                Ok(mut heuristic) => {
                    let steps = self.initially(&mut *heuristic).steps().unwrap_or(0);
                    if name == BOUND {
                        self.bound = steps;
                    }
                    self.turns.expect(if name == BOUND { steps } else { steps / 3 * 2 });
                }
                Err(NotMade::Stopped(reason)) => return ended(reason),
                Err(NotMade::Refused(_)) => {}
            }
        }
        Tried::Nothing
    }

    /// An estimate for the initial state.
    fn initially(&self, heuristic: &mut dyn Heuristic) -> Estimate {
        heuristic.estimate(&Layout::of_network(self.network).initial(self.network))
    }

    /// Whether greedy search may find something new.
    fn worth_probing(&self) -> bool {
        self.known.is_none() && !self.probes.is_empty()
    }

    /// Greedy searches for some trace, each with so much work.
    fn probe(&mut self, work: u64) -> Result<Tried, Failure> {
        for mut probe in std::mem::take(&mut self.probes) {
            let tried = self.within(work, |trying, limits| trying.greedy(&mut probe, &limits))?;
            let Some(tried) = tried else { continue };
            self.probes.push(probe);
            if !self.goes_on(&tried) {
                return Ok(tried);
            }
        }
        Ok(Tried::Nothing)
    }

    /// Tells of something that was tried, and how far breadth-first search had come then.
    fn tell(&mut self, line: String) {
        let (stored, bound) = self.turns.breadth();
        if self.told.replace(stored) != Some(stored) {
            let line = format!("breadth-first search: {stored} states, no trace of less than {bound} steps");
            self.story.push(line);
        }
        self.story.push(line);
    }

    /// Makes a heuristic.
    fn heuristic(&mut self, name: &str, limits: &Limits) -> Result<Box<dyn Heuristic>, NotMade> {
        let spec = Spec::parse(name).expect("names of the table");
        let making =
            making(self.network, self.property, self.settings, limits).sharing(self.factored.clone());
        let made = beeline_heuristics::make(&making, &spec);
        self.factored = making.shared();
        made
    }

    /// One greedy search; `None` if it cannot be directed.
    fn greedy(&mut self, probe: &mut Probe, limits: &Limits) -> Result<Option<Tried>, Failure> {
        if probe.heuristics.is_none() {
            let made = probe.names.iter().map(|name| self.heuristic(name, limits));
            probe.heuristics = match made.collect::<Result<Vec<_>, NotMade>>() {
                Ok(mut heuristics) => {
                    let first = self.initially(&mut *heuristics[0]);
                    if first < Estimate::Steps(self.bound) {
                        // It sees less than is known.
                        return Ok(None);
                    }
                    probe.guess = first.steps().filter(|_| probe.names[0] == GUESS);
                    Some(heuristics)
                }
                Err(NotMade::Stopped(reason)) => return Ok(Some(ended(reason))),
                Err(NotMade::Refused(_)) => return Ok(None),
            };
        }
        let heuristics = probe.heuristics.as_deref_mut().unwrap_or_default();
        let options = Options {
            search: SearchKind::Greedy,
            any_length: true,
            deferred: true,
            preferred: true,
            ..engine_options(self.settings, limits)
        };
        let (network, property, place) = (self.network, self.property, self.place);
        let progress = &mut |progress: &Progress| show(place, progress);
        let outcome = beeline_engine::explore_with(network, property, &options, heuristics, progress);
        self.probed(probe, outcome.map_err(no_outcome)?).map(Some)
    }

    /// What has come of a greedy search.
    fn probed(&mut self, probe: &Probe, outcome: Outcome) -> Result<Tried, Failure> {
        let by = probe.names;
        let names = by.join(", ");
        match &outcome.finding {
            Finding::Reachable { trace, .. } => {
                let Run::Network(run) = &trace.run else { return Ok(Tried::Nothing) };
                let steps = run.length(self.network);
                self.tell(format!("greedy by {names}: a trace of {steps} steps"));
                if self.settings.mode != Mode::Shortest {
                    return Ok(Tried::Answer(Box::new(self.by_greedy(by, outcome))));
                }
                if probe.guess.is_some_and(|guess| steps <= guess + guess / 4) {
                    // It went straight there, so the guess was good.
                    self.turns.expect(steps / 5 * 4);
                }
                if self.known.as_ref().is_none_or(|known| steps < known.steps) {
                    self.deadline = self.time_to_replay(steps);
                    self.turns.know(steps, self.deadline);
                    self.known = Some(Known { outcome, steps, by });
                }
                Ok(Tried::Nothing)
            }
            Finding::Unreachable => {
                self.tell(format!("greedy by {names}: found the answer"));
                Ok(Tried::Answer(Box::new(self.by_greedy(by, outcome))))
            }
            Finding::Unknown(reason) => {
                let stored = outcome.stats.stored;
                self.tell(format!("greedy by {names}: {stored} states, no trace"));
                Ok(ended(*reason))
            }
        }
    }

    /// When to stop at the latest, for the kernel to have time for a trace of so many steps: with hundreds of processes it
    /// may need seconds. It looks for all labels twice in a step, before the delay and after it.
    fn time_to_replay(&self, steps: u32) -> Option<Instant> {
        let now = Instant::now();
        let left = self.limits.deadline?.saturating_duration_since(now);
        let kernel = Kernel::new(self.network, self.property.observer()).within(self.limits);
        for (state, _) in kernel.initial() {
            kernel.labels(&state);
        }
        let needed = now.elapsed().saturating_mul(steps.saturating_mul(2));
        now.checked_add(left.saturating_sub(needed).max(left / 2))
    }

    /// Makes the next heuristic; true if it promises something.
    fn make(&mut self, candidate: Candidate, work: u64) -> Result<bool, Tried> {
        let name = candidate.name;
        match self.within(work, |trying, limits| trying.heuristic(name, &limits)) {
            Ok(heuristic) => return Ok(self.take(name, heuristic)),
            Err(NotMade::Refused(reason)) => self.tell(format!("{name}: {reason}")),
            Err(NotMade::Stopped(StopReason::Memory)) => self.tell(format!("{name}: not enough memory")),
            Err(NotMade::Stopped(StopReason::Work)) => {
                self.candidates.push(candidate);
                let over = self.turns.finish(false) || self.turns.squeezed();
                if over {
                    return Err(Tried::Nothing);
                }
                if !self.put_off.contains(&name) {
                    self.put_off.push(name);
                    self.tell(format!("{name}: put off, for it takes more work than it may now"));
                }
            }
            Err(NotMade::Stopped(reason)) => return Err(Tried::Stopped(reason)),
        }
        Ok(false)
    }

    /// Keeps a heuristic if it promises more than is known without it; whether it does.
    fn take(&mut self, name: &'static str, mut heuristic: Box<dyn Heuristic>) -> bool {
        let estimate = self.initially(&mut *heuristic);
        let more = estimate > self.estimate() && estimate > Estimate::Steps(self.turns.breadth().1);
        self.tell(match estimate {
            Estimate::Infinite => format!("{name}: the target is out of reach"),
            Estimate::Steps(steps) if more => format!("{name}: at least {steps} steps"),
            Estimate::Steps(steps) => format!("{name}: at least {steps} steps, which says nothing new"),
        });
        if more {
            // Of the same kind, the larger one stays.
            let kind = |name: &'static str| name.split(':').next();
            if let Some(at) = self.made.iter().position(|(other, _)| kind(other) == kind(name)) {
                self.made.remove(at);
                self.heuristics.remove(at);
            }
            self.made.push((name, estimate));
            self.heuristics.push(heuristic);
            self.turns.expect(estimate.steps().unwrap_or(u32::MAX));
        }
        more
    }

    /// The greatest estimate for the initial state.
    fn estimate(&self) -> Estimate {
        self.made.iter().map(|(_, estimate)| *estimate).max().unwrap_or(Estimate::ZERO)
    }

    /// Whether the heuristics there are say something that is asked for, and that breadth-first search has not shown.
    fn worth_directing(&self) -> bool {
        // Where lengths do not matter, only what is out of reach does.
        let asked = self.settings.mode == Mode::Shortest || self.estimate() == Estimate::Infinite;
        let known = Estimate::Steps(self.turns.breadth().1);
        asked && !self.made.is_empty() && self.estimate().max(Estimate::Steps(self.bound)) > known
    }

    /// A\* with the heuristics there are, if they promise something.
    fn directed(&mut self, work: u64) -> Result<Tried, Failure> {
        if !self.worth_directing() {
            return Ok(Tried::Nothing);
        }
        let names: Vec<&str> = self.made.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let outcome = self.within(work, |trying, limits| trying.astar(&limits))?;
        let reason = match outcome.finding {
            Finding::Unknown(reason) => reason,
            _ => {
                self.tell(format!("astar by {names}: found the answer"));
                return Ok(Tried::Answer(Box::new(self.by_heuristics(outcome))));
            }
        };
        let (stored, least) = (outcome.stats.stored, outcome.lower_bound);
        self.tell(format!("astar by {names}: {stored} states, no trace of less than {least} steps"));
        self.bound = self.bound.max(least);
        self.turns.expect(least);
        if reason == StopReason::Memory {
            // More work would not help it.
            self.made.clear();
            self.heuristics.clear();
        }
        Ok(ended(reason))
    }

    /// One search by A\*.
    fn astar(&mut self, limits: &Limits) -> Result<Outcome, Failure> {
        let known = self.known.as_ref().and_then(|known| match &known.outcome.finding {
            Finding::Reachable { trace: Trace { run: Run::Network(run), .. }, .. } => {
                Some(beeline_engine::Known { steps: known.steps, run: run.clone() })
            }
            _ => None,
        });
        let options = Options { search: SearchKind::AStar, known, ..engine_options(self.settings, limits) };
        let Self { network, property, heuristics, place, .. } = self;
        let progress = &mut |progress: &Progress| show(place, progress);
        beeline_engine::explore_with(network, property, &options, heuristics, progress).map_err(no_outcome)
    }

    /// What the heuristics have led to.
    fn by_heuristics(&mut self, outcome: Outcome) -> Chosen {
        Chosen {
            outcome,
            search: SearchKind::AStar,
            heuristics: self.made.iter().map(|(name, _)| (*name).to_string()).collect(),
            h_initial: self.estimate().steps(),
            remarks: self.heuristics.iter().filter_map(|heuristic| heuristic.remark()).collect(),
            story: std::mem::take(&mut self.story),
        }
    }

    /// What greedy search has come to.
    fn by_greedy(&mut self, by: &[&str], outcome: Outcome) -> Chosen {
        Chosen {
            outcome,
            search: SearchKind::Greedy,
            heuristics: by.iter().map(|name| (*name).to_string()).collect(),
            h_initial: None,
            remarks: Vec::new(),
            story: std::mem::take(&mut self.story),
        }
    }

    /// What breadth-first search has come to; where it has no answer, the trace that is known.
    fn by_breadth(&mut self) -> Result<Chosen, Failure> {
        let outcome = self.turns.outcome()?;
        if let Finding::Unknown(reason) = outcome.finding {
            self.bound = self.bound.max(outcome.lower_bound);
            self.tell("breadth-first search: stopped".to_string());
            if self.known.is_some() {
                return Ok(self.stopped(reason));
            }
        } else {
            self.story.push("breadth-first search: found the answer".to_string());
        }
        Ok(Chosen { story: std::mem::take(&mut self.story), ..nothing(outcome) })
    }

    /// Something has stopped the search: what is known is the answer.
    fn stopped(&mut self, reason: StopReason) -> Chosen {
        let lower_bound = self.bound.max(self.turns.breadth().1);
        let Some(Known { outcome: known, steps, by }) = self.known.take() else {
            let unknown = Outcome { lower_bound, ..Outcome::unknown(reason) };
            return Chosen { search: SearchKind::Bfs, ..self.by_heuristics(unknown) };
        };
        let message = reason.message();
        self.tell(format!("{message}: the trace that greedy search has found is the answer"));
        let no_certificate = Some(message.to_string());
        self.by_greedy(by, Outcome { lower_bound: lower_bound.min(steps), no_certificate, ..known })
    }
}

/// What the end of a try means for all of them.
fn ended(reason: StopReason) -> Tried {
    match reason {
        StopReason::Work | StopReason::Memory | StopReason::PropertyFails => Tried::Nothing,
        StopReason::Diverges | StopReason::Incomplete | StopReason::Labels | StopReason::Hashed => {
            Tried::Nothing
        }
        StopReason::Time | StopReason::States | StopReason::Interrupted => Tried::Stopped(reason),
    }
}
