//! Lines that end in a backslash go on in the next one, whatever stands there: a name, a string or a comment. So they are
//! put together before anything else is done, and places are those of the file all the same.

use std::sync::Arc;

use beeline_ir::origin::Span;

/// A text whose continued lines are one line each.
#[derive(Debug)]
pub(super) struct Spliced {
    /// What is left.
    pub text: Arc<str>,
    /// Where something was cut out of it, and how many bytes were so far.
    cuts: Vec<(usize, usize)>,
    /// Where the text begins among all files.
    base: usize,
}

impl Spliced {
    /// The text whose first character is at position `base`.
    pub fn new(text: &Arc<str>, base: usize) -> Self {
        let mut spliced = Self { text: text.clone(), cuts: Vec::new(), base };
        let mut kept = String::new();
        let mut from = 0;
        for (at, _) in text.match_indices('\\') {
            // As the C preprocessor does, blanks before the end of the line are overlooked.
            let after = text[at + 1..].trim_start_matches([' ', '\t', '\r', '\x0b', '\x0c']);
            let next = match after.strip_prefix('\n') {
                Some(rest) => text.len() - rest.len(),
                None if after.is_empty() => text.len(),
                None => continue,
            };
            kept.push_str(&text[from..at]);
            spliced.cuts.push((kept.len(), next - kept.len()));
            from = next;
        }
        if !spliced.cuts.is_empty() {
            kept.push_str(&text[from..]);
            spliced.text = kept.into();
        }
        spliced
    }

    /// Where a part of what is left stands among all files.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let cut = |n: usize| n.checked_sub(1).map_or(0, |n| self.cuts[n].1);
        // What begins after a cut has it before itself; what ends there has it behind itself.
        let before = cut(self.cuts.partition_point(|(at, _)| *at <= start));
        let within = cut(self.cuts.partition_point(|(at, _)| *at < end));
        Span::new(self.base + start + before, self.base + end + within.max(before))
    }
}
