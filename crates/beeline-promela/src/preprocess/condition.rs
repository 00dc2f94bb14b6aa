//! The value of the condition of an `#if`, whose macros have been expanded. Numbers have 64 bits, with a sign or without,
//! and a name that is left is 0, as in C. What is not evaluated, such as the right side of `0 && 1 / 0`, may be anything.

use crate::lex::{Kind, Token};

/// Levels of brackets that are followed.
const MAX_LEVELS: usize = 100;

/// Whether all tokens as one expression are true.
pub(super) fn holds(tokens: &[Token]) -> Option<bool> {
    let mut reader = Reader { tokens, at: 0, level: 0 };
    let value = reader.choice(true)?;
    (reader.at == tokens.len()).then_some(value.bits != 0)
}

/// A number.
#[derive(Copy, Clone)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn truth(holds: bool) -> Self {
        Self { bits: i64::from(holds), unsigned: false }
    }

    /// A number or character as it is written: octal if it begins with 0.
    fn written(token: &Token) -> Option<Self> {
        if let (Kind::Int(bits), true) = (token.kind, token.text.starts_with('\'')) {
            return Some(Self { bits, unsigned: false });
        }
        let text = token.text.to_ascii_lowercase();
        let digits = text.trim_end_matches(['u', 'l']);
        let based =
            |prefix: &str, base| digits.strip_prefix(prefix).map(|rest| u64::from_str_radix(rest, base));
        let octal = || based("0", 8).filter(|_| digits.len() > 1);
        let number = based("0x", 16).or(based("0b", 2)).or_else(octal).unwrap_or_else(|| digits.parse());
        let number = number.ok()?;
        let unsigned = text[digits.len()..].contains('u') || i64::try_from(number).is_err();
        Some(Self { bits: number.cast_signed(), unsigned })
    }
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

/// What an operator makes of two numbers; nothing if it divides by zero.
fn apply(symbol: &str, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (natural_a, natural_b) = (a.cast_unsigned(), b.cast_unsigned());
    let order = if unsigned { natural_a.cmp(&natural_b) } else { a.cmp(&b) };
    let bits = match symbol {
        "||" => return Some(Value::truth(a != 0 || b != 0)),
        "&&" => return Some(Value::truth(a != 0 && b != 0)),
        "==" => return Some(Value::truth(a == b)),
        "!=" => return Some(Value::truth(a != b)),
        "<" => return Some(Value::truth(order.is_lt())),
        ">" => return Some(Value::truth(order.is_gt())),
        "<=" => return Some(Value::truth(order.is_le())),
        ">=" => return Some(Value::truth(order.is_ge())),
        "<<" | ">>" => {
            let left_wards = (symbol == "<<") == (right.unsigned || b >= 0);
            let amount = if right.unsigned { natural_b } else { b.unsigned_abs() };
            return Some(shifted(left, left_wards, amount));
        }
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if unsigned => natural_a.checked_div(natural_b)?.cast_signed(),
        "%" if unsigned => natural_a.checked_rem(natural_b)?.cast_signed(),
        _ if b == 0 => return None,
        "/" => a.wrapping_div(b),
        _ => a.wrapping_rem(b),
    };
    Some(Value { bits, unsigned })
}

/// By less than nothing is the other way, and by more bits than there are leaves none.
fn shifted(value: Value, left_wards: bool, amount: u64) -> Value {
    let amount = u32::try_from(amount.min(64)).unwrap_or(64);
    let natural = value.bits.cast_unsigned();
    let bits = match (left_wards, value.unsigned) {
        (true, _) => natural.checked_shl(amount).unwrap_or(0).cast_signed(),
        (false, true) => natural.checked_shr(amount).unwrap_or(0).cast_signed(),
        (false, false) => value.bits >> amount.min(63),
    };
    Value { bits, ..value }
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    level: usize,
}

impl Reader<'_> {
    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t.is(symbol));
        self.at += usize::from(found);
        found
    }

    fn nested(&mut self, rule: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
        self.level += 1;
        let value = if self.level > MAX_LEVELS { None } else { rule(self) };
        self.level -= 1;
        value
    }

    /// `p ? a : b`, of which one side counts; the whole only if it is `live`.
    fn choice(&mut self, live: bool) -> Option<Value> {
        let test = self.binary(0, live)?;
        if !self.eat("?") {
            return Some(test);
        }
        let holds = test.bits != 0;
        let yes = self.nested(|r| r.choice(live && holds))?;
        if !self.eat(":") {
            return None;
        }
        let no = self.nested(|r| r.choice(live && !holds))?;
        let chosen = if holds { yes } else { no };
        Some(Value { unsigned: yes.unsigned || no.unsigned, ..chosen })
    }

    fn binary(&mut self, least: u8, live: bool) -> Option<Value> {
        let mut left = self.nested(|r| r.unary(live))?;
        while let Some(Token { kind: Kind::Symbol(symbol), .. }) = self.tokens.get(self.at)
            && let Some(strength) = strength(symbol)
            && strength > least
        {
            self.at += 1;
            let decided = matches!((*symbol, left.bits != 0), ("||", true) | ("&&", false));
            let right = self.binary(strength, live && !decided)?;
            left = match apply(symbol, left, right) {
                None if !live => Value::truth(false),
                value => value?,
            };
        }
        Some(left)
    }

    fn unary(&mut self, live: bool) -> Option<Value> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        let inner = |r: &mut Self| r.nested(|r| r.unary(live));
        Some(match token.kind {
            Kind::Int(_) | Kind::Strange => Value::written(token)?,
            Kind::Name | Kind::Kept => Value::truth(false),
            Kind::Symbol("!") => Value::truth(inner(self)?.bits == 0),
            // One symbol of Promela, two of C.
            Kind::Symbol("!!") => Value::truth(inner(self)?.bits != 0),
            Kind::Symbol("+") => inner(self)?,
            Kind::Symbol("-") => {
                let value = inner(self)?;
                Value { bits: value.bits.wrapping_neg(), ..value }
            }
            Kind::Symbol("~") => {
                let value = inner(self)?;
                Value { bits: !value.bits, ..value }
            }
            Kind::Symbol("(") => {
                let value = self.nested(|r| r.choice(live))?;
                self.eat(")").then_some(value)?
            }
            _ => return None,
        })
    }
}
