//! What the steps of a place have to do with each other: an `else` waits until none of the others can be done, and an
//! escape pre-empts what it escapes from.
//!
//! In Spin it is the sender alone who begins a rendezvous: to receive one is nothing that a process can do by itself,
//! so it holds up no `else`, pre-empts nothing, and who waits for one in an atomic sequence has let go of the token. Once a
//! message is offered, nothing but receives are looked at. So of all escapes from the receive of a rendezvous, those
//! count that would receive the same message.

use beeline_ir::expr::{BinaryOp, ChannelRef, Expr};
use beeline_ir::network::{ChannelKind, Sync};
use beeline_ir::origin::Span;
use beeline_ir::stmt::{Pattern, Receive};
use beeline_ir::{EdgeId, ProcessId};

use super::channel::Meant;
use super::process::Parts;
use super::{Lower, both};
use crate::ast::{Ref, Stmt, StmtKind};
use crate::graph::{Action, Step};

impl<'a> Lower<'a, '_> {
    /// For every step of a place, the condition on the others; its edges have the numbers from `first` on.
    pub(super) fn choice_guards(
        &mut self,
        id: ProcessId,
        proto: usize,
        place: usize,
        first: usize,
        actions: &[Parts],
    ) -> Vec<Expr> {
        let mut guards = Vec::new();
        for (step, parts) in actions.iter().enumerate() {
            let graph = &self.protos[proto].graph;
            let mut guard = Expr::TRUE;
            if graph.places[place].steps[step].is_else() {
                guard = match graph.siblings(place, step) {
                    Some(before) => self.none_of(id, first, &before, actions),
                    None => Expr::FALSE,
                };
            }
            let escapes = graph.escapes(place, step);
            if !escapes.is_empty() {
                let span = graph.places[place].steps[step].span;
                guard = both(guard, self.not_escaped(id, first, parts, &escapes, actions, span));
            }
            guards.push(guard);
        }
        guards
    }

    /// The condition that no escape pre-empts a step.
    fn not_escaped(
        &mut self,
        id: ProcessId,
        first: usize,
        parts: &Parts,
        escapes: &[usize],
        actions: &[Parts],
        span: Span,
    ) -> Expr {
        let meets = match &parts.sync {
            Sync::Receive(receive) => self.rendezvous(&receive.channel),
            _ => Expr::FALSE,
        };
        if meets == Expr::FALSE {
            return self.none_of(id, first, escapes, actions);
        }
        let mut others = Vec::new();
        for escape in escapes {
            if let (Sync::Receive(main), Sync::Receive(other)) = (&parts.sync, &actions[*escape].sync) {
                others.push(self.takes(id, EdgeId::new(first + escape), main, other, span));
            }
        }
        let none = match others.iter().all(|e| *e == Expr::FALSE) {
            true => Expr::TRUE,
            false => Expr::Or(others).negated(),
        };
        match meets {
            Expr::Const(_) => none,
            meets => {
                let alone = self.none_of(id, first, escapes, actions);
                Expr::If(Box::new(meets), Box::new(none), Box::new(alone))
            }
        }
    }

    /// The condition that a receive would take the message that another one is about to.
    fn takes(&mut self, id: ProcessId, edge: EdgeId, main: &Receive, other: &Receive, span: Span) -> Expr {
        let number = |channel: &ChannelRef| match channel {
            ChannelRef::Value(value) => (**value).clone(),
            element => Expr::Channel(element.clone()),
        };
        let same = match (&main.channel, &other.channel) {
            (a, b) if a == b => Expr::TRUE,
            (ChannelRef::Element(a, _), ChannelRef::Element(b, _)) if a != b => return Expr::FALSE,
            (a, b) => number(a).binary(BinaryOp::Eq, number(b)),
        };
        if !other.pattern.iter().any(|pattern| matches!(pattern, Pattern::Match(_))) {
            return same;
        }
        // Whether it fits is asked of what is offered: a guard does not know the message.
        if self.offers(id, &main.channel) > 1 {
            let message = "an escape from a rendezvous that takes some messages only needs them to be offered one at a time";
            self.messages.unsupported("U0909", message, span);
        }
        both(same, Expr::Enabled(id, vec![edge]))
    }

    /// How many messages may be offered to a process at once over a channel, at most.
    fn offers(&mut self, id: ProcessId, channel: &ChannelRef) -> usize {
        let mut total = 0;
        for sender in (0..self.instances.len()).map(ProcessId::new).filter(|sender| *sender != id) {
            let sent = |step: &Step<'a>| match step.action {
                Action::Stmt(Stmt { kind: StmtKind::Send(send), .. }) => Some(&send.channel),
                _ => None,
            };
            let places = &self.protos[self.instances[sender.index()].proto].graph.places;
            let places: Vec<Vec<&'a Ref>> =
                places.iter().map(|place| place.steps.iter().filter_map(sent).collect()).collect();
            let mut most = 0;
            for place in places {
                let meant = place.into_iter().filter_map(|found| self.meant(found, Some(sender)).ok());
                let may = |meant: &Meant| match (&meant.channel, channel) {
                    (ChannelRef::Element(a, _), ChannelRef::Element(b, _)) => a == b,
                    _ => true,
                };
                most = most.max(meant.filter(may).count());
            }
            total += most;
        }
        total
    }

    /// The condition that none of these steps of a place can be done.
    fn none_of(&self, id: ProcessId, first: usize, steps: &[usize], actions: &[Parts]) -> Expr {
        let mut simple = Expr::TRUE;
        let mut others = Vec::new();
        for step in steps {
            match self.executable_parts(&actions[*step]) {
                Some(Expr::Const(0)) => {}
                Some(condition) => simple = both(simple, condition.negated()),
                None => others.push((EdgeId::new(first + step), &actions[*step].sync)),
            }
        }
        match self.one_begins(id, others.into_iter()) {
            Expr::Const(0) => simple,
            one => both(simple, one.negated()),
        }
    }

    /// The condition that a process can do one of these edges by itself.
    pub(super) fn one_begins<'s>(
        &self,
        id: ProcessId,
        edges: impl Iterator<Item = (EdgeId, &'s Sync)>,
    ) -> Expr {
        let mut certain = Vec::new();
        let mut any = Vec::new();
        for (edge, sync) in edges {
            let meets = match sync {
                Sync::Receive(receive) => self.rendezvous(&receive.channel),
                _ => Expr::FALSE,
            };
            match meets {
                Expr::Const(0) => certain.push(edge),
                Expr::Const(_) => {}
                // Asked last: what is enabled has a channel.
                meets => any.push(Expr::And(vec![Expr::Enabled(id, vec![edge]), meets.negated()])),
            }
        }
        if !certain.is_empty() {
            any.insert(0, Expr::Enabled(id, certain));
        }
        match any.len() {
            0 => Expr::FALSE,
            1 => any.remove(0),
            _ => Expr::Or(any),
        }
    }

    /// When an edge can be executed, if that is an expression that has a value in every state.
    fn executable_parts(&self, parts: &Parts) -> Option<Expr> {
        let fails = |e: &Expr| {
            let mut fails = false;
            beeline_ir::visit::walk(e, &mut |e| {
                fails |= match e {
                    Expr::Elem(var, index) => {
                        let len = self.network.vars[*var].len.map_or(0, i64::from);
                        !matches!(**index, Expr::Const(i) if (0..len).contains(&i))
                    }
                    Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor) => {
                        !matches!(**divisor, Expr::Const(d) if d != 0)
                    }
                    Expr::Binary(op, ..) => matches!(op, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Mul),
                    Expr::Length(channel) | Expr::Capacity(channel) | Expr::Channel(channel) => {
                        !matches!(channel, ChannelRef::Element(_, None))
                    }
                    Expr::Poll(_) | Expr::Timeout => true,
                    _ => false,
                };
            });
            fails
        };
        match &parts.sync {
            Sync::Internal if !fails(&parts.guard) => Some(parts.guard.clone()),
            Sync::Send(send) if parts.guard.is_true() => match &send.channel {
                ChannelRef::Element(id, None)
                    if matches!(self.network.channels[*id].kind, ChannelKind::Buffered { .. }) =>
                {
                    let length = Expr::Length(send.channel.clone());
                    Some(length.binary(BinaryOp::Lt, Expr::Capacity(send.channel.clone())))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
