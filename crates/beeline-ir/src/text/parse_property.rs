//! Properties.

use super::lex::Token;
use super::parse::{Parsed, Parser};
use crate::property::{Property, PropertyKind};

impl<'a> Parser<'a> {
    /// After `property`: `[name] ["native text"] [@origin] : question`.
    pub fn property(&mut self) -> Parsed<Property> {
        let start = self.here();
        let name =
            if matches!(self.peek(), Token::Word(_) | Token::Quoted(_)) { Some(self.name()?) } else { None };
        let text = if matches!(self.peek(), Token::Text(_)) { Some(self.text()?) } else { None };
        let origin = self.origin(start)?;
        self.expect(":")?;
        Ok(Property { name, text, origin, ..self.question()? })
    }

    /// `[local i in 0..3;] A[] p`, or another kind of question; a property without name.
    pub fn question(&mut self) -> Parsed<Property> {
        self.new_frame();
        if self.eat_word("local") {
            self.locals()?;
            self.expect(";")?;
        }
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
            _ => {
                let kinds = "`A[]`, `E<>`, `no-runtime-error`, `no-assertion-failure` or `never P at {..}`";
                return Err(self.unexpected(kinds));
            }
        };
        Ok(Property { name: None, text: None, frame: self.new_frame(), kind, origin: None })
    }

    /// `A[] p` or `E<> p`; the other two are not handled.
    fn quantified_path(&mut self, word: &str) -> Parsed<PropertyKind> {
        let start = self.here();
        self.advance();
        let always = self.sees("[");
        self.advance();
        if !self.eat(if always { "]" } else { ">" }) {
            return Err(self.unexpected("`A[]` or `E<>`"));
        }
        match (word, always) {
            ("A", true) => Ok(PropertyKind::Always(self.expr()?)),
            ("E", false) => Ok(PropertyKind::Exists(self.expr()?)),
            _ => {
                let message = "only `A[]` and `E<>` can be checked";
                Err(self.unsupported("U0401", message, self.since(start)))
            }
        }
    }
}
