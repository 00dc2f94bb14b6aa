//! Guards and updates of the commonest shapes, executed without the bytecode: conjunctions of comparisons of scalars and
//! array elements with constants, and sequences of constants and small sums stored in scalars and array elements, and of
//! clocks set to constants. The routines stay what everything else looks at; a shortcut does the same, faster.

use beeline_ir::expr::{BinaryOp, Expr, Range, RuntimeError, UnaryOp};
use beeline_ir::layout::Layout;
use beeline_ir::network::{Edge, Network, Sync};
use beeline_ir::stmt::{Local, Pattern, Place, Stmt, Store, Target};
use beeline_ir::{ClockId, FunctionId, LocalId, VarId};

use crate::arithmetic;
use crate::edge::{ClockEffect, Effects};
use crate::rewrite::rewrite;
use crate::sum::{Sum, slot};

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

/// Values whose differences do not wrap around.
const NEAR: std::ops::RangeInclusive<i64> = -(1 << 61)..=1 << 61;

/// A slot, or an element of an array whose index is always within it: always where the tests before it hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Term {
    slot: u32,
    index: Option<Sum>,
}

impl Term {
    #[inline]
    fn value(&self, state: &[i64]) -> i64 {
        let index = self.index.as_ref().map_or(0, |index| index.value(state) as usize);
        state[self.slot as usize + index]
    }
}

impl Test {
    /// Whether it holds.
    #[inline]
    pub fn holds(&self, state: &[i64]) -> bool {
        let minus = self.minus.map_or(0, |slot| state[slot as usize]);
        self.holds_for(self.value.value(state).wrapping_sub(minus))
    }

    /// The slots that it looks at in a state, each of which one those before it have led to.
    pub fn reads(&self, state: &[i64]) -> impl Iterator<Item = usize> {
        let Term { slot, index } = self.value;
        let element = slot as usize + index.map_or(0, |index| index.value(state) as usize);
        let minus = self.minus.map(|slot| slot as usize);
        index.into_iter().flat_map(Sum::reads).chain([element]).chain(minus)
    }

    /// The slot that it is about, if it is about one alone.
    pub fn alone_about(&self) -> Option<usize> {
        let alone = self.minus.is_none() && self.value.index.is_none();
        alone.then_some(self.value.slot as usize)
    }

    /// The slot of which it asks for one value, if it does.
    pub fn asks_for(&self) -> Option<usize> {
        self.alone_about().filter(|_| self.beyond == 0 && !self.outside)
    }

    /// Whether it holds if the value that it is about is this.
    #[inline]
    pub fn holds_for(&self, value: i64) -> bool {
        (value.wrapping_sub(self.least) as u64 <= self.beyond) != self.outside
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

    /// What is left of the values of a slot where the test holds; it may be more than it need be.
    fn narrow(&self, slot: u32, range: Range) -> Range {
        if self.alone_about() != Some(slot as usize) || self.outside {
            return range;
        }
        let greatest = self.least.wrapping_add(self.beyond as i64);
        Range::new(range.lo.max(self.least), range.hi.min(greatest))
    }

    /// `term op slot`, by their difference: if it wraps around, it is 0 for no values that are not equal, but says nothing
    /// of which is the greater one.
    fn compare_two(value: Term, other: u32, op: BinaryOp) -> Option<Self> {
        Some(Self { minus: Some(other), ..Self::compare(value, op, 0)? })
    }
}

/// One statement.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A constant within the range of its slot.
    Set(usize, i64),
    /// The value of a slot plus a number.
    Copy(usize, usize, i64, Fit),
    /// The value of a select variable, which fits.
    Select(usize, usize),
    /// A field of the message received.
    Take(usize, usize, Fit),
    /// A clock is set.
    Clock(ClockId, i64),
    /// A value is stored that many slots further on.
    Put(usize, Sum, Value, Fit),
}

/// How a value is made one of a slot.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    range: Range,
    store: Store,
}

impl Fit {
    #[inline]
    fn fit(&self, value: i64) -> Result<i64, RuntimeError> {
        match self.store {
            _ if self.range.contains(value) => Ok(value),
            Store::Wrapping => Ok(self.range.wrap(value)),
            Store::Checked => Err(RuntimeError::Range),
        }
    }

    /// Whether what does not fit is an error.
    pub fn checks(&self) -> bool {
        self.store == Store::Checked
    }
}

/// What is stored.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// The value of a select variable.
    Select(usize),
    /// A sum.
    Sum(Sum),
}

impl Step {
    /// Does it.
    #[inline]
    pub fn run(
        &self,
        selects: &[i64],
        message: &[i64],
        state: &mut [i64],
        effects: &mut Effects,
    ) -> Result<(), RuntimeError> {
        match *self {
            Self::Set(slot, value) => effects.put(state, slot, value),
            Self::Select(slot, select) => effects.put(state, slot, selects[select]),
            Self::Take(slot, field, fit) => effects.put(state, slot, fit.fit(message[field])?),
            Self::Copy(slot, from, plus, fit) => {
                let value = arithmetic::binary(BinaryOp::Add, state[from], plus)?;
                effects.put(state, slot, fit.fit(value)?);
            }
            Self::Put(first, index, value, fit) => {
                let value = match value {
                    Value::Select(select) => selects[select],
                    Value::Sum(sum) => sum.value(state),
                };
                let slot = first + index.value(state) as usize;
                effects.put(state, slot, fit.fit(value)?);
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
    // What remains, the first conjunct last, and whether it shall hold.
    let mut open = vec![(guard, true)];
    while let Some((conjunct, holds)) = open.pop() {
        match (conjunct, holds) {
            (Expr::And(parts), true) | (Expr::Or(parts), false) => {
                open.extend(parts.iter().rev().map(|part| (part, holds)));
                continue;
            }
            (Expr::Unary(UnaryOp::Not, inner), _) => {
                open.push((inner, !holds));
                continue;
            }
            _ => {}
        }
        match (Reader { network, layout, tests: &tests }).test(conjunct) {
            Some(Known::Always) if holds => {}
            Some(Known::Never) if !holds => {}
            Some(Known::Always | Known::Never) => return None,
            Some(Known::If(test)) => tests.push(Test { outside: test.outside == holds, ..test }),
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

/// Reads conditions that are looked at where some tests hold.
struct Reader<'a> {
    network: &'a Network,
    layout: &'a Layout,
    tests: &'a [Test],
}

impl Reader<'_> {
    fn test(&self, e: &Expr) -> Option<Known> {
        match e {
            Expr::Const(0) => Some(Known::Never),
            Expr::Const(_) => Some(Known::Always),
            Expr::At(process, location) => {
                let slot = u32::try_from(self.layout.location[*process]).ok()?;
                let at = i64::try_from(location.index()).ok()?;
                Some(Known::If(Test::compare(Term { slot, index: None }, BinaryOp::Eq, at)?))
            }
            Expr::Binary(op, left, right) => self.comparison(*op, left, right),
            // A value is true if it is not 0.
            other => Some(Known::If(Test::compare(self.term(other)?, BinaryOp::Ne, 0)?)),
        }
    }

    fn comparison(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Known> {
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
            (left, Expr::Const(value)) => Test::compare(self.term(left)?, op, *value)?,
            (Expr::Const(value), right) => Test::compare(self.term(right)?, mirrored, *value)?,
            (left @ (Expr::Var(var) | Expr::Elem(var, _)), Expr::Var(other)) => {
                let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                let near = |var: VarId| {
                    let Range { lo, hi } = self.network.vars[var].range;
                    NEAR.contains(&lo) && NEAR.contains(&hi)
                };
                if !(equality || near(*var) && near(*other)) {
                    return None;
                }
                Test::compare_two(self.term(left)?, slot(self.layout, *other)?, op)?
            }
            _ => return None,
        };
        Some(Known::If(test))
    }

    fn term(&self, e: &Expr) -> Option<Term> {
        match e {
            Expr::Var(var) => Some(Term { slot: slot(self.layout, *var)?, index: None }),
            Expr::Elem(array, index) => {
                let slot = slot(self.layout, *array)?;
                let (sum, values) = Sum::of(self.network, self.layout, index, |slot, range| {
                    self.tests.iter().fold(range, |range, test| test.narrow(slot, range))
                })?;
                within(self.network, *array, values).then_some(match **index {
                    Expr::Const(index) => Term { slot: slot + u32::try_from(index).ok()?, index: None },
                    _ => Term { slot, index: Some(sum) },
                })
            }
            _ => None,
        }
    }
}

/// Whether all values are indices of an array.
fn within(network: &Network, array: VarId, values: Range) -> bool {
    0 <= values.lo && values.hi < network.vars[array].init.len() as i64
}

/// Steps of one update beyond which it is left to the routines, which count how long it takes.
const MOST_STEPS: usize = 64;

/// The steps that an update consists of, if it is nothing but steps. The first locals of the frame are the select
/// variables. What is received comes first.
pub(crate) fn steps(network: &Network, layout: &Layout, edge: &Edge) -> Option<Box<[Step]>> {
    let mut steps = Vec::new();
    if let Sync::Receive(receive) = &edge.sync {
        for (field, pattern) in receive.pattern.iter().enumerate() {
            if let Pattern::Bind(Target { place, store }) = pattern {
                let Place::Var(var) = place else { return None };
                let fit = Fit { range: network.vars[*var].range, store: *store };
                steps.push(Step::Take(layout.var[*var]?, field, fit));
            }
        }
    }
    for stmt in &edge.update {
        match stmt {
            Stmt::Call(function, args, None) => {
                for stmt in body(network, edge, *function, args)? {
                    steps.push(step(network, layout, edge, &stmt, false)?);
                }
                if steps.len() > MOST_STEPS {
                    return None;
                }
            }
            stmt => steps.push(step(network, layout, edge, stmt, true)?),
        }
    }
    Some(steps.into())
}

/// What a call does, as statements of the edge: that of a function without result and locals, whose arguments are
/// constants and select variables that fit.
fn body(network: &Network, edge: &Edge, function: FunctionId, args: &[Expr]) -> Option<Vec<Stmt>> {
    let function = &network.functions[function];
    let fits = |(arg, local): (&Expr, &Local)| match arg {
        Expr::Const(value) => local.range.contains(*value),
        Expr::Local(select) if select.index() < edge.selects => {
            let values = edge.frame[select.index()].range;
            local.range.contains(values.lo) && local.range.contains(values.hi)
        }
        _ => false,
    };
    let plain = function.result.is_none() && function.frame.len() == args.len();
    if !plain || function.body.len() > MOST_STEPS || !args.iter().zip(&function.frame).all(fits) {
        return None;
    }
    let given = |e: &Expr| {
        rewrite(e, &mut |part| match part {
            Expr::Local(local) => args.get(local.index()).cloned(),
            _ => None,
        })
    };
    let statement = |stmt: &Stmt| match stmt {
        Stmt::Assign(Target { place, store }, value) => {
            let place = match place {
                Place::Var(var) => Place::Var(*var),
                Place::Elem(array, index) => Place::Elem(*array, given(index)),
                Place::Local(_) | Place::LocalElem(..) => return None,
            };
            Some(Stmt::Assign(Target { place, store: *store }, given(value)))
        }
        Stmt::ClockSet(clock, value) => Some(Stmt::ClockSet(*clock, given(value))),
        _ => None,
    };
    function.body.iter().map(statement).collect()
}

/// A statement as a step, in the simplest form if so wished.
fn step(network: &Network, layout: &Layout, edge: &Edge, stmt: &Stmt, simplest: bool) -> Option<Step> {
    match stmt {
        Stmt::Assign(target, value) => {
            let simple = || simple(network, layout, edge, target, value);
            simplest.then(simple).flatten().or_else(|| put(network, layout, edge, target, value))
        }
        Stmt::ClockSet(clock, Expr::Const(value)) => {
            (0..=crate::Atom::LIMIT).contains(value).then_some(Step::Clock(*clock, *value))
        }
        _ => None,
    }
}

/// A value stored in a scalar, in one of the simplest forms.
fn simple(network: &Network, layout: &Layout, edge: &Edge, target: &Target, value: &Expr) -> Option<Step> {
    let Place::Var(var) = &target.place else { return None };
    let (slot, range) = (layout.var[*var]?, network.vars[*var].range);
    let fit = Fit { range, store: target.store };
    let plus = |from: &Expr, plus: i64| match from {
        Expr::Var(from) => Some(Step::Copy(slot, layout.var[*from]?, plus, fit)),
        _ => None,
    };
    match value {
        Expr::Const(value) => Some(Step::Set(slot, fit.fit(*value).ok()?)),
        Expr::Local(select) => selected(edge, *select, range).map(|select| Step::Select(slot, select)),
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

/// The select variable of a local, if all its values are within a range.
fn selected(edge: &Edge, local: LocalId, range: Range) -> Option<usize> {
    let values = edge.frame[local.index()].range;
    let fits = range.contains(values.lo) && range.contains(values.hi);
    (local.index() < edge.selects && fits).then_some(local.index())
}

/// A value stored in a scalar or an element, in the general form.
fn put(network: &Network, layout: &Layout, edge: &Edge, target: &Target, value: &Expr) -> Option<Step> {
    let sum = |e: &Expr| Sum::of(network, layout, e, |_, range| range);
    let (var, index) = match &target.place {
        Place::Var(var) => (*var, Sum::default()),
        Place::Elem(array, index) => {
            let (index, values) = sum(index)?;
            (*array, within(network, *array, values).then_some(index)?)
        }
        _ => return None,
    };
    let (slot, range) = (layout.var[var]?, network.vars[var].range);
    let value = match value {
        Expr::Local(select) => Value::Select(selected(edge, *select, range)?),
        value => Value::Sum(sum(value)?.0),
    };
    Some(Step::Put(slot, index, value, Fit { range, store: target.store }))
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
                    let term = Term { slot: 1, index: None };
                    let test = Test::compare(term, op, constant).expect("a comparison");
                    let expected = arithmetic::binary(op, value, constant) == Ok(1);
                    assert_eq!(test.holds(&[5, value]), expected, "{value} {op:?} {constant}");
                }
            }
        }
        for a in ends {
            for b in ends {
                let value = Term { slot: 0, index: None };
                let near = NEAR.contains(&a) && NEAR.contains(&b);
                for op in [Eq, Ge, Gt, Le, Lt, Ne].into_iter().filter(|op| near || matches!(op, Eq | Ne)) {
                    let test = Test::compare_two(value, 1, op).expect("a comparison");
                    let expected = arithmetic::binary(op, a, b) == Ok(1);
                    assert_eq!(test.holds(&[a, b]), expected, "{a} {op:?} {b}");
                }
            }
        }
    }
}
