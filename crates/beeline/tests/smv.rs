//! SMV on the command line: reading, showing, converting, asking, replaying.

mod common;

use common::{beeline, directory, file};
use serde_json::json;

const COUNTER: &str = "-- counts to 3, if asked
MODULE main
VAR n : counter(go);
IVAR go : boolean;
INVARSPEC NAME low := n.x < 2;
SPEC AG AF n.x = 0
MODULE counter(up)
VAR x : 0..3; kind : {even, odd};
ASSIGN init(x) := 0; next(x) := up & x < 3 ? x + 1 : x;
  kind := x in {0, 2} ? even : odd;
";

#[test]
fn smv_is_read_shown_and_converted() {
    let dir = directory("smv");
    let path = file(&dir, "counter.smv", COUNTER);
    let info = beeline(["info", &path]).exits(0);
    for part in ["relation counter: 3 variables", "n.x in 0..3", "input go", "low: INVARSPEC n.x < 2"] {
        assert!(info.out.contains(part), "{part}: {}", info.out);
    }
    let text = beeline(["convert", &path, "--to", "beeline"]).exits(0).out;
    let again = file(&dir, "counter.beeline", &text);
    let hash = |path: &str| beeline(["info", path, "--json"]).exits(0).json()["model_hash"].clone();
    assert_eq!(hash(&again), hash(&path));
}

#[test]
fn each_specification_has_its_answer() {
    let dir = directory("smv-check");
    let path = file(&dir, "counter.smv", COUNTER);
    let run = beeline(["check", &path]).exits(1);
    assert!(
        run.out.contains("2 steps, replayed by the kernel; no trace is shorter (certificate"),
        "{}",
        run.out
    );
    assert!(run.out.contains("the operator `AF` is not supported here"), "{}", run.out);
    let run = beeline(["check", &path, "-p", "AG n.y = 1"]).exits(2);
    assert!(run.err.contains("`y` is not declared in `n`"), "{}", run.err);
    beeline(["check", &path, "-p", "AG n.x < 3"]).exits(1);
    beeline(["check", &path, "-p", "AG n.x < 4"]).exits(0);
    for preset in ["nusmv-invar", "symbolic-bidirectional"] {
        let result = beeline(["check", &path, "-p", "AG n.x < 3", "--preset", preset, "--json"]).exits(1);
        let result = result.json()["results"][0].clone();
        assert_eq!(result["config"]["engine"], "symbolic");
        assert_eq!(result["trace"]["length"], 3, "{result}");
    }
    let more = file(&dir, "more.smv", "SPEC AG n.x < 3; LTLSPEC F n.x = 3");
    let run = beeline(["check", &path, "-q", &more]).exits(1);
    assert!(
        run.out.contains("SPEC AG n.x < 3") && run.out.contains("F p is about infinite runs"),
        "{}",
        run.out
    );
    let wrong = file(&dir, "wrong.smv", "SPEC AG n.x < 3; SPEC AG");
    assert!(beeline(["check", &path, "-q", &wrong]).exits(2).err.contains("wrong.smv:1:25"));
}

#[test]
fn mistakes_are_shown_at_their_places() {
    let dir = directory("smv-errors");
    let path = file(&dir, "wrong.smv", "MODULE main\nVAR x : 0..3;\nASSIGN next(x) := x + 1;\nINIT y\n");
    let run = beeline(["check", &path]).exits(2);
    for part in
        ["wrong.smv:3:19", "cannot be assigned 4", "with x = 3", "wrong.smv:4:6", "`y` is not declared"]
    {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
    let path = file(&dir, "unsupported.smv", "MODULE main\nVAR x : integer;\n");
    assert!(beeline(["check", &path]).exits(4).err.contains("unsupported.smv:2:9"));
}

#[test]
fn traces_have_the_forms_of_nusmv() {
    let dir = directory("smv-trace");
    let path = file(&dir, "counter.smv", COUNTER);
    let info = beeline(["info", &path, "--json"]).exits(0).json();
    let state = |x: i64| json!({ "n.x": x, "n.kind": x % 2 });
    let step = |x: i64| json!({ "delay": "0", "inputs": { "go": 1 }, "state": state(x) });
    let trace = json!({
        "format": "beeline-trace", "version": 1, "model_hash": info["model_hash"], "property": "A[] 'n.x' < 2",
        "initial": state(0), "steps": [step(1), step(2)],
    });
    let trace = file(&dir, "t.json", trace.to_string());
    let run = beeline(["replay", &path, &trace, "--trace", "nusmv"]).exits(0);
    let expected = "-- invariant n.x < 2  is false
-- as demonstrated by the following execution sequence
Trace Description: Counterexample
Trace Type: Counterexample
  -> State: 1.1 <-
    n.x = 0
    n.kind = even
  -> Input: 1.2 <-
    go = TRUE
  -> State: 1.2 <-
    n.x = 1
    n.kind = odd
  -> Input: 1.3 <-
  -> State: 1.3 <-
    n.x = 2
    n.kind = even
";
    assert_eq!(run.out, expected);
    let run = beeline(["check", &path, "-p", "low", "--trace", "nusmv"]).exits(1);
    assert_eq!(run.out, expected);
    let run = beeline(["replay", &path, &trace, "--trace", "nusmv-xml"]).exits(0);
    assert!(run.out.contains("<value variable=\"n.kind\">odd</value>"), "{}", run.out);
    let network = common::model("fischer-bug.beeline");
    let run = beeline(["check", &network, "-p", "1", "--trace", "nusmv"]).exits(1);
    assert!(run.err.contains("only traces of relations have the form `nusmv`"), "{}", run.err);
}
