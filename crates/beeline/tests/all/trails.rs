//! Trails of Promela models are replayed by Spin itself: by its simulator (`spin -t`) and by the verifier it generates
//! (`pan -r`). Without Spin and a C compiler there is nothing to do. `BEELINE_TRAILS=all` takes the public models, too,
//! where they are.

use crate::common;

use common::{beeline, directory, model};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Models that go wrong, each in a way of its own.
const MODELS: [(&str, &str); 12] = [
    (
        "lost-update",
        "byte n, ended; active [2] proctype P() { byte t, i; do :: i < 3 -> t = n; n = t + 1; i++ :: else -> break od; ended++ }
         active proctype Q() { ended == 2 -> assert(n > 2) }",
    ),
    (
        "rendezvous",
        "chan a = [0] of { byte }; chan b = [0] of { byte }; byte x;
         active proctype P() { do :: a!1; b?x :: b!2; a?x od } active proctype Q() { do :: a?x; b!3 :: b?x; b?x od }",
    ),
    (
        "atomic-hand-over",
        "chan c = [0] of { byte }; byte g, h;
         active proctype P() { atomic { if :: c!1 :: g = 4 fi }; do :: atomic { g < 3 -> g++; if :: g == 3 -> break :: else fi } od; c!2 }
         active proctype Q() { atomic { c?h; h = h + 1; c?h; g = 9 }; assert(h != 2) }",
    ),
    (
        "children",
        "byte n; proctype C(byte k) { n = n + k; if :: k > 1 -> run C(k - 1) :: else fi }
         init { pid p; p = run C(3); (_nr_pr == 1); run C(1); (_nr_pr == 1) -> assert(n != 7) }",
    ),
    (
        "steps",
        "byte s, v, w; active proctype P() { byte i; for (i : 1 .. 3) { d_step { s = s + i; if :: s > 3 -> v++ :: else fi } };
           select (w : 0 .. 2); if :: skip; skip; skip :: printf(\"w\"); skip; v++ fi; assert(v + w != 4) }",
    ),
    (
        "escape",
        "byte x; bit stop; active proctype P() { { do :: x < 5 -> x++ od } unless { stop -> x = x + 10; if :: x == 13 -> goto wrong :: else fi };
           goto end1; wrong: assert(false); end1: goto end2; end2: skip }
         active proctype Q() { x == 3 -> stop = 1 }",
    ),
    (
        "inlined",
        "inline twice(v) { v++; if :: v > 2 -> goto out :: else fi; v++ } byte a; chan hold = [1] of { byte };
         active proctype P() { L: twice(a); goto L; out: hold!1; hold!2 }",
    ),
    (
        "formula",
        "byte turn; bit want[2]; active [2] proctype P() { do :: want[_pid] = 1; want[1 - _pid] == 0; CS: turn = _pid; want[_pid] = 0
           :: skip -> want[_pid] = 0; goto CS od }
         ltl mutex { [] !(P[0]@CS && P[1]@CS) }",
    ),
    (
        "claim",
        "byte x; active proctype P() { do :: x = 1 :: x = 2 :: x = 0; skip od }
         never { do :: x == 1 -> break :: else od; do :: x == 2 -> break :: x != 2 od }",
    ),
    (
        "claim-with-variable",
        "byte x; chan c = [0] of { byte }; active proctype P() { atomic { x = 1; x = 2 }; c!3; goto end1; end1: skip }
         active proctype Q() { c?x } never { byte n; do :: atomic { x == 3 -> n = n + 1 } :: n == 4 -> break :: x != 3 od; assert(x != 3) }",
    ),
    (
        "channels",
        "mtype = { ask, tell }; chan base = [2] of { mtype, chan, byte }; chan line[2] = [2] of { byte };
         active [2] proctype Client() { byte r; base!ask(line[_pid], 7 - _pid); line[_pid]?r; assert(r != 7) }
         active proctype Server() { chan c; byte n; do :: base??ask,c,n -> atomic { c!!n; c!!n - 1; c?n } :: base?tell,_,_ od }",
    ),
    (
        "labels-before-nothing",
        "byte x; active proctype P() { do :: x < 3 -> x++; L: :: else -> M: N: ; break od; atomic { x = 4; O: }; Q: -> assert(x != 4) }",
    ),
];

fn available() -> bool {
    let works =
        |program: &str, arg: &str| Command::new(program).arg(arg).output().is_ok_and(|o| o.status.success());
    works("spin", "-V") && works("gcc", "--version")
}

fn run(folder: &Path, program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(folder).output().expect("the program runs");
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Checks a model and has all its traces replayed; gives how many there are, and how many questions had no answer in time.
fn replayed(folder: &Path, name: &str, length: &str) -> (usize, usize) {
    let path = folder.join("m.pml");
    let path = path.to_str().expect("a path");
    let trail = folder.join("m.trail");
    let wish = format!("trail={}", trail.display());
    let answers =
        beeline(["check", path, "--length", length, "--time-limit", "20s", "--trace", &wish, "--json"])
            .json();
    let results = answers["results"].as_array().expect("results");
    let mut count = 0;
    for (i, result) in results.iter().enumerate() {
        let trace = &result["trace"];
        if trace.is_null() {
            continue;
        }
        let file = if results.len() == 1 { "m.trail".to_string() } else { format!("m-{}.trail", i + 1) };
        let text = std::fs::read_to_string(folder.join(&file)).expect("a trail");
        let claim = text.starts_with("-2:");
        let lines = text.lines().count() - usize::from(claim);
        let fails = result["name"] == "assertions";
        assert_eq!(trace["spin_depth"], lines - usize::from(fails), "{name}");
        if length == "spin" {
            // What the claim does counts nothing.
            let watching = text.lines().filter(|line| claim && line.contains(":0:")).count();
            assert_eq!(trace["length"], lines - watching, "{name}");
        }
        let ended = format!("trail ends after {lines} steps");
        let simulated = run(folder, "spin", &["-t", "-p", "-k", &file, "m.pml"]);
        for wrong in ["transition failed", "no matching stmnt", "invalid statement", "stop error"] {
            assert!(!simulated.contains(wrong), "{name}: {wrong}\n{simulated}");
        }
        assert!(simulated.contains(&ended), "{name}\n{simulated}");
        // On the way to an end state, assertions may fail: `-A` goes on.
        let flags: &[&str] = if fails { &["-r", &file] } else { &["-A", "-r", &file] };
        let verified = run(folder, if claim { "./watched" } else { "./pan" }, flags);
        assert!(verified.contains(&ended) && !verified.contains("not found"), "{name}\n{verified}");
        for told in [&simulated, &verified] {
            assert!(told.contains("assertion violated") || !fails, "{name}\n{told}");
        }
        count += 1;
    }
    (count, results.iter().filter(|result| result["verdict"] == "unknown").count())
}

fn generate(folder: &Path, text: &[u8]) {
    std::fs::write(folder.join("m.pml"), text).expect("a file");
    let read = run(folder, "spin", &["-o1", "-o2", "-o3", "-a", "m.pml"]);
    let compiled = run(folder, "gcc", &["-O0", "-w", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"]);
    if text.windows(5).any(|word| word == b"never") {
        run(folder, "gcc", &["-O0", "-w", "-DNOREDUCE", "-o", "watched", "pan.c"]);
    }
    assert!(folder.join("pan").is_file(), "{read}{compiled}");
}

#[test]
fn spin_replays_our_trails() {
    if !available() {
        eprintln!("skipped: Spin or a C compiler is not installed");
        return;
    }
    for (name, text) in MODELS {
        let folder = directory(&format!("trail-{name}"));
        generate(&folder, text.as_bytes());
        for length in ["steps", "spin"] {
            assert!(replayed(&folder, name, length).0 > 0, "{name} goes wrong");
        }
    }
}

#[test]
fn spin_replays_trails_of_public_models() {
    let wanted = std::env::var("BEELINE_TRAILS").is_ok_and(|value| value == "all");
    if !wanted || !available() {
        eprintln!("skipped: BEELINE_TRAILS=all, with Spin and a C compiler, takes the public models, too");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let places = ["../../../shared/models/promela", "../../../../shared/models/promela"];
    let mut files: Vec<PathBuf> = vec![model("relay.pml").into(), model("bank.pml").into()];
    match places.iter().map(|place| root.join(place)).find(|place| place.is_dir()) {
        Some(place) => {
            for folder in std::fs::read_dir(place).expect("a folder").flatten().map(|entry| entry.path()) {
                files
                    .extend(std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()));
            }
        }
        None => eprintln!("skipped: the public models are not here"),
    }
    files.sort();
    let mut total = 0;
    for file in files.iter().filter(|file| !file.ends_with("smcs.promela")) {
        let folder = directory("trail-public");
        generate(&folder, &std::fs::read(file).expect("a model"));
        let (count, late) = replayed(&folder, &file.display().to_string(), "steps");
        eprintln!("{}: {count} trails replayed, {late} without an answer in time", file.display());
        total += count;
    }
    eprintln!("{total} trails replayed");
}
