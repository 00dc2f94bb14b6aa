//! The value of the condition of an `#if`, whose macros have been expanded. A name that is left is 0, as in C.

use crate::lex::{Kind, Token};

/// Levels of brackets that are followed.
const MAX_LEVELS: usize = 100;

/// The value of all tokens as one expression.
pub(super) fn value(tokens: &[Token]) -> Option<i64> {
    let mut reader = Reader { tokens, at: 0, level: 0 };
    let value = reader.binary(0)?;
    (reader.at == tokens.len()).then_some(value)
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    level: usize,
}

/// How tightly an operator of two operands binds.
fn strength(symbol: &str) -> Option<u8> {
    Some(match symbol {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Reader<'_> {
    fn binary(&mut self, least: u8) -> Option<i64> {
        let mut left = self.unary()?;
        while let Some(Token { kind: Kind::Symbol(symbol), .. }) = self.tokens.get(self.at)
            && let Some(strength) = strength(symbol)
            && strength > least
        {
            self.at += 1;
            let right = self.binary(strength)?;
            left = match *symbol {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<<" => left.checked_shl(u32::try_from(right).ok()?)?,
                ">>" => left.checked_shr(u32::try_from(right).ok()?)?,
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        self.level += 1;
        if self.level > MAX_LEVELS {
            return None;
        }
        let value = match token.kind {
            Kind::Int(value) => value,
            Kind::Name => 0,
            Kind::Symbol("!") => i64::from(self.unary()? == 0),
            Kind::Symbol("-") => self.unary()?.checked_neg()?,
            Kind::Symbol("~") => !self.unary()?,
            Kind::Symbol("(") => {
                let value = self.binary(0)?;
                let closed = self.tokens.get(self.at)?.is(")");
                self.at += 1;
                closed.then_some(value)?
            }
            _ => return None,
        };
        self.level -= 1;
        Some(value)
    }
}
