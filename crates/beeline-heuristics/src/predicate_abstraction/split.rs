//! Network splitting: automata are put together into parts of at most so many, those first that have most to do with
//! each other. An effect has to do with a condition if the variable that it writes is in the condition; a sender has
//! to do with those who may receive. (In the paper, also if one is that gets its value from there on some way.
//! Projection does not lose conditions about those: it has a choice of values where they are written.)
//!
//! What a part looks at are its automata, and the integers and clocks that nobody else writes (or, if that is asked for, all
//! that its conditions are about): conditions about anything else, and partners elsewhere, are what projection removes.
//!
//! Hoffmann, Smaus, Rybalchenko, Kupferschmid, Podelski, MoChArt 2006, section 3.3.

use beeline_abstraction::projection::Pattern;
use beeline_ir::layout::SlotKind;
use beeline_ir::network::{ChannelKind, Network, Role};
use beeline_ir::{ClockId, ProcessId, VarId};
use beeline_program::clock_flow::ClockFlows;
use beeline_program::{Atom, CompiledSync, Operand, Program, RoutineId};
use std::collections::{BTreeMap, BTreeSet};

/// What of the variables that others write, too.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shared {
    /// They are left out, as in the paper.
    Drop,
    /// They are kept if the part has conditions about them, with what others do to them.
    Keep,
}

/// What effects and conditions are about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Subject {
    Slot(usize),
    Clock(ClockId),
}

/// How often an automaton writes something, and how often it asks about it.
#[derive(Clone, Debug, Default)]
struct Automaton {
    effects: BTreeMap<Subject, u64>,
    conditions: BTreeMap<Subject, u64>,
}

/// The patterns of the parts of a network, with at most so many automata each.
pub(super) fn split(network: &Network, most: usize, shared: Shared) -> Vec<Pattern> {
    if most >= network.processes.len() {
        return vec![Pattern::all(network)];
    }
    let program = Program::compile(network);
    let automata = automata(network, &program);
    let weights = weights(network, &program, &automata);
    let system = network.processes.enumerate().filter(|(_, process)| process.role == Role::System);
    let mut parts: Vec<Vec<ProcessId>> = system.map(|(id, _)| vec![id]).collect();
    loop {
        let between = |a: &[ProcessId], b: &[ProcessId]| {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b)));
            pairs.map(|(a, b)| weights[a.index()][b.index()] + weights[b.index()][a.index()]).sum::<u64>()
        };
        let mut best: Option<(u64, usize, usize)> = None;
        for (i, a) in parts.iter().enumerate() {
            for (j, b) in parts.iter().enumerate().skip(i + 1) {
                let weight = between(a, b);
                if a.len() + b.len() <= most && weight > best.map_or(0, |(weight, ..)| weight) {
                    best = Some((weight, i, j));
                }
            }
        }
        let Some((_, i, j)) = best else { break };
        let more = parts.remove(j);
        parts[i].extend(more);
    }
    let all: Vec<Vec<ProcessId>> = parts;
    all.iter().map(|part| pattern(network, &program, &automata, part, shared)).collect()
}

/// What each automaton writes and asks about.
fn automata(network: &Network, program: &Program) -> Vec<Automaton> {
    let flows = ClockFlows::of(network);
    let mut all = Vec::new();
    for (id, process) in program.processes.enumerate() {
        let mut one = Automaton::default();
        for (edge, compiled) in process.edges.enumerate() {
            let mut written: BTreeSet<Subject> = BTreeSet::new();
            if let Some(update) = compiled.update {
                written.extend(program.routines[update].writes.iter().map(Subject::Slot));
            }
            if compiled.source != compiled.target {
                written.insert(Subject::Slot(program.layout.location[id]));
            }
            let clocks = flows.edge(&network.processes[id].edges[edge]);
            written.extend(clocks.written().map(|(clock, _)| Subject::Clock(clock)));
            for subject in written {
                *one.effects.entry(subject).or_default() += 1;
            }
            ask(program, compiled.guard, &compiled.clock_guard, &mut one.conditions);
            ask(program, routine(&compiled.sync), &[], &mut one.conditions);
        }
        for location in &process.locations {
            ask(program, location.condition, &location.invariant, &mut one.conditions);
        }
        all.push(one);
    }
    all
}

fn routine(sync: &CompiledSync) -> Option<RoutineId> {
    match sync {
        CompiledSync::Internal => None,
        CompiledSync::Send { routine, .. } | CompiledSync::Receive { routine, .. } => *routine,
    }
}

/// Counts what a condition is about.
fn ask(program: &Program, code: Option<RoutineId>, atoms: &[Atom], conditions: &mut BTreeMap<Subject, u64>) {
    let mut subjects: BTreeSet<Subject> = BTreeSet::new();
    let mut read = |routine: RoutineId| {
        program.routines[routine].reads.iter().map(Subject::Slot).collect::<Vec<Subject>>()
    };
    subjects.extend(code.into_iter().flat_map(&mut read));
    for atom in atoms {
        subjects.extend([Some(atom.left), atom.right].into_iter().flatten().map(Subject::Clock));
        subjects.extend(atom.when.into_iter().flat_map(&mut read));
        if let Operand::Code(bound) = atom.bound {
            subjects.extend(read(bound));
        }
    }
    for subject in subjects {
        *conditions.entry(subject).or_default() += 1;
    }
}

/// How much the first of two automata has to do with the conditions of the second, by their numbers.
fn weights(network: &Network, program: &Program, automata: &[Automaton]) -> Vec<Vec<u64>> {
    let mut weights = vec![vec![0u64; automata.len()]; automata.len()];
    for (a, its) in automata.iter().enumerate() {
        for (b, others) in automata.iter().enumerate().filter(|(b, _)| *b != a) {
            let both = its.effects.iter().filter_map(|(subject, effects)| {
                others.conditions.get(subject).map(|conditions| effects * conditions)
            });
            weights[a][b] += both.sum::<u64>();
        }
    }
    let meets = |kind| !matches!(kind, ChannelKind::Buffered { .. });
    for (a, process) in program.processes.enumerate() {
        for edge in &process.edges {
            let CompiledSync::Send { channel, .. } = edge.sync else { continue };
            for (b, other) in network.processes.ids().map(|b| (b, &program.processes[b])) {
                let may = |edge: &&beeline_program::CompiledEdge| match edge.sync {
                    CompiledSync::Receive { channel: its, .. } => channel.may_meet(its, program, meets),
                    _ => false,
                };
                if a != b {
                    weights[a.index()][b.index()] += other.edges.iter().filter(may).count() as u64;
                }
            }
        }
    }
    weights
}

/// What a part looks at.
fn pattern(
    network: &Network,
    program: &Program,
    automata: &[Automaton],
    part: &[ProcessId],
    shared: Shared,
) -> Pattern {
    let inside = |process: usize| part.iter().any(|id| id.index() == process);
    let own = |subject: Subject| {
        let mut writers = automata.iter().enumerate().filter(|(_, one)| one.effects.contains_key(&subject));
        writers.all(|(process, _)| inside(process))
    };
    let asked =
        |subject: Subject| part.iter().any(|id| automata[id.index()].conditions.contains_key(&subject));
    let keep = |subject: Subject| match shared {
        Shared::Drop => own(subject),
        Shared::Keep => own(subject) || asked(subject),
    };
    let slots = |var: VarId| {
        let cells = program.layout.slots.iter().enumerate();
        cells.filter(move |(_, slot)| matches!(slot.kind, SlotKind::Cell(its, _) if its == var))
    };
    Pattern {
        automata: part.iter().copied().collect(),
        integers: network
            .vars
            .ids()
            .filter(|var| slots(*var).all(|(slot, _)| keep(Subject::Slot(slot))))
            .collect(),
        clocks: network.clocks.ids().filter(|clock| keep(Subject::Clock(*clock))).collect(),
        ..Pattern::default()
    }
}
