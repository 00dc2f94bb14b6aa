//! Discrete states, packed.

pub mod collapse;
pub mod discrete_store;
pub mod fingerprint;
pub mod interner;
pub mod packing;
pub mod zone_store;
