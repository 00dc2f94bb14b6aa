//! Writing a network for other tools: [`write_xta`] for UPPAAL, [`write_tck`] for TChecker. Both are flat (a
//! process of the network is a process of the text, no parameters), and both are exact: what a language cannot
//! express is refused by name ([`Unwritable`]), never dropped.

mod expr;
mod names;
mod stmt;
mod tck;
mod xta;

pub(crate) use expr::{Scope, Words};
pub(crate) use names::Names;
pub use tck::{WrittenTck, write_tck};
pub(crate) use xta::edge_place;
pub use xta::{Written, write_xta};

/// Something of a network that the other language has no form for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritable {
    /// What it is.
    pub what: String,
    /// Where it stands: `process P, edge 3 (idle -> busy)`, `channel c`.
    pub place: String,
}

impl Unwritable {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { what: what.into(), place: place.into() }
    }
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl std::error::Error for Unwritable {}
