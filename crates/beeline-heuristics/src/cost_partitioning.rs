//! Cost partitioning over projections chosen by counterexamples, with clocks or without: the distances of several
//! projections add up, for each label gives a part of its cost to each of them. There are several ways to share out the
//! costs, each good for some states; the best counts.
//!
//! Seipp, Keller and Helmert, "Saturated cost partitioning for optimal classical planning", Journal of Artificial
//! Intelligence Research 67, 2020.
//!
//! Reading order: [`factors`](crate::factors), `abstraction`, `flaws`, `collection`, [`timed`], `saturated`, `zero_one`,
//! `canonical`, `samples`, `orders`, `online`.

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
pub mod timed;
mod zero_one;

use crate::factors::{Atomic, Factor, Grounds, Node, Start, State, Tables};
use crate::registry::Making;
use abstraction::{Abstraction, Atoms};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, ZoneView};
use beeline_engine::walk::{Sample, Walks, walk};
use beeline_ir::certificate::Row;
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use collection::NoCollection;
use online::Online;
use orders::{Distances, InOrder, Orders};
use samples::samples;
use saturated::PARTS;
use std::rc::Rc;
use timed::{Drawn, Timed};

/// Random ways through the network, for states to make orders for where clocks count.
const WALKS: Walks = Walks { count: 200, longest: 200, seed: 3 };

/// Distances of some of the projections, in parts of a step.
#[derive(Debug)]
struct Partition {
    /// Of those without clocks, each with the table that says at which state it is.
    untimed: Vec<(Node, Rc<[u32]>)>,
    /// Of those with clocks, by their places.
    timed: Vec<(usize, Rc<[u32]>)>,
}

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
    timed: Vec<Timed>,
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
    /// For a network, with such databases among the projections.
    pub fn new(
        making: &Making<'_>,
        start: Start<'_>,
        frame: Frame,
        databases: Vec<Drawn>,
    ) -> Result<Self, StopReason> {
        let (factored, meter) = (making.factored()?, making.meter());
        let before = meter.bytes();
        let made = match Atomic::new(&factored, start, meter)? {
            Some(mut atomic) => {
                let grounds = Grounds::new(&factored, start, &atomic, meter);
                let mut walks = Vec::new();
                if !databases.is_empty() {
                    walks = walk(making.network, making.property, WALKS, making.limits())?;
                }
                let timed = timed::join(databases, (making.network, &factored), &mut atomic, meter)?;
                let made = match Self::of(atomic, frame, timed, &walks, meter) {
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

    fn of(
        atomic: Atomic,
        frame: Frame,
        timed: Vec<(Timed, Factor)>,
        walks: &[Sample],
        meter: &Meter<'_>,
    ) -> Result<Self, NoCollection> {
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
        let (mut timed, zone_graphs): (Vec<Timed>, Vec<Factor>) = timed.into_iter().unzip();
        let all: Vec<&Factor> =
            collection.iter().map(|abstraction| &abstraction.factor).chain(&zone_graphs).collect();
        let in_order = match frame.sharing {
            Sharing::Saturated => Some(InOrder::Saturated),
            Sharing::ZeroOne => Some(InOrder::ZeroOne),
            Sharing::Canonical => None,
        };
        let orders = in_order.map(|sharing| Orders::new(&atoms.labels, &all, sharing, meter));
        let orders = orders.transpose()?;
        let made = match &orders {
            Some(orders) if timed.is_empty() => {
                orders.diverse(&samples(&atoms, &collection, meter)?, meter)?
            }
            Some(orders) => {
                let samples = seen(walks, (&mut atoms.tables, &nodes[..collection.len()]), &mut timed);
                let mut made = orders.diverse(&samples, meter)?;
                // Clocks often say so much that nobody else should have a say before.
                if let Some(sample) = samples.first() {
                    for at in collection.len()..all.len() {
                        made.push(orders.led_by(at, sample, meter)?);
                    }
                }
                made
            }
            None => canonical::partitions(&atoms.labels, &all, meter)?,
        };
        atoms.tables.keep(&mut nodes);
        nodes.truncate(collection.len());
        let partitions = made.into_iter().map(|distances| Partition::new(distances, &nodes)).collect();
        let online = orders.zip(frame.online);
        let online = online.map(|(orders, every)| Online::new(orders, nodes, every, meter.limits()));
        let patterns = collection.into_iter().map(|abstraction| abstraction.pattern).collect();
        Ok(Self { tables: atoms.tables, timed, partitions, patterns, online, ..Self::default() })
    }

    /// The estimate for the values of slots, when the databases with clocks have been looked up.
    fn estimate_with(&mut self, slots: &[i64]) -> Estimate {
        let Self { tables, timed, partitions, online, .. } = self;
        let estimate = tables.look_up(slots, |states| steps(most(partitions, states, timed)));
        let due = estimate != Estimate::Infinite && online.as_mut().is_some_and(Online::due);
        if due { self.improve(slots, estimate) } else { estimate }
    }

    /// Makes an order for the values of slots, of which so much is known, in parts.
    fn improve(&mut self, slots: &[i64], known: Estimate) -> Estimate {
        let Self { online: Some(online), tables, partitions, timed, .. } = self else { return known };
        let clocked: Option<Vec<State>> = timed.iter().map(Timed::state).collect();
        let Some(clocked) = clocked else { return known };
        tables.look_up(slots, |states| {
            let before = most(partitions, states, timed);
            let Some(distances) = online.better(states, &clocked, before) else { return known };
            partitions.push(Partition::new(distances, &online.nodes));
            steps(most(partitions, states, timed))
        })
    }
}

impl Partition {
    /// Distances of projections by their places: first those without clocks, whose tables these are, then the others.
    fn new(distances: Distances, nodes: &[Node]) -> Self {
        let (mut untimed, mut timed) = (Vec::new(), Vec::new());
        for (at, distances) in distances {
            match nodes.get(at) {
                Some(node) => untimed.push((*node, distances)),
                None => timed.push((at - nodes.len(), distances)),
            }
        }
        Self { untimed, timed }
    }

    fn distances(&self) -> impl Iterator<Item = &Rc<[u32]>> {
        let untimed = self.untimed.iter().map(|(_, distances)| distances);
        untimed.chain(self.timed.iter().map(|(_, distances)| distances))
    }

    /// The sum for the states of all tables, and what was looked up in databases with clocks, in parts.
    fn sum(&self, states: &[State], timed: &[Timed]) -> u32 {
        let untimed = self.untimed.iter().map(|(node, parts)| parts[states[node.index()].index()]);
        untimed.chain(self.timed.iter().map(|(at, parts)| timed[*at].distance(parts))).sum()
    }
}

/// The greatest of the sums, in parts.
fn most(partitions: &[Partition], states: &[State], timed: &[Timed]) -> u32 {
    partitions.iter().map(|partition| partition.sum(states, timed)).max().unwrap_or(0)
}

/// The states of all projections for states of the network from which the target may be reached.
fn seen(walks: &[Sample], (tables, nodes): (&mut Tables, &[Node]), timed: &mut [Timed]) -> Vec<Vec<State>> {
    let mut seen = Vec::new();
    for at in walks {
        let view = at.zone.view();
        let leads_on = timed.iter_mut().all(|timed| timed.look_up(&at.slots, &view));
        let clocked: Option<Vec<State>> = timed.iter().map(Timed::state).collect();
        let Some(clocked) = clocked.filter(|_| leads_on) else { continue };
        tables.look_up(&at.slots, |states| {
            let untimed = nodes.iter().map(|node| states[node.index()]);
            seen.push(untimed.chain(clocked).collect());
            Estimate::ZERO
        });
    }
    seen
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
        let (online, zone_dependent) = (self.online.is_some(), !self.timed.is_empty());
        Properties { zone_dependent, consistent: !online, path_dependent: online, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        if self.hopeless || !self.timed.iter_mut().all(|timed| timed.look_up_any(slots)) {
            return Estimate::Infinite;
        }
        self.estimate_with(slots)
    }

    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        if self.hopeless || !self.timed.iter_mut().all(|timed| timed.look_up(slots, zone)) {
            return Estimate::Infinite;
        }
        self.estimate_with(slots)
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
        let timed = match self.timed.len() {
            0 => String::new(),
            timed => format!(" and {timed} with clocks"),
        };
        Some(format!(
            "{number} projections to {least} to {most} factors{timed}, {ways} ways to share out the costs"
        ))
    }

    fn bytes(&self) -> u64 {
        // Several may share the same.
        let share = |distances: &Rc<[u32]>| size_of_val(&**distances) / Rc::strong_count(distances);
        let distances = self.partitions.iter().flat_map(Partition::distances).map(share);
        let grounds = self.grounds.as_ref().map_or(0, Grounds::bytes);
        let online = self.online.as_ref().map_or(0, Online::bytes);
        let timed: usize = self.timed.iter().map(Timed::bytes).sum();
        (self.tables.bytes() + timed + distances.sum::<usize>() + grounds + online) as u64
    }
}
