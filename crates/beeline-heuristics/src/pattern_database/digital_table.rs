//! Distances of discrete states with digital clocks. A zone is looked up by the integer points of its closure: every run
//! from the zone can be rounded to one from some of them, so the least of their distances is the estimate.
//!
//! The unit of the table's clocks may be greater than that of the zone. Rounding to units keeps the order of moments, so
//! a bound on a difference of clocks becomes the next one that is a whole number of units.
//!
//! Points that the projection does not reach have no entry, and are passed over: the rounded run begins at one that is
//! reached.

use super::estimate;
use super::file::{Saved, Sink};
use beeline_abstraction::digitise::{Clocks, Counter, Digital};
use beeline_engine::graph::{Distance, States};
use beeline_engine::heuristic::{Estimate, ZoneView};
use beeline_engine::state::interner::{DiscreteId, Interner};
use beeline_engine::state::packing::Packer;
use beeline_ir::expr::Range;
use beeline_ir::layout::Layout;
use beeline_zones::Bound;
use std::io;

/// Entries that a look-up tries. The next one's distance is a lower bound, as entries are in order.
const TRIED: usize = 1 << 12;

/// The table.
#[derive(Debug)]
pub(super) struct DigitalTable {
    digital: Digital,
    /// Discrete parts, with the clocks left aside.
    packer: Packer,
    interner: Interner,
    /// Their caps, by counter: values that stand for all from there on.
    caps: Vec<u16>,
    /// Where the entries of each discrete part begin, and where those of the next one would.
    starts: Vec<u32>,
    /// By discrete part, its entries: the least distance first.
    distances: Vec<Distance>,
    /// The clock values of each entry.
    points: Vec<u16>,
    words: Vec<u64>,
    /// The zone looked up, in units, row by row over 0 and the counters; `None` for no bound.
    bounds: Vec<Option<i64>>,
    /// Look-ups that found no entry.
    pub(super) fallbacks: u64,
}

impl DigitalTable {
    /// The table of the states of a digital network.
    pub(super) fn new(states: &States, distances: &[Distance], digital: Digital) -> Self {
        let counters = &digital.counters;
        let packer = Packer::new(ranges(&digital));
        let mut interner = Interner::new(packer.words());
        let (mut slots, mut words) = (Vec::new(), Vec::new());
        let mut entries = Vec::with_capacity(states.nodes.len());
        let mut found: Vec<u16> = Vec::with_capacity(states.nodes.len() * counters.len());
        for (at, node) in states.nodes.iter().enumerate() {
            states.packer.unpack(states.interner.get(node.discrete), &mut slots);
            found.extend(counters.iter().map(|counter| std::mem::take(&mut slots[counter.slot]) as u16));
            packer.pack(&slots, &mut words);
            let (discrete, _) = interner.intern(Interner::code(&words), &words);
            entries.push((discrete, distances[node.number], at));
        }
        entries.sort_unstable();
        let mut starts = vec![0; interner.len() + 1];
        entries.iter().for_each(|(discrete, ..)| starts[discrete.index() + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let distances = entries.iter().map(|(_, distance, _)| *distance).collect();
        let point = |at: usize| &found[at * counters.len()..(at + 1) * counters.len()];
        let points = entries.iter().flat_map(|(.., at)| point(*at)).copied().collect();
        Self::with(digital, (packer, interner), starts, distances, points)
    }

    fn with(
        digital: Digital,
        (packer, interner): (Packer, Interner),
        starts: Vec<u32>,
        distances: Vec<Distance>,
        points: Vec<u16>,
    ) -> Self {
        let (mut slots, mut caps) = (Vec::new(), Vec::new());
        for discrete in (0..interner.len()).map(DiscreteId::at) {
            packer.unpack(interner.get(discrete), &mut slots);
            caps.extend((0..digital.counters.len()).map(|counter| digital.cap(&slots, counter)));
        }
        let (words, bounds) = (Vec::new(), Vec::new());
        Self { digital, packer, interner, caps, starts, distances, points, words, bounds, fallbacks: 0 }
    }

    /// Writes the table to a file: the unit, discrete parts, where the entries of each end, and the entries.
    pub(super) fn write(&self, sink: &mut Sink) -> io::Result<()> {
        sink.put(&self.digital.unit.to_le_bytes())?;
        sink.states(&self.interner)?;
        self.starts.iter().skip(1).try_for_each(|end| sink.put(&end.to_le_bytes()))?;
        sink.number(self.distances.len())?;
        for distance in &self.distances {
            sink.put(&distance.steps().unwrap_or(u32::MAX).to_le_bytes())?;
        }
        self.points.iter().try_for_each(|value| sink.put(&value.to_le_bytes()))
    }

    /// The table of a file, of a network with those clocks.
    pub(super) fn read(saved: &Saved, clocks: &Clocks<'_>) -> Result<Self, String> {
        let wrong = || "it has clock values that there cannot be".to_string();
        let mut body = saved.body();
        let unit = i64::from_le_bytes(body.array()?);
        let unit = clocks.units().into_iter().find(|known| *known == unit).ok_or_else(wrong)?;
        let digital = clocks.digital(unit).ok_or_else(wrong)?;
        let ranges = ranges(&digital);
        let packer = Packer::new(ranges.iter().copied());
        let interner = body.states(&packer, &ranges, size_of::<u32>())?;
        let mut starts = vec![0u32];
        for _ in 0..interner.len() {
            starts.push(u32::from_le_bytes(body.array()?));
        }
        let count = digital.counters.len();
        let entries = body.number(size_of::<u32>() + count * size_of::<u16>())?;
        let mut distances = Vec::with_capacity(entries);
        for _ in 0..entries {
            let steps = u32::from_le_bytes(body.array()?);
            distances.push(if steps == u32::MAX { Distance::INFINITE } else { Distance::new(steps) });
        }
        let mut points = Vec::with_capacity(entries * count);
        for _ in 0..entries * count {
            points.push(u16::from_le_bytes(body.array()?));
        }
        body.end()?;
        // Each discrete part has entries, the nearest first; no entry is left over.
        let within = starts.is_sorted_by(|one, next| one < next)
            && starts.last().is_some_and(|end| *end as usize == entries);
        let sorted = |extent: &[u32]| distances[extent[0] as usize..extent[1] as usize].is_sorted();
        if !within || !starts.windows(2).all(sorted) {
            return Err(wrong());
        }
        Ok(Self::with(digital, (packer, interner), starts, distances, points))
    }

    /// What the table is of.
    pub(super) fn digital(&self) -> &Digital {
        &self.digital
    }

    pub(super) fn entries(&self) -> usize {
        self.distances.len()
    }

    fn find(&mut self, slots: &[i64]) -> Option<DiscreteId> {
        self.packer.pack(slots, &mut self.words);
        self.interner.find(Interner::code(&self.words), &self.words)
    }

    fn of(&self, discrete: DiscreteId) -> std::ops::Range<usize> {
        self.starts[discrete.index()] as usize..self.starts[discrete.index() + 1] as usize
    }

    /// The estimate for a discrete state that can be reached in the projection, whatever the zone.
    pub(super) fn known(&mut self, slots: &[i64]) -> Option<Estimate> {
        let discrete = self.find(slots)?;
        Some(estimate(self.distances[self.of(discrete).start].steps()))
    }

    /// The estimate for a discrete state with a zone.
    pub(super) fn look_up(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        let Some(discrete) = self.find(slots) else {
            // Not reachable in the projection, so not in the network: no search asks.
            self.fallbacks += 1;
            return Estimate::ZERO;
        };
        self.round(zone);
        let entries = self.of(discrete);
        let known = entries.clone().take(TRIED).find(|at| self.holds(discrete, *at));
        let known = known.or_else(|| entries.clone().nth(TRIED)).unwrap_or_else(|| {
            self.fallbacks += 1;
            entries.start
        });
        estimate(self.distances[known].steps())
    }

    /// Takes the bounds of a zone, in units.
    fn round(&mut self, zone: &ZoneView<'_>) {
        let Self { digital: Digital { counters, unit, .. }, bounds, .. } = self;
        let row = |counter: &Counter| zone.clocks.binary_search(&counter.clock).ok().map(|at| at + 1);
        bounds.clear();
        for left in std::iter::once(Some(0)).chain(counters.iter().map(row)) {
            for right in std::iter::once(Some(0)).chain(counters.iter().map(row)) {
                let bound = match (left, right) {
                    (Some(left), Some(right)) => zone.matrix[left * zone.dim() + right],
                    // A clock is at least 0.
                    (Some(0), None) => Bound::ZERO_LE,
                    // A clock that does not matter may have any value.
                    _ => Bound::INFINITY,
                };
                bounds.push(bound.constant().map(|bound| at_least(bound.into(), *unit)));
            }
        }
    }

    /// Whether the zone has a point that an entry stands for, as far as pairs of clocks tell.
    fn holds(&self, discrete: DiscreteId, entry: usize) -> bool {
        let count = self.digital.counters.len();
        let of = |at: usize| at * count..(at + 1) * count;
        within(&self.points[of(entry)], &self.caps[of(discrete.index())], &self.bounds)
    }

    pub(super) fn bytes(&self) -> u64 {
        let entries = size_of_val(&*self.distances) + size_of_val(&*self.points);
        self.interner.bytes() + (entries + size_of_val(&*self.starts) + size_of_val(&*self.caps)) as u64
    }
}

/// The ranges of slots; those of counters are left aside.
fn ranges(digital: &Digital) -> Vec<Range> {
    let slots = Layout::of_network(&digital.network).slots;
    let mut ranges: Vec<Range> = slots.iter().map(|slot| slot.range).collect();
    for counter in &digital.counters {
        ranges[counter.slot] = Range::new(0, 0);
    }
    ranges
}

/// The least whole number of units that is no less than a bound.
fn at_least(bound: i64, unit: i64) -> i64 {
    -(-bound).div_euclid(unit)
}

/// Whether bounds allow a point; where it has the cap of a counter, that or any greater value.
fn within(point: &[u16], caps: &[u16], bounds: &[Option<i64>]) -> bool {
    let dim = point.len() + 1;
    let allows = |left: usize, right: usize, difference: i64| {
        bounds[left * dim + right].is_none_or(|bound| difference <= bound)
    };
    let value = |at: usize| i64::from(point[at]);
    (0..point.len()).all(|right| {
        // What is beyond the cap may be as far beyond it as a bound asks for.
        point[right] == caps[right]
            || (allows(0, right + 1, -value(right))
                && (0..point.len())
                    .all(|left| left == right || allows(left + 1, right + 1, value(left) - value(right))))
    }) && (0..point.len()).all(|left| allows(left + 1, 0, value(left)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_outwards() {
        let rounded: Vec<i64> = [-7, -6, -5, 0, 5, 6, 7].iter().map(|bound| at_least(*bound, 3)).collect();
        assert_eq!(rounded, [-2, -2, -1, 0, 2, 2, 3]);
    }

    /// The points of 0..=2 times 0..=4 within `lo <= x <= hi` and `x - y <= most`.
    fn points(lo: i64, hi: Option<i64>, most: Option<i64>) -> Vec<[u16; 2]> {
        let bounds = [Some(0), Some(-lo), Some(0), hi, Some(0), most, None, None, Some(0)];
        let all = (0..=2).flat_map(|x| (0..=4).map(move |y| [x, y]));
        all.filter(|point| within(point, &[2, 4], &bounds)).collect()
    }

    #[test]
    fn a_point_is_in_a_zone_if_pairs_of_its_values_are() {
        assert_eq!(points(1, Some(1), None), [[1, 0], [1, 1], [1, 2], [1, 3], [1, 4]]);
        assert_eq!(points(1, Some(1), Some(-1)), [[1, 2], [1, 3], [1, 4]]);
    }

    #[test]
    fn the_cap_stands_for_all_that_is_greater() {
        // x is 2 or more, so that y is at least 4; it may be more.
        assert_eq!(points(7, Some(9), Some(-2)), [[2, 4]]);
        // y would have to be at least 7, which its cap stands for.
        assert_eq!(points(1, None, Some(-6)), [[1, 4], [2, 4]]);
        // x is below its cap.
        assert_eq!(points(0, Some(1), Some(-4)), [[0, 4], [1, 4]]);
    }
}
