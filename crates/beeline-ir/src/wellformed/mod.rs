//! Well-formedness: what a model must satisfy before anything may be done with it. Front ends check what they build,
//! [`crate::text::read`] checks what it reads; everything else takes well-formed models for granted. In a well-formed
//! model every id belongs to its table, what stands somewhere may stand there, and no interpreter has to nest
//! evaluations deeper than [`MAX_DEPTH`](crate::expr::MAX_DEPTH) levels.
//!
//! Not demanded of a relation: that its next assignments can be ordered. They are constraints, so that
//! `next x := next(y)` beside `next y := next(x)` means that x and y get equal next values.

mod declarations;
mod depth;
mod enabled;
mod expressions;
mod processes;
mod relation;
mod statements;

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::Expr;
use crate::id::{FunctionId, LocalId, ProcessId};
use crate::model::Model;
use crate::network::{Network, Role};
use crate::origin::{Origin, Span};
use crate::property::{Property, PropertyKind};
use crate::stmt::Local;
use crate::text::MAX_DIAGNOSTICS;
use crate::visit;

/// As many slots a state may have at most, and as many cells the frame of an edge or function.
pub const MAX_CELLS: u64 = 10_000_000;

/// What is wrong with a model; nothing if it is well-formed.
pub fn check(model: &Model) -> Vec<Diagnostic> {
    let mut checker = Checker::new(model);
    match model {
        Model::Network(network) => checker.network(network),
        Model::Relation(relation) => checker.relation(relation),
    }
    checker.property_names(model.properties());
    for property in model.properties() {
        checker.property(property);
    }
    checker.diagnostics
}

/// What is wrong with a property of a well-formed model.
pub fn check_property(model: &Model, property: &Property) -> Vec<Diagnostic> {
    let mut checker = Checker::new(model);
    // How deep functions go matters only to who calls one, and there may be many of both.
    if calls(property) {
        checker.measure_functions();
    }
    checker.property(property);
    checker.diagnostics
}

/// Whether a function is called.
fn calls(property: &Property) -> bool {
    let (PropertyKind::Always(predicate) | PropertyKind::Exists(predicate)) = &property.kind else {
        return false;
    };
    let mut open = vec![predicate];
    while let Some(expr) = open.pop() {
        if matches!(expr, Expr::Call(..)) {
            return true;
        }
        visit::children(expr, &mut |child| open.push(child));
    }
    false
}

/// Where an expression stands, and so what it may be.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    /// In what a network does.
    Behaviour,
    /// In a property.
    Property,
    /// In a constraint on the states of a relation.
    State,
    /// In a constraint on the steps of a relation.
    Step,
}

/// What is being checked: a part with a frame of its own.
struct Site<'m> {
    place: Place,
    /// Its name in messages.
    what: String,
    span: Option<Span>,
    frame: &'m [Local],
    /// How many of the frame are parameters or select variables.
    fixed: usize,
    /// Which of the frame quantifiers bind.
    quantified: Vec<bool>,
    /// The process it belongs to.
    process: Option<ProcessId>,
    /// The function it is the body of.
    function: Option<FunctionId>,
}

impl<'m> Site<'m> {
    fn new(place: Place, what: String, origin: Option<&Origin>, frame: &'m [Local]) -> Self {
        Self {
            place,
            what,
            span: origin.map(|o| o.span),
            frame,
            fixed: 0,
            quantified: vec![false; frame.len()],
            process: None,
            function: None,
        }
    }
}

struct Checker<'m> {
    model: &'m Model,
    diagnostics: Vec<Diagnostic>,
    /// Levels of nesting in a call of each function.
    depths: Vec<usize>,
    /// Which functions have no effect.
    pure: Vec<bool>,
    /// Whether the system has clock guards.
    clock_guards: bool,
    /// The quantified locals in whose scope the checked expression stands.
    bound: Vec<LocalId>,
}

impl<'m> Checker<'m> {
    fn new(model: &'m Model) -> Self {
        let clock_guards = match model {
            Model::Network(network) => {
                let systems = network.processes.iter().filter(|p| p.role == Role::System);
                systems.flat_map(|p| &p.edges).any(|e| !e.clock_guard.is_empty())
            }
            Model::Relation(_) => false,
        };
        Self {
            model,
            diagnostics: Vec::new(),
            depths: Vec::new(),
            pure: Vec::new(),
            clock_guards,
            bound: Vec::new(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }
    fn error(&mut self, code: &'static str, message: String, span: Option<Span>) {
        self.report(Diagnostic::error(code, message, span));
    }
    /// An error about a site.
    fn fault(&mut self, site: &Site<'_>, code: &'static str, message: &str) {
        self.error(code, format!("{}: {message}", site.what), site.span);
    }
    /// Something legal about a site that is not handled.
    fn unsupported(&mut self, site: &Site<'_>, code: &'static str, message: &str) {
        let message = format!("{}: {message}", site.what);
        self.report(Diagnostic::new(Severity::Unsupported, code, message, site.span));
    }

    fn tables(&self) -> Option<&'m Network> {
        match self.model {
            Model::Network(network) => Some(network),
            Model::Relation(_) => None,
        }
    }

    fn network(&mut self, network: &'m Network) {
        self.declarations(network);
        self.measure_functions();
        for (id, function) in network.functions.enumerate() {
            self.function(id, function);
        }
        for (id, process) in network.processes.enumerate() {
            self.process(id, process);
        }
        // The graph is only worth looking at when all ids are right.
        if self.diagnostics.is_empty() {
            self.enabled_order(network);
        }
    }

    fn property_names(&mut self, properties: &[Property]) {
        let mut seen = std::collections::BTreeSet::new();
        for property in properties {
            if let Some(name) = &property.name
                && !seen.insert(name)
            {
                let span = property.origin.as_ref().map(|o| o.span);
                self.error("E0301", format!("there are two properties called `{name}`"), span);
            }
            self.origin(property.origin.as_ref());
        }
    }

    fn property(&mut self, property: &'m Property) {
        let what = match &property.name {
            Some(name) => format!("property `{name}`"),
            None => "property".to_string(),
        };
        let mut site = Site::new(Place::Property, what, property.origin.as_ref(), &property.frame);
        self.frame(&site);
        match &property.kind {
            PropertyKind::Always(p) | PropertyKind::Exists(p) => {
                if self.shallow(&site, p, 0) {
                    site.quantified = self.quantified(&site, |visit| visit(p));
                    self.expr(&site, p);
                }
            }
            PropertyKind::NoRuntimeError | PropertyKind::Refused(_) => {}
            PropertyKind::NoAssertionFailure => {
                if self.tables().is_none() {
                    self.fault(&site, "E0335", "a relation has no assertions");
                }
            }
            PropertyKind::NeverAt(id, locations) => {
                let Some(process) = self.tables().and_then(|n| n.processes.get(*id)) else {
                    return self.fault(&site, "E0315", "there is no such process");
                };
                if process.role != Role::Observer {
                    self.fault(&site, "E0335", "`never` is about an observer");
                }
                if locations.iter().any(|l| process.locations.get(*l).is_none()) {
                    self.fault(&site, "E0315", "there is no such location");
                }
            }
        }
    }
}
