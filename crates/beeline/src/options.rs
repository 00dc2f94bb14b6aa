//! Everything a user can choose, in one table: name, values, default, help, and the commands that know it.
//!
//! The command line, the manual (`beeline manual`) and the option fuzzer are made from [`OPTIONS`] and
//! [`COMMANDS`]; an option that is not here does not exist. What the values mean to a run is [`crate::settings`].

use crate::presets::PRESETS;
use std::time::Duration;

/// What an option takes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Nothing: it is there or not.
    Flag,
    /// One of these words, each with what it means.
    Choice(&'static [(&'static str, &'static str)]),
    /// A whole number in this range.
    Integer(u64, u64),
    /// How many, at least one: a number such as `5000`, `10k` or `1.5M`.
    Count,
    /// A time such as `500ms`, `1.5s`, `5m` or `2h`.
    Duration,
    /// An amount of memory such as `512MiB` or `4GiB`.
    Size,
    /// The name of a file.
    File,
    /// One of these words, alone or followed by `=FILE`.
    ChoiceToFile(&'static [(&'static str, &'static str)]),
    /// Free text, called this in the help.
    Text(&'static str),
}

/// One option.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OptionSpec {
    /// Its long name, without the dashes.
    pub name: &'static str,
    /// Its one-letter name.
    pub short: Option<char>,
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
];

/// Whether a search needs a heuristic.
pub fn directed(search: &str) -> bool {
    !matches!(search, "bfs" | "dfs" | "random-dfs")
}

/// The presets, with what they are.
const PRESET_WORDS: [(&str, &str); PRESETS.len()] = {
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
        arguments: &[("MODEL", "model file: UPPAAL (.xml, .xta, .ta) or Beeline's own text form (.beeline)")],
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
        help: "Show what a model is made of, and what --safe-abstraction would remove from it.",
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
        arguments: &[("SUITE", "throughput: how fast whole state spaces are explored")],
        help: "Measure this executable on a suite of models, one fresh process after another, and TChecker beside it \
               where it is installed. Build with --release first.",
        hidden: false,
    },
    CommandSpec { name: "manual", arguments: &[], help: "Print the manual of all options.", hidden: true },
];

const CHECK: &[&str] = &["check"];

const fn check(name: &'static str, syntax: Syntax, default: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { name, short: None, syntax, default: Some(default), repeats: false, commands: CHECK, help }
}

const fn plain(
    name: &'static str,
    syntax: Syntax,
    commands: &'static [&'static str],
    help: &'static str,
) -> OptionSpec {
    OptionSpec { name, short: None, syntax, default: None, repeats: false, commands, help }
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
        "search",
        Syntax::Choice(SEARCHES),
        "bfs; dfs with --mode any; astar or greedy with a heuristic",
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
        "preset",
        Syntax::Choice(&PRESET_WORDS),
        CHECK,
        "Search and heuristics of a paper or tool; other options given take precedence.",
    ),
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
        Syntax::Choice(&[("auto", "whatever fits the model"), ("explicit", "one state or zone at a time")]),
        "auto",
        "The engine.",
    ),
    check(
        "seed",
        Syntax::Integer(0, u64::MAX),
        "1",
        "Seed of random-dfs. If it is given, greedy breaks ties by it; otherwise the newest state comes first.",
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
        "Stop when this many states are stored, such as 5000, 10k or 2M.",
    ),
    OptionSpec {
        commands: &["check", "bench"],
        ..check(
            "threads",
            Syntax::Integer(1, 64),
            "1",
            "Number of threads of breadth-first search. The verdict, the trace and the counters do not depend on it.",
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
        "faulty",
        Syntax::Flag,
        &["generate"],
        "Make a mistake on purpose, so that something is violated (families that know one).",
    ),
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
            "Write the model to this file (`.xta`), and its queries beside it (`.q`), instead of printing the model.",
        )
    },
    plain("list", Syntax::Flag, &["generate"], "List the families, their parameters, ranges and defaults."),
    plain("quick", Syntax::Flag, &["bench"], "Measure only the smallest model of each family."),
    OptionSpec { repeats: true, ..plain("model", Syntax::File, &["bench"], "Measure this model, too.") },
    OptionSpec {
        short: Some('p'),
        ..plain(
            "property",
            Syntax::Text("NAME|INDEX|EXPR"),
            &["bench"],
            "What to ask of the models given by `--model`, instead of exploring them as a whole.",
        )
    },
    plain("no-suite", Syntax::Flag, &["bench"], "Measure only the models given by `--model`."),
    OptionSpec {
        commands: &["bench"],
        ..check(
            "peer",
            Syntax::Text("PATH|none"),
            "tck-reach, if it is on the path",
            "The program of TChecker to compare with; `none`: do not compare.",
        )
    },
    plain(
        "json",
        Syntax::Flag,
        &["bench"],
        "Print one JSON object per model, each on a line, instead of a table.",
    ),
];

impl Syntax {
    /// Whether a text is a value of this kind, or what is wrong with it.
    pub fn check(self, text: &str) -> Result<(), String> {
        match self {
            Self::Flag | Self::File | Self::Text(_) => Ok(()),
            Self::Choice(words) => one_of(words, text),
            Self::Integer(least, most) => integer(text, least, most).map(drop),
            Self::Count => count(text).map(drop),
            Self::Duration => duration(text).map(drop),
            Self::Size => size(text).map(drop),
            Self::ChoiceToFile(words) => {
                let (word, file) = to_file(text);
                if file == Some("") {
                    return Err("the file name is missing after `=`".into());
                }
                one_of(words, word)
            }
        }
    }

    /// How the value is written in help texts; empty for a flag.
    pub fn placeholder(self) -> String {
        match self {
            Self::Flag => String::new(),
            Self::Choice(words) => words_of(words),
            Self::Integer(..) | Self::Count => "N".into(),
            Self::Duration => "TIME".into(),
            Self::Size => "SIZE".into(),
            Self::File => "FILE".into(),
            Self::ChoiceToFile(words) => format!("{}[=FILE]", words_of(words)),
            Self::Text(name) => name.into(),
        }
    }
}

fn words_of(words: &[(&str, &str)]) -> String {
    words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join("|")
}

fn one_of(words: &[(&str, &str)], text: &str) -> Result<(), String> {
    if words.iter().any(|(word, _)| *word == text) {
        return Ok(());
    }
    let near = beeline_ir::text::suggest(text, words.iter().map(|(word, _)| *word));
    let meant = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    Err(format!("{meant}expected one of: {}", words_of(words).replace('|', ", ")))
}

/// Splits `WORD=FILE`.
pub fn to_file(text: &str) -> (&str, Option<&str>) {
    text.split_once('=').map_or((text, None), |(word, file)| (word, Some(file)))
}

/// A whole number in a range.
pub fn integer(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().map_err(|_| "expected a whole number".to_string())?;
    match (least..=most).contains(&number) {
        true => Ok(number),
        false => Err(format!("expected a number from {least} to {most}")),
    }
}

/// How many, at least one, in thousands with `k`, millions with `M`, thousands of millions with `G`.
pub fn count(text: &str) -> Result<u64, String> {
    let units = [("", 1), ("k", 1_000), ("K", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)];
    let number = amount(text, &units).ok_or("expected a number such as 5000, 10k or 2M")?;
    let number = u64::try_from(number).map_err(|_| "too many")?;
    if number == 0 { Err("expected at least 1".into()) } else { Ok(number) }
}

/// A time with its unit; a bare number counts seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    const SECOND: u128 = 1_000_000_000;
    let (minute, hour) = (60 * SECOND, 3_600 * SECOND);
    let units = [("ms", 1_000_000), ("s", SECOND), ("", SECOND), ("m", minute), ("min", minute), ("h", hour)];
    let nanos = amount(text, &units).ok_or("expected a time such as 500ms, 1.5s, 60s, 5m or 2h")?;
    let seconds = u64::try_from(nanos / SECOND).map_err(|_| "too long")?;
    Ok(Duration::new(seconds, (nanos % SECOND) as u32))
}

/// A number of bytes with its unit; a bare number counts bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let units = [
        ("B", 1),
        ("", 1),
        ("KiB", 1 << 10),
        ("K", 1 << 10),
        ("MiB", 1 << 20),
        ("M", 1 << 20),
        ("GiB", 1 << 30),
        ("G", 1 << 30),
        ("TiB", 1 << 40),
        ("T", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
    ];
    let bytes = amount(text, &units).ok_or("expected an amount of memory such as 512MiB, 1.5GiB or 4GiB")?;
    u64::try_from(bytes).map_err(|_| "too much".into())
}

/// A decimal number times its unit, if that is a whole number: `1.5k` is 1500.
fn amount(text: &str, units: &[(&str, u128)]) -> Option<u128> {
    let (number, unit) =
        text.split_at(text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len()));
    let (_, unit) = units.iter().find(|(name, _)| *name == unit)?;
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    // Twenty digits and the largest unit stay far below the largest number.
    let digits = |digits: &str| (digits.len() <= 20).then(|| digits.parse::<u128>().ok()).flatten();
    let fraction = match fraction {
        Some(fraction) => {
            let (part, scale) = (digits(fraction)? * unit, 10_u128.pow(fraction.len() as u32));
            (part % scale == 0).then_some(part / scale)?
        }
        None => 0,
    };
    Some(digits(whole)? * unit + fraction)
}

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

    #[test]
    fn amounts_are_read_with_their_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1_500)));
        assert_eq!(duration("0.25"), Ok(Duration::from_millis(250)));
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("1.5GiB"), Ok(3 << 29));
        assert_eq!(size("123"), Ok(123));
        assert_eq!(size("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(count("5000"), Ok(5_000));
        assert_eq!(count("10k"), Ok(10_000));
        assert_eq!(count("1.5M"), Ok(1_500_000));
        let long = "9".repeat(60);
        for bad in
            ["", "s", "-1s", "1.s", ".5s", "1.5.5s", "1e3s", "5 m", "18446744073709551615h", "5M", &long]
        {
            assert!(duration(bad).is_err(), "{bad}");
        }
        for bad in ["", "GiB", "4 GiB", "4gib", "18446744073709551615TiB", "1.5", "-1", "é", &long] {
            assert!(size(bad).is_err(), "{bad}");
        }
        for bad in ["", "k", "0", "0k", "0.5", "1.2345k", "10 k", "10x", "99999999999G", "-1", &long] {
            assert!(count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_outside_their_range_are_refused() {
        assert_eq!(integer("1", 1, 4), Ok(1));
        assert_eq!(integer("5", 1, 4), Err("expected a number from 1 to 4".into()));
        assert_eq!(count("0"), Err("expected at least 1".into()));
        assert!(integer("x", 0, 9).is_err());
        assert!(Syntax::ChoiceToFile(TRACE_FORMATS).check("json=").is_err());
        assert!(Syntax::ChoiceToFile(TRACE_FORMATS).check("json=a=b").is_ok());
        assert!(Syntax::Choice(SEARCHES).check("a-star").is_err());
    }
}
