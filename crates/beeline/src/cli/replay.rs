//! `replay`: a trace from a file, judged by the kernel alone.

use super::traces::{TraceWishes, in_native_words, render_trace, save_trace};
use super::{Args, CommandResult, Exit, Output, Stop, files, header, interrupt, print_json};
use beeline::properties;
use beeline_ir::limits::Limits;
use beeline_ir::text::print_property;
use beeline_report::answer::{Shortest, TraceAnswer};
use beeline_report::text::count;
use beeline_report::trace_json::Document;
use beeline_report::view::plain;
use beeline_report::{json, text};
use serde_json::{Value, json};

/// Replays a trace and shows it.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let wishes = TraceWishes::new(args)?;
    let (path, file) = (args.path("MODEL"), args.path("TRACE"));
    let malformed = |e: String| Stop::usage(format!("{}: {e}", file.display()));
    let bytes = files::read(&file).map_err(|e| malformed(format!("cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| malformed("not UTF-8 text".into()))?;
    let document = Document::read(&text).map_err(malformed)?;
    let loaded = beeline::load_matching(&path, document.model)?;
    let model = &loaded.model;
    let asked = document.property.clone();
    let limits = Limits::default();
    interrupt::install(&limits.cancel);
    let result = if document.model == model.hash() {
        let trace = document.trace(model).map_err(malformed)?;
        // The model's own one knows its words.
        let own = model.properties().iter().find(|property| print_property(model, property) == asked);
        let property = own.map_or_else(|| properties::read(model, &asked), |own| Ok(own.clone()))?;
        beeline_check::replay_within(model, &property, &trace, &limits)
            // A trace alone does not show that there is no shorter one.
            .map(|replayed| TraceAnswer::new(model, &property, &trace, &replayed, Shortest::No))
            .map(|mut answer| {
                in_native_words(&loaded, &property, &mut answer);
                (properties::shown(model, &property), answer)
            })
            .map_err(|e| (if e.stopped.is_some() { Exit::Unknown } else { Exit::Violated }, e.to_string()))
    } else {
        Err((Exit::Violated, "the trace belongs to another model".to_string()))
    };
    let mut exit = result.as_ref().err().map_or(Exit::Holds, |(exit, _)| *exit);
    let answer = result.map_err(|(_, reason)| reason);
    if let Ok((_, answer)) = &answer {
        for (format, target) in &wishes.files {
            exit = exit.or(save_trace(output, target, render_trace(model, answer, format)));
        }
    }
    if args.flag("json") {
        let mut object = header(&path, Some(&loaded));
        object["results"] = json!([{
            "property": asked,
            "replayed": answer.is_ok(),
            "reason": answer.as_ref().err(),
            "trace": answer.as_ref().map_or(Value::Null, |(_, a)| json::trace_answer(model, a)),
        }]);
        print_json(output, &object);
    } else {
        let mut report = match &answer {
            Ok((shown, answer)) => {
                let steps = count(answer.story.length as usize, "step", "steps");
                format!("replayed  {}: {steps} lead to its state of interest\n", plain(shown))
            }
            Err(reason) => format!("refused  {}: {}\n", plain(&asked), plain(reason)),
        };
        if let (Ok((_, answer)), None, false) = (&answer, &wishes.alone, args.flag("quiet")) {
            report.push_str(&format!("\n{}", text::trace(&answer.story)));
        }
        wishes.tell(output, &report);
        if let Ok((_, answer)) = &answer {
            exit = exit.or(wishes.print_alone(output, model, answer));
        }
    }
    Ok(exit)
}
