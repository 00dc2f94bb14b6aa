//! Models from files beside those of a suite: each with every configuration of the suite, and with the peers that read
//! the language. A row for every run, printed as soon as it is known.

use super::super::{Args, CommandResult, Exit, Output, Stop};
use super::papers::{PATIENCE, TIME, work};
use super::peer::{Found, Peers, Task};
use super::process::{Limits, Usage, Workplace};
use super::this_executable;
use beeline::options;
use beeline_bench::suite::Suite;
use beeline_report::text::grouped;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// What a run came to.
struct Row {
    model: String,
    by: &'static str,
    /// Whether the state of interest was reached, steps to it, nodes or states; or why that is not known.
    said: Result<(bool, Option<u64>, Option<u64>), String>,
    usage: Option<Usage>,
    /// The first peer's time by this one's.
    ratio: Option<f64>,
}

/// Measures every model of `--model`, if there are any.
pub fn run(
    suite: &'static Suite,
    args: &Args,
    peers: &Peers,
    workplace: &Workplace,
    output: &mut Output,
) -> CommandResult {
    let limit = args.value("time-limit").and_then(|text| options::duration(text).ok());
    let limit = limit.unwrap_or(Duration::from_secs(TIME));
    let property = args.value("property").unwrap_or("1");
    let (json, mut exit) = (args.flag("json"), Exit::Holds);
    for (number, file) in args.values("model").into_iter().map(Path::new).enumerate() {
        if number == 0 && !json {
            output.out(&heading(suite));
        }
        let theirs = suite.rivals.iter().filter_map(|rival| peers.named(rival.peer));
        let mut first = None;
        for found in theirs {
            let Some(row) = beside(found, file, property, limit, workplace)? else {
                return interrupted(output);
            };
            first = first.or(row.said.is_ok().then_some(row.usage).flatten());
            output.out(&if json { row.json(suite) } else { row.text() });
        }
        for configuration in suite.configurations {
            let mut check = this_executable()?;
            check.arg("check").arg(file).args(["-p", property, "--certify", "never", "--json"]);
            check.args(["--time-limit", &format!("{}ms", limit.as_millis())]).args(configuration.check);
            let limits = Limits { time: Some(limit + PATIENCE), memory: None };
            let Some(finished) = workplace.run(&mut check, limits)? else { return interrupted(output) };
            let object: Value = serde_json::from_str(&finished.out).unwrap_or_default();
            let result = &object["results"][0];
            let said = match (result["verdict"].as_str(), result["reachable"].as_bool()) {
                (Some("holds" | "violated"), Some(target)) => {
                    Ok((target, result["trace"]["length"].as_u64(), work(&result["stats"], suite.work)))
                }
                _ => Err(result["reason"].as_str().map_or_else(|| finished.complaint(), str::to_string)),
            };
            if said.is_err() {
                exit = exit.or(finished.code.and_then(Exit::of_code).unwrap_or(Exit::Internal));
            }
            let seconds = |usage: Usage| usage.cpu.as_secs_f64().max(0.01);
            let ratio = first.filter(|_| said.is_ok()).map(|first| seconds(first) / seconds(finished.usage));
            let row =
                Row { model: name(file), by: configuration.name, said, usage: Some(finished.usage), ratio };
            output.out(&if json { row.json(suite) } else { row.text() });
        }
    }
    Ok(exit)
}

fn interrupted(output: &mut Output) -> CommandResult {
    output.err("interrupted; the rows so far are complete\n");
    Ok(Exit::Unknown)
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A run of a peer; `None` if that was interrupted.
fn beside(
    found: &Found,
    file: &Path,
    property: &str,
    limit: Duration,
    workplace: &Workplace,
) -> Result<Option<Row>, Stop> {
    let limits = Limits { time: Some(limit), memory: None };
    let task = Task { model: file, property: Some(property), options: &[], limits };
    let Some(explored) = found.explore(&task, workplace)? else { return Ok(None) };
    let said = explored.said.map(|reached| (reached.target, reached.length, reached.explored));
    let usage = explored.finished.map(|finished| finished.usage);
    Ok(Some(Row { model: name(file), by: found.peer.name, said, usage, ratio: None }))
}

fn heading(suite: &Suite) -> String {
    format!(
        "{:<24}{:<18}{:>10}{:>8}{:>16}{:>9}{:>8}{:>8}\n",
        "model",
        "by",
        "target",
        "steps",
        suite.work.name(),
        "CPU s",
        "MB",
        "ratio"
    )
}

impl Row {
    fn text(&self) -> String {
        let Self { model, by, said, usage, ratio } = self;
        let (target, steps, work) = match said {
            Ok(said) => *said,
            Err(reason) => return format!("{model:<24}{by:<18}  {reason}\n"),
        };
        let target = if target { "reached" } else { "none" };
        let number = |number: Option<u64>| number.map_or("-".into(), grouped);
        let cpu = usage.map_or("-".into(), |usage| format!("{:.2}", usage.cpu.as_secs_f64()));
        let megabytes = usage.map_or("-".into(), |usage| format!("{:.1}", usage.resident as f64 / 1e6));
        let ratio = ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"));
        format!(
            "{model:<24}{by:<18}{target:>10}{:>8}{:>16}{cpu:>9}{megabytes:>8}{ratio:>8}\n",
            number(steps),
            number(work)
        )
    }

    fn json(&self, suite: &Suite) -> String {
        let (said, reason) = match &self.said {
            Ok(said) => (Some(*said), None),
            Err(reason) => (None, Some(reason)),
        };
        let object = json!({
            "suite": suite.name,
            "model": self.model,
            "by": self.by,
            "reachable": said.map(|(target, ..)| target),
            "length": said.and_then(|(_, steps, _)| steps),
            "work": said.and_then(|(.., work)| work),
            "cpu_seconds": self.usage.map(|usage| usage.cpu.as_secs_f64()),
            "resident_bytes": self.usage.map(|usage| usage.resident),
            "ratio": self.ratio,
            "reason": reason,
        });
        format!("{object}\n")
    }
}
