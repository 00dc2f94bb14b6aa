//! Discrete states, packed.

pub mod interner;
pub mod packing;
pub mod zone_store;
