//! From a path of symbolic states to a concrete timed run: which labels ([`path`]), and when ([`times`]).

pub mod along;
pub mod constraints;
pub mod path;
pub mod symbolic;
pub mod times;
