//! Edges: one of the IR for each alternative of the guard and each branch.

use beeline_ir::expr::{ChannelRef, ClockAtom, ClockOp, Expr};
use beeline_ir::network::{Edge, Sync};
use beeline_ir::stmt::{Receive, Send};
use beeline_ir::{LocationId, ProcessId};

use super::body::{Body, Mode};
use super::expr::Value;
use super::fault::{Fault, Res};
use super::formula::Conjunction;
use super::place::{Cells, Storage};
use super::scope::View;
use super::types::Type;
use super::{ELEMENT, Lower};
use crate::ast;

impl Lower<'_> {
    /// The edges of a process.
    pub(super) fn edges(&mut self, template: &ast::Template, view: View, process: ProcessId) -> Vec<Edge> {
        let mut all = Vec::new();
        let mut branches: Vec<Vec<(i64, &ast::Edge)>> = vec![Vec::new(); template.branchpoints.len()];
        for (edge, j) in template.edges.iter().zip(0..) {
            if let ast::Node::Branchpoint(point) = edge.source
                && let Some(branches) = branches.get_mut(point)
            {
                branches.push((j, edge));
            }
        }
        for (i, edge) in template.edges.iter().enumerate() {
            if !edge.controllable {
                self.once("W0533", "uncontrollable edges are read as ordinary ones", edge.span);
            }
            if let Some(weight) = &edge.probability {
                self.once("W0533", "weights of branches are ignored: each of them is possible", weight.span);
            }
            let made = match (edge.source, edge.target) {
                (ast::Node::Branchpoint(_), _) => branch_only(edge),
                (ast::Node::Location(source), ast::Node::Location(target)) => {
                    self.edge(&mut all, edge, None, (source, target), view, process, vec![i as i64])
                }
                (ast::Node::Location(source), ast::Node::Branchpoint(point)) => {
                    let branches = branches.get(point).map_or(&[][..], Vec::as_slice);
                    if branches.is_empty() {
                        let message = "no branch leads on from this branchpoint: the edge is never taken";
                        self.warn("W0538", message, edge.span);
                    }
                    branches.iter().try_for_each(|(j, branch)| {
                        let ast::Node::Location(target) = branch.target else {
                            let message = "a branch leads to a location, not to another branchpoint";
                            return Err(Fault::error("E0545", message, branch.span));
                        };
                        let native = vec![i as i64, *j];
                        self.edge(&mut all, edge, Some(branch), (source, target), view, process, native)
                    })
                }
            };
            self.report(made);
        }
        all
    }

    #[expect(clippy::too_many_arguments, reason = "one call each for edges and branches")]
    fn edge(
        &mut self,
        all: &mut Vec<Edge>,
        edge: &ast::Edge,
        branch: Option<&ast::Edge>,
        (source, target): (usize, usize),
        view: View,
        process: ProcessId,
        native: Vec<i64>,
    ) -> Res<()> {
        let mut b = Body::new(view, Some(process));
        for (ident, ty) in &edge.selects {
            self.pay(1, ident.span)?;
            let range = self.domain(&mut b, ty)?;
            b.bind(&ident.name, range, true);
        }
        let selects = b.frame.len();
        let alternatives = match &edge.guard {
            None => vec![Conjunction { pure: Expr::TRUE, atoms: Vec::new(), rates: Vec::new() }],
            Some(guard) => self.formula(&mut b, guard)?.alternatives(self, true, guard.span)?,
        };
        let (sync, urgent) = match &edge.sync {
            None => (Sync::Internal, false),
            Some(sync) => self.sync(&mut b, sync)?,
        };
        b.mode = Mode::Statements;
        for e in edge.update.iter().chain(branch.into_iter().flat_map(|e| &e.update)) {
            self.effect(&mut b, e)?;
        }
        for alternative in alternatives {
            let span = edge.guard.as_ref().map_or(edge.span, |g| g.span);
            if let Some(rate) = alternative.rates.first() {
                return Err(Fault::error(
                    "E0543",
                    "the rate of a clock stands only in invariants",
                    rate.span,
                ));
            }
            let clock_guard: Vec<ClockAtom> = alternative.atoms.into_iter().filter(|a| !trivial(a)).collect();
            if urgent && !clock_guard.is_empty() {
                return Err(Fault::unsupported(
                    "U0532",
                    "a clock guard together with an urgent channel",
                    span,
                )
                .help("there need be no first moment at which it is enabled; use an invariant instead"));
            }
            self.pay(ELEMENT, edge.span)?;
            all.push(Edge {
                source: LocationId::new(source),
                target: LocationId::new(target),
                frame: b.frame.clone(),
                selects,
                guard: alternative.pure,
                clock_guard,
                sync: sync.clone(),
                update: b.out.clone(),
                costs: true,
                origin: Some(self.origin(edge.span, native.clone())),
            });
        }
        Ok(())
    }
    /// A synchronisation, and whether its channel is urgent.
    fn sync(&mut self, b: &mut Body, sync: &ast::Sync) -> Res<(Sync, bool)> {
        let span = sync.channel.span;
        let place = match self.value(b, &sync.channel)? {
            Value::Place(place) if matches!(place.ty, Type::Chan { .. }) => place,
            Value::Place(place) if matches!(place.ty.element(), Type::Chan { .. }) => {
                return Err(Fault::error("E0542", "an array of channels needs an index here", span));
            }
            _ => return Err(Fault::error("E0542", "only a channel can synchronise", span)),
        };
        let Storage::Cells(Cells::Channel(id)) = &place.storage else {
            return Err(Fault::error("E0542", "only a channel can synchronise", span));
        };
        let declared = &self.net.channels[*id];
        let index = declared.len.map(|_| Box::new(place.index()));
        let channel = ChannelRef::Element(*id, index);
        let lowered = if sync.send {
            Sync::Send(Send { channel, message: Vec::new(), sorted: false })
        } else {
            Sync::Receive(Receive { channel, pattern: Vec::new(), any: false, keep: false })
        };
        Ok((lowered, declared.urgent))
    }
}

/// A branch has an update and nothing else.
fn branch_only(branch: &ast::Edge) -> Res<()> {
    if branch.guard.is_some() || branch.sync.is_some() || !branch.selects.is_empty() {
        let message = "a branch has no guard, synchronisation or select";
        return Err(
            Fault::error("E0545", message, branch.span).help("put them on the edge into the branchpoint")
        );
    }
    Ok(())
}

/// Whether a constraint always holds.
fn trivial(atom: &ClockAtom) -> bool {
    atom.right.is_none() && atom.op == ClockOp::Ge && matches!(atom.bound, Expr::Const(bound) if bound <= 0)
}
