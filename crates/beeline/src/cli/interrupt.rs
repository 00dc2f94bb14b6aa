//! Ctrl-C and SIGTERM. The first raises the cancel token: the search stops and what is known is printed. The second
//! ends the program at once, with exit code 130.

use super::output::Output;
use beeline_ir::limits::{CancelToken, StopReason};

/// Exit code after a second interrupt.
const AT_ONCE: i32 = 130;

/// Raises the token on the first signal.
pub fn install(token: &CancelToken) {
    let token = token.clone();
    // Without a handler the first signal ends the program, which is what signals do anyway.
    let _ = ctrlc::set_handler(move || {
        if token.cancelled() == Some(StopReason::Interrupted) {
            leave();
        }
        token.cancel(StopReason::Interrupted);
        let mut output = Output::default();
        if output.watched() {
            output.err("\ninterrupted: stopping; once more to stop at once\n");
        }
    });
}

#[allow(clippy::exit, reason = "the second interrupt ends the program at once")]
fn leave() {
    std::process::exit(AT_ONCE)
}
