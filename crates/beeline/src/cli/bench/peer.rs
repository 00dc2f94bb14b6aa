//! TChecker beside us: the same model, converted by ourselves, explored breadth first with covering.

use super::super::Stop;
use super::process::{Usage, Workplace};
use super::this_executable;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that is looked for.
pub const PROGRAM: &str = "tck-reach";

/// What the peer is asked to do.
const ALGORITHM: [&str; 4] = ["-a", "covreach", "-s", "bfs"];

/// Where the converted model says which labels the state of interest bears.
const LABELS: &str = "labels=";

/// A program to compare with.
pub struct Peer {
    program: PathBuf,
}

/// What the peer did; or why it did not.
pub type Theirs = Result<PeerFigures, String>;

/// Figures of the peer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PeerFigures {
    /// States it expanded.
    pub visited: u64,
    /// What it used.
    pub usage: Usage,
}

impl Peer {
    /// The program that was asked for, else the one on the path, if there is one.
    pub fn find(wish: Option<&str>) -> Result<Option<Self>, Stop> {
        let at = |program: PathBuf| program.is_file().then_some(Self { program });
        match wish {
            Some("none") => Ok(None),
            Some(path) => match at(path.into()) {
                Some(peer) => Ok(Some(peer)),
                None => Err(Stop::usage(format!("--peer: there is no program {path}"))),
            },
            None => {
                let path = std::env::var_os("PATH").unwrap_or_default();
                Ok(std::env::split_paths(&path).find_map(|directory| at(directory.join(PROGRAM))))
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        "TChecker"
    }

    /// Measures it on a model; `None` if that was interrupted.
    pub fn measure(
        &self,
        model: &Path,
        property: Option<&str>,
        workplace: &Workplace,
    ) -> Result<Option<Theirs>, Stop> {
        let mut convert = this_executable()?;
        convert.arg("convert").arg(model).args(["--to", "tck"]);
        if let Some(property) = property {
            convert.args(["-p", property]);
        }
        let Some(converted) = workplace.run(&mut convert, None)? else { return Ok(None) };
        if converted.code != Some(0) {
            return Ok(Some(Err(converted.complaint())));
        }
        let file = workplace.file("model.tck");
        let unwritable = |e| Stop::usage(format!("{} cannot be written: {e}", file.display()));
        std::fs::write(&file, &converted.out).map_err(unwritable)?;
        let mut explore = Command::new(&self.program);
        explore.args(ALGORITHM);
        if let Some(labels) = labels(&converted.out) {
            explore.args(["-l", &labels]);
        }
        let Some(explored) = workplace.run(explore.arg(&file), None)? else { return Ok(None) };
        let visited = explored.out.lines().find_map(|line| line.strip_prefix("VISITED_STATES "));
        let visited = visited.and_then(|number| number.trim().parse().ok());
        let figures = visited.map(|visited| PeerFigures { visited, usage: explored.usage });
        Ok(Some(figures.ok_or_else(|| explored.complaint())))
    }
}

/// The labels that the state of interest bears all of, separated by commas.
fn labels(model: &str) -> Option<String> {
    let mut comments = model.lines().take_while(|line| line.starts_with('#'));
    let (_, labels) = comments.find_map(|line| line.split_once(LABELS))?;
    Some(labels.trim().replace(':', ","))
}
