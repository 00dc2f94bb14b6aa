//! The heuristics by name: what they are, what they promise, what they cost, how to make one. A new heuristic is a file
//! and an entry here; the manual, the command line and the tests read this table.

mod cartesian;
mod hsf;
mod pa;
mod table;

use crate::pattern_database::Means;
use beeline_engine::heuristic::{Heuristic, Properties};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::factored::{Factored, Meter};
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
pub use table::HEURISTICS;

/// What is known of a heuristic before any is made.
#[derive(Debug)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// The name in the literature.
    pub symbol: &'static str,
    /// One line.
    pub summary: &'static str,
    /// A paragraph.
    pub manual: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What an evaluation costs.
    pub cost: &'static str,
    /// What it promises.
    pub properties: Properties,
    /// Its options.
    pub options: &'static [OptionEntry],
    make: Maker,
}

/// Makes a heuristic, or says why it cannot.
type Maker = fn(&Making<'_>, &Settings) -> Result<Box<dyn Heuristic>, NotMade>;

/// Why a heuristic was not made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotMade {
    /// It cannot be made for this model, or is none; in words.
    Refused(String),
    /// A limit was reached, or someone asked to stop.
    Stopped(StopReason),
}

impl From<String> for NotMade {
    fn from(reason: String) -> Self {
        Self::Refused(reason)
    }
}

impl From<StopReason> for NotMade {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

impl std::fmt::Display for NotMade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(reason) => f.write_str(reason),
            Self::Stopped(reason) => f.write_str(reason.message()),
        }
    }
}

/// An option of a heuristic.
#[derive(Debug)]
pub struct OptionEntry {
    /// Its name. One without a name is all that follows the colon.
    pub name: &'static str,
    /// What it is if not given.
    pub default: &'static str,
    /// What it may be; anything if nothing is listed.
    pub values: &'static [&'static str],
    /// What it does.
    pub help: &'static str,
}

/// What heuristics are made for.
#[derive(Debug)]
pub struct Making<'a> {
    pub(crate) network: &'a Network,
    pub(crate) property: &'a Property,
    limits: &'a Limits,
    /// Where tables are kept for later runs.
    directory: Option<&'a Path>,
    threads: usize,
    /// A state that is known to be bad.
    towards: Option<&'a [i64]>,
    meter: Meter<'a>,
    factored: OnceCell<Arc<Factored>>,
}

impl<'a> Making<'a> {
    /// For a network and a property, within limits.
    pub fn new(network: &'a Network, property: &'a Property, limits: &'a Limits) -> Self {
        let (meter, factored) = (Meter::new(limits), OnceCell::new());
        Self { network, property, limits, directory: None, threads: 1, towards: None, meter, factored }
    }
    /// The same with so many combinations of values tried for one question; where there are more, heuristics know less.
    #[must_use]
    pub fn trying(mut self, combinations: u128) -> Self {
        self.meter.combinations = combinations;
        self
    }
    /// The same with a directory where tables are kept for later runs.
    #[must_use]
    pub fn keeping(mut self, directory: Option<&'a Path>) -> Self {
        self.directory = directory;
        self
    }
    /// The same with so many threads.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
    /// The same with a state that is known to be bad, for heuristics that lead to one.
    #[must_use]
    pub fn towards(mut self, state: Option<&'a [i64]>) -> Self {
        self.towards = state;
        self
    }
    /// The state that is known to be bad, or that there is none.
    fn bad_state(&self, name: &str) -> Result<&'a [i64], NotMade> {
        self.towards.ok_or_else(|| {
            NotMade::Refused(format!(
                "`{name}` leads to the end of a trace that is known: give one with --improve TRACE"
            ))
        })
    }
    /// The same with a factored view that was made before, if there is one.
    #[must_use]
    pub fn sharing(mut self, factored: Option<Arc<Factored>>) -> Self {
        self.factored = factored.map_or_else(OnceCell::new, OnceCell::from);
        self
    }
    /// The factored view, if it has been made.
    pub fn shared(&self) -> Option<Arc<Factored>> {
        self.factored.get().cloned()
    }
    /// What there is to make a pattern database of so many entries with.
    pub(crate) fn means(&self, most: usize) -> Means<'a> {
        Means { limits: self.limits, most, directory: self.directory, threads: self.threads }
    }
    /// The factored view, made when it is first asked for.
    pub fn factored(&self) -> Result<Arc<Factored>, StopReason> {
        if let Some(factored) = self.factored.get() {
            return Ok(Arc::clone(factored));
        }
        let factored = Factored::new(self.network, Some(self.property), &self.meter)?;
        Ok(Arc::clone(self.factored.get_or_init(|| Arc::new(factored))))
    }
    /// The limits.
    pub fn limits(&self) -> &'a Limits {
        self.limits
    }
    /// Counts what is made.
    pub fn meter(&self) -> &Meter<'a> {
        &self.meter
    }
}

/// What one of those who share a factored view has to count of its bytes.
pub(crate) fn share(factored: &Arc<Factored>) -> u64 {
    factored.bytes / Arc::strong_count(factored) as u64
}

/// The options given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    given: Vec<(String, String)>,
}

impl Settings {
    fn get<'s>(&'s self, entry: &'s OptionEntry) -> &'s str {
        let given = self.given.iter().rev().find(|(name, _)| name == entry.name);
        given.map_or(entry.default, |(_, value)| value)
    }
}

/// A heuristic as named on the command line: `NAME` or `NAME:option=value,..`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    name: String,
    settings: Settings,
}

impl Spec {
    /// Reads a specification; says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let entry = entry(name)?;
        let mut settings = Settings::default();
        if let [OptionEntry { name: "", .. }] = entry.options {
            if !options.is_empty() {
                settings.given.push((String::new(), options.into()));
            }
            return Ok(Self { name: name.into(), settings });
        }
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let Some((key, value)) = option.split_once('=') else {
                return Err(format!("`{option}` is no option of `{name}`: write `option=value`"));
            };
            let known = entry.options.iter().find(|option| option.name == key).ok_or_else(|| {
                let known: Vec<&str> = entry.options.iter().map(|option| option.name).collect();
                let kind = format!("option of heuristic `{name}`");
                no_such(&kind, key, &known)
            })?;
            if !known.values.is_empty() && !known.values.contains(&value) {
                return Err(no_such(&format!("value of `{name}:{key}=`"), value, known.values));
            }
            settings.given.push((key.into(), value.into()));
        }
        Ok(Self { name: name.into(), settings })
    }
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)?;
        for (at, (name, value)) in self.settings.given.iter().enumerate() {
            let (sign, equals) = (if at == 0 { ':' } else { ',' }, if name.is_empty() { "" } else { "=" });
            write!(f, "{sign}{name}{equals}{value}")?;
        }
        Ok(())
    }
}

/// The entry of a name.
pub fn entry(name: &str) -> Result<&'static Entry, String> {
    HEURISTICS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known: Vec<&str> = HEURISTICS.iter().map(|entry| entry.name).collect();
        no_such("heuristic", name, &known)
    })
}

/// Says that something was named that does not exist, and what may have been meant.
fn no_such(kind: &str, name: &str, known: &[&str]) -> String {
    let near = beeline_ir::text::suggest(name, known.iter().copied());
    let meant = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    format!("there is no {kind} `{name}`{meant}; there are: {known}")
}

/// Makes a heuristic.
pub fn make(making: &Making<'_>, spec: &Spec) -> Result<Box<dyn Heuristic>, NotMade> {
    making.limits.check(0, 0)?;
    (entry(&spec.name)?.make)(making, &spec.settings)
}
