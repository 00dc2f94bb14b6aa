//! All tests of the crate in one executable: many would take minutes to link.

mod artefacts;
mod bench;
mod check;
mod circuits;
mod common;
mod cone;
mod directed;
mod engines;
mod expansions;
mod generate;
mod hostile;
mod hsf;
mod inputs;
mod known_answers;
mod limits;
mod models;
mod partial_order;
mod promela;
mod reduce;
mod reductions;
mod smv;
mod streams;
mod trails;
mod uppaal;
mod usage;
mod wrong_engine;
