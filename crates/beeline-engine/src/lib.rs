//! Packed states, successors, the passed list and the searches.
//!
//! The engine is generic over the timed part of a state ([`time::TimePart`]): a model without clocks runs with an
//! empty one and pays nothing for zones. It claims; only the kernel (`beeline-check`) makes verdicts of its
//! claims.
//!
//! Reading order: [`api`], [`prepare`], [`successors`], [`passed`], [`search`], [`trace`], [`certificate`].

pub mod api;
pub mod certificate;
pub mod effort;
pub mod goal;
pub mod graph;
pub mod heuristic;
pub mod partial_order;
pub mod passed;
pub mod prepare;
pub mod pruned;
pub mod search;
pub mod state;
pub mod successors;
pub mod symmetry;
pub mod time;
pub mod trace;
pub mod walk;

pub use partial_order::Reduction;

pub use api::{
    Bitstate, Extrapolation, Known, Options, Progress, Reachable, RuntimeErrors, SearchKind, Storage,
    explore, explore_with, reachable,
};
pub use trace::symbolic::{SymbolicState, symbolic_run};
