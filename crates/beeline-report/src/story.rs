//! A trace told: every step with its moment in time, its label in words, and the states the kernel went through
//! when it replayed it. Text, ITF and DOT show a story; they know nothing of labels and clocks themselves.

use crate::view::{Item, View, plain, symbol};
use crate::words::Words;
use beeline_check::{Firing, Kernel, Replayed, State};
use beeline_ir::layout::{Label, Part};
use beeline_ir::model::Model;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::RelationRole;
use beeline_ir::trace::{NetworkRun, RelationRun, Run, Time, Trace};
use beeline_ir::{LocationId, ProcessId};
use num_traits::CheckedAdd;

/// A told trace.
#[derive(Debug)]
pub struct Story<'m> {
    /// What states are made of.
    pub view: View<'m>,
    /// The property, as it was written, or in the IR's text form.
    pub property: String,
    /// Names of the clocks.
    pub clocks: Vec<String>,
    /// The initial state.
    pub start: Moment,
    /// The steps.
    pub steps: Vec<Step>,
    /// Delay after the last step.
    pub last_delay: Time,
    /// The last state, if there is such a delay.
    pub end: Option<Moment>,
    /// Sum of the costs of the steps.
    pub length: u32,
    /// Heads of the columns, if a text has some.
    pub columns: Vec<String>,
    /// Where processes are in the end, if steps are told by the lines of a program; names of locations say nothing then.
    pub standing: Option<Vec<String>>,
}

/// A state at a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Time since the start.
    pub time: Time,
    /// The discrete state.
    pub slots: Vec<i64>,
    /// The clock values.
    pub clocks: Vec<Time>,
}

/// Wait, then do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// How long to wait first.
    pub delay: Time,
    /// Time since the start when it happens.
    pub time: Time,
    /// Who does what.
    pub parts: Vec<PartWords>,
    /// What the observer does then.
    pub observer: Option<String>,
    /// The state it leads to; none if it fails.
    pub after: Option<Moment>,
    /// Why it fails.
    pub failure: Option<String>,
    /// Where its participants go.
    targets: Vec<(ProcessId, LocationId)>,
}

/// One part of a label in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartWords {
    /// `P1: idle -> req`
    pub head: String,
    /// `go!`
    pub sync: Option<String>,
    /// Select values, guard, update.
    pub details: Vec<String>,
    /// The column of who does it, and what is written there, in a text with columns.
    pub column: Option<(usize, String)>,
}

impl Step {
    /// The label in one line, without guards and updates.
    pub fn label(&self) -> String {
        self.parts.iter().map(PartWords::short).collect::<Vec<_>>().join(" | ")
    }
}

impl PartWords {
    /// The part without guard and update.
    pub fn short(&self) -> String {
        self.sync.as_ref().map_or(self.head.clone(), |sync| format!("{} {sync}", self.head))
    }
    /// The whole part in one line.
    pub fn long(&self) -> String {
        let words = std::iter::once(&self.head).chain(&self.sync).chain(&self.details);
        words.map(String::as_str).collect::<Vec<_>>().join("  ")
    }
}

impl<'m> Story<'m> {
    /// Tells a trace that the kernel has replayed.
    pub fn new(model: &'m Model, property: &Property, trace: &Trace, replayed: &Replayed) -> Self {
        let view = View::new(model);
        let clocks = match model {
            Model::Network(network) => network.clocks.ids().map(|c| plain(&network.clock_name(c))).collect(),
            Model::Relation(_) => Vec::new(),
        };
        let mut teller = Teller { model, property, replayed, time: Time::from_integer(0) };
        let start = teller.after(0).unwrap_or_else(|| teller.empty());
        let (steps, last_delay) = match &trace.run {
            Run::Network(run) => (teller.network(run), run.last_delay),
            Run::Relation(run) => (teller.relation(run), Time::from_integer(0)),
        };
        let end = if *last_delay.numer() == 0 { None } else { teller.end(last_delay) };
        let length = replayed.length;
        Self {
            view,
            property: property.text.clone().unwrap_or_else(|| trace.property.clone()),
            clocks,
            start,
            steps,
            last_delay,
            end,
            length,
            columns: Vec::new(),
            standing: None,
        }
    }

    /// The labels of the steps, one line each.
    pub fn labels(&self) -> Vec<String> {
        self.steps.iter().map(Step::label).collect()
    }

    /// Whether an item is shown in a text: where lines of a program are told, its locations are not.
    pub fn shows(&self, item: &Item) -> bool {
        self.standing.is_none() || !self.view.is_control(item)
    }

    /// Everything that differs between two states.
    pub fn changes(&self, before: &Moment, after: &Moment) -> Vec<String> {
        let items = self.view.items().iter();
        items.flat_map(|item| self.view.changes(item, &before.slots, &after.slots)).collect()
    }

    /// What differs between two states beside what the step's label says already: where its participants go.
    pub fn other_changes(&self, step: &Step, before: &Moment, after: &Moment) -> Vec<String> {
        let told = |process: ProcessId| {
            let value = after.slots[self.view.layout().location[process]];
            let now = self.view.layout().location(process, value);
            step.targets.iter().any(|(p, target)| *p == process && Some(*target) == now)
        };
        // That a process has ended is told by its location alone.
        let gone = |item: &Item| self.view.process(item).is_none() && self.view.idle(item, &after.slots);
        let told = |item: &Item| self.view.process(item).is_some_and(told) || gone(item) || !self.shows(item);
        let items = self.view.items().iter().filter(|item| !told(item));
        items.flat_map(|item| self.view.changes(item, &before.slots, &after.slots)).collect()
    }
}

/// Puts the states of a replay beside the steps of its trace.
struct Teller<'a> {
    model: &'a Model,
    property: &'a Property,
    replayed: &'a Replayed,
    time: Time,
}

impl Teller<'_> {
    /// Time passes. A sum too large to write down stands still: times are shown, never judged by.
    fn wait(&mut self, delay: Time) {
        self.time = self.time.checked_add(&delay).unwrap_or(self.time);
    }

    fn moment(&self, state: &State) -> Moment {
        Moment { time: self.time, slots: state.slots.clone(), clocks: state.clocks.clone() }
    }

    /// The state right after that many steps.
    fn after(&self, steps: usize) -> Option<Moment> {
        // States come in the order of steps, so the first one with the number can be searched for by halves.
        let first = self.replayed.states.partition_point(|passed| passed.after_steps < steps);
        let passed = self.replayed.states.get(first).filter(|passed| passed.after_steps == steps)?;
        Some(self.moment(&passed.state))
    }

    fn empty(&self) -> Moment {
        let slots = View::new(self.model).layout().slots.len();
        Moment { time: self.time, slots: vec![0; slots], clocks: Vec::new() }
    }

    fn end(&mut self, delay: Time) -> Option<Moment> {
        self.wait(delay);
        self.replayed.states.last().map(|passed| self.moment(&passed.state))
    }

    fn network(&mut self, run: &NetworkRun) -> Vec<Step> {
        let (Model::Network(network), Some(words)) = (self.model, Words::new(self.model)) else {
            return Vec::new();
        };
        let last = run.steps.len();
        let mut steps = Vec::new();
        for (i, step) in run.steps.iter().enumerate() {
            self.wait(step.delay);
            let after = self.after(i + 1);
            let edge = |p: &Part| network.processes.get(p.process)?.edges.get(p.edge);
            let target = |p: &Part| Some((p.process, edge(p)?.target));
            let observer = self.property.observer().zip(step.label.observer);
            let observed = observer.map(|(process, edge)| Part { process, edge, selects: Vec::new() });
            steps.push(Step {
                delay: step.delay,
                time: self.time,
                parts: words.label(&step.label),
                observer: observer.and_then(|(process, edge)| words.observer(process, edge)),
                failure: if i + 1 == last { self.failure(&step.label, after.is_some()) } else { None },
                after,
                targets: step.label.parts.iter().chain(&observed).filter_map(target).collect(),
            });
        }
        steps
    }

    /// How the last label fails, if failing is what the property is about.
    fn failure(&self, label: &Label, succeeds: bool) -> Option<String> {
        match (&self.property.kind, succeeds) {
            (PropertyKind::NoAssertionFailure, _) => Some("an assertion does not hold".into()),
            (PropertyKind::NoRuntimeError, _) | (_, false) => {
                let Model::Network(network) = self.model else { return None };
                let labels = Kernel::new(network, self.property.observer())
                    .labels(&self.replayed.states.last()?.state);
                labels.into_iter().find(|(possible, _)| possible == label).and_then(
                    |(_, firing)| match firing {
                        Firing::Fails(error) => Some(error.message().to_string()),
                        _ => None,
                    },
                )
            }
            _ => None,
        }
    }

    fn relation(&mut self, run: &RelationRun) -> Vec<Step> {
        let Model::Relation(relation) = self.model else { return Vec::new() };
        let inputs: Vec<_> = relation.vars.iter().filter(|v| v.role == RelationRole::Input).collect();
        let zero = Time::from_integer(0);
        let mut steps = Vec::new();
        for (i, step) in run.steps.iter().enumerate() {
            let chosen: Vec<String> = inputs
                .iter()
                .zip(&step.inputs)
                .map(|(var, value)| {
                    format!("{} = {}", plain(&var.name), symbol(&relation.enums, var.symbols, *value))
                })
                .collect();
            let head = if chosen.is_empty() { "step".to_string() } else { chosen.join(", ") };
            steps.push(Step {
                delay: zero,
                time: self.time,
                parts: vec![PartWords { head, sync: None, details: Vec::new(), column: None }],
                observer: None,
                after: self.after(i + 1),
                failure: None,
                targets: Vec::new(),
            });
        }
        steps
    }
}
