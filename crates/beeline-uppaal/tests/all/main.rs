//! All tests of the crate in one executable: many would take minutes to link.

mod lower_effects;
mod lower_functions;
mod lower_hostile;
mod lower_network;
mod messages;
mod models;
mod parse;
mod roundtrip;
mod trace;
mod write_tck;
mod write_xta;
