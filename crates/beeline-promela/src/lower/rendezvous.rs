//! A rendezvous is one step here and two to Spin. Where steps are counted as Spin does, a receiver comes to a place in
//! between, where it holds the token, and needs a second step to leave it. Nobody sees that place.

use beeline_ir::expr::{BinaryOp, ChannelRef, Expr};
use beeline_ir::network::{ChannelKind, Edge, Location, Sync};
use beeline_ir::origin::Span;
use beeline_ir::stmt::Stmt;
use beeline_ir::{LocationId, ProcessId};

use super::Lower;
use crate::Length;

/// A place in between.
pub(super) struct Half {
    at: LocationId,
    target: LocationId,
    /// Whether the token is kept.
    atomic: bool,
    channel: ChannelRef,
    span: Span,
}

impl Lower<'_, '_> {
    fn any_channel(&self, wanted: impl Fn(ChannelKind) -> bool) -> bool {
        self.network.channels.iter().any(|channel| wanted(channel.kind))
    }

    /// Whether a channel has no buffer: a constant where that is known.
    pub(super) fn rendezvous(&self, channel: &ChannelRef) -> Expr {
        match channel {
            ChannelRef::Element(id, _) => match self.network.channels[*id].kind {
                ChannelKind::Buffered { .. } => Expr::FALSE,
                _ => Expr::TRUE,
            },
            _ if !self.any_channel(|kind| kind == ChannelKind::Rendezvous) => Expr::FALSE,
            _ => Expr::Capacity(channel.clone()).binary(BinaryOp::Eq, Expr::Const(0)),
        }
    }

    /// Whether there may be places in between.
    pub(super) fn has_halves(&self) -> bool {
        self.length == Length::Spin && self.any_channel(|kind| kind == ChannelKind::Rendezvous)
    }

    /// The place in between that a receive leads to, if there is to be one.
    pub(super) fn half(
        &mut self,
        id: ProcessId,
        target: usize,
        atomic: bool,
        sync: &Sync,
        span: Span,
    ) -> Option<LocationId> {
        let Sync::Receive(receive) = sync else { return None };
        if !self.pairs(sync) || !self.has_halves() {
            return None;
        }
        let locations = &mut self.network.processes[id].locations;
        let location = Location {
            name: format!("-received{}-", locations.len()),
            frame: Vec::new(),
            condition: Expr::TRUE,
            invariant: Vec::new(),
            urgent: false,
            committed: false,
            atomic: true,
            origin: None,
        };
        let at = locations.push(location);
        let (target, channel) = (LocationId::new(target), receive.channel.clone());
        self.halves.push(Half { at, target, atomic, channel, span });
        Some(at)
    }

    /// The second steps, after all other edges of the process. One after a message from a buffer costs nothing.
    pub(super) fn finish_halves(&mut self, id: ProcessId) {
        let buffered = self.any_channel(|kind| matches!(kind, ChannelKind::Buffered { .. }));
        for half in std::mem::take(&mut self.halves) {
            let open = matches!(half.channel, ChannelRef::Value(_)) && buffered;
            let capacity = |op| Expr::Capacity(half.channel.clone()).binary(op, Expr::Const(0));
            let edges = match open {
                true => vec![(capacity(BinaryOp::Eq), true), (capacity(BinaryOp::Ne), false)],
                false => vec![(Expr::TRUE, true)],
            };
            let update: Vec<Stmt> = self.token(id, true, half.atomic, &Sync::Internal).into_iter().collect();
            for (guard, costs) in edges {
                self.network.processes[id].edges.push(Edge {
                    source: half.at,
                    target: half.target,
                    frame: Vec::new(),
                    selects: 0,
                    guard,
                    clock_guard: Vec::new(),
                    sync: Sync::Internal,
                    update: update.clone(),
                    costs,
                    origin: self.sources.origin(half.span, Vec::new()),
                });
            }
        }
    }
}
