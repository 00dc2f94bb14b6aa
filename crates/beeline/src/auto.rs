//! The search that chooses by itself. Breadth-first search has the first word: most questions are answered before
//! anything better could have been prepared. When it has come so far without an answer, it waits, and others try: a
//! greedy search for some trace, then A\* with heuristics, the cheapest first. Then breadth-first search goes on, and so
//! by turns, with ever more work for each of them ([`share`]). Nothing depends on time, so a run can be repeated; and
//! what breadth-first search has done is never lost.
//!
//! A trace that greedy search has found is an upper bound: A\* looks for shorter ones only. If a limit comes first, it is
//! the answer. A heuristic that promises no more at the start than is known without it is left out.
//!
//! Portfolios of complementary searches: Helmert, Röger and Karpas, "Fast Downward Stone Soup", ICAPS 2011 workshop on
//! planning and learning. Reading order: `share`, `breadth`, then this.

mod breadth;
mod share;

use crate::settings::{Mode, Settings};
use crate::verify::{Failure, engine_options, making, no_outcome};
use beeline_engine::effort;
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_engine::{Known, Options, Progress, SearchKind};
use beeline_heuristics::Spec;
use beeline_heuristics::registry::NotMade;
use beeline_ir::layout::Layout;
use beeline_ir::limits::{CancelToken, Limits, StopReason, Work};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use beeline_ir::trace::{Run, Trace};
use beeline_program::factored::Factored;
use breadth::Breadth;
use share::Shares;
use std::sync::Arc;
use std::thread;

/// The heuristics that direct A\*, the cheapest first, each with the work without which it is not worth trying.
const HEURISTICS: &[(&str, u64)] = &[
    ("dpr:size=200000", 40_000_000),
    ("scp:size=20000", 80_000_000),
    ("cegar", 1_500_000_000),
    ("scp", 2_000_000_000),
];

/// States that breadth-first search does not store in a short time.
const FAR: f64 = 1e8;

/// What directs the greedy search.
const GREEDY: &[&str] = &["hu", "novelty"];

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
    network: &Network,
    property: &Property,
    settings: &Settings,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Chosen, Failure> {
    by_turns((share::USUAL, HEURISTICS), (network, property), settings, limits, progress)
}

fn by_turns(
    (shares, candidates): (Shares, &[(&'static str, u64)]),
    (network, property): (&Network, &Property),
    settings: &Settings,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Chosen, Failure> {
    thread::scope(|scope| {
        let stop = CancelToken::default();
        let own = Limits { cancel: stop.clone(), ..limits.clone() };
        let options = Options { search: SearchKind::Bfs, ..engine_options(settings, &own) };
        let unit = match effort::of_successor(network, property, &engine_options(settings, limits)) {
            Ok(unit) => unit,
            Err(reason) => return Ok(nothing(Outcome::unknown(reason))),
        };
        let breadth = Breadth::start(scope, (network, property), options, unit, &limits.cancel);
        let mut trying = Trying {
            network,
            property,
            settings,
            limits,
            unit,
            factored: None,
            breadth,
            candidates: candidates
                .iter()
                .map(|(name, least)| Candidate { name, least: *least, put_off: false })
                .collect(),
            made: Vec::new(),
            heuristics: Vec::new(),
            greedy: None,
            known: None,
            bound: 0,
            used: 0,
            given: Given::default(),
            cramped: false,
            told: None,
            story: Vec::new(),
        };
        let chosen = trying.run(shares, progress);
        stop.cancel(StopReason::Interrupted);
        chosen
    })
}

/// Nothing was tried.
fn nothing(outcome: Outcome) -> Chosen {
    let (search, heuristics, h_initial) = (SearchKind::Bfs, Vec::new(), Some(0));
    Chosen { outcome, search, heuristics, h_initial, remarks: Vec::new(), story: Vec::new() }
}

/// A heuristic that may be made.
struct Candidate {
    name: &'static str,
    /// With less work it is not worth trying.
    least: u64,
    /// It was tried with too little.
    put_off: bool,
}

/// The work given last to what had no answer.
#[derive(Default)]
struct Given {
    greedy: u64,
    directed: u64,
}

/// What is being tried.
struct Trying<'a> {
    network: &'a Network,
    property: &'a Property,
    settings: &'a Settings,
    limits: &'a Limits,
    /// The work that a successor is.
    unit: u64,
    /// What heuristics are made from, once it is there.
    factored: Option<Arc<Factored>>,
    breadth: Breadth,
    candidates: Vec<Candidate>,
    /// The names of the heuristics made so far, with their estimates for the initial state.
    made: Vec<(&'static str, Estimate)>,
    heuristics: Vec<Box<dyn Heuristic>>,
    /// What directs the greedy search, once it is there; nothing if it cannot be made.
    greedy: Option<Vec<Box<dyn Heuristic>>>,
    /// What has found a trace, and its steps.
    known: Option<(Outcome, u32)>,
    /// No trace is shorter, as A\* has shown.
    bound: u32,
    /// Work that was done beside breadth-first search.
    used: u64,
    given: Given,
    /// A\* was stopped for want of memory: more work would not help it.
    cramped: bool,
    /// The states of breadth-first search when something was told last.
    told: Option<u64>,
    story: Vec<String>,
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
    fn run(&mut self, shares: Shares, progress: &mut dyn FnMut(&Progress)) -> Result<Chosen, Failure> {
        let mut turn = 0;
        loop {
            turn = shares.next(turn);
            // A trace as short as can be is found by breadth-first search, too, and soon.
            let near = self.known.as_ref().is_some_and(|(_, steps)| *steps <= self.breadth.bound());
            if self.breadth.go(if near { u64::MAX } else { turn }, progress)? {
                return Ok(self.by_breadth());
            }
            let share = shares.others(turn, self.far());
            match self.others(share.saturating_sub(self.used), progress)? {
                Tried::Answer(chosen) => return Ok(*chosen),
                Tried::Stopped(reason) => return Ok(self.stopped(reason)),
                Tried::Nothing => {}
            }
            let helpless = self.candidates.is_empty() && (self.cramped || !self.promising());
            if self.breadth.gave_up() && helpless {
                return Ok(self.by_breadth());
            }
        }
    }

    /// What is tried beside breadth-first search, with so much work.
    fn others(&mut self, work: u64, progress: &mut dyn FnMut(&Progress)) -> Result<Tried, Failure> {
        let end = self.used.saturating_add(work);
        let tried = self.probe(work / 6, progress)?;
        if !matches!(tried, Tried::Nothing) {
            return Ok(tried);
        }
        loop {
            let left = end.saturating_sub(self.used);
            // What was made is tried first, but not with more work than something better may take.
            let next = self.candidates.iter().map(|candidate| candidate.least).min();
            let tried = self.directed(next.map_or(left, |next| next.min(left / 4 * 3)), progress)?;
            if !matches!(tried, Tried::Nothing) {
                return Ok(tried);
            }
            match self.make(end.saturating_sub(self.used)) {
                Some(Tried::Nothing) => {}
                Some(tried) => return Ok(tried),
                None => return Ok(Tried::Nothing),
            }
        }
    }

    /// Does something with so much work, and counts what it took.
    fn within<R>(&mut self, work: u64, run: impl FnOnce(&mut Self, Limits) -> R) -> R {
        let left = Work::new(work, self.unit);
        let used = self.breadth.bytes();
        let limits = Limits {
            work: Some(left.clone()),
            memory: self.limits.memory.map(|memory| memory.saturating_sub(used)),
            ..self.limits.clone()
        };
        let result = run(self, limits);
        self.used += work - left.left();
        result
    }

    /// Greedy search for some trace, if none is known, and there is much more work than was not enough last time.
    fn probe(&mut self, work: u64, progress: &mut dyn FnMut(&Progress)) -> Result<Tried, Failure> {
        if self.known.is_some() || work < 4 * self.given.greedy {
            return Ok(Tried::Nothing);
        }
        self.given.greedy = work;
        let outcome = self.within(work, |trying, limits| trying.greedy(&limits, progress))?;
        let Some(outcome) = outcome else { return Ok(Tried::Nothing) };
        let names = GREEDY.join(", ");
        match &outcome.finding {
            Finding::Reachable { trace, .. } => {
                let Run::Network(run) = &trace.run else { return Ok(Tried::Nothing) };
                let steps = run.length(self.network);
                self.tell(format!("greedy by {names}: a trace of {steps} steps"));
                if self.settings.mode == Mode::Shortest {
                    self.known = Some((outcome, steps));
                    return Ok(Tried::Nothing);
                }
                Ok(Tried::Answer(Box::new(self.by_greedy(outcome))))
            }
            Finding::Unreachable => {
                self.tell(format!("greedy by {names}: found the answer"));
                Ok(Tried::Answer(Box::new(self.by_greedy(outcome))))
            }
            Finding::Unknown(reason) => {
                let stored = outcome.stats.stored;
                self.tell(format!("greedy by {names}: {stored} states, no trace"));
                Ok(self.ended(*reason))
            }
        }
    }

    /// Tells of something that was tried, and how far breadth-first search had come then.
    fn tell(&mut self, line: String) {
        let (stored, bound) = (self.breadth.stored(), self.breadth.bound());
        if self.told.replace(stored) != Some(stored) {
            let line = format!("breadth-first search: {stored} states, no trace of less than {bound} steps");
            self.story.push(line);
        }
        self.story.push(line);
    }

    /// What the end of a try means for all of them.
    fn ended(&self, reason: StopReason) -> Tried {
        match reason {
            StopReason::Work | StopReason::Memory | StopReason::PropertyFails => Tried::Nothing,
            StopReason::Diverges | StopReason::Incomplete | StopReason::Labels => Tried::Nothing,
            StopReason::Time | StopReason::States | StopReason::Interrupted => Tried::Stopped(reason),
        }
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
    fn greedy(
        &mut self,
        limits: &Limits,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Option<Outcome>, Failure> {
        if self.greedy.is_none() {
            let made = GREEDY.iter().map(|name| self.heuristic(name, limits));
            self.greedy = match made.collect::<Result<_, NotMade>>() {
                Ok(heuristics) => Some(heuristics),
                Err(NotMade::Stopped(reason)) => return Ok(Some(Outcome::unknown(reason))),
                Err(NotMade::Refused(_)) => Some(Vec::new()),
            };
        }
        let Some(heuristics) = self.greedy.as_mut().filter(|made| !made.is_empty()) else { return Ok(None) };
        let options = Options {
            search: SearchKind::Greedy,
            any_length: true,
            deferred: true,
            preferred: true,
            ..engine_options(self.settings, limits)
        };
        let (network, property) = (self.network, self.property);
        let found = beeline_engine::explore_with(network, property, &options, heuristics, progress);
        Ok(Some(found.map_err(no_outcome)?))
    }

    /// Makes the next heuristic that there is enough work for; `None` if there is none.
    fn make(&mut self, work: u64) -> Option<Tried> {
        let at = self.candidates.iter().position(|candidate| work >= candidate.least)?;
        let Candidate { name, put_off, .. } = self.candidates[at];
        match self.within(work, |trying, limits| trying.heuristic(name, &limits)) {
            Err(NotMade::Stopped(StopReason::Work)) => {
                if !put_off {
                    self.tell(format!("{name}: put off, for it takes more work than it may now"));
                }
                self.candidates[at] = Candidate { name, least: work.saturating_mul(2), put_off: true };
                return Some(Tried::Nothing);
            }
            Err(NotMade::Stopped(StopReason::Memory)) => self.tell(format!("{name}: not enough memory")),
            Err(NotMade::Stopped(reason)) => return Some(Tried::Stopped(reason)),
            Err(NotMade::Refused(reason)) => self.tell(format!("{name}: {reason}")),
            Ok(heuristic) => self.take(name, heuristic),
        }
        self.candidates.remove(at);
        Some(Tried::Nothing)
    }

    /// Keeps a heuristic if it promises more than is known without it.
    fn take(&mut self, name: &'static str, mut heuristic: Box<dyn Heuristic>) {
        let initial = Layout::of_network(self.network).initial(self.network);
        let estimate = heuristic.estimate(&initial);
        let more = estimate > self.estimate() && estimate > Estimate::Steps(self.breadth.bound());
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
            self.given.directed = 0;
        }
    }

    /// The greatest estimate for the initial state.
    fn estimate(&self) -> Estimate {
        self.made.iter().map(|(_, estimate)| *estimate).max().unwrap_or(Estimate::ZERO)
    }

    /// Whether it is known that breadth-first search has a long way to go.
    fn far(&self) -> bool {
        let least = self.estimate().steps().map_or(u32::MAX, |steps| steps.max(self.bound));
        self.breadth.expected(least) > FAR
    }

    /// Whether the heuristics say something that breadth-first search has not shown.
    fn promising(&self) -> bool {
        self.estimate().max(Estimate::Steps(self.bound)) > Estimate::Steps(self.breadth.bound())
    }

    /// A\* with the heuristics there are, if they promise something, and there is twice the work that was not enough for
    /// it last time.
    fn directed(&mut self, work: u64, progress: &mut dyn FnMut(&Progress)) -> Result<Tried, Failure> {
        // Where lengths do not matter, only what is out of reach does.
        let asked = self.settings.mode == Mode::Shortest || self.estimate() == Estimate::Infinite;
        if !asked || !self.promising() || self.cramped || work < 2 * self.given.directed {
            return Ok(Tried::Nothing);
        }
        self.given.directed = work;
        let names: Vec<&str> = self.made.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let outcome = self.within(work, |trying, limits| trying.astar(&limits, progress))?;
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
        self.cramped = reason == StopReason::Memory;
        Ok(self.ended(reason))
    }

    /// One search by A\*.
    fn astar(&mut self, limits: &Limits, progress: &mut dyn FnMut(&Progress)) -> Result<Outcome, Failure> {
        let known = self.known.as_ref().and_then(|(known, steps)| match &known.finding {
            Finding::Reachable { trace: Trace { run: Run::Network(run), .. }, .. } => {
                Some(Known { steps: *steps, run: run.clone() })
            }
            _ => None,
        });
        let options = Options { search: SearchKind::AStar, known, ..engine_options(self.settings, limits) };
        let Self { network, property, heuristics, .. } = self;
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
    fn by_greedy(&mut self, outcome: Outcome) -> Chosen {
        Chosen {
            outcome,
            search: SearchKind::Greedy,
            heuristics: GREEDY.iter().map(|name| (*name).to_string()).collect(),
            h_initial: None,
            remarks: Vec::new(),
            story: std::mem::take(&mut self.story),
        }
    }

    /// What breadth-first search has come to; where it has no answer, the trace that is known.
    fn by_breadth(&mut self) -> Chosen {
        let outcome = self.breadth.outcome();
        if let Finding::Unknown(reason) = outcome.finding {
            self.bound = self.bound.max(outcome.lower_bound);
            self.tell("breadth-first search: stopped".to_string());
            if self.known.is_some() {
                return self.stopped(reason);
            }
        } else {
            self.story.push("breadth-first search: found the answer".to_string());
        }
        Chosen { story: std::mem::take(&mut self.story), ..nothing(outcome) }
    }

    /// Something has stopped the search: what is known is the answer.
    fn stopped(&mut self, reason: StopReason) -> Chosen {
        let lower_bound = self.bound.max(self.breadth.bound());
        let Some((known, steps)) = self.known.take() else {
            let unknown = Outcome { lower_bound, ..Outcome::unknown(reason) };
            return Chosen { search: SearchKind::Bfs, ..self.by_heuristics(unknown) };
        };
        let message = reason.message();
        self.tell(format!("{message}: the trace that greedy search has found is the answer"));
        let no_certificate = Some(message.to_string());
        self.by_greedy(Outcome { lower_bound: lower_bound.min(steps), no_certificate, ..known })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beeline_ir::model::Model;
    use beeline_ir::text::{self, ReadOptions};
    use beeline_ir::trace::{Run, Trace};

    /// A counter that is asked about, and two that are in the way of breadth-first search alone.
    fn counters(most: u32) -> Network {
        let process = |name: &str, most: u32| {
            format!(
                "var {name} in 0..30\nprocess P{name} {{ location l edge l -> l {{ guard {name} < {most} do {{ {name} := \
                 {name} + 1; }} }} edge l -> l {{ guard {name} > 0 do {{ {name} := 0; }} }} }}\n"
            )
        };
        let model = format!(
            "network counters\n{}{}{}property p : E<> a == 30\nproperty q : E<> deadlock\n",
            process("a", most),
            process("b", 30),
            process("c", 30)
        );
        let read = text::read(&model, ReadOptions { file: "model", record_places: false });
        let Ok(Model::Network(network)) = read else { panic!("a network: {model}: {read:?}") };
        network
    }

    const SOON: Shares = Shares { first: 1_000_000, start: 4_000_000, long: 50_000_000 };

    fn chosen_in(mode: Mode, network: &Network, property: usize, limits: &Limits) -> Chosen {
        let property = &network.properties[property];
        let settings = Settings { auto: true, mode, ..Settings::default() };
        let candidates = &[("dpr:size=10000", 0), ("scp", 1_000_000)];
        by_turns((SOON, candidates), (network, property), &settings, limits, &mut |_| {})
            .expect("a network that is searched")
    }

    fn chosen(network: &Network, property: usize, limits: &Limits) -> Chosen {
        chosen_in(Mode::Shortest, network, property, limits)
    }

    fn steps(chosen: &Chosen) -> Option<usize> {
        match &chosen.outcome.finding {
            Finding::Reachable { trace: Trace { run: Run::Network(run), .. }, shortest: true } => {
                Some(run.steps.len())
            }
            _ => None,
        }
    }

    #[test]
    fn a_heuristic_that_knows_more_gives_the_answer() {
        let network = counters(30);
        let one = chosen(&network, 0, &Limits::default());
        assert_eq!((one.search, steps(&one), one.h_initial), (SearchKind::AStar, Some(30), Some(30)));
        // Downward refinement sees no use in a variable that can take any value at any time.
        assert_eq!(one.heuristics, ["scp"], "{:?}", one.story);
        // The trace that greedy search has found is as short as scp knows that it must be.
        assert_eq!(one.outcome.stats.expanded, 0);
        let story: Vec<&str> = one.story.iter().filter_map(|line| line.split(':').next()).collect();
        let told = ["breadth-first search", "greedy by hu, novelty", "dpr", "scp", "astar by scp"];
        assert_eq!(story, told, "{:?}", one.story);
        let other = chosen(&network, 0, &Limits::default());
        assert_eq!((&one.story, &one.outcome.finding), (&other.story, &other.outcome.finding));
        assert_eq!(one.outcome.stats.generated, other.outcome.stats.generated);
    }

    #[test]
    fn what_is_out_of_reach_is_seen_without_search() {
        let one = chosen(&counters(29), 0, &Limits::default());
        assert_eq!((one.search, &one.outcome.finding), (SearchKind::Greedy, &Finding::Unreachable));
        assert_eq!((one.outcome.stats.expanded, one.h_initial), (0, None));
    }

    #[test]
    fn where_heuristics_know_nothing_breadth_first_search_goes_on() {
        let one = chosen(&counters(30), 1, &Limits::default());
        assert_eq!((one.search, &one.outcome.finding), (SearchKind::Bfs, &Finding::Unreachable));
        assert_eq!(one.outcome.stats.stored, 31 * 31 * 31, "it begins only once");
        assert!(one.heuristics.is_empty() && one.story.len() > 2, "{:?}", one.story);
    }

    #[test]
    fn where_lengths_do_not_matter_the_first_trace_is_the_answer() {
        let one = chosen_in(Mode::Any, &counters(30), 0, &Limits::default());
        assert_eq!(one.search, SearchKind::Greedy, "{:?}", one.story);
        assert!(matches!(one.outcome.finding, Finding::Reachable { shortest: false, .. }));
        let one = chosen_in(Mode::Prove, &counters(29), 0, &Limits::default());
        assert_eq!((&one.outcome.finding, one.outcome.stats.expanded), (&Finding::Unreachable, 0));
    }

    #[test]
    fn a_trace_that_is_known_is_the_answer_when_a_limit_comes() {
        let network = counters(30);
        let settings = Settings { auto: true, ..Settings::default() };
        let limits = Limits { states: Some(3000), ..Limits::default() };
        let (property, shares) = (&network.properties[0], SOON);
        let one =
            by_turns((shares, &[]), (&network, property), &settings, &limits, &mut |_| {}).expect("one");
        let Finding::Reachable { trace, shortest: false } = &one.outcome.finding else {
            panic!("{:?}", one.story)
        };
        let Run::Network(run) = &trace.run else { panic!("a run of a network") };
        assert!(one.outcome.lower_bound > 0 && run.steps.len() >= 30, "{:?}", one.story);
        assert_eq!(one.search, SearchKind::Greedy);
    }

    #[test]
    fn limits_hold() {
        let network = counters(30);
        let few = Limits { states: Some(2000), ..Limits::default() };
        let one = chosen(&network, 1, &few);
        assert_eq!(one.outcome.finding, Finding::Unknown(StopReason::States));
        assert!(one.outcome.lower_bound > 0, "what was shown is not lost");
        let stopped = Limits::default();
        stopped.cancel.cancel(StopReason::Interrupted);
        let one = chosen(&network, 0, &stopped);
        assert_eq!(one.outcome.finding, Finding::Unknown(StopReason::Interrupted));
    }

    #[test]
    fn without_memory_for_either_it_ends() {
        let network = counters(30);
        let mut cramped = 0;
        for memory in (1..60).map(|tens| 10_000 * tens) {
            let one = chosen(&network, 0, &Limits { memory: Some(memory), ..Limits::default() });
            let tried = one.story.iter().any(|line| line.starts_with("astar"));
            match one.outcome.finding {
                Finding::Unknown(StopReason::Memory) => cramped += usize::from(tried),
                _ => assert_eq!(steps(&one), Some(30), "{memory} bytes: {:?}", one.story),
            }
        }
        assert!(cramped > 0, "A* has to have been tried where there was no memory for it");
    }
}
