//! Edges and labels in words: `P1: idle -> req  go!  guard id == 0  do x := 0`.

use crate::story::PartWords;
use crate::view::plain;
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::layout::{Label, Part};
use beeline_ir::model::Model;
use beeline_ir::network::{Edge, Location, Network, Sync};
use beeline_ir::stmt::{Pattern, Place, Receive};
use beeline_ir::text::{self, Scope};
use beeline_ir::{EdgeId, ProcessId};

/// Says what edges do.
pub struct Words<'m> {
    network: &'m Network,
    scope: Scope<'m>,
}

impl<'m> Words<'m> {
    /// For a network; a relation has no edges.
    pub fn new(model: &'m Model) -> Option<Self> {
        match model {
            Model::Network(network) => Some(Self { network, scope: Scope::new(model) }),
            Model::Relation(_) => None,
        }
    }

    /// The parts of a label.
    pub fn label(&self, label: &Label) -> Vec<PartWords> {
        label.parts.iter().filter_map(|part| self.part(part)).collect()
    }

    fn part(&self, part: &Part) -> Option<PartWords> {
        let edge = self.edge(part.process, part.edge)?;
        let selects = edge.frame.iter().take(edge.selects).zip(&part.selects);
        let mut details: Vec<String> =
            selects.map(|(local, value)| format!("with {} = {value}", plain(&local.name))).collect();
        details.extend(self.guard(part.process, part.edge));
        details.extend(self.update(part.process, part.edge));
        let head = self.head(part.process, edge);
        Some(PartWords { head, sync: self.sync(part.process, edge), details, column: None })
    }

    /// `P1: idle -> req`, for an edge of a process.
    pub fn observer(&self, process: ProcessId, edge: EdgeId) -> Option<String> {
        Some(self.head(process, self.edge(process, edge)?))
    }

    /// Everything an edge says beside its ends, one thing per line.
    pub fn details(&self, process: ProcessId, id: EdgeId) -> Vec<String> {
        let Some(edge) = self.edge(process, id) else { return Vec::new() };
        let select = |local: &beeline_ir::stmt::Local| {
            format!("select {} in {}..{}", plain(&local.name), local.range.lo, local.range.hi)
        };
        let selects = edge.frame.iter().take(edge.selects).map(select);
        selects
            .chain(self.guard(process, id))
            .chain(self.sync(process, edge))
            .chain(self.update(process, id))
            .collect()
    }

    /// The invariant of a location.
    pub fn invariant(&self, process: ProcessId, location: &Location) -> Option<String> {
        let mut conditions = Vec::new();
        if !location.condition.is_true() {
            conditions.push(text::print_expr(
                &self.scope,
                Some(process),
                &location.frame,
                &location.condition,
            ));
        }
        let atoms = location.invariant.iter();
        conditions.extend(atoms.map(|a| text::print_atom(&self.scope, Some(process), &location.frame, a)));
        (!conditions.is_empty()).then(|| conditions.join(", "))
    }

    fn edge(&self, process: ProcessId, edge: EdgeId) -> Option<&'m Edge> {
        self.network.processes.get(process)?.edges.get(edge)
    }

    fn head(&self, process: ProcessId, edge: &Edge) -> String {
        let process = &self.network.processes[process];
        let name =
            |location| plain(process.locations.get(location).map_or("?", |l: &Location| l.name.as_str()));
        format!("{}: {} -> {}", plain(&process.name), name(edge.source), name(edge.target))
    }

    fn guard(&self, process: ProcessId, edge: EdgeId) -> Option<String> {
        let guard = text::print_guard(&self.scope, process, edge);
        (!guard.is_empty()).then(|| format!("guard {guard}"))
    }

    fn update(&self, process: ProcessId, edge: EdgeId) -> Option<String> {
        let update = text::print_update(&self.scope, process, edge);
        let update = update.trim_end_matches(';');
        (!update.is_empty()).then(|| format!("do {update}"))
    }

    fn sync(&self, process: ProcessId, edge: &Edge) -> Option<String> {
        let expr = |e: &Expr| text::print_expr(&self.scope, Some(process), &edge.frame, e);
        let list = |fields: Vec<String>| match fields.is_empty() {
            true => String::new(),
            false => format!("({})", fields.join(", ")),
        };
        match &edge.sync {
            Sync::Internal => None,
            Sync::Send(send) => {
                let mark = if send.sorted { "!!" } else { "!" };
                let message = list(send.message.iter().map(expr).collect());
                Some(format!("{}{mark}{message}", self.channel(&send.channel, &expr)))
            }
            Sync::Receive(receive) => {
                let Receive { channel, pattern, any, keep } = receive;
                let mark = if *any { "??" } else { "?" };
                let pattern = list(pattern.iter().map(|p| pattern_words(p, &expr)).collect());
                let keep = if *keep { " (kept)" } else { "" };
                Some(format!("{}{mark}{pattern}{keep}", self.channel(channel, &expr)))
            }
        }
    }

    fn channel(&self, channel: &ChannelRef, expr: &dyn Fn(&Expr) -> String) -> String {
        match channel {
            ChannelRef::Element(id, index) => {
                let known = self.network.channels.get(*id).is_some();
                let name = if known { plain(&self.network.channel_name(*id)) } else { "?".into() };
                index.as_ref().map_or(name.clone(), |index| format!("{name}[{}]", expr(index)))
            }
            ChannelRef::Value(value) => format!("*{}", expr(value)),
        }
    }
}

fn pattern_words(pattern: &Pattern, expr: &dyn Fn(&Expr) -> String) -> String {
    match pattern {
        Pattern::Ignore => "_".into(),
        Pattern::Match(value) => format!("={}", expr(value)),
        Pattern::Bind(target) => expr(&match &target.place {
            Place::Var(var) => Expr::Var(*var),
            Place::Elem(var, index) => Expr::Elem(*var, Box::new(index.clone())),
            Place::Local(local) => Expr::Local(*local),
            Place::LocalElem(local, index) => Expr::LocalElem(*local, Box::new(index.clone())),
        }),
    }
}
