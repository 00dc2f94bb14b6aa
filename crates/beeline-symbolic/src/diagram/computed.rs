//! The computed table: results of operations, each at the one place its operands hash to; a new result drives the old one
//! out.

use super::Edge;
use super::edge::MOST_NODES;

/// Entries at first.
const FIRST: usize = 1 << 12;

/// What was computed. `Rename` has the number of a renaming in place of its second operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Op {
    And = 1,
    Xor,
    Ite,
    Exists,
    AndExists,
    Cofactor,
    Rename,
}

/// An operation with its operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Key(u32, u32, u32);

/// Bits of a raw edge.
const EDGE_BITS: u32 = MOST_NODES.trailing_zeros() + 1;

impl Key {
    #[inline]
    pub fn new(op: Op, f: Edge, g: Edge, h: Edge) -> Self {
        Self::raw(op, f, g.raw(), h)
    }
    #[inline]
    pub fn raw(op: Op, f: Edge, g: u32, h: Edge) -> Self {
        // The operation goes into the bits that edges leave free.
        let op = op as u32;
        Self(f.raw() | op >> 2 << EDGE_BITS, g | (op & 3) << EDGE_BITS, h.raw())
    }
    fn op(self) -> u32 {
        self.0 >> EDGE_BITS << 2 | self.1 >> EDGE_BITS
    }
    fn operands(self) -> [Edge; 3] {
        let mask = (1 << EDGE_BITS) - 1;
        let second = if self.op() == Op::Rename as u32 { 0 } else { self.1 & mask };
        [Edge::from_raw(self.0 & mask), Edge::from_raw(second), Edge::from_raw(self.2)]
    }
    #[inline]
    fn hash(self) -> u64 {
        let mixed = (u64::from(self.0) << 32 | u64::from(self.1)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ u64::from(self.2).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed.wrapping_mul(0xA24B_AED4_963E_E407)
    }
}

#[derive(Copy, Clone)]
struct Entry {
    key: Key,
    result: Edge,
}

/// No operation has this key.
const EMPTY: Entry = Entry { key: Key(0, 0, 0), result: Edge::YES };

pub(super) struct Computed {
    /// A power of two.
    entries: Vec<Entry>,
    shift: u32,
}

impl Computed {
    pub fn new() -> Self {
        Self { entries: vec![EMPTY; FIRST], shift: u64::BITS - FIRST.trailing_zeros() }
    }
    pub fn bytes(&self) -> usize {
        bytes_of(self.entries.len())
    }
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    #[inline]
    fn place(&self, key: Key) -> usize {
        (key.hash() >> self.shift) as usize
    }
    #[inline]
    pub fn get(&self, key: Key) -> Option<Edge> {
        let entry = &self.entries[self.place(key)];
        (entry.key == key).then_some(entry.result)
    }
    #[inline]
    pub fn put(&mut self, key: Key, result: Edge) {
        let place = self.place(key);
        self.entries[place] = Entry { key, result };
    }
    /// Makes it twice as large; results are kept.
    pub fn double(&mut self) {
        let larger = vec![EMPTY; 2 * self.entries.len()];
        let old = std::mem::replace(&mut self.entries, larger);
        self.shift -= 1;
        for entry in old.into_iter().filter(|entry| entry.key != EMPTY.key) {
            self.put(entry.key, entry.result);
        }
    }
    /// Forgets what speaks of nodes that are gone.
    pub fn retain(&mut self, alive: impl Fn(Edge) -> bool) {
        for entry in &mut self.entries {
            let all = || entry.key.operands().into_iter().all(&alive) && alive(entry.result);
            if entry.key != EMPTY.key && !all() {
                *entry = EMPTY;
            }
        }
    }
    pub fn clear(&mut self) {
        self.entries.fill(EMPTY);
    }
}

/// Bytes of a table of so many entries.
pub(super) fn bytes_of(entries: usize) -> usize {
    entries * size_of::<Entry>()
}
