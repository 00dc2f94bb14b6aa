//! Expressions with effects: `i = j++`, `a[f()] = 2`, `x = y = 3`. They become statements, strictly from left
//! to right.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::origin::Span;
use beeline_ir::stmt::Stmt;

use super::body::{Body, Mode, target};
use super::expr::{Value, arithmetic, truth};
use super::fault::{Fault, Res};
use super::fold::{binary, may_fail, range_of};
use super::place::{Cells, Place, Storage};
use super::scope::Entity;
use super::types::Type;
use super::{HEAVY, Lower};
use crate::ast;

impl Lower<'_> {
    /// An expression whose value nobody wants.
    pub(super) fn effect(&mut self, b: &mut Body, e: &ast::Expr) -> Res<()> {
        match &e.kind {
            ast::ExprKind::Step { place, up, .. } => {
                self.step(b, place, *up, true, false, e.span).map(|_| ())
            }
            ast::ExprKind::Conditional(c, then, otherwise) => {
                let c = self.expr(b, c)?;
                let then = b.collect(|b| self.effect(b, then))?;
                let otherwise = b.collect(|b| self.effect(b, otherwise))?;
                b.out.push(Stmt::If(c, then, otherwise));
                Ok(())
            }
            ast::ExprKind::Assign(op, place, value) => {
                self.pay(1, e.span)?;
                self.assign(b, *op, (place, value), false, e.span).map(|_| ())
            }
            _ => {
                self.warn_idle(b, e);
                // A value that nobody wants is computed all the same where that may fail.
                let value = match self.value(b, e)? {
                    Value::Process(_) | Value::Void => return Ok(()),
                    value if value.is_aggregate() || value.ty() == Some(&Type::Clock) => return Ok(()),
                    value => self.scalar(b, value, e.span)?,
                };
                if may_fail(&value) {
                    self.spill(b, value);
                }
                Ok(())
            }
        }
    }

    /// Whether the value of an expression takes statements: it has effects, or calls a function in a way that only
    /// statements can.
    pub(super) fn needs_statements(&self, b: &Body, e: &ast::Expr) -> bool {
        use ast::ExprKind as K;
        match &e.kind {
            K::Assign(..) | K::Step { .. } => true,
            K::Call(callee, arguments) => {
                arguments.iter().any(|a| self.needs_statements(b, a))
                    || self.call_needs_statements(b, callee, arguments)
            }
            K::Index(x, y) => self.needs_statements(b, x) || self.needs_statements(b, y),
            K::Binary(_, x, y) => {
                let (mut rest, mut last) = (&**x, &**y);
                // The left side may be a long chain.
                loop {
                    if self.needs_statements(b, last) {
                        return true;
                    }
                    match &rest.kind {
                        K::Binary(_, x, y) => (rest, last) = (x, y),
                        _ => return self.needs_statements(b, rest),
                    }
                }
            }
            K::Field(x, _) | K::Unary(_, x) | K::Rate(x) => self.needs_statements(b, x),
            K::Conditional(x, y, z) => [x, y, z].into_iter().any(|e| self.needs_statements(b, e)),
            // The body of a quantifier has no effects; what else it needs goes to a function of its own.
            _ => false,
        }
    }
    /// Refuses an effect where there can be none.
    fn demand_statements(&self, b: &Body, span: Span, help: &str) -> Res<()> {
        if b.mode == Mode::Statements {
            return Ok(());
        }
        Err(Fault::error("E0539", "an assignment inside an expression that must have no effect", span)
            .help(help))
    }
    /// Points out an expression that is computed for nothing.
    fn warn_idle(&mut self, b: &Body, e: &ast::Expr) {
        use ast::ExprKind as K;
        // A number is what one writes for no effect, and a call may be kept for what it does one day.
        if matches!(e.kind, K::Int(_) | K::Bool(_) | K::Call(..)) || self.needs_statements(b, e) {
            return;
        }
        let mut warning = Diagnostic::new(Severity::Warning, "W0536", "this has no effect", Some(e.span));
        if matches!(e.kind, K::Binary(ast::BinaryOp::Eq, ..)) {
            warning = warning.with_help("did you mean `=`?");
        }
        self.remark(warning);
    }

    /// `place = value` or `place op= value`; gives the place, which is found once: where somebody wants to read it
    /// afterwards, it stays where it is whatever was stored.
    pub(super) fn assign(
        &mut self,
        b: &mut Body,
        op: Option<ast::BinaryOp>,
        (left, right): (&ast::Expr, &ast::Expr),
        wanted: bool,
        span: Span,
    ) -> Res<Value> {
        let help = if op.is_none() { "did you mean `==`?" } else { "move it to an update" };
        self.demand_statements(b, span, help)?;
        let place = self.assignable(b, left)?;
        let late = self.needs_statements(b, right);
        let place = if late || wanted { self.pin_value(b, place)? } else { place };
        if place.ty() == Some(&Type::Clock) {
            self.on_place(b, &place, &mut |lower, b, p| lower.assign_clock(b, op, p, right, span))?;
            return Ok(place);
        }
        if place.is_aggregate() {
            if op.is_some() {
                return Err(Fault::error("E0532", "records and arrays have no arithmetic", span));
            }
            let source = self.value(b, right)?;
            self.on_place(b, &place, &mut |lower, b, p| lower.copy(b, p, &source, span))?;
            return Ok(place);
        }
        let value = match op {
            None => self.expr(b, right)?,
            Some(op) => {
                let old = self.scalar(b, place.clone(), left.span)?;
                let old = if late { self.spill(b, old) } else { old };
                let value = self.expr(b, right)?;
                arithmetic(op, old, value, span)?
            }
        };
        self.store_to(b, &place, value, left.span)?;
        Ok(place)
    }
    /// `++place` and its kin; `wanted` as for an assignment.
    pub(super) fn step(
        &mut self,
        b: &mut Body,
        place: &ast::Expr,
        up: bool,
        prefix: bool,
        wanted: bool,
        span: Span,
    ) -> Res<Value> {
        self.demand_statements(b, span, "move it to an update")?;
        let target = self.assignable(b, place)?;
        let target = if prefix && wanted { self.pin_value(b, target)? } else { target };
        let old = self.scalar(b, target.clone(), place.span)?;
        let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
        if prefix {
            self.store_to(b, &target, binary(op, old, Expr::Const(1)), place.span)?;
            return Ok(target);
        }
        let old = self.spill(b, old);
        self.store_to(b, &target, binary(op, old.clone(), Expr::Const(1)), place.span)?;
        Ok(Value::Scalar(old))
    }
    fn assignable(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Value> {
        match self.value(b, e)? {
            value if value.some_place(&|p| p.read_only) => {
                Err(Fault::error("E0537", "this variable keeps its value: it cannot be assigned to", e.span))
            }
            value if value.some_place(&|p| p.storage.is_const()) => {
                Err(Fault::error("E0537", "a constant cannot be assigned to", e.span))
            }
            value if value.ty().is_some() => Ok(value),
            _ => Err(Fault::error("E0537", "this cannot be assigned to", e.span)
                .help("assign to a variable, an element or a field")),
        }
    }
    /// Stores a number.
    pub(super) fn store(&mut self, b: &mut Body, place: &Place, value: Expr, span: Span) -> Res<()> {
        let cells = place.cells();
        let [cell] = cells.as_slice() else { return Err(mismatch(&place.ty, span)) };
        let to = self.cell_target(b, cell, span)?;
        let value = self.fitted(b, &place.ty, value);
        b.out.push(Stmt::Assign(target(to), value));
        Ok(())
    }
    /// Stores a number in the place that this is.
    fn store_to(&mut self, b: &mut Body, to: &Value, value: Expr, span: Span) -> Res<()> {
        let value = if matches!(to, Value::Choice(_)) { self.spill(b, value) } else { value };
        self.on_place(b, to, &mut |lower, b, place| lower.store(b, place, value.clone(), span))
    }
    /// A number as a value of a type: any that is not 0 is true.
    pub(super) fn fitted(&self, b: &Body, ty: &Type, value: Expr) -> Expr {
        let fits = |value| range_of(value, &self.net, &b.frame).hull(Range::BOOL) == Range::BOOL;
        if *ty != Type::Bool || fits(&value) { value } else { truth(value) }
    }
    /// Fixes where a place is, whatever happens to the variables in its indices.
    pub(super) fn pin(&mut self, b: &mut Body, mut place: Place) -> Place {
        let index = place.index();
        if !matches!(index, Expr::Const(_)) && b.mode == Mode::Statements {
            place.offset = self.spill(b, index);
            place.inside.clear();
        }
        place
    }
    /// Copies a record or an array, also onto a part of itself.
    pub(super) fn copy(&mut self, b: &mut Body, to: &Place, from: &Value, span: Span) -> Res<()> {
        if !from.ty().is_some_and(|from| to.ty.fits(from)) {
            return Err(mismatch(&to.ty, span));
        }
        self.pay(HEAVY * to.ty.cells(), span)?;
        let (to, from) = (self.pin(b, to.clone()), self.pin_value(b, from.clone())?);
        let mut values = self.cell_values(b, &from, &to.ty, span)?;
        if from.overlaps(&to.storage) {
            values = values.into_iter().map(|v| self.spill(b, v)).collect();
        }
        for (cell, value) in to.cells().iter().zip(values) {
            let place = self.cell_target(b, cell, span)?;
            b.out.push(Stmt::Assign(target(place), value));
        }
        Ok(())
    }
    /// New locals for a value of this type.
    pub(super) fn local(&mut self, b: &mut Body, name: &str, ty: &Type) -> Place {
        let storage = Storage::build(ty, name, None, &mut |name, leaf, len| {
            let range = leaf.range().unwrap_or(super::types::INT);
            Cells::Local(b.fresh(name, range, len))
        });
        Place::root(storage, ty.clone())
    }
    /// A copy of a record or array in the frame.
    pub(super) fn copy_to_local(&mut self, b: &mut Body, value: &Value, span: Span) -> Res<Place> {
        let copy = self.local(b, "t", value.ty().unwrap_or(&Type::Void));
        self.copy(b, &copy, value, span)?;
        Ok(copy)
    }
    /// `c ? then : otherwise` by statements: a copy of either.
    pub(super) fn choose(
        &mut self,
        b: &mut Body,
        c: Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Res<Value> {
        if b.mode == Mode::Pure {
            return Err(Fault::Statements(span));
        }
        let mut first = None;
        let yes = b.collect(|b| {
            first = Some(match self.value(b, then)? {
                value if value.is_aggregate() => self.copy_to_local(b, &value, span)?,
                value => {
                    let value = self.scalar(b, value, then.span)?;
                    let range = range_of(&value, &self.net, &b.frame);
                    let copy = self.local(b, "t", &Type::Int(range));
                    self.store(b, &copy, value, span)?;
                    copy
                }
            });
            Ok(())
        })?;
        let Some(mut result) = first else { return Ok(Value::Void) };
        let no = b.collect(|b| {
            if result.ty.is_aggregate() {
                let value = self.value(b, otherwise)?;
                return self.copy(b, &result, &value, span);
            }
            let value = self.expr(b, otherwise)?;
            // One local holds either value.
            let range = range_of(&value, &self.net, &b.frame);
            if let Storage::Cells(Cells::Local(local)) = &result.storage {
                let both = b.frame[local.index()].range.hull(range);
                b.frame[local.index()].range = both;
                result.ty = Type::Int(both);
            }
            self.store(b, &result, value, span)
        })?;
        b.out.push(Stmt::If(c, yes, no));
        // What is stored here would be lost.
        result.read_only = true;
        Ok(Value::Place(result))
    }
    /// The place behind the name at the root of `a[i].f`.
    pub(super) fn root<'s>(&'s self, b: &'s Body, e: &ast::Expr) -> Option<&'s Place> {
        let mut e = e;
        loop {
            match &e.kind {
                ast::ExprKind::Index(base, _) | ast::ExprKind::Field(base, _) => e = base,
                ast::ExprKind::Name(name) => match self.find(b, name) {
                    Some(Entity::Place(place)) => return Some(place),
                    _ => return None,
                },
                _ => return None,
            }
        }
    }
}

fn mismatch(ty: &Type, span: Span) -> Fault {
    Fault::error("E0532", format!("the value does not fit: {} of the same form is needed", ty.words()), span)
}
