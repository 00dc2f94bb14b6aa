//! Walking over expressions and statements: the direct parts of each construct, in order of evaluation, in one place.

use crate::expr::{ChannelRef, ClockAtom, Expr};
use crate::network::{Edge, Sync};
use crate::stmt::{Block, Pattern, Place, Receive, Send, Stmt, Target};

/// Calls `visit` on the direct sub-expressions of an expression.
pub fn children<'e>(expr: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
    match expr {
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
        | Expr::Deadlock => {}
        Expr::Elem(_, e) | Expr::LocalElem(_, e) | Expr::Unary(_, e) | Expr::Quantified(_, _, _, e) => {
            visit(e)
        }
        Expr::Binary(_, a, b) => {
            visit(a);
            visit(b);
        }
        Expr::And(all) | Expr::Or(all) | Expr::Call(_, all) => all.iter().for_each(visit),
        Expr::If(c, a, b) => {
            visit(c);
            visit(a);
            visit(b);
        }
        Expr::Channel(c) | Expr::Length(c) | Expr::Capacity(c) => channel_parts(c, visit),
        Expr::Poll(receive) => receive_parts(receive, visit),
        Expr::Clock(atom) => {
            atom_parts(std::slice::from_ref(atom), visit);
        }
    }
}

/// Calls `visit` on the expression of a channel, if it has one.
pub fn channel_parts<'e>(channel: &'e ChannelRef, visit: &mut impl FnMut(&'e Expr)) {
    match channel {
        ChannelRef::Element(_, index) => index.iter().for_each(|e| visit(e)),
        ChannelRef::Value(value) => visit(value),
    }
}

/// Calls `visit` on the expressions of a send.
pub fn send_parts<'e>(send: &'e Send, visit: &mut impl FnMut(&'e Expr)) {
    channel_parts(&send.channel, visit);
    send.message.iter().for_each(visit);
}

/// Calls `visit` on the expressions of a receive.
pub fn receive_parts<'e>(receive: &'e Receive, visit: &mut impl FnMut(&'e Expr)) {
    channel_parts(&receive.channel, visit);
    for pattern in &receive.pattern {
        match pattern {
            Pattern::Bind(target) => target_parts(target, visit),
            Pattern::Match(value) => visit(value),
            Pattern::Ignore => {}
        }
    }
}

/// Calls `visit` on the index of a target, if it has one.
pub fn target_parts<'e>(target: &'e Target, visit: &mut impl FnMut(&'e Expr)) {
    if let Place::Elem(_, index) | Place::LocalElem(_, index) = &target.place {
        visit(index);
    }
}

/// Calls `visit` on the expressions of a statement, those of the blocks in it excepted.
pub fn statement_parts<'e>(statement: &'e Stmt, visit: &mut impl FnMut(&'e Expr)) {
    match statement {
        Stmt::Assign(target, value) => {
            target_parts(target, visit);
            visit(value);
        }
        Stmt::ClockSet(_, value) => visit(value),
        Stmt::ClockCopy(..) | Stmt::Exit => {}
        Stmt::If(condition, ..) | Stmt::While(condition, _) | Stmt::Assert(condition, _) => visit(condition),
        Stmt::Call(_, arguments, target) | Stmt::Start(_, arguments, target) => {
            target.iter().for_each(|t| target_parts(t, visit));
            arguments.iter().for_each(visit);
        }
        Stmt::Send(send) => send_parts(send, visit),
        Stmt::Receive(receive) => receive_parts(receive, visit),
        Stmt::Return(value) => value.iter().for_each(visit),
    }
}

/// The blocks in a statement.
pub fn blocks(statement: &Stmt) -> impl Iterator<Item = &Block> {
    let (first, second) = match statement {
        Stmt::If(_, then, otherwise) => (Some(then), Some(otherwise)),
        Stmt::While(_, body) => (Some(body), None),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

/// Every expression within an expression, itself included, parents before children.
pub fn walk<'e>(expr: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        visit(expr);
        let first = open.len();
        children(expr, &mut |child| open.push(child));
        open[first..].reverse();
    }
}

/// Every statement of a block, those within others included, parents before children, with its level of nesting (1
/// for those of the block itself).
pub fn walk_block<'e>(block: &'e Block, visit: &mut impl FnMut(&'e Stmt, usize)) {
    let mut open: Vec<(&Stmt, usize)> = block.iter().rev().map(|s| (s, 1)).collect();
    while let Some((statement, level)) = open.pop() {
        visit(statement, level);
        let first = open.len();
        blocks(statement).for_each(|b| open.extend(b.iter().map(|s| (s, level + 1))));
        open[first..].reverse();
    }
}

/// Calls `visit` on every expression that stands by itself in a block, in order.
pub fn block_parts<'e>(block: &'e Block, visit: &mut impl FnMut(&'e Expr)) {
    walk_block(block, &mut |statement, _| statement_parts(statement, visit));
}

/// Calls `visit` on the conditions and bounds of clock constraints.
pub fn atom_parts<'e>(atoms: &'e [ClockAtom], visit: &mut impl FnMut(&'e Expr)) {
    for atom in atoms {
        atom.when.iter().for_each(&mut *visit);
        visit(&atom.bound);
    }
}

/// Calls `visit` on the expressions of a synchronisation.
pub fn sync_parts<'e>(sync: &'e Sync, visit: &mut impl FnMut(&'e Expr)) {
    match sync {
        Sync::Internal => {}
        Sync::Send(send) => send_parts(send, visit),
        Sync::Receive(receive) => receive_parts(receive, visit),
    }
}

/// Calls `visit` on every expression that stands by itself in an edge, in order.
pub fn edge_parts<'e>(edge: &'e Edge, visit: &mut impl FnMut(&'e Expr)) {
    visit(&edge.guard);
    atom_parts(&edge.clock_guard, visit);
    sync_parts(&edge.sync, visit);
    block_parts(&edge.update, visit);
}

/// Levels of an expression; measured without recursion.
pub fn height(expr: &Expr) -> usize {
    let mut greatest = 0;
    let mut open = vec![(expr, 1)];
    while let Some((expr, level)) = open.pop() {
        greatest = greatest.max(level);
        children(expr, &mut |child| open.push((child, level + 1)));
    }
    greatest
}

/// Levels of the expression of a channel.
pub fn channel_height(channel: &ChannelRef) -> usize {
    let mut greatest = 0;
    channel_parts(channel, &mut |e| greatest = greatest.max(height(e)));
    greatest
}

/// Levels of the expressions of a receive.
pub fn receive_height(receive: &Receive) -> usize {
    let mut greatest = 0;
    receive_parts(receive, &mut |e| greatest = greatest.max(height(e)));
    greatest
}
