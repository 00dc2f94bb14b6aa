//! What of an update or a function matters (Weiser, "Program slicing", 1981), without regard to the order of
//! statements: the locals whose values depend on something removed (*tainted*), and those that something kept
//! depends on (*relevant*).
//!
//! Outside of loops and functions a local is tainted by nothing: what it is set to can be chosen.

use super::Pattern;
use super::cut::Scope;
use beeline_ir::LocalId;
use beeline_ir::expr::Expr;
use beeline_ir::stmt::{Block, Pattern as Field, Place, Stmt};
use beeline_ir::visit::{channel_parts, receive_parts, statement_parts, target_parts, walk};
use std::collections::BTreeSet;

/// The locals that depend on something removed.
pub(super) struct Taint<'a> {
    pub scope: Scope<'a>,
    /// What is removed of what decides whether a function has returned early.
    pub escape: Pattern,
    /// What is removed of what the result of a function depends on.
    pub result: Pattern,
}

impl<'a> Taint<'a> {
    /// Looks through an update or, where nothing can be chosen, a function.
    pub fn of(scope: Scope<'a>, block: &Block, function: bool) -> Self {
        let mut taint = Self { scope, escape: Pattern::default(), result: Pattern::default() };
        loop {
            let before = (taint.scope.tainted.clone(), taint.escape.clone(), taint.result.clone());
            taint.block(block, function.then_some(&Pattern::default()));
            taint.result.add(&taint.escape.clone());
            if before == (taint.scope.tainted.clone(), taint.escape.clone(), taint.result.clone()) {
                return taint;
            }
        }
    }

    /// `under`: what is removed of what decides whether the block runs, where nothing can be chosen.
    fn block(&mut self, block: &Block, under: Option<&Pattern>) {
        block.iter().for_each(|statement| self.statement(statement, under));
    }

    fn statement(&mut self, statement: &Stmt, under: Option<&Pattern>) {
        match (statement, under) {
            (Stmt::If(condition, then, otherwise), _) => {
                let under = under.map(|under| self.with(under, condition));
                self.block(then, under.as_ref());
                self.block(otherwise, under.as_ref());
            }
            (Stmt::While(condition, body), _) => {
                let under = self.with(under.unwrap_or(&Pattern::default()), condition);
                self.block(body, Some(&under));
            }
            (Stmt::Return(value), Some(under)) => {
                self.escape.add(under);
                self.result.add(under);
                let missing = value.as_ref().map(|value| self.scope.missing(value));
                missing.iter().for_each(|missing| self.result.add(missing));
            }
            (_, Some(under)) => {
                let mut missing = under.clone();
                missing.add(&self.escape);
                statement_parts(statement, &mut |e| missing.add(&self.scope.missing(e)));
                if let Stmt::Call(function, ..) = statement
                    && let Some(callee) = self.scope.cut.function(*function)
                {
                    missing.add(&callee.result);
                }
                if !missing.is_empty() {
                    for place in stores(statement) {
                        if let Place::Local(local) | Place::LocalElem(local, _) = place {
                            self.scope.tainted.entry(*local).or_default().add(&missing);
                        }
                    }
                }
            }
            (_, None) => {}
        }
    }

    fn with(&self, under: &Pattern, condition: &Expr) -> Pattern {
        let mut under = under.clone();
        under.add(&self.scope.missing(condition));
        under
    }
}

/// The places a statement stores into by itself.
pub(super) fn stores(statement: &Stmt) -> Vec<&Place> {
    match statement {
        Stmt::Assign(target, _) => vec![&target.place],
        Stmt::Call(_, _, target) | Stmt::Start(_, _, target) => target.iter().map(|t| &t.place).collect(),
        Stmt::Receive(receive) => {
            let bound = receive.pattern.iter().filter_map(|field| match field {
                Field::Bind(target) => Some(&target.place),
                Field::Match(_) | Field::Ignore => None,
            });
            bound.collect()
        }
        _ => Vec::new(),
    }
}

/// The locals that something kept depends on.
pub(super) struct Relevant<'a> {
    scope: &'a Scope<'a>,
    pub locals: BTreeSet<LocalId>,
}

impl<'a> Relevant<'a> {
    /// Looks through an update or a function. `given`: locals that are relevant in any case.
    pub fn of(scope: &'a Scope<'a>, block: &Block, given: BTreeSet<LocalId>) -> Self {
        let mut relevant = Self { scope, locals: given };
        loop {
            let before = relevant.locals.len();
            relevant.block(block);
            if relevant.locals.len() == before {
                return relevant;
            }
        }
    }

    /// Whether a place is worth a store.
    pub fn wants(&self, place: &Place) -> bool {
        match place {
            Place::Var(var) | Place::Elem(var, _) => self.scope.cut.kept.integers.contains(var),
            Place::Local(local) | Place::LocalElem(local, _) => {
                self.locals.contains(local) && !self.scope.tainted.contains_key(local)
            }
        }
    }

    /// Whether anything of a block is.
    fn block(&mut self, block: &Block) -> bool {
        // All of them, also after the first that matters.
        block.iter().fold(false, |wanted, statement| self.statement(statement) | wanted)
    }

    fn statement(&mut self, statement: &Stmt) -> bool {
        let cut = self.scope.cut;
        let wanted = match statement {
            Stmt::Assign(target, _) => self.wants(&target.place),
            Stmt::ClockSet(clock, _) | Stmt::ClockCopy(clock, _) => cut.kept.clocks.contains(clock),
            Stmt::If(_, then, otherwise) => self.block(then) | self.block(otherwise),
            Stmt::While(_, body) => self.block(body),
            Stmt::Call(function, arguments, target) => {
                let target = target.as_ref().filter(|target| self.wants(&target.place));
                target.iter().for_each(|target| target_parts(target, &mut |e| self.uses(e)));
                let Some(callee) = cut.function(*function) else { return false };
                if callee.effects || target.is_some() {
                    let matter = arguments.iter().zip(&callee.params).filter(|(_, matters)| **matters);
                    matter.for_each(|(argument, _)| self.uses(argument));
                }
                return callee.effects || target.is_some();
            }
            Stmt::Receive(receive) => {
                // Of what is bound to, only indices of what is wanted; to take them all does no harm.
                channel_parts(&receive.channel, &mut |e| self.uses(e));
                receive_parts(receive, &mut |e| self.uses(e));
                return true;
            }
            Stmt::Assert(..) => cut.asserts,
            Stmt::Send(_) | Stmt::Start(..) | Stmt::Exit | Stmt::Return(_) => true,
        };
        if wanted {
            let assertion = matches!(statement, Stmt::Assert(..));
            statement_parts(statement, &mut |e| if assertion { self.mentions(e) } else { self.uses(e) });
        }
        wanted
    }

    /// An expression stays, unless it loses something; then nothing in it matters.
    fn uses(&mut self, e: &Expr) {
        if !self.scope.loses(e) {
            self.mentions(e);
        }
    }
    fn mentions(&mut self, e: &Expr) {
        walk(e, &mut |part| {
            if let Expr::Local(local) | Expr::LocalElem(local, _) = part {
                self.locals.insert(*local);
            }
        });
    }
}
