//! All tests of the crate in one executable: many would take minutes to link.

mod additive;
mod assertions;
mod broadcast;
mod buffers;
mod cartesian;
mod causal_graph;
mod cegar;
mod common;
mod cost_partitioning;
mod hsf;
mod limits;
mod maps;
mod merge_and_shrink;
#[path = "common/of_initial.rs"]
mod of_initial;
mod pairs_cuts_perimeter;
mod pattern_databases;
mod predicate_abstraction;
mod running_example;
mod saved;
mod value_sets;
