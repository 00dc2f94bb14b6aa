//! Rebuilding expressions with parts replaced, and how large they are.

use beeline_ir::expr::{ChannelRef, ClockAtom, Expr};
use beeline_ir::stmt::{Pattern, Receive};
use beeline_ir::visit::walk;

/// The expression with every outermost part for which `replace` has an answer replaced by it. Parts are offered in
/// order of evaluation, a whole before its parts. What a receive binds to is left alone.
pub fn rewrite(e: &Expr, replace: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
    if let Some(new) = replace(e) {
        return new;
    }
    let mut boxed = |inner: &Expr| Box::new(rewrite(inner, replace));
    match e {
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Local(_)
        | Expr::Next(_)
        | Expr::At(..)
        | Expr::Alive(_)
        | Expr::Pid(_)
        | Expr::ProcessCount
        | Expr::Enabled(..)
        | Expr::Timeout
        | Expr::Deadlock => e.clone(),
        Expr::Elem(var, index) => Expr::Elem(*var, boxed(index)),
        Expr::LocalElem(local, index) => Expr::LocalElem(*local, boxed(index)),
        Expr::Unary(op, inner) => Expr::Unary(*op, boxed(inner)),
        Expr::Binary(op, left, right) => {
            let left = boxed(left);
            Expr::Binary(*op, left, boxed(right))
        }
        Expr::And(parts) => Expr::And(parts.iter().map(|part| rewrite(part, replace)).collect()),
        Expr::Or(parts) => Expr::Or(parts.iter().map(|part| rewrite(part, replace)).collect()),
        Expr::If(cond, first, second) => {
            let cond = boxed(cond);
            let first = boxed(first);
            Expr::If(cond, first, boxed(second))
        }
        Expr::Quantified(quantifier, local, range, body) => {
            Expr::Quantified(*quantifier, *local, *range, boxed(body))
        }
        Expr::Call(function, args) => {
            Expr::Call(*function, args.iter().map(|arg| rewrite(arg, replace)).collect())
        }
        Expr::Channel(channel) => Expr::Channel(rewrite_channel(channel, replace)),
        Expr::Length(channel) => Expr::Length(rewrite_channel(channel, replace)),
        Expr::Capacity(channel) => Expr::Capacity(rewrite_channel(channel, replace)),
        Expr::Poll(receive) => {
            let channel = rewrite_channel(&receive.channel, replace);
            let pattern = receive.pattern.iter().map(|pattern| match pattern {
                Pattern::Match(value) => Pattern::Match(rewrite(value, replace)),
                Pattern::Bind(_) | Pattern::Ignore => pattern.clone(),
            });
            let pattern = pattern.collect();
            Expr::Poll(Box::new(Receive { channel, pattern, ..receive.as_ref().clone() }))
        }
        Expr::Clock(atom) => {
            let when = atom.when.as_ref().map(|when| rewrite(when, replace));
            let bound = rewrite(&atom.bound, replace);
            Expr::Clock(Box::new(ClockAtom { when, bound, ..atom.as_ref().clone() }))
        }
    }
}

pub(crate) fn rewrite_channel(
    channel: &ChannelRef,
    replace: &mut dyn FnMut(&Expr) -> Option<Expr>,
) -> ChannelRef {
    match channel {
        ChannelRef::Element(id, index) => {
            ChannelRef::Element(*id, index.as_ref().map(|index| Box::new(rewrite(index, replace))))
        }
        ChannelRef::Value(value) => ChannelRef::Value(Box::new(rewrite(value, replace))),
    }
}

/// How many expressions an expression consists of.
pub fn size(e: &Expr) -> usize {
    let mut nodes = 0;
    walk(e, &mut |_| nodes += 1);
    nodes
}
