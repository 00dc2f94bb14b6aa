//! All tests of the crate in one executable: many would take minutes to link.

mod bounds;
mod common;
mod constants;
mod edges;
mod expressions;
mod footprints;
mod ranges;
mod schemas;
mod shortcuts;
mod statements;
mod values;
