//! Stored zones: slices of one flat arena, found through a hash table of ids. Zones have rows for active clocks alone,
//! so that states which differ in what is idle often have equal ones.

use beeline_zones::Bound;
use hashbrown::HashTable;

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

/// The hash of a zone. In four lanes: one would wait for its own multiplications.
pub fn code(zone: &[Bound]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut lanes = [zone.len() as u64, 1, 2, 3];
    for chunk in zone.chunks(8) {
        for (lane, pair) in lanes.iter_mut().zip(chunk.chunks(2)) {
            let word = pair.iter().fold(0, |word, bound| word << 32 | u64::from(bound.raw() as u32));
            *lane = (lane.rotate_left(23) ^ word).wrapping_mul(FACTOR);
        }
    }
    let mix = |hash: u64, lane: u64| (hash.rotate_left(29) ^ lane).wrapping_mul(FACTOR);
    lanes.into_iter().fold(0, mix).rotate_left(26)
}

fn slice<'a>(arena: &'a [Bound], ends: &[usize], id: u32) -> &'a [Bound] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &arena[start..ends[id]]
}

impl ZoneStore {
    /// The id of a zone with that hash, if it has been seen.
    #[inline]
    pub fn find(&self, code: u64, zone: &[Bound]) -> Option<ZoneId> {
        self.table.find(code, |id| slice(&self.arena, &self.ends, *id) == zone).map(|id| ZoneId(*id))
    }

    /// The id of a zone with that hash.
    pub fn intern(&mut self, code: u64, zone: &[Bound]) -> ZoneId {
        if let Some(id) = self.find(code, zone) {
            return id;
        }
        let Self { arena, ends, table } = self;
        let id = u32::try_from(ends.len()).expect("fewer than 2^32 zones fit in memory");
        arena.extend_from_slice(zone);
        ends.push(arena.len());
        table.insert_unique(code, id, |id| self::code(slice(arena, ends, *id)));
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
