//! Tokens of UPPAAL's languages. Keywords are words here; the parser knows which are reserved where they stand.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use crate::parse::context::Context;
use crate::source::Text;

/// Symbols, longer ones first where one begins another. `=<` and `=>` are of the old syntax, and begin nothing
/// in the new one. There is no `-->`: `i-->0` is `i-- > 0`, and queries look for the two symbols.
const SYMBOLS: [&str; 54] = [
    "<<=", ">>=", "-u->", "->", "++", "--", "**", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==",
    "!=", "<=", ">=", "=<", "=>", "<<", ">>", "<?", ">?", "&&", "||", "{", "}", "(", ")", "[", "]", ",", ";",
    ":", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|", "^", "?", ".", "'", "#",
];

/// The largest literal: the absolute value of the least 32-bit integer. Only after a minus may it be so large.
pub(crate) const MAX_LITERAL: i64 = 1 << 31;

/// Longest name, in bytes. Names are copied into every process.
pub(crate) const MAX_NAME: usize = 1000;

/// What kind of token it is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// An identifier or keyword.
    Word,
    /// An integer, up to [`MAX_LITERAL`].
    Int(i64),
    /// A number with a fraction or exponent.
    Double,
    /// A string; its text includes the quotes.
    Str,
    /// An operator or bracket.
    Symbol(&'static str),
    /// After the last token.
    End,
}

/// A token, as written, and its place in the file.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Lexeme<'t> {
    /// The token.
    pub token: Token,
    /// As written.
    pub text: &'t str,
    /// Where it stands.
    pub span: Span,
}

/// All tokens of a text, ending with [`Token::End`]. What is no token is reported and skipped; of a text with too
/// many there is only the end.
pub(crate) fn lex<'t>(text: &'t Text<'_>, context: &mut Context) -> Vec<Lexeme<'t>> {
    let mut lexer = Lexer { source: text, text: text.as_str(), at: 0, context };
    let mut lexemes = Vec::new();
    loop {
        let lexeme = lexer.next();
        lexemes.push(lexeme);
        if lexeme.token == Token::End {
            return lexemes;
        }
        if lexer.context.tokens_left == 0 {
            lexer.context.error(too_many(lexeme.span));
            lexer.at = lexer.text.len();
            lexemes.clear();
        } else {
            lexer.context.tokens_left -= 1;
        }
    }
}

/// The message about a file with too many tokens.
fn too_many(span: Span) -> Diagnostic {
    Diagnostic::error("E0501", "the file has more than 500,000 tokens", Some(span))
        .with_help("templates with parameters and arrays say the same in fewer words")
}

struct Lexer<'t, 's, 'c> {
    source: &'t Text<'s>,
    text: &'t str,
    at: usize,
    context: &'c mut Context,
}

impl<'t> Lexer<'t, '_, '_> {
    fn next(&mut self) -> Lexeme<'t> {
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(c) = self.rest().chars().next() else {
                return self.lexeme(Token::End, start);
            };
            let token = match c {
                '0'..='9' => Some(self.number()),
                '.' if self.rest()[1..].starts_with(|d: char| d.is_ascii_digit()) => Some(self.number()),
                '"' => self.string(),
                c if c.is_ascii_alphabetic() || c == '_' => {
                    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                    self.at += self.rest().bytes().take_while(word).count();
                    if self.at - start > MAX_NAME {
                        let end = std::mem::replace(&mut self.at, start + MAX_NAME);
                        self.error("E0501", "this name is longer than 1,000 characters", start);
                        let cut = self.lexeme(Token::Word, start);
                        self.at = end;
                        return cut;
                    }
                    Some(Token::Word)
                }
                c => self.symbol(c),
            };
            if let Some(token) = token {
                return self.lexeme(token, start);
            }
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn lexeme(&self, token: Token, start: usize) -> Lexeme<'t> {
        Lexeme { token, text: &self.text[start..self.at], span: self.source.span(start..self.at) }
    }

    fn error(&mut self, code: &'static str, message: &str, start: usize) {
        let range = start..self.at;
        self.context.error_with(|| Diagnostic::error(code, message, Some(self.source.span(range))));
    }

    /// White space, comments, and backslashes before the end of a line.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let start = self.at;
            if rest.starts_with([' ', '\t', '\r', '\n', '\x0b', '\x0c']) {
                self.at += 1;
            } else if rest.starts_with('\u{feff}') && start == 0 {
                self.at += '\u{feff}'.len_utf8();
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(body) = rest.strip_prefix("/*") {
                self.at += body.find("*/").map_or(rest.len(), |n| n + 4);
                if !self.text[start + 2..self.at].ends_with("*/") {
                    self.error("E0503", "this comment does not end", start);
                }
            } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn digits(&mut self) {
        self.at += self.rest().bytes().take_while(u8::is_ascii_digit).count();
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        self.digits();
        let whole = self.at;
        if self.rest().starts_with('.') && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.at += 1;
            self.digits();
        }
        if let Some(exponent) = self.rest().strip_prefix(['e', 'E']) {
            let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if unsigned.starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1 + exponent.len() - unsigned.len();
                self.digits();
            }
        }
        if self.at > whole {
            return Token::Double;
        }
        match self.text[start..self.at].parse() {
            Ok(n) if n <= MAX_LITERAL => Token::Int(n),
            _ => {
                self.error("E0504", "this number does not fit into 32 bits", start);
                Token::Int(0)
            }
        }
    }

    fn string(&mut self) -> Option<Token> {
        let start = self.at;
        match self.rest()[1..].find(['"', '\r', '\n']) {
            Some(n) if self.rest()[1 + n..].starts_with('"') => {
                self.at += n + 2;
                Some(Token::Str)
            }
            end => {
                self.at += end.map_or(self.rest().len(), |n| n + 1);
                self.error("E0503", "this string does not end on its line", start);
                None
            }
        }
    }

    fn symbol(&mut self, c: char) -> Option<Token> {
        let start = self.at;
        let begins = |symbol: &&&str| c.is_ascii() && self.rest().starts_with(**symbol);
        if let Some(symbol) = SYMBOLS.iter().find(begins) {
            self.at += symbol.len();
            self.context.looks_old |= matches!(*symbol, "=<" | "=>");
            return Some(Token::Symbol(symbol));
        }
        // One message for a run of such characters: a binary file has millions.
        let strange = |c: &char| !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace());
        let run: usize = self.rest().chars().take_while(strange).map(char::len_utf8).sum();
        self.at += run.max(c.len_utf8());
        let span = || self.source.span(start..self.at);
        let make = || Diagnostic::error("E0502", format!("unexpected character {c:?}"), Some(span()));
        self.context.error_with(make);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::context::Syntax;

    fn words(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let mut context = Context::new(Syntax::New);
        let source = Text::verbatim(text, 0..text.len());
        let texts = lex(&source, &mut context).iter().map(|l| l.text.to_string()).collect();
        (texts, context.finish().err().unwrap_or_default().iter().map(|d| d.code).collect())
    }

    #[test]
    fn longest_symbols_win() {
        let (tokens, errors) = words("a<<=b-->c<?d -u-> e**f=<g'.h");
        let expected = [
            "a", "<<=", "b", "--", ">", "c", "<?", "d", "-u->", "e", "**", "f", "=<", "g", "'", ".", "h", "",
        ];
        assert_eq!((tokens, errors.len()), (expected.map(String::from).to_vec(), 0));
    }

    #[test]
    fn numbers_and_their_limits() {
        assert_eq!(
            words("1.5e-3 1e5 .5 2.x 3e 7").0,
            ["1.5e-3", "1e5", ".5", "2", ".", "x", "3", "e", "7", ""]
        );
        assert_eq!(words("2147483648").1, Vec::<&str>::new());
        assert_eq!(words("2147483649").1, ["E0504"]);
        assert_eq!(words("99999999999999999999").1, ["E0504"]);
    }

    #[test]
    fn comments_and_continuations_are_blanks() {
        assert_eq!(words("\u{feff}a//x\nb/* ; */c\\\nd\\\r\ne").0, ["a", "b", "c", "d", "e", ""]);
        for text in ["/*", "/*/", "/* *"] {
            assert_eq!(words(text), (vec![String::new()], vec!["E0503"]), "{text}");
        }
        assert_eq!(words("/**/x").0, ["x", ""]);
    }

    #[test]
    fn what_begins_nothing_is_skipped() {
        assert_eq!(
            words("a \u{e9}\u{e9} b `"),
            (["a", "b", ""].map(String::from).to_vec(), vec!["E0502", "E0502"])
        );
        assert_eq!(words("\"a b\" \"c").1, ["E0503"]);
    }

    #[test]
    fn long_names_are_cut() {
        let name = "n".repeat(MAX_NAME);
        assert_eq!(words(&format!("{name} b")), (vec![name.clone(), "b".into(), String::new()], vec![]));
        assert_eq!(words(&format!("{name}n b")), (vec![name, "b".into(), String::new()], vec!["E0501"]));
    }
}
