//! Everything a user can choose, in one table: name, values, default, help, and the commands that know it.
//!
//! The command line, the manual (`beeline manual`) and the option fuzzer are made from [`OPTIONS`] and
//! [`COMMANDS`]; an option that is not here does not exist. What the values mean to a run is [`crate::settings`].

mod words;

pub use crate::syntax::{Syntax, count, duration, integer, size, to_file};
use words::PRESET_WORDS;
pub use words::{COMMANDS, CommandSpec, LISTS, SEARCHES, TRACE_FORMATS, directed};

/// One option.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OptionSpec {
    /// Its long name, without the dashes.
    pub name: &'static str,
    /// Its one-letter name.
    pub short: Option<char>,
    /// Another long name.
    pub alias: Option<&'static str>,
    /// What it takes.
    pub syntax: Syntax,
    /// What counts when it is not given, in words where it is no fixed value.
    pub default: Option<&'static str>,
    /// Whether it may be given several times.
    pub repeats: bool,
    /// The commands that know it.
    pub commands: &'static [&'static str],
    /// What it does.
    pub help: &'static str,
}

const CHECK: &[&str] = &["check"];

const fn check(name: &'static str, syntax: Syntax, default: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec {
        name,
        short: None,
        alias: None,
        syntax,
        default: Some(default),
        repeats: false,
        commands: CHECK,
        help,
    }
}

const fn plain(
    name: &'static str,
    syntax: Syntax,
    commands: &'static [&'static str],
    help: &'static str,
) -> OptionSpec {
    OptionSpec { name, short: None, alias: None, syntax, default: None, repeats: false, commands, help }
}

/// A parameter of families; each family has its own range.
const fn parameter(name: &'static str, help: &'static str) -> OptionSpec {
    plain(name, Syntax::Integer(0, u32::MAX as u64), &["generate"], help)
}

/// All options.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        short: Some('q'),
        ..plain(
            "properties",
            Syntax::File,
            &["check", "info", "convert"],
            "Take the properties of this file, one per line (for UPPAAL models a .q file), instead of the model's own.",
        )
    },
    OptionSpec {
        short: Some('p'),
        repeats: true,
        ..plain(
            "property",
            Syntax::Text("NAME|INDEX|EXPR"),
            &["check", "info", "convert"],
            "Take only this property: its name, its number (from 1), or a property in the language of the model, \
             such as 'A[] not deadlock'. `no-deadlock` and `no-runtime-error` can be asked of every model.",
        )
    },
    check(
        "mode",
        Syntax::Choice(&[
            ("shortest", "a shortest trace, or a proof"),
            ("any", "any trace, or a proof"),
            (
                "prove",
                "a proof in the first place: fewer states are kept, and a trace need not be a shortest one",
            ),
        ]),
        "shortest, or any with a search that does not find shortest traces",
        "What to look for.",
    ),
    check(
        "length",
        Syntax::Choice(&[
            (
                "steps",
                "labels; of Promela models, executed statements: a rendezvous is one, the end of a process none",
            ),
            ("spin", "Promela: as Spin counts, with both sides of a rendezvous, ends of processes and jumps"),
        ]),
        "steps",
        "What the length of a trace counts.",
    ),
    check(
        "search",
        Syntax::Choice(SEARCHES),
        "auto; astar or greedy with a heuristic",
        "Order of expansion.",
    ),
    OptionSpec {
        repeats: true,
        ..plain(
            "heuristic",
            Syntax::Text("NAME[:OPTION=VALUE,..]"),
            CHECK,
            "Direct the search by this estimate of the distance to the target. Of several, astar takes the greatest, and \
             greedy takes turns. `beeline list heuristics` says which there are, what they promise and what they cost.",
        )
    },
    plain(
        "pdb-cache",
        Syntax::Text("DIR"),
        &["check", "bench"],
        "Keep pattern databases in this directory: each is saved to a file of its own, and read from there when the same \
         one is asked for again. Files there are not to be changed by other means while they are in use; they may be \
         deleted at any time. With `bench`, times are then without what was made before.",
    ),
    plain(
        "preset",
        Syntax::Choice(&PRESET_WORDS),
        CHECK,
        "Search and heuristics of a paper or tool (`beeline list presets`); other options given take precedence.",
    ),
    check(
        "reduce",
        Syntax::Choice(&[
            ("on", "leave out edges that can never be taken, and values that variables can never have"),
            ("off", "search the model as it is"),
        ]),
        "off; on with --preset quick",
        "Whether to leave out what can never happen, as far as single values tell (`beeline info` says what that is). \
         Verdicts and lengths stay the same.",
    ),
    plain("explain", Syntax::Flag, CHECK, "With --search auto: say what was tried, in which order, and why."),
    plain(
        "cone",
        Syntax::Flag,
        CHECK,
        "Leave out automata and variables outside of the cone of influence: those that have no say in the answer. Verdicts \
         and lengths stay the same.",
    ),
    plain(
        "safe-abstraction",
        Syntax::Flag,
        CHECK,
        "Remove automata and variables that can take any value at any time before the search, and put their steps into the \
         trace afterwards (`beeline info` says which). Verdicts stay the same, lengths do not.",
    ),
    check("weight", Syntax::Integer(1, 1_000_000), "5", "How much estimates count in weighted-astar."),
    check("beam-width", Syntax::Count, "1000", "States of a layer that beam keeps."),
    check("generations", Syntax::Count, "200", "Generations after which genetic gives up."),
    plain(
        "improve",
        Syntax::File,
        CHECK,
        "Look for a shorter trace than this one, which `--trace json` has written, or Spin (a trail), or NuSMV (what it \
         prints): with astar, by heuristic fsm if none is named (hl for SMV models). Its property is what is checked. The \
         answer is never longer than it.",
    ),
    plain(
        "deferred",
        Syntax::Flag,
        CHECK,
        "greedy: evaluate states when their turn comes; until then they have the estimate of the state before.",
    ),
    plain(
        "preferred",
        Syntax::Flag,
        CHECK,
        "greedy, anytime: keep a second queue for labels that the relaxed trace of hl or hu begins with.",
    ),
    check(
        "engine",
        Syntax::Choice(&[
            ("auto", "symbolic for relations (SMV), unless a search or heuristic is named; else explicit"),
            ("explicit", "one state or zone at a time"),
            ("symbolic", "sets of states as binary decision diagrams"),
        ]),
        "auto",
        "The engine. What each can do with which model is in docs/engines.md.",
    ),
    check(
        "direction",
        Syntax::Choice(&[
            ("auto", "forward and, by turns, by refinement of an abstraction: whatever answers first"),
            ("forward", "from the initial states"),
            ("backward", "from the targets"),
            ("bidirectional", "from both, the smaller side first"),
            ("guided", "from the initial states, by the estimates of symbolic pattern databases"),
        ]),
        "auto; guided with --spdb",
        "Symbolic engine, which it asks for: from where it searches. Shortest traces are found in any case.",
    ),
    check(
        "reorder",
        Syntax::Choice(&[
            ("off", "bits stay in the order they are given at first"),
            ("sift", "bits are sifted when diagrams become large, and again when they have doubled"),
        ]),
        "off",
        "Symbolic engine: whether the order of bits changes during the search.",
    ),
    OptionSpec {
        repeats: true,
        ..check(
            "spdb",
            Syntax::Text("cegar|depth=N|hide=X,Y"),
            "cegar",
            "Guided symbolic search: what a symbolic pattern database is about. `cegar`: the variables of the property, \
             and those without which there are runs that the model does not have. `depth=N`: variables at most N \
             assignments or constraints away from the property. `hide=X,Y`: all but these; an instance, process or \
             array stands for all it has. Several databases: the greatest estimate counts.",
        )
    },
    plain("hide", Syntax::Text("X,Y"), CHECK, "Guided symbolic search: the same as --spdb hide=X,Y."),
    check(
        "spdb-nodes",
        Syntax::Count,
        "20M",
        "Guided symbolic search: nodes of decision diagrams that may be made for a database. What is not finished then \
         is used as far as it goes.",
    ),
    check(
        "spdb-time",
        Syntax::Duration,
        "none",
        "Guided symbolic search: time for a database. Results then depend on how fast the machine is.",
    ),
    check(
        "seed",
        Syntax::Integer(0, u64::MAX),
        "1",
        "Seed of random-dfs and genetic. If it is given, greedy breaks ties by it; otherwise the newest state comes first.",
    ),
    check(
        "extrapolation",
        Syntax::Choice(&[
            ("auto", "the coarsest that is right for the model and property"),
            ("m", "maximal bounds"),
            ("m+", "maximal bounds, also across clocks"),
            ("lu", "lower and upper bounds"),
            ("lu+", "lower and upper bounds, also across clocks"),
        ]),
        "auto",
        "The zone abstraction that makes timed exploration finite.",
    ),
    check(
        "runtime-errors",
        Syntax::Choice(&[
            ("report", "warn of the first label that fails at run time"),
            ("disable", "say nothing of failing labels"),
        ]),
        "report",
        "What to do with labels that fail at run time, when they are not what is checked. They never lead anywhere.",
    ),
    check(
        "dead-variables",
        Syntax::Choice(&[
            ("reset", "forget values that nobody reads any more: fewer states, the same answers"),
            ("keep", "tell states apart by all values, as Spin does with -o1"),
        ]),
        "reset",
        "Explicit engine: what becomes of values that nobody reads before they are written again. Searches whose heuristics \
         read them keep them anyway.",
    ),
    plain(
        "symmetry",
        Syntax::Flag,
        CHECK,
        "Explicit engine: visit one of all states that differ only in which of several interchangeable processes is which, \
         as far as the property is concerned (`beeline info` says which processes these are). Verdicts and lengths stay the \
         same.",
    ),
    check(
        "partial-order",
        Syntax::Choice(&[
            ("off", "look at all labels"),
            ("stubborn", "stubborn sets, which keep verdicts and shortest lengths"),
            ("ample", "ample sets, which keep verdicts only: for --mode any and prove"),
        ]),
        "off",
        "Explicit engine: leave out labels whose order does not matter. It switches itself off where it leaves out less \
         than a fifth of the labels of the first 1000 states. What is found is replayed as always; there are no \
         certificates, since the states kept are not all.",
    ),
    check(
        "storage",
        Syntax::Choice(&[
            ("plain", "packed, one after the other"),
            (
                "collapse",
                "as the numbers of pieces, each of which is stored once: less memory where states are large",
            ),
            (
                "hash-compaction",
                "64 bits of a hash, and how the state was reached; never proves anything, and says how much may have been \
                 missed",
            ),
            ("bitstate", "some bits of an array for each state; never proves anything, likewise"),
        ]),
        "collapse from 64 bytes on, or once memory gets scarce",
        "Explicit engine: how states are stored. Verdict, trace and counters do not depend on it as long as states are \
         stored whole (plain, collapse). With hashes, the answer is a trace or unknown, and --search is bfs unless it is \
         named.",
    ),
    check(
        "bitstate-size",
        Syntax::Size,
        "64MiB, or half of the memory limit if that is less",
        "--storage bitstate: size of the array.",
    ),
    check("bitstate-hashes", Syntax::Integer(1, 16), "3", "--storage bitstate: bits for each state."),
    check(
        "time-limit",
        Syntax::Duration,
        "none",
        "Stop after this time. It is for all properties together: when one has used it up, those after it are unknown.",
    ),
    check("memory-limit", Syntax::Size, "half of the memory", "Stop when states take more memory than this."),
    check(
        "state-limit",
        Syntax::Count,
        "none",
        "Stop when this many states are stored, such as 5000, 10k or 2M. Symbolic engine: when the sets reached have \
         this many; those of databases do not count.",
    ),
    OptionSpec {
        commands: &["check", "bench"],
        ..check(
            "threads",
            Syntax::Integer(1, 64),
            "1",
            "Number of threads of breadth-first search, and of making pattern databases without zones. The verdict, the \
             trace and the counters do not depend on it. For relations without --direction, two threads search forward \
             and by refinement; verdict and length do not depend on it, the rest may.",
        )
    },
    OptionSpec {
        repeats: true,
        commands: &["check", "replay"],
        ..check(
            "trace",
            Syntax::ChoiceToFile(TRACE_FORMATS),
            "text",
            "Format of the trace, printed or written to a file. Any format but text is printed alone on standard output, \
             and the verdicts on standard error. With several properties, the number of the property is put before the \
             file's extension.",
        )
    },
    plain(
        "certificate",
        Syntax::File,
        CHECK,
        "Write the certificate to this file. With several properties, the number of the property is put before the \
         file's extension.",
    ),
    check(
        "certify",
        Syntax::Choice(&[
            ("auto", "check certificates within a budget of counted steps"),
            ("always", "check certificates, whatever it takes"),
            ("never", "neither make nor check certificates"),
        ]),
        "auto",
        "Whether the kernel checks the proof.",
    ),
    plain(
        "json",
        Syntax::Flag,
        &["check", "replay", "verify-certificate", "info"],
        "Print one JSON object instead of text.",
    ),
    plain(
        "quiet",
        Syntax::Flag,
        &["check", "replay", "verify-certificate"],
        "Print one line per property. Warnings are still given, on standard error.",
    ),
    plain("heuristics", Syntax::Flag, &["manual"], "Print the manual of heuristics instead."),
    plain(
        "dot",
        Syntax::Flag,
        &["info"],
        "Print the causal graph of a property (`-p`, else the first) for Graphviz: automata (boxes), integers \
         (ellipses), an arc wherever the first has a say in the changes of the second, and a double line round what \
         the property asks about. A number tells how many labels are behind an arc; graphs of more than 100 arcs \
         have none.",
    ),
    plain("dot-automata", Syntax::Flag, &["info"], "Print the automata as a graph for Graphviz."),
    OptionSpec {
        commands: &["convert"],
        ..check(
            "to",
            Syntax::Choice(&[
                ("beeline", "the canonical text form"),
                ("xta", "a flat UPPAAL model"),
                ("q", "the properties as UPPAAL queries, with the names of `--to xta`"),
                (
                    "tck",
                    "a flat TChecker model, with labels for one property (`-p`, else the first that has a form there)",
                ),
            ]),
            "beeline",
            "The form to convert to.",
        )
    },
    parameter(
        "n",
        "Size of the model: how many processes, stations, trains or cells, or the height of a tree.",
    ),
    parameter("size", "`line-segment`, `mutex`: how many inputs are not hidden."),
    parameter("k", "`fischer`: time to write."),
    parameter("sa", "`fddi`: time that a station may always send."),
    parameter("lambda", "`csmacd`: time to send a message."),
    parameter("sigma", "`csmacd`: time a signal takes along the bus."),
    parameter("t", "`critical-region`: time for a test."),
    plain(
        "variant",
        Syntax::Text("NAME"),
        &["generate"],
        "Variant of the family, the first one if not given; `beeline generate --list` says which there are.",
    ),
    plain(
        "format",
        Syntax::Choice(&[
            ("xta", "an UPPAAL text, with the queries in a file of their own"),
            ("smv", "an SMV text with its specifications, for families of circuits"),
            ("pml", "a Promela text, for families of Promela models"),
        ]),
        &["generate"],
        "The language; if not given, the one that the ending of the output's name says, or the usual one of the family.",
    ),
    OptionSpec {
        alias: Some("fault"),
        ..plain(
            "faulty",
            Syntax::Flag,
            &["generate"],
            "Make a mistake on purpose, so that something is violated (families that know one).",
        )
    },
    plain(
        "correct",
        Syntax::Flag,
        &["generate"],
        "Do not make a mistake on purpose, in a variant that usually has one.",
    ),
    OptionSpec {
        short: Some('o'),
        ..plain(
            "output",
            Syntax::File,
            &["generate"],
            "Write the model to this file (`.xta`, `.smv` or `.pml`), and the queries of UPPAAL (`.q`) or maps of domains \
             (`.maps`) beside it, instead of printing the model.",
        )
    },
    plain("list", Syntax::Flag, &["generate"], "List the families, their parameters, ranges and defaults."),
    plain(
        "quick",
        Syntax::Flag,
        &["bench"],
        "Measure only the smallest model of each family (throughput), or one seed (the papers).",
    ),
    OptionSpec {
        commands: &["bench"],
        ..check(
            "seeds",
            Syntax::Integer(1, 1001),
            "11",
            "Runs of each instance where the search depends on chance; medians are reported.",
        )
    },
    OptionSpec {
        repeats: true,
        ..plain("instance", Syntax::Text("NAME"), &["bench"], "Run only this instance, such as C4.")
    },
    plain(
        "records",
        Syntax::File,
        &["bench"],
        "Append each run to this file, as a line of JSON, and do not repeat runs of this version that are in it: what \
         was interrupted goes on.",
    ),
    plain(
        "report",
        Syntax::File,
        &["bench"],
        "Write the report to this file: Markdown (.md), or one page with plots (.html).",
    ),
    plain(
        "compare",
        Syntax::File,
        &["bench"],
        "Say what has changed since these records: what got slower, expands more, or is no longer solved.",
    ),
    OptionSpec {
        commands: &["bench"],
        ..check("time-limit", Syntax::Duration, "60s", "Time for each run of the papers' suites.")
    },
    OptionSpec {
        commands: &["bench"],
        ..check(
            "memory-limit",
            Syntax::Size,
            "half of the memory",
            "Memory for the states of each run of theirs.",
        )
    },
    OptionSpec {
        repeats: true,
        ..plain("model", Syntax::File, &["bench"], "Measure this model, too (throughput, p4).")
    },
    OptionSpec {
        short: Some('p'),
        ..plain(
            "property",
            Syntax::Text("NAME|INDEX|EXPR"),
            &["bench"],
            "What to ask of the models given by `--model`, instead of exploring them as a whole, or of their first \
             property.",
        )
    },
    plain("no-suite", Syntax::Flag, &["bench"], "Measure only the models given by `--model`."),
    OptionSpec {
        commands: &["bench"],
        ..check(
            "peer",
            Syntax::Text("PATH|none"),
            "tck-reach, verifyta and NuSMV, if they are on the path",
            "The program of TChecker (tck-reach) to compare with; `none`: compare with no other program.",
        )
    },
    plain(
        "json",
        Syntax::Flag,
        &["bench"],
        "Print one JSON object per model, each on a line, instead of a table.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_is_consistent() {
        let commands: BTreeSet<&str> = COMMANDS.iter().map(|c| c.name).collect();
        assert_eq!(commands.len(), COMMANDS.len());
        for command in &commands {
            let of_command: Vec<_> = OPTIONS.iter().filter(|o| o.commands.contains(command)).collect();
            let names: BTreeSet<_> = of_command.iter().map(|o| o.name).collect();
            let shorts: Vec<_> = of_command.iter().filter_map(|o| o.short).collect();
            assert_eq!(names.len(), of_command.len(), "{command}");
            assert_eq!(shorts.iter().collect::<BTreeSet<_>>().len(), shorts.len(), "{command}");
        }
        for option in OPTIONS {
            assert!(option.commands.iter().all(|c| commands.contains(c)), "{}", option.name);
            assert!(option.help.ends_with('.'), "{}", option.name);
            if let (Syntax::Integer(..) | Syntax::ChoiceToFile(_), Some(default)) =
                (option.syntax, option.default)
            {
                assert!(default == "none" || option.syntax.check(default).is_ok(), "{}", option.name);
            }
        }
    }
}
