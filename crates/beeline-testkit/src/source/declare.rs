//! Global declarations, and what everything is called. Grouping variables in arrays and structs is a matter of names:
//! `v1` becomes `group0[1]` or `record0.v1`, an array `a` becomes the row `group1[0]`.

use super::Printer;
use crate::walk::{self, Visitor};
use beeline_ir::expr::Range;
use beeline_ir::network::{Channel, ChannelKind, Network, Var};
use beeline_ir::{ChannelId, ClockId, FunctionId, ProcessId, VarId};

/// What everything is called.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    pub vars: Vec<String>,
    pub clocks: Vec<String>,
    pub channels: Vec<String>,
    pub functions: Vec<String>,
    /// Processes as queries name them.
    pub processes: Vec<String>,
}

impl Names {
    pub fn var(&self, id: VarId) -> &str {
        &self.vars[id.index()]
    }
    pub fn clock(&self, id: ClockId) -> &str {
        &self.clocks[id.index()]
    }
    pub fn channel(&self, id: ChannelId) -> &str {
        &self.channels[id.index()]
    }
    pub fn function(&self, id: FunctionId) -> &str {
        &self.functions[id.index()]
    }
}

/// Looks for variables and clocks.
#[derive(Default)]
struct Used {
    vars: Vec<VarId>,
    clocks: Vec<ClockId>,
}

impl Visitor for Used {
    fn var(&mut self, id: &mut VarId) {
        self.vars.push(*id);
    }
    fn clock(&mut self, id: &mut ClockId) {
        self.clocks.push(*id);
    }
}

impl Used {
    /// What the process speaks of, and what the rest of the model does.
    fn by(network: &Network, owner: ProcessId) -> [Self; 2] {
        let mut used = [Self::default(), Self::default()];
        for function in &network.functions {
            walk::block(&mut function.body.clone(), &mut used[1]);
        }
        for (id, process) in network.processes.enumerate() {
            walk::process(&mut process.clone(), id, &mut used[usize::from(id != owner)]);
        }
        used
    }
}

impl Printer<'_> {
    /// The process that, with the queries, speaks of the variable, if it owns it and no other does.
    pub(super) fn private_var(&self, id: VarId) -> Option<ProcessId> {
        let owner = self.network.vars[id].owner?;
        let [own, others] = Used::by(self.network, owner);
        (own.vars.contains(&id) && !others.vars.contains(&id)).then_some(owner)
    }
    /// The process that, with the queries, speaks of the clock, if it owns it and no other does.
    pub(super) fn private_clock(&self, id: ClockId) -> Option<ProcessId> {
        let owner = self.network.clocks[id].owner?;
        let [own, others] = Used::by(self.network, owner);
        (own.clocks.contains(&id) && !others.clocks.contains(&id)).then_some(owner)
    }

    /// Declares variables, clocks and channels that are not private to a process.
    pub(super) fn globals(&mut self) -> String {
        let mut lines = Vec::new();
        self.names.functions = self.network.functions.iter().map(|f| f.name.clone()).collect();
        self.var_lines(&mut lines);
        self.clock_lines(&mut lines);
        self.channel_lines(&mut lines);
        if self.style.old && self.constants.is_empty() {
            // Something that only the old syntax has.
            lines.insert(0, "const OLD 1;".to_string());
        }
        lines.join("\n")
    }

    fn var_lines(&mut self, lines: &mut Vec<String>) {
        let network = self.network;
        let mut shared = Vec::new();
        for (id, var) in network.vars.enumerate() {
            let owner = self.private_var(id);
            let name = match (owner, var.owner) {
                (None, Some(p)) => format!("{}_{}", network.processes[p].name, var.name),
                _ => var.name.clone(),
            };
            self.names.vars.push(name);
            if owner.is_none() {
                shared.push(id);
            }
        }
        let grouped: Vec<VarId> = shared
            .iter()
            .copied()
            .filter(|_| !self.style.old && self.random.chance(self.style.grouping))
            .collect();
        shared.retain(|id| !grouped.contains(id));
        if self.random.chance(50) {
            self.record(&grouped, lines);
        } else {
            self.rows(grouped, lines);
        }
        for id in shared {
            let (name, var) = (self.names.var(id).to_string(), &network.vars[id]);
            let line = self.var_line(&name, var);
            lines.push(line);
        }
    }

    /// `type name[len] = init;`
    pub(super) fn var_line(&mut self, name: &str, var: &Var) -> String {
        let ty = self.range_type(var.range);
        let dims = self.dims(var.len);
        let default = default(var.range);
        let plain = var.init.iter().all(|v| *v == default);
        if plain && (self.style.old || self.random.chance(50)) {
            return format!("{ty} {name}{dims};");
        }
        let assign = if self.style.old { ":=" } else { "=" };
        format!("{ty} {name}{dims} {assign} {};", initial(var))
    }

    fn dims(&mut self, len: Option<u32>) -> String {
        match len {
            None => String::new(),
            Some(n) if !self.style.old && self.random.chance(25) => {
                let index = self.type_name(format!("int[0,{}]", n - 1));
                format!("[{index}]")
            }
            Some(n) => {
                let n = self.number(i64::from(n));
                format!("[{n}]")
            }
        }
    }

    pub(super) fn range_type(&mut self, range: Range) -> String {
        if range == Range::BOOL && self.style.bools {
            return "bool".to_string();
        }
        let (lo, hi) = (self.number(range.lo), self.number(range.hi));
        self.type_name(format!("int[{lo},{hi}]"))
    }

    /// All of them as fields of one struct.
    fn record(&mut self, grouped: &[VarId], lines: &mut Vec<String>) {
        if grouped.is_empty() {
            return;
        }
        let network = self.network;
        let (mut fields, mut values) = (Vec::new(), Vec::new());
        for &id in grouped {
            let var = &network.vars[id];
            let ty = self.range_type(var.range);
            let dims = self.dims(var.len);
            let field = self.names.var(id).to_string();
            fields.push(format!("{ty} {field}{dims};"));
            values.push(initial(var));
            self.names.vars[id.index()] = format!("record0.{field}");
        }
        let record = format!("struct {{ {} }}", fields.join(" "));
        let record = self.type_name(record);
        lines.push(format!("{record} record0 = {{ {} }};", values.join(", ")));
    }

    /// Those of one type as the elements, or rows, of an array.
    fn rows(&mut self, mut left: Vec<VarId>, lines: &mut Vec<String>) {
        let network = self.network;
        let mut groups = 0;
        while let Some(&first) = left.first() {
            let kind = |id: VarId| (network.vars[id].range, network.vars[id].len);
            let group: Vec<VarId> = left.iter().copied().filter(|id| kind(*id) == kind(first)).collect();
            left.retain(|id| !group.contains(id));
            let ty = self.range_type(network.vars[first].range);
            let rows = self.number(group.len() as i64);
            let dims = self.dims(network.vars[first].len);
            let values: Vec<String> = group.iter().map(|id| initial(&network.vars[*id])).collect();
            lines.push(format!("{ty} group{groups}[{rows}]{dims} = {{ {} }};", values.join(", ")));
            for (row, id) in group.iter().enumerate() {
                let row = self.number(row as i64);
                self.names.vars[id.index()] = format!("group{groups}[{row}]");
            }
            groups += 1;
        }
    }

    fn clock_lines(&mut self, lines: &mut Vec<String>) {
        let network = self.network;
        let mut shared = Vec::new();
        for (id, clock) in network.clocks.enumerate() {
            let owner = self.private_clock(id);
            let name = match (owner, clock.owner) {
                (None, Some(p)) => format!("{}_{}", network.processes[p].name, clock.name),
                _ => clock.name.clone(),
            };
            self.names.clocks.push(name);
            if owner.is_none() {
                shared.push(id);
            }
        }
        if shared.is_empty() {
            return;
        }
        if self.random.chance(self.style.grouping) {
            let count = self.number(shared.len() as i64);
            lines.push(format!("clock tick[{count}];"));
            for (at, id) in shared.iter().enumerate() {
                let at = self.number(at as i64);
                self.names.clocks[id.index()] = format!("tick[{at}]");
            }
        } else {
            let names: Vec<&str> = shared.iter().map(|id| self.names.clock(*id)).collect();
            lines.push(format!("clock {};", names.join(", ")));
        }
    }

    fn channel_lines(&mut self, lines: &mut Vec<String>) {
        let network = self.network;
        for channel in &network.channels {
            let name = channel.name.clone();
            let ty = self.channel_type(channel);
            let dims = self.dims(channel.len);
            if !self.style.old && channel.len.is_none() && self.random.chance(self.style.grouping) {
                // The only element of an array.
                lines.push(format!("{ty} {name}[1];"));
                self.names.channels.push(format!("{name}[0]"));
            } else {
                lines.push(format!("{ty} {name}{dims};"));
                self.names.channels.push(name);
            }
        }
        let mut levels: Vec<(i32, Vec<String>)> = vec![(0, vec!["default".to_string()])];
        for (id, channel) in network.channels.enumerate() {
            for (at, &priority) in channel.priority.iter().enumerate() {
                let name = match channel.len {
                    None => self.names.channel(id).to_string(),
                    Some(_) => format!("{}[{at}]", self.names.channel(id)),
                };
                match levels.iter_mut().find(|(p, _)| *p == priority) {
                    // What is not in the list has the default priority anyway.
                    Some(_) if priority == 0 && self.random.chance(50) => {}
                    Some((_, names)) => names.push(name),
                    None => levels.push((priority, vec![name])),
                }
            }
        }
        levels.sort_by_key(|(priority, _)| *priority);
        if levels.len() > 1 {
            let levels: Vec<String> = levels.into_iter().map(|(_, names)| names.join(", ")).collect();
            lines.push(format!("chan priority {};", levels.join(" < ")));
        }
    }

    pub(super) fn channel_type(&mut self, channel: &Channel) -> String {
        let urgent = if channel.urgent { "urgent " } else { "" };
        let broadcast = if channel.kind == ChannelKind::Broadcast { "broadcast " } else { "" };
        format!("{urgent}{broadcast}chan")
    }
}

/// The value of a variable without initial value.
pub(super) fn default(range: Range) -> i64 {
    if range.contains(0) { 0 } else { range.lo }
}

/// The initial value of a variable.
pub(super) fn initial(var: &Var) -> String {
    let values: Vec<String> = var.init.iter().map(ToString::to_string).collect();
    if var.len.is_some() { format!("{{ {} }}", values.join(", ")) } else { values.concat() }
}
