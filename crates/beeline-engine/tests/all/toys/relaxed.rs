//! A relaxation in which every slot keeps all values it ever had, and invariants, clocks, urgency and priorities
//! do not matter: the number of rounds until the target may hold. It brings its own proofs.

use super::ADMISSIBLE;
use beeline_engine::Options;
use beeline_engine::goal;
use beeline_engine::heuristic::{Estimate, Heuristic, Layers, Properties};
use beeline_engine::prepare::{Prepared, prepare};
use beeline_engine::successors::space::{Goal, Space, State};
use beeline_engine::time::{TimePart, Untimed, zones::Zones};
use beeline_ir::expr::Expr;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::Machine;
use std::collections::BTreeSet;

/// Discrete states that one round looks at.
const MOST: usize = 400;

#[derive(Debug)]
enum AnySpace {
    Untimed(Box<Space<Untimed>>),
    Timed(Box<Space<Zones>>),
}

type Sets = Vec<BTreeSet<i64>>;

/// The relaxation.
#[derive(Debug)]
pub struct Relaxed {
    space: AnySpace,
    /// For how many states there was a proof.
    pub proofs: std::rc::Rc<std::cell::Cell<usize>>,
}

/// What came of some rounds.
struct Rounds {
    sets: Vec<Sets>,
    /// The target may hold in what comes next.
    met: bool,
    /// Nothing comes next.
    closed: bool,
}

impl Relaxed {
    /// For a network without broadcasts and atomic locations, and a property without `deadlock`.
    pub fn new(network: &Network, property: &Property) -> Self {
        let mut network = network.clone();
        for process in network.processes.iter_mut() {
            process.priority = 0;
            process.edges.iter_mut().for_each(|edge| edge.clock_guard.clear());
            for location in process.locations.iter_mut() {
                location.invariant.clear();
                // The kernel leaves out what depends on something unknown.
                location.condition = Expr::Const(1);
                (location.committed, location.urgent) = (false, false);
            }
        }
        network.channels.iter_mut().for_each(|channel| channel.priority.fill(0));
        let options = Options { dead_variables: false, ..Options::default() };
        let space = match prepare(&network, Some(property), &options).expect("supported") {
            Prepared::Untimed(space) => AnySpace::Untimed(space),
            Prepared::Timed(space) => AnySpace::Timed(space),
        };
        Self { space, proofs: std::rc::Rc::default() }
    }

    fn rounds(&self, start: Sets, most: u32) -> Rounds {
        match &self.space {
            AnySpace::Untimed(space) => rounds(space, start, most),
            AnySpace::Timed(space) => rounds(space, start, most),
        }
    }

    fn range(&self, slot: usize) -> BTreeSet<i64> {
        let layout = match &self.space {
            AnySpace::Untimed(space) => &space.program.layout,
            AnySpace::Timed(space) => &space.program.layout,
        };
        let range = layout.slots[slot].range;
        // More would be too many anyway.
        (range.lo..=range.hi).take(MOST + 1).collect()
    }
}

fn rounds<T: TimePart>(space: &Space<T>, start: Sets, most: u32) -> Rounds {
    let (mut machine, limits) = (Machine::new(&space.program), Limits::default());
    let Goal::State(predicate, _) = &space.goal else { panic!("a state is looked for") };
    let mut sets = Vec::new();
    let mut current = close(space, &mut machine, start);
    loop {
        let Some(states) = product(&current) else { return Rounds { sets, met: true, closed: false } };
        let anywhere = |slots: &[i64]| State { slots: slots.to_vec(), zone: space.time.universal(slots) };
        let mut next = current.clone();
        for slots in &states {
            let state = anywhere(slots);
            let met = goal::meet(space, &mut machine, predicate, slots, &state.zone, &limits);
            if met.fails || !met.zones.is_empty() {
                return Rounds { sets, met: true, closed: false };
            }
            add(space, &mut machine, slots, &mut next, false);
        }
        sets.push(current.clone());
        if next == current {
            return Rounds { sets, met: false, closed: true };
        }
        if sets.len() >= most as usize {
            return Rounds { sets, met: false, closed: false };
        }
        current = close(space, &mut machine, next);
    }
}

/// Adds what labels that cost nothing lead to.
fn close<T: TimePart>(space: &Space<T>, machine: &mut Machine, mut sets: Sets) -> Sets {
    loop {
        let Some(states) = product(&sets) else { return sets };
        let mut next = sets.clone();
        states.iter().for_each(|slots| add(space, machine, slots, &mut next, true));
        if next == sets {
            return sets;
        }
        sets = next;
    }
}

/// Adds the successors of a state, perhaps only those that cost nothing.
fn add<T: TimePart>(space: &Space<T>, machine: &mut Machine, slots: &[i64], sets: &mut Sets, free: bool) {
    let state = State { slots: slots.to_vec(), zone: space.time.universal(slots) };
    let mut scratch = space.scratch(slots);
    space
        .expand(machine, &mut scratch, &state, &Limits::default(), &mut |successor| {
            if !free || !successor.label.costs() {
                for (set, value) in sets.iter_mut().zip(&successor.state.slots) {
                    set.insert(*value);
                }
            }
        })
        .expect("no limits");
}

/// All states of a product; `None` if they are too many.
fn product(sets: &Sets) -> Option<Vec<Vec<i64>>> {
    let mut states = vec![Vec::new()];
    for set in sets {
        if states.len() * set.len() > MOST {
            return None;
        }
        let longer = |state: &Vec<i64>, value: &i64| state.iter().chain([value]).copied().collect();
        states = states.iter().flat_map(|state| set.iter().map(move |value| longer(state, value))).collect();
    }
    Some(states)
}

impl Heuristic for Relaxed {
    fn properties(&self) -> Properties {
        ADMISSIBLE
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let rounds = self.rounds(slots.iter().map(|value| BTreeSet::from([*value])).collect(), u32::MAX);
        if rounds.closed { Estimate::Infinite } else { Estimate::Steps(rounds.sets.len() as u32) }
    }
    fn layers(&mut self, start: &[Option<i64>], most: u32) -> Option<Layers> {
        let set = |(slot, value): (usize, &Option<i64>)| match value {
            Some(value) => BTreeSet::from([*value]),
            None => self.range(slot),
        };
        let rounds = self.rounds(start.iter().enumerate().map(set).collect(), most);
        if rounds.met {
            return None;
        }
        self.proofs.set(self.proofs.get() + 1);
        let values = |sets: Sets| sets.into_iter().map(|set| Some(set.into_iter().collect())).collect();
        Some(Layers { sets: rounds.sets.into_iter().map(values).collect(), closed: rounds.closed })
    }
}
