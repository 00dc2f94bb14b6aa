//! The command line: one module per command, and what they share.

mod args;
mod asked;
mod bench;
mod check;
mod convert;
mod crash;
mod exit;
mod files;
mod generate;
mod info;
mod interrupt;
mod list;
mod manual;
mod memory;
mod output;
mod progress;
mod replay;
mod traces;
mod verify_certificate;

use args::Args;
use beeline::{LoadError, Loaded};
use beeline_ir::diagnostic::{Diagnostic, Severity, SourceText};
use exit::Exit;
use output::Output;
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Stack of the thread that does everything: nesting is bounded, but debug builds use much of it per level.
const STACK: usize = 64 << 20;

/// Runs the command line.
pub fn main() -> ExitCode {
    crash::install_hook();
    let worker = std::thread::Builder::new().name("beeline".into()).stack_size(STACK).spawn(run);
    // A panic has been reported by the hook.
    let exit = worker.map_or(Exit::Internal, |thread| thread.join().unwrap_or(Exit::Internal));
    ExitCode::from(exit.code())
}

fn run() -> Exit {
    let mut output = Output::default();
    let exit = match args::command().try_get_matches() {
        Ok(matches) => match matches.subcommand() {
            Some((name, matches)) => dispatch(name, &Args::new(matches.clone()), &mut output),
            None => Exit::Usage,
        },
        Err(message) if message.use_stderr() => {
            output.err(&message.to_string());
            Exit::Usage
        }
        Err(help) => {
            output.out(&help.to_string());
            Exit::Holds
        }
    };
    match output.failure().map(ToString::to_string) {
        Some(failure) => {
            output.err(&format!("beeline: the output could not be written: {failure}\n"));
            exit.or(Exit::Usage)
        }
        None => exit,
    }
}

fn dispatch(name: &str, args: &Args, output: &mut Output) -> Exit {
    let result = match name {
        "check" => check::run(args, output),
        "replay" => replay::run(args, output),
        "verify-certificate" => verify_certificate::run(args, output),
        "info" => info::run(args, output),
        "list" => list::run(args, output),
        "convert" => convert::run(args, output),
        "generate" => generate::run(args, output),
        "bench" => bench::run(args, output),
        "manual" => {
            let page = if args.flag("heuristics") { manual::page() } else { args::manual() };
            output.out(&page);
            Ok(Exit::Holds)
        }
        _ => Err(Stop::usage(format!("unknown command `{name}`"))),
    };
    result.unwrap_or_else(|stop| stop.report(name, args, output))
}

/// Why a command ends before it has done its job.
#[derive(Debug)]
pub enum Stop {
    /// Something about the input text.
    Diagnostics {
        /// The text.
        source: SourceText,
        /// What is wrong with it.
        diagnostics: Vec<Diagnostic>,
        /// Whether it is just not supported.
        unsupported: bool,
    },
    /// Something else.
    Message(Exit, String),
}

impl Stop {
    /// Wrong usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Message(Exit::Usage, message.into())
    }

    /// Something was named that does not exist.
    pub fn no_such(kind: &str, name: &str, known: &[&str]) -> Self {
        let near = beeline_ir::text::suggest(name, known.iter().copied());
        let meant = near.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        Self::usage(format!("there is no {kind} `{name}`{meant}; there are: {}", known.join(", ")))
    }

    fn report(self, command: &str, args: &Args, output: &mut Output) -> Exit {
        let json = beeline::options::OPTIONS
            .iter()
            .any(|o| o.name == "json" && o.commands.contains(&command) && args.flag("json"));
        let (exit, text, data) = match self {
            Self::Diagnostics { source, diagnostics, unsupported } => {
                let exit = if unsupported { Exit::Unsupported } else { Exit::Usage };
                let colour = output.colour_err();
                let text = beeline_report::diagnostics::render(&source, &diagnostics, colour);
                (exit, text, beeline_report::diagnostics::to_json(&source, &diagnostics))
            }
            Self::Message(exit, message) => {
                let data = json!([{ "severity": "error", "message": message }]);
                (exit, format!("beeline: {message}\n"), data)
            }
        };
        output.err(&text);
        if json {
            let mut object = header(&args.path("MODEL"), None);
            object["diagnostics"] = data;
            print_json(output, &object);
        }
        exit
    }
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Self {
        let unsupported = error.unsupported();
        Self::Diagnostics { source: error.source, diagnostics: error.diagnostics, unsupported }
    }
}

impl From<beeline::properties::PropertyError> for Stop {
    fn from(error: beeline::properties::PropertyError) -> Self {
        let unsupported = error.diagnostics.iter().all(|d| d.severity == Severity::Unsupported);
        Self::Diagnostics { source: error.source, diagnostics: error.diagnostics, unsupported }
    }
}

/// The result of a command.
pub type CommandResult = Result<Exit, Stop>;

/// Says on standard error what is worth knowing about the input: warnings, and notes unless `quiet`.
fn remarks(output: &mut Output, loaded: &Loaded, found: Option<&Path>, quiet: bool) {
    let worth = |d: &&Diagnostic| !quiet || d.severity != Severity::Note;
    let notes: Vec<Diagnostic> = loaded.notes.iter().filter(worth).cloned().collect();
    let rendered = beeline_report::diagnostics::render(&loaded.source, &notes, output.colour_err());
    output.err(&rendered);
    if let Some(file) = found.filter(|_| !quiet) {
        output.err(&format!("note: the queries are those of {}\n", file.display()));
    }
}

/// What every JSON object begins with.
fn header(model: &Path, loaded: Option<&Loaded>) -> Value {
    json!({
        "beeline": env!("CARGO_PKG_VERSION"),
        "model": model.display().to_string(),
        "model_hash": loaded.map(|l| l.model.hash().to_string()),
        "results": [],
    })
}

/// Adds what is worth knowing about the input to a JSON object.
fn add_notes(object: &mut Value, loaded: &Loaded) {
    if !loaded.notes.is_empty() {
        object["diagnostics"] = beeline_report::diagnostics::to_json(&loaded.source, &loaded.notes);
    }
}

fn print_json(output: &mut Output, value: &Value) {
    // Values made here have string keys only, so writing them does not fail.
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    output.out(&format!("{text}\n"));
}

/// Writes a file the user asked for. That it cannot be written takes nothing away from the answer.
fn save(output: &mut Output, path: &Path, bytes: &[u8]) -> Exit {
    match files::write(path, bytes) {
        Ok(()) => Exit::Holds,
        Err(error) => {
            output.err(&format!("beeline: {} cannot be written: {error}\n", path.display()));
            Exit::Usage
        }
    }
}
