//! What a process or formula can ask about other processes: `P[i]@label`, `P[i]:variable`, and by their number alone
//! `enabled`, `pc_value`, `get_priority`.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::network::ChannelKind;
use beeline_ir::origin::Span;
use beeline_ir::{EdgeId, LocationId, ProcessId};

use super::slots::is_plain;
use super::{Lower, Res, both};
use crate::ast::{self, ExprKind, Name, Ref};

impl<'a> Lower<'a, '_> {
    /// The processes of a type, each with the condition that it is the one meant by `P[e]` (or by `P` alone).
    fn meant_processes(
        &mut self,
        proc: &Name,
        index: Option<&'a ast::Expr>,
        process: Option<ProcessId>,
        at: &ast::Expr,
    ) -> Res<(usize, Vec<(Expr, ProcessId)>)> {
        let Some(proto) = self.proto(type_name(proc)) else {
            let message = format!("there is no process type `{proc}`");
            return Err(Diagnostic::error("E0920", message, Some(at.span)));
        };
        if let Some(warning) = self.absent(at) {
            self.warn(warning, at.span);
        }
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

    /// What to say of a question about a process that never exists, as far as that is certain: none of its type is ever
    /// started, and none that exists from the start has this number.
    pub(super) fn absent(&self, asked: &ast::Expr) -> Option<String> {
        let (ExprKind::RemoteLabel(proc, index, _) | ExprKind::RemoteVar(proc, index, _)) = &asked.kind
        else {
            return None;
        };
        let proto = self.proto(type_name(proc))?;
        let number = match index.as_deref() {
            Some(index) if is_plain(index, &|name| self.mtypes.contains_key(name)) => {
                Some(self.constant(index, None).ok()?)
            }
            Some(_) => return None,
            None => None,
        };
        let never = |id: &ProcessId| match (self.instances[id.index()].pid, number) {
            (Some(pid), Some(number)) => pid != number,
            _ => false,
        };
        let never = self.protos[proto].processes.iter().all(never);
        let which = number.map_or(String::new(), |number| format!(" with the number {number}"));
        never.then(|| format!("there is never a process `{proc}`{which}"))
    }

    pub(super) fn remote_label(
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

    pub(super) fn remote_var(
        &mut self,
        proc: &Name,
        index: Option<&'a ast::Expr>,
        var: &'a Ref,
        process: Option<ProcessId>,
        at: &ast::Expr,
    ) -> Res<Expr> {
        let (proto, meant) = self.meant_processes(proc, index, process, at)?;
        let name = &var.parts[0].0;
        // Whether or not there is such a process.
        if !self.protos[proto].proc.locals.iter().any(|decl| decl.name == *name) {
            let message = format!("`{proc}` has no variable `{name}`");
            return Err(Diagnostic::error("E0920", message, Some(at.span)));
        }
        // Where no such process exists, the value is 0.
        let mut result = Expr::Const(0);
        for (condition, id) in meant.into_iter().rev() {
            let value = self.value(var, Some(id))?;
            result = match condition {
                Expr::Const(1) => value,
                condition => Expr::If(Box::new(condition), Box::new(value), Box::new(result)),
            };
        }
        Ok(result)
    }

    /// What is asked about the process of a number: 0 if there is none.
    pub(super) fn about(
        &mut self,
        what: &str,
        number: &'a ast::Expr,
        process: Option<ProcessId>,
        span: Span,
    ) -> Res<Expr> {
        let number = self.expr(number, process)?;
        if what == "enabled" && self.network.channels.iter().any(|c| c.kind == ChannelKind::Rendezvous) {
            let message = "`enabled` cannot be used together with rendezvous channels, in Spin neither";
            return Err(Diagnostic::unsupported("U0905", message, Some(span)));
        }
        let mut result = Expr::Const(0);
        for index in 0..self.instances.len() {
            let id = ProcessId::new(index);
            if Some(id) == process && what == "enabled" {
                continue;
            }
            let pid = self.instances[index].pid.map_or(Expr::Pid(id), Expr::Const);
            let meant = pid.binary(BinaryOp::Eq, number.clone());
            let proto = &self.protos[self.instances[index].proto];
            let places = &proto.graph.places;
            let value = match what {
                // Edges come in the order of places and steps.
                "enabled" => {
                    let count = places.iter().map(|place| place.steps.len()).sum();
                    Expr::Enabled(id, (0..count).map(EdgeId::new).collect())
                }
                "pc_value" => {
                    let at = |i: usize| Box::new(Expr::At(id, LocationId::new(i)));
                    let places = places.iter().enumerate();
                    let chain = |rest, (i, place): (usize, &crate::graph::Place<'_>)| {
                        Expr::If(at(i), Box::new(Expr::Const(place.counter)), Box::new(rest))
                    };
                    places.fold(Expr::Const(0), chain)
                }
                _ => Expr::Const(i64::from(self.network.processes[id].priority.max(1))),
            };
            let alive = both(Expr::Alive(id), meant);
            self.spend(4 + self.protos[self.instances[index].proto].graph.places.len(), span)?;
            result = Expr::If(Box::new(alive), Box::new(value), Box::new(result));
        }
        Ok(result)
    }
}

/// The name of a process type that is asked about.
fn type_name(proc: &Name) -> &str {
    if &**proc == ":init:" { "init" } else { proc }
}
