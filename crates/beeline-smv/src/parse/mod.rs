//! From text to syntax tree. The parser knows the grammar and no name; what cannot be read is reported, and the rest
//! is read on.

mod cursor;
mod expr;
mod types;
mod words;

use beeline_ir::diagnostic::Diagnostic;

use crate::ast::{Constraint, Document, Expr, ExprKind, Item, Module, Moment, Role, Spec, SpecKind};
use crate::messages::Messages;
use cursor::{Parse, Parser};

/// The modules of a file; what is wrong with it goes to the messages.
pub(crate) fn parse(text: &str, messages: &mut Messages) -> Document {
    let mut parser = Parser::new(text, messages);
    let mut document = Document::default();
    while !parser.at_end() {
        if parser.is_word("MODULE") {
            document.modules.extend(parser.module());
        } else {
            let wrong = parser.unexpected("`MODULE`");
            parser.messages.add(wrong);
            while !parser.at_end() && !parser.is_word("MODULE") {
                parser.bump();
            }
        }
    }
    document
}

/// A specification as a question by itself: with its keyword, or else in CTL.
pub(crate) fn parse_spec(text: &str, messages: &mut Messages) -> Option<Spec> {
    let mut parser = Parser::new(text, messages);
    let spec = match parser.at_section() {
        true => parser.spec(),
        false => parser.spec_body(SpecKind::Ctl),
    };
    let ended = spec.and_then(|spec| match parser.at_end() {
        true => Ok(spec),
        false => Err(parser.unexpected("the end of the specification")),
    });
    ended.map_err(|wrong| parser.messages.add(wrong)).ok()
}

/// The specifications of a text that holds nothing else, each with its keyword.
pub(crate) fn parse_specs(text: &str, messages: &mut Messages) -> Vec<Spec> {
    let mut parser = Parser::new(text, messages);
    let mut specs = Vec::new();
    while !parser.at_end() {
        match parser.spec() {
            Ok(spec) => specs.push(spec),
            Err(wrong) => {
                let before = parser.position();
                parser.recover(wrong);
                if parser.position() == before {
                    parser.bump();
                }
            }
        }
    }
    specs
}

impl Parser<'_, '_> {
    /// A module up to the next; `None` if it has no name.
    fn module(&mut self) -> Option<Module> {
        self.bump();
        let mut module = match self.header() {
            Ok(module) => Some(module),
            Err(wrong) => {
                self.recover(wrong);
                None
            }
        };
        while !self.at_end() && !self.is_word("MODULE") {
            let mut items = Vec::new();
            if let Err(wrong) = self.section(&mut items) {
                self.recover(wrong);
            }
            if let Some(module) = &mut module {
                module.items.append(&mut items);
            }
        }
        module
    }

    fn header(&mut self) -> Parse<Module> {
        let name = self.name("the name of a module")?;
        let mut parameters = Vec::new();
        if self.eat("(") && !self.eat(")") {
            parameters = self.list(|p| p.name("the name of a parameter"))?;
            self.expect(")", "after the parameters")?;
        }
        Ok(Module { name, parameters, items: Vec::new() })
    }

    /// One section; one that goes wrong in the middle has kept what came before.
    fn section(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        let word = self.peek();
        match word.text {
            "VAR" => self.entries(items, |p| p.variable(Role::State)),
            "IVAR" => self.entries(items, |p| p.variable(Role::Input)),
            "FROZENVAR" => self.entries(items, |p| p.variable(Role::Frozen)),
            "DEFINE" => self.entries(items, Self::define),
            "ASSIGN" => self.entries(items, Self::assign),
            "CONSTANTS" => {
                self.bump();
                if !self.eat(";") {
                    items.push(Item::Constants(self.list(|p| p.name("a symbol"))?));
                    self.expect(";", "after the symbols")?;
                }
                Ok(())
            }
            "INIT" => self.constraint(Constraint::Init, items),
            "INVAR" => self.constraint(Constraint::Invar, items),
            "TRANS" => self.constraint(Constraint::Trans, items),
            "FAIRNESS" | "JUSTICE" => {
                self.bump();
                items.push(Item::Fairness(vec![self.expr()?]));
                self.eat(";");
                Ok(())
            }
            "COMPASSION" => {
                self.bump();
                self.expect("(", "after `COMPASSION`")?;
                let both = self.list(Self::expr)?;
                self.expect(")", "after the two formulas")?;
                items.push(Item::Fairness(both));
                self.eat(";");
                Ok(())
            }
            "ISA" => {
                self.bump();
                items.push(Item::Isa(self.name("the name of a module")?));
                self.eat(";");
                Ok(())
            }
            "SPEC" | "CTLSPEC" | "LTLSPEC" | "INVARSPEC" | "PSLSPEC" | "COMPUTE" => {
                items.push(Item::Spec(self.spec()?));
                Ok(())
            }
            "PRED" | "MIRROR" => {
                self.bump();
                let message = format!("`{}` is not supported", word.text);
                Err(Diagnostic::unsupported("U0801", message, Some(word.span)))
            }
            _ => Err(self.unexpected("a section such as `VAR`, `ASSIGN` or `MODULE`")),
        }
    }

    /// The entries of a section, each by itself.
    fn entries(&mut self, items: &mut Vec<Item>, entry: fn(&mut Self) -> Parse<Item>) -> Parse<()> {
        self.bump();
        while !self.at_section() {
            match entry(self) {
                Ok(item) => items.push(item),
                Err(wrong) => self.recover(wrong),
            }
        }
        Ok(())
    }

    fn variable(&mut self, role: Role) -> Parse<Item> {
        let name = self.name("the name of a variable")?;
        self.expect(":", "after the name of the variable")?;
        let of = self.type_expr()?;
        self.expect(";", "after the declaration")?;
        Ok(Item::Var(role, name, of))
    }

    /// A path of names and indices.
    pub(super) fn path(&mut self) -> Parse<Expr> {
        let start = self.peek().span;
        let mut path = if self.eat_word("self") {
            self.make(ExprKind::SelfInstance, start)?
        } else {
            let name = self.name("the name of a variable or definition")?;
            self.make(ExprKind::Name(name.name), start)?
        };
        loop {
            if self.eat(".") {
                let field = self.name("a name after `.`")?;
                path = self.make(ExprKind::Dot(path.into(), field.name), start)?;
            } else if self.eat("[") {
                let index = self.expr()?;
                self.expect("]", "after the index")?;
                path = self.make(ExprKind::Index(path.into(), index.into()), start)?;
            } else {
                return Ok(path);
            }
        }
    }

    fn define(&mut self) -> Parse<Item> {
        let path = self.path()?;
        self.expect(":=", "after the name of the definition")?;
        let body = self.expr()?;
        self.expect(";", "after the definition")?;
        Ok(Item::Define(path, body))
    }

    fn assign(&mut self) -> Parse<Item> {
        let moment = if self.eat_word("init") {
            Moment::Init
        } else if self.eat_word("next") {
            Moment::Next
        } else {
            Moment::Always
        };
        let path = if moment == Moment::Always {
            self.path()?
        } else {
            self.expect("(", "before the variable assigned")?;
            let path = self.path()?;
            self.expect(")", "after the variable assigned")?;
            path
        };
        self.expect(":=", "after the variable assigned")?;
        let value = self.expr()?;
        self.expect(";", "after the assignment")?;
        Ok(Item::Assign(moment, path, value))
    }

    fn constraint(&mut self, kind: Constraint, items: &mut Vec<Item>) -> Parse<()> {
        self.bump();
        items.push(Item::Constraint(kind, self.expr()?));
        self.eat(";");
        Ok(())
    }

    fn spec(&mut self) -> Parse<Spec> {
        let kind = match self.peek().text {
            "INVARSPEC" => SpecKind::Invariant,
            "SPEC" | "CTLSPEC" => SpecKind::Ctl,
            "LTLSPEC" => SpecKind::Ltl,
            "PSLSPEC" => SpecKind::Psl,
            "COMPUTE" => SpecKind::Compute,
            _ => return Err(self.unexpected("a specification")),
        };
        self.bump();
        self.spec_body(kind)
    }

    /// After the keyword.
    fn spec_body(&mut self, kind: SpecKind) -> Parse<Spec> {
        let start = self.peek().span;
        let mut name = None;
        if self.eat_word("NAME") {
            name = Some(self.name("the name of the specification")?);
            if !self.eat(":=") {
                self.expect("=", "after the name of the specification")?;
            }
        }
        let (from, first) = (self.position(), self.peek().span);
        let (mut formula, mut inside) = (None, None);
        if matches!(kind, SpecKind::Psl | SpecKind::Compute) {
            while !self.at_section() && !self.is_symbol(";") {
                self.bump();
            }
        } else {
            formula = Some(self.expr()?);
        }
        let (text, span) =
            (self.written(from), self.since(if from == self.position() { start } else { first }));
        if self.eat_word("IN") {
            inside = Some(self.path()?);
        }
        self.eat(";");
        Ok(Spec { kind, name, formula, inside, text, span })
    }
}
