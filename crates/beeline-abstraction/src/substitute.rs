//! Replacing what an edge reads, wherever it stands in it.

use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::network::{Edge, Sync};
use beeline_ir::stmt::{Block, Pattern, Place, Receive, Send, Stmt, Target};
use beeline_program::rewrite::rewrite;

/// Gives a new expression for one that is to be replaced.
pub(crate) type Replace<'a> = &'a mut dyn FnMut(&Expr) -> Option<Expr>;

/// Replaces in guard, synchronisation and update. Clock constraints, and statements that only functions or
/// networks with queues or families have, are left as they are.
pub(crate) fn in_edge(edge: &mut Edge, replace: Replace<'_>) {
    edge.guard = rewrite(&edge.guard, replace);
    match &mut edge.sync {
        Sync::Internal => {}
        Sync::Send(Send { channel, message, .. }) => {
            in_channel(channel, replace);
            message.iter_mut().for_each(|e| *e = rewrite(e, replace));
        }
        Sync::Receive(Receive { channel, pattern, .. }) => {
            in_channel(channel, replace);
            for pattern in pattern {
                match pattern {
                    Pattern::Bind(target) => in_target(target, replace),
                    Pattern::Match(value) => *value = rewrite(value, replace),
                    Pattern::Ignore => {}
                }
            }
        }
    }
    in_block(&mut edge.update, replace);
}

fn in_block(block: &mut Block, replace: Replace<'_>) {
    for statement in block {
        match statement {
            Stmt::Assign(target, value) => {
                in_target(target, replace);
                *value = rewrite(value, replace);
            }
            Stmt::ClockSet(_, value) | Stmt::Assert(value, _) => *value = rewrite(value, replace),
            Stmt::If(condition, then, otherwise) => {
                *condition = rewrite(condition, replace);
                in_block(then, replace);
                in_block(otherwise, replace);
            }
            Stmt::ClockCopy(..)
            | Stmt::While(..)
            | Stmt::Call(..)
            | Stmt::Send(_)
            | Stmt::Receive(_)
            | Stmt::Start(..)
            | Stmt::Exit
            | Stmt::Return(_) => {}
        }
    }
}

fn in_target(target: &mut Target, replace: Replace<'_>) {
    if let Place::Elem(_, index) | Place::LocalElem(_, index) = &mut target.place {
        *index = rewrite(index, replace);
    }
}

fn in_channel(channel: &mut ChannelRef, replace: Replace<'_>) {
    match channel {
        ChannelRef::Element(_, index) => {
            index.iter_mut().for_each(|index| **index = rewrite(index, replace));
        }
        ChannelRef::Value(value) => **value = rewrite(value, replace),
    }
}
