//! How far counters count: what is beyond all constants that may still matter is alike. Which may matter depends on the
//! locations of a state, as the bounds of zones do.

use super::Counter;
use super::scale::Scale;
use beeline_ir::layout::Layout;
use beeline_program::Program;
use beeline_program::clock_bounds::{Bounds, ClockBounds};

/// Caps, by counter: the greatest value, which stands for all from there on.
type Caps = Vec<u16>;

/// The caps of all states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Horizon {
    /// In any state at least.
    everywhere: Caps,
    /// For the slot of a process's location: at least, by location.
    locations: Vec<(usize, Vec<Caps>)>,
}

impl Horizon {
    /// For counters that are slots of a layout.
    pub(super) fn new(scale: &Scale<'_>, counters: &[Counter], layout: &Layout) -> Self {
        let network = scale.clocks.network;
        let bounds = ClockBounds::compute(network, &Program::compile(network), &[]);
        // What fits all constants of a counter.
        let most = |counter: &Counter| scale.counter(counter.clock).map_or(0, |(_, cap)| cap);
        let asked = |counter: &Counter| scale.clocks.asked.contains(&counter.clock);
        let everywhere = counters.iter().map(|counter| if asked(counter) { most(counter) as u16 } else { 0 });
        let caps = |bounds: &Bounds| -> Caps {
            let cap = |counter: &Counter| {
                let at = counter.clock.index();
                let greatest = bounds.lower[at].max(bounds.upper[at]);
                greatest.map_or(0, |greatest| scale.cap(greatest).min(most(counter)) as u16)
            };
            counters.iter().map(cap).collect()
        };
        let locations = bounds.locations.enumerate().map(|(id, locations)| {
            let caps: Vec<Caps> = locations.iter().map(caps).collect();
            (layout.location[id], caps)
        });
        let matters = |(_, caps): &(usize, Vec<Caps>)| caps.iter().flatten().any(|cap| *cap > 0);
        Self { everywhere: everywhere.collect(), locations: locations.filter(matters).collect() }
    }

    /// The cap of a counter in a state.
    pub(super) fn cap(&self, state: &[i64], counter: usize) -> u16 {
        let here = self.locations.iter().map(|(slot, caps)| caps[state[*slot] as usize][counter]);
        here.max().unwrap_or(0).max(self.everywhere[counter])
    }
}
