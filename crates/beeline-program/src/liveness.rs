//! Dead variables: those whose value cannot matter any more because nobody reads it before it is written again.
//!
//! Liveness is worked out process by process, as compilers do it (Bozga, Fernandez and Ghirvu, "State space reduction
//! based on live variables analysis", SAS 1999): a variable is live at a location of a process if some path from
//! there reads it before the process itself writes it. What other processes write on the way only takes away reasons
//! to care. A variable that is live at no process's location is *dead*, and all its values are one.
//!
//! A process that does not exist may be started, which gives its own variables their first values; others matter to it
//! as they do at its first location.

use crate::bytecode::{Op, RoutineId};
use crate::edge::Effects;
use crate::predicate::Predicate;
use crate::program::{Atom, CompiledEdge, CompiledLocation, CompiledProcess, CompiledSync, Program};
use crate::shortcut::Step;
use crate::slots::SlotSet;
use beeline_ir::ProcessId;
use beeline_ir::layout::SlotKind;

/// Bits of all sets beyond which it is not worth the memory.
const BUDGET: usize = 1 << 26;

/// Which variables matter where.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// The slots that may be dead, and the value a dead one is given.
    slots: Vec<(usize, i64)>,
    /// Processes at whose locations some of them are live.
    readers: Vec<Reader>,
    /// By position among these slots, the only reader to whom it ever matters, if there is just one.
    sole: Vec<Option<u32>>,
    /// By slot of the layout.
    roles: Vec<Part>,
}

/// What a slot has to do with liveness.
#[derive(Copy, Clone, Debug)]
enum Part {
    Nothing,
    /// It may be dead; its position among those.
    Mortal(u32),
    /// It says where a reader is; which one.
    Place(u32),
}

#[derive(Clone, Debug)]
struct Reader {
    /// The slot of its location.
    place: usize,
    /// For each location, and for a process that does not exist, the positions in `slots` that are live.
    live: Vec<Bits>,
    /// Those that ever matter to it alone.
    own: Bits,
}

type Bits = Box<[u64]>;

impl Liveness {
    /// The dead variables of a program; `needed` are slots that somebody else reads at any time, `initial` the values
    /// that dead variables are given. `None` if there are none.
    pub fn compute(program: &Program, needed: &SlotSet, initial: &[i64]) -> Option<Self> {
        let cell = |slot: &usize| matches!(program.layout.slots[*slot].kind, SlotKind::Cell(..));
        let cells: Vec<usize> =
            (0..program.layout.slots.len()).filter(cell).filter(|slot| !needed.contains(*slot)).collect();
        let locations: usize = program.processes.iter().map(|process| process.locations.len()).sum();
        if cells.is_empty() || cells.len().saturating_mul(locations) > BUDGET {
            return None;
        }
        let analysis = Analysis { program, cells: &cells };
        let live: Vec<Vec<Bits>> = program.processes.ids().map(|process| analysis.of(process)).collect();
        // A cell that some process may read wherever it is never dies.
        let dies = |position: &usize| {
            live.iter().all(|locations| locations.iter().any(|bits| !contains(bits, *position)))
        };
        let kept: Vec<usize> = (0..cells.len()).filter(dies).collect();
        let compact = |bits: &Bits| {
            let mut fewer = vec![0; kept.len().div_ceil(64)];
            for (new, _) in kept.iter().enumerate().filter(|(_, old)| contains(bits, **old)) {
                fewer[new / 64] |= 1 << (new % 64);
            }
            fewer.into_boxed_slice()
        };
        let reader = |(locations, place): (&Vec<Bits>, &usize)| {
            let live: Vec<Bits> = locations.iter().map(compact).collect();
            live.iter().any(|bits| bits.iter().any(|word| *word != 0)).then_some(Reader {
                place: *place,
                live,
                own: vec![0; kept.len().div_ceil(64)].into(),
            })
        };
        let mut readers: Vec<Reader> = live.iter().zip(&program.layout.location).filter_map(reader).collect();
        let mut sole = vec![None; kept.len()];
        for (position, sole) in sole.iter_mut().enumerate() {
            let cares = |reader: &Reader| reader.live.iter().any(|bits| contains(bits, position));
            let mut who = (0..readers.len()).filter(|reader| cares(&readers[*reader]));
            if let (Some(only), None) = (who.next(), who.next()) {
                readers[only].own[position / 64] |= 1 << (position % 64);
                *sole = Some(only as u32);
            }
        }
        let slots: Vec<(usize, i64)> = kept.iter().map(|at| (cells[*at], initial[cells[*at]])).collect();
        let mut roles = vec![Part::Nothing; program.layout.slots.len()];
        for (position, (slot, _)) in slots.iter().enumerate() {
            roles[*slot] = Part::Mortal(position as u32);
        }
        for (number, reader) in readers.iter().enumerate() {
            roles[reader.place] = Part::Place(number as u32);
        }
        (!slots.is_empty()).then_some(Self { slots, readers, sole, roles })
    }

    /// The dead ones of a word's worth of slots, as bits.
    #[inline]
    fn dead_bits(&self, state: &[i64], word: usize, slots: usize) -> u64 {
        let of = |reader: &Reader| reader.live[state[reader.place] as usize][word];
        let live = self.readers.iter().fold(0, |live, reader| live | of(reader));
        !live & (u64::MAX >> (64 - slots))
    }

    /// The dead slots of a state.
    pub fn dead<'a>(&'a self, state: &'a [i64]) -> impl Iterator<Item = usize> + 'a {
        self.slots.chunks(64).enumerate().flat_map(move |(word, slots)| {
            let dead = self.dead_bits(state, word, slots.len());
            let is_dead = move |(bit, _): &(usize, &(usize, i64))| dead >> bit & 1 == 1;
            slots.iter().enumerate().filter(is_dead).map(|(_, (slot, _))| *slot)
        })
    }

    /// Gives every dead variable of a state one and the same value.
    #[inline]
    pub fn forget(&self, state: &mut [i64]) {
        for (word, slots) in self.slots.chunks(64).enumerate() {
            for bit in ones(self.dead_bits(state, word, slots.len())) {
                let (slot, value) = slots[bit];
                state[slot] = value;
            }
        }
    }

    /// Whether every dead variable has that value.
    pub fn has_forgotten(&self, state: &[i64]) -> bool {
        self.slots.chunks(64).enumerate().all(|(word, slots)| {
            ones(self.dead_bits(state, word, slots.len())).all(|bit| state[slots[bit].0] == slots[bit].1)
        })
    }

    /// The same as [`Self::forget`] for a state that has come of one in which everything dead has been forgotten: what may
    /// be dead now is what was written, and what mattered to a process where it was and does not where it is.
    pub fn forget_after(&self, before: &[i64], state: &mut [i64], effects: &mut Effects) {
        for at in 0..effects.changed.len() {
            match self.roles[effects.changed[at] as usize] {
                Part::Nothing => {}
                Part::Mortal(position) => {
                    let position = position as usize;
                    let Some(only) = self.sole[position] else {
                        self.forget_dead(1 << (position % 64), position / 64, state, effects);
                        continue;
                    };
                    let Reader { place, live, .. } = &self.readers[only as usize];
                    if !contains(&live[state[*place] as usize], position) {
                        let (slot, value) = self.slots[position];
                        effects.put(state, slot, value);
                    }
                }
                Part::Place(reader) => {
                    let Reader { place, live, own } = &self.readers[reader as usize];
                    let (then, now) = (&live[before[*place] as usize], &live[state[*place] as usize]);
                    for (word, (then, now)) in then.iter().zip(now).enumerate() {
                        let gone = then & !now;
                        // Nobody else needs to be asked about what matters to nobody else.
                        for bit in ones(gone & own[word]) {
                            let (slot, value) = self.slots[word * 64 + bit];
                            effects.put(state, slot, value);
                        }
                        self.forget_dead(gone & !own[word], word, state, effects);
                    }
                }
            }
        }
    }

    /// Forgets those of some slots, of a word's worth of them, that are dead.
    #[inline]
    fn forget_dead(&self, of: u64, word: usize, state: &mut [i64], effects: &mut Effects) {
        if of != 0 {
            for bit in ones(of & self.dead_bits(state, word, 64)) {
                let (slot, value) = self.slots[word * 64 + bit];
                effects.put(state, slot, value);
            }
        }
    }
}

/// The slots that a predicate reads.
pub fn read_by(program: &Program, predicate: &Predicate, reads: &mut SlotSet) {
    match predicate {
        Predicate::Const(_) | Predicate::Deadlock => {}
        Predicate::Discrete(routine) => {
            reads.extend(&program.routines[*routine].reads);
        }
        Predicate::Clock(atom) => {
            for routine in atom.routines() {
                reads.extend(&program.routines[routine].reads);
            }
        }
        Predicate::Not(inner) | Predicate::Counted(_, inner) => read_by(program, inner, reads),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().for_each(|p| read_by(program, p, reads)),
        Predicate::If(parts) => parts.iter().for_each(|p| read_by(program, p, reads)),
    }
}

/// The places of the ones of a word.
#[inline]
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

fn contains(bits: &Bits, position: usize) -> bool {
    bits[position / 64] >> (position % 64) & 1 == 1
}

struct Analysis<'a> {
    program: &'a Program,
    cells: &'a [usize],
}

/// What an edge reads of the values before it, and what it surely writes.
struct Transfer {
    reads: Bits,
    writes: Bits,
}

impl Analysis<'_> {
    fn empty(&self) -> Bits {
        vec![0; self.cells.len().div_ceil(64)].into_boxed_slice()
    }

    fn add(&self, bits: &mut Bits, slot: usize) {
        if let Ok(position) = self.cells.binary_search(&slot) {
            bits[position / 64] |= 1 << (position % 64);
        }
    }

    fn add_routine(&self, bits: &mut Bits, routine: RoutineId) {
        for slot in self.program.routines[routine].reads.iter() {
            self.add(bits, slot);
        }
    }

    /// What is live at each location of a process, and at last, if it may be so, where it does not exist.
    fn of(&self, id: ProcessId) -> Vec<Bits> {
        let process = &self.program.processes[id];
        let mut live = self.at_locations(process);
        if self.program.layout.mortal(id) {
            let mut absent = live[process.initial.index()].clone();
            let own = process.own.iter().flat_map(|(first, values)| *first..first + values.len());
            for position in own.filter_map(|slot| self.cells.binary_search(&slot).ok()) {
                absent[position / 64] &= !(1 << (position % 64));
            }
            // It may end anywhere, and be started anew.
            for location in &mut live {
                location.iter_mut().zip(&absent).for_each(|(bits, more)| *bits |= more);
            }
            live.push(absent);
        }
        live
    }

    fn at_locations(&self, process: &CompiledProcess) -> Vec<Bits> {
        let transfers: Vec<Transfer> = process.edges.iter().map(|edge| self.transfer(edge)).collect();
        let mut live: Vec<Bits> = process.locations.iter().map(|location| self.invariant(location)).collect();
        let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); live.len()];
        for (number, edge) in process.edges.iter().enumerate() {
            incoming[edge.target.index()].push(number);
        }
        let edges: Vec<(usize, usize)> =
            process.edges.iter().map(|edge| (edge.source.index(), edge.target.index())).collect();
        let mut work: Vec<usize> = (0..edges.len()).collect();
        while let Some(number) = work.pop() {
            let (source, target) = edges[number];
            let Transfer { reads, writes } = &transfers[number];
            let mut changed = false;
            for word in 0..reads.len() {
                let before = live[source][word];
                let after = before | reads[word] | (live[target][word] & !writes[word]);
                live[source][word] = after;
                changed |= after != before;
            }
            if changed {
                work.extend_from_slice(&incoming[source]);
            }
        }
        live
    }

    fn invariant(&self, location: &CompiledLocation) -> Bits {
        let mut reads = self.empty();
        let atoms = location.invariant.iter().flat_map(Atom::routines);
        location.condition.into_iter().chain(atoms).for_each(|r| self.add_routine(&mut reads, r));
        reads
    }

    fn transfer(&self, edge: &CompiledEdge) -> Transfer {
        let (mut reads, mut writes) = (self.empty(), self.empty());
        let sync = match &edge.sync {
            CompiledSync::Internal => None,
            CompiledSync::Send { routine, .. } | CompiledSync::Receive { routine, .. } => *routine,
        };
        let atoms = edge.clock_guard.iter().flat_map(Atom::routines);
        edge.guard.into_iter().chain(sync).chain(atoms).for_each(|r| self.add_routine(&mut reads, r));
        let sums = |steps: &[Step]| steps.iter().any(|step| matches!(step, Step::Put(..)));
        match (&edge.steps, edge.update) {
            // Step by step: what is read after it was written is not read from before.
            (Some(steps), _) if !sums(steps) => {
                for step in steps {
                    if let Step::Copy(_, from, ..) = step
                        && !self.cells.binary_search(from).is_ok_and(|position| contains(&writes, position))
                    {
                        self.add(&mut reads, *from);
                    }
                    if let Step::Set(slot, _)
                    | Step::Copy(slot, ..)
                    | Step::Select(slot, _)
                    | Step::Take(slot, ..) = step
                    {
                        self.add(&mut writes, *slot);
                    }
                }
            }
            (_, Some(update)) => {
                self.add_routine(&mut reads, update);
                // What it begins with is done in any case.
                let code = self.program.routines[update].code.iter().take_while(|op| op.goes_on());
                for op in code {
                    if let Op::Store { slot, .. } = op {
                        self.add(&mut writes, *slot as usize);
                    }
                }
            }
            (_, None) => {}
        }
        Transfer { reads, writes }
    }
}
