//! Statements of functions. Every loop becomes `while`; a `return` in a call that is expanded in place sets a
//! flag, and what follows runs only while the flag is down.

use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::origin::Span;
use beeline_ir::stmt::Stmt;

use super::body::{Body, Returns, target};
use super::fault::{Fault, Res};
use super::fold::{and, binary, not};
use super::place::Place;
use super::scope::Entity;
use super::types::{Type, default_value};
use super::{HEAVY, Lower};
use crate::ast;

impl Lower<'_> {
    /// A block with its declarations.
    pub(super) fn block(&mut self, b: &mut Body, block: &ast::Block) -> Res<()> {
        let names = b.names.len();
        for decl in &block.decls {
            self.local_declaration(b, decl)?;
        }
        self.statements(b, &block.stmts)?;
        b.names.truncate(names);
        Ok(())
    }
    fn statements(&mut self, b: &mut Body, statements: &[ast::Stmt]) -> Res<()> {
        for (i, statement) in statements.iter().enumerate() {
            self.enter(statement.span)?;
            let made = self.statement(b, statement);
            self.leave();
            made?;
            let rest = &statements[i + 1..];
            if !rest.is_empty() && contains_return(statement) && self.done(b).is_some() {
                let block = b.collect(|b| self.statements(b, rest))?;
                self.unless_done(b, block);
                return Ok(());
            }
        }
        Ok(())
    }
    /// The condition that the call being expanded has not returned yet.
    fn done(&self, b: &Body) -> Option<Expr> {
        match b.returns {
            Returns::Inline { done, .. } => done.map(|d| not(Expr::Local(d))),
            _ => None,
        }
    }
    fn unless_done(&self, b: &mut Body, block: beeline_ir::stmt::Block) {
        match self.done(b) {
            Some(going) if !block.is_empty() => b.out.push(Stmt::If(going, block, Vec::new())),
            _ => b.out.extend(block),
        }
    }

    fn statement(&mut self, b: &mut Body, statement: &ast::Stmt) -> Res<()> {
        use ast::StmtKind as S;
        let span = statement.span;
        match &statement.kind {
            S::Empty => Ok(()),
            S::Expr(e) => self.effect(b, e),
            S::Block(block) => self.block(b, block),
            S::If(c, then, otherwise) => {
                let c = self.expr(b, c)?;
                let then = b.collect(|b| self.statement(b, then))?;
                let otherwise = match otherwise {
                    Some(s) => b.collect(|b| self.statement(b, s))?,
                    None => Vec::new(),
                };
                b.out.push(Stmt::If(c, then, otherwise));
                Ok(())
            }
            S::While(c, body) => self.repeat(b, std::slice::from_ref(c), body, &[], false),
            S::DoWhile(body, c) => self.repeat(b, std::slice::from_ref(c), body, &[], true),
            S::For { init, cond, step, body } => {
                for e in init {
                    self.effect(b, e)?;
                }
                self.repeat(b, cond, body, step, false)
            }
            S::ForEach { var, ty, body } => self.for_each(b, var, ty, body),
            S::Return(value) => self.give_back(b, value.as_ref(), span),
            S::Assert(e) => {
                let condition = self.expr(b, e)?;
                b.out.push(Stmt::Assert(condition, Some(self.origin(e.span, Vec::new()))));
                Ok(())
            }
        }
    }

    /// A loop. The last condition counts; with `late` the body runs before the first test.
    fn repeat(
        &mut self,
        b: &mut Body,
        conditions: &[ast::Expr],
        body: &ast::Stmt,
        step: &[ast::Expr],
        late: bool,
    ) -> Res<()> {
        let repeats = std::mem::replace(&mut b.repeats, true);
        let going = if contains_return(body) { self.done(b) } else { None };
        let simple =
            !late && conditions.len() <= 1 && !conditions.iter().any(|c| self.needs_statements(b, c));
        let made = if simple {
            let condition = match conditions {
                [c] => self.expr(b, c)?,
                _ => Expr::TRUE,
            };
            let condition = and(going.into_iter().chain([condition]).collect());
            b.collect(|b| self.round(b, body, step)).map(|block| b.out.push(Stmt::While(condition, block)))
        } else {
            self.flagged(b, conditions, body, step, late, going)
        };
        b.repeats = repeats;
        made
    }
    /// The body, then the steps unless it returned.
    fn round(&mut self, b: &mut Body, body: &ast::Stmt, step: &[ast::Expr]) -> Res<()> {
        self.statement(b, body)?;
        let steps = b.collect(|b| step.iter().try_for_each(|e| self.effect(b, e)))?;
        if contains_return(body) {
            self.unless_done(b, steps);
        } else {
            b.out.extend(steps);
        }
        Ok(())
    }
    /// A loop whose condition takes statements: a flag says whether to go on.
    fn flagged(
        &mut self,
        b: &mut Body,
        conditions: &[ast::Expr],
        body: &ast::Stmt,
        step: &[ast::Expr],
        late: bool,
        going: Option<Expr>,
    ) -> Res<()> {
        let flag = b.fresh("go", Range::BOOL, None);
        b.set(flag, Expr::TRUE);
        let test = |lower: &mut Self, b: &mut Body| {
            let Some((last, first)) = conditions.split_last() else { return Ok(Expr::TRUE) };
            first.iter().try_for_each(|e| lower.effect(b, e))?;
            lower.expr(b, last)
        };
        let block = b.collect(|b| {
            if late {
                self.round(b, body, step)?;
                let check = b.collect(|b| {
                    let value = test(self, b)?;
                    b.set(flag, super::expr::truth(value));
                    Ok(())
                })?;
                if contains_return(body) { self.unless_done(b, check) } else { b.out.extend(check) }
            } else {
                let condition = test(self, b)?;
                let then = b.collect(|b| self.round(b, body, step))?;
                let stop = b.collect(|b| {
                    b.set(flag, Expr::FALSE);
                    Ok(())
                })?;
                b.out.push(Stmt::If(condition, then, stop));
            }
            Ok(())
        })?;
        let condition = and([Expr::Local(flag)].into_iter().chain(going).collect());
        b.out.push(Stmt::While(condition, block));
        Ok(())
    }
    fn for_each(&mut self, b: &mut Body, var: &ast::Ident, ty: &ast::TypeExpr, body: &ast::Stmt) -> Res<()> {
        let range = self.domain(b, ty)?;
        let names = b.names.len();
        let local = b.bind(&var.name, range, true);
        b.set(local, Expr::Const(range.lo));
        let repeats = std::mem::replace(&mut b.repeats, true);
        let block = b.collect(|b| {
            self.statement(b, body)?;
            b.set(local, binary(BinaryOp::Add, Expr::Local(local), Expr::Const(1)));
            Ok(())
        });
        b.repeats = repeats;
        b.names.truncate(names);
        // The body sees the values of the type alone; then it ends one past the last.
        b.frame[local.index()].range.hi += 1;
        let going = if contains_return(body) { self.done(b) } else { None };
        let more = binary(BinaryOp::Le, Expr::Local(local), Expr::Const(range.hi));
        b.out.push(Stmt::While(and(going.into_iter().chain([more]).collect()), block?));
        Ok(())
    }

    fn give_back(&mut self, b: &mut Body, value: Option<&ast::Expr>, span: Span) -> Res<()> {
        let returns = b.returns.clone();
        let ty = match &returns {
            Returns::Nowhere => return Err(Fault::error("E0541", "`return` stands only in functions", span)),
            Returns::Function(ty) | Returns::Inline { ty, .. } => ty,
        };
        match (ty, value) {
            (Type::Void, Some(e)) => {
                return Err(Fault::error("E0541", "this function gives no value", e.span));
            }
            (Type::Void, None) => {}
            (_, None) => return Err(Fault::error("E0541", "this function must give a value", span)),
            (_, Some(_)) => {}
        }
        match returns {
            Returns::Nowhere => {}
            Returns::Function(ty) => {
                let value = value.map(|e| self.expr(b, e)).transpose()?;
                b.out.push(Stmt::Return(value.map(|value| self.fitted(b, &ty, value))));
            }
            Returns::Inline { result, done, .. } => {
                if let (Some(result), Some(e)) = (result, value) {
                    self.initialise(b, &result, Some(e), span)?;
                }
                if let Some(done) = done {
                    b.set(done, Expr::TRUE);
                }
            }
        }
        Ok(())
    }

    fn local_declaration(&mut self, b: &mut Body, decl: &ast::Decl) -> Res<()> {
        match decl {
            ast::Decl::Typedef(vars) => {
                let declared = self.type_of(b, &vars.ty)?;
                for item in &vars.items {
                    let ty = self.with_dims(b, declared.ty.clone(), &item.dims, item.name.span)?;
                    let named = super::types::Declared { ty, ..declared.clone() };
                    b.names.push((item.name.name.clone(), Entity::Type(named)));
                }
                Ok(())
            }
            ast::Decl::Vars(vars) => {
                let declared = self.type_of(b, &vars.ty)?;
                for item in &vars.items {
                    let span = item.name.span;
                    let ty = self.with_dims(b, declared.ty.clone(), &item.dims, span)?;
                    if ty.some(&|t| matches!(t, Type::Clock | Type::Chan { .. } | Type::Void)) {
                        let message = format!("{} cannot be declared in a function", ty.element().words());
                        return Err(Fault::error("E0532", message, span));
                    }
                    let entity = self.local_variable(b, &declared, &ty, item)?;
                    b.names.push((item.name.name.clone(), entity));
                }
                Ok(())
            }
            ast::Decl::Function(function) => {
                Err(Fault::error("E0543", "functions are not declared inside functions", function.name.span))
            }
            ast::Decl::ChanPriority(_, span)
            | ast::Decl::BeforeUpdate(_, span)
            | ast::Decl::AfterUpdate(_, span) => {
                Err(Fault::error("E0543", "this does not stand in a function", *span))
            }
            ast::Decl::Unsupported(what, span) => {
                Err(Fault::unsupported("U0536", format!("`{what}`"), *span))
            }
        }
    }
    fn local_variable(
        &mut self,
        b: &mut Body,
        declared: &super::types::Declared,
        ty: &Type,
        item: &ast::Declarator,
    ) -> Res<Entity> {
        if let Some(what) = ty.ignored() {
            return Ok(Entity::Ignored(what));
        }
        let span = item.name.span;
        if declared.constant && item.init.is_none() {
            return Err(Fault::error("E0536", "a constant needs a value", span));
        }
        if declared.constant
            && let Ok(values) = self.values(b, ty, item.init.as_ref())
        {
            return Ok(self.constant_entity(&item.name, None, ty, values));
        }
        let mut place = self.local(b, &item.name.name, ty);
        // The frame starts with the default values.
        if item.init.is_some() || b.repeats {
            self.initialise(b, &place, item.init.as_ref(), span)?;
        }
        place.read_only = declared.constant;
        Ok(Entity::Place(place))
    }
    /// Gives a place of the frame its first value.
    fn initialise(&mut self, b: &mut Body, place: &Place, init: Option<&ast::Expr>, span: Span) -> Res<()> {
        match (init, &place.ty) {
            (None, _) => {
                self.pay(HEAVY * place.ty.cells(), span)?;
                for cell in place.cells() {
                    let to = self.cell_target(b, &cell, span)?;
                    let value = cell.ty.range().map_or(0, default_value);
                    b.out.push(Stmt::Assign(target(to), Expr::Const(value)));
                }
                Ok(())
            }
            (Some(ast::Expr { kind: ast::ExprKind::List(list), span }), ty) => {
                let parts = self.list_parts(ty, list, *span)?;
                for (part, e) in parts {
                    let inner = match part {
                        super::declare::Part::Element(k) => place.element(k),
                        super::declare::Part::Field(name) => place.field(&name),
                    };
                    if let Some(inner) = inner {
                        self.initialise(b, &inner, Some(e), e.span)?;
                    }
                }
                Ok(())
            }
            (Some(e), ty) if ty.is_aggregate() => {
                let source = self.value(b, e)?;
                self.copy(b, place, &source, e.span)
            }
            (Some(e), _) => {
                let value = self.expr(b, e)?;
                self.store(b, place, value, span)
            }
        }
    }
}

/// Whether a statement has a `return` in it.
pub(super) fn contains_return(statement: &ast::Stmt) -> bool {
    use ast::StmtKind as S;
    match &statement.kind {
        S::Return(_) => true,
        S::Block(block) => block.stmts.iter().any(contains_return),
        S::For { body, .. } | S::ForEach { body, .. } | S::While(_, body) | S::DoWhile(body, _) => {
            contains_return(body)
        }
        S::If(_, then, otherwise) => {
            contains_return(then) || otherwise.as_ref().is_some_and(|s| contains_return(s))
        }
        S::Empty | S::Expr(_) | S::Assert(_) => false,
    }
}

/// Whether what follows a statement is never reached.
pub(super) fn never_passes(statement: &ast::Stmt) -> bool {
    use ast::StmtKind as S;
    let is = |e: &ast::Expr, value: bool| match e.kind {
        ast::ExprKind::Bool(b) => b == value,
        ast::ExprKind::Int(n) => (n != 0) == value,
        _ => false,
    };
    match &statement.kind {
        S::Return(_) => true,
        S::Assert(e) => is(e, false),
        S::Block(block) => block.stmts.iter().any(never_passes),
        S::If(_, then, Some(otherwise)) => never_passes(then) && never_passes(otherwise),
        S::While(condition, _) => is(condition, true),
        S::For { cond, .. } => cond.last().is_none_or(|condition| is(condition, true)),
        // The body runs at least once: no type is empty.
        S::ForEach { body, .. } => never_passes(body),
        S::DoWhile(body, condition) => is(condition, true) || never_passes(body),
        S::Empty | S::Expr(_) | S::If(_, _, None) => false,
    }
}

/// Whether the last statement of a block is a `return`.
pub(super) fn ends_with_return(block: &ast::Block) -> bool {
    matches!(block.stmts.last(), Some(ast::Stmt { kind: ast::StmtKind::Return(_), .. }))
}
