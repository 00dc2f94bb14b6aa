//! `bench`: how fast this executable is, on models of the benchmark families and others, with TChecker beside it.
//!
//! Every figure comes from a process of its own, and no two of them run at the same time. A row is printed as soon
//! as it is known, so that an interrupt takes away only what was being measured.

mod peer;
mod process;
mod row;

use super::{Args, CommandResult, Exit, Output, Stop, interrupt};
use beeline_families::find;
use beeline_ir::limits::CancelToken;
use peer::Peer;
use process::{Finished, Workplace};
use row::{Figures, Row};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The suites.
const SUITES: &[&str] = &["throughput"];

/// The models of `throughput`: families, each with its sizes in ascending order.
const THROUGHPUT: &[(&str, &[u32])] =
    &[("fischer", &[8, 9, 10]), ("csmacd", &[8, 9, 10]), ("train-gate", &[5]), ("critical-region", &[4])];

/// The question that takes a search through the whole state space. It names no clock, so that the zones are those
/// that the model itself needs, as for a peer that is asked nothing.
const EVERYTHING: &str = "A[] true";

/// Measures the models of a suite.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let suite = args.value("SUITE").unwrap_or_default();
    if !SUITES.contains(&suite) {
        return Err(Stop::no_such("suite", suite, SUITES));
    }
    let peer = Peer::find(args.value("peer"))?;
    let token = CancelToken::default();
    interrupt::install(&token);
    let workplace =
        Workplace::new(token).map_err(|e| Stop::usage(format!("no directory for temporary files: {e}")))?;
    let subjects = subjects(args, &workplace)?;
    remarks(output, peer.is_none() && args.value("peer").is_none());
    let json = args.flag("json");
    if !json {
        output.out(&row::heading(peer.as_ref().map(Peer::name)));
    }
    let mut exit = Exit::Holds;
    for (number, subject) in subjects.iter().enumerate() {
        if output.watched() {
            output.progress(&format!("{} ({} of {})", subject.name, number + 1, subjects.len()));
        }
        let Some(row) = measure(subject, args.value("threads"), peer.as_ref(), &workplace)? else {
            output.err("interrupted; the rows so far are complete\n");
            return Ok(exit.or(Exit::Unknown));
        };
        exit = exit.or(row.exit());
        output.out(&if json { row.json(suite) } else { row.text() });
    }
    Ok(exit)
}

/// What a reader of the figures should know.
fn remarks(output: &mut Output, absent: bool) {
    if cfg!(debug_assertions) {
        output.err(
            "note: this executable has debug assertions; for figures that count, build with --release\n",
        );
    }
    if absent {
        output.err(
            "note: no comparison with TChecker: tck-reach is not on the path; --peer says where it is\n",
        );
    }
}

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
    peer: Option<&Peer>,
    workplace: &Workplace,
) -> Result<Option<Row>, Stop> {
    let property = subject.property.as_deref().unwrap_or(EVERYTHING);
    let mut check = this_executable()?;
    check.arg("check").arg(&subject.file).args(["--certify", "never", "--json", "-p", property]);
    if subject.property.is_none() {
        // Only that everything is seen matters, as it does to TChecker.
        check.args(["--mode", "prove"]);
    }
    if let Some(threads) = threads {
        check.args(["--threads", threads]);
    }
    let Some(finished) = workplace.run(&mut check)? else { return Ok(None) };
    let ours = figures(&finished, threads.and_then(|number| number.parse().ok()));
    let theirs = match peer.filter(|_| ours.is_ok()) {
        Some(peer) => match peer.measure(&subject.file, subject.property.as_deref(), workplace)? {
            Some(theirs) => Some(theirs),
            None => return Ok(None),
        },
        None => None,
    };
    Ok(Some(Row { name: subject.name.clone(), ours, theirs }))
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
