//! Edges for given values of their select variables, over one element of a channel: what TChecker calls an edge,
//! except that clock constraints may still have conditions.

use beeline_ir::expr::{ChannelRef, ClockAtom, Expr, Range};
use beeline_ir::network::{ChannelKind, Sync};
use beeline_ir::{ChannelId, EdgeId, LocationId, ProcessId};

use super::fold::{and, equals, not};
use super::inline::{self, Update};
use super::simplify::{Simplifier, Value};
use crate::write::{Unwritable, edge_place};

/// One element of a channel.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Element {
    pub channel: ChannelId,
    pub index: usize,
}

/// What an edge does with others.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Action {
    Internal,
    Send(Element),
    Receive(Element),
}

/// An edge with its select variables and its channel element fixed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instance {
    pub process: ProcessId,
    pub edge: EdgeId,
    pub source: LocationId,
    pub target: LocationId,
    pub action: Action,
    /// The guard; not the constant 0.
    pub guard: Expr,
    pub atoms: Vec<ClockAtom>,
    pub update: Update,
}

impl Instance {
    /// Whether it is enabled at any state of its source location.
    pub fn always(&self) -> bool {
        self.guard.is_true() && self.atoms.is_empty()
    }
}

/// All instances of all edges.
pub(super) fn instances(simplifier: &mut Simplifier<'_>) -> Result<Vec<Instance>, Unwritable> {
    let network = simplifier.network;
    let mut found = Vec::new();
    for (p, process) in network.processes.enumerate() {
        for (e, edge) in process.edges.enumerate() {
            simplifier.place = edge_place(network, p, e);
            let ranges: Vec<_> = edge.frame[..edge.selects].iter().map(|l| l.range).collect();
            if ranges.iter().any(|r| r.lo > r.hi) {
                continue;
            }
            let mut values: Vec<i64> = ranges.iter().map(|r| r.lo).collect();
            loop {
                instantiate(simplifier, p, e, &values, &mut found)?;
                let Some(next) = (0..values.len()).rev().find(|i| values[*i] < ranges[*i].hi) else {
                    break;
                };
                values[next] += 1;
                for i in next + 1..values.len() {
                    values[i] = ranges[i].lo;
                }
            }
        }
    }
    Ok(found)
}

fn instantiate(
    simplifier: &mut Simplifier<'_>,
    process: ProcessId,
    id: EdgeId,
    selects: &[i64],
    found: &mut Vec<Instance>,
) -> Result<(), Unwritable> {
    let network = simplifier.network;
    let edge = &network.processes[process].edges[id];
    simplifier.charge(8)?;
    let mut env = simplifier.env(&edge.frame)?;
    for (value, select) in env.iter_mut().zip(selects) {
        *value = Value::Scalar(Expr::Const(*select));
    }
    let guard = simplifier.expr(&edge.guard, &mut env)?;
    let guard = simplifier.checked(guard)?;
    if guard == Expr::FALSE {
        return Ok(());
    }
    let mut atoms = Vec::new();
    for atom in &edge.clock_guard {
        let atom = simplifier.atom(atom, &mut env)?;
        if atom.when != Some(Expr::FALSE) {
            atoms.push(atom);
        }
    }
    let channel = match &edge.sync {
        Sync::Internal => None,
        Sync::Send(send) => Some(&send.channel),
        Sync::Receive(receive) => Some(&receive.channel),
    };
    // The elements the channel may be, each with the condition under which it is that one.
    let actions: Vec<(Action, Expr)> = match channel {
        None => vec![(Action::Internal, Expr::TRUE)],
        Some(ChannelRef::Value(_)) => return simplifier.refuse("a channel as a value"),
        Some(ChannelRef::Element(channel, index)) => {
            let index = match index {
                Some(index) => simplifier.expr(index, &mut env)?,
                None => Expr::Const(0),
            };
            let sends = matches!(edge.sync, Sync::Send(_));
            let declared = &network.channels[*channel];
            // A receiver that fails would stop the whole broadcast.
            let indices = Range::new(0, declared.elements() as i64 - 1);
            let fits = simplifier.fits(&index, indices, &[]);
            if !sends && declared.kind == ChannelKind::Broadcast && !fits {
                return simplifier.refuse("a broadcast received over an index that may be outside its array");
            }
            let mut actions = Vec::new();
            for n in 0..declared.elements() {
                let here = equals(simplifier.copy(&index)?, n as i64);
                if here != Expr::FALSE {
                    let element = Element { channel: *channel, index: n };
                    actions
                        .push((if sends { Action::Send(element) } else { Action::Receive(element) }, here));
                }
            }
            actions
        }
    };
    let update = inline::update(simplifier, &edge.frame, selects, &edge.update)?;
    for (action, here) in actions {
        simplifier.charge(1 + update.block.len() + update.locals.len())?;
        let guard = and(vec![simplifier.copy(&guard)?, here]);
        let (atoms, update) = (atoms.clone(), update.clone());
        let (source, target) = (edge.source, edge.target);
        found.push(Instance { process, edge: id, source, target, action, guard, atoms, update });
    }
    Ok(())
}

/// A conjunction of a condition and clock constraints without conditions.
pub(super) type Conjunction = (Expr, Vec<ClockAtom>);

/// A guard as conjunctions, at least one of which holds wherever it does: conditions of clock constraints hold
/// or not.
pub(super) fn split(
    simplifier: &mut Simplifier<'_>,
    guard: &Expr,
    atoms: &[ClockAtom],
) -> Result<Vec<Conjunction>, Unwritable> {
    let mut cases = vec![(simplifier.copy(guard)?, Vec::new())];
    for atom in atoms {
        let plain = ClockAtom { when: None, ..atom.clone() };
        let Some(when) = &atom.when else {
            cases.iter_mut().for_each(|(_, atoms)| atoms.push(plain.clone()));
            continue;
        };
        let mut next = Vec::new();
        for (guard, atoms) in cases {
            let unless = and(vec![simplifier.copy(&guard)?, not(simplifier.copy(when)?)]);
            next.push((unless, atoms.clone()));
            let mut atoms = atoms;
            atoms.push(plain.clone());
            next.push((and(vec![guard, simplifier.copy(when)?]), atoms));
        }
        cases = next;
    }
    Ok(cases)
}

/// The opposite of a guard, as conjunctions at least one of which holds wherever the guard does not.
pub(super) fn opposite(
    simplifier: &mut Simplifier<'_>,
    guard: &Expr,
    atoms: &[ClockAtom],
) -> Result<Vec<Conjunction>, Unwritable> {
    let mut cases = vec![(not(simplifier.copy(guard)?), Vec::new())];
    for atom in atoms {
        let when = atom.when.clone().unwrap_or(Expr::TRUE);
        for op in atom.op.negations() {
            let condition = and(vec![simplifier.copy(guard)?, simplifier.copy(&when)?]);
            cases.push((condition, vec![ClockAtom { when: None, op: *op, ..atom.clone() }]));
        }
    }
    cases.retain(|(condition, _)| *condition != Expr::FALSE);
    Ok(cases)
}

/// All ways to choose one conjunction of each list and hold them all.
pub(super) fn combine(
    simplifier: &mut Simplifier<'_>,
    lists: Vec<Vec<Conjunction>>,
) -> Result<Vec<Conjunction>, Unwritable> {
    let mut cases = vec![(Expr::TRUE, Vec::new())];
    for list in lists {
        let mut next = Vec::new();
        for (guard, atoms) in &cases {
            for (condition, more) in &list {
                let guard = and(vec![simplifier.copy(guard)?, simplifier.copy(condition)?]);
                if guard != Expr::FALSE {
                    next.push((guard, atoms.iter().chain(more).cloned().collect()));
                }
            }
        }
        cases = next;
    }
    Ok(cases)
}
