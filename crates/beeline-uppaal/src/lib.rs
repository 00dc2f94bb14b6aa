//! The UPPAAL front end: reads models (XML, XTA, the old syntax) and queries, and writes what UPPAAL and TChecker
//! read. The way through is text → [`ast`] → network: the parser knows the grammar and no name, the lowering knows
//! names, types and instances and no text.

pub mod ast;
mod lower;
mod trace;
mod write;

pub use trace::{TraceRun, TraceState, TraceStep, XtrState, ZoneBound, verifyta_trace, xtr_trace};
pub use write::{Unwritable, Written, WrittenTck, write_tck, write_xta};

mod lex;
mod near;
mod parse;
mod query;
mod source;
mod xml;

pub use parse::{Format, Parsed, parse};
pub use query::{parse_queries, parse_query};

pub use lower::Symbols;

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::wellformed;

/// A model that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The network; the queries of the file are its properties.
    pub network: Network,
    /// For each property the verdict that the file records: does it hold?
    pub recorded: Vec<Option<bool>>,
    /// Its names, to read more queries.
    pub symbols: Symbols,
    /// Warnings and notes.
    pub notes: Vec<Diagnostic>,
}

/// Reads a model. Fails with everything that is wrong with the text, at most 50 messages.
pub fn read(text: &str, file: &str, format: Format) -> Result<Reading, Vec<Diagnostic>> {
    let read = read_quietly(text, file, format);
    match read {
        Ok(mut reading) => {
            format.name_places(text, &mut reading.notes);
            Ok(reading)
        }
        Err(mut wrong) => {
            format.name_places(text, &mut wrong);
            Err(wrong)
        }
    }
}

/// Reads a model, with messages that know their places in the file alone.
fn read_quietly(text: &str, file: &str, format: Format) -> Result<Reading, Vec<Diagnostic>> {
    let Parsed { document, mut notes } = parse::read(text, format)?;
    let (mut network, symbols, more) = lower::lower(&document, file)?;
    notes.extend(more);
    network.properties = symbols.properties(&network, &document.queries, text, true);
    let recorded = document.queries.iter().map(|q| q.recorded).collect();
    let model = Model::Network(network);
    let wrong = wellformed::check(&model);
    match model {
        Model::Network(network) if wrong.is_empty() => Ok(Reading { network, recorded, symbols, notes }),
        _ => Err(wrong.into_iter().map(explained).collect()),
    }
}

/// What well-formedness says of a lowered model: limits are the user's concern, anything else is a fault in here.
fn explained(diagnostic: Diagnostic) -> Diagnostic {
    const LIMITS: [&str; 3] = ["E0111", "E0307", "E0332"];
    if diagnostic.severity != Severity::Error || LIMITS.contains(&diagnostic.code) {
        return diagnostic;
    }
    let message = format!("the model was read wrongly: {} ({})", diagnostic.message, diagnostic.code);
    Diagnostic::error("E0590", message, diagnostic.span)
        .with_help("this is a fault of Beeline; please report it")
}
