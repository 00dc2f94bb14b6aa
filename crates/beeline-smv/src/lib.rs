//! The SMV front end: reads models as NuSMV does, and writes traces in its forms. The way through is text → [`ast`] →
//! instances → relation: the parser knows the grammar and no name, the hierarchy knows names and no type, the lowering
//! knows types and writes the model.

pub mod ast;
mod hierarchy;
mod lex;
mod lower;
mod messages;
mod parse;
mod trace;
mod types;

use std::sync::Arc;

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::model::Model;
use beeline_ir::property::{Property, PropertyKind, Refusal};
use beeline_ir::relation::Relation;
use beeline_ir::wellformed;

use messages::Messages;
pub use trace::{States, nusmv_trace, nusmv_xml, read_nusmv_traces};

/// Columns are counted up to here.
const MAX_COLUMN: usize = 10_000;

/// A model that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The relation; the specifications of the file are its properties.
    pub relation: Relation,
    /// Its names, to read more specifications.
    pub symbols: Symbols,
    /// Warnings and notes.
    pub notes: Vec<Diagnostic>,
}

/// The names of a model, to read specifications about it.
#[derive(Clone, Debug)]
pub struct Symbols {
    document: Arc<ast::Document>,
}

/// Reads a model. Fails with everything that is wrong with the text, at most 50 messages.
pub fn read(text: &str, file: &str) -> Result<Reading, Vec<Diagnostic>> {
    let mut messages = Messages::default();
    let document = parse::parse(text, &mut messages);
    // What could not be read is missing, and whatever else is said would be about that.
    if !messages.errors.is_empty() {
        return Err(messages.finish().err().unwrap_or_default());
    }
    let mut relation = lower::lower(&document, file, &mut messages);
    let notes = messages.finish()?;
    place_refusals(&mut relation.properties, text);
    let model = Model::Relation(relation);
    let wrong = wellformed::check(&model);
    match model {
        Model::Relation(relation) if wrong.is_empty() => {
            Ok(Reading { relation, symbols: Symbols { document: Arc::new(document) }, notes })
        }
        _ => Err(wrong.into_iter().map(explained).collect()),
    }
}

impl Symbols {
    /// The property that a specification asks about the model that these names were read with: `INVARSPEC p`,
    /// `LTLSPEC G p`, or a formula of CTL.
    pub fn specification(&self, text: &str) -> Result<Property, Vec<Diagnostic>> {
        let mut messages = Messages::default();
        let spec = parse::parse_spec(text, &mut messages);
        messages.finish()?;
        let asked = spec.and_then(|spec| self.properties(&[spec]).pop());
        match asked {
            Some(Ok(property)) => Ok(property),
            Some(Err(wrong)) => Err(vec![wrong]),
            None => Err(vec![Diagnostic::error("E0806", "there is no specification here", None)]),
        }
    }

    /// The properties of a file of specifications, each with its keyword. One that is not supported is refused by
    /// itself; a mistake in one is a mistake of the file.
    pub fn specifications(&self, text: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
        let mut messages = Messages::default();
        let specs = parse::parse_specs(text, &mut messages);
        let mut properties = Vec::new();
        for (spec, asked) in specs.iter().zip(self.properties(&specs)) {
            match asked {
                Ok(property) => properties.push(property),
                Err(wrong) if wrong.severity == Severity::Unsupported => {
                    properties.push(Property { origin: None, ..lower::refused(spec, &wrong) });
                }
                Err(wrong) => messages.add(wrong),
            }
        }
        messages.finish()?;
        Ok(properties)
    }

    fn properties(&self, specs: &[ast::Spec]) -> Vec<Result<Property, Diagnostic>> {
        let asked = lower::properties(&self.document, specs);
        // Places in a text of their own are none of the model.
        asked.into_iter().map(|p| p.map(|property| Property { origin: None, ..property })).collect()
    }
}

/// Tells where the mistake in a specification is.
fn place_refusals(properties: &mut [Property], text: &str) {
    let lines: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    for property in properties {
        if let PropertyKind::Refused(Refusal { malformed: true, reason }) = &mut property.kind
            && let Some(origin) = &property.origin
        {
            let at = origin.span.start as usize;
            let line = lines.partition_point(|start| *start <= at);
            let before = lines.get(line.saturating_sub(1)).and_then(|start| text.get(*start..at));
            let column = before.unwrap_or_default().chars().take(MAX_COLUMN).count() + 1;
            reason.push_str(&format!(" (line {line}, column {column})"));
        }
    }
}

/// What well-formedness says of a lowered model: limits are the user's concern, anything else is a fault in here.
fn explained(diagnostic: Diagnostic) -> Diagnostic {
    const LIMITS: [&str; 2] = ["E0111", "E0307"];
    if diagnostic.severity != Severity::Error || LIMITS.contains(&diagnostic.code) {
        return diagnostic;
    }
    let message = format!("the model was read wrongly: {} ({})", diagnostic.message, diagnostic.code);
    Diagnostic::error("E0890", message, diagnostic.span)
        .with_help("this is a fault of Beeline; please report it")
}
