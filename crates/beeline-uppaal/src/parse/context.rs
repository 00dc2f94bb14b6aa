//! What the parsing of one file shares between its pieces of text: the syntax in force, what was found wrong,
//! and how much work is left.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::origin::Span;

/// Most errors shown of a file.
const MAX_ERRORS: usize = 50;

/// Most notes shown of a file.
const MAX_NOTES: usize = 50;

/// Most tokens a file may have; bounds the memory of the syntax tree.
pub(crate) const MAX_TOKENS: usize = 500_000;

/// Which of the two languages a file is in.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    /// Of UPPAAL 4 and 5.
    New,
    /// Of UPPAAL 3.
    Old,
    /// Of queries: the new one, and `deadlock`.
    Query,
}

/// The state shared by all parsers of one file.
pub(crate) struct Context {
    /// The syntax in force.
    pub syntax: Syntax,
    /// Tokens that may still be read.
    pub tokens_left: usize,
    /// Whether something was seen that only the old syntax has.
    pub looks_old: bool,
    /// Whether the text is too large or too deep, which it is in every syntax.
    pub limit_reached: bool,
    errors: Vec<Diagnostic>,
    left_out: usize,
    notes: Vec<Diagnostic>,
}

impl Context {
    /// Nothing read yet.
    pub fn new(syntax: Syntax) -> Self {
        Self {
            syntax,
            tokens_left: MAX_TOKENS,
            looks_old: false,
            limit_reached: false,
            errors: Vec::new(),
            left_out: 0,
            notes: Vec::new(),
        }
    }

    /// Keeps an error, unless there are enough already.
    pub fn error(&mut self, diagnostic: Diagnostic) {
        self.limit_reached |= matches!(diagnostic.code, "E0501" | "E0506");
        if self.shows_errors() {
            self.errors.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    /// Keeps an error, which is only made if it is shown.
    pub fn error_with(&mut self, diagnostic: impl FnOnce() -> Diagnostic) {
        if self.shows_errors() {
            self.error(diagnostic());
        } else {
            self.left_out += 1;
        }
    }

    /// Keeps a note, unless there are enough already.
    pub fn note(&mut self, code: &'static str, message: impl Into<String>, span: Option<Span>) {
        self.remark(Diagnostic::new(Severity::Note, code, message, span));
    }

    /// Keeps a warning, unless there are enough already.
    pub fn warning(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.remark(Diagnostic::new(Severity::Warning, code, message, Some(span)));
    }

    fn remark(&mut self, diagnostic: Diagnostic) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(diagnostic);
        } else if self.notes.len() == MAX_NOTES {
            self.notes.push(Diagnostic::new(Severity::Note, "W0509", "more notes are left out", None));
        }
    }

    /// Whether another error would be shown, and is worth looking for a suggestion.
    pub fn shows_errors(&self) -> bool {
        self.errors.len() < MAX_ERRORS
    }

    /// How many errors there were, shown or not.
    pub fn error_count(&self) -> usize {
        self.errors.len() + self.left_out
    }

    /// The notes if there was no error; else the errors.
    pub fn finish(mut self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        if self.errors.is_empty() {
            return Ok(self.notes);
        }
        if self.left_out > 0 {
            let message = format!("{} more errors are left out", self.left_out);
            self.errors.push(Diagnostic::error("E0529", message, None));
        }
        Err(self.errors)
    }
}
