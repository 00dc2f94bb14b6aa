//! What an undecided condition tells about its operands on either side.
//!
//! The condition of an `If` or `Break` is followed back through the operations just before it: negations,
//! comparisons with 0, and at last a comparison of two operands. Control can only come from there: a position
//! that is jumped to follows an `Else`, `Loop` or `Repeat`, or holds an `End`.

use super::arithmetic::comparison;
use super::machine::{Frame, ValueMachine};
use super::set::ValueSet;
use crate::bytecode::{Op, Source};
use beeline_ir::expr::{BinaryOp, Range, UnaryOp};

/// What an operand may be if the condition is true, and if it is false.
#[derive(Copy, Clone, Debug)]
pub(super) struct Condition {
    place: Source,
    holds: ValueSet,
    fails: ValueSet,
}

/// What is known of the condition itself, and of the two operands of the comparison it comes from.
pub(super) type Conditions = [Option<Condition>; 3];
/// Operands as they were before something was assumed of them.
pub(super) type Before = [Option<(Source, ValueSet)>; 3];

impl ValueMachine {
    /// What the condition of the operation tells.
    pub(super) fn conditions(&self, frame: Frame<'_>, at: usize) -> Conditions {
        let code = &frame.routine.code;
        let (Op::If { cond, .. } | Op::Break { cond, .. }) = &code[at] else { return [None; 3] };
        let values = self.read(frame, *cond);
        let itself =
            Condition { place: *cond, holds: values.without(0), fails: values.clipped(Range::new(0, 0)) };
        let [left, right] = self.operands(frame, &code[..at], *cond);
        [Some(itself), left, right]
    }

    /// What the truth of a register, computed at the end of the code, tells about the operands of a comparison.
    fn operands(&self, frame: Frame<'_>, code: &[Op], cond: Source) -> [Option<Condition>; 2] {
        let mut found = [None; 2];
        let (mut wanted, mut positive) = (cond, true);
        for (at, op) in code.iter().enumerate().rev() {
            match op {
                Op::Unary { op: UnaryOp::Not, dst, src } if Source::Reg(*dst) == wanted => {
                    (wanted, positive) = (*src, !positive);
                }
                Op::Binary { op, dst, left, right } if Source::Reg(*dst) == wanted && comparison(*op) => {
                    // What has been written since is not what was compared.
                    let lost = |operand: &Source| code[at..].iter().any(|op| written(op) == Some(*operand));
                    if lost(left) || lost(right) {
                        return found;
                    }
                    let (holds, fails) = if positive { (*op, negated(*op)) } else { (negated(*op), *op) };
                    let (a, b) = (self.read(frame, *left), self.read(frame, *right));
                    let condition = |place: &Source, x: &ValueSet, holds, fails, y: &ValueSet| {
                        Some(Condition {
                            place: *place,
                            holds: related(x, holds, y),
                            fails: related(x, fails, y),
                        })
                    };
                    found = [
                        condition(left, &a, holds, fails, &b),
                        condition(right, &b, mirrored(holds), mirrored(fails), &a),
                    ];
                    match op {
                        BinaryOp::Ne if *right == Source::Const(0) => wanted = *left,
                        BinaryOp::Eq if *right == Source::Const(0) => (wanted, positive) = (*left, !positive),
                        _ => return found,
                    }
                }
                _ => return found,
            }
        }
        found
    }

    /// Narrows operands to what they are where the condition has that truth; what they were before. Unless `all`
    /// is asked for, slots that the routine does not write stay as they are.
    pub(super) fn assume(&mut self, frame: Frame<'_>, known: &Conditions, truth: bool, all: bool) -> Before {
        let mut before = [None; 3];
        for (condition, before) in known.iter().zip(&mut before) {
            let Some(condition) = condition.filter(|c| all || saved(frame, c.place)) else { continue };
            let values = if truth { condition.holds } else { condition.fails };
            *before = Some((condition.place, self.read(frame, condition.place)));
            self.set(frame, condition.place, values);
            self.flow.alive &= !values.is_empty();
        }
        before
    }
    /// Gives the operands back what they were.
    pub(super) fn restore(&mut self, frame: Frame<'_>, before: &Before) {
        for (place, values) in before.iter().rev().flatten() {
            self.set(frame, *place, *values);
        }
    }
    /// Gives the slots that the routine does not write back what they were. (The others are a part of the states
    /// that are put aside.)
    pub(super) fn forget(&mut self, frame: Frame<'_>, before: &Before) {
        for (place, values) in before.iter().rev().flatten().filter(|(place, _)| !saved(frame, *place)) {
            self.set(frame, *place, *values);
        }
    }

    fn set(&mut self, frame: Frame<'_>, place: Source, values: ValueSet) {
        match place {
            Source::Const(_) => {}
            Source::Reg(reg) => self.write(frame, reg, values),
            Source::Slot(slot) => self.slots[slot as usize] = values,
        }
    }
}

/// Whether a state put aside holds the operand.
fn saved(frame: Frame<'_>, place: Source) -> bool {
    match place {
        Source::Const(_) => false,
        Source::Reg(_) => true,
        Source::Slot(slot) => frame.routine.writes.contains(slot as usize),
    }
}

/// The register that an operation of a condition writes.
fn written(op: &Op) -> Option<Source> {
    match op {
        Op::Unary { dst, .. } | Op::Binary { dst, .. } => Some(Source::Reg(*dst)),
        _ => None,
    }
}

/// The comparison that holds where this one does not.
fn negated(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Eq => Ne,
        Ne => Eq,
        Lt => Ge,
        Le => Gt,
        Gt => Le,
        Ge => Lt,
        other => other,
    }
}
/// The comparison with its operands exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Gt,
        Le => Ge,
        Gt => Lt,
        Ge => Le,
        other => other,
    }
}

/// The values that may be so related to one of the others.
fn related(values: &ValueSet, op: BinaryOp, others: &ValueSet) -> ValueSet {
    let Range { lo, hi } = others.hull();
    let below = |bound: Option<i64>| bound.map(|hi| Range::new(i64::MIN, hi));
    let above = |bound: Option<i64>| bound.map(|lo| Range::new(lo, i64::MAX));
    let range = match op {
        BinaryOp::Eq => return values.intersection(others),
        BinaryOp::Ne => return others.value().map_or(*values, |value| values.without(value)),
        BinaryOp::Lt => below(hi.checked_sub(1)),
        BinaryOp::Le => below(Some(hi)),
        BinaryOp::Gt => above(lo.checked_add(1)),
        BinaryOp::Ge => above(Some(lo)),
        _ => return *values,
    };
    range.map_or(ValueSet::EMPTY, |range| values.clipped(range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic;
    use BinaryOp::*;

    #[test]
    fn related_values_are_those_with_a_partner() {
        let set =
            |mask: u32| (0..5).filter(move |k| mask >> k & 1 == 1).map(|k| [i64::MIN, -1, 0, 2, i64::MAX][k]);
        for (a, b) in (0..32).flat_map(|a| (1..32).map(move |b| (a, b))) {
            let (values, others) = (set(a).collect::<ValueSet>(), set(b).collect::<ValueSet>());
            for op in [Eq, Ne, Lt, Le, Gt, Ge] {
                let holds = |op, v, w| arithmetic::binary(op, v, w) == Ok(1);
                let kept = related(&values, op, &others);
                for v in set(a) {
                    let partner = set(b).any(|w| holds(op, v, w));
                    let exact = values.iter().is_some() && others.iter().is_some();
                    assert!(kept.contains(v) || !partner, "{v} {op:?} {others:?}");
                    assert!(!kept.contains(v) || partner || !exact, "{v} {op:?} {others:?}");
                    for w in set(b) {
                        assert_ne!(holds(op, v, w), holds(negated(op), v, w));
                        assert_eq!(holds(op, v, w), holds(mirrored(op), w, v));
                    }
                }
            }
        }
    }
}
