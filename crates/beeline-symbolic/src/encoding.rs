//! Variables as bits: a value is stored as its distance from the least value of the range, most significant bit
//! uppermost. The bits of a variable are neighbours, each next to that of the next state. Inputs and frozen variables
//! have no next state.

use crate::bdd::{Bdd, Bdds, Bit, Made};
use crate::number::Number;
use beeline_ir::VarId;
use beeline_ir::expr::{BinaryOp, Range};
use beeline_ir::relation::{Relation, RelationRole};

/// Bits at most: operations recur over them.
pub(crate) const MOST_BITS: u32 = 20_000;

/// Where a variable is kept.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub role: RelationRole,
    pub range: Range,
    /// Most significant first.
    pub current: Vec<Bit>,
    /// The same as `current` if the variable has no next state of its own.
    pub next: Vec<Bit>,
}

/// Where all variables are kept.
#[derive(Clone, Debug)]
pub(crate) struct Encoding {
    pub places: Vec<Place>,
    /// The variables, uppermost first.
    pub order: Vec<VarId>,
    pub bits: u32,
}

impl Encoding {
    /// With the variables in that order; `None` if there are too many bits.
    pub fn new(relation: &Relation, order: Vec<VarId>) -> Option<Self> {
        Self::of(relation.vars.iter().map(|var| (var.role, var.range)), order)
    }
    /// Of variables of these roles and ranges.
    pub fn of(vars: impl Iterator<Item = (RelationRole, Range)>, order: Vec<VarId>) -> Option<Self> {
        let place = |(role, range)| Place { role, range, current: Vec::new(), next: Vec::new() };
        let mut places: Vec<Place> = vars.map(place).collect();
        let mut bits: u32 = 0;
        for var in &order {
            let place = &mut places[var.index()];
            let stride = if place.role == RelationRole::State { 2 } else { 1 };
            for _ in 0..width(place.range) {
                place.current.push(bits);
                place.next.push(bits + stride - 1);
                bits += stride;
            }
            if bits > MOST_BITS {
                return None;
            }
        }
        Some(Self { places, order, bits })
    }
    /// Those of some role, in order of declaration.
    pub fn of_role(&self, chosen: impl Fn(RelationRole) -> bool) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| chosen(place.role))
    }
    /// The variables a state consists of, by slot.
    pub fn stored(&self) -> impl Iterator<Item = &Place> {
        self.of_role(|role| role != RelationRole::Input)
    }
    /// The inputs, in order of declaration.
    pub fn inputs(&self) -> impl Iterator<Item = &Place> {
        self.of_role(|role| role == RelationRole::Input)
    }
}

impl Place {
    /// Each current bit with the next.
    pub fn pairs(&self) -> impl Iterator<Item = (Bit, Bit)> {
        self.current.iter().copied().zip(self.next.iter().copied())
    }
    /// The value that some bits of it stand for.
    pub fn number(&self, bits: &[Bit], b: &Bdds) -> Made<Number> {
        let mut number = Number::constant(0, b);
        let bits = bits.iter().rev().map(|bit| b.bit(*bit));
        number.bits = bits.chain([Ok(b.no())]).collect::<Made<_>>()?;
        number.binary(BinaryOp::Add, &Number::constant(self.range.lo, b), b)
    }
    /// The bits, each with its value, where the variable has a value of its range.
    pub fn literals(bits: &[Bit], range: Range, value: i64) -> impl Iterator<Item = (Bit, bool)> {
        let distance = value.wrapping_sub(range.lo) as u64;
        let least = bits.len();
        bits.iter().enumerate().map(move |(i, bit)| (*bit, distance >> (least - 1 - i) & 1 == 1))
    }
    /// Where the bits stand for a value of the range at all.
    pub fn valid(&self, bits: &[Bit], bdds: &Bdds) -> Made<Bdd> {
        let last = (self.range.size() - 1) as u64;
        // From the least significant bit: at most `last` in those below.
        bits.iter().rev().enumerate().try_fold(bdds.yes(), |at_most, (i, bit)| {
            let bit = bdds.bit(*bit)?;
            if last >> i & 1 == 1 { bdds.implies(&bit, &at_most) } else { bdds.minus(&at_most, &bit) }
        })
    }
}

/// Bits that the values of a range need.
fn width(range: Range) -> u32 {
    u128::BITS - (range.size() - 1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        let width = |lo, hi| width(Range::new(lo, hi));
        assert_eq!([width(3, 3), width(0, 1), width(-1, 1), width(0, 7), width(0, 8)], [0, 1, 2, 3, 4]);
        assert_eq!(width(i64::MIN, i64::MAX), 64);
    }
}
