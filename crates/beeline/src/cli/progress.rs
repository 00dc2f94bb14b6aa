//! The progress line: on standard error, only on a terminal, twice a second.

use super::output::Output;
use beeline_engine::Progress;
use beeline_report::text::{bytes, grouped};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(500);

/// Shows how far a search has come.
pub struct Ticker<'o> {
    output: &'o mut Output,
    shown: bool,
    start: Instant,
    last: Instant,
    open: Option<u64>,
}

impl<'o> Ticker<'o> {
    /// A ticker that starts now.
    pub fn new(output: &'o mut Output, quiet: bool) -> Self {
        let shown = !quiet && output.watched();
        let now = Instant::now();
        Self { output, shown, start: now, last: now, open: None }
    }
    /// Notes the state of the search, and shows it if it is time to.
    pub fn tick(&mut self, progress: &Progress) {
        self.open = Some(progress.open);
        if !self.shown || self.last.elapsed() < INTERVAL {
            return;
        }
        self.last = Instant::now();
        let seconds = self.start.elapsed().as_secs_f64();
        let line = format!(
            "{seconds:.1} s: {} expanded ({}/s), {} stored, {} open, {}+ steps, {}",
            grouped(progress.expanded),
            grouped((progress.expanded as f64 / seconds) as u64),
            grouped(progress.stored),
            grouped(progress.open),
            progress.lower_bound,
            bytes(progress.bytes)
        );
        self.output.progress(&line);
    }
    /// How many states were waiting when last heard of.
    pub fn open(&self) -> Option<u64> {
        self.open
    }
}
