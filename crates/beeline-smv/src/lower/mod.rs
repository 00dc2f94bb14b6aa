//! From the tree of instances to a relation: types and variables, then assignments, constraints and specifications,
//! one by one; what is wrong with one of them does not keep the others from being read.

mod assign;
mod build;
mod convert;
mod expr;
mod order;
mod reference;
mod set;
mod spec;
mod start;
mod total;
mod typed;
mod variable;
mod word;

use std::collections::{HashMap, HashSet};

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::expr::Expr;
use beeline_ir::origin::Span;
use beeline_ir::property::Property;
use beeline_ir::relation::{Relation, RelationRole};
use beeline_ir::{EnumId, VarId};

use crate::ast::{self, Constraint, Document, Item};
use crate::hierarchy::{Hierarchy, InstanceId};
use crate::messages::Messages;
use crate::types::{Table, Type, Value};
use build::Gap;
pub(crate) use spec::refused;
use total::{Found, Missing};
use typed::Typed;
pub(crate) use variable::{SIGNED, UNSIGNED};

/// What a rule gives, or why not.
pub(crate) type Res<T> = Result<T, Diagnostic>;

/// Parts of expressions that may be made of one file: definitions are copied to where they are used.
const MAX_PARTS: usize = 2_000_000;

/// Parts of expressions that are visited, of all of a file, to see whether they always have a value.
const MAX_VISITS: usize = 10_000_000;

/// Levels of expressions, through definitions, that are followed.
const MAX_LEVELS: usize = 300;

/// Where an expression stands, and so what it may read.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    /// Nothing: it is a constant.
    Constant,
    /// The state.
    State,
    /// The state, the next one, and inputs.
    Step,
}

/// Where an expression is read.
#[derive(Copy, Clone, Debug)]
struct Site {
    at: InstanceId,
    /// Inside of `next`.
    primed: bool,
    place: Place,
}

impl Site {
    fn new(at: InstanceId, place: Place) -> Self {
        Self { at, primed: false, place }
    }
}

/// What a definition is known to be: its body, where it is read, and whether inside of `next`.
type DefineKey = (*const ast::Expr, InstanceId, bool);

struct Lower<'a, 'm> {
    hierarchy: Hierarchy<'a>,
    messages: &'m mut Messages,
    relation: Relation,
    /// By variable.
    types: Vec<Type>,
    /// Types with names for their values; each has one list of them.
    tables: HashMap<Type, (EnumId, Type)>,
    /// Symbols of all enumerations.
    symbols: HashSet<&'a str>,
    /// The input that says which process takes the step.
    selector: Option<VarId>,
    defines: HashMap<DefineKey, Res<Typed>>,
    /// Definitions that are being read.
    active: Vec<DefineKey>,
    parts: usize,
    level: usize,
    /// Parts of expressions that may still be visited to see whether they always have a value.
    visits: usize,
    /// Names of specifications.
    named: HashSet<String>,
    /// Whether what was lowered since this was last reset may be without value.
    fallible: bool,
    /// Whether something could not be checked for that.
    unchecked: bool,
    fair: bool,
}

/// The relation that a document describes.
pub(crate) fn lower(document: &Document, file: &str, messages: &mut Messages) -> Relation {
    let mut lower = Lower::new(document, file, messages);
    if lower.hierarchy.instances.is_empty() {
        return lower.relation;
    }
    lower.variables();
    // Without its variables, the rest is full of unknown names.
    if lower.messages.errors.is_empty() {
        lower.definitions();
        lower.constraints();
        lower.assignments();
        lower.specifications();
    }
    if lower.unchecked {
        let message = "some expressions are too large to check that they have a value in the range of their type in \
                       every state; where one has none, a step is an error";
        lower.messages.note(Severity::Note, "W0801", message, None);
    }
    lower.relation
}

/// The properties that specifications ask of a document that has no errors, or why not.
pub(crate) fn properties<'d>(document: &'d Document, specs: &'d [ast::Spec]) -> Vec<Res<Property>> {
    let mut quiet = Messages::default();
    let mut lower = Lower::new(document, "", &mut quiet);
    lower.variables();
    lower.constraints();
    lower.assignments();
    let Some(main) = lower.hierarchy.instances.ids().next() else { return Vec::new() };
    let ask = |spec| {
        let property = lower.specification(spec, main)?;
        Ok(lower.placed(property, spec, main))
    };
    specs.iter().map(ask).collect()
}

impl<'a, 'm> Lower<'a, 'm> {
    fn new(document: &'a Document, file: &str, messages: &'m mut Messages) -> Self {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let name = name.strip_suffix(".smv").unwrap_or(name).to_string();
        let relation = Relation { name, sources: vec![file.to_string()], ..Relation::default() };
        Self {
            hierarchy: Hierarchy::new(document, messages),
            messages,
            relation,
            types: Vec::new(),
            tables: HashMap::new(),
            symbols: HashSet::new(),
            selector: None,
            defines: HashMap::new(),
            active: Vec::new(),
            parts: 0,
            level: 0,
            visits: MAX_VISITS,
            named: HashSet::new(),
            fallible: false,
            unchecked: false,
            fair: false,
        }
    }

    /// Every declaration of every instance.
    fn items(&self) -> Vec<(InstanceId, &'a Item)> {
        let of = |id: InstanceId| self.hierarchy.instances[id].items.iter().map(move |item| (id, *item));
        self.hierarchy.instances.ids().flat_map(of).collect()
    }

    /// Counts what is made.
    fn spend(&mut self, parts: usize, span: Span) -> Res<()> {
        self.parts = self.parts.saturating_add(parts);
        if self.parts <= MAX_PARTS {
            return Ok(());
        }
        let message = "the file is too large once its definitions, instances and arrays are written out";
        Err(Diagnostic::error("E0821", message, Some(span)))
    }

    /// Definitions are looked at even if nobody uses them.
    fn definitions(&mut self) {
        for (at, item) in self.items() {
            let Item::Define(_, body) = item else { continue };
            let site = Site::new(at, Place::Step);
            if self.is_set(body, at) || matches!(body.kind, ast::ExprKind::Array(_)) {
                continue;
            }
            if let Err(wrong) = self.define(body, site) {
                self.messages.add(wrong);
            }
        }
    }

    fn constraints(&mut self) {
        for (at, item) in self.items() {
            match item {
                Item::Constraint(kind, expr) => {
                    let place = if *kind == Constraint::Trans { Place::Step } else { Place::State };
                    match self.whole_truth(expr, Site::new(at, place)) {
                        Ok(lowered) => self.constrain(*kind, lowered, expr.span),
                        Err(wrong) => self.messages.add(wrong),
                    }
                }
                Item::Fairness(all) => {
                    self.fair = true;
                    for expr in all {
                        if let Err(wrong) = self.truth(expr, Site::new(at, Place::Step)) {
                            self.messages.add(wrong);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a constraint; a conjunction is several, unless one part keeps another from being evaluated where it has no
    /// value.
    fn constrain(&mut self, kind: Constraint, constraint: Expr, span: Span) {
        if constraint == Expr::FALSE {
            let message = match kind {
                Constraint::Init | Constraint::Invar => "this never holds, so there is no initial state",
                Constraint::Trans => "this never holds, so there is no step",
            };
            self.messages.note(Severity::Warning, "W0803", message, Some(span));
        }
        let all = match kind {
            Constraint::Init => &mut self.relation.init,
            Constraint::Invar => &mut self.relation.invar,
            Constraint::Trans => &mut self.relation.trans,
        };
        match constraint {
            Expr::Const(1) => {}
            Expr::And(parts) if !self.fallible => all.extend(parts),
            constraint => all.push(constraint),
        }
    }

    /// A truth value that is there in every state, and reads nothing that it may not.
    fn whole_truth(&mut self, expr: &'a ast::Expr, site: Site) -> Res<Expr> {
        self.fallible = false;
        let lowered = self.truth(expr, site)?;
        self.allowed(&lowered, site.place, expr.span)?;
        if !self.fallible {
            return Ok(lowered);
        }
        let types = &self.types;
        match total::expression(&lowered, &|var| types[var.index()].range(), &mut self.visits) {
            Found::Total => Ok(total::pruned(lowered)),
            Found::Missing(why, with) => Err(self.missing(why, &with, expr.span, None)),
            Found::Unknown => {
                self.unchecked = true;
                Ok(lowered)
            }
        }
    }

    /// Refuses inputs and next values where there are none; those that came through a definition, too.
    fn allowed(&self, expr: &Expr, place: Place, span: Span) -> Res<()> {
        let (mut next, mut input) = (false, None);
        total::reads(expr, &mut |var, primed| {
            next |= primed;
            if self.relation.vars[var].role == RelationRole::Input {
                input = Some(var);
            }
        });
        match (place, input) {
            (Place::Step, _) => Ok(()),
            (_, Some(var)) => {
                let message = format!("the input `{}` is not part of a state", self.relation.vars[var].name);
                Err(Diagnostic::error("E0818", message, Some(span)))
            }
            _ if next => Err(Diagnostic::error(
                "E0818",
                "`next` stands only in `TRANS` and `next` assignments",
                Some(span),
            )),
            _ => Ok(()),
        }
    }

    /// The message about a value that is missing with some values of variables.
    fn missing(
        &self,
        why: Missing,
        with: &[(VarId, bool, i64)],
        span: Span,
        to: Option<VarId>,
    ) -> Diagnostic {
        let to = to.map_or_else(|| "this".to_string(), |var| format!("`{}`", self.relation.vars[var].name));
        let (code, message) = match why {
            Missing::Gap(Gap::Case) => ("E0825", "no case applies".to_string()),
            Missing::Gap(Gap::Index) => ("E0825", "an index is outside of its array".to_string()),
            Missing::Gap(Gap::Shift) => ("E0825", "a word is shifted by more than its bits".to_string()),
            Missing::Gap(Gap::Type) => ("E0824", format!("{to} cannot have a value of another type")),
            Missing::DivisionByZero => ("E0825", "division by zero".to_string()),
            Missing::Overflow => ("E0825", "a number beyond 64 bits".to_string()),
            Missing::Range(value) => ("E0824", format!("{to} cannot be assigned {value}")),
        };
        let diagnostic = Diagnostic::error(code, message, Some(span));
        if with.is_empty() {
            return diagnostic;
        }
        let shown = with.iter().take(8).map(|(var, next, value)| {
            let (name, value) = (&self.relation.vars[*var].name, self.types[var.index()].shown(*value));
            if *next { format!("next({name}) = {value}") } else { format!("{name} = {value}") }
        });
        diagnostic.with_help(format!("with {}", shown.collect::<Vec<_>>().join(", ")))
    }

    /// The value of a constant expression.
    fn constant(&mut self, expr: &'a ast::Expr, at: InstanceId) -> Res<Typed> {
        let typed = self.lower(expr, Site::new(at, Place::Constant), None)?;
        match total::constant(&typed.expr) {
            Ok(value) => Ok(Typed { expr: Expr::Const(value), ty: typed.ty }),
            Err(Some(why)) => Err(self.missing(why, &[], expr.span, None)),
            Err(None) => Err(Diagnostic::error("E0816", "a constant is needed here", Some(expr.span))),
        }
    }

    /// The value of a constant integer.
    fn constant_int(&mut self, expr: &'a ast::Expr, at: InstanceId) -> Res<i64> {
        let typed = self.constant(expr, at)?;
        let typed = self.int(typed, expr.span)?;
        match typed.expr {
            Expr::Const(value) => Ok(value),
            _ => Err(Diagnostic::error("E0816", "a constant is needed here", Some(expr.span))),
        }
    }

    /// The type of one symbol.
    fn symbol_type(name: &str) -> Type {
        Type::Enum(Table::new(vec![Value::Symbol(name.into())]))
    }
}
