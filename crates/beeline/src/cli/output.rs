//! The one place that writes to standard output and standard error.
//!
//! A reader that goes away (`beeline ... | head`) ends the output quietly and changes nothing else. Any other
//! failure to write is remembered and reported at the end, because a truncated report must not look like a
//! complete one.

use std::io::{self, ErrorKind, IsTerminal, Write};

/// Standard output and standard error.
#[derive(Debug, Default)]
pub struct Output {
    gone: bool,
    failure: Option<io::Error>,
    /// Length of the progress line on the terminal.
    progress: usize,
}

impl Output {
    /// Writes to standard output.
    pub fn out(&mut self, text: &str) {
        self.clear_progress();
        if self.gone || self.failure.is_some() {
            return;
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::BrokenPipe => self.gone = true,
            Err(e) => self.failure = Some(e),
        }
    }
    /// Writes to standard error; a failure to do so is nobody's concern.
    pub fn err(&mut self, text: &str) {
        self.clear_progress();
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
    /// Replaces the progress line on standard error.
    pub fn progress(&mut self, line: &str) {
        let padding = self.progress.saturating_sub(line.chars().count());
        self.progress = line.chars().count();
        let _ = write!(io::stderr().lock(), "\r{line}{:padding$}", "");
    }
    fn clear_progress(&mut self) {
        if self.progress > 0 {
            let _ = write!(io::stderr().lock(), "\r{:1$}\r", "", self.progress);
            self.progress = 0;
        }
    }
    /// Whether standard output is a terminal that shows colours.
    pub fn colour_out(&self) -> bool {
        io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
    }
    /// Whether standard error is a terminal that shows colours.
    pub fn colour_err(&self) -> bool {
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
    }
    /// Whether somebody watches standard error.
    pub fn watched(&self) -> bool {
        io::stderr().is_terminal()
    }
    /// Why standard output is incomplete, unless its reader just went away.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }
}
