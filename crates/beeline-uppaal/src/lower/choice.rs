//! `c ? s : t` of things with cells: a value that can be indexed, read, copied and assigned to like either. It is
//! no copy, so it can stand where there are no statements; only the side that is chosen is evaluated.

use beeline_ir::expr::Expr;
use beeline_ir::origin::Span;
use beeline_ir::stmt::Stmt;

use super::body::{Body, Mode};
use super::expr::Value;
use super::fault::{Fault, Res};
use super::fold::{cond, size};
use super::place::{Place, Storage};
use super::types::Type;
use super::{HEAVY, Lower};

/// What is done to each of the places that a value may be.
type Act<'f> = dyn FnMut(&mut Lower<'_>, &mut Body, &Place) -> Res<()> + 'f;

impl Value {
    /// One of two by a condition.
    pub(super) fn choice(c: Expr, x: Value, y: Value) -> Self {
        Self::Choice(Box::new((c, x, y)))
    }
    /// The type of something with cells.
    pub(super) fn ty(&self) -> Option<&Type> {
        match self {
            Self::Place(place) => Some(&place.ty),
            Self::Choice(choice) => choice.1.ty(),
            _ => None,
        }
    }
    /// Whether it is a record or an array.
    pub(super) fn is_aggregate(&self) -> bool {
        self.ty().is_some_and(Type::is_aggregate)
    }
    /// Whether one of the places that it may be is like this.
    pub(super) fn some_place(&self, test: &dyn Fn(&Place) -> bool) -> bool {
        match self {
            Self::Place(place) => test(place),
            Self::Choice(choice) => choice.1.some_place(test) || choice.2.some_place(test),
            _ => false,
        }
    }
    /// Whether some of it may live there.
    pub(super) fn overlaps(&self, storage: &Storage) -> bool {
        self.some_place(&|place| place.storage == *storage)
    }
}

impl Lower<'_> {
    /// An element; the index goes into both sides.
    pub(super) fn element_of(&mut self, b: &Body, base: Value, index: Expr, span: Span) -> Res<Value> {
        Ok(match base {
            Value::Place(place) => Value::Place(self.element(b, place, index, span)?),
            Value::Choice(choice) => {
                self.pay(HEAVY * size(&index), span)?;
                let (c, x, y) = *choice;
                let x = self.element_of(b, x, index.clone(), span)?;
                Value::choice(c, x, self.element_of(b, y, index, span)?)
            }
            _ => return Err(Fault::error("E0532", "only an array can be indexed", span)),
        })
    }
    /// Fixes where something is, whatever happens to the variables in its indices and conditions.
    pub(super) fn pin_value(&mut self, b: &mut Body, value: Value) -> Res<Value> {
        Ok(match value {
            Value::Place(place) => Value::Place(self.pin(b, place)),
            Value::Choice(choice) if b.mode == Mode::Statements => {
                let (c, mut x, mut y) = *choice;
                let c = self.spill(b, c);
                // The indices of the side that is not chosen need not have a value.
                let yes = b.collect(|b| self.pin_value(b, x.clone()).map(|pinned| x = pinned))?;
                let no = b.collect(|b| self.pin_value(b, y.clone()).map(|pinned| y = pinned))?;
                if !yes.is_empty() || !no.is_empty() {
                    b.out.push(Stmt::If(c.clone(), yes, no));
                }
                Value::choice(c, x, y)
            }
            other => other,
        })
    }
    /// Does something to the place that a value is.
    pub(super) fn on_place(&mut self, b: &mut Body, value: &Value, act: &mut Act<'_>) -> Res<()> {
        match value {
            Value::Place(place) => act(self, b, place),
            Value::Choice(choice) => {
                let (c, x, y) = &**choice;
                let yes = b.collect(|b| self.on_place(b, x, act))?;
                let no = b.collect(|b| self.on_place(b, y, act))?;
                b.out.push(Stmt::If(c.clone(), yes, no));
                Ok(())
            }
            _ => Ok(()),
        }
    }
    /// The values of all cells, as those of a type that they fit.
    pub(super) fn cell_values(&mut self, b: &Body, value: &Value, to: &Type, span: Span) -> Res<Vec<Expr>> {
        let mut values = self.raw_values(b, value, span)?;
        if value.ty().is_some_and(|from| to.converts(from)) {
            let parts = to.leaves().into_iter().zip(values);
            values = parts.map(|(leaf, value)| self.fitted(b, leaf, value)).collect();
        }
        Ok(values)
    }
    /// The values of all cells.
    pub(super) fn raw_values(&mut self, b: &Body, value: &Value, span: Span) -> Res<Vec<Expr>> {
        match value {
            Value::Place(place) => place.cells().iter().map(|cell| self.read_cell(b, cell, span)).collect(),
            Value::Choice(choice) => {
                let (c, x, y) = &**choice;
                let (x, y) = (self.raw_values(b, x, span)?, self.raw_values(b, y, span)?);
                self.pay(size(c).saturating_mul(HEAVY * x.len() as u64), span)?;
                Ok(x.into_iter().zip(y).map(|(x, y)| cond(c.clone(), x, y)).collect())
            }
            _ => Ok(Vec::new()),
        }
    }
}
