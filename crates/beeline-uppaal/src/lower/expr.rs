//! Expressions without clocks, to expressions of the IR. Operands are evaluated from left to right: where a
//! later one takes statements, the value of an earlier one is kept in a local first.

use beeline_ir::expr::{BinaryOp, Expr, Quantifier, Range};
use beeline_ir::origin::Span;
use beeline_ir::visit;
use beeline_ir::{LocalId, ProcessId};

use super::Lower;
use super::body::{Body, Mode};
use super::fault::{Fault, Res};
use super::fold::{and, binary, cond, is_truth, neg, not, or};
use super::place::Place;
use super::scope::Entity;
use super::types::Type;
use crate::ast;

/// What an expression stands for.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A number.
    Scalar(Expr),
    /// Something with cells.
    Place(Place),
    /// One of two things with cells, of types that fit: the first where the condition holds.
    Choice(Box<(Expr, Value, Value)>),
    /// A process, to look inside.
    Process(ProcessId),
    /// Nothing: the call of a function without result.
    Void,
}

impl Value {
    /// What it is, with an article.
    fn words(&self) -> String {
        match self {
            Self::Scalar(_) => "a number".to_string(),
            Self::Place(place) => place.ty.shape(),
            Self::Choice(choice) => choice.1.words(),
            Self::Process(_) => "a process".to_string(),
            Self::Void => "nothing".to_string(),
        }
    }
}

fn incomparable(left: &str, right: &str, span: Span) -> Fault {
    Fault::error("E0532", format!("{left} cannot be compared with {right}"), span)
}

impl Lower<'_> {
    /// An expression that stands by itself where no statements can be made; what it needs of them goes to a
    /// function of its own.
    pub(super) fn leaf(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Expr> {
        let (statements, locals) = (b.out.len(), b.frame.len());
        match self.expr(b, e) {
            Err(Fault::Statements(_)) if b.mode == Mode::Pure => {
                // What was made on the way belongs to the function.
                b.out.truncate(statements);
                b.frame.truncate(locals);
                b.quantified.truncate(locals);
                self.wrap(b, e)
            }
            result => result,
        }
    }
    /// The number an expression stands for.
    pub(super) fn expr(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Expr> {
        match self.value(b, e)? {
            Value::Process(_) => Err(Fault::error("E0532", "a process is no value", e.span)
                .help("name one of its locations or variables: `P.location`")),
            Value::Void => Err(Fault::error("E0541", "this function gives no value", e.span)),
            value => self.scalar(b, value, e.span),
        }
    }
    /// What an expression stands for.
    pub(super) fn value(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Value> {
        self.pay(1, e.span)?;
        self.enter(e.span)?;
        let value = self.value_inside(b, e);
        self.leave();
        value
    }

    fn value_inside(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Value> {
        use ast::ExprKind as K;
        let span = e.span;
        Ok(match &e.kind {
            K::Int(value) => Value::Scalar(Expr::Const(*value)),
            K::Bool(value) => Value::Scalar(Expr::Const(i64::from(*value))),
            K::Double(_) => return Err(Fault::unsupported("U0530", "floating-point numbers", span)),
            K::Str(_) => return Err(Fault::unsupported("U0530", "strings", span)),
            K::Name(name) => self.named(self.lookup(b, name, span)?, name, span)?,
            K::Index(base, index) => {
                let base = match self.value(b, base)? {
                    base @ (Value::Place(_) | Value::Choice(_)) => base,
                    _ => return Err(Fault::error("E0532", "only an array can be indexed", base.span)),
                };
                let base = if self.needs_statements(b, index) { self.pin_value(b, base)? } else { base };
                let index = self.expr(b, index)?;
                self.element_of(b, base, index, span)?
            }
            K::Field(base, field) => match self.value(b, base)? {
                Value::Process(process) => self.member(process, field)?,
                base @ (Value::Place(_) | Value::Choice(_)) => self.field(base, field)?,
                _ => return Err(Fault::error("E0532", "this has no fields", base.span)),
            },
            K::Call(callee, arguments) => self.call(b, callee, arguments, span)?,
            K::Rate(_) => {
                return Err(Fault::error("E0543", "the rate of a clock stands only in invariants", span));
            }
            K::Unary(op, operand) => Value::Scalar(self.unary(b, *op, operand, span)?),
            K::Binary(op, left, right) => Value::Scalar(self.binary(b, *op, left, right, e)?),
            K::Conditional(c, then, otherwise) => self.conditional(b, c, then, otherwise, span)?,
            K::Assign(op, place, value) => self.assign(b, *op, (place, value), true, span)?,
            K::Step { place, up, prefix } => self.step(b, place, *up, *prefix, true, span)?,
            K::Quantified(quantifier, var, ty, body) => {
                Value::Scalar(self.quantified(b, *quantifier, var, ty, body)?)
            }
            K::List(_) => {
                return Err(Fault::error("E0543", "a list in braces stands only in initialisers", span));
            }
            K::Deadlock => return Err(Fault::error("E0543", "`deadlock` stands only in queries", span)),
        })
    }

    fn named(&self, entity: Entity, name: &str, span: Span) -> Res<Value> {
        Ok(match entity {
            Entity::Place(place) => Value::Place(place),
            Entity::Scalar(value) => Value::Scalar(value),
            Entity::Process(process) => Value::Process(process),
            Entity::Wrong => return Err(Fault::Told(span)),
            Entity::Ignored(what) => {
                let message =
                    format!("`{name}` is {what}, which is not handled in what decides reachability");
                return Err(Fault::unsupported("U0530", message, span));
            }
            Entity::Family(_) => {
                let message = format!("`{name}` is a family of processes");
                let help = format!("say which one: `{name}(..)` with a value for each free parameter");
                return Err(Fault::error("E0532", message, span).help(help));
            }
            other => {
                let message = format!("`{name}` is {}, not a value", other.words());
                return Err(Fault::error("E0532", message, span));
            }
        })
    }
    fn field(&self, base: Value, field: &ast::Ident) -> Res<Value> {
        let place = match base {
            Value::Place(place) => place,
            Value::Choice(choice) => {
                let (c, x, y) = *choice;
                return Ok(Value::choice(c, self.field(x, field)?, self.field(y, field)?));
            }
            other => return Ok(other),
        };
        place.field(&field.name).map(Value::Place).ok_or_else(|| match &place.ty {
            Type::Struct(fields) => {
                self.unknown(&field.name, fields.iter().map(|(n, _)| n.as_str()), field.span)
            }
            ty => Fault::error("E0532", format!("{} has no fields", ty.words()), field.span),
        })
    }
    /// What a name means inside a process.
    fn member(&self, process: ProcessId, field: &ast::Ident) -> Res<Value> {
        match self.tables.member(process, &field.name) {
            Some(Entity::Location(location)) => Ok(Value::Scalar(Expr::At(process, *location))),
            Some(entity) => self.named(entity.clone(), &field.name, field.span),
            None if field.name == "location" => {
                Err(Fault::unsupported("U0538", "the number of a process's location", field.span)
                    .help("name the location: `P.idle`"))
            }
            None => Err(self.unknown_member(process, field)),
        }
    }
    /// The message about a name that a process does not have.
    pub(super) fn unknown_member(&self, process: ProcessId, field: &ast::Ident) -> Fault {
        let scope = self.tables.process_scopes[process.index()];
        self.unknown(&field.name, self.tables.scopes.names(scope), field.span)
    }

    fn unary(&mut self, b: &mut Body, op: ast::UnaryOp, operand: &ast::Expr, span: Span) -> Res<Expr> {
        let value = self.expr(b, operand)?;
        match op {
            ast::UnaryOp::Not => Ok(not(value)),
            ast::UnaryOp::Neg => Ok(neg(value)),
            ast::UnaryOp::Plus => Ok(value),
            ast::UnaryOp::BitNot => Err(Fault::error("E0543", "`~` is no operator of this language", span)),
        }
    }

    fn binary(
        &mut self,
        b: &mut Body,
        op: ast::BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
        whole: &ast::Expr,
    ) -> Res<Expr> {
        use ast::BinaryOp as A;
        match op {
            A::And | A::Or => self.junction(b, op, whole),
            A::Imply => {
                let first = self.expr(b, left)?;
                if self.needs_statements(b, right) {
                    return self.lazily(b, not(first), false, &[right]);
                }
                let second = self.expr(b, right)?;
                Ok(or(vec![not(first), second]))
            }
            A::Eq | A::Ne => self.equality(b, op == A::Eq, left, right, whole.span),
            _ => {
                let (first, second) = self.operands(b, left, right)?;
                arithmetic(op, first, second, whole.span)
            }
        }
    }
    /// Two operands, the first one evaluated before the effects of the second.
    fn operands(&mut self, b: &mut Body, left: &ast::Expr, right: &ast::Expr) -> Res<(Expr, Expr)> {
        let mut first = self.expr(b, left)?;
        if self.needs_statements(b, right) {
            first = self.spill(b, first);
        }
        Ok((first, self.expr(b, right)?))
    }
    /// A chain of `&&` or `||`.
    fn junction(&mut self, b: &mut Body, op: ast::BinaryOp, whole: &ast::Expr) -> Res<Expr> {
        let parts = chain(op, whole);
        let conjunction = op == ast::BinaryOp::And;
        let late = parts.iter().skip(1).position(|p| self.needs_statements(b, p));
        let mut values = Vec::new();
        for part in &parts[..late.map_or(parts.len(), |n| n + 1)] {
            values.push(self.expr(b, part)?);
        }
        let first = if conjunction { and(values) } else { or(values) };
        match late {
            Some(n) => self.lazily(b, first, conjunction, &parts[n + 1..]),
            None => Ok(first),
        }
    }
    /// `first && rest..` (or `||`), where the rest takes statements that run only if needed.
    fn lazily(&mut self, b: &mut Body, first: Expr, conjunction: bool, rest: &[&ast::Expr]) -> Res<Expr> {
        let result = b.fresh("t", Range::BOOL, None);
        b.set(result, truth(first));
        for part in rest {
            let block = b.collect(|b| {
                let value = self.expr(b, part)?;
                b.set(result, truth(value));
                Ok(())
            })?;
            let more = if conjunction { Expr::Local(result) } else { not(Expr::Local(result)) };
            b.out.push(beeline_ir::stmt::Stmt::If(more, block, Vec::new()));
        }
        Ok(Expr::Local(result))
    }
    fn equality(
        &mut self,
        b: &mut Body,
        equal: bool,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Res<Expr> {
        let first = self.value(b, left)?;
        let first = match first {
            first if first.is_aggregate() => {
                let first = if self.needs_statements(b, right) {
                    Value::Place(self.copy_to_local(b, &first, span)?)
                } else {
                    first
                };
                let second = self.value(b, right)?;
                let ty = match (first.ty(), second.ty()) {
                    (Some(x), Some(y)) if x.fits(y) => x,
                    _ => return Err(incomparable(&first.words(), &second.words(), span)),
                };
                self.pay(ty.cells(), span)?;
                let (x, y) = (self.raw_values(b, &first, span)?, self.raw_values(b, &second, span)?);
                let same = and(x.into_iter().zip(y).map(|(x, y)| binary(BinaryOp::Eq, x, y)).collect());
                return Ok(if equal { same } else { not(same) });
            }
            Value::Process(_) | Value::Void => {
                return Err(incomparable(&first.words(), "anything", span));
            }
            first => self.scalar(b, first, left.span)?,
        };
        let first = if self.needs_statements(b, right) { self.spill(b, first) } else { first };
        let second = match self.value(b, right)? {
            value if value.is_aggregate() => {
                return Err(incomparable("a number", &value.words(), span));
            }
            value => self.scalar(b, value, right.span)?,
        };
        Ok(binary(if equal { BinaryOp::Eq } else { BinaryOp::Ne }, first, second))
    }

    fn conditional(
        &mut self,
        b: &mut Body,
        c: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Res<Value> {
        let c = self.expr(b, c)?;
        if let Expr::Const(value) = c {
            return self.value(b, if value != 0 { then } else { otherwise });
        }
        if !self.needs_statements(b, then) && !self.needs_statements(b, otherwise) {
            let (x, y) = (self.value(b, then)?, self.value(b, otherwise)?);
            return match (x.ty(), y.ty()) {
                (Some(a), Some(b)) if a.fits(b) => Ok(Value::choice(c, x, y)),
                _ if x.is_aggregate() || y.is_aggregate() => {
                    let message = format!("this is {} or {}", x.words(), y.words());
                    Err(Fault::error("E0532", message, span).help("both sides of `:` are of one type"))
                }
                _ => {
                    let (x, y) = (self.scalar(b, x, then.span)?, self.scalar(b, y, otherwise.span)?);
                    Ok(Value::Scalar(cond(c, x, y)))
                }
            };
        }
        self.choose(b, c, then, otherwise, span)
    }
    /// The number that is already there.
    pub(super) fn scalar(&mut self, b: &Body, value: Value, span: Span) -> Res<Expr> {
        match value {
            Value::Scalar(value) => Ok(value),
            Value::Place(place) => self.read(b, &place, span),
            Value::Choice(choice) => {
                let (c, x, y) = *choice;
                Ok(cond(c, self.scalar(b, x, span)?, self.scalar(b, y, span)?))
            }
            Value::Process(_) | Value::Void => Err(Fault::error("E0541", "this has no value", span)),
        }
    }

    fn quantified(
        &mut self,
        b: &mut Body,
        quantifier: ast::Quantifier,
        var: &ast::Ident,
        ty: &ast::TypeExpr,
        body: &ast::Expr,
    ) -> Res<Expr> {
        let range = self.domain(b, ty)?;
        let mode = std::mem::replace(&mut b.mode, Mode::Pure);
        let names = b.names.len();
        let local = b.bind(&var.name, range, true);
        b.quantified[local.index()] = true;
        b.bound.push(local);
        let lowered = self.leaf(b, body);
        b.bound.pop();
        b.names.truncate(names);
        let result = match lowered {
            // A constant body may only depend on the number of values.
            Ok(body) => Ok(Expr::Quantified(kind(quantifier), local, range, Box::new(body))),
            Err(Fault::Static(needed, _)) if needed == local => {
                b.frame.truncate(local.index());
                b.quantified.truncate(local.index());
                let parts = self.unroll(b, var, range, |lower, b| lower.leaf(b, body));
                parts.map(|parts| match quantifier {
                    ast::Quantifier::Forall => and(parts),
                    ast::Quantifier::Exists => or(parts),
                    ast::Quantifier::Sum => sum(parts),
                })
            }
            Err(fault) => Err(fault),
        };
        b.mode = mode;
        result
    }
    /// The body once for each value of the variable.
    pub(super) fn unroll<T>(
        &mut self,
        b: &mut Body,
        var: &ast::Ident,
        range: Range,
        mut body: impl FnMut(&mut Self, &mut Body) -> Res<T>,
    ) -> Res<Vec<T>> {
        let mut parts = Vec::new();
        for value in range.values() {
            self.pay(1, var.span)?;
            b.names.push((var.name.clone(), Entity::Scalar(Expr::Const(value))));
            let part = body(self, b);
            b.names.pop();
            parts.push(part?);
        }
        Ok(parts)
    }
    /// The value of an expression that says which clock or process is meant.
    pub(super) fn static_value(&self, b: &Body, value: &Expr, span: Span) -> Res<i64> {
        if let Ok(value) = self.evaluate(value) {
            return Ok(value);
        }
        match bound_local(b, value) {
            Some(local) => Err(Fault::Static(local, span)),
            None => Err(Fault::unsupported(
                "U0531",
                "which process this is must be known before the search",
                span,
            )
            .help("use a constant, or a variable of `forall` or `exists`")),
        }
    }
}

/// A quantified variable on which an expression depends.
pub(super) fn bound_local(b: &Body, value: &Expr) -> Option<LocalId> {
    let mut found = None;
    visit::walk(value, &mut |e| {
        if let Expr::Local(local) = e
            && b.bound.contains(local)
        {
            found = found.or(Some(*local));
        }
    });
    found
}

/// The operands of a chain of one operator, which associates to the left.
pub(super) fn chain(op: ast::BinaryOp, e: &ast::Expr) -> Vec<&ast::Expr> {
    let mut parts = Vec::new();
    let mut rest = e;
    while let ast::ExprKind::Binary(o, left, right) = &rest.kind
        && *o == op
    {
        parts.push(&**right);
        rest = left;
    }
    parts.push(rest);
    parts.reverse();
    parts
}

/// 0 or 1.
pub(super) fn truth(e: Expr) -> Expr {
    if is_truth(&e) { e } else { binary(BinaryOp::Ne, e, Expr::Const(0)) }
}

fn kind(quantifier: ast::Quantifier) -> Quantifier {
    match quantifier {
        ast::Quantifier::Forall => Quantifier::Forall,
        ast::Quantifier::Exists => Quantifier::Exists,
        ast::Quantifier::Sum => Quantifier::Sum,
    }
}

/// The sum, as a tree that is not deep.
fn sum(mut parts: Vec<Expr>) -> Expr {
    while parts.len() > 1 {
        let mut pairs = Vec::with_capacity(parts.len().div_ceil(2));
        let mut rest = parts.into_iter();
        while let Some(first) = rest.next() {
            pairs.push(match rest.next() {
                Some(second) => binary(BinaryOp::Add, first, second),
                None => first,
            });
        }
        parts = pairs;
    }
    parts.pop().unwrap_or(Expr::Const(0))
}

/// `a op b` for the operators that evaluate both.
pub(super) fn arithmetic(op: ast::BinaryOp, a: Expr, b: Expr, span: Span) -> Res<Expr> {
    use ast::BinaryOp as A;
    let op = match op {
        A::Add => BinaryOp::Add,
        A::Sub => BinaryOp::Sub,
        A::Mul => BinaryOp::Mul,
        A::Div => BinaryOp::Div,
        A::Rem => BinaryOp::Rem,
        A::BitAnd => BinaryOp::BitAnd,
        A::BitOr => BinaryOp::BitOr,
        A::BitXor => BinaryOp::BitXor,
        A::Shl => BinaryOp::Shl,
        A::Shr => BinaryOp::Shr,
        A::Min => BinaryOp::Min,
        A::Max => BinaryOp::Max,
        A::Lt => BinaryOp::Lt,
        A::Le => BinaryOp::Le,
        A::Eq => BinaryOp::Eq,
        A::Ne => BinaryOp::Ne,
        A::Ge => BinaryOp::Ge,
        A::Gt => BinaryOp::Gt,
        A::Xor => return Ok(binary(BinaryOp::Ne, truth(a), truth(b))),
        A::And => return Ok(and(vec![a, b])),
        A::Or => return Ok(or(vec![a, b])),
        A::Imply => return Ok(or(vec![not(a), b])),
        A::Pow => return power(a, b, span),
    };
    Ok(binary(op, a, b))
}

/// `a ** n` for a small constant n.
fn power(a: Expr, b: Expr, span: Span) -> Res<Expr> {
    match b {
        Expr::Const(n @ 0..=16) => {
            Ok((0..n).fold(Expr::Const(1), |product, _| binary(BinaryOp::Mul, product, a.clone())))
        }
        Expr::Const(n @ 17..) if matches!(a, Expr::Const(_)) => {
            let Expr::Const(base) = a else { return Ok(a) };
            let value = u32::try_from(n).ok().and_then(|n| base.checked_pow(n));
            value.map(Expr::Const).ok_or_else(|| Fault::error("E0534", "this power is too large", span))
        }
        _ => Err(Fault::unsupported("U0538", "`**` with an exponent that is no small constant", span)
            .help("write a function with a loop")),
    }
}
