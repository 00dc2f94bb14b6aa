//! Names: what each stands for, and where it can be seen. Everything sees only what was declared before it, so a
//! function or template looks at its surroundings through a *view*: a scope as it was at that moment.

use std::collections::BTreeMap;

use beeline_ir::expr::Expr;
use beeline_ir::origin::Span;
use beeline_ir::{LocationId, ProcessId};

use super::Lower;
use super::body::Body;
use super::fault::{Fault, Res};
use super::place::Place;
use super::types::Declared;
use crate::ast::Ident;
use crate::near::near;

/// Processes among which the owner of a name is looked for, to suggest it.
const MAX_OWNERS: usize = 256;

/// A scope in the table of scopes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct ScopeId(usize);

/// A scope as it was when it had so many names.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct View {
    pub scope: ScopeId,
    pub names: usize,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// A type.
    Type(Declared),
    /// Something with cells: a variable, clock, channel, or several.
    Place(Place),
    /// A value: a constant, or an argument that is an expression.
    Scalar(Expr),
    /// A function.
    Function(usize),
    /// A template.
    Template(usize),
    /// A named instantiation.
    Instance(usize),
    /// A process.
    Process(ProcessId),
    /// Processes made over all values of free parameters.
    Family(usize),
    /// A location of the process.
    Location(LocationId),
    /// A declaration that plays no part in reachability.
    Ignored(&'static str),
    /// A declaration that is wrong: its uses say nothing more.
    Wrong,
}

impl Entity {
    /// What it is, with an article.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Type(_) => "a type",
            Self::Place(place) => place.ty.words(),
            Self::Scalar(_) => "a number",
            Self::Function(_) => "a function",
            Self::Template(_) => "a template",
            Self::Instance(_) => "an instantiation",
            Self::Process(_) => "a process",
            Self::Family(_) => "a family of processes",
            Self::Location(_) => "a location",
            Self::Ignored(what) => what,
            Self::Wrong => "a wrong declaration",
        }
    }
}

/// The names of one scope, each with how many were declared before it.
#[derive(Clone, Debug, Default)]
struct Scope {
    parent: Option<View>,
    names: BTreeMap<String, (usize, Entity)>,
}

/// All scopes that outlive what is being lowered: the global ones, and one for each process and instantiation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes(Vec<Scope>);

impl Scopes {
    /// A new scope inside another.
    pub(super) fn add(&mut self, parent: Option<View>) -> ScopeId {
        self.0.push(Scope { parent, names: BTreeMap::new() });
        ScopeId(self.0.len() - 1)
    }
    /// The scope as it is now.
    pub(super) fn view(&self, scope: ScopeId) -> View {
        View { scope, names: self.0[scope.0].names.len() }
    }
    /// Declares a name; says whether it is new.
    pub(super) fn define(&mut self, scope: ScopeId, name: &str, entity: Entity) -> bool {
        let names = &mut self.0[scope.0].names;
        let place = names.len();
        if names.contains_key(name) {
            return false;
        }
        names.insert(name.to_string(), (place, entity));
        true
    }
    /// Forgets the names of a scope that nothing looks into any more.
    pub(super) fn clear(&mut self, scope: ScopeId) {
        self.0[scope.0].names.clear();
    }
    /// What a name stands for in one scope alone.
    pub(super) fn own(&self, scope: ScopeId, name: &str) -> Option<&Entity> {
        self.0[scope.0].names.get(name).map(|(_, entity)| entity)
    }
    /// What a name stands for as seen from here.
    pub(super) fn find(&self, view: View, name: &str) -> Option<&Entity> {
        let mut view = Some(view);
        while let Some(v) = view {
            let scope = &self.0[v.scope.0];
            if let Some((place, entity)) = scope.names.get(name)
                && *place < v.names
            {
                return Some(entity);
            }
            view = scope.parent;
        }
        None
    }
    /// The names of one scope.
    pub(super) fn names(&self, scope: ScopeId) -> impl Iterator<Item = &str> {
        self.0[scope.0].names.keys().map(String::as_str)
    }
    fn visible(&self, view: View) -> impl Iterator<Item = &str> {
        let mut chain = vec![view];
        while let Some(parent) = chain.last().and_then(|v| self.0[v.scope.0].parent) {
            chain.push(parent);
        }
        chain.into_iter().flat_map(|v| {
            self.0[v.scope.0]
                .names
                .iter()
                .filter(move |(_, (place, _))| *place < v.names)
                .map(|(n, _)| n.as_str())
        })
    }
}

impl Lower<'_> {
    /// What a name stands for.
    pub(super) fn lookup(&self, b: &Body, name: &str, span: Span) -> Res<Entity> {
        match self.find(b, name) {
            Some(Entity::Wrong) => return Err(Fault::Told(span)),
            Some(entity) => return Ok(entity.clone()),
            None => {}
        }
        let fault = Fault::error("E0530", format!("`{name}` is not declared"), span);
        if self.frozen
            && let Some(process) = self.owner_of(name)
        {
            return Err(fault.help(format!("did you mean `{process}.{name}`?")));
        }
        let known = b.names.iter().map(|(n, _)| n.as_str()).chain(self.tables.scopes.visible(b.view));
        let known = known.chain(self.frozen.then_some("deadlock"));
        Err(self.unknown(name, known, span))
    }
    /// The message about an unknown name. A near one is looked for only if the message will be shown.
    pub(super) fn unknown<'n>(&self, name: &str, known: impl Iterator<Item = &'n str>, span: Span) -> Fault {
        let fault = Fault::error("E0530", format!("`{name}` is not declared"), span);
        match if self.shows("E0530", span) { near(name, known) } else { None } {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help("declare it before this place"),
        }
    }
    /// The first process that has something of this name; only so many are looked at.
    fn owner_of(&self, name: &str) -> Option<&str> {
        let processes = self.tables.process_scopes.iter().zip(&self.tables.process_names).take(MAX_OWNERS);
        let mut owners = processes.filter(|(scope, _)| self.tables.scopes.own(**scope, name).is_some());
        owners.next().map(|(_, process)| process.as_str())
    }
    /// Declares a name whose declaration is wrong, unless it is taken.
    pub(super) fn define_wrong(&mut self, scope: ScopeId, ident: &Ident) {
        self.tables.to_mut().scopes.define(scope, &ident.name, Entity::Wrong);
    }
    /// What a name stands for, if it is declared.
    pub(super) fn find<'s>(&'s self, b: &'s Body, name: &str) -> Option<&'s Entity> {
        let local = b.names.iter().rev().find(|(n, _)| n == name).map(|(_, entity)| entity);
        local.or_else(|| self.tables.scopes.find(b.view, name))
    }
    /// Declares a name in a lasting scope.
    pub(super) fn define(&mut self, scope: ScopeId, ident: &Ident, entity: Entity) -> Res<()> {
        if self.tables.to_mut().scopes.define(scope, &ident.name, entity) {
            Ok(())
        } else {
            let message = format!("`{}` is declared twice", ident.name);
            Err(Fault::error("E0531", message, ident.span).help("rename one of them"))
        }
    }
}
