//! Distances of discrete states with zones: the abstract zone graph of Kupferschmid and Wehrle.
//!
//! A state of the network is looked up among the entries of its discrete part whose zones *simulate* its own: whatever can
//! be done from some of its clock values can be done from some of theirs. The greatest of their distances is the
//! estimate. Simulation is judged by the bounds that matter in the state of the network; plain inclusion would miss
//! entries, for the zones of network and projection are made coarser by different bounds.

use super::estimate;
use super::file::{Saved, Sink};
use beeline_engine::graph::{Distance, Known, States};
use beeline_engine::heuristic::{Estimate, ZoneView};
use beeline_engine::state::interner::{DiscreteId, Interner};
use beeline_engine::state::packing::Packer;
use beeline_engine::state::zone_store::{self, ZoneId, ZoneStore};
use beeline_ir::ClockId;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::expr::Range;
use beeline_zones::fault::{self, Fault};
use beeline_zones::{Bound, ClockBound, ops};
use std::io;

/// A zone and its distance.
#[derive(Copy, Clone, Debug)]
struct Entry {
    zone: ZoneId,
    distance: Distance,
}

/// The table.
#[derive(Debug)]
pub(super) struct ZoneTable {
    states: States,
    /// By discrete part, its entries; the greatest distance first.
    entries: Vec<Entry>,
    /// Where those of each discrete part begin, and where those of the next one would.
    starts: Vec<u32>,
    words: Vec<u64>,
    /// The row in the table's zones, by row of the zone that is looked up.
    rows: Vec<Option<usize>>,
    /// Look-ups that no entry included.
    pub(super) fallbacks: u64,
}

impl ZoneTable {
    /// The table of a graph's states.
    pub(super) fn new(states: States, distances: &[Distance]) -> Self {
        Self::numbered(states, distances).0
    }

    /// The same, and the number of the node of each entry.
    pub(super) fn numbered(mut states: States, distances: &[Distance]) -> (Self, Vec<usize>) {
        let mut nodes = std::mem::take(&mut states.nodes);
        states.interner = states.interner.compact();
        let distance = |node: &Known| distances[node.number];
        nodes.sort_by_key(|node| (node.discrete, std::cmp::Reverse(distance(node))));
        let mut starts = vec![0; states.interner.len() + 1];
        nodes.iter().for_each(|node| starts[node.discrete.index() + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let entries = nodes.iter().map(|node| Entry { zone: node.zone, distance: distance(node) }).collect();
        let numbers = nodes.iter().map(|node| node.number).collect();
        (Self { states, entries, starts, words: Vec::new(), rows: Vec::new(), fallbacks: 0 }, numbers)
    }

    /// Writes the table to a file: sets of clocks, zones, discrete parts, and by discrete part the number of its set and
    /// its entries.
    pub(super) fn write(&self, sink: &mut Sink) -> io::Result<()> {
        let Self { states, entries, starts, .. } = self;
        sink.number(states.sets().len())?;
        for set in states.sets() {
            sink.number(set.len())?;
            set.iter().try_for_each(|clock| sink.number(clock.index()))?;
        }
        sink.number(states.zones.len())?;
        for zone in (0..states.zones.len()).map(|at| states.zones.get(ZoneId::at(at))) {
            sink.number(zone.len())?;
            zone.iter().try_for_each(|bound| sink.put(&bound.raw().to_le_bytes()))?;
        }
        sink.states(&states.interner)?;
        for discrete in (0..states.interner.len()).map(DiscreteId::at) {
            sink.put(&states.set_of(discrete).to_le_bytes())?;
            sink.put(&starts[discrete.index() + 1].to_le_bytes())?;
        }
        sink.number(entries.len())?;
        entries.iter().try_for_each(|entry| {
            sink.put(&(entry.zone.index() as u32).to_le_bytes())?;
            sink.put(&entry.distance.steps().unwrap_or(u32::MAX).to_le_bytes())
        })
    }

    /// The table of a file, whose slots have those ranges, with so many clocks.
    pub(super) fn read(saved: &Saved, ranges: &[Range], clocks: usize) -> Result<Self, String> {
        let wrong = || "it has zones that there cannot be".to_string();
        let mut body = saved.body();
        let mut sets = Vec::new();
        for _ in 0..body.number(8)? {
            let mut set = Vec::new();
            for _ in 0..body.number(8)? {
                let clock = u64::from_le_bytes(body.array()?);
                set.push(usize::try_from(clock).ok().filter(|clock| *clock < clocks).ok_or_else(wrong)?);
            }
            if !set.is_sorted_by(|one, next| one < next) {
                return Err(wrong());
            }
            sets.push(set.into_iter().map(ClockId::new).collect::<Vec<ClockId>>());
        }
        let mut zones = ZoneStore::default();
        let mut zone = Vec::new();
        for at in 0..body.number(8)? {
            zone.clear();
            for _ in 0..body.number(4)? {
                let bound = i32::from_le_bytes(body.array()?);
                zone.push(Bound::try_from_raw(bound).ok_or_else(wrong)?);
            }
            let fits = ops::is_canonical(&zone, zone.len().isqrt());
            if !fits || zones.intern(zone_store::code(&zone), &zone) != ZoneId::at(at) {
                return Err(wrong());
            }
        }
        let packer = Packer::new(ranges.iter().copied());
        let interner = body.states(&packer, ranges, 8)?;
        let (mut set_of, mut starts) = (Vec::new(), vec![0u32]);
        for _ in 0..interner.len() {
            set_of.push(u32::from_le_bytes(body.array()?));
            starts.push(u32::from_le_bytes(body.array()?));
        }
        let mut entries = Vec::new();
        for _ in 0..body.number(8)? {
            let zone = u32::from_le_bytes(body.array()?) as usize;
            let steps = u32::from_le_bytes(body.array()?);
            let distance = if steps == u32::MAX { Distance::INFINITE } else { Distance::new(steps) };
            entries.push(Entry { zone: ZoneId::at(zone), distance });
        }
        body.end()?;
        // Each discrete part has entries of zones over its clocks, the farthest first; no entry is left over.
        let within = starts.is_sorted() && starts.last().is_some_and(|end| *end as usize == entries.len());
        let sound = within
            && starts.windows(2).zip(&set_of).all(|(extent, set)| {
                let entries = &entries[extent[0] as usize..extent[1] as usize];
                let Some(dim) = sets.get(*set as usize).map(|set| set.len() + 1) else { return false };
                let fits = |entry: &Entry| {
                    entry.zone.index() < zones.len() && zones.get(entry.zone).len() == dim * dim
                };
                entries.iter().all(fits) && entries.is_sorted_by(|one, next| one.distance >= next.distance)
            });
        if !sound {
            return Err(wrong());
        }
        let states = States::new(packer, interner, zones, set_of, sets);
        Ok(Self { states, entries, starts, words: Vec::new(), rows: Vec::new(), fallbacks: 0 })
    }

    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    fn find(&mut self, slots: &[i64]) -> Option<DiscreteId> {
        self.states.packer.pack(slots, &mut self.words);
        self.states.interner.find(Interner::code(&self.words), &self.words)
    }

    /// The places of the entries of a discrete part.
    fn places(&self, discrete: DiscreteId) -> std::ops::Range<usize> {
        let at = discrete.index();
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    fn of(&self, discrete: DiscreteId) -> &[Entry] {
        &self.entries[self.places(discrete)]
    }

    /// The estimate for a discrete state that can be reached in the projection, whatever the zone.
    pub(super) fn known(&mut self, slots: &[i64]) -> Option<Estimate> {
        let discrete = self.find(slots)?;
        self.of(discrete).last().map(|entry| estimate(entry.distance.steps()))
    }

    /// The estimate for a discrete state with a zone.
    pub(super) fn look_up(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        let Some(discrete) = self.find(slots) else {
            // Not reachable in the projection, so not in the network: no search asks.
            self.fallbacks += 1;
            return Estimate::ZERO;
        };
        let clocks = self.states.clocks(discrete);
        match_rows(zone.clocks, clocks, &mut self.rows);
        let dim = clocks.len() + 1;
        let includes = |entry: &&Entry| {
            let theirs = self.states.zones.get(entry.zone);
            simulated(zone, theirs, dim, &self.rows)
        };
        let entries = self.of(discrete);
        let found = entries.iter().find(includes);
        // One of them is what the network's state is projected to.
        let entry = found.or(entries.last()).copied();
        self.fallbacks += u64::from(found.is_none());
        estimate(entry.map_or(Distance::ZERO, |entry| entry.distance).steps())
    }

    /// The places of the entries that simulate a discrete state with a zone, all of them; or, where none does, of those of
    /// the discrete state, one of which stands for it. Whether they simulate it.
    pub(super) fn simulating(&mut self, slots: &[i64], zone: &ZoneView<'_>, found: &mut Vec<usize>) -> bool {
        found.clear();
        let Some(discrete) = self.find(slots) else { return false };
        let clocks = self.states.clocks(discrete);
        match_rows(zone.clocks, clocks, &mut self.rows);
        let dim = clocks.len() + 1;
        let places = self.places(discrete);
        found.extend(
            places
                .clone()
                .filter(|at| simulated(zone, self.states.zones.get(self.entries[*at].zone), dim, &self.rows)),
        );
        let simulates = !found.is_empty();
        if !simulates {
            self.fallbacks += 1;
            found.extend(places);
        }
        simulates
    }

    /// The places of the entries of a discrete state.
    pub(super) fn all_of(&mut self, slots: &[i64], found: &mut Vec<usize>) {
        found.clear();
        if let Some(discrete) = self.find(slots) {
            found.extend(self.places(discrete));
        }
    }

    /// The greatest distance of entries that include the zone as it is, whatever clock values stand for others.
    pub(super) fn look_up_rows(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        let Some(discrete) = self.find(slots) else { return Estimate::ZERO };
        let clocks = self.states.clocks(discrete);
        match_rows(clocks, zone.clocks, &mut self.rows);
        let includes = |entry: &&Entry| included(zone, self.states.zones.get(entry.zone), &self.rows);
        let found = self.of(discrete).iter().find(includes);
        found.map_or(Estimate::ZERO, |entry| estimate(entry.distance.steps()))
    }

    /// Shows all entries, until someone has seen enough; false then.
    pub(super) fn all(&self, mut show: impl FnMut(&[i64], Vec<ZoneConstraint>, Estimate) -> bool) -> bool {
        let mut slots = Vec::new();
        (0..self.states.interner.len()).all(|at| {
            let discrete = DiscreteId::at(at);
            self.states.packer.unpack(self.states.interner.get(discrete), &mut slots);
            let clocks = self.states.clocks(discrete);
            let bounds = vec![ClockBound::NONE; clocks.len() + 1];
            self.of(discrete).iter().all(|entry| {
                let matrix = self.states.zones.get(entry.zone);
                let zone = ZoneView { clocks, lower: &bounds, upper: &bounds, matrix, simulates: false };
                show(&slots, zone.constraints(), estimate(entry.distance.steps()))
            })
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.states.bytes() + (size_of_val(&*self.entries) + size_of_val(&*self.starts)) as u64
    }
}

/// For each row of a zone, that of the same clock in another one; both have their clocks in order.
fn match_rows(clocks: &[ClockId], theirs: &[ClockId], rows: &mut Vec<Option<usize>>) {
    rows.clear();
    rows.push(Some(0));
    let mut at = 0;
    for clock in clocks {
        while theirs.get(at).is_some_and(|their| their < clock) {
            at += 1;
        }
        rows.push((theirs.get(at) == Some(clock)).then_some(at + 1));
    }
}

/// Whether another zone includes a zone; `rows` has the row of each of its clocks in that zone, where a clock that has
/// none may have any value.
fn included(zone: &ZoneView<'_>, theirs: &[Bound], rows: &[Option<usize>]) -> bool {
    let own = zone.dim();
    (0..rows.len()).all(|left| {
        (0..rows.len()).all(|right| {
            let bound = match (rows[left], rows[right]) {
                (Some(left), Some(right)) => zone.matrix[left * own + right],
                // A clock is at least 0.
                (Some(left), None) => zone.matrix[left * own],
                (None, _) => Bound::INFINITY,
            };
            left == right || theirs[left * rows.len() + right] >= bound
        })
    })
}

/// Whether each clock value of a zone is simulated by one of another, which has `dim` rows: the test of
/// [`beeline_zones::simulation`], across frames. A clock that the other zone has no row for is unbounded there, and then
/// a pair with it never fails where the pairs without it hold.
fn simulated(zone: &ZoneView<'_>, theirs: &[Bound], dim: usize, rows: &[Option<usize>]) -> bool {
    let own = zone.dim();
    let plain = !zone.simulates || fault::active(Fault::LookUpByInclusion);
    for (x, row) in rows.iter().enumerate() {
        let Some(their_x) = row else { continue };
        let least = zone.matrix[x];
        if !plain {
            // Without U(x) every value of x may rise.
            let Some(upper) = zone.upper[x].get() else { continue };
            if least < Bound::le(-upper) {
                continue;
            }
        }
        for (y, row) in rows.iter().enumerate() {
            let Some(their_y) = row else { continue };
            let bound = theirs[their_y * dim + their_x];
            if x == y || bound >= zone.matrix[y * own + x] {
                continue;
            }
            if plain {
                return false;
            }
            // Without L(y) every value of y may fall.
            let Some(lower) = zone.lower[y].get() else { continue };
            if bound + Bound::lt(-lower) < least {
                return false;
            }
        }
    }
    true
}
