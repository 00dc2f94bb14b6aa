//! The preprocessor. Spin hands its files to the C preprocessor (`gcc -std=gnu99 -E -x c`); this is one of our own, which
//! does the same, as the C standard has it. Tokens keep their places, so lines need no mending.
//!
//! Tokens are read one by one: from the macros that are being expanded ([`expand`]), innermost first, then from the file
//! that is being read, whose directives ([`directive`]) are carried out on the way. Included files are read
//! through a function that the caller gives, which decides what may be read.

mod condition;
mod directive;
mod expand;
#[cfg(test)]
mod gcc;
mod macros;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use beeline_ir::diagnostic::Severity;
use beeline_ir::origin::Span;

use crate::lex::{Kind, Token};
use crate::messages::Messages;
use directive::File;
use expand::Frame;
pub(crate) use macros::Macros;
pub(crate) use sources::Sources;

/// Most tokens that are read and made.
const MAX_TOKENS: usize = 4_000_000;

/// Reads a file that a model includes: the name as written, to its text or what is wrong.
pub type Include<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// What is left of a model.
pub(crate) struct Preprocessed {
    /// Its tokens with all macros expanded, ending with [`Kind::End`].
    pub tokens: Vec<Token>,
    /// Its files.
    pub sources: Sources,
    /// Its macros, as they are at the end.
    pub macros: Macros,
}

/// Preprocesses a model. There may be macros already, for a question about another model.
pub(crate) fn preprocess(
    text: &str,
    file: &str,
    include: Include<'_>,
    macros: Macros,
    messages: &mut Messages,
) -> Preprocessed {
    let mut run = Preprocessor {
        sources: Sources::default(),
        include,
        macros,
        disabled: HashSet::new(),
        frames: Vec::new(),
        level: 0,
        asking: false,
        files: Vec::new(),
        once: HashSet::new(),
        room: MAX_TOKENS,
        stopped: false,
        messages,
    };
    run.open(file.to_string(), text, None);
    let mut tokens = Vec::new();
    while let Some(token) = run.expanded() {
        let kind = if token.kind == Kind::Kept { Kind::Name } else { token.kind };
        tokens.push(Token { kind, ..token });
    }
    let Preprocessor { sources, macros, .. } = run;
    let end = Span::new(text.len(), text.len());
    tokens.push(Token { kind: Kind::End, text: "".into(), span: end, first: true, spaced: true });
    Preprocessed { tokens, sources, macros }
}

struct Preprocessor<'a, 'm> {
    sources: Sources,
    include: Include<'a>,
    macros: Macros,
    /// Names of the macros that are being expanded: they are not expanded again.
    disabled: HashSet<Arc<str>>,
    /// What macros stand for, as far as it is still to be read; the innermost last.
    frames: Vec<Frame>,
    /// How many arguments within arguments are being expanded. There, and in directives, the files are out of reach.
    level: usize,
    /// Whether it is a condition that is expanded.
    asking: bool,
    /// The files that are being read; the innermost last.
    files: Vec<File>,
    /// The files that say that they are to be included once.
    once: HashSet<String>,
    /// How many more tokens may be made.
    room: usize,
    /// Whether something is so wrong that nothing more is read.
    stopped: bool,
    messages: &'m mut Messages,
}

impl Preprocessor<'_, '_> {
    /// Reads no more.
    fn stop(&mut self, code: &'static str, message: &str, place: Span) {
        if !self.stopped {
            self.messages.error(code, message, place);
        }
        self.stopped = true;
    }

    /// Notes that there is no room for what is to be made.
    fn full(&mut self, place: Span) {
        self.stop("E0901", "the model has too many tokens once its macros are expanded", place);
    }
}

/// A note that something is read and has no effect.
pub(crate) fn ignored(messages: &mut Messages, what: &str, place: Span) {
    messages.note(Severity::Note, "W0901", format!("{what} has no effect here"), place);
}
