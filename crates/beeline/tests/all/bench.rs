//! `bench`: what it measures, what it says, and that it leaves nothing behind. Times are compared with nothing.

#![cfg(unix)]

use crate::common;

use common::{Run, command, directory, file, huge, model};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Runs `bench throughput` with a path and a place for temporary files of its own, which is empty in the end.
fn bench(dir: &Path, args: &[&str]) -> Run {
    let temporary = dir.join("temporary");
    std::fs::create_dir_all(&temporary).expect("a directory");
    let run: Run = bench_command(dir, &temporary).args(args).output().expect("the command runs").into();
    assert_eq!(std::fs::read_dir(&temporary).expect("a directory").count(), 0, "{args:?}");
    run
}

fn bench_command(dir: &Path, temporary: &Path) -> Command {
    let mut bench = command(dir);
    bench.env("TMPDIR", temporary).env("PATH", dir.join("path")).args(["bench", "throughput"]);
    bench
}

/// A program that does what this script says.
fn peer(dir: &Path, name: &str, script: &str) -> String {
    let path = file(dir, name, format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a script");
    path
}

fn rows(run: &Run) -> Vec<Value> {
    run.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn the_quick_suite_has_a_model_of_each_family() {
    let dir = directory("bench-quick");
    let args_of_peer = dir.join("arguments").display().to_string();
    let peer = peer(
        &dir,
        "peer",
        &format!("echo \"$@\" >> {args_of_peer}\necho REACHABLE false; echo VISITED_STATES 1000"),
    );
    let fischer = model("fischer.beeline");
    let run =
        bench(&dir, &["--quick", "--json", "--peer", &peer, "--model", &fischer, "-p", "mutex"]).exits(0);
    let rows = rows(&run);
    let names: Vec<&str> = rows.iter().map(|row| row["model"].as_str().unwrap()).collect();
    assert_eq!(names, ["fischer 8", "csmacd 8", "train-gate 5", "critical-region 4", "fischer.beeline"]);
    for row in &rows {
        assert_eq!((&row["suite"], &row["verdict"]), (&"throughput".into(), &"holds".into()), "{row}");
        let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"));
        assert!(number("expanded") > 0.0 && number("stored") > 0.0 && number("generated") > 0.0, "{row}");
        assert!(
            number("cpu_seconds") >= 0.0 && number("wall_seconds") > 0.0 && number("resident_bytes") > 0.0,
            "{row}"
        );
        let per_state = number("peak_bytes") / number("stored");
        assert!((number("bytes_per_stored") - per_state).abs() < 1e-6, "{row}");
        let peers = row["peers"].as_array().unwrap();
        assert_eq!((peers.len(), &peers[0]["name"]), (1, &"TChecker".into()), "{row}");
        assert_eq!(peers[0]["visited"], 1000, "{row}");
        assert!(peers[0]["resident_bytes"].as_u64() > Some(0), "{row}");
        assert!(peers[0]["ratio"]["memory"].as_f64() > Some(0.0), "{row}");
    }
    let seconds = rows[2]["cpu_seconds"].as_f64().unwrap();
    let rate = rows[2]["expanded_per_second"].as_f64().unwrap();
    assert!((rate * seconds - rows[2]["expanded"].as_f64().unwrap()).abs() < 1.0, "{}", rows[2]);
    // The families are explored as a whole; the peer looks for the labels of a property that is asked.
    let arguments = std::fs::read_to_string(args_of_peer).unwrap();
    let arguments: Vec<&str> = arguments.lines().collect();
    assert_eq!(arguments.len(), 5);
    for (i, line) in arguments.iter().enumerate() {
        assert!(line.starts_with("-a covreach -s bfs "), "{line}");
        assert_eq!(line.contains("-l goal0"), i == 4, "{line}");
    }
}

#[test]
fn the_table_has_a_line_per_model_and_names_what_is_absent() {
    let dir = directory("bench-table");
    let (first, second) = (model("crossing.beeline"), model("charging.xml"));
    let run = bench(&dir, &["--no-suite", "--model", &first, "--model", &second]).exits(0);
    assert!(run.err.contains("not on the path, so not compared with: tck-reach, verifyta\n"), "{}", run.err);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.out);
    assert!(lines[0].starts_with("model ") && lines[0].ends_with("B/state"), "{}", run.out);
    assert!(
        lines[1].starts_with("crossing.beeline ") && lines[2].starts_with("charging.xml "),
        "{}",
        run.out
    );
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{}", run.out);
}

#[test]
fn a_peer_on_the_path_is_found_and_one_that_fails_says_why() {
    let dir = directory("bench-peer");
    std::fs::create_dir_all(dir.join("path")).unwrap();
    peer(&dir.join("path"), "tck-reach", "echo 'it is tired' >&2; exit 1");
    let crossing = model("crossing.beeline");
    let run = bench(&dir, &["--no-suite", "--model", &crossing]).exits(0);
    assert!(run.out.contains("TChecker") && run.out.trim_end().ends_with("| it is tired"), "{}", run.out);
    // What TChecker has no form for is not given to it.
    let workers = model("workers.beeline");
    let run = bench(&dir, &["--no-suite", "--json", "--model", &workers]).exits(0);
    let row = &rows(&run)[0];
    assert!(row["peers"][0]["error"].as_str().unwrap().contains("has no form"), "{row}");
    let run = bench(&dir, &["--no-suite", "--json", "--peer", "none", "--model", &crossing]).exits(0);
    assert_eq!(rows(&run)[0]["peers"], serde_json::json!([]), "{}", run.out);
}

#[test]
fn a_model_that_cannot_be_measured_does_not_stop_the_others() {
    let dir = directory("bench-failure");
    let broken = file(&dir, "broken.xta", "process P() { state A; init B; }\nsystem P;\n");
    let crossing = model("crossing.beeline");
    let run = bench(&dir, &["--no-suite", "--json", "--model", &broken, "--model", &crossing]).exits(2);
    let rows = rows(&run);
    assert!(rows[0]["error"].as_str().unwrap().contains("error["), "{}", rows[0]);
    assert_eq!((&rows[1]["model"], &rows[1]["verdict"]), (&"crossing.beeline".into(), &"holds".into()));
    let relation = model("traffic-light.beeline");
    let run = bench(&dir, &["--no-suite", "--model", &relation, "--model", &crossing]).exits(0);
    assert_eq!(run.out.lines().count(), 3, "{}", run.out);
}

#[test]
fn wrong_usage_exits_2_and_says_why() {
    let dir = directory("bench-usage");
    let crossing = model("crossing.beeline");
    let wrong: &[(&[&str], &str)] = &[
        (&["--no-suite"], "needs a --model"),
        (&["--quick", "-p", "1"], "--model"),
        (&["--model", &crossing, "-p", "1", "-p", "2"], "multiple times"),
        (&["--peer", "no/such/program"], "no/such/program"),
        (&["--threads", "0"], "from 1"),
    ];
    for (args, hint) in wrong {
        let run = bench(&dir, args).exits(2);
        assert!(run.err.contains(hint) && run.out.is_empty(), "{args:?}: {run:?}");
    }
    let run = common::beeline(["bench", "thrughput", "--json"]).exits(2);
    assert!(run.err.contains("did you mean `throughput`?"), "{}", run.err);
    assert!(run.json()["diagnostics"][0]["message"].is_string());
}

#[test]
fn an_interrupt_leaves_the_rows_so_far() {
    let dir = directory("bench-interrupt");
    let temporary = dir.join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let (crossing, huge) = (model("crossing.beeline"), huge(&dir));
    let mut child = bench_command(&dir, &temporary)
        .args(["--no-suite", "--json", "--model", &crossing, "--model", &huge])
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let (mut row, mut rest) = (String::new(), String::new());
    out.read_line(&mut row).unwrap();
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    out.read_to_string(&mut rest).unwrap();
    let run: Run = child.wait_with_output().unwrap().into();
    assert!(run.err.contains("interrupted; the rows so far are complete"), "{run:?}");
    assert_eq!((run.code, rest.as_str()), (Some(3), ""));
    assert!(row.contains("\"crossing.beeline\""), "{row}");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// Runs a suite after a paper on one small instance.
fn paper(dir: &Path, args: &[&str]) -> Run {
    let temporary = dir.join("temporary");
    std::fs::create_dir_all(&temporary).expect("a directory");
    let mut bench = command(dir);
    bench.env("TMPDIR", &temporary).env("PATH", dir.join("path")).args(["bench", "p3", "--instance", "FA5"]);
    let run: Run = bench.args(args).output().expect("the command runs").into();
    assert_eq!(std::fs::read_dir(&temporary).expect("a directory").count(), 0, "{args:?}");
    run
}

#[test]
fn a_suite_after_a_paper_is_recorded_reported_and_taken_up_again() {
    let dir = directory("bench-paper");
    let (records, page) = (dir.join("runs.jsonl"), dir.join("page.html"));
    let (records, page) = (records.to_str().expect("a path"), page.to_str().expect("a path"));
    let once = ["--seeds", "2", "--time-limit", "30s", "--records", records];
    let run = paper(&dir, &once).exits(0);
    assert!(
        run.out.contains("| FA5 | 8 |") && run.out.contains("27 of 28 instances were not run"),
        "{}",
        run.out
    );
    let lines = || std::fs::read_to_string(records).expect("records");
    let rows: Vec<Value> = lines().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    // Eight configurations that depend on chance, and two that do not.
    assert_eq!(rows.len(), 18);
    for row in &rows {
        assert_eq!((&row["status"], &row["instance"]), (&"found".into(), &"FA5".into()), "{row}");
        assert!(row["length"].as_u64() >= Some(8) && row["expanded"].as_u64() > Some(0), "{row}");
    }
    // The last line is lost, and its run alone is done again.
    let whole = lines();
    let cut = whole.trim_end().rsplit_once('\n').expect("lines").0.to_string() + "\n";
    std::fs::write(records, cut).expect("a file");
    let again: Vec<&str> = once.iter().copied().chain(["--report", page, "--compare", records]).collect();
    let run = paper(&dir, &again).exits(0);
    assert!(run.err.contains("17 of 18 runs are taken from the records"), "{}", run.err);
    assert!(run.out.ends_with("0 changes, 0 for the worse\n"), "{}", run.out);
    assert_eq!(lines().lines().count(), 18);
    let page = std::fs::read_to_string(page).expect("a report");
    assert!(page.contains("<svg") && page.contains("FA5") && page.ends_with("</html>\n"));
}

/// Stands for verifyta: tells its version; else looks for the model and the query, and says what the real one would.
const VERIFYTA: &str = r#"
if [ "$1" = -v ]; then echo "UPPAAL 4.1.26 (rev. 1234), February 2022"; exit 0; fi
while [ $# -gt 2 ]; do echo "$1" >> ARGUMENTS; shift; done
read -r query < "$2"
case "$1 $query" in
  *.xta\ A*) ;;
  *) echo "no model or no query: $*" >&2; exit 1 ;;
esac
echo "Verifying formula 1 at line 1"
echo " -- Formula is NOT satisfied."
echo " -- States explored : 4321 states"
"#;

#[test]
fn peers_run_the_same_instances_and_are_named() {
    let dir = directory("bench-peers");
    let path = dir.join("path");
    std::fs::create_dir_all(&path).unwrap();
    let arguments = dir.join("arguments");
    peer(&path, "verifyta", &VERIFYTA.replace("ARGUMENTS", &arguments.display().to_string()));
    peer(&path, "tck-reach", "echo REACHABLE true; echo VISITED_STATES 1234");
    peer(&path, "spin", "echo 'Spin Version 6.5.2 -- 6 December 2019'");
    let records = dir.join("runs.jsonl");
    let records = records.to_str().unwrap();
    let run = paper(&dir, &["--seeds", "2", "--time-limit", "30s", "--records", records]).exits(0);
    for part in [
        "TChecker (`tck-reach`): found, does not tell its version (for p0, p1, p3 and throughput)",
        "UPPAAL (`verifyta`): found, UPPAAL 4.1.26 (rev. 1234), February 2022 (for p0, p1, p3 and throughput)",
        "Spin (`spin`): found, Spin Version 6.5.2 -- 6 December 2019 (no suite",
        "NuSMV (`NuSMV`): absent (for p4)",
        "### Beside TChecker",
        "### Beside UPPAAL",
        " | 1,234 | ",
        " | 4,321 | ",
        "18 runs of Beeline",
        "and 3 of other programs",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let rows: Vec<Value> =
        std::fs::read_to_string(records).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let theirs: Vec<&Value> = rows.iter().filter(|row| !row["peer"].is_null()).collect();
    let told: Vec<(&Value, &Value, &Value)> =
        theirs.iter().map(|row| (&row["configuration"], &row["seed"], &row["status"])).collect();
    let (found, one, two) = (Value::from("found"), Value::from(1), Value::from(2));
    let (tchecker, uppaal) = (Value::from("TChecker"), Value::from("UPPAAL"));
    assert_eq!(told, [(&tchecker, &Value::Null, &found), (&uppaal, &one, &found), (&uppaal, &two, &found)]);
    let told = std::fs::read_to_string(arguments).unwrap();
    assert_eq!(
        told.split_whitespace().collect::<Vec<_>>(),
        ["-o", "2", "-r", "1", "-u", "-o", "2", "-r", "2", "-u"]
    );
    // Another version is another program.
    peer(&path, "verifyta", "echo 'UPPAAL 5.0.0'; echo ' -- Formula is satisfied.'");
    let run = paper(&dir, &["--seeds", "2", "--time-limit", "30s", "--records", records]).exits(70);
    assert!(run.err.contains("19 of 21 runs are taken from the records"), "{}", run.err);
    assert!(run.err.contains("contradiction: FA5 with UPPAAL: no error where there is one\n"), "{}", run.err);
    let run = paper(&dir, &["--seeds", "2", "--time-limit", "30s", "--records", records, "--peer", "none"]);
    let run = run.exits(0);
    assert!(run.err.contains("18 of 18 runs") && !run.out.contains("Other programs"), "{run:?}");
}

#[test]
fn a_peer_that_does_not_end_or_does_not_stop_growing_is_stopped() {
    let dir = directory("bench-endless");
    let path = dir.join("path");
    std::fs::create_dir_all(&path).unwrap();
    peer(&path, "tck-reach", "while :; do :; done");
    peer(&path, "verifyta", "while [ \"$1\" != -v ]; do :; done");
    let run = paper(&dir, &["--seeds", "4", "--time-limit", "500ms"]).exits(0);
    assert!(run.out.contains("TChecker: time limit reached"), "{}", run.out);
    // After three of four seeds, what the fourth one does is of no consequence.
    assert!(run.out.contains("| – (0 of 3) |") && run.out.contains("and 4 of other programs"), "{}", run.out);
    std::fs::remove_file(path.join("verifyta")).unwrap();
    if cfg!(target_os = "linux") {
        peer(&path, "tck-reach", "s=0123456789; while :; do s=$s$s; done");
        let run = paper(&dir, &["--seeds", "1", "--time-limit", "60s", "--memory-limit", "100MB"]).exits(0);
        assert!(run.out.contains("TChecker: memory limit reached"), "{}", run.out);
    }
}

/// Stands for NuSMV: tells its version; else writes down what it is told, and says what the real one would.
const NUSMV: &str = r#"
if [ "$1" = -h ]; then echo "*** This is NuSMV 2.6.0 (compiled on Wed Oct 14 2015)"; exit 0; fi
while read -r line; do echo "$line" >> COMMANDS; done < "$2"
echo "-- invariant count(c1.ack1) <= 1  is false"
i=0; while [ $i -lt STATES ]; do i=$((i+1)); echo "  -> State: 1.$i <-"; done
echo "Total number of nodes allocated: 4321"
"#;

/// Runs the suite of circuits with a path of its own.
fn circuits(dir: &Path, args: &[&str]) -> Run {
    let temporary = dir.join("temporary");
    std::fs::create_dir_all(&temporary).expect("a directory");
    let mut bench = command(dir);
    bench.env("TMPDIR", &temporary).env("PATH", dir.join("path")).args(["bench", "p4"]);
    let run: Run = bench.args(args).output().expect("the command runs").into();
    assert_eq!(std::fs::read_dir(&temporary).expect("a directory").count(), 0, "{args:?}");
    run
}

#[test]
fn circuits_are_set_beside_the_paper_and_nusmv() {
    let dir = directory("bench-circuits");
    let path = dir.join("path");
    std::fs::create_dir_all(&path).unwrap();
    let commands = dir.join("commands").display().to_string();
    peer(&path, "NuSMV", &NUSMV.replace("COMMANDS", &commands).replace("STATES", "30"));
    let run = circuits(&dir, &["--instance", "tree-arb 7"]).exits(0);
    for part in [
        "NuSMV (`NuSMV`): found, NuSMV 2.6.0 (compiled on Wed Oct 14 2015) (for p4)",
        "| tree-arb 7 | 29 |",
        " | 322,452/20 in 1.340 s | ",
        " | 47,778/20 in 2.357 s | ",
        "### Beside NuSMV",
        " | 4,321/29 | ",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(!run.err.contains("contradiction"), "{}", run.err);
    let told = std::fs::read_to_string(&commands).unwrap();
    assert!(told.contains("\ncheck_invar -s forward -p \"count(c3.ack1, "), "{told}");
    // Our own answer is the known one, and another program's shorter trace is pointed out.
    peer(&path, "NuSMV", &NUSMV.replace("COMMANDS", &commands).replace("STATES", "20"));
    let run = circuits(&dir, &["--instance", "tree-arb 7", "--json"]).exits(70);
    assert!(run.err.contains("contradiction: tree-arb 7 with NuSMV: 19 steps instead of 29"), "{}", run.err);
    let ours = rows(&run).into_iter().find(|row| row["configuration"] == "InvarCheck").expect("a run");
    assert_eq!((&ours["status"], &ours["length"]), (&"found".into(), &29.into()), "{ours}");
    assert!(ours["expanded"].as_u64() > Some(1_000), "nodes are counted: {ours}");
}

#[test]
fn circuits_from_files_are_measured_too() {
    let dir = directory("bench-circuit-files");
    let path = dir.join("path");
    std::fs::create_dir_all(&path).unwrap();
    let commands = dir.join("commands").display().to_string();
    peer(&path, "NuSMV", &NUSMV.replace("COMMANDS", &commands).replace("STATES", "4"));
    let text =
        "MODULE main\nVAR x : 0..5;\nASSIGN init(x) := 0; next(x) := x < 5 ? x + 1 : x;\nSPEC AG x < 3\n";
    let model = file(&dir, "counter.smv", text);
    let run = circuits(&dir, &["--no-suite", "--model", &model, "--json"]);
    let rows = rows(&run);
    let row =
        |by: &str| rows.iter().find(|row| row["by"] == by).unwrap_or_else(|| panic!("{by}: {}", run.out));
    for by in ["NuSMV", "InvarCheck", "both sides"] {
        assert_eq!(
            (&row(by)["reachable"], &row(by)["length"]),
            (&true.into(), &3.into()),
            "{by}: {}",
            run.out
        );
    }
    assert!(row("InvarCheck")["ratio"].as_f64() > Some(0.0), "{}", run.out);
    assert!(std::fs::read_to_string(&commands).unwrap().contains("-p \"x < 3\""));
    let run = circuits(&dir, &["--no-suite", "--model", &model, "-p", "AG x < 6", "--peer", "none"]);
    assert!(run.out.contains("counter.smv") && run.out.contains("none"), "{}", run.out);
    let run = circuits(&dir, &["--no-suite"]).exits(2);
    assert!(run.err.contains("there is none"), "{}", run.err);
}

/// On the smaller models of P2, the temperature in ranges saves more than 15 of 100 states, a perfect database all but those
/// of the trace, and the databases that are chosen automatically 9 of 10; their sizes are told.
#[test]
fn abstraction_databases_save_states() {
    let dir = directory("bench-p2");
    let args = ["bench", "p2", "--json", "--peer", "none", "--instance", "aircon 2", "--report", "p2.md"];
    let run: Run = command(&dir).args(args).output().expect("the command runs").into();
    let rows = rows(&run.exits(0));
    let of = |name: &str| rows.iter().find(|row| row["configuration"] == name).expect(name);
    let expanded = |name: &str| of(name)["expanded"].as_u64().expect(name);
    let length = |name: &str| of(name)["length"].as_u64().expect(name);
    let blind = expanded("h = 0");
    assert!(100 * expanded("h_p") < 85 * blind, "{rows:?}");
    assert!(10 * expanded("h^SCP") < blind && expanded("h_p*") <= length("h_p*") + 1, "{rows:?}");
    assert!(["h = 0", "h_p", "h_p*", "h^SCP"].iter().all(|name| length(name) == 32), "{rows:?}");
    assert!(of("h_p*")["entries"].as_u64() > of("h_p")["entries"].as_u64(), "{rows:?}");
    assert!(of("h_p")["layers"].as_u64() >= of("h_p")["start"].as_u64(), "{rows:?}");
    let report = std::fs::read_to_string(dir.join("p2.md")).expect("a report");
    assert!(report.contains("| aircon 2 | h_p |") && report.contains("start at"), "{report}");
}

#[test]
fn suites_refuse_what_is_not_theirs() {
    let dir = directory("bench-refused");
    for (args, message) in [
        (vec!["bench", "p3", "--threads", "2"], "--threads is not for the suite p3"),
        (vec!["bench", "throughput", "--seeds", "2"], "--seeds is not for the suite throughput"),
        (vec!["bench", "p3", "--instance", "FA6"], "there is no instance `FA6`"),
        (vec!["bench", "p3", "--report", "x.txt"], "ends neither in .md nor in .html"),
        (vec!["bench", "p3", "--compare", "nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (vec!["bench", "p9"], "there is no suite `p9`"),
    ] {
        let run: Run = command(&dir).args(&args).output().expect("the command runs").into();
        let run = run.exits(2);
        assert!(run.err.contains(message), "{args:?}: {}", run.err);
    }
}
