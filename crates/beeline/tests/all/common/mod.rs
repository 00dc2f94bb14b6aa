//! Running the built command and looking at what it says.
#![allow(dead_code, reason = "each test file uses a part of this")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }
    /// Asserts the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// The command, to be run in a directory of its own.
pub fn command(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_beeline"));
    command.current_dir(dir).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command.
pub fn beeline<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    command(Path::new(env!("CARGO_TARGET_TMPDIR"))).args(args).output().expect("the command runs").into()
}

/// One of the project's models.
pub fn model(name: &str) -> String {
    models().join(name).display().to_string()
}

/// The directory of the project's models.
pub fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

/// An empty directory for one test.
pub fn directory(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// A file in a directory.
pub fn file(dir: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// A network of twelve independent counters with a hundred values each: too many states to finish.
pub fn huge(dir: &Path) -> String {
    let mut text = String::from("network huge\n");
    for i in 0..12 {
        text.push_str(&format!(
            "var v{i} in 0..99\nprocess P{i} {{\n  init a\n  location a\n  \
             edge a -> a {{ do {{ v{i} := (v{i} + 1) % 100; }} }}\n}}\n"
        ));
    }
    text.push_str("property far : A[] v0 + v1 + v2 < 297\n");
    file(dir, "huge.beeline", text)
}
