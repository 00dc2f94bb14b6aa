//! Sets of values: what an assignment chooses from, and what stands to the right of `in`. A set may come through a
//! definition or a parameter, and out of a case.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp as Op, Expr};
use beeline_ir::origin::Span;
use beeline_ir::relation::Choice;

use super::build::{Chosen, Gap, and, binary, cases, failure, or};
use super::convert::mismatch;
use super::typed::Typed;
use super::{Lower, MAX_LEVELS, Place, Res, Site};
use crate::ast::{self, BinaryOp, ExprKind};
use crate::hierarchy::{Entity, InstanceId};
use crate::types::{Kind, Type, Value};

/// Values of one range that are listed.
const MAX_LISTED: i64 = 4_096;

impl<'a> Lower<'a, '_> {
    /// Whether an expression is a set by its form, through names and cases.
    pub fn is_set(&self, expr: &'a ast::Expr, at: InstanceId) -> bool {
        let mut open = vec![(expr, at)];
        for _ in 0..10_000 {
            let Some((expr, at)) = open.pop() else { return false };
            match &expr.kind {
                ExprKind::Set(_) | ExprKind::Range(..) | ExprKind::Binary(BinaryOp::Union, ..) => {
                    return true;
                }
                ExprKind::If(_, then, otherwise) => open.extend([(&**then, at), (&**otherwise, at)]),
                ExprKind::Case(branches) => open.extend(branches.iter().map(|(_, value)| (value, at))),
                ExprKind::Next(inner) => open.push((inner, at)),
                ExprKind::Name(_) | ExprKind::Dot(..) => open.extend(self.body(expr, at)),
                _ => {}
            }
        }
        false
    }

    /// What a name stands for, if that is an expression.
    fn body(&self, expr: &'a ast::Expr, at: InstanceId) -> Option<(&'a ast::Expr, InstanceId)> {
        match self.hierarchy.resolve(expr, at) {
            Ok(Entity::Define(body, at)) => Some((body, at)),
            Ok(Entity::Value(value, at)) if !std::ptr::eq(value, expr) => Some((value, at)),
            _ => None,
        }
    }

    /// One level deeper.
    fn deeper<T>(&mut self, span: Span, run: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.spend(1, span)?;
        if self.level >= MAX_LEVELS {
            let message = "a set refers to itself, or is nested too deeply";
            return Err(Diagnostic::error("E0820", message, Some(span)));
        }
        self.level += 1;
        let result = run(self);
        self.level -= 1;
        result
    }

    /// The values that an assignment to a variable of this type chooses from.
    pub fn choice(&mut self, expr: &'a ast::Expr, site: Site, to: &Type) -> Res<Choice> {
        self.deeper(expr.span, |this| this.choice_here(expr, site, to))
    }

    fn choice_here(&mut self, expr: &'a ast::Expr, site: Site, to: &Type) -> Res<Choice> {
        if !self.is_set(expr, site.at) {
            let typed = self.lower(expr, site, Some(to))?;
            return self.assigned(typed, to, expr.span).map(Choice::One);
        }
        match &expr.kind {
            ExprKind::Set(all) => {
                let choices = all.iter().map(|e| self.choice(e, site, to)).collect::<Res<Vec<_>>>()?;
                Ok(united(choices))
            }
            ExprKind::Binary(BinaryOp::Union, left, right) => {
                let choices = vec![self.choice(left, site, to)?, self.choice(right, site, to)?];
                Ok(united(choices))
            }
            ExprKind::Range(low, high) => self.interval(low, high, site, to, expr.span),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.truth(condition, site)?;
                let then = self.choice(then, site, to)?;
                Ok(Choice::either(condition, then, self.choice(otherwise, site, to)?))
            }
            ExprKind::Case(branches) => {
                let mut all = Vec::new();
                let mut otherwise = None;
                for (condition, value) in branches {
                    let (condition, value) = (self.truth(condition, site)?, self.choice(value, site, to)?);
                    if condition.is_true() {
                        otherwise = otherwise.or(Some(value));
                    } else if otherwise.is_none() {
                        all.push((condition, value));
                    }
                }
                self.fallible |= otherwise.is_none();
                self.spend_halving(all.iter().map(|(condition, _)| condition), expr.span)?;
                Ok(cases(all, otherwise.unwrap_or_else(|| Choice::One(failure(Gap::Case)))))
            }
            ExprKind::Next(inner) if site.place == Place::Step && !site.primed => {
                self.choice(inner, Site { primed: true, ..site }, to)
            }
            _ => match self.body(expr, site.at) {
                Some((body, at)) => self.choice(body, Site { at, ..site }, to),
                None => {
                    let message = "a set of values cannot be chosen from here";
                    Err(Diagnostic::error("E0826", message, Some(expr.span)))
                }
            },
        }
    }

    /// One value for a variable of this type.
    fn assigned(&mut self, typed: Typed, to: &Type, span: Span) -> Res<Expr> {
        let enumerated = |t: &Type| matches!(t.kind(), Kind::Int | Kind::Symbolic | Kind::Mixed);
        if typed.ty.kind() != to.kind() && !(enumerated(&typed.ty) && enumerated(to)) {
            return Err(mismatch(to, &typed.ty, span));
        }
        if !to.holds(&typed.ty) {
            self.fallible = true;
            // A constant outside of the type is wrong in every state.
            if let Expr::Const(number) = typed.expr {
                let message = format!("{} is no value of the variable's type", typed.ty.shown(number));
                return Err(Diagnostic::error("E0824", message, Some(span)));
            }
        }
        match to {
            Type::Int(_) => self.integer(typed, to, span),
            _ => self.convert(typed, to, span),
        }
    }

    fn integer(&mut self, typed: Typed, to: &Type, span: Span) -> Res<Expr> {
        match typed.ty.kind() {
            Kind::Int => Ok(self.int(typed, span)?.expr),
            _ => self.convert(typed, to, span),
        }
    }

    fn interval(
        &mut self,
        low: &'a ast::Expr,
        high: &'a ast::Expr,
        site: Site,
        to: &Type,
        span: Span,
    ) -> Res<Choice> {
        let (low, high) = self.bounds(low, high, site, span)?;
        if let Type::Int(range) = to {
            self.fallible |= low.ty.range().lo < range.lo || high.ty.range().hi > range.hi;
            return Ok(Choice::Between(low.expr, high.expr));
        }
        let (Expr::Const(lo), Expr::Const(hi)) = (&low.expr, &high.expr) else {
            let message = "a range of a variable of this type has constant bounds";
            return Err(Diagnostic::error("E0816", message, Some(span)));
        };
        if hi.saturating_sub(*lo) > MAX_LISTED {
            return Err(Diagnostic::error("E0824", "these are no values of the variable's type", Some(span)));
        }
        let mut all = Vec::new();
        for value in *lo..=*hi {
            match to.number(&Value::Int(value)) {
                Some(number) => all.push(Choice::One(Expr::Const(number))),
                None => {
                    let message = format!("{value} is no value of the variable's type");
                    return Err(Diagnostic::error("E0824", message, Some(span)));
                }
            }
        }
        Ok(united(all))
    }

    fn bounds(
        &mut self,
        low: &'a ast::Expr,
        high: &'a ast::Expr,
        site: Site,
        span: Span,
    ) -> Res<(Typed, Typed)> {
        let (low, high) = (self.lower(low, site, None)?, self.lower(high, site, None)?);
        let (low, high) = (self.int(low, span)?, self.int(high, span)?);
        if let (Expr::Const(lo), Expr::Const(hi)) = (&low.expr, &high.expr)
            && lo > hi
        {
            let message = format!("the range {lo}..{hi} is empty");
            return Err(Diagnostic::error("E0817", message, Some(span)));
        }
        Ok((low, high))
    }

    /// `left in right`; every value of a set on the left.
    pub fn is_in(&mut self, left: &'a ast::Expr, right: &'a ast::Expr, site: Site) -> Res<Expr> {
        match &left.kind {
            ExprKind::Set(all) => {
                let each = all.iter().map(|e| self.is_in(e, right, site)).collect::<Res<Vec<_>>>()?;
                Ok(and(each))
            }
            ExprKind::Binary(BinaryOp::Union, a, b) => {
                Ok(and([self.is_in(a, right, site)?, self.is_in(b, right, site)?]))
            }
            _ => {
                let left = self.lower(left, site, None)?;
                self.member(&left, right, site)
            }
        }
    }

    fn member(&mut self, value: &Typed, set: &'a ast::Expr, site: Site) -> Res<Expr> {
        self.deeper(set.span, |this| this.member_here(value, set, site))
    }

    fn member_here(&mut self, value: &Typed, set: &'a ast::Expr, site: Site) -> Res<Expr> {
        if !self.is_set(set, site.at) {
            let one = self.lower(set, site, Some(&value.ty))?;
            return self.equal(value.clone(), one, set.span);
        }
        match &set.kind {
            ExprKind::Set(all) => {
                let each = all.iter().map(|e| self.member(value, e, site)).collect::<Res<Vec<_>>>()?;
                Ok(or(each))
            }
            ExprKind::Binary(BinaryOp::Union, a, b) => {
                Ok(or([self.member(value, a, site)?, self.member(value, b, site)?]))
            }
            ExprKind::Range(low, high) => {
                let (low, high) = self.bounds(low, high, site, set.span)?;
                let value = self.int(value.clone(), set.span)?.expr;
                Ok(and([binary(Op::Ge, value.clone(), low.expr), binary(Op::Le, value, high.expr)]))
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.truth(condition, site)?;
                let then = self.member(value, then, site)?;
                Ok(Expr::either(condition, then, self.member(value, otherwise, site)?))
            }
            ExprKind::Case(branches) => {
                let mut all = Vec::new();
                for (condition, set) in branches {
                    all.push((self.truth(condition, site)?, self.member(value, set, site)?));
                }
                self.fallible |= !all.iter().any(|(condition, _)| condition.is_true());
                self.spend_halving(all.iter().map(|(condition, _)| condition), set.span)?;
                Ok(cases(all, failure(Gap::Case)))
            }
            _ => match self.body(set, site.at) {
                Some((body, at)) => self.member(value, body, Site { at, ..site }),
                None => Err(Diagnostic::error("E0826", "this is no set of values", Some(set.span))),
            },
        }
    }
}

/// The values of several choices, as one flat list.
fn united(choices: Vec<Choice>) -> Choice {
    let mut all = Vec::new();
    for choice in choices {
        match choice {
            Choice::Union(inner) => all.extend(inner),
            choice => all.push(choice),
        }
    }
    if all.len() == 1 { all.swap_remove(0) } else { Choice::Union(all) }
}
