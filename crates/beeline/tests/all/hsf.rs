//! What HSF-SPIN does, on the command line: deadlocks found by counting who can move, traces made shorter, databases with
//! maps, a genetic algorithm.

use crate::common::{Run, beeline, directory, file};
use serde_json::Value;

fn result(run: &Run) -> Value {
    run.json()["results"][0].clone()
}

fn length(run: &Run) -> u64 {
    let result = result(run);
    result["trace"]["length"].as_u64().unwrap_or_else(|| panic!("{result}"))
}

/// Each takes the own fork first.
const PHILOSOPHERS: &str = "bit taken[N];
    active [N] proctype P() { do
      :: atomic { taken[_pid] == 0 -> taken[_pid] = 1 };
         atomic { taken[(_pid + 1) % N] == 0 -> taken[(_pid + 1) % N] = 1 };
         taken[(_pid + 1) % N] = 0; taken[_pid] = 0
      od }";

/// Caches on a bus: who wants a line locks its own and asks the next one to give it up, which may want the same.
const SNOOP: &str =
    "mtype = { invalid, shared, owned }; mtype line[N] = invalid; bit locked[N]; chan bus = [1] of { byte };
    active [N] proctype Cache() { do
      :: line[_pid] == invalid -> atomic { locked[_pid] == 0 -> locked[_pid] = 1 };
         atomic { locked[(_pid + 1) % N] == 0 -> locked[(_pid + 1) % N] = 1 };
         line[_pid] = owned; line[(_pid + 1) % N] = invalid; locked[(_pid + 1) % N] = 0; locked[_pid] = 0
      :: line[_pid] != invalid -> line[_pid] = shared; bus!_pid; bus?_; line[_pid] = invalid
      od }";

#[test]
fn deadlocks_of_thirty_processes_are_found() {
    let dir = directory("hsf-deadlocks");
    for (name, text) in [("philosophers", PHILOSOPHERS), ("snoop", SNOOP)] {
        let path = file(&dir, &format!("{name}.pml"), format!("#define N 30\n{text}"));
        let question = ["check", &path, "-p", "valid-end-states", "--json", "--search", "greedy"];
        let run =
            beeline(question.iter().chain(&["--heuristic", "active", "--state-limit", "10000"])).exits(1);
        let expanded = result(&run)["stats"]["expanded"].as_u64().expect("a number");
        assert!(expanded < 1000, "{name}: {expanded}");
    }
}

/// A trace of depth-first search becomes shorter, never longer, whether it is in JSON or a trail; a trace that is a
/// shortest one stays.
#[test]
fn traces_are_made_shorter() {
    let dir = directory("hsf-improve");
    let path = dir.join("aircon.pml").display().to_string();
    beeline(["generate", "aircon", "--n", "1", "-o", &path]).exits(0);
    for format in ["json", "trail"] {
        let trace = dir.join(format!("long.{format}")).display().to_string();
        let found = format!("{format}={trace}");
        let long =
            beeline(["check", &path, "-p", "1", "--search", "dfs", "--json", "--trace", &found]).exits(1);
        for more in [&["--improve", &trace][..], &["--preset", "hsf-fsm", "--improve", &trace]] {
            let short = beeline(["check", &path, "--json"].iter().chain(more)).exits(1);
            assert!(length(&short) < length(&long), "{} and {}", length(&short), length(&long));
        }
        for heuristic in ["hamming", "fsm:labels=each", "hl"] {
            let run =
                beeline(["check", &path, "--json", "--improve", &trace, "--heuristic", heuristic]).exits(1);
            assert!(length(&run) <= length(&long), "{heuristic}");
            // A lower bound makes the trace a shortest one.
            assert_eq!(result(&run)["trace"]["shortest"] == "no", heuristic != "hl", "{heuristic}");
        }
    }
    let best = dir.join("best.json").display().to_string();
    let found = format!("json={best}");
    let short = beeline(["check", &path, "-p", "1", "--search", "bfs", "--json", "--trace", &found]).exits(1);
    let again = beeline(["check", &path, "--improve", &best, "--json"]).exits(1);
    assert_eq!((length(&again), &result(&again)["trace"]["shortest"]), (length(&short), &"by-search".into()));
    // Where a limit comes first, what was known is the answer.
    let stopped = beeline(["check", &path, "--improve", &best, "--json", "--state-limit", "10"]).exits(1);
    assert_eq!((length(&stopped), &result(&stopped)["trace"]["shortest"]), (length(&short), &"no".into()));
    // Traces of Promela models in JSON had a field that was not known when they were read.
    beeline(["replay", &path, &best]).exits(0);
}

#[test]
fn traces_that_are_none_are_refused() {
    let dir = directory("hsf-refused");
    let path = dir.join("aircon.pml").display().to_string();
    beeline(["generate", "aircon", "--n", "1", "-o", &path]).exits(0);
    for (text, message) in [
        ("1:0:999\n", "no run of the model follows the trail"),
        ("hello", "line 1 is neither of a trail"),
        ("{}", "only traces that `--trace json` has written"),
    ] {
        let trace = file(&dir, "wrong.trail", text);
        let run = beeline(["check", &path, "--improve", &trace]).exits(2);
        assert!(run.err.contains(message), "{}", run.err);
    }
    let run = beeline(["check", &path, "--heuristic", "fsm"]).exits(2);
    assert!((run.out.clone() + &run.err).contains("--improve TRACE"), "{run:?}");
    let run = beeline(["check", &path, "--improve", "x", "--search", "bfs"]).exits(2);
    assert!(!run.err.is_empty(), "{run:?}");
}

/// Databases with maps are kept for later runs, and those of other maps are not taken for them.
#[test]
fn databases_of_maps_are_kept() {
    let dir = directory("hsf-maps");
    let path = dir.join("aircon.pml").display().to_string();
    beeline(["generate", "aircon", "--n", "1", "-o", &path]).exits(0);
    let cache = dir.join("cache").display().to_string();
    let _ = std::fs::remove_dir_all(&cache);
    let check = |maps: &str| {
        let maps = file(&dir, "now.maps", maps);
        let heuristic = format!("adb:maps={maps}");
        let question = ["check", &path, "-p", "1", "--json", "--search", "astar", "--heuristic", &heuristic];
        let run = beeline(question.iter().chain(&["--pdb-cache", &cache])).exits(1);
        assert_eq!(length(&run), 32);
        result(&run)["config"]["remarks"][0].as_str().unwrap_or_default().to_string()
    };
    assert!(check("temp: ranges 15 22").contains("saved to"));
    assert!(check("temp: ranges 15 22").contains("read from"));
    assert!(check("temp: ranges 15 21").contains("saved to"));
    assert!(check("predicate: temp < 15\npredicate: temp > 20 && busy == 1").contains("saved to"));
}

#[test]
fn a_genetic_algorithm_finds_errors_and_proves_nothing() {
    let dir = directory("hsf-genetic");
    let faulty = dir.join("faulty.pml").display().to_string();
    let correct = dir.join("correct.pml").display().to_string();
    beeline(["generate", "aircon", "--n", "2", "-o", &faulty]).exits(0);
    beeline(["generate", "aircon", "--n", "2", "--correct", "-o", &correct]).exits(0);
    let options = ["--search", "genetic", "--heuristic", "formula", "--json", "-p", "1"];
    let run = beeline(["check", &faulty].iter().chain(&options)).exits(1);
    assert!(length(&run) >= 32);
    let more = ["--generations", "3"];
    let run = beeline(["check", &correct].iter().chain(&options).chain(&more)).exits(3);
    assert_eq!(result(&run)["verdict"], "unknown");
}
