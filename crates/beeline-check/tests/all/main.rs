//! All tests of the crate in one executable: many would take minutes to link.

mod certificates;
mod common;
mod limits;
mod lowered;
mod relations;
mod replays;
mod rules;
mod statements;
