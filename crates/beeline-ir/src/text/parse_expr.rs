//! Expressions, clock constraints and channels, by precedence climbing.

use super::lex::Token;
use super::names::Entity;
use super::parse::{Parsed, Parser};
use super::parse_names::Meaning;
use crate::diagnostic::Diagnostic;
use crate::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, MAX_DEPTH, Quantifier, UnaryOp};
use crate::id::{ChannelId, ClockId, EdgeId, FunctionId, LocalId, VarId};
use crate::origin::Span;
use crate::stmt::Local;

/// A part of an expression. Clocks are no numbers, but stand where numbers stand until they are compared.
pub(super) struct Term {
    value: Value,
    /// Levels of the tree.
    height: usize,
    span: Span,
}

enum Value {
    Number(Expr),
    Clock(ClockId),
    Difference(ClockId, ClockId),
}

/// An operator of the text form.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Infix {
    Or,
    And,
    Binary(BinaryOp),
}

/// The operator written so, and how tightly it binds.
fn infix(symbol: &str) -> Option<(Infix, u8)> {
    use BinaryOp::*;
    Some(match symbol {
        "||" => (Infix::Or, 1),
        "&&" => (Infix::And, 2),
        "|" => (Infix::Binary(BitOr), 3),
        "^" => (Infix::Binary(BitXor), 4),
        "&" => (Infix::Binary(BitAnd), 5),
        "==" => (Infix::Binary(Eq), 6),
        "!=" => (Infix::Binary(Ne), 6),
        "<" => (Infix::Binary(Lt), 7),
        "<=" => (Infix::Binary(Le), 7),
        ">" => (Infix::Binary(Gt), 7),
        ">=" => (Infix::Binary(Ge), 7),
        "<<" => (Infix::Binary(Shl), 8),
        ">>" => (Infix::Binary(Shr), 8),
        "+" => (Infix::Binary(Add), 9),
        "-" => (Infix::Binary(Sub), 9),
        "*" => (Infix::Binary(Mul), 10),
        "/" => (Infix::Binary(Div), 10),
        "%" => (Infix::Binary(Rem), 10),
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    /// An integer expression.
    pub fn expr(&mut self) -> Parsed<Expr> {
        let term = self.term()?;
        Ok(self.integer(term))
    }
    /// A term: an expression, or a clock.
    pub fn term(&mut self) -> Parsed<Term> {
        self.nested(|p| {
            let condition = p.binary(1)?;
            if !p.eat("?") {
                return Ok(condition);
            }
            let then = p.term()?;
            p.expect(":")?;
            let otherwise = p.term()?;
            p.build([condition, then, otherwise], |[c, t, o]| Expr::If(Box::new(c), Box::new(t), Box::new(o)))
        })
    }
    /// The clock that a term is, if it is one.
    pub fn as_clock(term: &Term) -> Option<ClockId> {
        match term.value {
            Value::Clock(clock) => Some(clock),
            _ => None,
        }
    }
    /// The expression that a term is; a clock is reported.
    pub fn integer(&mut self, term: Term) -> Expr {
        if let Value::Number(expr) = term.value {
            return expr;
        }
        let message = "a clock is no number";
        let help = "a clock, or the difference of two, can be compared to a number: `x - y <= 3`";
        self.report(Diagnostic::error("E0203", message, Some(term.span)).with_help(help));
        Expr::FALSE
    }
    /// `[cond =>] x [- y] op bound`, again and again.
    pub fn clock_atoms(&mut self) -> Parsed<Vec<ClockAtom>> {
        let mut atoms = Vec::new();
        loop {
            let term = self.term()?;
            let term = self.guarded(term)?;
            atoms.extend(self.atom(term));
            if !self.eat(",") {
                return Ok(atoms);
            }
        }
    }

    /// After a condition: `=> atom`, if it is there.
    fn guarded(&mut self, condition: Term) -> Parsed<Term> {
        if !self.eat("=>") {
            return Ok(condition);
        }
        let body = self.term()?;
        let (span, height) = (condition.span.to(body.span), condition.height.max(body.height) + 1);
        let when = self.integer(condition);
        let Some(mut atom) = self.atom(body) else { return self.made(Expr::FALSE, height, span) };
        if atom.when.is_some() {
            return Err(self.error("E0204", "a clock constraint has one condition", span));
        }
        atom.when = Some(when);
        self.made(Expr::Clock(Box::new(atom)), height, span)
    }
    fn atom(&mut self, term: Term) -> Option<ClockAtom> {
        if let Value::Number(Expr::Clock(atom)) = term.value {
            return Some(*atom);
        }
        let help = "conditions on integers belong to `guard` or `condition`";
        let error = Diagnostic::error("E0204", "expected a clock constraint", Some(term.span));
        self.report(error.with_help(help));
        None
    }

    /// A term of this value, unless it is too deep.
    fn made(&mut self, expr: Expr, height: usize, span: Span) -> Parsed<Term> {
        if height > MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(Term { value: Value::Number(expr), height, span })
    }
    /// A node with these operands.
    fn build<const N: usize>(
        &mut self,
        operands: [Term; N],
        node: impl FnOnce([Expr; N]) -> Expr,
    ) -> Parsed<Term> {
        let height = operands.iter().map(|t| t.height).max().unwrap_or(0) + 1;
        let span = operands.iter().map(|t| t.span).reduce(Span::to).unwrap_or(self.here());
        let exprs = operands.map(|t| self.integer(t));
        self.made(node(exprs), height, span)
    }
    /// A node with any number of operands.
    fn build_list(&mut self, operands: Vec<Term>, node: impl FnOnce(Vec<Expr>) -> Expr) -> Parsed<Term> {
        let height = operands.iter().map(|t| t.height).max().unwrap_or(0) + 1;
        let span = operands.iter().map(|t| t.span).reduce(Span::to).unwrap_or(self.here());
        let exprs = operands.into_iter().map(|t| self.integer(t)).collect();
        self.made(node(exprs), height, span)
    }

    fn binary(&mut self, least: u8) -> Parsed<Term> {
        let mut left = self.unary()?;
        while let Token::Symbol(symbol) = self.peek() {
            let Some((op, level)) = infix(symbol).filter(|(_, level)| *level >= least) else { break };
            if let Infix::Binary(op) = op {
                self.advance();
                let right = self.nested(|p| p.binary(level + 1))?;
                left = self.operation(op, left, right)?;
                continue;
            }
            let mut operands = vec![left];
            while self.eat(symbol) {
                operands.push(self.nested(|p| p.binary(level + 1))?);
            }
            left = self.build_list(operands, if op == Infix::Or { Expr::Or } else { Expr::And })?;
        }
        Ok(left)
    }
    fn operation(&mut self, op: BinaryOp, left: Term, right: Term) -> Parsed<Term> {
        match (&left.value, clock_op(op), &right.value) {
            (Value::Clock(x), _, Value::Clock(y)) if op == BinaryOp::Sub => {
                let value = Value::Difference(*x, *y);
                Ok(Term { value, height: 1, span: left.span.to(right.span) })
            }
            (Value::Clock(x), Some(op), Value::Number(_)) => self.comparison(*x, None, op, left.span, right),
            (Value::Difference(x, y), Some(op), Value::Number(_)) => {
                self.comparison(*x, Some(*y), op, left.span, right)
            }
            _ => self.build([left, right], |[a, b]| a.binary(op, b)),
        }
    }
    fn comparison(
        &mut self,
        left: ClockId,
        right: Option<ClockId>,
        op: ClockOp,
        start: Span,
        bound: Term,
    ) -> Parsed<Term> {
        let (height, span) = (bound.height + 1, start.to(bound.span));
        let atom = ClockAtom { when: None, left, right, op, bound: self.integer(bound) };
        self.made(Expr::Clock(Box::new(atom)), height, span)
    }

    fn unary(&mut self) -> Parsed<Term> {
        let start = self.here();
        let op = match self.peek() {
            Token::Symbol("!") => UnaryOp::Not,
            Token::Symbol("~") => UnaryOp::BitNot,
            Token::Symbol("-") if matches!(self.peek_second(), Token::Number(_)) => {
                let value = self.number()?;
                return self.made(Expr::Const(value), 1, self.since(start));
            }
            Token::Symbol("-") => UnaryOp::Neg,
            _ => return self.primary(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        self.build([operand], |[e]| Expr::Unary(op, Box::new(e)))
    }

    fn primary(&mut self) -> Parsed<Term> {
        let start = self.here();
        match self.peek() {
            Token::Number(_) => {
                let value = self.number()?;
                self.made(Expr::Const(value), 1, start)
            }
            Token::Symbol("(") => {
                self.advance();
                let term = self.term()?;
                let mut term = self.guarded(term)?;
                self.expect(")")?;
                term.span = self.since(start);
                Ok(term)
            }
            Token::Symbol("::") | Token::Quoted(_) => self.named(),
            Token::Word(word) => match self.word(word)? {
                Some(mut term) => {
                    term.span = self.since(start);
                    Ok(term)
                }
                None => self.named(),
            },
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// A variable, element, clock, location or call.
    fn named(&mut self) -> Parsed<Term> {
        if matches!(self.peek_second(), Token::Symbol("(")) && !self.sees("::") {
            let (function, _) = self.function_name()?;
            let arguments = self.arguments()?;
            return self.build_list(arguments, |a| Expr::Call(function, a));
        }
        let start = self.here();
        let (meaning, span) = self.reference()?;
        if self.sees("[") {
            let index = self.index()?;
            let target = match meaning {
                Meaning::Local(local) => Some(Ok(local)),
                Meaning::Entity(Entity::Var(var)) => Some(Err(var)),
                other => {
                    self.wrong_kind("an array", other, span);
                    None
                }
            };
            let mut term = self.build([index], |[i]| match target {
                Some(Ok(local)) => Expr::LocalElem(local, Box::new(i)),
                Some(Err(var)) => Expr::Elem(var, Box::new(i)),
                None => Expr::FALSE,
            })?;
            term.span = self.since(start);
            return Ok(term);
        }
        let value = match meaning {
            Meaning::Local(local) => Value::Number(Expr::Local(local)),
            Meaning::At(process, location) => Value::Number(Expr::At(process, location)),
            Meaning::Entity(Entity::Var(var)) => Value::Number(Expr::Var(var)),
            Meaning::Entity(Entity::Clock(clock)) => Value::Clock(clock),
            Meaning::Entity(Entity::Channel(_)) => {
                let error = Diagnostic::error("E0202", "a channel is no number", Some(span));
                self.report(error.with_help("its value is written `chan(...)`, its length `len(...)`"));
                Value::Number(Expr::FALSE)
            }
            other => {
                self.wrong_kind("a value", other, span);
                Value::Number(Expr::FALSE)
            }
        };
        Ok(Term { value, height: 1, span })
    }
    /// `[index]`
    pub fn index(&mut self) -> Parsed<Term> {
        self.expect("[")?;
        let index = self.term()?;
        self.expect("]")?;
        Ok(index)
    }
    /// The name of a function. An unknown one is reported and read as the first.
    pub fn function_name(&mut self) -> Parsed<(FunctionId, Span)> {
        let start = self.here();
        let name = self.name()?;
        let span = self.since(start);
        match self.names.global(&name) {
            Some(Entity::Function(function)) => return Ok((function, span)),
            Some(other) => self.wrong_kind("a function", Meaning::Entity(other), span),
            None => {
                let names = self.names;
                let functions =
                    names.space(None).filter(|n| matches!(names.global(n), Some(Entity::Function(_))));
                self.unknown("function", &name, functions, span);
            }
        }
        Ok((FunctionId::new(0), span))
    }
    fn arguments(&mut self) -> Parsed<Vec<Term>> {
        self.list("(", ")", Self::term)
    }
    /// Expressions in parentheses.
    pub fn expressions(&mut self) -> Parsed<Vec<Expr>> {
        self.list("(", ")", Self::expr)
    }

    /// The primaries that begin with a reserved word; `None` if this is no such word.
    fn word(&mut self, word: &str) -> Parsed<Option<Term>> {
        let start = self.here();
        let simple = match word {
            "true" => Some(Expr::TRUE),
            "false" => Some(Expr::FALSE),
            "processes" => Some(Expr::ProcessCount),
            "timeout" => Some(Expr::Timeout),
            "deadlock" => Some(Expr::Deadlock),
            _ => None,
        };
        if let Some(expr) = simple {
            self.advance();
            return self.made(expr, 1, start).map(Some);
        }
        let known = [
            "forall", "exists", "sum", "min", "max", "and", "or", "alive", "pid", "chan", "len", "cap",
            "poll", "enabled", "next",
        ];
        if !known.contains(&word) {
            return Ok(None);
        }
        self.advance();
        let term = match word {
            "forall" => self.quantified(Quantifier::Forall)?,
            "exists" => self.quantified(Quantifier::Exists)?,
            "sum" => self.quantified(Quantifier::Sum)?,
            "and" | "or" => {
                let operands = self.arguments()?;
                self.build_list(operands, if word == "and" { Expr::And } else { Expr::Or })?
            }
            "min" | "max" => {
                let op = if word == "min" { BinaryOp::Min } else { BinaryOp::Max };
                let Ok(operands) = <[Term; 2]>::try_from(self.arguments()?) else {
                    let message = format!("`{word}` takes two operands");
                    return Err(self.error("E0114", message, self.since(start)));
                };
                self.build(operands, |[a, b]| a.binary(op, b))?
            }
            _ => {
                self.expect("(")?;
                let (expr, height) = self.inspection(word)?;
                self.expect(")")?;
                self.made(expr, height, start)?
            }
        };
        Ok(Some(term))
    }
    /// What stands in the parentheses of `alive(...)`, `len(...)` and the like.
    fn inspection(&mut self, word: &str) -> Parsed<(Expr, usize)> {
        Ok(match word {
            "alive" => (Expr::Alive(self.process_name()?), 1),
            "pid" => (Expr::Pid(self.process_name()?), 1),
            "next" => (Expr::Next(self.var_name()?), 1),
            "enabled" => {
                let process = self.process_name()?;
                self.expect(":")?;
                let mut edges = Vec::new();
                while self.eat("#") {
                    edges.push(EdgeId::new(self.small::<u32>("edge")? as usize));
                    if !self.eat(",") {
                        break;
                    }
                }
                (Expr::Enabled(process, edges), 1)
            }
            "poll" => {
                self.expect_word("receive")?;
                let receive = self.nested(Self::receive)?;
                let height = crate::visit::receive_height(&receive) + 1;
                (Expr::Poll(Box::new(receive)), height)
            }
            _ => {
                let channel = self.channel()?;
                let height = crate::visit::channel_height(&channel) + 1;
                match word {
                    "len" => (Expr::Length(channel), height),
                    "cap" => (Expr::Capacity(channel), height),
                    _ => (Expr::Channel(channel), height),
                }
            }
        })
    }
    /// The name of a variable. Anything else is reported and read as the first.
    pub fn var_name(&mut self) -> Parsed<VarId> {
        let (meaning, span) = self.reference()?;
        if let Meaning::Entity(Entity::Var(var)) = meaning {
            return Ok(var);
        }
        self.wrong_kind("a variable", meaning, span);
        Ok(VarId::new(0))
    }

    /// `(i in 0..3 : body)`. A local that is declared nowhere is declared by this, with the least range that holds
    /// those of all its quantifiers.
    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Term> {
        self.expect("(")?;
        let name = self.name()?;
        self.expect_word("in")?;
        let range = self.range()?;
        self.expect(":")?;
        let known = self.frame.iter().position(|l| l.name == name);
        let local = LocalId::new(known.unwrap_or(self.frame.len()));
        if known.is_none() {
            self.frame.push(Local { name, range, len: None });
            self.implied.push(local);
        } else if self.implied.contains(&local) {
            let whole = &mut self.frame[local.index()].range;
            *whole = whole.hull(range);
        }
        let body = self.term()?;
        self.expect(")")?;
        self.build([body], |[e]| Expr::Quantified(quantifier, local, range, Box::new(e)))
    }

    /// `c`, `c[i]`, `*k`, `*a[i]` or `*(e)`.
    pub fn channel(&mut self) -> Parsed<ChannelRef> {
        if self.eat("*") {
            let value = if self.eat("(") {
                let value = self.expr()?;
                self.expect(")")?;
                value
            } else {
                self.place_value()?
            };
            return Ok(ChannelRef::Value(Box::new(value)));
        }
        let (meaning, span) = self.reference()?;
        let channel = if let Meaning::Entity(Entity::Channel(channel)) = meaning {
            channel
        } else {
            self.wrong_kind("a channel", meaning, span);
            ChannelId::new(0)
        };
        let index = if self.sees("[") {
            let index = self.index()?;
            Some(Box::new(self.integer(index)))
        } else {
            None
        };
        Ok(ChannelRef::Element(channel, index))
    }
}

fn clock_op(op: BinaryOp) -> Option<ClockOp> {
    Some(match op {
        BinaryOp::Lt => ClockOp::Lt,
        BinaryOp::Le => ClockOp::Le,
        BinaryOp::Eq => ClockOp::Eq,
        BinaryOp::Ge => ClockOp::Ge,
        BinaryOp::Gt => ClockOp::Gt,
        _ => return None,
    })
}
