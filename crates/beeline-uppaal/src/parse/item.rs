//! The top level: declarations, processes, instantiations, the system line, and what may follow it.

use beeline_ir::diagnostic::Diagnostic;

use super::cursor::{Parse, Parser};
use crate::ast::{Document, Instance, Item, System};
use crate::lex::{Lexeme, Token};
use crate::query;

impl Parser<'_, '_> {
    /// Everything up to the end of the text.
    pub fn items(&mut self, document: &mut Document) {
        while !self.at_end() {
            if let Err(diagnostic) = self.item(document) {
                self.recover(diagnostic);
                if self.is_symbol("}") {
                    self.bump();
                }
            }
        }
    }

    fn item(&mut self, document: &mut Document) -> Parse<()> {
        let next = self.peek();
        match next.text {
            ";" => {
                self.bump();
            }
            "progress" | "gantt" if self.is_symbol_ahead(1, "{") => {
                self.bump();
                self.skip_block()?;
                let message = format!("`{}` says nothing about what is reachable, and is ignored", next.text);
                self.context.note("W0502", message, Some(self.since(next.span)));
            }
            "query" if self.is_symbol_ahead(1, "{") => {
                self.bump();
                let mut lexemes = self.skip_block()?.to_vec();
                let span = self.since(next.span);
                lexemes.push(Lexeme { token: Token::End, text: "", span });
                document.queries.extend(query::of_lexemes(lexemes));
            }
            _ if document.system.is_some() => {
                let diagnostic = self.unexpected("nothing more after the system line");
                self.bump();
                return Err(diagnostic);
            }
            "system" => document.system = Some(self.system()?),
            "process" => {
                let template = self.process()?;
                document.items.push(Item::Template(template));
            }
            _ if self.is_instance() => {
                let instance = self.instance()?;
                document.items.push(Item::Instance(instance));
            }
            _ if self.is_decl() => {
                let decl = self.decl()?;
                document.items.push(Item::Decl(decl));
            }
            _ => return Err(self.unexpected("a declaration, a process or the system line")),
        }
        Ok(())
    }

    fn is_instance(&self) -> bool {
        self.is_name_ahead(0) && ["=", ":=", "("].iter().any(|symbol| self.is_symbol_ahead(1, symbol))
    }

    /// `name(params) = template(args);`
    fn instance(&mut self) -> Parse<Instance> {
        let name = self.name("the name of the process")?;
        let params = self.optional_params()?;
        if !self.eat("=") && !self.eat(":=") {
            return Err(self.unexpected("`=` after the name of the process"));
        }
        let template = self.name("the name of a template")?;
        self.expect("(", "after the template")?;
        let args = if self.is_symbol(")") { Vec::new() } else { self.list(Self::expr)? };
        self.expect(")", "after the arguments")?;
        self.expect(";", "after the instantiation")?;
        let span = self.since(name.span);
        Ok(Instance { name, params, template, args, span })
    }

    /// `system A, B < C;`
    fn system(&mut self) -> Parse<System> {
        let start = self.bump().span;
        let mut groups = vec![Vec::new()];
        loop {
            let process = self.name("the name of a process")?;
            if let Some(group) = groups.last_mut() {
                group.push(process);
            }
            if self.eat("<") {
                groups.push(Vec::new());
            } else if !self.eat(",") {
                break;
            }
        }
        self.expect(";", "after the system line").map_err(|diagnostic: Diagnostic| {
            if self.is_symbol("(") {
                diagnostic.with_help("instantiate it first: `P1 = P(1);`, then `system P1;`")
            } else {
                diagnostic
            }
        })?;
        Ok(System { groups, span: self.since(start) })
    }
}
