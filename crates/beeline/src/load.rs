//! Reading a model file: its form is told by its extension, and everything that can be wrong with it is a diagnostic.

use beeline_ir::diagnostic::{Diagnostic, Severity, SourceText};
use beeline_ir::model::Model;
use beeline_ir::origin::Span;
use beeline_ir::text::{self, ReadOptions};
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

/// Reads a model file.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    let name = path.display().to_string();
    let fail = |text: String, diagnostic: Diagnostic| LoadError {
        source: SourceText { name: name.clone(), text },
        diagnostics: vec![diagnostic],
    };
    let bytes = read_file(path).map_err(|e| fail(String::new(), e))?;
    if let Some(language) = foreign_language(path) {
        let message = format!("{language} models are not read yet");
        let diagnostic = Diagnostic::unsupported("C0001", message, None)
            .with_help("this version reads models in Beeline's own text form, *.beeline");
        return Err(fail(String::new(), diagnostic));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            // Up to the fault the text is shown as it is, so that the place is right.
            let text = String::from_utf8_lossy(e.as_bytes()).into_owned();
            let span = Some(Span::new(at, at + '\u{fffd}'.len_utf8()));
            return Err(fail(text, Diagnostic::error("C0004", "the file is not UTF-8 text", span)));
        }
    };
    match text::read(&text, ReadOptions { file: &name, record_places: true }) {
        Ok(model) => Ok(Loaded { model, source: SourceText { name, text } }),
        Err(diagnostics) => Err(LoadError { source: SourceText { name, text }, diagnostics }),
    }
}

/// The language an extension stands for, if it is one of those to come.
fn foreign_language(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "xml" | "xta" | "ta" | "ugi" => Some("UPPAAL"),
        "pml" | "prom" | "promela" | "spin" => Some("Promela"),
        "smv" => Some("SMV"),
        "tck" => Some("TChecker"),
        _ => None,
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let fail = |e: std::io::Error| Diagnostic::error("C0002", format!("the file cannot be read: {e}"), None);
    let mut bytes = Vec::new();
    File::open(path).map_err(fail)?.take(MAX_MODEL_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MAX_MODEL_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_MODEL_BYTES >> 20);
        return Err(Diagnostic::error("C0003", message, None));
    }
    Ok(bytes)
}
