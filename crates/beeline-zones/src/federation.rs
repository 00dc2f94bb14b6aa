//! Federations: finite unions of zones, with exact difference and exact inclusion.
//!
//! Subtraction follows David, Håkansson, Larsen and Pettersson, "Model checking timed automata with
//! priorities using DBM subtraction" (FORMATS 2006): the part of a zone outside another is split along the
//! constraints of the other's minimal form, each piece violating one constraint and meeting those before it,
//! so pieces are disjoint. The number of pieces, and so the cost of inclusion in a union, can grow
//! exponentially with the number of zones subtracted; try single inclusion first.

use crate::dbm::Dbm;
use crate::fault::{Fault, active};
use crate::minimal::minimal;
use crate::ops;

/// A finite union of nonempty zones of one dimension. No zone is included in a single other one; zones may
/// overlap.
#[derive(Clone, Debug)]
pub struct Federation {
    dim: usize,
    zones: Vec<Dbm>,
}

impl Federation {
    /// The empty union.
    pub fn new(dim: usize) -> Federation {
        Federation { dim, zones: Vec::new() }
    }

    /// The union of one zone.
    pub fn from_zone(zone: Dbm) -> Federation {
        Federation { dim: zone.dim(), zones: vec![zone] }
    }

    /// The dimension, counting the reference clock.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The zones.
    pub fn zones(&self) -> &[Dbm] {
        &self.zones
    }

    /// Whether there is no valuation in the union.
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Adds a nonempty zone unless one zone includes it, and drops the zones it includes. Returns whether it
    /// was added.
    pub fn add(&mut self, zone: Dbm) -> bool {
        debug_assert!(zone.dim() == self.dim && !zone.is_empty());
        if self.zones.iter().any(|mine| mine.includes(&zone)) {
            return false;
        }
        self.zones.retain(|mine| !zone.includes(mine));
        self.zones.push(zone);
        true
    }

    /// Adds every zone of another federation.
    pub fn union(&mut self, other: &Federation) {
        for zone in &other.zones {
            self.add(zone.clone());
        }
    }

    /// The valuations that are also in the zone.
    pub fn intersect(&self, zone: &Dbm) -> Federation {
        self.collect(|mine| {
            let mut mine = mine.clone();
            mine.intersect(zone).then_some(mine)
        })
    }

    /// The valuations that are in both federations.
    pub fn intersect_all(&self, other: &Federation) -> Federation {
        let mut result = Federation::new(self.dim);
        for zone in &other.zones {
            result.union(&self.intersect(zone));
        }
        result
    }

    /// The valuations that are not in the zone.
    pub fn subtract(&self, zone: &Dbm) -> Federation {
        self.collect(|mine| subtract(mine, zone))
    }

    /// The valuations that are not in the other federation.
    pub fn subtract_all(&self, other: &Federation) -> Federation {
        other.zones.iter().fold(self.clone(), |rest, zone| rest.subtract(zone))
    }

    /// Whether the zone lies in the union, be it in no single zone of it.
    pub fn includes(&self, zone: &Dbm) -> bool {
        if self.zones.iter().any(|mine| mine.includes(zone)) {
            return true;
        }
        let mut rest = vec![zone.clone()];
        for mine in &self.zones {
            rest = rest.iter().flat_map(|piece| subtract(piece, mine)).collect();
            if rest.is_empty() {
                return true;
            }
        }
        false
    }

    /// Whether the other federation lies in this one.
    pub fn includes_all(&self, other: &Federation) -> bool {
        other.zones.iter().all(|zone| self.includes(zone))
    }

    /// Lets any amount of time pass.
    pub fn up(&mut self) {
        *self = self.collect(|zone| {
            let mut zone = zone.clone();
            zone.up();
            Some(zone)
        });
    }

    /// All valuations from which letting time pass leads into the union.
    pub fn down(&mut self) {
        *self = self.collect(|zone| {
            let mut zone = zone.clone();
            zone.down();
            Some(zone)
        });
    }

    /// The union of what a function makes of each zone.
    fn collect<I: IntoIterator<Item = Dbm>>(&self, f: impl Fn(&Dbm) -> I) -> Federation {
        let mut result = Federation::new(self.dim);
        for zone in self.zones.iter().flat_map(f) {
            result.add(zone);
        }
        result
    }
}

/// The part of a zone outside another, in disjoint pieces.
pub fn subtract(zone: &Dbm, other: &Dbm) -> Vec<Dbm> {
    let dim = zone.dim();
    debug_assert!(other.dim() == dim);
    let mut pieces = Vec::new();
    if !zone.intersects(other) {
        pieces.push(zone.clone());
        return pieces;
    }
    // `rest` meets the constraints seen so far. It never gets empty, as it keeps the common part of the two
    // zones.
    let mut rest = zone.clone();
    for constraint in minimal(other) {
        if rest.get(constraint.left, constraint.right) <= constraint.bound {
            continue;
        }
        let outside = constraint.negated();
        let mut piece = rest.clone();
        if ops::tighten(piece.as_mut_slice(), dim, outside.left, outside.right, outside.bound) {
            pieces.push(piece);
        }
        let meets =
            ops::tighten(rest.as_mut_slice(), dim, constraint.left, constraint.right, constraint.bound);
        debug_assert!(meets, "zones that intersect have a common part");
    }
    if active(Fault::SubtractDropsPiece) {
        pieces.pop();
    }
    pieces
}
