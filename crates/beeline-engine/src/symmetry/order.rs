//! Where it matters what is evaluated before what.
//!
//! Processes that are exchanged change places in every order there is: that of operands and quantified values, that in
//! which invariants are looked at, and that in which the receivers of a broadcast do their updates. An exchange goes
//! unnoticed only where these orders do not matter: nothing fails on the way that would not have been reached in another
//! order, and nothing is read that was written just before.

use super::classes::Scope;
use super::work::{Evaluation, long_evaluations};
use beeline_ir::EdgeId;
use beeline_ir::expr::{BinaryOp, ChannelRef, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::{ChannelKind, Edge, Network, Sync};
use beeline_ir::property::{Property, Target};
use beeline_ir::stmt::{Local, Pattern, Place, Stmt};
use beeline_ir::visit;
use beeline_program::intervals;
use beeline_zones::fault::{self, Fault};
use std::collections::BTreeSet;

/// Bounds of clocks within which none is too large, whatever the number of clocks.
const CLOCK_BOUNDS: Range = Range::new(-(1 << 28), 1 << 28);

/// A network, and what is asked about it.
#[derive(Clone, Debug)]
pub struct Order<'n> {
    network: &'n Network,
    property: &'n Property,
    long: BTreeSet<Evaluation>,
}

impl<'n> Order<'n> {
    pub fn new(network: &'n Network, property: &'n Property) -> Self {
        Self { network, property, long: long_evaluations(network, property) }
    }

    /// Whether no order matters that is the same for all exchanges: of invariants and of receivers.
    pub fn is_indifferent(&self) -> bool {
        self.invariants_commute() && self.receivers_commute()
    }

    /// Whether something may take so long that it is given up, and when depends on where it has begun.
    pub fn is_long(&self, evaluation: Evaluation) -> bool {
        self.long.contains(&evaluation)
    }

    fn frame(&self, scope: Scope) -> &'n [Local] {
        let (network, property) = (self.network, self.property);
        match scope {
            Scope::Location(process, location) => &network.processes[process].locations[location].frame,
            Scope::Edge(process, edge) => &network.processes[process].edges[edge].frame,
            Scope::Function(function) => &network.functions[function].frame,
            Scope::Property => &property.frame,
        }
    }

    /// Whether an expression always has a value, so that it does not matter when it is evaluated.
    pub fn is_total(&self, scope: Scope, expr: &Expr) -> bool {
        if fault::active(Fault::OrderOfOperands) {
            return true;
        }
        let mut total = true;
        visit::walk(expr, &mut |e| {
            total &= match e {
                Expr::Elem(var, index) => {
                    let len = i64::from(self.network.vars[*var].len.unwrap_or(0));
                    matches!(**index, Expr::Const(index) if (0..len).contains(&index))
                }
                Expr::Binary(op, ..) => {
                    use BinaryOp as B;
                    matches!(op, B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge | B::Min | B::Max)
                }
                Expr::Unary(op, _) => *op == UnaryOp::Not,
                Expr::Clock(atom) => matches!(atom.bound, Expr::Const(_)),
                Expr::Quantified(Quantifier::Sum, _, range, body) => self.adds_up(scope, *range, body),
                Expr::LocalElem(..)
                | Expr::Call(..)
                | Expr::Poll(_)
                | Expr::Channel(_)
                | Expr::Length(_)
                | Expr::Capacity(_)
                // What they look at may fail, or take long.
                | Expr::Enabled(..)
                | Expr::Timeout => false,
                _ => true,
            }
        });
        total
    }

    /// Whether a sum is never too large on the way, in whatever order it is added up.
    pub fn adds_up(&self, scope: Scope, range: Range, body: &Expr) -> bool {
        let body = intervals::of(self.network, self.frame(scope), body);
        let count = i128::try_from(range.size()).unwrap_or(i128::MAX);
        [body.lo, body.hi]
            .into_iter()
            .all(|bound| i128::from(bound).checked_mul(count).is_some_and(|sum| i64::try_from(sum).is_ok()))
    }

    /// Invariants are looked at one process after the other, up to the first that does not hold. If a later one fails that
    /// is not known, which matters if failures are looked for, or if it is one that makes everything unknown.
    fn invariants_commute(&self) -> bool {
        let failures = matches!(self.property.target(), Target::RuntimeError);
        let processes = self.network.processes.enumerate();
        let locations = { processes }.flat_map(|(id, process)| {
            process.locations.enumerate().map(move |(at, location)| (id, at, location))
        });
        let harmless = |scope: Scope, expr: &Expr| !failures || self.is_total(scope, expr);
        { locations }.all(|(id, at, location)| {
            let scope = Scope::Location(id, at);
            !self.is_long(Evaluation::Invariant(id, at))
                && harmless(scope, &location.condition)
                && location.invariant.iter().all(|atom| {
                    let bound = intervals::of(self.network, self.frame(scope), &atom.bound);
                    let within = CLOCK_BOUNDS.lo <= bound.lo && bound.hi <= CLOCK_BOUNDS.hi;
                    atom.when.iter().chain([&atom.bound]).all(|expr| harmless(scope, expr))
                        && (within || !failures)
                })
        })
    }

    /// Receivers of a broadcast do their updates in the order of processes. It does not matter if they change only what is
    /// their own, and read nothing that belongs to others.
    fn receivers_commute(&self) -> bool {
        let network = self.network;
        let any = || network.channels.iter().any(|channel| channel.kind == ChannelKind::Broadcast);
        let broadcast = |channel: &ChannelRef| match channel {
            ChannelRef::Element(id, _) => network.channels[*id].kind == ChannelKind::Broadcast,
            ChannelRef::Value(_) => any(),
        };
        network.processes.enumerate().all(|(id, process)| {
            let own = |place: &Place| match place {
                Place::Var(var) | Place::Elem(var, _) => network.vars[*var].owner == Some(id),
                Place::Local(_) | Place::LocalElem(..) => true,
            };
            let confined = |(at, edge): (EdgeId, &Edge)| {
                let Sync::Receive(receive) = &edge.sync else { return true };
                let mut confined = !self.is_long(Evaluation::Update(id, at));
                confined &= receive.pattern.iter().all(|pattern| match pattern {
                    Pattern::Bind(target) => own(&target.place),
                    Pattern::Match(_) | Pattern::Ignore => true,
                });
                visit::walk_block(&edge.update, &mut |statement, _| {
                    confined &= match statement {
                        Stmt::Assign(target, _) => own(&target.place),
                        Stmt::ClockSet(clock, _) => network.clocks[*clock].owner == Some(id),
                        Stmt::If(..) | Stmt::While(..) | Stmt::Assert(..) => true,
                        _ => false,
                    };
                });
                visit::edge_parts(edge, &mut |expr| {
                    visit::walk(expr, &mut |e| {
                        confined &= match e {
                            Expr::Var(var) | Expr::Elem(var, _) => {
                                network.vars[*var].owner.is_none_or(|owner| owner == id)
                            }
                            Expr::Call(..) | Expr::Enabled(..) | Expr::Timeout => false,
                            _ => true,
                        };
                    });
                });
                confined || !broadcast(&receive.channel)
            };
            process.edges.enumerate().all(confined)
        })
    }
}
