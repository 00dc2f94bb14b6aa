//! What all of the printer shares: names, origins, frames, lines.
//!
//! Printing never fails: an id that belongs to nothing (in a model that is not well-formed) is printed as `?3`, which
//! does not read back.

use std::fmt::Write;

use super::names::{Names, write_name};
use crate::expr::{ClockAtom, Expr, Range};
use crate::id::{ChannelId, ClockId, FamilyId, FunctionId, Id, IdVec, LocalId, LocationId, ProcessId, VarId};
use crate::model::Model;
use crate::network::Network;
use crate::origin::Origin;
use crate::stmt::{Block, Local, Pattern, Place, Receive, Stmt};
use crate::visit;

/// The names of a model, ready for printing parts of it.
pub struct Scope<'m> {
    pub(super) model: &'m Model,
    pub(super) names: Names,
}

impl<'m> Scope<'m> {
    /// The names of a model.
    pub fn new(model: &'m Model) -> Self {
        Self { model, names: Names::of(model) }
    }
    /// A printer of a part that belongs to a process and has a frame.
    pub(super) fn printer<'s>(&'s self, process: Option<ProcessId>, frame: &'s [Local]) -> Printer<'s> {
        Printer { scope: self, process, frame, origins: false, inline: true, indent: 0, out: String::new() }
    }
}

/// The state of a printing.
pub(super) struct Printer<'s> {
    pub scope: &'s Scope<'s>,
    /// The process whose parts are being printed.
    pub process: Option<ProcessId>,
    /// The frame of what is being printed.
    pub frame: &'s [Local],
    /// Whether origins are printed.
    pub origins: bool,
    /// Whether blocks stay on one line.
    pub inline: bool,
    /// Levels of indentation.
    pub indent: usize,
    /// What has been printed.
    pub out: String,
}

impl<'s> Printer<'s> {
    /// Appends text.
    pub fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }
    /// Appends formatted text.
    pub fn putf(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.out.write_fmt(text);
    }
    /// Begins a new line, or just leaves a space.
    pub fn line(&mut self) {
        if self.inline {
            self.put(" ");
        } else {
            self.put("\n");
            for _ in 0..self.indent {
                self.put("  ");
            }
        }
    }
    /// Appends things with commas between them.
    pub fn list<T>(&mut self, all: impl IntoIterator<Item = T>, mut one: impl FnMut(&mut Self, T)) {
        for (i, item) in all.into_iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            one(self, item);
        }
    }
    /// Appends a name.
    pub fn name(&mut self, name: &str) {
        self.put(&write_name(name));
    }
    /// Appends a range.
    pub fn range(&mut self, range: Range) {
        self.putf(format_args!("{}..{}", range.lo, range.hi));
    }
    /// Appends a number of elements, if there is one.
    pub fn length(&mut self, len: Option<u32>) {
        if let Some(len) = len {
            self.putf(format_args!("[{len}]"));
        }
    }
    /// Appends an origin, if there is one and origins are wanted.
    pub fn origin(&mut self, origin: Option<&Origin>) {
        let Some(Origin { file, span, native }) = origin.filter(|_| self.origins) else { return };
        self.putf(format_args!(" @({file}, {}, {}", span.start, span.end));
        for (i, n) in native.iter().enumerate() {
            self.putf(format_args!("{}{n}", if i == 0 { "; " } else { ", " }));
        }
        self.put(")");
    }
    /// Appends declarations of locals.
    pub fn locals(&mut self, locals: &[Local]) {
        self.list(locals, |p, local| {
            p.name(&local.name);
            p.length(local.len);
            p.put(" in ");
            p.range(local.range);
        });
    }

    // References.

    fn network(&self) -> Option<&'s Network> {
        match self.scope.model {
            Model::Network(network) => Some(network),
            Model::Relation(_) => None,
        }
    }
    fn is_local(&self, name: &str) -> bool {
        self.frame.iter().any(|l| l.name == name)
    }
    /// Appends a reference to something of a process, or to something global.
    fn reference(&mut self, owner: Option<ProcessId>, name: &str) {
        let local = self.is_local(name);
        match owner {
            Some(process) if local || Some(process) != self.process => {
                self.process_name(process);
                self.put(".");
            }
            None => {
                let hidden = self.process.is_some_and(|p| self.scope.names.owned(p, name).is_some());
                if local || hidden {
                    self.put("::");
                }
            }
            Some(_) => {}
        }
        self.name(name);
    }
    fn nothing(&mut self, index: usize) {
        self.putf(format_args!("?{index}"));
    }
    /// Appends a variable.
    pub fn var(&mut self, id: VarId) {
        let found = match self.scope.model {
            Model::Network(network) => network.vars.get(id).map(|v| (v.owner, &v.name)),
            Model::Relation(relation) => relation.vars.get(id).map(|v| (None, &v.name)),
        };
        match found {
            Some((owner, name)) => self.reference(owner, name),
            None => self.nothing(id.index()),
        }
    }
    /// Appends a clock.
    pub fn clock(&mut self, id: ClockId) {
        match self.network().and_then(|n| n.clocks.get(id)) {
            Some(clock) => self.reference(clock.owner, &clock.name),
            None => self.nothing(id.index()),
        }
    }
    /// Appends a channel.
    pub fn channel_name(&mut self, id: ChannelId) {
        match self.network().and_then(|n| n.channels.get(id)) {
            Some(channel) => self.reference(channel.owner, &channel.name),
            None => self.nothing(id.index()),
        }
    }
    /// Appends a local.
    pub fn local(&mut self, id: LocalId) {
        match self.frame.get(id.index()) {
            Some(local) => self.name(&local.name),
            None => self.nothing(id.index()),
        }
    }
    /// Appends the name of a process.
    pub fn process_name(&mut self, id: ProcessId) {
        self.entry(self.network().map(|n| &n.processes), id, |p| &p.name);
    }
    /// Appends the name of a location.
    pub fn location_name(&mut self, process: ProcessId, id: LocationId) {
        let locations = self.network().and_then(|n| n.processes.get(process)).map(|p| &p.locations);
        self.entry(locations, id, |l| &l.name);
    }
    /// Appends the name of a function.
    pub fn function_name(&mut self, id: FunctionId) {
        self.entry(self.network().map(|n| &n.functions), id, |f| &f.name);
    }
    /// Appends the name of a family.
    pub fn family_name(&mut self, id: FamilyId) {
        self.entry(self.network().map(|n| &n.families), id, |f| &f.name);
    }
    /// Appends the name of an entry of a table.
    pub fn entry<I: Id, T>(&mut self, table: Option<&IdVec<I, T>>, id: I, name: impl Fn(&T) -> &str) {
        match table.and_then(|t| t.get(id)) {
            Some(entry) => self.name(name(entry)),
            None => self.nothing(id.index()),
        }
    }
}

/// The part of a frame that need not be declared: its locals, after the first `declared`, are those that the
/// quantifiers bring along by themselves, read in order, and nothing else uses them.
pub(super) struct Implied<'m> {
    frame: &'m [Local],
    declared: usize,
    /// The ranges that the locals found so far are given.
    found: Vec<Range>,
    fits: bool,
}

impl<'m> Implied<'m> {
    /// A frame with the locals that are declared anyway.
    pub fn new(frame: &'m [Local], declared: usize) -> Self {
        Self { frame, declared, found: Vec::new(), fits: true }
    }
    /// Goes over an expression.
    pub fn expr(mut self, expr: &Expr) -> Self {
        self.look(expr);
        self
    }
    /// Goes over clock constraints.
    pub fn atoms(mut self, atoms: &[ClockAtom]) -> Self {
        visit::atom_parts(atoms, &mut |e| self.look(e));
        self
    }
    /// Goes over a block.
    pub fn block(mut self, block: &Block) -> Self {
        visit::walk_block(block, &mut |statement, _| {
            visit::statement_parts(statement, &mut |e| self.look(e));
            match statement {
                Stmt::Assign(target, _)
                | Stmt::Call(_, _, Some(target))
                | Stmt::Start(_, _, Some(target)) => {
                    self.place(&target.place);
                }
                Stmt::Receive(receive) => self.receive(receive),
                _ => {}
            }
        });
        self
    }
    /// Goes over the places a receive writes to.
    pub fn receive(&mut self, receive: &Receive) {
        for pattern in &receive.pattern {
            if let Pattern::Bind(target) = pattern {
                self.place(&target.place);
            }
        }
    }
    /// The locals that must be declared.
    pub fn explicit(self) -> &'m [Local] {
        let rest = self.frame.get(self.declared..).unwrap_or(&[]);
        let as_found = rest.iter().zip(&self.found).all(|(l, range)| l.range == *range && l.len.is_none());
        if self.fits && rest.len() == self.found.len() && as_found { &[] } else { rest }
    }

    fn place(&mut self, place: &Place) {
        if let Place::Local(local) | Place::LocalElem(local, _) = place {
            self.fits &= local.index() < self.declared;
        }
    }
    /// Goes over an expression.
    pub fn look(&mut self, expr: &Expr) {
        visit::walk(expr, &mut |e| match e {
            Expr::Quantified(_, local, range, _) if local.index() >= self.declared => {
                let position = local.index() - self.declared;
                match self.found.get_mut(position) {
                    Some(found) => *found = found.hull(*range),
                    None => {
                        self.fits &= position == self.found.len();
                        self.found.push(*range);
                    }
                }
            }
            Expr::Local(local) | Expr::LocalElem(local, _) => {
                self.fits &= local.index() < self.declared + self.found.len();
            }
            Expr::Poll(receive) => self.receive(receive),
            _ => {}
        });
    }
}
