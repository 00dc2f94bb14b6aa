//! Expressions with one value.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp as Op, Expr, Range, UnaryOp};
use beeline_ir::origin::Span;

use super::build::{Gap, and, binary, cases, failure, may_fail, not, or, size};
use super::convert::{mismatch, wrong_kind};
use super::typed::Typed;
use super::{Lower, MAX_LEVELS, Place, Res, Site};
use crate::ast::{self, BinaryOp, ExprKind, Function};
use crate::types::{Kind, Type};

/// Integers of expressions lie between minus this and this.
const MAX_INT: i128 = 1 << 62;

impl<'a> Lower<'a, '_> {
    /// An expression with one value. Where there is a choice, its values are numbered as the hint says.
    pub fn lower(&mut self, expr: &'a ast::Expr, site: Site, hint: Option<&Type>) -> Res<Typed> {
        self.spend(1, expr.span)?;
        if self.level >= MAX_LEVELS {
            let message = format!("nested more than {MAX_LEVELS} levels deep, definitions included");
            return Err(Diagnostic::error("E0808", message, Some(expr.span)));
        }
        self.level += 1;
        let lowered = self.lower_here(expr, site, hint);
        self.level -= 1;
        let lowered = lowered?;
        match hint {
            Some(hint @ Type::Enum(_)) if hint.holds(&lowered.ty) => {
                let expr = self.convert(lowered, hint, expr.span)?;
                Ok(Typed { expr, ty: hint.clone() })
            }
            _ => Ok(lowered),
        }
    }

    fn lower_here(&mut self, expr: &'a ast::Expr, site: Site, hint: Option<&Type>) -> Res<Typed> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Bool(value) => Ok(Typed::bool(Expr::Const(i64::from(*value)))),
            ExprKind::Int(value) => Ok(Typed::int(Expr::Const(*value), Range::new(*value, *value))),
            ExprKind::Word(word) => Ok(self.word_literal(word)),
            ExprKind::Name(_) | ExprKind::SelfInstance | ExprKind::Dot(..) | ExprKind::Index(..) => {
                self.reference(expr, site)
            }
            ExprKind::Bits(word, high, low) => self.bits(word, high, low, site),
            ExprKind::Unary(op, operand) => {
                let operand = self.lower(operand, site, None)?;
                self.unary(*op, operand, span)
            }
            ExprKind::And(parts) => self.connected(parts, site, span, and, Op::BitAnd),
            ExprKind::Or(parts) => self.connected(parts, site, span, or, Op::BitOr),
            ExprKind::Binary(BinaryOp::In, left, right) => self.is_in(left, right, site).map(Typed::bool),
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
                let left = self.lower(left, site, None)?;
                let right = self.lower(right, site, Some(&left.ty))?;
                let equal = self.equal(left, right, span)?;
                Ok(Typed::bool(if *op == BinaryOp::Eq { equal } else { not(equal) }))
            }
            ExprKind::Binary(BinaryOp::Union, ..) | ExprKind::Set(_) | ExprKind::Range(..) => {
                let message =
                    "a set of values stands on the right of an assignment or of `in`, and nowhere else";
                Err(Diagnostic::error("E0826", message, Some(span)))
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.lower(left, site, None)?;
                let right = self.lower(right, site, None)?;
                self.binary(*op, left, right, span)
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.truth(condition, site)?;
                let values = vec![self.lower(then, site, hint)?, self.lower(otherwise, site, hint)?];
                let (values, ty) = self.together(values, hint, span)?;
                let [then, otherwise] = <[Expr; 2]>::try_from(values).unwrap_or([Expr::FALSE; 2]);
                Ok(Typed { expr: cases(vec![(condition, then)], otherwise), ty })
            }
            ExprKind::Case(branches) => self.case(branches, site, hint, span),
            ExprKind::Next(inner) => {
                let wrong = |message| Err(Diagnostic::error("E0818", message, Some(span)));
                match site {
                    Site { primed: true, .. } => wrong("`next` inside of `next`"),
                    Site { place: Place::Step, .. } => self.lower(inner, Site { primed: true, ..site }, hint),
                    _ => wrong("`next` stands only in `TRANS` and `next` assignments"),
                }
            }
            ExprKind::Call(function, arguments) => self.call(*function, arguments, site, span),
            ExprKind::Array(_) => {
                Err(Diagnostic::error("E0823", "an array is no value: choose an element", Some(span)))
            }
            ExprKind::Temporal(op, _) => {
                let message = format!("the temporal operator `{op}` stands in specifications only");
                Err(Diagnostic::error("E0822", message, Some(span)))
            }
        }
    }

    fn case(
        &mut self,
        branches: &'a [(ast::Expr, ast::Expr)],
        site: Site,
        hint: Option<&Type>,
        span: Span,
    ) -> Res<Typed> {
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        for (condition, value) in branches {
            conditions.push(self.truth(condition, site)?);
            values.push(self.lower(value, site, hint)?);
        }
        let (values, ty) = self.together(values, hint, span)?;
        let mut branches: Vec<(Expr, Expr)> = conditions.into_iter().zip(values).collect();
        let otherwise = match branches.iter().position(|(condition, _)| condition.is_true()) {
            Some(last) => {
                branches.truncate(last + 1);
                branches.pop().map_or(Expr::FALSE, |(_, value)| value)
            }
            None => {
                self.fallible = true;
                failure(Gap::Case)
            }
        };
        self.spend_halving(branches.iter().map(|(condition, _)| condition), span)?;
        Ok(Typed { expr: cases(branches, otherwise), ty })
    }

    /// A long case repeats its conditions, each time it is halved.
    pub fn spend_halving<'e>(
        &mut self,
        conditions: impl ExactSizeIterator<Item = &'e Expr>,
        span: Span,
    ) -> Res<()> {
        let levels = conditions.len().max(1).ilog2() as usize;
        self.spend(levels * conditions.map(size).sum::<usize>(), span)
    }

    /// `&` or `|`, of truth values or words.
    fn connected(
        &mut self,
        parts: &'a [ast::Expr],
        site: Site,
        span: Span,
        connect: fn(Vec<Expr>) -> Expr,
        bitwise: Op,
    ) -> Res<Typed> {
        let mut all = Vec::new();
        let mut ty: Option<Type> = None;
        for part in parts {
            let typed = self.lower(part, site, None)?;
            match (&ty, &typed.ty) {
                (None, Type::Bool | Type::Word { .. }) => ty = Some(typed.ty.clone()),
                (Some(ty), other) if ty == other => {}
                (Some(Type::Bool) | None, other) => return Err(wrong_kind("a boolean", other, part.span)),
                (Some(ty), other) => return Err(mismatch(ty, other, span)),
            }
            all.push(typed.expr);
        }
        match ty {
            Some(ty @ Type::Word { .. }) => {
                let joined = all.into_iter().reduce(|a, b| binary(bitwise, a, b));
                Ok(Typed { expr: joined.unwrap_or(Expr::FALSE), ty })
            }
            _ => Ok(Typed::bool(connect(self.safe_first(all)))),
        }
    }

    /// In NuSMV, `a & b` is false where one of them is, and the other has no value, whichever comes first. Here the
    /// first decides, so what may be without value comes last.
    fn safe_first(&self, mut parts: Vec<Expr>) -> Vec<Expr> {
        if self.fallible {
            parts.sort_by_cached_key(may_fail);
        }
        parts
    }

    fn unary(&mut self, op: ast::UnaryOp, operand: Typed, span: Span) -> Res<Typed> {
        match (op, &operand.ty) {
            (_, Type::Word { signed, width }) => Ok(self.word_unary(op, operand.expr, *signed, *width)),
            (ast::UnaryOp::Not, Type::Bool) => Ok(Typed::bool(not(operand.expr))),
            (ast::UnaryOp::Not, ty) => Err(wrong_kind("a boolean", ty, span)),
            (ast::UnaryOp::Neg, _) => {
                let operand = self.int(operand, span)?;
                let range = operand.ty.range();
                let expr = match operand.expr {
                    Expr::Const(value) => Expr::Const(-value),
                    expr => Expr::Unary(UnaryOp::Neg, Box::new(expr)),
                };
                Ok(Typed::int(expr, Range::new(-range.hi, -range.lo)))
            }
        }
    }

    /// Whether two values are equal.
    pub fn equal(&mut self, left: Typed, right: Typed, span: Span) -> Res<Expr> {
        let (a, b) = (left.ty.kind(), right.ty.kind());
        if !a.fits(b) {
            return Err(mismatch(&left.ty, &right.ty, span));
        }
        if a == Kind::Int && b == Kind::Int {
            let (left, right) = (self.int(left, span)?, self.int(right, span)?);
            return Ok(binary(Op::Eq, left.expr, right.expr));
        }
        if a == Kind::Bool {
            // A truth value compared with a constant is itself, or its opposite.
            match (&left.expr, &right.expr) {
                (_, Expr::Const(c)) => return Ok(if *c == 0 { not(left.expr) } else { left.expr }),
                (Expr::Const(c), _) => return Ok(if *c == 0 { not(right.expr) } else { right.expr }),
                _ => {}
            }
        }
        let (mut both, _) = self.together(vec![left, right], None, span)?;
        match (both.pop(), both.pop()) {
            (Some(right), Some(left)) => Ok(binary(Op::Eq, left, right)),
            _ => Ok(Expr::FALSE),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Res<Typed> {
        use BinaryOp::{Concat, Ge, Gt, Iff, Implies, Le, Lt, Shl, Shr, Xnor, Xor};
        match (op, &left.ty, &right.ty) {
            (Implies, Type::Bool, Type::Bool) => {
                Ok(Typed::bool(or(self.safe_first(vec![not(left.expr), right.expr]))))
            }
            (Iff | Xnor, Type::Bool, Type::Bool) => self.equal(left, right, span).map(Typed::bool),
            (Xor, Type::Bool, Type::Bool) => self.equal(left, right, span).map(|e| Typed::bool(not(e))),
            (Shl | Shr | Concat, ..) | (_, Type::Word { .. }, Type::Word { .. }) => {
                self.word_binary(op, left, right, span)
            }
            (Implies | Iff | Xnor | Xor, Type::Bool, other) | (Implies | Iff | Xnor | Xor, other, _) => {
                Err(wrong_kind("a boolean", other, span))
            }
            (Lt | Le | Gt | Ge, ..) => {
                let (left, right) = (self.int(left, span)?, self.int(right, span)?);
                let op = match op {
                    Lt => Op::Lt,
                    Le => Op::Le,
                    Gt => Op::Gt,
                    _ => Op::Ge,
                };
                Ok(Typed::bool(binary(op, left.expr, right.expr)))
            }
            _ => {
                let (left, right) = (self.int(left, span)?, self.int(right, span)?);
                self.integers(op, left, right, span)
            }
        }
    }

    /// Arithmetic of integers, which is exact: results beyond 62 bits are refused.
    fn integers(&mut self, op: BinaryOp, left: Typed, right: Typed, span: Span) -> Res<Typed> {
        let (a, b) = (left.ty.range(), right.ty.range());
        let wide = |r: Range| [i128::from(r.lo), i128::from(r.hi)];
        let corners = |f: &dyn Fn(i128, i128) -> i128| -> Vec<i128> {
            wide(a).into_iter().flat_map(|x| wide(b).map(|y| f(x, y))).collect()
        };
        let largest = wide(a).map(i128::abs).into_iter().max().unwrap_or(0);
        let divisor = wide(b).map(i128::abs).into_iter().max().unwrap_or(0);
        let (ir, results) = match op {
            BinaryOp::Add => (Op::Add, corners(&|x, y| x + y)),
            BinaryOp::Sub => (Op::Sub, corners(&|x, y| x - y)),
            BinaryOp::Mul => (Op::Mul, corners(&|x, y| x * y)),
            BinaryOp::Div => (Op::Div, vec![-largest, largest]),
            _ => {
                let most = largest.min(divisor - 1).max(0);
                (Op::Rem, vec![if a.lo < 0 { -most } else { 0 }, if a.hi > 0 { most } else { 0 }])
            }
        };
        let (lo, hi) =
            (results.iter().min().copied().unwrap_or(0), results.iter().max().copied().unwrap_or(0));
        if lo < -MAX_INT || hi > MAX_INT {
            return Err(Diagnostic::error("E0827", "the result may be beyond 62 bits", Some(span)));
        }
        if matches!(ir, Op::Div | Op::Rem) && b.contains(0) {
            if b.size() == 1 {
                return Err(Diagnostic::error("E0825", "division by zero", Some(span)));
            }
            self.fallible = true;
        }
        Ok(Typed::int(binary(ir, left.expr, right.expr), Range::new(lo as i64, hi as i64)))
    }

    /// The functions that are not about words alone.
    pub fn plain_call(
        &mut self,
        function: Function,
        arguments: &'a [ast::Expr],
        site: Site,
        span: Span,
    ) -> Res<Typed> {
        match function {
            Function::Count => {
                let mut sum = Expr::Const(0);
                for argument in arguments {
                    sum = match (sum, self.truth(argument, site)?) {
                        (Expr::Const(0), truth) => truth,
                        (sum, truth) => binary(Op::Add, sum, truth),
                    };
                }
                Ok(Typed::int(sum, Range::new(0, arguments.len() as i64)))
            }
            Function::Abs => {
                let value = self.lower(&arguments[0], site, None)?;
                let value = self.int(value, span)?;
                let range = value.ty.range();
                let negative = Expr::Unary(UnaryOp::Neg, Box::new(value.expr.clone()));
                let most = range.lo.abs().max(range.hi.abs());
                let expr = binary(Op::Max, value.expr, negative);
                Ok(Typed::int(expr, Range::new(0, most)))
            }
            _ => {
                let left = self.lower(&arguments[0], site, None)?;
                let right = self.lower(&arguments[1], site, None)?;
                let (left, right) = (self.int(left, span)?, self.int(right, span)?);
                let (a, b) = (left.ty.range(), right.ty.range());
                let (op, range) = match function {
                    Function::Min => (Op::Min, Range::new(a.lo.min(b.lo), a.hi.min(b.hi))),
                    _ => (Op::Max, Range::new(a.lo.max(b.lo), a.hi.max(b.hi))),
                };
                Ok(Typed::int(binary(op, left.expr, right.expr), range))
            }
        }
    }
}
