//! Presets: named settings, each the configuration of a paper or tool. Options given beside a preset take precedence.

/// A named setting.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// The search.
    pub search: &'static str,
    /// The heuristics.
    pub heuristics: &'static [&'static str],
    /// Whether safe factors are removed first.
    pub safe_abstraction: bool,
    /// Whether what can never happen is left out.
    pub reduce: bool,
    /// Whether states are evaluated when their turn comes, and preferred labels come first.
    pub eager_for_preferred: bool,
    /// For the symbolic engine: from where it searches.
    pub direction: Option<&'static str>,
}

const fn greedy(name: &'static str, heuristics: &'static [&'static str], help: &'static str) -> Preset {
    Preset {
        name,
        help,
        search: "greedy",
        heuristics,
        safe_abstraction: false,
        reduce: false,
        eager_for_preferred: false,
        direction: None,
    }
}

const fn symbolic(name: &'static str, direction: &'static str, help: &'static str) -> Preset {
    Preset { search: "auto", direction: Some(direction), ..greedy(name, &[], help) }
}

/// Presets by source of predicates and automata of a part, as the configurations of P1 are named.
macro_rules! predicate_abstraction {
    ($($source:literal $options:literal $what:literal: $($split:literal)*;)*) => {
        &[$($(greedy(
            concat!("uppaal-pa-", $source, "-b", $split),
            &[concat!("pa:", $options, ",split=", $split, ",sum=printed")],
            concat!("greedy search with predicate abstraction, ", $what, ", parts of at most ", $split, " automata"),
        )),*),*]
    };
}

/// Predicate abstraction as in UPPAAL (MoChArt 2006).
const PREDICATE_ABSTRACTION: &[Preset] = predicate_abstraction! {
    "syntax" "predicates=syntax" "predicates from guards and invariants": "1" "2" "3" "4" "all";
    "r0" "predicates=refine,iterations=0" "locations only": "1" "2" "3" "4";
    "r1" "predicates=refine,iterations=1" "refined once": "1" "2" "3" "4";
    "r4" "predicates=refine,iterations=4" "refined 4 times": "1" "2" "3" "4";
    "r7" "predicates=refine,iterations=7" "refined 7 times": "1" "2" "3" "4";
};

/// All presets.
pub const PRESETS: &[Preset] = &joined();

const fn joined() -> [Preset; NAMED.len() + PREDICATE_ABSTRACTION.len()] {
    let mut all = [NAMED[0]; NAMED.len() + PREDICATE_ABSTRACTION.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < NAMED.len() { NAMED[at] } else { PREDICATE_ABSTRACTION[at - NAMED.len()] };
        at += 1;
    }
    all
}

/// Those that are named one by one.
const NAMED: &[Preset] = &[
    greedy("mcta-cg", &["cg"], "greedy search with the causal graph heuristic, as MCTA (SAS 2009)"),
    Preset {
        safe_abstraction: true,
        ..greedy("mcta-cg-safe", &["cg"], "the same on the safe abstraction, as MCTA (SAS 2009)")
    },
    greedy(
        "mcta-ut",
        &["ut:h=hu"],
        "greedy search with h^U that puts off useless labels, as MCTA (TACAS 2009)",
    ),
    greedy("mcta-hu", &["hu"], "greedy search with h^U, as MCTA and UPPAAL/DMC (SPIN 2006)"),
    greedy("mcta-hl", &["hl"], "greedy search with h^L, as MCTA and UPPAAL/DMC (SPIN 2006)"),
    greedy("dl", &["dl"], "greedy search with the greatest graph distance"),
    greedy("du", &["du"], "greedy search with the sum of graph distances"),
    Preset {
        search: "astar",
        ..greedy(
            "mcta-dpr",
            &["dpr"],
            "A* with a pattern database by downward pattern refinement, as MCTA (TACAS 2011)",
        )
    },
    Preset {
        search: "astar",
        ..greedy("mcta-rd", &["rd"], "A* with a pattern database by Russian doll abstraction (TACAS 2008)")
    },
    Preset {
        search: "astar",
        ..greedy(
            "mcta-coi",
            &["coi"],
            "A* with a pattern database of the cone of influence, as compared in TACAS 2011",
        )
    },
    Preset {
        search: "astar",
        ..greedy(
            "mcta-aa",
            &["aa"],
            "A* with products of automata made small again, as compared in TACAS 2011",
        )
    },
    Preset {
        search: "astar",
        ..greedy(
            "cartesian",
            &["cartesian"],
            "A* with a Cartesian abstraction refined by counterexamples (JAIR 2018), the successor of predicate abstraction",
        )
    },
    Preset {
        search: "astar",
        ..greedy("hsf-adb", &["adb"], "A* with an abstraction database, as HSF-SPIN (ICAPS 2004 workshop)")
    },
    Preset {
        search: "astar",
        ..greedy(
            "hsf-fsm",
            &["fsm"],
            "A* with the FSM distance to the end of the trace given by --improve, as HSF-SPIN (SPIN 2001)",
        )
    },
    Preset {
        search: "astar",
        ..greedy("hsf-formula", &["formula"], "A* with the formula-based heuristic, as HSF-SPIN (SPIN 2001)")
    },
    Preset { search: "bfs", ..greedy("uppaal-bfs", &[], "breadth-first search, as UPPAAL") },
    Preset {
        reduce: true,
        eager_for_preferred: true,
        ..greedy(
            "quick",
            &["hu", "novelty"],
            "greedy search with h^U and novelty by turns, evaluation deferred, preferred labels first: for large models",
        )
    },
    symbolic("nusmv-invar", "forward", "symbolic search from the initial states, as NuSMV's check_invar"),
    symbolic(
        "nusmv-guided",
        "guided",
        "symbolic search guided by pattern databases, as Qian and Nymeyer's NuSMV (TACAS 2004)",
    ),
    symbolic(
        "symbolic-bidirectional",
        "bidirectional",
        "symbolic search from both sides, the smaller one first",
    ),
];

/// The preset of a name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
