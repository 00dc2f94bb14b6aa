//! Tokens of the text form. Words are plain identifiers, whatever they mean where they stand; a name that is no
//! identifier, or that is a reserved word, is written in single quotes.

use std::borrow::Cow;

use crate::diagnostic::Diagnostic;
use crate::origin::Span;

/// Longest text that is read, in bytes.
const MAX_TEXT: usize = 64 << 20;

/// Symbols, longer ones first where one begins another.
const SYMBOLS: [&str; 39] = [
    ":=", "::", "=>", "->", "..", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "{", "}", "(", ")", "[",
    "]", ",", ";", ":", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", "?", "@", "#", ".",
];

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// An identifier or keyword.
    Word(&'a str),
    /// A name in single quotes.
    Quoted(Cow<'a, str>),
    /// A text in double quotes.
    Text(Cow<'a, str>),
    /// A number without sign; up to 2^63.
    Number(u64),
    /// An operator or bracket.
    Symbol(&'static str),
    /// After the last token.
    End,
}

/// A token and its place.
#[derive(Clone, Debug)]
pub(super) struct Lexeme<'a> {
    /// The token.
    pub token: Token<'a>,
    /// Where it stands.
    pub span: Span,
}

/// Whether the text is an identifier.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// All tokens of a text, ending with [`Token::End`]; what is no token is reported and skipped.
pub(super) fn lex(text: &str) -> (Vec<Lexeme<'_>>, Vec<Diagnostic>) {
    let mut lexer = Lexer { text, at: 0, lexemes: Vec::new(), diagnostics: Vec::new() };
    if text.len() > MAX_TEXT {
        lexer.diagnostics.push(Diagnostic::error("E0101", "text longer than 64 MiB", None));
    } else {
        lexer.run();
    }
    let end = Span::new(text.len(), text.len());
    lexer.lexemes.push(Lexeme { token: Token::End, span: end });
    (lexer.lexemes, lexer.diagnostics)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    lexemes: Vec<Lexeme<'a>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        if self.rest().starts_with('\u{feff}') {
            self.at += '\u{feff}'.len_utf8();
        }
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            let token = match c {
                ' ' | '\t' | '\r' | '\n' => {
                    self.at += 1;
                    None
                }
                '/' if self.rest().starts_with("//") => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                    None
                }
                '/' if self.rest().starts_with("/*") => {
                    self.comment();
                    None
                }
                '0'..='9' => self.number(),
                '\'' => self.quoted('\'').map(Token::Quoted),
                '"' => self.quoted('"').map(Token::Text),
                c if c.is_ascii_alphabetic() || c == '_' => {
                    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                    self.at += self.rest().bytes().take_while(word).count();
                    Some(Token::Word(&self.text[start..self.at]))
                }
                _ => self.symbol(c),
            };
            if let Some(token) = token {
                self.lexemes.push(Lexeme { token, span: Span::new(start, self.at) });
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&mut self, code: &'static str, message: impl Into<String>, start: usize) {
        // More would not help anyone, and a binary file has millions.
        if self.diagnostics.len() < super::MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::error(code, message, Some(Span::new(start, self.at))));
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        if let Some(length) = self.rest()[2..].find("*/") {
            self.at += 2 + length + 2;
        } else {
            self.at = self.text.len();
            self.error("E0103", "this comment does not end", start);
        }
    }

    fn number(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
        match self.text[start..self.at].parse::<u64>() {
            Ok(n) if n <= 1 << 63 => Some(Token::Number(n)),
            _ => {
                self.error("E0104", "number outside of the 64-bit integers", start);
                Some(Token::Number(0))
            }
        }
    }

    fn symbol(&mut self, c: char) -> Option<Token<'a>> {
        let start = self.at;
        if let Some(symbol) = SYMBOLS.iter().find(|s| self.rest().starts_with(**s)) {
            self.at += symbol.len();
            return Some(Token::Symbol(symbol));
        }
        self.at += c.len_utf8();
        self.error("E0102", format!("unexpected character {c:?}"), start);
        if c.is_alphabetic()
            && let Some(diagnostic) = self.diagnostics.last_mut()
        {
            diagnostic.help = Some("names with other letters than a-z are written in single quotes".into());
        }
        None
    }

    /// A name or text in quotes, with the escapes `\\ \' \" \n \r \t \u{..}`.
    fn quoted(&mut self, quote: char) -> Option<Cow<'a, str>> {
        let start = self.at;
        self.at += 1;
        let body = self.at;
        let mut value: Option<String> = None;
        while let Some(c) = self.rest().chars().next() {
            let here = self.at;
            self.at += c.len_utf8();
            match c {
                '\n' => break,
                '\\' => {
                    let done = value.get_or_insert_with(|| self.text[body..here].to_string());
                    let Some(c) = unescape(&self.text[self.at..]) else {
                        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
                        self.error("E0105", "unknown escape", here);
                        continue;
                    };
                    done.push(c.0);
                    self.at += c.1;
                }
                c if c == quote => {
                    return Some(value.map_or(Cow::Borrowed(&self.text[body..here]), Cow::Owned));
                }
                c => {
                    if let Some(value) = &mut value {
                        value.push(c);
                    }
                }
            }
        }
        self.error("E0103", "these quotes do not end on their line", start);
        None
    }
}

/// The character that the escape at the beginning of `text` (after its backslash) stands for, and its length.
fn unescape(text: &str) -> Option<(char, usize)> {
    match text.chars().next()? {
        'n' => Some(('\n', 1)),
        'r' => Some(('\r', 1)),
        't' => Some(('\t', 1)),
        c @ ('\\' | '\'' | '"') => Some((c, 1)),
        'u' => {
            let digits = text.strip_prefix("u{")?.split_once('}')?.0;
            let fits = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok().filter(|_| fits)?;
            Some((char::from_u32(code)?, digits.len() + 3))
        }
        _ => None,
    }
}
