//! Processes that are measured: one at a time, with the time and memory that the system counts for each.

use super::super::{Stop, files};
use beeline_ir::limits::CancelToken;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use wait4::{ResUse, Wait4};

/// How often to look whether a process has ended, or should.
const INTERVAL: Duration = Duration::from_millis(3);

/// A directory for models and outputs, removed in the end, and the token that stops the work.
pub struct Workplace {
    directory: PathBuf,
    token: CancelToken,
}

/// What a process left behind.
#[derive(Debug)]
pub struct Finished {
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
    /// What it used.
    pub usage: Usage,
}

/// What a process used.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Usage {
    /// Processor time, its own and the system's for it.
    pub cpu: Duration,
    /// Time by the clock on the wall.
    pub wall: Duration,
    /// Most memory that was resident at once, in bytes. Never less than what this program has when it starts the
    /// process, for the system begins to count before the process is another program.
    pub resident: u64,
}

impl Finished {
    /// The first thing it complained of.
    pub fn complaint(&self) -> String {
        match self.err.lines().find(|line| !line.trim().is_empty()) {
            Some(line) => line.trim().to_string(),
            None => self.code.map_or("ended by a signal".into(), |code| format!("exit code {code}")),
        }
    }
}

impl Workplace {
    /// An empty directory.
    pub fn new(token: CancelToken) -> io::Result<Self> {
        let directory = std::env::temp_dir().join(format!("beeline-bench-{}", std::process::id()));
        fs::create_dir(&directory)?;
        Ok(Self { directory, token })
    }

    /// The name of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Runs a process to its end, or for so long at most; `None` if it was stopped by an interrupt.
    pub fn run(&self, command: &mut Command, most: Option<Duration>) -> Result<Option<Finished>, Stop> {
        let program = Path::new(command.get_program()).display().to_string();
        let failed = |e: io::Error| Stop::usage(format!("{program} cannot be run: {e}"));
        let (out, err) = (self.file("out"), self.file("err"));
        command.stdin(Stdio::null());
        command.stdout(File::create(&out).map_err(failed)?).stderr(File::create(&err).map_err(failed)?);
        let start = Instant::now();
        let used = self
            .wait(command.spawn().map_err(failed)?, most.and_then(|most| start.checked_add(most)))
            .map_err(failed)?;
        let wall = start.elapsed();
        if self.token.cancelled().is_some() {
            return Ok(None);
        }
        let text = |file: &Path| {
            let bytes = files::read(file).map_err(failed)?;
            Ok::<_, Stop>(String::from_utf8_lossy(&bytes).into_owned())
        };
        let cpu = used.rusage.utime.saturating_add(used.rusage.stime);
        let usage = Usage { cpu, wall, resident: used.rusage.maxrss };
        Ok(Some(Finished { code: used.status.code(), out: text(&out)?, err: text(&err)?, usage }))
    }

    /// Waits for a process, and ends it when the token is raised or its time is over.
    fn wait(&self, mut child: Child, end: Option<Instant>) -> io::Result<ResUse> {
        loop {
            if let Some(used) = child.try_wait4()? {
                return Ok(used);
            }
            if self.token.cancelled().is_some() || end.is_some_and(|end| Instant::now() > end) {
                child.kill()?;
                return child.wait4();
            }
            std::thread::sleep(INTERVAL);
        }
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What cannot be removed is left to the system, as temporary files are.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
