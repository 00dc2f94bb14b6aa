//! The discrete parts of all states seen, each stored once in one flat arena, found through a hash table of ids; or,
//! where they are known to be small, in a table of all there can be, in which neighbours are near each other.

use super::packing::Packer;
use hashbrown::HashTable;
use std::num::NonZeroU32;

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
    table: Table,
}

/// How the id of a state is found.
#[derive(Debug)]
enum Table {
    /// By hash.
    Hashed(HashTable<u32>),
    /// By the only word of the state: one more than the id.
    Direct(Vec<Option<NonZeroU32>>),
}

/// Places of a table of all states for each that is seen, beyond which a hash table takes less.
const SPARSE: usize = 16;

/// The hash of some words of a state, from that place on: that of all of them is the sum.
#[inline]
fn hash(start: usize, words: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    const OTHER: u64 = 0xD1B5_4A32_D192_ED03;
    let mut place = (start as u64).wrapping_mul(OTHER);
    // Nothing waits for the word before: several are multiplied at the same time.
    words.iter().fold(0, |sum: u64, word| {
        place = place.wrapping_add(OTHER);
        let product = u128::from(word ^ place) * u128::from(FACTOR);
        sum.wrapping_add((product >> u64::BITS) as u64 ^ product as u64)
    })
}

impl Interner {
    /// An empty store for states of that many words.
    pub fn new(words: usize) -> Self {
        Self { words, arena: Vec::new(), table: Table::Hashed(HashTable::new()) }
    }

    /// An empty store for states packed like that, for which there may be a table of so many states.
    pub fn within(packer: &Packer, most: usize) -> Self {
        let all = 1usize.checked_shl(packer.bits()).filter(|all| packer.words() == 1 && *all <= most);
        match all {
            Some(all) => Self { words: 1, arena: Vec::new(), table: Table::Direct(vec![None; all]) },
            None => Self::new(packer.words()),
        }
    }

    /// The same, found by hash if the table of all states there can be is mostly empty.
    #[must_use]
    pub fn compact(self) -> Self {
        match &self.table {
            Table::Direct(table) if table.len() / SPARSE > self.len() => {}
            _ => return self,
        }
        let mut compact = Self::new(self.words);
        for state in self.arena.chunks_exact(self.words) {
            compact.intern(Self::code(state), state);
        }
        compact
    }

    /// The hash of a state.
    #[inline]
    pub fn code(state: &[u64]) -> u64 {
        hash(0, state)
    }

    /// What the words from a place on add to the hash of a state.
    #[inline]
    pub fn code_from(start: usize, words: &[u64]) -> u64 {
        hash(start, words)
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
        match &self.table {
            Table::Hashed(table) => table.find(code, same).map(|id| DiscreteId(*id)),
            Table::Direct(table) => table[state[0] as usize].map(|next| DiscreteId(next.get() - 1)),
        }
    }

    /// The id of a state with that hash, and whether it is new.
    pub fn intern(&mut self, code: u64, state: &[u64]) -> (DiscreteId, bool) {
        if let Some(id) = self.find(code, state) {
            return (id, false);
        }
        let DiscreteId(id) = DiscreteId::at(self.len());
        self.arena.extend_from_slice(state);
        let (arena, words) = (&self.arena, self.words);
        match &mut self.table {
            Table::Hashed(table) => {
                table.insert_unique(code, id, |id| Self::code(&arena[*id as usize * words..][..words]));
            }
            Table::Direct(table) => table[state[0] as usize] = NonZeroU32::MIN.checked_add(id),
        }
        (DiscreteId(id), true)
    }

    /// The packed state of an id.
    pub fn get(&self, id: DiscreteId) -> &[u64] {
        &self.arena[id.index() * self.words..][..self.words]
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.arena.len() / self.words
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.arena.is_empty()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let table = match &self.table {
            Table::Hashed(table) => table.allocation_size(),
            Table::Direct(table) => size_of_val(&**table),
        };
        (self.arena.capacity() * size_of::<u64>() + table) as u64
    }
}
