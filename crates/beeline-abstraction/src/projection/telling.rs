//! Values of a class that nothing can tell apart. Where a mapped variable is read, every value of its class has to be
//! tried; but `x := x + 1` of an even number is odd, whichever it was. So of the values that are in the same class, and for
//! which all that is computed from the variable alone comes out the same, one is tried.

use super::classes::{Classes, reads};
use beeline_ir::expr::{Expr, Range};
use beeline_ir::network::{Network, Var};
use beeline_ir::stmt::Store;
use beeline_ir::visit::{children, walk};
use beeline_ir::{IdVec, LocalId, VarId};
use beeline_program::rewrite::rewrite;
use beeline_program::{Machine, Predicate, Program, RoutineId};

/// Values are below this, or there would be too many of them.
const MOST: i64 = 1 << 40;

/// What is computed from one value.
pub(super) struct Telling {
    /// It has one variable, the value.
    network: Network,
    program: Program,
    parts: Vec<(RoutineId, Option<Store>)>,
    /// Something cannot be computed beforehand.
    open: bool,
}

/// What comes out of a value: its class, and what is computed from it; of what is stored, the class.
type Signature = (i64, Vec<Option<i64>>);

impl Telling {
    pub fn new() -> Self {
        let var = Var {
            name: "value".to_string(),
            owner: None,
            range: Range::new(-MOST, MOST),
            len: None,
            init: vec![0],
            symbols: None,
            origin: None,
        };
        let network = Network { vars: IdVec::from(vec![var]), ..Network::default() };
        Self { program: Program::compile(&network), network, parts: Vec::new(), open: false }
    }

    /// Adds an expression that may read the variable. What is computed from it alone comes out here or not at all; of the
    /// rest, the variable itself does.
    pub fn reading(&mut self, e: &Expr, var: VarId) {
        if !reads(e, var) {
            return;
        }
        if is_computed_from(e, var) {
            let alone = rewrite(e, &mut |part| (*part == Expr::Var(var)).then(value));
            self.add(&alone, None);
            return;
        }
        let mut parts = Vec::new();
        children(e, &mut |part| parts.push(part));
        parts.into_iter().for_each(|part| self.reading(part, var));
    }

    /// Adds an expression that is stored into the variable.
    pub fn storing(&mut self, e: &Expr, store: Store, var: VarId) {
        if is_computed_from(e, var) && reads(e, var) {
            let alone = rewrite(e, &mut |part| (*part == Expr::Var(var)).then(value));
            self.add(&alone, Some(store));
        } else {
            self.reading(e, var);
        }
    }

    /// Adds an expression over [`value()`] alone.
    pub fn add(&mut self, alone: &Expr, store: Option<Store>) {
        match self.program.compile_predicate(&self.network, &[], alone) {
            Ok(Predicate::Discrete(routine)) => self.parts.push((routine, store)),
            _ => self.give_up(),
        }
    }

    /// Everything may matter.
    pub fn give_up(&mut self) {
        self.open = true;
    }

    /// Values of a range, one for each way to come out.
    pub fn values(&self, held: Range, classes: &Classes) -> Vec<i64> {
        let all = Range::new(held.lo.max(classes.range().lo), held.hi.min(classes.range().hi));
        if self.open || all.lo < -MOST || all.hi > MOST {
            return all.values().collect();
        }
        let mut machine = Machine::new(&self.program);
        let (mut seen, mut values): (Vec<Signature>, Vec<i64>) = Default::default();
        for value in all.values() {
            let mut comes_out = |(routine, store): &(RoutineId, Option<Store>)| {
                let result = machine.eval(&self.program, *routine, &[value], &[]).ok()?;
                match store {
                    None => Some(result),
                    Some(Store::Checked) => classes.range().contains(result).then(|| classes.class(result)),
                    Some(Store::Wrapping) => Some(classes.class(classes.range().wrap(result))),
                }
            };
            let signature = (classes.class(value), self.parts.iter().map(&mut comes_out).collect());
            if !seen.contains(&signature) {
                seen.push(signature);
                values.push(value);
            }
        }
        values
    }
}

/// The value that something is computed from.
pub(super) fn value() -> Expr {
    Expr::Var(VarId::new(0))
}

/// Whether an expression reads nothing but the variable.
fn is_computed_from(e: &Expr, var: VarId) -> bool {
    let mut alone = true;
    walk(e, &mut |part| {
        alone &= match part {
            Expr::Var(other) => *other == var,
            Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::If(..) => true,
            _ => false,
        }
    });
    alone
}

/// Values that are tried: the range of the local that goes through them, and what it stands for.
pub(super) struct Trying {
    pub range: Range,
    values: Vec<i64>,
}

impl Trying {
    pub fn new(values: Vec<i64>) -> Self {
        let range = match (values.first(), values.last()) {
            (Some(first), Some(last)) if last - first == values.len() as i64 - 1 => Range::new(*first, *last),
            _ => Range::new(0, (values.len() as i64 - 1).max(0)),
        };
        Self { range, values }
    }

    fn consecutive(&self) -> bool {
        self.values.first() == Some(&self.range.lo) && self.values.last() == Some(&self.range.hi)
    }

    /// The value that a local of the range stands for.
    pub fn value(&self, local: LocalId) -> Expr {
        if self.consecutive() {
            return Expr::Local(local);
        }
        let numbered = self.values.iter().enumerate().map(|(at, value)| (at as i64, *value));
        super::classes::tree(&Expr::Local(local), &numbered.collect::<Vec<_>>())
    }

    /// Its class.
    pub fn class(&self, local: LocalId, classes: &Classes) -> Expr {
        let at = |at: usize, value: i64| if self.consecutive() { value } else { at as i64 };
        let mut cases: Vec<(i64, i64)> = Vec::new();
        for (number, value) in self.values.iter().enumerate() {
            let class = classes.class(*value);
            match cases.last_mut() {
                Some((last, of)) if *of == class => *last = at(number, *value),
                _ => cases.push((at(number, *value), class)),
            }
        }
        super::classes::tree(&Expr::Local(local), &cases)
    }
}
