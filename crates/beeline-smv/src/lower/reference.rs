//! Names, paths and elements of arrays.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr, MAX_DEPTH, Range};
use beeline_ir::origin::Span;
use beeline_ir::relation::RelationRole;
use beeline_ir::{VarId, visit};

use super::build::{Chosen, Gap, and, binary, by_number, failure, may_fail, size};
use super::convert::wrong_kind;
use super::typed::Typed;
use super::{Lower, Place, Res, Site};
use crate::ast::{self, ExprKind};
use crate::hierarchy::{Entity, InstanceId, Shape};
use crate::types::Type;

/// Something with elements.
enum Elements<'a> {
    Vars(Shape),
    Literal(&'a ast::Expr, InstanceId),
}

impl<'a> Lower<'a, '_> {
    /// The value that a path leads to, with its indices.
    pub fn reference(&mut self, path: &'a ast::Expr, site: Site) -> Res<Typed> {
        let mut indices = Vec::new();
        let (mut path, mut here) = (path, site);
        // Indices stand to the right of what they index; a parameter may be an element itself.
        for _ in 0..super::MAX_LEVELS {
            while let ExprKind::Index(base, index) = &path.kind {
                let span = index.span;
                let index = self.lower(index, here, None)?;
                let index = match index.ty {
                    Type::Word { .. } => Typed { ty: Type::Int(index.ty.range()), ..index },
                    _ => self.int(index, span)?,
                };
                indices.push((index, span));
                path = base;
            }
            match self.hierarchy.resolve(path, here.at)? {
                Entity::Value(value, at) if !std::ptr::eq(value, path) => {
                    here.at = at;
                    if !matches!(value.kind, ExprKind::Index(..)) {
                        return match indices.is_empty() {
                            true => self.lower(value, here, None),
                            false => Err(not_indexed(path)),
                        };
                    }
                    path = value;
                }
                entity => return self.entity(entity, path, here, &indices),
            }
        }
        Err(Diagnostic::error("E0820", "this leads through parameters without end", Some(path.span)))
    }

    fn entity(
        &mut self,
        entity: Entity<'a>,
        path: &'a ast::Expr,
        site: Site,
        indices: &[(Typed, Span)],
    ) -> Res<Typed> {
        match entity {
            Entity::Vars(shape) => self.element(Elements::Vars(shape), site, indices, path),
            Entity::Define(body, at) => {
                let site = Site { at, ..site };
                match body.kind {
                    ExprKind::Array(_) => self.element(Elements::Literal(body, at), site, indices, path),
                    _ if indices.is_empty() => self.define(body, site),
                    _ => Err(not_indexed(path)),
                }
            }
            Entity::Running(process) => match self.selector {
                Some(selector) if indices.is_empty() => {
                    let me = Expr::Const(process as i64);
                    self.variable(selector, path, site)?;
                    Ok(Typed::bool(binary(BinaryOp::Eq, Expr::Var(selector), me)))
                }
                _ => Err(not_indexed(path)),
            },
            Entity::Instance(_) => {
                let message = "this is an instance of a module, not a value";
                Err(Diagnostic::error("E0814", message, Some(path.span)))
            }
            Entity::Unknown(name) if indices.is_empty() && self.symbols.contains(name) => {
                Ok(Typed { expr: Expr::Const(0), ty: Self::symbol_type(name) })
            }
            Entity::Unknown(name) => Err(self.hierarchy.unknown(name, site.at, path.span)),
            Entity::Value(..) => Err(not_indexed(path)),
        }
    }

    /// A definition; each is lowered once, and copied.
    pub fn define(&mut self, body: &'a ast::Expr, site: Site) -> Res<Typed> {
        let key = (std::ptr::from_ref(body), site.at, site.primed);
        if let Some(known) = self.defines.get(&key) {
            let known = known.clone()?;
            self.spend(size(&known.expr), body.span)?;
            self.fallible |= may_fail(&known.expr);
            return Ok(known);
        }
        if self.active.contains(&key) {
            return Err(Diagnostic::error("E0820", "this definition refers to itself", Some(body.span)));
        }
        self.active.push(key);
        let lowered = self.lower(body, site, None).and_then(|lowered| {
            // Each may be deeper than the one it uses: copies are made, and dropped, by recursion.
            if visit::height(&lowered.expr) <= MAX_DEPTH {
                return Ok(lowered);
            }
            let message = format!("nested more than {MAX_DEPTH} levels deep, definitions included");
            Err(Diagnostic::error("E0808", message, Some(body.span)))
        });
        self.active.pop();
        // As a constant, one may be wrong that is right elsewhere.
        if site.place != Place::Constant {
            self.defines.insert(key, lowered.clone());
        }
        lowered
    }

    /// A variable, current or next.
    fn variable(&mut self, var: VarId, path: &ast::Expr, site: Site) -> Res<Typed> {
        let of = &self.relation.vars[var];
        let wrong = |message: String| Err(Diagnostic::error("E0818", message, Some(path.span)));
        if site.place == Place::Constant {
            let message = format!("the variable `{}` is no constant", of.name);
            return Err(Diagnostic::error("E0816", message, Some(path.span)));
        }
        let expr = match of.role {
            RelationRole::Input if site.primed => {
                return wrong(format!("the input `{}` has no next value", of.name));
            }
            RelationRole::Input if site.place == Place::State => {
                return wrong(format!("the input `{}` is not part of a state", of.name));
            }
            RelationRole::State if site.primed => Expr::Next(var),
            _ => Expr::Var(var),
        };
        Ok(Typed { expr, ty: self.types[var.index()].clone() })
    }

    /// An element: the last index belongs to the outermost array.
    fn element(
        &mut self,
        of: Elements<'a>,
        site: Site,
        indices: &[(Typed, Span)],
        path: &'a ast::Expr,
    ) -> Res<Typed> {
        let Some(((index, span), inner)) = indices.split_last() else {
            return match of {
                Elements::Vars(Shape::Scalar(var)) => self.variable(var, path, site),
                Elements::Literal(body, at) if !matches!(body.kind, ExprKind::Array(_)) => {
                    self.lower(body, Site { at, ..site }, None)
                }
                _ => Err(Diagnostic::error(
                    "E0823",
                    "an array is no value: choose an element",
                    Some(path.span),
                )),
            };
        };
        let (lo, elements): (i64, Vec<Elements<'a>>) = match of {
            Elements::Vars(Shape::Array(lo, all)) => (lo, all.into_iter().map(Elements::Vars).collect()),
            Elements::Literal(body, at) => match &body.kind {
                ExprKind::Array(all) => (0, all.iter().map(|e| Elements::Literal(e, at)).collect()),
                _ => return Err(not_indexed(path)),
            },
            Elements::Vars(Shape::Scalar(_)) => return Err(not_indexed(path)),
        };
        let (all, wanted) = (Range::new(lo, lo + elements.len() as i64 - 1), index.ty.range());
        let possible = Range::new(all.lo.max(wanted.lo), all.hi.min(wanted.hi));
        if possible.size() == 0 {
            let message = format!("the index is never between {} and {}", all.lo, all.hi);
            return Err(Diagnostic::error("E0825", message, Some(*span)));
        }
        let mut values = Vec::new();
        for (at, element) in (lo..).zip(elements) {
            if possible.contains(at) {
                values.push(self.element(element, site, inner, path)?);
            }
        }
        let (values, ty) = self.together(values, None, path.span)?;
        self.spend(size(&index.expr) * values.len(), path.span)?;
        let chosen = by_number(&index.expr, possible.lo, &values);
        if possible == wanted {
            return Ok(Typed { expr: chosen, ty });
        }
        self.fallible = true;
        let compare = |op, bound| binary(op, index.expr.clone(), Expr::Const(bound));
        let inside = and([compare(BinaryOp::Ge, possible.lo), compare(BinaryOp::Le, possible.hi)]);
        Ok(Typed { expr: Expr::either(inside, chosen, failure(Gap::Index)), ty })
    }

    /// A truth value.
    pub fn truth(&mut self, expr: &'a ast::Expr, site: Site) -> Res<Expr> {
        let typed = self.lower(expr, site, None)?;
        match typed.ty {
            Type::Bool => Ok(typed.expr),
            ty => Err(wrong_kind("a boolean", &ty, expr.span)),
        }
    }
}

fn not_indexed(path: &ast::Expr) -> Diagnostic {
    Diagnostic::error("E0823", "this is no array", Some(path.span))
}
