//! Random Promela models by several searches of the command: the same verdicts and lengths, whatever is chosen, and
//! whether steps are counted as statements or as Spin does.

use crate::common;

use beeline_testkit::generate::promela::promela;
use beeline_testkit::random::Random;
use common::{beeline, directory, file};
use serde_json::Value;

/// Verdict and least length of every property.
fn answers(path: &str, options: &[&str]) -> Vec<(Value, Value)> {
    let common = ["check", path, "--json", "--state-limit", "100k"];
    let found = beeline(common.iter().chain(options)).json();
    let results = found["results"].as_array().expect("results");
    results.iter().map(|r| (r["verdict"].clone(), r["trace"]["length"].clone())).collect()
}

#[test]
fn searches_agree_on_random_models() {
    let given = std::env::var("BEELINE_MODELS").ok().and_then(|n| n.parse().ok());
    let folder = directory("random-promela");
    for seed in 1..=given.unwrap_or(12) {
        let text = promela(Random::new(seed)).text;
        let path = file(&folder, &format!("{seed}.pml"), &text);
        for length in ["steps", "spin"] {
            let wanted = answers(&path, &["--length", length, "--search", "bfs", "--certify", "never"]);
            if wanted.iter().any(|(verdict, _)| verdict == "unknown") {
                continue;
            }
            for options in [
                &[][..],
                &["--search", "astar", "--heuristic", "hl"],
                &["--search", "bfs", "--reduce", "on", "--cone"],
            ] {
                let found = answers(&path, &[&["--length", length], options].concat());
                assert_eq!(found, wanted, "seed {seed}, {length} {options:?}\n{text}");
            }
        }
    }
}
