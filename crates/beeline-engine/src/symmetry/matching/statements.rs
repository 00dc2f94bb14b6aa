//! Statements of two processes side by side: see [`Matching`].

use super::super::classes::{Class, Holder, Scope};
use super::super::exchange::meet;
use super::Matching;
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::stmt::{Block, Pattern, Place, Receive, Send, Stmt, Target};

impl Matching<'_> {
    pub(super) fn channel(&mut self, scope: Scope, from: &ChannelRef, to: &ChannelRef) -> bool {
        match (from, to) {
            (ChannelRef::Element(a, None), ChannelRef::Element(b, None)) => {
                meet(&mut self.exchange.elements, self.binding, (*a, 0), (*b, 0))
            }
            (ChannelRef::Element(a, Some(at)), ChannelRef::Element(b, Some(there))) => {
                let class = self.classes.class(Holder::Element(*a));
                if let (Expr::Const(at), Expr::Const(there), None) = (&**at, &**there, class) {
                    let element = |index: &i64| usize::try_from(*index).ok();
                    return match (element(at), element(there)) {
                        (Some(at), Some(there)) => {
                            meet(&mut self.exchange.elements, self.binding, (*a, at), (*b, there))
                        }
                        _ => false,
                    };
                }
                (self.channels.contains(&(*a, *b)) || self.channels_agree(class, *a, *b))
                    && self.expr(scope, at, there, class)
            }
            (ChannelRef::Value(from), ChannelRef::Value(to)) => self.expr(scope, from, to, None),
            _ => false,
        }
    }

    /// The class of a field of the messages of a channel.
    fn field(&self, channel: &ChannelRef, field: usize) -> Option<Class> {
        match channel {
            ChannelRef::Element(channel, _) => self.classes.class(Holder::Field(*channel, field)),
            ChannelRef::Value(_) => None,
        }
    }

    pub(super) fn send(&mut self, scope: Scope, from: &Send, to: &Send) -> bool {
        from.sorted == to.sorted
            && from.message.len() == to.message.len()
            && self.channel(scope, &from.channel, &to.channel)
            && std::iter::zip(&from.message, &to.message).enumerate().all(|(index, (a, b))| {
                let class = self.field(&from.channel, index);
                self.expr(scope, a, b, class)
            })
    }

    pub(super) fn receive(&mut self, scope: Scope, from: &Receive, to: &Receive) -> bool {
        (from.any, from.keep, from.pattern.len()) == (to.any, to.keep, to.pattern.len())
            && self.channel(scope, &from.channel, &to.channel)
            && std::iter::zip(&from.pattern, &to.pattern).enumerate().all(|(index, pair)| match pair {
                (Pattern::Bind(a), Pattern::Bind(b)) => self.target(scope, a, b),
                (Pattern::Match(a), Pattern::Match(b)) => {
                    let class = self.field(&from.channel, index);
                    self.expr(scope, a, b, class)
                }
                (Pattern::Ignore, Pattern::Ignore) => true,
                _ => false,
            })
    }

    fn target(&mut self, scope: Scope, from: &Target, to: &Target) -> bool {
        from.store == to.store
            && match (&from.place, &to.place) {
                (Place::Var(a), Place::Var(b)) => self.cell((*a, 0), (*b, 0)),
                (Place::Elem(a, at), Place::Elem(b, there)) => self.element(scope, (*a, at), (*b, there)),
                (Place::Local(a), Place::Local(b)) => a == b,
                (Place::LocalElem(a, at), Place::LocalElem(b, there)) => {
                    let class = self.classes.class(Holder::LocalIndex(scope, *a));
                    a == b && self.expr(scope, at, there, class) && !self.moves(class)
                }
                _ => false,
            }
    }

    /// The class of what is stored in a place.
    fn stored(&self, scope: Scope, target: &Target) -> Option<Class> {
        match &target.place {
            Place::Var(var) | Place::Elem(var, _) => self.classes.class(Holder::Content(*var)),
            Place::Local(local) | Place::LocalElem(local, _) => {
                self.classes.class(Holder::Local(scope, *local))
            }
        }
    }

    pub(super) fn block(&mut self, scope: Scope, from: &Block, to: &Block) -> bool {
        from.len() == to.len() && from.iter().zip(to).all(|(from, to)| self.statement(scope, from, to))
    }

    fn statement(&mut self, scope: Scope, from: &Stmt, to: &Stmt) -> bool {
        match (from, to) {
            (Stmt::Assign(place, value), Stmt::Assign(other, there)) => {
                let class = self.stored(scope, place);
                self.target(scope, place, other) && self.expr(scope, value, there, class)
            }
            (Stmt::ClockSet(a, value), Stmt::ClockSet(b, other)) => {
                self.clock(*a, *b) && self.expr(scope, value, other, None)
            }
            (Stmt::ClockCopy(a, b), Stmt::ClockCopy(c, d)) => self.clock(*a, *c) && self.clock(*b, *d),
            (Stmt::If(a, b, c), Stmt::If(d, e, f)) => {
                self.expr(scope, a, d, None) && self.block(scope, b, e) && self.block(scope, c, f)
            }
            (Stmt::While(a, b), Stmt::While(c, d)) => self.expr(scope, a, c, None) && self.block(scope, b, d),
            (Stmt::Call(a, arguments, target), Stmt::Call(b, others, place)) => {
                self.call(scope, (*a, arguments), (*b, others))
                    && match (target, place) {
                        (None, None) => true,
                        (Some(a), Some(b)) => self.target(scope, a, b),
                        _ => false,
                    }
            }
            (Stmt::Send(a), Stmt::Send(b)) => self.send(scope, a, b),
            (Stmt::Receive(a), Stmt::Receive(b)) => self.receive(scope, a, b),
            // Processes that are started have numbers by their order.
            (Stmt::Start(a, arguments, target), Stmt::Start(b, others, place)) => {
                a == b
                    && arguments.len() == others.len()
                    && arguments.iter().zip(others).all(|(a, b)| self.expr(scope, a, b, None))
                    && match (target, place) {
                        (None, None) => true,
                        (Some(a), Some(b)) => self.target(scope, a, b),
                        _ => false,
                    }
            }
            (Stmt::Exit, Stmt::Exit) => true,
            (Stmt::Assert(a, _), Stmt::Assert(b, _)) => self.expr(scope, a, b, None),
            (Stmt::Return(None), Stmt::Return(None)) => true,
            (Stmt::Return(Some(a)), Stmt::Return(Some(b))) => {
                let class = match scope {
                    Scope::Function(function) => self.classes.class(Holder::Result(function)),
                    _ => None,
                };
                self.expr(scope, a, b, class)
            }
            _ => false,
        }
    }
}
