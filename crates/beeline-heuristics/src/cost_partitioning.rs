//! Cost partitioning over projections chosen by counterexamples: the distances of several projections add up, for
//! each label gives a part of its cost to each of them. There are several ways to share out the costs, each good for some
//! states; the best counts.
//!
//! Seipp, Keller and Helmert, "Saturated cost partitioning for optimal classical planning", Journal of Artificial
//! Intelligence Research 67, 2020.
//!
//! Reading order: [`factors`](crate::factors), `abstraction`, `flaws`, `collection`, `saturated`, `zero_one`, `canonical`,
//! `samples`, `orders`, `online`.

mod abstraction;
mod canonical;
mod collection;
mod flaws;
mod online;
mod orders;
mod samples;
mod saturated;
#[cfg(test)]
mod tests;
mod zero_one;

use crate::factors::{Atomic, Grounds, Node, Start, State, Tables};
use abstraction::{Abstraction, Atoms};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, ZoneView};
use beeline_ir::certificate::Row;
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use collection::NoCollection;
use online::Online;
use orders::{Distances, InOrder, Orders};
use samples::samples;
use saturated::PARTS;
use std::rc::Rc;

/// Distances of some of the projections, in parts of a step; each with the table that says at which state they are.
type Partition = Vec<(Node, Rc<[u32]>)>;

/// How labels share out their costs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// In an order, each projection takes what it needs.
    Saturated,
    /// In an order, each projection takes all that is left of what changes something in it.
    ZeroOne,
    /// All projections take all; only those are added up that want nothing of the same label.
    Canonical,
}

/// What is to be made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Transitions of a product, at most.
    pub most: usize,
    /// How costs are shared out.
    pub sharing: Sharing,
    /// Estimates from one order made during the search to the next; `None` if there are to be none.
    pub online: Option<u64>,
}

/// The heuristic.
#[derive(Debug, Default)]
pub struct CostPartitioning {
    tables: Tables,
    partitions: Vec<Partition>,
    /// Whether nothing leads to the goal from the initial state.
    hopeless: bool,
    /// The factors of each projection.
    patterns: Vec<Vec<usize>>,
    online: Option<Online>,
    /// What proofs are made of: single projections. A sum has none.
    grounds: Option<Grounds>,
}

impl CostPartitioning {
    /// For a factored view and an initial state.
    pub fn new(
        factored: &Factored,
        start: Start<'_>,
        frame: Frame,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let made = match Atomic::new(factored, start, meter)? {
            Some(atomic) => {
                let grounds = Grounds::new(factored, start, &atomic, meter);
                let made = match Self::of(atomic, frame, meter) {
                    Err(NoCollection::Stopped(reason)) => return Err(reason),
                    Err(NoCollection::Hopeless(pattern)) => Self::hopeless(pattern),
                    Ok(made) => made,
                };
                let grounds = grounds.map(|grounds| grounds.about(made.patterns.clone()));
                Self { grounds, ..made }
            }
            None => Self::default(),
        };
        meter.keep(before + made.bytes());
        Ok(made)
    }

    /// For a projection to these factors, in which nothing leads to the goal.
    fn hopeless(pattern: Vec<usize>) -> Self {
        Self { hopeless: true, patterns: vec![pattern], ..Self::default() }
    }

    fn of(atomic: Atomic, frame: Frame, meter: &Meter<'_>) -> Result<Self, NoCollection> {
        let Atomic { factors, labels, .. } = atomic;
        let (nodes, tables) = Tables::of(factors.iter().map(|(source, _)| *source));
        let factors = factors.into_iter().map(|(_, factor)| factor).collect();
        let mut atoms = Atoms { factors, nodes, tables, labels };
        for at in 0..atoms.factors.len() {
            if !atoms.prune(at) {
                return Err(NoCollection::Hopeless(vec![at]));
            }
        }
        let mut collection = collection::collection(&mut atoms, frame.most, meter)?;
        tidy(&mut atoms, &mut collection)?;
        let nodes = collection.iter().map(|abstraction| abstraction.node);
        // What an atomic factor has shown to lead nowhere has to stay so, for labels were left out for it.
        let mut nodes: Vec<Node> = nodes.chain(atoms.nodes.iter().copied()).collect();
        let in_order = match frame.sharing {
            Sharing::Saturated => Some(InOrder::Saturated),
            Sharing::ZeroOne => Some(InOrder::ZeroOne),
            Sharing::Canonical => None,
        };
        let orders = in_order.map(|sharing| Orders::new(&atoms.labels, &collection, sharing, meter));
        let orders = orders.transpose()?;
        let made = match &orders {
            Some(orders) => orders.diverse(&samples(&atoms, &collection, meter)?, meter)?,
            None => canonical::partitions(&atoms.labels, &collection, meter)?,
        };
        atoms.tables.keep(&mut nodes);
        let partitions = made.into_iter().map(|distances| named(distances, &nodes)).collect();
        nodes.truncate(collection.len());
        let online = orders.zip(frame.online);
        let online = online.map(|(orders, every)| Online::new(orders, nodes, every, meter.limits()));
        let patterns = collection.into_iter().map(|abstraction| abstraction.pattern).collect();
        Ok(Self { tables: atoms.tables, partitions, patterns, online, ..Self::default() })
    }

    /// Makes an order for the values of slots, of which so much is known, in parts.
    fn improve(&mut self, slots: &[i64], known: Estimate) -> Estimate {
        let Self { online: Some(online), tables, partitions, .. } = self else { return known };
        tables.look_up(slots, |states| {
            let before = most(partitions, states);
            let Some(distances) = online.better(states, before) else { return known };
            partitions.push(named(distances, &online.nodes));
            steps(most(partitions, states))
        })
    }
}

/// Distances by the tables in which the states of projections are.
fn named(distances: Distances, nodes: &[Node]) -> Partition {
    distances.into_iter().map(|(at, distances)| (nodes[at], distances)).collect()
}

/// The greatest of the sums for the states of all tables, in parts.
fn most(partitions: &[Partition], states: &[State]) -> u32 {
    let sum = |partition: &Partition| {
        partition.iter().map(|(node, parts)| parts[states[node.index()].index()]).sum::<u32>()
    };
    partitions.iter().map(sum).max().unwrap_or(0)
}

/// Parts as steps: the last one may not be whole, but has to be taken.
fn steps(parts: u32) -> Estimate {
    Estimate::Steps(parts.div_ceil(PARTS))
}

/// Leaves out what labels that are gone led to, until nothing changes: then the goal can be reached from all states of all
/// projections.
fn tidy(atoms: &mut Atoms, collection: &mut [Abstraction]) -> Result<(), NoCollection> {
    loop {
        let mut changed = false;
        for abstraction in &mut *collection {
            if let Some(map) = abstraction.factor.useful(&atoms.labels) {
                changed = true;
                if abstraction.forget(atoms, &map).is_none() {
                    return Err(NoCollection::Hopeless(abstraction.pattern.clone()));
                }
            }
        }
        if !changed {
            return Ok(());
        }
    }
}

impl Heuristic for CostPartitioning {
    fn properties(&self) -> Properties {
        let online = self.online.is_some();
        Properties { consistent: !online, path_dependent: online, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        if self.hopeless {
            return Estimate::Infinite;
        }
        let estimate = self.tables.look_up(slots, |states| steps(most(&self.partitions, states)));
        let due = estimate != Estimate::Infinite && self.online.as_mut().is_some_and(Online::due);
        if due { self.improve(slots, estimate) } else { estimate }
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        self.grounds.as_ref()?.rows(length, most)
    }

    fn estimate_by_rows(&mut self, slots: &[i64], _zone: &ZoneView<'_>) -> Estimate {
        self.grounds.as_ref().map_or(Estimate::ZERO, |grounds| grounds.estimate(slots))
    }

    fn remark(&self) -> Option<String> {
        let sizes = || self.patterns.iter().map(Vec::len);
        let (least, most) = (sizes().min()?, sizes().max()?);
        let (number, ways) = (self.patterns.len(), self.partitions.len());
        Some(format!("{number} projections to {least} to {most} factors, {ways} ways to share out the costs"))
    }

    fn bytes(&self) -> u64 {
        // Several may share the same.
        let share = |distances: &Rc<[u32]>| size_of_val(&**distances) / Rc::strong_count(distances);
        let distances = self.partitions.iter().flatten().map(|(_, distances)| share(distances));
        let grounds = self.grounds.as_ref().map_or(0, Grounds::bytes);
        let online = self.online.as_ref().map_or(0, Online::bytes);
        (self.tables.bytes() + distances.sum::<usize>() + grounds + online) as u64
    }
}
