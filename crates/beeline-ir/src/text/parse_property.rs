//! Properties.

use super::lex::Token;
use super::parse::{Parsed, Parser};
use crate::property::{Property, PropertyKind, Refusal};

impl<'a> Parser<'a> {
    /// After `property`: `[name] ["native text"] [@origin] : question`.
    pub fn property(&mut self) -> Parsed<Property> {
        let start = self.here();
        let name =
            if matches!(self.peek(), Token::Word(_) | Token::Quoted(_)) { Some(self.name()?) } else { None };
        let text = if matches!(self.peek(), Token::Text(_)) { Some(self.text()?) } else { None };
        let origin = self.origin(start)?;
        self.expect(":")?;
        let question = self.question()?;
        Ok(Property { name, text: text.or(question.text), origin, ..question })
    }

    /// `[local i in 0..3;] A[] p`, or another kind of question; a property without name.
    pub fn question(&mut self) -> Parsed<Property> {
        self.new_frame();
        if self.eat_word("local") {
            self.locals()?;
            self.expect(";")?;
        }
        let start = self.here();
        let word = match self.peek() {
            Token::Word(word) => *word,
            _ => "",
        };
        let kind = match word {
            "A" | "E" => self.quantified_path(word)?,
            "no" => {
                self.advance();
                self.expect("-")?;
                let what = if self.eat_word("runtime") {
                    PropertyKind::NoRuntimeError
                } else {
                    self.expect_word("assertion")?;
                    PropertyKind::NoAssertionFailure
                };
                self.expect("-")?;
                let last = if what == PropertyKind::NoRuntimeError { "error" } else { "failure" };
                self.expect_word(last)?;
                what
            }
            "never" => {
                self.advance();
                let process = self.process_name()?;
                self.expect_word("at")?;
                PropertyKind::NeverAt(process, self.list("{", "}", |p| p.location_name(process))?)
            }
            "unsupported" | "malformed" => {
                self.advance();
                PropertyKind::Refused(Refusal { malformed: word == "malformed", reason: self.text()? })
            }
            _ => {
                let kinds = "`A[]`, `E<>`, `no-runtime-error`, `no-assertion-failure` or `never P at {..}`";
                return Err(self.unexpected(kinds));
            }
        };
        // A refused question cannot be printed from its meaning, so that its words are kept.
        let refused = matches!(kind, PropertyKind::Refused(_)) && matches!(word, "A" | "E");
        let text = refused.then(|| self.text_since(start).to_string());
        Ok(Property { name: None, text, frame: self.new_frame(), kind, origin: None })
    }

    /// `A[] p` or `E<> p`; the other two are read and refused.
    fn quantified_path(&mut self, word: &str) -> Parsed<PropertyKind> {
        self.advance();
        let always = self.sees("[");
        self.advance();
        if !self.eat(if always { "]" } else { ">" }) {
            return Err(self.unexpected("`A[]` or `E<>`"));
        }
        let predicate = self.expr()?;
        Ok(match (word, always) {
            ("A", true) => PropertyKind::Always(predicate),
            ("E", false) => PropertyKind::Exists(predicate),
            (_, always) => PropertyKind::Refused(Refusal {
                malformed: false,
                reason: format!(
                    "`{word}{}` asks about whole runs; only `A[]` and `E<>` can be checked",
                    if always { "[]" } else { "<>" }
                ),
            }),
        })
    }
}
