//! SMV on the command line: reading, showing, converting, asking, replaying.

use crate::common;

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
    for preset in ["nusmv-invar", "nusmv-guided", "symbolic-bidirectional"] {
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

/// A counter of which only the last of three digits matters, and one that does not stop at an error.
const DIGITS: &str = "MODULE main
VAR a : digit(TRUE); b : digit(a.carry); c : digit(b.carry); other : array 0..1 of 0..3;
ASSIGN init(other[0]) := 0; next(other[0]) := {0, 1, 2, 3};
INVARSPEC NAME low := c.x < 2;
INVARSPEC NAME always := c.x < 3;
MODULE digit(up)
VAR x : 0..3;
ASSIGN init(x) := 0; next(x) := up ? (x + 1) mod 3 : x;
DEFINE carry := up & x = 2;
";

#[test]
fn guided_search_says_what_has_guided_it() {
    let dir = directory("smv-guided");
    let path = file(&dir, "digits.smv", DIGITS);
    let check = |more: &[&str]| beeline([&["check", &path, "-p", "low", "--json"], more].concat());
    let result = |more: &[&str]| check(more).exits(1).json()["results"][0].clone();
    for (spdb, seen, steps) in
        [("hide=a,b,other", 1, 2), ("hide=b.x", 4, 18), ("depth=0", 1, 2), ("depth=1", 3, 18)]
    {
        let result = result(&["--spdb", spdb]);
        assert_eq!(result["trace"]["length"], 18, "{result}");
        let config = &result["config"];
        assert_eq!(
            (&config["search"], &config["heuristic"][0]),
            (&json!("guided"), &json!(format!("spdb:{spdb}")))
        );
        let database = &config["databases"][0];
        assert_eq!((&database["of"], &database["complete"]), (&json!(5), &json!(true)), "{result}");
        assert_eq!(database["variables"].as_array().map(Vec::len), Some(seen), "{result}");
        let (h, layers) = (config["h_initial"].as_u64(), database["layers"].as_u64());
        assert!(h <= Some(steps) && h > Some(0) && layers > h, "{spdb}: {result}");
        assert!(result["stats"]["total_nodes"].as_u64() > Some(0));
    }
    let several = result(&["--spdb", "hide=a", "--spdb", "hide=other", "--spdb-nodes", "1M"]);
    assert_eq!(
        (&several["trace"]["length"], &several["config"]["h_initial"]),
        (&json!(18), &json!(18)),
        "{several}"
    );
    let refined = result(&["--direction", "guided"]);
    assert_eq!(refined["config"]["heuristic"], json!(["spdb:cegar"]));
    assert_eq!(refined["config"]["databases"][0]["variables"], json!(["a.x", "b.x", "c.x"]), "{refined}");
    assert_eq!(refined["config"]["h_initial"], 18);
    let proof = beeline(["check", &path, "-p", "always", "--preset", "nusmv-guided"]).exits(0);
    assert!(proof.out.contains("database of 1 of 5 variables"), "{}", proof.out);
    for (spdb, said) in [
        ("hide=a,c.y", "hide=c.y: the model has no such variable; did you mean `c.x`?"),
        ("depth=-1", "expected a whole number"),
        ("hide=", "expected the names of variables"),
        ("show=a", "expected cegar, depth=N or hide=X,Y"),
    ] {
        let run = beeline(["check", &path, "-p", "low", "--spdb", spdb]).exits(2);
        assert!(run.err.contains(said) || run.out.contains(said), "{spdb}: {} {}", run.out, run.err);
    }
    let run = beeline(["check", &path, "--spdb", "cegar", "--direction", "forward"]).exits(2);
    assert!(run.err.contains("--spdb is for --direction guided, and this is forward"), "{}", run.err);
}

#[test]
fn symbolic_searches_stop_at_limits_and_run_side_by_side() {
    let dir = directory("smv-limits");
    let path = file(&dir, "digits.smv", DIGITS);
    for direction in ["auto", "forward", "guided"] {
        let all = ["check", &path, "-p", "low", "--direction", direction, "--json"];
        let spdb: &[&str] = if direction == "guided" { &["--spdb", "depth=0"] } else { &[] };
        let run = beeline([&all, spdb, &["--state-limit", "200"]].concat()).exits(3).json();
        let result = &run["results"][0];
        assert_eq!(result["reason"], "state limit reached");
        let bound = result["lower_bound"].as_u64();
        assert!(bound > Some(0) && bound < Some(18), "{result}");
        beeline([&all, spdb, &["--state-limit", "1M"]].concat()).exits(1);
    }
    let two = beeline(["check", &path, "--threads", "2", "--json"]).exits(1).json();
    assert_eq!(two["results"][0]["trace"]["length"], 18);
    assert_eq!(two["results"][1]["verdict"], "holds");
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

/// Models that end, or never begin, hold what they hold for reasons worth knowing.
#[test]
fn models_without_runs_are_warned_about() {
    let dir = directory("smv-runs");
    let warnings = |name: &str, text: &str| {
        let path = file(&dir, name, format!("MODULE main\nVAR x : 0..3;\n{text}\nINVARSPEC x < 3\n"));
        let json = beeline(["check", &path, "--direction", "forward", "--json"]).exits(0).json();
        json["results"][0]["warnings"].clone()
    };
    let ends = warnings("ends.smv", "INIT x = 0\nTRANS x < 2 & next(x) = x + 1");
    assert_eq!(
        ends,
        json!(["some reachable state has no next state: NuSMV's CTL and LTL know infinite runs only"])
    );
    let none = warnings("none.smv", "INIT x = 0 & x = 1");
    assert_eq!(none, json!(["there is no initial state: the model has no behaviour at all"]));
    assert_eq!(warnings("turns.smv", "INIT x = 0\nTRANS next(x) = (x + 1) mod 3"), json!([]));
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
