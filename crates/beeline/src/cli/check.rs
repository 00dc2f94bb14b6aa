//! `check`: the main job.

use super::progress::Ticker;
use super::traces::{TraceWishes, render_trace};
use super::{
    Args, CommandResult, Exit, Output, Stop, crash, files, header, interrupt, memory, print_json, save,
};
use beeline::verify::{StateCount, count_states, limits};
use beeline::{Failure, Loaded, Settings, properties, verify};
use beeline_check::Certify;
use beeline_ir::certificate::Certificate;
use beeline_ir::diagnostic::SourceText;
use beeline_ir::encode::write_certificate;
use beeline_ir::limits::{CancelToken, Limits};
use beeline_ir::model::Model;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::{Property, PropertyKind};
use beeline_report::answer::{Answer, Config, TraceAnswer, Verdict};
use beeline_report::summary::{self, Style};
use beeline_report::{diagnostics, json, text, trace_json};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Checks properties and prints the answers.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let mut settings = Settings::from_options(|name| args.value(name)).map_err(Stop::usage)?;
    settings.memory_limit = settings.memory_limit.or_else(memory::default_limit);
    let wishes = Wishes::new(args, &settings)?;
    let path = args.path("MODEL");
    let loaded = beeline::load(&path)?;
    let (asked, exploring) = asked(args, &loaded)?;
    let token = CancelToken::default();
    interrupt::install(&token);
    let limits = limits(&settings, token);
    let mut session =
        Session { loaded: &loaded, settings: &settings, limits, wishes, output, several: asked.len() };
    let mut exit = Exit::Holds;
    let mut results = Vec::new();
    for (i, property) in asked.iter().enumerate() {
        let (result, one) = session.check(i + 1, property);
        exit = exit.or(one);
        results.push(result);
    }
    let counted = exploring.then(|| session.count());
    if session.wishes.json {
        let mut object = header(&path, Some(&loaded));
        object["results"] = Value::Array(results);
        if let Some(counted) = counted {
            object["reachable_states"] =
                counted.map_or(Value::Null, |c| json!({ "discrete": c.discrete, "symbolic": c.symbolic }));
        }
        print_json(output, &object);
    }
    Ok(exit)
}

/// The properties to check, and whether they are only those of a model that has none of its own.
fn asked(args: &Args, loaded: &Loaded) -> Result<(Vec<Property>, bool), Stop> {
    let model = &loaded.model;
    let known = match args.value("properties") {
        Some(file) => {
            let unreadable = |e: &dyn std::fmt::Display| Stop::usage(format!("{file} cannot be read: {e}"));
            let bytes = files::read(file.as_ref()).map_err(|e| unreadable(&e))?;
            let text = String::from_utf8(bytes).map_err(|_| unreadable(&"not UTF-8 text"))?;
            properties::read_file(model, SourceText { name: file.to_string(), text })?
        }
        None => model.properties().to_vec(),
    };
    let wishes = args.values("property");
    if !wishes.is_empty() {
        let chosen = wishes.iter().map(|wish| properties::choose(model, &known, wish));
        return Ok((chosen.collect::<Result<_, _>>()?, false));
    }
    Ok(if known.is_empty() { (properties::defaults(), true) } else { (known, false) })
}

/// What is to be shown and written.
struct Wishes {
    json: bool,
    quiet: bool,
    trace: TraceWishes,
    certificate: Option<PathBuf>,
}

impl Wishes {
    fn new(args: &Args, settings: &Settings) -> Result<Self, Stop> {
        let certificate = args.value("certificate").map(PathBuf::from);
        if certificate.is_some() && settings.certify == Certify::Never {
            return Err(Stop::usage("--certificate needs a certificate, and --certify never makes none"));
        }
        Ok(Self {
            json: args.flag("json"),
            quiet: args.flag("quiet"),
            trace: TraceWishes::new(args)?,
            certificate,
        })
    }
}

/// A run of `check`.
struct Session<'a> {
    loaded: &'a Loaded,
    settings: &'a Settings,
    limits: Limits,
    wishes: Wishes,
    output: &'a mut Output,
    several: usize,
}

impl<'a> Session<'a> {
    /// Checks one property; gives its JSON and its exit code.
    fn check(&mut self, number: usize, property: &Property) -> (Value, Exit) {
        let model = &self.loaded.model;
        let shown = properties::shown(model, property);
        let mut ticker = Ticker::new(self.output, self.wishes.quiet);
        // A panic has been reported by the hook; the other properties still get their answers.
        let verified = catch_unwind(AssertUnwindSafe(|| {
            verify(model, property, self.settings, &self.limits, &mut |progress| ticker.tick(progress))
        }));
        let open = ticker.open();
        let config = self.config();
        let (answer, exit) = match verified {
            Ok(Ok(verified)) => {
                let mut answer =
                    Answer::new(model, property, shown, &verified.checked, config, verified.stats);
                answer.open = open.filter(|_| answer.reachable.is_none());
                let certificate = verified.checked.value().certificate.as_ref();
                let exit = exit_of(property, answer.verdict).or(self.write_certificate(number, certificate));
                (answer, exit)
            }
            Ok(Err(Failure::Unsupported(found))) => {
                let placed: Vec<_> = found.iter().filter(|d| d.span.is_some()).cloned().collect();
                let rendered = diagnostics::render(&self.loaded.source, &placed, self.output.colour_err());
                self.output.err(&rendered);
                let what = found.first().map_or("", |d| d.message.as_str());
                (Answer::unknown(property, shown, format!("unsupported: {what}"), config), Exit::Unsupported)
            }
            Ok(Err(Failure::Internal { error, claim })) => {
                let artefacts = claim.map_or_else(Vec::new, |claim| artefacts(model, &claim));
                self.output.err(&crash::refused(crash::HERE.as_ref(), &error, &artefacts));
                (Answer::unknown(property, shown, format!("internal error: {error}"), config), Exit::Internal)
            }
            Err(_) => (Answer::unknown(property, shown, "internal error".into(), config), Exit::Internal),
        };
        self.print(&answer);
        let written = self.write_traces(number, answer.trace.as_ref());
        (json::answer(model, &answer), exit.or(written))
    }

    fn config(&self) -> Config {
        let words = self.settings.words();
        Config {
            mode: words.mode,
            search: words.search,
            engine: "explicit",
            extrapolation: words.extrapolation,
            seed: self.settings.seed,
        }
    }

    fn print(&mut self, answer: &Answer<'_>) {
        if self.wishes.json {
            return;
        }
        let style = Style { colour: self.output.colour_out(), brief: self.wishes.quiet };
        let format = self.wishes.trace.shown.as_str();
        let trace = answer.trace.as_ref().map(|t| render_trace(&self.loaded.model, t, format));
        let mut report = summary::render(answer, trace.as_deref(), style);
        if !style.brief && self.several > 1 {
            report.push('\n');
        }
        self.output.out(&report);
    }

    fn write_traces(&mut self, number: usize, trace: Option<&TraceAnswer<'_>>) -> Exit {
        let Some(trace) = trace else { return Exit::Holds };
        let mut exit = Exit::Holds;
        for (format, path) in &self.wishes.trace.files {
            let path = files::numbered(path, number, self.several);
            let text = render_trace(&self.loaded.model, trace, format);
            exit = exit.or(save(self.output, &path, text.as_bytes()));
        }
        exit
    }

    fn write_certificate(&mut self, number: usize, certificate: Option<&Certificate>) -> Exit {
        let (Some(path), Some(certificate)) = (&self.wishes.certificate, certificate) else {
            return Exit::Holds;
        };
        let path = files::numbered(path, number, self.several);
        save(self.output, &path, &write_certificate(certificate))
    }

    /// Counts the reachable states of a model without properties.
    fn count(&mut self) -> Option<StateCount> {
        let counted = count_states(&self.loaded.model, self.settings, &self.limits).unwrap_or(None);
        if !self.wishes.json && !self.wishes.quiet {
            let line = match counted {
                Some(c) if c.discrete == c.symbolic => {
                    format!("{} reachable states\n", text::grouped(c.discrete))
                }
                Some(c) => format!(
                    "{} reachable discrete states, {} with their zones\n",
                    text::grouped(c.discrete),
                    text::grouped(c.symbolic)
                ),
                None => "the reachable states could not be counted within the limits\n".into(),
            };
            self.output.out(&line);
        }
        counted
    }
}

/// The trace and the certificate of a claim, as files.
fn artefacts(model: &Model, claim: &Outcome) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = Vec::new();
    if let Finding::Reachable { trace, .. } = &claim.finding {
        let object = trace_json::write(model, trace, &[]);
        files.push(("-trace.json", Value::Object(object).to_string().into_bytes()));
    }
    if let Some(certificate) = &claim.certificate {
        files.push(("-certificate.bin", write_certificate(certificate)));
    }
    files
}

fn exit_of(property: &Property, verdict: Verdict) -> Exit {
    match (verdict, &property.kind) {
        (Verdict::Holds, _) => Exit::Holds,
        (Verdict::Violated, PropertyKind::NoRuntimeError) => Exit::RuntimeError,
        (Verdict::Violated, _) => Exit::Violated,
        (Verdict::Unknown, _) => Exit::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beeline_zones::fault::{Fault, inject};

    #[test]
    fn a_refused_claim_leaves_a_report_and_its_artefacts() {
        let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let model = beeline::load(&manifest.join("../../models/fischer.beeline")).unwrap().model;
        let (settings, limits) = (Settings::default(), Limits::default());
        inject(Some(Fault::NoDelayAfterJump));
        let refused = verify(&model, &model.properties()[0], &settings, &limits, &mut |_| {});
        inject(None);
        let Err(Failure::Internal { error, claim: Some(claim) }) = refused else { panic!("not refused") };
        let dir = std::env::temp_dir().join(format!("beeline-refused-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let message = crash::refused(&dir, &error, &artefacts(&model, &claim));
        assert!(message.contains("This is a bug in Beeline"), "{message}");
        let prefix = format!("beeline-crash-{}", std::process::id());
        let report = std::fs::read_to_string(dir.join(format!("{prefix}.txt"))).unwrap();
        assert!(
            report.contains("the certificate is rejected") && !report.contains("network fischer"),
            "{report}"
        );
        let saved = std::fs::read(dir.join(format!("{prefix}-certificate.bin"))).unwrap();
        assert_eq!(
            beeline_ir::encode::read_certificate(&saved).as_ref(),
            Ok(claim.certificate.as_ref().unwrap())
        );
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
