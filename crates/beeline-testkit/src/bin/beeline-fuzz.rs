//! `beeline-fuzz`: random models against the oracle, from the command line.
#![allow(clippy::print_stdout, clippy::print_stderr)] // this is where the harness speaks

use beeline_testkit::generate::{Profile, Shape};
use beeline_testkit::harness::{self, Plan, Report, Subject};
use beeline_zones::fault::Fault;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: beeline-fuzz [--profile timed|discrete|uppaal|promela|smv|both|all] [--seed N] [--models N] [--threads N] [--budget N]
                    [--fault NAME] [--failures N] [--no-shrink] [--out DIR] [--clones] [--sparse]
                    [--heuristics [--only NAMES]|--projections|--reductions|--symbolic|--nusmv]

Makes random models from consecutive seeds, runs every search on each with random options, and compares verdicts,
lengths, reachable sets, traces and certificates with the oracle; models of the profile uppaal are printed as source
text first, read again, and must still give the same answers. Failing models are shrunk and printed, or written
to DIR. With --heuristics, every heuristic is held to its promises on all states of each model instead (of some
heuristics only, if their names are given, with commas); with
--projections, projections to random patterns are compared with each model; with --reductions, searches with
partial-order reduction, symmetry and compact storage are compared with those without; with --symbolic, the symbolic
engine is compared with the explicit one and the oracle, on timed models with closed clock constraints only; with
--nusmv, the symbolic engine is compared with NuSMV (the environment variable BEELINE_NUSMV, or NuSMV on the path). Models of
the profile smv are for --symbolic, --nusmv, --heuristics and --reductions, those of the profile promela for
--heuristics and --reductions, or for every search and the symbolic engine at once.
With --clones, models get processes that nobody can tell apart, so that searches with symmetry have something to do.
With --sparse, models of networks are such that little happens but what gets in the way of something else.
Exit code 0: no disagreement; 1: some; 2: usage.";

#[derive(Copy, Clone, PartialEq, Eq)]
enum Language {
    Smv,
    Promela,
}

struct Arguments {
    profiles: Vec<Profile>,
    /// Models that are made as text.
    language: Option<Language>,
    plan: Plan,
    out: Option<PathBuf>,
}

fn arguments() -> Result<Arguments, String> {
    let mut profiles = vec![Profile::Timed, Profile::Discrete];
    let mut language = None;
    let mut plan = Plan::new(Profile::Timed, 10_000);
    plan.threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut out = None;
    let mut words = std::env::args().skip(1);
    while let Some(flag) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{flag} needs a value"));
        match flag.as_str() {
            "--profile" => {
                profiles = match value()?.as_str() {
                    "timed" => vec![Profile::Timed],
                    "discrete" => vec![Profile::Discrete],
                    "uppaal" => vec![Profile::Uppaal],
                    "smv" => {
                        language = Some(Language::Smv);
                        Vec::new()
                    }
                    "promela" => {
                        language = Some(Language::Promela);
                        Vec::new()
                    }
                    "all" => vec![Profile::Timed, Profile::Discrete, Profile::Uppaal],
                    "both" => vec![Profile::Timed, Profile::Discrete],
                    other => return Err(format!("no profile {other}")),
                }
            }
            "--seed" => plan.seed = number(&value()?)?,
            "--models" => plan.models = number(&value()?)?,
            "--threads" => plan.threads = number(&value()?)? as usize,
            "--budget" => plan.budget = number(&value()?)? as usize,
            "--failures" => plan.failures = number(&value()?)? as usize,
            "--fault" => {
                let name = value()?;
                let names: Vec<&str> = Fault::ALL.iter().map(|f| f.name()).collect();
                let fault = Fault::from_name(&name);
                plan.fault =
                    Some(fault.ok_or_else(|| format!("no fault {name}; there are {}", names.join(", ")))?);
            }
            "--heuristics" => plan.subject = Subject::Heuristics,
            "--only" => plan.only = value()?.split(',').map(str::to_string).collect(),
            "--projections" => plan.subject = Subject::Projections,
            "--reductions" => plan.subject = Subject::Reductions,
            "--symbolic" => plan.subject = Subject::Symbolic,
            "--clones" => plan.clones = true,
            "--sparse" => plan.sparse = true,
            "--no-shrink" => plan.shrink_attempts = 0,
            "--nusmv" => {
                (plan.subject, language) = (Subject::NuSmv, Some(Language::Smv));
                profiles = Vec::new();
            }
            "--out" => out = Some(PathBuf::from(value()?)),
            other => return Err(format!("no option {other}")),
        }
    }
    // The models are shared out evenly among the profiles.
    plan.models = plan.models.div_ceil(profiles.len().max(1) as u64);
    let is_relational = !matches!(plan.subject, Subject::Searches | Subject::Projections);
    if language == Some(Language::Smv) && !is_relational {
        return Err("--profile smv is for --symbolic, --nusmv, --heuristics and --reductions".to_string());
    }
    Ok(Arguments { profiles, language, plan, out })
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut failed = false;
    let written = arguments.language.map(|_| None);
    for profile in arguments.profiles.iter().copied().map(Some).chain(written) {
        let mut plan = arguments.plan.clone();
        if let Some(profile) = profile {
            plan.shape = Shape::new(profile);
        }
        if plan.subject == Subject::Symbolic {
            plan.shape = harness::symbolic::closed(plan.shape);
        }
        let promela = arguments.language == Some(Language::Promela);
        let name = profile.map_or(if promela { "promela" } else { "smv" }, Profile::name);
        let start = Instant::now();
        let progress = progress_line(start, plan.models);
        let report = match profile {
            Some(_) => harness::run(&plan, &progress),
            None if promela => harness::run_promela(&plan, &progress),
            None => harness::run_smv(&plan, &progress),
        };
        let seconds = start.elapsed().as_secs_f64();
        println!("== {name} models, seeds {}..{}", plan.seed, plan.seed + plan.models);
        println!("{report}");
        println!(
            "speed         {:>12.0}   models per second, {seconds:.1} s",
            report.models as f64 / seconds
        );
        for failure in &report.failures {
            failed = true;
            match &arguments.out {
                Some(folder) => {
                    let path = folder.join(format!(
                        "{name}-{}.{}",
                        failure.seed,
                        if profile.is_some() {
                            "beeline"
                        } else if promela {
                            "pml"
                        } else {
                            "smv"
                        }
                    ));
                    let written = std::fs::create_dir_all(folder)
                        .and_then(|()| std::fs::write(&path, failure.to_string()));
                    match written {
                        Ok(()) => println!("{}: {}", path.display(), failure.trouble),
                        Err(error) => eprintln!("{}: {error}\n{failure}", path.display()),
                    }
                }
                None => println!("---\n{failure}"),
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Says on standard error, every few seconds, how far the run is.
fn progress_line(start: Instant, models: u64) -> impl Fn(&Report) + Sync {
    let state = Mutex::new((0_u64, 0_usize, Duration::ZERO));
    move |part: &Report| {
        let Ok(mut state) = state.lock() else { return };
        state.0 += part.models;
        state.1 += part.failures.len();
        let now = start.elapsed();
        if now >= state.2 + Duration::from_secs(5) {
            state.2 = now;
            eprintln!(
                "{:>10} of {models} models, {} disagreements, {:.0} s",
                state.0,
                state.1,
                now.as_secs_f64()
            );
        }
    }
}
