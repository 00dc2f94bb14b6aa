//! Channels: which ones a variable may stand for, sends and receives. A channel may be passed to a process or in a
//! message; that a message fits must then be known of all channels that may be meant.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::origin::Span;
use beeline_ir::stmt::{self as ir, Pattern, Store, Target};
use beeline_ir::{ProcessId, stmt};

use super::declare::{LeafKind, range};
use super::slots::runs_in;
use super::{Lower, Res};
use crate::ast::{Arg, Decl, Document, ExprKind, Init, Name, Receive, Ref, Run, Send, StmtKind, Type, walk};

/// A variable: the process type it belongs to, and its name.
type Key = (Option<usize>, Name);

/// Which channels flow into which variables, whatever the order of statements.
#[derive(Clone, Default, Debug)]
pub(super) struct Flows {
    /// Variables that are written after they are declared.
    assigned: HashSet<Key>,
    /// The declarations with a channel of their own that a variable may hold.
    held: BTreeMap<Key, BTreeSet<Key>>,
}

/// Collects what flows where.
struct Collector<'a> {
    document: &'a Document,
    flows: Flows,
    /// From, to; `None` is any message.
    edges: Vec<(Option<Key>, Option<Key>)>,
}

impl Flows {
    /// The flows of a model.
    pub fn new(document: &Document) -> Self {
        let mut collector = Collector { document, flows: Flows::default(), edges: Vec::new() };
        collector.declarations(None, &document.globals);
        for (proto, proc) in document.procs.iter().enumerate() {
            collector.declarations(Some(proto), &proc.locals);
            walk(&proc.body, &mut |stmt| collector.statement(proto, &stmt.kind));
        }
        collector.settle()
    }

    /// Whether a variable is written after it is declared.
    pub fn is_assigned(&self, proto: Option<usize>, name: &Name) -> bool {
        self.assigned.contains(&(proto, name.clone()))
    }
}

impl Collector<'_> {
    fn key(&self, proto: Option<usize>, name: &Name) -> Key {
        let local = proto.is_some_and(|p| self.document.procs[p].locals.iter().any(|d| d.name == *name));
        (proto.filter(|_| local), name.clone())
    }

    fn declarations(&mut self, proto: Option<usize>, decls: &[Decl]) {
        for decl in decls {
            let key = (proto, decl.name.clone());
            match &decl.init {
                Some(Init::Channel { .. }) => {
                    self.flows.held.entry(key.clone()).or_default().insert(key);
                }
                Some(Init::Value(value)) => self.flow(proto, value, Some(key)),
                _ => {}
            }
        }
    }

    /// What an expression may stand for flows into a variable or into messages.
    fn flow(&mut self, proto: Option<usize>, from: &crate::ast::Expr, to: Option<Key>) {
        match &from.kind {
            ExprKind::Ref(found) => {
                let from = self.key(proto, &found.parts[0].0);
                self.edges.push((Some(from), to));
            }
            ExprKind::If(_, a, b) => {
                self.flow(proto, a, to.clone());
                self.flow(proto, b, to);
            }
            _ => {}
        }
    }

    fn statement(&mut self, proto: usize, kind: &StmtKind) {
        let start = |collector: &mut Self, run: &Run| {
            let Some(started) = collector.document.procs.iter().position(|p| p.name == run.proc) else {
                return;
            };
            let params = &collector.document.procs[started].locals;
            for (param, arg) in params.iter().zip(&run.args) {
                collector.flow(Some(proto), arg, Some((Some(started), param.name.clone())));
            }
        };
        if let StmtKind::Expr(e) | StmtKind::Assign(_, e) | StmtKind::Assert(e) = kind {
            runs_in(e, &mut |run| start(self, run));
        }
        match kind {
            StmtKind::Assign(to, value) => {
                let key = self.key(Some(proto), &to.parts[0].0);
                self.flows.assigned.insert(key.clone());
                self.flow(Some(proto), value, Some(key));
            }
            StmtKind::Send(send) => send.args.iter().for_each(|arg| self.flow(Some(proto), arg, None)),
            StmtKind::Receive(receive) => {
                for arg in &receive.args {
                    if let Arg::Ref(to) = arg {
                        let key = self.key(Some(proto), &to.parts[0].0);
                        self.flows.assigned.insert(key.clone());
                        self.edges.push((None, Some(key)));
                    }
                }
            }
            _ => {}
        }
    }

    /// Follows all flows until nothing new arrives.
    fn settle(mut self) -> Flows {
        self.edges.sort();
        self.edges.dedup();
        let mut messages: BTreeSet<Key> = BTreeSet::new();
        loop {
            let mut changed = false;
            for (from, to) in &self.edges {
                let moved: BTreeSet<Key> = match from {
                    Some(key) => self.flows.held.get(key).cloned().unwrap_or_default(),
                    None => messages.clone(),
                };
                if moved.is_empty() {
                    continue;
                }
                let into = match to {
                    Some(key) => self.flows.held.entry(key.clone()).or_default(),
                    None => &mut messages,
                };
                let before = into.len();
                into.extend(moved);
                changed |= into.len() > before;
            }
            if !changed {
                return self.flows;
            }
        }
    }
}

/// A channel that is communicated over, with the number of fields if that is known.
pub(super) struct Meant {
    pub channel: ChannelRef,
    pub fields: Option<usize>,
}

impl<'a> Lower<'a, '_> {
    /// The channel that a variable stands for.
    pub(super) fn meant(&mut self, found: &'a Ref, process: Option<ProcessId>) -> Res<Meant> {
        let (leaf, index) = self.leaf_of(found, process)?;
        match leaf.kind {
            LeafKind::Channel(id) => {
                let fields = Some(self.network.channels[id].fields.len());
                Ok(Meant { channel: ChannelRef::Element(id, index.map(Box::new)), fields })
            }
            LeafKind::Var(_) if leaf.ty != Type::Chan => {
                let message = format!("`{}` is no channel", found.parts[0].0);
                Err(Diagnostic::error("E0921", message, Some(found.span)))
            }
            LeafKind::Var(var) => {
                let proto = process.map(|p| self.instances[p.index()].proto);
                let local = process
                    .is_some_and(|p| self.instances[p.index()].symbols.contains_key(&found.parts[0].0));
                let key = (proto.filter(|_| local), found.parts[0].0.clone());
                let held = self.channels.held.get(&key).cloned().unwrap_or_default();
                let fields = self.common_fields(&held)?;
                if let Some(channel) = self.only(&key, &held) {
                    return Ok(Meant { channel, fields });
                }
                let value = match index {
                    Some(index) => Expr::Elem(var, Box::new(index)),
                    None => Expr::Var(var),
                };
                Ok(Meant { channel: ChannelRef::Value(Box::new(value)), fields })
            }
        }
    }

    /// The number of fields that all these channels have.
    fn common_fields(&self, held: &BTreeSet<Key>) -> Res<Option<usize>> {
        let mut common = None;
        for (proto, name) in held {
            let decls = match proto {
                Some(proto) => &self.protos[*proto].proc.locals,
                None => &self.document.globals,
            };
            let Some(Init::Channel { fields, .. }) =
                decls.iter().find(|d| d.name == *name).and_then(|d| d.init.as_ref())
            else {
                continue;
            };
            let count = self.message_fields(fields)?.len();
            match common {
                Some(other) if other != count => return Ok(None),
                _ => common = Some(count),
            }
        }
        Ok(common)
    }

    /// The one channel that a parameter always stands for.
    fn only(&self, key: &Key, held: &BTreeSet<Key>) -> Option<ChannelRef> {
        let (Some(proto), name) = key else { return None };
        let proc = self.protos[*proto].proc;
        let parameter = proc.locals[..proc.params].iter().any(|d| d.name == *name);
        let fixed = parameter && proc.active.is_none() && !self.channels.is_assigned(Some(*proto), name);
        let (None, one) = held.iter().next().filter(|_| fixed && held.len() == 1)? else { return None };
        match self.globals.get(one)?.leaves.as_slice() {
            [leaf] if leaf.dims == [None] => match leaf.kind {
                LeafKind::Channel(id) => Some(ChannelRef::Element(id, None)),
                LeafKind::Var(_) => None,
            },
            _ => None,
        }
    }

    /// A send.
    pub(super) fn send(&mut self, send: &'a Send, process: ProcessId, span: Span) -> Res<stmt::Send> {
        let meant = self.meant(&send.channel, Some(process))?;
        let mut message = Vec::new();
        for arg in &send.args {
            match &arg.kind {
                ExprKind::Ref(found) if self.is_record(found, process) => {
                    let leaves = self.leaves_of(found, Some(process))?;
                    message.extend(leaves.into_iter().map(|(value, _)| value));
                }
                _ => message.push(self.computed(arg, Some(process))?),
            }
        }
        self.fitted(&mut message, meant.fields, Expr::Const(0), span)?;
        // Without a buffer there is nothing to be sorted.
        let sorted = send.sorted && self.rendezvous(&meant.channel) != Expr::TRUE;
        Ok(stmt::Send { channel: meant.channel, message, sorted })
    }

    /// A receive.
    pub(super) fn receive(
        &mut self,
        receive: &'a Receive,
        process: Option<ProcessId>,
        span: Span,
    ) -> Res<stmt::Receive> {
        let meant = self.meant(&receive.channel, process)?;
        let mut pattern = Vec::new();
        for arg in &receive.args {
            match arg {
                Arg::Ignore => pattern.push(Pattern::Ignore),
                Arg::Match(value) => pattern.push(Pattern::Match(self.expr(value, process)?)),
                Arg::Ref(found) => match self.symbol(found) {
                    Some(value) => pattern.push(Pattern::Match(Expr::Const(value))),
                    None => {
                        let leaves = self.leaves_of(found, process)?;
                        let bind = |place| Pattern::Bind(Target { place, store: Store::Wrapping });
                        pattern
                            .extend(leaves.into_iter().map(|(_, place)| place.map_or(Pattern::Ignore, bind)));
                    }
                },
            }
        }
        self.fitted(&mut pattern, meant.fields, Pattern::Ignore, span)?;
        let alone = self.rendezvous(&meant.channel) == Expr::TRUE;
        // What is offered is the only message.
        let (any, keep) = (receive.any && !alone, receive.keep);
        Ok(stmt::Receive { channel: meant.channel, pattern, any, keep })
    }

    /// The receive that a statement is.
    pub(super) fn receives(
        &mut self,
        receive: &'a Receive,
        process: ProcessId,
        span: Span,
    ) -> Res<stmt::Receive> {
        let lowered = self.receive(receive, Some(process), span)?;
        if lowered.keep && self.rendezvous(&lowered.channel) == Expr::TRUE {
            let message = "a rendezvous leaves no message behind that could be kept";
            let help = "Spin's verifier stops here: \"polling rv chan\"";
            return Err(Diagnostic::error("E0921", message, Some(span)).with_help(help));
        }
        Ok(lowered)
    }

    /// A message with fewer fields than its channel is filled up.
    fn fitted<T: Clone>(
        &mut self,
        message: &mut Vec<T>,
        fields: Option<usize>,
        empty: T,
        span: Span,
    ) -> Res<()> {
        let Some(fields) = fields else { return Ok(()) };
        if message.len() > fields {
            let message = format!("the channel has {fields} fields, and here are {}", message.len());
            return Err(Diagnostic::error("E0929", message, Some(span)));
        }
        if message.len() < fields {
            let what = format!("the channel has {fields} fields, and here are {}", message.len());
            self.warn(format!("{what}: Spin's verifier stops here"), span);
        }
        message.resize(fields, empty);
        Ok(())
    }

    fn is_record(&self, found: &Ref, process: ProcessId) -> bool {
        self.variable(&found.parts[0].0, Some(process)).is_some_and(|v| {
            let fields: Vec<&Name> = found.parts[1..].iter().map(|(name, _)| name).collect();
            !v.leaves.iter().any(|leaf| leaf.path.iter().eq(fields.iter().copied()))
        })
    }

    /// The target of an assignment.
    pub(super) fn target(&mut self, found: &'a Ref, process: ProcessId) -> Res<Target> {
        if self.variable(&found.parts[0].0, Some(process)).is_none() && &*found.parts[0].0 == "_priority" {
            let what = "an assignment to `_priority` is not supported: priorities do not change";
            return Err(Diagnostic::unsupported("U0903", what, Some(found.span)));
        }
        let (leaf, index) = self.leaf_of(found, Some(process))?;
        let LeafKind::Var(var) = leaf.kind else {
            let message = format!("`{}` cannot be assigned here", found.parts[0].0);
            return Err(Diagnostic::error("E0921", message, Some(found.span)));
        };
        debug_assert!(range(&leaf.ty).lo <= 0);
        let place = match index {
            Some(index) => ir::Place::Elem(var, index),
            None => ir::Place::Var(var),
        };
        Ok(Target { place, store: Store::Wrapping })
    }
}
