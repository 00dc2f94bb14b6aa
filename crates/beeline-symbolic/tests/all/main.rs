//! All tests of the crate in one executable: many would take minutes to link.

mod circuits;
mod limits;
mod public;
mod random;
