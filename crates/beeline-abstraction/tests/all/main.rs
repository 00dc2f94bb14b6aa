//! All tests of the crate in one executable: many would take minutes to link.

mod cases;
mod cone;
mod digitise;
mod papers;
mod projection;
mod reduction;
