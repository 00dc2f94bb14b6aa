//! Stored zones: slices of one flat arena, found through a hash table of ids. Zones have rows for active clocks alone,
//! so that states which differ in what is idle often have equal ones.

use beeline_zones::Bound;
use hashbrown::HashTable;

/// A stored zone.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ZoneId(u32);

impl ZoneId {
    /// The one at a position among the zones seen.
    pub fn at(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 zones fit in memory"))
    }
    /// The position among the zones seen.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All zones seen.
#[derive(Debug)]
pub struct ZoneStore {
    arena: Vec<Bound>,
    /// Where each zone begins, and where the next one will.
    starts: Vec<usize>,
    table: HashTable<u32>,
}

impl Default for ZoneStore {
    fn default() -> Self {
        Self { arena: Vec::new(), starts: vec![0], table: HashTable::new() }
    }
}

/// The hash of a zone. In four lanes: one would wait for its own multiplications.
pub fn code(zone: &[Bound]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut lanes = [zone.len() as u64, 1, 2, 3];
    let mut take = |chunk: &[Bound; 8]| {
        for (lane, pair) in lanes.iter_mut().zip(chunk.as_chunks::<2>().0) {
            let word = u64::from(pair[0].raw() as u32) << 32 | u64::from(pair[1].raw() as u32);
            *lane = (lane.rotate_left(23) ^ word).wrapping_mul(FACTOR);
        }
    };
    let (chunks, rest) = zone.as_chunks::<8>();
    chunks.iter().for_each(&mut take);
    if !rest.is_empty() {
        let mut last = [Bound::ZERO_LE; 8];
        last[..rest.len()].copy_from_slice(rest);
        take(&last);
    }
    let mix = |hash: u64, lane: u64| (hash.rotate_left(29) ^ lane).wrapping_mul(FACTOR);
    lanes.into_iter().fold(0, mix).rotate_left(26)
}

#[inline]
fn slice<'a>(arena: &'a [Bound], starts: &[usize], id: u32) -> &'a [Bound] {
    let id = id as usize;
    &arena[starts[id]..starts[id + 1]]
}

impl ZoneStore {
    /// The id of a zone with that hash, if it has been seen.
    #[inline]
    pub fn find(&self, code: u64, zone: &[Bound]) -> Option<ZoneId> {
        self.table.find(code, |id| slice(&self.arena, &self.starts, *id) == zone).map(|id| ZoneId(*id))
    }

    /// The id of a zone with that hash.
    pub fn intern(&mut self, code: u64, zone: &[Bound]) -> ZoneId {
        if let Some(id) = self.find(code, zone) {
            return id;
        }
        let Self { arena, starts, table } = self;
        let ZoneId(id) = ZoneId::at(starts.len() - 1);
        arena.extend_from_slice(zone);
        starts.push(arena.len());
        table.insert_unique(code, id, |id| self::code(slice(arena, starts, *id)));
        ZoneId(id)
    }

    /// A zone.
    #[inline]
    pub fn get(&self, id: ZoneId) -> &[Bound] {
        slice(&self.arena, &self.starts, id.0)
    }

    /// Number of zones.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let arena = self.arena.capacity() * size_of::<Bound>() + self.starts.capacity() * size_of::<usize>();
        (arena + self.table.allocation_size()) as u64
    }
}
