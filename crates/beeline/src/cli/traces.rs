//! `--trace`: which formats go where.

use super::{Args, Stop};
use beeline::options::to_file;
use beeline_ir::model::Model;
use beeline_report::answer::TraceAnswer;
use beeline_report::{dot, itf, json, text};
use serde_json::Value;
use std::path::PathBuf;

/// How traces are to be shown and written.
pub struct TraceWishes {
    /// The format on standard output.
    pub shown: String,
    /// Formats and files.
    pub files: Vec<(String, PathBuf)>,
}

impl TraceWishes {
    /// The wishes of a command line.
    pub fn new(args: &Args) -> Result<Self, Stop> {
        let given: Vec<_> = args.values("trace").into_iter().map(to_file).collect();
        let mut shown =
            given.iter().filter(|(_, file)| file.is_none()).map(|(format, _)| (*format).to_string());
        let first = shown.next();
        if shown.next().is_some() {
            return Err(Stop::usage(
                "only one format of the trace can be printed; write the others to files",
            ));
        }
        if args.flag("json") && first.is_some() {
            return Err(Stop::usage(
                "--json prints one object with the trace in it; use --trace FORMAT=FILE",
            ));
        }
        let files =
            given.iter().filter_map(|(format, file)| Some(((*format).to_string(), PathBuf::from((*file)?))));
        Ok(Self { shown: first.unwrap_or_else(|| "text".into()), files: files.collect() })
    }
}

/// A trace in one of the formats of `--trace`.
pub fn render_trace(model: &Model, trace: &TraceAnswer<'_>, format: &str) -> String {
    let pretty = |value: &Value| format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default());
    match format {
        "json" => pretty(&json::trace_answer(model, trace)),
        "itf" => pretty(&itf::render(&trace.story)),
        "dot" => dot::trace(&trace.story),
        _ => text::trace(&trace.story),
    }
}
