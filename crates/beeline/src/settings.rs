//! What the options mean to a run.

use crate::options::{self, OPTIONS};
use beeline_check::Certify;
use beeline_engine::{Extrapolation, RuntimeErrors, SearchKind};
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

/// How to check a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What to look for.
    pub mode: Mode,
    /// Order of expansion.
    pub search: SearchKind,
    /// Seed of the random search.
    pub seed: u64,
    /// Zone abstraction.
    pub extrapolation: Extrapolation,
    /// What to do with failing labels that are not looked for.
    pub runtime_errors: RuntimeErrors,
    /// Whether certificates are made and checked.
    pub certify: Certify,
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
            search: SearchKind::Bfs,
            seed: 1,
            extrapolation: Extrapolation::Auto,
            runtime_errors: RuntimeErrors::Report,
            certify: Certify::Auto,
            threads: 1,
            time_limit: None,
            memory_limit: None,
            state_limit: None,
        }
    }
}

impl Settings {
    /// Settings from the values of options, asked for by name. Values must have passed their
    /// [`options::Syntax::check`]; what remains to go wrong is that they contradict each other.
    pub fn from_options<'v>(value: impl Fn(&str) -> Option<&'v str>) -> Result<Self, String> {
        let defaults = Self::default();
        let number = |name: &str| {
            let text = value(name)?;
            options::integer(text, 0, u64::MAX).ok()
        };
        let (mode, search) = mode_and_search(value("mode"), value("search"))?;
        Ok(Self {
            mode,
            search,
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
            certify: match value("certify") {
                Some("always") => Certify::Always,
                Some("never") => Certify::Never,
                _ => Certify::Auto,
            },
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
            search: self.search.name(),
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

/// Settings as the table of options writes them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// What to look for.
    pub mode: &'static str,
    /// Order of expansion.
    pub search: &'static str,
    /// Zone abstraction.
    pub extrapolation: &'static str,
}

fn mode_and_search(mode: Option<&str>, search: Option<&str>) -> Result<(Mode, SearchKind), String> {
    let search = search.map(|word| match word {
        "dfs" => SearchKind::Dfs,
        "random-dfs" => SearchKind::RandomDfs,
        _ => SearchKind::Bfs,
    });
    match (mode, search) {
        (None | Some("shortest"), None) => Ok((Mode::Shortest, SearchKind::Bfs)),
        (None | Some("shortest"), Some(SearchKind::Bfs)) => Ok((Mode::Shortest, SearchKind::Bfs)),
        (Some("shortest"), Some(_)) => {
            Err("--mode shortest needs a search that finds shortest traces: --search bfs".into())
        }
        (Some("prove"), search) => Ok((Mode::Prove, search.unwrap_or(SearchKind::Bfs))),
        (_, search) => Ok((Mode::Any, search.unwrap_or(SearchKind::Dfs))),
    }
}

/// The options a run of `check` is set by: what an option fuzzer draws from.
pub fn drawable() -> impl Iterator<Item = &'static options::OptionSpec> {
    let sets =
        ["mode", "search", "engine", "seed", "extrapolation", "runtime-errors", "certify", "state-limit"];
    OPTIONS.iter().filter(move |o| sets.contains(&o.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(given: &[(&str, &'static str)]) -> Result<Settings, String> {
        Settings::from_options(|name| given.iter().find(|(n, _)| *n == name).map(|(_, v)| *v))
    }

    #[test]
    fn mode_and_search_fit_together() {
        let pick = |given: &[(&str, &'static str)]| settings(given).map(|s| (s.mode, s.search));
        assert_eq!(pick(&[]), Ok((Mode::Shortest, SearchKind::Bfs)));
        assert_eq!(pick(&[("mode", "any")]), Ok((Mode::Any, SearchKind::Dfs)));
        assert_eq!(pick(&[("search", "random-dfs")]), Ok((Mode::Any, SearchKind::RandomDfs)));
        assert_eq!(pick(&[("mode", "prove")]), Ok((Mode::Prove, SearchKind::Bfs)));
        assert_eq!(pick(&[("mode", "prove"), ("search", "dfs")]), Ok((Mode::Prove, SearchKind::Dfs)));
        assert!(pick(&[("mode", "shortest"), ("search", "dfs")]).is_err());
    }

    #[test]
    fn every_word_of_a_choice_is_told_apart() {
        for option in drawable() {
            let options::Syntax::Choice(words) = option.syntax else { continue };
            if option.name == "engine" {
                continue;
            }
            let all: Vec<_> = words.iter().map(|(w, _)| settings(&[(option.name, w)])).collect();
            for (i, one) in all.iter().enumerate() {
                assert!(one.is_ok() && all[i + 1..].iter().all(|other| other != one), "{}", option.name);
            }
        }
    }
}
