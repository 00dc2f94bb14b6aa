//! `replay`: a trace from a file, judged by the kernel alone.

use super::traces::{TraceWishes, render_trace, save_trace, shown as shown_trace};
use super::{Args, CommandResult, Exit, Output, Stop, files, header, interrupt, print_json};
use beeline::properties;
use beeline_ir::limits::Limits;
use beeline_report::answer::{Shortest, TraceAnswer};
use beeline_report::text::count;
use beeline_report::view::plain;
use beeline_report::{json, trace_json};
use serde_json::{Value, json};

/// Replays a trace and shows it.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let wishes = TraceWishes::new(args)?;
    let (path, file) = (args.path("MODEL"), args.path("TRACE"));
    let loaded = beeline::load(&path)?;
    let model = &loaded.model;
    let malformed = |e: String| Stop::usage(format!("{}: {e}", file.display()));
    let bytes = files::read(&file).map_err(|e| malformed(format!("cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| malformed("not UTF-8 text".into()))?;
    let trace = trace_json::read(model, &text).map_err(malformed)?;
    let limits = Limits::default();
    interrupt::install(&limits.cancel);
    let result = if trace.model == model.hash() {
        let property = properties::read(model, &trace.property)?;
        beeline_check::replay_within(model, &property, &trace, &limits)
            .map(|replayed| (properties::shown(model, &property), property, replayed))
            .map_err(|e| (if e.stopped.is_some() { Exit::Unknown } else { Exit::Violated }, e.to_string()))
    } else {
        Err((Exit::Violated, "the trace belongs to another model".to_string()))
    };
    let mut exit = result.as_ref().err().map_or(Exit::Holds, |(exit, _)| *exit);
    let answer = result.map_err(|(_, reason)| reason).map(|(shown, property, replayed)| {
        // A trace alone does not show that there is no shorter one.
        (shown, TraceAnswer::new(model, &property, &trace, &replayed, Shortest::No))
    });
    if let Ok((_, answer)) = &answer {
        for (format, target) in &wishes.files {
            exit = exit.or(save_trace(output, target, render_trace(model, answer, format)));
        }
    }
    if args.flag("json") {
        let mut object = header(&path, Some(&loaded));
        object["results"] = json!([{
            "property": trace.property,
            "replayed": answer.is_ok(),
            "reason": answer.as_ref().err(),
            "trace": answer.as_ref().map_or(Value::Null, |(_, a)| json::trace_answer(model, a)),
        }]);
        print_json(output, &object);
    } else {
        output.out(&match &answer {
            Ok((shown, answer)) => {
                let steps = count(answer.story.length as usize, "step", "steps");
                let line = format!("replayed  {}: {steps} lead to its state of interest\n", plain(shown));
                match args.flag("quiet") {
                    true => line,
                    false => format!("{line}\n{}", shown_trace(render_trace(model, answer, &wishes.shown))),
                }
            }
            Err(reason) => format!("refused  {}: {}\n", plain(&trace.property), plain(reason)),
        });
    }
    Ok(exit)
}
