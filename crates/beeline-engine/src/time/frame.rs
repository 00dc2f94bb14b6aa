//! What the locations of a state say about its clocks: which matter and how far, the invariant, whether time stands
//! still.
//!
//! At a discrete state a clock is *active* if some guard or invariant may still test its value before it is set
//! again (Daws and Yovine, "Reducing the number of clock variables of timed automata", RTSS 1996). A zone has
//! rows for the active clocks alone: what is known of the others is never asked for. The bounds are those of
//! [`beeline_program::clock_bounds`], already mixed as the extrapolation wants them. The part of the invariant that
//! compares clocks with constants is worked out here, once for many states; the rest is evaluated state by state.

use crate::api::Extrapolation;
use crate::time::zones::constraints;
use beeline_ir::expr::ClockOp;
use beeline_ir::{ClockId, LocationId};
use beeline_program::clock_bounds::Bounds;
use beeline_program::{ClockBounds, CompiledProcess, ConcreteAtom, Program};
use beeline_zones::fault::{self, Fault};
use beeline_zones::{Bound, ClockBound, Constraint};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// The rows of a matrix, and what holds in all states that have them.
#[derive(PartialEq, Eq, Default, Debug)]
pub struct Frame {
    /// What the locations of the processes come to.
    key: Vec<u64>,
    /// The active clocks, ascending: that of row 1, row 2, ...
    pub clocks: Vec<ClockId>,
    /// The row of each clock of the model.
    rows: Vec<Option<u16>>,
    /// The greatest constant that matters from below, by row.
    pub lower: Vec<ClockBound>,
    /// The greatest constant that matters from above, by row.
    pub upper: Vec<ClockBound>,
    /// The invariant as far as it compares clocks with constants.
    pub invariant: Vec<Constraint>,
    /// Its upper bounds: a row, and what it stays below.
    pub limits: Vec<(usize, Bound)>,
    /// A process is at an urgent or committed location.
    pub stops: bool,
}

impl Frame {
    /// Makes this the frame of those bounds, without allocation where there is room.
    fn become_frame(&mut self, key: &[u64], lower: &[ClockBound], upper: &[ClockBound]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.rows.clear();
        self.clocks.clear();
        self.lower.clear();
        self.upper.clear();
        self.invariant.clear();
        self.limits.clear();
        self.lower.push(ClockBound::ZERO);
        self.upper.push(ClockBound::ZERO);
        for (clock, (low, up)) in lower.iter().zip(upper).enumerate() {
            let active = *low.max(up) > ClockBound::NONE;
            if active {
                self.clocks.push(ClockId::new(clock));
                self.lower.push(*low);
                self.upper.push(*up);
            }
            self.rows.push(u16::try_from(self.clocks.len()).ok().filter(|_| active));
        }
    }
    fn require(&mut self, atom: &ConcreteAtom) {
        for constraint in constraints(self, atom).into_iter().flatten() {
            self.invariant.push(constraint);
            if constraint.right == 0 {
                self.limits.push((constraint.left, constraint.bound));
            }
        }
    }
    /// Whether it is the frame of a key.
    #[inline]
    fn is_of(&self, key: &[u64]) -> bool {
        // Comparing word by word is faster than a call for so few.
        self.key.iter().zip(key).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
    /// Whether it is the same frame.
    #[inline]
    pub fn same_key(&self, other: &Frame) -> bool {
        self.is_of(&other.key)
    }
    /// A hash of the key.
    pub fn code(&self) -> u64 {
        code(&self.key)
    }
    /// The dimension of a zone with these rows.
    #[inline]
    pub fn dim(&self) -> usize {
        self.clocks.len() + 1
    }
    /// The row of a clock, if it is active.
    #[inline]
    pub fn row(&self, clock: ClockId) -> Option<usize> {
        self.rows[clock.index()].map(usize::from)
    }
}

/// What a location says about clocks.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct Kind {
    /// What it adds to the bounds that count everywhere: clock, lower, upper.
    additions: Vec<(u16, ClockBound, ClockBound)>,
    /// Its invariant as far as it compares clocks with constants.
    invariant: Vec<(ClockId, ClockOp, i64)>,
    /// Time stands still.
    stops: bool,
}

/// A process whose locations are not all of one kind.
#[derive(Clone, Debug)]
struct Varying {
    /// The slot of its location.
    slot: usize,
    /// What each value of the slot adds to the key.
    parts: Vec<u64>,
    /// Where in the key.
    word: usize,
    shift: u32,
    mask: u64,
    /// The kinds, as numbered in the key.
    kinds: Vec<Kind>,
}

/// Frames that are remembered; a power of two.
const REMEMBERED: usize = 1 << 12;

/// The frames of all discrete states. They depend on the kind of each process's location, and those asked for last are
/// remembered.
#[derive(Clone, Debug)]
pub struct Frames {
    everywhere: (Vec<ClockBound>, Vec<ClockBound>),
    /// Kinds of processes that have only one.
    fixed: Vec<Kind>,
    varying: Vec<Varying>,
    /// Lower and upper bounds are one and the same.
    maximal: bool,
    memory: RefCell<Memory>,
}

#[derive(Clone, Debug)]
struct Memory {
    frames: Vec<Option<Arc<Frame>>>,
    key: Vec<u64>,
    /// Scratch: lower and upper bounds.
    bounds: (Vec<ClockBound>, Vec<ClockBound>),
}

/// The constant bound of an atom, if it compares one clock with a constant.
pub fn constant_bound(atom: &beeline_program::Atom) -> Option<i64> {
    match atom.bound {
        beeline_program::Operand::Const(bound) if atom.when.is_none() && atom.right.is_none() => Some(bound),
        _ => None,
    }
}

impl Frames {
    /// From the clock bounds of a model. `split` has the constants each clock is compared with when differences are
    /// split, at all times.
    pub fn new(
        program: &Program,
        bounds: &ClockBounds,
        split: &[Option<i64>],
        extrapolation: Extrapolation,
        active_clocks: bool,
    ) -> Self {
        let floor: Vec<Option<i64>> =
            split.iter().map(|s| if active_clocks { *s } else { (*s).max(Some(0)) }).collect();
        let at = |bounds: &Bounds, clock: usize| {
            (constant(bounds.lower[clock].max(floor[clock])), constant(bounds.upper[clock].max(floor[clock])))
        };
        let everywhere: (Vec<_>, Vec<_>) = (0..floor.len()).map(|c| at(&bounds.everywhere, c)).unzip();
        let added = |bounds: &Bounds| {
            let all = (0..floor.len()).map(|clock| (clock, at(bounds, clock)));
            let more = all.filter(|(c, (l, u))| *l > everywhere.0[*c] || *u > everywhere.1[*c]);
            more.map(|(c, (l, u))| (u16::try_from(c).unwrap_or(u16::MAX), l, u)).collect()
        };
        let kind = |bounds: &Bounds, process: &CompiledProcess, location: LocationId| Kind {
            additions: added(bounds),
            invariant: process.locations[location]
                .invariant
                .iter()
                .filter_map(|atom| Some((atom.left, atom.op, constant_bound(atom)?)))
                .collect(),
            stops: process.stops_time(location) && !fault::active(Fault::UrgentIgnored),
        };
        let mut frames = Self {
            maximal: matches!(extrapolation, Extrapolation::M | Extrapolation::MPlus),
            fixed: Vec::new(),
            varying: Vec::new(),
            memory: RefCell::new(Memory {
                frames: vec![None; REMEMBERED],
                key: Vec::new(),
                bounds: everywhere.clone(),
            }),
            everywhere: everywhere.clone(),
        };
        let (mut word, mut used) = (0, 0);
        for (id, process) in program.processes.enumerate() {
            // By value of the slot; the last one stands for a process that does not exist.
            let mut values: Vec<Kind> = process
                .locations
                .ids()
                .map(|location| kind(&bounds.locations[id][location], process, location))
                .collect();
            values.push(match process.dynamic {
                // It may be started any time.
                true => Kind { additions: added(&bounds.locations[id][process.initial]), ..Kind::default() },
                false => Kind::default(),
            });
            let reachable = if program.layout.mortal(id) { values.len() } else { values.len() - 1 };
            values.truncate(reachable);
            let (numbers, mut kinds) = numbered(values);
            if kinds.len() == 1 {
                frames.fixed.append(&mut kinds);
                continue;
            }
            let bits = usize::BITS - (kinds.len() - 1).leading_zeros();
            if used + bits > u64::BITS {
                (word, used) = (word + 1, 0);
            }
            let parts = numbers.iter().map(|number| (*number as u64) << used).collect();
            frames.varying.push(Varying {
                slot: program.layout.location[id],
                parts,
                word,
                shift: used,
                mask: u64::MAX >> (u64::BITS - bits),
                kinds,
            });
            used += bits;
        }
        frames.memory.borrow_mut().key = vec![0; word + 1];
        frames
    }

    /// Number of clocks of the model.
    pub fn clocks(&self) -> usize {
        self.everywhere.0.len()
    }

    /// What the process with its location in that slot adds to the key; `None` if it is the same everywhere.
    pub fn kind(&self, slot: usize, location: LocationId) -> Option<u64> {
        self.varying
            .iter()
            .find(|process| process.slot == slot)
            .map(|process| process.parts[location.index()])
    }

    /// The frame of a discrete state, unless it is the one given.
    pub fn other_than(&self, known: &Frame, slots: &[i64]) -> Option<Arc<Frame>> {
        self.find(slots, Some(known))
    }

    /// The frame of a discrete state.
    pub fn at(&self, slots: &[i64]) -> Arc<Frame> {
        self.find(slots, None).expect("nothing is left out")
    }

    fn find(&self, slots: &[i64], known: Option<&Frame>) -> Option<Arc<Frame>> {
        let mut memory = self.memory.borrow_mut();
        let Memory { frames, key, bounds } = &mut *memory;
        key.fill(0);
        for process in &self.varying {
            key[process.word] |= process.parts[slots[process.slot] as usize];
        }
        if fault::active(Fault::ActiveClockWrong) {
            // The one seeded bug that looks at more than the key.
            let mut frame = Frame::default();
            self.make(key, slots, bounds, &mut frame);
            return Some(Arc::new(frame));
        }
        if known.is_some_and(|frame| frame.is_of(key)) {
            return None;
        }
        let place = frames[hash(key)].get_or_insert_default();
        if place.key.is_empty() || !place.is_of(key) {
            match Arc::get_mut(place) {
                Some(frame) => self.make(key, slots, bounds, frame),
                // Some zone still needs the one that was here.
                None => {
                    let mut frame = Frame::default();
                    self.make(key, slots, bounds, &mut frame);
                    *place = Arc::new(frame);
                }
            }
        }
        Some(Arc::clone(place))
    }

    fn make(
        &self,
        key: &[u64],
        slots: &[i64],
        (lower, upper): &mut (Vec<ClockBound>, Vec<ClockBound>),
        frame: &mut Frame,
    ) {
        let number = |p: &Varying| ((key[p.word] >> p.shift) & p.mask) as usize;
        let varying = self.varying.iter().map(|process| &process.kinds[number(process)]);
        let kinds = self.fixed.iter().chain(varying);
        lower.clone_from(&self.everywhere.0);
        upper.clone_from(&self.everywhere.1);
        for &(clock, low, up) in kinds.clone().flat_map(|kind| &kind.additions) {
            let clock = usize::from(clock);
            lower[clock] = lower[clock].max(low);
            upper[clock] = upper[clock].max(up);
        }
        self.spoil(slots, lower, upper);
        if self.maximal {
            for (low, up) in lower.iter_mut().zip(upper.iter_mut()) {
                (*low, *up) = ((*low).max(*up), (*low).max(*up));
            }
        }
        frame.become_frame(key, lower, upper);
        for &(left, op, bound) in kinds.clone().flat_map(|kind| &kind.invariant) {
            frame.require(&ConcreteAtom { left, right: None, op, bound });
        }
        frame.stops = { kinds }.any(|kind| kind.stops);
    }

    /// The seeded bugs.
    fn spoil(&self, slots: &[i64], lower: &mut [ClockBound], upper: &mut [ClockBound]) {
        if fault::active(Fault::BoundsOffByOne) {
            let less = |b: &ClockBound| ClockBound::from(b.get().map(|c| (c - 1).max(0)));
            lower.iter_mut().chain(upper.iter_mut()).for_each(|b| *b = less(b));
        }
        if fault::active(Fault::LowerUpperSwapped) {
            lower.swap_with_slice(upper);
        }
        if fault::active(Fault::ActiveClockWrong) && slots[0] == 0 {
            (lower[0], upper[0]) = (ClockBound::NONE, ClockBound::NONE);
        }
    }
}

/// Numbers what is different: the number of each, and what the numbers stand for.
fn numbered(kinds: Vec<Kind>) -> (Vec<usize>, Vec<Kind>) {
    let mut known: FxHashMap<Kind, usize> = FxHashMap::default();
    let mut different = Vec::new();
    let number = |kind: Kind| {
        *known.entry(kind).or_insert_with_key(|kind| {
            different.push(kind.clone());
            different.len() - 1
        })
    };
    (kinds.into_iter().map(number).collect(), different)
}

/// A hash of a key; the upper half is good.
fn code(key: &[u64]) -> u64 {
    let mix = |hash: u64, word: &u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    key.iter().fold(0, mix)
}

/// A place in the memory.
fn hash(key: &[u64]) -> usize {
    (code(key) >> 40) as usize % REMEMBERED
}

/// A clock is never below 0, so comparing it with something negative decides nothing. Constants are checked before
/// the search.
fn constant(constant: Option<i64>) -> ClockBound {
    let positive = constant.filter(|c| *c >= 0);
    positive.map_or(ClockBound::NONE, |c| {
        ClockBound::at(i32::try_from(c).expect("clock constants are checked before the search"))
    })
}
