//! Steps in the words of the model: who, where in the file, and the statement as it is written there.

use beeline_ir::layout::{Label, Layout, Part};
use beeline_ir::network::Network;
use beeline_ir::stmt::Stmt;

/// Longest statement that is shown.
const MAX_SHOWN: usize = 100;

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

    /// Who does what, for every part of a label that is executed in a state: `P(1) line 12: x = 3`.
    pub fn label(&self, label: &Label, before: &[i64]) -> Vec<String> {
        label.parts.iter().filter_map(|part| self.part(part, before)).collect()
    }

    fn part(&self, part: &Part, before: &[i64]) -> Option<String> {
        let process = self.network.processes.get(part.process)?;
        let edge = process.edges.get(part.edge)?;
        let number = match self.layout.pid[part.process] {
            Some(slot) => before.get(slot).copied(),
            None => self.layout.static_pid[part.process],
        };
        let name = process.name.split(['(', '#']).next().unwrap_or(&process.name);
        let who = number.map_or_else(|| name.to_string(), |number| format!("{name}({number})"));
        let Some(origin) = &edge.origin else { return Some(who) };
        if edge.update.last() == Some(&Stmt::Exit) {
            return Some(format!("{who}{}: -end-", self.line(origin)));
        }
        let written = match origin.file {
            0 => self.text.get(origin.span.start as usize..origin.span.end as usize).unwrap_or_default(),
            _ => "",
        };
        let mut statement = written.split_whitespace().collect::<Vec<_>>().join(" ");
        if statement.chars().count() > MAX_SHOWN {
            statement = statement.chars().take(MAX_SHOWN).chain("...".chars()).collect();
        }
        Some(format!("{who}{}: {statement}", self.line(origin)))
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
