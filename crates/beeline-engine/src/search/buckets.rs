//! A priority queue of few different priorities and many entries: one heap per priority, the lowest priority
//! first, and in it the greatest tie, and then the newest. (Dial, "Algorithm 360: shortest-path forest with
//! topological ordering", 1969; here the array is a tree, since priorities may be far apart.)

use super::Entry;
use std::collections::{BTreeMap, BinaryHeap};

/// What comes first: lower first, the second number within the first.
pub type Priority = (u32, u32);

/// An entry among those of the same priority.
#[derive(Copy, Clone, Debug)]
struct Ranked {
    tie: i64,
    /// Later ones have greater ones.
    number: u64,
    entry: Entry,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.tie, self.number).cmp(&(other.tie, other.number))
    }
}

/// The queue.
#[derive(Debug, Default)]
pub struct Buckets {
    buckets: BTreeMap<Priority, BinaryHeap<Ranked>>,
    /// Empty ones to use again.
    spare: Vec<BinaryHeap<Ranked>>,
    waiting: usize,
    pushed: u64,
}

impl Buckets {
    /// Adds an entry.
    pub fn push(&mut self, priority: Priority, tie: i64, entry: Entry) {
        self.pushed += 1;
        self.waiting += 1;
        let bucket = self.buckets.entry(priority).or_insert_with(|| self.spare.pop().unwrap_or_default());
        bucket.push(Ranked { tie, number: self.pushed, entry });
    }

    /// Takes the next entry, with its priority.
    pub fn pop(&mut self) -> Option<(Priority, Entry)> {
        let mut first = self.buckets.first_entry()?;
        let (priority, ranked) = (*first.key(), first.get_mut().pop()?);
        if first.get().is_empty() {
            self.spare.push(first.remove());
        }
        self.waiting -= 1;
        Some((priority, ranked.entry))
    }

    /// The priority of the next entry.
    pub fn first(&self) -> Option<Priority> {
        self.buckets.first_key_value().map(|(priority, _)| *priority)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Bytes in use, about.
    pub fn bytes(&self) -> u64 {
        (self.waiting * size_of::<Ranked>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_priority_then_greatest_tie_then_newest() {
        let mut buckets = Buckets::default();
        let pushed = [((2, 0), 9), ((1, 5), 0), ((1, 4), 1), ((1, 4), 7), ((1, 4), 7)];
        for (i, (priority, tie)) in pushed.into_iter().enumerate() {
            buckets.push(priority, tie, Entry::Found(i as u32));
        }
        assert_eq!(buckets.first(), Some((1, 4)));
        let order: Vec<Entry> = std::iter::from_fn(|| buckets.pop().map(|(_, entry)| entry)).collect();
        assert_eq!(order, [4, 3, 2, 1, 0].map(Entry::Found));
        assert!(buckets.is_empty());
    }
}
