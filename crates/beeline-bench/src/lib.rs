//! The evidence: benchmark suites after the papers, what their runs came to, and the report of it.
//!
//! A [`suite::Suite`] says what to run, a [`paper`] what was printed, a [`record::Record`] what one run came to. From
//! records come a [`table::Table`] in the paper's layout, a [`contest::Contest`] with each [`peer::Peer`] that was run, and
//! plots, which [`report`] puts together as Markdown or as one HTML file; [`compare`] sets two files of records side by
//! side. Nothing here runs anything: that is for the command line.

pub mod compare;
pub mod contest;
mod html;
mod markdown;
pub mod paper;
pub mod peer;
pub mod plot;
pub mod record;
pub mod report;
pub mod suite;
pub mod table;

pub use record::{Record, Status};
pub use suite::{Configuration, Instance, Suite};
