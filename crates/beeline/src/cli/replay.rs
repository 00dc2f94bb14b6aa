//! `replay`: a trace from a file, judged by the kernel alone.

use super::traces::{TraceWishes, render_trace};
use super::{Args, CommandResult, Exit, Output, Stop, files, header, print_json, save};
use beeline::properties;
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
    let result = if trace.model == model.hash() {
        let property = properties::read(model, &trace.property)?;
        beeline_check::replay(model, &property, &trace)
            .map(|replayed| (properties::shown(model, &property), property, replayed))
            .map_err(|e| e.to_string())
    } else {
        Err("the trace belongs to another model".into())
    };
    let answer = result.map(|(shown, property, replayed)| {
        // A trace alone does not show that there is no shorter one.
        (shown, TraceAnswer::new(model, &property, &trace, &replayed, Shortest::No))
    });
    let mut exit = if answer.is_ok() { Exit::Holds } else { Exit::Violated };
    if let Ok((_, answer)) = &answer {
        for (format, target) in &wishes.files {
            let text = render_trace(model, answer, format);
            exit = exit.or(save(output, target, text.as_bytes()));
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
                    false => format!("{line}\n{}", render_trace(model, answer, &wishes.shown)),
                }
            }
            Err(reason) => format!("refused  {}: {}\n", plain(&trace.property), plain(reason)),
        });
    }
    Ok(exit)
}
