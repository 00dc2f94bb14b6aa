//! Expressions to numbers, choices to conditions. Definitions are written out in the IR, so equal parts are found again
//! by hash-consing and translated once.
//!
//! Errors are as in the kernel: `And`, `Or` and `If` evaluate only what they need, from left to right; a constraint that
//! fails does not hold; a choice of which a part fails has no value, and values outside of the range are left out.

use crate::bdd::{Bdd, Bdds, Made};
use crate::encoding::{Encoding, Place};
use crate::number::Number;
use beeline_ir::VarId;
use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use beeline_ir::limits::StopReason;
use beeline_ir::relation::{Choice, RelationRole};
use rustc_hash::FxHashMap;

/// Why an expression has no diagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotMade {
    /// A limit was reached.
    Stopped(StopReason),
    /// It is of a kind that only networks have.
    Unsupported(&'static str),
}

impl From<StopReason> for NotMade {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// The position of a part that was translated.
type Part = usize;

/// An expression, up to its parts.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Const(i64),
    Var(VarId),
    Next(VarId),
    Unary(UnaryOp, Part),
    Binary(BinaryOp, Part, Part),
    And(Vec<Part>),
    Or(Vec<Part>),
    If(Part, Part, Part),
    Deadlock,
}

/// Translates expressions.
pub(crate) struct Translator<'a> {
    b: &'a Bdds,
    encoding: &'a Encoding,
    /// The states without successor, once they are known.
    deadlock: Option<Bdd>,
    parts: FxHashMap<Shape, Part>,
    numbers: Vec<Number>,
}

impl<'a> Translator<'a> {
    pub fn new(b: &'a Bdds, encoding: &'a Encoding) -> Self {
        Self { b, encoding, deadlock: None, parts: FxHashMap::default(), numbers: Vec::new() }
    }
    /// With this answer to `Deadlock`.
    pub fn knowing_deadlocks(self, deadlock: Bdd) -> Self {
        Self { deadlock: Some(deadlock), ..self }
    }
    /// The value of an expression; with `primed`, in the next state.
    pub fn number(&mut self, expr: &Expr, primed: bool) -> Result<&Number, NotMade> {
        let part = self.part(expr, primed)?;
        Ok(&self.numbers[part])
    }
    /// Where a constraint holds.
    pub fn constraint(&mut self, expr: &Expr, primed: bool) -> Result<Bdd, NotMade> {
        let b = self.b;
        Ok(self.number(expr, primed)?.holds(b)?)
    }
    /// Where a variable has one of the values of a choice; with `next`, in the next state.
    pub fn assignment(&mut self, var: VarId, choice: &Choice, next: bool) -> Result<Bdd, NotMade> {
        let value = self.variable(var, next)?;
        let (defined, chosen) = self.choice(choice, &value)?;
        Ok(self.b.and(&defined, &chosen)?)
    }
    /// Where a choice has values, and where one of them is this.
    fn choice(&mut self, choice: &Choice, value: &Number) -> Result<(Bdd, Bdd), NotMade> {
        let b = self.b;
        Ok(match choice {
            Choice::One(expr) => {
                let number = self.number(expr, false)?;
                (number.defined.clone(), number.equal(value, b)?)
            }
            Choice::Between(lo, hi) => {
                let lo = self.number(lo, false)?.clone();
                let hi = self.number(hi, false)?;
                let outside = b.or(&value.less(&lo, b)?, &hi.less(value, b)?)?;
                (b.and(&lo.defined, &hi.defined)?, b.not(&outside)?)
            }
            Choice::Union(parts) => {
                let (mut defined, mut chosen) = (b.yes(), b.no());
                for part in parts {
                    let (d, c) = self.choice(part, value)?;
                    defined = b.and(&defined, &d)?;
                    chosen = b.or(&chosen, &c)?;
                }
                (defined, chosen)
            }
            Choice::If(condition, then, otherwise) => {
                let condition = self.number(condition, false)?.clone();
                let truth = condition.truth(b)?;
                let (then, otherwise) = (self.choice(then, value)?, self.choice(otherwise, value)?);
                let defined = b.ite(&truth, &then.0, &otherwise.0)?;
                (b.and(&condition.defined, &defined)?, b.ite(&truth, &then.1, &otherwise.1)?)
            }
        })
    }
    fn part(&mut self, expr: &Expr, primed: bool) -> Result<Part, NotMade> {
        let shape = match expr {
            Expr::Const(value) => Shape::Const(*value),
            Expr::Var(var) if !primed => Shape::Var(*var),
            Expr::Var(var) | Expr::Next(var) => match self.encoding.places[var.index()].role {
                RelationRole::State => Shape::Next(*var),
                RelationRole::Input | RelationRole::Frozen => Shape::Var(*var),
            },
            Expr::Unary(op, operand) => Shape::Unary(*op, self.part(operand, primed)?),
            Expr::Binary(op, left, right) => {
                Shape::Binary(*op, self.part(left, primed)?, self.part(right, primed)?)
            }
            Expr::And(operands) => Shape::And(self.all_parts(operands, primed)?),
            Expr::Or(operands) => Shape::Or(self.all_parts(operands, primed)?),
            Expr::If(condition, then, otherwise) => Shape::If(
                self.part(condition, primed)?,
                self.part(then, primed)?,
                self.part(otherwise, primed)?,
            ),
            Expr::Deadlock => Shape::Deadlock,
            Expr::Quantified(..) | Expr::Local(_) | Expr::LocalElem(..) => {
                return Err(NotMade::Unsupported("quantifiers"));
            }
            _ => return Err(NotMade::Unsupported("expressions about processes, channels or clocks")),
        };
        if let Some(part) = self.parts.get(&shape) {
            return Ok(*part);
        }
        let number = self.make(&shape)?;
        self.numbers.push(number);
        self.parts.insert(shape, self.numbers.len() - 1);
        Ok(self.numbers.len() - 1)
    }
    fn all_parts(&mut self, operands: &[Expr], primed: bool) -> Result<Vec<Part>, NotMade> {
        operands.iter().map(|operand| self.part(operand, primed)).collect()
    }
    fn make(&self, shape: &Shape) -> Result<Number, NotMade> {
        let b = self.b;
        Ok(match shape {
            Shape::Const(value) => Number::constant(*value, b),
            Shape::Var(var) => self.variable(*var, false)?,
            Shape::Next(var) => self.variable(*var, true)?,
            Shape::Unary(op, operand) => self.numbers[*operand].unary(*op, b)?,
            Shape::Binary(op, left, right) => self.numbers[*left].binary(*op, &self.numbers[*right], b)?,
            Shape::And(operands) => {
                Number::in_turn(operands.iter().map(|part| &self.numbers[*part]), true, b)?
            }
            Shape::Or(operands) => {
                Number::in_turn(operands.iter().map(|part| &self.numbers[*part]), false, b)?
            }
            Shape::If(condition, then, otherwise) => {
                let condition = &self.numbers[*condition];
                let (then, otherwise) = (&self.numbers[*then], &self.numbers[*otherwise]);
                let mut chosen = Number::select(&condition.truth(b)?, then, otherwise, b)?;
                chosen.defined = b.and(&condition.defined, &chosen.defined)?;
                chosen
            }
            Shape::Deadlock => {
                let none = NotMade::Unsupported("`deadlock` outside of a property");
                let deadlock = self.deadlock.clone().ok_or(none)?;
                Number::truth_value(deadlock, b.yes(), b)
            }
        })
    }
    /// The value of a variable.
    fn variable(&self, var: VarId, next: bool) -> Made<Number> {
        let place: &Place = &self.encoding.places[var.index()];
        place.number(if next { &place.next } else { &place.current }, self.b)
    }
}
