//! The relation form: initial states and steps, by choosing values until every constraint is true. A value is chosen
//! only where something depends on it; a constraint is checked as soon as what is known decides it.

use beeline_ir::expr::{Expr, Range, RuntimeError};
use beeline_ir::property::Property;
use beeline_ir::relation::{Assignment, Choice, Relation, RelationRole};
use beeline_ir::trace::RelationStep;

use crate::cells::{Cells, Eval, Known, Stop};
use crate::clock::Constraint;
use crate::context::Context;
use crate::fork::{Agenda, Halt, MAX_PARTS, Meter};
use crate::value::{Answers, Evaluation, is_target};

/// A relation as it runs. States list the values of state and frozen variables by slot, inputs those of the input
/// variables in order of declaration. The relation must be well-formed.
#[derive(Debug)]
pub struct RelationKernel<'m> {
    pub(crate) relation: &'m Relation,
    pub(crate) cx: Context<'m>,
}

/// What must hold of cells, current, next or both.
struct Problem<'r> {
    /// The value of each of these slots is one of a choice.
    assigns: Vec<(usize, &'r Choice)>,
    /// These are true; with `true`, of the next state.
    constraints: Vec<(&'r Expr, bool)>,
}

/// Cells that solve a problem, whatever the values still unknown; and the first error met on the way.
pub(crate) struct Solutions {
    pub cells: Vec<Cells>,
    pub error: Option<RuntimeError>,
}

/// A partial solution, and which assignments and constraints are done with.
struct Node {
    cells: Cells,
    assigned: Vec<bool>,
    true_already: Vec<bool>,
}

impl Node {
    fn with(&self, cells: Cells) -> Self {
        Self { cells, assigned: self.assigned.clone(), true_already: self.true_already.clone() }
    }
}

impl<'m> RelationKernel<'m> {
    /// The relation's behaviour.
    pub fn new(relation: &'m Relation) -> Self {
        Self { relation, cx: Context::of_relation(relation) }
    }
    /// Number of slots of a state.
    pub(crate) fn stored(&self) -> usize {
        self.cx.layout.slots.len()
    }
    /// All initial states, in ascending order; `None` if a variable has too many values to try them all.
    pub fn initial(&self) -> Option<Vec<Vec<i64>>> {
        let solutions = self.solve_initial(self.cells_of(Vec::new()), &mut Meter::default()).ok()?;
        let slots: Vec<usize> = (0..self.stored()).collect();
        let mut states = Vec::new();
        for cells in solutions.cells {
            states.extend(self.expand(&cells, &slots)?);
        }
        states.sort_unstable();
        states.dedup();
        Some(states)
    }
    /// All successors of a state, each once, with inputs that lead to it; `None` if there are too many to try.
    pub fn successors(&self, state: &[i64]) -> Option<Vec<RelationStep>> {
        let solutions = self.solve_step(self.cells_of_state(state), &mut Meter::default()).ok()?;
        let mut steps = Vec::new();
        for cells in solutions.cells {
            let inputs: Vec<i64> = self.inputs().map(|slot| self.least(&cells, slot)).collect();
            let next = self.expand(&cells, &self.next_slots())?;
            steps.extend(next.into_iter().map(|state| RelationStep { inputs: inputs.clone(), state }));
        }
        steps.sort_by(|a, b| (&a.state, &a.inputs).cmp(&(&b.state, &b.inputs)));
        steps.dedup_by(|a, b| a.state == b.state);
        Some(steps)
    }
    /// Whether the state is the property's target. Always false where the target is a failing step.
    pub fn holds(&self, property: &Property, state: &[i64]) -> bool {
        let cells = self.cells_of_state(state);
        let clock = |constraint: &Constraint| Err(Stop::Clock(*constraint));
        let deadlock = || match self.solve_step(cells.clone(), &mut Meter::default()) {
            Ok(solutions) => Ok(solutions.cells.is_empty()),
            Err(_) => Err(Stop::Deadlock),
        };
        let answers = Answers { clock: &clock, deadlock: &deadlock };
        is_target(&self.cx, property, &cells, answers) == Ok(true)
    }
    /// Whether the state is initial.
    pub fn is_initial(&self, state: &[i64]) -> bool {
        let mut cells = self.cells_of(Vec::new());
        self.fix(&mut cells, 0..self.stored(), state)
            && self.solve_initial(cells, &mut Meter::default()).is_ok_and(|s| !s.cells.is_empty())
    }
    /// Whether these inputs allow the step from one state to another.
    pub fn is_step(&self, state: &[i64], inputs: &[i64], next: &[i64]) -> bool {
        let mut cells = self.cells_of(Vec::new());
        self.fix(&mut cells, 0..self.stored(), state)
            && self.fix(&mut cells, self.inputs(), inputs)
            && self.fix(&mut cells, self.next_slots(), next)
            && self.solve_step(cells, &mut Meter::default()).is_ok_and(|s| !s.cells.is_empty())
    }
    /// Gives each of these slots its value, if it may have it.
    fn fix(&self, cells: &mut Cells, slots: impl IntoIterator<Item = usize>, values: &[i64]) -> bool {
        let slots: Vec<usize> = slots.into_iter().collect();
        slots.len() == values.len()
            && slots.into_iter().zip(values).all(|(slot, value)| {
                let allowed = cells.get(slot).allows(*value, self.cx.ranges[slot]);
                cells.write(slot, *value);
                allowed
            })
    }
    /// All cells, of which just the current state is known.
    fn cells_of_state(&self, state: &[i64]) -> Cells {
        self.cells_of(Cells::known(state).iter().cloned().collect())
    }
    /// All cells, of which just something of the current state is known.
    pub(crate) fn cells_of(&self, mut cells: Vec<Known>) -> Cells {
        cells.resize(self.cx.ranges.len(), Known::Any);
        Cells::new(cells)
    }
    fn inputs(&self) -> impl Iterator<Item = usize> {
        let inputs = self.relation.vars.enumerate().filter(|(_, v)| v.role == RelationRole::Input);
        inputs.map(|(id, _)| self.cx.var[id.index()])
    }
    /// The slot of the next value of each slot of a state.
    fn next_slots(&self) -> Vec<usize> {
        let stored = self.relation.vars.enumerate().filter(|(_, v)| v.role != RelationRole::Input);
        stored.map(|(id, _)| self.cx.next[id.index()]).collect()
    }
    /// The next state, as far as it is known.
    pub(crate) fn next_cells(&self, cells: &Cells) -> Cells {
        Cells::new(self.next_slots().into_iter().map(|slot| cells.get(slot).clone()).collect())
    }
    fn least(&self, cells: &Cells, slot: usize) -> i64 {
        cells.get(slot).values(self.cx.ranges[slot]).next().unwrap_or_default()
    }
    /// Every combination of values of some slots.
    fn expand(&self, cells: &Cells, slots: &[usize]) -> Option<Vec<Vec<i64>>> {
        let mut parts = vec![cells.clone()];
        for slot in slots {
            let mut finer = Vec::new();
            for part in &parts {
                finer.extend(self.cx.split(part, *slot).ok()?);
            }
            parts = finer;
        }
        let values = |cells: &Cells| slots.iter().map(|slot| self.least(cells, *slot)).collect();
        Some(parts.iter().map(values).collect())
    }
    /// The initial states among these cells.
    pub(crate) fn solve_initial(&self, start: Cells, meter: &mut Meter) -> Result<Solutions, Halt> {
        let slot = |a: &Assignment| self.cx.var[a.var.index()];
        let constraints = self.relation.init.iter().chain(&self.relation.invar);
        let problem = Problem {
            assigns: self.relation.init_assigns.iter().map(|a| (slot(a), &a.choice)).collect(),
            constraints: constraints.map(|c| (c, false)).collect(),
        };
        self.solve(start, &problem, meter)
    }
    /// The steps among these cells.
    pub(crate) fn solve_step(&self, start: Cells, meter: &mut Meter) -> Result<Solutions, Halt> {
        let slot = |a: &Assignment| self.cx.next[a.var.index()];
        let trans = self.relation.trans.iter().map(|c| (c, false));
        let problem = Problem {
            assigns: self.relation.next_assigns.iter().map(|a| (slot(a), &a.choice)).collect(),
            constraints: trans.chain(self.relation.invar.iter().map(|c| (c, true))).collect(),
        };
        self.solve(start, &problem, meter)
    }
    fn solve(&self, start: Cells, problem: &Problem<'_>, meter: &mut Meter) -> Result<Solutions, Halt> {
        let mut solutions = Solutions { cells: Vec::new(), error: None };
        let assigned = vec![false; problem.assigns.len()];
        let true_already = vec![false; problem.constraints.len()];
        let mut work = Agenda::new(Node { cells: start, assigned, true_already });
        while let Some(node) = work.next() {
            meter.tick()?;
            self.advance(node, problem, &mut work, &mut solutions)?;
        }
        Ok(solutions)
    }
    /// Checks the constraints of a partial solution, then carries out an assignment, or splits a slot that one of
    /// them depends on.
    fn advance(
        &self,
        mut node: Node,
        problem: &Problem<'_>,
        work: &mut Agenda<'_, Node>,
        solutions: &mut Solutions,
    ) -> Result<(), Halt> {
        let mut needed = Vec::new();
        for (i, (constraint, primed)) in problem.constraints.iter().enumerate() {
            if node.true_already[i] {
                continue;
            }
            let mut evaluation = Evaluation::new(&self.cx);
            evaluation.primed = *primed;
            match evaluation.truth(constraint, &node.cells) {
                Ok(true) => node.true_already[i] = true,
                Ok(false) => return Ok(()),
                Err(Stop::Slot(slot)) => needed.push(slot),
                Err(stop) => {
                    record(stop, solutions);
                    return Ok(());
                }
            }
        }
        let mut pending = Vec::new();
        for (i, (slot, choice)) in problem.assigns.iter().enumerate() {
            if node.assigned[i] {
                continue;
            }
            match self.choices(choice, self.cx.ranges[*slot], &node.cells) {
                Ok(choices) => {
                    if choices.outside {
                        record(Stop::Error(RuntimeError::Range), solutions);
                    }
                    node.assigned[i] = true;
                    let (slot, known) = (*slot, node.cells.get(*slot).clone());
                    let values = choices.values(&known).ok_or(Halt::TooWide(slot))?;
                    work.add(values.map(move |v| node.with(node.cells.with(slot, Known::Value(v)))));
                    return Ok(());
                }
                Err(Stop::Slot(needs)) => {
                    pending.push(*slot);
                    needed.insert(0, needs);
                }
                Err(stop) => {
                    record(stop, solutions);
                    return Ok(());
                }
            }
        }
        // Rather than one that has an assignment of its own, split one on which others depend.
        let Some(first) = needed.first() else {
            solutions.cells.push(node.cells);
            return Ok(());
        };
        let free = needed.iter().find(|slot| !pending.contains(slot));
        let parts = self.cx.split(&node.cells, *free.unwrap_or(first))?;
        work.add(parts.map(move |cells| node.with(cells)));
        Ok(())
    }
    /// The values of a choice that are in range.
    fn choices(&self, choice: &Choice, range: Range, cells: &Cells) -> Eval<Choices> {
        let mut choices = Choices { ranges: Vec::new(), outside: false };
        let mut evaluation = Evaluation::new(&self.cx);
        let mut work = vec![choice];
        while let Some(choice) = work.pop() {
            match choice {
                Choice::One(value) => {
                    let value = evaluation.value(value, cells)?;
                    choices.add(Range::new(value, value), range);
                }
                Choice::Between(lo, hi) => {
                    let lo = evaluation.value(lo, cells)?;
                    let hi = evaluation.value(hi, cells)?;
                    choices.add(Range::new(lo, hi), range);
                }
                Choice::Union(parts) => work.extend(parts.iter().rev()),
                Choice::If(condition, then, otherwise) => {
                    let holds = evaluation.truth(condition, cells)?;
                    work.push(if holds { then } else { otherwise });
                }
            }
        }
        choices.ranges.sort_unstable();
        Ok(choices)
    }
}

struct Choices {
    /// In order, perhaps overlapping.
    ranges: Vec<Range>,
    /// Whether there were others, outside of the variable's range.
    outside: bool,
}

impl Choices {
    fn add(&mut self, chosen: Range, range: Range) {
        if chosen.size() > 0 {
            self.outside |= chosen.lo < range.lo || chosen.hi > range.hi;
            self.ranges.push(Range::new(chosen.lo.max(range.lo), chosen.hi.min(range.hi)));
        }
    }
    /// Those that a slot may have of which this is known, ascending; `None` if there are too many to try them all.
    fn values(self, known: &Known) -> Option<Box<dyn Iterator<Item = i64>>> {
        if *known != Known::Any {
            let chosen = move |v: &i64| self.ranges.iter().any(|r| r.contains(*v));
            return Some(Box::new(known.values(Range::BOOL).filter(chosen)));
        }
        let size: u128 = self.ranges.iter().map(|r| r.size()).sum();
        let mut from = i64::MIN;
        let fresh = move |range: Range| {
            let rest = Range::new(range.lo.max(from), range.hi);
            from = from.max(range.hi.saturating_add(1));
            rest.values()
        };
        (size <= MAX_PARTS).then(|| Box::new(self.ranges.into_iter().flat_map(fresh)) as Box<_>)
    }
}

fn record(stop: Stop, solutions: &mut Solutions) {
    if let Stop::Error(error) = stop {
        solutions.error.get_or_insert(error);
    }
}
