//! When we are wrong: a plain message, a file with what is needed to find the bug (never the model's text), exit 70.

use crate::cli::files;
use beeline::options::{OPTIONS, Syntax};
use beeline_check::InternalError;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};

/// Where crashes are reported: where the program was started.
pub const HERE: &str = "";

fn crash_file(dir: &Path, suffix: &str) -> PathBuf {
    dir.join(format!("beeline-crash-{}{suffix}", std::process::id()))
}

/// Makes panics leave a report.
pub fn install_hook() {
    std::panic::set_hook(Box::new(|info| {
        let message = report(Path::new(HERE), &panic_text(info));
        crate::cli::output::Output::default().err(&message);
    }));
}

fn panic_text(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map_or("unknown place".to_string(), ToString::to_string);
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    format!("panic at {place}: {message}")
}

/// Saves the artefacts of a claim that the kernel refused, and says what happened.
pub fn refused(dir: &Path, error: &InternalError, artefacts: &[(&str, Vec<u8>)]) -> String {
    let mut text = error.to_string();
    for (suffix, bytes) in artefacts {
        let path = crash_file(dir, suffix);
        text.push_str(&match files::write(&path, bytes) {
            Ok(()) => format!("\nsaved {}", path.display()),
            Err(e) => format!("\n{} could not be saved: {e}", path.display()),
        });
    }
    report(dir, &text)
}

fn report(dir: &Path, what: &str) -> String {
    let path = crash_file(dir, ".txt");
    // With several properties there may be several crashes.
    let mut text = std::fs::read_to_string(&path).unwrap_or_default();
    text.push_str(&format!("beeline {}\n{what}\noptions: {}\n", env!("CARGO_PKG_VERSION"), options()));
    let saved = match files::write(&path, text.as_bytes()) {
        Ok(()) => format!("A report without the model's text is in {}.", path.display()),
        Err(e) => format!("No report could be written: {e}."),
    };
    format!("beeline: internal error: {what}\nThis is a bug in Beeline, not in the model. {saved}\n")
}

/// The options given, with the values of those whose values are not words of the model.
fn options() -> String {
    let mut shown = Vec::new();
    let mut given = std::env::args().skip(1).peekable();
    if let Some(command) = given.next() {
        shown.push(command);
    }
    while let Some(word) = given.next() {
        let Some(name) = word.strip_prefix("--") else { continue };
        let (name, value) = name.split_once('=').map_or((name, None), |(n, v)| (n, Some(v.to_string())));
        let Some(option) = OPTIONS.iter().find(|o| o.name == name) else { continue };
        shown.push(format!("--{name}"));
        if matches!(option.syntax, Syntax::Choice(_) | Syntax::Integer(..) | Syntax::Duration | Syntax::Size)
        {
            shown.extend(value.or_else(|| given.next()));
        }
    }
    shown.join(" ")
}
