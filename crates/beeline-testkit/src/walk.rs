//! One walk over everything in a network that refers to something else. Rewrites renumber ids with it, the shrinker
//! and the statistics look at expressions and statements with it. Children are visited before their parents.

use beeline_ir::expr::{ChannelRef, ClockAtom, Expr};
use beeline_ir::network::{Network, Process, Sync};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Pattern, Place, Receive, Send, Stmt, Target};
use beeline_ir::{ChannelId, ClockId, EdgeId, FamilyId, FunctionId, LocalId, LocationId, ProcessId, VarId};

/// What to do at each place. Every method does nothing unless overridden.
#[allow(unused_variables)]
pub trait Visitor {
    /// A reference to a variable.
    fn var(&mut self, id: &mut VarId) {}
    /// A reference to a clock.
    fn clock(&mut self, id: &mut ClockId) {}
    /// A reference to a channel.
    fn channel(&mut self, id: &mut ChannelId) {}
    /// A reference to a function.
    fn function(&mut self, id: &mut FunctionId) {}
    /// A reference to a process, made after those to its locations and edges.
    fn process(&mut self, id: &mut ProcessId) {}
    /// A reference to a family.
    fn family(&mut self, id: &mut FamilyId) {}
    /// A reference to a location of a process.
    fn location(&mut self, process: ProcessId, id: &mut LocationId) {}
    /// A reference to an edge of a process.
    fn edge(&mut self, process: ProcessId, id: &mut EdgeId) {}
    /// A reference to a local of the current frame.
    fn local(&mut self, id: &mut LocalId) {}
    /// An expression, its parts visited.
    fn expr(&mut self, expr: &mut Expr) {}
    /// A clock constraint, its parts visited.
    fn atom(&mut self, atom: &mut ClockAtom) {}
    /// A sequence of statements, its parts visited.
    fn block(&mut self, block: &mut Block) {}
    /// A place that is assigned to, its parts visited.
    fn target(&mut self, target: &mut Target) {}
    /// A list of clock constraints that all must hold, its parts visited.
    fn atoms(&mut self, atoms: &mut Vec<ClockAtom>) {}
}

/// Visits everything.
pub fn network(n: &mut Network, v: &mut impl Visitor) {
    for var in n.vars.iter_mut() {
        var.owner.iter_mut().for_each(|p| v.process(p));
    }
    for clock in n.clocks.iter_mut() {
        clock.owner.iter_mut().for_each(|p| v.process(p));
    }
    for channel in n.channels.iter_mut() {
        channel.owner.iter_mut().for_each(|p| v.process(p));
    }
    for function in n.functions.iter_mut() {
        block(&mut function.body, v);
    }
    for id in n.processes.ids() {
        process(&mut n.processes[id], id, v);
    }
    for family in n.families.iter_mut() {
        family.slots.iter_mut().for_each(|p| v.process(p));
    }
    for p in &mut n.properties {
        property(p, v);
    }
}

/// Visits a process.
pub fn process(p: &mut Process, id: ProcessId, v: &mut impl Visitor) {
    p.params.iter_mut().for_each(|var| v.var(var));
    p.family.iter_mut().for_each(|f| v.family(f));
    v.location(id, &mut p.initial);
    for location in p.locations.iter_mut() {
        expr(&mut location.condition, v);
        atoms(&mut location.invariant, v);
    }
    for edge in p.edges.iter_mut() {
        v.location(id, &mut edge.source);
        v.location(id, &mut edge.target);
        expr(&mut edge.guard, v);
        atoms(&mut edge.clock_guard, v);
        sync(&mut edge.sync, v);
        block(&mut edge.update, v);
    }
}

/// Visits a property.
pub fn property(p: &mut Property, v: &mut impl Visitor) {
    match &mut p.kind {
        PropertyKind::Always(e) | PropertyKind::Exists(e) => expr(e, v),
        PropertyKind::NeverAt(process, locations) => {
            locations.iter_mut().for_each(|l| v.location(*process, l));
            v.process(process);
        }
        PropertyKind::NoRuntimeError | PropertyKind::NoAssertionFailure | PropertyKind::Refused(_) => {}
    }
}

/// Visits an expression and its parts.
pub fn expr(e: &mut Expr, v: &mut impl Visitor) {
    match e {
        Expr::Const(_) | Expr::ProcessCount | Expr::Timeout | Expr::Deadlock => {}
        Expr::Var(id) | Expr::Next(id) => v.var(id),
        Expr::Elem(id, i) => {
            expr(i, v);
            v.var(id);
        }
        Expr::Local(id) => v.local(id),
        Expr::LocalElem(id, i) => {
            expr(i, v);
            v.local(id);
        }
        Expr::At(process, location) => {
            v.location(*process, location);
            v.process(process);
        }
        Expr::Alive(process) | Expr::Pid(process) => v.process(process),
        Expr::Unary(_, a) => expr(a, v),
        Expr::Binary(_, a, b) => {
            expr(a, v);
            expr(b, v);
        }
        Expr::And(all) | Expr::Or(all) => all.iter_mut().for_each(|e| expr(e, v)),
        Expr::If(a, b, c) => {
            expr(a, v);
            expr(b, v);
            expr(c, v);
        }
        Expr::Quantified(_, id, _, body) => {
            v.local(id);
            expr(body, v);
        }
        Expr::Call(id, arguments) => {
            arguments.iter_mut().for_each(|e| expr(e, v));
            v.function(id);
        }
        Expr::Channel(c) | Expr::Length(c) | Expr::Capacity(c) => channel_ref(c, v),
        Expr::Poll(r) => receive(r, v),
        Expr::Enabled(process, edges) => {
            edges.iter_mut().for_each(|e| v.edge(*process, e));
            v.process(process);
        }
        Expr::Clock(a) => atom(a, v),
    }
    v.expr(e);
}

fn atoms(list: &mut Vec<ClockAtom>, v: &mut impl Visitor) {
    list.iter_mut().for_each(|a| atom(a, v));
    v.atoms(list);
}

fn atom(a: &mut ClockAtom, v: &mut impl Visitor) {
    if let Some(when) = &mut a.when {
        expr(when, v);
    }
    v.clock(&mut a.left);
    a.right.iter_mut().for_each(|c| v.clock(c));
    expr(&mut a.bound, v);
    v.atom(a);
}

fn channel_ref(c: &mut ChannelRef, v: &mut impl Visitor) {
    match c {
        ChannelRef::Element(id, index) => {
            if let Some(index) = index {
                expr(index, v);
            }
            v.channel(id);
        }
        ChannelRef::Value(value) => expr(value, v),
    }
}

fn target(t: &mut Target, v: &mut impl Visitor) {
    match &mut t.place {
        Place::Var(id) => v.var(id),
        Place::Elem(id, i) => {
            expr(i, v);
            v.var(id);
        }
        Place::Local(id) => v.local(id),
        Place::LocalElem(id, i) => {
            expr(i, v);
            v.local(id);
        }
    }
    v.target(t);
}

/// Visits what an edge says about its channel.
pub fn sync(s: &mut Sync, v: &mut impl Visitor) {
    match s {
        Sync::Internal => {}
        Sync::Send(s) => send(s, v),
        Sync::Receive(r) => receive(r, v),
    }
}

fn send(s: &mut Send, v: &mut impl Visitor) {
    channel_ref(&mut s.channel, v);
    s.message.iter_mut().for_each(|e| expr(e, v));
}

fn receive(r: &mut Receive, v: &mut impl Visitor) {
    channel_ref(&mut r.channel, v);
    for pattern in &mut r.pattern {
        match pattern {
            Pattern::Bind(t) => target(t, v),
            Pattern::Match(e) => expr(e, v),
            Pattern::Ignore => {}
        }
    }
}

/// Visits a sequence of statements.
pub fn block(b: &mut Block, v: &mut impl Visitor) {
    for stmt in b.iter_mut() {
        match stmt {
            Stmt::Assign(t, e) => {
                target(t, v);
                expr(e, v);
            }
            Stmt::ClockSet(c, e) => {
                v.clock(c);
                expr(e, v);
            }
            Stmt::ClockCopy(c, d) => {
                v.clock(c);
                v.clock(d);
            }
            Stmt::If(e, then, otherwise) => {
                expr(e, v);
                block(then, v);
                block(otherwise, v);
            }
            Stmt::While(e, body) => {
                expr(e, v);
                block(body, v);
            }
            Stmt::Call(f, arguments, result) => {
                arguments.iter_mut().for_each(|e| expr(e, v));
                v.function(f);
                result.iter_mut().for_each(|t| target(t, v));
            }
            Stmt::Send(s) => send(s, v),
            Stmt::Receive(r) => receive(r, v),
            Stmt::Start(f, arguments, result) => {
                arguments.iter_mut().for_each(|e| expr(e, v));
                v.family(f);
                result.iter_mut().for_each(|t| target(t, v));
            }
            Stmt::Assert(e, _) => expr(e, v),
            Stmt::Return(e) => e.iter_mut().for_each(|e| expr(e, v)),
            Stmt::Exit => {}
        }
    }
    v.block(b);
}
