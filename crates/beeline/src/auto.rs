//! The search that chooses by itself. Breadth-first search has the first word: most questions are answered before anything
//! better could have been prepared. When it has come so far without an answer, it waits while A* tries with a heuristic,
//! for a number of states that is small beside what breadth-first search has seen; then it goes on, and so by turns, with
//! ever larger numbers and better heuristics. Nothing depends on time, so a run can be repeated; and what
//! breadth-first search has done is never lost.
//!
//! A heuristic that promises no more at the start than breadth-first search has already shown is not tried. One that
//! promises much more gets more states.

use crate::settings::Settings;
use crate::verify::{Failure, engine_options, making, no_outcome};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_engine::{Options, Progress, SearchKind};
use beeline_heuristics::Spec;
use beeline_heuristics::registry::NotMade;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::layout::Layout;
use beeline_ir::limits::{CancelToken, Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A turn: how far breadth-first search goes, and what is tried then.
#[derive(Copy, Clone, Debug)]
struct Turn {
    /// States that breadth-first search has stored when it waits.
    breadth: u64,
    /// A heuristic that is made now, and the one whose place it takes.
    heuristic: Option<(&'static str, Option<&'static str>)>,
    /// States that A* may store.
    states: u64,
}

/// The first turns.
const TURNS: &[Turn] = &[
    Turn { breadth: 1 << 17, heuristic: Some(("dpr:size=200000", None)), states: 1 << 15 },
    Turn { breadth: 1 << 19, heuristic: None, states: 1 << 17 },
    Turn { breadth: 1 << 21, heuristic: Some(("scp", None)), states: 1 << 19 },
    Turn { breadth: 1 << 22, heuristic: None, states: 1 << 21 },
    Turn { breadth: 1 << 23, heuristic: Some(("dpr", Some("dpr:size=200000"))), states: 1 << 22 },
];

/// How much larger the numbers are in each further turn, and those of a heuristic that promises much.
const MORE: u64 = 4;

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
    by_turns(TURNS, (network, property), settings, limits, progress)
}

fn by_turns(
    turns: &[Turn],
    (network, property): (&Network, &Property),
    settings: &Settings,
    limits: &Limits,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Chosen, Failure> {
    thread::scope(|scope| {
        let (allow, allowed) = channel();
        let (say, heard) = channel();
        let stop = CancelToken::default();
        let own = Limits { cancel: stop.clone(), ..limits.clone() };
        let options = Options { search: SearchKind::Bfs, ..engine_options(settings, &own) };
        scope.spawn(move || walk(network, property, &options, &limits.cancel, &allowed, &say));
        let breadth = Breadth { allow: Some(allow), heard, last: None, done: None };
        let mut trying = Trying {
            network,
            property,
            settings,
            limits,
            breadth,
            made: Vec::new(),
            heuristics: Vec::new(),
            cramped: false,
            story: Vec::new(),
        };
        let chosen = trying.run(turns, progress);
        stop.cancel(StopReason::Interrupted);
        trying.breadth.allow = None;
        chosen
    })
}

/// What breadth-first search says of itself.
enum Said {
    Progress(Progress),
    Waits,
    Done(Box<Result<Outcome, Vec<Diagnostic>>>),
}

/// Breadth-first search that waits whenever it has stored as many states as it was allowed.
fn walk(
    network: &Network,
    property: &Property,
    options: &Options,
    cancel: &CancelToken,
    allowed: &Receiver<u64>,
    say: &Sender<Said>,
) {
    let stop = &options.limits.cancel;
    let Ok(mut most) = allowed.recv() else { return };
    // Whoever no longer listens has stopped the search.
    let mut report = |progress: &Progress| {
        _ = say.send(Said::Progress(*progress));
        if let Some(reason) = cancel.cancelled() {
            stop.cancel(reason);
        }
        while progress.stored >= most && stop.cancelled().is_none() {
            _ = say.send(Said::Waits);
            match allowed.recv() {
                Ok(more) => most = more,
                Err(_) => stop.cancel(StopReason::Interrupted),
            }
        }
    };
    let outcome = beeline_engine::explore_with(network, property, options, &mut [], &mut report);
    _ = say.send(Said::Done(Box::new(outcome)));
}

/// Breadth-first search, as seen from outside.
struct Breadth {
    allow: Option<Sender<u64>>,
    heard: Receiver<Said>,
    last: Option<Progress>,
    /// Its answer, once it has stopped.
    done: Option<Outcome>,
}

impl Breadth {
    /// Lets it go on until it has stored so many states; true if it has an answer, or there will be none.
    fn go(&mut self, to: u64, progress: &mut dyn FnMut(&Progress)) -> Result<bool, Failure> {
        if self.done.is_some() {
            return Ok(false);
        }
        _ = self.allow.as_ref().map(|allow| allow.send(to));
        for said in self.heard.iter() {
            match said {
                Said::Progress(now) => {
                    progress(&now);
                    self.last = Some(now);
                }
                Said::Waits => return Ok(false),
                Said::Done(outcome) => {
                    let outcome = (*outcome).map_err(no_outcome)?;
                    // Without memory for it, others may still find an answer.
                    let lasting = outcome.finding != Finding::Unknown(StopReason::Memory);
                    self.done = Some(outcome);
                    return Ok(lasting);
                }
            }
        }
        Ok(true)
    }

    /// States stored.
    fn stored(&self) -> u64 {
        self.last.map_or(0, |last| last.stored)
    }

    /// No trace is shorter.
    fn bound(&self) -> u32 {
        self.last.map_or(0, |last| last.lower_bound)
    }
}

/// What is being tried.
struct Trying<'a> {
    network: &'a Network,
    property: &'a Property,
    settings: &'a Settings,
    limits: &'a Limits,
    breadth: Breadth,
    /// The names of the heuristics made so far, with their estimates for the initial state.
    made: Vec<(&'static str, Estimate)>,
    heuristics: Vec<Box<dyn Heuristic>>,
    /// A* was stopped for want of memory: more states would not help it.
    cramped: bool,
    story: Vec<String>,
}

impl Trying<'_> {
    fn run(&mut self, turns: &[Turn], progress: &mut dyn FnMut(&Progress)) -> Result<Chosen, Failure> {
        let mut turns = turns.iter().copied();
        let mut turn = Turn { breadth: 0, heuristic: None, states: 0 };
        loop {
            let more = |number: u64| number.saturating_mul(MORE);
            let larger = Turn { breadth: more(turn.breadth), heuristic: None, states: more(turn.states) };
            turn = turns.next().unwrap_or(larger);
            if self.breadth.go(turn.breadth, progress)? {
                return Ok(self.by_breadth());
            }
            let (stored, bound) = (self.breadth.stored(), self.breadth.bound());
            self.story
                .push(format!("breadth-first search: {stored} states, no trace of less than {bound} steps"));
            if let Some(reason) = self.make(turn)? {
                return Ok(self.stopped(reason));
            }
            if let Some(chosen) = self.directed(turn, progress)? {
                return Ok(chosen);
            }
            if self.breadth.done.is_some() && turns.len() == 0 && (self.cramped || !self.promising()) {
                return Ok(self.by_breadth());
            }
        }
    }

    /// Makes the heuristic of a turn; the reason if something has stopped that.
    fn make(&mut self, turn: Turn) -> Result<Option<StopReason>, Failure> {
        let Some((name, replaced)) = turn.heuristic else { return Ok(None) };
        let making = making(self.network, self.property, self.settings, self.limits);
        let spec = Spec::parse(name).expect("names of the table");
        match beeline_heuristics::make(&making, &spec) {
            Ok(mut heuristic) => {
                let initial = Layout::of_network(self.network).initial(self.network);
                let estimate = heuristic.estimate(&initial);
                if let Some(at) = self.made.iter().position(|(other, _)| Some(*other) == replaced) {
                    self.made.remove(at);
                    self.heuristics.remove(at);
                }
                self.story.push(match estimate {
                    Estimate::Steps(steps) => format!("{name}: at least {steps} steps"),
                    Estimate::Infinite => format!("{name}: the target is out of reach"),
                });
                self.made.push((name, estimate));
                self.heuristics.push(heuristic);
                Ok(None)
            }
            Err(NotMade::Stopped(StopReason::Memory)) => {
                self.story.push(format!("{name}: not enough memory"));
                Ok(None)
            }
            Err(NotMade::Stopped(reason)) => Ok(Some(reason)),
            Err(NotMade::Refused(reason)) => {
                self.story.push(format!("{name}: {reason}"));
                Ok(None)
            }
        }
    }

    /// The greatest estimate for the initial state.
    fn estimate(&self) -> Estimate {
        self.made.iter().map(|(_, estimate)| *estimate).max().unwrap_or(Estimate::ZERO)
    }

    /// Whether the heuristics say something that breadth-first search has not shown.
    fn promising(&self) -> bool {
        self.estimate() > Estimate::Steps(self.breadth.bound())
    }

    /// A* with the heuristics there are; `None` if it has no answer.
    fn directed(
        &mut self,
        turn: Turn,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Option<Chosen>, Failure> {
        if !self.promising() {
            return Ok(None);
        }
        let bound = self.breadth.bound();
        let much = self.estimate() > Estimate::Steps(bound + bound / 4);
        let states = if much { turn.states.saturating_mul(MORE) } else { turn.states };
        let least = |a: Option<u64>, b: u64| Some(a.map_or(b, |a| a.min(b)));
        let used = self.breadth.last.map_or(0, |last| last.bytes);
        let limits = Limits {
            states: least(self.limits.states, states),
            memory: self.limits.memory.map(|memory| memory.saturating_sub(used)),
            ..self.limits.clone()
        };
        let options = Options { search: SearchKind::AStar, ..engine_options(self.settings, &limits) };
        let found = beeline_engine::explore_with(
            self.network,
            self.property,
            &options,
            &mut self.heuristics,
            progress,
        );
        let outcome = found.map_err(no_outcome)?;
        let names: Vec<&str> = self.made.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let reason = match outcome.finding {
            Finding::Unknown(reason) => reason,
            _ => {
                self.story.push(format!("astar by {names}: found the answer"));
                return Ok(Some(self.by_heuristics(outcome)));
            }
        };
        let (stored, least) = (outcome.stats.stored, outcome.lower_bound);
        self.story.push(format!("astar by {names}: {stored} states, no trace of less than {least} steps"));
        let own = reason == StopReason::States && self.limits.states.is_none_or(|most| most > states);
        self.cramped = reason == StopReason::Memory;
        Ok((!own && !self.cramped).then(|| self.by_heuristics(outcome)))
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

    /// What breadth-first search has come to.
    fn by_breadth(&mut self) -> Chosen {
        let outcome = self.breadth.done.take().unwrap_or(Outcome::unknown(StopReason::Interrupted));
        self.story.push(match outcome.finding {
            Finding::Unknown(_) => "breadth-first search: stopped".to_string(),
            _ => "breadth-first search: found the answer".to_string(),
        });
        Chosen {
            outcome,
            search: SearchKind::Bfs,
            heuristics: Vec::new(),
            h_initial: Some(0),
            remarks: Vec::new(),
            story: std::mem::take(&mut self.story),
        }
    }

    /// Nothing was found out before something stopped it, but for what breadth-first search has shown.
    fn stopped(&mut self, reason: StopReason) -> Chosen {
        let outcome = Outcome { lower_bound: self.breadth.bound(), ..Outcome::unknown(reason) };
        Chosen { search: SearchKind::Bfs, ..self.by_heuristics(outcome) }
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

    const SOON: &[Turn] = &[
        Turn { breadth: 500, heuristic: Some(("dpr:size=10000", None)), states: 100 },
        Turn { breadth: 4000, heuristic: Some(("scp", Some("dpr:size=10000"))), states: 1000 },
    ];

    fn chosen(network: &Network, property: usize, limits: &Limits) -> Chosen {
        let property = &network.properties[property];
        let settings = Settings { auto: true, ..Settings::default() };
        by_turns(SOON, (network, property), &settings, limits, &mut |_| {})
            .expect("a network that is searched")
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
        assert!(one.outcome.stats.expanded <= 40, "{}", one.outcome.stats.expanded);
        assert!(
            one.story.len() == 5 && one.story[0].starts_with("breadth-first search: 5"),
            "{:?}",
            one.story
        );
        let other = chosen(&network, 0, &Limits::default());
        assert_eq!((&one.story, &one.outcome.finding), (&other.story, &other.outcome.finding));
        assert_eq!(one.outcome.stats.generated, other.outcome.stats.generated);
    }

    #[test]
    fn what_is_out_of_reach_is_seen_without_search() {
        let one = chosen(&counters(29), 0, &Limits::default());
        assert_eq!((one.search, &one.outcome.finding), (SearchKind::AStar, &Finding::Unreachable));
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
