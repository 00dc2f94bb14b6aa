//! Statements and functions as UPPAAL writes them. An edge's update is a list of expressions there; what needs
//! more (branches, loops, locals of its own) is written as a function that the edge calls.

use std::collections::BTreeSet;

use beeline_ir::LocalId;
use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::stmt::{Block, Local, Place, Stmt, Store, Target};
use beeline_ir::visit;

use super::{Scope, Unwritable, Words};

/// Collects the locals an expression uses, those it quantifies over excepted.
fn uses(expr: &Expr, found: &mut BTreeSet<LocalId>) {
    match expr {
        Expr::Quantified(_, local, _, body) => {
            let mut inner = BTreeSet::new();
            uses(body, &mut inner);
            inner.remove(local);
            found.append(&mut inner);
        }
        Expr::Local(local) | Expr::LocalElem(local, _) => {
            found.insert(*local);
        }
        _ => {}
    }
    if !matches!(expr, Expr::Quantified(..)) {
        visit::children(expr, &mut |child| uses(child, found));
    }
}

/// The locals a block assigns.
pub(crate) fn assigned_locals(block: &Block) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    visit::walk_block(block, &mut |statement, _| {
        let target = match statement {
            Stmt::Assign(target, _) => Some(target),
            Stmt::Call(_, _, target) | Stmt::Start(_, _, target) => target.as_ref(),
            _ => None,
        };
        if let Some(Target { place: Place::Local(local) | Place::LocalElem(local, _), .. }) = target {
            found.insert(*local);
        }
    });
    found
}

/// The locals a block uses, those of quantifiers excepted.
pub(crate) fn used_locals(block: &Block) -> BTreeSet<LocalId> {
    let mut found = assigned_locals(block);
    visit::block_parts(block, &mut |expr| uses(expr, &mut found));
    found
}

/// The locals that expressions use, those of quantifiers excepted.
pub(crate) fn used_in(guard: &Expr, atoms: &[ClockAtom]) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    uses(guard, &mut found);
    visit::atom_parts(atoms, &mut |expr| uses(expr, &mut found));
    found
}

impl Words<'_> {
    /// A statement that is an expression: an assignment or a call. `None` for others.
    pub fn simple(
        &self,
        statement: &Stmt,
        assign: &str,
        scope: &Scope,
    ) -> Result<Option<String>, Unwritable> {
        Ok(Some(match statement {
            Stmt::Assign(target, value) => {
                format!("{} {assign} {}", self.target(target, scope)?, self.expr(value, scope)?)
            }
            Stmt::ClockSet(clock, value) => {
                format!("{} {assign} {}", self.names.clocks[*clock], self.expr(value, scope)?)
            }
            Stmt::ClockCopy(clock, other) => {
                format!("{} {assign} {}", self.names.clocks[*clock], self.names.clocks[*other])
            }
            Stmt::Call(function, arguments, target) => {
                let call = format!("{}({})", self.names.functions[*function], self.list(arguments, scope)?);
                match target {
                    Some(target) => format!("{} {assign} {call}", self.target(target, scope)?),
                    None => call,
                }
            }
            Stmt::Start(..) | Stmt::Exit => return scope.refuse("processes that start or end"),
            Stmt::Send(_) | Stmt::Receive(_) => return scope.refuse("sending or receiving within an update"),
            Stmt::If(..) | Stmt::While(..) | Stmt::Assert(..) | Stmt::Return(_) => return Ok(None),
        }))
    }

    /// Writes the statements of a block, each on a line of its own.
    pub fn block(
        &self,
        block: &Block,
        depth: usize,
        scope: &Scope,
        out: &mut String,
    ) -> Result<(), Unwritable> {
        let pad = "    ".repeat(depth);
        for statement in block {
            if let Some(text) = self.simple(statement, "=", scope)? {
                out.push_str(&format!("{pad}{text};\n"));
                continue;
            }
            match statement {
                Stmt::If(condition, then, otherwise) => {
                    out.push_str(&format!("{pad}if ({}) {{\n", self.expr(condition, scope)?));
                    self.block(then, depth + 1, scope, out)?;
                    if !otherwise.is_empty() {
                        out.push_str(&format!("{pad}}} else {{\n"));
                        self.block(otherwise, depth + 1, scope, out)?;
                    }
                    out.push_str(&format!("{pad}}}\n"));
                }
                Stmt::While(condition, body) => {
                    out.push_str(&format!("{pad}while ({}) {{\n", self.expr(condition, scope)?));
                    self.block(body, depth + 1, scope, out)?;
                    out.push_str(&format!("{pad}}}\n"));
                }
                Stmt::Assert(condition, _) => {
                    out.push_str(&format!("{pad}assert({});\n", self.expr(condition, scope)?));
                }
                Stmt::Return(Some(value)) => {
                    out.push_str(&format!("{pad}return {};\n", self.expr(value, scope)?));
                }
                _ => out.push_str(&format!("{pad}return;\n")),
            }
        }
        Ok(())
    }

    /// A block in one line, as traces show it.
    pub fn line(&self, block: &Block, scope: &Scope) -> Result<String, Unwritable> {
        let parts: Result<Vec<String>, Unwritable> = block
            .iter()
            .map(|statement| {
                if let Some(text) = self.simple(statement, ":=", scope)? {
                    return Ok(text);
                }
                Ok(match statement {
                    Stmt::If(condition, then, otherwise) => {
                        let condition = self.expr(condition, scope)?;
                        let (then, otherwise) = (self.line(then, scope)?, self.line(otherwise, scope)?);
                        format!("if ({condition}) {{ {then} }} else {{ {otherwise} }}")
                    }
                    Stmt::While(condition, body) => {
                        format!("while ({}) {{ {} }}", self.expr(condition, scope)?, self.line(body, scope)?)
                    }
                    Stmt::Assert(condition, _) => format!("assert({})", self.expr(condition, scope)?),
                    Stmt::Return(Some(value)) => format!("return {}", self.expr(value, scope)?),
                    _ => "return".into(),
                })
            })
            .collect();
        Ok(parts?.join(", "))
    }

    fn target(&self, target: &Target, scope: &Scope) -> Result<String, Unwritable> {
        if target.store == Store::Wrapping {
            return scope.refuse("a store that wraps around");
        }
        Ok(match &target.place {
            Place::Var(var) => self.names.vars[*var].clone(),
            Place::Elem(var, index) => format!("{}[{}]", self.names.vars[*var], self.expr(index, scope)?),
            Place::Local(local) => scope.locals[local.index()].clone(),
            Place::LocalElem(local, index) => {
                format!("{}[{}]", scope.locals[local.index()], self.expr(index, scope)?)
            }
        })
    }

    /// Declares those locals of a frame that a block uses, from position `first` on. They start at 0 unless told
    /// otherwise.
    pub fn declare_locals(
        &self,
        frame: &[Local],
        first: usize,
        block: &Block,
        scope: &Scope,
        out: &mut String,
    ) -> Result<(), Unwritable> {
        for id in used_locals(block).into_iter().filter(|id| id.index() >= first) {
            let local = &frame[id.index()];
            let (name, ty) = (&scope.locals[id.index()], scope.int(local.range)?);
            let value = scope.number(local.range.start())?;
            let line = match local.len {
                _ if local.range.contains(0) => {
                    format!("    {ty} {name}{};\n", local.len.map_or(String::new(), |n| format!("[{n}]")))
                }
                None => format!("    {ty} {name} = {value};\n"),
                Some(n) => format!("    {ty} {name}[{n}] = {{ {} }};\n", vec![value; n as usize].join(", ")),
            };
            out.push_str(&line);
        }
        Ok(())
    }

    /// `int[0,3] i, int[0,1] j`: the first `count` locals of a frame as parameters.
    pub fn parameters(&self, frame: &[Local], count: usize, scope: &Scope) -> Result<String, Unwritable> {
        let one = |(local, name): (&Local, &String)| Ok(format!("{} {name}", scope.int(local.range)?));
        let parts: Result<Vec<_>, Unwritable> =
            frame.iter().zip(&scope.locals).take(count).map(one).collect();
        Ok(parts?.join(", "))
    }
}
