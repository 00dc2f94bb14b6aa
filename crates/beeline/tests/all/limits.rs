//! Limits and interrupts are reasons, never crashes: exit 3, with what is known so far.

use crate::common;

use common::{Run, beeline, command, directory, huge};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn unknown(run: Run, reason: &str) {
    let json = run.exits(3).json();
    let result = &json["results"][0];
    assert_eq!(result["verdict"], "unknown");
    assert_eq!(result["reason"], reason);
    assert!(result["reachable"].is_null() && result["trace"].is_null());
    assert_eq!(result["certificate"], "none");
    assert!(result["stats"]["expanded"].as_u64() > Some(0));
}

#[test]
fn limits_exit_3() {
    let path = huge(&directory("limits"));
    unknown(beeline(["check", &path, "--json", "--state-limit", "5000"]), "state limit reached");
    let bfs = ["check", &path, "--json", "--search", "bfs"];
    unknown(beeline(bfs.iter().chain(&["--memory-limit", "2MiB"])), "memory limit reached");
    unknown(beeline(bfs.iter().chain(&["--time-limit", "200ms"])), "time limit reached");
    let run = beeline(["check", &path, "--state-limit", "5000"]).exits(3);
    assert!(run.out.starts_with("unknown  far: "), "{}", run.out);
    assert!(run.out.contains("state limit reached"), "{}", run.out);
    assert!(run.out.contains("no trace has fewer than"), "{}", run.out);
}

#[test]
fn an_interrupt_prints_what_is_known() {
    let dir = directory("interrupt");
    let path = huge(&dir);
    // The signal may come before the program listens, and then just ends it; a later one does not.
    for wait in [200, 400, 800, 1_600, 3_200] {
        let run = interrupted(&dir, &["check", &path, "--json", "--search", "bfs"], wait);
        if run.code.is_some() {
            unknown(run, "interrupted");
            return;
        }
    }
    panic!("the signal is never handled");
}

/// What a command says that is sent a signal after so many milliseconds.
fn interrupted(dir: &Path, command_line: &[&str], wait: u64) -> Run {
    let child = command(dir).args(command_line).args(["--time-limit", "60s"]).spawn().expect("a process");
    std::thread::sleep(Duration::from_millis(wait));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("a signal");
    child.wait_with_output().expect("its output").into()
}

/// Some trace is better than none.
#[test]
fn an_interrupt_leaves_the_trace_that_was_found() {
    let dir = directory("interrupt-known");
    // A tree of 63 arbiters: greedy search goes straight to the error, and no search knows that nothing is shorter.
    let path = dir.join("tree.xta").display().to_string();
    beeline(["generate", "arbiter-tree", "--n", "6", "--faulty", "-o", &path]).exits(0);
    for wait in [1_000, 2_000, 4_000, 8_000, 16_000] {
        let run = interrupted(&dir, &["check", &path, "--json"], wait);
        // By then the greedy search may not have had its turn yet.
        if run.code != Some(1) {
            continue;
        }
        let json = run.json();
        let result = &json["results"][0];
        assert_eq!((&result["verdict"], &result["reason"]), (&"violated".into(), &Value::Null));
        assert_eq!(
            (&result["trace"]["shortest"], &result["trace"]["replayed"]),
            (&"no".into(), &true.into())
        );
        assert!(result["lower_bound"].as_u64() < result["trace"]["length"].as_u64());
        assert!(result["stats"]["expanded"].as_u64() > Some(0));
        assert_eq!(result["config"]["search"], "greedy");
        return;
    }
    panic!("no trace is ever found");
}

/// Heuristics are made before the search, within the same limits.
#[test]
fn limits_hold_while_heuristics_are_made() {
    let path = huge(&directory("making"));
    for heuristic in ["hl", "cg", "contexts"] {
        let run = beeline(["check", &path, "--json", "--heuristic", heuristic, "--memory-limit", "20kB"]);
        let json = run.exits(3).json();
        let result = &json["results"][0];
        assert_eq!(
            (&result["verdict"], &result["reason"]),
            (&"unknown".into(), &"memory limit reached".into())
        );
        assert_eq!(result["stats"]["expanded"], 0);
    }
}
