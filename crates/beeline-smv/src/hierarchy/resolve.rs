//! What names and paths lead to, and which name was probably meant by one that leads nowhere.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;
use beeline_ir::text::suggest;

use super::{Entity, Hierarchy, InstanceId, MAX_HOPS, Symbol};
use crate::ast::{Expr, ExprKind};

impl<'a> Hierarchy<'a> {
    /// The instance that a path leads to.
    pub fn instance(&self, path: &'a Expr, at: InstanceId) -> Result<InstanceId, Diagnostic> {
        self.instance_after(path, at, 0)
    }

    fn instance_after(&self, path: &'a Expr, at: InstanceId, hops: usize) -> Result<InstanceId, Diagnostic> {
        match self.resolve_after(path, at, hops)? {
            Entity::Instance(id) => Ok(id),
            Entity::Unknown(name) => Err(self.unknown(name, at, path.span)),
            _ => Err(Diagnostic::error("E0814", "this is no instance of a module", Some(path.span))),
        }
    }

    /// What a path of names leads to, seen from an instance.
    pub fn resolve(&self, path: &'a Expr, at: InstanceId) -> Result<Entity<'a>, Diagnostic> {
        self.resolve_after(path, at, 0)
    }

    /// What a path leads to, after so many names. Parameters may refer to each other in a circle.
    fn resolve_after(&self, path: &'a Expr, at: InstanceId, hops: usize) -> Result<Entity<'a>, Diagnostic> {
        if hops > MAX_HOPS {
            let message = "this leads through parameters without end";
            return Err(Diagnostic::error("E0820", message, Some(path.span)));
        }
        match &path.kind {
            ExprKind::SelfInstance => Ok(Entity::Instance(at)),
            ExprKind::Name(name) => self.look_up(name, at, path.span, hops),
            ExprKind::Dot(base, name) => {
                let base = self.instance_after(base, at, hops + 1)?;
                match self.look_up(name, base, path.span, hops)? {
                    Entity::Unknown(name) => Err(self.unknown(name, base, path.span)),
                    entity => Ok(entity),
                }
            }
            _ => Ok(Entity::Value(path, at)),
        }
    }

    fn look_up(
        &self,
        name: &'a str,
        at: InstanceId,
        span: Span,
        hops: usize,
    ) -> Result<Entity<'a>, Diagnostic> {
        Ok(match self.instances[at].names.get(name) {
            Some(Symbol::Vars(shape)) => Entity::Vars(shape.clone()),
            Some(Symbol::Define(body, from)) => Entity::Define(body, *from),
            Some(Symbol::Instance(id)) => Entity::Instance(*id),
            Some(Symbol::Parameter(value, from)) => self.resolve_after(value, *from, hops + 1)?,
            Some(Symbol::Undeclared) => {
                let message = format!("the variable `{name}` is no constant");
                return Err(Diagnostic::error("E0816", message, Some(span)));
            }
            None if name == "running" && self.processes.len() > 1 => {
                Entity::Running(self.instances[at].process)
            }
            None => Entity::Unknown(name),
        })
    }

    /// The instance of this name that is declared in another.
    pub fn child_named(&self, id: InstanceId, name: &str) -> Option<InstanceId> {
        match self.instances[id].names.get(name) {
            Some(Symbol::Instance(child)) => Some(*child),
            _ => None,
        }
    }

    /// Whether something of this name is declared in an instance.
    pub fn declares(&self, id: InstanceId, name: &str) -> bool {
        self.instances[id].names.contains_key(name)
    }

    /// The message about a name that is not known in an instance.
    pub fn unknown(&self, name: &str, at: InstanceId, span: Span) -> Diagnostic {
        let message = match self.instances[at].path.as_str() {
            "" => format!("`{name}` is not declared"),
            path => format!("`{name}` is not declared in `{path}`"),
        };
        let diagnostic = Diagnostic::error("E0810", message, Some(span));
        self.meant(diagnostic, name, self.instances[at].names.keys().copied())
    }

    /// Adds the name that was probably meant. Every name of one letter is near to every other.
    pub(super) fn meant<'n>(
        &self,
        diagnostic: Diagnostic,
        name: &str,
        known: impl Iterator<Item = &'n str>,
    ) -> Diagnostic {
        let worth = |name: &str| (2..=64).contains(&name.len());
        let left = self.suggestions.get().checked_sub(1).filter(|_| worth(name));
        let Some(left) = left else { return diagnostic };
        self.suggestions.set(left);
        // The names come in no order; of equally near ones the first in the alphabet is taken.
        match suggest(name, known.filter(|known| worth(known))) {
            Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
            None => diagnostic,
        }
    }
}
