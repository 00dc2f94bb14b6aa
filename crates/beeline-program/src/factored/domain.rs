//! The values of slots, numbered. Values that a slot never gets have numbers, too, if they lie between others, but are
//! none of its values: what updates make of them nobody knows. A slot with too many values, or one that other things
//! than variables and locations are kept in (messages, numbers of processes, the token), is not tracked.

use super::FactId;
use beeline_ir::expr::Range;
use beeline_ir::id::Id;
use beeline_ir::layout::{Layout, SlotKind};

/// Values of an integer that are tracked.
pub(super) const MOST_VALUES: u128 = 1 << 10;
/// Values of all slots together.
const MOST_FACTS: usize = 1 << 22;

/// The values of the tracked slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domains {
    /// By slot: the least value, the number of values (0 if it is not tracked), and the first fact.
    slots: Vec<Domain>,
    /// The slot of each fact.
    owner: Vec<u32>,
    /// Whether it can be the case.
    possible: Vec<bool>,
    /// The most values that a slot is declared with that is not tracked.
    left_out: u128,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Domain {
    least: i64,
    size: u32,
    first: u32,
    /// How many of them are possible.
    count: u32,
    /// Whether these are all that the slot is declared with.
    whole: bool,
}

/// Whether a slot holds a variable.
pub(super) fn variable(kind: SlotKind) -> bool {
    matches!(kind, SlotKind::Cell(..))
}

impl Domains {
    /// The values that slots are declared with, or, where these are too many, those they were found to get.
    pub(super) fn new(layout: &Layout, found: &[Option<Vec<i64>>]) -> Self {
        let mut domains = Self { slots: Vec::new(), owner: Vec::new(), possible: Vec::new(), left_out: 0 };
        for (slot, declared) in layout.slots.iter().enumerate() {
            let found = found[slot].as_deref();
            let range = match found {
                Some([least, .., greatest]) => Range::new(*least, *greatest),
                Some([only]) => Range::new(*only, *only),
                Some([]) | None => declared.range,
            };
            let size = range.size();
            let tracked = match declared.kind {
                SlotKind::Location(_) => true,
                kind => variable(kind) && size <= MOST_VALUES,
            };
            let fits = tracked && domains.owner.len() as u128 + size <= MOST_FACTS as u128;
            domains.left_out = if fits { domains.left_out } else { domains.left_out.max(size) };
            let first = domains.owner.len() as u32;
            let size = if fits { size as u32 } else { 0 };
            domains.owner.extend((0..size).map(|_| slot as u32));
            let possible = |value: i64| found.is_none_or(|found| found.binary_search(&value).is_ok());
            domains.possible.extend((0..i64::from(size)).map(|offset| possible(range.lo + offset)));
            let count =
                domains.possible[first as usize..].iter().filter(|possible| **possible).count() as u32;
            let whole = range == declared.range && count == size;
            domains.slots.push(Domain { least: range.lo, size, first, count, whole });
        }
        domains
    }

    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.slots) + size_of_val(&*self.owner) + size_of_val(&*self.possible)
    }
    /// Number of facts.
    pub fn facts(&self) -> usize {
        self.owner.len()
    }
    /// Whether some slot with more than one value is not tracked.
    pub fn leaves_out(&self) -> bool {
        self.left_out > 1
    }
    /// The most values that a slot is declared with that is not tracked; 0 if there is none.
    pub fn left_out(&self) -> u128 {
        self.left_out
    }
    /// Number of slots.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }
    /// Whether a slot is tracked.
    pub fn tracks(&self, slot: usize) -> bool {
        self.slots[slot].size > 0
    }
    /// Whether the values of a slot are all that it is declared with.
    pub fn whole(&self, slot: usize) -> bool {
        self.slots[slot].whole
    }
    /// Number of values of a slot, 0 if it is not tracked.
    pub fn count(&self, slot: usize) -> usize {
        self.slots[slot].count as usize
    }
    /// Number of facts of a slot, 0 if it is not tracked.
    pub fn size(&self, slot: usize) -> usize {
        self.slots[slot].size as usize
    }
    /// The fact that a slot has a value, if it is tracked and can have it.
    #[inline]
    pub fn fact(&self, slot: usize, value: i64) -> Option<FactId> {
        let Domain { least, size, first, .. } = self.slots[slot];
        let offset = value.checked_sub(least).and_then(|o| u32::try_from(o).ok()).filter(|o| *o < size)?;
        let fact = (first + offset) as usize;
        self.possible[fact].then(|| FactId::new(fact))
    }
    /// The slot of a fact.
    #[inline]
    pub fn slot(&self, fact: FactId) -> usize {
        self.owner[fact.index()] as usize
    }
    /// The value of a fact.
    pub fn value(&self, fact: FactId) -> i64 {
        let Domain { least, first, .. } = self.slots[self.slot(fact)];
        least + (fact.index() as i64 - i64::from(first))
    }
    /// All values of a slot.
    pub fn values(&self, slot: usize) -> impl Iterator<Item = i64> + Clone + '_ {
        let Domain { least, size, first, .. } = self.slots[slot];
        let possible = &self.possible[first as usize..(first + size) as usize];
        (least..).zip(possible).filter_map(|(value, possible)| possible.then_some(value))
    }
    /// All facts of a slot.
    pub fn facts_of(&self, slot: usize) -> impl Iterator<Item = FactId> + use<> {
        let Domain { size, first, .. } = self.slots[slot];
        (first..first + size).map(|fact| FactId::new(fact as usize))
    }
    /// The facts that hold in a state, and their slots.
    pub fn facts_in<'a>(&'a self, slots: &'a [i64]) -> impl Iterator<Item = FactId> + 'a {
        self.slots.iter().zip(slots).filter_map(|(domain, value)| {
            let offset = u32::try_from(value.wrapping_sub(domain.least)).ok()?;
            (offset < domain.size).then(|| FactId::new((domain.first + offset) as usize))
        })
    }
}
