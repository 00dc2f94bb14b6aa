//! `check`: the main job.

use super::asked::Asked;
use super::progress::Ticker;
use super::traces::{TraceWishes, in_native_words, label_in_native_words, render_trace, save_trace};
use super::{
    Args, CommandResult, Exit, Output, Stop, add_notes, crash, files, header, interrupt, memory, print_json,
    remarks, save,
};
use beeline::improve::Improving;
use beeline::settings::Engine;
use beeline::settings::direction_word;
use beeline::spdb::Spdb;
use beeline::verify::{StateCount, count_states, limits, verify_among, verify_explored};
use beeline::{Failure, Loaded, PromelaWishes, Settings, Verified, properties};
use beeline_check::Certify;
use beeline_engine::Progress;
use beeline_ir::certificate::Certificate;
use beeline_ir::encode::write_certificate;
use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::Label;
use beeline_ir::limits::{CancelToken, Limits};
use beeline_ir::model::Model;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::{Property, PropertyKind};
use beeline_promela::Length;
use beeline_report::answer::{Answer, Config, Database, TraceAnswer, Verdict};
use beeline_report::summary::{self, Style};
use beeline_report::{diagnostics, json, text, trace_json};
use beeline_symbolic::DatabaseReport;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Checks properties and prints the answers.
pub fn run(args: &Args, output: &mut Output) -> CommandResult {
    let mut settings = Settings::from_options(|name| args.given(name)).map_err(Stop::usage)?;
    settings.memory_limit = settings.memory_limit.or_else(memory::default_limit);
    if let (Some(asked), Some(limit)) = (settings.bitstate.bytes, settings.memory_limit)
        && asked > limit
    {
        return Err(Stop::usage(format!("--bitstate-size is more than the memory limit, {limit} bytes")));
    }
    let wishes = Wishes::new(args, &settings)?;
    let path = args.path("MODEL");
    let mut reading = PromelaWishes::default();
    if args.value("length") == Some("spin") {
        reading.length = Length::Spin;
    }
    let loaded = beeline::load_with(&path, reading)?;
    let asked = Asked::known(args, &loaded, &path)?;
    let mut asked = Asked::chosen(args, &loaded, asked)?;
    remarks(output, &loaded, asked.found.as_deref(), wishes.quiet);
    let token = CancelToken::default();
    interrupt::install(&token);
    let limits = limits(&settings, token);
    if let Some(file) = args.value("improve").map(PathBuf::from) {
        let malformed = |e: String| Stop::usage(format!("{}: {e}", file.display()));
        let bytes = files::read(&file).map_err(|e| malformed(format!("cannot be read: {e}")))?;
        let text = String::from_utf8(bytes).map_err(|_| malformed("not UTF-8 text".into()))?;
        let improving = Improving::read(&loaded, &asked.properties(), &text, &limits).map_err(malformed)?;
        asked.questions = vec![(improving.property.clone(), None)];
        // A relation becomes one automaton, in which nobody is far from anywhere.
        if args.given("heuristic").is_empty() && args.value("preset").is_none() {
            settings.aim_at_values(&loaded.model);
        }
        settings.improve = Some(improving);
    }
    // A model without questions is explored as a whole.
    let exploring = asked.questions.is_empty();
    if exploring {
        asked.questions = properties::defaults().into_iter().map(|property| (property, None)).collect();
    }
    wishes.probe()?;
    let several = asked.questions.len();
    let loaded = without_questions(loaded);
    let mut session =
        Session { loaded, settings: &settings, limits, wishes, output, several, explored: None };
    let mut exit = Exit::Holds;
    let mut results = Vec::new();
    while let Some((property, recorded)) = asked.questions.get(results.len()) {
        let others = asked.questions[results.len() + 1..].iter().take(OTHERS);
        let others: Vec<Property> = others.map(|(other, _)| other.clone()).collect();
        match session.check(results.len() + 1, (property, &others), *recorded) {
            Ok((result, one)) => {
                exit = exit.or(one);
                results.push(result);
            }
            // What is answered stays so; the others are asked of a model with more room.
            Err(slots) => {
                reading.slots = slots;
                let loaded = beeline::load_with(&path, reading)?;
                session.explored = None;
                if !exploring {
                    let known = Asked::known(args, &loaded, &path)?;
                    asked = Asked::chosen(args, &loaded, known)?;
                }
                session.loaded = without_questions(loaded);
            }
        }
    }
    let counted = exploring.then(|| session.count());
    if session.wishes.json {
        let mut object = header(&path, Some(&session.loaded));
        add_notes(&mut object, &session.loaded);
        object["results"] = Value::Array(results);
        if let Some(counted) = counted {
            object["reachable_states"] =
                counted.map_or(Value::Null, |c| json!({ "discrete": c.discrete, "symbolic": c.symbolic }));
        }
        print_json(output, &object);
    }
    Ok(exit)
}

/// Of how many of the next questions a search is told, to watch for them.
const OTHERS: usize = 100;

/// A model to check one question after the other on: whatever is done to it for one of them leaves the others, of
/// which there may be many, alone.
fn without_questions(mut loaded: Loaded) -> Rc<Loaded> {
    loaded.model.properties_mut().clear();
    Rc::new(loaded)
}

/// What is to be shown and written.
struct Wishes {
    json: bool,
    quiet: bool,
    explain: bool,
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
            explain: args.flag("explain"),
            trace: TraceWishes::new(args)?,
            certificate,
        })
    }

    /// Refuses files that cannot be written.
    fn probe(&self) -> Result<(), Stop> {
        let traces = self.trace.files.iter().map(|(_, path)| path);
        for path in traces.chain(&self.certificate) {
            let unwritable = |e| Stop::usage(format!("{} cannot be written: {e}", path.display()));
            files::probe(path).map_err(unwritable)?;
        }
        Ok(())
    }
}

/// A run of `check`.
struct Session<'a> {
    loaded: Rc<Loaded>,
    settings: &'a Settings,
    limits: Limits,
    wishes: Wishes,
    output: &'a mut Output,
    several: usize,
    /// What the last search was that has explored everything and knows of others.
    explored: Option<Outcome>,
}

impl Session<'_> {
    /// Checks one property; gives its JSON and its exit code, or with how many slots for processes to try again.
    fn check(
        &mut self,
        number: usize,
        (property, others): (&Property, &[Property]),
        recorded: Option<bool>,
    ) -> Result<(Value, Exit), usize> {
        let loaded = Rc::clone(&self.loaded);
        let model = &loaded.model;
        let shown = properties::shown(model, property);
        let mut ticker = Ticker::new(self.output, self.wishes.quiet);
        // A panic has been reported by the hook; the other properties still get their answers.
        let verified = catch_unwind(AssertUnwindSafe(|| {
            let (settings, limits) = (self.settings, &self.limits);
            match self.explored.as_ref().filter(|explored| explored.also.contains(property)) {
                Some(explored) => verify_explored(model, property, explored, settings, limits),
                None => {
                    let tick = &mut |progress: &Progress| ticker.tick(progress);
                    verify_among(model, (property, others), settings, limits, tick)
                }
            }
        }));
        let open = ticker.open();
        if let Ok(Ok(verified)) = &verified
            && let Finding::Reachable { trace, .. } = &verified.checked.value().finding
            && let Some(slots) = self.loaded.more_slots(property, trace)
        {
            return Err(slots);
        }
        if let Ok(Ok(verified)) = &verified
            && !verified.checked.value().also.is_empty()
        {
            self.explored = Some(verified.checked.value().clone());
        }
        let config = self.config(verified.as_ref().ok().and_then(|verified| verified.as_ref().ok()));
        let (mut answer, exit) = match verified {
            Ok(Ok(verified)) => {
                let native = |label: &Label| label_in_native_words(&self.loaded, label);
                let (checked, stats) = (&verified.checked, verified.stats);
                let mut answer = Answer::new((model, &native), property, shown, checked, config, stats);
                let deadlocks = verified.symbolic.as_ref().is_some_and(|symbolic| symbolic.deadlocks);
                answer.warnings.extend(deadlocks.then(|| {
                    "some reachable state has no next state: NuSMV's CTL and LTL know infinite runs only"
                        .to_string()
                }));
                answer.open = open.filter(|_| answer.reachable.is_none() && answer.lower_bound.is_some());
                let certificate = verified.checked.value().certificate.as_ref();
                let exit = exit_of(property, answer.verdict).or(self.write_certificate(number, certificate));
                (answer, exit)
            }
            Ok(Err(Failure::Refused(refusal))) => {
                let (word, exit) = match refusal.malformed {
                    true => ("malformed", Exit::Usage),
                    false => ("unsupported", Exit::Unsupported),
                };
                (Answer::unknown(property, shown, format!("{word}: {}", refusal.reason), config), exit)
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
        answer.warnings.extend(differs(recorded, answer.verdict));
        if let Some(trace) = &mut answer.trace {
            in_native_words(&self.loaded, property, trace);
            if self.loaded.lacks_slots(property, &trace.trace) {
                // The trace says so itself.
                answer.warnings.retain(|warning| !warning.contains(RuntimeError::NoFreeSlot.message()));
            }
        }
        let printed = self.print(&answer);
        let written = self.write_traces(number, answer.trace.as_ref());
        Ok((json::answer(model, &answer), exit.or(printed).or(written)))
    }

    fn config(&self, verified: Option<&Verified>) -> Config {
        let removed = verified.and_then(|verified| verified.removed.as_ref());
        let words = self.settings.words();
        let is_symbolic = verified.map_or_else(
            || match self.settings.engine {
                Engine::Auto => matches!(self.loaded.model, Model::Relation(_)),
                Engine::Explicit => false,
                Engine::Symbolic => true,
            },
            |verified| verified.symbolic.is_some(),
        );
        let choice = verified.and_then(|verified| verified.choice.as_ref());
        let symbolic = verified.and_then(|verified| verified.symbolic.as_ref());
        let named = match symbolic {
            Some(symbolic) if symbolic.databases.is_empty() => Vec::new(),
            Some(_) if self.settings.spdb.is_empty() => vec![Spdb::Cegar.to_string()],
            Some(_) => self.settings.spdb.iter().map(ToString::to_string).collect(),
            None => self.settings.heuristics.iter().map(ToString::to_string).collect(),
        };
        let heuristics: Vec<String> = choice.map_or(named, |choice| choice.heuristics.clone());
        Config {
            mode: words.mode,
            search: match is_symbolic {
                true => symbolic.map_or(words.direction, |symbolic| direction_word(symbolic.direction)),
                false => choice.map_or(words.search, |choice| choice.search.name()),
            },
            auto: choice.map(|choice| choice.story.clone()),
            h_initial: match heuristics.is_empty() {
                true => Some(0),
                false => verified.and_then(|verified| verified.h_initial),
            },
            heuristics,
            remarks: verified.map_or_else(Vec::new, |verified| verified.remarks.clone()),
            tables: verified.map_or_else(Vec::new, |verified| {
                verified.tables.iter().map(|table| (table.entries, table.layers)).collect()
            }),
            databases: symbolic.map_or_else(Vec::new, |s| s.databases.iter().map(database).collect()),
            outside: verified.and_then(|verified| verified.outside.clone()),
            reduced: verified
                .and_then(|verified| verified.reduced.as_ref())
                .map(|reduced| (reduced.edges, reduced.narrowed.clone())),
            removed: removed.map(|removed| (removed.factors.clone(), removed.inserted)),
            engine: if is_symbolic { "symbolic" } else { "explicit" },
            partial_order: words.partial_order,
            symmetry: self.settings.symmetry,
            storage: words.storage,
            extrapolation: words.extrapolation,
            seed: self.settings.seed,
        }
    }

    fn print(&mut self, answer: &Answer<'_>) -> Exit {
        if self.wishes.json {
            return Exit::Holds;
        }
        let wishes = &self.wishes.trace;
        let (brief, explain) = (self.wishes.quiet, self.wishes.explain);
        let style = Style { colour: wishes.colour(self.output), brief, explain };
        let inside = answer.trace.as_ref().filter(|_| wishes.alone.is_none());
        let inside = inside.map(|trace| text::trace(&trace.story));
        let mut report = summary::render(answer, inside.as_deref(), style);
        if !style.brief && self.several > 1 {
            report.push('\n');
        }
        wishes.tell(self.output, &report);
        if style.brief {
            self.output.err(&summary::warnings(answer));
        }
        answer.trace.as_ref().map_or(Exit::Holds, |t| wishes.print_alone(self.output, &self.loaded.model, t))
    }

    fn write_traces(&mut self, number: usize, trace: Option<&TraceAnswer<'_>>) -> Exit {
        let files = self.wishes.trace.files.iter();
        let files = files.map(|(format, path)| (format, files::numbered(path, number, self.several)));
        let Some(trace) = trace else {
            left_alone(self.output, &files.map(|(_, path)| path).collect::<Vec<_>>(), "trace");
            return Exit::Holds;
        };
        let mut exit = Exit::Holds;
        for (format, path) in files {
            exit = exit.or(save_trace(self.output, &path, render_trace(&self.loaded.model, trace, format)));
        }
        exit
    }

    fn write_certificate(&mut self, number: usize, certificate: Option<&Certificate>) -> Exit {
        let Some(path) = &self.wishes.certificate else { return Exit::Holds };
        let path = files::numbered(path, number, self.several);
        let Some(certificate) = certificate else {
            left_alone(self.output, &[path], "certificate");
            return Exit::Holds;
        };
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
            self.wishes.trace.tell(self.output, &line);
        }
        counted
    }
}

/// Says that there was nothing to write, lest a file of an earlier run be taken for an answer of this one.
fn left_alone(output: &mut Output, paths: &[PathBuf], what: &str) {
    let older = |path: &Path| if path.is_file() { " (the file there is older)" } else { "" };
    let named: Vec<String> = paths.iter().map(|p| format!("{}{}", p.display(), older(p))).collect();
    if !named.is_empty() {
        output.err(&format!("note: no {what} to write to {}\n", named.join(", ")));
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

/// What to say of a verdict that the model's file records differently.
fn differs(recorded: Option<bool>, verdict: Verdict) -> Option<String> {
    match (recorded?, verdict) {
        (true, Verdict::Violated) => Some("the file records this query as satisfied; it is not".into()),
        (false, Verdict::Holds) => Some("the file records this query as not satisfied; it is".into()),
        _ => None,
    }
}

fn exit_of(property: &Property, verdict: Verdict) -> Exit {
    match (verdict, &property.kind) {
        (Verdict::Holds, _) => Exit::Holds,
        (Verdict::Violated, PropertyKind::NoRuntimeError) => Exit::RuntimeError,
        (Verdict::Violated, _) => Exit::Violated,
        (Verdict::Unknown, _) => Exit::Unknown,
    }
}

fn database(report: &DatabaseReport) -> Database {
    let DatabaseReport { seen, variables, layers, nodes, complete, rounds, parts } = report;
    Database {
        variables: seen.clone(),
        of: *variables,
        layers: *layers,
        nodes: *nodes,
        complete: *complete,
        refinements: rounds.saturating_sub(1),
        parts: *parts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beeline::verify;
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
