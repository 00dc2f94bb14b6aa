//! Both engines on both forms of models: what works, and what is refused by name.

use crate::common;

use common::{beeline, directory, file, model};
use serde_json::Value;

const PROCESSES: &str = "MODULE main
VAR turn : 1..2; a : process user(turn, 1); b : process user(turn, 2);
ASSIGN init(turn) := 1;
INVARSPEC !(a.state = critical & b.state = critical)
INVARSPEC !(b.state = critical)
MODULE user(turn, me)
VAR state : {idle, critical};
ASSIGN
  init(state) := idle;
  next(state) := case state = idle & turn = me : critical; state = critical : {critical, idle}; TRUE : state; esac;
  next(turn) := state = critical & next(state) = idle ? 3 - me : turn;
";

/// Verdict, length, engine and search of every answer.
fn answers(args: &[&str], exit: i32) -> Vec<(Value, Value, Value, Value)> {
    let run = beeline(args.iter().copied().chain(["--json"])).exits(exit).json();
    let results = run["results"].as_array().cloned().unwrap_or_default();
    let answer = |r: &Value| {
        let config = &r["config"];
        (
            r["verdict"].clone(),
            r["trace"]["length"].clone(),
            config["engine"].clone(),
            config["search"].clone(),
        )
    };
    results.iter().map(answer).collect()
}

#[test]
fn relations_go_to_either_engine() {
    let dir = directory("engines-relation");
    let path = file(&dir, "processes.smv", PROCESSES);
    let with = |options: &[&str]| answers(&[&["check", &path], options].concat(), 1);
    let expected = |engine: &str, search: &str| {
        let engine = (Value::from(engine), Value::from(search));
        vec![
            ("holds".into(), Value::Null, engine.0.clone(), engine.1.clone()),
            ("violated".into(), 3.into(), engine.0, engine.1),
        ]
    };
    assert_eq!(with(&[]), expected("symbolic", "forward"));
    assert_eq!(with(&["--direction", "backward"]), expected("symbolic", "backward"));
    assert_eq!(with(&["--engine", "explicit", "--search", "bfs"]), expected("explicit", "bfs"));
    // What only the explicit engine has asks for it.
    assert_eq!(with(&["--heuristic", "hl"]), expected("explicit", "astar"));
}

#[test]
fn networks_go_to_either_engine() {
    let path = model("philosophers.beeline");
    let lengths = |options: &[&str]| -> Vec<(Value, Value)> {
        let answers = answers(&[&["check", &path], options].concat(), 1);
        answers.into_iter().map(|(verdict, length, ..)| (verdict, length)).collect()
    };
    let explicit = lengths(&["--engine", "explicit", "--search", "bfs"]);
    for direction in ["forward", "backward", "bidirectional", "guided"] {
        assert_eq!(lengths(&["--engine", "symbolic", "--direction", direction]), explicit);
    }
    let symbolic = answers(&["check", &path, "--direction", "backward"], 1);
    assert!(symbolic.iter().all(|(_, _, engine, _)| engine == "symbolic"), "{symbolic:?}");
}

#[test]
fn digital_clocks_find_shortest_traces() {
    let (path, queries) = (model("fischer-fa.xta"), model("fischer-fa.q"));
    for engine in ["explicit", "symbolic"] {
        let answers = answers(&["check", &path, "-q", &queries, "--engine", engine, "--mode", "shortest"], 1);
        assert_eq!(answers[0].1, 8, "{answers:?}");
    }
}

/// Databases of networks see locations, integers and clocks; a process stands for all it has.
#[test]
fn networks_are_guided_by_databases() {
    let (path, queries) = (model("fischer-fa.xta"), model("fischer-fa.q"));
    let all = ["check", &path, "-q", &queries, "--engine", "symbolic", "--json", "--spdb"];
    for (spdb, seen) in [("cegar", None), ("depth=0", None), ("hide=id", Some("id"))] {
        let result = beeline([&all[..], &[spdb]].concat()).exits(1).json()["results"][0].clone();
        assert_eq!(result["trace"]["length"], 8, "{spdb}: {result}");
        let config = &result["config"];
        assert_eq!(
            (&config["search"], &config["heuristic"][0]),
            (&"guided".into(), &format!("spdb:{spdb}").into())
        );
        let variables = config["databases"][0]["variables"].as_array().expect("variables");
        assert!(seen.is_none_or(|seen| variables.iter().all(|name| *name != seen)), "{variables:?}");
        assert!(variables.iter().any(|name| name.as_str().is_some_and(|name| name.ends_with(".location"))));
    }
    let run = beeline([&all[..], &["hide=idd"]].concat()).exits(2);
    let said = "the model has no such variable; did you mean `id`?";
    assert!(run.err.contains(said) || run.out.contains(said), "{} {}", run.out, run.err);
}

#[test]
fn what_an_engine_cannot_do_is_refused_by_name() {
    let dir = directory("engines-refused");
    let refused = |args: &[&str], what: &str| {
        let run = beeline(args.iter().copied()).exits(4);
        assert!(run.out.contains(what), "{what}: {}", run.out);
    };
    let strict = model("fischer.beeline");
    refused(&["check", &strict, "--engine", "symbolic"], "does not support strict clock constraints");
    let path = file(&dir, "processes.smv", PROCESSES);
    let symbolic = ["check", &path, "--engine", "symbolic", "--heuristic", "hl"];
    refused(&symbolic, "is for the explicit engine");
    let run = beeline(["check", &path, "--engine", "explicit", "--direction", "backward"]).exits(2);
    assert!(run.err.contains("--direction is for --engine symbolic"), "{}", run.err);
}
