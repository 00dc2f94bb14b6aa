//! Stored zones: slices of one flat arena, found through a hash table of ids. Zones have rows for active clocks alone,
//! so that states which differ in what is idle often have equal ones.

use beeline_zones::Bound;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A stored zone.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ZoneId(u32);

/// All zones seen.
#[derive(Debug, Default)]
pub struct ZoneStore {
    arena: Vec<Bound>,
    /// Where each zone ends.
    ends: Vec<usize>,
    table: HashTable<u32>,
}

fn hash(zone: &[Bound]) -> u64 {
    let mut hasher = FxHasher::default();
    for pair in zone.chunks(2) {
        let word = |i: usize| pair.get(i).map_or(0, |b| u64::from(b.raw() as u32));
        hasher.write_u64(word(0) << 32 | word(1));
    }
    hasher.finish()
}

fn slice<'a>(arena: &'a [Bound], ends: &[usize], id: u32) -> &'a [Bound] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &arena[start..ends[id]]
}

impl ZoneStore {
    /// The id of a zone.
    pub fn intern(&mut self, zone: &[Bound]) -> ZoneId {
        let code = hash(zone);
        let Self { arena, ends, table } = self;
        if let Some(id) = table.find(code, |id| slice(arena, ends, *id) == zone) {
            return ZoneId(*id);
        }
        let id = u32::try_from(ends.len()).expect("fewer than 2^32 zones fit in memory");
        arena.extend_from_slice(zone);
        ends.push(arena.len());
        table.insert_unique(code, id, |id| hash(slice(arena, ends, *id)));
        ZoneId(id)
    }

    /// A zone.
    pub fn get(&self, id: ZoneId) -> &[Bound] {
        slice(&self.arena, &self.ends, id.0)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let arena = self.arena.capacity() * size_of::<Bound>() + self.ends.capacity() * size_of::<usize>();
        (arena + self.table.allocation_size()) as u64
    }
}
