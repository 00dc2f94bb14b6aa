//! Directed search from the command line: every search with every heuristic, what JSON says of it, wrong wishes, limits,
//! presets and safe abstraction.

use crate::common;

use beeline::options::{SEARCHES, directed};
use beeline::presets::PRESETS;
use beeline_heuristics::HEURISTICS;
use common::{Run, beeline, directory, file, huge, model};
use serde_json::Value;

/// Checks with options and JSON.
fn check(path: &str, options: &[&str]) -> Run {
    beeline(["check", path, "--json"].iter().chain(options))
}

/// The answer to the only question.
fn answer(run: &Run) -> Value {
    let json = run.json();
    assert_eq!(json["results"].as_array().map(Vec::len), Some(1), "{run:?}");
    json["results"][0].clone()
}

/// A directed search and a heuristic that the models here can have.
fn pairs() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    let searches = SEARCHES.iter().map(|(name, _)| *name).filter(|name| directed(name));
    searches.flat_map(|search| {
        // Two of them lead to the end of a trace that is known.
        let plain = HEURISTICS.iter().filter(|entry| !["fsm", "hamming"].contains(&entry.name));
        plain.map(move |entry| {
            let name = match entry.name {
                "heur" => "heur:var=id",
                "pdb" => "pdb:vars=id+P1",
                "user" => "user:id",
                name => name,
            };
            (search, name, entry.properties.admissible)
        })
    })
}

#[test]
fn every_search_with_every_heuristic_finds_the_error() {
    let path = model("fischer-bug.beeline");
    for (search, heuristic, admissible) in pairs() {
        let run = check(&path, &["--search", search, "--heuristic", heuristic]).exits(1);
        let answer = answer(&run);
        let what = format!("{search} {heuristic}: {answer}");
        assert_eq!(
            (&answer["verdict"], &answer["trace"]["replayed"]),
            (&"violated".into(), &true.into()),
            "{what}"
        );
        assert_eq!(answer["config"]["search"], search, "{what}");
        assert_eq!(answer["config"]["heuristic"], serde_json::json!([heuristic]), "{what}");
        assert!(answer["stats"]["evaluated"].as_u64() > Some(0), "{what}");
        // What novelty says of a state depends on those before; it has no estimate for the initial one.
        assert_eq!(answer["config"]["h_initial"].is_null(), heuristic == "novelty", "{what}");
        let length = answer["trace"]["length"].as_u64().unwrap();
        let exact = admissible && ["astar", "anytime", "idastar"].contains(&search);
        if exact {
            assert_eq!(length, 6, "{what}");
            assert!(answer["config"]["h_initial"].as_u64() <= Some(6), "{what}");
        }
        let shortest = answer["trace"]["shortest"].as_str().unwrap();
        assert_eq!(shortest != "no", exact, "{what}");
        assert!(length >= 6, "{what}");
        assert!(shortest != "by-search" || answer["certificate_note"].is_string(), "{what}");
    }
}

#[test]
fn every_search_with_every_heuristic_proves_what_holds() {
    let path = model("fischer.beeline");
    // The genetic search proves nothing.
    for (search, heuristic, _) in pairs().filter(|(search, ..)| *search != "genetic") {
        let run = check(&path, &["--search", search, "--heuristic", heuristic, "-p", "mutex"]).exits(0);
        let answer = answer(&run);
        let what = format!("{search} {heuristic}: {answer}");
        assert_eq!(answer["verdict"], "holds", "{what}");
        assert_eq!(answer["certificate"], "kernel", "{what}");
    }
}

/// Bundled models in which a state is looked for, with the length of a shortest trace.
const REACHED: [(&str, &str, u64); 7] = [
    ("alternating-bit.beeline", "second", 9),
    ("crossing.beeline", "both", 6),
    ("fischer-bug.beeline", "mutex", 6),
    ("fischer.beeline", "entered", 3),
    ("heartbeat.beeline", "alarm", 5),
    ("philosophers.beeline", "opposite", 4),
    ("workers.beeline", "over", 7),
];

#[test]
fn astar_by_hl_is_certified_or_says_why_not() {
    let mut certified = 0;
    for (name, property, length) in REACHED {
        let run = check(&model(name), &["--heuristic", "hl", "-p", property]);
        let answer = answer(&run);
        assert_eq!(answer["config"]["search"], "astar", "{name}");
        assert_eq!(answer["trace"]["length"], length, "{name}");
        match answer["trace"]["shortest"].as_str() {
            Some("certified") => certified += 1,
            Some("by-search") => assert!(answer["certificate_note"].is_string(), "{name}: {answer}"),
            other => panic!("{name}: {other:?}"),
        }
        let bfs = check(&model(name), &["-p", property]);
        let expanded = |run: &Run| run.json()["results"][0]["stats"]["expanded"].as_u64().unwrap();
        // The target itself counts as expanded in one and not in the other.
        assert!(expanded(&run) <= expanded(&bfs) + 1, "{name}");
    }
    assert!(certified >= 5, "{certified}");
}

/// What merging and sharing out costs leave out is held by the rows of projections, and so is how far the target is.
#[test]
fn astar_over_factors_is_certified_or_says_why_not() {
    for heuristic in
        ["ms", "ms:size=20", "aa", "scp", "scp:costs=zero-one", "scp:costs=canonical", "scp:online=5"]
    {
        let mut certified = 0;
        for (name, property, length) in REACHED {
            let args = ["--search", "astar", "--heuristic", heuristic, "--certify", "always", "-p", property];
            let answer = answer(&check(&model(name), &args));
            assert_eq!(answer["trace"]["length"], length, "{heuristic} {name}");
            match answer["trace"]["shortest"].as_str() {
                Some("certified") => certified += 1,
                Some("by-search") => assert!(answer["certificate_note"].is_string(), "{name}: {answer}"),
                other => panic!("{heuristic} {name}: {other:?}"),
            }
        }
        assert!(certified >= 6, "{heuristic}: {certified}");
    }
}

#[test]
fn wrong_wishes_exit_2_with_a_hint() {
    let path = model("fischer.beeline");
    let wrong: &[(&[&str], &str)] = &[
        (&["--search", "astar"], "needs a heuristic: --heuristic NAME"),
        (&["--search", "astra"], "did you mean `astar`?"),
        (&["--heuristic", "hll"], "there is no heuristic `hll` (did you mean `hl`?); there are: dl, du, hl"),
        (&["--heuristic", "ut:j=hl"], "there is no option of heuristic `ut` `j`"),
        (&["--heuristic", "hl:h=hu"], "there are: none"),
        (&["--heuristic", "ut:h=cg"], "there are: hl, hu"),
        (&["--heuristic", "ut:hl"], "write `option=value`"),
        (&["--heuristic", "contexts:h=hz"], "there are: dl, du, hl, hu, cg"),
        (&["--heuristic", "novelty:width=3"], "there are: 1, 2"),
        (
            &["--heuristic", "hu", "--mode", "shortest"],
            "hu may say more than the distance; dl and hl never do",
        ),
        (&["--heuristic", "hl", "--search", "greedy", "--mode", "shortest"], "take bfs, astar"),
        (
            &["--heuristic", "hl", "--heuristic", "cg", "--search", "astar", "--mode", "shortest"],
            "heuristic cg",
        ),
        (&["--heuristic", "hl", "--search", "bfs"], "uses no heuristic"),
        (&["--heuristic", "hl", "--search", "auto"], "chooses heuristics by itself"),
        (&["--preset", "dl", "--search", "dfs"], "leave --heuristic and --preset out"),
        (&["--preset", "mcta-gc"], "did you mean `mcta-cg`?"),
        (&["--safe-abstraction", "--mode", "shortest"], "does not keep lengths"),
        (&["--weight", "3"], "--weight is for --search weighted-astar, and this is auto"),
        (&["--heuristic", "hl", "--weight", "3"], "and this is astar"),
        (&["--heuristic", "hl", "--search", "weighted-astar", "--weight", "0"], "from 1"),
        (&["--heuristic", "hu", "--beam-width", "10"], "is for --search beam"),
        (&["--heuristic", "hl", "--deferred"], "is for --search greedy"),
        (&["--preset", "mcta-hu", "--search", "beam", "--preferred"], "is for --search greedy and anytime"),
    ];
    for (options, hint) in wrong {
        let run = beeline(["check", &path].iter().chain(*options)).exits(2);
        assert!(run.err.contains(hint) && run.out.is_empty(), "{options:?}: {run:?}");
    }
    let run = beeline(["list", "heuristic"]).exits(2);
    assert!(run.err.contains("did you mean `heuristics`?"), "{run:?}");
}

#[test]
fn a_heuristic_that_the_model_cannot_have_exits_2() {
    let run = check(&model("fischer.beeline"), &["--heuristic", "heur", "-p", "mutex"]).exits(2);
    let answer = answer(&run);
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("no integer variable named `heur`") && reason.contains("var="), "{reason}");
}

#[test]
fn presets_mean_what_they_list() {
    let path = model("fischer-bug.beeline");
    // One needs a trace that is known.
    for preset in PRESETS.iter().filter(|preset| preset.name != "hsf-fsm") {
        if let Some(direction) = preset.direction {
            let run =
                check(&model("traffic-light.beeline"), &["--preset", preset.name, "-p", "safe"]).exits(0);
            assert_eq!(answer(&run)["config"]["search"], direction);
            continue;
        }
        let answer = answer(&check(&path, &["--preset", preset.name]).exits(1));
        assert_eq!(answer["config"]["search"], preset.search, "{answer}");
        assert_eq!(answer["config"]["heuristic"], serde_json::json!(preset.heuristics), "{answer}");
        assert_eq!(answer["config"]["safe_abstraction"].is_object(), preset.safe_abstraction, "{answer}");
    }
    let other = answer(&check(&path, &["--preset", "mcta-cg", "--heuristic", "hl", "--search", "astar"]));
    assert_eq!(
        (&other["config"]["search"], &other["trace"]["shortest"]),
        (&"astar".into(), &"certified".into())
    );
}

#[test]
fn several_heuristics_and_their_options_are_named_in_the_answer() {
    let options = ["--heuristic", "ut:h=hu", "--heuristic", "novelty:width=2", "--deferred", "--preferred"];
    let answer = answer(&check(&model("fischer-bug.beeline"), &options).exits(1));
    assert_eq!(answer["config"]["search"], "greedy");
    assert_eq!(answer["config"]["heuristic"], serde_json::json!(["ut:h=hu", "novelty:width=2"]));
    let run = beeline(["check", &model("fischer-bug.beeline"), "--heuristic", "ut:h=hu"]).exits(1);
    assert!(run.out.contains("  greedy by ut:h=hu: "), "{}", run.out);
}

/// A dial that goes round by itself, and a lock that asks for two positions of it.
const LOCK: &str = "network lock
var dial in 0..9
process Dial { init d location d edge d -> d { do { dial := (dial + 1) % 10; } } }
process Lock { init shut location shut location half location open
  edge shut -> half { guard dial == 7 }
  edge half -> open { guard dial == 3 } }
property shut : A[] !Lock.open
property whole : A[] dial <= 9
";

#[test]
fn safe_abstraction_removes_and_puts_back() {
    let path = file(&directory("lock"), "lock.beeline", LOCK);
    let options = ["--safe-abstraction", "--heuristic", "cg", "-p", "shut"];
    let found = answer(&check(&path, &options).exits(1));
    let expected = serde_json::json!({ "removed": ["dial"], "inserted": 13 });
    assert_eq!(found["config"]["safe_abstraction"], expected, "{found}");
    assert_eq!(
        (&found["trace"]["length"], &found["trace"]["shortest"]),
        (&15.into(), &"no".into()),
        "{found}"
    );
    assert_eq!(found["stats"]["expanded"], 3, "{found}");
    let run = beeline(["check", &path].iter().chain(&options)).exits(1);
    assert!(run.out.contains("  greedy by cg without dial (13 steps put back): "), "{}", run.out);
    let holds = answer(&check(&path, &["--safe-abstraction", "-p", "whole"]).exits(0));
    assert_eq!((&holds["verdict"], &holds["certificate"]), (&"holds".into(), &"kernel".into()), "{holds}");
    let run = beeline(["check", &model("fischer.beeline"), "--safe-abstraction", "-p", "mutex"]).exits(0);
    assert!(run.out.contains("bfs (nothing was safe to remove): "), "{}", run.out);
}

#[test]
fn a_run_too_long_to_be_put_back_together_is_no_internal_error() {
    // Each of 600 steps asks for the opposite position of a dial with 1,001 of them.
    let text = LOCK.replace("0..9\n", "0..1000\nvar n in 0..600\n").replace("% 10", "% 1001");
    let edge = |odd: u32, dial: u32| {
        format!(
            "edge shut -> shut {{ guard n < 600 && n % 2 == {odd} && dial == {dial} do {{ n := n + 1; }} }}\n"
        )
    };
    let text = text.replace("property shut", "property turns : A[] n < 600\nproperty shut");
    let text = text
        .replace("  edge shut -> half", &format!("  {}  {}  edge shut -> half", edge(0, 0), edge(1, 500)));
    let path = file(&directory("turns"), "turns.beeline", text);
    let found = answer(&check(&path, &["--safe-abstraction", "--mode", "any", "-p", "turns"]).exits(4));
    let reason = found["reason"].as_str().unwrap();
    assert!(reason.contains("too long to be written down"), "{reason}");
}

#[test]
fn a_beam_that_leaves_states_out_proves_nothing() {
    let options = ["--search", "beam", "--beam-width", "1", "--heuristic", "hl", "-p", "mutex"];
    let answer = answer(&check(&model("fischer.beeline"), &options).exits(3));
    assert_eq!((&answer["verdict"], &answer["reachable"]), (&"unknown".into(), &Value::Null));
    assert!(answer["reason"].as_str().unwrap().contains("states were left out"), "{answer}");
}

#[test]
fn a_limit_leaves_a_lower_bound() {
    let path = huge(&directory("directed-limit"));
    let far = "A[] !(v0 == 99 && v1 == 99 && v2 == 99)";
    // What an iteration of IDA* stores may be less than any limit on states.
    let limits = [
        ("astar", "--time-limit", "300ms"),
        ("astar", "--state-limit", "2000"),
        ("idastar", "--time-limit", "300ms"),
    ];
    for (search, limit, value) in limits {
        let options = ["--search", search, "--heuristic", "hl", "-p", far, limit, value];
        let answer = answer(&check(&path, &options).exits(3));
        assert!(answer["reason"].as_str().unwrap().ends_with("limit reached"), "{search}: {answer}");
        assert_eq!(answer["config"]["h_initial"], 99, "{search}: {answer}");
        assert!(answer["lower_bound"].as_u64() >= Some(99), "{search}: {answer}");
    }
    let options = ["check", &path, "--heuristic", "hl", "-p", far, "--state-limit", "2000"];
    let run = beeline(options).exits(3);
    assert!(run.out.contains("no trace has fewer than ") && run.out.contains("astar by hl: "), "{}", run.out);
}

#[test]
fn a_time_limit_holds_for_every_directed_search() {
    let path = huge(&directory("directed-time"));
    // Each part can be true, both together cannot, which no estimate sees.
    let never = "A[] !(v0 == v1 + 50 && v1 == v0 + 50)";
    for (search, _) in SEARCHES.iter().filter(|(name, _)| directed(name)) {
        let options = ["--search", search, "--heuristic", "hl", "--time-limit", "200ms", "-p", never];
        let answer = answer(&check(&path, &options).exits(3));
        assert_eq!(answer["reason"], "time limit reached", "{search}");
    }
}

#[test]
fn an_infinite_estimate_for_the_start_is_a_proof() {
    let text = "network never
var n in 0..9
process P { init a location a location b
  edge a -> a { guard n < 5 do { n := n + 1; } }
  edge a -> b { guard n == 7 } }
property never : A[] !P.b
";
    let path = file(&directory("infinite"), "never.beeline", text);
    for heuristic in ["hl", "hu", "ut"] {
        let options = ["--heuristic", heuristic];
        let answer = answer(&check(&path, &options).exits(0));
        assert_eq!(answer["config"]["h_initial"], Value::Null, "{answer}");
        assert_eq!((&answer["stats"]["expanded"], &answer["stats"]["dead_ends"]), (&0.into(), &1.into()));
        assert_eq!((&answer["verdict"], &answer["certificate"]), (&"holds".into(), &"kernel".into()));
        let run = beeline(["check", &path].iter().chain(&options)).exits(0);
        let by = format!("by {heuristic} (infinite at the start): 0 expanded");
        assert!(run.out.contains(&by) && run.out.contains("checked by the kernel"), "{}", run.out);
    }
}

/// A wide integer that gets no value but 0 and 10. What lies between is no value of it: from 5 there would be a way to 15,
/// and the proof that 20 is out of reach led out of itself.
#[test]
fn values_between_others_are_in_no_proof() {
    let digit = |name: &str| {
        format!(
            "var {name} in 0..19\nprocess P{name} {{ init l location l edge l -> l {{ do {{ {name} := ({name} + 1) % 20; }} }} }}\n"
        )
    };
    let text = format!(
        "network gap\n{}{}{}var x in -32768..32767\n\
         process P {{ init l location l\n\
         edge l -> l {{ do {{ x := a + b + c > 50 ? 10 : x; }} }}\n\
         edge l -> l {{ guard x < 10 do {{ x := x + 10; }} }} }}\n\
         property far : E<> x == 20\n",
        digit("a"),
        digit("b"),
        digit("c")
    );
    let path = file(&directory("gap"), "gap.beeline", text);
    let answer = answer(&check(&path, &["--search", "astar", "--heuristic", "hl"]).exits(1));
    assert_eq!((&answer["reachable"], &answer["certificate"]), (&false.into(), &"kernel".into()), "{answer}");
    assert_eq!(answer["stats"]["expanded"], 0);
}

/// A target that fails at run time somewhere is not known to be false there, though a part of it after the failing one
/// is never true. Estimates once called such states dead ends, and the kernel refused the proof.
#[test]
fn a_property_that_fails_is_no_dead_end() {
    let dir = directory("directed-failing");
    let text = "network fails clock x var v in 0..3
        process P { init a location a edge a -> a { guard v < 3 do { v := v + 1; } } }
        property : A[] !(x <= BOUND && 0)";
    for bound in ["6 / (3 - v)", "(v < 3 ? v : 1 % 0)", "min(9, 1 / 0)"] {
        let path = file(&dir, "fails.beeline", text.replace("BOUND", bound));
        let plain = |search: &str, heuristic: &str| search != "genetic" && !heuristic.contains(':');
        for (search, heuristic, _) in pairs().filter(|(search, heuristic, _)| plain(search, heuristic)) {
            let run = check(&path, &["--search", search, "--heuristic", heuristic]).exits(3);
            let reason = answer(&run)["reason"].as_str().map(str::to_string);
            let expected = [
                "the property itself fails at run time in a reachable state",
                "states were left out by the search, which found nothing among the others",
            ];
            assert!(
                reason.is_some_and(|reason| expected.contains(&&*reason)),
                "{bound} {search} {heuristic} {run:?}"
            );
        }
    }
}

#[test]
fn pattern_databases_are_kept() {
    let dir = directory("directed-kept");
    let (path, kept) = (model("fischer-bug.beeline"), dir.join("kept").display().to_string());
    for heuristic in ["dpr", "coi:clocks=none", "sum"] {
        let options = ["--heuristic", heuristic, "--pdb-cache", &kept];
        let first = answer(&check(&path, &options).exits(1));
        let second = answer(&check(&path, &options).exits(1));
        assert_eq!(first["trace"], second["trace"]);
        assert_eq!(first["stats"]["expanded"], second["stats"]["expanded"]);
        let run = beeline(["check", &path].iter().chain(&options)).exits(1);
        assert!(run.out.contains("read from ") && !run.out.contains("saved to "), "{}", run.out);
    }
}

#[test]
fn what_is_chosen_is_said() {
    let path = model("fischer-bug.beeline");
    let auto = check(&path, &["--search", "auto"]).json()["results"][0].clone();
    let bfs = check(&path, &["--search", "bfs"]).json()["results"][0].clone();
    assert_eq!((&auto["verdict"], &auto["trace"]), (&bfs["verdict"], &bfs["trace"]));
    assert_eq!((&auto["config"]["search"], &bfs["config"]["auto"]), (&"bfs".into(), &Value::Null));
    assert_eq!(auto["config"]["auto"], serde_json::json!(["breadth-first search: found the answer"]));
    let run = beeline(["check", &path, "--search", "auto", "--explain"]).exits(1);
    assert!(run.out.contains("auto: breadth-first search: found the answer"), "{}", run.out);
}

/// What a predicate abstraction says of clocks is a proof that the kernel accepts: of a target that is out of reach, and of
/// a length.
#[test]
fn predicate_abstractions_with_clocks_prove_what_they_say() {
    let heuristic = ["--search", "astar", "--heuristic", "pa:split=all,predicates=refine,iterations=30"];
    let dir = directory("pa-clocks");
    let text = "network late clock x, y
        process P { location a { invariant x <= 20 } location b
            edge a -> a { when x >= 20 do { x := 0; y := 0; } } edge a -> b { when y >= 30 } }
        property : A[] !P.b";
    let path = file(&dir, "late.beeline", text);
    let holds = answer(&check(&path, &heuristic).exits(0));
    assert_eq!(
        (&holds["certificate"], &holds["stats"]["expanded"]),
        (&"kernel".into(), &0.into()),
        "{holds}"
    );
    let bug = answer(&check(&model("fischer-bug.beeline"), &heuristic).exits(1));
    assert_eq!(
        (&bug["trace"]["length"], &bug["trace"]["shortest"]),
        (&6.into(), &"certified".into()),
        "{bug}"
    );
    assert_eq!(bug["stats"]["expanded"], 7, "{bug}");
}
