//! The parser's place in its tokens: looking ahead, expecting, failing, recovering, and counting how deep it is.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::MAX_DEPTH;
use beeline_ir::origin::Span;

use super::context::{Context, Syntax};
use super::words::{is_future, is_reserved};
use crate::ast::Ident;
use crate::lex::{Lexeme, Token, lex};
use crate::source::Text;

/// What a rule gives: its part of the tree, or why there is none.
pub(crate) type Parse<T> = Result<T, Diagnostic>;

/// A parser of one piece of text.
pub(crate) struct Parser<'t, 'c> {
    /// Never empty: the last one is [`Token::End`].
    lexemes: Vec<Lexeme<'t>>,
    at: usize,
    /// Rules that call themselves and are under way.
    depth: usize,
    /// Whether an error has used up the text: what is missing at its end is then no news.
    given_up: bool,
    /// The place of the last error: what else is wrong at that place is no news.
    reported: Option<Span>,
    /// Whether a process is being read, which has sections.
    pub in_process: bool,
    /// What all parsers of the file share.
    pub context: &'c mut Context,
}

impl<'t, 'c> Parser<'t, 'c> {
    /// A parser at the beginning of a text.
    pub fn new(text: &'t Text<'_>, context: &'c mut Context) -> Self {
        let lexemes = lex(text, context);
        Self::of_lexemes(lexemes, context)
    }

    /// A parser of tokens, the last of which is [`Token::End`].
    pub fn of_lexemes(lexemes: Vec<Lexeme<'t>>, context: &'c mut Context) -> Self {
        Self { lexemes, at: 0, depth: 0, given_up: false, reported: None, in_process: false, context }
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

    /// All tokens, without the end.
    pub fn lexemes(&self) -> &[Lexeme<'t>] {
        &self.lexemes[..self.lexemes.len() - 1]
    }

    /// Whether everything has been read.
    pub fn at_end(&self) -> bool {
        self.peek().token == Token::End
    }

    /// Whether the syntax of UPPAAL 3 is in force.
    pub fn old(&self) -> bool {
        self.context.syntax == Syntax::Old
    }

    /// Where the last token that was taken ends.
    fn last_span(&self) -> Span {
        self.lexemes[self.at.saturating_sub(1)].span
    }

    /// From the beginning of a span to the end of the last token taken.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    /// Whether the token `n` further on is that symbol.
    pub fn is_symbol_ahead(&self, n: usize, symbol: &str) -> bool {
        matches!(self.ahead(n).token, Token::Symbol(s) if s == symbol)
    }

    /// Whether the next token is that symbol.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.is_symbol_ahead(0, symbol)
    }

    /// Whether the next token is that word.
    pub fn is_word(&self, word: &str) -> bool {
        let next = self.peek();
        next.token == Token::Word && next.text == word
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

    /// Whether the token `n` further on can be a name.
    pub fn is_name_ahead(&self, n: usize) -> bool {
        let next = self.ahead(n);
        next.token == Token::Word && !is_reserved(next.text, self.context.syntax)
    }

    /// A name; `what` says of what: "the name of a location".
    pub fn name(&mut self, what: &str) -> Parse<Ident> {
        if self.is_name_ahead(0) {
            let word = self.bump();
            return Ok(Ident { name: word.text.to_string(), span: word.span });
        }
        let next = self.peek();
        if next.token == Token::Word && !is_future(next.text) {
            let message = format!("expected {what}, found the keyword `{}`", next.text);
            let help = "a keyword cannot be a name: choose another";
            return Err(Diagnostic::error("E0507", message, Some(next.span)).with_help(help));
        }
        Err(self.unexpected(what))
    }

    /// Nothing may follow.
    pub fn expect_end(&mut self, after: &str) -> Parse<()> {
        if self.at_end() { Ok(()) } else { Err(self.unexpected(&format!("nothing more after {after}"))) }
    }

    /// The next token is not what was expected.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let next = self.peek();
        if next.token == Token::Word && is_future(next.text) {
            let message = format!("`{}` is reserved by UPPAAL and not supported", next.text);
            let help = "write it with `if`, `while`, or a typedef of a range";
            return Diagnostic::unsupported("U0510", message, Some(next.span)).with_help(help);
        }
        let found = match next.token {
            Token::End => "the end of the text".to_string(),
            Token::Str => "a string".to_string(),
            _ if next.text.len() > 40 => "a long word".to_string(),
            _ => format!("`{}`", next.text),
        };
        let diagnostic =
            Diagnostic::error("E0505", format!("expected {expected}, found {found}"), Some(next.span));
        match next.text {
            "=<" => diagnostic.with_help("write `<=`; `=<` is of the syntax of UPPAAL 3"),
            "=>" => diagnostic.with_help("write `>=`, or `imply`; `=>` is of the syntax of UPPAAL 3"),
            _ => diagnostic,
        }
    }

    /// The construct that begins with the next token exists in the new syntax only.
    pub fn refuse_in_old_syntax(&self, what: &str) -> Parse<()> {
        if !self.old() {
            return Ok(());
        }
        let message = format!("{what} cannot be used in the syntax of UPPAAL 3");
        let help =
            "write all of it in the syntax of UPPAAL 4: `const int N = 5;`, `<=`, `,` between parameters";
        Err(Diagnostic::error("E0508", message, Some(self.peek().span)).with_help(help))
    }

    /// Runs a rule that may come back to itself, one level deeper.
    pub fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.check_depth(1, self.peek().span)?;
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Fails if a tree of that height would make the whole too deep for those who walk it.
    pub fn check_depth(&self, height: usize, span: Span) -> Parse<()> {
        if self.depth + height <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("nested more than {MAX_DEPTH} levels deep");
        let help = "split it into several declarations, functions or edges";
        Err(Diagnostic::error("E0506", message, Some(span)).with_help(help))
    }

    /// Items separated by commas, at least one.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Keeps an error and skips what it spoilt: up to and including the next `;` or block that belongs to it.
    /// Stops before a bracket that closes something around it, and before the next section, process or the system
    /// line.
    /// What is nested too deeply spoils the rest of the text.
    pub fn recover(&mut self, diagnostic: Diagnostic) {
        if self.given_up {
            return;
        }
        if diagnostic.code == "E0506" {
            self.at = self.lexemes.len() - 1;
        }
        self.report(diagnostic);
        self.skip_spoilt();
        self.given_up = self.at_end();
    }

    /// Keeps an error, unless it is about the same place as the one before.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.span;
        if place.is_none() || self.reported != place {
            self.context.error(diagnostic);
        }
        self.reported = place;
    }

    fn skip_spoilt(&mut self) {
        let mut open = 0_usize;
        while !self.at_end() && !self.is_word("process") && !self.is_word("system") && !self.at_section() {
            match self.peek().token {
                Token::Symbol(";") if open == 0 => {
                    self.bump();
                    return;
                }
                Token::Symbol("{") => open += 1,
                Token::Symbol("}") if open == 0 => return,
                Token::Symbol("}") if open == 1 => {
                    self.bump();
                    self.eat(";");
                    return;
                }
                Token::Symbol("}") => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether the body in braces that is being read goes on here. A process inside another, or a system line,
    /// means that its end is missing.
    pub fn in_body(&self) -> bool {
        !self.is_symbol("}") && !self.at_end() && !self.is_word("process") && !self.is_word("system")
    }

    /// Whether a section of a process begins here. These words are reserved, and begin nothing else.
    fn at_section(&self) -> bool {
        self.in_process && ["state", "init", "trans", "commit"].into_iter().any(|word| self.is_word(word))
    }

    /// Whether the block of a function goes on here. A section of a process, or another function, means that its
    /// end is missing.
    pub fn in_block(&self) -> bool {
        self.in_body() && !self.at_section() && !self.is_function()
    }

    /// Whether the part of an edge in braces goes on here. Another edge, or a section, means that its end is
    /// missing.
    pub fn in_edge(&self) -> bool {
        let next = usize::from(self.is_symbol(","));
        self.in_body() && !self.at_section() && !self.is_edge_ahead(next)
    }

    /// Whether the token `n` further on begins an edge.
    pub fn is_edge_ahead(&self, n: usize) -> bool {
        self.is_name_ahead(n) && (self.is_symbol_ahead(n + 1, "->") || self.is_symbol_ahead(n + 1, "-u->"))
    }

    /// Takes the `}` at the end of a body. One that is missing is reported once, and the text read on as if it
    /// were there.
    pub fn close(&mut self, place: &str) -> Parse<()> {
        if self.eat("}") {
            return Ok(());
        }
        let diagnostic =
            self.unexpected(&format!("`}}` {place}")).with_help("a `{` before this is not closed");
        if self.at_end() {
            return Err(diagnostic);
        }
        self.report(diagnostic);
        Ok(())
    }

    /// Takes the token before which a recovery stops, where it belongs to nothing.
    pub fn bump_stopper(&mut self) {
        if self.is_symbol("}") || self.is_word("process") || self.is_word("system") {
            self.bump();
        }
    }

    /// Skips a block in braces, which begins here; gives the tokens inside.
    pub fn skip_block(&mut self) -> Parse<&[Lexeme<'t>]> {
        self.expect("{", "at the beginning of the block")?;
        let first = self.at;
        let mut open = 1_usize;
        while open > 0 {
            if self.at_end() {
                return Err(self.unexpected("`}` at the end of the block"));
            }
            match self.bump().token {
                Token::Symbol("{") => open += 1,
                Token::Symbol("}") => open -= 1,
                _ => {}
            }
        }
        Ok(&self.lexemes[first..self.at - 1])
    }
}
