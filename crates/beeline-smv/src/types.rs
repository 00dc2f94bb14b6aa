//! Types of values, and how a value is written as a number of the model. A truth value is 0 or 1, an integer and a
//! word are themselves, a value of an enumeration is its position in the list of all its values: so a variable has
//! no more values than it needs, and a comparison with a symbol is one with a constant.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use beeline_ir::expr::Range;

/// A value of an enumeration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Value {
    Int(i64),
    Symbol(Rc<str>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(n) => write!(f, "{n}"),
            Self::Symbol(s) => write!(f, "{s}"),
        }
    }
}

/// The values of an enumeration, each with its position. Types are compared all the time, so equal lists should be
/// one list.
#[derive(Clone, Debug)]
pub(crate) struct Table(Rc<Listed>);

#[derive(Debug)]
struct Listed {
    values: Vec<Value>,
    positions: HashMap<Value, i64>,
    kind: Kind,
}

impl Table {
    /// These values, no two of which are equal.
    pub fn new(values: Vec<Value>) -> Self {
        let symbols = values.iter().filter(|v| matches!(v, Value::Symbol(_))).count();
        let kind = match symbols {
            0 => Kind::Int,
            n if n == values.len() => Kind::Symbolic,
            _ => Kind::Mixed,
        };
        let positions = values.iter().cloned().zip(0..).collect();
        Self(Rc::new(Listed { values, positions, kind }))
    }
    /// All of them.
    pub fn values(&self) -> &[Value] {
        &self.0.values
    }
    fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.0.values == other.0.values
    }
}
impl Eq for Table {}
impl Hash for Table {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.values.hash(state);
    }
}

/// The type of a scalar expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Type {
    Bool,
    /// Integers between these; a value is itself.
    Int(Range),
    /// One of these; a value is its position.
    Enum(Table),
    /// Words of so many bits; a value is the number that the bits stand for.
    Word {
        signed: bool,
        width: u32,
    },
}

/// What types are told apart by.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Bool,
    Int,
    Symbolic,
    /// Integers and symbols.
    Mixed,
    Word(bool, u32),
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool => write!(f, "a boolean"),
            Self::Int => write!(f, "an integer"),
            Self::Symbolic => write!(f, "a symbol"),
            Self::Mixed => write!(f, "an integer or symbol"),
            Self::Word(signed, width) => {
                write!(f, "{} word[{width}]", if *signed { "a signed" } else { "an unsigned" })
            }
        }
    }
}

impl Kind {
    /// Whether values of both kinds can be compared, and stand in one set.
    pub fn fits(self, other: Kind) -> bool {
        let enumerated = |k| matches!(k, Kind::Int | Kind::Symbolic | Kind::Mixed);
        let apart = matches!((self, other), (Kind::Int, Kind::Symbolic) | (Kind::Symbolic, Kind::Int));
        self == other || (enumerated(self) && enumerated(other) && !apart)
    }
}

/// The range of a word.
pub(crate) fn word_range(signed: bool, width: u32) -> Range {
    match signed {
        true => Range::new(-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => Range::new(0, (1 << width) - 1),
    }
}

impl Type {
    /// The type of these values of an enumeration. Successive integers are a range.
    pub fn of_values(values: Vec<Value>) -> Self {
        let int = |v: &Value| match v {
            Value::Int(n) => Some(*n),
            Value::Symbol(_) => None,
        };
        if let Some(ints) = values.iter().map(int).collect::<Option<Vec<i64>>>()
            && let (Some(lo), Some(hi)) = (ints.iter().min(), ints.iter().max())
            && Range::new(*lo, *hi).size() == ints.len() as u128
        {
            return Self::Int(Range::new(*lo, *hi));
        }
        Self::Enum(Table::new(values))
    }
    /// What it is told apart by.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Bool => Kind::Bool,
            Self::Int(_) => Kind::Int,
            Self::Word { signed, width } => Kind::Word(*signed, *width),
            Self::Enum(table) => table.0.kind,
        }
    }
    /// The numbers that stand for its values.
    pub fn range(&self) -> Range {
        match self {
            Self::Bool => Range::BOOL,
            Self::Int(range) => *range,
            Self::Enum(table) => Range::new(0, table.values().len() as i64 - 1),
            Self::Word { signed, width } => word_range(*signed, *width),
        }
    }
    /// The value that a number of its range stands for, as the language writes it.
    pub fn shown(&self, number: i64) -> String {
        match self {
            Self::Bool => if number != 0 { "TRUE" } else { "FALSE" }.to_string(),
            Self::Int(_) => number.to_string(),
            Self::Enum(_) => self.value(number).map_or_else(|| "?".into(), |value| value.to_string()),
            Self::Word { signed, width } => word_text(*signed, *width, number),
        }
    }
    /// The integer or symbol that a number of its range stands for.
    pub fn value(&self, number: i64) -> Option<Value> {
        match self {
            Self::Int(_) => Some(Value::Int(number)),
            Self::Enum(table) => usize::try_from(number).ok().and_then(|i| table.values().get(i)).cloned(),
            Self::Bool | Self::Word { .. } => None,
        }
    }
    /// The number that stands for an integer or symbol.
    pub fn number(&self, value: &Value) -> Option<i64> {
        match (self, value) {
            (Self::Int(range), Value::Int(n)) => range.contains(*n).then_some(*n),
            (Self::Enum(table), value) => table.0.positions.get(value).copied(),
            _ => None,
        }
    }
    /// Whether every value of the other type is one of this.
    pub fn holds(&self, other: &Type) -> bool {
        match (self, other) {
            (Self::Int(all), Self::Int(part)) => all.lo <= part.lo && part.hi <= all.hi,
            (Self::Enum(all), Self::Enum(part)) if all.is(part) => true,
            (Self::Enum(all), Self::Int(part)) => {
                part.size() <= all.values().len() as u128
                    && part.values().all(|n| self.number(&Value::Int(n)).is_some())
            }
            (Self::Int(_) | Self::Enum(_), Self::Enum(part)) => {
                part.values().iter().all(|v| self.number(v).is_some())
            }
            _ => self == other,
        }
    }
}

/// A word as the language writes it.
pub(crate) fn word_text(signed: bool, width: u32, number: i64) -> String {
    match (signed, number < 0) {
        (false, _) => format!("0ud{width}_{number}"),
        (true, false) => format!("0sd{width}_{number}"),
        (true, true) => format!("-0sd{width}_{}", number.unsigned_abs()),
    }
}
