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

/// Everything is explored once for all properties that hold, and each of them has a certificate of its own.
#[test]
fn one_search_answers_what_it_can() {
    let folder = directory("one-search");
    let text = "byte n;\nactive proctype P() {\n  do\n  :: n < 5 -> n++\n  :: n == 5 -> n = 0\n  od\n}\n\
                ltl small { [] (n <= 5) }\nltl smaller { [] (n <= 4) }\n";
    let path = file(&folder, "counter.pml", text);
    let certificate = folder.join("c.cert").display().to_string();
    let found =
        beeline(["check", &path, "--json", "--search", "bfs", "--certificate", &certificate]).exits(1);
    let found = found.json();
    let of = |name: &str| {
        let results = found["results"].as_array().expect("results");
        let at = results.iter().position(|result| result["name"] == name).expect("a property of that name");
        (at + 1, &results[at])
    };
    let mut explored = 0;
    for name in ["assertions", "small"] {
        let (number, result) = of(name);
        assert_eq!(
            (&result["verdict"], &result["certificate"]),
            (&"holds".into(), &"kernel".into()),
            "{name}"
        );
        explored += u64::from(result["stats"]["expanded"] != 0);
        let own = certificate.replace("c.cert", &format!("c-{number}.cert"));
        beeline(["verify-certificate", &path, &own]).exits(0);
    }
    assert_eq!(explored, 1, "{found}");
    let (_, violated) = of("smaller");
    assert_eq!(violated["verdict"], "violated");
    assert!(violated["stats"]["expanded"] != 0, "it has a search of its own");
}

/// Deadlocks among processes that communicate by rendezvous are found by every search, and by the other engine. Spin's
/// breadth-first search misses this one: the keeper waits for another user.
#[test]
fn every_search_finds_deadlocks_with_rendezvous() {
    let folder = directory("rendezvous-deadlock");
    let text = "chan sema = [0] of { bit };\nactive proctype keeper() { do :: sema!0 -> sema?1 od }\n\
                active proctype user() { sema?0; skip; sema!1; skip }\n";
    let path = file(&folder, "semaphore.pml", text);
    let wanted = vec![(Value::from("violated"), Value::from(4))];
    for search in ["auto", "bfs", "dfs", "random-dfs"] {
        assert_eq!(answers(&path, &["--search", search]), wanted, "{search}");
    }
    for search in ["astar", "idastar", "greedy", "weighted-astar", "anytime", "hill-climbing", "beam"] {
        assert_eq!(answers(&path, &["--search", search, "--heuristic", "hl"]), wanted, "{search}");
    }
    assert_eq!(answers(&path, &["--engine", "symbolic"]), wanted);
}

/// A model without any assertion was said to violate one, in columns a thousand characters wide.
#[test]
fn too_many_processes_are_told_one_by_one() {
    let folder = directory("too-many-processes");
    let path = file(&folder, "many.pml", "byte n;\nproctype R() { n++; run R() }\ninit { run R() }\n");
    let told = beeline(["check", &path, "-p", "assertions"]).exits(1).out;
    assert!(told.contains("fails: too many processes"), "{told}");
    assert!(
        told.contains("  R(17) line 2: n++\n") && told.lines().all(|l| l.chars().count() < 250),
        "{told}"
    );
}

/// Of end states, only the numbers of the steps were left: the place that stands for too many processes was taken for one
/// of the model, at which `init` ends.
#[test]
fn too_many_processes_are_told_of_every_property() {
    let folder = directory("too-many-processes-of-all");
    let path = file(&folder, "many.pml", "byte x;\nproctype Q() { false }\ninit { do :: run Q() od }\n");
    for (property, exit) in [("valid-end-states", 1), ("x == 0", 1), ("no-runtime-error", 5)] {
        let run = beeline(["check", &path, "-p", property]).exits(exit);
        let words = "  fails: too many processes: there is no room for another one\n";
        assert!(run.out.contains(words), "{property}: {}", run.out);
        assert!(!run.out.contains("slot") && !run.out.contains("at its end"), "{property}: {}", run.out);
        assert!(run.out.contains("init(0) before line 3: run Q()"), "{property}: {}", run.out);
        let json = beeline(["check", &path, "-p", property, "--json"]).exits(exit).json();
        let failure = &json["results"][0]["trace"]["failure"];
        assert!(failure.as_str().is_some_and(|f| f.starts_with("too many processes")), "{failure}");
    }
}

/// Steps from included files had neither lines nor statements.
#[test]
fn steps_of_included_files_are_told() {
    let folder = directory("included-steps");
    let header = "\nproctype W(byte n) {\n  x = x +\\\n    n;\n  x == 9\n}\n";
    file(&folder, "proto.h", header);
    let text = "byte x;\n#include \"proto.h\"\nactive proctype P() { run W(2) }\n";
    let path = file(&folder, "m.pml", text);
    let told = beeline(["check", &path]).exits(1).out;
    assert!(told.contains("proto.h line 3: x = x + n\n"), "{told}");
    assert!(told.contains("W(1) before proto.h line 5: x == 9\n"), "{told}");
}

/// Questions were asked in words of which the model's macros were none.
#[test]
fn questions_know_the_macros_of_the_model() {
    let folder = directory("macros-in-questions");
    let text = "#define N 3\n#define p (x > N)\n#define small(v) (v < N)\nbyte x;\n\
                active proctype P() { do :: x < N -> x++ :: else -> break od }\n";
    let path = file(&folder, "m.pml", text);
    for (question, exit) in
        [("x <= N", 0), ("x == N", 1), ("!p", 0), ("[] !p", 0), ("small(x)", 1), ("E<> x == N", 0), ("N", 0)]
    {
        beeline(["check", &path, "-p", question]).exits(exit);
    }
    let questions = file(&folder, "questions", "x <= N\n!p\n");
    beeline(["check", &path, "-q", &questions]).exits(0);
    let wrong = beeline(["check", &path, "-p", "x == M"]).exits(2);
    assert!(wrong.err.contains('M'), "{}", wrong.err);
}

#[test]
fn values_that_nobody_reads_tell_states_apart_if_asked_to() {
    let dir = directory("promela-dead");
    // After `b = a`, the value of `a` does not matter until it is written again.
    let text = "active proctype P() { byte a, b; select(a : 1 .. 3); b = a; skip; a = 0; assert(b < 4) }";
    let path = file(&dir, "dead.pml", text);
    let check = |option: &str| {
        let answer = beeline([
            "check",
            &path,
            "-p",
            "assertions",
            "--search",
            "bfs",
            "--dead-variables",
            option,
            "--json",
        ])
        .json();
        (answer["results"][0]["verdict"].clone(), answer["results"][0]["stats"]["stored"].as_u64())
    };
    let ((verdict, fewer), (same, all)) = (check("reset"), check("keep"));
    assert_eq!((verdict.as_str(), &verdict), (Some("holds"), &same));
    assert!(fewer < all, "{fewer:?} {all:?}");
}
