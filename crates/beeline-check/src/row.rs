//! Rows of states: what labels and delay make of all states that match some cells, at the clock values of a zone; and
//! whether one of them may be a property's target. Never too few states, sometimes too many.

use beeline_ir::expr::RuntimeError;
use beeline_ir::property::{Property, Target};

use crate::cells::{Cells, Stop, Tri};
use crate::clock::{ClockSet, Constraint, Cut};
use crate::concrete::Kernel;
use crate::context::Context;
use crate::fire::{Fired, Successor, UnknownInvariant, cost, fire, invariants};
use crate::fork::{Agenda, Halt, Meter, OnUnknown};
use crate::labels::{Candidate, find};
use crate::rules::{Sense, labels_interfere, may_fire, may_wait, rivals};
use crate::value::{Answers, is_target};
use crate::zone::Zone;

/// States that match cells, at the clock values of a zone. (A relation's have cells for the next state and the
/// inputs, too, of which nothing is known.)
#[derive(Clone, Debug)]
pub(crate) struct States {
    pub cells: Cells,
    pub zone: Zone,
}

/// What a label makes of some states.
#[derive(Clone, Debug)]
pub(crate) enum Post {
    /// These states.
    States(States),
    /// These states, through an assertion that is false.
    AssertionFailed(States),
    /// A run-time error.
    Fails(RuntimeError),
    /// A state that the observer cannot make sense of.
    ObserverFails,
}

/// Something that has rows: a network or a relation.
pub(crate) trait Rows {
    fn context(&self) -> &Context<'_>;
    /// Where it all begins.
    fn start(&self, meter: &mut Meter) -> Result<Vec<States>, Halt>;
    /// The states of a row that meet their invariants; `None` if none do. Invariants that depend on something
    /// unknown do not count.
    fn invariant(&self, states: States) -> Option<States>;
    /// What delay makes of states that meet their invariants.
    fn delay(&self, states: &States, meter: &mut Meter) -> Result<States, Halt>;
    /// What each label makes of states that meet their invariants, and its cost.
    fn post(&self, states: &States, target: &Target, meter: &mut Meter) -> Result<Vec<(Post, u32)>, Halt>;
    /// The clock values at which there certainly is a successor, now or later.
    fn alive(&self, states: &States, meter: &mut Meter) -> Result<Vec<Zone>, Halt>;
}

impl Rows for Kernel<'_> {
    fn context(&self) -> &Context<'_> {
        &self.cx
    }
    fn start(&self, _: &mut Meter) -> Result<Vec<States>, Halt> {
        let zone = Zone::zero(self.cx.network.clocks.len());
        let states = |slots: &[i64]| States { cells: Cells::known(slots), zone: zone.clone() };
        Ok(self.initial().into_iter().map(|(state, _)| states(&state.slots)).collect())
    }
    fn invariant(&self, states: States) -> Option<States> {
        // If an invariant fails in all the states, none of them has been reached.
        let all = invariants(&self.cx, &states.cells, UnknownInvariant::LeaveOut).ok().flatten()?;
        let zone = Cut::all(states.zone).meet(&all.constraints)?.set;
        Some(States { zone, ..states })
    }
    fn delay(&self, states: &States, meter: &mut Meter) -> Result<States, Halt> {
        if may_wait(&self.cx, &states.cells, meter)? == Tri::No {
            return Ok(states.clone());
        }
        let later = States { cells: states.cells.clone(), zone: states.zone.up() };
        Ok(self.invariant(later).unwrap_or_else(|| states.clone()))
    }
    fn post(&self, states: &States, target: &Target, meter: &mut Meter) -> Result<Vec<(Post, u32)>, Halt> {
        let cx = &self.cx;
        let found = find(cx, &states.cells, &states.zone, OnUnknown::Split, meter)?;
        let mut posts = Vec::new();
        for (part, error) in found.failing {
            posts.push((Post::Fails(error), cost(cx, std::iter::once(&part))));
        }
        for label in &found.labels {
            // Where cells are split more is known, perhaps an invariant that they do not meet.
            let known = invariants(cx, &label.cells, UnknownInvariant::LeaveOut).ok().flatten();
            let Some(known) = known else { continue };
            let others = if labels_interfere(cx) {
                find(cx, &label.cells, &states.zone, OnUnknown::LeaveOpen, meter)?.labels
            } else {
                Vec::new()
            };
            let pieces = may_fire(cx, Sense::May, label, &rivals(cx, &others), meter)?;
            meter.meets(&states.zone, pieces.len() * known.constraints.len())?;
            let pieces: Vec<_> = pieces.iter().filter_map(|cut| cut.meet(&known.constraints)).collect();
            if !pieces.is_empty() {
                self.fire_row(label, &pieces, target, meter, &mut posts)?;
            }
        }
        Ok(posts)
    }
    fn alive(&self, states: &States, meter: &mut Meter) -> Result<Vec<Zone>, Halt> {
        let cx = &self.cx;
        let all = invariants(cx, &states.cells, UnknownInvariant::LeaveOut).ok().flatten();
        let Some(all) = all else { return Ok(Vec::new()) };
        let everywhere = Cut::all(Zone::all(cx.network.clocks.len())).meet(&all.constraints);
        let Some(Cut { set: everywhere, .. }) = everywhere else { return Ok(Vec::new()) };
        let labels = find(cx, &states.cells, &everywhere, OnUnknown::LeaveOpen, meter)?.labels;
        let rivals = rivals(cx, &labels);
        let mut alive = Vec::new();
        for label in labels.iter().filter(|label| label.certain) {
            let fired = fire(cx, &label.cells, &label.offers, UnknownInvariant::Stop);
            let Ok(Fired::Successor(successor)) = fired else { continue };
            match self.observed(&successor.cells, &mut false, meter) {
                Err(Stop::Halt(halt)) => return Err(halt),
                Ok(steps) if !steps.is_empty() => {}
                _ => continue,
            }
            let pieces = may_fire(cx, Sense::Must, label, &rivals, meter)?;
            meter.meets(&states.zone, pieces.len() * successor.invariants.constraints.len())?;
            let pieces = pieces.iter().filter_map(|cut| cut.meet(&successor.invariants.constraints));
            alive.extend(pieces.map(|cut| cut.set));
        }
        // An invariant between two moments at which it holds holds, too, if it is known at all.
        if all.complete && may_wait(cx, &states.cells, meter)? == Tri::Yes {
            alive = alive.iter().map(Zone::down).collect();
        }
        Ok(alive)
    }
}

impl Kernel<'_> {
    /// What one label makes of the states in which it may fire.
    fn fire_row(
        &self,
        label: &Candidate<Zone>,
        pieces: &[Cut<Zone>],
        target: &Target,
        meter: &mut Meter,
        posts: &mut Vec<(Post, u32)>,
    ) -> Result<(), Halt> {
        let cost = cost(&self.cx, label.offers.iter().map(|offer| &offer.part));
        // An invariant that is left out might fail; that matters only if failing labels are what is looked for.
        let unknown = match target {
            Target::RuntimeError => UnknownInvariant::Stop,
            Target::State(_) | Target::AssertionFailure => UnknownInvariant::LeaveOut,
        };
        let (results, _) = self.cx.forked(&label.cells, OnUnknown::Split, meter, |cells, meter| {
            let fired = fire(&self.cx, cells, &label.offers, unknown)?;
            let mut fails = false;
            let steps = match &fired {
                Fired::Successor(successor) => self.observed(&successor.cells, &mut fails, meter)?,
                Fired::NoSuccessor | Fired::Fails(_) => Vec::new(),
            };
            Ok((fired, steps, fails))
        })?;
        for (_, (fired, steps, fails)) in results {
            match fired {
                Fired::NoSuccessor => {}
                Fired::Fails(error) => posts.push((Post::Fails(error), cost)),
                Fired::Successor(Successor { terms, invariants, assertion_failed, .. }) => {
                    meter.meets(&label.cut.set, pieces.len() * invariants.constraints.len())?;
                    let pieces = pieces.iter().filter_map(|cut| cut.meet(&invariants.constraints));
                    for zone in pieces.map(|cut| cut.set.after(&terms)) {
                        posts.extend(fails.then_some((Post::ObserverFails, cost)));
                        for (_, cells) in &steps {
                            let states = States { cells: cells.clone(), zone: zone.clone() };
                            let post = if assertion_failed { Post::AssertionFailed } else { Post::States };
                            posts.push((post(states), cost));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Some states of a row, and what has been assumed about deadlock in them.
struct Portion {
    states: States,
    deadlock: Option<bool>,
}

/// Whether one of the states may be the target, which is a state.
pub(crate) fn may_hold(
    rows: &dyn Rows,
    property: &Property,
    states: &States,
    meter: &mut Meter,
) -> Result<bool, Halt> {
    let cx = rows.context();
    let mut work = Agenda::new(Portion { states: states.clone(), deadlock: None });
    while let Some(Portion { states, deadlock }) = work.next() {
        meter.meets(&states.zone, 1)?;
        // Of a part more is known, perhaps an invariant that it does not meet.
        let Some(states) = rows.invariant(states) else { continue };
        // An answer that is not the same for all of the part stops the evaluation.
        let clock = |constraint: &Constraint| {
            let (may_hold, mut negations) = (states.zone.meet(constraint).is_some(), constraint.negations());
            negations.retain(|negation| states.zone.meet(negation).is_some());
            if may_hold && !negations.is_empty() { Err(Stop::Clock(*constraint)) } else { Ok(may_hold) }
        };
        let answers = Answers { clock: &clock, deadlock: &|| deadlock.ok_or(Stop::Deadlock) };
        let part = |cells: Cells, zone: Zone, deadlock| Portion { states: States { cells, zone }, deadlock };
        let outcome = is_target(cx, property, &states.cells, answers);
        let States { cells, zone } = states;
        match outcome {
            // Where the predicate fails nobody can say.
            Ok(true) | Err(Stop::Error(_)) => return Ok(true),
            Ok(false) => {}
            Err(Stop::Clock(constraint)) => {
                let mut sides = constraint.negations();
                sides.push(constraint);
                let zones = sides.into_iter().filter_map(move |side| zone.meet(&side));
                work.add(zones.map(move |zone| part(cells.clone(), zone, deadlock)));
            }
            Err(Stop::Deadlock) => {
                let all = Cut::all(zone.clone());
                let (mut dead, mut alive) = (vec![all.clone()], Vec::new());
                for zone in rows.alive(&States { cells: cells.clone(), zone }, meter)? {
                    let constraints = zone.constraints();
                    dead = Cut::minus_all(dead, &constraints, meter)?;
                    alive.extend(all.meet(&constraints));
                }
                // Where the certain successors end, others may go on, unless everything is known.
                if (0..cx.layout.slots.len()).any(|slot| cells.read(slot).is_err()) {
                    alive = vec![all];
                }
                let dead = dead.into_iter().map(|cut| (cut, true));
                let cuts = dead.chain(alive.into_iter().map(|cut| (cut, false)));
                work.add(cuts.map(move |(cut, dead)| part(cells.clone(), cut.set, Some(dead))));
            }
            Err(stop) => {
                let parts = cx.parts(cells, stop)?;
                work.add(parts.map(move |cells| part(cells, zone.clone(), deadlock)));
            }
        }
    }
    Ok(false)
}
