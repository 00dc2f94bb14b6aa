//! Which edges of a location are worth looking at. A location often has many edges that ask for different values of one
//! variable; its value rules out most of them at once.

use super::table::Way;
use beeline_ir::layout::Layout;
use beeline_program::shortcut::Test;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// For each value of a slot, the edges that this value alone does not rule out, in order.
#[derive(Clone, Debug)]
pub struct Switch {
    slot: usize,
    least: i64,
    /// Where the edges of each value end.
    ends: Box<[u32]>,
    /// Positions of edges.
    edges: Box<[u32]>,
}

impl Switch {
    /// By the slot with the most edges that ask for one value of it; `None` if they are too few for it to pay.
    pub fn of(ways: &[Way], layout: &Layout) -> Option<Self> {
        const FEWEST_EDGES: usize = 3;
        const MOST_VALUES: u128 = 16;
        let tests = |way: &Way| way.choice.as_ref().map_or(Box::default(), |choice| choice.tests.clone());
        let tests: Vec<Box<[Test]>> = ways.iter().map(tests).collect();
        let mut asked: BTreeMap<usize, usize> = BTreeMap::new();
        for tests in &tests {
            let mut slots: Vec<usize> = tests.iter().filter_map(Test::asks_for).collect();
            slots.sort_unstable();
            slots.dedup();
            slots.into_iter().for_each(|slot| *asked.entry(slot).or_default() += 1);
        }
        let small = |slot: usize| layout.slots[slot].range.size() <= MOST_VALUES;
        let often = asked.into_iter().filter(|(slot, edges)| *edges >= FEWEST_EDGES && small(*slot));
        let (slot, _) = { often }.max_by_key(|(slot, edges)| (*edges, Reverse(*slot)))?;
        let range = layout.slots[slot].range;
        let (mut ends, mut edges) = (Vec::new(), Vec::new());
        for value in range.lo..=range.hi {
            let rules_out = |test: &Test| test.alone_about() == Some(slot) && !test.holds_for(value);
            let left = tests.iter().enumerate().filter(|(_, tests)| !tests.iter().any(rules_out));
            edges.extend(left.filter_map(|(position, _)| u32::try_from(position).ok()));
            ends.push(u32::try_from(edges.len()).ok()?);
        }
        Some(Self { slot, least: range.lo, ends: ends.into(), edges: edges.into() })
    }

    /// The slot whose value it is about.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// The edges for the value of the slot in a state.
    #[inline]
    pub fn edges(&self, slots: &[i64]) -> &[u32] {
        let value = (slots[self.slot] - self.least) as usize;
        let start = value.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start as usize..self.ends[value] as usize]
    }
}
