//! The discrete parts of all states seen, each stored once in one flat arena, found through a hash table of ids.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The id of an interned discrete state.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DiscreteId(u32);

impl DiscreteId {
    /// The one at a position of the arena.
    pub fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 discrete states fit in memory"))
    }
    /// The position in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All discrete states seen.
#[derive(Debug)]
pub struct Interner {
    words: usize,
    arena: Vec<u64>,
    table: HashTable<u32>,
}

fn hash(words: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for word in words {
        hasher.write_u64(*word);
    }
    hasher.finish()
}

impl Interner {
    /// An empty store for states of that many words.
    pub fn new(words: usize) -> Self {
        Self { words, arena: Vec::new(), table: HashTable::new() }
    }

    /// The hash of a state.
    #[inline]
    pub fn code(state: &[u64]) -> u64 {
        hash(state)
    }

    /// The id of a state with that hash, if it has been seen.
    #[inline]
    pub fn find(&self, code: u64, state: &[u64]) -> Option<DiscreteId> {
        debug_assert_eq!(state.len(), self.words);
        let (arena, words) = (&self.arena, self.words);
        let same = |id: &u32| {
            let known = &arena[*id as usize * words..][..words];
            // Comparing word by word is faster than a call for so few.
            known.iter().zip(state).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
        };
        self.table.find(code, same).map(|id| DiscreteId(*id))
    }

    /// The id of a state with that hash, and whether it is new.
    pub fn intern(&mut self, code: u64, state: &[u64]) -> (DiscreteId, bool) {
        if let Some(id) = self.find(code, state) {
            return (id, false);
        }
        let DiscreteId(id) = DiscreteId::at(self.len());
        self.arena.extend_from_slice(state);
        let (arena, words) = (&self.arena, self.words);
        self.table.insert_unique(code, id, |id| hash(&arena[*id as usize * words..][..words]));
        (DiscreteId(id), true)
    }

    /// The packed state of an id.
    pub fn get(&self, id: DiscreteId) -> &[u64] {
        &self.arena[id.index() * self.words..][..self.words]
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        (self.arena.capacity() * size_of::<u64>() + self.table.allocation_size()) as u64
    }
}
