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

/// What a process may use before it is stopped.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// Time by the clock on the wall.
    pub time: Option<Duration>,
    /// Bytes resident, where the system tells of running processes (Linux does).
    pub memory: Option<u64>,
}

/// A limit that was reached, as records say it.
type Reached = &'static str;

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
    /// The limit for which it was stopped.
    pub stopped: Option<Reached>,
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
    /// Why it was stopped, or the first thing it complained of.
    pub fn complaint(&self) -> String {
        if let Some(reached) = self.stopped {
            return reached.to_string();
        }
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

    /// Whether the work was interrupted.
    pub fn interrupted(&self) -> bool {
        self.token.cancelled().is_some()
    }

    /// Runs a process to its end, or to its limits; `None` if it was stopped by an interrupt.
    pub fn run(&self, command: &mut Command, limits: Limits) -> Result<Option<Finished>, Stop> {
        let program = Path::new(command.get_program()).display().to_string();
        let failed = |e: io::Error| Stop::usage(format!("{program} cannot be run: {e}"));
        let (out, err) = (self.file("out"), self.file("err"));
        command.stdin(Stdio::null());
        command.stdout(File::create(&out).map_err(failed)?).stderr(File::create(&err).map_err(failed)?);
        let start = Instant::now();
        let (used, stopped) = self.wait(command.spawn().map_err(failed)?, start, limits).map_err(failed)?;
        let wall = start.elapsed();
        if self.interrupted() {
            return Ok(None);
        }
        let text = |file: &Path| {
            let bytes = files::read(file).map_err(failed)?;
            Ok::<_, Stop>(String::from_utf8_lossy(&bytes).into_owned())
        };
        let cpu = used.rusage.utime.saturating_add(used.rusage.stime);
        let usage = Usage { cpu, wall, resident: used.rusage.maxrss };
        Ok(Some(Finished { code: used.status.code(), out: text(&out)?, err: text(&err)?, usage, stopped }))
    }

    /// Waits for a process, and ends it when the token is raised or a limit is reached.
    fn wait(
        &self,
        mut child: Child,
        start: Instant,
        limits: Limits,
    ) -> io::Result<(ResUse, Option<Reached>)> {
        loop {
            if let Some(used) = child.try_wait4()? {
                return Ok((used, None));
            }
            let late = limits.time.is_some_and(|most| start.elapsed() > most);
            let large = || limits.memory.is_some_and(|most| resident(child.id()) > Some(most));
            let reached =
                if late { Some("time limit reached") } else { large().then_some("memory limit reached") };
            if reached.is_some() || self.interrupted() {
                child.kill()?;
                return Ok((child.wait4()?, reached));
            }
            std::thread::sleep(INTERVAL);
        }
    }
}

/// Bytes of a running process that are resident, where the system tells.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // What cannot be removed is left to the system, as temporary files are.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
