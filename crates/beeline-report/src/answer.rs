//! The answer to one property, as all reports show it. A verdict other than "unknown" comes from a checked
//! outcome only.

use crate::story::{PartWords, Story};
use crate::words::Words;
use beeline_check::{Checked, Replayed};
pub use beeline_check::{Grade, Shortest, Verdict};
use beeline_ir::layout::Label;
use beeline_ir::limits::StopReason;
use beeline_ir::model::Model;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::Property;
use beeline_ir::trace::Trace;

/// The word for a verdict.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Violated => "violated",
        Verdict::Unknown => "unknown",
    }
}

/// The word for a grade.
pub fn grade_word(grade: Grade) -> &'static str {
    match grade {
        Grade::Kernel => "kernel",
        Grade::SecondEngine => "second-engine",
        Grade::None => "none",
    }
}

/// The word for what is known about a trace being shortest.
pub fn shortest_word(shortest: Shortest) -> &'static str {
    match shortest {
        Shortest::Certified => "certified",
        Shortest::BySearch => "by-search",
        Shortest::No => "no",
    }
}

/// How the answer was looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// What was looked for.
    pub mode: &'static str,
    /// Order of expansion.
    pub search: &'static str,
    /// What directed it.
    pub heuristics: Vec<String>,
    /// The estimate for the initial state.
    pub h_initial: Option<u32>,
    /// If search and heuristics were chosen on the way: what was tried, and why.
    pub auto: Option<Vec<String>>,
    /// What the heuristics have to say of themselves.
    pub remarks: Vec<String>,
    /// The tables that heuristics looked estimates up in: entries, and the greatest distance that one has.
    pub tables: Vec<(usize, Option<u32>)>,
    /// The symbolic pattern databases that were made.
    pub databases: Vec<Database>,
    /// What lay outside of the cone of influence, if that was asked for.
    pub outside: Option<Vec<String>>,
    /// How many edges and which variables can never do all they are declared to, if that was looked for.
    pub reduced: Option<(usize, Vec<String>)>,
    /// What safe abstraction removed, and how many steps it put into the trace, if it was asked for.
    pub removed: Option<(Vec<String>, usize)>,
    /// The engine.
    pub engine: &'static str,
    /// Partial-order reduction.
    pub partial_order: &'static str,
    /// Whether interchangeable processes were sorted.
    pub symmetry: bool,
    /// How states were stored, if it was said.
    pub storage: Option<&'static str>,
    /// Zone abstraction.
    pub extrapolation: &'static str,
    /// Seed of the search.
    pub seed: u64,
}

/// A symbolic pattern database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    /// The variables it is about.
    pub variables: Vec<String>,
    /// How many variables there are.
    pub of: usize,
    /// Its layers.
    pub layers: usize,
    /// Nodes of the diagrams of all layers together.
    pub nodes: u64,
    /// Whether it has all layers.
    pub complete: bool,
    /// How often variables were added.
    pub refinements: u32,
    /// Of how many parts of the target it is the one that is reported; each has its own.
    pub parts: usize,
}

/// A trace and what is known of it.
#[derive(Debug)]
pub struct TraceAnswer<'m> {
    /// What was asked.
    pub property: Property,
    /// The trace.
    pub trace: Trace,
    /// The trace, told.
    pub story: Story<'m>,
    /// Whether there is a shorter one.
    pub shortest: Shortest,
    /// The trail of a Promela model, and the depth that Spin would tell.
    pub trail: Option<(String, usize)>,
}

impl<'m> TraceAnswer<'m> {
    /// A replayed trace.
    pub fn new(
        model: &'m Model,
        property: &Property,
        trace: &Trace,
        replayed: &Replayed,
        shortest: Shortest,
    ) -> Self {
        let story = Story::new(model, property, trace, replayed);
        Self { property: property.clone(), trace: trace.clone(), story, shortest, trail: None }
    }
}

/// The answer to one property.
#[derive(Debug)]
pub struct Answer<'m> {
    /// The property's name.
    pub name: Option<String>,
    /// The property as it is shown.
    pub property: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Whether its state of interest is reachable.
    pub reachable: Option<bool>,
    /// Why nobody knows.
    pub reason: Option<String>,
    /// The way to its state of interest.
    pub trace: Option<TraceAnswer<'m>>,
    /// Who has checked the proof, of unreachability or of the length being least.
    pub certificate: Grade,
    /// Why not the kernel.
    pub certificate_note: Option<String>,
    /// Rows of the certificate, if there is one.
    pub rows: Option<usize>,
    /// No trace is shorter than this; of a search that went everywhere it is not asked.
    pub lower_bound: Option<u32>,
    /// What was noticed on the way.
    pub warnings: Vec<String>,
    /// States that were waiting when the search stopped early.
    pub open: Option<u64>,
    /// How it was looked for.
    pub config: Config,
    /// What it took.
    pub stats: Stats,
}

/// A label in the words of the model's language, where it has some.
pub type NativeWords<'a> = dyn Fn(&Label) -> Option<String> + 'a;

impl<'m> Answer<'m> {
    /// The answer that a checked outcome gives. `shown` is the property as it is to be shown; labels are told in
    /// native words, where there are some.
    pub fn new(
        (model, native): (&'m Model, &NativeWords<'_>),
        property: &Property,
        shown: String,
        checked: &Checked<Outcome>,
        config: Config,
        stats: Stats,
    ) -> Self {
        let outcome = checked.value();
        let trace = match (&outcome.finding, checked.replayed(), checked.shortest()) {
            (Finding::Reachable { trace, .. }, Some(replayed), Some(shortest)) => {
                Some(TraceAnswer::new(model, property, trace, replayed, shortest))
            }
            _ => None,
        };
        let (reachable, reason) = match &outcome.finding {
            Finding::Reachable { .. } => (Some(true), None),
            Finding::Unreachable => (Some(false), None),
            Finding::Unknown(reason) => (None, Some(reason.message().to_string())),
        };
        // A complete search, with an answer or without, leaves nothing to bound or to wait for.
        let complete = matches!(
            outcome.finding,
            Finding::Unreachable | Finding::Unknown(StopReason::PropertyFails | StopReason::Diverges)
        );
        let warning = outcome.warning.as_ref().map(|(label, error)| {
            let plain = || {
                let parts = Words::new(model).map_or_else(Vec::new, |words| words.label(label));
                parts.iter().map(PartWords::long).collect::<Vec<String>>().join(" | ")
            };
            let told = native(label).unwrap_or_else(plain);
            format!("a label fails at run time: {}: {told}", error.message())
        });
        let vacuous = match model {
            Model::Network(_) => {
                "an invariant does not hold at the start: the network has no behaviour at all"
            }
            Model::Relation(_) => "there is no initial state: the model has no behaviour at all",
        };
        let vacuous = outcome.vacuous.then(|| vacuous.to_string());
        Self {
            name: property.name.clone(),
            property: shown,
            verdict: checked.verdict(),
            reachable,
            reason,
            trace,
            certificate: checked.grade(),
            certificate_note: checked.note().map(str::to_string),
            rows: outcome.certificate.as_ref().map(|c| c.rows.len()),
            lower_bound: (!complete).then_some(outcome.lower_bound),
            warnings: vacuous.into_iter().chain(warning).collect(),
            open: None,
            config,
            stats,
        }
    }

    /// The answer that nobody knows, and why.
    pub fn unknown(property: &Property, shown: String, reason: String, config: Config) -> Self {
        Self {
            name: property.name.clone(),
            property: shown,
            verdict: Verdict::Unknown,
            reachable: None,
            reason: Some(reason),
            trace: None,
            certificate: Grade::None,
            certificate_note: None,
            rows: None,
            lower_bound: None,
            warnings: Vec::new(),
            open: None,
            config,
            stats: Stats::default(),
        }
    }
}
