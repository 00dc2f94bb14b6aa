//! The discrete parts of all states seen, each stored once in one flat arena, found through a hash table of ids.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The id of an interned discrete state.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DiscreteId(u32);

impl DiscreteId {
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

    /// The id of a state, and whether it is new.
    pub fn intern(&mut self, state: &[u64]) -> (DiscreteId, bool) {
        debug_assert_eq!(state.len(), self.words);
        let code = hash(state);
        let (arena, words) = (&self.arena, self.words);
        let same = |id: &u32| arena[*id as usize * words..][..words] == *state;
        if let Some(id) = self.table.find(code, same) {
            return (DiscreteId(*id), false);
        }
        let id = u32::try_from(self.len()).expect("fewer than 2^32 discrete states fit in memory");
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
