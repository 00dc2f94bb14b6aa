//! Guards and updates of the commonest shapes, executed without the bytecode: conjunctions of comparisons of scalars and
//! array elements with constants, and sequences of constants and scalars stored in scalars and of clocks set to
//! constants. The routines stay what everything else looks at; a shortcut does the same, faster.

use beeline_ir::expr::{BinaryOp, Expr, Range, RuntimeError, UnaryOp};
use beeline_ir::layout::Layout;
use beeline_ir::network::{Edge, Network};
use beeline_ir::stmt::{Place, Stmt, Store};
use beeline_ir::{ClockId, VarId};

use crate::arithmetic;
use crate::edge::{ClockEffect, Effects};

/// Whether a value, or the difference of two, lies in an interval, or outside of it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Test {
    value: Term,
    minus: Option<u32>,
    /// The least value of the interval, and how far it goes beyond that.
    least: i64,
    beyond: u64,
    outside: bool,
}

/// A slot, or an element of an array whose index, the value of another slot, is always within it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Term {
    slot: u32,
    index: Option<u32>,
}

impl Term {
    #[inline]
    fn value(self, state: &[i64]) -> i64 {
        let index = self.index.map_or(0, |index| state[index as usize] as usize);
        state[self.slot as usize + index]
    }
}

impl Test {
    /// Whether it holds.
    #[inline]
    pub fn holds(&self, state: &[i64]) -> bool {
        let minus = self.minus.map_or(0, |slot| state[slot as usize]);
        let above = self.value.value(state).wrapping_sub(minus).wrapping_sub(self.least);
        (above as u64 <= self.beyond) != self.outside
    }

    /// `term op constant`; `None` if the operator is no comparison.
    fn compare(value: Term, op: BinaryOp, constant: i64) -> Option<Self> {
        let within = |least: i64, greatest: i64, outside: bool| {
            let beyond = greatest.wrapping_sub(least) as u64;
            Some(Self { value, minus: None, least, beyond, outside })
        };
        let never = within(i64::MIN, i64::MAX, true);
        match op {
            BinaryOp::Eq => within(constant, constant, false),
            BinaryOp::Ne => within(constant, constant, true),
            BinaryOp::Le => within(i64::MIN, constant, false),
            BinaryOp::Ge => within(constant, i64::MAX, false),
            BinaryOp::Lt => constant.checked_sub(1).map_or(never, |most| within(i64::MIN, most, false)),
            BinaryOp::Gt => constant.checked_add(1).map_or(never, |least| within(least, i64::MAX, false)),
            _ => None,
        }
    }

    /// Whether two values are equal; the wrapped difference is 0 for no other values.
    fn equal(value: Term, other: u32, outside: bool) -> Self {
        Self { value, minus: Some(other), least: 0, beyond: 0, outside }
    }
}

/// One statement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A constant within the range of its slot.
    Set(usize, i64),
    /// The value of a slot plus a number, which must be within the range.
    Copy(usize, usize, i64, Range),
    /// The value of a select variable, which fits.
    Select(usize, usize),
    /// A clock is set.
    Clock(ClockId, i64),
}

impl Step {
    /// Does it.
    #[inline]
    pub fn run(self, selects: &[i64], state: &mut [i64], effects: &mut Effects) -> Result<(), RuntimeError> {
        match self {
            Self::Set(slot, value) => state[slot] = value,
            Self::Select(slot, select) => state[slot] = selects[select],
            Self::Copy(slot, from, plus, range) => {
                let value = arithmetic::binary(BinaryOp::Add, state[from], plus)?;
                if !range.contains(value) {
                    return Err(RuntimeError::Range);
                }
                state[slot] = value;
            }
            Self::Clock(clock, value) => effects.clock_ops.push(ClockEffect::Set(clock, value)),
        }
        Ok(())
    }
}

/// The tests that a guard begins with, and whether they are all of it; `None` if it is never true. Tests cannot fail, so
/// that it is right to try them first.
pub fn tests(network: &Network, layout: &Layout, guard: &Expr) -> Option<(Vec<Test>, bool)> {
    let mut tests = Vec::new();
    // What remains, the first conjunct last.
    let mut open = vec![guard];
    while let Some(conjunct) = open.pop() {
        if let Expr::And(conjuncts) = conjunct {
            open.extend(conjuncts.iter().rev());
            continue;
        }
        match test(network, layout, conjunct) {
            Some(Known::Always) => {}
            Some(Known::Never) => return None,
            Some(Known::If(test)) => tests.push(test),
            None => return Some((tests, false)),
        }
    }
    Some((tests, true))
}

/// What is known of a condition.
enum Known {
    Always,
    Never,
    If(Test),
}

fn test(network: &Network, layout: &Layout, e: &Expr) -> Option<Known> {
    let nonzero = |e: &Expr, op: BinaryOp| Some(Known::If(Test::compare(term(network, layout, e)?, op, 0)?));
    match e {
        Expr::Const(0) => Some(Known::Never),
        Expr::Const(_) => Some(Known::Always),
        Expr::At(process, location) => {
            let slot = u32::try_from(layout.location[*process]).ok()?;
            let at = i64::try_from(location.index()).ok()?;
            Some(Known::If(Test::compare(Term { slot, index: None }, BinaryOp::Eq, at)?))
        }
        Expr::Unary(UnaryOp::Not, inner) => nonzero(inner, BinaryOp::Eq),
        Expr::Binary(op, left, right) => comparison(network, layout, *op, left, right),
        // A value is true if it is not 0.
        other => nonzero(other, BinaryOp::Ne),
    }
}

fn comparison(network: &Network, layout: &Layout, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Known> {
    let mirrored = match op {
        BinaryOp::Eq | BinaryOp::Ne => op,
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    };
    let test = match (left, right) {
        (Expr::Const(left), Expr::Const(right)) => {
            let holds = arithmetic::binary(op, *left, *right).ok()? != 0;
            return Some(if holds { Known::Always } else { Known::Never });
        }
        (left, Expr::Const(value)) => Test::compare(term(network, layout, left)?, op, *value)?,
        (Expr::Const(value), right) => Test::compare(term(network, layout, right)?, mirrored, *value)?,
        (left, Expr::Var(other)) if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
            Test::equal(term(network, layout, left)?, slot(layout, *other)?, op == BinaryOp::Ne)
        }
        _ => return None,
    };
    Some(Known::If(test))
}

fn slot(layout: &Layout, var: VarId) -> Option<u32> {
    layout.var[var].and_then(|slot| u32::try_from(slot).ok())
}

fn term(network: &Network, layout: &Layout, e: &Expr) -> Option<Term> {
    match e {
        Expr::Var(var) => Some(Term { slot: slot(layout, *var)?, index: None }),
        Expr::Elem(array, index) => {
            let (first, length) = (slot(layout, *array)?, network.vars[*array].init.len() as i64);
            match **index {
                Expr::Const(index) if (0..length).contains(&index) => {
                    Some(Term { slot: first + u32::try_from(index).ok()?, index: None })
                }
                Expr::Var(index) => {
                    let range = network.vars[index].range;
                    let within = 0 <= range.lo && range.hi < length;
                    within.then_some(Term { slot: first, index: Some(slot(layout, index)?) })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The steps that an update consists of, if it is nothing but steps. The first locals of the frame are the select
/// variables.
pub(crate) fn steps(network: &Network, layout: &Layout, edge: &Edge) -> Option<Box<[Step]>> {
    edge.update.iter().map(|stmt| step(network, layout, edge, stmt)).collect()
}

fn step(network: &Network, layout: &Layout, edge: &Edge, stmt: &Stmt) -> Option<Step> {
    match stmt {
        Stmt::Assign(target, value) if target.store == Store::Checked => {
            let Place::Var(var) = target.place else { return None };
            let (slot, range) = (layout.var[var]?, network.vars[var].range);
            let plus = |from: &Expr, plus: i64| match from {
                Expr::Var(from) => Some(Step::Copy(slot, layout.var[*from]?, plus, range)),
                _ => None,
            };
            match value {
                Expr::Const(value) => range.contains(*value).then_some(Step::Set(slot, *value)),
                Expr::Local(select) if select.index() < edge.selects => {
                    let values = edge.frame[select.index()].range;
                    let fits = range.contains(values.lo) && range.contains(values.hi);
                    fits.then_some(Step::Select(slot, select.index()))
                }
                Expr::Binary(BinaryOp::Add, left, right) => match (&**left, &**right) {
                    (from, Expr::Const(number)) | (Expr::Const(number), from) => plus(from, *number),
                    _ => None,
                },
                Expr::Binary(BinaryOp::Sub, left, right) => match &**right {
                    Expr::Const(number) => plus(left, number.checked_neg()?),
                    _ => None,
                },
                other => plus(other, 0),
            }
        }
        Stmt::ClockSet(clock, Expr::Const(value)) => {
            (0..=crate::Atom::LIMIT).contains(value).then_some(Step::Clock(*clock, *value))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_comparisons() {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let ends = [i64::MIN, i64::MIN + 1, -2, -1, 0, 1, 2, 7, i64::MAX - 1, i64::MAX];
        for op in [Eq, Ge, Gt, Le, Lt, Ne] {
            for value in ends {
                for constant in ends {
                    let term = Term { slot: 1, index: Some(0) };
                    let test = Test::compare(term, op, constant).expect("a comparison");
                    let expected = arithmetic::binary(op, value, constant) == Ok(1);
                    assert_eq!(test.holds(&[1, 5, value]), expected, "{value} {op:?} {constant}");
                }
            }
        }
        for a in ends {
            for b in ends {
                let value = Term { slot: 0, index: None };
                assert_eq!(Test::equal(value, 1, false).holds(&[a, b]), a == b, "{a} {b}");
                assert_eq!(Test::equal(value, 1, true).holds(&[a, b]), a != b, "{a} {b}");
            }
        }
    }
}
