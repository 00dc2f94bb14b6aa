//! All tests of the crate in one executable: many would take minutes to link.

mod directed;
mod graph;
mod guided;
mod smoke;
mod threads;
mod toys;
mod work;
