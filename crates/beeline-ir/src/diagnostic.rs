//! Messages about a source text: an error, warning or note, with the place it speaks of. Rendering (the excerpt
//! with the place marked) belongs to `beeline-report`; a library only makes values.

use crate::origin::Span;

/// How bad it is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input is legal but uses something this tool does not handle; exit code 4.
    Unsupported,
    /// Usable, but probably not what was meant.
    Warning,
    /// Good to know.
    Note,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable code such as `E0203`, documented in `docs/diagnostics.md`.
    pub code: &'static str,
    /// What is wrong, in one line.
    pub message: String,
    /// Where; `None` when the message is about the whole input.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A message of the given severity at a place.
    pub fn new(
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
        span: Option<Span>,
    ) -> Self {
        Self { severity, code, message: message.into(), span, help: None }
    }
    /// An error at a place.
    pub fn error(code: &'static str, message: impl Into<String>, span: Option<Span>) -> Self {
        Self::new(Severity::Error, code, message, span)
    }
    /// Something legal that this tool does not handle.
    pub fn unsupported(code: &'static str, message: impl Into<String>, span: Option<Span>) -> Self {
        Self::new(Severity::Unsupported, code, message, span)
    }
    /// The same message with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A text and the name it goes by in messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    /// File name, or a name such as `<property>`.
    pub name: String,
    /// The whole text.
    pub text: String,
}
