//! An expression of the model with its type in the language.

use beeline_ir::expr::{Expr, Range};

use crate::types::Type;

/// An expression and its type.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub expr: Expr,
    pub ty: Type,
}

impl Typed {
    pub fn bool(expr: Expr) -> Self {
        Self { expr, ty: Type::Bool }
    }
    pub fn int(expr: Expr, range: Range) -> Self {
        // What is known exactly has just one value.
        let range = if let Expr::Const(value) = expr { Range::new(value, value) } else { range };
        Self { expr, ty: Type::Int(range) }
    }
    pub fn word(expr: Expr, signed: bool, width: u32) -> Self {
        Self { expr, ty: Type::Word { signed, width } }
    }
}
