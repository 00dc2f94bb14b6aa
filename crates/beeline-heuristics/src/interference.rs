//! Interference contexts: two labels interfere if they share an automaton, or one writes a variable or clock that the
//! other reads or writes. The context of a label is itself, then the labels that interfere with it, then those that
//! interfere with these, and so on. A search that has just taken a label looks first at what is near it: a successor
//! reached by a label of the i-th context goes to the i-th queue, and the first queue that is not empty comes first.
//!
//! Wehrle and Kupferschmid, "Context-enhanced directed model checking", SPIN 2010. Which labels interfere is not written
//! down: there may be as many pairs as there are pairs of labels. A walk goes from labels to what they touch, and from
//! there to the labels that touch it, too.

use beeline_engine::heuristic::{Estimate, Heuristic, Layers, Properties, Step};
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_program::factored::Meter;
use beeline_program::schema::{EdgeRef, Parts, schemas};
use beeline_program::{CompiledEdge, Operand, Program, Routine};
use rustc_hash::FxHashMap;

/// Label schemas of a network beyond which labels are not judged.
const MOST_SCHEMAS: usize = 1 << 16;
/// Distances that are remembered.
const MOST_DISTANCES: usize = 1 << 25;

/// What a label touches: slots, and after them clocks.
#[derive(Clone, Debug, Default)]
struct Footprint {
    reads: Vec<u32>,
    writes: Vec<u32>,
}

impl Footprint {
    fn add(&mut self, program: &Program, (process, edge): EdgeRef) {
        self.writes.push(program.layout.location[process] as u32);
        let edge: &CompiledEdge = &program.processes[process].edges[edge];
        edge.guard.into_iter().chain(edge.update).for_each(|r| self.code(program, &program.routines[r]));
        for atom in &edge.clock_guard {
            let clocks = [Some(atom.left), atom.right].into_iter().flatten();
            self.reads.extend(clocks.map(|clock| (program.layout.slots.len() + clock.index()) as u32));
            let bound = if let Operand::Code(routine) = atom.bound { Some(routine) } else { None };
            bound.into_iter().chain(atom.when).for_each(|r| self.code(program, &program.routines[r]));
        }
    }

    fn code(&mut self, program: &Program, routine: &Routine) {
        let slots = program.layout.slots.len();
        self.reads.extend(routine.reads.iter().map(|slot| slot as u32));
        self.reads.extend(routine.clocks_read.iter().map(|clock| (slots + clock.index()) as u32));
        self.writes.extend(routine.writes.iter().map(|slot| slot as u32));
        self.writes.extend(routine.clocks_written.iter().map(|clock| (slots + clock.index()) as u32));
    }

    /// Each once; what is written need not be read besides.
    fn tidy(&mut self) {
        for touched in [&mut self.reads, &mut self.writes] {
            touched.sort_unstable();
            touched.dedup();
        }
        let Self { reads, writes } = self;
        reads.retain(|touched| writes.binary_search(touched).is_err());
        reads.shrink_to_fit();
        writes.shrink_to_fit();
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + (self.reads.len() + self.writes.len()) * size_of::<u32>()
    }
}

/// Who touches a slot or a clock.
#[derive(Clone, Debug, Default)]
struct Touched {
    readers: Vec<u32>,
    writers: Vec<u32>,
}

/// A base heuristic, with an opinion on labels.
#[derive(Debug)]
pub struct Contexts {
    base: Box<dyn Heuristic>,
    /// The label schemas by their edges; of a broadcast, by the sender's.
    numbers: FxHashMap<Vec<EdgeRef>, usize>,
    footprints: Vec<Footprint>,
    touched: Vec<Touched>,
    /// Bytes of these.
    bytes: u64,
    /// The number of the context of every label, around labels asked for.
    distances: FxHashMap<usize, Vec<u32>>,
}

impl Contexts {
    /// For a network, around a heuristic, which goes alone if there are too many labels.
    pub fn around(
        network: &Network,
        base: Box<dyn Heuristic>,
        meter: &Meter<'_>,
    ) -> Result<Box<dyn Heuristic>, StopReason> {
        let before = meter.bytes();
        let program = Program::compile(network);
        let mut numbers = FxHashMap::default();
        let mut footprints = Vec::new();
        let mut touched = vec![Touched::default(); program.layout.slots.len() + network.clocks.len()];
        meter.allocate(size_of_val(&*touched))?;
        for schema in schemas(&program) {
            if footprints.len() == MOST_SCHEMAS {
                meter.keep(before);
                return Ok(base);
            }
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
            for edge in edges.iter().chain(&also) {
                footprint.add(&program, *edge);
                meter.work(1)?;
            }
            footprint.tidy();
            let number = footprints.len() as u32;
            footprint.reads.iter().for_each(|at| touched[*at as usize].readers.push(number));
            footprint.writes.iter().for_each(|at| touched[*at as usize].writers.push(number));
            // Every touch is known from both sides.
            let key = size_of::<(Vec<EdgeRef>, usize)>() + size_of_val(&*edges);
            meter.allocate(2 * footprint.bytes() + key)?;
            numbers.insert(edges, footprints.len());
            footprints.push(footprint);
        }
        let bytes = meter.bytes() - before;
        let distances = FxHashMap::default();
        Ok(Box::new(Self { base, numbers, footprints, touched, bytes, distances }))
    }

    fn number(&self, edges: &[EdgeRef]) -> Option<usize> {
        self.numbers.get(edges).or_else(|| self.numbers.get(edges.get(..1)?)).copied()
    }
}

/// How far every label is from one.
fn around(footprints: &[Footprint], touched: &[Touched], start: usize) -> Vec<u32> {
    let mut seen = vec![false; footprints.len()];
    // What is not connected is one farther than everything that is.
    let mut distances = vec![footprints.len() as u32; footprints.len()];
    // Whose readers, and whose writers, have been looked at.
    let (mut read, mut written) = (vec![false; touched.len()], vec![false; touched.len()]);
    let (mut now, mut distance) = (vec![start as u32], 0);
    seen[start] = true;
    while !now.is_empty() {
        let mut next = Vec::new();
        let mut meet = |labels: &[u32]| {
            next.extend(labels.iter().filter(|n| !std::mem::replace(&mut seen[**n as usize], true)));
        };
        for at in now {
            distances[at as usize] = distance;
            let Footprint { reads, writes } = &footprints[at as usize];
            for what in writes.iter().map(|what| *what as usize) {
                if !std::mem::replace(&mut read[what], true) {
                    meet(&touched[what].readers);
                }
            }
            for what in reads.iter().chain(writes).map(|what| *what as usize) {
                if !std::mem::replace(&mut written[what], true) {
                    meet(&touched[what].writers);
                }
            }
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
        let Self { distances, footprints, touched, .. } = self;
        if distances.len() * footprints.len() > MOST_DISTANCES {
            distances.clear();
        }
        distances.entry(before).or_insert_with(|| around(footprints, touched, before))[now]
    }
    fn layers(&mut self, start: &[Option<i64>], most: u32) -> Option<Layers> {
        self.base.layers(start, most)
    }
    fn bytes(&self) -> u64 {
        let distances = self.distances.len() * self.footprints.len() * size_of::<u32>();
        self.base.bytes() + self.bytes + distances as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Footprints over six things: as many as there are ways to touch them, in some order.
    fn footprints() -> Vec<Footprint> {
        let of = |n: u32| {
            let bits = |mask: u32| (0..6).filter(|k| mask >> k & 1 == 1).collect::<Vec<u32>>();
            let mut footprint =
                Footprint { reads: bits((n * 37 % 64) & (n * 11 % 64)), writes: bits(1 << (n % 7) >> 1) };
            footprint.tidy();
            footprint
        };
        (0..40).map(of).collect()
    }

    /// Whether two labels interfere, as defined.
    fn interfere(a: &Footprint, b: &Footprint) -> bool {
        let meets = |a: &[u32], b: &[u32]| a.iter().any(|what| b.contains(what));
        meets(&a.writes, &b.writes) || meets(&a.writes, &b.reads) || meets(&a.reads, &b.writes)
    }

    #[test]
    fn walks_find_the_contexts() {
        let footprints = footprints();
        let mut touched = vec![Touched::default(); 6];
        for (number, Footprint { reads, writes }) in footprints.iter().enumerate() {
            reads.iter().for_each(|at| touched[*at as usize].readers.push(number as u32));
            writes.iter().for_each(|at| touched[*at as usize].writers.push(number as u32));
        }
        let far = footprints.len() as u32;
        for start in 0..footprints.len() {
            // The contexts one by one.
            let mut expected = vec![far; footprints.len()];
            expected[start] = 0;
            for distance in 0..far {
                for other in 0..footprints.len() {
                    let near = |at: usize| {
                        expected[at] == distance && interfere(&footprints[at], &footprints[other])
                    };
                    if expected[other] > distance && (0..footprints.len()).any(near) {
                        expected[other] = expected[other].min(distance + 1);
                    }
                }
            }
            assert_eq!(around(&footprints, &touched, start), expected, "around {start}");
        }
    }
}
