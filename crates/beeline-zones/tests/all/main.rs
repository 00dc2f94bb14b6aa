//! All tests of the crate in one executable: many would take minutes to link.

mod common;
mod extrapolation;
mod faults;
mod limits;
mod operations;
mod random;
