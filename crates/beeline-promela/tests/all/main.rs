//! All tests of the crate in one executable: many would take minutes to link.

mod claims;
mod errors;
mod hostile;
mod public;
mod rendezvous;
mod semantics;
mod statements;
mod support;
mod syntax;
