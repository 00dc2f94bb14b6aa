//! Functions run symbolically: a call that writes nothing but its own locals becomes one expression over the
//! state. Branches on the state join what their locals stand for; a loop must know at each turn whether it goes
//! on.

use beeline_ir::expr::{Expr, Range};
use beeline_ir::stmt::{Block, Place, Stmt, Target};
use beeline_ir::{FunctionId, LocalId};

use super::fold::{and, equals, if_else, not};
use super::simplify::{Env, Simplifier, Value};
use crate::write::Unwritable;

/// A call under way.
struct Run {
    function: FunctionId,
    env: Env,
    /// The conditions of the branches being run.
    path: Vec<Expr>,
    /// Values returned so far, each with its condition; the first whose condition holds counts.
    returns: Vec<(Expr, Expr)>,
}

impl Simplifier<'_> {
    /// The value of a call.
    pub fn call(&mut self, function: FunctionId, arguments: Vec<Expr>) -> Result<Expr, Unwritable> {
        let network = self.network;
        let definition = &network.functions[function];
        let mut env = self.env(&definition.frame)?;
        for (local, (argument, value)) in definition.frame.iter().zip(arguments.into_iter().zip(&mut env)) {
            self.check_range(function, &argument, local.range);
            *value = Value::Scalar(argument);
        }
        let mut run = Run { function, env, path: Vec::new(), returns: Vec::new() };
        self.run(&definition.body, &mut run)?;
        let range = definition.result.unwrap_or(Range::new(0, 0));
        let mut value = Expr::Const(range.start());
        for (condition, returned) in run.returns.into_iter().rev() {
            value = if_else(condition, returned, value);
        }
        self.check_range(function, &value, range);
        self.checked(value)
    }

    /// Notes that a value is no longer checked against its range.
    fn check_range(&mut self, function: FunctionId, value: &Expr, range: Range) {
        if !self.fits(value, range, &[]) {
            self.unchecked.insert(function);
        }
    }

    /// Runs a block; true if it certainly returns.
    fn run(&mut self, block: &Block, run: &mut Run) -> Result<bool, Unwritable> {
        for statement in block {
            self.charge(1)?;
            match statement {
                Stmt::Assign(target, value) => {
                    let value = self.expr(value, &mut run.env)?;
                    self.assign(target, value, run)?;
                }
                Stmt::Call(function, arguments, target) => {
                    let arguments = self.list(arguments, &mut run.env)?;
                    let value = self.call(*function, arguments)?;
                    if let Some(target) = target {
                        self.assign(target, value, run)?;
                    }
                }
                Stmt::If(condition, then, otherwise) => {
                    let condition = self.expr(condition, &mut run.env)?;
                    if self.branch(condition, then, otherwise, run)? {
                        return Ok(true);
                    }
                }
                Stmt::While(condition, body) => loop {
                    self.charge(1)?;
                    match self.expr(condition, &mut run.env)? {
                        Expr::Const(0) => break,
                        Expr::Const(_) => {}
                        _ => return self.refuse(self.loop_message(run.function)),
                    }
                    if self.run(body, run)? {
                        return Ok(true);
                    }
                },
                Stmt::Return(value) => {
                    let value = match value {
                        Some(value) => self.expr(value, &mut run.env)?,
                        None => Expr::Const(0),
                    };
                    let mut path = Vec::new();
                    for condition in &run.path {
                        path.push(self.copy(condition)?);
                    }
                    run.returns.push((and(path), value));
                    return Ok(true);
                }
                Stmt::Assert(..) => {}
                _ => return self.refuse("a function with effects, called in an expression"),
            }
        }
        Ok(false)
    }

    fn loop_message(&self, function: FunctionId) -> String {
        let name = &self.network.functions[function].name;
        format!("a loop of the function {name} whose length depends on the state, called in an expression")
    }

    fn branch(
        &mut self,
        condition: Expr,
        then: &Block,
        otherwise: &Block,
        run: &mut Run,
    ) -> Result<bool, Unwritable> {
        if let Expr::Const(n) = condition {
            return self.run(if n != 0 { then } else { otherwise }, run);
        }
        let before = run.env.clone();
        self.charge(before.len())?;
        run.path.push(self.copy(&condition)?);
        let then_returns = self.run(then, run)?;
        run.path.pop();
        let after_then = std::mem::replace(&mut run.env, before);
        run.path.push(not(self.copy(&condition)?));
        let otherwise_returns = self.run(otherwise, run)?;
        run.path.pop();
        match (then_returns, otherwise_returns) {
            (true, _) => {}
            (false, true) => run.env = after_then,
            (false, false) => {
                let after_otherwise = std::mem::take(&mut run.env);
                for (one, other) in after_then.into_iter().zip(after_otherwise) {
                    let joined = self.join(&condition, one, other)?;
                    run.env.push(joined);
                }
            }
        }
        Ok(then_returns && otherwise_returns)
    }

    /// What a local stands for after a branch.
    fn join(&mut self, condition: &Expr, then: Value, otherwise: Value) -> Result<Value, Unwritable> {
        Ok(match (then, otherwise) {
            (then, otherwise) if then == otherwise => then,
            (Value::Scalar(then), Value::Scalar(otherwise)) => {
                Value::Scalar(self.choice(condition, then, otherwise)?)
            }
            (Value::Array(then), Value::Array(otherwise)) => {
                let mut values = Vec::with_capacity(then.len());
                for (then, otherwise) in then.into_iter().zip(otherwise) {
                    values.push(self.choice(condition, then, otherwise)?);
                }
                Value::Array(values)
            }
            (then, _) => then,
        })
    }

    fn choice(&mut self, condition: &Expr, then: Expr, otherwise: Expr) -> Result<Expr, Unwritable> {
        if then == otherwise {
            return Ok(then);
        }
        let condition = self.copy(condition)?;
        self.checked(if_else(condition, then, otherwise))
    }

    fn assign(&mut self, target: &Target, value: Expr, run: &mut Run) -> Result<(), Unwritable> {
        let local = match &target.place {
            Place::Local(local) | Place::LocalElem(local, _) => *local,
            Place::Var(_) | Place::Elem(..) => {
                return self.refuse("a function with effects, called in an expression");
            }
        };
        let network = self.network;
        self.check_range(run.function, &value, network.functions[run.function].frame[local.index()].range);
        let value = self.checked(value)?;
        match &target.place {
            Place::LocalElem(_, index) => {
                let index = self.expr(index, &mut run.env)?;
                self.assign_element(local, index, value, &mut run.env)
            }
            _ => {
                run.env[local.index()] = Value::Scalar(value);
                Ok(())
            }
        }
    }

    fn assign_element(
        &mut self,
        local: LocalId,
        index: Expr,
        value: Expr,
        env: &mut Env,
    ) -> Result<(), Unwritable> {
        let Value::Array(values) = &mut env[local.index()] else {
            return self.refuse("an index into a scalar");
        };
        if let Expr::Const(n) = index {
            return match usize::try_from(n).ok().and_then(|n| values.get_mut(n)) {
                Some(place) => {
                    *place = value;
                    Ok(())
                }
                None => self.refuse("an index that is always outside its array"),
            };
        }
        for (n, place) in values.iter_mut().enumerate() {
            let here = equals(self.copy(&index)?, n as i64);
            let old = std::mem::replace(place, Expr::Const(0));
            let value = self.copy(&value)?;
            *place = self.checked(if_else(here, value, old))?;
        }
        Ok(())
    }
}
