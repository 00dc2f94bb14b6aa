//! What is said about a file: all its errors, up to a limit, none of them twice at one place.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::origin::Span;

/// Most errors, and most notes, shown of a file.
const MAX_MESSAGES: usize = 50;

/// Errors and notes, in the order in which they were found. Places are positions in all files, one after another.
#[derive(Default, Debug)]
pub(crate) struct Messages {
    pub errors: Vec<Diagnostic>,
    pub notes: Vec<Diagnostic>,
    left_out: usize,
}

impl Messages {
    /// Keeps an error or something unsupported, unless there are enough already, or one at that place.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        let known = |d: &Diagnostic| d.span == diagnostic.span && d.code == diagnostic.code;
        if diagnostic.span.is_some() && self.errors.iter().any(known) {
            return;
        }
        if self.errors.len() < MAX_MESSAGES {
            self.errors.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    /// Keeps an error.
    pub fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.add(Diagnostic::error(code, message, Some(span)));
    }

    /// Keeps something that is legal but not handled.
    pub fn unsupported(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.add(Diagnostic::unsupported(code, message, Some(span)));
    }

    /// Keeps a note or warning.
    pub fn note(&mut self, severity: Severity, code: &'static str, message: impl Into<String>, span: Span) {
        let note = Diagnostic::new(severity, code, message, Some(span));
        if self.notes.len() < MAX_MESSAGES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The notes if there was no error; else the errors, by place.
    pub fn finish(mut self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        if self.errors.is_empty() {
            return Ok(self.notes);
        }
        self.errors.sort_by_key(|d| d.span.map_or(0, |span| span.start));
        if self.left_out > 0 {
            let message = format!("{} more errors are left out", self.left_out);
            self.errors.push(Diagnostic::error("E0909", message, None));
        }
        Err(self.errors)
    }
}
