//! The rows of a proof.

use super::{Atom, Fate, Projection, Proof, Stage, cell};
use crate::factors::State;
use crate::factors::atomic::Source;
use beeline_ir::certificate::{Cell, Row};

/// Values of all cells of all rows.
const MOST_VALUES: usize = 1 << 24;

impl Proof {
    /// The rows, so many at most.
    pub(super) fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        let size = |cell: &Cell| if let Cell::Set(values) = cell { values.len() } else { 1 };
        let values: usize = self.cells.iter().map(size).sum();
        let most = most.min(MOST_VALUES / values.max(1));
        let living = self.atoms.iter().map(Atom::living).collect();
        let mut writing = Writing { proof: self, living, rows: Vec::new(), most };
        for atom in &self.atoms {
            let dead = cell(atom.values(|fate| fate == Fate::Dead));
            match (atom.source, dead) {
                (Source::Slot(slot, ..), Some(dead)) => {
                    let mut cells = self.cells.clone();
                    cells[slot] = dead;
                    writing.rows.push(Row { level: 0, cells, zone: Vec::new() });
                }
                (Source::Monitor, _) if atom.fates[0] == Fate::Dead => writing.add(&[], &[], 0)?,
                _ => {}
            }
        }
        for projection in &self.projections {
            writing.projection(projection, length)?;
        }
        Some(writing.rows)
    }
}

/// Rows so far.
struct Writing<'p> {
    proof: &'p Proof,
    /// By factor, the value of each state.
    living: Vec<Vec<i64>>,
    rows: Vec<Row>,
    most: usize,
}

impl Writing<'_> {
    /// The row of some states of factors, unless no state of the network is in it; `None` if there are too many.
    fn add(&mut self, stages: &[Stage], states: &[State], level: u32) -> Option<()> {
        let mut cells = self.proof.cells.clone();
        for (stage, state) in stages.iter().zip(states) {
            let value = self.living[stage.atom][state.index()];
            match self.proof.atoms[stage.atom].source {
                Source::Slot(slot, ..) => cells[slot] = Cell::Value(value),
                Source::Monitor if value == 0 => {}
                Source::Monitor => return Some(()),
            }
        }
        self.rows.push(Row { level, cells, zone: Vec::new() });
        (self.rows.len() <= self.most).then_some(())
    }

    fn projection(&mut self, projection: &Projection, length: Option<u32>) -> Option<()> {
        // The states of the factors for each state that lives, one after the other.
        let mut members: Vec<State> = Vec::new();
        let mut together = Vec::new();
        for (at, stage) in projection.stages.iter().enumerate() {
            let mut living = Vec::new();
            for (place, fate) in stage.fates.iter().enumerate() {
                together.clear();
                together.extend_from_slice(&members[place / stage.width * at..][..at]);
                together.push(State::new(place % stage.width));
                match fate {
                    Fate::Unreached => {}
                    Fate::Dead => self.add(&projection.stages[..=at], &together, 0)?,
                    Fate::Lives(_) => living.extend_from_slice(&together),
                }
            }
            members = living;
        }
        let Some(length) = length else { return Some(()) };
        let members = members.chunks(projection.stages.len().max(1));
        for (states, steps) in members.zip(&projection.distances).filter(|(_, steps)| **steps > 0) {
            self.add(&projection.stages, states, length.saturating_sub(*steps))?;
        }
        Some(())
    }
}
