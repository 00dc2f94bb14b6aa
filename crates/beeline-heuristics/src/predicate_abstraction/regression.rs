//! Cartesian abstraction by regression: from the target backwards, layer by layer. What leads into the region of an
//! abstract state by a label is a region again; the literals that hold everywhere in it are an abstract state, one
//! layer further out if the label costs a step. One that is within another that is as near, or nearer, is left out.
//!
//! Abstract states are no partition: a state of the network may be in several of them, and the nearest counts.
//!
//! Graf and Saidi, "Construction of abstract state graphs with PVS", CAV 1997; Cartesian: Ball, Podelski, Rajamani,
//! "Boolean and Cartesian abstraction for model checking C programs", TACAS 2001; backwards, for distances: Hoffmann,
//! Smaus, Rybalchenko, Kupferschmid, Podelski, "Using predicate abstraction to generate heuristic functions in
//! UPPAAL", MoChArt 2006.

use super::predicates::{Literals, Predicates};
use super::set_trie::SetTrie;
use super::system::{Region, System};
use crate::factors::bits;
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use rustc_hash::FxHashSet;

/// Operations of an abstraction, beyond which no more layers are made.
const MOST_WORK: u64 = 1 << 32;

/// Why an abstract state is there.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// It is that goal.
    Goal(usize),
    /// That operator leads from it into that abstract state.
    Leads { operator: usize, to: usize },
}

/// An abstract state.
#[derive(Clone, Debug)]
pub(super) struct Abstract {
    /// Its literals, without what goes without saying.
    pub(super) literals: Literals,
    /// Its distance from the target.
    pub(super) layer: u32,
    pub(super) reason: Reason,
}

/// All abstract states from which the target can be reached, as far as they were made.
#[derive(Debug, Default)]
pub(super) struct Abstraction {
    /// By layer, ascending.
    pub(super) states: Vec<Abstract>,
    /// The same, for look-ups.
    pub(super) trie: SetTrie,
    /// How many layers there are.
    pub(super) layers: u32,
    /// Whether nothing leads into them from outside.
    pub(super) closed: bool,
}

/// Why a layer ends before its time.
enum End {
    Full,
    Stopped(StopReason),
}

impl From<StopReason> for End {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

impl Abstraction {
    /// The abstraction of a system by predicates, of so many abstract states at most: of those, complete layers.
    pub(super) fn new(
        system: &System,
        predicates: &Predicates,
        most: usize,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let mut making =
            Making { system, predicates, most, known: FxHashSet::default(), made: Self::default(), work: 0 };
        match making.layers(meter) {
            Err(End::Stopped(reason)) => return Err(reason),
            Err(End::Full) => making.made.drop_last(),
            Ok(()) => {}
        }
        Ok(making.made)
    }

    /// Leaves out the layer that is not complete.
    fn drop_last(&mut self) {
        let complete = self.layers;
        self.states.truncate(self.states.partition_point(|state| state.layer < complete));
        self.trie = SetTrie::default();
        for state in &self.states {
            self.trie.insert(bits::each(&state.literals).map(|literal| literal as u32), state.layer);
        }
    }

    /// The first of the abstract states nearest to the target that some literals allow.
    pub(super) fn nearest(&self, literals: &[u64]) -> Option<usize> {
        let within = |state: &Abstract| state.literals.iter().zip(literals).all(|(its, all)| its & !all == 0);
        self.states.iter().position(within)
    }

    pub(super) fn bytes(&self) -> usize {
        let words = self.states.first().map_or(0, |state| size_of_val(&*state.literals));
        self.states.len() * (size_of::<Abstract>() + words) + self.trie.bytes()
    }
}

struct Making<'a> {
    system: &'a System,
    predicates: &'a Predicates,
    most: usize,
    /// Sets of literals that there were.
    known: FxHashSet<Literals>,
    made: Abstraction,
    work: u64,
}

impl Making<'_> {
    fn layers(&mut self, meter: &Meter<'_>) -> Result<(), End> {
        for (at, goal) in self.system.goals.iter().enumerate() {
            self.add(goal, 0, Reason::Goal(at), meter)?;
        }
        let mut start = 0;
        loop {
            let layer = self.made.layers;
            let mut next = start;
            while next < self.made.states.len() {
                next += 1;
                self.expand(next - 1, false, layer, meter)?;
            }
            self.made.layers += 1;
            for at in start..next {
                self.expand(at, true, layer + 1, meter)?;
            }
            if next == self.made.states.len() {
                self.made.closed = true;
                return Ok(());
            }
            start = next;
        }
    }

    fn spend(&mut self, work: u64, meter: &Meter<'_>) -> Result<(), End> {
        self.work += work;
        meter.work(work)?;
        if self.work > MOST_WORK { Err(End::Full) } else { Ok(()) }
    }

    /// Adds what leads into an abstract state by labels that cost a step, or those that do not, to a layer.
    fn expand(&mut self, to: usize, costs: bool, layer: u32, meter: &Meter<'_>) -> Result<(), End> {
        let literals = &self.made.states[to].literals;
        let Some(region) = self.predicates.region(self.system, literals) else { return Ok(()) };
        let Some(region) = self.system.waiting(region) else { return Ok(()) };
        for (at, (operator, its)) in self.system.operators.iter().enumerate() {
            if *its != costs {
                continue;
            }
            self.spend(self.system.effort(operator), meter)?;
            if let Some(before) = self.system.before(&region, operator) {
                self.add(&before, layer, Reason::Leads { operator: at, to }, meter)?;
            }
        }
        Ok(())
    }

    /// Adds what a region becomes to a layer.
    fn add(&mut self, region: &Region, layer: u32, reason: Reason, meter: &Meter<'_>) -> Result<(), End> {
        self.spend(self.predicates.len() as u64, meter)?;
        let all = self.predicates.abstraction(self.system, region);
        if self.known.contains(&all) {
            return Ok(());
        }
        let mut looked = 0;
        let covered = self.made.trie.least(&all, &mut looked).is_some();
        self.spend(looked, meter)?;
        meter.allocate(2 * size_of_val(&*all) + size_of::<Abstract>())?;
        if covered {
            self.known.insert(all);
            return Ok(());
        }
        if self.made.states.len() >= self.most {
            return Err(End::Full);
        }
        let literals = self.predicates.essential(&all);
        self.known.insert(all);
        self.made.trie.insert(bits::each(&literals).map(|literal| literal as u32), layer);
        self.made.states.push(Abstract { literals, layer, reason });
        Ok(())
    }
}
