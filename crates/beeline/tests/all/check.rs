//! `beeline check`: verdicts, exit codes, JSON, files.

use crate::common;

use common::{beeline, directory, file, model};
use serde_json::Value;

const COUNTER: &str = "network counter
var n in 0..3
process P { init a location a edge a -> a { guard n < 3 do { n := n + 1; } } }
";

#[test]
fn a_property_that_holds_exits_0() {
    let run = beeline(["check", &model("fischer.beeline"), "-p", "mutex"]).exits(0);
    assert!(run.out.starts_with("holds  mutex: A[] !(P1.cs && P2.cs)"), "{}", run.out);
    assert!(run.out.contains("certificate checked by the kernel"), "{}", run.out);
    assert_eq!(run.err, "");
}

#[test]
fn a_violated_property_exits_1_with_a_shortest_trace() {
    let run = beeline(["check", &model("fischer-bug.beeline")]).exits(1);
    assert!(run.out.starts_with("violated  mutex: "), "{}", run.out);
    assert!(
        run.out.contains("6 steps, replayed by the kernel; no trace is shorter (certificate"),
        "{}",
        run.out
    );
    assert!(run.out.contains("P1: idle -> req  guard id == 0  do x := 0"), "{}", run.out);
    assert!(run.out.contains("id: 0 -> "), "{}", run.out);
    assert!(!run.out.contains('\u{1b}'), "no colours in a pipe");
}

#[test]
fn a_run_time_error_exits_5_and_is_a_warning_elsewhere() {
    let run = beeline(["check", &model("ring-buffer.beeline"), "-p", "safe"]).exits(5);
    assert!(run.out.contains("fails: index out of bounds"), "{}", run.out);
    let run = beeline(["check", &model("ring-buffer.beeline"), "-p", "filled"]).exits(0);
    assert!(run.out.contains("warning: a label fails at run time: index out of bounds"), "{}", run.out);
    let run =
        beeline(["check", &model("ring-buffer.beeline"), "-p", "filled", "--runtime-errors", "disable"]);
    assert!(!run.exits(0).out.contains("warning"));
}

#[test]
fn engines_are_for_their_models() {
    let light = model("traffic-light.beeline");
    let config = beeline(["check", &light, "--json"]).exits(0).json()["results"][0]["config"].clone();
    assert_eq!((&config["engine"], &config["search"]), (&"symbolic".into(), &"forward".into()));
    for arguments in [["--engine", "explicit"], ["--search", "dfs"], ["--heuristic", "hl"]] {
        let run = beeline(["check", &light, "--json"].into_iter().chain(arguments)).exits(0);
        assert_eq!(run.json()["results"][0]["config"]["engine"], "explicit", "{arguments:?}");
    }
    // It has strict bounds on clocks.
    let network = model("fischer.beeline");
    for arguments in
        [["check", &network, "--engine", "symbolic"], ["check", &network, "--preset", "nusmv-invar"]]
    {
        let run = beeline(arguments).exits(4);
        assert!(run.out.contains("unsupported: "), "{arguments:?}: {}", run.out);
    }
}

#[test]
fn a_refused_question_leaves_the_others_their_answers() {
    let dir = directory("refused");
    let text = "network m\nprocess P { init a location a location b edge a -> b { } }\n\
                property : A<> P.b\nproperty : E<> P.b\n";
    let path = file(&dir, "m.beeline", text);
    let run = beeline(["check", &path, "--json"]).exits(4);
    let results = run.json()["results"].clone();
    assert_eq!((&results[0]["verdict"], &results[0]["property"]), (&"unknown".into(), &"A<> P.b".into()));
    assert!(results[0]["reason"].as_str().unwrap().starts_with("unsupported: `A<>`"), "{results}");
    assert_eq!(results[1]["verdict"], "holds");
    beeline(["check", &path, "-p", "2"]).exits(0);
    beeline(["check", &path, "-p", "E[] P.a"]).exits(4);
    beeline(["check", &path, "-p", "no-runtime-error"]).exits(0);
}

#[test]
fn a_property_that_fails_after_a_complete_search_has_no_bound() {
    let dir = directory("fails");
    let text = "network n\nvar a[2] in 0..1\nvar i in 0..3\n\
                process P { init s location s edge s -> s { guard i < 3 do { i := i + 1; } } }\n\
                property : A[] a[i] == 0\n";
    let path = file(&dir, "m.beeline", text);
    let run = beeline(["check", &path]).exits(3);
    assert!(run.out.contains("the property itself fails at run time"), "{}", run.out);
    assert!(!run.out.contains("no trace has fewer") && !run.out.contains("waiting"), "{}", run.out);
    assert!(beeline(["check", &path, "--json"]).exits(3).json()["results"][0]["lower_bound"].is_null());
}

#[test]
fn only_clocks_that_are_set_are_shown_between_start_and_end() {
    let dir = directory("clocks");
    let text = "network n\nclock x\nclock y\nprocess P { init a location a location b location c location d\n\
                edge a -> b { when x >= 2 }\nedge b -> c { when x >= 3 do { y := 0; } }\nedge c -> d { when y >= 1 } }\n\
                property : E<> P.d\n";
    let run = beeline(["check", &file(&dir, "m.beeline", text)]).exits(0);
    let clocks: Vec<&str> = run.out.lines().map(str::trim).filter(|line| line.contains(" = ")).collect();
    assert_eq!(clocks, ["P = a", "x = 0, y = 0", "y = 0", "x = 4, y = 1"], "{}", run.out);
}

#[test]
fn files_are_probed_before_the_search_and_nothing_to_write_is_said() {
    let dir = directory("probe");
    let holds = model("fischer.beeline");
    let run = beeline(["check", &holds, "--trace", "json=no/such/dir/t.json"]).exits(2);
    assert!(run.out.is_empty() && run.err.contains("cannot be written"), "{run:?}");
    let trace = file(&dir, "t.json", "old");
    let run = beeline(["check", &holds, "-p", "mutex", "--trace", &format!("json={trace}")]).exits(0);
    assert!(run.err.contains("no trace to write to") && run.err.contains("is older"), "{run:?}");
    assert_eq!(std::fs::read_to_string(trace).unwrap(), "old");
}

#[test]
fn the_worst_property_counts() {
    let dir = directory("worst");
    let path = file(
        &dir,
        "m.beeline",
        format!("{COUNTER}property : A[] n <= 3\nproperty : E<> n == 3\nproperty : A[] n < 2\n"),
    );
    let run = beeline(["check", &path, "--quiet"]).exits(1);
    let words: Vec<&str> = run.out.lines().map(|l| l.split("  ").next().unwrap()).collect();
    assert_eq!(words, ["holds", "holds", "violated"]);
}

#[test]
fn a_model_without_properties_is_explored() {
    let dir = directory("explored");
    let path = file(&dir, "m.beeline", COUNTER);
    let run = beeline(["check", &path]).exits(1);
    assert!(run.out.contains("violated  no-deadlock: A[] !deadlock"), "{}", run.out);
    assert!(run.out.contains("holds  no-runtime-error"), "{}", run.out);
    assert!(run.out.contains("4 reachable states"), "{}", run.out);
    let json = beeline(["check", &path, "--json"]).exits(1).json();
    assert_eq!(json["reachable_states"]["discrete"], 4);
    assert_eq!(json["results"].as_array().unwrap().len(), 2);
}

#[test]
fn json_has_the_names_of_the_contract() {
    let json = beeline(["check", &model("fischer-bug.beeline"), "--json"]).exits(1).json();
    for name in ["beeline", "model", "model_hash", "results"] {
        assert!(!json[name].is_null(), "{name}");
    }
    let result = &json["results"][0];
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for name in [
        "property",
        "verdict",
        "reachable",
        "reason",
        "trace",
        "certificate",
        "certificate_note",
        "lower_bound",
        "config",
        "stats",
    ] {
        assert!(keys(result).contains(&name.to_string()), "{name}");
    }
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["reachable"], true);
    assert_eq!(result["certificate"], "kernel");
    assert_eq!(result["lower_bound"], 6);
    let trace = &result["trace"];
    assert_eq!((&trace["length"], &trace["shortest"]), (&6.into(), &"certified".into()));
    assert_eq!(trace["replayed"], true);
    assert_eq!(trace["steps"].as_array().unwrap().len(), 6);
    assert!(trace["steps"][0]["delay"].is_string() && trace["steps"][0]["label"].is_string());
    for name in ["search", "heuristic", "engine", "h_initial"] {
        assert!(keys(&result["config"]).contains(&name.to_string()), "{name}");
    }
    for name in [
        "expanded",
        "generated",
        "evaluated",
        "stored",
        "reopened",
        "subsumed",
        "dead_ends",
        "preprocess_seconds",
        "search_seconds",
        "check_seconds",
        "total_seconds",
        "peak_bytes",
    ] {
        assert!(result["stats"][name].is_number(), "{name}");
    }
}

#[test]
fn the_certificate_grade_follows_the_trace() {
    let path = model("fischer-bug.beeline");
    for (option, shortest) in
        [("--certify=never", "by-search"), ("--mode=any", "no"), ("--certify=always", "certified")]
    {
        let json = beeline(["check", &path, "--json", option]).exits(1).json();
        let result = &json["results"][0];
        assert_eq!(result["trace"]["shortest"], shortest);
        assert_eq!(result["certificate"] == "kernel", shortest == "certified");
        assert_eq!(result["certificate_note"].is_null(), shortest == "certified");
    }
}

/// The output without what may differ between two runs.
fn timeless(mut value: Value) -> Value {
    fn clear(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|key, _| !key.ends_with("_seconds") && key != "peak_bytes");
                map.values_mut().for_each(clear);
            }
            Value::Array(list) => list.iter_mut().for_each(clear),
            _ => {}
        }
    }
    clear(&mut value);
    value
}

#[test]
fn the_same_run_twice_says_the_same() {
    for name in ["fischer-bug.beeline", "crossing.beeline", "philosophers.beeline", "alternating-bit.beeline"]
    {
        for options in [&["--json"][..], &["--json", "--search", "random-dfs", "--seed", "7"]] {
            let path = model(name);
            let args = ["check", &path].into_iter().chain(options.iter().copied()).collect::<Vec<_>>();
            assert_ne!(beeline(&args).code, Some(70), "{name} {options:?}");
            assert_eq!(
                timeless(beeline(&args).json()),
                timeless(beeline(&args).json()),
                "{name} {options:?}"
            );
        }
    }
}

#[test]
fn every_search_and_abstraction_gives_the_same_verdicts() {
    for name in ["fischer.beeline", "fischer-bug.beeline", "crossing.beeline", "ring-buffer.beeline"] {
        let verdicts = |options: &[&str]| {
            let run = beeline(["check", &model(name), "--json"].iter().chain(options));
            let json = run.json();
            let results = json["results"].as_array().unwrap().clone();
            (run.code, results.iter().map(|r| r["verdict"].clone()).collect::<Vec<_>>())
        };
        let expected = verdicts(&[]);
        assert_ne!(expected.0, Some(70), "{name}");
        for search in ["bfs", "dfs", "random-dfs"] {
            for extrapolation in ["auto", "m", "m+", "lu", "lu+"] {
                let options = ["--search", search, "--extrapolation", extrapolation];
                assert_eq!(verdicts(&options), expected, "{name} {options:?}");
            }
        }
        assert_eq!(verdicts(&["--mode", "prove"]), expected, "{name}");
    }
}

#[test]
fn properties_are_chosen_by_name_number_text_or_file() {
    let path = model("fischer.beeline");
    let property = |args: &[&str]| {
        let json = beeline(["check", &path, "--json"].iter().chain(args)).exits(0).json();
        json["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["property"].as_str().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(property(&["-p", "entered"]), ["E<> P3.cs"]);
    assert_eq!(property(&["-p", "2"]), ["E<> P3.cs"]);
    assert_eq!(
        property(&["-p", "E<> P1.cs && id == 1", "-p", "no-deadlock"]),
        ["E<> P1.cs && id == 1", "A[] !deadlock"]
    );
    let dir = directory("chosen");
    let file = file(&dir, "q", "// comment\n\nE<> P1.cs\nproperty two : A[] id <= 3\n");
    assert_eq!(property(&["-q", &file]), ["E<> P1.cs", "A[] id <= 3"]);
    assert_eq!(property(&["-q", &file, "-p", "two"]), ["A[] id <= 3"]);
}

#[test]
fn several_properties_write_numbered_files() {
    let dir = directory("numbered");
    let (trace, certificate) = (dir.join("t.json"), dir.join("c.bin"));
    let options =
        [format!("--trace=json={}", trace.display()), format!("--certificate={}", certificate.display())];
    beeline(["check", &model("fischer.beeline"), &options[0], &options[1]]).exits(0);
    let mut names: Vec<String> =
        std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["c-1.bin", "c-2.bin", "c-3.bin", "t-2.json"]);
}

#[test]
fn the_trace_is_printed_in_every_format() {
    let path = model("fischer-bug.beeline");
    let shown = |format: &str| beeline(["check", &path, "--trace", format]).exits(1).out;
    assert!(shown("dot").contains("digraph trace {"));
    assert!(shown("itf").contains("\"format\": \"ITF\""));
    assert!(shown("json").contains("\"format\": \"beeline-trace\""));
    assert_eq!(shown("text").lines().count(), beeline(["check", &path]).out.lines().count());
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    let mut command = common::command(&directory("gone"));
    let mut child = command.args(["check", &model("fischer-bug.beeline")]).spawn().unwrap();
    drop(child.stdout.take());
    let run: common::Run = child.wait_with_output().unwrap().into();
    assert_eq!(run.exits(1).err, "");
}
