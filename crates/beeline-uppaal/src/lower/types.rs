//! Types: what is written, resolved to what it means. Sizes and bounds are numbers by now.

use std::sync::Arc;

use beeline_ir::expr::Range;
use beeline_ir::origin::Span;

use super::body::Body;
use super::fault::{Fault, Res, count};
use super::scope::Entity;
use super::{Lower, MAX_CELLS};
use crate::ast;

/// Levels of arrays and records in a type.
const MAX_TYPE_DEPTH: usize = 40;
/// Parts of a record, those of its fields included.
const MAX_PARTS: usize = 1 << 12;
/// The range of plain `int`.
pub(super) const INT: Range = Range::new(-32768, 32767);

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// A bounded integer.
    Int(Range),
    /// A truth value.
    Bool,
    /// `scalar[n]`: the numbers from 0 to n-1.
    Scalar(i64),
    /// A clock.
    Clock,
    /// A channel.
    Chan { broadcast: bool, urgent: bool },
    /// No value.
    Void,
    /// Something that plays no part in reachability, by name.
    Ignored(&'static str),
    /// A record.
    Struct(Arc<[(String, Type)]>),
    /// An array.
    Array(Arc<Type>, Dim),
}

/// A dimension of an array: its first index and its length.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Dim {
    pub lo: i64,
    pub len: u32,
}

/// A type with what was said before it.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub ty: Type,
    pub constant: bool,
    pub meta: bool,
}

impl Type {
    /// The values of a scalar type.
    pub(super) fn range(&self) -> Option<Range> {
        match self {
            Self::Int(range) => Some(*range),
            Self::Bool => Some(Range::BOOL),
            Self::Scalar(n) => Some(Range::new(0, n - 1)),
            _ => None,
        }
    }
    /// Whether it is a record or an array.
    pub(super) fn is_aggregate(&self) -> bool {
        matches!(self, Self::Struct(_) | Self::Array(..))
    }
    /// The type of the innermost elements of an array.
    pub(super) fn element(&self) -> &Type {
        let mut ty = self;
        while let Self::Array(inner, _) = ty {
            ty = inner;
        }
        ty
    }
    /// Number of cells.
    pub(super) fn cells(&self) -> u64 {
        match self {
            Self::Array(inner, dim) => inner.cells().saturating_mul(u64::from(dim.len)),
            Self::Struct(fields) => fields.iter().fold(0, |n, (_, t)| n.saturating_add(t.cells())),
            _ => 1,
        }
    }
    /// Whether some part of it is like this.
    pub(super) fn some(&self, test: &impl Fn(&Type) -> bool) -> bool {
        test(self)
            || match self {
                Self::Array(inner, _) => inner.some(test),
                Self::Struct(fields) => fields.iter().any(|(_, t)| t.some(test)),
                _ => false,
            }
    }
    /// What it is, if it plays no part in reachability.
    pub(super) fn ignored(&self) -> Option<&'static str> {
        match self {
            Self::Ignored(what) => Some(what),
            Self::Array(inner, _) => inner.ignored(),
            Self::Struct(fields) => fields.iter().find_map(|(_, t)| t.ignored()),
            _ => None,
        }
    }
    /// Whether values can be copied between the two: the same build, whatever the ranges.
    pub(super) fn fits(&self, other: &Type) -> bool {
        match (self, other) {
            (Self::Array(a, m), Self::Array(b, n)) => m.len == n.len && a.fits(b),
            (Self::Struct(a), Self::Struct(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.1.fits(&y.1))
            }
            (Self::Clock, Self::Clock) | (Self::Chan { .. }, Self::Chan { .. }) => true,
            _ => self.range().is_some() && other.range().is_some(),
        }
    }
    /// The number that is stored for a value: any that is not 0 is true.
    pub(super) fn store(&self, value: i64) -> i64 {
        if *self == Self::Bool { i64::from(value != 0) } else { value }
    }
    /// Whether a copy from there turns numbers into truth values.
    pub(super) fn converts(&self, from: &Type) -> bool {
        match (self, from) {
            (Self::Array(a, _), Self::Array(b, _)) => a.converts(b),
            (Self::Struct(a), Self::Struct(b)) => a.iter().zip(b.iter()).any(|(x, y)| x.1.converts(&y.1)),
            (Self::Bool, Self::Int(_) | Self::Scalar(_)) => true,
            _ => false,
        }
    }
    /// The type of every cell, in the order of the cells of a place.
    pub(super) fn leaves(&self) -> Vec<&Type> {
        match self {
            Self::Array(..) => {
                let count = self.array_len();
                let inner = self.element().leaves();
                inner.into_iter().flat_map(|leaf| std::iter::repeat_n(leaf, count)).collect()
            }
            Self::Struct(fields) => fields.iter().flat_map(|(_, t)| t.leaves()).collect(),
            leaf => vec![leaf],
        }
    }
    fn array_len(&self) -> usize {
        match self {
            Self::Array(inner, dim) => inner.array_len().saturating_mul(dim.len as usize),
            _ => 1,
        }
    }
    /// The type in words.
    pub(super) fn words(&self) -> &'static str {
        match self {
            Self::Int(_) | Self::Scalar(_) => "a number",
            Self::Bool => "a truth value",
            Self::Clock => "a clock",
            Self::Chan { .. } => "a channel",
            Self::Void => "nothing",
            Self::Ignored(what) => what,
            Self::Struct(_) => "a record",
            Self::Array(..) => "an array",
        }
    }
    /// The type in words, and how large it is.
    pub(super) fn shape(&self) -> String {
        match self {
            Self::Array(_, dim) => format!("an array of {}", dim.len),
            Self::Struct(fields) => format!("a record of {}", count(fields.len(), "field")),
            other => other.words().to_string(),
        }
    }
    /// Records and fields in it.
    fn parts(&self) -> usize {
        match self {
            Self::Array(inner, _) => 1 + inner.parts(),
            Self::Struct(fields) => 1 + fields.iter().map(|(_, t)| t.parts()).sum::<usize>(),
            _ => 1,
        }
    }
    fn depth(&self) -> usize {
        match self {
            Self::Array(inner, _) => 1 + inner.depth(),
            Self::Struct(fields) => 1 + fields.iter().map(|(_, t)| t.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// The initial value of a cell with this range.
pub(super) fn default_value(range: Range) -> i64 {
    if range.contains(0) { 0 } else { range.lo }
}

impl Lower<'_> {
    /// What a type means.
    pub(super) fn type_of(&mut self, b: &mut Body, ty: &ast::TypeExpr) -> Res<Declared> {
        let has = |p| ty.prefixes.iter().any(|(q, _)| *q == p);
        let (broadcast, urgent) = (has(ast::Prefix::Broadcast), has(ast::Prefix::Urgent));
        let mut declared =
            Declared { ty: Type::Void, constant: has(ast::Prefix::Const), meta: has(ast::Prefix::Meta) };
        declared.ty = match &ty.kind {
            ast::TypeKind::Int(None) => Type::Int(INT),
            ast::TypeKind::Int(Some(bounds)) => {
                let (lo, hi) = (self.constant(b, &bounds.0)?, self.constant(b, &bounds.1)?);
                let wide = Range::new(i64::from(i32::MIN), i64::from(i32::MAX));
                if lo > hi || !wide.contains(lo) || !wide.contains(hi) {
                    let message = format!("the range {lo}..{hi} is empty or beyond 32 bits");
                    return Err(Fault::error("E0535", message, ty.span));
                }
                Type::Int(Range::new(lo, hi))
            }
            ast::TypeKind::Bool => Type::Bool,
            ast::TypeKind::Clock if has(ast::Prefix::Hybrid) => Type::Ignored("a hybrid clock"),
            ast::TypeKind::Clock => Type::Clock,
            ast::TypeKind::Chan => Type::Chan { broadcast, urgent },
            ast::TypeKind::Void => Type::Void,
            ast::TypeKind::Double => Type::Ignored("a floating-point number"),
            ast::TypeKind::String => Type::Ignored("a string"),
            ast::TypeKind::Scalar(size) => {
                let size = self.constant(b, size)?;
                if size < 1 || size > i64::from(i32::MAX) {
                    let message = format!("a scalar set has at least one element, not {size}");
                    return Err(Fault::error("E0535", message, ty.span));
                }
                Type::Scalar(size)
            }
            ast::TypeKind::Struct(fields) => self.record(b, fields, ty.span)?,
            ast::TypeKind::Name(name) => match self.lookup(b, name, ty.span)? {
                Entity::Type(named) => {
                    declared.constant |= named.constant;
                    declared.meta |= named.meta;
                    match named.ty {
                        Type::Chan { broadcast: x, urgent: y } => {
                            Type::Chan { broadcast: x || broadcast, urgent: y || urgent }
                        }
                        other => other,
                    }
                }
                other => {
                    let message = format!("`{name}` is {}, not a type", other.words());
                    return Err(Fault::error("E0532", message, ty.span));
                }
            },
        };
        Ok(declared)
    }

    fn record(&mut self, b: &mut Body, fields: &[ast::VarDecl], span: Span) -> Res<Type> {
        let mut all: Vec<(String, Type)> = Vec::new();
        let mut parts = 0;
        for decl in fields {
            let base = self.type_of(b, &decl.ty)?.ty;
            for item in &decl.items {
                let ty = self.with_dims(b, base.clone(), &item.dims, item.name.span)?;
                if ty.some(&|t| matches!(t, Type::Clock | Type::Chan { .. } | Type::Void)) {
                    let message =
                        format!("the field `{}` cannot be {}", item.name.name, ty.element().words());
                    return Err(Fault::error("E0532", message, item.name.span));
                }
                if all.iter().any(|(name, _)| *name == item.name.name) {
                    let message = format!("the field `{}` is declared twice", item.name.name);
                    return Err(Fault::error("E0531", message, item.name.span));
                }
                parts += ty.parts();
                if parts > MAX_PARTS {
                    let message = format!("a record with more than {MAX_PARTS} parts");
                    return Err(Fault::error("E0546", message, span));
                }
                all.push((item.name.name.clone(), ty));
            }
        }
        sized(Type::Struct(all.into()), span)
    }

    /// An array type; dimensions are written outermost first.
    pub(super) fn with_dims(&mut self, b: &mut Body, base: Type, dims: &[ast::Dim], span: Span) -> Res<Type> {
        if dims.len() > MAX_TYPE_DEPTH {
            return sized(base, span).and(Err(too_deep(span)));
        }
        let mut all = Vec::new();
        for dim in dims {
            all.push(self.dim(b, dim)?);
        }
        all.into_iter().rev().try_fold(base, |ty, dim| sized(Type::Array(Arc::new(ty), dim), span))
    }

    fn dim(&mut self, b: &mut Body, dim: &ast::Dim) -> Res<Dim> {
        let (range, span) = match dim {
            ast::Dim::Type(ty) => (self.domain(b, ty)?, ty.span),
            ast::Dim::Expr(e) => match &e.kind {
                ast::ExprKind::Name(name) if matches!(self.lookup(b, name, e.span)?, Entity::Type(_)) => {
                    let ty = ast::TypeExpr {
                        prefixes: Vec::new(),
                        kind: ast::TypeKind::Name(name.clone()),
                        span: e.span,
                    };
                    (self.domain(b, &ty)?, e.span)
                }
                _ => (Range::new(0, self.constant(b, e)?.saturating_sub(1)), e.span),
            },
        };
        match u32::try_from(range.size()) {
            Ok(len) if len > 0 && u64::from(len) <= MAX_CELLS => Ok(Dim { lo: range.lo, len }),
            Ok(0) => Err(Fault::error("E0535", "an array has at least one element", span)),
            _ => Err(too_large(MAX_CELLS, "cells", span)),
        }
    }

    /// The values of a type over which something ranges.
    pub(super) fn domain(&mut self, b: &mut Body, ty: &ast::TypeExpr) -> Res<Range> {
        let resolved = self.type_of(b, ty)?.ty;
        resolved.range().ok_or_else(|| {
            let message =
                format!("a bounded integer or scalar type is needed here, not {}", resolved.words());
            Fault::error("E0532", message, ty.span)
        })
    }
}

fn too_deep(span: Span) -> Fault {
    let message = format!("a type nested more than {MAX_TYPE_DEPTH} levels deep");
    Fault::error("E0547", message, span)
}

/// The message about more of something than a model may have.
pub(super) fn too_large(limit: u64, what: &str, span: Span) -> Fault {
    let message = format!("more than {limit} {what}");
    Fault::error("E0546", message, span)
}

/// The type, unless it is too deep or too large.
fn sized(ty: Type, span: Span) -> Res<Type> {
    if ty.depth() > MAX_TYPE_DEPTH {
        Err(too_deep(span))
    } else if ty.cells() > MAX_CELLS {
        Err(too_large(MAX_CELLS, "cells", span))
    } else {
        Ok(ty)
    }
}
