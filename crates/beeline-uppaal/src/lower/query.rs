//! Queries: predicates over the names of a model that is already lowered. A query that cannot be answered, or
//! does not resolve, is refused by itself; the others still run.

use std::borrow::Cow;

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::expr::Expr;
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::origin::Origin;
use beeline_ir::property::{Property, PropertyKind, Refusal};
use beeline_ir::{visit, wellformed};

use super::body::Body;
use super::fault::{Fault, Res};
use super::{FILE_STEPS, Lower, MAX_DIAGNOSTICS, QUERY_STEPS, Tables};
use crate::ast::{self, QueryKind};
use crate::query::{parse_queries, parse_query};

/// The names of a model, to read queries about it.
#[derive(Clone, Debug)]
pub struct Symbols {
    tables: Tables,
}

impl Symbols {
    pub(super) fn new(tables: Tables) -> Self {
        Self { tables }
    }
    /// The properties that the queries of a `.q` file ask about the network that these names were read with.
    pub fn queries(&self, network: &Network, text: &str) -> Vec<Property> {
        self.properties(network, &parse_queries(text), text, false)
    }
    /// The property that one query asks; what is wrong with it is placed in its text.
    pub fn query(&self, network: &Network, text: &str) -> Result<Property, Vec<Diagnostic>> {
        match self.property(&bare(network), &parse_query(text), true, &mut { QUERY_STEPS }) {
            (_, Some(why)) if why.severity == Severity::Error => Err(vec![why]),
            (property, _) => Ok(property),
        }
    }
    /// The properties that queries in a text ask; those of the model's own file are placed there. One with a
    /// mistake has the place of the mistake.
    pub(crate) fn properties(
        &self,
        network: &Network,
        queries: &[ast::Query],
        text: &str,
        placed: bool,
    ) -> Vec<Property> {
        if queries.is_empty() {
            return Vec::new();
        }
        let model = bare(network);
        let mut lines = Lines::new(text);
        let (mut mistakes, mut steps_left) = (0, FILE_STEPS);
        let property = |query: &ast::Query| {
            // Nobody reads hundreds of suggestions, each of which looks at all names.
            let suggest = mistakes < MAX_DIAGNOSTICS;
            let (mut property, why) = self.property(&model, query, suggest, &mut steps_left);
            mistakes += usize::from(why.is_some());
            let mistake = why.filter(|why| why.severity == Severity::Error);
            let span = mistake.and_then(|why| why.span).unwrap_or(query.span);
            if let PropertyKind::Refused(Refusal { malformed: true, reason }) = &mut property.kind {
                let (line, column) = lines.position(span.start as usize);
                reason.push_str(&format!(" (line {line}, column {column})"));
            }
            property.origin = placed.then(|| Origin { file: 0, span, native: Vec::new() });
            property
        };
        queries.iter().map(property).collect()
    }
    /// What a query asks, and why it is refused if it is; `suggest` names that may be meant. The queries of a file
    /// share their steps.
    fn property(
        &self,
        model: &Model,
        query: &ast::Query,
        suggest: bool,
        steps_left: &mut u64,
    ) -> (Property, Option<Diagnostic>) {
        let mut property = Property {
            name: None,
            text: Some(query.text.clone()),
            frame: Vec::new(),
            kind: PropertyKind::NoRuntimeError,
            origin: None,
        };
        let kind = match (&query.kind, model) {
            (QueryKind::Always(e), Model::Network(network)) => {
                self.predicate(network, e, &mut property, suggest, steps_left).map(PropertyKind::Always)
            }
            (QueryKind::Possibly(e), Model::Network(network)) => {
                self.predicate(network, e, &mut property, suggest, steps_left).map(PropertyKind::Exists)
            }
            (QueryKind::Unsupported(what), _) => {
                let message = format!("{}; only `A[]` and `E<>` can be checked", asks(what));
                Err(Diagnostic::unsupported("U0541", message, Some(query.span)))
            }
            (QueryKind::Malformed(message, span), _) => {
                Err(Diagnostic::error("E0548", message.clone(), Some(*span)))
            }
            (_, Model::Relation(_)) => Err(Diagnostic::error("E0548", "the model is no network", None)),
        };
        let checked = kind.and_then(|kind| {
            property.kind = kind;
            wellformed::check_property(model, &property).into_iter().next().map_or(Ok(()), Err)
        });
        let Err(why) = checked else { return (property, None) };
        property.frame.clear();
        property.kind = PropertyKind::Refused(refusal(&why));
        (property, Some(why))
    }
    fn predicate(
        &self,
        network: &Network,
        e: &ast::Expr,
        property: &mut Property,
        suggest: bool,
        steps_left: &mut u64,
    ) -> Result<Expr, Diagnostic> {
        let Some(root) = self.tables.root else {
            return Err(Diagnostic::error("E0548", "the model has no system", None));
        };
        let budget = QUERY_STEPS.min(*steps_left);
        let mut lower = Lower::new(Cow::Borrowed(network), Cow::Borrowed(&self.tables), budget);
        // What is lowered is then looked at together with all functions of the network.
        lower.steps = network.functions.len() as u64 / 4;
        lower.frozen = true;
        lower.suggests = suggest;
        let mut b = Body::new(root, None);
        let lowered: Res<Expr> = lower.formula(&mut b, e).and_then(|f| f.property());
        *steps_left = steps_left.saturating_sub(lower.steps);
        property.frame = b.frame;
        let predicate = lowered.map_err(Fault::diagnostic)?;
        self.running(network, &predicate)?;
        Ok(predicate)
    }
    /// Refuses a predicate about a clock that stands still somewhere.
    fn running(&self, network: &Network, predicate: &Expr) -> Result<(), Diagnostic> {
        let mut stopped = None;
        visit::walk(predicate, &mut |e| {
            if let Expr::Clock(atom) = e {
                let clocks = [Some(atom.left), atom.right].into_iter().flatten();
                stopped = stopped.or_else(|| clocks.into_iter().find(|c| self.tables.stopped.contains(c)));
            }
        });
        match stopped {
            None => Ok(()),
            Some(clock) => {
                let name = network.clock_name(clock);
                let message =
                    format!("the clock `{name}` does not run at rate 1 everywhere, and the query tests it");
                Err(Diagnostic::unsupported("U0533", message, None))
            }
        }
    }
}

/// The network as a model, without what is asked of it already.
fn bare(network: &Network) -> Model {
    Model::Network(Network { properties: Vec::new(), ..network.clone() })
}

/// What a query of a kind that is not supported asks.
fn asks(kind: &str) -> String {
    let asks = match kind {
        "nested path quantifiers" => return "path quantifiers inside of a query ask about whole runs".into(),
        "p --> q" | "A<>" | "E[]" | "A[p U q]" => "asks about whole runs",
        "sup" | "inf" | "bounds" => "asks for the bounds of values",
        "Pr" | "Pmax" | "E[...]" | "simulate" => "asks for statistics of random runs",
        "consistency" | "refinement" | "implementation" => "compares specifications",
        "scenario" => "is about sequence charts",
        _ => "is about strategies",
    };
    format!("`{kind}` {asks}")
}

/// Lines and columns of places, from 1; columns count characters. Places are asked for in the order of the text,
/// which is read once however many there are.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }
    fn position(&mut self, at: usize) -> (usize, usize) {
        for c in self.text.get(self.at..at).unwrap_or_default().chars() {
            if c == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else {
                self.column += 1;
            }
        }
        self.at = at.max(self.at);
        (self.line, self.column)
    }
}

/// Why a query is refused, in words.
fn refusal(why: &Diagnostic) -> Refusal {
    let reason = match &why.help {
        Some(help) => format!("{}; {help}", why.message),
        None => why.message.clone(),
    };
    Refusal { malformed: why.severity == Severity::Error, reason }
}
