//! Where an element of a model came from: a place in a source file, and the indices its own language gave it
//! (an edge number for `.xtr`, a statement number for a Spin trail).

/// A byte range of a source file.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: clip(start), end: clip(end) }
    }
    /// The smallest range holding both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The origin of one element of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// Which of the model's source files.
    pub file: u32,
    /// Where in it.
    pub span: Span,
    /// Indices of the source language; what they mean is the front end's business.
    pub native: Vec<i64>,
}
