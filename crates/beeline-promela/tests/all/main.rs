//! All tests of the crate in one executable: many would take minutes to link.

mod errors;
mod hostile;
mod public;
mod semantics;
mod support;
