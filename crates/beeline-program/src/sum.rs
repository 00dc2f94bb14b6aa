//! Sums of up to two variables and a constant, or what remains of one after division: what indices of arrays are made
//! of, as in `(head + length) % N`.

use beeline_ir::VarId;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;
use std::num::NonZeroI64;

/// The sum. Whatever the values of the variables, it can be worked out in any order without overflow.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    /// Slots.
    terms: [Option<u32>; 2],
    plus: i64,
    modulo: Option<NonZeroI64>,
}

impl Sum {
    /// Its value in a state.
    #[inline]
    pub fn value(&self, state: &[i64]) -> i64 {
        let add = |sum: i64, slot: &u32| sum.wrapping_add(state[*slot as usize]);
        let sum = self.terms.iter().flatten().fold(self.plus, add);
        self.modulo.map_or(sum, |modulo| sum.wrapping_rem(modulo.get()))
    }

    /// The slots that it looks at.
    pub fn reads(self) -> impl Iterator<Item = usize> {
        self.terms.into_iter().flatten().map(|slot| slot as usize)
    }

    /// An expression as a sum, and the values it can have if `range` has those of each variable, by slot.
    pub fn of(
        network: &Network,
        layout: &Layout,
        e: &Expr,
        range: impl Fn(u32, Range) -> Range,
    ) -> Option<(Self, Range)> {
        let (dividend, modulo) = match e {
            Expr::Binary(BinaryOp::Rem, dividend, modulo) => match **modulo {
                Expr::Const(modulo) if modulo > 0 => (&**dividend, Some(modulo)),
                _ => return None,
            },
            sum => (sum, None),
        };
        let mut reader =
            Reader { network, layout, sum: Self::default(), magnitude: 0, values: (0, 0), range };
        reader.add(dividend, false)?;
        let Reader { mut sum, magnitude, values: (lo, hi), .. } = reader;
        let (lo, hi) = match modulo {
            // The remainder has the sign of the dividend.
            Some(modulo) if lo >= 0 && hi >= i128::from(modulo) => (0, i128::from(modulo) - 1),
            Some(_) if lo < 0 => return None,
            _ => (lo, hi),
        };
        sum.modulo = modulo.and_then(NonZeroI64::new);
        let values = Range::new(i64::try_from(lo).ok()?, i64::try_from(hi).ok()?);
        (magnitude <= i128::from(i64::MAX)).then_some((sum, values))
    }
}

struct Reader<'a, F> {
    network: &'a Network,
    layout: &'a Layout,
    sum: Sum,
    /// No partial sum is further from 0.
    magnitude: i128,
    values: (i128, i128),
    range: F,
}

impl<F: Fn(u32, Range) -> Range> Reader<'_, F> {
    /// Adds an expression, or takes a constant away.
    fn add(&mut self, e: &Expr, negative: bool) -> Option<()> {
        match e {
            Expr::Const(value) => {
                let value = if negative { value.checked_neg()? } else { *value };
                self.sum.plus = self.sum.plus.checked_add(value)?;
                self.count(Range::new(value, value), Range::new(value, value))
            }
            Expr::Var(var) if !negative => {
                let slot = slot(self.layout, *var)?;
                *self.sum.terms.iter_mut().find(|term| term.is_none())? = Some(slot);
                let declared = self.network.vars[*var].range;
                self.count(declared, (self.range)(slot, declared))
            }
            Expr::Binary(BinaryOp::Add, left, right) if !negative => {
                self.add(left, false)?;
                self.add(right, false)
            }
            Expr::Binary(BinaryOp::Sub, left, right) if !negative => {
                self.add(left, false)?;
                self.add(right, true)
            }
            _ => None,
        }
    }

    fn count(&mut self, declared: Range, values: Range) -> Option<()> {
        let furthest = i128::from(declared.lo).abs().max(i128::from(declared.hi).abs());
        self.magnitude = self.magnitude.checked_add(furthest)?;
        self.values.0 += i128::from(values.lo);
        self.values.1 += i128::from(values.hi);
        Some(())
    }
}

/// The first slot of a variable.
pub(crate) fn slot(layout: &Layout, var: VarId) -> Option<u32> {
    layout.var[var].and_then(|slot| u32::try_from(slot).ok())
}
