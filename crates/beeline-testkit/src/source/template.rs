//! Processes that are alike become one template. Two processes are alike if they are equal up to constants, and up to
//! which variables, clocks and channels they use. Where they differ the template has parameters; where they do not it
//! may have some all the same.

use super::declare::Names;
use super::{Document, Printer};
use crate::walk::{self, Visitor};
use beeline_ir::expr::Expr;
use beeline_ir::network::Process;
use beeline_ir::{ChannelId, ClockId, LocalId, ProcessId, VarId};

/// Locals from here on stand for constants in which the processes of a template differ.
pub(super) const HOLE: usize = 1 << 20;

/// Processes made of one template, and what each of them uses: one list per process, in the same order of uses.
pub(super) struct Group {
    pub members: Vec<ProcessId>,
    pub uses: Vec<Uses>,
}

/// What a process uses, in order of first use; constants in order of all uses.
#[derive(Clone, Default)]
pub(super) struct Uses {
    pub constants: Vec<i64>,
    pub vars: Vec<VarId>,
    pub clocks: Vec<ClockId>,
    pub channels: Vec<ChannelId>,
}

/// What a template takes; the number is the place in the lists of uses.
#[derive(Copy, Clone)]
pub(super) enum Param {
    Constant(usize),
    Var(usize),
    Clock(usize),
    Channel(usize),
}

fn slot<T: PartialEq>(all: &mut Vec<T>, item: T) -> usize {
    all.iter().position(|i| *i == item).unwrap_or_else(|| {
        all.push(item);
        all.len() - 1
    })
}

impl Visitor for Uses {
    fn var(&mut self, id: &mut VarId) {
        *id = VarId::new(slot(&mut self.vars, *id));
    }
    fn clock(&mut self, id: &mut ClockId) {
        *id = ClockId::new(slot(&mut self.clocks, *id));
    }
    fn channel(&mut self, id: &mut ChannelId) {
        *id = ChannelId::new(slot(&mut self.channels, *id));
    }
    fn expr(&mut self, expr: &mut Expr) {
        if let Expr::Const(c) = expr {
            self.constants.push(*c);
            *c = 0;
        }
    }
}

/// Replaces the chosen constants, numbered in order of use, by holes.
struct Punch<'a> {
    chosen: &'a [usize],
    next: usize,
}

impl Visitor for Punch<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let Expr::Const(_) = expr {
            if let Some(hole) = self.chosen.iter().position(|c| *c == self.next) {
                *expr = Expr::Local(LocalId::new(HOLE + hole));
            }
            self.next += 1;
        }
    }
}

impl Printer<'_> {
    /// All templates, their instances and the system line.
    pub(super) fn templates(&mut self) -> Document {
        let mut document = Document::default();
        let global = self.names.clone();
        self.names.processes = self.network.processes.iter().map(|p| p.name.clone()).collect();
        // What the system line says for each process; nothing where another one's entry stands for it.
        let mut listed: Vec<Option<String>> = self.network.processes.iter().map(|_| None).collect();
        for (at, group) in self.groups().into_iter().enumerate() {
            self.template(at, &group, &global, &mut document, &mut listed);
        }
        let mut system = String::new();
        let mut before = None;
        for (process, name) in self.network.processes.iter().zip(listed) {
            let Some(name) = name else { continue };
            system += match before {
                None => "",
                Some(priority) if priority < process.priority => " < ",
                Some(_) => ", ",
            };
            system += &name;
            before = Some(process.priority);
        }
        document.system = format!("system {system};");
        document
    }

    /// Puts alike processes together, mostly.
    fn groups(&mut self) -> Vec<Group> {
        let mut groups: Vec<(Process, Group)> = Vec::new();
        for (id, process) in self.network.processes.enumerate() {
            let mut plain = Process { name: String::new(), priority: 0, ..process.clone() };
            let mut uses = Uses::default();
            walk::process(&mut plain, id, &mut uses);
            let together = self.random.chance(90);
            let same = groups.iter_mut().find(|(other, group)| {
                together
                    && *other == plain
                    && self.same_kinds((group.members[0], &group.uses[0]), (id, &uses))
            });
            match same {
                Some((_, group)) => {
                    group.members.push(id);
                    group.uses.push(uses);
                }
                None => groups.push((plain, Group { members: vec![id], uses: vec![uses] })),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    /// Whether what two processes use is of the same types, and private for one where it is for the other.
    fn same_kinds(&self, a: (ProcessId, &Uses), b: (ProcessId, &Uses)) -> bool {
        let var = |p, id: VarId| {
            let var = &self.network.vars[id];
            let private = self.private_var(id) == Some(p);
            (var.range, var.len, private, private.then(|| var.init.clone()))
        };
        let channel = |id: ChannelId| {
            let c = &self.network.channels[id];
            (c.kind, c.len, c.urgent)
        };
        let clock = |p, id| self.private_clock(id) == Some(p);
        a.1.vars.iter().map(|v| var(a.0, *v)).eq(b.1.vars.iter().map(|v| var(b.0, *v)))
            && a.1.clocks.iter().map(|c| clock(a.0, *c)).eq(b.1.clocks.iter().map(|c| clock(b.0, *c)))
            && a.1.channels.iter().map(|c| channel(*c)).eq(b.1.channels.iter().map(|c| channel(*c)))
    }

    /// What the template takes: whatever its processes differ in, and more.
    fn params(&mut self, group: &Group) -> Vec<Param> {
        let first = &group.uses[0];
        let percent = self.style.parameters;
        let mut params = Vec::new();
        for i in 0..first.constants.len() {
            let differ = group.uses.iter().any(|u| u.constants[i] != first.constants[i]);
            if differ || self.random.chance(percent / 4) {
                params.push(Param::Constant(i));
            }
        }
        for (i, &var) in first.vars.iter().enumerate() {
            let differ = group.uses.iter().any(|u| u.vars[i] != var);
            if self.private_var(var).is_none() && (differ || self.random.chance(percent)) {
                params.push(Param::Var(i));
            }
        }
        for (i, &clock) in first.clocks.iter().enumerate() {
            let differ = group.uses.iter().any(|u| u.clocks[i] != clock);
            if self.private_clock(clock).is_none() && (differ || self.random.chance(percent)) {
                params.push(Param::Clock(i));
            }
        }
        for (i, &channel) in first.channels.iter().enumerate() {
            let differ = group.uses.iter().any(|u| u.channels[i] != channel);
            if differ || self.random.chance(percent) {
                params.push(Param::Channel(i));
            }
        }
        self.random.shuffle(&mut params);
        params
    }

    fn template(
        &mut self,
        at: usize,
        group: &Group,
        global: &Names,
        document: &mut Document,
        listed: &mut [Option<String>],
    ) {
        let params = self.params(group);
        let first = group.members[0];
        let mut process = self.network.processes[first].clone();
        let chosen: Vec<usize> =
            params.iter().filter_map(|p| if let Param::Constant(i) = p { Some(*i) } else { None }).collect();
        walk::process(&mut process, first, &mut Punch { chosen: &chosen, next: 0 });
        let in_row = group.members.windows(2).all(|w| w[0].index() + 1 == w[1].index());
        let priority = |p: &ProcessId| self.network.processes[*p].priority;
        let alike = |p: &Param| match *p {
            Param::Constant(_) => true,
            Param::Var(i) => group.uses.iter().all(|u| u.vars[i] == group.uses[0].vars[i]),
            Param::Clock(i) => group.uses.iter().all(|u| u.clocks[i] == group.uses[0].clocks[i]),
            Param::Channel(i) => group.uses.iter().all(|u| u.channels[i] == group.uses[0].channels[i]),
        };
        let automatic = !self.style.old
            && in_row
            && group.members.iter().all(|p| priority(p) == priority(&first))
            && params.iter().all(alike)
            && self.random.chance(70);
        let name = format!("Tpl{at}");
        let values_only = params.iter().all(|p| matches!(p, Param::Constant(_)));
        if params.is_empty() && group.members.len() == 1 && (self.style.old || self.random.chance(60)) {
            // A template without parameters is a process.
            let name = self.network.processes[first].name.clone();
            let text = self.template_text((&name, ""), &process, global, group, &params, &[]);
            document.templates.push(text);
            listed[first.index()] = Some(name);
        } else if automatic && values_only && self.random.chance(60) {
            // The template itself is numbered.
            let last = group.members.len() - 1;
            let holes: Vec<String> = chosen.iter().map(|c| self.by_number(group, *c)).collect();
            let ty = self.type_name(format!("int[0,{last}]"));
            let param = format!("const {ty} id");
            let text = self.template_text((&name, &param), &process, global, group, &params, &holes);
            document.templates.push(text);
            self.list(&name, group, listed);
        } else {
            let holes: Vec<String> = (0..chosen.len()).map(|i| format!("k{i}")).collect();
            let declared: Vec<String> = params.iter().map(|p| self.param_text(*p, group, &chosen)).collect();
            let between = if self.style.old { "; " } else { ", " };
            let declared = declared.join(between);
            let text = self.template_text((&name, &declared), &process, global, group, &params, &holes);
            document.templates.push(text);
            if automatic {
                let arguments: Vec<String> = params
                    .iter()
                    .map(|p| match p {
                        Param::Constant(c) => self.by_number(group, *c),
                        other => argument(*other, &group.uses[0], global),
                    })
                    .collect();
                let ty = self.type_name(format!("int[0,{}]", group.members.len() - 1));
                let partial = format!("Q{at}");
                document.instances +=
                    &format!("{partial}(const {ty} id) = {name}({});\n", arguments.join(", "));
                self.list(&partial, group, listed);
            } else {
                self.explicit(&name, group, &params, global, document, listed);
            }
        }
    }

    /// One instance per process, perhaps by way of a partial instance.
    fn explicit(
        &mut self,
        name: &str,
        group: &Group,
        params: &[Param],
        global: &Names,
        document: &mut Document,
        listed: &mut [Option<String>],
    ) {
        let assign = if self.style.old { ":=" } else { "=" };
        for (member, uses) in group.members.iter().zip(&group.uses) {
            let arguments: Vec<String> = params.iter().map(|p| argument(*p, uses, global)).collect();
            let own = self.network.processes[*member].name.clone();
            let constant = params.iter().position(|p| matches!(p, Param::Constant(_)));
            match constant {
                Some(at) if !self.style.old && self.random.chance(40) => {
                    let mut rest = arguments.clone();
                    rest[at] = "k".to_string();
                    document.instances += &format!("Half_{own}(int k) = {name}({});\n", rest.join(", "));
                    document.instances += &format!("{own} = Half_{own}({});\n", arguments[at]);
                }
                _ => document.instances += &format!("{own} {assign} {name}({});\n", arguments.join(", ")),
            }
            listed[member.index()] = Some(own);
        }
    }

    /// Lets one entry of the system line stand for all members, numbered.
    fn list(&mut self, name: &str, group: &Group, listed: &mut [Option<String>]) {
        for (number, member) in group.members.iter().enumerate() {
            self.names.processes[member.index()] = format!("{name}({number})");
        }
        listed[group.members[0].index()] = Some(name.to_string());
        self.automatic.push((name.to_string(), group.members.clone()));
    }

    /// A constant as a function of the number of the process.
    fn by_number(&mut self, group: &Group, constant: usize) -> String {
        let values: Vec<i64> = group.uses.iter().map(|u| u.constants[constant]).collect();
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        let step = values.get(1).map_or(1, |second| second - values[0]);
        let even = values.windows(2).all(|w| w[1] - w[0] == step);
        match self.random.below(3) {
            0 if even => format!("({} + {step} * id)", values[0]),
            1 => {
                let name = format!("table{}", self.prelude.len());
                self.prelude.push(format!(
                    "const int {name}[{}] = {{ {} }};",
                    values.len(),
                    texts.join(", ")
                ));
                format!("{name}[id]")
            }
            _ => {
                let last = texts.len() - 1;
                let choices: String =
                    texts[..last].iter().enumerate().map(|(i, v)| format!("id == {i} ? {v} : ")).collect();
                format!("({choices}{})", texts[last])
            }
        }
    }

    /// The declaration of a parameter.
    fn param_text(&mut self, param: Param, group: &Group, chosen: &[usize]) -> String {
        let uses = &group.uses[0];
        let reference = if self.style.old { "" } else { "&" };
        match param {
            Param::Constant(c) => {
                let hole = chosen.iter().position(|i| *i == c).unwrap_or(0);
                if self.style.old {
                    return format!("const k{hole}");
                }
                let values = || group.uses.iter().map(|u| u.constants[c]);
                let (lo, hi) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
                match self.random.below(3) {
                    0 => format!("int k{hole}"),
                    1 => format!("const int k{hole}"),
                    _ => format!("const int[{lo},{hi}] k{hole}"),
                }
            }
            Param::Var(i) => {
                let var = &self.network.vars[uses.vars[i]];
                let ty = self.range_type(var.range);
                format!("{ty} {reference}v_{i}{}", dims(var.len))
            }
            Param::Clock(i) => format!("clock {reference}x_{i}"),
            Param::Channel(i) => {
                let channel = &self.network.channels[uses.channels[i]];
                let ty = self.channel_type(channel);
                format!("{ty} {reference}c_{i}{}", dims(channel.len))
            }
        }
    }
}

fn dims(len: Option<u32>) -> String {
    len.map_or(String::new(), |n| format!("[{n}]"))
}

/// What a process passes for a parameter.
fn argument(param: Param, uses: &Uses, global: &Names) -> String {
    match param {
        Param::Constant(i) => uses.constants[i].to_string(),
        Param::Var(i) => global.var(uses.vars[i]).to_string(),
        Param::Clock(i) => global.clock(uses.clocks[i]).to_string(),
        Param::Channel(i) => global.channel(uses.channels[i]).to_string(),
    }
}
