//! Tokens of Promela, before macros are expanded. A character that begins nothing is a token, too: it may stand in a
//! part of the file that the preprocessor leaves out.

mod splice;

use std::sync::Arc;

use beeline_ir::origin::Span;

use crate::messages::Messages;
use splice::Spliced;

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
    /// The name of a macro that is not expanded here; known to the preprocessor alone.
    Kept,
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

/// Reads the tokens of a text without comments one by one.
#[derive(Debug)]
pub(crate) struct Lexer {
    spliced: Spliced,
    /// What is left of lines put together.
    text: Arc<str>,
    at: usize,
    first: bool,
    spaced: bool,
}

/// The token that a text is, if it is one.
pub(crate) fn single(text: &str) -> Option<Token> {
    let mut quiet = Messages::default();
    let mut lexer = Lexer::new(&text.into(), 0);
    let token = lexer.next(&mut quiet)?;
    let alone = token.text.len() == text.len() && quiet.errors.is_empty();
    alone.then_some(token)
}

impl Lexer {
    /// For a text whose first character is at position `base`.
    pub fn new(text: &Arc<str>, base: usize) -> Self {
        let spliced = Spliced::new(text, base);
        Self { text: spliced.text.clone(), spliced, at: 0, first: true, spaced: true }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        self.spliced.span(start, self.at)
    }

    /// The next token.
    pub fn next(&mut self, messages: &mut Messages) -> Option<Token> {
        self.skip_blanks(messages);
        let start = self.at;
        let c = self.rest().chars().next()?;
        let kind = match c {
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' => self.name(messages),
            '"' | '\'' => self.quoted(),
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

    /// White space and comments.
    fn skip_blanks(&mut self, messages: &mut Messages) {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with('\n') {
                self.first = true;
                self.at += 1;
            } else if rest.starts_with([' ', '\t', '\r', '\x0b', '\x0c']) {
                self.at += 1;
            } else if self.at == 0 && rest.starts_with('\u{feff}') {
                self.at += '\u{feff}'.len_utf8();
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(body) = rest.strip_prefix("/*") {
                match body.find("*/") {
                    Some(n) => self.at += n + 4,
                    None => {
                        let place = self.spliced.span(self.at, self.at + 2);
                        messages.error("E0902", "this comment does not end", place);
                        self.at = self.text.len();
                    }
                }
            } else {
                return;
            }
            self.spaced = true;
        }
    }

    fn name(&mut self, messages: &mut Messages) -> Kind {
        let start = self.at;
        self.at += self.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        if self.at - start > MAX_NAME {
            let place = self.span(start);
            messages.error("E0901", "this name is longer than 1,000 characters", place);
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

    /// `"text"`, `'a'` or `'\n'`. What does not end goes as far as its line, as in C: what seems to be a comment there is
    /// none.
    fn quoted(&mut self) -> Kind {
        let rest = self.rest();
        let quote = rest.chars().next();
        let (mut end, mut ended, mut escaped) = (rest.len(), false, false);
        for (i, c) in rest.char_indices().skip(1) {
            ended = !escaped && Some(c) == quote;
            if ended || c == '\n' {
                end = i + usize::from(ended);
                break;
            }
            escaped = !escaped && c == '\\';
        }
        let written = rest[..end].trim_end();
        let kind = match quote {
            _ if !ended => Kind::Strange,
            Some('"') => Kind::Text,
            _ => character(written),
        };
        self.at += written.len();
        kind
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

/// The value of a character in quotes.
fn character(written: &str) -> Kind {
    let mut chars = written.chars().skip(1);
    let value = match (chars.next(), chars.next(), chars.next(), chars.next()) {
        (Some('\\'), Some(c), Some('\''), None) if c.is_ascii() => match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            c => c,
        },
        (Some(c), Some('\''), None, None) if c.is_ascii() && c != '\'' => c,
        _ => return Kind::Strange,
    };
    Kind::Int(i64::from(u32::from(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<Token> {
        let mut messages = Messages::default();
        let mut lexer = Lexer::new(&text.into(), 0);
        let tokens = std::iter::from_fn(|| lexer.next(&mut messages)).collect();
        assert!(messages.errors.is_empty());
        tokens
    }

    fn words(text: &str) -> Vec<String> {
        let shown =
            |t: Token| if t.kind == Kind::Strange { format!("?{}", t.text) } else { t.text.to_string() };
        lex(text).into_iter().map(shown).collect()
    }

    #[test]
    fn longest_symbols_win() {
        assert_eq!(words("c!!x->y::z"), ["c", "!!", "x", "->", "y", "::", "z"]);
        assert_eq!(words("a<->b<=c<<d"), ["a", "<->", "b", "<=", "c", "<<", "d"]);
        assert_eq!(words("i:1..3"), ["i", ":", "1", "..", "3"]);
    }

    #[test]
    fn comments_and_continued_lines_are_blanks() {
        let tokens = lex("a // b\n/* c\n d */ e \\\n f\ng");
        let seen: Vec<(&str, bool)> = tokens.iter().map(|t| (&*t.text, t.first)).collect();
        assert_eq!(seen, [("a", true), ("e", true), ("f", false), ("g", true)]);
    }

    #[test]
    fn lines_are_put_together_first() {
        // A comment ended with its line though the line went on; strings and names over two lines were refused.
        assert_eq!(words("a // C:\\dir\\\nb\nc"), ["a", "c"]);
        assert_eq!(words("\"a \\\nb\" by\\ \r\nte \\"), ["\"a b\"", "byte"]);
        let text = "a\\\n\\\nb \\\n c=\\\n=d";
        let places: Vec<&str> =
            lex(text).iter().map(|t| &text[t.span.start as usize..t.span.end as usize]).collect();
        assert_eq!(places, ["a\\\n\\\nb", "c", "=\\\n=", "d"]);
    }

    #[test]
    fn what_begins_nothing_is_left_to_others() {
        assert_eq!(words("é 'x' 12ab \"open // x\ny"), ["?é", "'x'", "?12ab", "?\"open // x", "y"]);
        // What follows a quote that stands alone was taken for a comment, and the rest of the file with it.
        assert_eq!(words("there's /* one\nhere"), ["there", "?'s /* one", "here"]);
    }
}
