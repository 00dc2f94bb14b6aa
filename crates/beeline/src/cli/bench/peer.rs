//! Other model checkers beside us: looked for on the path, and given the same model, converted by ourselves.

use super::super::Stop;
use super::process::{Finished, Limits, Workplace};
use super::{EVERYTHING, this_executable};
use beeline_bench::peer::{Form, PEERS, Peer, Presence, Said, commands, version};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where a model of TChecker says which labels the state of interest bears.
const LABELS: &str = "labels=";

/// How long a program may take to tell its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program that was found.
pub struct Found {
    /// What it is.
    pub peer: &'static Peer,
    /// The form it takes models in.
    form: Form,
    path: PathBuf,
    /// What it says of its version.
    version: Option<String>,
}

/// What to do with a model.
pub struct Task<'a> {
    /// The model.
    pub model: &'a Path,
    /// The property to look at; without one, everything is explored.
    pub property: Option<&'a str>,
    /// What the program is told.
    pub options: &'a [&'a str],
    /// What it may use.
    pub limits: Limits,
}

/// What came of it.
pub struct Explored {
    /// What it found out; or why that is not known.
    pub said: Result<Reached, String>,
    /// What the process left behind; none if the model could not be converted.
    pub finished: Option<Finished>,
}

/// What a program found out about a model.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// Whether the state of interest was reached.
    pub target: bool,
    /// States explored, or nodes made, if it says.
    pub explored: Option<u64>,
    /// Steps of its trace, if it prints one.
    pub length: Option<u64>,
}

/// The peers that were looked for.
#[derive(Default)]
pub struct Peers {
    /// Those that were found and take models of ours.
    pub found: Vec<Found>,
    /// All, and whether they are there.
    pub all: Vec<(&'static Peer, Presence)>,
}

impl Peers {
    /// Looks for all of them on the path, unless none is wanted; a wish says where TChecker is.
    pub fn find(wish: Option<&str>, workplace: &Workplace) -> Result<Self, Stop> {
        let mut peers = Self::default();
        if wish == Some("none") {
            return Ok(peers);
        }
        for peer in PEERS {
            let path = match wish.filter(|_| peer.form == Some(Form::Tck)) {
                Some(path) if Path::new(path).is_file() => Some(PathBuf::from(path)),
                Some(path) => return Err(Stop::usage(format!("--peer: there is no program {path}"))),
                None => on_the_path(peer.program),
            };
            let Some(path) = path else {
                peers.all.push((peer, Presence::Absent));
                continue;
            };
            let version = told(peer, &path, workplace)?;
            peers.all.push((peer, Presence::Found(version.clone())));
            if let Some(form) = peer.form {
                peers.found.push(Found { peer, form, path, version });
            }
        }
        Ok(peers)
    }

    /// The one of that name, if it was found.
    pub fn named(&self, name: &str) -> Option<&Found> {
        self.found.iter().find(|found| found.peer.name == name)
    }

    /// Those that can explore networks.
    pub fn explorers(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| found.peer.explores())
    }

    /// The programs that are absent although they are wanted.
    pub fn missing(&self, wanted: impl Fn(&Peer) -> bool) -> Vec<&'static str> {
        let absent =
            |(peer, presence): &&(&'static Peer, Presence)| wanted(peer) && *presence == Presence::Absent;
        self.all.iter().filter(absent).map(|(peer, _)| peer.program).collect()
    }
}

fn on_the_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.is_file())
}

/// What a program says of its version; one that cannot be run says nothing.
fn told(peer: &Peer, path: &Path, workplace: &Workplace) -> Result<Option<String>, Stop> {
    if peer.version.is_empty() {
        return Ok(None);
    }
    let limits = Limits { time: Some(PATIENCE), memory: None };
    let Ok(finished) = workplace.run(Command::new(path).args(peer.version), limits) else { return Ok(None) };
    Ok(finished.filter(|f| f.stopped.is_none()).and_then(|f| version(&f.out).or_else(|| version(&f.err))))
}

impl Found {
    /// The program and its version.
    pub fn title(&self) -> String {
        self.version.clone().unwrap_or_else(|| self.peer.program.to_string())
    }

    /// Has it look at a model; `None` if that was interrupted.
    pub fn explore(&self, task: &Task<'_>, workplace: &Workplace) -> Result<Option<Explored>, Stop> {
        let mut explore = Command::new(&self.path);
        explore.args(task.options);
        let reached = match self.give(task, &mut explore, workplace) {
            Ok(reached) => reached,
            Err(Halt::Stop(stop)) => return Err(stop),
            Err(Halt::Interrupt) => return Ok(None),
            Err(Halt::Refused(reason)) => return Ok(Some(Explored { said: Err(reason), finished: None })),
        };
        let Some(finished) = workplace.run(&mut explore, task.limits)? else { return Ok(None) };
        let found = |said: Said| Reached {
            target: said.satisfied == reached,
            explored: said.explored,
            length: said.length,
        };
        let said = self.form.read(&finished.out).map(found);
        let said = said.filter(|_| finished.stopped.is_none()).ok_or_else(|| finished.complaint());
        Ok(Some(Explored { said, finished: Some(finished) }))
    }

    /// Gives it the model: whether it says "satisfied" if the state of interest is reached.
    fn give(&self, task: &Task<'_>, explore: &mut Command, workplace: &Workplace) -> Result<bool, Halt> {
        match self.form {
            Form::Tck => {
                let model = workplace.file("peer.tck");
                let text = convert(task, "tck", &model, workplace)?;
                if let Some(labels) = labels(&text) {
                    explore.args(["-l", &labels]);
                }
                explore.arg(model);
                Ok(true)
            }
            Form::Xta => {
                let (model, queries) = (workplace.file("peer.xta"), workplace.file("peer.q"));
                convert(task, "xta", &model, workplace)?;
                let query = match task.property {
                    Some(_) => convert(task, "q", &queries, workplace)?,
                    None => write(&queries, EVERYTHING.to_string())?,
                };
                explore.arg("-u").args([model, queries]);
                Ok(query.lines().any(|line| line.starts_with("E<>")))
            }
            Form::Smv => {
                let invariant = invariant(task, workplace)?;
                let script = workplace.file("peer.cmd");
                write(&script, commands(&task.model.display().to_string(), &invariant))?;
                explore.arg("-source").arg(script);
                Ok(false)
            }
        }
    }
}

/// Why a model could not be given to a peer.
enum Halt {
    Stop(Stop),
    Interrupt,
    /// It has no form there, for this reason.
    Refused(String),
}

/// The invariant that a task is about: the p of `INVARSPEC p`, `SPEC AG p` or `LTLSPEC G p`.
fn invariant(task: &Task<'_>, workplace: &Workplace) -> Result<String, Halt> {
    let mut info = this_executable().map_err(Halt::Stop)?;
    info.arg("info").arg(task.model).args(["-p", task.property.unwrap_or("1"), "--json"]);
    let told = workplace.run(&mut info, Limits::default()).map_err(Halt::Stop)?.ok_or(Halt::Interrupt)?;
    if told.code != Some(0) {
        return Err(Halt::Refused(told.complaint()));
    }
    let object: Value = serde_json::from_str(&told.out).unwrap_or_default();
    let text = object["info"]["properties"][0]["property"].as_str().unwrap_or_default();
    let forms = ["INVARSPEC ", "SPEC AG ", "CTLSPEC AG ", "AG ", "LTLSPEC G "];
    let invariant = forms.iter().find_map(|form| text.strip_prefix(form));
    invariant.map(str::to_string).ok_or_else(|| Halt::Refused(format!("no invariant for NuSMV: {text}")))
}

/// Converts the model of a task, and writes it to a file.
fn convert(task: &Task<'_>, to: &str, file: &Path, workplace: &Workplace) -> Result<String, Halt> {
    let mut convert = this_executable().map_err(Halt::Stop)?;
    convert.arg("convert").arg(task.model).args(["--to", to]);
    if let Some(property) = task.property {
        convert.args(["-p", property]);
    }
    let converted = workplace.run(&mut convert, Limits::default()).map_err(Halt::Stop)?;
    let converted = converted.ok_or(Halt::Interrupt)?;
    if converted.code != Some(0) {
        return Err(Halt::Refused(converted.complaint()));
    }
    write(file, converted.out)
}

fn write(file: &Path, text: String) -> Result<String, Halt> {
    let unwritable = |e| Halt::Stop(Stop::usage(format!("{} cannot be written: {e}", file.display())));
    std::fs::write(file, &text).map_err(unwritable)?;
    Ok(text)
}

/// The labels that the state of interest bears all of, separated by commas.
fn labels(model: &str) -> Option<String> {
    let mut comments = model.lines().take_while(|line| line.starts_with('#'));
    let (_, labels) = comments.find_map(|line| line.split_once(LABELS))?;
    Some(labels.trim().replace(':', ","))
}
