//! What all of the parser shares: tokens, messages, recovery.
//!
//! The parser builds the IR at once, without a syntax tree of its own. As a name may be used before it is declared,
//! the text is read several times by the same code (see [`super::read()`]): how it is parsed never depends on what a
//! name stands for, so the first reading learns the names and a later one resolves them.

use super::lex::{Lexeme, Token};
use super::names::{Names, suggest};
use crate::diagnostic::Diagnostic;
use crate::expr::MAX_DEPTH;
use crate::id::{LocalId, ProcessId};
use crate::origin::Span;
use crate::stmt::Local;

/// Levels of recursion of the parser: a level of the IR takes at most one for itself and one for its parentheses.
const MAX_NESTING: usize = 2 * MAX_DEPTH + 16;

/// A diagnostic has been recorded, and parsing goes on at the next statement or item.
#[derive(Copy, Clone, Debug)]
pub(super) struct Failed;

/// What a parsing function gives.
pub(super) type Parsed<T> = Result<T, Failed>;

/// What becomes of the places of elements.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Places {
    /// Elements have the origins written in the text.
    Written,
    /// Elements without a written origin get their place in the text, in the file of this number.
    Recorded(u32),
    /// All elements get their place in the text.
    Replaced(u32),
}

/// The state of a reading.
pub(super) struct Parser<'a> {
    text: &'a str,
    lexemes: &'a [Lexeme<'a>],
    at: usize,
    depth: usize,
    /// Elements of arrays filled so far.
    pub cells: u64,
    /// Names known from the reading before.
    pub names: &'a Names,
    /// What becomes of the places of elements.
    pub places: Places,
    /// What is wrong with the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The process whose parts are being read.
    pub process: Option<ProcessId>,
    /// The frame of what is being read.
    pub frame: Vec<Local>,
    /// Which of the frame were declared by a quantifier alone.
    pub implied: Vec<LocalId>,
}

impl<'a> Parser<'a> {
    /// A parser at the first token; the last one must be [`Token::End`].
    pub fn new(text: &'a str, lexemes: &'a [Lexeme<'a>], names: &'a Names, places: Places) -> Self {
        Self {
            text,
            lexemes,
            at: 0,
            depth: 0,
            cells: 0,
            names,
            places,
            diagnostics: Vec::new(),
            process: None,
            frame: Vec::new(),
            implied: Vec::new(),
        }
    }

    // Tokens.

    /// The token to be read next.
    pub fn peek(&self) -> &'a Token<'a> {
        &self.lexemes[self.at].token
    }
    /// The token after that.
    pub fn peek_second(&self) -> &'a Token<'a> {
        &self.lexemes[(self.at + 1).min(self.lexemes.len() - 1)].token
    }
    /// The place of the token to be read next.
    pub fn here(&self) -> Span {
        self.lexemes[self.at].span
    }
    /// From a place to the end of the token read last.
    pub fn since(&self, start: Span) -> Span {
        let last = self.lexemes[self.at.saturating_sub(1)].span;
        if last.end < start.end { start } else { start.to(last) }
    }
    /// The text from a place to the end of the token read last.
    pub fn text_since(&self, start: Span) -> &'a str {
        let span = self.since(start);
        &self.text[span.start as usize..span.end as usize]
    }
    /// Goes to the next token; never beyond the last.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.lexemes.len() - 1);
    }
    /// Whether everything has been read.
    pub fn at_end(&self) -> bool {
        *self.peek() == Token::End
    }
    /// Whether this symbol comes next.
    pub fn sees(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(s) if *s == symbol)
    }
    /// Whether this word comes next.
    pub fn sees_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if *w == word)
    }
    /// Takes this symbol if it comes next.
    pub fn eat(&mut self, symbol: &str) -> bool {
        let seen = self.sees(symbol);
        if seen {
            self.advance();
        }
        seen
    }
    /// Takes this word if it comes next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let seen = self.sees_word(word);
        if seen {
            self.advance();
        }
        seen
    }
    /// Takes this symbol, which must come next.
    pub fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }
    /// Takes this word, which must come next.
    pub fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    // Messages and recovery.

    /// Records a message.
    pub fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.diagnostics.len() < super::MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
        Failed
    }
    /// Records an error.
    pub fn error(&mut self, code: &'static str, message: impl Into<String>, span: Span) -> Failed {
        self.report(Diagnostic::error(code, message, Some(span)))
    }
    /// Records that something else was expected here.
    pub fn unexpected(&mut self, wanted: &str) -> Failed {
        let found = match self.peek() {
            Token::Word(w) => format!("`{w}`"),
            Token::Quoted(n) => super::names::quote(n, '\''),
            Token::Text(_) => "a text".to_string(),
            Token::Number(n) => format!("`{n}`"),
            Token::Symbol(s) => format!("`{s}`"),
            Token::End => "the end".to_string(),
        };
        let mut diagnostic =
            Diagnostic::error("E0110", format!("expected {wanted}, found {found}"), Some(self.here()));
        if let (Token::Word(word), true) = (self.peek(), wanted.contains("name")) {
            diagnostic.help = Some(format!("a reserved word is used as a name in quotes: '{word}'"));
        }
        self.report(diagnostic)
    }
    /// Runs a part of the parser one level of nesting deeper.
    pub fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(self.too_deep(self.here()));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }
    /// Records that something is nested too deeply.
    pub fn too_deep(&mut self, span: Span) -> Failed {
        self.error("E0111", format!("nested more than {MAX_DEPTH} levels deep"), span)
    }
    /// Skips to where `stop` says, or to the brace that ends the enclosing block, or to the end.
    pub fn recover(&mut self, stop: impl Fn(&Token<'a>) -> bool) {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Token::End => return,
                Token::Symbol("}") if open == 0 => return,
                token if open == 0 && stop(token) => return,
                Token::Symbol("{") => open += 1,
                Token::Symbol("}") => open -= 1,
                _ => {}
            }
            self.advance();
        }
    }
    /// Reads the items of a block in braces, going on at the next of the words after an error.
    pub fn items(
        &mut self,
        words: &[&str],
        mut item: impl FnMut(&mut Self, &'a str) -> Parsed<()>,
    ) -> Parsed<()> {
        self.expect("{")?;
        loop {
            while self.eat(";") {}
            if self.eat("}") {
                return Ok(());
            }
            if self.at_end() {
                return Err(self.unexpected("`}`"));
            }
            self.item(words, &mut item);
        }
    }
    /// Reads one item that begins with one of the words, going on at the next of them after an error.
    pub fn item(&mut self, words: &[&str], item: &mut impl FnMut(&mut Self, &'a str) -> Parsed<()>) {
        let result = match self.peek() {
            Token::Word(word) if words.contains(word) => {
                self.advance();
                item(self, word)
            }
            Token::Word(word) => {
                let near = suggest(word, words.iter().copied()).map(|w| format!("did you mean `{w}`?"));
                let help = near.unwrap_or_else(|| format!("one of: {}", words.join(", ")));
                let message = format!("unknown word `{word}`");
                let failed =
                    self.report(Diagnostic::error("E0112", message, Some(self.here())).with_help(help));
                self.advance();
                Err(failed)
            }
            _ => {
                let failed = self.unexpected(&format!("one of: {}", words.join(", ")));
                // At the outermost level a closing brace belongs to nothing.
                self.advance();
                Err(failed)
            }
        };
        if result.is_err() {
            self.recover(|t| matches!(t, Token::Word(w) if words.contains(w)));
        }
    }
    /// Reads things separated by commas until the closing symbol.
    pub fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut one: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open)?;
        let mut all = Vec::new();
        if self.eat(close) {
            return Ok(all);
        }
        loop {
            all.push(one(self)?);
            if self.eat(close) {
                return Ok(all);
            }
            self.expect(",")?;
        }
    }
}
