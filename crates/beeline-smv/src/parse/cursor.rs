//! The parser's place in its tokens: looking ahead, expecting, recovering, and counting how deep it is.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::MAX_DEPTH;
use beeline_ir::origin::Span;

use super::words::{is_reserved, is_section};
use crate::ast::{Expr, ExprKind, Ident};
use crate::lex::{Lexeme, Token, lex};
use crate::messages::Messages;

/// What a rule gives: its part of the tree, or why there is none.
pub(crate) type Parse<T> = Result<T, Diagnostic>;

/// A parser of one text.
pub(crate) struct Parser<'t, 'm> {
    /// Never empty: the last one is [`Token::End`].
    lexemes: Vec<Lexeme<'t>>,
    at: usize,
    depth: usize,
    pub messages: &'m mut Messages,
}

impl<'t, 'm> Parser<'t, 'm> {
    /// A parser at the beginning of a text.
    pub fn new(text: &'t str, messages: &'m mut Messages) -> Self {
        Self { lexemes: lex(text, messages), at: 0, depth: 0, messages }
    }

    /// The next token.
    pub fn peek(&self) -> Lexeme<'t> {
        self.ahead(0)
    }

    /// A token further on.
    pub fn ahead(&self, n: usize) -> Lexeme<'t> {
        self.lexemes[(self.at + n).min(self.lexemes.len() - 1)]
    }

    /// Takes the next token; the end stays.
    pub fn bump(&mut self) -> Lexeme<'t> {
        let lexeme = self.peek();
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
        lexeme
    }

    /// Whether everything has been read.
    pub fn at_end(&self) -> bool {
        self.peek().token == Token::End
    }

    /// How many tokens have been taken.
    pub fn position(&self) -> usize {
        self.at
    }

    /// From the beginning of a span to the end of the last token taken.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.lexemes[self.at.saturating_sub(1)].span)
    }

    /// The tokens from a position up to here as one line: a blank wherever there was some, or a comment.
    pub fn written(&self, from: usize) -> String {
        let mut text = String::new();
        let mut end = None;
        for lexeme in &self.lexemes[from..self.at] {
            if end.is_some_and(|end| end < lexeme.span.start) {
                text.push(' ');
            }
            text.push_str(lexeme.text);
            end = Some(lexeme.span.end);
        }
        text
    }

    /// Whether the next token is that symbol.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().token, Token::Symbol(s) if s == symbol)
    }

    /// Whether the next token is that word.
    pub fn is_word(&self, word: &str) -> bool {
        let next = self.peek();
        next.token == Token::Name && next.text == word
    }

    /// Whether a section begins here, or the file ends.
    pub fn at_section(&self) -> bool {
        let next = self.peek();
        next.token == Token::End || (next.token == Token::Name && is_section(next.text))
    }

    /// Takes the symbol if it is next.
    pub fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.bump();
        }
        found
    }

    /// Takes the word if it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// Takes the symbol, or fails; `place` says where it was expected: "after the declaration".
    pub fn expect(&mut self, symbol: &str, place: &str) -> Parse<Span> {
        if self.is_symbol(symbol) {
            return Ok(self.bump().span);
        }
        Err(self.unexpected(&format!("`{symbol}` {place}")))
    }

    /// Whether the next token can be a name.
    pub fn is_name(&self) -> bool {
        let next = self.peek();
        next.token == Token::Name && !is_reserved(next.text)
    }

    /// A name; `what` says of what: "the name of a variable".
    pub fn name(&mut self, what: &str) -> Parse<Ident> {
        if self.is_name() {
            let word = self.bump();
            return Ok(Ident { name: word.text.to_string(), span: word.span });
        }
        let next = self.peek();
        if next.token == Token::Name {
            let message = format!("expected {what}, found the keyword `{}`", next.text);
            return Err(Diagnostic::error("E0807", message, Some(next.span))
                .with_help("a keyword cannot be a name: choose another"));
        }
        Err(self.unexpected(what))
    }

    /// The next token is not what was expected.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let next = self.peek();
        let found = match next.token {
            Token::End => "the end of the text".to_string(),
            _ if next.text.len() > 40 => "a long word".to_string(),
            _ => format!("`{}`", next.text),
        };
        Diagnostic::error("E0806", format!("expected {expected}, found {found}"), Some(next.span))
    }

    /// Runs a rule that may come back to itself, one level deeper.
    pub fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep(self.peek().span));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// An expression from a place up to here, unless it is nested too deeply for those who walk it.
    pub fn make(&self, kind: ExprKind, start: Span) -> Parse<Expr> {
        let expr = Expr::new(kind, self.since(start));
        if expr.height > MAX_DEPTH { Err(too_deep(expr.span)) } else { Ok(expr) }
    }

    /// Items separated by commas, at least one.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Keeps an error and skips what it spoilt: up to and including the next `;`, or up to the next section. What is
    /// nested too deeply spoils the rest of the text.
    pub fn recover(&mut self, diagnostic: Diagnostic) {
        if diagnostic.code == "E0808" {
            self.at = self.lexemes.len() - 1;
        }
        self.messages.add(diagnostic);
        while !self.at_section() {
            if self.bump().token == Token::Symbol(";") {
                return;
            }
        }
    }
}

fn too_deep(span: Span) -> Diagnostic {
    let message = format!("nested more than {MAX_DEPTH} levels deep");
    Diagnostic::error("E0808", message, Some(span)).with_help("split it into several definitions")
}
