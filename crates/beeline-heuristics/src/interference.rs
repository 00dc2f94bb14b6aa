//! Interference contexts: two labels interfere if they share an automaton, or one writes a variable or clock that the
//! other reads or writes. The context of a label is itself, then the labels that interfere with it, then those that
//! interfere with these, and so on. A search that has just taken a label looks first at what is near it: a successor
//! reached by a label of the i-th context goes to the i-th queue, and the first queue that is not empty comes first.
//!
//! Wehrle and Kupferschmid, "Context-enhanced directed model checking", SPIN 2010.

use beeline_engine::heuristic::{Estimate, Heuristic, Layers, Properties, Step};
use beeline_ir::ClockId;
use beeline_ir::network::Network;
use beeline_program::schema::{EdgeRef, Parts, schemas};
use beeline_program::{CompiledEdge, Operand, Program, SlotSet};
use rustc_hash::FxHashMap;

/// What a label touches.
#[derive(Clone, Debug, Default)]
struct Footprint {
    reads: SlotSet,
    writes: SlotSet,
    clocks_read: Vec<ClockId>,
    clocks_written: Vec<ClockId>,
}

impl Footprint {
    fn add(&mut self, program: &Program, (process, edge): EdgeRef) {
        let place = program.layout.location[process];
        self.reads.insert(place);
        self.writes.insert(place);
        let edge: &CompiledEdge = &program.processes[process].edges[edge];
        let code = |routine: beeline_program::RoutineId, this: &mut Self| {
            let routine = &program.routines[routine];
            this.reads.extend(&routine.reads);
            this.writes.extend(&routine.writes);
            this.clocks_read.extend(&routine.clocks_read);
            this.clocks_written.extend(&routine.clocks_written);
        };
        edge.guard.into_iter().chain(edge.update).for_each(|routine| code(routine, self));
        for atom in &edge.clock_guard {
            self.clocks_read.push(atom.left);
            self.clocks_read.extend(atom.right);
            let bound = if let Operand::Code(routine) = atom.bound { Some(routine) } else { None };
            bound.into_iter().chain(atom.when).for_each(|routine| code(routine, self));
        }
    }

    fn interferes(&self, other: &Self) -> bool {
        let clocks = |a: &[ClockId], b: &[ClockId]| a.iter().any(|clock| b.contains(clock));
        self.writes.meets(&other.reads)
            || self.writes.meets(&other.writes)
            || self.reads.meets(&other.writes)
            || clocks(&self.clocks_written, &other.clocks_read)
            || clocks(&self.clocks_written, &other.clocks_written)
            || clocks(&self.clocks_read, &other.clocks_written)
    }
}

/// A base heuristic, with an opinion on labels.
#[derive(Debug)]
pub struct Contexts {
    base: Box<dyn Heuristic>,
    /// The label schemas by their edges; of a broadcast, by the sender's.
    numbers: FxHashMap<Vec<EdgeRef>, usize>,
    neighbours: Vec<Vec<usize>>,
    /// The number of the context of every label, around labels asked for.
    distances: FxHashMap<usize, Vec<u32>>,
}

impl Contexts {
    /// For a network, around a heuristic.
    pub fn new(network: &Network, base: Box<dyn Heuristic>) -> Self {
        let program = Program::compile(network);
        let mut numbers = FxHashMap::default();
        let mut footprints = Vec::new();
        for schema in schemas(&program) {
            let (edges, also) = match schema.parts {
                Parts::Internal(edge) => (vec![edge], Vec::new()),
                Parts::Pair(send, receive) => (vec![send, receive], Vec::new()),
                Parts::Broadcast(send, listeners) => {
                    let all =
                        |(process, edges): (_, Vec<_>)| edges.into_iter().map(move |edge| (process, edge));
                    (vec![send], listeners.into_iter().flat_map(all).collect())
                }
            };
            let mut footprint = Footprint::default();
            edges.iter().chain(&also).for_each(|edge| footprint.add(&program, *edge));
            numbers.insert(edges, footprints.len());
            footprints.push(footprint);
        }
        let near = |one: &Footprint| {
            (0..footprints.len()).filter(|other| one.interferes(&footprints[*other])).collect()
        };
        let neighbours = footprints.iter().map(near).collect();
        Self { base, numbers, neighbours, distances: FxHashMap::default() }
    }

    fn number(&self, edges: &[EdgeRef]) -> Option<usize> {
        self.numbers.get(edges).or_else(|| self.numbers.get(edges.get(..1)?)).copied()
    }
}

/// How far every label is from one.
fn around(neighbours: &[Vec<usize>], start: usize) -> Vec<u32> {
    // What is not connected is one farther than everything that is.
    let mut distances = vec![neighbours.len() as u32; neighbours.len()];
    let (mut now, mut distance) = (vec![start], 0);
    let mut seen = vec![false; neighbours.len()];
    seen[start] = true;
    while !now.is_empty() {
        let mut next = Vec::new();
        for at in now {
            distances[at] = distance;
            next.extend(neighbours[at].iter().filter(|n| !std::mem::replace(&mut seen[**n], true)));
        }
        (now, distance) = (next, distance + 1);
    }
    distances
}

impl Heuristic for Contexts {
    fn properties(&self) -> Properties {
        self.base.properties()
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.base.estimate(slots)
    }
    fn prefers(&self, label: &[EdgeRef]) -> bool {
        self.base.prefers(label)
    }
    fn judges_labels(&self) -> bool {
        true
    }
    fn useless(&mut self, step: &Step<'_>) -> bool {
        self.base.useless(step)
    }
    fn distance(&mut self, step: &Step<'_>) -> u32 {
        let (Some(before), Some(now)) = (self.number(step.reached_by), self.number(step.label)) else {
            return 0;
        };
        let Self { distances, neighbours, .. } = self;
        distances.entry(before).or_insert_with(|| around(neighbours, before))[now]
    }
    fn layers(&mut self, start: &[Option<i64>], most: u32) -> Option<Layers> {
        self.base.layers(start, most)
    }
    fn bytes(&self) -> u64 {
        self.base.bytes() + (self.distances.len() * self.neighbours.len() * size_of::<u32>()) as u64
    }
}
