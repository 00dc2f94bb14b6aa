//! Steps in the words of the model: who, where in the file, and the statement as it is written there.

mod trail;

use beeline_ir::layout::{Label, Layout, Part};
use beeline_ir::network::{Network, Process, Role};
use beeline_ir::origin::Origin;
use beeline_ir::stmt::Stmt;
use beeline_ir::{EdgeId, ProcessId};

use crate::Symbols;
use crate::preprocess::Sources;
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
    /// ` line 12`, or ` proto.h line 12`.
    pub place: String,
    /// `x = 3`
    pub statement: String,
}

/// Tells the steps of one model.
#[derive(Debug)]
pub struct Teller<'m> {
    network: &'m Network,
    sources: &'m Sources,
    layout: Layout,
}

impl<'m> Teller<'m> {
    /// For a model and the names it was read with.
    pub fn new(network: &'m Network, symbols: &'m Symbols) -> Self {
        Self { network, sources: &symbols.sources, layout: Layout::of_network(network) }
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
        let mut statement = self.sources.written(self.sources.place(origin));
        if statement.chars().count() > MAX_SHOWN {
            statement = statement.chars().take(MAX_SHOWN).chain("...".chars()).collect();
        }
        Some(Told { who, place, statement })
    }

    /// The line; that of an included file has the file's name.
    fn line(&self, origin: &Origin) -> String {
        match (origin.file, self.sources.line(self.sources.place(origin))) {
            (0, Some((_, line))) => format!(" line {line}"),
            (_, Some((file, line))) => format!(" {file} line {line}"),
            (_, None) => String::new(),
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
