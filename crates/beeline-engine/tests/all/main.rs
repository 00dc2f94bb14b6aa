//! All tests of the crate in one executable: many would take minutes to link.

mod directed;
mod graph;
mod guided;
mod hashed;
mod smoke;
mod symmetry;
mod threads;
mod toys;
mod work;
