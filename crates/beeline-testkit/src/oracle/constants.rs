//! The constants clocks are compared with, read off the model by declared ranges. Written apart from the analysis
//! that the engine uses.

use crate::interval;
use crate::walk::{self, Visitor};
use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Local, Stmt};

/// A constant beyond this makes too many regions.
const LARGEST: i64 = 1_000;

/// Greatest constants.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Constants {
    /// Each clock's: above it, no constraint tells values apart.
    pub single: Vec<i64>,
    /// Of differences; `None` without diagonal constraints.
    pub diagonal: Option<i64>,
    /// Greatest value a clock is set to.
    pub set_to: i64,
}

impl Constants {
    /// The constants of a model and some properties; `None` if an expression has no evident bounds.
    pub fn of(network: &Network, properties: &[&Property]) -> Option<Self> {
        let mut found = Collector {
            network,
            frame: &[],
            constants: Constants { single: vec![0; network.clocks.len()], ..Constants::default() },
            copies: Vec::new(),
            unknown: false,
            unknown_set: false,
        };
        for function in &network.functions {
            found.frame = &function.frame;
            walk::block(&mut function.body.clone(), &mut found);
        }
        for process in &network.processes {
            for location in &process.locations {
                found.frame = &location.frame;
                location.invariant.iter().for_each(|a| found.note(a));
            }
            for edge in &process.edges {
                found.frame = &edge.frame;
                edge.clock_guard.iter().for_each(|a| found.note(a));
                walk::block(&mut edge.update.clone(), &mut found);
            }
        }
        for property in properties {
            found.frame = &property.frame;
            if let PropertyKind::Always(e) | PropertyKind::Exists(e) = &property.kind {
                walk::expr(&mut e.clone(), &mut found);
            }
        }
        found.finish()
    }
}

struct Collector<'n> {
    network: &'n Network,
    frame: &'n [Local],
    constants: Constants,
    /// `x := y`: whatever x is compared with later, y is now.
    copies: Vec<(usize, usize)>,
    /// Some bound has no evident limits.
    unknown: bool,
    /// Some value a clock is set to has none.
    unknown_set: bool,
}

impl Collector<'_> {
    /// The greatest absolute value of the expression, if it is evident and not beyond reason.
    fn greatest(&self, expr: &Expr) -> Option<i64> {
        let range = interval::of(self.network, self.frame, expr)?;
        let greatest = range.lo.saturating_abs().max(range.hi.saturating_abs());
        (greatest <= LARGEST).then_some(greatest)
    }

    fn note(&mut self, atom: &ClockAtom) {
        let Some(greatest) = self.greatest(&atom.bound) else {
            self.unknown = true;
            return;
        };
        if atom.right.is_some() {
            let known = self.constants.diagonal.unwrap_or(0);
            self.constants.diagonal = Some(known.max(greatest));
        } else {
            let known = &mut self.constants.single[atom.left.index()];
            *known = (*known).max(greatest);
        }
    }

    fn finish(mut self) -> Option<Constants> {
        // Without diagonals, the value a clock is set to is either compared with its constant, or above it.
        if self.unknown || (self.unknown_set && self.constants.diagonal.is_some()) {
            return None;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(to, from) in &self.copies {
                if self.constants.single[from] < self.constants.single[to] {
                    self.constants.single[from] = self.constants.single[to];
                    changed = true;
                }
            }
        }
        if let Some(diagonal) = self.constants.diagonal {
            let least = diagonal + self.constants.set_to;
            let all = self.constants.single.iter().copied().max().unwrap_or(0).max(least);
            self.constants.single.fill(all);
        }
        Some(self.constants)
    }
}

impl Visitor for Collector<'_> {
    fn atom(&mut self, atom: &mut ClockAtom) {
        self.note(atom);
    }
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            match stmt {
                Stmt::ClockSet(_, value) => match self.greatest(value) {
                    Some(value) => self.constants.set_to = self.constants.set_to.max(value),
                    None => self.unknown_set = true,
                },
                Stmt::ClockCopy(to, from) => self.copies.push((to.index(), from.index())),
                _ => {}
            }
        }
    }
}
