//! What a process may touch from a location on, and what it touches while nobody else may move.
//!
//! Which edges a process may still take is read off its graph, whatever guards say. A slot that none of them changes, nor
//! anybody else, is as good as a constant from then on: accesses by it are known as soon as the state is.

use super::footprint::{Accesses, Footprint, Footprints, Meeting, ones};
use super::resources::{Bits, Resources, Touched};
use super::{WhyNot, go_on};
use beeline_ir::layout::SlotKind;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::{EdgeId, IdVec, LocationId, ProcessId};
use beeline_program::{CompiledEdge, CompiledProcess, Program};
use beeline_zones::fault::{self, Fault};

/// What a process may do from some place on.
#[derive(Clone, Debug)]
pub struct Future {
    /// What it may touch, but for what the state tells.
    pub touched: Touched,
    /// Accesses by slots that nobody changes any more.
    pub by: Accesses,
    /// The families of which it may start processes.
    pub starts: u64,
}

/// The futures of a process.
#[derive(Clone, Debug)]
pub struct Futures {
    /// From each location on.
    pub at: IdVec<LocationId, Future>,
    /// From anywhere on, if it may be started with any values.
    pub any: Future,
}

/// What follows an edge into an atomic location before others have their turn again.
#[derive(Clone, Debug)]
pub struct Block {
    /// What may be touched then, but for what the state tells.
    pub touched: Touched,
    /// Accesses by slots that do not change on the way.
    pub by: Accesses,
    /// What may be written before the last step.
    pub inner: Bits,
    /// Others may have to do with it, or it may be stuck with the token: nothing is known.
    pub open: bool,
    /// It may go on for ever, or be taken again and again: others may wait for good.
    pub recurs: bool,
}

/// The futures of all processes.
pub fn of(
    network: &Network,
    program: &Program,
    resources: &Resources,
    footprints: &Footprints,
    limits: &Limits,
) -> Result<IdVec<ProcessId, Futures>, WhyNot> {
    // Who changes a slot, if it is one process alone.
    let mut writers: Vec<Writers> = vec![Writers::Nobody; program.layout.slots.len()];
    for (process, edges) in footprints.edges.enumerate() {
        go_on(limits)?;
        for footprint in edges {
            for (slot, writers) in writers.iter_mut().enumerate() {
                if footprint.stores.contains(resources.slot(slot)) {
                    *writers = match *writers {
                        Writers::Nobody => Writers::One(process),
                        Writers::One(other) if other == process => Writers::One(process),
                        _ => Writers::Several,
                    };
                }
            }
        }
    }
    let own = |process: ProcessId, slot: usize| {
        let alone = match writers[slot] {
            Writers::Nobody => true,
            Writers::One(writer) => writer == process,
            Writers::Several => false,
        };
        alone
            && match program.layout.slots[slot].kind {
                SlotKind::Cell(var, _) => network.vars[var].owner.is_none_or(|owner| owner == process),
                SlotKind::Pid(other) => other == process,
                _ => false,
            }
    };
    let mut all = IdVec::new();
    for (process, compiled) in program.processes.enumerate() {
        go_on(limits)?;
        let reached = reachable(compiled);
        let every: Vec<EdgeId> = compiled.edges.ids().collect();
        let future = |edges: &[EdgeId], known: bool| {
            let gather = Gather { program, resources, footprints, process };
            let stable =
                |stores: &Bits, slot| known && own(process, slot) && !stores.contains(resources.slot(slot));
            let (touched, by) = gather.gather(edges, &Bits::none(resources), &stable);
            let starts = edges.iter().fold(0, |all, edge| all | footprints.edges[process][*edge].starts);
            Future { touched, by, starts }
        };
        let at = compiled.locations.ids().map(|location| {
            let edges: Vec<EdgeId> =
                every.iter().copied().filter(|edge| reached[location][edge.index()]).collect();
            future(&edges, true)
        });
        let at = at.collect();
        all.push(Futures { at, any: future(&every, false) });
    }
    Ok(all)
}

#[derive(Copy, Clone)]
enum Writers {
    Nobody,
    One(ProcessId),
    Several,
}

/// Which edges can be taken from each location on.
fn reachable(process: &CompiledProcess) -> IdVec<LocationId, Vec<bool>> {
    let mut reached: IdVec<LocationId, Vec<bool>> =
        process.locations.iter().map(|_| vec![false; process.edges.len()]).collect();
    for location in process.locations.ids() {
        let mut work = vec![location];
        let mut seen = vec![false; process.locations.len()];
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut seen[at.index()], true) {
                continue;
            }
            for edge in &process.outgoing[at] {
                reached[location][edge.index()] = true;
                work.push(process.edges[*edge].target);
            }
        }
    }
    reached
}

/// Puts together what some edges of a process touch.
struct Gather<'a> {
    program: &'a Program,
    resources: &'a Resources,
    footprints: &'a Footprints,
    process: ProcessId,
}

impl Gather<'_> {
    /// What the edges touch, and which of their accesses the state tells, given whether a slot keeps its value among
    /// edges that write these slots. What is reset does not count: nothing follows the end of a process, and who may be
    /// started may have any values.
    fn gather(
        &self,
        edges: &[EdgeId],
        before: &Bits,
        stable: &dyn Fn(&Bits, usize) -> bool,
    ) -> (Touched, Accesses) {
        let Self { program, resources, footprints, process } = *self;
        let mut touched = Touched::nothing(resources);
        let (mut by, mut stores) = (0, before.clone());
        for edge in edges {
            let footprint: &Footprint = &footprints.edges[process][*edge];
            touched.add_all(&footprint.touched);
            stores.add_all(&footprint.stores);
            by |= footprint.by;
        }
        for number in ones(by) {
            let access = footprints.accesses[process][number];
            if !stable(&stores, access.index) {
                access.touch(program, resources, None, &mut touched);
                by &= !(1 << number);
            }
        }
        (touched, by)
    }
}

/// What follows an edge, if it leads to a place where others have to wait.
pub fn block(
    program: &Program,
    resources: &Resources,
    footprints: &Footprints,
    (process, edge): (ProcessId, EdgeId),
) -> Option<Block> {
    let compiled = &program.processes[process];
    let first = &compiled.edges[edge];
    let starts_committed = footprints.edges[process][edge].starts_committed;
    let committed = compiled.locations[first.target].committed || starts_committed;
    if !compiled.locations[first.target].atomic && !committed {
        return None;
    }
    let mut open = committed || footprints.edges[process][edge].meeting == Meeting::Partners;
    let mut edges: Vec<EdgeId> = Vec::new();
    let mut inner = footprints.at_most(program, resources, (process, edge)).writes;
    let mut work = vec![first.target];
    let mut seen = vec![false; compiled.locations.len()];
    while let Some(at) = work.pop() {
        if std::mem::replace(&mut seen[at.index()], true) {
            continue;
        }
        for next in &compiled.outgoing[at] {
            edges.push(*next);
            let footprint = &footprints.edges[process][*next];
            // Whoever holds the token keeps it if its labels lead nowhere: all wait for ever then.
            // An index may be too large, whatever it is now.
            let at_most = footprints.at_most(program, resources, (process, *next));
            let nowhere = at_most.reads.contains(resources.fails());
            open |= footprint.meeting == Meeting::Partners || footprint.starts_committed;
            open |= nowhere && !fault::active(Fault::StuckWithToken);
            let target = compiled.edges[*next].target;
            open |= compiled.locations[target].committed;
            if compiled.locations[target].atomic {
                inner.add_all(&footprints.at_most(program, resources, (process, *next)).writes);
                work.push(target);
            }
        }
    }
    let gather = Gather { program, resources, footprints, process };
    let stable = |stores: &Bits, slot| !stores.contains(resources.slot(slot));
    let mut before = footprints.edges[process][edge].stores.clone();
    before.add_all(&footprints.edges[process][edge].resets);
    let (touched, by) = gather.gather(&edges, &before, &stable);
    let recurs = comes_back(compiled, first) || goes_round(compiled, &seen);
    Some(Block { touched, by, inner, open, recurs })
}

/// Whether a process may take an edge again.
fn comes_back(compiled: &CompiledProcess, edge: &CompiledEdge) -> bool {
    let mut work = vec![edge.target];
    let mut seen = vec![false; compiled.locations.len()];
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut seen[at.index()], true) {
            work.extend(compiled.outgoing[at].iter().map(|next| compiled.edges[*next].target));
        }
    }
    seen[edge.source.index()]
}

/// Whether there is a cycle among some locations: those that nothing leads to any more are taken away as long as there
/// are any.
fn goes_round(compiled: &CompiledProcess, among: &[bool]) -> bool {
    let inside =
        compiled.edges.iter().filter(|edge| among[edge.source.index()] && among[edge.target.index()]);
    let mut into = vec![0_usize; among.len()];
    inside.for_each(|edge| into[edge.target.index()] += 1);
    let mut left = among.iter().filter(|its| **its).count();
    let mut work: Vec<LocationId> = compiled.locations.ids().collect();
    work.retain(|at| among[at.index()] && into[at.index()] == 0);
    while let Some(at) = work.pop() {
        left -= 1;
        for target in compiled.outgoing[at].iter().map(|edge| compiled.edges[*edge].target) {
            if among[target.index()] {
                into[target.index()] -= 1;
                if into[target.index()] == 0 {
                    work.push(target);
                }
            }
        }
    }
    left > 0
}
