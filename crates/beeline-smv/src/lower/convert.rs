//! One type for several values: a branch of a case, a member of a set, a side of a comparison. A value of an
//! enumeration is its position in a list, so it may have to become the position in another.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::origin::Span;

use super::build::{Chosen, Gap, binary, by_number, cases, failure, is_failure, size};
use super::typed::Typed;
use super::{Lower, Res};
use crate::types::{Kind, Table, Type, Value};

/// Integers that may be listed beside symbols.
const MAX_LISTED: u128 = 4_096;

impl Lower<'_, '_> {
    /// The smallest type with the values of both, the first one's as they are where possible.
    pub fn union_type(&self, a: &Type, b: &Type, span: Span) -> Res<Type> {
        let enumerated = |t: &Type| matches!(t.kind(), Kind::Int | Kind::Symbolic | Kind::Mixed);
        if a == b {
            return Ok(a.clone());
        }
        if !enumerated(a) || !enumerated(b) {
            return Err(mismatch(a, b, span));
        }
        if let (Type::Int(x), Type::Int(y)) = (a, b) {
            return Ok(Type::Int(x.hull(*y)));
        }
        if a.holds(b) {
            return Ok(a.clone());
        }
        if b.holds(a) {
            return Ok(b.clone());
        }
        let mut values = self.listed(a, span)?;
        let more = self.listed(b, span)?;
        values.extend(more.into_iter().filter(|v| a.number(v).is_none()));
        Ok(Type::Enum(Table::new(values)))
    }

    fn listed(&self, ty: &Type, span: Span) -> Res<Vec<Value>> {
        match ty {
            Type::Int(range) if range.size() > MAX_LISTED => {
                let message = "more than 4,096 integers together with symbols are not supported";
                Err(Diagnostic::unsupported("U0804", message, Some(span)))
            }
            Type::Int(range) => Ok(range.values().map(Value::Int).collect()),
            Type::Enum(table) => Ok(table.values().to_vec()),
            Type::Bool | Type::Word { .. } => Ok(Vec::new()),
        }
    }

    /// A value as one of another type; a failure where it is none.
    pub fn convert(&mut self, typed: Typed, to: &Type, span: Span) -> Res<Expr> {
        let Typed { expr, ty } = typed;
        if ty == *to || matches!((&ty, to), (Type::Int(_), Type::Int(_))) {
            return Ok(expr);
        }
        if !to.holds(&ty) {
            self.fallible = true;
        }
        self.renumber(expr, &ty, to, span)
    }

    /// Goes down to the ends of cases, where there are constants.
    fn renumber(&mut self, expr: Expr, from: &Type, to: &Type, span: Span) -> Res<Expr> {
        let number = |n: i64| from.value(n).and_then(|value| to.number(&value));
        match expr {
            Expr::Const(n) => Ok(number(n).map_or_else(missing, Expr::Const)),
            Expr::If(condition, then, otherwise) => {
                let then = self.renumber(*then, from, to, span)?;
                let otherwise = self.renumber(*otherwise, from, to, span)?;
                Ok(Expr::either(*condition, then, otherwise))
            }
            expr if is_failure(&expr) => Ok(expr),
            expr => {
                let range = from.range();
                // Of very many integers only those that a list has are looked at.
                if range.size() > MAX_LISTED {
                    return self.few_of_many(&expr, to, span);
                }
                let numbers: Vec<Option<i64>> = range.values().map(number).collect();
                let offset = numbers.first().copied().flatten().map(|n| n - range.lo);
                let shifted = |(n, to): (i64, &Option<i64>)| to.is_some() && *to == offset.map(|d| n + d);
                if range.values().zip(&numbers).all(shifted) {
                    let offset = Expr::Const(offset.unwrap_or(0));
                    return Ok(if offset == Expr::Const(0) {
                        expr
                    } else {
                        binary(BinaryOp::Add, expr, offset)
                    });
                }
                self.spend(size(&expr) * numbers.len(), span)?;
                let values: Vec<Expr> =
                    numbers.into_iter().map(|n| n.map_or_else(missing, Expr::Const)).collect();
                Ok(by_number(&expr, range.lo, &values))
            }
        }
    }

    fn few_of_many(&mut self, expr: &Expr, to: &Type, span: Span) -> Res<Expr> {
        let values = self.listed(to, span)?;
        self.spend(size(expr) * values.len(), span)?;
        let is = |value: &Value| match value {
            Value::Int(n) => Some(binary(BinaryOp::Eq, expr.clone(), Expr::Const(*n))),
            Value::Symbol(_) => None,
        };
        let branch = |value: &Value| Some((is(value)?, Expr::Const(to.number(value)?)));
        Ok(cases(values.iter().filter_map(branch).collect(), missing()))
    }

    /// A plain integer.
    pub fn int(&mut self, typed: Typed, span: Span) -> Res<Typed> {
        match &typed.ty {
            Type::Int(_) => Ok(typed),
            Type::Enum(table) if typed.ty.kind() == Kind::Int => {
                let int = |v: &Value| if let Value::Int(n) = v { Some(*n) } else { None };
                let ints = table.values().iter().filter_map(int);
                let range = Range::new(ints.clone().min().unwrap_or(0), ints.max().unwrap_or(0));
                let expr = self.renumber(typed.expr, &typed.ty, &Type::Int(range), span)?;
                Ok(Typed::int(expr, range))
            }
            ty => Err(wrong_kind("an integer", ty, span)),
        }
    }

    /// Several values of one type; the hint comes first.
    pub fn together(&mut self, all: Vec<Typed>, hint: Option<&Type>, span: Span) -> Res<(Vec<Expr>, Type)> {
        let mut ty: Option<Type> = None;
        for typed in &all {
            let joined = match (&ty, hint) {
                (None, Some(hint)) if hint.holds(&typed.ty) && matches!(hint, Type::Enum(_)) => hint.clone(),
                (None, _) => typed.ty.clone(),
                (Some(ty), _) => self.union_type(ty, &typed.ty, span)?,
            };
            ty = Some(joined);
        }
        let ty = ty.unwrap_or(Type::Bool);
        let mut exprs = Vec::new();
        for typed in all {
            exprs.push(self.convert(typed, &ty, span)?);
        }
        Ok((exprs, ty))
    }
}

/// What a value becomes that the other type does not have.
fn missing() -> Expr {
    failure(Gap::Type)
}

/// The message about a value of the wrong kind.
pub(super) fn wrong_kind(wanted: &str, found: &Type, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("E0822", format!("{wanted} is needed here, not {}", found.kind()), Some(span));
    match (wanted, found.kind()) {
        ("a boolean", Kind::Int) => {
            diagnostic.with_help("truth values are written TRUE and FALSE, not 1 and 0")
        }
        ("an integer", Kind::Bool) => diagnostic.with_help("toint(...) makes an integer of a truth value"),
        _ => diagnostic,
    }
}

/// The message about two values that do not go together.
pub(super) fn mismatch(a: &Type, b: &Type, span: Span) -> Diagnostic {
    let message = format!("{} and {} do not go together", a.kind(), b.kind());
    let diagnostic = Diagnostic::error("E0822", message, Some(span));
    match (a.kind(), b.kind()) {
        (Kind::Bool, Kind::Int) | (Kind::Int, Kind::Bool) => {
            diagnostic.with_help("truth values are written TRUE and FALSE, not 1 and 0")
        }
        _ => diagnostic,
    }
}
