//! Discrete states, packed.

pub mod interner;
pub mod packing;
