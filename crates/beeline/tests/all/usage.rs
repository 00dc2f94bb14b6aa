//! Wrong usage, malformed models, help, and the small commands.

use crate::common;

use beeline::options::{COMMANDS, OPTIONS};
use common::{beeline, directory, file, model};

#[test]
fn wrong_usage_exits_2_and_says_why() {
    let path = model("fischer.beeline");
    let wrong: &[(&[&str], &str)] = &[
        (&[], "Usage"),
        (&["chek", &path], "check"),
        (&["check"], "MODEL"),
        (&["check", &path, "--search", "a-star"], "random-dfs"),
        (&["check", &path, "--serch", "bfs"], "--search"),
        (&["check", &path, "--threads", "0"], "from 1"),
        (&["check", &path, "--time-limit", "soon"], "60s"),
        (&["check", &path, "--memory-limit", "4 apples"], "4GiB"),
        (&["check", &path, "--state-limit", "0"], "at least 1"),
        (&["check", &path, "--mode", "shortest", "--search", "dfs"], "take bfs"),
        (&["check", &path, "--json", "--trace", "dot"], "--trace"),
        (&["check", &path, "--trace", "dot", "--trace", "itf"], "one format"),
        (&["check", &path, "--trace", "svg"], "itf"),
        (&["check", &path, "--certify", "never", "--certificate", "c"], "--certify never"),
        (&["check", &path, "-p", "mutx"], "mutex"),
        (&["check", &path, "-p", "0"], "from 1 to 3"),
        (&["check", &path, "-p", "4"], "from 1 to 3"),
        (&["check", &path, "-p", "A[] !(P1.cs && P4.cs)"], "P4"),
        (&["check", &path, "-q", "no-such-file"], "no-such-file"),
        (&["check", &path, "--state-limit", "10x"], "10k"),
        (&["check", "no-such-file.beeline"], "cannot be read"),
        (&["check", "-"], "not read from standard input"),
        (&["info", &path, "--json", "--dot"], "--json and --dot exclude each other"),
        (&["info", &path, "--dot", "--dot-automata"], "exclude each other"),
        (&["info", &path, "-p", "mutx"], "mutex"),
        (&["list", "dogs"], "searches"),
    ];
    for (args, hint) in wrong {
        let run = beeline(*args).exits(2);
        assert!(run.err.contains(hint), "{args:?}: {}", run.err);
        assert_eq!(run.out.is_empty(), !args.contains(&"--json"), "{args:?}");
    }
}

#[test]
fn help_names_every_option() {
    assert!(beeline(["--help"]).exits(0).out.contains("Exit codes"));
    assert!(beeline(["--version"]).exits(0).out.starts_with("beeline "));
    for command in COMMANDS {
        let help = beeline([command.name, "--help"]).exits(0).out;
        for option in OPTIONS.iter().filter(|o| o.commands.contains(&command.name)) {
            assert!(help.contains(&format!("--{}", option.name)), "{} --{}", command.name, option.name);
        }
        // The list of presets once took the place of everything else: a word to a line, five hundred columns to the right.
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(110), "{}: {widest:?}", command.name);
    }
}

#[test]
fn malformed_models_exit_2_with_the_place() {
    let dir = directory("malformed");
    let path =
        file(&dir, "m.beeline", "network m\nvar x in 0..3\nprocess P { init a location a edge a -> b }\n");
    let run = beeline(["check", &path]).exits(2);
    assert!(run.err.contains("m.beeline:3:"), "{}", run.err);
    assert!(run.err.contains("process P { init a location a edge a -> b }"), "{}", run.err);
    let json = beeline(["check", &path, "--json"]).exits(2).json();
    assert_eq!(json["diagnostics"][0]["line"], 3);
    assert_eq!(json["results"], serde_json::json!([]));
    for command in ["info", "convert"] {
        beeline([command, &path]).exits(2);
    }
}

#[test]
fn excerpts_of_files_with_cr_lf_end_like_others() {
    let text = "network m\r\nvar x in 0..3\r\nprocess P { init a location a edge a -> b }\r\n";
    let run = beeline(["check", &file(&directory("crlf"), "m.beeline", text)]).exits(2);
    assert!(run.err.contains("edge a -> b }\n") && !run.err.contains('\u{240d}'), "{}", run.err);
}

#[test]
fn limits_take_decimals_and_thousands() {
    let path = model("fischer.beeline");
    beeline(["check", &path, "--time-limit", "60.5s", "--state-limit", "10k"]).exits(0);
    beeline(["check", &path, "--state-limit", "0.01k", "--memory-limit", "1.5GiB"]).exits(3);
}

#[test]
fn truncated_and_hostile_models_exit_2() {
    let dir = directory("hostile");
    let text = std::fs::read_to_string(model("ring-buffer.beeline")).unwrap();
    let last = text.rfind("property").unwrap();
    for at in (0..last).step_by(67).filter(|at| text.is_char_boundary(*at)) {
        let path = file(&dir, "cut.beeline", &text[..at]);
        let run = beeline(["info", &path]);
        // A cut between two items leaves a smaller model, which is fine.
        assert!(matches!(run.code, Some(0 | 2)), "{at}: {run:?}");
        assert_eq!(run.code == Some(2), !run.err.is_empty(), "{at}: {run:?}");
    }
    let deep = format!("network d\nproperty : A[] {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let texts: [&[u8]; 5] = [b"", b"\0\0\0", b"\xef\xbb\xbf", b"network \xff\n", deep.as_bytes()];
    for bytes in texts {
        let path = file(&dir, "h.beeline", bytes);
        let run = beeline(["check", &path]).exits(2);
        assert!(run.err.contains("h.beeline"), "{}", run.err);
    }
    beeline(["check", &dir.display().to_string()]).exits(2);
}

#[test]
fn other_languages_exit_4() {
    let dir = directory("languages");
    let run = beeline(["check", &file(&dir, "m.tck", "")]).exits(4);
    assert!(run.err.contains("TChecker models are not read yet"), "{}", run.err);
}

#[test]
fn an_unsupported_construct_exits_4_with_the_place() {
    let dir = directory("unsupported");
    let text = "network u\nclock x\nurgent chan c\n\
                process P { init a location a edge a -> a { when x > 5 send c } }\n\
                process Q { init a location a edge a -> a { receive c } }\nproperty : E<> x > 9\n";
    let run = beeline(["check", &file(&dir, "u.beeline", text)]).exits(4);
    assert!(run.err.starts_with("unsupported[") && run.err.contains("u.beeline:4:"), "{}", run.err);
}

#[test]
fn names_cannot_paint_the_terminal() {
    let dir = directory("paint");
    let text = "network 'n\\u{1b}[31m'\nprocess 'P\\u{1b}[31m\\u{202e}' { init a location a location 'b\\n' edge a -> 'b\\n' }\n\
                property 'holds\\n' : A[] 'P\\u{1b}[31m\\u{202e}'.a\n";
    let path = file(&dir, "m.beeline", text);
    for args in [&["check", &path][..], &["info", &path], &["check", &path, "--trace", "dot"]] {
        let run = beeline(args);
        assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
        assert!(!run.out.contains(['\u{1b}', '\u{202e}']), "{args:?}: {}", run.out);
        assert!(!run.out.contains("b\n ") && !run.out.contains("holds\n"), "{args:?}: {}", run.out);
    }
}

#[test]
fn info_counts_what_is_there() {
    let json = beeline(["info", &model("crossing.beeline"), "--json"]).exits(0).json();
    let info = &json["info"];
    assert_eq!(info["processes"].as_array().unwrap().len(), 4);
    assert_eq!(info["clocks"], serde_json::json!(["Train1.x", "Train2.x", "Controller.z", "Barrier.y"]));
    assert_eq!(info["schemas"], serde_json::json!({ "internal": 4, "pairs": 15, "broadcasts": 0 }));
    assert_eq!((&info["slots"], &info["bits"]), (&5.into(), &10.into()));
    let text = beeline(["info", &model("crossing.beeline")]).exits(0).out;
    assert!(text.contains("4 internal, 15 pairs, 0 broadcasts"), "{text}");
}

#[test]
fn info_draws_automata_and_causal_graph() {
    let path = model("crossing.beeline");
    let dot = beeline(["info", &path, "--dot-automata"]).exits(0).out;
    assert!(dot.starts_with("digraph \"crossing\" {") && dot.trim_end().ends_with('}'), "{dot}");
    assert!(dot.contains("subgraph cluster_3 {"), "{dot}");
    let run = beeline(["info", &model("fischer.beeline"), "--dot", "-p", "entered"]).exits(0);
    let expected = "digraph \"fischer\" {
  node [fontname=\"monospace\"];
  label=\"E<> P3.cs\";
  f0 [shape=box, label=\"P1\"];
  f1 [shape=box, label=\"P2\"];
  f2 [shape=box, style=bold, peripheries=2, label=\"P3\"];
  f3 [shape=ellipse, label=\"id\"];
  f3 -> f0 [label=5];
  f3 -> f1 [label=5];
  f3 -> f2 [label=5];
  f0 -> f3 [label=2];
  f1 -> f3 [label=2];
  f2 -> f3 [label=2];
}
";
    assert_eq!((run.out.as_str(), run.err.as_str()), (expected, ""));
    let run = beeline(["info", &model("traffic-light.beeline"), "--dot"]).exits(4);
    assert!(run.out.is_empty() && run.err.contains("--dot-automata"), "{run:?}");
    beeline(["info", &model("traffic-light.beeline"), "--dot-automata"]).exits(0);
}

#[test]
fn what_the_causal_graph_leaves_out_is_said() {
    let dir = directory("large-graph");
    let counter = |i: usize| {
        format!(
            "var v{i} in 0..1\nvar w{i} in 0..9\nprocess P{i} {{ init a location a edge a -> a {{ \
                 guard v{i} == 0 do {{ v{i} := 1; w{i} := 1; }} }} }}\n"
        )
    };
    let text = (0..252).map(counter).collect::<String>().replace("w7 in 0..9", "w7 in 0..9999");
    let wide = "process W { init a location a edge a -> a { guard w7 < 9999 do { w7 := w7 + 1; } } }";
    let path = file(&dir, "m.beeline", format!("network m\n{text}{wide}\nproperty : E<> v0 == 1\n"));
    let run = beeline(["info", &path, "--dot"]).exits(0);
    assert!(run.err.contains("note: not in the graph, for their many values: w7\n"), "{}", run.err);
    assert!(run.err.contains("note: 502 nodes; `sfdp`"), "{}", run.err);
    assert!(run.out.contains("f0 -> f1;\n") && !run.out.contains("\"w7\""), "{}", run.out);
}

/// Two counters that go round by themselves, one of them asked about in half of the properties; a guard reads the other.
const SAFE: &str = "network s
var a in 0..2
var b in 0..2
process Counters { init l location l
  edge l -> l { do { a := (a + 1) % 3; } }
  edge l -> l { do { b := (b + 1) % 3; } } }
process Lamp { init off location off location on edge off -> on edge on -> off }
process Goal { init s location s location t edge s -> t { guard a == 1 } }
property first : E<> Goal.t
property second : A[] b + Goal.t < 3
";

#[test]
fn info_says_what_is_safe_to_remove() {
    let path = file(&directory("safe"), "m.beeline", SAFE);
    let text = beeline(["info", &path]).exits(0).out;
    assert!(
        text.contains("\n1 safe variable: a; 1 safe automaton: Lamp (more for some properties)\n"),
        "{text}"
    );
    let first =
        "  1  first: E<> Goal.t\n       2 safe variables: a, b; 1 safe automaton: Lamp\n  2  second: ";
    assert!(text.contains(first) && text.ends_with("< 3\n"), "{text}");
    let json = beeline(["info", &path, "--json"]).exits(0).json();
    let of = |object: &serde_json::Value| (object["safe"].clone(), object["safe_variables"].clone());
    assert_eq!(of(&json["info"]), (serde_json::json!(["a", "Lamp"]), 1.into()));
    assert_eq!(of(&json["info"]["properties"][0]), (serde_json::json!(["a", "b", "Lamp"]), 2.into()));
    assert_eq!(of(&json["info"]["properties"][1]), of(&json["info"]));
    let one = beeline(["info", &path, "-p", "first"]).exits(0).out;
    assert!(
        one.contains("\n2 safe variables: a, b; 1 safe automaton: Lamp\n") && !one.contains("more"),
        "{one}"
    );
    // What `check` says it has removed is what `info` says is safe.
    let json = beeline(["check", &path, "--json", "--safe-abstraction", "--mode", "any", "-p", "first"]);
    let json = json.exits(0).json();
    let mut removed = json["results"][0]["config"]["safe_abstraction"]["removed"].as_array().unwrap().clone();
    removed.sort_by_key(ToString::to_string);
    assert_eq!(removed, ["Lamp", "a", "b"]);
}

#[test]
fn info_looks_at_a_hundred_properties() {
    let dir = directory("hundred");
    let path = file(&dir, "m.beeline", SAFE);
    let queries = file(&dir, "q", "E<> Goal.t\n".repeat(101));
    let run = beeline(["info", &path, "-q", &queries]).exits(0);
    assert!(run.out.contains("Lamp (only the first 100 properties were looked at)\n"), "{}", run.out);
    let json = beeline(["info", &path, "-q", &queries, "--json"]).exits(0).json();
    let numbers = |at: usize| json["info"]["properties"][at]["safe_variables"].clone();
    assert_eq!((numbers(99), numbers(100)), (2.into(), serde_json::Value::Null));
}

#[test]
fn convert_prints_a_text_that_reads_back() {
    let dir = directory("convert");
    for name in ["fischer.beeline", "alternating-bit.beeline", "traffic-light.beeline"] {
        let text = beeline(["convert", &model(name), "--to", "beeline"]).exits(0).out;
        let path = file(&dir, "again.beeline", &text);
        assert_eq!(beeline(["convert", &path]).exits(0).out, text);
        let hash = |path: &str| beeline(["info", path, "--json"]).exits(0).json()["model_hash"].clone();
        assert_eq!(hash(&path), hash(&model(name)));
    }
}

#[test]
fn lists_say_what_there_is() {
    assert!(beeline(["list", "searches"]).exits(0).out.contains("random-dfs"));
    let heuristics = beeline(["list", "heuristics"]).exits(0).out;
    for entry in beeline_heuristics::HEURISTICS {
        assert!(heuristics.contains(entry.paper) && heuristics.contains(entry.cost), "{heuristics}");
    }
    let presets = beeline(["list", "presets"]).exits(0).out;
    assert!(presets.contains("means --search greedy --heuristic cg --safe-abstraction"), "{presets}");
}

#[test]
fn the_manual_is_up_to_date() {
    for (page, args) in [("options", &["manual"][..]), ("heuristics", &["manual", "--heuristics"])] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/{page}.md"));
        let written = std::fs::read_to_string(path).unwrap_or_default();
        let command = args.join(" ");
        assert!(written == beeline(args).exits(0).out, "run `beeline {command} > docs/{page}.md`");
    }
}
