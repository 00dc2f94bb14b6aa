//! The public UPPAAL models give the answers that are known of them: verdicts and shortest lengths from papers,
//! documentation and other tools. The files are no part of the project; where they are absent the test says so.

use crate::common;

use common::beeline;
use std::path::{Path, PathBuf};

/// What is known of one query.
enum Known {
    /// Reachable, and the length of a shortest trace.
    Shortest(u64),
    Reachable,
    Unreachable,
}
use Known::{Reachable, Shortest, Unreachable};

const DRIVING: &str = "E<> AKT1.Driving and AKT2.Driving";
const BOTH_CS: &str = "E<> P1.cs and P2.cs";

const ANSWERS: &[(&str, &str, Known)] = &[
    ("mcta/C1_StLS.xml", DRIVING, Shortest(54)),
    ("mcta/C3_derived.xta", DRIVING, Shortest(54)),
    ("mcta/C4_derived.xta", DRIVING, Shortest(55)),
    ("mcta/M1_mutex.xta", UNSAFE, Shortest(47)),
    ("mcta/A2_generated.xml", "E<> Client_1.work and Client_2.work", Shortest(12)),
    ("mcta/FA5.xta", "E<> Obs.error", Shortest(8)),
    ("mcta/FB5.xta", BOTH_CS, Shortest(6)),
    ("xtasuite/critical-2-25-50.xta", "E<> ProdCell(1).error", Shortest(5)),
    ("xtasuite/exSITH.xta", "A[] not A.qBad", Shortest(3)),
    ("xtasuite/csma-2.xta", "E<> Station(0).transm && Station(1).transm", Shortest(2)),
    ("xtasuite/soldiers.xta", "E<> E.Escape", Reachable),
    ("mcta/C1_safe20.xta", DRIVING, Unreachable),
    ("mcta/FBsafe5.xta", BOTH_CS, Unreachable),
    ("xtasuite/fischer-2-32-64.xta", "A[] not (P(1).cs && P(2).cs)", Unreachable),
    ("xtasuite/fischer-5-32-64.xta", "A[] not (P(1).cs && P(2).cs)", Unreachable),
    ("xtasuite/lynch-2-16.xta", "A[] not (P(1).CS7 && P(2).CS7)", Unreachable),
    (
        "demo/train-gate.xml",
        "A[] forall (i : id_t) forall (j : id_t) Train(i).Cross && Train(j).Cross imply i == j",
        Unreachable,
    ),
    ("comprtmc/leader_stateless_a.xml", "A[] !s.error", Unreachable),
];

#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uppaal");
    if !folder.is_dir() {
        println!("skipped: the public models are not here");
        return None;
    }
    Some(folder)
}

#[test]
fn known_verdicts_and_lengths() {
    let Some(folder) = folder() else { return };
    for (file, query, known) in ANSWERS {
        let path = folder.join(file).display().to_string();
        // Proofs of the larger ones take a minute and show nothing that the smaller ones do not.
        let certify = if file.contains("derived") { "never" } else { "auto" };
        let run = beeline(["check", &path, "-p", query, "--json", "--quiet", "--certify", certify]);
        let result = run.json()["results"][0].clone();
        let reachable = !matches!(known, Unreachable);
        assert_eq!(result["reachable"], reachable, "{file}: {query}: {result}");
        if let Shortest(length) = known {
            assert_eq!(result["trace"]["length"], *length, "{file}: {query}");
            assert_ne!(result["trace"]["shortest"], "no", "{file}: {query}");
        }
    }
}

const UNSAFE: &str = "E<> S1.I_am_unsafe and S2.I_am_unsafe";

/// A model whose error is found by every directed search: its file, its query, the length of a shortest trace.
const DIRECTED: [(&str, &str, u64); 2] = [("C1_StLS.xml", DRIVING, 54), ("M1_mutex.xta", UNSAFE, 47)];

/// The only answer of a check of one of MCTA's models.
fn directed(folder: &Path, file: &str, query: &str, options: &[&str]) -> serde_json::Value {
    let path = folder.join("mcta").join(file).display().to_string();
    beeline(["check", &path, "-p", query, "--json"].iter().chain(options)).json()["results"][0].clone()
}

#[test]
fn astar_finds_the_shortest_traces_sooner_than_breadth_first_search() {
    let Some(folder) = folder() else { return };
    for (file, query, length) in DIRECTED {
        let expanded = |result: &serde_json::Value| result["stats"]["expanded"].as_u64().unwrap();
        let astar = directed(&folder, file, query, &["--heuristic", "hl"]);
        assert_eq!(
            (&astar["config"]["search"], &astar["trace"]["length"]),
            (&"astar".into(), &length.into())
        );
        assert_ne!(astar["trace"]["shortest"], "no", "{file}");
        let bfs = directed(&folder, file, query, &["--certify", "never"]);
        assert!(expanded(&astar) < expanded(&bfs), "{file}: {} {}", astar["stats"], bfs["stats"]);
    }
}

#[test]
fn greedy_search_finds_the_errors_by_every_heuristic() {
    let Some(folder) = folder() else { return };
    for (file, query, length) in DIRECTED {
        for heuristic in ["dl", "du", "hl", "hu", "cg", "ut", "contexts", "novelty"] {
            let found = directed(&folder, file, query, &["--search", "greedy", "--heuristic", heuristic]);
            assert_eq!(found["trace"]["replayed"], true, "{file} {heuristic}: {}", found["reason"]);
            assert!(found["trace"]["length"].as_u64() >= Some(length), "{file} {heuristic}");
            assert_eq!(found["trace"]["shortest"], "no", "{file} {heuristic}");
        }
    }
}

/// Safe variables as printed in Table 2 of Wehrle and Helmert, SAS 2009, and errors found without them.
#[test]
fn safe_variables_are_those_of_the_paper() {
    let Some(folder) = folder() else { return };
    for (file, query, number) in [
        ("C1_StLS.xml", DRIVING, 0),
        ("C3_derived.xta", DRIVING, 1),
        ("C4_derived.xta", DRIVING, 2),
        ("C9_STLS.xta", DRIVING, 5),
        ("M1_mutex.xta", UNSAFE, 0),
    ] {
        let path = folder.join("mcta").join(file).display().to_string();
        let info = beeline(["info", &path, "-p", query, "--json"]).exits(0).json()["info"].clone();
        assert_eq!(info["safe_variables"], number, "{file}: {}", info["safe"]);
    }
    for file in ["C3_derived.xta", "C4_derived.xta"] {
        let found = directed(&folder, file, DRIVING, &["--preset", "mcta-cg-safe"]);
        assert_eq!(found["trace"]["replayed"], true, "{file}: {}", found["reason"]);
        let removed = found["config"]["safe_abstraction"]["removed"].as_array().unwrap();
        assert!(!removed.is_empty() && found["trace"]["length"].as_u64() >= Some(54), "{file}: {removed:?}");
    }
}

/// The requirements of the gearbox controller, which its authors state to be satisfied.
#[test]
fn the_gear_controller_meets_its_requirements() {
    let Some(folder) = folder() else { return };
    let path = folder.join("xtasuite/engine.xta").display().to_string();
    let run = beeline(["check", &path, "--json", "--quiet"]);
    let json = run.json();
    let results = json["results"].as_array().unwrap();
    assert!(results.len() > 40, "{}", results.len());
    for result in results {
        assert_ne!(result["verdict"], "violated", "{result}");
    }
}

#[test]
fn the_structure_the_papers_print() {
    let Some(folder) = folder() else { return };
    for (file, automata, variables) in [
        ("C1_StLS.xml", 5, 15),
        ("C3_derived.xta", 6, 18),
        ("C4_derived.xta", 7, 20),
        ("C9_STLS.xta", 10, 28),
        ("M1_mutex.xta", 3, 15),
    ] {
        let path = folder.join("mcta").join(file).display().to_string();
        let info = beeline(["info", &path, "--json"]).exits(0).json()["info"].clone();
        let count = |what: &str| info[what].as_array().unwrap().len();
        assert_eq!(
            (count("processes"), count("variables") + count("clocks")),
            (automata, variables),
            "{file}"
        );
        let text = beeline(["info", &path]).exits(0).out;
        assert!(text.contains(&format!("{automata} automata, {variables} variables")), "{text}");
    }
}
