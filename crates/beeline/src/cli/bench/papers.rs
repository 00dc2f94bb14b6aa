//! The suites after the papers: each instance with each configuration, as often as chance asks for, a fresh process for
//! every run. What a run came to is written down at once, so that what was interrupted can be taken up again.

use super::super::{Args, CommandResult, Exit, Output, Stop, files};
use super::process::{Finished, Workplace};
use super::this_executable;
use beeline::options;
use beeline_bench::record::{Key, Record, Status};
use beeline_bench::report::{Format, Report};
use beeline_bench::suite::{Configuration, Instance, Suite};
use beeline_bench::{compare, table::Table};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs where chance has a say, if nothing else is asked for.
const SEEDS: u64 = 11;
/// Seconds of a run, if nothing else is asked for.
const TIME: u64 = 60;
/// How much longer than its limit a run may take to stop by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// One run.
struct Run {
    instance: &'static Instance,
    configuration: &'static Configuration,
    key: Key,
}

/// What was asked for.
struct Plan {
    time: Duration,
    memory: Option<String>,
    seeds: u64,
    instances: Vec<String>,
    records: Option<PathBuf>,
    /// Print each record, too.
    json: bool,
}

impl Plan {
    fn new(args: &Args) -> Result<Self, Stop> {
        let seeds = args.value("seeds").and_then(|text| text.parse().ok());
        let seconds = |text: &str| options::duration(text).ok();
        Ok(Self {
            time: args.value("time-limit").and_then(seconds).unwrap_or(Duration::from_secs(TIME)),
            memory: args.value("memory-limit").map(str::to_string),
            seeds: if args.flag("quick") { 1 } else { seeds.unwrap_or(SEEDS) },
            instances: args.values("instance").into_iter().map(str::to_string).collect(),
            records: args.value("records").map(PathBuf::from),
            json: args.flag("json"),
        })
    }

    /// All runs of a suite.
    fn runs(&self, suite: &'static Suite) -> Vec<Run> {
        let wanted = |instance: &&'static Instance| {
            self.instances.is_empty() || self.instances.iter().any(|name| name == instance.name)
        };
        let mut runs = Vec::new();
        for instance in suite.instances().filter(wanted) {
            for configuration in suite.configurations {
                let seeds = match configuration.random {
                    true => (1..=self.seeds).map(Some).collect(),
                    false => vec![None],
                };
                runs.extend(seeds.into_iter().map(|seed| {
                    let key = Key {
                        suite: suite.name.to_string(),
                        instance: instance.name.to_string(),
                        configuration: configuration.name.to_string(),
                        seed,
                    };
                    Run { instance, configuration, key }
                }));
            }
        }
        runs
    }
}

/// Runs suites, and reports what came of them.
pub fn run(
    suites: &[&'static Suite],
    args: &Args,
    workplace: &Workplace,
    output: &mut Output,
) -> CommandResult {
    let plan = Plan::new(args)?;
    let report =
        args.value("report").map(|file| report_file(file).map(|format| (file, format))).transpose()?;
    let before = args.value("compare").map(|file| read(Path::new(file))).transpose()?;
    let all = || suites.iter().flat_map(|suite| suite.instances());
    if let Some(name) = plan.instances.iter().find(|name| all().all(|instance| instance.name != **name)) {
        let known: Vec<&str> = all().map(|instance| instance.name).collect();
        return Err(Stop::no_such("instance", name, &known));
    }
    let mut records = match &plan.records {
        Some(file) if file.exists() => read(file)?,
        _ => Vec::new(),
    };
    let done: BTreeSet<Key> =
        records.iter().filter(|record| plan.counts(record)).map(|r| r.key.clone()).collect();
    let runs: Vec<Run> = suites.iter().flat_map(|suite| plan.runs(suite)).collect();
    let left: Vec<&Run> = runs.iter().filter(|run| !done.contains(&run.key)).collect();
    if left.len() < runs.len() {
        output.err(&format!(
            "note: {} of {} runs are taken from the records\n",
            runs.len() - left.len(),
            runs.len()
        ));
    }
    let finished = carry_out(&plan, &left, workplace, output, &mut records)?;
    let wanted: BTreeSet<Key> = runs.into_iter().map(|run| run.key).collect();
    records.retain(|record| wanted.contains(&record.key));
    if !plan.json {
        output.out(&Report::new("Benchmark results", &records).write(Format::Markdown));
    }
    if let Some((file, format)) = report {
        let text = Report::new("Benchmark results", &records).write(format);
        files::write(Path::new(file), text.as_bytes()).map_err(|e| unwritable(Path::new(file), &e))?;
    }
    let mut exit = if finished { Exit::Holds } else { Exit::Unknown };
    if let Some(before) = before {
        let changes = compare::changes(&before, &records);
        for (key, change) in &changes {
            let seed = key.seed.map_or(String::new(), |seed| format!(", seed {seed}"));
            output.out(&format!("{} {} {}{seed}: {change}\n", key.suite, key.instance, key.configuration));
        }
        output.out(&format!("{} changes, {} for the worse\n", changes.len(), {
            changes.iter().filter(|(_, change)| change.worse()).count()
        }));
    }
    let wrong = suites.iter().flat_map(|suite| Table::new(suite, &records).contradictions());
    for contradiction in wrong {
        output.err(&format!("contradiction: {contradiction}\n"));
        exit = exit.or(Exit::Internal);
    }
    Ok(exit)
}

fn report_file(file: &str) -> Result<Format, Stop> {
    Format::of(file).ok_or_else(|| Stop::usage(format!("--report: {file} ends neither in .md nor in .html")))
}

fn unwritable(file: &Path, error: &std::io::Error) -> Stop {
    Stop::usage(format!("{} cannot be written: {error}", file.display()))
}

fn read(file: &Path) -> Result<Vec<Record>, Stop> {
    let unreadable = |e| Stop::usage(format!("{} cannot be read: {e}", file.display()));
    let bytes = files::read(file).map_err(unreadable)?;
    Ok(Record::read_all(&String::from_utf8_lossy(&bytes)))
}

impl Plan {
    /// Whether a record is of this version and of a run with the same limit.
    fn counts(&self, record: &Record) -> bool {
        record.version == env!("CARGO_PKG_VERSION") && record.time_limit == self.time.as_secs()
    }
}

/// Carries out the runs; false if that was interrupted.
fn carry_out(
    plan: &Plan,
    runs: &[&Run],
    workplace: &Workplace,
    output: &mut Output,
    records: &mut Vec<Record>,
) -> Result<bool, Stop> {
    let start = Instant::now();
    let machine = machine();
    for (number, run) in runs.iter().enumerate() {
        if output.watched() {
            let left = start.elapsed().div_f64(number.max(1) as f64).mul_f64((runs.len() - number) as f64);
            let time = if number == 0 { String::new() } else { format!(", {} s left", left.as_secs()) };
            let Key { instance, configuration, .. } = &run.key;
            output.progress(&format!("{instance} {configuration} ({} of {}{time})", number + 1, runs.len()));
        }
        let Some(record) = measure(plan, run, workplace, &machine)? else {
            output.err("interrupted; what was measured so far is reported\n");
            return Ok(false);
        };
        if let Some(file) = &plan.records {
            let mut lines =
                OpenOptions::new().create(true).append(true).open(file).map_err(|e| unwritable(file, &e))?;
            lines.write_all(record.line().as_bytes()).map_err(|e| unwritable(file, &e))?;
        }
        if plan.json {
            output.out(&record.line());
        }
        records.retain(|old| old.key != record.key);
        records.push(record);
    }
    Ok(true)
}

/// Carries out one run; `None` if that was interrupted.
fn measure(plan: &Plan, run: &Run, workplace: &Workplace, machine: &str) -> Result<Option<Record>, Stop> {
    let model = workplace.file(&format!("{}.xta", run.instance.name));
    if !model.exists() {
        let mut generate = this_executable()?;
        generate.arg("generate").args(run.instance.generate).arg("-o").arg(&model);
        let Some(made) = workplace.run(&mut generate, None)? else { return Ok(None) };
        if made.code != Some(0) {
            let message = format!("there is no model {}: {}", run.instance.name, made.complaint());
            return Err(Stop::Message(Exit::Internal, message));
        }
    }
    let mut check = this_executable()?;
    check.arg("check").arg(&model).args(["-p", "1", "--certify", "never", "--json"]);
    check.args(["--time-limit", &format!("{}ms", plan.time.as_millis())]);
    check.args(run.configuration.check);
    if let Some(memory) = &plan.memory {
        check.args(["--memory-limit", memory]);
    }
    if let Some(seed) = run.key.seed {
        check.args(["--seed", &seed.to_string()]);
    }
    let finished = workplace.run(&mut check, Some(plan.time + PATIENCE))?;
    Ok(finished.map(|finished| record(plan, run, &finished, machine)))
}

/// What a run of `check` came to.
fn record(plan: &Plan, run: &Run, finished: &Finished, machine: &str) -> Record {
    let object: Value = serde_json::from_str(&finished.out).unwrap_or_default();
    let result = &object["results"][0];
    let stats = &result["stats"];
    let status = match (result["verdict"].as_str(), result["reachable"].as_bool()) {
        (Some("holds" | "violated"), Some(true)) => Status::Found,
        (Some("holds" | "violated"), Some(false)) => Status::Proved,
        (Some("unknown"), _) => Status::Unsolved,
        _ => Status::Failed,
    };
    let complaint = || Some(finished.complaint());
    Record {
        key: run.key.clone(),
        status,
        reason: match status {
            Status::Found | Status::Proved => None,
            Status::Unsolved => result["reason"].as_str().map(str::to_string).or_else(complaint),
            Status::Failed => complaint(),
        },
        length: result["trace"]["length"].as_u64(),
        expanded: stats["expanded"].as_u64().unwrap_or(0),
        generated: stats["generated"].as_u64().unwrap_or(0),
        cpu_seconds: finished.usage.cpu.as_secs_f64(),
        resident_bytes: finished.usage.resident,
        time_limit: plan.time.as_secs(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        machine: machine.to_string(),
    }
}

/// The processor, as far as the system tells, and how many there are.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = |line: &str| {
        line.split_once(':').filter(|(key, _)| key.trim() == "model name").map(|(_, n)| n.trim().to_string())
    };
    let name = text.lines().find_map(named).unwrap_or_else(|| std::env::consts::ARCH.to_string());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{name}, {cores} cores, {}", std::env::consts::OS)
}
