//! Numbering the locals of an edge anew, to make room for select variables and to drop what is not used.

use beeline_ir::LocalId;
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::network::{Edge, Sync};
use beeline_ir::stmt::{Block, Pattern as Field, Place, Receive, Send, Stmt, Target};
use beeline_program::rewrite::rewrite;

/// The new number of a local.
type Numbers<'a> = &'a mut dyn FnMut(LocalId) -> LocalId;

/// Numbers the locals of an edge anew; its frame is left to the caller. Polls must not bind.
pub(super) fn renumber(edge: &mut Edge, to: Numbers<'_>) {
    expr(&mut edge.guard, to);
    for atom in &mut edge.clock_guard {
        atom.when.iter_mut().for_each(|when| expr(when, to));
        expr(&mut atom.bound, to);
    }
    match &mut edge.sync {
        Sync::Internal => {}
        Sync::Send(s) => send(s, to),
        Sync::Receive(r) => receive(r, to),
    }
    block(&mut edge.update, to);
}

fn renumbered(e: &Expr, to: Numbers<'_>) -> Expr {
    rewrite(e, &mut |part| match part {
        Expr::Local(local) => Some(Expr::Local(to(*local))),
        Expr::LocalElem(local, index) => {
            let local = to(*local);
            Some(Expr::LocalElem(local, Box::new(renumbered(index, to))))
        }
        Expr::Quantified(quantifier, local, range, body) => {
            let local = to(*local);
            Some(Expr::Quantified(*quantifier, local, *range, Box::new(renumbered(body, to))))
        }
        _ => None,
    })
}

fn expr(e: &mut Expr, to: Numbers<'_>) {
    *e = renumbered(e, to);
}

fn channel(channel: &mut ChannelRef, to: Numbers<'_>) {
    match channel {
        ChannelRef::Element(_, index) => index.iter_mut().for_each(|index| expr(index, to)),
        ChannelRef::Value(value) => expr(value, to),
    }
}

fn send(send: &mut Send, to: Numbers<'_>) {
    channel(&mut send.channel, to);
    send.message.iter_mut().for_each(|field| expr(field, to));
}

fn receive(receive: &mut Receive, to: Numbers<'_>) {
    channel(&mut receive.channel, to);
    for field in &mut receive.pattern {
        match field {
            Field::Bind(place) => target(place, to),
            Field::Match(value) => expr(value, to),
            Field::Ignore => {}
        }
    }
}

fn target(target: &mut Target, to: Numbers<'_>) {
    match &mut target.place {
        Place::Var(_) => {}
        Place::Elem(_, index) => expr(index, to),
        Place::Local(local) => *local = to(*local),
        Place::LocalElem(local, index) => {
            *local = to(*local);
            expr(index, to);
        }
    }
}

fn block(statements: &mut Block, to: Numbers<'_>) {
    for statement in statements {
        match statement {
            Stmt::Assign(place, value) => {
                target(place, to);
                expr(value, to);
            }
            Stmt::ClockSet(_, value) | Stmt::Assert(value, _) | Stmt::Return(Some(value)) => expr(value, to),
            Stmt::If(condition, then, otherwise) => {
                expr(condition, to);
                block(then, to);
                block(otherwise, to);
            }
            Stmt::While(condition, body) => {
                expr(condition, to);
                block(body, to);
            }
            Stmt::Call(_, arguments, place) | Stmt::Start(_, arguments, place) => {
                arguments.iter_mut().for_each(|argument| expr(argument, to));
                place.iter_mut().for_each(|place| target(place, to));
            }
            Stmt::Send(s) => send(s, to),
            Stmt::Receive(r) => receive(r, to),
            Stmt::ClockCopy(..) | Stmt::Exit | Stmt::Return(None) => {}
        }
    }
}
