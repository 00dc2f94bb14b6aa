//! `bench`: the evidence. Suites after the papers, with their figures beside ours; and how fast this executable is. Other
//! model checkers that are on the path run the same models in the same run.
//!
//! Every figure comes from a process of its own, and no two of them run at the same time. A row is printed as soon
//! as it is known, so that an interrupt takes away only what was being measured.

mod files;
mod papers;
mod peer;
mod process;
mod row;

use super::{Args, CommandResult, Exit, Output, Stop, interrupt};
use beeline_bench::peer::Peer;
use beeline_bench::report::THROUGHPUT as SPEED;
use beeline_bench::suite::{SUITES, Suite, Work};
use beeline_families::find;
use beeline_ir::limits::CancelToken;
use peer::{Explored, Found, Peers, Task};
use process::{Finished, Limits, Workplace};
use row::{Figures, Row, Theirs};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// All suites.
const ALL: &str = "all";

/// Options that only the suites after the papers have, and those that only the other one has.
const FOR_PAPERS: &[&str] =
    &["seeds", "instance", "records", "report", "compare", "time-limit", "memory-limit", "pdb-cache"];
const FOR_SPEED: &[&str] = &["threads", "model", "property", "no-suite"];
/// Those of the latter that a suite of circuits has, too: such models come from elsewhere as well.
const FOR_CIRCUITS: &[&str] = &["model", "property", "no-suite"];

/// The models of `throughput`: families, each with its sizes in ascending order.
const THROUGHPUT: &[(&str, &[u32])] =
    &[("fischer", &[8, 9, 10]), ("csmacd", &[8, 9, 10]), ("train-gate", &[5]), ("critical-region", &[4])];

/// The question that takes a search through the whole state space. It names no clock, so that the zones are those
/// that the model itself needs, as for a peer that is asked nothing.
const EVERYTHING: &str = "A[] true";

/// Measures the models of a suite.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let suite = args.value("SUITE").unwrap_or_default();
    let papers: Vec<&'static Suite> =
        SUITES.iter().filter(|paper| suite == ALL || suite == paper.name).collect();
    if papers.is_empty() && suite != SPEED {
        let known: Vec<&str> = SUITES.iter().map(|suite| suite.name).chain([SPEED, ALL]).collect();
        return Err(Stop::no_such("suite", suite, &known));
    }
    let others = if suite == SPEED { FOR_PAPERS } else { FOR_SPEED };
    let circuits = match papers[..] {
        [only] if only.work == Work::Nodes => Some(only),
        _ => None,
    };
    let refused = |name: &&&str| {
        let allowed = suite == ALL || circuits.is_some() && FOR_CIRCUITS.contains(*name);
        !allowed && !args.given(name).is_empty()
    };
    if let Some(name) = others.iter().find(refused) {
        return Err(Stop::usage(format!("--{name} is not for the suite {suite}")));
    }
    let files = !args.values("model").is_empty();
    if circuits.is_some() && !files && (args.flag("no-suite") || args.value("property").is_some()) {
        return Err(Stop::usage("--no-suite and -p are about the models of --model, and there is none"));
    }
    let token = CancelToken::default();
    interrupt::install(&token);
    let workplace =
        Workplace::new(token).map_err(|e| Stop::usage(format!("no directory for temporary files: {e}")))?;
    if cfg!(debug_assertions) {
        output.err(DEBUGGED);
    }
    let peers = Peers::find(args.value("peer"), &workplace)?;
    let in_suites = |peer: &Peer| papers.iter().any(|s| s.rivals.iter().any(|rival| rival.peer == peer.name));
    let speed = suite == SPEED || suite == ALL;
    let missing = peers.missing(|peer| in_suites(peer) || speed && peer.explores());
    if !missing.is_empty() {
        output.err(&format!("note: not on the path, so not compared with: {}\n", missing.join(", ")));
    }
    let mut exit = Exit::Holds;
    let mut rows = String::new();
    if speed {
        exit = throughput(args, &peers, &workplace, output, &mut rows)?;
    }
    let left_out = circuits.is_some() && args.flag("no-suite");
    if !(papers.is_empty() || left_out || workplace.interrupted()) {
        let rows = (suite == ALL).then_some(rows.as_str());
        exit = exit.or(papers::run(&papers, args, &peers, rows, &workplace, output)?);
    }
    if let Some(circuits) = circuits.filter(|_| files && !workplace.interrupted()) {
        exit = exit.or(files::run(circuits, args, &peers, &workplace, output)?);
    }
    Ok(exit)
}

/// Measures how fast whole state spaces are explored; the lines of the table go into `rows`, too.
fn throughput(
    args: &Args,
    peers: &Peers,
    workplace: &Workplace,
    output: &mut Output,
    rows: &mut String,
) -> CommandResult {
    let subjects = subjects(args, workplace)?;
    let json = args.flag("json");
    let names: Vec<&str> = peers.explorers().map(|found| found.peer.name).collect();
    let heading = row::heading(&names);
    if !json {
        output.out(&heading);
    }
    rows.push_str(&heading);
    let mut exit = Exit::Holds;
    for (number, subject) in subjects.iter().enumerate() {
        if output.watched() {
            output.progress(&format!("{} ({} of {})", subject.name, number + 1, subjects.len()));
        }
        let Some(row) = measure(subject, args.value("threads"), peers, workplace)? else {
            output.err("interrupted; the rows so far are complete\n");
            return Ok(exit.or(Exit::Unknown));
        };
        exit = exit.or(row.exit());
        rows.push_str(&row.text());
        output.out(&if json { row.json(SPEED) } else { row.text() });
    }
    Ok(exit)
}

const DEBUGGED: &str =
    "note: this executable has debug assertions; for figures that count, build with --release\n";

/// A model to be measured.
struct Subject {
    name: String,
    file: PathBuf,
    /// The property to look at; without one, the model has none of its own, and is explored as a whole.
    property: Option<String>,
}

fn subjects(args: &Args, workplace: &Workplace) -> Result<Vec<Subject>, Stop> {
    let files = args.values("model");
    let property = args.value("property");
    if property.is_some() && files.is_empty() {
        return Err(Stop::usage("-p is asked of the models of --model, and there is none"));
    }
    let property = property.unwrap_or(EVERYTHING);
    let mut subjects = if args.flag("no-suite") { Vec::new() } else { suite(args.flag("quick"), workplace)? };
    for file in files {
        let file = PathBuf::from(file);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        subjects.push(Subject { name, file, property: Some(property.to_string()) });
    }
    if subjects.is_empty() {
        return Err(Stop::usage("there is nothing to measure: --no-suite needs a --model"));
    }
    Ok(subjects)
}

/// The models of `throughput`, written to files.
fn suite(quick: bool, workplace: &Workplace) -> Result<Vec<Subject>, Stop> {
    let mut subjects = Vec::new();
    for (name, sizes) in THROUGHPUT {
        for size in sizes.iter().take(if quick { 1 } else { sizes.len() }) {
            let instance = find(name).and_then(|family| family.instance(&[("n", *size)]).ok());
            let missing = || Stop::Message(Exit::Internal, format!("there is no model {name} {size}"));
            let instance = instance.ok_or_else(missing)?;
            let file = workplace.file(&format!("{name}-{size}.xta"));
            let unwritable = |e| Stop::usage(format!("{} cannot be written: {e}", file.display()));
            std::fs::write(&file, instance.model()).map_err(unwritable)?;
            subjects.push(Subject { name: instance.name(), file, property: None });
        }
    }
    Ok(subjects)
}

/// Measures one model; `None` if that was interrupted.
fn measure(
    subject: &Subject,
    threads: Option<&str>,
    peers: &Peers,
    workplace: &Workplace,
) -> Result<Option<Row>, Stop> {
    let property = subject.property.as_deref().unwrap_or(EVERYTHING);
    let mut check = this_executable()?;
    check.arg("check").arg(&subject.file).args([
        "--search",
        "bfs",
        "--certify",
        "never",
        "--json",
        "-p",
        property,
    ]);
    if subject.property.is_none() {
        // Only that everything is seen matters, as it does to TChecker.
        check.args(["--mode", "prove"]);
    }
    if let Some(threads) = threads {
        check.args(["--threads", threads]);
    }
    let Some(finished) = workplace.run(&mut check, Limits::default())? else { return Ok(None) };
    let ours = figures(&finished, threads.and_then(|number| number.parse().ok()));
    let mut theirs = Vec::new();
    for found in peers.explorers().filter(|_| ours.is_ok()) {
        let Some(peer) = beside(found, subject, workplace)? else { return Ok(None) };
        theirs.push(peer);
    }
    Ok(Some(Row { name: subject.name.clone(), ours, theirs }))
}

/// What a peer makes of the same model; `None` if that was interrupted.
fn beside(found: &Found, subject: &Subject, workplace: &Workplace) -> Result<Option<Theirs>, Stop> {
    let (property, limits) = (subject.property.as_deref(), Limits::default());
    let task = Task { model: &subject.file, property, options: found.peer.breadth_first, limits };
    let Some(Explored { said, finished }) = found.explore(&task, workplace)? else { return Ok(None) };
    let figures = said.and_then(|reached| {
        let explored = reached.explored.ok_or("it does not say how many states it explored")?;
        Ok((explored, finished.ok_or("it was not run")?.usage))
    });
    Ok(Some(Theirs { name: found.peer.name, program: found.peer.program, figures }))
}

/// This program, to be started again.
fn this_executable() -> Result<Command, Stop> {
    let path = std::env::current_exe();
    path.map(Command::new).map_err(|e| Stop::usage(format!("this executable cannot be started again: {e}")))
}

/// What a run of `check` says of itself, and what the system says of it; or with which exit it ended, and why.
fn figures(finished: &Finished, threads: Option<u64>) -> Result<Figures, (Exit, String)> {
    let exit = finished.code.and_then(Exit::of_code).unwrap_or(Exit::Internal);
    let object: Value = serde_json::from_str(&finished.out).unwrap_or_default();
    let result = &object["results"][0];
    let stats = &result["stats"];
    let counter = |name: &str| stats[name].as_u64();
    let verdict = result["verdict"].as_str().unwrap_or_default();
    let counters = (counter("expanded"), counter("stored"), counter("generated"), counter("peak_bytes"));
    match (verdict, counters) {
        ("holds" | "violated", (Some(expanded), Some(stored), Some(generated), Some(bytes))) => Ok(Figures {
            verdict: verdict.to_string(),
            expanded,
            stored,
            generated,
            bytes,
            threads,
            search_seconds: stats["search_seconds"].as_f64(),
            usage: finished.usage,
        }),
        _ => {
            let reason = result["reason"].as_str().map(str::to_string);
            Err((exit, reason.unwrap_or_else(|| finished.complaint())))
        }
    }
}
