//! Edges, nodes and levels.

use super::Bit;
use std::ops::Not;

/// Nodes at most: two bits of an edge are left for the computed table.
pub(super) const MOST_NODES: usize = 1 << 29;

/// A function: a node, and whether it is complemented.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Edge(u32);

impl Edge {
    /// Always true.
    pub const YES: Self = Self(0);
    /// Never.
    pub const NO: Self = Self(1);

    /// To a node, not complemented.
    pub(super) fn to(index: usize) -> Self {
        debug_assert!(index < MOST_NODES);
        Self((index as u32) << 1)
    }
    pub(super) fn from_raw(raw: u32) -> Self {
        Self(raw)
    }
    pub(super) fn raw(self) -> u32 {
        self.0
    }
    /// The node it leads to.
    #[inline]
    pub(super) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }
    #[inline]
    pub(super) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }
    pub(super) fn is_constant(self) -> bool {
        self.0 <= 1
    }
    #[inline]
    pub(super) fn flip_if(self, flip: bool) -> Self {
        Self(self.0 ^ u32::from(flip))
    }
    /// Without the complement.
    #[inline]
    pub(super) fn regular(self) -> Self {
        Self(self.0 & !1)
    }
}

impl Not for Edge {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// How far from the top.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Level(pub u32);

impl Level {
    /// Below all bits.
    pub const CONSTANT: Self = Self(u32::MAX);
}

/// What a function is where a bit is true, and where it is not.
#[derive(Copy, Clone, Debug)]
pub(super) struct Node {
    pub bit: Bit,
    /// Never complemented.
    pub then: Edge,
    pub otherwise: Edge,
    /// The next in its bucket, or the next free one; 0 at the end.
    pub next: u32,
}

impl Node {
    /// The constant: its bit is one after all bits.
    pub fn constant(bits: u32) -> Self {
        Self { bit: bits, then: Edge::YES, otherwise: Edge::YES, next: 0 }
    }
    /// A node that is not in use has two equal branches, as no other has but the constant.
    pub fn is_free(&self) -> bool {
        self.then == self.otherwise
    }
}
