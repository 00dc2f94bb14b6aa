//! Where a shortest way of a projection breaks off in the network. Each of its steps stands for all labels that lead from
//! one state of the projection to the next; the first step none of whose labels can be taken has the flaw, and the factors
//! that are in the way of the label with the fewest of them are those worth keeping.
//!
//! Rovner, Sievers and Helmert, "Counterexample-guided abstraction refinement for pattern selection in optimal classical
//! planning", ICAPS 2019.

use super::abstraction::{Abstraction, Atoms};
use crate::factors::{State, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use rustc_hash::FxHashSet;

/// The factors outside a projection that are in the way of its shortest way to the goal; if nothing is, those whose goals
/// are not met at its end, if they are asked for. Some factors never count.
pub(super) fn flaws(
    atoms: &Atoms,
    abstraction: &Abstraction,
    (ignored, goals): (&[bool], bool),
    meter: &Meter<'_>,
) -> Result<Vec<usize>, StopReason> {
    let distances = abstraction.factor.distances(&atoms.labels);
    meter.work(16 * abstraction.factor.size() as u64)?;
    let mut now: Vec<State> = atoms.factors.iter().map(|factor| factor.initial).collect();
    let mut at = abstraction.factor.initial;
    // Steps may cost nothing, so distances alone do not lead on.
    let mut been = FxHashSet::from_iter([at]);
    while !abstraction.factor.goal[at.index()] {
        let leads_on = |costs: bool, to: State| {
            let here = distances[at.index()].map(|here| here - u32::from(costs && here > 0));
            distances[to.index()] == here && !been.contains(&to)
        };
        let Some(step) = step(atoms, abstraction, (at, &now), leads_on, ignored) else { break };
        meter.work((atoms.labels.len() * (2 + atoms.factors.len())) as u64)?;
        if !step.blocking.is_empty() {
            return Ok(step.blocking);
        }
        for (factor, state) in atoms.factors.iter().zip(&mut now) {
            // Who may stay where it is stays.
            let targets = || factor.moves(step.label, *state);
            *state = targets().find(|to| to == state).or_else(|| targets().next()).unwrap_or(*state);
        }
        for (member, state) in abstraction.pattern.iter().zip(abstraction.members(step.to)) {
            now[*member] = *state;
        }
        at = step.to;
        been.insert(at);
    }
    let unmet = |at: &usize| goals && !ignored[*at] && !atoms.factors[*at].goal[now[*at].index()];
    Ok((0..atoms.factors.len()).filter(|at| !abstraction.pattern.contains(at)).filter(unmet).collect())
}

/// A step of a projection on a shortest way, by the label with the fewest factors in the way.
struct Step {
    label: usize,
    to: State,
    blocking: Vec<usize>,
}

fn step(
    atoms: &Atoms,
    abstraction: &Abstraction,
    (at, now): (State, &[State]),
    leads_on: impl Fn(bool, State) -> bool,
    ignored: &[bool],
) -> Option<Step> {
    let mut best: Option<Step> = None;
    for (label, costs) in live(&atoms.labels) {
        let Some(to) = abstraction.factor.moves(label, at).find(|to| leads_on(costs, *to)) else { continue };
        let outside = (0..atoms.factors.len()).filter(|factor| !abstraction.pattern.contains(factor));
        let blocks = |factor: &usize| {
            !ignored[*factor] && atoms.factors[*factor].moves(label, now[*factor]).next().is_none()
        };
        let blocking: Vec<usize> = outside.filter(blocks).collect();
        if best.as_ref().is_none_or(|best| blocking.len() < best.blocking.len()) {
            best = Some(Step { label, to, blocking });
        }
    }
    best
}
