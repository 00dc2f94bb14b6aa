//! Reading a model file: its form is told by its extension, and everything that can be wrong with it is a diagnostic.

use beeline_ir::diagnostic::{Diagnostic, Severity, SourceText};
use beeline_ir::model::{Model, ModelHash};
use beeline_ir::origin::Span;
use beeline_ir::property::Property;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::{Run, Trace};
use beeline_promela::Length;
use beeline_uppaal::Format;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest model file that is read.
pub const MAX_MODEL_BYTES: u64 = 64 << 20;

/// A model and the text it was read from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// Its text, for diagnostics.
    pub source: SourceText,
    /// What is worth knowing about the text: warnings and notes.
    pub notes: Vec<Diagnostic>,
    /// For each property of the model, the verdict its file records: does it hold?
    pub recorded: Vec<Option<bool>>,
    /// The language it is written in.
    pub language: Language,
}

/// The language of a model, with what it takes to read further questions in it.
#[derive(Clone, Debug)]
pub enum Language {
    /// Beeline's own text form.
    Beeline,
    /// UPPAAL's.
    Uppaal(Box<beeline_uppaal::Symbols>),
    /// SMV.
    Smv(Box<beeline_smv::Symbols>),
    /// Promela.
    Promela(Box<beeline_promela::Symbols>),
}

impl Loaded {
    /// Whether the run of a Promela model ends because there is no room for another process.
    pub fn lacks_slots(&self, property: &Property, trace: &Trace) -> bool {
        match (&self.language, &self.model, &trace.run) {
            (Language::Promela(_), Model::Network(network), Run::Network(run)) => {
                beeline_promela::lacks_slots(network, property, run)
            }
            _ => false,
        }
    }

    /// With how many slots a Promela model is to be read again because a run has found too few of them.
    pub fn more_slots(&self, property: &Property, trace: &Trace) -> Option<usize> {
        let Language::Promela(symbols) = &self.language else { return None };
        let more = symbols.slots() < beeline_promela::MAX_PROCESSES && self.lacks_slots(property, trace);
        more.then(|| 2 * symbols.slots())
    }
}

/// Why a model could not be loaded.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The text, as far as it could be read.
    pub source: SourceText,
    /// What is wrong with it; at least one.
    pub diagnostics: Vec<Diagnostic>,
}

impl LoadError {
    /// Whether the file is legal as far as we can tell, but uses something that is not supported.
    pub fn unsupported(&self) -> bool {
        self.diagnostics.iter().all(|d| d.severity != Severity::Error)
    }
}

/// How a Promela model is to be read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PromelaWishes {
    /// How many processes of a type that may be started any number of times may exist.
    pub slots: usize,
    /// What the length of a trace counts.
    pub length: Length,
}

impl Default for PromelaWishes {
    fn default() -> Self {
        Self { slots: beeline_promela::DEFAULT_SLOTS, length: Length::default() }
    }
}

/// Reads a model file.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    load_with(path, PromelaWishes::default())
}

/// Reads the model that a trace or certificate belongs to: a Promela model as that one was read, if there is such a way.
pub fn load_matching(path: &Path, hash: ModelHash) -> Result<Loaded, LoadError> {
    let loaded = load(path)?;
    if !matches!(loaded.language, Language::Promela(_)) || loaded.model.hash() == hash {
        return Ok(loaded);
    }
    let mut slots = beeline_promela::DEFAULT_SLOTS;
    while slots < 2 * beeline_promela::MAX_PROCESSES {
        for length in [Length::Statements, Length::Spin] {
            match load_with(path, PromelaWishes { slots, length }) {
                Ok(other) if other.model.hash() == hash => return Ok(other),
                _ => {}
            }
        }
        slots *= 2;
    }
    Ok(loaded)
}

/// Reads a model file, a Promela model as it is wished.
pub fn load_with(path: &Path, wishes: PromelaWishes) -> Result<Loaded, LoadError> {
    let name = path.display().to_string();
    let fail = |text: String, diagnostic: Diagnostic| LoadError {
        source: SourceText { name: name.clone(), text },
        diagnostics: vec![diagnostic],
    };
    let bytes = read_file(path).map_err(|e| fail(String::new(), e))?;
    let form = form(path).map_err(|language| {
        let diagnostic = Diagnostic::unsupported(
            "C0001",
            format!("{language} models are not read yet"),
            None,
        )
        .with_help(
            "this version reads UPPAAL (*.xml, *.xta, *.ta), Promela (*.pml, *.prom, *.pm), SMV (*.smv) and \
                 Beeline's own text form (*.beeline)",
        );
        fail(String::new(), diagnostic)
    })?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        // Comments of old models are in all kinds of encodings, and the language itself is ASCII.
        Err(e) if matches!(form, Form::Promela) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            // Up to the fault the text is shown as it is, so that the place is right.
            let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
            let span = Some(Span::new(at, at + '\u{fffd}'.len_utf8()));
            return Err(fail(text, Diagnostic::error("C0004", "the file is not UTF-8 text", span)));
        }
    };
    let uppaal_xml = matches!(form, Form::Uppaal(Format::Xml));
    if !uppaal_xml && text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        let named = path.with_extension("xml");
        let help = format!("a model of UPPAAL in XML is recognised by its name: call it {}", named.display());
        let diagnostic = Diagnostic::error("C0005", "the file is XML, but its name says otherwise", None);
        return Err(fail(text, diagnostic.with_help(help)));
    }
    let source = SourceText { name, text };
    let read = match form {
        Form::Beeline => read_beeline(&source),
        Form::Uppaal(format) => read_uppaal(&source, format),
        Form::Smv => read_smv(&source),
        Form::Promela => read_promela(&source, path, wishes),
    };
    match read {
        Ok(read) => {
            let (model, notes, recorded, language) = read;
            Ok(Loaded { model, source, notes, recorded, language })
        }
        Err(diagnostics) => Err(LoadError { source, diagnostics }),
    }
}

/// A model, notes about it, the verdicts its file records, and its language.
type Contents = (Model, Vec<Diagnostic>, Vec<Option<bool>>, Language);

fn read_beeline(source: &SourceText) -> Result<Contents, Vec<Diagnostic>> {
    let model = text::read(&source.text, ReadOptions { file: &source.name, record_places: true })?;
    let recorded = vec![None; model.properties().len()];
    Ok((model, Vec::new(), recorded, Language::Beeline))
}

fn read_uppaal(source: &SourceText, format: Format) -> Result<Contents, Vec<Diagnostic>> {
    let reading = beeline_uppaal::read(&source.text, &source.name, format)?;
    let language = Language::Uppaal(Box::new(reading.symbols));
    Ok((Model::Network(reading.network), reading.notes, reading.recorded, language))
}

fn read_smv(source: &SourceText) -> Result<Contents, Vec<Diagnostic>> {
    let reading = beeline_smv::read(&source.text, &source.name)?;
    let recorded = vec![None; reading.relation.properties.len()];
    let language = Language::Smv(Box::new(reading.symbols));
    Ok((Model::Relation(reading.relation), reading.notes, recorded, language))
}

fn read_promela(
    source: &SourceText,
    path: &Path,
    wishes: PromelaWishes,
) -> Result<Contents, Vec<Diagnostic>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let include = |name: &str| include(folder, name);
    let PromelaWishes { slots, length } = wishes;
    let options = beeline_promela::ReadOptions { file: &source.name, include: &include, slots, length };
    let reading = beeline_promela::read(&source.text, options)?;
    let recorded = vec![None; reading.network.properties.len()];
    let language = Language::Promela(Box::new(reading.symbols));
    Ok((Model::Network(reading.network), reading.notes, recorded, language))
}

/// The text of a file that a model includes: one in the model's folder or below it, links followed.
fn include(folder: &Path, name: &str) -> Result<String, String> {
    let inside = |part: std::path::Component<'_>| {
        matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir)
    };
    if !Path::new(name).components().all(inside) {
        return Err("only files in the folder of the model, or below it, are read".into());
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (root, file) = match (folder.canonicalize(), folder.join(name).canonicalize()) {
        (Ok(root), Ok(file)) => (root, file),
        (Err(e), _) | (_, Err(e)) => return Err(e.to_string()),
    };
    if !file.starts_with(&root) {
        return Err("only files in the folder of the model, or below it, are read".into());
    }
    let bytes = read_file(&file).map_err(|e| e.message)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The form of a model file, told by its extension.
enum Form {
    Beeline,
    Uppaal(Format),
    Smv,
    Promela,
}

/// The form an extension stands for, or the name of a language that is still to come.
fn form(path: &Path) -> Result<Form, &'static str> {
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("xml") => Ok(Form::Uppaal(Format::Xml)),
        Some("xta" | "ta") => Ok(Form::Uppaal(Format::Xta)),
        Some("pml" | "prom" | "promela" | "pm" | "spin") => Ok(Form::Promela),
        Some("smv") => Ok(Form::Smv),
        Some("tck") => Err("TChecker"),
        _ => Ok(Form::Beeline),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let fail = |e: std::io::Error| Diagnostic::error("C0002", format!("the file cannot be read: {e}"), None);
    if path.as_os_str() == "-" {
        let message = "models are not read from standard input";
        return Err(Diagnostic::error("C0002", message, None).with_help("give the name of a file"));
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(fail)?.take(MAX_MODEL_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_MODEL_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_MODEL_BYTES >> 20);
        return Err(Diagnostic::error("C0003", message, None));
    }
    Ok(bytes)
}
