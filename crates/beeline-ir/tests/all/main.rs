//! All tests of the crate in one executable: many would take minutes to link.

mod documents;
mod encode;
mod malformed;
mod round_trip;
mod wellformed;
