//! Declarations: names, ranges, initial values, sizes, families, parameters, origins.

use std::collections::BTreeSet;

use super::{Checker, MAX_CELLS, Site};
use crate::expr::Range;
use crate::id::ProcessId;
use crate::network::{Channel, ChannelKind, Network, SymbolTable, Var};
use crate::origin::{Origin, Span};

/// The names of a namespace so far.
#[derive(Default)]
pub(super) struct Namespace<'m>(BTreeSet<&'m str>);

impl<'m> Checker<'m> {
    /// Checks that a name is new in its namespace.
    pub(super) fn unique(&mut self, space: &mut Namespace<'m>, name: &'m str, span: Option<Span>) {
        if name.is_empty() {
            self.error("E0302", "a name is empty".to_string(), span);
        } else if !space.0.insert(name) {
            self.error("E0301", format!("the name `{name}` is used twice"), span);
        }
    }
    /// Checks that a range has values.
    pub(super) fn range(&mut self, what: &str, range: Range, span: Option<Span>) {
        if range.lo > range.hi {
            self.error("E0303", format!("{what}: the range {}..{} is empty", range.lo, range.hi), span);
        }
    }
    /// Checks that an origin refers to a file.
    pub(super) fn origin(&mut self, origin: Option<&Origin>) {
        if let Some(origin) = origin
            && origin.file as usize >= self.model.sources().len()
        {
            let message = format!("an origin refers to file {}, which is not there", origin.file);
            self.error("E0313", message, None);
        }
    }
    /// Checks the locals of a frame.
    pub(super) fn frame(&mut self, site: &Site<'m>) {
        let mut names = Namespace::default();
        let mut cells = 0_u64;
        for (i, local) in site.frame.iter().enumerate() {
            self.unique(&mut names, &local.name, site.span);
            let what = format!("{}: local `{}`", site.what, local.name);
            self.range(&what, local.range, site.span);
            if local.len == Some(0) {
                self.error("E0306", format!("{what} has no elements"), site.span);
            }
            if local.len.is_some() && i < site.fixed {
                self.error("E0316", format!("{what} must not be an array"), site.span);
            }
            cells += u64::from(local.len.unwrap_or(1));
        }
        if cells > MAX_CELLS {
            self.fault(site, "E0307", &format!("the locals have more than {MAX_CELLS} cells"));
        }
        if site.fixed > site.frame.len() {
            self.fault(site, "E0332", "there are fewer locals than select variables or parameters");
        }
    }
    /// Checks a table of names for values.
    pub(super) fn symbol_table(&mut self, table: &SymbolTable) {
        if !table.symbols.is_sorted_by(|a, b| a.0 < b.0) {
            self.error("E0310", format!("the values of enum `{}` do not ascend", table.name), None);
        }
    }

    /// Checks everything that is declared in a network, the inside of processes and functions excepted.
    pub(super) fn declarations(&mut self, network: &'m Network) {
        self.names(network);
        network.enums.iter().for_each(|t| self.symbol_table(t));
        for var in &network.vars {
            self.var(network, var);
        }
        for channel in &network.channels {
            self.channel(network, channel);
        }
        for clock in &network.clocks {
            self.origin(clock.origin.as_ref());
        }
        self.families(network);
        self.size(network);
    }

    fn names(&mut self, network: &'m Network) {
        let mut global = Namespace::default();
        let mut owned: Vec<Namespace<'m>> = Vec::new();
        for process in &network.processes {
            self.unique(&mut global, &process.name, span(process.origin.as_ref()));
            let mut space = Namespace::default();
            for location in &process.locations {
                self.unique(&mut space, &location.name, span(location.origin.as_ref()));
            }
            owned.push(space);
        }
        let vars = network.vars.iter().map(|v| (v.owner, v.name.as_str(), v.origin.as_ref()));
        let clocks = network.clocks.iter().map(|c| (c.owner, c.name.as_str(), c.origin.as_ref()));
        let channels = network.channels.iter().map(|c| (c.owner, c.name.as_str(), c.origin.as_ref()));
        for (owner, name, origin) in vars.chain(clocks).chain(channels) {
            let space = match owner {
                None => Some(&mut global),
                Some(process) => owned.get_mut(process.index()),
            };
            match space {
                Some(space) => self.unique(space, name, span(origin)),
                None => self.error(
                    "E0315",
                    format!("`{name}` belongs to a process that is not there"),
                    span(origin),
                ),
            }
        }
        for function in &network.functions {
            self.unique(&mut global, &function.name, span(function.origin.as_ref()));
        }
        let others = network.families.iter().map(|f| &f.name).chain(network.enums.iter().map(|e| &e.name));
        for name in others {
            self.unique(&mut global, name, None);
        }
    }

    fn var(&mut self, network: &Network, var: &Var) {
        let (what, span) = (format!("variable `{}`", var.name), span(var.origin.as_ref()));
        self.origin(var.origin.as_ref());
        self.range(&what, var.range, span);
        let elements = var.len.map_or(1, |n| n as usize);
        if elements == 0 {
            self.error("E0306", format!("{what} has no elements"), span);
        } else if var.init.len() != elements {
            let message = format!("{what} has {elements} elements and {} initial values", var.init.len());
            self.error("E0304", message, span);
        }
        if let Some(value) = var.init.iter().find(|v| !var.range.contains(**v)) {
            let Range { lo, hi } = var.range;
            self.error("E0305", format!("{what}: the initial value {value} is outside of {lo}..{hi}"), span);
        }
        if var.symbols.is_some_and(|id| network.enums.get(id).is_none()) {
            self.error("E0315", format!("{what} has an enum that is not there"), span);
        }
    }

    fn channel(&mut self, network: &Network, channel: &Channel) {
        let (what, span) = (format!("channel `{}`", channel.name), span(channel.origin.as_ref()));
        self.origin(channel.origin.as_ref());
        for range in &channel.fields {
            self.range(&what, *range, span);
        }
        let unknown = channel.symbols.iter().flatten().any(|id| network.enums.get(*id).is_none());
        if unknown || channel.symbols.len() != channel.fields.len() {
            self.error("E0315", format!("{what} has an enum that is not there"), span);
        }
        if channel.elements() == 0 {
            self.error("E0306", format!("{what} has no elements"), span);
        } else if channel.priority.len() != channel.elements() {
            let (elements, priorities) = (channel.elements(), channel.priority.len());
            self.error("E0309", format!("{what} has {elements} elements and {priorities} priorities"), span);
        }
        if channel.kind == (ChannelKind::Buffered { capacity: 0 }) {
            let message = format!("{what}: a buffer holds at least one message");
            self.error("E0308", message, span);
        }
    }

    fn families(&mut self, network: &Network) {
        for (id, family) in network.families.enumerate() {
            let slots: Vec<ProcessId> =
                network.processes.enumerate().filter(|(_, p)| p.family == Some(id)).map(|(p, _)| p).collect();
            let name = &family.name;
            if family.slots != slots {
                let message = format!("the slots of family `{name}` are not its processes in their order");
                self.error("E0311", message, None);
            }
            let params = |p: &ProcessId| network.processes[*p].params.len();
            if slots.windows(2).any(|w| params(&w[0]) != params(&w[1])) {
                let message = format!("the slots of family `{name}` have different numbers of parameters");
                self.error("E0311", message, None);
            }
        }
    }

    /// Counts the slots of a state without making any.
    fn size(&mut self, network: &Network) {
        let mut slots = 2 * network.processes.len() as u128;
        slots += network.vars.iter().map(|v| u128::from(v.len.unwrap_or(1))).sum::<u128>();
        for channel in &network.channels {
            let each = match channel.kind {
                ChannelKind::Buffered { capacity } => 1 + u128::from(capacity) * channel.fields.len() as u128,
                _ => 1,
            };
            slots += channel.elements() as u128 * each;
        }
        if slots > u128::from(MAX_CELLS) {
            self.error("E0307", format!("a state has more than {MAX_CELLS} cells"), None);
        }
    }
}

fn span(origin: Option<&Origin>) -> Option<Span> {
    origin.map(|o| o.span)
}
