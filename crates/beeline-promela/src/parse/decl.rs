//! Declarations of variables.

use beeline_ir::diagnostic::Diagnostic;

use super::{Parse, Parser};
use crate::ast::{Decl, Expr, Init, Name, Type};
use crate::lex::Kind;
use crate::preprocess::ignored;

impl Parser<'_> {
    /// Whether a declaration begins here.
    pub(super) fn at_declaration(&self) -> bool {
        let token = self.peek();
        if token.kind != Kind::Name {
            return false;
        }
        match &*token.text {
            "hidden" | "show" | "local" => true,
            "mtype" => self.ahead(1).kind == Kind::Name || self.ahead(1).is(":"),
            word => word_type(word).is_some() || word == "unsigned" || self.typedefs.contains(&token.text),
        }
    }

    /// `type x, y = e` with a separator after it.
    pub(super) fn declaration(&mut self) -> Parse<Vec<Decl>> {
        let declared = self.declaration_list()?;
        self.eat(";");
        Ok(declared)
    }

    /// `type x, y = e`. In a list of parameters, a comma may also be followed by the next type.
    pub(super) fn declaration_list(&mut self) -> Parse<Vec<Decl>> {
        let visibility = self.peek().clone();
        if ["hidden", "show", "local"].iter().any(|w| visibility.is_word(w)) {
            self.bump();
            ignored(self.messages, &format!("`{}`", visibility.text), visibility.span);
        }
        let place = self.peek().span;
        let word = self.peek().text.clone();
        let ty = match &*word {
            "unsigned" => None,
            "mtype" => Some(Type::Mtype(None)),
            word => word_type(word).or_else(|| Some(Type::Record(word.into()))),
        };
        self.bump();
        let ty = if ty == Some(Type::Mtype(None)) { Some(self.mtype_set()?) } else { ty };
        let mut declared = Vec::new();
        loop {
            let span = self.peek().span;
            let written = self.name("the name of a variable")?;
            let mut ty = ty.clone();
            if self.eat(":") {
                if ty.is_some() {
                    let message = "only an `unsigned` has a number of bits, as in `unsigned x : 4`";
                    return Err(Diagnostic::error("E0913", message, Some(span)));
                }
                let bits = self.primary_constant()?;
                ty = Some(Type::Unsigned(width(&bits)?));
            }
            let Some(ty) = ty else {
                let message = "the number of bits is missing, as in `unsigned x : 4`";
                return Err(Diagnostic::error("E0913", message, Some(span)));
            };
            let len = match self.eat("[") {
                true => {
                    let len = self.expr()?;
                    self.expect("]", "after the number of elements")?;
                    Some(len)
                }
                false => None,
            };
            let init = if self.eat("=") { Some(self.init_value()?) } else { None };
            let name = self.declare(&written);
            declared.push(Decl { name, written, ty, len, init, span });
            let more = self.peek_is(",") && self.ahead(1).kind == Kind::Name;
            if !more || self.ahead_is_type() {
                break;
            }
            self.bump();
        }
        if declared.is_empty() {
            return Err(Diagnostic::error("E0906", "no variable is declared here", Some(place)));
        }
        Ok(declared)
    }

    /// Whether a type stands after the comma here.
    fn ahead_is_type(&self) -> bool {
        let next = self.ahead(1);
        let is_type = word_type(&next.text).is_some() || ["unsigned", "mtype"].contains(&&*next.text);
        is_type || (self.typedefs.contains(&next.text) && self.ahead(2).kind == Kind::Name)
    }

    fn init_value(&mut self) -> Parse<Init> {
        if self.peek_is("[") {
            self.bump();
            let capacity = self.expr()?;
            self.expect("]", "after the capacity")?;
            self.expect_word("of")?;
            self.expect("{", "before the types of the fields")?;
            let mut fields = Vec::new();
            while !self.eat("}") {
                fields.push(self.field_type()?);
                if !self.eat(",") && !self.peek_is("}") {
                    return Err(self.unexpected("`,` between the types of the fields"));
                }
            }
            return Ok(Init::Channel { capacity, fields });
        }
        if self.eat("{") {
            let mut values = Vec::new();
            while !self.eat("}") {
                values.push(self.expr()?);
                self.eat(",");
            }
            return Ok(Init::List(values));
        }
        if self.peek().is_word("c_expr") {
            return Err(self.embedded_c());
        }
        Ok(Init::Value(self.expr()?))
    }

    /// After `mtype`: the set that it is restricted to, if it is.
    fn mtype_set(&mut self) -> Parse<Type> {
        let set = if self.eat(":") { Some(self.name("the set of symbols")?) } else { None };
        Ok(Type::Mtype(set))
    }

    fn field_type(&mut self) -> Parse<(Type, beeline_ir::origin::Span)> {
        let token = self.peek().clone();
        if token.kind != Kind::Name {
            return Err(self.unexpected("the type of a field"));
        }
        self.bump();
        let ty = match &*token.text {
            "mtype" => self.mtype_set()?,
            "unsigned" => {
                let bits = if self.eat(":") { width(&self.primary_constant()?)? } else { 32 };
                Type::Unsigned(bits)
            }
            word => word_type(word).unwrap_or_else(|| Type::Record(word.into())),
        };
        Ok((ty, token.span))
    }

    /// A name for a variable that is its own within the process type.
    fn declare(&mut self, written: &Name) -> Name {
        let Some(scope) = self.scopes.last_mut() else { return written.clone() };
        let mut name = written.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{written}'{number}").into();
        }
        scope.insert(written.clone(), name.clone());
        name
    }

    /// A variable of the process type that the user has not written.
    pub(super) fn invent(&mut self, span: beeline_ir::origin::Span) -> Name {
        self.made += 1;
        let name: Name = format!("_tmp{}", self.made).into();
        let decl =
            Decl { name: name.clone(), written: name.clone(), ty: Type::Int, len: None, init: None, span };
        self.locals.push(decl);
        name
    }

    /// What a name as written stands for.
    pub(super) fn scoped(&self, written: &Name) -> Name {
        self.scopes.iter().rev().find_map(|scope| scope.get(written)).unwrap_or(written).clone()
    }

    /// A number, or an expression in brackets.
    pub(super) fn primary_constant(&mut self) -> Parse<Expr> {
        self.nested(Self::unary)
    }
}

fn word_type(word: &str) -> Option<Type> {
    Some(match word {
        "bit" | "bool" => Type::Bit,
        "byte" => Type::Byte,
        "short" => Type::Short,
        "int" => Type::Int,
        "pid" => Type::Pid,
        "chan" => Type::Chan,
        _ => return None,
    })
}

fn width(bits: &Expr) -> Parse<u32> {
    match bits.kind {
        crate::ast::ExprKind::Int(bits @ 1..=32) => Ok(bits as u32),
        _ => Err(Diagnostic::error("E0913", "a variable has from 1 to 32 bits", Some(bits.span))),
    }
}
