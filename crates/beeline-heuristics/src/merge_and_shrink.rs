//! Merge-and-shrink: the network as a product of small transition systems, of which two at a time are replaced by their
//! product; before that, each is made small by putting states together. The distances in what is left at the end are
//! lower bounds. As long as only bisimilar states are put together nothing is lost, and the estimate is the distance in
//! the discrete part of the network; clocks are left out.
//!
//! Helmert, Haslum, Hoffmann and Nissim, "Merge-and-shrink abstraction: a method for generating lower bounds in factored
//! state spaces", Journal of the ACM 61(3), 2014; labels and order of merging: Sievers, Wehrle and Helmert, "Generalized
//! label reduction for merge-and-shrink heuristics", AAAI 2014.
//!
//! Reading order: `factor`, `atomic`, `labels`, `shrink`, `merge`, `table`.

mod atomic;
mod factor;
mod labels;
mod merge;
mod shrink;
mod table;
#[cfg(test)]
mod tests;

use atomic::{Atomic, Source};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use factor::{Factor, Labels, State};
use std::collections::BTreeSet;
use table::{Node, Tables};

/// Transitions of one product.
const MOST_TRANSITIONS: usize = 1 << 22;
/// Transitions of all products.
const MOST_IN_ALL: usize = 1 << 26;

/// The heuristic.
#[derive(Debug)]
pub struct MergeAndShrink {
    tables: Tables,
    /// Whether nothing leads to the goal from the initial state.
    hopeless: bool,
    /// Factors that were left.
    left: usize,
    /// Whether only bisimilar states were put together.
    exact: bool,
}

impl MergeAndShrink {
    /// For a factored view and an initial state, with products of so many states at most.
    pub fn new(
        factored: &Factored,
        initial: &[i64],
        most: usize,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let made = match Atomic::new(factored, initial, meter)? {
            Some(atomic) => System::new(atomic, most.max(1)).run(meter)?,
            None => Self { tables: Tables::default(), hopeless: false, left: 0, exact: true },
        };
        meter.keep(before + made.bytes());
        Ok(made)
    }
}

impl Heuristic for MergeAndShrink {
    fn properties(&self) -> Properties {
        Properties::LOWER_BOUND
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        if self.hopeless { Estimate::Infinite } else { self.tables.look_up(slots) }
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn remark(&self) -> Option<String> {
        let kept = if self.exact { "nothing" } else { "something" };
        let (left, entries) = (self.left, self.tables.entries());
        Some(format!("{left} factors left by merging, {kept} lost by shrinking, {entries} distances"))
    }

    fn bytes(&self) -> u64 {
        self.tables.bytes() as u64
    }
}

/// The goal cannot be reached.
struct Hopeless;

/// Why the building ends before its time.
enum End {
    Hopeless,
    Stopped(StopReason),
}

impl From<Hopeless> for End {
    fn from(_: Hopeless) -> Self {
        Self::Hopeless
    }
}

impl From<StopReason> for End {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// The factors, with their tables.
struct System {
    factors: Vec<Option<Factor>>,
    nodes: Vec<Node>,
    labels: Labels,
    tables: Tables,
    most: usize,
    exact: bool,
}

impl System {
    fn new(Atomic { factors, labels }: Atomic, most: usize) -> Self {
        let mut tables = Tables::default();
        let node = |(source, _): &(Source, Factor)| match source {
            Source::Slot(slot, least, values) => tables.slot(*slot, *least, *values),
            Source::Monitor => tables.only(),
        };
        let nodes = factors.iter().map(node).collect();
        let factors = factors.into_iter().map(|(_, factor)| Some(factor)).collect();
        Self { factors, nodes, labels, tables, most, exact: true }
    }

    fn run(mut self, meter: &Meter<'_>) -> Result<MergeAndShrink, StopReason> {
        let hopeless = match self.merge_all(meter) {
            Ok(()) => false,
            Err(End::Hopeless) => true,
            Err(End::Stopped(reason)) => return Err(reason),
        };
        let left = self.factors.iter().flatten().count();
        Ok(MergeAndShrink { tables: self.tables, hopeless, left, exact: self.exact })
    }

    /// Merges until one factor is left, or products become too large; what is left counts.
    fn merge_all(&mut self, meter: &Meter<'_>) -> Result<(), End> {
        for at in 0..self.factors.len() {
            self.prune(at)?;
        }
        let mut refused = BTreeSet::new();
        let mut transitions = 0;
        while transitions < MOST_IN_ALL {
            labels::reduce(&mut self.factors, &mut self.labels, meter)?;
            let Some((a, b)) = merge::next_pair(&self.factors, &self.labels, &refused, meter)? else { break };
            match self.merge(a, b, meter)? {
                Some(size) => {
                    transitions += size;
                    refused.retain(|(one, other)| ![a, b].contains(one) && ![a, b].contains(other));
                }
                None => _ = refused.insert((a, b)),
            }
        }
        for at in 0..self.factors.len() {
            self.prune(at)?;
            if let Some(factor) = &self.factors[at] {
                let distances = factor.distances(&self.labels).into_iter().flatten().collect();
                self.tables.count(self.nodes[at], distances);
            }
        }
        Ok(())
    }

    /// Replaces two factors by their product, and tells its size; `None` if it would be too large.
    fn merge(&mut self, a: usize, b: usize, meter: &Meter<'_>) -> Result<Option<usize>, End> {
        for at in [a, b] {
            self.prune(at)?;
            self.shrink(at, usize::MAX, meter)?;
        }
        let (left, right) = self.limits(a, b);
        self.shrink(a, left, meter)?;
        self.shrink(b, right, meter)?;
        let (Some(one), Some(other)) = (&self.factors[a], &self.factors[b]) else { return Ok(None) };
        let size = merge::product_size(one, other, &self.labels);
        if size > MOST_TRANSITIONS {
            return Ok(None);
        }
        meter.allocate(size * size_of::<factor::Transition>())?;
        let states = (one.states(), other.states());
        let product = merge::product(one, other, &mut self.labels, meter)?;
        self.nodes[a] = self.tables.pair((self.nodes[a], states.0), (self.nodes[b], states.1));
        (self.factors[a], self.factors[b]) = (Some(product), None);
        self.prune(a)?;
        Ok(Some(size))
    }

    /// How many states two factors may have for their product not to be too large.
    fn limits(&self, a: usize, b: usize) -> (usize, usize) {
        let states = |at: usize| self.factors[at].as_ref().map_or(1, Factor::states).max(1);
        let (left, right, root) = (states(a), states(b), self.most.isqrt().max(1));
        match (left.checked_mul(right), left <= root, right <= root) {
            (Some(both), ..) if both <= self.most => (left, right),
            (_, true, _) => (left, (self.most / left).max(1)),
            (_, _, true) => ((self.most / right).max(1), right),
            _ => (root, root),
        }
    }

    /// Leaves out what cannot be reached or does not lead to the goal.
    fn prune(&mut self, at: usize) -> Result<(), Hopeless> {
        let Some(factor) = &self.factors[at] else { return Ok(()) };
        let Some(map) = factor.useful(&self.labels) else { return Ok(()) };
        self.tables.map(self.nodes[at], &map);
        self.factors[at] = Some(factor.mapped(&map, &mut self.labels).ok_or(Hopeless)?);
        Ok(())
    }

    /// Puts states together until there are no more than so many. If that loses something, the distances as they were
    /// still count.
    fn shrink(&mut self, at: usize, most: usize, meter: &Meter<'_>) -> Result<(), End> {
        let Some(factor) = &self.factors[at] else { return Ok(()) };
        if most >= factor.states() && most != usize::MAX {
            return Ok(());
        }
        let partition = shrink::bisimulation(factor, &self.labels, most, meter)?;
        let map: Vec<Option<State>> = partition.block_of.into_iter().map(Some).collect();
        if partition.exact {
            self.tables.map(self.nodes[at], &map);
        } else {
            self.exact = false;
            let distances = factor.distances(&self.labels).into_iter().flatten().collect();
            self.tables.count(self.nodes[at], distances);
        }
        let shrunk = factor.mapped(&map, &mut self.labels).ok_or(Hopeless)?;
        if !partition.exact {
            self.nodes[at] = self.tables.map_apart(self.nodes[at], map);
        }
        self.factors[at] = Some(shrunk);
        Ok(())
    }
}
