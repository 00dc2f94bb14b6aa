//! Tokens of Promela, before macros are expanded. A character that begins nothing is a token, too: it may stand in a
//! part of the file that the preprocessor leaves out.

use std::sync::Arc;

use beeline_ir::origin::Span;

use crate::messages::Messages;

/// Symbols, longer ones first where one begins another.
const SYMBOLS: [&str; 51] = [
    "<->", "...", "->", "::", "..", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "++", "--", "!!", "??",
    "##", "{", "}", "(", ")", "[", "]", ",", ";", ":", ".", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|",
    "^", "!", "?", "@", "~", "#", "\\", "$", "`", "'", "\"", "\u{7f}", "\u{feff}",
];

/// How many of the symbols begin a sentence of the language; the others are reported by the parser.
const STRANGE: [&str; 8] = ["\\", "$", "`", "'", "\"", "\u{7f}", "\u{feff}", "#"];

/// Longest name, in bytes.
const MAX_NAME: usize = 1000;

/// What kind of token it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name or keyword.
    Name,
    /// A number or character.
    Int(i64),
    /// A text in quotes.
    Text,
    /// An operator or bracket.
    Symbol(&'static str),
    /// Something that begins nothing.
    Strange,
    /// After the last token.
    End,
}

/// A token, as written, and its place.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub text: Arc<str>,
    /// Where it was written; for what a macro stands for, where the macro was used.
    pub span: Span,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Whether white space stands before it.
    pub spaced: bool,
}

impl Token {
    /// Whether it is this symbol.
    pub fn is(&self, symbol: &str) -> bool {
        matches!(self.kind, Kind::Symbol(s) if s == symbol)
    }
    /// Whether it is this word.
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Name && &*self.text == word
    }
}

/// All tokens of a text without comments, whose first character is at position `base`.
pub(crate) fn lex(text: &str, base: usize, messages: &mut Messages) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, base, first: true, spaced: true, messages };
    let mut tokens = Vec::new();
    while let Some(token) = lexer.next() {
        tokens.push(token);
    }
    tokens
}

struct Lexer<'t, 'm> {
    text: &'t str,
    at: usize,
    base: usize,
    first: bool,
    spaced: bool,
    messages: &'m mut Messages,
}

impl<'t> Lexer<'t, '_> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.base + start, self.base + self.at)
    }

    fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let start = self.at;
        let c = self.rest().chars().next()?;
        let kind = match c {
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => self.name(),
            '"' => self.quoted(),
            '\'' => self.character(),
            _ => self.symbol(c),
        };
        let token = Token {
            kind,
            text: self.text[start..self.at].into(),
            span: self.span(start),
            first: self.first,
            spaced: self.spaced,
        };
        (self.first, self.spaced) = (false, false);
        Some(token)
    }

    /// White space, comments, and ends of lines after a backslash.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with('\n') {
                self.first = true;
                self.at += 1;
            } else if let Some(after) = rest.strip_prefix('\\')
                && after.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
            {
                self.at += after.find('\n').map_or(1, |n| n + 2);
            } else if rest.starts_with([' ', '\t', '\r', '\x0b', '\x0c']) {
                self.at += 1;
            } else if self.at == 0 && rest.starts_with('\u{feff}') {
                self.at += '\u{feff}'.len_utf8();
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(body) = rest.strip_prefix("/*") {
                let start = self.at;
                match body.find("*/") {
                    Some(n) => self.at += n + 4,
                    None => {
                        self.at += 2;
                        let place = self.span(start);
                        self.messages.error("E0902", "this comment does not end", place);
                        self.at = self.text.len();
                    }
                }
            } else {
                return;
            }
            self.spaced = true;
        }
    }

    fn name(&mut self) -> Kind {
        let start = self.at;
        self.at += self.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        if self.at - start > MAX_NAME {
            let place = self.span(start);
            self.messages.error("E0901", "this name is longer than 1,000 characters", place);
        }
        Kind::Name
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        self.at += self.rest().bytes().take_while(u8::is_ascii_alphanumeric).count();
        let digits = &self.text[start..self.at];
        let parsed = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => digits.trim_end_matches(['u', 'U', 'l', 'L']).parse::<i64>(),
        };
        match parsed {
            Ok(n) if n <= i64::from(u32::MAX) => Kind::Int(n),
            _ => Kind::Strange,
        }
    }

    fn quoted(&mut self) -> Kind {
        let line = self.rest().find('\n').unwrap_or(self.rest().len());
        let mut escaped = false;
        for (i, c) in self.rest()[..line].char_indices().skip(1) {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    self.at += i + 1;
                    return Kind::Text;
                }
                _ => escaped = false,
            }
        }
        self.at += 1;
        Kind::Strange
    }

    /// `'a'` or `'\n'`.
    fn character(&mut self) -> Kind {
        let mut chars = self.rest().chars().skip(1);
        let (value, length) = match (chars.next(), chars.next(), chars.next()) {
            (Some('\\'), Some(c), Some('\'')) if c.is_ascii() => {
                let value = match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    c => c,
                };
                (value, 4)
            }
            (Some(c), Some('\''), _) if c.is_ascii() && c != '\'' && c != '\\' => (c, 3),
            _ => {
                self.at += 1;
                return Kind::Strange;
            }
        };
        self.at += length;
        Kind::Int(i64::from(u32::from(value)))
    }

    fn symbol(&mut self, c: char) -> Kind {
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            let strange = STRANGE.contains(symbol) && *symbol != "#";
            return if strange { Kind::Strange } else { Kind::Symbol(symbol) };
        }
        // One token for a run of such characters: a binary file has millions.
        let strange = |c: &char| !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace());
        let run: usize = self.rest().chars().take_while(strange).map(char::len_utf8).sum();
        self.at += run.max(c.len_utf8());
        Kind::Strange
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut messages = Messages::default();
        let tokens = lex(text, 0, &mut messages);
        assert!(messages.errors.is_empty());
        tokens
            .iter()
            .map(|t| if t.kind == Kind::Strange { format!("?{}", t.text) } else { t.text.to_string() })
            .collect()
    }

    #[test]
    fn longest_symbols_win() {
        assert_eq!(words("c!!x->y::z"), ["c", "!!", "x", "->", "y", "::", "z"]);
        assert_eq!(words("a<->b<=c<<d"), ["a", "<->", "b", "<=", "c", "<<", "d"]);
        assert_eq!(words("i:1..3"), ["i", ":", "1", "..", "3"]);
    }

    #[test]
    fn comments_and_continued_lines_are_blanks() {
        let mut messages = Messages::default();
        let tokens = lex("a // b\n/* c\n d */ e \\\n f\ng", 0, &mut messages);
        let seen: Vec<(&str, bool)> = tokens.iter().map(|t| (&*t.text, t.first)).collect();
        assert_eq!(seen, [("a", true), ("e", true), ("f", false), ("g", true)]);
    }

    #[test]
    fn what_begins_nothing_is_left_to_others() {
        assert_eq!(
            words("there's é 'x' 12ab \"open"),
            ["there", "?'", "s", "?é", "'x'", "?12ab", "?\"", "open"]
        );
    }
}
