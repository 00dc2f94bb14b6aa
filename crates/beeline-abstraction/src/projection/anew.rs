//! Writing anew what an edge consists of: with other numbers for its locals, or with a local in place of a
//! variable.

use beeline_ir::LocalId;
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::network::{Edge, Sync};
use beeline_ir::stmt::{Block, Local, Pattern as Field, Place, Receive, Send, Stmt, Target};
use beeline_program::rewrite::rewrite;

/// What becomes of the parts.
pub(super) trait Anew {
    /// An expression that stands by itself.
    fn expr(&mut self, e: &Expr) -> Expr;
    /// An expression that is stored.
    fn stored(&mut self, _: &Target, e: &Expr) -> Expr {
        self.expr(e)
    }
    /// A place, its index left aside.
    fn place(&mut self, place: &mut Place);
}

/// What is evaluated in the source state. Polls must not bind.
pub(super) fn evaluation(edge: &mut Edge, anew: &mut dyn Anew) {
    edge.guard = anew.expr(&edge.guard);
    for atom in &mut edge.clock_guard {
        atom.when.iter_mut().for_each(|when| *when = anew.expr(when));
        atom.bound = anew.expr(&atom.bound);
    }
    match &mut edge.sync {
        Sync::Internal => {}
        Sync::Send(s) => send(s, anew),
        Sync::Receive(r) => required(r, anew),
    }
}

/// What happens when it is taken.
pub(super) fn execution(edge: &mut Edge, anew: &mut dyn Anew) {
    if let Sync::Receive(receive) = &mut edge.sync {
        bound(receive, anew);
    }
    block(&mut edge.update, anew);
}

fn channel(channel: &mut ChannelRef, anew: &mut dyn Anew) {
    match channel {
        ChannelRef::Element(_, index) => index.iter_mut().for_each(|index| **index = anew.expr(index)),
        ChannelRef::Value(value) => **value = anew.expr(value),
    }
}

fn send(send: &mut Send, anew: &mut dyn Anew) {
    channel(&mut send.channel, anew);
    send.message.iter_mut().for_each(|field| *field = anew.expr(field));
}

fn required(receive: &mut Receive, anew: &mut dyn Anew) {
    channel(&mut receive.channel, anew);
    for field in &mut receive.pattern {
        if let Field::Match(value) = field {
            *value = anew.expr(value);
        }
    }
}

fn bound(receive: &mut Receive, anew: &mut dyn Anew) {
    for field in &mut receive.pattern {
        if let Field::Bind(target) = field {
            place(&mut target.place, anew);
        }
    }
}

fn place(place: &mut Place, anew: &mut dyn Anew) {
    anew.place(place);
    if let Place::Elem(_, index) | Place::LocalElem(_, index) = place {
        *index = anew.expr(index);
    }
}

fn block(statements: &mut Block, anew: &mut dyn Anew) {
    for statement in statements {
        match statement {
            Stmt::Assign(target, value) => {
                place(&mut target.place, anew);
                *value = anew.stored(target, value);
            }
            Stmt::ClockSet(_, value) | Stmt::Assert(value, _) | Stmt::Return(Some(value)) => {
                *value = anew.expr(value);
            }
            Stmt::If(condition, then, otherwise) => {
                *condition = anew.expr(condition);
                block(then, anew);
                block(otherwise, anew);
            }
            Stmt::While(condition, body) => {
                *condition = anew.expr(condition);
                block(body, anew);
            }
            Stmt::Call(_, arguments, target) | Stmt::Start(_, arguments, target) => {
                arguments.iter_mut().for_each(|argument| *argument = anew.expr(argument));
                target.iter_mut().for_each(|target| place(&mut target.place, anew));
            }
            Stmt::Send(s) => send(s, anew),
            Stmt::Receive(r) => {
                required(r, anew);
                bound(r, anew);
            }
            Stmt::ClockCopy(..) | Stmt::Exit | Stmt::Return(None) => {}
        }
    }
}

/// Numbers locals anew.
struct Renumber<'a>(&'a mut dyn FnMut(LocalId) -> LocalId);

impl Anew for Renumber<'_> {
    fn expr(&mut self, e: &Expr) -> Expr {
        rewrite(e, &mut |part| match part {
            Expr::Local(local) => Some(Expr::Local((self.0)(*local))),
            Expr::LocalElem(local, index) => {
                let local = (self.0)(*local);
                Some(Expr::LocalElem(local, Box::new(self.expr(index))))
            }
            Expr::Quantified(quantifier, local, range, body) => {
                let local = (self.0)(*local);
                Some(Expr::Quantified(*quantifier, local, *range, Box::new(self.expr(body))))
            }
            _ => None,
        })
    }
    fn place(&mut self, place: &mut Place) {
        if let Place::Local(local) | Place::LocalElem(local, _) = place {
            *local = (self.0)(*local);
        }
    }
}

/// Numbers the locals of an edge anew; its frame is left to the caller.
pub(super) fn renumber(edge: &mut Edge, to: &mut dyn FnMut(LocalId) -> LocalId) {
    let anew = &mut Renumber(to);
    evaluation(edge, anew);
    execution(edge, anew);
}

/// Gives an edge one more select variable, after those that are there.
pub(super) fn add_select(edge: &mut Edge, mut local: Local) -> LocalId {
    let at = edge.selects;
    renumber(edge, &mut |local| if local.index() < at { local } else { LocalId::new(local.index() + 1) });
    local.name = unused(&edge.frame, local.name);
    edge.frame.insert(at, local);
    edge.selects += 1;
    LocalId::new(at)
}

/// Adds a local to a frame.
pub(super) fn add_local(frame: &mut Vec<Local>, mut local: Local) -> LocalId {
    local.name = unused(frame, local.name);
    frame.push(local);
    LocalId::new(frame.len() - 1)
}

/// A name like this one that no local has.
pub(super) fn unused(frame: &[Local], mut name: String) -> String {
    while frame.iter().any(|local| local.name == name) {
        name.push('_');
    }
    name
}
