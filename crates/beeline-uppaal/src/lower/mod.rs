//! From the syntax tree to a network. Names are resolved, templates instantiated, constants computed, records
//! and arrays taken apart; whatever the IR does not have is expressed by what it has, or refused by name.
//!
//! Reading order: [`types`], [`scope`] and [`place`] (what names stand for), [`body`] (what is being lowered),
//! [`expr`], [`choice`], [`effects`], [`call`] and [`stmt`] (numbers), [`formula`] and [`clock`] (clocks),
//! [`declare`], [`template`], [`edge`] and [`system`] (the model), [`query`].
//!
//! **Origins.** Every element has the place in the file. The native number of a process is its position in the
//! system; that of an edge is its position among the edges of its template, in the order of the file, and for a
//! branch that of the edge into the branchpoint followed by that of the branch.

mod body;
mod call;
mod choice;
mod clock;
mod constant;
mod declare;
mod edge;
mod effects;
mod expr;
mod fault;
mod fold;
mod formula;
mod function;
mod place;
mod query;
mod scope;
mod stmt;
mod system;
mod template;
mod types;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::expr::{MAX_DEPTH, Range};
use beeline_ir::network::Network;
use beeline_ir::origin::{Origin, Span};
use beeline_ir::{ClockId, FunctionId, ProcessId, VarId};

use crate::ast;
use call::Binding;
use fault::{Fault, Res};
use formula::Rate;
use function::FunctionInfo;
use place::Constant;
pub use query::Symbols;
use scope::{Entity, ScopeId, Scopes, View};
use template::Template;

/// Cells of the variables of one model.
const MAX_CELLS: u64 = 1 << 19;
/// Its clocks.
const MAX_CLOCKS: u64 = 1 << 10;
/// Its channels, each element of an array counted.
const MAX_CHANNELS: u64 = 1 << 16;
/// Processes of one model.
const MAX_PROCESSES: usize = 1 << 12;
/// Steps of lowering one model, counted in expressions and copied cells.
const MODEL_STEPS: u64 = 1 << 21;
/// Steps of lowering one query.
const QUERY_STEPS: u64 = 1 << 20;
/// What a copied cell or a clock constraint costs, in steps: they take more memory than other expressions.
const HEAVY: u64 = 8;
/// What a variable, location, edge, function or process costs, in steps: an engine keeps more than a kilobyte of each.
const ELEMENT: u64 = 24;
/// Steps of evaluating constants that cost as much as one of lowering.
const EVALUATIONS: u64 = 16;
/// Steps of lowering all queries of a file.
const FILE_STEPS: u64 = 1 << 21;
/// Messages about one model.
const MAX_DIAGNOSTICS: usize = 50;

/// Processes that were made over all values of free parameters.
#[derive(Clone, Debug)]
struct Family {
    name: String,
    ranges: Vec<Range>,
    /// One for each combination of values, the first parameter slowest.
    members: Vec<ProcessId>,
}

/// How much of what a model may have was declared.
#[derive(Copy, Clone, Default)]
struct Claimed {
    cells: u64,
    clocks: u64,
    channels: u64,
}

/// What names stand for, kept for later queries.
#[derive(Clone, Debug, Default)]
struct Tables {
    scopes: Scopes,
    constants: Vec<Constant>,
    /// Variables that hold constant arrays.
    constant_vars: BTreeSet<VarId>,
    functions: Vec<FunctionInfo>,
    /// The functions of the IR, by the function of the source and how its parameters are used.
    specialised: BTreeMap<(usize, Vec<Binding>), FunctionId>,
    families: Vec<Family>,
    process_scopes: Vec<ScopeId>,
    process_names: Vec<String>,
    /// Clocks that stand still somewhere; nothing in the model tests them.
    stopped: BTreeSet<ClockId>,
    /// What queries see.
    root: Option<View>,
}

impl Tables {
    /// What a name stands for inside a process.
    fn member(&self, process: ProcessId, name: &str) -> Option<&Entity> {
        self.scopes.own(*self.process_scopes.get(process.index())?, name)
    }
}

/// Lowering in progress. For a query the tables and the network stay as they are: it is `frozen`.
struct Lower<'a> {
    net: Cow<'a, Network>,
    tables: Cow<'a, Tables>,
    frozen: bool,
    /// Whether to look for what an unknown name may mean.
    suggests: bool,
    /// The functions of the source, as many as `tables.functions`; none for a query.
    sources: Vec<&'a ast::Function>,
    templates: Vec<Template<'a>>,
    instances: Vec<(&'a ast::Instance, View)>,
    function_names: BTreeMap<String, u32>,
    /// Rates other than 1, in places where time can pass.
    rates: Vec<Rate>,
    old_syntax: bool,
    priorities_given: bool,
    claimed: Claimed,
    steps: u64,
    budget: u64,
    /// Steps of evaluating constants that are not yet paid for.
    evaluated: Cell<u64>,
    depth: usize,
    errors: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
    said: BTreeSet<(&'static str, Option<Span>, String)>,
}

/// Lowers a document without its queries.
pub(crate) fn lower(
    document: &ast::Document,
    file: &str,
) -> Result<(Network, Symbols, Vec<Diagnostic>), Vec<Diagnostic>> {
    let name = std::path::Path::new(file).file_stem().map_or("model".into(), |s| s.to_string_lossy());
    let network = Network { name: name.into_owned(), sources: vec![file.to_string()], ..Network::default() };
    let mut lower = Lower::new(Cow::Owned(network), Cow::Owned(Tables::default()), MODEL_STEPS);
    lower.old_syntax = document.old_syntax;
    lower.document(document);
    if lower.errors.is_empty() {
        let symbols = Symbols::new(lower.tables.into_owned());
        Ok((lower.net.into_owned(), symbols, lower.notes))
    } else {
        lower.errors.extend(lower.notes);
        Err(lower.errors)
    }
}

/// What something with a name of that length costs, in steps.
fn named(length: usize) -> u64 {
    ELEMENT + (length / 16) as u64
}

impl<'a> Lower<'a> {
    fn new(net: Cow<'a, Network>, tables: Cow<'a, Tables>, budget: u64) -> Self {
        Self {
            net,
            tables,
            frozen: false,
            suggests: true,
            sources: Vec::new(),
            templates: Vec::new(),
            instances: Vec::new(),
            function_names: BTreeMap::new(),
            rates: Vec::new(),
            old_syntax: false,
            priorities_given: false,
            claimed: Claimed::default(),
            steps: 0,
            budget,
            evaluated: Cell::new(0),
            depth: 0,
            errors: Vec::new(),
            notes: Vec::new(),
            said: BTreeSet::new(),
        }
    }
    fn origin(&self, span: Span, native: Vec<i64>) -> Origin {
        Origin { file: 0, span, native }
    }

    /// Counts work, that of evaluations since the last time included.
    fn pay(&mut self, steps: u64, span: Span) -> Res<()> {
        let evaluated = self.evaluated.take() / EVALUATIONS;
        self.steps = self.steps.saturating_add(steps).saturating_add(evaluated);
        if self.steps <= self.budget {
            return Ok(());
        }
        Err(if self.frozen {
            let message = "this query, with those before it, is too large once quantifiers are unrolled";
            Fault::unsupported("U0540", message, span).help("ask fewer questions at a time, or smaller ones")
        } else {
            Fault::error("E0546", "the model is too large once everything is instantiated", span)
        })
    }
    /// Counts something with a name, which is copied as often as the thing itself.
    fn pay_named(&mut self, name: &str, span: Span) -> Res<()> {
        self.pay(named(name.len()), span)
    }
    /// Goes one level deeper.
    fn enter(&mut self, span: Span) -> Res<()> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep, functions included");
            return Err(Fault::error("E0547", message, span));
        }
        self.depth += 1;
        Ok(())
    }
    /// Comes back.
    fn leave(&mut self) {
        self.depth -= 1;
    }

    // Messages. A template is lowered once for each process, but what is wrong with it is said once.

    fn report(&mut self, result: Res<()>) {
        if let Err(fault) = result {
            self.fault(fault);
        }
    }
    fn fault(&mut self, fault: Fault) {
        if matches!(fault, Fault::Told(_)) {
            return;
        }
        let diagnostic = fault.diagnostic();
        let key = (diagnostic.code, diagnostic.span, String::new());
        if self.errors.len() < MAX_DIAGNOSTICS && self.said.insert(key) {
            self.errors.push(diagnostic);
        }
    }
    /// Whether such a message would be shown, and is worth a suggestion.
    fn shows(&self, code: &'static str, span: Span) -> bool {
        let said = || self.said.contains(&(code, Some(span), String::new()));
        self.suggests && self.errors.len() < MAX_DIAGNOSTICS && !said()
    }
    fn note(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.remark(Diagnostic::new(Severity::Note, code, message, Some(span)));
    }
    fn warn(&mut self, code: &'static str, message: impl Into<String>, span: Span) {
        self.remark(Diagnostic::new(Severity::Warning, code, message, Some(span)));
    }
    fn remark(&mut self, diagnostic: Diagnostic) {
        let key = (diagnostic.code, diagnostic.span, String::new());
        if self.notes.len() < MAX_DIAGNOSTICS && self.said.insert(key) {
            self.notes.push(diagnostic);
        }
    }
    /// A note that is given at its first place only.
    fn once(&mut self, code: &'static str, message: &str, span: Span) {
        if self.said.insert((code, None, message.to_string())) {
            self.note(code, message, span);
        }
    }
}
