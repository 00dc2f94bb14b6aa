//! Firing a label: locations, updates, token, invariants, and the observer's step.

use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::Part;
use beeline_ir::network::{ChannelKind, Location, Sync};
use beeline_ir::{EdgeId, ProcessId};

use crate::cells::{Cells, Eval, Known, Stop};
use crate::clock::{Constraint, Rewritten, Terms};
use crate::context::Context;
use crate::edge::{Exchange, Offer, selects};
use crate::exec::Effects;
use crate::fork::{Meter, fallible};
use crate::frame::Frame;
use crate::value::Evaluation;

/// What to do with the part of an invariant that depends on something unknown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum UnknownInvariant {
    /// Stop there.
    Stop,
    /// Leave it out: more states meet the rest than meet the whole.
    LeaveOut,
}

/// What invariants say about the clocks.
#[derive(Clone, Debug)]
pub(crate) struct Invariants {
    /// All of these hold.
    pub constraints: Vec<Constraint>,
    /// No part was left out.
    pub complete: bool,
}

/// What became of a label.
#[derive(Clone, Debug)]
pub(crate) enum Fired {
    /// A state, if the clocks allow.
    Successor(Successor),
    /// The part of an invariant that does not depend on clocks is false.
    NoSuccessor,
    /// A run-time error.
    Fails(RuntimeError),
}

/// The state a label leads to.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    pub cells: Cells,
    pub terms: Terms,
    /// At which clock values of the source state it exists: where these hold.
    pub invariants: Invariants,
    pub assertion_failed: bool,
}

/// Whether a label of these parts counts as a step.
pub(crate) fn cost<'p>(cx: &Context<'_>, mut parts: impl Iterator<Item = &'p Part>) -> u32 {
    u32::from(parts.any(|part| cx.process(part.process).edges[part.edge].costs))
}

/// Fires a label that may fire, up to and including the invariants.
pub(crate) fn fire(
    cx: &Context<'_>,
    cells: &Cells,
    offers: &[Offer],
    unknown: UnknownInvariant,
) -> Eval<Fired> {
    let terms = Terms::unchanged(cx.network.clocks.len());
    let mut effects = Effects { cells: cells.clone(), terms, assertion_failed: false };
    let result = run(cx, offers, &mut effects).and_then(|()| {
        let Some(invariants) = invariants(cx, &effects.cells, unknown)? else { return Ok(None) };
        Ok(rewritten(invariants, &effects.terms))
    });
    Ok(match fallible(result)? {
        Err(error) => Fired::Fails(error),
        Ok(None) => Fired::NoSuccessor,
        Ok(Some(invariants)) => {
            let Effects { cells, terms, assertion_failed } = effects;
            Fired::Successor(Successor { cells, terms, invariants, assertion_failed })
        }
    })
}

fn run(cx: &Context<'_>, offers: &[Offer], effects: &mut Effects) -> Eval<()> {
    for Offer { part, .. } in offers {
        let target = cx.process(part.process).edges[part.edge].target;
        effects.cells.write(cx.layout.location[part.process], target.index() as i64);
    }
    let message = match offers.first().map(|offer| &offer.exchange) {
        Some(Exchange::Send(_, message)) => &message[..],
        _ => &[],
    };
    for offer in offers {
        run_part(cx, offer, message, effects)?;
    }
    pass_token(cx, offers, &mut effects.cells);
    Ok(())
}

/// The communication of one part, then its update.
fn run_part(cx: &Context<'_>, offer: &Offer, message: &[i64], effects: &mut Effects) -> Eval<()> {
    let process = offer.part.process;
    let edge = &cx.process(process).edges[offer.part.edge];
    let mut evaluation = Evaluation::new(cx);
    evaluation.frame = Frame::new(&edge.frame, &offer.part.selects);
    let cells = &mut effects.cells;
    let buffered = |element: usize| matches!(cx.channel(element).0.kind, ChannelKind::Buffered { .. });
    match (&edge.sync, &offer.exchange) {
        (Sync::Send(send), Exchange::Send(element, message)) if buffered(*element) => {
            evaluation.put(*element, message, send.sorted, cells)?;
        }
        (Sync::Receive(receive), Exchange::Receive(element, wanted)) if buffered(*element) => {
            evaluation.take(*element, receive, wanted, cells)?;
        }
        (Sync::Receive(receive), _) => evaluation.bind(&receive.pattern, message, cells)?,
        (Sync::Internal | Sync::Send(_), _) => {}
    }
    evaluation.update(&edge.update, process, effects)
}

/// The token goes to the receiver of a pair, or else the initiator, if its new location is atomic.
fn pass_token(cx: &Context<'_>, offers: &[Offer], cells: &mut Cells) {
    let Some(slot) = cx.layout.holder else { return };
    let pair = offers
        .first()
        .and_then(Offer::element)
        .is_some_and(|element| matches!(cx.channel(element).0.kind, ChannelKind::Rendezvous));
    let heir = if pair { offers.last() } else { offers.first() };
    let holder = heir.map(|offer| offer.part.process).filter(|process| {
        let Known::Value(value) = cells.get(cx.layout.location[*process]) else { return false };
        let location = cx.layout.location(*process, *value);
        location.is_some_and(|location| cx.process(*process).locations[location].atomic)
    });
    cells.write(slot, holder.map_or(0, |process| process.index() as i64 + 1));
}

/// The clock constraints of all invariants; `None` if a part without clocks is false.
pub(crate) fn invariants(
    cx: &Context<'_>,
    cells: &Cells,
    unknown: UnknownInvariant,
) -> Eval<Option<Invariants>> {
    let mut all = Invariants { constraints: Vec::new(), complete: true };
    let leave_out = |stop: Stop, all: &mut Invariants| match stop {
        Stop::Slot(_) if unknown == UnknownInvariant::LeaveOut => {
            all.complete = false;
            Ok(())
        }
        stop => Err(stop),
    };
    for (id, process) in cx.system() {
        let slot = cx.layout.location[id];
        let location = match cells.read(slot) {
            Ok(value) => cx.layout.location(id, value),
            Err(stop) => {
                let possible = cells.get(slot).values(cx.ranges[slot]);
                let mut locations = possible.filter_map(|v| cx.layout.location(id, v));
                if locations.any(|l| has_invariant(&process.locations[l])) {
                    leave_out(stop, &mut all)?;
                }
                continue;
            }
        };
        let Some(location) = location.map(|l| &process.locations[l]) else { continue };
        let mut evaluation = Evaluation::new(cx);
        evaluation.frame = Frame::new(&location.frame, &[]);
        match evaluation.truth(&location.condition, cells) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(stop) => leave_out(stop, &mut all)?,
        }
        for atom in &location.invariant {
            match evaluation.constraint(atom, cells) {
                Ok(constraint) => all.constraints.extend(constraint),
                Err(stop) => leave_out(stop, &mut all)?,
            }
        }
    }
    Ok(Some(all))
}

fn has_invariant(location: &Location) -> bool {
    !location.condition.is_true() || !location.invariant.is_empty()
}

/// Constraints on the clocks after a label, in terms of the clocks before; `None` if one never holds.
fn rewritten(invariants: Invariants, terms: &Terms) -> Option<Invariants> {
    let mut constraints = Vec::new();
    for constraint in &invariants.constraints {
        match terms.rewrite(constraint) {
            Rewritten::Fixed(true) => {}
            Rewritten::Fixed(false) => return None,
            Rewritten::Constraint(constraint) => constraints.push(constraint),
        }
    }
    Some(Invariants { constraints, ..invariants })
}

/// The steps an observer can take in a state: its enabled edges, and where they lead. An edge that fails is not enabled.
pub(crate) fn observer_steps(
    (cx, observer): (&Context<'_>, ProcessId),
    cells: &Cells,
    fails: &mut bool,
    meter: &mut Meter,
) -> Eval<Vec<(EdgeId, Cells)>> {
    let slot = cx.layout.location[observer];
    cells.read(slot)?;
    let mut steps = Vec::new();
    for (id, edge) in cx.leaving(cells, observer) {
        for selects in selects(edge) {
            meter.tick()?;
            let part = Part { process: observer, edge: id, selects };
            let enabled = fallible(Evaluation::new(cx).offer(&part, cells))?;
            *fails |= enabled.is_err();
            if matches!(enabled, Ok(Some(_))) {
                steps.push((id, cells.with(slot, Known::Value(edge.target.index() as i64))));
                break;
            }
        }
    }
    Ok(steps)
}
