//! Saturated cost partitioning over projections chosen by counterexamples: the distances of several projections add up, for
//! each label gives a part of its cost to each of them. There are several ways to share out the costs, each good for some
//! states; the best counts.
//!
//! Seipp, Keller and Helmert, "Saturated cost partitioning for optimal classical planning", Journal of Artificial
//! Intelligence Research 67, 2020.
//!
//! Reading order: [`factors`](crate::factors), `abstraction`, `flaws`, `collection`, `saturated`, `orders`.

mod abstraction;
mod collection;
mod flaws;
mod orders;
mod saturated;
#[cfg(test)]
mod tests;

use crate::factors::{Atomic, Node, Start, Tables};
use abstraction::{Abstraction, Atoms};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use collection::NoCollection;
use saturated::PARTS;

/// Distances of some of the projections, in parts of a step; each with the table that says at which state they are.
type Partition = Vec<(Node, Vec<u32>)>;

/// The heuristic.
#[derive(Debug)]
pub struct CostPartitioning {
    tables: Tables,
    partitions: Vec<Partition>,
    /// Whether nothing leads to the goal from the initial state.
    hopeless: bool,
    /// Number of factors of each projection.
    patterns: Vec<usize>,
}

impl CostPartitioning {
    /// For a factored view and an initial state, with products of so many transitions at most.
    pub fn new(
        factored: &Factored,
        start: Start<'_>,
        most: usize,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let atomic = Atomic::new(factored, start, meter)?;
        let made = match atomic.map_or(Ok(Self::without(false)), |atomic| Self::of(atomic, most, meter)) {
            Err(NoCollection::Stopped(reason)) => return Err(reason),
            Err(NoCollection::Hopeless) => Self::without(true),
            Ok(made) => made,
        };
        meter.keep(before + made.bytes());
        Ok(made)
    }

    fn without(hopeless: bool) -> Self {
        Self { tables: Tables::default(), partitions: Vec::new(), hopeless, patterns: Vec::new() }
    }

    fn of(Atomic { factors, labels }: Atomic, most: usize, meter: &Meter<'_>) -> Result<Self, NoCollection> {
        let (nodes, tables) = Tables::of(factors.iter().map(|(source, _)| *source));
        let factors = factors.into_iter().map(|(_, factor)| factor).collect();
        let mut atoms = Atoms { factors, nodes, tables, labels };
        for at in 0..atoms.factors.len() {
            if !atoms.prune(at) {
                return Err(NoCollection::Hopeless);
            }
        }
        let mut collection = collection::collection(&mut atoms, most, meter)?;
        tidy(&mut atoms, &mut collection)?;
        let nodes = collection.iter().map(|abstraction| abstraction.node);
        // What an atomic factor has shown to lead nowhere has to stay so, for labels were left out for it.
        let mut nodes: Vec<Node> = nodes.chain(atoms.nodes.iter().copied()).collect();
        let orders = orders::partitions(&atoms, &collection, meter)?;
        atoms.tables.keep(&mut nodes);
        let named =
            |partition: orders::Distances| partition.into_iter().map(|(at, d)| (nodes[at], d)).collect();
        let partitions = orders.into_iter().map(named).collect();
        let patterns = collection.iter().map(|abstraction| abstraction.pattern.len()).collect();
        Ok(Self { tables: atoms.tables, partitions, hopeless: false, patterns })
    }
}

/// Leaves out what labels that are gone led to, until nothing changes: then the goal can be reached from all states of all
/// projections.
fn tidy(atoms: &mut Atoms, collection: &mut [Abstraction]) -> Result<(), NoCollection> {
    loop {
        let mut changed = false;
        for abstraction in &mut *collection {
            if let Some(map) = abstraction.factor.useful(&atoms.labels) {
                changed = true;
                abstraction.forget(atoms, &map).ok_or(NoCollection::Hopeless)?;
            }
        }
        if !changed {
            return Ok(());
        }
    }
}

impl Heuristic for CostPartitioning {
    fn properties(&self) -> Properties {
        Properties::LOWER_BOUND
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        if self.hopeless {
            return Estimate::Infinite;
        }
        self.tables.look_up(slots, |states| {
            let sum = |partition: &Partition| {
                partition.iter().map(|(node, parts)| parts[states[node.index()].index()]).sum::<u32>()
            };
            let parts = self.partitions.iter().map(sum).max().unwrap_or(0);
            Estimate::Steps(parts.div_ceil(PARTS))
        })
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn remark(&self) -> Option<String> {
        let (least, most) = (self.patterns.iter().min()?, self.patterns.iter().max()?);
        let (number, ways) = (self.patterns.len(), self.partitions.len());
        Some(format!("{number} projections to {least} to {most} factors, {ways} ways to share out the costs"))
    }

    fn bytes(&self) -> u64 {
        let distances = self.partitions.iter().flatten().map(|(_, distances)| size_of_val(&**distances));
        (self.tables.bytes() + distances.sum::<usize>()) as u64
    }
}
