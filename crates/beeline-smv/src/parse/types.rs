//! Types, and instances of modules.

use super::cursor::{Parse, Parser};
use crate::ast::{Expr, TypeExpr, TypeKind};

impl Parser<'_, '_> {
    /// A type or an instance.
    pub fn type_expr(&mut self) -> Parse<TypeExpr> {
        self.nested(Self::type_here)
    }

    fn type_here(&mut self) -> Parse<TypeExpr> {
        let start = self.peek();
        let kind = match start.text {
            "boolean" => {
                self.bump();
                TypeKind::Boolean
            }
            "integer" | "real" => {
                self.bump();
                TypeKind::Unsupported(if start.text == "real" { "real" } else { "integer" })
            }
            "word" | "unsigned" | "signed" => {
                self.bump();
                if start.text != "word" && !self.eat_word("word") {
                    return Err(self.unexpected("`word`"));
                }
                TypeKind::Word(start.text == "signed", Box::new(self.width()?))
            }
            "array" => return self.array(),
            "process" => {
                self.bump();
                return self.instance(true);
            }
            "{" => {
                self.bump();
                let values = self.list(Self::shift_level)?;
                self.expect("}", "after the values of the type")?;
                TypeKind::Enum(values)
            }
            _ if self.is_name() && matches!(self.ahead(1).text, "(" | ";") => return self.instance(false),
            _ => {
                let low = self.shift_level()?;
                self.expect("..", "between the bounds of a range")?;
                let high = self.shift_level()?;
                TypeKind::Range(low.into(), high.into())
            }
        };
        Ok(TypeExpr { kind, span: self.since(start.span) })
    }

    fn shift_level(&mut self) -> Parse<Expr> {
        self.shift(0)
    }

    fn width(&mut self) -> Parse<Expr> {
        self.expect("[", "before the width of the word")?;
        let width = self.expr()?;
        self.expect("]", "after the width of the word")?;
        Ok(width)
    }

    fn array(&mut self) -> Parse<TypeExpr> {
        let start = self.bump().span;
        let odd = if self.eat_word("integer") {
            true
        } else if self.eat_word("word") {
            self.width()?;
            true
        } else {
            false
        };
        if odd {
            if !self.eat_word("of") {
                return Err(self.unexpected("`of`"));
            }
            self.type_expr()?;
            let kind = TypeKind::Unsupported("array over all integers or words");
            return Ok(TypeExpr { kind, span: self.since(start) });
        }
        let low = self.shift_level()?;
        self.expect("..", "between the bounds of the array")?;
        let high = self.shift_level()?;
        if !self.eat_word("of") {
            return Err(self.unexpected("`of`"));
        }
        let element = self.type_expr()?;
        let kind = TypeKind::Array(low.into(), high.into(), element.into());
        Ok(TypeExpr { kind, span: self.since(start) })
    }

    fn instance(&mut self, process: bool) -> Parse<TypeExpr> {
        let start = self.peek().span;
        let module = self.name("the name of a module")?;
        let mut arguments = Vec::new();
        if self.eat("(") && !self.eat(")") {
            arguments = self.list(Self::expr)?;
            self.expect(")", "after the parameters")?;
        }
        Ok(TypeExpr { kind: TypeKind::Instance(process, module, arguments), span: self.since(start) })
    }
}
