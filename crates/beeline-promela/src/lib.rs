//! The Promela front end: reads models as Spin does. The way through is text → tokens with macros expanded → [`ast`] →
//! control flow → network: the preprocessor knows directives, the parser the grammar and scopes, the control flow
//! ([`graph`]) where a process may stand, and the lowering the meaning of what it does there.

pub mod ast;
mod elements;
mod graph;
mod lex;
mod lower;
mod messages;
mod parse;
mod preprocess;
mod trace;

use std::sync::Arc;

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::model::Model;
use beeline_ir::network::{Edge, Network};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::Stmt;
use beeline_ir::trace::NetworkRun;
use beeline_ir::wellformed;

pub use lower::MAX_PROCESSES;
use messages::Messages;
pub use preprocess::Include;
use preprocess::{Macros, Preprocessed, Sources};
pub use trace::{Teller, Told, Trail, TrailLine};

/// Slots of a process type that may be started any number of times, unless asked otherwise.
pub const DEFAULT_SLOTS: usize = 8;

/// What the length of a run counts.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Length {
    /// Executed statements: a rendezvous is one, the end of a process and jumps are none.
    #[default]
    Statements,
    /// What Spin counts: both sides of a rendezvous, ends of processes, and jumps that end atomic sequences, too.
    Spin,
}

/// How a model is read.
#[derive(Copy, Clone)]
pub struct ReadOptions<'a> {
    /// The name of the file, for messages and origins.
    pub file: &'a str,
    /// Reads included files.
    pub include: Include<'a>,
    /// How many processes of one type may exist at once, where the model does not say.
    pub slots: usize,
    /// What counts as a step.
    pub length: Length,
}

/// A model that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The network; claims and formulas of the file are its properties.
    pub network: Network,
    /// Its names, to read more formulas.
    pub symbols: Symbols,
    /// Warnings and notes.
    pub notes: Vec<Diagnostic>,
}

/// The names of a model, to read formulas about it.
#[derive(Clone, Debug)]
pub struct Symbols {
    document: Arc<ast::Document>,
    sources: Arc<Sources>,
    macros: Arc<Macros>,
    slots: usize,
    length: Length,
}

/// Reads a model. Fails with everything that is wrong with the text, at most 50 messages.
pub fn read(text: &str, options: ReadOptions<'_>) -> Result<Reading, Vec<Diagnostic>> {
    let mut messages = Messages::default();
    let Preprocessed { tokens, sources, macros } =
        preprocess::preprocess(text, options.file, options.include, Macros::new(), &mut messages);
    let placed = |all: Vec<Diagnostic>| all.into_iter().map(|d| sources.placed(d)).collect::<Vec<_>>();
    let document = match messages.errors.is_empty() {
        true => parse::parse(tokens, &mut messages),
        false => ast::Document::default(),
    };
    // What could not be read is missing, and whatever else is said would be about that.
    if !messages.errors.is_empty() {
        return Err(placed(messages.finish().err().unwrap_or_default()));
    }
    let name = options.file.rsplit(['/', '\\']).next().unwrap_or(options.file);
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let lowered = lower::lower(&document, &sources, name, options.slots, options.length, &mut messages);
    let network = lowered.network;
    let notes = placed(messages.finish().map_err(placed)?);
    let model = Model::Network(network);
    let wrong = wellformed::check(&model);
    let Model::Network(network) = model else { return Err(wrong) };
    if !wrong.is_empty() {
        return Err(wrong.into_iter().map(explained).collect());
    }
    let (slots, length) = (options.slots, options.length);
    let (document, sources, macros) = (Arc::new(document), Arc::new(sources), Arc::new(macros));
    let symbols = Symbols { document, sources, macros, slots, length };
    Ok(Reading { network, symbols, notes })
}

impl Symbols {
    /// How many processes of one type may exist at once, where the model does not say.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// What the length of a run counts.
    pub fn length(&self) -> Length {
        self.length
    }

    /// The property that a formula asks about the model that these names were read with: `[] p`, or a predicate, which
    /// is to hold in every state; `E<> p` asks for a state where it does.
    pub fn formula(&self, text: &str) -> Result<Property, Vec<Diagnostic>> {
        let trimmed = text.trim_start();
        let known = [lower::assertions(), self.valid_end_states()];
        if let Some(property) = known.into_iter().find(|p| p.name.as_deref() == Some(trimmed.trim_end())) {
            return Ok(property);
        }
        let (body, exists) = match (trimmed.strip_prefix("E<>"), trimmed.strip_prefix("A[]")) {
            (Some(body), _) => (body, true),
            (None, Some(body)) => (body, false),
            (None, None) => (trimmed, false),
        };
        let offset = text.len() - body.len();
        let moved = |mut d: Diagnostic| {
            let add = |at: u32| at.saturating_add(offset as u32).min(text.len() as u32);
            d.span = d.span.map(|s| beeline_ir::origin::Span { start: add(s.start), end: add(s.end) });
            d
        };
        let mut messages = Messages::default();
        let none = |_: &str| Err("a formula includes nothing".to_string());
        // A question is asked in the words of the model.
        let macros = Macros::clone(&self.macros);
        let asked = preprocess::preprocess(body, "<property>", &none, macros, &mut messages);
        let formula = parse::parse_formula(asked.tokens, &self.document.procs, &mut messages);
        messages.finish().map_err(|all| all.into_iter().map(moved).collect::<Vec<_>>())?;
        let Some(formula) = formula else { return Err(Vec::new()) };
        let property = self.asked(formula, exists).map_err(|d| vec![moved(d)])?;
        Ok(Property { text: Some(text.trim().to_string()), ..property })
    }

    fn asked(&self, formula: ast::Expr, exists: bool) -> Result<Property, Diagnostic> {
        let predicate = lower::is_predicate(&formula);
        let span = formula.span;
        if exists && !predicate {
            let message = "after `E<>` a predicate on states is expected";
            return Err(Diagnostic::error("E0906", message, Some(span)));
        }
        let formula = match predicate && !exists {
            true => ast::Expr { kind: ast::ExprKind::Temporal("[]", vec![formula]), span },
            false => formula,
        };
        let mut quiet = Messages::default();
        let mut lowered =
            lower::lower(&self.document, &self.sources, "", self.slots, self.length, &mut quiet);
        lowered.asked(&formula, exists)
    }

    fn valid_end_states(&self) -> Property {
        let mut quiet = Messages::default();
        lower::lower(&self.document, &self.sources, "", self.slots, self.length, &mut quiet)
            .valid_end_states()
    }
}

/// Whether a run that violates a property ends because there are too few slots for processes: then it says nothing else
/// about the model, which is to be read with more of them.
pub fn lacks_slots(network: &Network, property: &Property, run: &NetworkRun) -> bool {
    let Some(last) = run.steps.last() else { return false };
    last.label.parts.iter().any(|part| {
        let process = &network.processes[part.process];
        let edge = &process.edges[part.edge];
        let overflows = |edge: &Edge| process.locations[edge.target].name.starts_with(lower::OVERFLOW);
        let starts = || edge.update.iter().any(|s| matches!(s, Stmt::Start(..)));
        let fails = || property.kind == PropertyKind::NoRuntimeError && starts();
        overflows(edge) || fails() && process.edges.iter().any(|e| e.source == edge.source && overflows(e))
    })
}

/// What well-formedness says of a lowered model: limits are the user's concern, anything else is a fault in here.
fn explained(diagnostic: Diagnostic) -> Diagnostic {
    const LIMITS: [&str; 3] = ["E0111", "E0307", "E0332"];
    if diagnostic.code == "E0328" {
        let message = "whether this can be executed depends, by way of `else` or escapes and of who takes part, on itself";
        return Diagnostic::error("E0328", message, diagnostic.span);
    }
    if diagnostic.severity != Severity::Error || LIMITS.contains(&diagnostic.code) {
        return diagnostic;
    }
    let message = format!("the model was read wrongly: {} ({})", diagnostic.message, diagnostic.code);
    Diagnostic::error("E0990", message, diagnostic.span)
        .with_help("this is a fault of Beeline; please report it")
}
