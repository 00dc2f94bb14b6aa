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
use super::{Lower, QUERY_STEPS, Tables};
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
        self.properties(network, &parse_queries(text), false)
    }
    /// The property that one query asks; what is wrong with it is placed in its text.
    pub fn query(&self, network: &Network, text: &str) -> Result<Property, Vec<Diagnostic>> {
        match self.property(&bare(network), &parse_query(text)) {
            (_, Some(why)) if why.severity == Severity::Error => Err(vec![why]),
            (property, _) => Ok(property),
        }
    }
    /// The properties that queries ask; those that stand in the model's own file are placed there.
    pub(crate) fn properties(
        &self,
        network: &Network,
        queries: &[ast::Query],
        placed: bool,
    ) -> Vec<Property> {
        if queries.is_empty() {
            return Vec::new();
        }
        let model = bare(network);
        let property = |query: &ast::Query| {
            let (mut property, _) = self.property(&model, query);
            property.origin = placed.then(|| Origin { file: 0, span: query.span, native: Vec::new() });
            property
        };
        queries.iter().map(property).collect()
    }
    /// What a query asks, and why it is refused if it is.
    fn property(&self, model: &Model, query: &ast::Query) -> (Property, Option<Diagnostic>) {
        let mut property = Property {
            name: None,
            text: Some(query.text.clone()),
            frame: Vec::new(),
            kind: PropertyKind::NoRuntimeError,
            origin: None,
        };
        let kind = match (&query.kind, model) {
            (QueryKind::Always(e), Model::Network(network)) => {
                self.predicate(network, e, &mut property).map(PropertyKind::Always)
            }
            (QueryKind::Possibly(e), Model::Network(network)) => {
                self.predicate(network, e, &mut property).map(PropertyKind::Exists)
            }
            (QueryKind::Unsupported(what), _) => {
                let message = format!("`{what}` is not answered: only `A[] p` and `E<> p` are");
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
    ) -> Result<Expr, Diagnostic> {
        let Some(root) = self.tables.root else {
            return Err(Diagnostic::error("E0548", "the model has no system", None));
        };
        let mut lower = Lower::new(Cow::Borrowed(network), Cow::Borrowed(&self.tables), QUERY_STEPS);
        lower.frozen = true;
        let mut b = Body::new(root, None);
        let lowered: Res<Expr> = lower.formula(&mut b, e).and_then(|f| f.property());
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

/// Why a query is refused, in words.
fn refusal(why: &Diagnostic) -> Refusal {
    let reason = match &why.help {
        Some(help) => format!("{}; {help}", why.message),
        None => why.message.clone(),
    };
    Refusal { malformed: why.severity == Severity::Error, reason }
}
