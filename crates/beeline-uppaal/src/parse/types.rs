//! Types, as written: prefixes, the type itself, and the dimensions that follow a name.

use beeline_ir::origin::Span;

use super::cursor::{Parse, Parser};
use super::expr::Tall;
use super::words::begins_type;
use crate::ast::{Declarator, Dim, Prefix, TypeExpr, TypeKind, VarDecl};
use crate::lex::Token;

impl Parser<'_, '_> {
    /// A type.
    pub fn type_expr(&mut self) -> Parse<TypeExpr> {
        Ok(self.nested(Self::tall_type)?.it)
    }

    /// Whether a type begins here that is not just a name.
    pub fn is_type_keyword(&self) -> bool {
        let next = self.peek();
        next.token == Token::Word && begins_type(next.text, self.context.syntax)
    }

    pub(super) fn tall_type(&mut self) -> Parse<Tall<TypeExpr>> {
        let start = self.peek().span;
        let prefixes = self.prefixes();
        let mut height = 0;
        let next = self.peek();
        let keyword = if next.token == Token::Word { next.text } else { "" };
        let simple = match keyword {
            "bool" => Some(TypeKind::Bool),
            "clock" => Some(TypeKind::Clock),
            "chan" => Some(TypeKind::Chan),
            "void" => Some(TypeKind::Void),
            "double" if !self.old() => Some(TypeKind::Double),
            // The only type whose name is not reserved: older models use it as a name of their own.
            "string" if self.is_name_ahead(1) && !self.old() => Some(TypeKind::String),
            _ => None,
        };
        let kind = if let Some(kind) = simple {
            self.bump();
            kind
        } else if self.eat_word("int") {
            if self.eat("[") {
                let low = self.tall_expr()?;
                self.expect(",", "between the bounds of the type")?;
                let high = self.tall_expr()?;
                self.expect("]", "after the bounds of the type")?;
                height = low.height.max(high.height);
                TypeKind::Int(Some(Box::new((low.it, high.it))))
            } else {
                TypeKind::Int(None)
            }
        } else if keyword == "scalar" && !self.old() {
            self.bump();
            self.expect("[", "after `scalar`")?;
            let size = self.tall_expr()?;
            self.expect("]", "after the size of the scalar set")?;
            height = size.height;
            TypeKind::Scalar(Box::new(size.it))
        } else if keyword == "struct" && !self.old() {
            self.bump();
            let fields = self.nested(Self::fields)?;
            height = fields.height;
            TypeKind::Struct(fields.it)
        } else if self.is_name_ahead(0) {
            TypeKind::Name(self.bump().text.to_string())
        } else {
            return Err(self.unexpected("a type"));
        };
        let span = self.since(start);
        let height = height + 1;
        self.check_depth(height, span)?;
        Ok(Tall { it: TypeExpr { prefixes, kind, span }, height })
    }

    fn prefixes(&mut self) -> Vec<(Prefix, Span)> {
        let mut prefixes = Vec::new();
        loop {
            let next = self.peek();
            let prefix = match next.text {
                _ if next.token != Token::Word => return prefixes,
                "const" => Prefix::Const,
                "urgent" => Prefix::Urgent,
                "broadcast" => Prefix::Broadcast,
                "meta" if !self.old() => Prefix::Meta,
                "hybrid" if !self.old() => Prefix::Hybrid,
                _ => return prefixes,
            };
            self.bump();
            prefixes.push((prefix, next.span));
        }
    }

    /// `{ int a, b[2]; bool c; }`
    fn fields(&mut self) -> Parse<Tall<Vec<VarDecl>>> {
        self.expect("{", "after `struct`")?;
        let (mut fields, mut height) = (Vec::new(), 0);
        while !self.eat("}") {
            let ty = self.nested(Self::tall_type)?;
            height = height.max(ty.height);
            let items = self.list(|p| {
                let name = p.name("the name of a field")?;
                let dims = p.tall_dims()?;
                height = height.max(dims.height);
                Ok(Declarator { name, dims: dims.it, init: None })
            })?;
            self.expect(";", "after the field")?;
            fields.push(VarDecl { ty: ty.it, items });
        }
        Ok(Tall { it: fields, height })
    }

    /// The dimensions after a name: `[3][id_t]`.
    pub fn dims(&mut self) -> Parse<Vec<Dim>> {
        Ok(self.tall_dims()?.it)
    }

    fn tall_dims(&mut self) -> Parse<Tall<Vec<Dim>>> {
        let (mut dims, mut height) = (Vec::new(), 0);
        while self.eat("[") {
            if self.is_type_keyword() {
                let ty = self.nested(Self::tall_type)?;
                height = height.max(ty.height);
                dims.push(Dim::Type(ty.it));
            } else {
                let size = self.tall_expr()?;
                height = height.max(size.height);
                dims.push(Dim::Expr(size.it));
            }
            self.expect("]", "after the size of the array")?;
        }
        Ok(Tall { it: dims, height })
    }
}
