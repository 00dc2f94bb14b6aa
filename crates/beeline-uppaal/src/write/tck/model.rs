//! The text of a TChecker model, line by line.

use std::collections::{BTreeMap, BTreeSet};

use beeline_ir::network::{Network, Var};
use beeline_ir::{LocationId, ProcessId};

use super::WrittenTck;
use super::goal::Goal;
use super::simplify::Simplifier;
use super::sync::{Event, Plan, TckEdge};
use super::text::TckWords;
use super::watch::{Watcher, located};
use crate::write::{Names, Unwritable};

/// Names of what the text has and the network has not.
struct Extras {
    events: BTreeMap<Event, String>,
    mirrors: BTreeMap<ProcessId, String>,
    watchers: Vec<String>,
    step: String,
    observer: String,
    see: String,
    see_committed: String,
    look: String,
    go: String,
    start: String,
    labels: Vec<String>,
    fault: String,
    /// Locations of edges whose update may fail.
    faulty: BTreeSet<(ProcessId, LocationId)>,
}

impl Extras {
    fn new(network: &Network, names: &mut Names, plan: &Plan<'_>, watchers: &[Watcher], goal: &Goal) -> Self {
        let mut asked = BTreeSet::new();
        plan.edges.iter().for_each(|edge| located(&edge.condition, &mut asked));
        watchers.iter().for_each(|watcher| located(&watcher.condition, &mut asked));
        network.processes.iter().flat_map(|p| &p.locations).for_each(|l| located(&l.condition, &mut asked));
        if let Goal::Observed(cases) = goal {
            cases.iter().for_each(|(condition, _)| located(condition, &mut asked));
        }
        let mut events = BTreeMap::new();
        for event in plan.vectors.iter().flatten().map(|member| member.event) {
            events.entry(event).or_insert_with(|| names.fresh(&event_name(network, event)));
        }
        let mirror = |p: ProcessId| (p, names.fresh(&format!("at_{}", names.processes[p])));
        let mirrors = asked.into_iter().map(mirror).collect();
        let labels = match goal {
            Goal::Nothing => 0,
            Goal::Labels(clauses) => clauses.len(),
            Goal::Observed(_) => 1,
        };
        Self {
            events,
            mirrors,
            watchers: watchers.iter().map(|_| names.fresh("watcher")).collect(),
            step: names.fresh("step"),
            observer: names.fresh("observer"),
            see: names.fresh("see"),
            see_committed: names.fresh("see_committed"),
            look: names.fresh("look"),
            go: names.fresh("go"),
            start: names.fresh("start"),
            fault: names.fresh("fault"),
            faulty: plan.edges.iter().filter(|e| e.may_fail()).map(|e| (e.process, e.target)).collect(),
            labels: (0..labels).map(|i| names.fresh(&format!("goal{i}"))).collect(),
        }
    }
}

fn event_name(network: &Network, event: Event) -> String {
    let (element, word, committed) = match event {
        Event::Internal => return "tau".into(),
        Event::Send { element, committed } => (element, "send", committed),
        Event::Receive { element, committed } => (element, "receive", committed),
    };
    let index =
        network.channels[element.channel].len.map_or(String::new(), |_| format!("_{}", element.index));
    let suffix = if committed { "_committed" } else { "" };
    format!("{}{index}_{word}{suffix}", network.channel_name(element.channel))
}

/// Writes the whole text.
pub(super) fn write(
    mut simplifier: Simplifier<'_>,
    mut names: Names,
    plan: &Plan<'_>,
    watchers: &[Watcher],
    goal: &Goal,
) -> Result<WrittenTck, Unwritable> {
    let network = simplifier.network;
    let extras = Extras::new(network, &mut names, plan, watchers, goal);
    let words = TckWords {
        names: &names,
        mirrors: extras.mirrors.clone(),
        fault: extras.fault.clone(),
        locals: Vec::new(),
        place: String::new(),
    };
    let starts = network.vars.iter().any(uneven);
    let mut writer =
        Writer { network, words, extras: &extras, starts, edges: BTreeSet::new(), out: String::new() };
    writer.heading(&simplifier);
    writer.declarations(goal)?;
    writer.locations(&mut simplifier, goal)?;
    for edge in &plan.edges {
        writer.edge(edge)?;
    }
    for (name, watcher) in extras.watchers.iter().zip(watchers) {
        writer.watcher(name, watcher)?;
    }
    writer.observer(goal)?;
    writer.vectors(plan, goal);
    Ok(WrittenTck { model: writer.out, labels: extras.labels })
}

/// Whether the initial values of an array differ; a declaration has but one.
fn uneven(var: &Var) -> bool {
    var.init.windows(2).any(|pair| pair[0] != pair[1])
}

struct Writer<'w> {
    network: &'w Network,
    words: TckWords<'w>,
    extras: &'w Extras,
    /// All processes start in an extra location, to set what declarations cannot.
    starts: bool,
    /// The edges written so far.
    edges: BTreeSet<String>,
    out: String,
}

impl<'w> Writer<'w> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }
    fn comment(&mut self, text: &str) {
        self.line(&format!("# {}", text.replace(['\n', '\r'], " ")));
    }

    fn heading(&mut self, simplifier: &Simplifier<'_>) {
        self.comment(&format!("{}, written by Beeline.", self.network.name));
        for (old, new) in &self.words.names.changed {
            self.comment(&format!("{old} is called {new} here."));
        }
        for function in &simplifier.unchecked {
            let name = &self.network.functions[*function].name;
            self.comment(&format!(
                "Values within expressions of the function {name} are not checked against their ranges."
            ));
        }
        if !self.extras.labels.is_empty() {
            self.comment(&format!(
                "A state of interest bears all of labels={}",
                self.extras.labels.join(":")
            ));
        }
    }

    /// The names of all processes, the network's first.
    fn processes(&self, goal: &Goal) -> Vec<String> {
        let mut all: Vec<String> = self.words.names.processes.iter().cloned().collect();
        all.extend(self.extras.watchers.iter().cloned());
        if matches!(goal, Goal::Observed(_)) {
            all.push(self.extras.observer.clone());
        }
        all
    }

    /// All committed locations.
    fn committed(&self) -> impl Iterator<Item = (ProcessId, LocationId)> + use<'w> {
        let network = self.network;
        network.processes.enumerate().flat_map(|(p, process)| {
            process.locations.enumerate().filter(|(_, l)| l.committed).map(move |(l, _)| (p, l))
        })
    }

    fn declarations(&mut self, goal: &Goal) -> Result<(), Unwritable> {
        let system: String = self.network.name.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        self.line(&format!("system:m_{system}"));
        let Extras { step, see, see_committed, look, go, .. } = self.extras;
        let mut events: Vec<&String> = self.extras.events.values().collect();
        if !self.extras.watchers.is_empty() {
            events.push(step);
        }
        if matches!(goal, Goal::Observed(_)) {
            events.push(see);
            if self.committed().next().is_some() {
                events.extend([see_committed, look]);
            }
        }
        if self.starts {
            events.push(go);
        }
        for event in events {
            self.line(&format!("event:{event}"));
        }
        for process in self.processes(goal) {
            self.line(&format!("process:{process}"));
        }
        for (id, var) in self.network.vars.enumerate() {
            self.words.place = format!("variable {}", self.network.var_name(id));
            self.words.number(var.range.lo)?;
            self.words.number(var.range.hi)?;
            let (size, first) = (var.len.unwrap_or(1), var.init.first().copied().unwrap_or(var.range.lo));
            let (lo, hi, name) = (var.range.lo, var.range.hi, &self.words.names.vars[id]);
            self.line(&format!("int:{size}:{lo}:{hi}:{first}:{name}"));
        }
        for (process, mirror) in &self.extras.mirrors {
            let process = &self.network.processes[*process];
            let (last, initial) = (process.locations.len() - 1, process.initial.index());
            self.line(&format!("int:1:0:{last}:{initial}:{mirror}"));
        }
        if !self.extras.faulty.is_empty() {
            self.line(&format!("int:1:0:1:0:{}", self.extras.fault));
        }
        for clock in &self.words.names.clocks {
            self.line(&format!("clock:1:{clock}"));
        }
        Ok(())
    }

    fn locations(&mut self, simplifier: &mut Simplifier<'_>, goal: &Goal) -> Result<(), Unwritable> {
        for (p, process) in self.network.processes.enumerate() {
            let name = &self.words.names.processes[p];
            for (l, location) in process.locations.enumerate() {
                let mut attributes = Vec::new();
                if l == process.initial && !self.starts {
                    attributes.push("initial:".to_string());
                }
                if location.urgent {
                    attributes.push("urgent:".to_string());
                }
                if location.committed {
                    attributes.push("committed:".to_string());
                }
                if let Goal::Labels(clauses) = goal {
                    let borne = clauses.iter().zip(&self.extras.labels).filter(|(c, _)| c.contains(&(p, l)));
                    let borne: Vec<&str> = borne.map(|(_, label)| label.as_str()).collect();
                    if !borne.is_empty() {
                        attributes.push(format!("labels: {}", borne.join(",")));
                    }
                }
                simplifier.place = format!("process {}, location {}", process.name, location.name);
                self.words.place = simplifier.place.clone();
                let mut env = simplifier.env(&location.frame)?;
                let condition = simplifier.expr(&location.condition, &mut env)?;
                let mut atoms = Vec::new();
                for atom in &location.invariant {
                    // Those with a condition have a watcher.
                    let atom = simplifier.atom(atom, &mut env)?;
                    atoms.extend(Some(atom).filter(|a| a.when.is_none()));
                }
                let mut invariant = self.words.constraint(&condition, &atoms)?;
                if self.extras.faulty.contains(&(p, l)) {
                    let and = if invariant.is_empty() { "" } else { " && " };
                    invariant = format!("{} == 0{and}{invariant}", self.extras.fault);
                }
                if !invariant.is_empty() {
                    attributes.push(format!("invariant: {invariant}"));
                }
                let location = &self.words.names.locations[p][l];
                self.line(&format!("location:{name}:{location}{{{}}}", attributes.join(" : ")));
            }
            if self.starts {
                let initial = self.words.names.locations[p][process.initial].clone();
                let update = if p.index() == 0 { self.initial_values()? } else { String::new() };
                let name = name.clone();
                self.start(&name, &[&initial], &update);
            }
        }
        Ok(())
    }

    /// The extra location in which a process starts if some values cannot be declared.
    fn start(&mut self, process: &str, initial: &[&str], update: &str) {
        let Extras { start, go, .. } = self.extras;
        self.line(&format!("location:{process}:{start}{{initial: : urgent:}}"));
        for initial in initial {
            let attributes = if update.is_empty() { String::new() } else { format!("{{do: {update}}}") };
            self.line(&format!("edge:{process}:{start}:{initial}:{go}{attributes}"));
        }
    }

    fn initial_values(&self) -> Result<String, Unwritable> {
        let mut parts = Vec::new();
        for (id, var) in self.network.vars.enumerate().filter(|(_, var)| uneven(var)) {
            for (i, value) in var.init.iter().enumerate() {
                parts.push(format!("{}[{i}] = {}", self.words.names.vars[id], self.words.number(*value)?));
            }
        }
        Ok(parts.join("; "))
    }

    fn edge(&mut self, edge: &TckEdge<'_>) -> Result<(), Unwritable> {
        self.words.place = edge.place.clone();
        let mut attributes = Vec::new();
        let guard = self.words.constraint(&edge.condition, &edge.atoms)?;
        if !guard.is_empty() {
            attributes.push(format!("provided: {guard}"));
        }
        let mut update = match edge.update {
            Some(update) => self.words.update(update)?,
            None => String::new(),
        };
        if let Some(mirror) = self.extras.mirrors.get(&edge.process)
            && edge.source != edge.target
        {
            let separator = if update.is_empty() { "" } else { "; " };
            update.push_str(&format!("{separator}{mirror} = {}", edge.target.index()));
        }
        if !update.is_empty() {
            attributes.push(format!("do: {update}"));
        }
        let names = &self.words.names.locations[edge.process];
        let (source, target) = (&names[edge.source], &names[edge.target]);
        let (process, event) = (&self.words.names.processes[edge.process], &self.extras.events[&edge.event]);
        let line = format!("edge:{process}:{source}:{target}:{event}{{{}}}", attributes.join(" : "));
        // Select values that make no difference give the same edge again.
        if self.edges.insert(line.clone()) {
            self.line(&line);
        }
        Ok(())
    }

    fn watcher(&mut self, name: &str, watcher: &Watcher) -> Result<(), Unwritable> {
        self.words.place = format!("process {name}");
        let off = self.words.formula(&super::fold::not(watcher.condition.clone()))?;
        let on = self.words.constraint(&watcher.condition, watcher.invariant.as_slice())?;
        let initial = if self.starts { "" } else { "initial: : " };
        let urgent = if watcher.invariant.is_none() { "urgent: : " } else { "" };
        self.line(&format!("location:{name}:off{{{initial}invariant: {off}}}"));
        self.line(&format!("location:{name}:on{{{initial}{urgent}invariant: {on}}}"));
        for (source, target) in [("off", "off"), ("off", "on"), ("on", "off"), ("on", "on")] {
            self.line(&format!("edge:{name}:{source}:{target}:{}", self.extras.step));
        }
        if self.starts {
            self.start(name, &["off", "on"], "");
        }
        Ok(())
    }

    fn observer(&mut self, goal: &Goal) -> Result<(), Unwritable> {
        let Goal::Observed(cases) = goal else {
            return Ok(());
        };
        let Extras { observer, see, see_committed, look, labels, .. } = self.extras;
        self.words.place = "property".into();
        let initial = if self.starts { "" } else { "initial:" };
        self.line(&format!("location:{observer}:watch{{{initial}}}"));
        self.line(&format!("location:{observer}:seen{{labels: {}}}", labels.join(",")));
        for (condition, atoms) in cases {
            let guard = self.words.constraint(condition, atoms)?;
            let attributes = if guard.is_empty() { String::new() } else { format!("{{provided: {guard}}}") };
            self.line(&format!("edge:{observer}:watch:seen:{see}{attributes}"));
            if self.committed().next().is_some() {
                self.line(&format!("edge:{observer}:watch:seen:{see_committed}{attributes}"));
            }
        }
        for (p, l) in self.committed() {
            let (name, location) = (&self.words.names.processes[p], &self.words.names.locations[p][l]);
            self.line(&format!("edge:{name}:{location}:{location}:{look}"));
        }
        if self.starts {
            self.start(observer, &["watch"], "");
        }
        Ok(())
    }

    fn vectors(&mut self, plan: &Plan<'_>, goal: &Goal) {
        let Extras { step, see_committed, look, go, observer, .. } = self.extras;
        let watchers: String = self.extras.watchers.iter().map(|w| format!(":{w}@{step}")).collect();
        for vector in plan.vectors.iter().filter(|v| v.len() > 1 || !watchers.is_empty()) {
            let members = vector.iter().map(|member| {
                let (process, event) =
                    (&self.words.names.processes[member.process], &self.extras.events[&member.event]);
                format!("{process}@{event}{}", if member.weak { "?" } else { "" })
            });
            let members: Vec<String> = members.collect();
            self.line(&format!("sync:{}{watchers}", members.join(":")));
        }
        if matches!(goal, Goal::Observed(_)) {
            let lookers: BTreeSet<ProcessId> = self.committed().map(|(p, _)| p).collect();
            for process in lookers {
                let name = &self.words.names.processes[process];
                self.line(&format!("sync:{observer}@{see_committed}:{name}@{look}"));
            }
        }
        let processes = self.processes(goal);
        if self.starts && processes.len() > 1 {
            let members: Vec<String> = processes.iter().map(|p| format!("{p}@{go}")).collect();
            self.line(&format!("sync:{}", members.join(":")));
        }
    }
}
