//! Edges and locations without what is removed.

use super::Pattern;
use super::anew::{renumber, unused};
use super::approximate::{Failing, Side};
use super::cut::{Cut, Scope};
use super::slice::{Relevant, Taint};
use super::update::{Choice, Rewriter};
use beeline_ir::expr::{ChannelRef, ClockAtom, ClockOp, Expr, Range};
use beeline_ir::network::{ChannelKind, Edge, Location, Network, Sync};
use beeline_ir::stmt::{Local, Pattern as Field, Place, Receive};
use beeline_ir::visit::{atom_parts, sync_parts, walk};
use beeline_ir::{ChannelId, EdgeId, LocalId, ProcessId};
use beeline_program::Atom;
use std::collections::BTreeSet;

/// Combinations of select values an edge may have, if some of them are choices.
pub(super) const SELECTIONS: u128 = 1024;

/// An edge without what is removed.
#[derive(Clone, Debug)]
pub(super) struct Projected {
    pub edge: Edge,
    /// Whether it may be enabled where the original is not, locations left aside.
    pub lost: bool,
    /// Whether it changes something.
    pub effect: bool,
    /// It left a committed location, and is of a removed automaton.
    pub committed: bool,
    /// The edges that it stands for.
    pub from: Vec<EdgeId>,
}

/// Whether broadcasts over a channel may be received by the edge.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Hears {
    Nothing,
    /// Those over this declared channel.
    Declared,
    /// Those over any channel.
    Any,
}

fn hears(cut: &Cut<'_>, edge: &Edge) -> Hears {
    match &edge.sync {
        Sync::Receive(Receive { channel: ChannelRef::Element(id, _), .. }) => {
            let broadcast = cut.network.channels[*id].kind == ChannelKind::Broadcast;
            if broadcast { Hears::Declared } else { Hears::Nothing }
        }
        Sync::Receive(_) if cut.broadcasts() => Hears::Any,
        _ => Hears::Nothing,
    }
}

/// Projects an edge. What it needs is added to `needs`; the answer is of no use then.
pub(super) fn edge(cut: &Cut<'_>, process: ProcessId, original: &Edge, needs: &mut Pattern) -> Projected {
    let scope = Taint::of(Scope::new(cut, &original.frame), &original.update, false).scope;
    let removed = cut.removes(process);
    let mut lost = scope.loses(&original.guard);
    atom_parts(&original.clock_guard, &mut |e| lost |= scope.loses(e));
    sync_parts(&original.sync, &mut |e| lost |= scope.loses(e));
    lost |= original.clock_guard.iter().any(|atom| loses_clock(&scope, atom));

    // A receiver that is evaluated where it was not, or its guard was false, must not fail.
    let hears = hears(cut, original);
    let strict = hears != Hears::Nothing && (lost || removed);
    if strict && hears == Hears::Any {
        // It may be any channel's, so that nobody could stay behind on its behalf.
        needs.add(&cut.removed);
    }

    let mut guard = scope.approximate(&original.guard, Side::Upper, Failing::Guard).expr;
    if strict {
        guard = scope.unfailing(guard);
    }
    let relevant = Relevant::of(&scope, &original.update, mentioned(&original.sync));
    let mut rewriter = Rewriter::new(&scope, &relevant, removed);
    let sync = match &original.sync {
        Sync::Internal => Sync::Internal,
        Sync::Send(send) => Sync::Send(rewriter.send(send)),
        Sync::Receive(receive) if strict => Sync::Receive(unfailing(&mut rewriter, receive, process)),
        Sync::Receive(receive) => Sync::Receive(rewriter.receive(receive)),
    };
    let update = rewriter.block(&original.update);
    needs.add(&rewriter.needs);
    let choices = rewriter.choices;
    let mut edge = Edge {
        guard,
        clock_guard: atoms(&scope, &original.clock_guard, strict),
        sync,
        update,
        ..original.clone()
    };
    let effect = has_effect(cut, &edge) || !removed && edge.source != edge.target;
    add_choices(&mut edge, &choices, needs);
    Projected { edge, lost, effect, committed: false, from: Vec::new() }
}

/// A receive that does not fail.
fn unfailing(rewriter: &mut Rewriter<'_>, receive: &Receive, process: ProcessId) -> Receive {
    let scope = rewriter.scope;
    let mut receive = receive.clone();
    for field in &mut receive.pattern {
        if matches!(field, Field::Match(value) if scope.may_fail(value)) {
            *field = Field::Ignore;
        }
    }
    let mut projected = rewriter.receive(&receive);
    if scope.channel_may_fail(&receive.channel)
        && let ChannelRef::Element(id, Some(index)) = &receive.channel
        && !scope.loses(index)
    {
        let needs = Pattern { automata: [process].into(), ..Pattern::default() };
        let all = Range::new(0, rewriter.scope.cut.network.channels[*id].elements() as i64 - 1);
        let index = rewriter.choose(all, scope.hull(index), needs);
        projected.channel = ChannelRef::Element(*id, Some(Box::new(index)));
    }
    projected
}

/// The locals that a synchronisation mentions.
fn mentioned(sync: &Sync) -> BTreeSet<LocalId> {
    let mut locals = BTreeSet::new();
    sync_parts(sync, &mut |e| {
        walk(e, &mut |part| {
            if let Expr::Local(local) | Expr::LocalElem(local, _) = part {
                locals.insert(*local);
            }
        });
    });
    locals
}

/// Whether the edge changes something besides its location.
fn has_effect(cut: &Cut<'_>, edge: &Edge) -> bool {
    let buffered = |channel: &ChannelRef| {
        let kind = |id: ChannelId| matches!(cut.network.channels[id].kind, ChannelKind::Buffered { .. });
        match channel {
            ChannelRef::Element(id, _) => kind(*id),
            ChannelRef::Value(_) => cut.network.channels.ids().any(kind),
        }
    };
    let global = |place: &Place| matches!(place, Place::Var(_) | Place::Elem(..));
    let binds = |field: &Field| matches!(field, Field::Bind(target) if global(&target.place));
    !edge.update.is_empty()
        || match &edge.sync {
            Sync::Internal => false,
            Sync::Send(send) => buffered(&send.channel),
            Sync::Receive(receive) => buffered(&receive.channel) || receive.pattern.iter().any(binds),
        }
}

/// Makes select variables of the choices, after those that are there; locals that nothing mentions are left out.
fn add_choices(edge: &mut Edge, choices: &[Choice], needs: &mut Pattern) {
    let mut used = BTreeSet::new();
    renumber(edge, &mut |local| {
        used.insert(local);
        local
    });
    let (selects, locals) = (edge.selects, edge.frame.len());
    let chosen = choices.iter().enumerate().map(|(number, choice)| Local {
        name: unused(&edge.frame, format!("choice{number}")),
        range: choice.range,
        len: None,
    });
    // In their new order, each with the number it had: select variables, choices, other locals.
    let before = edge.frame.iter().cloned().chain(chosen).enumerate();
    let mut frame: Vec<(usize, Local)> = before.filter(|(at, _)| used.contains(&LocalId::new(*at))).collect();
    frame.sort_by_key(|(at, _)| (selects..locals).contains(at));
    edge.selects = frame.iter().take_while(|(at, _)| !(selects..locals).contains(at)).count();
    let new = |local: LocalId| frame.iter().position(|(at, _)| *at == local.index()).unwrap_or(local.index());
    renumber(edge, &mut |local| LocalId::new(new(local)));
    edge.frame = frame.into_iter().map(|(_, local)| local).collect();
    let sizes = edge.frame[..edge.selects].iter().map(|local| local.range.size());
    if !choices.is_empty() && sizes.fold(1, u128::saturating_mul) > SELECTIONS {
        choices.iter().for_each(|choice| needs.add(&choice.needs));
    }
}

/// A receiving edge by which a process stays where it is and does nothing.
pub(super) fn stays(network: &Network, edge: &Edge) -> Option<Edge> {
    let Sync::Receive(Receive { channel: ChannelRef::Element(id, index), pattern, any, keep }) = &edge.sync
    else {
        return None;
    };
    let mut frame = Vec::new();
    let index = index.as_ref().map(|index| {
        if mentioned(&edge.sync).is_empty() {
            return index.clone();
        }
        // Whatever the index is there, it may be any here.
        let range = Range::new(0, network.channels[*id].elements() as i64 - 1);
        frame.push(Local { name: "choice0".to_string(), range, len: None });
        Box::new(Expr::Local(LocalId::new(0)))
    });
    let sync = Sync::Receive(Receive {
        channel: ChannelRef::Element(*id, index),
        pattern: pattern.iter().map(|_| Field::Ignore).collect(),
        any: *any,
        keep: *keep,
    });
    Some(Edge {
        target: edge.source,
        selects: frame.len(),
        frame,
        guard: Expr::TRUE,
        clock_guard: Vec::new(),
        sync,
        update: Vec::new(),
        costs: false,
        ..edge.clone()
    })
}

/// Projects the invariant of a location.
pub(super) fn location(cut: &Cut<'_>, original: &Location) -> Location {
    let scope = Scope::new(cut, &original.frame);
    Location {
        condition: scope.approximate(&original.condition, Side::Upper, Failing::Guard).expr,
        invariant: atoms(&scope, &original.invariant, false),
        ..original.clone()
    }
}

/// Whether a clock constraint cannot stay because of its clocks.
fn loses_clock(scope: &Scope<'_>, atom: &ClockAtom) -> bool {
    atom.right.is_some() || !scope.cut.kept.clocks.contains(&atom.left)
}

/// Clock constraints that hold wherever the originals do. `strict`: they must not fail.
fn atoms(scope: &Scope<'_>, originals: &[ClockAtom], strict: bool) -> Vec<ClockAtom> {
    let mut kept = Vec::new();
    for atom in originals {
        let unusable = |e: &Expr| scope.loses(e) || strict && scope.may_fail(e);
        if loses_clock(scope, atom) || atom.when.as_ref().is_some_and(unusable) {
            continue;
        }
        let when = atom.when.as_ref().map(|when| scope.keep(when));
        let with = |op: ClockOp, bound: Expr| ClockAtom { when: when.clone(), op, bound, ..atom.clone() };
        if !(scope.loses(&atom.bound) || strict && scope.bound_may_fail(&atom.bound)) {
            kept.push(with(atom.op, scope.keep(&atom.bound)));
            continue;
        }
        let Range { lo, hi } = scope.hull(&atom.bound);
        let usable = |bound: i64| lo <= hi && (-Atom::LIMIT..=Atom::LIMIT).contains(&bound);
        let upper = match atom.op {
            ClockOp::Lt => Some(ClockOp::Lt),
            ClockOp::Le | ClockOp::Eq => Some(ClockOp::Le),
            ClockOp::Ge | ClockOp::Gt => None,
        };
        let lower = match atom.op {
            ClockOp::Gt => Some(ClockOp::Gt),
            ClockOp::Ge | ClockOp::Eq => Some(ClockOp::Ge),
            ClockOp::Lt | ClockOp::Le => None,
        };
        kept.extend(lower.filter(|_| usable(lo)).map(|op| with(op, Expr::Const(lo))));
        kept.extend(upper.filter(|_| usable(hi)).map(|op| with(op, Expr::Const(hi))));
    }
    kept
}
