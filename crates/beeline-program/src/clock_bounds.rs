//! LU clock bounds per location (Behrmann, Bouyer, Fleury, Larsen, "Static guard analysis in timed automata
//! verification", TACAS 2003).
//!
//! At a location, `L(x)` is the greatest constant that `x` may still be tested against from below (`x > c`, `x >=
//! c`, `x == c`) before it is set, `U(x)` likewise from above. Per process they are the least solution of: the
//! invariant of the location and the guards of its edges count, and so do the bounds at an edge's target, for the
//! clocks whose values the edge moves there ([`clock_flow`](crate::clock_flow)). The bounds of a state are the
//! greatest over the processes' locations. Only a process's own edges kill its bounds; but as clocks are shared,
//! an edge that copies `y` to `x` gives `y` the bounds that *any* process may have on `x`.
//!
//! A slot of a family counts with its initial location while it does not exist, since it may be started any time.
//! A test against a negative number never changes its truth and gives no bound. Diagonal constraints are listed
//! apart and give no bounds either: it is up to the user of [`ClockBounds::diagonals`] to keep their clocks
//! alive.

use crate::clock_flow::{ClockFlow, ClockFlows};
use crate::program::{Atom, Program};
use beeline_ir::expr::{ClockOp, Range};
use beeline_ir::network::Network;
use beeline_ir::stmt::Stmt;
use beeline_ir::{ClockId, IdVec, LocationId, ProcessId};

/// A constraint on the difference of two clocks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagonal {
    /// The clock.
    pub left: ClockId,
    /// The clock subtracted from it.
    pub right: ClockId,
    /// The comparison.
    pub op: ClockOp,
    /// Contains every value of the bound.
    pub bound: Range,
}

/// `L` and `U` of every clock; `None` means no test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Greatest constant of a lower-bound test.
    pub lower: Vec<Option<i64>>,
    /// Greatest constant of an upper-bound test.
    pub upper: Vec<Option<i64>>,
}

/// The bounds of every process location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockBounds {
    /// The bounds at each location of each process.
    pub locations: IdVec<ProcessId, IdVec<LocationId, Bounds>>,
    /// The bounds that count everywhere.
    pub everywhere: Bounds,
    /// Constraints on differences, which are not part of the bounds; each once.
    pub diagonals: Vec<Diagonal>,
}

impl Bounds {
    fn none(clocks: usize) -> Self {
        Self { lower: vec![None; clocks], upper: vec![None; clocks] }
    }
    /// Counts an atom that is no diagonal.
    fn count(&mut self, atom: &Atom) {
        if atom.right.is_some() || atom.interval.size() == 0 || atom.interval.hi < 0 {
            return;
        }
        let bound = Some(atom.interval.hi);
        if matches!(atom.op, ClockOp::Gt | ClockOp::Ge | ClockOp::Eq) {
            raise(&mut self.lower[atom.left.index()], bound);
        }
        if matches!(atom.op, ClockOp::Lt | ClockOp::Le | ClockOp::Eq) {
            raise(&mut self.upper[atom.left.index()], bound);
        }
    }
    /// Gives the clock `to` the bounds that the clock `from` has in `other`; whether that changed something.
    fn raise_from(&mut self, to: usize, other: &Bounds, from: usize) -> bool {
        let lower = raise(&mut self.lower[to], other.lower[from]);
        raise(&mut self.upper[to], other.upper[from]) | lower
    }
    fn raise_all(&mut self, other: &Bounds) {
        for clock in 0..self.lower.len() {
            self.raise_from(clock, other, clock);
        }
    }
}

fn raise(bound: &mut Option<i64>, to: Option<i64>) -> bool {
    let higher = to > *bound;
    if higher {
        *bound = to;
    }
    higher
}

impl ClockBounds {
    /// Computes the bounds. The atoms in `extra` (those of the property) count everywhere.
    pub fn compute(network: &Network, program: &Program, extra: &[Atom]) -> ClockBounds {
        let mut everywhere = Bounds::none(program.clocks);
        extra.iter().for_each(|atom| everywhere.count(atom));
        let mut bounds = ClockBounds { locations: IdVec::new(), everywhere, diagonals: Vec::new() };
        bounds.note_diagonals(extra);
        for process in &program.processes {
            let mut locations: IdVec<LocationId, Bounds> =
                process.locations.iter().map(|_| bounds.everywhere.clone()).collect();
            for (id, location) in process.locations.enumerate() {
                location.invariant.iter().for_each(|atom| locations[id].count(atom));
                bounds.note_diagonals(&location.invariant);
            }
            for edge in &process.edges {
                edge.clock_guard.iter().for_each(|atom| locations[edge.source].count(atom));
                bounds.note_diagonals(&edge.clock_guard);
            }
            bounds.locations.push(locations);
        }
        bounds.propagate(network);
        bounds
    }

    fn note_diagonals(&mut self, atoms: &[Atom]) {
        for atom in atoms.iter().filter(|atom| atom.interval.size() > 0) {
            let Some(right) = atom.right else { continue };
            let diagonal = Diagonal { left: atom.left, right, op: atom.op, bound: atom.interval };
            if !self.diagonals.contains(&diagonal) {
                self.diagonals.push(diagonal);
            }
        }
    }

    /// Carries bounds against the direction of edges until nothing changes.
    fn propagate(&mut self, network: &Network) {
        let flows = ClockFlows::of(network);
        let flows: IdVec<ProcessId, Vec<ClockFlow>> =
            network.processes.iter().map(|p| p.edges.iter().map(|e| flows.edge(e)).collect()).collect();
        let clocks = self.everywhere.lower.len();
        loop {
            let peaks: IdVec<ProcessId, Bounds> = self.locations.iter().map(|l| peak(l, clocks)).collect();
            let mut changed = false;
            for (id, process) in network.processes.enumerate() {
                let locations = &mut self.locations[id];
                // Edges mostly lead onward, so the way back is the short one.
                for (edge, flow) in process.edges.iter().zip(&flows[id]).rev() {
                    // A slot that ends may be started again; until then it counts as being at its initial location.
                    let exits = edge.update.last() == Some(&Stmt::Exit);
                    let target = if exits { process.initial } else { edge.target };
                    let target = locations[target].clone();
                    let source = &mut locations[edge.source];
                    for clock in (0..clocks).filter(|c| !flow.writes(ClockId::new(*c))) {
                        changed |= source.raise_from(clock, &target, clock);
                    }
                    for (clock, origins) in flow.written() {
                        for origin in origins {
                            changed |= source.raise_from(origin.index(), &target, clock.index());
                        }
                        for origin in origins.iter().filter(|origin| **origin != clock) {
                            for other in peaks.ids().filter(|other| *other != id) {
                                changed |= source.raise_from(origin.index(), &peaks[other], clock.index());
                            }
                        }
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The bounds that matter in a discrete state, one entry per clock; the buffers are overwritten. A clock
    /// without any bound is inactive.
    pub fn at(&self, program: &Program, state: &[i64], lower: &mut [Option<i64>], upper: &mut [Option<i64>]) {
        lower.copy_from_slice(&self.everywhere.lower);
        upper.copy_from_slice(&self.everywhere.upper);
        for (id, process) in program.processes.enumerate() {
            let location = match program.location(id, state) {
                Some(location) => location,
                None if process.dynamic => process.initial,
                None => continue,
            };
            let bounds = &self.locations[id][location];
            for clock in 0..lower.len() {
                raise(&mut lower[clock], bounds.lower[clock]);
                raise(&mut upper[clock], bounds.upper[clock]);
            }
        }
    }
}

/// The greatest bounds over a process's locations.
fn peak(locations: &IdVec<LocationId, Bounds>, clocks: usize) -> Bounds {
    let mut peak = Bounds::none(clocks);
    locations.iter().for_each(|bounds| peak.raise_all(bounds));
    peak
}
