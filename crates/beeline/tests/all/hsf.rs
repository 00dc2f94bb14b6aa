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

/// Two variables that are replaced by the truth of a predicate had their values looked up, all the same, where everything has
/// to be kept (somebody receives over whatever channel a value says).
#[test]
fn predicates_where_everything_is_kept() {
    let dir = directory("hsf-kept");
    let model = "network n var v in 0..1 var ch in 0..1 = 1 broadcast chan c
        process P { location a location b edge a -> b { guard v == 0 && ch == 1 receive *(ch) } edge a -> a { do { v := 1; } } }
        process Q { location a edge a -> a { send c } } property : E<> P.b";
    let path = file(&dir, "kept.beeline", model);
    let maps = file(&dir, "kept.maps", "predicate: v < ch\n");
    let heuristic = format!("adb:maps={maps}");
    let run = beeline(["check", &path, "--json", "--search", "astar", "--heuristic", &heuristic]).exits(0);
    assert_eq!((length(&run), &result(&run)["reachable"]), (1, &true.into()));
}

/// Elements of arrays have classes, too; what no class could be is said with its place.
#[test]
fn maps_of_arrays_and_what_is_wrong_with_maps() {
    let dir = directory("hsf-arrays");
    let text = "byte level[2] = 3; byte i; byte noise;
        active proctype P() { do
          :: level[i] < 9 -> level[i] = level[i] + 1
          :: level[i] > 0 -> level[i] = level[i] - 1
          :: i = 1 - i
          :: noise = (noise + 1) % 4
        od }
        active proctype Q() { atomic { level[0] == 9 && level[1] == 0 -> assert(false) } }";
    let path = file(&dir, "levels.pml", text);
    let check = |maps: &str| {
        let heuristic = format!("adb:maps={}", file(&dir, "now.maps", maps));
        let question = ["check", &path, "-p", "assertions", "--json", "--search", "astar"];
        beeline(question.iter().chain(&["--heuristic", &heuristic]))
    };
    let blind = beeline(["check", &path, "-p", "assertions", "--json", "--search", "bfs"]).exits(1);
    let expanded = |run: &Run| result(run)["stats"]["expanded"].as_u64().expect("a number");
    let ranges = check("level: ranges 1 5 9\nnoise: drop").exits(1);
    assert_eq!(length(&ranges), length(&blind));
    assert!(2 * expanded(&ranges) < expanded(&blind), "{} {}", expanded(&ranges), expanded(&blind));
    assert!(ranges.out.contains("level in 4 classes"), "{}", ranges.out);
    // Added up, with each label counting once, they are no longer than the trace.
    let sum =
        check("level: ranges 5 9\nothers: drop\ndatabase\ni: keep\nP: keep\nQ: keep\nothers: drop").exits(1);
    assert_eq!(length(&sum), length(&blind));
    for (maps, message) in [
        (
            "levle: drop",
            "now.maps:1:1: the model has no automaton, integer or clock `levle` (did you mean `level`?)",
        ),
        ("noise: ranges 4 300", "now.maps:1:1: a class that begins at 300 leaves one without values"),
        ("\nnoise: classes {1..4} {3}", "now.maps:2:24: some of these values are in a set already"),
        ("noise: classes {1000}", "now.maps:1:1: 1000 is no value of it: `noise` has values from 0 to 255"),
        ("P: parity", "now.maps:1:1: `P` has no values that could be in classes"),
        ("predicate: noise <", "now.maps:1:12:"),
        ("predicate: level[0] < 3", "now.maps:1:12: a predicate is about variables that are no arrays"),
        ("predicate: noise < i", "more than 1024 combinations of values"),
    ] {
        let run = check(maps).exits(2);
        assert!((run.out.clone() + &run.err).contains(message), "{maps}: {run:?}");
    }
}

/// On the public Promela models with an error, A* with an abstraction database expands fewer states than breadth-first search
/// but for two that are tiny, and its traces are as short.
#[test]
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn public_models_with_an_error_take_fewer_states() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/promela");
    if !folder.is_dir() {
        println!("skipped: the public models are not here");
        return;
    }
    let models = [
        ("spin/ex_1f.pml", "1"),
        ("spin/ex_3a.pml", "2"),
        ("spin/ex_3c.pml", "1"),
        ("spin/ex_4.pml", "1"),
        ("spin/p107.pml", "1"),
        ("spin/p117.pml", "2"),
        ("spin/p312.pml", "1"),
        ("spin/p319.pml", "1"),
        ("spin/sat.pml", "1"),
        ("spins/second.pml", "1"),
    ];
    let mut fewer = 0;
    for (name, property) in models {
        let path = folder.join(name).display().to_string();
        let check = |how: [&str; 2]| {
            let question = ["check", &path, "-p", property, "--json", "--certify", "never"];
            beeline(question.iter().chain(&how)).exits(1)
        };
        let (blind, guided) = (check(["--search", "bfs"]), check(["--preset", "hsf-adb"]));
        assert_eq!(length(&blind), length(&guided), "{name}");
        let expanded = |run: &Run| result(run)["stats"]["expanded"].as_u64().expect("a number");
        fewer += u32::from(expanded(&guided) < expanded(&blind));
    }
    assert!(fewer >= 8, "{fewer} of 10");
}

/// Traces of SMV models become shorter, whether they are in JSON or as NuSMV prints them.
#[test]
fn traces_of_relations_are_made_shorter() {
    let dir = directory("hsf-smv");
    let text = "MODULE main
        VAR x : 0..20; go : boolean; w : {a, b, c};
        IVAR jump : boolean;
        ASSIGN init(x) := {0, 1}; init(w) := a;
          next(x) := case go & jump & x < 18 : x + 3; x < 20 : x + 1; TRUE : 0; esac;
          next(w) := case x > 3 : {b, c}; TRUE : w; esac;
        INVARSPEC !(x = 12 & w = c)";
    let path = file(&dir, "jump.smv", text);
    // 0 to 12 by ones, with a variable that is printed only where it changes.
    let mut printed = "-- specification is false\n".to_string();
    for number in 1..=13 {
        printed += &format!(
            "  -> Input: 1.{number} <-\n    jump = FALSE\n  -> State: 1.{number} <-\n    x = {}\n",
            number - 1
        );
        printed += match number {
            1 => "    go = FALSE\n    w = a\n",
            6 => "    w = c\n",
            _ => "",
        };
    }
    let nusmv = file(&dir, "printed.txt", &printed);
    let json = dir.join("long.json").display().to_string();
    let found = format!("json={json}");
    let options = ["--engine", "explicit", "--search", "dfs", "--json", "--trace", &found];
    let long = beeline(["check", &path].iter().chain(&options)).exits(1);
    for (trace, steps) in [(&nusmv, 12), (&json, length(&long))] {
        for more in [&[][..], &["--heuristic", "hamming"]] {
            let short = beeline(["check", &path, "--improve", trace, "--json"].iter().chain(more)).exits(1);
            assert!(length(&short) <= steps, "{trace}: {}", length(&short));
            if more.is_empty() {
                assert_eq!((length(&short), &result(&short)["trace"]["shortest"]), (4, &"certified".into()));
            }
        }
    }
    for (text, message) in [
        ("  -> State: 1.1 <-\n    x = 77\n", "line 2: `77` is no value of `x`"),
        ("  -> State: 1.1 <-\n    x = 7\n", "does not say what `go` is"),
        (
            "  -> State: 1.1 <-\n    x = 7\n    go = TRUE\n    w = a\n",
            "no run of the model follows these states",
        ),
        ("nothing", "neither a trace in JSON nor what NuSMV has printed"),
    ] {
        let run = beeline(["check", &path, "--improve", &file(&dir, "wrong.txt", text)]).exits(2);
        assert!(run.err.contains(message), "{}", run.err);
    }
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
