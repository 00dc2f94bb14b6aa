//! A tree of sets: each is a path of its elements in ascending order, and sets that begin alike share that part of it. The
//! question is for the least number of all sets that are within a given one; only paths of its elements are followed, and
//! only as long as they may lead to less.
//!
//! Hoffmann and Koehler, "A new method to index and query sets", IJCAI 1999 ("unlimited branching trees"); the least number
//! below each node is ours.

use crate::factors::bits;

/// A node: the last element of all sets whose paths go through it.
#[derive(Copy, Clone, Debug)]
struct Node {
    element: u32,
    /// The next one with the same parent.
    sibling: Option<u32>,
    child: Option<u32>,
    /// The number of the set that ends here.
    ends: Option<u32>,
    /// The least number of those that end here or below.
    least: u32,
}

/// Sets of small numbers, each with a number.
#[derive(Clone, Debug)]
pub(super) struct SetTrie {
    /// The first one is that of the empty set.
    nodes: Vec<Node>,
}

impl Default for SetTrie {
    fn default() -> Self {
        Self { nodes: vec![Node::of(0)] }
    }
}

impl Node {
    fn of(element: u32) -> Self {
        Self { element, sibling: None, child: None, ends: None, least: u32::MAX }
    }
}

impl SetTrie {
    /// Adds a set, ascending; of several numbers the least counts.
    pub(super) fn insert(&mut self, set: impl Iterator<Item = u32>, number: u32) {
        let mut at = 0;
        self.nodes[at].least = self.nodes[at].least.min(number);
        for element in set {
            at = self.child(at, element);
            self.nodes[at].least = self.nodes[at].least.min(number);
        }
        let ends = &mut self.nodes[at].ends;
        *ends = Some(ends.map_or(number, |known| known.min(number)));
    }

    /// The child of a node for an element, made if there is none. Children ascend.
    fn child(&mut self, at: usize, element: u32) -> usize {
        let (mut before, mut next) = (None, self.nodes[at].child);
        while let Some(child) = next {
            let node = self.nodes[child as usize];
            if node.element >= element {
                break;
            }
            (before, next) = (Some(child), node.sibling);
        }
        if let Some(child) = next.filter(|child| self.nodes[*child as usize].element == element) {
            return child as usize;
        }
        let made = self.nodes.len();
        self.nodes.push(Node { sibling: next, ..Node::of(element) });
        match before {
            Some(before) => self.nodes[before as usize].sibling = Some(made as u32),
            None => self.nodes[at].child = Some(made as u32),
        }
        made
    }

    /// The least number of all sets within a given one, which has a bit for each element. Counts the nodes it looks at.
    pub(super) fn least(&self, within: &[u64], looked: &mut u64) -> Option<u32> {
        let mut best = u32::MAX;
        self.search(0, within, &mut best, looked);
        (best < u32::MAX).then_some(best)
    }

    fn search(&self, at: usize, within: &[u64], best: &mut u32, looked: &mut u64) {
        let node = &self.nodes[at];
        *looked += 1;
        *best = (*best).min(node.ends.unwrap_or(u32::MAX));
        let mut next = node.child;
        while let Some(child) = next {
            let node = &self.nodes[child as usize];
            *looked += 1;
            if node.least < *best && bits::has(within, node.element as usize) {
                self.search(child as usize, within, best, looked);
            }
            next = node.sibling;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oorandom::Rand32;

    const ELEMENTS: usize = 70;

    fn set(rand: &mut Rand32, one_of: u32) -> Vec<u64> {
        let mut set = vec![0; bits::words(ELEMENTS)];
        (0..ELEMENTS).filter(|_| rand.rand_range(0..one_of) == 0).for_each(|at| bits::put(&mut set, at));
        set
    }

    /// O13: as a look at all of them.
    #[test]
    fn the_least_subset_is_that_of_a_linear_scan() {
        let mut rand = Rand32::new(13);
        let (mut found, mut none) = (0, 0);
        for _ in 0..200 {
            let mut trie = SetTrie::default();
            let count = rand.rand_range(0..60);
            let sets: Vec<(Vec<u64>, u32)> =
                (0..count).map(|_| (set(&mut rand, 25), rand.rand_range(0..9))).collect();
            sets.iter().for_each(|(set, number)| trie.insert(bits::each(set).map(|at| at as u32), *number));
            for _ in 0..20 {
                let query = set(&mut rand, 2);
                let within = |set: &[u64]| set.iter().zip(&query).all(|(set, query)| set & !query == 0);
                let least = sets.iter().filter(|(set, _)| within(set)).map(|(_, number)| *number).min();
                assert_eq!(trie.least(&query, &mut 0), least);
                found += usize::from(least.is_some());
                none += usize::from(least.is_none());
            }
        }
        assert!(found > 1000 && none > 100, "{found} {none}");
    }
}
