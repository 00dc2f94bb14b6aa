//! Expressions. Numbers are of 64 bits here and of 32 in Spin, which matters only where a sum or product leaves these.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use beeline_ir::stmt::Place;
use beeline_ir::{LocationId, ProcessId};

use super::constant::fold;
use super::declare::{Leaf, LeafKind, Variable};
use super::{Lower, Res, both};
use crate::ast::{self, ExprKind, Init, Name, Ref, StmtKind, walk};

impl<'a> Lower<'a, '_> {
    /// An expression of a process, or about the whole model.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr, process: Option<ProcessId>) -> Res<Expr> {
        self.spend(1, expr.span)?;
        Ok(match &expr.kind {
            ExprKind::Int(value) => Expr::Const(*value),
            ExprKind::Ref(found) => self.value(found, process)?,
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand, process)?;
                match (*op, operand) {
                    ("!", Expr::Const(value)) => Expr::Const(i64::from(value == 0)),
                    ("-", Expr::Const(value)) => Expr::Const(value.wrapping_neg()),
                    ("!", operand) => operand.negated(),
                    ("-", operand) => Expr::Unary(UnaryOp::Neg, Box::new(operand)),
                    (_, operand) => Expr::Unary(UnaryOp::BitNot, Box::new(operand)),
                }
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
                let (then, otherwise) = (self.expr(then, process)?, self.expr(otherwise, process)?);
                Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
            ExprKind::Probe(what, channel) => {
                let channel = self.meant(channel, process)?.channel;
                let length = Expr::Length(channel.clone());
                match *what {
                    "len" => length,
                    "empty" => length.binary(BinaryOp::Eq, Expr::Const(0)),
                    "nempty" => length.binary(BinaryOp::Ne, Expr::Const(0)),
                    "full" => length.binary(BinaryOp::Ge, Expr::Capacity(channel)),
                    _ => length.binary(BinaryOp::Lt, Expr::Capacity(channel)),
                }
            }
            ExprKind::Poll(receive) => {
                let mut receive = self.receive(receive, process, expr.span)?;
                // What is received is not kept.
                for pattern in &mut receive.pattern {
                    if matches!(pattern, beeline_ir::stmt::Pattern::Bind(_)) {
                        *pattern = beeline_ir::stmt::Pattern::Ignore;
                    }
                }
                Expr::Poll(Box::new(receive))
            }
            ExprKind::Timeout => Expr::Timeout,
            ExprKind::RemoteLabel(proc, index, label) => {
                self.remote_label(proc, index.as_deref(), label, process, expr)?
            }
            ExprKind::RemoteVar(proc, index, var) => {
                self.remote_var(proc, index.as_deref(), var, process, expr)?
            }
            ExprKind::Run(_) => {
                let message = "`run` is supported as a statement and as the right side of an assignment only";
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

    fn value(&mut self, found: &'a Ref, process: Option<ProcessId>) -> Res<Expr> {
        if let [(name, None)] = found.parts.as_slice() {
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

    /// Whether the model reads `_last`.
    pub(super) fn reads_last(&self) -> bool {
        let mut found = false;
        let mut look = |e: &ast::Expr| found |= mentions(e, "_last");
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

    /// The processes of a type, each with the condition that it is the one meant by `P[e]` (or by `P` alone).
    fn meant_processes(
        &mut self,
        proc: &Name,
        index: Option<&'a ast::Expr>,
        process: Option<ProcessId>,
        at: &ast::Expr,
    ) -> Res<(usize, Vec<(Expr, ProcessId)>)> {
        let wanted = if &**proc == ":init:" { "init" } else { proc };
        let Some(proto) = self.proto(wanted) else {
            let message = format!("there is no process type `{proc}`");
            return Err(Diagnostic::error("E0920", message, Some(at.span)));
        };
        let number = match index {
            Some(index) => Some(self.expr(index, process)?),
            None => None,
        };
        let mut meant = Vec::new();
        for id in self.protos[proto].processes.clone() {
            let pid = self.instances[id.index()].pid;
            let condition = match (&number, pid) {
                // Without a number, the first process is meant.
                (None, _) => Expr::TRUE,
                (Some(Expr::Const(n)), Some(pid)) if *n != pid => continue,
                (Some(Expr::Const(_)), Some(_)) => Expr::TRUE,
                (Some(number), Some(pid)) => number.clone().binary(BinaryOp::Eq, Expr::Const(pid)),
                (Some(number), None) => Expr::Pid(id).binary(BinaryOp::Eq, number.clone()),
            };
            meant.push((condition, id));
            if number.is_none() {
                break;
            }
        }
        Ok((proto, meant))
    }

    fn remote_label(
        &mut self,
        proc: &Name,
        index: Option<&'a ast::Expr>,
        label: &Name,
        process: Option<ProcessId>,
        at: &ast::Expr,
    ) -> Res<Expr> {
        let (proto, meant) = self.meant_processes(proc, index, process, at)?;
        let graph = &self.protos[proto].graph;
        if !graph.labels.contains(label) {
            let message = format!("`{proc}` has no label `{label}`");
            return Err(Diagnostic::error("E0920", message, Some(at.span)));
        }
        let places: Vec<LocationId> = (0..graph.places.len())
            .filter(|i| graph.places[*i].labels.contains(label))
            .map(LocationId::new)
            .collect();
        let mut any = Vec::new();
        for (condition, id) in meant {
            let here = Expr::Or(places.iter().map(|place| Expr::At(id, *place)).collect());
            any.push(both(condition, here));
        }
        Ok(Expr::Or(any))
    }

    fn remote_var(
        &mut self,
        proc: &Name,
        index: Option<&'a ast::Expr>,
        var: &'a Ref,
        process: Option<ProcessId>,
        at: &ast::Expr,
    ) -> Res<Expr> {
        let (_, meant) = self.meant_processes(proc, index, process, at)?;
        // Where no such process exists, the value is 0.
        let mut result = Expr::Const(0);
        for (condition, id) in meant.into_iter().rev() {
            if !self.instances[id.index()].symbols.contains_key(&var.parts[0].0) {
                let message = format!("`{proc}` has no variable `{}`", var.parts[0].0);
                return Err(Diagnostic::error("E0920", message, Some(at.span)));
            }
            let value = self.value(var, Some(id))?;
            result = match condition {
                Expr::Const(1) => value,
                condition => Expr::If(Box::new(condition), Box::new(value), Box::new(result)),
            };
        }
        Ok(result)
    }
}

/// The value of a leaf.
fn leaf_value(kind: LeafKind, index: Option<Expr>) -> Expr {
    match (kind, index) {
        (LeafKind::Var(var), None) => Expr::Var(var),
        (LeafKind::Var(var), Some(index)) => Expr::Elem(var, Box::new(index)),
        (LeafKind::Channel(id), index) => {
            Expr::Channel(beeline_ir::expr::ChannelRef::Element(id, index.map(Box::new)))
        }
    }
}

/// `left op right`, computed if both are known.
pub(super) fn binary(op: &str, left: Expr, right: Expr) -> Expr {
    if let (Expr::Const(a), Expr::Const(b)) = (&left, &right)
        && let Some(value) = fold(op, *a, *b)
    {
        return Expr::Const(value);
    }
    let op = match op {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "&" => BinaryOp::BitAnd,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        ">" => BinaryOp::Gt,
        "<=" => BinaryOp::Le,
        ">=" => BinaryOp::Ge,
        "->" => return Expr::Or(vec![left.negated(), right]),
        // Truth, not numbers, is compared.
        _ => return left.negated().binary(BinaryOp::Eq, right.negated()),
    };
    left.binary(op, right)
}

/// Whether a name occurs in an expression.
fn mentions(expr: &ast::Expr, name: &str) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Ref(found) => {
                if &*found.parts[0].0 == name {
                    return true;
                }
                open.extend(found.parts.iter().filter_map(|(_, index)| index.as_ref()));
            }
            ExprKind::Unary(_, e) => open.push(e),
            ExprKind::Binary(_, a, b) => open.extend([&**a, &**b]),
            ExprKind::Many(_, all) | ExprKind::Temporal(_, all) => open.extend(all),
            ExprKind::If(a, b, c) => open.extend([&**a, &**b, &**c]),
            _ => {}
        }
    }
    false
}
