//! Symmetry and storage, from the command line.

use super::common::{beeline, directory, file, model};

/// Two rounds of Fischer's protocol: as UPPAAL text with an identifier, and asked about any two.
fn fischer(name: &str, wait: &str) -> Vec<String> {
    let dir = directory(name);
    let text = format!(
        "typedef int[1,4] id_t;\nint[0,4] id;\nprocess P(const id_t pid) {{\n  clock x;\n  state A, req {{ x <= 2 }}, wait, cs;\n  \
         init A;\n  trans\n    A -> req {{ guard id == 0; assign x = 0; }},\n    req -> wait {{ assign x = 0, id = pid; }},\n    \
         wait -> req {{ guard id == 0; assign x = 0; }},\n    wait -> cs {{ guard {wait} && id == pid; }},\n    \
         cs -> A {{ assign id = 0; }};\n}}\nsystem P;\n"
    );
    let question = "A[] forall (i : id_t) forall (j : id_t) P(i).cs and P(j).cs imply i == j";
    vec![file(&dir, "f.xta", text), "-p".to_string(), question.to_string()]
}

fn check(args: &[String], more: &[&str]) -> serde_json::Value {
    let all =
        ["check", "--json"].into_iter().chain(args.iter().map(String::as_str)).chain(more.iter().copied());
    beeline(all).json()["results"][0].clone()
}

#[test]
fn symmetry_keeps_verdicts_and_lengths() {
    for (name, wait, verdict) in [("sym-holds", "x > 2", "holds"), ("sym-bug", "x >= 2", "violated")] {
        let args = fischer(name, wait);
        let plain = check(&args, &["--search", "bfs"]);
        let with = check(&args, &["--search", "bfs", "--symmetry"]);
        assert_eq!((&plain["verdict"], &with["verdict"]), (&verdict.into(), &verdict.into()));
        assert_eq!(plain["trace"]["length"], with["trace"]["length"]);
        assert_eq!(with["certificate"], "kernel", "{}", with["certificate_note"]);
        assert_eq!(with["config"]["symmetry"], true);
        assert_eq!(with["config"]["remarks"][0], "symmetry: interchangeable are P(1), P(2), P(3), P(4)");
        let stored = |answer: &serde_json::Value| answer["stats"]["stored"].as_u64().unwrap();
        assert!(stored(&with) * 3 < stored(&plain), "{} {}", stored(&with), stored(&plain));
        let directed = check(&args, &["--search", "astar", "--heuristic", "hl", "--symmetry"]);
        assert_eq!(
            (&directed["verdict"], &directed["trace"]["length"]),
            (&verdict.into(), &plain["trace"]["length"])
        );
    }
}

/// Four clients, each with a server of its own: they can only be exchanged together, and of several who wait only the
/// order in which they began matters to the zones.
#[test]
fn companions_are_exchanged_together() {
    let text = "const int N = 4;\ntypedef int[0,N-1] id_t;\nchan req[N], ack[N];\nint[0,10] busy = 0;\n\
        process Client(const id_t i) {\n  clock x;\n  state idle, wait { x <= 5 };\n  init idle;\n  trans\n    \
        idle -> wait { sync req[i]!; assign x = 0; },\n    wait -> idle { sync ack[i]?; };\n}\n\
        process Server(const id_t i) {\n  clock y;\n  state free, work { y <= 3 };\n  init free;\n  trans\n    \
        free -> work { sync req[i]?; assign y = 0, busy = busy + 1; },\n    \
        work -> free { guard y >= 1; sync ack[i]!; assign busy = busy - 1; };\n}\nsystem Client, Server;\n";
    let path = file(&directory("companions"), "c.xta", text);
    let ask = |question: &str, more: &[&str]| check(&[path.clone(), "-p".into(), question.into()], more);
    let holds = "A[] busy <= 4";
    assert_eq!(ask(holds, &["--search", "bfs"])["stats"]["stored"], 65);
    let with = ask(holds, &["--search", "bfs", "--symmetry"]);
    assert_eq!((&with["verdict"], &with["stats"]["stored"]), (&"holds".into(), &5.into()));
    assert_eq!(
        with["config"]["remarks"][0],
        "symmetry: interchangeable are Client(0), Client(1), Client(2), Client(3); Server(0), Server(1), Server(2), Server(3)"
    );
    for violated in ["A[] busy <= 2", "A[] not (Server(2).work and Client(0).x > 1)"] {
        let plain = ask(violated, &["--search", "bfs"]);
        let with = ask(violated, &["--search", "bfs", "--symmetry"]);
        assert_eq!((&with["verdict"], &with["trace"]["replayed"]), (&"violated".into(), &true.into()));
        assert_eq!(with["trace"]["length"], plain["trace"]["length"]);
    }
    // A server that is slower than the others tells its client apart.
    let slower = text.replace("y >= 1", "y >= (i == 0 ? 2 : 1)");
    let path = file(&directory("companions-apart"), "c.xta", slower);
    let with = check(&[path, "-p".into(), holds.into()], &["--search", "bfs", "--symmetry"]);
    assert_eq!(
        (&with["verdict"], &with["config"]["remarks"][0]),
        (
            &"holds".into(),
            &"symmetry: interchangeable are Client(1), Client(2), Client(3); Server(1), Server(2), Server(3)"
                .into()
        )
    );
}

#[test]
fn info_names_interchangeable_processes() {
    let args = fischer("sym-info", "x > 2");
    let words = ["info"].into_iter().chain(args.iter().map(String::as_str));
    let shown = beeline(words).exits(0).out;
    assert!(shown.contains("interchangeable: P(1), P(2), P(3), P(4)"), "{shown}");
}

#[test]
fn hashes_prove_nothing_and_find_what_there_is() {
    for storage in ["hash-compaction", "bitstate"] {
        let holds = check(&fischer("hash-holds", "x > 2"), &["--storage", storage]);
        assert_eq!((&holds["verdict"], &holds["certificate"]), (&"unknown".into(), &"none".into()));
        let coverage = &holds["stats"]["coverage"];
        assert_eq!((&coverage["storage"], &holds["config"]["storage"]), (&storage.into(), &storage.into()));
        assert!(coverage["expected_omissions"].is_number() && coverage["states"].is_number());
        assert_eq!(coverage["hash_factor"].is_number(), storage == "bitstate");
        let bug = check(&fischer("hash-bug", "x >= 2"), &["--storage", storage, "--symmetry"]);
        assert_eq!((&bug["verdict"], &bug["trace"]["shortest"]), (&"violated".into(), &"no".into()));
        assert_eq!(bug["trace"]["replayed"], true);
        beeline(["check", &model("fischer.beeline"), "--storage", storage]).exits(3);
    }
    beeline(["check", &model("fischer.beeline"), "--bitstate-size", "1MiB"]).exits(2);
    let larger = ["--storage", "bitstate", "--bitstate-size", "2MiB", "--memory-limit", "1MiB"];
    let run = beeline(
        ["check", &model("fischer.beeline")]
            .iter()
            .map(ToString::to_string)
            .chain(larger.map(str::to_string)),
    );
    assert!(run.exits(2).err.contains("more than the memory limit"));
}

/// Twelve wheels of three numbers each: 531,441 states, which do not fit whole into this much memory, but in pieces. So
/// whoever says nothing about storage gets an answer, and who insists on plain states does not.
#[test]
fn states_are_collapsed_when_memory_gets_scarce() {
    let wheels = (0..12).map(|at| {
        let turn =
            |from: &str, to: u32| format!("edge a -> a {{ guard v{at} {from} do {{ v{at} := {to}; }} }}");
        let turns = [turn("== 0", 1000), turn("== 1000", 1_000_000), turn("> 1000", 0)].join(" ");
        format!("var v{at} in 0..1000000000\nprocess P{at} {{ location a {turns} }}\n")
    });
    let text = format!("network wheels\n{}property : A[] v0 <= 1000000\n", wheels.collect::<String>());
    let dir = directory("scarce");
    let args = [file(&dir, "wheels.beeline", text)];
    let limited = ["--search", "bfs", "--certify", "never", "--memory-limit", "70MiB"];
    let collapsed = check(&args, &limited);
    assert_eq!((&collapsed["verdict"], &collapsed["stats"]["stored"]), (&"holds".into(), &531_441.into()));
    let plain = check(&args, &[&limited[..], &["--storage", "plain"]].concat());
    assert_eq!((&plain["verdict"], &plain["reason"]), (&"unknown".into(), &"memory limit reached".into()));
}

/// The same in Promela, where servers know whom they serve from a local variable.
#[test]
fn companions_are_found_by_their_variables() {
    let text = "#define N 3\nchan req[N] = [1] of { bit };\nchan ack[N] = [0] of { bit };\nbyte busy;\n\
        active [N] proctype client() { do :: req[_pid]!1; ack[_pid]?_ od }\n\
        active [N] proctype server() { byte me = _pid - N;\n\
          do :: req[me]?_ -> busy++; atomic { assert(busy <= N); busy-- }; ack[me]!1 od }\n";
    let args = [file(&directory("companions-pml"), "c.pml", text), "-p".into(), "assertions".into()];
    let plain = check(&args, &["--search", "bfs"]);
    let with = check(&args, &["--search", "bfs", "--symmetry"]);
    assert_eq!((&plain["verdict"], &with["verdict"]), (&"holds".into(), &"holds".into()));
    let stored = |answer: &serde_json::Value| answer["stats"]["stored"].as_u64().unwrap();
    assert_eq!((stored(&plain), stored(&with)), (200, 50));
    assert_eq!(with["certificate"], "kernel", "{}", with["certificate_note"]);
}
