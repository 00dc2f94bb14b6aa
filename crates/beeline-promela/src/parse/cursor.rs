//! The position in the tokens, and what can be asked there.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use super::{KEYWORDS, Parse, Parser};
use crate::ast::Name;
use crate::lex::{Kind, Token};

impl Parser<'_> {
    /// The token here.
    pub(super) fn peek(&self) -> &Token {
        self.ahead(0)
    }
    /// The token so many after this one; the last one is the end.
    pub(super) fn ahead(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }
    pub(super) fn ended(&self) -> bool {
        self.peek().kind == Kind::End
    }
    pub(super) fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }
    pub(super) fn peek_is(&self, symbol: &str) -> bool {
        self.peek().is(symbol)
    }
    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        let found = self.peek_is(symbol);
        if found {
            self.bump();
        }
        found
    }
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_word(word);
        if found {
            self.bump();
        }
        found
    }
    /// From a place to the last token read.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.tokens[self.at.saturating_sub(1)].span;
        if last.end >= start.start { start.to(last) } else { start }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the file".to_string(),
            Kind::Strange if token.text.starts_with('"') => {
                "a string that does not end on its line".to_string()
            }
            Kind::Strange if token.text.starts_with(|c: char| c.is_ascii_digit()) => {
                let number: String = token.text.chars().take(40).collect();
                format!("`{number}`, which is no number of at most 32 bits")
            }
            _ => format!("`{}`", token.text.chars().take(40).collect::<String>()),
        };
        Diagnostic::error("E0906", format!("expected {wanted}, found {found}"), Some(token.span))
    }
    pub(super) fn expect(&mut self, symbol: &str, why: &str) -> Parse<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}` {why}"))) }
    }
    pub(super) fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }
    pub(super) fn name(&mut self, what: &str) -> Parse<Name> {
        let token = self.peek();
        if token.kind != Kind::Name {
            return Err(self.unexpected(what));
        }
        if KEYWORDS.contains(&&*token.text) {
            let message = format!("expected {what}, found the keyword `{}`", token.text);
            return Err(Diagnostic::error("E0907", message, Some(token.span)));
        }
        let name = token.text.clone();
        self.bump();
        Ok(name)
    }

    /// Goes past a group in brackets of any kind.
    pub(super) fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while !self.ended() {
            match self.peek().kind {
                Kind::Symbol("(" | "[" | "{") => depth += 1,
                Kind::Symbol(")" | "]" | "}") => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }
    /// Goes past a group in braces, which may come next.
    pub(super) fn skip_braces(&mut self) {
        if self.peek_is("{") {
            self.skip_group();
        }
    }
}
