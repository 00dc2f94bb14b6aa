//! From a network to its factored view: edges get values for their select variables ([`super::instance`]), are matched
//! into labels, and the code of guards, synchronisations and updates runs on all combinations of what it reads
//! ([`super::change`]).
//!
//! Everything is counted. What would be too much becomes coarser, never wrong: an edge with too many choices of select
//! values is one edge whose guard asks for nothing but its location, and of an update that reads too much only sets of
//! values are known ([`super::approximate`]).

use super::assertion::Failures;
use super::change::{Change, WorkedOut};
use super::discover::discover;
use super::formula::{Formula, Formulas};
use super::instance::{Instance, compiled, instantiate, meet};
use super::{
    Action, ActionId, Cond, CondId, Cube, Domains, FactId, Factored, Label, LabelId, Meter, Probe, Table,
};
use crate::machine::Machine;
use crate::program::{CompiledSync, Program};
use crate::schema::EdgeRef;
use crate::slots::SlotSet;
use beeline_ir::expr::{Expr, Quantifier};
use beeline_ir::id::Id;
use beeline_ir::limits::StopReason;
use beeline_ir::network::{ChannelKind, Edge, Network, Role};
use beeline_ir::property::{Property, Target};
use beeline_ir::stmt::Local;
use beeline_ir::{LocalId, ProcessId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Labels of a network, each with each of the receivers that may join.
const MOST_ACTS: usize = 1 << 18;

impl Factored {
    /// The factored view of a network, as far as a property is concerned. Stops where the limits say so.
    pub fn new(
        network: &Network,
        property: Option<&Property>,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let mut program = Program::compile(network);
        let mut state = program.layout.initial(network);
        let mut probe = Probe::new(&program);
        let domains = Domains::new(&program.layout, &discover(&program, &state, &mut probe, meter)?);
        probe.within(&domains);
        meter.allocate(domains.bytes())?;
        let mut machine = Machine::new(&program);
        let mut instances = Vec::new();
        let processes = program.processes.clone();
        let mut formulas = Formulas {
            network,
            program: &mut program,
            domains: &domains,
            machine: &mut machine,
            probe: &mut probe,
            state: &mut state,
            meter,
        };
        for (process, compiled) in processes.enumerate() {
            for edge in compiled.edges.ids() {
                instantiate(&mut formulas, (process, edge), &mut instances)?;
            }
        }
        let target = property.map(|property| (property, property.target()));
        let looks_for_failure = matches!(target, Some((_, Target::AssertionFailure)));
        let goal = match target {
            Some((property, Target::State(target))) => formulas.of_or_fails(&property.frame, &target)?,
            _ => Formula::truth(),
        };
        let observer = property.and_then(Property::observer);
        // Where the observer fails, nobody can say that the target is out of reach.
        let goal = match observer {
            Some(observer) => Formula::Any(vec![goal, observer_fails(&mut formulas, observer)?]),
            None => goal,
        };
        let failures = looks_for_failure.then(|| Failures::new(&program));
        let mut grounder = Grounder {
            program,
            meter,
            machine,
            probe,
            state,
            domains,
            conds: Conds::default(),
            labels: Vec::new(),
            actions: Vec::new(),
            untracked: SlotSet::default(),
            acts: 0,
            parts: 0,
            worked_out: WorkedOut::default(),
            failures,
        };
        // Of a network with too many labels nothing is said: the target may be anywhere.
        let goal = match grounder.ground(&instances, observer)? {
            true => grounder.failures.take().map_or(goal, Failures::goal),
            false => grounder.forget(),
        };
        let goal = goal.map(&mut |cube: &Cube| {
            Formula::All(grounder.intern(cube).into_iter().map(Formula::Holds).collect())
        });
        let factored = grounder.finish(goal)?;
        meter.keep(before + factored.bytes);
        Ok(factored)
    }
}

/// Where the guard of an observer's edge fails, for some values of its select variables.
fn observer_fails(formulas: &mut Formulas<'_>, observer: ProcessId) -> Result<Formula<Cube>, StopReason> {
    let slot = formulas.program.layout.location[observer];
    let edges = &formulas.network.processes[observer].edges;
    let fails = |edge: &Edge| {
        let some = |guard: Expr, (at, local): (usize, &Local)| {
            Expr::Quantified(Quantifier::Exists, LocalId::new(at), local.range, Box::new(guard))
        };
        let guard = edge.frame.iter().take(edge.selects).enumerate().fold(edge.guard.clone(), some);
        let source = Formula::Holds(Cube::value(slot, edge.source.index() as i64));
        Ok(Formula::All(vec![source, formulas.fails(&edge.frame, &guard)?]))
    };
    Ok(Formula::Any(edges.iter().map(fails).collect::<Result<_, _>>()?))
}

/// Conditions, each once.
#[derive(Default)]
pub(super) struct Conds {
    all: Vec<Cond>,
    known: FxHashMap<Cond, CondId>,
}

pub(super) struct Grounder<'a> {
    pub(super) program: Program,
    pub(super) meter: &'a Meter<'a>,
    pub(super) machine: Machine,
    pub(super) probe: Probe,
    pub(super) state: Vec<i64>,
    pub(super) domains: Domains,
    conds: Conds,
    labels: Vec<Label>,
    actions: Vec<Action>,
    pub(super) untracked: SlotSet,
    /// Labels so far, with their receivers.
    acts: usize,
    /// Needs and effects of all actions.
    pub(super) parts: usize,
    /// What updates do by themselves.
    pub(super) worked_out: WorkedOut,
    /// Where assertions may fail, if that is what is looked for.
    pub(super) failures: Option<Failures>,
}

impl Grounder<'_> {
    /// Makes the labels and what they do; false if there are too many.
    fn ground(&mut self, instances: &[Instance], observer: Option<ProcessId>) -> Result<bool, StopReason> {
        let mut receivers: Vec<Vec<&Instance>> = vec![Vec::new(); self.program.elements.len()];
        let system =
            |instance: &&Instance, program: &Program| program.processes[instance.at.0].role == Role::System;
        for instance in instances.iter().filter(|i| system(i, &self.program)) {
            if compiled(&self.program, instance.at).sync.receives() {
                for (element, _) in &instance.elements {
                    receivers[*element].push(instance);
                }
            }
        }
        for instance in instances {
            if self.acts > MOST_ACTS {
                return Ok(false);
            }
            let edge = compiled(&self.program, instance.at);
            if self.program.processes[instance.at.0].role == Role::Observer {
                // The observer moves along with labels, so its own moves cost nothing.
                if observer == Some(instance.at.0) {
                    let label = self.label(&[instance], false)?;
                    self.act(label, &[instance], &instance.guard, &[instance])?;
                }
                continue;
            }
            let (costs, sends) = (edge.costs, !edge.sync.receives());
            if edge.sync == CompiledSync::Internal {
                let label = self.label(&[instance], costs)?;
                self.act(label, &[instance], &instance.guard, &[instance])?;
            }
            for (element, cubes) in &instance.elements {
                let kind = self.program.elements[*element].kind;
                let needs = meet(&instance.guard, cubes);
                match kind {
                    ChannelKind::Buffered { .. } => {
                        let label = self.label(&[instance], costs)?;
                        self.act(label, &[instance], &needs, &[instance])?;
                    }
                    _ if !sends => {}
                    ChannelKind::Rendezvous => {
                        for receiver in receivers[*element].iter().filter(|r| r.at.0 != instance.at.0) {
                            let costs = costs || compiled(&self.program, receiver.at).costs;
                            let needs = meet(&needs, &receiver.needs(*element));
                            let label = self.label(&[instance, receiver], costs)?;
                            self.act(label, &[instance, receiver], &needs, &[instance, receiver])?;
                        }
                    }
                    ChannelKind::Broadcast => {
                        let label = self.label(&[instance], costs)?;
                        // Whoever joins has moved before the sender's update, which may look.
                        let unseen = !self.reads_places_of(instance, receivers[*element].iter());
                        let fired: &[&Instance] = if unseen { &[instance] } else { &[] };
                        self.act(label, fired, &needs, &[instance])?;
                        for receiver in receivers[*element].iter().filter(|r| r.at.0 != instance.at.0) {
                            let needs = meet(&needs, &receiver.needs(*element));
                            let others = receivers[*element].iter().filter(|r| r.at.0 != receiver.at.0);
                            self.meter.work(receivers[*element].len() as u64)?;
                            let alone = unseen && !self.reads_of_others(receiver, others);
                            let fired: &[&Instance] = if alone { &[instance, receiver] } else { &[] };
                            self.act(label, fired, &needs, &[receiver])?;
                        }
                    }
                }
            }
        }
        Ok(self.acts <= MOST_ACTS)
    }

    /// Forgets all labels, and what was to be asked of them.
    fn forget(&mut self) -> Formula<Cube> {
        (self.labels, self.actions, self.conds) = (Vec::new(), Vec::new(), Conds::default());
        Formula::truth()
    }

    fn label(&mut self, parts: &[&Instance], costs: bool) -> Result<LabelId, StopReason> {
        let edges = parts.iter().map(|part| part.at).collect();
        let label = Label { edges, costs, loose: Box::default() };
        self.meter.allocate(label.bytes())?;
        self.labels.push(label);
        Ok(LabelId::new(self.labels.len() - 1))
    }

    /// Whether a receiver of a broadcast may read what others write that join, too.
    fn reads_of_others<'i>(&self, one: &Instance, others: impl Iterator<Item = &'i &'i Instance>) -> bool {
        let routine = |at: EdgeRef| compiled(&self.program, at).update.map(|r| &self.program.routines[r]);
        let Some(reads) = routine(one.at).map(|routine| &routine.reads) else { return false };
        { others }.any(|other| {
            reads.contains(self.program.layout.location[other.at.0])
                || routine(other.at).is_some_and(|routine| routine.writes.meets(reads))
        })
    }

    /// Whether a sender of a broadcast may read where those are that join.
    fn reads_places_of<'i>(&self, one: &Instance, others: impl Iterator<Item = &'i &'i Instance>) -> bool {
        let Some(update) = compiled(&self.program, one.at).update else { return false };
        let reads = &self.program.routines[update].reads;
        { others }.any(|o| o.at.0 != one.at.0 && reads.contains(self.program.layout.location[o.at.0]))
    }

    /// What a label does when it fires with these parts (with nobody knows which if there are none), where one of the
    /// needs is met; only what those named do is noted.
    fn act(
        &mut self,
        label: LabelId,
        fired: &[&Instance],
        needs: &[Cube],
        doing: &[&Instance],
    ) -> Result<(), StopReason> {
        self.acts += 1;
        self.meter.work(1)?;
        if self.acts > MOST_ACTS {
            return Ok(());
        }
        let mut found: BTreeMap<Vec<CondId>, Vec<FactId>> = BTreeMap::new();
        // Who may join need not, and may undo what others do.
        let certain = fired.len() == doing.len();
        let mut loose = self.labels[label.index()].loose.to_vec();
        if !certain {
            // Also where they write what a slot held before: then there is no change to note, but one that is undone.
            for update in doing.iter().filter_map(|part| compiled(&self.program, part.at).update) {
                let writes = &self.program.routines[update].writes;
                loose.extend(writes.common(writes).filter(|slot| self.domains.tracks(*slot)));
            }
        }
        for need in needs {
            self.note_failures(fired, doing, need)?;
            for Change { within, slot, values, firm } in self.changes(fired, doing, need)? {
                self.meter.work(1 + values.len() as u64)?;
                if !self.domains.tracks(slot) {
                    continue;
                }
                if !(firm && certain) {
                    loose.push(slot);
                }
                let Some(need) = need.and(&within) else { continue };
                let kept = need.of(slot).filter(|held| held.len() == 1).map(|held| held[0]);
                let facts = values.iter().filter(|value| Some(**value) != kept);
                let facts: Vec<FactId> = facts.filter_map(|value| self.domains.fact(slot, *value)).collect();
                if !facts.is_empty() {
                    let needs = self.intern(&need);
                    found.entry(needs).or_default().extend(facts);
                }
            }
        }
        loose.sort_unstable();
        loose.dedup();
        self.meter.allocate(size_of_val(&*loose))?;
        self.labels[label.index()].loose = loose.into();
        for (needs, mut effects) in found {
            effects.sort_unstable();
            effects.dedup();
            self.parts += needs.len() + effects.len();
            let action = Action { label, needs: needs.into(), effects: effects.into() };
            self.meter.allocate(action.bytes())?;
            self.actions.push(action);
        }
        Ok(())
    }

    /// The conditions of a cube.
    fn intern(&mut self, cube: &Cube) -> Vec<CondId> {
        let Conds { all, known } = &mut self.conds;
        let mut conds = Vec::new();
        for (slot, values) in &cube.0 {
            let facts: Box<[FactId]> =
                values.iter().filter_map(|value| self.domains.fact(*slot, *value)).collect();
            if facts.len() == self.domains.count(*slot) {
                continue;
            }
            let cond = Cond { slot: *slot, facts };
            conds.push(*known.entry(cond).or_insert_with_key(|cond| {
                all.push(cond.clone());
                CondId::new(all.len() - 1)
            }));
        }
        conds
    }

    /// What is written without any action saying so may not be asked for, either.
    fn finish(self, goal: Formula) -> Result<Factored, StopReason> {
        let Self { meter, domains, conds, mut labels, mut actions, untracked, .. } = self;
        let known = |cond: &CondId| !untracked.contains(conds.all[cond.index()].slot);
        for action in &mut actions {
            let needs: Box<[CondId]> = action.needs.iter().copied().filter(known).collect();
            if needs.len() < action.needs.len() {
                let loose = &mut labels[action.label.index()].loose;
                let more = action.effects.iter().map(|fact| domains.slot(*fact));
                let all: BTreeSet<usize> = loose.iter().copied().chain(more).collect();
                *loose = all.into_iter().collect();
            }
            action.needs = needs;
        }
        let goal = goal.map(&mut |cond| if known(cond) { Formula::Holds(*cond) } else { Formula::truth() });
        meter.work(actions.len() as u64)?;
        Ok(Factored::from_parts(domains, conds.all, labels, actions, (goal, untracked)))
    }
}

impl Factored {
    /// Puts the tables together.
    pub(super) fn from_parts(
        domains: Domains,
        conds: Vec<Cond>,
        labels: Vec<Label>,
        actions: Vec<Action>,
        (goal, unsaid): (Formula, SlotSet),
    ) -> Self {
        let of_cond = |(at, cond): (usize, &Cond)| {
            let facts: Vec<FactId> = cond.facts.to_vec();
            facts.into_iter().map(move |fact| (fact, CondId::new(at)))
        };
        let conds_of = Table::new(domains.facts(), conds.iter().enumerate().flat_map(of_cond));
        let of_action = |(at, action): (usize, &Action)| {
            let needs: Vec<CondId> = action.needs.to_vec();
            needs.into_iter().map(move |cond| (cond, ActionId::new(at)))
        };
        let actions_of = Table::new(conds.len(), actions.iter().enumerate().flat_map(of_action));
        let bytes = domains.bytes()
            + conds.iter().map(Cond::bytes).sum::<usize>()
            + labels.iter().map(Label::bytes).sum::<usize>()
            + actions.iter().map(Action::bytes).sum::<usize>()
            + conds_of.bytes()
            + actions_of.bytes();
        let bytes = bytes as u64;
        Self { domains, conds, labels, actions, goal, unsaid, conds_of, actions_of, bytes }
    }
}
