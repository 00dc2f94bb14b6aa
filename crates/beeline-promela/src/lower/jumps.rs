//! `d_step` with `goto`, which stays inside of it: its statements are numbered, and a loop executes the one whose number is
//! next, until the end, which has number 0.

use std::collections::BTreeMap;

use beeline_ir::ProcessId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::id::LocalId;
use beeline_ir::stmt::{Block, Local, Stmt};

use super::dstep::{Frame, chosen, set};
use super::{Lower, Res};
use crate::ast::{self, Name, StmtKind, walk};

const END: usize = 0;

/// The numbered statements of a `d_step`.
struct Numbered {
    /// What is done at each number.
    blocks: Vec<Block>,
    labels: BTreeMap<Name, usize>,
    /// For every loop around, where it is left to.
    loops: Vec<usize>,
    /// The local that has the number that is next.
    next: LocalId,
}

impl Numbered {
    fn add(&mut self, block: Block) -> usize {
        self.blocks.push(block);
        self.blocks.len() - 1
    }

    fn go(&self, to: usize) -> Stmt {
        set(self.next, to as i64)
    }
}

/// Whether a sequence has a `goto`.
pub(super) fn jumps<'s>(statements: impl Iterator<Item = &'s ast::Stmt>) -> bool {
    let mut found = false;
    for stmt in statements {
        walk(std::slice::from_ref(stmt), &mut |s| found |= matches!(s.kind, StmtKind::Goto(_)));
    }
    found
}

impl<'a> Lower<'a, '_> {
    /// What statements do, of which the first few have been done.
    pub(super) fn d_jumps(
        &mut self,
        statements: &[&'a ast::Stmt],
        done: usize,
        id: ProcessId,
        frame: &mut Frame,
        update: &mut Block,
    ) -> Res<()> {
        let next = LocalId::new(frame.locals.len());
        frame.locals.push(Local { name: "next".into(), range: Range::BOOL, len: None });
        let mut all = Numbered { blocks: vec![Vec::new()], labels: BTreeMap::new(), loops: Vec::new(), next };
        let mut twice = None;
        for stmt in statements {
            walk(std::slice::from_ref(*stmt), &mut |s| {
                for (label, span) in &s.labels {
                    let number = all.add(Vec::new());
                    if all.labels.insert(label.clone(), number).is_some() {
                        twice = Some((label, *span));
                    }
                }
            });
        }
        if let Some((label, span)) = twice {
            let message = format!("there are two labels `{label}`");
            return Err(Diagnostic::error("E0922", message, Some(span)));
        }
        let rest = self.numbered(&statements[done..], id, frame, &mut all, END)?;
        // What has been done can be jumped to.
        self.numbered(&statements[..done], id, frame, &mut all, rest)?;
        frame.locals[next.index()].range = Range::new(0, all.blocks.len() as i64);
        update.push(all.go(rest));
        let is = |op, number: usize| Expr::Local(next).binary(op, Expr::Const(number as i64));
        let chain = all
            .blocks
            .into_iter()
            .enumerate()
            .skip(1)
            .rev()
            .fold(Vec::new(), |rest, (i, block)| vec![Stmt::If(is(BinaryOp::Eq, i), block, rest)]);
        update.push(Stmt::While(is(BinaryOp::Ne, END), chain));
        Ok(())
    }

    /// Numbers statements that are followed by that of a number, and gives the number of the first.
    fn numbered(
        &mut self,
        statements: &[&'a ast::Stmt],
        id: ProcessId,
        frame: &mut Frame,
        all: &mut Numbered,
        after: usize,
    ) -> Res<usize> {
        let mut number = after;
        for stmt in statements.iter().rev() {
            number = self.number(stmt, id, frame, all, number)?;
            for label in stmt.labels.iter().filter_map(|(label, _)| all.labels.get(label).copied()) {
                all.blocks[label] = vec![all.go(number)];
            }
        }
        Ok(number)
    }

    fn number(
        &mut self,
        stmt: &'a ast::Stmt,
        id: ProcessId,
        frame: &mut Frame,
        all: &mut Numbered,
        after: usize,
    ) -> Res<usize> {
        self.spend(4, stmt.span)?;
        let wrong = |message: String| Err(Diagnostic::error("E0915", message, Some(stmt.span)));
        Ok(match &stmt.kind {
            StmtKind::Block(seq) | StmtKind::Atomic(seq) | StmtKind::DStep(seq) => {
                self.numbered(&seq.iter().collect::<Vec<_>>(), id, frame, all, after)?
            }
            StmtKind::If(options) => {
                let number = all.add(Vec::new());
                self.number_options(options, id, frame, all, (number, after))?;
                number
            }
            StmtKind::Do(options) => {
                let number = all.add(Vec::new());
                all.loops.push(after);
                let numbered = self.number_options(options, id, frame, all, (number, number));
                all.loops.pop();
                numbered?;
                number
            }
            StmtKind::Break => match all.loops.last() {
                Some(after) => *after,
                None => return wrong("`break` would leave the `d_step`".into()),
            },
            StmtKind::Goto(label) => match all.labels.get(label) {
                Some(number) => *number,
                None => return wrong(format!("there is no label `{label}` in this `d_step`")),
            },
            _ => {
                let mut block = Vec::new();
                self.d_statement(stmt, id, frame, &mut block)?;
                block.push(all.go(after));
                all.add(block)
            }
        })
    }

    fn number_options(
        &mut self,
        options: &'a [ast::Seq],
        id: ProcessId,
        frame: &mut Frame,
        all: &mut Numbered,
        (number, after): (usize, usize),
    ) -> Res<()> {
        let mut bodies = Vec::new();
        for (condition, statements) in self.d_options(options, id)? {
            let first = self.numbered(&statements, id, frame, all, after)?;
            bodies.push((condition, vec![all.go(first)]));
        }
        all.blocks[number] = chosen(bodies, self.blocks());
        Ok(())
    }
}
