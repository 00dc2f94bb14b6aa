//! The words that options and arguments know, and the commands.

use crate::presets::PRESETS;

/// One command.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CommandSpec {
    /// Its name.
    pub name: &'static str,
    /// Its arguments: name and help; all are needed.
    pub arguments: &'static [(&'static str, &'static str)],
    /// What it does.
    pub help: &'static str,
    /// Left out of the help.
    pub hidden: bool,
}

/// The orders of expansion.
pub const SEARCHES: &[(&str, &str)] = &[
    (
        "auto",
        "breadth first and, by turns, greedy and astar with ever better heuristics: whatever answers first",
    ),
    ("bfs", "breadth first by the number of steps: the trace found is a shortest one"),
    ("dfs", "depth first, in the order of the model"),
    ("random-dfs", "depth first, successors shuffled by the seed"),
    ("astar", "steps so far plus the estimate: a shortest trace, if the heuristics are lower bounds"),
    ("greedy", "the least estimate first: quick, not shortest; several heuristics take turns"),
    ("weighted-astar", "as astar, estimates counting --weight times: at most so many times too long"),
    ("anytime", "greedy, then ever shorter traces, at last a shortest one"),
    ("idastar", "as astar, by depth-first searches within ever more steps: little memory"),
    ("hill-climbing", "breadth first to a better estimate, and on from there; greedy where that is stuck"),
    ("beam", "breadth first, keeping the --beam-width best states of each layer; incomplete"),
    ("genetic", "walks bred by how near they come to the target, by the seed: almost no memory; incomplete"),
];

/// Whether a search needs a heuristic.
pub fn directed(search: &str) -> bool {
    !matches!(search, "auto" | "bfs" | "dfs" | "random-dfs")
}

/// The presets, with what they are.
pub(super) const PRESET_WORDS: [(&str, &str); PRESETS.len()] = {
    let mut words = [("", ""); PRESETS.len()];
    let mut at = 0;
    while at < PRESETS.len() {
        words[at] = (PRESETS[at].name, PRESETS[at].help);
        at += 1;
    }
    words
};

/// The formats of a trace.
pub const TRACE_FORMATS: &[(&str, &str)] = &[
    ("text", "for people: each step, when it happens and what changes"),
    ("json", "for `beeline replay` and other programs"),
    ("itf", "Informal Trace Format, for trace viewers"),
    ("dot", "a graph for Graphviz"),
    ("verifyta", "as UPPAAL's verifyta prints it"),
    ("xtr", "a symbolic trace for UPPAAL's simulator"),
    ("trail", "for `spin -t` and `pan -r`"),
    ("nusmv", "as NuSMV prints it"),
    ("nusmv-xml", "as NuSMV's read_trace reads it"),
];

/// What `list` can list.
pub const LISTS: &[(&str, &str)] = &[
    ("searches", "orders of expansion"),
    ("heuristics", "distance estimates that guide a search"),
    ("presets", "named settings"),
    ("families", "families of benchmark models"),
];

/// All commands.
pub const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "check",
        arguments: &[(
            "MODEL",
            "model file: UPPAAL (.xml, .xta, .ta), Promela (.pml, .prom, .pm), SMV (.smv) or Beeline's own text form \
             (.beeline)",
        )],
        help: "Check the properties of a model. A model without properties is checked for deadlock and run-time \
               errors, and its reachable states are counted.",
        hidden: false,
    },
    CommandSpec {
        name: "replay",
        arguments: &[("MODEL", "model file"), ("TRACE", "trace written by `check --trace json=FILE`")],
        help: "Replay a trace, step by step, in exact time, and show it.",
        hidden: false,
    },
    CommandSpec {
        name: "verify-certificate",
        arguments: &[("MODEL", "model file"), ("CERT", "certificate written by `check --certificate FILE`")],
        help: "Check a certificate against a model, without any search.",
        hidden: false,
    },
    CommandSpec {
        name: "info",
        arguments: &[("MODEL", "model file")],
        help: "Show what a model is made of, what of it can never happen, and what --safe-abstraction would remove.",
        hidden: false,
    },
    CommandSpec {
        name: "list",
        arguments: &[("WHAT", "searches, heuristics, presets or families")],
        help: "List what there is to choose from.",
        hidden: false,
    },
    CommandSpec {
        name: "convert",
        arguments: &[("MODEL", "model file")],
        help: "Print a model in another form.",
        hidden: false,
    },
    CommandSpec {
        name: "generate",
        arguments: &[("FAMILY", "family of models; `beeline generate --list` says which there are")],
        help: "Write a model of a benchmark family, with what is known of it.",
        hidden: false,
    },
    CommandSpec {
        name: "bench",
        arguments: &[(
            "SUITE",
            "p0, p1, p2, p3, p4: the tables of these papers, with ours beside them; throughput: how fast whole state spaces \
             are explored; all: all of these",
        )],
        help: "Measure this executable on a suite of models, one fresh process after another, and other model checkers \
               beside it where they are installed (TChecker, UPPAAL, NuSMV). Build with --release first.",
        hidden: false,
    },
    CommandSpec { name: "manual", arguments: &[], help: "Print the manual of all options.", hidden: true },
];
