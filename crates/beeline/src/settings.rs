//! What the options mean to a run.

use crate::improve::Improving;
use crate::options::{self, OPTIONS};
use crate::presets::preset;
use crate::spdb::Spdb;
use beeline_check::Certify;
use beeline_engine::{
    Bitstate, Extrapolation, Reduction as PartialOrder, RuntimeErrors, SearchKind, Storage,
};
use beeline_heuristics::Spec;
use beeline_heuristics::registry::entry;
use beeline_ir::model::Model;
use beeline_symbolic::Direction;
use std::path::PathBuf;
use std::time::Duration;

/// What to look for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A shortest trace, or a proof.
    Shortest,
    /// Any trace, or a proof.
    Any,
    /// A proof in the first place.
    Prove,
}

/// The engine asked for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Whatever fits the model.
    Auto,
    /// One state or zone at a time.
    Explicit,
    /// Sets of states.
    Symbolic,
}

/// How to check a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What to look for.
    pub mode: Mode,
    /// By which engine.
    pub engine: Engine,
    /// From where the symbolic engine searches.
    pub direction: Direction,
    /// What its databases are made of; of the default kind if there are none.
    pub spdb: Vec<Spdb>,
    /// Nodes that may be made for each of them.
    pub spdb_nodes: u64,
    /// Time for each of them.
    pub spdb_time: Option<Duration>,
    /// Whether the symbolic engine changes the order of bits.
    pub reorder: bool,
    /// Whether search and heuristics are chosen as the search goes on.
    pub auto: bool,
    /// Order of expansion.
    pub search: SearchKind,
    /// What directs it.
    pub heuristics: Vec<Spec>,
    /// How much estimates count in weighted A\*.
    pub weight: u32,
    /// States of a layer that beam search keeps.
    pub beam_width: usize,
    /// Generations after which genetic search gives up.
    pub generations: u64,
    /// A trace to be made shorter.
    pub improve: Option<Improving>,
    /// Greedy search evaluates states when their turn comes.
    pub deferred: bool,
    /// Greedy search looks at preferred labels first.
    pub preferred: bool,
    /// Whether what has no say in the answer is left out.
    pub cone: bool,
    /// Leave out what can never happen.
    pub reduce: bool,
    /// Whether factors that are safe to remove are removed before the search.
    pub safe_abstraction: bool,
    /// Seed of the random search.
    pub seed: u64,
    /// Whether greedy search breaks ties by the seed.
    pub random_ties: bool,
    /// Zone abstraction.
    pub extrapolation: Extrapolation,
    /// What to do with failing labels that are not looked for.
    pub runtime_errors: RuntimeErrors,
    /// Which labels may be left out.
    pub partial_order: PartialOrder,
    /// Values that nobody reads any more are forgotten.
    pub dead_variables: bool,
    /// Interchangeable processes are sorted.
    pub symmetry: bool,
    /// How states are stored; by their size if it is not said.
    pub storage: Option<Storage>,
    /// The array, where that is bit-state hashing.
    pub bitstate: Bitstate,
    /// Whether certificates are made and checked.
    pub certify: Certify,
    /// Certificates are written to files.
    pub keeps_certificates: bool,
    /// Where tables of heuristics are kept for later runs.
    pub pdb_cache: Option<PathBuf>,
    /// Number of threads.
    pub threads: usize,
    /// Time for everything.
    pub time_limit: Option<Duration>,
    /// Bytes for states.
    pub memory_limit: Option<u64>,
    /// Number of stored states.
    pub state_limit: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Shortest,
            engine: Engine::Auto,
            direction: Direction::Auto,
            reorder: false,
            spdb: Vec::new(),
            spdb_nodes: beeline_symbolic::DATABASE_NODES,
            spdb_time: None,
            auto: false,
            search: SearchKind::Bfs,
            heuristics: Vec::new(),
            weight: 5,
            beam_width: 1000,
            generations: 200,
            improve: None,
            deferred: false,
            preferred: false,
            cone: false,
            reduce: false,
            safe_abstraction: false,
            seed: 1,
            random_ties: false,
            extrapolation: Extrapolation::Auto,
            runtime_errors: RuntimeErrors::Report,
            partial_order: PartialOrder::Off,
            dead_variables: true,
            symmetry: false,
            storage: None,
            bitstate: Bitstate::USUAL,
            certify: Certify::Auto,
            keeps_certificates: false,
            pdb_cache: None,
            threads: 1,
            time_limit: None,
            memory_limit: None,
            state_limit: None,
        }
    }
}

impl Settings {
    /// Without a heuristic of the user's choice, traces of relations are made shorter by `hl`, and not by `fsm`.
    pub fn aim_at_values(&mut self, model: &Model) {
        if matches!(model, Model::Relation(_)) {
            self.heuristics = Spec::parse("hl").into_iter().collect();
        }
    }

    /// Settings from the values of options, asked for by name. Values must have passed their
    /// [`options::Syntax::check`]; what remains to go wrong is that they contradict each other.
    pub fn from_options<'v>(values: impl Fn(&str) -> Vec<&'v str>) -> Result<Self, String> {
        let value = |name: &str| values(name).last().copied();
        let given = |name: &str| !values(name).is_empty();
        let defaults = Self::default();
        let number = |name: &str| {
            let text = value(name)?;
            options::integer(text, 0, u64::MAX).ok()
        };
        let preset = value("preset").and_then(preset);
        let mut heuristics = values("heuristic");
        if heuristics.is_empty() {
            heuristics.extend(preset.iter().flat_map(|preset| preset.heuristics));
        }
        let improve = given("improve");
        if improve && heuristics.is_empty() {
            heuristics.push("fsm");
        }
        let heuristics = heuristics.into_iter().map(Spec::parse).collect::<Result<Vec<Spec>, String>>()?;
        let storage = match value("storage") {
            Some("plain") => Some(Storage::Plain),
            Some("collapse") => Some(Storage::Collapse),
            Some("hash-compaction") => Some(Storage::HashCompaction),
            Some("bitstate") => Some(Storage::Bitstate),
            _ => None,
        };
        let for_bits = ["bitstate-size", "bitstate-hashes"].into_iter().find(|name| given(name));
        if let Some(name) = for_bits.filter(|_| storage != Some(Storage::Bitstate)) {
            return Err(format!("--{name} is for --storage bitstate"));
        }
        if improve && storage.is_some_and(Storage::lossy) {
            return Err(
                "--improve is about lengths, of which hashes of states (--storage) prove nothing".to_string()
            );
        }
        let search = value("search").or(preset.map(|preset| preset.search)).or(improve.then_some("astar"));
        // What chooses by itself counts on proofs.
        let blind = storage.is_some_and(Storage::lossy) && heuristics.is_empty();
        let search = if blind && search.is_none_or(|word| word == "auto") { Some("bfs") } else { search };
        let auto = search.map_or(heuristics.is_empty(), |word| word == "auto");
        if auto && !heuristics.is_empty() {
            return Err(
                "--search auto chooses heuristics by itself: leave --heuristic and --preset out, or name \
                        another search"
                    .to_string(),
            );
        }
        let search = search.filter(|_| !auto);
        let safe_abstraction = given("safe-abstraction") || preset.is_some_and(|p| p.safe_abstraction);
        if improve && safe_abstraction {
            return Err("--improve is about lengths, which --safe-abstraction does not keep".to_string());
        }
        let partial_order = match value("partial-order") {
            Some("stubborn") => PartialOrder::Stubborn,
            Some("ample") => PartialOrder::Ample,
            _ => PartialOrder::Off,
        };
        let ample = partial_order == PartialOrder::Ample;
        if improve && ample {
            return Err(
                "--improve is about lengths, which --partial-order ample does not keep: take stubborn".into(),
            );
        }
        let loses_lengths = match (safe_abstraction, ample) {
            (true, _) => Some("--safe-abstraction does not keep lengths"),
            (_, true) => Some("--partial-order ample does not keep lengths: take stubborn"),
            _ => None,
        };
        let (mode, search) = mode_and_search(value("mode"), search, &heuristics, loses_lengths)?;
        if let Some((name, users)) =
            IN_VAIN.iter().find(|(name, users)| given(name) && !users.contains(&search))
        {
            let users: Vec<&str> = users.iter().map(|user| user.name()).collect();
            return Err(format!(
                "--{name} is for --search {}, and this is {}",
                users.join(" and "),
                if auto { "auto" } else { search.name() }
            ));
        }
        let direction = preset.and_then(|preset| preset.direction);
        let hide = value("hide").map(|names| format!("hide={names}"));
        let spdb = values("spdb").into_iter().chain(hide.as_deref()).map(Spdb::parse);
        let spdb = spdb.collect::<Result<Vec<Spdb>, String>>()?;
        let for_guided = ["spdb", "hide", "spdb-nodes", "spdb-time"].into_iter().find(|name| given(name));
        let direction = value("direction").or(direction).or(for_guided.and(Some("guided")));
        if let (Some(name), Some(other)) = (for_guided, direction.filter(|word| *word != "guided")) {
            return Err(format!("--{name} is for --direction guided, and this is {other}"));
        }
        if given("direction") && value("engine") == Some("explicit") {
            return Err("--direction is for --engine symbolic".to_string());
        }
        Ok(Self {
            mode,
            engine: match value("engine").or(direction.and(Some("symbolic"))) {
                Some("explicit") => Engine::Explicit,
                Some("symbolic") => Engine::Symbolic,
                _ => Engine::Auto,
            },
            direction: match direction {
                Some("backward") => Direction::Backward,
                Some("bidirectional") => Direction::Bidirectional,
                Some("forward") => Direction::Forward,
                Some("guided") => Direction::Guided,
                _ => Direction::Auto,
            },
            spdb,
            spdb_nodes: value("spdb-nodes")
                .and_then(|text| options::count(text).ok())
                .unwrap_or(defaults.spdb_nodes),
            spdb_time: value("spdb-time").and_then(|text| options::duration(text).ok()),
            reorder: value("reorder") == Some("sift"),
            auto,
            search,
            heuristics,
            weight: number("weight").map_or(defaults.weight, |weight| weight as u32),
            beam_width: value("beam-width")
                .and_then(|text| options::count(text).ok())
                .map_or(defaults.beam_width, |width| usize::try_from(width).unwrap_or(usize::MAX)),
            generations: value("generations")
                .and_then(|text| options::count(text).ok())
                .unwrap_or(defaults.generations),
            improve: None,
            deferred: given("deferred") || preset.is_some_and(|preset| preset.eager_for_preferred),
            preferred: given("preferred") || preset.is_some_and(|preset| preset.eager_for_preferred),
            cone: given("cone"),
            reduce: value("reduce").map_or(preset.is_some_and(|preset| preset.reduce), |word| word == "on"),
            safe_abstraction,
            random_ties: given("seed"),
            seed: number("seed").unwrap_or(defaults.seed),
            extrapolation: match value("extrapolation") {
                Some("m") => Extrapolation::M,
                Some("m+") => Extrapolation::MPlus,
                Some("lu") => Extrapolation::Lu,
                Some("lu+") => Extrapolation::LuPlus,
                _ => Extrapolation::Auto,
            },
            runtime_errors: match value("runtime-errors") {
                Some("disable") => RuntimeErrors::Disable,
                _ => RuntimeErrors::Report,
            },
            partial_order,
            dead_variables: value("dead-variables") != Some("keep"),
            symmetry: given("symmetry"),
            storage,
            bitstate: Bitstate {
                bytes: value("bitstate-size").and_then(|text| options::size(text).ok()),
                hashes: number("bitstate-hashes").map_or(Bitstate::USUAL.hashes, |hashes| hashes as u32),
            },
            certify: match value("certify") {
                Some("always") => Certify::Always,
                Some("never") => Certify::Never,
                _ => Certify::Auto,
            },
            keeps_certificates: given("certificate"),
            pdb_cache: value("pdb-cache").map(PathBuf::from),
            threads: number("threads").map_or(defaults.threads, |threads| threads as usize),
            time_limit: value("time-limit").and_then(|text| options::duration(text).ok()),
            memory_limit: value("memory-limit").and_then(|text| options::size(text).ok()),
            state_limit: value("state-limit").and_then(|text| options::count(text).ok()),
        })
    }

    /// The value of a choice as the table of options writes it.
    pub fn words(&self) -> Words {
        Words {
            mode: match self.mode {
                Mode::Shortest => "shortest",
                Mode::Any => "any",
                Mode::Prove => "prove",
            },
            search: if self.auto { "auto" } else { self.search.name() },
            direction: direction_word(self.direction),
            partial_order: match self.partial_order {
                PartialOrder::Off => "off",
                PartialOrder::Stubborn => "stubborn",
                PartialOrder::Ample => "ample",
            },
            storage: self.storage.map(|storage| match storage {
                Storage::Plain => "plain",
                Storage::Collapse => "collapse",
                Storage::HashCompaction => "hash-compaction",
                Storage::Bitstate => "bitstate",
            }),
            extrapolation: match self.extrapolation {
                Extrapolation::Auto => "auto",
                Extrapolation::M => "m",
                Extrapolation::MPlus => "m+",
                Extrapolation::Lu => "lu",
                Extrapolation::LuPlus => "lu+",
            },
        }
    }
}

/// The word for a direction.
pub fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Auto => "auto",
        Direction::Forward => "forward",
        Direction::Backward => "backward",
        Direction::Bidirectional => "bidirectional",
        Direction::Guided => "guided",
    }
}

/// Settings as the table of options writes them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// What to look for.
    pub mode: &'static str,
    /// Order of expansion.
    pub search: &'static str,
    /// From where the symbolic engine searches.
    pub direction: &'static str,
    /// Which labels may be left out.
    pub partial_order: &'static str,
    /// How states are stored, if it is said.
    pub storage: Option<&'static str>,
    /// Zone abstraction.
    pub extrapolation: &'static str,
}

/// Options that only some searches look at.
const IN_VAIN: [(&str, &[SearchKind]); 6] = [
    ("generations", &[SearchKind::Genetic]),
    ("improve", &[SearchKind::AStar]),
    ("weight", &[SearchKind::WeightedAStar]),
    ("beam-width", &[SearchKind::Beam]),
    ("deferred", &[SearchKind::Greedy]),
    ("preferred", &[SearchKind::Greedy, SearchKind::Anytime]),
];

fn mode_and_search(
    mode: Option<&str>,
    search: Option<&str>,
    heuristics: &[Spec],
    loses_lengths: Option<&str>,
) -> Result<(Mode, SearchKind), String> {
    let given = search.and_then(|word| SearchKind::ALL.into_iter().find(|kind| kind.name() == word));
    let bound = |spec: &&Spec| entry(spec.name()).is_ok_and(|entry| entry.properties.admissible);
    let too_large = heuristics.iter().find(|spec| !bound(spec));
    let search = given.unwrap_or(match (heuristics.is_empty(), too_large) {
        (true, _) => SearchKind::Bfs,
        (false, None) if mode.is_none_or(|mode| mode == "shortest") => SearchKind::AStar,
        (false, _) => SearchKind::Greedy,
    });
    if search.directed() && heuristics.is_empty() {
        let name = search.name();
        return Err(format!(
            "--search {name} needs a heuristic: --heuristic NAME (see `beeline list heuristics`)"
        ));
    }
    if !search.directed() && !heuristics.is_empty() {
        let name = search.name();
        return Err(format!(
            "--search {name} uses no heuristic: leave --heuristic and --preset out, or take astar, greedy or another \
             directed search (see `beeline list searches`)"
        ));
    }
    let exact = [SearchKind::Bfs, SearchKind::AStar, SearchKind::Anytime, SearchKind::IdaStar];
    let finds_shortest = exact.contains(&search);
    let why_not = if let Some(why) = loses_lengths {
        Some(why.to_string())
    } else if !finds_shortest && (given.is_some() || too_large.is_none()) {
        let name = search.name();
        Some(format!("--search {name} does not find shortest traces: take bfs, astar, anytime or idastar"))
    } else {
        too_large.map(|spec| {
            format!("heuristic {} may say more than the distance; dl and hl never do", spec.name())
        })
    };
    match (mode, why_not) {
        (Some("shortest"), Some(why)) => Err(format!("--mode shortest cannot be had: {why}")),
        (None | Some("shortest"), None) => Ok((Mode::Shortest, search)),
        (Some("prove"), _) => Ok((Mode::Prove, search)),
        _ => Ok((Mode::Any, search)),
    }
}

/// The options a run of `check` is set by: what an option fuzzer draws from.
pub fn drawable() -> impl Iterator<Item = &'static options::OptionSpec> {
    let sets = [
        "mode",
        "search",
        "engine",
        "direction",
        "reorder",
        "seed",
        "extrapolation",
        "reduce",
        "runtime-errors",
        "partial-order",
        "storage",
        "certify",
        "state-limit",
    ];
    OPTIONS.iter().filter(move |o| sets.contains(&o.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(given: &[(&str, &'static str)]) -> Result<Settings, String> {
        Settings::from_options(|name| given.iter().filter(|(n, _)| *n == name).map(|(_, v)| *v).collect())
    }

    #[test]
    fn mode_and_search_fit_together() {
        let pick = |given: &[(&str, &'static str)]| settings(given).map(|s| (s.mode, s.search));
        let auto = |given: &[(&str, &'static str)]| settings(given).map(|s| (s.mode, s.auto));
        for words in [&[][..], &[("search", "auto")]] {
            let with = |mode| [words, &[("mode", mode)]].concat();
            assert_eq!(auto(words), Ok((Mode::Shortest, true)));
            assert_eq!(auto(&with("any")), Ok((Mode::Any, true)));
            assert_eq!(auto(&with("prove")), Ok((Mode::Prove, true)));
        }
        assert_eq!(auto(&[("search", "bfs")]), Ok((Mode::Shortest, false)));
        assert!(auto(&[("search", "auto"), ("heuristic", "hl")]).is_err());
        assert_eq!(pick(&[("search", "random-dfs")]), Ok((Mode::Any, SearchKind::RandomDfs)));
        assert_eq!(pick(&[("mode", "prove"), ("search", "dfs")]), Ok((Mode::Prove, SearchKind::Dfs)));
        assert!(pick(&[("mode", "shortest"), ("search", "dfs")]).is_err());
        let ample = ("partial-order", "ample");
        assert_eq!(pick(&[ample, ("search", "bfs")]), Ok((Mode::Any, SearchKind::Bfs)));
        assert!(pick(&[ample, ("mode", "shortest")]).is_err());
        let stubborn = ("partial-order", "stubborn");
        assert_eq!(pick(&[stubborn, ("mode", "shortest")]), Ok((Mode::Shortest, SearchKind::Bfs)));
        assert_eq!(pick(&[("heuristic", "hl")]), Ok((Mode::Shortest, SearchKind::AStar)));
        assert_eq!(pick(&[("heuristic", "hu")]), Ok((Mode::Any, SearchKind::Greedy)));
        assert_eq!(pick(&[("heuristic", "hl"), ("mode", "any")]), Ok((Mode::Any, SearchKind::Greedy)));
        let astar = ("search", "astar");
        assert_eq!(pick(&[("heuristic", "hu"), astar]), Ok((Mode::Any, SearchKind::AStar)));
        assert!(pick(&[("heuristic", "hu"), astar, ("mode", "shortest")]).is_err());
        assert!(pick(&[astar]).is_err());
        assert!(pick(&[("heuristic", "hl"), ("search", "bfs")]).is_err());
        assert_eq!(pick(&[("preset", "mcta-hl")]), Ok((Mode::Any, SearchKind::Greedy)));
        assert_eq!(pick(&[("preset", "mcta-hl"), astar]), Ok((Mode::Shortest, SearchKind::AStar)));
    }

    #[test]
    fn every_word_of_a_choice_is_told_apart() {
        for option in drawable() {
            let options::Syntax::Choice(words) = option.syntax else { continue };
            let all: Vec<_> = words
                .iter()
                .map(|(w, _)| match option.name {
                    "search" if options::directed(w) => settings(&[(option.name, w), ("heuristic", "hl")]),
                    _ => settings(&[(option.name, w)]),
                })
                .collect();
            for (i, one) in all.iter().enumerate() {
                assert!(one.is_ok() && all[i + 1..].iter().all(|other| other != one), "{}", option.name);
            }
        }
    }
}
