//! Why lowering something stops: a message for the user, or a need that the construct around it may be able to
//! meet.

use beeline_ir::LocalId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

/// Why something could not be lowered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// It is wrong or unsupported.
    Message(Box<Diagnostic>),
    /// A clock or process must be known before the search, but depends on this quantified variable: its quantifier
    /// can be unrolled.
    Static(LocalId, Span),
    /// It uses something whose declaration is wrong, which has been said.
    Told(Span),
    /// It takes statements, and this is an expression: a generated function can hold them.
    Statements(Span),
}

/// So many of something: "1 argument", "2 arguments".
pub(super) fn count(number: usize, of: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {of}{plural}")
}

/// The result of lowering something.
pub(super) type Res<T> = Result<T, Fault>;

impl Fault {
    /// An error at a place.
    pub(super) fn error(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::Message(Box::new(Diagnostic::error(code, message, Some(span))))
    }
    /// Something legal that is not handled.
    pub(super) fn unsupported(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self::Message(Box::new(Diagnostic::unsupported(code, message, Some(span))))
    }
    /// The same with advice.
    pub(super) fn help(self, help: impl Into<String>) -> Self {
        match self {
            Self::Message(diagnostic) => Self::Message(Box::new(diagnostic.with_help(help))),
            other => other,
        }
    }
    /// What to tell the user when nothing around could meet the need.
    pub(super) fn diagnostic(self) -> Diagnostic {
        match self {
            Self::Message(diagnostic) => *diagnostic,
            Self::Told(span) => Diagnostic::error("E0530", "the declaration of this is wrong", Some(span)),
            Self::Static(_, span) => Diagnostic::unsupported(
                "U0531",
                "which clock or process this is must be known before the search",
                Some(span),
            )
            .with_help("use a constant, or a variable of `forall` or `exists`"),
            Self::Statements(span) => Diagnostic::unsupported(
                "U0537",
                "this call hands over local variables or gives back a record or array, inside an expression that \
                 cannot be split into statements",
                Some(span),
            )
            .with_help("compute it in an update, or in a function that gives back a number"),
        }
    }
}
