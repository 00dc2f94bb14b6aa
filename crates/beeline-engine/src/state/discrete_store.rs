//! The discrete parts of the states of one shard, found through a hash table of ids: whole, one after the other, or,
//! where that is wished, collapsed. Those added last are whole in any case until [`DiscreteStore::settle`] collapses them
//! into what all shards share.

use super::collapse::Collapse;
use super::interner::DiscreteId;
use hashbrown::HashTable;

/// All discrete parts of a shard.
#[derive(Debug)]
pub struct DiscreteStore {
    words: usize,
    /// The first ones, collapsed: the pieces of one after those of the other.
    collapsed: Vec<DiscreteId>,
    /// How many these are.
    settled: usize,
    /// The others.
    arena: Vec<u64>,
    table: HashTable<Entry>,
}

/// What a table says of a state. With a part of the hash at hand, few others are looked at, and the table grows without
/// looking at any.
#[derive(Copy, Clone, Debug)]
struct Entry {
    id: DiscreteId,
    code: u32,
}

impl Entry {
    /// Where it is in the table.
    #[inline]
    fn place(&self) -> u64 {
        u64::from(self.code).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// What all shards share, if states are collapsed.
pub type Shared = Option<Collapse>;

/// Words for which there is room while they wait to be collapsed.
const MOST_WHOLE: usize = 1 << 16;

/// How a state is kept.
enum Kept<'a> {
    Whole(&'a [u64]),
    Collapsed(&'a Collapse, &'a [DiscreteId]),
}

impl Kept<'_> {
    /// Whether these are its words.
    #[inline]
    fn is(&self, state: &[u64]) -> bool {
        match self {
            // Comparing word by word is faster than a call for so few.
            Self::Whole(known) => known.iter().zip(state).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0,
            Self::Collapsed(shared, pieces) => shared.is(pieces, state),
        }
    }
}

impl DiscreteStore {
    /// An empty store for states of that many words.
    pub fn new(words: usize) -> Self {
        Self { words, collapsed: Vec::new(), settled: 0, arena: Vec::new(), table: HashTable::new() }
    }

    /// How a state is kept.
    #[inline]
    fn kept<'s>(&'s self, shared: &'s Shared, id: DiscreteId) -> Kept<'s> {
        match (shared, id.index().checked_sub(self.settled)) {
            (Some(shared), None) => {
                let pieces = shared.pieces();
                Kept::Collapsed(shared, &self.collapsed[id.index() * pieces..][..pieces])
            }
            (_, place) => Kept::Whole(&self.arena[place.unwrap_or(0) * self.words..][..self.words]),
        }
    }

    /// The id of a state with that hash, if it has been seen.
    #[inline]
    pub fn find(&self, shared: &Shared, code: u64, state: &[u64]) -> Option<DiscreteId> {
        debug_assert_eq!(state.len(), self.words);
        let sought = Entry { id: DiscreteId::at(0), code: code as u32 };
        let same = |entry: &Entry| entry.code == sought.code && self.kept(shared, entry.id).is(state);
        self.table.find(sought.place(), same).map(|entry| entry.id)
    }

    /// The id of a state with that hash, and whether it is new.
    pub fn intern(&mut self, shared: &Shared, code: u64, state: &[u64]) -> (DiscreteId, bool) {
        if let Some(id) = self.find(shared, code, state) {
            return (id, false);
        }
        let id = DiscreteId::at(self.table.len());
        self.arena.extend_from_slice(state);
        let entry = Entry { id, code: code as u32 };
        self.table.insert_unique(entry.place(), entry, Entry::place);
        (id, true)
    }

    /// Collapses what is still whole, if states are to be collapsed.
    pub fn settle(&mut self, shared: &mut Shared) {
        if let Some(shared) = shared {
            for state in self.arena.chunks_exact(self.words) {
                shared.put(state, &mut self.collapsed);
                self.settled += 1;
            }
            self.arena.clear();
            self.arena.shrink_to(MOST_WHOLE);
        }
    }

    /// The words of a state; `out` is overwritten.
    pub fn read(&self, shared: &Shared, id: DiscreteId, out: &mut Vec<u64>) {
        match self.kept(shared, id) {
            Kept::Whole(state) => {
                out.clear();
                out.extend_from_slice(state);
            }
            Kept::Collapsed(shared, pieces) => shared.get(pieces, out),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let states =
            self.arena.capacity() * size_of::<u64>() + self.collapsed.capacity() * size_of::<DiscreteId>();
        (states + self.table.allocation_size()) as u64
    }
}
