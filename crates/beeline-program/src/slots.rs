//! Sets of state slots, for what a routine reads and writes. Arrays make long runs, so runs are what is stored.

use std::ops::Range;

/// A set of slots: disjoint, non-adjacent runs in ascending order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SlotSet {
    runs: Vec<Range<usize>>,
}

impl SlotSet {
    /// Adds one slot.
    pub fn insert(&mut self, slot: usize) {
        self.insert_run(slot..slot + 1);
    }
    /// Adds a run of slots.
    pub fn insert_run(&mut self, run: Range<usize>) {
        if run.is_empty() {
            return;
        }
        // Everything that overlaps or touches the new run melts into it.
        let from = self.runs.partition_point(|r| r.end < run.start);
        let to = self.runs.partition_point(|r| r.start <= run.end);
        let start = self.runs.get(from).map_or(run.start, |r| r.start.min(run.start));
        let end = if to > 0 { self.runs[to - 1].end.max(run.end) } else { run.end };
        let merged = if from < to { start..end } else { run };
        self.runs.splice(from..to, [merged]);
    }
    /// Adds all of another set; tells whether that made this one larger.
    pub fn extend(&mut self, other: &SlotSet) -> bool {
        let before = self.len();
        for run in &other.runs {
            self.insert_run(run.clone());
        }
        self.len() != before
    }
    /// Whether the slot is in the set.
    pub fn contains(&self, slot: usize) -> bool {
        let at = self.runs.partition_point(|r| r.end <= slot);
        self.runs.get(at).is_some_and(|r| r.start <= slot)
    }
    /// Whether the sets have a slot in common.
    pub fn meets(&self, other: &SlotSet) -> bool {
        let (mut mine, mut theirs) = (self.runs.iter().peekable(), other.runs.iter().peekable());
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            if a.end <= b.start {
                mine.next();
            } else if b.end <= a.start {
                theirs.next();
            } else {
                return true;
            }
        }
        false
    }
    /// The slots that are in both sets, ascending.
    pub fn common<'a>(&'a self, other: &'a SlotSet) -> impl Iterator<Item = usize> + 'a {
        self.runs.iter().flat_map(|run| {
            let from = other.runs.partition_point(|theirs| theirs.end <= run.start);
            let overlapping = other.runs[from..].iter().take_while(|theirs| theirs.start < run.end);
            overlapping.flat_map(|theirs| theirs.start.max(run.start)..theirs.end.min(run.end))
        })
    }
    /// Number of slots.
    pub fn len(&self) -> usize {
        self.runs.iter().map(ExactSizeIterator::len).sum()
    }
    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
    /// All slots, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.runs.iter().flat_map(Clone::clone)
    }
    /// The runs, ascending.
    pub fn runs(&self) -> &[Range<usize>] {
        &self.runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_a_bit_mask_on_all_small_insertions() {
        let runs: Vec<Range<usize>> = (0..5).flat_map(|a| (a..6).map(move |b| a..b)).collect();
        let mask = |r: &Range<usize>| r.clone().fold(0u32, |m, s| m | 1 << s);
        for a in &runs {
            for b in &runs {
                for c in &runs {
                    let mut set = SlotSet::default();
                    set.insert_run(a.clone());
                    set.insert_run(b.clone());
                    let larger =
                        set.extend(&SlotSet { runs: Vec::from_iter((!c.is_empty()).then(|| c.clone())) });
                    let before = mask(a) | mask(b);
                    let expected = before | mask(c);
                    assert_eq!(larger, expected != before);
                    assert_eq!(set.iter().fold(0, |m, s| m | 1 << s), expected);
                    assert!(set.runs.windows(2).all(|w| w[0].end < w[1].start), "runs are apart: {set:?}");
                    assert!((0..7).all(|s| set.contains(s) == (expected >> s & 1 == 1)));
                    let mut other = SlotSet::default();
                    other.insert_run(c.clone());
                    let mut first = SlotSet::default();
                    first.insert_run(a.clone());
                    first.insert_run(b.clone());
                    assert_eq!(first.meets(&other), before & mask(c) != 0);
                    let common = |x: &SlotSet, y: &SlotSet| x.common(y).fold(0, |m, s| m | 1 << s);
                    assert_eq!(common(&first, &other), before & mask(c));
                    assert_eq!(common(&other, &first), before & mask(c));
                }
            }
        }
    }
}
