//! Networks as diagrams: the same compiled form that the explicit engine runs, run on all states at once.
//!
//! `task` says what the variables are, `machine` runs bytecode, `clocks` are digital, `offer` evaluates edges, `labels`
//! puts them together and obeys the rules of who may go, `fire` makes steps of them. Here they become a system, and runs
//! of it become runs of the network.
//!
//! There is a part of the transition for each label schema, about the variables that it changes. Labels that cost
//! nothing, the passing of time among them, are a transition of their own. Invariants are part of what a state is.

mod clocks;
mod enabled;
mod fire;
mod labels;
mod machine;
mod offer;
mod processes;
mod queue;
mod task;

use crate::bdd::{Bdd, Bdds, Bit, Made};
use crate::encoding::Place;
use crate::number::Number;
use crate::system::System;
use crate::trace::Path;
use crate::transition::{Part, Transition};
use crate::translate::NotMade;
use beeline_ir::VarId;
use beeline_ir::layout::{self, Label as GroundLabel};
use beeline_ir::limits::Limits;
use beeline_ir::network::Role;
use beeline_ir::trace::{NetworkRun, NetworkStep, Time};
use beeline_program::Predicate;
use beeline_program::schema::EdgeRef;
use labels::Label;
use offer::Coded;
pub(crate) use task::Task;

/// What the parts of the transitions of a system are.
pub(crate) struct Steps {
    /// Of those that cost a step.
    costly: Vec<Label>,
    /// Of those that do not; `None` for the passing of a unit of time.
    free: Vec<Option<Label>>,
}

/// A task as diagrams.
pub(crate) fn system(
    task: &Task<'_>,
    order: Vec<VarId>,
    limits: &Limits,
) -> Result<(System, Steps), NotMade> {
    let encoding = task
        .encoding(order)
        .ok_or(NotMade::Unsupported("networks of more than 20,000 bits, current and next"))?;
    let b = Bdds::new(encoding.bits, limits);
    let coded = Coded::new(task, &encoding, &b)?;
    let space_parts = coded.space()?;
    let space = b.all(&space_parts)?;
    let offers = coded.offers()?;
    let mut labels = coded.labels(&offers)?;
    let mut free_parts: Vec<Part> = Vec::new();
    let mut steps = Steps { costly: Vec::new(), free: Vec::new() };
    if task.clocks.count() {
        free_parts.push(coded.tick(&labels)?);
        steps.free.push(None);
    }
    coded.obey_rules(&mut labels)?;
    let mut costly_parts: Vec<Part> = Vec::new();
    for label in labels {
        let costs =
            coded.where_some(&label, |(process, edge)| task.program.processes[process].edges[edge].costs)?;
        let for_nothing = b.minus(&label.enabled, &costs)?;
        let enabled = b.and(&label.enabled, &costs)?;
        if !b.is_no(&enabled) {
            let label = label.restricted(enabled);
            costly_parts.push(coded.fire(&label, &offers)?);
            steps.costly.push(label);
        }
        if !b.is_no(&for_nothing) {
            let label = label.restricted(for_nothing);
            free_parts.push(coded.fire(&label, &offers)?);
            steps.free.push(Some(label));
        }
    }
    let mut inputs: Vec<Bit> = encoding.inputs().flat_map(|place| place.current.clone()).collect();
    inputs.sort_unstable();
    let transition = Transition::of_parts(costly_parts, inputs.clone(), space.clone());
    let at_no_cost =
        (!free_parts.is_empty()).then(|| Transition::of_parts(free_parts, inputs, space.clone()));
    let init = b.and(&coded.start()?, &space)?;
    let mut deadlock = None;
    if mentions_deadlock(&task.target) {
        let mut alive = transition.preimage(&space, &b)?;
        if let Some(free) = &at_no_cost {
            alive = b.or(&alive, &free.preimage(&space, &b)?)?;
        }
        deadlock = Some(b.not(&alive)?);
    }
    let answer = coded.predicate(&task.target, deadlock.as_ref())?;
    let wanted = answer.holds(&b)?;
    let target = b.and(&space, &wanted)?;
    let support = b.support(&wanted);
    let is_asked = |place: &Place| place.current.iter().any(|bit| support.binary_search(bit).is_ok());
    let asked = encoding.places.iter().enumerate().filter(|(_, place)| is_asked(place));
    let asked = asked.map(|(var, _)| VarId::new(var)).collect();
    let unclear = b.minus(&space, &answer.defined)?;
    drop(coded);
    let apart = task.apart();
    let system = System {
        names: task.names(),
        space_parts,
        space,
        init,
        transition,
        at_no_cost,
        target,
        asked,
        unclear,
        apart,
        limits: limits.clone(),
        encoding,
        b,
    };
    Ok((system, steps))
}

impl Label {
    fn restricted(&self, enabled: Bdd) -> Self {
        Self { enabled, ..self.clone() }
    }
}

pub(crate) fn mentions_deadlock(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Const(_) | Predicate::Discrete(_) | Predicate::Clock(_) => false,
        Predicate::Deadlock => true,
        Predicate::Not(inner) | Predicate::Counted(_, inner) => mentions_deadlock(inner),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(mentions_deadlock),
        Predicate::If(parts) => parts.iter().any(mentions_deadlock),
    }
}

impl Coded<'_> {
    /// All that could be a state: values in their ranges, and all invariants hold.
    fn space(&self) -> Result<Vec<Bdd>, NotMade> {
        let b = self.b;
        let mut space = Vec::new();
        for place in self.encoding.stored() {
            space.push(place.valid(&place.current, b)?);
        }
        for (process, compiled) in self.task.program.processes.enumerate() {
            for (id, location) in compiled.locations.enumerate().filter(|_| compiled.role == Role::System) {
                let mut holds = match location.condition {
                    Some(condition) => self.machine.value(condition, &[], &self.current)?.holds(b)?,
                    None => b.yes(),
                };
                for atom in &location.invariant {
                    let (atom_holds, fine) = self.machine.atom(atom, &[], &self.current)?;
                    holds = b.all([&holds, &atom_holds, &fine])?;
                }
                if !b.is_yes(&holds) {
                    space.push(b.implies(&self.at(process, id)?, &holds)?);
                }
            }
        }
        space.retain(|part| !b.is_yes(part));
        Ok(space)
    }
    /// The initial state, invariants aside.
    fn start(&self) -> Made<Bdd> {
        let b = self.b;
        let task = self.task;
        let mut values = task.program.layout.initial(task.network);
        values.resize(values.len() + task.program.clocks, 0);
        let literals: Vec<_> = values
            .iter()
            .zip(&self.encoding.places)
            .flat_map(|(value, place)| Place::literals(&place.current, place.range, *value))
            .collect();
        b.literals(&literals)
    }
    /// Where a predicate holds, and where it has a value.
    fn predicate(&self, predicate: &Predicate, deadlock: Option<&Bdd>) -> Result<Number, NotMade> {
        let b = self.b;
        let inner = |predicate: &Predicate| self.predicate(predicate, deadlock);
        Ok(match predicate {
            Predicate::Const(value) => Number::constant(i64::from(*value), b),
            Predicate::Discrete(routine) => {
                let value = self.machine.value(*routine, &[], &self.current)?;
                Number::truth_value(value.truth(b)?, value.defined, b)
            }
            Predicate::Clock(atom) => {
                let (holds, fine) = self.machine.atom(atom, &[], &self.current)?;
                Number::truth_value(holds, fine, b)
            }
            Predicate::Deadlock => {
                Number::truth_value(deadlock.cloned().unwrap_or_else(|| b.no()), b.yes(), b)
            }
            Predicate::Not(part) => {
                let part = inner(part)?;
                Number::truth_value(b.not(&part.truth(b)?)?, part.defined, b)
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                let and = matches!(predicate, Predicate::And(_));
                let parts = parts.iter().map(inner).collect::<Result<Vec<_>, _>>()?;
                Number::in_turn(&parts, and, b)?
            }
            Predicate::If(parts) => {
                let (condition, then, otherwise) = (inner(&parts[0])?, inner(&parts[1])?, inner(&parts[2])?);
                let mut chosen = Number::select(&condition.truth(b)?, &then, &otherwise, b)?;
                chosen.defined = b.and(&condition.defined, &chosen.defined)?;
                chosen
            }
            Predicate::Counted(_, part) => inner(part)?,
        })
    }
}

impl Steps {
    /// The run of the network that a path through its states is.
    pub fn run(&self, task: &Task<'_>, system: &System, path: &Path) -> Made<NetworkRun> {
        let mut run =
            NetworkRun { observer_start: None, steps: Vec::new(), last_delay: Time::from_integer(0) };
        for (pair, costs) in path.states.windows(2).zip(&path.costs) {
            let transition = if *costs { Some(&system.transition) } else { system.at_no_cost.as_ref() };
            let Some(transition) = transition else { continue };
            let ways = transition.inputs_by_part(&pair[0].current, &pair[1].next, &system.b);
            let Some(way) = { ways }.next() else { continue };
            let (part, inputs) = way?;
            let label = if *costs { Some(&self.costly[part]) } else { self.free[part].as_ref() };
            let Some(label) = label else {
                run.last_delay += Time::from_integer(task.clocks.unit);
                continue;
            };
            let label = self.ground(task, system, label, &pair[0], &inputs)?;
            let delay = std::mem::replace(&mut run.last_delay, Time::from_integer(0));
            run.steps.push(NetworkStep { delay, label });
        }
        Ok(run)
    }
    /// A label of a schema from a state, by the least of the inputs.
    fn ground(
        &self,
        task: &Task<'_>,
        system: &System,
        label: &Label,
        state: &crate::system::State,
        inputs: &Bdd,
    ) -> Made<GroundLabel> {
        let b = &system.b;
        let inputs = system.least_of(system.encoding.inputs(), inputs)?;
        let here = b.literals(&[&state.current[..], &inputs.current[..]].concat())?;
        let first = task.program.layout.slots.len() + task.program.clocks;
        let part = |(process, edge): EdgeRef| {
            let at = task.inputs[process].first - first + 1;
            let count = task.program.processes[process].edges[edge].selects.len();
            layout::Part { process, edge, selects: inputs.values[at..at + count].to_vec() }
        };
        let mut parts: Vec<layout::Part> = label.fixed.iter().map(|edge| part(*edge)).collect();
        for (edge, joins) in &label.joining {
            if b.is_yes(&b.restrict(joins, &here)?) {
                parts.push(part(*edge));
            }
        }
        Ok(GroundLabel { parts, observer: None })
    }
}
