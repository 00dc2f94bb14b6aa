//! The suites after the papers: each instance with each configuration and each peer, as often as chance asks for, a fresh
//! process for every run. What a run came to is written down at once, so that what was interrupted can be taken up again.

use super::super::{Args, CommandResult, Exit, Output, Stop, files, memory};
use super::peer::{Explored, Found, Peers, Reached, Task};
use super::process::{Finished, Limits, Workplace};
use super::this_executable;
use beeline::options;
use beeline_bench::compare;
use beeline_bench::record::{Key, Record, Status};
use beeline_bench::report::{Format, Report};
use beeline_bench::suite::{Configuration, Instance, MAPS, Rival, Suite, TRACE, Work};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs where chance has a say, if nothing else is asked for.
const SEEDS: u64 = 11;
/// Seconds of a run, if nothing else is asked for.
pub const TIME: u64 = 60;
/// What runs.
const VERSION: &str = if cfg!(debug_assertions) {
    concat!(env!("CARGO_PKG_VERSION"), " with debug assertions")
} else {
    env!("CARGO_PKG_VERSION")
};
/// How much longer than its limit a run may take to stop by itself.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// One run.
struct Run<'a> {
    suite: &'static Suite,
    instance: &'static Instance,
    by: By<'a>,
    key: Key,
}

/// Who runs.
#[derive(Copy, Clone)]
enum By<'a> {
    Us(&'static Configuration),
    Peer(&'static Rival, &'a Found),
}

/// What was asked for.
struct Plan {
    time: Duration,
    memory: Option<u64>,
    seeds: u64,
    instances: Vec<String>,
    records: Option<PathBuf>,
    /// Where pattern databases are kept.
    pdb_cache: Option<PathBuf>,
    /// Print each record, too.
    json: bool,
    /// Processor and system.
    machine: String,
}

impl Plan {
    fn new(args: &Args) -> Self {
        let seeds = args.value("seeds").and_then(|text| text.parse().ok());
        let seconds = |text: &str| options::duration(text).ok();
        let bytes = |text: &str| options::size(text).ok();
        Self {
            time: args.value("time-limit").and_then(seconds).unwrap_or(Duration::from_secs(TIME)),
            memory: args.value("memory-limit").and_then(bytes).or_else(memory::default_limit),
            seeds: if args.flag("quick") { 1 } else { seeds.unwrap_or(SEEDS) },
            instances: args.values("instance").into_iter().map(str::to_string).collect(),
            records: args.value("records").map(PathBuf::from),
            pdb_cache: args.value("pdb-cache").map(PathBuf::from),
            json: args.flag("json"),
            machine: machine(),
        }
    }

    /// All runs of a suite.
    fn runs<'a>(&self, suite: &'static Suite, peers: &'a Peers) -> Vec<Run<'a>> {
        let wanted = |instance: &&'static Instance| {
            self.instances.is_empty() || self.instances.iter().any(|name| name == instance.name)
        };
        let ours = suite.configurations.iter().map(|ours| (ours.name, By::Us(ours), ours.random));
        let theirs = suite.rivals.iter().filter_map(|rival| {
            let found = peers.named(rival.peer)?;
            Some((rival.peer, By::Peer(rival, found), rival.seed.is_some()))
        });
        let all: Vec<(&str, By<'a>, bool)> = ours.chain(theirs).collect();
        let mut runs = Vec::new();
        for instance in suite.instances().filter(wanted) {
            for (name, by, random) in &all {
                let seeds = match random {
                    true => (1..=self.seeds).map(Some).collect(),
                    false => vec![None],
                };
                runs.extend(seeds.into_iter().map(|seed| {
                    let key = Key {
                        suite: suite.name.to_string(),
                        instance: instance.name.to_string(),
                        configuration: (*name).to_string(),
                        seed,
                    };
                    Run { suite, instance, by: *by, key }
                }));
            }
        }
        runs
    }

    /// Whether most seeds of a run's configuration have no answer, so that the median has none, whatever the others do.
    fn settled(&self, key: &Key, records: &[Record]) -> bool {
        let lost = |record: &&Record| {
            let Key { suite, instance, configuration, .. } = &record.key;
            !record.status.solved()
                && (suite, instance, configuration) == (&key.suite, &key.instance, &key.configuration)
        };
        key.seed.is_some() && 2 * records.iter().filter(lost).count() as u64 > self.seeds
    }

    /// Whether a record is of this version, and of a run with the same limits; one of a peer, of the same program.
    fn counts(&self, record: &Record, run: &Run<'_>) -> bool {
        let peer = match run.by {
            By::Us(_) => None,
            By::Peer(_, found) => Some(found.title()),
        };
        record.key == run.key
            && record.version == VERSION
            && record.time_limit == self.time.as_secs()
            && record.memory_limit == self.memory
            && record.peer == peer
    }
}

/// Runs suites, and reports what came of them; `rows` are those of `throughput`, for the report.
pub fn run(
    suites: &[&'static Suite],
    args: &Args,
    peers: &Peers,
    rows: Option<&str>,
    workplace: &Workplace,
    output: &mut Output,
) -> CommandResult {
    let plan = Plan::new(args);
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
    let runs: Vec<Run<'_>> = suites.iter().flat_map(|suite| plan.runs(suite, peers)).collect();
    let wanted: BTreeMap<&Key, &Run<'_>> = runs.iter().map(|run| (&run.key, run)).collect();
    records.retain(|record| wanted.get(&record.key).is_some_and(|run| plan.counts(record, run)));
    let done: BTreeSet<Key> = records.iter().map(|record| record.key.clone()).collect();
    let left: Vec<&Run<'_>> = runs.iter().filter(|run| !done.contains(&run.key)).collect();
    if left.len() < runs.len() {
        output.err(&format!(
            "note: {} of {} runs are taken from the records\n",
            runs.len() - left.len(),
            runs.len()
        ));
    }
    let finished = carry_out(&plan, &left, workplace, output, &mut records)?;
    let mut results = Report::new("Benchmark results", &records, &peers.all);
    results.throughput = rows;
    if !plan.json {
        output.out(&results.write(Format::Markdown));
    }
    if let Some((file, format)) = report {
        let text = results.write(format);
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
    for contradiction in results.sections.iter().flat_map(|section| &section.table.contradictions) {
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

/// Carries out the runs; false if that was interrupted.
fn carry_out(
    plan: &Plan,
    runs: &[&Run<'_>],
    workplace: &Workplace,
    output: &mut Output,
    records: &mut Vec<Record>,
) -> Result<bool, Stop> {
    let start = Instant::now();
    for (number, run) in runs.iter().enumerate() {
        if plan.settled(&run.key, records) {
            continue;
        }
        if output.watched() {
            let left = start.elapsed().div_f64(number.max(1) as f64).mul_f64((runs.len() - number) as f64);
            let time = if number == 0 { String::new() } else { format!(", {} s left", left.as_secs()) };
            let Key { instance, configuration, .. } = &run.key;
            output.progress(&format!("{instance} {configuration} ({} of {}{time})", number + 1, runs.len()));
        }
        let Some(record) = measure(plan, run, workplace)? else {
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
fn measure(plan: &Plan, run: &Run<'_>, workplace: &Workplace) -> Result<Option<Record>, Stop> {
    let name = run.instance.name.replace(' ', "-");
    let model = workplace.file(&format!("{name}.{}", run.suite.ending));
    if !model.exists() {
        let mut generate = this_executable()?;
        generate.arg("generate").args(run.instance.generate).arg("-o").arg(&model);
        let Some(made) = workplace.run(&mut generate, Limits::default())? else { return Ok(None) };
        if made.code != Some(0) {
            let message = format!("there is no model {}: {}", run.instance.name, made.complaint());
            return Err(Stop::Message(Exit::Internal, message));
        }
    }
    match run.by {
        By::Us(configuration) => check(plan, run, configuration, &model, workplace),
        By::Peer(rival, found) => beside(plan, run, (rival, found), &model, workplace),
    }
}

/// The property that is asked of every model: its first.
const PROPERTY: &str = "1";

/// A run of ours.
fn check(
    plan: &Plan,
    run: &Run<'_>,
    configuration: &Configuration,
    model: &Path,
    workplace: &Workplace,
) -> Result<Option<Record>, Stop> {
    let mut check = this_executable()?;
    check.arg("check").arg(model).args(["-p", PROPERTY, "--certify", "never", "--json"]);
    check.args(["--time-limit", &format!("{}ms", plan.time.as_millis())]);
    for word in configuration.check {
        if word.contains(TRACE) && !trace_of(model, workplace)? {
            return Ok(None);
        }
        let file = |ending: &str| model.with_extension(ending).display().to_string();
        check.arg(word.replace(MAPS, &file("maps")).replace(TRACE, &file("trace")));
    }
    if let Some(bytes) = plan.memory {
        check.args(["--memory-limit", &bytes.to_string()]);
    }
    if let Some(directory) = &plan.pdb_cache {
        check.arg("--pdb-cache").arg(directory);
    }
    if let Some(seed) = run.key.seed {
        check.args(["--seed", &seed.to_string()]);
    }
    let limits = Limits { time: Some(plan.time + PATIENCE), memory: None };
    let finished = workplace.run(&mut check, limits)?;
    Ok(finished.map(|finished| record(plan, run, &finished)))
}

/// Makes a trace beside the model, by depth-first search, unless there is one; false if that was interrupted.
fn trace_of(model: &Path, workplace: &Workplace) -> Result<bool, Stop> {
    let file = model.with_extension("trace");
    if file.exists() {
        return Ok(true);
    }
    let mut find = this_executable()?;
    find.arg("check").arg(model).args(["-p", PROPERTY, "--search", "dfs", "--certify", "never", "--quiet"]);
    find.arg("--trace").arg(format!("json={}", file.display()));
    Ok(workplace.run(&mut find, Limits::default())?.is_some())
}

/// A run of a peer.
fn beside(
    plan: &Plan,
    run: &Run<'_>,
    (rival, found): (&Rival, &Found),
    model: &Path,
    workplace: &Workplace,
) -> Result<Option<Record>, Stop> {
    let seed = run.key.seed.map(|seed| seed.to_string());
    let mut options = rival.options.to_vec();
    options.extend(rival.seed.zip(seed.as_deref()).into_iter().flat_map(|(option, seed)| [option, seed]));
    let limits = Limits { time: Some(plan.time), memory: plan.memory };
    let task = Task { model, property: Some(PROPERTY), options: &options, limits };
    let Some(Explored { said, finished }) = found.explore(&task, workplace)? else { return Ok(None) };
    let status = match (&said, &finished) {
        (Ok(Reached { target: true, .. }), _) => Status::Found,
        (Ok(Reached { target: false, .. }), _) => Status::Proved,
        (Err(_), Some(Finished { stopped: Some(_), .. })) => Status::Unsolved,
        (Err(_), _) => Status::Failed,
    };
    let usage = finished.map(|finished| finished.usage);
    Ok(Some(Record {
        status,
        expanded: said.as_ref().ok().and_then(|reached| reached.explored).unwrap_or(0),
        length: said.as_ref().ok().and_then(|reached| reached.length),
        reason: said.err().map(|reason| format!("{}: {reason}", rival.peer)),
        cpu_seconds: usage.map_or(0.0, |usage| usage.cpu.as_secs_f64()),
        resident_bytes: usage.map_or(0, |usage| usage.resident),
        peer: Some(found.title()),
        ..plan.blank(run)
    }))
}

impl Plan {
    /// The record of a run that nothing is known of yet.
    fn blank(&self, run: &Run<'_>) -> Record {
        Record {
            key: run.key.clone(),
            status: Status::Failed,
            reason: None,
            length: None,
            expanded: 0,
            generated: 0,
            entries: None,
            layers: None,
            start: None,
            cpu_seconds: 0.0,
            overhead_seconds: None,
            resident_bytes: 0,
            time_limit: self.time.as_secs(),
            memory_limit: self.memory,
            version: VERSION.to_string(),
            machine: self.machine.clone(),
            peer: None,
        }
    }
}

/// What a run of `check` came to.
fn record(plan: &Plan, run: &Run<'_>, finished: &Finished) -> Record {
    let object: Value = serde_json::from_str(&finished.out).unwrap_or_default();
    let result = &object["results"][0];
    let stats = &result["stats"];
    let status = match (result["verdict"].as_str(), result["reachable"].as_bool()) {
        (Some("holds" | "violated"), Some(true)) => Status::Found,
        (Some("holds" | "violated"), Some(false)) => Status::Proved,
        (Some("unknown"), _) => Status::Unsolved,
        _ if finished.stopped.is_some() => Status::Unsolved,
        _ => Status::Failed,
    };
    let complaint = || Some(finished.complaint());
    let tables = || result["config"]["tables"].as_array().into_iter().flatten();
    Record {
        status,
        reason: match status {
            Status::Found | Status::Proved => None,
            Status::Unsolved => result["reason"].as_str().map(str::to_string).or_else(complaint),
            Status::Failed => complaint(),
        },
        length: result["trace"]["length"].as_u64(),
        expanded: work(stats, run.suite.work).unwrap_or(0),
        generated: stats["generated"].as_u64().unwrap_or(0),
        entries: tables().filter_map(|table| table["entries"].as_u64()).reduce(|sum, entries| sum + entries),
        layers: tables().filter_map(|table| table["layers"].as_u64()).max(),
        start: tables().next().and(result["config"]["h_initial"].as_u64()),
        cpu_seconds: finished.usage.cpu.as_secs_f64(),
        overhead_seconds: stats["preprocess_seconds"].as_f64(),
        resident_bytes: finished.usage.resident,
        ..plan.blank(run)
    }
}

/// What the suite counts. An engine that does not say how many nodes it made in all says how many there were at most.
pub fn work(stats: &Value, work: Work) -> Option<u64> {
    let number = |name: &str| stats[name].as_u64().filter(|number| *number > 0);
    match work {
        Work::States | Work::TimedStates => number("expanded"),
        Work::Nodes => number("total_nodes").or_else(|| number("stored")),
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
    let cores = if cores == 1 { "one core".to_string() } else { format!("{cores} cores") };
    format!("{name}, {cores}, {}", std::env::consts::OS)
}
