//! The oracle: brute force over the kernel's concrete semantics.
//!
//! A 0-1 breadth-first search over discrete states paired with clock regions ([`region`]); without clocks it is a
//! plain search over the kernel's successors. It knows no zones, no bytecode and no packing, and it visits
//! everything, so one run gives the whole set of reachable discrete states with their least costs, and the least
//! cost of the target.

pub mod constants;
pub mod graph;
pub mod region;
pub mod relation;

use beeline_check::{Firing, Kernel, State};
use beeline_ir::layout::Label;
use beeline_ir::network::Network;
use beeline_ir::property::{Property, Target};
use region::Regions;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What there is to know about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Least cost of reaching the target; `None` if it is out of reach.
    pub length: Option<u32>,
    /// The reachable discrete states and the least cost of each; ascending.
    pub reachable: Vec<(Vec<i64>, u32)>,
    /// Pairs of discrete state and region visited.
    pub states: usize,
    /// Whether some label fails at run time somewhere.
    pub fails: bool,
}

/// Why the oracle has no answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Skipped {
    /// The model is larger than the budget.
    TooLarge,
    /// It compares a clock with something that has no evident bounds.
    UnboundedConstant,
}

/// Visits everything. `observed`: the property's observer, if it has one, steps along.
pub fn solve(
    network: &Network,
    property: &Property,
    observed: bool,
    budget: usize,
) -> Result<Answer, Skipped> {
    let kernel = Kernel::new(network, if observed { property.observer() } else { None });
    let regions = Regions::new(network, &[property]).ok_or(Skipped::UnboundedConstant)?;
    Search::new(network, property, &kernel, &regions, budget).run()
}

struct Search<'a> {
    network: &'a Network,
    property: &'a Property,
    target: Target,
    kernel: &'a Kernel<'a>,
    regions: &'a Regions,
    budget: usize,
    best: FxHashMap<Vec<i64>, u32>,
    queue: VecDeque<(State, u32)>,
    discrete: FxHashMap<Vec<i64>, u32>,
    length: Option<u32>,
    fails: bool,
}

impl<'a> Search<'a> {
    fn new(
        network: &'a Network,
        property: &'a Property,
        kernel: &'a Kernel<'a>,
        regions: &'a Regions,
        budget: usize,
    ) -> Self {
        Self {
            network,
            property,
            target: property.target(),
            kernel,
            regions,
            budget,
            best: FxHashMap::default(),
            queue: VecDeque::new(),
            discrete: FxHashMap::default(),
            length: None,
            fails: false,
        }
    }

    fn run(mut self) -> Result<Answer, Skipped> {
        for (state, _) in self.kernel.initial() {
            self.reach(state, 0, 0);
        }
        while let Some((state, cost)) = self.queue.pop_front() {
            if self.best.get(&self.regions.key(&state)) != Some(&cost) {
                continue; // reached more cheaply meanwhile
            }
            if self.best.len() > self.budget {
                return Err(Skipped::TooLarge);
            }
            self.visit(&state, cost);
        }
        // The order of a hash map is not an answer.
        let states = self.best.len();
        let mut reachable: Vec<(Vec<i64>, u32)> = self.discrete.into_iter().collect();
        reachable.sort_unstable();
        Ok(Answer { length: self.length, reachable, states, fails: self.fails })
    }

    fn visit(&mut self, state: &State, cost: u32) {
        // Costs come in ascending order, so the first visit is the cheapest.
        if !self.discrete.contains_key(&state.slots) {
            self.discrete.insert(state.slots.clone(), cost);
        }
        if matches!(self.target, Target::State(_))
            && self.length.is_none()
            && self.kernel.holds(self.property, state)
        {
            self.length = Some(cost);
        }
        if let Some(delay) = self.regions.to_next(state)
            && self.kernel.may_delay(state, delay)
        {
            self.reach(self.kernel.delayed(state, delay), cost, cost);
        }
        for (label, firing) in self.kernel.labels(state) {
            let next = cost + self.cost(&label);
            match firing {
                Firing::Successor { state, assertion_failed } => {
                    self.hit(assertion_failed && self.target == Target::AssertionFailure, next);
                    self.reach(state, next, cost);
                }
                Firing::NoSuccessor => {}
                Firing::Fails(_) => {
                    self.fails = true;
                    self.hit(self.target == Target::RuntimeError, next);
                }
            }
        }
    }

    fn hit(&mut self, is_target: bool, cost: u32) {
        if is_target {
            self.length = Some(self.length.map_or(cost, |known| known.min(cost)));
        }
    }

    fn cost(&self, label: &Label) -> u32 {
        u32::from(label.parts.iter().any(|p| self.network.processes[p.process].edges[p.edge].costs))
    }

    fn reach(&mut self, mut state: State, cost: u32, from: u32) {
        self.regions.normalise(&mut state);
        let best = self.best.entry(self.regions.key(&state)).or_insert(u32::MAX);
        if cost < *best {
            *best = cost;
            if cost == from {
                self.queue.push_front((state, cost));
            } else {
                self.queue.push_back((state, cost));
            }
        }
    }
}
