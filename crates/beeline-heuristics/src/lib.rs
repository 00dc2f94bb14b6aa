//! Heuristics: estimates of the number of steps from a state to the target. One technique, one file, one line in the
//! [`registry`].
//!
//! All of them look at the [factored view](beeline_program::factored) of a network, which is a relaxation of it; none
//! interprets a guard on its own. What a heuristic declares of itself (`beeline_engine::heuristic::Properties`) is
//! tested on all states of many small models.
//!
//! Reading order: [`registry`], [`graph_distance`], [`monotonicity`], [`causal_graph`], then the others.

pub mod abstraction_database;
pub mod active;
pub mod additive;
pub mod cartesian;
pub mod causal_graph;
pub mod cora;
pub mod cost_partitioning;
pub mod critical_path;
mod factors;
pub mod formula;
pub mod fsm;
pub mod graph_distance;
pub mod hamming;
pub mod interference;
pub mod landmarks;
mod local_distance;
pub mod merge_and_shrink;
pub mod monotonicity;
pub mod mutexes;
pub mod novelty;
pub mod pattern_database;
pub mod patterns;
pub mod perimeter;
pub mod predicate_abstraction;
pub mod registry;
pub mod useless;
pub mod user;

pub use factors::Start;
pub use registry::{HEURISTICS, Spec, make};
