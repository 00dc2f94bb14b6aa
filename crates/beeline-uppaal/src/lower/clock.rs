//! Clocks: constraints in guards, invariants and queries, and what updates do to clocks. A clock of an array whose
//! index varies gives one constraint for each clock that it may be.

use beeline_ir::ClockId;
use beeline_ir::expr::{BinaryOp, ClockAtom, ClockOp, Expr, Range};
use beeline_ir::origin::Span;
use beeline_ir::stmt::{Place as IrPlace, Stmt};

use super::body::{Body, Mode, target};
use super::expr::{Value, bound_local, chain};
use super::fault::{Fault, Res};
use super::fold::{and, binary, neg, not, range_of, size};
use super::formula::{Formula, Rate};
use super::place::{Cells, Place, Storage};
use super::scope::Entity;
use super::types::Type;
use super::{HEAVY, Lower};
use crate::ast;

/// Clocks added and subtracted, and the rest without clocks.
struct Linear {
    plus: Vec<Place>,
    minus: Vec<Place>,
    rest: Expr,
}

/// The clocks that a place may be, each with its condition.
struct Choices {
    clocks: Vec<(Option<Expr>, ClockId)>,
    /// An expression that fails where the index is outside.
    check: Option<Expr>,
}

impl Lower<'_> {
    /// Whether an expression speaks of clocks or of deadlock.
    pub(super) fn timed(&self, b: &Body, e: &ast::Expr) -> bool {
        self.timed_beside(b, e, &mut Vec::new())
    }
    fn timed_beside<'e>(&self, b: &Body, e: &'e ast::Expr, hidden: &mut Vec<&'e str>) -> bool {
        use ast::ExprKind as K;
        let clock = |entity: Option<&Entity>| match entity {
            Some(Entity::Place(place)) => *place.ty.element() == Type::Clock,
            _ => false,
        };
        match &e.kind {
            K::Rate(_) | K::Deadlock => true,
            K::Name(name) => !hidden.contains(&name.as_str()) && clock(self.find(b, name)),
            K::Index(base, _) => self.timed_beside(b, base, hidden),
            K::Field(base, field) => {
                let process = match &base.kind {
                    K::Name(name) => match self.find(b, name) {
                        Some(Entity::Process(process)) => Some(*process),
                        _ => None,
                    },
                    K::Call(callee, _) => match &callee.kind {
                        K::Name(name) => match self.find(b, name) {
                            Some(Entity::Family(family)) => {
                                self.tables.families[*family].members.first().copied()
                            }
                            _ => None,
                        },
                        _ => None,
                    },
                    _ => None,
                };
                match process {
                    Some(process) => clock(self.tables.member(process, &field.name)),
                    None => self.timed_beside(b, base, hidden),
                }
            }
            K::Binary(_, left, right) => {
                let (mut rest, mut last) = (&**left, &**right);
                // The left side may be a long chain.
                loop {
                    if self.timed_beside(b, last, hidden) {
                        return true;
                    }
                    match &rest.kind {
                        K::Binary(_, x, y) => (rest, last) = (x, y),
                        _ => return self.timed_beside(b, rest, hidden),
                    }
                }
            }
            K::Unary(_, x) => self.timed_beside(b, x, hidden),
            K::Conditional(x, y, z) => [x, y, z].into_iter().any(|e| self.timed_beside(b, e, hidden)),
            K::Quantified(_, var, _, body) => {
                hidden.push(&var.name);
                let timed = self.timed_beside(b, body, hidden);
                hidden.pop();
                timed
            }
            _ => false,
        }
    }

    /// A condition that may speak of clocks.
    pub(super) fn formula(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Formula> {
        self.pay(1, e.span)?;
        if !self.timed(b, e) {
            return Ok(Formula::Pure(self.leaf(b, e)?));
        }
        self.enter(e.span)?;
        let made = self.timed_formula(b, e);
        self.leave();
        made
    }
    fn timed_formula(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Formula> {
        use ast::BinaryOp as A;
        use ast::ExprKind as K;
        let span = e.span;
        Ok(match &e.kind {
            K::Deadlock => Formula::Deadlock,
            K::Binary(op @ (A::And | A::Or), ..) => {
                let parts = chain(*op, e).into_iter().map(|p| self.formula(b, p)).collect::<Res<_>>()?;
                if *op == A::And { Formula::And(parts) } else { Formula::Or(parts) }
            }
            K::Binary(A::Imply, left, right) => {
                let left = Formula::Not(Box::new(self.formula(b, left)?));
                Formula::Or(vec![left, self.formula(b, right)?])
            }
            K::Binary(A::Eq, left, right) if matches!(left.kind, K::Rate(_)) => self.rate(b, left, right)?,
            K::Binary(A::Eq, left, right) if matches!(right.kind, K::Rate(_)) => self.rate(b, right, left)?,
            K::Binary(op @ (A::Xor | A::Eq | A::Ne), left, right)
                if *op == A::Xor || self.timed_condition(b, left) || self.timed_condition(b, right) =>
            {
                let (x, y) = (self.formula(b, left)?, self.formula(b, right)?);
                if *op != A::Xor {
                    self.truth_value(b, &x, left.span)?;
                    self.truth_value(b, &y, right.span)?;
                }
                self.pay(x.size().saturating_add(y.size()), span)?;
                let opposite = |f: &Formula| Formula::Not(Box::new(f.clone()));
                let differ = Formula::Or(vec![
                    Formula::And(vec![x.clone(), opposite(&y)]),
                    Formula::And(vec![opposite(&x), y]),
                ]);
                if *op == A::Eq { Formula::Not(Box::new(differ)) } else { differ }
            }
            K::Binary(op, left, right) => match op {
                A::Lt => self.compare(b, ClockOp::Lt, left, right, span)?,
                A::Le => self.compare(b, ClockOp::Le, left, right, span)?,
                A::Eq => self.compare(b, ClockOp::Eq, left, right, span)?,
                A::Ge => self.compare(b, ClockOp::Ge, left, right, span)?,
                A::Gt => self.compare(b, ClockOp::Gt, left, right, span)?,
                A::Ne => Formula::Not(Box::new(self.compare(b, ClockOp::Eq, left, right, span)?)),
                _ => return Err(clock_as_number(span)),
            },
            K::Unary(ast::UnaryOp::Not, inner) => Formula::Not(Box::new(self.formula(b, inner)?)),
            K::Conditional(c, then, otherwise) => {
                let c = self.formula(b, c)?;
                let (then, otherwise) = (self.formula(b, then)?, self.formula(b, otherwise)?);
                match c {
                    Formula::Pure(c) => Formula::If(c, Box::new(then), Box::new(otherwise)),
                    c => {
                        self.pay(c.size(), span)?;
                        Formula::Or(vec![
                            Formula::And(vec![c.clone(), then]),
                            Formula::And(vec![Formula::Not(Box::new(c)), otherwise]),
                        ])
                    }
                }
            }
            K::Quantified(ast::Quantifier::Sum, ..) => {
                return Err(Fault::unsupported("U0531", "a sum over clock constraints", span));
            }
            K::Quantified(quantifier, var, ty, body) => {
                let range = self.domain(b, ty)?;
                let parts = self.unroll(b, var, range, |lower, b| lower.formula(b, body))?;
                if *quantifier == ast::Quantifier::Forall { Formula::And(parts) } else { Formula::Or(parts) }
            }
            K::Rate(_) => return Err(Fault::error("E0543", "a rate is set by `x' == e`", span)),
            _ => return Err(clock_as_number(span)),
        })
    }
    /// Refuses a number beside a condition on clocks.
    fn truth_value(&self, b: &Body, formula: &Formula, span: Span) -> Res<()> {
        match formula {
            Formula::Pure(e) if range_of(e, &self.net, &b.frame).hull(Range::BOOL) != Range::BOOL => {
                Err(Fault::error("E0532", "a condition on clocks is compared with a number", span)
                    .help("compare it with a truth value"))
            }
            _ => Ok(()),
        }
    }
    /// Whether an expression is a condition on clocks, and not a clock.
    fn timed_condition(&self, b: &Body, e: &ast::Expr) -> bool {
        use ast::BinaryOp as A;
        use ast::ExprKind as K;
        let condition = match &e.kind {
            K::Binary(op, ..) => !matches!(op, A::Add | A::Sub),
            K::Unary(op, _) => *op == ast::UnaryOp::Not,
            K::Deadlock | K::Quantified(..) | K::Conditional(..) => true,
            _ => false,
        };
        condition && self.timed(b, e)
    }

    fn linear(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Linear> {
        if !self.timed(b, e) {
            return Ok(Linear { plus: Vec::new(), minus: Vec::new(), rest: self.leaf(b, e)? });
        }
        self.enter(e.span)?;
        let made = self.timed_linear(b, e);
        self.leave();
        made
    }
    fn timed_linear(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Linear> {
        use ast::ExprKind as K;
        match &e.kind {
            K::Binary(op @ (ast::BinaryOp::Add | ast::BinaryOp::Sub), left, right) => {
                let (mut x, y) = (self.linear(b, left)?, self.linear(b, right)?);
                let add = *op == ast::BinaryOp::Add;
                let (plus, minus) = if add { (y.plus, y.minus) } else { (y.minus, y.plus) };
                x.plus.extend(plus);
                x.minus.extend(minus);
                x.rest = binary(if add { BinaryOp::Add } else { BinaryOp::Sub }, x.rest, y.rest);
                Ok(x)
            }
            K::Unary(ast::UnaryOp::Plus, inner) => self.linear(b, inner),
            K::Unary(ast::UnaryOp::Neg, inner) => {
                let x = self.linear(b, inner)?;
                Ok(Linear { plus: x.minus, minus: x.plus, rest: neg(x.rest) })
            }
            _ => match self.value(b, e)? {
                Value::Place(place) if place.ty == Type::Clock => {
                    Ok(Linear { plus: vec![place], minus: Vec::new(), rest: Expr::Const(0) })
                }
                _ => Err(clock_as_number(e.span)),
            },
        }
    }
    fn compare(
        &mut self,
        b: &mut Body,
        op: ClockOp,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Res<Formula> {
        let (x, y) = (self.linear(b, left)?, self.linear(b, right)?);
        let mut plus: Vec<Place> = x.plus.into_iter().chain(y.minus).collect();
        let mut minus: Vec<Place> = x.minus.into_iter().chain(y.plus).collect();
        let mut bound = binary(BinaryOp::Sub, y.rest, x.rest);
        let mut op = op;
        if plus.is_empty() {
            std::mem::swap(&mut plus, &mut minus);
            bound = neg(bound);
            op = mirrored(op);
        }
        let (Some(first), None) = (plus.pop(), plus.pop()) else { return Err(sum_of_clocks(span)) };
        let (second, None) = (minus.pop(), minus.pop()) else { return Err(sum_of_clocks(span)) };
        let first = self.choices(b, &first, span)?;
        let second = second.map(|p| self.choices(b, &p, span)).transpose()?;
        let mut parts: Vec<Formula> = Vec::new();
        let checks = first.check.into_iter().chain(second.as_ref().and_then(|c| c.check.clone()));
        parts.extend(checks.map(|e| Formula::Pure(binary(BinaryOp::Eq, e, Expr::Const(0)))));
        let others = match second {
            None => vec![(None, None)],
            Some(choices) => choices.clocks.into_iter().map(|(c, clock)| (c, Some(clock))).collect(),
        };
        let weigh = |when: &Option<Expr>| when.as_ref().map_or(0, size);
        let bound_size = size(&bound);
        for (x, left) in &first.clocks {
            for (y, right) in &others {
                self.pay(HEAVY + weigh(x) + weigh(y) + bound_size, span)?;
                let when: Vec<Expr> = x.iter().chain(y).cloned().collect();
                let when = if when.is_empty() { None } else { Some(and(when)) };
                if *right == Some(*left) {
                    let zero = binary(compared(op), Expr::Const(0), bound.clone());
                    let parted = when.into_iter().map(not).chain([zero]).collect();
                    parts.push(Formula::Pure(super::fold::or(parted)));
                } else {
                    let (left, right, bound) = (*left, *right, bound.clone());
                    parts.push(Formula::Atom(ClockAtom { when, left, right, op, bound }));
                }
            }
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) })
    }
    /// The clocks that a place may be. In statements the index is evaluated, and checked, right away.
    fn choices(&mut self, b: &mut Body, place: &Place, span: Span) -> Res<Choices> {
        let Storage::Cells(Cells::Clocks(clocks)) = &place.storage else { return Err(clock_as_number(span)) };
        let mut index = place.index();
        if let Ok(value) = self.evaluate(&index) {
            let clock = usize::try_from(value).ok().and_then(|k| clocks.get(k));
            return match clock {
                Some(clock) => Ok(Choices { clocks: vec![(None, *clock)], check: None }),
                None => Err(Fault::error("E0534", "there is no clock with this index", span)),
            };
        }
        if let Some(local) = bound_local(b, &index) {
            return Err(Fault::Static(local, span));
        }
        let len = clocks.len() as i64;
        let range = range_of(&index, &self.net, &b.frame);
        if b.mode == Mode::Statements {
            index = self.spill(b, index);
        }
        let mut check = None;
        if range.lo < 0 || range.hi >= len {
            let zeros = b.fresh("inside", Range::new(0, 0), u32::try_from(len).ok());
            if b.mode == Mode::Statements {
                b.out.push(Stmt::Assign(target(IrPlace::LocalElem(zeros, index.clone())), Expr::Const(0)));
            } else {
                check = Some(Expr::LocalElem(zeros, Box::new(index.clone())));
            }
        }
        self.pay(size(&index).saturating_mul(clocks.len() as u64), span)?;
        let clocks = clocks
            .iter()
            .zip(0..)
            .filter(|(_, k)| range.contains(*k))
            .map(|(clock, k)| (Some(binary(BinaryOp::Eq, index.clone(), Expr::Const(k))), *clock))
            .collect();
        Ok(Choices { clocks, check })
    }
    /// `x' == e`
    fn rate(&mut self, b: &mut Body, rate: &ast::Expr, value: &ast::Expr) -> Res<Formula> {
        let ast::ExprKind::Rate(clock) = &rate.kind else { return Err(clock_as_number(rate.span)) };
        if let ast::ExprKind::Name(name) = &clock.kind {
            let free = match self.find(b, name) {
                Some(Entity::Ignored(_)) => true,
                // The cost of priced automata is not declared.
                None => name == "cost",
                _ => false,
            };
            if free {
                self.once("W0533", "costs and the rates of hybrid clocks are ignored", rate.span);
                return Ok(Formula::Pure(Expr::TRUE));
            }
        }
        let place = match self.value(b, clock)? {
            Value::Place(place) if place.ty == Type::Clock => place,
            _ => return Err(Fault::error("E0538", "only a clock has a rate", clock.span)),
        };
        let rate_value = self.leaf(b, value)?;
        let choices = self.choices(b, &place, clock.span)?;
        let rates = choices.clocks.into_iter().map(|(when, clock)| {
            Formula::Rate(Rate { clock, when, rate: rate_value.clone(), span: rate.span.to(value.span) })
        });
        Ok(Formula::And(rates.collect()))
    }

    /// `clock = value`
    pub(super) fn assign_clock(
        &mut self,
        b: &mut Body,
        op: Option<ast::BinaryOp>,
        place: &Place,
        value: &ast::Expr,
        span: Span,
    ) -> Res<()> {
        if op.is_some() {
            return Err(Fault::unsupported("U0534", "arithmetic on a clock", span)
                .help("a clock can be set to a number, or to the value of another clock"));
        }
        // `x = y = e`: nothing that `e` reads has changed when `y` is set, nor has time passed.
        let (whole, mut value) = (value, value);
        while let ast::ExprKind::Assign(None, inner, set) = &value.kind
            && self.timed(b, inner)
        {
            value = set;
        }
        if !std::ptr::eq(whole, value) {
            if self.needs_statements(b, value) {
                return Err(Fault::unsupported("U0534", "clocks set to one value that has effects", span)
                    .help("set them one by one"));
            }
            self.effect(b, whole)?;
        }
        let copied = if self.timed(b, value) {
            let Linear { mut plus, minus, rest } = self.linear(b, value)?;
            match (plus.pop(), plus.is_empty() && minus.is_empty(), rest) {
                (Some(other), true, Expr::Const(0)) => Some(other),
                _ => {
                    return Err(Fault::unsupported(
                        "U0534",
                        "a clock set to a sum or difference with clocks",
                        span,
                    )
                    .help("a clock can be set to a number, or to the value of another clock"));
                }
            }
        } else {
            None
        };
        let make: Box<dyn Fn(ClockId) -> Vec<Stmt>> = match copied {
            Some(other) => {
                let sources = self.choices(b, &other, span)?.clocks;
                Box::new(move |clock| {
                    guarded(sources.iter().map(|(c, source)| (c.clone(), Stmt::ClockCopy(clock, *source))))
                })
            }
            None => {
                let value = self.expr(b, value)?;
                let dynamic = self.evaluate(&place.index()).is_err();
                let value = if dynamic { self.spill(b, value) } else { value };
                Box::new(move |clock| vec![Stmt::ClockSet(clock, value.clone())])
            }
        };
        for (condition, clock) in self.choices(b, place, span)?.clocks {
            match condition {
                None => b.out.extend(make(clock)),
                Some(c) => b.out.push(Stmt::If(c, make(clock), Vec::new())),
            }
        }
        Ok(())
    }
}

fn guarded(statements: impl Iterator<Item = (Option<Expr>, Stmt)>) -> Vec<Stmt> {
    statements
        .map(|(condition, statement)| match condition {
            None => statement,
            Some(c) => Stmt::If(c, vec![statement], Vec::new()),
        })
        .collect()
}

fn mirrored(op: ClockOp) -> ClockOp {
    match op {
        ClockOp::Lt => ClockOp::Gt,
        ClockOp::Le => ClockOp::Ge,
        ClockOp::Eq => ClockOp::Eq,
        ClockOp::Ge => ClockOp::Le,
        ClockOp::Gt => ClockOp::Lt,
    }
}

fn compared(op: ClockOp) -> BinaryOp {
    match op {
        ClockOp::Lt => BinaryOp::Lt,
        ClockOp::Le => BinaryOp::Le,
        ClockOp::Eq => BinaryOp::Eq,
        ClockOp::Ge => BinaryOp::Ge,
        ClockOp::Gt => BinaryOp::Gt,
    }
}

fn clock_as_number(span: Span) -> Fault {
    Fault::error("E0538", "a clock is used as a number", span)
        .help("compare it: `x < 5`, `x - y <= 3`; both sides may add numbers")
}

fn sum_of_clocks(span: Span) -> Fault {
    Fault::unsupported("U0531", "a comparison of more than the difference of two clocks", span)
}
