//! Expressions and formulas, by precedence. From weak to strong: `->` (to the right), `<->`, `?:`, `|` `xor` `xnor`,
//! `&`, the binary temporal operators, comparisons, `in`, `union`, `..`, shifts, sums, products, `::`, prefixes. The
//! operand of a unary temporal operator is a comparison: `AG x = 1 & p` is `(AG (x = 1)) & p`.

use super::cursor::{Parse, Parser};
use super::words::{binary, bounded, unary};
use crate::ast::{BinaryOp, Expr, ExprKind, Function, UnaryOp};
use crate::lex::Token;

/// The levels from shifts on, weakest first.
const LEVELS: [&[(&str, BinaryOp)]; 4] = [
    &[("<<", BinaryOp::Shl), (">>", BinaryOp::Shr)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Sub)],
    &[("*", BinaryOp::Mul), ("/", BinaryOp::Div), ("mod", BinaryOp::Mod)],
    &[("::", BinaryOp::Concat)],
];

const COMPARISONS: &[(&str, BinaryOp)] = &[
    ("=", BinaryOp::Eq),
    ("!=", BinaryOp::Ne),
    ("<", BinaryOp::Lt),
    ("<=", BinaryOp::Le),
    (">", BinaryOp::Gt),
    (">=", BinaryOp::Ge),
];

fn function(word: &str) -> Option<Function> {
    Some(match word {
        "count" => Function::Count,
        "abs" => Function::Abs,
        "min" => Function::Min,
        "max" => Function::Max,
        "bool" => Function::Bool,
        "word1" => Function::Word1,
        "toint" => Function::ToInt,
        "signed" => Function::Signed,
        "unsigned" => Function::Unsigned,
        "extend" => Function::Extend,
        "resize" => Function::Resize,
        "sizeof" => Function::SizeOf,
        "uwconst" => Function::UnsignedConst,
        "swconst" => Function::SignedConst,
        _ => return None,
    })
}

impl Parser<'_, '_> {
    /// Any expression or formula.
    pub fn expr(&mut self) -> Parse<Expr> {
        self.nested(|p| {
            let start = p.peek().span;
            let left = p.iff()?;
            if !p.eat("->") {
                return Ok(left);
            }
            let right = p.expr()?;
            p.make(ExprKind::Binary(BinaryOp::Implies, left.into(), right.into()), start)
        })
    }

    fn iff(&mut self) -> Parse<Expr> {
        self.chain(&[("<->", BinaryOp::Iff)], Self::conditional)
    }

    fn conditional(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let condition = self.or()?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let then = self.nested(Self::iff)?;
        self.expect(":", "between the two values of `?`")?;
        let otherwise = self.nested(Self::iff)?;
        self.make(ExprKind::If(condition.into(), then.into(), otherwise.into()), start)
    }

    /// Operators of one level, to the left.
    fn chain(
        &mut self,
        operators: &[(&str, BinaryOp)],
        operand: fn(&mut Self) -> Parse<Expr>,
    ) -> Parse<Expr> {
        let start = self.peek().span;
        let mut left = operand(self)?;
        while let Some((_, op)) = operators.iter().find(|(text, _)| self.is_operator(text)) {
            self.bump();
            let right = operand(self)?;
            left = self.make(ExprKind::Binary(*op, left.into(), right.into()), start)?;
        }
        Ok(left)
    }

    fn is_operator(&self, text: &str) -> bool {
        self.is_symbol(text) || self.is_word(text)
    }

    /// Runs of `|` become one disjunction of many parts.
    fn or(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let mut left = self.and()?;
        loop {
            if self.is_symbol("|") {
                let mut parts = vec![left];
                while self.eat("|") {
                    parts.push(self.and()?);
                }
                left = self.make(ExprKind::Or(parts), start)?;
            } else if let Some(op) = self.exclusive() {
                self.bump();
                let right = self.and()?;
                left = self.make(ExprKind::Binary(op, left.into(), right.into()), start)?;
            } else {
                return Ok(left);
            }
        }
    }

    fn exclusive(&self) -> Option<BinaryOp> {
        let words = [("xor", BinaryOp::Xor), ("xnor", BinaryOp::Xnor)];
        words.into_iter().find(|(word, _)| self.is_word(word)).map(|(_, op)| op)
    }

    fn and(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let left = self.until()?;
        if !self.is_symbol("&") {
            return Ok(left);
        }
        let mut parts = vec![left];
        while self.eat("&") {
            parts.push(self.until()?);
        }
        self.make(ExprKind::And(parts), start)
    }

    /// `p U q` and its like.
    fn until(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let mut left = self.comparison()?;
        while let Some(op) = self.temporal(binary) {
            self.bump();
            if op == "BU" {
                self.bounds()?;
            }
            let right = self.comparison()?;
            left = self.make(ExprKind::Temporal(op, vec![left, right]), start)?;
        }
        Ok(left)
    }

    fn temporal(&self, list: fn(&str) -> Option<&'static str>) -> Option<&'static str> {
        let next = self.peek();
        if next.token == Token::Name { list(next.text) } else { None }
    }

    fn comparison(&mut self) -> Parse<Expr> {
        self.chain(COMPARISONS, |p| p.chain(&[("in", BinaryOp::In)], Self::union))
    }

    fn union(&mut self) -> Parse<Expr> {
        self.chain(&[("union", BinaryOp::Union)], Self::range)
    }

    /// `lo..hi`, or less.
    pub fn range(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let low = self.shift(0)?;
        if !self.eat("..") {
            return Ok(low);
        }
        let high = self.shift(0)?;
        self.make(ExprKind::Range(low.into(), high.into()), start)
    }

    /// Shifts, sums, products and concatenations.
    pub fn shift(&mut self, level: usize) -> Parse<Expr> {
        match level {
            0 => self.chain(LEVELS[0], |p| p.shift(1)),
            1 => self.chain(LEVELS[1], |p| p.shift(2)),
            2 => self.chain(LEVELS[2], |p| p.shift(3)),
            _ => self.chain(LEVELS[3], Self::prefix),
        }
    }

    fn prefix(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        if self.eat("!") {
            let operand = self.nested(Self::prefix)?;
            return self.make(ExprKind::Unary(UnaryOp::Not, operand.into()), start);
        }
        if self.eat("-") {
            let operand = self.nested(Self::prefix)?;
            return self.make(ExprKind::Unary(UnaryOp::Neg, operand.into()), start);
        }
        if let Some(op) = self.temporal(unary) {
            self.bump();
            // `G [1, 5] p`: within bounds.
            let op = if self.eat("[") {
                self.list(Self::expr)?;
                self.expect("]", "after the bounds")?;
                "bounded operator"
            } else {
                op
            };
            let operand = self.nested(Self::comparison)?;
            return self.make(ExprKind::Temporal(op, vec![operand]), start);
        }
        if let Some(op) = self.temporal(bounded) {
            self.bump();
            self.bounds()?;
            let operand = self.nested(Self::comparison)?;
            return self.make(ExprKind::Temporal(op, vec![operand]), start);
        }
        self.postfix()
    }

    /// The bounds of an operator that is not supported.
    fn bounds(&mut self) -> Parse<()> {
        self.shift(0)?;
        self.expect("..", "between the bounds")?;
        self.shift(0).map(drop)
    }

    fn postfix(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let mut expr = self.primary()?;
        loop {
            if self.eat(".") {
                let field = self.name("a name after `.`")?;
                expr = self.make(ExprKind::Dot(expr.into(), field.name), start)?;
            } else if self.eat("[") {
                let first = self.expr()?;
                let kind = if self.eat(":") {
                    let low = self.expr()?;
                    ExprKind::Bits(expr.into(), first.into(), low.into())
                } else {
                    ExprKind::Index(expr.into(), first.into())
                };
                self.expect("]", "after the index")?;
                expr = self.make(kind, start)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Parse<Expr> {
        let next = self.peek();
        let kind = match (next.token, next.text) {
            (Token::Int(n), _) => ExprKind::Int(n),
            (Token::Word(word), _) => ExprKind::Word(word),
            (_, "TRUE") => ExprKind::Bool(true),
            (_, "FALSE") => ExprKind::Bool(false),
            (_, "self") => ExprKind::SelfInstance,
            (_, "(") => {
                self.bump();
                let inner = self.expr()?;
                self.expect(")", "to close the `(`")?;
                return Ok(Expr { span: self.since(next.span), ..inner });
            }
            (_, "{") => {
                self.bump();
                let all = self.list(Self::expr)?;
                self.expect("}", "after the values of the set")?;
                return self.make(ExprKind::Set(all), next.span);
            }
            (_, "[") => {
                self.bump();
                let all = self.list(Self::expr)?;
                self.expect("]", "after the elements of the array")?;
                return self.make(ExprKind::Array(all), next.span);
            }
            (_, "case") => return self.case(),
            (_, "next") => {
                self.bump();
                self.expect("(", "after `next`")?;
                let inner = self.expr()?;
                self.expect(")", "after the operand of `next`")?;
                return self.make(ExprKind::Next(inner.into()), next.span);
            }
            (_, word @ ("A" | "E")) => {
                self.bump();
                self.expect("[", &format!("after the path quantifier `{word}`"))?;
                let inner = self.expr()?;
                self.expect("]", "after the formula about paths")?;
                let op = if word == "A" { "A [...]" } else { "E [...]" };
                return self.make(ExprKind::Temporal(op, vec![inner]), next.span);
            }
            (Token::Name, word) if function(word).is_some() => {
                self.bump();
                self.expect("(", &format!("after `{word}`"))?;
                let arguments = self.list(Self::expr)?;
                self.expect(")", "after the arguments")?;
                let Some(function) = function(word) else { return Err(self.unexpected("a function")) };
                return self.make(ExprKind::Call(function, arguments), next.span);
            }
            (Token::Name, _) => {
                let name = self.name("an expression")?;
                return self.make(ExprKind::Name(name.name), name.span);
            }
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        self.make(kind, next.span)
    }

    fn case(&mut self) -> Parse<Expr> {
        let start = self.bump().span;
        let mut branches = Vec::new();
        loop {
            let condition = self.expr()?;
            self.expect(":", "after the condition of a case")?;
            let value = self.expr()?;
            self.expect(";", "after the value of a case")?;
            branches.push((condition, value));
            if self.eat_word("esac") {
                return self.make(ExprKind::Case(branches), start);
            }
        }
    }
}
