//! All tests of the crate in one executable: many would take minutes to link.

mod errors;
mod expressions;
mod hostile;
mod models;
mod specs;
mod structure;
mod support;
mod traces;
