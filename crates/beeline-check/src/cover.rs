//! Whether some states lie in the union of rows. A row that holds them all is looked for first; then what each row
//! holds is taken away; what is left is split by the value of a slot, and so on.

use std::collections::{BTreeMap, HashMap};

use beeline_ir::certificate::{Cell, Row, ZoneConstraint};
use beeline_ir::expr::{ClockOp, Range};

use crate::cells::{Cells, Known};
use crate::clock::{Constraint, Cut};
use crate::context::Context;
use crate::fork::{Agenda, Halt, Meter};
use crate::row::States;
use crate::zone::Zone;

/// The rows of a certificate that fix the same slots, by the values they fix them to.
struct Group {
    fixed: Vec<usize>,
    rows: HashMap<Vec<i64>, Vec<usize>>,
}

/// Rows, indexed by which slots they fix.
pub(crate) struct Cover<'a> {
    rows: &'a [Row],
    zones: Vec<Vec<Constraint>>,
    groups: Vec<Group>,
    /// Whether some row says something about the slot.
    mentioned: Vec<bool>,
}

/// The constraint as the kernel writes it.
pub(crate) fn constraint(zone: &ZoneConstraint) -> Constraint {
    let op = if zone.strict { ClockOp::Lt } else { ClockOp::Le };
    Constraint { left: zone.left, right: zone.right, op, bound: zone.bound }
}

impl<'a> Cover<'a> {
    pub fn new(rows: &'a [Row], slots: usize) -> Self {
        let mut groups: BTreeMap<Vec<usize>, HashMap<Vec<i64>, Vec<usize>>> = BTreeMap::new();
        let mut mentioned = vec![false; slots];
        for (i, row) in rows.iter().enumerate() {
            let (mut fixed, mut values) = (Vec::new(), Vec::new());
            for (slot, cell) in row.cells.iter().enumerate() {
                if let Cell::Value(value) = cell {
                    fixed.push(slot);
                    values.push(*value);
                }
                mentioned[slot] |= *cell != Cell::Any;
            }
            groups.entry(fixed).or_default().entry(values).or_default().push(i);
        }
        let groups = groups.into_iter().map(|(fixed, rows)| Group { fixed, rows }).collect();
        let zones = rows.iter().map(|row| row.zone.iter().map(constraint).collect()).collect();
        Self { rows, zones, groups, mentioned }
    }
    /// Whether the states lie in the union of the rows of at most this level.
    pub fn covers(
        &self,
        cx: &Context<'_>,
        states: &States,
        level: u32,
        meter: &mut Meter,
    ) -> Result<bool, Halt> {
        let mut work = Agenda::new((states.cells.clone(), vec![Cut::all(states.zone.clone())]));
        while let Some((cells, pieces)) = work.next() {
            let pieces = self.left_over(cx, &cells, pieces, level, meter)?;
            if pieces.is_empty() {
                continue;
            }
            let unknown = |slot: &usize| !matches!(cells.get(*slot), Known::Value(_));
            let Some(slot) = (0..self.mentioned.len()).find(|slot| self.mentioned[*slot] && unknown(slot))
            else {
                return Ok(false);
            };
            work.add(cx.split(&cells, slot)?.map(move |cells| (cells, pieces.clone())));
        }
        Ok(true)
    }
    /// What of the pieces is not in a row that holds all the cells.
    fn left_over(
        &self,
        cx: &Context<'_>,
        cells: &Cells,
        mut pieces: Vec<Cut<Zone>>,
        level: u32,
        meter: &mut Meter,
    ) -> Result<Vec<Cut<Zone>>, Halt> {
        let mut holding = Vec::new();
        for group in &self.groups {
            meter.tick()?;
            for row in group.candidates(cells) {
                meter.tick()?;
                if self.rows[*row].level > level || !holds(&self.rows[*row].cells, cells, &cx.ranges) {
                    continue;
                }
                if pieces.iter().all(|piece| self.zones[*row].iter().all(|c| piece.set.within(c))) {
                    return Ok(Vec::new());
                }
                holding.push(*row);
            }
        }
        for row in holding {
            pieces = Cut::minus_all(pieces, &self.zones[row], meter)?;
        }
        Ok(pieces)
    }
}

impl Group {
    /// The rows that fix the same values as the cells do.
    fn candidates(&self, cells: &Cells) -> &[usize] {
        let value = |slot: &usize| cells.read(*slot).ok();
        let values: Option<Vec<i64>> = self.fixed.iter().map(value).collect();
        values.and_then(|values| self.rows.get(&values)).map_or(&[], |rows| &rows[..])
    }
}

/// Whether the cells of a row hold everything that is possible.
fn holds(row: &[Cell], cells: &Cells, ranges: &[Range]) -> bool {
    row.iter().zip(cells.iter()).zip(ranges).all(|((cell, known), range)| match cell {
        Cell::Any => true,
        Cell::Value(value) => *known == Known::Value(*value),
        Cell::Set(values) => {
            known.size(*range) <= values.len() as u128
                && known.values(*range).all(|value| values.binary_search(&value).is_ok())
        }
    })
}
