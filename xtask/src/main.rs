//! Project chores, run as `cargo xtask CHORE`.
//!
//! `stats` prints the size of every crate. `results` runs all suites and writes docs/results.md; what follows goes
//! to `beeline bench`, and a run that was interrupted goes on where it was. The tidy and dependency-direction
//! checks are tests (`xtask/tests`), so that `cargo test` runs them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line chore")]

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("stats") => stats(),
        Some("results") => results(),
        _ => {
            eprintln!("usage: cargo xtask stats | results [OPTIONS OF beeline bench]");
            ExitCode::from(2)
        }
    }
}

/// Builds for speed, runs all suites, and writes the report.
fn results() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut bench = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    bench.current_dir(root).args([
        "run",
        "--release",
        "--locked",
        "-q",
        "-p",
        "beeline",
        "--",
        "bench",
        "all",
    ]);
    bench.args(["--records", "target/results.jsonl", "--report", "docs/results.md"]);
    match bench.args(std::env::args().skip(2)).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo cannot be run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Files, lines and the largest file of each crate.
fn stats() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let Ok(crates) = std::fs::read_dir(&root) else {
        eprintln!("cannot read {}", root.display());
        return ExitCode::FAILURE;
    };
    let mut names: Vec<_> = crates.flatten().map(|entry| entry.path()).collect();
    names.sort();
    println!("{:<20} {:>6} {:>7} {:>7}  largest", "crate", "files", "lines", "median");
    for path in names {
        let mut sizes = xtask::rust_files(&path.join("src"))
            .into_iter()
            .map(|file| (std::fs::read_to_string(&file).map_or(0, |text| text.lines().count()), file))
            .collect::<Vec<_>>();
        sizes.sort();
        let Some((largest, file)) = sizes.last() else { continue };
        let lines: usize = sizes.iter().map(|(n, _)| n).sum();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = file.file_name().unwrap_or_default().to_string_lossy();
        println!(
            "{name:<20} {:>6} {lines:>7} {:>7}  {largest} {file}",
            sizes.len(),
            sizes[sizes.len() / 2].0
        );
    }
    ExitCode::SUCCESS
}
