//! The inside of a template: local declarations, locations, edges.

use super::declare::Names;
use super::expr::Level;
use super::template::{Group, Param};
use super::{EdgeText, LocationText, Printer, TemplateText};
use beeline_ir::ProcessId;
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::network::{Edge, Process, Sync};

impl Printer<'_> {
    /// The template of a group, of this name and with these parameters, from its first process with holes for constants.
    pub(super) fn template_text(
        &mut self,
        (name, params): (&str, &str),
        process: &Process,
        global: &Names,
        group: &Group,
        taken: &[Param],
        holes: &[String],
    ) -> TemplateText {
        let processes = std::mem::take(&mut self.names.processes);
        self.names = Names { processes, ..global.clone() };
        self.holes = holes.to_vec();
        let uses = &group.uses[0];
        for param in taken {
            match *param {
                Param::Constant(_) => {}
                Param::Var(i) => self.names.vars[uses.vars[i].index()] = format!("v_{i}"),
                Param::Clock(i) => self.names.clocks[uses.clocks[i].index()] = format!("x_{i}"),
                Param::Channel(i) => self.names.channels[uses.channels[i].index()] = format!("c_{i}"),
            }
        }
        let mut declarations = self.private_lines(group.members[0]);
        let locations = process
            .locations
            .iter()
            .map(|location| {
                self.frame = location.frame.iter().map(|l| l.name.clone()).collect();
                let mut parts = self.conjuncts(&location.condition);
                parts.extend(location.invariant.iter().map(|a| self.constraint(a)));
                LocationText {
                    name: location.name.clone(),
                    invariant: self.conjunction(&parts),
                    urgent: location.urgent && !location.committed,
                    committed: location.committed,
                }
            })
            .collect();
        let edges = process.edges.iter().map(|e| self.edge(e, &mut declarations)).collect();
        self.names = Names { processes: std::mem::take(&mut self.names.processes), ..global.clone() };
        TemplateText {
            name: name.to_string(),
            params: params.to_string(),
            declarations: declarations.join("\n"),
            locations,
            initial: process.initial.index(),
            edges,
        }
    }

    fn private_lines(&mut self, process: ProcessId) -> Vec<String> {
        let network = self.network;
        let mut lines = Vec::new();
        for (id, var) in network.vars.enumerate() {
            if self.private_var(id) == Some(process) {
                let line = self.var_line(&var.name, var);
                lines.push(line);
            }
        }
        for (id, clock) in network.clocks.enumerate() {
            if self.private_clock(id) == Some(process) {
                lines.push(format!("clock {};", clock.name));
            }
        }
        lines
    }

    /// The parts of a condition that all must hold; none if it is true.
    fn conjuncts(&mut self, e: &Expr) -> Vec<String> {
        match e {
            e if e.is_true() => Vec::new(),
            Expr::And(all) if !all.is_empty() => all.iter().map(|e| self.truth(e, Level::BitOr)).collect(),
            e => vec![self.truth(e, Level::BitOr)],
        }
    }

    fn constraint(&mut self, atom: &beeline_ir::expr::ClockAtom) -> String {
        let (text, level) = self.atom(atom);
        if level < Level::BitOr { format!("({text})") } else { text }
    }

    fn conjunction(&mut self, parts: &[String]) -> String {
        if self.style.old {
            return parts.join(", ");
        }
        let mut text = String::new();
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                text += if self.word() { " and " } else { " && " };
            }
            text += part;
        }
        text
    }

    fn edge(&mut self, edge: &Edge, declarations: &mut Vec<String>) -> EdgeText {
        self.frame = edge.frame.iter().map(|l| l.name.clone()).collect();
        let selects = &edge.frame[..edge.selects];
        let select: Vec<String> = selects
            .iter()
            .map(|l| {
                let ty = self.range_type(l.range);
                format!("{} : {ty}", l.name)
            })
            .collect();
        let arguments: Vec<&str> = selects.iter().map(|l| l.name.as_str()).collect();
        let arguments = arguments.join(", ");
        let wrap = |printer: &mut Self| !printer.style.old && printer.random.chance(printer.style.functions);
        let mut guard = if !edge.guard.is_true() && wrap(self) {
            let params: Vec<String> = selects.iter().map(|l| self.parameter(l)).collect();
            let text = self.truth(&edge.guard, Level::Quantifier);
            let name = format!("guard{}", declarations.len());
            declarations.push(format!("bool {name}({}) {{ return {text}; }}", params.join(", ")));
            vec![format!("{name}({arguments})")]
        } else {
            self.conjuncts(&edge.guard)
        };
        guard.extend(edge.clock_guard.iter().map(|a| self.constraint(a)));
        let simple = edge.update.iter().all(Self::is_simple);
        let update = if edge.update.is_empty() {
            String::new()
        } else if simple && !wrap(self) {
            let all: Vec<String> = edge.update.iter().map(|s| self.simple(s)).collect();
            all.join(", ")
        } else {
            let params: Vec<String> = selects.iter().map(|l| self.parameter(l)).collect();
            let body = self.body(&edge.frame, edge.selects, &edge.update);
            let name = format!("update{}", declarations.len());
            declarations.push(format!("void {name}({}) {{ {body} }}", params.join(", ")));
            format!("{name}({arguments})")
        };
        EdgeText {
            source: edge.source.index(),
            target: edge.target.index(),
            select: select.join(", "),
            guard: self.conjunction(&guard),
            sync: self.sync(&edge.sync),
            update,
        }
    }

    fn sync(&mut self, sync: &Sync) -> String {
        let (channel, mark) = match sync {
            Sync::Internal => return String::new(),
            Sync::Send(send) => (&send.channel, '!'),
            Sync::Receive(receive) => (&receive.channel, '?'),
        };
        match channel {
            ChannelRef::Element(id, None) => format!("{}{mark}", self.names.channel(*id)),
            ChannelRef::Element(id, Some(index)) => {
                let index = self.expr(index, Level::Quantifier);
                format!("{}[{index}]{mark}", self.names.channel(*id))
            }
            // Not in UPPAAL; `Style::draw` lets none through.
            ChannelRef::Value(_) => String::new(),
        }
    }
}
