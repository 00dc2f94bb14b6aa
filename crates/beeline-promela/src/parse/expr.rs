//! Expressions, and formulas of linear temporal logic where they may stand. Operators bind as in `spin.y`.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use super::{Parse, Parser};
use crate::ast::{Arg, Expr, ExprKind, Receive, Ref, Run};
use crate::lex::Kind;

/// How tightly the operators of temporal logic bind that stand before their operand.
const TEMPORAL_UNARY: u8 = 3;

/// How tightly an operator of two operands binds.
fn strength(symbol: &'static str, temporal: bool) -> Option<(u8, &'static str)> {
    Some(match symbol {
        "->" if temporal => (1, "->"),
        "<->" if temporal => (1, "<->"),
        "||" => (2, "||"),
        "&&" => (3, "&&"),
        "|" => (5, "|"),
        "^" => (6, "^"),
        "&" => (7, "&"),
        "==" | "!=" => (8, symbol),
        "<" | ">" | "<=" | ">=" => (9, symbol),
        "<<" | ">>" => (10, symbol),
        "+" | "-" => (11, symbol),
        "*" | "/" | "%" => (12, symbol),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        self.nested(|p| p.binary(0))
    }

    fn binary(&mut self, least: u8) -> Parse<Expr> {
        let mut left = self.unary()?;
        let mut chain = 0;
        while let Some((strength, op)) = self.operator()
            && strength > least
        {
            self.bump();
            let right = self.binary(strength)?;
            // A chain to the left is as deep as it is long; conjunctions and disjunctions are flat.
            chain += usize::from(op != "&&" && op != "||");
            if chain > beeline_ir::expr::MAX_DEPTH {
                return Err(Diagnostic::error("E0908", "this expression is too long", Some(right.span)));
            }
            left = match op {
                "U" | "W" | "V" => {
                    let span = left.span.to(right.span);
                    Expr { kind: ExprKind::Temporal(op, vec![left, right]), span }
                }
                "&&" | "||" => many(op, left, right),
                _ => Expr::binary(op, left, right),
            };
        }
        Ok(left)
    }

    fn operator(&self) -> Option<(u8, &'static str)> {
        let token = self.peek();
        match token.kind {
            // `->` and `<>` are something else between statements.
            Kind::Symbol(symbol) => strength(symbol, self.temporal),
            Kind::Name if self.temporal => match &*token.text {
                "U" | "until" | "stronguntil" => Some((4, "U")),
                "W" | "weakuntil" => Some((4, "W")),
                "V" | "release" => Some((4, "V")),
                "implies" => Some((1, "->")),
                "equivalent" => Some((1, "<->")),
                _ => None,
            },
            _ => None,
        }
    }

    /// An operator before its operand, or what has none.
    pub(super) fn unary(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        if self.temporal
            && let Some((op, tokens)) = self.temporal_prefix()
        {
            (0..tokens).for_each(|_| self.bump());
            let operand = self.nested(|p| p.binary(TEMPORAL_UNARY))?;
            let span = start.to(operand.span);
            return Ok(Expr { kind: ExprKind::Temporal(op, vec![operand]), span });
        }
        for op in ["!", "-", "~"] {
            if self.eat(op) {
                let operand = self.nested(Self::unary)?;
                let span = start.to(operand.span);
                return Ok(match (op, &operand.kind) {
                    ("-", ExprKind::Int(value)) => Expr::int(-value, span),
                    _ => Expr { kind: ExprKind::Unary(op, Box::new(operand)), span },
                });
            }
        }
        self.primary()
    }

    fn temporal_prefix(&self) -> Option<(&'static str, usize)> {
        let (token, next) = (self.peek(), self.ahead(1));
        let pair = |a, b| token.is(a) && next.is(b) && !next.spaced;
        match &*token.text {
            "always" => Some(("[]", 1)),
            "eventually" => Some(("<>", 1)),
            "X" | "next" if token.kind == Kind::Name => Some(("X", 1)),
            _ if pair("[", "]") => Some(("[]", 2)),
            _ if pair("<", ">") => Some(("<>", 2)),
            _ => None,
        }
    }

    fn primary(&mut self) -> Parse<Expr> {
        let token = self.peek().clone();
        let start = token.span;
        let simple = |p: &mut Self, kind| {
            p.bump();
            Ok(Expr { kind, span: start })
        };
        match (token.kind, &*token.text) {
            (Kind::Int(value), _) => simple(self, ExprKind::Int(value)),
            (Kind::Symbol("("), _) => self.in_brackets(),
            (Kind::Name, "true" | "skip") => simple(self, ExprKind::Int(1)),
            (Kind::Name, "false") => simple(self, ExprKind::Int(0)),
            (Kind::Name, "timeout") => simple(self, ExprKind::Timeout),
            (Kind::Name, "np_") => simple(self, ExprKind::Unsupported("np_")),
            (Kind::Name, "run") => self.run(),
            (Kind::Name, "len" | "empty" | "full" | "nempty" | "nfull") => self.probe(),
            (Kind::Name, "enabled" | "pc_value" | "get_priority") => {
                self.bump();
                let names = ["enabled", "pc_value", "get_priority"];
                let name = names.into_iter().find(|n| *n == &*token.text).unwrap_or("enabled");
                self.expect("(", "before the number of a process")?;
                let process = self.expr()?;
                self.expect(")", "after the number of a process")?;
                Ok(Expr { kind: ExprKind::About(name, Box::new(process)), span: self.since(start) })
            }
            (Kind::Name, "c_expr") => Err(self.embedded_c()),
            (Kind::Name, _) => self.reference_or_remote(),
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// `(e)` or `(c -> a : b)`.
    fn in_brackets(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        self.bump();
        // Inside of brackets, `->` chooses; in a formula it implies, unless a colon follows.
        let first = self.expr()?;
        let kind = match &first.kind {
            ExprKind::Binary("->", condition, then) if self.peek_is(":") => {
                self.bump();
                let otherwise = self.expr()?;
                ExprKind::If(condition.clone(), then.clone(), Box::new(otherwise))
            }
            _ if self.eat("->") => {
                let then = self.expr()?;
                self.expect(":", "between the two values")?;
                let otherwise = self.expr()?;
                ExprKind::If(Box::new(first), Box::new(then), Box::new(otherwise))
            }
            _ => first.kind,
        };
        self.expect(")", "after the expression")?;
        Ok(Expr { kind, span: self.since(start) })
    }

    fn run(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        self.bump();
        let proc = self.name("the name of a process type")?;
        self.expect("(", "before the arguments")?;
        let mut args = Vec::new();
        while !self.eat(")") {
            args.push(self.expr()?);
            if !self.eat(",") && !self.peek_is(")") {
                return Err(self.unexpected("`,` between the arguments"));
            }
        }
        let priority = match self.eat_word("priority") {
            true => Some(Box::new(self.primary_constant()?)),
            false => None,
        };
        Ok(Expr { kind: ExprKind::Run(Run { proc, args, priority }), span: self.since(start) })
    }

    fn probe(&mut self) -> Parse<Expr> {
        let token = self.peek().clone();
        let names = ["len", "empty", "full", "nempty", "nfull"];
        let name = names.into_iter().find(|n| *n == &*token.text).unwrap_or("len");
        self.bump();
        self.expect("(", "before the channel")?;
        let channel = self.reference()?;
        self.expect(")", "after the channel")?;
        Ok(Expr { kind: ExprKind::Probe(name, channel), span: self.since(token.span) })
    }

    /// `a[i].b`
    pub(super) fn reference(&mut self) -> Parse<Ref> {
        let start = self.peek().span;
        let mut parts = Vec::new();
        loop {
            let written = self.name("a variable")?;
            let name = if parts.is_empty() { self.scoped(&written) } else { written };
            let empty = self.temporal && self.ahead(1).is("]");
            let index = match !empty && self.eat("[") {
                true => {
                    let index = self.expr()?;
                    self.expect("]", "after the index")?;
                    Some(index)
                }
                false => None,
            };
            parts.push((name, index));
            if parts.len() > 100 {
                return Err(Diagnostic::error(
                    "E0908",
                    "this name has too many parts",
                    Some(self.since(start)),
                ));
            }
            if !self.eat(".") {
                return Ok(Ref { parts, span: self.since(start) });
            }
        }
    }

    /// A variable, `P[i]@l`, `P[i]:x`, or `c?[..]`.
    fn reference_or_remote(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        if let Some(inline) = self.inlines.get(&self.peek().text)
            && self.ahead(1).is("(")
        {
            let message = format!("the result of the inline `{}` can only be assigned as it is", inline.name);
            return Err(Diagnostic::error("E0912", message, Some(start)));
        }
        let written = self.peek().text.clone();
        let found = self.reference()?;
        if self.eat("@") {
            let label = self.name("a label")?;
            let (_, index) = single(found, start)?;
            let span = self.since(start);
            return Ok(Expr { kind: ExprKind::RemoteLabel(written, index, label), span });
        }
        // A colon after a variable ends the first part of a choice, or a range: only a process has variables.
        if self.peek_is(":") && self.ahead(1).kind == Kind::Name && self.procs.contains(&written) {
            self.bump();
            let scopes = std::mem::take(&mut self.scopes);
            let var = self.reference();
            self.scopes = scopes;
            let (var, (_, index)) = (var?, single(found, start)?);
            let span = self.since(start);
            return Ok(Expr { kind: ExprKind::RemoteVar(written, index, var), span });
        }
        if (self.peek_is("?") || self.peek_is("??")) && self.ahead(1).is("[") {
            let any = self.peek_is("??");
            self.bump();
            self.bump();
            let args = self.receive_args()?;
            self.expect("]", "after the message")?;
            let receive = Receive { channel: found, args, any, keep: true };
            return Ok(Expr { kind: ExprKind::Poll(Box::new(receive)), span: self.since(start) });
        }
        Ok(Expr { span: found.span, kind: ExprKind::Ref(found) })
    }

    /// `x, 3, eval(e), _` or `t(x, y)`, where the last field may again be one with others in brackets.
    pub(super) fn receive_args(&mut self) -> Parse<Vec<Arg>> {
        let mut args = Vec::new();
        self.receive_fields(&mut args)?;
        Ok(args)
    }

    fn receive_fields(&mut self, args: &mut Vec<Arg>) -> Parse<()> {
        loop {
            if !self.peek_is("(") {
                args.push(self.receive_arg()?);
            }
            // `t(x, y)` is `t, x, y`, and so is `(t, x, y)`.
            if self.peek_is("(") && !self.peek().first {
                self.bump();
                self.nested(|p| p.receive_fields(args))?;
                return self.expect(")", "after the fields");
            }
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    fn receive_arg(&mut self) -> Parse<Arg> {
        let token = self.peek().clone();
        match (token.kind, &*token.text) {
            (Kind::Name, "_") => {
                self.bump();
                Ok(Arg::Ignore)
            }
            (Kind::Name, "eval") => {
                self.bump();
                self.expect("(", "before the expression")?;
                let value = self.expr()?;
                self.expect(")", "after the expression")?;
                Ok(Arg::Match(value))
            }
            (Kind::Name, "true" | "false" | "skip") | (Kind::Int(_), _) | (Kind::Symbol("-"), _) => {
                Ok(Arg::Match(self.unary()?))
            }
            _ => Ok(Arg::Ref(self.reference()?)),
        }
    }
}

/// `left op right`, flat.
fn many(op: &'static str, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    let kind = match left.kind {
        ExprKind::Many(same, mut all) if same == op => {
            all.push(right);
            ExprKind::Many(op, all)
        }
        kind => ExprKind::Many(op, vec![Expr { kind, span: left.span }, right]),
    };
    Expr { kind, span }
}

/// The name and index of a reference to a process.
fn single(found: Ref, start: Span) -> Parse<(crate::ast::Name, Option<Box<Expr>>)> {
    let mut parts = found.parts;
    match (parts.pop(), parts.is_empty()) {
        (Some((name, index)), true) => Ok((name, index.map(Box::new))),
        _ => Err(Diagnostic::error("E0906", "the name of a process type is expected here", Some(start))),
    }
}
