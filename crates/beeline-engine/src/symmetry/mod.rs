//! Symmetry: processes that nobody can tell apart are sorted, so that of all states that differ only in who is who, one is
//! visited.
//!
//! Exchanging such processes maps runs to runs of the same length and targets to targets, so distances stay the same. Any
//! representative is right; which one it is only matters for how much is saved. Here neighbours in an orbit are exchanged
//! as long as that makes the state smaller: by its slots (locations first), then by the bounds of the clocks that are
//! exchanged, then by those of their differences, which tell whose clock is ahead. (Emerson and Sistla, Symmetry and model
//! checking, 1996; for zones Hendriks, Behrmann, Larsen, Niebert and Vaandrager, Adding symmetry reduction to UPPAAL, 2003.)

mod action;
mod classes;
mod detect;
mod exchange;
mod matching;
mod order;
mod work;

pub use action::Generator;

use crate::successors::space::{Space, State};
use crate::time::TimePart;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::{ClockId, ProcessId};
use beeline_zones::fault::{self, Fault};
use std::cmp::Ordering;

/// Who may be exchanged for whom.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// Processes of which any two may be exchanged.
    pub orbits: Vec<Vec<ProcessId>>,
    generators: Vec<Generator>,
    clocks: usize,
}

/// An exchange, by its position.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Exchanged(usize);

impl Symmetry {
    /// The symmetry of a network with respect to a property, if there is any; an error if a limit is reached first.
    pub fn of(network: &Network, property: &Property, limits: &Limits) -> Result<Option<Self>, StopReason> {
        let clocks = network.clocks.len();
        let of = |detect::Detected { orbits, generators }| Self { orbits, generators, clocks };
        Ok(detect::detect(network, property, limits)?.map(of))
    }

    /// How a state compares with what an exchange makes of it; the clock that stands for each is given.
    fn compare<T: TimePart>(
        &self,
        time: &T,
        generator: &Generator,
        slots: &[i64],
        zone: &T::Zone,
        from: &[ClockId],
    ) -> Ordering {
        let by_clocks = || {
            let key =
                |clock: ClockId| time.bounds_of(zone, from.get(clock.index()).copied().unwrap_or(clock));
            let differs = |(a, b): &(ClockId, ClockId)| Some(key(*b).cmp(&key(*a))).filter(|o| o.is_ne());
            generator.clocks.iter().find_map(differs).unwrap_or(Ordering::Equal)
        };
        generator
            .compare(slots)
            .then_with(by_clocks)
            .then_with(|| time.compare_exchanged(zone, from, &generator.clocks))
    }

    /// Whether a state is its own representative.
    pub fn is_representative<T: TimePart>(&self, time: &T, state: &State<T::Zone>) -> bool {
        let smaller = |g: &Generator| self.compare(time, g, &state.slots, &state.zone, &[]).is_lt();
        !self.generators.iter().any(smaller)
    }

    /// Makes a state its representative; the exchanges that were done, in order.
    pub fn represent<T: TimePart>(&self, space: &Space<T>, state: &mut State<T::Zone>) -> Vec<Exchanged> {
        let mut from: Vec<ClockId> = (0..self.clocks).map(ClockId::new).collect();
        let (mut done, mut scratch) = (Vec::new(), Vec::new());
        loop {
            let before = done.len();
            for (number, generator) in self.generators.iter().enumerate() {
                if self.compare(&space.time, generator, &state.slots, &state.zone, &from).is_lt() {
                    generator.apply(&mut state.slots, &mut scratch);
                    generator.clocks.iter().for_each(|(a, b)| from.swap(a.index(), b.index()));
                    done.push(Exchanged(number));
                }
            }
            if done.len() == before {
                break;
            }
        }
        self.move_zone(space, state, &from);
        done
    }

    /// Exchanges a state by one exchange.
    fn exchange<T: TimePart>(&self, space: &Space<T>, number: usize, state: &mut State<T::Zone>) {
        let mut from: Vec<ClockId> = (0..self.clocks).map(ClockId::new).collect();
        let generator = &self.generators[number];
        generator.apply(&mut state.slots, &mut Vec::new());
        generator.clocks.iter().for_each(|(a, b)| from.swap(a.index(), b.index()));
        self.move_zone(space, state, &from);
    }

    /// Makes the zone that of a state that has been exchanged.
    fn move_zone<T: TimePart>(&self, space: &Space<T>, state: &mut State<T::Zone>, from: &[ClockId]) {
        if T::TIMED {
            let identity: Vec<ClockId>;
            let from = if fault::active(Fault::SymmetryZoneKept) {
                identity = (0..self.clocks).map(ClockId::new).collect();
                &identity
            } else {
                from
            };
            space.time.permute(&mut state.zone, from, &state.slots);
        }
        space.forget(&mut state.slots);
    }

    /// What discrete states and labels were before exchanges that have been done since; those are undone last first.
    pub fn undo_slots(&self, done: &[Exchanged], slots: &mut [i64]) {
        let mut scratch = Vec::new();
        done.iter().rev().for_each(|number| self.generators[number.0].apply(slots, &mut scratch));
    }

    /// The same for a label.
    pub fn undo_label(&self, done: &[Exchanged], label: &mut Label) {
        done.iter().rev().for_each(|number| self.generators[number.0].label(label));
    }

    /// All states that a state can be exchanged for, itself first; `None` if there are more than so many, or a limit
    /// is reached.
    pub fn orbit<T: TimePart>(
        &self,
        space: &Space<T>,
        state: State<T::Zone>,
        most: usize,
        limits: &Limits,
    ) -> Option<Vec<State<T::Zone>>> {
        let mut seen = std::collections::BTreeSet::new();
        let key = |state: &State<T::Zone>| {
            let bounds = space.time.entries(&state.zone).iter().map(|bound| bound.raw());
            (state.slots.clone(), bounds.collect::<Vec<i32>>())
        };
        seen.insert(key(&state));
        let mut all = vec![state];
        let mut next = 0;
        while next < all.len() {
            for number in 0..self.generators.len() {
                let mut other = all[next].clone();
                self.exchange(space, number, &mut other);
                if seen.insert(key(&other)) {
                    all.push(other);
                }
            }
            if all.len() > most || limits.check(0, 0).is_err() {
                return None;
            }
            next += 1;
        }
        Some(all)
    }
}
