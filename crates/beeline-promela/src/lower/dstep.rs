//! `d_step`: one step made of many statements, in which the first option that can be executed is taken. It can begin if
//! its first statement is executable. A statement further on that blocks is an error of the model: the step then
//! receives from a channel without messages, which fails. A rendezvous can only be received, and only by the first
//! statement: everything else of the kind fails, too.

use beeline_ir::ProcessId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::id::LocalId;
use beeline_ir::network::Sync;
use beeline_ir::origin::Span;
use beeline_ir::stmt::{Block, Local, Place, Receive, Stmt, Store, Target};

use super::jumps::jumps;
use super::process::Parts;
use super::slots::runs_in;
use super::{Lower, Res};
use crate::ast::{self, Seq, StmtKind};
use crate::graph::first;

/// What a `d_step` needs beside its statements.
#[derive(Default)]
pub(super) struct Frame {
    pub locals: Vec<Local>,
    /// For every loop around, the local that says that it is left.
    loops: Vec<LocalId>,
}

impl<'a> Lower<'a, '_> {
    /// The parts of the edge that a `d_step` is.
    pub(super) fn d_step(&mut self, seq: &'a Seq, id: ProcessId, span: Span) -> Res<Parts> {
        let mut frame = Frame::default();
        let mut update = Vec::new();
        // A send or receive at the beginning is that of the edge: only there can it be a rendezvous.
        let statements = opened(seq);
        let Some(begin) = statements.first() else {
            return Err(Diagnostic::error("E0906", "this `d_step` has no statement", Some(span)));
        };
        let (guard, sync, skip) = match &begin.kind {
            StmtKind::Expr(condition) if !has_run(condition) => {
                (self.expr(condition, Some(id))?, Sync::Internal, 1)
            }
            // It waits for the other options of the choice around.
            StmtKind::Else => (Expr::TRUE, Sync::Internal, 1),
            StmtKind::Send(send) => {
                let send = self.send(send, id, begin.span)?;
                match self.rendezvous(&send.channel) {
                    Expr::Const(0) => {}
                    Expr::Const(_) => update.push(self.blocks()),
                    when => update.push(Stmt::If(when, vec![self.blocks()], Vec::new())),
                }
                // A step that fails whoever listens needs no partner.
                let fails = matches!(update.first(), Some(Stmt::Receive(_)));
                (Expr::TRUE, if fails { Sync::Internal } else { Sync::Send(send) }, 1)
            }
            StmtKind::Receive(receive) => {
                (Expr::TRUE, Sync::Receive(self.receives(receive, id, begin.span)?), 1)
            }
            _ => {
                self.no_rendezvous(begin, id)?;
                (self.executable(begin, id)?, Sync::Internal, 0)
            }
        };
        match jumps(statements.iter().copied()) {
            true => self.d_jumps(&statements, skip, id, &mut frame, &mut update)?,
            false => self.d_statements(&statements[skip..], id, &mut frame, &mut update)?,
        }
        Ok(Parts { guard, sync, update, frame: frame.locals })
    }

    /// An option that begins a `d_step` cannot begin with a rendezvous that is received: that would be a choice of edges.
    fn no_rendezvous(&mut self, begin: &'a ast::Stmt, id: ProcessId) -> Res<()> {
        let (StmtKind::If(options) | StmtKind::Do(options)) = &begin.kind else { return Ok(()) };
        for stmt in options.iter().filter_map(|option| first(option)) {
            if let StmtKind::Receive(receive) = &stmt.kind {
                let channel = self.receive(receive, Some(id), stmt.span)?.channel;
                if self.rendezvous(&channel) == Expr::TRUE {
                    let message = "a rendezvous in an option that begins a `d_step` is not supported";
                    return Err(Diagnostic::unsupported("U0909", message, Some(stmt.span)));
                }
            }
            self.no_rendezvous(stmt, id)?;
        }
        Ok(())
    }

    /// When a statement inside of a `d_step` can be executed.
    fn executable(&mut self, stmt: &'a ast::Stmt, id: ProcessId) -> Res<Expr> {
        Ok(match &stmt.kind {
            StmtKind::Expr(_) => self.effect(stmt, id, &mut Vec::new())?,
            StmtKind::Send(send) => {
                let channel = self.send(send, id, stmt.span)?.channel;
                match self.rendezvous(&channel) {
                    // It is tried, and fails.
                    Expr::Const(1) => Expr::TRUE,
                    _ => Expr::Length(channel.clone()).binary(BinaryOp::Lt, Expr::Capacity(channel)),
                }
            }
            StmtKind::Receive(receive) => {
                let receive = self.receive(receive, Some(id), stmt.span)?;
                match self.rendezvous(&receive.channel) {
                    Expr::Const(1) => Expr::FALSE,
                    _ => Expr::Poll(Box::new(receive)),
                }
            }
            StmtKind::If(options) | StmtKind::Do(options) => {
                let mut any = Vec::new();
                for option in options {
                    match first(option) {
                        Some(ast::Stmt { kind: StmtKind::Else, .. }) => return Ok(Expr::TRUE),
                        Some(begin) => any.push(self.executable(begin, id)?),
                        None => {}
                    }
                }
                if any.iter().any(Expr::is_true) { Expr::TRUE } else { Expr::Or(any) }
            }
            StmtKind::Block(seq) | StmtKind::Atomic(seq) | StmtKind::DStep(seq) => match first(seq) {
                Some(begin) => self.executable(begin, id)?,
                None => Expr::TRUE,
            },
            _ => Expr::TRUE,
        })
    }

    fn d_statements(
        &mut self,
        statements: &[&'a ast::Stmt],
        id: ProcessId,
        frame: &mut Frame,
        update: &mut Block,
    ) -> Res<()> {
        for (i, stmt) in statements.iter().enumerate() {
            self.d_statement(stmt, id, frame, update)?;
            // After a statement that may have left the loop, the rest is conditional.
            let rest = &statements[i + 1..];
            if let Some(left) = frame.loops.last().copied()
                && may_break(stmt)
                && !rest.is_empty()
            {
                let mut inner = Vec::new();
                self.d_statements(rest, id, frame, &mut inner)?;
                update.push(Stmt::If(Expr::Local(left), Vec::new(), inner));
                return Ok(());
            }
        }
        Ok(())
    }

    pub(super) fn d_statement(
        &mut self,
        stmt: &'a ast::Stmt,
        id: ProcessId,
        frame: &mut Frame,
        update: &mut Block,
    ) -> Res<()> {
        self.spend(4, stmt.span)?;
        match &stmt.kind {
            StmtKind::Expr(_) | StmtKind::Assign(..) | StmtKind::Assert(_) | StmtKind::Print => {
                let mut effect = Vec::new();
                let condition = self.effect(stmt, id, &mut effect)?;
                if !matches!(condition, Expr::Const(value) if value != 0) {
                    update.push(Stmt::If(condition, Vec::new(), vec![self.blocks()]));
                }
                update.extend(effect);
            }
            StmtKind::Send(send) => {
                let send = self.send(send, id, stmt.span)?;
                let fails = self.rendezvous(&send.channel) == Expr::TRUE;
                update.push(if fails { self.blocks() } else { Stmt::Send(send) });
            }
            StmtKind::Receive(receive) => {
                let receive = self.receive(receive, Some(id), stmt.span)?;
                let fails = self.rendezvous(&receive.channel) == Expr::TRUE;
                update.push(if fails { self.blocks() } else { Stmt::Receive(receive) });
            }
            StmtKind::Block(seq) | StmtKind::Atomic(seq) | StmtKind::DStep(seq) => {
                self.d_statements(&seq.iter().collect::<Vec<_>>(), id, frame, update)?;
            }
            StmtKind::If(options) => {
                let choice = self.d_choice(options, id, frame)?;
                update.extend(choice);
            }
            StmtKind::Do(options) => {
                let left = LocalId::new(frame.locals.len());
                let name = format!("left{}", frame.locals.len());
                frame.locals.push(Local { name, range: Range::BOOL, len: None });
                frame.loops.push(left);
                let body = self.d_choice(options, id, frame)?;
                frame.loops.pop();
                // A loop inside of a loop begins afresh in every round.
                update.push(set(left, 0));
                update.push(Stmt::While(Expr::Local(left).negated(), body));
            }
            StmtKind::Break => match frame.loops.last() {
                Some(left) => update.push(set(*left, 1)),
                None => {
                    let message = "`break` would leave the `d_step`";
                    return Err(Diagnostic::error("E0915", message, Some(stmt.span)));
                }
            },
            StmtKind::Unless(..) => {
                let message =
                    "`unless` inside of a `d_step` is not supported: Spin calls it an error, and ignores it";
                return Err(Diagnostic::unsupported("U0909", message, Some(stmt.span)));
            }
            // With a `goto`, statements are numbered instead.
            StmtKind::Goto(_) | StmtKind::Else => {
                return Err(Diagnostic::error(
                    "E0915",
                    "`else` stands at the beginning of an option",
                    Some(stmt.span),
                ));
            }
        }
        Ok(())
    }

    /// The first option that can be executed; `else` if there is none.
    fn d_choice(&mut self, options: &'a [Seq], id: ProcessId, frame: &mut Frame) -> Res<Block> {
        let mut bodies = Vec::new();
        for (condition, statements) in self.d_options(options, id)? {
            let mut body = Vec::new();
            self.d_statements(&statements, id, frame, &mut body)?;
            bodies.push((condition, body));
        }
        Ok(chosen(bodies, self.blocks()))
    }

    /// When each option of a choice can be executed, `None` for `else`, and what it does.
    pub(super) fn d_options(
        &mut self,
        options: &'a [Seq],
        id: ProcessId,
    ) -> Res<Vec<(Option<Expr>, Vec<&'a ast::Stmt>)>> {
        let mut found = Vec::new();
        for option in options {
            let Some(begin) = first(option) else { continue };
            let mut statements = opened(option);
            // A condition at the beginning is known to hold, unless it can be jumped to.
            let known = matches!(&begin.kind, StmtKind::Else)
                || matches!(&begin.kind, StmtKind::Expr(e) if !has_run(e) && begin.labels.is_empty());
            if known && statements.first().is_some_and(|s| std::ptr::eq(*s, begin)) {
                statements.remove(0);
            }
            let condition = match begin.kind {
                StmtKind::Else => None,
                _ => Some(self.executable(begin, id)?),
            };
            found.push((condition, statements));
        }
        Ok(found)
    }

    /// Fails the step.
    pub(super) fn blocks(&mut self) -> Stmt {
        let channel = self.blocked_channel();
        Stmt::Receive(Receive { channel, pattern: Vec::new(), any: false, keep: false })
    }
}

/// The statements of a sequence, without a block around the first ones, unless that can be jumped to.
fn opened(seq: &Seq) -> Vec<&ast::Stmt> {
    let mut statements: Vec<&ast::Stmt> = seq.iter().collect();
    while let Some(ast::Stmt {
        kind: StmtKind::Block(inner) | StmtKind::Atomic(inner) | StmtKind::DStep(inner),
        labels,
        ..
    }) = statements.first()
        && labels.is_empty()
    {
        statements.splice(0..1, inner.iter());
    }
    statements
}

fn has_run(expr: &ast::Expr) -> bool {
    let mut found = false;
    runs_in(expr, &mut |_| found = true);
    found
}

/// The body of the first option whose condition holds, that of `else` if there is none, and otherwise the statement.
pub(super) fn chosen(options: Vec<(Option<Expr>, Block)>, otherwise: Stmt) -> Block {
    let (others, conditional): (Vec<_>, Vec<_>) = options.into_iter().partition(|(when, _)| when.is_none());
    let last = others.into_iter().next_back().map_or_else(|| vec![otherwise], |(_, body)| body);
    conditional.into_iter().rev().fold(last, |rest, (condition, body)| match condition {
        Some(condition) if !condition.is_true() => vec![Stmt::If(condition, body, rest)],
        _ => body,
    })
}

pub(super) fn set(local: LocalId, value: i64) -> Stmt {
    Stmt::Assign(Target { place: Place::Local(local), store: Store::Checked }, Expr::Const(value))
}

/// Whether a statement may leave the loop it stands in.
fn may_break(stmt: &ast::Stmt) -> bool {
    let mut open = vec![stmt];
    while let Some(stmt) = open.pop() {
        match &stmt.kind {
            StmtKind::Break => return true,
            StmtKind::If(options) => open.extend(options.iter().flatten()),
            StmtKind::Block(seq) | StmtKind::Atomic(seq) | StmtKind::DStep(seq) => open.extend(seq),
            _ => {}
        }
    }
    false
}
