//! Steps in the words of the model: who, where in the file, and the statement as it is written there.

mod trail;

use beeline_ir::layout::{Label, Layout, Part};
use beeline_ir::network::{Network, Process, Role};
use beeline_ir::stmt::Stmt;
use beeline_ir::{EdgeId, ProcessId};

pub use trail::{Trail, TrailLine};

/// Longest statement that is shown.
const MAX_SHOWN: usize = 100;

/// The statement with which a process ends.
const ENDS: &str = "-end-";

/// What one process does in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// `P(1)`
    pub who: String,
    /// ` line 12`, if that is known.
    pub place: String,
    /// `x = 3`
    pub statement: String,
}

/// Tells the steps of one model.
#[derive(Debug)]
pub struct Teller<'m> {
    network: &'m Network,
    text: &'m str,
    /// Where each line of the text begins.
    lines: Vec<usize>,
    layout: Layout,
}

impl<'m> Teller<'m> {
    /// For a model that was read from this text.
    pub fn new(network: &'m Network, text: &'m str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { network, text, lines, layout: Layout::of_network(network) }
    }

    /// Who does what, for every part of a label that is executed in a state.
    pub fn label(&self, label: &Label, before: &[i64]) -> Vec<Told> {
        label.parts.iter().filter_map(|part| self.part(part, before)).collect()
    }

    /// Where the processes are in a state, one line each: the statement that is next, the first if there are several.
    pub fn standing(&self, state: &[i64]) -> Vec<String> {
        let system = self.network.processes.enumerate().filter(|(_, process)| process.role == Role::System);
        let told = |(id, process): (ProcessId, &Process)| {
            let at = self.layout.location(id, *state.get(self.layout.location[id])?)?;
            let mut leaving = process.edges.enumerate().filter(|(_, edge)| edge.source == at);
            let part = |edge: EdgeId| Part { process: id, edge, selects: Vec::new() };
            let next = leaving.find_map(|(edge, _)| self.part(&part(edge), state));
            Some(match next {
                Some(next) if next.statement != ENDS => {
                    format!("{} before{}: {}", next.who, next.place, next.statement)
                }
                _ => format!("{} at its end", self.who(id, state)),
            })
        };
        system.filter_map(told).collect()
    }

    fn who(&self, id: ProcessId, state: &[i64]) -> String {
        let name = &self.network.processes[id].name;
        let name = name.split(['(', '#']).next().unwrap_or(name);
        let number = number(&self.layout, id, state);
        number.map_or_else(|| name.to_string(), |number| format!("{name}({number})"))
    }

    fn part(&self, part: &Part, before: &[i64]) -> Option<Told> {
        let process = self.network.processes.get(part.process)?;
        let edge = process.edges.get(part.edge)?;
        let who = self.who(part.process, before);
        let Some(origin) = &edge.origin else {
            return Some(Told { who, place: String::new(), statement: String::new() });
        };
        let place = self.line(origin);
        if edge.update.last() == Some(&Stmt::Exit) {
            return Some(Told { who, place, statement: ENDS.into() });
        }
        if origin.native.is_empty() {
            return Some(Told { who, place, statement: "(the message has arrived)".into() });
        }
        let written = match origin.file {
            0 => self.text.get(origin.span.start as usize..origin.span.end as usize).unwrap_or_default(),
            _ => "",
        };
        let mut statement = written.split_whitespace().collect::<Vec<_>>().join(" ");
        if statement.chars().count() > MAX_SHOWN {
            statement = statement.chars().take(MAX_SHOWN).chain("...".chars()).collect();
        }
        Some(Told { who, place, statement })
    }

    fn line(&self, origin: &beeline_ir::origin::Origin) -> String {
        match origin.file {
            0 => {
                let line = self.lines.partition_point(|start| *start <= origin.span.start as usize);
                format!(" line {line}")
            }
            file => format!(" in {}", self.network.sources.get(file as usize).map_or("?", String::as_str)),
        }
    }
}

/// The number of a process in a state.
fn number(layout: &Layout, process: ProcessId, state: &[i64]) -> Option<i64> {
    match layout.pid[process] {
        Some(slot) => state.get(slot).copied(),
        None => layout.static_pid[process],
    }
}
