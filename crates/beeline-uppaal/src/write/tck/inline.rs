//! Updates without what TChecker lacks: a called function is written out in the place of the call, with locals
//! of its own. A `return` that is not the last thing a function does sets a flag, and what follows asks for it.
//!
//! A value outside its range stops TChecker, but should only undo the step. So where a store may fail, it is
//! guarded, and otherwise sets a global variable that the invariant of the edge's target forbids.

use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::stmt::{Block, Function, Local, Place, Stmt, Store, Target};
use beeline_ir::visit;
use beeline_ir::{FunctionId, LocalId};

use super::fold::{and, binary, equals, not};
use super::simplify::{Env, Simplifier, Value};
use crate::write::{Unwritable, stmt};

/// The update of an edge: locals to declare, and assignments, branches and loops.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Update {
    pub locals: Vec<Local>,
    pub block: Block,
    /// The local that stands for the global variable which tells that a store failed.
    pub fault: Option<LocalId>,
}

/// Where a function's value goes.
#[derive(Copy, Clone)]
struct Exit {
    value: Option<LocalId>,
    done: Option<LocalId>,
}

/// Translates the update of an edge whose select variables have the given values.
pub(super) fn update(
    simplifier: &mut Simplifier<'_>,
    frame: &[Local],
    selects: &[i64],
    block: &Block,
) -> Result<Update, Unwritable> {
    let mut located = false;
    visit::block_parts(block, &mut |e| visit::walk(e, &mut |e| located |= matches!(e, Expr::At(..))));
    if located {
        return simplifier.refuse("a test of a location within an update");
    }
    let mut inliner = Inliner { simplifier, locals: Vec::new(), fault: None };
    let mut env = inliner.simplifier.env(frame)?;
    for (value, select) in env.iter_mut().zip(selects) {
        *value = Value::Scalar(Expr::Const(*select));
    }
    let mut out = Vec::new();
    for local in stmt::used_locals(block).into_iter().filter(|l| l.index() >= selects.len()) {
        inliner.declare(local, &frame[local.index()], &mut env, &mut out)?;
    }
    inliner.block(block, &mut env, None, &mut out)?;
    Ok(Update { locals: inliner.locals, block: out, fault: inliner.fault })
}

struct Inliner<'s, 'n> {
    simplifier: &'s mut Simplifier<'n>,
    locals: Vec<Local>,
    fault: Option<LocalId>,
}

impl Inliner<'_, '_> {
    fn fresh(&mut self, name: &str, range: Range, len: Option<u32>) -> LocalId {
        self.locals.push(Local { name: name.into(), range, len });
        LocalId::new(self.locals.len() - 1)
    }

    /// Gives a local a place in the text and its initial value.
    fn declare(
        &mut self,
        id: LocalId,
        local: &Local,
        env: &mut Env,
        out: &mut Block,
    ) -> Result<(), Unwritable> {
        let new = self.fresh(&local.name, local.range, local.len);
        let value = Expr::Const(local.range.start());
        match local.len {
            None => {
                out.push(store(Place::Local(new), value));
                env[id.index()] = Value::Scalar(Expr::Local(new));
            }
            Some(n) => {
                self.simplifier.charge(n as usize)?;
                let elements = (0..i64::from(n)).map(|i| Place::LocalElem(new, Expr::Const(i)));
                out.extend(elements.map(|place| store(place, value.clone())));
                env[id.index()] = Value::Written(new);
            }
        }
        Ok(())
    }

    fn block(
        &mut self,
        block: &[Stmt],
        env: &mut Env,
        exit: Option<Exit>,
        out: &mut Block,
    ) -> Result<(), Unwritable> {
        self.simplifier.enter()?;
        for (i, statement) in block.iter().enumerate() {
            self.simplifier.charge(1)?;
            self.statement(statement, env, exit, out)?;
            let rest = &block[i + 1..];
            if let (Some(done), true, false) =
                (exit.and_then(|e| e.done), returns(statement), rest.is_empty())
            {
                let mut inner = Vec::new();
                self.block(rest, env, exit, &mut inner)?;
                out.push(Stmt::If(equals(Expr::Local(done), 0), inner, Vec::new()));
                break;
            }
        }
        self.simplifier.leave();
        Ok(())
    }

    fn statement(
        &mut self,
        statement: &Stmt,
        env: &mut Env,
        exit: Option<Exit>,
        out: &mut Block,
    ) -> Result<(), Unwritable> {
        match statement {
            Stmt::Assign(target, Expr::Call(function, arguments)) => {
                self.called(*function, arguments, Some(target), env, out)?;
            }
            Stmt::Assign(target, value) => {
                let target = self.target(target, env)?;
                let value = self.simplifier.expr(value, env)?;
                self.push_store(target, value, out)?;
            }
            Stmt::ClockSet(clock, value) => {
                out.push(Stmt::ClockSet(*clock, self.simplifier.expr(value, env)?));
            }
            Stmt::ClockCopy(..) => out.push(statement.clone()),
            Stmt::If(condition, then, otherwise) => match self.simplifier.expr(condition, env)? {
                Expr::Const(0) => self.block(otherwise, env, exit, out)?,
                Expr::Const(_) => self.block(then, env, exit, out)?,
                condition => {
                    let (mut yes, mut no) = (Vec::new(), Vec::new());
                    self.block(then, env, exit, &mut yes)?;
                    self.block(otherwise, env, exit, &mut no)?;
                    out.push(Stmt::If(condition, yes, no));
                }
            },
            Stmt::While(condition, body) => {
                let mut condition = self.simplifier.expr(condition, env)?;
                if let (Some(done), true) = (exit.and_then(|e| e.done), returns(statement)) {
                    condition = and(vec![equals(Expr::Local(done), 0), condition]);
                }
                let mut inner = Vec::new();
                self.block(body, env, exit, &mut inner)?;
                if let Some(fault) = self.fault {
                    condition = and(vec![equals(Expr::Local(fault), 0), condition]);
                }
                out.push(Stmt::While(condition, inner));
            }
            Stmt::Call(function, arguments, target) => {
                self.called(*function, arguments, target.as_ref(), env, out)?;
            }
            Stmt::Return(value) => {
                if let (Some(exit), Some(value)) = (exit, value) {
                    let value = self.simplifier.expr(value, env)?;
                    if let Some(local) = exit.value {
                        self.push_store(Place::Local(local), value, out)?;
                    }
                }
                if let Some(done) = exit.and_then(|e| e.done) {
                    out.push(store(Place::Local(done), Expr::TRUE));
                }
            }
            Stmt::Assert(..) => {}
            Stmt::Send(_) | Stmt::Receive(_) | Stmt::Start(..) | Stmt::Exit => {
                return self.simplifier.refuse("processes that start or end, or messages");
            }
        }
        Ok(())
    }

    /// Stores a value; if that may fail, only where it does not.
    fn push_store(&mut self, place: Place, value: Expr, out: &mut Block) -> Result<(), Unwritable> {
        let vars = &self.simplifier.network.vars;
        let (range, len) = match &place {
            Place::Var(var) | Place::Elem(var, _) => (vars[*var].range, vars[*var].len),
            Place::Local(local) | Place::LocalElem(local, _) => {
                let local = &self.locals[local.index()];
                (local.range, local.len)
            }
        };
        let mut conditions = Vec::new();
        let value = self.simplifier.checked(value)?;
        let value = self.bounded(value, range, &mut conditions, out);
        let indices = Range::new(0, i64::from(len.unwrap_or(1)) - 1);
        let place = match place {
            Place::Elem(var, index) => Place::Elem(var, self.bounded(index, indices, &mut conditions, out)),
            Place::LocalElem(local, index) => {
                Place::LocalElem(local, self.bounded(index, indices, &mut conditions, out))
            }
            scalar => scalar,
        };
        let stores = store(place, value);
        if conditions.is_empty() {
            out.push(stores);
            return Ok(());
        }
        let fault = match self.fault {
            Some(fault) => fault,
            None => self.fresh("fault", Range::BOOL, None),
        };
        self.fault = Some(fault);
        out.push(Stmt::If(and(conditions), vec![stores], vec![store(Place::Local(fault), Expr::TRUE)]));
        Ok(())
    }

    /// The value, with the conditions that put it into the range unless it certainly is there.
    fn bounded(&mut self, value: Expr, range: Range, conditions: &mut Vec<Expr>, out: &mut Block) -> Expr {
        if self.simplifier.fits(&value, range, &self.locals) {
            return value;
        }
        let value = self.hoisted(value, out);
        conditions.push(binary(BinaryOp::Ge, value.clone(), Expr::Const(range.lo)));
        conditions.push(binary(BinaryOp::Le, value.clone(), Expr::Const(range.hi)));
        value
    }

    /// Where a value goes; indices are simplified.
    fn target(&mut self, target: &Target, env: &mut Env) -> Result<Place, Unwritable> {
        if target.store == Store::Wrapping {
            return self.simplifier.refuse("a store that wraps around");
        }
        Ok(match &target.place {
            Place::Var(var) => Place::Var(*var),
            Place::Elem(var, index) => Place::Elem(*var, self.simplifier.expr(index, env)?),
            Place::Local(local) => match &env[local.index()] {
                Value::Scalar(Expr::Local(new)) => Place::Local(*new),
                _ => return self.simplifier.refuse("an assignment to a select variable"),
            },
            Place::LocalElem(local, index) => {
                let index = self.simplifier.expr(index, env)?;
                match &env[local.index()] {
                    Value::Written(new) => Place::LocalElem(*new, index),
                    _ => return self.simplifier.refuse("an index into a scalar"),
                }
            }
        })
    }

    /// Writes a call out.
    fn called(
        &mut self,
        id: FunctionId,
        arguments: &[Expr],
        target: Option<&Target>,
        env: &mut Env,
        out: &mut Block,
    ) -> Result<(), Unwritable> {
        let target = match target {
            Some(target) => Some(self.target(target, env)?),
            None => None,
        };
        // The index is computed before the call, which may change what it reads.
        let target = match target {
            Some(Place::Elem(var, index)) => Some(Place::Elem(var, self.hoisted(index, out))),
            Some(Place::LocalElem(local, index)) => Some(Place::LocalElem(local, self.hoisted(index, out))),
            other => other,
        };
        let network = self.simplifier.network;
        let function = &network.functions[id];
        let assigned = stmt::assigned_locals(&function.body);
        let mut inner = self.simplifier.env(&function.frame)?;
        for (i, (local, argument)) in function.frame.iter().zip(arguments).enumerate() {
            let value = self.simplifier.expr(argument, env)?;
            let fixed = matches!(value, Expr::Const(n) if local.range.contains(n));
            inner[i] = Value::Scalar(if fixed && !assigned.contains(&LocalId::new(i)) {
                value
            } else {
                let new = self.fresh(&local.name, local.range, None);
                self.push_store(Place::Local(new), value, out)?;
                Expr::Local(new)
            });
        }
        for local in stmt::used_locals(&function.body).into_iter().filter(|l| l.index() >= function.params) {
            self.declare(local, &function.frame[local.index()], &mut inner, out)?;
        }
        let inner_exit = self.exit(function, target.is_some(), out);
        self.block(&function.body, &mut inner, Some(inner_exit), out)?;
        if let (Some(place), Some(value)) = (target, inner_exit.value) {
            self.push_store(place, Expr::Local(value), out)?;
        }
        Ok(())
    }

    /// A value computed now, kept in a local unless it is constant or one.
    fn hoisted(&mut self, value: Expr, out: &mut Block) -> Expr {
        if matches!(value, Expr::Const(_) | Expr::Local(_)) {
            return value;
        }
        let new = self.fresh("value", Range::new(i64::from(i32::MIN), i64::from(i32::MAX)), None);
        out.push(store(Place::Local(new), value));
        Expr::Local(new)
    }

    /// Locals for the result of a call and for whether it has returned.
    fn exit(&mut self, function: &Function, wanted: bool, out: &mut Block) -> Exit {
        let value = function.result.filter(|_| wanted).map(|range| {
            let new = self.fresh(&format!("{}_result", function.name), range, None);
            out.push(store(Place::Local(new), Expr::Const(range.start())));
            new
        });
        let done = (!returns_last(&function.body)).then(|| {
            let new = self.fresh(&format!("{}_done", function.name), Range::BOOL, None);
            out.push(store(Place::Local(new), not(Expr::TRUE)));
            new
        });
        Exit { value, done }
    }
}

fn store(place: Place, value: Expr) -> Stmt {
    Stmt::Assign(Target { place, store: Store::Checked }, value)
}

/// Whether a `return` is in the statement.
fn returns(statement: &Stmt) -> bool {
    let mut found = matches!(statement, Stmt::Return(_));
    for block in visit::blocks(statement) {
        visit::walk_block(block, &mut |s, _| found |= matches!(s, Stmt::Return(_)));
    }
    found
}

/// Whether every `return` is the last thing the block does.
fn returns_last(block: &[Stmt]) -> bool {
    let Some((last, before)) = block.split_last() else {
        return true;
    };
    !before.iter().any(returns)
        && match last {
            Stmt::If(_, then, otherwise) => returns_last(then) && returns_last(otherwise),
            Stmt::Return(_) => true,
            other => !returns(other),
        }
}
