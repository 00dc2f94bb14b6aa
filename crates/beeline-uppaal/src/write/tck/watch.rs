//! Watchers: small processes that make TChecker hold what only depends on the state of others. A watcher is *on*
//! where its condition holds and *off* where it does not. It takes part in every step, so its new location,
//! which the invariants choose, is always right. While it is on, time stands still (an urgent channel can fire)
//! or a clock constraint must hold (an invariant with a condition).

use beeline_ir::ProcessId;
use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::network::ChannelKind;

use super::fold::{and, or};
use super::instance::{Action, Element, Instance};
use super::simplify::Simplifier;
use crate::write::{Unwritable, edge_place};

const URGENT: &str = "over an urgent channel";

/// A watcher.
pub(super) struct Watcher {
    /// When it is on.
    pub condition: Expr,
    /// What must hold then; nothing if time stands still.
    pub invariant: Option<ClockAtom>,
}

/// The watchers a network needs: one for its urgent channels, one for each invariant with a condition.
pub(super) fn watchers(
    simplifier: &mut Simplifier<'_>,
    instances: &[Instance],
) -> Result<Vec<Watcher>, Unwritable> {
    let mut found = Vec::new();
    let urgent = urgent_condition(simplifier, instances)?;
    if urgent != Expr::FALSE {
        found.push(Watcher { condition: urgent, invariant: None });
    }
    let network = simplifier.network;
    for (p, process) in network.processes.enumerate() {
        for (l, location) in process.locations.enumerate() {
            simplifier.place = format!("process {}, location {}", process.name, location.name);
            let mut env = simplifier.env(&location.frame)?;
            for atom in &location.invariant {
                let atom = simplifier.atom(atom, &mut env)?;
                if let Some(when) = &atom.when {
                    let here = simplifier.expr(&Expr::At(p, l), &mut env)?;
                    let condition = and(vec![here, when.clone()]);
                    if condition != Expr::FALSE {
                        let invariant = Some(ClockAtom { when: None, ..atom });
                        found.push(Watcher { condition, invariant });
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Whether a label over an urgent channel is enabled.
fn urgent_condition(simplifier: &mut Simplifier<'_>, instances: &[Instance]) -> Result<Expr, Unwritable> {
    let network = simplifier.network;
    let urgent = |element: Element| network.channels[element.channel].urgent;
    let mut ways = Vec::new();
    for sender in instances {
        let Action::Send(element) = sender.action else { continue };
        if !urgent(element) {
            continue;
        }
        let open = ready(simplifier, sender, URGENT)?;
        if network.channels[element.channel].kind == ChannelKind::Broadcast {
            ways.push(open);
            continue;
        }
        let mut partners = Vec::new();
        for receiver in instances {
            if receiver.action == Action::Receive(element) && receiver.process != sender.process {
                partners.push(ready(simplifier, receiver, URGENT)?);
            }
        }
        ways.push(and(vec![open, or(partners)]));
    }
    simplifier.checked(or(ways))
}

/// Whether an edge is enabled by itself; for a purpose that cannot look at clocks.
pub(super) fn ready(
    simplifier: &mut Simplifier<'_>,
    instance: &Instance,
    purpose: &str,
) -> Result<Expr, Unwritable> {
    if !instance.atoms.is_empty() {
        simplifier.place = edge_place(simplifier.network, instance.process, instance.edge);
        return simplifier.refuse(format!("a clock constraint on an edge {purpose}"));
    }
    let here = simplifier.expr(&Expr::At(instance.process, instance.source), &mut Vec::new())?;
    Ok(and(vec![here, simplifier.copy(&instance.guard)?]))
}

/// The processes whose locations an expression asks for.
pub(super) fn located(expr: &Expr, found: &mut std::collections::BTreeSet<ProcessId>) {
    beeline_ir::visit::walk(expr, &mut |e| {
        if let Expr::At(process, _) = e {
            found.insert(*process);
        }
    });
}
