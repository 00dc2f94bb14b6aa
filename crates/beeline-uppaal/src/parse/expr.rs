//! Expressions, by climbing precedences. Every rule gives the height of its tree too: an operator puts a level
//! on top of what was read before it, so that counting the rules under way is not enough to bound the depth of
//! the tree.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use super::context::Syntax;
use super::cursor::{Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Quantifier, UnaryOp};
use crate::lex::{MAX_LITERAL, Token};

/// Longer chains of `&&` or of `||` become balanced trees: both are associative, also in what they evaluate first.
const LONG_CHAIN: usize = 16;

/// A tree and its height.
pub(super) struct Tall<T> {
    pub it: T,
    pub height: usize,
}

impl Parser<'_, '_> {
    /// An expression, assignments included.
    pub fn expr(&mut self) -> Parse<Expr> {
        Ok(self.tall_expr()?.it)
    }

    /// An expression, or a list in braces of them.
    pub fn initialiser(&mut self) -> Parse<Expr> {
        Ok(self.tall_initialiser()?.it)
    }

    /// Expressions separated by commas, all of which must be true.
    pub fn conjunction(&mut self) -> Parse<Expr> {
        let terms = self.list(Self::tall_expr)?;
        Ok(self.chain(BinaryOp::And, terms)?.it)
    }

    /// What a name, index, field or call denotes, without operators: `c[i]` of `c[i]?`.
    pub fn place(&mut self) -> Parse<Expr> {
        Ok(self.nested(Self::postfix)?.it)
    }

    pub(super) fn tall_expr(&mut self) -> Parse<Tall<Expr>> {
        self.nested(Self::assignment)
    }

    fn tall_initialiser(&mut self) -> Parse<Tall<Expr>> {
        if !self.is_symbol("{") {
            return self.tall_expr();
        }
        let start = self.bump().span;
        let mut height = 0;
        let items = self.nested(|p| {
            p.list(|p| {
                let field = if p.is_name_ahead(0) && p.is_symbol_ahead(1, ":") {
                    let field = p.name("the name of a field")?;
                    p.bump();
                    Some(field)
                } else {
                    None
                };
                let value = p.tall_initialiser()?;
                height = height.max(value.height);
                Ok((field, value.it))
            })
        })?;
        self.expect("}", "at the end of the list of values")?;
        self.node(ExprKind::List(items), start, height)
    }

    /// A node whose tallest child has that height, from `start` up to here.
    fn node(&self, kind: ExprKind, start: Span, height: usize) -> Parse<Tall<Expr>> {
        let span = self.since(start);
        let height = height + 1;
        self.check_depth(height, span)?;
        Ok(Tall { it: Expr { kind, span }, height })
    }

    fn assignment(&mut self) -> Parse<Tall<Expr>> {
        let left = self.conditional()?;
        let Token::Symbol(symbol) = self.peek().token else { return Ok(left) };
        let op = match symbol {
            "=" | ":=" => None,
            "+=" => Some(BinaryOp::Add),
            "-=" => Some(BinaryOp::Sub),
            "*=" => Some(BinaryOp::Mul),
            "/=" => Some(BinaryOp::Div),
            "%=" => Some(BinaryOp::Rem),
            "&=" => Some(BinaryOp::BitAnd),
            "|=" => Some(BinaryOp::BitOr),
            "^=" => Some(BinaryOp::BitXor),
            "<<=" => Some(BinaryOp::Shl),
            ">>=" => Some(BinaryOp::Shr),
            _ => return Ok(left),
        };
        self.bump();
        let right = self.tall_expr()?;
        let (start, height) = (left.it.span, left.height.max(right.height));
        self.node(ExprKind::Assign(op, Box::new(left.it), Box::new(right.it)), start, height)
    }

    /// `c ? a : b`, where both branches may be assignments.
    fn conditional(&mut self) -> Parse<Tall<Expr>> {
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.tall_expr()?;
        self.expect(":", "between the branches of `?`")?;
        let no = self.tall_expr()?;
        let height = condition.height.max(yes.height).max(no.height);
        let start = condition.it.span;
        let kind = ExprKind::Conditional(Box::new(condition.it), Box::new(yes.it), Box::new(no.it));
        self.node(kind, start, height)
    }

    /// Operators of at least that level; all of them associate to the left.
    fn binary(&mut self, least: u32) -> Parse<Tall<Expr>> {
        let mut left = self.unary()?;
        while let Some((op, level)) = self.operator().filter(|(_, level)| *level >= least) {
            self.bump();
            let right = self.nested(|p| p.binary(level + 1))?;
            let mut terms = vec![left, right];
            if matches!(op, BinaryOp::And | BinaryOp::Or) {
                while self.operator() == Some((op, level)) {
                    self.bump();
                    terms.push(self.nested(|p| p.binary(level + 1))?);
                }
            }
            left = self.chain(op, terms)?;
        }
        Ok(left)
    }

    /// The operator that comes next, and its level: a higher one binds more tightly.
    fn operator(&self) -> Option<(BinaryOp, u32)> {
        let next = self.peek();
        Some(match next.token {
            Token::Word => match next.text {
                "or" => (BinaryOp::Or, 1),
                "xor" => (BinaryOp::Xor, 1),
                "imply" => (BinaryOp::Imply, 1),
                "and" => (BinaryOp::And, 2),
                _ => return None,
            },
            Token::Symbol(symbol) => match symbol {
                "||" => (BinaryOp::Or, 1),
                "&&" => (BinaryOp::And, 2),
                "|" => (BinaryOp::BitOr, 3),
                "^" => (BinaryOp::BitXor, 4),
                "&" => (BinaryOp::BitAnd, 5),
                "==" => (BinaryOp::Eq, 6),
                "!=" => (BinaryOp::Ne, 6),
                "<" => (BinaryOp::Lt, 7),
                "<=" => (BinaryOp::Le, 7),
                ">=" => (BinaryOp::Ge, 7),
                ">" => (BinaryOp::Gt, 7),
                "=<" if self.old() => (BinaryOp::Le, 7),
                "=>" if self.old() => (BinaryOp::Ge, 7),
                "<?" => (BinaryOp::Min, 8),
                ">?" => (BinaryOp::Max, 8),
                "<<" => (BinaryOp::Shl, 9),
                ">>" => (BinaryOp::Shr, 9),
                "+" => (BinaryOp::Add, 10),
                "-" => (BinaryOp::Sub, 10),
                "*" => (BinaryOp::Mul, 11),
                "/" => (BinaryOp::Div, 11),
                "%" => (BinaryOp::Rem, 11),
                "**" => (BinaryOp::Pow, 12),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// One tree of the terms, which are at least one: leaning to the left, or balanced if there are many.
    fn chain(&self, op: BinaryOp, mut terms: Vec<Tall<Expr>>) -> Parse<Tall<Expr>> {
        let join = |left: Tall<Expr>, right: Tall<Expr>| {
            let height = 1 + left.height.max(right.height);
            let span = left.it.span.to(right.it.span);
            self.check_depth(height, span)?;
            let kind = ExprKind::Binary(op, Box::new(left.it), Box::new(right.it));
            Ok(Tall { it: Expr { kind, span }, height })
        };
        while terms.len() > LONG_CHAIN {
            let mut pairs = Vec::with_capacity(terms.len().div_ceil(2));
            let mut rest = terms.into_iter();
            while let Some(left) = rest.next() {
                pairs.push(match rest.next() {
                    Some(right) => join(left, right)?,
                    None => left,
                });
            }
            terms = pairs;
        }
        let mut terms = terms.into_iter();
        let first = terms.next().ok_or_else(|| self.unexpected("an expression"))?;
        terms.try_fold(first, join)
    }

    fn unary(&mut self) -> Parse<Tall<Expr>> {
        let next = self.peek();
        let op = match next.token {
            Token::Symbol("!") => UnaryOp::Not,
            Token::Word if next.text == "not" => UnaryOp::Not,
            Token::Symbol("-") => UnaryOp::Neg,
            Token::Symbol("+") => UnaryOp::Plus,
            Token::Symbol("~") => UnaryOp::BitNot,
            Token::Symbol(symbol @ ("++" | "--")) => {
                self.bump();
                let place = self.nested(Self::unary)?;
                let height = place.height;
                let kind = ExprKind::Step { place: Box::new(place.it), up: symbol == "++", prefix: true };
                return self.node(kind, next.span, height);
            }
            _ => return self.postfix(),
        };
        self.bump();
        let operand = if op == UnaryOp::Neg && self.peek().token == Token::Int(MAX_LITERAL) {
            let number = self.bump();
            self.node(ExprKind::Int(MAX_LITERAL), number.span, 0)?
        } else {
            self.nested(Self::unary)?
        };
        let height = operand.height;
        self.node(ExprKind::Unary(op, Box::new(operand.it)), next.span, height)
    }

    fn postfix(&mut self) -> Parse<Tall<Expr>> {
        let start = self.peek().span;
        let mut left = self.primary()?;
        loop {
            let Token::Symbol(symbol) = self.peek().token else { return Ok(left) };
            let mut height = left.height;
            let kind = match symbol {
                "[" => {
                    self.bump();
                    let index = self.tall_expr()?;
                    self.expect("]", "after the index")?;
                    height = height.max(index.height);
                    ExprKind::Index(Box::new(left.it), Box::new(index.it))
                }
                "(" => {
                    self.bump();
                    let args = if self.is_symbol(")") { Vec::new() } else { self.list(Self::tall_expr)? };
                    self.expect(")", "after the arguments")?;
                    height = args.iter().map(|arg| arg.height).fold(height, usize::max);
                    ExprKind::Call(Box::new(left.it), args.into_iter().map(|arg| arg.it).collect())
                }
                "." => {
                    self.bump();
                    ExprKind::Field(Box::new(left.it), self.name("a name after `.`")?)
                }
                "'" => {
                    self.bump();
                    ExprKind::Rate(Box::new(left.it))
                }
                "++" | "--" => {
                    self.bump();
                    ExprKind::Step { place: Box::new(left.it), up: symbol == "++", prefix: false }
                }
                _ => return Ok(left),
            };
            left = self.node(kind, start, height)?;
        }
    }

    fn primary(&mut self) -> Parse<Tall<Expr>> {
        let next = self.peek();
        let kind = match next.token {
            Token::Int(MAX_LITERAL) => {
                let message = "this number does not fit into 32 bits";
                return Err(Diagnostic::error("E0504", message, Some(next.span)));
            }
            Token::Int(value) => ExprKind::Int(value),
            Token::Double => ExprKind::Double(next.text.to_string()),
            Token::Str => ExprKind::Str(next.text.trim_matches('"').to_string()),
            Token::Symbol("(") => {
                self.bump();
                let inner = self.tall_expr()?;
                self.expect(")", "at the end of the parenthesis")?;
                return Ok(inner);
            }
            Token::Word => match next.text {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "deadlock" if self.context.syntax == Syntax::Query => ExprKind::Deadlock,
                "forall" if !self.old() => return self.quantified(Quantifier::Forall),
                "exists" if !self.old() => return self.quantified(Quantifier::Exists),
                "sum" if !self.old() => return self.quantified(Quantifier::Sum),
                _ if self.is_name_ahead(0) => ExprKind::Name(next.text.to_string()),
                _ => return Err(self.unexpected("an expression")),
            },
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        self.node(kind, next.span, 0)
    }

    /// `forall (i : T) e`, where `e` reaches as far to the right as it can.
    fn quantified(&mut self, quantifier: Quantifier) -> Parse<Tall<Expr>> {
        let start = self.bump().span;
        self.expect("(", "after the quantifier")?;
        let var = self.name("the name of a variable")?;
        self.expect(":", "after the variable")?;
        let ty = self.nested(Self::tall_type)?;
        self.expect(")", "after the type")?;
        let body = self.tall_expr()?;
        let height = ty.height.max(body.height);
        let kind = ExprKind::Quantified(quantifier, var, Box::new(ty.it), Box::new(body.it));
        self.node(kind, start, height)
    }
}
