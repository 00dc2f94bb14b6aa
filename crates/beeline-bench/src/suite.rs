//! What is run: for each paper, the instances of its tables, and the configurations of ours that stand for its columns.
//!
//! Instances are models of our own families: twins of the originals where these are at hand, and of their kind where
//! they are not.

use crate::paper::columns;
use crate::peer;

/// A suite.
#[derive(Debug)]
pub struct Suite {
    /// Its name.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    /// The paper.
    pub source: &'static str,
    /// The rows of its table, by family.
    families: &'static [&'static [Instance]],
    /// More of the kind, beyond the table.
    beyond: &'static [Instance],
    /// The language of its models, as their files' names end.
    pub ending: &'static str,
    /// What is counted.
    pub work: Work,
    /// The columns.
    pub configurations: &'static [Configuration],
    /// Pairs of configurations to plot against each other.
    pub duels: &'static [(&'static str, &'static str)],
    /// Other programs to run on the same instances.
    pub rivals: &'static [Rival],
}

/// What measures the work of a search, wherever time does not.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Work {
    /// States expanded.
    States,
    /// The same, and seconds: before the search, and in all.
    TimedStates,
    /// Nodes of decision diagrams made in all.
    Nodes,
}

impl Work {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::States | Self::TimedStates => "states expanded",
            Self::Nodes => "nodes",
        }
    }
}

/// A model with a question.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// As the paper calls it.
    pub name: &'static str,
    /// What `generate` is told.
    pub generate: &'static [&'static str],
    /// What the answer is.
    pub answer: Answer,
}

/// The known answer to the question of an instance.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is an error, this many steps away if that is known.
    Error(Option<u32>),
    /// There is none.
    Safe,
}

impl Answer {
    /// As tables say it: steps of a shortest trace if they are known, or that there is none.
    pub fn text(self) -> String {
        match self {
            Self::Error(steps) => steps.map_or(String::new(), |steps| steps.to_string()),
            Self::Safe => "safe".into(),
        }
    }
}

/// In what `check` is told, the file of maps beside the model.
pub const MAPS: &str = "{maps}";
/// In what `check` is told, a file with a trace that depth-first search has found.
pub const TRACE: &str = "{trace}";

/// A way to search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// As the paper calls it.
    pub name: &'static str,
    /// What `check` is told; [`MAPS`] and [`TRACE`] stand for files.
    pub check: &'static [&'static str],
    /// Chance has a say, so that several seeds are run and medians count.
    pub random: bool,
    /// Whether what it finds is a shortest trace.
    pub shortest: bool,
}

/// What another program is asked to do.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Rival {
    /// The name of the [`Peer`](peer::Peer).
    pub peer: &'static str,
    /// What it is told.
    pub options: &'static [&'static str],
    /// How it is told a seed, if chance has a say.
    pub seed: Option<&'static str>,
    /// Our configuration to compare with.
    pub against: &'static str,
}

/// A column of a suite's table: a configuration of ours, a column of the paper, or both.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What we run for it.
    pub configuration: Option<&'static Configuration>,
    /// Whether the paper has it.
    pub printed: bool,
}

const fn model(name: &'static str, generate: &'static [&'static str], shortest: Option<u32>) -> Instance {
    Instance { name, generate, answer: Answer::Error(shortest) }
}

const fn safe(name: &'static str, generate: &'static [&'static str]) -> Instance {
    Instance { name, generate, answer: Answer::Safe }
}

const fn greedy(name: &'static str, check: &'static [&'static str]) -> Configuration {
    Configuration { name, check, random: true, shortest: false }
}

const fn exact(name: &'static str, check: &'static [&'static str]) -> Configuration {
    Configuration { name, check, random: false, shortest: true }
}

/// Faulty line segments.
const C: &[Instance] = &[
    model("C1", &["line-segment", "--variant", "c", "--size", "1"], Some(54)),
    model("C2", &["line-segment", "--variant", "c", "--size", "2"], Some(54)),
    model("C3", &["line-segment", "--variant", "c", "--size", "3"], Some(54)),
    model("C4", &["line-segment", "--variant", "c", "--size", "4"], Some(55)),
    model("C5", &["line-segment", "--variant", "c", "--size", "5"], Some(56)),
    model("C6", &["line-segment", "--variant", "c", "--size", "6"], Some(56)),
    model("C7", &["line-segment", "--variant", "c", "--size", "7"], Some(56)),
    model("C8", &["line-segment", "--variant", "c", "--size", "8"], Some(56)),
    model("C9", &["line-segment", "--variant", "c", "--size", "9"], Some(57)),
];

/// Faulty line segments that count their trams.
const D: &[Instance] = &[
    model("D1", &["line-segment", "--variant", "d", "--size", "1"], Some(91)),
    model("D2", &["line-segment", "--variant", "d", "--size", "2"], Some(91)),
    model("D3", &["line-segment", "--variant", "d", "--size", "3"], Some(91)),
    model("D4", &["line-segment", "--variant", "d", "--size", "4"], Some(92)),
    model("D5", &["line-segment", "--variant", "d", "--size", "5"], Some(114)),
    model("D6", &["line-segment", "--variant", "d", "--size", "6"], Some(114)),
    model("D7", &["line-segment", "--variant", "d", "--size", "7"], Some(117)),
    model("D8", &["line-segment", "--variant", "d", "--size", "8"], Some(117)),
    model("D9", &["line-segment", "--variant", "d", "--size", "9"], Some(117)),
];

/// Correct ones.
const E: &[Instance] = &[
    safe("E1", &["line-segment", "--variant", "e", "--size", "1"]),
    safe("E2", &["line-segment", "--variant", "e", "--size", "2"]),
    safe("E3", &["line-segment", "--variant", "e", "--size", "3"]),
    safe("E4", &["line-segment", "--variant", "e", "--size", "4"]),
    safe("E5", &["line-segment", "--variant", "e", "--size", "5"]),
    safe("E6", &["line-segment", "--variant", "e", "--size", "6"]),
    safe("E7", &["line-segment", "--variant", "e", "--size", "7"]),
    safe("E8", &["line-segment", "--variant", "e", "--size", "8"]),
    safe("E9", &["line-segment", "--variant", "e", "--size", "9"]),
];

/// Mutual exclusion by messages.
const M: &[Instance] = &[
    model("M1", &["mutex", "--variant", "m", "--size", "1"], Some(47)),
    model("M2", &["mutex", "--variant", "m", "--size", "2"], Some(50)),
    model("M3", &["mutex", "--variant", "m", "--size", "3"], Some(50)),
    model("M4", &["mutex", "--variant", "m", "--size", "4"], Some(53)),
];

/// The same with stations that are called back.
const N: &[Instance] = &[
    model("N1", &["mutex", "--variant", "n", "--size", "1"], Some(47)),
    model("N2", &["mutex", "--variant", "n", "--size", "2"], Some(50)),
    model("N3", &["mutex", "--variant", "n", "--size", "3"], Some(48)),
    model("N4", &["mutex", "--variant", "n", "--size", "4"], Some(51)),
];

/// Fischer's protocol with an observer.
const FA: &[Instance] = &[
    model("FA5", &["fischer", "--variant", "fa", "--n", "5"], Some(8)),
    model("FA10", &["fischer", "--variant", "fa", "--n", "10"], Some(8)),
    model("FA15", &["fischer", "--variant", "fa", "--n", "15"], Some(8)),
];

/// Fischer's protocol, asked about two processes.
const FB: &[Instance] = &[
    model("FB5", &["fischer", "--variant", "fb", "--n", "5"], Some(6)),
    model("FB10", &["fischer", "--variant", "fb", "--n", "10"], Some(6)),
    model("FB15", &["fischer", "--variant", "fb", "--n", "15"], Some(6)),
];

/// Trees of arbiters.
const A: &[Instance] = &[
    model("A2", &["arbiter-tree", "--n", "2", "--faulty"], Some(12)),
    model("A3", &["arbiter-tree", "--n", "3", "--faulty"], Some(17)),
    model("A4", &["arbiter-tree", "--n", "4", "--faulty"], Some(22)),
    model("A5", &["arbiter-tree", "--n", "5", "--faulty"], Some(27)),
    model("A6", &["arbiter-tree", "--n", "6", "--faulty"], None),
];

/// Trees of arbiter cells, as circuits.
const TREE_ARB: &[Instance] = &[
    model("tree-arb 7", &["tree-arbiter", "--n", "7", "--faulty"], Some(29)),
    model("tree-arb 9", &["tree-arbiter", "--n", "9", "--faulty"], Some(29)),
    model("tree-arb 11", &["tree-arbiter", "--n", "11", "--faulty"], Some(29)),
    model("tree-arb 13", &["tree-arbiter", "--n", "13", "--faulty"], Some(29)),
    model("tree-arb 15", &["tree-arbiter", "--n", "15", "--faulty"], Some(38)),
    model("tree-arb 17", &["tree-arbiter", "--n", "17", "--faulty"], Some(38)),
    model("tree-arb 19", &["tree-arbiter", "--n", "19", "--faulty"], Some(38)),
];

/// Rings for distributed mutual exclusion.
const DME_RINGS: &[Instance] = &[
    model("dme 06", &["dme", "--n", "6", "--faulty"], Some(30)),
    model("dme 08", &["dme", "--n", "8", "--faulty"], Some(30)),
];

/// Larger ones.
const LARGER_CIRCUITS: &[Instance] = &[
    model("tree-arb 23", &["tree-arbiter", "--n", "23", "--faulty"], Some(38)),
    model("tree-arb 31", &["tree-arbiter", "--n", "31", "--faulty"], Some(47)),
    model("tree-arb 47", &["tree-arbiter", "--n", "47", "--faulty"], Some(47)),
    model("tree-arb 63", &["tree-arbiter", "--n", "63", "--faulty"], Some(56)),
    model("dme 10", &["dme", "--n", "10", "--faulty"], Some(30)),
    model("dme 12", &["dme", "--n", "12", "--faulty"], Some(30)),
    model("dme 14", &["dme", "--n", "14", "--faulty"], Some(30)),
    model("dme 16", &["dme", "--n", "16", "--faulty"], Some(30)),
];

/// Air conditioning.
const AIRCON: &[Instance] = &[
    model("aircon 2", &["aircon", "--n", "2"], Some(32)),
    model("aircon 3", &["aircon", "--n", "3"], Some(32)),
];

/// A larger one.
const LARGER_AIRCON: &[Instance] = &[model("aircon 4", &["aircon", "--n", "4"], Some(32))];

/// The line segments that were known when P1 was written.
const C1_TO_C6: [Instance; 6] = [C[0], C[1], C[2], C[3], C[4], C[5]];

/// The columns of P1: those of other papers, then predicate abstraction by source of predicates and automata of a part; two
/// of these with safe abstraction, which is younger.
macro_rules! p1 {
    ($($syntax:literal $name:literal)*; $($r:literal: $($b:literal)*;)*) => {
        &[
            greedy("RDF", &["--search", "random-dfs"]),
            exact("BFS", &["--search", "bfs"]),
            greedy("h^L", &["--preset", "mcta-hl"]),
            greedy("h^U", &["--preset", "mcta-hu"]),
            $(greedy(concat!("Syntax-", $name), &["--preset", concat!("uppaal-pa-syntax-b", $syntax)]),)*
            $($(greedy(
                concat!("ARMC-b", $b, "-r", $r),
                &["--preset", concat!("uppaal-pa-r", $r, "-b", $b)],
            ),)*)*
            greedy("Syntax-b3 safe", &["--preset", "uppaal-pa-syntax-b3", "--safe-abstraction"]),
            greedy("ARMC-b3-r4 safe", &["--preset", "uppaal-pa-r4-b3", "--safe-abstraction"]),
        ]
    };
}

/// All configurations of P1.
const P1: &[Configuration] = p1! {
    "1" "b1" "2" "b2" "3" "b3" "4" "b4" "all" "all";
    "0": "1" "2" "3" "4";
    "1": "1" "2" "3" "4";
    "4": "1" "2" "3" "4";
    "7": "1" "2" "3" "4";
};

/// TChecker, breadth first.
const TCHECKER: Rival =
    Rival { peer: peer::TCHECKER.name, options: peer::TCHECKER.breadth_first, seed: None, against: "BFS" };

/// UPPAAL, breadth first.
const UPPAAL: Rival = Rival { peer: peer::UPPAAL.name, options: peer::UPPAAL.breadth_first, ..TCHECKER };

/// What finds errors fastest in UPPAAL (P1).
const DEPTH_FIRST_BY_CHANCE: Rival =
    Rival { options: &["-o", "2"], seed: Some("-r"), against: "RDF", ..UPPAAL };

/// NuSMV, by forward search as P4 changed it.
const NUSMV: Rival = Rival { peer: peer::NUSMV.name, options: &[], seed: None, against: "InvarCheck" };

/// All suites.
pub static SUITES: &[Suite] = &[
    Suite {
        name: "p0",
        about: "shortest traces and proofs: A* and breadth-first search on line segments",
        source: "Kupferschmid, Wehrle: Abstractions and Pattern Databases: The Quest for Succinctness and Accuracy, \
                 TACAS 2011, Table 1",
        families: &[C, D, E],
        beyond: &[],
        ending: "xta",
        work: Work::States,
        configurations: &[
            exact("h^dpr", &["--preset", "mcta-dpr"]),
            exact("h^rd", &["--preset", "mcta-rd"]),
            exact("h^coi", &["--preset", "mcta-coi"]),
            exact("h^L", &["--search", "astar", "--heuristic", "hl"]),
            exact("BFS", &["--preset", "uppaal-bfs"]),
        ],
        duels: &[("BFS", "h^L"), ("h^L", "h^dpr"), ("h^rd", "h^dpr"), ("h^coi", "h^dpr")],
        rivals: &[TCHECKER, UPPAAL],
    },
    Suite {
        name: "p1",
        about: "errors found by greedy search, beside depth-first search by chance",
        source: "Hoffmann, Smaus, Rybalchenko, Kupferschmid, Podelski: Using Predicate Abstraction to Generate Heuristic \
                 Functions in UPPAAL, MoChArt 2006, Tables 1 to 3",
        families: &[FA, FB, M, N, &C1_TO_C6],
        beyond: &[C[8]],
        ending: "xta",
        work: Work::TimedStates,
        configurations: P1,
        duels: &[("RDF", "h^U"), ("h^L", "h^U"), ("RDF", "Syntax-b2"), ("h^U", "ARMC-b3-r4")],
        rivals: &[TCHECKER, DEPTH_FIRST_BY_CHANCE],
    },
    Suite {
        name: "p2",
        about: "abstraction databases: A* on Promela models, beside the older heuristics of HSF-SPIN",
        source: "Edelkamp, Lluch-Lafuente: Abstraction in Directed Model Checking, ICAPS 2004 workshop on Connecting \
                 Planning Theory with Practice, Tables 1 and 2",
        families: &[AIRCON],
        beyond: LARGER_AIRCON,
        ending: "pml",
        work: Work::States,
        configurations: &[
            exact("h = 0", &["--search", "bfs"]),
            Configuration { shortest: false, ..exact("h_m", &["--preset", "hsf-fsm", "--improve", TRACE]) },
            Configuration { shortest: false, ..exact("h_f", &["--preset", "hsf-formula"]) },
            exact("h_p", &["--search", "astar", "--heuristic", "adb:maps={maps}"]),
            exact("h_p*", &["--search", "astar", "--heuristic", "adb:infer=keep,size=10000000"]),
            exact("h^SCP", &["--search", "astar", "--heuristic", "scp"]),
        ],
        duels: &[("h = 0", "h_p"), ("h = 0", "h_p*"), ("h = 0", "h^SCP")],
        rivals: &[],
    },
    Suite {
        name: "p3",
        about: "errors found fast: greedy search with the heuristics of the causal-graph paper",
        source: "Wehrle, Helmert: The Causal Graph Revisited for Directed Model Checking, SAS 2009, Tables 1 and 2",
        families: &[C, M, N, FA, FB, A],
        beyond: &[],
        ending: "xta",
        work: Work::States,
        configurations: &[
            greedy("d^L", &["--preset", "dl"]),
            greedy("d^U", &["--preset", "du"]),
            greedy("h^L", &["--preset", "mcta-hl"]),
            greedy("h^U", &["--preset", "mcta-hu"]),
            greedy("h^CG", &["--preset", "mcta-cg"]),
            greedy("h^CG safe", &["--preset", "mcta-cg-safe"]),
            greedy("UT", &["--preset", "mcta-ut"]),
            greedy("quick", &["--preset", "quick"]),
            exact("A* h^L", &["--search", "astar", "--heuristic", "hl"]),
            exact("A* h^SCP", &["--search", "astar", "--heuristic", "scp"]),
        ],
        duels: &[("h^CG", "h^CG safe"), ("h^U", "h^CG safe"), ("h^L", "h^U"), ("h^CG safe", "UT")],
        rivals: &[
            Rival { against: "h^CG safe", ..TCHECKER },
            Rival { against: "h^CG safe", ..DEPTH_FIRST_BY_CHANCE },
        ],
    },
    Suite {
        name: "p4",
        about: "faulty circuits searched as sets of states: forward, guided by a symbolic pattern database, and from both \
                sides",
        source: "Qian, Nymeyer: Guided Invariant Model Checking Based on Abstraction and Symbolic Pattern Databases, \
                 TACAS 2004, Table 2",
        families: &[TREE_ARB, DME_RINGS],
        beyond: LARGER_CIRCUITS,
        ending: "smv",
        work: Work::Nodes,
        configurations: &[
            exact("InvarCheck", &["--preset", "nusmv-invar"]),
            exact("GuidedInvarCheck", &["--preset", "nusmv-guided"]),
            exact("both sides", &["--preset", "symbolic-bidirectional"]),
        ],
        duels: &[("InvarCheck", "GuidedInvarCheck"), ("InvarCheck", "both sides")],
        rivals: &[NUSMV],
    },
];

/// The suite of that name.
pub fn find(name: &str) -> Option<&'static Suite> {
    SUITES.iter().find(|suite| suite.name == name)
}

impl Suite {
    /// All instances: the rows of the paper's table, then more.
    pub fn instances(&self) -> impl Iterator<Item = &'static Instance> {
        self.in_paper().chain(self.beyond)
    }

    /// The rows of the paper's table.
    pub(crate) fn in_paper(&self) -> impl Iterator<Item = &'static Instance> {
        self.families.iter().copied().flatten()
    }

    /// The columns of its table: ours, then those that only the paper has.
    pub fn columns(&self) -> Vec<Column> {
        let papers = || columns(self.name);
        let ours = self.configurations.iter().map(|configuration| Column {
            name: configuration.name,
            configuration: Some(configuration),
            printed: papers().any(|name| name == configuration.name),
        });
        let theirs = papers().filter(|name| self.configurations.iter().all(|ours| ours.name != *name));
        ours.chain(theirs.map(|name| Column { name, configuration: None, printed: true })).collect()
    }
}
