//! Distances within single automata: how many of its own edges a process has to take to get to a location, whatever
//! guards, partners and clocks say. What `dl`, `du`, `formula` and `fsm` are made of.

use beeline_ir::network::Role;
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::Program;

/// The distance from every location of a process to the nearest target, the edges that end or start it included; the last
/// one is that of a process that does not exist. An edge counts 0 or 1.
pub(crate) fn backward(
    program: &Program,
    process: ProcessId,
    targets: impl Iterator<Item = usize>,
    counts: impl Fn(EdgeId) -> bool,
) -> Vec<Option<u32>> {
    let compiled = &program.processes[process];
    // The last one stands for a process that does not exist, and may be started.
    let gone = compiled.locations.len();
    let mut into: Vec<Vec<(usize, bool)>> = vec![Vec::new(); gone + 1];
    for (id, edge) in compiled.edges.enumerate() {
        let to = if edge.exits { gone } else { edge.target.index() };
        into[to].push((edge.source.index(), counts(id)));
    }
    into[compiled.initial.index()].push((gone, false));
    let mut distances = vec![None; gone + 1];
    let (mut now, mut next): (Vec<usize>, Vec<usize>) = (targets.collect(), Vec::new());
    let mut distance = 0;
    while !now.is_empty() {
        while let Some(at) = now.pop() {
            if distances[at].is_some() {
                continue;
            }
            distances[at] = Some(distance);
            for (from, counts) in &into[at] {
                if *counts { next.push(*from) } else { now.push(*from) }
            }
        }
        std::mem::swap(&mut now, &mut next);
        distance += 1;
    }
    distances
}

/// Whether all labels of an edge cost a step. An observer moves along with labels.
pub(crate) fn costs(program: &Program, process: ProcessId, edge: EdgeId) -> bool {
    let compiled = &program.processes[process];
    compiled.edges[edge].costs && compiled.role == Role::System
}
