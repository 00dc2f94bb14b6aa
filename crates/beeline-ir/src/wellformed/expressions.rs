//! Expressions: every id belongs to its table, scalars and arrays are used as such, and nothing stands where it has
//! no meaning.
//!
//! Clock constraints and `deadlock` stand only in properties, and there only where a truth value is wanted and
//! nothing is computed from it: under `!`, `&&`, `||`, `?:`, `forall` and `exists`. A quantifier has a local for
//! itself: it is not used outside of that local's quantifiers, and they are not nested.

use super::{Checker, Place, Site};
use crate::expr::{ChannelRef, ClockAtom, Expr, Quantifier, Range, UnaryOp};
use crate::id::{ChannelId, EdgeId, FunctionId, LocalId, LocationId, ProcessId, VarId};
use crate::model::Model;
use crate::network::{Channel, ChannelKind, Role};
use crate::relation::RelationRole;
use crate::stmt::{Pattern, Receive, Send};
use crate::visit;

impl<'m> Checker<'m> {
    /// Which locals of a site are bound by quantifiers, in all its expressions.
    pub(super) fn quantified(&self, site: &Site<'m>, parts: impl FnOnce(&mut dyn FnMut(&Expr))) -> Vec<bool> {
        let mut quantified = vec![false; site.frame.len()];
        parts(&mut |root| {
            visit::walk(root, &mut |e| {
                if let Expr::Quantified(_, local, ..) = e
                    && let Some(entry) = quantified.get_mut(local.index())
                {
                    *entry = true;
                }
            });
        });
        quantified
    }

    /// Checks an expression.
    pub(super) fn expr(&mut self, site: &Site<'m>, expr: &'m Expr) {
        self.truth(site, expr, true);
    }
    /// Checks clock constraints of a guard or invariant.
    pub(super) fn atoms(&mut self, site: &Site<'m>, atoms: &'m [ClockAtom]) {
        atoms.iter().for_each(|atom| self.atom(site, atom));
    }
    fn atom(&mut self, site: &Site<'m>, atom: &'m ClockAtom) {
        for clock in [Some(atom.left), atom.right].into_iter().flatten() {
            self.clock(site, clock);
        }
        // What is inside depends on integers alone.
        atom.when.iter().chain([&atom.bound]).for_each(|e| self.truth(site, e, false));
    }

    /// Checks an expression; `plain` says whether nothing is computed from its truth value.
    fn truth(&mut self, site: &Site<'m>, expr: &'m Expr, plain: bool) {
        match expr {
            Expr::Clock(_) | Expr::Deadlock => return self.timed(site, expr, plain),
            Expr::Unary(UnaryOp::Not, e) => return self.truth(site, e, plain),
            Expr::And(all) | Expr::Or(all) => return all.iter().for_each(|e| self.truth(site, e, plain)),
            Expr::If(condition, then, otherwise) => {
                return [condition, then, otherwise].into_iter().for_each(|e| self.truth(site, e, plain));
            }
            Expr::Quantified(quantifier, local, range, body) => {
                let plain = plain && *quantifier != Quantifier::Sum;
                return self.quantifier(site, *local, *range, |c| c.truth(site, body, plain));
            }
            _ => {}
        }
        match expr {
            Expr::Var(var) => self.var_use(site, *var, false),
            Expr::Elem(var, _) => self.var_use(site, *var, true),
            Expr::Local(local) => self.local_use(site, *local, false),
            Expr::LocalElem(local, _) => self.local_use(site, *local, true),
            Expr::Next(var) => self.next(site, *var),
            Expr::At(process, location) => self.at(site, *process, *location),
            Expr::Alive(process) => {
                self.process_use(site, *process);
            }
            Expr::Pid(process) => self.pid(site, *process),
            Expr::ProcessCount | Expr::Timeout if self.tables().is_none() => {
                self.fault(site, "E0326", "a relation has no processes");
            }
            Expr::Timeout if self.clock_guards => {
                self.unsupported(site, "U0403", "`timeout` in a network with clock guards");
            }
            Expr::Call(function, arguments) => self.call_in_expression(site, *function, arguments.len()),
            Expr::Channel(channel) | Expr::Length(channel) | Expr::Capacity(channel) => {
                self.channel_use(site, channel);
            }
            Expr::Poll(receive) => self.patterns(site, receive),
            Expr::Enabled(process, edges) => self.enabled(site, *process, edges),
            _ => {}
        }
        let mut parts = Vec::new();
        visit::children(expr, &mut |e| parts.push(e));
        parts.into_iter().for_each(|e| self.truth(site, e, false));
    }

    fn timed(&mut self, site: &Site<'m>, expr: &'m Expr, plain: bool) {
        if site.place != Place::Property {
            let message = "clock constraints and `deadlock` do not stand in this expression";
            self.fault(site, "E0323", message);
        } else if !plain {
            let message = "nothing is computed from the truth of a clock constraint or `deadlock`";
            self.fault(site, "E0324", message);
        }
        if let Expr::Clock(atom) = expr {
            self.atom(site, atom);
        }
    }
    fn quantifier(&mut self, site: &Site<'m>, local: LocalId, range: Range, body: impl FnOnce(&mut Self)) {
        match site.frame.get(local.index()) {
            None => self.fault(site, "E0315", "there is no such local to quantify over"),
            Some(declared) => {
                let values = declared.range;
                let fits = range.lo > range.hi || values.contains(range.lo) && values.contains(range.hi);
                if declared.len.is_some() || local.index() < site.fixed {
                    let message = "a quantifier needs a scalar local that is no parameter or select variable";
                    self.fault(site, "E0317", message);
                } else if !fits {
                    let message =
                        format!("the local `{}` does not have all values of its quantifier", declared.name);
                    self.fault(site, "E0317", &message);
                } else if self.bound.contains(&local) {
                    let message = format!("two quantifiers over the local `{}` are nested", declared.name);
                    self.fault(site, "E0317", &message);
                }
            }
        }
        self.bound.push(local);
        body(self);
        self.bound.pop();
    }

    // Uses of single things.

    /// Checks the use of a variable.
    pub(super) fn var_use(&mut self, site: &Site<'m>, id: VarId, indexed: bool) {
        let (name, array) = match self.model {
            Model::Network(network) => match network.vars.get(id) {
                Some(var) => (&var.name, var.len.is_some()),
                None => return self.fault(site, "E0315", "there is no such variable"),
            },
            Model::Relation(relation) => match relation.vars.get(id) {
                Some(var) => {
                    if var.role == RelationRole::Input && site.place != Place::Step {
                        let message = format!("the input `{}` is not part of a state", var.name);
                        self.fault(site, "E0325", &message);
                    }
                    (&var.name, false)
                }
                None => return self.fault(site, "E0315", "there is no such variable"),
            },
        };
        self.indexing(site, name, array, indexed);
    }
    /// Checks the use of a local.
    pub(super) fn local_use(&mut self, site: &Site<'m>, id: LocalId, indexed: bool) {
        let Some(local) = site.frame.get(id.index()) else {
            return self.fault(site, "E0315", "there is no such local");
        };
        self.indexing(site, &local.name, local.len.is_some(), indexed);
        if site.quantified.get(id.index()) == Some(&true) && !self.bound.contains(&id) {
            let message = format!("the local `{}` of a quantifier is used outside of it", local.name);
            self.fault(site, "E0317", &message);
        }
    }
    fn indexing(&mut self, site: &Site<'_>, name: &str, array: bool, indexed: bool) {
        match (array, indexed) {
            (true, false) => {
                self.fault(site, "E0316", &format!("the array `{name}` is used without an index"))
            }
            (false, true) => self.fault(site, "E0316", &format!("`{name}` is no array")),
            _ => {}
        }
    }
    fn next(&mut self, site: &Site<'m>, id: VarId) {
        let Model::Relation(relation) = self.model else {
            return self.fault(site, "E0325", "`next` stands only in relations");
        };
        match relation.vars.get(id) {
            None => self.fault(site, "E0315", "there is no such variable"),
            Some(var) if var.role == RelationRole::Input => {
                self.fault(site, "E0325", &format!("the input `{}` has no next value", var.name));
            }
            Some(_) if site.place != Place::Step => {
                self.fault(site, "E0325", "`next` stands only in next assignments and step constraints");
            }
            Some(_) => {}
        }
    }
    fn process_use(&mut self, site: &Site<'m>, id: ProcessId) -> Option<Role> {
        let process = self.tables().and_then(|n| n.processes.get(id));
        if process.is_none() {
            self.fault(site, "E0315", "there is no such process");
        }
        process.map(|p| p.role)
    }
    fn pid(&mut self, site: &Site<'m>, id: ProcessId) {
        if self.process_use(site, id) == Some(Role::Observer) {
            self.fault(site, "E0331", "an observer has no number");
        }
    }
    fn at(&mut self, site: &Site<'m>, id: ProcessId, location: LocationId) {
        let role = self.process_use(site, id);
        let Some(process) = self.tables().and_then(|n| n.processes.get(id)) else { return };
        if process.locations.get(location).is_none() {
            self.fault(site, "E0315", &format!("there is no such location of `{}`", process.name));
        }
        let own = site.process == Some(id) || site.place == Place::Property;
        if role == Some(Role::Observer) && !own {
            self.fault(site, "E0331", "the system does not look at an observer");
        }
    }
    fn enabled(&mut self, site: &Site<'m>, id: ProcessId, edges: &[EdgeId]) {
        if self.process_use(site, id) == Some(Role::Observer) {
            self.fault(site, "E0331", "`enabled` is about the system, not about an observer");
        }
        let Some(process) = self.tables().and_then(|n| n.processes.get(id)) else { return };
        for edge in edges {
            match process.edges.get(*edge) {
                None => self.fault(site, "E0315", &format!("there is no such edge of `{}`", process.name)),
                Some(edge) if !edge.clock_guard.is_empty() => {
                    self.fault(site, "E0327", "`enabled` is about edges without clock constraints");
                }
                Some(_) => {}
            }
        }
    }
    fn call_in_expression(&mut self, site: &Site<'m>, id: FunctionId, arguments: usize) {
        let Some(function) = self.callee(site, id, arguments) else { return };
        if function.result.is_none() {
            self.fault(site, "E0318", &format!("the function `{}` has no result", function.name));
        }
        if self.pure.get(id.index()) == Some(&false) {
            self.fault(site, "E0320", &format!("the function `{}` has effects", function.name));
        }
    }

    // Channels and messages.

    /// Checks a channel; gives its declaration where that is known.
    pub(super) fn channel_use(&mut self, site: &Site<'m>, channel: &'m ChannelRef) -> Option<&'m Channel> {
        let ChannelRef::Element(id, index) = channel else { return None };
        let Some(declared) = self.channel_entry(*id) else {
            self.fault(site, "E0315", "there is no such channel");
            return None;
        };
        self.indexing(site, &declared.name, declared.len.is_some(), index.is_some());
        Some(declared)
    }
    fn channel_entry(&self, id: ChannelId) -> Option<&'m Channel> {
        self.tables().and_then(|n| n.channels.get(id))
    }
    fn arity(&mut self, site: &Site<'m>, channel: &Channel, fields: usize) {
        if channel.fields.len() != fields {
            let (name, wanted) = (&channel.name, channel.fields.len());
            let message = format!("a message of `{name}` has {wanted} fields, not {fields}");
            self.fault(site, "E0321", &message);
        }
    }
    fn buffered(&mut self, site: &Site<'m>, channel: &Channel, why: &str) {
        if !matches!(channel.kind, ChannelKind::Buffered { .. }) {
            self.fault(site, "E0322", &format!("{why} needs a buffer, which `{}` is not", channel.name));
        }
    }
    /// Checks a send; as a statement it needs a buffer.
    pub(super) fn send(&mut self, site: &Site<'m>, send: &'m Send, statement: bool) {
        if let Some(channel) = self.channel_use(site, &send.channel) {
            self.arity(site, channel, send.message.len());
            if send.sorted || statement {
                self.buffered(site, channel, if statement { "a send in an update" } else { "a sorted send" });
            }
        }
        visit::send_parts(send, &mut |e| self.expr(site, e));
    }
    /// Checks a receive; as a statement it needs a buffer.
    pub(super) fn receive(&mut self, site: &Site<'m>, receive: &'m Receive, statement: bool) {
        self.patterns(site, receive);
        if let ChannelRef::Element(id, _) = &receive.channel
            && let Some(channel) = self.channel_entry(*id)
            && (receive.any || receive.keep || statement)
        {
            let why = if statement { "a receive in an update" } else { "`any` or `keep`" };
            self.buffered(site, channel, why);
        }
        visit::receive_parts(receive, &mut |e| self.expr(site, e));
    }
    fn patterns(&mut self, site: &Site<'m>, receive: &'m Receive) {
        if let Some(channel) = self.channel_use(site, &receive.channel) {
            self.arity(site, channel, receive.pattern.len());
        }
        for pattern in &receive.pattern {
            if let Pattern::Bind(target) = pattern {
                self.target(site, target);
            }
        }
    }
}
