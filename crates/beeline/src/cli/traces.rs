//! `--trace`: which formats go where. A trace for people stands inside the report. One for another program is all there is
//! on standard output, so that it can be piped; the report then goes to standard error.

use super::{Args, Exit, Output, Stop, save};
use beeline::Loaded;
use beeline::load::Language;
use beeline::options::to_file;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::layout::Label;
use beeline_ir::model::Model;
use beeline_ir::property::Property;
use beeline_ir::trace::{NetworkStep, Run};
use beeline_report::answer::TraceAnswer;
use beeline_report::story::{Moment, PartWords, Step};
use beeline_report::{dot, itf, json, text};
use beeline_smv::{nusmv_trace, nusmv_xml};
use beeline_uppaal::{TraceRun, TraceState, TraceStep, XtrState, ZoneBound, verifyta_trace, xtr_trace};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How traces are to be shown and written.
pub struct TraceWishes {
    /// The format that is printed alone, for another program.
    pub alone: Option<String>,
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
        Ok(Self { alone: first.filter(|format| format != "text"), files: files.collect() })
    }

    /// Prints a part of the report.
    pub fn tell(&self, output: &mut Output, text: &str) {
        match self.alone {
            Some(_) => output.err(text),
            None => output.out(text),
        }
    }

    /// Whether the report has colours.
    pub fn colour(&self, output: &Output) -> bool {
        if self.alone.is_some() { output.colour_err() } else { output.colour_out() }
    }

    /// Prints a trace alone, if that is wished.
    pub fn print_alone(&self, output: &mut Output, model: &Model, trace: &TraceAnswer<'_>) -> Exit {
        let Some(format) = &self.alone else { return Exit::Holds };
        match render_trace(model, trace, format) {
            Ok(text) => {
                output.out(&text);
                Exit::Holds
            }
            Err(reason) => {
                output.err(&format!("beeline: the trace is not printed: {reason}\n"));
                Exit::Unsupported
            }
        }
    }
}

/// Processes that have a column each; more of them cannot be told apart.
const MOST_COLUMNS: usize = 8;

/// A label of a Promela model by its lines and statements.
pub fn label_in_native_words(loaded: &Loaded, label: &Label) -> Option<String> {
    let (Language::Promela(symbols), Model::Network(network)) = (&loaded.language, &loaded.model) else {
        return None;
    };
    let told = beeline_promela::Teller::new(network, symbols).label(label, &[]);
    let words = told.iter().map(|part| format!("{}{}: {}", part.who, part.place, part.statement));
    Some(words.collect::<Vec<_>>().join(" | "))
}

/// Tells the steps of a trace of a Promela model by its lines and statements, with a column for each process.
pub fn in_native_words(loaded: &Loaded, property: &Property, answer: &mut TraceAnswer<'_>) {
    let (Language::Promela(symbols), Model::Network(network), Run::Network(run)) =
        (&loaded.language, &loaded.model, &answer.trace.run)
    else {
        return;
    };
    let teller = beeline_promela::Teller::new(network, symbols);
    let story = &mut answer.story;
    if loaded.lacks_slots(property, &answer.trace)
        && let Some(last) = story.steps.last_mut()
    {
        // Nobody gets anywhere by that step, whatever the property says of the place it leads to.
        last.failure = Some("too many processes: there is no room for another one".into());
        last.after = None;
    }
    let mut columns: Vec<String> = Vec::new();
    let mut before = &story.start;
    for (told, step) in story.steps.iter_mut().zip(&run.steps) {
        told.parts.clear();
        for part in teller.label(&step.label, &before.slots) {
            let known = columns.iter().position(|who| *who == part.who);
            let column = known.unwrap_or(columns.len());
            if known.is_none() {
                columns.push(part.who.clone());
            }
            let head = format!("{}{}: {}", part.who, part.place, part.statement);
            let text = format!("{}: {}", part.place.trim_start(), part.statement);
            told.parts.push(PartWords {
                head,
                sync: None,
                details: Vec::new(),
                column: Some((column, text)),
            });
        }
        before = told.after.as_ref().unwrap_or(before);
    }
    let standing = teller.standing(&before.slots);
    if columns.len() > MOST_COLUMNS {
        // Each line names its process then.
        columns.clear();
        story.steps.iter_mut().flat_map(|step| &mut step.parts).for_each(|part| part.column = None);
    }
    story.columns = columns;
    story.standing = Some(standing);
    let fails = story.steps.last().is_some_and(|step| step.failure.is_some() || step.after.is_none());
    let befores =
        std::iter::once(Some(&story.start)).chain(story.steps.iter().map(|step| step.after.as_ref()));
    let steps =
        run.steps.iter().zip(befores).filter_map(|(step, before)| Some((&step.label, &*before?.slots)));
    let claim = property.observer().map(|observer| (observer, run.observer_start));
    let trail = beeline_promela::Trail::new(network, steps, fails, claim);
    answer.trail = Some((trail.to_string(), trail.depth()));
}

/// A trace in one of the formats of `--trace`, or why it has no such form.
pub fn render_trace(model: &Model, trace: &TraceAnswer<'_>, format: &str) -> Result<String, String> {
    let pretty = |value: &Value| format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default());
    Ok(match format {
        "json" => pretty(&json::trace_answer(model, trace)),
        "itf" => pretty(&itf::render(&trace.story)),
        "dot" => dot::trace(&trace.story),
        "trail" => match &trace.trail {
            Some((trail, _)) => trail.clone(),
            None => return Err("only traces of Promela models have the form `trail`".into()),
        },
        "verifyta" | "xtr" => return uppaal_trace(model, trace, format),
        "nusmv" | "nusmv-xml" => return smv_trace(model, trace, format),
        _ => text::trace(&trace.story),
    })
}

/// A trace in one of UPPAAL's own forms.
fn uppaal_trace(model: &Model, answer: &TraceAnswer<'_>, format: &str) -> Result<String, String> {
    let (Model::Network(network), Run::Network(run)) = (model, &answer.trace.run) else {
        return Err(format!("only traces of networks have the form `{format}`"));
    };
    let written = if format == "verifyta" {
        let state = |m: &Moment| TraceState { slots: m.slots.clone(), clocks: m.clocks.clone() };
        let step = |(told, step): (&Step, &NetworkStep)| TraceStep {
            delay: step.delay,
            label: step.label.clone(),
            after: told.after.as_ref().map(state),
        };
        let steps = answer.story.steps.iter().zip(&run.steps).map(step).collect();
        let start = state(&answer.story.start);
        verifyta_trace(network, &TraceRun { start, steps, last_delay: run.last_delay })
    } else {
        let bound = |c: &ZoneConstraint| {
            let limit = i32::try_from(c.bound).ok()?;
            Some(ZoneBound { left: c.left, right: c.right, limit, strict: c.strict })
        };
        let state = |(slots, zone): (Vec<i64>, Vec<ZoneConstraint>)| XtrState {
            slots,
            zone: zone.iter().filter_map(bound).collect(),
        };
        let states = beeline_engine::symbolic_run(network, run).unwrap_or_default();
        let mut states = states.into_iter().map(state);
        let start = states.next().ok_or("the trace is no run of the network")?;
        let labels = run.steps.iter().map(|step| step.label.clone());
        xtr_trace(network, &start, &labels.zip(states).collect::<Vec<_>>())
    };
    written.map_err(|e| e.to_string())
}

/// A trace in one of NuSMV's own forms.
fn smv_trace(model: &Model, answer: &TraceAnswer<'_>, format: &str) -> Result<String, String> {
    let (Model::Relation(relation), Run::Relation(run)) = (model, &answer.trace.run) else {
        return Err(format!("only traces of relations have the form `{format}`"));
    };
    if format == "nusmv-xml" {
        return Ok(nusmv_xml(relation, run));
    }
    let worded = Some(&answer.property).filter(|property| property.text.is_some());
    Ok(nusmv_trace(relation, worded, run))
}

/// Writes a rendered trace to a file.
pub fn save_trace(output: &mut Output, path: &Path, rendered: Result<String, String>) -> Exit {
    match rendered {
        Ok(text) => save(output, path, text.as_bytes()),
        Err(reason) => {
            output.err(&format!("beeline: {} is not written: {reason}\n", path.display()));
            Exit::Unsupported
        }
    }
}
