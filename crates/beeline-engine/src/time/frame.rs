//! The clocks that a zone is about, and how far their values matter.
//!
//! At a discrete state a clock is *active* if some guard or invariant may still test its value before it is set
//! again (Daws and Yovine, "Reducing the number of clock variables of timed automata", RTSS 1996). A zone has
//! rows for the active clocks alone: what is known of the others is never asked for. The bounds are those of
//! [`beeline_program::clock_bounds`], already mixed as the extrapolation wants them.

use crate::api::Extrapolation;
use beeline_ir::{ClockId, IdVec, LocationId, ProcessId};
use beeline_program::clock_bounds::Bounds;
use beeline_program::{ClockBounds, Program};
use beeline_zones::ClockBound;
use beeline_zones::fault::{self, Fault};
use rustc_hash::FxHasher;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::Arc;

/// The rows of a matrix.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The active clocks, ascending: that of row 1, row 2, ...
    pub clocks: Vec<ClockId>,
    /// The row of each clock of the model.
    rows: Vec<Option<u16>>,
    /// The greatest constant that matters from below, by row.
    pub lower: Vec<ClockBound>,
    /// The greatest constant that matters from above, by row.
    pub upper: Vec<ClockBound>,
}

impl Frame {
    fn new(lower: &[ClockBound], upper: &[ClockBound]) -> Self {
        let mut frame = Self {
            clocks: Vec::new(),
            rows: vec![None; lower.len()],
            lower: vec![ClockBound::ZERO],
            upper: vec![ClockBound::ZERO],
        };
        for clock in 0..lower.len() {
            if lower[clock].max(upper[clock]) > ClockBound::NONE {
                frame.clocks.push(ClockId::new(clock));
                frame.rows[clock] = u16::try_from(frame.clocks.len()).ok();
                frame.lower.push(lower[clock]);
                frame.upper.push(upper[clock]);
            }
        }
        frame
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

/// What a location adds to the bounds that count everywhere: clock, lower, upper.
type Additions = Vec<(u16, ClockBound, ClockBound)>;

/// Frames that are remembered; a power of two.
const REMEMBERED: usize = 1 << 12;

/// The frames of all discrete states. They depend on what the location of each process adds, and those asked for last
/// are remembered.
#[derive(Clone, Debug)]
pub struct Frames {
    everywhere: (Vec<ClockBound>, Vec<ClockBound>),
    additions: Vec<Additions>,
    /// What each location adds.
    locations: IdVec<ProcessId, IdVec<LocationId, u16>>,
    /// Lower and upper bounds are one and the same.
    maximal: bool,
    memory: RefCell<Memory>,
}

/// What the locations add, and the frame that makes.
type Remembered = (Box<[u16]>, Arc<Frame>);

#[derive(Clone, Debug, Default)]
struct Memory {
    frames: Vec<Option<Remembered>>,
    key: Vec<u16>,
}

impl Frames {
    /// From the clock bounds of a model. `split` has the constants each clock is compared with when differences are
    /// split, at all times.
    pub fn new(
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
        let added = |bounds: &Bounds| -> Additions {
            let all = (0..floor.len()).map(|clock| (clock, at(bounds, clock)));
            let more = all.filter(|(c, (l, u))| *l > everywhere.0[*c] || *u > everywhere.1[*c]);
            more.map(|(c, (l, u))| (u16::try_from(c).unwrap_or(u16::MAX), l, u)).collect()
        };
        let mut additions: Vec<Additions> = Vec::new();
        let mut numbers: BTreeMap<Additions, u16> = BTreeMap::new();
        let mut number = |bounds: &Bounds| {
            let added = added(bounds);
            *numbers.entry(added.clone()).or_insert_with(|| {
                additions.push(added);
                u16::try_from(additions.len() - 1).expect("locations differ in fewer than 2^16 ways")
            })
        };
        let locations = bounds.locations.iter().map(|p| p.iter().map(&mut number).collect()).collect();
        let maximal = matches!(extrapolation, Extrapolation::M | Extrapolation::MPlus);
        Self { everywhere, additions, locations, maximal, memory: RefCell::default() }
    }

    /// Number of clocks of the model.
    pub fn clocks(&self) -> usize {
        self.everywhere.0.len()
    }

    /// The frame of a discrete state.
    pub fn at(&self, program: &Program, slots: &[i64]) -> Arc<Frame> {
        let mut memory = self.memory.borrow_mut();
        let Memory { frames, key } = &mut *memory;
        key.clear();
        for (id, process) in program.processes.enumerate() {
            let location = match program.location(id, slots) {
                Some(location) => location,
                // It may be started any time.
                None if process.dynamic => process.initial,
                None => continue,
            };
            key.push(self.locations[id][location]);
        }
        frames.resize(REMEMBERED, None);
        let place = &mut frames[hash(key) as usize % REMEMBERED];
        match place {
            // The one seeded bug looks at more than the key.
            Some((known, frame)) if **known == **key && !fault::active(Fault::ActiveClockWrong) => {
                Arc::clone(frame)
            }
            _ => {
                let frame = Arc::new(self.make(key, slots));
                *place = Some((key.as_slice().into(), Arc::clone(&frame)));
                frame
            }
        }
    }

    fn make(&self, key: &[u16], slots: &[i64]) -> Frame {
        let (mut lower, mut upper) = self.everywhere.clone();
        for &(clock, low, up) in key.iter().flat_map(|number| &self.additions[usize::from(*number)]) {
            let clock = usize::from(clock);
            lower[clock] = lower[clock].max(low);
            upper[clock] = upper[clock].max(up);
        }
        self.spoil(slots, &mut lower, &mut upper);
        if self.maximal {
            for (low, up) in lower.iter_mut().zip(upper.iter_mut()) {
                (*low, *up) = ((*low).max(*up), (*low).max(*up));
            }
        }
        Frame::new(&lower, &upper)
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

fn hash(key: &[u16]) -> u64 {
    let mut hasher = FxHasher::default();
    for numbers in key.chunks(4) {
        hasher.write_u64(numbers.iter().fold(0, |word, n| word << 16 | u64::from(*n)));
    }
    hasher.finish()
}

/// A clock is never below 0, so comparing it with something negative decides nothing. Constants are checked before
/// the search.
fn constant(constant: Option<i64>) -> ClockBound {
    let positive = constant.filter(|c| *c >= 0);
    positive.map_or(ClockBound::NONE, |c| {
        ClockBound::at(i32::try_from(c).expect("clock constants are checked before the search"))
    })
}
