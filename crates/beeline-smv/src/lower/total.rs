//! Whether something has a value whatever the variables are, as NuSMV demands when it builds a model: cases are
//! exhaustive, divisors not zero, indices inside of their arrays, assigned values inside of their types. Found by
//! evaluation: a variable gets a value only when its value is needed, then each in turn. Where that takes too long,
//! nothing is said, and a value that is missing is an error of the step in which it is.

use beeline_ir::expr::{BinaryOp, Expr, Range, UnaryOp};
use beeline_ir::relation::Choice;
use beeline_ir::{VarId, visit};

use super::build::{Chosen, Gap, gap, is_failure};

/// Parts of expressions that may be visited for one item.
const MAX_VISITS: usize = 400_000;

/// Variables that are tried together.
const MAX_KNOWN: usize = 64;

/// A variable with more values than this is not tried.
const MAX_VALUES: u128 = 4_096;

/// Why there is no value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// By the way it was made.
    Gap(Gap),
    DivisionByZero,
    Overflow,
    /// This number is outside of the type assigned to.
    Range(i64),
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// There is always a value.
    Total,
    /// There is none with these values, current or next.
    Missing(Missing, Vec<(VarId, bool, i64)>),
    /// It takes too long to tell.
    Unknown,
}

enum Stop {
    Needs(VarId, bool),
    Missing(Missing),
    TooLong,
}

/// The value of an operator, if it has one. A shift of a negative number to the left has none.
pub(crate) fn binary_value(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    let shift = u32::try_from(b).ok().filter(|b| *b < 63);
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => i64::try_from(i128::from(a) << shift?).ok(),
        BinaryOp::Shr => Some(a >> shift?),
        BinaryOp::Min => Some(a.min(b)),
        BinaryOp::Max => Some(a.max(b)),
        BinaryOp::Eq => Some(i64::from(a == b)),
        BinaryOp::Ne => Some(i64::from(a != b)),
        BinaryOp::Lt => Some(i64::from(a < b)),
        BinaryOp::Le => Some(i64::from(a <= b)),
        BinaryOp::Gt => Some(i64::from(a > b)),
        BinaryOp::Ge => Some(i64::from(a >= b)),
    }
}

/// The value of an expression without variables.
pub(crate) fn constant(expr: &Expr) -> Result<i64, Option<Missing>> {
    let mut trial = Trial { known: Vec::new(), visits: MAX_VISITS };
    trial.value(expr).map_err(|stop| match stop {
        Stop::Missing(missing) => Some(missing),
        Stop::Needs(..) | Stop::TooLong => None,
    })
}

/// Whether an expression always has a value. `range` tells what values variables have; of the visits that are left,
/// those that it takes are taken.
pub(crate) fn expression(expr: &Expr, range: &dyn Fn(VarId) -> Range, visits: &mut usize) -> Found {
    search(range, visits, &mut |trial| trial.value(expr).map(drop))
}

/// Whether a choice always has values, all of them inside of `within`.
pub(crate) fn choice(
    choice: &Choice,
    within: Range,
    range: &dyn Fn(VarId) -> Range,
    visits: &mut usize,
) -> Found {
    search(range, visits, &mut |trial| trial.choice(choice, within))
}

fn search(
    range: &dyn Fn(VarId) -> Range,
    left: &mut usize,
    evaluate: &mut dyn FnMut(&mut Trial) -> Result<(), Stop>,
) -> Found {
    let allowed = MAX_VISITS.min(*left);
    let mut trial = Trial { known: Vec::new(), visits: allowed };
    let found = combinations(&mut trial, range, evaluate);
    *left -= allowed - trial.visits;
    found
}

fn combinations(
    trial: &mut Trial,
    range: &dyn Fn(VarId) -> Range,
    evaluate: &mut dyn FnMut(&mut Trial) -> Result<(), Stop>,
) -> Found {
    // The values still to be tried of each variable that has one.
    let mut rest: Vec<Range> = Vec::new();
    loop {
        match evaluate(trial) {
            Ok(()) => {}
            Err(Stop::Missing(missing)) => return Found::Missing(missing, trial.known.clone()),
            Err(Stop::TooLong) => return Found::Unknown,
            Err(Stop::Needs(var, next)) => {
                let values = range(var);
                if values.size() > MAX_VALUES || rest.len() >= MAX_KNOWN {
                    return Found::Unknown;
                }
                trial.known.push((var, next, values.lo));
                rest.push(Range::new(values.lo + 1, values.hi));
                continue;
            }
        }
        // The next combination.
        loop {
            let (Some(last), Some(known)) = (rest.last_mut(), trial.known.last_mut()) else {
                return Found::Total;
            };
            if last.lo <= last.hi {
                known.2 = last.lo;
                last.lo += 1;
                break;
            }
            rest.pop();
            trial.known.pop();
        }
    }
}

/// One evaluation after the other.
struct Trial {
    known: Vec<(VarId, bool, i64)>,
    /// How many more there may be.
    visits: usize,
}

impl Trial {
    fn read(&self, var: VarId, next: bool) -> Result<i64, Stop> {
        let known = self.known.iter().find(|(v, n, _)| (*v, *n) == (var, next));
        known.map(|(.., value)| *value).ok_or(Stop::Needs(var, next))
    }
    fn value(&mut self, expr: &Expr) -> Result<i64, Stop> {
        self.visits = self.visits.checked_sub(1).ok_or(Stop::TooLong)?;
        match expr {
            Expr::Const(value) => Ok(*value),
            Expr::Var(var) => self.read(*var, false),
            Expr::Next(var) => self.read(*var, true),
            Expr::Unary(UnaryOp::Not, e) => Ok(i64::from(self.value(e)? == 0)),
            Expr::Unary(UnaryOp::BitNot, e) => Ok(!self.value(e)?),
            Expr::Unary(UnaryOp::Neg, e) => {
                self.value(e)?.checked_neg().ok_or(Stop::Missing(Missing::Overflow))
            }
            Expr::Binary(op, a, b) => {
                if let Some(gap) = gap(expr) {
                    return Err(Stop::Missing(Missing::Gap(gap)));
                }
                let (a, b) = (self.value(a)?, self.value(b)?);
                binary_value(*op, a, b).ok_or(Stop::Missing(match op {
                    BinaryOp::Div | BinaryOp::Rem if b == 0 => Missing::DivisionByZero,
                    BinaryOp::Shl | BinaryOp::Shr => Missing::Gap(Gap::Shift),
                    _ => Missing::Overflow,
                }))
            }
            Expr::And(parts) => {
                for part in parts {
                    if self.value(part)? == 0 {
                        return Ok(0);
                    }
                }
                Ok(1)
            }
            Expr::Or(parts) => {
                for part in parts {
                    if self.value(part)? != 0 {
                        return Ok(1);
                    }
                }
                Ok(0)
            }
            Expr::If(condition, then, otherwise) => {
                if self.value(condition)? != 0 {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            // Nothing else is made from SMV, `deadlock` excepted, which always has a value.
            _ => Ok(0),
        }
    }
    fn choice(&mut self, choice: &Choice, within: Range) -> Result<(), Stop> {
        match choice {
            Choice::One(value) => {
                let value = self.value(value)?;
                if within.contains(value) { Ok(()) } else { Err(Stop::Missing(Missing::Range(value))) }
            }
            Choice::Between(lo, hi) => {
                let (lo, hi) = (self.value(lo)?, self.value(hi)?);
                match [lo, hi].into_iter().find(|v| !within.contains(*v)) {
                    Some(value) if lo <= hi => Err(Stop::Missing(Missing::Range(value))),
                    _ => Ok(()),
                }
            }
            Choice::Union(all) => all.iter().try_for_each(|part| self.choice(part, within)),
            Choice::If(condition, then, otherwise) => {
                let taken = if self.value(condition)? != 0 { then } else { otherwise };
                self.choice(taken, within)
            }
        }
    }
}

/// A total expression without the failures that are never met.
pub(crate) fn pruned(expr: Expr) -> Expr {
    let boxed = |e: Box<Expr>| Box::new(pruned(*e));
    match expr {
        Expr::If(condition, then, otherwise) => {
            if is_failure(&otherwise) {
                return pruned(*then);
            }
            if is_failure(&then) {
                return pruned(*otherwise);
            }
            let (then, otherwise) = (pruned(*then), pruned(*otherwise));
            Expr::either(pruned(*condition), then, otherwise)
        }
        Expr::Unary(op, e) => Expr::Unary(op, boxed(e)),
        Expr::Binary(op, a, b) => Expr::Binary(op, boxed(a), boxed(b)),
        Expr::And(parts) => Expr::And(parts.into_iter().map(pruned).collect()),
        Expr::Or(parts) => Expr::Or(parts.into_iter().map(pruned).collect()),
        expr => expr,
    }
}

/// A total choice without the failures that are never met.
pub(crate) fn pruned_choice(choice: Choice) -> Choice {
    let fails = |c: &Choice| matches!(c, Choice::One(value) if is_failure(value));
    match choice {
        Choice::One(value) => Choice::One(pruned(value)),
        Choice::Between(lo, hi) => Choice::Between(pruned(lo), pruned(hi)),
        Choice::Union(all) => Choice::Union(all.into_iter().map(pruned_choice).collect()),
        Choice::If(_, then, otherwise) if fails(&otherwise) => pruned_choice(*then),
        Choice::If(condition, then, otherwise) => {
            let (then, otherwise) = (pruned_choice(*then), pruned_choice(*otherwise));
            Choice::If(pruned(condition), Box::new(then), Box::new(otherwise))
        }
    }
}

/// The variables that an expression reads, current (`false`) or next.
pub(crate) fn reads(expr: &Expr, visit: &mut dyn FnMut(VarId, bool)) {
    visit::walk(expr, &mut |e| match e {
        Expr::Var(var) => visit(*var, false),
        Expr::Next(var) => visit(*var, true),
        _ => {}
    });
}

/// The variables that a choice reads.
pub(crate) fn choice_reads(choice: &Choice, visit: &mut dyn FnMut(VarId, bool)) {
    let mut open = vec![choice];
    while let Some(choice) = open.pop() {
        match choice {
            Choice::One(value) => reads(value, visit),
            Choice::Between(lo, hi) => [lo, hi].into_iter().for_each(|e| reads(e, visit)),
            Choice::Union(all) => open.extend(all),
            Choice::If(condition, then, otherwise) => {
                reads(condition, visit);
                open.extend([&**then, &**otherwise]);
            }
        }
    }
}
