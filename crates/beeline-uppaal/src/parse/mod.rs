//! From text to the syntax tree. The grammar is split by what it describes; every rule is a method of
//! [`cursor::Parser`]. A rule that fails returns its diagnostic; lists (of declarations, statements, edges,
//! labels) keep it and go on behind the damage, so that all errors of a file are seen at once.

pub(crate) mod context;
pub(crate) mod cursor;
mod decl;
pub(crate) mod edge;
mod expr;
mod item;
pub(crate) mod label;
pub(crate) mod nodes;
mod process;
mod stmt;
mod types;
mod words;

use beeline_ir::diagnostic::Diagnostic;

use crate::ast::Document;
use crate::source::{Text, too_long};
use crate::xml;
use context::{Context, Syntax};
use cursor::Parser;

/// How a model is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// `.xml`
    Xml,
    /// `.xta` and `.ta`
    Xta,
}

impl Format {
    /// Adds to messages about a model where they belong as an editor shows it, if it is not by lines.
    pub(crate) fn name_places(self, text: &str, diagnostics: &mut [Diagnostic]) {
        match self {
            Self::Xml => xml::context::name_places(text, diagnostics),
            Self::Xta => {}
        }
    }
}

/// A model that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct Parsed {
    /// Its syntax tree.
    pub document: Document,
    /// Warnings and notes.
    pub notes: Vec<Diagnostic>,
}

/// Reads a model in the new syntax, or in the old one if it is not in the new. Fails with all errors of the file.
pub fn parse(text: &str, format: Format) -> Result<Parsed, Vec<Diagnostic>> {
    let name_places = |diagnostics: &mut [Diagnostic]| format.name_places(text, diagnostics);
    match read(text, format) {
        Ok(mut parsed) => {
            name_places(&mut parsed.notes);
            Ok(parsed)
        }
        Err(mut errors) => {
            name_places(&mut errors);
            Err(errors)
        }
    }
}

/// The same, with messages that know their places in the file alone.
pub(crate) fn read(text: &str, format: Format) -> Result<Parsed, Vec<Diagnostic>> {
    if let Some(diagnostic) = too_long(text) {
        return Err(vec![diagnostic]);
    }
    let (document, new) = attempt(text, format, Syntax::New)?;
    if new.error_count() == 0 {
        return Ok(Parsed { document, notes: new.finish()? });
    }
    if new.limit_reached {
        return Err(new.finish().err().unwrap_or_default());
    }
    drop(document);
    let (document, mut old) = attempt(text, format, Syntax::Old)?;
    if old.error_count() == 0 {
        let message =
            "read in the syntax of UPPAAL 3: parameters that are not `const` are passed by reference";
        old.note("W0501", message, None);
        return Ok(Parsed { document, notes: old.finish()? });
    }
    let better = if new.looks_old && old.error_count() <= new.error_count() { old } else { new };
    Err(better.finish().err().unwrap_or_default())
}

/// Reads a model in one of the syntaxes; errors are in the context. Fails only for what is no XML at all.
fn attempt(text: &str, format: Format, syntax: Syntax) -> Result<(Document, Context), Vec<Diagnostic>> {
    let mut context = Context::new(syntax);
    let mut document = Document { old_syntax: syntax == Syntax::Old, ..Document::default() };
    match format {
        Format::Xml => xml::read(text, &mut document, &mut context).map_err(|diagnostic| vec![diagnostic])?,
        Format::Xta => {
            let source = Text::verbatim(text, 0..text.len());
            Parser::new(&source, &mut context).items(&mut document);
        }
    }
    Ok((document, context))
}
