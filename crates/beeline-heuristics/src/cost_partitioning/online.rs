//! Orders that are made during a search: after every so many estimates one for the state in question, which stays if it
//! says more of that state than all before. So the same state may get a greater estimate later, and the sum along a way
//! is not consistent any more; it is a lower bound all the same.
//!
//! Seipp, "Online saturated cost partitioning for classical planning", ICAPS 2021.

use super::orders::{Distances, Orders, sum};
use crate::factors::{Node, State};
use beeline_ir::limits::Limits;
use beeline_program::factored::Meter;

/// Transitions gone through for all orders.
const MOST_WORK: usize = 1 << 30;
/// Orders that may stay.
const MOST_ORDERS: usize = 32;

/// What orders are made of during a search.
#[derive(Debug)]
pub(super) struct Online {
    pub(super) orders: Orders,
    /// The tables in which the states of the projections are.
    pub(super) nodes: Vec<Node>,
    /// Estimates from one order to the next.
    pub(super) every: u64,
    pub(super) limits: Limits,
    evaluated: u64,
    work: usize,
    kept: usize,
}

impl Online {
    pub(super) fn new(orders: Orders, nodes: Vec<Node>, every: u64, limits: &Limits) -> Self {
        Self { orders, nodes, every, limits: limits.clone(), evaluated: 0, work: 0, kept: 0 }
    }

    /// Whether it is time for an order; to be asked once for each estimate.
    pub(super) fn due(&mut self) -> bool {
        self.evaluated += 1;
        let time = self.evaluated.is_multiple_of(self.every);
        time && self.kept < MOST_ORDERS && self.work.saturating_add(self.orders.size()) <= MOST_WORK
    }

    /// The distances by an order for a state of all tables and of databases with clocks, if they say more of it than is
    /// known, in parts.
    pub(super) fn better(&mut self, states: &[State], timed: &[State], known: u32) -> Option<Distances> {
        self.work += self.orders.size();
        let untimed = self.nodes.iter().map(|node| states[node.index()]);
        let sample: Vec<State> = untimed.chain(timed.iter().copied()).collect();
        // Where it is time to stop, the search will notice by itself.
        let distances = self.orders.good_for(&sample, &Meter::new(&self.limits)).ok()?;
        let better = sum(&distances, &sample) > known;
        self.kept += usize::from(better);
        better.then_some(distances)
    }

    pub(super) fn bytes(&self) -> usize {
        self.orders.bytes()
    }
}
