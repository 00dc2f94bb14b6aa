//! Edits that make parts of a model plainer.

use super::Edited;
use crate::walk::{self, Visitor};
use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::network::{Network, Role, Sync};
use beeline_ir::stmt::{Block, Stmt};

/// Counts down to the place that an edit is about.
struct Countdown(Option<usize>);

impl Countdown {
    /// Passes `count` places; says which of them is the one, if any.
    fn pass(&mut self, count: usize) -> Option<usize> {
        let left = self.0?;
        if left < count {
            self.0 = None;
            return Some(left);
        }
        self.0 = Some(left - count);
        None
    }
    fn edited(&self) -> Edited {
        if self.0.is_none() { Edited::Yes } else { Edited::PastEnd }
    }
}

/// Takes out one statement.
pub(super) fn statement(network: &mut Network, place: usize) -> Edited {
    struct Statement(Countdown);
    impl Visitor for Statement {
        fn block(&mut self, block: &mut Block) {
            if let Some(at) = self.0.pass(block.len()) {
                // The body of an `if` may stand for it; the other edits then go on from there.
                match block.remove(at) {
                    Stmt::If(_, then, _) if !then.is_empty() => {
                        block.splice(at..at, then);
                    }
                    _ => {}
                }
            }
        }
    }
    let mut edit = Statement(Countdown(Some(place)));
    walk::network(network, &mut edit);
    edit.0.edited()
}

/// Takes out one clock constraint, or its condition.
pub(super) fn atom(network: &mut Network, place: usize) -> Edited {
    struct Atoms(Countdown);
    impl Visitor for Atoms {
        fn atoms(&mut self, atoms: &mut Vec<ClockAtom>) {
            if let Some(at) = self.0.pass(atoms.len()) {
                atoms.remove(at);
            }
        }
        fn atom(&mut self, atom: &mut ClockAtom) {
            if self.0.pass(1).is_some() {
                atom.when = None;
            }
        }
    }
    let mut edit = Atoms(Countdown(Some(place)));
    walk::network(network, &mut edit);
    edit.0.edited()
}

/// Switches off one special trait of something.
pub(super) fn flag(network: &mut Network, place: usize) -> Edited {
    let mut countdown = Countdown(Some(place));
    for process in network.processes.iter_mut() {
        if countdown.pass(1).is_some() {
            process.priority = 0;
        }
        for location in process.locations.iter_mut() {
            match countdown.pass(3) {
                Some(0) => location.committed = false,
                Some(1) => location.urgent = false,
                Some(2) => location.atomic = false,
                _ => {}
            }
        }
        for edge in process.edges.iter_mut() {
            match countdown.pass(3) {
                Some(0) => edge.sync = Sync::Internal,
                Some(1) => edge.costs = process.role == Role::System, // an observer's edges cost nothing
                Some(2) => edge.frame.iter_mut().take(edge.selects).for_each(|l| l.range.hi = l.range.lo),
                _ => {}
            }
        }
    }
    for channel in network.channels.iter_mut() {
        match countdown.pass(3) {
            Some(0) => channel.urgent = false,
            Some(1) => channel.priority.fill(0),
            Some(2) => channel.len = None,
            _ => {}
        }
        channel.priority.truncate(channel.len.unwrap_or(1) as usize);
    }
    countdown.edited()
}

/// Replaces one expression by a constant or by a part of itself.
pub(super) fn expression(network: &mut Network, place: usize) -> Edited {
    struct Expression(Countdown);
    impl Visitor for Expression {
        fn expr(&mut self, expr: &mut Expr) {
            let parts = match expr {
                Expr::Unary(_, a) => vec![a.as_ref().clone()],
                Expr::Binary(_, a, b) => vec![a.as_ref().clone(), b.as_ref().clone()],
                Expr::If(_, a, b) => vec![a.as_ref().clone(), b.as_ref().clone()],
                Expr::And(all) | Expr::Or(all) => all.clone(),
                Expr::Const(c) => [0, 1, *c / 2, *c - 1]
                    .into_iter()
                    .filter(|n| n.abs() < c.abs())
                    .map(Expr::Const)
                    .collect(),
                _ => Vec::new(),
            };
            let constants =
                if matches!(expr, Expr::Const(_)) { Vec::new() } else { vec![Expr::TRUE, Expr::FALSE] };
            let choices: Vec<Expr> = constants.into_iter().chain(parts).collect();
            if let Some(choice) = self.0.pass(choices.len()) {
                *expr = choices[choice].clone();
            }
        }
    }
    let mut edit = Expression(Countdown(Some(place)));
    walk::network(network, &mut edit);
    edit.0.edited()
}

/// Narrows the range of one variable from above, by half or by one.
pub(super) fn range(network: &mut Network, place: usize) -> Edited {
    let mut countdown = Countdown(Some(place));
    for var in network.vars.iter_mut() {
        let by = match countdown.pass(2) {
            Some(0) => var.range.size() / 2,
            Some(_) => 1,
            None => continue,
        };
        if let Ok(by @ 1..) = i64::try_from(by)
            && var.range.lo < var.range.hi
        {
            var.range.hi -= by;
            var.init.iter_mut().for_each(|v| *v = (*v).min(var.range.hi));
        }
    }
    countdown.edited()
}
