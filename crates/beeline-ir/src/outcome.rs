//! What an engine claims after a run. A claim becomes a verdict only when the kernel has checked it.

use crate::certificate::Certificate;
use crate::expr::RuntimeError;
use crate::layout::Label;
use crate::limits::StopReason;
use crate::property::Property;
use crate::trace::Trace;

/// The claim of an engine, with what supports it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// What was found.
    pub finding: Finding,
    /// No trace is shorter than this.
    pub lower_bound: u32,
    /// A proof of unreachability, or of the length of the trace being least.
    pub certificate: Option<Certificate>,
    /// Why there is no certificate.
    pub no_certificate: Option<String>,
    /// How a second engine has confirmed that the target is out of reach, for want of a certificate.
    pub second_engine: Option<String>,
    /// Other properties that were watched for and whose targets are out of reach, too.
    pub also: Vec<Property>,
    /// The network has no behaviour at all: an invariant does not hold at the start.
    pub vacuous: bool,
    /// The first label found that fails at run time, when failing labels are not what was looked for.
    pub warning: Option<(Label, RuntimeError)>,
    /// What the search has to say of itself.
    pub remarks: Vec<String>,
    /// What it took.
    pub stats: Stats,
}

impl Outcome {
    /// Nothing was found out, for that reason.
    pub fn unknown(reason: StopReason) -> Self {
        Self {
            finding: Finding::Unknown(reason),
            lower_bound: 0,
            certificate: None,
            no_certificate: Some(reason.message().to_string()),
            second_engine: None,
            also: Vec::new(),
            vacuous: false,
            warning: None,
            remarks: Vec::new(),
            stats: Stats::default(),
        }
    }
}

/// What an engine found out about the target.
#[derive(Clone, PartialEq, Debug)]
pub enum Finding {
    /// A run leads to it.
    Reachable {
        /// The run.
        trace: Trace,
        /// Whether the search guarantees that no run is shorter.
        shortest: bool,
    },
    /// No run leads to it.
    Unreachable,
    /// Not known.
    Unknown(StopReason),
}

/// Counters of a run. Everything but bytes and seconds is deterministic.
#[derive(Copy, Clone, PartialEq, Default, Debug)]
pub struct Stats {
    /// Taken from the open list and expanded.
    pub expanded: u64,
    /// Successors made.
    pub generated: u64,
    /// Heuristic evaluations.
    pub evaluated: u64,
    /// Symbolic states in the passed list at the end.
    pub stored: u64,
    /// Expanded again with a smaller number of steps.
    pub reopened: u64,
    /// Dropped, because a stored state includes them.
    pub subsumed: u64,
    /// Dropped, because the heuristic knows that no target can be reached.
    pub dead_ends: u64,
    /// Labels that partial-order reduction has left out.
    pub left_out: u64,
    /// Nodes of decision diagrams made in all, those counted again that were made again after they had been discarded.
    pub total_nodes: u64,
    /// Seconds before the search.
    pub preprocess_seconds: f64,
    /// Seconds of the search.
    pub search_seconds: f64,
    /// Seconds the kernel took.
    pub check_seconds: f64,
    /// Seconds in all.
    pub total_seconds: f64,
    /// Bytes of states, zones and open list at most.
    pub peak_bytes: u64,
    /// How much may have been missed, if nothing but hashes was kept of states.
    pub coverage: Option<Coverage>,
}

/// How much of the states a search has seen that keeps nothing but hashes of them.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Coverage {
    /// States that were told apart.
    pub states: u64,
    /// Bits of the array, with bit-state hashing.
    pub bits: Option<u64>,
    /// States that were probably taken for others when they were met; what only they lead to is not counted.
    pub expected_omissions: f64,
}

impl Coverage {
    /// Bits of the array for each state, with bit-state hashing; a hundred and more is good.
    pub fn hash_factor(&self) -> Option<f64> {
        self.bits.map(|bits| bits as f64 / self.states.max(1) as f64)
    }
    /// How it was stored.
    pub fn storage(&self) -> &'static str {
        if self.bits.is_some() { "bitstate" } else { "hash-compaction" }
    }
}

/// When to check certificates.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Certify {
    /// If it takes no more than the steps the kernel's budget allows.
    Auto,
    /// However long it takes.
    Always,
    /// Not at all.
    Never,
}

/// Who has checked a proof.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Grade {
    /// The kernel itself.
    Kernel,
    /// A second engine, by other means.
    SecondEngine,
    /// Nobody.
    None,
}

/// What is known about a trace being a shortest one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shortest {
    /// The kernel has checked that there is no shorter one.
    Certified,
    /// The search claims so.
    BySearch,
    /// Nothing.
    No,
}

/// The answer to a question.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The property holds.
    Holds,
    /// It does not.
    Violated,
    /// Not known.
    Unknown,
}
