//! Minimal constraint form: the fewest constraints that describe a zone.
//!
//! The shortest-path reduction of Larsen, Larsson, Pettersson and Yi, "Efficient verification of real-time
//! systems: compact data structure and state-space reduction" (RTSS 1997). Clocks on a common cycle of weight
//! 0 have fixed differences and form a class. Between representatives of the classes no zero cycle is left,
//! so every bound that equals a path over a third representative can be dropped, all at once; inside a class
//! one cycle through the members is enough.

use crate::bound::{Bound, Constraint};
use crate::dbm::Dbm;

/// A zone taken apart: what is fixed, and what bounds remain between the rest.
pub(crate) struct Reduction {
    /// For each clock the least clock of its class, possibly itself.
    pub(crate) representative: Vec<usize>,
    /// The bounds between representatives that follow neither from others nor from clocks being at least 0.
    pub(crate) edges: Vec<Constraint>,
}

/// The shortest-path reduction of a zone.
pub(crate) fn reduce(zone: &Dbm) -> Reduction {
    let dim = zone.dim();
    let fixed = |i: usize, j: usize| zone.get(i, j) + zone.get(j, i) == Bound::ZERO_LE;
    // Canonical form makes "on a common zero cycle" visible in two entries, and transitive.
    let representative: Vec<usize> = (0..dim).map(|i| (0..i).find(|&j| fixed(i, j)).unwrap_or(i)).collect();
    let heads: Vec<usize> = (0..dim).filter(|&i| representative[i] == i).collect();
    // The lower bound of a class goes without saying if it is that of a member being at least 0.
    let at_zero = |j: usize| (0..dim).any(|k| representative[k] == j && zone.get(0, k) == Bound::ZERO_LE);
    let mut edges = Vec::new();
    for &i in &heads {
        for &j in heads.iter().filter(|&&j| j != i) {
            let bound = zone.get(i, j);
            let implied = |&k: &usize| k != i && k != j && zone.get(i, k) + zone.get(k, j) <= bound;
            let trivial = bound.is_infinite() || (i == 0 && at_zero(j));
            if !trivial && !heads.iter().any(implied) {
                edges.push(Constraint::new(i, j, bound));
            }
        }
    }
    Reduction { representative, edges }
}

/// The fewest constraints that, together with clocks being at least 0, describe the zone.
///
/// ```
/// # use beeline_zones::{minimal, Bound, Constraint, Dbm};
/// let mut zone = Dbm::zero(4);
/// zone.up();
/// // Three clocks that run together: a cycle x1 <= x2 <= x3 <= x1, and x1 >= 0 goes without saying.
/// assert_eq!(minimal(&zone).len(), 3);
/// ```
pub fn minimal(zone: &Dbm) -> Vec<Constraint> {
    let Reduction { representative, mut edges } = reduce(zone);
    for head in (0..zone.dim()).filter(|&i| representative[i] == i) {
        let mut members: Vec<usize> = (head..zone.dim()).filter(|&i| representative[i] == head).collect();
        if head == 0 {
            // A cycle that leaves the reference clock by `x >= 0` gets that edge for nothing.
            members[1..].sort_by_key(|&i| zone.get(0, i) != Bound::ZERO_LE);
        }
        if members.len() > 1 {
            for (at, &i) in members.iter().enumerate() {
                let j = members[(at + 1) % members.len()];
                edges.push(Constraint::new(i, j, zone.get(i, j)));
            }
        }
    }
    edges.retain(|c| c.left != 0 || c.bound != Bound::ZERO_LE);
    edges
}

/// The zone of all valuations with clocks at least 0 that meet the constraints; `None` if there are none.
///
/// The inverse of [`minimal`].
pub fn from_constraints(dim: usize, constraints: &[Constraint]) -> Option<Dbm> {
    let mut zone = Dbm::universal(dim);
    zone.constrain_all(constraints).then_some(zone)
}
