//! Tokens of SMV. A name may hold `-`, `#` and `$`, so that `x-1` is one name and `x - 1` a difference. Keywords are
//! words here; the parser knows which are reserved.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use crate::ast::WordLiteral;
use crate::messages::Messages;

/// Symbols, longer ones first where one begins another.
const SYMBOLS: [&str; 33] = [
    "<->", "..", "::", ":=", "->", "<=", ">=", "!=", "<<", ">>", "{", "}", "(", ")", "[", "]", ",", ";", ":",
    ".", "=", "<", ">", "+", "-", "*", "/", "&", "|", "!", "?", "@", "~",
];

/// Longest file that is read, in bytes.
pub(crate) const MAX_TEXT: usize = 16 << 20;

/// Most tokens a file may have; bounds the memory of the syntax tree.
const MAX_TOKENS: usize = 2_000_000;

/// Longest name, in bytes. Names are copied into every instance.
const MAX_NAME: usize = 1000;

/// Most bits a word may have: sums of two words are still numbers of 64 bits.
pub(crate) const MAX_WIDTH: u32 = 62;

/// What kind of token it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A name or keyword.
    Name,
    /// A number.
    Int(i64),
    /// A word such as `0ud8_255`.
    Word(WordLiteral),
    /// An operator or bracket.
    Symbol(&'static str),
    /// After the last token.
    End,
}

/// A token, as written, and its place.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Lexeme<'t> {
    pub token: Token,
    pub text: &'t str,
    pub span: Span,
}

/// All tokens of a text, ending with [`Token::End`]. What is no token is reported and skipped.
pub(crate) fn lex<'t>(text: &'t str, messages: &mut Messages) -> Vec<Lexeme<'t>> {
    let mut lexer = Lexer { text, at: 0, messages };
    let mut lexemes = Vec::new();
    if text.len() > MAX_TEXT {
        lexer.messages.error("E0801", "the file is longer than 16 MiB", None);
        lexer.at = text.len();
    }
    loop {
        let lexeme = lexer.next();
        lexemes.push(lexeme);
        if lexeme.token == Token::End {
            return lexemes;
        }
        if lexemes.len() > MAX_TOKENS {
            lexer.messages.error("E0801", "the file has more than 2,000,000 tokens", Some(lexeme.span));
            lexer.at = text.len();
            lexemes.clear();
        }
    }
}

struct Lexer<'t, 'm> {
    text: &'t str,
    at: usize,
    messages: &'m mut Messages,
}

/// Whether a character may stand inside of a name.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'-')
}

impl<'t> Lexer<'t, '_> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn lexeme(&self, token: Token, start: usize) -> Lexeme<'t> {
        Lexeme { token, text: &self.text[start..self.at], span: Span::new(start, self.at) }
    }

    fn next(&mut self) -> Lexeme<'t> {
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(c) = self.rest().chars().next() else { return self.lexeme(Token::End, start) };
            let token = match c {
                '0'..='9' => Some(self.number()),
                c if c.is_ascii_alphabetic() || c == '_' => Some(self.name()),
                c => self.symbol(c),
            };
            if let Some(token) = token {
                return self.lexeme(token, start);
            }
        }
    }

    /// White space, comments, and lines of a preprocessor.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let start = self.at;
            let line_start = start == 0 || self.text.as_bytes()[start - 1] == b'\n';
            if rest.starts_with([' ', '\t', '\r', '\n', '\x0b', '\x0c']) {
                self.at += 1;
            } else if start == 0 && rest.starts_with('\u{feff}') {
                self.at += '\u{feff}'.len_utf8();
            } else if rest.starts_with("--") || (line_start && rest.starts_with('#')) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(body) = rest.strip_prefix("/--") {
                self.at += body.find("--/").map_or(rest.len(), |n| n + 6);
                if !self.text[start + 3..self.at].ends_with("--/") {
                    let place = Some(Span::new(start, start + 3));
                    self.messages.error("E0802", "this comment does not end", place);
                }
            } else {
                return;
            }
        }
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        self.at += self.rest().bytes().take_while(|b| in_name(*b)).count();
        if self.at - start > MAX_NAME {
            let place = Some(Span::new(start, self.at));
            self.messages.error("E0801", "this name is longer than 1,000 characters", place);
        }
        Token::Name
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        if let Some((length, literal)) = word_literal(self.rest()) {
            self.at += length;
            let place = Some(Span::new(start, self.at));
            return match literal {
                Ok(literal) => Token::Word(literal),
                Err(diagnostic) => {
                    self.messages.add(Diagnostic { span: place, ..diagnostic });
                    Token::Word(WordLiteral { signed: false, width: 1, bits: 0 })
                }
            };
        }
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
        // Sums and products of two such numbers stay far inside of 64 bits.
        match self.text[start..self.at].parse() {
            Ok(n) if n <= i64::from(u32::MAX) => Token::Int(n),
            _ => {
                let place = Some(Span::new(start, self.at));
                self.messages.error("E0803", "this number does not fit into 32 bits", place);
                Token::Int(0)
            }
        }
    }

    fn symbol(&mut self, c: char) -> Option<Token> {
        let start = self.at;
        if let Some(symbol) = SYMBOLS.iter().find(|symbol| self.rest().starts_with(**symbol)) {
            self.at += symbol.len();
            return Some(Token::Symbol(symbol));
        }
        // One message for a run of such characters: a binary file has millions.
        let strange = |c: &char| !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace());
        let run: usize = self.rest().chars().take_while(strange).map(char::len_utf8).sum();
        self.at += run.max(c.len_utf8());
        let place = Some(Span::new(start, self.at));
        self.messages.error("E0804", format!("unexpected character {c:?}"), place);
        None
    }
}

/// A word such as `0ud8_255`, `0sb4_1010`, `0h_ff` at the beginning of a text, and its length.
fn word_literal(text: &str) -> Option<(usize, Result<WordLiteral, Diagnostic>)> {
    let body = text.strip_prefix('0')?;
    let (signed, body) = match body.strip_prefix('s') {
        Some(body) => (true, body),
        None => (false, body.strip_prefix('u').unwrap_or(body)),
    };
    let radix = match body.bytes().next()?.to_ascii_lowercase() {
        b'b' => 2,
        b'o' => 8,
        b'd' => 10,
        b'h' => 16,
        _ => return None,
    };
    let body = &body[1..];
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let (width, body) = body.split_at(digits);
    let body = body.strip_prefix('_')?;
    let length = body.bytes().take_while(|b| b.is_ascii_hexdigit() || *b == b'_').count();
    let digits: String = body[..length].chars().filter(|c| *c != '_').collect();
    let whole = text.len() - body.len() + length;
    let wrong = |message: &str| Err(Diagnostic::error("E0805", message, None));
    let literal = match (width.parse::<u32>(), u64::from_str_radix(&digits, radix)) {
        (Ok(width), _) if width > MAX_WIDTH => {
            let message = format!("words of more than {MAX_WIDTH} bits are not supported");
            Err(Diagnostic::unsupported("U0802", message, None))
        }
        (Ok(0), _) => wrong("a word has at least one bit"),
        (Ok(width), Ok(bits)) if bits >> width == 0 => Ok(WordLiteral { signed, width, bits }),
        (Err(_), Ok(bits)) if width.is_empty() && radix != 10 => {
            let width = digits.len() as u32 * (radix.ilog2());
            if width > MAX_WIDTH {
                wrong("this word has too many bits")
            } else {
                Ok(WordLiteral { signed, width, bits })
            }
        }
        (Err(_), _) if width.is_empty() => wrong("the width of this word is missing, as in 0ud8_255"),
        _ => wrong("these digits are no value of a word of this width"),
    };
    Some((whole, literal))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let mut messages = Messages::default();
        let texts = lex(text, &mut messages).iter().map(|l| l.text.to_string()).collect();
        (texts, messages.errors.iter().map(|d| d.code).collect())
    }

    #[test]
    fn names_hold_minus_and_comments_do_not_split_them() {
        let (found, errors) = tokens("x-1 x - 1 a#b$c -- rest -1\ny/-- ; --/z <-> :: ..");
        assert_eq!(found, ["x-1", "x", "-", "1", "a#b$c", "y", "z", "<->", "::", "..", ""]);
        assert_eq!(errors.len(), 0);
        assert_eq!(tokens("a /-- b").1, ["E0802"]);
        assert_eq!(tokens("/--/").1, ["E0802"]);
        assert_eq!(tokens("# 1 \"x.smv\"\na").0, ["a", ""]);
    }

    #[test]
    fn words_know_their_widths() {
        let word = |text: &str| match word_literal(text) {
            Some((length, Ok(w))) if length == text.len() => Some((w.signed, w.width, w.bits)),
            _ => None,
        };
        assert_eq!(word("0ud8_255"), Some((false, 8, 255)));
        assert_eq!(word("0sb4_1010"), Some((true, 4, 10)));
        assert_eq!(word("0h_ff"), Some((false, 8, 255)));
        assert_eq!(word("0B3_1_01"), Some((false, 3, 5)));
        for wrong in ["0ud8_256", "0ud_3", "0ud0_0", "0ud63_0", "0b4_7", "0b4_"] {
            assert!(matches!(word_literal(wrong), Some((_, Err(_)))), "{wrong}");
        }
        assert!(word_literal("0..3").is_none() && word_literal("0d").is_none());
    }

    #[test]
    fn what_begins_nothing_is_skipped() {
        assert_eq!(tokens("a \u{e9}\u{e9} b `").1, ["E0804", "E0804"]);
        assert_eq!(tokens("99999999999").1, ["E0803"]);
        assert_eq!(tokens(&"n".repeat(MAX_NAME + 1)).1, ["E0801"]);
    }
}
