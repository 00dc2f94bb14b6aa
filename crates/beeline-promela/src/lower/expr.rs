//! Expressions. What is computed is cut to 32 bits where that makes a difference ([`super::arithmetic`]).

use beeline_ir::ProcessId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, ChannelRef, Expr, UnaryOp};
use beeline_ir::stmt::Place;

use super::arithmetic::binary;
use super::declare::{Leaf, LeafKind, Variable};
use super::{Lower, Res};
use crate::ast::{self, ExprKind, Init, Name, Ref, StmtKind, walk, walk_expr};

impl<'a> Lower<'a, '_> {
    /// An expression of a process, or about the whole model: a number of 32 bits.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr, process: Option<ProcessId>) -> Res<Expr> {
        let computed = self.computed(expr, process)?;
        Ok(self.narrow(computed))
    }

    /// The same, where only the last 32 bits matter: others may be wrong.
    pub(super) fn computed(&mut self, expr: &'a ast::Expr, process: Option<ProcessId>) -> Res<Expr> {
        self.spend(1, expr.span)?;
        Ok(match &expr.kind {
            ExprKind::Int(value) => Expr::Const(i64::from(*value as i32)),
            ExprKind::Ref(found) => self.value(found, process)?,
            ExprKind::Unary("!", operand) => match self.expr(operand, process)? {
                Expr::Const(value) => Expr::Const(i64::from(value == 0)),
                operand => operand.negated(),
            },
            ExprKind::Unary(op, operand) => match (*op, self.computed(operand, process)?) {
                ("-", Expr::Const(value)) => Expr::Const(i64::from((value as i32).wrapping_neg())),
                ("-", operand) => Expr::Unary(UnaryOp::Neg, Box::new(operand)),
                (_, operand) => Expr::Unary(UnaryOp::BitNot, Box::new(operand)),
            },
            ExprKind::Binary(op @ ("+" | "-" | "*" | "&" | "|" | "^"), left, right) => {
                let (left, right) = (self.computed(left, process)?, self.computed(right, process)?);
                self.limited(op, left, right)
            }
            ExprKind::Binary("<<", left, right) => {
                let (left, right) = (self.computed(left, process)?, self.expr(right, process)?);
                self.limited("<<", left, self.shift(right))
            }
            ExprKind::Binary(">>", left, right) => {
                let (left, right) = (self.expr(left, process)?, self.expr(right, process)?);
                binary(">>", left, self.shift(right))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, process)?, self.expr(right, process)?);
                binary(op, left, right)
            }
            ExprKind::Many(op, all) => {
                let mut parts = Vec::new();
                for part in all {
                    parts.push(self.expr(part, process)?);
                }
                if *op == "&&" { Expr::And(parts) } else { Expr::Or(parts) }
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition, process)?;
                let (then, otherwise) = (self.computed(then, process)?, self.computed(otherwise, process)?);
                Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
            ExprKind::Probe(what, channel) => {
                let channel = self.meant(channel, process)?.channel;
                let length = Expr::Length(channel.clone());
                match *what {
                    "len" => length,
                    "empty" => length.binary(BinaryOp::Eq, Expr::Const(0)),
                    "nempty" => length.binary(BinaryOp::Ne, Expr::Const(0)),
                    what => self.filled(channel, what == "full"),
                }
            }
            ExprKind::Poll(receive) => {
                let mut receive = self.receive(receive, process, expr.span)?;
                if self.rendezvous(&receive.channel) == Expr::TRUE {
                    let message = "this is never true of a rendezvous channel: Spin's verifier stops here";
                    self.warn(message, expr.span);
                }
                // What is received is not kept.
                for pattern in &mut receive.pattern {
                    if matches!(pattern, beeline_ir::stmt::Pattern::Bind(_)) {
                        *pattern = beeline_ir::stmt::Pattern::Ignore;
                    }
                }
                Expr::Poll(Box::new(receive))
            }
            ExprKind::Timeout => Expr::Timeout,
            ExprKind::About(what, number) => self.about(what, number, process, expr.span)?,
            ExprKind::RemoteLabel(proc, index, label) => {
                self.remote_label(proc, index.as_deref(), label, process, expr)?
            }
            ExprKind::RemoteVar(proc, index, var) => {
                self.remote_var(proc, index.as_deref(), var, process, expr)?
            }
            ExprKind::Run(_) => {
                if let Some(number) = &self.started_number {
                    return Ok(number.clone());
                }
                let message = "`run` is supported in conditions, assignments and assertions only";
                return Err(Diagnostic::unsupported("U0907", message, Some(expr.span)));
            }
            ExprKind::Temporal(op, _) => {
                let message =
                    format!("the temporal operator `{op}` stands where a predicate on states is needed");
                return Err(Diagnostic::unsupported("U0908", message, Some(expr.span)));
            }
            ExprKind::Unsupported(name) => {
                return Err(Diagnostic::unsupported(
                    "U0905",
                    format!("`{name}` is not supported"),
                    Some(expr.span),
                ));
            }
        })
    }

    /// Whether a channel is full, or is not: one without a buffer never is, as in Spin's verifier.
    fn filled(&self, channel: ChannelRef, full: bool) -> Expr {
        let op = if full { BinaryOp::Ge } else { BinaryOp::Lt };
        let compared = Expr::Length(channel.clone()).binary(op, Expr::Capacity(channel.clone()));
        let never = Expr::Const(i64::from(!full));
        match self.rendezvous(&channel) {
            Expr::Const(0) => compared,
            Expr::Const(_) => never,
            unbuffered => Expr::If(Box::new(unbuffered), Box::new(never), Box::new(compared)),
        }
    }

    /// The number of a symbol, if the name is one.
    pub(super) fn symbol(&self, found: &Ref) -> Option<i64> {
        match found.parts.as_slice() {
            [(name, None)] => self.mtypes.get(name).copied(),
            _ => None,
        }
    }

    /// The variable of a name.
    pub(super) fn variable(&self, name: &str, process: Option<ProcessId>) -> Option<&Variable> {
        let local = process.and_then(|p| self.instances[p.index()].symbols.get(name));
        local.or_else(|| self.globals.get(name))
    }

    pub(super) fn value(&mut self, found: &'a Ref, process: Option<ProcessId>) -> Res<Expr> {
        if let [(name, None)] = found.parts.as_slice() {
            if let Some(value) = self.watching.get(name) {
                return Ok(value.clone());
            }
            if let Some((proto, known)) = &self.substitution {
                if let Some(value) = known.get(name) {
                    return Ok(value.clone());
                }
                if &**name == "_pid" {
                    return Ok(Expr::ProcessCount);
                }
                let proc = self.protos[*proto].proc;
                if let Some(decl) = proc.locals.iter().find(|d| d.name == *name) {
                    return match &decl.init {
                        Some(Init::Value(value)) => Ok(Expr::Const(self.constant(value, None)?)),
                        None => Ok(Expr::Const(0)),
                        _ => Err(Diagnostic::unsupported(
                            "U0906",
                            "an initial value that depends on a channel of the process is not supported",
                            Some(found.span),
                        )),
                    };
                }
            }
            let local = process.is_some_and(|p| self.instances[p.index()].symbols.contains_key(name));
            if !local && let Some(special) = self.predefined(name, process, found)? {
                return Ok(special);
            }
        }
        if let Some(value) = self.symbol(found)
            && self.variable(&found.parts[0].0, process).is_none()
        {
            return Ok(Expr::Const(value));
        }
        let (leaf, index) = self.leaf_of(found, process)?;
        Ok(leaf_value(leaf.kind, index))
    }

    fn predefined(&self, name: &str, process: Option<ProcessId>, found: &Ref) -> Res<Option<Expr>> {
        let unknown = |what: &str| Diagnostic::error("E0920", what.to_string(), Some(found.span));
        Ok(Some(match (name, process) {
            ("_pid", Some(process)) => match self.instances[process.index()].pid {
                Some(pid) => Expr::Const(pid),
                None => Expr::Pid(process),
            },
            ("_pid", None) => return Err(unknown("`_pid` means nothing outside of a process")),
            ("_nr_pr", _) => Expr::ProcessCount,
            ("_last", _) => match self.last {
                Some(last) => Expr::Var(last),
                None => return Err(unknown("`_last` is known only to models that read it themselves")),
            },
            ("_priority", Some(process)) => {
                Expr::Const(i64::from(self.network.processes[process].priority.max(1)))
            }
            _ => return Ok(None),
        }))
    }

    /// Whether the model reads a predefined variable.
    pub(super) fn reads(&self, name: &str) -> bool {
        let mut found = false;
        let mut look = |e: &ast::Expr| found |= mentions(e, name);
        for proc in self.document.procs.iter().chain(&self.document.claims) {
            proc.provided.iter().for_each(&mut look);
            walk(&proc.body, &mut |stmt| match &stmt.kind {
                StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Assign(_, e) => look(e),
                StmtKind::Send(send) => send.args.iter().for_each(&mut look),
                _ => {}
            });
        }
        self.document.formulas.iter().for_each(|f| look(&f.formula));
        found
    }

    /// The part of a variable that is meant, which is no record, and its index.
    pub(super) fn leaf_of(
        &mut self,
        found: &'a Ref,
        process: Option<ProcessId>,
    ) -> Res<(Leaf, Option<Expr>)> {
        let leaf = self.leaf_named(found, process)?.clone();
        let index = self.index(&leaf, found, process)?;
        Ok((leaf, index))
    }

    fn leaf_named(&self, found: &'a Ref, process: Option<ProcessId>) -> Res<&Leaf> {
        let name = &found.parts[0].0;
        let wrong = |code, message: String| Err(Diagnostic::error(code, message, Some(found.span)));
        let Some(variable) = self.variable(name, process) else {
            if self.mtypes.contains_key(name) {
                return wrong("E0921", format!("`{name}` is a symbol, not a variable"));
            }
            let locals = process.map(|p| &self.instances[p.index()].symbols);
            // The one nearest by name, whatever the order in tables.
            let mut names: Vec<&str> = locals.into_iter().flat_map(|l| l.keys()).map(|n| &**n).collect();
            names.extend(self.globals.keys().chain(self.mtypes.keys()).map(|n| &**n));
            names.sort_unstable();
            let message = format!("there is no variable `{name}`");
            let diagnostic = Diagnostic::error("E0920", message, Some(found.span));
            if self.document.procs.iter().any(|proc| proc.name == *name) {
                return Err(diagnostic.with_help(format!("a process is started by `run {name}(..)`")));
            }
            return Err(match beeline_ir::text::suggest(name, names.into_iter()) {
                Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
        };
        let fields = || found.parts[1..].iter().map(|(name, _)| name);
        match variable.leaves.iter().find(|leaf| leaf.path.iter().eq(fields())) {
            Some(leaf) => Ok(leaf),
            None if found.parts.len() == 1 => {
                wrong("E0921", format!("`{name}` is a record; one of its fields is needed"))
            }
            None => wrong("E0920", format!("`{name}` has no such field")),
        }
    }

    /// The index of an element, through all dimensions; each is checked by itself.
    fn index(&mut self, leaf: &Leaf, found: &'a Ref, process: Option<ProcessId>) -> Res<Option<Expr>> {
        let mut whole: Option<Expr> = None;
        let several = leaf.dims.iter().flatten().count() > 1;
        for (len, (name, index)) in leaf.dims.iter().zip(&found.parts) {
            match (len, index) {
                (None, None) => {}
                (Some(_), None) => {
                    let message = format!("the array `{name}` is used without an index");
                    return Err(Diagnostic::error("E0921", message, Some(found.span)));
                }
                (None, Some(index)) => {
                    if self.constant(index, None).ok() != Some(0) {
                        let message = format!("`{name}` is no array");
                        return Err(Diagnostic::error("E0921", message, Some(found.span)));
                    }
                }
                (Some(len), Some(index)) => {
                    let mut index = self.expr(index, process)?;
                    if let Expr::Const(value) = index
                        && !(0..i64::from(*len)).contains(&value)
                    {
                        self.warn(format!("the index {value} is outside of `{name}`"), found.span);
                    }
                    // With several dimensions, an index of one must not pass as one of another.
                    if several {
                        index = match index {
                            Expr::Const(value) if (0..i64::from(*len)).contains(&value) => Expr::Const(value),
                            index => {
                                let low = index.clone().binary(BinaryOp::Ge, Expr::Const(0));
                                let high = index.clone().binary(BinaryOp::Lt, Expr::Const(i64::from(*len)));
                                let outside = Expr::Const(i64::from(u32::MAX));
                                Expr::If(
                                    Box::new(Expr::And(vec![low, high])),
                                    Box::new(index),
                                    Box::new(outside),
                                )
                            }
                        };
                    }
                    whole = Some(match whole {
                        None => index,
                        Some(outer) => binary("+", binary("*", outer, Expr::Const(i64::from(*len))), index),
                    });
                }
            }
        }
        Ok(whole)
    }

    /// All leaves of what is meant, a record or not: their values, and where to store, if that can be.
    pub(super) fn leaves_of(
        &mut self,
        found: &'a Ref,
        process: Option<ProcessId>,
    ) -> Res<Vec<(Expr, Option<Place>)>> {
        let fields: Vec<&Name> = found.parts[1..].iter().map(|(name, _)| name).collect();
        let leaves: Vec<Leaf> = match self.variable(&found.parts[0].0, process) {
            Some(v) => {
                let under = |leaf: &&Leaf| leaf.path.iter().take(fields.len()).eq(fields.iter().copied());
                v.leaves.iter().filter(under).cloned().collect()
            }
            None => Vec::new(),
        };
        if leaves.is_empty() {
            // Says what is wrong with the name.
            self.leaf_named(found, process)?;
        }
        let mut result = Vec::new();
        for leaf in leaves {
            let own = Leaf { dims: leaf.dims[..found.parts.len()].to_vec(), ..leaf.clone() };
            let first = self.index(&own, found, process)?;
            // Arrays inside of the record are taken element by element.
            let inner: u32 = leaf.dims[found.parts.len()..].iter().map(|d| d.unwrap_or(1)).product();
            let array = leaf.dims.iter().any(Option::is_some);
            for i in 0..inner {
                let offset = Expr::Const(i64::from(i));
                let index = match first.clone() {
                    Some(first) => {
                        Some(binary("+", binary("*", first, Expr::Const(i64::from(inner))), offset))
                    }
                    None => array.then_some(offset),
                };
                let place = match (leaf.kind, index.clone()) {
                    (LeafKind::Var(var), Some(index)) => Some(Place::Elem(var, index)),
                    (LeafKind::Var(var), None) => Some(Place::Var(var)),
                    (LeafKind::Channel(_), _) => None,
                };
                result.push((leaf_value(leaf.kind, index), place));
            }
        }
        Ok(result)
    }
}

/// The value of a leaf.
fn leaf_value(kind: LeafKind, index: Option<Expr>) -> Expr {
    match (kind, index) {
        (LeafKind::Var(var), None) => Expr::Var(var),
        (LeafKind::Var(var), Some(index)) => Expr::Elem(var, Box::new(index)),
        (LeafKind::Channel(id), index) => Expr::Channel(ChannelRef::Element(id, index.map(Box::new))),
    }
}

/// Whether a name occurs in an expression.
fn mentions(expr: &ast::Expr, name: &str) -> bool {
    let mut found = false;
    walk_expr(expr, &mut |e| found |= matches!(&e.kind, ExprKind::Ref(r) if &*r.parts[0].0 == name));
    found
}
