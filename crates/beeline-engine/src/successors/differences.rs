//! Diagonal constraints `x - y ~ c`, eliminated into the discrete part.
//!
//! Extrapolation is wrong in the presence of diagonal guards (Bouyer, "Forward analysis of updatable timed
//! automata", 2004), so zones never meet one. Delay does not change a difference of clocks; only an update of one
//! of them does. For every pair of clocks that some diagonal mentions, the discrete part therefore carries a
//! *cell*: where `x - y` lies relative to the constants it is compared with. With constants c0 < c1 < ..., cell
//! 2i+1 is "equal to ci", cell 2i is "between its neighbours". An update that sets one clock of the pair to a
//! constant splits the zone by the other clock, with plain constraints; all other updates move cells without
//! splitting.

use crate::time::TimePart;
use beeline_ir::ClockId;
use beeline_ir::expr::{ClockOp, Range};
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::{ClockEffect, ConcreteAtom};

/// A part of a zone, and the cells it leads to.
pub type Piece<Z> = (Z, Vec<i64>);

/// Numbers that the pieces of one zone may take.
const MAX_CELLS: usize = 1 << 22;

/// A pair of clocks `x < y` (by id) whose difference `x - y` is tracked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The first clock.
    pub x: ClockId,
    /// The clock subtracted.
    pub y: ClockId,
    /// The constants it is compared with, ascending.
    pub constants: Vec<i64>,
}

impl Difference {
    fn last_cell(&self) -> i64 {
        2 * self.constants.len() as i64
    }
    /// The cell of an exact difference.
    fn cell_of(&self, value: i64) -> i64 {
        match self.constants.binary_search(&value) {
            Ok(i) => 2 * i as i64 + 1,
            Err(i) => 2 * i as i64,
        }
    }
    /// The constant below a cell (equal to it for an exact cell) and the one above.
    fn around(&self, cell: i64) -> (Option<i64>, Option<i64>) {
        let i = (cell / 2) as usize;
        if cell % 2 == 1 {
            (Some(self.constants[i]), Some(self.constants[i]))
        } else {
            (i.checked_sub(1).map(|i| self.constants[i]), self.constants.get(i).copied())
        }
    }
    /// The bounds of a cell: `(constant, strict)` from below and from above.
    fn bounds(&self, cell: i64) -> [Option<(ClockOp, i64)>; 2] {
        let exact = cell % 2 == 1;
        let (below, above) = self.around(cell);
        let (ge, le) = if exact { (ClockOp::Ge, ClockOp::Le) } else { (ClockOp::Gt, ClockOp::Lt) };
        [below.map(|c| (ge, c)), above.map(|c| (le, c))]
    }
}

/// A clock after a label, in terms of the clocks before it.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Becomes {
    Old(ClockId),
    Const(i64),
}

/// All tracked differences of a model; their cells follow the layout's slots in an engine state.
#[derive(Clone, Debug)]
pub struct Differences {
    first: usize,
    pairs: Vec<Difference>,
}

/// `left - right op bound` told of the pair in order of ids.
fn oriented(left: ClockId, right: ClockId, op: ClockOp, bound: i64) -> (ClockId, ClockId, ClockOp, i64) {
    if left < right {
        return (left, right, op, bound);
    }
    let op = match op {
        ClockOp::Lt => ClockOp::Gt,
        ClockOp::Le => ClockOp::Ge,
        ClockOp::Eq => ClockOp::Eq,
        ClockOp::Ge => ClockOp::Le,
        ClockOp::Gt => ClockOp::Lt,
    };
    (right, left, op, -bound)
}

impl Differences {
    /// Tracks the given comparisons `(left, right, constant)`, and whatever clock copies make of them. `first` is the
    /// position of the first cell in an engine state.
    pub fn new(
        first: usize,
        compared: impl IntoIterator<Item = (ClockId, ClockId, i64)>,
        copies: &[(ClockId, ClockId)],
    ) -> Self {
        let mut result = Self { first, pairs: Vec::new() };
        for (left, right, constant) in compared {
            if left != right {
                let (x, y, _, c) = oriented(left, right, ClockOp::Eq, constant);
                result.track(x, y, &[c]);
            }
        }
        // `x := z` turns `x - y` into what was `z - y`, so that has to be known as precisely.
        loop {
            let mut changed = false;
            for pair in result.pairs.clone() {
                for &(to, from) in copies {
                    let moved = |clock| if clock == to { from } else { clock };
                    for (x, y) in
                        [(moved(pair.x), pair.y), (pair.x, moved(pair.y)), (moved(pair.x), moved(pair.y))]
                    {
                        if x < y {
                            changed |= result.track(x, y, &pair.constants);
                        } else if y < x {
                            let mirrored: Vec<i64> = pair.constants.iter().map(|c| -c).collect();
                            changed |= result.track(y, x, &mirrored);
                        }
                    }
                }
            }
            if !changed {
                return result;
            }
        }
    }

    fn track(&mut self, x: ClockId, y: ClockId, constants: &[i64]) -> bool {
        let position = self.pairs.iter().position(|p| (p.x, p.y) == (x, y));
        let position = position.unwrap_or_else(|| {
            self.pairs.push(Difference { x, y, constants: Vec::new() });
            self.pairs.len() - 1
        });
        let known = &mut self.pairs[position].constants;
        let before = known.len();
        known.extend_from_slice(constants);
        known.sort_unstable();
        known.dedup();
        known.len() != before
    }

    /// The pairs tracked.
    pub fn pairs(&self) -> &[Difference] {
        &self.pairs
    }

    /// Ranges of the cells.
    pub fn ranges(&self) -> impl Iterator<Item = Range> + '_ {
        self.pairs.iter().map(|p| Range::new(0, p.last_cell()))
    }

    /// The cells when all clocks are 0.
    pub fn initial(&self) -> impl Iterator<Item = i64> + '_ {
        self.pairs.iter().map(|p| p.cell_of(0))
    }

    /// Whether `left - right op bound` holds, by the cells of the state.
    fn holds(&self, slots: &[i64], left: ClockId, right: ClockId, op: ClockOp, bound: i64) -> bool {
        if left == right {
            return compare(0.cmp(&bound), op);
        }
        let (x, y, op, bound) = oriented(left, right, op, bound);
        let position = self.pairs.iter().position(|p| (p.x, p.y) == (x, y));
        let position = position.expect("every diagonal of the model is tracked");
        let exact = self.pairs[position].cell_of(bound);
        debug_assert_eq!(exact % 2, 1, "every constant of a diagonal is tracked");
        compare(slots[self.first + position].cmp(&exact), op)
    }

    /// Decides the diagonal atoms: false if one does not hold; those that hold are removed.
    #[inline]
    pub fn decide(&self, slots: &[i64], atoms: &mut Vec<ConcreteAtom>) -> bool {
        self.pairs.is_empty() || self.decide_diagonals(slots, atoms)
    }

    fn decide_diagonals(&self, slots: &[i64], atoms: &mut Vec<ConcreteAtom>) -> bool {
        let mut all = true;
        atoms.retain(|atom| match atom.right {
            None => true,
            Some(right) => {
                all &= self.holds(slots, atom.left, right, atom.op, atom.bound);
                false
            }
        });
        all
    }

    /// The cells of a state as constraints `x - y op c`, for certificate rows.
    pub fn constraints<'a>(&'a self, slots: &'a [i64]) -> impl Iterator<Item = ConcreteAtom> + 'a {
        self.pairs.iter().enumerate().flat_map(|(i, pair)| {
            let atom = |(op, bound)| ConcreteAtom { left: pair.x, right: Some(pair.y), op, bound };
            pair.bounds(slots[self.first + i]).into_iter().flatten().map(atom)
        })
    }

    /// Splits a set of clock values so that the cells after the effects are known: pieces with the cells they
    /// lead to. An error if there are too many.
    pub fn split<T: TimePart>(
        &self,
        time: &T,
        zone: T::Zone,
        slots: &[i64],
        effects: &[ClockEffect],
        clocks: usize,
        limits: &Limits,
    ) -> Result<Vec<Piece<T::Zone>>, StopReason> {
        if self.pairs.is_empty() || effects.is_empty() {
            return Ok(vec![(zone, slots[self.first..].to_vec())]);
        }
        let after = becomes(effects, clocks);
        let size = time.entries(&zone).len() + self.pairs.len();
        let mut pieces = vec![(zone, Vec::with_capacity(self.pairs.len()))];
        for pair in &self.pairs {
            let mut next = Vec::with_capacity(pieces.len());
            for (zone, cells) in pieces {
                let mut put = |zone, cell| {
                    let mut cells = cells.clone();
                    cells.push(cell);
                    next.push((zone, cells));
                };
                match (after[pair.x.index()], after[pair.y.index()]) {
                    (Becomes::Const(v), Becomes::Const(w)) => put(zone, pair.cell_of(v - w)),
                    (Becomes::Old(p), Becomes::Old(q)) => put(zone, self.inherited(pair, slots, p, q)),
                    (Becomes::Const(v), Becomes::Old(q)) => {
                        // v - q in the cell: q compares the other way round with v - c.
                        for cell in 0..=pair.last_cell() {
                            let atoms = pair.bounds(cell).into_iter().flatten().map(|(op, c)| {
                                let (_, _, op, bound) = oriented(ClockId::new(1), ClockId::new(0), op, c - v);
                                ConcreteAtom { left: q, right: None, op, bound }
                            });
                            let mut piece = zone.clone();
                            if time.constrain(&mut piece, &atoms.collect::<Vec<_>>()) {
                                put(piece, cell);
                            }
                        }
                    }
                    (Becomes::Old(p), Becomes::Const(w)) => {
                        for cell in 0..=pair.last_cell() {
                            let atoms = pair.bounds(cell).into_iter().flatten();
                            let atoms =
                                atoms.map(|(op, c)| ConcreteAtom { left: p, right: None, op, bound: c + w });
                            let mut piece = zone.clone();
                            if time.constrain(&mut piece, &atoms.collect::<Vec<_>>()) {
                                put(piece, cell);
                            }
                        }
                    }
                }
            }
            pieces = next;
            limits.check(0, (pieces.len() * size * size_of::<i64>()) as u64)?;
            if pieces.len() * size > MAX_CELLS {
                return Err(StopReason::Labels);
            }
        }
        Ok(pieces)
    }

    /// The cell of a pair whose clocks now have the old values of `p` and `q`.
    fn inherited(&self, pair: &Difference, slots: &[i64], p: ClockId, q: ClockId) -> i64 {
        if p == q {
            return pair.cell_of(0);
        }
        // The old pair knows at least the constants of the new one: find the first constant not below the difference.
        for (i, c) in pair.constants.iter().enumerate() {
            if self.holds(slots, p, q, ClockOp::Lt, *c) {
                return 2 * i as i64;
            }
            if self.holds(slots, p, q, ClockOp::Eq, *c) {
                return 2 * i as i64 + 1;
            }
        }
        pair.last_cell()
    }
}

fn compare(order: std::cmp::Ordering, op: ClockOp) -> bool {
    match op {
        ClockOp::Lt => order.is_lt(),
        ClockOp::Le => order.is_le(),
        ClockOp::Eq => order.is_eq(),
        ClockOp::Ge => order.is_ge(),
        ClockOp::Gt => order.is_gt(),
    }
}

fn becomes(effects: &[ClockEffect], clocks: usize) -> Vec<Becomes> {
    let mut after: Vec<Becomes> = (0..clocks).map(|c| Becomes::Old(ClockId::new(c))).collect();
    for effect in effects {
        match *effect {
            ClockEffect::Set(clock, value) => after[clock.index()] = Becomes::Const(value),
            ClockEffect::Copy(clock, from) => after[clock.index()] = after[from.index()],
        }
    }
    after
}
